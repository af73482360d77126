"""A law over all commands: each loads, is listed as it introduces itself, and means by an option what others mean."""

import ast
import inspect
from collections import defaultdict
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import typer

from metaeval import studies
from metaeval.base.notes import Remark
from metaeval.cli import app, options, reading
from metaeval.cli.command import FORMS
from metaeval.cli.command import command as made_command
from metaeval.cli.commands import COMMANDS
from metaeval.cli.option import arguments_of
from metaeval.cli.options import CHOOSING, COLUMNS, OUTPUT, WORKING
from metaeval.page.blocks import Methods, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import Column, Table
from metaeval.questions.power import command as power

GROUP = typer.main.get_command(app)
SIMULATING = "simulate"
"""Its commands write data and answer nothing: their options are sizes, and are compared among themselves."""

OWN = {
    "--alpha": {"agree": "answers several levels side by side"},
    "--alternative": {
        "agree": "asks in which direction a pair differs, unless told otherwise",
        "compare-tests": "one-sided in the direction of the better mean, as in the paper",
    },
    "--duplicates": {"votes": "rows that repeat another may be votes of their own, unless told otherwise"},
    "--word": {"votes": "of the winner of a vote, not of a grade"},
    "--expect": {"human": "of the systems of a table, not of the six runs"},
    "--correction": {
        "agree": "one correction is enough of an answer",
        "combine": "one correction, by default that of the study asked",
        "compare-tests": "every correction is a section of its own, so the milder one is left out",
        "judges": "one correction, over pairs of runs",
        "human": "one correction, over pairs of systems and of metrics",
        "judgments": "one correction, by default the test's own",
        "table": "over the pairs with a baseline, or all; by default the test's own",
        "stop": "of evidence that holds at every look",
    },
    "--baseline": {
        "agree": "what effects of an experiment and its replica are over",
        "leaderboard": "one or several",
    },
    "--bayesian": {"combine": "a prior of how far collections differ, or none"},
    "--by": {"stop": "what of votes comes by itself, not what errors are clustered by"},
    "--cost": {
        "assessment": "the log says it, unless told otherwise",
        "components": "of items, runs and judgments, in any currency",
    },
    "--pool-sizes": {"assessment": "pools of elements too, compared with new runs"},
    "--groups": {
        "simulate collection": "makes groups of runs, always",
    },
    "--interval-resamples": {
        "combine": "behind every variance, never left out",
        "compare-metrics": "intervals of every part",
        "power": "intervals on request",
        "topics": "behind every interval, more where the model needs them",
    },
    "--splits": {"components": "halves that check what is expected, and fewer are enough"},
    "--metrics": {
        "combine": "of tables alone, and those that collections share",
        "check-metric": "how metrics of the files are written",
        "judges": "scores runs under every assessor, by a few metrics",
        "human": "columns of a table",
        "reliability": "measures of elements alone",
    },
    "--rounds": {"judgments": "of runs of documents too, whose next result is their next document"},
    "--missing": {"judges": "of scores under judges, which are compared on all their topics"},
    "--out": {"report": "always writes a report"},
    "--qrels": {
        "judgments": "always about runs",
        "score": "always about runs",
        "votes": "of documents alone, and rankings are the exception",
    },
    "--pair": {"combine": "the claim itself, and not what a variance comes from"},
    "--reference": {"combine": "of one of its studies alone", "human": "a column, and needed"},
    "--system-column": {"human": "of rows of items, beside the columns of metrics"},
    "--item-column": {"human": "as above"},
    "--cluster-column": {"human": "of rows of items, a single level"},
    "--resamples": {
        "agree": "counts exchanges by default",
        "judges": "of topics, not of a test alone",
        "compare-metrics": "of the bootstrap alone",
        "compare-tests": "as many as in the paper, for corrected levels",
        "human": "of items, and exchanges of metrics",
        "leaderboard": "of items, for ranks and not for a test",
    },
    "--runs": {"assessment": "files that were pooled", "judges": "files to score"},
    "--margin": {"agree": "how far off a replica may be, no agreement of judges"},
    "--top": {
        "judges": "a ranking of so many by itself",
        "judgments": "correlations among so many runs",
        "leaderboard": "chance to be among them",
        "votes": "chance to be among them",
        "table": "rows, and all by default",
    },
    "--systems": {"simulate inex": "a campaign is larger than a table, and has fewer runs"},
    "--test": {
        "agree": "several tests, one by default",
        "compare-metrics": "one test, behind several parts",
        "compare-tests": "the tests of the paper",
        "power": "several tests, the published one beside that for decisions",
        "report": "several tests, the published one beside that for decisions",
    },
    "--topics": {"simulate inex": "a campaign takes longer to make than a table"},
    "--documents": {"simulate inex": "articles are longer than other documents"},
}
"""Options that mean something of their own in a command, or have another default there, and why."""


def _commands(group=GROUP, above=()):
    for name, one in group.commands.items():
        if hasattr(one, "commands"):
            yield from _commands(one, (*above, name))
        else:
            yield " ".join((*above, name)), one


LOADED = dict(_commands())


def _meanings(simulating):
    """Return for every option what each command says of it: metavar, help, default."""
    found = defaultdict(dict)
    for name, one in LOADED.items():
        if name.startswith(SIMULATING) == simulating:
            for parameter in one.params:
                if parameter.opts[0].startswith("-"):
                    default = parameter.show_default if isinstance(parameter.show_default, str) else parameter.default
                    found[parameter.opts[0]][name] = (str(parameter.metavar), parameter.help, str(default))
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_what_the_command_says(name):
    """The line in the list of commands is the first line of the command's own help."""
    assert (GROUP.commands[name].help or "").split("\n")[0] == COMMANDS[name]


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != SIMULATING])
def test_every_command_offers_its_answer_in_every_form(name):
    """A folder, JSON, LaTeX, a title; and it can be kept quiet."""
    assert OUTPUT.keys() <= {parameter.name for parameter in LOADED[name].params}


@pytest.mark.parametrize("simulating", [False, True])
def test_an_option_means_the_same_in_every_command(simulating):
    """One metavar, one help text and one default, but for the commands in the table above."""
    differing = {}
    for option, meanings in _meanings(simulating).items():
        shared = {meaning for name, meaning in meanings.items() if name not in OWN.get(option, {})}
        if len(shared) > 1:
            differing[option] = {name: meanings[name] for name in meanings if name not in OWN.get(option, {})}
    assert differing == {}


def test_what_a_command_means_of_its_own_is_really_different():
    """A line of the table above that has become needless, or names nothing, goes."""
    needless = []
    meanings = {False: _meanings(simulating=False), True: _meanings(simulating=True)}
    for option, own in OWN.items():
        for name in own:
            others = meanings[name.startswith(SIMULATING)][option]
            shared = {meaning for other, meaning in others.items() if other not in own}
            if others.get(name) is None or others[name] in shared:
                needless.append((option, name))
    assert needless == []


def test_a_command_takes_what_it_reads_its_own_options_and_what_all_take():
    """In this order; a default of a shared option can be another one."""

    def ask(loaded, *, depth: int = 3):
        """Ask nothing."""

    made = made_command("metrics", reads="plugins", quiet=True)(ask)
    assert [one.name for one in made.params] == ["plugin", "depth", *OUTPUT]
    defaults = {one.name: one.default for one in made.params}
    assert (defaults["depth"], defaults["quiet"], defaults["as_json"]) == (3, True, False)
    assert made.help == inspect.getdoc(ask)


@pytest.fixture
def asked(command, monkeypatch):
    """Run the command "metrics" with a report of our own as its answer."""
    from metaeval.base.provenance import record_provenance  # noqa: PLC0415 - only here
    from metaeval.table.scores import as_scores  # noqa: PLC0415 - only here

    frame = as_scores({"AP": {"a": {"1": 0.5, "2": 0.25}, "b": {"1": 0.0, "2": 1.0}}}).to_dataframe("x").reset_index()
    table = Table(
        name="t", title="Scores", caption="", frame=frame[["system", "x"]], columns=(Column(name="system", label="S"),)
    )
    answer = Report(
        command="metrics",
        title="What is it?",
        facts=(("2", "systems"),),
        summary=("It is so.",),
        sections=(Section(id="s", title="S", lead="", blocks=(table, Text(paragraphs=("Words.",))), brief=True),),
        methods=Methods(paragraphs=("Nothing was done.",)),
        rows=frame[["x"]],
        provenance=record_provenance("metrics", random_source="seed 7"),
        notes=("one was left out", Remark("all had names")),
    )
    monkeypatch.setattr("metaeval.questions.metrics.page.metrics_report", lambda *_, **__: answer)
    return lambda *words: command("metrics", *words)


def test_one_runner_shows_every_answer(asked, tmp_path):
    """Words and tables, or JSON, or LaTeX, or a folder; notes and the seed are told where no folder has them."""
    plain = asked()
    assert plain.out.startswith("What is it?\n2 systems\nNote: One was left out.\n\nIt is so.\n")
    assert "Words." in plain.out
    assert plain.err == "Note: all had names\nSeed 7.\n"
    assert asked("--title", "Mine").out.startswith("Mine\n")
    assert asked("--description", "Ours.").out.startswith("What is it?\nOurs.\n2 systems\n")
    assert [row["x"] for row in asked("--json").json()["results"]] == [0.5, 0.25, 0.0, 1.0]
    assert "\\begin{tabular}{l}" in asked("--latex").out
    written = asked("--out", "page", "--title", "Mine", "--description", "It is ours.")
    assert (written.out, written.err.split("\n", 1)[1]) == (
        "Report written: open page/index.html\n",
        "Note: one was left out\n",
    )
    page = (tmp_path / "page" / "index.html").read_text()
    assert "<title>Mine" in page
    assert ">It is ours.</p>" in page
    both = asked("--out", "page", "--overwrite", "--json")
    assert both.json()["results"] == asked("--json").json()["results"]


def test_what_changes_numbers_is_never_silent(asked, tmp_path):
    """Asked to be quiet, every form says it in its first lines, or before an answer that is for programs."""
    assert (asked("-q").out.split("\n")[2], asked("-q").err) == ("Note: One was left out.", "")
    assert asked("-q", "--json").json()["notes"] == ["one was left out", "all had names"]
    for form in ("--latex", "--out=page"):  # what "metrics" offers
        assert asked("-q", form).err == "Note: one was left out\n", form
    page = (tmp_path / "page" / "index.html").read_text()
    assert page.index(">It is so.</p>") < page.index(">One was left out.</li>") < page.index('<section id="s"')


NOTED = {
    **dict.fromkeys(("power", "table", "agree", "compare-tests", "compare-metrics"), "--test t"),
    "report": "--test t --interval-resamples 0 --no-topics",
    "topics": "--trials 3 --interval-resamples 2 --no-bayes --tolerances 0",
    "leaderboard": "--resamples 40",
    "components": "--splits 2",
    "design": "",
}


@pytest.mark.parametrize("name", NOTED)
def test_what_was_left_out_and_filled_in_stands_above_every_answer(command, tmp_path, name):
    """Cells that count as 0 put another system first, and averages are no topic: quiet or not, it is said at once."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((24, 3)).round(3), columns=["a", "b", "c"], index=[f"t{n}" for n in range(24)])
    frame.iloc[:7, 0] = None
    frame.loc["amean"] = frame.mean()
    for metric in ("AP", "RR"):
        frame.to_csv(tmp_path / f"{metric}.csv", index_label="topic")
    words = [*NOTED[name].split(), "--missing", "zero", "--quiet"]
    ended = command(name, "AP.csv", "RR.csv", *words, *(["--out", "page"] if name == "report" else []))
    assert ended.code == 0, ended.err
    above = ended.err if name == "report" else ended.out.split("\n\n", 1)[0]
    assert "left out the averages (amean)" in above.casefold()
    assert "14 missing scores were counted as 0" in above
    assert len(above.split("\n")) < 8


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != SIMULATING])
def test_every_option_of_a_command_goes_somewhere(name):
    """The command reads it, or reading and showing do, or it stands for an argument of what the command asks."""
    own = import_module(f"metaeval.questions.{name.replace('-', '_')}.command")
    trees = [ast.parse(Path(one.__file__).read_text("utf-8")) for one in (own, power, reading)]
    read = {node.id for node in ast.walk(trees[0]) if isinstance(node, ast.Name)}
    asked = {study for study in read & {*studies.__all__} if study.islower()}  # by `Loaded.ask`
    asked |= {"study_power"} if "count_pairs" in read else set()
    read |= {node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    stand_for = arguments_of(LOADED[name])
    arguments = {one for study in asked for one in inspect.signature(getattr(studies, study)).parameters}
    read |= {stand_for[one].strip("-").replace("-", "_") for one in arguments & stand_for.keys()}
    if "ColumnsOfVotes" in {node.attr for node in ast.walk(trees[0]) if isinstance(node, ast.Attribute)}:
        read |= {field.name for field in fields(options.ColumnsOfVotes)}  # by its `by_role`
    declared = {one.name for one in LOADED[name].params} - {"help", "inputs"}
    assert declared - read <= {*OUTPUT, *CHOOSING, *COLUMNS, *WORKING, *FORMS, "no_header", "threads"}
