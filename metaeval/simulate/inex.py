"""A made INEX: articles, runs of differing quality and overlap, pools, and assessments by one and two assessors."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.checks import check_choice, check_count, check_number
from metaeval.collection.inex import RESULT_COLUMNS, UNKNOWN, Assessments, Submission, table_of
from metaeval.compiled import compiled
from metaeval.draws import RNGLike, resolve_rng
from metaeval.errors import InvalidOptionError
from metaeval.io.folders import unused_folder
from metaeval.io.inex_writing import write_assessments, write_element_sizes, write_submission
from metaeval.io.writing import write_bytes
from metaeval.parallel import track
from metaeval.simulate.articles import Articles, make_articles
from metaeval.simulate.inex_judgments import (
    CAMPAIGNS,
    Campaign,
    Highlights,
    assessments_of,
    make_highlights,
    make_second_highlights,
)

__all__ = ["InexTask", "SimulatedInex", "simulate_inex"]

InexTask = Literal["thorough", "focused", "mixed", "relevant-in-context", "best-in-context"]

_WEAKEST, _STRONGEST = 0.4, 1.2
_SPREAD_WITHIN_GROUP, _SPREAD_OF_TOPICS = 0.08, 0.35
_FIRST_WITH_LINES, _FIRST_WITH_OFFSETS, _LAST_GRADED = 2009, 2007, 2005
_MOST_DOCUMENTS_OF_A_RUN = 300
_OF_TOPIC, _OF_DOCUMENT_GROUP, _OF_DOCUMENT_RUN = 0.5, 0.5, 0.4
_OF_ELEMENT_GROUP, _OF_ELEMENT_RUN = 0.5, 0.5
_FOR_DOCUMENT, _FOR_SPECIFICITY = 1.0, 1.2
_COARSE_EVERY, _FINE, _COARSE = 4, 4, 1
_TRIMMED_EVERY, _MOST_TRIMMED = 3, 0.15
_PREFERRED_SIZES = np.array([250.0, 800.0, 2500.0, 6000.0])
_ENOUGH_WITHOUT_OVERLAP = 6
_TASK_NAMES = {
    2005: {"thorough": "CO.Thorough", "focused": "CO.Focussed"},
    2006: {
        "thorough": "Thorough",
        "focused": "Focused",
        "relevant-in-context": "RelevantInContext",
        "best-in-context": "BestInContext",
    },
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SimulatedInex:
    """Runs and assessments that nobody submitted.

    Attributes
    ----------
    year : int
    submissions : tuple of Submission
    groups : tuple of str
        Group of every run.
    assessments : Assessments
        By the first assessor of every topic.
    second_assessments : Assessments
        By another assessor, of the first topics and the same documents.
    sizes : pandas.DataFrame
        Every element of every article: ``document``, ``path``, ``size`` in characters.
    qualities : float64 array (n_systems,)
        Distance between highlighted and other text in standard deviations of a run's evidence, about; what the
        measures try to find out.
    random_source : str
        Where the draws came from.
    """

    year: int
    submissions: tuple[Submission, ...] = field(repr=False)
    groups: tuple[str, ...]
    assessments: Assessments = field(repr=False)
    second_assessments: Assessments = field(repr=False)
    sizes: pd.DataFrame = field(repr=False)
    qualities: NDArray[np.float64]
    random_source: str

    def write_collection(self, folder: str | os.PathLike[str], *, compress: bool = False) -> Path:
        """Write INEX files, as `metaeval.inex.read_submissions` and `metaeval.inex.read_assessments` read them.

        Parameters
        ----------
        folder : path
            Gets the folder ``submissions`` (XML, from 2009 on lines in TREC style), the folders ``assessments`` and
            ``second`` (XML, from 2007 on ``qrels.txt``), ``sizes.txt`` and ``groups.csv``.
        compress : bool
            Write submissions and sizes packed with gzip.

        Returns
        -------
        pathlib.Path
            The folder. The same seed writes the same bytes.

        Raises
        ------
        InvalidOptionError
            If the folder exists and is not empty.
        """
        with unused_folder(folder) as part:
            self._write_files(part, ".gz" if compress else "")
        return Path(folder)

    def _write_files(self, folder: Path, packed: str) -> None:
        (folder / "submissions").mkdir(parents=True)
        lines = self.year >= _FIRST_WITH_LINES
        for submission in track(self.submissions, description="writing submissions"):
            path = folder / "submissions" / f"{submission.run}{'.txt' if lines else '.xml'}{packed}"
            write_submission(submission, path, form="lines" if lines else "xml")
        for name, judged in (("assessments", self.assessments), ("second", self.second_assessments)):
            (folder / name).mkdir()
            if len(judged.documents):
                offsets = self.year >= _FIRST_WITH_OFFSETS
                write_assessments(judged, folder / name / "qrels.txt" if offsets else folder / name)
        write_element_sizes(self.sizes, folder / f"sizes.txt{packed}")
        table = pd.DataFrame({"system": [one.run for one in self.submissions], "group": self.groups})
        write_bytes(folder / "groups.csv", table.to_csv(index=False, lineterminator="\n").encode())


def simulate_inex(  # noqa: PLR0913 - one keyword per dimension
    *,
    year: int = 2005,
    n_systems: int = 20,
    n_topics: int = 30,
    n_documents: int = 1000,
    n_results: int = 1500,
    task: InexTask | None = None,
    runs_per_group: int = 3,
    elements_per_article: float | None = None,
    relevant_documents: float | None = None,
    pool_size: int | None = None,
    n_second: int | None = None,
    document_agreement: float | None = None,
    passage_agreement: float | None = None,
    rng: RNGLike = None,
) -> SimulatedInex:
    r"""Make an INEX campaign: articles, runs, pools, and assessments as they were made in a year.

    Parameters
    ----------
    year : int
        2002 to 2010: the articles (IEEE until 2005, then Wikipedia), the scale and the format of files.
    n_systems, n_topics : int
        55 and 29 were in the study of 2005, 78 and 107 in that of 2007, 61 and 70 in that of 2008 [1]_ [2]_.
    n_documents : int
        Articles; all compete on every topic.
    n_results : int
        Longest list.
    task : str, optional
        "thorough" runs list the best elements, whatever they overlap; "focused" ones no two that do; "mixed" is every
        other run of each, and the default until 2006; then it is "focused". "relevant-in-context" brings the
        elements of an article together, "best-in-context" names where to begin reading each article.
    runs_per_group : int
        Runs of a group err alike and are of like quality.
    elements_per_article : float, optional
        160 by default. Published are 1532 (IEEE) and 161 (Wikipedia) [3]_; text and structure alone are about 90 and
        25 elements, the others are inline.
    relevant_documents : float, optional
        Of a topic, on average; by default 60.7 until 2005, 50 in 2006, 60.4, 69.8, 71.4 and 105.2 from 2007 on.
    pool_size : int, optional
        Documents assessed for a topic, at least: pools grow in rounds, one more document from every run, until they
        are that large. 499 by default until 2005, 500 in 2006, then 600.
    n_second : int, optional
        Topics assessed twice; by default 2, 12, 5 and 15 of 2002, 2004, 2005 and 2006 on.
    document_agreement, passage_agreement : float, optional
        Expected intersection over union of two assessors' relevant documents, and of their highlighted characters; by
        default 0.27 and 0.23 until 2004, 0.39 and 0.23 in 2005, 0.57 and 0.31 from 2006 on.
    rng : None, int, numpy.random.Generator or RandomSource

    Returns
    -------
    SimulatedInex

    Raises
    ------
    InvalidOptionError
        If a number is outside its rule.
    UnknownNameError
        For an unknown task.

    Notes
    -----
    Run s scores element v of article d on topic t by its evidence

    .. math::
        e_{stv} = q_s h_t (r_{td} + 1.2\, s_{tv}) - \left(\frac{\ln |v| - m_s}{2}\right)^2 + \text{errors}

    with q the run's quality, h how easy the topic is (log-normal), r whether anything in the article is relevant, s
    the highlighted share of the element, m the logarithm of the size of element that the run prefers (from
    paragraphs to articles). Errors are normal: of the article, shared by all runs, by a group and by none; of the
    element, shared by a group and by none. A run looks into its 300 best articles. Every fourth group writes scores
    with one decimal, so that its runs hold many ties.

    ====================================== =========================== ====================================
    what                                   published                   made
    ====================================== =========================== ====================================
    passages of a relevant document        1 in just over half (2005)  a power law with the exponent 1.8
                                           and in over 70 % (2006);    (2005) or 2.3 (2006 on), up to 49 or
                                           up to 5 in nearly 90 % and  74 passages, before those that
                                           98 %                        overlap or touch are put together
    passages that are whole elements       36 % (2005), 45 % (2006)    the same, plus those that are by chance
    size of a paragraph                    308 characters              log-normal with that mean
    relevant documents of a topic          60.7 (2005); 60.4 and       the same before pooling, log-normal
                                           69.8 (2007, 2008)
    elements judged "?"                    79 % below 55 characters    95 % of those below 55 characters, ever
                                                                       fewer above
    best entry points                      mostly at the first         60 % there, the others within some
                                           relevant character          hundred characters (Laplace)
    agreement                              of documents 0.39 and 0.57, as stated by `document_agreement` and
                                           of characters 0.23, 0.31    `passage_agreement`, in expectation
    ====================================== =========================== ====================================

    Relevant documents of 2007 and 2008 are from [2]_, the rest from [3]_. 50 relevant documents of 2006 follow from 80
    passages a topic [3]_; 71.4 and 105.2 are those of the judgments of 2009 and 2010 (4858 in 68 topics, 5471 in 52).
    What comes out with the defaults (12 runs, 60 topics, one seed):

    ============================================ ================ ========= ================ =========
    of a topic, or on average                    2005, published  made      2006, published  made
    ============================================ ================ ========= ================ =========
    relevant elements, without "?"               522              678       1908             1305
    passages                                     156              138       80               60
    relevant documents with one passage          just over 50 %   56 %      over 70 %        75 %
    specificity of relevant articles             0.12             0.12      0.32             0.21
    specificity of relevant sections             0.51             0.28      0.67             0.49
    specificity of relevant paragraphs           0.94             0.98      0.94             0.98
    "?" elements shorter than 55 characters      79 %             91 %
    ============================================ ================ ========= ================ =========

    Points in text count the characters of the paragraph or heading, as if it held no inline elements. All assessments
    obey the rules that `metaeval.inex.read_assessments` holds them to.

    References
    ----------
    .. [1] Ogilvie and Lalmas (2006).
    .. [2] Pal, Mitra and Kamps (2011), Tables 1 and 2.
    .. [3] Piwowarski, Trotman and Lalmas (2008), sections 3 and 5, Tables IV, VII, VIII, IX and XI, Figure 6.

    Examples
    --------
    >>> made = simulate_inex(year=2005, n_systems=4, n_topics=2, n_documents=50, n_results=20, rng=1)
    >>> [one.run for one in made.submissions], made.assessments.scale
    (['team1-run1', 'team1-run2', 'team1-run3', 'team2-run1'], '2005')
    >>> len(made.submissions[0].results)
    40
    """
    said = {
        "elements": elements_per_article,
        "relevant": relevant_documents,
        "pool": pool_size,
        "second": n_second,
        "document_agreement": document_agreement,
        "passage_agreement": passage_agreement,
    }
    campaign = _campaign(year, said)
    counts = {
        "n_systems": n_systems,
        "n_topics": n_topics,
        "n_documents": n_documents,
        "n_results": n_results,
        "runs_per_group": runs_per_group,
        "pool_size": campaign.pool,
    }
    _check_counts(counts, campaign.second)
    kind = task or ("mixed" if year < _FIRST_WITH_OFFSETS else "focused")
    check_choice(kind, "task", get_args(InexTask))
    generator, source = resolve_rng(rng)
    articles = make_articles(generator, campaign.template, n_documents, campaign.elements)
    truth = make_highlights(generator, articles, campaign, n_topics, campaign.relevant)
    systems = _Systems.made(generator, n_systems, runs_per_group, kind)
    topics = tuple(f"{year}{number:0{max(3, len(str(n_topics)))}d}" for number in range(1, n_topics + 1))
    lists = [
        _answers(generator, articles, truth, systems, topic, n_results)
        for topic in track(range(n_topics), description="making topics")
    ]
    judged = [_pool(articles, answers, campaign.pool) for answers in lists]
    write = _Writer(articles, systems, topics, year)
    graded = year <= _LAST_GRADED
    second = judged[: campaign.second]
    agreements = {
        "document_agreement": campaign.document_agreement,
        "passage_agreement": campaign.passage_agreement,
    }
    other = make_second_highlights(generator, articles, campaign, truth, second, **agreements)
    assessments, second_assessments = (
        assessments_of(
            generator, articles, found, pools, topics=topics, scale=campaign.scale, graded=graded, source=source
        )
        for found, pools in ((truth, judged), (other, second))
    )
    return SimulatedInex(
        year=year,
        submissions=tuple(write.submission(generator, lists, row) for row in range(n_systems)),
        groups=tuple(name.split("-")[0] for name in systems.names),
        assessments=assessments,
        second_assessments=second_assessments,
        sizes=articles.sizes(),
        qualities=systems.quality,
        random_source=source,
    )


def _campaign(year: int, said: dict[str, Any]) -> Campaign:
    """Take what is published of a year, but for what the caller says."""
    if year not in CAMPAIGNS:
        message = f"year must be one of {', '.join(map(str, CAMPAIGNS))}, not {year!r}"
        raise InvalidOptionError(message)
    campaign = CAMPAIGNS[year]._replace(**{name: value for name, value in said.items() if value is not None})
    for name, value in (("elements_per_article", campaign.elements), ("relevant_documents", campaign.relevant)):
        check_number(value, name, least=1)
    for name in ("document_agreement", "passage_agreement"):
        check_number(getattr(campaign, name), name, above=0, most=1)
    return campaign


def _check_counts(counts: dict[str, int], n_second: int) -> None:
    for name, value in counts.items():
        check_count(value, name)
    check_count(n_second, "n_second", least=0)


class _Systems(NamedTuple):
    names: tuple[str, ...]
    group: NDArray[np.int64]
    quality: NDArray[np.float64]
    preferred: NDArray[np.int64]
    tasks: tuple[str, ...]

    @classmethod
    def made(cls, generator: np.random.Generator, n_systems: int, runs_per_group: int, task: str) -> "_Systems":
        group = np.arange(n_systems) // runs_per_group
        n_groups = int(group[-1]) + 1
        quality = generator.permutation(np.linspace(_WEAKEST, _STRONGEST, n_groups))[group]
        quality = quality * np.exp(_SPREAD_WITHIN_GROUP * generator.standard_normal(n_systems))
        preferred = generator.integers(len(_PREFERRED_SIZES), size=n_systems)
        mixed = ("thorough", "focused")
        tasks = tuple(mixed[number % 2] if task == "mixed" else task for number in range(n_systems))
        wide, width = len(str(n_groups)), len(str(runs_per_group))
        names = tuple(
            f"team{team + 1:0{wide}d}-run{row % runs_per_group + 1:0{width}d}"
            for row, team in enumerate(group.tolist())
        )
        return cls(names, group, quality, preferred, tasks)


class _Answer(NamedTuple):
    """Elements in order, and their scores (NaN: the order is the run's own)."""

    elements: NDArray[np.int64]
    scores: NDArray[np.float64]


def _answers(  # noqa: PLR0913, PLR0917 - everything that a list depends on
    generator: np.random.Generator,
    articles: Articles,
    truth: Highlights,
    systems: _Systems,
    topic: int,
    n_results: int,
) -> list[_Answer]:
    """Answer one topic with every system."""
    n_documents, n_elements = len(articles.names), len(articles.depth)
    relevant = np.zeros(n_documents)
    pairs = np.flatnonzero(truth.topic == topic)
    relevant[truth.document[pairs]] = 1.0
    elements, place = articles.elements_of(truth.document[pairs])
    specificity = np.zeros(n_elements)
    specificity[elements] = truth.relevant_sizes(articles, elements, pairs[place]) / articles.size[elements]
    ease = np.exp(_SPREAD_OF_TOPICS * generator.standard_normal())
    n_groups = int(systems.group[-1]) + 1
    of_topic = _OF_TOPIC * generator.standard_normal(n_documents)
    of_groups = _OF_DOCUMENT_GROUP * generator.standard_normal((n_groups, n_documents))
    elements_of_groups = generator.standard_normal((n_groups, n_elements), dtype=np.float32)
    distance = (np.log(articles.size)[None] - np.log(_PREFERRED_SIZES)[:, None]) / 2
    fit = -(distance**2).astype(np.float32)
    breadth = min(_MOST_DOCUMENTS_OF_A_RUN, n_documents)
    answers = []
    for row, group in enumerate(systems.group.tolist()):
        gain = systems.quality[row] * ease
        document = of_topic + of_groups[group] + _OF_DOCUMENT_RUN * generator.standard_normal(n_documents)
        document += gain * _FOR_DOCUMENT * relevant
        best = np.sort(np.argpartition(-document, breadth - 1)[:breadth])
        seen, owner = articles.elements_of(best)
        evidence = (document[best][owner] + gain * _FOR_SPECIFICITY * specificity[seen]).astype(np.float32)
        evidence += fit[systems.preferred[row], seen]
        evidence += _OF_ELEMENT_GROUP * elements_of_groups[group, seen]
        evidence += _OF_ELEMENT_RUN * generator.standard_normal(len(seen), dtype=np.float32)
        decimals = _COARSE if group % _COARSE_EVERY == _COARSE_EVERY - 1 else _FINE
        scores = np.rint(evidence.astype(np.float64) * 10**decimals)
        answers.append(_listed(articles, seen, scores, systems.tasks[row], n_results, 10.0**decimals))
    return answers


def _listed(  # noqa: PLR0913, PLR0917 - what a list is made of
    articles: Articles, seen: NDArray[np.int64], scores: NDArray[np.float64], task: str, n_results: int, scale: float
) -> _Answer:
    """Make the list that a task asks for; equal scores in the order of the elements."""
    if task == "thorough":
        order = _best(seen, scores, n_results)[:n_results]
    else:
        for enough in (_ENOUGH_WITHOUT_OVERLAP * n_results, len(seen)):
            order = _best(seen, scores, enough)
            kept = _without_overlap(seen[order], articles.last, articles.parent, n_results)
            if len(kept) == n_results:
                break
        order = order[kept]
    elements, listed = seen[order], scores[order] / scale
    if task in {"thorough", "focused"}:
        return _Answer(elements, listed)
    _, first, which = np.unique(articles.document[elements], return_index=True, return_inverse=True)
    if task == "best-in-context":
        first = np.sort(first)
        return _Answer(elements[first], listed[first])
    together = np.argsort(first[which], kind="stable")
    return _Answer(elements[together], np.full(len(together), np.nan))


def _best(seen: NDArray[np.int64], scores: NDArray[np.float64], n_best: int) -> NDArray[np.int64]:
    """Return at least the best so many, in order."""
    if n_best >= len(scores):
        return np.lexsort((seen, -scores))
    least = np.partition(scores, len(scores) - n_best)[len(scores) - n_best]
    places = np.flatnonzero(scores >= least)
    return places[np.lexsort((seen[places], -scores[places]))]


@compiled
def _without_overlap(
    ranked: NDArray[np.int64], last: NDArray[np.int64], parent: NDArray[np.int64], n_results: int
) -> NDArray[np.int64]:
    """Return the places of the best elements of which none contains another."""
    taken = np.zeros(len(last), dtype=np.bool_)
    kept = np.empty(min(n_results, len(ranked)), dtype=np.int64)
    n_kept = 0
    for place in range(len(ranked)):
        if n_kept == len(kept):
            break
        element = ranked[place]
        if taken[element]:
            continue
        kept[n_kept] = place
        n_kept += 1
        taken[element : last[element]] = True
        above = parent[element]
        while above >= 0:
            taken[above] = True
            above = parent[above]
    return kept[:n_kept]


def _pool(articles: Articles, answers: list[_Answer], size: int) -> NDArray[np.int64]:
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


class _Writer(NamedTuple):
    """Puts lists down as results of a year."""

    articles: Articles
    systems: _Systems
    topics: tuple[str, ...]
    year: int

    def submission(self, generator: np.random.Generator, lists: list[list[_Answer]], row: int) -> Submission:
        answers = [answers[row] for answers in lists]
        elements = np.concatenate([answer.elements for answer in answers])
        counts = [len(answer.elements) for answer in answers]
        results = {
            "topic": np.repeat(np.array(self.topics, dtype=object), counts),
            "document": self.articles.names[self.articles.document[elements]],
            "rank": np.concatenate([np.arange(1, count + 1) for count in counts]),
            "rsv": np.concatenate([answer.scores for answer in answers]),
            **self._places(generator, elements, row),
        }
        era = 2006 if self.year > _LAST_GRADED else 2005
        task = "CO" if self.year < _LAST_GRADED else _TASK_NAMES[era].get(self.systems.tasks[row], "")
        return Submission(
            run=self.systems.names[row],
            participant=str(self.systems.group[row] + 1),
            task=task,
            results=table_of(RESULT_COLUMNS, results),
            answered=self.topics,
            source="simulated",
        )

    def _places(
        self, generator: np.random.Generator, elements: NDArray[np.int64], row: int
    ) -> dict[str, NDArray[np.generic]]:
        """Say where results are: paths until 2006, then characters, which some runs trim at both ends."""
        if self.year < _FIRST_WITH_OFFSETS:
            return {"path": self.articles.paths[elements]}
        start, end = self.articles.start[elements], self.articles.end[elements]
        if self.systems.tasks[row] == "best-in-context":
            return {"offset": start, "length": np.full(len(start), UNKNOWN)}
        if row % _TRIMMED_EVERY == _TRIMMED_EVERY - 1:
            cut = _MOST_TRIMMED * generator.random((2, len(elements))) * (end - start)
            start, end = start + cut[0].astype(np.int64), end - cut[1].astype(np.int64)
        return {"offset": start, "length": end - start}
