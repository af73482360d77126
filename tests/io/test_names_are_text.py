"""Names are text in every reader of labels, annotations, judges' scores and metrics beside people."""

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.agreement.items import item_scores
from metaeval.agreement.labels import as_labels
from metaeval.errors import FileFormatError
from metaeval.inex.judges import read_judges
from metaeval.io.annotations import read_annotations
from metaeval.io.items import read_items
from metaeval.io.labels import read_labels

ODD = (
    *("1.1", "1.10", "01", "1", "007", "7", "7.0", "1e3", "1000", "2e3", "NA", "nan", "NaN", "None", "null", "true"),
    *("True", "TRUE", "inf", "9223372036854775808", "9223372036854775807", "12345678901234567890"),
    *("12345678901234567891", "0x10", "1_0", "a b", "a  b", "-", "n/a", "1,5", "é", "e\u0301", "all", "mean", "Q0"),
)
names = st.lists(st.sampled_from(ODD), min_size=2, max_size=4, unique=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("names")


def written(folder, rows, name="file.tsv"):
    (folder / name).write_text("\n".join("\t".join(map(str, row)) for row in rows) + "\n")
    return folder / name


def plain(given):
    """Leave out names of means, whose rows and columns are asked about or left out, and keep two at least."""
    return ([name for name in given if name not in {"all", "mean", "Mean"}] + ["q", "r"])[: max(2, len(given))]


def grid(first, second, third):
    """Give every cell of three lists of names a number of its own, in no order that makes one the mean of others."""
    cells = list(product(first, second, third))
    return dict(zip(cells, (3 + np.random.default_rng(0).permutation(len(cells))).tolist(), strict=True))


@settings(max_examples=60)
@given(names, names, names)
def test_labels(folder, topics, items, judges):
    """Every topic, item and judge keeps its name and label, in long tables and in wide ones."""
    judges = plain(judges)
    cells = grid(topics, items, judges)
    long = [["topic", "item", "judge", "label"], *([*key, label] for key, label in cells.items())]
    wide = [["topic", "item", *judges]]
    wide += [[topic, item, *(cells[topic, item, judge] for judge in judges)] for topic in topics for item in items]
    for rows in (long, wide):
        labels = as_labels(read_labels(written(folder, rows)))
        assert {(*at, judge): value for judge, one in labels.table.items() for at, value in one.items()} == cells


@settings(max_examples=60)
@given(names, names)
def test_annotations(folder, annotators, items):
    """Every annotator, item and label of text is as it is written."""
    said = {
        name: {item: ODD[(place + at) % len(ODD)] for at, item in enumerate(items)}
        for place, name in enumerate(annotators)
    }
    (folder / "file.json").write_text(json.dumps(said))
    frame = read_annotations(folder / "file.json")
    assert {name: dict(one) for name, one in frame.items()} == said


@settings(max_examples=60)
@given(names, names, names)
def test_metrics_beside_people(folder, systems, items, clusters):
    """Every system, item and cluster is its own, of one file and of two; rows called as a mean are asked about."""
    systems, items = plain(systems), plain(items)
    cells = grid(["human", "A"], systems, items)
    of = {item: clusters[place % len(clusters)] for place, item in enumerate(items)}
    head = ["system", "doc", "part"]
    rows = {
        name: [[*head, name], *([one, item, of[item], cells[name, one, item]] for one in systems for item in items)]
        for name in ("human", "A")
    }
    both = [[*row, extra[-1]] for row, extra in zip(rows["human"], rows["A"], strict=True)]
    for paths in ([written(folder, both)], [written(folder, one, f"{name}.tsv") for name, one in rows.items()]):
        frame = read_items(paths, system="system", item=["doc"], cluster="part")
        found = item_scores(frame, reference="human", item="doc", cluster="part", metrics=["A"])
        assert {key: found.sel(metric=key[0], system=key[1], item=key[2]).item() for key in cells} == cells
        assert dict(zip(found["item"].to_numpy(), found["cluster"].to_numpy(), strict=True)) == of


@settings(max_examples=60)
@given(names, names, names)
def test_scores_under_judges(folder, judges, systems, topics):
    """Every judge, system and topic is one of its own; a row called as a mean is named where it is left out."""
    cells = grid(judges, plain(systems), plain(topics))
    rows = [["judge", "system", "topic", "score"], *([*key, value] for key, value in cells.items())]
    found = read_judges(written(folder, rows)).scores["score"]
    assert {key: found[key[0]].sel(metric="score", system=key[1], topic=key[2]).item() for key in cells} == cells


@pytest.mark.parametrize("read", [read_labels, read_items, read_judges])
@pytest.mark.parametrize("row", ["1,d2,0", "1,d2,0,1,1", "1,d2,0,1,"])
def test_uneven_rows_are_refused_with_their_line(folder, read, row):
    """A row of another length than the header is no row of the table, and nothing is cut or shifted."""
    text = f"topic,item,ann,ben\n1,d1,0,1\n{row}\n1,d3,1,1\n"
    if read is read_items:
        text = text.replace("topic", "system")
    (folder / "file.csv").write_text(text)
    with pytest.raises(FileFormatError, match=r"line 3: a row of [35] cells, and the (table|header) has 4"):
        read(folder / "file.csv")
