"""A hundred typical mistakes: what each is told, and that its advice, followed to the letter, gives the right answer.

A row is a mistake: files, and a command line. The message must hold `says`, whose named groups are the way out as the
message has it, and the test does what they say: `add` goes behind the command, `filter` is a shell filter over the file
that the message begins with, `instead` takes the place of `wrong`, `line` is taken out of it. Where the advice is
in words (rename it, fetch it again), `edit` does it. Then the command must give the figures of the same question on
clean data.
"""

import ast
import contextlib
import gzip
import hashlib
import io
import json
import lzma
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from small_results import TEXTS, score

from metaeval import read_scores
from metaeval.cli import main
from metaeval.errors import MetaevalError
from metaeval.table.structure import with_clusters
from metaeval.tests_stat.wilcoxon import wilcoxon_test

SYSTEMS = ["bm25", "lm", "rm3", "dense"]
TOPICS = [str(301 + number) for number in range(20)]
_GENERATOR = np.random.default_rng(5)
SCORES = (
    (
        0.3
        + 0.06 * np.arange(4)
        + 0.15 * _GENERATOR.standard_normal((20, 1))
        + 0.07 * _GENERATOR.standard_normal((20, 4))
    )
    .clip(0.01, 0.99)
    .round(3)
)
WRITTEN = f"{SCORES[0, 1]:.3f}"
"""The score of lm on 301."""


BESIDE = ["Summary,", "Best,dense", *[","] * 19]
"""What stands beside a header and 20 rows."""


# ----------------------------------------------------------------------------------------------------- clean files


def wide(*, sep=",", write="{:.3f}".format, head="topic", topics=TOPICS, more="", systems=SYSTEMS):
    """Return a wide table: a row a topic, a column a system."""
    rows = [sep.join([head, *systems])]
    rows += [sep.join([topic, *map(write, row)]) for topic, row in zip(topics, SCORES[:, : len(systems)], strict=False)]
    return "\n".join(rows) + "\n" + more


FOLDS = [str(1 + number) for number in range(20)]
MERGED = wide(systems=["a x", "a y", "b x"])


def transposed(head):
    """Return a wide table with a row a system."""
    rows = [",".join([head, *TOPICS])]
    rows += [",".join([name, *map("{:.3f}".format, SCORES[:, at])]) for at, name in enumerate(SYSTEMS)]
    return "\n".join(rows) + "\n"


def long(
    head="system,topic,metric,score",
    row="{system},{topic},AP,{score:.3f}",
    *,
    more="",
    systems=SYSTEMS,
    topics=TOPICS,
):
    """Return a long table: a row a score."""
    rows = [
        row.format(system=system, topic=topic, score=SCORES[at, place], task=f"k{at % 5}", place=place)
        for at, topic in enumerate(topics)
        for place, system in enumerate(systems)
    ]
    return "\n".join([head, *rows]) + "\n" + more


def run(tag, seed, line="{topic} Q0 {document} {rank} {score} {tag}", head=""):
    """Return a run of twenty documents on every topic."""
    generator, lines = np.random.default_rng(seed), []
    for topic in TOPICS:
        for rank, document in enumerate(generator.permutation(20), start=1):
            lines.append(
                line.format(
                    topic=topic,
                    document=f"D{document}",
                    number=document,
                    rank=rank,
                    before=rank - 1,
                    score=101 - rank,
                    falling=21 - rank,
                    tag=tag,
                    same=7,
                )
            )
    return head + "\n".join(lines) + "\n"


def qrels(line="{topic} 0 {document} {level}", *, head="", topics=TOPICS, seed=0):
    """Return judgments of these documents."""
    generator = np.random.default_rng(seed)
    rows = [
        line.format(topic=topic, document=f"D{document}", level=int(generator.integers(0, 3)))
        for topic in topics
        for document in range(20)
    ]
    return head + "\n".join(rows) + "\n"


def with_topics(form):
    """Return a function that writes the topics of runs or judgments in another way."""

    def written(text):
        rows = [line.split(" ", 1) for line in text.splitlines()]
        return "".join(f"{form.format(topic, less=int(topic) - 300)} {rest}\n" for topic, rest in rows)

    return written


def with_column(text, head, cells):
    """Return a table with one more column at its end."""
    first, *rows = text.splitlines()
    return "\n".join([f"{first},{head}", *(f"{row},{cell}" for row, cell in zip(rows, cells, strict=True))]) + "\n"


def zipped(**members):
    """Return a zip archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/"), content)
    return packed.getvalue()


TABLE = {"ap.csv": wide()}
LONG = {"ap.csv": long()}
RUNS = {"a.run": run("a", 1), "b.run": run("b", 2), "qrels.txt": qrels()}
NUMBERED = {name: RUNS[name].replace("D", "") for name in ("b.run", "qrels.txt")}
SCORED = "score a.run b.run --qrels qrels.txt --metrics AP"
TASKS = {"b.csv": long("model,task,item,score", "{system},{task},{topic},{score:.3f}")}
TEAMS = {"groups.csv": "system,team,year\n" + "".join(f"{name},{name[0]},1\n" for name in SYSTEMS)}
JUDGES = "judges labels.csv --reference ann --resamples 20"
_LABELS = list(np.random.default_rng(3).integers(0, 2, (30, 2)))


def labels(words=("0", "1"), more=""):
    """Return a wide table of labels."""
    rows = [f"1,d{at},{words[one]},{words[other]}" for at, (one, other) in enumerate(_LABELS)]
    return "\n".join(["topic,doc,ann,ben", *rows]) + "\n" + more


def numbered_labels(head):
    """Return a wide table of labels whose rows are numbered within ten questions."""
    rows = [f"{at + 1},q{at % 10},{one},{other}" for at, (one, other) in enumerate(_LABELS)]
    return "\n".join([f"{head},ann,ben", *rows])


def long_labels(words=("0", "1"), more=""):
    """Return a table of labels, a row a label."""
    rows = [f"1,d{at},{name},{words[label]}" for at, row in enumerate(_LABELS) for name, label in zip("ab", row)]  # noqa: B905 - two judges
    text = "\n".join(["topic,doc,judge,label", *rows]) + "\n" + more
    return text.replace(",a,", ",ann,").replace(",b,", ",ben,")


# -------------------------------------------------------------------------------------------------------- mistakes


def judged(role):
    """Return scores of three systems on six items under three judges, who stand in a column called so."""
    numbers = (
        f"{judge},d{item},{system},{(3 * item + 5 * place + 2 * at) % 7 / 7:.3f}\n"
        for place, judge in enumerate(("ann", "ben", "cat"))
        for item in range(6)
        for at, system in enumerate("xyz")
    )
    return f"{role},item,system,score\n" + "".join(numbers)


class Mistake(NamedTuple):
    """What somebody got wrong, and what becomes of it."""

    files: dict
    command: str
    says: str
    right: tuple = (TABLE, "table ap.csv")
    """The same question on clean data."""
    edit: object = None
    """What the advice asks for in words: takes the match; may return another command."""
    scale: float = 1.0
    names: bool = True
    """Whether systems keep their names."""


def _as_markdown(text):
    """Return the lines of a CSV table as those of a Markdown table, without the bars around them."""
    head, *lines = [line.replace(",", " | ") for line in text.splitlines()]
    return [head, re.sub(r"[^|]+", "---", head), *lines]


def _write(name, content):
    def edit(_found):
        place = Path(name)
        place.unlink(missing_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())

    return edit


def _replace(old, new, name="ap.csv", add=""):
    def edit(_found):
        place = Path(name)
        text = place.read_text(encoding="utf-8")
        assert old in text
        place.write_text(text.replace(old, new, 1), encoding="utf-8")
        return f"table {name} {add}" if add else None

    return edit


def _written_as(found, name):
    """Write all names of a file as the message writes one."""
    before, same, after = found["old"].partition(found["new"])
    place = Path(name)
    if same:
        changed = re.sub(rf"^{before}(\w+){re.escape(after)},", r"\1,", place.read_text(), flags=re.MULTILINE)
    else:
        changed = place.read_text().replace(found["old"], found["new"])
    place.write_text(changed)


def _after(first, line):
    """Run one command, whose output the other reads."""

    def edit(_found):
        sys.argv = ["metaeval", *shlex.split(first)]
        assert main() == 0
        return line

    return edit


def _command(line):
    return lambda _found: line


CUT = 0.4
BOARD = "leaderboard ap.csv --resamples 100"
NOTHING_TO_DO = "(?!x)"
WITHOUT_301 = ({"ap.csv": wide().replace(f"301,{','.join(map('{:.3f}'.format, SCORES[0]))}\n", "")}, "table ap.csv")
GAP = r"pass --missing zero, drop-systems, (?P<rule>drop-topics) or pairwise"
DOUBLED = "301,0.1,0.2,0.3,0.4\n"
_MEAN = np.vstack([(SCORES[0] + [0.1, 0.2, 0.3, 0.4]) / 2, SCORES[1:]])
MEAN = (
    {
        "ap.csv": "\n".join(
            [
                f"topic,{','.join(SYSTEMS)}",
                *(f"{t},{','.join(map(repr, r.tolist()))}" for t, r in zip(TOPICS, _MEAN, strict=True)),
            ]
        )
    },
    "table ap.csv",
)
SAME_RUNS = (RUNS, SCORED)


def gap(word):
    """Return the row of a word that stands for a missing score."""
    return Mistake({"ap.csv": wide().replace(WRITTEN, word, 1)}, "table ap.csv", GAP, WITHOUT_301)


def of_run(says, *, edit=None, line="", head="", files=None, command=SCORED):
    """Return the row of a mistake in a run or in judgments."""
    wrong = {"a.run": run("a", 1, line, head)} if line else {}
    return Mistake({**RUNS, **wrong, **(files or {})}, command, says, SAME_RUNS, edit)


FILTER = r" \((?P<filter>[^)]*)\)"
BY_ROWS = "(?P<add>--systems-in rows)"
IN_PLACE = r"write that in their place, without 'y_true' \((?P<filter>awk '[^']*')\)"


TRUE = [1, 0, 1, 1, 0, 0, 1, 0]
CHANCES = ([0.9, 0.2, 0.4, 0.5, 0.7, 0.1, 0.8, 0.3], [0.5, 0.7, 0.1, 0.6, 0.2, 0.9, 0.4, 0.6])
CLASSES = ([1, 0, 0, 1, 1, 0, 1, 0], [1, 1, 0, 1, 0, 1, 0, 1])
RIGHT = ([1, 1, 0, 1, 0, 1, 1, 1], [1, 0, 0, 1, 1, 0, 0, 0])
"""Whether the first and second model are right, by hand: at 0.5 or more 1 is predicted."""


def numbered(head, *columns):
    """Return a table of rows with numbers from 1."""
    rows = (",".join(map(str, (at, *cells))) for at, cells in enumerate(zip(*columns, strict=True), start=1))
    return "\n".join([f"id,{head}", *rows]) + "\n"


HEARD = "".join(
    f"L{n},s{at},{name},{(n + 2 * at + 3 * (name == 'new')) % 5}\n"
    for n in range(3)
    for at in range(6)
    for name in ("old", "new")
)
HEARD_BY_ALL = ({"mos.csv": f"listener,sample,system,score\n{HEARD}"}, "table mos.csv --repeat-column listener")
MISTAKES = {
    # --------------------------------------------------------------------------------------- columns of long tables
    "no column of systems": Mistake(
        {"ap.csv": long("topic,metric,score", "{topic},AP,{score:.3f}")},
        "table ap.csv",
        "line 3: .* no column names the systems, so all rows count as one: add a column system",
        edit=_write("ap.csv", long()),
    ),
    "a file a system, and only one given": Mistake(
        {"bm25.csv": long("topic,metric,score", "{topic},AP,{score:.3f}", systems=["bm25"])},
        "table bm25.csv",
        "each file counts as one: give the files of the others too",
        edit=lambda _found: _a_file_each(),
    ),
    "systems called teams": Mistake(
        {"ap.csv": long("team,topic,metric,score")}, "table ap.csv", "pass (?P<add>--system-column team)"
    ),
    "topics called by another word": Mistake(
        {"ap.csv": long("system,otazka,metric,score")}, "table ap.csv", "column 'otazka' was taken for the items"
    ),
    "scores called by another word": Mistake(
        {"ap.csv": long("system,topic,metric,hodnota")}, "table ap.csv", "pass (?P<add>--value-column hodnota)"
    ),
    "three columns called by other words": Mistake(
        {"ap.csv": long("team,otazka,hodnota,metric", "{system},{topic},{score:.3f},AP")},
        "table ap.csv",
        "pass (?P<add>--system-column team --item-column otazka --value-column hodnota)",
    ),
    "judges in the place of metrics": Mistake(
        {"ap.csv": long("system,topic,judge,score", "{system},{topic},AP,{score:.3f}")},
        "table ap.csv",
        "pass (?P<add>--metric-column judge)",
    ),
    "a column of notes in a long table": Mistake(
        {"ap.csv": with_column(long(), "notes", ["fine"] * 80)}, "table ap.csv", "left out column 'notes'"
    ),
    "a column of notes in a wide table": Mistake(
        {"ap.csv": with_column(wide(), "notes", ["fine"] * 20)}, "table ap.csv", "left out columns of words .notes"
    ),
    "a column with few notes": Mistake(
        {"ap.csv": with_column(wide(), "notes", ["", "odd", *[""] * 18])}, "table ap.csv", "left out columns of words"
    ),
    # ---------------------------------------------------------------------------------------- how numbers are written
    "percent signs": Mistake(
        {"ap.csv": wide(write=lambda score: f"{100 * score:.1f} %")},
        "table ap.csv",
        f"'13.0 %' has a percent sign; write '13.0'{FILTER}",
        scale=100,
    ),
    "percent signs without blanks": Mistake(
        {"ap.csv": wide(write=lambda score: f"{100 * score:.1f}%")},
        "table ap.csv",
        f"has a percent sign; write '13.0'{FILTER}",
        scale=100,
    ),
    "percent signs in a long table": Mistake(
        {"ap.csv": re.sub(r"0\.(\d\d)(\d)$", r"\1.\2%", long(), flags=re.MULTILINE)},
        "table ap.csv",
        f"has a percent sign; write '13.0'{FILTER}",
        scale=100,
    ),
    "decimal commas and semicolons": Mistake(
        {"ap.csv": wide(sep=";", write=lambda score: f"{score:.3f}".replace(".", ","))},
        "table ap.csv",
        f"'0,130' has a decimal comma; write '0.130'{FILTER}",
    ),
    "decimal commas and tabs": Mistake(
        {"ap.csv": wide(sep="\t", write=lambda score: f"{score:.3f}".replace(".", ","))},
        "table ap.csv",
        f"has a decimal comma; write '0.130'{FILTER}",
    ),
    "decimal commas between commas": Mistake(
        {"ap.csv": wide(write=lambda score: f"{score:.3f}".replace(".", ","))},
        "table ap.csv",
        "if commas are decimal signs, write the file again with points",
        edit=_write("ap.csv", wide()),
    ),
    "decimal commas in quotation marks between commas": Mistake(
        {"ap.csv": wide(write=lambda score: f'"{score:.3f}"'.replace(".", ","))},
        "table ap.csv",
        r"has a decimal comma; write '0.130' \((?P<filter>sed -E '[^']*')\)",
    ),
    "a Markdown table": Mistake(
        {"ap.csv": "".join(f"| {line} |\n" for line in _as_markdown(wide()))},
        "table ap.csv",
        r"this is a Markdown table; write it as TSV: .* \((?P<filter>sed -E '[^']*')\)",
    ),
    "a LaTeX table": Mistake(
        {
            "ap.csv": "\\begin{tabular}{lrr}\n\\toprule\n"
            + "".join(f"  {line} \\\\\n" for line in wide().replace(",", " & ").splitlines())
            + "\\bottomrule\n\\end{tabular}\n"
        },
        "table ap.csv",
        r"this is a LaTeX table; write it as TSV: .* \((?P<filter>sed -E '[^']*')\)",
    ),
    "a Markdown table with a bar within a name": Mistake(
        {"ap.csv": "".join(f"| {line} |\n" for line in _as_markdown(wide())).replace(" | ", r" \| x | ", 1)},
        "table ap.csv",
        r"this is a Markdown table; write it as TSV: .* \((?P<filter>sed -E '[^']*')\)",
        names=False,
    ),
    "commas between thousands in quotation marks between commas": Mistake(
        {"ap.csv": wide(write=lambda score: f'"{1e9 * score:,.0f}"')},
        "table ap.csv",
        r"commas between thousands; write '130000000' \((?P<filter>sed -E '[^']*')\)",
        scale=1e9,
    ),
    "commas between thousands": Mistake(
        {"ap.csv": wide(sep=";", write=lambda score: f"{1e6 * score:,.0f}")},
        "table ap.csv",
        rf"has a decimal comma.*or '130000'{FILTER}|commas between thousands; write '130000' \((?P<instead>[^)]*)\)",
        scale=1e6,
        edit=lambda found: _filtered("ap.csv", found["filter"] or found["instead"]),
    ),
    "commas between thousands, and points": Mistake(
        {"ap.csv": wide(sep=";", write=lambda score: f"{1e6 * score:,.1f}")},
        "table ap.csv",
        f"commas between thousands; write '130000.0'{FILTER}",
        scale=1e6,
    ),
    "a score that is infinite": Mistake(
        {"ap.csv": wide().replace(WRITTEN, "inf", 1)},
        "table ap.csv",
        "'inf' is not finite; repair the score, or leave the cell empty",
        edit=_replace("inf", WRITTEN),
    ),
    # --------------------------------------------------------------------------------------------------- duplicates
    "a topic twice, the first counts": Mistake(
        {"ap.csv": wide(more=DOUBLED)}, "table ap.csv", "topic '301' appears twice.*pass (?P<add>--duplicates first)"
    ),
    "a topic twice, the mean counts": Mistake(
        {"ap.csv": wide(more=DOUBLED)}, "table ap.csv", "pass --duplicates first or (?P<duplicates>mean)", MEAN
    ),
    "a row twice": Mistake(
        {"ap.csv": long(more="bm25,301,AP,0.9\n")},
        "table ap.csv",
        "line 82: .* on line 2 already; keep one of them, or pass (?P<add>--duplicates first)",
    ),
    "all rows twice, the mean counts": Mistake(
        {"ap.csv": long(more="".join(f"{name},301,AP,{at / 10}\n" for at, name in enumerate(SYSTEMS, start=1)))},
        "table ap.csv",
        "pass --duplicates first or (?P<duplicates>mean)",
        MEAN,
    ),
    "a column twice": Mistake(
        {"ap.csv": wide(systems=["bm25", "lm", "lm", "dense"])},
        "table ap.csv",
        "columns 3 and 4 are both called 'lm'; rename one",
        edit=_replace("lm,lm", "lm,rm3"),
    ),
    "a judgment twice": of_run(
        "judged twice.*pass (?P<add>--duplicates first)", files={"qrels.txt": qrels() + "301 0 D1 0\n"}
    ),
    "a label twice": Mistake(
        {"labels.csv": long_labels(more="1,d0,ann,1\n")},
        JUDGES,
        "'ann' labels topic '1', item 'd0' twice.*pass (?P<add>--duplicates first)",
        ({"labels.csv": long_labels()}, JUDGES),
    ),
    "a row of labels twice": Mistake(
        {"labels.csv": labels(more="1,d0,1,1\n")},
        JUDGES,
        "appears twice.*pass (?P<add>--duplicates first)",
        ({"labels.csv": labels()}, JUDGES),
    ),
    "a document twice in a run": of_run(
        "line (?P<line>401): this document stands in this topic already.*keep one",
        files={"a.run": run("a", 1) + "320 Q0 D1 99 0 a\n"},
    ),
    # ----------------------------------------------------------------------------------------------- missing scores
    "NA": gap("NA"),
    "n/a": gap("n/a"),
    "a dash": gap("-"),
    "a long dash": gap("\N{EN DASH}"),
    "an empty cell": gap(""),
    "a question mark": gap("?"),
    "a point": gap("."),
    "N.A.": gap("N.A."),
    "the word missing": gap("missing"),
    "null": gap("null"),
    "#N/A": gap("#N/A"),
    "-999": Mistake(
        {"ap.csv": wide().replace(WRITTEN, "-999", 1)},
        "table ap.csv",
        "-999 .'lm' on '301'. under ap.*empty what is no score, and pass (?P<then>--missing drop-topics)",
        WITHOUT_301,
        edit=lambda found: _replace("-999", "", add=found["then"])(found),
    ),
    "-1": Mistake(
        {"ap.csv": wide().replace(WRITTEN, "-1", 1)},
        "table ap.csv",
        "-1 .'lm' on '301'. under ap.*empty what is no score, and pass (?P<then>--missing drop-topics)",
        WITHOUT_301,
        edit=lambda found: _replace("-1", "", add=found["then"])(found),
    ),
    # --------------------------------------------------------------------------------------------- form of the table
    "a row of averages": Mistake(
        {"ap.csv": wide(more=f"all,{','.join(map(str, SCORES.mean(axis=0)))}\n")},
        "table ap.csv",
        "left out the averages .all.",
    ),
    "a row of means": Mistake(
        {"ap.csv": wide(more=f"mean,{','.join(map(str, SCORES.mean(axis=0)))}\n")},
        "table ap.csv",
        "left out the averages",
    ),
    # --------------------------------------------------------------------- what stands around a table, and others make
    "a mark of significance": Mistake(
        {"ap.csv": wide().replace(WRITTEN, f"{WRITTEN}*", 1)},
        "table ap.csv",
        rf"'{WRITTEN}\*' has a mark; write '{WRITTEN}' \((?P<filter>sed -E '[^']*')\)",
    ),
    "daggers behind scores": Mistake(
        {"ap.csv": wide(write="{:.3f} †".format)},
        "table ap.csv",
        r"has a mark; write .* \((?P<filter>sed -E '[^']*')\)",
    ),
    "stars around the best score": Mistake(
        {"ap.csv": wide().replace(WRITTEN, f"**{WRITTEN}**", 1)},
        "table ap.csv",
        rf"has stars around it; write '{WRITTEN}' \((?P<filter>sed '[^']*')\)",
    ),
    "a footnote's number behind a score": Mistake(
        {"ap.csv": wide().replace(WRITTEN, f"{WRITTEN} (2)", 1)},
        "table ap.csv",
        rf"has a number in brackets; write '{WRITTEN}' \((?P<filter>sed -E '[^']*')\)",
    ),
    "two tables in a file": Mistake(
        {"ap.csv": wide() + "\n" + wide(write=lambda score: f"{score / 2:.3f}")},
        "table ap.csv",
        r"these are two tables; take one of them into a file of its own \((?P<filter>sed '[^']*')",
    ),
    "two tables in a file, each below its title": Mistake(
        {"ap.csv": "Run 1\n" + wide() + "\nRun 2\n" + wide(write=lambda score: f"{score / 2:.3f}")},
        "table ap.csv",
        r"these are two tables; take one of them into a file of its own \((?P<filter>sed '[^']*')",
    ),
    "a block of summaries beside the table": Mistake(
        {"ap.csv": "".join(f"{line},,{more}\n" for line, more in zip(wide().splitlines(), BESIDE, strict=True))},
        "table ap.csv",
        r"stands in a block beside the table, from column 7 on; cut that off \((?P<filter>cut [^)]*)\)",
    ),
    "what describe() says below the table, under its header": Mistake(
        {"ap.csv": wide(more=",,,,\n" + wide(head="", topics=["count", "mean", "std", "min"]))},
        "table ap.csv",
        r"the header stands here again; leave the rows from it on out.*\((?P<filter>sed '[^']*')\)",
    ),
    "prices": Mistake(
        {"ap.csv": wide(write="${:.3f}".format)},
        "table ap.csv",
        r"has the sign of a currency; write '[0-9.]+' \((?P<filter>sed -E '[^']*')\)",
    ),
    "a run that failed among scores": Mistake(
        {"ap.csv": wide().replace(WRITTEN, "failed", 1)},
        "table ap.csv --missing drop-topics",
        "'failed' is not a number; .* or leave the cell empty if there is none",
        ({"ap.csv": wide().replace(WRITTEN, "", 1)}, "table ap.csv --missing drop-topics"),
        edit=_write("ap.csv", wide().replace(WRITTEN, "", 1)),
    ),
    "a file that was not written to its end": Mistake(
        {"ap.csv": wide()[:-12]},
        "table ap.csv",
        r"leave the last line out, which is cut short .* \((?P<filter>sed '[^']*')\)",
        ({"ap.csv": wide(topics=TOPICS[:-1])}, "table ap.csv"),
    ),
    "a title above the header": Mistake(
        {"ap.csv": "Results of 2024\n" + wide()},
        "table ap.csv",
        r"left out line 1, above the header \('Results of 2024'\)",
    ),
    "a title with the commas of the table": Mistake(
        {"ap.csv": "Results of 2024,,,,\n,,,,\n" + wide()}, "table ap.csv", "left out line 1, above the header"
    ),
    "groups of systems above their names": Mistake(
        {"ap.csv": ",sparse,,dense,\n" + wide()},
        "table ap.csv",
        r"left out line 1, above the header \('sparse, dense'\)",
    ),
    "a source below the table": Mistake(
        {"ap.csv": wide(more="Source: our own\n")},
        "table ap.csv",
        r"left out line 22, below the table \('Source: our own'\)",
    ),
    "a source with the commas of the table": Mistake(
        {"ap.csv": wide(more="Quelle: eigene Messung,,,,\n")}, "table ap.csv", "left out line 22, below the table"
    ),
    "what divides cells in the first line": Mistake({"ap.csv": "sep=;\n" + wide(sep=";")}, "table ap.csv", ""),
    "the header once more": Mistake(
        {"ap.csv": wide().replace("310,", f"topic,{','.join(SYSTEMS)}\n310,")},
        "table ap.csv",
        "left out line 11, the header again: rows above and below it are read as one table",
    ),
    "numbers of rows before the topics": Mistake(
        {"ap.csv": "".join(f"{at - 1 if at else ''},{row}\n" for at, row in enumerate(wide().splitlines()))},
        "table ap.csv",
        "left out the first column, which has no name",
    ),
    "a score of the whole behind items": Mistake(
        {"ap.csv": with_column(transposed("model"), "Score", map("{:.4f}".format, SCORES.mean(axis=0)))},
        "table ap.csv",
        "left out column 'Score', the mean of '301', '302', '303'",
    ),
    "averages as a system of a long table": Mistake(
        {
            "ap.csv": long(
                more="".join(f"Average,{t},AP,{one:.4f}\n" for t, one in zip(TOPICS, SCORES.mean(axis=1), strict=True))
            )
        },
        "table ap.csv",
        "left out system 'Average', the mean of 'bm25', 'lm', 'rm3'",
    ),
    "the difference of two systems": Mistake(
        {"ap.csv": with_column(wide(), "lm-bm25", map("{:.3f}".format, SCORES[:, 1] - SCORES[:, 0]))},
        "table ap.csv",
        "left out column 'lm-bm25', 'lm' minus 'bm25'",
    ),
    "a row of means called MAP": Mistake(
        {"ap.csv": wide(more=f"MAP,{','.join(map(str, SCORES.mean(axis=0)))}\n")},
        "table ap.csv",
        r"left out the summaries \(MAP\)",
    ),
    "systems in rows": Mistake({"ap.csv": transposed("system")}, "table ap.csv", ""),
    "systems in rows, without a name for them": Mistake({"ap.csv": transposed("")}, "table ap.csv", f"pass {BY_ROWS}"),
    "systems in rows, by another word": Mistake({"ap.csv": transposed("team")}, "table ap.csv", f"pass {BY_ROWS}"),
    "systems in rows, five topics in columns": Mistake(
        {"ap.csv": "\n".join(",".join(row.split(",")[:6]) for row in transposed("team").splitlines())},
        "table ap.csv",
        f"pass {BY_ROWS}",
        ({"ap.csv": wide(topics=TOPICS[:5])}, "table ap.csv"),
    ),
    "an item twice in a wide table": Mistake(
        {"ap.csv": wide(head="item", more=DOUBLED)},
        "table ap.csv",
        "item '301' appears twice.*pass (?P<add>--duplicates first)",
    ),
    "topics without a name for them": Mistake({"ap.csv": wide(head="")}, "table ap.csv", ""),
    "topics by another word": Mistake(
        {"ap.csv": wide(head="Otazka")}, "table ap.csv", "column 'Otazka' was taken for the topic"
    ),
    "row numbers saved with the table": Mistake(
        {"ap.csv": "\n".join(f"{at - 1 if at else ''},{row}" for at, row in enumerate(wide().splitlines()))},
        "table ap.csv",
        "",
    ),
    "no header": Mistake(
        {"ap.csv": wide().split("\n", 1)[1]}, "table ap.csv", "pass (?P<add>--no-header) if there is none", names=False
    ),
    "no header and no topics": Mistake(
        {"ap.csv": "\n".join(row.split(",", 1)[1] for row in wide().splitlines()[1:])},
        "table ap.csv",
        "pass (?P<add>--no-header) if there is none",
        names=False,
    ),
    "systems called by numbers": Mistake(
        {"ap.csv": "1,2,3,4\n" + "\n".join(row.split(",", 1)[1] for row in wide().splitlines()[1:])},
        "table ap.csv",
        "if it names the systems, add a first column called topic",
        edit=_write("ap.csv", wide(systems=list("1234"))),
        names=False,
    ),
    "topics by another word beside whole scores": Mistake(
        {"ap.csv": wide(head="nr", write=lambda score: f"{1000 * score + 1000:.0f}")},
        "table ap.csv",
        "pass (?P<add>--item-column nr)",
        ({"ap.csv": wide(write=lambda score: f"{1000 * score + 1000:.0f}")}, "table ap.csv"),
    ),
    "one system": Mistake(
        {"ap.csv": wide(systems=SYSTEMS[:1])},
        "table ap.csv",
        "at least two systems are needed to compare anything; there is only 'bm25'",
        edit=_write("ap.csv", wide()),
    ),
    "one topic": Mistake(
        {"ap.csv": wide(topics=TOPICS[:1])},
        "table ap.csv",
        "at least two topics are needed to compare anything; there is only '301'",
        edit=_write("ap.csv", wide()),
    ),
    "means without topics": Mistake(
        {"ap.csv": "model,score\n" + "".join(f"{name},0.{at}\n" for at, name in enumerate(SYSTEMS))},
        "table ap.csv",
        "means alone do not tell .*give a row for every system and topic",
        edit=_write("ap.csv", long()),
    ),
    "blanks behind names of topics": Mistake(
        {"ap.csv": wide(topics=[f"{topic} " for topic in TOPICS])}, "table ap.csv", ""
    ),
    # ------------------------------------------------------------------------------------------------- kind of file
    "an empty file": Mistake(
        {"ap.csv": ""}, "table ap.csv", "is empty; a table needs a header and rows", edit=_write("ap.csv", wide())
    ),
    "a header alone": Mistake(
        {"ap.csv": wide(topics=[])}, "table ap.csv", "it needs a row for every topic", edit=_write("ap.csv", wide())
    ),
    "a byte-order mark": Mistake({"ap.csv": b"\xef\xbb\xbf" + wide().encode()}, "table ap.csv", ""),
    "UTF-16": Mistake({"ap.csv": wide().encode("utf-16")}, "table ap.csv", f"save it as UTF-8{FILTER}"),
    "UTF-16 without a mark": Mistake(
        {"ap.csv": wide().encode("utf-16-le")}, "table ap.csv", f"save it as UTF-8{FILTER}"
    ),
    "Latin-1": Mistake(
        {"ap.csv": wide(head="thème").encode("latin-1")},
        "table ap.csv",
        r"save the file as UTF-8 \(for Western European text: (?P<filter>[^)]*)\)",
    ),
    "lines that end in CR": Mistake({"ap.csv": wide().replace("\n", "\r")}, "table ap.csv", ""),
    "lines that end in CR LF": Mistake({"ap.csv": wide().replace("\n", "\r\n")}, "table ap.csv", ""),
    "a zip archive": Mistake(
        {"ap.zip": zipped(**TABLE)},
        "table ap.zip",
        "is a zip archive and no log of inspect_ai; unpack it, and give what is in it",
        edit=lambda _found: zipfile.ZipFile("ap.zip").extractall() or "table ap.csv",
    ),
    "an Excel file": Mistake(
        {"ap.xlsx": zipped(xl__workbook="<x/>")},
        "table ap.xlsx",
        "is a spreadsheet; save it as CSV",
        edit=lambda found: _write("ap.csv", wide())(found) or "table ap.csv",
    ),
    "called .gz and not packed": Mistake(
        {"ap.csv.gz": wide()},
        "table ap.csv.gz",
        "named .gz but its content is not; rename it",
        edit=lambda _found: shutil.move("ap.csv.gz", "ap.csv") and "table ap.csv",
    ),
    "packed and not called .gz": Mistake({"ap.csv": gzip.compress(wide().encode())}, "table ap.csv", ""),
    "cut short": Mistake(
        {"ap.csv.gz": gzip.compress(wide().encode())[:-30]},
        "table ap.csv.gz",
        "cut short.*fetch it again",
        (TABLE, "table ap.csv"),
        edit=_write("ap.csv.gz", gzip.compress(wide().encode())),
    ),
    "JSON lines under other names": Mistake(
        {
            "ap.jsonl": "".join(
                json.dumps({"team": name, "topic": topic, "metric": "AP", "score": SCORES[at, place]}) + "\n"
                for at, topic in enumerate(TOPICS)
                for place, name in enumerate(SYSTEMS)
            )
        },
        "table ap.jsonl",
        "pass (?P<add>--system-column team)",
    ),
    "a folder for a file": Mistake({"scores/ap.csv": wide()}, "table scores", ""),
    "a slip in a file's name": Mistake(
        TABLE, "table app.csv", "(?P<wrong>app.csv): there is no such file; did you mean '(?P<instead>ap.csv)'"
    ),
    "a folder for the table of groups": Mistake(
        TABLE | {"teams/groups.csv": TEAMS["groups.csv"]},
        "table ap.csv --groups teams --group-column team",
        "this is a folder; name the table of groups",
        edit=_command("table ap.csv --groups teams/groups.csv --group-column team"),
    ),
    "a file for the folder of a report": Mistake(
        TABLE | {"report": "x"},
        "table ap.csv --out report",
        "'report' is a file; name a folder",
        edit=_command("table ap.csv --out other"),
    ),
    "a folder that is not empty": Mistake(
        TABLE | {"report/x.txt": "x"}, "table ap.csv --out report", "is not empty.*pass (?P<add>--overwrite)"
    ),
    # ------------------------------------------------------------------------------------------------------ options
    "a level in per cent": Mistake(
        TABLE,
        "table ap.csv --alpha 5",
        "not (?P<wrong>5)[.]0; write 5 % as (?P<instead>0.05)",
    ),
    "a seed below 0": Mistake(
        TABLE, "table ap.csv --seed -1", "from 0 to [0-9]*, such as (?P<instead>0), not (?P<wrong>-1)"
    ),
    "a slip in a test": Mistake(
        TABLE, "table ap.csv --test ttset", "no test '(?P<wrong>ttset)'; did you mean '(?P<instead>t)'"
    ),
    "a slip in a correction": Mistake(
        TABLE,
        "table ap.csv --correction holmes",
        "no correction '(?P<wrong>holmes)'; did you mean '(?P<instead>holm)'",
        (TABLE, "table ap.csv --correction holm"),
    ),
    "a slip in a command": Mistake(
        TABLE, "tabel ap.csv", "no command '(?P<wrong>tabel)'; did you mean '(?P<instead>table)'"
    ),
    "a slip in an option": Mistake(
        TABLE,
        "table ap.csv --basline bm25",
        "no option '(?P<wrong>--basline)'; did you mean (?P<instead>--baseline)",
        (TABLE, "table ap.csv --baseline bm25"),
    ),
    "an option of another command": Mistake(
        TABLE,
        "power ap.csv --baseline bm25",
        "no option '--baseline'; metaeval (?P<instead>table), ",
        (TABLE, "table ap.csv --baseline bm25"),
        edit=lambda found: f"{found['instead']} ap.csv --baseline bm25",
    ),
    "a slip in a baseline": Mistake(
        TABLE,
        "table ap.csv --baseline BM25",
        "no baseline '(?P<wrong>BM25)'; did you mean '(?P<instead>bm25)'",
        (TABLE, "table ap.csv --baseline bm25"),
    ),
    **{
        f"{what} {wrong} chosen for {right}": Mistake(
            TABLE,
            f"table ap.csv {option} {wrong}",
            rf"no [a-z]* '(?P<wrong>{wrong})'; did you mean '(?P<instead>[^']*)'",
            (TABLE, f"table ap.csv {option} {right}"),
        )
        for what, option, wrong, right in (
            ("a system", "--exclude-systems", "BM25", "bm25"),
            ("a topic", "--exclude-topics", "0301", "301"),
            ("a topic", "--exclude-topics", "301.0", "301"),
        )
    },
    **{
        f"{what} in other letters in a list": Mistake(
            TABLE | {"list.txt": f"{wrong}\n{more}\n"},
            f"table ap.csv {option} list.txt",
            "list.txt, line 1: no [a-z]* '(?P<old>[^']*)'; did you mean '(?P<new>[^']*)'",
            (TABLE | {"list.txt": f"{right}\n{more}\n"}, f"table ap.csv {option} list.txt"),
            edit=lambda found: _replace(found["old"], found["new"], "list.txt")(found),
        )
        for what, option, wrong, right, more in (
            ("a system", "--system-list", "BM25", "bm25", "lm"),
            ("a topic", "--topic-list", "0301", "301", "302\n303"),
        )
    },
    "a metric in other letters": Mistake(
        TABLE, "table ap.csv --metrics AP", "'(?P<wrong>AP)'; did you mean '(?P<instead>ap)'"
    ),
    "a metric that is not there": Mistake(
        {"err.csv": wide()},
        "table err.csv --lower-is-better AP",
        "no metric '(?P<wrong>AP)'; there is only '(?P<instead>err)'",
        ({"err.csv": wide()}, "table err.csv --lower-is-better err"),
    ),
    "topic sets beyond half the topics": Mistake(
        TABLE,
        "topics ap.csv --no-bayes --trials 20 --interval-resamples 0 --topic-sizes 30",
        "pass --topic-sizes (?P<instead>10)",
        (TABLE, "topics ap.csv --no-bayes --trials 20 --interval-resamples 0 --topic-sizes 10"),
        edit=lambda found: (
            f"topics ap.csv --no-bayes --trials 20 --interval-resamples 0 --topic-sizes {found['instead']}"
        ),
    ),
    "few items, and the sets that fit them": Mistake(
        {"b.csv": "\n".join(TASKS["b.csv"].replace("task", "x").splitlines()[:25])},
        "topics b.csv --ignore-column x --trials 20 --interval-resamples 0",
        "6 items are too few: disjoint item sets .* pass (?P<add>--topic-sizes 3)",
        (
            {"b.csv": "\n".join(TASKS["b.csv"].replace("task", "x").splitlines()[:25])},
            "topics b.csv --ignore-column x --trials 20 --interval-resamples 0 --topic-sizes 1-3",
        ),
        edit=lambda found: (
            f"topics b.csv --ignore-column x --trials 20 --interval-resamples 0 {found['add'].replace('3', '1-3')}"
        ),
    ),
    "a correction for family-wise p-values": Mistake(
        TABLE,
        "table ap.csv --test tukey --correction holm",
        "take no further correction, not 'holm'; leave --correction out",
        (TABLE, "table ap.csv --test tukey"),
        edit=_command("table ap.csv --test tukey"),
    ),
    "an option given twice": Mistake(
        TABLE,
        "table ap.csv --test sign --test t",
        "--test takes one value, and is given 2 times; give it once",
        edit=_command("table ap.csv --test t"),
    ),
    "a list given one by one": Mistake(
        TABLE,
        "power ap.csv --correction none --correction holm --test t --interval-resamples 0",
        "give all by comma, as in --correction A,B",
        (TABLE, "power ap.csv --correction none,holm --test t --interval-resamples 0"),
        edit=_command("power ap.csv --correction none,holm --test t --interval-resamples 0"),
    ),
    "a slip in a study file": Mistake(
        TABLE | {"study.toml": 'command = "table"\n[options]\ninputs = ["ap.csv"]\ncorection = "holm"\n'},
        "--study study.toml",
        "line 4: no option of table 'corection'; did you mean 'correction'",
        (TABLE, "table ap.csv --correction holm"),
        edit=_replace("corection", "correction", "study.toml"),
    ),
    "a slip in the command of a study file": Mistake(
        TABLE | {"study.toml": 'command = "tabel"\n[options]\ninputs = ["ap.csv"]\n'},
        "--study study.toml",
        "line 1: no command 'tabel'; did you mean 'table'",
        edit=_replace("tabel", "table", "study.toml"),
    ),
    # ------------------------------------------------------------------------------------------ groups and clusters
    "a column of groups without the table": Mistake(
        TABLE | TEAMS,
        "table ap.csv --group-column team",
        "--group-column does nothing without --groups; add that",
        edit=_command("table ap.csv --group-column team --groups groups.csv"),
    ),
    "groups in one of two columns": Mistake(
        TABLE | TEAMS, "table ap.csv --groups groups.csv", "such as (?P<add>--group-column team)"
    ),
    "groups without a header": Mistake(
        TABLE | {"groups.csv": "bm25,a\nlm,b\nrm3,b\ndense,c\n"},
        "table ap.csv --groups groups.csv",
        "add a first line that names the columns, such as (?P<first>system,group)",
        edit=lambda found: _replace("bm25,a", f"{found['first']}\nbm25,a", "groups.csv")(found),
    ),
    "a system without a group": Mistake(
        TABLE | {"groups.csv": "system,group\nBM25,a\nlm,b\nrm3,b\ndense,c\n"},
        "table ap.csv --groups groups.csv",
        "without a row: bm25; write '(?P<old>BM25)' as '(?P<new>bm25)', or add rows",
        edit=lambda found: _replace(found["old"], found["new"], "groups.csv")(found),
    ),
    **{
        f"topics of clusters with {what}": Mistake(
            TABLE | {"k.csv": "topic,cluster\n" + "".join(f"{form.format(one)},{int(one) % 5}\n" for one in TOPICS)},
            "table ap.csv --cluster-file k.csv",
            "without a row: 301, .*; write '(?P<old>[0.]*301[0.]*)' as '(?P<new>301)', or add rows",
            (
                TABLE | {"k.csv": "topic,cluster\n" + "".join(f"{one},{int(one) % 5}\n" for one in TOPICS)},
                "table ap.csv --cluster-file k.csv",
            ),
            edit=lambda found: _written_as(found, "k.csv"),
        )
        for what, form in (("zeros", "0{}"), ("a point", "{}.0"))
    },
    "two levels of clusters that are to be ignored": Mistake(
        TABLE | {"k.csv": "topic,cluster,kind\n" + "".join(f"{t},{int(t) % 5},{int(t) % 5 // 3}\n" for t in TOPICS)},
        "table ap.csv --cluster-file k.csv --cluster-column cluster --cluster-column kind --clusters ignore",
        "--clusters ignore leaves nothing of two levels; leave --cluster-column out",
        edit=lambda _found: "table ap.csv --cluster-file k.csv --clusters ignore",
    ),
    "a test that knows no clusters": Mistake(
        TASKS,
        "table b.csv --test wilcoxon",
        "use (?P<add>--test t) ",
        (TASKS, "table b.csv --test t"),
        edit=lambda found: f"table b.csv {found['add']}",
    ),
    "clusters replaced by their means": Mistake(
        TASKS,
        "table b.csv --test wilcoxon",
        "in the items' place .(?P<add>--clusters means)",
        (TASKS, "table b.csv --test wilcoxon --clusters means"),
    ),
    "clusters that do not matter": Mistake(
        TASKS,
        "topics b.csv --no-bayes --trials 20 --interval-resamples 0",
        "error rate of item sets: .*ignore them .(?P<add>--clusters ignore)",
        (TASKS, "topics b.csv --no-bayes --trials 20 --interval-resamples 0 --clusters ignore"),
    ),
    # ----------------------------------------------------------------------------------------- runs and judgments
    "runs without judgments": Mistake(
        RUNS,
        "table a.run b.run --metrics AP",
        "a run in TREC format.*give its judgments too .(?P<add>--qrels)",
        (RUNS, "table a.run b.run --metrics AP --qrels qrels.txt"),
        edit=lambda found: f"table a.run b.run --metrics AP {found['add']} qrels.txt",
    ),
    "judgments as scores": Mistake(
        RUNS,
        "table qrels.txt --metrics AP",
        "give runs as the inputs, and this file as the judgments .(?P<add>--qrels)",
        (RUNS, "table a.run b.run --metrics AP --qrels qrels.txt"),
        edit=lambda found: f"table a.run b.run --metrics AP {found['add']} qrels.txt",
    ),
    "a run and judgments swapped": Mistake(
        RUNS,
        "score qrels.txt --qrels a.run --metrics AP",
        "a.run: this is a run .*exchange the two",
        (RUNS, "score a.run --qrels qrels.txt --metrics AP"),
        edit=_command("score a.run --qrels qrels.txt --metrics AP"),
    ),
    "judgments among the runs": of_run(
        "qrels.txt: this is a file of judgments.*a run .* should stand here; give a run",
        command="score a.run qrels.txt --qrels qrels.txt --metrics AP",
        edit=_command(SCORED),
    ),
    "scores as judgments": Mistake(
        TABLE | RUNS,
        "table a.run --qrels ap.csv --metrics AP",
        "if this is a table of scores, give it alone, without judgments",
        edit=_command("table ap.csv"),
    ),
    "scores as runs": Mistake(
        TABLE | RUNS,
        "table ap.csv --qrels qrels.txt --metrics AP",
        "if this is a table of scores, give it alone, without judgments",
        edit=_command("table ap.csv"),
    ),
    "a run of five columns": of_run(f"add the column tag{FILTER}", line="{topic} Q0 {document} {rank} {score}"),
    "a run of four columns": of_run(f"add the columns Q0 and tag{FILTER}", line="{topic} {document} {rank} {score}"),
    "a run of three columns": of_run(f"add the columns Q0, rank and tag{FILTER}", line="{topic} {document} {score}"),
    **{
        f"a run whose {what}": of_run(f"add the column.*{FILTER}", line=line, head=head)
        for what, line, head in (
            ("third column is a rank", "{topic} {document} {rank}", ""),
            ("ranks begin at 0", "{topic} {document} {before}", ""),
            ("scores fall to 1", "{topic} {document} {falling}", ""),
            ("ranks stand before its documents", "{topic}\t{rank}\t{document}", ""),
            ("third column is a rank before a tag", "{topic} {document} {rank} {tag}", ""),
            ("third column is a score before a tag", "{topic} {document} {score} {tag}", ""),
            ("second column is the document", "{topic} {document} {rank} {score} {tag}", ""),
            ("scores are not there", "{topic} Q0 {document} {rank} {tag}", ""),
            ("ranks are not there", "{topic} Q0 {document} {score} {tag}", ""),
            ("columns are divided by commas, with a header", "{topic},{document},{rank}", "qid,docno,rank\n"),
            ("lines end in CR LF", "{topic} {document} {rank} {score}\r", ""),
            ("lines are apart", "{topic} {document} {rank} {score}\n", ""),
        )
    },
    **{
        f"a run whose documents are numbers, and whose third column is a {what}": of_run(
            f"add the columns.*{FILTER}", line=f"{{topic}} {{number}} {{{what}}}", files=NUMBERED
        )._replace(right=(RUNS | NUMBERED | {"a.run": RUNS["a.run"].replace("D", "")}, SCORED))
        for what in ("rank", "score")
    },
    "a run whose lines end in CR": of_run(
        f"add the columns.*{FILTER}",
        files={"a.run": run("a", 1, "{topic} {document} {rank} {score}").replace("\n", "\r")},
    ),
    **{
        f"a run of three columns packed by {program}": Mistake(
            {**RUNS, f"a.run{ending}": pack(run("a", 1, "{topic} {document} {rank}").encode())},
            f"score a.run{ending} b.run --qrels qrels.txt --metrics AP",
            f"add the columns.*{FILTER}",
            SAME_RUNS,
            edit=lambda found: _filtered("a.run", found["filter"]) or SCORED,
        )
        for program, ending, pack in (("gzip", ".gz", gzip.compress), ("xz", ".xz", lzma.compress))
    },
    "a run under a name for no shell": Mistake(
        {**RUNS, "it's a; run": run("a", 1, "{topic} {document} {rank}")},
        'score "it\'s a; run" b.run --qrels qrels.txt --metrics AP',
        rf"add the columns.*{FILTER}",
        SAME_RUNS,
        names=False,
    ),
    "a run with one line of other columns": of_run(
        "line 2: a line must have 6 columns [^(]*[(][^)]*[)], and this one has fewer; the line is '301 D99 5'$",
        files={"a.run": run("a", 1).replace("\n", "\n301 D99 5\n", 1)},
        edit=_write("a.run", run("a", 1)),
    ),
    "a run with commas": of_run(f"divide columns by blanks{FILTER}", line="{topic},Q0,{document},{rank},{score},{tag}"),
    "a run with a header": of_run(
        f"leave out the header{FILTER}",
        line="{topic} Q0 {document} {rank} {score} {tag}",
        head="qid Q0 docno rank score tag\n",
    ),
    "a run with tabs": of_run("", line="{topic}\tQ0\t{document}\t{rank}\t{score}\t{tag}"),
    "ranks for scores": of_run(
        "scores rise from the first rank on.*to take the runs' own ranks use (?P<add>--order rank)",
        line="{topic} Q0 {document} {rank} {rank} {tag}",
    ),
    "equal scores": of_run(
        "have tied scores .*To keep the runs' own order use (?P<add>--order rank)",
        line="{topic} Q0 {document} {rank} {same} {tag}",
    ),
    "judgments of three columns": of_run(
        f"add the column iteration{FILTER}", files={"qrels.txt": qrels("{topic} {document} {level}")}
    ),
    "judgments with a header": of_run(
        f"leave out the header{FILTER}", files={"qrels.txt": qrels(head="topic iter doc rel\n")}
    ),
    "judgments with commas": of_run(
        f"divide columns by blanks{FILTER}", files={"qrels.txt": qrels("{topic},0,{document},{level}")}
    ),
    "judgments as BEIR has them": of_run(
        f"leave out the header and add the column iteration{FILTER}",
        files={"qrels.txt": qrels("{topic}\t{document}\t{level}", head="query-id\tcorpus-id\tscore\n")},
    ),
    "judgments with points": of_run("", files={"qrels.txt": qrels("{topic} 0 {document} {level}.0")}),
    "negative judgments": of_run(
        "documents at negative levels count as pooled but not judged.*give them level 0",
        files={"qrels.txt": qrels().replace(" 0\n", " -2\n")},
        edit=_write("qrels.txt", qrels()),
    ),
    "topics with a letter in the judgments": of_run(
        f"take 'q' off those of the qrels{FILTER}", files={"qrels.txt": qrels(topics=[f"q{one}" for one in TOPICS])}
    ),
    "documents before the iteration in the judgments": of_run(
        rf"seem to be exchanged; write topic, iteration, document, relevance{FILTER}",
        files={"qrels.txt": qrels("{topic} {document} 0 {level}")},
    ),
    "topics with zeros in the judgments": of_run(
        f"take '00' off those of the qrels{FILTER}", files={"qrels.txt": qrels(topics=[f"00{one}" for one in TOPICS])}
    ),
    "topics with a letter in the runs": of_run(
        f"put 'q' before those of the qrels{FILTER}",
        files={name: re.sub("^", "q", RUNS[name], flags=re.MULTILINE).removesuffix("q") for name in ("a.run", "b.run")},
    ),
    **{
        f"topics that the runs write {what}": Mistake(
            {
                **{f"{one}.run": in_runs(run(one, at + 1)) for at, one in enumerate("ab")},
                "qrels.txt": in_qrels(RUNS["qrels.txt"]),
            },
            SCORED,
            rf"{words}.* \((?P<filter>(sed|awk) .*)\)$",
            SAME_RUNS,
        )
        for what, in_runs, in_qrels, words in (
            ("without a zero", str, with_topics("0{}"), "no topic in common: .*take '0' off those of"),
            ("with a point and a zero", with_topics("{}.0"), str, "no topic in common: .*put '.0' behind those of"),
            ("without a point and a zero", str, with_topics("{}.0"), "no topic in common: .*take '.0' off those of"),
            ("in capitals", with_topics("Q{}"), with_topics("q{}"), "no topic in common"),
            ("in small letters", with_topics("q{}"), with_topics("Q{}"), "no topic in common"),
            ("from 1 on", with_topics("{less}"), with_topics("{less:02d}"), "9 topics differently, such as '1' in the"),
            (
                "from 01 on",
                with_topics("{less:02d}"),
                with_topics("{less}"),
                "9 topics differently, such as '01' in the",
            ),
            ("from 001 on", with_topics("{less:03d}"), with_topics("{less}"), "no topic in common"),
        )
    },
    "documents under other names": of_run(
        "no run retrieves any judged document .'XD0' is one that is judged.: documents are matched by their identifier",
        files={"qrels.txt": qrels("{topic} 0 X{document} {level}")},
        edit=_write("qrels.txt", qrels()),
    ),
    "two runs with one tag": of_run(
        "2 runs have the tag 'b' and are named by their files", files={"a.run": run("b", 1)}
    ),
    "no judgments under this name": of_run(
        "(?P<wrong>qrel.txt): there is no such file; did you mean '(?P<instead>qrels.txt)'",
        command=SCORED.replace("qrels.txt", "qrel.txt"),
    ),
    "nDCG without its sign": of_run(
        "no metric '(?P<wrong>NDCG10)'; did you mean '(?P<instead>nDCG@10)'", command=SCORED.replace("AP", "NDCG10")
    )._replace(right=(RUNS, SCORED.replace("AP", "nDCG@10"))),
    "P without its sign": of_run(
        "no metric '(?P<wrong>P10)'; did you mean '(?P<instead>P@10)'", command=SCORED.replace("AP", "P10")
    )._replace(right=(RUNS, SCORED.replace("AP", "P@10"))),
    "a metric as trec_eval calls it": of_run("", command=SCORED.replace("AP", "ndcg_cut_10"))._replace(
        right=(RUNS, SCORED.replace("AP", "nDCG@10"))
    ),
    "a metric in small letters": of_run("", command=SCORED.replace("AP", "map")),
    # ----------------------------------------------------------------------------------------------- several files
    "two tables of one name": Mistake(
        {"a/ap.csv": wide(), "b/ap.csv": wide()},
        "table a/ap.csv b/ap.csv",
        "or name what they hold: (?P<inputs>a=a/ap.csv b=b/ap.csv)",
        ({"a.csv": wide(), "b.csv": wide()}, "table a.csv b.csv"),
        edit=lambda found: f"table {found['inputs']}",
    ),
    "tables of other topics": Mistake(
        {"ap.csv": wide(), "rr.csv": wide(topics=TOPICS[:15])},
        "table ap.csv rr.csv",
        "pass (?P<add>--missing drop-topics) to keep the 15 topics",
        ({"ap.csv": wide(topics=TOPICS[:15]), "rr.csv": wide(topics=TOPICS[:15])}, "table ap.csv rr.csv"),
    ),
    **{
        f"{what} written otherwise in one table": Mistake(
            {"ap.csv": wide(), "rr.csv": other},
            f"table ap.csv rr.csv {options}",
            "ap.csv writes [a-z]* '(?P<new>[^']*)' and rr.csv '(?P<old>[^']*)'.*write them alike",
            ({"ap.csv": wide(), "rr.csv": wide()}, f"table ap.csv rr.csv {options}"),
            edit=lambda found: _written_as(found, "rr.csv"),
        )
        for what, other, options in (
            ("topics with zeros", wide(topics=[f"0{one}" for one in TOPICS]), ""),
            ("topics with a point", wide(topics=[f"{one}.0" for one in TOPICS]), "--missing zero"),
            ("a system in capitals", wide(systems=["BM25", *SYSTEMS[1:]]), ""),
            ("a system in capitals, to be dropped,", wide(systems=["BM25", *SYSTEMS[1:]]), "--missing drop-systems"),
        )
    },
    "tables of other collections": Mistake(
        {"ap.csv": wide(), "rr.csv": wide(topics=[f"9{one}" for one in TOPICS])},
        "table ap.csv rr.csv",
        "read collections one at a time$",
        edit=_command("table ap.csv"),
    ),
    # ------------------------------------------------------------------------------------------------------- judges
    "labels that say no and yes": Mistake(
        {"labels.csv": labels(("low", "high"))},
        JUDGES,
        "labels are words that say no and yes: low 0; high 1",
        ({"labels.csv": labels()}, JUDGES),
    ),
    "questions that repeat beside a running number": Mistake(
        {"labels.csv": numbered_labels("Nr,Frage")},
        JUDGES,
        "where each is an item of its own, pass (?P<add>--column item=Nr --column topic=Frage)",
        ({"labels.csv": numbered_labels("item,topic")}, JUDGES),
    ),
    "judges that are asked for as such": Mistake(
        {"judged.csv": judged("judge")},
        "components judged.csv",
        "pass (?P<add>--metric-column judge --judges); or",
        ({"judged.csv": judged("metric")}, "components judged.csv --judges"),
    ),
    "judges that stand for repeats": Mistake(
        {"judged.csv": judged("judge")},
        "components judged.csv",
        "or (?P<add>--repeat-column judge) if each score",
        ({"judged.csv": judged("repeat")}, "components judged.csv"),
    ),
    "labels in words": Mistake(
        {"labels.csv": labels(("partial", "full"))},
        JUDGES,
        "give each its grade .(?P<add>--word partial=0 --word full=1)",
        ({"labels.csv": labels()}, JUDGES),
    ),
    "labels in words with blanks": Mistake(
        {"labels.csv": long_labels(("partially relevant", "highly relevant"))},
        JUDGES,
        "give each its grade .(?P<add>--word 'partially relevant=0' --word 'highly relevant=1')",
        ({"labels.csv": long_labels()}, JUDGES),
    ),
    "two judges of one name": Mistake(
        {"a/q.txt": qrels(), "b/q.txt": qrels(seed=1)},
        "judges a/q.txt b/q.txt --reference a --resamples 20",
        "two files are called 'q'; name the judges: (?P<inputs>a=a/q.txt b=b/q.txt)",
        ({"a": qrels(), "b": qrels(seed=1)}, "judges a b --reference a --resamples 20"),
        edit=lambda found: f"judges {found['inputs']} --reference a --resamples 20",
    ),
    "an item identified by two columns": Mistake(
        {
            "h.csv": (
                items := "system,seg,doc,human,bleu\n"
                + "".join(f"s{i},{j % 3},{j // 3},{(i * j) % 7},{(i + j) % 5}\n" for i in range(4) for j in range(6))
            )
        },
        "human h.csv --reference human --item seg --item doc --resamples 20",
        "--item-column takes one value, and is given 2 times; give all by comma",
        ({"h.csv": items}, "human h.csv --reference human --item seg,doc --resamples 20"),
        edit=_command("human h.csv --reference human --item seg,doc --resamples 20"),
    ),
    # ----------------------------------------------------------------------------------------------- leaderboards
    **{
        f"a requirement written {wrong}": Mistake(
            TABLE,
            f"{BOARD} --require '{wrong}'",
            "such as '(?P<instead>[^']*)', not '(?P<wrong>[^']*)'",
            (TABLE, f"{BOARD} --require '{right}'"),
        )
        for wrong, right in {
            "lm>=bm25-0.05": "lm >= bm25 - 0.05",
            "lm >= bm25 - 0,05": "lm >= bm25 - 0.05",
        }.items()
    },
    "a top of more systems than there are": Mistake(
        TABLE,
        f"{BOARD} --top 99",
        r"--top must be a whole number from 1 to (?P<most>\d) \(systems\), not 99",
        (TABLE, f"{BOARD} --top 4"),
        edit=lambda found: f"{BOARD} --top {found['most']}",
    ),
    "systems in the rows of a long table": Mistake(
        LONG,
        "table ap.csv --systems-in rows",
        "--systems-in is about a wide table, and this is read as a long one; leave it out",
        (LONG, "table ap.csv"),
        edit=_command("table ap.csv"),
    ),
}
BY_TWO = [
    *(("a", "b", "left", "left"), ("a", "b", "right", "left"), ("b", "c", "left", "tie"), ("c", "b", "left", "")),
    *(("c", "a", "right", "right"), ("a", "c", "right", "left")),
]
"""Left, right, and what two people say, one of whom skipped a question."""
HUMAN = "human h.csv --reference human --resamples 20"
TURNED = ",a,b,c,d\nhuman,1,2,4,3\nBLEU,20,31,30,35\nchrF,.3,.4,.6,.5\n"
IN_PAIRS = "SYSTEM,LP,human,bleu\n" + "".join(
    f"{name},{pair},{(3 * at) % 5 + at / 7},{at % 4 + at / 9}\n"
    for at, (name, pair) in enumerate([*((name, "de-en") for name in "abcdo"), *((name, "zh-en") for name in "oxy")])
)
IN_SETS = "split,doc,system,human,bleu\n" + "".join(
    f"{part},{doc},{name},{(i * doc + at) % 7},{(i + doc + at) % 5}\n"
    for part, names in (("abs", "abcd"), ("ext", "dxyz"))
    for i, name in enumerate(names)
    for at, doc in enumerate((3, 4, 6))
)
BY_OTHER_WORDS = {"h.csv": items.replace("seg", "xx").replace("doc", "yy")}
NAMED_SEG = ({"h.csv": items.replace("doc", "yy")}, f"{HUMAN} --item seg,yy")
VOTED = "left,right,winner,seg\n" + "".join(
    f"s{i},s{j},{('left', 'right')[k == i]},{k}\n" for i in range(4) for j in range(i) for k in range(6)
)
RANKS = [(1, 2, 3), (2, 1, 3), (1, 1, 2), (3, 1, 2), (1, 3, 2), (2, 3, 1)]
RANKED = {
    "ranks.csv": "item,rank_a,rank_b,rank_c\n" + "".join(f"q{n},{a},{b},{c}\n" for n, (a, b, c) in enumerate(RANKS))
}
OF_MEANS = "model,acc,acc_stderr\n" + "".join(f"{name},7{at}.7,2.5\n" for at, name in enumerate(SYSTEMS))
ON_A_BOARD = "".join(f"| {line} |\n" for line in _as_markdown(OF_MEANS))
MEANS = {
    "v1.csv": "model,acc,acc_stderr\nm1,0.7,0.01\nm2,0.6,0.01\nm3,0.5,0.01\n",
    "v2.csv": "model,acc,acc_stderr\nm1,0.6,0.01\nm2,0.7,0.01\nm3,0.4,0.01\n",
}
GAINS = "from metaeval.metrics import Quantisation\nsame = Quantisation('same', lambda levels: 1.0 * levels)\n"
MINE = "from metaeval import metric\n@metric(name='Mine')\ndef mine(topic):\n    'Half.'\n    return 0.5\n"
_LEFT = SCORES - SCORES.mean(axis=0) - SCORES.mean(axis=1, keepdims=True) + SCORES.mean()
VARIANCE = float((_LEFT**2).sum() / (19 * 3))
"""What is left of the scores after systems and topics."""
SEGMENTS = [(name, [score(at, n) for n in range(3)]) for at, name in enumerate(("a", "b", "c"))]
PAIR = {f"results/{name}": text for name, text in TEXTS["mt-metrics-eval"].make().items()}
STUDY = (
    'command = "score"\n[options]\ninputs = ["a.run", "b.run"]\nqrels = "qrels.txt"\nmetrics = ["Mine"]\n'
    'plugin = ["mine.py"]\n'
)
SUM = f'"mine.py" = "{hashlib.sha256(MINE.encode()).hexdigest()}"'
MISTAKES |= {
    # ------------------------------------------------------------------------------------------- options of commands
    "an audit of scores": Mistake(
        TABLE | RUNS,
        "agree ap.csv --audit nDCG@10",
        "--audit asks about the grades of judgments: give runs and --qrels, not a table",
        (RUNS, "agree a.run b.run --qrels qrels.txt --audit nDCG@10"),
        edit=_command("agree a.run b.run --qrels qrels.txt --audit nDCG@10"),
    ),
    "an analysis of variance of nobody knows how many": Mistake(
        TABLE,
        "design --variance 0.01 --difference 0.1 --method anova",
        "say how many by --systems",
        (TABLE, "design --variance 0.01 --difference 0.1 --method anova --systems 4"),
        edit=_command("design --variance 0.01 --difference 0.1 --method anova --systems 4"),
    ),
    "a variance of no scores, whose components are known": Mistake(
        TABLE,
        "design --variance residual --difference 0.1",
        "give INPUTS, or a number, or --from-components",
        (TABLE, f"design --variance {VARIANCE!r} --difference 0.1 --method t,interval"),
        edit=_after("components ap.csv --out noise", "design --from-components noise --difference 0.1"),
    ),
    "a metric that is lower by its name alone": Mistake(
        {"perplexity.csv": wide()},
        "table perplexity.csv",
        "lower is better under perplexity, by name; pass (?P<add>--higher-is-better perplexity) if it is not",
    ),
    "boards of other collections": Mistake(
        {"ap.csv": wide(), "rr.csv": wide(topics=[f"9{one}" for one in TOPICS])},
        "table ap.csv rr.csv",
        "two boards are compared by metaeval agree --boards",
        (
            {"ap.csv": wide(head="item"), "rr.csv": long(topics=[f"9{one}" for one in TOPICS])},
            "agree ap.csv rr.csv --boards",
        ),
        edit=_command("agree ap.csv rr.csv --boards"),
    ),
    "boards of means without --boards": Mistake(
        MEANS,
        "agree v1.csv v2.csv",
        "two are compared by metaeval (?P<command>agree v1.csv v2.csv --boards)",
        (MEANS, "agree v1.csv v2.csv --boards"),
        edit=lambda found: found["command"],
    ),
    "one board of means where two are compared": Mistake(
        MEANS,
        "agree v1.csv --aggregates mean,Borda",
        "give the scores, or compare two boards",
        (MEANS, "agree v1.csv v2.csv --boards"),
        edit=_command("agree v1.csv v2.csv --boards"),
    ),
    "a board of means without errors": Mistake(
        MEANS | {"v2.csv": "model,acc\nm1,0.6\nm2,0.7\nm3,0.4\n"},
        "agree v1.csv v2.csv --boards",
        "or add their standard errors, acc_stderr, for ranks by metaeval leaderboard or agree --boards",
        (MEANS, "agree v1.csv v2.csv --boards"),
        edit=_write("v2.csv", MEANS["v2.csv"]),
    ),
    "gains alone to be checked": Mistake(
        {"mine.py": GAINS},
        "check-metric mine.py --collections 2",
        "name a metric that uses them with --metrics",
        ({"mine.py": GAINS}, "check-metric --collections 2 --metrics 'nDCG(gains=same)' mine.py"),
        edit=_command("check-metric mine.py --metrics 'nDCG(gains=same)' --collections 2"),
    ),
    "an audit of what leaves nothing open": Mistake(
        RUNS,
        "agree a.run b.run --qrels qrels.txt --audit ERR",
        "or compare the metrics as they are, with metaeval agree --metrics",
        (RUNS, "agree a.run b.run --qrels qrels.txt --metrics ERR,P@5"),
        edit=_command("agree a.run b.run --qrels qrels.txt --metrics ERR,P@5"),
    ),
    "an item of a folder that names its own": Mistake(
        PAIR,
        "human results --tasks pearson:item:none --item seg",
        "leave it out, or give the folder of a pair without --tasks",
        (
            {
                "h.csv": "system,seg,mqm,chrF\n"
                + "".join(f"{s},{at},{one},{one}\n" for s, own in SEGMENTS for at, one in enumerate(own))
            },
            "human h.csv --reference mqm --item seg --resamples 20",
        ),
        edit=_command("human results/metric-scores/en-de --reference mqm --resamples 20"),
    ),
    "human scores that nobody names": Mistake(
        {"h.csv": items},
        "human h.csv --item seg,doc --resamples 20",
        "say which column holds the human scores, such as --reference human",
        ({"h.csv": items}, f"{HUMAN} --item seg,doc"),
        edit=_command(f"{HUMAN} --item seg,doc"),
    ),
    "clusters of items that nobody names": Mistake(
        BY_OTHER_WORDS,
        f"{HUMAN} --cluster yy",
        "no column names them; name it with --item-column",
        ({"h.csv": items.replace("doc", "yy")}, f"{HUMAN} --item seg,yy --cluster yy"),
        edit=_command(f"{HUMAN} --cluster yy --item xx,yy"),
    ),
    "tasks on items that nobody names": Mistake(
        BY_OTHER_WORDS,
        f"{HUMAN} --tasks pearson:item:none",
        "no column names them; name it with --item-column, or leave",
        ({"h.csv": items.replace("doc", "yy")}, f"{HUMAN} --item seg,yy --tasks pearson:item:none"),
        edit=_command(f"{HUMAN} --tasks pearson:item:none --item xx,yy"),
    ),
    "systems of two language pairs": Mistake(
        {"h.csv": IN_PAIRS},
        HUMAN,
        r"rows of 14: choose one \((?P<add>--where LP=de-en)\)",
        ({"h.csv": IN_PAIRS.split("o,zh")[0]}, HUMAN + " --where LP=de-en"),
    ),
    "metrics and people in rows, systems in columns": Mistake(
        {"h.csv": TURNED},
        HUMAN,
        r"rows are 'human', 'BLEU' and 'chrF', .*write a row a system \((?P<filter>awk '[^']*')\)",
        ({"h.csv": "system,human,BLEU,chrF\na,1,20,.3\nb,2,31,.4\nc,4,30,.6\nd,3,35,.5\n"}, HUMAN),
        edit=lambda found: _filtered("h.csv", found["filter"]) or HUMAN,
    ),
    "documents of two sets": Mistake(
        {"h.csv": IN_SETS},
        HUMAN,
        r"'split' distinguishes such rows: choose one \((?P<add>--where split=abs)\)",
        ({"h.csv": "\n".join(line for line in IN_SETS.split("\n") if "ext" not in line)}, f"{HUMAN} --where split=abs"),
    ),
    "tasks on means of systems": Mistake(
        {"h.csv": "system,human,bleu\na,1,2\nb,2,1\nc,3,4\nd,4,3\n"},
        f"{HUMAN} --tasks pearson:item:none",
        "or leave --tasks out",
        ({"h.csv": "system,human,bleu\na,1,2\nb,2,1\nc,3,4\nd,4,3\n"}, HUMAN),
        edit=_command(HUMAN),
    ),
    "votes beside items that nobody names": Mistake(
        {"h.csv": items.replace("seg", "xx").replace("doc", "yy"), "v.csv": VOTED},
        "human h.csv v.csv",
        "no column names them; name it .--item-column",
        ({"h.csv": items.replace("doc", "yy"), "v.csv": VOTED}, "human h.csv v.csv --item seg,yy"),
        edit=_command("human h.csv v.csv --item xx,yy"),
    ),
    "a column of sets in other letters": Mistake(
        {"h.csv": items},
        f"{HUMAN} --item seg --set-column DOC --tasks pearson:item:none",
        "no column 'DOC' says which set a row belongs to .--set-column",
        ({"h.csv": items}, f"{HUMAN} --item seg --set-column doc --tasks pearson:item:none"),
        edit=_command(f"{HUMAN} --item seg --set-column doc --tasks pearson:item:none"),
    ),
    "a slip in the role of a column": Mistake(
        {"labels.csv": long_labels()},
        f"{JUDGES} --column juge=judge",
        "no role of a column .--column ROLE=NAME. '(?P<wrong>juge)'; did you mean '(?P<instead>judge)'",
        ({"labels.csv": long_labels()}, JUDGES),
        edit=_command(f"{JUDGES} --column judge=judge"),
    ),
    "annotations without people": Mistake(
        {
            f"{name}.json": json.dumps(
                {f"{name}{n}": {f"d{at}": int((at + n) % 3 > 0) for at in range(40)} for n in range(n_own)}
            )
            for name, n_own in (("people", 3), ("bot", 1))
        },
        "judges people.json bot.json",
        "name the people with --people, one by one or by their file: people, bot",
        (
            {
                f"{name}.json": json.dumps(
                    {f"{name}{n}": {f"d{at}": int((at + n) % 3 > 0) for at in range(40)} for n in range(n_own)}
                )
                for name, n_own in (("people", 3), ("bot", 1))
            },
            "judges people.json bot.json --people people0,people1,people2",
        ),
        edit=_command("judges people.json bot.json --people people"),
    ),
    "a file of scores that is there": of_run(
        "exists already; pass (?P<add>--overwrite)", files={"out.csv": "x"}, command=f"{SCORED} --scores out.csv"
    ),
    "a metric of one's own without its file": Mistake(
        RUNS | {"mine.py": MINE},
        SCORED.replace("AP", "Mine"),
        "a metric of your own needs the file that defines it: add (?P<add>--plugin) FILE.py",
        (RUNS | {"mine.py": MINE}, f"{SCORED.replace('AP', 'Mine')} --plugin mine.py"),
        edit=lambda found: f"{SCORED.replace('AP', 'Mine')} {found['add']} mine.py",
    ),
    "a study with a program": Mistake(
        RUNS | {"mine.py": MINE, "study.toml": f"{STUDY}[checksums]\n{SUM}\n"},
        "--study study.toml",
        "if you trust it add (?P<add>--trust) behind the study",
        (RUNS | {"mine.py": MINE}, f"{SCORED.replace('AP', 'Mine')} --plugin mine.py"),
    ),
    "a study with a program and no checksum": Mistake(
        RUNS | {"mine.py": MINE, "study.toml": STUDY},
        "--study study.toml",
        'if you trust it write the line (?P<sum>"mine.py" = "[0-9a-f]*") below .checksums.',
        (RUNS | {"mine.py": MINE}, f"{SCORED.replace('AP', 'Mine')} --plugin mine.py"),
        edit=lambda found: (
            _write("study.toml", f"{STUDY}[checksums]\n{found['sum']}\n")(found) or "--study study.toml --trust"
        ),
    ),
    # ------------------------------------------------------------------------------------------ as spreadsheets write
    **{
        f"a German header, {what}": Mistake(
            {"ap.csv": wide(sep=";", head=head, write=lambda score: f"{score:.3f}".replace(".", ","))},
            "table ap.csv",
            f"has a decimal comma; write '0.130'{FILTER}",
        )
        for what, head in (("Thema", "Thema"), ("Frage", "Frage"))
    },
    "German columns": Mistake(
        {"ap.csv": long("Verfahren;Frage;Maß;Wert", "{system};{topic};AP;{score:.3f}").replace(".", ",")},
        "table ap.csv",
        f"has a decimal comma; write '0.130'{FILTER}",
    ),
    "a German header that is no known word": Mistake(
        {"ap.csv": wide(head="Anfrage").replace("Anfrage", "Vorgang")},
        "table ap.csv",
        "pass (?P<add>--item-column Vorgang)|column 'Vorgang' was taken for the topic",
    ),
    **{
        f"{yes} and {no}": Mistake(
            {"ap.csv": wide(write=lambda score, said=(no, yes): said[int(score > CUT)])},
            "table ap.csv",
            rf"is a word for a score; write 1 for {yes.lower()} and 0 for {no.lower()}.*\((?P<filter>sed -E '[^']*')\)",
            ({"ap.csv": wide(write=lambda score: str(int(score > CUT)))}, "table ap.csv"),
        )
        for yes, no in (
            ("yes", "no"),
            ("ja", "nein"),
            ("TRUE", "FALSE"),
            ("WAHR", "FALSCH"),
            ("✓", "✗"),
            ("C", "I"),
            ("resolved", "unresolved"),
            ("solved", "timeout"),
        )
    },
    **{
        f"scores written as {written.format(0.13)}": Mistake(
            {"ap.csv": wide(write=written.format)}, "table ap.csv", rf"{says} \((?P<filter>sed -E '[^']*')\)"
        )
        for written, says in (
            ("{:.3f} pts", "has a unit; write '0.130'"),
            ("~{:.3f}", "has a sign for about; write '0.130'"),
            ("{:.3f}/5", "is a share of 5; write '0.130'"),
            ("({:.3f})", "is in brackets; .*as in accounts, or '0.130'"),
        )
    },
    "scores in words of a scale": Mistake(
        {"ap.csv": wide(write=lambda score: ("poor", "fair", "good")[int(score > CUT) + int(score > 2 * CUT)])},
        "table ap.csv",
        r"write the grades of these words of a scale \(.*\), in every column with \((?P<filter>sed -E '[^']*')\)",
        (
            {"ap.csv": wide(write=lambda score: str(int(score > CUT) + int(score > 2 * CUT)))},
            "table ap.csv",
        ),
    ),
    "scores below 0, as accounts write them": Mistake(
        {"ap.csv": wide(write=lambda score: f"({score:.3f})" if score > CUT else f"{score:.3f}")},
        "table ap.csv",
        r"is in brackets; write '-[0-9.]+' \((?P<filter>sed -E '[^']*')\)",
        ({"ap.csv": wide(write=lambda score: f"{-score if score > CUT else score:.3f}")}, "table ap.csv"),
    ),
    "scores below 0, with a minus sign": Mistake(
        {"ap.csv": wide(write="\N{MINUS SIGN}{:.3f}".format)},
        "table ap.csv",
        "",
        ({"ap.csv": wide(write="-{:.3f}".format)}, "table ap.csv"),
    ),
    **{
        f"teams called as {teams[0]}": Mistake(
            {"ap.csv": long("team,topic,AP", "{system},{topic},{score:.3f}", systems=teams)},
            "table ap.csv",
            "pass (?P<add>--system-column team) if .* names the systems",
            ({"ap.csv": wide(systems=teams)}, "table ap.csv"),
        )
        for teams in (SYSTEMS, [f"{at}x.org" for at in range(len(SYSTEMS))])
    },
    "ends of intervals below numbered folds": Mistake(
        {"ap.csv": wide(head="fold", topics=FOLDS, more="95% CI lower,.1,.2,.3,.4\n95% CI upper,.2,.3,.4,.5\n")},
        "table ap.csv",
        r"take these rows out, if they sum up the others \((?P<filter>sed -E '[^']*')\)",
        ({"ap.csv": wide(head="fold", topics=FOLDS)}, "table ap.csv"),
    ),
    "a header of merged cells": Mistake(
        {"ap.csv": MERGED.replace("topic,a x,a y,b x", ",a,,b\ntopic,x,y,x")},
        "table ap.csv",
        r"has no name; name it in the header, or join it with the line below \((?P<filter>awk '[^']*')\)",
        ({"ap.csv": MERGED}, "table ap.csv"),
    ),
    "errors that annotators marked": Mistake(
        {
            "ap.csv": "system\tseg_id\trater\tcategory\tseverity\n"
            + "".join(
                f"{name}\t{at}\tr\tx\t{('No-error', 'Minor', 'Major')[(at * way) % 3]}\n"
                for at in range(9)
                for way, name in enumerate("ab", start=1)
            )
        },
        "table ap.csv",
        r"add up weights of the errors by system and segment, .* \((?P<filter>awk '[^']*')\)",
        (
            {
                "ap.csv": "system\titem\tMQM\n"
                + "".join(
                    f"{name}\t{at}\t{(0, 1, 5)[(at * way) % 3]}\n"
                    for at in range(9)
                    for way, name in enumerate("ab", start=1)
                )
            },
            "table ap.csv",
        ),
    ),
    "a row of means without a name": Mistake(
        {"ap.csv": wide(more=f",{','.join(map(str, SCORES.mean(axis=0)))}\n")},
        "table ap.csv",
        "left out topic '', the mean of all others",
    ),
    "scores with errors behind them": Mistake(
        {"ap.csv": "model,acc\n" + "".join(f"{name},7{at}.7 ± 2.5\n" for at, name in enumerate(SYSTEMS))},
        BOARD,
        r"is a number with its error; write '70.7' in this column and '2.5' in one of its own, .* with _stderr .*"
        r"\((?P<filter>sed -E '[^']*')\)",
        (
            {"ap.csv": "model,acc,acc_stderr\n" + "".join(f"{name},7{at}.7,2.5\n" for at, name in enumerate(SYSTEMS))},
            BOARD,
        ),
    ),
    "means with deviations behind them, as their header says": Mistake(
        {
            "ap.csv": "model,count,mean ± std\n"
            + "".join(f"{name},25,7{at}.7 ± 12.5\n" for at, name in enumerate(SYSTEMS))
        },
        BOARD,
        r"is a number with its error; write '70.7' .* \((?P<filter>sed -E '[^']*')\)",
        (
            {
                "ap.csv": "model,n,acc,acc_stderr\n"
                + "".join(f"{name},25,7{at}.7,2.5\n" for at, name in enumerate(SYSTEMS))
            },
            BOARD,
        ),
    ),
    "scores with standard errors, of items by a name that nobody knows": Mistake(
        {
            "ap.csv": "ap,ap_se,q,sys\n"
            + "".join(
                f"{SCORES[at, place]:.3f},0.020,{topic},{name}\n"
                for at, topic in enumerate(TOPICS)
                for place, name in enumerate(SYSTEMS)
            )
        },
        "table ap.csv",
        r"if 'q' names items, call it 'item' \((?P<add>--item-column q) for a file\)",
    ),
    "per cents of answers beside their counts": Mistake(
        {
            "ap.csv": "agent,passed,failed,total,rate\n"
            + "".join(f"{name},{18 + at},{22 - at},40,{(18 + at) / 0.4:.1f}%\n" for at, name in enumerate(SYSTEMS))
        },
        BOARD,
        r"write '45.0' \((?P<filter>sed '[^']*')\) if all are per cents",
        (
            {
                "ap.csv": "model,n,acc,acc_stderr\n"
                + "".join(
                    f"{name},40,{(18 + at) / 0.4},{100 * ((18 + at) * (22 - at)) ** 0.5 / 40**1.5}\n"
                    for at, name in enumerate(SYSTEMS)
                )
            },
            BOARD,
        ),
    ),
    "per cents with errors behind them, as in LaTeX": Mistake(
        {
            "ap.csv": "model,acc,f1\n"
            + "".join(f"{name},$7{at}.7\\pm2.5$,6{at}.1% ± 1.5%\n" for at, name in enumerate(SYSTEMS))
        },
        BOARD,
        r"is a number with its error; write '70.7' .* \((?P<filter>sed -E '[^']*')\)",
        (
            {
                "ap.csv": "model,acc,acc_stderr,f1,f1_stderr\n"
                + "".join(f"{name},7{at}.7,2.5,6{at}.1,1.5\n" for at, name in enumerate(SYSTEMS))
            },
            BOARD,
        ),
    ),
    "scores with errors behind them, and a gap": Mistake(
        {
            "ap.csv": "model;acc;f1\nlow;-;30,1 ± 1,5\n"
            + "".join(f"{name};7{at},7 (2,5);6{at},1 ± 1,5\n" for at, name in enumerate(SYSTEMS))
        },
        f"{BOARD} --missing drop-systems",
        r"is a number with its error; .* \((?P<filter>sed -E '[^']*')\)",
        (
            {
                "ap.csv": "model,acc,acc_stderr,f1,f1_stderr\nlow,,,30.1,1.5\n"
                + "".join(f"{name},7{at}.7,2.5,6{at}.1,1.5\n" for at, name in enumerate(SYSTEMS))
            },
            f"{BOARD} --missing drop-systems",
        ),
    ),
    "an error of one metric that is not there": Mistake(
        {
            "ap.csv": "Modell,LC (%),LC Standardfehler,Rate,Standardfehler\nlow,40.1,,30.1,1.5\n"
            + "".join(f"{name},7{at}.7,2.5,6{at}.1,1.5\n" for at, name in enumerate(SYSTEMS))
        },
        f"{BOARD} --metrics Rate",
        "the cell is empty; fill it in, or pass (?P<add>--missing drop-systems) to leave a system out under",
        (
            {
                "ap.csv": "model,Rate,Rate_stderr\nlow,30.1,1.5\n"
                + "".join(f"{name},6{at}.1,1.5\n" for at, name in enumerate(SYSTEMS))
            },
            f"{BOARD} --metrics Rate",
        ),
    ),
    "two numbers that could be behind deviations": Mistake(
        {
            "ap.csv": "model,acc,acc_std,n_questions,n_seeds\n"
            + "".join(f"{name},7{at}.7,25,100,5\n" for at, name in enumerate(SYSTEMS))
        },
        BOARD,
        "'n_questions', 'n_seeds' could be it; rename the one that is to 'n'",
        (
            {
                "ap.csv": "model,acc,acc_stderr,n\n"
                + "".join(f"{name},7{at}.7,2.5,100\n" for at, name in enumerate(SYSTEMS))
            },
            BOARD,
        ),
        edit=_replace("n_questions", "n"),
    ),
    "a mean that is not there": Mistake(
        {
            "ap.csv": "model,acc,acc_stderr\nlow,-,-\n"
            + "".join(f"{name},7{at}.7,2.5\n" for at, name in enumerate(SYSTEMS))
        },
        BOARD,
        "the cell holds '-'; fill it in, or pass (?P<add>--missing drop-systems) to leave a system out under each",
        (
            {"ap.csv": "model,acc,acc_stderr\n" + "".join(f"{name},7{at}.7,2.5\n" for at, name in enumerate(SYSTEMS))},
            BOARD,
        ),
    ),
    "winners and losers": Mistake(
        {
            "v.csv": "winner,loser\n"
            + "".join(f"{name},lm\n{name},rm3\n" for name in ("bm25", "dense"))
            + "lm,bm25\nrm3,dense\n"
        },
        "votes v.csv",
        "",
        (
            {
                "v.csv": "left,right,verdict\n"
                + "".join(f"{name},lm,left\n{name},rm3,left\n" for name in ("bm25", "dense"))
                + "lm,bm25,left\nrm3,dense,left\n"
            },
            "votes v.csv",
        ),
    ),
    **{
        f"votes of colleagues in columns, for {asked}": Mistake(
            {
                "v.csv": "Frage,left,right,Anna,Ben\n"
                + "".join(f"q{at},{left},{right},{one},{two}\n" for at, (left, right, one, two) in enumerate(BY_TWO))
            },
            f"{asked} v.csv",
            r"Anna and Ben hold a vote of one person each; call them voter_1 and so on \((?P<filter>awk '[^']*')\)",
            (
                {
                    "v.csv": "question,voter,left,right,winner\n"
                    + "".join(
                        f"q{at},{name},{left},{right},{winner}\n"
                        for at, (left, right, *winners) in enumerate(BY_TWO)
                        for name, winner in zip(("voter_1", "voter_2"), winners, strict=True)
                        if winner
                    )
                },
                "votes v.csv",
            ),
            edit=lambda found: _filtered("v.csv", found["filter"]) or "votes v.csv",
        )
        for asked in ("votes", "judges")
    },
    "ranks of systems as labels": Mistake(
        RANKED,
        "judges ranks.csv --resamples 20",
        r"are called as systems with their ranks, and no labels; write each pair as a vote \((?P<filter>awk '[^']*')\)",
        (
            {
                "v.csv": "left,right,winner,question\n"
                + "".join(
                    f"{one},{other},{'left' if row[at] < row[to] else 'right' if row[at] > row[to] else 'tie'},q{n}\n"
                    for n, row in enumerate(RANKS)
                    for at, one in enumerate("abc")
                    for to, other in enumerate("abc")
                    if at < to
                )
            },
            "votes v.csv",
        ),
        edit=lambda found: _filtered("ranks.csv", found["filter"]) or "votes ranks.csv",
    ),
    "a table within a text": Mistake(
        {"board.md": f"# Results\n\nWe ran 4 models.\n\n{ON_A_BOARD}\nMore, later.\n"},
        "look board.md",
        "nothing was read; why, and (?P<filter>what to do), is said above",
        ({"ap.csv": OF_MEANS}, BOARD),
        edit=lambda _found: _as_look_says("board.md"),
    ),
    "human scores in a column of any name": Mistake(
        {"h.csv": items.replace("human", "y1", 1)},
        "human h.csv --item seg,doc --resamples 20",
        r"say which column holds the human scores \((?P<add>--reference)\)",
        ({"h.csv": items}, f"{HUMAN} --item seg,doc"),
        edit=lambda found: f"human h.csv --item seg,doc --resamples 20 {found['add']} y1",
    ),
    "decimal commas in one row": Mistake(
        {
            "ap.csv": "\n".join(
                row.replace(".", ",") if at == 3 else row for at, row in enumerate(wide(sep=";").splitlines())
            )
        },
        "table ap.csv",
        f"line 4: column 'bm25', row '303': '0,194' has a decimal comma; write '0.194'{FILTER}",
    ),
    # ------------------------------------------------------------------------------ tables that hold no scores of items
    "probabilities beside what is true": Mistake(
        {"p.csv": numbered("y_true,prob_lr,prob_xgb", TRUE, *CHANCES)},
        "table p.csv",
        rf"of each row the score is 1 where it is right, else 0; {IN_PLACE}",
        ({"p.csv": numbered("lr,xgb", *RIGHT)}, "table p.csv"),
    ),
    "labels that were predicted, beside the true ones": Mistake(
        {"p.csv": numbered("y_true,y_pred_lr,y_pred_xgb", TRUE, *CLASSES)},
        "table p.csv",
        rf"of each row the score is 1 where it is right, else 0; {IN_PLACE}",
        ({"p.csv": numbered("lr,xgb", *RIGHT)}, "table p.csv"),
    ),
    "classes that were predicted, in words, beside the gold ones": Mistake(
        {
            "p.csv": "id,text,label,pred_lr,pred_xgb\n"
            "1,a,tech,tech,sports\n2,b,sports,sports,sports\n3,c,tech,sports,tech\n"
        },
        "table p.csv",
        rf"of each row the score is 1 where it is right, else 0; {IN_PLACE.replace('y_true', 'label')}",
        ({"p.csv": "id,lr,xgb\n1,1,0\n2,1,1\n3,0,1\n"}, "table p.csv"),
    ),
    "numbers that were predicted, beside the true ones": Mistake(
        {"p.csv": "id,y_true,y_pred_lr,y_pred_xgb\n1,2.5,2,4\n2,3,3.5,3.25\n3,1,1,2\n4,2,1,2.5\n"},
        "table p.csv",
        rf"of each row the score is minus its distance from the truth; {IN_PLACE}",
        ({"p.csv": "id,lr,xgb\n1,-0.5,-1.5\n2,-0.5,-0.25\n3,0,-1\n4,-1,-0.5\n"}, "table p.csv"),
    ),
    "listeners of a test of voices": Mistake(
        {"mos.csv": f"listener,sample,condition,score\n{HEARD}"},
        "table mos.csv",
        "pass (?P<add>--system-column condition --repeat-column listener)",
        HEARD_BY_ALL,
    ),
    "listeners beside systems that somebody named": Mistake(
        {"mos.csv": f"listener,sample,condition,score\n{HEARD}"},
        "table mos.csv --system-column condition",
        "pass (?P<add>--repeat-column listener) to take what they said of one thing as repeats",
        HEARD_BY_ALL,
    ),
    "a row a listener and sample": Mistake(
        {
            "mos.csv": "listener,sample,old,new\n"
            + "".join(f"L{n},s{at},{n + at},{2 * n + at % 3}\n" for n in (0, 2) for at in range(6))
        },
        "table mos.csv",
        "pass (?P<add>--duplicates mean) for their means",
        (
            {"mos.csv": "sample,old,new\n" + "".join(f"s{at},{1 + at},{2 + at % 3}\n" for at in range(6))},
            "table mos.csv",
        ),
    ),
    "the course of a training": Mistake(
        {"c.csv": "model,epoch,acc\n" + "".join(f"{m},{n},{0.5 + n / 20}\n" for m in "ab" for n in range(1, 7))},
        "leaderboard c.csv --resamples 100",
        r"runs of a system .seeds. give the mean with its standard error .columns system, mean and stderr. to",
        ({"c.csv": "model,acc,acc_stderr\na,0.8,0.01\nb,0.7,0.02\n"}, "leaderboard c.csv --resamples 100"),
        edit=_write("c.csv", "system,mean,stderr\na,0.8,0.01\nb,0.7,0.02\n"),
    ),
}
BY_HAND = {
    "documents under other names": "nothing tells which part of an identifier is to go",
    "an Excel file": "no program of the package writes CSV from it",
}
"""Mistakes whose message has the rule and the value, and no way out that a program could follow; and why."""
MOST_BY_HAND = 5


# ---------------------------------------------------------------------------------------------- following the advice


def _a_file_each():
    for name in SYSTEMS:
        text = long("topic,metric,score", "{topic},AP,{score:.3f}", systems=SYSTEMS)
        rows = text.splitlines()[1:][SYSTEMS.index(name) :: len(SYSTEMS)]
        Path(f"{name}.csv").write_text("\n".join(["topic,metric,score", *rows]), encoding="utf-8")
    return f"table {' '.join(f'{name}.csv' for name in SYSTEMS)}"


def _filtered(name, command):
    """Send a file through a shell filter; the filter may name it."""
    place = Path(name)
    done = subprocess.run(["sh", "-c", command], input=place.read_bytes(), capture_output=True, check=True)  # noqa: S607 - our own advice
    place.write_bytes(done.stdout)


def _as_look_says(name):
    """Do what metaeval look says of a file until it can be read, a filter at a time; return the command of means."""
    for _ in range(3):
        sys.argv = ["metaeval", "look", name]
        with contextlib.redirect_stdout(io.StringIO()) as said:
            main()
        if not (told := re.search(r"^sed .*> (\S+)$", said.getvalue(), re.MULTILINE)):
            break
        subprocess.run(["sh", "-c", told[0]], check=True)  # noqa: S607 - our own advice
        name = told[1]
    return re.search("metaeval (leaderboard .*)", said.getvalue())[1] + " --resamples 100"


def _followed(command, found, mistake):
    """Do what a message says, as its groups have it; return the command line that follows."""
    said = found.groupdict()
    if mistake.edit is not None:
        return mistake.edit(found) or command
    if said.get("filter"):
        name = re.search(r"Error: ([^:,\n]+)(?:, line \d+)?: ", found.string)[1]
        _filtered(name, said["filter"])
    if said.get("line"):
        name = re.search(r"Error: ([^:,\n]+), line \d+: ", found.string)[1]
        rows = Path(name).read_text(encoding="utf-8").splitlines()
        del rows[int(said["line"]) - 1]
        Path(name).write_text("\n".join(rows) + "\n", encoding="utf-8")
    if said.get("instead"):
        assert command.count(said["wrong"]) == 1
        command = command.replace(said["wrong"], said["instead"])
    for option in ("rule", "duplicates"):
        if said.get(option):
            command += f" --{option.replace('rule', 'missing')} {said[option]}"
    return f"{command} {said.get('add') or ''}"


def unboxed(error):
    """Return a usage error without the box around it."""
    return re.sub(r"\s*\n[│╰╭─ ]*", " ", error).replace("│", "").strip()


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def ask(monkeypatch, capsys):
    """Return a function that runs a command line with --json."""

    def run_it(command):
        monkeypatch.setattr(sys, "argv", ["metaeval", *shlex.split(command), "--json"])
        capsys.readouterr()
        code = main()
        return Ended(code, *capsys.readouterr())

    return run_it


def _place(files, folder, monkeypatch):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    monkeypatch.chdir(folder)


LABELS = {"metric", "system", "random_source", "pair", "marks", "letter", "name", "judge", "reference"}


def _figures(ended, *, names):
    """Return the numbers of an answer by system, whatever metrics are called."""
    assert ended.code == 0, ended.err
    rows = json.loads(ended.out)["results"]
    hidden = LABELS - {"system"} if names else LABELS
    rows = [{key: value for key, value in row.items() if key not in hidden} for row in rows]
    return sorted(rows, key=lambda row: (str(row.get("system")), -float(row.get("mean") or 0.0)))


def _same(one, other, scale):
    if isinstance(one, float) and isinstance(other, float):
        return np.isclose(one, other, rtol=1e-9) or np.isclose(one, scale * other, rtol=1e-9)
    return one == other


@pytest.mark.parametrize("name", MISTAKES)
def test_advice_followed_to_the_letter_gives_the_right_answer(name, ask, tmp_path, monkeypatch):
    """The message says what is wrong and what to do; who does so gets the figures of the clean data."""
    mistake = MISTAKES[name]
    _place(mistake.files, tmp_path / "wrong", monkeypatch)
    ended = ask(mistake.command)
    said = unboxed(ended.err)
    found = re.search(mistake.says, said if "such option" in said or "such command" in said else ended.err.strip())
    assert found, ended.err
    assert "Traceback" not in ended.err
    assert "in Python" not in ended.err
    assert "`" not in ended.err
    command = _followed(mistake.command, found, mistake) if found[0] else mistake.command
    answer = ask(command)
    _place(mistake.right[0], tmp_path / "right", monkeypatch)
    names = mistake.names
    given, right = (_figures(one, names=names) for one in (answer, ask(mistake.right[1])))
    assert len(given) == len(right)
    for one, other in zip(given, right, strict=True):
        assert one.keys() == other.keys()
        for key in one:
            assert _same(one[key], other[key], mistake.scale), (key, one, other)


def _table(folder, text):
    path = folder / "ap.csv"
    path.write_text(text, encoding="utf-8")
    return path


CALLS = {
    "a column by another name": (long("team,topic,metric,score"), {}, "pass `(?P<way>columns={'system': 'team'})`"),
    "a row twice": (wide(more=DOUBLED), {}, "pass `(?P<way>duplicates='first')`"),
    "systems in rows": (transposed(""), {}, "pass `(?P<way>systems_in='rows')`"),
    "a slip in a rule": (wide(), {"duplicates": "frst"}, "did you mean '(?P<word>first)'"),
    "a slip in a form": (wide(), {"form": "wid"}, "did you mean '(?P<word>wide)'"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_changed_as_its_error_says_gives_the_right_scores(name, tmp_path):
    """In Python the way out is an argument, as it is written in a call."""
    text, given, says = CALLS[name]
    path = _table(tmp_path, text)
    with pytest.raises(MetaevalError, match=says) as caught:
        read_scores(path, **given)
    found = re.search(says, str(caught.value)).groupdict()
    argument, _, value = (found.get("way") or "").partition("=")
    said = {argument: ast.literal_eval(value)} if argument else {next(iter(given)): found["word"]}
    scores = read_scores(path, **said)
    np.testing.assert_array_equal(scores.sel(system=SYSTEMS)[0], SCORES.T)


def test_scores_in_clusters_are_read_as_the_error_says(tmp_path):
    """The call in the message is one, and what it returns is taken."""
    scores = read_scores(_table(tmp_path, TASKS["b.csv"]))
    for kind in ("means", "ignore"):
        with pytest.raises(MetaevalError, match=rf"`with_clusters\(scores, '{kind}'\)`"):
            wilcoxon_test(scores)
        assert wilcoxon_test(with_clusters(scores, kind)).to_frame()["p_value"].notna().all()


def test_there_are_a_hundred_and_few_that_only_a_person_can_mend():
    """What cannot be followed by a program is listed with its reason."""
    assert len(MISTAKES) >= 100
    assert BY_HAND.keys() <= MISTAKES.keys()
    assert len(BY_HAND) <= MOST_BY_HAND
