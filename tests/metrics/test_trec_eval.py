"""The outputs that trec_eval keeps as its own tests (usnistgov/trec_eval, folder test): every measure, every topic.

What trec_eval prints and is no measure of this package is named in `NOT_OURS`; a name in neither table fails.
"""

import dataclasses
import re
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.collection.assembly import collection_from_rankings
from metaeval.collection.documents import CollectionWarning
from metaeval.io.trec import read_collection
from metaeval.metrics import expectations, precision_recall_curves, resolve_metrics, score

pytestmark = pytest.mark.filterwarnings(f"ignore::{CollectionWarning.__module__}.{CollectionWarning.__name__}")


class Output(NamedTuple):
    """How an output was made: ``trec_eval -c -M depth -l rel qrels run``, from version 10 on."""

    run: str = "results.test"
    qrels: str = "qrels.test"
    rel: int = 1
    depth: int | None = None
    n_compared: int = 0
    """Numbers of ours in it."""


OUTPUTS = {
    "trec_eval/out.test": Output(n_compared=28),
    "trec_eval/out.test.a": Output(n_compared=67),
    "trec_eval/out.test.aq": Output(n_compared=265),
    "trec_eval/out.test.aqc": Output("results.trunc", n_compared=265),
    "trec_eval/out.test.aqcM": Output("results.trunc", depth=100, n_compared=265),
    "trec_eval/out.test.aql": Output("results.test", "qrels.rel_level", rel=2, n_compared=265),
    "trec_eval/out.test.meas_params": Output(n_compared=60),
    "trec_eval-10/out.comment.test": Output("results.comment.test.gz", "qrels.comment.test", n_compared=28),
}
ELSEWHERE = {
    "out.test.aqZ": "the same scores, standardised by the means and deviations of a file",
    "out.test.prefs": "measures of preferences",
    "out.test.qrels_prefs": "measures of preferences",
    "out.test.qrels_jg": "averages over several assessors",
}
NOT_OURS = (
    *("runid", "gm_map", "gm_bpref", r"Rprec_mult_[\d.]+", r"utility\S*", "binG", "G", "ndcg_rel", "Rndcg"),
    *(r"relative_P_\d+", "set_P", "set_relative_P", "set_map", "set_F", "num_nonrel_judged_ret"),
    *(r"iprec_at_recall_0\.[27]5", r"11pt_avg_\S+"),  # points of recall other than 0, 0.1, …, 1
)
SPELT = {
    r"map": "AP({rel})",
    r"map_cut_(\d+)": "AP({rel})@{}",
    r"Rprec": "Rprec({rel})",
    r"bpref": "bpref({rel})",
    r"recip_rank": "RR({rel})",
    r"infAP": "infAP({rel})",
    r"P_(\d+)": "P({rel})@{}",
    r"recall_(\d+)": "R({rel})@{}",
    r"set_recall": "R({rel})@1000000",
    r"success_(\d+)": "Success({rel})@{}",
    r"ndcg": "nDCG",
    r"ndcg_cut_(\d+)": "nDCG@{}",
    r"ndcg_1=3,2=9,4=4.5": "nDCG(gains={{1:3, 2:9, 4:4.5}})",
    r"unj_(\d+)": "Judged@{}",
}


def ours_of(name, rel):
    """Return how a measure of trec_eval is written here, or None."""
    for theirs, ours in SPELT.items():
        if found := re.fullmatch(theirs, name):
            return ours.format(*found.groups(), rel=f"rel={rel}")
    return None


def first_documents(collection, depth):
    """Cut every list at a rank, as trec_eval -M does."""
    kept = collection.ranks <= depth
    places = np.concatenate([[0], np.cumsum(kept)])
    return dataclasses.replace(
        collection,
        offsets=places[collection.offsets],
        ranks=collection.ranks[kept],
        judgments=collection.judgments[kept],
        n_retrieved=np.minimum(collection.n_retrieved, depth),
    )


def curve(collection, rel, points):
    """Return interpolated precision at points of recall, topic by topic, shape (n_points, n_topics)."""
    own = []
    for topic in collection.topics:
        part = collection.select(topics=[topic])
        if part.n_relevant[0] and (part.levels >= rel).any():
            own.append(precision_recall_curves(part, rel=rel)[0].to_numpy())
        else:
            own.append(np.zeros(11))
    return np.array(own).T[[round(10 * point) for point in points]]


def values_of(name, collection, rel):
    """Return what this package says for a measure, by topic, and over all; None for what it does not have."""
    written = ours_of(name, rel)
    if written is not None:
        values = score(collection, [written], fewest=1).to_numpy()[0, 0]
        if name.startswith("unj"):  # a topic that the run does not answer has nothing unjudged
            values = np.where(collection.n_retrieved[0] > 0, 1 - values, 0.0)
        return values, values.mean()
    if found := re.fullmatch(r"iprec_at_recall_(0\.\d0|1\.00)", name):
        (values,) = curve(collection, rel, [float(found[1])])
        whole = precision_recall_curves(collection, rel=rel)[0]
        return values, float(whole.sel(recall=float(found[1]), method="nearest"))
    if name == "11pt_avg":
        values = curve(collection, rel, np.arange(11) / 10).mean(axis=0)
        return values, values.mean()
    counts = {
        "num_q": np.ones(collection.n_topics),
        "num_ret": collection.n_retrieved[0],
        "num_rel": np.add.reduceat(collection.levels >= rel, collection.topic_offsets[:-1]),
        "num_rel_ret": np.add.reduceat(
            np.append((collection.levels >= rel)[collection.judgments], 0), collection.offsets[:-1]
        )
        * (np.diff(collection.offsets) > 0),
    }
    if name in counts:
        return counts[name], counts[name].sum()
    if name in {"rbp", "rbp_resid"}:
        values = np.concatenate([_rbp(collection.select(topics=[one]), name) for one in collection.topics])
        return values, values.mean()
    return None


def _rbp(topic, name):
    """Return RBP on one topic: trec_eval takes the topic's own highest level as the top, whatever -l says."""
    measure = f"RBP(p=0.9, max_level={topic.levels.max()})"
    if name == "rbp":
        return score(topic, [measure], fewest=1).to_numpy()[0, 0]
    residual = expectations(topic, [measure]).residual[0, 0]  # all is open where there is no list; there it is 0
    return np.where(topic.n_retrieved[0] > 0, residual, 0.0)


@pytest.mark.parametrize("output", OUTPUTS)
def test_the_outputs_of_trec_eval_come_out(data_folder, output):
    """Every number that trec_eval prints for a measure of ours, by topic and over all topics, to its last digit."""
    folder = (data_folder / "golden" / output).parent
    made = OUTPUTS[output]
    collection = read_collection(folder / made.run, folder / made.qrels)
    if made.depth is not None:
        collection = first_documents(collection, made.depth)
    place = {topic: number for number, topic in enumerate(collection.topics)}
    lines = [line.split() for line in (data_folder / "golden" / output).read_text().splitlines()]
    printed = {(name, topic): number for name, topic, number in lines if not name.startswith("relstring")}
    n_compared, wrong = 0, []
    for name in dict.fromkeys(name for name, _ in printed):
        found = values_of(name, collection, made.rel)
        if found is None:
            assert any(re.fullmatch(pattern, name) for pattern in NOT_OURS), name
            continue
        by_topic, whole = found
        for (measure, topic), number in printed.items():
            if measure == name:
                n_compared += 1
                ours = whole if topic == "all" else by_topic[place[topic]]
                if abs(ours - float(number)) > 0.00005 + 1e-9:
                    wrong.append((name, topic, number, float(ours)))
    assert wrong == []
    assert n_compared == made.n_compared


def test_no_output_is_forgotten(data_folder):
    """Every output that is kept is compared, or says here why not."""
    kept = {f"{file.parent.name}/{file.name}" for file in (data_folder / "golden").glob("trec_eval*/out.*")}
    assert kept == {*OUTPUTS, *(f"trec_eval/{name}" for name in ELSEWHERE)}


LAW = ("map", "Rprec", "bpref", "recip_rank", "infAP", "P_5", "recall_10", "success_5", "ndcg", "ndcg_cut_5")


@given(
    st.dictionaries(
        st.sampled_from("12345"),
        st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 2), min_size=1),
        min_size=1,
    ),
    st.integers(1, 2),
    st.randoms(use_true_random=False),
)
def test_topics_with_nothing_relevant_are_those_of_trec_eval(qrels, rel, random):
    """Whatever is relevant: the same topics, the same scores on each, over all that are judged and answered."""
    evaluator = pytest.importorskip("pytrec_eval").RelevanceEvaluator(qrels, set(LAW), relevance_level=rel)
    ranking = {topic: random.sample("abcdefghxyz", 9) for topic in "12345"}
    expected = evaluator.evaluate({topic: {name: -rank for rank, name in enumerate(ranking[topic])} for topic in qrels})
    if not any(level >= rel for own in qrels.values() for level in own.values()):
        return
    found = score(collection_from_rankings({"run": ranking}, qrels), [ours_of(name, rel) for name in LAW], fewest=1)
    assert set(found["topic"].to_numpy()) == set(expected)
    for name in LAW:
        ours = found.sel(metric=resolve_metrics([ours_of(name, rel)])[0].name, system="run")
        theirs = [expected[topic][name] for topic in found["topic"].to_numpy()]
        assert ours.to_numpy() == pytest.approx(theirs, abs=1e-12), name
