"""Rows of group bias: figures of every group and judge with their intervals and p-values."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from metaeval.agreement.judge_bias_questions import BiasQuestion, Options
from metaeval.agreement.judge_bias_statistics import (
    LEAST_RELIABILITY,
    Bias,
    Certainty,
    bend,
    certainty_over_both,
    certainty_over_topics,
    combined,
    of_covariate,
    of_group,
    without_figures,
)
from metaeval.base.arrays import Flags, Floats
from metaeval.base.words import NAMED, listed
from metaeval.tests_stat.correction import adjust
from metaeval.tests_stat.result import is_significant

LEAST_OTHERS = 5
"""Systems that a slope, and the noise about it, are estimated from."""

BENT = 0.05
"""From such a p on a judge's scale is called bent."""

_LEAST_TOPICS = 3  # products across topics need two, and a jackknife leaves one out
_OWN_SPREAD = 5  # systems from which the spread inside a group can be told from the one outside


class BiasRow(NamedTuple):
    """One group, or a covariate: estimates plain and adjusted, and who is in it."""

    name: str
    plain: Bias
    line: Bias
    members: tuple[str, ...]
    n_others: int
    pooled: bool
    """Whether one spread of systems serves inside and outside."""
    notes: tuple[tuple[str, str], ...]
    """What is to be said of it: the verb, "has" or "scores", and the rest of the sentence."""
    bend_p: Floats
    """How probable so bent a scale is over the others where it is a line. Shape (judge,)."""
    unadjusted: tuple[tuple[str, str], ...] = ()
    """Of `notes`, why there is no adjusted figure; nothing where there is one."""


def compare_group(asked: BiasQuestion, name: str, inside: Flags, outside: Flags) -> BiasRow:
    """Estimate the bias of the judges towards the systems inside over those outside."""
    n_inside, n_outside = int(inside.sum()), int(outside.sum())
    plain, line = (of_group(asked.judges, asked.known, inside, outside, adjusted=flag) for flag in (False, True))
    line, notes = _told(line, asked, n_outside)
    unadjusted = tuple(notes)
    pooled = min(n_inside, n_outside) < _OWN_SPREAD
    if pooled:
        note = (
            f"{n_inside} systems and {n_outside} others: with fewer than {_OWN_SPREAD}, the judges are assumed to "
            "vary as much between systems inside as outside; if they vary more inside, intervals over both are too "
            "narrow"
        )
        notes.append(("has", note))
    means = asked.known.mean(axis=1)
    lead, others = means[inside].mean(), means[outside]
    if np.isfinite(line.value).any() and not others.min() <= lead <= others.max():
        notes.append(("scores", "outside the range of the others: the judges' slopes are extrapolated"))
    bend_p, bend_notes = _bent(line, asked, outside)
    notes += bend_notes
    members = tuple(system for system, flag in zip(asked.systems, inside.tolist(), strict=True) if flag)
    return BiasRow(name, plain, line, members, n_outside, pooled, tuple(notes), bend_p, unadjusted)


def compare_covariate(asked: BiasQuestion, name: str, values: Floats) -> BiasRow:
    """Estimate the bias of the judges towards more of a covariate, per unit."""
    plain, line = (of_covariate(asked.judges, asked.known, values, adjusted=adjusted) for adjusted in (False, True))
    line, notes = _told(line, asked, len(values))
    bend_p = np.full(len(asked.names), np.nan)
    told = tuple(notes)
    return BiasRow(name, plain, line, asked.systems, 0, pooled=True, notes=told, bend_p=bend_p, unadjusted=told)


def favour_table(
    compared: Sequence[BiasRow], asked: BiasQuestion, built_with: Mapping[str, set[str]], options: Options
) -> pd.DataFrame:
    """Return one row a group and judge: the table of `metaeval.agreement.judge_bias.FavouredGroups`."""
    adjusted, over, correction, confidence_level = options
    is_person = np.array([name in asked.people for name in asked.names])
    parts = []
    for comparison in compared:
        columns: dict[str, object] = {
            "group": comparison.name,
            "judge": asked.names,
            "kind": np.where(is_person, "person", "judge"),
            "circular": [
                bool(built_with.get(name, set()) & {comparison.name, *comparison.members}) for name in asked.names
            ],
            "n_systems": len(comparison.members),
            "n_others": comparison.n_others,
        }
        p_values = {}
        for title, bias, before in (("figure", comparison.plain, ""), ("adjusted", comparison.line, "adjusted_")):
            columns[title] = bias.value
            for scope, sure in _both_ways(bias, confidence_level, pooled=comparison.pooled).items():
                columns[f"{before}low_{scope}"], columns[f"{before}high_{scope}"] = sure.low, sure.high
                p_values[title, scope] = sure.p
        columns["slope"] = comparison.line.slope
        columns["bend_p"] = comparison.bend_p
        columns["p"] = p_values["adjusted" if adjusted else "figure", over]
        columns |= _beyond(
            comparison.line if adjusted else comparison.plain, is_person, confidence_level, pooled=comparison.pooled
        )
        parts.append(pd.DataFrame(columns))
    table = pd.concat(parts, ignore_index=True)
    table.insert(list(table.columns).index("p") + 1, "p_corrected", np.nan)
    for _, family in table[table["p"].notna()].groupby("kind"):
        table.loc[family.index, "p_corrected"] = adjust(family["p"].to_numpy(), correction)
    return table


def notes_on(compared: Sequence[BiasRow], what: str) -> Iterator[str]:
    """Yield what is to be said of groups, or covariates, once for all of which the same holds.

    Examples
    --------
    >>> said = (("has", "2 systems"),)
    >>> rows = [BiasRow(name, None, None, (), n_others=6, pooled=True, notes=said, bend_p=None) for name in ("a", "b")]
    >>> list(notes_on(rows, "group")), list(notes_on(rows[:1], "group"))
    (["groups 'a' and 'b' have 2 systems"], ["group 'a' has 2 systems"])
    """
    for verb, statement in dict.fromkeys(note for comparison in compared for note in comparison.notes):
        names = [repr(comparison.name) for comparison in compared if (verb, statement) in comparison.notes]
        plural = {"has": "have"}.get(verb, verb.removesuffix("s"))
        yield (
            f"{what} {names[0]} {verb} {statement}"
            if len(names) == 1
            else f"{what}s {listed(names)} {plural} {statement}"
        )


def _told(line: Bias, asked: BiasQuestion, n_others: int) -> tuple[Bias, list[tuple[str, str]]]:
    """Take the adjusted figure away where no slope can be told, and say why."""
    reason = ""
    if n_others < LEAST_OTHERS:
        reason = f"a slope takes {LEAST_OTHERS} other systems, and there are {n_others}"
    elif asked.n_topics < _LEAST_TOPICS:
        reason = f"a slope takes {_LEAST_TOPICS} topics, and there are {asked.n_topics}"
    elif line.reliability < LEAST_RELIABILITY:
        reason = (
            f"under {asked.reference!r} the means of the other systems differ by little more than chance of the topics "
            f"(reliability {max(line.reliability, 0.0):.2f}, {LEAST_RELIABILITY:g} at least), which is too little to "
            "tell a judge's slope"
        )
    missing = np.ones(len(asked.names), dtype=bool) if reason else asked.constant
    return without_figures(line, missing), [("has", f"no adjusted figure: {reason}")] if reason else []


def _bent(line: Bias, asked: BiasQuestion, outside: Flags) -> tuple[Floats, list[tuple[str, str]]]:
    """Test whether the judges' scales are bent over the others, where the line stands for them, and name those."""
    nothing = np.full(len(asked.names), np.nan)
    if outside.sum() < LEAST_OTHERS:
        return nothing, []
    curve, p = bend(asked.judges[:, outside], asked.known[outside])
    p = np.where(np.isfinite(line.value), p, np.nan)
    bends = [
        f"{asked.names[index]} {'saturates' if curve[index] < 0 else 'widens'} (p = {p[index]:.1g})"
        for index in np.flatnonzero(is_significant(p, BENT))
    ]
    if not bends:
        return p, []
    note = (
        f"others over whom the scale of a judge is bent: {listed(bends, most=NAMED)}; what a bend gives or takes looks "
        "like bias of a group that is better or worse than they"
    )
    return p, [("has", note)]


def _both_ways(bias: Bias, confidence_level: float, *, pooled: bool) -> dict[str, Certainty]:
    return {
        "topics": certainty_over_topics(bias, confidence_level),
        "both": certainty_over_both(bias, confidence_level, pooled=pooled),
    }


def _beyond(bias: Bias, is_person: Flags, confidence_level: float, *, pooled: bool) -> dict[str, object]:
    """Return what judges do beyond the mean of the people."""
    if not is_person.any() or np.isnan(bias.value[is_person]).any():
        return dict.fromkeys(("beyond_people", "beyond_low", "beyond_high"), np.nan)
    less = combined(bias, np.eye(len(is_person)) - is_person / is_person.sum())
    sure = certainty_over_both(less, confidence_level, pooled=pooled)
    values = {"beyond_people": less.value, "beyond_low": sure.low, "beyond_high": sure.high}
    return {name: np.where(is_person, np.nan, value) for name, value in values.items()}
