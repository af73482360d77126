"""Under which metrics lower is better: told, or known by name and noted."""

import re


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
