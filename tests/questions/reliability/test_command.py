# ruff: noqa: RUF001 - typographic dashes are what people see
"""`metaeval reliability`: tables, JSON and a report from INEX files."""

import re

import pytest

from metaeval.base.words import share
from metaeval.inex.ordered_runs import RELIABILITY_RUNS
from metaeval.inex.simulation import simulate_inex
from metaeval.questions.reliability.study import study_reliability


@pytest.fixture(scope="module")
def made():
    """Make a small campaign of 2005."""
    return simulate_inex(
        year=2005, n_systems=3, n_topics=3, n_documents=80, n_results=50, relevant_documents=10, rng=4, published=False
    )


@pytest.fixture
def folder(made, tmp_path):
    """Write it."""
    return made.write_collection(tmp_path / "made")


def test_the_answer_as_json(command, made, folder):  # noqa: ARG001 - writes the files
    """Values, ranks and verdicts are those of the study on the same data."""
    name = "nxCGpercent(quant=gen)"
    words = ("reliability", "made/assessments", "made/submissions", "--element-sizes", "made/sizes.txt")
    rows = command(*words, "--metrics", name, "--json").json()["results"]
    study = study_reliability(made.assessments, made.submissions, metrics=name, sizes=made.sizes)
    found = {row["run"]: row["value"] for row in rows if row["kind"] == "simulated"}
    assert found == pytest.approx(study.runs.set_index("run")["value"].to_dict(), abs=1e-9)
    assert {row["run"] for row in rows if row["kind"] == "submitted"} == {one.run for one in made.submissions}
    assert next(row["met"] for row in rows if row["expectation"] == "ideal") is True


def test_the_answer_in_words_and_as_a_page(command, made, folder, tmp_path):  # noqa: ARG001 - writes the files
    """The terminal shows values, ranks, overlap and verdicts, the page more."""
    said = command("reliability", "made/assessments", "--element-sizes", "made/sizes.txt").out
    rows = [re.split(r"\s{2,}", line.strip()) for line in said.splitlines()]
    study = study_reliability(made.assessments, sizes=made.sizes)
    for quantisation, part in study.runs.groupby("quantisation"):
        assert f"The six runs under {quantisation}" in said
        for name, own in part.groupby("run"):
            values = [cell for row in own.to_dict("records") for cell in (f"{row['value']:.4f}", str(row["rank"]))]
            assert [name, f"{own['results'].iloc[0]:.1f}", share(own["overlap"].iloc[0]), *values] in rows
    for row in study.verdicts.to_dict("records"):
        kept = f"{row['preferences'] - row['broken']} of {row['preferences']}"
        verdict = "met" if row["met"] else "not met"
        assert [row["metric"], row["expectation"], verdict, kept, row["first_broken"].replace(">=", "≥") or "–"] in rows
    for name, words in RELIABILITY_RUNS.items():
        assert [name, words] in rows
    assert re.search(r"ideal\s+Rank the ideal run at least as high as every other", said)
    assert re.search(
        r"overlap\s+Keep the order of Kazai et al. by overlap, whatever these runs overlap: irb ≥ lo", said
    )
    assert "ideal and overlap: Kazai, Lalmas and de Vries (2004), section 3.3." in " ".join(said.split())
    assert re.search(r"not met\s+\d of 5\s+irb ≥ frb", said)
    words = (
        "reliability",
        "made/assessments",
        "made/submissions",
        "--element-sizes",
        "made/sizes.txt",
        "--out",
        "page",
    )
    ended = command(*words)
    assert (ended.code, ended.out) == (0, "Report written: open page/index.html\n")
    assert "Rank of irb" in command(*words[:-2]).out
    assert command(*words).code == 2
    assert command(*words, "--overwrite").code == 0
    assert "Submitted runs: all 3 under" in (tmp_path / "page" / "index.html").read_text()


def test_expectations_of_ones_own(command, made, folder, tmp_path):  # noqa: ARG001 - writes the files
    """Each is a row under every metric with its verdict, in JSON, on the terminal and on the page."""
    words = ("reliability", "made/assessments", "--element-sizes", "made/sizes.txt")
    words += ("--metrics", "nxCGpercent(quant=gen),inex2002(quant=gen)", "--expect", "irb>ao,frb>irb", "--expect")
    words += ("ao>=lo>id",)
    rows = command(*words, "--json").json()["results"]
    study = study_reliability(
        made.assessments, metrics=["nxCGpercent(quant=gen)", "inex2002(quant=gen)"], sizes=made.sizes
    )
    values = study.runs.set_index(["metric", "run"])["value"]
    for metric in study.metrics:
        own = values[metric]
        expected = {
            "irb > ao": own["irb"] > own["ao"],
            "frb > irb": own["frb"] > own["irb"],
            "ao >= lo > id": own["ao"] >= own["lo"] > own["id"],
        }
        found = {row["expectation"]: row["met"] for row in rows if row["kind"] == "verdict" and row["metric"] == metric}
        assert {name: found[name] for name in expected} == expected
        assert [*found] == ["ideal", "overlap", *expected]
    assert values["nxCGpercent(quant=gen)", "irb"] > values["nxCGpercent(quant=gen)", "frb"]
    said = " ".join(command(*words).out.split())
    met = sum(row["met"] for row in rows if row["kind"] == "verdict" and row["metric"] == "nxCGpercent(quant=gen)")
    assert f"nxCGpercent(quant=gen) 1 irb {met} of 5" in said
    assert "ao ≥ lo > id Rank ao at least as high as lo and lo above id." in said
    assert "irb > ao, frb > irb and ao ≥ lo > id: asked for." in said
    assert command(*words, "--out", "page").code == 0
    assert "asked for" in (tmp_path / "page" / "index.html").read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lo>xx", "--expect: no simulated run 'xx'. Known: irb, frb, ia, id, lo"),
        ("lo", "--expect takes the better run first, such as lo>ao"),
        ("lo<ao", "--expect takes the better run first"),
        ("lo>ao,ao>lo", "contradict each other: lo > ao and ao > lo"),
        ("lo>ao,ao>=id,id>=lo", "contradict each other: lo > ao and ao >= id and id >= lo"),
    ],
)
def test_expectations_that_cannot_be(command, text, message):
    """What names no run or contradicts itself is refused before anything is read."""
    ended = command("reliability", "nowhere", "--expect", text)
    assert ended.code == 2
    assert message in ended.err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("made/assessments", "--metrics", "AP"), 2, "AP does not rank elements"),
        (("made/assessments", "--metrics", "nxCGpercent(quant=SOG)"), 2, "made for assessments of the scale 2003"),
        (("nowhere",), 3, "nowhere"),
        (("made/assessments", "--element-sizes", "none.txt"), 3, "none.txt"),
    ],
)
def test_bad_options_stop(command, folder, words, code, message):  # noqa: ARG001 - writes the files
    """A wrong metric or file ends with its exit code and says what is wrong."""
    ended = command("reliability", *words)
    assert ended.code == code
    assert message in ended.err
