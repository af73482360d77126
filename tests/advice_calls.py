"""Calls that are told a way out, and what comes out when it is followed: readers of files and of objects."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from metaeval import read_scores
from metaeval.io.means import MeansAloneError
from metaeval.table.votes import Votes


class Then(NamedTuple):
    """A way out that is more than an argument of the same call: the call that follows it, and what comes out."""

    ask: Callable[[], object]
    right: object


def plain(found: object) -> object:
    """Return what came out by its names: scores by system and topic, of several metrics by metric."""
    if isinstance(found, xr.DataArray):
        if "repeat" in found.dims:
            return {
                system: {
                    topic: found.sel(metric=found["metric"][0], system=system, topic=topic).to_numpy().tolist()
                    for topic in found["topic"].to_numpy().tolist()
                }
                for system in found["system"].to_numpy().tolist()
            }
        by_metric = {}
        for metric in found["metric"].to_numpy().tolist():
            frame = found.sel(metric=metric).to_pandas()
            by_metric[metric] = {system: row.to_dict() for system, row in frame.iterrows()}
        return next(iter(by_metric.values())) if len(by_metric) == 1 else by_metric
    if isinstance(found, Votes):
        shares: dict[str, list[float]] = {}
        for left, right, share in zip(found.left.tolist(), found.right.tolist(), found.share.tolist(), strict=True):
            shares.setdefault(f"{found.systems[left]} {found.systems[right]}", []).append(share)
        return shares
    if isinstance(found, pd.DataFrame):
        return {str(name): column.tolist() for name, column in found.items()}
    return found


class Call(NamedTuple):
    """A call that is told something."""

    ask: Callable[..., object]
    """Takes what is advised by name."""
    right: Mapping[str, object]
    """What comes out by the ways that the message has, all of them."""
    given: Mapping[str, Any] = {}
    files: Mapping[str, str] = {}
    elsewhere: Mapping[str, str] = {}
    """Ways that are for data of another kind, and the row in which they are followed."""
    show: Callable[[Any], object] = plain
    """Makes what is compared of what comes out."""


def rows(topics: str, **scores: list[float]) -> dict[str, dict[str, float]]:
    """Return scores by system and topic; topics are letters or divided by blanks."""
    names = topics.split()
    return {system: dict(zip(names, own, strict=True)) for system, own in scores.items()}


def table(
    text: str,
    right: Mapping[str, object],
    *,
    name: str = "ap.csv",
    elsewhere: Mapping[str, str] = {},
    show: Callable[[Any], object] = plain,
    **given: Any,
) -> Call:
    """Return the row of one table of scores."""
    return Call(lambda **options: read_scores(name, **options), right, given, {name: text}, elsewhere, show)


def tables(
    files: Mapping[str, str], right: Mapping[str, object], *, elsewhere: Mapping[str, str] = {}, **given: Any
) -> Call:
    """Return the row of several tables of scores."""
    return Call(lambda **options: read_scores([*files], **options), right, given, files, elsewhere)


def repaired(old: str, new: str, right: object, name: str = "ap.csv", **options: Any) -> Then:
    """Return a way out that a person goes who changes a file."""

    def ask() -> object:
        place = Path(name)
        text = place.read_text("utf-8")
        assert old in text
        place.write_text(text.replace(old, new), "utf-8")
        return read_scores(name, **options)

    return Then(ask, right)


AB = rows("1 2 3", a=[0.1, 0.2, 0.3], b=[0.4, 0.5, 0.6])
PHRASES = ("red shoes", "blue hat", "long coat")
WIDE = "topic,a,b\n1,.1,.4\n2,.2,.5\n3,.3,.6\n"
LONG = "system,topic,score\n" + "".join(f"{s},{t},{AB[s][t]}\n" for s in "ab" for t in "123")
GAPPY = WIDE.replace(".2,", ",")
WITHOUT_2 = rows("1 3", a=[0.1, 0.3], b=[0.4, 0.6])
FIRST, MEAN = AB, rows("1 2 3", a=[0.1, 0.2, 0.5], b=[0.4, 0.5, 0.6])
METRICS = {"AP": AB, "RR": rows("1 2 3", a=[1.0, 0.5, 0.25], b=[0.5, 0.2, 1.0])}
MANY = [letter * 3 for letter in "abcdefghijklmnopqrst"]
FOUR = {(m, s, t): METRICS[m][s][t] for m in METRICS for s in "ab" for t in "123"}
APART = {"a": range(1, 7), "b": range(6, 12)}
TOPICS_9 = "topic," + ",".join("ab") + "\n" + "".join(f"{t},{t / 10},{t / 20}\n" for t in range(1, 10))


def _means_by_name() -> dict[str, float]:
    """Return the means of systems that share no item."""
    try:
        read_scores("ap.csv", columns={"system": "name"})
    except MeansAloneError as alone:
        return dict(zip(alone.board.systems, alone.board.means[0].round(9).tolist(), strict=True))
    return {}


READERS = {
    "numbers compared in a column of words": table(
        "system,topic,score,year\n"
        + "".join(f"{s},{t}{year},{AB[s][t]},{year}\n" for s in "ab" for t in "123" for year in ("old", "2020")),
        {"where={'year': 'old'}": {s: {f"{t}old": AB[s][t] for t in "123"} for s in "ab"}},
        where={"year": ">=2020"},
    ),
    "models of two sizes": table(
        "model,size,item,score\n"
        + "".join(
            f"{s},{size},{t},{AB[s][t] + (size == '70B')}\n" for s in "ab" for size in ("7B", "70B") for t in "123"
        ),
        {"where={'size': '7B'}": AB},
    ),
    "labels of documents": table(
        "topic,doc,ann,ben\n1,d1,.1,.2\n1,d2,.4,.5\n2,d1,.2,.3\n2,d2,.5,.6\n",
        {
            "columns={'topic': 'topic,doc'}": rows(
                "1::d1 1::d2 2::d1 2::d2", ann=[0.1, 0.4, 0.2, 0.5], ben=[0.2, 0.5, 0.3, 0.6]
            )
        },
    ),
    # ------------------------------------------------------------------------------------------------- wide tables
    "a missing score": table(
        "topic,a,b,c\n1,.1,.4,.7\n2,,.5,.8\n3,.3,.6,.9\n",
        {
            "missing='zero'": rows("1 2 3", a=[0.1, 0.0, 0.3], b=[0.4, 0.5, 0.6], c=[0.7, 0.8, 0.9]),
            "missing='drop-systems'": rows("1 2 3", b=[0.4, 0.5, 0.6], c=[0.7, 0.8, 0.9]),
            "missing='drop-topics'": rows("1 3", a=[0.1, 0.3], b=[0.4, 0.6], c=[0.7, 0.9]),
            "missing='pairwise'": rows("1 2 3", a=[0.1, np.nan, 0.3], b=[0.4, 0.5, 0.6], c=[0.7, 0.8, 0.9]),
        },
    ),
    "a topic twice": table(WIDE + "3,.7,.6\n", {"duplicates='first'": FIRST, "duplicates='mean'": MEAN}),
    "a row twice": table(LONG + "a,3,.7\n", {"duplicates='first'": FIRST, "duplicates='mean'": MEAN}),
    "no header": table(
        "q1,.1,.4\nq2,.2,.5\nq3,.3,.6\n",
        {
            "header=False": Then(
                lambda: read_scores("ap.csv", header=False, columns={"topic": 1}),
                rows("q1 q2 q3", system1=[0.1, 0.2, 0.3], system2=[0.4, 0.5, 0.6]),
            )
        },
        elsewhere=dict.fromkeys(("form='trec_eval'", "form='ir_measures'"), "three columns"),
    ),
    "numbers in the first line": table(
        ".1,.4\n.2,.5\n.3,.6\n", {"header=False": {"system1": AB["a"], "system2": AB["b"]}}
    ),
    "numbers in the first of two long lines": table(
        ".1,.2,.3,.4,.5,.6\n.4,.5,.6,.7,.8,.9\n",
        {
            "header=False": rows("1 2", **{f"system{n}": [n / 10, (n + 3) / 10] for n in range(1, 7)}),
            "systems_in='rows'": Then(
                lambda: read_scores("ap.csv", header=False, systems_in="rows"),
                rows(
                    "1 2 3 4 5 6",
                    system1=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
                    system2=[0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
                ),
            ),
        },
    ),
    "whole numbers in the first line": table(
        "1,2\n.1,.4\n.2,.5\n.3,.6\n",
        {"header=False": rows("1 2 3 4", system1=[1.0, 0.1, 0.2, 0.3], system2=[2.0, 0.4, 0.5, 0.6])},
    ),
    "systems in rows": table("team,1,2,3\na,.1,.2,.3\nb,.4,.5,.6\n", {"systems_in='rows'": AB}),
    "systems in rows, said to be in columns": table(
        "system,1,2,3\na,.1,.2,.3\nb,.4,.5,.6\n", {"systems_in='rows'": AB}, systems_in="columns"
    ),
    "topics in rows, said to hold systems": table(
        WIDE, {"systems_in": Then(lambda: read_scores("ap.csv"), AB)}, systems_in="rows"
    ),
    "nothing says where systems are": table(
        ",x,y,z\na,.1,.2,.3\nb,.4,.5,.6\n", {"systems_in='rows'": rows("x y z", a=[0.1, 0.2, 0.3], b=[0.4, 0.5, 0.6])}
    ),
    "a column that could be a system": table(
        ",doc,a,b\nu,1.5,.1,.4\nv,2.5,.2,.5\nw,3.5,.3,.6\n",
        {"columns={'topic': 'doc'}": rows("1.5 2.5 3.5", a=[0.1, 0.2, 0.3], b=[0.4, 0.5, 0.6])},
    ),
    "ids or scores, with a header": table(
        "nr,a,b\n1,3,4\n2,2,5\n3,1,6\n",
        {
            "columns={'topic': 'nr'}": rows("1 2 3", a=[3.0, 2, 1], b=[4.0, 5, 6]),
            "columns={'topic': None}": rows("1 2 3", nr=[1.0, 2, 3], a=[3.0, 2, 1], b=[4.0, 5, 6]),
        },
    ),
    "ids or scores, without a header": table(
        "1,3,4\n2,2,5\n3,1,6\n",
        {
            "columns={'topic': 1}": rows("1 2 3", system1=[3.0, 2, 1], system2=[4.0, 5, 6]),
            "columns={'system': 1}": {"1": {"1": 3.0, "2": 4.0}, "2": {"1": 2.0, "2": 5.0}, "3": {"1": 1.0, "2": 6.0}},
            "columns={'topic': None}": rows("1 2 3", system1=[1.0, 2, 3], system2=[3.0, 2, 1], system3=[4.0, 5, 6]),
        },
        header=False,
    ),
    "names in rows and no header": table(
        "x,.1,.4\ny,.2,.5\nz,.3,.6\n",
        {
            "columns={'topic': 1}": rows("x y z", system1=[0.1, 0.2, 0.3], system2=[0.4, 0.5, 0.6]),
            "columns={'system': 1}": {"x": {"1": 0.1, "2": 0.4}, "y": {"1": 0.2, "2": 0.5}, "z": {"1": 0.3, "2": 0.6}},
        },
        header=False,
    ),
    "names in several rows and no header": table(
        "".join(f"{s},{t},{AB[s][t]}\n" for s in "ab" for t in "123"),
        {"columns={'system': 1, 'topic': 2, 'score': 3}": AB},
        header=False,
    ),
    "systems in several rows and no header": table(
        "".join(f"{s},{t},{AB[s][t]}\n" for s in "ab" for t in "123"),
        {"columns={'system': 1, 'topic': 2, 'score': 3}": AB},
        columns={"system": 1},
    ),
    "topics in several rows and no header": table(
        "".join(f"{s},{t},{AB[s][t]}\n" for s in "ab" for t in "123"),
        {"columns={'topic': 2, 'system': 1, 'score': 3}": AB},
        columns={"topic": 2},
    ),
    "items in several rows of one system each": table(
        "Frage,Version,richtig\n" + "".join(f"{t},{s},{AB[s][t]}\n" for t in "123" for s in "ab"),
        {"columns={'system': 'Version', 'topic': 'Frage'}": AB},
    ),
    "rows without names in groups": table(
        "category,a,b\nx,.1,.4\nx,.2,.5\ny,.3,.6\ny,.4,.7\n",
        {"columns={'cluster': 'category'}": rows("1 2 3 4", a=[0.1, 0.2, 0.3, 0.4], b=[0.4, 0.5, 0.6, 0.7])},
    ),
    "metrics in columns": table(
        ",AP,RR\n1,.1,.4\n2,.2,.5\n3,.3,.6\n",
        {"form='wide'": rows("1 2 3", AP=[0.1, 0.2, 0.3], RR=[0.4, 0.5, 0.6])},
    ),
    "metrics of systems in columns": table(
        "topic,A_AP,A_gut,B_AP,B_gut\n1,.1,.4,.2,.3\n2,.2,.5,.1,.7\n3,.3,.6,.9,.2\n",
        {
            "form='wide'": rows(
                "1 2 3", A_AP=[0.1, 0.2, 0.3], A_gut=[0.4, 0.5, 0.6], B_AP=[0.2, 0.1, 0.9], B_gut=[0.3, 0.7, 0.2]
            ),
            "form='crossed'": {
                "AP": rows("1 2 3", A=[0.1, 0.2, 0.3], B=[0.2, 0.1, 0.9]),
                "gut": rows("1 2 3", A=[0.4, 0.5, 0.6], B=[0.3, 0.7, 0.2]),
            },
        },
    ),
    "known metrics of systems in columns": table(
        "topic,A_AP,A_nDCG,B_AP,B_nDCG\n1,.1,.4,.2,.3\n2,.2,.5,.1,.7\n3,.3,.6,.9,.2\n",
        {
            "form='wide'": rows(
                "1 2 3", A_AP=[0.1, 0.2, 0.3], A_nDCG=[0.4, 0.5, 0.6], B_AP=[0.2, 0.1, 0.9], B_nDCG=[0.3, 0.7, 0.2]
            ),
        },
    ),
    "systems in columns beside the metric of each data set": table(
        "dataset,metric,mode,a7b,b7b\nx,acc,gen,.1,.4\ny,pass,gen,.2,.5\nz,acc,ppl,.3,.6\n",
        {"form='wide'": rows("x y z", a7b=[0.1, 0.2, 0.3], b7b=[0.4, 0.5, 0.6])},
    ),
    "metrics of several systems by another word": table(
        "participant,AP,RR,kind\na,.1,1,1\na,.2,.5,2\nb,.4,.5,1\nb,.5,.2,2\n",
        {
            "columns={'system': 'participant', 'topic': 'kind'}": {
                "AP": rows("1 2", a=[0.1, 0.2], b=[0.4, 0.5]),
                "RR": rows("1 2", a=[1, 0.5], b=[0.5, 0.2]),
            }
        },
        elsewhere={"columns={'topic': 'participant'}": "a topic by another word twice"},
    ),
    "names in several rows each": table(
        "participant,nr,v\na,1,.1\na,2,.2\na,3,.3\nb,1,.4\nb,2,.5\nb,3,.6\n",
        {"columns={'system': 'participant', 'topic': 'nr'}": AB},
        elsewhere={"columns={'topic': 'participant'}": "a topic by another word twice"},
    ),
    "a rank before names": table(
        "rank,name of it,x,y\n1,a,.1,.2\n2,b,.4,.5\n3,c,.7,.9\n",
        {
            "columns={'system': 'name of it'}": {
                "a": {"x": 0.1, "y": 0.2},
                "b": {"x": 0.4, "y": 0.5},
                "c": {"x": 0.7, "y": 0.9},
            },
            "columns={'topic': 'name of it'}": rows("a b c", x=[0.1, 0.4, 0.7], y=[0.2, 0.5, 0.9]),
        },
    ),
    "an id of each row's own": table(
        "id,system,question,score\n" + "".join(f"r{s}{t},{s},{t},{AB[s][t]}\n" for s in "ab" for t in "123"),
        {"columns={'topic': 'question'}": AB},
    ),
    "names of systems or of items": table(
        "name,kind,x\n" + "".join(f"{t},{s},{AB[s][t]}\n" for t in "123" for s in "ab"),
        {
            "columns={'system': 'kind', 'topic': 'name'}": AB,
            "columns={'system': 'name', 'topic': 'kind'}": {t: {s: AB[s][t] for s in "ab"} for t in "123"},
        },
    ),
    "files that may be systems": tables(
        {"gpt.csv": "topic,zork,flim\n1,.1,1\n2,.2,.5\n", "qwen.csv": "topic,zork,flim\n1,.4,.5\n2,.5,.2\n"},
        {
            "form='long'": {
                "zork": rows("1 2", gpt=[0.1, 0.2], qwen=[0.4, 0.5]),
                "flim": rows("1 2", gpt=[1.0, 0.5], qwen=[0.5, 0.2]),
            }
        },
    ),
    "a list of runs": table(
        "run id,name,model,seed,acc\n" + "".join(f"r{s}{t},n{s}{t},{s},{t},{AB[s][t]}\n" for s in "ab" for t in "123"),
        {"columns={'system': 'model', 'topic': 'seed'}": AB},
    ),
    "names that share no item": table(
        "id,name,value\n" + "".join(f"{s}{t},{s},{AB[s][t]}\n" for s in "ab" for t in "123"),
        {"columns={'system': 'name'}": Then(_means_by_name, {"a": 0.2, "b": 0.5})},
    ),
    "hardly any item of two systems": table(
        "system,topic,score\n" + "".join(f"{s},{t},.5\n" for s, ts in APART.items() for t in ts),
        {
            "missing='pairwise'": {
                s: {f"{t}": 0.5 if t in ts else np.nan for t in range(1, 12)} for s, ts in APART.items()
            }
        },
    ),
    "a board of one score each": table("system,one,two\na,.1,.4\nb,.2,.5\n", {}),
    # ------------------------------------------------------------------------------------------------- long tables
    "a system by another word": table(
        LONG.replace("system", "team"),
        {"columns={'system': 'team', 'topic': 'topic'}": AB},
    ),
    "a row of targets below ids": table(
        "topic,a,b\n1,.1,.4\n2,.2,.5\n3,.3,.6\nZiel,.5,.9\n",
        {"form='wide'": rows("1 2 3 Ziel", a=[0.1, 0.2, 0.3, 0.5], b=[0.4, 0.5, 0.6, 0.9])},
    ),
    "systems that may be a system": table(
        "topic,run,b\n1,.1,.4\n2,.2,.5\n3,.3,.6\n",
        {
            "form='wide'": rows("1 2 3", run=[0.1, 0.2, 0.3], b=[0.4, 0.5, 0.6]),
        },
        elsewhere={"form='long'": "systems that are called by numbers"},
    ),
    "systems that are called by numbers": table(
        "topic,run,b\n1,1.1,.1\n2,1.1,.2\n3,1.1,.3\n1,1.2,.4\n2,1.2,.5\n3,1.2,.6\n",
        {"form='long'": {"1.1": AB["a"], "1.2": AB["b"]}},
        elsewhere={"form='wide'": "systems that may be a system"},
    ),
    "items by another word": table(
        "system,x,y,score\n" + "".join(f"{s},{t},{t},{AB[s][t]}\n" for s in "ab" for t in "123"),
        {"columns={'topic': 'x'}": AB},
    ),
    "a development and a test set": table(
        "system,topic,split,score\n"
        + "".join(f"{s},{t},{k},{AB[s][t] / n}\n" for n, k in ((2, "dev"), (1, "test")) for s in "ab" for t in "123"),
        {
            "where={'split': 'test'}": AB,
        },
    ),
    "numbered by nothing in groups of groups": table(
        "category,task,a,b\nx,s,.1,.4\nx,s,.2,.5\ny,t,.3,.6\ny,t,.4,.7\n",
        {
            "columns={'cluster': 'category', 'ignore': ['task']}": rows(
                "1 2 3 4", a=[0.1, 0.2, 0.3, 0.4], b=[0.4, 0.5, 0.6, 0.7]
            )
        },
    ),
    "a row a system and topic under unknown words": table(
        "Variante,Suchbegriff,AP,Klang\n"
        + "".join(f"{s},{w},{AB[s][t]},{AB[s][t] / 2}\n" for s in "ab" for t, w in zip("123", PHRASES, strict=True)),
        {
            "columns={'system': 'Variante', 'topic': 'Suchbegriff'}": {
                "AP": {s: dict(zip(PHRASES, AB[s].values(), strict=True)) for s in "ab"},
                "Klang": {s: {w: x / 2 for w, x in zip(PHRASES, AB[s].values(), strict=True)} for s in "ab"},
            },
            "columns={'system': 'Suchbegriff', 'topic': 'Variante'}": {
                "AP": {w: {s: AB[s][t] for s in "ab"} for t, w in zip("123", PHRASES, strict=True)},
                "Klang": {w: {s: AB[s][t] / 2 for s in "ab"} for t, w in zip("123", PHRASES, strict=True)},
            },
        },
    ),
    "sets of rows": table(
        "system,topic,kind,score\n"
        + "".join(f"{s},{t},{k},{AB[s][t] / n}\n" for n, k in enumerate("xy", 1) for s in "ab" for t in "123"),
        {
            "where={'kind': 'x'}": AB,
            "columns={'metric': 'kind'}": {"x": AB, "y": rows("1 2 3", a=[0.05, 0.1, 0.15], b=[0.2, 0.25, 0.3])},
        },
    ),
    "clauses of items": table(
        "topic,run,clause,score\n"
        + "".join(f"{t},{s},c{n},{AB[s][t] / n}\n" for n in range(1, 11) for s in "ab" for t in "123"),
        {
            "columns={'topic': 'topic,clause'}": {
                s: {f"{t}::c{n}": AB[s][t] / n for n in range(1, 11) for t in "123"} for s in "ab"
            },
            "where={'clause': 'c1'}": AB,
        },
    ),
    "a board with a row a metric": table(
        ",BM25,DPR\nnDCG@10,.1,.4\nAP,.2,.5\nRR,.3,.6\n",
        {"form='wide'": rows("nDCG@10 AP RR", BM25=[0.1, 0.2, 0.3], DPR=[0.4, 0.5, 0.6])},
    ),
    "rates of errors beside sizes": table(
        "utt_id,ref_words,wer_a,wer_b\nu1,9,.1,.4\nu2,1,.2,.5\nu3,1,.3,.6\n",
        {
            "higher_is_better={'wer': True}": {"a": 0.2, "b": 0.5},
            "columns={'weight': 'ref_words'}": {"a": (0.9 + 0.2 + 0.3) / 11, "b": (3.6 + 0.5 + 0.6) / 11},
        },
        show=lambda found: {
            system[-1]: float(np.average(found.sel(system=system).squeeze(), weights=found.coords.get("weight")))
            for system in found["system"].to_numpy()
        },
    ),
    "probes within subjects": table(
        "system,subject,probe,score\n"
        + "".join(f"{s},{'law' if t == '1' else 'code'},{t},{AB[s][t]}\n" for s in "ab" for t in "123"),
        {"columns={'topic': 'probe'}": AB},
    ),
    "numbered runs of systems by an unknown word": table(
        "mdl,run,question,score\n"
        + "".join(f"{s},{k},{t},{AB[s][t] / k}\n" for k in (1, 2) for s in "ab" for t in "123"),
        {"columns={'system': 'mdl', 'repeat': 'run'}": {s: {t: [AB[s][t], AB[s][t] / 2] for t in "123"} for s in "ab"}},
    ),
    "a board under a word that says nothing": table(
        "candidate,law,code,math\na,.1,.2,.3\nb,.4,.5,.6\n",
        {
            "systems_in='rows'": rows("law code math", a=[0.1, 0.2, 0.3], b=[0.4, 0.5, 0.6]),
            "systems_in='columns'": rows("a b", law=[0.1, 0.4], code=[0.2, 0.5], math=[0.3, 0.6]),
        },
    ),
    "models under a word that says nothing": table(
        "candidate,law,code\ngpt-4o,.1,.2\nllama-3,.4,.5\n",
        {"systems_in='columns'": {"law": {"gpt-4o": 0.1, "llama-3": 0.4}, "code": {"gpt-4o": 0.2, "llama-3": 0.5}}},
    ),
    "topics by an unknown word": table(
        "Satz,x,y\n" + "".join(f"{name},.{at},.{at + 1}\n" for at, name in enumerate(MANY, 11)),
        {"systems_in='rows'": {name: {"x": at / 100, "y": (at + 1) / 100} for at, name in enumerate(MANY, 11)}},
    ),
    "sets of rows that are repeats": table(
        "system,topic,seed no,score\n"
        + "".join(f"{s},{t},{k},{AB[s][t] / k}\n" for k in (1, 2) for s in "ab" for t in "123"),
        {
            "where={'seed no': '1'}": AB,
            "columns={'repeat': 'seed no'}": {s: {t: [AB[s][t], AB[s][t] / 2] for t in "123"} for s in "ab"},
        },
    ),
    "states of training": table(
        "system,topic,epoch,seed,AP\n"
        + "".join(f"{s},{t},{e},1,{AB[s][t] / (3 - e)}\n" for e in (1, 2) for s in "ab" for t in "123"),
        {"where={'epoch': '2'}": {s: {t: [AB[s][t]] for t in "123"} for s in "ab"}},
    ),
    "seconds, which are what is compared": table(
        "topic,system,latency\n" + "".join(f"{t},{s},{AB[s][t]}\n" for s in "ab" for t in "123"),
        {"columns={'score': 'latency'}": AB},
    ),
    "systems and items under names that say nothing": table(
        "V1,V2,V3\n" + "".join(f"{t},{s},{AB[s][t]}\n" for s in "ab" for t in "123"),
        {"columns={'system': 'V2', 'topic': 'V1'}": AB},
    ),
    "sets of rows by raters": table(
        "system,topic,rater,AP\n"
        + "".join(f"{s},{t},r{k},{AB[s][t] / k}\n" for k in (1, 2) for s in "ab" for t in "123"),
        {
            "columns={'repeat': 'rater'}": {s: {t: [AB[s][t], AB[s][t] / 2] for t in "123"} for s in "ab"},
            "where={'rater': 'r1'}": AB,
        },
    ),
    "scores by a model and a person": table(
        "system,topic,rater,score\n"
        + "".join(f"{s},{t},{j},{AB[s][t] / k}\n" for k, j in ((1, "nist"), (2, "gpt-4")) for s in "ab" for t in "123"),
        {
            "where={'rater': 'nist'}": AB,
            "columns={'metric': 'rater'}": {
                "nist": AB,
                "gpt-4": rows("1 2 3", a=[0.05, 0.1, 0.15], b=[0.2, 0.25, 0.3]),
            },
        },
    ),
    "sets of rows by a model and a person": table(
        "system,topic,metric,judge,value\n"
        + "".join(
            f"{s},{t},AP,{j},{AB[s][t] / k}\n" for k, j in ((2, "gpt-4"), (1, "nist")) for s in "ab" for t in "123"
        ),
        {"where={'judge': 'nist'}": AB},
    ),
    "sets of rows by two columns": table(
        "system,topic,kind,part,score\n"
        + "".join(
            f"{s},{t},{k},{p},{AB[s][t] / n}\n"
            for n, (k, p) in enumerate(["ux", "uy", "vx", "vy"], 1)
            for s in "ab"
            for t in "123"
        ),
        {"where={'kind': 'u', 'part': 'x'}": AB},
    ),
    "judges beside what they judged": table(
        "system,topic,dim,judge,score\n"
        + "".join(
            f"{s},{t},{d},{j},{AB[s][t] / (1 + (d == 'flow') + 2 * (j == 'gpt-4'))}\n"
            for d in ("aim", "flow")
            for j in ("gpt-4", "ann")
            for s in "ab"
            for t in "123"
        ),
        {
            "columns={'metric': 'dim'}": Then(
                lambda: read_scores("ap.csv", columns={"metric": "dim"}, where={"judge": "ann"}),
                {"aim": AB, "flow": rows("1 2 3", a=[0.05, 0.1, 0.15], b=[0.2, 0.25, 0.3])},
            ),
            "where={'judge': 'ann'}": Then(
                lambda: read_scores("ap.csv", columns={"metric": "dim"}, where={"judge": "ann", "dim": "aim"}), AB
            ),
        },
    ),
    "means under two settings": table(
        "run,section,measure,value\n" + "".join(f"{s},rel>={t},AP,{AB[s][t]}\n" for s in "ab" for t in "12"),
        {"columns={'topic': 'section'}": {s: {f"rel>={t}": AB[s][t] for t in "12"} for s in "ab"}},
    ),
    "three columns": tables(
        {"a.txt": "x u .1\nx v .2\ny u .3\ny v .4\n", "b.txt": "x u .5\nx v .6\ny u .7\ny v .8\n"},
        {
            "form='trec_eval'": {
                "x": rows("u v", a=[0.1, 0.2], b=[0.5, 0.6]),
                "y": rows("u v", a=[0.3, 0.4], b=[0.7, 0.8]),
            },
            "form='ir_measures'": {
                "u": rows("x y", a=[0.1, 0.3], b=[0.5, 0.7]),
                "v": rows("x y", a=[0.2, 0.4], b=[0.6, 0.8]),
            },
            "columns={'system': 1, 'topic': 2, 'score': 3}": {
                "a": rows("u v", x=[0.1, 0.2], y=[0.3, 0.4]),
                "b": rows("u v", x=[0.5, 0.6], y=[0.7, 0.8]),
            },
        },
    ),
    "four columns": table(
        "a x u .1\na x v .2\na y u .3\na y v .4\nb x u .5\nb x v .6\nb y u .7\nb y v .8\n",
        {
            "columns={'system': 1, 'metric': 2, 'topic': 3, 'score': 4}": {
                "x": rows("u v", a=[0.1, 0.2], b=[0.5, 0.6]),
                "y": rows("u v", a=[0.3, 0.4], b=[0.7, 0.8]),
            },
            "columns={'system': 1, 'topic': 2, 'metric': 3, 'score': 4}": {
                "u": rows("x y", a=[0.1, 0.3], b=[0.5, 0.7]),
                "v": rows("x y", a=[0.2, 0.4], b=[0.6, 0.8]),
            },
        },
        name="scores.txt",
    ),
    "two columns for systems": table(
        "system,run,topic,score\n" + "".join(f"{s},{s}{t > '1'},{t},{AB[s][t]}\n" for s in "ab" for t in "123"),
        {"columns={'system': 'system', 'ignore': ['run']}": AB},
    ),
    "an average among metrics": table(
        "system,topic,ap,Mean win rate\n" + "".join(f"{s},{t},{AB[s][t]},.{t}{t}\n" for s in "ab" for t in "123"), {}
    ),
    "a frame with a slip": tables(
        {
            f"{name}.csv": "question,answer,contexts,faithfulness,relevancy\n"
            + "".join(f"q{t},r,c,{'bad' if t == '3' else '.5'},{AB[name][t]}\n" for t in "123")
            for name in "ab"
        },
        {"columns={'ignore': ['faithfulness']}": AB},
    ),
    "columns of words in a wide table": table(
        "topic,set,a,b\n1,u,.1,.4\n2,u,.2,.5\n3,v,.3,.6\n4,v,.3,.6\n",
        {"columns={'cluster': 'set'}": rows("1 2 3 4", a=[0.1, 0.2, 0.3, 0.3], b=[0.4, 0.5, 0.6, 0.6])},
    ),
    "unequal tables": tables(
        {"ap.csv": WIDE, "rr.csv": "topic,a,b\n1,.1,.4\n2,.2,.5\n"},
        {
            "missing='drop-topics'": {
                "ap": rows("1 2", a=[0.1, 0.2], b=[0.4, 0.5]),
                "rr": rows("1 2", a=[0.1, 0.2], b=[0.4, 0.5]),
            }
        },
    ),
    "a code for missing": table(
        "topic,a,b\n1,.1,.4\n2,-999,.5\n3,.3,.6\n4,.2,.1\n",
        {
            "missing='drop-topics'": repaired(
                "-999", "", rows("1 3 4", a=[0.1, 0.3, 0.2], b=[0.4, 0.6, 0.1]), missing="drop-topics"
            )
        },
    ),
    "one topic left": table(
        "topic,a,b\n1,.1,.4\n2,,.5\n",
        {
            "missing='pairwise'": rows("1 2", a=[0.1, np.nan], b=[0.4, 0.5]),
            "missing='zero'": rows("1 2", a=[0.1, 0], b=[0.4, 0.5]),
        },
        missing="drop-topics",
    ),
    "nothing of one system": table(
        "topic,a,b,c\n1,.1,.4,\n2,.2,.5,\n3,.3,.6,\n", {"missing='drop-systems'": AB}, missing="zero"
    ),
    "lower is better by name": table(
        WIDE,
        {"higher_is_better={'perplexity': True}": True},
        name="perplexity.csv",
        show=lambda scores: scores["higher_is_better"].item(),
    ),
}
