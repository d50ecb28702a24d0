"""How often intervals of a mean hold it: several methods on skewed laws and laws full of zeros.

    python benchmarks/coverage.py                     Markdown tables, all sample sizes (about ten minutes)
    python benchmarks/coverage.py --sizes 30 --samples 1000
    python benchmarks/coverage.py --bar               how often the search's own bar takes chance for a lead

Each law draws samples by a fixed seed; an interval holds if it has the law's true mean. Samples with fewer
than four values other than 0 are left out, because Gapsmith prints counts there and no interval.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from statistics import NormalDist

import numpy as np
from gapsmith.evaluators.intervals import FEWEST, LEVEL, mean_interval, student
from gapsmith.evaluators.statistics import FEW_LEVEL, SURPASS_LEVEL, surpasses, worse

Array = np.ndarray
Ends = tuple[Array, Array]
"""Low and high ends, one of each for every sample."""
Law = tuple[Callable[[np.random.Generator, tuple[int, int]], Array], float]
"""Draws values of a shape, and their true mean."""

SIZES = (10, 20, 30, 40, 100)
SAMPLES = 4_000
RESAMPLES = 2_000
INNER = 200
"""Resamples of each of the two levels of the double bootstrap (count)."""
DOUBLE_SAMPLES = 1_000
"""Samples that the double bootstrap is measured on (count): it takes as long as all others together."""
CHUNK = 500
BOUNDS = (0.025, 0.975)
NORMAL = NormalDist()


def laws() -> dict[str, Law]:
    """Name → law: of gaps, which are 0 or positive, and of paired differences, which have both signs."""

    def zeros(law: Law, share: float) -> Law:
        return lambda rng, shape: law[0](rng, shape) * (rng.random(shape) >= share), law[1] * (1 - share)

    def difference(law: Law, factor: float = 0.5) -> Law:
        return lambda rng, shape: law[0](rng, shape) - factor * law[0](rng, shape), law[1] * (1 - factor)

    lognormal: Law = (lambda rng, shape: rng.lognormal(0, 1, shape), float(np.exp(0.5)))
    exponential: Law = (lambda rng, shape: rng.exponential(1, shape), 1.0)
    gamma: Law = (lambda rng, shape: rng.gamma(0.5, 1, shape), 0.5)
    outliers: Law = (
        lambda rng, shape: rng.exponential(1, shape) * np.where(rng.random(shape) < 0.1, 10, 1),
        1.9,
    )
    found = {"log-normal (σ = 1)": lognormal, "exponential": exponential, "gamma (shape 0.5)": gamma}
    for word, law in (("log-normal", lognormal), ("exponential", exponential), ("gamma", gamma)):
        found |= {f"{word}, {share:.0%} zeros": zeros(law, share) for share in (0.3, 0.5, 0.7)}
    return {
        **found,
        "exponential, a tenth times ten": outliers,
        "log-normal − half another": difference(lognormal),
        "log-normal, 50% zeros − half another": difference(zeros(lognormal, 0.5)),
        "exponential, 70% zeros − 1.5 another": difference(zeros(exponential, 0.7), 1.5),
        "gamma, 70% zeros − half another": difference(zeros(gamma, 0.7)),
        "log-normal − 1": (lambda rng, shape: rng.lognormal(0, 1, shape) - 1, float(np.exp(0.5)) - 1),
        "normal": (lambda rng, shape: rng.normal(0, 1, shape), 0.0),
    }


def weights(size: int, resamples: int = RESAMPLES, seed: int = 1) -> Array:
    """Shares of the values in resamples, resamples x size, each row a bootstrap draw."""
    drawn = np.random.default_rng(seed).integers(0, size, (resamples, size))
    counts = np.zeros((resamples, size))
    np.add.at(counts, (np.arange(resamples)[:, None], drawn), 1)
    counts /= size
    return counts


def moments(samples: Array) -> tuple[Array, Array, Array]:
    """Mean, standard deviation (of the sample, n − 1) and skewness of each sample."""
    means = samples.mean(axis=1)
    central = samples - means[:, None]
    second = (central**2).mean(axis=1)
    size = samples.shape[1]
    return means, np.sqrt(second * size / (size - 1)), (central**3).mean(axis=1) / second**1.5


def student_t(samples: Array) -> Ends:
    """Student's t."""
    means, deviations, _ = moments(samples)
    reach = student(LEVEL, samples.shape[1] - 1) * deviations / np.sqrt(samples.shape[1])
    return means - reach, means + reach


def johnson(samples: Array) -> Ends:
    """Johnson's modified t (1978): the centre is moved by the skewness."""
    means, deviations, skewness = moments(samples)
    size = samples.shape[1]
    quantile = student(LEVEL, size - 1)
    centre = means + skewness * deviations * (1 + 2 * quantile**2) / (6 * size)
    reach = quantile * deviations / np.sqrt(size)
    return centre - reach, centre + reach


def hall(samples: Array) -> Ends:
    """Hall's cubic transformation of t (1992) with Student's quantiles."""
    means, deviations, skewness = moments(samples)
    size = samples.shape[1]
    quantile = student(LEVEL, size - 1) / np.sqrt(size)
    skewness = np.where(abs(skewness) < 1e-6, 1e-6, skewness)

    def inverse(value: float) -> Array:
        return 3 / skewness * (np.cbrt(1 + skewness * (value - skewness / (6 * size))) - 1)

    return means - deviations * inverse(quantile), means - deviations * inverse(-quantile)


def percentile(samples: Array) -> Ends:
    """Percentile bootstrap (Efron 1979)."""
    low, high = np.quantile(samples @ weights(samples.shape[1]).T, BOUNDS, axis=1)
    return low, high


def bca(samples: Array) -> Ends:
    """Bias-corrected and accelerated bootstrap (Efron 1987)."""
    means, _, skewness = moments(samples)
    drawn = np.sort(samples @ weights(samples.shape[1]).T, axis=1)
    below = (drawn < means[:, None]).mean(axis=1) + (drawn == means[:, None]).mean(axis=1) / 2
    bias = np.array([NORMAL.inv_cdf(min(max(share, 1e-4), 1 - 1e-4)) for share in below])
    acceleration = skewness / (6 * np.sqrt(samples.shape[1]))

    def end(probability: float) -> Array:
        moved = bias + NORMAL.inv_cdf(probability)
        shares = [NORMAL.cdf(value) for value in bias + moved / (1 - acceleration * moved)]
        places = np.clip((np.array(shares) * (RESAMPLES + 1)).astype(int) - 1, 0, RESAMPLES - 1)
        ends: Array = drawn[np.arange(len(samples)), places]
        return ends

    return end(BOUNDS[0]), end(BOUNDS[1])


def studentised(samples: Array) -> tuple[Array, Array, Array]:
    """Mean and its standard error of each sample, and the studentised means of its resamples."""
    means = samples.mean(axis=1)
    shares, size = weights(samples.shape[1]).T, samples.shape[1]
    drawn = samples @ shares
    spread = np.sqrt(np.maximum(samples**2 @ shares - drawn**2, 0))
    error = samples.std(axis=1) / np.sqrt(size - 1)
    moved = drawn - means[:, None]
    flat = spread < 1e-9 * samples.std(axis=1)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(flat, np.sign(moved) * np.inf, moved / spread * np.sqrt(size - 1))
    return means, error, np.where(flat & (moved == 0), 0, found)


def bootstrap_t(samples: Array) -> Ends:
    """Bootstrap-t, equal tails."""
    means, error, drawn = studentised(samples)
    low, high = np.quantile(drawn, BOUNDS, axis=1, method="inverted_cdf")
    return means - high * error, means - low * error


def symmetric_t(samples: Array) -> Ends:
    """Bootstrap-t, symmetric."""
    means, error, drawn = studentised(samples)
    reach = np.quantile(abs(drawn), LEVEL, axis=1, method="inverted_cdf") * error
    return means - reach, means + reach


def double(samples: Array) -> Ends:
    """Double bootstrap: percentiles that a second level of resamples calibrates (Beran 1987)."""
    outer = weights(samples.shape[1], INNER, 2)
    inner = weights(samples.shape[1], INNER, 3)
    ends = []
    for sample in samples:
        drawn = outer @ sample
        places = np.floor(outer * len(sample) + 0.5).astype(int)
        rows = np.stack([np.repeat(sample, row) for row in places])
        shares = (rows @ inner.T <= sample.mean()).mean(axis=1)
        ends.append(np.quantile(drawn, np.quantile(shares, BOUNDS)))
    low, high = np.array(ends).T
    return low, high


def shipped(samples: Array) -> Ends:
    """What Gapsmith prints."""
    ends = [mean_interval(sample) or (np.nan, np.nan) for sample in samples.tolist()]
    low, high = np.array(ends).T
    return low, high


METHODS: dict[str, Callable[[Array], Ends]] = {
    "shipped": shipped,
    "Student's t": student_t,
    "percentile": percentile,
    "BCa": bca,
    "bootstrap-t": bootstrap_t,
    "symmetric bootstrap-t": symmetric_t,
    "double bootstrap": double,
    "Johnson's t": johnson,
    "Hall's t": hall,
}


def drawn(law: Law, size: int, samples: int, seed: int) -> Array:
    """Samples of a law that have an interval, samples x size."""
    found = law[0](np.random.default_rng([seed, size]), (samples, size))
    return found[(found != 0).sum(axis=1) >= FEWEST]


def coverage(method: Callable[[Array], Ends], samples: Array, mean: float) -> tuple[float, float]:
    """How often a method's interval has the true mean (percent), and its median width over Student's t's."""
    parts = [samples[start : start + CHUNK] for start in range(0, len(samples), CHUNK)]
    low, high = (np.concatenate(ends) for ends in zip(*map(method, parts), strict=True))
    plain = student_t(samples)
    width = float(np.median(high - low) / np.median(plain[1] - plain[0]))
    return 100 * float(((low <= mean) & (mean <= high)).mean()), width


def table(size: int, samples: int) -> Iterator[str]:
    """Lines of a Markdown table of one sample size."""
    yield f"n = {size}:\n"
    yield f"| law | {' | '.join(METHODS)} | width |"
    yield "|---" * (len(METHODS) + 2) + "|"
    for name, law in laws().items():
        found = drawn(law, size, samples, 7)
        cells, widths = [], {}
        for word, method in METHODS.items():
            some = found[:DOUBLE_SAMPLES] if word == "double bootstrap" else found
            share, widths[word] = coverage(method, some, law[1])
            cells.append(f"{share:.1f}")
        yield f"| {name} | {' | '.join(cells)} | {widths['shipped']:.2f} |"


def bar(size: int, samples: int) -> Iterator[str]:
    """Lines of a table: how often two programs that are equal on average are told apart (percent)."""
    equal = {
        "normal": lambda rng, shape: rng.normal(0, 1, shape),
        "log-normal − another": lambda rng, shape: rng.lognormal(0, 1, shape) - rng.lognormal(0, 1, shape),
        "normal, 80% zeros": lambda rng, shape: rng.normal(0, 1, shape) * (rng.random(shape) > 0.8),
        "log-normal − its mean": lambda rng, shape: rng.lognormal(0, 1, shape) - np.exp(0.5),
        "log-normal's mean − log-normal": lambda rng, shape: np.exp(0.5) - rng.lognormal(0, 1, shape),
    }
    for name, law in equal.items():
        rows, zeros = law(np.random.default_rng([3, size]), (samples, size)), np.zeros(size)
        shares = [100 * np.mean([worse(row, zeros, level) for row in rows]) for level in (0.05, 0.1, 0.2)]
        shares.append(100 * np.mean([surpasses(row, zeros) for row in rows]))
        yield f"| {size} | {name} | {' | '.join(f'{share:.1f}' for share in shares)} |"


def main() -> None:
    """Reads the command line and prints the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", help="sample sizes [default: 10 20 30 40 100]")
    parser.add_argument("--samples", type=int, help=f"of each law and size [default: {SAMPLES}, --bar 1000]")
    parser.add_argument("--bar", action="store_true", help="the search's bar in place of the intervals")
    asked = parser.parse_args()
    if asked.bar:
        print("| n | differences | level 0.05 | 0.1 | 0.2 ", end="")
        print(f"| bar of a champion ({SURPASS_LEVEL:g}, few {FEW_LEVEL:g}) |\n{'|---' * 6}|")
    for size in asked.sizes or ((8, 24, 40) if asked.bar else SIZES):
        for line in bar(size, asked.samples or 1_000) if asked.bar else table(size, asked.samples or SAMPLES):
            print(line, flush=True)
        if not asked.bar:
            print()


if __name__ == "__main__":
    main()
