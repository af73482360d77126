"""The sections on favoured groups, on what a judge is worth and on its repeats: the studies' own numbers."""

from dataclasses import replace

import numpy as np
import pytest

from metaeval.agreement.labels import as_labels
from metaeval.collection.assembly import collection_from_rankings
from metaeval.questions.judges.page_systems import favour_section, repeats_section, worth_section
from metaeval.questions.judges.study import study_judges


def test_favoured_groups_are_shown_for_every_metric(judged_study):
    """A row a group and judge with intervals over topics and systems; all figures are in the data."""
    study = judged_study()
    (section,) = favour_section(study)
    (choice,) = section.blocks
    first = choice.parts[0][0]
    found = study.group_bias["nDCG@10"]
    own = found.table[found.table["kind"] == "judge"]
    assert first.frame["judge"].tolist() == own["judge"].tolist()
    for shown, source in (("figure_low", "low_both"), ("adjusted_high", "adjusted_high_both")):
        np.testing.assert_array_equal(first.frame[shown], own[source])
    assert first.data is found.table
    assert choice.names == ("nDCG@10", "AP")
    assert "Beyond people" in [column.label for column in first.columns]
    alone = favour_section(judged_study(people=False))[0].blocks[0].parts[0][0]
    assert "Beyond people" not in [column.label for column in alone.columns]


def test_notes_and_circles_stand_below(judged_study):
    """A judge that is part of a group's systems is named."""
    study = judged_study()
    found = study.group_bias["nDCG@10"]
    table = found.table.assign(circular=(found.table["judge"] == "model") & (found.table["group"] == "a"))
    circular = replace(study, group_bias={"nDCG@10": replace(found, table=table, notes=("a note",))})
    words = favour_section(circular)[0].blocks[-1].paragraphs
    assert words == ("A note.", "Circular: model judges a, to which it belongs.")


def test_without_groups_or_runs_there_is_no_section(judged_study):
    """What was not asked has no section."""
    assert favour_section(judged_study(groups=False)) == ()
    assert worth_section(judged_study(runs=False)) == ()
    assert repeats_section(judged_study()) == ()


def test_what_a_judge_is_worth_is_the_plans_median(judged_study):
    """A row a metric and judge: the plan's own numbers with their intervals."""
    study = judged_study()
    (section,) = worth_section(study)
    (table,) = section.blocks
    assert table.title.startswith("30 human topics")
    for row in table.data.to_dict("records"):
        plan = study.worth[row["metric"], row["judge"]]
        for name in ("worth", "n_equivalent", "n_needed"):
            assert row[name] == plan.summary.loc["median", name]
            assert row[f"{name}_low"] == plan.summary.loc["median", f"{name}_low"]
    assert len(table.data) == len(study.worth) == 4


@pytest.fixture(scope="module")
def passes():
    """Study a reference and three passes of one judge, who also labelled topics that the reference did not."""
    rng = np.random.default_rng(2)
    items, labels = [f"d{number}" for number in range(30)], {}
    runs = {f"r{place}": {} for place in range(5)}
    for topic in map(str, range(16)):
        levels = rng.choice(3, 30, p=[0.6, 0.25, 0.15])
        for name in ("nist", "model#1", "model#2", "model#3"):
            own = np.where(rng.random(30) < (name != "nist") * 0.3, rng.permutation(levels), levels)
            labels.setdefault(name, {})[topic] = dict(zip(items, own.tolist(), strict=True))
        for place, run in enumerate(runs.values()):
            run[topic] = [items[one] for one in np.argsort(-(levels * 0.5 * place + rng.normal(0, 1.5, 30)))]
    given = as_labels(labels)
    highest = given.table.max(axis=1).astype(int)
    qrels = {topic: highest.xs(topic).to_dict() for topic in given.topics}
    collection = collection_from_rankings(runs, qrels)
    study = study_judges(given, collection=collection, reference="nist", metrics=["nDCG@10"], n_resamples=50, rng=0)
    few = study.scores["nDCG@10"].sel(metric=["nist"], topic=[str(one) for one in range(10)])
    sides = {"nist": few} | {"model": study.scores["nDCG@10"].sel(metric=["model#1"])}
    scores = {"nDCG@10": {name: side.assign_coords(metric=["nDCG@10"]) for name, side in sides.items()}}
    return study, study_judges(scores=scores, reference="nist", n_resamples=50, rng=0)


def test_passes_of_one_judge_are_told_from_topics(passes):
    """The share of a pass, and how many bring it down, are those of the study of repeats."""
    study, _ = passes
    (section,) = repeats_section(study)
    (table,) = section.blocks
    found = study.repeats["nDCG@10"]
    assert table.frame["repeat_share"].tolist() == found.differences["repeat_share"].tolist()
    assert table.frame["needed"].tolist() == found.repeats_needed().reindex(table.frame["judge"]).tolist()


def test_people_and_judge_together_tell_pairs_apart(passes):
    """Where the judge scored topics that people did not, both together are shown beside people alone."""
    _, study = passes
    (section,) = worth_section(study)
    row = section.blocks[1].frame.iloc[0]
    found = study.powered["nDCG@10", "model"]
    assert (row["n_topics"], row["n_judged"]) == (found.n_topics, found.n_judged) == (10, 6)
    assert row["together"] == found.data["significant"].mean()
    assert row["alone"] == found.data["human_significant"].mean()
