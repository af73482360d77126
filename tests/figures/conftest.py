"""What the tests of the pictures share."""

import matplotlib as mpl
import pytest


@pytest.fixture(scope="session")
def words():
    """Return a function that lists every text of a figure, as matplotlib will show it."""

    def listed(figure):
        return [text.get_text() for text in figure.findobj(mpl.text.Text) if text.get_text()]

    return listed
