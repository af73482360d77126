"""What procedures take into account of topics is declared once, and what a test says of itself is so."""

import ast
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from every import TRAITS, with_traits

import metaeval
from metaeval import as_scores
from metaeval.errors import MetaevalError, ScoresError
from metaeval.resampling.system_means import means_of_systems
from metaeval.table.traits import PROCEDURES
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.paired_t import paired_t_test

pytestmark = [
    pytest.mark.usefixtures("one_core"),
    pytest.mark.filterwarnings("ignore::metaeval.errors.MetaevalWarning"),  # so few resamples reach no level
]

SOURCE = Path(metaeval.__file__).parent
N_TOPICS, N_CLUSTERS = 48, 12
VALUES = np.random.default_rng(1).random((2, 4, N_TOPICS)) + np.linspace(0, 0.3, 4)[:, None]
PLAIN = as_scores(VALUES)
NAMES = PLAIN["topic"].to_numpy().tolist()
CLUSTERS = np.random.default_rng(2).permutation(np.arange(N_TOPICS) % N_CLUSTERS)


def test_every_procedure_is_one_that_asks_for_scores():
    """A call of `engine_scores` names a row, or says what a test takes; a row that nobody names is gone."""
    texts = {path: path.read_text("utf-8") for path in SOURCE.rglob("*.py") if path.stem != "traits"}
    assert [name for name in PROCEDURES if not any(f'"{name}"' in text for text in texts.values())] == []
    calls = [
        node
        for text in texts.values()
        if "engine_scores" in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "engine_scores"
    ]
    assert len(calls) > 25
    for call in calls:
        named = call.args[1] if len(call.args) > 1 else None
        assert named is not None or [one for one in call.keywords if one.arg == "uses"], ast.unparse(call)
        if isinstance(named, ast.Constant):
            assert named.value in PROCEDURES


# ---------------------------------------------------------------------------------------------------- the rows of tests


def p_values(scores, test):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = compare_systems(scores, test=test, n_resamples=99, rng=5, correction=TESTS[test].own_correction)
    return result.data["p_value"].to_numpy()


def those_that_take(trait):
    return [name for name, test in TESTS.items() if trait in test.uses]


@pytest.mark.parametrize("test", TESTS)
def test_the_table_tells_the_truth_about_what_a_test_uses(test):
    """A test answers what its row says that it uses, without a NaN, and refuses the rest by its name."""
    for traits in [*((one,) for one in TRAITS), ("clusters", "weights", "gaps"), ("strata", "weights")]:
        scores = with_traits(PLAIN, *traits)
        if {*traits} <= TESTS[test].uses:
            assert np.isfinite(p_values(scores, test)).all(), traits
        else:
            with pytest.raises(MetaevalError, match=rf"the test '{test}'.*use `test='t'` \(or "):
                p_values(scores, test)


@pytest.mark.parametrize("test", TESTS)
def test_a_cluster_for_every_topic_is_none_and_equal_weights_are_none(test):
    """To the bit."""
    alone = with_traits(PLAIN, "clusters", "weights", clusters=NAMES, weights=np.full(N_TOPICS, 3.0))
    assert p_values(alone, test).tobytes() == p_values(PLAIN, test).tobytes()


def test_one_stratum_is_plain():
    """Topics inside one stratum are topics."""
    one = as_scores(PLAIN.assign_coords(stratum=("topic", ["all"] * N_TOPICS)))
    for test in those_that_take("strata"):
        np.testing.assert_allclose(p_values(one, test), p_values(PLAIN, test), rtol=1e-9, err_msg=test)


def test_names_of_clusters_do_not_matter():
    """Renamed clusters give the same draws and the same numbers."""
    renamed = [f"task {37 * one % 101}" for one in CLUSTERS]
    for kind in ("clusters", "strata"):
        one, other = (with_traits(PLAIN, kind, "weights", clusters=own) for own in (CLUSTERS, renamed))
        for test in those_that_take(kind):
            assert p_values(one, test).tobytes() == p_values(other, test).tobytes(), f"{test}, {kind}"


@pytest.mark.parametrize("traits", [("clusters",), ("strata", "weights"), ("clusters", "weights", "gaps")])
def test_the_order_of_topics_does_not_matter(traits):
    """Nor does it where nothing is drawn."""
    scores = with_traits(PLAIN, *traits)
    turned = scores.isel(topic=np.random.default_rng(4).permutation(N_TOPICS))
    np.testing.assert_allclose(p_values(scores, "t"), p_values(turned, "t"), rtol=1e-9)
    for frame in ("mean", "low", "high"):
        np.testing.assert_allclose(means_of_systems(scores)[frame], means_of_systems(turned)[frame], rtol=1e-9)


def test_a_weight_of_two_is_a_topic_twice_for_the_mean():
    """Differences and means are those of scores with such topics doubled; how sure they are is another matter."""
    weights = 1.0 + (np.arange(N_TOPICS) % 2)
    weighted = with_traits(PLAIN, "weights", weights=weights)
    doubled = as_scores(np.repeat(VALUES, weights.astype(int), axis=2))
    for test in those_that_take("weights"):
        one, other = (
            compare_systems(scores, test=test, n_resamples=99, rng=0, correction=TESTS[test].own_correction).data
            for scores in (weighted, doubled)
        )
        np.testing.assert_allclose(one["difference"], other["difference"], rtol=1e-12, err_msg=test)
    np.testing.assert_allclose(means_of_systems(weighted)["mean"], means_of_systems(doubled)["mean"], rtol=1e-12)


def test_gaps_of_others_do_not_matter():
    """A pair that has every topic has the answer that it has without the gaps of a third system."""
    values = VALUES.copy()
    values[:, 3, :20] = np.nan
    gappy = as_scores(values, missing="pairwise")
    for test in those_that_take("gaps"):
        one, other = p_values(gappy, test), p_values(PLAIN, test)
        np.testing.assert_allclose(one[:, [0, 1, 3]], other[:, [0, 1, 3]], rtol=1e-9, err_msg=test)


@pytest.mark.parametrize("test", TESTS)
def test_a_gap_that_nobody_allowed_is_refused(test):
    """Only missing="pairwise" lets gaps stay; NaN in bare numbers is a mistake, and the message names its place."""
    with pytest.raises(MetaevalError, match=r"no score for system 'system1' on topic '3'.*`missing='zero'`.*pairwise"):
        p_values(np.array([[1.0, 2.0, np.nan, 4.0], [2.0, 2.0, 1.0, 0.0]]), test)


def test_a_note_alone_keeps_no_gaps():
    """Words of a note do not make a mistake a decision: only ``missing="pairwise"`` keeps gaps."""
    scores = with_traits(PLAIN, "gaps")
    del scores.attrs["missing"]
    with pytest.raises(ScoresError, match="no score for system"):
        paired_t_test(scores)


def test_the_guide_says_what_a_test_uses(checkout):
    """The table of the page is that of the tests."""
    page = (checkout / "docs" / "choosing-a-test.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|(.*)\|(.*)\|(.*)\|$", page, re.MULTILINE)
    told = {}
    for name, *cells in rows:
        told[name] = {kind for kind, cell in zip(TRAITS, cells, strict=True) if len(cell.strip()) > 1}
    assert told == {name: set(spec.uses) for name, spec in TESTS.items()}
