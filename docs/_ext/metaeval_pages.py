"""What Sphinx adds to pages that read well without it: the whole text of docstrings, notebooks as run, formulas.

`scripts/write_docs.py` writes into the pages what can stand in Markdown. What cannot is added here, below the page:

- to a page of the reference, the description of every name in its tables, to which links to its name then lead,
  and so does `metaeval.NAME` in the words of any page;
- to a page of a notebook, the notebook of ``examples/notebooks`` as it was run;
- to the changelog, the changelog;
- formulas become MathML, which browsers draw without help from the network.
"""

import importlib.util
import inspect
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from html import escape
from pathlib import Path
from textwrap import indent
from typing import Any, TypeAliasType

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

__all__ = ["setup"]

logger = logging.getLogger(__name__)

ROOT = Path(__file__).parents[2]
NOTEBOOKS = ROOT / "examples" / "notebooks"

SPELLINGS = {r"\iff": r"\Leftrightarrow", r"\dots": r"\ldots"}
"""Commands of LaTeX that docutils does not know, and others that mean the same."""

HIDDEN_COLON = "\N{MODIFIER LETTER COLON}"


@cache
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
    content[0] = re.sub(r'\[`(\w+)`\]\(\S+ "(metaeval\.[\w.]+)"\)', r"{py:obj}`\1 <\2>`", content[0])
    for module in re.findall(r"<!-- written: names (\S+) -->", content[0]):
        content[0] += f"\n```{{eval-rst}}\n.. public-names:: {module}\n```\n"  # docstrings are no Markdown


class LinkNames(SphinxTransform):
    """A public name in the words of a page, `metaeval.NAME` in full, leads to its description."""

    default_priority = 210  # before references are resolved

    def apply(self, **_options: object) -> None:
        """Wrap each that no link holds yet."""
        names = _write_docs().public_names()
        for word in list(self.document.findall(nodes.literal)):
            held = isinstance(word.parent, addnodes.pending_xref | nodes.reference | nodes.title)
            if word.astext() in names and not held:
                link = addnodes.pending_xref(
                    "", refdomain="py", reftype="obj", reftarget=word.astext(), refdoc=self.env.docname
                )
                word.replace_self(link)
                link += word


def _name_publicly(
    sphinx: Sphinx, environment: BuildEnvironment, node: addnodes.pending_xref, _shown: nodes.Node
) -> nodes.Node | None:
    """Lead from where a name is defined, as docstrings cite it, to what it is imported as.

    "metaeval.questions.power.study.study_power" becomes `metaeval.study_power`.
    """
    public = _defined().get(node.get("reftarget", ""))
    if not public:
        return None
    page, anchor, *_ = environment.get_domain("py").objects[public]
    address = f"{sphinx.builder.get_relative_uri(node['refdoc'], page)}#{anchor}"
    return nodes.reference("", "", nodes.literal(public, public), internal=True, refuri=address)


@cache
def _defined() -> dict[str, str]:
    """Return where each public name is defined, to what it is imported as."""
    return {
        f"{inspect.unwrap(thing).__module__}.{thing.__name__}": public
        for public, thing in _write_docs().public_names().items()
        if hasattr(thing, "__name__")
    }


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
                asked = words.rstrip().rpartition("\n")[2]
                shown += [_output(one["data"], asked) for one in cell["outputs"] if "data" in one]
        return shown


def _output(data: Mapping[str, str | list[str]], asked: str) -> nodes.Node:
    """Return what a cell showed when `asked`, in the best form that a page can show."""
    kinds = {kind: "".join(words) for kind, words in data.items()}
    if "text/html" in kinds:
        return nodes.raw("", f'<div style="overflow-x: auto">{kinds["text/html"]}</div>', format="html")
    if "image/png" in kinds:
        source = f"data:image/png;base64,{kinds['image/png'].strip()}"
        return nodes.raw("", f'<img alt="{escape(asked)}" style="max-width: 100%" src="{source}">', format="html")
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
        if isinstance(value, TypeAliasType):  # autodoc would find no docstring
            yield f".. py:type:: {name}\n"
            yield indent(_write_docs().described(value), "   ") + "\n"
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


def _list_fields(_app: Sphinx, what: str, _name: str, thing: object, _options: object, lines: list[str]) -> None:
    """Say below the docstring of a class what its fields hold."""
    found = list(_write_docs().fields_of(thing)) if what == "class" and inspect.isclass(thing) else []
    if found:
        lines += ["", "Attributes", "----------"]
        for names, kind, words in found:
            lines += [f"{names} : {kind}", *indent(words, "    ").split("\n")]
        lines.append("")


def _say_returned(_app: Sphinx, what: str, _name: str, thing: object, _options: object, lines: list[str]) -> None:
    """Say what a function returns, where its annotation alone does: types of arguments are in the docstrings."""
    if what not in {"function", "method"} or "Parameters" not in lines or "Returns" in lines:
        return
    returned = inspect.signature(thing).return_annotation
    written = getattr(returned, "__name__", str(returned))
    heads = (place for place, line in enumerate(lines) if place and re.fullmatch("-+", line))
    place = next((place - 1 for place in heads if lines[place - 1] != "Parameters"), len(lines))
    lines[place:place] = [*([] if place < len(lines) else [""]), "Returns", "-------", written, ""]


def _skip_fields(_app: Sphinx, what: str, _name: str, member: object, _skip: object, _options: object) -> bool | None:
    """Leave out what `_list_fields` has listed."""
    return None if what != "class" or isinstance(member, property) or inspect.isroutine(member) else True


def _hide_colon(_app: Sphinx, what: str, _name: str, _obj: object, _options: object, lines: list[str]) -> None:
    """Keep a colon in the first line of a property from napoleon, which takes what stands before it for a type."""
    if what in {"attribute", "data", "property"} and lines:
        lines[0] = lines[0].replace(":", HIDDEN_COLON)


def _show_colon(_app: Sphinx, _what: str, _name: str, _obj: object, _options: object, lines: list[str]) -> None:
    lines[:] = [line.replace(HIDDEN_COLON, ":") for line in lines]


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
    sphinx.connect("missing-reference", _name_publicly)
    sphinx.connect("env-check-consistency", _check_names)
    sphinx.add_transform(LinkNames)
    sphinx.connect("autodoc-skip-member", _skip_fields)
    sphinx.connect("autodoc-process-docstring", _list_fields, priority=100)
    sphinx.connect("autodoc-process-docstring", _say_returned, priority=100)
    sphinx.connect("autodoc-process-docstring", _hide_colon, priority=100)
    sphinx.connect("autodoc-process-docstring", _list_references)  # at 500, as napoleon
    sphinx.connect("autodoc-process-docstring", _show_colon, priority=900)
    sphinx.add_html_math_renderer(
        "mathml", inline_renderers=(_inline_formula, None), block_renderers=(_block_formula, None)
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
