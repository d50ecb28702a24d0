"""Agents pause while their tools run; whose context stays in the cache of a language model's server?

A context that is dropped is computed anew when its agent comes back, which costs its tokens. When the
contexts of paused agents do not fit into the cache, those with the lowest ratings are dropped until the
others do. paused[i] = [tool, waited, tokens, turn]: the tool that runs, seconds since the pause began, the
size of the context, how often the agent has come back; usual[tool] is a tool's mean pause in seconds.

    What was found in two minutes (seed 1, two slots, a busy machine, 117 programs): mean gap on 20 test
    hours 30.2 % (time to live) → 28.0 %, better on 17, worse on 1 (p < 0.0001).
"""

import gapsmith as gs

problem = gs.problem("agent-pauses", minimise="tokens computed again", answer=gs.Ratings("paused"))


@problem.instances(train=12, valid=12, test=20, strata={"roomy": {"room": 60000}, "tight": {"room": 25000}})
def hour(rng, *, agents: int = 30, room: int = 40000):
    """Agents with contexts that grow; pauses of four tools, from seconds to minutes."""
    usual, pauses = [3, 15, 60, 240], []
    for _ in range(agents):
        now, tokens = rng.randrange(900), rng.randint(500, 4000)
        tools = rng.choices(range(4), [rng.random() for _ in range(4)], k=rng.randint(4, 14))
        for turn, tool in enumerate(tools):
            end = now + 1 + round(usual[tool] * rng.gammavariate(2, 0.5))
            pauses.append([now, end, tool, tokens, turn])
            now, tokens = end + rng.randint(2, 20), tokens + rng.randint(100, 2500)
    return {"room": room, "usual": usual, "pauses": sorted(pauses)}


@problem.heuristic
def least_recent(usual, paused):
    """The least recently used one is dropped, as blocks are in vLLM (Kwon et al., SOSP 2023)."""
    return [-paused[i][1] for i in range(len(paused))]


@problem.heuristic
def largest_dropped(usual, paused):
    """The largest context is dropped."""
    return [-paused[i][2] for i in range(len(paused))]


@problem.heuristic
def time_to_live(usual, paused):
    """What waits for more than twice its tool's usual pause is dropped first, then long pauses."""
    return [-usual[one[0]] - 1000 * (one[1] > 2 * usual[one[0]]) for one in paused]


@problem.online(public=["usual"])
def server(room, usual, pauses):
    """Asks for ratings whenever a context more does not fit; returns the pauses with dropped contexts."""
    cached, dropped = [], []
    for pause in pauses:
        now = pause[0]
        cached = [one for one in cached if one[1] > now] + [pause]
        if sum(one[3] for one in cached) > room:
            ratings = yield [[tool, now - begin, tokens, turn] for begin, _, tool, tokens, turn in cached]
            for _, one in sorted(zip(ratings, cached, strict=True), key=lambda pair: pair[0]):
                if sum(other[3] for other in cached) > room:
                    cached.remove(one)
                    dropped.append(one)
    return dropped


@problem.objective
def again(dropped):
    """Tokens of the contexts that are dropped."""
    return sum(tokens for _, _, _, tokens, _ in dropped)


@problem.draw
def contexts(dropped, pauses):
    """The contexts of paused agents, from the first pause to the last."""
    groups = ["dropped" if one in dropped else "kept" for one in pauses]
    shapes = [
        gs.Shape("rectangle", begin, row, end - begin, 0.8, group=group)
        for row, ((begin, end, *_), group) in enumerate(zip(pauses, groups, strict=True))
    ]
    return gs.Drawing("pauses", "second", "pause", tuple(shapes))


@problem.reference
def clairvoyant(room, pauses):
    """The best choice of pauses through which contexts stay."""
    import pulp

    model = pulp.LpProblem("cache", pulp.LpMinimize)
    drop = [model.add_variable(f"drop{k}", cat="Binary") for k in range(len(pauses))]
    model += pulp.lpSum(pause[3] * one for pause, one in zip(pauses, drop, strict=True))
    for now, *_ in pauses:
        here = [k for k, (begin, end, _, _, _) in enumerate(pauses) if begin <= now < end]
        model += pulp.lpSum(pauses[k][3] * (1 - drop[k]) for k in here) <= room
    return model
