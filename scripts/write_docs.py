"""Write into README.md, docs/ and ``help(metaeval)`` what they take from the code: ``make docs``.

A page says where, between two comments that nobody sees when it is read:

    <!-- written: options power -->
    <!-- end -->

and what stands between them is written anew:

- ``options power``: a command's own options, and the names of those that it shares;
- ``shared``: the options that several commands have in the same words, described once;
- ``publications Significance tests``: what the bibliography holds on a subject;
- ``metrics documents``: the built-in metrics of documents, subtopics, elements or passages;
- ``procedures``: what each procedure takes into account of topics;
- ``formats``: the formats of benchmarks, and the rule of each;
- ``names metaeval.table.scores``: the public names that a module, or one below it, defines, by where they are imported
  from, with a sentence each and a link to the file that describes them;
- ``captions ogilvie``: what a paper's tables and figures are and what answers for them, from
  ``docs/published/captions.toml``; ``collections``: how the collections of that page are made;
- ``report inex-pal.md: Table 6. Topics for τ ≥ 0.9``: what a kept report has below a heading;
- ``chapters``: the pages of the reference, in the order of ``docs/_toc.yml``;
- ``commands``: the commands, each with its page and what it says;
- ``questions``: what people ask, with the page and the command that answer, from ``metaeval/questions/needs.toml``.

The docstring of ``metaeval/__init__.py`` is written whole but for its first line, see `package_help`.

So a page reads the same in an editor, on a forge and as built. ``--check`` writes nothing and ends with 1 where a page
is behind the code.
"""

import ast
import inspect
import re
import sys
import textwrap
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAliasType, get_args

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

import metaeval
from metaeval.base.bibliography import BY_SUBJECT, PUBLICATIONS, Publication
from metaeval.base.needs import NEEDS
from metaeval.cli import app
from metaeval.cli.commands import COMMANDS
from metaeval.cli.help import SHARED_PANELS, by_panel
from metaeval.io.benchmarks.formats import format_table
from metaeval.metrics.builtin import BUILTIN
from metaeval.table.traits import PROCEDURES, Trait
from metaeval.tests_stat.catalogue import TESTS

DOCS = Path(__file__).parents[1] / "docs"
_MARKED = re.compile(r"(<!-- written: (\w+)(?: ([^\n]+?))? -->\n).*?(<!-- end -->)", re.DOTALL)
_OPTION = re.compile(r"(?<![`\w-])--[a-z][a-z-]*")

# ------------------------------------------------------------------------------------------------------------- options


def _find_command(name: str) -> TyperCommand | TyperGroup:
    command = typer.main.get_command(app)
    for part in name.split():
        command = command.commands[part]
    return command


def options(name: str) -> Iterator[str]:
    """Yield the parameters of a command by panel, "simulate scores" meaning the subcommand.

    Those that the page of all commands describes are only named.
    """
    named: list[str] = []
    for panel, lines in _described(_find_command(name)):
        own = [line for line in lines if line not in _shared_options()]
        named += [_SPELLING.findall(line)[0] for line in lines if line in _shared_options()]
        yield from ([f"**{panel}**", ""] if panel and own else [])
        yield from (*own, *([""] if own else []))
    if named:
        yield f"And [as in other commands](index.md#shared-options): {', '.join(f'`{option}`' for option in named)}."


def shared() -> Iterator[str]:
    """Yield the parameters that several commands have in the same words, by panel."""
    panels = _shared_options()
    for panel in ("", *SHARED_PANELS):
        yield from ([f"**{panel}**", ""] if panel else [])
        yield from (*(line for line, shown_in in panels.items() if shown_in == panel), "")


_SPELLING = re.compile(r"^- `([^\s`,]+)")
_SEVERAL = 3
"""So many commands make a parameter worth a place of its own."""


@cache
def _shared_options() -> dict[str, str]:
    """Return the descriptions of the parameters that several commands share, each with its panel."""
    users: Counter[tuple[str, str]] = Counter()
    for command in _commands(typer.main.get_command(app)):
        for panel, lines in _described(command):
            users.update((panel, line) for line in lines if panel in ("", *SHARED_PANELS))
    return {line: panel for (panel, line), number in users.items() if number >= _SEVERAL}


def parameters(name: str) -> Iterator[str]:
    """Yield the description of every parameter of a command."""
    for _, lines in _described(_find_command(name)):
        yield from lines


def _commands(command: TyperGroup) -> Iterator[TyperCommand]:
    for below in command.commands.values():
        yield from _commands(below) if hasattr(below, "commands") else (below,)


def _described(command: TyperCommand | TyperGroup) -> Iterator[tuple[str, list[str]]]:
    """Yield each panel of a command, and a line for each of its parameters."""
    arguments, panels = by_panel(command.params)
    for panel, parameters in {"": arguments, **panels}.items():
        yield panel, [_parameter(parameter) for parameter in parameters]


def _parameter(parameter: TyperArgument | TyperOption) -> str:
    meaning = _as_code(parameter.help or "")
    if isinstance(parameter, TyperArgument):
        return f"- `{parameter.metavar or parameter.name.upper()}`: {meaning}"
    spelling = ", ".join([*parameter.opts, *parameter.secondary_opts])
    if not parameter.is_flag:
        spelling += f" {parameter.metavar or parameter.type.name.upper()}"
    return f"- `{spelling}`: {meaning} {_default(parameter)}".rstrip()


def _default(parameter: TyperOption) -> str:
    if isinstance(parameter.show_default, str):
        return f"Default: {_as_code(parameter.show_default)}."
    nothing = parameter.is_flag or parameter.default in (None, "", [], ()) or callable(parameter.default)
    return "" if nothing else f"Default: `{parameter.default}`."


def _as_code(text: str) -> str:
    """Mark options as code, for a page would join their two dashes."""
    return _OPTION.sub(r"`\g<0>`", text)


def commands() -> Iterator[str]:
    """Yield a table of the commands in the order of ``metaeval --help``."""
    yield from ("| command | what it says |", "|---|---|")
    yield from (f"| [`metaeval {name}`]({name}.md) | {words} |" for name, words in COMMANDS.items())


def questions(below: str = "") -> Iterator[str]:
    """Yield a table of what people ask, with a link to the page that answers, and the command; docs/ is `below`."""
    yield from ("| question | command |", "|---|---|")
    for name, need in NEEDS.items():
        for asks, typed in {need["asks"]: name, **need.get("also", {})}.items():
            yield f"| [{asks}]({below}{need['page']}) | [`metaeval {typed}`]({below}commands/{name}.md) |"


_MAKERS = {
    "scores": ("read_scores", "as_scores", "score"),
    "collection": ("read_collection",),
    "votes": ("read_votes",),
    "labels": ("read_labels",),
    "assessments": ("inex.read_assessments",),
    "submissions": ("inex.read_submissions",),
}
"""What makes the data that functions take, by the name of the argument."""


def package_help() -> Iterator[str]:
    """Yield what ``help(metaeval)`` says below its first line: questions, the functions that answer, and their data."""
    yield from ("Questions, and the functions that answer. A study has `to_frame()`, `report()` and `plot()`.", "")
    taken: dict[str, None] = {}
    for need in NEEDS.values():
        function = need.get("function") or need.get("python", "").removeprefix("metaeval.").partition("(")[0]
        if function:
            taken |= dict.fromkeys(_given(function))
            yield from (need["asks"], f"    metaeval.{function}({', '.join(_given(function))})")
    yield from ("", "Data, by the name of the argument, and what makes them:", "")
    for name in [name for name in _MAKERS if name in taken]:
        yield f"    {name}: {', '.join(f'{maker}({", ".join(_given(maker))})' for maker in _MAKERS[name])}"


def _given(function: str) -> list[str]:
    """Return the names of what a function, named as below `metaeval`, is given by position."""
    module, _, name = f"metaeval.{function}".rpartition(".")
    asked = inspect.signature(getattr(import_module(module), name)).parameters.values()
    return [one.name for one in asked if one.kind in {one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD}]


def write_help(text: str) -> str:
    """Return the text of ``metaeval/__init__.py`` with its docstring written anew."""
    first, code = text.split("\n", 1)[0].removesuffix('"""'), text.partition('"""')[2].partition('"""')[2]
    return "\n".join([first, "", *package_help(), f'"""{code}'])


# --------------------------------------------------------------------------------------------------------------- names


def public_names() -> dict[str, Any]:
    """Return everything public by the name it is imported as: first what stands at the top, then the chapters."""
    chapters = [name for name in metaeval.__all__ if inspect.ismodule(getattr(metaeval, name))]
    chapters.append("testing")  # for the authors of plug-ins: nobody else has it load
    found: dict[str, Any] = {}
    for place in ("metaeval", *(f"metaeval.{name}" for name in chapters)):
        module = import_module(place)
        for name in sorted(module.__all__):
            thing = getattr(module, name)
            known = [other for other in found.values() if other is thing]
            if not inspect.ismodule(thing) and hasattr(thing, "__module__") and not known:
                found[f"{place}.{name}"] = thing
    return found


def fields_of(thing: type) -> Iterator[tuple[str, str, str]]:
    """Yield the fields of a class: names (several where they share their words), type and words."""
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(thing))).body
    names: list[str] = []
    for part, after in pairwise([*node.body, ast.Pass()]):
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name) and not part.target.id.startswith("_"):
            names.append(part.target.id)
            words = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else None
            if words is not None or not isinstance(after, ast.AnnAssign):
                yield ", ".join(names), ast.unparse(part.annotation), inspect.cleandoc(words or "")
                names = []


def exported_from(module: str) -> dict[str, Any]:
    """Return the public names, of `metaeval` and of its chapters, that `module`, or a module below it, defines."""
    found = {name: inspect.unwrap(thing) for name, thing in public_names().items()}
    return {name: thing for name, thing in found.items() if f"{thing.__module__}.".startswith(f"{module}.")}


def names(module: str) -> Iterator[str]:
    """Yield a table by the place that names are imported from: functions first, each with its first sentence.

    A link leads to the file with the whole docstring; in the built page, to the description.
    """
    yield from ("| name | import from | what it is |", "|---|---|---|")
    found = exported_from(module)
    places = list(dict.fromkeys(full.rpartition(".")[0] for full in found))

    def in_order(full: str) -> tuple[int, bool]:
        return places.index(full.rpartition(".")[0]), not inspect.isroutine(found[full])

    for full in sorted(found, key=in_order):
        file = Path(sys.modules[found[full].__module__].__file__ or "").relative_to(DOCS.parent)
        link = _name_link(full, f"../../{file.as_posix()}")
        yield f"| {link} | `{full.rpartition('.')[0]}` | {_first_sentence(described(found[full]))} |"


def _name_link(full: str, address: str) -> str:
    # docs/_ext finds it by the title and leads to the description instead
    return f'[`{full.rpartition(".")[2]}`]({address} "{full}")'


def described(thing: object) -> str:
    """Return the docstring; the alias of a type has none of its own, and its module says what it is."""
    return inspect.getdoc(sys.modules[thing.__module__] if isinstance(thing, TypeAliasType) else thing) or ""


def _first_sentence(text: str) -> str:
    first = re.split(r"\n\s*\n", text, maxsplit=1)[0].replace("\n", " ")
    return re.sub(r"``([^`]*)``", r"`\1`", first).replace("|", r"\|")


def chapters() -> Iterator[str]:
    """Yield a list of the pages of the reference, with the first paragraph of each."""
    for page in re.findall(r"- file: (reference/(?!index)\S+)", (DOCS / "_toc.yml").read_text("utf-8")):
        path = DOCS / f"{page}.md"
        title, about, _ = path.read_text("utf-8").split("\n\n", maxsplit=2)
        yield f"- **[{title.removeprefix('# ')}]({path.name})**: {about.replace('\n', ' ')}"


# ---------------------------------------------------------------------------------- metrics, publications and formats


def metrics(on: str) -> Iterator[str]:
    """Yield a table of the built-in metrics of one kind of result, each with its values and its source."""
    yield from ("| how to write it | what it is | values | source |", "|---|---|---|---|")
    for spec in BUILTIN.metrics.values():
        if ("subtopics" if spec.subtopics else spec.on) == on:
            low, high = ("∞" if bound == float("inf") else f"{bound:g}" for bound in spec.bounds)
            source = _short_link(PUBLICATIONS[spec.cite]) if spec.cite else ""
            yield f"| `{spec.usage}` | {spec.summary} | {low} to {high} | {source} |"


def procedures() -> Iterator[str]:
    """Yield a table of what tests and other procedures take into account, one row for those that take the same."""
    tests = {f"test `{spec.name}`": spec.uses for spec in TESTS.values()}
    alike: dict[str, list[str]] = {}
    for name, uses in {**tests, **PROCEDURES}.items():
        alike.setdefault(", ".join(trait for trait in get_args(Trait) if trait in uses), []).append(name)
    yield from ("| takes into account | procedures |", "|---|---|")
    yield from (f"| {traits or 'none of them'} | {', '.join(names)} |" for traits, names in alike.items())


def _short_link(publication: Publication) -> str:
    return f"[{publication.cited}]({publication.address})" if publication.address else publication.cited


def publications(subject: str) -> Iterator[str]:
    """Yield what the bibliography holds on a subject, by author, with its key and where it can be read."""
    for one in sorted(BY_SUBJECT[subject], key=lambda one: one.full):
        yield f"- {one.full}{_link(one)} (`{one.key}`)"


def _link(publication: Publication) -> str:
    if publication.doi:
        return f" [doi:{publication.doi}]({publication.address})"
    return f" <{publication.address}>" if publication.address else ""


def formats() -> Iterator[str]:
    """Yield the table of the formats of benchmarks, and the rule of each."""
    rows = format_table()
    shown = [name for name in rows[0] if name not in {"files", "told by", "rules"}]
    yield from ("| " + " | ".join(shown) + " |", "|---" * len(shown) + "|")
    yield from ("| " + " | ".join(str(row[name]).replace("|", r"\|") for name in shown) + " |" for row in rows)
    yield ""
    yield from (
        f"- **{row['format']}**: {row['files']}. Recognised by {row['told by']}. {row['rules']}" for row in rows
    )


# ------------------------------------------------------------------------------------------------- published tables


def _captions() -> dict[str, Any]:
    return tomllib.loads((DOCS / "published" / "captions.toml").read_text("utf-8"))


def collections() -> Iterator[str]:
    """Yield the commands that make the collections of the page of five papers."""
    yield from ("```console", *(f"$ {line}" for line in _captions()["collections"].values()), "```")


def captions(paper: str) -> Iterator[str]:
    """Yield the commands of a paper by letter, then a row for each of its tables, figures and formulas."""
    asked = _captions()[paper]
    yield from ("| | command |", "|---|---|")
    for letter, line in asked["commands"].items():
        yield f"| {letter} | {line if line.startswith('[') else f'`{line}`'} |"
    yield from ("", "| row | in the paper | here | command | where |", "|---|---|---|---|---|")
    for row in asked["rows"]:
        files = dict.fromkeys(f"`{shown['file']}`" for shown in row.get("shows", ()))
        where = ", ".join([*files, *(f"“{word}”" for word in row.get("words", ()))])
        yield f"| {row['what']} | {row['is']} | {row['ours']} | {row['commands']} | {where} |"


def report(about: str) -> Iterator[str]:
    """Yield what a report of benchmarks/reports has below a heading, down to the next."""
    file, _, heading = about.partition(": ")
    lines = (DOCS.parent / "benchmarks" / "reports" / file).read_text("utf-8").splitlines()
    start = next(place for place, line in enumerate(lines) if line.lstrip("#").strip() == heading) + 1
    stop = next((place for place in range(start, len(lines)) if lines[place].startswith("#")), len(lines))
    yield from lines[start:stop]


WRITERS: dict[str, Callable[..., Iterator[str]]] = {
    writer.__name__: writer
    for writer in (
        options,
        shared,
        commands,
        questions,
        names,
        chapters,
        metrics,
        procedures,
        publications,
        formats,
        captions,
        collections,
        report,
    )
}


def write(text: str) -> str:
    """Return a page with what stands between its marks written anew.

    Raises
    ------
    KeyError
        If a mark asks for what is not known here.
    """

    def between(match: re.Match[str]) -> str:
        begin, kind, about, end = match.groups()
        lines = "\n".join(WRITERS[kind](*([] if about is None else [about]))).strip("\n")
        return f"{begin}\n{lines}\n\n{end}"

    return _MARKED.sub(between, text)


def main() -> int:
    """Write every page that is behind the code, and name it."""
    check = "--check" in sys.argv[1:]
    behind = []
    pages = dict.fromkeys((DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))), write)
    for path, writer in {**pages, DOCS.parent / "metaeval" / "__init__.py": write_help}.items():
        text = path.read_text("utf-8")
        written = writer(text)
        if written != text:
            behind.append(path.relative_to(DOCS.parent).as_posix().removeprefix("docs/"))
            if not check:
                path.write_text(written, "utf-8")
    if behind:
        print(f"{'Behind the code' if check else 'Written anew'}: {', '.join(behind)}")
    return int(check and bool(behind))


if __name__ == "__main__":
    sys.exit(main())
