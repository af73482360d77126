"""Whether a judge may stand in for the people who labelled: the alternative annotator test.

Every person is left out in turn, and on each of their items the judge and the person are compared with what the others
said. What decides is a matter of pairs of labels of one item, so one pass over those pairs answers for a judge.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from metaeval.agreement.annotations import Annotations, Labelled, as_annotations
from metaeval.base.arrays import Floats
from metaeval.base.checks import check_choice, check_count, check_number, check_share, show
from metaeval.base.names import count, first_few
from metaeval.base.results import Figure, Result
from metaeval.base.unit import unit
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.running.equality import difference
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE, adjust
from metaeval.tests_stat.result import is_significant
from metaeval.tests_stat.tails import signs_tail, student_tail

type Similarity = Callable[[NDArray[np.object_], NDArray[np.object_]], ArrayLike]
"""How alike the labels of pairs are, pair by pair; more is more alike."""

Scoring = Literal["accuracy", "neg_rmse"]
_PASSES, _POWER = 0.5, 0.8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AltTest(Result):
    """Result of the alt-test: which judges may replace a person, with the evidence."""

    judges: pd.DataFrame
    """See `to_frame`."""
    people: pd.DataFrame
    """One row a judge and person left out: ``judge``, ``person``, ``items``, ``difference`` (mean of d), its
    ``standard_error``, ``t``, ``p_value``, ``p_corrected``, ``rejected``, and the shares of the items where the
    judge is at least as near to the others as the person (``judge_wins``) and the other way round
    (``person_wins``)."""
    left_out: pd.DataFrame
    """People with too few items to be tested, who still are among the others: ``judge``, ``person``, ``items``."""
    items_alone: int
    """Items with fewer than `fewest_people` labels, which are not used."""
    epsilon: float
    scoring: str
    q: float
    correction: str
    fewest_items: int
    fewest_people: int

    def _found(self) -> str:
        passed = self.judges.loc[self.judges["passes"], "judge"].tolist()
        named = f": {first_few(passed)}" if passed else ""
        return f"{len(passed)} of {count(len(self.judges), 'judge')} may stand in for the people{named}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a judge.

        The columns are ``judge``, ``people`` (tested), ``rejected`` (of them), ``winning_rate``,
        ``advantage_probability``, ``passes``, ``verdict`` ("may", "may not" or "not settled"), ``items`` (used, of
        those with enough people), ``items_needed`` (with which it is expected to pass, in four of five cases, if all
        goes on as here; NaN where it passes or would not), ``items_lacking`` (of those, without a label by the judge),
        and ``constant`` (the same label for every item).
        """
        return self.judges.copy()

    def smallest_epsilon(self) -> pd.Series:
        r"""Return by judge how large epsilon must be for it to pass; a judge below 0 needs no allowance.

        Notes
        -----
        A p-value falls as epsilon grows, and :math:`p_j(\epsilon) \le a` from :math:`\bar d_j - s_j t_{n_j - 1}(a)` on.
        With the k-th smallest p-value compared with level :math:`a_k`, k are below it from the k-th smallest of these
        on, so that the answer is exact. Where d does not vary, epsilon must exceed the value.
        """
        least = {judge: self._least(rows) for judge, rows in self.people.groupby("judge", sort=False)}
        return pd.Series(least, name="epsilon").rename_axis("judge")

    def _least(self, own: pd.DataFrame) -> float:
        spec, n = CORRECTIONS[self.correction], len(own)
        levels = np.asarray(spec.levels(self.q, np.arange(1, n + 1), n), dtype=np.float64)
        items, mean = own["items"].to_numpy(), own["difference"].to_numpy()
        reach = stdtrit(items - 1, levels[:, None]) * own["standard_error"].to_numpy()
        enough = np.sort(mean - reach, axis=1).diagonal()  # from here on, k of them are below level k
        needed = -(-n // 2)
        match spec.step:
            case "up":
                return float(enough[needed - 1 :].min())
            case "down":
                return float(enough[:needed].max())
        return float(enough[needed - 1])

    def _draw(self, statistic: Literal["winning_rate", "advantage_probability"] = "winning_rate") -> Figure:
        """Draw one statistic of every judge, with the line that a judge must reach.

        Raises
        ------
        UnknownNameError
            If the statistic is another.
        """
        from metaeval.figures.alt_test import judge_dots  # noqa: PLC0415 - matplotlib

        check_choice(statistic, "statistic of the alt-test", ("winning_rate", "advantage_probability"))
        return judge_dots(self.judges, statistic=statistic, line=_PASSES)


def alt_test(  # noqa: PLR0913 - every option is one rule of the procedure
    people: object,
    judges: object,
    *,
    epsilon: float = 0.2,
    scoring: Scoring | Similarity = "accuracy",
    q: float = 0.05,
    fewest_items: int = 30,
    fewest_people: int = 2,
    correction: str = "fdr_by",
) -> AltTest:
    r"""Test whether a judge may replace one of several annotators: the alternative annotator test.

    Parameters
    ----------
    people : DataFrame, mapping of person to mapping of item to label, or Labels
        Items in rows (the index is the item, or topic and item, or columns are called so), a column a person, NaN where
        somebody gave no label. Labels are numbers or text. A frame may be of pandas or any other library.
    judges : DataFrame, Series, or mapping of judge to mapping of item to label
        One or several judges, items named as those of the people. Items that only the judge labelled do not count;
        those that it did not label are left out for it and counted.
    epsilon : float
        What a judge may be worse by, as a share of items, for being cheaper than a person: .2 stands for experts, .15
        for skilled annotators, .1 for a crowd [1]_.
    scoring : {"accuracy", "neg_rmse"}, or callable
        How near a label is to those of the others: the share of equal ones, minus the root of the mean squared
        difference, or the mean over the others of ``scoring(label, other)``, which gets two arrays of labels of the
        same length and returns how alike they are, pair by pair.
    q : float
        Level of the tests, of the false discovery rate under the default correction.
    fewest_items : int
        Items that a person must have to be tested.
    fewest_people : int
        Labels by people that an item must have.
    correction : str
        One of `metaeval.tests_stat.correction.CORRECTIONS`, over the people.

    Returns
    -------
    AltTest
        One row a ``judge`` in ``to_frame()``: ``people`` compared with, ``rejected`` hypotheses among them,
        ``winning_rate`` (0 to 1) and whether it ``passes``, ``advantage_probability`` (0 to 1), ``items`` used and
        ``items_lacking``, and whether the judge is ``constant``; the ``verdict`` and ``items_needed``: see
        `AltTest.to_frame`.

    Raises
    ------
    ScoresError
        If fewer than two people labelled, no judge is given, one is among the people, an item appears twice, labels are
        text for ``neg_rmse`` or partly text and partly numbers, no item is common, or nobody has enough items.
    InvalidOptionError
        If an option lies outside its rule, or a scoring of one's own returns no finite number for every pair.
    UnknownNameError
        If there is no such scoring or correction.

    See Also
    --------
    metaeval.read_annotations : labels by annotators from JSON
    metaeval.agreement.label_agreement.compare_labels : how far judges agree

    Notes
    -----
    With person j left out, S(j, i) says how near j's label of item i is to those of the others, and S(f, i) how near
    the judge's is to the same. The judge wins where :math:`S(f, i) \ge S(j, i)`, the person where
    :math:`S(j, i) \ge S(f, i)`, in a tie both; d is the second indicator less the first. A one-sided t test rejects
    that :math:`\bar d_j \ge \epsilon`; where d does not vary, it rejects if and only if d is below epsilon. The winning
    rate is the share of people for whom it does after the correction, and at .5 or more the judge passes. The advantage
    probability is the mean over people of the share of items where the judge wins ([1]_, section 3). A judge
    that does not pass may not replace a person if the opposite test, that :math:`\bar d_j \le \epsilon`, rejects for
    more than half of the people after the same correction; else these items do not settle it. Nothing is drawn. Values
    that are equal up to rounding tie.

    References
    ----------
    .. [1] Calderon, Reichart and Dror (2025). The alternative annotator test for LLM-as-a-judge: how to statistically
       justify replacing human annotators with LLMs. ACL. :doi:`10.18653/v1/2025.acl-long.782`

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> truth = np.arange(40) % 3
    >>> ann, ben, cid = (np.where(np.arange(40) % 5 == slip, 0, truth) for slip in range(3))
    >>> people = pd.DataFrame({"ann": ann, "ben": ben, "cid": cid})
    >>> result = alt_test(people, pd.Series(truth, name="model"))
    >>> result.to_frame()[["judge", "winning_rate", "advantage_probability", "passes"]].round(2).to_numpy().tolist()
    [['model', 1.0, 1.0, True]]
    """
    epsilon = check_number(epsilon, "epsilon", least=0.0, below=1.0)
    q = check_share(q, "q")
    fewest_items = check_count(fewest_items, "fewest_items", least=2)  # a t test takes two
    fewest_people = check_count(fewest_people, "fewest_people", least=2)  # somebody must be left to agree with
    correction = CORRECTIONS.canonical(correction)
    if correction == FAMILY_WISE:
        raise InvalidOptionError(f"`correction={FAMILY_WISE!r}` is a test's own; choose {', '.join(CORRECTIONS)}")
    if not callable(scoring):
        check_choice(scoring, "scoring", get_args(Scoring))
    annotations = as_annotations(people, judges, numbers=scoring == "neg_rmse")
    pairs = _own_pairs(scoring) if callable(scoring) else _PAIRS[scoring]
    comparisons = _compared(annotations, pairs, fewest_people=fewest_people)
    _refuse_too_few(comparisons, annotations, fewest_items=fewest_items, fewest_people=fewest_people)
    comparisons = comparisons.assign(**_tested(comparisons, epsilon))
    enough = comparisons["items"] >= fewest_items
    tested = comparisons[enough].reset_index(drop=True)
    by_judge = tested.groupby("judge", sort=False)
    for name in ("p_value", "p_above"):
        corrected = by_judge[name].transform(lambda own: adjust(own.to_numpy(), correction))
        tested["p_corrected" if name == "p_value" else "p_above"] = corrected
    tested["rejected"] = is_significant(tested["p_corrected"].to_numpy(), q)
    columns = ["items", "difference", "standard_error", "t", "p_value", "p_corrected", "rejected"]
    return AltTest(
        judges=_verdicts(tested, annotations, epsilon, q, correction, fewest_people=fewest_people),
        people=tested[["judge", "person", *columns, "judge_wins", "person_wins"]],
        left_out=comparisons.loc[~enough, ["judge", "person", "items"]].reset_index(drop=True),
        items_alone=int((annotations.counts < fewest_people).sum()),
        epsilon=epsilon,
        scoring=scoring if isinstance(scoring, str) else getattr(scoring, "__name__", type(scoring).__name__),
        q=q,
        correction=correction,
        fewest_items=fewest_items,
        fewest_people=fewest_people,
    )


# ---------------------------------------------------------------------------------------------------- pairs of labels

type _Pairs = Callable[[Labelled, Labelled], tuple[Floats, Floats]]
"""What two labels of an item add to the nearness of the first, and the size of the numbers that made it."""


def _equal(own: Labelled, other: Labelled) -> tuple[Floats, Floats]:
    same = (own == other).astype(np.float64)
    return same, same


def _squared(own: Labelled, other: Labelled) -> tuple[Floats, Floats]:
    """Less a square for less near: over the same others its sum orders as the root of its mean does."""
    first, second = own.astype(np.float64), other.astype(np.float64)
    return -((first - second) ** 2), (np.abs(first) + np.abs(second)) ** 2


_PAIRS: Mapping[Scoring, _Pairs] = {"accuracy": _equal, "neg_rmse": _squared}


def _own_pairs(similarity: Similarity) -> _Pairs:
    def pairs(own: Labelled, other: Labelled) -> tuple[Floats, Floats]:
        try:
            alike = np.asarray(similarity(own.astype(object), other.astype(object)), dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidOptionError(f"`scoring` must return a number for every pair of labels: {error}") from error
        if alike.shape != own.shape or not np.isfinite(alike).all():
            defect = f"of shape {alike.shape}" if alike.shape != own.shape else "with some that are not finite"
            message = (
                f"`scoring` must return a finite number for each of {len(own)} pairs of labels, not numbers {defect}"
            )
            raise InvalidOptionError(message)
        return alike, np.abs(alike)

    return pairs


# ------------------------------------------------------------------------------------------------------- the procedure


def _compared(given: Annotations, pairs: _Pairs, *, fewest_people: int) -> pd.DataFrame:
    """Leave out every person in turn: items, and counts of the items that the judge and that the person wins."""
    rows = []
    usable = given.counts >= fewest_people
    for column, person in enumerate(given.people):
        items = np.flatnonzero(given.known[:, column] & usable)
        labelled = given.known[items]
        labelled[:, column] = False
        at, who = np.nonzero(labelled)
        others = given.labels[items[at], who]
        person_value, own_size = _sums(pairs, given.labels[items, column], others, at)
        for judge, name in enumerate(given.judges):
            has = given.judge_known[items, judge]
            mask = has[at]
            value, size = _sums(pairs, given.judge_labels[items, judge], others[mask], at[mask])
            apart = difference(value, person_value, size, own_size)[has]
            judge_wins, person_wins = int((apart >= 0).sum()), int((apart <= 0).sum())
            rows.append((name, person, int(has.sum()), judge_wins, person_wins, int((apart != 0).sum())))
    names = ["judge", "person", "items", "judge_wins", "person_wins", "decided"]
    frame = pd.DataFrame(rows, columns=names)
    frame["judge"] = pd.Categorical(frame["judge"], categories=list(given.judges))
    frame = frame.sort_values("judge", kind="stable", ignore_index=True)
    return frame.astype({"judge": object})


def _sums(pairs: _Pairs, own: Labelled, others: Labelled, at: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Add up over the others how near each of these labels is, with the sizes of what was added."""
    value, size = pairs(own[at], others)
    n = len(own)
    return np.bincount(at, weights=value, minlength=n), np.bincount(at, weights=size, minlength=n)


def _tested(found: pd.DataFrame, epsilon: float) -> dict[str, Floats]:
    """Return mean, standard error, t and p of d, which is 1 where the person alone wins and -1 where the judge does."""
    n, total = found["items"].to_numpy(), (found["person_wins"] - found["judge_wins"]).to_numpy()
    scatter = n * found["decided"].to_numpy() - total**2  # whole numbers: n (n - 1) times the variance
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = total / n
        error = np.sqrt(scatter / (n - 1)) / n
        t = (mean - epsilon) / error
        wins = {name: found[name].to_numpy() / n for name in ("judge_wins", "person_wins")}
    p = np.where(
        scatter > 0,
        student_tail(np.maximum(n - 1, 1), t).p,
        np.where(mean < epsilon, signs_tail(n, two_sided=False).p, 1.0),
    )
    above = np.where(
        scatter > 0,
        student_tail(np.maximum(n - 1, 1), -t).p,
        np.where(mean > epsilon, signs_tail(n, two_sided=False).p, 1.0),
    )
    return {"difference": mean, "standard_error": error, "t": t, "p_value": p, "p_above": above, **wins}


def _needed(of_judge: pd.DataFrame, epsilon: float, level: float) -> float:
    """Return the items with which half of the people are expected to be rejected at a level, by normal quantiles."""
    apart = epsilon - of_judge["difference"].to_numpy()
    reach = (
        (ndtri(1 - level) + ndtri(_POWER))
        * of_judge["standard_error"].to_numpy()
        * np.sqrt(of_judge["items"].to_numpy())
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        items = np.sort(np.where(apart > 0, (reach / apart) ** 2, np.inf))
    needed = np.ceil(items[-(-len(items) // 2) - 1])
    return float(needed) if np.isfinite(needed) else np.nan


def _verdicts(  # noqa: PLR0913 - what was tested
    tested: pd.DataFrame, given: Annotations, epsilon: float, q: float, correction: str, *, fewest_people: int
) -> pd.DataFrame:
    usable = given.counts >= fewest_people
    by_judge = tested.groupby("judge", sort=False)
    people, rejected = by_judge.size(), by_judge["rejected"].sum()
    rate = rejected / people
    passes = rate.to_numpy() >= _PASSES
    above = tested["p_above"].le(q).groupby(tested["judge"], sort=False).sum()
    worse = (people - above).to_numpy() < _PASSES * people.to_numpy()  # so many lose by more that too few can be left
    needed = [
        _needed(
            of_judge,
            epsilon,
            float(np.max(CORRECTIONS[correction].levels(q, np.array([-(-len(of_judge) // 2)]), len(of_judge)))),
        )
        for _, of_judge in by_judge
    ]
    has = given.judge_known[usable]
    table = pd.DataFrame(
        {
            "judge": given.judges,
            "people": people.to_numpy(),
            "rejected": rejected.to_numpy(),
            "winning_rate": rate.to_numpy(),
            "advantage_probability": by_judge["judge_wins"].mean().to_numpy(),
            "passes": passes,
            "verdict": np.select([passes, worse], ["may", "may not"], "not settled"),
            "items": has.sum(axis=0),
            "items_needed": np.where(passes | worse, np.nan, np.maximum(needed, has.sum(axis=0) + 1.0)),
            "items_lacking": (~has).sum(axis=0),
        }
    )
    used = (given.judge_labels[usable, column][has[:, column]] for column in range(len(given.judges)))
    return table.assign(constant=[bool((labels == labels[0]).all()) for labels in used])


def _refuse_too_few(found: pd.DataFrame, given: Annotations, *, fewest_items: int, fewest_people: int) -> None:
    most = found.groupby("judge", sort=False)["items"].max()
    if (most >= fewest_items).all():
        return
    judge = str(most.index[(most < fewest_items).to_numpy()][0])
    of_judge = found[found["judge"] == judge].sort_values("items", ascending=False, kind="stable")
    most_labelled = first_few([f"{row.person} {row.items}" for row in of_judge.itertuples()], most=3)
    lacking = int((~given.judge_known[:, given.judges.index(judge)][given.counts >= fewest_people]).sum())
    beside = f", and {judge!r} lacks {count(lacking, unit().labelled)}" if lacking else ""
    items = f"{unit().labelled}s"
    raise ScoresError(
        f"nobody has {fewest_items} {items} that {fewest_people} people and the judge {judge!r} labelled; the most: "
        f"{most_labelled}{beside}. Label more {items}, or let fewer be enough "
        f"(`fewest_items={show(int(of_judge['items'].max()))}`), where the t test tells less"
    )


def alt_test_of(people: pd.DataFrame, judges: pd.DataFrame, *, epsilon: float, scoring: Scoring | None) -> AltTest:
    """Return the alt-test; unless somebody says so, numbers of more than two kinds are compared by their distance.

    Examples
    --------
    >>> people = pd.DataFrame({"ann": [1, 2, 3] * 20, "ben": [1, 2, 2] * 20})
    >>> judge = people[["ann"]].set_axis(["rule"], axis=1)
    >>> kinds = (people, judge), (people.astype(str), judge.astype(str))
    >>> [alt_test_of(*both, epsilon=0.2, scoring=None).scoring for both in kinds]
    ['neg_rmse', 'accuracy']
    """
    labels = {
        label for frame in (people, judges) for label in frame.to_numpy(dtype=object).ravel() if not pd.isna(label)
    }
    texts = any(isinstance(label, str) for label in labels)
    usual: Scoring = "accuracy" if texts or len(labels) <= 2 else "neg_rmse"  # noqa: PLR2004 - yes or no
    return alt_test(people, judges, epsilon=epsilon, scoring=scoring or usual)
