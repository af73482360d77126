"""Odd spellings: each function writes what it is given in one of the ways that the format allows.

Texts have a mark or none, any line end, a last one or none, empty lines, and may be packed. Numbers have signs, zeros,
points and exponents. Whatever is written, it says the same.
"""

import bz2
import gzip
import importlib
import json
import lzma
import random
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from fuzz_text import MARK

NAMES = (
    *"bm25 é 名前 a\u0301 ﬁ 😀 👩\u200d🔬 ß İ ٣ 𝟙 a#b 'a' -b =c @d a/b a\\b a|b".split(),  # noqa: SIM905, RUF001
    *"a:b a&b <a> [1] {x} %41 1e0 0x10 007 5 NaN None true x.xml a.b.c Q0 runid map".split(),  # noqa: SIM905
    *("1.10", "1.1", "1e3", "1000", "NA", "9223372036854775808", "12345678901234567890", "12345678901234567891"),
)
"""Names without blanks that say nothing else anywhere: of documents, systems, annotators."""
TOPICS = (
    *("1.1", "1.10", "1e3", "007", "7", "10", "301", "2004-1", "12345678901234567890", "None", "q2", "q10", "true"),
    *("é1", "名2"),
)
"""In natural order."""


def _zstandard() -> Any:
    return importlib.import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


def _checked_zstandard(content: bytes) -> bytes:
    zstd = _zstandard()
    return zstd.compress(content, options={zstd.CompressionParameter.checksum_flag: 1})


PACKERS: Mapping[str, Callable[[bytes], bytes]] = {
    ".gz": lambda content: gzip.compress(content, mtime=0),
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": _checked_zstandard,
}
OTHER_PACKERS: tuple[Callable[[bytes], bytes], ...] = (
    lambda content: gzip.compress(content, 1, mtime=10**9),
    lambda content: b"\x1f\x8b\x08\x08" + bytes(6) + b"name\0" + gzip.compress(content, mtime=0)[10:],
    lambda content: bz2.compress(content, 1),
    lambda content: lzma.compress(content, preset=0, check=lzma.CHECK_CRC32),
    lambda content: _zstandard().compress(content),
)


def sometimes(rng: random.Random, one: str, other: str = "") -> str:
    """Return one of two texts, more often the second."""
    return one if rng.random() < 0.3 else other


def few[T](rng: random.Random, listed: Sequence[T], least: int, most: int) -> list[T]:
    """Choose some, and leave them in their order."""
    chosen = sorted(rng.sample(range(len(listed)), rng.randint(least, most)))
    return [listed[at] for at in chosen]


def packed(rng: random.Random, content: bytes) -> bytes:
    """Pack one of four, in one or two members."""
    if rng.random() < 0.75:
        return content
    pack, cut = rng.choice(OTHER_PACKERS), rng.choice((0, 0, len(content) // 2))
    return (pack(content[:cut]) if cut else b"") + pack(content[cut:])


def number(rng: random.Random, value: float) -> str:
    """Write a decimal number: 0.5 as .5, +5.0E-01, 00.50, 50e-2, …."""
    exact = Decimal(repr(value))
    shift = rng.choice((0, 0, 0, 0, 1, -1, -3, 2))
    text = format(abs(exact).scaleb(-shift), "f")
    whole, _, rest = text.partition(".")
    rest = rest.rstrip("0") if rng.random() < 0.5 else rest + "0" * rng.choice((0, 1, 3))
    whole = sometimes(rng, "00") + whole
    whole = "" if rest and not whole.strip("0") and rng.random() < 0.5 else whole
    point = "." if rest or rng.random() < 0.3 else ""
    exponent = f"{rng.choice('eE')}{shift:{rng.choice(('', '+', '03', '+03'))}}" if shift or rng.random() < 0.2 else ""
    sign = "-" if exact.is_signed() else sometimes(rng, "+")
    return f"{sign}{whole}{point}{rest}{exponent}"


_ENDS = (("\n",), ("\r\n",), ("\r",), ("\n", "\r\n", "\r"))


def lines(
    rng: random.Random,
    listed: Sequence[str],
    *,
    comment: str = "",
    empty: bool = True,
    ends: Sequence[Sequence[str]] = _ENDS,
) -> bytes:
    """Write lines, with `empty` ones and comments among them, and in every way of ending lines."""
    more = [*(("", " ", "\t ") if empty else ()), *((f"{comment} note", comment) if comment else ())]
    parts = []
    for line in listed:
        parts += [rng.choice(more)] if more and rng.random() < 0.1 else []
        parts.append(line)
    own = rng.choice(ends)
    text = "".join(part + rng.choice(own) for part in parts[:-1]) + parts[-1] + rng.choice((own[0], own[0], ""))
    return packed(rng, rng.choice((b"", b"", MARK)) + text.encode())


def words(rng: random.Random, rows: Sequence[Sequence[str]], *, comment: str = "", empty: bool = True) -> bytes:
    """Write words that stand apart by white space, some before the first and behind the last."""
    blanks = rng.choice(((" ",), ("\t",), (" ", "  ", "\t", " \t", "\v", "\f")))
    around = rng.choice((("",), ("", " ", "\t\t")))
    texts = (
        rng.choice(around) + "".join(word + rng.choice(blanks) for word in row[:-1]) + row[-1] + rng.choice(around)
        for row in rows
    )
    return lines(rng, [*texts], comment=comment, empty=empty)


def table(rng: random.Random, rows: Sequence[Sequence[str]], delimiters: str = "\t,; ") -> bytes:
    """Write cells apart by a delimiter that no cell makes doubtful, with or without quotation marks and blanks."""
    every = "".join("".join(row) for row in rows)
    one = all(len(row) < 2 for row in rows)
    usable = [one for at, one in enumerate("\t,; ") if one in delimiters and not set("\t,; "[:at]) & set(every)]
    delimiter = rng.choice(usable[:1] if one else usable)
    quoted, padded = rng.choice((0.0, 0.2, 1.0)), rng.choice((0.0, 0.3))

    def cell(text: str) -> str:
        plain = not set(text) & {*'\t,; "\n'} and (text or delimiter != " ")
        before = " " if rng.random() < padded else ""
        if plain and rng.random() >= quoted:
            return before + text + (" " if rng.random() < padded else "")
        return before + '"' + text.replace('"', '""') + '"'

    return lines(rng, [delimiter.join(map(cell, row)) for row in rows])


def title(rng: random.Random, word: str) -> str:
    """Write the name of a column in another case, with other divisions."""
    return rng.choice((word, word.upper(), word.title())).replace("_", rng.choice("_- "))


def json_text(rng: random.Random, value: object, *, line: bool = False, names: bool = True) -> str:  # noqa: C901 - every oddity in its place
    """Write JSON: names in any order, letters as escapes, floats with exponents, white space anywhere.

    Whole numbers stay as they are, since they may be names; `line` keeps it in one, `names` shuffles those of objects.
    """
    spaces = rng.choice((("",), ("", " "), ("", " ", "\t") if line else ("", "\n", "\r\n", "\t", "  ")))
    escaped = rng.choice((0.0, 0.1, 1.0))

    def space() -> str:
        return rng.choice(spaces)

    def letter(sign: str) -> str:
        if rng.random() >= escaped and sign.isprintable() and sign not in '"\\':
            return sign
        if sign in '"\\/' and rng.random() < 0.5:
            return f"\\{sign}"
        units = sign.encode("utf-16-be")
        written = (f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
        return "".join(rng.choice((one, one[:2] + one[2:].upper())) for one in written)

    def write(one: object) -> str:
        if isinstance(one, str):
            return '"' + "".join(map(letter, one)) + '"'
        if isinstance(one, dict):
            items = [*one.items()]
            if names:
                rng.shuffle(items)
            inside = [f"{space()}{write(key)}{space()}:{space()}{write(held)}{space()}" for key, held in items]
            return "{" + (",".join(inside) or space()) + "}"
        if isinstance(one, list):
            return "[" + (",".join(f"{space()}{write(held)}{space()}" for held in one) or space()) + "]"
        if isinstance(one, float):
            written = number(rng, one).removeprefix("+")
            strict = re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written)
            return written if strict else repr(one)
        return json.dumps(one)

    return f"{space()}{write(value)}{space()}"


def json_file(rng: random.Random, value: object, *, names: bool = True) -> bytes:
    """Write a file of JSON."""
    return packed(rng, rng.choice((b"", MARK)) + json_text(rng, value, names=names).encode())


type Tag = tuple[str, Mapping[str, str], Sequence[Any] | str]
"""An element of XML: its name, its attributes, and the elements inside, or its text."""


def xml(rng: random.Random, root: Tag, *, loose: bool = True) -> bytes:  # noqa: C901 - every oddity in its place
    """Write XML: attributes in any order and either quotation mark, references, CDATA, comments, other encodings.

    White space in the content is added where it is `loose`.
    """
    encoding = rng.choice(("", "", "UTF-8", "utf-8", "ISO-8859-1", "UTF-16", "US-ASCII"))
    referred = rng.choice((0.0, 0.05, 0.5))

    def letter(sign: str) -> str:
        known = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}
        far = encoding in {"ISO-8859-1", "US-ASCII"} and ord(sign) > 127
        if far or rng.random() < referred:
            return rng.choice((f"&#{ord(sign)};", f"&#x{ord(sign):x};", f"&#x00{ord(sign):X};"))
        return known.get(sign, sign)

    def space(least: str = "") -> str:
        return rng.choice((least, least, least, " ", "\n", "\t", "\r\n "))

    def between() -> str:
        return (space() if loose else "") + rng.choice(("", "", "", "", "", "<!-- <a> & -->", "<?note x?>", "<!---->"))

    def content(text: str) -> str:
        if "]]>" not in text and text.isascii() and rng.random() < 0.2:
            return f"<![CDATA[{text}]]>"
        cut = rng.randint(0, len(text))
        inside = rng.choice(("", "", "", "<!-- x -->", "<?y z?>"))
        return "".join(map(letter, text[:cut])) + inside + "".join(map(letter, text[cut:]))

    def write(tag: Tag) -> str:
        name, attributes, inside = tag
        listed = [*attributes.items()]
        rng.shuffle(listed)
        text = name
        for key, value in listed:
            mark = rng.choice("\"'")
            text += f"{space(' ')}{key}{space()}={space()}{mark}{''.join(map(letter, value))}{mark}"
        text += space()
        if not inside:
            return rng.choice((f"<{text}/>", f"<{text}></{name}{space()}>"))
        if isinstance(inside, str):
            body = content(inside)
            body = space() + body + space() if loose else body
        else:
            body = "".join(between() + write(one) for one in inside) + between()
        return f"<{text}>{body}</{name}{space()}>"

    mark = rng.choice("\"'")
    head = f"<?xml version={mark}1.0{mark} encoding={mark}{encoding}{mark}?>" if encoding else ""
    head += between() + sometimes(rng, f'<!DOCTYPE {root[0]} SYSTEM "x.dtd">') + between() if head else ""
    text = head + write(root) + between()
    return packed(rng, (MARK if not encoding and rng.random() < 0.3 else b"") + text.encode(encoding or "utf-8"))
