"""Do an arena, a judge and a metric settle the same pairs? All compared on the systems that they know in common."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from metaeval.agreement.rankings import kendall_tau
from metaeval.base.checks import check_kind, check_share
from metaeval.base.names import first_few
from metaeval.base.results import Result
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.models.vote_strengths import BradleyTerry
from metaeval.running.equality import difference
from metaeval.table.scores import Scores, as_scores, oriented_values
from metaeval.table.structure import settled_mean_over_topics
from metaeval.table.votes import Votes, as_votes
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE, adjust
from metaeval.tests_stat.pairs import all_pairs
from metaeval.tests_stat.result import is_significant

type Floats = NDArray[np.float64]

VOTES = "votes"
"""What votes are called where nobody names them."""
_FEWEST, _HALF = 2, 0.5


class _Voice(NamedTuple):
    name: str
    estimates: Floats  # (system,)
    verdicts: NDArray[np.int8]  # (pair,)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SettledPairs(Result):
    """Pairs of systems that votes and metrics settle, on the systems that all of them know."""

    voices: tuple[str, ...]
    """Names of the votes and of the metrics, votes first."""
    n_votes: int
    """How many of them are votes."""
    systems: tuple[str, ...]
    """Those that all know."""
    left_out: Mapping[str, tuple[str, ...]]
    """By "scores" and the names of votes, the systems that others do not know."""
    estimates: Floats
    """Strengths by votes and means by metrics, higher is better. Shape (voice, system)."""
    verdicts: NDArray[np.int8]
    """1 where the first system of a pair is significantly better, -1 where the second is, else 0. Shape (voice, pair),
    the pairs in the order of `metaeval.tests_stat.pairs.all_pairs`."""
    test: str
    """Of the scores."""
    correction: str
    alpha: float

    @property
    def n_pairs(self) -> int:
        """Number of pairs of systems."""
        return self.verdicts.shape[1]

    def _found(self) -> str:
        shared = int(((self.verdicts == self.verdicts[0]) & (self.verdicts[0] != 0)).all(axis=0).sum())
        return f"{shared} of {self.n_pairs} pairs of {len(self.systems)} systems are settled alike by all"

    def to_frame(self) -> pd.DataFrame:
        """Return one row an ordered pair of voices.

        The columns are predictor, truth, n_systems, n_pairs, n_predictor and n_truth (pairs that each settles),
        n_shared (in the same direction), n_conflicts (in opposite ones), precision (share of the predictor's pairs
        that the truth settles alike), recall, f1 (missing where either settles none), and Kendall's tau of strengths
        or means.
        """
        rows = []
        for p, predictor in enumerate(self.voices):
            for t, truth in enumerate(self.voices):
                if p == t:
                    continue
                own, other = self.verdicts[p], self.verdicts[t]
                n_own, n_other = int((own != 0).sum()), int((other != 0).sum())
                shared, against = int(((own != 0) & (own == other)).sum()), int((own * other < 0).sum())
                sizes_of = (n_own, n_other, (n_own + n_other) / 2 if n_own and n_other else 0)
                rates = [shared / n if n else np.nan for n in sizes_of]
                tau = float(kendall_tau(self.estimates[t], self.estimates[p], undefined="nan"))
                sizes = (len(self.systems), self.n_pairs, n_own, n_other, shared, against)
                rows.append((predictor, truth, *sizes, *rates, tau))
        names = ["predictor", "truth", "n_systems", "n_pairs", "n_predictor", "n_truth", "n_shared", "n_conflicts"]
        return pd.DataFrame(rows, columns=[*names, "precision", "recall", "f1", "tau"])

    def pairs(self) -> pd.DataFrame:
        """Return one row a pair: system_a, system_b, and for every voice the better system, "" where it is open."""
        first, second = all_pairs(len(self.systems))
        names = np.array(self.systems, dtype=object)
        found = {"system_a": names[first], "system_b": names[second]}
        for voice, own in zip(self.voices, self.verdicts, strict=True):
            found[voice] = np.select([own > 0, own < 0], [names[first], names[second]], default="")
        return pd.DataFrame(found)

    def matrix(self) -> pd.DataFrame:
        """Return the F1 of every two as a square table, 1 of each with itself."""
        wide = self.to_frame().pivot(index="predictor", columns="truth", values="f1")  # noqa: PD010 - keeps NaN
        square = wide.reindex(index=list(self.voices), columns=list(self.voices))
        return square.where(~np.eye(len(square), dtype=bool), 1.0)


def settled_pairs(
    votes: BradleyTerry | Mapping[str, BradleyTerry],
    scores: object = None,
    *,
    test: str = "t",
    correction: str = "fdr_by",
    alpha: float = 0.05,
) -> SettledPairs:
    """Compare the pairs of systems that votes settle with those that other votes, or metrics, settle.

    Parameters
    ----------
    votes : BradleyTerry, or mapping of str to BradleyTerry
        Strengths by one set of votes, or by several (an arena, people, a judge) by their names.
    scores : Scores or anything `metaeval.as_scores` takes, optional
        Scores by item of some of the same systems, under one metric or several.
    test : str, default "t"
        Of the scores.
    correction : str, default "fdr_by"
        Of all, over the pairs of systems that all know.
    alpha : float, default 0.05

    Returns
    -------
    SettledPairs

    Raises
    ------
    ScoresError
        If fewer than two systems are known to all.
    InvalidOptionError
        If two have one name, there is nothing to compare votes with, or an option is outside its rule.

    See Also
    --------
    metaeval.models.bradley_terry
    metaeval.agreement.decision_agreement : between metrics

    Examples
    --------
    >>> from metaeval.models import bradley_terry
    >>> from metaeval.simulate import simulate_votes
    >>> quality = np.arange(8)[:, None] / 8 + np.random.default_rng(1).normal(0, 0.1, (8, 40))
    >>> scores = as_scores(quality, systems=[f"system{number}" for number in range(1, 9)], metrics=["AP"])
    >>> found = settled_pairs(bradley_terry(simulate_votes(rng=1)), scores).to_frame()
    >>> found[["predictor", "truth", "n_predictor", "n_truth", "n_shared"]].head(1)
      predictor truth  n_predictor  n_truth  n_shared
    0     votes    AP            9       28         9
    """
    given = votes if isinstance(votes, Mapping) else {VOTES: votes}
    for name, fitted in given.items():
        check_kind(fitted, f"votes[{name!r}]" if isinstance(votes, Mapping) else "votes", "BradleyTerry")
    check_share(alpha, "alpha")
    if CORRECTIONS.canonical(correction) == FAMILY_WISE:
        raise InvalidOptionError("votes have no family-wise p-values of their own; choose another correction")
    table = None if scores is None else as_scores(scores, missing="pairwise", fewest=1)
    known = {name: list(fitted.systems) for name, fitted in given.items()}
    if table is not None:
        known["scores"] = table["system"].to_numpy().tolist()
    if len(known) < _FEWEST:
        raise InvalidOptionError("votes are compared with scores, or with other votes; give either")
    common = [name for name in next(iter(known.values())) if all(name in own for own in known.values())]
    if len(common) < _FEWEST:
        told = "; ".join(f"{name}: {first_few(own)}" for name, own in known.items())
        raise ScoresError(f"two systems or more must be known to all that are compared; there are {told}")
    voices = [_by_votes(name, fitted, common, correction, alpha) for name, fitted in given.items()]
    if table is not None:
        voices += _by_metrics(table, common, test, correction, alpha)
    names = [voice.name for voice in voices]
    if len(set(names)) < len(names):
        again = next(name for name in names if names.count(name) > 1)
        raise InvalidOptionError(f"two of those compared are called {again!r}; name the votes otherwise")
    return SettledPairs(
        voices=tuple(names),
        n_votes=len(given),
        systems=tuple(common),
        left_out={
            name: tuple(one for one in own if one not in common)
            for name, own in known.items()
            if len(own) > len(common)
        },
        estimates=np.stack([voice.estimates for voice in voices]),
        verdicts=np.stack([voice.verdicts for voice in voices]),
        test=test,
        correction=CORRECTIONS.canonical(correction),
        alpha=float(alpha),
    )


def _by_votes(name: str, fitted: BradleyTerry, common: Sequence[str], correction: str, alpha: float) -> _Voice:
    place = pd.Index(fitted.systems).get_indexer(pd.Index(common))
    own = fitted.comparison().data
    n = len(fitted.systems)
    p, better = np.ones((n, n)), np.zeros((n, n), dtype=np.int8)
    upper = all_pairs(n)
    p[upper], better[upper] = own["p_value"].to_numpy()[0], own["better"].to_numpy()[0]
    p, better = np.minimum(p, p.T), better - better.T
    a, b = (place[side] for side in all_pairs(len(common)))
    verdicts = np.where(is_significant(adjust(p[a, b], correction), alpha), better[a, b], 0)
    return _Voice(name, fitted.strengths[place], verdicts.astype(np.int8))


def _by_metrics(table: Scores, common: Sequence[str], test: str, correction: str, alpha: float) -> list[_Voice]:
    kept = table.sel(system=list(common))
    found = compare_systems(kept, test=test, correction=correction, alpha=alpha)
    means, names = settled_mean_over_topics(kept), pd.Index(common)
    turned = np.where(kept["higher_is_better"].to_numpy(), 1.0, -1.0)
    first, second = (names.get_indexer(pd.Index(found.data[side].to_numpy())) for side in ("system_a", "system_b"))
    n = len(common)
    voices = []
    for number, metric in enumerate(found.metrics):
        square = np.zeros((n, n), dtype=np.int8)
        square[first, second] = found.verdicts()[number]
        square = square - square.T
        voices.append(_Voice(metric, means[number] * turned[number], square[all_pairs(n)]))
    return voices


def votes_predicted(votes: object, scores: object, *, alpha: float = 0.05) -> pd.DataFrame:
    r"""Count on how many votes a metric prefers the same system on the same question.

    Parameters
    ----------
    votes : Votes, or anything `metaeval.table.votes.as_votes` takes
        Their questions are items of the scores. Votes without a winner do not count.
    scores : Scores or anything `metaeval.as_scores` takes
    alpha : float, default 0.05
        One less the level of the intervals.

    Returns
    -------
    pandas.DataFrame
        One row a metric: metric, n_votes on systems that it scored on the question, n_questions, n_equal (votes on
        systems with equal scores), share of the votes that it predicts (an equal score predicts half of one), low and
        high. Without rows where no question is an item.

    See Also
    --------
    settled_pairs

    Notes
    -----
    The interval is by Student's t with G - 1 degrees of freedom and the error of a ratio over G questions,
    :math:`s^2 = \frac{G}{G - 1} \sum_g r_g^2 / n^2`, where :math:`r_g` is what question g adds to the predicted votes
    less its votes times the share.

    Examples
    --------
    >>> rows = [("a", "b", "left", "1"), ("a", "b", "right", "2"), ("b", "a", "tie", "2")]
    >>> votes = pd.DataFrame(rows, columns=["left", "right", "winner", "question"])
    >>> scores = as_scores([[0.5, 0.9], [0.1, 0.2]], systems=["a", "b"], topics=["1", "2"], metrics=["AP"])
    >>> votes_predicted(votes, scores)[["metric", "n_votes", "share"]].to_numpy().tolist()
    [['AP', 2, 0.5]]
    """
    check_share(alpha, "alpha")
    given, table = as_votes(votes), as_scores(scores, missing="pairwise", fewest=1)
    columns = ["metric", "n_votes", "n_questions", "n_equal", "share", "low", "high"]
    if "question" not in given.units:
        return pd.DataFrame(columns=columns)
    system = pd.Index(table["system"].to_numpy()).get_indexer(pd.Index(given.systems))
    topic = pd.Index(table["topic"].to_numpy().astype(str)).get_indexer(pd.Index(given.names["question"]))
    question = given.units["question"]
    left, right, item = system[given.left], system[given.right], topic[question]
    kept = (left >= 0) & (right >= 0) & (item >= 0) & (given.share != _HALF)
    rows = []
    for metric, values in zip(table["metric"].to_numpy(), oriented_values(table), strict=True):
        a, b = values[left[kept], item[kept]], values[right[kept], item[kept]]
        apart = difference(a, b, np.abs(a), np.abs(b))
        scored = np.isfinite(apart)
        if scored.any():
            rows.append((metric, *_predicted(given, np.flatnonzero(kept)[scored], apart[scored], alpha)))
    return pd.DataFrame(rows, columns=columns)


def _predicted(votes: Votes, place: NDArray[np.int64], apart: Floats, alpha: float) -> tuple[float, ...]:
    right = (1.0 + np.sign(apart) * np.sign(votes.share[place] - _HALF)) / 2
    weight = votes.weight[place]
    share = float(weight @ right / weight.sum())
    _, question = np.unique(votes.units["question"][place], return_inverse=True)
    rest = np.bincount(question, weight * (right - share))
    n = len(rest)
    half = np.nan
    if n > 1:
        half = float(stdtrit(n - 1, 1 - alpha / 2) * np.sqrt(n / (n - 1) * (rest**2).sum()) / weight.sum())
    return len(place), n, int((apart == 0).sum()), share, share - half, share + half
