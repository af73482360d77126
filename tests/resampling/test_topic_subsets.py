"""Subsets of topics: chosen and judged in literal loops, laws of the greedy choice, splits by group, refusals."""

import numpy as np
import pytest
from scipy import stats

from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.resampling.topic_subsets import SUBSETS, _half, _Held, compare_subsets
from metaeval.table.scores import as_scores
from metaeval.table.structure import mean_over_topics, with_clusters
from metaeval.tests_stat.paired_t import paired_t_test


def drawn(n_systems=12, n_topics=20, *, seed=1, n_metrics=1, **labels):
    """Draw scores of systems that get better one by one."""
    rng = np.random.default_rng(seed)
    lift = np.linspace(0, 1, n_systems)[:, None]
    return as_scores(lift + rng.normal(0, 1, (n_metrics, n_systems, n_topics)), **labels)


def test_greedy_by_trying_every_topic():
    """At every step the topic whose sum with those chosen correlates best with the sum over all."""
    values = drawn().to_numpy()[0]
    chosen = []
    for _ in range(6):
        left = [topic for topic in range(20) if topic not in chosen]
        gains = [np.corrcoef(values[:, [*chosen, topic]].sum(axis=1), values.sum(axis=1))[0, 1] for topic in left]
        chosen.append(left[int(np.argmax(gains))])
    assert SUBSETS["greedy"](as_scores(values), np.arange(20), 6)[0].tolist() == chosen


def test_greedy_takes_topics_without_spread_last():
    """A topic on which all systems are equal adds nothing; earlier topics win ties."""
    values = drawn(n_topics=5).to_numpy()[0]
    values[:, 1] = 0.3
    values[:, 3] = 0.7
    order = SUBSETS["greedy"](as_scores(values), np.arange(5), 5)[0]
    assert order[-2:].tolist() == [1, 3]


def test_discrimination_takes_the_highest_first():
    """Topics without discrimination come last."""
    values = drawn(n_topics=8).to_numpy()[0]
    values[:, 2] = 1.0
    expected = []
    for topic in range(8):
        rest = np.delete(values, topic, axis=1).sum(axis=1)
        expected.append(-np.corrcoef(values[:, topic], rest)[0, 1] if topic != 2 else np.inf)
    found = SUBSETS["discrimination"](as_scores(values), np.arange(8), 8)[0]
    assert found.tolist() == np.argsort(expected).tolist()


@pytest.mark.parametrize("kind", ["ignore", "random", "fixed", "weights"])
def test_held_out_systems_are_tested_as_elsewhere(kind):
    """One product for all pairs gives the decisions of the package's own t test, with clusters and without."""
    names = [str(number) for number in range(30)]
    weights = {name: 1 + int(name) % 3 for name in names} if kind == "weights" else None
    scores = drawn(9, 30, topics=names, clusters={name: str(int(name) % 7) for name in names}, weights=weights)
    scores = with_clusters(scores, "random" if weights else kind)
    topics = np.arange(3, 27)
    means, signs = _Held.of(scores, 0.05).judge(0, topics)
    part = scores.isel(topic=topics)
    result = paired_t_test(part, correction="none")
    p_value = result.data["p_value"].to_numpy()[0]
    difference = result.data["difference"].to_numpy()[0]
    np.testing.assert_array_equal(signs, np.where(p_value <= 0.05, np.sign(difference), 0))
    assert 0 < (signs != 0).sum() < len(signs)
    np.testing.assert_allclose(means, mean_over_topics(part)[0])


def test_ties_on_paper_are_no_decisions():
    """Systems with one mean on paper do not differ, however their last bits do."""
    values = np.array([[0.1, 0.2, 0.3, 0.2], [0.3, 0.2, 0.1, 0.2], [0.2, 0.1, 0.2, 0.3]])
    means, signs = _Held.of(as_scores(values), 0.05).judge(0, np.arange(4))
    assert signs.tolist() == [0, 0, 0]
    assert len(set(means.tolist())) == 1


def test_one_split_by_hand():
    """Tau by SciPy and the pairs kept, on the systems that did not choose."""
    scores = drawn(seed=4)
    found = compare_subsets(scores, sizes=[5, 9], methods=["greedy"], n_splits=1, rng=7)
    train = _half(scores, np.random.default_rng(7))
    assert found.n_systems == (train.sum(), (~train).sum()) == (6, 6)
    chosen = SUBSETS["greedy"](scores.isel(system=train), np.arange(20), 9)[0]
    held = scores.to_numpy()[0, ~train]
    for size in (5, 9):
        topics = np.sort(chosen[:size])
        part = held[:, topics]
        tau = stats.kendalltau(held.mean(axis=1), part.mean(axis=1)).statistic
        kept = found_pairs = 0
        for i in range(6):
            for j in range(i + 1, 6):
                full, less = stats.ttest_rel(held[i], held[j]), stats.ttest_rel(part[i], part[j])
                found_pairs += full.pvalue <= 0.05
                kept += full.pvalue <= 0.05 and less.pvalue <= 0.05 and full.statistic * less.statistic > 0
        table = found.data.sel(size=size).squeeze()
        assert float(table["tau"]) == pytest.approx(tau)
        assert found_pairs > 0
        assert float(table["kept"]) == pytest.approx(kept / found_pairs)
        assert table["chosen"].to_numpy().nonzero()[0].tolist() == topics.tolist()


def test_one_split_of_a_cohort_by_hand():
    """Half of the cohort takes the topics with most variance; the other half, and all that chose nothing, judge."""
    scores = drawn(14, seed=4)
    cohort = scores["system"].to_numpy()[6:].tolist()
    found = compare_subsets(scores, sizes=[6], methods=["spread"], cohort=cohort, n_splits=1, rng=7)
    train = np.concatenate([np.zeros(6, dtype=bool), _half(scores.isel(system=slice(6, 14)), np.random.default_rng(7))])
    assert found.n_systems == (4, 4)
    values = scores.to_numpy()[0]
    topics = np.sort(np.argsort(-values[train].var(axis=0))[:6])
    assert found.data["chosen"].to_numpy()[0, 0, 0].nonzero()[0].tolist() == topics.tolist()
    kept = {"kept": [], "kept_all": []}
    for i in np.flatnonzero(~train):
        for j in np.flatnonzero(~train):
            full, less = stats.ttest_rel(values[i], values[j]), stats.ttest_rel(values[i, topics], values[j, topics])
            if i < j and full.pvalue <= 0.05:
                same = less.pvalue <= 0.05 and full.statistic * less.statistic > 0
                kept["kept_all"].append(same)
                kept["kept"] += [same] * bool(min(i, j) >= 6)
    assert len(kept["kept_all"]) > len(kept["kept"]) > 0
    for name, one in kept.items():
        assert float(found.data[name].squeeze()) == pytest.approx(np.mean(one))
    held = ~train & (np.arange(14) >= 6)
    tau = stats.kendalltau(values[held].mean(axis=1), values[held][:, topics].mean(axis=1)).statistic
    assert float(found.data["tau"].squeeze()) == pytest.approx(tau)


def test_gains_are_over_random_subsets_of_the_same_split():
    """Random subsets gain nothing on themselves; without them there is no gain."""
    scores = drawn(n_metrics=2)
    frame = compare_subsets(scores, sizes=[5, 8], n_splits=6, rng=1).to_frame()
    assert len(frame) == 2 * 3 * 2
    own = frame[frame["method"] == "random"]
    assert (own["tau_gain"] == 0).all()
    assert (own["tau_better"] == 0.5).all()
    by_hand = frame.pivot(index=["metric", "size"], columns="method", values="tau")
    greedy = frame[frame["method"] == "greedy"].set_index(["metric", "size"])["tau_gain"]
    np.testing.assert_allclose(greedy.sort_index(), (by_hand["greedy"] - by_hand["random"]).sort_index(), atol=1e-12)
    alone = compare_subsets(scores, sizes=[5], methods=["greedy"], n_splits=2, rng=1).to_frame()
    assert alone["tau_gain"].isna().all()


def test_choosing_beats_chance_only_where_it_should():
    """A sixth of the topics order the systems, and a choice finds them; where all are noise it gains nothing."""
    rng = np.random.default_rng(3)
    good = np.linspace(0, 3, 40)[:, None] + rng.normal(0, 0.8, (40, 10))
    scores = np.concatenate([rng.normal(0, 0.5, (40, 50)), good], axis=1)
    found = compare_subsets(scores, sizes=[5], n_splits=20, rng=1)
    gain = found.to_frame().set_index("method")["tau_gain"]
    assert gain["discrimination"] > 0.2
    assert gain["greedy"] > 0.2
    assert float(found.data["chosen"].sel({"method": "discrimination"})[0, 0, 50:].sum()) > 4.5
    nothing = compare_subsets(rng.normal(0, 1, (40, 60)), sizes=[10], n_splits=20, rng=1).to_frame()
    assert (nothing["tau_gain"].abs() < 0.12).all()


def test_groups_stay_together():
    """No group has systems on both sides."""
    groups = {f"system{number}": f"g{number % 5}" for number in range(1, 13)}
    scores = drawn(groups=groups)
    for seed in range(20):
        train = _half(scores, np.random.default_rng(seed))
        group = scores["group"].to_numpy()
        assert not set(group[train]) & set(group[~train])
    assert compare_subsets(scores, sizes=[5], n_splits=2, rng=0).by_group


def test_order_of_systems_and_unit_do_not_matter():
    """Splits go by name; tenths and counts choose and decide alike; the same seed gives the same."""
    rng = np.random.default_rng(5)
    counts = rng.integers(0, 11, (12, 20)) + np.arange(12)[:, None]
    names = [f"s{number:02}" for number in range(12)]
    order = rng.permutation(12)

    def found(values, systems=names):
        return compare_subsets(as_scores(values, systems=systems), sizes=[6], n_splits=5, rng=2).data

    own = found(counts)
    for other in (found(counts / 10), found(counts[order], [names[place] for place in order]), found(counts)):
        for name in ("tau", "kept", "chosen"):
            np.testing.assert_allclose(other[name], own[name])


def test_sizes_by_default_are_shares():
    """A tenth, a quarter and a half of the topics, three at least."""
    assert compare_subsets(drawn(), n_splits=1, rng=0).data["size"].to_numpy().tolist() == [3, 5, 10]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sizes": [20]}, "`sizes` must be a whole number from 3 to 19"),
        ({"sizes": []}, "`sizes` is empty"),
        ({"methods": ["best"]}, "best"),
        ({"methods": []}, "each way to choose once"),
        ({"n_splits": 0}, "n_splits"),
        ({"alpha": 2}, "alpha"),
        ({"cohort": {"system1": 1}}, "`cohort` must be a list"),
        ({"cohort": "bm25"}, "no system 'bm25'"),
        ({"cohort": ["bm25"]}, "no system 'bm25'"),
    ],
)
def test_refusals(options, words):
    """What is outside its rule is named."""
    with pytest.raises(InvalidOptionError, match=words):
        compare_subsets(drawn(), **options)


def test_too_few_systems_groups_or_topics():
    """Three systems on each side, and more than three topics."""
    with pytest.raises(ScoresError, match="there are 5 systems"):
        compare_subsets(drawn(5), rng=0)
    with pytest.raises(ScoresError, match=r"there is 1 system$"):
        compare_subsets(drawn(), cohort="system1", rng=0)
    with pytest.raises(ScoresError, match="in 1 groups, which are not split"):
        compare_subsets(drawn(groups={f"system{number}": "g" for number in range(1, 13)}), rng=0)
    with pytest.raises(ScoresError, match="needs at least 4 topics; these scores have 3"):
        compare_subsets(drawn(n_topics=3), rng=0)
