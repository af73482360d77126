"""Variance between repeats of a judge: published components, a literal layout, known truths, refusals."""

import io
import tarfile

import numpy as np
import pandas as pd
import pytest
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from metaeval.agreement import as_labels, compare_labels
from metaeval.agreement.repeats import judge_repeats
from metaeval.errors import EstimationError, InvalidOptionError, ScoresError
from metaeval.table.scores import as_scores


def components(result, column="variance"):
    """Return one column of the components of the only judge, by component."""
    return result.components.set_index("component")[column]


def test_without_differences_between_passes_it_is_the_two_way_layout_of_brennan(data_folder):
    """Persons 0.6258, items 0.8840, interaction 2.7872 (Brennan 2001, page 182); nothing for repeats."""
    path = data_folder / "generalisability" / "brennan_synthetic4.csv"
    if not path.exists():
        pytest.skip(f"no example of Brennan in {path}")
    values = pd.read_csv(path).to_numpy(dtype=float).T[-10:]
    found = components(judge_repeats(np.repeat(values[None, :, :, None], 3, axis=3)))
    assert found.round(4).tolist() == [0.6258, 0.8840, 2.7872, 0, 0]


def test_mean_squares_are_those_of_a_linear_model():
    """Sums of squares of systems, topics, both, and repeats inside topics, as statsmodels has them."""
    values = np.random.default_rng(0).random((4, 6, 3))
    frame = pd.DataFrame(
        [(s, t, f"{t}.{r}", x) for (s, t, r), x in np.ndenumerate(values)], columns=["s", "t", "r", "x"]
    )
    layout = anova_lm(ols("x ~ C(s) * C(t)", frame).fit())
    inside = anova_lm(ols("x ~ C(r)", frame).fit()).loc["C(r)", "sum_sq"] - layout.loc["C(t)", "sum_sq"]
    result = judge_repeats(values[None])
    squares, freedom = components(result, "mean_square"), components(result, "degrees_of_freedom")
    for name, row in (("system", "C(s)"), ("topic", "C(t)"), ("system x topic", "C(s):C(t)")):
        assert squares[name] == pytest.approx(layout.loc[row, "mean_sq"], rel=1e-9)
        assert freedom[name] == layout.loc[row, "df"]
    assert squares["repeat"] * freedom["repeat"] == pytest.approx(inside, rel=1e-9)
    rest = layout.loc["Residual", "sum_sq"] - inside
    assert squares["residual"] * freedom["residual"] == pytest.approx(rest, rel=1e-9)
    assert freedom.sum() == values.size - 1


def test_known_components_are_found():
    """The mean over many simulations is the truth, before negative estimates are cut."""
    rng = np.random.default_rng(1)
    truth = np.array([0.5, 2.0, 1.0, 0.4, 0.8])
    shape = (400, 5, 12, 3)  # 400 judges at once

    def part(variance, *kept):
        return rng.normal(0, np.sqrt(variance), [n if axis in kept else 1 for axis, n in enumerate(shape)])

    values = part(0.5, 0, 1) + part(2.0, 0, 2) + part(1.0, 0, 1, 2) + part(0.4, 0, 2, 3) + part(0.8, 0, 1, 2, 3)
    found = judge_repeats(values).components
    means = found.groupby("component", sort=False)["estimate"].agg(["mean", "sem"])
    assert (np.abs(means["mean"] - truth) < 4 * means["sem"]).all()


def test_a_plan_says_what_passes_are_worth():
    """The variance of a mean difference over r passes and n topics is that of simulated ones."""
    rng = np.random.default_rng(2)
    own = rng.normal(0, 1, (2, 300, 1)) + rng.normal(0, 1.5, (2, 300, 4))
    result = judge_repeats(own[None])
    plan = result.plan(repeats=[1, 4], n_topics=300)
    averaged = own.mean(axis=2)
    assert plan["variance"].iloc[1] == pytest.approx(np.var(averaged[0] - averaged[1], ddof=1) / 300, rel=1e-9)
    by_pass = np.mean([np.var(own[0, :, r] - own[1, :, r], ddof=1) for r in range(4)]) / 300
    assert plan["variance"].iloc[0] == pytest.approx(by_pass, rel=0.005)  # passes have no means of their own here
    assert plan["worth_topics"].tolist() == pytest.approx([300, 300 * plan["variance"][0] / plan["variance"][1]])
    needed = int(result.repeats_needed(0.1).item())
    shares = result.plan(repeats=[needed - 1, needed])["repeat_share"]
    assert shares[0] > 0.1 >= shares[1]


def test_passes_may_stand_in_the_place_of_metrics():
    """JUDGE#1, JUDGE#2 of two judges in any order are what a dimension of repeats is."""
    values = np.random.default_rng(3).random((2, 3, 5, 2))
    one = judge_repeats(as_scores(values, metrics=["x", "y"]))
    names = ["x#1", "y#1", "x#2", "y#2"]
    flat = np.stack([values[0, ..., 0], values[1, ..., 0], values[0, ..., 1], values[1, ..., 1]])
    two = judge_repeats(as_scores(flat, metrics=names))
    pd.testing.assert_frame_equal(one.components, two.components)
    pd.testing.assert_frame_equal(one.differences, two.differences)


def test_scores_equal_on_paper_leave_no_variance_behind():
    """Tenths and counts of the same passes: the repeats add exactly nothing."""
    whole = np.array([[[1, 2, 7], [3, 3, 3]]])[..., None] + np.arange(2) * 3
    result = judge_repeats(whole / 10)
    assert components(result)["residual"] == 0
    assert result.repeats_needed().tolist() == [1]


def test_the_umbrela_of_dl21_repeats_itself_badly(data_folder):
    """The first two of four passes over the same pairs agree at a kappa of .19 (the data's README), others at less."""
    path = data_folder / "llm-judges-dl21" / "auto-qrels.tar.xz"
    if not path.exists():
        pytest.skip(f"no automatic judgments in {path}")
    with tarfile.open(path) as archive:
        name = next(one for one in archive.getnames() if one.endswith("llama3.2/umbrela.txt"))
        content = archive.extractfile(name).read()
    lines = pd.read_csv(
        io.BytesIO(content), sep=r"\s+", header=None, names=["topic", "zero", "item", "label"], dtype=str
    )
    lines["pass"] = lines.groupby(["topic", "item"]).cumcount() + 1
    wide = lines.astype({"label": float}).pivot_table(index=["topic", "item"], columns="pass", values="label")
    wide.columns = [f"umbrela#{one}" for one in wide.columns]
    assert wide.shape == (10_828, 4)
    pairs = compare_labels(as_labels(wide), n_resamples=2, rng=0).pairs
    assert len(pairs) == 6
    assert round(pairs["kappa"][0], 2) == 0.19
    assert pairs["kappa"].between(0.165, 0.195).all()


@pytest.mark.parametrize(
    ("scores", "error", "words"),
    [
        (np.random.default_rng(0).random((2, 3, 4)), InvalidOptionError, "dimension 'repeat'.*JUDGE#1.*metric1"),
        (np.random.default_rng(0).random((1, 3, 4, 1)), ScoresError, "two passes of a judge; here is one"),
        (np.ones((1, 3, 4, 2)), EstimationError, "all scores under 'metric1' are equal"),
    ],
)
def test_refusals(scores, error, words):
    """One pass, passes without names and scores without variance are refused."""
    with pytest.raises(error, match=words):
        judge_repeats(scores)


def test_refusals_of_passes():
    """Judges with other numbers of passes, a pass with a gap, and plans without passes."""
    values = np.random.default_rng(0).random((3, 3, 4))
    for names, listed in (("a#1 a#2 b#1", "a 2, b 1"), ("a#1 b#1 c#1", "a 1, b 1, c 1")):
        with pytest.raises(ScoresError, match=rf"same number of passes, two at least; here are {listed}$"):
            judge_repeats(as_scores(values, metrics=names.split()))
    uneven = as_scores(np.tile(values, (2, 1, 1))[:5], metrics=["a#1", "a#2", "b#1", "b#2", "b#3"])
    with pytest.raises(ScoresError, match=r"here are a 2, b 3$"):
        judge_repeats(uneven)
    for odd in ("a#x", "#2", "a2"):
        with pytest.raises(InvalidOptionError, match=f"metrics named JUDGE#1, .*; here are {odd}$"):
            judge_repeats(as_scores(values, metrics=["a#1", odd, "a#3"]))
    gap = np.random.default_rng(0).random((1, 3, 4, 2))
    gap[0, 1, 2, 1] = np.nan
    with pytest.raises(ScoresError, match="no score for system 'system2' on topic '3' on pass 2"):
        judge_repeats(as_scores(gap))
    result = judge_repeats(gap[:, :1].repeat(2, axis=1)[:, :, :2] + np.arange(2)[:, None, None])
    for options in ({"repeats": []}, {"repeats": [0]}, {"n_topics": 0}):
        with pytest.raises(InvalidOptionError):
            result.plan(**options)
    with pytest.raises(InvalidOptionError):
        result.repeats_needed(0)
