"""Roads join crossings; each road must be watched from a post at one of its ends. How few posts do?"""

import gapsmith as gs

problem = gs.problem("watch-posts", minimise="posts", answer=gs.Subset("crossings"))


@problem.instances(train=12, valid=12, test=20, strata={"sparse": {"roads": 60}, "dense": {"roads": 120}})
def town(rng, *, crossings: int = 40, roads: int = 80):
    """Random roads between crossings."""
    pairs = sorted({tuple(sorted(rng.sample(range(crossings), 2))) for _ in range(roads)})
    return {"crossings": crossings, "roads": [list(pair) for pair in pairs]}


@problem.heuristic
def first_end(crossings, roads):
    """A post at the first end of every road that is not watched yet."""
    posts = set()
    for a, b in roads:
        if a not in posts and b not in posts:
            posts.add(a)
    return sorted(posts)


@problem.objective
def posts(answer, crossings, roads):
    """The number of posts."""
    chosen = set(answer)
    for a, b in roads:
        gs.require(a in chosen or b in chosen, f"nobody watches road [{a}, {b}]")
    return len(answer)


@problem.reference
def cover(crossings, roads):
    """The fewest posts: minimum vertex cover."""
    import pulp

    model = pulp.LpProblem("cover", pulp.LpMinimize)
    post = [model.add_variable(f"post_{c}", cat="Binary") for c in range(crossings)]
    model += pulp.lpSum(post)
    for a, b in roads:
        model += post[a] + post[b] >= 1
    return model
