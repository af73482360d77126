"""What files are, and what they can answer: told right, and every command that is shown runs and answers."""

import json
import re
import shlex
import tomllib
from operator import attrgetter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import metaeval
from metaeval.base.needs import NEEDS
from metaeval.errors import MetaevalError, ScoresError
from metaeval.questions.look.study import look
from metaeval.table.votes import as_votes

HERE = Path(__file__).parent
FILES = tomllib.loads((HERE / "files.toml").read_text("utf-8"))
BOARDS = HERE.parents[1] / "boards"
KNOWN = tomllib.loads((BOARDS / "boards.toml").read_text("utf-8"))


def written(folder, name):
    """Write the files of a row; return the one, or what lies beside others."""
    known = FILES[name]
    for file, text in (known.get("files") or {known["file"]: known["text"]}).items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    given = sorted({str(folder / Path(file).parts[0]) for file in known.get("files", [known.get("file")])})
    return given if len(given) > 1 else given[0]


def test_there_are_a_hundred():
    """In the forms that people and tools write."""
    assert len(FILES) >= 100


@pytest.mark.parametrize("name", FILES)
def test_kind_sizes_and_roles_are_told(tmp_path, name):
    """Each file is what it is known to be, and what cannot be read says why; nothing is raised."""
    known, found = FILES[name], look(written(tmp_path, name))
    assert found.kind == known["kind"], found.contents.refusal
    assert bool(found.contents.refusal) == (found.kind == "unknown" or bool(known.get("refused")))
    assert known.get("says", "") in found.contents.refusal
    assert {word: found.contents.sizes.get(word) for word in known.get("sizes", {})} == known.get("sizes", {})
    roles = {column.column: column.role for column in found.contents.columns}
    assert {column: roles.get(column) for column in known.get("roles", {})} == known.get("roles", {})
    able = found.questions.loc[found.questions["lacks"] == "", "name"].tolist()
    assert {*known.get("asks", ())} <= {*able}
    is_lone = found.kind in {"runs", "judgments", "annotations", "submissions"}
    assert bool(able) == (not found.contents.refusal and not is_lone), found.questions


@pytest.mark.parametrize("clustered", [False, True])
def test_the_mean_of_one_system_is_said_with_its_interval(clustered):
    """Of scipy's t interval over items, or over means of clusters of one size, and what another file would add."""
    values = 0.5 + np.arange(12) ** 2 / 400
    scores = metaeval.as_scores(
        pd.DataFrame({"system": "solo", "topic": [f"q{at}" for at in range(12)], "score": values}), fewest=1
    )
    if clustered:
        scores = scores.assign_coords(cluster=("topic", [f"c{at // 3}" for at in range(12)]))
    units = values.reshape(4, 3).mean(axis=1) if clustered else values
    low, high = stats.t.interval(0.95, len(units) - 1, units.mean(), stats.sem(units))
    said = look(scores).answer
    assert f"solo has the mean {values.mean():.3f} [{low:.3f}, {high:.3f}]" in said
    assert ("in 4 clusters" in said) == clustered
    assert "A file of another system on the same topics beside it" in said


@pytest.mark.parametrize("given", ["", "per_instance_stats.json", "run_spec.json", "stats.json", "scenario_state.json"])
def test_one_run_of_helm_is_told_by_its_folder_and_by_any_file_of_it(tmp_path, given):
    """The mean with scipy's t interval, and the folder above, where the other system lies."""
    for model, right in (("x/a", 8), ("x/b", 4)):
        called = {"name": "exact_match", "split": "test"}
        means = [{"name": called, "count": 1, "mean": (right - at) / 10} for at in range(4)]
        spec = {"adapter_spec": {"model": model}, "metric_specs": [], "scenario_spec": {"class_name": "s.LawScenario"}}
        files = {"run_spec": spec, "stats": means[:1], "scenario_state": {"request_states": []}}
        files["per_instance_stats"] = [{"instance_id": f"i{at}", "stats": [mean]} for at, mean in enumerate(means)]
        (folder := tmp_path / "suite" / model[-1]).mkdir(parents=True)
        for name, content in files.items():
            (folder / f"{name}.json").write_text(json.dumps(content), "utf-8")
    found = look(tmp_path / "suite" / "a" / given)
    low, high = stats.t.interval(0.95, 3, 0.65, stats.sem([0.8, 0.7, 0.6, 0.5]))
    assert (found.kind, found.contents.tool, found.contents.sizes["systems"]) == ("scores", "HELM", 1)
    assert found.answer.startswith(f"x/a has the mean 0.650 [{low:.3f}, {high:.3f}] under exact_match")
    assert f"(metaeval look {tmp_path / 'suite'})" in found.answer
    assert look(tmp_path / "suite").contents.sizes["systems"] == 2


def test_folders_of_one_kind_are_named_whole_in_commands(tmp_path):
    """Files one by one only where another kind lies beside them; several judgments are told by their folders."""
    words = {
        name: look(written(tmp_path / name, name))
        for name in FILES
        if name.startswith("inex_") and "files" in FILES[name]
    }
    inside = {name: tmp_path / name / "inex" for name in words}
    apart, beside = inside["inex_folders_in_a_folder"], inside["inex_folder"]
    commands = {name: found.questions["command"].tolist() for name, found in words.items()}
    assert f"metaeval table {apart / 'runs'} --qrels {apart / 'judgments'}" in commands["inex_folders_in_a_folder"]
    assert (
        f"metaeval score {beside / 'a.txt'} {beside / 'b.txt'} --qrels {beside / 'qrels.txt'}"
        in commands["inex_folder"]
    )
    twice = inside["inex_assessed_twice"]
    refusal = words["inex_assessed_twice"].contents.refusal
    assert refusal.endswith(f"as in metaeval look {twice / 'runs'} {twice / 'first'}")
    assert look([str(twice / "runs"), str(twice / "first")]).kind == "campaign"


@pytest.mark.parametrize("name", KNOWN)
def test_boards_are_means_or_scores(name):
    """A board that is read has its kind and as many systems; one that is refused has the rule, and no question."""
    board = KNOWN[name]
    found = look([str(BOARDS / "files" / file) for file in board.get("files", [board.get("file", f"{name}.csv")])])
    if "asks" in board:
        assert found.contents.refusal
        assert found.questions.empty
        return
    kind = "means" if "means" in board else "scores"
    assert found.kind == kind
    systems = {system for of_metric in board[kind].values() for system in of_metric}
    assert found.contents.sizes["systems"] == len(systems)


READ = [name for name, known in FILES.items() if known["kind"] != "unknown" and "refused" not in known]


@pytest.mark.parametrize("name", READ)
def test_every_command_that_is_shown_answers(tmp_path, monkeypatch, command, name):
    """Copied to the letter, it ends with 0 or says what cannot be estimated from so little."""
    monkeypatch.chdir(tmp_path)
    given = written(tmp_path, name)
    found = look([Path(path).name for path in given] if isinstance(given, list) else Path(given).name)
    for row in found.questions[found.questions["lacks"] == ""].itertuples():
        ended = command(*shlex.split(row.command)[1:], "--json")
        is_open = 6 if "--require" in row.command else 0  # neither established nor contradicted
        assert ended.code in {0, 4, is_open}, (row.command, ended.err)


def test_runs_and_judgments_are_one_collection(tmp_path, monkeypatch, command):
    """Whatever their order, in folders or files; the commands name them as they were named."""
    made = metaeval.simulate_collection(n_groups=2, runs_per_group=2, n_topics=14, n_documents=60, depth=20, rng=1)
    made.write_collection(tmp_path / "made")
    monkeypatch.chdir(tmp_path)
    for given in (["made/runs", "made/qrels.txt"], ["made/qrels.txt", "made/runs"]):
        found = look(given)
        assert (found.kind, found.contents.sizes["systems"], found.contents.sizes["items"]) == ("collection", 4, 14)
        by_name = found.questions.set_index("name")["command"]
        assert by_name["table"] == "metaeval table made/runs --qrels made/qrels.txt"
        assert {"judgments", "score"} <= {*by_name.index}
    for line in by_name[["table", "score", "design"]]:
        assert command(*line.split()[1:], "--json").code == 0


def test_files_that_nothing_takes_together_are_told_apart(tmp_path, command):
    """With the kind of each, and its command; a part that nothing can be asked of says what it lacks."""
    found = look([written(tmp_path, "qrels"), written(tmp_path, "arena_votes")])
    assert (found.kind, found.contents.sizes) == ("several", {"files": 2})
    judgments, votes = found.questions.itertuples()
    assert judgments.question.startswith("judgments, 1 file (qrels.txt): ")
    assert judgments.lacks == "other files beside it"
    assert votes.question.startswith("votes, 1 file (votes.csv): ")
    assert command(*votes.command.split()[1:], "--json").code == 0


@pytest.mark.parametrize("flat", [False, True])
def test_a_folder_of_logs_of_several_tools_says_so(tmp_path, monkeypatch, command, flat):
    """Which tool wrote which files, and a command for each that runs: folders of one tool by name, else its files."""
    for folder, tool in (("harness", "lm_eval_samples"), ("." if flat else "logs", "inspect_logs")):
        written(tmp_path / "all" / folder, tool)
    written(tmp_path / "all" / "alpaca", "alpaca_annotations")
    (tmp_path / "all" / "README.md").write_text("# Results\n\nOf three tools.\n")
    monkeypatch.chdir(tmp_path)
    found = look("all")
    assert (found.kind, found.contents.sizes) == ("several", {"files": 8})
    assert {name: len(part.files) for name, part in found.contents.parts.items()} == {
        "AlpacaEval": 2, "inspect_ai": 2, "lm-evaluation-harness": 4,
    }  # fmt: skip
    logs = "all/log0.json all/log1.json" if flat else "all/logs"
    assert {*found.questions["command"]} == {
        "metaeval votes all/alpaca", f"metaeval table {logs}", "metaeval table all/harness",
    }  # fmt: skip
    assert found.notes == ("left out what is nothing of this: all/README.md",)
    for line in found.questions["command"]:
        assert command(*line.split()[1:], "--json").code == 0
    shown = command("look", "all", "--quiet").out
    assert "Files of several tools or kinds, which no question takes together: 8 files." in shown
    assert "# inspect_ai, 2 files (log0.json, log1.json): Is A better than B?" in shown


def test_what_lies_beside_runs_is_left_out_by_name(tmp_path, monkeypatch, command):
    """A README and a table of groups in the folder of a collection are no part of it, and commands name the others."""
    made = metaeval.simulate_collection(n_groups=2, runs_per_group=2, n_topics=14, n_documents=60, depth=20, rng=1)
    made.write_collection(tmp_path / "made")
    (tmp_path / "made" / "README.md").write_text("# Runs\n\nOf two groups.\n")
    (tmp_path / "made" / "groups.csv").write_text("run,group\na,g1\nb,g2\n")
    monkeypatch.chdir(tmp_path)
    found = look("made")
    assert found.kind == "collection"
    assert any("README.md" in note and "groups.csv" in note for note in found.notes)
    line = found.questions.set_index("name")["command"]["table"]
    assert command(*line.split()[1:], "--json").code == 0


def test_votes_and_labels_have_an_answer_without_kernels(tmp_path):
    """Of a > b, b = c, a > c (c is left) a wins 2 of 2 votes; labels have their alpha with an interval."""
    votes = pd.DataFrame({"left": [*"abc"], "right": [*"bca"], "winner": ["left", "tie", "right"]})
    assert look(votes).answer.startswith("a wins 100 % of 2 votes, ties counted half, the largest share;")
    preferences = as_votes(pd.DataFrame({"left": ["a", "a"], "right": ["b", "b"], "preference": [1.1, 1.3]}))
    assert look(preferences).answer.startswith("a has a mean preference of 80 % in 2 votes, whole or in part, ")
    base = tmp_path / "base.csv"  # a 2 of 3, c 1 of 2, and base 2 of 5, which is none of those that are ranked
    base.write_text(
        "model_a,model_b,winner\na,base,model_a\na,base,model_b\na,base,model_a\nbase,c,model_a\nc,base,model_a\n"
    )
    against = "a wins 67 % of 3 votes against base, ties counted half, the largest share; all votes are against this"
    assert look(base).answer.startswith(against)
    assert "of the 2 judges is" in look(written(tmp_path, "labels_wide")).answer


def test_what_is_in_memory_is_told_as_files_are():
    """Frames of votes, of means, and scores, with the call in Python for each question."""
    votes = pd.DataFrame({"left": [*"abc"], "right": [*"bca"], "winner": ["left", "tie", "right"]})
    board = pd.DataFrame({"model": [*"abc"], "acc": [0.7, 0.6, 0.5], "acc_se": [0.02, 0.02, 0.03]})
    scores = metaeval.simulate_scores(n_systems=4, n_topics=12, rng=1)
    assert [look(data).kind for data in (votes, board, scores)] == ["votes", "means", "scores"]
    assert look(scores).questions["python"].iloc[0] == "metaeval.study_table(data)"
    with pytest.raises(MetaevalError):
        look(7)


def test_the_quick_answer_is_that_of_the_command(tmp_path, command):
    """The first sentence of the main question, word for word."""
    path = written(tmp_path, "wide_scores")
    assert look(path).answer == command("table", path, "--json").json()["summary"][0]


@pytest.mark.parametrize("of", ["documents", "elements"])
def test_runs_and_judgments_have_the_answer_of_table(tmp_path, monkeypatch, command, of):
    """Of runs of TREC and of INEX, word for word, under the metrics that the command takes."""
    monkeypatch.chdir(tmp_path)
    if of == "documents":
        made = metaeval.simulate_collection(n_groups=2, runs_per_group=2, n_topics=14, n_documents=60, depth=20, rng=1)
        made.write_collection("made")
        given = ["made/runs", "made/qrels.txt"]
    else:
        given = written(tmp_path, "inex_folders_in_a_folder")
    found = look(given)
    line = found.questions.set_index("name")["command"]["table"]
    assert found.quick_answer() == command(*shlex.split(line)[1:], "--json").json()["summary"][0]


@pytest.mark.parametrize("header", ["LP SYSTEM human BLEU TER", "SYSTEM human BLEU TER"])
def test_the_metric_nearest_to_people_is_said_with_what_it_is_not(tmp_path, command, header):
    """By scipy, over the means of 4 systems; metaeval human finds the same."""
    human, good, poor = [3.0, 2.0, 1.0, 0.0], [0.9, 0.7, 0.5, 0.2], [0.1, 0.4, 0.2, 0.3]
    languages = "en-de " * header.startswith("LP")
    rows = [f"{languages}{name} {h} {g} {p}" for name, h, g, p in zip("abcd", human, good, poor, strict=True)]
    (tmp_path / "x.csv").write_text("\n".join([header, *rows]) + "\n")
    found, r = look(tmp_path / "x.csv"), stats.pearsonr(human, good)[0]
    assert (found.kind, found.questions["name"].tolist()) == ("metrics", ["human"])
    assert found.answer.startswith(f"BLEU agrees best with human as observed (Pearson's r {r:.3f} over 4 systems);")
    told = command("human", tmp_path / "x.csv", "--reference", "human", "--json")
    assert f"Pearson's r {r:.3f}" in " ".join(told.json()["summary"])


def test_people_named_by_their_file_are_named_in_the_command(tmp_path):
    """As `metaeval judges` asks for them."""
    for name, judges in {"human_annotations": "ab", "llm_annotations": "cd"}.items():
        labels = {judge: {f"i{n}": "yes" if n % 2 else "no" for n in range(30)} for judge in judges}
        (tmp_path / f"{name}.json").write_text(json.dumps(labels))
    found = look([tmp_path / "human_annotations.json", tmp_path / "llm_annotations.json"])
    asked = found.questions.set_index("name").loc["judges"]
    assert asked["command"].endswith(" --people human_annotations")
    assert not asked["lacks"]


@pytest.mark.parametrize("need", NEEDS.values(), ids=NEEDS)
def test_every_question_has_all_that_is_said_of_it(checkout, need):
    """A line for the help, what people ask, and a page of the docs; kinds and sizes are those that files have."""
    assert {"group", "line", "asks", "page"} <= {*need}
    assert (checkout / "docs" / need["page"]).is_file()
    told = {
        "group",
        "line",
        "asks",
        "page",
        "also",
        "of",
        "least",
        "options",
        "unsaid",
        "clustered",
        "gaps",
        "python",
        "function",
    }
    assert {*need} <= told
    for key in {"python", "function"} & {*need}:
        assert attrgetter(need[key].removeprefix("metaeval.").partition("(")[0])(metaeval)


def test_figures_of_scores_are_counted():
    """Gaps and clusters too."""
    values = np.array([[0.1, np.nan, 0.3, 0.2], [0.2, 0.1, 0.5, 0.4]])
    scores = metaeval.as_scores(values, missing="pairwise", clusters={"1": "x", "2": "x", "3": "y", "4": "y"})
    assert dict(look(scores).contents.sizes) | {} == {
        "systems": 2, "items": 4, "metrics": 1, "gaps": 1, "clusters": 2, "people": 0,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["wide_scores", "means_with_errors", "arena_votes", "labels_wide", "lm_eval_samples"])
def test_a_readme_is_left_out_by_name_whatever_it_lies_beside(tmp_path, monkeypatch, command, name):
    """And commands name the others, or the folder where its reader passes over it."""
    written(tmp_path / "all", name)
    (tmp_path / "all" / "README.md").write_text("# Results\n\nOf one system, another, and a third.\n\nIn two parts.\n")
    monkeypatch.chdir(tmp_path)
    found = look("all")
    assert found.kind == FILES[name]["kind"], found.contents.refusal
    assert any("all/README.md" in note for note in found.notes)
    able = found.questions.loc[found.questions["lacks"] == "", "command"]
    assert len(able)
    for line in able.head(1):
        assert command(*line.split()[1:], "--json").code == 0


@pytest.mark.parametrize("beside", ["means_with_bounds", "wide_scores"])
def test_a_board_beside_other_files_is_refused_and_read_alone(tmp_path, monkeypatch, command, beside):
    """Of two boards of means the second would be passed over; the way out names the one, in a folder or by name."""
    monkeypatch.chdir(tmp_path)
    for name in ("means_with_errors", beside):
        written(tmp_path / "all", name)
    for given in ("all", sorted(str(path) for path in Path("all").iterdir())):
        if beside == "wide_scores" and given == "all":  # a folder of two kinds is listed file by file
            lines = look(given).questions["command"]
            assert {line.split()[1] for line in lines} == {"leaderboard", "table"}
            assert all(command(*line.split()[1:], "--json").code == 0 for line in lines)
            continue
        refusal = look(given).contents.refusal
        assert "a board of means with standard errors beside 1 more file" in refusal
        line = refusal.partition("name it alone: ")[2]
        assert command(*line.split()[1:], "--json").code == 0


@pytest.mark.parametrize(
    "frame",
    [
        {"item": ["d1", "d2", "d3"], "anna": ["yes", "no", "yes"], "ben": ["yes", "yes", "no"]},
        {"query": ["1", "1", "2"], "passage": ["d1", "d2", "d1"], "gpt4": [0, 1, 2], "second": [0, 1, 1]},
        {"item": ["d1", "d2", "d3"], "rater1": [0, 1, 2], "rater2": [0, 1, 1]},
        {"item": ["d1", "d1", "d2", "d2"], "judge": ["a", "b", "a", "b"], "label": ["ok", "ok", "bad", "ok"]},
    ],
    ids=["words", "topics", "raters", "long"],
)
def test_labels_in_memory_are_told(frame):
    """A frame of labels, wide or long, in words or numbers, with topics or without; what is none keeps its message."""
    found = look(pd.DataFrame(frame))
    assert found.kind == "labels"
    assert found.questions["name"].iloc[0] == "judges"
    with pytest.raises(ScoresError):
        look(pd.DataFrame({"item": ["d1", "d2"], "words": ["some text", "other"]}))


def test_scores_by_people_in_logs_are_not_sent_where_no_log_is_read(tmp_path):
    """A scorer called expert is told of; `human` reads no log of inspect_ai, and is said to need a table."""
    for name, model in (("log0.json", "a"), ("log1.json", "b"), ("log2.json", "c")):
        log = FILES["inspect_logs"]["files"]["log0.json"].replace('"model": "a"', f'"model": "{model}"')
        (tmp_path / name).write_text(log.replace("model_graded_qa", "expert"))
    row = look(tmp_path).questions.set_index("name").loc["human"]
    assert "a table of scores" in row["lacks"]


DATES = {
    "scores": ("system,item,score", ["A,i0,0.5", "A,i1,0.25", "B,i0,0.75", "B,i1,0.5"]),
    "words": ("system,item,label", ["A,i0,yes", "A,i1,no", "B,i0,yes", "B,i1,no"]),
    "votes": ("left,right,winner,judge", ["A,B,A,gpt", "B,A,A,gpt", "A,B,B,gpt"]),
}


@pytest.mark.parametrize("kind", DATES)
def test_two_files_of_one_judge_are_offered_the_question_of_dates(tmp_path, command, kind):
    """Where answers, or systems of votes, are those of both; and what is offered runs. Metrics, and others, are not."""
    head, rows = DATES[kind]
    for name in ("march.csv", "june.csv", "AP.csv", "nDCG.csv"):
        (tmp_path / name).write_text("\n".join([head, *rows]))
    (tmp_path / "other.csv").write_text(
        "\n".join([head, *rows]).replace("A,", "C,").replace("i", "j").replace("B,", "D,")
    )
    printed = command("look", "march.csv", "june.csv").out
    assert "metaeval judges --before march.csv --after june.csv" in printed
    assert command("judges", "--before", "march.csv", "--after", "june.csv").code == 0
    for others in (("AP.csv", "nDCG.csv"), ("march.csv", "other.csv")):
        assert "--before" not in command("look", *others).out


def log_of(model, marks):
    """Return a log of inspect_ai with two scorers, of which one is people."""
    samples = [
        {"id": number, "epoch": 1, "scores": {"graded": {"value": graded}, "human_review": {"value": human}}}
        for number, (graded, human) in enumerate(marks)
    ]
    about = {"task": "qa", "model": model, "created": "2026-01-01T00:00:00+00:00"}
    return json.dumps({"version": 2, "status": "success", "eval": about, "samples": samples})


@pytest.mark.parametrize("models", [["a"], ["a", "b", "c"]])
def test_scorers_of_logs_are_judges_beside_people(tmp_path, command, models):
    """`look` offers it, and it runs: of one model as labels, of several by what follows for the models too.

    By hand: 12 of 16 marks alike, 8 of 16 correct by either, so that kappa is (0.75 - 0.5) / 0.5.
    """
    marks = [("C", "C")] * 6 + [("I", "I")] * 6 + [("C", "I")] * 2 + [("I", "C")] * 2
    for number, model in enumerate(models):
        (tmp_path / "logs").mkdir(exist_ok=True)
        (tmp_path / "logs" / f"{model}.json").write_text(log_of(model, marks[number:] + marks[:number]))
    assert "metaeval judges logs --reference human_review" in command("look", "logs").out
    printed = command("judges", "logs", "--reference", "human_review")
    assert printed.code == 0
    if len(models) == 1:
        assert "graded has a Cohen's κ of 0.50" in printed.out
    else:
        assert "2 judges, 48 answers, 16 items, 96 labels, 3 systems" in printed.out
        assert re.search(r"Cohen's κ +0\.50 \[", printed.out)
        assert "Each file has systems of its own, and the same metrics: these are taken for the judges." in printed.out


def test_the_interval_of_a_share_of_statements_ends_at_1(tmp_path):
    """Faithful in 1, .5 and 1: by t the mean .833 lies .717 on either side, and no share is above 1."""
    path = tmp_path / "ragas.csv"
    path.write_text("user_input,response,reference,faithfulness\nq1,a,b,1.0\nq2,c,d,0.5\nq3,e,f,1.0\n")
    assert "has the mean 0.833 [0.116, 1.000] under faithfulness" in look(path).answer


@pytest.mark.parametrize(
    ("mean", "metric", "required"),
    [
        (0.667, "acc", "a >= 0.6"),
        (0.6, "acc", "a >= 0.5"),
        (0.99, "acc", "a >= 0.9"),
        (62.0, "bleu", "a >= 50"),
        (0.3, "WER", "a <= 0.4"),
    ],
)
def test_the_mean_of_one_system_is_asked_of_a_round_number_and_not_of_itself(tmp_path, mean, metric, required):
    """Beside its own mean every answer would be open, however many items there are."""
    rows = [f"a,{at},{mean + step:.4f}" for at, step in enumerate((-0.01, 0.0, 0.01))]
    (tmp_path / "one.csv").write_text("\n".join([f"system,item,{metric}", *rows]))
    (command,) = [one for one in look(tmp_path / "one.csv").questions["command"] if "--require" in one]
    assert command.endswith(f"--require '{required}'")
