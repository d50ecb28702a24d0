"""Three batch furnaces, orders that arrive in waves, total weighted tardiness: an online dispatching problem.

    gapsmith problems check furnace.py
    gapsmith bench open furnace.py --set sandbox.cpu_seconds=2
"""

from __future__ import annotations

import json
import random
from typing import Annotated

from gapsmith import Instance, Json, Parameter, Reference, Sense, Verdict

FURNACES, ROOM, GRID = 3, 8, 15  # furnaces, baskets of a charge, minutes that treatment times are multiples of
STRATA = {  # relative work (1: three furnaces with full charges are busy all day), slack in mean treatment times
    "calm-tight": (0.65, 0.0, 1.2),
    "calm-loose": (0.65, 0.3, 2.5),
    "busy-tight": (0.85, 0.0, 1.2),
    "busy-loose": (0.85, 0.3, 2.5),
}
SIGNATURE = (
    "def choose(now: int, waiting: list[tuple[int, int, int, int, int]], busy: list[int], times: list[int], "
    "closes: int) -> list[int]:"
)

FILL = '''
def fill(waiting, family, key):
    """Positions of the family's waiting orders, smallest key first, as far as eight baskets allow."""
    chosen, room = [], 8
    for i in sorted((i for i, o in enumerate(waiting) if o[0] == family), key=key):
        if waiting[i][1] <= room:
            chosen.append(i)
            room -= waiting[i][1]
    return chosen
'''
FIRST_COME = (
    FILL
    + '''
SIGNATURE
    """The order that has waited longest, and what fits of its family in order of arrival."""
    return fill(waiting, waiting[0][0], lambda i: i)
'''
)
EARLIEST_DUE = (
    FILL
    + '''
SIGNATURE
    """Earliest due date by family: the most urgent order, and its family in order of due times."""
    first = min(waiting, key=lambda o: o[3])
    return fill(waiting, first[0], lambda i: waiting[i][3])
'''
)
FULLEST = (
    FILL
    + '''
SIGNATURE
    """Fullest batch first, filled in order of due times; equally full ones by the earliest due time."""
    due = lambda i: waiting[i][3]
    charges = [fill(waiting, family, due) for family in {o[0] for o in waiting}]
    return min(charges, key=lambda c: (-sum(waiting[i][1] for i in c), min(due(i) for i in c)))
'''
)
MINIMUM = (
    FULLEST.replace("SIGNATURE", "SIGNATURE", 1)
    .replace("Fullest batch first,", "Minimum batch size: the fullest batch if it has four baskets or is urgent, else wait;")
    .replace("    return min(charges", "    best = min(charges")
    + '''    if sum(waiting[i][1] for i in best) >= 4 or now >= closes:
        return best
    late = [i for i, o in enumerate(waiting) if o[3] - now - times[o[0]] <= 0]
    return fill(waiting, waiting[min(late, key=due)][0], due) if late else []
'''
)
BATC = (
    FILL
    + '''
from math import exp

SIGNATURE
    """Apparent tardiness cost for batches (as Mason, Fowler, Carlyle 2002), look-ahead factor KAPPA."""
    mean = sum(times[o[0]] for o in waiting) / len(waiting)
    index = [w / times[f] * exp(-max(d - times[f] - now, 0) / (KAPPA * mean)) for f, s, w, d, r in waiting]
    charges = [fill(waiting, family, lambda i: -index[i]) for family in {o[0] for o in waiting}]
    return max(charges, key=lambda c: sum(index[i] for i in c) * sum(waiting[i][1] for i in c) / 8)
'''
)
BATC_PLAIN = BATC.replace(" * sum(waiting[i][1] for i in c) / 8", "").replace("batches", "batches without the fill")

DRIVER = '''\
import json

def drive(choose, instance, receive, send):
    """Runs in the sandbox with the candidate's function: passes on what is revealed, sends each decision."""
    while (line := receive()) is not None:
        now, waiting, busy = json.loads(line)
        chosen = choose(now, [tuple(o) for o in waiting], busy, list(instance["times"]), instance["closes"])
        try:
            send(json.dumps([int(i) for i in chosen]).encode()[:2000])
        except (TypeError, ValueError):
            send(b"no list of whole numbers")
            return
'''


class Day:
    """One day as the shop sees it: it knows what is to come, keeps the record and believes nothing."""

    def __init__(self, orders: list[list[int]], times: list[int], closes: int) -> None:
        """Takes what is hidden from the candidate: orders as [family, baskets, weight, due, arrival], by arrival."""
        self.orders, self.times, self.closes = orders, times, closes
        self.now, self.come = -1, 0
        self.waiting: list[int] = []  # numbers of orders
        self.busy: list[int] = []  # ends of the charges that run
        self.record: list[Json] = []  # [start, numbers of orders]
        self.asked = False

    def next(self, line: bytes) -> bytes | None:
        """Takes the last decision (`b""` at first) and goes on to the next one; None at the end."""
        if self.asked:
            self._decide(line)
        while not (self.waiting and len(self.busy) < FURNACES):
            if not self._advance():
                return None
        self.asked = True
        return json.dumps([self.now, [self.orders[i] for i in self.waiting], self.busy]).encode()

    def _decide(self, line: bytes) -> None:
        try:
            chosen = json.loads(line)
        except ValueError:
            chosen = None
        if not isinstance(chosen, list) or any(type(i) is not int for i in chosen):
            raise ValueError(f"expected a list of positions in waiting, got {line[:40]!r}")
        if not chosen:
            if not self._advance():
                raise ValueError("waits although nothing runs and nothing can arrive any more")
            return
        if len(set(chosen)) < len(chosen) or not all(0 <= i < len(self.waiting) for i in chosen):
            raise ValueError(f"expected different positions from 0 to {len(self.waiting) - 1}, got {line[:40]!r}")
        charge = sorted(self.waiting[i] for i in chosen)
        if len({self.orders[i][0] for i in charge}) > 1:
            raise ValueError("orders of different families in one charge")
        if sum(self.orders[i][1] for i in charge) > ROOM:
            raise ValueError(f"more than {ROOM} baskets in one charge")
        self.record.append([self.now, charge])
        self.waiting = [i for i in self.waiting if i not in charge]
        self.busy = sorted([*self.busy, self.now + self.times[self.orders[charge[0]][0]]])

    def _advance(self) -> bool:
        """To the next arrival, end of a charge or closing of the gate; False if none is left."""
        events = [self.closes] * (self.now < self.closes) + self.busy[:1]
        if self.come < len(self.orders):
            events.append(self.orders[self.come][4])
        if not events:
            return False
        self.now = min(events)
        self.busy = [end for end in self.busy if end > self.now]
        while self.come < len(self.orders) and self.orders[self.come][4] <= self.now:
            self.waiting.append(self.come)
            self.come += 1
        return True

    def answer(self) -> Json:
        """The charges as they were recorded here."""
        return [[start, list(charge)] for start, charge in self.record]


class Furnace:
    """Minimise the total weighted tardiness of a day."""

    name = "furnace"
    version = "1"  # change it whenever instances, verify or reference change: results are kept by it
    sense = Sense.MINIMISE
    unit = "weighted minutes"
    entry_point = "choose"
    signature = SIGNATURE
    statement = (
        "Three identical furnaces treat orders that arrive over a day. Each order has a family, a size of 1 to 4 "
        "baskets, a weight and a due time, known when it arrives; nothing is known of later orders. A charge holds "
        "orders of one family, at most 8 baskets together, and runs for the family's treatment time; it is not "
        "opened before. Whenever a furnace is free and orders wait, choose(now, waiting, busy, times, closes) is "
        "asked; after a charge has started it is asked again while a furnace is free and orders wait. All times are "
        "minutes. waiting: the waiting orders by arrival, each as (family, baskets, weight, due, arrival); busy: the "
        "ends of the charges that run, sorted, so len(busy) < 3 here; times[f]: treatment time of family f; closes: "
        "the minute after which no order arrives. Return the positions in waiting of the orders of the charge that "
        "starts now, or [] to wait: then it is asked again after the next arrival, end of a charge or the closing. "
        "To wait when now >= closes and busy is empty is an error. Minimise the sum over orders of weight times "
        "max(0, end of its charge - due). Gaps are against a bound that knows all arrivals: 0 is not attainable."
    )
    driver = DRIVER
    calls = "The driver calls a program at each decision of one day; it may keep what it has seen of that day."

    def __init__(
        self,
        train_per_stratum: Annotated[int, Parameter("instances of each stratum", "instances", 1, 200)] = 15,
        valid_per_stratum: Annotated[int, Parameter("instances of each stratum", "instances", 1, 200)] = 20,
        test_per_stratum: Annotated[int, Parameter("instances of each stratum", "instances", 1, 500)] = 75,
        secret: str = "",
    ) -> None:
        """Takes the `[problem]` table of a configuration."""
        self.counts = {"train": train_per_stratum, "valid": valid_per_stratum, "test": test_per_stratum}
        self.secret = secret

    def keyed(self, secret: str) -> Furnace:
        """The same problem, its days drawn with a secret: no candidate can draw them again and look ahead."""
        return Furnace(*self.counts.values(), secret=secret)

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence."""
        main = {name: f"{4 * count} days, {count} per stratum" for name, count in self.counts.items()}
        return main | {
            "even": "20 days without waves",
            "overload": "20 days with work for full furnaces all day long",
            "eight-families": "20 days with eight families",
        }

    def instances(self, set: str, seed: int) -> list[Instance]:
        """The instances of a set: the same for the same seed, in every process."""
        if set not in self.sets():
            raise KeyError(set)
        stream = random.Random(f"{self.name} {set} {seed}{self.secret}")
        count = self.counts.get(set, 5)
        return [self._draw(stream, set, s, n) for n in range(count) for s in STRATA]

    def _draw(self, rng: random.Random, set: str, stratum: str, number: int) -> Instance:
        load, least, most = STRATA[stratum]
        if set == "overload":
            load = 1.0
        closes, count = 720, rng.randint(40, 80)
        families = 8 if set == "eight-families" else rng.randint(4, 6)
        share = [rng.uniform(0.4, 1.6) for _ in range(families)]
        waves = [rng.uniform(30, closes - 60) for _ in range(rng.randint(2, 5))]
        even = 1.0 if set == "even" else 0.25
        rows = []
        for _ in range(count):
            at = -1.0
            while not 0 <= at < closes:
                at = rng.uniform(0, closes) if rng.random() < even else rng.gauss(rng.choice(waves), 20)
            rows.append((int(at), rng.choices(range(families), share)[0], rng.randint(1, 4)))
        rows.sort()
        raw = [rng.uniform(1, 4) for _ in range(families)]
        work = sum(raw[f] * baskets / ROOM for _, f, baskets in rows)
        times = [max(2, round(t * load * FURNACES * closes / work / GRID)) * GRID for t in raw]
        mean = sum(times[f] for _, f, _ in rows) / count
        orders = [
            [f, baskets, rng.choice([1, 1, 1, 2, 2, 3, 5, 8]), int(at + times[f] + mean * rng.uniform(least, most)), at]
            for at, f, baskets in rows
        ]
        return Instance(
            id=f"{set}-{number * len(STRATA) + list(STRATA).index(stratum):03}",
            split=set,
            stratum=stratum,
            public={"times": times, "closes": closes},
            hidden={"orders": orders},
            scale=round(sum(w for _, _, w, _, _ in orders) * mean / 4),  # a quarter of a treatment late on average
            source=f"{count} orders, {families} families, {len(waves)} waves",
        )

    def start_programs(self) -> dict[str, str]:
        """What a campaign starts from."""
        return {"first-come": FIRST_COME.replace("SIGNATURE", SIGNATURE)}

    def baselines(self) -> dict[str, str]:
        """The textbook's rules, apparent tardiness cost with several look-ahead factors."""
        programs = {
            "first-come": FIRST_COME,
            "earliest-due": EARLIEST_DUE,
            "fullest": FULLEST,
            "minimum-batch": MINIMUM,
            "atc-sum-100": BATC_PLAIN.replace("KAPPA", "1.0"),
        }
        programs |= {f"batc-{k}": BATC.replace("KAPPA", str(k / 100)) for k in (25, 50, 100, 200, 400)}
        return {name: text.replace("SIGNATURE", SIGNATURE) for name, text in programs.items()}

    def dialogue(self, instance: Instance) -> Day:
        """The other side of one execution."""
        assert instance.hidden is not None
        return Day(instance.hidden["orders"], instance.public["times"], instance.public["closes"])

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """Checks the recorded charges from scratch and adds up the weighted tardiness."""
        assert instance.hidden is not None
        orders, times = instance.hidden["orders"], instance.public["times"]
        if not isinstance(answer, list):
            return Verdict.invalid("expected a list of charges [start, orders]")
        seen: set[int] = set()
        spans, total = [], 0
        for one in answer:
            if not (isinstance(one, list) and len(one) == 2 and type(one[0]) is int and isinstance(one[1], list)):
                return Verdict.invalid("expected charges [start, orders]")
            start, charge = one
            if not charge or any(type(i) is not int or not 0 <= i < len(orders) or i in seen for i in charge):
                return Verdict.invalid("expected each order in one charge, and no empty charge")
            if len(set(charge)) < len(charge):
                return Verdict.invalid("an order twice in a charge")
            seen.update(charge)
            family = orders[charge[0]][0]
            if any(orders[i][0] != family for i in charge):
                return Verdict.invalid("orders of different families in one charge")
            if sum(orders[i][1] for i in charge) > ROOM:
                return Verdict.invalid(f"more than {ROOM} baskets in one charge")
            if any(orders[i][4] > start for i in charge):
                return Verdict.invalid("a charge starts before one of its orders is there")
            end = start + times[family]
            spans.append((start, end))
            total += sum(orders[i][2] * max(0, end - orders[i][3]) for i in charge)
        if len(seen) < len(orders):
            return Verdict.invalid(f"{len(orders) - len(seen)} orders are never treated")
        if any(sum(s <= start < e for s, e in spans) > FURNACES for start, _ in spans):
            return Verdict.invalid(f"more than {FURNACES} charges at a time")
        return Verdict.valid(total)

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """A bound for whoever knows all arrivals: the linear program of shares of orders and charges by quarter hours.

        A start in [bG, bG + G) counts as one at bG (or at the arrival if later), which is never dearer; of the
        starts in (kG - 1 - p, kG - 1], the buckets k - p/G to k - 1, at most three run at minute kG - 1.
        """
        assert instance.hidden is not None
        bound = relaxation(instance.hidden["orders"], instance.public["times"])
        return Reference.proven_bound(bound, source="time-indexed linear program")


def relaxation(orders: list[list[int]], times: list[int]) -> int:
    """The time-indexed bound: the solver's dual prices, rounded, and then weak duality in whole numbers.

    x[j, b]: share of order j that starts in bucket b, the last bucket standing for that one and all later, where
    furnaces cost nothing; y[f, b]: charges of family f that start in bucket b. A row is (columns, least, most) of:
    sum_b x[j] = 1; sum_j baskets x - 8 y <= 0; x - y <= 0; charges that run at a time <= 3.
    """
    import highspy  # here: experiments load this file where the solver is not
    import numpy as np

    fine, used = 1 << 16, sorted({o[0] for o in orders})
    last = (max(o[4] for o in orders) + 420) // GRID
    columns: list[tuple[int, int]] = []  # cost, most
    y, x = {}, {}
    for f in used:
        for b in range(last):
            y[f, b] = len(columns)
            columns.append((0, FURNACES))
    for j, (f, _, weight, due, at) in enumerate(orders):
        for b in range(at // GRID, last + 1):
            x[j, b] = len(columns)
            columns.append((weight * max(0, max(at, b * GRID) + times[f] - due), 1))
    rows: list[tuple[list[tuple[int, int]], int, int]] = []  # entries, side, 1 if it is an equation
    for j, order in enumerate(orders):
        rows.append(([(x[j, b], 1) for b in range(order[4] // GRID, last + 1)], 1, 1))
    for f, b in y:
        members = [(j, order[1]) for j, order in enumerate(orders) if order[0] == f and (j, b) in x]
        if members:
            rows.append(([(x[j, b], baskets) for j, baskets in members] + [(y[f, b], -ROOM)], 0, 0))
        rows.extend(([(x[j, b], 1), (y[f, b], -1)], 0, 0) for j, _ in members)
    for k in range(1, last + 1):
        running = [(y[f, b], 1) for f in used for b in range(max(0, k - times[f] // GRID), k)]
        rows.append((running, FURNACES, 0))
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = len(columns), len(rows)
    program.col_cost_ = np.array([cost for cost, _ in columns], dtype=float)
    program.col_lower_, program.col_upper_ = np.zeros(len(columns)), np.full(len(columns), highspy.kHighsInf)
    program.row_lower_ = np.array([side if equal else -highspy.kHighsInf for _, side, equal in rows])
    program.row_upper_ = np.array([side for _, side, _ in rows], dtype=float)
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_ = np.cumsum([0] + [len(entries) for entries, _, _ in rows])
    program.a_matrix_.index_ = np.array([column for entries, _, _ in rows for column, _ in entries])
    program.a_matrix_.value_ = np.array([value for entries, _, _ in rows for _, value in entries], dtype=float)
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.passModel(program)
    solver.run()
    prices = solver.getSolution().row_dual
    reduced = [fine * cost for cost, _ in columns]
    total = 0
    for (entries, side, equal), price in zip(rows, prices, strict=True):
        whole = round(price * fine)
        if not equal:
            whole = min(0, whole)  # the price of a row that is at most its side
        if whole:
            total += whole * side
            for column, value in entries:
                reduced[column] -= whole * value
    total += sum(most * min(0, rest) for rest, (_, most) in zip(reduced, columns, strict=True))
    return max(0, -(-total // fine))
