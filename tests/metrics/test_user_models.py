"""User models: the numbers of cwl_eval, printed and kept, and the scale of gains."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.special import polygamma

from metaeval.collection.assembly import collection_from_rankings
from metaeval.errors import InvalidOptionError, MetaevalError
from metaeval.io.trec import read_collection
from metaeval.metrics import BUILTIN, expectations, metric_values
from metaeval.metrics.user_models import _steps, _trigamma, trigammas

KEPT = json.loads((Path(__file__).parents[1] / "reference" / "cwl_eval.json").read_text("utf-8"))


def test_printed_values_of_cwl_eval(data_folder, one_core):  # noqa: ARG001 - asked for, so that it holds
    """Seventeen user models of ir_measures' own tests, to the four digits printed, under the names used there."""
    folder = data_folder / "user-models"
    printed = json.loads((folder / "expected.json").read_text("utf-8"))["cwl"]
    collection = read_collection(folder / "cwl.run", folder / "cwl.qrels")
    values = metric_values(collection, [*printed])[:, 0]
    assert len(values) == len(printed) == 18
    assert np.abs(values - np.array([*printed.values()])).max() < 5.1e-5


@pytest.mark.parametrize("top", [1, 2, 4])
def test_kept_values_of_cwl_eval(top, one_core):  # noqa: ARG001 - as above
    """Rate, documents and residual of rankings drawn at random equal those of cwl_eval 1.0.12."""
    lists = [(levels, values) for one, levels, values in KEPT["lists"] if one == top]
    rankings = {str(place): [f"d{rank}" for rank in range(len(levels))] for place, (levels, _) in enumerate(lists)}
    qrels = {
        str(place): {f"d{rank}": int(level) for rank, level in enumerate(levels) if level != "."} | {"top": top}
        for place, (levels, _) in enumerate(lists)
    }
    collection = collection_from_rankings({"run": rankings}, qrels)
    expected = np.array([values for _, values in lists]).transpose(1, 2, 0)
    found = expectations(collection, KEPT["measures"])
    for place, part in enumerate((found.rate, found.documents, found.residual)):
        assert part[:, 0] == pytest.approx(expected[:, place], abs=1e-9, rel=1e-9)
    assert metric_values(collection, KEPT["measures"])[:, 0] == pytest.approx(expected[:, 0], abs=1e-9)


@pytest.mark.parametrize("name", ["INST(T=0.7)", "INST(T=3)@2000", "INSQ(T=0.7)", "NERR11"])
def test_long_lists_are_walked_as_rank_by_rank(name, one_core):  # noqa: ARG001 - as above
    """The fast kernel sums over stretches without gain, also where gains are no multiples of one number."""
    generator = np.random.default_rng(3)
    documents = [f"d{rank}" for rank in range(1500)]
    drawn = np.where(generator.random((3, 1500)) < 0.05, generator.random((3, 1500)), 0)
    qrels = {str(topic): dict(zip(documents, row.tolist(), strict=True)) for topic, row in enumerate(drawn)}
    for collection in (
        collection_from_rankings({"run": dict.fromkeys(qrels, documents)}, qrels),
        collection_from_rankings(
            {"run": dict.fromkeys(qrels, documents)},
            {"1": dict(zip(documents[::7], [1, 0, 3] * 71 + [0, 2], strict=True))},
        ),
    ):
        assert metric_values(collection, [name]) == pytest.approx(expectations(collection, [name]).rate, abs=1e-12)


def test_gains_are_shares_of_the_top_level(values_of):
    """As under RBP: max_level, or max_rel as ir_measures has it, sets the scale, and nothing may lie above it."""
    qrels = {"d1": 2, "d2": 1}
    names = ["NERR8@1", "NERR8(max_rel=4, min_rel=0)@1", "BPM(gains={1:3, 2:1}, max_level=1)@1"]
    assert values_of(["d1", "d2"], qrels, names[:2]) == pytest.approx([1, 0.5])
    with pytest.raises(InvalidOptionError, match="max_level=1 must be at least 2"):
        values_of(["d1"], qrels, ["NERR8(max_level=1)@1"])
    with pytest.raises(InvalidOptionError, match=r"no level may have more: gains=.* gives it 1"):
        values_of(["d1"], qrels, [names[2].replace(", max_level=1", "")])
    assert BUILTIN.resolve("INST(max_rel=3)").name == "INST(max_level=3)"


def test_steps_of_gains():
    """The smallest number that makes all gains whole, if it is small."""
    assert _steps(np.array([0, 1 / 3, 1])) == 3
    assert _steps(np.array([0, 0.123456, 1])) == 0


@pytest.mark.parametrize(
    ("name", "going_on"),
    [
        ("INSQ", lambda i, _, __: ((i + 1) / (i + 2)) ** 2),
        ("INST", lambda i, _, total: ((i + 1 - total) / (i + 2 - total)) ** 2),
        ("NERR10", lambda _, gain, __: 0.9 * (1 - gain)),
        ("NERR11", lambda i, gain, _: (1 - gain) * ((i + 1) / (i + 2)) ** 2),
    ],
)
def test_a_list_without_a_cut_off_ends_at_rank_1000(values_of, name, going_on):
    """With a target of one document, or a persistence of .9: what is at rank 1000 counts, what is below does not."""
    grades = {rank: 1 + rank % 2 for rank in (3, 10, 11, 999, 1000, 1001, 1003)}
    reach, total, gained, looked_at = 1.0, 0.0, 0.0, 0.0
    for rank in range(1, 1001):
        gain = grades.get(rank, 0) / 2
        gained, looked_at, total = gained + reach * gain, looked_at + reach, total + gain
        reach *= going_on(rank, gain, total)
    found = values_of(
        [f"d{rank}" for rank in range(1, 1006)], {f"d{rank}": grade for rank, grade in grades.items()}, [name]
    )
    assert found == pytest.approx([gained / looked_at], rel=1e-9)


@pytest.mark.parametrize("x", [0.05, 0.5, 1.0, 9.999, 10.0, 37.25, 2000.0])
def test_the_trigamma_function_is_that_of_scipy(x):
    """Below 10 by recurrence, above by its series, to the last digits."""
    assert _trigamma(x) == pytest.approx(float(polygamma(1, x)), rel=1e-14)


def test_the_table_of_trigammas_goes_down_to_the_depth():
    """From twice the target on in steps, the last at the depth and one document more."""
    table = trigammas(0.75, 4, 10)
    assert table == pytest.approx(polygamma(1, 1.5 + np.arange(4 * 11 + 1) / 4), rel=1e-13)


def test_gains_are_whole_steps_up_to_64_of_them():
    """Of 64ths, not of 65ths; where no document has a gain one step does."""
    assert _steps(np.array([0, 1 / 64, 1])) == 64
    assert _steps(np.array([0, 1 / 65, 1])) == 0
    assert _steps(np.array([0.0, 0.0])) == 1
    assert _steps(np.array([0, 1 / 4, 1 / 6, 1])) == 12


@pytest.mark.parametrize(
    ("allowed", "refused"),
    [
        ("INST(T=0.25)", "INST(T=0.249)"),
        ("INST(T=1e6)", "INST(T=inf)"),
        ("INSQ(T=0.001)", "INSQ(T=0)"),
        ("BPM(T=0.001)@2", "BPM(T=0)@2"),
        ("NERR11(T=0.1)", "NERR11(T=-1)"),
        ("NERR10(p=0.999)", "NERR10(p=1)"),
        ("NERR10(p=0.001)", "NERR10(p=0)"),
    ],
)
def test_parameters_have_limits(values_of, allowed, refused):
    """Within them every value is a share."""
    (value,) = values_of(["d1", "x", "d2"], {"d1": 1, "d2": 1}, [allowed])
    assert 0 < value <= 1
    with pytest.raises(MetaevalError, match="must be"):
        values_of(["d1"], {"d1": 1}, [refused])


def test_a_target_is_reached_by_gains_that_add_up_to_it(values_of):
    """Three thirds are one document, and the reader stops there; with less to be found they see all that there is."""
    qrels = {"d1": 1, "d2": 1, "d3": 1, "top": 3}
    assert values_of(["d1", "d2", "d3", "top"], qrels, ["BPM(T=1)@9"]) == pytest.approx([1 / 3])
    assert values_of(["d1", "d2", "x", "y"], qrels, ["BPM(T=1)@9", "BPM(T=1)@2"]) == pytest.approx([2 / 27, 1 / 3])
    assert values_of(["x", "top"], qrels, ["BPM(T=1)@2", "BPM(T=1)@1"]) == pytest.approx([0.5, 0.0])


def test_where_no_level_has_a_gain_nothing_is_gained(values_of):
    """No document is better than another, and a rate is 0."""
    names = [
        "BPM(gains={1:0, 2:0})@2",
        "SDCG(gains={1:0, 2:0})@2",
        "INST(gains={1:0, 2:0})",
        "NERR8(gains={1:0, 2:0})@2",
    ]
    assert values_of(["d1", "d2"], {"d1": 1, "d2": 2}, names) == pytest.approx([0.0] * 4)
