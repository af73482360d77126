"""What the page of a table says of two systems: on what their difference rests, and where that stands."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from metaeval.questions.table.study import study_table

SURE = np.array([0.1, 0.12, 0.08, 0.11, 0.09, 0.1, 0.12, 0.08, 0.11, 0.09])
BARELY = np.array([0.1, 0.2, -0.05, 0.15, 0.12, -0.02, 0.1, 0.18, 0.05, -0.06])


@pytest.mark.parametrize(("gains", "is_few"), [(BARELY, True), (SURE, False)])
def test_what_rests_on_next_to_nothing_says_so_in_the_first_paragraph(gains, is_few):
    """SciPy: without its two largest gains the first is not significant; the other is, without any two topics."""
    without_two = ttest_1samp(np.sort(gains)[:-2], 0.0).pvalue
    assert ttest_1samp(gains, 0.0).pvalue <= 0.05
    assert bool(without_two > 0.05) is is_few
    page = study_table({"new": 0.4 + gains, "old": np.full(10, 0.4)}).report()
    assert ("rests on" in page.summary[0]) is is_few
    assert len([words for words in page.summary if "rests on" in words]) == 1
