r"""The LaTeX of every table of every command's report compiles, whatever systems and judges are called.

Needs pdfLaTeX and LuaLaTeX with booktabs and longtable (Debian: texlive-latex-recommended, texlive-luatex).
"""

import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

import metaeval
from metaeval.page.latex import escape_latex, table_latex
from metaeval.page.report import Report

HOSTILE = ["a_b%&#{}~^\\", "\"q\" `b` ''s'' --x-- $x$ <[*]>|", "l" + "ong" * 40, "é ß Øre κ₂ Σ²"]
UNICODE = ["日本 🙂", "مرحبا", "\u202egnp", *HOSTILE[:1]]
RICHER = {
    "power": "scores.csv other.csv --test t --interval-resamples 2",
    "agree": "scores.csv other.csv --test t --interval-resamples 2",
    "compare-tests": "scores.csv --test t --splits 2",
    "table letters": "scores.csv other.csv",
    "table groups": "scores.csv --marks groups --lower-is-better scores",
    "report of runs": "made/runs --qrels made/qrels.txt --metrics AP,P@10 --test t --interval-resamples 2 --no-topics",
    "leaderboard of families": "scores.csv --groups groups.csv --resamples 40",
    "judges of runs": "ann=made/qrels.txt ben=second.txt --runs made/runs --resamples 20 --metrics AP,nDCG@5",
    "assessment of runs": "inex/assessments --runs inex/submissions --log log.csv",
    "reliability of runs": "inex/assessments inex/submissions --metrics nxCG(quant=Gen5)@5",
}
"""Lines that have more tables than the quickest of a command, or take less time for the same ones."""


def missing(program):
    """Say what to install where a program, or the packages that tables need, are absent."""
    if shutil.which(program) is None:
        return f"{program} is not installed (Debian: texlive-latex-recommended, texlive-luatex)"
    words = [shutil.which("kpsewhich") or "kpsewhich", "booktabs.sty", "longtable.sty"]
    found = subprocess.run(words, capture_output=True, text=True, check=False)
    return "" if len(found.stdout.split()) == 2 else "LaTeX's booktabs or longtable is not installed"


def compiled(program, pieces, folder):
    """Compile pieces of LaTeX in one document, and return the errors in each, by its name."""
    why = missing(program)
    if why:
        pytest.skip(why)
    inside = "\n".join(f"\\typeout{{PIECE {place}}}\n{piece}\\clearpage" for place, piece in enumerate(pieces.values()))
    document = f"\\documentclass{{article}}\n\\usepackage{{booktabs,longtable}}\n\\begin{{document}}\n{inside}\n"
    (folder / "all.tex").write_text(f"{document}\\end{{document}}\n", encoding="utf-8")
    ended = subprocess.run(
        [program, "-interaction=nonstopmode", "-draftmode", "all.tex"], cwd=folder, capture_output=True, check=False
    )
    written = ended.stdout.decode("utf-8", errors="replace")
    errors = {}
    for name, part in zip(pieces, re.split(r"^PIECE \d+\s*$", written, flags=re.MULTILINE)[1:], strict=True):
        if found := re.findall(r"^!.*", part, flags=re.MULTILINE):
            errors[name] = found
    assert ended.returncode == 0 or errors, written[-2000:]
    return errors


@pytest.fixture
def world(tmp_path, nonsense):
    """Make the inputs of every command, with names that LaTeX would obey or not know."""
    nonsense.make_world(tmp_path)
    names = dict(zip("wxyz", HOSTILE, strict=True))
    for file, renamed in (("scores", names), ("other", names), ("labels", {"ann": HOSTILE[0], "ben": HOSTILE[1]})):
        path = tmp_path / f"{file}.csv"
        pd.read_csv(path).rename(columns=renamed).to_csv(path, index=False)
    pd.read_csv(tmp_path / "votes.csv").replace(names).to_csv(tmp_path / "votes.csv", index=False)
    for file, column in (("human", "system"), ("groups", "run")):
        path = tmp_path / f"{file}.csv"
        frame = pd.read_csv(path)
        frame.assign(**{column: frame[column].map(names)}).replace({"a": "t_%&", "b": "#{}"}).to_csv(path, index=False)
    for run, name in zip(sorted((tmp_path / "made" / "runs").iterdir()), HOSTILE, strict=True):
        rows = [line.split()[:-1] for line in run.read_text().splitlines()]
        run.write_text("".join(f"{' '.join(row)} {re.sub(r'\s', '.', name)}\n" for row in rows))
    lines = (tmp_path / "made" / "qrels.txt").read_text().splitlines()
    other = [f"{line[:-1]}0" if place % 7 == 0 else line for place, line in enumerate(lines)]
    (tmp_path / "second.txt").write_text("\n".join(other))
    return nonsense.FAST


@pytest.mark.filterwarnings("ignore")
def test_every_table_of_every_command_compiles(world, command, tmp_path, monkeypatch):
    """With pdfLaTeX in its oldest encoding of fonts, and no other package than the two that tables name."""
    if why := missing("pdflatex"):
        pytest.skip(why)
    shown = []
    monkeypatch.setattr("metaeval.page.terminal.show_report", lambda report, _console: shown.append(report))
    monkeypatch.setattr(Report, "save", lambda self, *_, **__: shown.append(self))
    pieces = {}
    for name, line in (world | RICHER).items():
        if name.startswith("simulate"):
            continue
        words = line.replace("--baseline w", f"--baseline {HOSTILE[0]}").split()
        if "--out" in words:
            words[words.index("--out") + 1] = f"new-{len(pieces)}"
        ended = command(name.split()[0], *words, "--quiet")
        assert ended.code == 0, (name, ended.err)
        pieces |= {f"{name}: {one.name}": table_latex(one) for one in shown.pop().tables()}
    assert len(pieces) > 80
    assert compiled("pdflatex", pieces, tmp_path) == {}


def test_letters_of_any_script_compile_with_lualatex(tmp_path):
    """A long table too; a font that lacks a letter is the reader's affair, and no error."""
    made = {name: {str(topic): (topic * place % 7) / 7 for topic in range(5)} for place, name in enumerate(UNICODE, 1)}
    made |= {f"s{place}": made[UNICODE[0]] for place in range(50)}
    pieces = {
        "long": metaeval.study_table({"AP": made}, correction="none").to_latex(),
        "short": metaeval.study_table({"AP": made}, baseline=UNICODE[0], top=3).to_latex(),
    }
    assert "longtable" in pieces["long"]
    assert "longtable" not in pieces["short"]
    assert compiled("lualatex", pieces, tmp_path) == {}


def test_every_letter_of_our_own_compiles(tmp_path):
    """What the package's own words hold, pdfLaTeX knows: Greek letters, indices, arrows."""
    folder = Path(metaeval.__file__).parent
    written = "".join(path.read_text("utf-8") for path in (*folder.rglob("*.py"), *folder.glob("*.toml")))
    letters = sorted({letter for letter in written if ord(letter) > 126})
    assert len(letters) > 40
    assert compiled("pdflatex", {letter: f"{escape_latex(letter)}\n" for letter in letters}, tmp_path) == {}
