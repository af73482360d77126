"""`metaeval agree`: do metrics, uses of the grades, votes or boards lead to the same conclusions."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

from metaeval.base.checks import check_share
from metaeval.base.names import count
from metaeval.cli import checks
from metaeval.cli import options as opt
from metaeval.cli.command import command
from metaeval.cli.option import Option, choice, flag
from metaeval.cli.reading import Answer, Loaded
from metaeval.errors import InvalidOptionError
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS

if TYPE_CHECKING:
    from metaeval.collection.documents import JudgedCollection
    from metaeval.table.scores import Scores
    from metaeval.table.vote_set import Votes

_RULE_OF_GAINS = (
    "tables of grades in braces, such as {1:1,2:5}, or names of quantisations, such as exponential or, for elements, "
    "BinExh(min_size=100)"
)

_AUDIT = Option(
    "NAME,…",
    "With --qrels, instead of --metrics: vary the use of the grades in these metrics (documents: binary from each "
    "grade on, linear, exponential; elements: every quantisation of their scale; --gains, --plugin), and remove each "
    "boundary between grades.",
    checks.names_of_metrics,
    excludes="metrics",
)
_GAINS = Option(
    "{1:1,2:5},…",
    "With --audit: more gains, as tables of grades or names; for elements more quantisations, such as "
    "BinExh(min_size=100).",
    checks.names(_RULE_OF_GAINS),
    needs="audit",
    often=False,
)
_PAIR = Option(
    "NAME,NAME",
    "Plot where these two metrics disagree, predictor first; may be repeated.",
    checks.pairs_of_names,
    means="pairs",
)
_ALTERNATIVE = choice(
    "better: one-sided towards each pair's better mean, both directions counting as hypotheses.",
    *("two-sided", "better"),
)
_ALPHA = Option(
    "LEVEL,…",
    "Significance levels; the summary is for the first.",
    checks.numbers("0.05,0.01", check_share),
    means="alphas",
)
_VOTES = Option(
    "FILE",
    "Votes on pairs of the same systems, to compare with the scores, also as NAME=FILE; may be repeated. Those among "
    "the inputs are found by content.",
    checks.files_to_read(),
    excludes="audit",
)
_BOARDS = flag(
    "--boards",
    "The inputs are two boards of partly the same systems, each a table (of scores by item, or of means with standard "
    "errors) or a folder of results, also as NAME=FILE.",
    excludes="audit votes",
)
_AGGREGATES = Option(
    "NAME,NAME",
    "Compare two aggregates of one board: mean, macro mean, Borda, Borda (MTEB), win rate, z-score, N-, U-, E-std.",
    checks.names("two aggregates by comma, such as mean,win rate"),
    excludes="audit votes boards",
)
_REPRODUCTION = flag(
    "--reproduction",
    "The inputs are an original and its replica: two tables, or two folders of runs with --qrels.",
    excludes="audit votes boards aggregates",
)
_BASELINE = opt.BASELINE.but(
    words="The system that the others improve on, for effects.", needs="reproduction", often=False
)
_MARGIN = Option(
    "SHARE",
    "How far off, in shares of the original's mean and effect, still counts as reproduced; a convention.",
    checks.finite_number(above=0),
    needs="reproduction",
    often=False,
)
_OF_METRICS = (
    *("test", "correction", "alternative", "resamples"),
    *("metric_pair", "interval_resamples", "min_f1", "choose"),
)
"""Options of the comparison of metrics by tests."""
_MIN_F1 = Option(
    "F1",
    "Smallest F1 at which conclusions count as the same; a convention.",
    checks.finite_number(above=0, most=1),
    often=False,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfTwo:
    """What two inputs are, where these are no metrics: boards, aggregates of one, or an original and its replica."""

    boards: Annotated[bool, _BOARDS] = False
    aggregates: Annotated[str | None, _AGGREGATES] = None
    reproduction: Annotated[bool, _REPRODUCTION] = False
    baseline: Annotated[str | None, _BASELINE] = None
    margin: Annotated[float, _MARGIN] = 0.1


@command("agree", reads="scores or votes", draws=True, repeats=True)
def agree_command(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    audit: Annotated[str | None, _AUDIT] = None,
    gains: Annotated[str, _GAINS] = "",
    votes: Annotated[list[str] | None, _VOTES] = None,
    of_two: _OfTwo,
    metric_pair: Annotated[list[str] | None, _PAIR] = None,
    test: Annotated[str, opt.TEST_LIST] = "t",
    correction: Annotated[str, opt.CORRECTION_LIST] = "fdr_by",
    alternative: Annotated[str, _ALTERNATIVE] = "two-sided",
    alpha: Annotated[str, _ALPHA] = "0.05",
    resamples: Annotated[int | None, opt.RESAMPLES.but(shown="10000", often=False)] = None,
    interval_resamples: Annotated[int, opt.INTERVALS.but(often=False)] = 200,
    min_f1: Annotated[float, _MIN_F1] = 0.9,
    choose: Annotated[str, opt.CHOOSE] = "all",
) -> Answer:
    """Compare metrics, or boards, by the conclusions that they lead to.

    Every pair of systems is tested under every metric. One metric's significant pairs are then a prediction of
    another's: precision is the share of them that the other also finds, recall the share of the other's that they
    include, F1 their harmonic mean. A conflict is a pair that is significant in opposite directions. The first metric
    counts as the one in use; --metrics names another first, of score tables too.

    With --audit each metric is computed with every use of the grades: are binary judgments enough, and which boundary
    between grades matters? For elements (INEX 2002 to 2006) these are quantisations: is exhaustivity needed, which of
    its grades, and how much of specificity? A use that cannot be scored is left out, with a warning that says why.

    With votes on pairs of the systems, among the inputs or with --votes, metrics and votes are compared by the pairs
    that they settle, and so are two sets of votes.

    With --boards the inputs are two boards, with items of their own: two benchmarks, or two versions of one. Which
    pairs of systems do both settle, which one alone, and which in opposite directions? With --aggregates one board is
    summed up in two ways.

    With --reproduction the inputs are an experiment and its replica: are the documents, the scores of topics and the
    improvement over a --baseline the same, or only alike?

    For example:

        metaeval agree ap.csv ndcg.csv

        metaeval agree arena.csv benchmark.csv

        metaeval agree v1.csv v2.csv --boards

        metaeval agree original/ replica/ --qrels qrels.txt --reproduction --baseline bm25

        metaeval agree runs/ --qrels qrels.txt --audit AP,nDCG@10 --out agree-report

        metaeval agree submissions/ --qrels assessments/ --audit MAep,nxCG@10 --out quantisations
    """
    from metaeval.questions.agree.study import audit_quantisations, study_agree  # noqa: PLC0415 - loads scipy and numba

    if of_two.boards or of_two.aggregates is not None:
        return _boards(loaded, [] if of_two.aggregates is None else of_two.aggregates.split(","))
    if of_two.reproduction:
        return _reproduction(loaded)
    ask: Callable[..., Answer]
    if audit is None:
        named_votes, scores = loaded.votes_and_scores(votes or ())
        if named_votes:
            return _beside_votes(loaded, named_votes, scores)
        ask = partial(loaded.ask, study_agree, scores)
    else:
        _check_gains(loaded, gains)
        collection = _read_judged_runs(loaded)
        loaded.session.say(f"Scoring {count(collection.n_systems, 'run')} under every use of the grades")
        ask = partial(loaded.ask, audit_quantisations, collection, audit)
    return ask(
        tests=checks.by_comma(test, TESTS),
        corrections=checks.by_comma(correction, CORRECTIONS),
        alphas=checks.parse_numbers(alpha),
        choose=opt.parse_choose(choose),
        n_topic_resamples=interval_resamples or None,
        pairs=metric_pair or (),
    )


def _beside_votes(loaded: Loaded, votes: "dict[str, Votes]", scores: "Scores | None") -> Answer:
    """Compare votes with the scores by the pairs that both settle."""
    from metaeval.questions.boards.study_decided import study_settled  # noqa: PLC0415 - loads scipy

    loaded.refuse(_OF_METRICS, "{0} is about metrics alone, and there are votes; leave it out".format)
    return loaded.ask(study_settled, votes, scores, alpha=checks.parse_numbers(loaded.options["alpha"])[0])


def _boards(loaded: Loaded, aggregates: list[str]) -> Answer:
    """Compare two boards, or two aggregates of one."""
    from metaeval.questions.boards.study import study_boards  # noqa: PLC0415 - loads scipy

    loaded.refuse((*_OF_METRICS, "qrels"), "{0} does not go with boards; leave it out".format)
    return loaded.ask(
        study_boards,
        loaded.boards(),
        aggregates=aggregates,
        metric=loaded.options["metrics"],
        alpha=checks.parse_numbers(loaded.options["alpha"])[0],
    )


def _reproduction(loaded: Loaded) -> Answer:
    """Compare an experiment with its replica."""
    from metaeval.questions.reproduction.study import study_reproduction  # noqa: PLC0415 - loads scipy

    loaded.refuse(_OF_METRICS, "{0} does not go with --reproduction; leave it out".format)
    scores, runs = loaded.experiments()
    alpha = checks.parse_numbers(loaded.options["alpha"])[0]
    return loaded.ask(study_reproduction, *scores, runs=tuple(runs) or None, alpha=alpha)


def _check_gains(loaded: Loaded, text: str) -> None:
    """Refuse gains that no metric understands, before anything is read."""
    from metaeval.base.metric_names import split_names  # noqa: PLC0415 - loads numba with the rest of its package

    for gains in split_names(text):
        for name in (f"MAep(quant={gains})", f"nDCG(gains={gains})"):
            try:
                loaded.registry.resolve(name)
            except InvalidOptionError as error:
                refused = error
            else:
                break
        else:
            raise checks.refusal("--gains", _RULE_OF_GAINS, gains) from refused


def _read_judged_runs(loaded: Loaded) -> "JudgedCollection":
    """Read what an audit is about: runs, and judgments with grades."""
    from metaeval.inex.passages import PassageCollection  # noqa: PLC0415 - loads numba

    if loaded.options["qrels"] is None:
        message = "--audit asks about the grades of judgments: give runs and --qrels, not a table of scores"
        raise InvalidOptionError(message)
    collection = loaded.collection()
    if isinstance(collection, PassageCollection):
        raise InvalidOptionError(
            "--audit is about grades, and these judgments are highlighted passages, which have none; leave it out and "
            "name metrics to compare: --metrics AiP,iP[0.01]"
        )
    return collection
