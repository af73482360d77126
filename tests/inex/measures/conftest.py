"""Small collections of passages, written as the lines of qrels and runs."""

from types import SimpleNamespace

import pandas as pd
import pytest

from metaeval.inex.assessments import Assessments, Submission
from metaeval.inex.measures.passage_lists import passage_lists
from metaeval.inex.passages import passage_collection

QRELS = """\
T1 Q0 d1 300 1000 100 100:200 500:100
T1 Q0 d2 200 400 0 0:200
T1 Q0 d3 0 800
T2 Q0 d4 100 500 50 50:100
"""


def _assessments(text):
    documents, passages = [], []
    for line in text.splitlines():
        topic, _, document, relevant, size, *rest = line.split()
        best = int(rest[0]) if rest else -1
        documents.append(
            {
                "topic": topic,
                "document": document,
                "relevant_size": int(relevant),
                "size": int(size),
                "best_entry": best,
            }
        )
        for passage in rest[1:]:
            start, length = passage.split(":")
            passages.append({"topic": topic, "document": document, "offset": int(start), "length": int(length)})
    columns = ["topic", "document", "offset", "length"]
    return Assessments(
        scale="passages", documents=pd.DataFrame(documents), passages=pd.DataFrame(passages, columns=columns)
    )


def _collection(*runs, qrels=QRELS):
    submissions = []
    for number, text in enumerate(runs):
        lines = [line.split() for line in text.split(",")]
        rows = [
            {"topic": topic, "document": document, "offset": int(start), "length": int(length)}
            for topic, document, start, length in lines
        ]
        submissions.append(Submission(run=f"run{number}", results=pd.DataFrame(rows)))
    return passage_collection(submissions, _assessments(qrels))


@pytest.fixture(scope="session")
def passages():
    """Compile runs like "T1 d1 0 400, T1 d3 0 100" against qrels in INEX's format, or view them as lists."""
    return SimpleNamespace(
        collection=_collection,
        assessments=_assessments,
        lists=lambda *runs, **options: passage_lists(_collection(*runs, **options)),
    )
