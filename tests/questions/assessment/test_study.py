"""Analyses of assessments: worked by hand, against slow literal readings, and against what the paper prints."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import InvalidOptionError
from metaeval.inex.assessed_pools import pool_growth
from metaeval.inex.assessments import Assessments, Submission
from metaeval.inex.assessor_agreement import element_agreement, passage_agreement
from metaeval.inex.reading import read_assessments
from metaeval.inex.simulation import simulate_inex
from metaeval.questions.assessment.study import study_assessment


def documents_of(*rows, **columns):
    return pd.DataFrame(rows, columns=["topic", "document", "relevant_size"]).assign(**columns)


def elements_of(*rows):
    table = pd.DataFrame(rows, columns=["path", "exhaustivity", "specificity", "size", "relevant_size"])
    return table.assign(topic="1", document="d1", line=0)


def run_of(topic, documents, name="a"):
    return Submission(run=name, results=pd.DataFrame({"topic": topic, "document": list(documents)}))


MARKED = documents_of(("1", "d1", 30), ("1", "d2", 0), ("2", "d1", 50), ("10", "d3", 0))
PASSAGES = pd.DataFrame(
    [("1", "d1", 100, 10), ("1", "d1", 300, 20), ("2", "d1", 40, 50)],
    columns=["topic", "document", "offset", "length"],
)


def test_topics_by_hand():
    """Documents, relevant ones, passages and characters of every topic, in natural order; elements are not known."""
    table = study_assessment(Assessments(scale="passages", documents=MARKED, passages=PASSAGES)).topics
    assert table.index.tolist() == ["1", "2", "10"]
    assert table["documents"].tolist() == [2, 1, 1]
    assert table["relevant"].tolist() == [1, 1, 0]
    assert table["passages"].tolist() == [2, 1, 0]
    assert table["highlighted"].tolist() == [30, 50, 0]
    assert table["elements"].isna().all()


def test_passages_of_a_document():
    """Half of the relevant documents have one passage, all have two or fewer."""
    found = study_assessment(Assessments(scale="passages", documents=MARKED, passages=PASSAGES))
    assert found.passages.to_numpy().tolist() == [[1, 1, 0.5, 0.5], [2, 1, 0.5, 1.0]]
    assert found.figure("passages per document", "share with one") == 0.5
    assert found.figure("passages per document", "most") == 2


def test_entry_points_by_offset():
    """Distances are from the beginning of the first, the longest and the nearest passage; before one is negative."""
    documents = MARKED.assign(best_entry=[290, -1, 40, -1])
    entries = study_assessment(Assessments(scale="passages", documents=documents, passages=PASSAGES)).entries
    assert entries[["first", "biggest", "nearest"]].to_numpy().tolist() == [[190, -10, -10], [0, 0, 0]]
    assert entries["starts_first"].tolist() == entries["starts_any"].tolist() == [False, True]


def test_entry_points_by_point():
    """Points in the tree tell whether an entry point begins a passage, not how far it lies."""
    points = [("p[1]", "p[2]"), ("p[5]", "p[5]"), ("p[3]", "p[4]")]
    table = pd.DataFrame(
        [(f"/a[1]/{start}/text()[1].0", f"/a[1]/{end}/text()[1].9") for start, end in points], columns=["start", "end"]
    ).assign(topic=["1", "1", "2"], document="d1", offset=-1, length=9)
    best = ["/a[1]/p[5]/text()[1].0", "", "/a[1]/p[3]/text()[1].0", ""]
    judged = Assessments(scale="2005", documents=MARKED.assign(best_entry_point=best), passages=table)
    entries = study_assessment(judged).entries
    assert entries["starts_first"].tolist() == [False, True]
    assert entries["starts_any"].tolist() == [True, True]
    assert entries["nearest"].isna().all()


def test_elemental_passages():
    """A passage is elemental if it is as long as the smallest element around both of its ends."""
    elements = elements_of(
        ("/a[1]", 2, 0.5, 100, 50), ("/a[1]/s[1]", 2, 0.8, 60, 50), ("/a[1]/s[1]/p[1]", 2, 1, 30, 30)
    )
    ends = [
        ("/a[1]/s[1]/p[1]/text()[1].0", "/a[1]/s[1]/p[1]/text()[1].30", 30),  # the whole of p[1]
        ("/a[1]/s[1]/p[1]/text()[1].4", "/a[1]/s[1]/p[1]/text()[2].30", 26),  # a part of it
        ("/a[1]/s[1]/p[1]/text()[1].0", "/a[1]/s[1]/p[10]/text()[1].9", 60),  # all of s[1]: p[1] is not around p[10]
        ("/a[1]/s[1]/p[2]/text()[1].0", "/a[1]/s[1]/p[2]/text()[1].9", 9),  # nobody says how long p[2] is
        ("/a[1]/s[1]/p[3]", "/a[1]/s[1]/p[3]", 7),  # the table of sizes does, for p[3]
    ]
    passages = pd.DataFrame(ends, columns=["start", "end", "length"]).assign(topic="1", document="d1", offset=-1)
    sizes = pd.DataFrame([("d1", "/a[1]/s[1]/p[3]", 7)], columns=["document", "path", "size"])
    judged = Assessments(scale="2005", documents=MARKED, elements=elements, passages=passages)
    table = study_assessment(judged, sizes=sizes).elemental
    assert table["kind"].tolist() == ["elemental", "other", "unknown"]
    assert table["passages"].tolist() == [3, 1, 1]
    assert table["share"].tolist()[:2] == [0.75, 0.25]


@pytest.mark.parametrize(("elemental", "others", "printed"), [(2183, 3918, "36%"), (4093, 4993, "45%")])
def test_shares_as_the_paper_prints_them(elemental, others, printed):
    """Of so many elemental and other passages the share is that of Table VIII, for 2005 and 2006."""
    elements = elements_of(("/a[1]", 2, 1, 5, 5))
    lengths = np.repeat([5, 4], [elemental, others])
    ends = {"start": "/a[1]/text()[1].0", "end": "/a[1]/text()[1].9"}
    passages = pd.DataFrame({"length": lengths}).assign(topic="1", document="d1", offset=-1, **ends)
    judged = Assessments(scale="2005", documents=MARKED, elements=elements, passages=passages)
    assert f"{study_assessment(judged).figure('elemental passages', 'share'):.0%}" == printed


def test_hours_as_the_paper_reckons_them():
    """60.7 relevant documents and 438.3 others took 11 hours a topic, and 15 at the times of 2003 (section 5.1.1)."""
    counts = {"relevant": 607, "other": 4383}
    names = [
        (str(number % 10), f"{kind}{number}", int(kind == "relevant"))
        for kind in counts
        for number in range(counts[kind])
    ]
    documents = documents_of(*names)
    log = documents[["topic", "document"]].assign(seconds=np.where(documents["relevant_size"] > 0, 300, 50))
    found = study_assessment(Assessments(scale="passages", documents=documents), log=log)
    assert round(found.figure("time", "mean hours of a topic")) == 11
    assert found.figure("time", "mean seconds of relevant documents") == 300
    hours = [found.figure("time", f"hours of a topic by the times of INEX {year}") for year in (2003, 2005, 2006)]
    assert hours == pytest.approx([(60.7 * 8 + 438.3) / 60, found.figure("time", "mean hours of a topic"), 6.490417])


def test_passages_per_document_of_a_growing_pool():
    """Topics of 4 and 2 documents; the pool of one goes on beyond rank 2: 3 passages in 2 documents, then 1 in 2."""
    documents = documents_of(*(("1", f"d{number}", number != 3) for number in range(4)), ("2", "d0", 1), ("2", "d1", 0))
    places = [("1", "d0", 0), ("1", "d0", 9), ("1", "d1", 0), ("1", "d2", 0), ("2", "d0", 0)]
    passages = pd.DataFrame(places, columns=["topic", "document", "offset"]).assign(length=1)
    judged = Assessments(scale="passages", documents=documents, passages=passages)
    run = Submission(run="a", results=documents[["topic", "document"]])
    study = study_assessment(judged, submissions=[run])
    rows = study.per_document.set_index("found")
    assert rows.loc["passages"].tolist() == [2, 1, 1.5, 0.5]
    assert rows.loc["relevant"].tolist() == [2, 1, 1.0, 0.5]
    assert study.figure("pool growth", "passages per document of the pool after rank 2") == 0.5


@pytest.mark.parametrize(("length", "rank"), [(250, 125), (251, 250), (600, 250)])
def test_pools_are_cut_at_rank_250(length, rank):
    """As in section 5.2.1, or in halves where they are no larger."""
    documents = documents_of(*(("1", f"d{number:03}", number % 2) for number in range(length)))
    run = Submission(run="a", results=documents[["topic", "document"]])
    study = study_assessment(Assessments(scale="passages", documents=documents), submissions=[run])
    assert study.per_document["rank"].unique().tolist() == [rank]


def test_times_from_actions():
    """The time to the topic's next action counts for the document; a break, and the last action, count nothing."""
    log = pd.DataFrame(
        [("1", "d1", 0), ("1", "d1", 30), ("1", "d2", 70), ("1", "d1", 90), ("1", "d2", 1000), ("2", "d1", 5)],
        columns=["topic", "document", "time"],
    )
    judged = Assessments(scale="passages", documents=MARKED, passages=PASSAGES)
    found = study_assessment(judged, log=log.iloc[[3, 0, 2, 1, 5, 4]])
    seconds = found.times.set_index(["topic", "document"])["seconds"].to_dict()
    assert seconds == {("1", "d1"): 70, ("1", "d2"): 20, ("2", "d1"): 0}
    assert any("pauses of more than 600 s in the log, not counted as work: 1" in note for note in found.notes)
    dated = log.assign(time=[f"2006-11-02 14:{second // 60:02d}:{second % 60:02d}" for second in log["time"]])
    pd.testing.assert_frame_equal(study_assessment(judged, log=dated).times, found.times)
    patient = study_assessment(judged, log=log, longest_break=910).times.set_index(["topic", "document"])["seconds"]
    assert patient["1", "d1"] == 980


def test_specificity_of_classes_by_hand():
    """Tags make classes; means are compared with paragraphs; of 2003, degrees are thirds."""
    rows = [
        ("/article[1]", 3, 1, -1, -1),
        ("/article[1]/bdy[1]/sec[2]", 2, 2, -1, -1),
        ("/article[1]/fm[1]", 1, 3, -1, -1),
    ]
    rows += [(f"/article[1]/bdy[1]/sec[2]/{tag}", 1, 3, -1, -1) for tag in ("p[1]", "ip1[1]")]
    rows += [("/article[1]/bdy[1]/p[9]", 0, 0, -1, -1)]
    judged = Assessments(scale="2003", documents=MARKED, elements=elements_of(*rows))
    found = study_assessment(judged)
    table = found.classes.set_index("element_class")
    assert table.index.tolist() == ["article", "section", "paragraph", "other"]
    assert table["mean"].tolist() == pytest.approx([1 / 3, 2 / 3, 1, 1])
    assert table["of_paragraph"].tolist() == pytest.approx([1 / 3, 2 / 3, 1, 1])
    assert table["elements"].tolist() == [1, 1, 2, 1]
    counts = found.specificity.set_index(["element_class", "high"])["elements"]
    assert (counts["article", 1 / 3], counts["section", 2 / 3], counts["paragraph", 1.0]) == (1, 1, 2)
    own = study_assessment(judged, classes={"top": ("article", "fm")}).classes
    assert own["element_class"].tolist() == ["top", "other"]


def test_specificity_falls_into_ten_ranges():
    """A range includes its upper end, and what is relevant throughout stands by itself."""
    shares = [0.05, 0.1, 0.11, 0.3, 0.95, 1.0, 1.0]
    rows = [(f"/article[1]/p[{n}]", 1, share, 100, round(100 * share)) for n, share in enumerate(shares, 1)]
    table = study_assessment(Assessments(scale="2005", documents=MARKED, elements=elements_of(*rows))).specificity
    assert table["elements"].tolist() == [2, 1, 1, 0, 0, 0, 0, 0, 0, 1, 2]
    assert table.iloc[-1][["low", "high"]].tolist() == [1.0, 1.0]


def test_sizes_by_exhaustivity():
    """From too small to highly exhaustive; a table of sizes helps where the assessments say none."""
    rows = [(f"/a[1]/i[{n}]", -1, 1, size, size) for n, size in enumerate([10, 54, 55], 1)]
    rows += [("/a[1]", 2, 0.1, 2000, 200), ("/a[1]/p[1]", 1, 1, -1, -1)]
    judged = Assessments(scale="2005", documents=MARKED, elements=elements_of(*rows))
    sizes = pd.DataFrame([("d1", "/a[1]/p[1]", 300)], columns=["document", "path", "size"])
    table = study_assessment(judged, sizes=sizes).sizes.set_index("exhaustivity")
    assert table.index.tolist() == ["?", "1", "2"]
    assert table["median"].tolist() == [54, 300, 2000]
    assert table["short"].tolist() == pytest.approx([2 / 3, 0, 0])
    assert study_assessment(judged).sizes["exhaustivity"].tolist() == ["?", "2"]
    assert study_assessment(judged).topics.loc["1", ["elements", "too_small"]].tolist() == [2, 3]


@given(
    st.lists(st.permutations(range(6)).map(lambda order: order[:4]), min_size=1, max_size=3),
    st.lists(st.integers(0, 3), min_size=6, max_size=6),
)
def test_growth_against_random_orders(lists, worth):
    """Between rounds the count is the mean over all orders of a round's documents; at the end all is found."""
    documents = documents_of(*(("1", f"d{n}", 1 if found else 0) for n, found in enumerate(worth)))
    passages = pd.DataFrame({"document": [f"d{n}" for n, found in enumerate(worth) for _ in range(found)]})
    judged = Assessments(scale="passages", documents=documents, passages=passages.assign(topic="1", offset=0, length=1))
    runs = [run_of("1", [f"d{n}" for n in order], f"run{place}") for place, order in enumerate(lists)]
    table = pool_growth(judged, runs)
    rounds, seen = [], set()
    for depth in range(4):
        new = sorted({order[depth] for order in lists} - seen)
        seen |= set(new)
        rounds.append(new)
    expected, before = [], 0
    for new in rounds:
        sums = np.array([np.cumsum([worth[n] for n in order]) for order in permutations(new)])
        expected += (before + sums.mean(axis=0)).tolist() if new else []
        before += sum(worth[n] for n in new)
    if passages.empty:
        assert "passages" not in table
    else:
        assert table["passages"].tolist() == pytest.approx(expected)
        assert table["passages_share"].tolist() == pytest.approx([one / sum(worth) for one in expected])
    assert table["documents"].tolist() == list(range(1, len(seen) + 1))
    assert (np.diff(table["relevant"]) >= -1e-12).all()


def test_growth_ends_where_the_pool_did():
    """A topic ends before the first round with a document that nobody assessed; means are over topics that go on."""
    documents = documents_of(*(("1", f"d{n}", n % 2) for n in range(4)), ("2", "d0", 1), ("2", "d9", 1))
    runs = [
        Submission(
            run="a",
            results=pd.DataFrame(
                {"topic": ["1"] * 4 + ["2"] * 3, "document": ["d1", "d0", "d3", "d2", "d0", "d7", "d9"]}
            ),
        )
    ]
    table = pool_growth(Assessments(scale="passages", documents=documents), runs)
    assert table["topics"].tolist() == [2, 1, 1, 1]
    assert table["relevant"].tolist() == [1, 1, 2, 2]
    assert table["relevant_share"].tolist() == [0.5, 0.5, 1, 1]


def test_pools():
    """Documents of the pool, how many were assessed, and assessed documents outside it; a document counts once."""
    pools = pd.DataFrame({"topic": "1", "document": ["d1", "d1", "d5"], "path": ["/a[1]", "/a[1]/b[1]", ""]})
    judged = Assessments(scale="passages", documents=MARKED, passages=PASSAGES)
    assert study_assessment(judged, pools=pools).pools.to_numpy().tolist() == [[2, 1, 1]]


@pytest.mark.parametrize("year", [2002, 2004, 2005, 2006, 2007])
def test_simulated_campaigns_resemble_the_published_ones(year):
    """Every question is answered that the scale can answer; figures lie near those of the paper where it has them."""
    made = simulate_inex(
        year=year, n_systems=6, n_topics=6, n_documents=150, n_results=100, pool_size=60, rng=5, published=False
    )
    study = study_assessment(
        made.assessments, submissions=made.submissions, second=made.second_assessments, sizes=made.sizes
    )
    assert study.notes == made.assessments.notes
    answered = set(study.to_frame()["question"])
    passages = {"passages per document"} if year >= 2005 else set()
    passages |= {"elemental passages"} if year in (2005, 2006) else set()
    passages |= {"best entry points"} if year >= 2006 else set()
    passages |= {"agreement on passages"} if year >= 2007 else set()
    elements = {"exhaustivity and size", "agreement on elements"} if year <= 2006 else set()
    elements |= {"specificity"} if year in (2004, 2005, 2006) else set()
    assert answered == {"assessments", "pool growth", "larger pools", "agreement on documents"} | passages | elements
    if year in (2005, 2006):
        published = {2005: (0.5, 0.9, 0.36), 2006: (0.7, 0.98, 0.45)}[year]
        names = [("passages per document", "share with one"), ("passages per document", "share with at most five")]
        found = [study.figure(*name) for name in [*names, ("elemental passages", "share")]]
        assert found == pytest.approx(published, abs=0.12)
        means = study.classes.set_index("element_class")["mean"]
        assert means["article"] < means["section"] < 0.75 < means["paragraph"]
    if year == 2005:
        pd.testing.assert_frame_equal(
            study.element_agreement, element_agreement(made.assessments, made.second_assessments)
        )
    if year == 2007:
        pd.testing.assert_frame_equal(
            study.passage_agreement, passage_agreement(made.assessments, made.second_assessments)
        )


def test_the_judgments_of_2009_and_2010(data_folder):
    """4858 and 5471 relevant documents, as published of INEX; passages are as many as the lines of the file hold."""
    path = data_folder / "inex-samples" / "qrels.inex2009-2010.fol.txt"
    study = study_assessment(read_assessments(path))
    year = study.topics.index.str[:4]
    assert study.topics["relevant"].groupby(year).agg(["size", "sum"]).to_numpy().tolist() == [[68, 4858], [52, 5471]]
    passages = [len(line.split()) - 6 for line in path.read_text().splitlines()]
    expected = pd.Series(passages).value_counts().sort_index()
    assert study.passages.set_index("passages")["documents"].to_dict() == expected.to_dict()
    highlighted = sum(int(line.split()[3]) for line in path.read_text().splitlines())
    assert study.topics["highlighted"].sum() == highlighted
    assert study.notes[-2:] == (
        "every document listed is relevant; those without relevant text seem to have been left out",
        "every best entry point is character 100, which nobody chose; do not trust them",
    )


def test_what_is_not_known_is_said():
    """Each question without an answer is named, with what it lacks, and its table is empty."""
    study = study_assessment(Assessments(scale="passages", documents=MARKED))
    assert study.growth.empty
    assert study.passages.empty
    said = " | ".join(study.lacking)
    for words in (
        "give the runs",
        "give the pool files",
        "hold no passages",
        "hold no relevant elements",
        "give a log",
    ):
        assert words in said
    old = Assessments(scale="2002", documents=MARKED, elements=elements_of(("/a[1]", 3, 3, -1, -1)))
    said = " | ".join(study_assessment(old).lacking)
    assert "coverage instead of specificity" in said
    assert "give a table of sizes" in said
    other = study_assessment(old, submissions=[run_of("1", ["d7"])], second=old)
    assert any("not the runs that were pooled" in one for one in other.lacking)


def test_bad_input_is_refused():
    """Nothing assessed, columns missing, times that are none."""
    judged = Assessments(scale="passages", documents=MARKED)
    with pytest.raises(InvalidOptionError, match="no assessed document"):
        study_assessment(Assessments(scale="2005"))
    with pytest.raises(InvalidOptionError, match="`sizes` needs the columns"):
        study_assessment(judged, sizes=pd.DataFrame({"document": ["d1"]}))
    with pytest.raises(InvalidOptionError, match=r"`pools` needs .* document is missing"):
        study_assessment(judged, pools=pd.DataFrame({"topic": ["1"]}))
    log = pd.DataFrame({"topic": ["1"], "document": ["d1"]})
    with pytest.raises(InvalidOptionError, match="time is missing"):
        study_assessment(judged, log=log)
    with pytest.raises(InvalidOptionError, match="negative or missing"):
        study_assessment(judged, log=log.assign(seconds=-1.0))
    with pytest.raises(InvalidOptionError, match="the time 'noon'"):
        study_assessment(judged, log=log.assign(time="noon"))
    with pytest.raises(InvalidOptionError, match="not the runs that were pooled"):
        pool_growth(judged, [run_of("1", ["d7"])])
    unknown = study_assessment(judged, log=log.assign(document="d7", seconds=5))
    assert unknown.notes == ("documents in the log that were not assessed, not counted: 1",)
