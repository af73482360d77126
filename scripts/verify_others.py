# ruff: noqa: ANN001, ANN201, ANN202, RUF002, RUF003 - formulas, with their numbers and letters
"""What scripts/verify_report.py checks of reports on votes, people, judges and designs."""

import math
from collections import defaultdict

import numpy as np
from scipy import optimize, special, stats
from verify_formulas import adjusted, bradley_terry, krippendorff, mean_of, number, numbers, power_at, share

# ------------------------------------------------------------------------------------- questions about votes and people


def check_votes(report):
    """Check strengths, win rates, expected shares, corrections and counts of pairs."""
    shares, rows = report.rows("data/shares.csv"), report.rows("tables/systems")
    if not rows or any("inf" in row["strength"] for row in rows):
        return
    half, played = report.asked("ties", "half") == "half", defaultdict(list)
    strength = (
        bradley_terry([row["system"] for row in rows], shares)
        if half
        else {row["system"]: number(row["strength"]) for row in rows}
    )
    for row in shares:
        votes, won = numbers(row, "votes", "share")
        played[row["system_a"]].append((won, votes))
        played[row["system_b"]].append((1 - won, votes))

    def system(row):
        own, games = strength[row["system"]], np.array(played[row["system"]])
        return {
            "strength": own,
            "win_rate": games[:, 0].mean(),
            "votes": games[:, 1].sum(),
            "rank": 1 + sum(other > own + 1e-9 for other in strength.values()),
        }

    def pair(row):
        gap = strength[row["system_a"]] - strength[row["system_b"]]
        return {"difference": gap, "expected": special.expit(gap) if half else None}

    raw = [number(row["p_value"]) for row in report.rows("data/pairs.csv")]
    corrected = iter(adjusted(raw, "fdr_by"))

    def decided(row):
        q = next(corrected)
        return {
            "p_corrected": q,
            "significant": q <= report.alpha,
            "winner": row["system_a" if number(row["difference"]) > 0 else "system_b"],
        }

    def counts(row):
        by_ranks = sum(number(other["n_above"]) for other in rows)
        n = by_ranks if row["correction"] == "ranks" else (adjusted(raw, row["correction"]) <= report.alpha).sum()
        return {"n_significant": n, "n_pairs": len(raw), "share": share(n, len(raw))}

    report.each("tables/systems tables/ratings", system, digits=1e-6, size=1.0)
    report.each("data/shares tables/misfits data/pairs data/plan tables/plan", pair, digits=1e-6, size=1.0)
    report.each("data/pairs", decided)
    report.each("tables/pairs", counts)


def check_human(report):
    """Check correlations of means, Williams' tests, corrections, and agreement of significant pairs."""
    rows, human, how = report.rows("data/means.csv"), report.asked("reference"), report.asked("correction", "fdr_by")
    if not rows:
        return
    means, n = {name: np.array([number(row[name]) for row in rows]) for name in rows[0] if name != "system"}, len(rows)

    def value(metric, statistic="pearson"):
        x, y = means[metric], means[human]
        if statistic == "accuracy":
            signs = (np.sign(np.subtract.outer(side, side))[np.triu_indices(n, 1)] for side in (x, y))
            return np.equal(*signs).mean()
        return {"pearson": stats.pearsonr, "kendall": stats.kendalltau, "spearman": stats.spearmanr}[statistic](
            x, y
        ).statistic

    def decided(row):
        both, first, second = numbers(row, "n_shared", "n_metric", "n_human")
        found = {"precision": share(both, first), "recall": share(both, second), "f1": share(2 * both, first + second)}
        return found | {"tau": value(row["metric"], "kendall"), "rho": value(row["metric"], "spearman")}

    def compared(row):
        first, second = value(row["metric_a"]), value(row["metric_b"])
        between = stats.pearsonr(means[row["metric_a"]], means[row["metric_b"]]).statistic
        found = {
            "correlation_a": first,
            "correlation_b": second,
            "value_a": first,
            "value_b": second,
            "difference": first - second,
            "between": between,
        }
        between *= np.sign(
            first * second
        )  # absolute correlations: a metric that falls counts by how closely it follows
        first, second = abs(first), abs(second)
        inside = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
        below = 2 * inside * (n - 1) / (n - 3) + ((first + second) / 2) ** 2 * (1 - between) ** 3
        t = (first - second) * math.sqrt((n - 1) * (1 + between) / below)
        return found | ({"t": t, "p": 2 * stats.t.sf(abs(t), n - 3)} if "t" in row else {})

    def wins(row):
        sure = [
            other for other in report.rows("tables/metric-permutation") if number(other["p_corrected"]) <= report.alpha
        ]
        won = [
            (other["metric_a"], other["metric_b"])[:: 1 if number(other["difference"]) > 0 else -1] for other in sure
        ]
        return {
            name: sum(pair[side] == row["metric"] for pair in won)
            for side, name in enumerate(("better_than", "worse_than"))
        }

    report.each(
        "tables/agreement-system", lambda row: {"value": value(row["metric"], row["statistic"]), "n_systems": n}
    )
    report.each("tables/decisions", decided)
    report.each("tables/williams tables/metric-permutation", compared, digits=1e-6, size=1.0)
    for table in report.named("tables/williams", "tables/metric-permutation"):
        corrected = iter(adjusted([number(row["p"]) for row in report.rows(table)], how))
        report.each(table, lambda _, corrected=corrected: {"p_corrected": next(corrected)})
    report.each("tables/metric-wins", wins)
    report.each("tables/human-pairs", lambda row: {"tau": 2 * share(*numbers(row, "agree", "pairs")) - 1})


def check_judges(report):
    """Check counts of labels, agreement of pairs of judges on common items, and α of all."""
    rows, reference, rel = report.rows("data/labels.csv"), report.asked("reference"), float(report.asked("rel", 1))
    if not rows:
        return
    labels = {name: np.array([number(row[name]) for row in rows]) for name in rows[0] if name not in {"topic", "item"}}
    topics, every = np.array([row.get("topic", "") for row in rows]), np.array(list(labels.values()))
    values = np.unique(every[np.isfinite(every)])
    if not len(values) or "topic" not in rows[0]:
        return  # labels in words, or of one list: the means over topics that are checked here are none of theirs

    def overlaps(first, second, inside):
        a, b = first[inside] >= rel, second[inside] >= rel
        return [share((a & b).sum(), whole) for whole in ((a | b).sum(), a.sum(), b.sum())]

    def agreed(row):
        first, second = labels[row.get("first") or reference], labels[row.get("second") or row["judge"]]
        inside = np.isfinite(first) & np.isfinite(second) & (topics == row.get("topic", topics))
        a, b, names = first[inside], second[inside], ("overlap", "first_kept", "second_kept")
        parts = np.array([overlaps(first, second, inside & (topics == topic)) for topic in set(topics[inside])])
        found = {
            name: np.mean(part[np.isfinite(part)]) if np.isfinite(part).any() else math.nan
            for name, part in zip(names, parts.T, strict=True)
        }
        seen = np.array([[((a == x) & (b == y)).mean() for y in values] for x in values])
        chance, apart = np.outer(seen.sum(axis=1), seen.sum(axis=0)), np.abs(np.subtract.outer(values, values))
        for name, weight in (("kappa", apart > 0), ("linear_kappa", apart), ("quadratic_kappa", apart**2)):
            found[name] = 1 - share((weight * seen).sum(), (weight * chance).sum())
        found |= {
            "items": len(a),
            "topics": len(set(topics[inside])),
            "same": (a == b).mean(),
            "near": (np.abs(a - b) <= 1).mean(),
            "bias": (b - a).mean(),
        }
        return found | {"value": found.get(row.get("statistic"))}

    def counted(row):
        own = labels[row["judge"]][np.isfinite(labels[row["judge"]])]
        return {"labels": len(own), "missing": len(rows) - len(own), "mean": own.mean()} | {
            name: (own == number(name[3:])).mean() for name in row if name.startswith("at_")
        }

    report.each("tables/labels", counted)
    report.each(
        "tables/judge-agreement tables/judge-pairs tables/judge-ranking tables/agreement-by-topic", agreed, size=1e-3
    )
    report.each("tables/krippendorff-alpha", lambda row: {"alpha": krippendorff(every, row["level"])}, size=1.0)


# ---------------------------------------------------------------------------------------------- questions about designs


def check_components(report):
    """Check mean squares, components, coefficients and errors of this design and of others."""
    parts = {}
    for metric, scores in report.scores.items():
        if any(scores.cluster) or scores.gaps:
            continue
        cells, (n, t, r) = scores.cells, scores.cells.shape
        means = cells.mean(axis=2)
        left = means - means.mean(axis=1)[:, None] - means.mean(axis=0) + means.mean()
        freedom = dict(
            zip(
                ("system", "topic", "system x topic", "repeat"),
                (n - 1, t - 1, (n - 1) * (t - 1), n * t * (r - 1)),
                strict=True,
            )
        )
        sums = (
            t * r * ((means.mean(axis=1) - means.mean()) ** 2).sum(),
            n * r * ((means.mean(axis=0) - means.mean()) ** 2).sum(),
            r * (left**2).sum(),
            ((cells - means[:, :, None]) ** 2).sum(),
        )
        square = {
            name: total / freedom[name] if freedom[name] else 0.0 for name, total in zip(freedom, sums, strict=True)
        }
        both, rest = square["system x topic"], square["repeat"]
        estimate = {
            "system": (square["system"] - both) / (t * r),
            "topic": (square["topic"] - both) / (n * r),
            "system x topic": (both - rest) / r,
            "repeat": rest,
        }
        parts[metric] = square, freedom, estimate, {name: max(0.0, value) for name, value in estimate.items()}

    def component(row):
        if row["metric"] not in parts:
            return None
        square, freedom, estimate, variance = parts[row["metric"]]
        name, noise = row["component"], variance["system x topic"] + variance["repeat"]
        found = {
            "mean_square": square[name],
            "degrees_of_freedom": freedom[name],
            "estimate": estimate[name],
            "variance": variance[name],
        }
        return found | {
            "share": share(variance[name], sum(variance.values())),
            "difference_share": share(variance[name], noise + variance["system"]) if name != "topic" else None,
            "noise_share": share(variance[name], noise) if name in {"system x topic", "repeat"} else None,
        }

    def design(row):
        if row["metric"] not in parts or number(row.get("judges", "1")) != 1:
            return None
        variance, items, repeats = parts[row["metric"]][-1], *numbers({"repeats": "1"} | row, "items", "repeats")
        again = variance["repeat"] / (items * repeats)
        relative, limit = variance["system x topic"] / items + again, 1.96 * math.sqrt(2)  # ISO 5725-2
        absolute, systems = relative + variance["topic"] / items, variance["system"]
        erho2 = share(systems, systems + relative)
        wrong = math.acos(math.sqrt(erho2)) / math.pi
        return {
            "erho2": erho2, "phi": share(systems, systems + absolute), "wrong_order": wrong, "tau": 1 - 2 * wrong,
            "standard_error": math.sqrt(absolute), "difference_error": math.sqrt(2 * relative),
            "reproducibility": limit * math.sqrt(relative),
            "repeatability": limit * math.sqrt(again) if again else None,
            "repeat_share": share(again, relative) if again else None,
        }  # fmt: skip

    report.each("tables/components_ data/components", component, size=1e-3)
    report.each(
        "data/dependability data/plan tables/dependability tables/plan_ tables/costs tables/key_figures",
        design,
        size=1e-3,
    )


def check_design(report):
    """Check numbers of topics by the power of the t test, and the power at hand."""
    power, alpha = float(report.asked("power", 0.8)), report.alpha
    least = math.ceil(1 - math.log2(alpha) - 1e-9)  # with fewer no test by random signs could reach α

    def figures(row):
        n, difference, variance, now = (
            number(row.get(name, "")) for name in ("n_topics", "difference", "variance", "topics_at_hand")
        )
        if row["method"] != "t" or not variance > 0 or not n > 1:
            return None

        def reached(n):
            return power_at(math.sqrt(n / (2 * variance)) * difference, n, alpha)

        enough = reached(n) >= power - 1e-9 and (n <= least or reached(n - 1) < power + 1e-9)
        return {
            "n_topics": n if enough else math.nan,
            "power_at_hand": reached(now) * (now >= least) if now > 1 else None,
        }

    report.each("data/designs tables/topic-set-size tables/key_figures", figures, digits=1e-4)


def check_stop(report):
    """Check the evidence of every look by the t form, its intervals, and Holm's decisions on the largest so far."""
    if (
        not report.scores
        or report.asked("evidence") not in {None, "t"}
        or not all(scores.plain for scores in report.scores.values())
    ):
        return
    came = {row["topic"]: turn for turn, row in enumerate(report.rows("data/arrival.csv"))}
    order = {
        metric: np.argsort(
            [came.get(topic, int("0" + "".join(filter(str.isdigit, topic)))) for topic in scores.topics], kind="stable"
        )
        for metric, scores in report.scores.items()
    }

    def look(row):
        scores, n, g = report.scores[row["metric"]], int(number(row.get("units") or row.get("n"))), 0.5
        apart = scores.pair(row["system_a"], row["system_b"])[0][order[row["metric"]]][:n]
        found, nu = mean_of(apart, np.ones(n), [None]), n - 1
        if not found["error"]:
            return {"difference": apart.mean()}
        t2, grown = (found["mean"] / found["error"]) ** 2, 1 + n * g
        log = n / 2 * (math.log1p(t2 / nu) - math.log1p(t2 / (nu * grown))) - math.log(grown) / 2
        least = math.exp(2 / n * (math.log(grown) / 2 - math.log(report.alpha)))
        reach = math.sqrt(nu * (least - 1) / (1 - least / grown)) * found["error"] if least < grown else None
        return {"difference": found["mean"], "log10_evidence": log / math.log(10)} | (
            {"low": found["mean"] - reach, "high": found["mean"] + reach} if reach else {}
        )

    report.each("data/evidence tables/pairs", look, size=1e-3)


def check_combine(report):
    """Check the random-effects mean with Paule and Mandel's τ, I², the test of equality, and Holm's correction."""
    keys, groups = ("measure", "metric", "first", "second"), defaultdict(list)
    for row in report.rows("data/estimates.csv"):
        groups[tuple(row.get(key) for key in keys)].append(numbers(row, "estimate", "variance"))

    def claim(row):
        y, v = np.array(groups[tuple(row.get(key) for key in keys)]).T
        k = len(y)

        def misfit(tau2):
            weight = 1 / (v + tau2)
            mean = weight @ y / weight.sum()
            return (weight * (y - mean) ** 2).sum(), mean, weight.sum()

        q, tau2 = misfit(0.0)[0], 0.0
        if q > k - 1:
            tau2 = optimize.brentq(lambda tau2: misfit(tau2)[0] - k + 1, 0, 10 * (y.var() + v.max()) * k)
        left, mean, weight = misfit(tau2)
        found = {
            "n_collections": k,
            "n_above": (y > 0).sum(),
            "p_equal": stats.chi2.sf(q, k - 1),
            "i2": max(0.0, 1 - share(k - 1, q)),
        }
        if row["measure"] != "difference":
            return found
        error = math.sqrt(max(left / (k - 1), 1.0) / weight)  # never below what the errors alone allow
        return found | {
            "mean": mean,
            "tau": (math.sqrt(tau2), 1e-4 * math.sqrt(v.mean())),
            "p_value": 2 * stats.t.sf(abs(mean / error), k - 1),
        }

    report.each("tables/claims tables/key_figures", claim, digits=1e-4, size=1e-5)
    corrected = iter(adjusted([number(row["p_value"]) for row in report.rows("tables/claims")], "holm"))
    report.each("tables/claims", lambda _: {"p_corrected": next(corrected)})


def check_judgments(report):
    """Check that tables hold the rows of the data, and what follows from other columns."""
    data = {(row["reduction"], row["metric"], row["step"]): row for row in report.rows("data/stability.csv")}

    def same(row):
        other = data.get((row.get("reduction"), row.get("metric"), row.get("step")), {}) if "kind" not in row else {}
        return {name: number(cell) for name, cell in other.items() if math.isfinite(number(cell))}

    report.each("tables/stability_ tables/ranking_", same)
    report.each(
        "data/stability",
        lambda row: {
            "contradicted_share": share(*numbers(row, "contradicted", "found"))
            if number(row["n_replicates"]) == 1 and number(row["found"])
            else None
        },
    )


def check_reliability(report):
    """Check ranks of the simulated runs, and which expectations their values meet."""
    values = defaultdict(dict)
    for row in report.rows("data/runs.csv"):
        values[row["metric"]][row["run"]] = number(row["value"])

    def verdict(row):
        own, wanted = values[row["metric"]], [words.split() for words in row["wanted"].split(", ")]
        broken = [
            f"{a} {sign} {b}"
            for a, sign, b in wanted
            if not (own[a] > own[b] + 1e-12 or (sign == ">=" and own[a] >= own[b] - 1e-12))
        ]
        return {
            "preferences": len(wanted),
            "broken": len(broken),
            "met": not broken,
            "n_kept": len(wanted) - len(broken),
            "first_broken": ", ".join(broken),
        }

    report.each(
        "data/runs",
        lambda row: {"rank": 1 + sum(other > number(row["value"]) + 1e-12 for other in values[row["metric"]].values())},
    )
    report.each("tables/verdicts", verdict)


CHECKS = {
    "votes": check_votes,
    "human": check_human,
    "judges": check_judges,
    "components": check_components,
    "stop": check_stop,
    "combine": check_combine,
    "judgments": check_judgments,
    "reliability": check_reliability,
    "design": check_design,
}
