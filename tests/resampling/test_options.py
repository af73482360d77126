"""Options of procedures that test again and again: what there is not is refused before anything is drawn."""

import pytest

from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.resampling.options import check_test


@pytest.mark.parametrize(
    ("asked", "options", "error"),
    [
        (("t", None), {}, None),
        (("t", "holm"), {}, None),
        (("max_t", "family-wise"), {}, None),
        (("t", "holms"), {}, UnknownNameError),
        (("t", "family-wise"), {}, InvalidOptionError),
        (("ttt", None), {}, UnknownNameError),
        (("t", None), {"alternative": "both"}, UnknownNameError),
        (("tukey", None), {}, None),
        (("tukey", None), {"baseline": "a"}, InvalidOptionError),
        (("max_t", None), {"baseline": "a"}, None),
    ],
)
def test_a_test_is_known_with_its_correction_side_and_baseline(asked, options, error):
    """Family-wise is no correction of a test of one pair; Tukey's takes no baseline."""
    if error is None:
        check_test(*asked, **options)
        return
    with pytest.raises(error):
        check_test(*asked, **options)
