"""No figure of judges, of metrics beside people, or of metrics among themselves depends on what anything is called."""

import numpy as np
import pandas as pd
import pytest

from metaeval.agreement.items import item_scores
from metaeval.agreement.labels import as_labels
from metaeval.questions.agree.study import study_agree
from metaeval.questions.human.study import study_human
from metaeval.questions.judges.study import study_judges
from metaeval.simulate.scores import simulate_scores

MARKS = ("z", "é", "名")


def renamed(names):
    """Give names others that sort the other way round, some in other letters."""
    known = list(dict.fromkeys(names))
    return {name: f"{MARKS[place % 3] if place % 4 else ''}{len(known) - place:03}" for place, name in enumerate(known)}


def same_figures(one, two, names, columns):
    """Check that two frames are one but for the names in these columns."""
    one = one.replace(dict.fromkeys(columns, names))
    keys = [name for name in one if not pd.api.types.is_numeric_dtype(one[name])]
    one, two = (frame.sort_values(keys, ignore_index=True) for frame in (one, two))
    pd.testing.assert_frame_equal(one, two, rtol=1e-9)


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("topics", [False, True])
def test_labels_of_judges(words, topics):
    """Judges, topics, items and words: kappa, alpha, overlaps, orders and intervals stay."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 60)
    said = {name: np.where(rng.random(60) < share, rng.integers(0, 3, 60), truth)
            for name, share in (("nist", 0.1), ("gpt", 0.3), ("bot", 0.6))}  # fmt: skip
    table = pd.DataFrame(said)
    labels = ["full", "none", "refused"] if words else [0, 1, 2]
    table = table.map(labels.__getitem__)
    items, of = [f"d{place}" for place in range(60)], [f"t{place % 7}" for place in range(60)]
    judge, item, topic = (renamed(names) for names in (said, items, of))
    other = table.rename(columns=judge)
    renames = dict(zip(labels, ["zzz", "Á", "b"], strict=True)) if words else {}
    other = other.replace(renames)
    table.index = pd.MultiIndex.from_arrays([of, items]) if topics else pd.Index(items)
    new_items, new_topics = [item[name] for name in items], [topic[name] for name in of]
    other.index = pd.MultiIndex.from_arrays([new_topics, new_items]) if topics else pd.Index(new_items)
    for reference in (None, "nist"):
        asked = {"n_resamples": 50, "rng": 0}
        one = study_judges(as_labels(table), reference=reference, **asked)
        two = study_judges(as_labels(other), reference=reference and judge[reference], **asked)
        same_figures(one.to_frame(), two.to_frame(), judge, ["first", "second"])
        pd.testing.assert_frame_equal(one.labelling.agreement.alpha, two.labelling.agreement.alpha)
        if reference:
            same_figures(one.labelling.ranking.table, two.labelling.ranking.table, judge, ["judge"])
            named = {**judge, **renames}
            same_figures(one.labelling.baselines, two.labelling.baselines, named, ["judge", "constant_label"])


def renamed_scores(scores):
    """Rename metrics, systems and topics of a table; topics, which are drawn in natural order, keep that."""
    names = {dim: renamed(scores[dim].to_numpy().tolist()) for dim in ("metric", "system")}
    names["topic"] = {str(name): f"é{place:03}" for place, name in enumerate(scores["topic"].to_numpy())}
    return scores.assign_coords({dim: [*own.values()] for dim, own in names.items()}), names


def test_scores_under_judges():
    """Metrics, judges, systems and topics: tau, F1, conflicts, bias and worth stay."""
    scores = simulate_scores(n_systems=6, n_topics=12, metrics=("AP", "RR"), rng=1)
    other, names = renamed_scores(scores)
    judge = {"nist": "z1", "gpt": "é0"}
    noisy = scores + np.random.default_rng(0).normal(0, 0.05, scores.shape)
    noisy.attrs = scores.attrs
    again = noisy.assign_coords({dim: other[dim].to_numpy() for dim in ("metric", "system", "topic")})
    found = []
    for one, two, called in ((scores, noisy, {name: name for name in judge}), (other, again, judge)):
        tables = {
            str(metric): {called["nist"]: one.sel(metric=[metric]), called["gpt"]: two.sel(metric=[metric])}
            for metric in one["metric"].to_numpy()
        }
        groups = {str(name): "first" if place < 3 else "second" for place, name in enumerate(one["system"].to_numpy())}
        asked = {"reference": called["nist"], "groups": groups, "n_resamples": 40, "rng": 0}
        found.append(study_judges(scores=tables, **asked).to_frame())
    same_figures(*found, judge | names["metric"], ["metric", "first", "second"])


def test_metrics_beside_people():
    """Metrics, systems, items and clusters: correlations with intervals, p-values and decisions stay."""
    rng = np.random.default_rng(0)
    human = rng.normal(0, 1, (5, 12)).round(1) + np.arange(5)[:, None] / 2
    cells = {"human": human, "A": human + rng.normal(0, 1, human.shape), "B": rng.normal(0, 1, human.shape)}
    names = {"system": np.repeat(list("abcde"), 12), "item": np.tile(np.arange(12), 5).astype(str)}
    frame = pd.DataFrame(names | {name: one.ravel() for name, one in cells.items()})
    frame["part"] = "p" + (frame["item"].astype(int) // 2).astype(str)
    new = {name: renamed(frame[name]) for name in ("system", "item", "part")}
    metric = {"A": "z", "B": "A", "human": "human"}
    other = frame.replace(new).rename(columns=metric)
    one, two = (
        study_human(item_scores(table, reference="human", cluster="part"), n_resamples=40, rng=0)
        for table in (frame, other)
    )
    columns = ["metric", "level", "statistic", "value", "low", "high"]
    kept = [table.to_frame().query("other.isna()")[columns] for table in (one, two)]
    same_figures(*kept, metric, ["metric"])
    assert one.comparison.table["p"].tolist() == two.comparison.table["p"].tolist()


def test_metrics_among_themselves():
    """Metrics, systems and topics: precision, recall, F1, conflicts and their intervals stay."""
    scores = simulate_scores(n_systems=6, n_topics=12, metrics=("AP", "RR", "P@5"), rng=1)
    other, names = renamed_scores(scores)
    one, two = (study_agree(table, n_topic_resamples=40, rng=0).to_frame() for table in (scores, other))
    same_figures(one, two, names["metric"], ["predictor", "truth"])
