"""Judges on one scale: quantiles matched against a slow version, every rule, and a judge of DL21 with other grades."""

import re
import tarfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau
from statsmodels.stats.inter_rater import cohens_kappa

from metaeval.agreement.krippendorff import coincidences, krippendorff_alpha
from metaeval.agreement.label_agreement import compare_labels
from metaeval.agreement.labels import as_labels
from metaeval.agreement.scale_maps import map_scales
from metaeval.collection.documents import CollectionWarning
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.io.labels import read_labels
from metaeval.io.trec import read_collection
from metaeval.metrics import score
from metaeval.models import topics_with_judge


def frame(**columns):
    """Make a wide table of labels in one topic."""
    n = len(next(iter(columns.values())))
    index = pd.MultiIndex.from_arrays([["1"] * n, [f"d{i}" for i in range(n)]], names=["topic", "item"])
    return pd.DataFrame(columns, index=index, dtype=float)


labelled = st.lists(
    st.tuples(st.one_of(st.none(), st.integers(0, 3)), st.one_of(st.none(), st.integers(0, 20).map(lambda n: n / 4))),
    min_size=1,
    max_size=25,
).filter(lambda rows: any(None not in row for row in rows))


def literally_fitted(truth, judge):
    """Write the map as the definition says: the truth's label at the middle of the place of each grade."""
    common = [(t, j) for t, j in zip(truth, judge, strict=True) if t is not None and j is not None]
    ordered = sorted(t for t, _ in common)
    found = {}
    for grade in {j for j in judge if j is not None}:
        below, at = sum(j < grade for _, j in common), sum(j == grade for _, j in common)
        middle = below + at / 2
        reached = [place for place in range(len(ordered)) if sum(t <= ordered[place] for t in ordered) >= middle]
        found[grade] = ordered[reached[0]]
    return found


@settings(max_examples=25)
@given(rows=labelled)
def test_fitting_equals_the_slow_version_and_never_falls(rows):
    """With gaps on either side, and grades that no common item has."""
    truth, judge = zip(*rows, strict=True)
    found = map_scales(frame(nist=truth, judge=judge), reference="nist", maps="fit")
    part = found.table[found.table["judge"] == "judge"]
    assert dict(zip(part["grade"], part["reference_grade"], strict=True)) == literally_fitted(truth, judge)
    assert (np.diff(part["reference_grade"]) >= 0).all()
    assert part["n"].sum() == sum(one is not None for one in judge)
    assert set(part["reference_grade"]) <= set(found.scale)
    assert found.labels.table.notna().equals(frame(nist=truth, judge=judge).notna().rename_axis(columns="judge"))


@settings(max_examples=15)
@given(rows=labelled, shift=st.floats(0.5, 3))
def test_fitting_sees_the_order_of_grades_alone(rows, shift):
    """Any rising change of the judge's scale leads to the same labels."""
    truth, judge = zip(*rows, strict=True)
    other = [None if one is None else (one + shift) ** 3 for one in judge]
    both = [map_scales(frame(nist=truth, judge=one), reference="nist", maps="fit") for one in (judge, other)]
    pd.testing.assert_frame_equal(both[0].labels.table, both[1].labels.table)


@settings(max_examples=15)
@given(truth=st.lists(st.integers(0, 3), min_size=1, max_size=30))
def test_a_judge_with_the_truths_labels_keeps_them(truth):
    """Fitted to itself a scale stays as it is; and so in tenfold."""
    table = frame(nist=truth, same=truth, tenfold=[10 * one for one in truth])
    mapped = map_scales(table, reference="nist", maps="fit").labels.table
    assert mapped["same"].tolist() == mapped["tenfold"].tolist() == truth


def test_every_rule():
    """Kept, fitted, cut, renamed; auto looks at the scale; the table says what became of each grade."""
    table = frame(
        nist=[0, 1, 2, 3, 0, 1], inside=[0, 0, 1, 3, 3, 1], outside=[0, 20, 40, 50, 0, 20],
        cut=[0.1, 0.3, 0.1 + 0.2, 1, 0, 0], named=[7, 8, 9, 9, 7, 8],
    )  # fmt: skip
    maps = {"cut": 0.3, "named": {7: 0, 8: 1.5, 9: 3}}
    found = map_scales(table, reference="nist", maps=maps)
    assert found.rules == {
        "nist": "reference", "inside": "kept", "outside": "fitted", "cut": "threshold 0.3", "named": "named",
    }  # fmt: skip
    assert found.labels.table["outside"].tolist() == [0, 1, 2, 3, 0, 1]
    assert found.labels.table["cut"].tolist() == [0, 1, 1, 1, 0, 0]
    assert found.labels.table["named"].tolist() == [0, 1.5, 3, 3, 0, 1.5]
    assert found.to_frame().columns.tolist() == [
        "judge", "rule", "grade", "n", "n_common", "reference_grade", "on_scale",
    ]  # fmt: skip
    assert found.scale == (0, 1, 2, 3)
    assert found.labels.scale == (0, 1, 1.5, 2, 3)
    assert "named: 2 labels stay at grades that nist does not give (1.5); the rule is named" in found.notes


@pytest.mark.parametrize(
    ("reference", "judge", "rule"),
    [
        (range(1, 5), range(1, 6), "kept"),
        (range(3), range(4), "kept"),
        (range(2, 5), range(1, 6), "kept"),
        (range(1, 5), range(2, 6), "kept"),
        ([4, 5], range(1, 6), "kept"),
        (range(1, 6), range(1, 11), "fitted"),
        (range(4), range(6), "fitted"),
        (range(1, 6), range(0, 101, 5), "fitted"),
        (range(1, 6), range(101), "fitted"),
        (range(11), range(0, 101, 10), "fitted"),
        (range(1, 6), [0, 1], "fitted"),
        (range(1, 6), [1.5, 2, 3], "fitted"),
        (range(3), [10, 17, 24], "fitted"),
        ([0, 1], range(4), "threshold 1"),
        ([0, 1], range(1, 6), "fitted"),
        (range(4), [0, 1], "kept"),
    ],
)
def test_what_may_be_one_scale_is_not_fitted(reference, judge, rule):
    """A person who never used the top label is on the judge's scale; percentages, or 0 and 1 beside 1 to 5, are not."""
    labels = frame(a=np.resize([*reference], 120), b=np.resize([*judge], 120))
    assert map_scales(labels, reference="a").rules["b"] == rule


def test_a_scale_that_was_named_is_that_of_all():
    """Nothing is fitted where somebody said which labels there are, in Python as by --scale."""
    labels = as_labels(frame(a=[1, 3, 5, 1], b=[2, 4, 4, 2]), scale=range(1, 6))
    found = map_scales(labels, reference="a")
    assert (found.rules["b"], found.scale, found.notes) == ("kept", (1, 2, 3, 4, 5), ())
    assert map_scales(frame(a=[1, 3, 5, 1], b=[2, 4, 4, 2]), reference="a").rules["b"] == "fitted"


def test_labels_off_the_scale_are_kept_and_named():
    """Never dropped: "keep" says how many there are."""
    found = map_scales(frame(nist=[0, 1, 1], judge=[0, 4, 5]), reference="nist", maps="keep")
    assert found.labels.table["judge"].tolist() == [0, 4, 5]
    assert found.notes == ("judge: 2 labels stay at grades that nist does not give (4, 5); the rule is kept",)
    assert map_scales(frame(nist=[0, 1], judge=[0, 3]), reference="nist", scale=range(4)).rules["judge"] == "kept"


def test_the_reference_may_be_cut_too():
    """Others are fitted to what it has then."""
    found = map_scales(frame(nist=[0, 1, 2, 3], judge=[1, 2, 3, 4]), reference="nist", maps={"nist": 2})
    assert found.labels.table["nist"].tolist() == found.labels.table["judge"].tolist() == [0, 0, 1, 1]
    assert (found.scale, found.rules["nist"]) == ((0, 1), "threshold 2")


def test_a_map_that_falls_is_said():
    """A named map may; a reader is told."""
    notes = map_scales(frame(nist=[0, 1], judge=[1, 2]), reference="nist", maps={"judge": {1: 1, 2: 0}}).notes
    assert notes == ("judge: its mapping is not monotone: a higher grade counts less than a lower one",)


TABLE = frame(nist=[0, 1, np.nan], judge=[2, 5, 1], alone=[np.nan, np.nan, 7])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"reference": "crowd"}, UnknownNameError, "crowd"),
        ({"maps": "stretch"}, UnknownNameError, "stretch"),
        ({"maps": {"crowd": "fit"}}, UnknownNameError, "crowd"),
        ({"maps": {"judge": "stretch"}}, UnknownNameError, "stretch"),
        ({"maps": {"judge": True}}, InvalidOptionError, "judge must have keep, fit, auto, the lowest grade"),
        ({"maps": {"judge": np.nan}}, InvalidOptionError, "judge must have"),
        ({"maps": 2}, InvalidOptionError, "`maps` must be one of auto, keep, fit, or name judges"),
        ({"maps": {"judge": {2: 0, 5: 1}, "alone": 1}}, InvalidOptionError, "judge gave 1 too, which its mapping does"),
        ({"maps": {"judge": {"high": 1}, "alone": 1}}, InvalidOptionError, "must map numbers to numbers, not 'high'"),
        ({"maps": {"nist": "fit"}}, InvalidOptionError, "nist is the reference"),
        ({"maps": "fit"}, ScoresError, "alone and the reference labelled no item in common"),
        ({"scale": (1, 2)}, InvalidOptionError, "`scale` must hold every grade of the reference, 0, 1, not"),
    ],
)
def test_what_cannot_be_mapped_is_refused(options, error, message):
    """Each rule names the judge and the way out."""
    with pytest.raises(error, match=message):
        map_scales(TABLE, **{"reference": "nist"} | options)


def test_labels_that_lost_some_are_refused():
    """What a scale cut off cannot be mapped any more."""
    lost = as_labels(frame(nist=[0, 1], judge=[0, 5]), scale=(0, 1), outside="drop")
    with pytest.raises(ScoresError, match="1 labels were left out before as off a scale"):
        map_scales(lost, reference="nist")


def test_statistics_that_count_labels_want_whole_ones():
    """Real-valued labels are held on request; kappa refuses them, alpha with intervals takes the numbers."""
    labels = as_labels(frame(a=[0, 0.5, 2, 1.5], b=[0, 1, 2, 1]), real=True)
    assert (labels.scale, labels.whole) == ((0, 0.5, 1, 1.5, 2), False)
    with pytest.raises(
        ScoresError, match=r"must be whole numbers, and there is 0.5; map the judges to one scale first"
    ):
        compare_labels(labels)
    found = krippendorff_alpha(coincidences(labels, topics=["1"])[0], labels.scale, level="interval")
    values = labels.table.to_numpy()
    within = ((values[:, 0] - values[:, 1]) ** 2).mean()
    between = ((values.ravel()[:, None] - values.ravel()) ** 2).sum() / (8 * 7)
    assert found == pytest.approx(1 - within / between)
    with pytest.raises(ScoresError, match="labels must be finite"):
        as_labels(frame(a=[0, np.inf], b=[0, 1]), real=True)
    assert as_labels(frame(a=[0, 1], b=[0, 1]), real=True).whole


@pytest.mark.filterwarnings(f"ignore::{CollectionWarning.__module__}.{CollectionWarning.__name__}")
def test_the_judge_of_dl21_with_other_grades_ranks_runs_after_all(data_folder, tmp_path, checkout):
    """Grades 0 to 5: without those above 3 its tau with NIST is -.65 (GPT-4: -.61); fitted it is .88 (.85).

    With grades 0 to 3 GPT-4o is worth as many human topics as the guide says.
    """
    folder = data_folder / "llm-judges-dl21"
    for name in ("runs.tar.xz", "auto-qrels.tar.xz"):
        with tarfile.open(folder / name) as archive:
            archive.extractall(tmp_path, filter="data")
    files = [f"{name}={tmp_path}/auto-qrels/{name}/exam_graded_max.txt" for name in ("gpt-4", "gpt-4o")]
    nist = f"nist={folder / 'qrels.nist.txt.gz'}"
    labels = read_labels([nist, *files])
    same_grades = read_labels([nist, f"GPT-4o={tmp_path}/auto-qrels/gpt-4o/umbrela.txt"])["GPT-4o"]
    collection = read_collection(tmp_path / "runs", folder / "qrels.nist.txt.gz")
    rows = pd.MultiIndex.from_arrays(
        [
            np.array(collection.topics, dtype=object)[collection.topic_of_judgment],
            [name.decode() for name in collection.document_ids.tolist()],
        ]
    )

    def under(column):
        return score(collection.regrade(column.reindex(rows).to_numpy()), ["nDCG@10"])

    people = score(collection, ["nDCG@10"])

    def tau(column):
        return kendalltau(people[0].mean("topic"), under(column)[0].mean("topic")).statistic

    page = " ".join((checkout / "docs" / "can-we-replace-the-assessor.md").read_text("utf-8").split())
    said = re.search(r"Adding labels of … (on any .*)\" on TREC DL 2021 with GPT-4o and nDCG@10", page)[1]
    assert said in topics_with_judge(people, under(same_grades), n_topics=30).sentence()

    found = map_scales(labels, reference="nist")
    assert found.rules == {"nist": "reference", "gpt-4": "fitted", "gpt-4o": "fitted"}
    part = found.table[found.table["judge"] == "gpt-4o"]
    assert dict(zip(part["grade"], part["reference_grade"], strict=True)) == {0: 0, 2: 0, 3: 1, 4: 1, 5: 2}
    expected = {"gpt-4": (-0.612, 0.853), "gpt-4o": (-0.649, 0.878)}
    for name, (dropped, fitted) in expected.items():
        assert tau(labels[name].where(labels[name] <= 3)) == pytest.approx(dropped, abs=5e-4)
        assert tau(found.labels.table[name]) == pytest.approx(fitted, abs=5e-4)


def test_items_without_topics_stay_what_is_drawn():
    """100 items, 2 raters: kappa .796 has the interval of statsmodels, .676 to .916, with a reference or none."""
    pairs = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [38, 4, 6, 52], axis=0)
    items = pd.DataFrame(pairs, columns=["a", "b"], index=[f"i{place}" for place in range(100)])
    expected = cohens_kappa([[38, 4], [6, 52]])
    for labels in (as_labels(items), map_scales(as_labels(items), reference="a").labels):
        assert labels.by_item
        found = compare_labels(labels, rng=0).pairs.iloc[0]
        assert found["kappa"] == pytest.approx(expected.kappa)
        assert found["kappa_low"] == pytest.approx(expected.kappa_low, abs=0.004)
        assert found["kappa_high"] == pytest.approx(expected.kappa_upp, abs=0.004)
        assert found["same_low"] < found["same"] < found["same_high"]
