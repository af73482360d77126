"""What stands on the page of the labels themselves: their spread, those off the scale, and scales put on one."""

import numpy as np
import pandas as pd

from metaeval.agreement import corrected_scores
from metaeval.agreement.labels import as_labels
from metaeval.inex.judges import read_judges
from metaeval.io.labels import read_labels
from metaeval.questions.judges.page_labels import label_sections
from metaeval.questions.judges.study import study_judges

GIVEN = {
    "ann": {"1": {"d1": 2, "d2": 0, "d3": 1}, "2": {"d4": 0, "d5": 1}},
    "ben": {"1": {"d1": 7, "d2": 0, "d3": 1}, "2": {"d4": 0}},
}


def section_of(study, name):
    (found,) = (one for one in label_sections(study.labelling, brief=True) if one.id == name)
    return found


def test_the_spread_of_labels_is_counted():
    """How many labels each judge gave, how many it did not, and the share of each grade."""
    study = study_judges(as_labels(GIVEN, scale=[0, 1, 2], outside="drop"), n_resamples=10, rng=0)
    spread, outside = section_of(study, "labels").blocks
    rows = spread.frame.set_index("judge")
    assert rows.loc["ann"].tolist() == [5, 0, 0.8, 0.4, 0.4, 0.2]
    assert rows.loc["ben", ["labels", "missing", "at_0", "at_1", "at_2"]].tolist() == [3, 2, 2 / 3, 1 / 3, 0]
    assert outside.frame[["judge", "topic", "item", "label"]].to_numpy().tolist() == [["ben", "1", "d1", 7.0]]
    assert outside.caption == "Left out: the scale is 0, 1, 2."


def test_which_grade_became_which_is_shown_where_any_did(judged_study):
    """A row a grade of every judge but the reference, with the rule; nothing where all kept theirs."""
    study = judged_study(own_scale=True)
    (table,) = section_of(study, "scales").blocks
    own = table.frame[table.frame["judge"] == "hasty"]
    assert set(own["rule"]) == {"fitted"}
    assert own["grade"].tolist() == [0, 10, 20, 30]
    assert own["reference_grade"].is_monotonic_increasing
    assert "nist" not in set(table.frame["judge"])
    assert not [one for one in label_sections(judged_study().labelling, brief=True) if one.id == "scales"]


def test_what_answers_is_brief(judged_study):
    """With a reference who labels best, else how far the judges agree; nothing where conclusions stand before."""
    with_reference, pair = judged_study().labelling, study_judges(as_labels(GIVEN), n_resamples=10, rng=0).labelling
    for study, first in ((with_reference, "ranking"), (pair, "agreement")):
        sections = label_sections(study, brief=True)
        assert sections[0].id == first
        assert [one.id for one in sections if one.brief] == [first]
        assert sections[0].blocks[0].kind == "picture"
        assert not any(one.brief for one in label_sections(study, brief=False))


PARTLY = """question,system,human,judge
q1,a,1,1
q1,b,0,0
q2,a,1,1
q2,b,0,1
q3,a,1,1
q3,b,0,0
q4,a,,1
q4,b,,0
q5,a,,1
q5,b,,1
"""


def test_scores_are_corrected_where_people_labelled_a_part(tmp_path):
    """Each system has a row of its own, both estimates with intervals and the differences, in the rows too."""
    (tmp_path / "labels.csv").write_text(PARTLY, encoding="utf-8")
    read = read_labels(tmp_path / "labels.csv", columns={"topic": "question", "item": "system"})
    labels = as_labels(read)
    assert labels.systems == {"a": "a", "b": "b"}
    study = study_judges(labels, reference="human", n_resamples=10, rng=0)
    table, fold = section_of(study, "corrected").blocks
    expected = corrected_scores(labels, reference="human", systems={"a": "a", "b": "b"})
    assert table.data.equals(expected.table)
    assert fold.blocks[0].data.equals(expected.differences)
    assert table.frame["specificity"].tolist() == [2 / 3, 2 / 3]  # of three answers that people turned down
    assert "They do not differ significantly" in table.caption
    rows = study.to_frame().set_index("statistic")
    for name, row in expected.table.set_index("system").iterrows():
        assert rows.loc[f"corrected score, {name}", ["value", "low", "high"]].tolist() == [
            row[f"corrected{end}"] for end in ("", "_low", "_high")
        ]
    assert "lee2025" in study.report().methods.cite


def test_corrected_scores_of_systems_are_the_answer(tmp_path):
    """The first sentence has every system's corrected share with its interval, as the table has it; κ comes after."""
    rng, names = np.random.default_rng(18), np.repeat(["A", "B", "C"], 300)
    truth = rng.random(900) < np.repeat([0.7, 0.5, 0.3], 300)
    said = np.where(rng.random(900) < 0.15, ~truth, truth).astype(int)
    person = np.where(rng.random(900) < 0.3, truth.astype(int).astype(str), "")
    frame = pd.DataFrame({"system": names, "item": [f"q{at % 300}" for at in range(900)], "human": person, "llm": said})
    frame.to_csv(tmp_path / "labels.csv", index=False)
    labels = as_labels(read_labels(tmp_path / "labels.csv"))
    study = study_judges(labels, reference="human", n_resamples=50, rng=0)
    answer, after = study.report().summary[:2]
    assert study.report().title == "What shares of yes would human give the systems?"
    alone = sum(not label for label in person)
    start = (
        f"Corrected for the errors of llm, shares of yes by human among the {alone} items that llm alone labelled are: "
    )
    assert answer.startswith(f"{start}A ")
    for row in study.labelling.corrected.table.to_dict("records"):
        figure, low, high = (100 * row[f"corrected{end}"] for end in ("", "_low", "_high"))
        assert f"{row['system']} {figure:.1f} % [{low:.1f}, {high:.1f}]" in answer
    assert "κ" in after


def test_the_corrected_share_without_systems_is_the_second_sentence(tmp_path):
    """As in the table, and of the items that the judge alone labelled; how well the judge agrees comes first."""
    rng = np.random.default_rng(19)
    truth = rng.random(300) < 0.6
    said = np.where(rng.random(300) < 0.1, ~truth, truth).astype(int)
    person = np.where(np.arange(300) < 100, truth.astype(int).astype(str), "")
    pd.DataFrame({"item": np.arange(300), "human": person, "llm": said}).to_csv(tmp_path / "labels.csv", index=False)
    labels = as_labels(read_labels(tmp_path / "labels.csv"))
    report = study_judges(labels, reference="human", n_resamples=50, rng=0).report()
    (row,) = corrected_scores(labels, reference="human").table.to_dict("records")
    figure, low, high = (100 * row[f"corrected{end}"] for end in ("", "_low", "_high"))
    assert "κ" in report.summary[0]
    assert report.summary[1] == (
        "Corrected for the errors of llm, the share of yes by human among the 200 items that llm alone labelled is "
        f"{figure:.1f} % [{low:.1f}, {high:.1f}]."
    )


def test_note_and_caption_name_the_same_systems_of_many():
    """Of eight systems one differs by its own p below .05 alone: by Holm none does, and nothing says so."""
    rng = np.random.default_rng(7)
    system, truth = np.repeat([f"s{at}" for at in range(8)], 120), rng.random(960) < 0.5
    judge = np.where(rng.random(960) < 0.85, truth, ~truth).astype(float)
    people = np.where(np.tile(np.arange(120) < 40, 8), truth.astype(float), np.nan)
    frame = pd.DataFrame({"item": np.arange(960), "system": system, "human": people, "gpt": judge})
    study = study_judges(as_labels(frame), reference="human", n_resamples=10, rng=0)
    table = section_of(study, "corrected").blocks[0]
    assert table.data["apart_p"].min() < 0.05 < table.data["apart_corrected"].min()
    assert "They do not differ significantly" in table.caption
    assert not any("corrected and powered scores" in note for note in study.notes)


def test_scores_of_0_and_1_are_corrected_as_labels_are(tmp_path):
    """The same answers as a table of scores under judges: the figures of the labels, on the page and in the rows."""
    rows = [line.split(",") for line in PARTLY.splitlines()[1:]]
    long = [
        f"{judge},{system},{topic},{said}"
        for topic, system, *labels in rows
        for judge, said in zip(("human", "judge"), labels, strict=True)
        if said
    ]
    (tmp_path / "scores.csv").write_text("\n".join(["judge,system,topic,score", *long]), encoding="utf-8")
    read = read_judges(tmp_path / "scores.csv", reference="human")
    study = study_judges(scores=read.scores, reference="human", n_resamples=20, rng=0)
    (tmp_path / "labels.csv").write_text(PARTLY, encoding="utf-8")
    labels = as_labels(read_labels(tmp_path / "labels.csv", columns={"topic": "question", "item": "system"}))
    expected = corrected_scores(labels, reference="human").table
    pd.testing.assert_frame_equal(study.corrected["score"].table, expected)
    assert "corrected" in [section.id for section in study.report().sections]
    assert study.to_frame()["statistic"].eq("corrected score, a").sum() == 1


def test_words_without_grades_say_why_no_score_is_corrected():
    """C and I are in no order: the way out is to give each its grade."""
    labels = as_labels({"human": ["C", "I", "C", None], "judge": ["C", "C", "I", "I"]})
    study = study_judges(labels, reference="human", n_resamples=10, rng=0)
    assert "give each word its grade (`words`)" in study.unanswered["Score corrected for the judge's errors"]


def test_nothing_is_corrected_where_people_labelled_all_or_in_grades():
    """Without items that a judge alone labelled, or with three grades, there is no such section."""
    whole = {"human": [1, 0, 1, 0], "judge": [1, 0, 1, 1]}
    grades = {"human": [2, 0, 1, None], "judge": [1, 0, 1, 1]}
    for columns in (whole, grades):
        study = study_judges(as_labels(columns), reference="human", n_resamples=10, rng=0)
        assert study.labelling.corrected is None
        assert not [one for one in label_sections(study.labelling, brief=True) if one.id == "corrected"]


def test_why_a_score_is_not_corrected_is_said():
    """A judge that is no better than chance is among what is not answered."""
    labels = as_labels({"human": [1, 0, 1, None], "judge": [0, 1, 1, 0]})
    study = study_judges(labels, reference="human", n_resamples=10, rng=0)
    reason = study.unanswered["Score corrected for the judge's errors"]
    assert reason == "judge has no corrected score: specificity 0 and sensitivity 0.5 are no better than chance"


def test_where_errors_depend_on_the_system_the_answer_has_the_powered_scores(tmp_path):
    """Of two systems, right on half of their items, the judge says yes to two thirds of what one gets wrong."""
    rng, names = np.random.default_rng(18), np.repeat(["own", "rival"], 800)
    truth = rng.random(1600) < 0.5
    said = np.where(~truth & (names == "own"), rng.random(1600) < 2 / 3, truth).astype(int)
    person = np.where(rng.random(1600) < 0.25, truth.astype(int).astype(str), "")
    frame = pd.DataFrame(
        {"system": names, "item": [f"q{at % 800}" for at in range(1600)], "human": person, "llm": said}
    )
    frame.to_csv(tmp_path / "labels.csv", index=False)
    labels = as_labels(read_labels(tmp_path / "labels.csv"))
    study = study_judges(labels, reference="human", n_resamples=50, rng=0)
    answer = study.report().summary[0]
    assert answer.startswith(
        "If human labelled a random sample, shares of yes among the 1,181 items that llm alone labelled, "
        "prediction-powered by llm, whose errors"
    )
    assert any(note.startswith("corrected and powered scores of own by llm differ (") for note in study.notes)
    table = study.labelling.corrected.table.set_index("system")
    assert (table["corrected_low"]["own"] > truth[names == "own"].mean()) & (table["corrected"]["own"] > 0.6)
    for system in ("own", "rival"):
        figure, low, high = (100 * table[f"powered{end}"][system] for end in ("", "_low", "_high"))
        assert low < 100 * truth[names == system].mean() < high
        assert f"{system} {figure:.1f} % [{low:.1f}, {high:.1f}]" in answer
