"""Studies, models and resampling that are told a way out, and what comes out when it is followed."""

from typing import Any

import numpy as np
import pandas as pd
from advice_calls import Call, Then, rows
from advice_methods import HUMAN, JUDGE, call
from advice_objects import judges
from statsmodels.stats.power import TTestPower

from metaeval import (
    as_scores,
    prediction_powered,
    read_items,
    read_labels,
    read_scores,
    study_collections,
    study_human,
    study_judges,
    study_judgments,
    study_stopping,
    study_topics,
    study_votes,
)
from metaeval.agreement import as_labels, favoured_items
from metaeval.agreement.items import compared_cells, item_scores
from metaeval.agreement.labels import of_judges
from metaeval.agreement.meta_evaluation import meta_metrics
from metaeval.collection.assembly import collection_from_rankings
from metaeval.io.groups import read_covariate, read_item_covariate
from metaeval.models.components import variance_components
from metaeval.models.probability_of_best import best_system
from metaeval.questions.boards.study import study_boards
from metaeval.resampling.coverage import coverage
from metaeval.resampling.pool_depths import pooled_systems
from metaeval.resampling.ranks import rank_intervals
from metaeval.tests_stat.detectable_difference import detectable_differences

TOPICS = [str(number) for number in range(1, 9)]
_DRAWN = np.random.default_rng(4)
FOUR = as_scores(_DRAWN.random((4, 8)).round(2), systems=[*"abcd"])
BELOW_ODD_HEADERS = pd.DataFrame({
    "thing": [f"s{at // 2}" for at in range(8)], "who": ["ann", "ben"] * 4, "tag": [0, 1, 1, 1, 2, 0, 0, 0]
})  # fmt: skip
VOTES = pd.DataFrame({"left": ["a"] * 12, "right": ["b"] * 12, "winner": [*["left", "right"] * 6]})
FEW_VOTERS = VOTES.assign(voter=[*"xyz"] * 4)
LONG_AND_SHORT = pd.DataFrame(
    [(*(("a", "b") if at % 2 else ("b", "a")), "left" if at % 10 else "right", 9 + at % 7, at % 5) for at in range(60)],
    columns=["left", "right", "winner", "length_left", "length_right"],
)
"""The longer answer, on the left, wins nine of ten."""
MEANS = dict(zip("abcd", FOUR.mean("topic").to_numpy()[0].tolist(), strict=True))
RUNS = {s: {t: [f"d{(n + at) % 4}" for n in range(4)] for t in TOPICS} for at, s in enumerate("abc")}
QRELS = {t: {f"d{n}": int(n == 0) for n in range(4)} for t in TOPICS}
COLLECTION = collection_from_rankings(RUNS, QRELS)
WHOLE = collection_from_rankings(RUNS, QRELS, retrieved="all")
ITEMS = pd.MultiIndex.from_tuples([(t, d) for t in TOPICS for d in QRELS[t]], names=["topic", "item"])
ANN = [float(QRELS[t][d]) for t, d in ITEMS]
TABLE = pd.DataFrame({"ann": ANN, "gpt": ANN, "ben": [1.0 - one for one in ANN]}, index=ITEMS)
"""gpt says what ann says; ben the contrary."""
AGREE = {"gpt": 1.0, "ben": -0.6}
"""Cohen's kappa with ann: of 1 relevant in 4, ben agrees nowhere; by chance 3/8: (0 - 3/8) / (1 - 3/8)."""


def kappas(study: Any, *, of: str = "ann") -> dict[str, float]:
    """Return the kappa of every judge with one."""
    pairs = study.labelling.agreement.pairs
    return {row["second"]: row["kappa"] for _, row in pairs.iterrows() if row["first"] == of}


def judged(**given: Any) -> Any:
    """Return a study of judges."""
    return study_judges(**{"labels": as_labels(TABLE), "reference": "ann", "n_resamples": 20, "rng": 1, **given})


def reciprocal(study: Any) -> dict[str, float]:
    """Return the mean reciprocal rank of run a under every judge."""
    return study.scores["RR"].sel(system="a").mean("topic").to_pandas().to_dict()


def ordinal(study: Any) -> float:
    """Return Krippendorff's alpha of all judges, by the order of the labels."""
    return float(study.labelling.agreement.alpha.set_index("level").loc["ordinal", "alpha"])


_FIFTHS = np.arange(25) % 5
CARELESS = pd.DataFrame({"item": [f"d{at}" for at in range(25)], **dict.fromkeys(["ann", "ben", "cat"], _FIFTHS)})
CARELESS = CARELESS.assign(dora=(np.arange(25) // 5 + _FIFTHS * 2) % 5)
"""Three who say the same, and one who gives each of their grades every grade as often."""
SILENT = TABLE.assign(cleo=np.nan, dora=0.0)
JUDGES = {
    "labels below headers that are not known": Call(
        lambda **given: study_judges(BELOW_ODD_HEADERS, rng=1, **given),
        {
            "columns={'item': 'NAME', 'judge': 'NAME', 'label': 'NAME'}": Then(
                lambda: kappas(
                    study_judges(BELOW_ODD_HEADERS, columns={"item": "thing", "judge": "who", "label": "tag"}, rng=1),
                    of="ann",
                ),
                {"ben": (0.5 - 0.375) / (1 - 0.375)},  # alike in 2 of 4; by chance in (2 * 2 + 1 * 2) / 16
            )
        },
    ),
    "labels without runs": call(
        lambda **_: judged(),
        {
            "collection": Then(
                lambda: reciprocal(judged(collection=COLLECTION, metrics=["RR"])), {"ann": 1.0, "gpt": 1.0, "ben": 0.5}
            ),
            "people": Then(lambda: kappas(judged(people=["ben"]))["ben"], AGREE["ben"]),
        },
    ),
    "runs without groups": call(
        lambda **_: judged(collection=COLLECTION, metrics=["RR"], people=["ben"]),
        {
            "groups": Then(
                lambda: (
                    "Group bias"
                    in judged(
                        collection=COLLECTION, metrics=["RR"], groups=dict(zip("abc", "xyy", strict=True))
                    ).unanswered
                ),
                right=False,
            ),
            "covariate": Then(
                lambda: (
                    "Group bias"
                    in judged(
                        collection=COLLECTION, metrics=["RR"], covariate={"a": 1.0, "b": 2.0, "c": 4.0}
                    ).unanswered
                ),
                right=False,
            ),
        },
    ),
    "a judge who agrees with nobody": Call(
        lambda **given: study_judges(CARELESS, n_resamples=20, rng=1, **given),
        {
            "columns={'judge': 'ann,ben,cat'}": Then(
                lambda: ordinal(study_judges(CARELESS, columns={"judge": "ann,ben,cat"}, n_resamples=20, rng=1)), 1.0
            )
        },
        elsewhere={"collection": "labels without runs"},
    ),
    "nothing given": call(
        lambda **_: study_judges(),
        {"collection": Then(lambda: kappas(judged(collection=COLLECTION, metrics=["RR"])), AGREE)},
    ),
    "people without a reference": call(
        lambda **_: judged(reference=None, people=["ben"]),
        {"reference": Then(lambda: kappas(judged(people=["ben"])), AGREE)},
    ),
    "what judges settled on": call(
        lambda *, reference="": of_judges(as_labels(TABLE.assign(gold=1.0 - TABLE["ben"])), [reference]),
        {"reference='gold'": ["ann", "gpt", "ben", "gold"]},
        show=lambda labels: [*labels.judges],
    ),
    "a reference without labels": call(
        lambda **_: judged(labels=as_labels(SILENT), reference="cleo"),
        {"reference": Then(lambda: kappas(judged(labels=as_labels(SILENT)))["gpt"], 1.0)},
    ),
    "a reference with nothing relevant": call(
        lambda *, rel=3: judged(labels=as_labels((TABLE + 1).assign(gpt=TABLE["gpt"] * 2 + 1)), rel=rel),
        {
            "reference": Then(
                lambda: kappas(
                    judged(labels=as_labels((TABLE + 1).assign(gpt=TABLE["gpt"] * 2 + 1)), reference="gpt", rel=3),
                    of="gpt",
                )["ann"],
                3 / 7,  # 24 of 32 the same, (3/4 - 9/16) / (7/16)
            ),
            "rel": Then(
                lambda: kappas(judged(labels=as_labels((TABLE + 1).assign(gpt=TABLE["gpt"] * 2 + 1)), rel=2)),
                {"gpt": 3 / 7, "ben": -0.6},
            ),
        },
        rel=3,
    ),
    "labels that were left out before runs": call(
        lambda **_: judged(
            labels=as_labels(TABLE.assign(gpt=TABLE["gpt"] * 3), scale=[0, 1], outside="drop"),
            collection=COLLECTION,
            metrics=["RR"],
        ),
        {
            way: Then(
                lambda: reciprocal(
                    judged(labels=as_labels(TABLE.assign(gpt=TABLE["gpt"] * 3)), collection=COLLECTION, metrics=["RR"])
                ),
                {"ann": 1.0, "gpt": 1.0, "ben": 0.5},
            )
            for way in ("scale", "outside='drop'", "reference", "maps")
        },
    ),
    "a reference of one grade": call(
        lambda **options: judged(labels=as_labels(TABLE.assign(ann=1.0, gpt=[2.0, 1.0] * 16)), **options),
        {
            "maps='keep'": {"gpt": 0.0, "ben": 0.0},
            "reference": Then(lambda: kappas(judged(labels=as_labels(TABLE.assign(cleo=1.0)))), AGREE | {"cleo": 0.0}),
        },
        show=kappas,
    ),
    "a reference of one grade beside fractions": call(
        lambda **_: judged(labels=as_labels(TABLE.assign(ann=1.0, gpt=[2.5, 1.0] * 16), real=True)),
        {
            "reference": Then(
                lambda: kappas(judged(labels=as_labels(TABLE.assign(gpt=[2.5, 1.0] * 16), real=True)))["ben"],
                AGREE["ben"],
            )
        },
    ),
}

X = as_scores(_DRAWN.random((3, 8)).round(2), metrics=["x"], systems=[*"abc"])
Y = as_scores(_DRAWN.random((3, 8)).round(2), metrics=["y"], systems=[*"abc"])
FRAME = pd.DataFrame({"human": [1.0, 2.0, 3.0, 5.0, 4.0], "m": [1.0, 2.0, 3.0, 4.0, 5.0]}, index=[*"abcde"])
LONG = pd.DataFrame(
    {
        "system": np.repeat([*"abcd"], 3),
        "item": [*"123"] * 4,
        "human": [1.0, 2, 3, 2, 4, 3, 5, 6, 4, 7, 8, 9],
        "other": [1.0, 2, 3, 2, 4, 3, 5, 6, 4, 7, 8, 9],
        "m": [1.0, 2, 3, 2, 4, 3, 5, 6, 4, 7, 8, 9],
        "few": [1.0, 2, 3, *[np.nan] * 9],
    }
)
TAU = 0.8
"""One of ten pairs is turned."""


SCHOOL = pd.DataFrame({"human": [5.0, 4, 3, 2, 1], "m": [1.0, 2, 3, 4, 5.5]}, index=[*"abcde"])


def frame_tau(**given: Any) -> float:
    """Return Kendall's tau of the metric of the frame."""
    table = study_human(FRAME, statistics=["kendall"], levels=["system"], n_resamples=20, rng=1, **given).system_table
    return float(table.loc[table["statistic"] == "kendall", "value"].iloc[0])


AGAIN = [
    as_scores(_DRAWN.random((2, 8)).round(2), systems=[*"ab"], topics=[f"law{n}" for n in range(7, 15)]) for _ in "xy"
]


def means_of_repeats() -> dict[str, float]:
    """Return the means of systems whose scores of both files are put into one."""
    parts = [again.isel(metric=0, drop=True).to_series().rename("AP").reset_index() for again in AGAIN]
    pd.concat(parts).to_csv("all.csv", index=False)
    return read_scores("all.csv", duplicates="mean").mean(["metric", "topic"]).to_series().to_dict()


COPIED = pd.DataFrame({
    "system": [*"abcdef"], "item": ["1"] * 6, "human": [1.0, 2, 3, 4, 5, 7], "chrF": [0.1, 0.3, 0.2, 0.4, 0.5, 0.6],
    "said": [2.0, 4, 6, 8, 10, 14.1],
})  # fmt: skip
ERRORS = pd.DataFrame({"human": [1.0, 2, 3, 5], "TER": [-2.0, 1, -1, 2]}, index=[*"abcd"])
"""Five of six pairs rise with people's scores: tau is 4/6, and -4/6 where less is better."""
RANKS = [[1, 3, 2], [2, 1, 1], [3, 2, 3]]
FEW_PAIRS = (
    "system,pair,bleu,human\n"
    + "".join(f"{s},{p},.{n}{k},{k}.5\n" for n, s in enumerate("ab", 1) for k, p in enumerate("wxyz", 1))
    + "".join(f"{s},w,.{n},1.5\n" for n, s in enumerate("cdefg", 3))
    + "h,x,.8,2.5\n"
)
"""Two systems of four language pairs, and six of one."""
ANSWERS = [(f"q{q}", s, (q * at) % 2, (q + at) % 3 + 1) for q in range(12) for at, s in enumerate("abcdef")]
"""Questions, systems, labels of nist, and hundreds of words; gpt-4 adds one to a label for each hundred."""
OF_ANSWERS = {
    "lengths.csv": "question,system,words\n" + "".join(f"{q},{s},{100 * more}\n" for q, s, _, more in ANSWERS),
    "labels.csv": "question,system,judge,label\n"
    + "".join(f"{q},{s},nist,{one}\n{q},{s},gpt-4,{one + more}\n" for q, s, one, more in ANSWERS),
}
TWO_YEARS = "judge,run,topic,year,score\n" + "".join(
    f"{judge},{run},{topic},{year},.{topic}{at + year}\n"
    for judge, topics in (("gpt-4", "123"), ("nist", "12"))
    for year in (1, 5)
    for topic in topics
    for at, run in enumerate("ab")
)
OF_YEAR_1 = {"gpt-4": rows("1 2 3", a=[0.11, 0.21, 0.31], b=[0.12, 0.22, 0.32])}
OF_YEAR_1["nist"] = {system: {topic: own[topic] for topic in "12"} for system, own in OF_YEAR_1["gpt-4"].items()}
BESIDE_EPOCHS = pd.DataFrame({"system": [*"uv"], "x": [0.1, 0.2], "y": [0.4, 0.5], "epoch": [0.7, 0.9]})


def slope_of_words() -> float:
    """Return what gpt-4's labels of answers gain with a word more."""
    labels = as_labels(read_labels("labels.csv", columns={"item": "question,system"}))
    lengths = read_item_covariate("lengths.csv", items=[item for _, item in labels.table.index])
    return float(favoured_items(labels, lengths.of_system, reference="nist").table["slope_per_unit"].iloc[0])


STUDIES = {
    "a copy of the human score": call(
        lambda **given: item_scores(COPIED, reference="human", **given),
        {"metrics=['chrF']": {"human": COPIED["human"].tolist(), "chrF": COPIED["chrF"].tolist()}},
        show=lambda found: {
            str(name): found.sel(metric=name).to_numpy().ravel().tolist() for name in found["metric"].to_numpy()
        },
    ),
    "errors on both sides of 0": call(
        lambda **given: study_human(
            ERRORS, reference="human", statistics=["kendall"], levels=["system"], n_resamples=20, rng=1, **given
        ),
        {"lower_is_better=['TER']": -4 / 6},
        show=lambda found: float(found.system_table["value"].iloc[0]),
    ),
    "ranks as scores": call(
        lambda **given: as_scores(RANKS, metrics=["place"], **given),
        {"higher_is_better={'place': False}": False},
        show=lambda found: found["higher_is_better"].item(),
    ),
    "most systems have one of several pairs": Call(
        lambda **options: read_items("i.csv", **options),
        {
            "where={'pair': 'w'}": {**dict(zip("abcdefg", [0.11, 0.21, 0.3, 0.4, 0.5, 0.6, 0.7], strict=True))},
            "item": Then(
                lambda: (
                    item_scores(read_items("i.csv", item=["pair"]), reference="human", item="pair")
                    .sel(metric="bleu", item="x")
                    .dropna("system")
                    .to_series()
                    .to_dict()
                ),
                {"a": 0.12, "b": 0.22, "h": 0.8},
            ),
        },
        files={"i.csv": FEW_PAIRS},
        show=lambda found: dict(zip(found["system"], found["bleu"], strict=True)),
    ),
    "lengths of answers for systems": Call(
        lambda **_: read_covariate("lengths.csv", systems=[*"abcdef"]),
        {"columns={'item': 'question,system'}": Then(slope_of_words, 0.01)},
        files=OF_ANSWERS,
    ),
    "judges with topics of their own in each year": judges(
        {"j.csv": TWO_YEARS},
        {
            way: Then(
                lambda: judges({"j.csv": ""}, {}).ask(where={"year": "1"}, reference="nist"),
                OF_YEAR_1,
            )
            for way in ("where={'year': '1'}", "reference='nist'")
        },
    ),
    "a column of scores called as a repeat": call(
        lambda **_: as_scores(BESIDE_EPOCHS),
        {
            "frame.drop(columns=['epoch'])": Then(
                lambda: as_scores(BESIDE_EPOCHS.drop(columns=["epoch"])), rows("x y", u=[0.1, 0.4], v=[0.2, 0.5])
            ),
            "frame.rename(columns={'epoch': 'epoch task'})": Then(
                lambda: as_scores(BESIDE_EPOCHS.rename(columns={"epoch": "epoch task"})),
                {"u": {"x": 0.1, "y": 0.4, "epoch task": 0.7}, "v": {"x": 0.2, "y": 0.5, "epoch task": 0.9}},
            ),
        },
    ),
    "a pair of one system": call(
        lambda *, of="pairs": prediction_powered(HUMAN.sel(system=["a"]), JUDGE.sel(system=["a"]), of=of),
        {"of='means'": [0.325]},  # the mean of people's: the judge's is the same on both sets of topics
        show=lambda found: found.to_frame()["estimate"].tolist(),
    ),
    "one collection under two names": call(
        lambda **_: study_collections(dict(zip(("x", "y"), AGAIN, strict=True)), study="table"),
        {
            "duplicates='mean'": Then(
                means_of_repeats,
                {system: float(np.mean([again.sel(system=system) for again in AGAIN])) for system in "ab"},
            )
        },
    ),
    "one metric of collections": call(
        lambda **given: study_collections(
            {"one": FOUR, "two": as_scores(1 - FOUR.to_numpy()[0], systems=[*"abcd"])}, **{"study": "power", **given}
        ),
        {"study='table'": 6},
        show=lambda study: len(study.claims),
    ),
    "boards without a common metric": call(
        lambda **_: study_boards(
            {"one": X, "two": as_scores(np.stack([Y.to_numpy()[0]] * 2), metrics=["y", "z"], systems=[*"abc"])}, rng=1
        ),
        {
            "metric": Then(
                lambda: list(
                    study_boards(
                        {
                            "one": X,
                            "two": as_scores(np.stack([Y.to_numpy()[0]] * 2), metrics=["x", "z"], systems=[*"abc"]),
                        },
                        metric="x",
                        rng=1,
                    ).scores
                ),
                ["one", "two"],
            )
        },
    ),
    "a frame without its human score": call(
        lambda reference=None: frame_tau(reference=reference),
        {"reference": Then(lambda: frame_tau(reference="human"), TAU)},
    ),
    "a human score whose best grade is 1": Call(
        lambda **given: study_human(SCHOOL, reference="human", statistics=["pearson"], n_resamples=9, rng=1, **given),
        {"lower_is_better=['human']": float(np.corrcoef(range(5), SCHOOL["m"])[0, 1])},
        show=lambda found: float(found.system_table["value"].iloc[0]),
    ),
    "directions of a table of items": call(
        lambda **_: study_human(item_scores(LONG, reference="human", metrics=["m"]), lower_is_better=["m"]),
        {
            "lower_is_better": Then(
                lambda: (
                    item_scores(LONG, reference="human", metrics=["m"], lower_is_better=["m"])["higher_is_better"]
                    .to_numpy()
                    .tolist()
                ),
                [True, False],
            )
        },
    ),
    "a metric of one system": call(
        lambda **_: compared_cells(item_scores(LONG, reference="human"), "few", reference="human"),
        {
            "metrics": Then(
                lambda: item_scores(LONG, reference="human", metrics=["m"])["metric"].to_numpy().tolist(),
                ["human", "m"],
            )
        },
    ),
    "tasks of a metric that lacks cells": call(
        lambda **_: meta_metrics(item_scores(LONG, reference="human"), tasks="pearson:item:none", n_chance=10, rng=1),
        {
            "metrics": Then(
                lambda: float(
                    meta_metrics(
                        item_scores(LONG, reference="human", metrics=["m"]),
                        tasks="pearson:item:none",
                        n_chance=10,
                        rng=1,
                    )
                    .table["value"]
                    .iloc[0]
                ),
                1.0,
            )
        },
    ),
    "questions that need what was not judged": call(
        lambda **_: study_judgments(COLLECTION, ["RR"], questions=["shallower-pools"]),
        {
            "retrieved='all'": Then(
                lambda: study_judgments(WHOLE, ["RR"], questions=["shallower-pools"], n_replicates=2, rng=1).questions,
                ("shallower-pools",),
            )
        },
    ),
    "new systems without groups": call(
        lambda **_: study_judgments(WHOLE, ["RR"], questions=["new-systems"]),
        {
            "groups": Then(
                lambda: (
                    study_judgments(
                        WHOLE.with_groups(dict(zip("abc", "xyy", strict=True))),
                        ["RR"],
                        questions=["new-systems"],
                        n_replicates=2,
                        rng=1,
                    ).questions
                ),
                ("new-systems",),
            )
        },
    ),
    "tolerances below zero": call(
        lambda **options: study_topics(
            FOUR - 0.5,
            sizes=[2, 3, 4],
            n_trials=5,
            bayesian=False,
            differences=False,
            n_topic_resamples=0,
            rng=1,
            **options,
        ),
        {"tolerance_unit='absolute'": [0.0, 0.01, 0.02, 0.05]},
        show=lambda study: sorted({*study.error_rates.to_frame()["tolerance"].tolist()}),
    ),
    "more ranks than pairs allow": call(
        lambda *, simultaneous=False: rank_intervals(FOUR, simultaneous=simultaneous, rng=1).groups(),
        {"simultaneous=True": MEANS},
        show=lambda groups: dict(zip(groups["system"], groups["mean"], strict=True)),
    ),
    "families without families": call(
        lambda **_: best_system(FOUR, n_draws=100, rng=1).family_frame(),
        {
            "families": Then(
                lambda: sorted(
                    best_system(
                        FOUR, families=dict(zip("abcd", "xxyy", strict=True)), n_draws=100, rng=1
                    ).family_frame()["n_systems"]
                ),
                [2, 2],
            )
        },
    ),
    "judges that are no judges": call(
        lambda **_: variance_components(FOUR, measure="judge"),
        {
            "judges=True": Then(
                lambda: (
                    "judge"
                    in variance_components(as_scores(_DRAWN.random((2, 4, 8))), measure="judge", judges=True)
                    .to_frame()["component"]
                    .tolist()
                ),
                right=True,
            )
        },
    ),
    "no run is new": call(
        lambda **_: coverage(WHOLE, sizes=[2]),
        {
            "pooled": Then(
                lambda: (
                    coverage(WHOLE.with_groups(pooled={"a": True, "b": True, "c": False}), sizes=[2])
                    .counts["system"]
                    .to_numpy()
                    .tolist()
                ),
                ["c"],
            ),
            "systems": Then(
                lambda: coverage(WHOLE, sizes=[2], systems=["c"]).counts["system"].to_numpy().tolist(), ["c"]
            ),
        },
    ),
    "no run builds the pool": call(
        lambda **_: pooled_systems(WHOLE.with_groups(pooled={"a": False, "b": False, "c": False})),
        {
            "pooled": Then(
                lambda: pooled_systems(WHOLE.with_groups(pooled={"a": True, "b": False, "c": False})).tolist(), [0]
            ),
            "systems": Then(lambda: pooled_systems(WHOLE, systems=["a", "c"]).tolist(), [0, 2]),
        },
    ),
    "too few topics for a look": call(
        lambda **_: study_stopping(FOUR),
        {"burn_in": Then(lambda: len(study_stopping(FOUR, burn_in=5).to_frame()), 6)},
    ),
    "too few voters for a look": call(
        lambda **_: study_stopping(FEW_VOTERS, by="voter"),
        {
            "by='vote'": Then(lambda: study_stopping(FEW_VOTERS, by="vote").n_units, 12),
            "burn_in": Then(lambda: study_stopping(FEW_VOTERS, by="voter", burn_in=2).n_units, 3),
        },
    ),
    "lengths that nobody asked for": call(
        lambda **options: study_votes(LONG_AND_SHORT, rng=0, **options),
        {"covariates=['length']": ["length"]},
        show=lambda study: study.first.covariates["name"].tolist(),
    ),
    "votes without voters": call(
        lambda **_: study_stopping(VOTES, by="voter"),
        {"by": Then(lambda: len(study_stopping(VOTES).to_frame()), 1)},
    ),
    "McNemar's test of graded scores": call(
        lambda *, test="mcnemar": detectable_differences(FOUR.sel(system=["a", "b"]), test=test, corrections=["none"]),
        {"test='t'": None},
        show=lambda found: found.data["difference"].to_numpy().ravel().round(5).tolist(),
    ),
}
_GAP = (FOUR.sel(system="a") - FOUR.sel(system="b")).to_numpy()[0]
STUDIES["McNemar's test of graded scores"].right["test='t'"] = [
    round(float(TTestPower().solve_power(nobs=8, alpha=0.05, power=0.8) * _GAP.std(ddof=1)), 5)
]
