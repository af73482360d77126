"""Has the judge changed? The same items judged twice: what of the change is the judge's, and which conclusions turn."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.agreement.label_agreement import compare_labels, leading_kappa
from metaeval.agreement.labels import as_labels
from metaeval.base.arrays import Flags
from metaeval.base.checks import check_share
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.base.results import Figure
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.io.judged_answers import judged_answers_in
from metaeval.models.judge_drift import split_change
from metaeval.resampling.judge_conclusions import JudgeConclusions, judge_conclusions
from metaeval.resampling.options import check_test
from metaeval.running.draws import RNGLike, resolve_rng, resolve_seed
from metaeval.studies.study import Attempts, Study
from metaeval.table.array import DIMS
from metaeval.table.scores import Scores, as_scores
from metaeval.table.structure import engine_scores
from metaeval.tests_stat.comparison import compare_systems

_BEFORE, _AFTER, _SHIFT = "before", "after", "shift"
_FEWEST, _HALF, _MOST_GRADES = 2, 0.5, 20
RELATIONS = ("opposite", "vanishes", "appears")
"""What may become of a conclusion, beside staying what it is."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgeDriftStudy(Study):
    """What of the change between two dates is the judge's, and what becomes of its conclusions."""

    reported_by: ClassVar[str] = "metaeval.questions.judges.page_drift:drift_report"

    overall: pd.DataFrame
    """Of all outputs that are the same: rows ``shift`` (mean score after less before), ``changed`` (share of scores
    that differ) and, of labels, ``kappa`` between before and after; columns ``value``, ``low``, ``high``, ``p_value``,
    ``p_corrected`` and ``significant``."""
    systems: pd.DataFrame
    """One row a system; see `to_frame`."""
    pairs: pd.DataFrame
    """One row a pair of systems on the items whose outputs are all the same: ``system_a``, ``system_b``,
    ``difference_before``, ``difference_after``, ``significant_before``, ``significant_after``, ``relation``
    ("opposite", "vanishes", "appears", or "" where nothing becomes of it), and ``shift`` of the difference with
    ``shift_significant``. Empty where fewer than two systems have two such items."""
    conclusions: JudgeConclusions | None
    """Precision, recall and F1 of the significant pairs after as a prediction of those before."""
    kappa: str
    """Which kappa: "kappa" or "quadratic_kappa"; nothing where scores are no labels."""
    n_items: int
    """Items scored at both dates."""
    n_conclusive: int
    """Of them those that conclusions are compared on."""
    scores: Scores
    """Those after, on the items of both."""
    metric: str
    outputs_given: bool
    alpha: float
    test: str
    correction: str
    n_resamples: int
    unanswered: Mapping[str, str]
    notes: tuple[str, ...]
    provenance: Provenance

    @property
    def has_changed(self) -> bool:
        """Whether the mean of all same outputs, or of those of some system, has changed significantly."""
        return bool(self.overall.loc["shift", "significant"]) or bool(self.systems["significant"].any())

    def to_frame(self) -> pd.DataFrame:
        """Return one row a system.

        The columns are ``system``, ``n_items``, ``n_same`` (items whose output is the same), ``change`` (mean after
        less before), ``judge`` (the part that is the judge's) and ``system_part`` (the rest), each with ``_low`` and
        ``_high``, ``p_corrected`` and ``significant`` of the judge's part.
        """
        return self.systems.copy()

    def _draw(self) -> Figure:  # type: ignore[override]  # a single picture
        """Draw by how much the judge's scores of the same outputs of every system have changed."""
        from metaeval.figures.systems import baseline_differences  # noqa: PLC0415 - matplotlib

        frame = self.systems.rename(columns={"judge": "mean", "judge_low": "low", "judge_high": "high"})
        frame = frame.assign(metric=self.metric, rank=frame["mean"].rank(ascending=False, method="min").astype(int))
        return baseline_differences(frame, self.metric, baseline="before")


def study_judge_drift(  # noqa: PLR0913 - every option of the question
    before: object,
    after: object,
    *,
    outputs: tuple[pd.DataFrame, pd.DataFrame] | None = None,
    test: str = "t",
    correction: str | None = None,
    alpha: float = 0.05,
    n_resamples: int = 1000,
    rng: RNGLike = None,
    provenance: Provenance | None = None,
) -> JudgeDriftStudy:
    """Ask whether a judge, or a version of it, has changed: the same items judged at two dates.

    Parameters
    ----------
    before, after : Scores or anything `metaeval.as_scores` takes
        Labels or scores of systems by item under the judge, one metric each. Systems and items are matched by name;
        items that were judged once are left out. Clusters are those of `after`. A frame of one row a label has the
        columns of a file of the command: item, and any of topic, system and output.
    outputs : tuple of DataFrame and DataFrame, optional
        What the systems had said at both dates, as texts or what stands for them, such as a hash: items in rows,
        systems in columns. The judge is looked at where both are there and the same; without it, everywhere. By
        default the columns of outputs of the frames.
    test, correction, alpha
        How pairs of systems are tested, two-sided; `alpha` is that of all tests, and one less the level of intervals.
    n_resamples : int, default 1000
        Resamples of items, for kappa and F1.
    rng : None, int or Generator
    provenance : Provenance, optional

    Returns
    -------
    JudgeDriftStudy
        One row a ``system`` in ``to_frame()``, in the unit of the scores: see `JudgeDriftStudy.to_frame`.

    Raises
    ------
    ScoresError
        If fewer than two items, or no system, are in both, or fewer than two outputs are the same.
    InvalidOptionError
        If there are several metrics, or an option is outside its rule.

    See Also
    --------
    metaeval.models.version_drift : two versions of a board
    study_judges : a judge beside a reference

    Notes
    -----
    The judge's part of a system's change is that of the mean score of its unchanged outputs
    (`metaeval.models.judge_drift.split_change`). Conclusions are compared on the items where every system has the same
    output; systems with fewer such outputs than half of their items are left out there.

    Examples
    --------
    >>> before, after = [[0, 1, 1, 0, 1, 0], [1, 1, 0, 1, 0, 1]], [[1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 1, 1]]
    >>> found = study_judge_drift(before, after, rng=0).to_frame()
    >>> found[["change", "judge", "system_part"]].round(3).to_numpy().tolist()
    [[0.333, 0.333, 0.0], [0.333, 0.333, 0.0]]
    """
    check_share(alpha, "alpha")
    test_name, correction_name = check_test(test, correction)
    source = resolve_rng(resolve_seed(rng))
    (before, said), (after, said_after) = judged_answers_in(before, "before"), judged_answers_in(after, "after")
    if outputs is None:
        outputs = both_outputs(said, said_after, ("before", "after"))
    first, second, notes = _both(before, after)
    same = _same_outputs(second, outputs)
    there = np.isfinite(first.to_numpy()[0]) & np.isfinite(second.to_numpy()[0])
    if (same & there).sum() < _FEWEST:
        raise ScoresError("fewer than two outputs are the same in both, so nothing tells a change of the judge")
    split = split_change(first, second, same, alpha=alpha)
    attempt = Attempts(ScoresError, InvalidOptionError, of=second)
    kappa, row = _kappa(first, second, same & there, alpha, n_resamples, source.generator)
    overall = pd.concat([split.overall, row])
    stacked = _where_all_same(first, second, same & there)
    options: Mapping[str, Any] = {"test": test, "correction": correction, "alpha": alpha, "n_resamples": n_resamples}
    question = "Conclusions before and after"
    pairs = attempt(question, partial(_pairs, stacked, options, source.generator))
    conclusions = None
    if pairs is not None and stacked is not None:
        dates = stacked.sel(metric=[_BEFORE, _AFTER])
        ask = partial(judge_conclusions, dates, reference=_BEFORE, confidence_level=1 - alpha, **options)
        conclusions = attempt("Agreement of conclusions", partial(ask, rng=source.generator))
    return JudgeDriftStudy(
        overall=overall,
        systems=split.systems,
        pairs=pd.DataFrame() if pairs is None else pairs,
        conclusions=conclusions,
        kappa=kappa,
        n_items=int(there.any(axis=0).sum()),
        n_conclusive=0 if stacked is None else stacked.sizes["topic"],
        scores=second,
        metric=str(second["metric"].to_numpy()[0]),
        outputs_given=outputs is not None,
        alpha=float(alpha),
        n_resamples=n_resamples,
        test=test_name,
        correction=correction_name,
        unanswered=MappingProxyType(dict(attempt.failed)),
        notes=tuple(dict.fromkeys(notes)),
        provenance=provenance or record_provenance("study_judge_drift", random_source=source.description),
    )


def both_outputs(
    before: pd.DataFrame | None, after: pd.DataFrame | None, tables: tuple[object, object]
) -> tuple[pd.DataFrame, pd.DataFrame] | None:
    """Return what systems had said at both dates; a table without it beside one that has it is refused."""
    if before is not None and after is not None:
        return before, after
    if before is after:
        return None
    lacking, having = tables if before is None else tables[::-1]
    raise InvalidOptionError(f"{having} has a column of outputs and {lacking} has none; add it there")


def _both(before: object, after: object) -> tuple[Scores, Scores, list[str]]:
    """Return both tables on the systems and items that they share, and notes."""
    tables = [
        engine_scores(as_scores(table, missing="pairwise", fewest=1), uses=("gaps", "clusters"), fewest=1)
        for table in (before, after)
    ]
    if any(table.sizes["metric"] > 1 for table in tables):
        raise InvalidOptionError("a change of the judge is one of one metric; give tables of one metric each")
    notes = [note for table in tables for note in table.attrs.get("notes", ())]
    for kind, fewest, words in (("system", 1, "system"), ("topic", _FEWEST, "two items")):
        names, others = (table[kind].to_numpy().tolist() for table in tables)
        shared = [name for name in names if name in set(others)]
        if len(shared) < fewest:
            raise ScoresError(f"no {words} in both tables; are they named alike?")
        if left := len({*names} ^ {*others}):
            notes.append(f"{kind.replace('topic', 'item')}s judged at one date alone, left out: {left:,}")
        tables = [table.sel({kind: shared}) for table in tables]
    return tables[0], tables[1], notes


def _same_outputs(scores: Scores, outputs: tuple[pd.DataFrame, pd.DataFrame] | None) -> Flags:
    """Return which outputs are there and the same: (system, item)."""
    systems, items = (scores[kind].to_numpy().tolist() for kind in ("system", "topic"))
    if outputs is None:
        return np.ones((len(systems), len(items)), dtype=np.bool_)
    first, second = (
        table.rename(index=str, columns=str).reindex(index=items, columns=systems).astype(object) for table in outputs
    )
    return np.asarray(((first == second) & first.notna()).to_numpy().T)


def _kappa(  # noqa: PLR0913, PLR0917 - two tables and how they are compared
    before: Scores, after: Scores, same: Flags, alpha: float, n_resamples: int, generator: np.random.Generator
) -> tuple[str, pd.DataFrame]:
    """Return which kappa there is between labels before and after, and its row; nothing where they are no labels."""
    values = np.stack([table.to_numpy()[0][same] for table in (before, after)], axis=1)
    if (values % 1).any() or not 1 < len(np.unique(values)) <= _MOST_GRADES:
        return "", pd.DataFrame()
    system, item = np.nonzero(same)
    unit = after["cluster" if "cluster" in after.coords else "topic"].to_numpy().astype(str)[item]
    index = pd.MultiIndex.from_arrays(
        [unit, [f"{number}::{name}" for number, name in zip(system, item, strict=True)]], names=["topic", "item"]
    )
    labels = as_labels(pd.DataFrame(values, index=index, columns=[_BEFORE, _AFTER]))
    compared = compare_labels(
        labels, rel=int(labels.scale[-1]), confidence_level=1 - alpha, n_resamples=n_resamples, rng=generator
    )
    pair, name = compared.pairs.iloc[0], leading_kappa(labels)
    row = {"value": pair[name], "low": pair[f"{name}_low"], "high": pair[f"{name}_high"]}
    return name, pd.DataFrame([row], index=["kappa"])


def _where_all_same(before: Scores, after: Scores, same: Flags) -> Scores | None:
    """Return scores before and after, and their differences, of systems on items whose outputs are all the same."""
    chosen = same.sum(axis=1) >= _HALF * same.any(axis=0).sum()
    items = same[chosen].all(axis=0)
    if chosen.sum() < _FEWEST or items.sum() < _FEWEST:
        return None
    first, second = (table.to_numpy()[0][chosen][:, items] for table in (before, after))
    coords = {name: values for name, values in after.isel(topic=items).coords.items() if values.dims == ("topic",)}
    coords |= {"metric": [_BEFORE, _AFTER, _SHIFT], "system": after["system"].to_numpy()[chosen]}
    return as_scores(xr.DataArray(np.stack([first, second, second - first]), dims=DIMS, coords=coords))


def _pairs(scores: Scores | None, options: Mapping[str, Any], generator: np.random.Generator) -> pd.DataFrame:
    """Test every pair of systems before and after, and by how much their difference has shifted."""
    if scores is None:
        raise ScoresError("takes two systems with the same outputs on two items at least")
    result = compare_systems(scores, **options, rng=generator)
    before, after, shift = result.verdicts()
    difference = result.data["difference"].to_numpy()
    became = [before * after < 0, (before != 0) & (after == 0), (before == 0) & (after != 0)]
    return pd.DataFrame(
        {
            "system_a": result.data["system_a"].to_numpy(),
            "system_b": result.data["system_b"].to_numpy(),
            "difference_before": difference[0],
            "difference_after": difference[1],
            "significant_before": before != 0,
            "significant_after": after != 0,
            "relation": np.select(became, RELATIONS, default=""),
            "shift": difference[2],
            "shift_significant": shift != 0,
        }
    )
