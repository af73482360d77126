"""Pages and tables of the command line."""

import pytest
from command_fixtures import table  # noqa: F401 - a fixture


@pytest.fixture(autouse=True)
def pages(drawn_once):
    """Make pages without their finished pictures."""
