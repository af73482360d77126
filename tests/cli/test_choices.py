"""Every value of every option that takes one of several words has its effect, on an input on which it must matter.

The options are found by looking at the commands. One without a row here, and without a reason in `ELSEWHERE`, fails the
suite; so does a value whose figures are those of another.
"""

import json
import os
import shlex
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
import typer

from metaeval.cli import app
from metaeval.cli.option import declared
from metaeval.errors import ScoresError
from metaeval.inex.simulation import simulate_inex
from metaeval.simulate.collection import simulate_collection
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS

pytestmark = [
    pytest.mark.usefixtures("one_core"),
    pytest.mark.filterwarnings("ignore::metaeval.errors.MetaevalWarning"),
]


class Row(NamedTuple):
    """A command line to which the option is added with each of its values."""

    line: str
    taken: tuple[str, ...] = ()
    """Where they are not the words that the option names."""
    shown: bool = False
    """Whether the option changes what is shown, and no figure."""


ROWS = {
    ("--alternative", "two-sided|greater|less|better"): {
        "power": Row("power mixed.csv cost.csv --lower-is-better cost --test t --correction none"),
        "compare-tests": Row("compare-tests ap.csv cost.csv --lower-is-better cost --test t,sign --splits 3"),
    },
    ("--alternative", "two-sided|better"): {"agree": Row("agree ap.csv rr.csv --test t --correction none")},
    ("--by", "vote|question|voter"): {"stop": Row("stop arena.csv --replay 0")},
    ("--clusters", "random|fixed|means|ignore"): {"": Row("table clusters.csv")},
    ("--correction", "holm|fdr_bh"): {"stop": Row("stop passed.csv --replay 0")},
    ("--duplicates", "error|first|mean"): {
        "": Row("table twice.csv"),
        "judges": Row("judges twice-labels.csv --resamples 20"),
    },
    ("--duplicates", "keep|first"): {"votes": Row("votes twice-votes.csv")},
    ("--evidence", "t|sign|betting"): {"stop": Row("stop passed.csv --replay 0")},
    ("--exchange", "published|clusters|items|cells|systems"): {
        "human": Row(
            "human human.csv --reference human --item doc --cluster part --tasks pearson:item,pearson:system "
            "--resamples 999"
        )
    },
    ("--form", "wide|long|trec_eval|ir_measures|tot|frame|crossed"): {
        "": Row("table four.csv", ("wide", "long", "trec_eval", "ir_measures", "tot", "frame")),
        "power": Row("power crossed.csv --test t", ("wide", "crossed")),
    },
    ("--intervals", "robust|normal"): {"components": Row("components ap.csv --splits 0")},
    ("--labelled", "common|own"): {
        "judges": Row("judges judge-a judge-b --runs made/runs --reference judge-a --metrics AP --resamples 20")
    },
    ("--marks", "letters|groups"): {"table": Row("table ap.csv", shown=True)},
    ("--measure", "system|topic|judge"): {"components": Row("components ap.csv rr.csv --judges --splits 0")},
    ("--missing", "error|zero|drop-systems|drop-topics|pairwise"): {"": Row("table gaps.csv")},
    ("--missing", "error|zero|drop-systems|drop-topics"): {
        "judges": Row("judges a=gaps-a.csv b=gaps-b.csv --reference a --resamples 20")
    },
    ("--order", "score|ties-ascending|rank|input"): {
        "": Row("score ties.run other.run --qrels qrels.txt --metrics AP")
    },
    ("--outside", "error|drop"): {"judges": Row("judges labels.csv --scale 0,1 --resamples 20")},
    ("--over", "all|common"): {
        "human": Row("human partly.csv --reference human --item doc --tasks pearson:system --resamples 20")
    },
    ("--permute", "systems|both|items"): {"human": Row("human human.csv --reference human --item doc --resamples 200")},
    ("--rank-method", "posterior|guaranteed"): {"leaderboard": Row("leaderboard ap.csv --resamples 100")},
    ("--repeat", "nested|crossed|shared"): {"components": Row("components repeats.csv --splits 0")},
    ("--resample", "items|systems|both"): {"human": Row("human human.csv --reference human --item doc --resamples 50")},
    ("--rounds", "documents|results"): {
        "judgments": Row(
            "judgments inex/submissions --qrels inex/assessments --metrics AP --pool-sizes 3,6 "
            "--question shallower-pools --replicates 2 --tested 0"
        )
    },
    ("--rounds", "results|documents"): {"assessment": Row("assessment inex/assessments --runs inex/submissions")},
    ("--rows", "mean|given"): {"table": Row("table ap.csv", shown=True)},
    ("--sampling", "disjoint|overlapping|bootstrap"): {
        "topics": Row("topics ap.csv --trials 5 --no-bayes --interval-resamples 0 --tolerances 0")
    },
    ("--score-precision", "float64|float32"): {"": Row("score near.run other.run --qrels qrels.txt --metrics AP")},
    ("--scoring", "accuracy|neg_rmse"): {
        "judges": Row("judges people.csv --reference ann --people ben,cat --resamples 20")
    },
    ("--subtopics", "keep|collapse"): {"": Row("score ties.run other.run --qrels subtopics.txt")},
    ("--systems-in", "columns|rows"): {"": Row("table ap.csv")},
    ("--ties", "half|davidson|drop"): {"votes": Row("votes votes.csv")},
    ("--study", "power|agree|topics|table|judges"): {
        "combine": Row(
            "combine a=ap.csv a=rr.csv b=b_ap.csv b=b_rr.csv --interval-resamples 20",
            ("power", "agree", "topics", "table"),
        )
    },
    ("--tolerance-unit", "relative|absolute"): {
        "topics": Row("topics ap.csv --trials 5 --no-bayes --interval-resamples 0 --tolerances 0,0.05")
    },
    ("--undefined", "zero|drop"): {"": Row("score ties.run other.run --qrels barren.txt --metrics AP")},
    ("--choose", "all|one-per-group|N"): {"": Row("table ap.csv --groups groups.csv", ("all", "one-per-group", "2"))},
    ("--ranked", "all|one-per-group|N"): {
        "judgments": Row(
            "judgments made/runs --qrels made/qrels.txt --metrics AP --replicates 2 --tested 0 --question less-judging "
            "--groups made/groups.csv",
            ("all", "one-per-group", "3"),
        )
    },
    ("--cost", "2003|2005|2006|R,N"): {
        "judgments": Row(
            "judgments made/runs --qrels made/qrels.txt --metrics AP --replicates 2 --tested 0 --question effort",
            ("2003", "2005", "2006", "1,2"),
        ),
        "assessment": Row("assessment inex/assessments --runs inex/submissions", ("2003", "2005", "2006", "1,2")),
    },
    ("--method", "t,anova,interval|all"): {
        "design": Row("design ap.csv --difference 0.1", ("t", "anova", "interval", "all"))
    },
    ("--variance", "residual|within|pairs|NUMBER"): {
        "design": Row("design ap.csv --difference 0.1", ("residual", "within", "pairs --pair s0,s1", "0.05"))
    },
    ("--correction", "NAME"): {"": Row("table ap.csv", tuple(CORRECTIONS))},
    ("--test", "NAME"): {"": Row("table ap.csv --resamples 200", tuple(TESTS))},
}

ELSEWHERE = {
    ("--bayesian", "t|hierarchical|pymc"): "the third samples: tests/models/test_bayesian_comparison.py",
    (
        "--preset",
        "wmt22|wmt23|wmt24",
    ): "each names the language pairs of a campaign: tests/questions/human/test_study_campaign.py",
}
"""Options whose values are told apart by other tests; and why not here."""
NUMBERS = {
    "30s|5m|1h": "a time",
    "N|FILE": "a number or a file",
    "5-25|5,10,20": "numbers",
    "NAME,…|all": "names by comma: each is a value of the option that takes one",
}
"""Metavars with a stroke that name no words; and why their values are not gone through."""


def _choices():
    """Yield every option that takes one of several words: command, name and metavar."""
    main = typer.main.get_command(app)
    for name, command in main.commands.items():
        for parameter, option in declared(command):
            if (parameter.opts[0], option.metavar) in ELSEWHERE:
                continue
            chosen = option.metavar == "NAME" and parameter.opts[0] in {"--test", "--correction"}
            if chosen or (option.metavar and "|" in option.metavar and option.metavar not in NUMBERS):
                yield name, parameter.opts[0], option.metavar


def test_every_option_with_choices_has_a_row():
    """By command where it has one of its own; else in any, as readers and studies are the same for all."""
    found = {(option, metavar): set() for _, option, metavar in _choices()}
    for command, option, metavar in _choices():
        found[option, metavar].add(command)
    assert found.keys() == ROWS.keys()
    for key, commands in found.items():
        assert {""} == set(ROWS[key]) or set(ROWS[key]) - {""} <= commands, key
        assert "" in ROWS[key] or set(ROWS[key]) == commands, key


# ---------------------------------------------------------------------------------------------------------------- data


def _wide(folder, name, scores, topics=None):
    names = [f"s{number}" for number in range(scores.shape[1])]
    frame = pd.DataFrame(scores.round(3), columns=names, index=topics or [str(301 + at) for at in range(len(scores))])
    frame.rename_axis("topic").to_csv(folder / name)


def _run(folder, name, rows):
    (folder / name).write_text("".join(f"{topic} Q0 {doc} {rank} {score} {name}\n" for topic, doc, rank, score in rows))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Write small files on which each choice matters."""
    folder = tmp_path_factory.mktemp("choices")
    rng = np.random.default_rng(4)
    truth = 0.2 + 0.06 * np.arange(5) + 0.1 * rng.standard_normal((24, 1))
    ap = (truth + 0.1 * rng.standard_normal((24, 5))).clip(0.01, 0.99)
    _wide(folder, "ap.csv", ap)
    _wide(folder, "mixed.csv", ap[:, [2, 0, 4, 1, 3]])
    _wide(folder, "rr.csv", (truth + 0.2 * rng.standard_normal((24, 5))).clip(0.01, 0.99))
    others = [str(401 + at) for at in range(24)]  # of another collection
    _wide(folder, "b_ap.csv", ap[::-1] ** 2, others)
    _wide(folder, "b_rr.csv", (truth + 0.15 * rng.standard_normal((24, 5))).clip(0.01, 0.99), others)
    _wide(folder, "cost.csv", 1 - (truth + 0.15 * rng.standard_normal((24, 5))).clip(0.01, 0.99))
    frame = pd.read_csv(folder / "ap.csv", dtype={"topic": str}).melt("topic", var_name="system", value_name="score")
    sizes = np.array([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 5, 5, 5, 6, 7, 7])
    frame.assign(cluster=[f"c{sizes[int(topic) - 301]}" for topic in frame["topic"]]).to_csv(
        folder / "clusters.csv", index=False
    )
    gaps = ap.copy()
    gaps[2, 0] = gaps[5, 4] = np.nan
    _wide(folder, "gaps.csv", gaps)
    (folder / "twice.csv").write_text((folder / "ap.csv").read_text() + "301,0.9,0.1,0.9,0.1,0.9\n")
    (folder / "groups.csv").write_text("system,group\n" + "".join(f"s{at},{'xxyyz'[at]}\n" for at in range(5)))
    rows = [f"q{at},{at / 10},{at % 3 / 5},{at * 3},{50 - at}" for at in range(6)]
    (folder / "crossed.csv").write_text("\n".join(["item,a_bleu,b_bleu,a_chrf,b_chrf", *rows]) + "\n")
    (folder / "four.csv").write_text(
        "".join(
            f"{system} {metric} {topic} {rng.random():.3f}\n"
            for system in "ab"
            for metric in ("AP", "P@5")
            for topic in "123"
        )
    )
    seeds = [
        (
            f"s{system}",
            str(topic),
            repeat,
            round(float(ap[topic, system] + 0.05 * rng.standard_normal() + 0.03 * repeat), 3),
        )
        for system in range(4)
        for topic in range(12)
        for repeat in range(3)
    ]
    pd.DataFrame(seeds, columns=["system", "topic", "repeat", "score"]).to_csv(folder / "repeats.csv", index=False)
    _of_runs(folder)
    _of_people(folder, rng)
    return folder


def _of_runs(folder):
    documents = [f"d{number}" for number in range(8)]
    grades = {topic: dict(zip(documents, "20100100" if topic == "1" else "00210001", strict=True)) for topic in "12"}
    lines = [(topic, doc, grade) for topic, part in grades.items() for doc, grade in part.items()]
    (folder / "qrels.txt").write_text("".join(f"{topic} 0 {doc} {grade}\n" for topic, doc, grade in lines))
    (folder / "barren.txt").write_text((folder / "qrels.txt").read_text() + "3 0 d1 0\n")
    (folder / "subtopics.txt").write_text(
        "".join(f"{topic} {number % 2} {doc} {grade}\n" for number, (topic, doc, grade) in enumerate(lines))
        + "1 0 d1 1\n"
    )
    places = {"d0": 1.0, "d1": 1.0, "d2": 3.0, "d3": 3.0, "d4": 1.0, "d5": 0.5, "d6": 2.0, "d7": 1.0}
    ranks = (5, 2, 8, 1, 3, 7, 4, 6)
    rows = [
        (topic, doc, rank, score) for topic in "12" for rank, (doc, score) in zip(ranks, places.items(), strict=True)
    ]
    _run(folder, "ties.run", rows)
    _run(folder, "near.run", [(topic, doc, rank, 1 + 1e-9 * rank) for topic, doc, rank, _ in rows])
    _run(
        folder,
        "other.run",
        [(topic, doc, rank, 9 - rank) for topic in "123" for rank, doc in enumerate(documents, start=1)],
    )
    made = simulate_collection(
        n_groups=3, runs_per_group=2, n_topics=8, n_documents=200, depth=30, pool_depth=15, rng=1
    )
    made.write_collection(folder / "made")
    campaign = simulate_inex(
        year=2005, n_systems=3, n_topics=3, n_documents=40, n_results=20, pool_size=15, published=False, rng=4
    )
    campaign.write_collection(folder / "inex")
    for judge, part in (("judge-a", 1), ("judge-b", 2)):
        rows = [
            line for at, line in enumerate((folder / "made" / "qrels.txt").read_text().splitlines()) if at % 5 != part
        ]
        (folder / judge).write_text("\n".join(rows) + "\n")


def _of_people(folder, rng):
    cells = [(f"s{system}", f"d{doc}", rng.normal(system, 1.5)) for system in range(6) for doc in range(15)]
    rows = [(*names, people, people + rng.normal(0, 2), people + rng.normal(0, 2.6)) for *names, people in cells]
    frame = pd.DataFrame(rows, columns=["system", "doc", "human", "good", "poor"]).round(3)
    frame["part"] = "p" + frame["doc"].str[-1]
    frame.to_csv(folder / "human.csv", index=False)
    frame.assign(human=frame["human"].where(frame["doc"] < "d12")).to_csv(folder / "partly.csv", index=False)
    truth = rng.integers(0, 3, 40)
    noisy = {name: np.where(rng.random(40) < 0.75, truth, 2 - truth) for name in ("ann", "ben", "cat")}
    noisy["llm"] = np.where(rng.random(40) < 0.5, truth, np.where(truth == 1, 2, 1))  # errors are many, and small
    labels = pd.DataFrame({"topic": np.arange(40) // 8, "item": [f"i{at}" for at in range(40)], **noisy})
    labels.to_csv(folder / "people.csv", index=False)
    labels.assign(ann=labels["ann"].replace(2, 1), ben=labels["ben"].replace(2, 1)).drop(columns=["cat"]).to_csv(
        folder / "labels.csv", index=False
    )
    (folder / "twice-labels.csv").write_text((folder / "people.csv").read_text() + "0,i0,0,2,0,2\n")
    votes = pd.DataFrame({"left": rng.choice(list("abcd"), 150), "right": rng.choice(list("abcd"), 150)})
    votes = votes[votes["left"] != votes["right"]]
    better = votes["left"] < votes["right"]
    drawn = rng.random(len(votes))
    winner = np.where(drawn < 0.25, "tie", np.where((drawn < 0.75) == better, votes["left"], votes["right"]))
    votes = votes.assign(winner=winner, question=np.arange(len(votes)) % 30)
    votes.to_csv(folder / "votes.csv", index=False)
    pd.concat([votes, votes.tail(20)]).to_csv(folder / "twice-votes.csv", index=False)
    votes.assign(voter=np.arange(len(votes)) % 17).to_csv(folder / "arena.csv", index=False)
    chances = np.array([0.95, 0.6, 0.55, 0.5, 0.3])
    _wide(folder, "passed.csv", (np.random.default_rng(1).random((60, 5)) < chances).astype(int))
    for name, lacking in (("gaps-a", 3), ("gaps-b", 7)):
        scores = rng.random((10, 4))
        scores[lacking, 1] = np.nan
        _wide(folder, f"{name}.csv", scores)


# ------------------------------------------------------------------------------------------------------------ outcomes


def _figures(ended, shown):
    """Return what a command found: its figures or, where it refuses, the code and the rule."""
    if ended.code:
        return ended.code, ended.err.strip().splitlines()[-1]
    if shown:
        return ended.out
    answer = json.loads(ended.out)
    told = {name: table["rows"] for name, table in answer["tables"].items() if name not in {"provenance", "checksums"}}
    return json.dumps([*_numbers([answer["results"], told])])


def _numbers(part):
    """Yield every number in an answer: words may do no more than name the value."""
    if isinstance(part, dict | list):
        for inner in part.values() if isinstance(part, dict) else part:
            yield from _numbers(inner)
    elif not isinstance(part, str):
        yield part


LINES = [
    pytest.param(option, row, row.taken or tuple(metavar.split("|")), id=f"{row.line.split()[0]} {option}")
    for (option, metavar), rows in ROWS.items()
    for row in rows.values()
]


@pytest.mark.parametrize(("option", "row", "values"), LINES)
def test_every_value_has_an_effect(command, data, option, row, values):
    """No two values give the same figures; a value may be refused, as an error is, but not all of them."""
    os.chdir(data)
    words = [*shlex.split(row.line), option]
    found = {
        value: _figures(command(*words, *value.split(), *([] if row.shown else ["--json"]), "--quiet"), row.shown)
        for value in values
    }
    assert not any(isinstance(one, tuple) and one[0] not in {3, 4} for one in found.values()), found
    assert sum(isinstance(one, str) for one in found.values()) > 0, found
    assert [pair for pair in combinations(values, 2) if found[pair[0]] == found[pair[1]]] == []


READERS = {
    "metaeval.inex.judged_files.read_judged": ("order", "score_precision", "missing", "duplicates", "subtopics"),
    "metaeval.io.tables.read_scores": ("form", "systems_in", "missing", "duplicates"),
}
"""What is handed to a reader as it stands; the rows above say on one command that it matters."""


@pytest.mark.parametrize("reader", READERS)
def test_readers_are_handed_what_every_command_was_asked(command, data, monkeypatch, reader):
    """Each value of each option of reading arrives, whatever the command."""
    handed = {}

    def stop(*_, **given):
        handed.update(given)
        raise ScoresError("seen")

    monkeypatch.setattr(reader, stop)
    os.chdir(data)
    of_runs = reader.endswith("judged")
    words = ["ties.run", "other.run", "--qrels", "qrels.txt"] if of_runs else ["ap.csv", "rr.csv"]
    seen = set()
    for name, option, metavar in _choices():
        argument = option.removeprefix("--").replace("-", "_")
        if name == "combine" and of_runs:
            continue
        if (
            argument not in READERS[reader]
            or name in {"judges", "votes"}
            or (name in {"score", "judgments"}) > of_runs
            or (name == "combine") > (not of_runs)
        ):
            continue
        for value in metavar.split("|"):
            handed.clear()
            ended = command(name, *words, option, value, *(["--out", "page"] if name == "report" else []))
            refused = value == "pairwise" and "pairwise" in ended.err
            assert "seen" in ended.err or refused, (name, option, value, ended.err)
            assert refused or handed[argument] == value, (name, option, value)
            seen.add((name, argument))
    assert len({name for name, _ in seen}) >= 10
