# ruff: noqa: RUF001 - typographic dashes are what people see
"""The page of an agreement study: its numbers are the study's, in every state a study can be in."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from metaeval.base.bibliography import PUBLICATIONS
from metaeval.collection.assembly import collection_from_rankings
from metaeval.inex.elements import element_collection
from metaeval.inex.simulation import simulate_inex
from metaeval.page.latex import table_latex
from metaeval.questions.agree.page_findings import (
    answer_sentence,
    compared_rows,
    conflict_sentence,
    grade_sentences,
    label,
    pair_label,
    verdicts_frame,
)
from metaeval.questions.agree.study import AgreeStudy, audit_quantisations, study_agree
from metaeval.table.scores import as_scores
from metaeval.tests_stat.result import UnreachableLevelWarning

HOSTILE = ["<script>alert(1)</script>", "$x$ & {y}_1%", "third"]


def simulated_scores(n_metrics=3, n_systems=8, n_topics=30, *, seed=3, noise=0.1, **labels):
    generator = np.random.default_rng(seed)
    shared = generator.normal(0, 0.15, (n_systems, 1)) + generator.normal(0, 0.2, (n_systems, n_topics))
    return as_scores(shared + generator.normal(0, noise, (n_metrics, n_systems, n_topics)), **labels)


@pytest.fixture(scope="module")
def study():
    """Three metrics, two with names that could do harm, at two levels, with intervals."""
    return study_agree(
        simulated_scores(metrics=HOSTILE),
        tests=["t"],
        alphas=[0.05, 0.01],
        alternative="better",
        n_topic_resamples=20,
        rng=7,
    )


@pytest.fixture(scope="module")
def audit():
    """Two metrics under every use of four grades."""
    generator = np.random.default_rng(4)
    qrels = {str(t): {f"d{n}": int(generator.integers(0, 4)) for n in range(20)} for t in range(15)}
    runs = {
        f"run{system}": {
            topic: sorted(levels, key=lambda name: -levels[name] * 0.3 * system - generator.random())
            for topic, levels in qrels.items()
        }
        for system in range(6)
    }
    collection = collection_from_rankings(runs, qrels)
    return audit_quantisations(collection, "AP,nDCG@10,ERR", tests=["t"], n_topic_resamples=20, rng=0)


def table_of(page, name):
    """Return the table of a page with this name."""
    (found,) = [table for table in page.tables() if table.name == name]
    return found


@pytest.mark.parametrize("measure", ["precision", "recall", "f1"])
def test_matrices_are_the_studys(study, measure):
    """Predictors stand in the rows, truths in the columns, and every cell is the study's."""
    table = table_of(study.report(), measure)
    matrix = study.lead.matrix(measure)
    shown = [[cell.text for cell in row][2:] for row in table.cells()]
    assert shown == [[f"{value:.2f}" for value in row] for row in matrix.to_numpy()]
    assert table.data["predictor"].tolist() == HOSTILE
    np.testing.assert_array_equal(table.data[HOSTILE].to_numpy(), matrix.to_numpy())
    assert "\\begin{tabular}" in table_latex(table)


def test_pairs_table_has_agreement_beside_correlations(study):
    """Every two metrics once, with F1, its interval, both shares and three correlations."""
    table = table_of(study.report(), "pairs_of_metrics")
    assert len(table.data) == 3
    for name in ("f1", "f1_low", "f1_high", "precision", "recall", "tau", "tau_ap", "rho", "n_conflicts"):
        assert table.data[name].notna().all()
    first = table.data.iloc[0]
    assert first["f1"] == study.lead.matrix("f1").loc[first["predictor"], first["truth"]]


def test_names_do_no_harm(study):
    """A metric's name is text everywhere on the page."""
    page = study.report().to_html()
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page


@pytest.mark.parametrize(
    ("value", "bounds", "conflicts", "verdict", "words"),
    [
        (
            0.95,
            (0.91, 0.99),
            0,
            "same",
            "Yes: third leads to the same conclusions as T, {found} (F1 0.95 [0.91, 0.99]).",
        ),
        (
            0.6,
            (0.5, 0.7),
            0,
            "different",
            "No: third leads to different conclusions than T, {found} (F1 0.60 [0.50, 0.70]).",
        ),
        (
            0.95,
            (0.8, 1.0),
            0,
            "inconclusive",
            "Inconclusive: F1 of third with T is 0.95 [0.80, 1.00], on both sides of 0.9, the bar for agreement.",
        ),
        (
            0.95,
            (0.91, 0.99),
            2,
            "inconclusive",
            "Inconclusive: third agrees with T (F1 0.95 [0.91, 0.99]), but has 2 conflicts.",
        ),
        (0.95, (np.nan, np.nan), 0, "inconclusive", "Inconclusive: F1 of third with T is 0.95, without an interval."),
        (
            0.6,
            (np.nan, np.nan),
            0,
            "different",
            "No: third leads to different conclusions than T, {found} (F1 0.60).",
        ),
    ],
)
def test_the_first_sentence_goes_no_further_than_the_evidence(  # noqa: PLR0917 - a case has parts
    study, monkeypatch, value, bounds, conflicts, verdict, words
):
    """Only a whole interval on one side of the bar settles anything, and a conflict never counts as the same."""
    row = compared_rows(study).iloc[[1]].assign(f1=value, n_conflicts=conflicts)
    row[["f1_low", "f1_high"]] = bounds
    monkeypatch.setattr("metaeval.questions.agree.page_findings.compared_rows", lambda _: row)
    found = f"finding {row['n_shared'].iloc[0]} of {row['n_truth'].iloc[0]} significant pairs, contradicting none"
    assert answer_sentence(study) == re.sub(r"\bT\b", HOSTILE[0], words.format(found=found))
    assert verdicts_frame(study)["verdict"].tolist() == [verdict]


def test_several_answers_are_counted(study, monkeypatch):
    """Each kind of answer with its number; one kind alone has the range of F1 and the rule behind it."""
    rows = compared_rows(study).assign(n_conflicts=0)

    def said(**found):
        monkeypatch.setattr("metaeval.questions.agree.page_findings.compared_rows", lambda _: rows.assign(**found))
        return answer_sentence(study)

    mixed = {"f1": [0.95, 0.6], "f1_low": [0.91, 0.5], "f1_high": [0.99, 0.7]}
    of = f"of 2 metrics compared with {HOSTILE[0]} (named first)"
    assert said(**mixed) == (
        f"Not all: {of}, {HOSTILE[1]} leads to the same conclusions and third leads to different conclusions "
        "(F1 0.60 [0.50, 0.70] to 0.95 [0.91, 0.99])."
    )
    assert said(f1=[0.95, 0.9], f1_low=[0.91, 0.5], f1_high=1.0) == (
        f"Not settled for all: {of}, {HOSTILE[1]} leads to the same conclusions and third is inconclusive "
        "(F1 0.90 [0.5, 1.0] to 0.95 [0.91, 1.00])."
    )
    assert said(f1=[0.6, 0.5], f1_low=0.5, f1_high=0.7) == (
        f"No: {of}, all lead to different conclusions (F1 0.50 [0.5, 0.7] to 0.60 [0.50, 0.70])."
    )
    assert (
        said(f1=0.95, f1_low=0.92, f1_high=0.99)
        == f"Yes: {of}, all lead to the same conclusions (F1 0.95 [0.92, 0.99])."
    )
    assert said(f1=1, f1_low=0.5, f1_high=1) == f"Inconclusive: {of}, all are inconclusive (F1 1.00 [0.5, 1.0])."


def test_an_audit_asks_the_other_way_round(audit, monkeypatch):
    """Whether the grades matter: the same conclusions are a no."""
    rows = compared_rows(audit).assign(n_conflicts=0, n_truth=5, n_predictor=5)
    for value, words in ((0.95, "No: of 4 uses of the grades, all lead to the same"), (0.5, "Yes: of 4 uses")):
        found = rows.iloc[:4].assign(f1=value, f1_low=value - 0.01, f1_high=value + 0.01)
        monkeypatch.setattr("metaeval.questions.agree.page_findings.compared_rows", lambda _, found=found: found)
        assert answer_sentence(audit).startswith(words)
        assert len(answer_sentence(audit).split()) <= 25


def test_uses_of_an_audit_that_are_listed_have_no_comma_of_their_own(audit, monkeypatch):
    """Each is its metric with its use in brackets, so that commas and "and" stand between them alone."""
    rows = compared_rows(audit).assign(n_conflicts=0, n_truth=5, n_predictor=5).iloc[:3]
    found = rows.assign(f1=[0.95, 0.5, 0.5], f1_low=[0.94, 0.4, 0.4], f1_high=[0.96, 0.6, 0.6])
    monkeypatch.setattr("metaeval.questions.agree.page_findings.compared_rows", lambda _: found)
    uses = {variant.metric: f"{variant.base} ({variant.words})" for variant in audit.variants}
    same, *different = (uses[metric] for metric in found["predictor"])
    said = answer_sentence(audit)
    assert f"{same} leads to the same conclusions and {' and '.join(different)} lead to different conclusions" in said


def test_an_interval_never_reads_like_the_bar_that_it_lies_beyond(study, monkeypatch):
    """Rounded to the digits of its error an end may read 0.9 where all of the interval is below."""
    row = compared_rows(study).iloc[[1]].assign(f1=0.58, f1_low=0.25, f1_high=0.86, n_conflicts=0)
    monkeypatch.setattr("metaeval.questions.agree.page_findings.compared_rows", lambda _: row)
    assert answer_sentence(study).startswith(
        "Inconclusive: F1 of third with <script>alert(1)</script> is 0.58 [0.25, 0.86], 0.9 within"
    )


def test_the_methods_tell_every_test_correction_and_level(study):
    """Sizes, tests, sides, levels, corrections and intervals are those of the study, and cited works are listed."""
    words = " ".join(study.report().methods.paragraphs)
    for told in (
        "8 systems on 30 topics under ",
        "28 pairs of systems were tested at α = 0.05 and 0.01, one-sided in the direction of the better mean",
        "the paired t test",
        "both directions of all pairs of one metric: the Benjamini–Yekutieli procedure",
        "Intervals (95 %)",
        "20 resamples of the topics",
    ):
        assert told in words
    scores = simulated_scores(2)
    both = study_agree(scores, tests=["t", "sign"], corrections=["holm", "none"], n_topic_resamples=None, rng=0)
    report = both.report()
    words = " ".join(report.methods.paragraphs)
    for told in (
        "the paired t test (Student, 1908) and the sign test (Conover, 1999)",
        "Holm's step-down correction",
        "no correction",
        "first of each",
    ):
        assert told in words
    assert "Intervals" not in words
    assert {PUBLICATIONS[key].cited for key in report.methods.cite} == {
        "Student, 1908", "Conover, 1999", "Holm, 1979", "Ogilvie and Lalmas, 2006", "Yilmaz et al., 2008",
    }  # fmt: skip


def test_a_metric_that_finds_nothing_settles_nothing(study, monkeypatch):
    """F1 of 0 with a metric without findings is no evidence of other conclusions; why it has none is said there."""
    row = compared_rows(study).iloc[[0]].assign(n_predictor=0, f1=0.0, f1_low=0.0, f1_high=0.1)
    monkeypatch.setattr("metaeval.questions.agree.page_findings.compared_rows", lambda _: row)
    assert answer_sentence(study).startswith("Inconclusive: ")
    assert answer_sentence(study).endswith(" finds no significant pair.")
    assert verdicts_frame(study)["verdict"].tolist() == ["inconclusive"]


def test_too_few_resamples_are_named_where_they_keep_pairs_back():
    """The reason why a metric has no significant pair stands before the advice."""
    with pytest.warns(UnreachableLevelWarning):
        study = study_agree(
            simulated_scores(n_systems=5), tests=["bootstrap"], n_resamples=20, n_topic_resamples=None, rng=0
        )
    advice = study.report().sections[0]
    assert advice.id == "advice"
    assert advice.blocks[1].look == "note"
    assert "with 20 resamples cannot go below p = " in advice.blocks[1].paragraphs[0]
    assert study.lead.result.out_of_reach() in advice.blocks[1].paragraphs[0]


def test_a_gain_that_rounds_to_nothing_is_no_gain(study):
    """No caption says that F1 rises from a number to the same number."""
    for picture in study.report().pictures():
        raised = re.search(r"raise F1 from (\S+) to (\S+) here", picture.caption)
        assert raised is None or raised[1] < raised[2]


def test_conflicts_are_named():
    """Each conflict stands with both metrics, both systems and both differences."""
    values = simulated_scores(1).to_numpy()[0]
    scores = as_scores(np.stack([values, -values]), metrics=["up", "down"])
    study = study_agree(scores, tests=["t"], alphas=0.2, n_topic_resamples=None, rng=0)
    table = table_of(study.report(), "conflicts")
    assert len(table.data) == int(study.lead.matrix("n_conflicts").loc["up", "down"]) > 0
    cells = [cell.text for cell in table.cells()[0]]
    assert cells[0] == "up"
    assert cells[3] == "down"
    assert cells[1] == table.data["better_under_a"][0]
    assert cells[4] == table.data["better_under_b"][0]
    assert not cells[2].startswith("−")
    assert not cells[5].startswith("−")
    assert "conflicts" in conflict_sentence(study)


def test_other_levels_have_a_table(study):
    """Agreement at the second level stands beside that at the first."""
    table = table_of(study.report(), "settings")
    assert set(table.data["alpha"]) == {0.05, 0.01}


def test_an_audit_tells_of_grades(audit, words_of):
    """One matrix a metric with the uses of its grades, one map of all, and what each boundary is worth."""
    page = audit.report()
    assert page.title == "Do the grades matter for the conclusions?"
    grades = table_of(page, "grades")
    assert grades.data["boundary"].tolist() == ["0 and 1", "1 and 2", "2 and 3"]
    matrix = table_of(page, "nDCG@10 f1")
    assert [row[0].text for row in matrix.cells()] == [
        "linear",
        "binary ≥ 1",
        "binary ≥ 2",
        "binary ≥ 3",
        "exponential",
    ]
    assert {"AP f1_map", "nDCG@10 f1_map", "f1_map_all"} <= {picture.name for picture in page.pictures()}
    assert "coarser scale may judge differently" in words_of(page)
    assert label(audit, "AP(rel=2)") == "AP, binary ≥ 2"
    assert label(audit, "ERR") == "ERR"
    assert pair_label(audit, "AP(rel=2)", "AP") == "binary ≥ 2 and binary ≥ 1 under AP"
    assert pair_label(audit, "AP(rel=2)", "ERR") == "AP, binary ≥ 2, and ERR"


def test_conflicts_of_an_audit_are_those_under_the_same_metric(audit, monkeypatch):
    """What the choice of the metric does is told apart from what the use of its grades does."""
    names = audit.lead.metrics
    counts = pd.DataFrame(0, index=names, columns=names)
    for one, other, many in (("AP", "AP(rel=2)", 2), ("AP", "AP(rel=3)", 5), ("AP", "ERR", 9)):
        counts.loc[one, other] = counts.loc[other, one] = many
    monkeypatch.setattr(type(audit.lead), "matrix", lambda _, measure: {"n_conflicts": counts}[measure])
    own = sum(len(group) * (len(group) - 1) // 2 for group in audit.groups().values())
    assert conflict_sentence(audit) == (
        f"7 conflicts (pairs significant in opposite directions) among 2 of the {own} pairs of "
        "uses of the grades, most (5) between binary ≥ 1 and binary ≥ 3 under AP; 9 conflicts between metrics."
    )
    counts.loc["AP", ["AP(rel=2)", "AP(rel=3)"]] = 0
    counts.loc[["AP(rel=2)", "AP(rel=3)"], "AP"] = 0
    assert conflict_sentence(audit) == (
        "Under the same metric no pair of systems is significant in opposite directions under two uses of the grades; "
        "9 conflicts between metrics."
    )


@pytest.fixture(scope="module")
def of_elements():
    """Two measures of elements under every quantisation of 2005, of runs for the thorough task."""
    made = simulate_inex(
        year=2005, task="thorough", n_systems=5, n_topics=6, n_documents=40, n_results=40, rng=1, published=False
    )
    collection = element_collection(made.submissions, made.assessments, sizes=made.sizes)
    return audit_quantisations(collection, "MAep,nxCG@10", tests=["t"], n_topic_resamples=None, rng=0)


def test_an_audit_of_elements_counts_what_it_shows(of_elements, words_of):
    """Metrics, and their uses without those that only merge grades; the sentence counts the same."""
    page = of_elements.report()
    shown = len(table_of(page, "shares").frame)
    facts = {what: number for number, what in page.facts}
    assert (facts["metrics"], facts["quantisations"]) == ("2", str(shown // 2))
    others = shown // 2 - 1
    counted = f"of {2 * others} quantisations"
    assert counted in page.summary[0]
    assert page.title == "Do the quantisations lead to the same conclusions?"
    assert "uses of the grades" not in words_of(page, drawn=True)
    methods = page.methods.paragraphs[0]
    assert "under MAep (Gen5, GenLifted, BinExh, " in methods
    assert "blind_e" not in methods


def test_the_page_says_what_its_quantisations_are(of_elements, words_of):
    """A reader who has not met the names finds them once, below the shares."""
    words = words_of(of_elements.report())
    assert words.count("BinExh: specificity alone") + words.count("BinExh Specificity alone") <= 1
    assert "Specificity alone, as if text were only highlighted" in words


@pytest.mark.parametrize(
    ("found", "bounds", "words"),
    [
        (
            (0.969, 0.967, 0.99),
            ((0.920, 1.0), (0.948, 0.985), (0.98, 1.0)),
            (
                "no boundary between grades clearly matters more than the others (the intervals overlap): removing any "
                "one leaves F1 at 0.97 or above."
            ),
        ),
        (
            (0.95, 0.6, 0.99),
            ((0.9, 1.0), (0.5, 0.7), (0.98, 1.0)),
            "the difference between grades 1 and 2 matters most: without it F1 is 0.60 [0.50, 0.70].",
        ),
        (
            (0.95, 0.6, 0.99),
            None,
            (
                "no boundary between grades clearly matters more than the others (no intervals were requested): "
                "removing any one leaves F1 at 0.60 or above."
            ),
        ),
    ],
    ids=["overlap", "apart", "no intervals"],
)
def test_a_boundary_matters_most_only_where_intervals_say_so(audit, monkeypatch, words_of, found, bounds, words):  # noqa: PLR0917 - fixtures
    """The smallest F1 alone singles out no boundary between grades."""
    frame = audit.grades().assign(f1=found)
    frame[["f1_low", "f1_high"]] = np.full((3, 2), np.nan) if bounds is None else bounds
    monkeypatch.setattr(AgreeStudy, "grades", lambda _: frame)
    assert grade_sentences(audit) == [f"Under nDCG@10 {words}"]
    assert f"Under nDCG@10 {words}" in words_of(audit.report())


def test_no_boundary_matters_where_nothing_is_found(audit, monkeypatch):
    """Without any significant pair F1 is undefined and says nothing about the grades."""
    frame = audit.grades().assign(n_truth=0, n_predictor=0, f1=np.nan, f1_low=np.nan, f1_high=np.nan)
    monkeypatch.setattr(AgreeStudy, "grades", lambda _: frame)
    (sentence,) = grade_sentences(audit)
    assert "no pair of systems differs significantly" in sentence
    assert "F1" not in sentence


def test_a_range_of_one_is_no_range():
    """Where all have one F1, it stands alone."""
    values = np.zeros((3, 2, 8))
    values[0, 1] = np.linspace(0.1, 0.2, 8)
    study = study_agree(as_scores(values), tests=["t"], n_topic_resamples=10, rng=0)
    assert answer_sentence(study).endswith(" 0.00).")
    values[0, 1], values[2, 1] = 0.0, np.linspace(0.1, 0.2, 8)
    study = study_agree(as_scores(values), tests=["t"], n_topic_resamples=10, rng=0)
    assert answer_sentence(study).startswith(
        "Inconclusive: of 2 metrics compared with metric1 (named first), all are inconclusive"
    )


def test_nothing_significant_is_said_plainly(words_of):
    """A study without any significant difference has a page without pictures of disagreement."""
    scores = as_scores(np.zeros((2, 3, 8)))
    study = study_agree(scores, tests=["t"], n_topic_resamples=10, rng=0)
    several = study_agree(as_scores(np.zeros((3, 3, 8))), tests=["t"], n_topic_resamples=10, rng=0)
    assert (
        answer_sentence(several)
        == "Inconclusive: of 2 metrics compared with metric1 (named first), all are inconclusive."
    )
    assert answer_sentence(study).startswith("Inconclusive: neither ")
    assert answer_sentence(study).endswith(" finds a significant pair.")
    assert study.lead.data["n_significant"].sum() == 0
    page = study.report()
    assert "disagreement" not in {section.id for section in page.sections}
    assert study.to_frame()["f1"].isna().all()
    assert "neither finds a pair" in words_of(page, drawn=True)
    assert "inconclusive" in words_of(page)
    assert [cell.text for cell in page.key_figures.cells()[0]][2:] == ["–: neither finds a pair", "0", "inconclusive"]


def test_the_folder_holds_page_tables_and_data(audit, tmp_path):
    """The report is complete and its tables are those of the study."""
    index = replace(audit.report(), warnings=("Read me.",)).save(tmp_path / "report")
    assert "Read me." in index.read_text("utf-8")
    frame = pd.read_csv(index.parent / "data" / "agreement.csv")
    pd.testing.assert_frame_equal(frame, audit.to_frame(), check_dtype=False)
    assert (index.parent / "data" / "scores.nc").is_file()
    assert list((index.parent / "tables").glob("*.tex"))


def test_few_pairs_are_said_and_contradictions_named():
    """Two systems half a point above two: 4 pairs, of which d alone above the others has two; then all turned round.

    By hand: 2 * 3 / 7 = 0.86 is F1 of three of four pairs, below the bar of 0.9; 2 * 2 / (4 + 3) = 0.57 is that found.
    """
    noise = np.random.default_rng(5).normal(0, 0.2, (2, 4, 60))
    noise -= noise.mean(axis=2, keepdims=True)
    truth, seen = noise + np.array([[0.0, 0.0, 0.5, 0.5], [0.0, 0.0, 0.0, 0.14]])[:, :, None]

    def first(predictor):
        table = as_scores(np.stack([truth, predictor]), metrics=["human", "gpt"], systems=[*"abcd"])
        return answer_sentence(study_agree(table, n_topic_resamples=100, rng=1))

    few = first(seen)
    assert few.startswith(
        "No, as far as so few pairs say: gpt leads to different conclusions than human, finding 2 of 4 "
    )
    assert "contradicting none (F1 0.57 [" in few
    assert few.endswith("; one pair missed of 4 takes it below 0.9).")
    against = first(-truth)
    assert against.startswith("No: gpt leads to different conclusions than human, finding 0 of 4 significant pairs")
    assert "contradicting 4 (a over c and 3 others) (F1 0.00" in against


def test_the_answer_says_what_its_conflicts_rest_on():
    """Pairs in opposite order by hand from the means, those significant uncorrected by scipy; topics that are 0 too."""
    values = np.random.default_rng(238).normal(0.5, 0.1, (2, 8, 40)).clip(0.01)
    values = (values + np.linspace(0, 0.06, 8)[:, None] * np.array([[[1.0]], [[-1.0]]])).clip(0.01)
    values[1, :, ::2] = 0.0
    names = {"metrics": ["AP", "strict"]}
    study = study_agree(as_scores(values, **names), n_topic_resamples=None)
    first, second = np.triu_indices(8, 1)
    tested = ttest_rel(values[:, first], values[:, second], axis=2)
    opposite = np.sign(tested.statistic).prod(axis=0) < 0
    bare = (opposite & (tested.pvalue <= 0.05).all(axis=0)).sum()
    words = study.report().summary[0]
    told = f"{opposite.sum()} of all 28 pairs are in opposite order, {bare} of them significantly without correction"
    assert f"Conflicts count if significant by Benjamini–Yekutieli; {told}" in words
    alone = study_agree(as_scores(values[:, :, 1::2], **names), n_topic_resamples=None)
    f1, tau = (alone.lead.matrix(name).iloc[0, 1] for name in ("f1", "tau"))
    assert "Under strict 20 of 40 topics score 0 for every system; on the 20 where both score, F1" in words
    assert f" F1 is {f1:.2f} and τ {tau:.2f}." in words.replace("−", "-")
    assert alone.scored is None
