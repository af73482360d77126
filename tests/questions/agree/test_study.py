"""The agreement study: what it puts together, the uses of the grades in an audit, and what is refused."""

import re

import numpy as np
import pandas as pd
import pytest

from metaeval.agreement.decisions import decision_agreement
from metaeval.collection.assembly import collection_from_rankings
from metaeval.errors import InvalidOptionError, MetaevalWarning, UnknownNameError
from metaeval.metrics import BUILTIN, RankedTopic, metric, score
from metaeval.questions.agree.study import audit_quantisations, study_agree
from metaeval.questions.agree.study_variants import audit_variants
from metaeval.questions.topics.study import study_topics
from metaeval.resampling.agreement_interval import agreement_intervals
from metaeval.table.scores import as_scores


def simulated_scores(n_metrics=3, n_systems=7, n_topics=25):
    generator = np.random.default_rng(2)
    shared = generator.normal(0, 0.15, (n_systems, 1)) + generator.normal(0, 0.2, (n_systems, n_topics))
    return as_scores(shared + generator.normal(0, 0.1, (n_metrics, n_systems, n_topics)))


@pytest.mark.parametrize(("n_systems", "words"), [(2, "make 1 pair: .* rest on it"), (3, "make 3 pairs"), (4, "")])
def test_few_systems_are_said_to_be_few(n_systems, words):
    """What one pair says of a metric is chance, whatever its interval over topics."""
    scores = simulated_scores(n_systems=n_systems)
    studies = (
        study_agree(scores, n_topic_resamples=None, rng=0),
        study_topics(scores, tolerances=[0], n_trials=5, bayesian=False, rng=0),
    )
    for study in studies:
        told = [note for note in study.notes if re.match(rf"{n_systems} systems make", note)]
        assert len(told) == bool(words)
        assert not told or re.search(words, told[0])


def test_holds_what_the_parts_give():
    """Agreement and intervals are those of the functions by themselves, with the same seed."""
    scores = simulated_scores()
    study = study_agree(scores, tests=["t"], alphas=[0.05, 0.2], n_topic_resamples=20, rng=3)
    alone = agreement_intervals(scores, test="t", alphas=[0.05, 0.2], n_topic_resamples=20, rng=3)
    pd.testing.assert_frame_equal(study.to_frame(), alone.to_frame())
    pd.testing.assert_frame_equal(study.shares(), alone.shares())


def test_every_test_with_every_correction():
    """Tests and corrections are crossed; a test that adjusts itself gives its own beside, or only its own."""
    study = study_agree(
        simulated_scores(),
        tests=["t", "max-t", "tukey_parametric"],
        corrections=["none", "holm"],
        n_resamples=2000,
        n_topic_resamples=None,
        rng=0,
    )
    settings = [(one.result.test, one.result.correction) for one in study.agreements]
    assert settings == [
        ("t", "none"), ("t", "holm"), ("max_t", "none"), ("max_t", "holm"), ("max_t", "family-wise"),
        ("tukey_parametric", "family-wise"),
    ]  # fmt: skip
    alone = decision_agreement(simulated_scores(), test="t", correction="holm")
    pd.testing.assert_frame_equal(study.agreements[1].to_frame(), alone.to_frame())
    assert study.intervals is None
    assert len(study.to_frame()) == 6 * 6


def test_choice_of_runs_is_noted():
    """Fewer runs make fewer pairs, and the study says so."""
    study = study_agree(simulated_scores(), tests=["t"], choose=4, n_topic_resamples=None, rng=0)
    assert study.lead.n_pairs == 6
    assert any("4 of 7 systems" in note for note in study.notes)


def of_linear_gains(topic: RankedTopic, *, k: int) -> float:
    """Divide gains by the highest grade: above 1 under exponential gains."""
    return float(topic.gains[topic.ranks <= k].sum() / k / topic.top_level)


def test_a_use_that_fails_is_left_out_and_the_audit_goes_on():
    """The others are compared as without it; which one and why stands in a warning and a note."""
    registry = BUILTIN.extend(metric(name="Scaled", graded=True)(of_linear_gains))
    qrels = {topic: {f"d{n}": n % 3 for n in range(9)} for topic in "123"}
    runs = {f"r{s}": {topic: [f"d{n * s % 9}" for n in range(1, 6)] for topic in qrels} for s in (1, 2, 4)}
    collection = collection_from_rankings(runs, qrels)
    asked = {"tests": ["t"], "n_topic_resamples": None, "registry": registry, "rng": 0}
    with pytest.warns(MetaevalWarning, match="left out of the audit: Scaled.* outside the declared bounds") as caught:
        study = audit_quantisations(collection, "Scaled@1", gains="{1:1,2:2}", **asked)
    assert [str(one.message) for one in caught] == [note for note in study.notes if "left out of" in note]
    kept = [variant.metric for variant in study.variants]
    assert "Scaled(gains=exponential)@1" not in kept
    assert tuple(kept) == study.lead.metrics
    alone = study_agree(score(collection, kept, registry=registry), tests=["t"], n_topic_resamples=None, rng=0)
    pd.testing.assert_frame_equal(study.to_frame(), alone.to_frame())
    nowhere = {**asked, "registry": BUILTIN.extend(metric(name="Tiny", graded=True, bounds=(0, 0.01))(of_linear_gains))}
    with pytest.raises(InvalidOptionError, match="outside the declared bounds"):
        audit_quantisations(collection, "Tiny@1", **nowhere)


def test_reference_is_the_first_metric():
    """Without an audit all metrics stand side by side and the first is in use."""
    study = study_agree(simulated_scores(), tests=["t"], n_topic_resamples=None, rng=0)
    assert study.groups() == {"": ("metric1", "metric2", "metric3")}
    assert study.reference() == "metric1"
    assert study.grades().empty


class TestAudit:
    """The uses of the grades."""

    def test_grades_that_are_not_there_are_left_out(self, graded):
        """Only grades that some document has are thresholds."""
        variants = audit_variants(graded((0, 1, 4)), "AP")
        assert [one.metric for one in variants] == ["AP", "AP(rel=4)"]
        study = audit_quantisations(graded((0, 1, 4)), "nDCG@10", tests=["t"], n_topic_resamples=None, rng=0)
        assert study.grades()["boundary"].tolist() == ["0 and 1", "1 and 4"]

    def test_grades_table_is_the_agreement_with_linear_gains(self, graded):
        """Each row takes the blind metric as predictor of the one with linear gains."""
        study = audit_quantisations(graded(), "nDCG@10,AP", tests=["t"], n_topic_resamples=10, rng=0)
        assert study.reference("nDCG@10") == "nDCG@10"
        frame = study.grades()
        assert frame["base"].tolist() == ["nDCG@10"] * 3
        assert frame["boundary"].tolist() == ["0 and 1", "1 and 2", "2 and 3"]
        for row in frame.itertuples():
            assert row.f1 == study.lead.matrix("f1").loc[row.metric, "nDCG@10"]
            assert row.recall == study.lead.matrix("recall").loc[row.metric, "nDCG@10"]
            assert np.isnan(row.f1_low) or row.f1_low <= row.f1 <= row.f1_high  # none where all resamples agree
        assert np.isfinite(frame["f1_low"]).any()

    def test_merged_grades_stand_apart(self, graded):
        """The matrices show whole uses of the grades; merged ones have a table of their own."""
        study = audit_quantisations(graded(), "nDCG@10,AP", tests=["t"], n_topic_resamples=None, rng=0)
        groups = study.groups()
        assert list(groups) == ["nDCG@10", "AP"]
        assert not any("{" in name for name in groups["nDCG@10"])

    def test_a_metric_with_one_use_is_noted(self, graded):
        """Beside a metric that is audited, one that stays as it is has a note; without one there is none."""
        options = {"tests": ["t"], "n_topic_resamples": None, "rng": 0}
        told, alone = (set(audit_quantisations(graded(), metrics, **options).notes) for metrics in ("AP,ERR", "AP"))
        (note,) = told - alone
        assert note.startswith("ERR uses the grades in one way only")
        assert {one.split(": ")[0] for one in alone} == {
            f"the same score on every topic under {name}" for name in ("AP", "AP(rel=2)", "AP(rel=3)")
        }


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"min_f1": 0}, "min_f1"),
        ({"min_f1": 1.1}, "min_f1"),
        ({"tests": []}, "at least one"),
        ({"corrections": []}, "one"),
    ],
    ids=str,
)
def test_refusals(options, words):
    """An option outside its rule is refused."""
    with pytest.raises(InvalidOptionError, match=words):
        study_agree(simulated_scores(), **({"tests": ["t"]} | options))


def test_unknown_test():
    """An unknown test is refused with the nearest names."""
    with pytest.raises(UnknownNameError, match="bootstrap"):
        study_agree(simulated_scores(), tests=["bootstap"])


@pytest.mark.parametrize(
    ("name", "qrels", "metrics"),
    [("trec-dl19-passage", "qrels", 28), ("trec-covid-r1", "qrels", 13 + 2)],
)
def test_real_collections(data_folder, name, qrels, metrics):
    """On DL19 and TREC-COVID the audit finds every use of the grades, and binary nDCG within its interval of 0.95."""
    from metaeval.io.trec import read_collection  # noqa: PLC0415 - reads files, as this test alone does

    folder = data_folder / name
    (judged,) = folder.glob(f"{qrels}*")
    with pytest.warns(UserWarning, match="tied scores"):
        collection = read_collection([folder / "runs"], judged)
    study = audit_quantisations(
        collection, "AP,nDCG@10,Q,RBP(p=0.8),ERR", n_resamples=2000, n_topic_resamples=50, rng=0
    )
    assert len(study.variants) == metrics
    row = study.to_frame().set_index(["predictor", "truth"]).loc[("nDCG(gains=binary(rel=1))@10", "nDCG@10")]
    assert row["n_conflicts"] == 0
    assert 0.85 < row["f1"] < 1
