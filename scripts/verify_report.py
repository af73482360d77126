# ruff: noqa: ANN001, ANN002, ANN003, ANN201, ANN202, ANN204, PLR2004 - formulas, with their numbers and letters
"""Compute the numbers of a report again, from its data and from the formulas, without metaeval.

Usage: python scripts/verify_report.py FOLDER [--quiet]

FOLDER is what metaeval wrote with --out. Only the standard library, NumPy and SciPy are asked, so that whoever doubts a
table can read here how its numbers come about: what is checked of questions about scores is in this file, of the others
in verify_others.py, the formulas in verify_formulas.py. A number agrees if it does to nine digits (seven, if it is a
tail of a law); one that was drawn, if it is within five Monte-Carlo errors of draws made here. Each table gets a line:
how many numbers were computed again, the largest deviation, and which columns of numbers were not.

It ends with 0 where all agree, 1 where some do not (file, row, column and both values are named), 2 where the folder is
no report.
"""

import csv
import gzip
import hashlib
import json
import math
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import verify_others
from scipy import stats
from verify_formulas import (
    COUNTS,
    SMALLEST,
    SURE,
    TIED,
    Scores,
    adjusted,
    aggregated,
    agreement,
    can_reach,
    detectable,
    drawn_p,
    ends,
    mean_ends,
    mean_of,
    n_found,
    number,
    numbers,
    pair_p,
    share,
    t_test,
    together_p,
    verdicts_of,
)


def table_of(path):
    """Return the head of a CSV file, and its rows by head, without the apostrophes that spreadsheets need."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        head, *lines = list(csv.reader(file)) or [[]]
    cells = ([cell[1:] if cell[:1] == "'" and cell[1:2] in "=+-@" else cell for cell in line] for line in lines)
    return head, [dict(zip(head, line, strict=False)) for line in cells]


class Report:
    """A folder: tables and data by name, what was asked, and what was found out of it."""

    def __init__(self, folder):
        """Read everything that is CSV."""
        self.folder = Path(folder)
        self.record = json.loads((self.folder / "provenance.json").read_text("utf-8"))
        self.command = self.record["command"].removeprefix("study_").replace("_", "-")
        paths = sorted([*self.folder.glob("tables/*.csv"), *self.folder.glob("data/*.csv*")])
        self.tables = {path.relative_to(self.folder).as_posix(): table_of(path) for path in paths}
        by_metric = defaultdict(list)
        for row in self.rows("data/scores.csv.gz"):
            by_metric[row["metric"]].append(row)
        self.scores = {metric: Scores(rows) for metric, rows in by_metric.items()}
        self.faults, self.counts, self.worst, self.seen = [], defaultdict(int), defaultdict(float), set()
        self.alpha, self.rng = float(str(self.asked("alpha", 0.05)).split(",")[0]), np.random.default_rng(0)

    def asked(self, name, default=None):
        """Return the value of an option."""
        value = (self.record.get("options") or {}).get(name)
        return default if value is None else value

    def rows(self, *names):
        """Return the rows of tables, by the beginnings of their names."""
        return [row for name in self.named(*names) for row in self.tables[name][1]]

    def named(self, *names):
        """Return the tables whose names begin so."""
        return [table for table in self.tables if table.startswith(names)]

    def each(self, names, figures, **allowed):
        """Compare every row of tables (by the beginnings of their names) with what a function says of it."""
        for table in self.named(*names.split()):
            for place, row in enumerate(self.tables[table][1], start=1):
                self.check(table, place, row, figures(row) or {}, **allowed)

    def check(self, table, place, row, found, *, error=0.0, digits=1e-9, size=0.0):  # noqa: PLR0913 - where, and how near
        """Compare cells with what was computed by column; None is no claim.

        `error` is what drawn numbers may differ by, `size` that of the numbers that were subtracted.
        """
        for column, computed in found.items():
            if computed is None or column not in row:
                continue
            self.seen.add((table, column))
            self.counts[table] += 1
            written, same, told = number(row[column]), row[column] == computed, computed
            if not isinstance(computed, str):
                value, allowed = computed if isinstance(computed, tuple) else (computed, error)
                scale = np.nanmax([abs(written), abs(value), size])
                neither = math.isnan(written) and math.isnan(value)
                apart = 0.0 if neither or written == value else abs(written - value)
                same = apart == 0.0 or (apart <= digits * scale + allowed and not math.isinf(apart))
                self.worst[table] = max(self.worst[table], apart / (scale or 1.0) if same else 0.0)
                told = repr(float(value)) + (f" ± {allowed:.2g}" if allowed else "")
            if not same:
                keys = ", ".join([cell for cell in row.values() if cell and math.isnan(number(cell))][:4])
                self.faults.append(f"{table}, row {place} ({keys}), {column}: written {row[column]}, computed {told}")


# ----------------------------------------------------------------------------------------------- questions about scores


def known_p(report, test, scores, pair, side, resamples):  # noqa: PLR0913, PLR0917 - what a test asks
    """Return p of a pair, with its error where it was drawn; None of a test that is about all systems at once."""
    if test in SURE:
        return pair_p(test, scores, *pair, side)
    return None if test in {"max_t", "tukey"} else drawn_p(test, scores, pair, side, resamples, rng=report.rng)


def check_pairs(report):
    """Check every pair of data/pairs.csv.gz: difference, test, correction, decision, winner."""
    name, groups, alternative = "data/pairs.csv.gz", defaultdict(list), report.asked("alternative", "two-sided")
    for place, row in enumerate(report.rows(name), start=1):
        groups[row["metric"], row["test"], row["correction"]].append((place, row))
    for (metric, test, correction), placed in groups.items():
        scores, rows = report.scores[metric], [row for _, row in placed]
        resamples = int(report.asked("resamples", 10_000 if test in {"randomisation", "max_t", "tukey"} else 1000))
        better, way = alternative == "better", {"two-sided": 0, "greater": 1, "less": -1, "better": 1}[alternative]
        sides = [int((np.sign(number(row["difference"])) if better else 0) or scores.sign) * way for row in rows]
        pairs, written = [(row["system_a"], row["system_b"]) for row in rows], [number(row["p_value"]) for row in rows]
        known, family = together_p(test, scores, rows, np.array(sides), resamples, rng=report.rng)
        if known is None:
            known = [known_p(report, test, scores, *which, resamples) for which in zip(pairs, sides, strict=True)]
        beside = []
        if better:  # both directions are hypotheses; of drawn p-values the other one is known roughly
            other = [
                known_p(report, test, scores, pair, -side, resamples) for pair, side in zip(pairs, sides, strict=True)
            ]
            beside = [
                1 - p % 1 if q is None else q[0] if isinstance(q, tuple) else q
                for p, q in zip(written, other, strict=True)
            ]
        if correction != "family-wise":
            rough = 0.1 if better and test not in SURE else 0.0
            family = [(q, rough * (q > 0.3)) for q in adjusted(written, correction, beside)]
        for (place, row), pair, side, p, corrected in zip(
            placed, pairs, sides, known, family or [None] * len(rows), strict=True
        ):
            gap, q = scores.difference(row), number(row["p_corrected"])
            decided = (q < report.alpha if test == "bootstrap_sensitivity" else q <= report.alpha) and can_reach(
                scores, *pair, report.alpha, side
            )
            lead = scores.sign * (gap if scores.gaps else scores.mean(pair[0]) - scores.mean(pair[1]))
            winner = "" if abs(lead) <= TIED * scores.size else pair[0] if lead > 0 else pair[1]
            found = {"difference": gap, "significant": decided, "winner": winner, "p_corrected": corrected}
            if row.get("n_dropped"):
                found["n_units"] = (
                    len(set(scores.pair(*pair)[2])) if any(scores.cluster) else len(scores.pair(*pair)[0])
                )
            t = t_test(scores, *pair, side) if test == "t" else {}
            if "error" in t and not side:
                found |= ends(t, report.alpha, row, ("difference_low", "difference_high"), -1.0)
            report.check(name, place, row, found, size=scores.size)
            report.check(name, place, row, {"statistic": t.get("statistic")}, digits=1e-7, error=1e-9)
            log = math.log10(number(row["p_value"])) if number(row["p_value"]) > SMALLEST else None
            report.check(name, place, row, {"p_value": p, "log10_p": log}, digits=1e-7, error=1e-14 * (log is not None))
        expected = len(scores.systems) - 1 if report.asked("baseline") else len(scores.pairs())
        if len(set(pairs)) != expected:
            report.faults.append(
                f"{name}, {metric}, {test}, {correction}: {len(set(pairs))} pairs written, {expected} expected"
            )


def decisions(report, which, metric):
    """Return the significant pairs of a test, correction and metric as {(better, worse)}, and how many were tested."""
    rows = [
        row
        for row in report.rows("data/pairs.csv.gz")
        if (row["metric"], row["test"], row["correction"]) == (metric, *which)
    ]
    won = {
        (row["winner"], row["system_b" if row["winner"] == row["system_a"] else "system_a"])
        for row in rows
        if row["significant"] == "True"
    }
    return won, sum(math.isfinite(number(row["p_value"])) for row in rows)


def check_means(report, which):
    """Check tables of means: values, and marks that follow from the decisions."""
    rows, baseline, groups = (
        report.rows("tables/means.csv"),
        report.asked("baseline"),
        report.asked("marks") == "groups",
    )
    letters = {row["system"]: row.get("letter", "") for row in rows}
    for metric, scores in report.scores.items():
        won, head = decisions(report, which, metric)[0], f"{metric} marks"

        def figures(row, scores=scores, won=won, head=head, metric=metric):
            system = row["system"]
            marks = sorted(
                (letters[worse] for better, worse in won if better == system and worse in letters),
                key=lambda mark: (len(mark), mark),
            )
            if baseline:
                marks = ["†"] * ((system, baseline) in won) + ["‡"] * ((baseline, system) in won)
            elif groups:  # two share a letter exactly if they do not differ
                apart = {name for pair in won if system in pair for name in pair}
                fits = all(
                    (other["system"] in apart) != bool({*row[head]} & {*other[head]})
                    for other in rows
                    if other is not row
                )
                marks = row[head] if fits else "letters shared exactly with those that do not differ"
            return {metric: scores.mean(system), head: ("," if len(rows) > 26 else "").join(marks)}

        report.each("tables/means.csv", figures, size=scores.size)


def check_power(report):
    """Check pairs, counts of significant pairs, rankings and means of `power`, `report` and `table`."""
    check_pairs(report)
    shown = list(dict.fromkeys((row["test"], row["correction"]) for row in report.rows("data/pairs.csv.gz")))
    if not shown:
        return
    last = [which for which in shown if which[0] == shown[0][0]][-1]  # of the first test
    decided = shown[0] if report.command == "table" else next((which for which in shown if which[1] == "fdr_by"), last)

    def counts(row):
        if not row.get("n_significant") or not row.get("test"):
            return None
        won, n = decisions(report, (row["test"], row["correction"]), row["metric"])
        scores = report.scores[row["metric"]]
        return {
            "n_significant": len(won),
            "n_pairs": n,
            "power": share(len(won), n),
            "n_systems": len(scores.systems),
            "n_topics": len(scores.topics),
            "alpha": report.alpha,
        }

    def ranking(row):
        won, scores = decisions(report, decided, row["metric"])[0], report.scores[row["metric"]]
        better, worse = (sum(pair[side] == row["system"] for pair in won) for side in (0, 1))
        found = {
            "mean": scores.mean(row["system"]),
            "rank": scores.ranks()[row["system"]],
            "better_than": better,
            "worse_than": worse,
        }
        return found | mean_ends(scores, row, ("low", "high"))

    check_means(report, decided)
    report.each("tables/discriminative_power tables/key_figures", counts)
    report.each("tables/ranking_", ranking, size=1e-3 * max(scores.size for scores in report.scores.values()))


def check_table(report):
    """Check the table of a paper: pairs, means, and its key figures."""
    check_power(report)
    data, baseline = report.rows("data/pairs.csv.gz"), report.asked("baseline")
    by_pair = {(row["metric"], row["system_a"], row["system_b"]): row for row in data}

    def same(row):
        other = by_pair.get((row["metric"], row.get("system_a"), row.get("system_b")), {})
        return {
            name: (number(other[name]), 5.1e-5 * ("verdict" in row))
            for name in ("difference", "p_value", "p_corrected")
            if name in other
        }

    def leaders(row):
        if "leader" not in row:
            return None
        scores = report.scores[row["metric"]]
        won, n = decisions(report, (data[0]["test"], data[0]["correction"]), row["metric"])
        best = [name for name, rank in scores.ranks().items() if rank == 1]
        found = {
            "found_sort": len(won),
            "n_tested": n,
            "mean": scores.mean(best[0]),
            "leader": best[0] if len(best) == 1 else None,
        }
        against = (
            {"better": sum(pair[1] == baseline for pair in won), "worse": sum(pair[0] == baseline for pair in won)}
            if baseline
            else {}
        )
        return found | against | {"won": sum(pair[0] == best[0] for pair in won) if len(best) == 1 else None}

    report.each("tables/pairs tables/key_figures", same)
    report.each("tables/key_figures", leaders, size=1e-3)


def check_agree(report):
    """Check the pairs that metrics find and what they have in common; replicas; and two boards."""
    lead, known = (report.rows("data/agreement.csv") or [{}])[0], {}

    def decide(metric, row):
        key = metric, row["test"], row["correction"], number(row.get("alpha", str(report.alpha)))
        if key not in known:
            known[key] = verdicts_of(report.scores[metric], *key[1:], report.asked("alternative", "two-sided"))
        return known[key]

    def between(first, second, row):
        return agreement(report.scores[first], report.scores[second], decide(first, row), decide(second, row))

    def shares(row):
        verdicts = decide(row["metric"], row)
        return {
            "n_significant": n_found(verdicts),
            "n_pairs": len(verdicts),
            "power": share(n_found(verdicts), len(verdicts)),
        }

    def conflicts(row):
        found = {}
        for side in "ab":
            metric, pair = row[f"metric_{side}"], tuple(sorted((row["better_under_a"], row["better_under_b"])))
            scores, verdict = report.scores[metric], decide(row[f"metric_{side}"], lead)[pair]
            gap = scores.mean(row["better_under_a"]) - scores.mean(row["better_under_b"])
            found |= {f"better_under_{side}": pair[0 if verdict > 0 else 1], f"lead_{side}": scores.sign * gap}
        return found

    if lead and all(row["test"] in SURE for row in report.rows("data/agreement.csv")):
        report.each(
            "data/agreement tables/pairs_of_metrics tables/key_figures",
            lambda row: between(row["predictor"], row["truth"], row),
        )
        report.each("tables/shares", shares)
        report.each("data/conflicts tables/conflicts", conflicts, size=1e-3)
        for name in ("precision", "recall", "f1", "balanced_accuracy", "type_2"):
            for metric in report.scores:
                report.each(
                    f"tables/{name}.csv",
                    lambda row, metric=metric, name=name: {
                        metric: between(row["predictor"], metric, lead)[name],
                        "share": between(row["predictor"], metric, lead)["share"],
                    },
                )
    check_replicas(report)
    check_boards(report)


def check_replicas(report):
    """Check the measures of reproduction: difference, RMSE, effect ratio, relative improvement, t test with Holm."""
    values, baseline = defaultdict(list), report.asked("baseline")
    for row in report.rows("data/topics.csv"):
        values[row["metric"], row["system"]].append(numbers(row, "original", "replica"))

    def figures(row):
        both = np.array(values[row["metric"], row["system"]]).T
        apart, means = both[1] - both[0], both.mean(axis=1)
        found = mean_of(apart, np.ones(len(apart)), [None])
        p = 2 * stats.t.sf(abs(share(found["mean"], found["error"])), found["freedom"]) if found["error"] else None
        of = {
            "n_topics": len(apart),
            "original": means[0],
            "replica": means[1],
            "difference": apart.mean(),
            "p_value": p,
            "rmse": math.sqrt((apart**2).mean()),
        }
        if baseline and row["system"] != baseline:
            base = np.mean(values[row["metric"], baseline], axis=0)
            gains = means - base
            of |= {"effect_ratio": share(gains[1], gains[0]), "delta_ri": gains[0] / base[0] - gains[1] / base[1]}
        return of

    report.each("tables/scores tables/effects", figures, size=1e-2, digits=1e-7) if values else None
    rows = report.rows("tables/scores") if values else []
    corrected = dict(
        zip((row["system"] for row in rows), adjusted([number(row["p_value"]) for row in rows], "holm"), strict=True)
    )
    report.each(
        "tables/scores tables/effects", lambda row: {"p_corrected": corrected.get(row["system"])} if rows else None
    )


def check_boards(report):
    """Check what two boards settle, and that changes of means add up."""
    if "tables/settled.csv" not in report.tables:
        return
    settled = [[row[side] for side in list(row)[2:4]] for row in report.rows("data/pairs.csv")]
    kinds = {
        "alike": lambda a, b: a and a == b,
        "opposite": lambda a, b: a and b and a != b,
        "neither": lambda a, b: not a and not b,
    }
    boards = report.tables["data/pairs.csv"][0][2:4]
    kinds |= {"first alone": lambda a, b: a and not b, "second alone": lambda a, b: b and not a}
    among = {"all": lambda a, b: True, boards[0]: lambda a, b: a, boards[1]: lambda a, b: b}  # noqa: ARG005

    def relation(row):
        n = sum(bool(kinds[row["relation"]](*pair)) for pair in settled)
        return {"n_pairs": n, "share": share(n, len(settled))}

    def order(row):
        those = [pair for pair in settled if among[row["among"]](*pair)]
        same = sum(bool(kinds["alike"](*pair)) for pair in those)
        return {
            "n_pairs": len(those),
            "n_same": same,
            "n_opposite": sum(bool(kinds["opposite"](*pair)) for pair in those),
        }

    def change(row):
        before, after, common, again = numbers(row, "mean_first", "mean_second", "common_first", "common_second")
        return {
            "change": after - before,
            "by_items": after - before - number(row["by_scores"]),
            "difference": again - common,
        }

    report.each("tables/settled", relation)
    report.each("tables/same_order", order)
    report.each("tables/drift", change, size=1e-2)


def check_compare_metrics(report):
    """Check discriminative power, its differences, ties, and the agreement of metrics."""
    test = report.asked("test", "t")
    found = {
        (metric, how): verdicts_of(scores, test, how, report.alpha)
        for metric, scores in report.scores.items()
        for how in COUNTS
    }
    power = {key: share(n_found(verdicts), len(verdicts)) for key, verdicts in found.items()}

    def figures(row):
        scores, metric = report.scores[row["metric"]], row["metric"]
        apart = np.array([scores.pair(*pair)[0] for pair in scores.pairs()])
        ties = {
            "zero_share": (scores.values == 0).mean(),
            "tied_share": (apart == 0).mean(),
            "identical_share": (apart == 0).all(axis=1).mean(),
        }
        return ties | {
            "power": power[metric, "none"],
            "power_by": power[metric, "fdr_by"],
            "power_bh": power[metric, "fdr_bh"],
        }

    def agreed(row):
        first, second = row["metric_a"], row["metric_b"]
        return agreement(report.scores[first], report.scores[second], found[first, "fdr_by"], found[second, "fdr_by"])

    def apart(row):
        return {"difference": power[row["metric_a"], "none"] - power[row["metric_b"], "none"]}

    report.each("tables/metrics tables/key_figures tables/half-score tables/scores", figures)
    report.each("tables/power-differences", apart, size=1.0)
    report.each("tables/agreement", agreed)


def check_leaderboard(report):  # noqa: C901 - a function a table
    """Check means and ranks, families of pairs, counts of pairs, aggregates, and detectable differences."""
    hows, unpaired = ("none", "holm", "fdr_bh", "fdr_by"), report.asked("unpaired")
    found = (
        {}
        if unpaired
        else {
            (metric, how): verdicts_of(scores, "t", how, report.alpha)
            for metric, scores in report.scores.items()
            for how in hows
        }
    )
    families = defaultdict(list)
    for row in report.rows("data/neighbours.csv"):
        families[row["family"], row["metric"]].append(row)
    corrected = {}
    for key, rows in families.items():
        for how in hows[1:]:
            for row, q in zip(rows, adjusted([number(row["p_value"]) for row in rows], how), strict=True):
                corrected[(*key, row["system_a"], row["system_b"], how)] = q

    def pairs(row):
        scores, pair = report.scores[row["metric"]], (row["system_a"], row["system_b"])
        t = t_test(scores, *pair)
        of = {"difference": scores.difference(row), "statistic": t.get("statistic"), "p_value": t["p_value"]}
        for how in hows[1:]:
            q = corrected.get((row["family"], row["metric"], *pair, how))
            if q is not None:
                of |= {
                    f"p_{how}": q,
                    f"significant_{how}": q <= report.alpha and can_reach(scores, *pair, report.alpha),
                }
        return of | (
            ends(t, report.alpha, row, ("difference_low", "difference_high"), -1.0)
            if "error" in t and "difference_low" in row
            else {}
        )

    def ranked(row):
        scores = report.scores.get(row["metric"])
        if scores is None:
            return None
        mean, written = scores.mean(row["system"]), number(row["mean"])
        if scores.gaps and written in {0.0, 1.0}:  # the sum of system and topic stays within the bounds of the metric
            mean = np.clip(mean, 0.0, 1.0)
        of = {"mean": mean, "rank": scores.ranks()[row["system"]]}
        return of | mean_ends(scores, row, ("mean_low", "mean_high"))

    def counts(row):
        if "correction" not in row or row["metric"] not in report.scores:
            return None
        how, rows = (
            row["correction"],
            [other for other in report.rows("tables/ranks_") if other["metric"] == row["metric"]],
        )
        above = sum(number(other.get("n_above", "")) for other in rows)
        n = (
            None
            if row["family"] != "all"
            else above
            if how == "ranks" and not math.isnan(above)
            else n_found(found[row["metric"], how])
            if (row["metric"], how) in found
            else None
        )
        return {"n_significant": n, "share": share(*numbers(row, "n_significant", "n_pairs"))}

    def first(row):
        rows = [other for other in report.rows("tables/ranks_") if other["metric"] == row["metric"]]
        low = [number(other.get("rank_low", "")) for other in rows]
        return {"may_sort": low.count(1.0) if low and min(low) == min(low) else None}

    def concluded(row):
        scores, way = report.scores.get(row["metric"]), row["aggregate"]
        if scores is None or not scores.plain or way not in {"mean", "Borda", "win rate", "z-score"}:
            return None
        other = Scores.__new__(Scores)
        other.__dict__.update(scores.__dict__)
        other = other if way == "mean" else other.take(aggregated(scores, way), 1.0)
        tau = None if way == "mean" else stats.kendalltau(scores.settled(), other.settled()).statistic
        return {name: n_found(verdicts_of(other, "t", how, report.alpha)) for how, name in COUNTS.items()} | {
            "tau": tau
        }

    def smallest(row):
        scores, level = report.scores[row["metric"]], number(row["level"])
        if not scores.plain or row["test"] != "t" or number(row["no_variance"]):
            return None
        errors = [t_test(scores, *pair)["error"] for pair in scores.pairs()]
        factor = detectable(level, len(scores.topics))
        return (
            {
                name: factor * np.quantile(errors, part, method="inverted_cdf")
                for name, part in (("low", 0.05), ("median", 0.5), ("high", 0.95))
            }
            if factor
            else None
        )

    if not unpaired:
        report.each("data/neighbours tables/neighbours tables/baseline_pairs", pairs, digits=1e-7, size=1e-3)
        report.each("tables/conclusions", concluded)
        report.each("tables/detectable_differences", smallest, digits=1e-5)
        report.each("tables/ranks_", ranked, size=1e-3)
    report.each("tables/pairs", counts)
    report.each("tables/key_figures", first)


def check_score(report):
    """Check means of systems with intervals and ranks."""

    def figures(row):
        scores = report.scores[row["metric"]]
        found = {"mean": scores.mean(row["system"]), "rank": scores.ranks()[row["system"]]}
        return found | mean_ends(scores, row, ("low", "high"))

    report.each("data/means", figures, size=1e-3)
    report.each(
        "tables/means", lambda row: {metric: scores.mean(row["system"]) for metric, scores in report.scores.items()}
    )


def check_compare_tests(report):
    """Check the shares that follow from the counts of every split."""
    splits = defaultdict(list)
    for row in report.rows("data/splits.csv"):
        splits[row["correction"], row["metric"], row["test"]].append(
            numbers(row, "rejected_first", "errors", "rejected_both")
        )

    def figures(row):
        counts = splits[row["correction"], row["metric"], row["test"]]
        rejected, errors, both = np.sum(counts, axis=0)
        n, pairs = len(counts), len(report.scores[row["metric"]].pairs())
        found = {
            "rejections": rejected,
            "errors": errors,
            "n_pairs": pairs,
            "n_splits": n,
            "error_rate": share(errors, rejected),
        }
        return found | {
            "rejected": rejected / pairs / n,
            "rejected_both": both / pairs / n,
            "self_agreement": share(both, rejected),
        }

    report.each("tables/tests_ tables/key_figures", figures)


def check_topics(report):
    """Check error rates, and numbers of topics that were observed: the smallest from which on all rates are small."""
    limit, rates = float(report.asked("max_error", 0.05)), defaultdict(list)
    for row in report.rows("data/error_rates.csv"):
        rates[row["metric"], number(row["tolerance"])].append((number(row["size"]), number(row["error_rate"])))

    def enough(row):
        sizes = sorted(rates[row["metric"], number(row["tolerance"])])
        least = [size for size, _ in sizes if all(rate <= limit for other, rate in sizes if other >= size)]
        return {"n_topics": least[0] if least and row.get("kind") == "observed" else None}

    report.each(
        "data/error_rates tables/error_rates", lambda row: {"error_rate": share(*numbers(row, "swaps", "comparisons"))}
    )
    report.each("tables/minimum_topics.csv", enough)


CHECKS = verify_others.CHECKS | {
    "table": check_table,
    "power": check_power,
    "report": check_power,
    "compare-metrics": check_compare_metrics,
    "leaderboard": check_leaderboard,
    "agree": check_agree,
    "compare-tests": check_compare_tests,
    "topics": check_topics,
    "score": check_score,
}


def main(words):
    """Check a folder; return the exit code."""
    folders = [word for word in words if not word.startswith("--")]
    try:
        (folder,) = folders
        report = Report(folder)
    except (ValueError, KeyError, IndexError, OSError) as error:
        print(f"{' '.join(folders)}: no folder of a report ({error})", file=sys.stderr)
        return 2
    for name, checksum in report.record.get("files", {}).items():
        report.counts["checksums"] += 1
        if (
            not (report.folder / name).is_file()
            or hashlib.sha256((report.folder / name).read_bytes()).hexdigest() != checksum
        ):
            report.faults.append(f"{name}: not the file that was written (SHA-256)")
    CHECKS.get(report.command, lambda _: None)(report)
    for name in [*report.tables, "checksums"] if "--quiet" not in words else []:
        head, rows = report.tables.get(name, ([], []))
        left = [
            column
            for column in head
            if (name, column) not in report.seen and any(math.isfinite(number(row.get(column))) for row in rows)
        ]
        if name not in {"tables/checksums.csv", "tables/provenance.csv", "data/scores.csv.gz"}:
            unchecked = f"; not checked: {', '.join(left)}" if left else ""
            print(f"{name}: {report.counts[name]} numbers, largest deviation {report.worst[name]:.1e}{unchecked}")
    print(*report.faults, f"{len(report.faults)} of {sum(report.counts.values())} numbers disagree", sep="\n")
    return int(bool(report.faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
