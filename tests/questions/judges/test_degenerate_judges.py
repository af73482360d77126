"""Judges that say little or nothing: each has a rule or a refusal that names it, and none makes a wrong number."""

import copy

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from metaeval.agreement.labels import as_labels
from metaeval.agreement.runs_under_judges import judgments_of_labels
from metaeval.collection.assembly import collection_from_rankings
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.metrics.scoring import metric_values
from metaeval.questions.judges.page import judges_report
from metaeval.questions.judges.study import study_judges

TOPICS = [str(number) for number in range(12)]
ITEMS = [f"d{number}" for number in range(30)]


def _made():
    """Make six runs, a reference, a judge who is near to it and one who is not."""
    rng = np.random.default_rng(0)
    given, runs = {"nist": {}, "model": {}, "hasty": {}}, {f"r{place}": {} for place in range(6)}
    for topic in TOPICS:
        levels = rng.choice(3, 30, p=[0.6, 0.25, 0.15])
        for name, share in (("nist", 0.0), ("model", 0.25), ("hasty", 0.5)):
            own = np.where(rng.random(30) < share, rng.permutation(levels), levels)
            given[name][topic] = {item: int(level) for item, level in zip(ITEMS, own, strict=True)}
        for place, run in enumerate(runs.values()):
            run[topic] = [ITEMS[one] for one in np.argsort(-(levels * 0.5 * place + rng.normal(0, 1.5, 30)))]
    return given, runs


GIVEN, RUNS = _made()


def changed(**judges):
    """Return the labels with what some judges say changed: a function of topic, place of the item and label."""
    given = copy.deepcopy(GIVEN)
    for name, say in judges.items():
        source = given.get(name, GIVEN["model"])
        given[name] = {}
        for topic, own in source.items():
            said = {item: say(topic, place, level) for place, (item, level) in enumerate(own.items())}
            given[name][topic] = {item: level for item, level in said.items() if level is not None}
    return given


def study_of(given, *, runs=RUNS, real=True, **options):
    labels = as_labels(given, real=real)
    collection = None
    if runs is not None:
        qrels = {topic: {} for topic in judgments_of_labels(labels).topics}
        for (topic, item), level in labels.table.max(axis=1).items():
            qrels[topic][item] = level
        collection = collection_from_rankings(runs, qrels)
        options = {"metrics": ["nDCG@10", "AP"]} | options
    return study_judges(labels, collection=collection, reference="nist", n_resamples=100, rng=0, **options)


def tau_by_hand(first, second, metric="nDCG@10"):
    """Score the runs with the labels of two judges alone, and compare the means."""
    means = [np.nan_to_num(metric_values(collection_from_rankings(RUNS, one), [metric])[0]) for one in (first, second)]
    return kendalltau(*(one.mean(axis=1) for one in means)).statistic


def tau_of(study, judge="model", metric="nDCG@10"):
    return study.conclusions[metric].table.set_index("judge").loc[judge, "tau"]


def words_of(study):
    """Return the summary with the text of all sections."""
    page = judges_report(study)
    blocks = [block for section in page.sections for block in section.blocks]
    told = [words for block in blocks if block.kind == "text" for words in block.paragraphs]
    shown = [cell.text for block in blocks if block.kind == "table" for row in block.cells() for cell in row]
    return " ".join([*page.summary, *told, *shown])


def test_a_judge_of_a_part_counts_on_that_part_for_everybody():
    """Runs are scored on the items that all labelled, under every judge, and the rest is counted."""
    given = changed(model=lambda _, place, level: level if place % 2 else None)
    study = study_of(given)
    part = {
        name: {topic: {item: own[item] for item in given["model"][topic]} for topic, own in said.items()}
        for name, said in given.items()
    }
    assert tau_of(study) == pytest.approx(tau_by_hand(part["nist"], part["model"]))
    assert tau_of(study, "hasty") == pytest.approx(tau_by_hand(part["nist"], part["hasty"]))
    assert any(note.startswith("runs are scored on the 180 of 360 items that all labelled") for note in study.notes)
    assert "model 180" in words_of(study)


def test_on_its_own_items_a_judge_has_its_own_topics():
    """Topics of which a judge labelled nothing are left out and counted; they are no zeros."""
    given = changed(model=lambda topic, _, level: level if int(topic) < 5 else None)
    study = study_of(given, labelled="own")
    kept = {name: {topic: said[topic] for topic in TOPICS[:5]} for name, said in given.items()}
    assert study.conclusions["nDCG@10"].n_topics == 5
    assert tau_of(study) == pytest.approx(tau_by_hand(kept["nist"], kept["model"]))
    assert "7 of 12 topics were not judged by every judge: left out (without model: 12)" in study.notes


@pytest.mark.parametrize("grades", [(10, 17, 24), (-3, -2, -1), (0.0, 0.4, 3.75)])
def test_grades_off_every_scale_lose_no_item(grades):
    """A judge with a scale of its own ranks runs as it would on the reference's: the same items, nothing dropped."""
    metrics = ["nDCG@10", "AP", "ERR@10"]  # the last divides by the highest grade there is
    study = study_of(changed(model=lambda _, __, level: grades[level]), metrics=metrics)
    plain = study_of(GIVEN, maps={"model": "fit", "hasty": "keep"}, metrics=metrics)
    for name, scores in plain.scores.items():
        np.testing.assert_array_equal(study.scores[name], scores)
    assert study.labelling.labels.table.notna().all(axis=None)
    assert "scales fitted to nist by matching quantiles on common items: model" in study.notes
    assert study.labelling.scales.rules["model"] == "fitted"


def test_a_judge_that_labels_higher_is_not_fitted():
    """A person says 1 to 4, a model one more: the same label nowhere, 1 higher on average; percentages are fitted."""
    person = np.resize([1, 2, 3, 4], 120)
    frame = pd.DataFrame({"item": [f"i{at}" for at in range(120)], "person": person, "model": person + 1})
    study = study_judges(as_labels(frame), reference="person", rng=0)
    row = study.labelling.ranking.table.iloc[0]
    assert (row["same"], row["bias"]) == (0.0, 1.0)
    assert "and gives higher labels, by 1.00" in study.report().summary[0]
    shares = frame.assign(model=person * 20 + np.resize([1, 2, 3], 120))
    study = study_judges(as_labels(shares.set_index("item")), reference="person", rng=0)
    assert study.labelling.ranking.table["bias"].isna().all()
    assert study.report().summary[0].endswith("so that nothing shows who labels higher or lower: model.")
    frame = frame.assign(person=(person > 2).astype(int), model=person - 1)
    study = study_judges(as_labels(frame), reference="person", rng=0)
    assert study.report().summary[0].endswith("Cut to 0 and 1: model (1 from 1 on).")
    study = study_judges(as_labels(frame), reference="model", rng=0)
    assert "Only 0 and 1, beside grades up to 3 of model" in study.report().summary[0]


def test_grades_kept_off_the_scale_are_named():
    """If the grades are to stay they do, and the page says which the reference does not know."""
    study = study_of(changed(model=lambda _, __, level: 10 + 7 * level), maps="keep")
    assert "model: 360 labels stay at grades that nist does not give (10, 17, 24); the rule is kept" in study.notes
    assert "AP: no rank correlation where all systems score alike: model" in study.notes


def test_negative_grades_that_are_kept_are_no_judgments():
    """Below 0 nothing is judged, so no run can be scored: that is refused, with who is in the way."""
    with pytest.raises(
        InvalidOptionError, match=r"judged none of the 12 topics; leave out model \(then there are 12 topics\)"
    ):
        study_of(changed(model=lambda _, __, level: -level - 1), maps="keep")


def test_labels_that_were_dropped_rank_no_runs():
    """Labels left out as off a scale are counted where labels are compared; runs beside them are refused."""
    given = changed(model=lambda _, __, level: 5 if level == 2 else level)
    labels = as_labels(given, scale=[0, 1, 2], outside="drop")
    n_fives = sum(level == 5 for own in given["model"].values() for level in own.values())
    assert f"labels off the scale 0, 1, 2, left out: model {n_fives}" in study_judges(labels, rng=0).notes
    collection = collection_from_rankings(RUNS, given["nist"])
    with pytest.raises(InvalidOptionError, match=f"{n_fives} labels were left out as off the scale"):
        study_judges(labels, collection=collection, reference="nist", rng=0)


def test_a_turned_scale_is_noticed():
    """A judge whose grades fall where the reference's rise has a kappa below 0, and the page asks about its scale."""
    study = study_of(changed(model=lambda _, __, level: 2 - level), runs=None)
    kappa = study.labelling.ranking.table.set_index("judge").loc["model", "quadratic_kappa"]
    (note,) = (one for one in study.notes if one.startswith("kappa significantly below 0"))
    assert f"model ({kappa:.2f}); a scale may be reversed" in note


@pytest.mark.parametrize("label", [0, 1, 2])
def test_a_constant_judge_ranks_nothing_and_agrees_by_chance(label):
    """Kappa is 0, there is no tau, no significant pair, and the page says why."""
    study = study_of(changed(model=lambda *_: label))
    row = study.labelling.ranking.table.set_index("judge").loc["model"]
    assert row["quadratic_kappa"] == row["kappa"] == 0
    assert row["behind"]
    for metric in ("nDCG@10", "AP"):
        own = study.conclusions[metric].table.set_index("judge").loc["model"]
        assert np.isnan(own["tau"])
        assert own[["power", "recall", "f1", "n_conflicts"]].tolist() == [0, 0, 0, 0]
        assert f"{metric}: no rank correlation where all systems score alike: model" in study.notes
        assert (metric, "model") not in study.worth
        assert "are the same on every topic under model" in study.unanswered[f"What model is worth under {metric}"]
    assert f"the same label for every item: model {label}" in study.notes


def test_two_identical_judges_are_one_judge_twice():
    """All that is said of one is said of the other, they are named, and neither is behind the other."""
    study = study_of(GIVEN | {"twin": GIVEN["model"]})
    for found in study.conclusions.values():
        table = found.table.set_index("judge").drop(columns="kind")
        assert table.loc["model"].equals(table.loc["twin"].rename("model"))
    ranking = study.labelling.ranking.table.set_index("judge")
    assert ranking.loc["twin", ["difference", "behind"]].tolist() == [0, False]
    assert "model twin 360 100.0 %" in words_of(study)


def test_the_reference_again_changes_nothing():
    """A judge with the reference's own labels has every figure at its best, none of which varies over resamples."""
    study = study_of({"nist": GIVEN["nist"], "again": GIVEN["nist"]})
    row = study.labelling.ranking.table.iloc[0]
    assert row[["quadratic_kappa", "kappa", "same", "bias"]].tolist() == [1, 1, 1, 0]
    for found in study.conclusions.values():
        assert found.table.loc[0, ["tau", "tau_ap", "precision", "recall", "f1"]].tolist() == [1] * 5
        assert found.table.loc[0, ["tau_low", "f1_low"]].isna().all()
    assert not study.worth
    assert "no error is visible" in study.unanswered["What again is worth under AP"]


def test_one_topic_in_common_tells_of_no_other():
    """Labels are compared without an interval; runs are refused with who is in the way."""
    given = changed(model=lambda topic, _, level: level if topic == "0" else None)
    study = study_of(given, runs=None)
    row = study.labelling.agreement.pairs.set_index("second").loc["model"]
    assert np.isfinite(row["quadratic_kappa"])
    assert np.isnan(row["quadratic_kappa_low"])
    assert "one topic gives no interval" in words_of(study)
    refusal = "of one topic alone; without model it would be 360 items of 12 topics; leave model out$"
    with pytest.raises(ScoresError, match=refusal):
        study_of(given)
    with pytest.raises(
        InvalidOptionError, match=r"judged 1 of the 12 topics, and .* leave out model \(then there are 12 topics\)"
    ):
        study_of(given, labelled="own")


@pytest.mark.parametrize(
    ("shared", "items", "labelled"), [(0, "same", "common"), (1, "same", "own"), (1, "other", "common")]
)
def test_judges_without_common_topics_are_compared_each_by_itself(shared, items, labelled):
    """Each has the conclusions that it has alone beside the reference, whose power is that on its topics."""

    def hasty(topic, place, level):
        return level if int(topic) >= 6 - shared and (place % 2 or items == "same") else None

    def model(topic, place, level):
        return level if int(topic) < 6 and (place % 2 == 0 or items == "same") else None

    given = changed(model=model, hasty=hasty)
    study = study_of(given, labelled=labelled)
    table = study.conclusions["AP"].table.set_index("judge")
    assert not study.conclusions["AP"].comparable
    cut = shared if items == "other" else 0  # topics of which no item is common
    for name in ("model", "hasty"):
        alone = study_of({one: own for one, own in given.items() if one in {"nist", name}}, labelled=labelled)
        row = alone.conclusions["AP"].table.iloc[0]
        assert table.loc[name, "n_topics"] == row["n_topics"] - cut
        for what in ("tau", "f1", "power", "reference_power", "n_reference", "n_conflicts") * (not cut):
            assert table.loc[name, what] == pytest.approx(row[what], nan_ok=True)
    said = "not compared with each other, without a topic in common: model and hasty"
    assert any(said in note for note in study.notes) == (shared == cut)
    assert "one of 2 judges, cannot be compared with people" in words_of(study)
    flat = study.to_frame().query("statistic == 'reference_power' and metric == 'AP'").set_index("second")["value"]
    assert flat.to_dict() == pytest.approx(table["reference_power"].to_dict())


@pytest.mark.parametrize("n_topics", [0, 1])
def test_advice_on_judges_without_common_topics_works(n_topics):
    """Judges with too few topics even by themselves are refused; the way that is named is followed to the letter."""
    given = changed(
        model=lambda topic, _, level: level if int(topic) < 6 else None,
        hasty=lambda topic, place, level: (
            level if (topic == "11" if n_topics else (place, topic) == (0, "0")) else None
        ),
    )
    for labelled in ("common", "own"):
        with pytest.raises((ScoresError, InvalidOptionError), match=r"leave (out )?hasty( out|$| \()"):
            study_of(given, labelled=labelled)
    assert study_of({one: own for one, own in given.items() if one != "hasty"}).conclusions


def test_people_with_fewer_than_thirty_items_are_no_test():
    """The alt-test is left unanswered with the numbers, and no verdict on labels is made up."""
    few = {name: lambda _, place, level: level if place < 2 else None for name in ("ann", "ben")}
    study = study_of(changed(**few), runs=None, people=["ann", "ben"])
    (reason,) = (why for what, why in study.unanswered.items() if "alt-test" in what)
    assert "nobody has 30 items that 2 people and the judge" in reason
    assert "nist 24, ann 24, ben 24" in reason
    assert study.verdicts.empty


def test_a_person_with_fewer_than_thirty_items_is_not_left_out_in_turn():
    """The others are tested, and the page names who was not."""
    given = changed(
        ann=lambda *what: what[-1], ben=lambda _, place, level: min(level + place % 2, 2) if place < 2 else None
    )
    study = study_of(given, runs=None, people=["ann", "ben"])
    assert set(study.labelling.alt.left_out["person"]) == {"ben"}
    (section,) = (one for one in judges_report(study).sections if one.id == "alt-test")
    words = " ".join(part for block in section.blocks if block.kind == "text" for part in block.paragraphs)
    assert "People with fewer than 30 items were not left out in turn: ben." in words


@pytest.mark.parametrize(
    ("groups", "reason"),
    [
        ("aabbcd", ""),
        ("abcdef", "`groups` must hold a group of two or more systems"),
        ("abbbbb", "beside 'b' there is 1 of 6"),
        ("aaaaaa", "beside 'a' there is none of 6"),
    ],
)
def test_groups_of_one_system_say_nothing_of_their_kind(groups, reason):
    """Groups of one are left out with a note; without a group that can be asked about, the question says why."""
    study = study_of(GIVEN, groups=dict(zip(RUNS, groups, strict=True)))
    if reason:
        assert reason in study.unanswered["Group bias under nDCG@10"]
        assert not study.group_bias
    else:
        found = study.group_bias["nDCG@10"]
        assert set(found.table["group"]) == {"a", "b"}
        assert any("c" in note and "d" in note for note in found.notes)


def test_nothing_in_common_with_the_reference():
    """Such a judge has no figure: it is named with the pairs left out, and runs are refused with its name."""
    given = copy.deepcopy(GIVEN)
    given["model"] = {f"x{topic}": own for topic, own in given["model"].items()}
    study = study_of(given, runs=None)
    assert study.labelling.agreement.pairs["second"].tolist() == ["hasty"]
    assert study.labelling.ranking.undefined == ("model",)
    assert "pairs of judges without a common item, left out: nist and model" in study.notes
    assert "Not compared: model." in words_of(study)
    with pytest.raises(ScoresError, match="no item was labelled by every judge; without model it would be 360 items"):
        study_of(given)
    with pytest.raises(
        InvalidOptionError, match=r"judged none of the 24 topics; leave out model \(then there are 12 topics\)"
    ):
        study_of(given, labelled="own")
    with pytest.raises(ScoresError, match="no two judges labelled a common item"):
        study_of({name: given[name] for name in ("nist", "model")}, runs=None)


@pytest.mark.parametrize("runs", [None, RUNS])
def test_a_reference_that_found_nothing_is_refused(runs):
    """Nobody can agree or disagree with it: fitted to it, every judge would be the same."""
    given = changed(nist=lambda *_: 0)
    with pytest.raises(
        ScoresError, match=r"nist called none of its 360 items relevant \(`rel=1`; its highest label is 0\)"
    ):
        study_of(given, runs=runs)
    given["nist"] = {topic: {} for topic in TOPICS}
    with pytest.raises(ScoresError, match="nist labelled nothing"):
        study_of(given, runs=runs)


def test_a_reference_that_finds_everything_relevant_fits_nobody():
    """To one grade no others can be fitted; kept as they are, judges can be compared by what they rank."""
    given = changed(nist=lambda *_: 1)
    with pytest.raises(ScoresError, match=r"nist gave one grade alone \(1\).*`maps='keep'`"):
        study_of(given, runs=None, maps="fit")
    study = study_of(given)
    assert study.labelling.ranking.table["quadratic_kappa"].tolist() == [0, 0]
    assert not study.scores
    study = study_of(given, maps="keep", labelled="own")
    assert "nDCG@10: no rank correlation where all systems score alike: model, hasty" in study.notes


@pytest.mark.parametrize("people", [[], ["ann"]])
def test_a_judge_of_relevant_items_alone_gets_no_verdict_on_systems(people):
    """On what the reference calls relevant nobody can be wrong about the rest: that is said first, with the way out."""
    relevant = {topic: {item for item, level in own.items() if level} for topic, own in GIVEN["nist"].items()}
    given = GIVEN | {"ann": GIVEN["hasty"]}
    given["model"] = {topic: dict.fromkeys(sorted(own), 2) for topic, own in relevant.items()}
    study = study_of(given, people=people)
    assert not study.scores
    assert (study.verdicts["ranking"] == "").all()
    first, reason = judges_report(study).summary
    assert first == "No verdict: these judges cannot be compared on systems."
    number = sum(map(len, relevant.values()))
    assert reason.startswith(f"The reason: nist calls all {number} items relevant that everybody labelled (model")
    assert "`labelled='own'`" in reason
    assert study_of(given, people=people, labelled="own").verdicts["f1"].notna().all()
    given["model"]["0"] |= dict.fromkeys(set(ITEMS) - relevant["0"], 0)
    assert study_of(given, people=people).verdicts["f1"].notna().all()


def test_topics_where_the_reference_found_nothing_are_left_out_and_counted():
    """Two topics with relevant items are enough; with one the runs are refused."""
    study = study_of(changed(nist=lambda topic, _, level: level if topic in "01" else 0))
    assert study.conclusions["AP"].n_topics == 2
    assert "10 of 12 topics have nothing relevant under nist: left out" in study.notes
    with pytest.raises(InvalidOptionError, match=r"of the 12 topics, and nist found something relevant on 1$"):
        study_of(changed(nist=lambda topic, _, level: level if topic == "0" else 0))


def test_a_reference_that_tells_no_pair_apart_gives_no_verdict():
    """No judge may replace anybody, and verdicts, conclusions and page have one F1: undefined, or 0."""
    few = {name: lambda _, place, level: level if place < 2 else None for name in ("ann", "ben")}
    study = study_of(changed(**few), people=["ann", "ben"])
    assert (study.conclusions["nDCG@10"].table["n_reference"] == 0).all()
    assert set(study.verdicts["ranking"]) == {"no pairs"}
    table = study.conclusions["nDCG@10"].table.set_index("judge")
    expected = np.where(table["n_significant"] > 0, 0.0, np.nan)
    np.testing.assert_array_equal(table["f1"], expected)
    np.testing.assert_array_equal(study.verdicts["f1"], table.loc[study.verdicts["judge"], "f1"])
    assert table["recall"].isna().all()
    assert "cannot be compared with people: under nist no pair differs significantly" in words_of(study)
    assert any(note.startswith("nDCG@10: under nist no pair differs significantly") for note in study.notes)


def test_without_people_nothing_is_said_of_standing_in_for_one():
    """No alt-test, no verdict on labels: neither may nor may not."""
    study = study_of(GIVEN)
    assert study.verdicts["labels"].tolist() == ["", ""]
    assert "for labels" not in words_of(study)
    assert "ω" not in words_of(study)
