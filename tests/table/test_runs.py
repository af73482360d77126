"""What runs of a system add to the variance of its mean: literal mean squares, and what is no run."""

import numpy as np
import pytest

from metaeval.base.notes import NoRuns, RunVariances
from metaeval.table.runs import note_of_runs, run_variances, runs_differ
from metaeval.table.scores import as_scores
from metaeval.table.structure import engine_scores
from metaeval.table.traits import WHOLE


def literal(values):
    """Return variance and degrees of freedom by the mean squares of a table (topic, repeat), term by term."""
    n, k = values.shape
    grand, items, runs = values.mean(), values.mean(axis=1), values.mean(axis=0)
    residual = sum((values[i, r] - items[i] - runs[r] + grand) ** 2 for i in range(n) for r in range(k))
    between, within = sum((runs - grand) ** 2) / (k - 1) / k, residual / ((n - 1) * (k - 1)) / (n * k)
    variance = max(0.0, between - within)
    return variance, variance**2 / (between**2 / (k - 1) + within**2 / ((n - 1) * (k - 1)))


def made(seed, *, n=12, k=4, spread=0.3):
    """Return scores (metric, system, topic, repeat) whose runs differ."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(1, 3, n, 1)) + rng.normal(0, spread, (1, 3, 1, k)) + rng.normal(0, 0.4, (1, 3, n, k))


def of(scores):
    """Return variances and degrees of freedom as an engine has them, each (metric, system)."""
    checked = engine_scores(scores, uses=WHOLE)
    return run_variances(checked.attrs["notes"], *(checked[dim].to_numpy().tolist() for dim in ("metric", "system")))


@pytest.mark.parametrize("seed", range(5))
def test_equals_the_mean_squares_term_by_term(seed):
    values = made(seed)
    variance, freedom = of(as_scores(values))
    for at, of_system in enumerate(values[0]):
        expected = literal(of_system)
        assert variance[0, at] == pytest.approx(expected[0], abs=1e-15)
        assert freedom[0, at] == pytest.approx(expected[1]) or expected[0] == 0.0


def test_seeds_of_other_numbers_are_runs_of_their_own():
    """Each system has four repeats of its own among twelve: nothing changes but that others are missing."""
    values = made(1)
    apart = np.full((1, 3, 12, 12), np.nan)
    for at in range(3):
        apart[0, at, :, 4 * at : 4 * at + 4] = values[0, at]
    for one, other in zip(of(as_scores(values)), of(as_scores(apart)), strict=True):
        assert one == pytest.approx(other)


def test_topics_that_are_copies_of_each_other_add_nothing_in_clusters():
    """Twice every topic, in a cluster with its copy, is every topic once: the literal mean squares of those."""
    values = made(2)
    clusters = {str(at + 1): str(at // 2) for at in range(24)}
    variance, _ = of(as_scores(np.repeat(values, 2, axis=2), clusters=clusters))
    assert variance[0] == pytest.approx([literal(of_system)[0] for of_system in values[0]])


def test_one_missing_score_changes_little():
    """A run's mean without one of 200 topics is that of the additive fit."""
    values = made(3, n=200)
    gappy = values.copy()
    gappy[0, 0, 7, 2] = np.nan
    assert of(as_scores(gappy))[0] == pytest.approx(of(as_scores(values))[0], rel=0.1)


def test_one_run_alone_has_the_pooled_variance_of_the_others():
    """By hand: the excess of the runs of the two others, each over three degrees of freedom."""
    values = made(4, spread=1.0)
    excess = [4 * literal(of_system)[0] for of_system in values[0, :2]]
    values[0, 2, :, 1:] = np.nan
    scores = engine_scores(as_scores(values))
    variance, freedom = of(scores)
    assert variance[0, 2] == pytest.approx(np.mean(excess))
    assert freedom[0, 2] == 6.0
    assert "the runs of system3 are taken to differ as those of the others" in str(scores.attrs["notes"][-1])


def test_a_selection_keeps_what_runs_add():
    variance, freedom = of(as_scores(made(5)))
    some = engine_scores(engine_scores(as_scores(made(5))).isel(system=[2, 0], topic=slice(0, 6)))
    assert of(some)[0].tolist() == variance[:, [2, 0]].tolist()
    assert of(some)[1].tolist() == freedom[:, [2, 0]].tolist()


@pytest.mark.parametrize(
    ("column", "are_runs"), [("seed", True), ("trial", True), ("repeat", True), ("epoch", False), ("annotator", False)]
)
def test_repeats_of_single_items_and_judges_are_no_runs(tmp_path, column, are_runs):
    """Which is which the name of the column says, in a file and in a frame."""
    rows = [f"{system},{item},{run},{(item * run) % 7}" for system in "ab" for item in range(9) for run in (1, 2)]
    (tmp_path / "made.csv").write_text("\n".join([f"system,item,{column},score", *rows]), encoding="utf-8")
    import pandas as pd  # noqa: PLC0415 - here alone

    from metaeval.io.tables import read_scores  # noqa: PLC0415 - here alone

    read = [read_scores(tmp_path / "made.csv", columns={"repeat": column})]
    read += [as_scores(pd.read_csv(tmp_path / "made.csv"))] if column != "annotator" else []
    for scores in read:
        notes = engine_scores(scores).attrs["notes"]
        assert any(isinstance(note, RunVariances) for note in notes) is are_runs
        assert any(isinstance(note, NoRuns) for note in notes) is not are_runs


def test_f_is_that_of_a_two_way_table():
    """Of one system, F is the mean square of runs over the residual one, as `literal` has them."""
    values = made(6)[:, :1]
    n, k = values.shape[2:]
    told = runs_differ(as_scores(values, fewest=1), np.ones(n))["metric1"][0]
    table = values[0, 0]
    runs = n * table.mean(axis=0).var(ddof=1)
    left = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    assert told == pytest.approx(runs / ((left**2).sum() / ((n - 1) * (k - 1))))


def test_runs_that_are_all_alike_add_nothing():
    values = np.repeat(made(7)[..., :1], 3, axis=3)
    note = note_of_runs("means", as_scores(values), np.ones(values.shape[2]))
    assert {row["variance"] for row in note.runs["metric1"].values()} == {0.0}
