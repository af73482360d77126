"""Pages and tables of commands."""

import pytest
from command_fixtures import table  # noqa: F401 - a fixture


@pytest.fixture(autouse=True)
def pages(request):
    """Let commands make pages without their finished pictures; tests of pages look at these."""
    if request.path.stem.startswith("test_command"):
        request.getfixturevalue("drawn_once")
