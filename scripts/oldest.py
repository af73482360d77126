"""Print the oldest release of every dependency that pyproject.toml allows, as constraints for pip.

With the word "newest": their names alone, for pip to take the newest of each, limits above or not.
"""

import re
import sys
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
extras = project["optional-dependencies"]
newest = sys.argv[1:] == ["newest"]
for line in [*project["dependencies"], *extras["parquet"], *(extras["test"] if newest else ())]:
    limits, _, marker = line.partition(";")
    name, extra, least = re.fullmatch(r"([\w.-]+)(\[.*\])?(?:>=([\w.]+))?.*", limits).groups(default="")
    marker = marker and f"; {marker.strip()}"
    if newest:
        print(f"{name}{extra}{marker}")
    elif least:  # else another dependency decides
        print(f"{name}=={least}{marker}")
