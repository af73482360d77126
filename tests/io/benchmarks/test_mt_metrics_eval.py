"""The folder of mt-metrics-eval: made ones, and WMT23."""

import tarfile

import numpy as np
import pytest

from metaeval.errors import FileFormatError
from metaeval.io.benchmarks.mt_metrics_eval import read_set
from metaeval.io.items import read_items
from metaeval.io.tables import read_scores


def _lines(scores):
    return "".join(f"{system}\t{score}\n" for system, values in scores.items() for score in values)


def _folder(put, pairs=("en-de",)):
    files = {}
    for pair in pairs:
        files |= {
            f"documents/{pair}.docs": "news\td1\nnews\td1\nchat\td2\n",
            f"human-scores/{pair}.mqm.seg.score": _lines(
                {"a": [-1, "None", 0], "b": [-2, -3, "None"], "refA": [0, 0, 0]}
            ),
            f"human-scores/{pair}.mqm.sys.score": _lines({"a": [-0.5], "b": [-2.5]}),
            f"metric-scores/{pair}/chrF-refA.seg.score": _lines(
                {"a": [0.1, 0.2, 0.3], "b": [0.4, 0.5, 0.6], "x": [1, 1, 1]}
            ),
            f"metric-scores/{pair}/chrF-refA.sys.score": _lines({"a": [0.2], "b": [0.5]}),
            f"metric-scores/{pair}/QE-src.seg.score": _lines(
                {"refA": [1, 1, 1], "b": [0, 1, 2], "a": [2, 1, 0], "x": [1, 1, 1]}
            ),
        }
    return put(files)


def test_segments_of_systems_that_all_scored(put, told):
    """Systems that every metric scored and people judged; segments are items, documents clusters."""
    scores = read_scores(_folder(put))
    assert scores["system"].to_numpy().tolist() == ["b", "a"]
    assert scores["metric"].to_numpy().tolist() == ["QE-src", "chrF-refA"]
    assert scores.sel(metric="chrF-refA", system="a").to_numpy().tolist() == [0.1, 0.2, 0.3]
    assert scores["cluster"].to_numpy().tolist() == ["d1", "d1", "d2"]
    assert told(scores, "references among them: refA, x")
    assert told(scores, "human scores are mqm")
    only = read_scores(put({}) / "metric-scores" / "en-de")
    assert only.equals(scores)
    assert only.attrs["sources"] == scores.attrs["sources"]


def test_human_scores_by_name(put):
    """Human scores are read where they are named; segments that nobody judged are gaps."""
    folder = _folder(put)
    with pytest.raises(ValueError, match="no score for system 'b' on item '3' under 'mqm'"):
        read_scores(folder, metrics=["mqm", "chrF-refA"])
    scores = read_scores(folder, metrics=["mqm", "chrF-refA"], missing="pairwise")
    np.testing.assert_array_equal(scores.sel(metric="mqm", system="b"), [-2, -3, np.nan])


def test_the_same_folder_as_items_beside_human_scores(put):
    """`read_items` gives every segment of every system, with metrics and human scores in columns."""
    frame = read_items(_folder(put) / "metric-scores" / "en-de")
    assert frame.columns.tolist() == ["system", "document", "segment", "QE-src", "chrF-refA", "mqm"]
    assert frame[frame["system"] == "a"]["mqm"].tolist()[::2] == [-1, 0]
    assert np.isnan(frame[frame["system"] == "a"]["mqm"].iloc[1])


def test_several_pairs(put):
    """Systems of two language pairs are others, so one must be named."""
    folder = _folder(put, ["en-de", "zh-en"])
    with pytest.raises(
        FileFormatError, match=r"2 language pairs \(en-de, zh-en\).*name the folder of one, such as .*en-de"
    ):
        read_scores(folder)
    assert read_scores(folder / "metric-scores" / "zh-en").sizes["topic"] == 3


FAULTS = {
    "a segment less": ({"a": [1, 2]}, r"system 'a' has 2 scores, and the pair has 3 segments"),
    "a system in two places": ("a 1\nb 1\na 2\n", r"line 3: system 'a' stood above already"),
    "a word": ("a good\n", r"line 1: 'a good' is not SYSTEM SCORE"),
    "three columns": ("a 1 2\n", r"line 1: 'a 1 2' is not SYSTEM SCORE"),
}


@pytest.mark.parametrize(("held", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_faulty_scores(put, held, message):
    """The refusal names file and line."""
    folder = _folder(put)
    put({"metric-scores/en-de/QE-src.seg.score": _lines(held) if isinstance(held, dict) else held})
    with pytest.raises(FileFormatError, match=rf"QE-src\.seg\.score[:,] {message}"):
        read_scores(folder)


def test_wmt23(data_folder, tmp_path):
    """Means of the segments that were judged are the systems' published human scores, and metrics' own means theirs."""
    with tarfile.open(data_folder / "wmt23-metrics" / "wmt23.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    pair = tmp_path / "wmt23" / "metric-scores" / "en-de"
    scores = read_scores(pair)
    assert dict(scores.sizes) == {"metric": 43, "system": 12, "topic": 557}
    frame = read_items(pair)
    published = dict(
        line.split() for line in (tmp_path / "wmt23/human-scores/en-de.mqm.sys.score").read_text().splitlines()
    )
    means = frame.groupby("system")["mqm"].mean()
    assert len(means) == 12
    for system, mean in means.items():
        assert mean == pytest.approx(float(published[system]), abs=1e-9)
    own = dict(line.split() for line in (pair / "XCOMET-Ensemble-refA.sys.score").read_text().splitlines())
    for system in scores["system"].to_numpy():
        assert float(scores.sel(metric="XCOMET-Ensemble-refA", system=system).mean()) == pytest.approx(
            float(own[system]), abs=1e-6
        )
    # README of the data: Pearson over all judged segments of the systems
    judged = frame[frame["mqm"].notna()]
    for metric, pearson in (("XCOMET-Ensemble-refA", 0.695323), ("MetricX-23-refA", 0.585484), ("chrF-refA", 0.231978)):
        assert judged[metric].corr(judged["mqm"]) == pytest.approx(pearson, abs=1e-6)


def test_one_reference_is_the_default(put, told):
    """Of several references the first one counts, synthetic ones last; others are read where they are named."""
    folder = _folder(put)
    scored = _lines({"a": [0, 0, 0], "b": [1, 1, 1]})
    put({f"metric-scores/en-de/chrF-{name}.seg.score": scored for name in ("refB", "synthetic_ref")})
    scores = read_scores(folder)
    assert scores["metric"].to_numpy().tolist() == ["QE-src", "chrF-refA"]
    assert told(scores, "metrics with reference refA are read, not 2 files with refB, synthetic_ref")
    assert read_scores(folder, metrics=["chrF-refB"])["metric"].to_numpy().tolist() == ["chrF-refB"]
    frame = read_items(folder / "metric-scores" / "en-de", metrics=["chrF-refB"])
    assert frame.columns.tolist() == ["system", "document", "segment", "QE-src", "chrF-refA", "chrF-refB", "mqm"]
    assert len(frame.attrs["notes"]) == 1


def test_a_set_of_a_campaign(put):
    """Names without references, systems that people scored, and scores given for systems."""
    folder = _folder(put)
    found = read_set(folder, "en-de", "mqm")
    assert found.names == ["mqm", "QE[noref]", "chrF"]
    assert found.systems == ["a", "b"]
    np.testing.assert_array_equal(found.of_systems, [[-0.5, -2.5], [np.nan] * 2, [0.2, 0.5]])
    put({"metric-scores/en-de/BLEU-refB.seg.score": _lines({"a": [0, 0, 0], "b": [1, 1, 1]})})
    other = read_set(folder, "en-de", "mqm", reference="refB")  # so refA is a system, which BLEU did not score
    assert other.systems == ["a", "b", "refA"]
    assert other.names == ["mqm", "QE[noref]"]
    assert other.notes == ["en-de: left out, without scores of every system: BLEU"]
    fewer = read_set(folder, "en-de", "mqm", reference="refB", outliers=["refA", "z"])
    assert fewer.systems == ["a", "b"]
    assert fewer.names == ["mqm", "BLEU", "QE[noref]"]
    assert fewer.notes == ["en-de: left out, as the campaign did: refA"]
    with pytest.raises(FileFormatError, match="no score of system 'refA', which people scored"):
        read_set(folder, "en-de", "mqm", reference="refB", metrics=["BLEU"])
    with pytest.raises(FileFormatError, match="no human scores 'da'; there are mqm"):
        read_set(folder, "en-de", "da")
    with pytest.raises(FileFormatError, match="no scores of segments by TER"):
        read_set(folder, "en-de", "mqm", metrics=["TER"])
