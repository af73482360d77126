"""Requirements on systems: one-sided t tests, how they are written, and the exit code."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.integrate import quad

from metaeval.base.unit import ITEM
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.models.separation import topics_to_separate
from metaeval.reports.witnesses import requirements_rest
from metaeval.table.scores import as_scores
from metaeval.table.structure import with_clusters
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.discordant import share_difference
from metaeval.tests_stat.families import pair_families
from metaeval.tests_stat.requirement_witness import requirement_witness
from metaeval.tests_stat.requirements import check_requirements

MADE = np.random.default_rng(4).normal([[0.0], [0.1], [1.0]], 0.5, (3, 40))
SCORES = as_scores(MADE, systems=["old", "new", "gpt-4 - 1"])


@pytest.mark.parametrize("margin", [-0.3, 0.0, 0.4])
def test_it_is_a_one_sided_t_test(margin):
    """Limits and p as SciPy has them; the state follows from both limits."""
    found = (
        check_requirements(SCORES, [f"new >= old {margin:+g}".replace("+", "+ ").replace("-", "- ")]).to_frame().iloc[0]
    )
    expected = stats.ttest_1samp(MADE[1] - MADE[0] - margin, 0.0, alternative="greater")
    assert found["p_value"] == pytest.approx(expected.pvalue)
    assert found["low"] == pytest.approx(expected.confidence_interval(0.95).low + margin)
    less = stats.ttest_1samp(MADE[1] - MADE[0] - margin, 0.0, alternative="less").pvalue
    assert found["state"] == ("met" if expected.pvalue <= 0.05 else "violated" if less < 0.05 else "open")


def test_direction_names_and_equal_systems():
    """Better is higher whatever the metric's direction; a name may hold a margin; equals may not be as good."""
    turned = as_scores(-MADE, systems=["old", "new", "gpt-4 - 1"], higher_is_better=False)
    for asked in ("gpt-4 - 1 > new", "gpt-4 - 1 >= new + 0.2", "new >= gpt-4 - 1 - 5 points"):
        one, other = (check_requirements(scores, [asked]).to_frame().iloc[0] for scores in (SCORES, turned))
        assert one["state"] == other["state"] == "met"
        assert one["estimate"] == pytest.approx(other["estimate"])
    equal = as_scores(MADE[[0, 0]], systems=["a", "b"])
    assert check_requirements(equal, ["a >= b", "a > b"]).table["state"].tolist() == ["open", "open"]


def test_disjoint_items():
    """Two systems without common items have no difference in any procedure that takes gaps: neither 0 nor p = 1."""
    values = np.vstack([MADE, MADE[:1] + 0.3])
    values[0, :20] = values[1, 20:] = np.nan
    scores = as_scores(values[None], systems=["a", "b", "c", "d"], missing="pairwise")
    row = check_requirements(scores, ["a >= b - 9 points"]).to_frame().iloc[0]
    assert row["state"] == "without common items"
    assert row[["estimate", "low", "high", "p_value"]].isna().all()
    taking = [name for name, test in TESTS.items() if "gaps" in test.uses]
    assert "t" in taking
    for name in taking:
        frame = compare_systems(scores, test=name, rng=1).to_frame().set_index(["system_a", "system_b"])
        assert frame.loc[("a", "b"), ["difference", "p_value", "p_corrected"]].isna().all(), name
        assert not frame.loc[("a", "b"), "significant"]
        assert frame["difference"].notna().sum() == 5
    families = pair_families(compare_systems(scores, test="t", correction="none"), baseline="a").to_frame()
    apart = families[families[["system_a", "system_b"]].isin(["a", "b"]).all(axis=1)]
    assert len(apart)
    assert apart[["difference", "p_value", "p_holm"]].isna().all(axis=None)
    assert topics_to_separate(scores, pairs=[("a", "b")]).to_frame()["difference"].isna().all()


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("new>=old-0.05", "new >= old - 0.05"),
        ("new >= old-.05", "new >= old - .05"),
        ("new >= old - 0,05", "new >= old - 0.05"),
        ("old<=new + 0,05", "new >= old - 0.05"),
        ("old < new", "new > old"),
        ("new = old", "new >= old"),
        ("0.5 <= new", "new >= 0.5"),
        ("new>=.5", "new >= .5"),
        ("0,5 > new", "new < 0.5"),
        ("new<=0,5", "new <= 0.5"),
        ("new=>gpt-4 - 1", "new >= gpt-4 - 1"),
        ("new>=gpt-4 - 1-0.05", "new >= gpt-4 - 1 - 0.05"),
    ],
)
def test_what_is_written_otherwise_is_said_as_it_must_be(asked, meant):
    """Without blanks, with a decimal comma, or the worse first: the message holds the text to give instead."""
    with pytest.raises(InvalidOptionError, match=f"(such as|more is better write) '{meant}', ") as caught:
        check_requirements(SCORES, [asked])
    check_requirements(SCORES, [re.search("(?:such as|write) '([^']*)'", str(caught.value))[1]])


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        ([], InvalidOptionError),
        (["old"], InvalidOptionError),
        (["old >= newest"], UnknownNameError),
        (["old >= old"], InvalidOptionError),
    ],
)
def test_what_is_no_requirement(asked, kind):
    """Nothing, no sign, a system that is not there, and one beside itself."""
    with pytest.raises(kind):
        check_requirements(SCORES, asked)


def shares(**passed):
    """Make 0/1 scores on 198 questions: so many passed of each system, the first ones."""
    names = list(passed)
    return as_scores(
        np.array([[[1.0] * n + [0.0] * (198 - n) for n in passed.values()]]), systems=names, metrics=["correct"]
    )


def test_a_mean_beside_a_number():
    """137 of 198 right, asked for .7: limits .6335 to .7460 (SciPy's exact ones at 90 %), open."""
    scores = shares(new=137, base=147)
    row = check_requirements(scores, ["new >= 0.7"]).to_frame().iloc[0]
    assert row["state"] == "open"
    assert pd.isna(row["system_b"])
    expected = stats.binomtest(137, 198, 0.7, alternative="greater")
    limits = stats.binomtest(137, 198).proportion_ci(0.9)
    assert row[["estimate", "low", "high"]].to_list() == pytest.approx([137 / 198, limits.low, limits.high])
    assert row["p_value"] == pytest.approx(expected.pvalue)
    states = check_requirements(scores, ["new >= 0.63", "new > 0.75", "new < 0.75", "new <= 0.6"]).table["state"]
    assert states.tolist() == ["met", "violated", "met", "violated"]


def test_a_number_is_held_against_the_scores_as_they_are():
    """Of an error, lower is better and the number is still that of the error; a share of 1 has its exact limit."""
    errors = as_scores(np.abs(MADE), systems=["old", "new", "third"], higher_is_better=False, metrics=["error"])
    assert check_requirements(errors, ["new < 2", "new >= 2"]).table["state"].tolist() == ["met", "violated"]
    perfect = as_scores(np.ones((1, 2, 9)), systems=["a", "b"], metrics=["solved"])
    found = check_requirements(perfect, ["a >= 0.7", "a >= 0.75"]).table  # 0.05 ** (1 / 9) = .717
    assert found["state"].tolist() == ["met", "open"]
    assert found["low"].iloc[0] == pytest.approx(0.05 ** (1 / 9))


@pytest.mark.parametrize(("n", "margin"), [(5, 0.01), (6, 0.05), (30, 0.01), (298, 0.01)])
def test_answers_that_are_all_alike_are_held_to_their_exact_limit(n, margin):
    """If .95 or .99 of answers are as good, five, six, thirty or 298 may all be so: at .99, 299 are the fewest."""
    same = as_scores(np.ones((1, 2, n)), systems=["a", "b"], metrics=["solved"])
    row = check_requirements(same, [f"a >= b - {margin}"]).table.iloc[0]
    assert row["state"] == "open"
    assert row["low"] == pytest.approx(-(1 - 0.05 ** (1 / n)))
    assert row["p_value"] == pytest.approx((1 - margin) ** n)
    assert row["items_needed"] == math.ceil(math.log(0.05) / math.log(1 - margin))
    enough = as_scores(np.ones((1, 2, int(row["items_needed"]))), systems=["a", "b"], metrics=["solved"])
    assert check_requirements(enough, [f"a >= b - {margin}"]).table["state"].tolist() == ["met"]


@pytest.mark.parametrize("asked", ["a >= b", "a > b", "a >= b + 0.09"])
@pytest.mark.parametrize("n", [2, 3, 4])
def test_few_topics_meet_nothing_that_signs_could_not_tell(n, asked):
    """A hair of noise turns no gate from open to met: of n topics no exact test has a p below 2 ** -n."""
    ahead = np.array([0.1, 0.101, 0.1, 0.1005])[:n]
    found = check_requirements(as_scores([0.5 + ahead, np.full(n, 0.5)], systems=["a", "b"]), [asked]).table
    assert found["state"].tolist() == ["open"]
    clusters = {str(topic): str(topic % 3) for topic in range(1, 13)}
    grouped = as_scores([0.5 + np.tile([0.11, 0.1, 0.105], 4), np.full(12, 0.5)], systems=["a", "b"], clusters=clusters)
    assert check_requirements(grouped, [asked]).table["state"].tolist() == ["open"]


@pytest.mark.parametrize(
    ("right", "n", "number", "most"), [(19, 20, 0.8, 0.12), (29, 30, 0.9, 0.25), (30, 30, 0.95, 0.2147)]
)
def test_the_p_value_of_a_share_is_of_the_test_that_decides(right, n, number, most):
    """It is near the exact p (.069, .184, .215), and more items are needed than did not tell."""
    scores = as_scores(
        np.array([[[1.0] * right + [0.0] * (n - right), [1.0] * n]]), systems=["a", "b"], metrics=["solved"]
    )
    row = check_requirements(scores, [f"a >= {number}"]).table.iloc[0]
    assert row["state"] == "open"
    assert 0.05 < row["p_value"] < most
    assert row["items_needed"] > n
    rng, needed = np.random.default_rng(0), int(row["items_needed"])
    likely = rng.beta(right + 0.5, n - right + 0.5, 4000)  # by Jeffreys' prior
    drawn = rng.binomial(needed, likely)
    met, violated = (tail(drawn - end, needed, number) for tail, end in ((stats.binom.sf, 1), (stats.binom.cdf, 0)))
    assert right == n or 0.7 < ((met <= 0.05) | (violated <= 0.05)).mean() < 0.9


def test_wide_margins_are_written_in_points():
    """Half of the range is no margin unless it is said in points; then it is hundredths of a score from 0 to 1."""
    scores = shares(new=137, base=147)
    with pytest.raises(InvalidOptionError, match=r"allows 0\.5 of a range of 1") as caught:
        check_requirements(scores, ["new >= base - 0.5"])
    wide, narrow = re.findall("'(new >= base - [^']*)'", str(caught.value))[:2]
    assert (wide, narrow) == ("new >= base - 50 points", "new >= base - 0.005")
    found = check_requirements(scores, [wide, narrow]).table
    assert found["state"].tolist() == ["met", "violated"]
    assert found["margin"].tolist() == [-0.5, -0.005]
    percent = as_scores(scores.to_numpy() * 100, systems=["new", "base"], metrics=["accuracy"])
    assert check_requirements(percent, ["new >= base - 50 points"]).table["margin"].tolist() == [-50.0]
    with pytest.raises(InvalidOptionError, match="correct lies between 0 and 1"):
        check_requirements(scores, ["new >= 70"])


def test_planned_items_reach_their_power():
    """With as many items as open requirements name, some 80 % of new samples settle them, one way or the other."""
    told = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        level = rng.normal(0.0, 0.3, 6)
        names = [f"s{place}" for place in range(6)]
        table = as_scores(rng.normal(level[:, None], 0.5**0.5, (6, 50)), systems=names)
        asked = [f"s{place} >= s{place + 1} + 0.05" for place in range(5)]
        found = check_requirements(table, asked).table
        ahead = (level[:-1] - level[1:] - 0.05)[found["state"] == "open"]
        needed = found["items_needed"][found["state"] == "open"].to_numpy()
        edge, shift = stats.t.isf(0.05, needed - 1), ahead * np.sqrt(needed)
        told += (stats.norm.sf(edge - shift) + stats.norm.cdf(-edge - shift)).tolist()
    assert len(told) > 30
    assert np.mean(told) == pytest.approx(0.8, abs=0.06)


@pytest.mark.parametrize("z", [0.0, 0.5, 1.0, 1.4])
def test_a_margin_makes_no_plan_smaller_than_that_of_the_difference_seen(z):
    """SciPy's quadrature over a normal law of the difference, error .1 from 100 items: power .8 of two one-sided tests.

    Drawn towards 0, which is .1 beyond the margin, 686 items were named for a plan of 1,450, and at z = 1 1,180.
    """
    left = np.random.default_rng(3).normal(size=100)
    old = np.random.default_rng(4).normal(50.0, 3.0, 100)
    new = old + (left - left.mean()) / left.std(ddof=1) + 0.1 * (z - 1.0)
    found = check_requirements(as_scores(np.stack([old, new]), systems=["old", "new"]), ["new >= old - 0.1"]).table
    needed, edge = found["items_needed"].item(), stats.norm.isf(0.05)
    ahead = stats.norm(0.1 * z, 0.1)

    def told(true):
        return ahead.pdf(true) * (stats.norm.sf(edge - true * needed**0.5) + stats.norm.sf(edge + true * needed**0.5))

    assert quad(told, -0.6, 0.8, points=[0.0], limit=500)[0] == pytest.approx(0.8, abs=0.01)


def test_what_is_established_instead():
    """Open requirements say the limit that holds and how many items would tell."""
    found = check_requirements(shares(new=137, base=147), ["new >= 0.7", "new >= base - 0.04"])
    words = found.open_words(ITEM)
    assert words[0].startswith("new >= 0.7 under correct; established is new >= 0.6335; 198 items establish ")
    assert "established is new >= base - 0.0829" in words[1]  # ten lost, none won: exactly .0842 (binomtest)
    needed = found.to_frame()["items_needed"].iloc[1]
    basis = "in all would tell, with probability 0.8 over all that the true difference may be"
    assert f"; some {needed:,.0f} items {basis}" in words[1]


def test_a_mean_of_clusters_beside_a_number():
    """Four items in each of 12 clusters: the limits are those of a t test on the 12 means, 11 degrees of freedom."""
    rng = np.random.default_rng(4)
    values = np.stack([rng.normal(0.7, 0.05, 12).repeat(4) + rng.normal(0, 0.02, 48) for _ in range(2)])
    clusters = {str(at + 1): f"c{at // 4}" for at in range(48)}
    row = check_requirements(as_scores(values, clusters=clusters), ["system1 >= 0.69"]).to_frame().iloc[0]
    means = values[0].reshape(12, 4).mean(axis=1)
    half = stats.t.isf(0.05, 11) * stats.sem(means)
    limits = row[["estimate", "low", "high"]].to_list()
    assert limits == pytest.approx([means.mean(), means.mean() - half, means.mean() + half])
    assert row["p_value"] == pytest.approx(stats.ttest_1samp(means, 0.69, alternative="greater").pvalue)


def test_every_open_requirement_says_which_margin_its_items_establish():
    """Its chance is .8 where two are equal, by the noncentral t, less that of the other tail; without spread none."""
    scores = shares(new=137, base=147)
    found = check_requirements(scores, ["new >= 0.7", "new >= base - 0.04"])
    for row in found.table.itertuples():
        differences = scores.to_numpy()[0, 0] - (0 if row.requirement.endswith("0.7") else scores.to_numpy()[0, 1])
        shift = row.detectable / stats.sem(differences)
        assert stats.nct.sf(stats.t.isf(0.05, 197), 197, shift) == pytest.approx(0.8, abs=2e-5)
    first, second = found.open_words(ITEM)
    assert "198 items establish it of a mean that is beyond the number by 0.082 with probability 0.8" in first
    assert "; of equal systems 198 items establish a margin of 0.0" in second
    alike = check_requirements([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]] * 2, ["system1 >= system2 - 0.01"])
    assert "149 items in all" in alike.open_words(ITEM)[0]


@pytest.mark.parametrize(("n", "state"), [(148, "open"), (149, "met")])
def test_a_release_that_changes_nothing_passes_with_enough_items(n, state):
    """No item of n differs: at 95 % less than 1 - .05^(1/n) do, by at most the range of all scores, here .5."""
    scores = 0.1 + 0.5 * np.linspace(0.0, 1.0, n)
    found = check_requirements(np.array([scores, scores]), ["system1 >= system2 - 0.01"]).table.iloc[0]
    assert found["low"] == pytest.approx(-0.5 * (1 - 0.05 ** (1 / n)))
    assert found["state"] == state
    assert (found["low"] >= -0.01) == (state == "met")


@pytest.mark.parametrize(
    ("text", "more", "less"),
    [
        ("new <= old", "old >= new", "new >= old"),
        ("new <= old + 30", "old >= new - 30", "new >= old - 30"),
        ("new<old-0.01", "old > new + 0.01", "new > old + 0.01"),
    ],
)
def test_a_requirement_turned_about_is_offered_for_both_directions(text, more, less):
    """At most as much is at least as good where less is better: both forms are offered, and both are read."""
    scores = as_scores(MADE[[0, 1]], systems=["new", "old"])
    with pytest.raises(InvalidOptionError) as caught:
        check_requirements(scores, [text])
    assert f"more is better write '{more}', where less is '{less}'" in str(caught.value)
    for offered in (more, less):
        wide = as_scores(1000 * MADE[[0, 1]], systems=["new", "old"])
        assert len(check_requirements(wide, [offered.replace(" 30", " 30 points")]).table) == 1


@pytest.mark.parametrize(
    ("scale", "asked", "offered"),
    [
        (100.0, "new >= 0.7", "new >= 70"),  # a gate that nothing could fail
        (1.0, "new >= 70%", "new >= 0.7"),
        (1.0, "new >= base + 1", "new >= base + 1 points"),  # one that nothing could pass
        (1.0, "new >= base - 2%", "new >= base - 2 points"),
    ],
)
def test_a_number_in_another_unit_is_refused_and_the_one_offered_is_taken(scale, asked, offered):
    """Scores from 0 to 1, or to 100 per cent; what the message writes is judged as the same wish in its own unit."""
    rng = np.random.default_rng(0)
    values = scale * rng.uniform(0.3, 0.9, (2, 40))
    scores = as_scores(values[None], metrics=["nDCG@10" if scale == 1.0 else "pct"], systems=["base", "new"])
    with pytest.raises(InvalidOptionError, match=f"'{re.escape(offered)}'"):
        check_requirements(scores, [asked])
    row = check_requirements(scores, [offered]).to_frame().iloc[0]
    wish = float(offered.split()[2]) if len(offered.split()) == 3 else float("".join(offered.split()[3:5])) / 100
    assert row["margin"] == pytest.approx(wish)


def test_answers_of_0_and_1_are_decided_as_exact_tests_decide_them():
    """Of all tables of 10 items: nothing is met, or violated, where SciPy's one-sided binomtest is above the level.

    On 8 of 10 right t and Wilson say that the share is above .5 (p = .045), the binomial test says .0547; 7 items won
    and 2 lost are p = .0479 by t and .0898 by signs.
    """
    numbers = [0.2, 0.5, 0.6, 0.8]
    for right in range(11):
        board = as_scores([[1] * right + [0] * (10 - right), [0] * 5 + [1] * 5], systems=["a", "b"], metrics=["acc"])
        rows = check_requirements(board, [f"a >= {number}" for number in numbers]).to_frame()
        above, below = (
            np.array([stats.binomtest(right, 10, number, alternative=side).pvalue for number in numbers])
            for side in ("greater", "less")
        )
        states = np.select([above <= 0.05, below <= 0.05], ["met", "violated"], "open")
        assert rows["state"].tolist() == states.tolist()
        assert rows["p_value"].to_numpy() == pytest.approx(above)
        limits = stats.binomtest(right, 10).proportion_ci(0.9)  # both one-sided at .05
        assert rows.loc[0, ["low", "high"]].to_numpy(float) == pytest.approx([limits.low, limits.high])
    for won in range(11):
        for lost in range(1, 11 - won):
            both = [1] * (10 - won - lost)
            board = as_scores([[1] * won + [0] * lost + both, [0] * won + [1] * lost + both], systems=["a", "b"])
            row = check_requirements(board, ["a > b"]).to_frame().iloc[0]
            exact = [stats.binomtest(side, won + lost, alternative="greater").pvalue for side in (won, lost)]
            assert row["state"] != "met" or exact[0] <= 0.05
            assert row["state"] != "violated" or exact[1] <= 0.05
            assert (row["low"] > 0.0, row["high"] < 0.0) == (row["state"] == "met", row["state"] == "violated")
            assert row["p_value"] >= exact[0] * (1 - 1e-12)


def test_a_margin_on_answers_of_0_and_1_is_passed_no_oftener_than_its_level():
    """Of 40 items whose systems differ by the margin, worse: chances of all outcomes by the multinomial law.

    The paired t test passes .02 with .114, its share of lost items being .037; Tango's score test with .06.
    """
    n, margin = 40, 0.02
    outcomes = [(won, lost) for won in range(4) for lost in range(6)]
    passed = []
    for won, lost in outcomes:
        both = [1] * (n - won - lost)
        board = as_scores([[1] * won + [0] * lost + both, [0] * won + [1] * lost + both], systems=["a", "b"])
        row = check_requirements(board, [f"a >= b - {margin}"]).to_frame().iloc[0]
        passed.append(row["state"] == "met")
        assert passed[-1] == (row["low"] >= -margin)
        assert (row["p_value"] <= 0.05) == passed[-1]
    law = stats.multinomial(n, [0.017, 0.017 + margin, 1.0 - 0.034 - margin])
    chances = law.pmf([(won, lost, n - won - lost) for won, lost in outcomes])
    assert chances[np.array(passed)].sum() < 0.06
    assert chances.sum() > 0.9


def test_score_limits_are_where_the_constrained_likelihood_has_them():
    """By a grid of the shares lost at a difference: the score at the limit, with the likeliest, is t's quantile."""
    won, lost, n = 4, 9, 100.0
    found = share_difference(won, lost, n, -0.1, alpha=0.05)
    for limit, quantile in ((found.low, stats.t.ppf(0.95, 99)), (found.high, stats.t.ppf(0.05, 99))):
        losing = np.linspace(1e-6, 0.4, 400_001)
        winning = losing + limit
        allowed = winning > 0
        losing, winning = losing[allowed], winning[allowed]
        likelihood = won * np.log(winning) + lost * np.log(losing) + (n - won - lost) * np.log(1 - winning - losing)
        share = losing[likelihood.argmax()]
        score = (won - lost - n * limit) / np.sqrt(n * (2 * share + limit - limit**2))
        assert score == pytest.approx(quantile, abs=1e-3)


def in_categories(n_categories, n_items=20, *, lead=0.05):
    """Return two systems on items of so many categories, on each of which the new one is ahead by about the lead."""
    rng = np.random.default_rng(6)
    n = n_categories * n_items
    old = rng.uniform(0.3, 0.6, n)
    leads = lead + 0.004 * (np.arange(n) // n_items) + rng.normal(0, 0.02, n)
    clusters = {str(at + 1): f"c{at // n_items}" for at in range(n)}
    return as_scores([old, old + leads], systems=["old", "new"], clusters=clusters)


@pytest.mark.parametrize("n_items", [20, 200])
def test_of_four_categories_no_number_of_items_tells_but_a_fifth_category(n_items):
    """1/2 to the 5 is below .05 and to the 4 is not; on these four the limit is that of the stratified mean, by hand.

    Its squared error is the sum over strata of squared share times variance of the mean (Cochran 1977, 5.2).
    """
    scores = in_categories(4, n_items)
    found = check_requirements(scores, ["new >= old - 0.02", "new >= old + 0.2"])
    first, second = found.to_frame().to_dict("records")
    assert (first["state"], first["n_too_few"], first["state_within"]) == ("open", 4, "met")
    assert (second["state"], second["state_within"]) == ("open", "violated")
    assert np.isnan([first["items_needed"], first["detectable"]]).all()
    assert first["clusters_needed"] == 5
    said, _ = found.open_words(ITEM)
    assert "all 4 clusters meet it, too few to tell of others (5 are the fewest); in the clusters at hand" in said
    assert "(`with_clusters(scores, 'fixed')`) it is established" in said
    assert "some 5 clusters in all would tell" in said
    assert "established is" not in said
    assert "items in all" not in said
    differences = np.diff(scores.to_numpy()[0], axis=0).reshape(4, n_items)
    error = np.sqrt((stats.sem(differences, axis=1) ** 2).sum()) / 4
    same = check_requirements(with_clusters(scores, "fixed"), ["new >= old - 0.02"]).to_frame().iloc[0]
    assert (same["estimate"] - same["low"]) / error == pytest.approx(stats.t.isf(0.05, 4 * (n_items - 1)), rel=0.01)
    assert np.isnan(same["n_too_few"])


def test_a_gate_on_six_categories_rests_on_their_number_and_on_no_two_of_them():
    """Without any two the t test still establishes it, but of four categories nothing can be established."""
    scores = in_categories(6)
    requirements = check_requirements(scores, ["new >= old - 0.02"])
    (row,) = requirements.to_frame().to_dict("records")
    assert row["state"] == "met"
    witness = requirement_witness(scores, row, alpha=0.05)
    assert witness.too_few
    left = ~np.isin(scores["cluster"], witness.rests_on)
    assert check_requirements(scores.isel(topic=left), ["new >= old - 0.02"]).table["low"].item() > -0.02
    (said,) = requirements_rest(requirements, scores)
    assert "rests on 6 clusters: on fewer than 5 nothing can be established" in said


@pytest.mark.parametrize("minus", ["-", "\N{MINUS SIGN}"])
def test_a_margin_may_have_the_minus_that_pages_print(minus):
    """A requirement copied from a page of ours is the same as one that was typed."""
    scores = as_scores({"old": [0.4, 0.5, 0.6, 0.7], "new": [0.5, 0.5, 0.7, 0.7]})
    assert check_requirements(scores, [f"new >= old {minus} 0.01"]).to_frame()["margin"].tolist() == [-0.01]
    named = as_scores({"old \N{MINUS SIGN} 1": [0.4, 0.5, 0.6, 0.7], "new": [0.5, 0.5, 0.7, 0.7]})
    assert check_requirements(named, ["new >= old \N{MINUS SIGN} 1"]).to_frame()["margin"].tolist() == [0.0]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("new - old >= -0.01", "new >= old - 0.01"),
        ("new - old > 0.02", "new > old + 0.02"),
        ("new \N{MINUS SIGN} old >= 0", "new >= old"),
    ],
)
def test_a_difference_at_the_left_is_written_out(text, meant):
    """What it means stands in the error, and is read."""
    scores = as_scores({"old": [0.4, 0.5, 0.6, 0.7], "new": [0.5, 0.5, 0.7, 0.7]})
    with pytest.raises(InvalidOptionError, match="one system at each side of the sign, such as") as caught:
        check_requirements(scores, [text])
    assert f"such as {meant!r}, not" in str(caught.value)
    assert len(check_requirements(scores, [meant]).to_frame()) == 1


@pytest.mark.parametrize(
    ("leads", "clusters", "said"),
    [
        ([0.1, 0.2, -0.9, 0.3], "aabb", "1 of 2 clusters in which they differ meets it, too few to tell of others"),
        ([0.1, 0.2, 0.3, 0.3], "aabb", "all 2 clusters in which they differ meet it"),
        ([-0.1, -0.2, -0.3, 0.2], "aabb", "none of 2 clusters in which they differ meets it"),
        ([-0.1, 0.2, 0.0, 0.0], None, "1 of 2 items on which they differ meets it, too few to tell ("),
        ([0.1, 0.0, 0.0, 0.0], None, "the 1 item on which they differ meets it"),
    ],
)
def test_of_too_few_units_it_is_said_how_many_meet_what_is_required(leads, clusters, said):
    """By the means of the leads, by hand: cluster b is behind by .3, or on top; items without a lead say nothing."""
    named = None if clusters is None else dict(zip("1234", clusters, strict=True))
    old = np.array([0.4, 0.5, 0.9, 0.6])
    scores = as_scores([old, old + leads], systems=["old", "new"], clusters=named)
    (words,) = check_requirements(scores, ["new >= old"]).open_words(ITEM)
    assert said in words


def test_no_mean_above_the_bounds_of_scores_is_said_to_be_needed():
    """On three answers that are right or wrong no mean up to 1 is established to be above .6 with a chance of .8."""
    few = check_requirements(as_scores([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]], systems=["a", "b"]), ["a >= 0.6"])
    row = few.to_frame().iloc[0]
    assert row["state"] == "open"
    assert np.isnan(row["detectable"])
    assert "beyond the number" not in " ".join(few.open_words(ITEM))
    many = (
        check_requirements(as_scores([[1.0, 0.0, 1.0] * 30, [0.0, 0.0, 1.0] * 30], systems=["a", "b"]), ["a >= 0.6"])
        .to_frame()
        .iloc[0]
    )
    assert 0.6 + many["detectable"] < 1
