"""What these pages take from the code itself, so that they cannot fall behind it.

- ``{command} power`` writes the help and every option of a command;
- ``.. public-names:: metaeval.scores`` documents what `metaeval` exports from that module or package;
- ``{publications} Significance tests`` lists what the bibliography holds on a subject;
- ``{notebook} which-metrics`` shows a notebook of ``examples/notebooks`` as it was run;
- ``{formats}`` writes the table of the formats of benchmarks, and the rule of each;
- formulas become MathML, which browsers draw without help from the network.
"""

import inspect
import json
import re
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from textwrap import indent
from typing import Any, TypeAliasType

import typer
from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

import metaeval
from metaeval.bibliography import BY_SUBJECT, Publication
from metaeval.cli import app
from metaeval.io.benchmarks.formats import format_table

__all__ = ["command_parameters", "exported_from", "find_command", "public_names", "reference", "setup"]

logger = logging.getLogger(__name__)

NOTEBOOKS = Path(__file__).parents[2] / "examples" / "notebooks"

SPELLINGS = {r"\iff": r"\Leftrightarrow", r"\dots": r"\ldots"}
"""Commands of LaTeX that docutils does not know, and others that mean the same."""


def find_command(name: str) -> TyperCommand | TyperGroup:
    """Return the command of this name, "simulate scores" meaning the subcommand."""
    command = typer.main.get_command(app)
    for part in name.split():
        command = command.commands[part]
    return command


def command_parameters(name: str) -> Iterator[tuple[str, str]]:
    """Yield every parameter of a command as it is typed, and what it means, in Markdown."""
    for parameter in find_command(name).params:
        meaning = re.sub(r"(?<![`\w-])(--[a-z][a-z-]*)", r"`\1`", parameter.help or "")
        if isinstance(parameter, TyperArgument):
            yield parameter.metavar or parameter.name.upper(), meaning
            continue
        spelling = ", ".join([*parameter.opts, *parameter.secondary_opts])
        if not parameter.is_flag:
            spelling += f" {parameter.metavar or parameter.type.name.upper()}"
        yield spelling, f"{meaning} {_default(parameter)}".rstrip()


def _default(parameter: TyperOption) -> str:
    if isinstance(parameter.show_default, str):
        return f"Default: {parameter.show_default}."
    nothing = parameter.is_flag or parameter.default in (None, "", [], ()) or callable(parameter.default)
    return "" if nothing else f"Default: `{parameter.default}`."


def exported_from(module: str) -> dict[str, Any]:
    """Return the public names, of `metaeval` and of its chapters, that `module`, or a module below it, defines."""
    return {name: thing for name, thing in public_names().items() if _is_below(thing.__module__, module)}


def public_names() -> dict[str, Any]:
    """Return everything public by the name it is imported as: first what stands at the top, then the chapters."""
    chapters = [name for name in metaeval.__all__ if inspect.ismodule(getattr(metaeval, name))]
    found: dict[str, Any] = {}
    for place in ("metaeval", *(f"metaeval.{name}" for name in chapters)):
        module = import_module(place)
        for name in sorted(module.__all__):
            thing = getattr(module, name)
            known = [other for other in found.values() if other is thing]
            if not inspect.ismodule(thing) and hasattr(thing, "__module__") and not known:
                found[f"{place}.{name}"] = thing
    return found


def _is_below(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


class Command(SphinxDirective):
    """The help and the options of one command."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Write Markdown and have it parsed in place."""
        name = self.arguments[0]
        help_text = inspect.cleandoc(find_command(name).help or "")
        options = [f"`{spelling}`\n: {meaning}\n" for spelling, meaning in command_parameters(name)]
        return self.parse_text_to_nodes("\n".join([help_text, "", *options]))


def reference(publication: Publication) -> str:
    """Return a publication as a line of a list in Markdown, with its key and where it can be read."""
    link = f" [doi:{publication.doi}]({publication.address})" if publication.doi else ""
    link = link or (f" <{publication.address}>" if publication.address else "")
    return f"- {publication.full}{link} (`{publication.key}`)"


class Publications(SphinxDirective):
    """The publications on one subject, by author."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Write Markdown and have it parsed in place."""
        subject = self.arguments[0]
        if subject not in BY_SUBJECT:
            raise self.error(f"the bibliography has nothing on {subject!r}; it has {', '.join(BY_SUBJECT)}")
        lines = [reference(one) for one in sorted(BY_SUBJECT[subject], key=lambda one: one.full)]
        return self.parse_text_to_nodes("\n".join(lines))


class Formats(SphinxDirective):
    """The formats in which results of benchmarks are read."""

    def run(self) -> list[nodes.Node]:
        """Write Markdown and have it parsed in place."""
        rows = format_table()
        shown = [name for name in rows[0] if name not in {"files", "told by", "rules"}]
        lines = ["| " + " | ".join(shown) + " |", "|---" * len(shown) + "|"]
        lines += ["| " + " | ".join(str(row[name]).replace("|", r"\|") for name in shown) + " |" for row in rows]
        rules = [f"- **{row['format']}**: {row['files']}. Told by {row['told by']}. {row['rules']}" for row in rows]
        return self.parse_text_to_nodes("\n".join([*lines, "", *rules]))


class Notebook(SphinxDirective):
    """A notebook as it was run: words, code, and what each cell showed. The page has its title already."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write every cell."""
        path = NOTEBOOKS / f"{self.arguments[0]}.ipynb"
        self.env.note_dependency(str(path))
        shown: list[nodes.Node] = []
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            words = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                shown += self.parse_text_to_nodes(re.sub(r"\A# .*\n", "", words))
            else:
                shown.append(nodes.literal_block(words, words, language="python"))
                shown += [_output(one["data"]) for one in cell["outputs"] if "data" in one]
        return shown


def _output(data: Mapping[str, str | list[str]]) -> nodes.Node:
    """Return what a cell showed, in the best form that a page can show."""
    kinds = {kind: "".join(words) for kind, words in data.items()}
    if "text/html" in kinds:
        return nodes.raw("", f'<div style="overflow-x: auto">{kinds["text/html"]}</div>', format="html")
    if "image/png" in kinds:
        source = f"data:image/png;base64,{kinds['image/png'].strip()}"
        return nodes.raw("", f'<img alt="" style="max-width: 100%" src="{source}">', format="html")
    return nodes.literal_block(kinds["text/plain"], kinds["text/plain"], language="none")


class PublicNames(SphinxDirective):
    """Everything that `metaeval` exports from one module or package."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Have autodoc document each name; its page is reStructuredText, as docstrings are."""
        names = exported_from(self.arguments[0])
        if not names:
            raise self.error(f"metaeval exports nothing from {self.arguments[0]}")
        return self.parse_text_to_nodes("\n".join(_autodoc(names)))


def _autodoc(names: Mapping[str, Any]) -> Iterator[str]:
    for name, value in names.items():
        if isinstance(value, TypeAliasType):  # has no docstring of its own: its module says what it is
            yield f".. py:type:: {name}\n"
            yield indent(inspect.getdoc(sys.modules[value.__module__]) or "", "   ") + "\n"
            continue
        kind = "class" if inspect.isclass(value) else "function" if inspect.isroutine(value) else "data"
        yield f".. auto{kind}:: {name}"
        if kind == "class":
            yield "   :members:"
        yield ""


def _number_footnotes_apart(
    _app: Sphinx, _what: str, name: str, _obj: object, _options: object, lines: list[str]
) -> None:
    """Give the references of every docstring labels of its own: many of them share a page, and all begin at 1."""
    for number, line in enumerate(lines):
        renamed = re.sub(r"^\.\. \[(\d+)\]", rf".. [#{name}-\1]", line)  # the reference itself
        lines[number] = re.sub(r"\[(\d+)\]_", rf"[#{name}-\1]_", renamed)  # where it is pointed at


def _inline_formula(writer: HTML5Translator, node: nodes.math) -> None:
    writer.body.append(_mathml(node))
    raise nodes.SkipNode


def _block_formula(writer: HTML5Translator, node: nodes.math_block) -> None:
    writer.body.append(f"<div class='math'>{_mathml(node, as_block=True)}</div>\n")
    raise nodes.SkipNode


def _mathml(node: nodes.math | nodes.math_block, *, as_block: bool = False) -> str:
    formula = re.sub(r"\\\w+", lambda command: SPELLINGS.get(command[0], command[0]), node.astext())
    try:
        return tex2mathml(formula, as_block=as_block)
    except MathError as error:
        logger.warning("formula %r: %s", formula, error, location=node)
        return ""


def setup(sphinx: Sphinx) -> dict[str, bool]:
    """Tell Sphinx about the above."""
    sphinx.add_directive("command", Command)
    sphinx.add_directive("formats", Formats)
    sphinx.add_directive("notebook", Notebook)
    sphinx.add_directive("public-names", PublicNames)
    sphinx.add_directive("publications", Publications)
    sphinx.connect("autodoc-process-docstring", _number_footnotes_apart)
    sphinx.add_html_math_renderer(
        "mathml", inline_renderers=(_inline_formula, None), block_renderers=(_block_formula, None)
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
