# ruff: noqa: RUF001 - typographic minus and dashes are meant for people
r"""Tables as LaTeX: rules of booktabs, names that LaTeX obeys in nothing.

Everything compiles with pdfLaTeX, LuaLaTeX and XeLaTeX in any font encoding, Greek letters and signs of mathematics as
such, but for letters of other scripts, which are left alone: they need LuaLaTeX or XeLaTeX and a font that has them.
"""

import re
from itertools import batched, groupby
from typing import TYPE_CHECKING

from metaeval.base.escaping import visible

if TYPE_CHECKING:
    from metaeval.page.tables import Cell, Table

_LONG_TABLE = 45


def table_latex(table: "Table") -> str:
    r"""Return the table as LaTeX for the package booktabs (and longtable where it is longer than a page).

    Every character that LaTeX gives a meaning is escaped, so names survive as they are. Values that have marks behind
    them get a column of their own for these, so that numbers stay aligned.
    """
    marked = [table.marked(column) for column in table.columns]
    head = _head(table, marked)
    body = [
        f"{' & '.join(_cell(cell, apart) for cell, apart in zip(row, marked, strict=True))} \\\\"
        for row in table.cells()
    ]
    aligned = ("r" if column.align == "right" else "l" for column in table.columns)
    layout = "".join(f"{align}@{{}}l" if apart else align for align, apart in zip(aligned, marked, strict=True))
    caption = f"\\caption{{{escape_latex(f'{table.title}. {table.caption}'.strip())}}}"
    label = (
        f"\\label{{tab:{''.join(letter if letter.isascii() and letter.isalnum() else '-' for letter in table.name)}}}"
    )
    if len(body) > _LONG_TABLE:
        start = [f"\\begin{{longtable}}{{{layout}}}", f"{caption}{label} \\\\"]
        lines = [*start, "\\toprule", *head, "\\midrule", "\\endhead", *body, "\\bottomrule", "\\end{longtable}"]
        return "\n".join(["% Needs \\usepackage{booktabs,longtable}", *lines, ""])
    start = ["\\begin{table}", "  \\centering", f"  {caption}", f"  {label}", f"  \\begin{{tabular}}{{{layout}}}"]
    inner = ["\\toprule", *head, "\\midrule", *body, "\\bottomrule"]
    lines = [*start, *(f"    {line}" for line in inner), "  \\end{tabular}", "\\end{table}"]
    return "\n".join(["% Needs \\usepackage{booktabs}", *lines, ""])


_LATEX = {character: f"\\{character}" for character in "{}$&#%_"} | {
    "\\": "\\textbackslash{}",
    "^": "\\textasciicircum{}",
    "~": "\\textasciitilde{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    '"': "{\\ttfamily\\char34}",
    "`": "\\textasciigrave{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "−": "$-$",
    "′": "$'$",
    "⁻": "$^{-}$",
    "…": "\\ldots{}",
    "–": "--",
    "—": "---",
    "\u00a0": "~",
    "\u202f": "\\,",
}
_SIGNS = """
× times ≤ leq ≥ geq ± pm · cdot ≠ neq ≈ approx ∞ infty √ surd ∩ cap ∪ cup ∈ in ⌊ lfloor ⌋ rfloor ← leftarrow ↑ uparrow
→ rightarrow ↓ downarrow † dagger ‡ ddagger
""".split()  # noqa: SIM905 - a list of words reads better as words
_LATEX |= {sign: f"$\\{name}$" for sign, name in batched(_SIGNS, 2)}
_LATEX |= {raised: f"$^{{{digit}}}$" for digit, raised in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
_LATEX |= {lowered: f"$_{{{digit}}}$" for digit, lowered in enumerate("₀₁₂₃₄₅₆₇₈₉")}
_SMALL = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi o pi rho varsigma sigma tau upsilon"
_LARGE = "A B Gamma Delta E Z H Theta I K Lambda M N Xi O Pi P - Sigma T Upsilon Phi X Psi Omega"
_LATEX |= {
    chr(ord(first) + place): name if len(name) == 1 else f"$\\{name}$"
    for first, names in (("α", f"{_SMALL} phi chi psi omega"), ("Α", _LARGE))
    for place, name in enumerate(names.split())
    if name != "-"  # Unicode has no letter there
}
_JOINING = re.compile(r"(-)(?=-)|(')(?=')|(,)(?=,)|.", re.DOTALL)


def escape_latex(words: str) -> str:
    r"""Return a text in which LaTeX finds nothing to obey.

    Hyphens and quotes are kept from joining into dashes and curly quotes, and brackets from being read as options.

    Examples
    --------
    >>> print(escape_latex(r"50 % of run_1 & \input{x}"))
    50 \% of run\_1 \& \textbackslash{}input\{x\}
    """
    plain = visible(words.replace("\n", " "))
    return _JOINING.sub(lambda found: _LATEX.get(found[0], found[0] + "{}" * bool(found.lastindex)), plain)


def _cell(cell: "Cell", apart: bool) -> str:  # noqa: FBT001 - a cell and what is known of its column
    words = escape_latex(cell.text)
    words = f"\\textbf{{{words}}}" if cell.bold else words
    if not apart:
        return words
    return f"{words} & \\textsuperscript{{{escape_latex(cell.marks)}}}" if cell.marks else f"{words} &"


def _head(table: "Table", marked: list[bool]) -> list[str]:
    lines = []
    columns = list(zip(table.columns, marked, strict=True))
    if any(column.group for column in table.columns):
        spans, rules, start = [], [], 1
        for name, members in groupby(columns, key=lambda one: one[0].group):
            width = sum(1 + apart for _, apart in members)
            spans.append(f"\\multicolumn{{{width}}}{{c}}{{{escape_latex(name)}}}" if name else " &" * (width - 1))
            if name:
                rules.append(f"\\cmidrule(lr){{{start}-{start + width - 1}}}")
            start += width
        lines += [f"{' & '.join(spans)} \\\\", " ".join(rules)]
    labels = [
        f"\\multicolumn{{2}}{{c}}{{{escape_latex(column.label)}}}" if apart else escape_latex(column.label)
        for column, apart in columns
    ]
    return [*lines, f"{' & '.join(labels)} \\\\"]
