"""The design effect: against statsmodels' analysis of variance, Kish's formula, and published standard errors."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from statsmodels.stats.anova import anova_lm

from metaeval.errors import InvalidOptionError
from metaeval.models.design_effect import design_effect
from metaeval.table.scores import as_scores
from metaeval.table.structure import with_clusters

NAMES = [str(number) for number in range(60)]


def clustered(sizes, *, seed=1, share=0.5, n_systems=3, **labels):
    """Draw scores with a part that the topics of a cluster have in common."""
    rng = np.random.default_rng(seed)
    place = np.repeat(np.arange(len(sizes)), sizes)
    common = rng.normal(0, np.sqrt(share), (n_systems, len(sizes)))[:, place]
    values = common + rng.normal(0, np.sqrt(1 - share), (n_systems, len(place)))
    topics = [str(number) for number in range(len(place))]
    return as_scores(values, topics=topics, clusters=dict(zip(topics, map(str, place), strict=True)), **labels)


def test_intraclass_correlation_agrees_with_statsmodels():
    """Mean squares of its analysis of variance, for clusters of many sizes."""
    sizes = [1, 4, 9, 3, 6, 7]
    scores = clustered(sizes)
    found = design_effect(scores)
    frame = pd.DataFrame({"d": np.subtract(*scores.to_numpy()[0, :2]), "g": scores["cluster"].to_numpy()})
    between, within = anova_lm(smf.ols("d ~ C(g)", frame).fit())["mean_sq"]
    n0 = (30 - sum(size**2 for size in sizes) / 30) / 5
    expected = (between - within) / (between + (n0 - 1) * within)
    assert float(found.pairs["intraclass_correlation"][0, 0]) == pytest.approx(expected)
    assert (found.n_clusters, found.sizes) == (6, (1, 9))


def test_design_effect_of_equal_clusters_is_that_of_their_means():
    """Variance of the mean of cluster means over that of the mean of independent topics, by hand."""
    scores = clustered([5] * 12)
    found = design_effect(scores)
    difference = np.subtract(*scores.to_numpy()[0, :2])
    means = difference.reshape(12, 5).mean(axis=1)
    expected = (means.var(ddof=1) / 12) / (difference.var(ddof=1) / 60)
    assert float(found.pairs["design_effect"][0, 0]) == pytest.approx(expected)
    own = scores.to_numpy()[0, 1]
    expected = (own.reshape(12, 5).mean(axis=1).var(ddof=1) / 12) / (own.var(ddof=1) / 60)
    assert float(found.systems["design_effect"][0, 1]) == pytest.approx(expected)
    assert float(found.systems["mean"][0, 1]) == pytest.approx(own.mean())


def test_many_clusters_follow_kish():
    """1 + (n - 1) rho, with the correlation put into the scores, for many clusters of one size."""
    found = design_effect(clustered([10] * 400, share=0.3)).to_frame()
    assert found["design_effect"].to_numpy() == pytest.approx(1 + 9 * 0.3, rel=0.1)
    assert found["intraclass_correlation"].to_numpy() == pytest.approx(0.3, abs=0.03)
    assert found["effective_topics"].to_numpy() == pytest.approx(4000 / 3.7, rel=0.1)


def test_topics_that_share_nothing_have_none():
    """Around 1, whatever the clusters."""
    assert design_effect(clustered([6] * 200, share=0.0)).to_frame()["design_effect"].to_numpy() == pytest.approx(
        1, abs=0.15
    )


def test_systems_that_do_not_vary_are_left_out():
    """Identical systems have no variance to compare."""
    scores = clustered([5] * 6)
    twins = as_scores(
        np.concatenate([scores.to_numpy()[0], scores.to_numpy()[0, :1]]),
        topics=scores["topic"].to_numpy().tolist(),
        clusters=dict(zip(scores["topic"].to_numpy().tolist(), scores["cluster"].to_numpy().tolist(), strict=True)),
    )
    found = design_effect(twins).to_frame()
    assert found["n"].tolist() == [5, 4]
    assert found["design_effect"].notna().all()


def test_pairs_that_share_one_cluster_say_nothing():
    """Gaps may leave two systems the topics of a single cluster, and no variance between clusters."""
    scores = clustered([5] * 6)
    values = scores.to_numpy().copy()
    values[0, 0, 5:] = np.nan
    found = design_effect(as_scores(scores.copy(data=values), missing="pairwise"))
    for name in ("design_effect", "error", "freedom"):
        assert np.isnan(found.pairs[name].to_numpy()[0]).tolist() == [True, True, False]
    assert found.to_frame()["n"].tolist() == [1, 2]


@settings(max_examples=40)
@given(st.data())
def test_tiny_tables_have_an_effect_or_none(data):
    """Where the means of clusters do not vary no number of topics is worth as much; an effect is never below 0."""
    n_systems, n_topics = data.draw(st.integers(2, 3)), data.draw(st.integers(3, 6))
    levels = st.lists(st.sampled_from([0.0, 0.1, 0.3, 1.0]), min_size=n_topics, max_size=n_topics)
    values = np.array([data.draw(levels) for _ in range(n_systems)])
    place = [data.draw(st.integers(0, min(at, 3))) for at in range(n_topics)]
    assume(1 < len(set(place)) < n_topics)
    names = [str(number) for number in range(n_topics)]
    made = as_scores(values, topics=names, clusters=dict(zip(names, map(str, place), strict=True)))
    rows = design_effect(made).to_frame()
    effect = rows["design_effect"].to_numpy()
    assert not (effect < 0.0).any()
    expected = np.where(effect > 0.0, n_topics / np.where(effect > 0.0, effect, 1.0), np.nan)
    np.testing.assert_allclose(rows["effective_topics"], expected)
    assert not (rows["effective_topics"] > 1e6).any()


def test_clusters_of_one_mean_are_worth_no_number_of_topics():
    """Three tasks whose differences cancel inside each: a design effect of 0, and no division by it."""
    names = list("abcdef")
    made = as_scores(
        [[1.0, 0, 1, 0, 1, 0], [0.0, 1, 0, 1, 0, 1]], topics=names, clusters=dict(zip(names, "aabbcc", strict=True))
    )
    row = design_effect(made).to_frame().iloc[0]
    assert row["design_effect"] == 0.0
    assert np.isnan(row["effective_topics"])


def test_a_metric_where_lower_is_better_keeps_its_means():
    """Only the differences are turned."""
    scores = clustered([5] * 6)
    lower = clustered([5] * 6, higher_is_better=False)
    for name in ("mean", "error", "design_effect"):
        np.testing.assert_allclose(design_effect(lower).systems[name], design_effect(scores).systems[name])
    np.testing.assert_allclose(design_effect(lower).pairs["difference"], -design_effect(scores).pairs["difference"])


def test_without_random_clusters_there_is_none():
    """Neither independent topics nor strata have a design effect."""
    scores = clustered([5] * 6)
    for other in (with_clusters(scores, "ignore"), with_clusters(scores, "fixed")):
        with pytest.raises(InvalidOptionError, match="random clusters"):
            design_effect(other)


@settings(max_examples=15)
@given(st.integers(0, 500))
def test_laws(seed):
    """Order of topics and systems, unit and zero change nothing."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 11, (3, 30)).astype(float)
    names = [str(number) for number in range(30)]
    clusters = {name: str(int(name) % 7) for name in names}

    def found(values, order=slice(None)):
        made = as_scores(values[:, order], topics=np.array(names)[order], clusters=clusters)
        return design_effect(made).to_frame().drop(columns=["metric", "of"]).to_numpy()

    own = found(counts)
    np.testing.assert_allclose(found(counts, rng.permutation(30)), own, rtol=1e-9)
    np.testing.assert_allclose(found(counts[rng.permutation(3)]), own, rtol=1e-9)
    np.testing.assert_allclose(found(counts / 10), own, rtol=1e-7)
    np.testing.assert_allclose(found(counts + 4)[0], own[0], rtol=1e-7)


def leaderboard(path, names):
    """Read a table of models in columns; `names` are those of the other columns, the first the item's."""
    frame = pd.read_csv(path)
    items = frame[names[0]].astype(str)
    return as_scores(
        frame.drop(columns=names).to_numpy().T,
        systems=[name for name in frame.columns if name not in names],
        topics=items.tolist(),
        clusters=dict(zip(items, frame[names[1]], strict=True)),
        missing="pairwise",
    )


def test_alpacaeval_has_its_published_win_rates_and_standard_errors(data_folder):
    """57 models: 100 times the mean of their preferences, and its naive standard error."""
    folder = data_folder / "leaderboards"
    if not folder.is_dir():
        pytest.skip("no leaderboards beside the real data")
    published = pd.read_csv(folder / "alpacaeval2_published_leaderboard.csv", index_col=0)
    scores = leaderboard(folder / "alpacaeval2_weighted_preferences.csv.gz", ["item", "dataset"])
    found = design_effect(scores).systems
    systems = [name for name in scores["system"].to_numpy().tolist() if name in published.index]
    assert len(systems) == 57
    expected = published.loc[systems]
    np.testing.assert_allclose(100 * found["mean"].sel(system=systems)[0], expected["win_rate"], atol=1e-9)
    np.testing.assert_allclose(100 * found["naive_error"].sel(system=systems)[0], expected["standard_error"], atol=1e-9)


def test_tasks_of_livebench_cost_most_of_its_questions(data_folder):
    """18 tasks, 11.9 % gaps: errors beside statsmodels' on common questions, which know nothing of CR2's factor."""
    path = data_folder / "leaderboards" / "livebench_2025-01-13.csv.gz"
    if not path.is_file():
        pytest.skip("no leaderboards beside the real data")
    scores = leaderboard(path, ["question_id", "task", "category"])
    assert np.isnan(scores.to_numpy()).mean() == pytest.approx(0.119, abs=5e-4)
    found = design_effect(scores)
    assert found.n_clusters == 18
    for place in (0, 700, 2500):
        pair = found.pairs.isel(pair=place)
        values = scores.sel(system=[str(pair["first"].item()), str(pair["second"].item())]).to_numpy()[0]
        both = np.isfinite(values).all(axis=0)
        frame = pd.DataFrame({"d": np.subtract(*values)[both], "g": scores["cluster"].to_numpy()[both]})
        assert int(pair["n_topics"][0]) == both.sum()
        assert float(pair["naive_error"][0]) == pytest.approx(frame["d"].std() / both.sum() ** 0.5)
        plain = smf.ols("d ~ 1", frame).fit(
            cov_type="cluster", cov_kwds={"groups": frame["g"], "use_correction": False}
        )
        sizes = frame.groupby("g").size() / len(frame)
        least, most = (
            plain.bse["Intercept"] / np.sqrt(1 - sizes.min()),
            plain.bse["Intercept"] / np.sqrt(1 - sizes.max()),
        )
        assert least <= float(pair["error"][0]) <= most
    effect = found.to_frame().set_index("of")["design_effect"]
    assert effect["systems"] > effect["pairs"] > 1
