# ruff: noqa: RUF002 - Greek letters are meant for people
"""May one stop? From scores or votes in their order of arrival to the pairs that are decided, and when."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import check_choice, check_count, check_list, check_share
from metaeval.base.names import count, first_few, natural_order
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.base.unit import Unit, unit_of
from metaeval.errors import EstimationError, InvalidOptionError, MetaevalError
from metaeval.running.draws import RNGLike, resolve_seed
from metaeval.running.equality import RELATIVE
from metaeval.studies.study import Study
from metaeval.table.arrivals import Arrival, date_columns, of_several, turns_of
from metaeval.table.number_columns import but_for_column
from metaeval.table.scores import Scores, as_scores, oriented_values
from metaeval.table.structure import engine_scores
from metaeval.table.traits import Trait
from metaeval.table.units import design_notes, units_of
from metaeval.table.vote_columns import vote_columns
from metaeval.table.vote_set import Votes
from metaeval.table.votes import as_votes
from metaeval.tests_stat.runs import RunTest, run_test
from metaeval.tests_stat.stopping import (
    FORMS,
    QUANTILES,
    SEQUENTIAL_CORRECTIONS,
    Counts,
    EvidenceForm,
    Sizes,
    count_units,
    decided_pairs,
    fixed_size,
    log_betting_evidence,
    log_sign_evidence,
    log_t_evidence,
    ratio_interval,
    sequence_interval,
    units_expected,
)

_USES: frozenset[Trait] = frozenset({"clusters", "gaps"})
VoteUnit = Literal["vote", "question", "voter"]
_MOST_LOOKS = 500
_SAMPLE = 20
"""Rows that tell whether a column holds dates."""
FEWEST_TO_FORETELL = 5
"""Units of a pair from which on it is foretold when it is decided: of fewer, nearly any difference may come."""
_SKEWED = "ERR"
"""Differences of expected reciprocal rank are so skewed that the t form errs in 7 % of boards in place of 5 %."""
_ASSUMED = "{topics} are taken to have come in the order of their names (2 before 10); `arrival` says another order"
_DATED = "{topics} came in the order of the column {when!r}; `arrival` says another order"
_UNDATED = "{topics} are not taken in the order of {when}: {trouble}; `arrival` says the order"
_VOTED = "votes are taken to have come in the order of their rows; sort the rows where they did not"

_FEW = "{few}: too few to count evidence by, which counts each {unit} instead, so that others may differ"


class _Differences(NamedTuple):
    """One difference a pair and unit; NaN for none. Of scores."""

    sums: Floats
    """Sums over the topics of a unit. Shape (pair, unit)."""
    sizes: Floats
    """Topics of each pair in each unit. Shape (pair, unit)."""
    runs: RunTest | None
    """What runs leave open of each pair, where scores are means over them. Shape of its arrays (pair,)."""

    @property
    def n_units(self) -> int:
        return self.sums.shape[1]

    def counts(self, looks: Ints, order: Ints) -> Counts:
        """Return the counts (pair, look) with the units in this order."""
        return count_units(self.sums[:, order], looks)

    def held(self) -> Sizes:
        """Return how many topics the units hold."""
        sizes = self.sizes
        return Sizes(sizes.sum(axis=1), (sizes**2).sum(axis=1), (np.nan_to_num(self.sums) * sizes).sum(axis=1))


class _Ballots(NamedTuple):
    """Votes, or the sums of a pair's votes within a cluster, that arrive one after another."""

    pair: Ints
    net: Floats
    """Wins of the pair's first system less those of its second, ties being neither."""
    size: Floats
    """Votes of the ballot, as their weights count them."""
    unit: Ints
    """What arrives as a whole: a vote, a question or a voter. Shape of all four (ballot,)."""
    n_pairs: int
    n_units: int

    def counts(self, looks: Ints, order: Ints) -> Counts:
        """Return the counts (pair, look) with the units in this order."""
        position_of_unit = np.empty(self.n_units, dtype=np.int64)
        position_of_unit[order] = np.arange(self.n_units)
        look = np.searchsorted(looks, position_of_unit[self.unit] + 1)
        cell, inside = self.pair * len(looks) + look, look < len(looks)

        def summed(weights: Floats) -> Floats:
            sums = np.bincount(cell[inside], weights[inside], self.n_pairs * len(looks))
            return np.cumsum(sums.reshape(self.n_pairs, len(looks)), axis=1)

        net = self.net
        parts = (np.ones_like(net), net, net**2, (net > 0).astype(np.float64), (net < 0).astype(np.float64))
        return Counts(*map(summed, parts))

    def held(self) -> Sizes:
        """Return how many votes the units hold."""
        parts = (self.size, self.size**2, self.net * self.size)
        return Sizes(*(np.bincount(self.pair, weights, self.n_pairs) for weights in parts))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StoppingStudy(Study):
    """When pairs of systems are decided, if one looks at every look."""

    reported_by: ClassVar[str] = "metaeval.questions.stop.page:stop_report"

    pairs: pd.DataFrame
    """One row a metric and pair; see `to_frame`."""
    paths: pd.DataFrame
    """One row a metric, pair and look: units, log10_evidence and whether the pair is decided then."""
    counted_in: str
    """What arrives: "topic", "cluster", "vote", "question" or "voter"."""
    n_units: int
    look_every: int
    burn_in: int
    forms: tuple[EvidenceForm, ...]
    """The form of evidence of each metric, in their order."""
    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    alpha: float
    correction: str
    n_replays: int
    scores: Scores | None
    """What was asked about, if scores."""
    order_assumed: bool
    """Whether nothing says in which order they came: topics stand by their names, or votes pair by pair."""
    notes: tuple[str, ...]
    provenance: Provenance

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and pair of systems: those decided first come first."""
        return self.pairs.copy()

    def decided(self, metric: str | None = None) -> pd.DataFrame:
        """Return the rows of the pairs that are decided under a metric, by default the first."""
        rows = self.pairs[self.pairs["metric"] == (self.metrics[0] if metric is None else metric)]
        return rows[rows["decided_at"].notna()].reset_index(drop=True)


class _Asked(NamedTuple):
    """The options of the decisions, the step between looks and the seed worked out."""

    alpha: float
    correction: str
    burn_in: int
    look_every: int
    n_replays: int
    seed: int


def study_stopping(  # noqa: PLR0913 - every option of the command
    data: object,
    *,
    arrival: Sequence[str] | str | None = None,
    look_every: int | None = None,
    evidence: EvidenceForm | None = None,
    correction: str = "holm",
    alpha: float = 0.05,
    burn_in: int = 10,
    by: VoteUnit | None = None,
    n_replays: int = 0,
    rng: RNGLike = None,
    provenance: Provenance | None = None,
) -> StoppingStudy:
    r"""Say which pairs of systems are decided, though one looked while topics or votes came in.

    A p-value of a fixed size is wrong where one looks at results as they come and stops when they please. Evidence
    here is an e-process: however often one looks, a pair of equal systems is ever called different with probability α
    at most (of all pairs together, with Holm's steps). One may stop at any time, and go on.

    Parameters
    ----------
    data : Scores, Votes, or anything `metaeval.as_scores` or `metaeval.io.as_votes` takes
        Topics (or votes) in the order in which they came. Topics in clusters arrive as whole clusters, with the last of
        their topics.
    arrival : sequence of str or str, optional
        All topics in their order of arrival, or the name of a column of a frame that says when they came. By default
        the column of dates of a frame or of the file that was read, where each topic has one date; else the order of
        the scores, which are read with topics in the order of their names (2 before 10).
    look_every : int, optional
        Units between two looks; by default every unit, or as many as leave 500 looks.
    evidence : {"t", "sign", "betting"}, optional
        "t" [1]_ [2]_ for differences that are roughly normal; "sign", exact for scores of 0 and 1 and for votes on a
        pair; "betting" [3]_, for scores between 0 and 1 without any law assumed, which needs far more units. By default
        "sign" for scores of 0 and 1 alone and for votes, "betting" for ERR, which is too skewed for t, and "t"
        otherwise and for clusters.
    correction : {"holm", "fdr_bh"}
        Over the pairs of a metric: Holm's steps hold at every look; the procedure of Benjamini and Hochberg on e-values
        [4]_ keeps the false discovery rate at the look at which one stops.
    alpha : float, default 0.05
        Level of the decisions, and of the intervals of the differences.
    burn_in : int, default 10
        Units before the first look.
    by : {"vote", "question", "voter"}, optional
        What of votes comes by itself: all that share it count together, with the last of them. By default question or
        voter, the one of which there are fewer, where a pair has several votes of one, and more than `burn_in` of them
        came; else each vote.
    n_replays : int, default 0
        Random orders in which to replay the arrival: when would pairs have been decided? Each takes as long as the one
        answer, so none is drawn unless asked for; `metaeval stop` replays 200.
    rng : None, int or numpy.random.Generator
        Source of the random orders.
    provenance : Provenance, optional
        A record made before the files were read; one is made here otherwise.

    Returns
    -------
    StoppingStudy
        One row a ``metric``, ``system_a`` and ``system_b`` in ``to_frame()``: ``n`` units that both have; mean
        ``difference`` (of votes: wins less losses per vote) with the interval ``low``, ``high`` that holds at all looks
        at once; ``log10_evidence`` at the last look; ``decided_at``, in units (NaN: not decided); ``winner``, the
        system that is better; ``more``, the units of the pair still expected where it is not decided and all goes on as
        so far, from ``more_low`` to ``more_high`` in nine of ten cases (infinite: not to be expected; NaN: decided, or
        fewer than five units so far); ``fixed``, the units with which a t test at Bonferroni's level finds this
        difference in four of five cases; and with replays ``replay_decided`` (share of them that decide the pair) and
        ``replay_low``, ``replay_median``, ``replay_high``, the units that those took. Of means over runs also
        ``p_runs``, the p-value of the t test with the runs of all units in its error, and ``open_by_runs``, whether
        that alone leaves the pair open: then ``more`` is infinite, for it takes more runs.

    Raises
    ------
    EstimationError
        If there are no more units than `burn_in`.
    InvalidOptionError, ScoresError
        If options or data are outside their rules.

    See Also
    --------
    metaeval.tests_stat.stopping.Stopping : The same evidence in a loop.

    Notes
    -----
    The evidence of the t form is exact for normal differences and measured for others: the looks at real scores made
    equal are in the project's report on stopping. The sign and betting forms hold by theorem.

    Of means over runs (`metaeval.table.runs`) the evidence of units knows nothing of new runs. So it counts as no more
    than 1 / p of the t test with runs in its error, and no interval is narrower than that test's.

    References
    ----------
    .. [1] Gönen, Johnson, Lu and Westfall (2005). The Bayesian two-sample t test. The American Statistician 59(3).
       :doi:`10.1198/000313005X55233`
    .. [2] Pérez-Ortiz, Lardy, de Heide and Grünwald (2024). E-statistics, group invariance and anytime-valid testing.
       Annals of Statistics 52(4). :doi:`10.1214/24-AOS2394`
    .. [3] Waudby-Smith and Ramdas (2024). Estimating means of bounded random variables by betting. Journal of the
       Royal Statistical Society B 86(1). :doi:`10.1093/jrsssb/qkad009`
    .. [4] Wang and Ramdas (2022). False discovery rate control with e-values. Journal of the Royal Statistical
       Society B 84(3). :doi:`10.1111/rssb.12489`

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(4)
    >>> study = study_stopping(rng.normal([[0.2], [0.0], [0.0]], 0.2, (3, 60)))
    >>> study.to_frame()[["system_a", "system_b", "decided_at"]].to_numpy().tolist()
    [['system1', 'system2', 23.0], ['system1', 'system3', nan], ['system2', 'system3', nan]]
    """
    _check(alpha, correction, evidence, look_every, burn_in, n_replays, by)
    columns = getattr(data, "columns", None)
    if columns is not None and vote_columns(list(columns)) is not None:
        data = as_votes(data)
    if isinstance(data, Votes):
        if arrival is not None:
            raise InvalidOptionError("`arrival` is of topics; votes come in the order of their rows; leave it out")
        arrived = _voted(data, evidence, by, burn_in)
    elif by is not None:
        raise InvalidOptionError("`by` is of votes; clusters of topics come with the scores; leave it out")
    else:
        data, order, dated = _in_order(data, arrival)
        arrived = _scored(data, order, evidence, dated=dated, alpha=alpha)
    if arrived.n_units <= burn_in:
        spoken = unit_of(arrived.scores) if arrived.scores is not None else None
        have = count(arrived.n_units, getattr(spoken, arrived.counted_in, arrived.counted_in))
        ways = ["give more", "a lower `burn_in`"]
        if isinstance(data, Votes) and by not in {None, "vote"} and data.n_votes > burn_in:
            ways.append("`by='vote'`")
        message = f"looks begin after {burn_in}, and there are {have}; {', or '.join(ways)}"
        raise EstimationError(message)
    seed = resolve_seed(rng)
    asked = _Asked(alpha, correction, burn_in, look_every or -(-arrived.n_units // _MOST_LOOKS), n_replays, seed)
    pairs, paths = _frames(arrived, asked)
    return StoppingStudy(
        pairs=pairs,
        paths=paths,
        counted_in=arrived.counted_in,
        n_units=arrived.n_units,
        look_every=asked.look_every,
        burn_in=burn_in,
        forms=arrived.forms,
        metrics=arrived.metrics,
        systems=arrived.systems,
        alpha=alpha,
        correction=correction,
        n_replays=n_replays,
        scores=arrived.scores,
        order_assumed=arrived.order_assumed,
        notes=arrived.notes,
        provenance=provenance or record_provenance("study_stopping", random_source=f"seed {seed}"),
    )


def _check(  # noqa: PLR0913, PLR0917 - the options
    alpha: float,
    correction: str,
    evidence: str | None,
    look_every: int | None,
    burn_in: int,
    n_replays: int,
    by: str | None,
) -> None:
    """Refuse options outside their rules."""
    check_share(alpha, "alpha")
    check_choice(correction, "correction", SEQUENTIAL_CORRECTIONS)
    if evidence is not None:
        check_choice(evidence, "evidence", FORMS)
    if by is not None:
        check_choice(by, "by", get_args(VoteUnit))
    check_count(burn_in, "burn_in", least=2)
    check_count(n_replays, "n_replays", zero=True)
    if look_every is not None:
        check_count(look_every, "look_every")


def _frames(arrived: "_Arrived", asked: _Asked) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a row a metric and pair, those decided first before the others, and a row a pair and look."""
    named = _pair_names(arrived.systems)
    rows, paths = [], []
    for metric, stream, form in zip(arrived.metrics, arrived.streams, arrived.forms, strict=True):
        pairs, path = _answered(stream, form, asked)
        if _falls(arrived.scores, metric):  # evidence is of what is better; differences are shown as scores are
            turned = {"difference": -pairs["difference"], "low": -pairs["high"], "high": -pairs["low"]}
            pairs = pairs.assign(**turned)
        ahead = named["system_a"].where(pairs.pop("side") > 0, named["system_b"])
        pairs.insert(6, "winner", ahead.where(pairs["decided_at"].notna()))
        of_metric = pd.concat([named, pairs], axis=1).sort_values("decided_at", kind="stable", na_position="last")
        of_metric.insert(0, "metric", metric)
        rows.append(of_metric)
        paths.append(_long(named, path).assign(metric=metric))
    return pd.concat(rows, ignore_index=True), pd.concat(paths, ignore_index=True)


def _falls(scores: Scores | None, metric: str) -> bool:
    """Say whether lower is better under a metric; of votes it never is."""
    return scores is not None and not bool(scores["higher_is_better"].sel(metric=metric))


# ------------------------------------------------------------------------------------------------------------ what came


type _Stream = _Differences | _Ballots
"""What came of one metric, or of votes, unit by unit."""


class _Arrived(NamedTuple):
    """All that came, in its order."""

    streams: tuple[_Stream, ...]
    """One a metric."""
    forms: tuple[EvidenceForm, ...]
    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    counted_in: str
    n_units: int
    notes: tuple[str, ...]
    scores: Scores | None
    order_assumed: bool = False


def _as_pandas(data: object) -> pd.DataFrame | None:
    """Return a frame of pandas or polars as one of pandas; None for anything else."""
    is_polars = hasattr(data, "to_pandas") and hasattr(data, "columns")
    of_polars = getattr(data, "to_dict", None) if is_polars else None
    frame = data if of_polars is None else pd.DataFrame(of_polars(as_series=False))
    return frame if isinstance(frame, pd.DataFrame) else None


def _in_order(data: object, arrival: Sequence[str] | str | None) -> tuple[object, Sequence[str] | None, Arrival | None]:
    """Return scores, their topics in the order in which they came, and what a column of dates says of it unasked."""
    if isinstance(arrival, str):
        return *_by_column(data, arrival), None
    if arrival is not None:
        return data, arrival, None
    if isinstance(data, xr.DataArray):
        dated = Arrival.of(data.attrs, data["topic"].to_numpy().tolist()) if "topic" in data.coords else None
        return data, (dated.topics or None) if dated else None, dated
    frame = _as_pandas(data)
    columns = {} if frame is None else {str(name): frame[name].head(_SAMPLE).astype(str).tolist() for name in frame}
    dated_columns = date_columns(columns)
    if len(dated_columns) != 1:
        return data, None, of_several(dated_columns) if dated_columns else None
    try:
        scores, order = _by_column(frame, dated_columns[0])
    except MetaevalError as error:  # dates lack, or are no dates of topics
        return data, None, Arrival(dated_columns[0], trouble=str(error).partition(";")[0])
    return scores, order, Arrival(dated_columns[0], tuple(order))


def _by_column(data: object, when: str) -> tuple[object, list[str]]:
    """Return a frame without the column that says when its topics came, and the topics in that order."""
    frame = _as_pandas(data)
    columns = [] if frame is None else list(map(str, frame.columns))
    if frame is None or when not in columns:
        there = f"columns: {first_few(columns)}" if columns else "these scores have no columns"
        rule = "`arrival` lists all topics in the order in which they came, or names the column that says when"
        raise InvalidOptionError(f"{rule}; {when!r} is none ({there})")
    scores = frame.drop(columns=when)
    topics = as_scores(scores, missing="pairwise")["topic"].to_numpy().tolist()
    labels = [list(map(str, names)) for names in (scores.index, *(scores[name] for name in scores))]
    named = next((names for names in labels if {*names} == {*topics}), None)
    if named is None:
        raise InvalidOptionError("no column of the frame names the topics; list them in `arrival`, in their order")
    turns = turns_of(frame[when].dropna().astype(str).unique())
    came = pd.Series(frame[when].astype(str).map(turns).where(frame[when].notna()).to_numpy(), index=named)
    turn_of = came.groupby(level=0).first()
    unclear = came.index[~(came == turn_of.reindex(came.index))]  # a missing date equals none
    if len(unclear):
        name = unclear[0]
        raise InvalidOptionError(
            f"{name!r} has no {when!r}, or several; `arrival` takes a column with one for each topic"
        )
    return scores, sorted(topics, key=lambda topic: turn_of[topic])


def _scored(
    data: object,
    arrival: Sequence[str] | None,
    wanted_form: EvidenceForm | None,
    *,
    dated: Arrival | None,
    alpha: float,
) -> _Arrived:
    """Lay out the differences of scores, topic by topic or cluster by cluster in the order of their last topics."""
    table = as_scores(data, missing="pairwise")
    topics_in_table = table["topic"].to_numpy().tolist()
    arrival_order = topics_in_table if arrival is None else check_list(arrival, "arrival", ["topic 1"])
    scores = engine_scores(table, uses=_USES)
    assumed = arrival is None and topics_in_table == natural_order(topics_in_table)
    turns = {name: number for number, name in enumerate(arrival_order)}
    topics = scores["topic"].to_numpy().tolist()
    if set(topics) - set(turns) or len(turns) < len(arrival_order):
        lacking = sorted(set(topics) - set(turns))
        rule = f"{lacking[0]!r} is missing" if lacking else "a name stands there twice"
        raise InvalidOptionError(f"`arrival` names every topic once, in the order in which they came, and {rule}")
    turn_of_topic = np.array([turns[topic] for topic in topics])
    units = units_of(scores)
    last = np.full(units.n_units, -1)
    np.maximum.at(last, units.unit, turn_of_topic)
    order = np.argsort(last, kind="stable")
    streams, forms = [], []
    metrics = tuple(map(str, scores["metric"].to_numpy()))
    first, second = np.triu_indices(scores.sizes["system"], 1)
    runs = run_test(scores, first, second, alpha=alpha)
    for number, (metric, values) in enumerate(zip(metrics, oriented_values(scores), strict=True)):
        differences = values[first] - values[second]
        differences[np.abs(differences) <= RELATIVE * (np.abs(values[first]) + np.abs(values[second]))] = 0.0
        is_scored = (~np.isnan(differences)).astype(np.float64)
        sums, sizes = units.sums(differences), units.sums(is_scored)
        of_metric = None if runs is None else RunTest(*(array[number] for array in runs))
        streams.append(_Differences(np.where(sizes > 0, sums, np.nan)[:, order], sizes[:, order], of_metric))
        forms.append(_form_of(metric, values, wanted_form, clustered=units.clustered))
    return _Arrived(
        streams=tuple(streams),
        forms=tuple(forms),
        metrics=metrics,
        systems=tuple(map(str, scores["system"].to_numpy())),
        counted_in="cluster" if units.clustered else "topic",
        n_units=units.n_units,
        notes=(
            *but_for_column(scores.attrs.get("notes", ()), dated.column if dated and dated.topics else ""),
            *design_notes(scores),
            *([_ASSUMED.format(**unit_of(scores)._asdict())] if assumed else ()),
            *_notes_on(dated, unit_of(scores)),
        ),
        scores=scores if assumed else scores.assign_attrs(_kept_order(arrival_order, dated)),
        order_assumed=assumed,
    )


def _kept_order(order: Sequence[str], dated: Arrival | None) -> dict[str, str | list[str]]:
    """Return what the scores are to keep of the order in which their topics came."""
    return Arrival(dated.column if dated is not None else "arrival", tuple(order)).as_attributes()


def _notes_on(dated: Arrival | None, unit: Unit) -> list[str]:
    """Say which column gave the order, or why one that could does not."""
    if dated is None:
        return []
    rule = _DATED if dated.topics else _UNDATED
    return [rule.format(when=dated.column, trouble=dated.trouble, **unit._asdict())]


def _form_of(metric: str, values: Floats, wanted_form: EvidenceForm | None, *, clustered: bool) -> EvidenceForm:
    """Return the form of evidence that fits some scores, or refuse the one asked for."""
    scored = values[~np.isnan(values)]
    is_binary = bool(np.isin(scored, (0.0, 1.0)).all())
    bounded = not clustered and scored.min() >= 0.0 and scored.max() <= 1.0
    if wanted_form is None:
        skewed = metric.upper().startswith(_SKEWED)
        return "sign" if is_binary and not clustered else "betting" if skewed and bounded else "t"
    if wanted_form == "sign" and (clustered or not is_binary):
        raise InvalidOptionError("`evidence='sign'` is for scores of 0 and 1 without clusters; take 't' or 'betting'")
    if wanted_form == "betting" and not bounded:
        raise InvalidOptionError("`evidence='betting'` is for scores between 0 and 1 without clusters; take 't'")
    return wanted_form


def _voted(votes: Votes, wanted_form: EvidenceForm | None, by: VoteUnit | None, burn_in: int) -> _Arrived:
    """Lay out votes; those that share a question, or else a voter, arrive together, where there are enough of these."""
    if votes.counted:
        raise EstimationError("these votes are counts, which do not tell in what order they came; give one row a vote")
    n = len(votes.systems)
    first, second = np.minimum(votes.left, votes.right), np.maximum(votes.left, votes.right)
    pair = first * (2 * n - first - 1) // 2 + second - first - 1  # its row in np.triu_indices(n, 1)
    signed = np.where(votes.left < votes.right, 1.0, -1.0) * (2.0 * votes.share - 1.0) * votes.weight
    kinds = ("question", "voter")
    shared: list[str] = [name for name in kinds if name in votes.units and _repeats(pair, votes.units[name])]
    enough = [name for name in shared if votes.n_units(name) > burn_in]
    counted_in: str = by or min(enough, key=votes.n_units, default="vote")
    if counted_in not in {*votes.units, "vote"}:
        raise InvalidOptionError(f"these votes have no {counted_in}s; leave `by` out")
    units = votes.units.get(counted_in, np.arange(len(pair)))
    n_units = int(units.max()) + 1
    key, ballot = np.unique(pair * n_units + units, return_inverse=True)
    net = np.bincount(ballot, signed)
    size = np.bincount(ballot, votes.weight)
    net[np.abs(net) <= RELATIVE * size] = 0.0
    last = np.zeros(n_units, dtype=np.int64)
    np.maximum.at(last, units, np.arange(len(units)))
    position_of_unit = np.empty_like(last)
    position_of_unit[np.argsort(last, kind="stable")] = np.arange(len(last))
    has_only_signs = bool(np.isin(net, (-1.0, 0.0, 1.0)).all())
    fitting_form: EvidenceForm = "sign" if has_only_signs else "t"
    form = wanted_form or fitting_form
    if form == "betting" or (form == "sign" and not has_only_signs):
        raise InvalidOptionError(f"`evidence={form!r}` does not fit these votes; take {fitting_form!r}")
    ballots = _Ballots(key // n_units, net, size, position_of_unit[key % n_units], n * (n - 1) // 2, n_units)
    few = [count(votes.n_units(name), name) for name in shared if name not in enough and by is None]
    notes = (*votes.notes, _VOTED, *(_FEW.format(few=few_units, unit=counted_in) for few_units in few))
    in_blocks = 1 < np.count_nonzero(np.diff(pair)) + 1 == len(np.unique(pair)) < len(pair)
    return _Arrived((ballots,), (form,), ("votes",), votes.systems, counted_in, n_units, notes, None, bool(in_blocks))


def _repeats(pair: Ints, codes: Ints) -> bool:
    """Say whether a pair meets a question or voter twice, so that its votes there are no two of their own."""
    cells = pair * (int(codes.max()) + 1) + codes
    return len(np.unique(cells)) < len(cells)


# ---------------------------------------------------------------------------------------------------------- the answers


def _answered(stream: _Stream, form: EvidenceForm, asked: _Asked) -> tuple[pd.DataFrame, dict[str, Floats]]:
    """Return the row of each pair, and the evidence (pair, look) with the units at each look."""
    looks = np.arange(asked.burn_in, stream.n_units + 1)
    looks = looks[(looks % asked.look_every == 0) | (looks == stream.n_units)]
    order = np.arange(stream.n_units)
    counts = stream.counts(looks, order)
    of_units = _log_evidence(stream, form, asked.alpha, counts, looks, order)
    log_evidence = _within_runs(of_units, stream)
    decided = decided_pairs(log_evidence, alpha=asked.alpha, correction=asked.correction)
    at_last = counts.at(-1)
    low, high = _interval(stream, form, asked.alpha, at_last)
    pairs = pd.DataFrame(
        {
            "n": at_last.n.astype(np.int64),
            "difference": at_last.mean * _units_held(stream, at_last),
            "low": low,
            "high": high,
            "log10_evidence": log_evidence[:, -1] / np.log(10.0),
            "decided_at": (since := _since(decided, looks)),
            "side": np.sign(counts.total[np.arange(len(since)), np.searchsorted(looks, np.nan_to_num(since))]),
        }
    )
    n_pairs, open_pairs = len(pairs), ~decided[:, -1]
    log_threshold = np.log(max(int(open_pairs.sum()), 1) / asked.alpha)
    expected = units_expected(at_last, form, log_threshold, alpha=asked.alpha) - at_last.n
    is_foretold = open_pairs & (at_last.n >= FEWEST_TO_FORETELL)
    for name, units in zip(("more_low", "more", "more_high"), expected, strict=True):
        pairs[name] = np.where(is_foretold, np.maximum(units, 1.0), np.nan)
    pairs["fixed"] = fixed_size(at_last, level=asked.alpha / n_pairs)
    if isinstance(stream, _Differences) and stream.runs is not None:
        alone = decided_pairs(of_units, alpha=asked.alpha, correction=asked.correction)[:, -1]
        pairs = _with_runs(pairs, stream.runs, alone & open_pairs, np.exp(-log_threshold))
    return pairs.assign(**_replayed(stream, form, asked, looks)), {
        "units": looks,
        "log_evidence": log_evidence,
        "decided": decided,
    }


def _within_runs(log_evidence: Floats, stream: _Stream) -> Floats:
    """Return the evidence (pair, look) as far as it holds for new runs: at most 1/p of the t test which counts them."""
    runs = stream.runs if isinstance(stream, _Differences) else None
    if runs is None:
        return log_evidence
    with np.errstate(divide="ignore"):
        return np.minimum(log_evidence, -np.log(runs.p)[:, None])


def _with_runs(pairs: pd.DataFrame, runs: RunTest, by_runs: Flags, level: float) -> pd.DataFrame:
    """Return the rows of pairs with what runs leave open; no number of units decides what they hold at a level."""
    no_number, differ = pairs["decided_at"].isna() & (runs.p > level), runs.p > 0.0
    further = {name: pairs[name].mask(no_number, np.inf) for name in ("more_low", "more", "more_high")}
    ends = {
        "low": np.where(differ, np.minimum(pairs["low"], runs.low), pairs["low"]),
        "high": np.where(differ, np.maximum(pairs["high"], runs.high), pairs["high"]),
    }
    fixed = pairs["fixed"].mask(differ)
    p_runs = np.where(differ, runs.p, np.nan)
    return pairs.assign(**further, **ends, fixed=fixed, p_runs=p_runs, open_by_runs=by_runs)


def _log_evidence(  # noqa: PLR0913, PLR0917 - what each form needs
    stream: _Stream, form: EvidenceForm, alpha: float, counts: Counts, looks: Ints, order: Ints
) -> Floats:
    if form == "betting" and isinstance(stream, _Differences):
        return log_betting_evidence(stream.sums[:, order], looks, alpha=alpha)
    return log_sign_evidence(counts) if form == "sign" else log_t_evidence(counts)


def _since(decided: "np.ndarray[tuple[int, int], np.dtype[np.bool_]]", looks: Ints) -> Floats:
    """Return the units at the look from which on each pair is decided without a break to the last; NaN if it is not."""
    unbroken = np.logical_and.accumulate(decided[:, ::-1], axis=1)[:, ::-1]
    return np.where(unbroken[:, -1], looks[unbroken.argmax(axis=1)], np.nan)


def _units_held(stream: _Stream, counts: Counts) -> Floats:
    """Return how many units there are for each topic or vote, which makes means of sums means over these."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return counts.n / stream.held().total


def _interval(stream: _Stream, form: EvidenceForm, alpha: float, counts: Counts) -> tuple[Floats, Floats]:
    """Return the differences (lower, upper) a topic or vote that the evidence does not exclude."""
    if form == "t":
        ends = ratio_interval(counts, stream.held(), alpha=alpha)
    else:
        differences, scale = stream.sums if isinstance(stream, _Differences) else None, _units_held(stream, counts)
        low, high = sequence_interval(counts, form, alpha=alpha, differences=differences)
        ends = low * scale, high * scale
    if isinstance(stream, _Differences):
        return ends
    low, high = (np.clip(end, -1.0, 1.0) for end in ends)  # of a vote no more is won or lost
    return low, high


def _replayed(stream: _Stream, form: EvidenceForm, asked: _Asked, looks: Ints) -> dict[str, Floats]:
    """Return in how many random orders each pair is decided, and after how many units."""
    if not asked.n_replays:
        return {}
    generator = np.random.default_rng(asked.seed)
    stopped = []
    for _ in range(asked.n_replays):
        order = generator.permutation(stream.n_units)
        of_units = _log_evidence(stream, form, asked.alpha, stream.counts(looks, order), looks, order)
        log_evidence = _within_runs(of_units, stream)
        decided = decided_pairs(log_evidence, alpha=asked.alpha, correction=asked.correction)
        stopped.append(_since(decided, looks))
    sizes = np.stack(stopped, axis=1)
    decided_share = np.isfinite(sizes).mean(axis=1)
    ends = np.full((len(QUANTILES), len(sizes)), np.nan)
    for row in np.flatnonzero(decided_share > 0).tolist():
        ends[:, row] = np.quantile(sizes[row][np.isfinite(sizes[row])], QUANTILES)
    return {"replay_decided": decided_share} | dict(
        zip(("replay_low", "replay_median", "replay_high"), ends, strict=True)
    )


def _pair_names(systems: Sequence[str]) -> pd.DataFrame:
    first, second = np.triu_indices(len(systems), 1)
    names = np.array(systems, dtype=object)
    return pd.DataFrame({"system_a": names[first], "system_b": names[second]})


def _long(named: pd.DataFrame, path: dict[str, Floats]) -> pd.DataFrame:
    """Return one row a pair and look."""
    n_looks = len(path["units"])
    return named.loc[named.index.repeat(n_looks)].assign(
        units=np.tile(path["units"], len(named)),
        log10_evidence=path["log_evidence"].ravel() / np.log(10.0),
        decided=path["decided"].ravel(),
    )
