"""Scores of translations in lines without a header, of WMT's metrics task and comet-score; means by hand."""

import pytest

from metaeval.errors import FileFormatError
from metaeval.io.items import read_items
from metaeval.io.tables import read_scores
from metaeval.questions.look.study import look

LAYOUTS = {
    "2021": "{m}\ten-de\tnt21\tnews\trefA\t{s}\t{at}\t{score}",
    "2020": "{m}\ten-de\tnt20\td{doc}\t{at}\t{s}\t{score}",
    "2019": "{m}\ten-de\tnt19\t{s}\t{at}\t{score}\tnon-ensemble\tno",
    "2014": "{m}\tcs-en\tnt14\t{s}\t{at}\t{score}",
    "documents": "{m}\ten-de\tnt20\td{doc}{at}\t{s}\t{score}",
    "without a metric": "en-de\tnt20\td{doc}\t{at}\t{s}\t{score}",
    "documents without a metric": "zh-en_US\tnt20\td{doc}{at}\t{s}\t{score}",
}


def lines(layout, metric, scores):
    """Return a file of four segments, the first two of one document."""
    return "".join(
        LAYOUTS[layout].format(m=metric, s=system, doc=at // 2, at=at + 1, score=score) + "\n"
        for system, of_system in scores.items()
        for at, score in enumerate(of_system)
    )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_lines_of_wmt_are_read_in_every_layout(tmp_path, layout):
    """By hand: .25 + .5 + .75 + .5 is 2 of a.1, and 1 of b.2; the metric is named in the line, or by the file."""
    scores = {"a.1": (0.25, 0.5, 0.75, 0.5), "b.2": (0, 0.25, 0.5, 0.25)}
    (tmp_path / "chrF.seg.score").write_text(lines(layout, "chrF", scores))
    found = read_scores(tmp_path / "chrF.seg.score")
    assert found["metric"].to_numpy().tolist() == ["chrF"]
    assert found.mean("topic").sel(metric="chrF").to_series().to_dict() == {"a.1": 0.5, "b.2": 0.25}
    of_documents = layout in {"2020", "without a metric"}
    assert ("cluster" in found.coords) == of_documents
    if of_documents:
        assert found["cluster"].to_numpy().tolist() == ["d0", "d0", "d1", "d1"]
        assert found["topic"].to_numpy().tolist() == ["d0::1", "d0::2", "d1::3", "d1::4"]


def test_segments_of_several_languages_and_references_are_kept_apart(tmp_path):
    """A number names a segment of one test set; scores with each reference are a metric, .5 and .25 on average."""
    rows = [
        f"BLEU\t{pair}\tnt21\tnews\t{ref}\t{system}\t1\t{score}"
        for pair, less in (("en-de", 0), ("en-cs", 0.25))
        for ref, score in (("refA", 0.625 - less), ("refB", 0.375 - less))
        for system in ("a", "b")
    ]
    (tmp_path / "x.score").write_text("\n".join(rows) + "\n")
    found = read_scores(tmp_path / "x.score")
    assert found["topic"].to_numpy().tolist() == ["en-cs::1", "en-de::1"]
    assert found.mean("topic").sel(system="a").to_series().to_dict() == {"BLEU (refA)": 0.5, "BLEU (refB)": 0.25}


def test_a_line_of_wmt_with_other_cells_is_refused(tmp_path):
    """It is named, never passed over."""
    path = tmp_path / "x.score"
    path.write_text(lines("2014", "BLEU", {"a": (0.1,) * 20, "b": (0.2,) * 20}) + "BLEU\tcs-en\tnt14\tb\t.5\n")
    with pytest.raises(FileFormatError, match="line 41: a line of WMT's metrics task has 5 cells, and others 6"):
        read_scores(path)


def test_a_translation_by_people_that_one_metric_did_not_score_is_named(tmp_path, monkeypatch, command):
    """The others are compared; metaeval human takes those that each metric has."""
    monkeypatch.chdir(tmp_path)
    scores = {"a.1": (0.25, 0.5, 0.75, 0.5), "b.2": (0, 0.25, 0.5, 0.25), "c.3": (0, 0.125, 0.25, 0.125)}
    (tmp_path / "BLEU.seg.score").write_text(lines("2020", "BLEU", scores | {"Human-A.0": (0.5, 0.5, 0.5, 0.75)}))
    (tmp_path / "human.seg.score").write_text(lines("without a metric", "", scores))
    found = look(["BLEU.seg.score", "human.seg.score"])
    assert (found.kind, dict(found.contents.sizes)["systems"], found.contents.sizes["people"]) == ("scores", 3, 1)
    assert "1 system was dropped for missing scores: Human-A.0" in found.notes
    roles = {column.column: column.role for column in found.contents.columns}
    assert roles == {"system": "system", "document": "item", "segment": "item", "BLEU": "score"}
    by_name = found.questions.set_index("name")["command"]
    assert by_name["table"] == "metaeval table BLEU.seg.score human.seg.score --missing drop-systems"
    assert by_name["human"] == "metaeval human BLEU.seg.score human.seg.score --reference human"
    assert found.answer.startswith("None of 3 pairs differs significantly under any of 2 metrics")
    assert command(*by_name["table"].split()[1:]).code == 0
    assert command(*by_name["human"].split()[1:]).code == 0
    frame = read_items(["BLEU.seg.score", "human.seg.score"])
    assert frame.groupby("system")["BLEU"].mean().to_dict()["Human-A.0"] == 0.5625


def test_systems_that_boards_of_two_collections_lack_stay_asked(tmp_path):
    """Metrics that are called as their files may be those of two collections."""
    for name, systems in (("spring", "abc"), ("autumn", "bcd")):
        (tmp_path / f"{name}.csv").write_text(f"topic,{','.join(systems)}\n1,.1,.2,.3\n2,.1,.4,.3\n")
    found = look(tmp_path)
    assert (found.kind, "do not hold the same systems" in found.contents.refusal) == ("unknown", True)


def test_scores_of_people_and_of_a_metric_on_other_systems_lead_to_metaeval_human(tmp_path, command):
    """The command that is named reads the files."""
    for name, last in (("COMET-refA.seg.score", "syn"), ("en-de.mqm.seg.score", "refA")):
        lines = [
            f"{system}\t{(at * 3 + n) % 7 / 8}" for at, system in enumerate(["a", "b", "c", last]) for n in range(6)
        ]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    refusal, paths = look(tmp_path).contents.refusal, sorted(tmp_path.iterdir())
    assert refusal.endswith("(metaeval human FILES --reference en-de.mqm.seg.score)")
    assert command("human", *paths, "--reference", "en-de.mqm.seg.score", "--json").json()["summary"]


@pytest.mark.parametrize("variance", ["", "\tvariance: 0.0100"])
def test_what_comet_score_prints_is_read_without_its_means(tmp_path, variance):
    """By hand: (.5 + .75)/2 and (.25 + .5)/2; the lines of systems are these again."""
    scores = {"sys1.txt": (0.5, 0.75), "sys2.txt": (0.25, 0.5)}
    rows = [f"{name}\tSegment {at}\tscore: {scores[name][at]}{variance}" for at in (0, 1) for name in scores]
    path = tmp_path / "comet.txt"
    path.write_text("\n".join([*rows, "sys1.txt\tscore: 0.6250", "sys2.txt\tscore: 0.3750"]) + "\n")
    found = read_scores(path)
    assert found["topic"].to_numpy().tolist() == ["0", "1"]
    assert found.mean("topic").sel(metric="COMET").to_series().to_dict() == {"sys1.txt": 0.625, "sys2.txt": 0.375}
    assert any("means of systems are left out" in note for note in found.attrs["notes"])


@pytest.mark.parametrize(
    "text", ["sys1.txt\tscore: 0.6\nsys2.txt\tscore: 0.5\n", "a\ten-de\tnt\tx\t.5\na\ten-de\tnt\ty\t.4\n"]
)
def test_means_of_systems_alone_are_called_so(tmp_path, text):
    """Of comet-score --only_system, and WMT's scores of systems."""
    (tmp_path / "x.txt").write_text(text)
    found = look(tmp_path / "x.txt")
    assert (found.kind, "one score a system without topics" in found.contents.refusal) == ("means", True)
