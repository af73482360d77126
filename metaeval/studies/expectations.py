"""What users want of runs: preferences between two of them, and the sets of preferences that papers stated."""

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

import pandas as pd

from metaeval.equality import difference

__all__ = ["EXPECTATIONS", "Expectation", "Preference"]


class Preference(NamedTuple):
    """What users want of two runs.

    Attributes
    ----------
    better, worse : str
        The runs: the first is at least as good as the other.
    strict : bool
        Whether it is strictly better; else both may be equally good.

    Examples
    --------
    >>> print(Preference("irb", "frb")), print(Preference("ao", "id", strict=True))
    irb >= frb
    ao > id
    (None, None)
    """

    better: str
    worse: str
    strict: bool = False

    def __str__(self) -> str:
        """Write it as the paper does."""
        return f"{self.better} {'>' if self.strict else '>='} {self.worse}"

    def is_met(self, goodness: "pd.Series[float]") -> bool:
        """Say whether values, more being better, fulfil it."""
        better, worse = float(goodness[self.better]), float(goodness[self.worse])
        lead = float(difference(better, worse, abs(better), abs(worse)))
        return lead > 0 if self.strict else lead >= 0


type Expectation = Callable[[pd.DataFrame], Iterable[Preference]]


def ideal_first(runs: pd.DataFrame) -> list[Preference]:
    """Rank the ideal run at least as high as every other."""
    return [Preference("irb", str(name)) for name in runs.index if name != "irb"]


def overlap_alone(runs: pd.DataFrame) -> list[Preference]:  # noqa: ARG001 - the order is the paper's
    """Keep the order of Kazai et al. by overlap, whatever these runs overlap: irb >= lo >= ao > id > ia > frb."""
    order = ["irb", "lo", "ao", "id", "ia", "frb"]
    return [Preference(a, b, b in {"id", "ia", "frb"}) for a, b in pairwise(order)]


EXPECTATIONS: Mapping[str, Expectation] = MappingProxyType({"ideal": ideal_first, "overlap": overlap_alone})
"""What users want of the six runs (Kazai, Lalmas and de Vries 2004, section 3.3), each a function of their table."""
