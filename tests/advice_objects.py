"""Objects, boards and judges' scores that are told a way out, and what comes out when it is followed."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
from advice_calls import Call, Then, rows

from metaeval import as_scores, read_scores, study_table
from metaeval.errors import MetaevalError
from metaeval.inex.judges import read_judges
from metaeval.io.means import MeansAloneError
from metaeval.table.structure import engine_scores, topics_by_cluster, with_clusters


def data(held: object, right: Mapping[str, object], *, elsewhere: Mapping[str, str] = {}, **given: Any) -> Call:
    """Return the row of an object taken for scores."""
    return Call(lambda **options: as_scores(held, **options), right, given, {}, elsewhere)


A, B = [0.1, 0.2, 0.3], [0.4, 0.5, 0.6]
AB = rows("1 2 3", a=A, b=B)
GAPPY = {"a": {"1": 0.1, "3": 0.3}, "b": AB["b"], "c": {"1": 0.7, "2": 0.8, "3": 0.9}}
TRIPLE = {
    outer: {
        middle: {inner: at * 4 + place * 2 + n for n, inner in enumerate("vw")} for place, middle in enumerate("yz")
    }
    for at, outer in enumerate("ab")
}
WORDS = pd.DataFrame([A, B], index=["u", "v"], columns=["x", "y", "z"])
NUMBERED = pd.DataFrame([A, B], columns=["301", "302", "303"])
COSTS = pd.DataFrame([(s, t, AB[s][t]) for s in "ab" for t in "123"], columns=["system", "topic", "latency"])
LIST_OF_RUNS = pd.DataFrame(
    [(f"r{s}{t}", f"x{s}{t}", s, t, AB[s][t]) for s in "ab" for t in "123"],
    columns=["run_id", "run", "lr", "seed", "score"],
)
OBJECTS = {
    "mappings with a gap": data(
        GAPPY,
        {
            "missing='zero'": rows("1 2 3", a=[0.1, 0.0, 0.3], b=B, c=[0.7, 0.8, 0.9]),
            "missing='drop-systems'": rows("1 2 3", b=B, c=[0.7, 0.8, 0.9]),
            "missing='drop-topics'": rows("1 3", a=[0.1, 0.3], b=[0.4, 0.6], c=[0.7, 0.9]),
            "missing='pairwise'": rows("1 2 3", a=[0.1, np.nan, 0.3], b=B, c=[0.7, 0.8, 0.9]),
        },
    ),
    "mappings of three levels": data(
        TRIPLE,
        {
            "nesting=('system', 'topic', 'metric')": {
                "v": rows("y z", a=[0.0, 2.0], b=[4.0, 6.0]),
                "w": rows("y z", a=[1.0, 3.0], b=[5.0, 7.0]),
            }
        },
    ),
    "results of one system": data(
        {"AP": {"1": 0.1, "2": 0.2}, "RR": {"1": 1.0, "2": 0.5}},
        {
            "nesting=('system', 'metric', 'topic')": Then(
                lambda: as_scores(
                    {s: {"AP": {"1": 0.1, "2": 0.2}, "RR": {"1": 1.0, "2": 0.5}} for s in "ab"},
                    nesting=("system", "metric", "topic"),
                ),
                {"AP": rows("1 2", a=[0.1, 0.2], b=[0.1, 0.2]), "RR": rows("1 2", a=[1.0, 0.5], b=[1.0, 0.5])},
            )
        },
    ),
    "a frame that says nothing": data(
        WORDS,
        {
            "as_scores(frame, systems=list(frame.index))": Then(
                lambda: as_scores(WORDS, systems=list(WORDS.index)), rows("x y z", u=A, v=B)
            ),
            "as_scores(frame, systems=list(frame.columns))": Then(
                lambda: as_scores(WORDS, systems=list(WORDS.columns)),
                rows("u v", x=[0.1, 0.4], y=[0.2, 0.5], z=[0.3, 0.6]),
            ),
        },
    ),
    "a frame with topics in columns alone": data(
        NUMBERED,
        {
            "as_scores(frame, systems=list(frame.columns))": Then(
                lambda: as_scores(NUMBERED, systems=list(NUMBERED.columns)),
                {"301": {"0": 0.1, "1": 0.4}, "302": {"0": 0.2, "1": 0.5}, "303": {"0": 0.3, "1": 0.6}},
            )
        },
    ),
    "a frame of costs alone": data(
        COSTS,
        {
            "as_scores(frame.rename(columns={'latency': 'score'}), higher_is_better=False)": Then(
                lambda: as_scores(COSTS.rename(columns={"latency": "score"}), higher_is_better=False), AB
            )
        },
    ),
    "a list of runs in a study": Call(
        lambda: study_table(LIST_OF_RUNS).scores,
        {
            "frame.rename(columns={'lr': 'system', 'seed': 'topic'})": Then(
                lambda: study_table(LIST_OF_RUNS.rename(columns={"lr": "system", "seed": "topic"})).scores, AB
            )
        },
    ),
    "a gap in a study": Call(
        lambda: study_table(GAPPY).scores,
        {
            f"as_scores(scores, missing={rule!r})": Then(lambda rule=rule: as_scores(GAPPY, missing=rule), right)
            for rule, right in {"zero": rows("1 2 3", a=[0.1, 0.0, 0.3], b=B, c=[0.7, 0.8, 0.9])}.items()
        },
    ),
}


def named(*names: str, **given: Any) -> Any:
    """Return scores of systems of these names: A, B and so on."""
    return as_scores([[[one + at / 10 for one in A] for at in range(len(names))]], systems=list(names), **given)


IN_FILE = "topic," + "{}\n" + "1,.1,.2,.3,.4\n2,.2,.3,.4,.6\n"


def wide(names: str, right: Mapping[str, object], **given: Any) -> Call:
    """Return the row of a table of four systems."""
    return Call(lambda **options: read_scores("r.csv", **options), right, given, {"r.csv": IN_FILE.format(names)})


FOUR = {"1": [0.1, 0.2, 0.3, 0.4], "2": [0.2, 0.3, 0.4, 0.6]}


def four(names: str) -> dict[str, dict[str, float]]:
    """Return the scores of the table by the names of its systems."""
    return {name: {topic: FOUR[topic][at] for topic in FOUR} for at, name in enumerate(names.split(","))}


REPEATS = {"a": {"1": [0.1, 0.2], "2": [0.2, 0.3]}, "b": {"1": [0.3, 0.4], "2": [0.4, 0.6]}}
IN_NAMES = {
    "systems called as repeats": wide("a-seed1,a-seed2,b-seed1,b-seed2", {"repeats_in_names=True": REPEATS}),
    "versions read as repeats": wide(
        "a-3,a-5,b-3,b-5",
        {"repeats_in_names": Then(lambda: read_scores("r.csv"), four("a-3,a-5,b-3,b-5"))},
        repeats_in_names=True,
    ),
    "repeats of one system alone": wide(
        "a-1,a-2,a-3,a-4",
        {"repeats_in_names": Then(lambda: read_scores("r.csv"), four("a-1,a-2,a-3,a-4"))},
        repeats_in_names=True,
    ),
    "a system without a number": wide(
        "a,b,c,d", {"repeats_in_names": Then(lambda: read_scores("r.csv"), four("a,b,c,d"))}, repeats_in_names=True
    ),
    "two systems of one repeat": wide(
        "a-1,a-01,b-1,b-2",
        {"repeats_in_names": Then(lambda: read_scores("r.csv"), four("a-1,a-01,b-1,b-2"))},
        repeats_in_names=True,
    ),
    "repeats of their own": Call(
        lambda **options: read_scores("l.csv", **options),
        {"repeats_in_names": Then(lambda: read_scores("l.csv"), REPEATS)},
        {"repeats_in_names": True},
        {
            "l.csv": "system,topic,repeat,score\n"
            + "".join(f"{s},{t},{n},{REPEATS[s][t][n]}\n" for s in "ab" for t in "12" for n in (0, 1))
        },
    ),
}


def board(text: str, right: Mapping[str, object]) -> Call:
    """Return the row of a board of means, read as means by metric and system."""

    def ask(**options: Any) -> object:
        try:
            return read_scores("m.csv", **options)
        except MeansAloneError as alone:
            found = alone.board
            return {
                metric: dict(zip(map(str, found.systems), map(float, means), strict=True))
                for metric, means in zip(found.metrics, found.means, strict=True)
            }

    return Call(ask, right, {}, {"m.csv": text})


BOARDS = {
    "two means of a system": board(
        "model,lang,acc,acc_stderr\na,de,.5,.01\nb,de,.6,.01\na,en,.7,.01\nb,en,.8,.01\n",
        {
            "where={'lang': 'de'}": {"acc": {"a": 0.5, "b": 0.6}},
            "columns={'topic': 'lang'}": rows("de en", a=[0.5, 0.7], b=[0.6, 0.8]),
        },
    ),
    "a column called as no score": Call(
        lambda **options: read_scores("w.csv", **options),
        {"columns={'ignore': ['Mean win rate']}": rows("t1 t2 t3", a=A, b=B)},
        {},
        {"w.csv": "system,t1,t2,t3,Mean win rate\na,.1,.2,.3,.9\nb,.4,.5,.6,.1\n"},
    ),
}

CLUSTERED = as_scores([[*A, 0.4], [0.4, 0.5, 0.6, 0.8]], clusters={"1": "u", "2": "u", "3": "v", "4": "v"})
MACRO = {"system1": {"u": 0.15, "v": 0.35}, "system2": {"u": 0.45, "v": 0.7}}
EVERY = {"system1": {"1": 0.1, "2": 0.2, "3": 0.3, "4": 0.4}, "system2": {"1": 0.4, "2": 0.5, "3": 0.6, "4": 0.8}}


def engine(scores: Any, right: Mapping[str, object], *, elsewhere: Mapping[str, str] = {}) -> Call:
    """Return the row of a method that knows nothing of gaps, clusters and weights."""
    return Call(lambda **_: engine_scores(scores), right, {}, {}, elsewhere)


WEIGHTED = "topic,weight,a,b\n1,1,.1,.4\n2,2,.2,.5\n3,1,.3,.6\n"
STRUCTURE = {
    "clusters in a method that knows none": engine(
        CLUSTERED,
        {
            "with_clusters(scores, 'means')": Then(lambda: engine_scores(with_clusters(CLUSTERED, "means")), MACRO),
            "with_clusters(scores, 'ignore')": Then(lambda: engine_scores(with_clusters(CLUSTERED, "ignore")), EVERY),
        },
    ),
    "strata in a method that knows none": engine(
        with_clusters(CLUSTERED, "fixed"),
        {"with_clusters(scores, 'ignore')": Then(lambda: engine_scores(with_clusters(CLUSTERED, "ignore")), EVERY)},
    ),
    "weights in a method that knows none": Call(
        lambda **options: engine_scores(read_scores("w.csv", **options)),
        {"columns={'ignore': 'weight'}": AB},
        {},
        {"w.csv": WEIGHTED},
    ),
    "gaps in a method that knows none": Call(
        lambda *, missing="pairwise": engine_scores(as_scores(GAPPY, missing=missing)),
        {
            "missing='zero'": rows("1 2 3", a=[0.1, 0.0, 0.3], b=B, c=[0.7, 0.8, 0.9]),
            "missing='drop-systems'": rows("1 2 3", b=B, c=[0.7, 0.8, 0.9]),
            "missing='drop-topics'": rows("1 3", a=[0.1, 0.3], b=[0.4, 0.6], c=[0.7, 0.9]),
        },
    ),
    "no clusters": Call(
        lambda **_: with_clusters(named("a", "b"), "means"),
        {
            "clusters": Then(
                lambda: with_clusters(named("a", "b", clusters={"1": "u", "2": "u", "3": "v"}), "means"),
                rows("u v", a=[0.15, 0.3], b=[0.25, 0.4]),
            )
        },
    ),
    "means over no clusters": Call(
        lambda **_: topics_by_cluster(named("a", "b")),
        {
            "clusters": Then(
                lambda: topics_by_cluster(named("a", "b", clusters={"1": "u", "2": "u", "3": "v"})),
                rows("u v", a=[0.15, 0.3], b=[0.25, 0.4]),
            )
        },
    ),
}

JUDGED = "judge,system,topic,score\n" + "".join(
    f"{judge},{system},{topic},{AB[system][topic] * factor}\n"
    for judge, factor in (("x", 1), ("y", 0.5))
    for system in "ab"
    for topic in "123"
)
HALVED = rows("1 2 3", a=[0.05, 0.1, 0.15], b=[0.2, 0.25, 0.3])
UNDER = {"x": AB, "y": HALVED}


def judges(files: Mapping[str, str], right: Mapping[str, object], **given: Any) -> Call:
    """Return the row of scores under judges, by metric and judge."""

    def ask(**options: Any) -> object:
        found = read_judges([*files], **options).scores
        plain = {
            metric: {
                judge: {s: row.to_dict() for s, row in one.isel(metric=0).to_pandas().iterrows()}
                for judge, one in own.items()
            }
            for metric, own in found.items()
        }
        return next(iter(plain.values())) if len(plain) == 1 else plain

    return Call(ask, right, given, files)


def follow(files: Mapping[str, str], **options: Any) -> Any:
    """Read scores under judges as a person does who was told how."""
    return judges(files, {}).ask(**options)


def one_judge() -> bool:
    """Say whether rows of one judge lead to the question for another, which names the column of judges as a way."""
    with pytest.raises(MetaevalError, match=r"scores of one judge .*; give those of another .*columns=\{'judge'"):
        follow({"x.csv": ""}, where={"who": "x"})
    return True


X, Y = "topic,a,b\n1,.1,.4\n2,.2,.5\n3,.3,.6\n", "topic,a,b\n1,.05,.2\n2,.1,.25\n3,.15,.3\n"
X3 = "topic,a,b,c\n1,.1,.4,.7\n2,.2,.5,.7\n3,.3,.6,.7\n"
LONG_X = "system,topic,metric,score\n" + "".join(
    f"{s},{t},{m},{AB[s][t]}\n" for m in ("AP", "RR") for s in "ab" for t in "123"
)
LONG_Y = LONG_X.replace("AP", "P@5").replace("RR", "P@10")
LONG_Z = LONG_X.replace("RR", "P@10")
KINDS = (
    JUDGED.replace("judge,system,topic,score", "judge,system,topic,score,aspect")
    .replace("\n", ",u\n")
    .replace("aspect,u", "aspect")
)
TWICE = [line.replace(",u", f",{of}") for of in ("u,1", "u,2", "v,1", "v,2") for line in KINDS.splitlines()[1:]]
OWN = {"u": AB, "v": rows("4 5 6", a=A, b=B)}
JUDGES = {
    "a judge lacks a system": judges({"x.csv": X3, "y.csv": Y}, {"missing='drop-systems'": UNDER}),
    "the scores of one judge": judges(
        {
            "x.csv": "who,system,topic,score\n"
            + "".join(f"{w},{s},{t},{OWN[w][s][t]}\n" for w in OWN for s in "ab" for t in OWN[w]["a"])
        },
        {"columns={'judge': 'NAME'}": Then(lambda: follow({"x.csv": ""}, columns={"judge": "who"}), OWN)},
    ),
    "scores of two judges by another word": judges(
        {"x.csv": JUDGED.replace("judge,", "who,", 1)},
        {
            "columns={'metric': 'who'}": UNDER,
            "where={'who': 'x'}": Then(one_judge, True),  # noqa: FBT003 - what comes out
        },
    ),
    "judges that share no metric": judges(
        {"x.csv": LONG_X, "y.csv": LONG_Y},
        {
            "reference": Then(
                lambda: follow({"x.csv": "", "y.csv": ""}, reference="x"),
                {m: {"x": AB, "y:P@5": AB, "y:P@10": AB} for m in ("AP", "RR")},
            ),
            "metrics": Then(lambda: follow({"x.csv": "", "y.csv": ""}, metrics=["AP", "P@5"]), {"x": AB, "y": AB}),
        },
    ),
    "a judge without the metric": judges(
        {"x.csv": LONG_X, "y.csv": LONG_Y},
        {"metrics": Then(lambda: follow({"x.csv": "", "y.csv": ""}, metrics=["AP", "P@5"]), {"x": AB, "y": AB})},
        metrics=["AP"],
    ),
    "rows that another column tells apart": judges(
        {"x.csv": KINDS + "".join(line.replace(",u", ",v") + "\n" for line in KINDS.splitlines()[1:])},
        {"where={'aspect': 'u'}": UNDER},
    ),
    "rows that two other columns tell apart": judges(
        {"x.csv": "\n".join([KINDS.splitlines()[0] + ",form", *TWICE]) + "\n"},
        {"where": Then(lambda: follow({"x.csv": ""}, where={"aspect": "u", "form": "2"}), UNDER)},
    ),
    "a column of judges in JSON": judges(
        {"x.json": json.dumps({"x": {"AP": AB}})},
        {"columns": Then(lambda: follow({"x.csv": ""}, columns={"judge": "who"}), UNDER)},
        columns={"judge": "who"},
    ),
}
JUDGES["a column of judges in JSON"].files["x.csv"] = JUDGED.replace("judge,", "who,", 1)
