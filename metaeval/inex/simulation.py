"""A simulated INEX: articles, runs of differing quality and overlap, pools, assessments by one and two assessors."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_choice, check_count
from metaeval.base.names import count
from metaeval.base.results import Result
from metaeval.base.short_repr import main_sentence
from metaeval.inex.assessments import UNKNOWN, Assessments, Submission, table_of
from metaeval.inex.campaigns import campaign_of
from metaeval.inex.simulated_articles import SimulatedArticles, make_articles
from metaeval.inex.simulated_judgments import Assessor, assess_documents
from metaeval.inex.simulated_log import make_log
from metaeval.inex.simulated_runs import CROWDED, OVERLAPPING, WIDE, Answer, Systems, answers_of, pool_of
from metaeval.inex.writing import write_assessments, write_element_sizes, write_submission
from metaeval.io.folders import unused_folder
from metaeval.io.writing import write_bytes
from metaeval.running.draws import RNGLike, resolve_rng
from metaeval.running.parallel import track

InexTask = Literal["thorough", "focused", "mixed", "relevant-in-context", "best-in-context"]

_FIRST_WITH_LINES, _FIRST_WITH_OFFSETS, _LAST_GRADED, _FIRST_WITH_LOG = 2009, 2007, 2005, 2003
_TRIMMED_EVERY, _MOST_TRIMMED = 3, 0.15
_TASK_NAMES = {
    2005: {"thorough": "CO.Thorough", "thinned": "CO.Thorough", "focused": "CO.Focussed", "articles": "CO.Focussed"},
    2006: {
        "thorough": "Thorough",
        "focused": "Focused",
        "relevant-in-context": "RelevantInContext",
        "best-in-context": "BestInContext",
    },
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SimulatedInex(Result):
    """Simulated runs and assessments of INEX."""

    year: int
    submissions: tuple[Submission, ...] = field(repr=False)
    groups: tuple[str, ...]
    """Group of every run."""
    assessments: Assessments = field(repr=False)
    """By the first assessor of every topic."""
    second_assessments: Assessments = field(repr=False)
    """By another assessor, of the first topics and the same documents."""
    sizes: pd.DataFrame = field(repr=False)
    """Every element of every article: ``document``, ``path``, ``size`` in characters."""
    log: pd.DataFrame = field(repr=False)
    """What the first assessors did: ``topic``, ``document``, ``time``, ``action`` and ``place``, as
    `metaeval.inex.read_assessment_log` reads it; empty of 2002, when nothing was logged."""
    articles: SimulatedArticles = field(repr=False)
    """What `write_collection` writes as XML."""
    qualities: Floats
    """Distance between highlighted and other text in standard deviations of a run's evidence, about; what the measures
    try to find out. Shape (n_systems,)."""
    random_source: str
    """Where the draws came from."""

    def _found(self) -> str:
        return f"{count(len(self.submissions), 'run')} of INEX {self.year}; {main_sentence(self.assessments)}"

    def write_collection(
        self, folder: str | os.PathLike[str], *, compress: bool = False, articles: bool = False
    ) -> Path:
        """Write INEX files, as `metaeval.inex.read_submissions` and `metaeval.inex.read_assessments` read them.

        Parameters
        ----------
        folder : path
            Gets the folder ``submissions`` (XML, from 2009 on lines in TREC style), the folders ``assessments`` and
            ``second`` (XML, from 2007 on ``qrels.txt``), ``sizes.txt``, ``log.csv`` (from 2003 on) and
            ``groups.csv``.
        compress : bool
            Write submissions and sizes packed with gzip.
        articles : bool
            Write the articles too, as XML in ``articles``; their text is made up.

        Returns
        -------
        pathlib.Path
            The folder. The same seed writes the same bytes.

        Raises
        ------
        InvalidOptionError
            If the folder exists and is not empty.
        """
        with unused_folder(folder) as staging:
            self._write_files(staging, ".gz" if compress else "")
            for number, name in enumerate(self.articles.names if articles else ()):
                path = staging / "articles" / f"{name}.xml"
                path.parent.mkdir(parents=True, exist_ok=True)
                write_bytes(path, self.articles.xml(number).encode())
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
        if len(self.log):
            write_bytes(folder / "log.csv", self.log.to_csv(index=False, lineterminator="\n").encode())
        table = pd.DataFrame({"system": [inex_run.run for inex_run in self.submissions], "group": self.groups})
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
    document_kappa: float | None = None,
    passage_agreement: float | None = None,
    published: bool = True,
    rng: RNGLike = None,
) -> SimulatedInex:
    r"""Simulate an INEX campaign of a year: articles, runs, pools and assessments.

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
        Runs of a group err alike and are of like quality; with `published` they also look as far down and prefer
        elements of one size.
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
    document_kappa : float, optional
        Expected :math:`\kappa` of two assessors over the documents judged, from 0 to 1, instead of
        `document_agreement`. With a share p of the documents relevant to either, and a share a of these to the other
        too, :math:`\kappa = (a - p) / (1 - p)`; 0.39 at p = 0.12 (2005) is :math:`\kappa = 0.5`.
    document_agreement, passage_agreement : float, optional
        Expected intersection over union of two assessors' relevant documents, and of their highlighted characters; by
        default 0.27 and 0.23 until 2004, 0.39 and 0.23 in 2005, 0.57 and 0.31 from 2006 on.
    published : bool, default True
        Runs and relevance as close to the published campaigns as we could make them: as many of the documents judged
        are relevant as published (12.2 % until 2005, 10 % in 2006 and 2007, 11.6 % in 2008) and two assessors agree
        as far beyond chance, however small the campaign; systems are equal at the top of their lists and differ in how
        far down they find anything, and runs of a group are variants of one another; until 2005 half of the lists
        overlap, most of them by 65 to 85 %, a quarter overlap by 25 to 45 %, and a quarter not at all. Otherwise
        systems differ far more, so that a few topics show a difference.
    rng : None, int, numpy.random.Generator or RandomSource

    Returns
    -------
    SimulatedInex
        Runs, assessments and sizes of elements; ``write_collection(folder)`` writes them as files.

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
    with one decimal, so that its runs hold many ties. With `published`, the document's part of the evidence is
    :math:`h_t (q_s (1 - u_{td}) + c\, \ell_{gt} u_{td})\, r_{td}`, with u in [0, 1] how plain the document is (the
    power 1.7 of a uniform number), :math:`\ell` the group's luck on the topic (log-normal) and c = 1.8, and a run looks
    into as few as 3 articles. Until 2005 c = 0.1, the qualities have a long tail, so that as many pairs of systems
    differ significantly as published [1]_, thorough runs list 5 to 40 results of an article, and two in six of them
    drop three in four of the elements that overlap better ones: of the ten best runs by nXCG in 2004 four overlapped by
    13 to 64 % [4]_.

    ====================================== =========================== ====================================
    what                                   published                   simulated
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
    What comes out with 12 runs on 60 topics (seed 1):

    ============================================ ================ ========= ================ =========
    of a topic, or on average                    2005, published  simulated 2006, published  simulated
    ============================================ ================ ========= ================ =========
    relevant elements, without "?"               522              637       1908             1709
    passages                                     156              130       80               49
    relevant documents with one passage          just over 50 %   57 %      over 70 %        82 %
    specificity of relevant articles             0.12             0.12      0.32             0.30
    specificity of relevant sections             0.51             0.34      0.67             0.67
    specificity of relevant paragraphs           0.94             0.98      0.94             0.99
    "?" elements shorter than 55 characters      79 %             91 %
    ============================================ ================ ========= ================ =========

    All assessments obey the rules that `metaeval.inex.read_assessments` holds them to. In the log 85 % of the
    highlights and 95 % of the judgments of elements, about, lie further down than the ones before (section 5.1.2), and
    documents take as long as published of the year, log-normal (Table III).

    References
    ----------
    .. [1] Ogilvie and Lalmas (2006).
    .. [2] Pal, Mitra and Kamps (2010), Tables 1 and 2.
    .. [3] Piwowarski, Trotman and Lalmas (2008), sections 3 and 5, Tables IV, VII, VIII, IX and XI, Figure 6.
    .. [4] Kazai, Lalmas and de Vries (2004), Table 3.

    Examples
    --------
    >>> simulated = simulate_inex(year=2005, n_systems=4, n_topics=2, n_documents=50, n_results=20, rng=1)
    >>> [one.run for one in simulated.submissions], simulated.assessments.scale
    (['team1-run1', 'team1-run2', 'team1-run3', 'team2-run1'], '2005')
    >>> len(simulated.submissions[0].results)
    40
    """
    settings = {
        "elements": elements_per_article,
        "relevant": relevant_documents,
        "pool": pool_size,
        "second": n_second,
        "document_agreement": document_agreement,
        "document_kappa": document_kappa,
        "passage_agreement": passage_agreement,
    }
    check_count(n_documents, "n_documents")
    campaign = campaign_of(year, settings, n_documents=n_documents if published else None)
    counts = {
        "n_systems": n_systems,
        "n_topics": n_topics,
        "n_documents": n_documents,
        "n_results": n_results,
        "runs_per_group": runs_per_group,
        "pool_size": campaign.pool,
    }
    for name, value in counts.items():
        check_count(value, name)
    check_count(campaign.second, "n_second", least=0)
    kind = task or ("mixed" if year < _FIRST_WITH_OFFSETS else "focused")
    check_choice(kind, "task", get_args(InexTask))
    generator, source = resolve_rng(rng)
    articles = make_articles(generator, campaign.template, n_documents, campaign.elements)
    manner = WIDE
    if published:
        manner = CROWDED if year > _LAST_GRADED else OVERLAPPING
    assessor = Assessor(generator, articles, campaign)
    truth = assessor.highlights(n_topics)
    systems = Systems.drawn(generator, n_systems, runs_per_group, kind, manner)
    topics = tuple(f"{year}{number:0{max(3, len(str(n_topics)))}d}" for number in range(1, n_topics + 1))
    lists = [
        answers_of(generator, articles, truth, systems, topic, n_results)
        for topic in track(range(n_topics), description="making topics")
    ]
    judged = [pool_of(articles, answers, campaign.pool) for answers in lists]
    write = _Writer(articles, systems, topics, year)
    graded = year <= _LAST_GRADED
    second = judged[: campaign.second]
    second_truth = assessor.second(truth, second)
    assessments, second_assessments = (
        assess_documents(
            generator, articles, highlights, pools, topics=topics, scale=campaign.scale, graded=graded, source=source
        )
        for highlights, pools in ((truth, judged), (second_truth, second))
    )
    submissions = tuple(write.submission(generator, lists, row) for row in range(n_systems))
    log = make_log(generator, assessments, year)
    return SimulatedInex(
        year=year,
        submissions=submissions,
        groups=tuple(name.split("-")[0] for name in systems.names),
        assessments=assessments,
        second_assessments=second_assessments,
        sizes=articles.sizes(),
        log=log if year >= _FIRST_WITH_LOG else log.iloc[:0],
        articles=articles,
        qualities=systems.quality,
        random_source=source,
    )


class _Writer(NamedTuple):
    """Puts lists down as results of a year."""

    articles: SimulatedArticles
    systems: Systems
    topics: tuple[str, ...]
    year: int

    def submission(self, generator: np.random.Generator, lists: list[list[Answer]], row: int) -> Submission:
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
            results=table_of("results", results),
            answered=self.topics,
            source="simulated",
        )

    def _places(self, generator: np.random.Generator, elements: Ints, row: int) -> dict[str, NDArray[np.generic]]:
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
