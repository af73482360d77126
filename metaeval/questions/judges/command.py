"""`metaeval judges`: may a judge, a person or a machine, decide between systems."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from metaeval.base.checks import MOST_REPLICATES, check_choice
from metaeval.base.names import count
from metaeval.cli import checks
from metaeval.cli import options as opt
from metaeval.cli.command import command
from metaeval.cli.option import Option, argument, choice, flag, path
from metaeval.cli.reading import Answer, Loaded
from metaeval.errors import InvalidOptionError, UnknownNameError

if TYPE_CHECKING:
    from metaeval.agreement.labels import Labels
    from metaeval.collection.documents import Collection, JudgedCollection
    from metaeval.inex.assessments import Assessments
    from metaeval.inex.judges import JudgeInput
    from metaeval.io.groups import Covariate
    from metaeval.table.scores import Scores
    from metaeval.table.vote_set import Votes

MOST_LABEL = 32767  # what a file of judgments can hold
_OF_RUNS = "Conclusions about systems"
_HOLDS = {
    "labels": "labels",
    "assessments": "INEX assessments",
    "scores": "scores of systems",
    "annotations": "annotations",
    "nuggets": "labels of nuggets",
}
"""What files may hold, as messages say it."""
_FILES = _HOLDS | {"assessments": "INEX files"}
_ALL_BUT_ANNOTATIONS = ("labels", "assessments", "scores", "nuggets")
_ABOUT = {
    **dict.fromkeys(("word", "labelled", "latent", "repeats", "order", "score_precision"), ("labels",)),
    **dict.fromkeys(("scale", "outside", "rel", "maps"), ("labels", "nuggets")),
    **dict.fromkeys(("epsilon", "scoring"), ("labels", "annotations", "nuggets")),
    **dict.fromkeys(("column", "where"), ("labels", "scores")),
    "margin": ("labels", "scores", "nuggets"),
    **dict.fromkeys(("reference", "resamples"), _ALL_BUT_ANNOTATIONS),
    **dict.fromkeys(("lenient", "element_sizes"), ("assessments",)),
    **dict.fromkeys(("runs", "plugin"), ("labels", "assessments")),
    "missing": ("scores", "nuggets"),
    "credit": ("nuggets",),
}
"""Options that mean something for some kinds of files only."""
type _Judged = Labels | dict[str, Assessments] | None
type _UnderJudges = Collection | dict[str, JudgedCollection] | None
_OF_VOTES = {"reference", "alpha", "where"}
"""Options that mean something for votes."""
_OF_FAVOUR = ("groups", "group_regex", "built_with", "covariate")
_FAVOUR_IN_VOTES = (
    "{} is not about votes, which these files hold; leave it out. Which systems, or longer answers, one judge favours "
    "more than another is told of a file of votes of each: --before PEOPLE --after JUDGE"
)
"""How it is seen in votes whether a judge favours some systems."""
_OF_DRIFT = {"column", "word", "resamples", "test", "correction", "alpha"}
"""Options that mean something for one judge at two dates."""
_MOST_VOTERS = 20
_OF_SYSTEMS = (*("metrics", "test", "correction", "alpha", "human_topics", "top", "groups", "group_regex"),)
"""Options that say something of systems: with runs to score, or scores."""


def _whole(text: str, option: str) -> int:
    if re.fullmatch(r"\s*[+-]?\d{1,5}\s*", text) is None or abs(int(text)) > MOST_LABEL:
        raise checks.refusal(option, f"whole numbers from {-MOST_LABEL} to {MOST_LABEL}", text)
    return int(text)


def _meaning(text: str) -> int | str:
    """Return what a word is: a grade, or label or none."""
    return text if text in {"label", "none"} else _whole(text, "--word")


def _words(texts: list[str] | None) -> dict[str, int | str]:
    return {word: _meaning(grade) for word, grade in checks.parse_assignments(texts, "--word").items()}


def _read_maps(texts: list[str] | str) -> "str | dict[str, str | float]":
    """Return one rule for all judges, or one by judge."""
    assignments = [texts] if isinstance(texts, str) else list(texts)
    words = ("auto", "keep", "fit")
    if len(assignments) == 1 and assignments[0] in words:
        return assignments[0]
    rules: dict[str, str | float] = {}
    for name, rule in checks.parse_assignments(assignments, "--maps").items():
        try:
            rules[name] = rule if rule in words else float(rule)
        except ValueError as error:
            message = f"auto, keep, fit or the lowest relevant grade behind {name}="
            raise checks.refusal("--maps", message, rule) from error
    return rules


def _scale(text: str) -> list[int]:
    return [_whole(grade, "--scale") for grade in text.split(",")]


def _role(role: str, _name: str) -> None:
    from metaeval.base.columns import LABELS  # noqa: PLC0415 - only for this option
    from metaeval.io.judge_scores import JUDGED_SCORES  # noqa: PLC0415 - as above

    roles = [role for role in dict.fromkeys([*LABELS, *JUDGED_SCORES, "output"]) if role not in {"asked", "more"}]
    if role not in roles:
        raise UnknownNameError("role of a column (--column ROLE=NAME)", role, roles)


_INPUTS = argument(
    "JUDGES",
    "Tables of labels with a header (topic, item and a column per judge; or topic, item, judge, label), and qrels "
    "files, one per judge, also as NAME=FILE. Compressed or not. Or INEX assessments of elements or passages, a file "
    "or folder per judge; a single folder has a second one in its others/. Or scores of systems under judges: one "
    "table with a column of judges (judge, system, topic, metric, score), or a score table per judge, NAME=FILE. Or "
    "labels of nuggets (topic, system, nugget, label), with a column judge or a table per judge. Or "
    "annotations in JSON (annotator, item, label), such as a file of people and one of machines, for the alt-test.",
)
_COLUMN = Option(
    "ROLE=NAME",
    "Name of the column of the topic, item, judge (assessor) or label, or, for scores, of the system, metric or "
    "score, or, beside --before, of the output; may be repeated.",
    checks.assignments(_role),
    panel="Reading",
    means="columns",
)
_WORD = Option(
    "WORD=GRADE",
    "Grade of a label written as a word, such as relevant=1; or label or none, where a word such as n/a is a label or "
    "none; may be repeated.",
    checks.assignments(lambda _word, grade: _meaning(grade)),
    panel="Reading",
    means="words",
)
_SCALE = Option("0,1,2", "Allowed labels.", checks.read_by(_scale), shown="every label that occurs", panel="Reading")
_OUTSIDE = choice("How to handle labels that are not on the scale; drop lists them.", "error", "drop", panel="Reading")
_REFERENCE = Option(
    "NAME",
    "The judge to compare the others with (the assessors), instead of all pairs. Where it labelled a part, scores of "
    "systems are corrected for the errors of the others.",
    checks.a_name,
)
_PEOPLE = Option(
    "NAME,…",
    "Other judges that are people, for comparison. Each may have labelled a part. For annotations also a file as "
    "it is given, or its name, whose annotators are people.",
    checks.names("names of judges by comma"),
)
_MAPS = Option(
    "RULE",
    "How to map grades to those of the reference: auto, keep or fit for all judges; or JUDGE=RULE for one, where "
    "RULE may also be the lowest relevant grade; may be repeated.",
    checks.read_by(_read_maps),
    shown="auto: keep what may be of one scale, fit the rest",
    needs="reference",
)
_LABELLED = choice(
    "Score runs on the items that all judges labelled, or on each judge's own.", "common", "own", panel=_OF_RUNS
)
_EPSILON = Option("E", "Cost-benefit margin ε of the alt-test.", checks.finite_number(least=0, most=1), needs="people")
_SCORING = choice(
    "Agreement of labels in the alt-test: the share of equal ones, or the root mean squared difference.",
    *("accuracy", "neg_rmse"),
    shown="accuracy for text and for two grades",
    needs="people",
)
_MARGIN = Option(
    "F1",
    "How much lower than a second person's the F1 of a judge may be.",
    checks.finite_number(least=0, most=1),
    panel=_OF_RUNS,
    needs="people",
)
_HUMAN_TOPICS = Option("N", "Human topics in the plan.", checks.whole_number(4, 1_000_000), panel=_OF_RUNS)
_TOP = Option("K", "Number of best systems whose order is also compared.", checks.whole_number(3), panel=_OF_RUNS)
_BUILT_WITH = Option(
    "JUDGE=GROUP",
    "A judge that is used by the systems of a group; may be repeated.",
    checks.assignments(),
    panel=_OF_RUNS,
    needs="groups",
)
_COVARIATE = path(
    "FILE",
    "Table with a column of names of systems and one of numbers (length of answers, depth), towards which a judge may "
    "be biased; for labels also of items, in the first column, or of items and systems.",
    checks.file_to_read("the table of numbers"),
    panel=_OF_RUNS,
    needs="reference",
)
_COVARIATE_COLUMN = Option(
    "NAME", "The column of --covariate that holds the numbers.", checks.a_name, panel=_OF_RUNS, needs="covariate"
)
_RESAMPLES = Option(
    "B", "Resamples of topics for intervals, and of a resampling test.", checks.whole_number(2, 10 * MOST_REPLICATES)
)
_RUNS = Option(
    "RUNS",
    "Runs (TREC, or INEX submissions; file, folder or pattern; may be repeated) to score under each judge.",
    checks.files_to_read(first=False),
    panel=_OF_RUNS,
    means="collection",
    often=True,
)
_METRICS = Option(
    "NAME,…",
    "Metrics to score the runs; for scores, metrics to keep.",
    checks.names_of_metrics,
    shown="AP,nDCG@10; for INEX files those of their kind; for scores all",
    panel=_OF_RUNS,
    often=True,
)
_MISSING = choice(
    "For scores: how to handle missing scores of a system on a topic, or missing systems of a judge.",
    *("error", "zero", "drop-systems", "drop-topics"),
    panel="Reading",
)
_REPEATS = flag("--repeats", "Lines of one judge for one item are repeats, not an error.", panel="Reading")
_LATENT = flag(
    "--latent",
    "Without a reference: how accurate each judge is, which labels items have and what systems score, half a minute.",
)
_REL = Option(
    "LABEL",
    "Lowest label that is relevant; by default 1, or the lowest above the lowest if that is no such label.",
    checks.whole_number(-MOST_LABEL, MOST_LABEL),
)
_BEFORE = path(
    "OLD",
    "Has the judge changed? Labels or scores of systems by item under it, or votes, then and (--after) now, in a file "
    "or a folder; a column output, of texts or hashes, says which answers are the same.",
    checks.file_to_read("the earlier labels, scores or votes", folder=True),
    needs="after",
)
_AFTER = path(
    "NEW", "The same items, judged again.", checks.file_to_read("the later ones", folder=True), needs="before"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """How files are read."""

    column: Annotated[list[str] | None, _COLUMN] = None
    word: Annotated[list[str] | None, _WORD] = None
    where: Annotated[list[str] | None, opt.WHERE] = None
    scale: Annotated[str | None, _SCALE] = None
    outside: Annotated[str, _OUTSIDE] = "error"
    repeats: Annotated[bool, _REPEATS] = False
    lenient: Annotated[bool, opt.LENIENT] = False
    credit: Annotated[list[str] | None, opt.CREDIT] = None
    missing: Annotated[str, _MISSING] = "error"
    duplicates: Annotated[str | None, opt.DUPLICATES] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfLabels:
    """What is asked of labels, and of one judge at two dates."""

    maps: Annotated[list[str] | None, _MAPS] = None
    epsilon: Annotated[float, _EPSILON] = 0.2
    scoring: Annotated[str | None, _SCORING] = None
    latent: Annotated[bool, _LATENT] = False
    rel: Annotated[int | None, _REL] = None
    before: Annotated[Path | None, _BEFORE] = None
    after: Annotated[Path | None, _AFTER] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfSystems:
    """Runs to score under each judge, how conclusions are compared, and what is known of systems beside."""

    runs: Annotated[list[str] | None, _RUNS] = None
    metrics: Annotated[str | None, _METRICS] = None
    order: Annotated[str, opt.ORDER.but(panel=_OF_RUNS, needs="runs")] = "score"
    score_precision: Annotated[str, opt.SCORE_PRECISION.but(panel=_OF_RUNS, needs="runs")] = "float64"
    element_sizes: Annotated[Path | None, opt.ELEMENT_SIZES.but(panel=_OF_RUNS, needs="runs")] = None
    labelled: Annotated[str, _LABELLED] = "common"
    resamples: Annotated[int, _RESAMPLES] = 1000
    test: Annotated[str, opt.TEST.but(panel=_OF_RUNS)] = "t"
    correction: Annotated[str, opt.CORRECTION_OR_OWN.but(panel=_OF_RUNS)] = "fdr_by"
    alpha: Annotated[float, opt.ALPHA] = 0.05
    margin: Annotated[float, _MARGIN] = 0.05
    human_topics: Annotated[int, _HUMAN_TOPICS] = 30
    top: Annotated[int, _TOP] = 10
    groups: Annotated[Path | None, opt.GROUPS.but(panel=_OF_RUNS, often=True)] = None
    group_column: Annotated[str | None, opt.GROUP_COLUMN.but(panel=_OF_RUNS)] = None
    group_regex: Annotated[str | None, opt.GROUP_REGEX.but(panel=_OF_RUNS)] = None
    built_with: Annotated[list[str] | None, _BUILT_WITH] = None
    covariate: Annotated[Path | None, _COVARIATE] = None
    covariate_column: Annotated[str | None, _COVARIATE_COLUMN] = None


@command("judges", reads="plugins")
def judges_command(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    inputs: Annotated[list[str] | None, _INPUTS] = None,
    reading: _Reading,
    reference: Annotated[str | None, _REFERENCE] = None,
    people: Annotated[str | None, _PEOPLE] = None,
    labels: _OfLabels,
    systems: _OfSystems,
    seed: Annotated[int, opt.SEED] = 0,
) -> Answer:
    """Test whether a person or a machine may replace the assessors.

    Judges may be people, crowd workers, language models or rules. With `--reference` and `--runs`, or with scores of
    systems under each judge, the answer is a verdict. Does the judge rank the systems and find the significant pairs of
    the reference as well as a second person does (`--people`)? Does it have a group bias (`--groups`)? How many human
    topics is it worth? Labels are compared by item (share of equal labels, Cohen's kappa, Krippendorff's alpha,
    alt-test) and as sets of relevant items (overlap), with intervals over topics. Without a reference all pairs are
    compared. INEX assessments are compared as documents, as elements and as text.

    For example:

        metaeval judges nist=nist.qrels gpt=gpt.qrels second.csv --reference nist --people ann,ben --runs runs/

        metaeval judges nist.qrels crowd.qrels --runs runs/

        metaeval judges judgments.csv --reference human --scale 0,1,2,3 --outside drop --out judges

        metaeval judges assessments/ second/ --runs submissions/ --metrics "MAep,nxCG@10"

        metaeval judges scores.csv --where year=2021 --reference nist

        metaeval judges nist=truth.csv gpt=judge.csv --reference nist --groups groups.csv

        metaeval judges human_annotations.json llm_annotations.json --people human_annotations

        metaeval judges --before march.csv --after june.csv
    """
    from metaeval.base.metric_names import split_names  # noqa: PLC0415 - loads numba with the rest of its package
    from metaeval.questions.judges.study import study_judges  # noqa: PLC0415 - loads scipy

    if labels.before is not None and labels.after is not None:
        return _of_two_dates(loaded, inputs, (labels.before, labels.after), reading)
    if not inputs:
        raise InvalidOptionError("JUDGES is missing: give labels or scores of two judges, or one judge at two dates")
    metrics = None if systems.metrics is None else split_names(systems.metrics)
    votes, read = loaded.votes_apart(
        inputs,
        partial(_read, reading=reading, reference=reference, metrics=metrics, latent=labels.latent),
        checks.parse_where(reading.where),
    )
    if votes or read is None:
        if read is not None:
            raise InvalidOptionError(
                f"{read.files[0]} holds no votes, and {next(iter(votes))} does; give judges of one kind"
            )
        return _of_votes(loaded, votes)
    loaded.read(*read.files)
    named = () if people is None else checks.by_comma(people, ())
    if len(read.annotations) == 1 and not named:  # all of one kind, whose agreement is asked
        read = replace(read, labels=next(iter(read.annotations.values())), annotations={})
    _check_kind(loaded, read)
    judged = _judged(read, reading, reference, named)
    collection = _runs_beside(loaded, judged, systems, lenient=reading.lenient)
    names = _systems(collection, read.scores)
    numbers = _covariate(loaded, judged, read.scores, names, systems)
    group_of = checks.parse_assignments(systems.built_with, "--built-with")
    return loaded.ask(
        study_judges,
        judged,
        collection=collection,
        scores=read.scores or None,
        annotations=read.people_and_judges(named) if read.annotations else None,
        metrics=metrics,
        registry=loaded.registry if collection else None,
        people=() if read.annotations else named,
        maps="auto" if labels.maps is None else _read_maps(labels.maps),
        groups=loaded.groups_of(names) if names else None,
        built_with={judge: [group] for judge, group in group_of.items()},
        covariate=None if numbers is None else numbers.of_system,
        covariate_name="covariate" if numbers is None else numbers.name,
    )


def _read(
    files: Sequence[str], *, reading: _Reading, reference: str | None, metrics: Sequence[object] | None, latent: bool
) -> "JudgeInput":
    from metaeval.inex.judges import read_judges  # noqa: PLC0415 - loads pandas

    return read_judges(
        files,
        columns=checks.parse_assignments(reading.column, "--column"),
        words=_words(reading.word),
        where=checks.parse_where(reading.where),
        lenient=reading.lenient,
        repeats=reading.repeats,
        metrics=None if metrics is None else list(dict.fromkeys(map(str, metrics))),
        reference=reference,
        missing=reading.missing,  # type: ignore[arg-type]  # one of its choices
        duplicates=reading.duplicates or "error",  # type: ignore[arg-type]  # as above
        credit=opt.read_credit(reading.credit),
        labels_only=latent,
    )


def _judged(read: "JudgeInput", reading: _Reading, reference: str | None, people: Sequence[str]) -> _Judged:
    """Return labels or assessments, in which everybody who is named is a judge."""
    from metaeval.agreement.labels import Labels, as_labels  # noqa: PLC0415 - loads scipy

    judged: _Judged = read.assessments or None
    if read.labels is not None:
        scale = None if reading.scale is None else _scale(reading.scale)
        judged = as_labels(read.labels, scale=scale, outside=reading.outside, real=reference is not None)  # type: ignore[arg-type]  # checked inside
    names = () if judged is None else [*people] if reference is None else [reference, *people]
    for name in names:  # before runs are scored under the others
        check_choice(name, "judge", judged.judges if isinstance(judged, Labels) else [*read.assessments])
    return judged


def _covariate(
    loaded: Loaded,
    judged: _Judged,
    scores: "dict[str, dict[str, Scores]]",
    systems: Sequence[str],
    asked: _OfSystems,
) -> "Covariate | None":
    """Return the numbers of items, where the table names those of the labels, or of systems; None without a table."""
    from metaeval.agreement.item_favour import names_of_items  # noqa: PLC0415 - loads scipy
    from metaeval.agreement.labels import Labels  # noqa: PLC0415 - as above
    from metaeval.agreement.runs_under_judges import labels_of_scores  # noqa: PLC0415 - as above
    from metaeval.io.groups import read_covariate, read_item_covariate  # noqa: PLC0415 - loads pandas

    file, column, numbers = asked.covariate, asked.covariate_column, None
    if file is None:
        return None
    labels = judged if isinstance(judged, Labels) else labels_of_scores(scores) if scores else None
    if labels is not None:
        items = {str(name) for by in names_of_items(labels) for name in by} - {*systems}
        numbers = read_item_covariate(file, items=items, covariate_column=column, alone=not systems)
    if numbers is None:
        numbers = read_covariate(file, systems=systems, covariate_column=column)
    loaded.read(file)
    return numbers


def _runs_beside(loaded: Loaded, judged: _Judged, asked: _OfSystems, *, lenient: bool) -> _UnderJudges:
    """Return the runs compiled beside what judges said; None without runs."""
    if judged is None or not asked.runs:
        return None
    from metaeval.inex.judges import runs_beside_judges  # noqa: PLC0415 - loads numba

    collection, files = runs_beside_judges(
        judged,
        asked.runs,
        order=asked.order,  # type: ignore[arg-type]  # one of its choices
        score_precision=asked.score_precision,  # type: ignore[arg-type]  # as above
        sizes=asked.element_sizes,
        lenient=lenient,
    )
    loaded.read(*files)
    return collection


def _refuse_all_but(loaded: Loaded, known: set[str], what: str) -> None:
    names = sorted({*_ABOUT, *_OF_SYSTEMS, "people", "maps", "built_with", "covariate"} - known)
    loaded.refuse(names, lambda option: f"{option} is not about {what}; leave it out")


def _of_two_dates(loaded: Loaded, inputs: Sequence[str] | None, files: tuple[Path, Path], reading: _Reading) -> Answer:
    """Ask whether a judge has changed."""
    from metaeval.io.judged_answers import read_judged_answers  # noqa: PLC0415 - loads pandas
    from metaeval.io.sources import list_sources  # noqa: PLC0415 - as above
    from metaeval.questions.judges.study_drift import both_outputs, study_judge_drift  # noqa: PLC0415 - loads scipy

    if inputs:
        raise InvalidOptionError(f"--before and --after are all that is read; leave {inputs[0]} out")
    where = checks.parse_where(reading.where)
    votes, _ = loaded.votes_apart([f"before={files[0]}", f"after={files[1]}"], _no_votes, where)
    if len(votes) > 1:
        return _of_votes(loaded, votes, changed=True)
    if votes:
        raise InvalidOptionError(f"{files['after' in votes]} holds votes, and {files['before' in votes]} does not")
    _refuse_all_but(loaded, _OF_DRIFT, "one judge at two dates (--before, --after)")
    columns = checks.parse_assignments(reading.column, "--column")
    (before, outputs), (after, new_outputs) = (
        read_judged_answers(file, columns, words=_words(reading.word)) for file in files
    )
    loaded.read(*(source.path for file in files for source in list_sources(str(file), nested=True)))
    return loaded.ask(study_judge_drift, before, after, outputs=both_outputs(outputs, new_outputs, files))


def _no_votes(files: Sequence[str]) -> list[str]:
    """Return files that hold no votes; one that does is refused as such."""
    from metaeval.io.files import read_bytes  # noqa: PLC0415 - loads pandas
    from metaeval.io.sources import list_sources, named_source  # noqa: PLC0415 - as above
    from metaeval.io.votes import refuse_votes  # noqa: PLC0415 - as above

    for source in (file for text in files for file in list_sources(named_source(text).path, nested=True)):
        refuse_votes(read_bytes(source.path), source.path)
    return [*files]


def _of_votes(loaded: Loaded, votes: "dict[str, Votes]", *, changed: bool = False) -> Answer:
    """Compare files of votes, or the voters of one, or ask whether the judge of two files has changed."""
    from metaeval.questions.boards.study_decided import study_settled  # noqa: PLC0415 - loads scipy

    loaded.refuse(_OF_FAVOUR, _FAVOUR_IN_VOTES.format)
    _refuse_all_but(loaded, _OF_VOTES, "votes, which these files hold")
    if len(votes) == 1:
        file, file_votes = next(iter(votes.items()))
        votes = file_votes.by_voter()
        if not 1 < len(votes) <= _MOST_VOTERS:
            raise InvalidOptionError(
                f"{file} holds votes of {count(len(votes), 'voter')}; a judge is a file of votes, or one of up to "
                f"{_MOST_VOTERS} voters of a single file: give the votes of a judge as another file beside it"
            )
    return loaded.ask(study_settled, votes, of_judges=True, changed=changed)


def _systems(collection: _UnderJudges, scores: "dict[str, dict[str, Scores]]") -> tuple[str, ...]:
    if scores:
        of_judges = next(iter(scores.values()))
        return tuple(next(iter(of_judges.values()))["system"].to_numpy().tolist())
    judged = next(iter(collection.values())) if isinstance(collection, dict) else collection
    return () if judged is None else judged.systems


def _check_kind(loaded: Loaded, read: "JudgeInput") -> None:
    """Refuse options about another kind of files, and those about systems where there are none."""
    kind, file = read.kind, read.files[0]

    def of_others(option: str, kinds: Sequence[str]) -> str:
        others = " or ".join(_FILES[allowed] for allowed in kinds if allowed != "nuggets" or len(kinds) == 1)
        return f"{file} holds {_HOLDS[kind]}, and {option} is about {others}; leave {option} out"

    for name, kinds in {**_ABOUT, **dict.fromkeys(_OF_SYSTEMS, _ALL_BUT_ANNOTATIONS)}.items():
        if kind not in kinds:
            loaded.refuse([name], partial(of_others, kinds=kinds))
    if kind not in {"scores", "nuggets"} and not loaded.given("runs"):
        alone = "{0} does nothing without --runs; add that, or leave {0} out"
        names = [name for name in (*_OF_SYSTEMS, "plugin") if not (read.of_metrics and name == "metrics")]
        loaded.refuse(names, alone.format)
