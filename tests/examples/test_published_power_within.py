"""The example that repeats published figures says what is wrong with what it was given."""

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "published_power_within.py"
pytestmark = pytest.mark.usefixtures("checkout")


@pytest.mark.parametrize(
    ("words", "said"),
    [(["absent"], "terabyte2006_ap_power_within.csv cannot be read"), (["absent", "--subsets", "1"], "at least 2")],
)
def test_a_wrong_folder_or_option_is_said(words, said, monkeypatch, capsys, tmp_path):
    """It ends as a usage error, without a traceback, and names the file that is missing or the rule."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), *words])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(EXAMPLE), run_name="__main__")
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
