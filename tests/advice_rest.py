"""Further calls that are told a way out, and what comes out when it is followed."""

import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import xarray as xr
from advice_benchmarks import F1, results, samples
from advice_calls import Call, Then, rows
from advice_methods import IN_CLUSTERS, A, B, call, scored
from advice_studies import COLLECTION, ITEMS, LONG, TABLE, WHOLE, judged, kappas, reciprocal

from metaeval import (
    as_scores,
    read_collection,
    read_labels,
    read_scores,
    read_votes,
    score,
    study_design,
    study_judges,
)
from metaeval.agreement import as_labels, map_scales
from metaeval.agreement.human import pair_agreement
from metaeval.agreement.items import item_scores
from metaeval.agreement.meta_evaluation import meta_metrics
from metaeval.base.unit import TOPIC
from metaeval.collection.assembly import collection_from_rankings
from metaeval.inex.judged_files import inex_collection
from metaeval.inex.judges import read_judges
from metaeval.inex.reading import read_assessments, read_submission
from metaeval.io import votes
from metaeval.io.folders import new_folder
from metaeval.metrics.spec import metric
from metaeval.questions.agree.study_variants import audit_variants
from metaeval.resampling.cluster_residuals import resampled_scores, residuals_of_units
from metaeval.resampling.coverage import coverage
from metaeval.resampling.pools import original_pool, with_judged_pool
from metaeval.studies import study_components
from metaeval.table.structure import with_clusters
from metaeval.testing import examine_metric
from metaeval.tests_stat.requirements import check_requirements
from metaeval.tests_stat.wilcoxon import wilcoxon_test

FEW_CLUSTERS = as_scores(
    np.array([[0.1, 0.3, 0.2, 0.4, 0.3, 0.2], [0.5, 0.6, 0.7, 0.6, 0.8, 0.5]]),
    systems=["a", "b"],
    topics=[*"123456"],
    clusters=dict(zip("123456", "uuvvww", strict=True)),
)
FINER = as_labels(pd.DataFrame({"nist": [1.0, 2.0, 3.0] * 2, "gpt": [1.0, 2.0, 4.0] * 2}, index=[*"abcdef"]))
OF_RUNS = np.arange(8.0).reshape(1, 8, 1) / 10 + np.array([0.0, 0.3, -0.2, 0.1]) * np.arange(-1, 2).reshape(3, 1, 1)
RUNS_APART = as_scores(
    xr.DataArray(
        OF_RUNS[None] + np.sin(np.arange(96.0)).reshape(1, 3, 8, 4) / 50,
        dims=("metric", "system", "topic", "repeat"),
        coords={"metric": ["AP"], "system": [*"abc"], "topic": [*"12345678"], "repeat": [*"1234"]},
    )
)
"""Whole runs of systems differ by tenths, single topics in one of them by hundredths."""
OF_ONE_EACH = pd.DataFrame(
    [
        (system, text, better + at, better + at / 10)
        for better, system in enumerate("ab")
        for at, text in enumerate("xyz")
    ],
    columns=["system", "text", "human", "bleu"],
).assign(id=range(6))
"""A number of its own in every row; what both systems answered stands beside it."""


def pairs_told(item: str) -> Any:
    """Return how systems are told from each other by people and a metric on the same items."""
    return pair_agreement(item_scores(OF_ONE_EACH, reference="human", metrics=["bleu"], item=item))


TASKS = item_scores(LONG.drop(columns="few"), reference="human")


def correlation(**options: Any) -> float:
    """Return the Pearson correlation of a metric that says what people say."""
    found = meta_metrics(TASKS, n_chance=10, n_resamples=10, rng=1, **{"tasks": "pearson:item:none", **options})
    return float(found.table["value"].iloc[0])


def metric_of(low: float, high: float) -> Any:
    """Return a metric whose values are 2, with bounds."""

    @metric(name="Two", bounds=(low, high))
    def two(topic: Any) -> float:  # noqa: ARG001 - what metrics are given
        """Two."""
        return 2.0

    return two


def drawn_means(scores: Any) -> list[float]:
    """Return the means of the systems, as engines that draw topics have them."""
    return [*residuals_of_units(resampled_scores(scores, what="an interval of ranks")).means[0]]


def folder(*, overwrite: bool = False) -> str:
    """Write a report over an older one, and return what it holds."""
    for text in ("old", "new"):
        if text == "old" and Path("report").exists():
            continue
        with new_folder("report", overwrite=overwrite) as place:
            (place / "provenance.json").write_text('{"schema": "metaeval/4"}', "utf-8")
            (place / "page.txt").write_text(text, "utf-8")
    return Path("report", "page.txt").read_text("utf-8")


ONE_MISSING = collection_from_rankings(
    {
        "a": {"1": ["d1"], "2": ["d1"], "3": ["d1"]},
        "b": {"1": ["d1"], "2": ["d1"], "3": ["d1"]},
        "c": {"1": ["d1"], "2": ["d1"]},
    },
    {t: {"d1": 1} for t in "123"},
)
DEPTHS = metric(name="Far", higher_is_better=False, bounds=(0, float("inf")))(lambda topic: 1.0 * len(topic.levels))
GRADED = collection_from_rankings(
    {"a": {"1": ["d1"], "2": ["d1"]}, "b": {"1": ["d1"], "2": ["d1"]}}, {"1": {"d1": 1}, "2": {"d1": 1}}
)
SPARSE = as_scores([A, B, [0.1, np.nan, np.nan, np.nan]], systems=[*"abc"], missing="pairwise")
ALL_RELEVANT = collection_from_rankings(
    {"a": {"1": ["d1", "d3"]}, "b": {"1": ["d2", "d1"]}}, {"1": {"d1": 1, "d2": 1}}, retrieved="all"
)
WHO = [("ann", at % 3) if at % 2 else ("ben", at % 2) for at in range(3_200)]
OWN = {
    "x": as_scores([[0.1, 0.2, 0.3], [0.2, 0.3, 0.5]], systems=[*"ab"], topics=[*"123"], metrics=["m"]),
    "y": as_scores([[0.1, 0.2, 0.3], [0.2, 0.3, 0.5]], systems=[*"ab"], topics=[*"456"], metrics=["m"]),
}
_EARLY = [d in {"d0", "d1"} for _, d in ITEMS]
APART = TABLE.assign(gpt=TABLE["gpt"].where(_EARLY), ben=TABLE["ben"].where(np.logical_not(_EARLY)))
ONLY = TABLE[["ann"]].assign(gpt=TABLE["gpt"].where(TABLE["ann"] > 0))
REST = {
    "another way to take means of systems": call(
        lambda **_: correlation(over="al"), {"over": Then(lambda: correlation(over="all"), 1.0)}
    ),
    "other people that there are not": call(
        lambda **_: correlation(ceiling=["othr"]), {"ceiling": Then(lambda: correlation(ceiling=["other"]), 1.0)}
    ),
    "a task in two words": call(
        lambda **_: correlation(tasks="pearson:item:none:x"),
        {"tasks": Then(lambda: correlation(tasks="pearson:item:none"), 1.0)},
    ),
    "judging what was not kept": call(
        lambda **_: COLLECTION.judge_further(np.zeros(1, dtype=bool), np.zeros(1, dtype=np.int64)),
        {
            "retrieved='all'": Then(
                lambda: (
                    WHOLE.judge_further(
                        np.zeros(WHOLE.retrieved.n_codes, dtype=bool), np.zeros(0, dtype=np.int64)
                    ).n_judgments
                ),
                WHOLE.n_judgments,
            )
        },
    ),
    "a sample twice": results(
        {
            name: [*held, {**held[-1], "acc": 0.0}] if name.endswith("jsonl") else held
            for name, held in samples({"t1": {"acc": F1}}).items()
        },
        {
            "duplicates='first'": rows("t1/0 t1/1", **F1),
            "duplicates='mean'": rows("t1/0 t1/1", a=[0.5, 0.125], b=[0.75, 0.0625]),
        },
    ),
    "a folder with an older report": Call(folder, {"overwrite=True": "new"}),
    "a column of judges that is none": Call(
        lambda **options: read_labels("l.csv", **options),
        {
            "columns={'judge': 'NAME'}": Then(
                lambda: read_labels("l.csv", columns={"judge": "who"}).sum().to_dict(),
                {name: float(sum(label for who, label in WHO if who == name)) for name in ("ann", "ben")},
            )
        },
        {},
        {
            "l.csv": "item,judge,who,label\n"
            + "".join(f"d{at},j{at},{who},{label}\n" for at, (who, label) in enumerate(WHO))
        },
    ),
    "a judgment among the lines of a run": Call(
        lambda **_: read_collection(["a.run", "b.run"], "q.txt"),
        {
            "read_collection(qrels=...)": Then(
                lambda: (
                    Path("a.run").write_text("1 Q0 d1 1 9 a\n2 Q0 d1 1 9 a\n", "utf-8")
                    and score(read_collection(["a.run", "b.run"], qrels="q.txt"), ["RR"])
                ),
                rows("1 2", a=[1.0, 1.0], b=[0.5, 0.5]),
            )
        },
        {},
        {
            "q.txt": "1 0 d1 1\n1 0 d2 0\n2 0 d1 1\n2 0 d2 0\n",
            "a.run": "1 Q0 d1 1 9 a\n1 0 d1 1\n2 Q0 d1 1 9 a\n",
            "b.run": "1 Q0 d2 1 9 b\n1 Q0 d1 2 8 b\n2 Q0 d2 1 9 b\n2 Q0 d1 2 8 b\n",
        },
    ),
    "a topic by another word twice": Call(
        lambda **options: read_scores("ap.csv", **options),
        {
            "columns={'topic': 'zeile'}": Then(
                lambda: read_scores("ap.csv", columns={"topic": "zeile"}, duplicates="first"),
                rows("q1 q2 q3", a=[0.1, 0.2, 0.3], b=[0.4, 0.5, 0.6]),
            )
        },
        {},
        {"ap.csv": "zeile,a,b\nq1,.1,.4\nq2,.2,.5\nq3,.3,.6\nq3,.9,.9\n"},
        {"columns={'system': 'zeile'}": "metrics of few systems"},
    ),
    "metrics of few systems": Call(
        lambda **options: read_scores("ap.csv", **options),
        {
            "columns={'system': 'participant', 'topic': 'kind'}": Then(
                lambda: read_scores(
                    "ap.csv", columns={"system": "participant", "topic": "kind"}, missing="pairwise"
                ).sel(system=["a"]),
                {"AP": rows("1 2", a=[0.1, 0.2]), "RR": rows("1 2", a=[1.0, 0.5])},
            )
        },
        {},
        {"ap.csv": "participant,AP,RR,kind\na,.1,1,1\na,.2,.5,2\nb,.4,.5,1\n"},
        {"columns={'topic': 'participant'}": "a topic by another word twice"},
    ),
    "scores called as those of whole systems": Call(
        lambda **options: read_scores("ap.csv", **options),
        {"systems_in='rows'": rows("bleu chrf three two", a=[0.1, 0.2, 0.4, 0.3], b=[0.4, 0.3, 0.1, 0.2])},
        {},
        {"ap.csv": "system,bleu,chrf,two,three\na,.1,.2,.3,.4\nb,.4,.3,.2,.1\n"},
    ),
    "values beyond the bounds": call(
        lambda **_: score(COLLECTION, [metric_of(0, 1)]),
        {"@metric(bounds=(low, high))": Then(lambda: float(score(COLLECTION, [metric_of(0, 3)]).mean()), 2.0)},
    ),
    "diversity without subtopics": Call(
        lambda **options: score(read_collection(["a.run", "b.run"], "q.txt", **options), ["alpha_nDCG@5"]),
        {"subtopics='keep'": rows("1 2", a=[1.0, 1.0], b=[1.0, 1.0])},
        {},
        {
            "q.txt": "1 1 d1 1\n1 2 d2 1\n2 1 d1 1\n2 2 d2 1\n",
            "a.run": "".join(f"{t} Q0 d1 1 9 a\n{t} Q0 d2 2 8 a\n" for t in (1, 2)),
            "b.run": "".join(f"{t} Q0 d2 1 9 b\n{t} Q0 d1 2 8 b\n" for t in (1, 2)),
        },
    ),
    "no worst value": call(
        lambda *, missing="zero": score(ONE_MISSING.handle_missing(missing), [DEPTHS]),
        {
            "missing='drop-systems'": rows("1 2 3", a=[1.0] * 3, b=[1.0] * 3),
            "missing='drop-topics'": rows("1 2", a=[1.0] * 2, b=[1.0] * 2, c=[1.0] * 2),
        },
    ),
    "weights where units are drawn": call(
        lambda **_: resampled_scores(
            as_scores([A, B], clusters=dict(zip("1234", "uuvv", strict=True))), what="an interval of ranks"
        ),
        {
            "with_clusters(scores, 'fixed')": Then(
                lambda: drawn_means(
                    with_clusters(as_scores([A, B], clusters=dict(zip("1234", "uuvv", strict=True))), "fixed")
                ),
                [np.mean(A), np.mean(B)],
            )
        },
    ),
    "a requirement on few clusters": call(
        lambda **_: "; ".join(check_requirements(FEW_CLUSTERS, ["b >= a"]).open_words(TOPIC)),
        {
            "with_clusters(scores, 'fixed')": Then(
                lambda: list(check_requirements(with_clusters(FEW_CLUSTERS, "fixed"), ["b >= a"]).table["state"]),
                ["met"],  # b is better on every topic
            )
        },
    ),
    "grades that the reference does not give": call(
        lambda **options: map_scales(FINER, reference="nist", **options),
        {"maps='fit'": {"nist": [1.0, 2.0, 3.0] * 2, "gpt": [1.0, 2.0, 3.0] * 2}},  # alike but for the highest grade
        show=lambda scales: {name: column.tolist() for name, column in scales.labels.table.items()},
    ),
    "runs that differ": call(
        lambda **options: study_components(RUNS_APART, rng=0, **options),
        {"repeats='nested'": "nested"},
        show=lambda study: study.components.repeats,
    ),
    "runs that differ, taken as nested": call(
        lambda *, repeats="nested": study_components(RUNS_APART, rng=0, repeats=repeats),
        {"repeats='crossed'": "crossed"},
        repeats="nested",
        show=lambda study: study.components.repeats,
    ),
    "items that no systems share": call(
        lambda **_: pairs_told("id"),
        {"item": Then(lambda: pairs_told("text").iloc[0].to_dict()["agree"], 3.0)},  # b is better on each in both
    ),
    "strata of one topic": call(
        lambda **_: resampled_scores(
            with_clusters(as_scores([A, B], clusters=IN_CLUSTERS | {"4": "w"}), "fixed"), what="an interval of ranks"
        ),
        {
            "with_clusters(scores, 'ignore')": Then(
                lambda: drawn_means(
                    with_clusters(
                        with_clusters(as_scores([A, B], clusters=IN_CLUSTERS | {"4": "w"}), "fixed"), "ignore"
                    )
                ),
                [np.mean(A), np.mean(B)],
            )
        },
    ),
    "a system that nothing places": call(
        lambda *, missing="pairwise": resampled_scores(
            as_scores(SPARSE.to_numpy(), systems=[*"abc"], missing=missing), what="an interval of ranks"
        ),
        {"missing='drop-systems'": rows("1 2 3 4", a=A, b=B)},
    ),
    "a pool of relevant documents alone": call(
        lambda **_: original_pool(ALL_RELEVANT),
        {
            "judged_pool_size": Then(lambda: [*original_pool(with_judged_pool(ALL_RELEVANT, size=3)).depths], [2]),
            "pool_depth": Then(lambda: [*original_pool(ALL_RELEVANT, pool_depth=2).depths], [2]),
        },
    ),
    "sizes of pools without what was not judged": call(
        lambda **_: coverage(COLLECTION, sizes=[2], systems=["c"]),
        {
            "retrieved='all'": Then(
                lambda: coverage(WHOLE, sizes=[2], systems=["c"]).counts["system"].to_numpy().tolist(), ["c"]
            )
        },
    ),
    "a run as a judge": Call(
        lambda **_: read_judges(["a.run", "b.run"]),
        {
            "collection": Then(
                lambda: reciprocal(judged(collection=COLLECTION, metrics=["RR"])), {"ann": 1.0, "gpt": 1.0, "ben": 0.5}
            )
        },
        {},
        {"a.run": "1 Q0 d1 1 9 a\n", "b.run": "1 Q0 d1 1 9 b\n"},
    ),
    "judges with topics of their own": call(
        lambda **_: study_judges(scores={"m": OWN}, n_resamples=20, rng=1),
        {
            "reference": Then(
                lambda: list(study_judges(scores={"m": OWN}, reference="x", n_resamples=20, rng=1).scores), ["m"]
            )
        },
    ),
    "no item of all judges": call(
        lambda *, labelled="common": judged(
            labels=as_labels(APART), collection=COLLECTION, metrics=["RR"], labelled=labelled
        ),
        {"labelled='own'": {"ann": 1.0, "gpt": 1.0, "ben": 1 / 3}},
        show=reciprocal,
    ),
    "common items that are all relevant": call(
        lambda *, labelled="common": judged(
            labels=as_labels(ONLY), collection=COLLECTION, metrics=["RR"], labelled=labelled
        ),
        {
            "labelled='own'": {"ann": 1.0, "gpt": 1.0},
            "people": Then(lambda: kappas(judged(people=["ben"]))["ben"], -0.6),
        },
        show=reciprocal,
    ),
}


def first(topic: Any) -> float:
    """Return the rank of the first relevant document, which is better the lower."""
    found = np.flatnonzero(topic.levels > 0)
    return float(topic.ranks[found[0]]) / 1000 if len(found) else 1.0


def direction(*, higher_is_better: bool) -> str:
    """Return what is seen of the direction of a metric."""
    found = examine_metric(metric(name="First", higher_is_better=higher_is_better)(first), n_collections=3).to_frame()
    return next(text for text in map(str, found["found"]) if "upside down" in text)


def parted(**options: Any) -> object:
    """Read JSON lines some at a time."""
    with patch.object(votes, "_CHUNK", 60):
        return read_votes("v.jsonl", **options)


def ideal(name: str) -> float:
    """Return the score of a run that is ideal by the judgments of one judge."""
    return float(score(read_collection(["a.run", "b.run"], f"{name}.txt"), ["alpha_nDCG@5"]).sel(system="a").mean())


LEVELS = collection_from_rankings({s: {"1": ["d1"], "2": ["d1"]} for s in "ab"}, {"1": {"d1": 2}, "2": {"d1": 1}})
BY_SUBTOPIC = {
    f"{name}.txt": f"1 1 d1 1\n1 2 d1 {one}\n2 1 d1 1\n2 2 d1 {one}\n1 1 d2 0\n2 1 d2 0\n"
    for name, one in (("x", 1), ("y", 0))
}
REST |= {
    "nothing relevant under either metric": call(
        lambda *, undefined="drop": score(LEVELS, ["AP(rel=2)", "nDCG(gains={1:1,2:0})"], undefined=undefined).sel(
            metric=["AP(rel=2)"]
        ),
        {"undefined='zero'": rows("1 2", a=[1.0, 0.0], b=[1.0, 0.0])},
    ),
    "labels of subtopics beside runs": Call(
        lambda **_: study_judges(as_labels(read_labels([*BY_SUBTOPIC])), reference="x", n_resamples=20, rng=1),
        {
            "--scores": Then(lambda: {name: ideal(name) for name in "xy"}, {"x": 1.0, "y": 1.0}),
            "people": Then(lambda: kappas(judged(people=["ben"]))["ben"], -0.6),
        },
        {},
        {
            **BY_SUBTOPIC,
            **{
                f"{name}.run": "".join(f"{t} Q0 {d} {r} {9 - r} {name}\n" for t in (1, 2) for r, d in enumerate(order))
                for name, order in (("a", ("d1", "d2")), ("b", ("d2", "d1")))
            },
        },
    ),
    "a metric whose direction is turned": call(
        lambda *, higher_is_better=True: direction(higher_is_better=higher_is_better),
        {
            "higher_is_better=True": Then(
                lambda: direction(higher_is_better=False).partition(" on ")[0],
                "better than the same documents upside down",
            )
        },
    ),
    "votes in lines of two kinds": Call(
        parted,
        {
            "columns={'winner': 'winner'}": Then(
                lambda: read_votes("w.jsonl", columns={"winner": "winner"}), {"a b": [1.0], "b c": [0.5]}
            )
        },
        {},
        {
            f"{name}.jsonl": json.dumps({"left": "a", "right": "b", "winner": "left"})
            + "\n"
            + json.dumps({"left": "b", "right": "c", other: "tie"})
            + "\n"
            for name, other in (("v", "verdict"), ("w", "winner"))
        },
    ),
    "gains that nothing takes": call(
        lambda **_: audit_variants(LEVELS, ["AP"], gains="{1:1,2:5}"),
        {"gains": Then(lambda: [one.metric for one in audit_variants(LEVELS, ["AP"])], ["AP", "AP(rel=2)"])},
    ),
    "an audit of passages": Call(
        lambda **_: audit_variants(inex_collection([read_submission("a.run")], read_assessments("q.txt")), "AiP"),
        {
            "--metrics": Then(
                lambda: (
                    score(
                        inex_collection([read_submission("a.run")], read_assessments("q.txt")), ["iP[0.01]"], fewest=1
                    )
                    .to_numpy()
                    .ravel()
                    .tolist()
                ),
                [0.4, 1.0],
            )
        },
        {},
        {
            "q.txt": "1 Q0 d1 40 100 0 0:40\n2 Q0 d1 50 50 0 0:50\n",
            "a.run": "1 Q0 d1 1 9 a 0 100\n2 Q0 d1 1 9 a 0 50\n",
        },
    ),
}


def with_gold(judge: str) -> float:
    """Return the kappa of a judge with the reference that stands in a column beside the labels."""
    labels = as_labels(read_judges(["l.csv"], reference="gold").labels)
    return kappas(study_judges(labels, reference="gold", n_resamples=20, rng=1), of="gold")[judge]


def in_pairs(**options: Any) -> list[float]:
    """Return the variance that a design is planned with."""
    return study_design(scored(), differences=[0.1], **options).variances.table["variance"].tolist()


def of_signed_ranks() -> list[float]:
    """Return the p-value of two systems on topics that are independent."""
    return wilcoxon_test(with_clusters(read_scores("ap.csv"), "ignore")).to_frame()["p_value"].tolist()


OF_ANN: dict[str, Any] = {"words": {"9": "none"}, "reference": "ann", "n_resamples": 20, "rng": 1}
IN_TWO_ASPECTS = "doc,judge,fluency,relevance\nd1,ann,3,1\nd1,ben,2,2\nd2,ann,1,3\nd2,ben,3,1\n"
IN_GROUPS_OF_TWO = "topic,kind,a,b\n" + "".join(f"q{n},k{'abcdef'[n // 2]},{(n + 1) / 20},0\n" for n in range(12))
SAID_AGAIN = pd.DataFrame({"ann": [1, 0, 1, 0], "ben": [1, 1, 0, 0], "cat": [1, 0, 1, 1]}).set_axis([0] * 4)
REST |= {
    "one label an item beside those of judges": Call(
        lambda **options: read_labels("l.csv", **options),
        {"reference": Then(lambda: [with_gold("ann"), with_gold("ben")], [1.0, 0.0])},  # ben is right on 2 of 4
        {},
        {
            "l.csv": "item,judge,label,gold\n"
            + "".join(
                f"d{at},{judge},{own[at]},{'1010'[at]}\n"
                for judge, own in (("ann", "1010"), ("ben", "1100"))
                for at in range(4)
            )
        },
    ),
    "labels of two aspects": Call(
        lambda **options: read_labels("l.csv", **options),
        {"columns={'label': 'relevance'}": {"ann": [1.0, 3.0], "ben": [2.0, 1.0]}},
        {},
        {"l.csv": IN_TWO_ASPECTS},
    ),
    "labels in a frame without names of items": call(
        lambda **_: kappas(study_judges(SAID_AGAIN, **OF_ANN)),
        {
            "frame.assign(item=range(len(frame)))": Then(
                lambda: kappas(study_judges(SAID_AGAIN.assign(item=range(4)), **OF_ANN)),
                {"ben": 0.0, "cat": 0.5},  # alike on 2 and on 3 of 4, by chance on 2
            )
        },
    ),
    "a topic of several rows that another column tells apart": Call(
        lambda **options: read_scores("ap.csv", **options),
        {"columns={'topic': 'part'}": rows("x y z", a=[0.1, 0.2, 0.3], b=[0.4, 0.5, 0.6])},
        {},
        {"ap.csv": "topic,part,a,b\nk1,x,.1,.4\nk1,y,.2,.5\nk1,z,.3,.6\n"},
    ),
    "one score a system under judges": Call(
        lambda **options: read_scores("ap.csv", **options),
        {"systems_in='rows'": rows("LLM NIST", a=[0.5, 0.6], b=[0.4, 0.7], c=[0.3, 0.2])},
        {},
        {"ap.csv": "system,LLM,NIST\na,.5,.6\nb,.4,.7\nc,.3,.2\n"},
    ),
    "a column of what is no number": Call(
        lambda **options: read_scores("ap.csv", **options),
        {"columns={'ignore': ['c']}": rows("1 2 3", a=[0.1, 0.2, 0.3], b=[0.4, 0.5, 0.6])},
        {},
        {"ap.csv": "topic,a,b,c\n1,.1,.4,12:30\n2,.2,.5,13:10\n3,.3,.6,13:50\n"},
    ),
    "a variance of pairs without pairs": call(
        in_pairs,
        {"pairs=[('a', 'b')]": [0.005]},  # differences are .3, .3, .3 and .1, and their variance .01
        variance="pairs",
    ),
    "pairs without their variance": call(in_pairs, {"variance='pairs'": [0.005]}, pairs=[("a", "b")]),
    "groups that may be clusters": Call(
        lambda **options: read_scores("ap.csv", **options),
        {"columns={'cluster': 'kind'}": {f"q{n}": f"k{'abcdef'[n // 2]}" for n in range(12)}},
        {},
        {"ap.csv": IN_GROUPS_OF_TWO},
        show=lambda scores: scores["cluster"].to_series().to_dict(),
    ),
    "tasks that count as clusters": Call(
        lambda **options: read_scores("ap.csv", **options),
        {
            "with_clusters(scores, 'ignore')": Then(
                of_signed_ranks,
                [2 / 2**12],  # a is better on each of 12
            )
        },
        {},
        {"ap.csv": IN_GROUPS_OF_TWO.replace("kind", "task")},
    ),
}
