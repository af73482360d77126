"""Parse and validate names and numbers from files, tables in memory and mappings.

Every reader goes through these rules, so that the same table is the same scores, or the same refusal, in every form.
"""

import math
import re
import sys
import unicodedata
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray

from metaeval.base.number_words import other_spelling
from metaeval.errors import ScoresError

BLANKS = " \t\r\n\v\f"
"""What may stand around a number."""

LONGEST_NAME = 1_000
"""Characters that the name of a system, topic, metric or group may have: arrays of names are as wide as the longest."""

_MOST_BYTES = 2**31
_NUMBERS = re.compile(r"[0-9]+")
_LISTED = re.compile(r'\s*(?:"((?:[^"]|"")*)"\s*(?=,|\Z)|([^,]*))(?:,|\Z)')
_EXACT = 2**53
_DATE = re.compile(r"[0-9]{4}[-/.][0-9]{1,2}([-/.T ].*)?|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{2,4}", re.ASCII)
_HASH = re.compile(r"[0-9a-f]{16,}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\([0-9.,]+\)", re.ASCII)
_UNNAMED = re.compile(r"Unnamed: [0-9]+(\.[0-9]+|_level_[0-9]+)*")
_BEHIND_SIGN = re.compile(r"[^\x00-\x7f\w]+\s*[^\W\d_]")
"""A word behind a picture, as boards of models mark their kind."""
_PICTURES = frozenset({"So", "Sk", "Mn", "Cf"})
"""Classes of characters that make a picture, with its colour and its joints."""
_UNIT = re.compile(r"[0-9]+[^\W\d_][^.,]*")
_VERSION = re.compile(r"(?![0-9]{1,3}(\.[0-9]{3})+\Z)[0-9]+(\.[0-9]+){2,}", re.ASCII)  # 1.234.567 is a number
_UNPRINTABLE = {"Cc", "Cs", "Zl", "Zp"}

# first words of the measures that trec_eval and ir_measures print, in lower case
_MEASURES = frozenset(
    """
    map gm_map map_cut rprec rprec_mult bpref gm_bpref recip_rank iprec_at_recall p recall infap utility 11pt_avg bing g
    ndcg ndcg_rel rndcg ndcg_cut relative_p success set_p set_relative_p set_recall set_map set_f num_q num_ret num_rel
    num_rel_ret num_nonrel_judged_ret runid relstring unj rbp rbp_resid yaap
    ap ap_ia map_ia p_ia r mrr rr err err_ia nerr nerr_ia nrbp judged setp setr setf setap numq numret numrel numrelret
    iprec inst insq sdcg bpm compat accuracy alpha_ndcg alpha_dcg strec
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
# what other metrics are called, here and elsewhere; these count only beside the names of systems and topics
_QUALITIES = frozenset(
    """
    correctness helpfulness faithfulness groundedness relevance relevancy coherence fluency conciseness toxicity
    quality style usefulness completeness clarity readability consistency naturalness adequacy informativeness
    harmlessness honesty truthfulness factuality safety tone grammar creativity specificity
    """.split()  # noqa: SIM905 - likewise
)
_OTHER_METRICS = _QUALITIES | frozenset(
    """
    ip maip gp ggp agp dcg hits hit_rate precision r-precision f1
    bleu sacrebleu chrf chrf++ ter comet bleurt rouge rougel rougelsum rouge-l meteor bertscore
    rouge_l rouge1 rouge2 rouge-1 rouge-2
    acc exact_match em perplexity mae rmse auc
    answer_relevancy answer_relevance context_relevance contextual_relevancy context_precision context_recall acc_norm
    mcc auroc roc_auc pr_auc aucpr auprc balanced_accuracy logloss log_loss rmsle mape iou miou dice psnr ssim wer cer
    mse fid levenshtein levenshteinscorer exactmatch answerrelevancy contextrelevancy contextrecall contextprecision
    closedqa embeddingsimilarity numericdiff jsondiff
    """.split()  # noqa: SIM905 - likewise
)
_OF_A_METRIC = frozenset({"p", "r", "f", "f1", "l", "recall", "precision", "score", "fscore", "fmeasure", "measure"})
"""What names of metrics say beside a number: rouge_1_f_score."""
# metrics of one letter, and those of a depth without a sign, which count beside others
_DEPTH = re.compile(r"(?<=[a-z]{3})[0-9]+\Z")
"""A depth without a sign, as in ndcg20."""
_CUT = re.compile(r"[pqrfg]|(?:p|r|f|ndcg|dcg|mrr|map|recall|precision|err|hits?)[_-]?[0-9]+")
ARROWS = "↑↓"
"""Say beside the name of a metric whether higher or lower is better."""
_ARROW = re.compile(rf"[\s(]*[{ARROWS}][\s)]*")
_OF_SET = re.compile(r"\A(?:(?:train|training|val|valid|validation|dev|test|eval|holdout|metrics?|summary)[/._])+(?=.)")
"""On what set of items a metric was computed, as trackers of experiments write it before its name: test/acc."""
_PARAMETER = re.compile(r"_\.?[0-9].*")
_TOPIC_STEMS = frozenset({"q", "qid", "t", "topic", "query", "question", "doc", "d", "item", "seg", "segment"})
_SYSTEM_STEMS = frozenset({"s", "sys", "system", "run", "model", "team", "method"})
_MODEL = re.compile(
    r"(?:.*[/_]|meta-)?(?:(?:chat)?gpt|claude|llama|mi[sx]tral|gemini|gemma|qwen|deepseek|falcon|vicuna|palm|grok|bm25|colbert"
    r"|splade|(?:mono|flan)?-?t5|(?:ro)?berta?)(?![a-z])",
    re.IGNORECASE,
)
"""How names of models begin that most people who compare systems know."""


def is_number(cell: str) -> bool:
    """Whether a cell holds a finite number, written as everybody writes them, and without losing digits.

    Python also takes 1_0 for 10 and the digits of other scripts; a whole number beyond 2**53 may have no exact float.

    Examples
    --------
    >>> [is_number(cell) for cell in ("0.5", " -1e3 ", "1_0", "1e400", "0x10", "9007199254740993")]
    [True, True, False, False, False, False]
    """
    text = cell.strip(BLANKS)
    if "_" in text or not text.isascii():
        return False
    try:
        number = float(text)
    except ValueError:
        return False
    return math.isfinite(number) and not loses_digits(text, number)


def is_word(cell: str) -> bool:
    r"""Whether a cell that is no gap holds words, a list, a date or a version, and nothing that is meant as a number.

    Examples
    --------
    >>> [is_word(cell) for cell in ("fine", "[1, 2]", "2024-05-01", "1.0.2", "10x", "0.5a", "0,5", "13 %", "7 ± 2")]
    [True, True, True, True, True, False, False, False, False]
    >>> is_word("\N{LARGE GREEN CIRCLE} chat"), is_word("\N{LARGE GREEN CIRCLE}"), is_word("\N{PLUS-MINUS SIGN} 2")
    (True, True, False)
    >>> [is_word(cell) for cell in ("0000000000000a3f", "00000000-0000-0000-0000-0000000003e8", "(2)", "(two)")]
    [True, True, False, True]
    """
    text = cell.strip(BLANKS)
    if (
        text[:1].isalpha()
        or _BEHIND_SIGN.match(text)
        or {"So"} <= {*map(unicodedata.category, text)} <= _PICTURES
        or (text[:1] in {"[", "{", "("} and not _IN_BRACKETS.fullmatch(text))
    ):
        return True
    patterns = (_DATE, _VERSION, _UNIT, _HASH)
    return any(pattern.fullmatch(text) for pattern in patterns) and not is_number(text)


def loses_digits(written: str | int, number: float) -> bool:
    """Whether a number of 2**53 or more is not what was written, so that two different ones could become equal.

    Examples
    --------
    >>> loses_digits("9007199254740993", 9007199254740993.0), loses_digits("1e23", 1e23)
    (True, False)
    """
    if abs(number) < _EXACT or not math.isfinite(number):
        return False
    exact = Decimal(written)
    return exact not in {Decimal(number), Decimal(repr(number))}


def is_unnamed(name: str) -> bool:
    """Whether a column has no name, or the one that pandas gives for want of it.

    Examples
    --------
    >>> [is_unnamed(name) for name in (" ", "Unnamed: 0", "Unnamed: 1_level_0", "Unnamed")]
    [True, True, True, False]
    """
    text = name.strip()
    return not text or _UNNAMED.fullmatch(text) is not None


def as_number(cell: object) -> float:
    """Return what is in a cell of a table in memory as a float."""
    if isinstance(cell, str):
        text = cell.strip(BLANKS)
        if is_number(text) or text.casefold() in {"nan", "inf", "-inf"}:
            return float(text)
        spelling = other_spelling(text)
        raise ValueError(f"is no number: it {spelling.said()}" if spelling else "is no number")
    if not isinstance(cell, Real | Decimal | np.bool_):
        raise TypeError(f"is no number but of the type {type(cell).__name__}")
    try:
        number = float(cell)
    except OverflowError:
        number = math.inf
    if isinstance(cell, Integral) and (math.isinf(number) or loses_digits(int(cell), number)):
        raise ValueError("has more digits than a score can hold (whole numbers up to 2**53 are exact)")
    return number


def shortened(value: object, length: int = 60) -> str:
    """Return a value as text that fits into a message.

    Examples
    --------
    >>> shortened("a" * 100, 5)
    'aaaaa… (100 characters)'
    """
    try:
        text = str(value)
    except ValueError:  # Python writes no number of more than 4,300 digits
        return "a number of thousands of digits"
    return text if len(text) <= length else f"{text[:length]}… ({len(text)} characters)"


def in_order[T](values: Mapping[str, T]) -> dict[str, T]:
    """Return what stands under names in their natural order.

    Examples
    --------
    >>> in_order({"run10": 1, "run9": 2})
    {'run9': 2, 'run10': 1}
    """
    return {name: values[name] for name in natural_order(values)}


def first_few[T](
    names: Collection[T], *, most: int = 5, between: str = ", ", write: Callable[[T], str] | None = None
) -> str:
    """Put names in a row, the first of many and how many more there are.

    Examples
    --------
    >>> first_few("abcdefg"), first_few(["x"], write=str.upper)
    ('a, b, c, d, e and 2 more', 'X')
    """
    texts = [shortened(name, LONGEST_NAME) if write is None else write(name) for name in islice(names, most)]
    return between.join(texts) + (f" and {len(names) - most} more" if len(names) > most else "")


def comma_list(names: Iterable[str]) -> str:
    """Put names in a row as `split_at_commas` takes them apart, those with commas or blanks in quotes.

    Examples
    --------
    >>> print(comma_list(["bm25", "lm, tuned"]))
    bm25,"lm, tuned"
    """
    return ",".join(
        '"' + name.replace('"', '""') + '"' if not name or re.search(r'[\s,"]', name) else name for name in names
    )


def split_at_commas(texts: Iterable[str], is_name: Callable[[str], object]) -> list[str]:
    """Return the names in texts: a text that is one as it stands, or several by comma, quotes around one with commas.

    Examples
    --------
    >>> split_at_commas(["a,b", 'c, "d,e"'], {"a,b"}.__contains__)
    ['a,b', 'c', 'd,e']
    """
    return [name for text in texts for name in ([text] if is_name(text) else _listed(text) or [text])]


def _listed(text: str) -> list[str]:
    names = [quoted.replace('""', '"') or plain.strip() for quoted, plain in _LISTED.findall(text)]
    return [name for name in names if name]


def count(n: int, noun: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> count(1, "metric"), count(13800, "comparison"), count(2, "column of scores")
    ('1 metric', '13,800 comparisons', '2 columns of scores')
    """
    head, of, rest = noun.partition(" of ")
    return f"{n:,} {head}{'' if n == 1 else 's'}{of}{rest}"


def clean_name(name: object, what: str) -> str:  # noqa: C901 - one rule after the other
    """Return a name as text without blanks around it.

    Examples
    --------
    >>> clean_name(" bm25 ", "system"), clean_name(301.0, "topic")
    ('bm25', '301')
    """
    if type(name) is str and len(name) <= LONGEST_NAME and name.isprintable() and (text := name.strip()):
        return text
    if isinstance(name, bytes):
        try:
            name = name.decode()
        except UnicodeDecodeError as error:
            raise ScoresError(f"{what} {shortened(name)} is no UTF-8; decode it first") from error
    if not isinstance(name, Hashable):
        message = f"a {what} is called {shortened(repr(name))}, of the type {type(name).__name__}; give it a text"
        raise ScoresError(message)
    if isinstance(name, float | np.floating) and float(name).is_integer():
        if abs(float(name)) >= _EXACT:
            raise ScoresError(f"{what} {name!r} is a number that may have lost digits; give names as text")
        name = int(name)
    try:
        text = "" if _is_absent(name) else str(name).strip()
    except ValueError as error:  # Python writes no number of more than 4,300 digits
        message = f"a {what} is a number of thousands of digits; give it a name of at most {LONGEST_NAME} characters"
        raise ScoresError(message) from error
    if not text:
        raise ScoresError(f"a {what} has no name (found {name!r}); give every {what} a name")
    if len(text) > LONGEST_NAME:
        raise ScoresError(
            f"{what} {text[:30]!r}… has a name of {len(text)} characters; the limit is {LONGEST_NAME}, "
            "so give it a shorter one"
        )
    if not text.isprintable() and any(unicodedata.category(sign) in _UNPRINTABLE for sign in text):
        raise ScoresError(f"{what} {text!r} holds a control character (line end, tab, …); rename it")
    return text


def _is_absent(name: object) -> bool:
    return name is None or type(name).__name__ in {"NAType", "NaTType"} or bool(name != name)  # noqa: PLR0124 - not a number


def natural_order(names: Iterable[str]) -> list[str]:
    """Sort names so that numbers inside them count as numbers.

    Examples
    --------
    >>> natural_order(["q10", "q2", "q1"])
    ['q1', 'q2', 'q10']
    """
    listed = sorted(names)
    if _differ_by_number(listed):
        return sorted(listed, key=len)

    # of two numbers without leading zeros the longer is the larger; a zero character goes before every text
    def number(found: re.Match[str]) -> str:
        digits = found[0].lstrip("0")
        return f"\0{chr(min(len(digits), sys.maxunicode))}{digits}"

    # equal numbers with different zeros are ordered by the name itself: sorting is stable
    return sorted(listed, key=lambda name: _NUMBERS.sub(number, name))


def _differ_by_number(names: list[str]) -> bool:
    """Whether names are one word with numbers behind it, without leading zeros, as millions of users are called."""
    prefix = names[0].rstrip("0123456789") if names else ""
    numbers = [name[len(prefix) :] for name in names if name.startswith(prefix)]
    together = "".join(numbers)
    return (
        len(numbers) == len(names)
        and together.isascii()
        and together.isdigit()
        and all(numbers)
        and not any(number[0] == "0" for number in numbers)
    )


def merge_labels(
    codes: NDArray[np.integer], names: Iterable[object], what: str
) -> tuple[NDArray[np.integer], list[str]]:
    """Clean the names that `codes` point to, and point codes of names that became equal to one of them.

    Shapes: `codes` (row,), result (row,).
    """
    cleaned = [clean_name(name, what) for name in names]
    unique = list(dict.fromkeys(cleaned))
    if len(unique) == len(cleaned):
        return codes, cleaned
    position_of = {name: position for position, name in enumerate(unique)}
    return np.array([position_of[name] for name in cleaned], dtype=np.int64)[codes], unique


def clean_names(names: Iterable[object], what: str) -> NDArray[np.object_]:
    """Return names as `clean_name` does, each different one once.

    Examples
    --------
    >>> clean_names([301.0, "301", " a "], "topic").tolist()
    ['301', '301', 'a']
    """
    import pandas as pd  # noqa: PLC0415 - for tables in memory alone

    codes, different = pd.factorize(np.array([*names, None], dtype=object)[:-1], use_na_sentinel=False)
    cleaned = [clean_name(name, what) for name in different]
    return np.array([*cleaned, None], dtype=object)[codes]


def first_double[Name: Hashable](names: Iterable[Name]) -> Name | None:
    """Return the first name that stood there before; None if all are different.

    Examples
    --------
    >>> first_double(["a", "b", "a", "b"])
    'a'
    """
    seen: set[Name] = set()
    return next((name for name in names if name in seen or seen.add(name)), None)  # type: ignore[func-returns-value] # add gives None


def label_array(names: Sequence[str], what: str) -> NDArray[np.str_]:
    """Make an array of names, which is as wide as the longest: the one place where they are made.

    Examples
    --------
    >>> label_array(["bm25", "lm"], "system").tolist()
    ['bm25', 'lm']
    """
    longest = max(map(len, names), default=1)
    if longest * len(names) * 4 > _MOST_BYTES:
        raise ScoresError(
            f"{len(names)} {what}s with names of up to {longest} characters would take "
            f"{longest * len(names) * 4 / 2**30:.0f} GiB; the limit is 2 GiB, so give them shorter names"
        )
    return np.array(names, dtype=np.str_) if names else np.array([], dtype="<U1")


def is_measure(name: str) -> bool:
    """Whether a name is one that trec_eval or ir_measures gives a measure, whatever its parameters.

    Examples
    --------
    >>> [is_measure(name) for name in ("ndcg_cut_10", "RBP(p=0.8)", "P@5", "11pt_avg_.25,.5,.75", "P", "q301", "bm25")]
    [True, True, True, True, False, False, False]
    """
    folded = name.casefold()
    word = folded.partition("@")[0].partition("(")[0]
    stems = (word, _PARAMETER.sub("", word) if "_" in word else word)
    return any(stem in _MEASURES and (len(stem) > 1 or stem != folded) for stem in stems)


def metric_evidence(names: Collection[object]) -> int:
    """Say how much names look like those of metrics, of retrieval or of a neighbouring field.

    Examples
    --------
    >>> [metric_evidence(names) for names in (["AP'", "P"], ["bleu", "mine"], ["bm25", "lm"])]
    [2, 1, 0]
    """
    n_metrics = sum(map(_is_metric, names))
    if are_metrics(names) or n_metrics > max(1, len(names) // 2):
        return 2
    return int(n_metrics > 0)


def are_metrics(names: Collection[object]) -> bool:
    """Whether all names are those of metrics; P, F and P10 count beside surer ones.

    Examples
    --------
    >>> are_metrics(["AP", "nDCG", "P10"]), are_metrics(["P1", "P2"]), are_metrics(["AP", "bm25"])
    (True, False, False)
    """
    sure = [_is_metric(name) for name in names]
    if {"p", "r"} <= (folded := {str(name).strip().casefold() for name in names}) and folded & {"f", "f1"}:
        return True
    return any(sure) and all(
        known or _CUT.fullmatch(str(name).strip().casefold()) for name, known in zip(names, sure, strict=True)
    )


def _is_metric(name: object) -> bool:
    if type(name).__module__.partition(".")[0] == "ir_measures":
        return True
    folded = _OF_SET.sub("", _ARROW.sub("", str(name)).strip().casefold(), count=1)
    word = re.sub(r"[\s_-](score|percent|pct|norm|mean|avg)$", "", re.split(r"[@(\[]", folded, maxsplit=1)[0].strip())
    word = "_".join(word.split())
    if is_measure(folded.replace("'", "")) or word in _OTHER_METRICS or is_measure(_DEPTH.sub("", word)):
        return True
    stem, *qualifiers = re.split(r"[\s_-]+", word)
    qualified = stem in _OTHER_METRICS and not _OF_A_METRIC.isdisjoint(qualifiers)
    return qualified and all(sign in _OF_A_METRIC or sign.isdecimal() for sign in qualifiers)


def computed_metrics(names: Iterable[str]) -> list[str]:
    """Return the names that are those of metrics which programs compute, not of qualities that are judged too.

    Examples
    --------
    >>> computed_metrics(["rouge_1_f_score", "js-2", "ROUGE-2 recall", "safety", "bm25", "bleu", "bleu_task"])
    ['rouge_1_f_score', 'ROUGE-2 recall', 'bleu']
    """
    return [name for name in names if _is_metric(name) and name.strip().casefold() not in _QUALITIES]


def topic_evidence(names: Collection[object]) -> int:
    """Say how much names look like those of topics, from their spelling alone.

    Examples
    --------
    >>> [topic_evidence(names) for names in (["301", 302], ["q1", "q2"], ["MB01", "MB02"], ["bm25", "lm"], ["run1"])]
    [2, 2, 1, 0, -1]
    """
    texts = [str(name).strip() for name in names]
    if texts and all(text.isascii() and text.isdecimal() for text in texts):
        return 2
    spellings = {re.sub(r"[0-9]+", "0", text).casefold() for text in texts}
    if len(spellings) != 1 or not any(sign.isdecimal() for text in texts for sign in text):
        return 0
    stem = re.fullmatch(r"([^\W\d_]+)[-_ .:]*0", spellings.pop())
    if stem and stem[1] in _SYSTEM_STEMS:
        return -1
    return 2 if stem and stem[1] in _TOPIC_STEMS else int(len(texts) > 1)


def are_models(names: Collection[str]) -> bool:
    """Whether most names are those of models that people know.

    Examples
    --------
    >>> are_models(["gpt-4o", "meta/Llama-3-8B", "ours"]), are_models(["MMLU", "GSM8K"])
    (True, False)
    """
    return 2 * sum(_MODEL.match(name.strip()) is not None for name in names) > len(names)


def name_order(names: Sequence[str] | NDArray[np.str_]) -> NDArray[np.intp]:
    """Return the places of names in natural order, for draws that belong to names and not to rows.

    Examples
    --------
    >>> name_order(np.array(["q10", "q2", "q1"])).tolist()
    [2, 1, 0]
    """
    return np.array(_name_order(tuple(np.asarray(names).tolist())), dtype=np.intp)


def drawn_by_name(names: Sequence[str], of: NDArray[np.integer], generator: np.random.Generator) -> NDArray[np.float64]:
    """Draw a number from 0 to 1 for every entry, by the name that it is `of`, so that other places draw the same.

    Examples
    --------
    >>> one, other = (drawn_by_name(names, np.array([0, 1]), np.random.default_rng(0)) for names in ("ab", "ba"))
    >>> bool((one == other[::-1]).all())
    True
    """
    drawn = np.empty(len(of))
    drawn[np.argsort(np.argsort(name_order(names))[of], kind="stable")] = generator.random(len(of))
    return drawn


@lru_cache(maxsize=32)  # asked again of every resample
def _name_order(names: tuple[str, ...]) -> tuple[int, ...]:
    ordered = natural_order(names)
    if ordered == list(names):
        return tuple(range(len(names)))
    number_of = {name: number for number, name in enumerate(names)}
    return tuple(number_of[name] for name in ordered)
