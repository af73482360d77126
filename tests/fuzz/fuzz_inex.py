"""INEX files: submissions, assessments, pools and sizes of elements, in XML and in lines."""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any
from xml.parsers import expat

import pandas as pd
from fuzz_harness import Case, Reader, RefusedError
from fuzz_plain import lines_of, number_of, text_of, whole_of, words_of
from fuzz_text import Change, text_mutation
from fuzz_trec import qrels_of, run_of

from metaeval.inex.judged_files import read_judged
from metaeval.inex.reading import read_assessments, read_element_sizes, read_pool, read_submission

_PATHS = ("/article[1]", "/article[1]/bdy[1]", "/article[1]/bdy[1]/sec[2]", "/article/bdy/sec[1]/p[3]", "/a[1]/b[10]")
_TEXT = "/text()[1]"
_OWN = "one"

# ------------------------------------------------------------------------------------------------ documents


def _lenient(rng: random.Random) -> dict[str, Any]:
    return {"lenient": True} if rng.random() < 0.5 else {}


def _make_submission(rng: random.Random) -> Case:
    kind = rng.choice(("path", "path", "fol", "passage", "bep"))
    ranked, scored = rng.random() < 0.7, rng.random() < 0.6
    lines = ['<?xml version="1.0" encoding="UTF-8"?>'] if rng.random() < 0.4 else []
    name = rng.choice(("VSM_06", "r", ""))
    lines.append(f'<inex-submission participant-id="12" run-id="{name}" task="Focused" query="automatic">')
    if rng.random() < 0.3:
        lines += ['<topic-fields title="yes"/>', "<description>free text</description>"]
    if rng.random() < 0.3:
        lines += ["<collections><collection>wikipedia</collection></collections>"]
    for topic in rng.sample(["414", "415", "T1"], rng.randint(1, 2)):
        lines.append(f'<topic topic-id="{topic}">')
        for number in range(rng.randint(0, 3)):
            place = {
                "path": f"<path>{rng.choice(_PATHS)}</path>",
                "fol": f'<fol offset="{rng.randint(0, 99)}" length="{rng.randint(1, 99)}"/>',
                "bep": f'<fol offset="{rng.randint(-1, 99)}"/>',
                "passage": f'<passage start="{rng.choice(_PATHS)}{_TEXT}.0" end="{rng.choice(_PATHS)}{_TEXT}.57"/>',
            }[kind]
            rank = f"<rank>{number + 1}</rank>" if ranked else ""
            rsv = f"<rsv>{rng.random():.3f}</rsv>" if scored else ""
            lines.append(
                f"<result><file>{rng.choice(('123456', 'co/2001/r7022', 'd.xml'))}</file>{place}{rank}{rsv}</result>"
            )
        lines.append("</topic>")
    return Case(("\n".join([*lines, "</inex-submission>"]).encode() + b"\n",), _lenient(rng))


def _make_submission_lines(rng: random.Random) -> Case:
    kind = rng.choice(("path", "paths", "fol", "bep"))
    lines = []
    for topic in rng.sample(["2009001", "2", "T1"], rng.randint(1, 2)):
        for rank in range(1, rng.randint(2, 4)):
            place = {
                "path": rng.choice(_PATHS),
                "paths": f"{rng.choice(_PATHS)} {rng.choice(_PATHS)}",
                "fol": rng.choice((f"{rng.randint(0, 99)} {rng.randint(1, 99)}", "X X", "-1 5")),
                "bep": rng.choice((f"{rng.randint(0, 99)}", "X")),
            }[kind]
            lines.append(
                f"{topic} Q0 {rng.choice(('9996', 'd2.xml', 'd3'))} {rank} {10 - rank + rng.random():.3f} RunX {place}"
            )
    return Case(("\n".join(lines).encode() + b"\n",), _lenient(rng))


def _make_assessments(rng: random.Random) -> Case:
    year = rng.choice(("2002", "2003", "2005", "2005", "2007"))
    topic = rng.choice(('pool="5" topic="289" version="2"', "topic='289'", 'topic-id="9"', 'pool="1" name="7"'))
    lines = ['<?xml version="1.0"?>', '<!DOCTYPE assessments SYSTEM "a.dtd">'] if rng.random() < 0.3 else []
    lines.append(f"<assessments {topic}>")
    if rng.random() < 0.3:
        lines.append('<inex_topic topic_id="289" query_type="CO+S"><title>a &amp; b</title></inex_topic>')
    for document in rng.sample(["r1", "co/2001/r7022", "123.xml"], rng.randint(1, 2)):
        lines.append(
            f'<file collection="wikien" name="{document}">' if year in {"2005", "2007"} else f"<file file='{document}'>"
        )
        if year in {"2005", "2007"} and rng.random() < 0.6:
            lines.append(f'<best-entry-point path="{rng.choice(_PATHS)}{_TEXT}.0"/>')
            lines.append(
                f'<passage start="{rng.choice(_PATHS)}{_TEXT}.0" end="{rng.choice(_PATHS)}{_TEXT}.57" '
                f'size="{rng.randint(1, 900)}"/>'
            )
        if year != "2007":
            lines += _judgments(rng, year)
        lines.append("</file>")
    return Case(("\n".join([*lines, "</assessments>"]).encode() + b"\n",), _lenient(rng))


def _judgments(rng: random.Random, year: str) -> list[str]:
    lines = []
    for path in _PATHS[: rng.randint(0, 3)]:
        if year == "2002":
            code = rng.choice(("3 E", "2 L", "1 S", "0 N", "2 E")).split()
            lines.append(f'<path path="{path}" relevance="{code[0]}" coverage="{code[1]}"/>')
        elif year == "2003":
            e, s = rng.choice(((0, 0), (3, 3), (2, 1), (1, 2), (2, 2)))
            lines.append(f"<path path='{path}' exhaustiveness='{e}' specificity='{s}'/>")
        else:
            size = rng.randint(10, 99)
            what = f'exhaustivity="{rng.choice(("2", "2", "1", "?"))}" ' if rng.random() < 0.9 else ""
            lines.append(f'<element path="{path}" {what}size="{size}" rsize="{rng.randint(1, size)}"/>')
    return lines


def _make_fol(rng: random.Random) -> Case:
    lines = []
    for topic, document in rng.sample(
        [("T1", "d1"), ("T1", "d2"), ("2009001", "d1"), ("2", "d3.xml")], rng.randint(1, 3)
    ):
        size = rng.randint(500, 2000)
        kind = rng.randrange(4)
        if kind == 0:
            lines.append(f"{topic} Q0 {document} 0 {size}")
        elif kind == 1:
            lines.append(f"{topic} Q0 {document} {rng.randint(0, size)} {size} {rng.randint(0, size)}")
        else:
            one, two = rng.randint(1, 100), rng.randint(1, 100)
            spans = [f"{rng.randint(0, 100)}:{one}", f"{rng.randint(210, 400)}:{two}"][: rng.randint(1, 2)]
            relevant = one + (two if len(spans) > 1 else 0)
            lines.append(f"{topic} Q0 {document} {relevant} {size} {rng.randint(0, 99)} {' '.join(spans)}")
    return Case(("\n".join(lines).encode() + b"\n",), _lenient(rng))


def _make_pool(rng: random.Random) -> Case:
    lines = ['<pool topic="289">']
    for document in rng.sample(["r1", "co/2001/r7022", "123.xml"], rng.randint(1, 2)):
        lines.append(f'<file file="{document}">')
        lines += [f'<path path="{path}"/>' for path in _PATHS[: rng.randint(0, 2)]]
        if rng.random() < 0.4:
            lines.append(f'<passage start="{rng.choice(_PATHS)}{_TEXT}.0" end="{rng.choice(_PATHS)}{_TEXT}.57"/>')
        lines.append("</file>")
    return Case(("\n".join([*lines, "</pool>"]).encode() + b"\n",), _lenient(rng))


def _make_sizes(rng: random.Random) -> Case:
    comma = rng.choice((" ", ",", "\t"))
    lines = [comma.join(("document", "path", "size"))] if rng.random() < 0.5 else []
    lines += [
        comma.join((d, path, str(rng.randint(1, 9999))))
        for d in ("r1", "d2.xml")
        for path in _PATHS[: rng.randint(1, 3)]
    ]
    return Case(("\n".join(lines).encode() + b"\n",), _lenient(rng))


def _make_judged(rng: random.Random) -> Case:
    runs = (_make_submission, _make_submission_lines, _make_run)
    judged = (_make_assessments, _make_fol, _make_qrels)
    kind = rng.randrange(3)
    other = kind if rng.random() < 0.9 else rng.randrange(3)
    run, judgments = (make(rng).files[0] for make in (runs[kind], judged[other]))
    for topic in (b"289", b'topic-id="9"', b'name="7"'):
        judgments = judgments.replace(topic, topic.replace(b"289", b"414").replace(b"9", b"414").replace(b"7", b"414"))
    return Case((run, judgments), _lenient(rng))


def _make_run(rng: random.Random) -> Case:
    return Case(("".join(f"T1 Q0 d{n} {n} {9 - n} run\n" for n in range(1, rng.randint(2, 4))).encode(),))


def _make_qrels(rng: random.Random) -> Case:
    return Case(("".join(f"T1 0 d{n} {rng.randint(0, 2)}\n" for n in range(1, rng.randint(2, 4))).encode(),))


# ---------------------------------------------------------------------------------------- changes of their own

_TAG = re.compile(rb"<[^<>]*>")
_ATTRIBUTE = re.compile(rb"[\w-]+=(\"[^\"]*\"|'[^']*')")
_INSERTED = (
    b"<!-- note -->",
    b"<strange/>",
    b"<strange>1<rank>7</rank></strange>",
    b"<path>/article[1]</path>",
    b'<path path="/article[1]" exhaustiveness="1" specificity="1"/>',
    b'<element path="/article[1]/x[1]" exhaustivity="1" size="9" rsize="3"/>',
    b"<rank>5</rank>",
    b"<rsv>nan</rsv>",
    b"<file>other</file>",
    b'<file file="other"/>',
    b'<topic topic-id="414">',
    b"</topic>",
    b"<![CDATA[1]]>",
    b"&amp;",
    b"&lt;x&gt;",
    b"&#49;",
    b"&#x31;",
    b"&unknown;",
    b"&#0;",
    b"<?note x?>",
    b'<!DOCTYPE x [<!ENTITY a "b">]>',
    b'<!DOCTYPE x [<!ENTITY % a "b"> %a;]>',
    b'<!DOCTYPE inex-submission SYSTEM "a.dtd">',
    b'<!DOCTYPE x [<!ATTLIST path path CDATA "/default[1]">]>',
    b'<?xml version="1.0" encoding="latin-1"?>',
    b'<?xml version="1.0" encoding="utf-16"?>',
    b'<?xml version="1.0" encoding="nonsense"?>',
    b'<?xml version="1.1"?>',
    b'<?xml version="1.0" encoding="cp037"?>',
    b'<?xml version="1.0" encoding="utf-7"?>',
    b'<?xml version="1.0" encoding="idna"?>',
    b'<?xml version="1.0" encoding="rot13"?>',
    b'<?xml version="1.0" encoding="big5"?>',
    b"\x00",
    b"text",
    b'<passage start="" end="" size="5"/>',
    b'<fol offset="1" length="2"/>',
    b'<fol offset="-1" length="7"/>',
)
_ATTRIBUTES = (
    b'size="0"',
    b'rsize="0"',
    b'size="99999999999999999999"',
    b'exhaustivity="3"',
    b'exhaustivity="0"',
    b'exhaustivity="?"',
    b'exhaustiveness="9"',
    b'specificity="0"',
    b'relevance="3"',
    b'coverage="S"',
    b'coverage="s"',
    b'coverage="N"',
    b'path="/"',
    b'path="article[1]"',
    b'path="/article[0]"',
    b'path="/article[01]"',
    b'path="//article"',
    b'path="/article[1]/"',
    b'path="/article[' + b"9" * 25 + b']"',
    b'path="/article[' + b"9" * 5000 + b']/b"',
    b'path="/article [1]"',
    b'path=" /article[1] "',
    b'path="/ARTICLE[1]"',
    b'path="/1a[1]"',
    b'path="/\xc3\xa9[1]"',
    b'path="/a:b[1]"',
    b'path="/article[\xd9\xa3]"',
    b'offset="-1"',
    b'offset="-2"',
    b'length="-1"',
    b'topic=""',
    b'name=""',
    b'topic-id=" 414 "',
    b'xmlns="http://x"',
    b'xmlns:a="http://x"',
)


def _insert(rng: random.Random, content: bytes) -> bytes:
    places = [found.end() for found in _TAG.finditer(content)] or [0]
    at = rng.choice((0, *places))
    return content[:at] + rng.choice(_INSERTED) + content[at:]


def _change_attribute(rng: random.Random, content: bytes) -> bytes:
    found = list(_ATTRIBUTE.finditer(content))
    if not found:
        return content
    one, other = rng.choice(found), rng.choice(found)
    new = rng.choice((b"", other[0], one[0] + b" " + other[0], rng.choice(_ATTRIBUTES), rng.choice(_ATTRIBUTES)))
    if new in _ATTRIBUTES:
        name = new.split(b"=")[0]
        same = [attribute for attribute in found if attribute[0].startswith(name + b"=")]
        one = rng.choice(same) if same else one
    return content[: one.start()] + new + content[one.end() :]


def _change_tag(rng: random.Random, content: bytes) -> bytes:
    found = list(_TAG.finditer(content))
    if not found:
        return content
    one, other = rng.choice(found), rng.choice(found)
    new = rng.choice(
        (b"", one[0] * 2, other[0], one[0].upper(), one[0].replace(b"/", b""), one[0].replace(b"<", b"<x:"))
    )
    return content[: one.start()] + new + content[one.end() :]


def _change_path(rng: random.Random, content: bytes) -> bytes:
    found = list(re.finditer(rb"/[\w/\[\]().]+", content))
    if not found:
        return content
    one = rng.choice(found)
    old, long = one[0], b"9" * 5000
    new = rng.choice(
        (
            *(
                b"/article[1]",
                b"/article",
                b"/article[1]/bdy[1]/",
                b"/",
                b"",
                b"article[1]",
                b"/article[0]",
                b"X",
                b"-1",
                b"5",
            ),
            *(
                old + b"/text()[1].57",
                old + b"/text()",
                old + b"[2]",
                old + b" ",
                old + b"\n",
                old + b"x",
                old + b".xml",
            ),
            *(b"/article[" + long + b"]/b", old + b"/text()[1]." + long, old + b"/text()[" + long + b"]"),
            old.replace(b"[1]", b""),
        )
    )
    return content[: one.start()] + new + content[one.end() :]


_XML: tuple[tuple[Change, int], ...] = ((_insert, 22), (_change_attribute, 22), (_change_tag, 12), (_change_path, 10))
_LINES: tuple[tuple[Change, int], ...] = ((_change_path, 12),)

# --------------------------------------------------------------------------------------------- second opinion


class _Tag:
    """An element: its attributes, the elements inside, and its own text."""

    def __init__(self, name: str, attributes: Mapping[str, str]) -> None:
        self.name, self.attributes = name, dict(attributes)
        self.inside: list[_Tag] = []
        self.text = ""

    def all(self, *names: str) -> list["_Tag"]:
        return [one for one in self.inside if one.name in names]

    def __getitem__(self, name: str) -> str:
        if name not in self.attributes:
            raise RefusedError("a missing attribute")
        return self.attributes[name].strip()


def _tree(content: bytes) -> _Tag:
    """Build the tree of a file, as it stands: nothing is expanded and nothing is opened."""
    root = _Tag("", {})
    stack = [root]

    def start(name: str, attributes: Mapping[str, str]) -> None:
        stack[-1].inside.append(_Tag(name, attributes))
        stack.append(stack[-1].inside[-1])

    def end(_: str) -> None:
        stack.pop()

    def data(text: str) -> None:
        stack[-1].text += text

    def entity(*_: object) -> None:
        raise RefusedError("a declared entity")

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, data
    parser.EntityDeclHandler = entity
    try:
        parser.Parse(content, True)  # noqa: FBT003 - expat takes it by position
    except (expat.ExpatError, LookupError, ValueError):
        raise RefusedError("broken XML") from None
    return root.inside[0]


def _only(tag: _Tag, names: Sequence[str], *, lenient: bool) -> None:
    if not lenient and any(one.name not in names for one in tag.inside):
        raise RefusedError("an element that does not belong here")


_STEP = re.compile(r"([^\W\d][\w.:-]*)(?:\[([1-9][0-9]*)\])?")
_POINT = re.compile(r"(.*)/text\(\)(?:\[([1-9][0-9]*)\])?(?:\.([0-9]+))?", flags=re.DOTALL)


def _path(text: str, *, lenient: bool) -> str:
    text = text.strip()
    steps = [_STEP.fullmatch(step) for step in text[1:].split("/")]
    if not text.startswith("/") or None in steps:
        if not lenient:
            raise RefusedError("a malformed path")
        return text
    return "".join(f"/{step[1]}[{step[2] or '1'}]" for step in steps if step)


def _point(text: str, *, lenient: bool) -> str:
    found = _POINT.fullmatch(text.strip())
    if not found:
        return _path(text, lenient=lenient)
    path = _path(found[1], lenient=lenient)
    if lenient and path == found[1].strip() and not re.fullmatch(r"(/[^\W\d][\w.:-]*\[[0-9]+\])+", path):
        return text.strip()
    place = "" if found[3] is None else "." + (found[3].lstrip("0") or "0")
    return f"{path}/text()[{found[2] or '1'}]{place}"


def _document(text: str) -> str:
    name = text.strip().removesuffix(".xml")
    if not name:
        raise RefusedError("a document without a name")
    return name


def _submission_opinions(case: Case) -> list[object]:
    lenient = case.options.get("lenient", False)
    root = _tree(case.files[0])
    if root.name != "inex-submission":
        raise RefusedError("another root")
    _only(root, ("topic-fields", "description", "collections", "topic"), lenient=lenient)
    answered: dict[str, None] = {}
    rows: list[list[Any]] = []
    for part, topic in enumerate(root.all("topic")):
        _only(topic, ("result",), lenient=lenient)
        name = topic["topic-id"]
        if not name:
            raise RefusedError("a topic without a name")
        answered[name] = None
        for result in topic.all("result"):
            _only(result, ("file", "path", "passage", "fol", "rank", "rsv"), lenient=lenient)
            rows += [[part, name, *row] for row in _result_rows(result, lenient=lenient)]
    found = []
    for name in dict.fromkeys(row[1] for row in rows):
        mine = [row for row in rows if row[1] == name]
        keys = [0.0] * len(mine)
        if all(row[7] is not None for row in mine):
            keys = [row[7] for row in mine]
        elif all(row[8] is not None for row in mine):
            keys = [-row[8] for row in mine]
        order = sorted(range(len(mine)), key=lambda at, k=keys, m=mine: (m[at][0], k[at]))
        found += [tuple(mine[at][1:]) for at in order]
    about = {key: root.attributes.get(key, "").strip() for key in ("run-id", "participant-id", "task")}
    return [
        {
            "run": about["run-id"] or _OWN,
            "participant": about["participant-id"],
            "task": about["task"],
            "answered": list(answered),
            "results": found,
        }
    ]


def _result_rows(result: _Tag, *, lenient: bool) -> list[tuple[Any, ...]]:
    for name in ("file", "rank", "rsv"):
        if not lenient and len(result.all(name)) > 1:
            raise RefusedError(f"two of <{name}> in a result")
    for one in result.all("file", "path", "passage", "fol", "rank", "rsv"):
        _only(one, (), lenient=lenient)
    if not result.all("file"):
        raise RefusedError("no document")
    document = _document(result.all("file")[0].text)
    numbers = [number_of(found[0].text.strip()) if (found := result.all(name)) else None for name in ("rank", "rsv")]
    places: list[tuple[str, str, int, int]] = []
    for one in result.all("path", "passage", "fol"):
        if one.name == "path":
            places.append((_path(one.text, lenient=lenient), "", -1, -1))
        elif one.name == "passage":
            start, end = (_point(one[word], lenient=lenient) for word in ("start", "end"))
            places.append((start, end, -1, -1))
        else:
            offset = whole_of(one["offset"], -1)
            length = whole_of(one.attributes.get("length", "-1").strip(), -1)
            places.append(("", "", offset, length if offset >= 0 else -1))
    if not places or (len(places) > 1 and any(one.name != "passage" for one in result.all("path", "passage", "fol"))):
        raise RefusedError("not one location")
    return [(document, *place, *numbers) for place in places]


def _words(content: bytes) -> list[list[str]]:
    rows = [words for line in lines_of(text_of(content)) if (words := words_of(line))]
    if not rows:
        raise RefusedError("no line")
    return rows


def _digits(text: str) -> int:
    if not re.fullmatch(r"[0-9]+", text):
        raise RefusedError("no whole number")
    return whole_of(text, 0)


def _line_submission_opinions(case: Case) -> list[object]:
    lenient = case.options.get("lenient", False)
    rows = _words(case.files[0])
    if len(rows[0]) not in {7, 8} or any(len(row) != len(rows[0]) for row in rows):
        raise RefusedError("not 7 or 8 columns in every line")
    if not lenient and len({row[5] for row in rows}) > 1:
        raise RefusedError("a second run")
    of_elements = rows[0][6].startswith("/")
    results = []
    for row in rows:
        if of_elements:
            paths = (
                [_path(row[6], lenient=lenient), ""]
                if len(row) == 7
                else [_point(one, lenient=lenient) for one in row[6:]]
            )
            place: list[Any] = [*paths, -1, -1]
        elif row[6] in {"X", "x", "-1"}:
            place = ["", "", -1, -1]
        else:
            place = ["", "", _digits(row[6]), _digits(row[7]) if len(row) > 7 else -1]
        results.append((row[0], _document(row[2]), *place, number_of(row[3]), number_of(row[4])))
    answered = list(dict.fromkeys(row[0] for row in rows))
    ordered = [row for topic in answered for row in results if row[0] == topic]
    return [{"run": rows[0][5], "participant": "", "task": "", "answered": answered, "results": ordered}]


def _grade(text: str) -> int:
    return -1 if text.strip() == "?" else whole_of(text.strip(), 0)


def _first(tag: _Tag, *names: str) -> str:
    for name in names:
        if name in tag.attributes:
            return tag.attributes[name].strip()
    raise RefusedError("a missing attribute")


def _assessment_opinions(case: Case) -> list[object]:  # noqa: C901, PLR0912 - a literal reading, step by step
    lenient = case.options.get("lenient", False)
    if not case.files[0].lstrip().removeprefix(b"\xef\xbb\xbf").startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
        return _fol_opinions(case)
    root = _tree(case.files[0])
    if root.name != "assessments":
        raise RefusedError("another root")
    _only(root, ("inex_topic", "file"), lenient=lenient)
    named = [root.attributes[name] for name in ("topic", "topic-id", "topic_id") if name in root.attributes]
    others = [value for name, value in root.attributes.items() if name not in {"pool", "version"}]
    if not named and not others:
        raise RefusedError("no topic")
    topic = (named or others)[0].strip()
    if not topic:
        raise RefusedError("a topic without a name")
    documents: dict[str, dict[str, Any]] = {}
    elements: list[dict[str, Any]] = []
    passages = []
    scales = set()
    modern = False
    for file in root.all("file"):
        modern = "file" not in file.attributes
        name = _document(_first(file, "file", "name"))
        if name in documents:
            raise RefusedError("a document twice")
        documents[name] = {"highlighted": 0, "size": -1, "root": 0, "point": ""}
        for one in file.inside:
            if one.name == "best-entry-point":
                documents[name]["point"] = _point(one["path"], lenient=lenient)
            elif one.name == "passage":
                size = whole_of(one["size"], 0)
                passages.append(
                    (topic, name, -1, size, *(_point(one[word], lenient=lenient) for word in ("start", "end")))
                )
                documents[name]["highlighted"] += size
            elif one.name in {"element", "path"} or "path" in one.attributes:
                elements.append(_element(one, name, scales, lenient=lenient))
            elif not lenient:
                raise RefusedError("an element that does not belong here")
    if len(scales) > 1:
        raise RefusedError("two scales")
    scale = next(iter(scales)) if scales else "passages" if passages else "2005" if modern else "2003"
    if scale == "2005":
        for one in elements:
            if one["path"].count("/") == 1:
                documents[one["document"]].update(size=one["size"], root=one["rsize"])
    kept = _held_to_rules(elements, scale, lenient=lenient)
    if not lenient:
        _touching(passages)
    sized = scale in {"2005", "passages"}
    highlighted = {name: (one["highlighted"] or one["root"]) if sized else -1 for name, one in documents.items()}
    return [
        {
            "scale": scale,
            "documents": [
                (topic, name, highlighted[name], one["size"], -1, one["point"]) for name, one in documents.items()
            ],
            "elements": [(topic, e["document"], e["path"], e["e"], e["s"], e["size"], e["rsize"]) for e in kept],
            "passages": passages,
        }
    ]


def _element(one: _Tag, document: str, scales: set[str], *, lenient: bool) -> dict[str, Any]:
    scale = (
        "2005" if "rsize" in one.attributes else "2002" if {"coverage", "relevance"} & set(one.attributes) else "2003"
    )
    scales.add(scale)
    words = ("exhaustiveness", "exhaustivity", "exh", "relevance")
    found: dict[str, Any] = {"document": document, "path": _path(one["path"], lenient=lenient)}
    found |= {
        word: whole_of(one.attributes[word].strip(), 0) if word in one.attributes else -1 for word in ("size", "rsize")
    }
    if scale == "2005" and not any(word in one.attributes for word in words):
        found["e"] = 2
    else:
        found["e"] = _grade(_first(one, *words))
    if scale == "2005" and found["e"] > 2:
        if not lenient:
            raise RefusedError("an invalid exhaustivity")
        found["e"] = 2
    if scale == "2002":
        code = _first(one, "specificity", "spec", "coverage").upper()
        if code not in {"N", "L", "S", "E"}:
            raise RefusedError("an unknown coverage")
        found["s"] = float("NLSE".index(code))
    elif scale == "2003":
        found["s"] = float(whole_of(_first(one, "specificity", "spec", "coverage"), 0))
    return found


def _held_to_rules(elements: list[dict[str, Any]], scale: str, *, lenient: bool) -> list[dict[str, Any]]:  # noqa: C901, PLR0912 - a literal reading, step by step
    kept: list[dict[str, Any]] = []
    for one in elements:
        if any((one["document"], one["path"]) == (other["document"], other["path"]) for other in kept):
            if not lenient:
                raise RefusedError("an element twice")
            continue
        kept.append(dict(one))
    if scale == "2005":
        for one in kept:
            wrong = (
                one["size"] < 0
                or one["rsize"] > one["size"]
                or (one["size"] > 0 and (one["rsize"] == 0) != (one["e"] == 0))
            )
            if wrong and not lenient:
                raise RefusedError("invalid sizes")
        kept = [one for one in kept if one["size"] > 0 and one["rsize"] > 0 and one["e"] != 0]
        for one in kept:
            one["rsize"] = min(one["rsize"], one["size"])
            one["s"] = float(one["rsize"]) / float(one["size"])
    else:
        for one in kept:
            right = one["e"] in {0, 1, 2, 3} and one["s"] in {0, 1, 2, 3} and (one["e"] == 0) == (one["s"] == 0)
            if not right or (scale == "2002" and (one["e"], one["s"]) == (3, 2)):
                if not lenient:
                    raise RefusedError("an invalid pair")
                one["e"], one["s"] = 0, 0.0
    if not lenient:
        degree = [0.5 if one["e"] == -1 else one["e"] for one in kept]
        for number, one in enumerate(kept):
            above = [
                (len(other["path"]), at)
                for at, other in enumerate(kept)
                if one["document"] == other["document"] and one["path"].startswith(other["path"] + "/")
            ]
            if above and degree[number] > degree[max(above)[1]]:
                raise RefusedError("more exhaustive than what it stands in")
    return kept


def _touching(passages: Sequence[tuple[Any, ...]]) -> None:
    pairs = ((one, other) for one in passages for other in passages if one is not other)
    if any(one[5] and (one[1], one[5]) == (other[1], other[4]) for one, other in pairs):
        raise RefusedError("passages that touch")


def _fol_opinions(case: Case) -> list[object]:
    lenient = case.options.get("lenient", False)
    documents, passages = [], []
    seen = set()
    for row in _words(case.files[0]):
        if len(row) < 5:
            raise RefusedError("too few columns")
        topic, name = row[0], _document(row[2])
        relevant, size = _digits(row[3]), _digits(row[4])
        bep = _digits(row[5]) if len(row) > 5 else -1
        if (topic, name) in seen:
            raise RefusedError("a document twice")
        seen.add((topic, name))
        documents.append((topic, name, relevant, size, bep if len(row) > 6 else -1, ""))
        spans = []
        for text in row[6:]:
            if text.count(":") != 1:
                raise RefusedError("no passage")
            spans.append(tuple(_digits(part) for part in text.split(":")))
        passages += [(topic, name, offset, length, "", "") for offset, length in spans]
        ordered = sorted(spans)
        if not lenient and relevant <= size and any(offset + length > size for offset, length in spans):
            raise RefusedError("a passage outside its document")
        if not lenient and any(b[0] <= a[0] + a[1] for a, b in pairwise(ordered)):
            raise RefusedError("passages that touch")
    return [{"scale": "passages", "documents": documents, "elements": [], "passages": passages}]


def _pool_opinions(case: Case) -> list[object]:
    lenient = case.options.get("lenient", False)
    root = _tree(case.files[0])
    if root.name != "pool":
        raise RefusedError("another root")
    _only(root, ("inex_topic", "file"), lenient=lenient)
    topic = root["topic"]
    rows = []
    for file in root.all("file"):
        _only(file, ("path", "passage"), lenient=lenient)
        name = _document(_first(file, "file", "name"))
        mine = [
            (topic, name, _path(one["path"], lenient=lenient), "")
            if one.name == "path"
            else (topic, name, *(_point(one[word], lenient=lenient) for word in ("start", "end")))
            for one in file.all("path", "passage")
        ]
        rows += mine or [(topic, name, "", "")]
    return [{"rows": rows}]


_HEADS = {
    "document": ("document", "file", "doc", "doc_id", "docno"),
    "path": ("path", "element", "xpath"),
    "size": ("size", "length", "characters"),
}


def _judged_opinions(case: Case) -> list[object]:
    run, judgments = (Case((content,), case.options) for content in case.files)
    try:
        found: Any = _assessment_opinions(judgments)[0]
    except RefusedError:
        qrels_of(judgments.files[0])
        run_of(run.files[0], "score")
        return ["Collection"]
    _submission_kind(run)
    return ["PassageCollection" if found["scale"] == "passages" else "ElementCollection"]


def _size_opinions(case: Case) -> list[object]:
    lenient = case.options.get("lenient", False)
    rows = _words(case.files[0].replace(b",", b" ").replace(b'"', b""))
    if any(len(row) != 3 for row in rows):
        raise RefusedError("not three columns")
    order = list(_HEADS)
    heads = [next((part for part, words in _HEADS.items() if cell.casefold() in words), "") for cell in rows[0]]
    if sorted(heads) == sorted(_HEADS):
        order, rows = heads, rows[1:]
    sizes: dict[tuple[str, str], int] = {}
    for row in rows:
        cell = dict(zip(order, row, strict=True))
        key = _document(cell["document"]), _path(cell["path"], lenient=lenient)
        size = _digits(cell["size"])
        if not lenient and (size == 0 or sizes.get(key, size) != size):
            raise RefusedError("no size, or two")
        sizes.setdefault(key, size)
    return [{"sizes": [(*key, size) for key, size in sizes.items() if size]}]


# ------------------------------------------------------------------------------------------------ under test


def _cells(frame: pd.DataFrame, columns: str) -> list[tuple[Any, ...]]:
    listed = [[None if cell != cell else cell for cell in frame[name].tolist()] for name in columns.split()]  # noqa: PLR0124 - NaN
    return list(zip(*listed, strict=True))


def _read_submission(paths: Sequence[str], options: Mapping[str, Any]) -> object:
    found = read_submission(paths[0], **options)
    return {
        "run": found.run,
        "participant": found.participant,
        "task": found.task,
        "answered": list(found.answered),
        "results": _cells(found.results, "topic document path end_path offset length rank rsv"),
    }


def _read_assessments(paths: Sequence[str], options: Mapping[str, Any]) -> object:
    found = read_assessments(paths[0], **options)
    return {
        "scale": found.scale,
        "documents": _cells(found.documents, "topic document relevant_size size best_entry best_entry_point"),
        "elements": _cells(found.elements, "topic document path exhaustivity specificity size relevant_size"),
        "passages": _cells(found.passages, "topic document offset length start end"),
    }


def _read_pool(paths: Sequence[str], options: Mapping[str, Any]) -> object:
    return {"rows": _cells(read_pool(paths[0], **options), "topic document path end_path")}


def _read_sizes(paths: Sequence[str], options: Mapping[str, Any]) -> object:
    return {"sizes": _cells(read_element_sizes(paths[0], **options), "document path size")}


def _read_judged(paths: Sequence[str], options: Mapping[str, Any]) -> object:
    return type(read_judged(paths[0], paths[1], **options).collection).__name__


def _submission_kind(case: Case) -> list[object]:
    if case.files[0].lstrip().removeprefix(b"\xef\xbb\xbf").startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
        return _submission_opinions(case)
    return _line_submission_opinions(case)


def _reader(  # noqa: PLR0917 - the parts of a reader
    name: str,
    make: Callable[[random.Random], Case],
    own: Sequence[tuple[Change, int]],
    read: Any,
    opinions: Any,
    speed: float,
) -> Reader:
    return Reader(name=name, make=make, mutate=text_mutation(make, own), read=read, opinions=opinions, speed=speed)


READERS = (
    _reader("inex-submission-xml", _make_submission, _XML, _read_submission, _submission_kind, 240),
    _reader("inex-submission-lines", _make_submission_lines, _LINES, _read_submission, _submission_kind, 310),
    _reader("inex-assessments-xml", _make_assessments, _XML, _read_assessments, _assessment_opinions, 200),
    _reader("inex-assessments-lines", _make_fol, _LINES, _read_assessments, _assessment_opinions, 57),
    _reader("inex-pool", _make_pool, _XML, _read_pool, _pool_opinions, 740),
    _reader("inex-sizes", _make_sizes, _LINES, _read_sizes, _size_opinions, 220),
    _reader("judged-input", _make_judged, _XML, _read_judged, _judged_opinions, 85),
)
