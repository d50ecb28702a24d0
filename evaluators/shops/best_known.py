"""Best known makespans of Taillard's job shops, from the public record; nothing of this is proved here.

Source: the record at github.com/ScheduleOpt/benchmarks (instances/manufacturing/jobshop-and-variants), which
names the publication or solver of each value, as of 2026. A pair says proven bound and best known makespan of
an open instance; the best known makespans of all others are reported there as proven.
"""

from __future__ import annotations

from functools import cache

from ...problems.base import Instance
from ...problems.shops import taillard
from ..base import ProofKind, Reference, ReferenceKind

_VALUES = """
1231 1244 1218 1175 1224 1238 1227 1217 1274 1241
1357 1367 1342 1345 1339 1360 1462 1396 1332 1348
1642 1600 1557 1644 1595 1643 1680 1603 1625 1562..1584
1764 1774..1783 1791 1828 2007 1819 1771 1673 1795 1658..1669
1926..2005 1900..1937 1809..1846 1961..1978 1997 1976..2002 1827..1889 1921..1937 1938..1960 1848..1923
2760 2756 2717 2839 2679 2781 2943 2885 2655 2723
2868 2869 2755 2702 2725 2845 2825 2784 3071 2995
5464 5181 5568 5339 5392 5342 5436 5394 5358 5183
"""
_SOURCE = "github.com/ScheduleOpt/benchmarks, as of 2026"


def taillard_best_known(instance: Instance) -> Reference | None:
    """Best known makespan and the literature's bound of one of Taillard's 80 instances, None for others."""
    size = (len(instance.public["routes"]), instance.public["machines"])
    return _table().get(instance.digest) if size in taillard.SIZES else None


@cache
def _table() -> dict[str, Reference]:
    table = {}
    for instance, text in zip(taillard.instances(), _VALUES.split(), strict=True):
        bound, _, value = text.partition("..")
        table[instance.digest] = Reference(
            value=int(value or bound),
            kind=ReferenceKind.BEST_KNOWN,
            bound=int(bound),
            proof=ProofKind.LITERATURE,
            solver="literature",
            version="2026",
            seconds=None,
            source=_SOURCE,
        )
    return table
