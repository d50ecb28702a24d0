"""Nodes in a closed tour: its length, and moves that bring near nodes together, rated by increments."""


def objective(answer, coordinates, distances):
    """Length of the closed tour."""
    return sum([distances[answer[k - 1]][node] for k, node in enumerate(answer)])


class Neighbours:
    """A node comes to stand beside one of its eight nearest: part of the tour turns round or moves."""

    def __init__(self, answer, coordinates, distances):
        self.distances = distances
        self.size = len(distances)
        numbers = range(self.size)
        self.near = [sorted(numbers, key=row.__getitem__)[:9] for row in distances]
        self.places = [0] * self.size
        self.restart(answer)

    def restart(self, answer):
        """Goes on from another answer."""
        self.nodes = list(answer)
        self.number(0, self.size - 1)

    def number(self, first, last):
        """Notes the places of the nodes from the first to the last place."""
        for place in range(first, last + 1):
            self.places[self.nodes[place]] = place

    def draw(self, random):
        n, nodes, distances = self.size, self.nodes, self.distances
        i = int(n * random())
        a = nodes[i]
        near = self.near[a]
        c = near[int(len(near) * random())]
        k = self.places[c]
        form = random()
        if form < 0.5:
            # The edges behind (or before) both nodes leave: a and c become neighbours.
            if i > k:
                i, k = k, i
            if form < 0.25:
                i += 1
            else:
                k -= 1
            if i >= k or k - i >= n - 2:
                return 0, None
            a, b, c, d = nodes[i - 1], nodes[i], nodes[k], nodes[k + 1 - n]
            change = distances[a][c] + distances[b][d] - distances[a][b] - distances[c][d]
            return change, (i, k, 0, 0)
        # A segment of one to three nodes with a at one end moves so that a stands beside c.
        width = 1 + int(3 * random())
        forwards = random() < 0.5
        i = i if forwards else i - width + 1
        j = i + width - 1
        if i < 0 or j >= n or i <= k <= j or n < width + 3:
            return 0, None
        behind = random() < 0.5
        # The gap into which the segment goes lies between the places p and p + 1.
        p = k if behind else k - 1
        q = p + 1 if p + 1 < n else 0
        if p < 0:
            p = n - 1
        if p == j or q == i:
            return 0, None
        b, e = nodes[i], nodes[j]
        turned = forwards != behind
        x, y = (e, b) if turned else (b, e)
        change = distances[nodes[i - 1]][nodes[j + 1 - n]] + distances[nodes[p]][x] + distances[y][nodes[q]]
        change -= distances[nodes[i - 1]][b] + distances[e][nodes[j + 1 - n]] + distances[nodes[p]][nodes[q]]
        return change, (i, p, width, turned)

    def make(self, move):
        i, k, width, turned = move
        nodes = self.nodes
        if not width:
            nodes[i : k + 1] = nodes[i : k + 1][::-1]
            self.number(i, k)
            return
        part = nodes[i : i + width]
        if turned:
            part.reverse()
        if k < i:
            nodes[k + 1 : i + width] = part + nodes[k + 1 : i]
            self.number(k + 1, i + width - 1)
        else:
            nodes[i : k + 1] = nodes[i + width : k + 1] + part
            self.number(i, k)

    def answer(self):
        return self.nodes[:]
