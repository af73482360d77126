"""What every column of a table of scores is: system, topic, score, or something that is no score.

One table of words (``roles.toml``) and one judgement, which every reader uses: a number is a score only if neither its
name nor its values say otherwise. Values count more than names: a column called as an average that is none, or as a
standard error that is below 0, is asked about.
"""

import math
import re
import shlex
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from metaeval.base.arrays import Floats
from metaeval.base.columns import JUDGES, PARTS, underscored, without_accents, without_mark
from metaeval.base.label_words import COMPARES_JUDGES, said_beside_people
from metaeval.base.names import ARROWS, are_metrics, first_few, is_measure, is_unnamed, metric_evidence
from metaeval.base.notes import UnsaidDirection
from metaeval.base.unit import ITEM, NUGGET, TOPIC, Unit
from metaeval.errors import ScoresError

_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8").casefold())  # größe is grösse
_DIVISION = re.compile(r"[\s._/:()\[\]-]+")
_PLUS_MINUS = re.compile(r"\+\s*/?\s*[-\N{MINUS SIGN}\N{EN DASH}]")
_NUMBER = re.compile(r"[+-]?[0-9.,]+(e[+-]?[0-9]+)?", re.IGNORECASE | re.ASCII)
_SIZE = re.compile(r"[$€£]?[0-9][0-9.,]*\s*[^\W\d_]{0,3}|tiny|mini|small|medium|base|large|x*l", re.IGNORECASE)
_LONGEST_WORD, _FEW_SIBLINGS = 100, 2
_FEW_RUNS = 4
_FEW_BELOW = 0.05
"""Share of scores on one side of 0 that may lie there by rounding or by accident."""
_LONGEST_CODE = 3
_OF_RANKS = "ERR"
"""Expected reciprocal rank, as its authors and all programs of retrieval write it; of errors, err is short."""
_TIERS: Mapping[str, Sequence[Sequence[str]]] = {**_TABLE["parts"], **PARTS}

SCORES: Mapping[str, tuple[str, ...]] = {part: tuple(word for tier in tiers for word in tier)
                                         for part, tiers in _TIERS.items()}  # fmt: skip
"""Parts of a long table of scores, and what columns that play them are called, in order of trust.

Case, blanks and hyphens do not matter, and no two columns may play one part. A word counts only where no surer one is
there: for systems model counts after system, and method after model; for topics item and the like after topic, then
id, question, task and dataset. A task beside a surer topic is its cluster.
"""
_PART_OF_WORD = {word: part for part, words in SCORES.items() for word in words}
_TABLE["seed"]["words"] += SCORES["repeat"]
_TIER_OF_WORD = {word: place for tiers in _TIERS.values() for place, tier in enumerate(tiers) for word in tier}
_NUMBERING = frozenset({"no", "nr", "number", "nummer", "num", "numero", "numéro", "núm"})
_CALLED_AS_ITEMS = frozenset({"question", "prompt", "query", "item", "problem", "topic", "q", "qid"})
_KEYS, _TASKS = ("system", "metric", "repeat"), frozenset({"task", "task_name"})
_COUNTED = frozenset({"run", "run_id", "runid", "name", "lauf"})
"""Words for systems that number the runs of one, where their column holds numbers beside another column of systems."""

AVERAGES = frozenset(_TABLE["aggregate"]["rows"])
"""What stands in place of a topic where a row holds averages; in lower case."""
SPREADS = frozenset({*_TABLE["error"]["words"], *_TABLE["sd"]["words"]} - {"se", "sd", "sem", "var", "sigma"})
"""What stands there where a row says how the scores vary; as `word_of` writes it."""
PERHAPS = frozenset(
    {*_TABLE["aggregate"]["words"], *_TABLE["range"]["words"], "se", "sem", "sd", "sigma", "var", "count"}
)
"""What may be a summary, or a topic."""
BOARD = {kind: frozenset(words) for kind, words in _TABLE["board"].items()}
"""What boards of means call columns of means, rates, tasks and levels of confidence, as `word_of` writes it."""
NO_ITEMS = frozenset(_TABLE["n"]["no_items"])
"""Counts that are none of the items behind a mean."""
REMARKS = frozenset(_TABLE["text"]["remarks"])
"""Words for columns in which people write what comes to their mind, or nothing."""
TEXTS = frozenset(_TABLE["text"]["words"])
"""Columns of words in the frames of ragas and DeepEval: what was asked, found, answered and expected."""
ANSWERS = frozenset(_TABLE["text"]["answers"])
"""Those of them that a system wrote, or that say something of it."""
_ASKED = frozenset(_TABLE["text"]["asked"])
"""Those of them that say what was asked, where no other column names the items."""
_OF_APP = "app_"
"""How columns begin that name a system by application, version and hash."""
_SETTINGS = frozenset(_TABLE["cost"]["settings"])
"""Words in names of sizes that somebody sets, so that they distinguish systems; other costs are measured."""
_FALLS: Mapping[str, Sequence[str]] = _TABLE["lower"]
_UNWANTED = frozenset(f"{word}{plural}" for word in _FALLS["things"] for plural in ("", "s", "es"))
_ALONE = frozenset(f"{word}{plural}" for word in _FALLS["alone"] for plural in ("", "s"))
_RATES = frozenset(f"{word}_{rate}" for word in {*_UNWANTED, *_ALONE, *_FALLS["shares"]} for rate in _FALLS["rates"])
LOWER = frozenset(_FALLS["words"]) | _UNWANTED | _ALONE | _RATES
"""Metrics where lower is better, whoever computes them."""
TWO_SIDED = "higher is taken to be better under {}, called as errors, with scores on both sides of 0, as z-scores are"
_SIGNED = frozenset(_FALLS["signed"])
"""Those of them that may be below 0; numbers of the others that are were turned, so that higher is better."""
_SIMILARITIES = frozenset(_FALLS["similarities"])
"""Those of them that are similarities where all numbers lie between 0 and 1, as autoevals computes them."""
_FALLING_TAILS, _FALLING_HEADS = frozenset(_FALLS["tails"]) | _UNWANTED | _RATES, frozenset(_FALLS["heads"])
_TURNED = frozenset(_FALLS["turned"])
_SURELY = frozenset(_FALLS["surely"])
"""Those of them that are measures wherever they stand."""
_RISES = frozenset(_FALLS["rises"])
"""Words of names of which more is better."""
_SETS = frozenset({"train", "training", "val", "valid", "validation", "dev", "test", "eval", "holdout", "cv", "oof"})
"""What sets of items are called, without which a name is that of a metric."""
_SAID = {
    better: re.compile(
        rf"(?<=[\s_(\[,-])(?:{words})(?:[\s_-]*(?:is|are|=|values?)?[\s_-]*better)?(?:[\s_)\]]*)\Z", re.IGNORECASE
    )
    for better, words in {False: "lower|smaller|less", True: "higher|larger|more"}.items()
}
_ENDS = {end: f"(?P<{end}>{words})" for end, words in {
    "best": "best|beste[rs]?|sehr gut|very good|excellent|meilleure?|très bien|mejor|migliore|melhor|najlepsz[aey]",
    "worst": "worst|schlechteste[rs]?|very bad|poor|ungenügend|pire|peor|peggiore|pior|najgorsz[aey]",
}.items()}  # fmt: skip
_IS, _GRADE = r"\s*(?:=|:|\bis\b|\bist\b|\best\b|\bes\b)\s*", r"(?<![\w.])(?P<grade>[0-9]+)"
_BEST_GRADE = [
    re.compile(text, re.IGNORECASE)
    for text in (
        rf"{_GRADE}{_IS}(?:the )?(?:{'|'.join(_ENDS.values())})\b",
        rf"\b(?:{'|'.join(_ENDS.values())}){_IS}{_GRADE}",
    )
]
"""A scale of grades in a name: 1 = best, worst: 6."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z][a-z])")
_IN_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
SPLITS = frozenset(_FALLS["splits"])
"""What may stand before or after the name of a metric, and does not turn it."""
FEATURES = frozenset(_TABLE["perhaps"]["cell"]["a feature of the items"])
"""What a column of numbers beside labels is called that describes items, as `word_of` writes it."""
LABEL_WORDS = {kind: frozenset(words) for kind, words in _TABLE["labels"].items()}
"""Words in names of labels: "settled" after judges had given theirs, "called" as labels, "coarser" forms."""
SURVEY = {kind: tuple(words) for kind, words in _TABLE["survey"].items()}
"""What columns of answers to a survey are called, beside those of answers."""
SINGLE_REPEATS = frozenset(_TABLE["single"]["words"])
"""What numbers the repeats of each item by itself: the first of one has nothing to do with the first of another."""
WITHIN_ITEMS = frozenset(_TABLE["within"]["words"])
"""What parts an item into others, such as the turns of a conversation, as `word_of` writes it."""
OF_SETS = frozenset(_TABLE["set"]["words"])
"""What data are parted into, as `word_of` writes it."""
PIECES = frozenset(_TABLE["within"]["pieces"])
"""What texts and their pieces are called, which may name an item together."""
COMPUTED = frozenset({*_TABLE["computed"]["words"], *_TABLE["aggregate"]["words"]})
"""What is computed from several judges, as `word_of` writes it."""
_APART = re.compile(r"(?:abs\s*)?[|(].+[-\N{MINUS SIGN}\N{EN DASH}].+[|)]", re.IGNORECASE)
"""How far two are apart: |A-B|."""
_AGREE = frozenset({"agree", "agrees", "agreement", "disagree", "disagreement", "majority"})
PERHAPS_SCORES: Mapping[str, Mapping[str, str]] = {
    along: {word: says for says, words in entry.items() for word in words} for along, entry in _TABLE["perhaps"].items()
}
"""What a score may be called too, by what columns are: word to what it is then."""
WHOLE = frozenset(_TABLE["whole"]["words"])
"""What boards call the one score of a system."""

ROLES = tuple(role for role, entry in _TABLE.items() if "says" in entry and role != "text")
ERRORS = frozenset({"error", "sd", "half", "unsure"})
INTERVAL_WORDS = frozenset(word for part in ("interval", "limit", "silent") for word in _TABLE["bounds"][part])
"""What names of the ends of intervals hold beside the end, and what it is of."""
HIGHER = dict(zip(_TABLE["bounds"]["high"], _TABLE["bounds"]["low"], strict=True))
"""Words for an upper end to those for the lower one."""
BOUNDS = frozenset({"low", "high", "range"})
SUMMARIES = frozenset({"aggregate", "range", "sd", "error", "half"})
"""Roles of rows that say something of the others; whether one does its numbers tell."""
MADE = frozenset(_TABLE["made"]["words"])
"""What may be made of others, and a system or topic as well."""
_TOTALS = frozenset({*_TABLE["aggregate"]["words"]} - {"all", "sum", "total", "gm", "media", "median"})
_OF_NO_SCORE = frozenset({"cost", "time", "rank", "n", "size"})
_EXPERIMENT, _OF_EXPERIMENTS = "session_name", frozenset({"reference_example_id", "example_id"})
"""What LangSmith calls an experiment where it exports one; beside no examples a session is one of anybody's."""
_AGAINST = frozenset(_TABLE["difference"]["against"])
"""Words before what something is compared with."""
_COMPARES, _TWO_ITEMS = re.compile(r"[<>=≤≥]"), 2
_MEASURED = ("cost", "size", "time")
_UNITS = frozenset(_TABLE["unit"]["words"])
LETTERS = frozenset(_TABLE["row"]["letters"])
"""Abbreviations of spreads that may be items as well."""
_OF_ROWS = frozenset(_TABLE["row"]["words"])
"""What a row among items may be called that is none, beside the words of roles."""
_CONSTANT = frozenset(_TABLE["constant"]["words"])
_SAME_FOR_ALL = frozenset({"target", "most", "n"})
_SYSTEMS_TOO = frozenset({"baseline", "base_line"})
_NO_ROWS = frozenset({"id", "part", "seed", "version", "size"})
"""Roles whose words name items too."""
_KINDS_OF_RANKS = frozenset(_TABLE["rank"]["averages"])
"""What is said of ranks alone: an average one is no average of scores."""
_OF_SPLIT = re.compile("(?:_(?:train|test|val|valid|dev|marginal))+")
_DELTA = re.compile(r"(?:δ_?|delta_)(?=.)")
_NUMBER_OF = re.compile(r"#\s*[^\W\d]")
_LEVEL = re.compile(r"(?:68|80|90|95|99)%?")
_YEAR = re.compile(r"_(?:19|20)[0-9]{2}\Z|\A(?:19|20)[0-9]{2}(?:_|\Z)")
_CUTOFF = re.compile(r"(?<=[a-z])@[0-9]+(?=_|$)")
_PER = re.compile(r"(?<=\w)(?:\s*/|\s+(?:per|pro|je|por|par)\s).*", re.IGNORECASE)
"""What a measure is divided by: Kosten/1000 Anfragen, coût par requête."""
_COUNTED_THINGS = frozenset(_TABLE["n"]["things"])
_COUNTED_THINGS |= {f"{word}s" for word in _COUNTED_THINGS} | {"queries"}
_OF_ALL = frozenset(_TABLE["aggregate"]["of_all"])
"""What an average of may be said to be that is one of everything: a task average."""
_CATEGORIES = frozenset(_TABLE["aggregate"]["categories"])
"""Those of them that may be one category of a board."""
AVERAGE_HEADS = frozenset(_TABLE["aggregate"]["heads"])
"""What an average is called, whatever qualifies it: a trimmed mean."""
_OF_AVERAGES = AVERAGE_HEADS | _OF_ALL | frozenset(_TABLE["aggregate"]["qualifiers"])
_SUBTOTAL = "|".join(map(re.escape, sorted(_TABLE["aggregate"]["subtotals"], key=len, reverse=True)))
_SUBTOTALS = re.compile(
    rf"(?:sub-?total|zwischensumme|sous-total|subtotale)|(?:{_SUBTOTAL})[\s.:_-]+(?:of[\s_]+)?\S.*|\S.*[\s_:-]+[(\[]?(?:{_SUBTOTAL})\.?[)\]]?",
    re.IGNORECASE,
)
_QUALIFIED = re.compile(
    r"\s*(?:[(\[][^()\[\]]*[)\]]|(?<=\s)(?:w/o|without|excl\.?|excluding|except|ohne|sans|sin|senza)\s.+)\s*$",
    re.IGNORECASE,
)


class ColumnRoles(NamedTuple):
    """Which column of a long table of scores plays which part."""

    parts: dict[str, str]
    """Part (a key of `SCORES`) to the name of its column."""
    others: list[str]
    """Columns without a part, in order; unnamed ones (a saved row number) are left out."""


class RoleColumn(NamedTuple):
    """A column that is no score."""

    name: str
    role: str
    """One of `ROLES`."""
    why: str
    """What it is, and of what."""
    of: str = ""
    """The column that it is about, where there is one."""
    sure: bool = True
    """Whether name and values agree; a column that they disagree about is asked for."""


def word_of(name: object) -> str:
    """Return a name as the words of ``roles.toml`` are written.

    Examples
    --------
    >>> word_of("Query-ID"), word_of("Std. Error"), word_of("acc (SE)")
    ('query_id', 'std_error', 'acc_se')
    """
    text = without_mark(str(name))
    text = _PLUS_MINUS.sub("±", text) if "+" in text else text
    return _DIVISION.sub("_", text.strip()).casefold().strip("_?") if len(text) < _LONGEST_WORD else ""


def bare_word(name: object) -> str:
    """Return the word of a name without what qualifies it: Average (4 tasks), Params (B), Avg w/o CoLA."""
    return word_of(_QUALIFIED.sub("", str(name)[:_LONGEST_WORD])).lstrip("#")


# ------------------------------------------------------------------------------------------- parts of a long table


_OF_RANKINGS = re.compile(r"(n?dcg|m?ap|m?rr|n?rbp|nerr|bpref)(?![^\W\d_])", re.IGNORECASE)
"""Begins measures of rankings."""


def rises_by_name(metric: str, below: float = 0.0, most: float = math.inf) -> bool:
    """Whether higher is better under a metric of this name, as far as names tell: an arrow, a word, a word of a split.

    `below` is the share of its scores below 0, of those that are not 0, and `most` the highest. What counts errors is
    not below 0 but where its sign was reversed, as in MQM of WMT, so that nearly all are; where many are on either
    side, as z-scores are, no name tells, and they are taken as they stand. A Levenshtein distance of at most 1
    throughout is a similarity, as in autoevals.

    Examples
    --------
    >>> [rises_by_name(name) for name in ("nDCG@10", "Perplexity", "TER ↓", "WER (↑)", "val_loss", "error_detection")]
    [True, False, False, True, False, True]
    >>> [rises_by_name(name) for name in ("word_error_rate", "RMSE (m)", "wer_clean", "non-toxicity", "ERR", "Top1Err")]
    [False, False, False, True, True, False]
    >>> [rises_by_name(name) for name in ("human (1 = best)", "Note (1=sehr gut, 6=ungenügend)", "5 = best", "1-best")]
    [False, False, True, True]
    >>> rises_by_name("MQM", below=0.001), rises_by_name("MQM", below=1.0), rises_by_name("loss", below=1.0)
    (False, True, False)
    >>> rises_by_name("Levenshtein", most=1.0), rises_by_name("Levenshtein", most=7.0), rises_by_name("WER", most=1.0)
    (True, False, False)
    """
    if (said := said_direction(metric)) is not None:
        return said
    if (scale := next(filter(None, (grade.search(metric) for grade in _BEST_GRADE)), None)) is not None:
        return (int(scale["grade"]) > 1) == bool(scale["best"])
    falls = "" if metric == _OF_RANKS else _what_falls(metric) or _what_falls(_CAMEL.sub("_", metric))
    return not falls or (below > _FEW_BELOW and falls not in _SIGNED) or (falls in _SIMILARITIES and most <= 1)


def measures_beside(names: Iterable[str]) -> dict[str, str]:
    """Return the measure of each name: err is an error rate, but beside nDCG, AP or RR it is ERR.

    Examples
    --------
    >>> measures_beside(["ndcg20", "err"])["err"], measures_beside(["accuracy", "err"])["err"]
    ('ERR', 'err')
    """
    names = [*names]
    ranked = any(_OF_RANKINGS.match(name) for name in names)
    return {name: "ERR" if ranked and name.casefold() == "err" else name for name in names}


def said_direction(name: str) -> bool | None:
    """Return whether an arrow, or a phrase at the end of a name, says that higher is better; None where neither does.

    Examples
    --------
    >>> said_direction("de ↓"), said_direction("Errors (higher is better)"), said_direction("WER")
    (False, True, None)
    """
    if arrows := set(ARROWS).intersection(name):
        return arrows == {"↑"}
    return next((better for better, said in _SAID.items() if said.search(name)), None)


def surely_falls(name: str, *, at_end: bool = False) -> bool:
    """Whether a name is that of a measure of which less is better wherever it stands, or, `at_end`, of a longer name.

    Examples
    --------
    >>> [surely_falls(name) for name in ("WER", "error rate", "WER (%)", "sub", "toxicity")]
    [True, True, True, False, False]
    >>> surely_falls("toxicity", at_end=True), surely_falls("sub", at_end=True)
    (True, False)
    """
    words = {word_of(name), word_of(_IN_BRACKETS.sub("", name).strip(" %"))}
    return not words.isdisjoint(_SURELY | _FALLING_TAILS if at_end else _SURELY)


def is_error_measure(name: str) -> bool:
    """Whether a name is that of a measure of which less is better, but for words of a split, and holds nothing else.

    Examples
    --------
    >>> [is_error_measure(name) for name in ("wer", "val_loss", "bd_wer", "hallucination_eval")]
    [True, True, False, False]
    """
    return "_".join(word for word in word_of(name).split("_") if word not in SPLITS) in _FALLS["words"]


def holds_error_measure(name: str) -> bool:
    """Whether a longer name begins or ends with a measure of which less is better wherever it stands.

    Examples
    --------
    >>> [holds_error_measure(name) for name in ("wer_results", "2024 WER", "hallucination_eval", "wer")]
    [True, True, False, False]
    """
    words = word_of(name).split("_")
    ends = {"_".join(end) for length in (1, 2, 3) for end in (words[:length], words[-length:]) if length < len(words)}
    return not ends.isdisjoint(_SURELY) and not is_error_measure(name) and said_direction(name) is None


def _what_falls(metric: str) -> str:
    """Return the word of a name for something of which less is better; "" where no word says so."""
    unit_less = _IN_BRACKETS.sub("", metric).strip(" %")
    for name in (metric, unit_less):
        words = word_of(name).split("_")
        while len(words) > 1 and words[0] in SPLITS:
            words = words[1:]
        while len(words) > 1 and words[-1] in SPLITS:
            words = words[:-1]
        for called in (word_of(name), "_".join(words)):
            if called in LOWER:
                return called
    if len(words) > 1 and is_measure(words[-1]) and words[-1] not in LOWER:
        return ""
    if not _TURNED.isdisjoint(words[1:] if words[0] in _FALLING_HEADS else words[:-1]):
        return ""
    ends = ["_".join(words[-length:]) for length in (1, 2, 3)]
    starts = ["_".join(words[:length]) for length in (1, 2)]
    return next(
        (
            called
            for called, known in [
                *((end, _FALLING_TAILS) for end in ends),
                *((start, _FALLING_HEADS) for start in starts),
            ]
            if called in known
        ),
        "",
    )


def falling_among(ranges: Mapping[str, tuple[float, float]]) -> list[str]:
    """Return the names, beside others, of what less is better of; `ranges` is that of `ranges_of_scores`.

    A short name among such as are spelled alike is a code: per of Persian, PER of persons.

    Examples
    --------
    >>> some = (0.0, 50.0)
    >>> falling_among({"MMLU": some, "GSM8K": some, "WER": some}), falling_among({"WER": some, "CER": some})
    (['WER'], [])
    >>> falling_among({"deu": some, "per": some, "swe": some}), falling_among({"LOC": some, "ORG": some, "PER": some})
    ([], [])
    """
    shapes = Counter((len(name), name.islower()) for name in ranges)
    falling = [name for name, seen in ranges.items() if not rises_by_name(name, *seen)]
    codes = {
        name
        for name in falling
        if len(name) <= _LONGEST_CODE and (name.islower() or word_of(name) not in _FALLING_HEADS)
    }
    codes = {name for name in codes if 2 * (shapes[len(name), name.islower()] - 1) > len(ranges) - 1}
    return [name for name in falling if name not in codes] if len(falling) < len(ranges) else []


def ranges_of_scores(metrics: Iterable[str], scores: Floats) -> dict[str, tuple[float, float]]:
    """Return the share below 0 of the scores that are not 0, and the highest, by metric; metrics are the first axis.

    Examples
    --------
    >>> ranges_of_scores(["MQM", "BLEU"], np.array([[-2.0, np.nan, 0.0], [30.0, 28.5, -1.0]]))
    {'MQM': (1.0, 0.0), 'BLEU': (0.3333333333333333, 30.0)}
    """
    flat = scores.reshape(len(scores), -1)
    below, above = (flat < 0.0).sum(axis=1), (flat > 0.0).sum(axis=1)
    most = np.fmax.reduce(flat, axis=1, initial=-np.inf)
    shares = below / np.maximum(below + above, 1)
    return dict(zip(metrics, zip(shares.tolist(), most.tolist(), strict=True), strict=True))


def is_turned(below: float) -> bool:
    """Whether this share of scores below 0 is that of errors whose sign was reversed: all but a few.

    Examples
    --------
    >>> is_turned(0.5), is_turned(0.99)
    (False, True)
    """
    return below >= 1.0 - _FEW_BELOW


def is_two_sided(metric: str, below: float, most: float) -> bool:
    """Whether a metric called as errors has many scores on either side of 0, so that its direction is not known.

    Examples
    --------
    >>> [is_two_sided("TER", share, 3.0) for share in (0.001, 0.5, 1.0)], is_two_sided("BLEU", 0.5, 3.0)
    ([False, True, False], False)
    """
    rises = rises_by_name(metric, below, most) and not rises_by_name(metric, 0.0, most)
    return rises and not is_turned(below)


def notes_on_directions(
    ranges: Mapping[str, tuple[float, float]],
    of_files: Collection[str] = (),
    *,
    measures: Mapping[str, str] | None = None,
) -> list[str]:
    """Return what is said of directions that names tell, or do not, by metric and what `ranges_of_scores` has.

    Nobody called a metric as its file is called (`of_files`), which need not say whether more of it is better. Of
    names that hold more than a measure `measures` has this, which tells the direction.

    Examples
    --------
    >>> told = notes_on_directions({"BLEU": (0.1, 3.0), "MQM": (1.0, 0.0), "TER": (0.5, 2.0)})
    >>> [note.partition(";")[0] for note in told][0]
    'higher is better under MQM, numbers of errors with their sign reversed (below 0)'
    >>> told[1].partition(";")[0]
    'higher is taken to be better under TER, called as errors, with scores on both sides of 0, as z-scores are'
    """
    measure_of = {metric: metric for metric in ranges} | dict(measures or {})
    falling = [metric for metric, seen in ranges.items() if not rises_by_name(measure_of[metric], *seen)]
    turned = [metric for metric in ranges if metric not in falling and not rises_by_name(measure_of[metric])]
    unknown = [metric for metric in turned if is_two_sided(measure_of[metric], *ranges[metric])]
    says = {"lower is better under {}, by name": falling}
    says["higher is better under {}, numbers of errors with their sign reversed (below 0)"] = [
        metric for metric in turned if ranges[metric][0] > _FEW_BELOW and metric not in unknown
    ]
    says[TWO_SIDED] = unknown
    says["higher is better under {}, taken for a similarity, as no score is above 1"] = [
        metric for metric in turned if ranges[metric][0] <= _FEW_BELOW
    ]
    unsaid = "higher is taken to be better under {}, of which no name says so"
    says[unsaid] = [
        metric for metric in ranges if metric not in {*falling, *turned, *of_files} and not _says_better(metric)
    ]
    notes = {
        text: f"{text.format(first_few(metrics))}; pass `higher_is_better={ {metrics[0]: metrics is falling} }` if it "
        "is not"
        for text, metrics in says.items()
        if metrics
    }
    return [UnsaidDirection(note) if text == unsaid else note for text, note in notes.items()]


def _says_better(metric: str) -> bool:
    """Whether a name says that more is better: that of a metric, an arrow or a word for something good; or no word."""
    words = [word for word in re.split(r"[\W_\d]+", _CAMEL.sub("_", metric).casefold()) if len(word) > 1]
    said = metric_evidence([metric, *words, *metric.split("_")]) or not _RISES.isdisjoint(words) or "↑" in metric
    return bool(said) or not words or any(text.search(metric) for text in (_SAID[True], *_BEST_GRADE))


def part_of_word(word: object) -> str | None:
    """Return the part of a long table of scores that a column of this name plays, None for none.

    Examples
    --------
    >>> part_of_word("Query-ID"), part_of_word("Système"), part_of_word("runName"), part_of_word("bm25")
    ('topic', 'system', 'system', None)
    """
    return _PART_OF_WORD.get(_known_word(word))


def _known_word(name: object) -> str:
    """Return the word of a name, without accents where it is not known with them, of a topic no. without the number.

    Names that run together (runName, datasetItemId) are known by their parts too.
    """
    word = word_of(name)
    if word not in _PART_OF_WORD and (parted := word_of(_CAMEL.sub("_", str(name)))) in _PART_OF_WORD:
        return parted
    stem, _, end = word.rpartition("_")
    if end in _NUMBERING and _PART_OF_WORD.get(stem) == "topic":
        return stem
    if word.isascii() or word in _PART_OF_WORD:
        return word
    return without_accents(word)


def column_roles(
    columns: Iterable[object],
    *,
    chosen: Mapping[str, str] | None = None,
    ignored: Iterable[str] = (),
    cells: Callable[[str], Sequence[str]] | None = None,
    all_cells: Callable[[str], Sequence[str]] | None = None,
) -> ColumnRoles:
    """Find out which columns of a long table hold system, topic, metric, score and what else has a part in `SCORES`.

    `cells` gives some cells of a column, which tell a system's runs by number from names of systems; `all_cells` many,
    which tell items from their groups.

    Examples
    --------
    >>> column_roles(["name", "qid", "measure", "value", "fold"])
    ColumnRoles(parts={'system': 'name', 'topic': 'qid', 'metric': 'measure', 'score': 'value'}, others=['fold'])
    """
    parts = dict(chosen or {})
    taken = {*parts.values(), *ignored}
    candidates: dict[str, list[str]] = {}
    others = []
    headers = list(map(str, columns))
    siblings = Counter(name[:-1] for name in headers)
    free = [name for name in headers if name not in taken]
    instead = _unsure(free, parts, cells, all_cells or cells)
    if cells is not None and not parts and {*map(part_of_word, free)}.isdisjoint({"system", "topic", "metric"}):
        instead |= dict.fromkeys(_column_asked(free, cells), "topic")
    for column in headers:
        role = instead.get(column, part_of_word(column))
        if column in taken:
            continue
        role = None if siblings[column[:-1]] > _FEW_SIBLINGS else role  # modela to modele
        if role is not None and role not in parts:
            candidates.setdefault(role, []).append(column)
        elif not is_unnamed(column):
            others.append(column)
    for role, names in candidates.items():
        if len(set(names)) < len(names):
            second = place_of_second_table(headers)
            beside = f"; a second table stands beside the first, from column {second + 1} on: save each as a file"
            raise ScoresError(f"two columns are called {names[0]!r}; names must be unique{beside * (second > 0)}")
        if len(names) > 1:
            if role == "system" and cells is not None:
                _refuse_rows_of_runs(names, [name for name in headers if name not in taken], cells)
            raise ScoresError(
                f"columns {' and '.join(map(repr, names))} could both be the {role}; rename or leave out all but one "
                f"(`columns={{{role!r}: {names[0]!r}, 'ignore': {names[1:]!r}}}`)"
            )
        parts[role] = names[0]
    return ColumnRoles({role: parts[role] for role in SCORES if role in parts}, others)


def _column_asked(columns: Iterable[str], cells: Callable[[str], Sequence[str]]) -> list[str]:
    """Return the one column that says what was asked, in words of its own in every row; nothing where several do."""
    asked = [name for name in columns if word_of(name) in _ASKED]
    texts = [] if len(asked) != 1 else [cell.strip() for cell in cells(asked[0])]
    return asked if len({*texts} - {""}) == len(texts) > 0 and not any(map(_NUMBER.fullmatch, texts)) else []


def place_of_second_table(header: Sequence[str]) -> int:
    """Return where the first name stands again behind a column without one, as where two tables were put; else 0.

    Examples
    --------
    >>> place_of_second_table(["topic", "a", "", "topic", "b"]), place_of_second_table(["topic", "a", "topic"])
    (3, 0)
    """
    names = [*map(str.strip, header)]
    return next((at for at in range(2, len(names)) if names[at] == names[0] != "" == names[at - 1]), 0)


def _refuse_rows_of_runs(names: Sequence[str], columns: Sequence[str], cells: Callable[[str], Sequence[str]]) -> None:
    """Refuse a list of runs, each named in several ways, and say what was compared on what where two columns tell."""
    if any(len({*cells(name)}) < len(cells(name)) for name in names) or len(cells(names[0])) < _FEW_RUNS:
        return
    settings = {name: cells(name) for name in columns if 1 < len({*cells(name)}) < len(cells(name))}
    numbered = [
        name for name in settings if part_of_word(name) == "repeat" or role_of_name(name)[0] in {"seed", "version"}
    ]
    way = "name the column of what is compared, and that of what it was run on"
    for item in numbered:
        for system, values in settings.items():
            sizes = len({*values}), len({*settings[item]}), len({*zip(values, settings[item], strict=True)})
            if system not in numbered and sizes[0] * sizes[1] == sizes[2] == len(values):
                way = f"pass `columns={ {'system': system, 'topic': item}!r}` to compare them by {item}"
                break
    raise ScoresError(
        f"every row is a run by itself, named in {' and '.join(map(repr, names))}, so no name was run twice; {way}"
    )


def _unsure(
    columns: Sequence[str],
    chosen: Mapping[str, str],
    cells: Callable[[str], Sequence[str]] | None,
    all_cells: Callable[[str], Sequence[str]] | None,
) -> dict[str, str | None]:
    """Return the parts of columns called as others that are surer: a task is a topic's cluster, the rest have none."""
    grouped = chosen.keys() & {"cluster", "stratum"} or any(
        part_of_word(name) in {"cluster", "stratum"} for name in columns
    )
    unsure: dict[str, str | None] = {}
    if _OF_EXPERIMENTS.isdisjoint(map(word_of, columns)):
        unsure |= dict.fromkeys(name for name in columns if word_of(name) == _EXPERIMENT)
    for role in ("system", "topic", "repeat"):
        tiers = {name: _TIER_OF_WORD[_known_word(name)] for name in columns if part_of_word(name) == role}
        if role == "system" and cells is not None:
            runs = _numbered_runs(tiers, cells)
            unsure |= dict.fromkeys(runs, "repeat" if "repeat" not in chosen else None)
            has_metric = "metric" in chosen or any(part_of_word(name) == "metric" for name in columns)
            metrics = [name for name in tiers if word_of(name) == "name" and are_metrics({*cells(name)})]
            unsure |= dict.fromkeys([] if has_metric else metrics, "metric")
            of_rows = _names_of_rows(tiers, columns, cells) + _constant_of_app(tiers, cells)
            unsure |= dict.fromkeys(of_rows)
            tiers = {name: tier for name, tier in tiers.items() if name not in {*runs, *metrics, *of_rows}}
        if role == "topic" and cells is not None:
            prompts = [
                name
                for name in tiers
                if word_of(name) == "prompt"
                and any(_cross(cells(name), cells(other)) for other in tiers if other != name)
            ]
            unsure |= dict.fromkeys(prompts)  # ways to ask the same, not what is asked
            tiers = {name: tier for name, tier in tiers.items() if name not in prompts}
            unsure |= dict.fromkeys(ids := ids_of_systems(columns, chosen, cells))
            tiers = {name: tier for name, tier in tiers.items() if name not in ids}
            samples = [name for name in tiers if _numbers_samples(name, tiers, cells)]
            named = "repeat" in chosen or any(part_of_word(name) == "repeat" for name in columns)
            unsure |= dict.fromkeys(samples, None if named or len(samples) > 1 else "repeat")
            tiers = {name: tier for name, tier in tiers.items() if name not in samples}
        if role == "topic" and all_cells is not None and role not in chosen and len(tiers) > 1:
            keys = [chosen[key] for key in _KEYS if chosen.get(key) in columns]  # readers refuse others
            keys += [name for name in columns if unsure.get(name, part_of_word(name)) in _KEYS]
            groups = _groups_of_items(tiers, keys, all_cells)
            unsure |= {name: "cluster" if word_of(name) in _TASKS and not grouped else None for name in groups}
            tiers = {name: tier for name, tier in tiers.items() if name not in groups}
        surest = -1 if role in chosen else min(tiers.values(), default=0)
        unsure |= {
            name: "cluster" if word_of(name) in _TASKS and not grouped else None
            for name, tier in tiers.items()
            if tier > surest
        }
    return unsure


def ids_of_systems(
    columns: Sequence[str], chosen: Mapping[str, str], cells: Callable[[str], Sequence[str]]
) -> list[str]:
    """Return the column called id that numbers the rows of a table with a row a system, as exported boards have it.

    Examples
    --------
    >>> rows = {"ID": ["3", "1"], "model": ["a", "b"], "t1": ["0.5", "0.4"]}
    >>> ids_of_systems(list(rows), {}, rows.__getitem__), ids_of_systems(["ID", "t1"], {}, rows.__getitem__)
    (['ID'], [])
    """
    topics, systems = ([name for name in columns if part_of_word(name) == role] for role in ("topic", "system"))
    systems = [chosen["system"]] if "system" in chosen else systems
    if len(topics) != 1 or len(systems) != 1 or "topic" in chosen or role_of_name(topics[0]) != ("id", ""):
        return []
    if all(_NUMBER.fullmatch(cell.strip()) for cell in cells(systems[0])):  # scores of a system that is called so
        return []
    return topics if all(len({*cells(name)}) == len(cells(name)) > 1 for name in (*topics, *systems)) else []


def _cross(cells: Sequence[str], others: Sequence[str]) -> bool:
    """Whether each name stands with each of several others."""
    n_others = len({*others})
    return n_others > 1 and len({*zip(cells, others, strict=True)}) == len({*cells}) * n_others


def _groups_of_items(tiers: Mapping[str, int], keys: Sequence[str], cells: Callable[[str], Sequence[str]]) -> list[str]:
    """Return the columns called as items at least as surely as another one, each of whose items stands in one of them.

    Rows of one system, metric and repeat share a group, and systems share items: else each row has a name of its own.
    """
    cells_of = {name: cells(name) for name in (*tiers, *keys)}

    def n_combined(*names: str) -> int:
        return len({*zip(*(cells_of[name] for name in names), strict=True)})

    return [
        group
        for group in tiers
        if n_combined(group, *keys) < len(cells_of[group])
        and any(
            tiers[group] <= tiers[item]
            and n_combined(item, group) == n_combined(item) > n_combined(group) > 1
            and (not keys or n_combined(*keys) == 1 or n_combined(item) < n_combined(item, *keys))
            for item in tiers
        )
    ]


def _numbers_samples(name: str, topics: Iterable[str], cells: Callable[[str], Sequence[str]]) -> bool:
    """Whether a column called sample numbers the answers to each question, which another column names."""
    asked = [other for other in topics if other != name and word_of(other).removesuffix("_id") in _CALLED_AS_ITEMS]
    own = cells(name) if word_of(name) in {"sample", "sample_id"} else []
    return any(len({*zip(own, cells(other), strict=True)}) > max(len({*own}), len({*cells(other)})) for other in
               (asked if own else []))  # fmt: skip


def _numbered_runs(tiers: Mapping[str, int], cells: Callable[[str], Sequence[str]]) -> list[str]:
    """Return the columns called run that hold numbers, where another column names systems."""
    counted = [
        name for name in tiers if word_of(name) in _COUNTED and all(cell.strip().isdecimal() for cell in cells(name))
    ]
    return counted if len(counted) < len(tiers) else []


def _names_of_rows(
    tiers: Mapping[str, int], columns: Sequence[str], cells: Callable[[str], Sequence[str]]
) -> list[str]:
    """Return the columns called name or run that name each row otherwise, where others name systems and items."""
    recur = {name for name in columns if part_of_word(name) in {"system", "topic"} and _recur_somewhere(cells(name))}
    rivals = {part_of_word(name) for name in recur}
    return [
        name
        for name in tiers
        if word_of(name) in _COUNTED
        and rivals == {"system", "topic"}
        and len({*cells(name)}) == len(cells(name)) >= _FEW_RUNS
    ]


def _constant_of_app(tiers: Iterable[str], cells: Callable[[str], Sequence[str]]) -> list[str]:
    """Return the columns of name, version and hash of an application that do not vary, where others of them do.

    So is a name beside that of an experiment, which LangSmith gives what was run.
    """
    experiments = any(word_of(name) == _EXPERIMENT for name in tiers)
    constant = {name: len({*cells(name)}) == 1 for name in tiers if word_of(name).startswith(_OF_APP)}
    if experiments:
        return [name for name in tiers if word_of(name) == "name" and len({*cells(name)}) == 1]
    return [] if all(constant.values()) else [name for name, stays in constant.items() if stays]


def _recur_somewhere(cells: Sequence[str]) -> bool:
    return 1 < len({*cells}) < len(cells)


def unit_of_column(name: str) -> Unit:
    """Return what scores are of whose column of topics has this name.

    Examples
    --------
    >>> unit_of_column("Question-ID").topics, unit_of_column("nugget").clusters, unit_of_column("qid").topics
    ('items', 'topics', 'topics')
    """
    word = _known_word(name)
    if word in {"nugget", "nugget_id"}:
        return NUGGET
    if word in _ASKED:
        return ITEM
    return ITEM if _PART_OF_WORD.get(word) == "topic" and _TIER_OF_WORD[word] else TOPIC


def perhaps_constant(name: str) -> bool:
    """Whether a word for items also says who ran all of it, or in which letters (user, case): then it may not vary.

    Examples
    --------
    >>> perhaps_constant("User"), perhaps_constant("case"), perhaps_constant("qid")
    (True, True, False)
    """
    word = _known_word(name)
    return _PART_OF_WORD.get(word) == "topic" and _TIER_OF_WORD[word] == _TIER_OF_WORD["user"]


def numbers_runs(name: str) -> bool:
    """Whether a column is called as one of repeats or of numbers of runs.

    Examples
    --------
    >>> [numbers_runs(name) for name in ("seed", "Trial", "random seed", "topic", "segment")]
    [True, True, True, False, False]
    """
    return part_of_word(name) == "repeat" or role_of_name(name) == ("seed", "")


def item_column(columns: Mapping[str, Sequence[str]], system: str, others: Iterable[str]) -> list[str]:
    """Return the columns that could name the items of a long table: each value once a system, and under several.

    A column of numbers with decimals names nothing; one called by a word for what is no item names no item.

    Examples
    --------
    >>> columns = {"system": [*"aabb"], "seg": [*"1212"], "bleu": [".1", ".2", ".1", ".3"]}
    >>> item_column(columns, "system", ["seg", "bleu"])
    ['seg']
    """
    systems = columns[system]
    n_systems = len(set(systems))
    fitting = []
    for name in others:
        cells = columns[name]
        values = set(cells)
        if any(_is_decimal(cell) for cell in values) or role_of_name(name)[0] in {*ERRORS, *BOUNDS, "time"}:
            continue
        if tells_sizes(name, values):
            continue
        pairs = set(zip(systems, cells, strict=True))
        if len(pairs) == len(cells) and n_systems > 1 and 2 * len(values) <= len(cells) + len(values) // 2:
            fitting.append(name)
    return fitting


_KEYS = ("system", "metric", "repeat")


def _once_each(columns: Mapping[str, Sequence[str]], parts: Mapping[str, str], others: Iterable[str]) -> list[str]:
    """Return the columns that could name the items of each system under each metric and repeat."""
    keys = zip(*(columns[parts[role]] for role in _KEYS if role in parts), strict=True)
    return item_column({**columns, "\0": ["\0".join(map(str, key)) for key in keys]}, "\0", others)


def items_by_structure(
    columns: Mapping[str, Sequence[str]], parts: Mapping[str, str], others: Sequence[str], *, in_memory: bool = False
) -> dict[str, str]:
    """Return the part and name of the one column that can name items, or of one that does and one that numbers repeats.

    An error that says how to name them where it is not one.
    """
    fitting = _once_each(columns, parts, [name for name in others if not numbers_runs(name)])
    asked = [name for name in fitting if word_of(name) in _ASKED]
    fitting = asked if len(asked) == 1 else fitting
    system = parts["system"]
    if len(fitting) == 1 and word_of(system) == "name" and len({*columns[system]}) > len({*columns[fitting[0]]}):
        meanings = [{"system": first, "topic": second} for first, second in permutations((fitting[0], system))]
        passed = " or ".join(f"`columns={meaning!r}`" for meaning in meanings)
        raise ScoresError(
            f"either {system!r} or {fitting[0]!r} may name the systems, and the other one the items; "
            + ("call the columns 'system' and 'item'" if in_memory else f"pass {passed}")
        )
    keys = [columns[parts[role]] for role in _KEYS if role in parts]
    pairs = [] if fitting or "repeat" in parts else _items_and_repeats(columns, keys, others)
    if len(fitting) == 1 or len(pairs) == 1:
        return dict(zip(("topic", "repeat"), fitting or pairs[0], strict=False))
    apart = {role: name for role, name in parts.items() if role != "repeat"}
    runs = _once_each(columns, apart, filter(numbers_runs, [*others, *parts.values()]))
    could = fitting or [
        name
        for name in others
        if not numbers_runs(name)
        and underscored(name) not in JUDGES
        and role_of_name(name)[0] in {"", "id", "n", "rank", "seed", "version", "part"}
        and not (tells_sizes(name, columns[name]) or any(map(_is_decimal, columns[name])))
    ]
    settings = [name for name in others if not is_measured_cost(name)]
    sizes = [name for name in settings if tells_sizes(name, columns[name]) and len({*columns[name]}) > 1]
    if len(runs) == 1 and not could:
        raise ScoresError(_of_runs(system, runs[0], in_memory=in_memory))
    could = could or runs
    named = columns[parts["system"]]
    sized = next((name for name in sizes if len({*columns[name]}) < len(named)), "")
    ways = [ways_to_sizes(sized, parts, columns, in_memory=in_memory)] if sized else []
    if could:
        named = f"call the one that does 'item' ({', '.join(could)})"
        ways += [named if in_memory else f"say which does, such as `columns={ {'topic': could[0]}!r}`"]
    raise ScoresError(
        f"column {parts['system']!r} names systems in several rows each, and no column is known to name the items; "
        + "; else ".join(ways or ["add one, or keep one row a system"])
    )


def _of_runs(system: str, run: str, *, in_memory: bool) -> str:
    """Say what compares scores of whole runs, which no items have."""
    renamed = f"frame.rename(columns={ {run: 'item'}!r})"
    way = f"metaeval leaderboard --item-column {shlex.quote(run)} --unpaired"
    if in_memory:
        way = f"study_leaderboard(metaeval.tests_stat.unpaired_means(as_scores({renamed}, missing='pairwise')))"
    return (
        f"column {system!r} names systems in several rows each, which {run!r} distinguishes as runs, and none names "
        f"items; the means of such runs are compared (Welch's t) by {way}. Where there are items, give a row for every "
        "item and run, with a column item"
    )


def conditions_for_items(name: str, cells: Sequence[str], *, in_memory: bool = False) -> str:
    """Say that a column holds no items but what means are taken under, such as levels of relevance; "" where it may.

    Two names alone are no sample, and a name that compares (``rel>=2``) sets a condition.

    Examples
    --------
    >>> conditions_for_items("seg", [*"123"])
    ''
    """
    names = list(dict.fromkeys(cell.strip() for cell in cells))
    if len(names) > _TWO_ITEMS and not all(map(_COMPARES.search, names)):
        return ""
    way = "call the column 'item'" if in_memory else f"say `columns={ {'topic': name}!r}`"
    return (
        f"column {name!r} parts the scores of each system ({first_few(names, most=3)}) as parts or settings of an "
        "evaluation do, and nothing names the items: such means are without their spread, which tells whether a "
        f"difference is more than luck; give the scores of every item, or if these are items {way}"
    )


def _items_and_repeats(
    columns: Mapping[str, Sequence[str]], keys: Sequence[Sequence[str]], others: Sequence[str]
) -> list[tuple[str, str]]:
    """Return the columns of words that can name items, each with one that numbers the rows of every system on each."""
    counts = [
        name
        for name in others
        if role_of_name(name)[0] in {"", "seed", "id", "rank"}
        and not is_measure(name)
        and all(cell.strip().isdecimal() for cell in columns[name])
    ]
    words = [name for name in others if not any(map(_NUMBER.fullmatch, map(str.strip, columns[name])))]
    n_keys = len({*zip(*keys, strict=True)})
    return [
        (item, repeat)
        for item in words
        for repeat in counts
        if len({*zip(*keys, columns[item], columns[repeat], strict=True)}) == len(keys[0])
        and n_keys * len({*columns[item]}) * len({*columns[repeat]}) == len(keys[0]) > n_keys * len({*columns[item]})
    ]


def beside_metrics(known: ColumnRoles, columns: Sequence[str], *, chosen: Collection[str]) -> ColumnRoles:
    """Make a column called score one of several metrics, where no column names these and others are called so.

    Examples
    --------
    >>> beside_metrics(column_roles(["system", "qid", "f1", "score"]), ["system", "qid", "f1", "score"], chosen=())
    ColumnRoles(parts={'system': 'system', 'topic': 'qid'}, others=['f1', 'score'])
    """
    parts, others = known
    if "score" not in parts or {"score", "metric"} & {*chosen} or "metric" in parts:
        return known
    if not any(metric_evidence([name]) for name in others):
        return known
    remaining = {role: name for role, name in parts.items() if role != "score"}
    return ColumnRoles(remaining, [name for name in columns if name in {*others, parts["score"]}])


def named_by_models(
    columns: Mapping[str, Sequence[str]], parts: Mapping[str, str], others: Sequence[str], *, chosen: Collection[str]
) -> dict[str, str]:
    """Return the parts of a table whose column called name (or run) names what several models were given.

    It names items then, where each model has each at most once under a metric, and the models are the systems.

    Examples
    --------
    >>> columns = {"name": [*"xyxy"], "model": [*"aabb"], "acc": [*"1010"]}
    >>> named_by_models(columns, {"system": "name"}, ["model", "acc"], chosen=())
    {'system': 'model', 'topic': 'name'}
    """
    system = parts["system"]
    rivals = [name for name in others if part_of_word(name) == "system"]
    if "system" in chosen or word_of(system) not in _COUNTED or len(rivals) != 1:
        return dict(parts)
    names, models = columns[system], columns[rivals[0]]
    keys = [columns[parts[role]] for role in ("metric", "repeat") if role in parts]
    pairs, rows = {*zip(names, models, strict=True)}, {*zip(names, models, *keys, strict=True)}
    is_crossed = len(pairs) > max(len({*names}), len({*models})) and len(rows) == len(names)
    return {**parts, "system": rivals[0], "topic": system} if is_crossed else dict(parts)


def _recur(cells: Sequence[str]) -> bool:
    """Whether there are several names, and each stands in several rows."""
    return len({*cells}) > 1 and min(Counter(cells).values()) > 1


def refuse_items_of_one(
    columns: Mapping[str, Sequence[str]],
    parts: Mapping[str, str],
    others: Sequence[str],
    *,
    chosen: Collection[str] = (),
    in_memory: bool = False,
) -> None:
    """Refuse items of which each has one system, as every row's own id, where another column names what they share."""
    pairs = set(zip(columns[parts["system"]], columns[parts["topic"]], strict=True))
    if len({system for system, _ in pairs}) == 1 or len({topic for _, topic in pairs}) < len(pairs):
        return
    if "system" not in chosen and (graded := said_beside_people(columns, parts["system"], others)):
        raise ScoresError(f"{graded}, and no names of systems; {COMPARES_JUDGES}")
    if word_of(parts["system"]) == "name" and "system" not in chosen:
        likely = parts["system"]
        if len({*columns[likely]}) == len(columns[likely]):  # each names a row
            likely = next(
                (name for name in columns if part_of_word(name) == "system" and _recur(columns[name])), likely
            )
        raise ScoresError(
            f"column {parts['system']!r} has items of its own for each name, so the names may be those of metrics, of "
            f"runs or of systems; if {'they' if likely == parts['system'] else f'those in {likely!r}'} are systems, "
            f"say so with `columns={ {'system': likely}!r}`"
        )
    if "topic" in chosen:
        return
    shared = [name for name in _once_each(columns, parts, others) if len({*columns[name]}) > 1]
    if not shared:
        return
    way = (
        f"call it 'item' in the place of {parts['topic']!r}"
        if in_memory
        else f"pass `columns={ {'topic': shared[0]}!r}`"
    )
    also = f" (or {', '.join(map(repr, shared[1:4]))})" if len(shared) > 1 else ""
    raise ScoresError(
        f"column {parts['topic']!r} has another name in every row, so no two systems share an item; if {shared[0]!r}"
        f"{also} names what they share, {way}"
    )


def ways_to_sizes(
    name: str, parts: Mapping[str, str], columns: Mapping[str, Sequence[str]], *, in_memory: bool = False
) -> str:
    """Say how to distinguish systems that one name and a column of sizes name together."""
    system = f"{columns[parts['system']][0]} {columns[name][0]}"
    chosen = "keep the rows" if in_memory else f"pass `where={ {name: columns[name][0]}!r}` for those"
    return (
        f"if {parts['system']!r} and {name!r} name a system together, write both into one column ({system!r}), or "
        f"{chosen} of one"
    )


def tells_sizes(name: str, cells: Iterable[str]) -> bool:
    """Whether a column is called as one of sizes or costs and holds such, which distinguish systems and no items.

    Examples
    --------
    >>> tells_sizes("Model size", ["7B", "70B"]), tells_sizes("params", ["7"]), tells_sizes("dim", ["d0", "d1"])
    (True, True, False)
    """
    called = role_of_name(name)[0] in {"cost", "size"} or "size" in word_of(name).split("_")
    return called and all(_SIZE.fullmatch(cell.strip()) for cell in cells)


def is_measured_cost(name: str) -> bool:
    """Whether a column is called as what answers cost, which is measured and distinguishes neither systems nor sets.

    Examples
    --------
    >>> [is_measured_cost(name) for name in ("latency", "total_tokens", "max_tokens", "Params (B)", "dim")]
    [True, True, False, False, False]
    """
    return role_of_name(name)[0] == "cost" and _SETTINGS.isdisjoint(word_of(name).split("_"))


def _is_decimal(cell: str) -> bool:
    text = cell.strip()
    return not text or (
        not text.lstrip("+-").isdecimal() and bool(re.fullmatch(r"[+-]?[0-9.,]+(e[+-]?[0-9]+)?", text.casefold()))
    )


# ---------------------------------------------------------------------------------------------- what is no score


_NOT_AVAILABLE = {"n/a", "n.a."}
"""Names that would else be a number (n) of something."""


@cache
def role_of_name(name: str) -> tuple[str, str]:
    """Return the role that a name says a column plays, "" for none, and the word for what it is about.

    Examples
    --------
    >>> role_of_name("acc_stderr"), role_of_name("SE"), role_of_name("n_topics"), role_of_name("nDCG")
    (('error', 'acc'), ('error', ''), ('n', ''), ('', ''))
    >>> role_of_name("gew. Mittel"), role_of_name("Moy. pondérée"), role_of_name("average_precision")
    (('aggregate', ''), ('aggregate', ''), ('aggregate', 'precision'))
    >>> [role_of_name(name)[0] for name in ("Kosten/1000 Anfragen", "Kosten je 1M Token", "Avg. Rank", "Rang moyen")]
    ['cost', 'cost', 'rank', 'rank']
    """
    if name.strip().casefold() in _NOT_AVAILABLE:
        return "", ""
    word = word_of(name).replace("*", "").lstrip("#") or word_of(name)
    bare = bare_word(name)
    if signed := _role_beside_sign(word) if "±" in word else _end_of_interval(word):
        return signed
    word = word if _CUTOFF.sub("@k", word) not in _TABLE["judged"]["words"] else _CUTOFF.sub("@k", word)
    named_role = next(
        (role for name in (word, bare, word.partition(",")[0]) for role in ROLES if name in _TABLE[role]["words"]), ""
    )
    named_role = named_role or ("aggregate" if _is_average(word) or _is_average(bare) else "")
    if named_role or not word:
        return named_role, ""
    role, stem = next(filter(any, (*map(_role_by_part, (word, bare)), _role_by_sign(name, word))), ("", ""))
    if (
        role in {"aggregate", "sd", "error", "n"} and role_of_name(stem)[0] in _OF_NO_SCORE
    ):  # avg_latency, anzahl_wörter
        return role_of_name(stem)
    if not role and (shorter := _OF_SPLIT.sub("", word)) != word and role_of_name(shorter)[0] in _MEASURED:
        return role_of_name(shorter)  # pred_time_val_marginal
    if role in {"half", "error"}:  # the 95 % margin of something
        signs = [sign for sign in stem.split("_") if sign not in INTERVAL_WORDS - {"%"} and not _LEVEL.fullmatch(sign)]
        stem = "" if signs == ["%"] else "_".join(signs)
    counted = role in _OF_NO_SCORE and role_of_name(stem) == ("n", "")  # num_chars
    return role, "" if counted or (role == "rank" and stem in _KINDS_OF_RANKS) else stem


def _is_average(word: str) -> bool:
    """Whether a word is that of an average and else only of its kind, or of all that it is of."""
    parts = {*word.split("_")}
    return not parts.isdisjoint(AVERAGE_HEADS) and parts <= _OF_AVERAGES


def _role_by_sign(name: str, word: str) -> tuple[str, str]:
    """Return the role that a sign in a name says (ΔBM25, #docs, cost/query), and that of row numbers of pandas."""
    if is_unnamed(name):
        return "id", "index"
    if glued := _DELTA.match(word):
        return "difference", word[glued.end() :]
    if (measured := _PER.sub("", name)) != name and (role := role_of_name(measured)[0]) in _MEASURED:
        return role, ""
    return ("n", word.strip("_")) if _NUMBER_OF.match(name.strip()) else ("", "")


def _role_beside_sign(word: str) -> tuple[str, str]:
    """Return the role of a name with ±: of the error that it names (±SE, ± 95% CI), else an error of some kind."""
    rest = _DIVISION.sub("_", word.replace("±", " ")).strip("_ ")
    role, stem = role_of_name(rest) if rest else ("", "")
    if role in ERRORS or rest.strip("%").isdecimal():
        return role or "half", "" if stem in INTERVAL_WORDS else stem
    return "unsure", rest


def role_of_row(name: str) -> str:
    """Return the role that the name of a row says, "" for none or one of something else: n = 50 is a count.

    Examples
    --------
    >>> role_of_row("n = 50"), role_of_row("Task mean"), role_of_row("GPT mean"), role_of_row("k=5")
    ('n', 'aggregate', '', '')
    """
    word, equals, number = name.partition("=")
    counted = equals and _NUMBER.fullmatch(number.strip()) and role_of_name(word) == ("n", "")
    role, stem = role_of_name(name)
    counted = counted or (role == "n" and bool(stem) and {*stem.split("_")} <= _OF_ALL | _COUNTED_THINGS)
    role = "weight" if part_of_word(name) == "weight" else role
    return "n" if counted else "" if stem else role


def may_be_no_item(name: str) -> bool:
    """Whether a row of this name is hardly one of the items, where all others are numbers or numbered alike.

    Examples
    --------
    >>> [may_be_no_item(name) for name in ("Zielwert", "Δ to baseline", "75%", "prev. best", "N topics", "301", "cats")]
    [True, True, True, True, True, False, False]
    >>> [may_be_no_item(name) for name in ("last year", "Vorjahr (2022)", "Baseline 2022", "2022", "leap year")]
    [True, True, True, False, False]
    """
    role, stem = role_of_name(name)
    called = role and role not in _NO_ROWS and (not stem or role in {"difference", "test"} or role_of_row(name) == "n")
    called = called or (role == "n" and name.strip()[:1] == "#" != name.strip())  # "# best"
    called = called and not ("±" in word_of(name) and any(map(str.isdigit, name)))  # a sign before a number
    return _YEAR.sub("", word_of(name)) in _OF_ROWS or part_of_word(name) == "weight" or bool(called)


def says_against(words: str) -> bool:
    """Whether the word of a name says with what something is compared.

    Examples
    --------
    >>> says_against("δ_vs_baseline"), says_against("δ_baseline")
    (True, False)
    """
    return not _AGAINST.isdisjoint(words.split("_"))


def says_constant(name: str) -> bool:
    """Whether a name says what is the same for all systems: the level of chance, a baseline, a weight, a target.

    Examples
    --------
    >>> [says_constant(name) for name in ("Chance (%)", "Random baseline", "Zufall", "Gewicht", "ARC")]
    [True, True, True, True, False]
    """
    words = {bare_word(name), *word_of(name).split("_")}
    return not words.isdisjoint(_CONSTANT) or part_of_word(name) == "weight" or role_of_name(name)[0] in _SAME_FOR_ALL


def is_of_another_year(name: str) -> bool:
    """Whether a row among systems is called as one of another year or edition, and by nothing else.

    Examples
    --------
    >>> [is_of_another_year(name) for name in ("2023", "Last year", "Vorjahr (2022)", "baseline", "GPT 2023")]
    [True, True, True, False, False]
    """
    word = _YEAR.sub("", word_of(name))
    return bool(_YEAR.fullmatch(word_of(name))) or (word in _OF_ROWS and word not in _SYSTEMS_TOO)


def roles_beside(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the names that are another of them and a word of a role, with this role and the other name.

    Examples
    --------
    >>> roles_beside(["new", "new std", "old", "conf_old", "old moe-2"])
    {'new std': ('sd', 'new'), 'conf_old': ('certainty', 'old')}
    """
    by_word = {word_of(name): name for name in names if word_of(name)}
    beside: dict[str, tuple[str, str]] = {}
    for word, name in by_word.items():
        words = word.split("_")
        cuts = [("_".join(words[:at]), "_".join(words[at:])) for at in range(len(words) - 1, 0, -1)]
        for base, mark in [*cuts, *((back, front) for front, back in reversed(cuts))]:
            role, stem = role_of_name(mark) if base in by_word else ("", "")
            if role and not stem:
                beside[name] = (role, by_word[base])
                break
    return beside


def _end_of_interval(word: str) -> tuple[str, str] | None:
    """Return which end of an interval a name says, in words of any order, and the rest of the name: 95% CI (lower)."""
    parts, marks = word.replace(",_", "_").split("_"), _TABLE["bounds"]
    ends = [role for role in ("low", "high") if not {*parts}.isdisjoint(marks[role])]
    if len(ends) != 1 or {*parts}.isdisjoint(marks["interval"] + marks["limit"]):
        return None
    return ends[0], "_".join(part for part in parts if not any(part in words for words in marks.values()))


def _role_by_part(word: str) -> tuple[str, str]:
    """Return the role that the first or last words of a name say, the longest of them, and the rest of the name."""
    base, comma, tail = word.partition(",")
    if "_" not in base:
        return "", ""
    measured, _, unit_word = base.rpartition("_")
    if unit_word in _UNITS and (role := next((role for role in _MEASURED if measured in _TABLE[role]["words"]), "")):
        return role, ""  # kosten_eur
    if base.partition("_")[0] in _UNITS - {"%", "b", "k", "m", "g", "w"} and unit_word in _COUNTED_THINGS:
        return "cost", ""  # ms_query, tokens_per_answer
    longest = ("", "", 0)
    for role in ROLES:
        for side in ("after", "before"):
            for mark in _TABLE[role][side]:
                stem = _without(base, mark, side)
                if stem and len(mark) > longest[2]:
                    longest = (role, stem, len(mark))
    role, stem, _ = longest
    return role, stem + comma + tail if role else ""


def says_of(role: str) -> str:
    """Return what notes and errors call a role."""
    return str(_TABLE[role]["says"])


def _without(word: str, mark: str, side: str) -> str:
    """Return a word without the mark before or after it, "" where it has none."""
    if side == "after":
        return word[: -len(mark) - 1] if word.endswith(f"_{mark}") else ""
    return word[len(mark) + 1 :] if word.startswith(f"{mark}_") else ""


def is_whole(name: str) -> bool:
    """Whether a board may call the one score of a system so, of the test set or another one.

    Examples
    --------
    >>> [is_whole(name) for name in ("score", "score_val", "Test accuracy", "score_sheet")]
    [True, True, True, False]
    """
    word = bare_word(name) if name.rstrip().endswith("(%)") else word_of(name)
    return word in WHOLE or "_".join(part for part in word.split("_") if part not in _SETS) in WHOLE


def are_measures(names: Sequence[str]) -> bool:
    """Whether most names are those of several metrics, as errors are of which less is better; of one they are none.

    Examples
    --------
    >>> are_measures(["MAE", "RMSE", "R2", "RMSLE"]), are_measures(["wer_clean", "wer_other"])
    (True, False)
    """
    falling = {name: word for name in names if (word := _what_falls(name))}
    measures = [name for name in names if name in falling or metric_evidence([name])]
    several = len({*falling.values()}) > 1 or len(falling) < len(measures)
    return metric_evidence(names) > 1 or (several and bool(falling) and 2 * len(measures) > len(names))


def is_summary(name: str) -> bool:
    """Whether a name may stand for all others: means and sums."""
    return word_of(name) in AVERAGES | frozenset(_TABLE["aggregate"]["words"]) or _is_average(word_of(name))


def is_computed(name: str) -> bool:
    """Whether a name says that numbers are computed from those of several judges."""
    word = word_of(name)
    return (
        word in COMPUTED
        or bool(_APART.fullmatch(name.strip()))
        or not _AGREE.isdisjoint(word.split("_"))
        or role_of_name(name)[0] == "aggregate"
    )


def is_subtotal(name: str) -> bool:
    """Whether a row is called as an average, or a sum, of some of the others: Average math, code (avg).

    Examples
    --------
    >>> [is_subtotal(name) for name in ("Average math", "code (avg)", "Subtotal: reading", "mean", "meander x")]
    [True, True, True, False, False]
    """
    return _SUBTOTALS.fullmatch(name.strip()) is not None


def averages_of_categories(names: Sequence[str]) -> set[str]:
    """Return the names of averages of one category each, beside at least two of others whose parts are not here.

    Examples
    --------
    >>> averages_of_categories(["Coding Average", "IF Average", "Language Average", "Task Average", "Average"])
    {'Language Average'}
    """
    ends = Counter(word_of(name).rpartition("_")[2] for name in names if ends_as_average(name) and not is_summary(name))
    cut = {name: word_of(name).rpartition("_") for name in names}
    return {name for name, (category, _, end) in cut.items() if category in _CATEGORIES and ends[end] > 1}


def ends_as_average(name: str) -> bool:
    """Whether the last word of a name is one for an average, whatever that is of: GPT mean, and not social media."""
    return word_of(name).rpartition("_")[2] in AVERAGE_HEADS - {"media"}


def is_total(name: str) -> bool:
    """Whether a row of this name among systems holds averages of the others."""
    word = word_of(name)
    return word in _TOTALS or ("_" in word and _is_average(word))
