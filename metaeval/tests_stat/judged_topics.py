"""Topics that people judged and topics that only a judge did: laid side by side, and tested for being of one kind."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from metaeval.base.arrays import Floats
from metaeval.base.names import first_few, shortened
from metaeval.base.results import Result
from metaeval.base.unit import unit, unit_of
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.running.equality import centred, difference
from metaeval.table.scores import Scores, better_direction, oriented_values
from metaeval.table.structure import engine_scores
from metaeval.table.traits import PROCEDURES
from metaeval.tests_stat.correction import adjust
from metaeval.tests_stat.tails import student_p

EVERY_SYSTEM = "mean over systems"
"""What the first row of `topic_shift` is about."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedTopics(Result):
    """Scores of the same systems by people and by a judge, turned so that higher is better."""

    human: Floats
    judge: Floats
    """On the topics that both have. Shape (system, topic)."""
    others: Floats
    """The judge's on the topics that people did not judge; there may be none. Shape (system, topic)."""
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    other_topics: tuple[str, ...]
    metric: str
    judge_name: str
    """What the human scores and the judge's are called."""
    direction: float
    """+1, or -1 where lower human scores are better."""
    notes: tuple[str, ...]
    """What was left out."""

    @property
    def n_topics(self) -> int:
        """Number of topics with human and judge's scores."""
        return self.human.shape[1]

    @property
    def n_judged(self) -> int:
        """Number of topics with the judge's scores alone."""
        return self.others.shape[1]


def judged_topics(
    human: object, judge: object, *, what: str, fewest: int = 3, systems_at_least: int = 2
) -> JudgedTopics:
    """Lay human scores and a judge's side by side, matched by the names of systems and topics.

    Examples
    --------
    >>> from metaeval import as_scores
    >>> people = as_scores([[0.1, 0.4, 0.2], [0.2, 0.3, 0.5]], topics=["1", "2", "3"])
    >>> judge = as_scores([[0.3, 0.2, 0.4, 0.9], [0.1, 0.2, 0.6, 0.8]], topics=["2", "1", "3", "7"])
    >>> laid = judged_topics(people, judge, what="planning with a judge")
    >>> laid.judge.tolist(), laid.other_topics
    ([[0.2, 0.3, 0.4], [0.2, 0.1, 0.6]], ('7',))
    """
    people, machine = (
        _one_metric(scores, name, what, systems_at_least) for scores, name in ((human, "human"), (judge, "judge"))
    )
    systems = people["system"].to_numpy().tolist()
    _refuse_other_systems(systems, machine["system"].to_numpy().tolist())
    judged, labelled = (scores["topic"].to_numpy().tolist() for scores in (people, machine))
    column_of = {name: position for position, name in enumerate(labelled)}
    common = [name for name in judged if name in column_of]
    if len(common) < fewest:
        raise ScoresError(
            f"{what} needs at least {fewest} {unit().topics} that people and the judge both scored, and there "
            f"{'is' if len(common) == 1 else 'are'} {len(common)} of {len(judged)} human {unit().topics} (people have "
            f"{first_few(judged)}; the judge {first_few(labelled)}): let the judge label the {unit().topics} "
            "of the people too"
        )
    left_out = [name for name in judged if name not in column_of]
    notes = list(people.attrs.get("notes", ()))
    notes += ["judge: " + note for note in machine.attrs.get("notes", ())]
    if left_out:
        notes.append(
            f"{len(left_out)} of {len(judged)} human {unit_of(human).topics} have no scores of the judge and were left "
            f"out ({first_few(left_out)}); let the judge label them too"
        )
    chosen = set(common)
    judge_only = [name for name in labelled if name not in chosen]
    order = machine["system"].to_index().get_indexer(pd.Index(systems))
    values = oriented_values(machine)[0][order]
    at = people["topic"].to_index().get_indexer(pd.Index(common))
    return JudgedTopics(
        human=oriented_values(people)[0][:, at],
        judge=values[:, [column_of[name] for name in common]],
        others=values[:, [column_of[name] for name in judge_only]],
        systems=tuple(systems),
        topics=tuple(common),
        other_topics=tuple(judge_only),
        metric=str(people["metric"].to_numpy()[0]),
        judge_name=str(machine["metric"].to_numpy()[0]),
        direction=float(better_direction(people)[0]),
        notes=tuple(notes),
    )


def topic_shift(laid: JudgedTopics, *, correction: str) -> pd.DataFrame:
    """Test whether the judge scores the topics that people judged as it scores the others (Welch's t test).

    Examples
    --------
    >>> from metaeval import as_scores
    >>> people = as_scores([[0.1, 0.4, 0.2], [0.2, 0.3, 0.5]])
    >>> judge = as_scores([[0.3, 0.2, 0.4, 0.8, 0.9], [0.1, 0.2, 0.6, 0.9, 0.8]])
    >>> found = topic_shift(judged_topics(people, judge, what="planning with a judge"), correction="none")
    >>> found.loc[0, "system"], float(found.loc[0, "p_value"].round(4))
    ('mean over systems', 0.0315)
    """
    near, far = (np.vstack([values.mean(axis=0, keepdims=True), values]) for values in (laid.judge, laid.others))
    sizes = [
        np.vstack([np.abs(values).mean(axis=0, keepdims=True), np.abs(values)]) for values in (laid.judge, laid.others)
    ]
    n, others = laid.n_topics, laid.n_judged
    frame = pd.DataFrame({"system": [EVERY_SYSTEM, *laid.systems], "human_topics": near.mean(axis=1)})
    if others < 2:  # noqa: PLR2004 - one topic has no variance
        frame["other_topics"] = far.mean(axis=1) if others else np.nan
        frame["difference"] = frame["human_topics"] - frame["other_topics"]
        return frame.assign(statistic=np.nan, degrees_of_freedom=np.nan, p_value=np.nan, p_corrected=np.nan)
    parts = [
        (centred(values, size, axis=1)[0] ** 2).sum(axis=1) / (values.shape[1] - 1) / values.shape[1]
        for values, size in zip((near, far), sizes, strict=True)
    ]
    error = parts[0] + parts[1]
    apart = difference(near.mean(axis=1), far.mean(axis=1), sizes[0].mean(axis=1), sizes[1].mean(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(apart == 0.0, 0.0, apart / np.sqrt(error))
        freedom = error**2 / (parts[0] ** 2 / (n - 1) + parts[1] ** 2 / (others - 1))
    freedom = np.where(error > 0.0, freedom, n + others - 2.0)
    p_value = student_p(freedom, statistic, n + others).p
    return frame.assign(
        other_topics=far.mean(axis=1),
        difference=apart,
        statistic=statistic,
        degrees_of_freedom=freedom,
        p_value=p_value,
        p_corrected=np.concatenate([p_value[:1], adjust(p_value[1:], correction)]),
    )


def _one_metric(data: object, name: str, what: str, fewest: int) -> Scores:
    scores = engine_scores(data, f"{what} ({name})", uses=PROCEDURES[what], fewest=fewest)
    metrics = scores["metric"].to_numpy().tolist()
    if len(metrics) != 1:
        raise InvalidOptionError(
            f"`{name}` must hold the scores of one metric, not of {len(metrics)} ({first_few(metrics)}); choose one: "
            f"`{name}.sel(metric=[{metrics[0]!r}])`"
        )
    return scores


def _refuse_other_systems(people: list[str], machine: list[str]) -> None:
    lacking = [name for name in people if name not in set(machine)]
    unknown = [name for name in machine if name not in set(people)]
    if lacking or unknown:
        side, names = ("the judge lacks", lacking) if lacking else ("the human scores lack", unknown)
        raise ScoresError(
            f"`human` and `judge` must hold the same systems; {side} {len(names)} of {len(people) + len(unknown)} "
            f"({first_few(names, write=shortened)}); keep those that both have: `scores.sel(system=[...])`"
        )
