"""Rank correlations: published values, SciPy, enumeration of every tie-broken order, laws, and what is refused."""

import json
import math
from fractions import Fraction
from functools import partial
from itertools import permutations, product

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays
from scipy import stats

from metaeval.agreement.overlap import rank_biased_overlap
from metaeval.agreement.ranking_pairs import best_of_reference
from metaeval.agreement.rankings import CORRELATIONS, kendall_p_value, kendall_tau, pearson, spearman, tau_ap
from metaeval.errors import InvalidOptionError, ScoresError

# the example of the R package ircor (Urbano and Marrero): x the truth, higher scores better
X = np.array([0.06, 0.20, 0.27, 0.37, 0.57, 0.63, 0.66, 0.90, 0.91, 0.94])
Y = np.array([0.37, 0.06, 0.20, 0.27, 0.57, 0.66, 0.63, 0.91, 0.90, 0.94])
X_TIED = np.array([0, 0.2, 0.2, 0.4, 0.6, 0.6, 0.6, 0.8, 1, 1])  # to multiples of .2
Y_TIED = np.array([0.4, 0, 0.2, 0.2, 0.6, 0.6, 0.6, 1, 0.8, 1])

REFERENCE = -np.arange(20.0)  # 0 best
WITHIN_REVERSED = -np.array([*range(9, -1, -1), *range(19, 9, -1)], dtype=float)


def few_scores(n_min=2, n_max=5, levels=3):
    return st.integers(n_min, n_max).flatmap(
        lambda n: st.tuples(*(arrays(np.int64, n, elements=st.integers(0, levels - 1)) for _ in range(2)))
    )


def orders(scores):
    """Every strict ranking (item numbers, best first) that breaks the ties of the scores."""
    groups = [np.flatnonzero(scores == value) for value in sorted(set(scores), reverse=True)]
    return [sum(parts, ()) for parts in product(*(permutations(group.tolist()) for group in groups))]


def literal_tau_ap(truth, tested):
    """AP correlation of two strict rankings, as Yilmaz et al. define it."""
    place = {item: number for number, item in enumerate(truth)}
    shares = [
        sum(place[above] < place[tested[i]] for above in tested[:i]) / i  # C(i) over the i items above
        for i in range(1, len(tested))
    ]
    return 2 * sum(shares) / (len(tested) - 1) - 1


def literal_overlap(first, second, p):
    """Rank-biased overlap of two strict rankings of the same items, summed far beyond their end."""
    agreement = [len(set(first[:d]) & set(second[:d])) / d for d in range(1, len(first) + 1)]
    agreement += [1.0] * 400
    return (1 - p) * sum(a * p**d for d, a in enumerate(agreement))


def literal_sports_overlap(x, y, p):
    """Rank-biased overlap where tied items enter together at the best of their ranks."""

    def at(scores, depth):
        return {item for item in range(len(scores)) if sum(scores > scores[item]) < depth}

    total = 0.0
    for depth in range(1, len(x) + 1):
        a, b = at(x, depth), at(y, depth)
        total += (1 - p) * p ** (depth - 1) * 2 * len(a & b) / (len(a) + len(b))
    return total + p ** len(x)


def literal_tau_ap_b(x, y):
    """Agreement form for ties, both directions."""

    def direction(truth, tested):
        shares = []
        for j in range(len(tested)):
            above = [i for i in range(len(tested)) if tested[i] > tested[j]]
            if above:
                shares.append(sum(truth[i] > truth[j] for i in above) / len(above))
        return 2 * sum(shares) / len(shares) - 1

    return (direction(x, y) + direction(y, x)) / 2


class TestPublished:
    """Numbers that others published or computed."""

    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (kendall_tau(X, Y), 0.7777778),
            (tau_ap(X, Y), 0.7491182),
            (kendall_tau(X, Y_TIED, variant="a"), 0.7111111),
            (tau_ap(X, Y_TIED, ties="a"), 0.6074515),
            (kendall_tau(X_TIED, Y_TIED, variant="b"), 0.75),
            (tau_ap(X_TIED, Y_TIED, ties="b"), 0.6269841),
        ],
    )
    def test_ircor(self, value, expected):
        """The values that the R package ircor prints for its own example, with and without ties."""
        assert value == pytest.approx(expected, abs=5e-8)

    def test_two_groups(self):
        """Two groups reversed within: Ogilvie and Lalmas (2006, section 3.4), exactly."""
        assert kendall_tau(REFERENCE, WITHIN_REVERSED) == pytest.approx(10 / 190)
        assert tau_ap(REFERENCE, WITHIN_REVERSED) == pytest.approx(-0.243399, abs=5e-7)
        assert spearman(REFERENCE, WITHIN_REVERSED) == pytest.approx(0.5038, abs=5e-5)

    @pytest.mark.parametrize(
        ("p", "untied", "one_tied", "both_tied"),
        [
            (
                0.5,
                0.8575536334325398,
                (0.6914295595131993, 0.6085953000992064),
                (0.623232886904762, 0.48347322978670637),
            ),
            (
                0.9,
                0.9184213054642857,
                (0.8859336267499363, 0.8657483054642857),
                (0.8873106067142856, 0.8392536276517857),
            ),
            (
                0.98,
                0.9789021634412172,
                (0.9726486454327247, 0.9680111683478837),
                (0.9738492694226745, 0.9624685898896046),
            ),
        ],
    )
    def test_overlap_of_the_published_program(self, p, untied, one_tied, both_tied):
        """What the program of Corsi and Urbano (github.com/julian-urbano/sigir2024-rbo, 0338fd9) gives.

        Without ties the package rbo 0.1.3 of PyPI gives the same.
        """
        for place, ties in enumerate(("w", "a")):
            assert rank_biased_overlap(X, Y, p=p, ties=ties) == pytest.approx(untied, abs=1e-12)
            assert rank_biased_overlap(X, Y_TIED, p=p, ties=ties) == pytest.approx(one_tied[place], abs=1e-12)
            assert rank_biased_overlap(X_TIED, Y_TIED, p=p, ties=ties) == pytest.approx(both_tied[place], abs=1e-12)

    def test_p_value_of_thirty_systems(self):
        """With 30 systems a tau of .34 is significant at about .008 (Sakai and Kando 2008, section 4)."""
        order = np.arange(30)
        others = order + np.random.default_rng(5).normal(scale=12, size=(400, 30))
        taus, p_values = kendall_tau(order, others), kendall_p_value(order, others)
        closest = np.argmin(np.abs(taus - 0.34))
        assert abs(taus[closest] - 0.34) < 0.01
        assert p_values[closest] == pytest.approx(0.008, abs=0.001)

    def test_those_of_autojudge(self, data_folder):
        """What TREC AutoJudge's own tests expect of its tool, for its example and for two vectors."""
        expected = json.loads((data_folder / "autojudge" / "expected.json").read_text())
        scores = {"ORACLE": [1, 2, 3, 4], "M1": [1, 3, 2, 4], "M2": [4, 3, 2, 1]}
        pairs = [(scores[one["truth"]], scores[one["judge"]], one) for one in expected["pairs_truth_judge"]]
        pairs += [(one["a"], one["b"], one) for one in expected["vectors"]]
        names = {"kendall": kendall_tau, "pearson": pearson, "spearman": spearman, "tauap_b": partial(tau_ap, ties="b")}
        assert len(pairs) == 6
        for truth, judge, figures in pairs:
            for name in figures.keys() & names.keys():
                assert names[name](truth, judge) == pytest.approx(figures[name], abs=1e-6)


class TestSciPy:
    """Agreement with SciPy."""

    @given(few_scores(n_max=40, levels=6))
    def test_tau_b(self, pair):
        """tau_b is SciPy's."""
        x, y = pair
        ours = kendall_tau(x, y, undefined="nan")
        assert ours == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12, nan_ok=True)

    @given(few_scores(n_max=40, levels=6))
    def test_p_value_with_ties(self, pair):
        """The p-value of tau is SciPy's, ties or not."""
        x, y = pair
        expected = stats.kendalltau(x, y).pvalue
        assert kendall_p_value(x, y, undefined="nan") == pytest.approx(expected, rel=1e-9, nan_ok=True)

    @pytest.mark.parametrize("n", [2, 3, 8, 20, 33, 34, 60, 143])
    def test_p_value_without_ties(self, n):
        """The p-value of tau is SciPy's, by the exact distribution and by the normal one."""
        generator = np.random.default_rng(n)
        for noise in (0, 0.3, 3, 100):
            x = np.arange(n)
            y = x + n * noise * generator.normal(size=n)
            for other in (y, -y):
                assert kendall_p_value(x, other) == pytest.approx(stats.kendalltau(x, other).pvalue, rel=1e-9)

    def test_one_swap_from_perfect_among_many(self):
        """One discordant pair among 50 systems still takes the exact distribution, as SciPy does."""
        x = np.arange(50)
        y = x.copy()
        y[[0, 1]] = y[[1, 0]]
        assert kendall_p_value(x, y) == pytest.approx(stats.kendalltau(x, y).pvalue, rel=1e-9)
        assert kendall_p_value(x, y) > 0

    @given(few_scores(n_max=40, levels=6))
    def test_rho(self, pair):
        """Rho is SciPy's."""
        x, y = pair
        ours = spearman(x, y, undefined="nan")
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            assert np.isnan(ours)
        else:
            assert ours == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)

    @given(few_scores(n_max=40, levels=6))
    def test_r(self, pair):
        """Pearson's r is SciPy's."""
        x, y = pair
        ours = pearson(x, y, undefined="nan")
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            assert np.isnan(ours)
        else:
            assert ours == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)


class TestLiteral:
    """Agreement with the definitions, written out slowly."""

    @given(few_scores(n_max=9, levels=9))
    def test_r(self, pair):
        """Pearson's r in fractions, the root alone being rounded."""
        x, y = ([Fraction(int(value)) for value in one] for one in pair)
        a, b = ([value - sum(one) / len(one) for value in one] for one in (x, y))
        product_of_spreads = sum(one * one for one in a) * sum(one * one for one in b)
        if product_of_spreads:
            expected = float(sum(p * q for p, q in zip(a, b, strict=True))) / math.sqrt(product_of_spreads)
            assert pearson(*pair) == pytest.approx(expected, abs=1e-12)

    @given(few_scores())
    def test_tau_ap_is_the_mean_over_orders(self, pair):
        """The first form for ties is the mean over every way to break the ties of both."""
        x, y = pair
        every = [literal_tau_ap(a, b) for a in orders(x) for b in orders(y)]
        assert tau_ap(x, y) == pytest.approx(np.mean(every), abs=1e-12)
        backwards = [literal_tau_ap(b, a) for a in orders(x) for b in orders(y)]
        assert tau_ap(x, y, symmetric=True) == pytest.approx(np.mean(every + backwards), abs=1e-12)

    @given(few_scores())
    def test_overlap_is_the_mean_over_orders(self, pair):
        """Rank-biased overlap, form "a", is the mean over every way to break the ties of both."""
        x, y = pair
        every = [literal_overlap(a, b, 0.8) for a in orders(x) for b in orders(y)]
        assert rank_biased_overlap(x, y, p=0.8, ties="a") == pytest.approx(np.mean(every), abs=1e-12)

    @given(few_scores(n_max=9, levels=4))
    def test_sports_overlap(self, pair):
        """Rank-biased overlap, form "w", lets tied systems enter together."""
        assert rank_biased_overlap(*pair, p=0.7) == pytest.approx(literal_sports_overlap(*pair, 0.7), abs=1e-12)

    @given(few_scores(n_max=9, levels=4))
    def test_tau_ap_b(self, pair):
        """The second form for ties equals the literal sums over those strictly above."""
        x, y = pair
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            assert np.isnan(tau_ap(x, y, ties="b", undefined="nan"))
        else:
            assert tau_ap(x, y, ties="b") == pytest.approx(literal_tau_ap_b(x, y), abs=1e-12)

    @given(few_scores(n_max=9, levels=4))
    def test_tau_a(self, pair):
        """tau_a divides concordant minus discordant pairs by all pairs."""
        x, y = pair
        signs = [np.sign(x[i] - x[j]) * np.sign(y[i] - y[j]) for i in range(len(x)) for j in range(i)]
        assert kendall_tau(x, y, variant="a") == pytest.approx(np.mean(signs), abs=1e-12)


class TestLaws:
    """What holds for any scores."""

    @pytest.mark.parametrize("name", CORRELATIONS)
    @given(few_scores(n_max=8, levels=50))
    def test_order_alone_matters(self, name, pair):
        """A rising function of the scores and another order of the systems change nothing."""
        x, y = pair
        compare = CORRELATIONS[name]
        options = {} if name == "rbo" else {"undefined": "nan"}
        before = compare(x, y, **options)
        shuffle = np.random.default_rng(0).permutation(len(x))
        after = compare((x**3 + 1.0)[shuffle], np.exp(y / 50)[shuffle], **options)
        assert after == pytest.approx(before, abs=1e-12, nan_ok=True)

    @given(few_scores(n_max=8, levels=50))
    def test_bounds_and_symmetry(self, pair):
        """Coefficients lie in [-1, 1], overlap in [0, 1], and all but plain tau_AP are symmetric."""
        x, y = pair
        for compare in (
            lambda a, b: kendall_tau(a, b, undefined="nan"),
            lambda a, b: spearman(a, b, undefined="nan"),
            lambda a, b: pearson(a, b, undefined="nan"),
            lambda a, b: tau_ap(a, b, ties="b", undefined="nan"),
            lambda a, b: tau_ap(a, b, symmetric=True),
            rank_biased_overlap,
            lambda a, b: rank_biased_overlap(a, b, ties="a"),
        ):
            there, back = compare(x, y), compare(y, x)
            assert there == pytest.approx(back, abs=1e-12, nan_ok=True)
            assert np.isnan(there) or -1 - 1e-12 <= there <= 1 + 1e-12
        assert 0 <= rank_biased_overlap(x, y) <= 1 + 1e-12

    @pytest.mark.parametrize("name", CORRELATIONS)
    def test_perfect_and_reversed(self, name):
        """A strict ranking agrees wholly with itself; reversed, the coefficients are -1."""
        x = np.arange(7.0)
        assert CORRELATIONS[name](x, x) == pytest.approx(1)
        if name != "rbo":
            assert CORRELATIONS[name](x, -x) == pytest.approx(-1)

    @given(few_scores(n_max=8, levels=50))
    def test_r_knows_lines_alone(self, pair):
        """A rising line changes nothing, a falling one the sign, however far from 0; ranks make it Spearman's rho."""
        x, y = (one / 10 for one in pair)
        before = pearson(x, y, undefined="nan")
        for shift, scale in ((0, 1e-9), (1e6, 1), (-5, 1e12)):
            assert pearson(x, shift + scale * y, undefined="nan") == pytest.approx(before, abs=1e-7, nan_ok=True)
            assert pearson(shift - scale * x, y, undefined="nan") == pytest.approx(-before, abs=1e-7, nan_ok=True)
        ranks = [stats.rankdata(one) for one in (x, y)]
        assert pearson(*ranks, undefined="nan") == pytest.approx(spearman(x, y, undefined="nan"), nan_ok=True)

    def test_top_weighs_most(self):
        """The same swap costs tau_AP and overlap more at the top than at the bottom, and tau the same."""
        x = np.arange(10.0)
        top, bottom = x.copy(), x.copy()
        top[[8, 9]], bottom[[0, 1]] = top[[9, 8]], bottom[[1, 0]]
        assert kendall_tau(x, top) == kendall_tau(x, bottom)
        assert tau_ap(x, top) < tau_ap(x, bottom)
        assert rank_biased_overlap(x, top) < rank_biased_overlap(x, bottom)

    @pytest.mark.parametrize("name", CORRELATIONS)
    def test_leading_axes_broadcast(self, name):
        """One call over a block gives what one call per ranking gives."""
        generator = np.random.default_rng(1)
        x, y = generator.integers(0, 9, (3, 1, 12)), generator.integers(0, 9, (4, 12))
        whole = CORRELATIONS[name](x, y)
        assert whole.shape == (3, 4)
        for i, j in product(range(3), range(4)):
            assert whole[i, j] == CORRELATIONS[name](x[i, 0], y[j])


class TestRefusals:
    """What is refused."""

    @pytest.mark.parametrize("name", CORRELATIONS)
    @pytest.mark.parametrize(
        ("x", "y", "words"),
        [
            ([1], [1], "at least two systems"),
            (3, [1, 2], "at least two systems"),
            ([1, np.nan], [1, 2], "finite"),
            ([1, 2], [np.inf, 2], "finite"),
            ([1, 2], [1, 2, 3], "same systems"),
            (np.ones((2, 3)), np.ones((4, 3)), "leading axes"),
        ],
        ids=["one", "number", "gap", "infinity", "sizes", "axes"],
    )
    def test_bad_scores(self, name, x, y, words):
        """Too few systems, gaps, infinities and arrays that do not fit are refused by name."""
        with pytest.raises(ScoresError, match=words):
            CORRELATIONS[name](x, y)

    @pytest.mark.parametrize(
        "compare",
        [kendall_tau, spearman, pearson, kendall_p_value, partial(tau_ap, ties="b")],
        ids=["tau", "rho", "r", "p", "tau_ap"],
    )
    def test_constant_scores(self, compare):
        """Where every system ties, a coefficient that divides by what ties leave is refused, and the place named."""
        with pytest.raises(ScoresError, match=r"1 of 2 rankings \(first at \(1,\)\)"):
            compare([1, 2, 3], [[1, 2, 3], [5, 5, 5]])

    def test_constant_scores_as_nan(self):
        """undefined='nan' marks such a ranking and leaves the others alone."""
        found = kendall_tau([1, 2, 3], [[1, 2, 3], [5, 5, 5]], undefined="nan")
        assert found[0] == 1
        assert np.isnan(found[1])

    def test_equal_on_paper_is_constant(self):
        """Scores that differ by rounding alone have no line, and none is made of the rounding."""
        same = np.array([0.1 + 0.2, 0.3, 0.6 / 2, 0.9 / 3])
        assert np.ptp(same) > 0
        assert np.isnan(pearson([1, 2, 3, 4], same, undefined="nan"))
        assert np.isnan(pearson([1, 2, 3, 4], [0.1] * 4, undefined="nan"))

    def test_constant_scores_averaged(self):
        """The mean over tie-broken orders is defined even where all tie: no correlation."""
        assert tau_ap([1, 2, 3], [5, 5, 5]) == pytest.approx(0)
        assert kendall_tau([1, 2, 3], [5, 5, 5], variant="a") == 0

    @pytest.mark.parametrize(
        ("function", "options"),
        [
            (kendall_tau, {"variant": "c"}),
            (kendall_tau, {"undefined": "zero"}),
            (tau_ap, {"ties": "w"}),
            (rank_biased_overlap, {"ties": "b"}),
            (rank_biased_overlap, {"p": 1}),
            (rank_biased_overlap, {"p": 0}),
            (rank_biased_overlap, {"p": float("nan")}),
            (best_of_reference, {"k": 1}),
            (best_of_reference, {"k": 2.5}),
        ],
        ids=lambda value: getattr(value, "__name__", str(value)),
    )
    def test_options(self, function, options):
        """An option outside its rule is refused by name."""
        with pytest.raises(InvalidOptionError, match=next(iter(options))):
            function([1, 2], [1, 2], **options)


def test_p_value_of_many_systems_that_nearly_agree():
    """Beyond SciPy's limit, an order and the n - 1 orders next to it have n of n! orders, twice for both ends."""
    x = np.arange(40.0)
    swapped = x[[1, 0, *range(2, 40)]]
    found = kendall_p_value(np.stack([x, x, x]), np.stack([x, swapped, -x]))
    assert found.tolist() == pytest.approx([2 / math.factorial(40), 80 / math.factorial(40), 2 / math.factorial(40)])
