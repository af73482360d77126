"""Conclusions about systems under each judge, beside the reference and beside people, with intervals over topics.

A judge that labels other topics than people did, or more of them, is compared as it stands and at the same number of
topics: much of what it finds beyond them could not be shown on few topics. A judge that labels a part of people's
topics is compared with them on that part.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from metaeval.agreement.decisions import agreement_counts, agreement_shares
from metaeval.agreement.judge_measures import MEASURES, SIGNED, judge_measures
from metaeval.base.arrays import Floats
from metaeval.base.checks import check_choice, check_count, check_share, t_half_width
from metaeval.base.names import first_few
from metaeval.base.results import Figure, Result
from metaeval.base.unit import unit
from metaeval.base.words import number, span_of
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.resampling.agreement_interval import verdicts_of_draws
from metaeval.resampling.options import check_test
from metaeval.running.draws import RNGLike, bootstrap_counts, bootstrap_indices, resolve_rng
from metaeval.running.equality import RELATIVE, settle
from metaeval.running.parallel import in_one_order
from metaeval.table.scores import Scores, better_direction
from metaeval.table.structure import engine_scores
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.result import PairwiseResult

_FEWEST_DEFINED = 0.9
_MOST_NAMED = 10
_OF_REFERENCE = ("reference_power", "reference_power_low", "reference_power_high", "n_reference", "reference_set")
PEOPLE = "people"
"""The row that stands for a second person, whoever it is."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgeConclusions(Result):
    """Agreement of conclusions under judges with those under the reference."""

    table: pd.DataFrame
    """One row a judge (``judge``), "people" last where there are some (``kind``: "judge" or "people"): ``n_topics``, of
    which ``n_common`` are the reference's; with ``_low`` and ``_high`` correlations of the systems' means with those
    under the reference (``tau``, ``tau_ap`` and ``tau_ap_b``, the readings of ties of `metaeval.agreement.tau_ap`,
    ``rho``, ``pearson``; with ``_top`` among the best) and ``power``, ``precision``, ``recall``, ``f1``,
    ``balanced_accuracy``, ``mcc`` and ``type_2`` (`metaeval.agreement.decisions.agreement_errors`);
    ``n_significant``, ``n_shared`` and ``n_conflicts`` (pairs significant under both, in the same direction and in
    opposite ones). A share of no pairs is NaN, and F1 where no pair is significant under either. Of people these are
    means over the choices of persons, and intervals are over topics and persons. A judge with a single topic has
    correlations alone: nothing can be tested there.

    ``reference_power`` with its interval and ``n_reference`` are the share and number of significant pairs under the
    reference on its topics in that comparison (NaN on a single topic). ``topic_set`` numbers sets of topics: judges
    with different ones are not comparable by any figure. ``reference_set`` does so for those of the reference; people
    have a row for each."""
    choices: pd.DataFrame
    """One row a choice of persons and set of the reference's topics: ``choice``, ``weight``, the columns of ``table``
    without intervals, and ``reference_set``."""
    beside_people: pd.DataFrame
    """One row a judge and measure: ``judge``, ``measure``, ``difference`` (judge less people), ``low``, ``high``, over
    the same topics and persons drawn, and ``spread``, the standard deviation of the difference over them. Empty
    without people."""
    conflicts: pd.DataFrame
    """One row a judge and pair significant in opposite directions: ``judge``, ``better`` and ``worse`` under the
    reference."""
    same_number: pd.DataFrame
    """Where judges have other topics than the reference: one row a judge with more of them, at as many topics as the
    reference has: ``judge``, ``n_topics``, ``power``, ``precision``, ``recall``, ``f1`` (means over random choices
    of topics), ``only_with_more``, the share of the pairs found by the judge alone that fewer topics do not show,
    and the Monte-Carlo standard error of each, ``power_error`` and so on. Empty otherwise."""
    reference: str
    n_pairs: int
    test: str
    correction: str
    alpha: float
    confidence_level: float
    top: int
    """Systems behind ``tau_top`` and its like: the best under the reference."""
    n_topics: int
    """Topics of the reference, in all."""
    n_resamples: int
    random_source: str

    def _found(self) -> str:
        taus = span_of(*(self.table[name] for name in ("judge", "tau", "tau_low", "tau_high")), write=number(2))
        return f"τ with the ranking of systems under {self.reference} is {taus}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a judge: the table."""
        return self.table.copy()

    def notes(self) -> list[str]:
        """Say under which judges the scores tell nothing: all systems alike, or no pair apart under the reference."""
        notes, listed = [], partial(first_few, most=_MOST_NAMED)
        none_differs, is_judge = self.table["n_reference"] == 0, self.table["kind"] == "judge"
        if none_differs.any():
            silent = self.table.loc[none_differs & is_judge, "judge"].tolist()
            where = f" on the topics of {listed(silent)}" * (len(self.of_reference) > 1)
            notes.append(
                f"under {self.reference} no pair differs significantly{where}, so precision, recall and F1 of "
                "significant pairs" + " there" * bool(where) + " are undefined, or 0 where some do under a judge"
            )
        people = self.table[self.table["kind"] == PEOPLE].set_index("reference_set")["topic_set"]
        judges = self.table[is_judge & self.table["reference_set"].isin(people.index)]
        unlike = judges.loc[judges["topic_set"] != judges["reference_set"].map(people), "judge"].tolist()
        if unlike:
            topics = unit().topics
            notes.append(
                f"people have other {topics} than {listed(unlike)}, so a difference from a second person is one of "
                f"{topics} too"
            )
        flat = self.table.loc[self.table["tau"].isna(), "judge"].tolist()
        return [*notes, f"no rank correlation where all systems score alike: {listed(flat)}"] if flat else notes

    @property
    def of_reference(self) -> pd.DataFrame:
        """Return one row a set of the reference's topics that judges are compared on, with the power there."""
        return self.table[[*_OF_REFERENCE]].drop_duplicates("reference_set", ignore_index=True)

    def tested(self) -> pd.DataFrame:
        """Return the rows of judges beside the people under whom pairs could be tested, as they could on two topics."""
        return self.table[(self.table["kind"] == "judge") & self.table["n_conflicts"].notna()]

    @property
    def comparable(self) -> bool:
        """Return whether all judges beside the people have the same topics, so that figures may rank them."""
        return len(set(self.table.loc[self.table["kind"] == "judge", "topic_set"])) <= 1

    def _draw(self) -> Figure:
        """Draw F1 of the pairs significant under each judge, as a prediction of those under the reference."""
        from metaeval.figures.label_agreement import agreement_dots  # noqa: PLC0415 - matplotlib

        dots = self.table[["judge", "f1", "f1_low", "f1_high"]].set_axis(["name", "value", "low", "high"], axis=1)
        return agreement_dots(dots, label=f"F1 of significant pairs with those of {self.reference}")


@in_one_order
def judge_conclusions(  # noqa: PLR0913 - every option is one question
    scores: Scores | Mapping[str, Scores],
    *,
    reference: str,
    people: Mapping[str, float] | Sequence[str] = (),
    test: str = "t",
    correction: str | None = None,
    alpha: float = 0.05,
    top: int = 10,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    n_rounds: int = 100,
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> JudgeConclusions:
    r"""Decide whether systems would be judged alike if a judge labelled instead of the reference.

    See Also
    --------
    metaeval.agreement.decision_agreement

    Notes
    -----
    Precision, recall and F1 are those of the significant pairs under the judge as a prediction of those under the
    reference [1]_. An interval is :math:`x \pm t\, d \sqrt{n/(n-1)}` with n topics, n - 1 degrees of freedom and d the
    root mean square distance of the resamples from x, cut to the statistic's range, as in
    `metaeval.resampling.agreement_intervals`; where more than a tenth of the resamples leave it undefined, or all
    give the same, there is none; of precision, recall and F1 of 0 or 1 it is no narrower than Clopper and Pearson's
    interval of as many independent pairs. A difference from people is cut to what the judge's own interval leaves
    possible beside anybody. On resampled topics t and the bootstraps decide by the closed form they come close to.
    Common topics are drawn jointly for all judges; where a judge has topics of its own they are drawn by
    themselves. A judge all of whose topics are topics of the reference is compared with the reference, and with the
    people who have them, on these alone. For people a choice of persons is drawn with every resample of topics, so
    that the interval is over both [2]_.

    References
    ----------
    .. [1] Ogilvie and Lalmas (2006). Investigating the exhaustivity dimension in content-oriented XML element retrieval
       evaluation. CIKM, section 3.4.
    .. [2] Voorhees (2000). Variations in relevance judgments and the measurement of retrieval effectiveness. IP&M.
       :doi:`10.1016/S0306-4573(00)00010-8`

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> scores = simulate_scores(n_systems=8, n_topics=40, metrics=["AP", "nDCG@10"], rng=1)
    >>> scores = scores.assign_coords(metric=["human", "judge"])
    >>> found = judge_conclusions(scores, reference="human", n_resamples=200, rng=0)
    >>> found.table[["judge", "n_shared", "n_conflicts"]].to_numpy().tolist()
    [['judge', 5.0, 0.0]]
    """
    check_share(alpha, "alpha")
    check_share(confidence_level, "confidence_level")
    check_count(top, "top", least=3)
    check_count(n_resamples, "n_resamples", least=2)
    check_count(n_rounds, "n_rounds", least=1)
    test_name, correction_name = check_test(test, correction)
    sides = _sides(scores)
    names = list(sides)
    n_systems = next(iter(sides.values())).sizes["system"]
    if n_systems < 2:  # noqa: PLR2004 - a pair
        raise ScoresError(f"conclusions are about pairs of systems, and there is {n_systems}; score another too")
    check_choice(reference, "judge", names)
    weights = _weights(people, names, reference)
    judges = [name for name in names if name != reference and name not in weights]
    if len(names) < 2:  # noqa: PLR2004 - a reference and another
        raise ScoresError(f"conclusions are compared with those of another judge, and there is only {reference}")
    source = resolve_rng(rng)
    drawing, testing, choosing, fewer = source.generator.spawn(4)
    question = _TestOptions(test, correction, alpha, n_resamples, testing, n_threads, top, confidence_level)
    parts = [
        _beside(family, reference, weights, question, drawing, choosing)
        for family in _families(sides, reference, judges, weights)
    ]
    frames = {
        name: pd.concat([getattr(family_part, name) for family_part in parts], ignore_index=True)
        for name in _ConclusionPart._fields
    }
    sets = dict.fromkeys([*frames["table"]["reference_set"], *frames["table"]["topic_set"]])
    numbers = {topics: number for number, topics in enumerate(sets, 1)}
    for name, column in (("table", "reference_set"), ("table", "topic_set"), ("choices", "reference_set")):
        frames[name][column] = frames[name][column].map(numbers)
    frames["table"] = frames["table"].sort_values("kind", kind="stable", ignore_index=True)  # people last
    return JudgeConclusions(
        **frames,
        same_number=_at_the_same_number(sides, reference, judges, question, n_rounds, fewer),
        reference=reference,
        n_pairs=n_systems * (n_systems - 1) // 2,
        test=test_name,
        correction=correction_name,
        alpha=float(alpha),
        confidence_level=float(confidence_level),
        top=int(top),
        n_topics=sides[reference].sizes["topic"],
        n_resamples=int(n_resamples),
        random_source=source.description,
    )


class _TestOptions(NamedTuple):
    """How pairs are tested."""

    test: str
    correction: str | None
    alpha: float
    n_resamples: int
    generator: np.random.Generator
    n_threads: int | None
    top: int
    confidence_level: float


class _ConclusionPart(NamedTuple):
    """What is concluded under some judges: parts of `JudgeConclusions`, with topics in place of numbers of sets."""

    table: pd.DataFrame
    choices: pd.DataFrame
    beside_people: pd.DataFrame
    conflicts: pd.DataFrame


class _Concluded(NamedTuple):
    """Verdicts and means under every judge, on the topics at hand and on resampled ones."""

    verdict: NDArray[np.int8]  # (judge, pair)
    means: Floats  # (judge, system), higher is better
    drawn: NDArray[np.int8]  # (resample, judge, pair)
    drawn_means: Floats  # (resample, judge, system)
    tested: NDArray[np.bool_]  # (judge,); on one topic nothing is
    pairs: pd.DataFrame  # system_a, system_b


def _sides(scores: Scores | Mapping[str, Scores]) -> dict[str, Scores]:
    """Return by judge scores of one metric, on one topic or more."""
    purpose = "conclusions under judges"
    if not isinstance(scores, Mapping):
        table = engine_scores(scores, purpose, fewest=1)
        names = [str(name) for name in table["metric"].to_numpy()]
        return {name: table.isel(metric=[index]) for index, name in enumerate(names)}
    sides: dict[str, Scores] = {}
    for name, judge_scores in scores.items():
        table = engine_scores(judge_scores, purpose, fewest=1)
        if table.sizes["metric"] != 1:
            raise ScoresError(f"scores under {name} must hold one metric, not {table['metric'].to_numpy().tolist()}")
        sides[str(name)] = table.assign_coords(metric=[str(name)])
    systems = {tuple(judge_scores["system"].to_numpy().tolist()) for judge_scores in sides.values()}
    if len(systems) > 1:
        raise ScoresError("the systems must be the same under every judge, in the same order")
    return sides


def _families(
    sides: Mapping[str, Scores], reference: str, judges: Sequence[str], weights: Mapping[str, float]
) -> Iterator[dict[str, Scores]]:
    """Yield judges by the topics that they are compared on: those of the reference, or the part that they have."""
    reference_topics = _topics_of(sides[reference])
    topics_of = {name: _topics_of(sides[name]) for name in judges}
    parts: dict[frozenset[str], list[str]] = {}
    for name in judges:
        parts.setdefault(
            frozenset(topics_of[name] if set(topics_of[name]) < set(reference_topics) else reference_topics), []
        ).append(name)
    for topics, members in parts.items() or [(frozenset(reference_topics), [])]:
        wanted = {reference, *weights, *members}
        yield {
            name: side.sel(topic=[topic for topic in _topics_of(side) if topic in topics])
            if name not in members and topics <= {*_topics_of(side)}
            else side
            for name, side in sides.items()
            if name in wanted
        }


def _topics_of(scores: Scores) -> tuple[str, ...]:
    return tuple(scores["topic"].to_numpy().tolist())


def _beside(  # noqa: PLR0913, PLR0917 - a comparison and what it draws with
    sides: Mapping[str, Scores],
    reference: str,
    weights: Mapping[str, float],
    asked: _TestOptions,
    drawing: np.random.Generator,
    choosing: np.random.Generator,
) -> _ConclusionPart:
    """Compare what is concluded under some judges, and people, with what is concluded under the reference."""
    names, n_resamples = list(sides), asked.n_resamples
    judges = [name for name in names if name != reference and name not in weights]
    level = asked.confidence_level
    concluded = _concluded(sides, asked, n_resamples, drawing)
    places = np.argsort(-concluded.means[names.index(reference)], kind="stable")[: asked.top]
    reference_index, best = names.index(reference), np.sort(places)
    seen = judge_measures(concluded.verdict[None], concluded.means[None], reference_index, best, concluded.tested)
    drawn = judge_measures(concluded.drawn, concluded.drawn_means, reference_index, best, concluded.tested)
    chosen = _chosen(weights, names, n_resamples, choosing)
    freedom = min(len(side["topic"]) for side in sides.values()) - 1
    people_weights = np.array([weights.get(name, 0.0) for name in names])
    topics = {name: frozenset(_topics_of(of_judge)) for name, of_judge in sides.items()}
    power = float(seen["power"][0, reference_index])
    ends = _interval(power, drawn["power"][:, reference_index], freedom, level, 0.0)
    found_there = (power, *ends, float(seen["n_significant"][0, reference_index]), topics[reference])
    of_reference = dict(zip(_OF_REFERENCE, found_there, strict=True))
    rows, beside = [], []
    for name in [*judges, *([PEOPLE] if weights else [])]:
        of_judge = people_weights if name == PEOPLE else (np.array(names) == name).astype(np.float64)
        picked = chosen if name == PEOPLE else np.full(n_resamples, names.index(name))
        row: dict[str, object] = {"judge": name, "kind": "people" if name == PEOPLE else "judge"}
        labelled = topics[name if name in sides else next(iter(weights))]
        row["n_topics"] = len(labelled)
        own, of_truth = float(_mean(seen["n_significant"][0], of_judge)), found_there[3]
        either = own + of_truth - float(_mean(seen["n_shared"][0], of_judge))
        n_pairs = {"precision": own, "recall": of_truth, "f1": either}
        for measure in MEASURES:
            value = float(_mean(seen[measure][0], of_judge))
            values, least = drawn[measure][np.arange(n_resamples), picked], -1.0 if measure in SIGNED else 0.0
            low, high = _interval(value, values, freedom, level, least)
            if measure in n_pairs:
                low, high = _no_surer(value, low, high, n_pairs[measure], level)
            row |= {measure: value, f"{measure}_low": low, f"{measure}_high": high}
            if weights and name != PEOPLE:
                apart = value - float(_mean(seen[measure][0], people_weights))
                resampled = values - drawn[measure][np.arange(n_resamples), chosen]
                # people lie between the ends of the range, so beside them a judge is no further off than beside those
                low, high = (end if np.isfinite(end) else value for end in (low, high))
                low, high = _interval(apart, resampled, freedom, level, low - 1.0, high - least)
                apart_row = {"difference": apart, "low": low, "high": high, "spread": _spread(resampled, freedom)}
                beside.append({"judge": name, "measure": measure, **apart_row})
        row |= {count: float(_mean(seen[count][0], of_judge)) for count in ("n_significant", "n_shared", "n_conflicts")}
        rows.append({**row, "n_common": len(labelled & topics[reference]), **of_reference, "topic_set": labelled})
    columns = [*MEASURES, "n_significant", "n_shared", "n_conflicts"]
    return _ConclusionPart(
        table=pd.DataFrame(rows),
        choices=pd.DataFrame(
            [
                {"choice": name, "weight": weight, "reference_set": topics[reference]}
                | {column: seen[column][0, names.index(name)] for column in columns}
                for name, weight in weights.items()
            ],
            columns=["choice", "weight", *columns, "reference_set"],
        ),
        beside_people=pd.DataFrame(beside, columns=["judge", "measure", "difference", "low", "high", "spread"]),
        conflicts=_conflicts(concluded, names, judges, reference),
    )


def _weights(people: Mapping[str, float] | Sequence[str], names: Sequence[str], reference: str) -> dict[str, float]:
    weight_of = dict(people) if isinstance(people, Mapping) else dict.fromkeys(people, 1.0)
    for name, weight in weight_of.items():
        check_choice(name, "judge", names)
        if name == reference or not weight > 0:
            message = f"`people` must name judges beside the reference, with weights above 0, not {name!r}: {weight!r}"
            raise InvalidOptionError(message)
    total = sum(weight_of.values())
    return {name: weight / total for name, weight in weight_of.items()}


def _concluded(
    sides: Mapping[str, Scores], asked: _TestOptions, n_resamples: int, generator: np.random.Generator
) -> _Concluded:
    """Test under every judge; judges with the same topics are tested, and their topics drawn, together."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, judge_scores in sides.items():
        groups.setdefault(tuple(judge_scores["topic"].to_numpy().tolist()), []).append(name)
    systems = next(iter(sides.values()))["system"].to_numpy()
    n_systems = len(systems)
    order = {name: index for index, name in enumerate(sides)}
    n_pairs = n_systems * (n_systems - 1) // 2
    verdict = np.zeros((len(sides), n_pairs), dtype=np.int8)
    drawn = np.zeros((n_resamples, len(sides), n_pairs), dtype=np.int8)
    means = np.zeros((len(sides), n_systems))
    drawn_means = np.zeros((n_resamples, len(sides), n_systems))
    tested = np.zeros(len(sides), dtype=np.bool_)
    first, second = np.triu_indices(n_systems, 1)
    pairs = pd.DataFrame({"system_a": systems[first], "system_b": systems[second]})
    for members in groups.values():
        together = _stacked([sides[name] for name in members])
        places = [order[name] for name in members]
        topics = bootstrap_indices(generator, n_resamples, together.sizes["topic"])
        tested[places] = together.sizes["topic"] > 1
        if tested[places[0]]:
            result = _compared(together, asked)
            verdict[places] = result.verdicts()
            drawn[:, places] = verdicts_of_draws(
                together, result, topics, alpha=asked.alpha, generator=asked.generator, n_threads=asked.n_threads
            )
        values = together.to_numpy() * better_direction(together)[:, None, None]
        n_topics = values.shape[-1]
        means[places] = settle(values.mean(axis=-1), np.abs(values).mean(axis=-1))
        counts = bootstrap_counts(topics, n_topics).T / n_topics
        at = np.moveaxis(values @ counts, -1, 0), np.moveaxis(np.abs(values) @ counts, -1, 0)
        drawn_means[:, places] = settle(*at)
    return _Concluded(verdict, means, drawn, drawn_means, tested, pairs)


def _stacked(sides: Sequence[Scores]) -> Scores:
    return xr.concat(sides, "metric") if len(sides) > 1 else sides[0]


def _compared(scores: Scores, asked: _TestOptions) -> PairwiseResult:
    drawn = TESTS.find(asked.test).resampled
    return compare_systems(
        scores,
        test=asked.test,
        correction=asked.correction,
        alpha=asked.alpha,
        n_resamples=asked.n_resamples if drawn else None,
        rng=asked.generator if drawn else None,
        n_threads=asked.n_threads,
    )


def _mean(values: Floats, weights: Floats) -> np.float64:
    inside = weights > 0
    return np.float64(values[inside] @ weights[inside])


def _chosen(
    weights: Mapping[str, float], names: Sequence[str], n_resamples: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Draw a choice of persons for every resample."""
    if not weights:
        return np.zeros(n_resamples, dtype=np.int64)
    places = np.array([names.index(name) for name in weights])
    return places[generator.choice(len(places), n_resamples, p=[*weights.values()])]


def _interval(  # noqa: PLR0913, PLR0917 - a value, its resamples and its range
    value: float, values: Floats, freedom: int, confidence_level: float, least: float, most: float = 1.0
) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    few = freedom < 1 or not np.isfinite(value) or len(finite) < _FEWEST_DEFINED * len(values)
    if few or np.ptp(finite) <= RELATIVE:  # of what never varies nothing is known
        return float("nan"), float("nan")
    error = np.sqrt(((finite - value) ** 2).mean() * (freedom + 1) / freedom)
    half = float(t_half_width(error, freedom + 1, confidence_level))
    return max(value - half, least), min(value + half, most)


def _no_surer(value: float, low: float, high: float, n_pairs: float, confidence_level: float) -> tuple[float, float]:
    """Widen the interval of a share of 0 or 1 to Clopper and Pearson's of as many independent pairs."""
    reach = ((1.0 - confidence_level) / 2.0) ** (1.0 / max(n_pairs, 1.0))
    return (min(low, reach) if value == 1.0 else low), (max(high, 1.0 - reach) if value == 0.0 else high)


def _spread(values: Floats, freedom: int) -> float:
    finite = values[np.isfinite(values)]
    if freedom < 1 or len(finite) < max(_FEWEST_DEFINED * len(values), 2):
        return float("nan")
    return float(finite.std() * np.sqrt((freedom + 1) / freedom))


def _conflicts(found: _Concluded, names: Sequence[str], judges: Sequence[str], reference: str) -> pd.DataFrame:
    truth = found.verdict[names.index(reference)]
    rows = []
    for name in judges:
        against = np.flatnonzero(found.verdict[names.index(name)] * truth == -1)
        pairs = found.pairs.iloc[against]
        ahead = truth[against] > 0
        rows.append(
            pd.DataFrame(
                {
                    "judge": name,
                    "better": np.where(ahead, pairs["system_a"], pairs["system_b"]),
                    "worse": np.where(ahead, pairs["system_b"], pairs["system_a"]),
                }
            )
        )
    return pd.concat(rows, ignore_index=True) if rows else pd.DataFrame(columns=["judge", "better", "worse"])


def _at_the_same_number(  # noqa: PLR0913, PLR0917 - a comparison and what it needs
    sides: Mapping[str, Scores],
    reference: str,
    judges: Sequence[str],
    asked: _TestOptions,
    n_rounds: int,
    generator: np.random.Generator,
) -> pd.DataFrame:
    """Compare judges that have more topics than the reference at as many topics as it has."""
    n_topics = sides[reference].sizes["topic"]
    measures = ("power", "precision", "recall", "f1", "only_with_more")
    columns = ["judge", "n_topics", *measures, *(f"{measure}_error" for measure in measures)]
    if n_topics < 2:  # noqa: PLR2004 - on one topic nothing is tested
        return pd.DataFrame(columns=columns)
    truth = _compared(sides[reference], asked).verdicts()[0]
    rows = []
    for name in judges:
        judge_scores = sides[name]
        if judge_scores.sizes["topic"] <= n_topics:
            continue
        result = _compared(judge_scores, asked)
        verdict = result.verdicts()[0]
        topics = np.stack([generator.permutation(judge_scores.sizes["topic"])[:n_topics] for _ in range(n_rounds)])
        drawn = verdicts_of_draws(
            judge_scores, result, topics, alpha=asked.alpha, generator=asked.generator, n_threads=asked.n_threads
        )[:, 0]
        paired = np.stack([drawn, np.broadcast_to(truth, drawn.shape)], axis=1)
        n_rejected, n_shared, _ = agreement_counts(paired)
        shares = agreement_shares(n_rejected, n_shared)
        alone = (verdict != 0) & (truth == 0)
        seen = {
            "power": n_rejected[:, 0] / len(truth),
            **{measure: values[:, 0, 1] for measure, values in shares.items()},
            "only_with_more": (drawn[:, alone] == 0).mean(axis=1) if alone.any() else np.full(n_rounds, np.nan),
        }
        means = pd.DataFrame(seen)[[*measures]].agg(["mean", "sem"])
        rows.append(
            {"judge": name, "n_topics": n_topics}
            | means.loc["mean"].to_dict()
            | means.loc["sem"].add_suffix("_error").to_dict()
        )
    return pd.DataFrame(rows, columns=columns)
