"""A long table with several columns of scores, of which one is called score."""

import pytest

from metaeval.inex.judges import read_judges
from metaeval.io.tables import read_scores

SYSTEMS, TOPICS = ("hen", "ewe", "frog"), ("1001", "1002", "1003", "1004")
KEYWORDS = {"hen": [1, 0, 1, 1], "ewe": [1, 1, 1, 0], "frog": [0, 1, 1, 1]}
SCORE = {"hen": [0.5, 0.25, 1, 0], "ewe": [0, 0.75, 1, 0.5], "frog": [0.25, 0.5, 0, 1]}


def written(path, **columns):
    """Write a table of a row a system and topic with further columns: a list by system, or one text for all."""
    rows = [["run", "topic", *columns]]
    for system in SYSTEMS:
        for at, topic in enumerate(TOPICS):
            cells = [own if isinstance(own, str) else f"{own[system][at]}" for own in columns.values()]
            rows.append([system, topic, *cells])
    path.write_text("".join(",".join(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("name", ["SCORE", "score", "Score"])
def test_a_metric_is_not_lost_because_another_is_called_score(tmp_path, name):
    """Both are metrics: 3 of 4 answers of hen hold the keywords, and its score is 1.75 / 4."""
    found = read_scores(written(tmp_path / "measures.csv", HAS_KEYWORDS=KEYWORDS, **{name: SCORE}))
    means = found.mean("topic").sel(system="hen").to_series().to_dict()
    assert means == {"HAS_KEYWORDS": 0.75, name: 0.4375}


def test_what_is_no_share_or_never_differs_is_no_metric_beside_a_score(tmp_path):
    """The one turn of each answer, and numbers beyond those of shares."""
    counts = {system: [3, 7, 2, 9] for system in SYSTEMS}
    for name, own in (("turn", "1"), ("sentences", counts)):
        path = written(tmp_path / "measures.csv", **{name: own, "score": SCORE})
        assert read_scores(path).sizes["metric"] == 1


def test_judges_are_no_metrics_of_which_less_could_be_better(tmp_path):
    """Each judge is a column of scores of systems on topics; of the same columns as metrics it is said."""
    ann, ben = ({system: [1, 2, 3, at] for at, system in enumerate(SYSTEMS)} for _ in range(2))
    path = written(tmp_path / "people.csv", Anna=ann, Ben=ben | {"hen": [3, 2, 1, 1]})
    unsaid = "higher is taken to be better under Anna, Ben, of which no name says so"
    assert any(unsaid in note for note in read_scores(path).attrs["notes"])
    judged = read_judges(path).scores
    assert judged is not None
    notes = [note for of_metric in judged.values() for scores in of_metric.values() for note in scores.attrs["notes"]]
    assert not any("higher" in note for note in notes)
