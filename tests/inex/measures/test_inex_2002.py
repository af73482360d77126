"""The inex-2002 metric against worked examples; the program RePrec prints the value of the step variant."""

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import InvalidOptionError
from metaeval.inex.assessments import Assessments, Submission
from metaeval.inex.elements import element_collection
from metaeval.inex.measures.curves import element_curves
from metaeval.metrics import BUILTIN, metric_values

pytestmark = pytest.mark.usefixtures("one_core")


def flat(results, others=()):
    """Make one list out of (value, score) pairs, every element in a document of its own; `others` are not retrieved."""
    values = [value for value, _ in results] + list(others)
    names = [f"d{number}" for number in range(len(values))]
    documents = pd.DataFrame({"topic": "1", "document": names})
    elements = pd.DataFrame(
        {"topic": "1", "document": names, "path": "/a[1]", "exhaustivity": 2, "specificity": values}
    )
    run = pd.DataFrame(
        {"topic": "1", "document": names[: len(results)], "path": "/a[1]", "rsv": [s for _, s in results]}
    )
    assessments = Assessments(scale="2005", documents=documents, elements=elements[elements["specificity"] > 0])
    return element_collection([Submission(run="run", results=run)], assessments)


@pytest.fixture
def ties():
    """Ranks of one relevant and one other element, two and two, one and three; four elements are relevant."""
    return flat([(1, 9), (0, 9), (1, 8), (0, 8), (1, 8), (0, 8), (0, 7), (0, 7), (1, 7), (0, 7)])


GRADED = flat([(1, 9), (0, 8), (0.5, 7), (0.25, 6), (0, 5)], [0.25])


def at(curve, recall):
    """Read a curve of 1000 points."""
    return curve.to_numpy()[0, 0, round(recall * 1000) - 1]


def test_expected_search_length_over_ties(ties):
    """Elements of equal score share a rank; at a recall between ranks part of it is needed."""
    curve = element_curves(ties, "inex2002(points=1000)")
    expected = {0.25: 0.666667, 0.5: 0.545455, 0.75: 0.5625, 1.0: 0.470588, 0.3: 0.514286}
    assert {recall: at(curve, recall) for recall in expected} == pytest.approx(expected, abs=1e-6)
    steps = element_curves(ties, "inex2002(points=1000, step=ceil)")
    assert at(steps, 0.3) == pytest.approx(0.418605, abs=1e-6)
    values = metric_values(ties, ["inex2002", "inex2002(step=ceil)", "inex2002(nonrel=indicator)"]).ravel()
    assert values == pytest.approx([0.558304, 0.473031, 0.558304], abs=1e-6)


@pytest.mark.parametrize(
    ("nonrel", "expected", "average"),
    [
        ("expectation", {0.25: 1, 0.5: 1, 0.625: 0.535714, 0.75: 0.5625, 0.875: 0.514706, 1.0: 0}, 0.694827),
        ("indicator", {0.25: 1, 0.5: 1, 0.625: 0.555556, 0.75: 0.6, 0.875: 0.636364, 1.0: 0}, 0.713268),
    ],
)
def test_graded_relevance(nonrel, expected, average):
    """Half an element counts half, for relevance and, as an expectation, for what is not relevant."""
    curve = element_curves(GRADED, f"inex2002(points=1000, nonrel={nonrel})")
    assert {recall: at(curve, recall) for recall in expected} == pytest.approx(expected, abs=1e-6)
    value = metric_values(GRADED, [f"inex2002(nonrel={nonrel})"])[0, 0, 0]
    assert value == pytest.approx(average, abs=1e-6)


def test_the_rest_of_the_collection_as_a_last_rank():
    """With 100 elements in all, recall that the run does not reach is precious but not worthless."""
    curve = element_curves(GRADED, "inex2002(n_elements=100, points=1000)")
    assert [at(curve, 0.9), at(curve, 1.0)] == pytest.approx([0.203620, 0.082645], abs=1e-6)
    value = metric_values(GRADED, ["inex2002(n_elements=100)"])[0, 0, 0]
    assert value == pytest.approx(0.714119, abs=1e-6)
    with pytest.raises(InvalidOptionError, match="n_elements must be at least the longest list, 5, not 4"):
        metric_values(GRADED, ["inex2002(n_elements=4)"])


def test_six_simulated_runs(focused_tree):
    """The full recall base wins and the ideal one comes near last, the fault that XCG was made to mend."""
    collection = focused_tree.tree_collection()
    values = metric_values(collection, ["inex2002(quant=SOG)", "inex2002(quant=SOG, nonrel=indicator)"])[:, :, 0]
    expected = {
        "frb": (0.9304, 1.0),
        "id": (0.8705, 0.92),
        "lo": (0.6409, 0.7),
        "ia": (0.2610, 0.29),
        "irb": (0.2154, 0.22),
        "ao": (0.0187, 0.03),
    }
    for system, column in zip(collection.systems, values.T, strict=True):
        assert column == pytest.approx(expected[system], abs=5.1e-5), system
    order = [collection.systems[place] for place in np.argsort(-values[0])]
    assert order == list(expected)


def test_a_copy_is_not_relevant(focused_tree):
    """The second occurrence of an element counts as a result without relevance."""
    twice, stranger = (["sec6", other, "sec4"] for other in ("sec6", "/article[1]/fm[1]"))
    values = metric_values(focused_tree.tree_collection({"twice": twice, "other": stranger}), ["inex2002(quant=SOG)"])
    assert values[0, 0, 0] == values[0, 1, 0] > 0


def test_equal_ranks_are_ties_where_there_are_no_scores(focused_tree):
    """Scores decide where a list has them all, then ranks; without either every result has a rank of its own."""
    assessments = focused_tree.tree_assessments()

    def scored(**columns):
        run = focused_tree.tree_submission("run", ["/article[1]/fm[1]", "sec6"], **columns)
        return metric_values(element_collection([run], assessments), ["inex2002(quant=Strict4)"])[0, 0, 0]

    alone, tied = scored(), scored(rank=[1, 1])
    assert tied > alone
    assert tied == scored(rsv=[0.5, 0.5], rank=[1, 2]) == scored(rsv=[np.nan, 0.5], rank=[3, 3])
    assert alone == scored(rsv=[0.7, 0.5], rank=[1, 1]) == scored(rsv=[np.nan, np.nan])


@pytest.mark.parametrize("name", ["inex2002(nonrel=maybe)", "inex2002(step=half)", "inex2002(points=0)"])
def test_options_outside_their_rule_are_refused(name):
    """With the rule."""
    with pytest.raises(InvalidOptionError, match="must be a"):
        BUILTIN.resolve(name)
