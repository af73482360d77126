"""User models: the numbers of cwl_eval, printed and kept, and the scale of gains."""

import json
from pathlib import Path

import numpy as np
import pytest

from metaeval.collection.assembly import collection_from_rankings
from metaeval.errors import InvalidOptionError
from metaeval.io.trec import read_collection
from metaeval.metrics import BUILTIN, expectations, metric_values
from metaeval.metrics.user_models import _steps

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
