"""Rankings and significant pairs under different judges: against scoring each judge's qrels by itself."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau
from statsmodels.stats.inter_rater import cohens_kappa

from metaeval.agreement.decisions import decision_agreement
from metaeval.agreement.labels import as_labels
from metaeval.agreement.runs_under_judges import judgments_of_labels
from metaeval.collection.assembly import collection_from_rankings
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.inex.assessor_agreement import element_agreement, passage_agreement
from metaeval.inex.judged_files import inex_collection
from metaeval.inex.simulation import simulate_inex
from metaeval.io.labels import read_labels
from metaeval.metrics.scoring import metric_values, resolve_metrics
from metaeval.metrics.spec import metric as registered
from metaeval.questions.judges.study import study_judges
from metaeval.simulate.scores import simulate_scores
from metaeval.table.scores import as_scores


def made(seed=0, share=0.25, n_topics=12):
    """Make runs of differing quality, labels by one judge, and by another who draws a share of them anew."""
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


def test_scores_under_a_judge_are_those_of_its_own_qrels():
    """Scoring the runs with one judge's labels alone gives what the study holds for that judge."""
    runs, given = made()
    labels = as_labels(given)
    study = study_judges(labels, collection=compiled(runs, labels), metrics=["AP", "nDCG@10"], rng=0)
    for name, qrels in given.items():
        alone = metric_values(collection_from_rankings(runs, qrels), ["AP", "nDCG@10"])
        for row, metric in enumerate(("AP", "nDCG@10")):
            np.testing.assert_allclose(study.scores[metric].sel(metric=name).to_numpy(), alone[row], atol=1e-12)


def test_effects_are_those_of_decision_agreement():
    """The rows of effects take the first judge as the truth, as the agreement of decisions does."""
    runs, given = made()
    labels = as_labels(given)
    study = study_judges(labels, collection=compiled(runs, labels), metrics=["AP"], rng=0)
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
    study = study_judges(labels, collection=compiled(runs, labels), metrics=[misses], rng=0)
    (name,) = study.scores
    assert not study.scores[name]["higher_is_better"].any()
    negative = as_scores(-study.scores[name], higher_is_better=True)
    own = decision_agreement(negative, test="t").to_frame().query("truth == 'ann' and predictor == 'ben'").iloc[0]
    row = study.effects.iloc[0]
    assert row[["tau", "f1", "n_truth"]].tolist() == own[["tau", "f1", "n_truth"]].tolist()


def test_the_same_judge_twice_changes_nothing():
    """Equal labels: tau and F1 are 1 and there is no conflict."""
    runs, given = made()
    labels = as_labels({"ann": given["ann"], "again": given["ann"]})
    row = study_judges(labels, collection=compiled(runs, labels), metrics=["AP"], rng=0).effects.iloc[0]
    assert row[["tau", "f1", "n_conflicts"]].tolist() == [1, 1, 0]


def test_unlabelled_items_count_as_unjudged():
    """What a judge did not label is skipped by a condensed measure, and is no judged non-relevant document."""
    runs, given = made()
    for topic in given["ben"].values():
        for name in list(topic)[::2]:
            del topic[name]
    labels = as_labels(given)
    study = study_judges(labels, collection=compiled(runs, labels), metrics=["AP'"], rng=0)
    alone = metric_values(collection_from_rankings(runs, given["ben"]), ["AP'"])[0]
    np.testing.assert_allclose(next(iter(study.scores.values())).sel(metric="ben"), alone, atol=1e-12)


def test_a_test_that_adjusts_itself_is_said_to():
    """Without a correction asked for, the study names the one that was used."""
    runs, given = made()
    labels = as_labels(given)
    for test, correction in (("t", "fdr_by"), ("tukey", "family-wise")):
        study = study_judges(labels, collection=compiled(runs, labels), metrics=["AP"], test=test, rng=0)
        assert study.correction == correction


def test_topics_without_relevant_items_go_and_too_few_stop():
    """A topic where some judge found nothing is left out with a note; fewer than two topics are an error."""
    runs, given = made()
    given["ben"]["3"] = dict.fromkeys(given["ben"]["3"], 0)
    labels = as_labels(given)
    study = study_judges(labels, collection=compiled(runs, labels), metrics=["AP"], rng=0)
    assert study.notes == (
        "topics where a ratio of relevant sets is undefined for some pair, left out of its mean: 1 of 12",
        "1 of 12 topics have nothing relevant under some judge: left out",
        "relevant under AP are grades from 1 on; AP(rel=2) starts at 2",
    )
    given["ben"] = {topic: dict.fromkeys(part, 0) for topic, part in given["ben"].items()}
    labels = as_labels(given)
    with pytest.raises(InvalidOptionError, match="every judge found something relevant on none"):
        study_judges(labels, collection=compiled(runs, labels), metrics=["AP"], rng=0)


def test_a_collection_of_other_items_is_refused():
    """Runs compiled with judgments that nobody labelled cannot be scored under the judges."""
    runs, given = made()
    labels = as_labels(given)
    other = collection_from_rankings(runs, {"1": {"d1": 1, "elsewhere": 0}})
    with pytest.raises(InvalidOptionError, match="'elsewhere', which no judge labelled"):
        study_judges(labels, collection=other, metrics=["AP"], rng=0)


def test_scores_compare_as_any_others():
    """What the study holds for a metric is a table of scores, with judges in place of metrics."""
    runs, given = made()
    labels = as_labels(given)
    study = study_judges(labels, collection=compiled(runs, labels), metrics=["AP"], rng=0)
    assert as_scores(study.scores["AP"]).sizes == {"metric": 2, "system": 6, "topic": 12}


def test_notes_name_everything_that_takes_no_part():
    """Labels off the scale, items not labelled, pairs without a common item, ratios without anything relevant."""
    given = {
        "ann": {"1": {"d1": 2, "d2": 0, "d3": 1}, "2": {"x": 0, "y": 0}},
        "ben": {"1": {"d1": 1, "d2": 7}, "2": {"x": 0, "y": 0}},
        "cy": {"1": {"d4": 1, "d5": 9}},
    }
    labels = as_labels(given, scale=[0, 1, 2], outside="drop")
    notes = study_judges(labels, rng=0).notes
    assert notes == (
        "labels off the scale 0, 1, 2, left out: ben 1, cy 1",
        "items without a label, of 7: ann 2, ben 4, cy 6; two judges are compared on the items that both labelled",
        "pairs of judges without a common item, left out: ann and cy, ben and cy",
        "topics where a ratio of relevant sets is undefined for some pair, left out of its mean: 1 of 2",
    )


def test_nothing_left_out_means_no_note():
    """Notes are made from counts, so whole data have none."""
    labels = as_labels({name: {"1": {"d1": 1, "d2": 0}, "2": {"d1": 1}} for name in ("ann", "ben")})
    assert study_judges(labels, rng=0).notes == ()


def test_what_reading_left_out_stands_with_the_notes(tmp_path):
    """A column of words is no judge, and the study says so, not only the terminal."""
    path = tmp_path / "labels.csv"
    path.write_text("item,ann,ben,remark\nd1,1,1,good\nd2,0,1,bad\nd3,1,0,so so\n")
    study = study_judges(as_labels(read_labels(path)).select(["ben", "ann"]), rng=0)
    assert study.notes == (
        "no column of topics: items are what is drawn for intervals",
        "columns without labels, left out: remark",
    )


# ------------------------------------------------------------------------------------------- elements and passages


@pytest.fixture(scope="module", params=[2004, 2005, 2007])
def campaign(request):
    """Make a campaign of which some topics were judged twice."""
    sizes = {"n_systems": 5, "n_topics": 7, "n_documents": 60, "n_results": 40, "relevant_documents": 12}
    return simulate_inex(year=request.param, n_second=6, rng=request.param, **sizes, published=False)


def beside(campaign, assessments):
    """Compile the runs beside the assessments of one judge."""
    sizes = None if assessments.scale == "passages" else campaign.sizes
    return inex_collection(campaign.submissions, assessments, sizes=sizes)


def metrics_of(campaign):
    return ["AiP", "iP@0.1"] if campaign.year > 2006 else ["MAep", "nxCG@10"]


def twice(campaign, **options):
    """Study the two judges of a campaign."""
    judged = {"main": campaign.assessments, "other": campaign.second_assessments}
    collection = {name: beside(campaign, one) for name, one in judged.items()}
    return study_judges(judged, collection=collection, metrics=metrics_of(campaign), rng=0, **options)


def test_inex_effects_are_those_of_scoring_twice_by_hand(campaign):
    """Score both collections metric by metric and topic by topic, and compare decisions by hand: the same numbers."""
    study = twice(campaign)
    relevant = []
    for judged in (campaign.assessments, campaign.second_assessments):
        marked = judged.documents[judged.documents["relevant_size"] > 0]
        useful = judged.elements[(judged.elements["exhaustivity"] != 0) & (judged.elements["specificity"] > 0)]
        relevant.append(set(marked["topic"]) | set(useful["topic"]))
    both = set(campaign.assessments.documents["topic"]) & set(campaign.second_assessments.documents["topic"])
    topics = sorted(both & relevant[0] & relevant[1])
    assert len(topics) >= 4
    for row in study.effects.to_dict("records"):
        tables = []
        for judged in (campaign.assessments, campaign.second_assessments):
            collection = beside(campaign, judged)
            values = metric_values(collection, [row["metric"]])[0]
            tables.append(np.nan_to_num(values[:, [collection.topics.index(topic) for topic in topics]]))
        np.testing.assert_allclose(study.scores[row["metric"]].to_numpy(), np.stack(tables), atol=1e-12)
        scores = as_scores(study.scores[row["metric"]].copy(data=np.stack(tables)))
        found = decision_agreement(scores, test="t").to_frame().query("truth == 'main' and predictor == 'other'")
        for name in ("tau", "tau_ap", "precision", "recall", "f1", "n_truth", "n_predictor", "n_conflicts"):
            assert row[name] == pytest.approx(found[name].iloc[0], nan_ok=True)
        means = [table.mean(axis=1) for table in tables]
        assert row["tau"] == pytest.approx(kendalltau(*means).statistic)


def test_inex_labels_are_whole_documents(campaign):
    """A document is relevant to a judge who found anything in it; the rest is as for labels of documents."""
    study = twice(campaign)
    table = study.labelling.labels.table
    assert set(table.index.get_level_values("topic")) == set(campaign.second_assessments.documents["topic"])
    for name, judged in (("main", campaign.assessments), ("other", campaign.second_assessments)):
        useful = judged.elements[(judged.elements["exhaustivity"] != 0) & (judged.elements["specificity"] > 0)]
        marked = judged.documents[judged.documents["relevant_size"] > 0]
        expected = {*zip(useful["topic"], useful["document"], strict=True)}
        expected |= {*zip(marked["topic"], marked["document"], strict=True)}
        found = table.index[table[name] == 1].tolist()
        assert set(found) == {pair for pair in expected if pair[0] in set(table.index.get_level_values("topic"))}
    assert any(note.startswith("topics that not all judged, left out: 1 of 7") for note in study.notes)


def test_inex_agreement_of_parts_is_that_of_the_analysis_of_assessments(campaign):
    """Elements and characters are compared by the functions of `metaeval assessment`, and their means are rows."""
    study = twice(campaign)
    first, second = campaign.assessments, campaign.second_assessments
    rows = study.to_frame().set_index("statistic")["value"]
    if campaign.year < 2006:
        own = element_agreement(first, second)
        assert study.labelling.elements["both"].tolist() == own["both"].tolist()
        assert rows["elements: both"] == pytest.approx(own["both"]["mean"])
    else:
        own = passage_agreement(first, second)
        assert study.labelling.passages["first_marked"].tolist() == own["first"].tolist()
        assert rows["characters: of_union"] == pytest.approx(own["of_union"].mean())
        assert study.labelling.elements.empty


def test_the_same_inex_judge_twice_changes_nothing(campaign):
    """Equal assessments: tau is 1, and F1 where a pair is significant; nothing conflicts, all relevant is shared."""
    judged = {"main": campaign.assessments, "again": campaign.assessments}
    collection = dict.fromkeys(judged, beside(campaign, campaign.assessments))
    study = study_judges(judged, collection=collection, metrics=metrics_of(campaign), rng=0)
    assert study.effects[["tau", "n_conflicts"]].drop_duplicates().to_numpy().tolist() == [[1, 0]]
    np.testing.assert_array_equal(study.effects["f1"], np.where(study.effects["n_truth"] > 0, 1, np.nan))
    assert study.labelling.agreement.pairs[["same", "kappa", "overlap"]].to_numpy().tolist() == [[1, 1, 1]]
    parts = (
        study.labelling.passages["of_union"] if study.labelling.elements.empty else study.labelling.elements["exact"]
    )
    assert set(parts) == {1}


def test_the_other_judge_as_the_truth_turns_precision_and_recall(campaign):
    """With a reference the pairs turn round: what was precision is recall."""
    ahead, back = twice(campaign).effects, twice(campaign, reference="other").conclusions
    for row in ahead.to_dict("records"):
        turned = back[row["metric"]].table.iloc[0]
        assert (turned["judge"], back[row["metric"]].reference) == ("main", "other")
        np.testing.assert_allclose(row["precision"], turned["recall"])
        np.testing.assert_allclose([row["f1"], row["n_conflicts"]], turned[["f1", "n_conflicts"]].astype(float))


def test_without_metrics_those_of_the_campaign_are_taken(campaign):
    """Nothing asked for: measures that fit what was assessed; without runs nothing is scored."""
    judged = {"main": campaign.assessments, "other": campaign.second_assessments}
    collection = {name: beside(campaign, one) for name, one in judged.items()}
    study = study_judges(judged, collection=collection, rng=0)
    assert tuple(dict.fromkeys(study.scores)) == tuple(
        one.name for one in resolve_metrics(collection["main"].usual_metrics)
    )
    assert study_judges(judged, rng=0).effects.empty


def test_what_cannot_be_compared_is_refused(campaign):
    """One judge, different scales, no common topic, and collections that are not the judges'."""
    first, second = campaign.assessments, campaign.second_assessments
    with pytest.raises(ScoresError, match="needs two judges, not 1"):
        study_judges({"main": first})
    other = "2002" if first.scale != "2002" else "2003"
    with pytest.raises(ScoresError, match="different scales"):
        study_judges({"main": first, "other": replace(second, scale=other)})
    elsewhere = replace(second, documents=second.documents.assign(topic="no such"), elements=second.elements.head(0))
    with pytest.raises(ScoresError, match="no topic was judged by all"):
        study_judges({"main": first, "other": elsewhere})
    judged, compiled_once = {"main": first, "other": second}, beside(campaign, first)
    with pytest.raises(InvalidOptionError, match="a mapping of judge to collection"):
        study_judges(judged, collection=compiled_once)
    with pytest.raises(InvalidOptionError, match="must name the judges main, other, not main"):
        study_judges(judged, collection={"main": compiled_once})
    fewer = compiled_once.select(systems=compiled_once.systems[1:])
    with pytest.raises(InvalidOptionError, match="the same runs"):
        study_judges(judged, collection={"main": compiled_once, "other": fewer})


def test_people_on_other_topics_are_said_to_be():
    """A difference from a second person who has other topics is one of topics too; not from one who has all."""
    table = simulate_scores(n_systems=5, n_topics=24, metrics=["AP", "nDCG@10", "P@10"], rng=0)
    sides = {name: table.isel(metric=[place]) for place, name in enumerate(("nist", "bot", "ann"))}
    for cut, said in ((24, 0), (12, 1)):
        given = sides | {"bot": sides["bot"].isel(topic=slice(12)), "ann": sides["ann"].isel(topic=slice(24 - cut, 24))}
        study = study_judges(scores={"AP": given}, reference="nist", people=["ann"], n_resamples=20, rng=0)
        note = "AP: people have other topics than bot, so a difference from a second person is one of topics too"
        assert study.notes.count(note) == said


def test_scores_that_are_labels_are_compared_answer_by_answer():
    """Two scorers of right and wrong answers: kappa is that of statsmodels, on all answers of all systems."""
    rng = np.random.default_rng(5)
    human = (rng.random((3, 40)) < np.array([[0.7], [0.5], [0.4]])).astype(float)
    bot = np.where(rng.random((3, 40)) < 0.85, human, 1 - human)
    scores = {"score": {"human": as_scores(human), "bot": as_scores(bot)}}
    study = study_judges(None, scores=scores, n_resamples=50, rng=0)
    counts = np.histogram2d(human.ravel(), bot.ravel(), bins=2)[0]
    pair = study.labelling.agreement.pairs.iloc[0]
    assert pair["kappa"] == pytest.approx(cohens_kappa(counts, return_results=False), abs=1e-12)
    assert pair["same"] == pytest.approx((human == bot).mean(), abs=1e-12)
    graded = study_judges(None, scores={"AP": {"human": as_scores(human / 3), "bot": as_scores(bot)}}, rng=0)
    assert graded.labelling is None  # shares are no labels


def test_frames_of_scores_under_judges_are_read():
    """Each judge's scores may be a frame, as `as_scores` takes it; frames without a metric, and people, are refused."""
    table = simulate_scores(n_systems=5, n_topics=24, metrics=["AP", "nDCG@10"], rng=0)
    sides = {name: table.isel(metric=place).to_pandas().T for place, name in enumerate(("nist", "bot"))}
    framed = study_judges(scores={"AP": sides}, reference="nist", n_resamples=20, rng=0)
    read = {name: as_scores(frame) for name, frame in sides.items()}
    pd.testing.assert_frame_equal(
        framed.to_frame(), study_judges(scores={"AP": read}, reference="nist", n_resamples=20, rng=0).to_frame()
    )
    with pytest.raises(InvalidOptionError, match=r"must map metrics to .* got a DataFrame under 'nist'"):
        study_judges(scores=sides, reference="nist")
    with pytest.raises(InvalidOptionError, match="`people` are others beside the reference; leave 'nist' out"):
        study_judges(scores={"AP": sides}, reference="nist", people=["nist"])


def test_figures_under_a_metric_that_does_not_decide_are_named():
    """Verdicts are by the first metric; the page gives F1 and τ under the other and says how it would decide."""
    runs, given = made()
    labels = as_labels(given)
    study = study_judges(labels, collection=compiled(runs, labels), metrics=["AP", "nDCG@10"], reference="ann", rng=0)
    row = study.conclusions["nDCG@10"].table.iloc[0]
    said = " ".join(study.report().summary)
    figures = f"F1 {row['f1']:.2f}, τ {row['tau']:.2f}"
    assert f"That is by AP, the first of 2 metrics; nDCG@10 ({figures}) would decide if named alone." in said
