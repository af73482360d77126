"""Files of labels, votes, runs and items that are told a way out, and what comes out when it is followed."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from advice_calls import Call, Then, plain, rows

from metaeval import (
    read_annotations,
    read_collection,
    read_groups,
    read_items,
    read_labels,
    read_scores,
    read_votes,
    score,
)
from metaeval.agreement import as_labels, favoured_items
from metaeval.agreement.items import item_scores
from metaeval.io.groups import read_arrivals, read_clusters, read_covariate
from metaeval.io.judged_answers import read_judged_answers
from metaeval.io.qrels import read_qrels

NAN = float("nan")


def labels(text: str, right: Mapping[str, object], *, elsewhere: Mapping[str, str] = {}, **given: Any) -> Call:
    """Return the row of a table of labels."""
    return Call(lambda **options: read_labels("l.csv", **options), right, given, {"l.csv": text}, elsewhere)


ANN, BEN = [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]
LABELS = {"ann": ANN, "ben": BEN}
LONG = "item,judge,label\n" + "".join(
    f"d{at},{judge},{own[at]:g}\n" for at in range(3) for judge, own in LABELS.items()
)
WIDE = "item,ann,ben\n" + "".join(f"d{at},{ANN[at]:g},{BEN[at]:g}\n" for at in range(3))


def by_cost() -> float:
    """Return how many labels a unit of cost adds to those of a judge who adds exactly it to the reference's."""
    costs = {f"d{at}": at % 3 for at in range(12)}
    reference = [at // 3 % 2 for at in range(12)]
    both = {"ann": reference, "ben": [label + cost for label, cost in zip(reference, costs.values(), strict=True)]}
    table = as_labels(pd.DataFrame(both, index=[*costs]))
    return float(favoured_items(table, costs, reference="ann").to_frame()["slope_per_unit"].item())


QRELS = "1 0 d1 1\n1 0 d2 0\n"
BY_SUBTOPIC = "1 1 d1 1\n1 2 d1 0\n1 1 d2 1\n"


def qrels(text: str, right: Mapping[str, object]) -> Call:
    """Return the row of a file of judgments, read as grades by topic and document."""

    def ask(**options: Any) -> object:
        found = read_qrels("q.txt", **options)
        ids = [one.decode() if isinstance(one, bytes) else str(one) for one in found.document_ids.tolist()]
        grades = found.levels if found.grades is None else found.grades[found.levels]
        return dict(zip(ids, map(float, grades), strict=True))

    return Call(ask, right, {}, {"q.txt": text})


TASKS = [
    {
        "id": at,
        "annotations": [
            {
                "completed_by": who,
                "result": [
                    {"from_name": name, "value": {"rating": mark}} for name, mark in (("a", marks[at]), ("b", 9))
                ],
            }
            for who, marks in LABELS.items()
        ],
    }
    for at in range(3)
]
IN_LABELS = {
    "a code of no answer": labels(
        WIDE.replace("d2,1,0", "d2,1,99"),
        {
            "words={'99': 'none'}": {"ann": ANN, "ben": [1.0, 1.0, NAN]},
            "words={'99': 99}": {"ann": ANN, "ben": [1.0, 1.0, 99.0]},
        },
    ),
    "tasks that ask two things": Call(
        lambda **options: read_annotations("t.json", **options).to_dict("list"),
        {"columns={'label': 'a'}": LABELS},
        {},
        {"t.json": json.dumps(TASKS)},
    ),
    "all annotators in one column": labels(
        "id,annotator,quality,tone\n"
        + "".join(f"d{at},{judge},{own[at]:g},{at}\n" for at in range(3) for judge, own in LABELS.items()),
        {"columns={'label': 'quality'}": LABELS},
    ),
    "answers judged in words": Call(
        lambda **options: plain(read_judged_answers("a.csv", {}, **options)[0])["a"],
        {
            "words": Then(
                lambda: plain(read_judged_answers("a.csv", {}, words={"good": 1, "bad": 0})[0])["a"],
                {"1": 1.0, "2": 0.0},
            )
        },
        {},
        {"a.csv": "item,system,label,answer\n1,a,good,x\n2,a,bad,y\n1,b,bad,z\n2,b,good,u\n"},
    ),
    "a label twice": labels(
        LONG + "d2,ben,1\n",
        {
            "duplicates='first'": LABELS,
            "duplicates='mean'": {"ann": ANN, "ben": [1.0, 1.0, 0.5]},
            "repeats=True": {"ann": ANN, "ben#1": BEN, "ben#2": [NAN, NAN, 1.0]},
        },
    ),
    "a row of labels twice": labels(
        WIDE + "d2,0,0\n",
        {"duplicates='first'": LABELS, "duplicates='mean'": {"ann": [1.0, 0.0, 0.5], "ben": BEN}},
    ),
    "a word among numbers of one judge": labels(
        "item,ann,ben\nd0,1,1\nd1,0,1\nd2,?,0\n",
        {
            "words={'?': 'none'}": {"ann": [1.0, 0.0, NAN], "ben": BEN},
            "words": Then(lambda: read_labels("l.csv", words={"?": 1}), LABELS),
        },
    ),
    "a code far above the grades": labels(
        "item,ann,ben\nd0,9,1\nd1,0,1\nd2,1,0\n", {"words={'9': 'none'}": {"ann": [NAN, 0.0, 1.0], "ben": BEN}}
    ),
    "labels that begin with their numbers": labels(
        "item,ann,ben\nd0,1 - x,1 - x\nd1,0 - y,1 - x\nd2,1 - x,0 - y\n",
        {
            "words={'0 - y': 'label', '1 - x': 'label'}": {
                "ann": ["1 - x", "0 - y", "1 - x"],
                "ben": ["1 - x", "1 - x", "0 - y"],
            }
        },
    ),
    "labels beside what is none": labels(
        "item,ann,ben,cost,score\nd0,1,1,.5,9.5\nd1,0,1,.2,4.5\nd2,1,0,.1,2.5\n",
        {"columns={'judge': 'ann,ben'}": LABELS},
    ),
    "labels beside a cost": labels(
        "item,ann,ben,cost\nd0,1,1,.5\nd1,0,1,.2\nd2,1,0,.1\n",
        {"columns={'judge': 'ann,ben'}": LABELS, "covariate": Then(by_cost, 1.0)},
    ),
    "labels that may be the largest": labels(
        "item,ann,ben,x\n" + "".join(f"d{at},{at % 2},{at // 2 % 2},{max(at % 2, at // 2 % 2)}\n" for at in range(20)),
        {
            "columns": Then(
                lambda: read_labels("l.csv", columns={"judge": "ann,ben"}),
                {"ann": [0.0, 1.0] * 10, "ben": [0.0, 0.0, 1.0, 1.0] * 5},
            )
        },
    ),
    "labels below 0": labels(
        "item,ann,ben\nd0,-1,1\nd1,0,1\nd2,1,0\n", {"words={'-1': 'none'}": {"ann": [NAN, 0.0, 1.0], "ben": BEN}}
    ),
    "a row a label, by other words": labels(
        "item,who,said\n" + LONG.split("\n", 1)[1],
        {"columns={'judge': 'who', 'label': 'said'}": LABELS},
    ),
    "two labels of an item, told apart by another column": labels(
        "topic,doc,who,ann\n1,d1,x,1\n1,d1,y,0\n",
        {"columns={'judge': 'who', 'label': 'ann'}": {"x": [1.0], "y": [0.0]}},
        elsewhere=dict.fromkeys(("duplicates='first'", "duplicates='mean'"), "a row of labels twice"),
    ),
    "labels in two rounds of an experiment": labels(
        "experiment,item,worker,label\n"
        + "".join(
            f"{e},d{d},{w},{(d * (3 if w == 'ann' else 5) + e) % 3}\n"
            for e in (1, 2)
            for d in (1, 2, 3)
            for w in ("ann", "ben")
        ),
        {
            "where={'experiment': '1'}": {"ann": [1.0, 1.0, 1.0], "ben": [0.0, 2.0, 1.0]},
            "columns={'judge': 'worker,experiment'}": {
                "ann 1": [1.0, 1.0, 1.0],
                "ann 2": [2.0, 2.0, 2.0],
                "ben 1": [0.0, 2.0, 1.0],
                "ben 2": [1.0, 0.0, 2.0],
            },
        },
    ),
    "a failure among names": labels(
        "item,ann,bot\nd1,cat,cat\nd2,dog,parse_error\nd3,dog,dog\n",
        {"words={'parse_error': 'label'}": {"ann": ["cat", "dog", "dog"], "bot": ["cat", "parse_error", "dog"]}},
    ),
    "judges under two prompts": labels(
        "item,judge,prompt,label\n"
        + "".join(
            f"d{at},{judge},{prompt},{own[at]:g}\n"
            for prompt, of_prompt in (("long", LABELS), ("short", {"ann": BEN, "ben": ANN}))
            for judge, own in of_prompt.items()
            for at in range(3)
        ),
        {"columns={'topic': 'prompt'}": {"ann": [*ANN, *BEN], "ben": [*BEN, *ANN]}},
    ),
    "two answers of each worker": labels(
        "WorkerId,Input.item,Answer.coherence,Answer.style\n"
        + "".join(f"{judge},d{at},{5 - at},{own[at]:g}\n" for at in range(3) for judge, own in LABELS.items()),
        {"columns={'label': 'Answer.style'}": LABELS},
        columns={"label": "Answer.coherence"},
    ),
    "words twice": labels(
        "item,judge,label\nd1,ann,yes\nd1,ann,no\nd1,ben,no\nd2,ann,no\nd2,ben,yes\n",
        {
            "duplicates='first'": {"ann": ["yes", "no"], "ben": ["no", "yes"]},
            "words": Then(
                lambda: read_labels("l.csv", words={"no": 0, "yes": 1}, duplicates="mean"),
                {"ann": [0.5, 0.0], "ben": [0.0, 1.0]},
            ),
        },
        duplicates="mean",
    ),
    "no column of labels": labels(
        "item,text one,text two\nd1,some words,others\nd2,more words,and more\n",
        {
            "columns={'judge': 'NAME,NAME'}": Then(
                lambda: read_labels("l.csv", columns={"judge": "text one,text two"}),
                {"text one": ["some words", "more words"], "text two": ["others", "and more"]},
            )
        },
    ),
    "a row a label, by a judge of another name": labels(
        "answer,who,label\n"
        + "".join(f"d{at},{who},{at % 3 % n}x\n" for at in range(6) for who, n in (("ann", 2), ("ben", 3))),
        {"columns={'judge': 'who'}": {"ann": [*("0x", "1x", "0x") * 2], "ben": [*("0x", "1x", "2x") * 2]}},
    ),
    "labels of two kinds": labels(
        "item,a,b,c,d\nd1,1,2,yes,no\nd2,2,1,no,yes\nd3,1,1,no,no\n",
        {
            "columns={'judge': 'NAME,NAME'}": Then(
                lambda: read_labels("l.csv", columns={"judge": "a,b"}), {"a": [1.0, 2.0, 1.0], "b": [2.0, 1.0, 1.0]}
            )
        },
    ),
    "a word without a grade": labels(
        "item,ann,ben\nd1,good,poor\nd2,fair,good\n",
        {
            "words": Then(
                lambda: read_labels("l.csv", words={"good": 2, "poor": 0, "fair": 1}),
                {"ann": [2.0, 1.0], "ben": [0.0, 2.0]},
            ),
            "words={'fair': 'none'}": Then(
                lambda: read_labels("l.csv", words={"good": 2, "poor": 0, "fair": "none"}),
                {"ann": [2.0, NAN], "ben": [0.0, 2.0]},
            ),
        },
        words={"good": 2, "poor": 0},
    ),
    "n/a among words": labels(
        "item,ann,ben\nd1,yes,no\nd2,n/a,yes\nd3,no,no\n",
        {"words={'n/a': 'label'}": {"ann": ["yes", "n/a", "no"], "ben": ["no", "yes", "no"]}},
    ),
    "none among words": labels(
        "item,ann,ben\nd1,partial,none\nd2,none,partial\nd3,full,full\n",
        {"words={'none': 'none'}": {"ann": ["partial", NAN, "full"], "ben": [NAN, "partial", "full"]}},
    ),
    "repeats and duplicates": labels(
        LONG, {"duplicates": Then(lambda: read_labels("l.csv", repeats=True), LABELS)}, repeats=True, duplicates="first"
    ),
    "items by another name": labels(
        WIDE.replace("item", "Nr."),
        {"columns={'item': 'Nr.'}": LABELS},
    ),
    "judgments of one judge": Call(
        lambda **options: read_labels("q.txt", **options),
        {"repeats": Then(lambda: read_labels("q.txt", repeats=True), {"q#1": [1.0, 0.0], "q#2": [0.0, NAN]})},
        {},
        {"q.txt": QRELS + "1 0 d1 0\n"},
    ),
    "topics in judgments beside a table": Call(
        lambda **options: read_labels(["q.txt", "m.csv"], **options),
        {
            "columns={'topic': 'NAME'}": Then(
                lambda: read_labels(["q.txt", "m.csv"], columns={"topic": "nr"}),
                {"q": [1.0, 0.0], "cleo": [1.0, 1.0], "dan": [0.0, 0.0]},
            )
        },
        {},
        {"q.txt": QRELS, "m.csv": "nr,item,cleo,dan\n1,d1,1,0\n1,d2,1,0\n"},
    ),
}

IN_QRELS = {
    "a judgment twice": qrels(
        QRELS + "1 0 d1 0\n",
        {"duplicates='first'": {"d1": 1.0, "d2": 0.0}, "duplicates='mean'": {"d1": 0.5, "d2": 0.0}},
    ),
    "a judgment of a subtopic twice": qrels(
        BY_SUBTOPIC + "1 1 d2 0\n",
        {"duplicates='first'": {"d1": 1.0, "d2": 1.0}, "duplicates='mean'": {"d1": 0.5, "d2": 0.5}},
    ),
}


def run(text: str, right: Mapping[str, object], *, elsewhere: Mapping[str, str] = {}, **given: Any) -> Call:
    """Return the row of a run, scored by reciprocal rank.

    Run b has its relevant document first by score and rank, and in its second lines; c has it first.
    """
    files = {
        "a.run": text,
        "b.run": "".join(f"{t} Q0 d{d} {d} {9 - d} b\n" for t in (1, 2, 3) for d in (3, 1)),
        "c.run": "".join(f"{t} Q0 d1 1 9 c\n" for t in (1, 2, 3)),
        "q.txt": "".join(f"{t} 0 d1 1\n" for t in (1, 2, 3)),
    }

    def ask(*, runs: Sequence[str] = ("a.run", "b.run"), **options: Any) -> object:
        return score(read_collection(runs, "q.txt", **options), ["RR"])

    return Call(ask, right, given, files, elsewhere)


def ranks(*documents: int, score: str = "1", topics: Sequence[int] = (1, 2, 3)) -> str:
    """Return a run of documents in this order."""
    return "".join(
        f"{t} Q0 d{d} {rank} {rank if score == 'rank' else score} a\n"
        for t in topics
        for rank, d in enumerate(documents, 1)
    )


ONE, HALF = [1.0, 1.0, 1.0], [0.5, 0.5, 0.5]
LACKING = ranks(1, topics=(1, 2))
IN_RUNS = {
    "equal scores": run(
        ranks(1, 2, 3),
        {"order='rank'": rows("1 2 3", a=ONE, b=ONE), "order='input'": rows("1 2 3", a=ONE, b=HALF)},
    ),
    "scores that are ranks": run(ranks(2, 1, 3, 4, score="rank"), {"order='rank'": rows("1 2 3", a=HALF, b=ONE)}),
    "a run without a topic": run(
        LACKING,
        {
            "missing='drop-systems'": rows("1 2 3", b=ONE, c=ONE),
            "missing='zero'": rows("1 2 3", a=[1.0, 1.0, 0.0], b=ONE, c=ONE),
            "missing='drop-topics'": rows("1 2", a=[1.0, 1.0], b=[1.0, 1.0], c=[1.0, 1.0]),
        },
        runs=["a.run", "b.run", "c.run"],
        missing="error",
    ),
    "every run lacks a topic": run(
        LACKING,
        {"missing='zero'": rows("1 2 3", a=[1.0, 1.0, 0.0], d=[1.0, 1.0, 0.0])},
        runs=["a.run", "d.run"],
        missing="drop-systems",
    ),
    "a topic that no run answers": run(
        LACKING,
        {"missing='drop-topics'": rows("1 2", a=[1.0, 1.0], d=[1.0, 1.0])},
        runs=["a.run", "d.run"],
    ),
    "two tags in one file": run(
        ranks(1, 2, score="rank") + ranks(2, 1, score="rank").replace(" a\n", " x\n"),
        {"split_tags=True": rows("1 2 3", a=HALF, x=ONE, b=ONE)},
    ),
}
for name in ("every run lacks a topic", "a topic that no run answers"):
    IN_RUNS[name].files["d.run"] = LACKING.replace(" a\n", " d\n")


def votes(text: str, right: Mapping[str, object], *, elsewhere: Mapping[str, str] = {}, **given: Any) -> Call:
    """Return the row of a file of votes, read as the share of each system's votes on the left."""
    return Call(lambda **options: read_votes("v.csv", **options), right, given, {"v.csv": text}, elsewhere)


def scored(
    files: Mapping[str, str], right: Mapping[str, object], *, elsewhere: Mapping[str, str] = {}, **given: Any
) -> Call:
    """Return the row of results in files."""
    return Call(lambda **options: read_scores([*files], **options), right, given, files, elsewhere)


HEAD = "topic,run_id,nugget,label\n"
ALL = ("all", "strict_all", "lenient_all")
NUGGETS = {
    "a nugget twice": scored(
        {"n.csv": HEAD + "1,a,n1,support\n1,a,n1,not_support\n1,a,n2,support\n1,b,n1,not_support\n1,b,n2,support\n"},
        {
            "duplicates='first'": dict.fromkeys(ALL, rows("1/n1 1/n2", a=[1.0, 1.0], b=[0.0, 1.0])),
            "duplicates='mean'": {  # the mean of both labels is that of partial support
                name: rows("1/n1 1/n2", a=[credit, 1.0], b=[0.0, 1.0])
                for name, credit in zip(ALL, (0.5, 0.0, 1.0), strict=True)
            },
        },
    ),
    "an unknown label of a nugget": scored(
        {"n.csv": HEAD + "1,a,n1,support\n1,a,n2,vague\n1,b,n1,not_support\n1,b,n2,support\n"},
        {
            "credit={'vague': 'NUMBER'}": Then(
                lambda: read_scores("n.csv", credit={"vague": 0}),
                dict.fromkeys(ALL, rows("1/n1 1/n2", a=[1.0, 0.0], b=[0.0, 1.0])),
            )
        },
    ),
    "nuggets of two judges": scored(
        {
            "n.csv": "topic,run_id,nugget,label,judge\n1,a,n1,support,x\n1,b,n1,not_support,x\n1,a,n2,support,x\n"
            "1,b,n2,support,x\n1,a,n1,not_support,y\n1,a,n2,support,y\n"
        },
        {"where={'judge': 'x'}": dict.fromkeys(ALL, rows("1/n1 1/n2", a=[1.0, 1.0], b=[0.0, 1.0]))},
    ),
}

ITEMS = "system,doc,kind,bleu,human\na,1,x,.1,3\na,2,x,.2,4\nb,1,x,.3,5\nb,2,x,.4,6\n"


def items(text: str, right: Mapping[str, object], **given: Any) -> Call:
    """Return the row of a table of items."""
    return Call(lambda **options: read_items("i.csv", **options)[["bleu", "human"]], right, given, {"i.csv": text})


BOTH = {"bleu": [0.1, 0.2, 0.3, 0.4], "human": [3.0, 4.0, 5.0, 6.0]}
TWICE = ITEMS + ITEMS.split("\n", 1)[1].replace(",x,", ",y,").replace("a,", "a,").replace(",.", ",1.")
IN_YEARS = TWICE.replace("kind", "year").replace(",x,", ",2023,").replace(",y,", ",2024,")
OF_BOTH = {"bleu": [*BOTH["bleu"], 1.1, 1.2, 1.3, 1.4], "human": BOTH["human"] * 2}
ODD = "system,item,bleu,human,threshold\na,1,.1,3,.2\na,2,.2,4,.9\nb,1,.3,5,.1\nb,2,.4,6,.5\n"


def compared(text: str, right: Mapping[str, object]) -> Call:
    """Return the row of a table of items whose metrics are compared with people."""

    def ask(**options: Any) -> object:
        return item_scores(read_items("i.csv"), reference="human", **options)

    def show(found: Any) -> object:
        return {str(name): found.sel(metric=name).to_numpy().tolist() for name in found["metric"].to_numpy()}

    return Call(ask, right, {}, {"i.csv": text}, show=show)


GRADED = "system,item,bleu,human\na,1,.1,1\na,2,.2,2\nb,1,.3,99\nb,2,.4,1\na,3,.5,2\nb,3,.6,2\n"


def graded(limits: str, human: Sequence[float], bleu: Sequence[float]) -> Then:
    """Return the cells of two systems by item, of the rows that were chosen, in order."""

    def ask() -> object:
        return item_scores(read_items("i.csv", where={"human": limits}), reference="human").to_numpy().ravel().tolist()

    return Then(ask, [*human, *bleu])


IN_ITEMS = {
    "a thing of which less is better in a file's name": Call(
        lambda **options: read_scores("hallucination_eval.csv", **options),
        {"higher_is_better={'hallucination_eval': False}": False},
        files={"hallucination_eval.csv": "topic,a,b\n1,.4,.2\n2,.5,.3\n3,.9,.6\n"},
        show=lambda scores: scores["higher_is_better"].item(),
    ),
    "a measure of errors in a longer name of a file": Call(
        lambda **options: read_scores("wer_de.csv", **options),
        {"higher_is_better={'wer_de': False}": False, "higher_is_better={'wer_de': True}": True},
        files={"wer_de.csv": "topic,a,b\n1,.4,.2\n2,.5,.3\n3,.9,.6\n"},
        show=lambda scores: scores["higher_is_better"].item(),
    ),
    "a code of no answer among grades": compared(
        GRADED,
        {
            "where={'human': '1..2'}": graded("1..2", [1, 2, 2, NAN, 1, 2], [0.1, 0.2, 0.5, NAN, 0.4, 0.6]),
            "where={'human': '1..99'}": graded("1..99", [1, 2, 2, 99, 1, 2], [0.1, 0.2, 0.5, 0.3, 0.4, 0.6]),
        },
    ),
    "grades beside grades of people": compared(
        "system,item,human,fluency,bleu\na,1,1,2,.1\na,2,2,3,.2\nb,1,3,2,.3\nb,2,2,1,.4\n",
        {"metrics=['bleu']": {"human": [[1.0, 2.0], [3.0, 2.0]], "bleu": [[0.1, 0.2], [0.3, 0.4]]}},
    ),
    "a column that may be no metric": compared(
        ODD, {"metrics=['bleu']": {"human": [[3.0, 4.0], [5.0, 6.0]], "bleu": [[0.1, 0.2], [0.3, 0.4]]}}
    ),
    "an item twice, in two years": items(
        IN_YEARS,
        {
            "where": Then(lambda: read_items("i.csv", where={"year": "2023"})[["bleu", "human"]], BOTH),
            "set_column": Then(lambda: read_items("i.csv", set_column="year")[["bleu", "human"]], OF_BOTH),
            "item": Then(lambda: read_items("i.csv", item=["doc", "year"])[["bleu", "human"]], OF_BOTH),
        },
    ),
    "an item twice, in two sets": items(
        TWICE,
        {
            "where={'kind': 'x'}": BOTH,
            "set_column='kind'": OF_BOTH,
            "item=['doc', 'kind']": OF_BOTH,
        },
    ),
    "an item twice, by two judges": items(
        TWICE.replace("kind", "judge"),
        {
            "where={'judge': 'x'}": BOTH,
            "item=['doc', 'judge']": OF_BOTH,
            "cluster='doc'": Then(
                lambda: [
                    *item_scores(
                        read_items("i.csv", item=["doc", "judge"], cluster="doc"),
                        reference="human",
                        item=["doc", "judge"],
                        cluster="doc",
                    )["cluster"].to_numpy()
                ],
                [*"1122"],
            ),
        },
    ),
    "no such column to choose by": items(
        ITEMS,
        {"where": Then(lambda: read_items("i.csv", where={"kind": "x"})[["bleu", "human"]], BOTH)},
        where={"knd": "x"},
    ),
    "no such column of items": items(
        ITEMS, {"item": Then(lambda: read_items("i.csv", item=["doc"])[["bleu", "human"]], BOTH)}, item=["dok"]
    ),
    "no such column of sets": items(
        ITEMS,
        {"set_column": Then(lambda: read_items("i.csv", set_column="kind")[["bleu", "human"]], BOTH)},
        set_column="knd",
    ),
    "no column of systems": items(
        ITEMS.replace("system", "it"),
        {"system": Then(lambda: read_items("i.csv", system="it")[["bleu", "human"]], BOTH)},
    ),
    "a slip in a metric": items(
        "system,doc,bleu,human\n"
        + "".join(f"{s},{t},{'bad' if t == 19 and s == 'b' else t},1,\n"[:-2] + "\n" for s in "ab" for t in range(20)),
        {"metrics": Then(lambda: [*read_items("i.csv", metrics=["human"])["human"]], [1.0] * 40)},
    ),
}

GROUPS = "system,team,year\na,x,1\nb,y,2\n"
IN_GROUPS = {
    "groups in one of two columns": Call(
        lambda **options: read_groups("g.csv", systems=["a", "b"], **options),
        {"column='team'": {"a": "x", "b": "y"}},
        {},
        {"g.csv": GROUPS},
    ),
    "clusters in one of two columns": Call(
        lambda **options: read_clusters("g.csv", topics=["a", "b"], **options),
        {
            "columns={'cluster': 'team'}": Then(
                lambda: read_clusters("g.csv", topics=["a", "b"], column="team"), {"a": "x", "b": "y"}
            )
        },
        {},
        {"g.csv": GROUPS.replace("system", "topic")},
    ),
    "arrivals in one of two columns": Call(
        lambda **options: read_arrivals("g.csv", topics=["a", "b"], **options),
        {
            "arrival_column='batch'": Then(
                lambda: read_arrivals("g.csv", topics=["a", "b"], column="batch"), {"a": "1", "b": "2"}
            )
        },
        {},
        {"g.csv": "topic,batch,phase\na,1,3\nb,2,3\n"},
    ),
    "numbers in one of two columns": Call(
        lambda **options: read_covariate("g.csv", systems=["a", "b"], **options).of_system,
        {
            "covariate_column='year'": {"a": 1.0, "b": 2.0},
        },
        {},
        {"g.csv": "system,year,depth\na,1,10\nb,2,20\n"},
    ),
}

VOTES = "left,right,winner\na,b,left\nb,c,tie\na,c,right\n"
SHARES = {"a b": [1.0], "b c": [0.5], "a c": [0.0]}
"""Shares of the left system by pair."""
TWICE = {"x y": [1.0] * 2, "y z": [0.5] * 2, "x z": [0.0] * 2}


BACK = {pair: [1.0 - share for share in shares] for pair, shares in TWICE.items()}


def _by_age(**who: str) -> Any:
    named = {"left": "old", "right": "new", **who}
    return read_votes("v.csv", columns=named, words={"old": "left", "new": "right"})


IN_VOTES = {
    "weights that are whole": votes(
        "left,right,winner,weight\na,b,left,2\nb,c,tie,1\na,c,right,3\n",
        {"columns={'count': 'weight'}": {"a b": [1.0] * 2, "b c": [0.5], "a c": [0.0] * 3}},
    ),
    "a voter of one side": votes(
        "question_id,model_a,model_b,winner,judge\n"
        + "".join(f"{number},a,b,model_a,ann\n{number},b,a,model_a,ann\n" for number in range(10))
        + "1,a,b,model_a,ben\n2,b,a,model_b,ben\n",
        {
            "where={'judge': '!=ann'}": {"a b": [1.0], "b a": [0.0]},
            "where={'judge': 'ann'}": {"a b": [1.0] * 10, "b a": [1.0] * 10},
        },
    ),
    "votes in groups": votes(
        "Task code,left,right,winner\n" + "".join(f"t{number // 2},a,b,left\n" for number in range(12)),
        {"columns={'question': 'Task code'}": {"a b": [1.0] * 12}},
    ),
    "votes written twice": votes(
        "left,right,winner,question\na,b,left,1\nb,c,tie,1\na,c,right,1\na,b,left,1\n",
        {"duplicates='first'": SHARES},
    ),
    "two columns called alike": votes(
        "left,right,winner,Winner\na,b,left,right\nb,c,tie,tie\na,c,right,left\n",
        {"columns={'winner': 'Winner'}": {"a b": [0.0], "b c": [0.5], "a c": [1.0]}},
    ),
    "votes whose winner stands in a column of another name": votes(
        "q,left,right,best\n1,a,b,b\n2,b,c,tie\n3,a,c,a\n",
        {
            "columns={'winner': 'best'}": {"a b": [0.0], "b c": [0.5], "a c": [1.0]},
            "columns={'loser': 'best'}": SHARES,
        },
    ),
    "columns by other words": votes(
        VOTES.replace("left,right,winner", "a,b,preferred")
        .replace("\n", ",p,w\n")
        .replace("preferred,p,w", "preferred,prompt,worker"),
        {
            "columns={'left': 'NAME', 'right': 'NAME', 'winner': 'NAME'}": Then(
                lambda: read_votes("v.csv", columns={"left": "a", "right": "b", "winner": "preferred"}), SHARES
            ),
            "columns={'question': 'NAME', 'voter': 'NAME'}": Then(
                lambda: read_votes(
                    "v.csv",
                    columns={"left": "a", "right": "b", "winner": "preferred", "question": "prompt", "voter": "worker"},
                ),
                SHARES,
            ),
        },
    ),
    "counts whose systems stand under other words": votes(
        "player_1,player_2,wins_1,wins_2,draws\na,b,2,0,1\nb,c,0,1,0\n",
        {"columns={'left': 'player_1', 'right': 'player_2'}": {"a b": [1.0, 0.5], "b c": [0.0]}},
    ),
    "columns by other words, of values that tell which": votes(
        "first,second,who\n" + "x,y,first\ny,z,tie\nx,z,second\n" * 2,
        {
            "columns={'left': 'first', 'right': 'second', 'winner': 'who'}": TWICE,
            "columns={'left': 'first', 'right': 'second', 'loser': 'who'}": BACK,
        },
    ),
    "a side by its name in the header, that may be who lost": votes(
        "old,new,who\n" + "x,y,old\ny,z,tie\nx,z,new\n" * 2,
        {
            "columns={'left': 'old', 'right': 'new', 'winner': 'who'}": Then(lambda: _by_age(winner="who"), TWICE),
            "columns={'left': 'old', 'right': 'new', 'loser': 'who'}": Then(lambda: _by_age(loser="who"), BACK),
            "words={'new': 'right', 'old': 'left'}": Then(lambda: _by_age(winner="who"), TWICE),
        },
    ),
    "a side by its name in the header": votes(
        "old,new,best\n" + "x,y,old\ny,z,tie\nx,z,new\n" * 2,
        {
            "columns={'left': 'old', 'right': 'new', 'winner': 'best'}": Then(lambda: _by_age(winner="best"), TWICE),
            "words={'new': 'right', 'old': 'left'}": Then(lambda: _by_age(winner="best"), TWICE),
        },
    ),
    "both are bad": votes(
        VOTES + "a,b,both bad\na,b,neither\n",
        {"words={'both bad': 'none', 'neither': 'none'}": SHARES},
    ),
    "an unknown word for the winner": votes(
        VOTES.replace("a,b,left", "a,b,former"),
        {"words={'former': 'left'}": SHARES},
    ),
    "a winner that is a word and a name": votes(
        VOTES + "left,b,right\n",
        {"words={'left': 'left'}": SHARES | {"left b": [0.0]}},
    ),
    "a column that may count votes": votes(
        "left,right,winner,n\na,b,left,3\na,b,right,1\na,b,left,2\na,c,right,2\n",
        {"columns={'count': 'n'}": {"a b": [1.0, 1.0, 1.0, 0.0, 1.0, 1.0], "a c": [0.0, 0.0]}},
    ),
    "one preference beyond the scale": votes(
        "output_1,output_2,generator_1,generator_2,preference\nx,y,a,b,3\nx,y,b,c,3\nx,y,a,c,3\n",
        {
            "words={'3': 'left'}": {"a b": [1.0], "b c": [1.0], "a c": [1.0]},
            "words={'3': 'right'}": {"a b": [0.0], "b c": [0.0], "a c": [0.0]},
        },
    ),
    "a preference beyond the scale": votes(
        "output_1,output_2,generator_1,generator_2,preference\nx,y,a,b,1\nx,y,b,c,1.5\nx,y,a,c,3\n",
        {
            "words={'1': 'left', '1.5': 'left', '3': 'right'}": {"a b": [1.0], "b c": [1.0], "a c": [0.0]},
            "words={'1': 'right', '1.5': 'right', '3': 'left'}": {"a b": [0.0], "b c": [0.0], "a c": [1.0]},
        },
    ),
    "a preference that means another than the scale": votes(
        "output_1,output_2,generator_1,generator_2,preference\nx,y,a,b,1\nx,y,b,c,0.5\nx,y,a,c,0\n",
        {
            "words={'0': 'right', '0.5': 'tie', '1': 'left'}": SHARES,
            "words={'0': 'left', '0.5': 'tie', '1': 'right'}": {"a b": [0.0], "b c": [0.5], "a c": [1.0]},
        },
    ),
    "winners by 1 and 0": votes(
        "model_a,model_b,winner\na,b,1\nb,c,1\na,c,0\n",
        {
            "words={'0': 'right', '1': 'left'}": {"a b": [1.0], "b c": [1.0], "a c": [0.0]},
            "words={'0': 'left', '1': 'right'}": {"a b": [0.0], "b c": [0.0], "a c": [1.0]},
        },
    ),
    "winners by true and false, and a tie": votes(
        "model_a,model_b,winner\na,b,True\nb,c,tie\na,c,False\n",
        {
            "words={'false': 'right', 'true': 'left'}": SHARES,
            "words={'false': 'left', 'true': 'right'}": {"a b": [0.0], "b c": [0.5], "a c": [1.0]},
        },
    ),
    "losers by 1 and 0": votes(
        "model_a,model_b,loser\na,b,1\nb,c,1\na,c,0\n",
        {
            "words={'0': 'right', '1': 'left'}": {"a b": [0.0], "b c": [0.0], "a c": [1.0]},
            "words={'0': 'left', '1': 'right'}": {"a b": [1.0], "b c": [1.0], "a c": [0.0]},
        },
    ),
    "a column that says which side 1 is for": votes(
        "model_a,model_b,a_wins\na,b,1\nb,c,1\na,c,0\n",
        {"words={'1': 'right', '0': 'left'}": {"a b": [0.0], "b c": [0.0], "a c": [1.0]}},
    ),
    "a column of many grades says who won": votes(
        "left,right,winner\na,b,1\nb,c,2\na,c,3\na,b,4\nb,c,5\na,c,6\na,b,7\n",
        {
            "words={'1': 'left', '2': 'left', '3': 'left', '4': 'tie', '5': 'right', '6': 'right', '7': 'right'}": {
                "a b": [1.0, 0.5, 0.0],
                "b c": [1.0, 0.0],
                "a c": [1.0, 0.0],
            }
        },
    ),
    "winners that may be names or sides": votes(
        "model_a,model_b,winner\na,b,a\nb,a,a\na,b,b\n",
        {
            "words={'a': 'left', 'b': 'right'}": {"a b": [1.0, 0.0], "b a": [1.0]},
            "words={'a': 'name', 'b': 'name'}": {"a b": [1.0, 0.0], "b a": [0.0]},
        },
    ),
    "winners by number, of which 0 may be a tie": votes(
        "left,right,winner\na,b,1\nb,c,0\na,c,2\n",
        {
            "words={'0': 'tie', '1': 'left', '2': 'right'}": SHARES,
            "words={'0': 'left', '1': 'tie', '2': 'right'}": {"a b": [0.5], "b c": [1.0], "a c": [0.0]},
            "words={'0': 'right', '1': 'tie', '2': 'left'}": {"a b": [0.5], "b c": [0.0], "a c": [1.0]},
        },
    ),
    "votes of two judges": votes(
        "left,right,winner,judge\na,b,left,x\nb,c,tie,x\na,c,right,x\na,c,left,y\n",
        {"where={'judge': 'x'}": SHARES},
    ),
}
