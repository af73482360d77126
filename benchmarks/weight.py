"""What metaeval's dependencies weigh: megabytes unpacked, without byte code, and who brings what.

Usage: python benchmarks/weight.py [EXTRA,…]

The figures are those of the environment it runs in, whatever else is installed there; sizes are those of wheels for
that platform. "alone" is what would go if metaeval no longer asked for a dependency: less than its size where another
one brings it all the same, more where it brings others along.
"""

import re
import sys
from collections.abc import Collection, Iterable
from importlib.metadata import PackageNotFoundError, distribution

from packaging.requirements import Requirement


def plain(name: str) -> str:
    """Return the name of a distribution as indexes spell it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def asked_for(name: str, extras: Collection[str]) -> list[Requirement]:
    """Return what a distribution, with some of its extras, needs on this platform."""
    requirements = map(Requirement, distribution(name).requires or ())
    environments = [{"extra": extra} for extra in ("", *extras)]
    return [one for one in requirements if one.marker is None or any(map(one.marker.evaluate, environments))]


def brought_by(requirements: Iterable[Requirement]) -> dict[str, set[str]]:
    """Return every distribution that requirements lead to, with the names of those that need it."""
    found: dict[str, set[str]] = {}
    seen, left = set(), [("metaeval", one) for one in requirements]
    while left:
        by, one = left.pop()
        name = plain(one.name)
        found.setdefault(name, set()).add(by)
        if (name, *sorted(one.extras)) not in seen:
            seen.add((name, *sorted(one.extras)))
            left += [(name, inner) for inner in asked_for(name, one.extras)]
    return found


def megabytes(name: str) -> float:
    """Return the size of an installed distribution, without byte code."""
    files = [file.locate() for file in distribution(name).files or () if file.suffix != ".pyc"]
    return sum(file.stat().st_size for file in files if file.exists()) / 1e6


def main() -> None:
    """Print every distribution, the largest first, and what each dependency costs alone."""
    asked = asked_for("metaeval", [extra for word in sys.argv[1:] for extra in word.split(",")])
    try:
        found = brought_by(asked)
    except PackageNotFoundError as error:
        raise SystemExit(f"{error}: install it first") from None
    sizes = {name: megabytes(name) for name in found}
    print(f"{sum(sizes.values()):.0f} MB in {len(sizes)} distributions\n")
    print("| distribution | MB | needed by |\n|---|---|---|")
    for name in sorted(sizes, key=sizes.__getitem__, reverse=True):
        print(f"| {name} {distribution(name).version} | {sizes[name]:.1f} | {', '.join(sorted(found[name]))} |")
    print("\n| dependency | MB | alone |\n|---|---|---|")
    for one in asked:
        without = brought_by([other for other in asked if other is not one])
        alone = sum(size for name, size in sizes.items() if name not in without)
        print(f"| {plain(one.name)} | {sizes[plain(one.name)]:.1f} | {alone:.1f} |")


if __name__ == "__main__":
    main()
