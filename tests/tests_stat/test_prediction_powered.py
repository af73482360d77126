"""Prediction-powered comparisons: ppi_py's numbers, the formulas pair by pair, laws, coverage, degenerate input."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metaeval import as_scores, paired_t_test, prediction_powered
from metaeval.errors import InvalidOptionError, MetaevalError, ScoresError
from metaeval.tests_stat.correction import adjust

# ppi_py 0.2.3, for each (Y, Yhat): ppi_mean_pointestimate(Y, Yhat[:n], Yhat[n:]); _calc_lam_glm(Y - p, Yhat[:n] - p,
# Yhat[n:] - p, np.eye(1), clip=True) with p the estimate at lam=1; ppi_mean_ci(Y, Yhat[:n], Yhat[n:], alpha=.05).
PPI = {
    "5 and 3": (
        [0.33, 0.83, 0.77, 0.58, 0.52],
        [0.24, 0.46, 0.53, 0.51, 0.46, 0.28, 0.24, 0.12],
        (0.5545542682926831, 0.22696646341463406, 0.4111192718752078, 0.6979892647101583),
    ),
    "8 and 20": (
        [0.67, 0.32, 0.61, 0.94, 0.1, 0.27, 0.25, 0.65],
        [
            0.53,
            0.05,
            0.45,
            0.9,
            0.11,
            0.29,
            0.31,
            0.17,
            0.21,
            0.38,
            0.13,
            0.36,
            -0.05,
            0.6,
            0.65,
            0.5,
            0.32,
            0.18,
            -0.19,
            0.48,
            0.6,
            0.5,
            -0.06,
            0.29,
            0.44,
            0.35,
            0.49,
            -0.05,
        ],
        (0.4487669572786114, 0.6141462060645501, 0.314419596870368, 0.5831143176868547),
    ),
}
NUMBERS = ("estimate", "low", "high", "p_value", "judge_weight", "n_equivalent", "human_low", "human_p_value")


def made(n_systems=4, n=12, others=20, *, seed=0, known=0.7, digits=None):
    """Return human scores on n topics and a judge's on those and others, who know part of them."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(0.5, 0.15, (n_systems, n + others)) + np.linspace(0, 0.2, n_systems)[:, None]
    seen = 0.1 + known * truth + rng.normal(0, 0.08, truth.shape)
    return (one if digits is None else np.round(one, digits) for one in (truth[:, :n], seen))


def literal(human, judge, quantile):
    """Compute every pair by itself, in the words of the formulas."""
    n, rows = human.shape[1], []
    for a in range(len(human)):
        for b in range(a + 1, len(human)):
            y, every = human[a] - human[b], judge[a] - judge[b]
            f, rest = every[:n], every[n:]
            others = len(rest)
            beta = np.cov(y, f)[0, 1] / np.var(f, ddof=1)
            unheld = np.cov(y, f, ddof=0)[0, 1] / ((1 + n / others) * np.var(every, ddof=1))
            weight = min(max(unheld, 0.0), 1.0)
            theta = y.mean() - weight * (f.mean() - rest.mean())
            if quantile == "normal":
                variance = np.var(y - weight * f) / n + weight**2 * np.var(rest) / others
                distribution = stats.norm()
            elif weight == 0:
                variance, distribution = np.var(y, ddof=1) / n, stats.t(n - 1)
            else:
                residual = y - y.mean() - beta * (f - f.mean())
                sum_f = ((f - f.mean()) ** 2).sum()
                fitting = 0.0
                if unheld < 1:
                    g = weight * sum_f / ((y - y.mean()) * (f - f.mean())).sum()
                    fitting = (residual**2).sum() / (n - 2) * (g * (f.mean() - rest.mean())) ** 2 / sum_f
                first = np.var(y - weight * f) * n / (n - 2) / n + fitting
                pooled = (sum_f + ((rest - rest.mean()) ** 2).sum()) / (n + others - 2)
                second = weight**2 * pooled / others
                variance = first + second
                distribution = stats.t(variance**2 / (first**2 / (n - 2) + second**2 / (n + others - 2)))
            error = np.sqrt(variance)
            plain = stats.ttest_1samp(y, 0.0)
            ddof = 0 if quantile == "normal" else 1
            rows.append(
                (
                    theta,
                    theta - distribution.isf(0.025) * error,
                    theta + distribution.isf(0.025) * error,
                    2 * distribution.sf(abs(theta / error)),
                    weight,
                    np.var(y, ddof=ddof) / variance,
                    plain.confidence_interval().low,
                    plain.pvalue,
                )
            )
    return np.array(rows)


def numbers(found):
    """Return what `literal` computes, one row a pair."""
    return np.stack([found.data[name].to_numpy() for name in NUMBERS], axis=1)


@pytest.mark.parametrize("case", PPI)
@pytest.mark.parametrize("of", ["pairs", "means"])
def test_ppi_py(case, of):
    """Estimate and lambda are ppi_py's whatever the quantile, the interval with the normal one."""
    people, judge, expected = PPI[case]
    scores = [as_scores([one, [0.0] * len(one)]) for one in (people, judge)]
    for quantile, kept in (("normal", 4), ("t", 2)):
        data = prediction_powered(*scores, quantile=quantile, of=of).data
        found = [data[name].to_numpy()[0] for name in ("estimate", "judge_weight", "low", "high")]
        np.testing.assert_allclose(found[:kept], expected[:kept], rtol=1e-12)


@pytest.mark.parametrize("quantile", ["t", "normal"])
@pytest.mark.parametrize(("known", "others"), [(0.7, 20), (0.05, 3), (-0.6, 20), (3.0, 20), (0.5, 1), (0.3, 90)])
def test_the_formulas_pair_by_pair(quantile, known, others):
    """All pairs at once are as one by one: weights inside and cut at both ends, many topics of the judge and one."""
    human, judge = made(6, 9, others, known=known, seed=3)
    np.testing.assert_allclose(
        numbers(prediction_powered(human, judge, quantile=quantile)), literal(human, judge, quantile), rtol=1e-9
    )


def test_blocks_change_nothing(monkeypatch):
    """Pairs that are taken a few at a time have the numbers of all at once."""
    human, judge = made(9, 10, 15)
    whole = numbers(prediction_powered(human, judge))
    monkeypatch.setattr("metaeval.tests_stat.rectified_means._BLOCK", 100)
    assert np.array_equal(numbers(prediction_powered(human, judge)), whole)


def test_one_sided_tests_share_out_the_two_sided_one():
    """Greater and less add up to 1, and the smaller is half of the two-sided p; corrected over all pairs."""
    human, judge = made(5)
    p = {side: prediction_powered(human, judge, alternative=side).data for side in ("two-sided", "greater", "less")}
    both = [p[side]["p_value"].to_numpy() for side in ("greater", "less")]
    np.testing.assert_allclose(both[0] + both[1], 1.0)
    np.testing.assert_allclose(2 * np.minimum(*both), p["two-sided"]["p_value"], rtol=1e-9)
    np.testing.assert_array_equal(p["less"]["p_corrected"], adjust(both[1], "fdr_by"))


@given(st.integers(0, 10**6), st.sampled_from(["t", "normal"]))
@settings(max_examples=10, deadline=None)
def test_laws(seed, quantile):
    """Order of systems and topics, what a judge adds everywhere, the unit, and a third system change nothing."""
    human, judge = made(3, 7, 9, seed=seed)
    expected = numbers(prediction_powered(human, judge, quantile=quantile))
    rng = np.random.default_rng(seed)
    order = rng.permutation(7)
    turned = np.concatenate([order, 7 + rng.permutation(9)])
    shifted = judge + rng.normal(size=16)  # the same for all systems on a topic
    same = prediction_powered(human[:, order], shifted[:, turned], quantile=quantile)
    np.testing.assert_allclose(numbers(same), expected, rtol=1e-7, atol=1e-12)
    scaled = numbers(prediction_powered(1000 * human, 1000 * judge, quantile=quantile))
    np.testing.assert_allclose(scaled / np.array([1e3, 1e3, 1e3, 1, 1, 1, 1e3, 1]), expected, rtol=1e-9, atol=1e-12)
    mirrored = numbers(prediction_powered(human[::-1], judge[::-1], quantile=quantile))[::-1]
    np.testing.assert_allclose(mirrored[:, [0, 1, 2, 3]], expected[:, [0, 2, 1, 3]] * [-1, -1, -1, 1], rtol=1e-9)
    alone = numbers(prediction_powered(human[:2], judge[:2], quantile=quantile))
    np.testing.assert_allclose(alone[0], expected[0], rtol=1e-12)


def test_lower_is_better():
    """Differences keep their own direction, and who is better is turned; the judge may count the other way."""
    human, judge = made(3)
    plain = prediction_powered(human, judge)
    fewer = [as_scores(-one, higher_is_better=False) for one in (human, judge)]
    for machine in (fewer[1], as_scores(judge)):
        found = prediction_powered(fewer[0], machine)
        np.testing.assert_allclose(found.data["estimate"], -plain.data["estimate"])
        np.testing.assert_allclose(found.data["low"], -plain.data["high"])
        np.testing.assert_allclose(found.data["p_value"], plain.data["p_value"])
        np.testing.assert_array_equal(found.data["better"], plain.data["better"])
        assert found.significant_pairs().equals(plain.significant_pairs())


def test_systems_and_topics_are_matched_by_name():
    """The judge's table may be in any order; its other topics are those of no name in the human one."""
    human, judge = made(3, 5, 6)
    people = as_scores(human, systems=list("abc"), topics=list("12345"))
    names = [*"12345", *"uvwxyz"]
    machine = as_scores(judge, systems=list("abc"), topics=names).sel(system=list("cab"), topic=names[::-1])
    np.testing.assert_allclose(
        numbers(prediction_powered(people, machine)), numbers(prediction_powered(human, judge)), rtol=1e-9
    )


def test_human_topics_without_the_judge_are_left_out_and_counted():
    """They would have no partner; a note says how many, and the result is that of the rest."""
    human, judge = made(3, 6, 8)
    without = as_scores(judge).drop_sel(topic=["2"])
    found = prediction_powered(human, without)
    expected = prediction_powered(as_scores(human).drop_sel(topic=["2"]), without)
    assert found.n_topics == 5
    assert "1 of 6 human topics have no scores of the judge and were left out (2)" in found.notes[0]
    assert np.array_equal(numbers(found), numbers(expected))


@pytest.mark.parametrize("quantile", ["t", "normal"])
def test_a_judge_who_says_nothing_leaves_the_paired_t_test(quantile):
    """Constant scores, or differences against the people's: weight 0, and people alone decide."""
    human, judge = made(4, 8, 5)
    plain = paired_t_test(human).data
    n_topics = human.shape[1]
    against = np.concatenate([1.0 - human, judge[:, n_topics:]], axis=1)
    for useless in (np.full_like(judge, 0.3), against):
        data = prediction_powered(human, useless, quantile=quantile).data
        assert not data["judge_weight"].any()
        np.testing.assert_allclose(data["estimate"], plain["difference"][0])
        np.testing.assert_array_equal(data["worth"], 1.0)
        np.testing.assert_allclose(data["n_equivalent"], n_topics)
        if quantile == "t":
            np.testing.assert_allclose(data["p_value"], plain["p_value"][0])
            np.testing.assert_array_equal(data["low"], data["human_low"])
    assert "do not vary over the 8 topics" in prediction_powered(human, np.full_like(judge, 0.3)).notes[-1]


def test_a_perfect_judge():
    """Who scores as people do is worth nearly all the topics that it scored, and without end in the limit."""
    truth = np.random.default_rng(2).random((3, 4000))
    found = prediction_powered(truth[:, :400], truth)
    np.testing.assert_allclose(found.data["correlation"], 1.0)
    assert np.isinf(found.data["worth"]).all()
    assert (found.data["judge_weight"] > 0.8).all()
    assert (found.data["n_equivalent"] > 2500).all()


def test_identical_systems_and_constant_differences():
    """As in the paired t test: p is 1 for equal systems, and that of twelve signs for a constant difference."""
    tenths = np.random.default_rng(4).integers(0, 7, 12) / 10
    human = np.stack([tenths, tenths, tenths + 0.3])
    judge = np.random.default_rng(5).random((3, 30))
    judge[1] = judge[0]
    for side in ("two-sided", "greater", "less"):
        data = prediction_powered(human, judge, alternative=side, correction="none").data
        expected = [1.0, *({"two-sided": [2.0**-11] * 2, "greater": [1.0] * 2, "less": [2.0**-12] * 2}[side])]
        np.testing.assert_array_equal(data["p_value"], expected)
    np.testing.assert_array_equal(data["better"], [0, -1, -1])
    np.testing.assert_array_equal(data["standard_error"], 0.0)
    assert np.isnan(data["worth"]).all()
    assert np.isnan(data["correlation"]).all()


def test_tenths_and_counts_agree():
    """Rounding changes nothing: in hits, tenths, thirtieths and with a constant, the same p-values and directions."""
    rng = np.random.default_rng(6)
    human, judge = rng.integers(0, 4, (6, 8)), rng.integers(0, 4, (6, 20))
    human[1] = human[0, rng.permutation(8)]  # an equal mean
    human[2], judge[2] = human[3] + 2, judge[3] + 2  # the same difference everywhere
    expected = numbers(prediction_powered(human, judge))
    for written in (lambda hits: hits / 10, lambda hits: hits / 30, lambda hits: hits / 10 + 0.3):
        found = numbers(prediction_powered(written(human), written(judge)))
        np.testing.assert_allclose(found[:, 3:6], expected[:, 3:6], rtol=1e-7, atol=1e-13)
        np.testing.assert_array_equal(np.sign(found[:, 0]), np.sign(expected[:, 0]))


@pytest.mark.parametrize("n", [5, 10])
def test_intervals_cover(n):
    """2,500 independent systems of truth 0: 95 % intervals hold it for 93 to 97 % of them, and ppi_py's for fewer."""
    rng = np.random.default_rng(n)
    judge = rng.normal(size=(2500, n + 60))
    human = 0.8 * judge[:, :n] + 0.6 * rng.normal(size=(2500, n))
    covered = {}
    for quantile in ("t", "normal"):
        data = prediction_powered(human, judge, of="means", quantile=quantile).data
        covered[quantile] = float(((data["low"] <= 0) & (data["high"] >= 0)).mean())
    assert 0.93 <= covered["t"] <= 0.97
    assert covered["normal"] < 0.92


REFUSED = {
    "no topic of the judge alone": (lambda human, judge: (human, judge[:, :8]), "add the judge's scores on other"),
    "two topics": (lambda human, judge: (human[:, :2], judge), "at least 3 topics"),
    "no topic in common": (
        lambda human, judge: (as_scores(human, topics=list("abcdefgh")), judge),
        "there are 0 of 8 human topics",
    ),
    "another system": (lambda human, judge: (human, as_scores(judge, systems=list("abc"))), "the judge lacks 3"),
    "a system more": (lambda human, judge: (human[:2], judge), "human scores lack 1 of 3"),
    "two metrics": (lambda human, judge: (np.stack([human, human]), judge), "choose one: `human.sel"),
    "a gap of the judge": (
        lambda human, judge: (human, as_scores(np.where(judge == judge.max(), np.nan, judge), missing="pairwise")),
        "prediction-powered inference .judge.: these scores have gaps",
    ),
    "weights": (
        lambda human, judge: (as_scores(human, weights={str(one + 1): one + 1.0 for one in range(8)}), judge),
        "have weights.*leave their column out",
    ),
    "clusters": (
        lambda human, judge: (human, as_scores(judge, clusters={str(one + 1): str(one % 3) for one in range(20)})),
        "come in clusters.*put their means in the topics' place",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case):
    """What cannot be answered is refused, with the way out."""
    change, words = REFUSED[case]
    with pytest.raises(MetaevalError, match=words):
        prediction_powered(*change(*made(3, 8, 12)))


@pytest.mark.parametrize(
    "options",
    [
        {"of": "ranks"},
        {"alternative": "better"},
        {"quantile": "z"},
        {"alpha": 2},
        {"correction": "holmes"},
        {"confidence_level": 95},
    ],
)
def test_options_outside_their_rule(options):
    """They are refused by name."""
    with pytest.raises(InvalidOptionError):
        prediction_powered(*made(), **options)
    with pytest.raises(ScoresError):
        prediction_powered(np.full((2, 4), np.inf), np.ones((2, 6)))


def test_the_frame_the_pairs_and_the_picture():
    """Labels stand in front, the pairs are the significant ones with the better first, and both kinds are drawn."""
    human, judge = made(5, 12, 60)
    found = prediction_powered(human, judge)
    frame = found.to_frame()
    assert frame.columns[:3].tolist() == ["system_a", "system_b", "estimate"]
    pairs = found.significant_pairs()
    assert len(pairs) == found.data["significant"].sum() > 0
    assert (pairs["estimate"] > 0).all()
    assert pairs["better"].iloc[0] == "system5"
    means = prediction_powered(human, judge, of="means")
    assert means.to_frame().columns[:2].tolist() == ["system", "estimate"]
    assert "p_value" not in means.data
    with pytest.raises(InvalidOptionError, match="`of='pairs'`"):
        means.significant_pairs()
    for one in (found, means):
        axes = one.plot(n_rows=3).axes[0]
        assert len(axes.texts) >= 3


def test_the_passages_of_2021(data_folder):
    """Published nDCG@10 under NIST with Compatibility under a judge: 20 topics by people, 33 by the judge alone."""
    folder = data_folder / "llm-judges-dl21"
    ndcg = pd.read_csv(folder / "ndcg_cut_10_published.csv.gz", dtype={"topic": str})
    compat = pd.read_csv(folder / "compatibility_published.csv.gz", dtype={"topic": str})
    people = ndcg[ndcg["topic"] != "average"].pivot_table(index="runid", columns="topic", values="ndcg_cut_10")
    own = compat[compat["qrels"].str.contains("umbrela") & (compat["topic"] != "average")]
    judge = own.pivot_table(index="runid", columns="topic", values="compatibility").loc[people.index, people.columns]
    scores = [as_scores({"score": one.T}) for one in (people.iloc[:, :20], judge)]
    found = prediction_powered(*scores)
    assert (found.n_systems, found.n_topics, found.n_judged) == (63, 20, 33)
    expected = literal(people.to_numpy()[:12, :20], judge.to_numpy()[:12], "t")
    first = [as_scores({"score": one.T}) for one in (people.iloc[:12, :20], judge.iloc[:12])]
    np.testing.assert_allclose(numbers(prediction_powered(*first)), expected, rtol=1e-7)
    assert 22 < float(found.data["n_equivalent"].median()) < 40


def test_topics_shared_in_syndl_hold_nothing(data_folder):
    """SynDL's judge scores 0 on each of the 35 topics of 2019 that NIST judged too: weight 0, and a note says why."""
    table = pd.read_csv(data_folder / "syndl" / "syndl.csv.gz", dtype={"topic": str})
    table = table[(table["year"] == 2019) & (table["metric"] == "nDCG@10")]
    scores = {
        name: as_scores({"nDCG@10": part.pivot_table(index="topic", columns="system", values="value")})
        for name, part in table.groupby("judge")
    }
    found = prediction_powered(scores["nist"], scores["gpt-4"])
    assert (found.n_topics, found.n_judged) == (35, 157)
    assert not found.data["judge_weight"].any()
    assert any("8 of 43 human topics" in note for note in found.notes)
    assert any("weight 0" in note for note in found.notes)


def people_and_judge(seed=3):
    """Two systems on 20 items that people scored, and the judge 60 others."""
    drawn = np.random.default_rng(seed)
    people = drawn.normal([[0.4], [0.6]], 0.1, (2, 20))
    judge = np.hstack([people + drawn.normal(0, 0.05, (2, 20)), drawn.normal([[0.4], [0.6]], 0.12, (2, 60))])
    topics = [f"q{at}" for at in range(80)]
    return as_scores(people, topics=topics[:20], metrics=["quality"]), as_scores(judge, topics=topics)


def test_the_mean_of_one_system_is_the_one_that_it_has_among_others():
    """A system's mean takes nothing from others; a pair takes two, and the message has the call that does it."""
    people, judge = people_and_judge()
    alone = [scores.sel(system=["system2"]) for scores in (people, judge)]
    with pytest.raises(ScoresError, match=r"a pair needs two systems, and there is only 'system2': pass `of='means'`"):
        prediction_powered(*alone)
    one, both = prediction_powered(*alone, of="means"), prediction_powered(people, judge, of="means")
    columns = ["estimate", "low", "high"]
    assert one.to_frame()[columns].iloc[0].tolist() == pytest.approx(both.to_frame()[columns].iloc[1].tolist())


def test_the_first_sentence_says_who_is_ahead_by_how_much():
    """Of one pair whichever side is better, and of means each with its interval."""
    people, judge = people_and_judge()
    found = prediction_powered(people, judge)
    row = found.to_frame().iloc[0]
    assert row["estimate"] < 0  # system1 less system2
    by = f"{-row['estimate']:.3f} [{-row['high']:.3f}, {-row['low']:.3f}]"
    assert found.answer.startswith(f"system2 is significantly better than system1 under quality, by {by} ")
    means = prediction_powered(people, judge, of="means")
    first = means.to_frame().iloc[0]
    written = f"system1 {first['estimate']:.3f} [{first['low']:.3f}, {first['high']:.3f}]"
    assert means.answer.startswith(f"mean quality by people and judge together: {written}, system2 ")
