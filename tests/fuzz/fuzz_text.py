"""Changes to text files that know their structure: lines, fields, separators, numbers, names, encodings."""

import random
import re
from collections.abc import Callable, Sequence

from fuzz_harness import Case

NUMBERS = (
    # a list of words reads better as words, and these are meant to look like digits and signs that they are not
    *"0 -0 +0 1 -1 -2 5 1e5 1E-5 1e0 0001 00.10 007 1.0 2.0 0.1 0.25 0.3333333333333333 +5 .5 5. -.5 1E+05".split(),  # noqa: SIM905
    *"32767 32768 -32767 -32768 65536 99999 2147483648 9007199254740993 9223372036854775807".split(),  # noqa: SIM905
    *"9223372036854775808 18446744073709551615 18446744073709551616 123456789012345678 0.1234567890123456789".split(),  # noqa: SIM905
    *"1e19 -1e19 1e23 1e308 1e309 -1e309 1e-400 4.9e-324 2.4703282292062327e-324 2.4703282292062328e-324".split(),  # noqa: SIM905
    *"1e1000000 1e-1000000 0e999999999999 nan NaN -nan inf -inf Infinity +Infinity".split(),  # noqa: SIM905
    *"NA N/A na null None none #N/A -1.#IND true True".split(),  # noqa: SIM905
    *"0x10 0x1p3 0b1 0o7 1_0 1_000 1__0 _1 1_ 0.1_5 1e1_0 ٣ １２ ３.５ ² ½ Ⅷ 0.٣ 1e٣ −1 –1 1,5 1.234,5 1.5.2".split(),  # noqa: SIM905, RUF001
    *"1..2 +-5 --5 ++5 . +. e5 .e5 1e 1e+ 1e- 1e5.0 1d5 1f 1L 1j 5% $5 1/2 '5 5) (5) =1+1".split(),  # noqa: SIM905
    *("", "1 2", " 1 ", "1\x00", "1\x0b", "1\x1c", "1\x85", "1\u00a0", "1\u00a0000", "\u20091", "1\u200b", "\ufeff1"),
    *("9" * 19, "9" * 20, "9" * 25, "9" * 400, "-" + "9" * 4299, "9" * 4301, "9" * 5000, "0" * 5000 + "1"),
    *("0." + "3" * 800, "1e" + "9" * 30),
)
NAMES = (
    *"é ü 名前 a\u202eb a\u200bb \u0301 a\u0301 á İ ı ß ﬁ ſ 😀 𝟙 ٣ ²".split(" "),  # noqa: SIM905, RUF001
    *"' '' 'a' # #a a#b - -- = =cmd() +1 @x -a * ?".split(" "),  # noqa: SIM905
    *'% $ & < > | \\ / .. . a/b x.xml .xml .XML %41 &amp; &lt; a,b a;b a:b a=b a|b {"a" [1] Unnamed:0'.split(" "),  # noqa: SIM905
    *"NaN nan None null NA true 0 1 01 1.0 1e0 -1 X x Q0 all ALL All amean mean average runid num_q num_ret".split(" "),  # noqa: SIM905
    *"relstring map P_10 ndcg AP topic system run name query qid value score metric measure group item doc".split(" "),  # noqa: SIM905
    *"label judge \ufeff \ufffd \uffff \u00a0 \u3000 \u2028 \u2029 \x85 \x01 \x1b[31m \x7f \x1c \x1f \x08".split(" "),  # noqa: SIM905
    *(
        "",
        " ",
        '"',
        '""',
        '"a"',
        'a"b',
        '"a',
        'a"',
        '"a""b"',
        '"a,b"',
        '"a b"',
        '"a\nb"',
        "a b",
        "a\tb",
        "\x00",
        "a\x00b",
    ),
    *("a" * 300, "é" * 200, "a" * 5000, "Unnamed: 0", "Unnamed: 1", " a", "a ", "\u00a0a", "a\u00a0"),
)
SEPARATORS = (
    b" ",
    b"\t",
    b",",
    b";",
    b"  ",
    b" \t",
    b"\x0b",
    b"\x0c",
    b"\xc2\xa0",
    b"\xe2\x80\x83",
    b", ",
    b" ,",
    b"|",
    b":",
    b"\x1c",
    b"\x1f",
    b"\x85",
)
LINE_ENDS = (
    b"\n",
    b"\r\n",
    b"\r",
    b"\n\r",
    b"\r\r\n",
    b"\n\n",
    b"\x0b",
    b"\x0c",
    b"\xc2\x85",
    b"\xe2\x80\xa8",
    b"\x1e",
    b" \n",
    b"\t\n",
    b"",
)
MARK = b"\xef\xbb\xbf"
_FIELD = re.compile(rb"[^\s,;<>=\"]+")
_NUMBER = re.compile(rb"(?<![\w.])[+-]?[0-9]+(?:\.[0-9]+)?(?![\w.])")
_SEPARATOR = re.compile(rb"[ \t,;]+")

type Change = Callable[[random.Random, bytes], bytes]


def lines_of(content: bytes) -> list[bytes]:
    """Cut at line ends, which stay."""
    return content.splitlines(keepends=True) or [b""]


def _drop_line(rng: random.Random, content: bytes) -> bytes:
    lines = lines_of(content)
    del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def _repeat_line(rng: random.Random, content: bytes) -> bytes:
    lines = lines_of(content)
    lines.insert(rng.randint(0, len(lines)), rng.choice(lines))
    return b"".join(lines)


def _shuffle_lines(rng: random.Random, content: bytes) -> bytes:
    lines = lines_of(content)
    if rng.random() < 0.5:
        one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[one], lines[other] = lines[other], lines[one]
    else:
        rng.shuffle(lines)
    return b"".join(lines)


def _add_line(rng: random.Random, content: bytes) -> bytes:
    lines = lines_of(content)
    new = rng.choice(
        (
            b"\n",
            b" \n",
            b"\t\n",
            b"# note\n",
            b" # note\n",
            b"#\n",
            b"#a b c d e f\n",
            b",,,\n",
            b'""\n',
            b"\x00\n",
            b"all\n",
            b"\r",
            b"\x0c\n",
        )
    )
    lines.insert(rng.randint(0, len(lines)), new)
    return b"".join(lines)


def _replaced(rng: random.Random, content: bytes, pattern: re.Pattern[bytes], by: Callable[[bytes], bytes]) -> bytes:
    found = list(pattern.finditer(content))
    if not found:
        return content
    one = rng.choice(found)
    return content[: one.start()] + by(one[0]) + content[one.end() :]


def _change_number(rng: random.Random, content: bytes) -> bytes:
    return _replaced(rng, content, _NUMBER, lambda _: rng.choice(NUMBERS).encode())


def _change_name(rng: random.Random, content: bytes) -> bytes:
    name = rng.choice(NAMES).encode()
    if rng.random() < 0.3:
        return _replaced(rng, content, _FIELD, lambda old: rng.choice((old + name, name + old)))
    if rng.random() < 0.3:  # everywhere
        found = _FIELD.findall(content)
        return content.replace(rng.choice(found), name) if found else content
    return _replaced(rng, content, _FIELD, lambda _: name)


def _change_field(rng: random.Random, content: bytes) -> bytes:
    """Drop, repeat, quote or swap a field."""
    fields = _FIELD.findall(content)
    if not fields:
        return content
    other = rng.choice(fields)
    kinds: tuple[Callable[[bytes], bytes], ...] = (
        lambda _: b"",
        lambda old: old + b" " + old,
        lambda old: old + b"," + old,
        lambda old: b'"' + old + b'"',
        lambda old: b"'" + old + b"'",
        lambda old: b' "' + old + b'" ',
        lambda _: other,
        lambda old: other + b" " + old,
        lambda old: old.upper(),
        lambda old: old + b"\r",
        lambda old: old[: len(old) // 2] + b"\r" + old[len(old) // 2 :],
        lambda old: old[::-1],
        lambda old: old + b'"',
    )
    return _replaced(rng, content, _FIELD, rng.choice(kinds))


def _change_separator(rng: random.Random, content: bytes) -> bytes:
    new = rng.choice(SEPARATORS)
    roll = rng.random()
    if roll < 0.4:
        return _replaced(rng, content, _SEPARATOR, lambda _: new)
    if roll < 0.7:
        return _SEPARATOR.sub(lambda _: new, content)
    lines = lines_of(content)
    at = rng.randrange(len(lines))
    lines[at] = _SEPARATOR.sub(lambda _: new, lines[at])
    return b"".join(lines)


def _change_line_ends(rng: random.Random, content: bytes) -> bytes:
    new = rng.choice(LINE_ENDS)
    if rng.random() < 0.5:
        return content.replace(b"\n", new)
    parts = content.split(b"\n")
    if len(parts) < 2:
        return content + new
    at = rng.randrange(1, len(parts))
    return b"\n".join(parts[:at]) + new + b"\n".join(parts[at:])


def _flip(rng: random.Random, content: bytes) -> bytes:
    if not content:
        return content
    at = rng.randrange(len(content))
    roll = rng.random()
    if roll < 0.5:
        return content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :]
    if roll < 0.7:
        return content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :]
    if roll < 0.85:
        return content[:at] + bytes([rng.randrange(256)]) + content[at:]
    return content[:at] + content[at + 1 :]


def _cut(rng: random.Random, content: bytes) -> bytes:
    if rng.random() < 0.05:
        return b""
    at = rng.randint(0, len(content))
    return content[:at] if rng.random() < 0.7 else content[at:]


def _encode(rng: random.Random, content: bytes) -> bytes:  # noqa: PLR0911 - one return an outcome
    roll = rng.randrange(9)
    if roll == 0:
        return MARK + content
    if roll == 1:
        return MARK + MARK + content
    if roll == 2:
        at = rng.randint(0, len(content))
        return content[:at] + MARK + content[at:]
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return content
    if roll == 3:
        return text.encode("latin-1", errors="replace")
    if roll == 4:
        return text.encode("utf-16")
    if roll == 5:
        return text.encode("utf-16-be")
    if roll == 6:
        return text.encode("utf-32")
    if roll == 7:
        return text.encode("cp037", errors="replace")
    return text.encode("utf-7") if len(text) < 1000 else content


CHANGES: tuple[tuple[Change, int], ...] = (
    (_drop_line, 6),
    (_repeat_line, 6),
    (_shuffle_lines, 6),
    (_add_line, 6),
    (_change_number, 22),
    (_change_name, 18),
    (_change_field, 10),
    (_change_separator, 8),
    (_change_line_ends, 6),
    (_flip, 8),
    (_cut, 4),
    (_encode, 3),
)


def text_mutation(
    make: Callable[[random.Random], Case], own: Sequence[tuple[Change, int]] = ()
) -> Callable[[random.Random, Case], Case]:
    """Return a function that makes one change: a general one, one of the format's own, or a splice of two documents."""
    changes = [*CHANGES, *own]
    kinds, weights = [change for change, _ in changes], [weight for _, weight in changes]
    splices = sum(weights) // 16

    def mutate(rng: random.Random, case: Case) -> Case:
        at = rng.randrange(len(case.files))
        content = case.files[at]
        chosen = rng.choices([*kinds, None], [*weights, splices])[0]
        if chosen is None:
            others = make(rng).files
            other = others[at % len(others)]
            if rng.random() < 0.6:
                one, two = lines_of(content), lines_of(other)
                new = b"".join([*one[: rng.randint(0, len(one))], *two[rng.randint(0, len(two)) :]])
            else:
                new = content[: rng.randint(0, len(content))] + other[rng.randint(0, len(other)) :]
        else:
            new = chosen(rng, content)
        return case._replace(files=(*case.files[:at], new, *case.files[at + 1 :]))

    return mutate


def pick(rng: random.Random, words: str) -> str:
    """Choose one of some words."""
    return rng.choice(words.split())
