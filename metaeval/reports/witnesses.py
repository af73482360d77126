"""On which topics a pair, or a first place, rests: a column of a table of pairs, and a sentence behind the first."""

from collections.abc import Iterable, Sequence
from typing import Self

import numpy as np
import pandas as pd

from metaeval.base.names import comma_list
from metaeval.base.unit import unit_of
from metaeval.base.words import name_of_metric, whole
from metaeval.page.tables import Column, right, with_cells
from metaeval.reports.prose import prose
from metaeval.table.scores import Scores
from metaeval.tests_stat.discordant import wins_of_one_size
from metaeval.tests_stat.open_witness import open_witness
from metaeval.tests_stat.requirement_witness import requirement_witness
from metaeval.tests_stat.requirements import Requirements
from metaeval.tests_stat.result import PairwiseResult, is_significant
from metaeval.tests_stat.tails import even_binomial_tail, fewest_by_signs
from metaeval.tests_stat.witnesses import first_places

_PAIR = ["metric", "system_a", "system_b"]
FIGURES = ["n_dropped", "n_units", "rests_on"]
_FEW, _SMALL = 2, 0.02
"""So few topics, or so small a share of them, are said at the top of a page."""
_MOST = 500_000
"""Differences of a metric on which a page spends time; `rests_on()` takes any number."""
say = prose(__name__)


class Rests(str):  # noqa: SLOT000 - it has an attribute
    """A sentence on what an answer rests."""

    few: bool
    """Whether that is next to nothing, so that it stands with the answer."""

    def __new__(cls, words: str, *, few: bool) -> Self:
        """Return the words, which know whether little has to go."""
        sentence = super().__new__(cls, words)
        sentence.few = few
        return sentence


def with_witnesses(pairs: pd.DataFrame, results: Iterable[PairwiseResult]) -> pd.DataFrame:
    """Return rows of pairs with the topics that each significant one rests on, by name; as they are of other tests."""
    tested = [rows for rows in map(_rows, results) if rows is not None]
    if not tested:
        return pairs
    witnesses = pd.concat(tested, ignore_index=True).query("not too_few")[[*_PAIR, *FIGURES]]
    witnesses["rests_on"] = witnesses["rests_on"].map(comma_list)
    joined = pairs[_PAIR].merge(witnesses, on=_PAIR, how="left", validate="many_to_one").set_index(pairs.index)
    joined["rests_on"] = joined["rests_on"].fillna("")
    return pairs.assign(**joined[FIGURES]).astype(dict.fromkeys(FIGURES[:2], "Int64"))


def rests_column(pairs: pd.DataFrame) -> tuple[pd.DataFrame, tuple[Column, ...]]:
    """Return such rows with how many topics they rest on written out, and the column, if any row has some."""
    if "n_dropped" not in pairs or pairs["n_dropped"].isna().all():
        return pairs, ()
    counts = pairs[["n_dropped", "n_units"]].itertuples(index=False)
    cells = [None if n is pd.NA else f"{whole(n)} of {whole(of)}" for n, of in counts]
    return with_cells(pairs, rests=cells).assign(rests_sort=pairs["n_dropped"] / pairs["n_units"]), right(
        rests="Rests on"
    )


def pair_rests(result: PairwiseResult) -> tuple[Rests, ...]:
    """Say on what the one pair that was tested rests, under the metric of which the fewest topics have to go."""
    if (rows := _rows(result)) is None:
        return ()
    if not len(rows):
        return () if (result.unconfirmed() | result.open_by_column()).any() else _open_rests(result)
    row = rows.iloc[0]
    if row["too_few"]:
        return _exact_least(result, rows.iloc[:1], 1)
    under = f" under {name_of_metric(row['metric'])}" if len(result.metrics) > 1 else ""
    words = say("pair rests", row=row, under=under, noun=_noun(result.scores))
    return (Rests(words, few=_is_little(row["n_dropped"], row["n_units"])),)


def _open_rests(result: PairwiseResult) -> tuple[Rests, ...]:
    """Say which one or two topics keep the one pair from being significant."""
    if (witness := open_witness(result)) is None:
        return ()
    under = f" under {name_of_metric(witness.metric)}" if len(result.metrics) > 1 else ""
    return (Rests(say("open rests", witness=witness, under=under, noun=_noun(result.scores)), few=True),)


def answer_and_rests(answer: str, result: PairwiseResult) -> tuple[str, ...]:
    """Return the answer on the one pair and on what it rests: in one paragraph where that is next to nothing."""
    return with_answer(answer, pair_rests(result))


def with_answer(answer: str, rests: Sequence[Rests], *, claimed: bool = True) -> tuple[str, ...]:
    """Return the answer with what it claims and rests on next to nothing, then what else it rests on."""
    near = [sentence for sentence in rests if claimed and sentence.few]
    return (" ".join([answer, *near]), *(sentence for sentence in rests if sentence not in near))


def few_rest(result: PairwiseResult) -> tuple[Rests, ...]:
    """Say how many of many significant pairs rest on next to nothing, and which one on the least."""
    if (rows := _rows(result)) is None or not len(rows):
        return ()
    near = rows[(rows["n_dropped"] <= _FEW) | (rows["share"] <= _SMALL)]
    few = near[~near["too_few"]]
    if not len(few):
        return _exact_least(result, near, len(rows)) if len(near) else ()
    first = few.iloc[0]
    under = f" under {name_of_metric(first['metric'])}" if len(result.metrics) > 1 else ""
    words = {"n": len(few), "row": first, "of": len(rows), "under": under, "noun": _noun(result.scores)}
    return (Rests(say("few rest", most=int(few["n_dropped"].max()), **words), few=len(few) == len(rows)),)


def _exact_least(result: PairwiseResult, rows: pd.DataFrame, of: int) -> tuple[Rests, ...]:
    """Say how many topics two systems must differ on: without some of these, pairs only lack topics for a test."""
    least = fewest_by_signs(result.alpha) - (result.alternative != "two-sided")
    words = {"n": len(rows), "of": of, "least": least, "most": least - 1 + int(rows["n_dropped"].max())}
    return (Rests(say("exact least", **words, alpha=result.alpha, noun=_noun(result.scores)), few=True),)


def requirements_rest(requirements: Requirements, scores: Scores) -> tuple[Rests, ...]:
    """Say on what the requirement rests that rests on the least, of those that are established or contradicted."""
    rows = requirements.to_frame().to_dict("records")
    witnesses = [(requirement_witness(scores, row, alpha=requirements.alpha), row) for row in rows]
    told = [(len(witness.rests_on), witness, row) for witness, row in witnesses if witness is not None]
    if not told:
        return ()
    n_dropped, witness, row = min(told, key=lambda rested: rested[0])
    barely = witness.too_few and n_dropped <= _FEW
    named = {"witness": witness, "row": row, "noun": _noun(scores), "fewest": requirements.fewest}
    words = say("requirement least" if barely else "requirement rests", **named)
    return (Rests(words, few=_is_little(n_dropped, witness.n_units)),)


def first_rests(scores: Scores) -> tuple[Rests, ...]:
    """Say on what the first place under the one metric rests, if one system has it, or that it rests on no choice."""
    rows = first_places(scores)
    if not len(rows) == scores.sizes["metric"] == 1:
        return ()
    row = rows.iloc[0]
    if row["n_dropped"] == row["n_units"]:
        words = say("first everywhere", row=row, noun=_noun(scores))
        return (Rests(words, few=False),) if row["n_units"] > 1 else ()
    return (Rests(say("first rests", row=row, noun=_noun(scores)), few=_is_little(row["n_dropped"], row["n_units"])),)


def _is_little(n_dropped: int, n_units: int) -> bool:
    return bool(n_dropped <= _FEW or n_dropped <= _SMALL * n_units)


def _rows(result: PairwiseResult) -> pd.DataFrame | None:
    """Return what pairs rest on, unless another test was done, or it takes longer than all else on the page.

    Half of the topics are worth naming even where it is an exact test that lacks them; one or two are not.
    """
    if not result.has_witnesses or result.n_pairs * result.n_topics > _MOST:
        return None
    rows = result.rests_on()
    rows = _by_signs_too(result, rows) if "p_exact" in result.data and len(rows) else rows
    return rows.assign(too_few=rows["too_few"] & (rows["n_dropped"] <= _FEW))


def _by_signs_too(result: PairwiseResult, rows: pd.DataFrame) -> pd.DataFrame:
    """Leave of the topics that the one pair rests on those without which the exact sign test leaves it open."""
    pair, scores = [str(result.data[side].item()) for side in ("system_a", "system_b")], result.scores
    if scores is None:
        return rows
    for index, row in rows.iterrows():
        (wins,) = wins_of_one_size(scores.sel(metric=[row["metric"]]), *pair)
        if wins is None:
            continue
        gone = np.arange(1, row["n_dropped"])  # all of them won: without these t falls first
        tail = even_binomial_tail(min(wins) + 0 * gone, sum(wins) - gone).p * (1 + (result.alternative == "two-sided"))
        enough = gone[~is_significant(tail, result.alpha)]
        if len(enough):
            rows.at[index, "n_dropped"], rows.at[index, "rests_on"] = enough[0], row["rests_on"][: enough[0]]  # noqa: PD008 - a tuple
    return rows.assign(share=rows["n_dropped"] / rows["n_units"]).sort_values("share", kind="stable", ignore_index=True)


def _noun(scores: Scores | None) -> str:
    """Return what is left out as a whole."""
    return unit_of(scores).cluster if scores is not None and "cluster" in scores.coords else unit_of(scores).topic
