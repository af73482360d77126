"""Small collections of every kind, through each command that reads runs: an answer, or why there is none."""

import sys
from contextlib import chdir

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from metaeval.io.trec import read_collection
from metaeval.metrics import score

pytestmark = pytest.mark.usefixtures("one_core")
RUNS = ("runs", "--qrels", "qrels.txt", "--quiet")
COMMANDS = {
    "score": "",
    "table": "--json",
    "power": "--resamples 20 --json",
    "leaderboard": "--resamples 20 --json",
    "design": "--json",
    "topics": "--trials 3 --interval-resamples 2 --no-bayes --tolerances 0 --json",
    "agree": "--resamples 20 --interval-resamples 2 --json",
    "compare-metrics": "--resamples 20 --interval-resamples 2 --no-topics --json",
    "compare-tests": "--resamples 20 --splits 2 --json",
    "components": "--splits 2 --json",
    "judgments": "--replicates 2 --resamples 20 --json",
    "report": "--resamples 20 --interval-resamples 0 --no-topics --out new --overwrite",
}
"""What keeps each command quick."""
KINDS = ("any", "ties", "gaps", "alike", "nothing relevant", "shifted")
METRICS = ("AP,P@3", "AP,RR", "nDCG@3,INST(T=1)", "AP")
SHIFTED_TWICE = 14
DOCUMENTS = [f"d{number}" for number in range(8)]


def write_collection(folder, kind, rng):
    """Write a few runs and judgments; `shifted` is a run everywhere as much better than another."""
    topics = [f"t{number}" for number in range(rng.integers(2, 6))]
    part = lambda: rng.permutation(DOCUMENTS)[: rng.integers(1, 8)]  # noqa: E731 - drawn again and again
    judged = {topic: part() for topic in topics}
    grades = lambda n: np.zeros(n, int) if kind == "nothing relevant" else np.maximum(rng.integers(-1, 3, n), 0)  # noqa: E731
    lines = [
        f"{topic} 0 {d} {g}" for topic in topics for d, g in zip(judged[topic], grades(len(judged[topic])), strict=True)
    ]
    if kind == "shifted":
        lines = [f"{topic} 0 {d} {grade}" for topic in topics for grade, d in enumerate(DOCUMENTS[:3])]
    (folder / "qrels.txt").write_text("\n".join(lines) + "\n")
    (folder / "runs").mkdir()
    first = {topic: part() for topic in topics}
    for number in range(rng.integers(2, 5)):
        listed = {topic: first[topic] if kind == "alike" and rng.random() < 0.8 else part() for topic in topics}
        if kind == "shifted":
            listed = dict.fromkeys(topics, first[topics[0]][number:])
        lines = [
            f"{topic} Q0 {d} {rank} {1 if kind == 'ties' and rng.random() < 0.5 else 10 - rank} s{number}"
            for topic, documents in listed.items()
            for rank, d in enumerate(documents, start=1)
            if kind != "gaps" or topic == topics[0] or rng.random() < 0.7
        ]
        (folder / "runs" / f"s{number}").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("name", COMMANDS)
@settings(
    max_examples=max(settings().max_examples // 20, 1), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@example(seed=SHIFTED_TWICE, kind="shifted", missing=False)
@given(seed=st.integers(0, 10**6), kind=st.sampled_from(KINDS), missing=st.booleans())
def test_every_small_collection_is_answered(nonsense, tmp_path_factory, monkeypatch, *, name, seed, kind, missing):
    """Two to five topics, ties, gaps, constant differences, nothing relevant: no traceback from any command.

    With METAEVAL_EXAMPLES=1700 every command has 85, a thousand together.
    """
    rng, folder = np.random.default_rng(seed), tmp_path_factory.mktemp("small")
    write_collection(folder, kind, rng)
    monkeypatch.setattr(sys, "argv", sys.argv)
    more = ["--missing", "zero"] if missing else []
    words = [name, *RUNS, "--metrics", str(rng.choice(METRICS)), *COMMANDS[name].split(), *more]
    with chdir(folder):
        assert nonsense.run_here(words).trouble == "", words


def test_the_example_has_two_topics_and_a_constant_difference(tmp_path):
    """Of which a variance of nothing once overflowed."""
    write_collection(tmp_path, "shifted", np.random.default_rng(SHIFTED_TWICE))
    lines = [line.split() for line in (tmp_path / "runs" / "s0").read_text().splitlines()]
    assert {line[0] for line in lines} == {"t0", "t1"}
    scores = score(read_collection([tmp_path / "runs"], tmp_path / "qrels.txt"), ["P@3"]).to_numpy()[0]
    assert np.ptp(scores[0] - scores[1]) == 0.0
    assert scores[0, 0] != scores[1, 0]
