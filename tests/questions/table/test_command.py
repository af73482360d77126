"""`metaeval table`: from files to the table in every form."""

import csv
import io

import pytest

from metaeval.io.tables import write_scores
from metaeval.simulate.scores import simulate_scores


@pytest.fixture
def file(tmp_path):
    """Write scores of five systems."""
    return write_scores(simulate_scores(n_systems=5, n_topics=30, metrics=["AP", "P@10"], rng=2), tmp_path / "s.csv")


def test_every_form_is_the_one_table(command, file):
    """LaTeX, Markdown, HTML and CSV alone on standard output, with the same marks; the terminal and JSON beside."""
    base = ("table", file, "--baseline", "system1", "--correction", "holm", "--quiet")
    forms = {form: command(*base, f"--{form}") for form in ("latex", "markdown", "html", "csv", "json")}
    assert {form: ended.code for form, ended in forms.items()} == dict.fromkeys(forms, 0)
    rows = forms["json"].json()["results"]
    marks = [row["marks"] for row in rows]
    assert set(marks) > {"†"}
    assert forms["latex"].out.startswith("% Needs \\usepackage{booktabs}\n")
    assert forms["latex"].out.count("\\textsuperscript{$\\dagger$}") == marks.count("†")
    assert forms["markdown"].out.count("<sup>†</sup>") == forms["html"].out.count(">†</sup>") == marks.count("†")
    assert forms["latex"].out.count("\\textbf") == forms["html"].out.count("<b>") == forms["markdown"].out.count("| **")
    table = list(csv.DictReader(io.StringIO(forms["csv"].out)))
    assert list(table[0]) == ["system", "AP", "AP marks", "P@10", "P@10 marks"]
    for row in table:
        told = {one["metric"]: one for one in rows if one["system"] == row["system"]}
        assert {metric: float(row[metric]) for metric in told} == {metric: one["mean"] for metric, one in told.items()}
        assert {metric: row[f"{metric} marks"] for metric in told} == {name: one["marks"] for name, one in told.items()}
    plain = command(*base)
    assert plain.out.startswith("Which systems differ significantly from system1?\n2 metrics, 5 systems, 30 topics")
    assert "over the 4 pairs with system1 under each metric" in " ".join(plain.out.split())


def test_the_page(command, file, tmp_path):
    """The table, its files, the pairs behind a fold, methods with sources."""
    ended = command("table", file, "--marks", "groups", "--out", "page", "--quiet")
    assert ended.code == 0, ended.err
    page = (tmp_path / "page" / "index.html").read_text()
    assert "<b>0." in page
    assert ">a</sup></td>" in page
    assert "10 differences" not in page
    assert "20 differences" in page
    assert "Piepho" in page
    assert "Benjamini" in page
    assert (tmp_path / "page" / "tables" / "means.tex").exists()
    assert (tmp_path / "page" / "data" / "pairs.csv.gz").exists()


def test_the_page_on_power_has_the_table(command, file, tmp_path):
    """With letters over all pairs, under the correction that decides there."""
    command("power", file, "--test", "t", "--out", "page", "--quiet")
    written = (tmp_path / "page" / "tables" / "means.tex").read_text()
    assert "Benjamini--Yekutieli over all 10 pairs under each metric" in written
    alone = command("table", file, "--correction", "by", "--latex", "--quiet")
    assert alone.out == written


def test_a_baseline_that_is_not_there_is_named(command, file):
    """With its neighbours."""
    ended = command("table", file, "--baseline", "system9")
    assert ended.code == 2
    assert "system1" in ended.err
    assert command("table", file, "--baseline", "system1", "--test", "tukey").code == 2
