"""The example package of four metrics goes through the commands, as functions and as kernels, with the same numbers."""

import re
from pathlib import Path

import pandas as pd
import pytest

pytestmark = pytest.mark.usefixtures("checkout")
PACKAGE = Path(__file__).parents[2] / "examples" / "plugin" / "metaeval_graded.py"
METRICS = "MeanGain@5,nCG@10,HLU(gains={1:0,2:1,3:1}),Omeasure'"
FEW = ("--resamples", "40", "--interval-resamples")
COMMANDS = {
    "score": ("--metrics", METRICS),
    "power": ("--metrics", METRICS, "--test", "t", *FEW, "0"),
    "topics": ("--metrics", METRICS, "--no-bayes", "--trials", "3", "--tolerances", "0", "--interval-resamples", "2"),
    "agree": ("--audit", "MeanGain@5,nCG@10,HLU,Omeasure'", "--gains", "{1:1,2:5,3:5}", *FEW, "0"),
    "compare-metrics": ("--metrics", METRICS, "--no-topics", "--replicates", "1", *FEW, "2"),
    "report": ("--metrics", METRICS, "--test", "t", "--no-topics", *FEW, "0", "--overwrite"),
    "judgments": ("--metrics", METRICS, "--replicates", "1", "--tested", "0", "--question", "less-judging"),
}


@pytest.fixture(scope="module")
def functions(tmp_path_factory):
    """Take the kernels out of the package."""
    file = tmp_path_factory.mktemp("functions") / PACKAGE.name
    file.write_text(re.sub(r"\s*\bkernel=\w+,", "", PACKAGE.read_text("utf-8")), "utf-8")
    return file


@pytest.mark.parametrize("name", COMMANDS)
def test_functions_and_kernels_give_the_same_numbers(name, functions, command, simulated_collection):
    """Every row of the answer, whatever the quantisation."""
    given = (name, simulated_collection / "runs", "--qrels", simulated_collection / "qrels.txt", *COMMANDS[name])
    ended = [command(*given, "--plugin", file, "--json", "--quiet") for file in (functions, PACKAGE)]
    assert [one.code for one in ended] == [0, 0], ended[0].err
    of_functions, of_kernels = (one.json() for one in ended)
    assert of_functions["notes"] == of_kernels["notes"]
    assert "HLU" in str(of_functions["results"])
    pd.testing.assert_frame_equal(*map(pd.json_normalize, (of_functions["results"], of_kernels["results"])), rtol=1e-9)


def test_the_laws_hold_of_both(functions, command):
    """And only the package has kernels that must agree with its functions."""
    asked = ("--metrics", "MeanGain@5,nCG@10,HLU,Omeasure", "--collections", "2", "--json", "--quiet")
    for file, with_kernels in ((functions, False), (PACKAGE, True)):
        ended = command("check-metric", file, *asked)
        assert ended.code == 0, ended.err
        laws = [row for row in ended.json()["results"] if row["kind"] == "law"]
        agree = {row["metric"]: row["state"] for row in laws if row["name"] == "Function and kernel agree"}
        assert agree == dict.fromkeys(agree, "holds" if with_kernels else "not declared")
        assert len(agree) == 4
        gains = [row["found"] for row in ended.json()["results"] if row["name"] == "Gains"]
        assert gains == ["a grade counts by its gain alone"] * 4
