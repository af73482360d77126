"""Has the judge changed? Means split by hand, intervals by scipy, conclusions that turn by construction."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metaeval import as_scores
from metaeval.errors import FileFormatError, InvalidOptionError, ScoresError
from metaeval.io.judged_answers import read_judged_answers
from metaeval.questions.judges.study_drift import study_judge_drift

BEFORE = [[0, 1, 1, 0, 1, 0, 0, 1], [1, 1, 0, 1, 0, 1, 1, 0]]
AFTER = [[1, 1, 1, 0, 1, 0, 1, 1], [1, 1, 1, 1, 0, 0, 0, 0]]
SAME = np.array([[True] * 5 + [False] * 3, [False] * 8])


def outputs(same):
    """Return answers that are the same at both dates where marked."""
    items, systems = [str(number + 1) for number in range(same.shape[1])], [f"system{n + 1}" for n in range(len(same))]
    before = pd.DataFrame("same", items, systems)
    return before, before.where(pd.DataFrame(same.T, items, systems), "another")


def test_a_change_is_split_by_the_items_with_the_same_answer():
    """System 1: d = 1,0,0,0,0 | 0,1,0; mean 2/8, of the same 1/5. System 2 has none, so it takes the judge's 1/5."""
    found = study_judge_drift(BEFORE, AFTER, outputs=outputs(SAME), rng=0).to_frame()
    assert found["n_same"].tolist() == [5, 0]
    assert found["change"].tolist() == pytest.approx([0.25, -0.125])
    assert found["judge"].tolist() == pytest.approx([0.2, 0.2])
    assert found["system_part"].tolist() == pytest.approx([0.05, -0.325])


def test_intervals_are_those_of_means_over_items():
    """Change and judge by scipy's t test; the rest is a mean whose error is the sum of what every item adds to it."""
    row = study_judge_drift(BEFORE, AFTER, outputs=outputs(SAME), rng=0).to_frame().iloc[0]
    apart = np.subtract(AFTER, BEFORE)[0]
    for part, values in (("change", apart), ("judge", apart[:5])):
        low, high = stats.ttest_1samp(values, 0).confidence_interval()
        assert row[[f"{part}_low", f"{part}_high"]].tolist() == pytest.approx([low, high])
    added = (apart - 0.25) / 8 - np.where(SAME[0], apart - 0.2, 0) / 5
    half = stats.t.ppf(0.975, 7) * np.sqrt(8 / 7 * (added**2).sum())
    assert row[["system_part_low", "system_part_high"]].tolist() == pytest.approx([0.05 - half, 0.05 + half])


def test_clusters_are_what_varies():
    """Items doubled within clusters tell no more than the items, up to t of the same number of units."""
    doubled = [
        as_scores(np.repeat(table, 2, axis=1), clusters={str(n + 1): f"c{n // 2}" for n in range(16)})
        for table in (BEFORE, AFTER)
    ]
    once, twice = (study_judge_drift(*pair, rng=0).overall for pair in ((BEFORE, AFTER), doubled))
    assert once.loc["shift", ["low", "high"]].tolist() == pytest.approx(twice.loc["shift", ["low", "high"]].tolist())


def test_no_change_is_never_proved():
    """Of 8 items none has changed: a share of 1 - .025 ** (1 / 8) = .3694 may (Clopper and Pearson), each by 1."""
    study = study_judge_drift(BEFORE, BEFORE, rng=0)
    assert study.overall.loc["shift", ["low", "high"]].tolist() == pytest.approx([-0.3694, 0.3694], abs=1e-4)
    assert study.answer.startswith("No change of the judge is visible: at most 0.369 higher or 0.369 lower than before")
    assert not study.has_changed


def test_the_answer_says_first_what_it_supposes_and_no_undefined_figure():
    """Without outputs all answers count as the same, said in the first paragraph; without a significant pair no F1."""
    report = study_judge_drift(BEFORE, BEFORE, rng=0).report()
    assert "All 16 answers count as the same" in report.summary[0]
    assert "F1" not in str(report.key_figures)
    assert report.sections[1].blocks[0].paragraphs == ("No pair differs significantly before or after.",)


def test_labels_are_compared_by_kappa():
    """Of 16 labels 11 are the same; before 9 are 1, after 10: chance (9 * 10 + 7 * 6) / 256, kappa by hand."""
    overall = study_judge_drift(BEFORE, AFTER, rng=0).overall
    same, chance = 11 / 16, (9 * 10 + 7 * 6) / 256
    assert overall.loc["changed", "value"] == pytest.approx(1 - same)
    assert overall.loc["kappa", "value"] == pytest.approx((same - chance) / (1 - chance))
    assert overall.loc["kappa", "low"] < overall.loc["kappa", "value"] < overall.loc["kappa", "high"]


def test_conclusions_turn_appear_and_vanish():
    """By construction: a beats b then b beats a; c falls from b's level; noise is small beside the differences."""
    noise = np.random.default_rng(1).normal(0, 0.05, (2, 3, 40))
    before, after = (noise + np.array([[[0.6], [0.4], [0.4]], [[0.4], [0.6], [0.4]]])).tolist()
    study = study_judge_drift(before, after, n_resamples=50, rng=0)
    assert study.pairs["relation"].tolist() == ["opposite", "vanishes", "appears"]
    assert study.pairs["shift_significant"].all()
    assert study.conclusions.table["n_conflicts"].tolist() == [1]
    assert "3 of 3 conclusions turn, appear or vanish" in study.answer
    assert "not alike for all systems" in study.answer  # what a gains b loses
    assert re.search(r"moved by .0\.2\d+ .* for system1 and 0\.2\d+ .* for system2;", study.answer)


def test_shifts_that_differ_are_named_beside_a_shift_of_all():
    """As made: a falls by 0.09 and b rises by 0.11, by which all rise by 0.01, significantly."""
    noise = np.random.default_rng(1).normal(0, 0.005, (2, 2, 12))
    level = np.linspace(0.2, 0.8, 12)
    before, after = noise + level + np.array([[[0.0], [0.0]], [[-0.09], [0.11]]])
    study = study_judge_drift(before.tolist(), after.tolist(), n_resamples=50, rng=0)
    assert study.overall.loc["shift", "significant"]
    assert re.search(r"moved by 0\.1\d+ .* for system2 and .0\.0[89]\d .* for system1;", study.answer)


def rows_of(table, *, system=True):
    names = ["a", "b"]
    lines = ["system,question,grade,answer" if system else "question,grade,answer"]
    for name, scores, same in zip(names, table, SAME, strict=True):
        start = f"{name}," if system else ""
        lines += [
            f"{start}q{n},{'yes' if score else 'no'},{n if same[n] or table is BEFORE else 'x'}"
            for n, score in enumerate(scores)
        ]
    return "\n".join(lines if system else lines[:9])


def test_two_files_are_a_question_of_the_command(tmp_path, command):
    """Grades as words, and answers that differ where `SAME` says so."""
    for name, table in (("old.csv", BEFORE), ("new.csv", AFTER)):
        (tmp_path / name).write_text(rows_of(table))
    printed = command("judges", "--before", "old.csv", "--after", "new.csv")
    assert printed.code == 0
    assert "Has the judge changed?" in printed.out
    assert "5 of 16 same answers" in printed.out
    assert "No change of the judge is visible: at most" in printed.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "JUDGES is missing"),
        ("--before old.csv", "--before does nothing without --after"),
        ("--before old.csv --after new.csv --people ann", "--people is not about one judge at two dates"),
        ("old.csv --before old.csv --after new.csv", "leave old.csv out"),
        ("--before old.csv --after plain.csv", "plain.csv has none"),
    ],
)
def test_lines_that_do_not_fit(tmp_path, command, words, message):
    """Each names what is wrong."""
    for name, table in (("old.csv", BEFORE), ("new.csv", AFTER)):
        (tmp_path / name).write_text(rows_of(table))
    (tmp_path / "plain.csv").write_text("system,question,grade\na,q0,1\nb,q0,1\na,q1,0\nb,q1,1\n")
    ended = command("judges", *words.split())
    assert (ended.code, message in ended.err) == (2, True), ended.err


def test_one_system_needs_no_name(tmp_path):
    """The change of the one system is that of `BEFORE` and `AFTER`; of conclusions there are none."""
    paths = [tmp_path / "old.csv", tmp_path / "new.csv"]
    for path, table in zip(paths, (BEFORE, AFTER), strict=True):
        path.write_text(rows_of(table, system=False))
    (before, first), (after, second) = (read_judged_answers(path, {}) for path in paths)
    study = study_judge_drift(before, after, outputs=(first, second), rng=0)
    assert study.to_frame()[["system", "change", "judge"]].to_numpy().tolist() == [["all", 0.25, 0.2]]
    assert "conclusions about systems take two systems" in study.answer
    assert study.answer.startswith("No change of the judge is visible: ")
    assert "cannot be compared" not in study.answer


def test_what_cannot_be_answered_is_refused(tmp_path):
    """No output in common, two metrics, and labels that are no numbers."""
    with pytest.raises(ScoresError, match="fewer than two outputs are the same"):
        study_judge_drift(BEFORE, AFTER, outputs=outputs(~(SAME | True)))
    with pytest.raises(InvalidOptionError, match="one metric"):
        study_judge_drift([BEFORE, BEFORE], [AFTER, AFTER])
    path = tmp_path / "labels.csv"
    path.write_text("item,label\n1,good\n2,0\n")
    with pytest.raises(FileFormatError, match="no number"):
        read_judged_answers(path, {})
    path.write_text("item,label\n1,1\n1,0\n")
    with pytest.raises(FileFormatError, match="two labels"):
        read_judged_answers(path, {})


def test_labels_in_words_are_read_by_their_grades(tmp_path):
    """As plain labels are: each word with its grade, none for a gap; a word without one is an error that says so."""
    path = tmp_path / "words.csv"
    path.write_text("item,label\nq1,Good\nq2,bad\nq3,skipped\n", encoding="utf-8")
    scores, _ = read_judged_answers(path, {}, words={"good": 1, "bad": 0, "skipped": "none"})
    assert scores.sel(system="all").to_numpy()[0].tolist()[:2] == [1.0, 0.0]
    assert np.isnan(scores.sel(topic="q3")).all()
    with pytest.raises(FileFormatError, match=r"'Good' is no number; write grades or scores, or say which grade"):
        read_judged_answers(path, {})


def test_intervals_are_said_to_be_over_what_varies(words_of):
    """With clusters of items it is these; without, the items."""
    doubled = [
        as_scores(np.repeat(table, 2, axis=1), clusters={str(n + 1): f"c{n // 2}" for n in range(16)})
        for table in (BEFORE, AFTER)
    ]
    assert "95 % intervals over clusters, for each figure alone" in words_of(
        study_judge_drift(*doubled, rng=0).report()
    )
    assert "95 % intervals over topics, for each" in words_of(study_judge_drift(BEFORE, AFTER, rng=0).report())


def test_a_table_with_a_column_called_as_the_judge_is_one_of_its_labels(tmp_path):
    """Wide (topic, item, gpt), or without topics, it says what the long form does."""
    forms = {"long": "label", "wide": "gpt", "bare": "gpt"}
    found = {}
    for form, column in forms.items():
        paths = []
        for date, labels in (("before", (1, 2, 1, 3, 2, 1)), ("after", (2, 2, 2, 3, 3, 1))):
            keys = [f"d{at}" if form == "bare" else f"t{at // 2},d{at}" for at in range(6)]
            head = "item" if form == "bare" else "topic,item"
            rows = [f"{key},{label}" for key, label in zip(keys, labels, strict=True)]
            paths.append(tmp_path / f"{form}_{date}.csv")
            paths[-1].write_text("\n".join([f"{head},{column}", *rows]), "utf-8")
        before, after = (read_judged_answers(path, {})[0] for path in paths)
        found[form] = study_judge_drift(before, after, rng=0)
    for form in forms:
        assert found[form].overall.loc["shift", "value"] == pytest.approx(0.5)  # 3 of 6 one higher
    ends = ["low", "high"]
    assert found["wide"].overall.loc["shift", ends].tolist() == found["long"].overall.loc["shift", ends].tolist()


def test_a_column_of_outputs_counts_in_memory_as_in_a_file(tmp_path):
    """Only answers that changed gained: the judge did not change, at either door."""
    items = [f"q{at}" for at in range(20)]
    before = pd.DataFrame({"item": items, "system": "s", "score": np.linspace(0.1, 0.5, 20), "output": items})
    changed = np.arange(20) >= 10
    after = before.assign(score=before["score"] + 0.3 * changed, output=np.where(changed, "another", items))
    in_memory = study_judge_drift(before, after, rng=0)
    answers = []
    for name, frame in (("before", before), ("after", after)):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
        answers.append(read_judged_answers(tmp_path / f"{name}.csv", {}))
    of_files = study_judge_drift(answers[0][0], answers[1][0], outputs=(answers[0][1], answers[1][1]), rng=0)
    for found in (in_memory, of_files):
        assert found.outputs_given
        assert found.overall.loc["shift", "value"] == pytest.approx(0.0)
        assert found.report().summary[0].startswith("No change of the judge is visible")
    with pytest.raises(InvalidOptionError, match="before has a column of outputs and after has none; add it there"):
        study_judge_drift(before, after.drop(columns="output"), rng=0)
