"""Nodes in a closed tour: its length, and moves that are rated by their increments."""


def objective(answer, coordinates, distances):
    """Length of the closed tour."""
    return sum(distances[answer[k - 1]][node] for k, node in enumerate(answer))


class Neighbours:
    """A part of the tour is reversed, or a short part moves to another place."""

    def __init__(self, answer, coordinates, distances):
        self.distances = distances
        self.nodes = list(answer)
        self.size = len(self.nodes)

    def draw(self, random):
        n, nodes, distances = self.size, self.nodes, self.distances
        i, k = sorted((int(n * random()), int(n * random())))
        if i == k or k - i >= n - 2:
            return 0, None
        a, b, c, d = nodes[i - 1], nodes[i], nodes[k], nodes[(k + 1) % n]
        if random() < 0.6:
            change = distances[a][c] + distances[b][d] - distances[a][b] - distances[c][d]
            return change, (i, k, None)
        width = min(1 + int(3 * random()), k - i)
        # The segment of this width that begins at i moves behind k, forwards.
        e, f = nodes[i + width - 1], nodes[i + width]
        change = distances[a][f] + distances[c][b] + distances[e][d]
        change -= distances[a][b] + distances[e][f] + distances[c][d]
        return change, (i, k, width)

    def make(self, move):
        i, k, width = move
        nodes = self.nodes
        if width is None:
            nodes[i : k + 1] = nodes[i : k + 1][::-1]
        else:
            nodes[i : k + 1] = nodes[i + width : k + 1] + nodes[i : i + width]

    def answer(self):
        return self.nodes[:]
