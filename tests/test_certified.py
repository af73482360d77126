"""Numbers that NIST certified to 15 digits (Statistical Reference Datasets): how many digits of them come out.

The files of analyses of variance are those that SciPy's tests carry; the univariate sets are written by their rules,
and the certified values are those of https://www.itl.nist.gov/div898/strd/. Scores as doubles do not have more digits
than are asked for: of 1,000,000.4 the last that is exact is the tenth behind the point.
"""

from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from metaeval import as_scores, paired_t_test
from metaeval.errors import EstimationError
from metaeval.models import variance_components
from metaeval.tests_stat import unpaired_means

_FOLDER = Path(scipy.stats.__file__).parent / "tests" / "data" / "nist_anova"
_DIGITS = {
    "AtmWtAg": 10, "SiRstv": 12.5,
    "SmLs01": 14, "SmLs02": 14, "SmLs03": 14, "SmLs04": 9.9, "SmLs05": 9.9, "SmLs06": 9.9,
}  # fmt: skip
_MICHELSON = """
850 740 900 1070 930 850 950 980 980 880 1000 980 930 650 760 810 1000 1000 960 960
960 940 960 940 880 800 850 880 900 840 830 790 810 880 880 830 800 790 760 800
880 880 880 860 720 720 620 860 970 950 880 910 850 870 840 840 850 840 840 840
890 810 810 820 800 770 760 740 750 760 910 920 890 860 880 720 840 850 850 780
890 840 780 810 760 810 790 810 820 850 870 870 810 740 810 940 950 800 810 870
"""


def _digits(value, certified):
    """Return the correct digits, by the logarithm of the relative error."""
    return 16.0 if value == certified else -np.log10(abs(value - certified) / abs(certified))


def _analysis(name):
    """Return the measurements by treatment, and the certified between and within mean squares and their F."""
    path = _FOLDER / f"{name}.dat"
    if not path.exists():
        pytest.skip("this installation of SciPy has no files of its tests")
    lines = path.read_text("utf-8").splitlines()
    rows = np.array([line.split() for line in lines[60:]], dtype=float)
    between = next(line.split() for line in lines if line.startswith("Between"))
    within = next(line.split() for line in lines if line.startswith("Within"))
    values = np.array([rows[rows[:, 0] == treatment, 1] for treatment in np.unique(rows[:, 0])])
    return values, float(between[-2]), float(within[-1]), float(between[-1])


@pytest.mark.parametrize(("name", "digits"), _DIGITS.items())
def test_mean_squares_have_their_certified_digits(name, digits):
    """Treatments stand for systems, what they were measured on for topics: within squares are those of both others."""
    values, between, within, ratio = _analysis(name)
    squares = variance_components(as_scores(values)).to_frame().set_index("component")["mean_square"]
    n = len(values)
    pooled = (squares["topic"] + (n - 1) * squares["system x topic"]) / n
    assert _digits(squares["system"], between) >= digits
    assert _digits(pooled, within) >= digits
    assert _digits(squares["system"] / pooled, ratio) >= digits


@pytest.mark.parametrize("name", ["SmLs07", "SmLs08", "SmLs09"])
def test_thirteen_digits_that_do_not_change_are_refused(name):
    """Scores of 10¹² that differ by 0.1 have three digits of their differences as doubles."""
    values, *_ = _analysis(name)
    with pytest.raises(EstimationError, match="are equal"):
        variance_components(as_scores(values))


def test_two_samples_have_the_certified_f():
    """AtmWtAg: of two samples of one size, Welch's t is that of pooled variances, and its square the F."""
    values, *_, ratio = _analysis("AtmWtAg")
    n = values.shape[1]
    table = np.full((2, 2 * n), np.nan)  # each system on items of its own
    table[0, :n], table[1, n:] = values
    means = unpaired_means(as_scores(table, missing="pairwise", fewest=1)).to_frame()
    difference, error = np.diff(means["mean"])[0], np.hypot(*means["stderr"])
    assert _digits((difference / error) ** 2, ratio) >= 8  # of means around 108, which differ by 0.00002


def _alternating(first, low, high):
    return np.array([first, *[low, high] * 500])


_UNIVARIATE = {
    "NumAcc1": (np.array([10000001.0, 10000003.0, 10000002.0]), 10000002.0, 1.0, 15),
    "NumAcc2": (_alternating(1.2, 1.1, 1.3), 1.2, 0.1, 13.5),
    "NumAcc3": (_alternating(1000000.2, 1000000.1, 1000000.3), 1000000.2, 0.1, 9),
    "NumAcc4": (_alternating(10000000.2, 10000000.1, 10000000.3), 10000000.2, 0.1, 8),
    "Michelso": (299.0 + np.array(_MICHELSON.split(), dtype=float) / 1000, 299.8524, 0.0790105478190518, 13.5),
}


@pytest.mark.parametrize("name", _UNIVARIATE)
def test_means_and_t_have_their_certified_digits(name):
    """Against scores of 0 the difference is the mean, and t its ratio to the standard deviation over √n."""
    values, mean, deviation, digits = _UNIVARIATE[name]
    found = paired_t_test(np.array([values, np.zeros_like(values)])).to_frame().iloc[0]
    assert _digits(found["difference"], mean) >= 15
    assert _digits(found["statistic"], mean * len(values) ** 0.5 / deviation) >= digits
