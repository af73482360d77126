"""Simulated runs of elements: what every system answers a topic with, and the pool of their documents."""

from typing import NamedTuple

import numpy as np

from metaeval.base.arrays import Floats, Ints
from metaeval.inex.simulated_articles import SimulatedArticles
from metaeval.inex.simulated_judgments import Highlights
from metaeval.running.compiled import compiled

_SPREAD_WITHIN_GROUP, _SPREAD_OF_TOPICS = 0.08, 0.35
_MOST_DOCUMENTS_OF_A_RUN = 300
_FOR_SPECIFICITY = 1.2
_COARSE_EVERY, _FINE, _COARSE = 4, 4, 1
_ENOUGH_WITHOUT_OVERLAP = 6
_OVERLAPPING_KEPT_OF_THINNED = 4  # one in so many


class Manner(NamedTuple):
    """How systems differ, and what their evidence is made of."""

    weakest: float
    strongest: float
    crowding: float
    """Power of the distance from the strongest: above 1 most groups are near it."""
    plain: float
    """Evidence for the plainest of the relevant documents, whatever the system's quality."""
    rarity: float
    """Power of a uniform number that says how plain a document is."""
    luck: float
    """Spread of a group's evidence for plain documents from topic to topic (logarithm)."""
    narrowest: int
    """Fewest documents that a run looks into."""
    of_topic: float
    of_group: float
    of_run: float
    """Errors of the evidence for documents."""
    of_element_group: float
    of_element_run: float
    """Errors of the evidence for elements."""
    apart: float
    """Share of how far down a run looks that is its own; the rest is its group's. At 1 each has a size of its own."""
    sizes: tuple[float, ...]
    """Preferred by the systems, characters."""
    tolerance: float
    """How far from it an element may be (logarithm) before it loses evidence of 1."""
    results_of_an_article: tuple[int, int] | None
    """Of the broadest and the narrowest thorough run; None: as they come."""
    mixed: tuple[str, ...]
    """Tasks of the runs in turn, where they are mixed."""


WIDE = Manner(
    weakest=0.4,
    strongest=1.2,
    crowding=1,
    plain=0.0,
    rarity=1,
    luck=0.0,
    narrowest=_MOST_DOCUMENTS_OF_A_RUN,
    of_topic=0.5,
    of_group=0.5,
    of_run=0.4,
    of_element_group=0.5,
    of_element_run=0.5,
    apart=1,
    sizes=(250.0, 800.0, 2500.0, 6000.0),
    tolerance=2.0,
    results_of_an_article=None,
    mixed=("thorough", "focused"),
)
"""Far apart in quality, so that few topics show a difference."""
CROWDED = Manner(
    weakest=-0.1,
    strongest=0.9,
    crowding=2,
    plain=1.8,
    rarity=1.7,
    luck=0.3,
    narrowest=3,
    of_topic=0.35,
    of_group=0.81,
    of_run=0.3,
    of_element_group=0.66,
    of_element_run=0.25,
    apart=0.2,
    sizes=(1500.0, 2500.0, 4000.0, 6000.0),
    tolerance=2.0,
    results_of_an_article=(12, 24),
    mixed=(*("thorough",) * 3, "focused", *("thorough",) * 3, "articles"),
)
"""As alike as those of INEX: equal at the top of the list, different in how far down they find anything, and runs of a
group variants of one another."""
OVERLAPPING = CROWDED._replace(
    weakest=-0.5,
    strongest=1.2,
    plain=0.1,
    luck=0.1,
    narrowest=40,
    of_topic=0.2,
    of_group=0.3,
    of_run=0.2,
    of_element_group=0.3,
    of_element_run=0.2,
    tolerance=4.0,
    results_of_an_article=(5, 40),
    mixed=(*("thorough", "thorough", "thinned"), "focused", *("thorough", "thorough", "thinned"), "articles"),
)
"""As those until 2005: a crowd at the top and a long tail, so that most pairs differ significantly; half list whole
chains of elements, one inside the other, few of many articles or many of few; a quarter drop most of the elements that
overlap better ones, and a quarter have no overlap."""


class Systems(NamedTuple):
    """The systems of a campaign: names, teams, qualities, depths, preferred sizes, tasks, and how they differ."""

    names: tuple[str, ...]
    group: Ints
    quality: Floats
    depth: Floats
    """How far down each looks, from 0 to 1."""
    preferred: Ints
    tasks: tuple[str, ...]
    manner: Manner = WIDE

    @classmethod
    def drawn(
        cls, generator: np.random.Generator, n_systems: int, runs_per_group: int, task: str, manner: Manner = WIDE
    ) -> "Systems":
        """Draw them; runs of a team are of like quality."""
        group = np.arange(n_systems) // runs_per_group
        n_groups = int(group[-1]) + 1
        distance = np.linspace(1, 0, n_groups) ** manner.crowding * (manner.strongest - manner.weakest)
        quality = generator.permutation(manner.strongest - distance)[group]
        quality = quality * np.exp(_SPREAD_WITHIN_GROUP * generator.standard_normal(n_systems))
        owner = np.arange(n_systems) if manner.apart == 1 else group
        preferred = generator.integers(len(manner.sizes), size=n_systems)[owner]
        individual = generator.random(n_systems)
        shared = generator.permutation((np.arange(n_groups) + generator.random(n_groups)) / n_groups)
        depth = manner.apart * individual + (1 - manner.apart) * shared[group]
        depth = depth if manner.narrowest < _MOST_DOCUMENTS_OF_A_RUN else np.ones(n_systems)
        tasks = tuple(
            manner.mixed[number % len(manner.mixed)] if task == "mixed" else task for number in range(n_systems)
        )
        wide, width = len(str(n_groups)), len(str(runs_per_group))
        names = tuple(
            f"team{team + 1:0{wide}d}-run{row % runs_per_group + 1:0{width}d}"
            for row, team in enumerate(group.tolist())
        )
        return cls(names, group, quality, depth, preferred, tasks, manner)

    def breadth(self, row: int, n_results: int) -> int:
        """Return how many documents a run looks into."""
        of_article, depth = self.manner.results_of_an_article, float(self.depth[row])
        if of_article and self.tasks[row] in {"thorough", "thinned"}:
            fewest, most = of_article
            return max(1, int(n_results / most * (most / fewest) ** depth))
        narrowest = self.manner.narrowest
        return round(narrowest * (_MOST_DOCUMENTS_OF_A_RUN / narrowest) ** depth)


class Answer(NamedTuple):
    """Elements in order, and their scores (NaN: the order is the run's own)."""

    elements: Ints
    scores: Floats


def answers_of(  # noqa: PLR0913, PLR0917 - everything that a list depends on
    generator: np.random.Generator,
    articles: SimulatedArticles,
    truth: Highlights,
    systems: Systems,
    topic: int,
    n_results: int,
) -> list[Answer]:
    """Answer one topic with every system."""
    manner = systems.manner
    n_documents, n_elements = len(articles.names), len(articles.depth)
    relevant, plain = np.zeros(n_documents), np.zeros(n_documents)
    pairs = np.flatnonzero(truth.topic == topic)
    relevant[truth.document[pairs]] = 1.0
    elements, pair_of = articles.elements_of(truth.document[pairs])
    specificity = np.zeros(n_elements)
    specificity[elements] = truth.relevant_sizes(articles, elements, pairs[pair_of]) / articles.size[elements]
    ease = np.exp(_SPREAD_OF_TOPICS * generator.standard_normal())
    n_groups = int(systems.group[-1]) + 1
    luck = np.ones(n_groups)
    if manner.plain:
        plain[truth.document[pairs]] = generator.random(len(pairs)) ** manner.rarity
        luck = np.exp(manner.luck * generator.standard_normal(n_groups))
    of_topic = manner.of_topic * generator.standard_normal(n_documents)
    of_groups = manner.of_group * generator.standard_normal((n_groups, n_documents))
    elements_of_groups = generator.standard_normal((n_groups, n_elements), dtype=np.float32)
    distance = (np.log(articles.size)[None] - np.log(manner.sizes)[:, None]) / manner.tolerance
    fit = -(distance**2).astype(np.float32)
    answers = []
    for row, group in enumerate(systems.group.tolist()):
        gain = systems.quality[row] * ease
        obvious = ease * luck[group] * manner.plain
        document = of_topic + of_groups[group] + manner.of_run * generator.standard_normal(n_documents)
        document += (gain * (1 - plain) + obvious * plain) * relevant
        breadth = min(systems.breadth(row, n_results), n_documents)
        best = np.sort(np.argpartition(-document, breadth - 1)[:breadth])
        seen, owner = articles.elements_of(best)
        seen_gain = ease * luck[group] if manner.plain else gain
        evidence = (document[best][owner] + seen_gain * _FOR_SPECIFICITY * specificity[seen]).astype(np.float32)
        evidence += fit[systems.preferred[row], seen]
        evidence += manner.of_element_group * elements_of_groups[group, seen]
        evidence += manner.of_element_run * generator.standard_normal(len(seen), dtype=np.float32)
        decimals = _COARSE if group % _COARSE_EVERY == _COARSE_EVERY - 1 else _FINE
        scores = np.rint(evidence.astype(np.float64) * 10**decimals)
        answers.append(_listed(articles, seen, scores, systems.tasks[row], n_results, 10.0**decimals))
    return answers


def _listed(  # noqa: PLR0913, PLR0917 - what a list is made of
    articles: SimulatedArticles, seen: Ints, scores: Floats, task: str, n_results: int, scale: float
) -> Answer:
    """Make the list that a task asks for; equal scores in the order of the elements."""
    if task == "thorough":
        order = _best(seen, scores, n_results)[:n_results]
    elif task == "articles":
        roots = np.flatnonzero(articles.parent[seen] < 0)
        order = roots[_best(seen[roots], scores[roots], n_results)[:n_results]]
    elif task == "thinned":
        order = _best(seen, scores, n_results)[:n_results]
        apart = np.zeros(len(order), dtype=np.bool_)
        apart[_without_overlap(seen[order], articles.last, articles.parent, n_results)] = True
        order = order[apart | (seen[order] % _OVERLAPPING_KEPT_OF_THINNED == 0)]
    else:
        for enough in (_ENOUGH_WITHOUT_OVERLAP * n_results, len(seen)):
            order = _best(seen, scores, enough)
            selected = _without_overlap(seen[order], articles.last, articles.parent, n_results)
            if len(selected) == n_results:
                break
        order = order[selected]
    elements, listed = seen[order], scores[order] / scale
    if task in {"thorough", "thinned", "focused", "articles"}:
        return Answer(elements, listed)
    _, first, which = np.unique(articles.document[elements], return_index=True, return_inverse=True)
    if task == "best-in-context":
        first = np.sort(first)
        return Answer(elements[first], listed[first])
    together = np.argsort(first[which], kind="stable")
    return Answer(elements[together], np.full(len(together), np.nan))


def _best(seen: Ints, scores: Floats, n_best: int) -> Ints:
    """Return at least the best so many, in order."""
    if n_best >= len(scores):
        return np.lexsort((seen, -scores))
    least = np.partition(scores, len(scores) - n_best)[len(scores) - n_best]
    places = np.flatnonzero(scores >= least)
    return places[np.lexsort((seen[places], -scores[places]))]


@compiled
def _without_overlap(ranked: Ints, last: Ints, parent: Ints, n_results: int) -> Ints:
    """Return the places of the best elements of which none contains another."""
    taken = np.zeros(len(last), dtype=np.bool_)
    selected = np.empty(min(n_results, len(ranked)), dtype=np.int64)
    n_kept = 0
    for position in range(len(ranked)):
        if n_kept == len(selected):
            break
        element = ranked[position]
        if taken[element]:
            continue
        selected[n_kept] = position
        n_kept += 1
        taken[element : last[element]] = True
        above = parent[element]
        while above >= 0:
            taken[above] = True
            above = parent[above]
    return selected[:n_kept]


def pool_of(articles: SimulatedArticles, answers: list[Answer], size: int) -> Ints:
    """Return the documents assessed: one more of every run in each round, until there are enough."""
    rounds = np.full(len(articles.names), np.iinfo(np.int64).max)
    for answer in answers:
        documents, first = np.unique(articles.document[answer.elements], return_index=True)
        rounds[documents[np.argsort(first)]] = np.minimum(
            rounds[documents[np.argsort(first)]], np.arange(len(documents))
        )
    retrieved = np.sort(rounds[rounds < np.iinfo(np.int64).max])
    if len(retrieved) == 0:
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero(rounds <= retrieved[min(size, len(retrieved)) - 1])
