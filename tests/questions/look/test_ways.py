"""Who knows only `metaeval look FILE` and copies what it prints comes to an answer."""

import codecs
import io
import json
import re
import shlex
import subprocess
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import metaeval
from metaeval.inex.xml_events import root_name

_STEPS = 4
_MEANS = (
    "| Model | Math | Code |\n|:--|--:|--:|\n| a | **79.6 ± 2.1** | 77.5 ± 1.8 |\n| b | 55.5 ± 2.4 | 52.1 ± 2.4 |\n"
)
_INTERVALS = (
    "model;acc;f1\na;68,8 (67,3\N{EN DASH}70,4);50 (48\N{EN DASH}52)\nb;66,8 (65,3-68,4);\N{EN DASH}\n"
    "c;60,0 [58,5-61,5];51 (49 to 53)\nd;55,0 [53,5-56,5];41 (39 to 43)\n"
)
_SUMMARY = (
    "dataset,version,metric,mode,a7b,b7b\ngsm8k,1d7,acc,gen,56.1,62.3\nmath,393,acc,gen,18.0,25.1\n"
    "bbh,-,naive,gen,61.2,60.4\n"
)
_RATINGS = "participant_id,story_id,model,fluency\n" + "".join(
    f"P{(story + turn) % 4},S{story},{model},{1 + (story * turn + len(model)) % 5}\n"
    for story in range(8)
    for model in ("gpt2", "human")
    for turn in range(2)
)
_RUNS = {
    **{
        f"{name}.run": "".join(
            f"{t} Q0 d{(t * step + at) % 9} {at} {9 - at} {name}\n" for t in range(1, 8) for at in range(5)
        )
        for name, step in (("bm25", 1), ("dpr", 2))
    },
    "qrels.txt": "".join(f"{t} 0 d{at} {(t + at) % 3}\n" for t in range(1, 8) for at in range(9)),
}


def _zipped(files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()


_TYPED = r"^(?:metaeval|sed|tr|awk|unzip|mkdir) .*"


def _tarred(files):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:xz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return packed.getvalue()


_FILES = {
    "decimal commas below a title": (
        "Stand: März 2024;;\n\nFrage;alt;neu\n1;0,5;0,7\n2;0,3;0,6\n3;0,9;0,8\n", "x.csv", "table"
    ),
    "a Markdown board of means with errors": (_MEANS, "board.md", "leaderboard"),
    "means with errors in brackets": ("model,acc\na,75.7 (2.5)\nb,60.1 (2.4)\nc,55.0 (2.6)\n", "x.csv", "leaderboard"),
    "bold means, some with errors in brackets": (
        "Model,BLEU ↑,TER ↓\na†,27.3 (±0.4),55.1\nb (12),28.4 (± 0.4),54.0\n**c**,**31.2** (±0.4),**50.2**\n",
        "x.csv", "leaderboard",
    ),
    "bold scores": ("topic,old,new\n1,0.5,**0.7**\n2,**0.3**,0.2\n3,.4,**.6**\n", "x.csv", "table"),
    "means with errors, commas and a gap": (
        "Modèle;A;B\na;75,7 ± 2,5;\nb;60,1 ± 2,4;30,1 ± 1,0\nc;55,0 ± 2,6;29,1 ± 1,1\n", "x.csv", "leaderboard"
    ),
    "per cents": ("Modelo,Exactitud,Error estándar\na,71.5%,1.5%\nb,66%,1.6%\n", "x.csv", "leaderboard"),
    "a gap in a board of means": ("model,acc,acc_stderr\na,0.71,0.012\nb,,\nc,0.52,0.014\n", "x.csv", "leaderboard"),
    "words for scores": ("topic,old,new\n1,True,False\n2,True,True\n3,False,True\n", "x.csv", "table"),
    "a LaTeX board of means with errors": (
        "\\toprule\nModel & Math \\\\\n\\midrule\na & \\textbf{71.5} $\\pm$ 1.5 \\\\\nb & 66 $\\pm$ 1.6 \\\\",
        "x.tex", "leaderboard",
    ),
    "an error of the column beside it": (
        "Modell;Perplexität;Genauigkeit (%);Standardfehler\na;17.4;50.6;1.1\nb;10.1;70.3;1.9\n", "x.csv", "leaderboard"
    ),
    "systems in rows": ("AP,10,15,33\na,0.4,0.5,0.1\nb,0.3,0.2,0.6\n", "x.csv", "table"),
    "two columns of items": (
        "system,seg_id,doc,BLEU\na,1,d1,.1\na,2,d1,.2\na,3,d2,.4\nb,1,d1,.3\nb,2,d1,.1\nb,3,d2,.2\n", "x.csv", "table"
    ),
    "ratings by some people each": (_RATINGS, "x.csv", "table"),
    "verdicts beside costs": (
        "model,id,correctness,latency,status\n"
        + "".join(
            f"{m},q{at},{'pass' if at % len(m) else 'fail'},1.{at},success\n" for at in range(6) for m in ("ab", "abc")
        ),
        "x.csv", "table",
    ),
    "answers beside true and false": (
        "question,expected,gpt_answer,gpt,qwen\nwhat?,3,3,TRUE,FALSE\nwho?,Al,Bo,FALSE,TRUE\nwhere?,here,5,TRUE,TRUE\n",
        "x.csv", "table",
    ),
    "columns of a system and a metric each": (
        "id,A_bleu,B_bleu,A_rouge_l,B_rouge_l\n1,20.1,25.3,.5,.6\n2,30.4,28.1,.6,.5\n3,10.5,15.7,.4,.6\n",
        "x.csv", "table",
    ),
    "answers behind verdicts, as promptfoo writes them": (
        'q,[gpt] {{q}},[qwen] {{q}}\na,[PASS] 3,[FAIL] 4\nb,"[FAIL] one, two",[PASS] x\nc,[FAIL] (0.50) y,[PASS] z\n',
        "x.csv", "table",
    ),
    "verdicts beside two columns of words, as promptfoo writes variables": (
        'question,context,[a:b] p,[c] p\nq1,c,[PASS] P,"[FAIL] r"\nq2,c,[PASS] 4,[PASS] 4\nq3,d,"[FAIL] x, y",[PASS]\n',
        "x.csv", "table",
    ),
    "verdicts beside variables that repeat, as promptfoo writes them": (
        'text,to,[a:b] p,[c] p\nhi,fr,[PASS] P,"[FAIL] r"\nhi,de,[PASS] 4,[PASS] 4\nno,fr,"[FAIL] x, y",[PASS]\n',
        "x.csv", "table",
    ),
    "labels without a column of items": (
        "Ben,Anna,LLM\nok,bad,bad\ngood,ok,good\nbad,bad,bad\nok,ok,good\n", "x.csv", "judges"
    ),
    "labels behind numbers of rows": (
        ",LLM,Anna,Ben,Comment\n0,bad,bad,ok,\n1,good,ok,good,\n2,bad,bad,bad,see 1\n3,ok,good,ok,\n", "x.csv", "judges"
    ),
    "runs with a name each, beside models": (
        "Name,ID,model,seed,dataset,accuracy\n" + "".join(
            f"{m}-{d}-{s},{m}{d}{s},{m},{s},{d},0.{s}{len(m)}{len(d)}\n"
            for m in ("bert", "t5x") for d in ("rte", "mnli", "sst") for s in range(3)
        ),
        "x.csv", "table",
    ),
    "a header of two levels, as pandas writes it": (
        "metric,acc,acc,f1,f1\r\nmodel,A,B,A,B\r\nid,,,,\r\n1,.5,.4,.6,.5\r\n2,.3,.2,.4,.3\r\n3,.6,.7,.5,.4\r\n",
        "x.csv", "table",
    ),
    "a header of merged cells": (
        ",BM25,,Dense,\nQuery,nDCG@10,AP,nDCG@10,AP\nq1,.5,.3,.6,.4\nq2,.4,.2,.5,.3\nq3,.7,.5,.6,.4\n", "x.csv", "table"
    ),
    "systems in columns beside the metric of each data set": (_SUMMARY, "x.csv", "table"),
    "means with their intervals": (_INTERVALS, "x.csv", "leaderboard"),
    "ends of intervals below folds": (
        "fold,svm,bert\n1,.85,.84\n2,.71,.89\n3,.78,.91\n4,.77,.83\n95% CI (lo),.75,.82\n95% CI (up),.83,.9\n",
        "x.csv", "table",
    ),
    "errors that annotators marked": (
        "system\tdoc\tseg_id\trater\tcategory\tseverity\r\n"
        + "".join(f"{name}\td\t{at}\tr{at % 2}\tx\t{('No-error', 'Minor', 'Major')[(at + way) % 3]}\r\n"
                  for at in range(9) for way, name in enumerate("ab")),
        "mqm.tsv", "table",
    ),
    "grades in words": (
        "system,item,score\n" + "".join(f"{s},q{i},{('poor', 'fair', 'good')[(i + k) % 3]}\n"
                                        for k, s in enumerate("ab") for i in range(7)),
        "x.csv", "table",
    ),
    "answers to a form": (
        "Timestamp,Email Address,System A,System B\n"
        + "".join(f"2025/03/0{at + 1} 10:0{at}:12 AM GMT+1,p{at}@x.org,{1 + at % 5},{1 + at % 3}\n" for at in range(8)),
        "x.csv", "table",
    ),
    "a file that was not written to its end": (
        "system,topic,AP\n" + "".join(f"{name},{at},0.{at}{name}\n" for name in "12" for at in range(1, 8)) + "3,1",
        "x.csv", "table",
    ),
    "a table that stands in a text": (
        f"# Results\n\nWe ran 3 models.\n\n{_MEANS}\nMore, later.\n", "board.md", "leaderboard"
    ),
    "scores of segments as WMT writes them": (
        "".join(f"chrF\ten-de\tnt21\tnews\tref-A\t{name}\t{at}\t0.{at}{len(name)}\n"
                for name in ("a", "bb") for at in range(1, 8)),
        "x.seg.score", "table",
    ),
    "traces of Weave": (
        "model,inputs.example.id,output.scores.match.correct\n"
        + "".join(f"{name},{at},{(at % len(name)) == 0}\n" for name in ("gpt", "llama") for at in range(9)),
        "x.csv", "table",
    ),
    "scores by two judges of several years": (
        "year,judge,system,topic,metric,value\n" + "".join(
            f"{year},{judge},{name},{topic},AP,.{topic % 7}{len(name)}{len(judge)}\n"
            for year in (2019, 2020) for judge, first in (("gpt-4", 1), ("nist", 4))
            for name in ("a", "bb", "ccc") for topic in range(first, 12)
        ),
        "x.csv", "judges",
    ),
    "runs and judgments in an archive": (_zipped(_RUNS), "all.zip", "table"),
    "runs and judgments in a tar archive": (_tarred(_RUNS), "all.tar.xz", "table"),
}  # fmt: skip


@pytest.mark.parametrize("name", _FILES)
def test_what_look_prints_leads_to_an_answer(command, tmp_path, monkeypatch, name):
    """Filters run in a shell, options are added as an error says, and the command of the first question ends with 0."""
    monkeypatch.chdir(tmp_path)
    content, file, first = _FILES[name]
    Path(file).write_bytes(content if isinstance(content, bytes) else content.encode())
    line = f"metaeval look {file}"
    for _ in range(_STEPS):
        looked = command(*shlex.split(line)[1:])
        *filters, line = re.findall(_TYPED, looked.out or looked.err, re.MULTILINE) or [
            re.search(r"metaeval look .*", " ".join(looked.err.split()))[0]
        ]
        if "How it can be read" in looked.out:
            for text in filters:
                subprocess.run(["bash", "-c", text], check=True)  # noqa: S607 - what is printed
            if line.split()[1] != "look":
                break
        elif looked.code == 0:
            line, *_ = *filters, line
            break
    assert line.split()[1] == first, line
    ended = command(*shlex.split(line)[1:], "--json")
    assert ended.code == 0, (line, ended.err)


def test_means_below_topics_are_no_topics(command, tmp_path):
    """Of 0.4, 0.5, 0.2, 0.7 and 0.3, 0.45, 0.25, 0.52: 0.45 and 0.38, as map says; another row is asked."""
    path = tmp_path / "x.csv"
    text = "topic,a,b\n301,.4,.3\n302,.5,.45\n303,.2,.25\n304,.7,.52\nmap,.45,.38\ngm_map,.409,.3644\n"
    path.write_text(text)
    rows = command("table", path, "--json").json()["results"]
    assert {row["system"]: round(row["mean"], 9) for row in rows} == {"a": 0.45, "b": 0.38}
    path.write_text(text.replace("map,.45,.38", "map,.55,.38"))
    assert "seem to be metrics" in command("table", path).err


def test_a_gap_in_one_row_alone_names_the_row(command, tmp_path):
    """It may hold p-values, or an agreement, below the items."""
    path = tmp_path / "x.csv"
    path.write_text("question,a,b\n" + "".join(f"q{at},.{at},.{9 - at}\n" for at in range(1, 9)) + "raters' r,,.04\n")
    assert "1 gap, in 'raters' r' alone, which is to be taken out" in " ".join(
        command("look", path).out.split()
    ).replace('"', "'")
    path.write_text(path.read_text().replace("raters' r", "p vs a"))
    said = " ".join(command("look", path).out.split())
    assert "left out the summaries (p vs a)" in said
    assert f"metaeval table {path} " in said
    assert "--missing" not in said
    printed = command("table", path)
    assert printed.code == 0  # by hand: .45 of a, and .45 of b as mean of .8, .7, ... .1
    assert "0.450" in printed.out


def test_times_of_folds_are_no_part_of_systems(command, tmp_path):
    """Every row has another time to fit, which names nothing; sizes that several rows share may."""
    path = tmp_path / "x.csv"
    rows = [f"{'ab'[at % 2]},{at // 2},.{at + 1},{at}.{at + 2}" for at in range(8)]
    path.write_text("\n".join(["model,split,accuracy,fit_time", *rows]) + "\n")
    assert "fit_time=" not in command("look", path).out
    sized = [f"{'ab'[at % 2]},{at // 4},.{at + 1},{7 * (1 + at // 4)}B" for at in range(8)]
    path.write_text("\n".join(["model,batch,accuracy,size", *sized]) + "\n")
    assert "size" in command("table", path).err


def test_errors_in_cells_are_read_as_they_stand(command, tmp_path, monkeypatch):
    """The filter puts both numbers of each cell in columns of their own: 79.6 with error 2.1, and so on."""
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text("model,math,code\na,79.6 ± 2.1,77.5±1.8\nb,55.5 +/- 2.4,52.1 (2.4)\n")
    filtered, line = re.findall(r"^(?:metaeval|sed) .*", command("look", "x.csv").out, re.MULTILINE)
    subprocess.run(["bash", "-c", filtered], check=True)  # noqa: S607 - as above
    read = pd.read_csv(line.split()[-1])
    assert read.columns.tolist() == ["model", "math", "math_stderr", "code", "code_stderr"]
    assert np.allclose(read.iloc[:, 1:], [[79.6, 2.1, 77.5, 1.8], [55.5, 2.4, 52.1, 2.4]])


def test_errors_in_cells_of_some_columns_are_read_as_they_stand(command, tmp_path, monkeypatch):
    """Only the column with errors gets one beside it; stars go, and a name with a number in brackets stays."""
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text("model,ter,bleu\na (12),55.1,27.3 (±0.4)\n**b**,**54**,**31.2** (± 0.5)\n")
    filtered, line = re.findall(r"^(?:metaeval|sed) .*", command("look", "x.csv").out, re.MULTILINE)
    subprocess.run(["bash", "-c", filtered], check=True)  # noqa: S607 - as above
    assert Path(line.split()[-1]).read_text() == "model,ter,bleu,bleu_stderr\na (12),55.1,27.3,0.4\nb,54,31.2,0.5\n"


def test_intervals_in_cells_are_read_as_they_stand(command, tmp_path, monkeypatch):
    """The filter puts the three numbers of each cell in columns of their own: 68.8 from 67.3 to 70.4, and so on."""
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text(
        'model,acc,gain\na,"68.8 [67.3, 70.4]",-1.2 (-2.2--0.2)\nb,60 (58\N{EN DASH}62),.5 (-.5 to 1.5)\n'
    )
    filtered, line = re.findall(r"^(?:metaeval|sed) .*", command("look", "x.csv").out, re.MULTILINE)
    subprocess.run(["bash", "-c", filtered], check=True)  # noqa: S607 - as above
    read = pd.read_csv(line.split()[-1])
    assert read.columns.tolist() == ["model", "acc", "acc_low", "acc_high", "gain", "gain_low", "gain_high"]
    assert np.allclose(read.iloc[:, 1:], [[68.8, 67.3, 70.4, -1.2, -2.2, -0.2], [60, 58, 62, 0.5, -0.5, 1.5]])


def test_columns_of_a_system_and_a_metric_each_are_told_apart(command, tmp_path):
    """Scores by hand: A under bleu 20 and 30, B 40 and 20, so means 25 and 30; under chrf 1 and 3, 2 and 6."""
    path = tmp_path / "x.csv"
    path.write_text("id,bleu_A,chrf_A,bleu_B,chrf_B\n1,20,1,40,2\n2,30,3,20,6\n")
    rows = command("table", path, "--form", "crossed", "--json").json()["results"]
    assert {(row["metric"], row["system"]): row["mean"] for row in rows} == {
        ("bleu", "A"): 25, ("bleu", "B"): 30, ("chrf", "A"): 2, ("chrf", "B"): 4,
    }  # fmt: skip
    path.write_text("id,A_bleu,B_bleu,A_chrf\n1,20,1,40\n2,30,3,20\n")
    assert "not all systems under all of some known metrics" in command("table", path, "--form", "crossed").err


def test_votes_under_unknown_names_are_led_to_their_columns(command, tmp_path, monkeypatch):
    """Whoever asks for scores of them is told how the columns are named, and that line answers."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{'abc'[at % 3]},{'abc'[(at + 1) % 3]},{('first', 'second', 'tie')[at % 4 % 3]},{at}" for at in range(24)]
    Path("x.csv").write_text("\n".join(["first,second,better,timestamp", *rows]))
    for name, asked in (("stop", "stop"), ("table", "votes")):
        refused = " ".join(command(name, "x.csv").err.split())
        assert "these seem to be votes" in refused
        line = f"metaeval {asked} x.csv --left-column first --right-column second --winner-column better"
        assert refused.endswith(line)
        assert command(*line.split()[1:], "--json").code == 0
        assert f"\n{line}\n" in command("look", "x.csv").out


def test_a_table_that_may_be_of_judges_says_so(command, tmp_path):
    """Whole numbers on few levels, of names that may be systems or people: both questions are shown, with commands."""
    path = tmp_path / "x.csv"
    path.write_text("item,ann,ben\n" + "".join(f"i{at},{at % 3},{(at + at // 5) % 3}\n" for at in range(12)))
    looked = command("look", path)
    assert "Scores of systems by item, or labels of items by judges: 2 systems" in looked.out
    for name in ("table", "judges"):
        assert f"metaeval {name} {path}\n" in looked.out
        assert command(name, path, "--json").code == 0
    path.write_text(path.read_text().replace("i3,0", "i3,0.5"))
    assert "labels of items" not in command("look", path).out


def test_patterns_are_files(command, tmp_path, monkeypatch):
    """As the other commands take runs; a file of runs and its judgments have as many metrics as their table."""
    monkeypatch.chdir(tmp_path)
    for name, text in _RUNS.items():
        Path(name).write_text(text)
    looked = command("look", "*.run", "qrels.txt", "--quiet")
    assert "Runs and their judgments: 2 systems, 7 topics and 8 metrics." in looked.out
    (line,) = re.findall(r"^metaeval table .*", looked.out, re.MULTILINE)
    table = command(*shlex.split(line)[1:], "--json").json()
    assert len({row["metric"] for row in table["results"]}) == 8
    note = "relevant under AP, bpref, P@10, RR are grades from 1 on; AP(rel=2) starts at 2"
    for words in (line.split()[1:], ["look", "*.run", "qrels.txt"]):
        assert note in command(*words, "--json").json()["notes"]
    stricter = command(*line.split()[1:], "--metrics", "AP(rel=2)", "--json").json()
    assert note not in stricter["notes"]


def test_output_of_trec_eval_has_no_names_of_columns(command, tmp_path):
    """Its first line is no header."""
    path = tmp_path / "bm25.eval"
    path.write_text("runid\tall\tbm25\nmap\t1\t0.25\nmap\t2\t0.35\nP_10\t1\t0.2\nP_10\t2\t0.4\n")
    looked = command("look", path)
    assert "1 system, 2 topics" in looked.out
    assert "Columns of" not in looked.out


@pytest.mark.parametrize("names", ["Rater 1,Rater 2", "annotator_A,annotator_B"])
def test_raters_beside_a_column_of_any_name_are_judges(names, command, tmp_path):
    """The command that is printed names the items, and compares the raters."""
    path = tmp_path / "ratings.csv"
    pairs = [(4, 3), (5, 4), (4, 4), (2, 2), (3, 2), (5, 5), (4, 3), (3, 3), (2, 1), (5, 4)]
    path.write_text(
        "\n".join([f"Summary,{names}", *(f"S{at},{one},{two}" for at, (one, two) in enumerate(pairs))]) + "\n"
    )
    told = command("look", str(path)).out
    line = next(line for line in told.splitlines() if line.startswith("metaeval judges"))
    assert "--column item=Summary" in line
    assert "Do the judges agree?" in command(*shlex.split(line)[1:]).out


def test_a_matrix_of_wins_holds_votes(command, tmp_path, monkeypatch):
    """A cell says how often its row beat its column: by hand A wins 17 of 20; no reader takes it for scores."""
    monkeypatch.chdir(tmp_path)
    Path("wins.csv").write_text(",A,B,C\nA,0,8,9\nB,2,0,7\nC,1,3,0\n")
    looked = command("look", "wins.csv")
    assert "3 systems and 30 votes. A wins 85 % of 20 votes" in looked.out
    assert "a cell says how often its row beat its column" in looked.out
    assert command("votes", "wins.csv", "--json").code == 0
    frame = pd.read_csv("wins.csv", index_col=0)
    assert metaeval.look(frame).answer.startswith("A wins 85 % of 20 votes")
    assert "these are votes on pairs of systems" in " ".join(command("table", "wins.csv").err.split())
    for odd in (",A,B,C\nA,0,8,9\nB,2.5,0,7\nC,1,3,0\n", ",A,B,C\nA,1,.2,.3\nB,.2,1,.5\nC,.3,.5,1\n"):
        Path("odd.csv").write_text(odd)  # halves of ties, and correlations
        for name in ("look", "table", "votes"):
            said = command(name, "odd.csv")
            assert "rows and columns have the same names" in " ".join((said.err + said.out).split())
    Path("wins.csv").write_text(",A,B,D\nA,0,8,9\nB,2,0,7\nC,1,3,0\n")
    assert "Scores of systems by item" in command("look", "wins.csv").out


def test_who_lost_is_not_who_won(command, tmp_path, monkeypatch):
    """By its name a column says who won or lost; where it says neither both are offered, and nobody is taken for it."""
    monkeypatch.chdir(tmp_path)
    sides = [("left", "right", "tie", "left")[at % 4] for at in range(24)]
    rows = [f"{'xyz'[at % 3]},{'xyz'[(at + 1) % 3]},{side}" for at, side in enumerate(sides)]
    lines = {}
    for name in ("winner", "better", "worse", "which one is bad"):
        Path("v.csv").write_text("\n".join([f"left,right,{name}", *rows]))
        looked = command("look", "v.csv")
        lines[name] = re.search(r"^metaeval votes v.csv.*", looked.out, re.MULTILINE)[0]
        assert ("who lost" in looked.out) == (name not in {"winner", "better"})
        assert command(*shlex.split(lines[name])[1:], "--json").code == 0
    assert lines["which one is bad"].endswith("--loser-column 'which one is bad'")
    Path("v.csv").write_text("\n".join(["left,right,named", *rows]))
    looked = command("look", "v.csv")
    said = " ".join(looked.out.split())
    for option in ("winner", "loser"):
        assert f"--left-column left --right-column right --{option}-column named" in said
    assert "metaeval votes v.csv --left-column" not in said


def test_text_of_two_bytes_a_letter_is_said_so(command, tmp_path):
    """Excel writes it as "Unicode text": look says what table says, and takes none for XML; XML may be so."""
    path = tmp_path / "x.txt"
    path.write_bytes("topic\ta\tb\n1\t0.1\t0.2\n2\t0.3\t0.1\n".encode("utf-16"))
    for name in ("look", "table", "votes", "judges"):
        said = command(name, path)
        assert "the file is UTF-16; save it as UTF-8" in " ".join((said.out + said.err).split())
    xml = "<?xml version='1.0'?><a/>"
    assert {root_name(xml.encode("utf-16")), root_name(codecs.BOM_UTF16_BE + xml.encode("utf-16-be"))} == {"a"}


def test_labels_that_judges_reads_look_reads(command, tmp_path, monkeypatch):
    """Yes and no by columns called as judges; and rows without names of items are to be numbered, by either command."""
    monkeypatch.chdir(tmp_path)
    cells = [(at % 2, (at + at // 5) % 2, (at + at // 3) % 2) for at in range(20)]
    words = "".join(f"{at}," + ",".join(("FALSE", "TRUE")[cell] for cell in row) + "\n" for at, row in enumerate(cells))
    Path("x.csv").write_text("document_id,reviewer1,reviewer2,nist\n" + words)
    assert "Labels of items by judges: 3 judges and 20 items" in command("look", "x.csv").out
    Path("x.csv").write_text("id,bm25,dpr,colbert\n" + words)
    assert "Labels of items by judges" not in command("look", "x.csv").out
    for others in ("nist", "reviewer3"):
        Path("x.csv").write_text(f"reviewer1,reviewer2,{others}\n" + "".join(f"{a},{b},{c}\n" for a, b, c in cells))
        for name in ("look", "judges"):
            said = command(name, "x.csv")
            assert "number the rows (awk '" in " ".join((said.out + said.err).split())
    Path("x.csv").write_text("dpr,reviewer,bm25\n" + "".join(f"{a},{b},{c}\n" for a, b, c in cells))
    assert "Scores of systems by item" in command("look", "x.csv").out


def test_a_state_before_and_after_is_not_taken_for_the_items_of_numbered_questions(command, tmp_path):
    """The questions are the items; of two states one is chosen, and none becomes the item."""
    rows = [(at, name, phase, at * 0.01) for at in range(8) for name in ("A", "B") for phase in ("before", "after")]
    path = tmp_path / "x.csv"
    pd.DataFrame(rows, columns=["question", "retriever", "phase", "score"]).to_csv(path, index=False)
    shown = command("look", path).out
    assert "--item-column phase" not in shown
    assert "--where phase=before" in shown


def test_no_filter_of_lines_is_offered_for_json(command, tmp_path):
    """Words of a scale stand in no cells that a filter of CSV finds."""
    said = ["none", "partial", "supports", "none"]
    rows = [{"run": run, "topic": f"t{at}", "label": label} for run in "ab" for at, label in enumerate(said)]
    for name, text in (("x.json", json.dumps(rows)), ("x.jsonl", "\n".join(map(json.dumps, rows)))):
        (tmp_path / name).write_text(text)
        shown = command("look", tmp_path / name)
        assert "none 0, partial 0.5" in shown.out
        assert "sed" not in shown.out
