import pandas as pd

from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE
from metaeval.tests_stat.labels import labelled, name_in_picture


def test_what_is_not_known_keeps_its_name_and_stands_last():
    """A test or correction from elsewhere is shown as it is called, after those of the package."""
    frame = pd.DataFrame({"test": ["t", "mine"], "correction": ["ours", "holm"], "power": [0.1, 0.2]})
    shown = labelled(frame)
    assert shown["test"].tolist() == ["Paired t", "mine"]
    assert shown["correction"].tolist() == ["ours", "Holm"]
    assert shown["correction"].sort_values().tolist() == ["Holm", "ours"]
    assert shown["power"].tolist() == [0.1, 0.2]
    assert frame["test"].tolist() == ["t", "mine"]


def test_a_picture_names_real_corrections_alone():
    """None where nothing was corrected, or where the test itself gives family-wise p-values."""
    assert [name_in_picture(name) for name in ("none", FAMILY_WISE, "fdr_bh", "ours")] == [
        None, None, CORRECTIONS.label("fdr_bh"), "ours",
    ]  # fmt: skip
