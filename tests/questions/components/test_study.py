"""The study of components of variance: its check on halves, flat metrics, plans and tries."""

import numpy as np
import pytest
from scipy import stats

from metaeval.errors import EstimationError, InvalidOptionError
from metaeval.models import variance_components
from metaeval.questions.components import study as components
from metaeval.questions.components.study import study_components
from metaeval.table.scores import as_scores

pytestmark = pytest.mark.usefixtures("one_core")


def test_too_few_items_for_halves():
    """The check is left out, with the reason."""
    study = study_components(np.random.default_rng(0).random((1, 4, 6)), rng=1)
    assert study.halves.empty
    assert "too small" in study.unanswered["Check on halves"]


def test_as_many_halves_as_are_asked_for(monkeypatch):
    """However large the table is; only where nobody asks are they fewer for a large one."""
    values = np.random.default_rng(0).normal(size=(1, 4, 30))
    values[0, 0, ::4] = np.nan
    scores = as_scores(values, missing="pairwise")
    assert study_components(scores, rng=1).halves["splits"].item() == 20
    monkeypatch.setattr(components, "_MOST_WORK", 1)
    found = {asked: study_components(scores, n_splits=asked, rng=1).halves["splits"].item() for asked in (None, 7)}
    assert found == {None: 2, 7: 7}


@pytest.mark.parametrize("size", [1, 5])
def test_halves_show_what_components_expect(size):
    """With normal systems and noise, within a few points: halves of items, or of clusters whose items err alike."""
    draw = np.random.default_rng(1)
    values = draw.normal(0, 0.5, (100, 1)) + draw.normal(size=(1, 80)) + draw.normal(size=(100, 80))
    values += (size > 1) * np.repeat(draw.normal(0, 0.7, (100, 80 // size)), size, axis=1)
    clusters = {str(one + 1): f"c{one // size}" for one in range(80)} if size > 1 else None
    row = study_components(as_scores(values[None], clusters=clusters), n_splits=5, rng=1).halves.iloc[0]
    assert row[["items", "clusters", "splits"]].tolist() == [40, 8 * (size > 1), 5]
    assert row["power"] == pytest.approx(row["expected_power"], abs=0.06)
    assert row["contradicted"] == pytest.approx(row["expected_contradicted"], abs=0.04)


def test_a_flat_metric_is_left_out_and_flat_scores_are_refused():
    """With the reason; the others are answered."""
    values = np.random.default_rng(0).random((2, 4, 12))
    values[0] = 0.5
    study = study_components(values, n_splits=0, rng=1)
    assert study.components.components["metric"].unique().tolist() == ["metric2"]
    assert study.unanswered["metric1"] == "all scores are equal"
    with pytest.raises(EstimationError, match="equal"):
        study_components(values[:1], rng=1)


def test_its_parts_are_those_of_the_engine():
    """Components, items needed and designs, with the costs that were given."""
    draw = np.random.default_rng(3)
    scores = as_scores((draw.normal(size=(1, 5, 1, 1)) + draw.normal(size=(1, 5, 20, 3)) > 0).astype(float))
    study = study_components(scores, cost={"item": 3.0, "run": 1.0}, target=0.8, n_splits=0, rng=1)
    found = variance_components(scores)
    assert study.to_frame().equals(found.components)
    assert study.designs.equals(found.cheapest({"item": 3.0, "run": 1.0}))
    assert study.assured.equals(found.cheapest({"item": 3.0, "run": 1.0}, target=0.8))
    assert study.needed.iloc[:1].equals(found.needed(0.8))
    assert study.tries is not None
    assert sorted(study.plan["repeats"].unique()) == [1, 2, 3, 5]


def test_judges_that_are_measured():
    """The page speaks of judges, and plans numbers of systems."""
    values = np.random.default_rng(2).normal(size=(4, 6, 15)) + np.arange(4.0)[:, None, None]
    study = study_components(values, judges=True, measure="judge", rng=1)
    report = study.report()
    assert "differences between judges" in report.summary[1]
    assert "6 systems" in report.summary[1]
    assert sorted(study.plan["systems"].unique()) == [1, 2, 3, 5, 6]


def test_what_is_refused():
    """A measure that is none, costs that are none."""
    values = np.random.default_rng(0).random((1, 4, 12))
    with pytest.raises(InvalidOptionError, match="measure"):
        study_components(values, measure="repeat")
    with pytest.raises(InvalidOptionError, match="cost"):
        study_components(values, cost={"item": 1.0})


def test_the_check_on_halves_is_that_of_paired_t_tests():
    """Split by split: pairs with p up to .05 on either half, and pairs whose means turn."""
    draw = np.random.default_rng(5)
    values = draw.normal(0, 0.4, (6, 1)) + draw.normal(size=(6, 25))
    row = study_components(as_scores(values[None]), n_splits=3, rng=7).halves.iloc[0]
    by_name = np.argsort([str(item + 1) for item in range(25)])
    generator, found, turned = np.random.default_rng(7), [], []
    first, second = np.triu_indices(6, 1)
    for _ in range(3):
        order = by_name[generator.permutation(25)]
        halves = [values[:, part] for part in (order[:12], order[12:24])]
        found += [stats.ttest_rel(half[first], half[second], axis=1).pvalue <= 0.05 for half in halves]
        signs = [np.sign(half[first].mean(axis=1) - half[second].mean(axis=1)) for half in halves]
        turned.append(signs[0] != signs[1])
    assert row["contradicted"] == pytest.approx(np.mean(turned))
    assert row["power"] == pytest.approx(np.mean(found))
    assert row[["items", "clusters", "splits"]].tolist() == [12, 0, 3]


@pytest.mark.parametrize(("n_items", "checked"), [(9, False), (10, True)])
def test_a_half_has_five_items_at_least(n_items, checked):
    """Of nine it has four, which is too small."""
    study = study_components(np.random.default_rng(0).normal(size=(1, 4, n_items)), n_splits=1, rng=1)
    assert study.halves.empty != checked
    assert ("Check on halves" in study.unanswered) != checked


@pytest.mark.parametrize(("n_items", "ends"), [(12, (2, 120)), (40, (4, 400))])
def test_plans_go_from_a_tenth_of_the_items_to_ten_times_as_many(n_items, ends):
    """And from two at least; repeats are planned where there are some."""
    study = study_components(np.random.default_rng(0).normal(size=(1, 4, n_items)), n_splits=0, rng=1)
    assert (study.plan["items"].min(), study.plan["items"].max()) == ends
    assert study.cost == {"item": 0.0, "run": 1.0, "judgment": 0.0}
    assert study.target == 0.95
    repeated = study_components(as_scores(np.random.default_rng(0).normal(size=(1, 4, n_items, 4))), n_splits=0, rng=1)
    assert sorted(repeated.plan["repeats"].unique()) == [1, 2, 3, 4, 5]


def test_only_repeats_of_0_and_1_are_tries():
    """Also with gaps; one repeat is none, and neither are shares."""
    draw = np.random.default_rng(3)
    passed = (draw.normal(size=(1, 5, 1, 1)) + draw.normal(size=(1, 5, 20, 3)) > 0).astype(float)
    gaps = passed.copy()
    gaps[0, 0, 0, 1] = np.nan
    options = {"n_splits": 0, "rng": 1}
    assert study_components(as_scores(passed), **options).tries is not None
    assert study_components(as_scores(gaps, missing="pairwise"), **options).tries is not None
    assert study_components(as_scores(0.5 * passed), **options).tries is None
    assert study_components(as_scores(passed[..., 0]), **options).tries is None


def test_a_negative_estimate_is_said_to_count_as_0():
    """And no other is."""
    values = np.random.default_rng(4).normal(size=(1, 3, 20)) + np.arange(20.0)
    study = study_components(values, n_splits=0, rng=1)
    negative = study.to_frame().query("estimate < 0")
    told = [note for note in study.notes if "was negative" in note]
    assert len(told) == len(negative) == 1
    assert f"under metric1 was negative ({negative['estimate'].item():.2g}) and counts as 0" in told[0]
    assert negative["variance"].item() == 0


@pytest.mark.parametrize("spread", [0.0, 0.3])
def test_runs_that_move_whole_systems_are_said_where_repeats_are_nested(spread):
    """Made so: each run moves all items of its system by one number, which nested repeats have no source for."""
    rng = np.random.default_rng(2)
    values = rng.normal(size=(1, 4, 30, 3)) + rng.normal(0, spread, (1, 4, 1, 3))
    moved = [bool(spread) and repeats == "nested" for repeats in ("nested", "crossed")]
    for repeats, said in zip(("nested", "crossed"), moved, strict=True):
        notes = study_components(as_scores(values), repeats=repeats, n_splits=0, rng=0).notes
        assert any("runs of one system differ by more" in note for note in notes) is said


def with_runs(*, spread=0.02, n_systems=2):
    """Return scores (system, item, run) in which a run moves all items of its system."""
    rng = np.random.default_rng(14)
    values = rng.normal(0.5, 0.2, (60, 1)) + rng.normal(0, spread, (n_systems, 1, 5))
    return values + rng.normal(0, 0.05, (n_systems, 60, 5))


def test_runs_that_move_whole_systems_are_a_source_unasked():
    """By hand, from mean squares of systems by repeats and of the rest; two differ by 1.96 √2 deviations at most."""
    values = with_runs()
    study = study_components(values[None], n_splits=0, rng=1)
    assert study.components.repeats == "crossed"
    assert any("repeats are taken as crossed" in note for note in study.notes)
    means = values.mean(axis=1)
    left = means - means.mean(axis=1, keepdims=True) - means.mean(axis=0) + means.mean()
    of_runs = 60 * (left**2).sum() / 4
    rest = values - means[:, None] - values.mean(axis=2, keepdims=True) + values.mean(axis=(1, 2), keepdims=True)
    rest -= rest.mean(axis=0)
    within = (rest**2).sum() / (59 * 4)
    variance = (of_runs - within) / 60
    row = study.components.dependability.iloc[0]
    assert row["repeatability"] == pytest.approx(1.959964 * np.sqrt(2 * means.var(axis=1, ddof=1).mean()), rel=1e-4)
    of_items = max(0.0, study.to_frame().set_index("component").loc["system x topic", "variance"]) / 60
    noise = variance / 5 + within / 300 + of_items
    assert row["run_share"] == pytest.approx(variance / 5 / noise)
    assert row["run_share_low"] < row["run_share"] < row["run_share_high"]
    error, freedom = np.sqrt(2 * noise), (2 * noise) ** 2
    freedom /= (2 * (within / 300 + of_items)) ** 2 / 59 + (2 * variance / 5) ** 2 / 8
    assert power_of(row["detectable"] / error, freedom) == pytest.approx(0.8, abs=1e-3)
    first = study.report().summary[0]
    assert first.startswith("More repeats rather than more topics make means surer under")


def power_of(shift, freedom):
    """Return the power of SciPy's two-sided t test at .05 at a shift in standard errors."""
    edge = stats.t.isf(0.025, freedom)
    return stats.nct.sf(edge, freedom, shift) + stats.nct.cdf(-edge, freedom, shift)


def test_repeats_that_move_no_system_are_nested_unasked():
    """F of the runs' means is 0: each system has the same mean in every run."""
    values = with_runs(spread=0.0)
    values -= values.mean(axis=1, keepdims=True) - values.mean(axis=(1, 2), keepdims=True)
    study = study_components(values[None], n_splits=0, rng=1)
    assert study.components.repeats == "nested"
    assert not any("crossed" in note for note in study.notes)
    assert study.components.dependability["run_share"].isna().all()
    named = study_components(with_runs()[None], repeats="nested", n_splits=0, rng=1)
    assert any("`repeats='crossed'` has a source for that" in note for note in named.notes)


def test_a_share_without_uncertainty_has_no_interval_of_zeros():
    """Nested repeats make all the noise where means of cells are items and systems alone: 100 %, and no [0, 0]."""
    values = with_runs()
    cells = values.mean(axis=2)
    fitted = cells.mean(axis=1, keepdims=True) + cells.mean(axis=0) - cells.mean()
    first = (
        study_components((values + (fitted - cells)[..., None])[None], repeats="nested", n_splits=0, rng=1)
        .report()
        .summary[1]
    )
    assert "repeats: 100.0 % of the noise" in first
    assert "[0.0, 0.0]" not in first
