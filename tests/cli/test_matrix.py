"""Lines of nonsense, a short sample; the long run is `python benchmarks/nonsense_commands.py`."""

import pytest

pytestmark = pytest.mark.usefixtures("one_core")


@pytest.mark.filterwarnings("default")
def test_every_line_works_before_nonsense_is_added(nonsense, tmp_path, monkeypatch):
    """A line that is refused for its own options would hide what the nonsense does.

    Those with an answer in JSON are run by test_json.py.
    """
    monkeypatch.chdir(tmp_path)
    assert set(nonsense.FAST) == set(nonsense.commands())
    for name, words in nonsense.FAST.items():
        if name.startswith("simulate"):
            ended = nonsense.run_here([*name.split(), *words.replace("NEW", f"new-{name.split()[1]}").split()])
            assert (ended.code, ended.trouble) == (0, ""), name


@pytest.mark.filterwarnings("default")
def test_nonsense_ends_with_a_documented_code_and_a_word(nonsense):
    """No traceback, no other exit code, none without a message, and none that takes long."""
    counts = nonsense.run_all(60, 1, 2)
    troubles = [(line.words, line.trouble) for count in counts.values() for line in count.troubles]
    assert troubles == []
    assert sum(sum(count.codes.values()) for count in counts.values()) == 61


def test_every_option_has_its_turn(nonsense):
    """The options are found by looking at the commands: in as many lines as there are, each is given once at least."""
    options = {(name, option.opts[0]) for name, command in nonsense.commands().items() for option in command.params}
    assert len(options) > 200
    lines = list(nonsense.make_lines(2 * len(options), 0))
    for name, option in options:
        own = [line for line in lines if " ".join(line).startswith(name)]
        if option.startswith("--") and option != "--help":
            assert any(
                word.split("=")[0] in {option, "-o", "-q"} or word.startswith("--no-") for line in own for word in line
            )


def test_the_report_keeps_what_others_wrote(nonsense, tmp_path, monkeypatch):
    """A run replaces its own section and no other."""
    page = tmp_path / "robustness.md"
    monkeypatch.setattr(nonsense, "REPORT", page)
    nonsense.write_section("first")
    assert page.read_text().startswith("# Robustness\n")
    page.write_text(page.read_text() + "\n<!-- readers -->\nkept\n<!-- /readers -->\n")
    counts = {kind: nonsense.Count() for kind in ("in one process", "as processes")}
    counts["in one process"].add(nonsense.Line(["power"], code=2, seconds=0.5))
    nonsense.write_section(nonsense.report(counts, 0, 60))
    text = page.read_text()
    assert "kept" in text
    assert "first" not in text
    assert "| in one process | 1 | 0.5 s |" in text
