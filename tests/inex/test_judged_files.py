"""Runs and judgments are told apart by their content, and each kind becomes its own collection."""

import gzip

import numpy as np
import pytest

from metaeval.collection.documents import Collection
from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.inex.elements import ElementCollection, element_collection
from metaeval.inex.judged_files import read_judged
from metaeval.inex.passages import PassageCollection, passage_collection
from metaeval.inex.reading import read_assessments, read_element_sizes, read_submissions
from metaeval.inex.simulation import simulate_inex
from metaeval.io.trec import read_collection
from metaeval.metrics.scoring import metric_values
from metaeval.simulate.collection import simulate_collection

SIZE = {"n_systems": 3, "n_topics": 4, "n_documents": 60, "n_results": 30, "rng": 3}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Make files of every kind: documents, elements (two scales), passages (XML runs and lines)."""
    root = tmp_path_factory.mktemp("judged")
    made = simulate_collection(n_groups=3, runs_per_group=1, n_topics=4, n_documents=60, depth=20, rng=1)
    made.write_collection(root / "trec")
    for year in (2003, 2005, 2007, 2009):
        simulate_inex(year=year, **SIZE, published=False).write_collection(root / str(year))
    return root


def parts(folder):
    """Name the runs and judgments of a made folder."""
    if (folder / "qrels.txt").exists():
        return folder / "runs", folder / "qrels.txt"
    return folder / "submissions", folder / "assessments"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("trec", Collection),
        ("2003", ElementCollection),
        ("2005", ElementCollection),
        ("2007", PassageCollection),
        ("2009", PassageCollection),
    ],
)
def test_the_kind_is_found_by_content(folders, name, kind):
    """Nothing but the files says whether documents, elements or passages were retrieved."""
    runs, judgments = parts(folders / name)
    found = read_judged([runs], judgments)
    assert type(found.collection) is kind
    every = [*runs.iterdir(), *([judgments] if judgments.is_file() else judgments.iterdir())]
    assert sorted(found.files) == sorted(map(str, every))


def test_elements_are_compiled_as_by_hand(folders):
    """Reading and compiling by the functions of each step gives the same scores."""
    runs, judgments = parts(folders / "2005")
    sizes = folders / "2005" / "sizes.txt"
    found = read_judged([runs], judgments, sizes=sizes)
    assert str(sizes) in found.files
    by_hand = element_collection(read_submissions(runs), read_assessments(judgments), sizes=read_element_sizes(sizes))
    metrics = ["MAep", "nxCG@10", "HiXF@10"]
    assert np.array_equal(metric_values(found.collection, metrics), metric_values(by_hand, metrics))


def test_passages_and_documents_are_compiled_as_by_hand(folders):
    """The same for passages, every retrieved document kept, and for TREC files with their own options."""
    runs, judgments = parts(folders / "2009")
    found = read_judged([runs], judgments, retrieved="all").collection
    by_hand = passage_collection(read_submissions(runs), read_assessments(judgments), retrieved="all")
    assert np.array_equal(metric_values(found, ["AiP"]), metric_values(by_hand, ["AiP"]))
    assert np.array_equal(found.by_document.retrieved.codes, by_hand.by_document.retrieved.codes)
    runs, judgments = parts(folders / "trec")
    found = read_judged([runs], judgments, order="rank").collection
    assert np.array_equal(
        metric_values(found, ["AP"]), metric_values(read_collection(runs, judgments, order="rank"), ["AP"])
    )


@pytest.mark.parametrize(
    ("runs", "judgments", "says"),
    [
        ("trec", "2005", "run of whole documents"),
        ("trec", "2009", "run of whole documents"),
        ("2005", "trec", "this is an INEX run"),
        ("2009", "trec", "this is an INEX run"),
        ("2005", "2007", "give runs of passages"),
        ("2007", "2005", "give runs of elements"),
    ],
)
def test_runs_and_judgments_of_different_kinds_are_refused(folders, runs, judgments, says):
    """The error names the run and says what to give."""
    given, wanted = parts(folders / runs)[0], parts(folders / judgments)[1]
    with pytest.raises(FileFormatError, match=says) as caught:
        read_judged([given], wanted)
    assert str(given) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("trec", r"this is a run( |,).*(if the two|where they) are swapped"),
        ("2005", r"begins with <inex-submission>, not with <assessments>.*are runs and qrels swapped"),
        ("2009", r"this is a run( |,).*(if the two|where they) are swapped"),
    ],
)
def test_swapped_runs_and_judgments_are_named(folders, name, says):
    """Runs in the place of the judgments, one file or a folder, are recognised, whichever kind they are."""
    runs, judgments = parts(folders / name)
    for wrong in (runs, min(runs.iterdir())):
        with pytest.raises(FileFormatError, match=says):
            read_judged([judgments], wrong)


def test_one_run_of_another_kind_is_named(folders, tmp_path):
    """Among runs of passages a TREC run is found, whichever place it has."""
    odd = tmp_path / "odd.txt"
    odd.write_text("1 Q0 d1 1 2.5 bm25\n")
    runs, judgments = parts(folders / "2009")
    with pytest.raises(FileFormatError, match=r"odd\.txt"):
        read_judged([runs, odd], judgments)


def test_compressed_files_are_told_apart_too(folders, tmp_path):
    """What counts is the content after unpacking."""
    runs, judgments = parts(folders / "2009")
    for path in runs.iterdir():
        (tmp_path / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
    packed = read_judged([tmp_path], judgments).collection
    assert np.array_equal(
        metric_values(packed, ["AiP"]), metric_values(read_judged([runs], judgments).collection, ["AiP"])
    )


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("trec", {"sizes": "sizes.txt"}, "belong to INEX assessments"),
        ("2007", {"sizes": "sizes.txt"}, "belong to assessments of elements"),
        ("2005", {"order": "rank"}, "order of INEX runs"),
        ("2005", {"score_precision": "float32"}, "order of INEX runs"),
    ],
)
def test_options_of_another_kind_are_refused(folders, name, options, says):
    """An option that would do nothing is an error."""
    runs, judgments = parts(folders / name)
    with pytest.raises(InvalidOptionError, match=says):
        read_judged([runs], judgments, **options)


def test_topics_that_a_run_lacks_are_handled_as_asked(folders, tmp_path):
    """A run without a topic counts 0 there, or leaves with it."""
    runs, judgments = parts(folders / "2009")
    for path in runs.iterdir():
        lines = path.read_text().splitlines(keepends=True)
        keep = lines if "team1-run1" in path.name else [line for line in lines if not line.startswith("2009001 ")]
        (tmp_path / path.name).write_text("".join(keep))
    assert read_judged([tmp_path], judgments).collection.n_systems == 3
    assert read_judged([tmp_path], judgments, missing="drop-systems").collection.systems == ("team1-run1",)
    assert "2009001" not in read_judged([tmp_path], judgments, missing="drop-topics").collection.topics


def test_broken_rules_are_refused_or_passed_over(folders, tmp_path):
    """A pair outside the scale is an error with its place; read leniently it is a warning."""
    runs, judgments = parts(folders / "2003")
    for path in judgments.iterdir():
        text = path.read_text().replace('exhaustiveness="0" specificity="0"', 'exhaustiveness="0" specificity="2"', 1)
        (tmp_path / path.name).write_text(text)
    with pytest.raises(FileFormatError, match="line"):
        read_judged([runs], tmp_path)
    with pytest.warns(UserWarning, match="exhaustivity"):
        assert isinstance(read_judged([runs], tmp_path, lenient=True).collection, ElementCollection)
