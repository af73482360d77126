"""A law over all readers: the same bytes give the same answer however they come, and every input is opened once."""

import os
import sys
import threading
from functools import partial
from typing import NamedTuple

import pandas as pd
import pytest

from metaeval.base.provenance import file_checksum, record_provenance, recording_inputs
from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.inex.assessment_log import read_assessment_log
from metaeval.inex.judged_files import read_judged
from metaeval.inex.reading import read_assessments, read_element_sizes, read_pool, read_submission, read_submissions
from metaeval.io.annotations import read_annotations
from metaeval.io.files import read_bytes
from metaeval.io.groups import read_groups
from metaeval.io.items import read_items
from metaeval.io.labels import read_labels
from metaeval.io.qrels import read_qrels
from metaeval.io.sources import list_sources
from metaeval.io.tables import read_scores, write_scores
from metaeval.io.trec import read_collection, read_runs
from metaeval.table.scores import as_scores

WAYS = ("file", "packed", "pipe", "named pipe", "standard input")
RUN = b"1 Q0 d1 1 3.5 bm25\n1 Q0 d2 2 2.5 bm25\n2 Q0 d1 1 0.5 bm25\n"
QRELS = b"1 0 d1 2\n1 0 d2 0\n2 0 d1 1\n"
SCORES = as_scores([[0.1, 0.4, 0.3], [0.2, 0.3, 0.5]], systems=["a", "b"], metrics=["AP"])
WIDE = b"topic,a,b\n1,0.1,0.2\n2,0.4,0.3\n"
ELEMENTS = b"1 Q0 9996 1 0.9 RunX /article[1]/bdy[1]\n"
FOL = b"T1 Q0 d1 300 1000 100 100:200 500:100\n"
XML_RUN = (
    b'<inex-submission participant-id="1" run-id="r" task="CO" query="automatic"><topic topic-id="1"><result>'
    b"<file>a/1</file><path>/article[1]</path><rank>1</rank></result></topic></inex-submission>"
)
POOL = b'<pool topic="289"><file file="co/2001/r7022"><path path="/article[1]"/></file></pool>'


class Reader(NamedTuple):
    """How one kind of file is read, and something that can be compared of what it held."""

    content: bytes
    read: object
    binary: bool = False

    def answer(self, word):
        """Read and compare by text: nothing that is read holds a path."""
        found = self.read(word)
        frames = found.values() if isinstance(found, dict) and found else [found]
        return [part.to_csv() if isinstance(part, pd.DataFrame) else repr(part) for part in frames]


def plain_scores(word):
    """Read scores without what names the file."""
    return read_scores({"AP": word}).to_series().to_frame("score")


def plain_submission(word, read=read_submission):
    """Read a run without what names the file."""
    found = read(word)
    found = found[0] if isinstance(found, list) else found
    return found.results.assign(run=found.run)


def plain_assessments(word):
    """Read assessments without what names the file."""
    return read_assessments(word).documents


def stored(ending, folder):
    """Return the bytes of scores in a binary form."""
    return write_scores(SCORES, folder / f"scores{ending}").read_bytes()


READERS = {
    "runs": Reader(RUN, read_runs),
    "qrels": Reader(QRELS, lambda word: [part.tolist() for part in read_qrels(word)[1:4]]),
    "wide table": Reader(WIDE, plain_scores),
    "long table": Reader(b"system,topic,score\na,1,0.1\na,2,0.2\nb,1,0.3\nb,2,0.4\n", plain_scores),
    "Parquet": Reader(b".parquet", lambda word: read_scores(word).to_series().to_frame("score"), binary=True),
    "NetCDF": Reader(b".nc", lambda word: read_scores(word).to_series().to_frame("score"), binary=True),
    "groups": Reader(b"run,team\na,x\nb,y\n", partial(read_groups, systems=["a", "b"])),
    "labels": Reader(b"topic,item,ann,ben\n1,d1,0,1\n1,d2,1,1\n", read_labels),
    "annotations": Reader(b'{"ann": {"d1": 1, "d2": 0}, "ben": {"d2": 1}}', read_annotations),
    "items": Reader(b"system,item,BLEU\na,1,0.3\nb,1,0.2\n", read_items),
    "log": Reader(b"topic,document,seconds\n1,d1,3\n", read_assessment_log),
    "INEX run, lines": Reader(ELEMENTS, plain_submission),
    "INEX run, XML": Reader(XML_RUN, partial(plain_submission, read=read_submissions)),
    "INEX assessments": Reader(FOL, plain_assessments),
    "INEX pool": Reader(POOL, read_pool),
    "INEX sizes": Reader(b"co/2001/r7022 /article[1] 40000\n", read_element_sizes),
}


NAMES = [pytest.param(name, marks=pytest.mark.parquet if name == "Parquet" else ()) for name in READERS]


def put(reader, folder):
    """Write the content of a reader's file."""
    path = folder / "content.txt"
    path.write_bytes(stored(reader.content.decode(), folder) if reader.binary else reader.content)
    return path


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NAMES)
def test_however_it_comes(tmp_path, ways, count_openings, name, way):
    """The answer is that of the plain file, the checksum that of the bytes that came, and one opening is enough."""
    reader = READERS[name]
    path = put(reader, tmp_path)
    expected = reader.answer(str(path))
    word = ways.give(path, way)
    with recording_inputs() as record:
        with count_openings() as opened:
            assert reader.answer(word) == expected
            noted = record_provenance("read", inputs=[word]).inputs
        assert opened.count(word) == (0 if way in {"pipe", "standard input"} else 1)
        assert noted == record.checksums == {word: ways.checksums[word]}
        assert reader.answer(word) == expected  # a pipe gives it once, and whoever asks again gets it too


@pytest.mark.parametrize("way", WAYS)
def test_runs_and_judgments_together(tmp_path, ways, count_openings, way):
    """Runs and qrels, each in the same way but for standard input, are read once, with or without a record."""
    run, qrels = tmp_path / "a.run", tmp_path / "qrels.txt"
    run.write_bytes(RUN)
    qrels.write_bytes(QRELS)
    expected = read_collection(run, qrels)
    for read in (read_collection, lambda *words: read_judged(*words).collection):
        words = ways.give(run, way), ways.give(qrels, "pipe" if way == "standard input" else way)
        with count_openings() as opened:
            found = read(*words)
        assert (found.ranks.tolist(), found.levels.tolist()) == (expected.ranks.tolist(), expected.levels.tolist())
        assert all(opened.count(word) <= 1 for word in words)
    for read in (read_collection, read_judged):
        words = ways.give(run, "pipe"), ways.give(qrels, "standard input")
        found = read(*words)
        found = getattr(found, "collection", found)
        assert found.ranks.tolist() == expected.ranks.tolist()


def test_inex_runs_and_assessments_together(tmp_path, ways):
    """A run and FOL judgments from pipes are read as from files."""
    (tmp_path / "run.txt").write_text("T1 Q0 d1 1 4 first 0 400\n")
    (tmp_path / "qrels.txt").write_bytes(FOL)
    words = ways.give(tmp_path / "run.txt", "pipe"), ways.give(tmp_path / "qrels.txt", "named pipe")
    found = read_judged(*words)
    assert found.collection.systems == ("first",)
    assert found.files == words


def test_a_file_that_grows_is_recorded_as_it_was_read(tmp_path):
    """The checksum is of the bytes that were read, whatever the file holds afterwards."""
    path = tmp_path / "qrels.txt"
    path.write_bytes(QRELS)
    with recording_inputs():
        before = file_checksum(path)
        read_qrels(path)
        path.write_bytes(QRELS + b"3 0 d9 1\n")
        assert file_checksum(path) == before
        with pytest.raises(FileFormatError, match="changed while it was being read"):
            read_qrels(path)


def test_a_pipe_larger_than_memory_is_to_hold(tmp_path, ways):
    """Many bytes are kept in a temporary file, and come back the same."""
    path = tmp_path / "big.txt"
    path.write_bytes(b"0123456789abcdef" * 2**20 + b"end")
    word = ways.give(path, "pipe")
    with recording_inputs():
        assert read_bytes(word) == read_bytes(word) == path.read_bytes()


def test_one_pipe_for_two_things(tmp_path, ways):
    """One pipe, or standard input under any of its names, cannot be run and qrels, nor two runs."""
    path = tmp_path / "a.run"
    path.write_bytes(RUN)
    word = ways.give(path, "pipe")
    for read in (read_collection, read_judged):
        with pytest.raises(InvalidOptionError, match="a pipe holds one file"):
            read(word, word)
        with pytest.raises(InvalidOptionError, match="standard input holds one file"):
            read("-", "-")
    again = word.replace("/dev/fd", "/proc/self/fd")
    with pytest.raises(InvalidOptionError, match="is given twice"):
        list_sources([word, again])
    ways.give(path, "standard input")
    with pytest.raises(InvalidOptionError, match="is given twice"):
        list_sources(["-", f"/dev/fd/{sys.stdin.fileno()}"])


@pytest.mark.parametrize("name", [name for name in READERS if not READERS[name].binary])
def test_an_empty_pipe(tmp_path, ways, name):
    """Nothing at all is an error of the reader's own, not a wait and no empty answer."""
    path = tmp_path / "empty"
    path.write_bytes(b"")
    with pytest.raises(FileFormatError):
        READERS[name].read(ways.give(path, "pipe"))
    with pytest.raises(FileFormatError):
        READERS[name].read(os.devnull)


def test_devices_sockets_and_closed_input(tmp_path, monkeypatch):
    """A device without an end is refused; a socket that is open is read; a closed standard input is named."""
    with pytest.raises(FileFormatError, match="this is a device"):
        read_bytes("/dev/zero")
    import socket  # noqa: PLC0415

    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(RUN)
        theirs.shutdown(socket.SHUT_WR)
        assert read_bytes(f"/dev/fd/{ours.fileno()}") == RUN
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(FileFormatError, match="standard input is closed"):
        read_bytes("-")
    for path in (tmp_path / ("x" * 5000), tmp_path / "loop"):
        if path.name == "loop":
            path.symlink_to(path)
        for read in (read_bytes, list_sources):
            with pytest.raises(FileFormatError):
                read(str(path))


def test_a_folder_of_runs_passes_pipes_over(tmp_path):
    """A named pipe that lies in a folder of runs is nobody's run, and is not waited for."""
    (tmp_path / "a.run").write_bytes(RUN)
    os.mkfifo(tmp_path / "b.run")
    done = []
    thread = threading.Thread(target=lambda: done.append(list(read_runs(tmp_path))), daemon=True)
    thread.start()
    thread.join(20)
    assert done == [["bm25"]]
