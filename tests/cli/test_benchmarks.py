"""Results of benchmarks on the command line: folders, columns by name and by number, and what they exclude."""

import json
import re

import numpy as np
import pytest

ROWS = [(system, item, score) for system, step in (("a", 1), ("b", 2)) for item, score in
        (("q1", 0.125 * step), ("q2", 0.25), ("q3", 0.5 * step), ("q4", 0.125))]  # fmt: skip


@pytest.fixture
def results(tmp_path):
    """Return a folder of MTEB's results: three models, four tasks."""
    rng = np.random.default_rng(4)
    for at, model in enumerate(("org__a", "org__b", "org__c")):
        (tmp_path / "results" / model / "1").mkdir(parents=True)
        for task in ("T1", "T2", "T3", "T4"):
            entry = {"hf_subset": "default", "main_score": at / 4 + rng.random() / 8, "f1": at / 4 + rng.random()}
            held = {"task_name": task, "scores": {"test": [entry]}}
            (tmp_path / "results" / model / "1" / f"{task}.json").write_text(json.dumps(held))
    return tmp_path / "results"


def _power(ended):
    assert ended.code == 0, ended.err
    return [(row["metric"], row["n_pairs"], row["n_significant"]) for row in ended.json()["results"]]


def test_a_folder_is_enough(command, results):
    """Every file of the folder is read and recorded, and the page speaks of items."""
    ended = command("power", results, "--test", "t", "--correction", "none", "--json")
    assert [row[:2] for row in _power(ended)] == [("main_score", 3), ("f1", 3)]
    assert len(ended.json()["provenance"]["inputs"]) == 12
    assert "4 items" in command("power", results, "--test", "t").out
    chosen = command("power", results, "--test", "t", "--correction", "none", "--json", "--metrics", "f1")
    assert [row[0] for row in _power(chosen)] == ["f1"]
    assert "no metric in the results 'nope'" in command("power", results, "--metrics", "nope").err


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_columns_by_name(command, tmp_path, form):
    """Each column may go by any name; what is called nowhere is left out by name."""
    names = ("team", "question", "acc", "seconds")
    if form == "csv":
        text = ",".join(names) + "\n" + "".join(f"{system},{item},{score},9\n" for system, item, score in ROWS)
    else:
        text = "".join(json.dumps(dict(zip(names, (*row, 9), strict=True))) + "\n" for row in ROWS)
    (tmp_path / f"x.{form}").write_text(text)
    said = (
        "--system-column",
        "team",
        "--item-column",
        "question",
        "--value-column",
        "acc",
        "--ignore-column",
        "seconds",
    )
    ended = command("power", f"x.{form}", *said, "--test", "t", "--correction", "none", "--json")
    assert _power(ended)[0][:2] == ("acc", 1)
    assert ended.json()["options"]["item_column"] == "question"
    without = command("power", f"x.{form}", *said[:-2], "--test", "t")
    assert without.code == 0
    assert "left out column 'seconds'" in without.out


def test_columns_by_number(command, tmp_path):
    """A table without a header has its columns counted; names mean nothing there."""
    (tmp_path / "x.csv").write_text("".join(f"{item},{score},{system}\n" for system, item, score in ROWS))
    counted = ("--no-header", "--system-column", "3", "--item-column", "1", "--value-column", "2")
    assert _power(command("power", "x.csv", *counted, "--test", "t", "--correction", "none", "--json"))[0][1] == 1
    for wrong in ("team", "0", "-1", "1.5"):
        ended = command("power", "x.csv", "--no-header", "--system-column", wrong)
        assert ended.code != 0
        assert "--system-column takes a column's number, counted from 1" in ended.err
    ended = command("power", "x.csv", "--no-header", "--ignore-column", "2")
    assert "--no-header and --ignore-column exclude each other" in ended.err


@pytest.mark.parametrize(
    ("text", "said", "expected"),
    [
        ("bm25,0.3,0.1,0.2,0.5\nlm,0.0,0.4,0.3,0.6\nql,0.1,0.1,0.6,0.7\n", ("--no-header",), {3, 6}),
        ("q,a,b\n1,5,6\n2,7,9\n3,1,4\n", (), {1, 3}),
    ],
)
def test_every_way_out_of_a_table_that_could_be_two_can_be_gone(command, tmp_path, text, said, expected):
    """The options that a refusal names settle what it could not tell, each in its own way."""
    (tmp_path / "x.csv").write_text(text)
    ended = command("power", "x.csv", *said, "--test", "t")
    ways = re.findall(r"--(?:item|system)-column \w+", ended.err)
    assert len(ways) == 2
    assert "in Python" not in ended.err
    sizes = {
        command("power", "x.csv", *said, *way.split(), "--test", "t", "--json").json()["results"][0]["n_pairs"]
        for way in ways
    }
    assert sizes == expected


def test_the_order_of_four_columns_is_asked_for_in_options(command, tmp_path):
    """The refusal names options that settle it, and they do."""
    rows = [(system, topic, measure) for system in "xy" for topic in ("leaf", "bee") for measure in ("good", "short")]
    (tmp_path / "x.txt").write_text("".join(f"{' '.join(row)} {number}\n" for number, row in enumerate(rows)))
    ended = command("power", "x.txt", "--test", "t")
    way = "--no-header --system-column 1 --item-column 2 --metric-column 3 --value-column 4"
    assert way in ended.err
    found = command("power", "x.txt", *way.split(), "--test", "t", "--correction", "none", "--json")
    assert [row[0] for row in _power(found)] == ["good", "short"]


def test_columns_of_what_is_no_table(command, results, tmp_path):
    """Results of a benchmark say themselves what is what, and runs have no columns to name."""
    ended = command("power", results, "--item-column", "x")
    assert ended.code != 0
    assert "is a file of MTEB, which says itself what is what; leave out --item-column x" in ended.err
    (tmp_path / "qrels").write_text("1 0 d 1\n")
    ended = command("power", results, "--qrels", "qrels", "--no-header")
    assert "--no-header is about score tables, and with --qrels the inputs are runs" in ended.err


def test_repeats_clusters_and_weights_by_name(command, tmp_path):
    """Columns of epochs, tasks and weights are what they are said to be."""
    rows = [(system, f"q{n}", f"t{n % 3}", epoch, 1 + n, (n * epoch + at) % 5)
            for at, system in enumerate("abc") for n in range(9) for epoch in (1, 2)]  # fmt: skip
    text = "model,item,part,seed,size,acc\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    (tmp_path / "x.csv").write_text(text)
    said = ("--system-column", "model", "--value-column", "acc", "--repeat-column", "seed")
    ended = command(
        "power",
        "x.csv",
        *said,
        "--cluster-column",
        "part",
        "--weight-column",
        "size",
        "--test",
        "t",
        "--clusters",
        "means",
    )
    assert ended.code == 0, ended.err
    assert "3 clusters" in ended.out, ended.err
    plain = command("power", "x.csv", *said, "--ignore-column", "part", "--ignore-column", "size", "--test", "t")
    assert plain.code == 0, plain.err
    assert "Means over 2 repeats" in " ".join(plain.out.split())


def test_settings_that_differ_are_chosen_in_options(command, results):
    """The refusal speaks of --where; what it says can be typed, and the choice is in the notes, also in JSON."""
    path = results / "org__c" / "1" / "T2.json"
    for other in results.rglob("T2.json"):
        other.write_text(json.dumps(json.loads(other.read_text()) | {"dataset_revision": str(1 + (other == path))}))
    ended = command("table", results, "--csv", "--metrics", "main_score")
    assert ended.code == 3
    message = " ".join(ended.err.split())
    assert "T2: dataset_revision is '2' here and '1' in" in message
    assert "(--where T2/dataset_revision=1, 2 of 3 systems)" in message
    assert "(--where 'dataset_revision=*')" in message
    for where, words in (
        ("dataset_revision=*", "dataset_revision differs, as asked for: T2 1 (org__a and org__b), 2 (org__c)"),
        ("T2/dataset_revision=1", "11 of 12 results, with dataset_revision 1"),
    ):
        said = (
            "power",
            results,
            "--metrics",
            "main_score",
            "--missing",
            "pairwise",
            "--test",
            "t",
            "--quiet",
            "--json",
        )
        ended = command(*said, "--where", where)
        assert ended.code == 0, ended.err
        assert words in json.dumps(ended.json())
