"""Components of variance of arrays: lme4's and statsmodels' values, a dense likelihood, and mean squares."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.regression.mixed_linear_model import MixedLM

from metaeval.agreement.crossed_variances import REPEAT, Effect, _Likelihood, analysed, crossing, fitted, solved

PENICILLIN = """
    272326232321 272326232321 252125242420 262325232320 252226222320 242225232219 242023212219 262226242421
    242124222220 242124232219 262326242421 252226242420 262426242522 262326232320 262325242422 252225232320
    252124232320 252224232319 242123212119 262326242421 252124222218 252225222220 242124222419 242124222118"""
"""Diameters in mm on 24 plates of 6 samples (Davies and Goldsmith, 1972, section 6.6), as lme4 has them."""


def drawn(shape, *, seed=0, gaps=0.0, clusters=0, repeat=0.5):
    """Return scores (system, judge, item, repeat) with effects of every kind, and the cluster of every item."""
    rng = np.random.default_rng(seed)
    kept = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    values = sum(rng.normal(size=[n if axis in own else 1 for axis, n in enumerate(shape)]) for own in kept)
    group = np.arange(shape[2]) * (clusters or 1) // shape[2]
    if clusters:
        values = values + rng.normal(size=(1, 1, clusters, 1))[:, :, group]
        values = values + rng.normal(size=(shape[0], 1, clusters, 1))[:, :, group]
    values = values + repeat * rng.normal(size=shape)
    return np.where(rng.random(shape) < gaps, np.nan, values), group if clusters else None


def crossed(shape, *, in_item=False, **options):
    """Return the cells of simulated scores."""
    values, group = drawn(shape, **options)
    return crossing(values, clusters=group, nested=group is not None, in_item=in_item), values, group


SHAPES = {
    "systems x items": ((6, 1, 9, 1), {}),
    "with repeats": ((5, 1, 7, 3), {}),
    "with judges": ((4, 3, 6, 1), {}),
    "with judges and repeats": ((4, 3, 5, 2), {}),
    "in clusters": ((4, 1, 12, 1), {"clusters": 3}),
    "judges and clusters": ((4, 3, 18, 2), {"clusters": 6}),
    "passes over items": ((5, 3, 6, 1), {"in_item": True}),
}


def test_the_values_that_lme4_prints():
    """Deviations of samples 1.9316, plates 0.8467, rest 0.5499: lmer(diameter ~ 1 + (1|plate) + (1|sample))."""
    rows = PENICILLIN.split()
    values = np.array([[row[2 * place : 2 * place + 2] for row in rows] for place in range(6)], dtype=float)
    cells = crossing(values[:, None, :, None], clusters=None, nested=False, in_item=False)
    for found in (analysed(cells), fitted(cells)):
        assert np.sqrt(found.estimates).round(4).tolist() == [1.9316, 0.8467, 0.5499]


@pytest.mark.parametrize("name", SHAPES)
def test_without_gaps_the_likelihood_gives_the_mean_squares(name):
    """Both roads agree where no component is at its limit."""
    shape, options = SHAPES[name]
    made = (crossed(shape, seed=seed, **options)[0] for seed in range(400))
    cells = next(one for one in made if analysed(one).estimates.min() > 0.02)
    assert fitted(cells).estimates == pytest.approx(analysed(cells).estimates, rel=2e-3)
    assert solved(cells).rounds == 0


@pytest.mark.parametrize("name", SHAPES)
def test_the_likelihood_is_that_of_the_whole_covariance(name):
    """Literally: the covariance matrix of all scores, its determinant and its quadratic form."""
    shape, options = SHAPES[name]
    cells, values, group = crossed(shape, gaps=0.25, seed=3, **options)
    group = np.arange(shape[2]) if group is None else group
    known = np.argwhere(np.isfinite(values))
    scores = values[np.isfinite(values)]
    keys = {"top": np.zeros(shape[2]), "cluster": group, "item": np.arange(shape[2])}
    parts = []
    for effect in cells.effects:
        columns = [keys[effect.level][known[:, 2]]] if effect != REPEAT else [known[:, 2], known[:, 1], known[:, 0]]
        columns += [known[:, 0]] * (effect.part in {"system", "both"}) + [known[:, 1]] * (
            effect.part in {"judge", "both"}
        )
        code = np.unique(np.column_stack(columns), axis=0, return_inverse=True)[1].ravel()
        parts.append(code[:, None] == code[None, :])
    if REPEAT in cells.effects:
        parts[-1] = np.eye(len(known))
    ask = _Likelihood(cells, 1.0)

    def literal(variances):
        covariance = sum(variance * part for variance, part in zip(variances, parts, strict=True))
        inverse = np.linalg.inv(covariance)
        ones = np.ones(len(known))
        weight = inverse - np.outer(inverse @ ones, inverse @ ones) / (ones @ inverse @ ones)
        determinant = np.linalg.slogdet(covariance)[1] + np.log(ones @ inverse @ ones)
        return determinant + scores @ weight @ scores

    rng = np.random.default_rng(1)
    both = [(ask(one), literal(one)) for one in rng.uniform(0.2, 2.0, (4, len(parts)))]
    ours, theirs = np.diff(np.array(both), axis=0).T
    assert ours == pytest.approx(theirs, rel=1e-8)


def test_statsmodels_agrees_on_gaps():
    """MixedLM with components of systems, items and cells, repeated, a quarter of the scores missing."""
    cells, values, _ = crossed((7, 1, 10, 3), gaps=0.25, seed=5)
    places = np.argwhere(np.isfinite(values))
    frame = pd.DataFrame(places[:, [0, 2]], columns=["s", "i"]).assign(y=values[np.isfinite(values)], all=1)
    parts = {"s": "0 + C(s)", "i": "0 + C(i)", "si": "0 + C(s):C(i)"}
    model = MixedLM.from_formula("y ~ 1", groups="all", vc_formula=parts, re_formula="0", data=frame)
    theirs = model.fit(reml=True)
    ours = dict(zip(cells.effects, fitted(cells).estimates, strict=True))
    expected = dict(zip(model.exog_vc.names, theirs.vcomp, strict=True))
    assert ours[Effect("top", "system")] == pytest.approx(expected["s"], rel=5e-3)
    assert ours[Effect("item", "mean")] == pytest.approx(expected["i"], rel=5e-3)
    assert ours[Effect("item", "system")] == pytest.approx(expected["si"], rel=5e-3)
    assert ours[REPEAT] == pytest.approx(theirs.scale, rel=5e-3)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.floats(-50, 50), st.floats(0.01, 100))
def test_a_constant_changes_nothing_and_a_unit_its_square(seed, constant, unit):
    """Components are variances, with gaps and without."""
    for gaps in (0.0, 0.2):
        values, _ = drawn((4, 1, 8, 2), seed=seed, gaps=gaps)
        first, second = (
            solved(crossing(one, clusters=None, nested=False, in_item=False)).estimates
            for one in (values, constant + unit * values)
        )
        assert second / unit**2 == pytest.approx(first, rel=2e-3, abs=2e-3)


def test_items_without_scores_are_left_out():
    """An item that no system has says nothing."""
    values, _ = drawn((4, 1, 9, 1), gaps=0.1, seed=2)
    more = np.concatenate([values, np.full((4, 1, 2, 1), np.nan)], axis=2)
    one, other = (fitted(crossing(v, clusters=None, nested=False, in_item=False)).estimates for v in (values, more))
    assert one.tolist() == other.tolist()
