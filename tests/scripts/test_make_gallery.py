"""docs/gallery.md shows every picture that its script draws, and nothing else."""

import importlib.util
from pathlib import Path

import pytest

from metaeval.cli.commands import COMMANDS

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.usefixtures("checkout")
WITHOUT = {"score", "metrics", "check-metric", "simulate", "doctor", "look"}
"""Commands that answer in tables, or with a picture that another one has."""


@pytest.fixture(scope="module")
def script():
    """Load the script."""
    spec = importlib.util.spec_from_file_location("make_gallery", ROOT / "scripts" / "make_gallery.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_the_page_is_what_the_script_writes(script):
    """Words and links; the pictures are drawn by `make gallery`."""
    assert script.PAGE.read_text("utf-8") == script.page()


def test_every_picture_is_there_and_shown(script):
    """No file is left over, and the whole is small."""
    files = {path.name: path.stat().st_size for path in script.PICTURES.iterdir()}
    assert files.keys() == {script.file_of(picture) for picture in script.GALLERY}
    assert sum(files.values()) < 1_500_000


def test_every_command_that_draws_has_a_picture(script):
    """A new command with a figure gets its place."""
    assert {script.LINES[picture.command].split()[0] for picture in script.GALLERY} == set(COMMANDS) - WITHOUT
