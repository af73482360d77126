"""Numbers in running text are those of the command or the report that they come from."""

import re

import numpy as np
import pandas as pd
import pytest

from metaeval.models.topic_counts import minimum_topics
from metaeval.resampling.agreement_interval import agreement_intervals
from metaeval.resampling.bins import difference_bins
from metaeval.resampling.swap import swap_method
from metaeval.scores import as_scores
from metaeval.tests_stat.wilcoxon import wilcoxon_test

pytestmark = pytest.mark.usefixtures("checkout")


def _said(text, pattern):
    """Return the numbers that a sentence holds at the groups of a pattern, wherever its lines break."""
    found = re.search(pattern, " ".join(text.split()))
    assert found, f"the sentence is gone: {pattern}"
    return [float(number) for number in found.groups()]


@pytest.fixture(scope="module")
def trec_8(data_folder):
    """Return the scores of TREC-8."""
    folder = data_folder / "trec-matrices"
    return as_scores(
        {name: pd.read_csv(folder / f"adhoc8_{file}.csv") for name, file in (("AP", "ap"), ("P@10", "p10"))}
    )


def test_the_interval_quoted_is_that_of_the_command(checkout):
    """The page of the number of topics shows what its command prints (tested there), and quotes that."""
    page = (checkout / "docs" / "how-many-topics.md").read_text("utf-8")
    shown = re.search(r"^\.\.\.\nTwo sets of .*AP needs (\d+ \[\d+, \d+\]) topics", page, flags=re.MULTILINE)
    assert f"90 % interval: `{shown[1]}`" in " ".join(page.split())


@pytest.mark.parametrize("seed", range(2))
def test_curves_of_trec_8(checkout, trec_8, seed):
    """Topics needed by the two exponentials, in tens, whatever the draws."""
    page = (checkout / "docs" / "how-many-topics.md").read_text("utf-8")
    coarse, published, fine = _said(
        page, r"about (\d+) topics where the published fit gives about (\d+), and about (\d+) under both for AP"
    )
    rates = swap_method(trec_8, rng=seed, tolerances=[0.0])
    found = {
        family: minimum_topics(rates, family=family, limit=1000).data["n_topics"].squeeze("tolerance")
        for family in ("exponential", "published")
    }
    tens = {family: dict(zip(("AP", "P@10"), one.to_numpy().round(-1), strict=True)) for family, one in found.items()}
    assert tens == {"exponential": {"AP": fine, "P@10": coarse}, "published": {"AP": fine, "P@10": published}}


def test_readings_of_a_difference(checkout, trec_8):
    """The three readings for AP on TREC-8 in sets of 25 topics, to the digits that do not depend on the draws."""
    page = (checkout / "docs" / "how-many-topics.md").read_text("utf-8")
    said = _said(page, r"they are ([\d.]+), ([\d.]+) and ([\d.]+) \(a test")
    for seed in range(2):
        found = difference_bins(trec_8.sel(metric=["AP"]), sizes=[25], n_topic_resamples=0, rng=seed)
        assert found.readings["difference"].squeeze().to_numpy().round(2).tolist() == said


def test_coverages_of_agreement(checkout):
    """The worst coverages that the function's notes name are those of the report."""
    report = (checkout / "benchmarks" / "reports" / "agreement_coverage.md").read_text("utf-8")
    rows = re.findall(r"^\| (f1|precision|recall|share) (?:\| [\d.]+ ){4}\| ([\d.]+) \|", report, flags=re.MULTILINE)
    worst = {name: f"{float(value):.2f}".removeprefix("0") for name, value in rows}
    notes = " ".join(agreement_intervals.__doc__.split())
    assert f"for a share {worst['share']} and more" in notes
    assert f"for precision and recall as little as {worst['precision']} and {worst['recall']}" in notes


def test_tests_on_coarse_scores(checkout):
    """What the page says of the t test and of randomisation on tenths is the report's."""
    page = (checkout / "docs" / "choosing-a-test.md").read_text("utf-8")
    said = _said(page, r"calls ([\d.]+) % of equal pairs different with 20 topics; the randomisation test ([\d.]+) %")
    report = (checkout / "benchmarks" / "reports" / "type_one_error.md").read_text("utf-8")
    part = report.split("### 20 topics, level 0.05")[1]
    cells = [
        re.search(rf"^\| {name} \|.*$", part, flags=re.MULTILINE)[0].split("|")[4] for name in ("t", "randomisation")
    ]
    assert said == [round(100 * float(cell.split("±")[0]), 1) for cell in cells]


def test_the_published_wilcoxon_is_not_the_default(checkout, trec_8):
    """The page names the published p-values, and those of the defaults."""
    page = (checkout / "docs" / "other-tools.md").read_text("utf-8")
    numbers = (
        r"\((\.\d+) and, two-sided, (\.\d+)\) are not reproduced by the defaults, which give (\.\d+) and (\.\d+)\."
    )
    scores = trec_8.sel(metric=["AP"]).to_numpy()[0][[124, 125]]
    options = {"method": "asymptotic", "continuity": True, "ties": "float"}
    found = [
        wilcoxon_test(scores, correction="none", alternative=side, **chosen).data["p_value"].item()
        for chosen in (options, {})
        for side in ("less", "two-sided")
    ]
    np.testing.assert_allclose(_said(page, numbers), found, atol=5.1e-7)


def test_the_bootstrap_of_ogilvie_and_lalmas(checkout):
    """The guide's table of section 3.3 is the report's, measured as the thorough task, to one decimal."""
    report = (checkout / "benchmarks" / "reports" / "comparison-of-tests.md").read_text("utf-8")
    row = (
        r"^\| (MAep|nxCG)\(quant=(\w+), task=thorough\)(@\d+)? \| [^|]+ \| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$"
    )
    found = {
        f"{measure}{cut}, {quantisation}": cells
        for measure, quantisation, cut, *cells in re.findall(row, report, re.MULTILINE)
    }
    page = (checkout / "docs" / "choosing-a-test.md").read_text("utf-8")
    shown = {
        name: cells
        for name, *cells in re.findall(
            r"^\| (\w+(?:@\d+)?, \w+5) \| (.+) \| (.+) \| (.+) \| (.+) \|$", page, re.MULTILINE
        )
    }
    assert shown.keys() == found.keys() != set()
    for name, cells in shown.items():
        pairs = zip(" ".join(cells).split(), " ".join(found[name]).split(), strict=True)
        assert all(a == b or abs(float(a) - float(b)) < 0.051 for a, b in pairs), name
