"""What stands in a table of scores and is none: summaries by name and number, other scales, misprints."""

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from metaeval.io.tables import read_scores
from metaeval.simulate.scores import simulate_scores
from metaeval.table.plausibility import are_summaries, left_out_rows, off_scale
from metaeval.table.scores import as_scores


def table(n_systems=6, n_topics=30, *, seed=1):
    """Return simulated scores with topics in rows."""
    scores = simulate_scores(n_systems=n_systems, n_topics=n_topics, metrics=["AP"], rng=seed)[0]
    return scores.T.to_pandas().rename_axis(index="topic", columns="system")


def notes(frame):
    return as_scores({"AP": frame}).attrs.get("notes", [])


# ------------------------------------------------------------------------------------------------------------ summaries


@pytest.mark.parametrize(
    ("topics", "expected"),
    [
        (["1", "2", "all"], [0, 0, 1]),
        (["1", "2", "Total", "Std Dev", "MEDIAN"], [0, 0, 1, 1, 1]),
        (["sum", "translate", "count"], [0, 0, 0]),
        (["sum", "translate", "mean", "stderr"], [0, 0, 1, 1]),
        (["max", "min"], [0, 0]),
        (["mean"], [1]),
        ([], []),
    ],
)
def test_names_of_summaries(topics, expected):
    """Averages and spreads always; words that may be tasks only where all other topics are numbers."""
    assert are_summaries(topics) == [bool(one) for one in expected]


SUMMARIES = {
    "mean": lambda frame: frame.mean(),
    "Average": lambda frame: frame.mean().round(4),
    "std": lambda frame: frame.std(),
    "Total": lambda frame: frame.sum(),
    "median": lambda frame: frame.median(),
    "max": lambda frame: frame.max(),
}


@pytest.mark.parametrize("long", [False, True])
@pytest.mark.parametrize("numbered", [False, True])
@pytest.mark.parametrize("name", SUMMARIES)
def test_a_summary_below_the_topics_is_never_one_of_them(tmp_path, name, numbered, long):
    """In a file and in memory it is left out with a note; the scores that stay are those without it."""
    frame = table()
    if not numbered:
        frame.index = [f"task {topic}" for topic in frame.index]
    with_it = pd.concat([frame, SUMMARIES[name](frame).to_frame(name).T])
    path = tmp_path / "AP.csv"
    if long:
        rows = with_it.rename_axis(index="topic").reset_index().melt("topic", var_name="system", value_name="score")
        rows.to_csv(path, index=False)
    else:
        with_it.to_csv(path, index_label="topic")
    for found in (read_scores(path), as_scores({"AP": with_it})):
        np.testing.assert_allclose(found[0].T.to_numpy(), frame[found["system"].to_numpy()].to_numpy())
        assert any(("left out the" in note and f"({name})" in note) or f"left out topic {name!r}, the" in note
                   for note in found.attrs["notes"])  # fmt: skip


def test_counts_among_metrics_are_named():
    """Whole numbers beyond 100 are said where all other metrics stay below it; scores are said of none."""
    scores = table()
    told = as_scores({"AP": scores, "tokens": (1000 * scores).round()}).attrs["notes"]
    assert [note for note in told if "whole numbers" in note and "tokens (up to " in note]
    for other in (100 * scores, 1000 * scores, scores > 0.3):  # per cents, numbers with decimals, 0 and 1
        assert "whole numbers" not in str(as_scores({"AP": scores, "X": other.astype(float)}).attrs.get("notes"))


def test_a_topic_that_is_called_like_a_summary_stays():
    """A task may be called sum or max, if it holds scores of its own."""
    frame = table()
    frame.index = [*(f"task {topic}" for topic in frame.index[:-2]), "sum", "max"]
    assert as_scores({"AP": frame}).sizes["topic"] == len(frame)


# --------------------------------------------------------------------------------------------------------------- scales


def test_sound_scores_bring_no_note():
    """Neither scores of a known process nor those of bad systems among good ones."""
    for seed in range(20):
        frame = table(seed=seed)
        assert notes(frame) == []
        assert notes(100 * frame) == []
        assert notes(frame.assign(random=0.0, oracle=1.0)) == []


def test_a_column_of_something_else_is_told():
    """Counts among scores, shares among per cents, and a rank, each by its name; nothing is left out."""
    frame = table()
    counts = np.arange(1, len(frame) + 1)
    for odd, others in ((counts, frame), (frame.iloc[:, 0], 40 + 50 * frame), (1000 + counts, 100 * frame)):
        (note,) = notes(others.assign(odd=odd))
        assert note.startswith("another scale under AP: odd (")
        assert as_scores({"AP": others.assign(odd=odd)}).sizes["system"] == frame.shape[1] + 1


def test_shares_among_per_cents_are_to_be_written_on_their_scale():
    """Nobody has to leave out a system of which every score is a hundredth of what it is."""
    frame = table()
    (note,) = notes((40 + 50 * frame).assign(odd=frame.iloc[:, 0]))
    assert note.endswith("write all on one scale, or leave out what is no system")


def test_shares_among_per_cents_are_told_beside_poor_systems():
    """A system with one good answer, and topics that are hard for all, do not hide that another is in shares."""
    frame = (100 * table()).round(1).assign(poor=0.0, odd=table().iloc[:, 0].round(4))
    frame.iloc[3, frame.columns.get_loc("poor")] = 8.3
    (note,) = notes(frame)
    assert note.startswith("under AP, scores of odd lie from 0 to 1, and those of ")
    hard = frame.drop(columns="odd")
    hard.iloc[:2] = hard.iloc[:2] / 100
    assert notes(hard) == []


def test_a_metric_with_one_score_throughout_holds_no_ranks():
    """All systems would be first on every topic."""
    ones = table() * 0 + 1.0
    assert not any("ranks" in note for note in notes(ones))
    assert any("are the ranks of its systems" in note for note in notes(table().rank(axis=1)))


@pytest.mark.parametrize(("middle", "told"), [(9.9, False), (10.0, True)])
def test_shares_among_per_cents_of_any_worth_are_told(middle, told):
    """Medians below 10 may be those of poor systems."""
    frame = pd.DataFrame({"a": [5, middle, 90], "b": [6, middle, 80], "c": [4, middle, 70], "odd": [0.2, 0.5, 0.9]})
    assert any(note.startswith("another scale under AP: odd (") for note in notes(frame)) == told


@pytest.mark.parametrize(("value", "words"), [(35.5, "far from all"), (-999, "-999 ("), (-1, "-1 where all other")])
def test_a_single_score_that_is_none_is_told(value, words):
    """A misprint, or what somebody writes for a missing score, is named with its system and topic."""
    frame = table()
    frame.iloc[3, 1] = value
    (note,) = notes(frame)
    assert note.startswith(f"{words}")
    assert f"{value:g} ({frame.columns[1]!r} on {frame.index[3]!r})" in note


@given(st.floats(0.01, 100), st.integers(0, 2**32 - 1))
def test_the_unit_of_unbounded_scores_does_not_matter(unit, seed):
    """Scores around zero have no natural end, and what is told of them does not depend on their unit."""
    values = np.random.default_rng(seed).normal(size=(5, 20))
    values[2] *= 1 + 30 * (seed % 2)
    told = ["another scale" in note for note in as_scores(values).attrs.get("notes", [])]
    assert ["another scale" in note for note in as_scores(unit * values).attrs.get("notes", [])] == told


def test_what_was_told_is_told_once():
    """Scores that are labelled already keep their notes, and get no new ones."""
    scores = as_scores({"AP": table().assign(odd=1000.0 + np.arange(30))})
    assert as_scores(scores).attrs["notes"] == scores.attrs["notes"]
    assert len(scores.attrs["notes"]) == 1


ALONE = {"adhoc6_p10", *(f"web2013_{metric}" for metric in ("p10", "p20"))}
ALONE |= {f"web2014_{metric}" for metric in ("ap", "err20", "ndcg20", "p10", "rr")}


def test_real_scores_bring_no_note(data_folder):
    """Nothing looks odd in the published matrices of 13 collections, but runs that do not rise with any other.

    In two years of the Web track these are runs with hardly a relevant document.
    """
    for path in sorted((data_folder / "trec-matrices").glob("*.csv")):
        told = read_scores(path).attrs["notes"]
        odd = [note for note in told if "topic column" not in note]
        assert all("with none of the other systems" in note and path.stem in ALONE for note in odd), path.name


@pytest.mark.parametrize("code", [-9, -99, -999, -9999])
@pytest.mark.parametrize("n_systems", [2, 6])
def test_codes_for_what_is_missing(code, n_systems):
    """Numbers that many tables write for a missing score are told, in small tables and where a whole topic is coded."""
    scores = np.random.default_rng(0).random((n_systems, 5))
    scores[0, 3] = scores[:, 4] = code
    notes = as_scores(scores).attrs["notes"]
    assert any(f"{code} ('system1' on '4')" in note and "empty what is no score" in note for note in notes)
    scores[1, 0] = -0.5  # scores may be negative here
    assert not any("all other scores are at least 0" in note for note in as_scores(scores).attrs.get("notes", []))


@given(
    st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]), min_size=12, max_size=60),
    st.lists(st.sampled_from([0.5, 1.9, 4.0, 6.0, 9.5, 10.0, 10.5, 11.0, 30.0, -1.0]), max_size=2),
)
def test_what_is_far_in_many_scores_is_what_is_far_in_few(usual, odd):
    """A look at some of many scores decides only what all of them would."""
    scores = np.array([usual, usual[::-1], sorted(usual), usual])
    scores[1, : len(odd)] = odd
    with pytest.MonkeyPatch.context() as patched:
        told = []
        for many in (0, 1_000_000):
            patched.setattr("metaeval.table.plausibility._MANY", many)
            told.append(as_scores(scores).attrs.get("notes"))
    assert told[0] == told[1]


@pytest.mark.parametrize("name", ["Stabw", "STABW", "StdAbw", "SEM", "Écart-type", "Standardabweichung", "sigma"])
def test_a_row_of_spreads_below_numbered_topics_is_no_topic(name):
    """As spreadsheets write it below the scores, in the languages that they know."""
    assert are_summaries(["251", "252", "253", name]) == [False, False, False, True]


@pytest.mark.parametrize("scale", [1, 100])
@pytest.mark.parametrize(
    ("name", "row"),
    [("p-value", [0.03, 0.01, 0.2]), ("SE", [0.1, 0.11, 0.07]), ("Params (B)", [700, 1300, 7000]), ("Wins", [1, 2, 1])],
)
def test_rows_under_a_table_that_say_something_of_systems_are_no_items(name, row, scale):
    """P values, standard errors, sizes and counts are left out with a note; items that are called so stay."""
    items = np.array([[0.5, 0.6, 0.4], [0.7, 0.5, 0.3], [0.2, 0.4, 0.6], [0.5, 0.95, 0.45]]) * scale
    names = ["q1", "q2", "q3", "q4", name]
    own = np.array(row, dtype=float) * (scale if name == "SE" else 1)
    stay, notes = left_out_rows(names, np.vstack([items + 0.01, own]), "topic")
    assert stay == [0, 1, 2, 3]
    assert [f"left out item {name!r}" in note or f"left out topic {name!r}" in note for note in notes] == [True]
    scores = np.array([0.55, 0.95, 0.45]) * scale
    if name != "p-value" or scale > 1:
        assert left_out_rows(names, np.vstack([items + 0.01, scores + 0.001]), "topic")[0] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("n_coded", [1, 2, 3, 4])
@pytest.mark.parametrize("n_systems", [2, 4])
@pytest.mark.parametrize("scale", [1, 100])
def test_a_few_minus_ones_are_told_in_however_many_systems(n_coded, n_systems, scale):
    """One a system, of 40 scores each: never a tenth of the scores, whatever these are."""
    scores = scale * np.random.default_rng(5).random((n_systems, 40))
    coded = [(at % n_systems, 7 * at) for at in range(n_coded)]
    scores[tuple(zip(*coded, strict=True))] = -1.0
    (note,) = (one for one in as_scores(scores).attrs["notes"] if one.startswith("-1 where all other scores are"))
    assert note.count("-1 ('system") == min(n_coded, 3)


@pytest.mark.parametrize(("n_coded", "told"), [(1, True), (2, False), (4, False)])
def test_minus_one_many_times_in_few_systems_is_told(n_coded, told):
    """Minus one of one system of four stands for something; of half of the systems it may be a loss."""
    values = np.random.default_rng(2).integers(0, 2, (40, 4)).astype(float)
    values[::3, :n_coded] = -1.0
    notes = as_scores(pd.DataFrame(values, columns=list("abcd"))).attrs.get("notes", [])
    assert any("-1 where all other scores are at least 0" in note for note in notes) == told


@pytest.mark.parametrize(("code", "told"), [(99.0, True), (999.0, True), (9999.0, True), (998.0, False)])
def test_a_code_far_above_all_scores_is_told_however_often(code, told):
    """A third of the scores of one system are 999, and no other is beyond 1; of any other number nothing says so."""
    values = np.random.default_rng(2).random((40, 4))
    values[::3, 1] = code
    notes = as_scores(pd.DataFrame(values, columns=list("abcd"))).attrs.get("notes", [])
    assert any(f"where all other scores are {values[values < 1].min():.4g} to" in note for note in notes) == told


def test_an_item_on_another_scale_is_noted_once():
    """OCRBench is out of 1000 and seven tasks are per cents: the note of its scale says its share of variance too."""
    board = {
        "MMBench": [82.8, 80.2, 78.0, 72.3, 75.5, 69.9],
        "MMStar": [61.6, 57.0, 52.0, 54.9, 49.7, 45.9],
        "MMMU": [62.8, 56.0, 45.0, 46.0, 48.0, 50.0],
        "MathVista": [56.5, 49.4, 50.2, 49.3, 46.9, 44.8],
        "Hallusion": [51.7, 43.9, 46.9, 39.6, 46.4, 42.0],
        "AI2D": [82.2, 78.6, 70.2, 79.3, 68.0, 75.9],
        "OCRBench": [663.0, 656.0, 694.0, 566.0, 641.0, 725.0],
        "MMVet": [66.5, 63.0, 60.6, 59.1, 58.0, 60.2],
    }
    systems = pd.Index([f"m{number}" for number in range(1, 7)], name="model")
    (note,) = [said for said in notes(pd.DataFrame(board, index=systems).T.rename_axis(index="topic")) if "OCR" in said]
    assert "OCRBench (566 to 725) has another scale than all other items (39.6 to 82.8)" in note


def test_per_cents_among_the_shares_of_one_system_are_named():
    """Every fourth cell of one of four systems in per cents: its mean would lead, and a note names the cells."""
    scores = np.random.default_rng(5).beta(1, 3, (4, 20)).round(4)
    mixed = scores.copy()
    mixed[1, ::4] *= 100
    assert not any("above 1" in note for note in as_scores(scores).attrs.get("notes", ()))
    notes = as_scores(mixed).attrs["notes"]
    assert any("above 1 under" in note and "where all other systems have shares" in note for note in notes)


@pytest.mark.parametrize("seed", range(60))
def test_labels_of_few_levels_make_no_means_by_luck(seed):
    """Nobody made a row: 20 items of 16 systems, of a mean each, whose labels from 1 to 5 are drawn about it.

    In three of the 60 tables a row is the mean of all others up to its last digit, and one in 1000 should be.
    """
    rng = np.random.default_rng(seed)
    rng.normal(3, 0.3, (20, 1))
    labels = np.clip(np.rint(rng.uniform(1.5, 4.5, 16) + rng.normal(0, 0.42, (20, 16))), 1, 5)
    assert not any("the mean of" in note for note in left_out_rows([f"d{at}" for at in range(20)], labels, "topic")[1])


SERIES = ["q{:03d}", "q_{:03d}", "q-{:03d}", "Q{:03d}", "p{:03d}", "q{}", "ci{}", "n{}", "max{}", "l{}", "top-{}"]


@pytest.mark.parametrize("form", SERIES)
@pytest.mark.parametrize("layout", ["items in rows", "long", "systems in rows"])
@pytest.mark.parametrize("n_items", [40, 120])
def test_every_item_of_a_numbered_series_counts(tmp_path, form, layout, n_items):
    """q025 and q975 are quantiles where they stand alone, l95 a bound, ci95 a margin; in a series they are items."""
    values = np.random.default_rng(n_items).random((n_items, 3)).round(3)
    wide = pd.DataFrame(values, columns=list("abc"), index=[form.format(at) for at in range(1, n_items + 1)])
    wide.index.name = "item"
    sheets = {
        "items in rows": wide.reset_index(),
        "long": wide.reset_index().melt("item", var_name="system", value_name="score"),
        "systems in rows": wide.T.rename_axis("system").reset_index(),
    }
    sheets[layout].to_csv(tmp_path / "scores.csv", index=False)
    for scores in (read_scores(tmp_path / "scores.csv"), as_scores(sheets[layout])):
        means = scores.isel(metric=0).mean("topic").sel(system=list("abc"))
        np.testing.assert_allclose(means, values.mean(axis=0), rtol=1e-12)


BOARD = {
    "MMLU": [88.7, 88.3, 82.0, 84.0, 75.2, 86.1],
    "GSM8K": [92.1, 96.4, 93.0, 91.2, 74.0, 95.8],
    "IFEval": [85.6, 88.0, 83.2, 79.1, 77.3, 84.1],
}


@pytest.mark.parametrize(
    ("item", "is_told"),
    [
        ([9.3, 9.1, 8.9, 8.6, 8.2, 9.0], True),  # ratings of MT-Bench, from 1 to 10
        ([4.5, 4.4, 4.3, 4.4, 4.1, 4.5], True),  # and from 1 to 5
        ([9.3, 8.1, 4.2, 2.6, 3.2, 5.0], False),  # per cents of a hard item, which differ by more than themselves
        ([19.3, 19.1, 18.9, 18.6, 18.2, 19.0], False),
    ],
)
def test_ratings_up_to_10_among_per_cents_are_noted(item, is_told):
    """The mean of both is one of neither; a hard item's few per cent differ as such numbers do."""
    values = np.array([*BOARD.values(), item]).T
    said = off_scale([*BOARD, "MT"], values)
    assert said.startswith("MT (") is is_told
    assert ("seems to have another scale than all other items" in said) is is_told


def test_a_topic_that_happens_to_be_about_the_difference_of_two_others_stays():
    """Means of q10 and q11 are .0625, -.5 and .5, which are .5625 and 1 above b's: 007 is near by luck, not by name."""
    topics = {"007": [0.5, 0.0, 1.0], "q10": [0.0, 0.5, 0.0], "q11": [0.125, -1.5, 1.0]}
    frame = pd.DataFrame(topics, index=["a", "b", "c"]).T
    scores = as_scores({"AP": frame})
    assert scores["topic"].to_numpy().tolist() == ["007", "q10", "q11"]
    assert not scores.attrs.get("notes")


@pytest.mark.parametrize(
    ("other", "is_told"),
    [([99.4, 14.2, 69.0, 48.5], True), ([0.9, 0.1, 0.7, 0.5], False), ([4.0, 2.0, 3.0, 5.0], False)],
)
def test_shares_of_one_of_two_systems_beside_per_cents_of_the_other_are_noted(other, is_told):
    """Means of 0.5775 and 57.775 are one as share and per cent; grades up to 5 are unlike both."""
    frame = pd.DataFrame({"a": [0.66, 0.58, 0.69, 0.38], "b": other}, index=["q1", "q2", "q3", "q4"])
    said = ["under AP, scores of a lie from 0 to 1, and those of b from 0 to 100; write all on one scale"]
    assert notes(frame) == said * is_told
