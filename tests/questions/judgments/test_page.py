# ruff: noqa: RUF001 - typographic dashes and Greek letters are what people see
"""The report of a judgments study: its numbers are the study's, in every state a study can be in."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from metaeval.base.words import carried, name_of_metric, number, share_of
from metaeval.collection.assembly import collection_from_rankings
from metaeval.figures.judgments import measure_label, stability_panels
from metaeval.page.html import render_page
from metaeval.questions.judgments.page import judgments_report
from metaeval.questions.judgments.page_reductions import _among_best, errors_beside
from metaeval.questions.judgments.study import study_judgments
from metaeval.simulate.collection import simulate_collection

pytestmark = pytest.mark.usefixtures("one_core")


@pytest.fixture(scope="module")
def made():
    """Make nine runs of three groups on 12 topics."""
    return simulate_collection(
        n_groups=3, runs_per_group=3, n_topics=12, n_documents=300, depth=50, pool_depth=10, rng=3
    )


@pytest.fixture(scope="module")
def study(made):
    """Ask everything of it."""
    return study_judgments(made.to_collection(retrieved="all"), ["AP", "AP'"], n_replicates=3, n_tested=2, rng=1)


@pytest.fixture(scope="module")
def page(study):
    """Put it on a page."""
    return replace(judgments_report(study), warnings=("A warning given on the way.",))


def only(study, reduction, **changes):
    """Return the study with one reduction and no group left out, which takes a tenth of the time to put on a page."""
    return replace(study, **{"stability": {reduction: study.stability[reduction]}, "left_out": {}} | changes)


def table_of(page, name):
    """Return the table of a page with this name."""
    (found,) = [table for table in page.tables() if table.name == name]
    return found


def test_the_thresholds_are_the_studys(study, page):
    """One row a reduction, every cell the text of its thresholds; the CSV has the plain rows."""
    table = table_of(page, "thresholds")
    assert [column.label for column in table.columns] == ["Reduction", "Counted in", "AP", "AP'"]
    for row, one in zip(table.cells(), study.stability.values(), strict=True):
        assert row[0].text == one.reduction.title
        assert [cell.text for cell in row[2:]] == one.thresholds()["text"].tolist()
    pd.testing.assert_frame_equal(table.data, study.tables()["thresholds"])


def test_the_documents_counted_as_relevant_are_those_of_the_metric():
    """Of grades 0, 1, 1 and 2 under AP(rel=2), one is relevant, as the page says with its grade; under AP three are."""
    runs = {name: {"1": ["a", "b", "c", "d"], "2": ["d", "c", "b", "a"]} for name in ("one", "other")}
    runs["other"]["1"] = ["d", "a", "b", "c"]
    grades = {topic: {"a": 0, "b": 1, "c": 1, "d": 2} for topic in ("1", "2")}
    facts = {
        metric: judgments_report(
            study_judgments(collection_from_rankings(runs, grades), [metric], reductions=["order"], rng=0)
        ).facts_line()
        for metric in ("AP", "AP(rel=2)")
    }
    assert "8 judged documents, 6 of them relevant" in facts["AP"]
    assert "8 judged documents, 2 of them relevant (from 2 on)" in facts["AP(rel=2)"]


def test_the_correlations_are_the_studys(study, page):
    """Every τ shown with its standard error is the mean over replicates."""
    table = table_of(page, "stability stratified")
    frame = errors_beside(study.stability["stratified"])
    for cells, (_, part) in zip(table.cells(), frame.groupby("step"), strict=True):
        assert cells[0].text == f"{100 * part['judged'].iloc[0] / study.n_judged:.3g} %"
        shown = [cell.text for cell in cells[3:]]
        expected = [
            carried(row[name], row[f"{name}_error"], number(3))
            for row in part.set_index("metric").loc[list(study.metrics)].to_dict("records")
            for name in ("tau", "tau_ap")
        ]
        assert shown == expected


def test_unconfirmed_differences_are_counted(study, page):
    """Found and not confirmed pairs are those of the study."""
    table = table_of(page, "consistency stratified")
    frame = errors_beside(study.stability["stratified"])
    first = frame[(frame["step"] == 90) & (frame["metric"] == "AP")].iloc[0]
    cells = table.cells()[-1]
    found, wrong = (carried(first[name], first[f"{name}_error"], number(1)) for name in ("found", "contradicted"))
    assert cells[1].text == found
    assert first["found"] > 0
    share = carried(first["contradicted"] / first["found"], first["contradicted_share_error"])
    assert cells[2].text == f"{wrong} ({share})"


def test_left_out_groups_pool_sizes_and_effort_are_the_studys(study, page):
    """The other tables hold the study's frames."""
    tables = study.tables()
    for rule in ("depth", "size"):
        part = tables["left_out_summary"].query("keep == @rule").reset_index(drop=True)
        pd.testing.assert_frame_equal(table_of(page, f"left_out {rule}").data, part)
        change = table_of(page, f"left_out {rule}").cells()[0][1].text
        assert float(change.replace("−", "-").replace("+", "").removesuffix(" %")) == pytest.approx(
            part["mean_change"][0], abs=0.051
        )
        runs = table_of(page, f"changes {rule} run")
        assert sum(int(row[1].text.split()[0]) for row in runs.cells()) == study.n_systems
    pd.testing.assert_frame_equal(table_of(page, "pool_sufficiency").data, tables["pool_sufficiency"])
    pd.testing.assert_frame_equal(table_of(page, "effort").data, tables["effort"])
    pd.testing.assert_frame_equal(table_of(page, "adaptive").data, tables["adaptive"])


def test_changes_as_published_are_the_same_with_the_other_sign(study, page):
    """Open in the section, a loss is positive and gains come first: the rows of the other form, mirrored."""
    other = judgments_report(study, published=True)
    signs = str.maketrans({"−": "", "[": "(", "]": ")", ",": " "})
    for counted in ("run", "run and topic"):
        mine, theirs = (table_of(one, f"changes depth {counted}") for one in (page, other))
        assert mine in page.tables()
        rows, mirrored = ([[cell.text for cell in row] for row in one.cells()] for one in (mine, theirs))
        assert [row[1:] for row in mirrored[:-1]] == [row[1:] for row in rows[-2::-1]]
        for (one, *_), (two, *_) in zip(rows[-2::-1], mirrored[:-1], strict=True):
            assert sorted(one.translate(signs).strip("()").split()) == sorted(two.translate(signs).strip("()").split())
        assert mirrored[0][0] == "(−∞, −50]"
        assert mirrored[-1] == rows[-1]
        section = next(one for one in other.sections if one.id == "new-systems")
        assert section.brief
        assert theirs.name in {one.name for one in section.open_blocks() if hasattr(one, "columns")}
        pd.testing.assert_frame_equal(mine.data, theirs.data)


def test_the_summary_answers_in_sentences(page):
    """How little is enough and how sure that is, what a new system would meet, and where effort goes."""
    first, second, third = page.summary
    assert re.match(
        r"[\d.]+ % (\(\w+'?\) )?to [\d.]+ % \(\S+\) of the judged documents are enough to keep the ranking "
        r"\(mean τ ≥ 0\.9; in [^()]* draws( with [^()]*)?\)\.$",
        first,
    )
    assert re.match(r"Up to [\d.]+ % of [^:]+ never judged: judge these before you judge less\.", second)
    assert third.startswith("Quote the effort for the metric that you use")
    figures = {row[0].text: row[1].text for row in page.key_figures.cells()}
    assert "Mean change of a run's score without its group in the pool" in figures
    (effort,) = (section for section in page.sections if section.id == "effort")
    assert "With 60 % of the judged documents" in effort.lead


def test_a_ranking_that_is_kept_but_for_the_best_is_said_so():
    """By hand: of three metrics A keeps both, B loses the best ten (.6), C's ranking of all is not kept anyway."""
    rows = pd.DataFrame(
        [("A", 0.95, 0.92), ("B", 0.92, 0.60), ("C", 0.7, 0.5)], columns=["metric", "tau", "tau_best"]
    ).assign(tau_best_se=np.nan)
    asked, reduced = SimpleNamespace(min_tau=0.9), SimpleNamespace(top=10)
    assert _among_best(asked, reduced, rows) == "Among the best 10 alone τ is only 0.60 under B."
    assert _among_best(asked, reduced, rows.iloc[1:2]) == "Among the best 10 alone τ is only 0.60."
    assert _among_best(asked, reduced, rows.drop(index=1)) == ""


@pytest.mark.parametrize("step", [10, 60])
def test_the_sentence_on_one_step_holds_the_best_where_its_table_does(made, step):
    """The column of the best three of nine runs, from τ of .3 on."""
    asked = {"reductions": ["stratified"], "steps": [step], "top": 3, "min_tau": 0.3}
    study = study_judgments(made.to_collection(), ["AP"], n_replicates=3, n_tested=0, rng=1, **asked)
    (row,) = study.to_frame().to_dict("records")
    words = f"Among the best 3 alone τ is only {carried(row['tau_best'], row['tau_best_se'], number(2))}."
    assert (words in study.report().summary[1]) == (row["tau_best"] < 0.3 <= row["tau"])


def test_percentages_are_of_what_is_left(study, page, words_of):
    """No step asked for stands for what whole documents and topics leave: not in tables, pictures or the summary."""
    full = {"judged documents": "judged", "relevant documents": "relevant", "topics": "topics"}
    for name, one in study.stability.items():
        frame = one.to_frame()
        if one.reduction.unit != "%":
            assert (frame["left"] == frame["step"]).all()
            continue
        counted = full[one.reduction.share_of]
        left = 100 * frame[counted] / getattr(one, f"n_{counted}")
        assert frame["left"].to_numpy() == pytest.approx(left.to_numpy())
        shown = {row[0].text for row in table_of(page, f"stability {name}").cells()}
        assert shown == {f"{value:.3g} %" for value in left}
        drawn = stability_panels(frame, measures=["tau"], min_tau=0.9).axes[0].lines
        assert any(set(left) <= set(line.get_xdata()) for line in drawn)
    share = study.stability["share"].to_frame()
    least = 100 * share["judged"].min() / study.stability["share"].n_judged
    assert f"{least:.3g} % or less of the documents of the rebuilt pool are enough" in words_of(
        judgments_report(only(study, "share", min_tau=-0.99))
    )


def test_the_methods_name_every_choice(study, page):
    """Reductions with their steps and replicates, the correlations, the tests with their level, and the seed."""
    (words,) = page.methods.paragraphs
    assert "A random part of all judged documents (20, 40, 60, 80 %, 3 replicates)" in words
    test = study.stability["random"].test
    assert f"All pairs of {study.n_systems} runs were tested at every step in 2 replicates ({test})." in words
    assert "two-sided paired t test over topics, α = 0.05, uncorrected" in words
    assert "Kendall’s τ (τ-b), τ AP (Yilmaz et al., 2008" in words
    assert words.endswith("(seed 1).")


def test_few_steps_stand_open_and_many_are_folded(made, page):
    """The numbers of a short study stand open in its section; of a long one they are behind a line."""
    short = study_judgments(made.to_collection(), ["AP"], reductions=["order"], n_replicates=1, n_tested=0, rng=1)

    def shown(report):
        return {block.name for part in report.sections if part.brief for block in part.blocks if block.kind == "table"}

    assert "stability order" in shown(short.report())
    assert "thresholds" in shown(page)
    assert not any(name.startswith("stability") for name in shown(page))
    assert page.main_table().name == "thresholds"


def test_plans_that_tie_win_nothing(study, words_of):
    """The summary counts a plan as closest only where no other is as close."""
    data = study.effort.data.copy(deep=True)
    data["tau"][:] = 0.5
    tied = only(study, "stratified", effort=replace(study.effort, data=data))
    assert "closest to that of the rebuilt pool: a tie under every metric." in words_of(judgments_report(tied))
    data["tau"].loc[{"plan": "topics", "metric": "AP"}] = 0.6
    words = words_of(judgments_report(replace(tied, effort=replace(study.effort, data=data))))
    assert "rebuilt pool: full pools for fewer topics under AP; a tie under AP'." in words


def test_levels_that_all_metrics_share_are_said_once(study, words_of):
    """A bound that every metric keeps at the smallest step, or none at the largest, is one sentence."""
    words = words_of(judgments_report(only(study, "stratified", min_tau=-0.99)))
    least = study.stability["stratified"].to_frame()["left"].min()
    ranking = "to keep the ranking under every metric (mean τ ≥ -0.99; in all 3 draws)."
    assert f"{least:.3g} % or less of the judged documents are enough {ranking}" in words
    data = study.stability["stratified"].data.copy(deep=True)
    data["tau"][:] = 0.5
    low = {"stratified": replace(study.stability["stratified"], data=data)}
    words = words_of(judgments_report(only(study, "stratified", stability=low)))
    most = study.stability["stratified"].to_frame()["left"].max()
    ranking = "to keep the ranking under every metric (τ ≥ 0.9)."
    assert f"More than {most:.3g} % of the judged documents are needed {ranking}" in words


def test_runs_that_all_tie_have_a_page(words_of):
    """Where no ranking is defined, the page says so instead of showing numbers that are none."""
    same = {"1": ["d1", "d2", "d3"], "2": ["d5", "d6"]}
    qrels = {"1": {"d1": 1, "d2": 0, "d3": 1}, "2": {"d5": 1, "d6": 0}}
    collection = collection_from_rankings(dict.fromkeys("abc", same), qrels, retrieved="all")
    collection = collection.with_groups({"a": "x", "b": "y", "c": "y"})
    words = words_of(judgments_report(study_judgments(collection, ["AP"], n_replicates=2, rng=0)), drawn=True)
    assert "All runs tie" in words
    assert not re.search(r"\bnan\b", words)


def test_every_picture_says_what_it_means(study, page, words_of):
    """Each reduction has a picture with words for those who cannot see it; notes and warnings are there."""
    names = {picture.name for picture in page.pictures()}
    assert names == {f"stability {name}" for name in study.stability} | {
        *("pool growth", "pool growth topics", "coverage", "effort")
    }
    assert all(picture.alt and picture.caption for picture in page.pictures())
    assert "A warning given on the way." in words_of(page, drawn=True)


def test_pools_are_described_by_what_they_hold(study, page, words_of):
    """The depth quoted has the shares of its own row, and a median depth is of the topics that have one."""
    (picture,) = [picture for picture in page.pictures() if picture.name == "pool growth"]
    means, depths = study.growth.means(), study.growth.critical_depths()
    depth = int(re.search(r"Depth (\d+), with", picture.caption)[1])
    shares = [100 * means[name][depth] / means[name].iloc[-1] for name in ("judged", "relevant")]
    assert "with {:.1f} % of the judging, finds {:.1f} % of the relevant".format(*shares) in picture.caption
    assert f"{depths.notna().sum()} of {len(depths)} topics reach a depth" in picture.caption
    rebuilt = next(one.n_judged for one in study.stability.values() if one.closeness is not None)
    assert (f"not all {study.n_judged:,}." in words_of(page)) == (rebuilt != study.n_judged)


def test_captions_name_the_rankings_and_verdicts_they_compare_with(study, page):
    """Shallower pools are held against the rebuilt pool, as their section says first, all else against the whole."""
    first = next(iter(study.stability))
    for table in (f"stability {first}", f"consistency {first}", f"best {first}"):
        assert "all judgments" in table_of(page, table).caption
    assert "Compared with the rebuilt pool" in next(
        section.lead for section in page.sections if section.id == "shallower-pools"
    )
    for name, one in study.stability.items():
        titles = [table.title for table in page.tables() if table.name.startswith(f"inconsistent {name} ")]
        assert all(title.startswith("Not confirmed: ") for title in titles)
        assert titles or not one.tested


def test_no_p_value_reads_as_zero():
    """Sixteen runs in nearly one order have p far below .0001, which four decimals would write as 0.0000."""
    made = simulate_collection(n_groups=4, runs_per_group=4, n_topics=20, n_documents=200, depth=50, rng=3)
    page = study_judgments(
        made.to_collection(), ["AP"], reductions=["stratified"], steps=[90], n_replicates=1, rng=0
    ).report()
    tables = [table for table in page.tables() if table.title.startswith("τ with the ranking under ")]
    cells = [
        (cell.text, p)
        for table in tables
        for cell, p in zip(_column(table, "p"), table.data["tau_p_value"], strict=True)
    ]
    assert {text for text, p in cells if p < 0.00005} == {"<0.0001"}
    assert "0.0000" not in {text for text, _ in cells}


def _column(table, label):
    """Return the cells under a head."""
    place = [column.label for column in table.columns].index(label)
    return [row[place] for row in table.cells()]


def test_the_power_with_all_judgments_stands_once(study, page):
    """It is the same for every reduction compared with them; and the errors of tables of one title are one."""
    by_reference = {}
    for stability in study.stability.values():
        by_reference.setdefault(stability.closeness is None, []).append(stability)
    for alike in by_reference.values():
        assert all((one.data["found_full"] == alike[0].data["found_full"]).all() for one in alike)
    full = [table.name for table in page.tables() if table.name.endswith(" full")]
    assert full == [f"power {alike[0].reduction.name} full" for alike in by_reference.values() if alike[0].tested]
    (methods,) = [section for section in page.all_sections() if section.id == "methods"]
    (fold,) = [block for block in methods.blocks if getattr(block, "title", "").startswith("Largest")]
    terms = [item.term for item in fold.blocks[0].items]
    assert len(terms) == len(set(terms)) > 1


def test_one_replicate_has_no_error_and_no_mean(page):
    """What nothing is drawn for has neither standard errors nor means over replicates in its captions."""
    for name in ("stability order", "consistency order"):
        assert "replicate" not in table_of(page, name).caption


def test_one_random_draw_is_not_nothing_drawn(made, words_of):
    """A single draw of a random reduction is said to be one, in summary, pictures and tables; no other is."""
    collection = made.to_collection(retrieved="all")
    options = {"questions": ["less-judging"], "n_replicates": 1, "n_tested": 1, "rng": 0}
    page = judgments_report(study_judgments(collection, ["AP", "P@10"], reductions=["stratified"], **options))
    words = "ne random draw: another would give other values"
    assert "one random draw" in page.summary[0]
    (picture,) = page.pictures()
    assert words in picture.caption
    for table in ("stability stratified", "consistency stratified", "ranking stratified 10", "power stratified 10"):
        assert words in table_of(page, table).caption
    assert words not in table_of(page, "power stratified full").caption
    still = judgments_report(study_judgments(collection, ["AP", "P@10"], reductions=["order"], **options))
    assert words not in words_of(still)
    effort = judgments_report(study_judgments(collection, ["AP"], **options | {"questions": ["effort"]}))
    assert words in table_of(effort, "effort").caption
    (plans,) = [picture for picture in effort.pictures() if picture.name == "effort"]
    assert words in plans.caption
    assert "standard error" not in plans.caption


def test_tables_by_metric_are_the_studys(made, words_of):
    """Tables 3 to 7 of Sakai and Kando: most discriminative, and most stable, metric first; counts of the study."""
    groups = {"choose": "one-per-group", "ranked": 5, "test": "bootstrap_sensitivity", "n_resamples": 100}
    metrics = ["AP", "AP'", "RBP(p=0.5)"]
    asked = {"questions": ["less-judging"], "reductions": ["stratified"], "n_replicates": 3, "n_tested": 1, "rng": 2}
    collection = made.to_collection()
    study = study_judgments(collection, metrics, **asked, **groups)
    page = judgments_report(study)
    frame = study.to_frame()
    for name, part, power in (
        ("full", frame[frame["step"] == 10], "power_full"),
        ("10", frame[frame["step"] == 10], "power"),
        ("50", frame[frame["step"] == 50], "power"),
    ):
        cells = [[cell.text for cell in row] for row in table_of(page, f"power stratified {name}").cells()]
        wanted = part.sort_values(power, ascending=False, kind="stable")
        assert [row[0] for row in cells] == wanted["metric"].map(name_of_metric).tolist()
        errors = study.stability["stratified"].errors().set_index(["metric", "step"])[f"{power}_error"]
        of_resamples = [errors[row["metric"], row["step"]] for _, row in wanted.iterrows()]
        shown = [
            f"{round(3 * value)}/3 = {carried(value, error)}" if error > 0 else share_of(round(3 * value), 3)
            for value, error in zip(wanted[power], of_resamples, strict=True)
        ]
        assert [row[1] for row in cells] == shown
        assert max(of_resamples) > 0
        assert [row[-1] for row in cells] == [
            f"{value:.2f}" for value in wanted[power.replace("power", "difference_required")]
        ]
    taus = [row[1].sort for row in table_of(page, "ranking stratified 10").cells()]
    assert taus == sorted(taus, reverse=True)
    wrong = {row[0].text: row for row in table_of(page, "inconsistent stratified 10").cells()}
    for row in frame[frame["step"] == 10].to_dict("records"):
        cells = [cell.text for cell in wrong[name_of_metric(row["metric"])]]
        assert [cell.partition(" ± ")[0] for cell in cells[1:3]] == [
            f"{row['found']:.0f}",
            f"{row['contradicted']:.0f}",
        ]
    between = table_of(page, "between metrics")
    for row in study.tables()["between_metrics"].to_dict("records"):
        text = between.frame.set_index("metric").loc[row["metric_a"], row["metric_b"]]
        assert text == f"{row['tau']:.3f}".replace("-", "−") + "*" * (row["tau"] >= 0.9)
    assert "Pairs of 3 runs" in table_of(page, "power stratified 10").caption
    assert "5 of 9 runs" in words_of(page)


def test_axes_are_labelled_with_units(study):
    """Every panel of every picture says what is along it; scales of correlations end at 1."""
    for one in study.stability.values():
        figure = stability_panels(one.to_frame(), measures=["tau", "score"], min_tau=0.9)
        for axes in figure.axes:
            assert re.search(r"%|documents", axes.get_xlabel())
        assert figure.axes[0].get_ylim()[1] == pytest.approx(1.01)
    assert measure_label("tau_ap_best") == "τ AP among the best"


def test_a_study_of_one_question_has_a_page(made, words_of):
    """What was not asked has no section; what could not be answered has one."""
    bare = made.to_collection()
    page = judgments_report(study_judgments(bare, ["AP"], n_replicates=1, n_tested=0, rng=0))
    assert [section.id for section in page.all_sections()] == [
        "thresholds", "less-judging", "fewer-topics", "unanswered", "methods", "notes", "provenance",
    ]  # fmt: skip
    assert "retrieved='all'" in words_of(page)
    one = judgments_report(study_judgments(bare, ["AP"], questions=["fewer-topics"], n_replicates=1, rng=0))
    assert "consistency topics" in {table.name for table in one.tables()}


def test_names_that_could_do_harm_stay_text(made):
    """A group with markup in its name is shown as it is."""
    collection = made.to_collection(retrieved="all")
    groups = {name: f"<b>{name[:5]}" for name in collection.systems}
    study = study_judgments(collection.with_groups(groups), ["AP"], questions=["new-systems"], rng=0)
    text = render_page(judgments_report(study))
    assert "<b>team1" not in text
    assert "&lt;b&gt;team1" in text


def test_a_report_folder_holds_every_table_and_figure(made, tmp_path):
    """Every table is there as CSV and LaTeX, every figure as SVG and PDF, every frame as data."""
    study = study_judgments(made.to_collection(retrieved="all"), ["AP"], reductions=["order"], n_replicates=1, rng=1)
    page = study.report()
    folder = page.save(tmp_path / "r", pdf=True).parent
    assert {path.stem for path in (folder / "data").iterdir()} == set(study.tables())
    for kinds, shown in ((("csv", "tex"), page.tables()), (("svg", "pdf"), page.pictures())):
        for kind in kinds:
            names = {path.stem for path in folder.glob(f"*/*.{kind}") if path.parent.name != "data"}
            assert names == {one.name.replace(" ", "_") for one in shown}
