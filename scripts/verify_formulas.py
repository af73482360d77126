# ruff: noqa: ANN001, ANN002, ANN201, ANN202, ANN204, PLR2004, RUF002 - formulas, with their numbers and letters
"""The formulas of scripts/verify_report.py: scores, tests, corrections and agreement, without metaeval."""

import itertools
import math

import numpy as np
from scipy import optimize, special, stats

SMALLEST, TIED = 2.3e-308, 1e-10
"""The smallest p-value that is written; what is rounding, as a share of the size of scores."""
DRAWS, ALL = 4000, 13
"""Of a simulation made here; topics of which all sign vectors are taken."""
COUNTS = {"none": "n_significant", "fdr_bh": "n_significant_fdr_bh", "fdr_by": "n_significant_fdr_by"}
NODES = np.polynomial.legendre.leggauss(300)
"""Of Gauss's rule."""
SURE = ("t", "wilcoxon", "sign")
"""Tests that draw nothing."""


def number(cell):
    """Return the number of a cell, NaN where it has none."""
    if cell in {"True", "False"}:
        return float(cell == "True")
    try:
        return float(cell or "nan")
    except ValueError:
        return math.nan


def numbers(row, *names):
    """Return the numbers of some cells."""
    return [number(row[name]) for name in names]


def share(part, whole):
    """Return a share, NaN of nothing."""
    return part / whole if whole else math.nan


def rounded(values, size):
    """Return values of which those that are equal but for rounding are made equal, by the size of their parts."""
    if not 0 < size < math.inf:
        return values
    step = 10.0 ** (math.floor(math.log10(size)) - 11)
    return np.round(np.asarray(values) / step) * step


class Scores:
    """Scores under one metric (system, topic[, repeat]), with the clusters and weights of topics."""

    def __init__(self, rows):
        """Lay out the rows of a long table."""
        names = [list(dict.fromkeys(row.get(name, "") for row in rows)) for name in ("system", "topic", "repeat")]
        self.systems, self.topics, _ = names
        self.cells = np.full([len(own) for own in names], np.nan)
        for row in rows:
            at = (own.index(row.get(name, "")) for own, name in zip(names, ("system", "topic", "repeat"), strict=True))
            self.cells[tuple(at)] = number(row["score"])
        first = {row["topic"]: row for row in reversed(rows)}
        self.cluster = [first[topic].get("cluster") for topic in self.topics]
        self.weight = np.array([number(first[topic].get("weight", "1")) for topic in self.topics])
        self.take(self.cells.mean(axis=2), 1.0 if rows[0]["higher_is_better"] == "True" else -1.0)

    def take(self, values, sign):
        """Set the scores of systems on topics, and whether higher (1) or lower (-1) is better."""
        self.values, self.sign, self.size = values, sign, np.nanmax(np.abs(values))
        self.gaps = bool(np.isnan(values).any())
        self.plain = not (any(self.cluster) or np.ptp(self.weight) > 0 or self.gaps)
        return self

    def means(self):
        """Return the mean of every system; with gaps, what system and topic add up to (least squares)."""
        if not self.gaps:
            return self.values @ self.weight / self.weight.sum()
        at, n = np.nonzero(np.isfinite(self.values)), len(self.systems)
        design = np.hstack([np.eye(n)[at[0]], np.eye(len(self.topics))[at[1]]])
        found = np.linalg.lstsq(design, self.values[at], rcond=None)[0]
        return found[:n] + np.average(found[n:], weights=self.weight)

    def mean(self, system):
        """Return one mean."""
        return self.means()[self.systems.index(system)]

    def settled(self):
        """Return the means turned so that more is better, ties made equal."""
        return rounded(self.sign * self.means(), self.size)

    def ranks(self):
        """Return the rank of every system by its mean."""
        settled = self.settled()
        return {name: 1 + (settled > own).sum() for name, own in zip(self.systems, settled, strict=True)}

    def pair(self, first, second):
        """Return the differences of two systems on the topics of both, with weights and clusters of these."""
        a, b = (self.values[self.systems.index(name)] for name in (first, second))
        both = np.isfinite(a) & np.isfinite(b)
        apart, size = a[both] - b[both], np.abs(a[both]) + np.abs(b[both])
        apart = np.where(np.abs(apart) <= TIED * size, 0.0, rounded(apart, size.max(initial=0.0)))
        return apart, self.weight[both], [name for name, there in zip(self.cluster, both, strict=True) if there]

    def difference(self, row):
        """Return the mean difference of a row's pair, on the topics of both."""
        apart, weight, _ = self.pair(row["system_a"], row["system_b"])
        return np.average(apart, weights=weight) if len(apart) else math.nan

    def pairs(self):
        """Return all pairs of names."""
        return list(itertools.combinations(sorted(self.systems), 2))


# --------------------------------------------------------------------------------------------------------------- tests


def robust(values, weight, cluster):
    """Return the weighted mean, its CR2 standard error, Satterthwaite's degrees of freedom, and the clusters.

    A regression on a constant (Pustejovsky and Tipton 2018); every topic is a cluster where none are named.
    """
    of = np.unique(cluster, return_inverse=True)[1] if any(cluster) else np.arange(len(values))
    rows = []  # the estimated variance is the sum of (row @ values)²
    for group in range(of.max() + 1):
        inside = of == group
        left = np.eye(len(values))[inside] - weight / weight.sum()
        roots, axes = np.linalg.eigh(left @ left.T)
        inverse = np.where(roots > 1e-9 * roots.max(), 1.0 / np.sqrt(np.maximum(roots, 1e-300)), 0.0)
        rows.append(weight[inside] @ (axes * inverse @ axes.T) @ left / weight.sum())
    gram = np.array(rows) @ np.array(rows).T
    freedom = share(np.trace(gram) ** 2, (gram**2).sum())
    return np.average(values, weights=weight), math.sqrt(((np.array(rows) @ values) ** 2).sum()), freedom, len(rows)


def mean_of(values, weight, cluster):
    """Return mean, standard error, degrees of freedom and units of differences or scores, error 0 where none vary."""
    n = len(values)
    if any(cluster) or np.ptp(weight) > 0:
        mean, error, freedom, n = robust(values, weight, cluster)
    else:
        mean, error, freedom = values.mean(), values.std(ddof=1) / math.sqrt(n) if n > 1 else 0.0, n - 1
    size = np.abs(values).max()
    return {"mean": mean if size else 0.0, "error": error if error > TIED * size else 0.0, "freedom": freedom, "n": n}


def ends(found, alpha, row, names, least=0.0):
    """Return a t interval by the names of its columns, within the bounds of the metric where the written one is.

    Bounds follow from a metric's name. Where nothing varies it is the interval outside which n equal values have the
    chance α/2 on either side; of shares of 0 and 1 that would leave the range, Wilson's.
    """
    mean, error, written = found["mean"], found["error"], numbers(row, *names)
    reach = stats.t.isf(alpha / 2, found["freedom"]) * error
    low, high = mean - reach, mean + reach
    if not error:
        rest = 1 - (alpha / 2) ** (1 / found["n"])
        low, high = mean - rest * (mean - least), mean + rest * (1 - mean)
        low, high = (math.nan, math.nan) if math.isnan(written[0]) else (low, high)
    elif found.get("shares") and (low < 0 or high > 1):
        weight = (reach / error) ** 2 / (mean * (1 - mean) / error**2 + 1)
        spread = math.sqrt(mean * (1 - mean) * weight + weight**2 / 4)
        low, high = ((mean + weight / 2 + side * spread) / (1 + weight) for side in (-1, 1))
    else:
        low, high = max(low, least) if written[0] == least else low, min(high, 1.0) if written[1] == 1 else high
    return dict(zip(names, (low, high), strict=True))


def mean_ends(scores, row, names):
    """Return the 95 % interval of a system's mean; nothing is claimed where scores have gaps."""
    if scores.gaps:
        return {}
    found = mean_of(scores.values[scores.systems.index(row["system"])], scores.weight, scores.cluster)
    return ends(found | {"shares": bool(np.isin(scores.values, (0.0, 1.0)).all())}, 0.05, row, names)


def units_of(apart, weight, cluster):
    """Return weighted differences, added up in clusters."""
    sums = apart * weight
    if any(cluster):
        sums = np.bincount(np.unique(cluster, return_inverse=True)[1], sums)
    return np.where(np.abs(sums) <= TIED * np.abs(apart * weight).sum(), 0.0, sums)


def t_test(scores, first, second, side=0):
    """Return the paired t test of a pair: what its interval is made of, statistic and p-value."""
    parts = scores.pair(first, second)
    found = mean_of(*parts) if len(parts[0]) > 1 else {"n": 0}
    if found["n"] < 2:
        return {"p_value": math.nan}
    mean, error = found["mean"], found["error"]
    if not error:  # one difference on all topics: the test by random signs, 2^(1 - n)
        p = 2.0 ** (1 - found["n"]) if mean else 0.5 if side and parts[0].any() else 1.0
        p = p if not side or not mean else p / 2 if mean * side > 0 else 1.0
        return found | {"statistic": None if mean else 0.0, "p_value": p}
    tail = stats.t.sf(side * mean / error if side else abs(mean / error), found["freedom"])
    return found | {"statistic": mean / error, "p_value": max(tail if side else 2 * tail, SMALLEST)}


def pair_p(test, scores, first, second, side=0):
    """Return p of a test that draws nothing: t, SciPy's signed-rank test, or the binomial of topics without ties."""
    if test == "t":
        return t_test(scores, first, second, side)["p_value"]
    apart, way = scores.pair(first, second)[0], {0: "two-sided", 1: "greater", -1: "less"}[side]
    if not apart.any():
        return 1.0
    if test == "wilcoxon":
        return stats.wilcoxon(apart / np.abs(apart).max(), alternative=way).pvalue
    return stats.binomtest(int((apart > 0).sum()), int((apart != 0).sum()), alternative=way).pvalue


def monte_carlo(extreme, resamples, *, plain=False):
    """Return a share of draws as the p-value of so many resamples, with five times its Monte-Carlo error."""
    part, inside = np.mean(extreme), (np.sum(extreme) + 2) / (len(extreme) + 4)
    error = 5 * math.sqrt(inside * (1 - inside) * (1 / resamples + 1 / len(extreme))) + 3 / min(resamples, len(extreme))
    return part if plain else (part * resamples + 1) / (resamples + 1), error


def drawn_p(test, scores, pair, side, resamples, *, rng):  # noqa: PLR0913 - what a test asks
    """Return p of a test of one pair that draws with its error, p alone where all signs are taken, None if unknown."""
    parts = scores.pair(*pair)
    apart, units = parts[0], units_of(*parts)
    size, n = np.abs(apart).max(), len(apart)
    if not size:
        return 1.0
    if test == "randomisation":
        every = len(units) <= ALL
        signs = np.array(list(itertools.product((1.0, -1.0), repeat=len(units)))) if every else None
        signs = rng.choice((1.0, -1.0), (DRAWS, len(units))) if signs is None else signs
        values, seen, slack = signs @ units, units.sum(), TIED * np.abs(units).sum()
    elif (
        any(parts[2]) or np.ptp(parts[1]) > 0 or test not in {"bootstrap", "bootstrap_sensitivity", "bootstrap_shifted"}
    ):
        return None
    else:
        counts, centred, mean = (
            rng.multinomial(n, np.full(n, 1 / n), DRAWS),
            apart - apart.mean(),
            rounded(apart.mean(), size),
        )
        means, slack = counts @ centred / n, TIED * size
        values, seen = means, mean
        if test != "bootstrap_shifted":
            error = np.sqrt(np.maximum(counts @ centred**2 / n - means**2, 0.0) / (n - 1))
            with np.errstate(all="ignore"):  # 0/0 is not extreme, c/0 is
                flat = np.where(np.abs(means) > slack, np.sign(means) * np.inf, np.nan)
                values = np.where(error <= slack, flat, means / error)
            error = apart.std(ddof=1) / math.sqrt(n)
            seen = mean / error if error > slack else math.copysign(math.inf, mean)
            slack = 1e-9 * abs(seen) if math.isfinite(seen) else 0.0
    extreme = side * values >= side * seen - slack if side else np.abs(values) >= abs(seen) - slack
    if (
        test == "randomisation"
        and 2 ** (len(set(scores.cluster)) if any(scores.cluster) else len(scores.topics)) <= resamples
    ):
        return extreme.mean()
    return monte_carlo(extreme, resamples, plain=test == "bootstrap_sensitivity")


def together_p(test, scores, rows, sides, resamples, *, rng):  # noqa: C901, PLR0913 - a test a branch
    """Return p by row of a test over all systems at once, with errors; and family-wise ones. None where unknown."""
    at = np.array([[scores.systems.index(row[end]) for end in ("system_a", "system_b")] for row in rows])
    (n, topics), slack = scores.values.shape, TIED * scores.size
    if not scores.plain:
        return None, None
    means, drawn = scores.means(), lambda: rng.permuted(scores.values, axis=0)
    gaps = np.abs(means[at[:, 0]] - means[at[:, 1]])
    ranks = np.array([stats.rankdata(-scores.sign * rounded(column, scores.size)) for column in scores.values.T]).T
    if test == "tukey_parametric":
        left = scores.values - means[:, None] - scores.values.mean(axis=0) + means.mean()
        square = (left**2).sum() / ((n - 1) * (topics - 1))
        if math.sqrt(square) <= slack:
            return None, None
        found = [
            (p, 1e-7) for p in stats.studentized_range.sf(gaps / math.sqrt(square / topics), n, (n - 1) * (topics - 1))
        ]
    elif test == "nemenyi":
        q = np.abs((ranks[at[:, 0]] - ranks[at[:, 1]]).mean(axis=1))
        found = [(p, 1e-7) for p in stats.studentized_range.sf(q * math.sqrt(12 * topics / (n * (n + 1))), n, np.inf)]
    elif test == "friedman":
        law = np.ones(1)  # of the difference of two rank sums, in halves of a rank
        for column in ranks.T:
            steps = [round(2 * (a - b)) + 2 * n for a, b in itertools.permutations(column, 2)]
            law = np.convolve(law, np.bincount(steps, minlength=4 * n + 1) / (n * (n - 1)))
        far = np.abs(np.arange(len(law)) - len(law) // 2)
        found = [min(1.0, law[far >= round(2 * abs((ranks[a] - ranks[b]).sum()))].sum()) for a, b in at]
    elif test == "tukey":
        spread = np.array([np.ptp(drawn().mean(axis=1)) for _ in range(DRAWS)])
        found = [monte_carlo(spread >= gap - slack, resamples) for gap in gaps]
    elif test == "max_t":

        def statistics(values):
            apart = values[at[:, 0]] - values[at[:, 1]]
            mean, error = apart.mean(axis=1), apart.std(axis=1, ddof=1) / math.sqrt(topics)
            with np.errstate(all="ignore"):
                t = np.where(error > slack, mean / error, np.copysign(1e99, mean))
            t = np.where(np.abs(mean) <= slack, 0.0, t)
            return np.where(sides == 0, np.abs(t), sides * t)

        seen, stars = statistics(scores.values), np.array([statistics(drawn()) for _ in range(DRAWS)])
        seen -= 1e-9 * np.abs(seen)
        order = np.argsort(-seen, kind="stable")
        later, best, stepped = np.maximum.accumulate(stars[:, order[::-1]], axis=1)[:, ::-1], (0.0, 0.0), {}
        for place, row in enumerate(order):  # step down (Westfall and Young)
            stepped[row] = best = max(best, monte_carlo(later[:, place] >= seen[row], resamples))
        return [monte_carlo(stars[:, row] >= seen[row], resamples) for row in range(len(rows))], [
            stepped[row] for row in range(len(rows))
        ]
    else:
        return None, None
    return found, found


def adjusted(p, correction, beside=()):
    """Return p-values corrected for the family of those there are, and of those beside them."""
    p = np.asarray(p, dtype=float)
    there = np.isfinite(p)
    family = np.concatenate([p[there], [other for other in beside if math.isfinite(other)]])
    m, order = len(family), np.argsort(family, kind="stable")
    ordered, place = family[order], np.arange(1, m + 1)
    if correction == "holm":
        ordered = np.maximum.accumulate(ordered * (m - place + 1)) if m else ordered
    elif correction in {"fdr_bh", "fdr_by"}:
        factor = (1 / place).sum() if correction == "fdr_by" else 1.0
        ordered = np.minimum.accumulate((ordered * m * factor / place)[::-1])[::-1]
    elif correction == "bonferroni":
        ordered = ordered * m
    found, back = np.full(len(p), np.nan), np.empty(m)
    back[order] = np.minimum(ordered, 1.0)
    found[there] = back[: there.sum()]
    return found


def can_reach(scores, first, second, alpha, side=0):
    """Say whether random signs could reach α: 2^(1 - n) with n units that differ, 2^-n on one side."""
    return 2.0 ** ((0 if side else 1) - np.count_nonzero(units_of(*scores.pair(first, second)))) <= alpha


def verdicts_of(scores, test, correction, alpha, alternative="two-sided"):
    """Return of every pair who is significantly better: 1, -1, or 0 for none."""
    pairs, means = scores.pairs(), dict(zip(scores.systems, scores.settled(), strict=True))
    leads = [int(np.sign(means[a] - means[b])) for a, b in pairs]
    one = alternative == "better"  # both directions are hypotheses then
    sides = [int(scores.sign) * (lead or 1) if one else 0 for lead in leads]
    p, other = (
        [pair_p(test, scores, *pair, way * side) for pair, side in zip(pairs, sides, strict=True)] for way in (1, -1)
    )
    corrected = adjusted(p, correction, other if one else ())
    rows = zip(pairs, leads, sides, corrected, strict=True)
    return {pair: lead if q <= alpha and can_reach(scores, *pair, alpha, side) else 0 for pair, lead, side, q in rows}


def n_found(verdicts):
    """Return how many pairs are significant."""
    return sum(map(abs, verdicts.values()))


def agreement(first, second, verdicts_a, verdicts_b):
    """Return what two metrics have in common: pairs that both find, conflicts, P, R, F1, correlations of means."""
    a, b = (np.array(list(verdicts.values())) for verdicts in (verdicts_a, verdicts_b))
    n, n_a, n_b, both, conflicts = (
        len(a),
        np.count_nonzero(a),
        np.count_nonzero(b),
        (a * b > 0).sum(),
        (a * b < 0).sum(),
    )
    neither = ((a == 0) & (b == 0)).sum()
    means = [
        [scores.settled()[scores.systems.index(name)] for name in sorted(scores.systems)] for scores in (first, second)
    ]
    flat = any(np.ptp(side) == 0 for side in means)
    return {
        "n_pairs": n, "n_predictor": n_a, "n_truth": n_b, "share_predictor": n_a / n, "share_truth": n_b / n,
        "n_shared": both, "n_conflicts": conflicts, "conflicts": conflicts, "n_missed": n_b - both - conflicts,
        "precision": share(both, n_a), "recall": share(both, n_b), "f1": share(2 * both, n_a + n_b),
        "balanced_accuracy": (share(both, n_b) + share(neither, n - n_b)) / 2,
        "type_2": share(n_b - both - conflicts, n_b), "share": n_a / n,
        "tau": math.nan if flat else stats.kendalltau(*means).statistic,
        "rho": math.nan if flat else stats.spearmanr(*means).statistic,
    }  # fmt: skip


def aggregated(scores, way):
    """Return scores by another aggregate of like topics: points for ranks, shares of rivals beaten, or z-scores."""
    values, n = rounded(scores.sign * scores.values, scores.size), len(scores.systems)
    if way == "z-score":
        spread = values.std(axis=0)
        flat = spread <= TIED * scores.size
        return np.where(flat, 0.0, (values - values.mean(axis=0)) / np.where(flat, 1.0, spread))
    beaten = np.array([stats.rankdata(column) - 1 for column in values.T]).T
    return beaten / (n - 1) if way == "win rate" else beaten


def detectable(level, n):
    """Return the difference that a t test of n topics finds with power .8, in standard errors."""
    limit = stats.t.isf(level / 2, n - 1)
    return (
        optimize.brentq(lambda shift: power_at(shift, n, level) - 0.8, 0, 2 * limit + 9)
        if n > 3 and limit < 30
        else None
    )


def power_at(shift, n, level):
    """Return the power of a two-sided t test of n topics at a difference of so many standard errors."""
    limit, (nodes, weights) = stats.t.isf(level / 2, n - 1), NODES
    spread = np.sqrt(special.chdtri(n - 1, (1 - nodes) / 2) / (n - 1))  # over the law of the estimated error
    return weights / 2 @ (special.ndtr(shift - limit * spread) + special.ndtr(-shift - limit * spread))


# ----------------------------------------------------------------------------------------------------- votes and labels


def bradley_terry(systems, shares):
    """Return strengths that add up to 0 and make the votes most likely; a tie is half a win for each."""
    a, b = (np.array([systems.index(row[end]) for row in shares]) for end in ("system_a", "system_b"))
    votes, won = np.array([numbers(row, "votes", "share") for row in shares]).T
    sides, strength = np.eye(len(systems))[a] - np.eye(len(systems))[b], np.zeros(len(systems))
    for _ in range(100):  # Newton
        chance = special.expit(sides @ strength)
        step = np.linalg.lstsq(
            sides.T * (votes * chance * (1 - chance)) @ sides, sides.T @ (votes * (won - chance)), rcond=None
        )[0]
        strength += step / max(1.0, np.abs(step).max())
    return dict(zip(systems, strength - strength.mean(), strict=True))


def krippendorff(labels, level):
    """Return α of labels (judge, item), NaN where there is none."""
    values = np.unique(labels[np.isfinite(labels)])
    counts = np.array([(labels == value).sum(axis=0) for value in values], dtype=float)  # (value, item)
    counts = counts[:, counts.sum(axis=0) > 1]
    weighted = counts / (counts.sum(axis=0) - 1)
    together = weighted @ counts.T - np.diag(weighted.sum(axis=1))
    n = together.sum(axis=1)
    place = {"interval": values, "ordinal": np.cumsum(n) - n / 2}.get(level, np.arange(len(n)))
    apart = np.subtract.outer(place, place) ** 2.0 if level != "nominal" else 1.0 - np.eye(len(n))
    return 1 - share((together * apart).sum(), (np.outer(n, n) * apart).sum() / (n.sum() - 1))
