"""Tables as people leave them: renamed, reordered, cut and added to, with the numbers known that they hold.

    PYTHONPATH=. python tests/table_edits.py FILE.csv ...

reads wide tables of real scores (an item a row, a system a column), edits them in every way, and counts what is read.
"""

import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from advice import obeyed

from metaeval import read_scores
from metaeval.errors import MetaevalError
from metaeval.io.means import MeansAloneError

RNG = np.random.default_rng


class Edited(NamedTuple):
    """A table as somebody left it."""

    text: str
    noted: str = ""
    """What a note or a refusal must name, where the numbers are no longer those of before."""
    scale: int = 1
    """How many times the numbers of before those of now are."""


def cells_of(frame: pd.DataFrame, first: str) -> list[list[str]]:
    """Return a table as cells, the names of its rows under `first`."""
    return [
        [first, *map(str, frame.columns)],
        *([str(name), *map(repr, row)] for name, row in zip(frame.index, frame.to_numpy().tolist(), strict=True)),
    ]


def text_of(cells: list[list[str]], sep: str = ",") -> str:
    return "".join(sep.join(row) + "\n" for row in cells)


def with_column(cells: list[list[str]], name: str, column, at: int | None = None) -> list[list[str]]:
    """Return cells with one more column, at the end or at a place."""
    place = len(cells[0]) if at is None else at
    return [[*row[:place], str(cell), *row[place:]] for row, cell in zip(cells, [name, *column], strict=True)]


def with_row(cells: list[list[str]], name: str, row) -> list[list[str]]:
    return [*cells, [name, *map(str, row)]]


def shuffled(cells: list[list[str]], *, columns: bool = False) -> list[list[str]]:
    """Return cells with their rows, or all columns but the first, in another order."""
    rng = RNG(3)
    if columns:
        order = [0, *(1 + rng.permutation(len(cells[0]) - 1)).tolist()]
        return [[row[at] for at in order] for row in cells]
    return [cells[0], *(cells[1 + at] for at in rng.permutation(len(cells) - 1).tolist())]


def long_text(frame: pd.DataFrame, head: str = "item,system,acc", more: str = "") -> str:
    """Return a row a score of a frame with items in rows."""
    rows = (f"{item},{system},{float(frame.loc[item, system])!r}\n" for item in frame.index for system in frame.columns)
    return f"{head}\n{''.join(rows)}{more}"


def _whole(n: int) -> list[int]:
    return RNG(5).integers(3, 900, n).tolist()


def _digits(numbers, digits: int = 4) -> list[float]:
    return np.round(numbers, digits).tolist()


def _tables(frame: pd.DataFrame) -> dict[str, tuple[list[list[str]], np.ndarray]]:
    """Return items in rows, and systems in rows, as cells and numbers."""
    return {
        "wide": (cells_of(frame, "item"), frame.to_numpy()),
        "board": (cells_of(frame.T, "model"), frame.to_numpy().T),
    }


def _rewritten(cells: list[list[str]], write: Callable[[str], str]) -> list[list[str]]:
    return [cells[0], *([row[0], *map(write, row[1:])] for row in cells[1:])]


def _with_comma(cell: str) -> str:
    return cell.replace(".", ",")


def _per_cent(cell: str) -> str:
    return f"{round(100 * float(cell), 8):g}%"


def _merged(rows: re.Match[str]) -> str:
    return rows[1] + rows[2] + re.sub(r"(?m)^[^,]+", "", rows[3])


def sheets(cells: list[list[str]], numbers: np.ndarray) -> dict[str, Edited]:
    """Return a table as spreadsheets are exported."""
    n_rows, blank = len(numbers), [""] * len(cells[0])
    mean = list(map(str, _digits(numbers.mean(axis=0))))
    above, below = [["Results of May 2024", *blank[1:]], blank], [blank, ["Quelle: eigene Läufe", *blank[1:]]]
    german = [["Modell" if cells[0][0] == "model" else "Thema", *cells[0][1:]], *cells[1:]]
    whole = with_column(with_row(german, "Mittelwert", mean), "Anmerkung", ["siehe Blatt 2"] * (n_rows + 1))
    around = "".join(";".join(row) + ";\n" for row in above), "".join(";".join(row) + ";\n" for row in below)
    commas, shares = _rewritten(german, _with_comma), _rewritten(cells, _per_cent)
    half = 1 + n_rows // 2
    group = ["A", *[""] * (half - 1), "B", *[""] * n_rows][:n_rows]
    made = {
        "German": Edited(around[0] + text_of(_rewritten(whole, _with_comma), ";") + around[1]),
        "decimal commas in quotation marks": Edited(text_of(_rewritten(commas, '"{}"'.format))),
        "decimal commas and tabs": Edited(text_of(commas, "\t")),
        "per cents": Edited(text_of(with_row(shares, "mean", map(_per_cent, mean))), scale=100),
        "per cents with decimal commas": Edited(text_of(_rewritten(shares, _with_comma), ";"), scale=100),
        "two headers": Edited(text_of([["", "Baselines", *blank[3:], "Ours"], *cells])),
        "merged groups": Edited(text_of(with_column(cells, "Group", group, 0)), "has no name"),
        "subtotal": Edited(
            text_of([*cells[:half], ["Subtotal", *map(str, _digits(numbers[: half - 1].mean(axis=0)))], *cells[half:]])
        ),
        "numbers with points": Edited(text_of(with_column(cells, "#", [f"{at}." for at in range(1, n_rows + 1)], 0))),
        "a dash": Edited(text_of([*cells[:2], [*cells[2][:2], "\N{EN DASH}", *cells[2][3:]], *cells[3:]]), cells[2][0]),
    }
    for sep, name in ((",", "commas"), ("\t", "tabs"), (";", "semicolons")):
        columns = with_column(with_column(cells, "", blank[:1] * n_rows, 1), "", blank[:1] * n_rows)
        made[f"{name}, blank columns"] = Edited(text_of(columns, sep))
        made[f"{name}, blank first column"] = Edited(text_of([["", *row] for row in cells], sep))
        made[f"{name}, mean below a blank row"] = Edited(text_of([*cells, blank, ["mean", *mean]], sep))
        made[f"{name}, title, mean and source"] = Edited(text_of([*above, *cells, ["mean", *mean], *below], sep))
    return made


def edits(frame: pd.DataFrame) -> dict[str, Edited]:
    """Return the table in all ways; items are in rows of `frame`."""
    made: dict[str, Edited] = {}
    for kind, (cells, numbers) in _tables(frame).items():
        n_rows, n_columns = numbers.shape
        rows = {
            "Average": numbers.mean(axis=0),
            "Mittelwert": numbers.mean(axis=0),
            "Snitt": numbers.mean(axis=0),
            "Max": numbers.max(axis=0),
            "Min": numbers.min(axis=0),
            "Std": numbers.std(axis=0, ddof=1),
            "Median": np.median(numbers, axis=0),
            "Stabw": numbers.std(axis=0),
        }
        for name, row in rows.items():
            made[f"{kind}: row {name}"] = Edited(text_of(with_row(cells, name, _digits(row))))
        made[f"{kind}: row n"] = Edited(text_of(with_row(cells, "n", [n_rows] * n_columns)))
        made[f"{kind}: row Rang"] = Edited(text_of(with_row(cells, "Rang", range(1, n_columns + 1))))
        columns = {
            "Average": _digits(numbers.mean(axis=1)),
            "Moyenne": _digits(numbers.mean(axis=1), 3),
            "Gesamtschnitt": _digits(numbers.mean(axis=1)),
            "Best": numbers.max(axis=1).tolist(),
            "Diff": _digits(numbers[:, 1] - numbers[:, 0], 6),
            "difficulty": _digits(1 - numbers.mean(axis=1)),
            "Parameter": _whole(n_rows),
            "Länge": _whole(n_rows),
            "context": _whole(n_rows),
            "Preis": _whole(n_rows),
            "Datum": ["2024-05-01"] * n_rows,
            "Anmerkung": [f"word {one}" for one in "abcdefghij" * n_rows][:n_rows],
            "Group": _digits(numbers[:, :3].mean(axis=1), 6),
            "Rang": RNG(1).permutation(n_rows) + 1,
        }
        for name, column in columns.items():
            made[f"{kind}: column {name}"] = Edited(text_of(with_column(cells, name, column)))
        both = with_column(with_column(cells, "Parameter", _whole(n_rows), 1), "Schnitt", columns["Average"])
        made[f"{kind}: size before and average behind"] = Edited(text_of(both))
        made[f"{kind}: rows shuffled"] = Edited(text_of(shuffled(cells)))
        made[f"{kind}: columns shuffled"] = Edited(text_of(shuffled(cells, columns=True)))
        made[f"{kind}: tabs"] = Edited(text_of(cells, "\t"))
        made[f"{kind}: semicolons and decimal commas"] = Edited(text_of(cells, ";").replace(".", ","))
        made[f"{kind}: sep="] = Edited("sep=;\n" + text_of(cells, ";"))
        made[f"{kind}: title"] = Edited("Results (2024)\n\n" + text_of(cells))
        made[f"{kind}: footnote"] = Edited(text_of(cells) + "Source: our own runs\n")
        made[f"{kind}: header again"] = Edited(text_of([*cells[:3], cells[0], *cells[3:]]))
        made[f"{kind}: numbered rows"] = Edited(text_of(with_column(cells, "", range(n_rows), 0)))
        made[f"{kind}: marks"] = Edited(
            text_of([*cells[:2], [cells[2][0], cells[2][1] + "*", *cells[2][2:]], *cells[3:]])
        )
        made[f"{kind}: per cent signs"] = Edited(text_of(_rewritten(cells, "{} %".format)))
        made[f"{kind}: an empty cell"] = Edited(
            text_of([*cells[:2], [*cells[2][:2], "", *cells[2][3:]], *cells[3:]]), cells[2][0]
        )
        made[f"{kind}: a row cut short"] = Edited(text_of([*cells[:2], cells[2][:-1], *cells[3:]]), "a row of")
        made[f"{kind}: a row twice"] = Edited(text_of([*cells, cells[2]]), cells[2][0])
        if np.median(numbers) > 0.2:
            half = [[row[0], *(repr(100 * float(one)) for one in row[1:])] for row in cells[1 : 1 + n_rows // 2]]
            made[f"{kind}: half in per cent"] = Edited(
                text_of([cells[0], *half, *cells[1 + n_rows // 2 :]]), "per cent|scale"
            )
        made |= {f"{kind}: {name}": sheet for name, sheet in sheets(cells, numbers).items()}
    means = {item: frame.loc[item].mean() for item in frame.index}
    made["long: merged cells"] = Edited(
        re.sub(r"(?m)^([^,]+)(,.*\n)((?:\1,.*\n)*)", _merged, long_text(frame)), "no name"
    )
    made["long: plain"] = Edited(long_text(frame))
    made["long: other words"] = Edited(long_text(frame, "Frage,Modell,Wert"))
    made["long: an average system"] = Edited(
        long_text(frame, more="".join(f"{t},Average,{m:.4f}\n" for t, m in means.items()))
    )
    made["long: an average item"] = Edited(
        long_text(frame, more="".join(f"mean,{s},{frame[s].mean():.4f}\n" for s in frame))
    )
    made["long: average by another name"] = Edited(
        long_text(frame, more="".join(f"Schnitt,{s},{frame[s].mean():.4f}\n" for s in frame))
    )
    made["long: the best system"] = Edited(
        long_text(frame, more="".join(f"{t},Best,{float(frame.loc[t].max())!r}\n" for t in frame.index))
    )
    made["long: footnote"] = Edited(long_text(frame, more="Note: made by us,,\n"))
    return made


RECIPE = re.compile(r"\(((?:sed|tr) .*?)\)( if .*)?$")
"""What a refusal says to send the file through."""


def outcome(frame: pd.DataFrame, edited: Edited, folder: Path, filters: int = 3) -> tuple[str, str]:
    """Return whether a table is read right, is named or refused, or is wrong, and what was said."""
    path = folder / "acc.csv"
    path.write_text(edited.text, "utf-8")
    try:
        found, _ = obeyed(lambda **options: read_scores(path, **options))
    except MeansAloneError as error:
        found = error
    if isinstance(found, MetaevalError):
        if (recipe := RECIPE.search(str(found))) and filters:
            command = ["bash", "-c", recipe[1]]
            mended = subprocess.run(command, input=edited.text, stdout=subprocess.PIPE, text=True, check=True).stdout
            return outcome(frame, edited._replace(text=mended), folder, filters - 1)
        return "refused", str(found)
    said = "; ".join(map(str, found.attrs["notes"]))
    labels = sorted(map(str, frame.columns)), sorted(map(str, frame.index))
    if (sorted(found["system"].to_numpy()), sorted(found["topic"].to_numpy())) == labels and found.sizes["metric"] == 1:
        held = found.squeeze("metric").sel(system=[*map(str, frame.columns)], topic=[*map(str, frame.index)]).to_numpy()
        if np.allclose(held, edited.scale * frame.to_numpy().T, rtol=0, atol=1e-9):
            return "right", said
    return ("named" if edited.noted and re.search(edited.noted, said) else "wrong"), said


def judged(
    frame: pd.DataFrame, folder: Path, only: Callable[[str], bool] = lambda _: True
) -> dict[str, tuple[str, str]]:
    """Return what becomes of every edit."""
    return {name: outcome(frame, edited, folder) for name, edited in edits(frame).items() if only(name)}


if __name__ == "__main__":
    for file in [one for one in sys.argv[1:] if one != "-v"]:
        table = pd.read_csv(file, index_col=0)
        with tempfile.TemporaryDirectory() as place:
            results = judged(table, Path(place))
        print(Path(file).name, table.shape, dict(Counter(kind for kind, _ in results.values())))  # noqa: T201 - a script
        for name, (kind, said) in results.items():
            if kind == "wrong" or (kind == "refused" and "-v" in sys.argv):
                print(f"   {kind} {name}: {said[-260:]}")  # noqa: T201 - a script
