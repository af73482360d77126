"""Do votes, judges, metrics and boards find the same significant pairs? Compared on the systems that they share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from scipy.special import betaincinv, stdtrit

from metaeval.agreement.decisions import agreement_counts, agreement_shares
from metaeval.agreement.rankings import kendall_tau
from metaeval.base.checks import check_choice, check_kind, check_share
from metaeval.base.names import first_few
from metaeval.base.results import Figure, Result
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.models.vote_ranks import vote_ranks
from metaeval.models.vote_strengths import BradleyTerry
from metaeval.resampling.means_and_errors import rank_intervals_from_errors
from metaeval.resampling.ranks import SystemRanks, rank_intervals
from metaeval.running.draws import RNGLike, resolve_seed
from metaeval.running.equality import difference, settle
from metaeval.running.parallel import in_one_order
from metaeval.table.means import SystemMeans
from metaeval.table.scores import Scores, as_scores, oriented_values
from metaeval.table.structure import settled_mean_over_topics
from metaeval.table.vote_set import Votes
from metaeval.table.votes import as_votes
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.pairs import all_pairs

type Floats = NDArray[np.float64]
type Board = Scores | SystemMeans
"""Scores by item, or means with standard errors."""

VOTES = "votes"
"""What votes are called where nobody names them."""
ENDS = ("rank", "rank_low", "rank_high")
_FEWEST, _HALF = 2, 0.5
_NO_SPREAD = 1e-9
"""Half the width of an interval that is none: rounding."""


def names_on(board: xr.DataArray | SystemMeans, of: Literal["metric", "system"]) -> list[str]:
    """Return the metrics or the systems of a board."""
    if isinstance(board, SystemMeans):
        return list(board.metrics if of == "metric" else board.systems)
    names: list[str] = board[of].to_numpy().tolist()
    return names


class _Source(NamedTuple):
    name: str
    estimates: Floats  # (system,)
    verdicts: NDArray[np.int8]  # (pair,)
    wrong: Floats  # (pair,), as `SettledPairs.wrong`
    ranks: Floats  # (3, system), as `SettledPairs.ranks`


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SettledPairs(Result):
    """Pairs of systems that votes, metrics or boards settle, on the systems that all of them know."""

    voices: tuple[str, ...]
    """Names of the votes and boards, then of the metrics."""
    systems: tuple[str, ...]
    """Those that all know."""
    left_out: Mapping[str, tuple[str, ...]]
    """By "scores" and the names of votes and boards, the systems that others do not know."""
    estimates: Floats
    """Strengths by votes and means by scores, higher is better. Shape (voice, system)."""
    verdicts: NDArray[np.int8]
    """1 where the first system of a pair is settled to be better, -1 where the second is, else 0. Shape (voice, pair),
    the pairs in the order of `metaeval.tests_stat.pairs.all_pairs`."""
    wrong: Floats
    """The share of the draws in which the pair's order is not that of the estimates; missing where Holm's test decides.
    Shape (voice, pair)."""
    ranks: Floats
    """Rank, and both ends of its interval; the ends are missing where Holm's test decides. Shape (voice, 3, system)."""
    alpha: float
    """A voice settles no pair wrongly with a probability of at least 1 - alpha."""
    seed: int

    @property
    def n_pairs(self) -> int:
        """Number of pairs of systems."""
        return self.verdicts.shape[1]

    @property
    def tested(self) -> tuple[str, ...]:
        """Voices without intervals of ranks, whose pairs are those of t tests with Holm's correction."""
        return tuple(voice for voice, ranks in zip(self.voices, self.ranks, strict=True) if np.isnan(ranks[1]).all())

    def _found(self) -> str:
        shared = int(((self.verdicts == self.verdicts[0]) & (self.verdicts[0] != 0)).all(axis=0).sum())
        return f"{shared} of {self.n_pairs} pairs of {len(self.systems)} systems are settled alike by all"

    def to_frame(self) -> pd.DataFrame:
        """Return one row an ordered pair of voices.

        The columns are ``predictor``, ``truth``, ``n_systems``, ``n_pairs``, ``n_predictor`` and ``n_truth`` (pairs
        that each settles), ``n_shared`` (in the same direction), ``n_conflicts`` (in opposite ones), ``precision``
        (share of the predictor's pairs that the truth settles alike), ``recall``, ``f1`` (shares of no pairs are
        missing, as in `metaeval.agreement.decision_agreement`), and Kendall's ``tau`` of strengths or means.
        """
        names = np.array(self.voices, dtype=object)
        predictor, truth = np.nonzero(~np.eye(len(names), dtype=bool))
        n_settled, n_shared, n_conflicts = agreement_counts(self.verdicts)
        taus = kendall_tau(self.estimates[None, :, :], self.estimates[:, None, :], undefined="nan")
        between = {"n_shared": n_shared, "n_conflicts": n_conflicts, **agreement_shares(n_settled, n_shared)}
        return pd.DataFrame(
            {
                "predictor": names[predictor],
                "truth": names[truth],
                "n_systems": len(self.systems),
                "n_pairs": self.n_pairs,
                "n_predictor": n_settled[predictor],
                "n_truth": n_settled[truth],
                **{name: values[predictor, truth] for name, values in (between | {"tau": taus}).items()},
            }
        )

    def same_order(self, first: str, second: str) -> pd.DataFrame:
        r"""Return in how many pairs the true order is the same under two voices, as far as their pairs are settled.

        One row each for all pairs, those that the first settles, and those that the second settles: among ("all", or
        the name), n_pairs, n_same and n_opposite (settled by both), low and high: the ends of the share of pairs whose
        true order is the same. With a probability of at least :math:`1 - 2\alpha` both sources have no wrong pair; then
        that share is at least n_same / n_pairs and at most 1 - n_opposite / n_pairs.
        """
        first_verdicts, second_verdicts = self._verdicts(first, second)
        rows = []
        for among, mask in (
            ("all", np.ones(self.n_pairs, dtype=bool)),
            (first, first_verdicts != 0),
            (second, second_verdicts != 0),
        ):
            n, same = int(mask.sum()), int(((first_verdicts * second_verdicts) > 0)[mask].sum())
            against = int(((first_verdicts * second_verdicts) < 0)[mask].sum())
            rows.append((among, n, same, against, *((same / n, 1 - against / n) if n else (np.nan, np.nan))))
        return pd.DataFrame(rows, columns=["among", "n_pairs", "n_same", "n_opposite", "low", "high"])

    def relations(self, first: str, second: str) -> pd.DataFrame:
        """Return how two voices settle the pairs: relation, n_pairs, share, n_wrong.

        The relations are "alike", "opposite", "first alone", "second alone" and "neither". n_wrong is the number of
        these pairs that either settles wrongly, as the draws expect it; missing where Holm's test decides.
        """
        first_verdicts, second_verdicts = self._verdicts(first, second)
        wrong = [
            np.where(verdicts != 0, self.wrong[self.voices.index(name)], 0.0)
            for name, verdicts in ((first, first_verdicts), (second, second_verdicts))
        ]
        kinds = {
            "alike": first_verdicts * second_verdicts > 0,
            "opposite": first_verdicts * second_verdicts < 0,
            "first alone": (first_verdicts != 0) & (second_verdicts == 0),
            "second alone": (first_verdicts == 0) & (second_verdicts != 0),
            "neither": (first_verdicts == 0) & (second_verdicts == 0),
        }
        either = np.minimum(wrong[0] + wrong[1], 1.0)
        rows = [(kind, int(mask.sum()), mask.mean(), either[mask].sum()) for kind, mask in kinds.items()]
        return pd.DataFrame(rows, columns=["relation", "n_pairs", "share", "n_wrong"])

    def pairs(self) -> pd.DataFrame:
        """Return one row a pair: system_a, system_b, and for every voice the better system, "" where it is open."""
        first, second = all_pairs(len(self.systems))
        names = np.array(self.systems, dtype=object)
        columns = {"system_a": names[first], "system_b": names[second]}
        for voice, verdicts in zip(self.voices, self.verdicts, strict=True):
            columns[voice] = np.select([verdicts > 0, verdicts < 0], [names[first], names[second]], default="")
        return pd.DataFrame(columns)

    def matrix(self) -> pd.DataFrame:
        """Return the F1 of every two as a square table, 1 of each with itself."""
        wide = self.to_frame().pivot(index="predictor", columns="truth", values="f1")  # noqa: PD010 - keeps NaN
        square = wide.reindex(index=list(self.voices), columns=list(self.voices))
        return square.where(~np.eye(len(square), dtype=bool), 1.0)

    def ranked(self) -> pd.DataFrame:
        """Return one row a system, best first under the first voice: system, and by every voice its rank and interval.

        The columns of a voice are NAME, NAME_low and NAME_high.
        """
        columns: dict[str, object] = {"system": list(self.systems)}
        for name, ranks in zip(self.voices, self.ranks, strict=True):
            columns |= {f"{name}{end}": values for end, values in zip(("", "_low", "_high"), ranks, strict=True)}
        return pd.DataFrame(columns).sort_values(self.voices[0], kind="stable", ignore_index=True)

    def moves(self, first: str, second: str) -> pd.DataFrame:
        """Return one row a system: system, moved (its two intervals have no rank in common), and opposite.

        opposite: it is in a pair that both settle, in opposite directions.
        """
        first_verdicts, second_verdicts = self._verdicts(first, second)
        against = np.concatenate([side[first_verdicts * second_verdicts < 0] for side in all_pairs(len(self.systems))])
        (_, low, high), (_, least, most) = (self.ranks[self.voices.index(name)] for name in (first, second))
        return pd.DataFrame(
            {
                "system": list(self.systems),
                "moved": (low > most) | (least > high),
                "opposite": np.isin(np.arange(len(self.systems)), against),
            }
        )

    def _draw(self, first: str | None = None, second: str | None = None) -> Figure:
        """Draw the ranks of all systems under two voices, by default the first two, each with its interval."""
        from metaeval.figures.boards import rank_changes  # noqa: PLC0415 - matplotlib

        names = [self.voices[index] if name is None else name for index, name in enumerate((first, second))]
        frame = self.moves(*names)
        for side, name in zip(("first", "second"), names, strict=True):
            rank, low, high = self.ranks[self.voices.index(name)]
            frame = frame.assign(**{side: rank, f"{side}_low": low, f"{side}_high": high})
        return rank_changes(frame, names)

    def _verdicts(self, *names: str) -> NDArray[np.int8]:
        for name in names:
            check_choice(name, "name of votes, board or metric", self.voices)
        return self.verdicts[[self.voices.index(name) for name in names]]


def settled_pairs(
    voices: BradleyTerry | Mapping[str, BradleyTerry | Scores | SystemMeans],
    scores: object = None,
    *,
    alpha: float = 0.05,
    rng: RNGLike = None,
) -> SettledPairs:
    """Compare the pairs of systems that votes settle with those that other votes, or metrics, or boards settle.

    A pair is settled if the draws behind the intervals of ranks decide it, for all pairs at once: the decision of
    `metaeval.resampling.rank_intervals` and of `metaeval leaderboard` and `metaeval votes`, here among the systems that
    all know.

    Parameters
    ----------
    voices : BradleyTerry, or mapping of str to BradleyTerry, Scores or SystemMeans
        Strengths by one set of votes, or by several (an arena, people, a judge) by their names; scores under one metric
        are a board, which has items of its own; so are means with standard errors (`metaeval.table.means.as_means`).
    scores : Scores or anything `metaeval.as_scores` takes, optional
        Scores by item of some of the same systems, under one metric or several.
    alpha : float, default 0.05
        Of every voice; see `SettledPairs.alpha`.
    rng : None, int or numpy.random.Generator

    Returns
    -------
    SettledPairs
        One row an ordered pair of votes, metrics or boards in ``to_frame()``: see `SettledPairs.to_frame`.

    Raises
    ------
    ScoresError
        If fewer than two systems are known to all.
    InvalidOptionError
        If two have one name, there is nothing to compare, or an option is outside its rule.

    See Also
    --------
    metaeval.models.bradley_terry
    metaeval.models.version_drift : what two boards have on the items that both have
    metaeval.agreement.decision_agreement : between metrics, by tests

    Notes
    -----
    Where scores have too few clusters for draws, t tests with Holm's correction over all pairs decide, as on the page
    of `metaeval leaderboard`.

    Examples
    --------
    >>> from metaeval.models import bradley_terry
    >>> from metaeval.simulate import simulate_votes
    >>> quality = np.arange(8)[:, None] / 8 + np.random.default_rng(1).normal(0, 0.1, (8, 40))
    >>> scores = as_scores(quality, systems=[f"system{number}" for number in range(1, 9)], metrics=["AP"])
    >>> found = settled_pairs(bradley_terry(simulate_votes(rng=1)), scores, rng=1).to_frame()
    >>> found[["predictor", "truth", "n_predictor", "n_truth", "n_shared"]].head(1)
      predictor truth  n_predictor  n_truth  n_shared
    0     votes    AP           16       28        16
    """
    named = _checked(voices)
    check_share(alpha, "alpha")
    seed = resolve_seed(rng)
    table = None if scores is None else as_scores(scores, missing="pairwise", fewest=1)
    systems_of = {
        name: list(members.systems) if isinstance(members, BradleyTerry) else names_on(members, "system")
        for name, members in named.items()
    }
    if table is not None:
        systems_of["scores"] = table["system"].to_numpy().tolist()
    if len(systems_of) < _FEWEST:
        raise InvalidOptionError("votes are compared with scores, or with other votes; give either")
    everywhere = set.intersection(*map(set, systems_of.values()))
    common = [name for name in next(iter(systems_of.values())) if name in everywhere]
    if len(common) < _FEWEST:
        told = "; ".join(f"{name}: {first_few(members)}" for name, members in systems_of.items())
        raise ScoresError(f"two systems or more must be known to all that are compared; there are {told}")
    results: list[_Source] = []
    for name, member in named.items():
        if isinstance(member, BradleyTerry):
            results.append(_by_votes(name, member, common, alpha, seed))
        elif isinstance(member, SystemMeans):
            results.append(_by_means(member, common, alpha, seed)._replace(name=name))
        else:
            results += [voice._replace(name=name) for voice in _by_scores(member, common, alpha, seed)]
    if table is not None:
        results += _by_scores(table, common, alpha, seed)
    names = [voice.name for voice in results]
    if len(set(names)) < len(names):
        again = next(name for name in names if names.count(name) > 1)
        raise InvalidOptionError(f"two of those compared are called {again!r}; name the votes otherwise")
    return SettledPairs(
        voices=tuple(names),
        systems=tuple(common),
        left_out={
            name: tuple(member for member in members if member not in everywhere)
            for name, members in systems_of.items()
            if len(members) > len(common)
        },
        estimates=np.stack([voice.estimates for voice in results]),
        verdicts=np.stack([voice.verdicts for voice in results]),
        wrong=np.stack([voice.wrong for voice in results]),
        ranks=np.stack([voice.ranks for voice in results]),
        alpha=float(alpha),
        seed=seed,
    )


def _checked(voices: object) -> Mapping[str, Any]:
    """Return votes and boards by their names."""
    named = voices if isinstance(voices, Mapping) else {VOTES: voices}
    for name, voice in named.items():
        label = f"voices[{name!r}]" if isinstance(voices, Mapping) else "voices"
        if not isinstance(voice, xr.DataArray | SystemMeans):
            check_kind(voice, label, "BradleyTerry")
        elif (n := len(names_on(voice, "metric"))) > 1:
            raise InvalidOptionError(f"`{label}` has {n} metrics, and a board has one")
    return named


def _by_votes(name: str, fitted: BradleyTerry, common: Sequence[str], alpha: float, seed: int) -> _Source:
    names = [
        system for system in fitted.systems if system in set(common)
    ]  # in their own order: the draws of `metaeval votes`
    index = pd.Index(fitted.systems).get_indexer(pd.Index(names))
    ranks = vote_ranks(fitted, names, alpha=alpha, rng=seed)
    return _by_ranks(ranks, fitted.strengths[None, index], names, common)[0]._replace(name=name)


def _by_scores(table: Scores, common: Sequence[str], alpha: float, seed: int) -> list[_Source]:
    common_names = set(common)
    common_scores = table.sel(
        system=[system for system in table["system"].to_numpy().tolist() if system in common_names]
    )
    means, names = settled_mean_over_topics(common_scores), common_scores["system"].to_numpy().tolist()
    try:
        ranks = rank_intervals(common_scores, confidence_level=1 - alpha, rng=seed)
    except InvalidOptionError:  # too few clusters
        return _by_tests(common_scores, means, common, alpha)
    return _by_ranks(ranks, means, names, common)


def _by_means(board: SystemMeans, common: Sequence[str], alpha: float, seed: int) -> _Source:
    shared = board.of(common)
    means = settle(shared.means * np.where(shared.higher_is_better, 1.0, -1.0)[:, None], np.abs(shared.means))
    ranks = rank_intervals_from_errors(shared, confidence_level=1 - alpha, rng=seed)
    return _by_ranks(ranks, means, shared.systems, common)[0]


def _by_ranks(ranks: SystemRanks, estimates: Floats, names: Sequence[str], common: Sequence[str]) -> list[_Source]:
    better = ranks.data["p_better"].to_numpy()
    settled = _in_order_of(common, ranks.data, ranks.verdicts())
    wrong = np.abs(_in_order_of(common, ranks.data, np.minimum(better, 1 - better)))
    index = pd.Index(names).get_indexer(pd.Index(common))
    ends = np.stack([ranks.data[name].sel(system=list(common)).to_numpy() for name in ENDS], axis=1)
    rows = zip(ranks.metrics, estimates[:, index], settled, wrong, ends, strict=True)
    return [
        _Source(name, values, verdicts.astype(np.int8), risk, end.astype(float))
        for name, values, verdicts, risk, end in rows
    ]


def _by_tests(kept: Scores, means: Floats, common: Sequence[str], alpha: float) -> list[_Source]:
    compared = compare_systems(kept, test="t", correction="holm", alpha=alpha)
    settled = _in_order_of(common, compared.data, compared.verdicts())
    common_means = means[:, pd.Index(kept["system"].to_numpy()).get_indexer(pd.Index(common))]
    rank = 1.0 + (common_means[:, None, :] > common_means[:, :, None]).sum(axis=2)
    none = np.full_like(rank, np.nan)
    rows = zip(compared.metrics, common_means, settled, np.stack([rank, none, none], axis=1), strict=True)
    return [
        _Source(name, values, verdicts.astype(np.int8), np.full(len(verdicts), np.nan), ends)
        for name, values, verdicts, ends in rows
    ]


def _in_order_of(common: Sequence[str], data: xr.Dataset, values: NDArray[np.generic]) -> Floats:
    """Lay out values of pairs, shape (metric, pair), in the order of the systems' names; turned pairs change sign."""
    names = pd.Index(common)
    a, b = (names.get_indexer(pd.Index(data[side].to_numpy())) for side in ("system_a", "system_b"))
    square = np.zeros((len(values), len(common), len(common)))
    square[:, a, b], square[:, b, a] = values, -values.astype(float)
    first, second = all_pairs(len(common))
    return square[:, first, second]


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
    less its votes times the share. Questions that all say the same are no certainty: there the interval is Clopper and
    Pearson's (1934), with one trial a question.

    Examples
    --------
    >>> rows = [("a", "b", "left", "1"), ("a", "b", "right", "2"), ("b", "a", "tie", "2")]
    >>> votes = pd.DataFrame(rows, columns=["left", "right", "winner", "question"])
    >>> scores = as_scores([[0.5, 0.9], [0.1, 0.2]], systems=["a", "b"], topics=["1", "2"], metrics=["AP"])
    >>> votes_predicted(votes, scores)[["metric", "n_votes", "share"]].to_numpy().tolist()
    [['AP', 2, 0.5]]
    """
    check_share(alpha, "alpha")
    checked, table = as_votes(votes), as_scores(scores, missing="pairwise", fewest=1)
    columns = ["metric", "n_votes", "n_questions", "n_equal", "share", "low", "high"]
    if "question" not in checked.units:
        return pd.DataFrame(columns=columns)
    system = pd.Index(table["system"].to_numpy()).get_indexer(pd.Index(checked.systems))
    topic = pd.Index(table["topic"].to_numpy().astype(str)).get_indexer(pd.Index(checked.names["question"]))
    question = checked.units["question"]
    left, right, item = system[checked.left], system[checked.right], topic[question]
    usable = (left >= 0) & (right >= 0) & (item >= 0) & (checked.share != _HALF)
    rows = []
    for metric, values in zip(table["metric"].to_numpy().tolist(), oriented_values(table), strict=True):
        a, b = values[left[usable], item[usable]], values[right[usable], item[usable]]
        apart = difference(a, b, np.abs(a), np.abs(b))
        scored = np.isfinite(apart)
        if scored.any():
            rows.append((metric, *_predicted(checked, np.flatnonzero(usable)[scored], apart[scored], alpha)))
    return pd.DataFrame(rows, columns=columns)


@in_one_order
def _predicted(votes: Votes, place: NDArray[np.int64], apart: Floats, alpha: float) -> tuple[float, ...]:
    right = (1.0 + np.sign(apart) * np.sign(votes.share[place] - _HALF)) / 2
    weight = votes.weight[place]
    share = float(weight @ right / weight.sum())
    _, question = np.unique(votes.units["question"][place], return_inverse=True)
    residuals = np.bincount(question, weight * (right - share))
    n = len(residuals)
    low = high = np.nan
    if n > 1:
        spread = float(stdtrit(n - 1, 1 - alpha / 2) * np.sqrt(n / (n - 1) * (residuals**2).sum()) / weight.sum())
        low, high = share - spread, share + spread
        if spread < _NO_SPREAD:
            low, high = _exact_interval(share, n, alpha)
    return len(place), n, int((apart == 0).sum()), share, low, high


def _exact_interval(share: float, n: int, alpha: float) -> tuple[float, float]:
    """Return Clopper and Pearson's interval of a share of trials.

    Examples
    --------
    >>> [round(end, 3) for end in _exact_interval(1.0, 6, 0.05)]
    [0.541, 1.0]
    """
    hits = share * n
    low = 0.0 if hits <= 0 else float(betaincinv(hits, n - hits + 1, alpha / 2))
    return low, 1.0 if hits >= n else float(betaincinv(hits + 1, n - hits, 1 - alpha / 2))
