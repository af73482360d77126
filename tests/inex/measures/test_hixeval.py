"""HiXEval in highlighted characters."""

import pandas as pd
import pytest

from metaeval.errors import InvalidOptionError
from metaeval.inex.assessments import Assessments, Submission
from metaeval.inex.elements import element_collection
from metaeval.inex.measures.element_lists import element_lists
from metaeval.metrics import BUILTIN, metric_values

pytestmark = pytest.mark.usefixtures("one_core")

PATHS = ["/a[1]/s[1]/p[1]", "/a[1]/s[1]", "/a[1]/s[2]", "/a[1]/s[3]"]
SIZES = {"/a[1]": (20000, 9000), PATHS[0]: (1600, 1600), PATHS[1]: (4000, 2500), PATHS[2]: (6000, 6000)}


def compiled(*, relevant_size=9000, sizes=None, topics=("1",)):
    """Compile a paragraph, its section, another section and one with nothing highlighted."""
    elements = pd.DataFrame(
        [
            {"topic": topic, "document": "d", "path": path, "exhaustivity": 2, "specificity": marked / size}
            | {"size": size, "relevant_size": marked}
            for topic in topics
            for path, (size, marked) in SIZES.items()
        ]
    )
    documents = pd.DataFrame([{"topic": topic, "document": "d", "relevant_size": relevant_size} for topic in topics])
    results = pd.DataFrame([{"topic": topic, "document": "d", "path": path} for topic in topics for path in PATHS])
    given = pd.DataFrame([{"document": "d", "path": PATHS[3], "size": 1000}]) if sizes is None else sizes
    assessments = Assessments(scale="2005", documents=documents, elements=elements)
    return element_collection([Submission(run="run", results=results)], assessments, sizes=given)


@pytest.mark.parametrize(
    ("alpha", "k", "expected"),
    [
        (1, 1, (1, 0.177778, 0.301887)),
        (1, 2, (0.446429, 0.277778, 0.342466)),
        (1, 3, (0.732759, 0.944444, 0.825243)),
        (1, 4, (0.674603, 0.944444, 0.787037)),
        (0, 1, (1, 0.177778, 0.301887)),
        (0, 2, (0.732143, 0.455556, 0.561644)),
        (0, 3, (0.870690, 1.122222, 0.980583)),
        (0, 4, (0.801587, 1.122222, 0.935185)),
    ],
)
def test_worked_example(alpha, k, expected):
    """Text shown again costs effort under any alpha, and counts again only with alpha = 0."""
    names = [f"HiX{letter}(alpha={alpha})@{k}" for letter in "PRF"]
    assert metric_values(compiled(), names)[:, 0, 0] == pytest.approx(expected, abs=1e-6)


def test_without_a_cutoff_the_whole_list_counts():
    """And a cutoff beyond its end changes nothing."""
    values = metric_values(compiled(), ["HiXF", "HiXF@4", "HiXF@100"])[:, 0, 0]
    assert values[0] == values[1] == values[2] == pytest.approx(0.787037, abs=1e-6)


def test_highlighted_characters_of_a_topic():
    """As the assessments say for every document; where they do not, those of the outermost elements."""
    for said in (9000, -1):
        lists = element_lists(compiled(relevant_size=said))
        assert BUILTIN.resolve("HiXR").n_relevant(lists).tolist() == [9000]
    assert metric_values(compiled(relevant_size=18000), ["HiXR@1"])[0, 0, 0] == pytest.approx(1600 / 18000)


def test_a_document_without_judgment_has_nothing_highlighted():
    """Its results cost effort and find nothing."""
    collection = compiled(topics=("1", "2"))
    levels = collection.by_document.levels.copy()
    levels[0] = -1
    assert metric_values(collection.rejudge(levels), ["HiXP@2"])[0, 0] == pytest.approx([0, 0.446429], abs=1e-6)


def test_what_is_needed_and_missing_is_named(focused_tree):
    """The size of a result, or highlighted characters at all."""
    none = pd.DataFrame({"document": [], "path": [], "size": []})
    with pytest.raises(InvalidOptionError, match=r"HiXEval needs the size of .*/a\[1\]/s\[3\]"):
        metric_values(compiled(sizes=none), ["HiXP@4"])
    assert metric_values(compiled(sizes=none), ["HiXP@3"])[0, 0, 0] > 0
    with pytest.raises(InvalidOptionError, match="needs the highlighted characters of every relevant document"):
        metric_values(focused_tree.tree_collection({"run": []}), ["HiXR"])
    with pytest.raises(InvalidOptionError, match=r"needs the highlighted characters of topic '163', .*; nobody said"):
        metric_values(focused_tree.tree_collection({"run": ["sec6"]}), ["HiXP"])
