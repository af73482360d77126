"""A package that brings plug-ins, laid out as pip does, and what a process has looked up of such."""

import sys

from metaeval.io import installed_formats
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS


def lay_out(folder, entry_points, **modules):
    """Write a distribution into a folder: entry points by group, and modules by name."""
    info = folder / "example_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: example-plugin\nVersion: 1.0\n")
    groups = (f"[metaeval.{group}]\n" + "\n".join(points) + "\n" for group, points in entry_points.items())
    (info / "entry_points.txt").write_text("".join(groups))
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)


def install(folder, monkeypatch, entry_points, **modules):
    """Lay out a distribution and put it on the path of this process."""
    lay_out(folder, entry_points, **modules)
    for name in modules:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(folder)
    forget()


def forget():
    """Let the tables look again for what is installed."""
    for table in (TESTS, CORRECTIONS):
        vars(table).pop("plugins", None)
        table._loaded.clear()
    installed_formats._formats.cache_clear()
