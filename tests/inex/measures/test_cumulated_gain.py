"""Gains of elements and what is averaged over them, against the worked example of Kazai, Lalmas and de Vries (2004)."""

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.inex.assessments import Assessments, Submission
from metaeval.inex.elements import element_collection
from metaeval.inex.measures.curves import element_curves
from metaeval.inex.measures.element_lists import element_lists
from metaeval.inex.measures.gains import cumulated_gains, ideal_recall_base
from metaeval.metrics import BUILTIN, metric_values

pytestmark = pytest.mark.usefixtures("one_core")

EXPECTED = {  # nxCG at 1, 2, 3, 5, 10; MAnxCG@10, MAep, iMAep, nXCG at 10 percentages of the longer and the ideal list
    "irb": (1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    "ia": (1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    "frb": (1, 2 / 3, 2 / 3, 1, 1, 0.9, 0.7, 0.796, 0.9, 5 / 6),
    "id": (1, 2 / 3, 2 / 3, 1, 1, 0.9, 0.7, 0.796, 0.866667, 5 / 6),
    "lo": (0.9, 2 / 3, 2 / 3, 1, 1, 0.923333, 2 / 3, 0.8, 0.856667, 0.783333),
    "ao": (0.25, 1 / 6, 1 / 6, 1 / 6, 1 / 6, 0.175, 0.5, 0.16, 0.208333, 0.208333),
}


def lists_of(tree, runs, quant="SOG"):
    """View runs on the tree under a quantisation."""
    return BUILTIN.resolve(f"MAep(quant={quant})").view(element_lists(tree.tree_collection(runs)))


def test_six_simulated_runs(focused_tree):
    """The ideal runs irb and ia come first; overlap is not rewarded (normalised, alpha = 1)."""
    names = [f"nxCG(quant=SOG)@{k}" for k in (1, 2, 3, 5, 10)]
    names += ["MAnxCG(quant=SOG)@10", "MAep(quant=SOG)", "iMAep(quant=SOG)"]
    names += ["nxCGpercent(quant=SOG, ranks=longest)", "nxCGpercent(quant=SOG)"]
    collection = focused_tree.tree_collection()
    values = metric_values(collection, names)[:, :, 0]
    for system, column in zip(collection.systems, values.T, strict=True):
        assert column == pytest.approx(EXPECTED[system], abs=1e-6), system


def test_gains_of_the_six_runs(focused_tree):
    """Rank by rank; what an ideal element has given already is never given again."""
    expected = {
        "irb": [1, 0.5],
        "frb": [1, 0, 0, 0, 0.5, 0, 0, 0, 0, 0],
        "ia": [1, 0.5, 0, 0],
        "id": [1, 0, 0, 0, 0.5, 0, 0, 0],
        "lo": [0.9, 0.1, 0, 0.5, 0, 0],
        "ao": [0.25],
    }
    lists = lists_of(focused_tree, focused_tree.RUNS)
    gains = cumulated_gains(lists)
    assert gains.gains == pytest.approx(sum(expected.values(), []))  # noqa: RUF017 - six short lists
    assert gains.ideal.tolist() == [1, 0.5]
    plain = cumulated_gains(lists, normalise=False)
    start, stop = plain.offsets[1:3]
    assert plain.gains[start:stop] == pytest.approx([1, 0, 0, 0, 0.9, 0.9, 0.0625, 0, 0, 0])
    start, stop = plain.offsets[4:6]
    assert plain.gains[start:stop] == pytest.approx([0.9] * 5 + [0.25])
    values = metric_values(lists.collection, ["nxCG(quant=SOG, normalise=False)@10"])[0, :, 0]
    assert values[[1, 4]] == pytest.approx([2.8625 / 1.5, 4.75 / 1.5])
    assert values[[1, 4]] == pytest.approx([1.9083, 3.1667], abs=5e-5)


@pytest.mark.parametrize(
    ("alpha", "expected"), [(0.0, (0.9, 0.5, 0.25)), (0.5, (0.9, 0.4838, 0.2222)), (1.0, (0.9, 0.2875, 0.1667))]
)
def test_the_penalty_for_overlap(focused_tree, alpha, expected):
    """A paragraph, then the section around it, then the body: the more is lost the larger alpha is."""
    lists = lists_of(focused_tree, {"run": ["sec4/p1", "sec4", "bdy1"]})
    assert cumulated_gains(lists, alpha=alpha, normalise=False).gains == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(
    ("quant", "tie", "base"),
    [
        ("SOG", "deeper", ["sec4", "sec6"]),
        ("SOG", "higher", ["sec4", "sec6"]),
        ("Strict4", "deeper", ["sec6"]),
        ("Gen4", "deeper", ["bdy1"]),
        ("Gen4", "higher", ["article1"]),
    ],
)
def test_ideal_recall_base(focused_tree, quant, tie, base):
    """One best element a path, the outermost of overlapping ones, which may discard a better one (Gen4)."""
    lists = lists_of(focused_tree, {"run": ["sec6"]}, quant)
    ideal = ideal_recall_base(lists, tie=tie)
    own = np.flatnonzero(ideal == np.arange(len(ideal)))
    paths = lists.collection.path_names[lists.collection.elements.paths[own]]
    assert sorted(paths) == sorted(focused_tree.PATHS[name] for name in base)


def test_a_duplicate_gains_nothing(focused_tree):
    """It is fully seen, or its second copy without overlap treatment."""
    lists = lists_of(focused_tree, {"run": ["sec6", "sec6"]})
    assert cumulated_gains(lists).gains.tolist() == [1, 0]
    assert cumulated_gains(lists, alpha=0.25, normalise=False).gains.tolist() == [1, 0.75]
    assert cumulated_gains(lists, task="thorough").gains.tolist() == [1, 0]


def test_an_element_nobody_assessed_gains_nothing_but_hides_what_it_shows(focused_tree):
    """Even where something relevant lies inside it."""
    tree = focused_tree.tree_assessments()
    without = focused_tree.tree_assessments(elements=tree.elements[tree.elements["path"] != focused_tree.PATHS["sec4"]])
    runs = {"after": ["sec4/p1", "sec4", "sec4/ip12"], "alone": ["sec4/ip12"]}
    lists = BUILTIN.resolve("MAep(quant=SOG)").view(
        element_lists(focused_tree.tree_collection(runs, assessments=without))
    )
    assert cumulated_gains(lists, normalise=False).gains == pytest.approx([0.9, 0, 0, 0.9])


def test_what_lies_around_an_ideal_element_may_gain_beyond_it(focused_tree):
    """So nxCG has no upper bound: under Gen4 the body is ideal, and the article adds its unseen section."""
    collection = focused_tree.tree_collection({"run": ["sec6", "article1"]})
    lists = BUILTIN.resolve("MAep(quant=Gen4)").view(element_lists(collection))
    unseen = 0.5 * 4000 / 40000  # of sec4, by way of the body
    assert cumulated_gains(lists).gains == pytest.approx([0.75, unseen])
    values = metric_values(collection, ["nxCG(quant=Gen4)@1", "nxCG(quant=Gen4)@2"])[:, 0, 0]
    assert values == pytest.approx([1, (0.75 + unseen) / 0.75])


def flat_collection(gains, ideal):
    """Make a list with those gains out of elements of separate documents, and an ideal list."""
    values = [*ideal, *[0] * gains.count(0)]
    documents = pd.DataFrame([{"topic": "1", "document": f"d{number}"} for number in range(len(values))])
    elements = pd.DataFrame(
        [
            {"topic": "1", "document": f"d{number}", "path": "/a[1]", "exhaustivity": 2, "specificity": value}
            for number, value in enumerate(values)
            if value
        ]
    )
    left = list(enumerate(values))
    names = []
    for gain in gains:
        found = next(one for one in left if one[1] == gain)
        left.remove(found)
        names.append(f"d{found[0]}")
    results = pd.DataFrame({"topic": "1", "document": names, "path": "/a[1]"})
    assessments = Assessments(scale="2005", documents=documents, elements=elements)
    return element_collection([Submission(run="run", results=results)], assessments)


@pytest.mark.parametrize("task", ["focused", "thorough"])
def test_measures_on_given_gains(task):
    """Ideal gains (1, .75, .5, .25), and a run that gains (.5, 0, 1, 0, .25)."""
    collection = flat_collection([0.5, 0, 1, 0, 0.25], [1, 0.75, 0.5, 0.25])
    expected = {f"nxCG(quant=Gen5, task={task})@{k}": one for k, one in zip(
        range(1, 6), (0.5, 0.285714, 0.666667, 0.6, 0.7), strict=True
    )}  # fmt: skip
    expected |= {
        f"MAnxCG(quant=Gen5, task={task})@5": 0.550476,
        f"MAep(quant=Gen5, task={task})": 0.516667,
        f"iMAep(quant=Gen5, task={task})": 0.44,
        f"iMAep(points=10, quant=Gen5, task={task})": 0.44,
        f"xQ(quant=Gen5, task={task})": 0.5125,
        f"xR(quant=Gen5, task={task})": 0.538462,
    }
    values = metric_values(collection, list(expected))[:, 0, 0]
    assert values == pytest.approx(list(expected.values()), abs=1e-6)


def test_curves_carry_their_axes(focused_tree):
    """The averages are the means of the curves, and nxCG the end of its curve."""
    collection = focused_tree.tree_collection()
    percent = element_curves(collection, "nxCGpercent(quant=SOG)")
    assert percent.dims == ("system", "topic", "rank_percent")
    longest = element_curves(collection, "nxCGpercent(quant=SOG, ranks=longest)")
    assert longest.dims == ("system", "topic", "rank_percent_longest")  # its axis is named after the longer list
    assert percent["rank_percent"].to_numpy() == pytest.approx(np.arange(10, 101, 10))
    assert percent.sel(system="lo").to_numpy()[0] == pytest.approx([0.9] * 5 + [2 / 3] * 5)
    effort = element_curves(collection, "iMAep(quant=SOG, points=10)")
    assert effort.sel(system="ao", topic="163").to_numpy() == pytest.approx([1] + [0] * 9)
    assert effort["gain_recall"].to_numpy()[-1] == 1
    rank = element_curves(collection, "nxCG(quant=SOG)@5")
    assert rank.sel(system="frb", topic="163").to_numpy() == pytest.approx([1, 2 / 3, 2 / 3, 2 / 3, 1])
    assert rank["rank"].to_numpy().tolist() == [1, 2, 3, 4, 5]
    precall = element_curves(collection, "inex2002(quant=SOG)")
    assert precall.dims[2] == "recall"
    assert precall.sel(system="frb").mean().item() == pytest.approx(0.9304, abs=5e-5)


def test_curves_refuse_what_has_none(focused_tree):
    """Another metric, another collection, nothing of worth."""
    collection = focused_tree.tree_collection()
    with pytest.raises(UnknownNameError, match="no curve of 'MAep'"):
        element_curves(collection, "MAep")
    with pytest.raises(InvalidOptionError, match="`collection` must be an ElementCollection; got a Collection"):
        element_curves(collection.by_document, "iMAep")
    nothing = collection.rejudge(np.array([0]))
    with pytest.raises(InvalidOptionError, match="no element has a value above 0 under iMAep"):
        element_curves(nothing, "iMAep")


def test_sizes_are_asked_for_only_where_overlap_needs_them(focused_tree):
    """Assessments of 2003 and 2004 have none: an error names the element whose size decides."""
    tree = focused_tree.tree_assessments()
    bare = focused_tree.tree_assessments(elements=tree.elements.assign(size=-1))
    runs = {"run": ["sec6", "sec4/p1", "sec4"]}
    collection = focused_tree.tree_collection(runs, assessments=bare)
    with pytest.raises(
        InvalidOptionError, match=r"the size of topic '163', .*sec\[4\], and nobody said it; give element sizes"
    ):
        metric_values(collection, ["nxCG(quant=SOG)@10"])
    assert metric_values(collection, ["nxCG(alpha=0, quant=SOG)@10"])[0, 0, 0] == 1
    sizes = pd.DataFrame(
        [
            {"document": focused_tree.DOCUMENT, "path": path, "size": focused_tree.GRADES[name][2]}
            for name, path in focused_tree.PATHS.items()
        ]
    )
    known = focused_tree.tree_collection(runs, assessments=bare, sizes=sizes)
    assert metric_values(known, ["nxCG(quant=SOG)@10"])[0, 0, 0] == 1
    some = focused_tree.tree_collection(runs, assessments=bare, sizes=sizes[sizes["path"].str.contains("p1")])
    with pytest.raises(InvalidOptionError, match=r"element /article\[1\]/bdy\[1\]/sec\[4\], and"):
        metric_values(some, ["nxCG(quant=SOG)@10"])
    apart = focused_tree.tree_collection({"run": ["sec6", "sec4/p1"]}, assessments=bare)
    assert metric_values(apart, ["nxCG(quant=SOG)@10"])[0, 0, 0] == 1


def test_thorough_takes_no_option_of_overlap(focused_tree):
    """Rather than to ignore it."""
    with pytest.raises(InvalidOptionError, match="task=thorough has no overlap to punish"):
        metric_values(focused_tree.tree_collection(), ["MAep(alpha=0.5, task=thorough)"])


@pytest.mark.parametrize(
    "name", ["MAep(task=browse)", "MAep(tie=left)", "MAep(alpha=1.5)", "nxCG@0", "iMAep(points=0)"]
)
def test_options_outside_their_rule_are_refused(name):
    """With the rule."""
    with pytest.raises(
        InvalidOptionError, match=r"must be a .*, (focused or thorough|deeper or|from 0 to 1|at least 1)"
    ):
        BUILTIN.resolve(name)
