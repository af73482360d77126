"""What another assessor would have changed: against scoring each assessor's qrels by itself."""

import numpy as np
import pytest

from metaeval.agreement.decisions import decision_agreement
from metaeval.agreement.labels import as_labels
from metaeval.collection.assembly import collection_from_rankings
from metaeval.errors import InvalidOptionError
from metaeval.io.labels import read_labels
from metaeval.metrics.score import metric_values
from metaeval.metrics.spec import metric as registered
from metaeval.scores import as_scores
from metaeval.studies.assessors import judgments_of_labels, study_assessors


def made(seed=0, share=0.25, n_topics=12):
    """Make runs of differing quality, labels by one assessor, and by another who draws a share of them anew."""
    rng = np.random.default_rng(seed)
    first, second, runs = {}, {}, {f"r{i}": {} for i in range(6)}
    for topic in map(str, range(n_topics)):
        documents = [f"d{i}" for i in range(30)]
        levels = rng.choice(3, 30, p=[0.6, 0.25, 0.15])
        first[topic] = {name: int(level) for name, level in zip(documents, levels, strict=True)}
        drawn = np.where(rng.random(30) < share, rng.permutation(levels), levels)
        second[topic] = {name: int(level) for name, level in zip(documents, drawn, strict=True)}
        for place, run in enumerate(runs.values()):
            order = np.argsort(-(levels * 0.5 * place + rng.normal(0, 1.5, 30)))
            run[topic] = [documents[i] for i in order]
    return runs, {"ann": first, "ben": second}


def compiled(runs, labels):
    """Compile the runs beside everything that was labelled."""
    judged = judgments_of_labels(labels)
    qrels = {topic: {} for topic in judged.topics}
    for (topic, item), level in labels.table.max(axis=1).items():
        qrels[topic][item] = int(level)
    return collection_from_rankings(runs, qrels)


def test_scores_under_an_assessor_are_those_of_its_own_qrels():
    """Scoring the runs with one assessor's labels alone gives what the study holds for that assessor."""
    runs, given = made()
    labels = as_labels(given)
    study = study_assessors(labels, collection=compiled(runs, labels), metrics=["AP", "nDCG@10"], rng=0)
    for name, qrels in given.items():
        alone = metric_values(collection_from_rankings(runs, qrels), ["AP", "nDCG@10"])
        for row, metric in enumerate(("AP", "nDCG@10")):
            np.testing.assert_allclose(study.scores[metric].sel(metric=name).to_numpy(), alone[row], atol=1e-12)


def test_effects_are_those_of_decision_agreement():
    """The rows of effects take the first assessor as the truth, as the agreement of decisions does."""
    runs, given = made()
    labels = as_labels(given)
    study = study_assessors(labels, collection=compiled(runs, labels), metrics=["AP"], rng=0)
    row = study.effects.iloc[0]
    own = decision_agreement(study.scores["AP"], test="t").to_frame()
    expected = own[(own["truth"] == "ann") & (own["predictor"] == "ben")].iloc[0]
    for name in ("tau", "precision", "recall", "f1", "n_conflicts"):
        assert row[name] == pytest.approx(expected[name], nan_ok=True)
    assert set(study.to_frame()["metric"].dropna()) == {"AP"}


def test_a_metric_where_less_is_better_keeps_its_direction():
    """Conclusions under a falling metric are those under its negative."""

    @registered(name="Misses", higher_is_better=False, bounds=(0, float("inf")))
    def misses(topic, *, rel=1):
        return topic.n_relevant(rel) - (topic.levels >= rel)[:10].sum()

    runs, given = made()
    labels = as_labels(given)
    study = study_assessors(labels, collection=compiled(runs, labels), metrics=[misses], rng=0)
    (name,) = study.scores
    assert not study.scores[name]["higher_is_better"].any()
    negative = as_scores(-study.scores[name], higher_is_better=True)
    own = decision_agreement(negative, test="t").to_frame().query("truth == 'ann' and predictor == 'ben'").iloc[0]
    row = study.effects.iloc[0]
    assert row[["tau", "f1", "n_truth"]].tolist() == own[["tau", "f1", "n_truth"]].tolist()


def test_the_same_assessor_twice_changes_nothing():
    """Equal labels: tau and F1 are 1 and there is no conflict."""
    runs, given = made()
    labels = as_labels({"ann": given["ann"], "again": given["ann"]})
    row = study_assessors(labels, collection=compiled(runs, labels), metrics=["AP"], rng=0).effects.iloc[0]
    assert row[["tau", "f1", "n_conflicts"]].tolist() == [1, 1, 0]


def test_unlabelled_items_count_as_unjudged():
    """What an assessor did not label is skipped by a condensed measure, and is no judged non-relevant document."""
    runs, given = made()
    for topic in given["ben"].values():
        for name in list(topic)[::2]:
            del topic[name]
    labels = as_labels(given)
    study = study_assessors(labels, collection=compiled(runs, labels), metrics=["AP'"], rng=0)
    alone = metric_values(collection_from_rankings(runs, given["ben"]), ["AP'"])[0]
    np.testing.assert_allclose(next(iter(study.scores.values())).sel(metric="ben"), alone, atol=1e-12)


def test_a_test_that_adjusts_itself_is_said_to():
    """Without a correction asked for, the study names the one that was used."""
    runs, given = made()
    labels = as_labels(given)
    for test, correction in (("t", "fdr_by"), ("tukey", "family-wise")):
        study = study_assessors(labels, collection=compiled(runs, labels), metrics=["AP"], test=test, rng=0)
        assert study.correction == correction


def test_topics_without_relevant_items_go_and_too_few_stop():
    """A topic where some assessor found nothing is left out with a note; fewer than two topics are an error."""
    runs, given = made()
    given["ben"]["3"] = dict.fromkeys(given["ben"]["3"], 0)
    labels = as_labels(given)
    study = study_assessors(labels, collection=compiled(runs, labels), metrics=["AP"], rng=0)
    assert study.notes == (
        "topics where a ratio of relevant sets is undefined for some pair, left out of its mean: 1 of 12",
        "1 of 12 topics have nothing relevant under some assessor: left out",
    )
    given["ben"] = {topic: dict.fromkeys(part, 0) for topic, part in given["ben"].items()}
    labels = as_labels(given)
    with pytest.raises(InvalidOptionError, match="there are 0"):
        study_assessors(labels, collection=compiled(runs, labels), metrics=["AP"], rng=0)


def test_a_collection_of_other_items_is_refused():
    """Runs compiled with judgments that nobody labelled cannot be scored under the assessors."""
    runs, given = made()
    labels = as_labels(given)
    other = collection_from_rankings(runs, {"1": {"d1": 1, "elsewhere": 0}})
    with pytest.raises(InvalidOptionError, match="'elsewhere', which no assessor labelled"):
        study_assessors(labels, collection=other, metrics=["AP"], rng=0)


def test_scores_compare_as_any_others():
    """What the study holds for a metric is a table of scores, with assessors in place of metrics."""
    runs, given = made()
    labels = as_labels(given)
    study = study_assessors(labels, collection=compiled(runs, labels), metrics=["AP"], rng=0)
    assert as_scores(study.scores["AP"]).sizes == {"metric": 2, "system": 6, "topic": 12}


def test_notes_name_everything_that_takes_no_part():
    """Labels off the scale, items not labelled, pairs without a common item, ratios without anything relevant."""
    given = {
        "ann": {"1": {"d1": 2, "d2": 0, "d3": 1}, "2": {"x": 0, "y": 0}},
        "ben": {"1": {"d1": 1, "d2": 7}, "2": {"x": 0, "y": 0}},
        "cy": {"1": {"d4": 1, "d5": 9}},
    }
    labels = as_labels(given, scale=[0, 1, 2], outside="drop")
    notes = study_assessors(labels, rng=0).notes
    assert notes == (
        "labels off the scale 0, 1, 2, left out: ben 1, cy 1",
        "items without a label, of 7: ann 2, ben 4, cy 6; two assessors are compared on the items that both labelled",
        "pairs of assessors without a common item, left out: ann and cy, ben and cy",
        "topics where a ratio of relevant sets is undefined for some pair, left out of its mean: 1 of 2",
    )


def test_nothing_left_out_means_no_note():
    """Notes are made from counts, so whole data have none."""
    labels = as_labels({name: {"1": {"d1": 1, "d2": 0}, "2": {"d1": 1}} for name in ("ann", "ben")})
    assert study_assessors(labels, rng=0).notes == ()


def test_what_reading_left_out_stands_with_the_notes(tmp_path):
    """A column of words is no assessor, and the study says so, not only the terminal."""
    path = tmp_path / "labels.csv"
    path.write_text("item,ann,ben,remark\nd1,1,1,good\nd2,0,1,bad\nd3,1,0,so so\n")
    study = study_assessors(as_labels(read_labels(path)).select(["ben", "ann"]), rng=0)
    assert study.notes == (
        "no column of topics: all items count as one topic",
        "columns without labels, left out: remark",
    )
