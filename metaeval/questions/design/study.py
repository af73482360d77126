"""How many topics should a new collection have? From pilot scores, or a variance alone, to topic-set sizes."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
from scipy.special import gammaincinv

from metaeval.base.arrays import Flags, Floats
from metaeval.base.checks import check_choice, check_list, check_number, check_share
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.base.unit import Unit, speaking_of, unit, unit_of
from metaeval.base.words import absent
from metaeval.errors import EstimationError, InvalidOptionError
from metaeval.models import run_designs, sample_size
from metaeval.models.components import VarianceComponents
from metaeval.models.run_designs import RunParts
from metaeval.models.variances import (
    SIZES,
    PilotVariance,
    VarianceMethod,
    pilot_variance,
    repeat_parts,
    score_variances,
)
from metaeval.studies.study import Study
from metaeval.table.scores import Scores, identical_note, identical_systems
from metaeval.table.structure import engine_scores
from metaeval.tests_stat.tails import fewest_by_signs

Goal = Literal["t", "anova", "interval"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DesignStudy(Study):
    """Number of topics that each design needs, and power or width with the present topics."""

    reported_by: ClassVar[str] = "metaeval.questions.design.page:design_report"

    table: pd.DataFrame
    """One row a metric, method ("t", "anova", "interval") and difference: ``n_topics`` (missing where a ``note`` says
    why), ``variance`` of one system's score, its ``degrees_of_freedom``; and, where scores were given,
    ``pairs_reached``, the share of the pairs of systems for which the ``n_topics`` are enough by the variance of their
    own difference, ``n_topics_for_share``, which are enough for a `share` of the pairs, and ``topics_at_hand`` with the
    ``power_at_hand`` of the tests or the ``width_at_hand`` of the interval. Where whole runs differ: the ``repeats``,
    the ``run_variance`` of a system's mean from run to run, and, where no number of topics is enough with these
    repeats, the ``repeats_needed`` and the ``n_topics_then`` that are, with the fewest scores."""
    variances: PilotVariance | None
    """Where the variances came from; None if a number or components were given."""
    by_components: bool
    """Whether the variances are those of components."""
    alpha: float
    power: float
    share: float
    """Of the pairs of systems, for which ``n_topics_for_share`` are enough."""
    n_systems: int | None
    """Systems in the analysis of variance."""
    calculation: sample_size.DesignMethod
    unit: Unit
    """What the scores are of, topics or items; topics where there are none."""
    notes: tuple[str, ...]
    """What was assumed or left out when the scores were read."""
    provenance: Provenance

    def _unit(self) -> Unit:
        return self.unit

    def to_frame(self) -> pd.DataFrame:
        """Return the table."""
        return self.table.copy()

    def for_differences(self, differences: Sequence[float]) -> pd.DataFrame:
        """Return the table for other differences, everything else as it was asked.

        Examples
        --------
        >>> study = study_design(variance=0.05, differences=[0.1], methods=["t"])
        >>> study.for_differences([0.05, 0.2])[["difference", "n_topics"]]
           difference  n_topics
        0        0.05       316
        1        0.20        22
        """
        differences = check_list(differences, "differences", [0.05])
        first = self.table.drop_duplicates("metric")
        sources = first[[name for name in (*_SOURCE, *_OF_RUNS) if name in first]].to_dict("records")
        at_hand = int(first["topics_at_hand"].iloc[0]) if "topics_at_hand" in first else None
        asked = _DesignCase(0.0, 0.0, self.n_systems or 0, self.power, self.alpha, self.calculation)
        spread = _Spread(_of_several(self.variances), self.share)
        return _answers(sources, list(dict.fromkeys(self.table["method"])), differences, asked, at_hand, spread)


def study_design(  # noqa: PLR0913 - every option of the command
    scores: object = None,
    *,
    components: pd.DataFrame | VarianceComponents | None = None,
    judges: int = 1,
    repeats: int = 1,
    variance: VarianceMethod | float = "residual",
    differences: Sequence[float] = (0.05, 0.1),
    methods: Sequence[Goal] = ("t", "anova", "interval"),
    alpha: float = 0.05,
    power: float = 0.8,
    share: float = 0.9,
    n_systems: int | None = None,
    pairs: Sequence[tuple[str, str]] | None = None,
    calculation: sample_size.DesignMethod = "exact",
    provenance: Provenance | None = None,
) -> DesignStudy:
    """Find how many topics a collection needs for a test to find a difference, or for an interval to be narrow.

    Parameters
    ----------
    scores : Scores, anything `metaeval.as_scores` takes, or a mapping of collection name to Scores, optional
        Pilot scores; several collections are pooled by degrees of freedom. Not needed if `variance` is a number.
    components : DataFrame or VarianceComponents, optional
        Components of variance, in place of scores and `variance`; see `metaeval.models.variances.score_variances`.
    judges, repeats : int, default 1
        With `components`: of every score of the new collection.
    variance : {"residual", "within", "pairs"} or float, default "residual"
        How the variance comes from the scores (see `metaeval.models.variances.pilot_variance`), or the variance of
        one system's score itself. That of a difference of two systems is taken as twice that.
    differences : sequence of float, default (0.05, 0.1)
        Smallest differences worth finding; for "interval" the whole width of the interval.
    methods : sequence of {"t", "anova", "interval"}, default all
        Paired t test of two systems, one-way analysis of variance over `n_systems`, confidence interval of a
        difference.
    alpha : float, default 0.05
        Significance level; one less the confidence level of the interval.
    power : float, default 0.8
        Chance with which the difference is to be found.
    share : float, default 0.9
        Of the pairs of systems: beside the number of topics for their mean variance, the number for this share of them.
    n_systems : int, optional
        Systems in the analysis of variance; as many as in the scores by default.
    pairs : sequence of (str, str), optional
        Pairs of systems for ``variance="pairs"``.
    calculation : {"exact", "approximate"}
        Exact non-central distributions, or Sakai's approximations, for comparison with published tables.
    provenance : Provenance, optional

    Returns
    -------
    DesignStudy
        One row a ``metric``, ``method`` and ``difference`` (in units of the metric) in ``to_frame()``: ``n_topics``
        needed, from ``n_topics_low`` to ``n_topics_high`` by the interval (level 1 - alpha) of a variance that was
        estimated, ``pairs_reached`` and ``n_topics_for_share``, ``power_at_hand`` (0 to 1) and ``width_at_hand`` with
        the ``topics_at_hand``, ``variance`` with its ``degrees_of_freedom``, and a ``note``, "" where there is nothing
        to say. Missing: what a method does not say, or no number reaches.

    Raises
    ------
    EstimationError
        If the scores leave no variance to plan with, or every design would need more than ten million topics.
    ScoresError, InvalidOptionError, UnknownNameError
        As the parts raise them.

    See Also
    --------
    metaeval.questions.topics.study.study_topics

    References
    ----------
    .. [1] Sakai (2016). Topic set size design. Information Retrieval Journal 19, 256-283.
       :doi:`10.1007/s10791-015-9273-z`

    Examples
    --------
    >>> study_design(variance=0.05, differences=[0.1], n_systems=10).table[["method", "n_topics"]]
         method n_topics
    0         t       81
    1     anova      158
    2  interval      156
    """
    methods, differences = _checked(methods, differences)
    check_share(share, "share")
    frame = components.components if isinstance(components, VarianceComponents) else components
    with speaking_of(unit_of(frame)):
        variances = _given_variances(components, scores, variance, judges, repeats)
    named = _collections(scores)
    copies = [] if pairs else [note for collection in named.values() for note in _without_copies(collection)[1]]
    pilots = named if pairs else {name: _without_copies(collection)[0] for name, collection in named.items()}
    estimated = None if variances else _estimate_variance(pilots, variance, pairs)
    collections = list(named.values())
    sizes = [collection.sizes for collection in collections]
    n_systems = n_systems if n_systems is not None else sizes[0]["system"] if sizes else None
    if "anova" in methods and n_systems is None:
        message = "`n_systems` must be given for method 'anova' where there are no scores to count them in"
        raise InvalidOptionError(message)
    at_hand = sizes[0]["topic"] if len(sizes) == 1 else None
    asked = _DesignCase(0.0, 0.0, n_systems or 0, power, alpha, calculation)
    spoken = unit_of(dict(enumerate(collections)) if components is None else frame)
    with speaking_of(spoken):
        spread = _Spread(_of_several(estimated), share)
        sources = _variance_sources(estimated, variances)
        _add_runs(sources, collections, frame, judges, repeats)
        table = _answers(sources, methods, differences, asked, at_hand, spread)
    if table.reindex(columns=["n_topics", "n_topics_then"]).isna().all(axis=None):
        raise EstimationError(str(table["note"].iloc[0]))
    return DesignStudy(
        table=table,
        variances=estimated,
        by_components=components is not None,
        alpha=alpha,
        power=power,
        share=share,
        n_systems=n_systems,
        calculation=calculation,
        unit=spoken,
        notes=tuple(
            dict.fromkeys(
                [
                    *(note for collection in collections for note in collection.attrs.get("notes", ())),
                    *copies,
                    *_notes(components, judges, repeats),
                ]
            )
        ),
        provenance=provenance or record_provenance("study_design"),
    )


_STILL = 1e-9
"""Over the squared difference, in the place of the variance of pairs that are a constant apart: the fewest will do."""
_SOURCE = ("metric", "variance", "degrees_of_freedom")
_OF_RUNS = ("repeats", "run_variance", "repeat_variance", "run_freedom")
_COLUMNS = (
    *(
        "metric",
        "method",
        "difference",
        "n_topics",
        "n_topics_low",
        "n_topics_high",
        "pairs_reached",
        "n_topics_for_share",
    ),
    *("topics_at_hand", "power_at_hand", "width_at_hand"),
    *("repeats_needed", "n_topics_then"),
    *("variance", "degrees_of_freedom", *_OF_RUNS, "note"),
)


@dataclass(frozen=True, slots=True)
class _DesignCase:
    """One question: a difference under a variance."""

    difference: float
    variance: float
    n_systems: int
    power: float
    alpha: float
    method: sample_size.DesignMethod
    runs: RunParts | None = None
    """What repeats add, where whole runs differ; `variance` is that of a score at these repeats."""

    def repeated(self, repeats: int) -> "_DesignCase":
        """Ask the same of more repeats."""
        if self.runs is None:
            return self
        least = self.variance * self.runs.repeats / repeats  # were all of it of repeats
        variance = max(self.variance - self.runs.less_at(repeats), least)
        return replace(self, variance=variance, runs=replace(self.runs, repeats=repeats))

    def error(self, n_topics: Floats, systems: int = 0) -> run_designs.Error:
        """Return the error of a system's mean with runs in it."""
        runs, repeats = (0.0, 1) if self.runs is None else (self.runs.of_mean(), self.runs.repeats)
        return run_designs.mean_error(n_topics, self.variance, runs, repeats, systems=systems)


class _Spread(NamedTuple):
    """How the variance of a difference varies over pairs of systems, and for how many of them topics are to do."""

    variances: Mapping[str, Floats]
    share: float


def _of_several(estimated: PilotVariance | None) -> Mapping[str, Floats]:
    """Return the variances of pairs by metric, where there is more than the one that all numbers rest on."""
    of_pairs = {} if estimated is None else estimated.of_pairs
    return {metric: variances for metric, variances in of_pairs.items() if len(variances) > 1}


def _answers(  # noqa: PLR0913, PLR0917 - what was asked
    sources: Sequence[Mapping[Hashable, object]],
    methods: Sequence[Goal],
    differences: Sequence[float],
    asked: _DesignCase,
    at_hand: int | None,
    spread: _Spread,
) -> pd.DataFrame:
    """Return one row a source of variance, method and difference."""
    rows = []
    for source in sources:
        for method in methods:
            for difference in differences:
                question = replace(
                    asked, difference=float(difference), variance=float(str(source["variance"])), runs=_runs_of(source)
                )
                answer = _answer(method, question, at_hand, spread, str(source["metric"]))
                answer |= _between(method, question, source)
                rows.append(dict(source) | {"method": method, "difference": float(difference)} | answer)
    table = pd.DataFrame(rows)
    counts = [name for name in table if str(name).startswith(("n_topics", "repeats"))]
    table = table.astype(dict.fromkeys(counts, "Int64"))
    return table.reindex(columns=[name for name in _COLUMNS if name in table])


type _Topics = Callable[[_DesignCase], int]
type _Achieved = Callable[[_DesignCase, int], float]


def _answer(method: Goal, asked: _DesignCase, at_hand: int | None, spread: _Spread, metric: str) -> dict[str, object]:
    """Return the topics needed, or why there is no number, for which pairs, and what the topics at hand achieve."""
    fewest, achieved, _ = _GOALS[method]
    n_topics, note = None, ""
    try:
        n_topics = fewest(asked)
    except EstimationError as error:
        note = str(error)
    row: dict[str, object] = {"n_topics": n_topics, "note": note}
    if n_topics is None and asked.runs is not None:
        row |= _with_more_repeats(method, asked, asked.runs)
    if len(variances := spread.variances.get(metric, np.array([]))):
        row |= _of_pairs(method, asked, n_topics, variances, spread.share)
    if at_hand is not None:
        name = "width_at_hand" if method == "interval" else "power_at_hand"
        row |= {"topics_at_hand": at_hand, name: achieved(asked, at_hand)}
    return row


def _with_more_repeats(method: Goal, asked: _DesignCase, runs: RunParts) -> dict[str, object]:
    """Return the repeats and topics that are enough where no number of topics is with these repeats."""
    fewest = _GOALS[method][0]

    def topics_at(repeats: int) -> int | None:
        with suppress(EstimationError):
            return fewest(asked.repeated(repeats))
        return None

    enough = run_designs.fewest_scores(topics_at, runs.repeats)
    if enough is None:
        return {}
    repeats, n_topics = enough
    words = f"; {n_topics:,} {unit().topics} with {repeats:,} repeats are"
    return {"repeats_needed": repeats, "n_topics_then": n_topics, "note": f"{_beyond_runs(runs)}{words}"}


def _beyond_runs(runs: RunParts) -> str:
    times = "1 run" if runs.repeats == 1 else f"{runs.repeats:,} repeats"
    return f"no number of {unit().topics} is enough with {times} of each system, since whole runs differ"


def _runs_of(source: Mapping[Hashable, object]) -> RunParts | None:
    """Return what repeats add by a row of the table; None where nothing is known of runs, or they do not differ."""
    repeats, run, score = (source.get(name) for name in _OF_RUNS[:3])
    if absent(repeats) or not float(str(run)) > 0.0:
        return None
    return RunParts(repeats=int(str(repeats)), run=float(str(run)), score=float(str(score)))


def _add_runs(
    sources: Sequence[dict[Hashable, object]],
    collections: Sequence[Scores],
    components: pd.DataFrame | None,
    judges: int,
    repeats: int,
) -> None:
    """Add to sources what whole runs of systems differ by, from components or from the notes of scores."""
    of_components = {} if components is None else repeat_parts(components, judges=judges, repeats=repeats)
    notes = [note for collection in collections for note in collection.attrs.get("notes", ())]
    for source in sources:
        metric = str(source["metric"])
        parts_of = (of_components[metric], None) if metric in of_components else run_designs.run_parts(notes, metric)
        if parts_of is not None and parts_of[0].run > 0.0:
            parts, freedom = parts_of
            source |= dict(zip(_OF_RUNS, (parts.repeats, parts.run, parts.score, freedom), strict=True))


def _between(method: Goal, asked: _DesignCase, source: Mapping[Hashable, object]) -> dict[str, object]:
    """Return the topics at the ends of the variance's interval, by chi-squared; nothing where it was given.

    Where runs differ their variance is at the same end of its own interval.
    """
    freedom = source["degrees_of_freedom"]
    if freedom is None:
        return {}
    fewest, half = _GOALS[method][0], float(str(freedom)) / 2.0
    ends: dict[str, object] = {"n_topics_low": None, "n_topics_high": None}
    for name, tail in zip(ends, (1.0 - asked.alpha / 2.0, asked.alpha / 2.0), strict=True):
        end = replace(asked, variance=asked.variance * half / float(gammaincinv(half, tail)))
        if asked.runs is not None:
            of_runs = float(str(source["run_freedom"])) / 2.0
            run = asked.runs.run * of_runs / float(gammaincinv(of_runs, tail))
            end = replace(end, runs=replace(asked.runs, run=run))
        with suppress(EstimationError):
            ends[name] = fewest(end)
    return ends


def _of_pairs(
    method: Goal, asked: _DesignCase, n_topics: int | None, variances: Floats, share: float
) -> dict[str, object]:
    """Return for what share of the pairs the topics are enough, and the topics that are for the share asked."""
    fewest, achieved, largest = _GOALS[method]
    if largest is None:
        return {"pairs_reached": np.nan, "n_topics_for_share": None}
    enough, of_share = None, float(np.quantile(variances, share, method="inverted_cdf"))
    with suppress(EstimationError):
        enough = fewest(replace(asked, variance=max(of_share / 2, _STILL * asked.difference**2)))
    if n_topics is None:
        reached = np.nan
    elif asked.runs is None:
        reached = float((variances <= largest(asked, n_topics)).mean())
    else:
        of_each = np.array(
            [achieved(replace(asked, variance=float(variance_of_pair) / 2), n_topics) for variance_of_pair in variances]
        )
        reached = float((of_each <= asked.difference if method == "interval" else of_each >= asked.power).mean())
    return {"pairs_reached": reached, "n_topics_for_share": enough}


def _enough_with_runs(runs: RunParts, enough: Callable[[Floats], Flags]) -> int:
    needed = run_designs.fewest_topics(enough)
    if needed is None:
        raise EstimationError(_beyond_runs(runs))
    return needed


def _t_topics(asked: _DesignCase) -> int:
    fewest = fewest_by_signs(asked.alpha)
    if asked.runs is not None:
        return _enough_with_runs(
            asked.runs,
            lambda n: (
                (run_designs.t_power(asked.error(n), asked.difference, alpha=asked.alpha) >= asked.power)
                & (n >= fewest)
            ),
        )
    needed = sample_size.topic_set_size_for_t(
        asked.difference, 2 * asked.variance, power=asked.power, alpha=asked.alpha, method=asked.method
    )
    return max(needed, fewest)


def _t_power(asked: _DesignCase, n_topics: int) -> float:
    if n_topics < fewest_by_signs(asked.alpha):  # our tests call no pair significant there
        return 0.0
    if asked.runs is not None:
        return float(run_designs.t_power(asked.error(np.array(n_topics)), asked.difference, alpha=asked.alpha))
    return sample_size.paired_t_power(n_topics, asked.difference, 2 * asked.variance, alpha=asked.alpha)


def _t_variance(asked: _DesignCase, n_topics: int) -> float:
    return sample_size.largest_variance_for_t(n_topics, asked.difference, alpha=asked.alpha, power=asked.power)


def _anova_topics(asked: _DesignCase) -> int:
    if asked.runs is not None:
        return _enough_with_runs(asked.runs, lambda n: _f_power(asked, n) >= asked.power)
    return sample_size.topic_set_size_for_anova(
        asked.difference, asked.variance, asked.n_systems, power=asked.power, alpha=asked.alpha, method=asked.method
    )


def _f_power(asked: _DesignCase, n_topics: Floats) -> Floats:
    error = asked.error(n_topics, asked.n_systems)
    return run_designs.f_power(error, asked.difference, asked.n_systems, alpha=asked.alpha)


def _anova_power(asked: _DesignCase, n_topics: int) -> float:
    if asked.runs is not None:
        return float(_f_power(asked, np.array(n_topics)))
    return sample_size.anova_power(
        n_topics, asked.difference, asked.variance, asked.n_systems, alpha=asked.alpha, method=asked.method
    )


def _interval_topics(asked: _DesignCase) -> int:
    if asked.runs is not None:
        return _enough_with_runs(
            asked.runs, lambda n: run_designs.t_width(asked.error(n), alpha=asked.alpha) <= asked.difference
        )
    return sample_size.topic_set_size_for_interval(
        asked.difference, 2 * asked.variance, alpha=asked.alpha, method=asked.method
    )


def _interval_width(asked: _DesignCase, n_topics: int) -> float:
    if asked.runs is not None:
        return float(run_designs.t_width(asked.error(np.array(n_topics)), alpha=asked.alpha))
    return sample_size.interval_width(n_topics, 2 * asked.variance, alpha=asked.alpha, method=asked.method)


def _interval_variance(asked: _DesignCase, n_topics: int) -> float:
    return (asked.difference / sample_size.interval_width(n_topics, 1.0, alpha=asked.alpha, method=asked.method)) ** 2


_GOALS: Mapping[Goal, tuple[_Topics, _Achieved, _Achieved | None]] = {
    "t": (_t_topics, _t_power, _t_variance),
    "anova": (_anova_topics, _anova_power, None),
    "interval": (_interval_topics, _interval_width, _interval_variance),
}
"""Topics needed, what topics achieve, and the largest variance of a difference for which they are enough."""


def _checked(methods: Sequence[Goal], differences: Sequence[float]) -> tuple[list[Goal], list[float]]:
    names, sizes = check_list(methods, "methods", ["t"]), check_list(differences, "differences", [0.05])
    for name in names:
        check_choice(name, "method", get_args(Goal))
    for size in sizes:
        check_number(size, "differences", above=0)
    if not names or not sizes:
        raise InvalidOptionError("at least one method and one difference are needed")
    return names, sizes


def _estimate_variance(
    scores: Mapping[str, Scores], variance: VarianceMethod | float, pairs: Sequence[tuple[str, str]] | None
) -> PilotVariance | None:
    if not isinstance(variance, str):
        return None
    if not scores:
        message = f"`variance={variance!r}` is estimated from scores; give some, or give the variance as a number"
        raise InvalidOptionError(message)
    if (variance == "pairs") != bool(pairs):
        first, second = next(iter(scores.values()))["system"].to_numpy().tolist()[:2]
        way = f"name the pairs, such as `pairs={[(first, second)]!r}`" if not pairs else "pass `variance='pairs'`"
        raise InvalidOptionError(f"`variance='pairs'` is the variance of the pairs that `pairs` names; {way}")
    return pilot_variance(scores, method=variance, pairs=pairs)


def _collections(scores: object) -> dict[str, Scores]:
    if scores is None:
        return {}
    if isinstance(scores, Mapping) and not all(map(_is_of_a_system, scores.values())):
        return {str(name): engine_scores(value, SIZES) for name, value in scores.items()}
    return {"collection1": engine_scores(scores, SIZES)}


def _is_of_a_system(value: object) -> bool:
    """Whether a value of a mapping has the scores of one system: a frame of its results, or numbers in a row."""
    cells: Any = value.values() if isinstance(value, Mapping) else value
    return isinstance(cells, Iterable) and np.ndim(next(iter(cells), ())) == 0


def _without_copies(scores: Scores) -> tuple[Scores, list[str]]:
    """Return the scores without systems that are copies of others, and a note on these."""
    dropped = [name for group in identical_systems(scores) for name in group[1:]]
    names = scores["system"].to_numpy()
    if len(names) - len(dropped) == 1:
        raise EstimationError(f"all {len(names)} systems have the same scores, so there is no variance to plan with")
    return scores.isel(system=~np.isin(names, dropped)), identical_note(dropped, len(names))


def _given_variances(
    components: pd.DataFrame | VarianceComponents | None,
    scores: object,
    variance: VarianceMethod | float,
    judges: int,
    repeats: int,
) -> dict[str, float]:
    """Return the variances that are given by metric: by components, or as a number; none where scores have them."""
    if components is None:
        return {} if isinstance(variance, str) else {"given": check_number(variance, "variance", above=0)}
    if scores is not None or variance != "residual":
        raise InvalidOptionError("`components` stand in place of scores and of `variance`; give one of them")
    return score_variances(
        components if isinstance(components, pd.DataFrame) else components.components, judges=judges, repeats=repeats
    )


def _notes(components: object, judges: int, repeats: int) -> list[str]:
    if components is None:
        return []
    times = [f"{number} {name}" for name, number in (("judges", judges), ("repeats", repeats)) if number > 1]
    mean = f" as the mean of {' and '.join(times)}" if times else ", each judged and run once"
    return [f"variances are those of scores{mean}, by components of variance"]


def _variance_sources(estimated: PilotVariance | None, variances: Mapping[str, float]) -> list[dict[Hashable, object]]:
    if estimated is None:
        return [
            {"metric": name, "variance": variance, "degrees_of_freedom": None} for name, variance in variances.items()
        ]
    return estimated.pooled()[list(_SOURCE)].to_dict("records")
