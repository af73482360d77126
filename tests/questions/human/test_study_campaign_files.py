"""A folder of a metrics task: found from each of its parts, read as it is written, and what it lacks named."""

import numpy as np
import pytest

from metaeval.errors import FileFormatError, UnknownNameError
from metaeval.questions.human.study_campaign_files import holds_campaign, read_campaign

PEOPLE = {"a": [1.0, 2.0, None, 4.0], "b": [0.0, 3.0, 1.0, 1.5], "refA": [2.0, 2.0, 2.0, 2.0]}


def scores_of(table, suffix=""):
    return "".join(f"{name}\t{score}{suffix}\n" for name, row in table.items() for score in row)


@pytest.fixture
def folder(tmp_path):
    """Write two language pairs: people, a metric with a reference, one without, and other people in one."""
    files = {}
    for pair in ("en-de", "zh-en"):
        files[f"documents/{pair}.docs"] = "news\td1\nnews\td1\ntalk\td2\ntalk\td3\n"
        files[f"human-scores/{pair}.mqm.seg.score"] = scores_of(PEOPLE)
        files[f"human-scores/{pair}.mqm.sys.score"] = "a\t7.5\nb\t6.5\nrefA\t9\n"
        files[f"metric-scores/{pair}/BLEU-refA.seg.score"] = scores_of({"a": [1, 2, 3, 4], "b": [4, 3, 2, 1]})
        files[f"metric-scores/{pair}/QE-src.seg.score"] = scores_of({"a": [5, 6, 7, 8], "b": [8, 7, 6, 5]})
    files["human-scores/en-de.da.seg.score"] = scores_of({"a": [1, 1, 1, 2], "b": [2, 2, 2, 1], "refA": [3, 3, 3, 3]})
    for name, text in files.items():
        path = tmp_path / "wmt" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "wmt"


def test_a_set_has_the_scores_of_its_files(folder):
    """Systems by items, with documents as clusters and the scores of systems that people gave."""
    campaign = read_campaign(folder)
    assert [*campaign.sets] == ["en-de", "zh-en"]
    found = campaign.sets["en-de"]
    assert {*found["metric"].to_numpy()} == {"mqm", "BLEU", "QE[noref]"}
    assert sorted(found["system"].to_numpy()) == ["a", "b"]  # the reference that the metric has is none
    assert found["item"].to_numpy().tolist() == ["1", "2", "3", "4"]
    assert found.sel(metric="mqm", system="a").to_numpy().tolist()[:2] == [1.0, 2.0]
    assert np.isnan(found.sel(metric="mqm", system="a", item="3"))
    assert found.sel(metric="QE[noref]", system="b").to_numpy().tolist() == [8.0, 7.0, 6.0, 5.0]
    clusters = found["cluster"].to_numpy().tolist()
    assert [clusters[0] == clusters[1], clusters[1] == clusters[2], clusters[2] == clusters[3]] == [True, False, False]
    assert found["system_score"].sel(metric="mqm").to_series().to_dict() == {"a": 7.5, "b": 6.5}
    assert found.attrs["reference"] == "mqm"
    assert (campaign.title, campaign.published, campaign.notes) == ("", False, ())
    assert [task.name for task in campaign.tasks] == [
        f"{pair} {task}" for pair in ("en-de", "zh-en") for task in ("spa", "acc_eq", "pearson:item")
    ]
    assert len(campaign.files) == len({*campaign.files}) == 2 * 5
    assert all(f"{folder}" in name for name in campaign.files)


def test_a_folder_is_known_from_its_parts(folder):
    """From itself, from its metric scores, and from one language pair there, which is read alone."""
    for path, sets in (
        (folder, ["en-de", "zh-en"]),
        (folder / "metric-scores", ["en-de", "zh-en"]),
        (folder / "metric-scores" / "zh-en", ["zh-en"]),
    ):
        assert holds_campaign(str(path))
        assert [*read_campaign(path).sets] == sets
    for path in (
        folder / "documents" / "en-de.docs",
        folder / "nowhere",
        folder.parent,
        folder / "metric-scores" / "x",
    ):
        assert not holds_campaign(str(path))
    (folder / "documents").rename(folder / "docs")
    assert not holds_campaign(str(folder))
    with pytest.raises(FileFormatError, match=r"this is no folder of mt-metrics-eval, .*; it has docs, human-scores"):
        read_campaign(folder)
    with pytest.raises(FileFormatError, match=r"human-scores/ and metric-scores/$"):
        read_campaign(folder / "nowhere")


def test_what_is_asked_for_is_read(folder):
    """Pairs, metrics, tasks, and other people as the humans or beside them."""
    found = read_campaign(folder, sets=["zh-en"], metrics=["BLEU"], tasks="acc_eq")
    assert [*found.sets] == ["zh-en"]
    assert {*found.sets["zh-en"]["metric"].to_numpy()} == {"mqm", "BLEU"}
    assert [task.name for task in found.tasks] == ["zh-en acc_eq"]
    other = read_campaign(folder, human="da")
    assert [*other.sets] == ["en-de"]
    assert other.sets["en-de"].attrs["reference"] == "da"
    beside = read_campaign(folder, ceiling=["da"])
    assert "da" in beside.sets["en-de"]["metric"].to_numpy()
    assert "da" not in beside.sets["zh-en"]["metric"].to_numpy()
    with pytest.raises(FileFormatError, match="zh-en has no human scores 'da' beside metrics; there are en-de"):
        read_campaign(folder, human="da", sets=["zh-en", "en-de"])
    with pytest.raises(FileFormatError, match="any language pair has no human scores 'esa' beside metrics"):
        read_campaign(folder, human="esa")


def test_a_year_says_what_is_read(folder):
    """Its language pairs must be there; a year that nobody knows is refused, with those that are known."""
    with pytest.raises(FileFormatError, match="he-en has no human scores 'mqm' beside metrics; there are en-de, zh-en"):
        read_campaign(folder, "wmt23")
    with pytest.raises(UnknownNameError, match="preset 'wmt19'"):
        read_campaign(folder, "wmt19")
