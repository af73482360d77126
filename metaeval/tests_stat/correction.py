# ruff: noqa: RUF001 - typographic dashes and Greek letters are meant for people
"""The one table of corrections for testing many pairs at once.

The family is, for every test, all the pairs of one metric. With ``alternative="better"`` both directions of every
pair are hypotheses, so the family has twice as many members. Installed packages add rows by the entry points
``metaeval.corrections``: functions of the p-values of a family.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.faults import fault
from metaeval.base.plugins import Plugin, as_given
from metaeval.errors import InvalidOptionError
from metaeval.running.equality import reaches
from metaeval.tests_stat.procedures import Procedure, ProcedureTable

Step = Literal["none", "down", "up"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionSpec(Procedure):
    """One row of the table of corrections: a `Procedure`, and how it is done."""

    levels: Callable[[float, Ints, int], NDArray[np.floating[Any]]]
    """``levels(alpha, place, n)``, proportional to alpha: the level at which the smallest (place 1), second smallest, …
    of n p-values is tested."""
    pair_levels: Callable[[float, Ints, int], NDArray[np.floating[Any]]] | None = None
    """The levels where the hypotheses are those of all pairs of some systems, if others: two that are equal to a third
    one are equal."""
    step: Step = "none"
    """Whether it goes down from the smallest p-value to the first that fails, or up from the largest to the first that
    passes."""
    adjusts: Callable[[Floats], Floats] | None = None
    """Returns the adjusted p-values of one family, where a plug-in's function does so instead of levels."""

    def function(self, families: Floats, *, all_pairs: bool = False) -> Floats:
        """Return adjusted p-values of families (family, hypothesis): the least alpha at which each is rejected.

        That is p over its level at alpha = 1, or what a smaller p-value (step down) or a larger one (step up) asks.
        A hypothesis without a p-value (NaN) was not tested and is none of the family; of `all_pairs` it is retained.
        """
        present = ~np.isnan(families)
        if present.all():
            return self._adjusted(families, self.levels_of(all_pairs))
        if all_pairs and self.pair_levels:
            retained = self._adjusted(np.where(present, families, 1.0), self.pair_levels)
            return np.where(present, retained, np.nan)
        adjusted = np.full_like(families, np.nan)
        for family, tested, answered in zip(families, present, adjusted, strict=True):
            answered[tested] = self._adjusted(family[None, tested], self.levels)[0]
        return adjusted

    def levels_of(self, all_pairs: bool) -> Callable[[float, Ints, int], NDArray[np.floating[Any]]]:  # noqa: FBT001 - as its callers have it
        """Return the levels, of all pairs or of other hypotheses."""
        return (self.pair_levels if all_pairs else None) or self.levels

    def bounds(self, families: Floats, rejected: Flags, alpha: float, *, all_pairs: bool = False) -> Floats:
        """Return up to which p-value each rejected hypothesis would be so, all others as they are; else NaN.

        Shapes: `families, rejected` (family, hypothesis), the latter by adjusted p-values. A step up ends where it
        does, so that the last level that passed is for all; a step down goes on for as long as those that come after a
        hypothesis pass without it, each one place earlier.
        """
        if all_pairs and self.pair_levels:
            families = np.where(np.isnan(families), 1.0, families)  # retained
        bounds = np.full_like(families, np.nan)
        for family, passed, answered in zip(families, rejected, bounds, strict=True):
            ascending = np.sort(family[~np.isnan(family)])
            n, last = len(ascending), int(passed.sum())
            levels = self.levels_of(all_pairs)(alpha, np.arange(1, n + 1), n)
            if last and self.step == "down":
                stops = np.where(reaches(levels[:-1], ascending[1:], levels[:-1]), n, np.arange(1, n))
                until = np.append(np.minimum.accumulate(stops[::-1])[::-1], n)
                answered[passed] = levels[until - 1][np.argsort(np.argsort(family, kind="stable"))[passed]]
            elif last:
                answered[passed] = levels[last - 1]
        return bounds

    def _adjusted(self, families: Floats, levels: Callable[[float, Ints, int], NDArray[np.floating[Any]]]) -> Floats:
        if self.adjusts is not None:
            return np.stack([self.adjusts(family) for family in families])
        n = families.shape[-1]
        order = np.argsort(families, axis=-1)
        asked = np.take_along_axis(families, order, axis=-1) / levels(1.0, np.arange(1, n + 1), n)
        if self.step == "down":
            asked = np.maximum.accumulate(asked, axis=-1)
        elif self.step == "up":
            asked = np.minimum.accumulate(asked[..., ::-1], axis=-1)[..., ::-1]
        adjusted = np.empty_like(families)
        np.put_along_axis(adjusted, order, np.minimum(asked, 1.0), axis=-1)
        return adjusted


@lru_cache(maxsize=32)
def _most_true(n_systems: int) -> tuple[int, ...]:
    """Return how many hypotheses of pairs can be true when at most 0, 1, 2, … are: the largest possible number.

    Systems fall into groups of equal ones, and a group of j has j (j - 1) / 2 true pairs. Bit b of a number says
    whether b true pairs are possible.
    """
    possible = [1, 1]
    for n in range(2, n_systems + 1):
        possible.append(0)
        for group in range(1, n + 1):
            possible[n] |= possible[n - group] << (group * (group - 1) // 2)
    told = np.array([bit == "1" for bit in reversed(f"{possible[n_systems]:b}")])
    return tuple(np.maximum.accumulate(np.where(told, np.arange(len(told)), 0)).tolist())


def _shaffer(alpha: float, place: Ints, n: int) -> Floats:
    """Return the levels of Shaffer's static procedure for the n pairs of some systems."""
    n_systems = round((1 + (1 + 8 * n) ** 0.5) / 2)
    return alpha / np.array(_most_true(n_systems))[n - place + 1]


def _holm(alpha: float, place: Ints, n: int) -> Floats:
    return alpha / (n - place + 1)


def _harmonic(n: int) -> float:
    return float(np.sum(1 / np.arange(1, n + 1)))


_ROWS = (
    CorrectionSpec(
        name="none",
        words="uncorrected",
        described="no correction",
        levels=lambda alpha, place, _: np.full(len(place), alpha),
        synonyms=("no", "uncorrected"),
    ),
    CorrectionSpec(
        name="bonferroni",
        words="Bonferroni",
        described="the Bonferroni correction",
        cite=("dunn1961",),
        levels=lambda alpha, place, n: np.full(len(place), alpha / n),
        synonyms=("bonf",),
    ),
    CorrectionSpec(
        name="holm",
        words="Holm",
        described="Holm's step-down correction",
        cite=("holm1979",),
        levels=_holm,
        step="down",
        synonyms=("holm_bonferroni",),
    ),
    CorrectionSpec(
        name="shaffer",
        words="Shaffer",
        described="Shaffer's static step-down correction, which knows that systems equal to a third one are equal",
        cite=("shaffer1986",),
        levels=_holm,  # of hypotheses of which none follows from others, such as those with a baseline
        pair_levels=_shaffer,
        step="down",
        synonyms=("shaffer_static", "shaffers"),
    ),
    CorrectionSpec(
        name="fdr_bh",
        words="Benjamini–Hochberg",
        described="the Benjamini–Hochberg procedure",
        cite=("benjamini1995",),
        levels=lambda alpha, place, n: alpha * place / n,
        step="up",
        synonyms=("bh", "fdr", "benjamini_hochberg"),  # fdr as R and SciPy read it
    ),
    CorrectionSpec(
        name="fdr_by",
        words="Benjamini–Yekutieli",
        described="the Benjamini–Yekutieli procedure, which keeps the false discovery rate at α under any dependence "
        "between the pairs",
        cite=("benjamini2001",),
        levels=lambda alpha, place, n: alpha * place / (n * _harmonic(n)),
        step="up",
        synonyms=("by", "benjamini_yekutieli"),
    ),
)


def _of_plugin(plugin: Plugin, called: Procedure) -> CorrectionSpec:
    """Return the row of a function that takes p-values (hypothesis,) and returns adjusted ones; it has no levels."""
    function, told = plugin.imported(), called.described

    def adjusts(family: Floats) -> Floats:
        try:
            with np.errstate(all="ignore"):  # what comes of it is looked at
                answer = function(family.copy())
            adjusted = np.asarray(answer, dtype=np.float64)
        except Exception as error:
            raise InvalidOptionError(f"{told} stopped on {family.size} p-values: {fault(error)}") from error
        if adjusted.shape != family.shape or not ((adjusted >= 0) & (adjusted <= 1)).all():
            raise InvalidOptionError(
                f"{told} gave {as_given(answer)} for {family.size} p-values; due are as many numbers from 0 to 1"
            )
        return adjusted

    def no_levels(_: float, __: Ints, ___: int) -> Floats:
        choose = ", ".join(CORRECTIONS.builtin)
        raise InvalidOptionError(f"{told} has adjusted p-values and no levels, which are needed here; choose {choose}")

    return CorrectionSpec(name=called.name, words=called.words, described=told, levels=no_levels, adjusts=adjusts)


FAMILY_WISE = "family-wise"
"""Name of the p-values that a test adjusts itself (randomised max-t, Tukey's HSD)."""

CORRECTIONS = ProcedureTable(
    "correction",
    _ROWS,
    unlisted=Procedure(
        name=FAMILY_WISE,
        words=FAMILY_WISE,
        described="the test's own family-wise p-values",
        synonyms=("fwer",),
    ),
    made=_of_plugin,
)
"""Name to `CorrectionSpec` of what `adjust` knows, in the order of tables, those of installed packages last;
family-wise p-values are named, not listed."""


def adjust(p_values: Floats, correction: str, *, all_pairs: bool = False) -> Floats:
    """Return adjusted p-values: reject where they are at most alpha; NaN is a hypothesis that was not tested.

    Of `all_pairs` of some systems (Shaffer's correction knows more of these; of other hypotheses it is Holm's).
    Shapes: `p_values` (..., hypothesis).

    Examples
    --------
    >>> adjust(np.array([0.01, 0.04]), "bonferroni")
    array([0.02, 0.08])
    """
    correction = CORRECTIONS.canonical(correction)
    if correction == FAMILY_WISE:
        message = f"`correction={FAMILY_WISE!r}` is a test's own; from p-values alone choose {', '.join(CORRECTIONS)}"
        raise InvalidOptionError(message)
    if not p_values.size:
        return p_values.copy()
    families = p_values.reshape(-1, p_values.shape[-1])
    return CORRECTIONS[correction].function(families, all_pairs=all_pairs).reshape(p_values.shape)


def with_levels(names: Iterable[str], what: str) -> tuple[list[str], list[str]]:
    """Return the corrections that go by levels, and notes on what is left out under the others, those of plug-ins.

    Examples
    --------
    >>> with_levels(["holm", "family-wise"], "intervals")
    (['holm', 'family-wise'], [])
    """
    asked = list(names)
    plain = [name for name in asked if name in CORRECTIONS.named and name not in CORRECTIONS.plugins]
    notes = [f"{what} under {name} were left out: they need its levels" for name in asked if name not in plain]
    return plain, notes


def smallest_useful_count(smallest_p: float, *, n_hypotheses: int, correction: str, alpha: float) -> int:
    """Return how many hypotheses must share the smallest possible p before a correction can reject any.

    A resampled p-value cannot fall below 1/(B + 1). Under a step-up correction that is low enough only when at
    least so many hypotheses reach it; 1 means that a single one suffices, and a number above `n_hypotheses` that
    nothing can ever be rejected with so few resamples.

    Examples
    --------
    >>> smallest_useful_count(1 / 1001, n_hypotheses=8256, correction="fdr_by", alpha=0.05)
    1583
    """
    spec = CORRECTIONS.find(correction)
    first = float(spec.levels(alpha, np.array([1]), n_hypotheses)[0])
    needed = max(1, int(np.ceil(smallest_p / first - 1e-9)))
    return needed if spec.step == "up" or needed == 1 else n_hypotheses + 1
