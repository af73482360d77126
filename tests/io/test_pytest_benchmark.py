"""Times of pytest-benchmark are a board of means with errors over rounds, of which less is better."""

import json

import pytest

from metaeval.io.means import MeansAloneError
from metaeval.io.tables import read_scores


@pytest.mark.parametrize(
    ("names", "systems", "metrics"),
    [
        (["test_json[fast]", "test_json[slow]"], ("fast", "slow"), ("duration",)),
        (["test_fast", "test_slow"], ("test_fast", "test_slow"), ("duration",)),
        (
            ["test_json[fast]", "test_json[slow]", "test_csv[fast]", "test_csv[slow]"],
            ("fast", "slow"),
            ("test_json duration", "test_csv duration"),
        ),
    ],
)
def test_times_have_errors_over_their_rounds(tmp_path, names, systems, metrics):
    """Standard deviations of 0.5 over 25 rounds and of 0.4 over 16 are errors of 0.1."""
    stats = ({"mean": 1.0, "stddev": 0.5, "rounds": 25}, {"mean": 3.0, "stddev": 0.4, "rounds": 16})
    timed = [{"name": name, "stats": stats[at % 2]} for at, name in enumerate(names)]
    path = tmp_path / "b.json"
    path.write_text(json.dumps({"machine_info": {}, "benchmarks": timed}))
    with pytest.raises(MeansAloneError) as raised:
        read_scores(path)
    board = raised.value.board
    assert (board.systems, board.metrics) == (systems, metrics)
    assert board.means.tolist() == [[1.0, 3.0]] * len(metrics)
    assert board.errors == pytest.approx(0.1)
    assert board.n.tolist() == [[25, 16]] * len(metrics)
    assert not board.higher_is_better.any()
