"""Judges' judgments told apart by content: labels, INEX folders and files, and what cannot stand together."""

import shutil

import pytest

from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.inex.judges import read_judges
from metaeval.inex.reading import read_assessments
from metaeval.inex.simulation import simulate_inex
from metaeval.io.labels import read_labels

SIZES = {"n_systems": 2, "n_topics": 3, "n_documents": 40, "n_results": 20, "relevant_documents": 8, "n_second": 2}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Write a campaign of XML files and one of lines."""
    folder = tmp_path_factory.mktemp("made")
    for year in (2005, 2008):
        simulate_inex(year=year, rng=1, **SIZES, published=False).write_collection(folder / str(year))
    return folder


@pytest.mark.parametrize("year", [2005, 2008])
def test_folders_of_two_judges(made, year):
    """Each is read as `read_assessments` reads it, and called as its folder or as was said."""
    paths = (made / str(year) / "assessments", made / str(year) / "second")
    found = read_judges([paths[0], f"ben={paths[1]}"])
    assert list(found.assessments) == ["assessments", "ben"]
    for one, path in zip(found.assessments.values(), paths, strict=True):
        expected = read_assessments(path)
        assert one.scale == expected.scale
        for table in ("documents", "elements", "passages"):
            assert getattr(one, table).equals(getattr(expected, table))
    assert len(found.files) == (5 if year == 2005 else 2)
    assert found.labels is None


def test_second_judgments_inside_a_folder(made, tmp_path):
    """A folder with others/ in it holds two judges, as the releases of the campaigns do."""
    for source, name in (("assessments", "main"), ("second", "others")):
        shutil.copytree(made / "2005" / source, tmp_path / "done" / name)
    found = read_judges(tmp_path / "done").assessments
    assert list(found) == ["main", "others"]
    assert set(found["others"].documents["topic"]) < set(found["main"].documents["topic"])
    with pytest.raises(FileFormatError, match="no second judgments"):
        read_judges(made / "2005" / "assessments")


def test_labels_are_still_labels(tmp_path):
    """Tables and qrels, in folders too, are read as `read_labels` reads them."""
    table = tmp_path / "labels.csv"
    table.write_text("topic,item,ann,ben\n1,d1,1,0\n")
    assert read_judges(table).labels.equals(read_labels(table))
    (tmp_path / "qrels").mkdir()
    for name in ("ann", "ben"):
        (tmp_path / "qrels" / name).write_text("1 0 d1 1\n")
    found = read_judges([tmp_path / "qrels"])
    assert found.labels.equals(read_labels(tmp_path / "qrels"))
    assert [path.rpartition("/")[2] for path in found.files] == ["ann", "ben"]
    assert found.assessments == {}


def test_what_cannot_stand_together_is_refused(made, tmp_path):
    """Labels beside assessments, one judge alone, one name twice, options about labels, nothing at all."""
    (tmp_path / "qrels").write_text("1 0 d1 1\n")
    lines = made / "2008" / "assessments" / "qrels.txt"
    with pytest.raises(FileFormatError, match=r"labels of whole items, and .* INEX assessments"):
        read_judges([lines, tmp_path / "qrels"])
    with pytest.raises(InvalidOptionError, match="one judge; give those of another"):
        read_judges(lines)
    with pytest.raises(InvalidOptionError, match="two judges are called 'qrels'"):
        read_judges([lines, made / "2008" / "second" / "qrels.txt"])
    with pytest.raises(InvalidOptionError, match="given twice"):
        read_judges([lines, f"ben={lines}"])
    with pytest.raises(InvalidOptionError, match="are for a table of labels"):
        read_judges([made / "2008" / "assessments", made / "2008" / "second"], where={"a": "b"})
    with pytest.raises(InvalidOptionError, match="no file was given"):
        read_judges([])
