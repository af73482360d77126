"""Study files, of whoever wrote them, and the records in the folders of reports, of any version.

A study is read in its folder, and whatever it says, nothing may be written, started, called or run by reading it.
"""

import glob
import hashlib
import json
import os
import posixpath
import random
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fuzz_benchmarks import CHANGES
from fuzz_harness import Case, Reader, RefusedError
from fuzz_plain import lines_of, text_of
from fuzz_spelling import NAMES, json_text, lines, sometimes
from fuzz_text import MARK, text_mutation

from metaeval.cli.study_data import read_study
from metaeval.errors import FileFormatError
from metaeval.io.written_files import written_files

_FILES = ("study.toml", "AP.csv", "evil.py")
_TABLE = b"topic,a,b\n1,0.5,0.25\n2,0.1,0.2\n"
_PROGRAM = b"import os\nos.mkdir('it-ran')\n"
_SUMS = {name: hashlib.sha256(text).hexdigest() for name, text in zip(_FILES[1:], (_TABLE, _PROGRAM), strict=True)}
_WORDS = ("alpha", "test", "seed", "title", "metrics", "missing", "correction", "n-topics", "item-column")
_MANY = ("lower-is-better", "exclude-topics", "ignore-column")
_FLAGS = ("lenient", "no-header")
_READ = ("qrels", "groups", "topic-list")
_HARMFUL = ("out", "overwrite", "workers", "threads", "dask", "json", "pdf", "pairs", "quiet", "study")


# -------------------------------------------------------------------------------------------------- documents


def _study(rng: random.Random) -> dict[str, Any]:
    """Return what a study may say."""
    values = (0.05, 5, "t", "a b", "é", "-1", 10**6, 'a"b', "c:\\d", "#x", "0.10")
    options: dict[str, Any] = {name: rng.choice(values) for name in rng.sample(_WORDS, rng.randint(0, 3))}
    options |= {name: [rng.choice(values) for _ in range(rng.randint(1, 2))] for name in _MANY if rng.random() < 0.2}
    options |= {name: True for name in _FLAGS if rng.random() < 0.2}
    options |= {name: rng.choice(("AP.csv", "sub/é.txt")) for name in _READ if rng.random() < 0.2}
    if rng.random() < 0.8:
        inputs = ("AP.csv", "AP=AP.csv", "./AP.csv", "*.csv", "none.csv", "a=b=AP.csv")
        options["inputs"] = rng.sample(inputs, rng.randint(1, 2))
    sums = {name: known for name, known in _SUMS.items() if rng.random() < 0.4}
    if rng.random() < 0.2:
        options["plugin"], sums["evil.py"] = "evil.py", _SUMS["evil.py"]
    top = {"command": "power"} | ({"folder": "."} if rng.random() < 0.3 else {})
    top |= {"version": "0.3"} if rng.random() < 0.3 else {}
    return top | {"options": options} | ({"checksums": sums} if sums else {})


def _study_files(text: bytes) -> tuple[bytes, ...]:
    return text, _TABLE, _PROGRAM


def _make_study(rng: random.Random) -> Case:
    said = _study(rng)
    tables = {name: said.pop(name, {}) for name in ("options", "checksums")}
    if rng.random() < 0.2:
        tables["options"] |= {rng.choice(_HARMFUL): rng.choice((True, "evil.py", 5))}
    listed = [f"{key} = {json.dumps(value)}" for key, value in said.items()]
    for name, table in tables.items():
        listed += [f"[{name}]"] * bool(table)
        listed += [f"{json.dumps(key, ensure_ascii=False)} = {json.dumps(value)}" for key, value in table.items()]
    return Case(_study_files("".join(f"{line}\n" for line in listed).encode()))


def _spelt_study(rng: random.Random) -> Case:
    said = _study(rng)
    truth = _understood(said, ".")
    return Case(_study_files(_toml(rng, said)), {}, truth)


def _toml(rng: random.Random, said: Mapping[str, Any]) -> bytes:  # noqa: C901 - every oddity in its place
    """Write TOML: tables in any order, as sections, dotted or inline, keys and texts in any quotation marks."""

    def text(value: str) -> str:
        ways = ["basic", "basic", "escaped", "lines"] + ([] if "'" in value else ["literal", "raw lines"])
        way = rng.choice(ways)
        if way == "literal":
            return f"'{value}'"
        if way == "raw lines":
            return f"'''{value}'''"
        body = json.dumps(value, ensure_ascii=way == "escaped")[1:-1]
        if way == "escaped":
            body = "".join(f"\\U{ord(sign):08x}" if rng.random() < 0.3 else sign for sign in value if sign not in '"\\')
            body = body if not set(value) & {*'"\\'} else json.dumps(value, ensure_ascii=False)[1:-1]
        return f'"""{body}"""' if way == "lines" and not body.endswith('"') else f'"{body}"'

    def value(one: object) -> str:
        if isinstance(one, list):
            apart = rng.choice((", ", ",", " , # note\n  "))
            return (
                "["
                + sometimes(rng, "\n")
                + apart.join(map(value, one))
                + sometimes(rng, ",")
                + sometimes(rng, " ")
                + "]"
            )
        if isinstance(one, dict):
            return "{ " + ", ".join(f"{key(name)} = {value(held)}" for name, held in one.items()) + " }"
        if isinstance(one, bool):
            return "true"
        if isinstance(one, int):
            return rng.choice((f"{one}", f"+{one}", f"{one:#x}", f"{one:#o}", f"{one:#b}", f"{one:_}"))
        if isinstance(one, float):
            return rng.choice((repr(one), f"+{one!r}", f"{one:.3e}", f"{one!r}00", f"{one!r}e0"))
        return text(str(one))

    def key(name: str) -> str:
        bare = [name] if re.fullmatch(r"[A-Za-z0-9_-]+", name) else []
        return rng.choice([*bare, *bare, json.dumps(name, ensure_ascii=False), f"'{name}'"])

    def line(name: str, one: object) -> str:
        before, behind, note = (sometimes(rng, text) for text in ("\t", " ", " # note"))
        return f"{before}{name}{behind}={behind}{value(one)}{note}"

    top = [[line(key(name), one)] for name, one in said.items() if isinstance(one, str)]
    sections: list[list[str]] = []
    for name, table in said.items():
        if isinstance(table, str):
            continue
        way = rng.choice(("section", "section", "dotted", "inline"))
        if way == "dotted":
            top.append(
                [line(f"{key(name)}{sometimes(rng, ' . ', '.')}{key(inner)}", one) for inner, one in table.items()]
            )
        elif way == "inline" and not any(isinstance(one, list) for one in table.values()):
            top.append([line(key(name), table)])
        else:
            inside = [line(key(inner), one) for inner, one in table.items()]
            sections.append(
                [f"[{sometimes(rng, ' ')}{key(name)}{sometimes(rng, ' ')}]{sometimes(rng, ' # note')}", *inside]
            )
    rng.shuffle(top)
    rng.shuffle(sections)
    listed = [one for part in (*top, *sections) for one in part]
    return lines(rng, "\n".join(listed).split("\n"), comment="#", ends=(("\n",), ("\r\n",), ("\n", "\r\n")))


def _record(rng: random.Random) -> tuple[dict[str, Any], dict[str, str]]:
    files = {rng.choice((name, f"tables/{name}")): _SUMS["AP.csv"] for name in rng.sample(NAMES, rng.randint(0, 3))}
    record = {"schema": rng.choice(("metaeval/1", "metaeval/2", "metaeval/3")), "command": "report", "files": files}
    older = {"options": {"alpha": 0.05}, "command_line": "metaeval é", "random_source": None, "inputs": {"a": "b"}}
    return record | {name: one for name, one in older.items() if rng.random() < 0.5}, files


def _make_record(rng: random.Random) -> Case:
    return Case((json.dumps(_record(rng)[0], indent=2, ensure_ascii=False).encode(),))


def _spelt_record(rng: random.Random) -> Case:
    record, files = _record(rng)
    mark, encoding = rng.choice(((b"", "utf-8"), (b"", "utf-8"), (MARK, "utf-8"), (b"", "utf-16"), (b"", "utf-32-le")))
    return Case((mark + json_text(rng, record).encode(encoding),), {}, {"files": files})


# --------------------------------------------------------------------------------------------- second opinion


def _from(base: str, text: str) -> str:
    if text == "-" or base == "." or text.startswith("/"):
        return text
    return posixpath.join(glob.escape(base) if glob.has_magic(text) else base, text)


def _texts(value: object) -> list[str]:
    listed = value if isinstance(value, list) else [value]
    if not listed or any(isinstance(one, bool) or not isinstance(one, str | int | float) for one in listed):
        raise RefusedError("neither text nor number")
    if any(isinstance(one, str) and "\0" in one for one in listed):
        raise RefusedError("a zero character")
    return [str(one) for one in listed]


def _input(base: str, text: str) -> str:
    if text.startswith("-") and text != "-":
        raise RefusedError("an option as an input")
    name, equals, file = text.rpartition("=") if base != "." else ("", "", text)
    return f"{name}{equals}{_from(base, file)}"


def _understood(said: Mapping[str, Any], base: str) -> dict[str, object]:
    """Return the words that a study stands for; every option that is not known here is refused."""
    sums: Any = {_from(base, name): known for name, known in said.get("checksums", {}).items()}
    words, programs, inputs = [], [], []
    for key, value in said.get("options", {}).items():
        if key == "inputs":
            inputs = [_input(base, text) for text in _texts(value)]
        elif key in _FLAGS:
            if value is not True:
                raise RefusedError("a value for a switch")
            words.append(f"--{key}")
        elif key in {*_WORDS, *_MANY, *_READ, "plugin"}:
            texts = _texts(value)
            texts = [_from(base, one) for one in texts] if key in {*_READ, "plugin"} else texts
            programs += texts if key == "plugin" else []
            words += [f"--{key}={one}" for one in (texts if key in {*_MANY, "plugin"} else [",".join(texts)])]
        else:
            raise RefusedError("an option that is no part of a question")
    if not set(programs) <= set(sums):
        raise RefusedError("a program without a checksum")
    parts: dict[str, object] = {"command": said["command"], "options": words, "inputs": inputs}
    return parts | {"programs": {one: sums[one] for one in programs}}


def _study_opinions(case: Case) -> list[object]:
    try:
        said = tomllib.loads("\n".join(lines_of(text_of(case.files[0]))))
    except ValueError as error:
        raise RefusedError("no TOML") from error
    if not set(said) <= {"command", "folder", "version", "options", "checksums"} or said.get("command") != "power":
        raise RefusedError("another command, or an unknown key")
    folder = said.get("folder", ".")
    if not isinstance(folder, str) or not folder.strip():
        raise RefusedError("no folder")
    base = posixpath.normpath(folder)
    if base not in {".", "..", "/", "//"}:
        raise RefusedError("no such folder")
    tables = [said.get(name, {}) for name in ("options", "checksums")]
    if not all(isinstance(one, dict) for one in tables):
        raise RefusedError("no table")
    for name, known in tables[1].items():
        at = _FILES.index(posixpath.normpath(name)) if posixpath.normpath(name) in _FILES else None
        if base != "." or at is None:
            raise RefusedError("no such file")
        if known != hashlib.sha256(case.files[at]).hexdigest():
            raise RefusedError("another checksum")
    return [_understood(said, "<root>" if base.startswith("/") else base)]


def _record_opinions(case: Case) -> list[object]:
    try:
        record = json.loads(case.files[0])
    except ValueError as error:
        raise RefusedError("no JSON") from error
    files = record.get("files") if isinstance(record, dict) else None
    if not isinstance(files, dict) or not all(isinstance(one, str) for one in files.values()):
        raise RefusedError("no list of files")
    if not str(record.get("schema")).startswith("metaeval/"):
        raise RefusedError("no record of ours")
    return [{"files": files}]


# ------------------------------------------------------------------------------------------------ under test

_DEEDS = {
    *("os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen", "pty.spawn"),
    *("os.chmod", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.truncate"),
    *("socket.bind", "socket.connect", "socket.getaddrinfo", "socket.sendto"),
}
_seen: list[list[str]] = []
_hooked: list[bool] = []


def _watch(event: str, about: tuple[Any, ...]) -> None:
    if not _seen:
        return
    writes = event == "open" and len(about) > 2 and isinstance(about[2], int) and about[2] & (os.O_WRONLY | os.O_RDWR)
    ran = event == "exec" and "evil" in str(getattr(about[0], "co_filename", ""))
    if (event in _DEEDS or writes or ran) and "__pycache__" not in str(about):
        _seen[0].append(f"{event} {about}")


@contextmanager
def idle() -> Iterator[None]:
    """See to it that nothing is written, started, called or run inside the block."""
    if not _hooked:
        sys.addaudithook(_watch)  # stays for good, and does nothing outside
        _hooked.append(True)
    _seen.append([])
    try:
        yield
    finally:
        deeds = _seen.pop()
        assert not deeds, deeds


def _read_study(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    import typer  # noqa: PLC0415 - the command line takes a while to load

    from metaeval.cli import app  # noqa: PLC0415 - as above
    from metaeval.cli.commands import COMMANDS  # noqa: PLC0415 - as above

    group, here = typer.main.get_command(app), Path.cwd()
    os.chdir(Path(paths[0]).parent)
    try:
        with idle():
            found = read_study(Path("study.toml"), lambda name: group.get_command(None, name), list(COMMANDS))  # type: ignore[arg-type, attr-defined] # no context
    finally:
        root = os.path.relpath("/")
        os.chdir(here)
    words = [[one.replace(root, "<root>") for one in listed] for listed in (found.options, found.inputs)]
    parts: dict[str, object] = {"command": found.command, "options": words[0], "inputs": words[1]}
    return parts | {"programs": found.programs}


def _read_record(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    files = written_files(Path(paths[0]).parent)
    if files is None:
        message = "no list of files"
        raise FileFormatError(message)
    return {"files": files}


READERS = (
    Reader(
        name="study",
        make=_make_study,
        mutate=text_mutation(_make_study),
        read=_read_study,
        opinions=_study_opinions,
        names=_FILES,
        speed=470,
        spell=_spelt_study,
    ),
    Reader(
        name="provenance",
        make=_make_record,
        mutate=text_mutation(_make_record, CHANGES),
        read=_read_record,
        opinions=_record_opinions,
        names=("provenance.json",),
        speed=2400,
        spell=_spelt_record,
    ),
)
