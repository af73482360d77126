"""Plans with a judge: against literal search, simulated power, theory for many topics, laws, degenerate input."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from metaeval import as_scores, prediction_powered
from metaeval.errors import EstimationError, InvalidOptionError, ScoresError
from metaeval.models import topics_with_judge
from metaeval.models.judge_worth import relative_variance

COLUMNS = ("correlation", "worth", "width_ratio", "n_equivalent", "n_needed")


def pilot(n_systems=4, n=40, *, seed=0, known=0.7, noise=0.1):
    """Return human and judge's scores on the same topics."""
    rng = np.random.default_rng(seed)
    human = rng.normal(0.5, 0.15, (n_systems, n)) + np.linspace(0, 0.2, n_systems)[:, None]
    return human, known * human + rng.normal(0, noise, human.shape)


def found_effect(variance, freedom):
    """Return the difference that SciPy's non-central t finds with power .8, by halving; it has NaN far out."""
    critical, low, high = stats.t.isf(0.025, freedom), 0.0, 20.0
    for _ in range(34):
        middle = (low + high) / 2
        power = stats.nct.sf(critical, freedom, middle) + stats.nct.cdf(-critical, freedom, middle)
        low, high = (low, middle) if not power < 0.8 else (middle, high)
    return high * np.sqrt(variance)


def literal(y, f, n, others):
    """Plan one pair in the words of the formulas: topics alone by halving, topics needed likewise."""
    n_pilot = len(y)
    rho = np.corrcoef(y, f)[0, 1]
    beta, var_f, var_y = np.cov(y, f)[0, 1] / np.var(f, ddof=1), np.var(f, ddof=1), np.var(y, ddof=1)
    limit = min(max(beta, 0.0), 1.0)
    worth = var_y / np.var(y - limit * f, ddof=1)

    def planned(size, left, *, price):
        g = others / (size + others)
        weight = min(max(beta * g, 0.0), 1.0)
        first = (left + (beta - weight) ** 2 * var_f) / size
        if price:
            spread = g * np.sqrt(left / (size * var_f) + 2 * g * beta**2 / size)
            moved, _ = integrate.quad(
                lambda z: (min(max(beta * g + spread * z, 0), 1) - beta * g) ** 2 * stats.norm.pdf(z),
                *(-9, 9),
                points=sorted([-beta * g / spread, (1 - beta * g) / spread]),
                epsabs=1e-12,
            )
            first += var_f / (size * g) * (moved - (weight - beta * g) ** 2)
        second = weight**2 * var_f / others
        if weight == 0:
            return first, size - 1
        return first + second, (first + second) ** 2 / (first**2 / (size - 2) + second**2 / (size + others - 2))

    ratio = np.sqrt(planned(n, (1 - rho**2) * var_y, price=False)[0] / (var_y / n))
    left = min(1.0, (1 - rho**2) * (n_pilot - 1) / (n_pilot - 2)) * var_y
    beta = np.sign(beta) * np.sqrt((var_y - left) / var_f)
    target = found_effect(*planned(n, left, price=True))
    low, high = 2.0, 1e4
    for _ in range(34):
        middle = (low + high) / 2
        low, high = (low, middle) if found_effect(var_y / middle, middle - 1) <= target else (middle, high)
    equivalent, target = high, found_effect(var_y / n, n - 1)
    low, high = 4.0, 1e3
    for _ in range(34):
        middle = (low + high) / 2
        low, high = (low, middle) if found_effect(*planned(middle, left, price=True)) <= target else (middle, high)
    return rho, worth, ratio, equivalent, high


@pytest.mark.parametrize(("known", "n", "others"), [(0.7, 30, 400), (3.0, 12, 50), (0.02, 9, 5)])
def test_the_formulas_pair_by_pair(known, n, others):
    """All pairs at once, from tables and by halving, are as one by one with SciPy's non-central t."""
    human, judge = pilot(3, 25, known=known)
    data = topics_with_judge(human, judge, n_topics=n, n_judged=others).data
    expected = literal(human[0] - human[2], judge[0] - judge[2], n, others)
    np.testing.assert_allclose([data[name].to_numpy()[1] for name in COLUMNS], expected, rtol=1e-4)


def test_any_number_of_topics_is_the_limit():
    """Without a number the judge's topics are as many as one likes, and the worth is 1 / (1 - rho squared)."""
    human, judge = pilot()
    limit, many = (topics_with_judge(human, judge, n_judged=number).data for number in (None, 10**8))
    for name in COLUMNS:
        np.testing.assert_allclose(limit[name], many[name], rtol=1e-5)
    np.testing.assert_allclose(limit["worth"], 1 / (1 - limit["correlation"] ** 2))
    np.testing.assert_allclose(limit["width_ratio"], np.sqrt(1 - limit["correlation"] ** 2))
    few = topics_with_judge(human, judge, n_judged=90, n_topics=30).data
    np.testing.assert_allclose(few["width_ratio"], np.sqrt(1 - few["correlation"] ** 2 * 90 / 120))


@pytest.mark.parametrize(("rho", "n", "others"), [(0.8, 15, 200), (0.6, 10, 40), (0.0, 12, 60)])
def test_a_plan_keeps_its_promise(rho, n, others):
    """With n topics and a judge the test finds what the plan says: .8 of 3,000 such differences, normal ones."""
    rng = np.random.default_rng(1)
    variance, freedom = relative_variance(n, others, 1 - rho**2, rho, 1.0, fitting=True)
    effect = found_effect(float(variance), float(freedom))
    judge = rng.normal(size=(3000, n + others))
    human = effect + rho * judge[:, :n] + np.sqrt(1 - rho**2) * rng.normal(size=(3000, n))
    data = prediction_powered(human, judge, of="means").data
    assert abs(float((data["low"] > 0).mean()) - 0.8) < 0.03


@given(st.integers(0, 10**6))
@settings(max_examples=8, deadline=None)
def test_laws(seed):
    """Order and unit change nothing, and n_needed turns n_equivalent round."""
    human, judge = pilot(3, 15, seed=seed)
    plan = {"n_topics": 20, "n_judged": 100}
    found = topics_with_judge(human, judge, **plan)
    order = np.random.default_rng(seed).permutation(15)
    other = topics_with_judge(1000 * human[:, order], 1000 * judge[:, order], **plan)
    pd.testing.assert_frame_equal(found.summary, other.summary, rtol=1e-6)
    first = topics_with_judge(human[:2], judge[:2], **plan)
    alone = round(float(first.data["n_equivalent"].to_numpy()[0]))
    back = topics_with_judge(human[:2], judge[:2], **{**plan, "n_topics": max(4, alone)})
    if alone >= 4:
        assert abs(float(back.data["n_needed"].to_numpy()[0]) - 20) < 20 * 0.7 / alone + 0.5


def test_the_interval_is_the_jackknife():
    """Each topic left out once, literally, on the logarithmic scale."""
    human, judge = pilot(4, 12)
    plan = {"n_topics": 20, "n_judged": 100}
    row = topics_with_judge(human, judge, **plan).summary.loc["median"]
    for name in ("worth", "n_equivalent", "n_needed"):
        logs = []
        for place in range(12):
            y, f = np.delete(human, place, axis=1), np.delete(judge, place, axis=1)
            logs.append(np.log(topics_with_judge(y, f, **plan).summary.loc["median", name]))
        error = np.sqrt(11 / 12 * ((logs - np.mean(logs)) ** 2).sum())
        reach = stats.t.isf(0.025, 11) * error
        np.testing.assert_allclose(
            np.log([row[f"{name}_low"], row[f"{name}_high"]]), np.log(row[name]) + np.array([-reach, reach])
        )


def test_a_judge_who_says_nothing_is_worth_nothing():
    """A constant judge, or one against the people: n topics with it are n topics, or hardly less."""
    human, judge = pilot()
    for useless, within in ((np.full_like(judge, 0.4), 1e-5), (-judge, 0.01)):
        found = topics_with_judge(human, useless)
        np.testing.assert_allclose(found.data["worth"], 1.0)
        np.testing.assert_allclose(found.data["width_ratio"], 1.0)
        np.testing.assert_allclose(found.data["n_equivalent"], 30.0, rtol=within)
        np.testing.assert_allclose(found.data["n_needed"], 30.0, rtol=within)


def test_a_judge_who_says_little_costs_topics():
    """What fitting costs may be more than such a judge brings: 9 topics and a correlation of .3."""
    variance, freedom = relative_variance(9, np.inf, 0.91, 0.3, 1.0, fitting=True)
    assert found_effect(float(variance), float(freedom)) > found_effect(1 / 9, 8)


def test_a_perfect_judge():
    """Its worth has no end, and a few topics will do: lambda has to be fitted."""
    human, _ = pilot()
    found = topics_with_judge(human, human)
    assert np.isinf(found.data["worth"]).all()
    assert (found.data["n_needed"] < 8).all()


def test_pairs_that_do_not_vary_are_left_out_and_counted():
    """Identical systems have no answer, and the summary is of the others; if there are none, nothing is."""
    human, judge = pilot(3)
    human[1] = human[0]
    found = topics_with_judge(human, judge)
    assert np.isnan(found.data["worth"].to_numpy()[0])
    assert found.summary.notna().all(axis=None)
    assert "1 of 3 pairs do not vary" in found.notes[-1]
    with pytest.raises(EstimationError, match="of no pair vary over the 40 topics"):
        topics_with_judge(np.ones((2, 40)), judge[:2])


def test_the_sentence_and_the_frame():
    """Plans are said in words, for pairs and for means."""
    human, judge = pilot(n=60)
    found = topics_with_judge(
        as_scores(human, metrics=["AP"]), as_scores(judge, metrics=["the judge"]), n_topics=30, n_judged=400
    )
    assert found.sentence().startswith(
        "Adding labels of the judge on 400 topics makes 30 human topics as informative as"
    )
    assert "any number of topics" in topics_with_judge(human, judge).sentence()
    assert found.to_frame().columns[:2].tolist() == ["system_a", "system_b"]
    means = topics_with_judge(human, judge, of="means")
    assert means.to_frame()["system"].tolist() == ["system1", "system2", "system3", "system4"]


def test_refusals():
    """Too few topics, and options outside their rule."""
    human, judge = pilot()
    with pytest.raises(ScoresError, match="at least 4 topics"):
        topics_with_judge(human[:, :3], judge)
    for options in ({"n_topics": 3}, {"n_judged": 0}, {"of": "ranks"}, {"power": 0.01}, {"alpha": 1.5}):
        with pytest.raises(InvalidOptionError):
            topics_with_judge(human, judge, **options)


def test_the_passages_of_2021(data_folder):
    """Published nDCG@10 under NIST beside the Compatibility that a judge's labels give the same runs."""
    folder = data_folder / "llm-judges-dl21"
    ndcg = pd.read_csv(folder / "ndcg_cut_10_published.csv.gz", dtype={"topic": str})
    compat = pd.read_csv(folder / "compatibility_published.csv.gz", dtype={"topic": str})
    people = ndcg[ndcg["topic"] != "average"].pivot_table(index="topic", columns="runid", values="ndcg_cut_10")
    own = compat[compat["qrels"].str.contains("umbrela") & (compat["topic"] != "average")]
    judge = own.pivot_table(index="topic", columns="runid", values="compatibility").loc[people.index]
    found = topics_with_judge(*(as_scores({"score": one}) for one in (people, judge)))
    assert found.n_pilot == 53
    row = found.summary.loc["median"]
    assert row["worth_low"] < row["worth"] < row["worth_high"]
    assert 1.3 < row["worth"] < 2.7
