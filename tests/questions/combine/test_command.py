"""`metaeval combine`: collections come as tables, patterns and names, and the answer is that of Python."""

import re

import numpy as np
import pytest

from metaeval import read_labels, simulate_scores, study_collections, write_scores
from metaeval.agreement import as_labels


@pytest.fixture
def folder(tmp_path):
    """Write three collections, each a wide table per metric, as web2001_AP.csv."""
    for seed in range(3):
        scores = simulate_scores(n_systems=6, n_topics=20, metrics=["AP", "RR"], rng=seed)
        for metric in ("AP", "RR"):
            wide = scores.sel(metric=metric).to_pandas().T
            wide.rename_axis("topic").to_csv(tmp_path / f"web200{seed}_{metric}.csv")
    return tmp_path


def test_files_of_a_name_and_of_a_pattern_are_one_collection(folder, command):
    """Metrics are called as the files, less the name of the collection."""
    words = [f"web200{n}={folder}/web200{n}_*.csv" for n in (0, 1)]
    words += [f"web2002={folder}/web2002_{metric}.csv" for metric in ("AP", "RR")]
    ended = command("combine", *words, "--interval-resamples", "20", "--json")
    told = ended.json()
    years = {
        f"web200{n}": simulate_scores(n_systems=6, n_topics=20, metrics=["AP", "RR"], rng=n).round(15) for n in range(3)
    }
    expected = study_collections(years, n_topic_resamples=20, rng=0).to_frame()
    (row,) = told["results"]
    assert (row["first"], row["n_collections"]) == (expected.loc[0, "first"], 3)
    assert row["mean"] == pytest.approx(expected.loc[0, "mean"], rel=1e-9)


def test_two_inputs_of_one_name_are_refused(folder, command):
    """Without a name nothing says that they belong together."""
    (folder / "more").mkdir()
    (folder / "more" / "web2000_AP.csv").write_text((folder / "web2000_AP.csv").read_text())
    ended = command("combine", str(folder / "web2000_AP.csv"), str(folder / "more" / "web2000_AP.csv"))
    assert ended.code == 2
    assert "two inputs are called 'web2000_AP'; name them NAME=FILE" in ended.err


def test_files_of_two_years_are_two_collections(folder, command):
    """A wide table is called by its file: years, numbers and folders are of the collection; one metric asks of systems.

    What an error advises leads to the claims of Python's mapping, typed as it stands there.
    """
    years = {
        name: simulate_scores(n_systems=6, n_topics=20, metrics=["AP", "RR"], rng=n).sel(metric=["AP"]).round(15)
        for n, name in enumerate(("2024", "2025"))
    }
    expected = study_collections(years, study="table").to_frame()["mean"].tolist()
    for n, name in enumerate(years):
        content = (folder / f"web200{n}_AP.csv").read_text()
        (folder / name).mkdir()
        for file in (f"bench{name}.csv", f"{name}_acc.csv", f"{name}.csv", f"run{n + 7}.csv", f"{name}/acc.csv"):
            (folder / file).write_text(content)
    for files in (
        ["bench2024.csv", "bench2025.csv"],
        ["a=bench2024.csv", "b=bench2025.csv"],
        ["2024_acc.csv", "2025_acc.csv"],
        ["2024.csv", "2025.csv"],
        ["run7.csv", "run8.csv"],
    ):
        words = [word.replace("=", f"={folder}/") if "=" in word else f"{folder}/{word}" for word in files]
        told = command("combine", *words, "--json").json()
        assert [row["mean"] for row in told["results"]] == pytest.approx(expected, rel=1e-9)
    ended = command("combine", f"{folder}/2024/acc.csv", f"{folder}/2025/acc.csv")
    advised = re.search(r"such as (.*)", ended.err)[1].split()
    told = command("combine", *advised, "--json").json()
    assert [row["mean"] for row in told["results"]] == pytest.approx(expected, rel=1e-9)
    ended = command("combine", *advised, "--study", "power")
    advised += re.search(r"can be asked of one: (--study \w+)", ended.err)[1].split()
    assert [row["mean"] for row in command("combine", *advised, "--json").json()["results"]] == pytest.approx(expected)


def test_wide_tables_that_name_no_metric_are_of_one(tmp_path, command):
    """However they are called, as Python's mapping of the same metric; files that name metrics stay apart."""
    tables = {name: simulate_scores(n_systems=3, n_topics=20, metrics=["AP"], rng=n) for n, name in enumerate("ABC")}
    tables = {name: table.round(15) for name, table in tables.items()}
    for name, table in tables.items():
        for file in (f"col{name}", {"A": "ap_x", "B": "rr_x", "C": "ndcg_x"}[name]):
            table.sel(metric="AP").to_pandas().T.rename_axis("topic").to_csv(tmp_path / f"{file}.csv")
    for names in ("AB", "ABC"):
        kept = {name: tables[name] for name in names}
        expected = study_collections(kept, study="table").to_frame()["mean"].tolist()
        for words in ([f"{tmp_path}/col{n}.csv" for n in names], [f"{n}={tmp_path}/col{n}.csv" for n in names]):
            told = command("combine", *words, "--json").json()
            assert [row["mean"] for row in told["results"]] == pytest.approx(expected, rel=1e-9)
            assert {row["metric"] for row in told["results"]} == {"score"}
            assert any(
                "no file names a metric, so that all tables count as of one (colA, colB" in n for n in told["notes"]
            )
    ended = command("combine", f"{tmp_path}/ap_x.csv", f"{tmp_path}/rr_x.csv")
    assert "no two systems under one metric" in ended.err


def test_long_tables_labels_and_pairs(tmp_path, command):
    """A long table holds a whole collection; judges are read as labels; a pair of systems by comma."""
    for seed in range(2):
        write_scores(simulate_scores(n_systems=4, n_topics=20, metrics=["AP"], rng=seed), tmp_path / f"year{seed}.csv")
        grades = np.random.default_rng(seed).integers(0, 2, (40, 3))
        rows = [f"t{n // 5},d{n},{ann},{ann if n % 3 else ben}" for n, (ann, ben, _) in enumerate(grades)]
        (tmp_path / f"judged{seed}.csv").write_text("\n".join(["topic,item,ann,ben", *rows]) + "\n")
    tables = [str(tmp_path / f"year{seed}.csv") for seed in range(2)]
    told = command("combine", *tables, "--study", "table", "--pair", "system1,system2", "--json").json()
    assert len(told["results"]) == 1
    files = [str(tmp_path / f"judged{seed}.csv") for seed in range(2)]
    told = command("combine", *files, "--study", "judges", "--reference", "ann", "--json").json()
    labels = {f"judged{seed}": as_labels(read_labels(file), real=True) for seed, file in enumerate(files)}
    expected = study_collections(labels, study="judges", reference="ann", rng=0).to_frame()
    assert told["results"][0]["mean"] == pytest.approx(expected.loc[0, "mean"], rel=1e-9)


def test_a_pair_is_two_systems(folder, command):
    """Anything else is refused before files are read."""
    for pair in ("system1", "system1,system1", "a,b,c"):
        ended = command("combine", str(folder / "web2000_AP.csv"), "--study", "table", "--pair", pair)
        assert ended.code == 2
        assert "two systems with a comma between them" in ended.err
