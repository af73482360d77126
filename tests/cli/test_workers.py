"""A law over all commands: who is offered workers has work for them, and the answer is the same whoever works."""

import pytest
import typer

from metaeval.cli import app
from metaeval.models import hierarchical_model
from metaeval.running import workers
from metaeval.simulate.collection import simulate_collection

RUNS = "made/runs --qrels made/qrels.txt --metrics AP,P@10"
REPEATING = {
    "report": "wide.csv --interval-resamples 3 --out NEW --json",
    "power": "scores.csv again.csv --bayesian pymc --rope 0.01 --json",
    "topics": "wide.csv --trials 3 --interval-resamples 2 --tolerances 0 --json",
    "agree": "scores.csv other.csv --cluster-file pairs.csv --interval-resamples 3 --json",
    "compare-metrics": f"{RUNS} --test wilcoxon --resamples 40 --interval-resamples 3 --no-topics --json",
    "compare-tests": "scores.csv --resamples 40 --splits 3 --json",
    "judgments": f"{RUNS} --groups made/groups.csv --pooled-column pooled --replicates 2 --tested 1 --steps 50 --json",
    "human": "human.csv --reference human --resamples 20 --json",
}
"""A line of every command that takes workers, in which it repeats work."""


def _commands(group, above=()):
    for name, one in group.commands.items():
        words = (*above, name)
        yield from _commands(one, words) if hasattr(one, "commands") else [(" ".join(words), one)]


COMMANDS = dict(_commands(typer.main.get_command(app)))


@pytest.fixture
def world(nonsense, tmp_path):
    """Make the inputs of those lines."""
    nonsense.make_world(tmp_path)
    made = simulate_collection(n_groups=3, runs_per_group=2, n_topics=8, n_documents=80, depth=20, pool_depth=5, rng=1)
    made.write_collection(tmp_path / "campaign")
    (tmp_path / "made").rename(tmp_path / "small")
    (tmp_path / "campaign").rename(tmp_path / "made")
    lines = (tmp_path / "scores.csv").read_text().splitlines()
    (tmp_path / "pairs.csv").write_text("topic,cluster\n" + "".join(f"{one},{max(one, 3)}\n" for one in range(1, 13)))
    (tmp_path / "again.csv").write_text((tmp_path / "scores.csv").read_text())
    (tmp_path / "wide.csv").write_text("\n".join([lines[0], *lines[1:] * 2]) + "\n")
    return tmp_path


@pytest.fixture
def joined(monkeypatch):
    """Let workers do their pieces here, last first, and say what they did."""
    done = []

    def here(function, pieces, shared, who, **_):
        assert who.n_workers == 2
        for place, task in reversed(list(pieces)):
            done.append(function)
            yield place, function(*task, *shared), []

    monkeypatch.setattr(workers, "_joined", here)
    return done


@pytest.fixture
def sampled_once(monkeypatch):
    """Let a model be sampled once for the same scores and seed: compiling it takes seconds."""
    sample, known = hierarchical_model._sampled, {}

    def once(scores, seed):
        key = (scores["metric"].item(), scores.to_numpy().tobytes(), seed)
        if key not in known:
            known[key] = sample(scores, seed)
        return known[key]

    monkeypatch.setattr(hierarchical_model, "_sampled", once)


def test_workers_are_offered_where_work_is_repeated():
    """By these commands and no other; both options stand in one place of the help."""
    offered = {name for name, one in COMMANDS.items() if any(option.name == "workers" for option in one.params)}
    assert offered == {*REPEATING}
    for name in offered:
        names = [option.name for option in COMMANDS[name].params]
        assert names[names.index("workers") + 1] == "dask"


@pytest.mark.usefixtures("world", "sampled_once")
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", REPEATING)
def test_workers_change_nothing_and_have_something_to_do(name, command, joined):
    """In whatever order the pieces are done."""
    line = [name, *REPEATING[name].replace("NEW", "new").split()]
    alone = command(*line).json()
    assert not joined
    together = command(*line, "--workers", 2, *["--overwrite"] * (name == "report"))
    assert joined, "no piece of work was shared"
    for answer in (alone, together := together.json()):
        answer["tables"].pop("provenance")
        _forget(answer)
    assert together == alone


def _forget(answer):
    """Take out of an answer what says how it was asked for, and when."""
    if isinstance(answer, dict):
        for key in ("options", "command_line", "created"):
            answer.pop(key, None)
        for value in answer.values():
            _forget(value)
    elif isinstance(answer, list):
        for value in answer:
            _forget(value)


@pytest.mark.usefixtures("world")
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in {*REPEATING, "doctor"}])  # it tries them
def test_who_is_not_offered_workers_has_none_to_use(name, nonsense, command, monkeypatch):
    """No other command hands pieces out, so none is left without the option."""
    monkeypatch.setattr(workers, "finished_tasks", lambda *_, **__: pytest.fail(f"{name} repeats work"))
    words = nonsense.FAST[name].replace("NEW", "new").replace("made/", "small/")
    assert command(*name.split(), *words.split()).code == 0


SLIPS = {
    "none": (("--workers", 0), "--workers must be 1 or more"),
    "both": (("--workers", 2, "--dask", "tcp://127.0.0.1:8786"), "--workers and --dask exclude each other"),
    "no port": (("--dask", "tcp://127.0.0.1"), "tcp://127.0.0.1:8786"),
    "no scheme": (("--dask", "127.0.0.1:8786"), "tcp://127.0.0.1:8786"),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_slips(slip, table, command):
    """They are usage errors that say what would do."""
    options, words = SLIPS[slip]
    ended = command("compare-tests", *table, *options)
    assert ended.code == 2
    assert words in ended.err


def test_the_extra_and_the_cluster_are_asked_for_before_anything_is_read(table, command, monkeypatch):
    """Without the package a message says what to install."""
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    ended = command("compare-tests", *table, "--dask", "tcp://127.0.0.1:8786")
    assert ended.code == 2
    assert "pip install 'metaeval[dask]'" in ended.err
    assert "Reading" not in ended.err
