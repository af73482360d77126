# ruff: noqa: RUF001 - Greek letters and the true minus sign are what people see
"""The first sentence of every page on agreement, judgments, judges, people, assessments, metrics and scores.

A table of pages and the sentence each begins with, and a law over all of them: one sentence, at most 25 words, no
number that the page does not show, key figures of at most five rows, and at most 800 words before anything is opened.
"""

import random
import re
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from metaeval import read_scores
from metaeval.agreement.labels import as_labels
from metaeval.base.provenance import record_provenance
from metaeval.collection.assembly import collection_from_rankings
from metaeval.inex.simulation import simulate_inex
from metaeval.io.trec import read_collection
from metaeval.metrics.scoring import score
from metaeval.page.blocks import MOST_KEY_FIGURES, Choice, Fold, Items, Picture, Text
from metaeval.page.tables import Table
from metaeval.questions.agree.study import audit_quantisations, study_agree
from metaeval.questions.assessment.study import study_assessment
from metaeval.questions.check_metric.page import check_metric_report
from metaeval.questions.human.study import study_human
from metaeval.questions.human.study_campaign import study_campaign
from metaeval.questions.judges.page import judges_report
from metaeval.questions.judges.study import study_judges
from metaeval.questions.judgments.study import study_judgments
from metaeval.questions.reliability.study import study_reliability
from metaeval.questions.score.page import score_report
from metaeval.table.scores import as_scores

SIMULATED = Path(__file__).parents[2] / "examples" / "simulated"
MOST_WORDS, MOST_OPEN = 25, 800
PAGES = {}
pytestmark = [
    pytest.mark.usefixtures("checkout"),
    pytest.mark.usefixtures("one_core"),
    pytest.mark.filterwarnings("ignore"),
]


def page(name, expected):
    """Enter a function that makes a page under a name, with the first sentence of it."""

    def entered(build):
        PAGES[name] = (cache(build), expected)
        return build

    return entered


@cache
def collection():
    """Read the runs and judgments that come with the package."""
    runs, qrels = (str(SIMULATED / "collection" / name) for name in ("runs", "qrels.txt.gz"))
    return read_collection([runs], qrels, retrieved="all")


def scored(values, **labels):
    return as_scores(np.asarray(values, dtype=float), **labels)


NOISE = np.random.default_rng(0).normal(0, 0.1, (4, 6, 20)) + np.linspace(0.2, 0.8, 6)[:, None]

# ------------------------------------------------------------------------------------------------------ metaeval agree


@page(
    "scores",
    "No: of 3 metrics compared with AP (named first), all lead to different conclusions "
    "(F1 0.58 [0.25, 0.86] to 0.73 [0.60, 0.84]).",
)
def _():
    return study_agree(read_scores(SIMULATED / "scores.csv.gz"), tests=["t"], rng=0).report()


@page(
    "two metrics",
    "No: RR leads to different conclusions than AP, finding 106 of 187 significant pairs, contradicting none "
    "(F1 0.72 [0.65, 0.79]).",
)
def _():
    return study_agree(score(collection(), ["AP", "RR"]), tests=["t"], rng=0).report()


@page(
    "an audit",
    "No: of 4 uses of the grades, all lead to the same conclusions (F1 0.96 [0.92, 0.98] to 0.99 [0.96, 1.00]).",
)
def _():
    return audit_quantisations(collection(), "AP,nDCG@10", tests=["t"], rng=0).report()


@page("ties", "Inconclusive: neither RR nor AP finds a significant pair.")
def _():
    return study_agree(scored(np.ones((2, 4, 8)), metrics=["AP", "RR"]), tests=["t"], rng=0).report()


@page("ties under one", "Inconclusive: RR finds no significant pair.")
def _():
    scores = scored(np.stack([NOISE[0], np.ones((6, 20))]), metrics=["AP", "RR"])
    return study_agree(scores, tests=["t"], n_topic_resamples=20, rng=0).report()


@page("two systems", "Inconclusive: F1 of RR with AP is 1.00, without an interval.")
def _():
    scores = scored(NOISE[:2, ::5], metrics=["AP", "RR"])
    return study_agree(scores, tests=["t"], n_topic_resamples=None, rng=0).report()


# -------------------------------------------------------------------------------------------------- metaeval judgments


@page(
    "less",
    "36 % of the judged documents are enough to keep the ranking under AP (mean τ ≥ 0.9; in all 4 draws with 48 %).",
)
def _():
    asked = {"questions": ["less-judging"], "reductions": ["stratified"], "n_replicates": 4, "rng": 0}
    return study_judgments(collection(), ["AP"], steps=[10, 50], **asked).report()


@page(
    "new systems",
    "Without its group in the pool, a run's score would change by −18.7 % on average (AP), its place by 4 at most.",
)
def _():
    names = collection().systems
    groups = collection().with_groups({name: name.split("-")[0] for name in names})
    return study_judgments(groups, ["AP", "AP(judged_only=True)"], questions=["new-systems"], rng=0).report()


@page("nothing to rank", "All runs tie, so there is no ranking to compare.")
def _():
    same = {"1": ["d1", "d2", "d3"], "2": ["d5", "d6"]}
    qrels = {"1": {"d1": 1, "d2": 0, "d3": 1}, "2": {"d5": 1, "d6": 0}}
    alike = collection_from_rankings(dict.fromkeys("abc", same), qrels, retrieved="all")
    asked = {"questions": ["less-judging"], "reductions": ["stratified"], "n_replicates": 2, "rng": 0}
    return study_judgments(alike, ["AP"], **asked).report()


# ----------------------------------------------------------------------------------------------------- metaeval judges


def labels(*judges, n=300, topics=10, seed=0):
    """Labels of a truth, "nist", and of judges with the share that they draw anew."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    made = {"nist": truth}
    for place, share in enumerate(judges):
        made[f"j{place}"] = np.where(rng.random(n) < share, rng.integers(0, 3, n), truth)
    index = pd.MultiIndex.from_arrays([[str(one % topics) for one in range(n)], [f"d{one}" for one in range(n)]])
    return as_labels(pd.DataFrame(made, index.set_names(["topic", "item"]), dtype=float))


def judged(*shares, **options):
    topics = options.pop("topics", 10)
    return judges_report(study_judges(labels(*shares, topics=topics), n_resamples=60, rng=0, **options))


@page("one judge", "j0 has a κ with quadratic weights of 0.76 [0.71, 0.81] with nist.")
def _():
    return judged(0.2, reference="nist")


@page(
    "two judges",
    "j0 agrees most with nist (κ with quadratic weights 0.76 [0.70, 0.82]).",
)
def _():
    return judged(0.2, 0.8, reference="nist")


@page(
    "two on one topic",
    "j0 agrees most with nist (κ with quadratic weights 0.76); one topic gives no interval.",
)
def _():
    return judged(0.2, 0.8, reference="nist", topics=1)


@page("many judges", "j0 agrees most with nist (κ with quadratic weights 0.90 [0.87, 0.93]).")
def _():
    return judged(0.1, *[0.7] * 6, reference="nist")


@page(
    "no reference",
    "Krippendorff's α of the 3 judges is 0.36 [0.27, 0.44]: they agree more than by chance, but too little even for "
    "tentative conclusions (0.667).",
)
def _():
    return judged(0.2, 0.8)


@page(
    "by chance",
    "Krippendorff's α of the 2 judges is −0.05 [−0.20, 0.09]: agreement beyond chance is not shown.",
)
def _():
    return judged(1.0)


@page("one label", "Cannot be said: Krippendorff's α is undefined, as only one label occurs.")
def _():
    index = pd.MultiIndex.from_product([["1", "2"], ["x", "y"]], names=["topic", "item"])
    study = study_judges(as_labels(pd.DataFrame({"a": 1.0, "b": 1.0}, index)), n_resamples=20, rng=0)
    return judges_report(study)


# ------------------------------------------------------------------------------------------------------ metaeval human


@cache
def with_people():
    """Scores of eight systems by people and by two metrics, one close and one loose, on items of documents."""
    random.seed(4)
    rows = []
    for system in range(8):
        for seg in range(60):
            quality = system / 4 + random.gauss(0, 1)
            rows.append((f"s{system}", seg, quality, quality + random.gauss(0, 0.5), quality / 4 + random.gauss(0, 1)))
    frame = pd.DataFrame(rows, columns=["system", "item", "human", "close", "loose"])
    wide = frame.set_index(["system", "item"]).to_xarray().to_dataarray("metric")
    return wide.transpose("metric", "system", "item")


def compared(scores, **options):
    return study_human(scores, reference="human", n_resamples=200, rng=0, **options).report()


@page(
    "people",
    "Yes: both metrics agree with people beyond chance, best close (Pearson's r 0.998 [0.985, 1.000] at system level).",
)
def _():
    return compared(with_people())


@page(
    "noise and people",
    "Partly: 1 of 2 metrics agree with people beyond chance, best close (Pearson's r 0.998 [0.985, 1.000]"
    " at system level).",
)
def _():
    scores = with_people().copy(deep=True)
    scores.loc[{"metric": "loose"}] = np.random.default_rng(1).normal(size=scores.shape[1:])
    return compared(scores)


@page(
    "noise alone",
    "Open: loose does not surely agree with people beyond chance (Pearson's r 0.645 [0.0, 1.0] at system level).",
)
def _():
    scores = with_people().sel(metric=["human", "loose"]).copy(deep=True)
    scores.loc[{"metric": "loose"}] = np.random.default_rng(1).normal(size=scores.shape[1:])
    return compared(scores)


@page(
    "means alone",
    "A and B agree best with people as observed, without an interval (Pearson's r 1.000 at system level).",
)
def _():
    means = pd.DataFrame({"human": [1.0, 2, 3, 5], "A": [1.0, 2, 3, 5], "B": [2.0, 4, 6, 10]})
    return compared(means.set_index(pd.Index(list("wxyz"), name="system")))


def of_means(**columns):
    return compared(pd.DataFrame(columns).set_index(pd.Index(list("ABCDEF")[: len(columns["human"])], name="system")))


@page(
    "means in reverse",
    "No, as observed, without an interval: m1 orders systems rather the other way round (Pearson's r −1.000 at "
    "system level).",
)
def _():
    return of_means(human=[1, 2, 3], m1=[3, 2, 1])


@page(
    "two metrics of means in reverse",
    "No, as observed, without an interval: even m2 orders systems rather the other "
    "way round (Pearson's r −0.500 at system level).",
)
def _():
    return of_means(human=[1, 2, 3], m1=[3, 2, 1], m2=[3, 1, 2])


@page("means of two systems", "Not computed: Pearson's r at system level takes three systems at least.")
def _():
    return of_means(human=[1, 2], m1=[3, 2])


@page(
    "a constant of means",
    "Not computed: Pearson's r at system level is undefined, as people, or the metrics, give one score to all.",
)
def _():
    return of_means(human=[1, 2, 3], m1=[2, 2, 2])


@page(
    "people in reverse",
    "No: loose orders systems the other way round than people beyond chance (Pearson's r −0.785 [−1.0, −0.1]"
    " at system level).",
)
def _():
    return compared(-with_people().sel(metric=["loose", "human"]) * xr.DataArray([1, -1], dims="metric"))


@page(
    "a campaign of one correlation, in reverse",
    "No, as observed: close orders systems rather the other way round (−0.998 [−1.000, −0.983], Pearson's r).",
)
def _():
    turned = with_people().sel(metric=["close", "human"]) * xr.DataArray([-1, 1], dims="metric")
    return campaign_page(turned, tasks=["pearson"], n_chance=0)


def campaign_page(scores, **options):
    return study_campaign(scores, reference="human", n_resamples=200, n_flips=1000, rng=0, **options).report()


@page(
    "a campaign of tasks",
    "Yes: both metrics agree with people beyond chance, best close (0.942 [0.926, 0.958], average of 3 tasks).",
)
def _():
    return campaign_page(with_people())


@page(
    "a campaign with noise",
    "Partly: 1 of 2 metrics agree with people beyond chance, best close (0.942 [0.926, 0.958], average of 3 tasks).",
)
def _():
    scores = with_people().copy(deep=True)
    scores.loc[{"metric": "loose"}] = np.random.default_rng(2).normal(size=scores.shape[1:])
    return campaign_page(scores)


@page(
    "one task, one metric of noise",
    "Open: loose does not surely agree with people beyond chance (0.520 [0.48, 0.56], accuracy with calibrated ties).",
)
def _():
    scores = with_people().sel(metric=["human", "loose"]).copy(deep=True)
    scores.loc[{"metric": "loose"}] = np.random.default_rng(1).normal(size=scores.shape[1:])
    return campaign_page(scores, tasks="acc_eq")


@page(
    "one task without chance",
    "close agrees best with people as observed (0.982 [0.94, 1.00], soft pairwise accuracy).",
)
def _():
    return campaign_page(with_people(), tasks="spa", n_chance=0)


@page(
    "people who give one score",
    "Cannot be said: agreement is undefined, as people, or the metrics, give one score to all (average of 2 tasks).",
)
def _():
    scores = with_people().copy(deep=True)
    scores.loc[{"metric": "human"}] = 1.0
    return campaign_page(scores, tasks="acc_eq, pearson:item")


# ------------------------------------------------------------------------------- metaeval assessment and reliability


@cache
def campaign(year):
    return simulate_inex(
        year=year, n_systems=4, n_topics=3, n_documents=100, n_results=60, pool_size=40, rng=2, published=False
    )


@page("assessments", "A topic has on average 38.0 documents assessed (36 to 40), 20.0 of them relevant (12 to 25).")
def _():
    made = campaign(2005)
    given = {"submissions": made.submissions, "second": made.second_assessments, "sizes": made.sizes}
    return study_assessment(made.assessments, **given).report()


@page("no metric does", "No: inex2002(quant=SOG) ranks the ideal run irb number 5 of 6, below frb.")
def _():
    made = campaign(2004)
    return study_reliability(made.assessments, metrics=["inex2002(quant=SOG)"], sizes=made.sizes).report()


@page("one metric does", "Not all: 1 of 2 metrics ranks the ideal run irb at least as high as every other.")
def _():
    made = campaign(2004)
    names = ["inex2002(quant=SOG)", "nxCGpercent(quant=SOG)"]
    return study_reliability(made.assessments, metrics=names, sizes=made.sizes).report()


# --------------------------------------------------------------------------------- metaeval score and check-metric


def scored_page(scores):
    return score_report(scores, provenance=record_provenance("score"))


@page("runs", "team2-run2 has the best mean AP, 0.5718 [0.5219, 0.6218], and team7-run1 the worst, 0.0631.")
def _():
    return scored_page(score(collection(), ["AP", "nDCG@10"]))


@page("runs that tie", "Both runs have a mean AP of 0.5000.")
def _():
    return scored_page(scored(np.full((1, 2, 3), 0.5), metrics=["AP"]))


@page("two best", "system1 and system2 have the best mean AP, 0.5000, and system3 the worst, 0.1000.")
def _():
    return scored_page(scored([[[0.5] * 3, [0.5] * 3, [0.1] * 3]], metrics=["AP"]))


@page("one run", "good has a mean AP of 1.0000.")
def _():
    return scored_page(score(collection_from_rankings({"good": {"1": ["d"]}}, {"1": {"d": 1}}), ["AP"], fewest=1))


def examined(**states):
    """Make the page of metrics whose laws have these states."""
    rows = [
        (metric, "law", f"Law {place}", state, "a list" * (state == "broken"))
        for metric, own in states.items()
        for place, state in enumerate(own)
    ]
    rows += [(metric, "declared", "What it is", "", "a metric") for metric in states]
    found = pd.DataFrame(rows, columns=["metric", "kind", "name", "state", "found"])
    return check_metric_report(found, n_collections=5, provenance=record_provenance("check-metric"))


@page("laws that hold", "Yes: A obeys every law that was tried (2).")
def _():
    return examined(A=["holds", "holds", "not declared"])


@page("a broken law", "No: A breaks 1 of 2 laws: law 1.")
def _():
    return examined(A=["holds", "broken"])


@page("broken laws", "No: A breaks 2 of 3 laws: law 1 (and 1 more).")
def _():
    return examined(A=["holds", "broken", "broken"])


@page("one of two metrics", "No: B breaks 1 of 4 laws tried on 2 metrics.")
def _():
    return examined(A=["holds", "holds"], B=["broken", "holds"])


@page("no law tried", "Open: no law could be tried on A.")
def _():
    return examined(A=["not tried", "not declared"])


# ---------------------------------------------------------------------------------------------------------- the laws


@pytest.mark.parametrize("name", PAGES)
def test_the_first_sentence(name):
    """It is the one in the table."""
    build, expected = PAGES[name]
    assert build().summary[0] == expected


def words_of(block):
    """Return every text of a block that stands open, of a table as the page shows it."""
    if isinstance(block, Table):
        heads = [f"{column.label} {column.group}" for column in block.columns]
        return [block.title, block.caption, *heads, *(cell.text for row in block.cells() for cell in row)]
    if isinstance(block, Items):
        return [f"{item.term} {item.words}" for item in block.items]
    return [*block.paragraphs] if isinstance(block, Text) else [block.title, block.caption]


def shown_tables(report):
    return " ".join(words for table in report.tables() for words in words_of(table))


def numbers_of(words):
    """Return the numbers of a text that are no part of a name."""
    return re.findall(r"(?<![\w@(=.−-])−?\d+(?:\.\d+)?", words)


def refutes(report):
    """Yield what a page breaks of the laws of first sentences."""
    first, *others = report.summary
    bare = re.sub(r"\d\.\d", "0", first)
    if not first.endswith(".") or re.search(r"[.!?] [A-Z]", bare.removesuffix(".")):
        yield f"not one sentence: {first}"
    if len(first.split()) > MOST_WORDS:
        yield f"{len(first.split())} words: {first}"
    if len(others) > 2:
        yield f"{len(others)} more paragraphs"
    shown = {number.replace(",", "") for number in re.findall(r"−?\d+(?:[.,]\d+)*", shown_tables(report))}
    shown |= {str(len(table.frame)) for table in report.tables()}  # how many there are of something
    for number in numbers_of(first):
        if number not in shown:
            yield f"{number} stands in no table: {first}"
    if report.key_figures is not None and len(report.key_figures.frame) > MOST_KEY_FIGURES:
        yield "too many key figures"
    if (n := open_words(report)) > MOST_OPEN:
        yield f"{n} words before anything is opened"
    if any(words.strip() in {"None.", "There are none."} for part in report.sections for words in open_texts(part)):
        yield "a section that says none"


def open_texts(section):
    return [
        words for block in section.open_blocks() if not isinstance(block, Fold | Choice) for words in words_of(block)
    ]


def open_words(report):
    """Count what stands open: summary, key figures, and of brief sections leads, captions and ten rows of a table."""
    texts = [*report.summary, *(words_of(report.key_figures) if report.key_figures is not None else ())]
    for section in report.sections:
        texts.append(section.title)
        if section.brief:
            texts.append(section.lead)
            for block in section.open_blocks():
                texts += words_of(block)[: 3 + 11 * len(block.columns)] if isinstance(block, Table) else words_of(block)
    return len(" ".join(texts).split())


@pytest.mark.parametrize("name", PAGES)
def test_every_page_keeps_the_laws(name):
    """One sentence, few words, shown numbers, few rows, and no more open than one takes in."""
    assert [*refutes(PAGES[name][0]())] == []


@pytest.mark.parametrize("name", ["scores", "an audit", "less", "people", "two judges", "no reference"])
def test_what_the_page_is_about_is_its_first_picture(name):
    """Where a page has a picture that answers, it opens the first section."""
    first = PAGES[name][0]().sections[0]
    assert first.brief
    assert isinstance(first.blocks[0], Picture)


def test_judges_beside_runs_keep_the_laws(judged_study):
    """With runs, people, groups, and any number of judges."""
    for options in (
        {},
        {"people": False},
        {"groups": False},
        {"judges": ("model",)},
        {"reference": None, "people": False},
    ):
        assert [*refutes(judges_report(judged_study(**options)))] == []
