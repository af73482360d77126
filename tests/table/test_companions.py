"""Columns beside those of systems that hold something else of each are no systems, whatever they are called."""

import numpy as np
import pandas as pd
import pytest

from metaeval import as_scores, read_scores
from metaeval.errors import MetaevalError
from metaeval.table.companions import companions

GENERATOR = np.random.default_rng(3)
SYSTEMS = ["bm25", "lm", "dpr"]
SCORES = pd.DataFrame(GENERATOR.beta(1.5, 4, (40, 3)).round(4), columns=SYSTEMS)
SCORES += GENERATOR.beta(2, 9, (40, 1)).round(4)
SCORES = (SCORES / 2).round(4)
RANKS = SCORES.rank(axis=1, ascending=False)
RELATIVE = (100 * (SCORES.div(SCORES.bm25, axis=0) - 1)).round(1)
COUNTS = pd.DataFrame(GENERATOR.integers(0, 1000, (40, 3)), columns=SYSTEMS)
TIMES = pd.DataFrame(GENERATOR.gamma(2, 20, (40, 3)).round(1), columns=SYSTEMS)
COSTS = pd.DataFrame(GENERATOR.gamma(2, 0.01, (40, 3)).round(4), columns=SYSTEMS)
Z = SCORES.sub(SCORES.mean(axis=1), axis=0).div(SCORES.std(axis=1), axis=0).round(3)
LEFT_OUT = {
    " Rang": RANKS,
    "_Platz": RANKS,
    "_puesto": RANKS,
    " zzz": RANKS,
    "_temps": TIMES,
    " time": TIMES,
    " #docs": COUNTS,
    " n": COUNTS,
    "_change": RELATIVE,
    " gain %": RELATIVE.drop(columns="bm25"),
    " / bm25": SCORES.div(SCORES.bm25, axis=0).drop(columns="bm25").round(3),
}
ASKED = {
    " hits": COUNTS,
    " Treffer": COUNTS,
    " rel_ret": COUNTS,
    " (rel.)": RELATIVE.drop(columns="bm25"),
    " z": Z,
    " (%)": (100 * SCORES).round(1),
    "_coste": COSTS,
    "_std": COSTS.add([0.01, 0.01, 0.5]),
}


def beside(mark, numbers, *, ahead=False):
    """Return the scores with other columns of the systems, called as these and a mark."""
    mark = mark.strip() + " " if ahead else mark
    more = numbers.rename(columns=lambda name: mark + name if ahead else name + mark)
    return pd.concat([SCORES, more], axis=1).set_axis([f"q{number}" for number in range(40)]).rename_axis("topic")


def means(scores):
    """Return the mean of every system."""
    return scores.mean("topic").to_series().groupby("system").first().to_dict()


@pytest.mark.parametrize("ahead", [False, True])
@pytest.mark.parametrize("mark", LEFT_OUT)
def test_what_a_mark_says_of_each_system_is_left_out(mark, ahead, tmp_path):
    """Ranks, costs, counts and changes beside scores are named, and no systems: in a file and in memory."""
    frame = beside(mark, LEFT_OUT[mark], ahead=ahead and mark != " / bm25")
    path = tmp_path / "x.csv"
    frame.to_csv(path)
    for scores in (read_scores(path), as_scores(frame)):
        assert means(scores) == pytest.approx(SCORES.mean().to_dict())
        assert all(repr(name) in " ".join(scores.attrs["notes"]) for name in frame.columns[3:])


@pytest.mark.parametrize("mark", ASKED)
def test_what_no_word_says_of_each_system_is_asked_about(mark, tmp_path):
    """Columns of an unknown word are asked about all together, and what the message says leaves them out."""
    frame = beside(mark, ASKED[mark])
    path = tmp_path / "x.csv"
    frame.to_csv(path)
    with pytest.raises(MetaevalError, match="seem to be no score") as caught:
        read_scores(path)
    assert str(frame.columns[3:].tolist()) in str(caught.value)
    assert means(read_scores(path, columns={"ignore": frame.columns[3:].tolist()})) == pytest.approx(
        SCORES.mean().to_dict()
    )
    with pytest.raises(MetaevalError, match="seem to be no score"):
        as_scores(frame)


@pytest.mark.parametrize("mark", ["+rm3", "_v2", "-large", "_best", " ensemble", "_mean", "+bm25", " (long context)"])
def test_variants_of_systems_are_systems(mark, tmp_path):
    """Of run and run_v2 both have scores."""
    frame = beside(mark, (SCORES[[*SYSTEMS[::-1]]].set_axis(SYSTEMS, axis=1) * 0.9).round(4))
    frame.to_csv(tmp_path / "x.csv")
    assert set(read_scores(tmp_path / "x.csv").system.to_numpy()) == {*frame.columns}


def test_whole_numbers_beside_whole_numbers_may_be_scores():
    """Hits of runs and of their variants are scores of both."""
    values = np.hstack([COUNTS.to_numpy(), COUNTS.to_numpy()[::-1]])
    (group,) = companions([*SYSTEMS, *(f"{name}+x" for name in SYSTEMS)], values)
    assert not group.unlike
    assert not group.role
