import warnings

import pytest

from metaeval import score
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.inex.measures.inex_eval import inex_eval_table
from metaeval.inex.passages import passage_collection
from metaeval.inex.reading import read_assessments, read_submission
from metaeval.metrics.scoring import metric_values, resolve_metrics

FLAGS = {"f": "focused", "t": "thorough", "r": "relevant", "b": "best", "i": "t2i"}
GOLDEN = [
    ("bert-2fold.focused", "f", False, {}),
    ("bert-2fold.focused", "f-complete", True, {}),
    ("bert-map199.focused", "f", False, {}),
    ("fault-repeated-topic", "t", False, {}),
    ("bert-2fold.ric", "r", False, {}),
    ("bert-2fold.ric", "r-beta1", False, {"beta": 1.0}),
    ("bert-2fold.ric", "i-t2i300", False, {"tol": 300}),
    ("bert-2fold.bic", "b", False, {}),
    ("bert-2fold.bic", "b-n1000", False, {"n": 1000}),
]
METRICS = {
    "f": ["AiP", "iP@0", "iP@0.01", "iP@0.05", "iP@0.1", "art_prec", "art_rec", "art_f1", "char_prec", "char_rec"],
    "t": ["AiP(overlap=thorough)", "char_prec(overlap=thorough)", "char_f1(overlap=thorough)"],
    "r": ["AgP", "gP@1", "gP@50", "gR@10"],
    "i": ["AgP(mode=t2i)", "gP(mode=t2i)@5"],
    "b": ["AgP(mode=best)", "gP(mode=best)@25"],
}


@pytest.fixture(scope="module")
def samples(data_folder):
    """Compile the runs of the sample, each by itself, beside what inex_eval 3.1 printed for them."""
    folder = data_folder / "inex-samples"
    assessments = read_assessments(folder / "qrels.inex2009-2010.fol.txt")
    collections = {}

    def compiled(name):
        if name not in collections:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the faulty run says what is wrong with it; test_inex.py checks that
                run = read_submission(folder / f"run.{name}.fol.txt")
            collections[name] = passage_collection([run], assessments)
        return collections[name]

    def expected(name, flags):
        lines = (folder / "expected" / f"{name}.{flags}.txt").read_text().splitlines()
        rows = (line.split() for line in lines if not line.startswith(("<", "ERROR")))
        return {(topic, measure): float(value) for measure, topic, value in rows}

    return compiled, expected


@pytest.mark.parametrize(("name", "flags", "complete", "settings"), GOLDEN)
def test_every_printed_value_comes_out(samples, name, flags, complete, settings):
    """All that the program printed, for every topic where it did, to 1e-9, and nothing of it is missing."""
    compiled, expected = samples
    table = inex_eval_table(compiled(name), task=FLAGS[flags[0]], complete=complete, settings=settings)
    own = table.set_index(["topic", "measure"])["value"].to_dict()
    printed = expected(name, flags)
    assert len(printed) > 30
    for place, value in printed.items():
        assert own[place] == pytest.approx(value, abs=1e-9), place


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("bert-2fold.focused", "f"),
        ("bert-map199.focused", "f"),
        ("bert-2fold.ric", "r"),
        ("bert-2fold.ric", "i-t2i300"),
        ("bert-2fold.bic", "b"),
    ],
)
def test_the_registered_metrics_give_the_same_per_topic(samples, name, flags):
    """Scores under the metrics' names are the program's, topic by topic, without its arithmetic of bins."""
    compiled, expected = samples
    collection, printed = compiled(name), expected(name, flags)
    metrics = resolve_metrics(METRICS[flags[0]])
    values = metric_values(collection, metrics)
    checked = 0
    for row, metric in enumerate(metrics):
        word, _, cutoff = metric.name.partition("@")
        word = word.split("(")[0]
        place = f"{word}[{float(cutoff):.2f}]" if word == "iP" else f"{word}[{cutoff}]" if cutoff else word
        for column, topic in enumerate(collection.topics):
            if (topic, place) in printed:
                assert values[row, 0, column] == pytest.approx(printed[topic, place], abs=1e-9)
                checked += 1
            else:
                assert values[row, 0, column] == 0
    assert checked == len(metrics) * collection.answered.sum()


def test_the_faulty_run_is_refused_as_the_program_does(samples, data_folder):
    """In the focused task the run with a topic twice is refused at the same topic, article and line."""
    compiled, _ = samples
    error = (data_folder / "inex-samples" / "expected" / "fault-repeated-topic.f.txt").read_text().split()
    topic, article, line = (
        error[error.index("topic") + 1],
        error[error.index("id:") + 1],
        error[error.index("line:") + 1],
    )
    with pytest.raises(InvalidOptionError, match=rf"line {line}: .*topic '{topic}', document '{article}'.*overlaps"):
        inex_eval_table(compiled("fault-repeated-topic"))


def test_means_differ_by_the_topics_they_are_over(passages):
    """The program averages over the topics that a run answers; over all topics an unanswered one counts 0."""
    collection = passages.collection("T1 d1 0 400, T1 d3 0 100, T1 d2 100 200, T1 d1 500 200")
    means = {
        complete: inex_eval_table(collection, complete=complete).query("topic == 'all'").set_index("measure")["value"]
        for complete in (False, True)
    }
    assert means[False]["MAiP"] == pytest.approx(0.378988, abs=5e-7)
    assert means[True]["MAiP"] == pytest.approx(0.189494, abs=5e-7)
    assert (means[False]["num_q"], means[True]["num_q"]) == (1, 2)
    assert (means[False]["num_rel"], means[True]["num_rel"]) == (2, 3)


def test_recall_is_binned_as_the_program_does(passages):
    """The table has the program's bins, the scores have the definition's."""
    collection = passages.collection("T1 d1 71 29", "T1 d1 0 100", qrels="T1 Q0 d1 100 500 0 0:100\nT2 Q0 d1 1 5 0 0:1")
    table = inex_eval_table(collection).query("topic == 'all' and system == 'run0'").set_index("measure")["value"]
    assert (table["ircl_prn.0.28"], table["ircl_prn.0.29"]) == (1, 0)
    assert score(collection, ["iP[0.29]"]).sel(system="run0", topic="T1").item() == 1


def test_a_topic_without_highlighted_text_is_left_out(passages):
    """The program counts such a topic; we do not, in any task."""
    qrels = "T1 Q0 d1 100 500 0 0:100\nT2 Q0 d1 0 500"
    collection = passages.collection("T1 d1 0 100, T2 d1 0 100", qrels=qrels)
    for task, name in (("focused", "MAiP"), ("relevant", "MAgP"), ("best", "MAgP")):
        means = inex_eval_table(collection, task=task, complete=True).query("topic == 'all'")
        assert means.set_index("measure")["value"][["num_q", name]].tolist() == [1, 1]


def test_unknown_tasks_are_refused(passages):
    """A task is one of five."""
    with pytest.raises(UnknownNameError, match="no task 'efficiency'"):
        inex_eval_table(passages.collection("T1 d1 0 1"), task="efficiency")
