"""The notes of every page are made from what happened: what was left out is named, no more is claimed."""

import json
import re
from dataclasses import asdict, replace

import numpy as np
import pytest
from passages import page_files

from metaeval.agreement.items import item_scores, system_means
from metaeval.agreement.labels import as_labels
from metaeval.collection.assembly import collection_from_rankings
from metaeval.metrics.scoring import score
from metaeval.questions.agree.study import study_agree
from metaeval.questions.compare_metrics.study import study_compare_metrics
from metaeval.questions.human.study import study_human
from metaeval.questions.judges.study import study_judges
from metaeval.questions.judgments.study import study_judgments
from metaeval.questions.power.study import study_power
from metaeval.questions.topics.study import study_topics
from metaeval.simulate.scores import simulate_scores
from metaeval.table.scores import as_scores

pytestmark = pytest.mark.usefixtures("one_core")

WHOLE = simulate_scores(n_systems=5, n_topics=20, metrics=["AP", "nDCG@10", "P@10"], rng=1)


def _scores(missing):
    if not missing:
        return as_scores(WHOLE.drop_attrs())
    gaps = WHOLE.drop_attrs().copy()
    gaps[:, 0, 3] = np.nan
    return as_scores(gaps, missing="drop-topics")


def _collection(missing):
    rng = np.random.default_rng(0)
    names = [f"d{one}" for one in range(20)]
    qrels = {str(topic): {name: int(rng.random() < 0.4) for name in names} for topic in range(8)}
    if missing:
        qrels["3"] = dict.fromkeys(names, 0)
    runs = {f"r{run}": {topic: rng.permutation(names).tolist() for topic in qrels} for run in range(4)}
    return collection_from_rankings(runs, qrels)


def _labels(missing):
    given = {name: {"1": {"d1": 1, "d2": 0}, "2": {"d1": 1}} for name in ("ann", "ben")}
    if missing:
        given["ann"]["1"]["d2"] = 9
    return as_labels(given, scale=[0, 1], outside="drop")


def _frame(missing, *, items):
    frame = WHOLE.to_series().unstack("metric").reset_index()
    if not items:
        frame = frame[frame["topic"] == "1"].drop(columns="topic")
    return frame.assign(remark="words") if missing else frame


STUDIES = {
    "power": lambda missing: study_power(_scores(missing), tests=["t"], rng=0),
    "agree": lambda missing: study_agree(_scores(missing), tests=["t"], rng=0),
    "compare": lambda missing: study_compare_metrics(_scores(missing), topics=False, rng=0),
    "topics": lambda missing: study_topics(_scores(missing), sizes=[5, 8], n_trials=3, modelled=[], rng=0),
    "judges": lambda missing: study_judges(_labels(missing), rng=0),
    "human, items": lambda missing: study_human(
        item_scores(_frame(missing, items=True), reference="AP", item="topic"), n_resamples=50, test="t", rng=0
    ),
    "human, systems": lambda missing: study_human(
        system_means(_frame(missing, items=False), reference="AP"), reference="AP", rng=0
    ),
    "judgments": lambda missing: study_judgments(
        _collection(missing), ["AP"], questions=["less-judging"], steps=[50], n_replicates=2, rng=0
    ),
}


def _notes(report):
    """Return the blocks of the section of notes; none where a page has no such section."""
    return next((one.blocks for one in report.all_sections() if one.id == "notes"), ())


def _words(blocks):
    return " ".join(json.dumps(asdict(block), default=str) for block in blocks)


@pytest.mark.filterwarnings("ignore::metaeval.errors.MetaevalWarning")
@pytest.mark.parametrize("name", STUDIES)
def test_what_was_left_out_is_in_the_notes_of_the_page(name):
    """The same study on whole data and on data with a gap: the second page names it, and what became of it."""
    whole = _notes(STUDIES[name](missing=False).report())
    gap = _notes(STUDIES[name](missing=True).report())
    assert re.search("left out|dropped|removed|counts 0", _words(gap))
    assert _words(gap) != _words(whole)


def test_a_page_without_notes_has_no_section_of_them():
    """It would claim that nothing was left out; notes and warnings are blocks of their own."""
    report = replace(STUDIES["power"](missing=False).report(), notes=())
    assert "notes" not in {section.id for section in report.all_sections()}
    assert len(_notes(replace(report, notes=("one",), warnings=("two",)))) == 2


def test_no_page_claims_that_nothing_happened():
    """Sentences about everything or nothing belong to code that has counted; this finds the ones that cannot."""
    claims = re.compile(
        r"[\"“ ](Nothing|None|No \w+) (was|were) [\w, ]*(left out|dropped|filled|assumed)", re.IGNORECASE
    )
    for name, path in page_files().items():
        code = re.sub(r'"""(.|\n)*?"""', "", path.read_text())
        assert claims.search(code) is None, name


def test_topics_without_anything_relevant_are_noted_by_a_study_of_judgments():
    """They cannot rank runs; the study says how many there are and what they count, as scoring does."""
    collection = _collection(missing=True)
    study = study_judgments(collection, ["AP"], questions=["less-judging"], steps=[50], n_replicates=2, rng=0)
    said = [note for note in score(collection, ["AP"]).attrs["notes"] if "no relevant document" in note]
    assert len(said) == 1
    assert said[0] in study.notes
