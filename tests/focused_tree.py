"""The example of Kazai, Lalmas and de Vries (2004, Figure 1): one document, ten relevant elements, six simulated runs.

The assessments follow from the text of the paper; the sizes, and the highlighted characters that go with them, are
made up. ``tree_collection()`` compiles it; tests of other parts may ask for a run or two of their own.
"""

import pandas as pd

from metaeval.inex.assessments import Assessments, Submission
from metaeval.inex.elements import element_collection

DOCUMENT = "co/2001/r7022"
TOPIC = "163"
PATHS = {
    "article1": "/article[1]",
    "bdy1": "/article[1]/bdy[1]",
    "sec4": "/article[1]/bdy[1]/sec[4]",
    "sec4/p1": "/article[1]/bdy[1]/sec[4]/p[1]",
    "sec4/p2": "/article[1]/bdy[1]/sec[4]/p[2]",
    "sec4/ip12": "/article[1]/bdy[1]/sec[4]/ip1[2]",
    "sec6": "/article[1]/bdy[1]/sec[6]",
    "sec6/p1": "/article[1]/bdy[1]/sec[6]/p[1]",
    "sec6/p2": "/article[1]/bdy[1]/sec[6]/p[2]",
    "sec6/ip12": "/article[1]/bdy[1]/sec[6]/ip1[2]",
}
GRADES = {
    "article1": (3, 1, 40000),
    "bdy1": (3, 1, 36000),
    "sec4": (2, 2, 4000),
    "sec4/p1": (2, 3, 1600),
    "sec4/p2": (1, 2, 1000),
    "sec4/ip12": (2, 3, 1000),
    "sec6": (3, 3, 6000),
    "sec6/p1": (2, 3, 2000),
    "sec6/p2": (2, 3, 1500),
    "sec6/ip12": (2, 3, 2000),
}
_ALL = ["sec6", "sec6/p1", "sec6/p2", "sec6/ip12", "sec4/p1", "sec4/ip12", "sec4", "sec4/p2", "bdy1", "article1"]
RUNS = {
    "irb": ["sec6", "sec4"],
    "frb": _ALL,
    "ia": ["sec6", "sec4", "bdy1", "article1"],
    "id": _ALL[:8],
    "lo": [name for name in _ALL if name not in ("sec6", "sec4", "bdy1", "article1")],
    "ao": ["article1"],
}


def tree_assessments(**changes):
    """Return the assessments; a keyword replaces the elements or the documents."""
    elements = pd.DataFrame(
        [
            {"path": PATHS[name], "exhaustivity": e, "specificity": float(s), "size": size}
            for name, (e, s, size) in GRADES.items()
        ]
    ).assign(topic=TOPIC, document=DOCUMENT, relevant_size=-1, line=range(1, len(GRADES) + 1))
    documents = pd.DataFrame([{"topic": TOPIC, "document": DOCUMENT, "relevant_size": -1, "size": -1}])
    return Assessments(**{"scale": "2003", "documents": documents, "elements": elements, **changes})


def tree_submission(run, names, **columns):
    """Return a run of elements of the tree, by their short names (or whole paths)."""
    results = pd.DataFrame({"path": [PATHS.get(name, name) for name in names]}, dtype=object)
    return Submission(
        run=run,
        results=results.assign(topic=TOPIC, document=DOCUMENT, **columns),
        answered=(TOPIC,),
        source=f"{run}.xml",
    )


def tree_collection(runs=RUNS, **options):
    """Compile the six runs, or others, against the tree."""
    assessments = options.pop("assessments", None) or tree_assessments()
    return element_collection([tree_submission(run, names) for run, names in runs.items()], assessments, **options)
