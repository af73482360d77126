# ruff: noqa: RUF001 - Greek letters and the true minus sign are what is tested
"""The page on judges: the verdict in words for every rule, what stands on the page, and what it says it did."""

import re
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest

from metaeval.questions.judges.page import judges_report
from metaeval.questions.judges.study import ABOUT_SYSTEMS

pytestmark = pytest.mark.usefixtures("one_core")

WORDS = ("may", "may not", "not settled")


def with_verdict(study, **changes):
    """Return the study with its first verdict changed."""
    frame = study.verdicts.copy()
    for name, value in changes.items():
        frame[name] = frame[name].astype(object)
        frame.loc[0, name] = value
    return replace(study, verdicts=frame)


def first_sentence(study):
    return judges_report(study).summary[0]


def section_of(page, name):
    (found,) = (one for one in page.sections if one.id == name)
    return found


def figures_of(study):
    """Return the key figures of the page as people read them."""
    return {row[0].text: row[1].text for row in judges_report(study).key_figures.cells()}


@pytest.mark.parametrize(
    ("ranking", "words"),
    [
        ("may", "Yes: model (highest F1 of 2) may replace people for ranking systems (nDCG@10: F1 0."),
        ("may not", "No: model (highest F1 of 2) may not replace people for ranking systems (nDCG@10: F1 0."),
        ("not settled", "Not settled: model (highest F1 of 2) neither passes nor fails (nDCG@10: F1 0."),
        (
            "no second person",
            "Not settled: model (highest F1 of 2) cannot be compared with people without a second annotator (nDCG",
        ),
        (
            "no pairs",
            "Not settled: model, one of 2 judges, cannot be compared with people: under nist no pair differs signific",
        ),
    ],
)
def test_every_verdict_has_its_sentence(judged_study, ranking, words):
    """The first sentence of the page says the verdict of the rule."""
    sentence = first_sentence(with_verdict(judged_study(), ranking=ranking))
    assert sentence.startswith(words)
    assert ranking not in WORDS or len(sentence.split()) <= 25


def test_the_first_sentence_and_the_key_figures_are_those_of_the_verdict(judged_study):
    """F1 with its interval, the second person's, opposite pairs and the alt-test, as the study has them."""
    study = judged_study()
    row = study.verdicts.iloc[0]
    f1 = f"{row['f1']:.2f} [{row['f1_low']:.2f}, {row['f1_high']:.2f}"
    sentence = first_sentence(with_verdict(study, ranking="may"))
    assert sentence.endswith(f"(nDCG@10: F1 {f1}]).")
    figures = figures_of(with_verdict(study, labels="may not", winning_rate=0.25, n_conflicts=3))
    assert figures["F1 of significant pairs, model (nDCG@10)"] == f"{f1}]"
    assert figures["F1 of significant pairs, a second person (nDCG@10)"] == f"{row['people_f1']:.2f}"
    assert figures["Pairs significant in opposite directions, model"] == "3"
    assert figures["Labelling in place of a person, model (alt-test)"] == "may not (ω = 0.25)"


def words_of_verdicts(study):
    """Return the summary and the section of the verdicts as one text."""
    page = judges_report(study)
    told = [block for block in section_of(page, "verdicts").blocks if block.kind == "text"]
    return " ".join([*page.summary, *(words for block in told for words in block.paragraphs)])


@pytest.mark.parametrize(
    ("cleared", "found_out", "words"),
    [
        (
            0.04,
            0.12,
            r"would pass in about 4 % of such samples of topics and people, and one whose F1 falls short",
        ),
        (0.001, 0.999, "would pass in less than 1 % of such"),
        (0.5, 0.999, r"would fail in more than 99 %\."),
    ],
)
def test_every_verdict_stands_with_its_power(judged_study, cleared, found_out, words):
    """How often the sample would settle the question, where there is an interval to settle it by."""
    study = judged_study()
    for ranking in WORDS:
        given = with_verdict(study, ranking=ranking, cleared_if_equal=cleared, found_out=found_out)
        assert re.search(words, words_of_verdicts(given))
    silent = with_verdict(study, cleared_if_equal=np.nan)
    assert "A judge as good as a person" not in words_of_verdicts(silent)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"ranking": "may"}, "This holds for any second person: no F1 exceeds 1, and model's falls short"),
        (
            {"ranking": "no second person", "cleared_up_to": 0.83, "short_from": 0.97},
            "; it may replace anybody whose own F1 is below 0.83, and nobody whose F1 is above 0.97.",
        ),
        ({"cleared_up_to": 0.93, "short_from": np.nan}, "; it may replace anybody whose own F1 is below 0.93."),
        ({"cleared_up_to": np.nan, "short_from": np.nan}, "; these may be too many for it to replace anybody."),
    ],
)
def test_without_a_second_person_it_says_what_holds(judged_study, changes, words):
    """Beside whom the judge would do, by its intervals; with a second person there is no such sentence."""
    alone = with_verdict(judged_study(people=False), **({"ranking": "no second person"} | changes))
    assert words in words_of_verdicts(alone)
    assert "Without a second person" not in words_of_verdicts(judged_study())


def test_of_one_judge_the_pairs_that_only_it_finds_stand_beside_those_it_finds(judged_study):
    """Significant under the judge, less those in either direction under the reference: counted from its table."""
    study = with_verdict(judged_study(people=False), ranking="no second person")
    study = replace(study, verdicts=study.verdicts.iloc[:1])
    judge = study.verdicts["judge"].item()
    table = study.conclusions["nDCG@10"].table.set_index("judge").loc[judge]
    alone = table["n_significant"] - table["n_shared"] - table["n_conflicts"]
    said = f"; of the {table['n_significant']:.0f} that it finds itself {alone:.0f} are not significant there, and it"
    assert said in judges_report(study).summary[0]


def test_another_metric_that_contradicts_is_named_beside_the_verdict(judged_study):
    """The page says right after the verdict which metric sees more opposite pairs, and how many."""
    study = judged_study()
    found = study.conclusions["AP"]
    table = found.table.assign(n_conflicts=np.where(found.table["judge"] == "model", 28.0, 0.0))
    given = replace(study, conclusions=MappingProxyType({**study.conclusions, "AP": replace(found, table=table)}))
    said = judges_report(given).summary[2]
    assert said.startswith("Under AP model ")
    assert said.endswith(", with 28 pairs significant in opposite directions (0 under nDCG@10).")


@pytest.mark.parametrize(
    ("figure", "low", "high", "words"),
    [
        (0.04, 0.02, 0.06, "towards a by 0.040 [0.020, 0.060]"),
        (-0.04, -0.06, -0.02, "against a by 0.040 [0.020, 0.060]"),
    ],
)
def test_whom_a_judge_favours_stands_with_what_people_do_not_share(judged_study, figure, low, high, words):
    """A loss is said as one, without a minus sign, and what is beyond people beside it where there are some."""
    nothing = dict.fromkeys(("beyond_people", "beyond_low", "beyond_high"), np.nan)
    given = {"favours": "a", "favour": figure, "favour_low": low, "favour_high": high}
    alone = figures_of(with_verdict(judged_study(), **given, **nothing))
    assert alone["Group bias"] == words
    bent = figures_of(with_verdict(judged_study(), **given, **nothing, bent=True))
    assert bent["Group bias"] == f"{words} (perhaps only because its scale is not linear)"
    beyond = {"beyond_people": 0.01, "beyond_low": -0.02, "beyond_high": 0.04}
    told = figures_of(with_verdict(judged_study(), **given, **beyond))
    assert told["Group bias"] == f"{words}, 0.010 [−0.020, 0.040] more than second people"
    assert "Group bias" not in figures_of(judged_study())


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        ({}, "verdicts conclusions favour worth panel ranking agreement alt-test by-topic labels unanswered"),
        ({"people": False}, "verdicts conclusions favour worth panel ranking agreement by-topic labels unanswered"),
        ({"groups": False}, "verdicts conclusions worth panel ranking agreement alt-test by-topic labels unanswered"),
        ({"runs": False}, "ranking agreement alt-test by-topic labels panel unanswered"),
        ({"runs": False, "people": False}, "ranking agreement by-topic labels panel unanswered"),
        (
            {"judges": ("model",)},
            "verdicts conclusions favour worth ranking agreement alt-test by-topic labels unanswered",
        ),
        ({"reference": None, "people": False}, "effect agreement by-topic labels"),
        (
            {"own_scale": True},
            "verdicts conclusions favour worth panel ranking agreement alt-test by-topic labels scales unanswered",
        ),
    ],
)
def test_sections_are_those_that_the_input_answers(judged_study, options, ids):
    """What the input lacks has no section, and stands among the questions that are not answered."""
    assert [one.id for one in judges_report(judged_study(**options)).sections] == ids.split()


def test_what_is_missing_is_said_with_what_it_takes(judged_study):
    """People for the alt-test, runs for conclusions, groups for favour: each by its option."""
    page = judges_report(judged_study(runs=False, people=False))
    items = {item.term: item.words for item in section_of(page, "unanswered").blocks[1].items}
    assert "(`people`)" in items["May a judge replace a person as a labeller? (alt-test)"]
    assert "(`collection`)" in items["Conclusions about systems"]
    page = judges_report(judged_study(groups=False))
    (item,) = section_of(page, "unanswered").blocks[1].items
    assert item.term == "Group bias"
    assert item.words.startswith("takes groups of systems (`groups`), or a number for every one of them")


@pytest.mark.parametrize("given", [True, False])
def test_whether_runs_were_given_is_a_flag_and_no_wording(judged_study, given):
    """Without runs they are asked for, whatever the reason is called; with them there is no verdict, and the reason."""
    study = replace(judged_study(runs=False), has_runs=given, unanswered={ABOUT_SYSTEMS: "in other words"})
    page = judges_report(study)
    if given:
        assert page.title == "May this judge decide between my systems?"
        assert page.summary == (
            "No verdict: these judges cannot be compared on systems.",
            "The reason: in other words.",
        )
    else:
        assert page.summary[0].startswith("Some may: ")
        assert page.summary[1].startswith("model agrees most with nist")
        assert page.summary[-1].startswith("Pass --runs")
    assert not judged_study(runs=False).has_runs
    assert judged_study().has_runs


@pytest.mark.parametrize(
    ("options", "title"),
    [
        ({}, "May this judge decide between my systems?"),
        ({"runs": False}, "May a judge replace a person as a labeller?"),
        ({"runs": False, "people": False}, "Who agrees with nist?"),
        ({"reference": None, "people": False}, "Do the judges agree?"),
    ],
)
def test_the_title_is_the_question_that_is_answered(judged_study, options, title):
    """Without runs nothing is promised about systems."""
    assert judges_report(judged_study(**options)).title == title


def test_the_table_of_verdicts_is_the_studys(judged_study):
    """A row a judge, with the columns that are answered, and the rule with the margin."""
    study = judged_study()
    _, table, *_ = section_of(judges_report(study), "verdicts").blocks
    assert table.frame.equals(study.verdicts)
    names = "judge ranking f1 people_f1 n_conflicts people_conflicts cleared_if_equal"
    names += " otherwise" * bool((study.verdicts["otherwise"] != "").any()) + " labels winning_rate favours favour"
    assert [column.name for column in table.columns] == names.split()
    assert "by less than 0.05, and its contradictions of nist (opposite pairs) lower F1" in table.caption


def test_methods_cite_what_was_done(judged_study):
    """Every part that ran is described with its source, and none that did not."""
    cite = set(judges_report(judged_study()).methods.cite)
    assert {"calderon2025", "angelopoulos2023", "ogilvie2006", "voorhees2000", "hsu1984", "krippendorff2011"} <= cite
    cite = set(judges_report(judged_study(runs=False, people=False)).methods.cite)
    assert not {"calderon2025", "angelopoulos2023", "ogilvie2006"} & cite
    assert "hsu1984" not in judges_report(judged_study(judges=("model",))).methods.cite


def test_facts_count_what_came_in(judged_study):
    """Judges, items, topics, labels and systems."""
    facts = {what: number for number, what in judges_report(judged_study()).facts}
    assert facts == {"judges": "5", "items": "600", "topics": "20", "labels": "3,000", "systems": "6"}
