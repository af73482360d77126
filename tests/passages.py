"""Where the words of pages stand: each module of pages with the passages that it says."""

import re
from pathlib import Path

import metaeval

PACKAGE = Path(metaeval.__file__).parent


def page_files():
    """Return every file that says something on pages, by its name in the package without ending: "votes/page_plans"."""
    files = [*PACKAGE.glob("reports/*.py"), *PACKAGE.glob("questions/*/page*.py")]
    return {f"{path.parent.name}/{path.stem}": path for path in sorted(files) if path.stem != "__init__"}


def passages():
    """Return the passages of every such file that has some, by the same name."""
    by_name = {}
    for words in sorted(PACKAGE.rglob("words.prose")):
        main, *rest = re.split(r"^=== (.+)\n", words.read_text("utf-8"), flags=re.MULTILINE)
        folder, kit = words.parent.name, words.parent.name == "reports"
        if main.strip():
            by_name[f"{folder}/page"] = main
        by_name |= {
            f"{folder}/{name if kit else f'page_{name}'}": text
            for name, text in zip(rest[::2], rest[1::2], strict=True)
        }
    return by_name
