"""Lists of names: the topics or systems that a study is about, one a line."""

from pathlib import Path

from metaeval.errors import FileFormatError
from metaeval.io.files import read_text


def read_names(path: str | Path) -> dict[str, int]:
    r"""Read names of topics or systems.

    See Also
    --------
    metaeval.choose_data

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "topics.tsv")
    ...     _ = path.write_text("1037798\twho is robert gray\n1043135\twho killed nicholas ii\n")
    ...     read_names(path)
    {'1037798': 1, '1043135': 2}
    """
    lines: dict[str, int] = {}
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        name = line.partition("\t")[0].strip()
        if name in lines:
            message = f"{name!r} is in line {lines[name]} already; keep one of the two"
            raise FileFormatError(message, path=str(path), line=number)
        if name:
            lines[name] = number
    if not lines:
        raise FileFormatError("there is no name; write one a line", path=str(path))
    return lines
