"""Requirements such as "new >= old - 0.005" or "new >= 0.7": established, contradicted, or left open by the topics."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.arrays import Flags, Floats
from metaeval.base.checks import check_list, check_share, refused, t_half_width
from metaeval.base.names import count, first_few
from metaeval.base.results import Result
from metaeval.base.unit import Unit
from metaeval.base.words import bracketed, number
from metaeval.errors import UnknownNameError
from metaeval.running.equality import RELATIVE
from metaeval.table.scores import Scores, oriented_values
from metaeval.table.structure import engine_scores, these_clusters
from metaeval.table.units import TopicUnits, units_of
from metaeval.tests_stat.discordant import exact_share, share_difference, wins_of_one_size
from metaeval.tests_stat.ends import Seen, ends_of_means
from metaeval.tests_stat.likely_effects import MOST_PAIRS, LikelyEffects, SeenDifferences, likely_effects
from metaeval.tests_stat.noncentral_t import detectable_shift
from metaeval.tests_stat.pairs import Estimates, all_pairs
from metaeval.tests_stat.result import is_significant
from metaeval.tests_stat.robust import difference_estimates, mean_estimates
from metaeval.tests_stat.runs import Runs, with_runs
from metaeval.tests_stat.tails import fewest_by_signs, signs_tail, student_tail

_SIGN = re.compile(r"\s(>=|≥|>|<=|≤|<)\s")
_MARGIN = re.compile(r"(?P<name>.+?)\s+(?P<sign>[+-])\s*(?P<size>\d*\.?\d+(?:[eE][+-]?\d+)?)(?P<points>\s+points?)?")
_LOOSE = re.compile(r"(?P<better>[^<>=≥≤]+)(?P<sign>[<>=≥≤]{1,2})(?P<worse>[^<>=≥≤]+)")
_LOOSE_MARGIN = re.compile(r"(?P<name>.+?)\s*(?P<sign>[+-])\s*(?P<size>\d*[.,]?\d+(?:[eE][+-]?\d+)?)")
_SPACED = re.compile(r"\s[+-]\s+\S+$")
_NUMBER = re.compile(r"[-+]?\d*\.?\d+(?:[eE][+-]?\d+)?")
_LOOSE_NUMBER = re.compile(r"[-+]?\d*[.,]?\d+(?:[eE][+-]?\d+)?")
_EXAMPLE = "new >= old - 0.005"
MET, VIOLATED, OPEN, NOTHING = "met", "violated", "open", "without common items"
_TENS, _PER_CENTS = 10.0, 100.0
"""Scores between these are no shares of 1."""
_WIDE = 0.1
"""Share of the range of the scores beyond which a margin must be written in points, so that none is a slip."""
_POWER = 0.8
_NEEDED = (
    "; some {0:,.0f} {units} in all would tell, with probability "
    f"{_POWER:g} over all that the true difference may be"
)
_LARGEST_LEVEL = 0.99
"""Two-sided; what is planned at a larger one would be told by chance."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Requirements(Result):
    """Requirements on pairs of systems, and whether the topics establish them."""

    table: pd.DataFrame
    """One row a metric and requirement; see `to_frame`."""
    alpha: float
    clustered: bool = False
    """Whether topics are in clusters that are a sample of clusters."""

    @property
    def met(self) -> bool:
        """Whether all requirements are established under every metric."""
        return bool((self.table["state"] == MET).all())

    def __bool__(self) -> bool:
        return self.met

    def _found(self) -> str:
        words = [
            f"{row['requirement']} is {row['state']} under {row['metric']}: "
            + bracketed(row["estimate"], row["low"], row["high"], number(4))
            for row in self.table.to_dict("records")
        ]
        n = int((self.table["state"] == MET).sum())
        return f"{n} of {count(len(words), 'requirement')} met; {first_few(words, between='; ')}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and requirement.

        The columns are ``metric``, ``requirement``, ``system_a``, ``system_b`` (missing beside a number), ``margin``
        (by how much a must be ahead, negative where it may be behind; or the number), ``estimate`` (the difference,
        positive where a is better; or the mean), ``low`` and ``high`` (one-sided limits, each at 1 - alpha),
        ``p_value`` (one-sided, of the requirement's contrary), ``n_common`` topics, ``state`` (met; violated: its
        contrary is established; open; or "without common items", where the figures are NaN), and for open ones
        ``items_needed``, or for items in clusters ``clusters_needed``: how many in all would tell, either way, with a
        chance of .8 (missing where that is unknown, and where runs differ, which no number of items takes away); and
        ``detectable``, the margin that as many items as these establish with that chance where the two are equal (or
        how far beyond the number a mean must be). Where so few items, or clusters, differ from the margin that nothing
        can be established, ``n_too_few`` is their number, ``n_meeting`` that of those that meet it by themselves, and
        ``state_within`` the state on these same clusters and no others (else missing). ``test`` is what decided: "t",
        "exact binomial", "t and exact sign" or "t and Tango". A difference that is the same on all items has no limits,
        unless scores are bounded.
        """
        return self.table.copy()

    @staticmethod
    def _margin_words(row: Mapping[Any, Any], spoken: Unit) -> str:
        found = f"{row['detectable']:.2g} with probability {_POWER:g}"
        if pd.isna(row["system_b"]):
            return f"; {row['n_common']} {spoken.topics} establish it of a mean that is beyond the number by {found}"
        return f"; of equal systems {row['n_common']} {spoken.topics} establish a margin of {found}"

    @property
    def fewest(self) -> int:
        """The fewest items, or clusters, that differ from a margin, of which anything can be established."""
        return fewest_by_signs(self.alpha) - 1

    def few_words(self, row: Mapping[Any, Any], spoken: Unit) -> tuple[str, str]:
        """Say where items or clusters are too few for a requirement, and what is established in these clusters."""
        if math.isnan(row["n_too_few"]):
            return "", ""
        n, units = int(row["n_too_few"]), spoken.clusters if self.clustered else spoken.topics
        meeting, where = int(row["n_meeting"]), "in which" if self.clustered else "on which"
        many = {0: "none of", n: "all" if n > 1 else "the"}.get(meeting, f"{meeting:,d} of")
        of = count(n, spoken.cluster if self.clustered else spoken.topic) + f" {where} they differ" * (
            row["system_b"] is not None and not row["margin"]
        )
        show = f"{many} {of} meet{'s' * (meeting == 1 or not meeting)} it"
        within = {MET: "established", VIOLATED: "contradicted"}.get(row["state_within"] or "")
        alone = f"in the {units} at hand (`with_clusters(scores, 'fixed')`) it is {within}" if within else ""
        return f"{show}, too few to tell{' of others' * self.clustered} ({self.fewest} are the fewest)", alone

    def open_words(self, spoken: Unit) -> list[str]:
        """Say of open requirements what is established instead, which margin can be, and how many items would tell."""
        words, units = [], spoken.clusters if self.clustered else spoken.topics
        for row in self.table[~self.table["state"].isin([MET, VIOLATED])].to_dict("records"):
            requirement, metric, system_b = row["requirement"], row["metric"], row["system_b"]
            if row["state"] == NOTHING:
                words.append(f"{requirement}: the two systems have no {spoken.topic} in common under {metric}")
                continue
            better, sign, _ = sides_of(requirement)
            end = row["high"] if sign[0] == "<" else row["low"]
            n_needed = row["clusters_needed" if self.clustered else "items_needed"]
            limit = f"{end:.4f}" if pd.isna(system_b) else f"{system_b} {'+' if end > 0 else '-'} {abs(end):.4f}"
            established = "" if math.isnan(end) else f"; established is {better} {sign[0]}= {limit}"
            if few := "; ".join(filter(None, self.few_words(row, spoken))):
                established = f"; {few}"
            margin = "" if math.isnan(row["detectable"]) else self._margin_words(row, spoken)
            more = "" if math.isnan(n_needed) else _NEEDED.format(n_needed, units=units)
            alike = f"; nothing varies, so nothing can be planned from these {spoken.topics}"
            words.append(f"{requirement} under {metric}{established}{margin}{more or alike * (not margin)}")
        return words


def check_requirements(scores: object, requirements: Sequence[str], *, alpha: float = 0.05) -> Requirements:
    r"""Test requirements on systems by one-sided t tests, paired where two are compared.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        With clusters, strata, weights and gaps as they come; of one system, where its mean stands beside a number.
    requirements : sequence of str
        Each ``A >= B``, ``A > B``, ``A >= B - 0.005`` or ``A >= B + 0.01``, with blanks around the signs; in the
        metric's unit, better being higher whatever the metric's direction. A margin that allows more than a tenth of
        the range of the scores must be written in points, ``A >= B - 20 points``: hundredths where all scores lie
        between 0 and 1, else units. Or ``A >= 0.7``, ``A < 0.2`` and the like: the mean itself beside a number.
    alpha : float, default 0.05
        Level of each test.

    Returns
    -------
    Requirements
        One row a ``metric`` and ``requirement`` in ``to_frame()``: ``estimate`` with one-sided ``low`` and ``high`` in
        units of the metric, ``p_value``, and the ``state``; see `Requirements.to_frame`. ``items_needed`` and
        ``detectable`` are missing where the requirement, or its contrary, is established.

    Raises
    ------
    InvalidOptionError
        If a text is no requirement, names a system that is not there, allows too much, or a number outside of what the
        metric can be.
    ScoresError
        If scores are outside their rules.

    See Also
    --------
    metaeval.tests_stat.paired_t.paired_t_test

    Notes
    -----
    Of means over runs a limit is the further of those by items alone and with runs in the error, and the p-value the
    larger, as in `metaeval.tests_stat.compare_systems`.

    With :math:`\bar d` the mean of a less that of b (or of a alone), s its error and m the margin (the number), a
    requirement is met where :math:`\bar d - t_{1-\alpha} s \ge m` (for ``>``: more than m), a test of non-inferiority
    where m is negative, and violated where :math:`\bar d + t_{1-\alpha} s < m`. That all of several are met needs no
    correction: each is tested at the level, and all must pass [1]_. Nothing is decided on so few topics (clusters) that
    no exact test of signs reaches the level, nor, without a margin, about two systems that differ by one amount, as 0
    and 1 do, where the exact sign test leaves it open; a share of 0 and 1 beside a number has the exact binomial test
    and its limits [2]_, and with a margin the limits of two such systems are no narrower than those of Tango's score
    test [3]_, with t in the place of the normal law. Where all answers, or all differences of bounded scores, are
    alike, the limit is exact; so is that of two systems that are equal throughout, if no item makes them differ by more
    than all scores that were seen; other differences that are alike have no limit, and signs decide. Open, some n items
    in all would tell: on so many the requirement is met or violated with a chance of .8, over all that the true
    difference may be
    as it was seen, or drawn towards 0 as the differences of all systems ask (`metaeval.models.topics_to_separate`),
    whichever takes more: so n is never smaller than a plan for the difference that was seen.

    References
    ----------
    .. [1] Berger (1982). Multiparameter hypothesis testing and acceptance sampling. Technometrics 24(4), 295-300.
       :doi:`10.2307/1267823`
    .. [2] Clopper and Pearson (1934). The use of confidence or fiducial limits illustrated in the case of the binomial.
       Biometrika 26, 404-413. :doi:`10.1093/biomet/26.4.404`
    .. [3] Tango (1998). Equivalence test and confidence interval for the difference in proportions for the
       paired-sample design. Statistics in Medicine 17(8), 891-908.
       :doi:`10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B`

    Examples
    --------
    >>> made = {"old": [0.30, 0.50, 0.90, 0.40, 0.20, 0.60], "new": [0.31, 0.49, 0.91, 0.41, 0.22, 0.59]}
    >>> found = check_requirements(made, ["new >= old - 0.02", "new > old"])
    >>> found.to_frame()[["requirement", "estimate", "low", "state"]].round(3)
             requirement  estimate    low state
    0  new >= old - 0.02     0.005 -0.005   met
    1          new > old     0.005 -0.005  open
    """
    check_share(alpha, "alpha")
    table = engine_scores(scores, "requirements", fewest=1)
    names = table["system"].to_numpy().tolist()
    requirements = check_list(requirements, "requirements", [_EXAMPLE])
    asked = [_parsed(text, names) for text in requirements]
    if not asked:
        raise refused("requirements", f"is empty; name at least one, such as {_EXAMPLE!r}", requirements)
    metrics, seen = table["metric"].to_numpy().tolist(), Seen.of(table.to_numpy())
    asked = [
        _with_margin(requirement, text, metrics, seen) for requirement, text in zip(asked, requirements, strict=True)
    ]
    rows = [
        {"requirement": " ".join(text.split()), "system_a": requirement.better, "system_b": requirement.other}
        for requirement, text in zip(asked, requirements, strict=True)
    ]
    verdicts = [_judged(table, requirement, metrics, seen, alpha) for requirement in asked]
    frame = pd.DataFrame([
        {"metric": metric, **row, **{name: values[index] for name, values in columns.items()}}
        for index, metric in enumerate(metrics)
        for row, columns in zip(rows, verdicts, strict=True)
    ])  # fmt: skip
    frame["state_within"], few = None, frame["n_too_few"].notna()
    if few.any() and (same := these_clusters(table)) is not None:
        within = check_requirements(same, requirements, alpha=alpha).table["state"]
        frame["state_within"] = within.astype(object).where(few, None)
    return Requirements(table=frame, alpha=float(alpha), clustered="cluster" in table.coords)


class _ParsedRequirement(NamedTuple):
    """A requirement that was read."""

    better: str
    other: str | None
    """None: a number stands in its place."""
    margin: float
    sign: str
    points: bool = False
    """Whether the margin is in points."""

    @property
    def way(self) -> float:
        """1 where the first must be high, -1 where it must be low."""
        return -1.0 if self.sign in {"<", "<="} else 1.0


def _with_margin(asked: _ParsedRequirement, text: str, metrics: Sequence[str], seen: Seen) -> _ParsedRequirement:
    """Turn points into units, and refuse a margin that allows too much and a number that no mean can reach."""
    bounds = seen.bounds(metrics)
    finite = np.isfinite(bounds)
    lowest, highest = (np.where(finite[:, end], bounds[:, end], seen[end]) for end in (0, 1))
    if asked.other is None:
        outside = (asked.margin < bounds[:, 0]) | (asked.margin > bounds[:, 1])
        if outside.any():
            low, high = bounds[outside][0]
            rule = f"asks for {asked.margin:g}, but {metrics[int(outside.argmax())]} lies between {low:g} and {high:g}"
            raise refused("requirements", f"{rule}; give a number there, not {text!r}", text)
        shares_of_100 = (0.0 < asked.margin <= 1.0) & (seen.highest > _TENS) & (seen.highest <= _PER_CENTS)
        if asked.way > 0 and shares_of_100.any():
            index = int(shares_of_100.argmax())
            rule = f"asks for {asked.margin:g}, and scores of {metrics[index]} go up to {seen.highest[index]:g}"
            meant = f"{asked.better} {asked.sign} {100 * asked.margin:g}"
            raise refused("requirements", f"{rule}; for per cents write {meant!r}, not {text!r}", text)
        return asked
    unit = 0.01 if (lowest >= 0.0).all() and (highest <= 1.0).all() else 1.0
    whole = finite.all(axis=1) & (asked.margin >= highest - lowest)
    if whole.any() and not asked.points:
        index = int(whole.argmax())
        rule = f"asks for all that there is of {metrics[index]}, from {lowest[index]:g} to {highest[index]:g}"
        meant = f"{asked.better} {asked.sign} {asked.other} + {asked.margin:g} points"
        raise refused("requirements", f"{rule}; for points write {meant!r}, not {text!r}", text)
    if asked.points:
        return asked._replace(margin=asked.margin * unit)
    wide = -asked.margin > _WIDE * (highest - lowest) * (1.0 + 1e-9)
    if wide.any() and asked.margin < 0.0:
        index = int(wide.argmax())
        size, start = -asked.margin, f"{asked.better} {asked.sign} {asked.other} - "
        rule = (
            f"allows {size:g} of a range of {highest[index] - lowest[index]:g} ({metrics[index]}); if that is meant "
            f"write {f'{start}{size / unit:g} points'!r}, else less, such as {f'{start}{size / 100.0:g}'!r}, not "
            f"{text!r}"
        )
        raise refused("requirements", rule, text)
    return asked


def _judged(
    table: Scores, asked: _ParsedRequirement, metrics: Sequence[str], seen: Seen, alpha: float
) -> dict[str, NDArray[Any]]:
    """Return the figures and states of one requirement, each (metric,)."""
    names, units = table["system"].to_numpy().tolist(), units_of(table)
    first, second = np.array([names.index(asked.better)]), None
    if asked.other is None:
        of_items = mean_estimates(table.to_numpy()[:, first], units)
    else:
        second = np.array([names.index(asked.other)])
        of_items = difference_estimates(oriented_values(table), units, first, second)
    estimates = with_runs(of_items, table, first, second)
    (low_of_items, high_of_items), (low, high) = (
        ends_of_means(
            estimated.mean,
            estimated.error,
            estimated.n_units,
            estimated.freedom,
            seen=seen,
            metrics=metrics,
            confidence_level=1.0 - 2.0 * alpha,
            apart=asked.other is not None,
        )
        for estimated in (of_items, estimates)
    )
    varies = of_items.error > 0.0  # else runs alone say something
    low = np.where(varies, np.fmin(low_of_items, low), low)
    high = np.where(varies, np.fmax(high_of_items, high), high)
    low, high, exact = _as_exact(table, asked, seen, (low, high, estimates.n_topics), alpha)
    if asked.other is not None:
        low, high = _ends_of_equals(estimates, low, high, (seen.highest - seen.lowest)[:, None], alpha)
    shares = np.broadcast_to(seen.shares[:, None] & (asked.other is None), low.shape)
    n_apart, n_meeting = _units_by_side(table, units, asked)
    evidence = _Evidence(estimates, asked, low, high, shares, n_apart, alpha)
    met, against = evidence.met(), evidence.contradicted()
    needed = evidence.units_needed(_family(table, units) if asked.other else None, table.sizes["system"])
    runs = Runs.of(table, first, second)
    still = (estimates.n_units > 1) & ~met & ~against & np.isfinite(needed)
    still &= runs is None or ~(runs.variance > 0.0)  # which more items do not take away
    nothing = estimates.n_topics == 0
    few = ~nothing & ~evidence.told()
    ends = {name: np.where(evidence.by_signs, np.nan, end) for name, end in (("low", low), ("high", high))}
    by_items = np.where(varies, evidence._replace(estimates=of_items).p_value(), 0.0)
    p_of_t = np.maximum(evidence.p_value(), by_items)
    p_value = np.where(shares & ~np.isnan(exact), exact, np.fmax(p_of_t, exact))
    figures = {"estimate": estimates.mean, **ends, "p_value": p_value}
    return {
        "margin": np.full(len(metrics), asked.margin),
        **{name: np.where(nothing, np.nan, values)[:, 0] for name, values in figures.items()},
        "n_common": estimates.n_topics[:, 0].astype(np.int64),
        "state": np.select([nothing, met, against], [NOTHING, MET, VIOLATED], OPEN)[:, 0],
        "items_needed": np.where(still & (not units.clustered), needed, np.nan)[:, 0],
        "clusters_needed": np.where(still & units.clustered, needed, np.nan)[:, 0],
        "detectable": np.where(met | against | few, np.nan, _possible(evidence.detectable(), asked, seen, metrics))[
            :, 0
        ],
        "test": np.where(np.isnan(exact), "t", _exact_name(asked))[:, 0],
        "n_too_few": np.where(few, n_apart, np.nan)[:, 0],
        "n_meeting": np.where(few, n_meeting, np.nan)[:, 0],
    }


def _possible(detectable: Floats, asked: _ParsedRequirement, seen: Seen, metrics: Sequence[str]) -> Floats:
    """Return how far a mean must be beyond the number; NaN where no mean that the scores allow is."""
    if asked.other is not None:
        return detectable
    bounds = np.where(seen.shares[:, None], [0.0, 1.0], seen.bounds(metrics))
    mean = asked.margin + asked.way * detectable
    return np.where((mean < bounds[:, :1]) | (mean > bounds[:, 1:]), np.nan, detectable)


def _exact_name(asked: _ParsedRequirement) -> str:
    """Return what decides where scores take two values."""
    return "exact binomial" if asked.other is None else "t and Tango" if asked.margin else "t and exact sign"


def _as_exact(
    table: Scores, asked: _ParsedRequirement, seen: Seen, of_t: tuple[Floats, Floats, Floats], alpha: float
) -> tuple[Floats, Floats, Floats]:
    """Return limits by which nothing is decided that an exact test leaves open, and its p-values, each (metric, 1).

    Those of a share beside a number are the exact ones. Where t decides about two systems and signs do not, a limit is
    that of the share of items won among those on which they differ; of answers of 0 and 1 beside a margin it is that of
    Tango where t's is narrower. The p-values are NaN without such a test.
    """
    low, high, n_common = of_t[0].copy(), of_t[1].copy(), of_t[2]
    p_values = np.full(low.shape, np.nan)
    if asked.other is None:
        values = table.sel(system=asked.better).to_numpy()
        counted = seen.shares & units_of(table).plain
        wins = [
            (int((row == 1.0).sum()), int((row == 0.0).sum())) if is_counted else None
            for row, is_counted in zip(values, counted, strict=True)
        ]
    else:
        wins = wins_of_one_size(table, asked.better, asked.other)
    for index, row in enumerate(wins):
        if row is None or not sum(row):
            continue
        if asked.other is not None and asked.margin:
            if seen.shares[index] and max(row) < (n := float(n_common[index, 0])):
                score = share_difference(*row, n, asked.margin, alpha=alpha)
                low[index], high[index] = np.minimum(low[index], score.low), np.maximum(high[index], score.high)
                p_values[index] = score.p_above
            continue
        share = exact_share(*row, 0.5 if asked.other else asked.margin, alpha=alpha)
        p_values[index] = share.p_above if asked.way > 0.0 else share.p_below
        if asked.other is None:
            low[index], high[index] = share.low, share.high
            continue
        lowest, highest = ((2.0 * end - 1.0) * sum(row) / n_common[index] for end in (share.low, share.high))
        low[index] = np.minimum(low[index], np.inf if is_significant(share.p_above, alpha) else lowest)
        high[index] = np.maximum(high[index], -np.inf if is_significant(share.p_below, alpha) else highest)
    return low, high, p_values


def _ends_of_equals(found: Estimates, low: Floats, high: Floats, room: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Give two systems that are equal on all items limits, where the metric has no known bounds: those of its scores.

    An item on which they differ comes with a chance of at most 1 - alpha^(1/n); they then differ by no more than all
    scores that were seen.
    """
    equal = (found.error == 0.0) & (found.mean == 0.0) & (found.n_units > 1) & np.isnan(low + high)
    reach = (1.0 - alpha ** (1.0 / np.maximum(found.n_units, 1.0))) * room
    return np.where(equal, -reach, low), np.where(equal, reach, high)


def _family(table: Scores, units: TopicUnits) -> Estimates:
    """Return the differences of all pairs of systems, or of as many as say how far these are apart."""
    sides = all_pairs(table.sizes["system"])
    every = max(1, len(sides[0]) // MOST_PAIRS)
    return difference_estimates(oriented_values(table), units, *(side[::every] for side in sides))


def _units_by_side(table: Scores, units: TopicUnits, asked: _ParsedRequirement) -> tuple[Floats, Floats]:
    """Return how many topics, or clusters, can tell, and how many of them meet the requirement: arrays (metric, 1).

    Of a difference, those can tell in which it is not the margin.
    """
    values = table if asked.other is None else oriented_values(table)
    of = {name: values[:, at] for at, name in enumerate(table["system"].to_numpy().tolist())}
    first, second = (np.asarray(of[name]) if name else np.zeros(1) for name in (asked.better, asked.other))
    near = RELATIVE * (np.abs(first) + np.abs(second) + abs(asked.margin))
    ahead = asked.way * (first - second - asked.margin)
    with np.errstate(invalid="ignore"):
        telling = units.flags(np.abs(ahead) > near if asked.other else ~np.isnan(ahead))
    slack = units.sums(near) * (-1.0 if "=" in asked.sign else 1.0)
    meeting = telling & (np.nan_to_num(units.sums(ahead)) > slack)
    return telling.sum(axis=1, keepdims=True, dtype=float), meeting.sum(axis=1, keepdims=True, dtype=float)


class _Evidence(NamedTuple):
    """What topics say of a requirement: arrays (metric, 1)."""

    estimates: Estimates
    asked: _ParsedRequirement
    low: Floats
    high: Floats
    shares: Flags
    """Whether it is about a share: the mean of answers of 0 and 1, beside a number."""
    n_apart: Floats
    alpha: float

    @property
    def alike(self) -> Flags:
        """Whether nothing varies."""
        return self.estimates.error == 0.0

    @property
    def by_signs(self) -> Flags:
        """Whether a difference that is the same everywhere, and not 0, is left to its signs."""
        return (
            self.alike & (self.estimates.mean != 0.0) & (self.asked.other is not None) & np.isnan(self.low + self.high)
        )

    @property
    def ahead(self) -> Floats:
        """By how much the mean is beyond the number."""
        return self.asked.way * (self.estimates.mean - self.asked.margin)

    def met(self) -> Flags:
        """Say where the requirement is established."""
        near = self.low if self.asked.way > 0.0 else -self.high
        limit = self.asked.way * self.asked.margin
        return self.told() & np.where(
            self.by_signs, self.ahead > 0.0, near > limit if self.asked.sign in {"<", ">"} else near >= limit
        )

    def contradicted(self) -> Flags:
        """Say where its contrary is established."""
        far = self.high if self.asked.way > 0.0 else -self.low
        return self.told() & np.where(self.by_signs, self.ahead < 0.0, far < self.asked.way * self.asked.margin)

    def told(self) -> Flags:
        """Say where an exact test of signs could reach the level; shares, and what has bounds, have exact limits."""
        reached = is_significant(signs_tail(self.n_apart, two_sided=False).p, self.alpha)
        return (self.estimates.n_units > 1) & (reached | self.shares | (self.alike & ~self.by_signs))

    def p_value(self) -> Floats:
        """Return the p-value of the contrary, of the test whose limits are shown."""
        found = self.estimates
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(
                self.ahead == 0.0, 0.0, self.ahead / np.where(self._scored(), self._error_at_number(), found.error)
            )
            p = np.where(t == -np.inf, 1.0, student_tail(found.certain_freedom, -t, found.n_units).p)
        exact = np.where(self.ahead > 0.0, self._chance_of_alike() ** found.n_units, 1.0)
        p = np.where(self.alike & ~self.by_signs, exact, p)
        return np.where(found.n_units > 1, np.nan_to_num(p, nan=1.0), 1.0)

    def detectable(self) -> Floats:
        """Return how far the mean must be beyond what is required for these units to tell with a chance of .8."""
        estimates = self.estimates
        shift = detectable_shift(estimates.freedom, alpha=min(2.0 * self.alpha, _LARGEST_LEVEL), power=_POWER)
        return np.where((estimates.error > 0.0) & (estimates.n_units > 1), shift * estimates.error, np.nan)

    def _scored(self) -> Flags:
        """Say where a share has the limits of Wilson, which hold its error at the number."""
        half = t_half_width(self.estimates.error, self.estimates.freedom + 1.0, 1.0 - 2.0 * self.alpha)
        within = 0.0 < self.asked.margin < 1.0
        return self.shares & ~self.alike & within & (np.abs(self.estimates.mean - 0.5) + half > 0.5)  # noqa: PLR2004 - the middle of shares

    def _error_at_number(self) -> Floats:
        share, number = self.estimates.mean, self.asked.margin
        return self.estimates.error * np.sqrt(
            number * (1.0 - number) / (share * (1.0 - share) + self.estimates.error**2)
        )

    def _chance_of_alike(self) -> Floats:
        """Return how likely a unit would be like all others if the mean were the number: see `ends_of_means`."""
        found, near = self.estimates, self.low if self.asked.way > 0.0 else self.high
        with np.errstate(divide="ignore", invalid="ignore"):
            other = 1.0 - self.alpha ** (1.0 / found.n_units)
            return np.clip(1.0 - other * (found.mean - self.asked.margin) / (found.mean - near), 0.0, 1.0)

    def units_needed(self, family: Estimates | None, n_systems: int) -> Floats:
        """Return how many items, or clusters, would tell, either way, with a chance of .8; infinite or NaN if none.

        What is likely is the difference as seen, or drawn towards 0 as those of the family ask, whichever takes more:
        beside a margin 0 may be the easier of the two.
        """
        found = self.estimates
        with np.errstate(divide="ignore", invalid="ignore"):
            wider = np.where(self._scored(), self._error_at_number() / found.error, 1.0)
            alike = np.log(self.alpha) / np.log(self._chance_of_alike())
        needed = np.full(found.mean.shape, np.nan)
        for metric, factor in enumerate(wider):
            seen = SeenDifferences.of(found, metric)
            likely = [LikelyEffects.alone(seen)]
            if family is not None:
                likely.append(likely_effects(seen, SeenDifferences.of(family, metric), n_systems=n_systems))
            share = seen.worth / np.maximum(found.n_units[metric], 1.0)
            asked = {"power": _POWER, "share": share, "level": 2.0 * self.alpha, "wider": factor}
            plans = [effects.ahead_of(self.asked.margin).units_needed(**asked) for effects in likely]
            needed[metric] = np.maximum.reduce(plans)
        needed = np.where(self.alike, np.where(self.ahead > 0.0, alike, np.nan), needed)
        fewest = np.where(self.shares | self.alike, 0.0, np.ceil(-np.log2(self.alpha)))
        return np.ceil(np.maximum(needed, fewest))


def sides_of(text: str) -> tuple[str, str, str]:
    """Return what stands at the left of the sign, the sign, and what stands at its right."""
    parts = _SIGN.split(str(text).strip(), maxsplit=1)
    better, sign, right = (side.strip() for side in parts) if len(parts) > 1 else ("", "", "")
    if not sign or (sign[0] in "<≤" and not _NUMBER.fullmatch(right)):
        raise _refused(text)
    return better, {"≥": ">=", "≤": "<="}.get(sign, sign), right


def _refused(text: str) -> Exception:
    meant = _written_out(text)
    loose = _LOOSE.fullmatch(str(text).strip())
    first = "" if loose is None else loose["better"].strip()
    better, sign, right = meant.partition(" > ") if " > " in meant else meant.partition(" >= ")
    if (
        right.startswith(first) and first and better != first and not _LOOSE_NUMBER.fullmatch(first)
    ):  # turned about: which way is meant the metric says
        falling = f"{first}{sign}{better}{right[len(first) :]}"
        rule = (
            f"says which system is at least as good, so where more is better write {meant!r}, where less is {falling!r}"
        )
        return refused("requirements", f"{rule}, not {text!r}", text)
    rule = "compares two systems, or one and a number, by >= or > with blanks around it, such as"
    return refused("requirements", f"{rule} {meant!r}, not {text!r}", text)


def systems_of(text: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the systems that a requirement is about.

    Examples
    --------
    >>> systems_of("new >= old - 0.005", ["old", "new"]), systems_of("new >= 0.7", ["old", "new"])
    (('new', 'old'), ('new',))
    """
    asked = _parsed(text, names)
    return (asked.better,) if asked.other is None else (asked.better, asked.other)


def _written_out(text: str) -> str:
    """Return the requirement that a text without a sign between blanks may mean, the better system first."""
    match = _LOOSE.fullmatch(str(text).strip())
    if match is None:
        return _EXAMPLE
    better, sign, worse = (side.strip() for side in match.groups())
    turned = sign[0] in "<≤" or sign[-1] in "<≤"
    strict = sign in {"<", ">"}
    if _LOOSE_NUMBER.fullmatch(worse):
        return f"{better} {('<' if turned else '>') + '=' * (not strict)} {worse.replace(',', '.')}"
    if _LOOSE_NUMBER.fullmatch(better):
        return f"{worse} {('>' if turned else '<') + '=' * (not strict)} {better.replace(',', '.')}"
    margin = _LOOSE_MARGIN.fullmatch(worse)
    if margin and (
        margin["size"].lstrip("0")[:1] in {".", ","} or _SPACED.search(worse)
    ):  # and not the version of gpt-4
        size = margin["size"].replace(",", ".")
        worse, way = margin["name"], "-+"[(margin["sign"] == "+") != turned]
        left = f" {way} {size}"
    else:
        left = ""
    if turned:
        better, worse = worse, better
    return f"{better} {'>' if strict else '>='} {worse}{left}"


def _parsed(text: str, names: Sequence[str]) -> _ParsedRequirement:
    """Read a requirement."""
    better, sign, right = sides_of(text)
    if right not in names:
        right = right.replace("\N{MINUS SIGN}", "-")
    _refuse_differences(better, sign, right, names, text)
    if better not in names and right in names and _LOOSE_NUMBER.fullmatch(better):
        raise _refused(text)
    if right not in names and _NUMBER.fullmatch(right):
        if better not in names:
            raise UnknownNameError("system", better, names)
        return _ParsedRequirement(better, None, float(right), sign)
    margin, points = 0.0, False
    if right not in names and (match := _MARGIN.fullmatch(right)):
        right, margin, points = match["name"], float(f"{match['sign']}{match['size']}"), bool(match["points"])
    _refuse_per_cents(better, sign, right, names, text)
    loose = _LOOSE_MARGIN.fullmatch(right)
    if right not in names and loose and loose["name"] in names:
        meant = f"{better} {sign} {loose['name']} {loose['sign']} {loose['size'].replace(',', '.')}"
        rule = f"takes a margin with a point and blanks around its sign, such as {meant!r}, not {text!r}"
        raise refused("requirements", rule, text)
    for name in (better, right):
        if name not in names:
            raise UnknownNameError("system", name, names)
    if better == right:
        raise refused("requirements", f"compares two systems, and {better!r} is on both sides; name another", text)
    return _ParsedRequirement(better, right, margin, sign, points)


def _refuse_differences(better: str, sign: str, right: str, names: Sequence[str], text: str) -> None:
    """Refuse a difference at the left of the sign, and write the margin where it belongs."""
    if better in names or not _NUMBER.fullmatch(right):
        return
    ways = (better.replace("\N{MINUS SIGN}", "-").split(" - ", at) for at in range(1, better.count(" ") + 1))
    sides = next((way for way in ways if len(way) > 1 and way[0].strip() in names and way[1].strip() in names), None)
    if sides is not None:
        margin = float(right)
        size = f" {'-' if margin < 0 else '+'} {abs(margin):g}" if margin else ""
        meant = f"{sides[0].strip()} {sign} {sides[1].strip()}{size}"
        raise refused("requirements", f"has one system at each side of the sign, such as {meant!r}, not {text!r}", text)


def _refuse_per_cents(better: str, sign: str, right: str, names: Sequence[str], text: str) -> None:
    """Refuse a margin or a number with the sign of per cents, of which nobody can say what they are of."""
    size = right.removesuffix("%").rstrip()
    if right in names or size == right:
        return
    margin = _LOOSE_MARGIN.fullmatch(size)
    if margin and margin["name"] in names:
        meant = f"{better} {sign} {margin['name']} {margin['sign']} {margin['size'].replace(',', '.')} points"
        rule = f"takes a margin in the unit of the scores or in points, such as {meant!r}, and none in %: not {text!r}"
        raise refused("requirements", rule, text)
    if better in names and _LOOSE_NUMBER.fullmatch(size):
        meant = f"{better} {sign} {float(size.replace(',', '.')) / 100:g}"
        rule = f"takes a number in the unit of the scores, for shares of 1 {meant!r}, and none in %: not {text!r}"
        raise refused("requirements", rule, text)
