"""Files: which ones are meant, unpacking, encodings, and writing that leaves nothing half done."""

import bz2
import contextlib
import errno
import gzip
import io
import lzma
import os
import random
import subprocess
import sys
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given

from metaeval.errors import FileFormatError, InvalidOptionError, OutputError
from metaeval.io import files
from metaeval.io.files import (
    Source,
    base_name,
    decode_text,
    list_sources,
    read_bytes,
    read_text,
    write_atomically,
    write_bytes,
)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstd.compress}
TEXT = "topic,bm25\n301,0.25\n" * 50


@pytest.fixture
def standard_input(monkeypatch):
    """Put bytes on standard input."""

    def put(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return put


# -------------------------------------------------------------------------------------------------------------- reading


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("name", ["table.csv{}", "table.csv"])
def test_compressed_files_are_unpacked(tmp_path, suffix, name):
    """The content tells the compression, with the usual ending or without."""
    path = tmp_path / name.format(suffix)
    path.write_bytes(PACKERS[suffix](TEXT.encode()))
    assert read_text(path) == TEXT
    assert read_bytes(str(path)) == TEXT.encode()


@pytest.mark.parametrize("suffix", PACKERS)
def test_members_put_one_after_another_are_read_to_the_end(tmp_path, suffix):
    """Compressed files that were concatenated are one file, as the command line tools have it."""
    path = tmp_path / f"table.csv{suffix}"
    path.write_bytes(PACKERS[suffix](b"first\n") + PACKERS[suffix](b"second\n"))
    assert read_text(path) == "first\nsecond\n"


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("junk", [b"junk", b"\n", b"\0\0\0\x01"])
def test_what_follows_a_member_and_is_none_is_damage(tmp_path, suffix, junk):
    """A second member whose first bytes were lost is no end of the file; one cut short is none either."""
    first, second = PACKERS[suffix](b"first\n"), PACKERS[suffix](b"second\n" * 20)
    path = tmp_path / f"table.csv{suffix}"
    for rest in (junk, junk + second, b"X" + second[1:], second[:-3]):
        path.write_bytes(first + rest)
        with pytest.raises(FileFormatError, match=r"damaged|cut short"):
            read_bytes(path)


def test_zeros_at_the_end_are_padding(tmp_path):
    """Both gzip and xz allow them."""
    for suffix in (".gz", ".xz"):
        path = tmp_path / f"table.csv{suffix}"
        path.write_bytes(PACKERS[suffix](TEXT.encode()) + b"\0" * 512)
        assert read_text(path) == TEXT


@pytest.mark.parametrize("suffix", ["", *PACKERS])
def test_standard_input_is_a_file_too(standard_input, suffix):
    """A hyphen reads standard input, unpacked as any file."""
    content = TEXT.encode()
    standard_input(PACKERS[suffix](content) if suffix else content)
    assert read_text("-") == TEXT


def test_standard_input_stays_open(standard_input):
    """Reading standard input does not close it for whoever comes next."""
    standard_input(b"abc")
    assert read_bytes("-") == b"abc"
    assert not sys.stdin.buffer.closed


def test_a_byte_order_mark_is_no_text(tmp_path):
    """UTF-8 with the mark that Windows programs write reads the same."""
    path = tmp_path / "table.csv"
    path.write_bytes(b"\xef\xbb\xbftopic,bm25\n")
    assert read_text(path) == "topic,bm25\n"


def test_text_that_looks_compressed_is_text(tmp_path):
    """A table whose first system is called BZh9 is no bzip2 file."""
    path = tmp_path / "table.csv"
    path.write_bytes(b"BZh9,lm\n0.1,0.2\n")
    assert read_text(path).startswith("BZh9")


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (TEXT.encode("utf-16"), "table.csv: the file is UTF-16; save it as UTF-8"),
        ("a,b\n1,2\nnaïve,3\n".encode("latin1"), "table.csv, line 3: byte 0xef is no UTF-8; save the file as UTF-8"),
    ],
)
def test_other_encodings_are_named(tmp_path, content, rule):
    """Text in another encoding is an error with the line and the way out."""
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=rule):
        read_text(path)


@given(st.text(st.characters(exclude_characters="\r\0")))
def test_decoding_undoes_encoding(text):
    """Any text comes back, but for one byte-order mark at its start (line ends and zero bytes: below)."""
    assert decode_text(text.encode(), "x") == text.removeprefix("\ufeff")
    assert decode_text(b"\xef\xbb\xbf" + text.encode(), "x") == text


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_file_cut_short_is_damaged(tmp_path, suffix):
    """A download that broke off is an error that names the file, not a shorter table."""
    path = tmp_path / f"table.csv{suffix}"
    path.write_bytes(PACKERS[suffix](TEXT.encode())[:-6])
    with pytest.raises(FileFormatError, match=r"table\.csv\..*(cut short|damaged).*fetch"):
        read_text(path)


@pytest.mark.parametrize("suffix", PACKERS)
def test_damaged_content_is_an_error(tmp_path, suffix):
    """Bytes changed on the way are an error that names the file."""
    packed = bytearray(PACKERS[suffix](bytes(range(256)) * 20))
    packed[len(packed) // 2 :] = bytes(byte ^ 0x55 for byte in packed[len(packed) // 2 :])
    path = tmp_path / f"table.csv{suffix}"
    path.write_bytes(packed)
    with pytest.raises(FileFormatError, match=r"table\.csv\..*(cut short|damaged).*fetch"):
        read_text(path)


def test_a_false_ending_is_an_error(tmp_path):
    """A file that is named .gz and holds something else was not downloaded as it should be."""
    path = tmp_path / "table.csv.gz"
    path.write_text("<html>404</html>")
    with pytest.raises(FileFormatError, match=r"named \.gz but its content is not"):
        read_text(path)


def test_folders_and_closed_files_are_no_tables(tmp_path, monkeypatch):
    """A folder, or a file that may not be read, is an error that says so."""
    with pytest.raises(FileFormatError, match="this is a folder"):
        read_text(tmp_path)
    path = tmp_path / "table.csv"
    path.write_text("a")

    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(Path, "open", refuse)  # permissions do not stop every user
    with pytest.raises(FileFormatError, match="may not be read; change its permissions"):
        read_text(path)


# ------------------------------------------------------------------------------------------------ which files are meant


def test_names_and_paths(tmp_path, monkeypatch):
    """NAME=path names a file; names and paths may themselves hold an equals sign."""
    monkeypatch.chdir(tmp_path)
    for name in ("ap.csv", "k=10.csv", "rbp.csv"):
        Path(name).write_text("x")
    assert list_sources("ap.csv") == [Source("ap.csv")]
    assert list_sources(["AP=ap.csv", "k=10.csv"]) == [Source("ap.csv", "AP"), Source("k=10.csv")]
    assert list_sources("RBP(p=0.8)=rbp.csv") == [Source("rbp.csv", "RBP(p=0.8)")]
    assert list_sources("P=k=10.csv") == [Source("k=10.csv", "P")]
    assert list_sources("AP=-") == [Source("-", "AP")]
    assert list_sources({"AP": Path("ap.csv")}) == [Source("ap.csv", "AP")]
    assert list_sources(Path("k=10.csv")) == [Source("k=10.csv")]


def test_a_folder_is_every_file_in_it(tmp_path):
    """Files come in natural order; hidden files and folders inside are left out."""
    for name in ("run10.txt", "run9.txt", ".hidden"):
        (tmp_path / name).write_text("x")
    (tmp_path / "inner").mkdir()
    assert [Path(source.path).name for source in list_sources(tmp_path)] == ["run9.txt", "run10.txt"]


def test_a_file_that_is_not_there(tmp_path):
    """The error names the nearest files, also the packed one."""
    (tmp_path / "adhoc8_ap.csv.gz").write_text("x")
    (tmp_path / "adhoc8_rr.csv").write_text("x")
    with pytest.raises(FileFormatError, match=r"no such file; did you mean 'adhoc8_ap\.csv\.gz'"):
        list_sources(tmp_path / "adhoc8_ap.csv")
    with pytest.raises(FileFormatError, match="no such file; check the path"):
        list_sources(tmp_path / "zzz")
    with pytest.raises(FileFormatError, match="there is no folder"):
        list_sources(f"AP={tmp_path}/absent/ap.csv")
    with pytest.raises(FileFormatError, match="no such file"):
        read_bytes(tmp_path / "zzz")


def test_nothing_and_everything_twice(tmp_path):
    """No file, an empty folder, a named folder and a file given twice are errors."""
    with pytest.raises(InvalidOptionError, match="no file was given"):
        list_sources([])
    with pytest.raises(FileFormatError, match="the folder holds no files"):
        list_sources(tmp_path)
    with pytest.raises(FileFormatError, match="is for one file, and this is a folder"):
        list_sources(f"AP={tmp_path}")
    path = tmp_path / "ap.csv"
    path.write_text("x")
    with pytest.raises(InvalidOptionError, match="is given twice"):
        list_sources([path, tmp_path])


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/b/adhoc8_ap.csv.gz", "adhoc8_ap"),
        ("adhoc8_ap.CSV", "adhoc8_ap"),
        ("input.bm25", "input.bm25"),
        ("run.v1.2.eval", "run.v1.2"),
        (".csv", ".csv"),
        ("scores.zst", "scores"),
    ],
)
def test_base_names(path, name):
    """Compression and the ending of a known kind go; other dots belong to the name."""
    assert base_name(path) == name


# -------------------------------------------------------------------------------------------------------------- writing


@pytest.mark.parametrize("suffix", ["", *PACKERS])
@given(content=st.binary(max_size=200))
def test_what_is_written_is_read(tmp_path_factory, suffix, content):
    """Bytes come back as they were, packed as the ending says."""
    path = tmp_path_factory.mktemp("files") / f"table.csv{suffix}"
    write_bytes(path, content)
    packed = path.read_bytes()
    assert (packed == content) == (suffix == "")
    if suffix:
        assert read_bytes(path) == content


@pytest.mark.parametrize("suffix", PACKERS)
def test_equal_content_gives_equal_bytes(tmp_path, suffix):
    """No time or name is packed with the content."""
    one = write_bytes(tmp_path / f"one{suffix}", TEXT.encode())
    other = write_bytes(tmp_path / f"other{suffix}", TEXT.encode())
    assert one.read_bytes() == other.read_bytes()


def _write_half(path, interruption):
    with write_atomically(path) as temporary:
        temporary.write_text("half")
        raise interruption


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, ValueError, SystemExit])
def test_an_interruption_leaves_nothing_behind(tmp_path, interruption):
    """The older file stays, and no temporary one; an absent file stays absent."""
    old = tmp_path / "old.csv"
    old.write_text("old")
    for path in (old, tmp_path / "new.csv"):
        with pytest.raises(interruption):
            _write_half(path, interruption)
    assert [path.name for path in tmp_path.iterdir()] == ["old.csv"]
    assert old.read_text() == "old"


def test_the_final_name_appears_at_the_end(tmp_path):
    """While the block runs, only a hidden file with the same endings exists."""
    path = tmp_path / "table.csv.gz"
    with write_atomically(path) as temporary:
        temporary.write_text("x")
        assert not path.exists()
        assert temporary.parent == tmp_path
        assert temporary.name.startswith(".")
        assert temporary.suffixes[-2:] == [".csv", ".gz"]
    assert [entry.name for entry in tmp_path.iterdir()] == ["table.csv.gz"]


def test_a_link_stays_a_link(tmp_path):
    """Writing to a link writes the file it points to."""
    target, link = tmp_path / "target.csv", tmp_path / "link.csv"
    target.write_text("old")
    link.symlink_to(target)
    write_bytes(link, b"new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_where_nothing_can_be_written(tmp_path):
    """An absent folder, or a folder of that name, is an error before anything is written."""
    with pytest.raises(FileFormatError, match="absent'; make it first"):
        write_bytes(tmp_path / "absent" / "x.csv", b"")
    with pytest.raises(FileFormatError, match="this is a folder; give the name of a file"):
        write_bytes(tmp_path, b"")


def test_what_a_killed_process_left_is_swept_away(tmp_path):
    """The next process that writes there removes it; what another one is writing, and files of others, stay."""
    code = """
import sys, time
from metaeval.io.files import write_atomically
with write_atomically(sys.argv[1]) as temporary:
    temporary.write_text("half")
    print("there", flush=True)
    time.sleep(60)
"""
    processes = []
    for name in ("dead.csv", "living.csv"):
        words = [sys.executable, "-c", code, str(tmp_path / name)]
        processes.append(subprocess.Popen(words, stdout=subprocess.PIPE))
        assert processes[-1].stdout.readline() == b"there\n"
    dead, living = processes
    dead.kill()
    dead.wait()
    (tmp_path / ".0123456789abcdef.part.csv").write_text("of an earlier version")
    (tmp_path / ".mine.part.csv").write_text("not ours")
    files._sweep_once.cache_clear()
    write_bytes(tmp_path / "new.csv", b"new")
    names = {path.name for path in tmp_path.iterdir()}
    assert names > {"new.csv", ".mine.part.csv"}
    assert len(names) == 3, "the one that is being written"
    living.kill()
    for process in processes:
        process.wait()
        process.stdout.close()
    files._sweep_once.cache_clear()
    write_bytes(tmp_path / "new.csv", b"new")
    assert {path.name for path in tmp_path.iterdir()} == {"new.csv", ".mine.part.csv"}


def test_leftovers_stay_where_nothing_can_be_locked(tmp_path, monkeypatch):
    """Some disks know no locks: there nobody can tell a leftover from work in progress."""
    monkeypatch.setattr("metaeval.io.locks._hold", lambda _: False)
    (tmp_path / ".0123456789abcdef.part").touch()
    files._sweep_once.cache_clear()
    write_bytes(tmp_path / "new.csv", b"new")
    assert {path.name for path in tmp_path.iterdir()} == {"new.csv", ".0123456789abcdef.part"}


def test_what_the_system_refuses_is_told_as_such(tmp_path, monkeypatch):
    """A name that is too long, a link to itself, a full disk: an error that names the file, and nothing is left."""
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(FileFormatError, match="leads back to itself"):
        write_bytes(tmp_path / "loop", b"")
    with pytest.raises(OutputError, match="xxx: cannot be written: File name too long"):
        write_bytes(tmp_path / ("x" * 300), b"")

    def full(path, content):
        path.write_text("half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path), len(content))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OutputError, match=r"table.csv: cannot be written: No space left on device"):
        write_bytes(tmp_path / "table.csv", b"content")
    assert [path.name for path in tmp_path.iterdir()] == ["loop"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_or_a_device_is_written_to(tmp_path):
    """No file takes its place: the reader of a pipe gets the content, and a full device says so."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_bytes(pipe, b"content")
        assert os.read(reader, 100) == b"content"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    if Path("/dev/full").is_char_device():
        with pytest.raises(OutputError, match="/dev/full: cannot be written: No space left"):
            write_bytes("/dev/full", b"content")
        assert Path("/dev/full").is_char_device()


@pytest.mark.parametrize("ending", ["", ".gz", ".bz2", ".xz", ".zst"])
def test_packed_bytes_come_back_whole_or_not_at_all(tmp_path, ending):
    """The same for anything else that is written packed; plain text has no checksum, and can have none."""
    text = "".join(f"{topic} Q0 d{topic * 7919 % 1000} 1 {topic / 7:.4f} run\n" for topic in range(200)).encode()
    path = tmp_path / f"run.txt{ending}"
    content = write_bytes(path, text).read_bytes()
    wrong = 0
    for place in random.Random(2).sample(range(8 * len(content)), 300):  # noqa: S311 - which bit
        damaged = bytearray(content)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        with contextlib.suppress(FileFormatError):
            wrong += read_bytes(path) != text
    assert wrong == (300 if not ending else 0)
