"""Does a claim hold on all collections? Estimates of each, put together, with what to expect of a new one."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, combinations
from types import MappingProxyType
from typing import ClassVar, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
from scipy.special import expit, stdtrit

from metaeval.agreement.labels import Labels
from metaeval.base.arrays import Floats
from metaeval.base.checks import MOST_REPLICATES, check_choice, check_count, check_share, refused
from metaeval.base.names import count, first_few
from metaeval.base.notes import CalledAsFile, Remark
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.base.unit import Unit, speaking_of, unit_of
from metaeval.errors import EstimationError, InvalidOptionError, ScoresError
from metaeval.models.meta_analysis import Alone, Together, combine, combine_these, combine_with_prior
from metaeval.questions.combine.study_estimates import (
    KEYS,
    Drawing,
    agreements,
    differences,
    kappas,
    powers,
    ratios_of_topics,
    worths,
)
from metaeval.running.draws import RNGLike, resolve_seed
from metaeval.studies.study import Study
from metaeval.table.array import DIMS
from metaeval.table.scores import Scores, as_scores, gaps_are_kept
from metaeval.tests_stat.correction import CORRECTIONS, adjust
from metaeval.tests_stat.tails import student_p

Asked = Literal["power", "agree", "topics", "table", "judges"]
ASKED: tuple[Asked, ...] = get_args(Asked)
_ENGINES = {"power": powers, "agree": agreements, "topics": ratios_of_topics}
_TWO = 2
_YEAR, _NUMBER = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)"), re.compile(r"\d+")
_NAMELESS = "score"
"""What a metric is called that a year alone names."""
_LEAST_VARIANCE = 1e-12
"""Of the median one: less comes from topics that hardly differ, and would outweigh all other collections."""
_BY_CHANCE, _LEAST_COMMON = 0.001, 3
"""How seldom, over all pairs, collections of their own topics may count as repeats; topics that a correlation takes."""
_MOST_LEFT_OUT = 200
"""Of more claims it is not computed what they are without each collection."""


class Meaning(NamedTuple):
    """What a measure is, back from the scale on which estimates are put together."""

    natural: Callable[[Floats], Floats]
    compares: bool = False
    """Whether it is a difference or ratio of the first and the second, of which none stands for both alike."""


def _within_one(values: Floats) -> Floats:
    return np.clip(values, -1.0, 1.0)


_KAPPA = Meaning(np.tanh)
MEASURES: Mapping[str, Meaning] = {
    "difference": Meaning(np.positive, compares=True),
    "power": Meaning(_within_one, compares=True),
    "topics": Meaning(np.exp, compares=True),
    **dict.fromkeys(("f1", "precision", "recall"), Meaning(expit)),
    **dict.fromkeys(("kappa", "quadratic_kappa"), _KAPPA),
    "worth": Meaning(np.exp),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CollectionsStudy(Study):
    """Claims over several collections."""

    reported_by: ClassVar[str] = "metaeval.questions.combine.page:combine_report"

    study: str
    """What was asked of each collection."""
    collections: tuple[str, ...]
    """Their names."""
    tables: Mapping[str, Scores]
    """The scores of each; nothing of judges."""
    claims: pd.DataFrame
    """The rows of ``to_frame()``."""
    estimates: pd.DataFrame
    """One row a claim and collection: ``collection``; ``estimate`` with its ``variance``, on the scale on which they
    are put together; ``value`` with ``low`` and ``high``, the same in the unit of the measure, by Student's t where the
    study of one collection has it; ``weight`` in the mean (0 to 1); ``without``, ``without_low`` and ``without_high``,
    the mean without this collection (NaN of two)."""
    bayesian: bool
    """Whether the variance between collections has a prior."""
    confidence_level: float
    alpha: float
    correction: str
    """Of the decisions about pairs, in each collection."""
    notes: tuple[str, ...]
    provenance: Provenance

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics that are compared."""
        columns = {"table": ["metric"], "judges": []}.get(self.study, ["first", "second"])
        return tuple(dict.fromkeys(map(str, self.claims[columns].to_numpy().ravel())))

    def _unit(self) -> Unit:
        return unit_of(self.tables)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a claim.

        What it is about: ``measure``, ``metric``, ``first`` and ``second`` (metrics, systems or judges, the one ahead
        first where they are compared). ``n_collections`` that say something of it; on ``n_above`` of them the first is
        ahead. ``mean`` of the collections with its interval ``low`` to ``high``, ``p_value`` of no difference, and
        ``p_corrected`` over all claims (Holm). ``tau``, the standard deviation between collections on the scale on
        which they are put together (logarithm, logit or Fisher's z of ratios, shares and kappas), ``i2``, the share of
        the variance that it is, and ``p_equal``, the p-value of all collections being alike. ``new_low`` and
        ``new_high``: between which the true value of a new collection is expected. ``here`` from ``here_low`` to
        ``here_high`` with ``p_here`` (and ``p_here_corrected``, Holm): the mean of these collections and no others,
        each weighted by its precision (fixed effects).
        """
        return self.claims

    def of_claim(self, row: int) -> pd.DataFrame:
        """Return the estimates of one claim, by its row in ``to_frame()``."""
        keys = self.claims.loc[row, list(KEYS)]
        return self.estimates[(self.estimates[list(KEYS)] == keys).all(axis=1)].reset_index(drop=True)


def study_collections(  # noqa: PLR0913 - every option of the command
    collections: object,
    *,
    study: Asked | None = None,
    metrics: Sequence[str] | None = None,
    pairs: Sequence[tuple[str, str]] | None = None,
    reference: str | None = None,
    correction: str | None = None,
    alpha: float = 0.05,
    bayesian: bool = False,
    n_topic_resamples: int = 200,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
    n_threads: int | None = None,
    provenance: Provenance | None = None,
) -> CollectionsStudy:
    r"""Say whether a claim about metrics, systems or judges holds on several collections, and on a new one.

    Parameters
    ----------
    collections : mapping of str to Scores or anything `metaeval.as_scores` takes
        Two or more by their names, each with topics of its own. Metrics and systems are the same by their names; a
        metric web_ap of the collection web is ap, and where no metric is on two collections, those that differ in
        a year are one, and so are those of wide tables whose files name none. For judges
        `metaeval.agreement.Labels`, or two tables of scores (human, judge).
    study : {"power", "agree", "topics", "table", "judges"}, optional
        The claim: a metric finds more significant pairs than another; two metrics find the same pairs (logits of F1,
        precision and recall); a metric needs fewer topics (log ratio, for leads of a tenth; of any size where scores
        fall below 0); a system is better (mean difference); a judge agrees with another (Fisher's z of kappa), or
        makes human topics worth more (log). By default "power" of two metrics or more and "table" of one or of
        `pairs`; "judges" of a `reference`.
    metrics : sequence of str, optional
        Those to compare, or under which systems are; all by default.
    pairs : sequence of two str, optional
        Pairs of systems of "table"; all that two collections share by default.
    reference : str, optional
        The judge with whom the others are compared; by default all pairs of judges.
    correction : str, optional
        Of the decisions about pairs of systems; by default "fdr_by" in "agree", and none in "power".
    alpha : float, default 0.05
        Level of these decisions.
    bayesian : bool, default False
        Take a half-normal prior for the standard deviation between collections, with a scale of twice the median
        standard error: for few collections.
    n_topic_resamples : int, default 200
        Draws of topics behind the variances of "power" and "agree".
    confidence_level : float, default 0.95
    rng : None, int or numpy.random.Generator
    n_threads : int, optional
    provenance : Provenance, optional

    Returns
    -------
    CollectionsStudy
        One row a claim in ``to_frame()``: see `CollectionsStudy.to_frame`.

    Raises
    ------
    InvalidOptionError
        If there are not two collections, or an option is outside its rule.
    ScoresError
        If two collections are the same scores, or the same items scored again, or one cannot be asked.
    EstimationError
        If no claim has an estimate with a variance on two collections.

    See Also
    --------
    metaeval.study_power, metaeval.study_agree, metaeval.study_topics, metaeval.study_table, metaeval.study_judges

    Notes
    -----
    Random effects: the true values of collections vary about their mean with variance :math:`\tau^2`, estimated as
    Paule and Mandel do [1]_; the interval of the mean and p are those of Hartung and Knapp [2]_ with a variance factor
    of 1 at least [3]_, so that neither is below what the errors of the collections allow; the interval of a new
    collection has Student's t with k - 2 degrees of freedom [4]_. Variances of collections count as known. Beside it
    stands the mean of these collections and no others, weighted by precision, which few collections tell too [5]_.
    ``benchmarks/reports/collections_coverage.md`` says how often both intervals hold.

    References
    ----------
    .. [1] DerSimonian and Kacker (2007). Random-effects model for meta-analysis of clinical trials: an update.
       :doi:`10.1016/j.cct.2006.04.004`
    .. [2] Hartung and Knapp (2001). A refined method for the meta-analysis of controlled clinical trials with binary
       outcome. :doi:`10.1002/sim.1009`
    .. [3] Röver, Knapp and Friede (2015). Hartung-Knapp-Sidik-Jonkman approach and its modification for random-effects
       meta-analysis with few studies. :doi:`10.1186/s12874-015-0091-1`
    .. [4] Higgins, Thompson and Spiegelhalter (2009). A re-evaluation of random-effects meta-analysis.
       :doi:`10.1111/j.1467-985X.2008.00552.x`
    .. [5] Rice, Higgins and Lumley (2018). A re-evaluation of fixed effect(s) meta-analysis.
       :doi:`10.1111/rssa.12275`

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> years = {f"year{n}": simulate_scores(n_systems=8, n_topics=40, metrics=["AP", "P@10"], rng=n) for n in range(5)}
    >>> study = study_collections(years, rng=1)
    >>> study.to_frame()[["first", "second", "n_above", "n_collections"]].to_numpy().tolist()
    [['P@10', 'AP', 3, 5]]
    """
    study = study or ("judges" if reference is not None else "table" if pairs is not None else None)
    if study is not None:
        check_choice(study, "study", ASKED)
    tables: dict[str, Scores] = {}
    notes: list[str] = []
    if study != "judges":
        tables, notes = _checked(_several(collections))
    study = study or ("power" if len(_of_several(_metrics(tables, metrics))) >= _TWO else "table")
    correction = CORRECTIONS.canonical(correction or ("fdr_by" if study == "agree" else "none"))
    check_share(alpha, "alpha")
    check_share(confidence_level, "confidence_level")
    check_count(n_topic_resamples, "n_topic_resamples", least=2, most=MOST_REPLICATES)
    if pairs is not None and study != "table":
        raise refused("pairs", "are of systems, for the study 'table'; leave them out", pairs)
    if reference is not None and study != "judges":
        raise refused("reference", "is a judge, for the study 'judges'; leave it out", reference)
    seed = resolve_seed(rng)
    drawing = Drawing(correction, float(alpha), n_topic_resamples, seed, n_threads)
    if study == "judges":
        judged_by_name = _several(collections).items()
        by_collection = {str(name): _of_judges(judged, reference, drawing) for name, judged in judged_by_name}
    else:
        tables, more = _shared(tables, study, metrics)
        notes += more
        engine = partial(differences, pairs=pairs) if study == "table" else partial(_ENGINES[study], drawing=drawing)
        by_collection = {name: _asked_of(name, engine, table) for name, table in tables.items()}
    estimates = pd.concat([table.assign(collection=name) for name, table in by_collection.items()], ignore_index=True)
    usable, lost = _with_variance(estimates)
    put = partial(combine_with_prior if bayesian else combine, confidence_level=confidence_level)
    claims, estimates = _together(usable, put, confidence_level)
    if claims.empty:
        why = lost or "the collections have none in common"
        raise EstimationError(f"no claim has an estimate with a variance on two collections: {why}")
    return CollectionsStudy(
        study=study,
        collections=tuple(by_collection),
        tables=MappingProxyType(tables),
        claims=claims,
        estimates=estimates,
        bayesian=bool(bayesian),
        confidence_level=float(confidence_level),
        alpha=float(alpha),
        correction=correction,
        notes=tuple(dict.fromkeys([*notes, *[lost] * bool(lost)])),
        provenance=provenance or record_provenance("study_collections", random_source=f"seed {seed}"),
    )


def _several(collections: object) -> Mapping[object, object]:
    """Return collections by their names, or refuse what is no two of them."""
    if isinstance(collections, Mapping) and len(collections) >= _TWO:
        return collections
    n = len(collections) if isinstance(collections, Mapping) else 1
    message = f"a claim over collections needs two or more, by their names; there {'is' if n == 1 else 'are'} {n}"
    raise InvalidOptionError(message)


def _checked(collections: Mapping[object, object]) -> tuple[dict[str, Scores], list[str]]:
    """Return the scores of each collection; what a metric is called does not hold its name."""
    tables = {}
    for key, scores in collections.items():
        name = str(key)
        try:
            table = as_scores(scores, missing="pairwise" if gaps_are_kept(scores) else "error")
        except ScoresError as error:
            raise ScoresError(f"{name}: {error}") from error
        plain = [re.sub(rf"^\w*?{re.escape(name)}[\W_]", "", str(metric)) for metric in table["metric"].to_numpy()]
        is_clear = len(set(plain)) == len(plain) and all(plain)
        tables[name] = table.assign_coords(metric=plain) if is_clear else table
    renamed, notes = _without_years(tables)
    renamed, notes = (renamed, notes) if notes else _of_one_nameless(renamed)
    _refuse_repeats(renamed)
    return renamed, notes


def _without_years(tables: dict[str, Scores]) -> tuple[dict[str, Scores], list[str]]:
    """Return tables whose metrics are called alike where their names differ in a year alone, with a note.

    Of a metric that is called as its collection, after the file of both, all numbers are left out.
    """
    names = _metrics(tables)
    if _of_several(names):
        return tables, []
    plain = [
        [(_NUMBER if metric == table else _YEAR).sub("", metric).strip("_-. ") or _NAMELESS for metric in metrics]
        for table, metrics in zip(tables, names, strict=True)
    ]
    if not _of_several(plain) or any(len(set(metrics)) < len(metrics) for metrics in plain):
        return tables, []
    renamed = {
        name: table.assign_coords(metric=metrics) for (name, table), metrics in zip(tables.items(), plain, strict=True)
    }
    return renamed, [f"metrics whose names differ in a year or number count as one ({first_few([*chain(*names)])})"]


def _of_one_nameless(tables: dict[str, Scores]) -> tuple[dict[str, Scores], list[str]]:
    """Return tables of one metric each that is called as their file, for want of a name, as of one, with a note."""
    metrics = [*chain(*_metrics(tables))]
    notes = [table.attrs.get("notes", ()) for table in tables.values()]
    nameless = [any(isinstance(note, CalledAsFile) for note in of_table) for of_table in notes]
    if not all(nameless) or len(metrics) != len(tables) or len(set(metrics)) == 1:
        return tables, []
    renamed = {}
    for name, table in tables.items():
        told = [note for note in table.attrs["notes"] if not isinstance(note, CalledAsFile)]
        renamed[name] = table.assign_coords(metric=[_NAMELESS]).assign_attrs(notes=told)
    return renamed, [f"no file names a metric, so that all tables count as of one ({first_few(metrics)})"]


def _metrics(tables: Mapping[str, Scores], among: Sequence[str] | None = None) -> list[list[str]]:
    """Return the metrics of each collection, or those of them that are meant."""
    return [
        [name for name in _names_in(table, "metric") if among is None or name in among] for table in tables.values()
    ]


def _shared(
    tables: Mapping[str, Scores], study: str, metrics: Sequence[str] | None
) -> tuple[dict[str, Scores], list[str]]:
    """Return what two collections or more have, everywhere in one order, and what was left out."""
    present = {name: _names_in(table, "metric") for name, table in tables.items()}
    every = list(dict.fromkeys(chain(*present.values())))
    for metric in metrics or ():
        check_choice(metric, "metric", every)
    systems = _of_several(_names_in(table, "system") for table in tables.values())
    wanted = [metric for metric in metrics or every if metric in _of_several(present.values())]
    chosen_tables, notes = {}, []
    for name, table in tables.items():
        notes += [f"{name}: " + note for note in table.attrs.get("notes", ())]
        if lacking := [metric for metric in wanted if metric not in present[name]]:
            notes.append(f"{name} has no {first_few(lacking)}")
        chosen = table.sel(metric=[metric for metric in wanted if metric in present[name]])
        if study == "table":
            systems_here = set(_names_in(table, "system"))
            chosen = chosen.sel(system=[system for system in systems if system in systems_here])
        if chosen.sizes["metric"] >= (1 if study == "table" else _TWO) and chosen.sizes["system"] >= _TWO:
            chosen_tables[name] = chosen
    if len(chosen_tables) < _TWO:
        lacked = "two systems under one metric" if study == "table" else "two metrics"
        way = (
            "call what is the same alike and name the collections, as 2010=2010/ap.csv and 2011=2011/ap.csv do, or "
            "2010=2010_ap.csv and 2011=2011_ap.csv"
        )
        if study != "table" and wanted:
            way = "which system is better can be asked of one: `study='table'`"
        raise ScoresError(
            f"no {lacked} are on two collections by the same names; metrics are {first_few(every)}; {way}"
        )
    if study == "table":
        notes.append(Remark("systems of the same name count as the same system on every collection"))
    if shared := _topics_in_common(chosen_tables):
        notes.append(
            f"collections share topics ({first_few(shared, between='; ')}): their estimates are not independent, and "
            "the intervals rather too narrow"
        )
    return chosen_tables, notes


def _names_in(table: Scores, dim: str) -> list[str]:
    return [str(name) for name in table[dim].to_numpy()]


def _of_several(lists: Iterable[list[str]]) -> list[str]:
    """Return the names that are in two lists or more, as they come."""
    return [name for name, n_lists in Counter(chain(*lists)).items() if n_lists > 1]


def _refuse_repeats(tables: Mapping[str, Scores]) -> None:
    """Refuse two collections with the same scores, or the same items scored again: one collection would count twice."""
    pairs = list(combinations(tables.items(), 2))
    for (first, one_table), (second, other_table) in pairs:
        axes = {dim: _of_several([_names_in(one_table, dim), _names_in(other_table, dim)]) for dim in DIMS}
        if not all(axes.values()):
            continue
        values, others = (table.sel(axes).transpose(*DIMS).to_numpy() for table in (one_table, other_table))
        common = count(len(axes["topic"]), unit_of(one_table).topic)
        if np.array_equal(values, others, equal_nan=True) and np.nanmin(values) < np.nanmax(values):
            raise ScoresError(
                f"{first} and {second} have the same scores on {common}; leave one out, or give each to one of them"
            )
        is_whole = len(axes["topic"]) == one_table.sizes["topic"] == other_table.sizes["topic"]
        if (is_whole and not _is_counting(axes["topic"])) or _go_together(values, others, _BY_CHANCE / len(pairs)):
            raise ScoresError(
                f"{first} and {second} score {common} of the same names, and so one collection twice: repeats, such as "
                "seeds or versions, and no two collections. Put the rows of all into one table, of which `metaeval "
                "table` with `duplicates='mean'` takes the means of items. If items differ, give each a name of its own"
            )


def _go_together(values: Floats, others: Floats, level: float) -> bool:
    """Say whether scores (metric, system, topic) are higher on the same topics, by more than chance allows."""
    n_topics = values.shape[-1]
    if n_topics < _LEAST_COMMON:
        return False
    above = [scores - np.nanmean(scores, axis=-1, keepdims=True) for scores in (values, others)]
    is_there = np.isfinite(above[0]) & np.isfinite(above[1])
    one, other = (scores[is_there] for scores in above)
    size = np.sqrt((one @ one) * (other @ other))
    if not size > 0.0:
        return False
    r = float(one @ other) / float(size)
    t = r * np.sqrt((n_topics - 2.0) / max(1.0 - r**2, np.finfo(float).eps))  # topics count once, whoever scored
    return r > 0.0 and bool(student_p(n_topics - 2.0, np.array([t])).p[0] < level)


def _topics_in_common(tables: Mapping[str, Scores]) -> list[str]:
    """Return which collections share topics by their names, unless these merely count."""
    topics = {name: _names_in(table, "topic") for name, table in tables.items()}
    named = {name: set(of_table) for name, of_table in topics.items() if not _is_counting(of_table)}
    common = {pair: len(named[pair[0]] & named[pair[1]]) for pair in combinations(named, 2)}
    return [f"{first} and {second}: {n}" for (first, second), n in common.items() if n]


def _is_counting(names: Sequence[str]) -> bool:
    """Say whether names are numbers from 1, or 0, on, behind a common word.

    Examples
    --------
    >>> _is_counting(["1", "2", "3"]), _is_counting(["topic1", "topic2"]), _is_counting(["301", "302"])
    (True, True, False)
    """
    numbers = [re.fullmatch(r"(\D*)(\d+)", name) for name in names]
    matched = {(match[1], int(match[2])) for match in numbers if match}
    words, values = {word for word, _ in matched}, {value for _, value in matched}
    return all(numbers) and len(words) == 1 and min(values) <= 1 and max(values) <= len(names)


def _asked_of(name: str, engine: Callable[..., pd.DataFrame], table: Scores) -> pd.DataFrame:
    """Return the estimates of a collection; an error says whose it is."""
    try:
        with speaking_of(unit_of(table)):
            return engine(table)
    except (ScoresError, EstimationError) as error:
        raise type(error)(f"{name}: {error}") from error


def _of_judges(judged: object, reference: str | None, drawing: Drawing) -> pd.DataFrame:
    if isinstance(judged, Labels):
        return kappas(judged, reference, drawing)
    if isinstance(judged, tuple) and len(judged) == _TWO:
        return worths(judged)
    rule = "of judges are Labels (metaeval.agreement.as_labels), or two tables of scores (human, judge)"
    raise refused("collections", f"{rule}, not {type(judged).__name__}", judged)


def _with_variance(estimates: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return the estimates whose variance is known, and which collections lose some."""
    middle = estimates.groupby(list(KEYS))["variance"].transform("median")
    usable = np.isfinite(estimates["estimate"]) & (estimates["variance"] > _LEAST_VARIANCE * middle)
    lost = list(dict.fromkeys(estimates.loc[~usable, "collection"]))
    words = f"left out for want of a variance, or of an end: estimates on {first_few(lost)}" if lost else ""
    return estimates[usable & np.isfinite(estimates["variance"])], words


def _together(
    usable: pd.DataFrame, put: Callable[[Floats, Floats], Together], confidence_level: float
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a row a claim, and the estimates with what each adds."""
    grouped = [(keys, rows) for keys, rows in usable.groupby(list(KEYS), sort=False) if len(rows) >= _TWO]
    claims, parts = [], []
    upper = (1.0 + confidence_level) / 2.0
    for keys, rows in grouped:
        about = dict(zip(KEYS, map(str, keys), strict=True))
        meaning = MEASURES[about["measure"]]
        estimates, variances = rows["estimate"].to_numpy(), rows["variance"].to_numpy()
        together = put(estimates, variances)
        if meaning.compares and together.mean < 0.0:  # who is ahead comes first
            estimates, about = -estimates, about | {"first": about["second"], "second": about["first"]}
            together = put(estimates, variances)
        n = len(estimates)
        weights = 1.0 / (variances + together.tau**2)
        others = [np.arange(n) != index for index in range(n)] if n > _TWO and len(grouped) <= _MOST_LEFT_OUT else []
        left_out = [put(estimates[mask], variances[mask]) for mask in others]
        ends = {
            name: meaning.natural(np.array([getattr(less, field) for less in left_out] or [np.nan] * n))
            for name, field in (("without", "mean"), ("without_low", "low"), ("without_high", "high"))
        }
        reach = stdtrit(rows["freedom"].to_numpy(), upper) * np.sqrt(variances)
        in_itself = {"value": estimates, "low": estimates - reach, "high": estimates + reach}
        of_claim = rows[["collection"]].assign(
            **about,
            estimate=estimates,
            variance=variances,
            **{name: meaning.natural(values) for name, values in in_itself.items()},
            weight=weights / weights.sum(),
            **ends,
        )
        parts.append(of_claim)
        alone = combine_these(estimates, variances, rows["freedom"].to_numpy(), confidence_level=confidence_level)
        claims.append(_claim(about, together, alone, meaning, estimates))
    frame = pd.DataFrame(claims, columns=_COLUMNS)
    if not frame.empty and frame["measure"].iloc[0] == "difference":  # of pairs of systems the clearest first
        frame = frame.sort_values("p_value", kind="stable", ignore_index=True)
    for corrected, of in (("p_corrected", "p_value"), ("p_here_corrected", "p_here")):
        frame[corrected] = adjust(frame[of].to_numpy(dtype=float), "holm")
    return frame, pd.concat(parts, ignore_index=True) if parts else usable


_COLUMNS = (
    *(*KEYS, "n_collections", "n_above", "mean", "low", "high", "p_value", "p_corrected", "tau", "i2", "p_equal"),
    *("new_low", "new_high", *Alone._fields, "p_here_corrected"),
)


def _claim(
    about: Mapping[str, str], together: Together, alone: Alone, meaning: Meaning, estimates: Floats
) -> dict[str, object]:
    """Return the row of a claim, in the unit of its measure."""
    row = together._asdict() | alone._asdict()
    row |= {name: float(meaning.natural(np.asarray(row[name]))) for name in _IN_UNIT}
    if not meaning.compares:
        row |= {"p_value": np.nan, "p_here": np.nan}
    n_above = int((estimates > 0.0).sum()) if meaning.compares else None
    return {**about, "n_collections": len(estimates), "n_above": n_above, **row}


_IN_UNIT = ("mean", "low", "high", "new_low", "new_high", "here", "here_low", "here_high")
