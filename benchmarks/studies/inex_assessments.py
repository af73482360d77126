"""Piwowarski, Trotman and Lalmas (2008) on simulated campaigns of 2005 and 2006, beside the published figures.

Run: python benchmarks/studies/inex_assessments.py

The campaigns are those of `metaeval simulate inex`, smaller than INEX's; the figures are those that `metaeval
assessment` writes to ``tables/figures.csv``. Written to benchmarks/reports/.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pandas as pd

REPORT = Path(__file__).parents[2] / "benchmarks" / "reports" / "inex-assessments.md"
SIMULATE = (
    "simulate inex inex{0} --year {0} --systems 12 --topics 15 --documents 500 --results 200 --pool 200 --articles "
    "--seed 200"
)
ASSESS = (
    "assessment inex{0}/assessments --runs inex{0}/submissions --second inex{0}/second --log inex{0}/log.csv "
    "--documents inex{0}/articles --element-sizes inex{0}/sizes.txt --rounds documents --out page{0}"
)


def percent(value: float) -> str:
    """Write a share."""
    return f"{100 * value:.1f} %"


MISSING = "\u2013"


class Figure(NamedTuple):
    """A published figure of both years, and the row of ``figures.csv`` that stands beside it."""

    words: str
    published: tuple[str, str]
    row: str
    """Beginning of its name."""
    write: Callable[[float], str]
    set_so: bool = False
    """Whether the simulation is set to it, so that equal values only show that it is counted correctly."""


FIGURES = (
    Figure("relevant elements of a topic (Table IV)", ("522", "1908"), "elements per topic", "{:.0f}".format),
    Figure("passages of a topic (Table IV)", ("156", "80"), "passages per topic", "{:.0f}".format),
    Figure(
        "relevant elements found by half of the pool",
        ("81 %", "71 %"),
        "share of elements by half of the pool",
        percent,
    ),
    Figure(
        "seconds for a relevant document (Table III)",
        ("5 minutes", "1 minute"),
        "mean seconds of relevant documents",
        "{:.0f}".format,
        set_so=True,
    ),
    Figure(
        "seconds for an irrelevant one (Table III)",
        ("50", "45"),
        "mean seconds of irrelevant documents",
        "{:.0f}".format,
        set_so=True,
    ),
    Figure("specificity of articles (Table VII)", ("0.12", "0.32"), "mean of class article", "{:.2f}".format),
    Figure("of sections", ("0.51", "0.67"), "mean of class section", "{:.2f}".format),
    Figure("of paragraphs", ("0.94", "0.94"), "mean of class paragraph", "{:.2f}".format),
    Figure("passages that are elements (Table VIII)", ("36 %", "45 %"), "elemental share", percent, set_so=True),
    Figure(
        "documents with five passages or fewer (Figure 6)",
        ("nearly 90 %", "nearly 98 %"),
        "share with at most five",
        percent,
        set_so=True,
    ),
    Figure("exponent of the power law", (MISSING, MISSING), "power law: exponent", "{:.2f}".format, set_so=True),
    Figure(
        "elements too small that are below 55 characters",
        ("about 79 %", ""),
        "share below 55 characters at ?",
        percent,
        set_so=True,
    ),
    Figure(
        "agreement on documents (Table IX)", ("0.39", "0.57"), "agreement on documents", "{:.2f}".format, set_so=True
    ),
    Figure("on elements with their grades (Table IX)", ("0.24", ""), "agreement on exact elements", "{:.2f}".format),
    Figure("on characters (Table XI)", ("0.23", "0.31"), "agreement on passages", "{:.2f}".format, set_so=True),
    Figure(
        "highlights behind the one before (section 5.1.2)",
        ("85 %", ""),
        "share of highlights that lie behind",
        percent,
        set_so=True,
    ),
    Figure("judgments of elements behind the one before", ("95 %", ""), "share of judgments", percent, set_so=True),
    Figure("of these, in the element before", ("35 %", ""), "share inside", percent),
    Figure("highlight-then-judge cycles", ("1.13", ""), "highlight-then-judge cycles", "{:.2f}".format, set_so=True),
)


def figures_of(folder: Path, year: int) -> dict[str, float]:
    """Make a campaign, ask for its assessments, and read the figures."""
    for line in (SIMULATE, ASSESS):
        command = f"{sys.executable} -m metaeval {line.format(year)} --quiet"
        subprocess.run(command.split(), cwd=folder, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - lines from above
    table = pd.read_csv(folder / f"page{year}" / "tables" / "figures.csv")
    known = {
        ("agreement on passages", "mean of_union"): "agreement on passages",
        ("agreement on documents", "mean of_union"): "agreement on documents",
        ("agreement on elements", "mean of exact"): "agreement on exact elements",
        ("elemental passages", "share"): "elemental share",
    }
    found = {known.get((question, name), name): value for question, name, value in table.itertuples(index=False)}
    half = [(name, value) for name, value in found.items() if name.startswith("share of elements by ")]
    found["share of elements by half of the pool"] = half[0][1]
    return found


def main() -> None:
    """Write the table."""
    with tempfile.TemporaryDirectory() as place:
        years = {year: figures_of(Path(place), year) for year in (2005, 2006)}
    lines = ["| | 2005, paper | 2005, simulated | 2006, paper | 2006, simulated |", "|---|---|---|---|---|"]
    for one in FIGURES:
        cells = []
        for printed, found in zip(one.published, years.values(), strict=True):
            value = next((value for name, value in found.items() if name.startswith(one.row)), None)
            cells += [printed, "" if value is None or pd.isna(value) else one.write(value)]
        lines.append(f"| {one.words}{'' if one.set_so else '*'} | " + " | ".join(cells) + " |")
    parts = [
        "# Piwowarski, Trotman and Lalmas (2008) on simulated campaigns",
        f"Made by `python benchmarks/studies/inex_assessments.py`, from `metaeval {SIMULATE.format(2005)}`, and so for 2006.",
        "## Comparison",
        "\n".join(lines),
        "*: not set in the simulation.",
    ]
    REPORT.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
