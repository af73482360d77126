"""Does every public procedure answer the same with the kernels of another processor?

    python benchmarks/studies/other_processors.py            # writes benchmarks/reports/other-processors.md
    python benchmarks/studies/other_processors.py --only best_system hierarchical   # these alone, to standard output

Every entry of tests/every.py is asked once as this processor would have it, and once in a process whose OpenBLAS takes
the kernels of an older one (OPENBLAS_CORETYPE; that it did is read from threadpoolctl), for the oldest also with NumPy's
loops for newer processors switched off. Compared is the whole answer, every number of it in parts of the largest of its
column or array, every word, and what is said in refusals and notes. Seeds are the same.
"""

import argparse
import dataclasses
import os
import pickle
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from numpy._core import _multiarray_umath as loops

ROOT = Path(__file__).parents[2]
REPORT = ROOT / "benchmarks" / "reports" / "other-processors.md"
AGREE, NOTHING = 1e-9, 1e-12
"""In parts of the largest number of the column or array; and what counts as nothing where that is as small itself."""
SHOWN = 3
REASONS = {"latent_classes": "A chain of PyMC goes another way for the last digit, and ends within its Monte-Carlo error"}
"""Why an entry may differ."""
_FEATURES = " ".join(name for name in loops.__cpu_dispatch__ if loops.__cpu_features__.get(name))
SETTINGS = {
    "this processor": {},
    "Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "Prescott": {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": _FEATURES},
}
_TOLD = ("provenance",)
_TIMES = ("perf_counter", "process_time")
HEAD = """# The same answers on another processor

By `python benchmarks/studies/other_processors.py` at commit {commit}. Every entry of `tests/every.py` ({n}) is asked with
the kernels of three processors; every number of an answer may differ by {agree:g} of the largest of its column or array, or by {nothing:g}.

| kernels | OpenBLAS by threadpoolctl | entries | numbers compared | largest difference within | entries that differ |
|---|---|---|---|---|---|
"""


def leaves(value: object, place: str = "", seen: frozenset[int] = frozenset()) -> Iterator[tuple[str, object]]:  # noqa: C901, PLR0912 - one branch a kind of value
    """Yield every array and word of an answer with its place."""
    if id(value) in seen or callable(value) or place.endswith(_TOLD) or any(name in place for name in _TIMES):
        return
    inside = seen | {id(value)}
    if isinstance(value, xr.DataTree):
        for node in value.subtree:
            yield from leaves(node.to_dataset(), f"{place}{node.path}", inside)
    elif isinstance(value, pd.DataFrame):
        yield from leaves(value.reset_index().to_dict("series"), place, inside)
    elif isinstance(value, xr.Dataset):
        yield from leaves({name: value.variables[name] for name in sorted(value.variables, key=str)}, place, inside)
    elif isinstance(value, xr.DataArray):
        yield from leaves({"values": value.variable, **{name: own.variable for name, own in value.coords.items()}}, place, inside)
    elif isinstance(value, pd.Series | pd.Index | xr.Variable | np.ndarray | np.generic | int | float):
        yield place, np.asarray(value)
    elif isinstance(value, str | bytes | None):
        yield place, value
    elif isinstance(value, Mapping):
        for key, own in value.items():
            yield from leaves(own, f"{place}[{key}]", inside)
    elif isinstance(value, list | tuple | set | frozenset) and not hasattr(value, "_fields"):
        if value and all(isinstance(one, int | float | np.number) for one in value):
            yield place, np.asarray(sorted(value) if isinstance(value, set | frozenset) else value)
        else:
            for number, own in enumerate(sorted(value, key=str) if isinstance(value, set | frozenset) else value):
                yield from leaves(own, f"{place}[{number}]", inside)
    else:
        names = [field.name for field in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else getattr(value, "_fields", None)
        for name in names if names is not None else getattr(value, "__dict__", {}):
            yield from leaves(getattr(value, name, None), f"{place}.{name}", inside)


def apart(one: object, other: object) -> float:
    """Return by how much two leaves differ, in parts of the largest number: infinite where they are other things."""
    one, other = np.asarray(one), np.asarray(other)
    if one.shape != other.shape or one.dtype.kind != other.dtype.kind:
        return np.inf
    if one.dtype.kind not in "fc":
        return 0.0 if all(a == b or (a != a and b != b) for a, b in zip(one.ravel().tolist(), other.ravel().tolist(), strict=True)) else np.inf
    known = np.isfinite(one)
    if not np.array_equal(known, np.isfinite(other)) or not np.array_equal(one[~known], other[~known], equal_nan=True):
        return np.inf
    difference, scale = np.abs(one[known] - other[known]).max(initial=0.0), np.abs(one[known]).max(initial=0.0)
    return 0.0 if difference <= NOTHING else float(difference / scale) if scale else np.inf


def answer_all(target: Path, names: list[str]) -> None:
    """Write what every entry answers with the kernels of this process, and whose these are."""
    sys.path.insert(0, str(ROOT / "tests"))
    import every  # noqa: PLC0415 - of the tests
    import scipy.linalg  # noqa: F401, PLC0415 - brings its own OpenBLAS
    import threadpoolctl  # noqa: PLC0415 - of the child

    warnings.simplefilter("ignore")
    whose = sorted({pool["architecture"] for pool in threadpoolctl.threadpool_info() if pool["internal_api"] == "openblas"})
    answers = {}
    for name in names or every.EVERY:
        try:
            found = every.outcome(name)
            answers[name] = [("refusal", found.refusal), *leaves(found.answer)]
        except Exception as error:  # noqa: BLE001 - a package that is not here
            answers[name] = [("error", repr(error))]
        print(name, file=sys.stderr, flush=True)
    target.write_bytes(pickle.dumps((", ".join(whose), answers)))


def ask(name: str, names: list[str], folder: Path) -> tuple[str, dict[str, list[tuple[str, object]]]]:
    """Ask every entry in a process of its own, unless its answers lie in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}.pickle"
    if not target.exists():
        command = [sys.executable, __file__, "--answers", str(target), "--only", *names]
        env = os.environ | {"PYTHONHASHSEED": "0"} | SETTINGS[name]
        subprocess.run(command, check=True, env=env, stderr=subprocess.DEVNULL)  # noqa: S603 - itself
    return pickle.loads(target.read_bytes())  # noqa: S301 - what it wrote


def differences(before: list[tuple[str, object]], after: list[tuple[str, object]]) -> tuple[list[str], float, int]:
    """Return what differs by more than allowed, a line each, the largest difference within, and the numbers compared."""
    if [place for place, _ in before] != [place for place, _ in after]:
        return [f"other parts: {sorted({place for place, _ in before} ^ {place for place, _ in after})[:SHOWN]}"], 0.0, 0
    sizes = [(place, one, other, apart(one, other)) for (place, one), (_, other) in zip(before, after, strict=True)]
    lines = [f"{place}: {size:.2g} ({str(one)[:120]!r}, {str(other)[:120]!r})" for place, one, other, size in sizes if size > AGREE]
    within = max((size for *_, size in sizes if size <= AGREE), default=0.0)
    return lines, within, sum(np.size(one) for _, one, *_ in sizes if np.asarray(one).dtype.kind == "f")


def main() -> None:
    """Compare, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[], help="these entries alone, to standard output")
    parser.add_argument("--keep", type=Path, help="folder that keeps the answers; those that lie there are not asked for again")
    parser.add_argument("--answers", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.answers:
        answer_all(chosen.answers, chosen.only)
        return
    with tempfile.TemporaryDirectory() as folder:
        report = compared(chosen.only, chosen.keep or Path(folder))
    if chosen.only:
        print(report)
    else:
        REPORT.write_text(report, "utf-8")


def compared(names: list[str], folder: Path) -> str:
    """Return the report."""
    (whose, usual), rows, listed = ask("this processor", names, folder), [], []
    for name in [*SETTINGS][1:]:
        others, answers = ask(name, names, folder)
        if others == whose:
            raise SystemExit(f"OpenBLAS did not take the kernels of {name}: {others}")
        found = {entry: differences(usual[entry], answers[entry]) for entry in usual}
        odd = {entry: lines for entry, (lines, *_) in found.items() if lines}
        rows.append(f"| {name} | {others}, beside {whose} | {len(found)} | {sum(n for *_, n in found.values())} | {max(own for _, own, _ in found.values()):.1g} | {len(odd)} |")
        listed += [f"- {name}, `{entry}`: {len(lines)} parts, {'; '.join(lines[:SHOWN])}. {REASONS.get(entry, '')}" for entry, lines in odd.items()]
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False, cwd=ROOT).stdout.strip()  # noqa: S607 - git
    return (HEAD.format(commit=commit, n=len(usual), agree=AGREE, nothing=NOTHING) + "\n".join([*rows, "", *listed])).rstrip() + "\n"


if __name__ == "__main__":
    main()
