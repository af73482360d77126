"""The section on conclusions: the study's own numbers beside people, every choice of persons, pairs turned round."""

from dataclasses import replace

import pandas as pd

from metaeval.questions.judges.page_systems import conclusion_sections, effect_figures
from metaeval.questions.judges.study import study_judges
from metaeval.simulate.scores import simulate_scores


def tables_of(blocks):
    """Return all tables by name, folded ones too."""
    found = {}
    for block in blocks:
        if block.kind == "table":
            found[block.name] = block
        elif block.kind == "fold":
            found |= tables_of(block.blocks)
        elif block.kind == "choice":
            found |= tables_of([one for part in block.parts for one in part])
    return found


def test_rankings_and_pairs_are_those_of_the_study(judged_study):
    """Of every metric a table of judges, people first, with the power of the reference in its caption."""
    study = judged_study()
    (section,) = conclusion_sections(study)
    tables = tables_of(section.blocks)
    for metric, slug in (("nDCG@10", "ndcg@10"), ("AP", "ap")):
        found = study.conclusions[metric]
        table = tables[f"judge-conclusions-{slug}"]
        assert table.frame["judge"].iloc[0] == "a second person"
        own = found.table.set_index("judge")
        for row in table.frame.to_dict("records"):
            name = "people" if row["judge"] == "a second person" else row["judge"]
            assert row["tau"] == own.loc[name, "tau"]
            assert row["f1"] == own.loc[name, "f1"]
        power = found.of_reference["reference_power"]
        assert f"Under nist {100 * power[0]:.1f} % [" in table.caption
        assert table.caption.startswith(f"{found.n_pairs} pairs of systems, tested by ")
    (choice,) = section.blocks
    assert choice.names == ("nDCG@10", "AP")


def test_people_are_a_yardstick_where_there_are_some(judged_study):
    """Each judge minus a second person, and the choices of persons; without people neither."""
    study = judged_study()
    tables = tables_of(conclusion_sections(study)[0].blocks)
    beside = tables["judge-beside-people-ndcg@10"].data
    assert beside.equals(study.conclusions["nDCG@10"].beside_people)
    assert len(tables["judge-choices-ndcg@10"].frame) == len(study.conclusions["nDCG@10"].choices) == 2
    alone = tables_of(conclusion_sections(judged_study(people=False))[0].blocks)
    assert not [name for name in alone if "people" in name or "choices" in name]
    assert not [name for name in alone if "conflicts" in name]


def test_pairs_turned_round_are_named(judged_study):
    """With their number in the title of the fold, and all of them in the data."""
    study = judged_study()
    pairs = pd.DataFrame(
        [("model", f"r{one}", f"r{one + 1}") for one in range(40)], columns=["judge", "better", "worse"]
    )
    first = replace(study.conclusions["nDCG@10"], conflicts=pairs)
    (section,) = conclusion_sections(replace(study, conclusions={"nDCG@10": first}))
    (fold,) = (block for block in section.blocks if block.kind == "fold" and "opposite" in block.title)
    assert fold.title == "40 pairs in opposite directions"
    assert (len(fold.blocks[0].frame), len(fold.blocks[0].data)) == (30, 40)


def test_without_a_reference_every_two_judges_are_compared(judged_study):
    """The sentence has the median and the lowest of all pairs, the table the study's rows."""
    study = judged_study(reference=None, people=False, groups=False)
    (section,) = conclusion_sections(study)
    (table,) = tables_of(section.blocks).values()
    assert table.frame.equals(study.effects)
    figures = {name: value for name, value, _ in effect_figures(study.effects)}
    assert figures["Kendall's τ of rankings, median"] == f"{study.effects['tau'].median():.2f}"
    assert figures["Pairs significant in opposite directions"] == "0"
    one = study.effects.iloc[[0]].assign(n_truth=0, n_predictor=0, n_conflicts=1)
    figures = {name: value for name, value, _ in effect_figures(one)}
    assert figures["Pairs significant in opposite directions"] == "1"
    assert "F1 of significant pairs (undefined without any: nDCG@10)" in figures


def test_without_runs_there_is_no_section(judged_study):
    """Labels alone conclude nothing about systems."""
    assert conclusion_sections(judged_study(runs=False)) == ()


def test_a_second_person_is_named_by_the_judges_beside():
    """Where judges are compared on different topics, each set of them has its row of people, its choices, its power."""
    table = simulate_scores(n_systems=5, n_topics=24, metrics=["AP", "nDCG@10", "P@10", "RR"], rng=0)
    sides = {name: table.isel(metric=[place]) for place, name in enumerate(("nist", "ja", "jb", "ann"))}
    sides |= {"jb": sides["jb"].isel(topic=slice(12))}
    study = study_judges(scores={"AP": sides}, reference="nist", people=["ann"], n_resamples=20, rng=0)
    tables = tables_of(conclusion_sections(study)[0].blocks)
    rows = tables["judge-conclusions-ap"].frame
    people = ["a second person beside ja", "a second person beside jb"]
    assert sorted(name for name in rows["judge"] if "person" in name) == people
    assert set(tables["judge-correlations-ap"].frame["judge"]) == {"ja", "jb", *people}
    assert tables["judge-choices-ap"].frame["beside"].tolist() == ["ja", "jb"]
    assert "Under nist" in {column.label for column in tables["judge-conclusions-ap"].columns}
    assert "whose topics are a part of the reference" in tables["judge-conclusions-ap"].caption
