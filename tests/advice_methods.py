"""Measures, methods and studies that are told a way out, and what comes out when it is followed."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from advice_calls import Call, Then, plain, rows
from scipy import stats

from metaeval import alt_test, as_scores, compare_systems, prediction_powered, wilcoxon_test
from metaeval.agreement import as_labels
from metaeval.agreement.aggregates import aggregate_scores
from metaeval.agreement.items import item_scores, reference_of, system_means
from metaeval.agreement.rankings import kendall_tau
from metaeval.base.checks import check_paired
from metaeval.collection.assembly import collection_from_rankings
from metaeval.metrics.builtin import BUILTIN
from metaeval.metrics.spec import metric
from metaeval.models.bayesian_comparison import bayesian_t
from metaeval.models.design_effect import design_effect
from metaeval.questions.table.study import study_table
from metaeval.resampling.leave_out import leave_group_out
from metaeval.resampling.pools import original_pool
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.resampling.swap import swap_method
from metaeval.table.scores import system_groups
from metaeval.table.structure import topics_by_cluster


def call(ask: Any, right: Mapping[str, object], *, show: Any = plain, **given: Any) -> Call:
    """Return the row of a call without files."""
    return Call(ask, right, given, show=show)


A, B = [0.1, 0.2, 0.3, 0.5], [0.4, 0.5, 0.6, 0.6]
IN_CLUSTERS = {"1": "u", "2": "u", "3": "v", "4": "v"}


def scored(**more: Any) -> Any:
    """Return scores of two systems on four topics."""
    return as_scores([A, B], systems=["a", "b"], **more)


FRAME = pd.DataFrame(
    {"system": [*"aabb"], "doc": [*"1212"], "seg": [*"1111"], "human": [1.0, 2.0, 3.0, 5.0], "m": [2.0, 4, 6, 8]}
)
PEOPLE = pd.DataFrame({"p": [1, 0, 1, 1], "q": [1, 1, 1, 0], "r": [1, 0, 1, 1]})
TEXTS = PEOPLE.replace({0: "no", 1: "yes"})
WORDS = pd.DataFrame(
    {"ann": ["cat", "dog"], "ben": ["dog", "dog"]},
    index=pd.MultiIndex.from_tuples([("1", "d1"), ("1", "d2")], names=["topic", "item"]),
)
NUMBERS = WORDS.replace({"cat": 0, "dog": 1}).astype(float)
AGREEMENT = {
    "a macro mean without clusters": call(
        lambda **_: aggregate_scores(scored(), aggregates=["macro mean"]),
        {
            "clusters": Then(
                lambda: [
                    *aggregate_scores(scored(clusters=IN_CLUSTERS), aggregates=["macro mean"])
                    .mean("topic")
                    .to_numpy()[0]
                ],
                [0.275, 0.525],
            )
        },
    ),
    "too few items for the alt-test": call(
        lambda **options: (
            alt_test(PEOPLE, PEOPLE[["p"]].rename(columns={"p": "j"}), **options).judges["items"].tolist()
        ),
        {"fewest_items=4": [4]},
    ),
    "differences of texts": call(
        lambda **options: (
            alt_test(
                TEXTS, TEXTS[["p"]].rename(columns={"p": "j"}), fewest_items=4, **{"scoring": "neg_rmse", **options}
            )
            .judges["people"]
            .tolist()
        ),
        {"scoring='accuracy'": [3]},
    ),
    "an item of several columns": call(
        lambda *, item="seg": item_scores(FRAME, reference="human", item=item).sel(metric="m").to_numpy().tolist(),
        {
            "item": Then(
                lambda: item_scores(FRAME, reference="human", item=["seg", "doc"]).sel(metric="m").to_numpy().tolist(),
                [[2.0, 4.0], [6.0, 8.0]],
            )
        },
    ),
    "a system in several rows": call(
        lambda **_: system_means(FRAME, reference="human"),
        {
            "item": Then(
                lambda: item_scores(FRAME, reference="human", item="doc").sel(metric="human").to_numpy().tolist(),
                [[1.0, 2.0], [3.0, 5.0]],
            )
        },
    ),
    "no metric said to be human": call(
        lambda reference=None: reference_of(item_scores(FRAME, reference="human", item="doc").drop_attrs(), reference),
        {"reference": Then(lambda: reference_of(item_scores(FRAME, reference="human", item="doc"), "human"), "human")},
    ),
    "words under a scale of numbers": call(
        lambda **options: as_labels(WORDS, **{"scale": [0, 1], **options}).table,
        {
            "words": Then(lambda: as_labels(NUMBERS, scale=[0, 1]).table, {"ann": [0.0, 1.0], "ben": [1.0, 1.0]}),
            "scale": Then(lambda: as_labels(WORDS).table, {"ann": [0.0, 1.0], "ben": [1.0, 1.0]}),
        },
    ),
    "a label off the scale": call(
        lambda **options: as_labels(NUMBERS + 1, scale=[0, 1], **options).table,
        {
            "outside='drop'": {"ann": [1.0, np.nan], "ben": [np.nan, np.nan]},
            "scale": Then(
                lambda: as_labels(NUMBERS + 1, scale=[0, 1, 2]).table, {"ann": [1.0, 2.0], "ben": [2.0, 2.0]}
            ),
        },
    ),
    "words and numbers": call(
        lambda **_: as_labels(WORDS.replace({"cat": 1})),
        {"words": Then(lambda: as_labels(NUMBERS).table, {"ann": [0.0, 1.0], "ben": [1.0, 1.0]})},
    ),
    "words where grades are wanted": call(
        lambda **_: as_labels(WORDS).require_ordered("this"),
        {"words": Then(lambda: as_labels(NUMBERS).require_ordered("this"), None)},
    ),
    "a constant ranking": call(
        lambda **options: kendall_tau([[1, 2, 3], [1, 1, 1]], [1, 2, 3], **options).tolist(),
        {"undefined='nan'": [1.0, np.nan]},
    ),
    "too many systems to pair": call(
        lambda **_: check_paired(20_000),
        {"exclude_systems": Then(lambda: check_paired(10_000), None)},
    ),
    "systems without groups": call(
        lambda **_: system_groups(scored()),
        {"groups": Then(lambda: system_groups(scored(groups={"a": "x", "b": "y"})).tolist(), ["x", "y"])},
    ),
    "a system that is not in every cluster": call(
        lambda **_: topics_by_cluster(
            as_scores([[0.1, 0.2, np.nan, np.nan], B, B], systems=[*"abc"], clusters=IN_CLUSTERS, missing="pairwise")
        ),
        {
            "exclude_systems=['a']": Then(
                lambda: topics_by_cluster(as_scores([B, B], systems=[*"bc"], clusters=IN_CLUSTERS)),
                rows("u v", b=[0.45, 0.6], c=[0.45, 0.6]),
            )
        },
    ),
}

MANY = np.random.default_rng(1).normal([[0.0], [0.1]], 1, (2, 1100))
TWO = as_scores(
    [[[1.0, 2.0, 4.0], [2.0, 2.0, 5.0]], [[3.0, 1.0, 2.0], [4.0, 2.0, 1.0]]], metrics=["x", "y"], systems=["a", "b"]
)
HUMAN = as_scores([[0.1, 0.5, 0.3, 0.4], [0.2, 0.4, 0.6, 0.9]], metrics=["h"], systems=["a", "b"])
JUDGE = as_scores([[0.2, 0.4, 0.3, 0.5, 0.6, 0.1], [0.3, 0.3, 0.5, 0.8, 0.7, 0.3]], metrics=["j"], systems=["a", "b"])
JUDGE3 = as_scores([*JUDGE.to_numpy()[0].tolist(), [0.5] * 6], metrics=["j"], systems=["a", "b", "c"])


def p_of(found: Any) -> list[float]:
    """Return the p-values of the only metric."""
    return found.data["p_value"].to_numpy()[0].tolist()


TUKEY = compare_systems(MANY, test="tukey", rng=1)
"""Of two systems, so that nothing is corrected."""
TWO_METRICS = np.random.default_rng(3).random((2, 2, 6))
SEVEN_OF_EIGHT = [[0.5, 0.6, 0.7, 0.4, 0.9, 0.3, 0.8, 0.2], [0.4, 0.5, 0.3, 0.1, 0.8, 0.35, 0.2, 0.1]]
TESTS = {
    "an exact test on many topics": call(
        lambda *, method="exact": p_of(wilcoxon_test(MANY, method=method)),
        {
            "method='asymptotic'": [
                float(stats.wilcoxon(MANY[0], MANY[1], method="asymptotic", correction=False).pvalue)
            ]
        },
    ),
    "Nemenyi's range in one direction": call(
        lambda *, test="nemenyi": p_of(compare_systems(SEVEN_OF_EIGHT, test=test, alternative="greater")),
        {"test='friedman'": [float(stats.binomtest(7, 8, alternative="greater").pvalue)]},  # ranks of two: signs
    ),
    "a posterior of one of two metrics": call(
        lambda **given: (
            bayesian_t(as_scores(TWO_METRICS, metrics=["AP", "RR"]))
            .to_arviz(n_draws=9, rng=1, **given)["posterior"]["difference"]
            .sizes["draw"]
        ),
        {"metric='AP'": 9},
    ),
    "a test of independent samples": call(
        lambda *, test="ttest_ind": p_of(compare_systems(SEVEN_OF_EIGHT, test=test)),
        {"test='t'": [float(stats.ttest_rel(*SEVEN_OF_EIGHT).pvalue)]},
    ),
    "McNemar's test of scores between 0 and 1": call(
        lambda *, test="mcnemar": p_of(compare_systems(SEVEN_OF_EIGHT, test=test)),
        {"test='sign'": [float(stats.binomtest(7, 8).pvalue)]},
    ),
    "a further correction": call(
        lambda *, correction="holm": TUKEY.with_correction(correction).data["p_corrected"].to_numpy()[0].tolist(),
        {
            "correction": Then(lambda: p_of(TUKEY), p_of(TUKEY)),
            "correction='family-wise'": p_of(TUKEY),
        },
    ),
    "human scores of two metrics": call(
        lambda **_: prediction_powered(TWO, JUDGE),
        {
            "human.sel(metric=['x'])": Then(
                lambda: prediction_powered(TWO.sel(metric=["x"]), JUDGE).data["human_estimate"].to_numpy().tolist(),
                [-2 / 3],
            )
        },
    ),
    "a judge with another system": call(
        lambda **_: prediction_powered(HUMAN, JUDGE3),
        {
            "scores.sel(system=[...])": Then(
                lambda: (
                    prediction_powered(HUMAN, JUDGE3.sel(system=["a", "b"])).data["human_estimate"].to_numpy().tolist()
                ),
                [-0.2],
            )
        },
    ),
    "pairs of means": call(
        lambda *, of="means": len(prediction_powered(HUMAN, JUDGE, of=of).significant_pairs()),
        {"of='pairs'": 0},
    ),
}

RUNS = {"a": {"1": ["d1", "d2"], "2": ["d5"]}, "b": {"1": ["d2", "d1"], "2": ["d4", "d5"]}}
QRELS = {"1": {"d1": 2, "d2": 0}, "2": {"d5": 1, "d4": 0}}
COLLECTION = collection_from_rankings(RUNS, QRELS)
WHOLE = collection_from_rankings(RUNS, QRELS, retrieved="all")
NEGATIVE = as_scores([[-0.1, 0.2, 0.3, 0.1, 0.2, 0.3], [-0.5, 0.3, 0.1, 0.0, 0.1, 0.4]])


@metric(name="Depth")
def depth(topic: Any) -> float:
    """Ranks."""
    return float(len(topic.levels)) / 10


COLLECTIONS = {
    "a metric that is registered": call(
        lambda **options: len(BUILTIN.extend(BUILTIN.metrics["AP"], **options).metrics) - len(BUILTIN.metrics),
        {"replace=True": 0},
    ),
    "a metric's name that is no keyword": call(
        lambda **_: metric("Depth"),
        {"@metric(name='Depth')": Then(lambda: metric(name="Depth")(depth.function).name, "Depth")},
    ),
    "the original pool without what was not judged": call(
        lambda **_: original_pool(COLLECTION),
        {"retrieved='all'": Then(lambda: [*original_pool(WHOLE).depths], [1, 1])},
    ),
    "groups to leave out without groups": call(
        lambda **_: leave_group_out(COLLECTION, ["P@10"], pool_depth=2),
        {
            "groups": Then(
                lambda: (
                    leave_group_out(COLLECTION.with_groups({"a": "x", "b": "y"}), ["P@10"], pool_depth=2)
                    .changes()
                    .to_numpy()
                    .tolist()
                ),
                [[0.0, 0.0]],
            )
        },
    ),
    "a share of another pool": call(
        lambda **options: (
            leave_group_out(WHOLE.with_groups({"a": "x", "b": "y"}), ["P@10"], pool_share=50, **options)
            .changes()
            .to_numpy()
            .shape
        ),
        {"baseline='pool'": (1, 2)},
    ),
    "a relative tolerance below zero": call(
        lambda *, tolerances=(0.0, 0.5), **options: sorted(
            {
                *swap_method(
                    NEGATIVE, sizes=[2, 3], tolerances=list(tolerances), n_trials=5, rng=1, **options
                ).to_frame()["tolerance"]
            }
        ),
        {"tolerance_unit='absolute'": [0.0, 0.5], "tolerances=[0]": [0.0]},
    ),
    "a required difference of few resamples": call(
        lambda *, n_resamples=10: (
            bootstrap_sensitivity(NEGATIVE, n_resamples=n_resamples, alpha=0.05, rng=1).n_resamples
        ),
        {
            "n_resamples": Then(
                lambda: bootstrap_sensitivity(NEGATIVE, n_resamples=20, alpha=0.05, rng=1).n_resamples, 20
            )
        },
    ),
    "a design effect without clusters": call(
        lambda **_: design_effect(scored()),
        {"clusters": Then(lambda: len(design_effect(scored(clusters=IN_CLUSTERS)).to_frame()), 2)},
    ),
    "letters of many systems": call(
        lambda **options: study_table(np.random.default_rng(1).random((30, 5)), rng=1, **options),
        {"top=10": 10, "marks='groups'": 30},
        show=lambda study: len(study.to_frame()["system"].unique()),
    ),
}
