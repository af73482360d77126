"""The first call of an analyst, sixty times: data as they lie in memory, and the right number at once."""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import metaeval
from metaeval import agreement, io, models, paired_t_test, resampling, score, studies, tests_stat
from metaeval.errors import InvalidOptionError, MetaevalError

_ir_measures, pl = pytest.importorskip("ir_measures"), pytest.importorskip("polars")
AP, Qrel, ScoredDoc = _ir_measures.AP, _ir_measures.Qrel, _ir_measures.ScoredDoc

pytestmark = [
    pytest.mark.usefixtures("one_core"),
    pytest.mark.filterwarnings("ignore::metaeval.errors.MetaevalWarning"),  # so little data reaches no level
]
TOPICS, DOCUMENTS, NAMES = [str(301 + n) for n in range(12)], [f"d{n}" for n in range(30)], ("a", "b", "c")


class Ranx:
    """A run or judgments as ranx has them."""

    def __init__(self, held, name):
        self.held, self.name = held, name

    def to_dict(self):
        """Return the scores, or levels, by query."""
        return self.held


def _flat(by_topic, columns):
    rows = [(topic, document, number) for topic, held in by_topic.items() for document, number in held.items()]
    return pd.DataFrame(rows, columns=columns)


@cache
def made():
    """Return runs, judgments, labels, votes and scores in every form that they come in."""
    generator = np.random.default_rng(0)
    qrels = {topic: {document: int(generator.integers(0, 3)) for document in DOCUMENTS[:20]} for topic in TOPICS}

    def run(skill):
        return {
            topic: {document: float(generator.normal() + skill * held.get(document, 0)) for document in DOCUMENTS}
            for topic, held in qrels.items()
        }

    runs = {name: run(0.4 * place) for place, name in enumerate(NAMES)}
    terrier = {name: _flat(held, ["qid", "docno", "score"]) for name, held in runs.items()}
    judgments = _flat(qrels, ["qid", "docno", "label"])
    table = score(io.collection_from(runs, qrels), ["AP"])
    long = table.to_dataframe("score").reset_index()[["metric", "system", "topic", "score"]]
    rows = [
        (topic, document, judge, int(qrels[topic][document] > 0) if judge == "nist" else int(generator.integers(0, 2)))
        for topic in TOPICS
        for document in DOCUMENTS[:20]
        for judge in ("nist", "gpt", "crowd")
    ]
    labels = pd.DataFrame(rows, columns=["topic", "doc", "judge", "label"])
    of_one = labels[labels["topic"] == TOPICS[0]].drop(columns="topic")
    pairs = [("x", "y"), ("x", "z"), ("y", "z")] * 40
    votes = pd.DataFrame(pairs, columns=["model_a", "model_b"])
    votes["winner"] = np.where(generator.random(len(votes)) < 0.6, "model_a", "model_b")
    return SimpleNamespace(
        qrels=qrels, runs=runs, terrier=terrier, judgments=judgments, table=table, long=long, votes=votes,
        several=pd.concat([frame.assign(name=name) for name, frame in terrier.items()], ignore_index=True),
        lists={name: list(map(ScoredDoc._make, frame.itertuples(index=False))) for name, frame in terrier.items()},
        levels=list(map(Qrel._make, [(*row, "0") for row in judgments.itertuples(index=False)])),
        ranx=[Ranx(held, name) for name, held in runs.items()], judged=Ranx(qrels, "qrels"),
        polars={name: pl.from_pandas(frame) for name, frame in terrier.items()},
        wide=long.pivot_table(index="topic", columns="system", values="score"),
        labels=labels, by_item=labels.pivot_table(index=["topic", "doc"], columns="judge", values="label"),
        of_one=of_one,
        wide_of_one=of_one.pivot_table(index="doc", columns="judge", values="label", aggfunc="first"),
    )  # fmt: skip


SCORED = {
    "dicts": lambda m: score(m.runs, m.qrels, ["AP"]),
    "dicts by name": lambda m: score(m.runs, qrels=m.qrels, metrics=["AP"]),
    "metrics before the judgments": lambda m: score(m.runs, ["AP"], qrels=m.qrels),
    "everything by name": lambda m: score(runs=m.runs, qrels=m.qrels, metrics="AP"),
    "a pair": lambda m: score((m.runs, m.qrels), "AP"),
    "lists of ir_measures": lambda m: score(m.lists, m.levels, ["AP"]),
    "a measure of ir_measures": lambda m: score(m.lists, m.levels, [AP]),
    "frames of PyTerrier": lambda m: score(m.terrier, m.judgments, ["AP"]),
    "one frame of several runs": lambda m: score(m.several, m.judgments, ["AP"]),
    "runs of ranx": lambda m: score(m.ranx, m.judged, ["AP"]),
    "runs of ranx by name": lambda m: score({run.name: run for run in m.ranx}, m.judged, ["AP"]),
    "polars": lambda m: score(m.polars, pl.from_pandas(m.judgments), ["AP"]),
    "a polars frame of several runs": lambda m: score(pl.from_pandas(m.several), pl.from_pandas(m.judgments), "AP"),
    "a collection": lambda m: score(io.collection_from(m.runs, m.qrels), "AP"),
    "a study's own scores": lambda m: metaeval.study_table(m.runs, m.qrels, metrics=["AP"]).scores,
    "metrics by place": lambda m: metaeval.study_table(m.runs, m.qrels, ["AP"]).scores,
    "power": lambda m: metaeval.study_power(m.terrier, qrels=m.judgments, metrics="AP", test="t", rng=1).scores,
    "a leaderboard": lambda m: metaeval.study_leaderboard(m.lists, qrels=m.levels, metrics="AP", rng=1).scores,
    "a wide frame": lambda m: metaeval.study_table(m.wide).scores,
    "a wide frame, transposed": lambda m: metaeval.study_table(m.wide.T).scores,
    "a wide frame with a column of topics": lambda m: metaeval.study_table(m.wide.reset_index()).scores,
    "a wide frame of polars": lambda m: metaeval.study_table(pl.from_pandas(m.wide.reset_index())).scores,
    "a long frame": lambda m: metaeval.study_table(m.long).scores,
    "a long frame of polars": lambda m: metaeval.study_table(pl.from_pandas(m.long)).scores,
    "dicts of dicts": lambda m: metaeval.study_table(m.wide.to_dict()).scores,
    "an array": lambda m: metaeval.study_table(m.wide.to_numpy().T).scores,
    "results of pytrec_eval": lambda m: metaeval.study_table(
        {name: {topic: {"map": value} for topic, value in held.items()} for name, held in m.wide.to_dict().items()}
    ).scores,
}  # fmt: skip


@pytest.mark.parametrize("form", SCORED)
def test_runs_and_scores_are_taken_as_they_are(form):
    """The means are those of the same runs compiled and scored step by step."""
    found = SCORED[form](made())
    expected = made().table.mean("topic").to_numpy()[0]
    np.testing.assert_allclose(np.sort(found.mean("topic").to_numpy()[0]), np.sort(expected))


ANSWERS = {
    "one run": lambda m: score(m.runs["a"], m.qrels, ["AP"], fewest=1).sizes["system"] == 1,
    "one frame of one run": lambda m: score(m.terrier["a"], m.judgments, "AP", fewest=1).sizes["system"] == 1,
    "agree": lambda m: metaeval.study_agree(m.polars, qrels=m.judgments, metrics=["AP", "RR"], rng=1).agreements,
    "compare-metrics": lambda m: metaeval.study_compare_metrics(
        m.runs, qrels=m.qrels, metrics=["AP", "RR"], n_choices=5, n_replicates=2, n_topic_resamples=5, rng=1
    ).stability,
    "judgments": lambda m: metaeval.study_judgments(
        m.runs, m.qrels, ["AP"], questions=["less-judging"], n_replicates=2, rng=1
    ).stability,
    "judgments by name": lambda m: metaeval.study_judgments(
        m.runs, qrels=m.qrels, metrics=["AP"], questions=["less-judging"], n_replicates=2, rng=1
    ).stability,
    "design": lambda m: len(metaeval.study_design(m.runs, qrels=m.qrels, metrics=["AP"]).table),
    "components of the usual metrics": lambda m: metaeval.study_components(m.runs, qrels=m.qrels),
    "a test": lambda m: paired_t_test(m.runs, qrels=m.qrels, metrics="AP").n_pairs == 3,
    "preferences of runs": lambda m: tests_stat.prefer_runs(m.runs, m.qrels),
    "bounds": lambda m: resampling.completion_bounds(m.runs, m.qrels),
    "lists": lambda _: paired_t_test({"a": [0.1, 0.2, 0.4], "b": [0.3, 0.2, 0.5]}).n_pairs == 1,
    "means by name": lambda m: paired_t_test(m.wide[["a", "b"]]).n_pairs == 1,
    "votes": lambda m: len(metaeval.study_votes(m.votes, rng=1).to_frame()) == 3,
    "votes of polars": lambda m: len(metaeval.study_votes(pl.from_pandas(m.votes), rng=1).to_frame()) == 3,
    "votes as records": lambda m: len(metaeval.study_votes(m.votes.to_dict("records"), rng=1).to_frame()) == 3,
    "strengths": lambda m: len(models.bradley_terry(m.votes).to_frame()) == 3,
}  # fmt: skip


@pytest.mark.parametrize("call", ANSWERS)
def test_every_study_answers_at_the_first_call(call):
    """Runs with judgments, votes and scores as they are."""
    assert ANSWERS[call](made())


LABELLED = {
    "long": lambda m: m.labels,
    "long, of polars": lambda m: pl.from_pandas(m.labels),
    "wide": lambda m: m.by_item,
    "wide, with columns": lambda m: m.by_item.reset_index(),
    "wide, of polars": lambda m: pl.from_pandas(m.by_item.reset_index()),
    "judgments of each": lambda m: {
        judge: {topic: held.droplevel(0).to_dict() for topic, held in column.groupby(level=0)}
        for judge, column in m.by_item.items()
    },
}  # fmt: skip
OF_ONE_TOPIC = {
    "long": lambda m: m.of_one,
    "wide": lambda m: m.wide_of_one,
    "wide, with a column": lambda m: m.wide_of_one.reset_index(),
    "columns alone": lambda m: m.wide_of_one.reset_index(drop=True),
    "lists": lambda m: m.wide_of_one.to_dict("list"),
    "labels by item": lambda m: m.wide_of_one.to_dict(),
}


@pytest.mark.parametrize("form", LABELLED)
def test_labels_are_taken_as_they_are(form):
    """Long or wide, the kappa of two judges is that of the table that `as_labels` always took."""
    labels, options = LABELLED[form](made()), {"n_resamples": 10, "rng": 1}
    expected = agreement.compare_labels(agreement.as_labels(made().by_item), **options)
    assert same_kappas(agreement.compare_labels(labels, **options), expected)
    assert agreement.rank_judges(labels, reference="nist", **options).table["judge"].tolist()
    assert isinstance(metaeval.study_judges(labels, reference="nist", **options), studies.JudgeStudy)


@pytest.mark.parametrize("form", OF_ONE_TOPIC)
def test_labels_without_topics_are_taken_as_they_are(form):
    """So are labels of items alone, with names and without."""
    options = {"n_resamples": 10, "rng": 1}
    expected = agreement.compare_labels(agreement.as_labels(OF_ONE_TOPIC["wide"](made())), **options)
    assert same_kappas(agreement.compare_labels(OF_ONE_TOPIC[form](made()), **options), expected)
    assert metaeval.study_judges(OF_ONE_TOPIC[form](made()), reference="nist", **options)


def same_kappas(found, expected):
    """Say whether two agreements have the same value for every pair of judges, in whatever order."""
    kappas = [
        {
            frozenset((row.first, row.second)): round(row.value, 9)
            for row in one.to_frame().query("statistic == 'kappa'").itertuples()
        }
        for one in (found, expected)
    ]
    return len(kappas[0]) == 3 and kappas[0] == kappas[1]


REFUSED = {
    "judgments first": (lambda m: score(m.qrels, m.runs, ["AP"]), "runs"),
    "objects for files": (
        lambda m: metaeval.read_collection(m.runs, m.qrels),
        r"metaeval.score\(runs, qrels, metrics\)",
    ),
    "runs without judgments": (lambda m: score(m.runs, ["AP"]), "qrels"),
    "text for labels": (lambda _: metaeval.study_judges("labels.csv"), "metaeval.read_labels reads a file"),
}


@pytest.mark.parametrize("call", REFUSED)
def test_a_first_call_that_lacks_something_says_what(call):
    """Few words, and the way out."""
    ask, says = REFUSED[call]
    with pytest.raises(MetaevalError, match=says) as caught:
        ask(made())
    assert len(str(caught.value)) <= 600
    assert isinstance(caught.value, InvalidOptionError)


def test_there_are_sixty():
    """What is counted, and of which 54 at least have to be right at once."""
    assert len(SCORED) + len(ANSWERS) + len(LABELLED) + len(OF_ONE_TOPIC) + len(REFUSED) == 60
