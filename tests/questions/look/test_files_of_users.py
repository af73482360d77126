"""Files as users have them, of which nothing but `metaeval look` is known: the answer is right, or what leads there is.

Every file is made here, so that what it holds is known.
"""

import shlex
import subprocess

import pandas as pd
import pytest

from metaeval import look, read_scores, study_votes
from metaeval.io.means import MeansAloneError
from metaeval.io.votes import read_votes

N_QUESTIONS, N_EACH = 12, 10


def votes_of_workers(question="Input.question", side="Input.system_", answer="Answer.preference"):
    """Return votes on 12 questions by 10 people each: all prefer ours on 8 of them, and all the baseline on 4."""
    rows = [
        f"W{item * N_EACH + voter},q{item},ours,baseline,{'A' if item < 8 else 'B'}"
        for item in range(N_QUESTIONS)
        for voter in range(N_EACH)
    ]
    return "\n".join([f"WorkerId,{question},{side}a,{side}b,{answer}", *rows]) + "\n"


@pytest.mark.parametrize("question", ["Input.question", "HITId", "question"])
def test_votes_of_mechanical_turk_hang_together_by_question(tmp_path, question):
    """Answers to one question are alike, so 120 votes are worth 12: 8 of 12 is no clear winner."""
    (tmp_path / "votes.csv").write_text(votes_of_workers(question))
    votes = read_votes(tmp_path / "votes.csv")
    assert (votes.n_votes, votes.n_units("question")) == (120, 12)
    assert "No clear winner: ours gets 66.7 %" in study_votes(votes, rng=0).report().summary[0]


def test_a_column_that_groups_votes_is_asked_for(command, tmp_path):
    """No name says that the column is of questions: the answer is open, and the command that look prints names it."""
    (tmp_path / "votes.csv").write_text(votes_of_workers("Task code", "system_", "preference"))
    told = command("look", "votes.csv").out
    assert "column 'Task code' puts 120 votes into 12 groups" in told.casefold().replace("task code", "Task code")
    assert "wins" not in told.partition("# ")[0]
    assert "metaeval votes votes.csv --question-column 'Task code'" in told
    assert "Open: votes of one group of Task code" in command("votes", "votes.csv").out
    assert "No clear winner: ours" in command("votes", "votes.csv", "--question-column", "Task code").out


def test_a_column_that_changes_within_pairs_or_with_the_voter_groups_no_votes(tmp_path):
    """What a voter is, such as a country, hangs on the voter; a language is none of a pair."""
    rows = [
        f"v{n % 20},c{n % 20 % 6},{'xy'[n % 2]},{'yz'[n % 2]},l{n % 7},A" for n in range(120)
    ]  # every language meets both pairs
    (tmp_path / "votes.csv").write_text("\n".join(["voter,country,model_a,model_b,language,winner", *rows]))
    assert not [note for note in read_votes(tmp_path / "votes.csv").notes if "groups" in note]


BOARD = """model,win_rate,standard_error,lc_rate,lc_standard_error,n_total
A,70,1.5,80,0.1,800
B,69,1.5,79,0.1,800
C,60,1.6,78,0.1,800
"""


def test_the_error_of_the_value_that_is_named(command, tmp_path):
    """AlpacaEval writes two rates and their errors: the second rate has the second error, in look as elsewhere."""
    (tmp_path / "board.csv").write_text(BOARD)
    with pytest.raises(MeansAloneError) as caught:
        read_scores(["board.csv"], columns={"score": "lc_rate"})
    assert (caught.value.board.metrics, caught.value.board.errors.tolist()) == (("lc_rate",), [[0.1, 0.1, 0.1]])
    told = command("look", "board.csv", "--value-column", "lc_rate").out
    assert "metaeval leaderboard board.csv --value-column lc_rate" in told
    assert "Yes: A is first" in told


def test_an_error_beside_several_values_is_asked_about(command, tmp_path):
    """One error beside two values may be of either; the name that is advised says of which it is."""
    (tmp_path / "board.csv").write_text("model,acc,f1,stderr\na,.5,.6,.02\nb,.55,.61,.02\nc,.7,.8,.02\n")
    refused = command("leaderboard", "board.csv", "--value-column", "acc").err
    assert "if 'stderr' is that of 'acc', rename it to 'acc_stderr'" in refused
    (tmp_path / "board.csv").write_text("model,acc,f1,acc_stderr\na,.5,.6,.02\nb,.55,.61,.02\nc,.7,.8,.02\n")
    assert "Left out column f1" in command("leaderboard", "board.csv", "--value-column", "acc").out


def test_a_decimal_comma_in_the_row_of_means_makes_no_judges(command, tmp_path):
    """The means alone have decimals, with a comma: that is said, and what look prints reads the scores."""
    rows = ["Frage;Modell A;Modell B;Modell C", "F1;74;51;75", "F2;60;66;70", "F3;81;77;90", "F4;55;71;62"]
    (tmp_path / "a.csv").write_text("\n".join([*rows, "Mittelwert;67,5;66,25;74,25"]) + "\n")
    refused = command("look", "a.csv")
    assert "has a decimal comma" in refused.out
    assert "judge" not in refused.out
    (tmp_path / "b.csv").write_text((tmp_path / "a.csv").read_text().replace(",", "."))
    assert (look("b.csv").kind, look("b.csv").scores.mean("topic").max().item()) == ("scores", 74.25)


@pytest.mark.parametrize(
    ("head", "before"),
    [
        ("Type,", "chat,"),
        ("eval_name,", "org_{0}_float16,"),
        ("eval_name,Precision,Type,", "org_{0}_16,float16,🟢 chat,"),
    ],
)
def test_words_before_the_model_of_a_wide_board(tmp_path, head, before):
    """What is said of a model before its name changes nothing of its scores: (40.37 + 40.44 + 48.97) / 3 = 43.26."""
    rows = [(40.37, 40.44, 48.97), (39.9, 44.26, 44.74), (37.95, 49.15, 41.19), (48.16, 46.54, 46.52)]
    text = "\n".join(
        [
            f"{head}Model,IFEval,BBH,MATH",
            *(f"{before.format(f'm{n}')}org/m{n},{a},{b},{c}" for n, (a, b, c) in enumerate(rows)),
        ]
    )
    (tmp_path / "board.csv").write_text(text + "\n")
    found = look(str(tmp_path / "board.csv"))
    assert found.scores.sizes == {"metric": 1, "system": 4, "topic": 3}
    assert found.scores.sel(system="org/m0").mean().item() == pytest.approx(43.26)
    assert head.partition(",")[0] in " ".join(found.notes)


def test_ranks_of_systems_are_votes(command, tmp_path):
    """Three people rank three systems on two prompts: of 6 rows x is before y in 5, before z in 6, y before z in 5."""
    rows = ["p,ann,1,2,3", "p,bo,1,2,3", "p,cy,2,1,3", "q,ann,1,2,3", "q,bo,1,3,2", "q,cy,1,2,3"]
    (tmp_path / "ranks.csv").write_text("\n".join(["prompt_id,annotator,rank_x,rank_y,rank_z", *rows]) + "\n")
    told = command("look", "ranks.csv").out
    assert "--duplicates" not in told
    assert "ranks that annotator gave them" in told
    way = told.partition("# How it can be read\n")[2].splitlines()[0]
    subprocess.run(["bash", "-c", way], check=True, cwd=tmp_path)  # noqa: S607 - as it is printed
    frame = read_votes(tmp_path / "ranks.mended.csv").to_frame()
    by_pair = frame.groupby(["left", "right"])["share"].sum()
    assert by_pair.to_dict() == {("x", "y"): 5.0, ("x", "z"): 6.0, ("y", "z"): 5.0}
    assert (frame["question"].nunique(), frame["voter"].nunique()) == (2, 3)


def test_metrics_of_sets_are_no_topics(tmp_path):
    """What an experiment tracked on the sets of its data are metrics: one number a run, and no items."""
    rows = ["base-seed0,.70,.69,.67", "base-seed1,.71,.70,.69", "ours-seed0,.73,.72,.70", "ours-seed1,.74,.71,.71"]
    (tmp_path / "runs.csv").write_text("\n".join(["Name,val/acc,test/acc,test/f1", *rows]) + "\n")
    assert "seem to be scores of systems without topics" in look(str(tmp_path / "runs.csv")).contents.refusal


def test_an_export_of_runs_without_its_user(tmp_path):
    """Whoever exports runs may leave out who ran them: means over seeds are those of pandas."""
    rows = [
        f"{name}-{seed},finished,2024-01-01,36,{name},{seed},0.0003,{value}"
        for name, values in {"base": (0.70, 0.72, 0.71), "ours": (0.75, 0.73, 0.74)}.items()
        for seed, value in enumerate(values)
    ]
    (tmp_path / "runs.csv").write_text("\n".join(["Name,State,Created,Runtime,method,seed,lr,val/acc", *rows]) + "\n")
    board = look(str(tmp_path / "runs.csv")).contents.read
    expected = pd.read_csv(tmp_path / "runs.csv").groupby("method")["val/acc"].agg(["mean", "sem"])
    assert board.means[0].tolist() == pytest.approx(expected["mean"].tolist())
    assert board.errors[0].tolist() == pytest.approx(expected["sem"].tolist())


def test_rows_that_differ_in_the_seed_alone_are_runs_of_their_system(command, tmp_path):
    """The command that compares means of runs is printed, and does so: what a seed of two systems shares is chance."""
    rows = ["base,0,.70,.69", "base,1,.71,.70", "base,2,.69,.70", "ours,0,.73,.72", "ours,1,.74,.71", "ours,2,.72,.73"]
    (tmp_path / "seeds.csv").write_text("\n".join(["method,seed,val/acc,test/acc", *rows]) + "\n")
    way = command("look", "seeds.csv").out.partition("# How it can be read\n")[2].splitlines()[0]
    assert way == "metaeval leaderboard seeds.csv --item-column seed --unpaired"
    assert "0.7300" in (out := command(*shlex.split(way)[1:]).out)
    assert "their errors are independent" in out


def test_xml_is_of_inex_by_its_root(command, tmp_path):
    """A report of JUnit says what tests passed; nothing of it was assessed."""
    suite = '<testsuite name="pytest"><testcase classname="t" name="a"/></testsuite>'
    (tmp_path / "junit.xml").write_text(f'<?xml version="1.0"?><testsuites>{suite}</testsuites>')
    (tmp_path / "other.xml").write_text('<?xml version="1.0"?>\n<report><a b="1"/></report>\n')
    assert "pytest-reportlog" in (told := command("look", "junit.xml").out)
    assert "INEX" not in told + command("look", "other.xml").out


def test_tests_of_two_bots(command, tmp_path):
    """Test ID names the items and empty notes are no bot: two steps lead to the answer, 3 of 4 passed and 2 of 4."""
    rows = ["T1,a,Pass,Pass,", "T2,b,Fail,Pass,", "T3,a,Pass,Pass,", "T4,b,Fail,Fail,"]
    (tmp_path / "tests.csv").write_text("\n".join(["Test ID,Category,Old bot,New bot,Notes", *rows]) + "\n")
    way = command("look", "tests.csv").out.partition("# How it can be read\n")[2].splitlines()[0]
    subprocess.run(["bash", "-c", way], check=True, cwd=tmp_path)  # noqa: S607 - as it is printed
    scores = look(str(tmp_path / "tests.mended.csv")).scores
    assert scores.mean("topic").squeeze().to_series().to_dict() == {"Old bot": 0.5, "New bot": 0.75}
    assert scores["topic"].to_numpy().tolist() == ["T1", "T2", "T3", "T4"]


def test_texts_of_both_answers_are_called_texts(command, tmp_path):
    """Their length may matter; they are no numbers."""
    rows = "".join(f"x,y,yes {n},no,{'ab'[n % 2]}\n" for n in range(6))
    (tmp_path / "votes.csv").write_text("model_a,model_b,response_a,response_b,winner\n" + rows)
    assert "a text on both sides" in command("look", "votes.csv").out


def test_shares_of_repeats_are_shares(data_folder):
    """Two items, right in one of two and both of two runs: error .25, t 12.706, so Wilson .0136 to .9985."""
    found = look(str(data_folder / "formats" / "inspect_ai" / "log_streaming.eval"))
    assert "has the mean 0.750 [0.014, 0.998]" in found.answer


def test_a_log_of_one_sample_is_told_as_others_are(data_folder):
    """One item is too few for an interval, and a mean all the same."""
    found = look(str(data_folder / "formats" / "inspect_ai" / "log_formats.json"))
    assert (found.kind, dict(found.contents.sizes)["items"]) == ("scores", 1)
    assert "(1 item, too few for an interval)" in found.answer
