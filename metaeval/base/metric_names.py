"""Names of metrics: ``Name(key=value, …)@k``, read by a small grammar and never evaluated as code.

The grammar holds that of ``ir_measures`` and adds primes (``AP'``), tables of gains and nested calls. This module
knows the syntax and the spellings of other tools; which metrics exist is the registry's business.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn

from metaeval.errors import InvalidOptionError

DEFAULT_METRICS = "AP,nDCG@10,nDCG,Q,RBP(p=0.8),bpref,P@10,RR"
"""What is computed of runs of documents where no metrics are named."""
_QUANTISED = ("gains", "quant")
"""The keys of quantisations."""


class MetricNameError(InvalidOptionError):
    """A name of a metric with wrong syntax, or with arguments that the metric does not take."""


@dataclass(frozen=True, slots=True)
class GainTable:
    """Gains by level, ``{1:1, 2:5}``, in ascending order of the levels."""

    entries: tuple[tuple[float, float], ...]

    def __str__(self) -> str:
        """Return the text that parses to this table."""
        return "{" + ", ".join(f"{_number_text(level)}:{_number_text(gain)}" for level, gain in self.entries) + "}"


@dataclass(frozen=True, slots=True)
class Call:
    """A bare word or one with arguments: ``exponential``, ``binary(rel=2)``."""

    word: str
    arguments: tuple[tuple[str, "Value"], ...] = ()

    def __str__(self) -> str:
        """Return the text that parses to this call."""
        return self.word + _arguments_text(self.arguments)


type Value = bool | int | float | Call | GainTable


@dataclass(frozen=True, slots=True)
class ParsedName:
    """A parsed name, not yet looked up in a registry."""

    word: str
    """The metric's name."""
    arguments: tuple[tuple[str | None, Value], ...] = ()
    """In the order written; the key is None for a value without one, as in ``RBP(0.8)``."""
    cutoff: int | float | None = None
    """The number after ``@``."""
    judged_only: bool = False
    """Whether the name carries a prime."""

    def __str__(self) -> str:
        """Return the text that parses to the same, without a prime and with the keys in alphabetical order."""
        keys = [*self.arguments, ("judged_only", True)] if self.judged_only else [*self.arguments]
        ordered = sorted(keys, key=lambda pair: pair[0] or "")
        cutoff = "" if self.cutoff is None else f"@{_number_text(self.cutoff)}"
        return self.word + _arguments_text(ordered) + cutoff

    def with_own_keys(self) -> "ParsedName":
        """Return the name with the keys of ir_measures (``cutoff``, ``dcg``, ``max_rel``) put into ours."""
        arguments: list[tuple[str | None, Value]] = []
        for key, value in self.arguments:
            our_key = _KEYS.get(key, key) if key else key
            arguments.extend(_ARGUMENTS.get((our_key, value), ((our_key, value),)))
        return ParsedName(self.word, tuple(arguments), self.cutoff, self.judged_only)


def parse_name(text: str) -> ParsedName:
    """Parse the name of a metric.

    Parameters
    ----------
    text : str
        ``Name(key=value, …)@k``. Values are numbers, True, False, words (bare or quoted), ``{level: gain}`` tables
        and words with arguments of their own. A prime after the name, the arguments or the cutoff asks for the
        condensed list. ``iP[0.01]`` is read as ``iP@0.01``.

    Returns
    -------
    ParsedName

    Raises
    ------
    MetricNameError
        Naming the place where the text leaves the grammar.

    Examples
    --------
    >>> parse_name("nDCG(a=2)@1000")
    ParsedName(word='nDCG', arguments=(('a', 2),), cutoff=1000, judged_only=False)
    >>> str(parse_name("AP'(rel=2)"))
    'AP(judged_only=True, rel=2)'
    """
    return _NameParser(text).name()


def short_label(name: str) -> str:
    """Return the shortest name of the same metric: a prime for ``judged_only=True``.

    Parameters
    ----------
    name : str
        Any name; one that the grammar does not read (a human score, a column of a table) comes back as it is.

    Returns
    -------
    str

    Examples
    --------
    >>> short_label("nDCG(a=2, judged_only=True)@1000")
    "nDCG'(a=2)@1000"
    >>> short_label("RBP(p=0.8)"), short_label("adequacy")
    ('RBP(p=0.8)', 'adequacy')
    """
    try:
        parsed = parse_name(name)
    except MetricNameError:
        return name
    others = tuple((key, value) for key, value in parsed.arguments if (key, value) != ("judged_only", True))
    condensed = parsed.judged_only or len(others) < len(parsed.arguments)
    return str(ParsedName(parsed.word + "'" * condensed, others, parsed.cutoff))


def study_names(names: Iterable[str]) -> dict[str, str]:
    """Return short names of the metrics of a study, of those that have one shorter than `short_label`.

    A quantisation stands without its key, and an argument that all metrics share is left out where a quantisation is
    left: so no short name is the name of another metric.

    Examples
    --------
    >>> study_names(["MAep(quant=Gen5, task=thorough)", "nxCG(quant=Strict5, task=thorough)@25"])
    {'MAep(quant=Gen5, task=thorough)': 'MAep(Gen5)', 'nxCG(quant=Strict5, task=thorough)@25': 'nxCG(Strict5)@25'}
    >>> study_names(["AP(rel=2)", "P(rel=2)@10"]), study_names(["nDCG(a=2, gains=exponential)", "human score"])
    ({}, {'nDCG(a=2, gains=exponential)': 'nDCG(exponential, a=2)'})
    """
    parsed: dict[str, ParsedName] = {}
    listed = list(dict.fromkeys(names))
    for name in listed:
        with suppress(MetricNameError):
            parsed[name] = parse_name(short_label(name))
    several = len(listed) > 1 and len(parsed) == len(listed)
    shared = set.intersection(*({*parsed_name.arguments} for parsed_name in parsed.values())) if several else set()
    shorter = {}
    for name, parsed_name in parsed.items():
        bare = [(None, value) for key, value in parsed_name.arguments if key in _QUANTISED and isinstance(value, Call)]
        others = [
            (key, value) for key, value in parsed_name.arguments if key not in _QUANTISED and (key, value) not in shared
        ]
        if bare:
            word = parsed_name.word + "'" * parsed_name.judged_only
            shorter[name] = str(ParsedName(word, (*bare, *others), parsed_name.cutoff))
    return shorter if len({shorter.get(name, short_label(name)) for name in listed}) == len(listed) else {}


def split_names(text: str) -> list[str]:
    r"""Split a list of names at its commas and blanks, but not inside brackets, nor inside quotes where a name begins.

    Returns
    -------
    list of str

    Examples
    --------
    >>> split_names("AP, nDCG(gains={1:1, 2:5})@10,RBP(p=0.8)")
    ['AP', 'nDCG(gains={1:1, 2:5})@10', 'RBP(p=0.8)']
    >>> split_names("AP',\"human score\",task='human score'")
    ["AP'", 'human score', 'task=human score']
    """
    names = [""]
    open_brackets = 0
    quote = ""
    for character in text:
        if quote:
            names[-1] += character * (character != quote)
            quote *= character != quote
            continue
        open_brackets += (character in "({[") - (character in ")}]")
        if open_brackets > 0 or not (character == "," or character.isspace()):
            if character in "\"'" and open_brackets <= 0 and names[-1][-1:] in {"", "="}:
                quote = character
            else:
                names[-1] += character
        else:
            names.append("")
    return [name for name in names if name]


def quoted_name(name: str) -> str:
    """Return a name as a list of names has to write it: in quotes if it would be split.

    Examples
    --------
    >>> quoted_name("AP(rel=2)"), quoted_name("human score")
    ('AP(rel=2)', "'human score'")
    """
    return name if split_names(name) == [name] else repr(name)


_TREC_EVAL = {"p": "P", "recall": "R", "success": "Success", "map_cut": "AP", "ndcg_cut": "nDCG"}
_WORDS = {
    # trec_eval
    "map": "AP", "map_cut": "AP", "ndcg_cut": "nDCG", "recip_rank": "RR", "recall": "R",
    # ranx and ir_measures
    "mrr": "RR", "precision": "P", "r-precision": "Rprec", "r_precision": "Rprec", "hit_rate": "Success",
    "ndcg_burges": "nDCG(gains=exponential)",
    # NTCIREVAL
    "msndcg": "nDCG", "q-measure": "Q",
    # ndeval, for judgments by subtopic
    "alpha-ndcg": "alpha_nDCG", "alpha-dcg": "alpha_DCG", "err-ia": "ERR_IA", "nerr-ia": "nERR_IA", "map-ia": "AP_IA",
    "map_ia": "AP_IA", "ap-ia": "AP_IA", "p-ia": "P_IA", "strec": "StRecall", "i-rec": "StRecall", "d-ndcg": "D_nDCG",
    "α-ndcg": "alpha_nDCG", "α_ndcg": "alpha_nDCG", "α_dcg": "alpha_DCG",  # noqa: RUF001 - as ir_measures has it
    # INEX, whose tables name a measure by its mean over topics
    "maip": "AiP", "magp": "AgP",
}  # fmt: skip
_FOREIGN: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"(?i)(p|recall|success|map_cut|ndcg_cut)[_.](\d+)"), lambda m: f"{_TREC_EVAL[m[1].lower()]}@{m[2]}"),
    (re.compile(r"(?i)iprec_at_recall_(\d*\.\d+)"), lambda m: f"IPrec@{m[1]}"),
    (re.compile(r"(?i)rbp\.(\d+)(?:-l(\d+))?"), lambda m: f"RBP(p=0.{m[1]}, rel={m[2] or 1})"),
    (re.compile(r"(?i)d#-ndcg(.*)"), lambda m: f"Dsharp_nDCG{m[1]}"),
    (re.compile(r"([\w.-]+?)(@\d+)?-l(\d+)"), lambda m: f"{_renamed(m[1])}(rel={m[3]}){m[2] or ''}"),
    (re.compile(r"([\w.-]+)(.*)"), lambda m: f"{_renamed(m[1])}{m[2]}"),
)
_KEYS = {"cutoff": "k", "max_rel": "max_level"}
_ARGUMENTS: dict[tuple[str | None, Value], tuple[tuple[str, Value], ...]] = {
    ("dcg", Call("log2")): (),
    ("min_rel", 0): (),
    ("dcg", Call("exp-log2")): (("gains", Call("exponential")),),
}


def translations(text: str) -> Iterator[ParsedName]:
    """Yield what a name may mean, likeliest first: as it stands, then as trec_eval, ranx or NTCIREVAL spell it.

    Examples
    --------
    >>> [str(name) for name in translations("ndcg_cut_10")]
    ['ndcg_cut_10', 'nDCG@10']
    >>> [str(name) for name in translations("map@100-l2")]
    ['AP(rel=2)@100']
    """
    spellings = [text.strip()]
    for pattern, spelled in _FOREIGN:
        if match := pattern.fullmatch(spellings[0]):
            spellings.append(spelled(match))
            break
    failure: MetricNameError | None = None
    readable = False
    for spelling in dict.fromkeys(spellings):
        try:
            parsed = parse_name(spelling)
        except MetricNameError as error:
            failure = failure or error
        else:
            readable = True
            yield parsed.with_own_keys()
    if failure is not None and not readable:
        raise failure


def _renamed(word: str) -> str:
    return _WORDS.get(word.casefold(), word)


def _number_text(number: float) -> str:
    return str(int(number)) if isinstance(number, int) or number.is_integer() else repr(number)


def _value_text(value: Value | str) -> str:
    return str(value) if isinstance(value, bool | str | Call | GainTable) else _number_text(value)


def _arguments_text(arguments: object) -> str:
    pairs: list[tuple[str | None, Value]] = list(arguments)  # type: ignore[call-overload]  # tuple or list of pairs
    inside = ", ".join(_value_text(value) if key is None else f"{key}={_value_text(value)}" for key, value in pairs)
    return f"({inside})" if inside else ""


_MOST_DIGITS = 300
_TOKEN = re.compile(
    r"\s*(?:(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<word>[^\W\d][\w.+-]*)"
    r"|(?P<quoted>'[^'(){}@=,]+'|\"[^\"]+\")"
    r"|(?P<mark>[(){}\[\]=,:@'′’]))"  # noqa: RUF001 - primes as people type them
)
_PRIMES = "'′’"  # noqa: RUF001 - likewise


class _NameParser:
    """Recursive descent over one name; every method consumes what it is named after."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0

    def name(self) -> ParsedName:
        word = self.word("a metric's name")
        primes = self.primes()
        arguments: tuple[tuple[str | None, Value], ...] = ()
        if self.taken("("):
            arguments = self.arguments()
        primes += self.primes()
        cutoff = None
        if self.taken("@"):
            cutoff = self.number("a number after @")
        elif self.taken("["):
            cutoff = self.number("a number in the brackets")
            self.expect("]")
        primes += self.primes()
        if self.text[self.place :].strip():
            self.fail("the end of the name")
        if primes > 1:
            self.fail("one prime at most")
        return ParsedName(word, arguments, cutoff, primes == 1)

    def arguments(self) -> tuple[tuple[str | None, Value], ...]:
        arguments: list[tuple[str | None, Value]] = []
        while not self.taken(")"):
            if arguments:
                self.expect(",")
            arguments.append(self.argument())
        keys = [key for key, _ in arguments if key is not None]
        twice = [key for key in keys if keys.count(key) > 1]
        if twice:
            raise MetricNameError(f"{self.text!r}: {twice[0]} is given twice")
        return tuple(arguments)

    def argument(self) -> tuple[str | None, Value]:
        value = self.value()
        if isinstance(value, Call) and not value.arguments and self.taken("="):
            return value.word, self.value()
        return None, value

    def value(self) -> Value:
        if self.taken("{"):
            return self.table()
        kind, text = self.token()
        if kind == "number":
            return _number(text)
        if kind == "quoted":
            return Call(text[1:-1])
        if kind != "word":
            self.fail("a value (a number, True, False, a word or {level: gain})", back=len(text))
        if text in ("True", "true", "False", "false"):
            return text in ("True", "true")
        if not self.taken("("):
            return Call(text)
        inner = self.arguments()
        named = tuple((key, value) for key, value in inner if key is not None)
        if len(named) < len(inner):
            self.fail(f"key=value inside {text}(…)")
        return Call(text, tuple(sorted(named, key=lambda pair: pair[0])))

    def table(self) -> GainTable:
        entries: dict[float, float] = {}
        while not self.taken("}"):
            if entries:
                self.expect(",")
            level = self.number("a level")
            self.expect(":")
            gain = self.number("a gain")
            if level in entries:
                self.fail("each level once")
            entries[level] = gain
        if not entries:
            self.fail("at least one level: gain")
        return GainTable(tuple(sorted(entries.items())))

    def word(self, what: str) -> str:
        kind, text = self.token()
        if kind != "word":
            self.fail(what, back=len(text))
        return text

    def number(self, what: str) -> int | float:
        kind, text = self.token()
        if kind != "number":
            self.fail(what, back=len(text))
        return _number(text)

    def primes(self) -> int:
        count = 0
        while any(self.taken(prime) for prime in _PRIMES):
            count += 1
        return count

    def taken(self, mark: str) -> bool:
        remaining = self.text[self.place :]
        is_next = remaining.lstrip().startswith(mark)
        if is_next:
            self.place += len(remaining) - len(remaining.lstrip()) + 1
        return is_next

    def expect(self, mark: str) -> None:
        if not self.taken(mark):
            self.fail(repr(mark))

    def token(self) -> tuple[str, str]:
        match = _TOKEN.match(self.text, self.place)
        if match is None or match.lastgroup is None:
            return "", ""
        self.place = match.end()
        return match.lastgroup, match[match.lastgroup]

    def fail(self, what: str, *, back: int = 0) -> NoReturn:
        position = self.place - back
        remaining = self.text[position:].strip()
        instead = f"{remaining!r} stands there" if remaining else "it ends there"
        raise MetricNameError(
            f"cannot read the metric's name {self.text!r}: expected {what} at character {position + 1}, but {instead}. "
            "Write it as nDCG@10, AP(rel=2) or RBP(p=0.8)"
        )


def _number(text: str) -> int | float:
    if len(text) > _MOST_DIGITS:
        raise MetricNameError(
            f"a metric's name has a number of {len(text):,} signs; write it with {_MOST_DIGITS} at most"
        )
    return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
