import numpy as np

MARKET = 0.45        # weight of the market value; the rest is for the free energy
HOLD = 0.0007        # holding cost of a bin for each arrival, in capacities
HOLD_RIVALRY = 0.8   # how much a rival with the same gap adds to it
LEVELS = 6           # numbers of rivals that are told apart there
TEMPERATURE = 0.0115  # waste that costs a factor e, in capacities
LOOKS = 23.0         # weight of each further item of a chain
RIVALRY = 1.0        # how much a rival divides it
USUAL = 0.5          # weight of the usual rivals of gaps reached later on
NEIGHBOUR = 0.3      # part of a rival that a bin is whose gap differs by one
REACH = 0.025        # bins whose gaps differ by less than this are rivals, in capacities
RIVAL = 0.001        # fixed cost of each rival, in capacities
FIRST_PRICE = 0.01   # price of an item before anything is observed, in capacities
PRICE_WEIGHT = 0.6   # weight of the prices in the free energy
PRICE_ITEMS = 4.0    # observed costs that the first price counts for
MEMORY = 0.35        # older costs fade over this share of the items seen ...
MEMORY_ITEMS = 40.0  # ... and this number of items
PRICE_BAND = 0.035   # half width of the smoothing of prices over sizes, in capacities
OPEN_COST = 0.022    # price of a new bin for each capacity of open space per root of items seen
NEW_BIAS = 0.0065    # fixed price of a new bin, in capacities
BAND = 0.3           # width of the narrow smoothing of sizes, in capacities, at one item seen
BAND_POWER = 0.5     # how fast it narrows
WIDER = 3.0          # width of the wide smoothing against the narrow one
WIDE_SHARE = 0.4     # weight of the wide smoothing
GROWTH = 1.06        # the potential is made anew when the items seen have grown so much
FIRST_STEP = 3
TINY = 1e-280


class Packer:
    """Least growth of the mean of market value and free energy of the bins."""

    def __init__(self, capacity: int) -> None:
        c = self.capacity = capacity
        self.sizes = np.zeros(c + 1)     # items by size
        self.paid = np.zeros(c + 1)      # faded sum of their costs
        self.deals = np.zeros(c + 1)     # faded number of them
        self.usual = np.zeros(c + 1)     # faded mean of the rivals at each gap
        self.seen = 0
        self.low = c
        self.next_refresh = 1
        self.temperature = TEMPERATURE * c
        self.spaces = np.arange(c + 1)
        self.stay = np.maximum(np.exp(-self.spaces / self.temperature), TINY)
        self.chains = np.zeros(c + 1)
        self.holds = HOLD * c * (1.0 + HOLD_RIVALRY * np.arange(LEVELS)).reshape(-1, 1)
        self.market = np.tile(self.spaces.astype(float).reshape(-1, 1), LEVELS)
        reach = self.reach = max(1, int(REACH * c))
        side = NEIGHBOUR * (1.0 - np.arange(reach) / reach)
        self.kernel = np.concatenate([side[::-1], [1.0], side])

    def _smooth(self, data: np.ndarray, width: int) -> np.ndarray:
        return np.convolve(data, np.bartlett(2 * width + 3)[1:-1])[width:width + self.capacity + 1]

    def _shares(self, width: int) -> np.ndarray:
        p = self._smooth(self.sizes, width)
        p[:self.low] = 0.0
        return p / p.sum()

    def _refresh(self) -> None:
        c, low = self.capacity, self.low
        width = BAND * c * self.seen ** (-BAND_POWER)
        p = (1.0 - WIDE_SHARE) * self._shares(int(width)) + WIDE_SHARE * self._shares(int(WIDER * width))
        width = int(PRICE_BAND * c)
        total = float(self.deals.sum())
        average = (float(self.paid.sum()) + PRICE_ITEMS * FIRST_PRICE * c) / (total + PRICE_ITEMS)
        price = self._smooth(self.paid, width) + PRICE_ITEMS * average
        price /= self._smooth(self.deals, width) + PRICE_ITEMS
        boost = np.clip(PRICE_WEIGHT * (price - average) / self.temperature, -2.0, 2.0)
        weights = LOOKS * p * np.exp(boost)
        share = 1.0 / (1.0 + USUAL * RIVALRY * self.usual)
        ways = self.stay.copy()
        chains = np.zeros(c + 1)
        value = self.spaces.astype(float)
        market = np.tile(value.reshape(-1, 1), LEVELS)
        for g in range(low, c + 1):
            # the bin may stay as it is: exp(-g / T); or take a size and go on from there
            chains[g] = weights[low:g + 1] @ ways[g - low::-1]
            ways[g] += chains[g] * share[g]
            # the value at which the surplus over the prices pays for holding the bin
            threshold = value[g - low::-1] - price[low:g + 1]
            order = threshold.argsort(kind="stable")
            part = p[low:g + 1][order]
            balance = (self.holds + np.cumsum(part * threshold[order])) / (np.cumsum(part) + 1e-12)
            market[g] = np.maximum(0.0, np.minimum(float(g), balance.min(axis=1)))
            value[g] = market[g, 0]
        self.chains = chains
        self.market = market

    def _potential(self, gaps: np.ndarray, rivals: np.ndarray, equal: np.ndarray) -> np.ndarray:
        ways = self.stay[gaps] + self.chains[gaps] / (1.0 + RIVALRY * rivals)
        energy = -self.temperature * np.log(ways)
        market = self.market[gaps, np.minimum(equal, LEVELS - 1)]
        return (1.0 - MARKET) * energy + MARKET * market + RIVAL * self.capacity * rivals

    def place(self, item: int, residuals: list[int], gap_counts: list[int]) -> int:
        c = self.capacity
        self.sizes[item] += 1.0
        self.seen += 1
        if item < self.low:
            self.low = item
            self.next_refresh = self.seen
        bins = np.array(gap_counts)
        bins[:self.low] = 0
        bins[c] = 0
        rivals = np.convolve(bins.astype(float), self.kernel)[self.reach:self.reach + c + 1]
        rivals[:self.low] = 0.0
        rivals[c] = 0.0
        self.usual += (rivals - self.usual) * max(1.0 / (MEMORY_ITEMS + MEMORY * self.seen), 1.0 / self.seen)
        if self.seen >= self.next_refresh:
            self._refresh()
            self.next_refresh = int(self.seen * GROWTH) + FIRST_STEP
        gaps = np.append(np.flatnonzero(bins), c)
        gaps = gaps[gaps >= item]
        left = gaps - item
        cost = self._potential(left, rivals[left], bins[left])
        cost -= self._potential(gaps, np.maximum(0.0, rivals[gaps] - 1.0), np.maximum(0, bins[gaps] - 1))
        cost[-1] += NEW_BIAS * c + OPEN_COST * float(bins @ self.spaces) * self.seen ** -0.5
        position = int(np.argmin(cost))
        best_gap = int(gaps[position])
        keep = 1.0 - 1.0 / (MEMORY_ITEMS + MEMORY * self.seen)
        self.paid *= keep
        self.deals *= keep
        self.paid[item] += max(-0.1 * c, min(0.2 * c, float(cost[position])))
        self.deals[item] += 1.0
        return len(residuals) if best_gap == c else residuals.index(best_gap)
