"""The report of an analysis of assessments: a sentence, a picture and a table for each answer, of any year."""

import numpy as np
import pandas as pd
import pytest

from metaeval.inex.assessments import Assessments
from metaeval.inex.simulation import simulate_inex
from metaeval.questions.assessment.page import answer_sentences, assessment_report, figures_in_words
from metaeval.questions.assessment.study import study_assessment
from metaeval.reports.assessed_parts import element_sentence


def made_study(year):
    made = simulate_inex(
        year=year, n_systems=4, n_topics=3, n_documents=100, n_results=60, pool_size=40, rng=2, published=False
    )
    documents = made.assessments.documents
    log = documents[["topic", "document"]].assign(seconds=60.0)
    return study_assessment(
        made.assessments,
        submissions=made.submissions,
        second=made.second_assessments,
        sizes=made.sizes,
        log=log,
        pools=documents,
    )


@pytest.fixture(scope="module")
def studies():
    """Study one campaign of every scale."""
    return {year: made_study(year) for year in (2002, 2004, 2005, 2006, 2007)}


@pytest.mark.parametrize("year", [2002, 2004, 2005, 2006, 2007])
def test_every_answer_has_its_section(studies, year, words_of):
    """What is answered is a sentence and a section; what is not stands in a list."""
    study = studies[year]
    page = assessment_report(study)
    answered = answer_sentences(study)
    unanswered = ["unanswered"] if study.lacking else []
    assert [section.id for section in page.sections] == ["figures", *answered, *unanswered]
    words = words_of(page, drawn=True)
    for sentence in answered.values():
        assert " ".join(sentence.split()) in words
    for lacking in study.lacking:
        assert lacking in words


def test_the_numbers_are_the_studys(studies, words_of):
    """Tables hold the study's frames; sentences its figures."""
    study = studies[2005]
    page = assessment_report(study)
    tables = {table.name: table for table in page.tables()}
    assert tables["passages"].frame.equals(study.passages)
    assert tables["element-agreement"].frame["topic"].iloc[-1] == "mean of topics"
    half = int(tables["pool-growth"].frame["documents"].iloc[-1]) // 2
    assert f"Half of the pool, {half} instead of" in words_of(page)
    assert half in tables["pool-growth"].frame["documents"].tolist()
    share = study.figure("elemental passages", "share")
    assert (
        f"{100 * share:.1f} % of {int(study.passages['documents'] @ study.passages['passages'])} passages"
        in words_of(page)
    )
    names = {picture.name for picture in page.pictures()}
    assert names == {"pool-growth", "passages", "passages-law", "specificity", "sizes", "times"}
    assert {picture.name for picture in assessment_report(studies[2007]).pictures()} >= {"entries"}


def test_agreement_on_elements_is_told_by_its_mean():
    """And not by the first topic; the mean is no topic."""
    frame = pd.DataFrame({"topic": ["1", "2", "mean"], "both": [0.1, 0.3, 0.2], "exact": [0.0, 0.5, 0.25]})
    sentence = element_sentence(frame)
    assert "both call 20.0 % relevant and give 25.0 % the same grades (means over 2 topics)" in sentence


@pytest.mark.parametrize("year", [2002, 2004, 2005, 2006, 2007])
def test_every_figure_is_in_the_first_table(studies, year):
    """Every figure that papers quote has a name and a number as people write it; the file has it in full."""
    study = studies[year]
    table = assessment_report(study).main_table()
    assert table.name == "figures"
    assert table.data.equals(study.to_frame())
    shown = figures_in_words(study)
    assert shown["value_sort"].tolist() == study.to_frame()["value"].tolist()
    for text, value in shown[["value", "value_sort"]].itertuples(index=False):
        plain = text.replace(",", "")
        written = float(plain.removesuffix(" %")) / (100 if text.endswith("%") else 1)
        assert written == pytest.approx(value, abs=0.501 if plain.isdecimal() else 0.051)
    assert not shown["figure"].str.contains("per topic| at |_").any()


@pytest.mark.parametrize("year", [2004, 2005])
def test_sizes_are_told_by_exhaustivity(studies, year):
    """Every median stands with what it is the median of, and none with a question mark."""
    sizes = studies[year].sizes.set_index("exhaustivity")
    words = answer_sentences(studies[year])["sizes"]
    assert words.startswith("The median size of an element in characters is ")
    for label, median in sizes["median"].items():
        kind = "the elements too small to judge" if label == "?" else f"those of exhaustivity {label}"
        assert f"{median:.0f} among {kind}" in words
    assert "?" not in words
    assert ("too small" in words) == (year == 2005)


def test_entry_points_that_are_points(studies, words_of):
    """Of 2006 it is known whether entry points begin a passage, and nothing is drawn of distances."""
    page = assessment_report(studies[2006])
    assert "so only coincidences are known, not distances" in words_of(page, drawn=True)
    assert np.isnan(studies[2006].entries["first"]).all()


def test_the_barest_assessments(tmp_path):
    """A page can be made of nothing but documents."""
    made = simulate_inex(
        year=2007, n_systems=2, n_topics=2, n_documents=30, n_results=20, pool_size=10, rng=1, published=False
    )
    study = study_assessment(Assessments(scale="passages", documents=made.assessments.documents))
    index = study.report().save(tmp_path / "out")
    assert "Unanswered questions" in index.read_text()
    assert made_study(2005).report().save(tmp_path / "full").exists()
    assert list((tmp_path / "full").rglob("growth.csv"))


@pytest.mark.parametrize(
    ("year", "said", "unsaid"),
    [
        (2004, ("divided by 3", "exhaustivity and specificity in degrees"), ("too small", "best entry point is")),
        (2005, ("A passage is elemental", "Too small: with highlighted text"), ("divided by 3", "best entry point is")),
        (2007, ("best entry point is",), ("elemental if", "divided by 3", "An element is", "Exhaustivity")),
    ],
)
def test_words_are_those_of_the_scale(studies, year, said, unsaid):
    """Methods and definitions are of what is answered, no more."""
    page = assessment_report(studies[year])
    words = " ".join((*page.methods.paragraphs, page.sections[0].lead, *(table.caption for table in page.tables())))
    assert all(one in words for one in said)
    assert not any(one in words for one in unsaid)
