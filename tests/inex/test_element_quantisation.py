"""Values of elements under every quantisation, against the tables of the campaigns."""

import numpy as np
import pytest

from metaeval.base.metric_names import Call
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.inex.assessments import TOO_SMALL
from metaeval.inex.element_quantisation import ELEMENT_QUANTISATIONS, ElementGrades, element_values
from metaeval.metrics import BUILTIN, Quantisation, metric_values

KNOWN = {one.name: one for one in ELEMENT_QUANTISATIONS}
PAIRS = [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3)]


def grades(scale, pairs, sizes=None, full=None):
    """Lay out pairs of exhaustivity and specificity."""
    e, s = (np.array(column) for column in zip(*pairs, strict=True))
    top = s == (1 if scale == "2005" else 3)
    sizes = np.full(len(e), -1) if sizes is None else np.array(sizes)
    return ElementGrades(
        scale, e.astype(np.int64), s.astype(np.float64), top if full is None else np.array(full), sizes
    )


def values(name, given, **arguments):
    """Apply a quantisation by name."""
    return element_values(Call(name, tuple(arguments.items())), KNOWN[name], given).tolist()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Strict4", [0, 0, 0, 0, 0, 0, 0, 0, 1]),
        ("strict", [0, 0, 0, 0, 0, 0, 0, 0, 1]),
        ("Gen4", [0.25, 0.25, 0.5, 0.5, 0.5, 0.75, 0.75, 0.75, 1]),
        ("gen", [0.25, 0.25, 0.5, 0.5, 0.5, 0.75, 0.75, 0.75, 1]),
        ("SOG", [0.1, 0.25, 0.75, 0.1, 0.5, 0.9, 0.25, 0.75, 1]),
        ("AnyRel", [1, 1, 1, 1, 1, 1, 1, 1, 1]),
        ("E3S321", [0, 0, 0, 0, 0, 0, 1, 1, 1]),
        ("E3S32", [0, 0, 0, 0, 0, 0, 0, 1, 1]),
        ("S3E321", [0, 0, 1, 0, 0, 1, 0, 0, 1]),
        ("S3E32", [0, 0, 0, 0, 0, 1, 0, 0, 1]),
    ],
)
def test_scale_of_2003(name, expected):
    """The nine relevant pairs; SOG is equation 2 of Kazai, Lalmas and de Vries (2004)."""
    assert values(name, grades("2003", PAIRS)) == expected


@pytest.mark.parametrize("names", [("Strict2", "Gen2"), ("strict", "gen")])
def test_scale_of_2002(names):
    """Relevance 0 to 3 and coverage L, S, E (1, 2, 3)."""
    given = grades("2002", [(3, 3), (2, 3), (3, 1), (1, 3), (2, 1), (2, 2), (1, 2), (1, 1)])
    assert values(names[0], given) == [1, 0, 0, 0, 0, 0, 0, 0]
    assert values(names[1], given) == [1, 0.75, 0.75, 0.5, 0.5, 0.5, 0.25, 0.25]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Gen5", [0, 0.36, 0.72, 0, 0.5, 1]),
        ("gen", [0, 0.36, 0.72, 0, 0.5, 1]),
        ("GenLifted", [0.24, 0.48, 0.72, 1 / 3, 2 / 3, 1]),
        ("Strict5", [0, 0, 0, 0, 0, 1]),
        ("strict", [0, 0, 0, 0, 0, 1]),
        ("FullySpec", [0, 0, 0, 1, 1, 1]),
        ("BinExh", [0.72, 0.72, 0.72, 1, 1, 1]),
    ],
)
def test_scale_of_2005(name, expected):
    """Shares of highlighted text, with an element that is too small first."""
    given = grades("2005", [(TOO_SMALL, 0.72), (1, 0.72), (2, 0.72), (TOO_SMALL, 1), (1, 1), (2, 1)])
    assert values(name, given) == pytest.approx(expected)


def test_too_small_by_judgment_or_by_size():
    """BinExh leaves out what assessors called too small, or what has too few characters."""
    given = grades("2005", [(TOO_SMALL, 0.5), (1, 0.5), (2, 0.5)], sizes=[60, 54, 55])
    assert values("BinExh", given, too_small=False) == [0, 0.5, 0.5]
    assert values("BinExh", given, min_size=55) == [0.5, 0, 0.5]
    with pytest.raises(InvalidOptionError, match="min_size=55 needs the size of every relevant element, and 1 are"):
        values("BinExh", grades("2005", [(1, 0.5)]), min_size=55)


def test_full_specificity_is_a_matter_of_whole_numbers():
    """A share that rounds to 1 is not full."""
    assert values("FullySpec", grades("2005", [(2, 1.0), (2, 1.0)], full=[True, False])) == [1, 0]
    assert values("Strict5", grades("2005", [(2, 1.0), (2, 1.0)], full=[True, False])) == [1, 0]


def test_a_function_of_another_scale_is_refused():
    """With those that fit."""
    with pytest.raises(
        InvalidOptionError,
        match=r"quant=Gen5 is made .* scale 2005, and these are of 2003; use one of strict, gen, Strict4, Gen4, SOG",
    ):
        values("Gen5", grades("2003", PAIRS))


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda given: np.ones(len(given.sizes) + 1), r"must return one value per element, shape \(9,\), not \(10,\)"),
        (lambda given: given.exhaustivity / 2, r"a value lies in \[0, 1\]; exhaustivity 3, specificity 1 has 1.5"),
        (lambda given: np.full(len(given.sizes), np.nan), "exhaustivity 1, specificity 1 has nan"),
        (lambda given: -given.specificity, "specificity 1 has -1"),
    ],
)
def test_values_that_are_none_are_refused(function, said):
    """Wrong shape, above 1, below 0, no number."""
    with pytest.raises(InvalidOptionError, match=said):
        element_values(Call("mine"), Quantisation("mine", function, on="elements"), grades("2003", PAIRS))


def test_names_are_found_in_any_case_and_stay_in_the_metric_s_name():
    """With their arguments; the default is the generalised function of the scale."""
    assert BUILTIN.resolve("MAep(quant=gen5)").name == "MAep(quant=Gen5)"
    assert BUILTIN.resolve("nxCG(quant=sog)@25").name == "nxCG(quant=SOG)@25"
    assert BUILTIN.resolve("MAep").name == "MAep(quant=gen)"
    assert BUILTIN.resolve("MAep(quant=binexh(min_size=55))").name == "MAep(quant=BinExh(min_size=55))"
    assert BUILTIN.resolve("MAep(quant=BinExh)").name == "MAep(quant=BinExh)"
    assert "too_small=True" in BUILTIN.resolve("MAep(quant=BinExh)").full_name
    assert BUILTIN.resolve("inex2002(step=ceil)").name == "inex2002(quant=gen, step=ceil)"
    with pytest.raises(UnknownNameError, match="no quantisation 'linear'"):
        BUILTIN.resolve("MAep(quant=linear)")
    with pytest.raises(UnknownNameError, match="no quantisation 'SOG'"):
        BUILTIN.resolve("nDCG(gains=SOG)")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("MAep(gains=exponential)", "MAep ranks elements and has no gains="),
        ("nDCG(quant=SOG)", "nDCG ranks documents, so quant="),
        ("HiXP(quant=SOG)", "HiXP ranks elements and has no quant="),
        ("MAep(quant={1:1})", "a table of gains needs levels, and elements have none"),
        ("MAep'", "MAep has no condensed-list variant"),
        ("MAep(quant=Gen5(e=1))", "no parameter of quant=Gen5 'e'"),
        ("MAep(quant=BinExh(min_size=-1))", "min_size must be a whole number, at least 0"),
    ],
)
def test_arguments_that_a_metric_does_not_take_are_refused(name, said):
    """Saying what it ranks."""
    with pytest.raises(InvalidOptionError, match=said):
        BUILTIN.resolve(name)


def test_a_quantisation_of_ones_own(focused_tree):
    """Beside those of the package, also under the name of one for documents."""

    def exhaustive(given, *, least: int = 2):
        """1 from an exhaustivity on."""
        return (given.exhaustivity >= least).astype(float)

    known = BUILTIN.extend(Quantisation("binary", exhaustive, on="elements", scales=("2003",)))
    collection = focused_tree.tree_collection({"run": ["sec4/p2", "sec6"]})
    names = ["nxCG(quant=binary)@2", "nxCG(quant=binary(least=3))@1", "nxCG(quant=binary(least=3))@2"]
    # ideal: the deepest of equally exhaustive elements on each path, then the outermost of those that overlap
    assert metric_values(collection, names, registry=known)[:, 0, 0].tolist() == [0.5, 0.0, 1.0]
    assert known.resolve("nDCG(gains=binary)").name == "nDCG(gains=binary(rel=1))"
    with pytest.raises(InvalidOptionError, match="'SOG' is registered already"):
        BUILTIN.extend(Quantisation("SOG", exhaustive, on="elements"))


def merged_slowly(table, blind_e, blind_s):
    """Merge grades pair by pair: those beside 0 are worth nothing, others have the mean of their class."""

    def classes(blind):
        return {grade: {grade - 1, grade} for grade in (1, 2, 3) if blind == grade} | {0: set()}

    def alike(grade, blind):
        group = next((group for group in classes(blind).values() if grade in group), {grade})
        return set() if 0 in group else group

    found = []
    for e, s in PAIRS:
        cells = [table[one, other] for one in alike(e, blind_e) for other in alike(s, blind_s) if (one, other) in table]
        found.append(sum(cells) / len(cells) if cells else 0)
    return found


@pytest.mark.parametrize("name", ["Gen4", "SOG"])
@pytest.mark.parametrize("blind_e", [0, 1, 2, 3])
@pytest.mark.parametrize("blind_s", [0, 1, 2, 3])
def test_grades_that_are_merged_have_the_mean_of_their_values(name, blind_e, blind_s):
    """Beside 0 they are not relevant; both dimensions at once is the reduced scale 0, 1, 2."""
    table = dict(zip(PAIRS, values(name, grades("2003", PAIRS)), strict=True))
    found = values(name, grades("2003", PAIRS), blind_e=blind_e, blind_s=blind_s)
    assert found == pytest.approx(merged_slowly(table, blind_e, blind_s))


def test_a_pair_that_does_not_occur_takes_no_part_in_a_mean():
    """3S is no pair of 2002: merged, 2S and 3L keep their values."""
    given = grades("2002", [(2, 2), (3, 1), (3, 3), (2, 3)])
    assert values("Gen2", given, blind_e=3) == [0.5, 0.625, 0.875, 0.875]
    assert values("Gen2", given, blind_s=2) == [0.5, 0.75, 1, 0.75]


def test_exhaustivity_of_2005_without_one_difference():
    """The generalised functions give two neighbours the mean of their worth; specificity stays."""
    given = grades("2005", [(TOO_SMALL, 0.5), (1, 0.5), (2, 0.5)])
    assert values("Gen5", given, blind_e=1) == pytest.approx([0.125, 0.125, 0.5])
    assert values("Gen5", given, blind_e=2) == pytest.approx([0, 0.375, 0.375])
    assert values("GenLifted", given, blind_e=1) == pytest.approx([0.25, 0.25, 0.5])
    with pytest.raises(InvalidOptionError, match="blind_e must be a whole number"):
        BUILTIN.resolve("MAep(quant=Gen5(blind_e=3))")


def test_specificity_as_a_step():
    """From a share on it is 1 and below 0; the whole is a matter of characters, not of a quotient."""
    given = grades("2005", [(1, 0.49), (1, 0.5), (2, 0.5), (2, 1.0)], full=[False, False, False, True])
    assert values("Gen5", given, step_s=0.5) == [0, 0.5, 1, 1]
    almost = grades("2005", [(2, 1.0), (2, 1.0)], full=[False, True])
    assert values("Gen5", almost, step_s=1.0) == [0, 1]
    assert values("AtLeast", almost, s=1.0) == values("FullySpec", almost) == [0, 1]


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("AnyRel", {}),
        ("E3S321", {"e": 3}),
        ("E3S32", {"e": 3, "s": 2.0}),
        ("S3E321", {"s": 3.0}),
        ("S3E32", {"e": 2, "s": 3.0}),
        ("Strict4", {"e": 3, "s": 3.0}),
    ],
)
def test_binary_functions_are_thresholds(name, least):
    """Each is a least grade of both dimensions; "?" is below grade 1 and relevant."""
    assert values(name, grades("2003", PAIRS)) == values("AtLeast", grades("2003", PAIRS), **least)
    small = grades("2005", [(TOO_SMALL, 0.5), (1, 0.5)])
    assert values("AtLeast", small) == [1, 1]
    assert values("AtLeast", small, e=1) == [0, 1]
