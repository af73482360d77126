"""Print the oldest release of every dependency that pyproject.toml allows, as constraints for pip."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
for line in [*project["dependencies"], *project["optional-dependencies"]["parquet"]]:
    if ">=" in line:  # else another dependency decides
        print(re.sub(r"\[.*\]", "", line).replace(">=", "=="))
