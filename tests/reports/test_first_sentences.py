# ruff: noqa: E501, RUF001 - a page and its sentence stand on one line each
"""Every page answers its title in one sentence: a table of questions with their answers, and the law of all answers."""

import re
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from metaeval.io.tables import read_scores
from metaeval.page.blocks import MOST_KEY_FIGURES, Items, Text
from metaeval.page.tables import Table
from metaeval.questions.compare_metrics.study import study_compare_metrics
from metaeval.questions.compare_tests.study import study_compare_tests
from metaeval.questions.components.study import study_components
from metaeval.questions.design.study import study_design
from metaeval.questions.leaderboard.study import study_leaderboard
from metaeval.questions.power.study import study_power
from metaeval.questions.table.study import study_table
from metaeval.questions.topics.page import with_topics
from metaeval.questions.topics.study import study_topics
from metaeval.table.scores import as_scores

pytestmark = [pytest.mark.usefixtures("one_core"), pytest.mark.usefixtures("checkout")]

EXAMPLES = Path(__file__).parents[2] / "examples"
MOST_WORDS, MOST_OPEN, MOST_ROWS = 25, 800, 10
QUICK = {"n_resamples": 100, "rng": 1}


@cache
def simulated(*metrics):
    """Return the simulated scores that the documentation shows, under some or all metrics."""
    scores = read_scores(EXAMPLES / "simulated" / "scores.csv.gz")
    return scores.sel(metric=list(metrics)) if metrics else scores


@cache
def mteb():
    """Return the scores of 183 models on 41 tasks."""
    return read_scores(EXAMPLES / "mteb" / "main_score.csv")


def made(*reaches, n_systems=6, n_topics=30, noise=1.0, seed=8):
    """Return scores of systems in equal steps up to a reach, one metric each, with noise or without."""
    draw = np.random.default_rng(seed)
    shape = (n_systems, n_topics)
    values = [np.linspace(0, reach, n_systems)[:, None] + draw.normal(0, noise, shape) for reach in reaches]
    return as_scores(np.stack(values), metrics=list("ABCDEF")[: len(reaches)], systems=list("uvwxyz")[:n_systems])


def alike(*names):
    """Return the same scores under several names."""
    return as_scores(np.stack([made(3.0).to_numpy()[0]] * len(names)), metrics=list(names), systems=list("uvwxyz"))


def constant():
    """Return six systems that do not differ at all."""
    return as_scores(np.tile(np.random.default_rng(0).random(30), (2, 6, 1)), metrics=["A", "B"])


def two(**leads):
    """Return two systems, "b" ahead of "a" by so much under each metric."""
    noise, base = np.random.default_rng(0).normal(0, 0.02, 12), np.linspace(0.2, 0.5, 12)
    return as_scores({name: pd.DataFrame({"a": base, "b": base + lead + noise}) for name, lead in leads.items()})


def power(scores, **options):
    """Return the page of a study of power."""
    return study_power(scores, **({"tests": ["t"], "n_topic_resamples": 0} | QUICK | options)).report()


def topics(scores, **options):
    """Return the page of a study of topics."""
    quick = {"n_trials": 5, "tolerances": [0, 0.1], "differences": False, "n_topic_resamples": 20, "rng": 1}
    return study_topics(scores, **(quick | options)).report()


def whole(scores):
    """Return the page that `metaeval report` writes."""
    needed = study_topics(scores, n_trials=5, tolerances=[0, 0.1], differences=False, n_topic_resamples=20, rng=1)
    return with_topics(power(scores, n_topic_resamples=50), needed)


def leaderboard(scores, **options):
    """Return the page of a leaderboard."""
    return study_leaderboard(scores, **({"n_splits": 2} | QUICK | options)).report()


def components(scores, **options):
    """Return the page of components of variance."""
    return study_components(scores, n_splits=2, rng=1, **options).report()


def tried(*, repeats=4):
    """Return passes and failures of six systems on thirty items, several times each."""
    draw = np.random.default_rng(5)
    level = np.linspace(-1, 1, 6)[:, None, None] + draw.normal(0, 0.7, (1, 30, 1)) + draw.normal(0, 0.5, (6, 30, 1))
    return as_scores((level + draw.normal(size=(6, 30, repeats)) > 0)[None].astype(float), metrics=["accuracy"])


def design(scores=None, **options):
    """Return the page of a design."""
    return study_design(scores, **({"differences": [0.05]} | options)).report()


def table(scores, **options):
    """Return the page of a table."""
    return study_table(scores, **options).report()


def metrics(scores, **options):
    """Return the page of a comparison of metrics."""
    quick = {"topics": False, "n_topic_resamples": 50, "n_choices": 20}
    return study_compare_metrics(scores, **(quick | QUICK | options)).report()


def halves(scores, **options):
    """Return the page of a comparison of tests."""
    quick = {"n_splits": 10, "tests": ["t", "sign"], "corrections": ["none"]}
    return study_compare_tests(scores, **(quick | QUICK | options)).report()


NOISE = np.random.default_rng(0).random((1, 6, 40))
NOISE -= NOISE.mean(axis=2, keepdims=True)
PAGES = {
    "power: one is ahead": (
        lambda: power(simulated(), n_topic_resamples=50),
        "nDCG@10: 141 of 276 pairs (51.1 % [44, 57]) differ significantly (paired t, Benjamini–Yekutieli), the most of 4 metrics.",
    ),
    "power: one metric": (
        lambda: power(simulated("AP")),
        "Partly: 103 of 276 pairs (37.3 %) differ significantly under AP (paired t, Benjamini–Yekutieli).",
    ),
    "power: one metric and all pairs": (
        lambda: power(made(60.0)),
        "Yes: 15 of 15 pairs (100.0 %) differ significantly under A (paired t, Benjamini–Yekutieli).",
    ),
    "power: one metric and no pair": (
        lambda: power(constant().sel(metric=["A"])),
        "No: none of 15 pairs differs significantly under A (paired t, Benjamini–Yekutieli).",
    ),
    "power: no pair": (
        lambda: power(constant()),
        "None of 15 pairs differs significantly under any of 2 metrics (paired t, Benjamini–Yekutieli).",
    ),
    "power: two tie": (
        lambda: power(alike("A", "B")),
        "13 of 15 pairs (86.7 %) differ significantly under each of 2 metrics (paired t, Benjamini–Yekutieli).",
    ),
    "power: three of four tie": (
        lambda: power(
            as_scores(np.concatenate([alike(*"ABC").to_numpy(), constant().to_numpy()[:1]]), metrics=list("ABCD"))
        ),
        "A, B and C: 13 of 15 pairs (86.7 %) differ significantly under each (paired t, Benjamini–Yekutieli), the most of 4 metrics.",
    ),
    "power: two of three tie": (
        lambda: power(
            as_scores(np.concatenate([alike(*"AB").to_numpy(), constant().to_numpy()[:1]]), metrics=list("ABC"))
        ),
        "A and B: 13 of 15 pairs (86.7 %) differ significantly under each (paired t, Benjamini–Yekutieli), the most of 3 metrics.",
    ),
    "power: by bootstrap": (
        lambda: power(simulated("AP", "RR"), tests=["bootstrap_sensitivity"], corrections=["none"]),
        "AP: 156 of 276 pairs (57 %) differ significantly (bootstrap sensitivity, uncorrected), the most of 2 metrics.",
    ),
    "power: Holm alone": (
        lambda: power(simulated("AP", "RR"), corrections=["holm"]),
        "AP: 66 of 276 pairs (23.9 %) differ significantly (paired t, Holm), the most of 2 metrics.",
    ),
    "power: models": (
        lambda: power(mteb()),
        "Partly: 12,707 of 16,653 pairs (76.3 %) differ significantly under main_score (paired t, Benjamini–Yekutieli).",
    ),
    "power: a pair, yes": (
        lambda: power(two(AP=0.2)),
        "Yes: b is significantly better than a under AP (0.550 against 0.350; paired t).",
    ),
    "power: a pair, no": (
        lambda: power(two(AP=0.0)),
        "No: a and b do not differ significantly under AP (0.350 against 0.350; paired t).",
    ),
    "power: a pair, partly": (
        lambda: power(two(AP=0.2, P=-0.2, RR=0.0)),
        "Partly: a is significantly better than b under P and worse under AP, of 3 metrics (paired t).",
    ),
    "power: a pair, all": (
        lambda: power(two(AP=0.2, P=0.2, RR=0.2)),
        "Yes: b is significantly better than a under all 3 metrics (paired t).",
    ),
    "power: a pair, none": (
        lambda: power(two(AP=0.0, P=0.0)),
        "No: a and b do not differ significantly under any of 2 metrics (paired t).",
    ),
    "report": (
        lambda: whole(simulated()),
        "nDCG@10: 141 of 276 pairs (51.1 % [44, 57]) differ significantly (paired t, Benjamini–Yekutieli), the most of 4 metrics.",
    ),
    "topics: by the model": (
        lambda: topics(simulated()),
        "From 184 [120, 340] (90 % interval) topics (nDCG@10) to 730 [390, 1600] (RR) keep the disagreement of two topic sets within 5 %.",
    ),
    "topics: one metric": (
        lambda: topics(simulated("AP")),
        "310 [190, 630] (90 % interval) topics keep the disagreement of two topic sets within 5 % under AP; there are 50.",
    ),
    "topics: as observed": (
        lambda: topics(simulated(), bayesian=False),
        "More than 50 topics, under every metric, are needed to keep the disagreement of two topic sets within 5 %, as observed.",
    ),
    "topics: with a tolerance alone": (
        lambda: topics(simulated(), tolerances=[0.1]),
        "From 13 [10, 18] (90 % interval) topics (P@10) to 22 [15, 35] (AP) keep the disagreement of two topic sets within 5 % (tolerance 10 %).",
    ),
    "topics: past the limit": (
        lambda: topics(simulated("AP"), bayesian=False, limit=60),
        "More than 60 topics are needed to keep the disagreement of two topic sets within 5 % under AP, as observed.",
    ),
    "topics: all are enough": (
        lambda: topics(made(60.0, 60.0) + 5.0),
        "Fewer than 5 topics, under every metric, keep the disagreement of two topic sets within 5 %; there are 30.",
    ),
    "topics: no number": (
        lambda: topics(as_scores(1 + NOISE), tolerances=[0], bayesian=False),
        "No number of topics can be given that keeps the disagreement of two topic sets within 5 % under metric1.",
    ),
    "leaderboard: no, four metrics": (
        lambda: leaderboard(simulated()),
        "No: 4 to 6 of 24 systems may be first under each of 4 metrics, and 50 topics separate none of 23 neighbour pairs.",
    ),
    "leaderboard: no, one metric": (
        lambda: leaderboard(mteb()),
        "No: jcorners/ingot-8b-r3 leads under main_score, but 11 of 182 others may be first as well; 1 of 182 neighbour pairs differs significantly.",
    ),
    "leaderboard: yes": (
        lambda: leaderboard(made(60.0)),
        "Yes: z is first under A, and all 5 pairs of neighbours differ significantly.",
    ),
    "leaderboard: yes, two metrics": (
        lambda: leaderboard(made(60.0, 50.0)),
        "Yes: all 5 pairs of neighbours differ significantly under each of 2 metrics.",
    ),
    "leaderboard: partly, the first place": (
        lambda: leaderboard(
            as_scores(
                np.concatenate([made(0.1).to_numpy()[0][:5], made(0.1).to_numpy()[0][5:] + 3]),
                systems=list("uvwxyz"),
                metrics=["A"],
            )
        ),
        "Partly: z is significantly the best under A, but only 1 of 5 neighbour pairs differs significantly.",
    ),
    "leaderboard: partly, the neighbours": (
        lambda: leaderboard(
            as_scores(
                np.concatenate([(v := made(60.0).to_numpy()[0])[:5], v[4:5]]), systems=list("uvwxyz"), metrics=["A"]
            )
        ),
        "Partly: y and z lead under A and cannot be told apart; 4 of 5 neighbour pairs differ significantly.",
    ),
    "leaderboard: partly, two metrics": (
        lambda: leaderboard(made(60.0, 0.1)),
        "Partly: one system is significantly the best under 1 of 2 metrics, and 0 to 5 of 5 neighbour pairs differ significantly.",
    ),
    "leaderboard: two systems, yes": (
        lambda: leaderboard(two(AP=0.2)),
        "Yes: b is significantly better than a under AP by 0.200 [0.191, 0.210] (0.550 against 0.350; paired t).",
    ),
    "leaderboard: two systems, no": (
        lambda: leaderboard(two(AP=0.0)),
        "No: a and b do not differ significantly under AP (0.350 against 0.350; a less b 0.000 [−0.010, 0.009], p = 0.9191; paired t).",  # scipy.stats.ttest_rel
    ),
    "leaderboard: two systems, partly": (
        lambda: leaderboard(two(AP=0.2, P=0.0)),
        "Partly: b is significantly better than a under AP, of 2 metrics (paired t).",
    ),
    "leaderboard: gaps": (
        lambda: leaderboard(
            as_scores(
                np.where(np.arange(30) == np.arange(6)[:, None], np.nan, made(3.0).to_numpy()[0]),
                missing="pairwise",
                metrics=["A"],
            )
        ),
        "Partly: system6 is significantly the best under A, but only 3 of 5 neighbour pairs differ significantly.",
    ),
    "leaderboard: no intervals": (
        lambda: leaderboard(
            as_scores(
                made(3.0).to_numpy()[0], metrics=["A"], clusters={str(one + 1): str(one % 5) for one in range(30)}
            )
        ),
        "Open: system6 leads under A, but 6 of 6 systems may be first; none of 5 neighbour pairs differs significantly.",
    ),
    "leaderboard: all alike": (
        lambda: leaderboard(constant()),
        "No: 6 of 6 systems may be first under each of 2 metrics, and 30 topics separate none of 5 neighbour pairs.",
    ),
    # shares of a score by mean squares, as expected of them, in NumPy
    "components: four metrics": (
        lambda: components(simulated()),
        "Of the variance of a score topics make 58.9 % to 69.2 %, systems × topics 22.8 % to 37.6 % and systems 3.5 % to 8.1 % under all 4 metrics.",
    ),
    "components: one metric": (
        lambda: components(simulated("AP")),
        "Of the variance of a score topics make 67.8 %, systems × topics (repeats included) 27.0 % and systems 5.2 % under AP.",
    ),
    "components: repeats": (
        lambda: components(tried()),
        "Of the variance of a score repeats make 64.4 %, systems 20.1 % and systems × topics 10.4 % under accuracy.",
    ),
    "components: judges": (
        lambda: components(made(0.5, 1, 2) + 6.0, judges=True),
        "Of the variance of a score systems × topics × judges (repeats included) make 65.7 %, judges 14.2 % and systems 11.4 %.",
    ),
    "components: topics": (
        lambda: components(simulated("AP"), measure="topic"),
        "Of the variance of a score topics make 67.8 %, systems × topics (repeats included) 27.0 % and systems 5.2 % under AP.",
    ),
    "components: a constant metric": (
        lambda: components(made(0.5, 1.0) * np.array([1.0, 0.0])[:, None, None]),
        "Of the variance of a score systems × topics (repeats included) make 96.3 %, systems 3.7 % and topics 0.0 % under A.",
    ),
    "design: paired t": (
        lambda: design(simulated()),
        "A paired t test needs 53 [49, 57] topics (nDCG@10) to 401 [370, 437] (RR) to find a difference of 0.05 with power 0.8.",
    ),
    "design: analysis of variance": (
        lambda: design(simulated(), methods=["anova"]),
        "An ANOVA of 24 systems needs 144 [133, 156] topics (nDCG@10) to 1,126 [1,038, 1,225] (RR) to find a difference of 0.05 with power 0.8.",
    ),
    "design: interval": (
        lambda: design(simulated("AP"), methods=["interval"]),
        "It takes 170 [157, 185] topics (AP) for a 95 % interval of a difference no wider than 0.05.",
    ),
    "design: a variance": (
        lambda: design(variance=0.2, methods=["t"]),
        "A paired t test needs 1,258 topics to find a difference of 0.05 with power 0.8.",
    ),
    "design: too many": (
        lambda: design(variance=0.1, methods=["t"], differences=[1e-7, 0.1]),
        "A paired t test needs more than ten million topics to find a difference of 1e-07 with power 0.8; 159 topics for 0.1.",
    ),
    "table: four metrics": (
        lambda: table(simulated()),
        "51 (RR) to 141 (nDCG@10) of 276 pairs differ significantly (paired t, Benjamini–Yekutieli).",
    ),
    "table: one metric": (
        lambda: table(simulated("AP")),
        "group6-system18 is best under AP, significantly better than 16 of the others; 103 of 276 pairs differ (paired t, Benjamini–Yekutieli).",
    ),
    "table: models": (
        lambda: table(mteb()),
        "jcorners/ingot-8b-r3 is best under main_score, significantly better than 170 of the others; 12,707 of 16,653 pairs differ (paired t, Benjamini–Yekutieli). The first place rests on 1 of 41 items: without Touche2020Retrieval.v3, Kingsoft-LLM/QZhou-Embedding is no worse than jcorners/ingot-8b-r3.",
    ),
    "table: a baseline": (
        lambda: table(simulated(), baseline="group1-system01"),
        "6 (RR) to 21 (nDCG@10) of 23 systems differ significantly from group1-system01 (paired t, Benjamini–Yekutieli).",
    ),
    "table: a baseline, one metric": (
        lambda: table(simulated("AP"), baseline="group1-system01", correction="holm"),
        "11 of 23 systems are significantly better than group1-system01 under AP, none significantly worse (paired t, Holm).",
    ),
    "table: none": (
        lambda: table(constant()),
        "None of 15 pairs differs significantly under any of 2 metrics (paired t, Benjamini–Yekutieli).",
    ),
    "table: none from a baseline": (
        lambda: table(constant(), baseline="system1"),
        "None of 5 systems differs significantly from system1 under any of 2 metrics (paired t, Benjamini–Yekutieli).",
    ),
    "table: the same under two metrics": (
        lambda: table(alike("A", "B")),
        "13 of 15 pairs differ significantly under each of 2 metrics (paired t, Benjamini–Yekutieli).",
    ),
    "table: a pair": (
        lambda: table(two(AP=0.2, P=-0.2)),
        "Yes: a is significantly better than b under P and worse under AP, of 2 metrics (paired t).",
    ),
    "compare-metrics: one is nearest": (
        lambda: metrics(simulated()),
        "No metric is conclusively the best: nDCG@10 comes nearest, better than P@10 in power, with probability 96 %.",
    ),
    "compare-metrics: with topics": (
        lambda: metrics(simulated("AP", "nDCG@10"), topics=True),
        "Adopt nDCG@10: better than AP in power, though not surely on other systems, and power does not say which metric is right.",
    ),
    "compare-metrics: adopt": (
        lambda: metrics(made(0.5, 6.0), current="A"),
        "Adopt B: better than A in power; only power was tried, and power does not say which metric is right.",
    ),
    "compare-metrics: adopt, topics tried": (
        lambda: metrics(made(0.5, 6.0), current="A", topics=True),
        "Adopt B: better than A in power; only power and topics needed were tried, and power does not say which metric is right.",
    ),
    "compare-metrics: keep": (
        lambda: metrics(made(6.0, 0.5, 0.7), current="A"),
        "Keep A: better than every candidate in power; only power was tried, and power does not say which metric is right.",
    ),
    "compare-metrics: no reason": (
        lambda: metrics(made(2.0, 2.0), current="A"),
        "No reason to change from A: B comes nearest, without more power than A.",
    ),
    "compare-metrics: the best of three": (
        lambda: metrics(made(0.5, 6.0, 0.7)),
        "Adopt B: better than every other metric in power; only power was tried, and power does not say which metric is right.",
    ),
    "compare-metrics: the best two": (
        lambda: metrics(made(0.3, 0.3, 6.0, 6.0)),
        "No metric is conclusively the best: C and D come equally near.",
    ),
    "compare-metrics: equals": (
        lambda: metrics(alike("A", "B", "C")),
        "No metric is conclusively the best: A, B and C are equal in power.",
    ),
    "compare-tests: four metrics": (
        lambda: halves(simulated(), corrections=["none", "fdr_by"]),
        "Use the paired t test, which compares means at its level: 3.3 to 10 % of rejections fail on other topics (uncorrected).",
    ),
    "compare-tests: one metric": (
        lambda: halves(simulated("AP")),
        "Use the paired t test, which compares means at its level: 4.5 % of rejections fail on other topics (uncorrected).",
    ),
    "compare-tests: none of means": (
        lambda: halves(simulated("AP"), n_splits=60, tests=["bootstrap_percentile", "sign"]),
        "Add the paired t test, which compares means at its level: of these the sign test errs least (3.2 % of rejections, uncorrected).",
    ),
    "compare-tests: nothing rejected": (
        lambda: halves(constant()),
        "No test rejects a single pair on half of the topics (uncorrected).",
    ),
    "compare-tests: one test": (
        lambda: halves(simulated("AP"), tests=["t"], corrections=["holm"]),
        "The paired t test alone: 0.0 % of its rejections fail on other topics (Holm).",
    ),
}
"""A page by its question: what makes it, and its first sentence."""


@cache
def page(name):
    """Return the page that answers a question of the table."""
    make, _ = PAGES[name]
    return make()


def numbers(words):
    """Return the numbers in some words, each as it is printed; those inside names are none."""
    return set(re.findall(r"(?<![\w@./-])\d+(?:,\d{3})*(?:\.\d+)?(?:e-\d+)?(?![\w@])", words))


def shown(report):
    """Return all that tables, their heads and the line of facts print."""
    cells = [cell.text for one in report.tables() for row in one.cells() for cell in row]
    heads = [column.label for table in report.tables() for column in table.columns if "interval" in column.label]
    return " ".join([*cells, *heads, report.facts_line(), *(value for value, _ in report.facts)])


def first_sentence(words):
    """Return the first sentence; a decimal point, an initial or an abbreviation ends none."""
    return re.split(r"(?:(?<=[^\W_]{2}[.?!])|(?<=[)%'][.?!])) (?=[A-Z])", words, maxsplit=1)[0]


def broken(report):
    """Return which parts of the law of answers a page breaks: one short sentence, whose numbers stand in a table."""
    answer = re.sub(
        r" (This|The first place) rests on .*", "", report.summary[0]
    )  # next to nothing, so it stands there
    figures, breaks = report.key_figures, []
    if first_sentence(answer) != answer or not answer.endswith("."):
        breaks.append("not one sentence")
    if len(re.findall(r"\S*\w\S*", answer)) > MOST_WORDS:
        breaks.append("too long")
    if len(report.summary) > 3:
        breaks.append("more than two paragraphs follow")
    if figures is None or not 0 < len(figures.frame) <= MOST_KEY_FIGURES:
        breaks.append("no key figures, or too many")
    if "±" in answer:
        breaks.append("an error in the answer")
    if lacking := numbers(answer) - numbers(shown(report)):
        breaks.append(f"in no table: {sorted(lacking)}")
    return breaks


def n_open(report):
    """Return how many words stand open: the answer, the key figures, and what brief sections show, ten rows of a table."""
    said = [*report.summary, report.title]
    tables = [] if report.key_figures is None else [report.key_figures]
    for section in (one for one in report.sections if one.brief):
        said += [section.title, section.lead]
        for block in section.open_blocks():
            if isinstance(block, Table):
                tables.append(block)
            elif isinstance(block, Text):
                said += block.paragraphs
            elif isinstance(block, Items):
                said += [f"{item.term} {item.words}" for item in block.items]
            else:
                said += [block.title, block.caption]
    for one in tables:
        said += [one.title, one.caption, *(f"{column.group} {column.label}" for column in one.columns)]
        said += [cell.text for row in one.cells()[:MOST_ROWS] for cell in row]
    return sum(len(words.split()) for words in said)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PAGES)
def test_a_page_answers_its_title_in_one_sentence(name):
    """As the table has it, by the law, with no more than a page's words open and a picture before every table."""
    report, (_, sentence) = page(name), PAGES[name]
    assert report.summary[0] == sentence
    assert broken(report) == []
    assert n_open(report) <= MOST_OPEN
    if report.title.startswith(("Is ", "Do ")):
        assert sentence.startswith(("Yes: ", "Partly: ", "No: ", "Open: "))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name", ["power: one is ahead", "topics: by the model", "leaderboard: no, one metric", "report"]
)
def test_the_picture_stands_first(name):
    """The first block of the first section, also of what a choice shows first, is what the page is about."""
    assert page(name).sections[0].open_blocks()[0].kind == "picture"


SIX = [power, topics, leaderboard, components, design, table, halves, partial(metrics, topics=True, current="A")]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make", SIX)
def test_six_metrics_leave_a_page_as_short(make):
    """The law holds and no more stands open; of so few metrics none is cut."""
    report = make(made(0.5, 1, 2, 3, 4, 5) + 6.0)
    assert broken(report) == []
    assert n_open(report) <= MOST_OPEN
    assert "rows" not in report.key_figures.caption


def test_the_law_sees_a_number_of_no_table():
    """Nor does it take two sentences for one, or a sentence as long as a paragraph."""
    right = page("table: four metrics")
    for words in ("It is 7777.", "It is so. It is not.", "It is so", " ".join(["so"] * 26) + "."):
        assert broken(replace(right, summary=(words,)))
