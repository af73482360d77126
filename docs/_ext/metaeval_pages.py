"""What Sphinx adds to pages that read well without it: the whole text of docstrings, notebooks as run, formulas.

`scripts/write_docs.py` writes into the pages what can stand in Markdown. What cannot is added here, below the page:

- to a page of the reference, the description of every name in its table;
- to a page of a notebook, the notebook of ``examples/notebooks`` as it was run;
- to the changelog, the changelog;
- formulas become MathML, which browsers draw without help from the network.
"""

import importlib.util
import inspect
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import indent
from typing import Any, TypeAliasType

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

__all__ = ["setup"]

logger = logging.getLogger(__name__)

ROOT = Path(__file__).parents[2]
NOTEBOOKS = ROOT / "examples" / "notebooks"

SPELLINGS = {r"\iff": r"\Leftrightarrow", r"\dots": r"\ldots"}
"""Commands of LaTeX that docutils does not know, and others that mean the same."""


def _write_docs() -> Any:  # noqa: ANN401 - a script
    spec = importlib.util.spec_from_file_location("write_docs", ROOT / "scripts" / "write_docs.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def _complete(_app: Sphinx, docname: str, content: list[str]) -> None:
    """Add what a page cannot say in Markdown alone."""
    folder, _, name = docname.rpartition("/")
    if folder == "notebooks":
        content[0] += f"\n```{{notebook}} {name}\n```\n"
    if docname == "changelog":
        releases = (ROOT / "CHANGELOG.md").read_text("utf-8").split("\n\n", maxsplit=2)[2]
        content[0] = content[0].replace("(../CHANGELOG.md)", "(#changelog)") + "\n" + releases
    for module in re.findall(r"<!-- written: names (\S+) -->", content[0]):
        content[0] = re.sub(r"^\| `([\w.]+)` \|", r"| {py:obj}`\1` |", content[0], flags=re.MULTILINE)
        content[0] += f"\n```{{eval-rst}}\n.. public-names:: {module}\n```\n"  # docstrings are no Markdown


def _check_names(_app: Sphinx, environment: BuildEnvironment) -> None:
    """Warn of a public name that no page describes: its line in a table would lead nowhere."""
    described = environment.get_domain("py").objects
    for name in _write_docs().public_names():
        if name not in described:
            logger.warning("no page of the reference describes %s", name)


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
        names = _write_docs().exported_from(self.arguments[0])
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


def _list_references(_app: Sphinx, _what: str, _name: str, _obj: object, _options: object, lines: list[str]) -> None:
    """Make a list of the references of a docstring: many of them share a page, and all begin at 1."""
    for number, line in enumerate(lines):
        lines[number] = re.sub(r"\[(\d+)\]_", r"[\1]", re.sub(r"^\.\. \[(\d+)\]", r":[\1]:", line))


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
    sphinx.add_directive("notebook", Notebook)
    sphinx.add_directive("public-names", PublicNames)
    sphinx.connect("source-read", _complete)
    sphinx.connect("env-check-consistency", _check_names)
    sphinx.connect("autodoc-process-docstring", _list_references)
    sphinx.add_html_math_renderer(
        "mathml", inline_renderers=(_inline_formula, None), block_renderers=(_block_formula, None)
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
