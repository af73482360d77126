"""Clusters of two levels, such as assays of a protein, and proteins of a kind of function: means of means."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from metaeval import read_scores
from metaeval.errors import FileFormatError, InvalidOptionError, ScoresError
from metaeval.table.scores import as_scores
from metaeval.table.structure import mean_over_topics, nested_clusters, with_clusters
from metaeval.tests_stat.paired_t import paired_t_test

LEVELS = ["protein", "kind"]
SMALL = """assay,protein,kind,a,b
1,p,binding,.1,.2
2,p,binding,.3,.4
3,p,growth,.5,.5
4,q,binding,.6,.1
5,q,growth,.9,.8
6,r,growth,.7,.2
"""
KINDS = ["Activity", "Binding", "Expression", "OrganismalFitness", "Stability"]
PUBLISHED = {
    "GEMME": ([0.482, 0.387, 0.443, 0.452, 0.519], 0.457),
    "TranceptEVE_L": ([0.487, 0.381, 0.456, 0.460, 0.500], 0.457),
    "ESM-IF1": ([0.368, 0.392, 0.403, 0.324, 0.624], 0.422),
    "VESPA": ([0.468, 0.365, 0.410, 0.440, 0.500], 0.437),
    "ESM2_650M": ([0.425, 0.338, 0.439, 0.369, 0.523], 0.419),
}
"""ProteinGym, substitutions: Spearman by kind of function, and on the board (Uniprot_Selection_Type_level.csv)."""


def test_means_of_means_by_hand(tmp_path):
    """binding: p (.1 + .3) / 2, q .6, so .4; growth: .5, .9, .7, so .7; together .55, not the .5167 of all assays."""
    (tmp_path / "s.csv").write_text(SMALL, "utf-8")
    scores = read_scores(tmp_path / "s.csv", columns={"cluster": LEVELS})
    assert scores["topic"].to_numpy().tolist() == [
        "p in binding", "p in growth", "q in binding", "q in growth", "r in growth"
    ]  # fmt: skip
    assert scores["cluster"].to_numpy().tolist() == ["binding", "growth", "binding", "growth", "growth"]
    for kind in ("random", "fixed", "means"):
        means = mean_over_topics(with_clusters(scores, kind))[0]
        np.testing.assert_allclose(means, [0.55, (np.mean([0.3, 0.1]) + np.mean([0.5, 0.8, 0.2])) / 2])
    assert any("5 clusters in 2 higher ones" in note for note in scores.attrs["notes"])


def test_the_means_that_proteingym_publishes(tmp_path):
    """The board is the mean over five kinds of means over proteins, however many proteins and assays a kind has."""
    generator, rows = np.random.default_rng(0), []
    for at, (kind, n_proteins) in enumerate(zip(KINDS, (43, 13, 18, 76, 67), strict=True)):
        for protein in range(n_proteins):
            sizes = generator.normal(0, 0.05, generator.integers(1, 4))
            for assay, off in enumerate(sizes - sizes.mean()):
                means = {name: kinds[at] + off for name, (kinds, _) in PUBLISHED.items()}
                rows.append({"assay": f"{kind}{protein}-{assay}", "protein": f"P{protein}", "kind": kind, **means})
    pd.DataFrame(rows).to_csv(tmp_path / "spearman.csv", index=False)
    scores = read_scores(tmp_path / "spearman.csv", columns={"topic": "assay", "cluster": LEVELS})
    means = dict(zip(scores["system"].to_numpy().tolist(), mean_over_topics(scores)[0].round(3), strict=True))
    assert means == pytest.approx({name: on_board for name, (_, on_board) in PUBLISHED.items()}, abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=8, max_size=30), st.integers(0, 99))
def test_it_is_the_mean_of_means_written_out(members, seed):
    """Means by pandas, level by level; and the differences have the error that a t test on the highest level has."""
    kinds, proteins = {kind for _, kind in members}, set(members)
    assume(len(proteins) > 1)
    values = np.random.default_rng(seed).random((2, len(members)))
    names = [str(at) for at in range(len(members))]
    frame = pd.DataFrame({"protein": [f"{p} in {k}" for p, k in members], "kind": [f"k{k}" for _, k in members]})
    frame[["a", "b"]] = values.T
    of_kinds = frame.groupby(LEVELS)[["a", "b"]].mean().groupby("kind").mean()
    scores = as_scores(values, clusters=dict(zip(names, frame["protein"], strict=True)), topics=names)
    nested = nested_clusters(scores, dict(zip(names, frame["kind"], strict=True)))
    np.testing.assert_allclose(mean_over_topics(nested)[0], of_kinds.mean().to_numpy())
    if 1 < len(kinds) < len(proteins):
        found = paired_t_test(with_clusters(nested, "means")).to_frame()
        assert found["difference"].iloc[0] == pytest.approx((of_kinds["a"] - of_kinds["b"]).mean())


def test_a_file_of_clusters_gives_the_same(tmp_path, command):
    """Both columns in the table, or in a file beside it; JSON, Parquet and order of rows change nothing."""
    (tmp_path / "s.csv").write_text(SMALL, "utf-8")
    frame = pd.read_csv(tmp_path / "s.csv")
    frame[["assay", *LEVELS]].to_csv(tmp_path / "levels.csv", index=False)
    frame.drop(columns=LEVELS).to_csv(tmp_path / "plain.csv", index=False)
    (tmp_path / "s.json").write_text(frame[::-1].to_json(orient="records"), "utf-8")
    levels = [word for column in LEVELS for word in ("--cluster-column", column)]
    wide = command("table", tmp_path / "s.csv", *levels, "--item-column", "assay", "--csv")
    beside = command("table", tmp_path / "plain.csv", "--cluster-file", tmp_path / "levels.csv", *levels, "--csv")
    assert [row.split(",")[:2] for row in wide.out.splitlines()[1:]] == [
        row.split(",")[:2] for row in beside.out.splitlines()[1:]
    ]
    assert "0.55" in wide.out
    read = read_scores(tmp_path / "s.json", columns={"cluster": LEVELS, "topic": "assay"})
    assert read.equals(read_scores(tmp_path / "s.csv", columns={"cluster": LEVELS}).transpose(*read.dims))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["kind", "protein"], "kind has 2 names and protein 3: name the smaller clusters first"),
        (["assay2", "kind"], "no column 'assay2'"),
        (["protein", "protein"], "the names of two columns as cluster"),
        (["protein", "kind", "a"], "the names of two columns as cluster"),
    ],
)
def test_what_is_no_pair_of_levels(tmp_path, columns, message):
    """The order of the levels changes means, so the wrong one is refused, as are one column twice and three levels."""
    (tmp_path / "s.csv").write_text(SMALL, "utf-8")
    with pytest.raises((FileFormatError, InvalidOptionError), match=message):
        read_scores(tmp_path / "s.csv", columns={"cluster": columns})


def test_gaps_and_names_in_levels(tmp_path):
    """A cluster in no higher one is refused by line, and one of which a system has nothing by name."""
    (tmp_path / "s.csv").write_text(SMALL.replace("4,q,binding", "4,q,"), "utf-8")
    with pytest.raises(FileFormatError, match="line 5: protein 'q' is in no kind"):
        read_scores(tmp_path / "s.csv", columns={"cluster": LEVELS})
    (tmp_path / "s.csv").write_text(SMALL.replace("r,growth,.7,.2", "r,growth,.7,"), "utf-8")
    with pytest.raises(ScoresError, match="every system in every cluster"):
        read_scores(tmp_path / "s.csv", columns={"cluster": LEVELS}, missing="pairwise")
