"""Assessments and runs of parts of documents that are told a way out, and what comes out when it is followed."""

from typing import Any

import pandas as pd
from advice_calls import Call, Then, rows
from advice_methods import call

from metaeval import score
from metaeval.inex.assessments import Assessments, Submission, table_of
from metaeval.inex.elements import element_collection
from metaeval.inex.judged_files import inex_collection
from metaeval.inex.reading import read_assessments, read_submission
from metaeval.inex.writing import write_submission

ROWS = [  # topic, document, path, exhaustivity, size, highlighted
    ("1", "d1", "/a[1]", 2, 100, 40),
    ("1", "d1", "/a[1]/s[1]", 1, 40, 40),
    ("2", "d1", "/a[1]", 2, 50, 50),
]


def assessed(rows: Any = ROWS, **changes: Any) -> Assessments:
    """Return assessments of a document on two topics."""
    table = pd.DataFrame(rows, columns=["topic", "document", "path", "exhaustivity", "size", "relevant_size"])
    table = table.assign(line=range(1, len(rows) + 1), specificity=table["relevant_size"] / table["size"].abs())
    documents = pd.DataFrame({"topic": ["1", "2"], "document": ["d1", "d1"], "line": [1, 2]})
    return Assessments(**{"scale": "2005", "documents": documents, "elements": table, "source": "a.xml", **changes})


def run(name: str, *paths: str) -> Submission:
    """Return a run of elements of the document, the same on both topics."""
    places = [(topic, "d1", path) for topic in "12" for path in paths]
    table = pd.DataFrame(places, columns=["topic", "document", "path"]).assign(line=range(1, len(places) + 1))
    return Submission(run=name, results=table, answered=("1", "2"), source=f"{name}.xml")


RUNS = [run("a", "/a[1]"), run("b", "/a[1]/s[1]", "/a[1]")]
BESIDE = [RUNS[0], run("c", "/a[1]/s[2]")]
"""A run beside one that retrieves what nobody assessed."""
SIZES = pd.DataFrame({"document": ["d1"] * 3, "path": ["/a[1]", "/a[1]/s[1]", "/a[1]/s[2]"], "size": [100, 40, 10]})
TWICE = [*ROWS, ROWS[0]]
UPSIDE = [("1", "d1", "/a[1]", 1, 100, 40), ("1", "d1", "/a[1]/s[1]", 2, 40, 40), ROWS[2]]
NO_SIZE = [(t, d, p, e, -1, -1) for t, d, p, e, _, _ in ROWS]


def precision_of_passages() -> list[float]:
    """Return the share of highlighted characters that a run of passages has on either topic."""
    collection = inex_collection([read_submission("a.run")], read_assessments("q.txt"))
    return list(score(collection, ["char_prec"], fewest=1).to_numpy().ravel().tolist())


def grades(collection: Any) -> list[float]:
    """Return the exhaustivity of what was assessed, in order."""
    return sorted(map(float, collection.elements.exhaustivity[collection.elements.assessed]))


def unsized(**options: Any) -> Any:
    """Return runs beside assessments that say no sizes."""
    return element_collection(
        RUNS, assessed(NO_SIZE, elements=assessed().elements.assign(size=-1, relevant_size=-1)), **options
    )


QRELS = "1 Q0 d1 40 100 0 0:40\n2 Q0 d1 50 50 0 0:50\n"
PASSAGES = {"q.txt": QRELS, "a.run": "1 Q0 d1 1 9 a 0 100\n2 Q0 d1 1 9 a 0 50\n"}
MIXED = table_of(
    "results",
    {"topic": ["1", "1"], "document": ["a", "b"], "path": ["/a[1]", ""], "offset": [-1, 3], "length": [-1, 5]},
)
INEX = {
    "an element assessed twice": call(
        lambda **options: element_collection(RUNS, assessed(TWICE), **options),
        {"lenient=True": [1.0, 2.0, 2.0]},
        show=grades,
    ),
    "an element more exhaustive than the one around it": call(
        lambda **options: element_collection(RUNS, assessed(UPSIDE), **options),
        {"lenient=True": [1.0, 2.0, 2.0]},
        show=grades,
    ),
    "sizes without paths": call(
        lambda **_: element_collection(RUNS, assessed(), sizes=SIZES.drop(columns="path")),
        {"element_collection(sizes=...)": Then(lambda: [*unsized(sizes=SIZES).elements.sizes], [100, 40, 100, 40])},
    ),
    "sizes of nothing": call(
        lambda **_: element_collection(RUNS, assessed(), sizes=SIZES.assign(size=0)),
        {"element_collection(sizes=...)": Then(lambda: [*unsized(sizes=SIZES).elements.sizes], [100, 40, 100, 40])},
    ),
    "a measure of sizes that nobody said": call(
        lambda **_: score(element_collection(BESIDE, assessed()), ["HiXP@1"]),
        {
            "element_collection(sizes=...)": Then(
                lambda: score(element_collection(BESIDE, assessed(), sizes=SIZES), ["HiXP@1"]),
                rows("1 2", a=[0.4, 1.0], c=[0.0, 0.0]),
            )
        },
    ),
    "a least size of elements that have none": call(
        lambda **_: score(unsized(), ["MAep(quant=BinExh(min_size=50))"]),
        {
            "element_collection(sizes=...)": Then(
                lambda: score(unsized(sizes=SIZES), ["MAep(quant=BinExh(min_size=50))"]).sizes["topic"], 2
            )
        },
    ),
    "a topic assessed in two files": Call(
        lambda **_: read_assessments(["first", "again"]),
        {
            "read_assessments(folder, second=True)": Then(
                lambda: [*read_assessments("folder", second=True).passages["length"]], [10]
            )
        },
        {},
        {
            "first": QRELS,
            "again": QRELS.replace("0:40", "0:10").replace(" 40 ", " 10 "),
            "folder/q.txt": QRELS,
            "folder/others/q.txt": "1 Q0 d1 10 100 0 0:10\n",
        },
    ),
    "passages that overlap": Call(
        lambda **options: read_assessments("q.txt", **options),
        {"lenient=True": [60, 40]},
        {},
        {"q.txt": "1 Q0 d1 100 500 0 0:60 50:40\n"},
        show=lambda found: found.passages["length"].tolist(),
    ),
    "a run as assessments": Call(
        lambda **_: read_assessments("a.run"),
        {
            "qrels": Then(
                precision_of_passages,
                [0.4, 1.0],
            )
        },
        {},
        PASSAGES,
    ),
    "elements and passages in lines": call(
        lambda *, form="lines": write_submission(Submission(run="r", results=MIXED, answered=("1",)), "run", form=form),
        {"form='xml'": ["/a[1]", ""]},
        show=lambda path: read_submission(path).results["path"].tolist(),
    ),
    "sizes of elements beside passages": Call(
        lambda **_: inex_collection([read_submission("a.run")], read_assessments("q.txt"), sizes=SIZES),
        {
            "element_collection(sizes=...)": Then(
                precision_of_passages,
                [0.4, 1.0],
            )
        },
        {},
        PASSAGES,
    ),
}
