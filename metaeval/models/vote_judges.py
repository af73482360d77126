"""Do two sets of votes, of people or of judges, agree? Ties, position bias, and agreement beyond chance."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit

from metaeval.agreement.drawn_intervals import ends_of, left_out_spread, reach
from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_share
from metaeval.errors import EstimationError, ScoresError
from metaeval.models.vote_strengths import bradley_terry
from metaeval.running.parallel import in_one_order
from metaeval.table.vote_covariates import POSITION
from metaeval.table.vote_set import Votes
from metaeval.table.votes import as_votes

TIE = "tie"
"""The label of a vote without a winner."""
_HALF, _CHANCE = 0.5, 0.5
_MOST_CELLS = 50_000_000


@in_one_order
def vote_habits(votes: object, *, alpha: float = 0.05) -> pd.DataFrame:
    """Describe how somebody votes: ties, and the left system's advantage.

    Parameters
    ----------
    votes : Votes, or anything `metaeval.table.votes.as_votes` takes
    alpha : float, default 0.05
        One less the level of the interval.

    Returns
    -------
    pandas.DataFrame
        One row: n_votes, n_questions, ties (share of votes), left (expected share of the votes for the left of two
        equal systems, by Bradley and Terry's model with the position as covariate) with low, high and p_value; n_both
        (questions and pairs voted on in both orders) and same (share of them with the same winner, or a tie, in both).

    Examples
    --------
    >>> rows = [("a", "b", "left"), ("b", "a", "left"), ("a", "b", "right"), ("b", "a", "right"), ("a", "b", "left")]
    >>> votes = pd.DataFrame(rows, columns=["left", "right", "winner"]).assign(question="q")
    >>> vote_habits(votes)[["ties", "left", "n_both", "same"]].round(3).to_numpy().tolist()
    [[0.0, 0.586, 1.0, 0.0]]
    """
    check_share(alpha, "alpha")
    checked = as_votes(votes)
    weight = checked.weight
    row: dict[str, float] = {"n_votes": checked.n_votes, "n_questions": checked.n_units("question")}
    row["ties"] = float(weight @ (checked.share == _HALF) / weight.sum())
    row |= _lean(checked, alpha)
    first = np.minimum(checked.left, checked.right)
    for_first = np.where(checked.left < checked.right, checked.share, 1 - checked.share)
    turned = checked.left > checked.right
    sides = [pd.Series(for_first[side]).groupby(_cells(checked, first)[side]).mean() for side in (~turned, turned)]
    paired = pd.concat(sides, axis=1, join="inner").to_numpy()
    same = np.sign(paired[:, 0] - _HALF) == np.sign(paired[:, 1] - _HALF)
    comparable = "question" in checked.units and checked.placed
    return pd.DataFrame(
        [row | {"n_both": len(paired) * comparable, "same": same.mean() if comparable and len(paired) else np.nan}]
    )


def _lean(votes: Votes, alpha: float) -> dict[str, float]:
    """Return the left system's advantage, NaN where it cannot be estimated."""
    try:
        if votes.placed:
            placed = replace(votes, covariates={POSITION: np.ones(len(votes.share))})
            coefficient = bradley_terry(placed, alpha=alpha).coefficients.iloc[0]
            shares = {
                "left": expit(coefficient["estimate"]),
                "low": expit(coefficient["low"]),
                "high": expit(coefficient["high"]),
            }
            return shares | {"p_value": coefficient["p_value"]}
    except (EstimationError, ScoresError):
        pass
    return dict.fromkeys(("left", "low", "high", "p_value"), np.nan)


def _cells(votes: Votes, first: Ints) -> Ints:
    """Return the number of every vote's question and pair of systems."""
    n = len(votes.systems)
    question = votes.units.get("question", np.zeros(len(first), dtype=np.int64))
    return np.asarray((question * n + first) * n + np.maximum(votes.left, votes.right))


def vote_verdicts(votes: object) -> pd.DataFrame:
    """Return what was said of every question and pair of systems: by all votes together, and voter by voter.

    Parameters
    ----------
    votes : Votes, or anything `metaeval.table.votes.as_votes` takes
        With questions.

    Returns
    -------
    pandas.DataFrame
        Index question, first and second (systems in the order of their names); a column ``all`` with the system that
        most votes prefer, or "tie", and where there are several voters a column each, NaN where one did not vote.

    Raises
    ------
    ScoresError
        If votes name no question.

    Examples
    --------
    >>> rows = [("b", "a", "left", "q1", "ann"), ("a", "b", "tie", "q1", "ben"), ("a", "c", "right", "q2", "ann")]
    >>> votes = pd.DataFrame(rows, columns=["left", "right", "winner", "question", "voter"])
    >>> vote_verdicts(votes).fillna("").to_numpy().tolist()
    [['b', 'b', 'tie'], ['c', 'c', '']]
    """
    checked = as_votes(votes)
    if "question" not in checked.units:
        raise ScoresError("votes name no question, so those of two judges cannot be compared on the same pairs")
    names, questions = np.array(checked.systems, dtype=object), np.array(checked.names["question"], dtype=object)
    order = np.argsort(np.argsort(checked.systems))
    turned = order[checked.left] > order[checked.right]
    first = np.where(turned, checked.right, checked.left)
    second = np.where(turned, checked.left, checked.right)
    share = np.where(turned, 1.0 - checked.share, checked.share)
    frame = pd.DataFrame(
        {
            "question": questions[checked.units["question"]],
            "first": names[first],
            "second": names[second],
            "weighted": share * checked.weight,
            "weight": checked.weight,
        }
    )
    keys = ["question", "first", "second"]
    verdicts = {"all": _majority(frame.groupby(keys, sort=False)[["weighted", "weight"]].sum())}
    voters = checked.names.get("voter", ())
    if 1 < len(voters) <= _MOST_CELLS // max(len(verdicts["all"]), 1):
        frame["voter"] = np.array(voters, dtype=object)[checked.units["voter"]]
        by_voter = frame[frame["voter"] != ""].groupby(["voter", *keys], sort=False)[["weighted", "weight"]].sum()
        voter_verdicts = _majority(by_voter).unstack("voter")  # noqa: PD010 - gaps stay gaps
        verdicts |= {str(name): voter_verdicts[name] for name in voter_verdicts.columns}
    return pd.DataFrame(verdicts)


def _majority(sums: pd.DataFrame) -> pd.Series:
    share = (sums["weighted"] / sums["weight"]).to_numpy()
    first, second = (sums.index.get_level_values(side).to_numpy(dtype=object) for side in ("first", "second"))
    return pd.Series(np.select([share > _HALF, share < _HALF], [first, second], default=TIE), index=sums.index)


@in_one_order
def vote_agreement(verdicts: Mapping[str, pd.Series], *, alpha: float = 0.05) -> pd.DataFrame:
    r"""Measure on how many questions and pairs of systems two judges say the same, beyond chance.

    Parameters
    ----------
    verdicts : mapping of str to Series
        By the name of the judge, the column ``all`` or that of a voter, as `vote_verdicts` returns them.
    alpha : float, default 0.05
        One less the level of the intervals.

    Returns
    -------
    pandas.DataFrame
        One row an unordered pair of judges: first, second, n (questions and pairs of systems with votes of both),
        n_questions, same (share with the same verdict) with same_low and same_high, kappa with low and high,
        ties_first and ties_second (share of ties), n_decided (no tie by either), same_decided and kappa_decided; NaN
        where there are none.

    Notes
    -----
    Who of two systems is named first is arbitrary, so chance is that of judges who only keep their shares of ties:
    :math:`p_e = t_1 t_2 + (1 - t_1)(1 - t_2) / 2`, and :math:`\kappa = (p_o - p_e) / (1 - p_e)`; without ties
    :math:`p_e = 1/2`. Intervals are by the jackknife over questions with Student's t; where questions do not differ,
    as in `metaeval.agreement.label_agreement.compare_labels`.

    Examples
    --------
    >>> index = pd.MultiIndex.from_product([["q1", "q2", "q3"], ["a"], ["b"]], names=["question", "first", "second"])
    >>> people, judge = (pd.Series(said, index) for said in (["a", "b", "tie"], ["a", "a", "tie"]))
    >>> found = vote_agreement({"people": people, "judge": judge})
    >>> found[["n", "same", "kappa", "same_decided"]].round(3).to_numpy().tolist()
    [[3.0, 0.667, 0.5, 0.5]]
    """
    check_share(alpha, "alpha")
    rows = []
    names = list(verdicts)
    for index, first in enumerate(names):
        for second in names[index + 1 :]:
            common = pd.concat([verdicts[first], verdicts[second]], axis=1, join="inner").dropna()
            rows.append((first, second, *_agreed(common.iloc[:, 0], common.iloc[:, 1], alpha)))
    columns = ["n", "n_questions", "same", "same_low", "same_high", "kappa", "low", "high", "ties_first", "ties_second"]
    return pd.DataFrame(rows, columns=["first", "second", *columns, "n_decided", "same_decided", "kappa_decided"])


class _Counts(NamedTuple):
    same: Floats
    ties_first: Floats
    ties_second: Floats
    n: Floats

    def kappa(self) -> Floats:
        first_ties, second_ties = self.ties_first / self.n, self.ties_second / self.n
        chance = first_ties * second_ties + (1 - first_ties) * (1 - second_ties) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(chance < 1, (self.same / self.n - chance) / (1 - chance), np.nan)


def _agreed(one: pd.Series, other: pd.Series, alpha: float) -> tuple[float, ...]:
    n = len(one)
    if not n:
        return (0, 0, *[np.nan] * 8, 0, np.nan, np.nan)
    a, b = one.to_numpy(), other.to_numpy()
    codes, questions = pd.factorize(one.index.get_level_values("question"))
    parts = [np.bincount(codes, counts) for counts in (a == b, a == TIE, b == TIE, np.ones(n))]
    total = _Counts(*(np.array([counts.sum()]) for counts in parts))
    kappa = float(total.kappa()[0])
    g = len(questions)
    without = _Counts(*(counts.sum() - counts for counts in parts))
    values, units = np.array([kappa, (a == b).mean()]), np.full(2, g)
    with np.errstate(invalid="ignore"):  # a single question leaves nothing
        spreads = np.array([left_out_spread(left, np.ones(g)) for left in (without.kappa(), without.same / without.n)])
    half = reach(units, 1 - alpha) * spreads
    lows, highs = ends_of(values, half, units, np.array([-1.0, 0.0]), np.ones(2), 1 - alpha)
    decided = (a != TIE) & (b != TIE)
    same = float((a == b)[decided].mean()) if decided.any() else np.nan
    ties = (float((a == TIE).mean()), float((b == TIE).mean()))
    figures = (float((a == b).mean()), lows[1], highs[1], kappa, lows[0], highs[0], *ties)
    return (n, g, *figures, int(decided.sum()), same, (same - _CHANCE) / (1 - _CHANCE))


def voters_agreement(verdicts: pd.DataFrame) -> tuple[int, float]:
    """Return on how many questions and pairs of systems two voters or more voted, and how often two of them agree.

    Parameters
    ----------
    verdicts : DataFrame
        As `vote_verdicts` returns them.

    Examples
    --------
    >>> rows = [("a", "b", side, "q", voter) for side, voter in (("left", "x"), ("left", "y"), ("tie", "z"))]
    >>> votes = pd.DataFrame(rows, columns=["left", "right", "winner", "question", "voter"])
    >>> voters_agreement(vote_verdicts(votes))
    (1, 0.3333333333333333)
    """
    numbers = _voters_by_verdict(verdicts)
    total = numbers.sum(axis=0)
    pairs = float((total * (total - 1)).sum())
    same = float((numbers * (numbers - 1)).sum())
    return int((total > 1).sum()), same / pairs if pairs else np.nan


def agreement_with_voters(verdicts: pd.DataFrame, other: pd.DataFrame) -> float:
    """Return how often a voter of one judge and one of another say the same where both voted.

    It is to be compared with `voters_agreement`, as the agreement with a majority is not.

    Parameters
    ----------
    verdicts, other : DataFrame
        As `vote_verdicts` returns them; who names no voters votes as one.

    Examples
    --------
    >>> index = pd.MultiIndex.from_tuples([("q", "a", "b")], names=["question", "first", "second"])
    >>> people = pd.DataFrame({"all": ["a"], "x": ["a"], "y": ["a"], "z": ["tie"]}, index)
    >>> agreement_with_voters(people, pd.DataFrame({"all": ["a"]}, index))
    0.6666666666666666
    """
    common = verdicts.index.intersection(other.index)
    numbers, others = _voters_by_verdict(verdicts.loc[common]), _voters_by_verdict(other.loc[common])
    pairs = float((numbers.sum(axis=0) * others.sum(axis=0)).sum())
    return float((numbers * others).sum()) / pairs if pairs else np.nan


def _voters_by_verdict(verdicts: pd.DataFrame) -> Ints:
    """Return how many voters prefer the first system, the second, and neither, shape (3, question and pair)."""
    labels = verdicts.drop(columns="all") if verdicts.shape[1] > 1 else verdicts
    sides = (verdicts.index.get_level_values(side).to_numpy(dtype=object)[:, None] for side in ("first", "second"))
    return np.stack([(labels.to_numpy(dtype=object) == label).sum(axis=1) for label in (*sides, TIE)])
