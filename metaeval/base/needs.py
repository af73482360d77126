"""What every question needs of data, and what is said of it: ``questions/needs.toml``, by the name of each command."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

NEEDS: Mapping[str, Mapping[str, Any]] = tomllib.loads(
    (Path(__file__).parents[1] / "questions" / "needs.toml").read_text("utf-8")
)
"""In the order in which they are listed."""
