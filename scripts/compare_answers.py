"""Ask two checkouts everything that the pages ask, and list the answers that differ.

Usage: python scripts/compare_answers.py BEFORE AFTER [--pages docs/commands/power.md ...] [--boards DATA_FOLDER]
    [--numbers] [--keep FOLDER]

Every `metaeval` command of README.md and docs/, as AFTER has them, in blocks and in tables, runs with `--json` with the
code of either checkout, in the Python that runs this script; a page's commands run one after the other in a folder that
holds the examples; with --boards, so do those of benchmarks/studies/public_boards.py, in one that holds the data.
Compared are exit codes, results, warnings, options that both know, checksums of what was read, every CSV that was
written, and all files of a command without `--json`. Versions and times are not; with --numbers, nor is text of more
than one word. It ends with 1 if an answer differs.

Workers and Dask change no answer by the tests, so a page that starts programs of Dask is left out. With --keep an
answer that is there already is not asked for again.
"""

import argparse
import contextlib
import hashlib
import importlib.util
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


def board_steps(program: Path) -> Iterator[tuple[str, str]]:
    """Yield the commands of the public boards, those that unpack archives among them."""
    spec = importlib.util.spec_from_file_location("public_boards", program)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{program} cannot be loaded")
    module = sys.modules["public_boards"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for board in module.BOARDS:
        if all(Path(file).is_file() for file in board.needs):
            for line in board.command.splitlines():
                yield "command" if line.startswith("metaeval ") else "shell", line


def ask(page: Path, data: Path, target: Path) -> None:
    """Write what every command of a page answers, with the code on the path, into a file."""
    answers: list[dict[str, Any]] = []
    names = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        if page.suffix == ".md":
            shutil.copytree(data, "examples")
        else:
            Path("pages").mkdir()
            for there in filter(Path.is_dir, data.iterdir()):
                Path(there.name).symlink_to(there)
        for kind, text in steps(page) if page.suffix == ".md" else board_steps(page):
            if kind == "python":
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(text, str(page), "exec"), names)  # noqa: S102 - the page's own example
            elif kind == "shell":
                subprocess.run(shlex.split(text), check=True)  # noqa: S603 - the repository's own line
            elif kind != "command":
                Path(kind).parent.mkdir(parents=True, exist_ok=True)
                Path(kind).write_text(text, "utf-8")
            else:
                answers.append({"line": text, **_answer(shlex.split(text, comments=True)[1:])})
    target.write_text(json.dumps(answers), "utf-8")


def _answer(words: list[str]) -> dict[str, Any]:
    """Return the exit code of a command and its answer: as JSON, else as text with checksums of the files it wrote."""
    extra = ["--overwrite"] if "--out" in words else []
    there = _checksums("*.csv")
    code, said = _run([*words, *extra, *([] if "--json" in words else ["--json"])])
    if code != _REFUSED:
        tables = {name: Path(name).read_text("utf-8").splitlines() for name in _changed(there, "*.csv")}
        return {"code": code, "answer": {**json.loads(said), "csv": tables} if code == 0 else said}
    there = _checksums("*")
    code, said = _run(words)
    return {"code": code, "answer": {"text": said, "files": _changed(there, "*")}}


def _changed(there: dict[str, str], pattern: str) -> dict[str, str]:
    return {name: checksum for name, checksum in _checksums(pattern).items() if there.get(name) != checksum}


def _checksums(pattern: str) -> dict[str, str]:
    """Return the checksums of files here, but not of folders that are links to data."""
    files = sorted(path for path in Path().rglob(pattern) if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def _run(words: list[str]) -> tuple[int, str]:
    from metaeval.cli import main  # noqa: PLC0415 - of the checkout that PYTHONPATH names

    sys.argv = ["metaeval", *words]
    with contextlib.redirect_stdout(io.StringIO()) as answer, contextlib.redirect_stderr(io.StringIO()) as said:
        code = main()
    return code, answer.getvalue() if code == 0 else said.getvalue()


def compare(before: dict[str, Any], after: dict[str, Any], *, numbers: bool = False) -> list[str]:
    """Return what differs between two answers to one command, a line each; of numbers alone if asked."""
    if before["code"] or after["code"]:
        return [f"ends with {before['code']}, now {after['code']}"] if before["code"] != after["code"] else []
    old, new = (dict(_leaves(_compared(answer["answer"]))) for answer in (before, after))
    if numbers:
        old, new = (
            {place: value for place, value in side.items() if not _is_text(place, value)} for side in (old, new)
        )
    lines = [f"{place} is gone" for place in old if place not in new and _holds(old[place])]
    lines += [f"{place} is new" for place in new if place not in old and _holds(new[place])]
    lines = [line for line in lines if not line.startswith("options.")]
    both = [place for place in old if place in new]
    return lines + [f"{place}: {old[place]}, now {new[place]}" for place in both if old[place] != new[place]]


def _is_text(place: str, value: str) -> bool:
    """Say whether a value is several words; a line of a CSV is not."""
    return not place.startswith("csv.") and value.startswith('"') and " " in value


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
    parser.add_argument("--boards", type=Path, metavar="DATA", help="the public boards too, from this folder")
    parser.add_argument("--numbers", action="store_true", help="do not compare text")
    parser.add_argument("--keep", type=Path, help="folder that keeps the answers")
    parser.add_argument("--ask", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.ask:
        ask(chosen.before, chosen.after, chosen.ask)
        return 0
    root = chosen.after.resolve()
    pages = [root / name for name in chosen.pages or []] or [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    asked = {
        page: root / "examples"
        for page in pages
        if "$ dask " not in page.read_text("utf-8") and any(kind == "command" for kind, _ in steps(page))
    }
    if chosen.boards:
        asked[root / "benchmarks" / "studies" / "public_boards.py"] = chosen.boards.resolve()
    different = False
    with tempfile.TemporaryDirectory() as folder:
        for page, data in asked.items():
            answers = _answers(page, data, (chosen.before.resolve(), root), chosen.keep or Path(folder))
            print(f"\n{page.relative_to(root)}")
            different |= _list_differences(*answers, numbers=chosen.numbers)
    return int(different)


def _answers(page: Path, data: Path, checkouts: tuple[Path, Path], kept: Path) -> list[list[dict[str, Any]]]:
    """Return what the code of two checkouts answers to a page of the second."""
    answers = []
    for code, side in zip(checkouts, ("before", "after"), strict=True):
        target = (kept / side / page.relative_to(checkouts[1])).with_suffix(".json").resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            command = [sys.executable, __file__, str(page), str(data), "--ask", str(target)]
            subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(code)})  # noqa: S603 - itself
        answers.append(json.loads(target.read_text("utf-8")))
    return answers


def _list_differences(before: list[dict[str, Any]], after: list[dict[str, Any]], *, numbers: bool) -> bool:
    """Print what differs, command by command, and say whether anything does."""
    different = False
    for old, new in zip(before, after, strict=True):
        lines = compare(old, new, numbers=numbers)
        different |= bool(lines)
        said = f"{len(lines)} differ" if lines else "refused by both" if new["code"] else "same"
        print(f"  {said}: {new['line']}", flush=True)
        print(*(f"    {line}\n" for line in lines[:_SHOWN]), sep="", end="")
    return different


if __name__ == "__main__":
    sys.exit(main())
