"""`metaeval design`: topics needed from scores or from a variance, JSON, pooling, and errors that say what to do."""

import pytest

from metaeval.studies.design import study_design


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
    assert "with the 20 topics at hand" in shown.out
    for row in study_design(read_scores(table), differences=[0.05]).table.to_dict("records"):
        achieved = f"{row['width_at_hand']:.3f}" if row["method"] == "interval" else f"{row['power_at_hand']:.2f}"
        assert f"{row['n_topics']} ({achieved})" in shown.out
    assert "Analysis of variance of 6 systems" in shown.out


def test_a_difference_too_small_is_marked(command):
    """Where one of several differences asks for too many topics its cell says n/a, and a line says why."""
    ended = command("design", "--variance", 0.1, "--difference", "0.00000001,0.1")
    assert ended.code == 0, ended.err
    assert "n/a: given, 1e-08" in ended.out
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


def test_from_runs_and_judgments(command, made_collection):
    """Runs are scored first."""
    words = ("--qrels", made_collection / "qrels.txt", "--metrics", "AP", "--json")
    rows = command("design", made_collection / "runs", *words).json()["results"]
    assert {row["metric"] for row in rows} == {"AP"}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 2, "give INPUTS"),
        (["absent.csv"], 3, "absent.csv"),
        (["AP.csv", "--variance", "total"], 2, "residual"),
        (["--variance", "-1"], 2, "above 0"),
        (["AP.csv", "--difference", "x"], 2, "--difference"),
        (["AP.csv", "--difference", "0"], 2, "--difference takes numbers above 0"),
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
    shown = " ".join(command("design", "--help").out.split())
    for words in ("how many topics a new collection needs", "--variance 0.05", "residual", "--pool"):
        assert words in shown
