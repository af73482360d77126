"""The agreement study: what it puts together, the uses of the grades in an audit, and what is refused."""

import numpy as np
import pandas as pd
import pytest

from metaeval.agreement.decisions import decision_agreement
from metaeval.collection.assembly import collection_from_rankings
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.metrics.plugins import default_registry
from metaeval.metrics.score import score
from metaeval.resampling.agreement_interval import agreement_intervals
from metaeval.scores import as_scores
from metaeval.studies.agree import audit_quantisations, audit_variants, study_agreement


def simulated_scores(n_metrics=3, n_systems=7, n_topics=25):
    generator = np.random.default_rng(2)
    shared = generator.normal(0, 0.15, (n_systems, 1)) + generator.normal(0, 0.2, (n_systems, n_topics))
    return as_scores(shared + generator.normal(0, 0.1, (n_metrics, n_systems, n_topics)))


def simulated_collection(grades=(0, 1, 2, 3), *, n_systems=6, n_topics=15):
    """Six runs over twenty documents a topic, better ones sorting documents more by their grade."""
    generator = np.random.default_rng(4)
    qrels = {
        str(topic): {f"d{number}": int(generator.choice(grades)) for number in range(20)} for topic in range(n_topics)
    }
    runs = {
        f"run{system}": {
            topic: sorted(levels, key=lambda name: -levels[name] * 0.3 * system - generator.random())
            for topic, levels in qrels.items()
        }
        for system in range(n_systems)
    }
    return collection_from_rankings(runs, qrels)


def test_holds_what_the_parts_give():
    """Agreement and intervals are those of the functions by themselves, with the same seed."""
    scores = simulated_scores()
    study = study_agreement(scores, tests=["t"], alphas=[0.05, 0.2], n_topic_resamples=20, rng=3)
    alone = agreement_intervals(scores, test="t", alphas=[0.05, 0.2], n_topic_resamples=20, rng=3)
    pd.testing.assert_frame_equal(study.to_frame(), alone.to_frame())
    pd.testing.assert_frame_equal(study.shares(), alone.shares())


def test_every_test_with_every_correction():
    """Tests and corrections are crossed; a test that adjusts itself gives its own beside, or only its own."""
    study = study_agreement(
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
    study = study_agreement(simulated_scores(), tests=["t"], choose=4, n_topic_resamples=None, rng=0)
    assert study.lead.n_pairs == 6
    assert any("4 of 7 systems" in note for note in study.notes)


def test_reference_is_the_first_metric():
    """Without an audit all metrics stand side by side and the first is in use."""
    study = study_agreement(simulated_scores(), tests=["t"], n_topic_resamples=None, rng=0)
    assert study.groups() == {"": ("metric1", "metric2", "metric3")}
    assert study.reference() == "metric1"
    assert study.grades().empty


class TestAudit:
    """The uses of the grades."""

    def test_every_use_of_four_grades(self):
        """Metrics with gains get every quantisation, those with a threshold every threshold, ERR stays as it is."""
        variants = audit_variants(simulated_collection(), "AP,nDCG@10,ERR", gains="{1:1, 2:5, 3:10}")
        assert [(one.metric, one.kind, one.words) for one in variants] == [
            ("AP", "binary", "binary ≥ 1"),
            ("AP(rel=2)", "binary", "binary ≥ 2"),
            ("AP(rel=3)", "binary", "binary ≥ 3"),
            ("nDCG@10", "linear", "linear"),
            ("nDCG(gains=binary(rel=1))@10", "binary", "binary ≥ 1"),
            ("nDCG(gains=binary(rel=2))@10", "binary", "binary ≥ 2"),
            ("nDCG(gains=binary(rel=3))@10", "binary", "binary ≥ 3"),
            ("nDCG(gains=exponential)@10", "other gains", "exponential"),
            ("nDCG(gains={1:1, 2:5, 3:10})@10", "other gains", "gains {1:1, 2:5, 3:10}"),
            ("nDCG(gains={1:0, 2:2, 3:3})@10", "grades merged", "blind to 0 and 1"),
            ("nDCG(gains={1:1.5, 2:1.5, 3:3})@10", "grades merged", "blind to 1 and 2"),
            ("nDCG(gains={1:1, 2:2.5, 3:2.5})@10", "grades merged", "blind to 2 and 3"),
            ("ERR", "as it is", "as it is"),
        ]

    @pytest.mark.parametrize("name", ["AP", "nDCG@10", "Q", "RBP(p=0.8)", "nERR@5,AP"])
    def test_names_are_metrics(self, name):
        """Every variant is a metric that the registry knows by exactly that name."""
        for variant in audit_variants(simulated_collection(), name):
            assert default_registry().resolve(variant.metric).name == variant.metric

    def test_two_grades_need_no_merging(self):
        """With grades 1 and 2, blind to one boundary is binary at the other, and has the same scores."""
        collection = simulated_collection((0, 1, 2))
        variants = audit_variants(collection, "nDCG@10")
        assert {one.metric: one.boundary for one in variants} == {
            "nDCG@10": None,
            "nDCG(gains=binary(rel=1))@10": 2,
            "nDCG(gains=binary(rel=2))@10": 1,
            "nDCG(gains=exponential)@10": None,
        }
        pairs = [("nDCG(gains=binary(rel=1))@10", "{1:1.5, 2:1.5}"), ("nDCG(gains=binary(rel=2))@10", "{1:0, 2:2}")]
        for name, merged in pairs:
            both = score(collection, [name, f"nDCG(gains={merged})@10"]).to_numpy()
            np.testing.assert_allclose(both[0], both[1], atol=1e-12)

    def test_grades_that_are_not_there_are_left_out(self):
        """Only grades that some document has are thresholds."""
        variants = audit_variants(simulated_collection((0, 1, 4)), "AP")
        assert [one.metric for one in variants] == ["AP", "AP(rel=4)"]
        study = audit_quantisations(
            simulated_collection((0, 1, 4)), "nDCG@10", tests=["t"], n_topic_resamples=None, rng=0
        )
        assert study.grades()["boundary"].tolist() == ["0 and 1", "1 and 4"]

    def test_a_name_that_says_what_it_does_stays(self):
        """A metric with its own rel or gains is taken as it is, and repeats are computed once."""
        variants = audit_variants(simulated_collection(), ["AP(rel=2)", "nDCG(gains=exponential)", "AP"])
        assert [one.metric for one in variants] == ["AP(rel=2)", "nDCG(gains=exponential)", "AP", "AP(rel=3)"]

    def test_grades_table_is_the_agreement_with_linear_gains(self):
        """Each row takes the blind metric as predictor of the one with linear gains."""
        study = audit_quantisations(simulated_collection(), "nDCG@10,AP", tests=["t"], n_topic_resamples=10, rng=0)
        assert study.reference("nDCG@10") == "nDCG@10"
        frame = study.grades()
        assert frame["base"].tolist() == ["nDCG@10"] * 3
        assert frame["boundary"].tolist() == ["0 and 1", "1 and 2", "2 and 3"]
        for row in frame.itertuples():
            assert row.f1 == study.lead.matrix("f1").loc[row.metric, "nDCG@10"]
            assert row.recall == study.lead.matrix("recall").loc[row.metric, "nDCG@10"]
            assert row.f1_low <= row.f1 <= row.f1_high

    def test_merged_grades_stand_apart(self):
        """The matrices show whole uses of the grades; merged ones have a table of their own."""
        study = audit_quantisations(simulated_collection(), "nDCG@10,AP", tests=["t"], n_topic_resamples=None, rng=0)
        groups = study.groups()
        assert list(groups) == ["nDCG@10", "AP"]
        assert not any("{" in name for name in groups["nDCG@10"])

    @pytest.mark.parametrize(
        ("metrics", "grades", "words"),
        [("AP", (0, 1), "nothing to audit"), ("AP", (0,), "nothing to audit"), ("", (0, 1, 2), "at least one metric")],
    )
    def test_nothing_to_ask(self, metrics, grades, words):
        """One grade, or no metric, leaves nothing to audit."""
        with pytest.raises(InvalidOptionError, match=words):
            audit_variants(simulated_collection(grades), metrics)

    @pytest.mark.parametrize("metrics", ["ERR", "ERR,AP(rel=2)"])
    def test_only_metrics_with_one_use_of_the_grades(self, metrics):
        """Where no metric has a second use of the grades, there is nothing to audit."""
        with pytest.raises(InvalidOptionError, match="in one way only"):
            audit_variants(simulated_collection(), metrics)

    def test_a_metric_with_one_use_is_noted(self):
        """Beside a metric that is audited, one that stays as it is has a note; without one there is none."""
        options = {"tests": ["t"], "n_topic_resamples": None, "rng": 0}
        (note,) = audit_quantisations(simulated_collection(), "AP,ERR", **options).notes
        assert note.startswith("ERR uses the grades in one way only")
        assert audit_quantisations(simulated_collection(), "AP", **options).notes == ()

    @pytest.mark.parametrize("gains", ["1:1", "1:1,2:5", "{1:1, 2}", "{}", "2"])
    def test_gains_of_another_form(self, gains):
        """A table of gains out of form is refused with the form that would do."""
        with pytest.raises(InvalidOptionError, match=r"\{1:1,2:5\}.*not '"):
            audit_variants(simulated_collection(), "nDCG", gains=gains)

    @pytest.mark.parametrize("gains", ["{1:1, 2}", "wild"])
    def test_bad_gains(self, gains):
        """Gains that cannot be read, or that nobody registered, are refused by name."""
        with pytest.raises(InvalidOptionError):
            audit_variants(simulated_collection(), "nDCG", gains=gains)


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
        study_agreement(simulated_scores(), **({"tests": ["t"]} | options))


def test_unknown_test():
    """An unknown test is refused with the nearest names."""
    with pytest.raises(UnknownNameError, match="bootstrap"):
        study_agreement(simulated_scores(), tests=["bootstap"])


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
