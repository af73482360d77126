"""inex_eval_ng on the example tree."""

import pytest

from metaeval.errors import InvalidOptionError
from metaeval.inex.measures.element_lists import element_lists
from metaeval.inex.measures.inex_ng import text_precision_recall
from metaeval.metrics import BUILTIN, metric_values

pytestmark = pytest.mark.usefixtures("one_core")


@pytest.mark.parametrize(
    ("overlap", "recall", "precision"),
    [
        (True, (0.090909, 0.145455, 0.281818), (1.0, 0.8, 0.92)),
        (False, (0.090909, 0.181818, 0.318182), (1.0, 0.761905, 0.885057)),
    ],
)
def test_a_paragraph_its_section_and_another_section(focused_tree, overlap, recall, precision):
    """The section adds only the text that its paragraph did not show, unless overlap is ignored."""
    lists = element_lists(focused_tree.tree_collection({"run": ["sec4/p1", "sec4", "sec6"]}))
    found = text_precision_recall(lists, overlap=overlap)
    assert found[0] == pytest.approx(precision, abs=1e-6)
    assert found[1] == pytest.approx(recall, abs=1e-6)
    levels = [step / 100 for step in range(1, 101)]
    by_hand = sum(max((p for p, r in zip(*found, strict=True) if r >= x), default=0) for x in levels) / 100
    name = f"inexNG(overlap={overlap})"
    assert metric_values(lists.collection, [name])[0, 0, 0] == pytest.approx(by_hand)


def test_text_shown_before_adds_nothing(focused_tree):
    """What lies inside an earlier result is neither read again nor found again."""
    values = metric_values(focused_tree.tree_collection({"a": ["sec6", "sec6/p1"], "b": ["sec6"]}), ["inexNG"])
    assert values[0, 0, 0] == values[0, 1, 0] > 0


def test_strict_grades_count_the_highest_alone(focused_tree):
    """Three elements are highly exhaustive; the ideal one is highly specific too."""
    lists = element_lists(focused_tree.tree_collection({"run": ["sec6"]}))
    precision, recall = text_precision_recall(lists, strict=True)
    assert (precision[0], recall[0]) == (1, pytest.approx(1 / 3))
    assert BUILTIN.resolve("inexNG(strict=True)").n_relevant(lists).tolist() == [3]


def test_sizes_and_grades_are_needed(focused_tree):
    """Of every result, also of those nobody assessed; and of the scale with two grades."""
    collection = focused_tree.tree_collection({"run": ["sec6", "/article[1]/fm[1]"]})
    with pytest.raises(InvalidOptionError, match=r"inexNG needs the size of .*/article\[1\]/fm\[1\]"):
        metric_values(collection, ["inexNG"])
    tree = focused_tree.tree_assessments()
    shares = tree.elements.assign(exhaustivity=1, specificity=0.5)
    other = focused_tree.tree_collection(assessments=focused_tree.tree_assessments(scale="2005", elements=shares))
    with pytest.raises(InvalidOptionError, match=r"inexNG is made for grades .*, not 2005"):
        metric_values(other, ["inexNG"])
