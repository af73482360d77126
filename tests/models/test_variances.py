"""Pilot variances against a two-way layout and the mean over all pairs."""

import numpy as np
import pandas as pd
import pytest
from statsmodels.formula.api import ols

from metaeval.errors import EstimationError, InvalidOptionError, ScoresError, UnknownNameError
from metaeval.models.components import variance_components
from metaeval.models.variances import pilot_variance, score_variances
from metaeval.table.scores import as_scores
from metaeval.table.structure import with_clusters


def test_residual_variance_is_that_of_a_two_way_layout():
    """Residual and within variances are the mean squares of statsmodels' linear models."""
    values = np.random.default_rng(0).random((5, 12))
    frame = pd.DataFrame({"x": values.ravel(), "s": np.repeat(range(5), 12), "t": np.tile(range(12), 5)})
    two_way, one_way = (ols(f, frame).fit() for f in ("x ~ C(s) + C(t)", "x ~ C(s)"))
    residual, within = (pilot_variance(values, method=method).pooled().iloc[0] for method in ("residual", "within"))
    assert residual["variance"] == pytest.approx(two_way.mse_resid, rel=1e-9)
    assert residual["degrees_of_freedom"] == two_way.df_resid
    assert within["variance"] == pytest.approx(one_way.mse_resid, rel=1e-9)
    assert within["degrees_of_freedom"] == one_way.df_resid


def test_twice_the_residual_is_the_mean_over_all_pairs():
    """The residual's difference variance is the average variance of the differences of all pairs."""
    scores = as_scores(np.random.default_rng(1).random((6, 15)))
    names = scores["system"].to_numpy().tolist()
    pairs = [(a, b) for place, a in enumerate(names) for b in names[place + 1 :]]
    residual = pilot_variance(scores).pooled()["difference_variance"]
    by_pair = pilot_variance(scores, method="pairs", pairs=pairs).pooled()["difference_variance"]
    literal = np.mean([np.var(scores.sel(system=a) - scores.sel(system=b), ddof=1) for a, b in pairs])
    np.testing.assert_allclose(residual, by_pair, rtol=1e-12)
    assert residual.item() == pytest.approx(literal, rel=1e-12)


def test_every_pair_has_its_variance():
    """Those of all pairs or of the named ones, of all collections, 0 where a difference never varies."""
    rng = np.random.default_rng(3)
    values = rng.random((2, 4, 9))
    values[0, 1] = values[0, 0] + 0.25
    first, second = as_scores(values), as_scores(rng.random((2, 3, 20)))
    found = pilot_variance([first, second]).of_pairs
    for place, (metric, own) in enumerate(found.items()):
        literal = [
            np.var(one[a] - one[b], ddof=1)
            for one in (values[place], second.to_numpy()[place])
            for a in range(len(one))
            for b in range(a + 1, len(one))
        ]
        assert metric == f"metric{place + 1}"
        np.testing.assert_allclose(own, literal, rtol=1e-9, atol=1e-20)
    assert len(found["metric1"]) == 6 + 3
    named = pilot_variance(first, method="pairs", pairs=[("system1", "system3"), ("system2", "system4")])
    assert named.of_pairs["metric2"].mean() == pytest.approx(named.table["difference_variance"].iloc[1], rel=1e-12)


def test_collections_are_pooled_by_degrees_of_freedom():
    """The pooled variance weighs each collection by its degrees of freedom and is named so."""
    rng = np.random.default_rng(2)
    first, second = as_scores(rng.random((4, 10))), as_scores(2 * rng.random((3, 30)))
    found = pilot_variance({"2007": first, "2008": second})
    table = found.to_frame().set_index("collection")
    wanted = (27 * table.loc["2007", "variance"] + 58 * table.loc["2008", "variance"]) / 85
    assert found.pooled()["variance"].item() == pytest.approx(wanted, rel=1e-12)
    assert found.pooled()["collection"].item() == "pooled"
    assert table["difference_variance"].tolist() == (2 * table["variance"]).tolist()
    assert table["degrees_of_freedom"].tolist() == [27, 58, 85]
    assert len(pilot_variance([first, second]).table) == 3
    assert pilot_variance({"ap": pd.DataFrame(rng.random((10, 4)))}).table["metric"].tolist() == ["ap"]


def test_an_unknown_system_of_a_pair_is_named():
    """A pair that names a system which is not there is refused."""
    with pytest.raises(UnknownNameError, match="no system 'x'"):
        pilot_variance(np.eye(3), method="pairs", pairs=[("system1", "x")])


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: pilot_variance(np.eye(3), method="all"), UnknownNameError, "no method 'all'"),
        (lambda: pilot_variance(np.eye(3), method="pairs"), InvalidOptionError, "`pairs` names the pairs"),
        (lambda: pilot_variance(np.eye(3), pairs=[("a", "b")]), InvalidOptionError, "got `method=.residual.`"),
        (lambda: pilot_variance(np.ones((3, 4))), EstimationError, "no variance left to plan with"),
        (
            lambda: pilot_variance(np.arange(4) / 7 + np.array([[0.0], [0.3]])),
            EstimationError,
            "differ by a constant",
        ),
        (lambda: pilot_variance(np.ones((1, 4))), ScoresError, "at least two systems"),
    ],
)
def test_refusals_name_rule_and_value(call, kind, message):
    """Every argument outside its rule is refused; what cannot be estimated is said."""
    with pytest.raises(kind, match=message):
        call()


def test_clusters_are_counted_by_their_means():
    """Topics in clusters are refused with the way out: means, whose variance is that of clusters like those at hand."""
    values = np.random.default_rng(1).random((3, 12))
    scores = as_scores(np.repeat(values, 4, axis=1), clusters={str(i + 1): f"c{i // 4}" for i in range(48)})
    with pytest.raises(InvalidOptionError, match=r"it counts clusters.*`with_clusters\(scores, 'means'\)`"):
        pilot_variance(scores)
    found, expected = (pilot_variance(one).table for one in (with_clusters(scores, "means"), as_scores(values)))
    np.testing.assert_allclose(found["variance"], expected["variance"])
    np.testing.assert_allclose(found["degrees_of_freedom"], expected["degrees_of_freedom"])


@pytest.mark.parametrize("options", [{"judges": True}, {"repeats": "crossed"}, {"repeats": "shared"}, {}])
def test_components_have_the_errors_of_their_plans(options):
    """A mean over n topics errs by the variance over n, beside what systems and judges or seeds have in common."""
    values = np.random.default_rng(1).normal(size=(3, 5, 12, 2)) + np.random.default_rng(2).normal(size=(1, 5, 12, 1))
    found = variance_components(values, **options)
    numbers = {"repeats": 3} | ({"judges": 2} if "judges" in options else {})
    plan = found.plan([1, 1_000_000], **{name: [number] for name, number in numbers.items()})
    ours = score_variances(found.components, **numbers)
    for metric, own in plan.groupby("metric"):
        once, stays = np.square(own["difference_error"]).to_numpy() / 2
        assert ours[metric] == pytest.approx(once - stays, rel=1e-5)


def test_components_that_do_not_plan_topics():
    """Of topics, in clusters, of numbers that nothing is known of, without noise."""
    parts = [("AP", "system", 0.1), ("AP", "topic", 0.4), ("AP", "system x topic", 0.2)]
    frame = pd.DataFrame(parts, columns=["metric", "component", "variance"])
    assert score_variances(frame) == {"AP": 0.2}
    for wrong, options, words in (
        (frame.iloc[1:], {}, "these are of topics"),
        (frame.replace("topic", "system x cluster"), {}, "clusters"),
        (frame, {"repeats": 2}, "nothing of repeats"),
        (frame, {"judges": 2}, "nothing of judges"),
    ):
        with pytest.raises(InvalidOptionError, match=words):
            score_variances(wrong, **options)
    with pytest.raises(EstimationError, match="no variance left"):
        score_variances(frame.assign(variance=0.0))
