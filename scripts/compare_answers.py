"""Ask two checkouts everything that the pages ask, and list the answers that differ.

Usage: python scripts/compare_answers.py BEFORE AFTER [--pages docs/commands/power.md ...] [--keep FOLDER]

Every `metaeval` command of README.md and docs/, as AFTER has them, in blocks and in tables, runs with `--json` with the
code of either checkout, in the Python that runs this script; a page's commands run one after the other in a folder that
holds the examples. Compared are exit codes, results, warnings, options that both know, checksums of what was read, and
files that a command without `--json` wrote. Versions and times are not. It ends with 1 if an answer differs.

Workers and Dask change no answer by the tests, so a page that starts programs of Dask is left out. With --keep an
answer that is there already is not asked for again.
"""

import argparse
import contextlib
import hashlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

_REFUSED = 2
_SHOWN = 4
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.+]+")


def steps(page: Path) -> Iterator[tuple[str, str]]:
    """Yield what a page does, in order: ("python", code), ("command", line) or (name of a file, its text)."""
    for token in MarkdownIt().enable("table").parse(page.read_text("utf-8")):
        if token.type == "fence":
            file = token.info.partition(" file=")[2].strip()
            if file:
                yield file, token.content
            elif token.info.strip() == "python" and ">>>" not in token.content:
                yield "python", token.content
            elif token.info.strip() == "console":
                for line in re.findall(r"^\$ (metaeval .*)$", token.content.replace("\\\n", " "), re.MULTILINE):
                    yield "command", line
        elif token.type == "inline" and token.level > 2:  # noqa: PLR2004 - in a cell of a table
            for part in token.children or []:
                if part.type == "code_inline" and re.match(r"metaeval [\w-]+ \S", part.content):
                    yield "command", part.content


def ask(page: Path, examples: Path, target: Path) -> None:
    """Write what every command of a page answers, with the code on the path, into a file."""
    answers: list[dict[str, Any]] = []
    names = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        shutil.copytree(examples, "examples")
        for kind, text in steps(page):
            if kind == "python":
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(text, str(page), "exec"), names)  # noqa: S102 - the page's own example
            elif kind != "command":
                Path(kind).parent.mkdir(parents=True, exist_ok=True)
                Path(kind).write_text(text, "utf-8")
            else:
                answers.append({"line": text, **_answer(shlex.split(text, comments=True)[1:])})
    target.write_text(json.dumps(answers), "utf-8")


def _answer(words: list[str]) -> dict[str, Any]:
    """Return the exit code of a command and its answer: as JSON, else as text with checksums of the files it wrote."""
    extra = ["--overwrite"] if "--out" in words else []
    code, said = _run([*words, *extra, *([] if "--json" in words else ["--json"])])
    if code != _REFUSED:
        return {"code": code, "answer": json.loads(said) if code == 0 else said}
    there = _checksums()
    code, said = _run(words)
    written = {name: checksum for name, checksum in _checksums().items() if there.get(name) != checksum}
    return {"code": code, "answer": {"text": said, "files": written}}


def _checksums() -> dict[str, str]:
    files = sorted(path for path in Path().rglob("*") if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def _run(words: list[str]) -> tuple[int, str]:
    from metaeval.cli import main  # noqa: PLC0415 - of the checkout that PYTHONPATH names

    sys.argv = ["metaeval", *words]
    with contextlib.redirect_stdout(io.StringIO()) as answer, contextlib.redirect_stderr(io.StringIO()) as said:
        code = main()
    return code, answer.getvalue() if code == 0 else said.getvalue()


def compare(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Return what differs between two answers to one command, a line each."""
    if before["code"] or after["code"]:
        return [f"ends with {before['code']}, now {after['code']}"] if before["code"] != after["code"] else []
    old, new = (dict(_leaves(_compared(one["answer"]))) for one in (before, after))
    lines = [f"{place} is gone" for place in old if place not in new and _holds(old[place])]
    lines += [f"{place} is new" for place in new if place not in old and _holds(new[place])]
    lines = [line for line in lines if not line.startswith("options.")]
    both = [place for place in old if place in new]
    return lines + [f"{place}: {old[place]}, now {new[place]}" for place in both if old[place] != new[place]]


def _holds(value: str) -> bool:
    """Say whether a value that only one answer has says anything."""
    return value not in {"null", "false", "[]", "{}"}


def _compared(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of an answer that should be the same everywhere."""
    parts = {name: part for name, part in answer.items() if name != "provenance"}
    return {**parts, "read": answer.get("provenance", {}).get("inputs")}


def _leaves(part: Any, place: str = "") -> Iterator[tuple[str, str]]:  # noqa: ANN401 - JSON
    """Yield the place of every single value and the value as it is written; an empty list or table is a value."""
    inside = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for name, below in inside:
        yield from _leaves(below, f"{place}.{name}" if place else str(name))
    if not inside:
        yield place, _TIME.sub("then", json.dumps(part))


def main() -> int:
    """Ask, compare, list."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--pages", nargs="+", help="these pages of AFTER alone")
    parser.add_argument("--keep", type=Path, help="folder that keeps the answers")
    parser.add_argument("--ask", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.ask:
        ask(chosen.before, chosen.after, chosen.ask)
        return 0
    root = chosen.after.resolve()
    pages = [root / name for name in chosen.pages or []] or [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    different = False
    with tempfile.TemporaryDirectory() as folder:
        for page in pages:
            if "$ dask " not in page.read_text("utf-8") and any(kind == "command" for kind, _ in steps(page)):
                different |= _compare_page(page, chosen.before.resolve(), root, chosen.keep or Path(folder))
    return int(different)


def _compare_page(page: Path, before: Path, after: Path, kept: Path) -> bool:
    found = []
    for code, side in ((before, "before"), (after, "after")):
        target = (kept / side / page.relative_to(after)).with_suffix(".json").resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            command = [sys.executable, __file__, str(page), str(after / "examples"), "--ask", str(target)]
            subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(code)})  # noqa: S603 - itself
        found.append(json.loads(target.read_text("utf-8")))
    different = False
    print(f"\n{page.relative_to(after)}")
    for old, new in zip(*found, strict=True):
        lines = compare(old, new)
        different |= bool(lines)
        said = f"{len(lines)} differ" if lines else "refused by both" if new["code"] else "same"
        print(f"  {said}: {new['line']}", flush=True)
        print(*(f"    {line}\n" for line in lines[:_SHOWN]), sep="", end="")
    return different


if __name__ == "__main__":
    sys.exit(main())
