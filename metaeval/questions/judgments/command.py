"""`metaeval judgments`: what fewer judgments would change, and whether new systems would be judged fairly."""

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from metaeval.base.checks import MOST_ROUNDS, check_count
from metaeval.cli import checks
from metaeval.cli import options as opt
from metaeval.cli.command import command
from metaeval.cli.option import Option, choice, path
from metaeval.cli.reading import Answer, Loaded

if TYPE_CHECKING:
    from metaeval.resampling.effort import CostModel

_SIGNIFICANCE = "Significance"
_LONGEST = 10**9
_UNITS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}


def _question(name: str, option: str) -> object:
    from metaeval.questions.judgments.study import QUESTIONS  # noqa: PLC0415 - loads scipy and numba

    return checks.one_of(*QUESTIONS)(name, option)


def _reduction(name: str, option: str) -> object:
    from metaeval.resampling.reductions import REDUCTIONS  # noqa: PLC0415 - loads numba

    return checks.one_of(*REDUCTIONS)(name, option)


def pool_size(size: float, option: str) -> int:
    """Take a whole number of documents."""
    return check_count(int(size) if size.is_integer() else size, option)


def parse_time(text: str) -> float:
    """Turn a length of time into seconds.

    Examples
    --------
    >>> parse_time("90"), parse_time("1.5m"), parse_time("2 h")
    (90.0, 90.0, 7200.0)
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", text)
    if match is None or match[2] not in _UNITS or not 0 < float(match[1]) <= _LONGEST:
        raise checks.refusal("--budget", "a time above 0, such as 30s, 5m or 1h", text)
    return float(match[1]) * _UNITS[match[2]]


def parse_cost(text: str) -> "str | CostModel":
    """Turn minutes for a relevant and another document into a cost model; a name stays one.

    Examples
    --------
    >>> parse_cost("2.5,0.5")
    CostModel(minutes_relevant=2.5, minutes_other=0.5)
    """
    from metaeval.resampling.effort import CostModel  # noqa: PLC0415 - loads numba

    if "," not in text:
        return text
    try:
        relevant, irrelevant = checks.parse_numbers(text)
    except ValueError:
        raise checks.refusal("--cost", "a year or two numbers of minutes, such as 2.5,0.5", text) from None
    return CostModel(relevant, irrelevant)


def _cost_model(text: str) -> "CostModel":
    from metaeval.resampling.effort import cost_model  # noqa: PLC0415 - loads numba

    return cost_model(parse_cost(text))


def _size_or_table(text: str, option: str) -> str:
    """Take a whole number, or the name of a table that is there; it is not opened yet."""
    if re.fullmatch(r"[-+]?[\d.]*", text.strip()):
        if not text.strip().isdecimal() or not 1 <= int(text) <= _LONGEST:
            raise checks.refusal(option, "a whole number from 1, or a table of topic and number", text)
    else:
        checks.file_to_read("the table of topics and numbers")(Path(text), option)
    return text


def _judged_sizes(text: str) -> int | dict[str, int]:
    from metaeval.io.groups import read_pool_sizes  # noqa: PLC0415 - loads pandas

    return int(text) if text.strip().isdecimal() else read_pool_sizes(text)


_POOL_DEPTH = Option(
    "DEPTH",
    "Depth of the pool as it was made, if it is known; --depths asks about another.",
    checks.whole_number(most=MOST_ROUNDS),
    shown="found for each topic",
    panel="Reading",
    means="depth",
)
_JUDGED_POOL_SIZE = Option(
    "N|FILE",
    "Number of judged documents per topic, for judgments that list only relevant ones: a number, or a table of topic "
    "and number.",
    _size_or_table,
    shown="read from the judgments",
    panel="Reading",
    excludes="pool_depth",
)
_POOL_SHARES = Option(
    "10,20,50",
    "Also leave groups out of pools with these percentages of the documents.",
    checks.numbers("10,20,50", checks.finite_number(above=0, most=100)),
    shown="none",
    often=False,
)
_ADAPTIVE_START = Option(
    "K", "Depth at which adaptive pools start.", checks.whole_number(most=MOST_ROUNDS), means="start", often=False
)
_ADAPTIVE_STEP = Option(
    "K",
    "Ranks added in each round of adaptive pooling.",
    checks.whole_number(most=MOST_ROUNDS),
    means="step",
    often=False,
)
_ADAPTIVE_RATE = Option(
    "SHARE",
    "Adaptive pools stop after a round with fewer relevant documents than this per newly judged one; 0 never stops "
    "them.",
    checks.finite_number(least=0, most=1),
    means="rate",
    often=False,
)
_ADAPTIVE_BUDGET = Option(
    "N",
    "Most documents that adaptive pools judge, over all topics.",
    checks.whole_number(),
    shown="no limit",
    often=False,
)
_QUESTION = Option(
    "NAME,…",
    "less-judging, shallower-pools, fewer-topics, new-systems (needs groups), effort.",
    checks.several(_question, every=True),
    shown="all that the input allows",
    means="questions",
)
_REDUCTIONS = Option(
    "NAME,…",
    "Reductions: stratified, random, relevant, order, topics, depth, ranks, share, size, reciprocal-rank.",
    checks.several(_reduction, every=True),
    shown="those of the question; alone, they are the question",
)
_STEPS = Option(
    "10,30,50",
    "Percentages of judgments that are left.",
    checks.numbers("10,30,50", checks.finite_number(above=0, most=100)),
    shown="as published",
)
_POOL_SIZES = Option(
    "50,100,200",
    "Pool sizes, in documents per topic.",
    checks.numbers("50,100,200", pool_size),
    shown="50 to 500, or parts of the pool",
    means="sizes",
    often=False,
)
_DEPTHS = Option(
    "10,20",
    "Ask about pools of so many top documents of every run.",
    checks.numbers("10,20", pool_size),
    shown="none",
)
_ROUNDS = choice(
    "What each run adds in a round of pools of these sizes: its next document, or the document of its next result, as "
    "at INEX 2005 and 2006.",
    "documents",
    "results",
    often=False,
)
_BUDGET = Option(
    "30s|5m|1h",
    "Time limit for new replicates; at least two are run.",
    checks.read_by(parse_time),
    shown="none",
)
_TOP = Option("K", "Also compute correlations among the best K runs.", checks.whole_number(2, checks.MOST_SYSTEMS))
COST = Option(
    "2003|2005|2006|R,N",
    "Minutes for a relevant and another document: those of a year of INEX, or your own, as 2.5,0.5.",
    checks.read_by(_cost_model),
    means="minutes_relevant minutes_other",
)
_RANKED = opt.CHOOSE.but(words="Which runs to rank and average; chosen with the seed.")
_RELEVANT_FROM = Option(
    "LEVEL",
    "Lowest level that counts as relevant when judgments are removed.",
    checks.whole_number(),
    shown="the lowest rel= among the metrics, else 1",
    means="rel",
    often=False,
)
_CORRECTION = opt.CORRECTION_OR_OWN.but(shown="fdr_by, or the test's own", panel=_SIGNIFICANCE)
_TESTED = Option(
    "N", "Replicates in which all pairs are tested; 0 for none.", checks.whole_number(0), panel=_SIGNIFICANCE
)
_KEEP = path(
    "FOLDER",
    "Folder for finished replicates, so that an interrupted run can continue.",
    checks.file_to_write(folder=True),
    shown="with --out, OUT.replicates until the report is written",
    often=False,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _KnownPool:
    """What is known of the pool."""

    pool_depth: Annotated[int | None, _POOL_DEPTH] = None
    judged_pool_size: Annotated[str | None, _JUDGED_POOL_SIZE] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fewer:
    """How judgments are left out, and how often."""

    reductions: Annotated[str | None, _REDUCTIONS] = None
    steps: Annotated[str | None, _STEPS] = None
    pool_sizes: Annotated[str | None, _POOL_SIZES] = None
    depths: Annotated[str | None, _DEPTHS] = None
    rounds: Annotated[str, _ROUNDS] = "documents"
    replicates: Annotated[int, opt.REPLICATES] = 10
    budget: Annotated[str | None, _BUDGET] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ranked:
    """How rankings are made and compared."""

    min_tau: Annotated[float, Option("TAU", "Kendall's tau required.", checks.finite_number(above=-1, most=1))] = 0.9
    top: Annotated[int, _TOP] = 10
    ranked: Annotated[str, _RANKED] = "all"
    relevant_from: Annotated[int | None, _RELEVANT_FROM] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Adaptive:
    """How adaptive pools grow."""

    adaptive_start: Annotated[int, _ADAPTIVE_START] = 5
    adaptive_step: Annotated[int, _ADAPTIVE_STEP] = 5
    adaptive_rate: Annotated[float, _ADAPTIVE_RATE] = 0.05
    adaptive_budget: Annotated[int | None, _ADAPTIVE_BUDGET] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Significance:
    """How pairs are tested."""

    test: Annotated[str, opt.TEST.but(panel=_SIGNIFICANCE)] = "t"
    correction: Annotated[str | None, _CORRECTION] = None
    alpha: Annotated[float, opt.ALPHA] = 0.05
    resamples: Annotated[int | None, opt.RESAMPLES.but(panel=_SIGNIFICANCE)] = None
    choose: Annotated[str, opt.CHOOSE.but(panel=_SIGNIFICANCE)] = "all"
    tested: Annotated[int, _TESTED] = 5


@command("judgments", reads="pools", repeats=True)
def judgments_command(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    pool: _KnownPool,
    question: Annotated[str | None, _QUESTION] = None,
    fewer: _Fewer,
    rankings: _Ranked,
    cost: Annotated[str, COST] = "2006",
    pool_shares: Annotated[str | None, _POOL_SHARES] = None,
    adaptive: _Adaptive,
    significance: _Significance,
    seed: Annotated[int, opt.SEED] = 0,
    published: Annotated[bool, opt.PUBLISHED] = False,
    keep: Annotated[Path | None, _KEEP] = None,
) -> Answer:
    """Test what fewer judgments would change, and whether new systems are evaluated fairly.

    Runs are ranked with all judgments and with fewer of them, and the rankings are compared by Kendall's tau: 1 means
    no change, and 0.9 or more commonly counts as the same ranking. The questions:

    less-judging: judge a random part of the documents, or stop early. shallower-pools: judge fewer of the top documents
    of every run. fewer-topics: judge some topics only. new-systems: leave each group's runs out of the pool, and
    compare their scores. effort: spend the same number of judgments in several ways.

    For example:

        metaeval judgments runs/ --qrels qrels.txt --question less-judging --budget 30s

        metaeval judgments runs/ --qrels qrels.txt --groups teams.csv --pooled-column pooled --out judgments-report

    The experiment of Sakai and Kando (2008): the pairs of one run per team are tested, and 30 runs are ranked.

        metaeval judgments runs/ --qrels qrels.txt --groups teams.csv --choose one-per-group --ranked 30
        --reductions stratified --test bootstrap_sensitivity --resamples 1000 --metrics sakai-kando
    """
    from metaeval.questions.judgments.study import QUESTIONS, study_judgments  # noqa: PLC0415 - loads scipy and numba
    from metaeval.resampling.reductions import REDUCTIONS  # noqa: PLC0415 - loads numba
    from metaeval.resampling.replicates import discard_replicates  # noqa: PLC0415 - as above

    asked = None if question is None else checks.by_comma(question, QUESTIONS)
    ways = None if fewer.reductions is None else checks.by_comma(fewer.reductions, REDUCTIONS)
    out, sizes = loaded.options["out"], pool.judged_pool_size
    if keep is None and out is not None:
        keep = out.with_name(f"{out.name}.replicates")
        loaded.when_saved(partial(discard_replicates, keep))
    if sizes is not None and not sizes.isdecimal():
        loaded.read(sizes)
    study = loaded.ask(
        study_judgments,
        loaded.collection(retrieved="all" if sizes is not None else _needed(asked, ways)),
        loaded.metrics(),
        questions=asked,
        reductions=ways,
        steps=None if fewer.steps is None else checks.parse_numbers(fewer.steps),
        sizes=None if fewer.pool_sizes is None else list(map(int, checks.parse_numbers(fewer.pool_sizes))),
        depths=None if fewer.depths is None else list(map(int, checks.parse_numbers(fewer.depths))),
        choose=opt.parse_choose(significance.choose),
        ranked=opt.parse_choose(rankings.ranked),
        judged_pool_size=None if sizes is None else _judged_sizes(sizes),
        pool_runs=(),  # they are read as a part of the collection
        pool_shares=() if pool_shares is None else checks.parse_numbers(pool_shares),
        cost=parse_cost(cost),
        keep=keep,
        budget=None if fewer.budget is None else parse_time(fewer.budget),
    )
    return study.report(published=published)


def _needed(asked: list[str] | None, ways: list[str] | None) -> Literal["judged", "all"]:
    """Say what must be read: random and early stops need the judged documents only, and less memory."""
    from metaeval.questions.judgments.study import QUESTIONS  # noqa: PLC0415 - as above
    from metaeval.resampling.reductions import REDUCTIONS  # noqa: PLC0415 - loads numba

    pools = {name for name, kind in REDUCTIONS.items() if kind.needs_retrieved}
    light = ways is not None if asked is None else not {"new-systems", "effort"} & {*asked}
    wanted = ways if ways is not None else [name for kind in asked or () for name in QUESTIONS.get(kind, ())]
    return "judged" if light and not pools & {*wanted} and "shallower-pools" not in (asked or ()) else "all"
