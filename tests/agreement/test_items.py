"""Tables of systems, items and human scores: laying them out, picking cells, and clusters as units."""

import numpy as np
import pandas as pd
import pytest

from metaeval.agreement.human import human_agreement, pair_agreement
from metaeval.agreement.items import (
    cluster_sums,
    compared_cells,
    item_scores,
    mean_by_cluster,
    oriented,
    reference_of,
    system_means,
)
from metaeval.agreement.metric_comparison import compare_with_human
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.questions.human.study import study_human
from metaeval.simulate.scores import simulate_scores
from metaeval.tests_stat.paired_t import paired_t_test


def frame(n_systems=4, n_items=6, seed=0):
    """Make a whole table: a human score, two metrics, two items a document."""
    rng = np.random.default_rng(seed)
    cells = [(f"s{s}", str(i), f"doc{i // 2}") for s in range(n_systems) for i in range(n_items)]
    table = pd.DataFrame(cells, columns=["system", "item", "doc"])
    return table.assign(human=rng.random(len(table)), A=rng.random(len(table)), B=rng.random(len(table)))


def test_the_table_is_laid_out_whatever_the_order_of_its_rows():
    """Every value stands at its metric, system and item; the reference comes first and is remembered."""
    table = frame()
    laid = item_scores(table.sample(frac=1, random_state=3), reference="human", cluster="doc").sortby("system")
    assert laid["metric"].to_numpy().tolist() == ["human", "A", "B"]
    assert laid.attrs["reference"] == "human"
    np.testing.assert_array_equal(laid.sel(metric="A").to_numpy().ravel(), table["A"])
    assert laid["cluster"].to_numpy().tolist() == ["doc0", "doc0", "doc1", "doc1", "doc2", "doc2"]


def test_items_named_by_several_columns():
    """Document and sentence together name an item."""
    table = frame().assign(seg=lambda t: t["item"].astype(int) % 2)
    laid = item_scores(table, reference="human", item=["doc", "seg"], cluster="doc", metrics=["B"])
    assert laid["item"].to_numpy().tolist()[:2] == ["doc0::0", "doc0::1"]
    assert laid.sizes == {"metric": 2, "system": 4, "item": 6}


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda t: t, {"reference": "gold"}, "no column 'gold'"),
        (lambda t: pd.concat([t, t]), {}, "appears twice"),
        (lambda t: t[["system", "item", "human"]], {}, "no metric to compare"),
        (lambda t: t[t["system"] == "s0"], {}, "two systems"),
        (lambda t: t.assign(A=np.inf), {}, "A of system 's0', item '0' is infinite"),
        (lambda t: t.assign(doc=np.arange(len(t))), {"cluster": "doc"}, "lies in two clusters"),
        (lambda t: t.assign(doc=t["doc"].where(t["item"] != "3")), {"cluster": "doc"}, "item '3' lies in no cluster"),
        (lambda t: t.assign(system=t["system"].where(t.index != 2)), {}, "'system' is empty in row 3"),
        (lambda t: t.assign(item=t["item"].where(t.index != 2, " ")), {}, "'item' is empty in row 3"),
        (lambda t: t, {"reference": "doc"}, "'doc' does not hold numbers"),
        (lambda t: t, {"metrics": ["A", "doc"]}, "'doc' does not hold numbers"),
        (lambda t: t, {"lower_is_better": ["C"]}, "no metric where less is better 'C'"),
    ],
)
def test_bad_tables_stop(change, options, message):
    """What is no such table is refused with the reason."""
    with pytest.raises((ScoresError, UnknownNameError), match=message):
        item_scores(change(frame()), **({"reference": "human"} | options))


def test_bad_tables_of_systems_stop():
    """A table with a row a system is held to the same rules."""
    means = frame(n_items=1)
    for change, message in (
        ({"A": np.inf}, "A of system 's0' is infinite"),
        ({"system": ["s0", None, "s2", "s3"]}, "'system' is empty in row 2"),
        ({"system": "s0"}, "appears twice"),
        ({"human": "good"}, "'human' does not hold numbers"),
    ):
        with pytest.raises(ScoresError, match=message):
            system_means(means.assign(**change), reference="human")


def test_an_item_keeps_its_cluster_where_one_of_its_rows_lacks_it():
    """The cluster need only stand in one row of an item; a metric named twice is taken once."""
    table = frame()
    laid = item_scores(
        table.assign(doc=table["doc"].where(table.index != 2)), reference="human", cluster="doc", metrics=["A", "A"]
    )
    assert laid["cluster"].to_numpy().tolist() == ["doc0", "doc0", "doc1", "doc1", "doc2", "doc2"]
    assert laid.sizes["metric"] == 2


def test_directions_are_noted_kept_by_clusters_and_turned_once():
    """Values stay raw; turning negates what falls, and a second turning changes nothing."""
    table = item_scores(frame(), reference="human", cluster="doc", lower_is_better=["B"])
    assert table["higher_is_better"].to_numpy().tolist() == [True, True, False]
    assert mean_by_cluster(table)["higher_is_better"].to_numpy().tolist() == [True, True, False]
    turned = oriented(table)
    np.testing.assert_array_equal(turned.sel(metric="B"), -table.sel(metric="B"))
    np.testing.assert_array_equal(turned.sel(metric="A"), table.sel(metric="A"))
    np.testing.assert_array_equal(oriented(turned), turned)
    assert turned.attrs == table.attrs


def test_cells_are_those_with_both_scores():
    """A gap in the metric or in the human score takes the cell out of both; systems without cells go."""
    table = frame()
    table.loc[0, "A"] = np.nan
    table.loc[1, "human"] = np.nan
    table.loc[table["system"] == "s3", "A"] = np.nan
    cells = compared_cells(item_scores(table, reference="human"), "A", reference="human")
    assert cells.systems.tolist() == [0, 1, 2]
    assert cells.there.sum() == 16
    assert cells.human[0, 0] == cells.metric[0, 1] == 0
    with pytest.raises(ScoresError, match="known for 2 systems"):
        compared_cells(item_scores(table[table["system"] < "s2"], reference="human"), "A", reference="human")


def test_cluster_sums_add_up():
    """Sums over clusters are sums over their items, one by one."""
    laid = item_scores(frame(), reference="human", cluster="doc")
    cells = compared_cells(laid, "A", reference="human")
    human, metric, number = cluster_sums(cells)
    for place in range(3):
        np.testing.assert_allclose(metric[place], cells.metric[:, 2 * place : 2 * place + 2].sum(axis=1))
        np.testing.assert_allclose(human[place], cells.human[:, 2 * place : 2 * place + 2].sum(axis=1))
    assert (number == 2).all()


def test_clusters_become_the_units_of_every_engine():
    """Means over clusters are means over items, and a t test has as many degrees of freedom as there are clusters."""
    table = frame()
    laid = item_scores(table[table["item"] != "5"], reference="human", cluster="doc")
    scores = mean_by_cluster(laid)
    assert scores.sizes["topic"] == 3
    np.testing.assert_allclose(scores.mean("topic").to_numpy(), laid.mean("item").to_numpy())
    assert len(paired_t_test(scores).to_frame()) == 3 * 6
    assert mean_by_cluster(item_scores(table, reference="human")).sizes["topic"] == 6


def test_gaps_stop_the_other_engines_unless_a_rule_is_named():
    """A gap is an error that names it; with a rule the item goes from all systems."""
    table = frame()
    table.loc[0, "A"] = np.nan
    laid = item_scores(table, reference="human", cluster="doc")
    with pytest.raises(ScoresError):
        mean_by_cluster(laid)
    left = mean_by_cluster(laid, missing="drop-topics")
    np.testing.assert_allclose(left.mean("topic"), laid.sel(item=[str(i) for i in range(1, 6)]).mean("item"))


def test_the_reference_must_be_named_and_known():
    """Without a reference there is nothing to agree with."""
    laid = item_scores(frame(), reference="human")
    assert reference_of(laid, None) == "human"
    with pytest.raises(UnknownNameError, match="no reference among the metrics 'gold'"):
        reference_of(laid, "gold")
    with pytest.raises(InvalidOptionError, match="`reference`"):
        reference_of(laid.assign_attrs(reference=None), None)


def test_what_people_say_in_words_of_a_scale_is_graded():
    """With items and without: as the grades 0, 1 and 2 in its order, with a note; other words are refused as before."""
    grades = [0, 1, 2, 1, 2, 0, 2, 2, 1]
    words = ["poor", "Fair", "good", "fair", "good", "poor", "good", "good", "fair"]
    names = {"system": list("aaabbbccc"), "item": list("123") * 3, "chrF": np.arange(9) / 7}
    by_word, by_grade = (
        item_scores(pd.DataFrame(names | {"human": said}), reference="human") for said in (words, grades)
    )
    assert by_word.sel(metric="human").to_numpy().tolist() == by_grade.sel(metric="human").to_numpy().tolist()
    assert "'human' holds words of a scale, graded in its order: poor 0; fair 1; good 2" in by_word.attrs["notes"]
    means = pd.DataFrame({"system": list("abc"), "human": ["good", "", "poor"], "chrF": [0.1, 0.2, 0.4]})
    assert system_means(means, reference="human")["human"].fillna(-1).tolist() == [1, -1, 0]
    with pytest.raises(ScoresError, match="does not hold numbers throughout"):
        item_scores(pd.DataFrame(names | {"human": ["poor", "sports", "fair"] * 3}), reference="human")


def test_scores_of_topics_are_not_scores_of_items():
    """They are refused with the way out, wherever people's scores are compared."""
    scores = simulate_scores(n_systems=3, n_topics=5, metrics=["AP", "P@10"], rng=1)
    for work in (human_agreement, compare_with_human, pair_agreement, study_human):
        with pytest.raises(ScoresError, match="not dimensions metric, system, topic; make them with item_scores"):
            work(scores, reference="AP")


def test_numbers_of_items_and_of_rows_are_no_metrics():
    """What all systems have alike on every item, and what counts the rows, is left out with a note unless named."""
    table = frame().assign(length=lambda t: 10.0 * t["item"].astype(int), row=lambda t: np.arange(len(t)))
    scores = item_scores(table, reference="human")
    assert not {"length", "row"} & {*scores["metric"].to_numpy()}
    assert "columns of numbers that say nothing of systems, left out: length, row" in scores.attrs["notes"]
    assert "length" in item_scores(table, reference="human", metrics=["A", "length"])["metric"].to_numpy()


@pytest.mark.parametrize(
    ("reference", "other"),
    [
        ("human_A", "human_B"),
        ("annotator1", "annotator2"),
        ("Rater 1", "Rater 2"),
        ("human", "human 2"),
        ("DA-1", "DA-2"),
    ],
)
def test_another_person_is_no_metric(reference, other):
    """Whoever is called as the human score but for a number or a letter is left out, unless nothing else is there."""
    table = frame().rename(columns={"human": reference})
    found = item_scores(table.assign(**{other: table["A"] + table["B"]}), reference=reference)
    assert found["metric"].to_numpy().tolist() == [reference, "A", "B"]
    assert f"left out column {other!r}, another person's score beside {reference!r}" in found.attrs["notes"]
    alone = table.assign(**{other: table["A"]}).drop(columns=["A", "B"])
    assert item_scores(alone, reference=reference)["metric"].to_numpy().tolist() == [reference, other]


@pytest.mark.parametrize("metric", ["BLEU-2", "COMET_B", "human likeness", "A2"])
def test_metrics_with_numbers_and_letters_are_metrics(metric):
    """Look-alikes, and another name than the human score's."""
    table = frame()
    assert metric in item_scores(table.assign(**{metric: table["A"]}), reference="human")["metric"].to_numpy()


def test_grades_beside_grades_are_noted():
    """Another aspect that people graded counts as a metric and is named; right or wrong beside the same is not."""
    table = frame()
    grades = {"adequacy": np.resize([1, 2, 3, 4, 5, 3, 2], len(table)), "fluency": np.resize([5, 2, 4, 1], len(table))}
    notes = item_scores(table.assign(**grades), reference="adequacy").attrs["notes"]
    assert any("fluency holds grades as 'adequacy' does" in note and "`metrics=['" in note for note in notes)
    right = {name: of > 2 for name, of in grades.items()}
    binary = item_scores(table.assign(**right).astype(dict.fromkeys(right, float)), reference="adequacy")
    assert not any("holds grades" in note for note in binary.attrs.get("notes", ()))


@pytest.mark.parametrize("raters", [["human0", "human1", "human2"], ["ann", "ben", "cat"]])
@pytest.mark.parametrize("made", ["mean", "sum"])
def test_people_of_whom_the_human_score_is_made_are_no_metrics(raters, made):
    """Beside six metrics, and written to three decimals; each would agree with itself."""
    rng = np.random.default_rng(3)
    grades = rng.integers(1, 6, (60, 3)).astype(float)
    frame = pd.DataFrame(rng.integers(1, 6, (60, 6)), columns=[*"uvwxyz"]).astype(float)
    frame[raters] = grades
    frame["human avg"] = grades.sum(axis=1) if made == "sum" else grades.mean(axis=1).round(3)
    frame[["system", "item"]] = [(system, item) for system in "abcdef" for item in range(10)]
    scores = item_scores(frame, reference="human avg", item="item")
    assert scores["metric"].to_numpy().tolist() == ["human avg", *"uvwxyz"]
    assert any(raters[0] in note for note in scores.attrs["notes"])
