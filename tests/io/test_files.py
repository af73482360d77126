"""Files: unpacking, encodings, standard input."""

import bz2
import gzip
import io
import lzma
import shutil
import sys
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given

from metaeval.errors import FileFormatError
from metaeval.io.files import base_name, note_of_blanks, read_bytes, read_text, text_of

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
    assert text_of(text.encode(), "x").decode() == text.removeprefix("\ufeff")
    assert text_of(b"\xef\xbb\xbf" + text.encode(), "x").decode() == text


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


@pytest.mark.parametrize("ending", ["tar", "tar.xz", "tgz", "zip"])
def test_archives_of_several_files_are_named(tmp_path, ending):
    """A packed folder is an error with the command that unpacks it, however it is called."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.csv").write_text(TEXT)
    kind = {"tar": "tar", "tar.xz": "xztar", "tgz": "gztar", "zip": "zip"}[ending]
    packed = Path(shutil.make_archive(str(tmp_path / "out"), kind, tmp_path / "in"))
    path = packed.rename(tmp_path / f"out.{ending}")
    with pytest.raises(
        FileFormatError, match=r"a (tar|zip) archive.*, not a text file; unpack it .*give what was in it"
    ):
        read_text(path)


def test_the_mark_of_utf_16_before_other_text(tmp_path):
    """The advice fits the file: what is no UTF-16 is not to be converted from it, and can be read without the mark."""
    wide, plain = tmp_path / "wide.csv", tmp_path / "plain.csv"
    wide.write_bytes("topic,a\n1,2\n".encode("utf-16"))
    plain.write_bytes(b"\xff\xfetopic,a\n1,2\n")
    with pytest.raises(FileFormatError, match=r"iconv -f utf-16 -t utf-8"):
        read_text(wide)
    with pytest.raises(FileFormatError, match=r"is none; remove its first two bytes \(tail -c \+3\)"):
        read_text(plain)
    plain.write_bytes(plain.read_bytes()[2:])  # as tail does
    assert read_text(plain).startswith("topic")


@pytest.mark.parametrize("letter", ["\u00a0", "\u2007", "\u202f", "\u200b", "\ufeff"])
def test_letters_that_look_like_blanks_are_told(letter):
    """They are part of a name, so that a document of the same looks is another one."""
    assert f"U+{ord(letter):04X}" in note_of_blanks(f"1 0 d{letter}1 1".encode(), "x")
    assert note_of_blanks("1 0 dé1 1".encode(), "x") == note_of_blanks(b"1 0 d1 1", "x") == ""
