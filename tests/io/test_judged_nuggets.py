"""Labels of nuggets by several judges: grades, scores, contradictions by topic, and what cannot be compared."""

import re

import pytest

from metaeval.agreement.labels import as_labels
from metaeval.errors import FileFormatError, InvalidOptionError, ScoresError, UnknownNameError
from metaeval.inex.judges import read_judges
from metaeval.questions.judges.study import study_judges

LABELS = {
    "ann": {
        "1": ("support", "partial", "none", "support"),
        "2": ("contradicts", "none", "support", "support"),
        "3": ("none",) * 4,
    },
    "bot": {
        "1": ("support", "contradicts", "none", "none"),
        "2": ("support", "none", "support", "partial"),
        "3": ("none",) * 4,
    },
}
"""By judge and topic: nuggets n1 and n2 under system a, then under b."""


def rows_of(*judges):
    """Write what they say, one row a label."""
    cells = [("a", "n1"), ("a", "n2"), ("b", "n1"), ("b", "n2")]
    return [
        (topic, *cell, label, judge)
        for judge in judges
        for topic, labels in LABELS[judge].items()
        for cell, label in zip(cells, labels, strict=True)
    ]


@pytest.fixture
def written(tmp_path):
    """Write rows under a header."""

    def write(name, rows, head="topic,run,nugget,label,judge"):
        width = head.count(",") + 1
        (tmp_path / name).write_text("\n".join([head, *(",".join(row[:width]) for row in rows)]) + "\n")
        return tmp_path / name

    return write


def test_grades_and_scores_of_one_table_and_of_a_file_a_judge(written):
    """Grades follow the credit; scores are means over the nuggets of a topic."""
    table = read_judges(written("both.csv", rows_of("ann", "bot")))
    head = "topic,run,nugget,label"
    files = read_judges([f"{one}={written(f'{one}.csv', rows_of(one), head)}" for one in ("ann", "bot")])
    for found in (table, files):
        assert found.labels["ann"].tolist() == [2, 1, 0, 2, -1, 0, 2, 2, 0, 0, 0, 0]
        assert found.labels["bot"].tolist() == [2, -1, 0, 0, 2, 0, 2, 1, 0, 0, 0, 0]
        assert found.labels.index.tolist()[:2] == [("1", "a/n1"), ("1", "a/n2")]
        assert set(found.scores) == {"all", "strict_all", "lenient_all", "net_all", "contradicted"}
        assert found.scores["all"]["ann"].sel(system="a")[0].to_numpy().tolist() == [0.75, 0, 0]
        assert found.scores["net_all"]["bot"].sel(system="a")[0].to_numpy().tolist() == [0, 0.5, 0]
        assert found.scores["all"]["ann"]["topic"].to_numpy().tolist() == ["1", "2", "3"]
        said = "2 of 12 assignments, most on topics 1 (1), 2 (1)"
        assert found.labels.attrs["notes"] == [
            "an assignment is a nugget under a system; grades of labels: contradicts -1, none 0, partial 1, support 2",
            f"contradicted by one and credited by the other of ann and bot: {said}",
        ]
    kept = read_judges(written("both.csv", rows_of("ann", "bot")), metrics=["all"])
    assert list(kept.scores) == ["all"]


def test_grades_and_scores_follow_the_credit_that_is_given(written):
    """A label of its own, one that counts otherwise, and one below none; a contradiction stays one."""
    said = {"partial": "maybe", "contradicts": "contradicts"}
    rows = [(*row[:3], said.get(row[3], row[3]), row[4]) for row in rows_of("ann", "bot")]
    path = written("both.csv", rows)
    with pytest.raises(FileFormatError, match=r"the label 'maybe' is unknown; say what each counts, .* with `credit="):
        read_judges(path)
    found = read_judges(path, credit={"Maybe": 0.25, "none": -0.5})
    assert found.labels["ann"].tolist() == [2, 1, -1, 2, -2, -1, 2, 2, -1, -1, -1, -1]
    assert found.scores["all"]["ann"].sel(system="a")[0].to_numpy().tolist() == [0.625, -0.25, -0.5]
    with pytest.raises(InvalidOptionError, match="the credit of 'maybe' must lie from -1 to 1, not 2"):
        read_judges(path, credit={"maybe": 2})
    with pytest.raises(InvalidOptionError, match="and these are labels"):
        read_judges(written("plain.csv", rows, "topic,item,x,label,judge"), columns={"item": "x"}, credit={"none": 0})


def test_one_page_has_agreement_of_labels_and_of_conclusions(written):
    """A study takes both; a judge of one topic counts for that."""
    found = read_judges(written("both.csv", [row for row in rows_of("ann", "bot") if row[0] == "1" or row[4] == "bot"]))
    assert {name: one.sizes["topic"] for name, one in found.scores["all"].items()} == {"ann": 1, "bot": 3}
    whole = read_judges(written("both.csv", rows_of("ann", "bot")))
    study = study_judges(as_labels(whole.labels), scores=whole.scores, n_resamples=20, rng=1)
    assert study.labelling.agreement.pairs["items"].tolist() == [12]
    assert set(study.effects["metric"]) == set(whole.scores)
    page = study.report()
    assert {"judge-pairs", "judge-agreement"} & {table.name for table in page.tables()}
    assert ("12", "assignments") in page.facts
    shown = re.sub(r"<script.*?</script>|<style.*?</style>", "", page.to_html(), flags=re.DOTALL)
    assert [
        words for words in re.findall(r"[^<>]+(?=<)", shown) if re.search(r"\bitems?\b", words, re.IGNORECASE)
    ] == []


@pytest.mark.parametrize(
    ("rows", "error", "said"),
    [
        (rows_of("ann"), FileFormatError, "labels of nuggets by one judge; add a column judge, or give the file of"),
        ([*rows_of("ann", "bot"), ("2", "a", "n2", "none", "")], FileFormatError, "line 26: the judge is empty"),
        ([*rows_of("ann"), *rows_of("bot")[1:]], ScoresError, "no score for system 'a' on nugget '1/n1'"),
    ],
)
def test_what_cannot_be_compared_is_refused(written, rows, error, said):
    """With the line, or the cell."""
    with pytest.raises(error, match=said):
        read_judges(written("labels.csv", rows))


def test_options_of_other_tables_are_refused(written):
    """And a weighting that there is none of."""
    path = written("both.csv", rows_of("ann", "bot"))
    with pytest.raises(UnknownNameError, match="weighting of nuggets"):
        read_judges(path, metrics=["vital"])
    with pytest.raises(Exception, match="are for tables and qrels, and these are labels of nuggets"):
        read_judges(path, words={"support": 1})


def test_what_has_no_verdict_has_an_answer(written):
    """Where all judges are people, and on two topics, of which labels say something."""
    found = read_judges(written("both.csv", rows_of("ann", "bot")), metrics=["all"])
    study = study_judges(
        as_labels(found.labels), scores=found.scores, reference="ann", people=["bot"], n_resamples=20, rng=1
    )
    assert study.report().summary[0].startswith("No verdict: all judges but the reference are people")
    few = read_judges(written("few.csv", [row for row in rows_of("ann", "bot") if row[0] != "3"]), metrics=["all"])
    study = study_judges(as_labels(few.labels), scores=few.scores, n_resamples=20, rng=1)
    assert study.unanswered["Conclusions about systems"] == "takes three topics at least"
    assert study.labelling.agreement.pairs["items"].tolist() == [8]
