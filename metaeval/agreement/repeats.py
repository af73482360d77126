"""What a judge that does not repeat itself costs: the variance between its passes, and how many passes are worth it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from metaeval.agreement.crossed_variances import analysed, crossing
from metaeval.base.arrays import Floats
from metaeval.base.checks import check_count, check_share
from metaeval.base.names import first_few
from metaeval.base.results import Result
from metaeval.base.unit import unit
from metaeval.base.words import share, span
from metaeval.errors import EstimationError, InvalidOptionError, ScoresError
from metaeval.table.array import REPEAT
from metaeval.table.scores import Scores
from metaeval.table.structure import engine_scores

_COMPONENTS = ("system", "topic", "system x topic", "repeat", "residual")
_MARK = "#"
_TRIED = (1, 2, 3, 4, 8)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgeRepeats(Result):
    """Components of variance of the scores under one judge."""

    components: pd.DataFrame
    """One row a judge and component (system, topic, system x topic, repeat, residual): ``judge``, ``component``,
    ``variance``, ``share`` (of their sum), ``estimate`` (before negative ones became 0), ``mean_square`` and
    ``degrees_of_freedom``."""
    differences: pd.DataFrame
    """One row a judge: ``judge``, ``topic_variance`` and ``repeat_variance`` of the difference of two systems on one
    topic (twice the components system x topic and residual), and ``repeat_share``, the share that one pass adds."""
    n_systems: int
    n_topics: int
    n_repeats: int

    def _found(self) -> str:
        rows = self.differences
        added = span(rows["judge"], rows["repeat_share"], map(share, rows["repeat_share"]))
        return f"of the variance of a difference on one {unit().topic} one pass of a judge adds {added}"

    def to_frame(self) -> pd.DataFrame:
        """Return the components."""
        return self.components.copy()

    def plan(self, *, repeats: Sequence[int] = _TRIED, n_topics: int | None = None) -> pd.DataFrame:
        r"""Say what the mean over several passes is worth for the difference of two systems.

        Parameters
        ----------
        repeats : sequence of int
            Passes of the judge.
        n_topics : int, optional
            Topics; by default as many as there are.

        Returns
        -------
        pandas.DataFrame
            One row a judge and number of passes: ``judge``, ``repeats``, ``topics``, ``variance`` of a mean difference,
            its ``standard_error``, ``repeat_share`` (how much of the variance passes still explain), and
            ``worth_topics``: with one pass, so many topics would give the same variance.

        Raises
        ------
        InvalidOptionError
            If a number is outside its limits.

        Notes
        -----
        :math:`(\sigma^2_{topic} + \sigma^2_{repeat} / r) / n` with the variances of `differences`. Where a new topic
        costs what a pass does, one pass over more topics is always worth more.
        """
        topics = check_count(self.n_topics if n_topics is None else n_topics, "n_topics", least=1)
        tried = np.array([check_count(number, "repeats", least=1) for number in repeats], dtype=np.float64)
        if not len(tried):
            raise InvalidOptionError("`repeats` is empty; name numbers of passes")
        judges = self.differences["judge"].to_numpy()
        topic_variance, inconstant = (
            self.differences[f"{name}_variance"].to_numpy()[:, None] for name in ("topic", "repeat")
        )
        left = inconstant / tried
        total = topic_variance + left
        with np.errstate(divide="ignore", invalid="ignore"):
            share, worth = left / total, topics * (topic_variance + inconstant) / total
        return pd.DataFrame(
            {
                "judge": np.repeat(judges, len(tried)),
                "repeats": np.tile(tried.astype(np.int64), len(judges)),
                "topics": topics,
                "variance": (total / topics).ravel(),
                "standard_error": np.sqrt(total / topics).ravel(),
                "repeat_share": share.ravel(),
                "worth_topics": worth.ravel(),
            }
        )

    def repeats_needed(self, share: float = 0.05) -> pd.Series:
        """Return by judge how many passes leave at most this share of the variance of a difference to passes.

        More are hardly worth having. NaN where topics make no variance of their own, so that no number is enough.

        Raises
        ------
        InvalidOptionError
            If the share is not between 0 and 1.
        """
        share = check_share(share, "share")
        differences = self.differences.set_index("judge")
        top = differences["repeat_variance"] * (1 - share)
        with np.errstate(divide="ignore", invalid="ignore"):
            asked = np.where(top > 0, top / (differences["topic_variance"] * share), 1.0)
        passes = np.maximum(np.ceil(asked * (1 - 1e-12)), 1.0)
        return pd.Series(np.where(np.isfinite(passes), passes, np.nan), index=differences.index, name="repeats")

    def summary(self) -> pd.DataFrame:
        """Return by judge ``repeat_share``, passes ``needed`` for 5 %, and what these are worth: ``worth_topics``."""
        frame = self.differences[["judge", "repeat_share"]].copy()
        frame["needed"] = self.repeats_needed().reindex(frame["judge"]).to_numpy()
        return frame.merge(self.plan(repeats=[self.n_repeats])[["judge", "topics", "worth_topics"]], on="judge")


def judge_repeats(scores: object) -> JudgeRepeats:
    r"""Estimate how much of the variance of a judge's scores is due to repeats, and how many repeats help.

    Parameters
    ----------
    scores : Scores, or anything `metaeval.as_scores` takes
        Of systems on topics under passes of one judge or several: with a dimension ``repeat``, or with the passes in
        place of metrics, named ``JUDGE#1``, ``JUDGE#2``, … Every judge has the same number of passes, two at least.

    Returns
    -------
    JudgeRepeats
        One row a ``judge`` and ``component`` in ``to_frame()``: ``variance`` (squared units of the scores), its
        ``share`` (0 to 1), the unbounded ``estimate``, ``mean_square`` and ``degrees_of_freedom``. ``differences`` says
        what repeats add to the difference of two systems.

    Raises
    ------
    ScoresError
        If a score is missing on a pass, a judge has one pass only, or judges have different numbers of them.
    InvalidOptionError
        If topics come in clusters or have weights, or passes are not named as above.
    EstimationError
        If all scores under a judge are equal.

    See Also
    --------
    metaeval.models.variances.pilot_variance : the variance that plans of topics start from
    metaeval.agreement.label_agreement.compare_labels : how far the labels of passes agree

    Notes
    -----
    A pass gives labels that all systems on a topic share, and labels of another topic are made independently. So
    repeats are nested in topics and crossed with systems:
    :math:`x_{str} = \mu + s + t + st + r(t) + \epsilon`. With S systems, T topics and R passes, the expected mean
    squares are :math:`\sigma^2_\epsilon` of the residual, :math:`+\, S \sigma^2_r` of repeats,
    :math:`+\, R \sigma^2_{st}` of system x topic, :math:`+\, R \sigma^2_{st} + TR \sigma^2_s` of systems and
    :math:`+\, S \sigma^2_r + R \sigma^2_{st} + SR \sigma^2_t` of topics ([1]_, chapter 3); solved for the components,
    negative ones become 0. The component of repeats moves all systems alike and cancels in a difference; the residual
    does not.

    References
    ----------
    .. [1] Brennan (2001). Generalizability Theory. Springer. :doi:`10.1007/978-1-4757-3456-0`

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> own = rng.normal(size=(1, 6, 40, 1)) + rng.normal(0, 0.5, (1, 6, 40, 4))
    >>> result = judge_repeats(own)
    >>> result.differences.iloc[0, 1:].astype(float).round(2).tolist()
    [1.74, 0.52, 0.23]
    >>> result.repeats_needed().tolist()
    [6.0]
    """
    checked = engine_scores(scores, "variance between repeats")
    values, judges = _passes(checked)
    if not np.isfinite(values).all():
        missing = np.argwhere(~np.isfinite(values))[0]
        system, topic = (checked[dim].to_numpy()[missing[axis]] for axis, dim in ((1, "system"), (2, "topic")))
        raise ScoresError(
            f"judge {judges[missing[0]]!r} has no score for system {str(system)!r} on topic {str(topic)!r} on pass "
            f"{missing[3] + 1}; every pass must be whole"
        )
    mean_squares, freedom, estimates = _analysed(values)
    variances = np.maximum(estimates, 0.0)
    total = variances.sum(axis=1, keepdims=True)
    if not total.all():
        name = judges[int(np.argmin(total[:, 0]))]
        raise EstimationError(f"all scores under {name!r} are equal; there is no variance to divide")
    topic, repeat = 2.0 * variances[:, 2], 2.0 * variances[:, 4]
    with np.errstate(invalid="ignore"):
        share = repeat / (topic + repeat)
    return JudgeRepeats(
        components=pd.DataFrame(
            {
                "judge": np.repeat(np.array(judges, dtype=object), len(_COMPONENTS)),
                "component": list(_COMPONENTS) * len(judges),
                "variance": variances.ravel(),
                "share": (variances / total).ravel(),
                "estimate": estimates.ravel(),
                "mean_square": mean_squares.ravel(),
                "degrees_of_freedom": freedom * len(judges),
            }
        ),
        differences=pd.DataFrame(
            {"judge": judges, "topic_variance": topic, "repeat_variance": repeat, "repeat_share": share}
        ),
        n_systems=values.shape[1],
        n_topics=values.shape[2],
        n_repeats=values.shape[3],
    )


def _passes(scores: Scores) -> tuple[Floats, list[str]]:
    """Return scores as (judge, system, topic, repeat), and the judges."""
    names = [str(name) for name in scores["metric"].to_numpy()]
    if REPEAT in scores.dims:
        if scores.sizes[REPEAT] == 1:
            raise ScoresError("variance between repeats takes two passes of a judge; here is one")
        return scores.transpose("metric", "system", "topic", REPEAT).to_numpy(), names
    parts = [name.rpartition(_MARK) for name in names]
    odd = [name for name, (judge, _, number) in zip(names, parts, strict=True) if not judge or not number.isdecimal()]
    if odd:
        raise InvalidOptionError(
            f"variance between repeats takes scores with a dimension 'repeat', or metrics named JUDGE{_MARK}1, "
            f"JUDGE{_MARK}2, …; here are {first_few(odd)}"
        )
    passes_of: dict[str, list[int]] = {}
    for index, (judge, _, _) in enumerate(parts):
        passes_of.setdefault(judge, []).append(index)
    sizes = {judge: len(places) for judge, places in passes_of.items()}
    if min(sizes.values()) == 1 or len(set(sizes.values())) > 1:
        listed = first_few([f"{judge} {size}" for judge, size in sizes.items()])
        raise ScoresError(f"every judge must have the same number of passes, two at least; here are {listed}")
    values = scores.transpose("metric", "system", "topic").to_numpy()
    return np.stack([np.moveaxis(values[places], 0, -1) for places in passes_of.values()]), list(passes_of)


def _analysed(values: Floats) -> tuple[Floats, list[int], Floats]:
    """Return mean squares, degrees of freedom and components of values (judge, system, topic, repeat)."""
    fits = [
        analysed(crossing(judge_values.transpose(0, 2, 1)[..., None], clusters=None, nested=False, in_item=True))
        for judge_values in values
    ]
    squares, estimates = (
        np.stack(parts) for parts in zip(*((f.strata.mean_squares, f.estimates) for f in fits), strict=True)
    )
    return squares, fits[0].strata.freedom.astype(int).tolist(), estimates
