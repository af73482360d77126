"""Under which metrics lower is better: told, or known by name and noted."""

import json
import re

import pytest


def test_a_direction_that_is_told_is_not_guessed_at_too(command, tmp_path):
    """A metric known for lower values is noted once; where somebody says otherwise, there is nothing to note."""
    (tmp_path / "wer.csv").write_text("topic,a,b\n1,.3,.4\n2,.5,.2\n3,.3,.1\n4,.3,.2\n")
    guessed = command("table", "wer.csv", "--quiet").out
    assert "Lower is better under wer, by name" in guessed
    (option,) = re.findall(r"pass (--\S+ \S+) if it is not", guessed)
    assert option == "--higher-is-better wer"
    told = command("table", "wer.csv", "--quiet", *option.split()).out
    assert "by name" not in told
    assert "wer ↓" in guessed
    assert "wer ↓" not in told


@pytest.mark.parametrize("key", ["failed", "wrong", "incorrect", "timed_out"])
def test_who_fails_less_is_better(command, tmp_path, key):
    """Of two models one fails two items of three, the other none: a key that says what went wrong falls."""
    failed = {("a", 1): True, ("a", 2): True, ("a", 3): False, ("b", 1): False, ("b", 2): False, ("b", 3): False}
    lines = [json.dumps({"model": model, "task_id": f"t{item}", key: bad}) for (model, item), bad in failed.items()]
    (tmp_path / "runs.jsonl").write_text("\n".join(lines))
    answer = command("table", tmp_path / "runs.jsonl", "--json").json()
    assert [row["system"] for row in answer["results"]] == ["b", "a"]  # best first
    assert any("ower is better under" in note for note in answer["notes"])
