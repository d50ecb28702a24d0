"""The nodes of a graph get colours, numbers from 0, such that nodes that are joined differ.

neighbours[v] lists the nodes that node v is joined to. Use few colours.

    gapsmith problems check examples/graph_colouring.py
    gapsmith run examples/graph_colouring.py
"""

import gapsmith as gs

problem = gs.problem("graph-colouring", minimise="colours", answer=gs.Assignment("neighbours", "neighbours"))


@problem.instances(train=8, valid=8, test=12)
def graph(rng, *, nodes: int = 40, density: float = 0.3):
    """Uniform random graphs: each pair is joined with the same chance."""
    neighbours = [[] for _ in range(nodes)]
    for right in range(nodes):
        for left in range(right):
            if rng.random() < density:
                neighbours[left].append(right)
                neighbours[right].append(left)
    return {"neighbours": neighbours}


def first_free(order, neighbours):
    """Each node of an order gets the first colour that no neighbour has."""
    colours = [-1] * len(neighbours)
    for node in order:
        taken = {colours[other] for other in neighbours[node]}
        colours[node] = next(c for c in range(len(neighbours)) if c not in taken)
    return colours


@problem.heuristic
def in_order(neighbours):
    """Nodes in the order given."""
    return first_free(sorted(range(len(neighbours)), key=lambda v: v), neighbours)


@problem.heuristic
def by_degree(neighbours):
    """Nodes of most neighbours first (Welsh and Powell 1967)."""
    return first_free(sorted(range(len(neighbours)), key=lambda v: -len(neighbours[v])), neighbours)


@problem.objective
def number(answer, neighbours):
    """How many colours are used."""
    for node, others in enumerate(neighbours):
        for other in others:
            gs.require(answer[node] != answer[other], f"{node} and {other} are joined and have one colour")
    return len(set(answer))


@problem.draw
def columns(answer):
    """One column for each colour, its nodes above each other."""
    shapes = [
        gs.Shape("rectangle", c, answer[:v].count(c), 0.9, 0.9, str(v), f"colour {c}")
        for v, c in enumerate(answer)
    ]
    return gs.Drawing("nodes by colour", "colour", "nodes", tuple(shapes))


@problem.reference
def chromatic_number(neighbours):
    """A model for CP-SAT, in which nodes that are all joined to each other have the first colours."""
    from ortools.sat.python import cp_model

    clique, most = [], max(by_degree(neighbours))
    for node in sorted(range(len(neighbours)), key=lambda v: -len(neighbours[v])):
        if all(node in neighbours[other] for other in clique):
            clique.append(node)
    model = cp_model.CpModel()
    colours = [model.new_int_var(0, most, f"colour {v}") for v in range(len(neighbours))]
    for place, node in enumerate(clique):
        model.add(colours[node] == place)
    for node, others in enumerate(neighbours):
        for other in others:
            model.add(colours[node] != colours[other])
    last = model.new_int_var(len(clique) - 1, most, "last colour")
    model.add_max_equality(last, colours)
    model.minimize(last + 1)
    return model, lambda solved: [int(solved[one]) for one in colours]
