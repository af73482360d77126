"""`metaeval design`: topics needed from scores or from a variance, JSON, pooling, and errors that say what to do."""

import pandas as pd
import pytest
from scipy.stats import chi2

from metaeval.base.words import MISSING
from metaeval.questions.design.study import study_design


def test_a_variance_alone_is_enough(command):
    """Without inputs the counts are those computed elsewhere (alpha .05, power .8)."""
    ended = command("design", "--variance", 0.05, "--difference", "0.1,0.2", "--systems", 10, "--json")
    assert ended.code == 0, ended.err
    rows = {(row["method"], row["difference"]): row["n_topics"] for row in ended.json()["results"]}
    assert (rows["t", 0.1], rows["anova", 0.1]) == (81, 158)
    assert (rows["interval", 0.1], rows["t", 0.2], rows["interval", 0.2]) == (156, 22, 41)


def test_approximations_are_those_of_published_tables(command):
    """--approximate gives the closed forms' counts."""
    words = ("--variance", 0.05, "--difference", 0.1, "--systems", 2, "--method", "anova", "--json")
    (row,) = command("design", *words, "--approximate").json()["results"]
    (exact,) = command("design", *words).json()["results"]
    assert (row["n_topics"], exact["n_topics"]) == (78, 80)


def test_without_systems_the_analysis_of_variance_is_left_out(command):
    """It needs a number of systems; asked for by name without one it is refused."""
    rows = command("design", "--variance", 0.05, "--json").json()["results"]
    assert {row["method"] for row in rows} == {"t", "interval"}
    refused = command("design", "--variance", 0.05, "--method", "anova")
    assert refused.code == 2
    assert "--systems" in refused.err


def test_scores_give_the_variance(command, table):
    """The JSON of score tables holds the Python study's rows, the power at hand too, and records the files."""
    ended = command("design", *table, "--variance", "within", "--difference", 0.05, "--json")
    answer = ended.json()
    assert set(answer["provenance"]["inputs"]) == set(map(str, table))
    assert "seed" not in answer["options"]
    from metaeval.io.tables import read_scores  # noqa: PLC0415 - only here

    expected = study_design(read_scores(table), variance="within", differences=[0.05]).table
    for row, right in zip(answer["results"], expected.to_dict("records"), strict=True):
        assert (row["metric"], row["n_topics"]) == (right["metric"], right["n_topics"])
        assert row["variance"] == pytest.approx(right["variance"], rel=1e-12)
    shown = command("design", *table, "--difference", 0.05)
    assert "what the present 20 topics achieve" in " ".join(shown.out.split())
    lines = [line.split() for line in shown.out.splitlines()]
    for metric, rows in study_design(read_scores(table), differences=[0.05]).table.groupby("metric"):
        (line,) = (line for line in lines if line[:1] == [metric] and line[2:3] == ["0.05"])
        cells = [f"{rows['variance'].iloc[0]:.5g}", "0.05"]
        for row in rows.to_dict("records"):
            achieved = f"{row['width_at_hand']:.3f}" if row["method"] == "interval" else f"{row['power_at_hand']:.2f}"
            spread = []
            if row["method"] != "anova":
                spread = [f"{100 * row['pairs_reached']:.1f}", "%", str(row["n_topics_for_share"])]
            ends = row["variance"] * row["degrees_of_freedom"] / chi2.ppf([0.975, 0.025], row["degrees_of_freedom"])
            asked = {"methods": [row["method"]], "differences": [0.05], "n_systems": 6}
            topics = [study_design(variance=float(end), **asked).table["n_topics"].iloc[0] for end in ends]
            assert [row["n_topics_low"], row["n_topics_high"]] == topics
            between = [str(row["n_topics_low"]), "to", str(row["n_topics_high"])]
            cells += [str(row["n_topics"]), *between, *spread, achieved]
        assert line[1:] == cells
    assert "Analysis of variance, 6 systems 0.05" in " ".join(shown.out.split())


def test_a_difference_too_small_is_marked(command):
    """Where one of several differences asks for too many topics its cell is a dash, and a note says why."""
    ended = command("design", "--variance", 0.1, "--difference", "0.00000001,0.1")
    assert ended.code == 0, ended.err
    (line,) = (line.split() for line in ended.out.splitlines() if "1e-08" in line and line.startswith("given"))
    assert line == ["given", "0.1", "1e-08", MISSING, MISSING]
    n_topics = study_design(variance=0.1, differences=[0.1], methods=["t"]).table["n_topics"].item()
    assert f"Paired t test 0.1 {n_topics}" in " ".join(ended.out.split())
    assert ended.out.count("Note: given, difference 1e-08") == 2
    assert "too small" in ended.out


def test_collections_are_pooled(command, table):
    """--pool adds another collection; a copy of the same one keeps the variance and doubles its weight."""
    alone = command("design", f"AP={table[0]}", "--json").json()["results"]
    pooled = command("design", f"AP={table[0]}", "--pool", f"AP={table[0]}", "--json").json()
    assert pooled["results"][0]["variance"] == pytest.approx(alone[0]["variance"])
    assert pooled["results"][0]["degrees_of_freedom"] == 2 * alone[0]["degrees_of_freedom"]


def test_pairs_by_name(command, table):
    """--pair names two systems whose differences give the variance."""
    words = ("--variance", "pairs", "--pair", "team0-run0,team1-run1", "--json")
    ended = command("design", table[0], *words)
    assert ended.code == 0, ended.err
    assert {row["degrees_of_freedom"] for row in ended.json()["results"]} == {19}


def test_from_runs_and_judgments(command, simulated_collection):
    """Runs are scored first."""
    words = ("--qrels", simulated_collection / "qrels.txt", "--metrics", "AP", "--json")
    rows = command("design", simulated_collection / "runs", *words).json()["results"]
    assert {row["metric"] for row in rows} == {"AP"}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 2, "give INPUTS"),
        (["absent.csv"], 3, "absent.csv"),
        (["AP.csv", "--variance", "total"], 2, "residual"),
        (["--variance", "-1"], 2, "above 0"),
        (["AP.csv", "--difference", "x"], 2, "--difference"),
        (["AP.csv", "--difference", "0"], 2, "each of --difference must be a number above 0"),
        (["AP.csv", "--power", "1.2"], 2, "power"),
        (["AP.csv", "--alpha", "0"], 2, "alpha"),
        (["AP.csv", "--method", "f"], 2, "anova"),
        (["AP.csv", "--variance", "pairs"], 2, "pairs"),
        (["AP.csv", "--pair", "team0-run0", "--variance", "pairs"], 2, "bm25,lm"),
        (["AP.csv", "--pair", "team0-run0,x", "--variance", "pairs"], 2, "'x'"),
        (["--variance", "0.1", "--difference", "0.00000001"], 4, "too small"),
    ],
)
@pytest.mark.usefixtures("table")
def test_what_is_wrong_is_said_and_coded(command, words, code, said):
    """Usage ends with 2, bad input with 3, what cannot be estimated with 4; the message names the thing."""
    ended = command("design", *words)
    assert ended.code == code, ended.err
    assert said in " ".join(ended.err.split())
    assert "Traceback" not in ended.err


def test_help_teaches(command):
    """The help explains the variance and shows an example without any scores."""
    shown = " ".join(command("design", "--help-all").out.split())
    for words in ("how many topics a new collection needs", "--variance 0.05", "residual", "--pool"):
        assert words in shown


def test_the_report_says_what_the_numbers_rest_on(command, table, tmp_path):
    """The folder holds the designs and the variances; the page says how they were computed and what to cite."""
    ended = command("design", *table, "--pool", f"AP={table[0]}", "--metrics", "AP", "--out", "page", "--approximate")
    assert ended.code == 0, ended.err
    page = (tmp_path / "page" / "index.html").read_text()
    for words in ("Topic set size design. Information Retrieval Journal", "closed approximations", "pooled over the"):
        assert words in page
    variances = pd.read_csv(tmp_path / "page" / "tables" / "variances.csv")
    assert variances["collection"].tolist()[-1] == "pooled"
    designs = pd.read_csv(tmp_path / "page" / "data" / "designs.csv")
    assert designs["variance"].iloc[0] == variances["variance"].iloc[-1]
    for row in designs.itertuples():
        assert f"{row.n_topics}" in page


def test_components_in_place_of_scores(command, table, tmp_path):
    """The saved report or its table plan as Python does; a residual variance without gaps is the component's."""
    command("components", *table, "--splits", 0, "--out", tmp_path / "noise")
    words = ("design", "--difference", 0.05, "--json")
    rows = [
        command(*words, "--from-components", tmp_path / "noise" / place).json()["results"]
        for place in ("", "data/components.csv")
    ]
    assert rows[0] == rows[1]
    pilot = command(*words, *table).json()["results"]
    assert {(row["metric"], row["method"]): row["n_topics"] for row in pilot if row["method"] != "anova"} == {
        (row["metric"], row["method"]): row["n_topics"] for row in rows[0]
    }
    lines = ["item,a,b,c", *(f"q{one},{one % 3},{one % 5},{one % 7}" for one in range(30))]
    (tmp_path / "items.csv").write_text("\n".join(lines))
    command("components", tmp_path / "items.csv", "--splits", 0, "--out", tmp_path / "of items")
    for name, word in (("noise", "topics"), ("of items", "items")):  # as the scores call them
        said = command("design", "--difference", 0.5, "--from-components", tmp_path / name).out
        assert [one in said.casefold() for one in ("topics", "items")] == [word == one for one in ("topics", "items")]
        assert "rest on the variance of a score by components of variance of earlier scores" in said
        assert "given" not in said
    (tmp_path / "tasks.csv").write_text("\n".join(["item,cluster", *(f"q{one},{one % 10}" for one in range(30))]))
    words = ("components", tmp_path / "items.csv", "--splits", 0, "--cluster-file", tmp_path / "tasks.csv")
    command(*words, "--out", tmp_path / "in tasks")
    refused = command("design", "--from-components", tmp_path / "in tasks")
    assert "these items come in clusters" in refused.err
    assert "the page of metaeval components has" in " ".join(refused.err.split())
    refused = command("design", "--from-components", tmp_path / "noise", "--planned-repeats", 2)
    assert (refused.code, "--planned-repeats above 1" in refused.err) == (2, True)
    (tmp_path / "wrong.csv").write_text("metric,component,variance\nAP,system,-1\n")
    refused = command("design", "--from-components", tmp_path / "wrong.csv")
    assert "line 2: variance '-1' is not a number from 0 on" in refused.err
    assert command("design", *table, "--from-components", tmp_path / "noise").code == 2
