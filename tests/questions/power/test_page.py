# ruff: noqa: RUF001 - typographic dashes and Greek letters are what people see
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

from metaeval.base.words import carried, name_of_metric, number, share_of
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.page.tables import table_csv
from metaeval.questions.power.page import power_report
from metaeval.questions.power.page_findings import power_error, power_methods, power_summary
from metaeval.questions.power.study import study_power
from metaeval.questions.table.study import study_table
from metaeval.table.scores import as_scores
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS


def table_of(page, name):
    """Return the table of a page with this name."""
    (found,) = [table for table in page.tables() if table.name == name]
    return found


def methods_paragraph(study):
    """Return the one paragraph of the methods."""
    (words,) = power_methods(study).paragraphs
    return words


def with_powers(study, counts):
    """Return the study with so many significant pairs under each metric by every test."""

    def changed(result):
        found = np.zeros(result.data["significant"].shape, dtype=bool)
        for row, count in enumerate(counts):
            found[row, :count] = True
        return replace(result, data=result.data.assign(significant=(("metric", "pair"), found)))

    return replace(study, comparisons=tuple(map(changed, study.comparisons)), intervals=None)


def test_the_tables_numbers_are_the_studys(study):
    """Every count, share, interval and difference required on the page is that of the study's own table."""
    shown = table_of(power_report(study), "discriminative_power")
    frame = study.to_frame()
    labels = [column.label for column in shown.columns]
    assert labels == [
        *("Metric", "Test", "Uncorrected", "95 % interval", "Benjamini–Hochberg", "Benjamini–Yekutieli"),
        *("max", "median", "95th pct."),
    ]
    pd.testing.assert_frame_equal(shown.data, frame)
    rows, errors = iter(shown.cells()), study.sensitivity.required_errors()
    for (_, test), part in frame.groupby(["metric", "test"], sort=False):
        cells = [cell.text for cell in next(rows)]
        none, *corrected = part.to_dict("records")
        counted = f"{none['n_significant']}/{none['n_pairs']} = "
        if test == "bootstrap_sensitivity":
            assert cells[2] == counted + carried(none["power"], power_error(study, none))
        else:
            assert cells[2] == f"{counted}{100 * none['power']:.1f} %"
        step_up = [f"{row['n_significant']}/10 = {100 * row['power']:.1f} %" for row in corrected]
        assert cells[4:6] == (step_up or ["–", "–"])
        if test == "bootstrap_sensitivity":
            ends = [float(end) for end in re.findall(r"(\d+(?:\.\d+)?)(?= to| %)", cells[3])]
            for shown_end, end in zip(ends, (none["power_low"], none["power_high"]), strict=True):
                digits = len(str(shown_end).partition(".")[2]) if "." in cells[3].partition(" to")[0] else 0
                assert shown_end == round(100 * end, digits)
            assert cells[6:] == [carried(none[name], errors.loc[none["metric"], name], number(4)) for name in errors]
        else:
            assert cells[3] == "–"


def test_the_caption_names_test_resamples_and_seed(study):
    """Under the table stand every test, B, the seed and the level."""
    caption = table_of(power_report(study), "discriminative_power").caption
    assert "Bootstrap sensitivity, B = 200, seed 0; paired t. Two-sided, α = 0.05." in caption


def test_pairs_among_the_top_are_counted_and_listed(study):
    """A literal count over each metric's best three systems gives the same numbers, and the same pairs."""
    page = power_report(study, top=3)
    counts, pairs = table_of(page, "top_3_counts"), table_of(page, "top_3_pairs")
    means = study.scores.mean("topic")
    first = [result for result in study.comparisons if result.test == "t"]
    for row, metric in enumerate(study.scores["metric"].to_numpy()):
        best = set(means.sel(metric=metric).to_series().sort_values(ascending=False, kind="stable").index[:3])
        listed = set()
        for column, result in enumerate(first, 1):
            frame = result.to_frame().query("metric == @metric and significant")
            inside = [pair for pair in zip(frame["system_a"], frame["system_b"], strict=True) if set(pair) <= best]
            assert counts.cells()[row][column].text == share_of(len(inside), 3)
            listed |= set(map(frozenset, inside))
        rows = pairs.frame[pairs.frame["metric"] == metric]
        assert set(map(frozenset, zip(rows["better"], rows["worse"], strict=True))) == listed
    assert (pairs.frame["difference"] > 0).all()


def test_the_ranking_counts_who_is_beaten(study):
    """Better than and worse than are the row sums of the corrected decisions."""
    metric = str(study.scores["metric"].to_numpy()[0])
    ranking = table_of(power_report(study), f"ranking {metric}").frame.set_index("system")
    square = study.find("t", "fdr_by").decisions(metric)
    for name in square.index:
        assert ranking.loc[name, "better_than"] == (square.loc[name] == 1).sum()
        assert ranking.loc[name, "worse_than"] == (square.loc[name] == -1).sum()
    assert ranking["rank"].tolist() == [1, 1, 3, 4, 5]


def test_identical_systems_are_listed(study):
    """Both systems stand in the table; where there are none there is no section."""
    page = power_report(study)
    assert table_of(page, "identical_systems").frame["system"].tolist() == ["../../etc/passwd, and more", "twin"]
    none = power_report(replace(study, identical=()))
    assert {part.id for part in page.sections} - {part.id for part in none.sections} == {"identical"}


def test_the_chosen_metric_comes_first(study):
    """The metric asked for is the first of the choice; the others follow."""
    last = str(study.scores["metric"].to_numpy()[-1])
    section = next(section for section in power_report(study, map_metric=last).sections if section.id == "map")
    (choice,) = section.blocks
    assert [name[:3] for name in choice.names] == [last[:3], "RBP"]
    assert choice.parts[0][0].title.endswith(last)


def test_options_outside_their_rule_are_refused(study):
    """An unknown metric is named with those there are; a top of one holds no pair."""
    with pytest.raises(UnknownNameError, match=r"no metric 'AP'"):
        power_report(study, map_metric="AP")
    with pytest.raises(InvalidOptionError, match="`top` must be at least 2"):
        power_report(study, top=1)


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ((7, 4), r"^RBP\(p=0\.8\)/x <b>: 7 of 10 pairs \(70\.0 %\) differ significantly .*, the most of 2 metrics\.$"),
        ((5, 5), r"^5 of 10 pairs \(50\.0 %\) differ significantly under each of 2 metrics \("),
        ((0, 0), r"^None of 10 pairs differs significantly under any of 2 metrics"),
    ],
)
def test_the_summary_says_which_metric_has_the_highest_power(study, counts, sentence):
    """The first sentence fits a clear winner, a tie and no finding; the key figures have the best metric first."""
    page = power_report(with_powers(study, counts))
    assert re.search(sentence, page.summary[0])
    assert [row[1].text.partition("/")[0] for row in page.key_figures.cells()] == [str(count) for count in counts]


def test_metrics_with_one_corrected_count_are_not_called_alike(study):
    """The counts of publications, 7 and 9 of 10 here, stand beside the 6 that both have under the correction."""
    tied = with_powers(study, (6, 6))
    published, frame = tied.comparisons[0], tied.to_frame()
    frame.loc[(frame["test"] == published.test) & (frame["correction"] == published.correction), "n_significant"] = [
        7,
        9,
    ]
    low, high = map(name_of_metric, tied.scores["metric"].to_numpy())
    first, second, *_ = power_summary(tied, frame)
    assert "alike" not in first
    assert first.endswith(f"; uncorrected, 7 ({low}) to 9 ({high}).")
    assert "Beside published discriminative power quote the uncorrected one" in second


def test_another_metric_may_lead_without_the_correction(study):
    """Where another metric has most pairs as publications count them, the paragraph on what to quote says which."""
    leads = with_powers(study, (7, 4))
    published = leads.comparisons[0]
    frame = leads.to_frame()
    own = (frame["test"] == published.test) & (frame["correction"] == published.correction)
    metrics = leads.scores["metric"].to_numpy()
    frame.loc[own, "n_significant"] = [3, 4]
    assert f"Uncorrected, {metrics[1]} has most." in power_summary(leads, frame)[1]
    frame.loc[own, "n_significant"] = [4, 3]
    assert "has most" not in power_summary(leads, frame)[1]


@pytest.mark.parametrize(("low", "clear"), [(0.01, True), (-0.01, False), (0.0, False)])
def test_a_lead_is_called_clear_only_if_its_intervals_leave_out_zero(study, low, clear):
    """An interval that holds zero, even just, does not tell two metrics apart."""

    class Intervals:
        test, confidence_level, n_topic_resamples = "t", 0.95, 20

        def to_frame(self):
            return pd.DataFrame(columns=["metric", "test", "correction", "low", "high"])

        def differences(self):
            a, b = study.scores["metric"].to_numpy()
            row = {"test": "t", "correction": "none", "metric_a": b, "metric_b": a, "difference": -0.3}
            return pd.DataFrame([row | {"low": -0.5, "high": -low}])

    page = power_report(replace(with_powers(study, (7, 4)), intervals=Intervals()))
    assert ("Its lead is clear" in page.summary[2]) == clear
    assert ("Its lead over ../../etc is not clear" in page.summary[2]) != clear
    assert "under the paired t test" not in methods_paragraph(study)


def test_a_single_metric_is_reported_alone(simulated_scores):
    """With one metric there is no comparison of metrics, and the title asks about that metric."""
    study = study_power(simulated_scores(1, 3, 12), tests=["t"], corrections=["none"], n_resamples=100, rng=0)
    page = power_report(study)
    assert page.title == "Do these systems differ significantly under metric1?"
    assert " differ significantly under metric1 (paired t, uncorrected)." in page.summary[0]
    assert not {"differences", "asl"} & {section.id for section in page.all_sections()}
    assert "required" not in methods_paragraph(study)


def test_every_test_and_correction_has_its_words(simulated_scores):
    """A study with all tests and corrections is reported whole, with a source for each that has one."""
    scores = as_scores(simulated_scores(2, 4, 12), higher_is_better={"metric2": False})
    study = study_power(scores, tests=list(TESTS), corrections=list(CORRECTIONS), n_resamples=400, rng=0)
    page = power_report(study)
    words = methods_paragraph(study)
    assert "the test '" not in words
    for cited in ("Sakai, 2006", "Wilcoxon, 1945", "Carterette, 2012", "Holm, 1979", "Benjamini and Yekutieli, 2001"):
        assert cited in words
    methods = next(section for section in page.all_sections() if section.id == "methods")
    listed = " ".join(item.words for item in methods.blocks[1].items)
    for cited in re.findall(r"[A-Z][\w-]+(?: and [A-Z]\w+| et al\.)?, (?:19|20)\d\d", words):
        name, year = cited.split(", ")
        assert name.split(" ")[0] in listed
        assert f"({year})" in listed
    assert [row[0].text for row in table_of(page, "discriminative_power").cells()].count("metric1") == len(TESTS)


def test_the_methods_paragraph_tells_what_was_done(study):
    """Sizes, level, tests, B, seed, corrections, outer loop and version are those of the study; nothing else is."""
    words = methods_paragraph(study)
    for told in (
        "5 systems on 20 topics under 2 metrics (RBP(p=0.8)/x <b> and ../../etc)",
        "10 pairs of systems were tested at α = 0.05, two-sided",
        "B = 200 resamples shared by all pairs and metrics, seed 0 and the paired t test",
        "Benjamini–Yekutieli procedure",
        "20 resamples of the topics",
        "2 systems with identical scores",
        f"metaeval {study.provenance.versions['metaeval']}",
    ):
        assert told in words
    assert "Holm" not in words
    alone = replace(study, comparisons=study.comparisons[1:2], sensitivity=None, intervals=None, identical=())
    assert "B = " not in methods_paragraph(alone)
    assert "adjusted" not in methods_paragraph(alone)


def test_condensed_metrics_go_by_short_names_explained_once(simulated_scores):
    """The page says AP' for AP(judged_only=True), tells once what that is, and the data keep the full name."""
    scores = simulated_scores(2, 4, 12, metrics=["AP", "AP(judged_only=True)"])
    study = study_power(scores, tests=["t"], n_resamples=100, n_topic_resamples=5, rng=0)
    page = power_report(study, top=3)
    shown = table_of(page, "discriminative_power")
    assert [row[0].text for row in shown.cells()] == ["AP", "AP'"]
    assert set(shown.data["metric"]) == {"AP", "AP(judged_only=True)"}
    explained = "AP' stands for AP(judged_only=True): scores of the list without its unjudged documents."
    power = next(section for section in page.all_sections() if section.id == "power")
    assert power.blocks[1].paragraphs == (explained,)
    assert f"(AP and AP'). {explained}" in methods_paragraph(study)
    assert "AP(judged_only=True)" in table_csv(table_of(page, "power_differences"))
    pictures = [words for picture in page.pictures() for words in (picture.title, picture.caption, picture.alt)]
    assert not any("judged_only" in words for words in (*pictures, *page.summary))


def test_a_study_calls_its_metrics_by_short_names_in_tables_and_figures(simulated_scores):
    """A quantisation alone, and nothing that all metrics share; data keep full names, and a note explains the short."""
    full = ["MAep(quant=Gen5, task=thorough)", "MAep(quant=Strict5, task=thorough)"]
    study = study_power(
        simulated_scores(2, 4, 12, metrics=full), tests=["t"], n_resamples=50, n_topic_resamples=5, rng=0
    )
    page = study.report()
    for table in (page.key_figures, table_of(page, "discriminative_power")):
        assert {row[0].text for row in table.cells()} == {"MAep(Gen5)", "MAep(Strict5)"}
    assert set(table_of(page, "discriminative_power").data["metric"]) == set(full)
    drawn = page.main_picture().draw()
    assert {"MAep(Gen5)", "MAep(Strict5)"} <= {words.get_text() for words in drawn.findobj(Text)}
    power = next(section for section in page.all_sections() if section.id == "power")
    assert power.blocks[1].paragraphs == (f"MAep(Gen5) and MAep(Strict5) stand for {full[0]} and {full[1]}.",)
    assert name_of_metric(full[0]) == full[0]  # outside the report


@pytest.mark.parametrize(("n_metrics", "n_shown"), [(6, 15), (7, 6)])
def test_with_many_metrics_only_differences_from_the_best_are_drawn(simulated_scores, n_metrics, n_shown):
    """From seven metrics on the picture holds the best one's differences and says so; the table holds all."""
    study = study_power(
        simulated_scores(n_metrics, 5, 12),
        tests=["t"],
        corrections=["none"],
        n_topic_resamples=5,
        n_resamples=100,
        rng=0,
    )
    page = power_report(study)
    (picture,) = [picture for picture in page.pictures() if picture.name == "power_differences"]
    frame = study.to_frame()
    best = frame["metric"].iloc[int(frame["power"].to_numpy().argmax())]
    labels = [text.get_text() for text in picture.draw().axes[0].texts]
    assert len(labels) == n_shown
    assert len(table_of(page, "power_differences").frame) == n_metrics * (n_metrics - 1) // 2
    if n_metrics > 6:
        assert all(best in label.split(" − ") for label in labels)
        assert f"Shown: the 6 differences from {best}" in picture.caption
    else:
        assert "Shown: the" not in picture.caption


def test_scores_of_0_and_1_make_the_sign_test_mcnemars():
    """Summary, picture, table, methods and references call it by its name, and cite McNemar."""
    values = (np.random.default_rng(1).random((4, 40)) < np.array([0.2, 0.4, 0.6, 0.8])[:, None]).astype(float)
    report = study_power(values, tests=["mcnemar"], rng=0).report()
    (words,) = report.methods.paragraphs
    assert "McNemar's test, which the sign test is on scores of 0 and 1 (McNemar, 1947)" in words
    assert "(McNemar's, Benjamini–Yekutieli)" in report.summary[0]
    assert "McNemar's" in report.pictures()[0].alt
    assert report.main_table().caption.startswith("McNemar's")
    assert "mcnemar1947" in report.methods.cite
    assert "the sign test (Conover, 1999)" in study_power(values / 2, tests=["sign"]).report().methods.paragraphs[0]


def test_clusters_are_counted_and_described():
    """The head of the page says how many, the methods what was done about them, and whom to cite."""
    values = np.random.default_rng(2).random((4, 48))
    scores = as_scores(values, clusters={str(place + 1): f"task {place % 12}" for place in range(48)})
    report = study_power(scores, n_resamples=100, rng=0).report()
    assert ("12", "clusters") in report.facts
    (words,) = report.methods.paragraphs
    assert "The 48 topics come in 12 clusters" in words
    assert "cluster-robust (CR2) standard errors and Satterthwaite's degrees of freedom" in words
    assert "cluster-robust (CR1) standard errors" in words
    assert {"bell2002", "pustejovsky2018"} <= set(report.methods.cite)
    assert "48 topics come in 12 clusters of 4 topics" in report.notes


def test_gaps_leave_the_page_whole(tmp_path):
    """Every picture and table is made of the scores that there are."""
    values = np.random.default_rng(2).random((2, 4, 30))
    values[np.random.default_rng(3).random(values.shape) < 0.2] = np.nan
    report = study_power(as_scores(values, missing="pairwise"), n_resamples=100, rng=0).report()
    report.save(tmp_path / "page")
    assert "nan" not in " ".join(picture.alt for picture in report.pictures()).casefold()
    assert any("compared on common topics" in note for note in report.notes)
    assert "robust" not in report.methods.paragraphs[0]


def two_systems(**differences):
    """Return two systems on 12 topics, "b" ahead by so much under each metric, give or take."""
    noise = np.random.default_rng(0).normal(0, 0.02, 12)
    base = np.linspace(0.2, 0.5, 12)
    tables = {metric: pd.DataFrame({"a": base, "b": base + lead + noise}) for metric, lead in differences.items()}
    return as_scores(tables)


def test_of_two_systems_the_summary_says_which_is_better():
    """A pair needs no counts of pairs: who is better under which metrics, with the means."""
    scores = two_systems(AP=0.2, P=-0.2, RR=0.0)
    page = study_power(scores, tests=["t"]).report()
    answer, rests = page.summary
    assert rests.startswith("This rests on 7 of 12 topics under P: without 0, 1, 3 and 4 others the two do not differ")
    assert answer.startswith("Partly: a is significantly better than b under P and worse under AP")
    a, b = (scores.sel(system=name).mean("topic").to_numpy() for name in "ab")
    shown = [[cell.text for cell in row[1:3]] for row in page.key_figures.cells()]
    assert shown == [[f"{one:.3f}", f"{other:.3f}"] for one, other in zip(a, b, strict=True)]
    assert study_table(scores).report().summary == page.summary
    one = scores.sel(metric=["AP"])
    down, _ = study_table(as_scores(one, higher_is_better=False), baseline="a").report().summary
    assert down.startswith(f"Yes: a is significantly better than b under AP by {b[0] - a[0]:.3f} [")
    assert f"] ({a[0]:.3f} against {b[0]:.3f}; " in down


def test_another_test_that_decides_the_pair_otherwise_is_named():
    """The summary keeps to the first test, and says where the other differs."""
    scores = two_systems(AP=0.2)
    scores[0, 1, 0] = 30.0
    said, other = study_power(scores, tests=["t", "sign"]).report().summary
    assert said.startswith("No: a and b do not differ significantly under AP")
    assert other == "By the sign test they differ under AP."


def test_of_two_systems_practical_equivalence_is_a_probability():
    """Counts of decided pairs say nothing of one pair; its probabilities do, and they sum to 1."""
    study = study_power(two_systems(AP=0.02, P=0.3), tests=["t"], rope=0.03)
    (section,) = [one for one in study.report().sections if one.id == "practical-equivalence"]
    ((said,),) = [block.paragraphs for block in section.blocks if block.kind == "text"]
    assert said.count("Under ") == 2
    assert "Under P the probability that a is better by more than 0.03 is 0.0 %, that b is 100.0 %, and" in said
    shares = [float(one) for one in re.findall(r"([\d.]+) %", said.partition("Under P")[0])]
    assert sum(shares) == pytest.approx(100, abs=0.2)
