"""The reliability test of Kazai, Lalmas and de Vries (2004): its example, simulated campaigns, verdicts, top tens."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.inex.assessments import Assessments
from metaeval.inex.expectations import EXPECTATIONS, Preference
from metaeval.inex.paths import contains
from metaeval.inex.simulation import simulate_inex
from metaeval.metrics import BUILTIN
from metaeval.metrics.spec import MetricSpec
from metaeval.questions.reliability.study import element_measures, study_reliability

INEX_2002 = {"frb": 0.9304, "id": 0.8705, "lo": 0.6409, "ia": 0.2610, "irb": 0.2154, "ao": 0.0187}
NXCG = {"irb": 1, "ia": 1, "frb": 0.8333, "id": 0.8333, "lo": 0.7833, "ao": 0.2083}
OVERLAP = {"irb": 0, "frb": 0.9, "ia": 0.75, "id": 0.75, "lo": 0, "ao": 0}


def made(year, seed=1, **options):
    sizes = {"n_systems": 6, "n_topics": 4, "n_documents": 120, "n_results": 100, "relevant_documents": 15}
    return simulate_inex(year=year, rng=seed, **sizes | options, published=False)


@pytest.fixture(scope="module")
def tree(focused_tree):
    """Study the example of the paper under its two metrics."""
    return study_reliability(focused_tree.tree_assessments(), metrics=["inex2002(quant=SOG)", "nxCGpercent(quant=SOG)"])


@pytest.fixture(scope="module")
def campaign():
    """Make a campaign of 2004 and its study."""
    found = made(2004)
    return found, study_reliability(found.assessments, found.submissions, sizes=found.sizes)


def test_the_tree_of_the_paper(tree):
    """Values, ranks and overlap are those worked out for Figure 1: nXCG has irb first, level with ia."""
    table = tree.table()
    for metric, expected in (("inex2002(quant=SOG)", INEX_2002), ("nxCGpercent(quant=SOG)", NXCG)):
        assert table[metric, "value"].to_dict() == pytest.approx(expected, abs=5.1e-5)
    assert table["inex2002(quant=SOG)", "rank"].to_dict() == dict(zip(INEX_2002, range(1, 7), strict=True))
    ranks = table["nxCGpercent(quant=SOG)", "rank"].to_dict()
    assert ranks == {"irb": 1, "ia": 1, "frb": 3, "id": 3, "lo": 5, "ao": 6}
    overlap = tree.runs.drop_duplicates("run").set_index("run")["overlap"]
    assert overlap.to_dict() == pytest.approx(OVERLAP)


def test_the_verdicts_on_the_tree(tree):
    """Users want irb first: inex-2002 puts four runs above it, nXCG none; neither follows overlap alone."""
    verdicts = tree.verdicts.set_index(["metric", "expectation"])
    assert verdicts.loc[("inex2002(quant=SOG)", "ideal"), "broken"] == 4
    assert not verdicts.loc[("inex2002(quant=SOG)", "ideal"), "met"]
    assert verdicts.loc[("nxCGpercent(quant=SOG)", "ideal"), "met"]
    assert verdicts.loc[("nxCGpercent(quant=SOG)", "overlap"), "first_broken"] == "ao > id, id > ia"
    assert verdicts.loc[("inex2002(quant=SOG)", "overlap"), "first_broken"] == "irb >= lo, ao > id, ia > frb"


@pytest.mark.parametrize(("year", "seed"), [(2002, 1), (2004, 2), (2005, 3), (2006, 4)])
def test_the_published_pattern_on_simulated_campaigns(year, seed):
    """As in Table 1 of the paper, inex-2002 ranks frb first and irb near last; nXCG ranks irb first, always at 1."""
    found = made(year, seed)
    general = "SOG" if year == 2004 else "gen"
    names = [f"inex2002(quant={general})", f"nxCGpercent(quant={general})"]
    study = study_reliability(found.assessments, metrics=names, sizes=found.sizes)
    old, new = (study.table()[name] for name in names)
    assert old["rank"].idxmin() == "frb"
    assert old.loc["irb", "rank"] >= 4
    assert new.loc["irb", "rank"] == 1
    assert new.loc["irb", "value"] == pytest.approx(1, abs=1e-12)
    overlap = study.runs.drop_duplicates("run").set_index("run")["overlap"]
    assert overlap[["irb", "lo", "ao"]].max() == 0
    assert overlap["frb"] > 0.5


@pytest.mark.parametrize("quant", ["gen", "strict", "GenLifted", "FullySpec", "BinExh", "BinExh(min_size=55)"])
@pytest.mark.parametrize("tie", ["deeper", "higher"])
def test_the_ideal_run_is_ideal_under_every_quantisation(quant, tie):
    """Whatever an element is worth, and whichever rule breaks ties, irb gains at every rank what can be gained."""
    found = made(2005, n_topics=2)
    name = f"nxCGpercent(quant={quant}, tie={tie})"
    study = study_reliability(found.assessments, metrics=name, sizes=found.sizes)
    assert study.curves[0].sel(system="irb").to_numpy() == pytest.approx(np.ones(10), abs=1e-12)


def test_curves_average_to_the_values(campaign):
    """The curve drawn is the one whose mean stands in the table."""
    _, study = campaign
    assert [curve.name for curve in study.curves] == list(study.metrics)
    for curve in study.curves:
        axis = curve.dims[1]
        value = study.table()[curve.name, "value"]
        assert curve.mean(axis).to_series().to_dict() == pytest.approx(value.to_dict())


def test_top_ten_tables(campaign):
    """Ranks under the other metrics and overlap are those of the same run, best first."""
    _, study = campaign
    first, second = study.metrics[:2]
    top = study.top(first, 4)
    assert top["rank"].tolist() == sorted(top["rank"])
    assert len(top) == 4
    rows = study.submissions.set_index(["metric", "run"])
    for row in top.to_dict("records"):
        assert row["value"] == rows.loc[(first, row["run"]), "value"]
        assert row[f"rank under {second}"] == rows.loc[(second, row["run"]), "rank"]
        better = (study.submissions["metric"] == second) & (
            study.submissions["value"] > rows.loc[(second, row["run"]), "value"] + 1e-9
        )
        assert row[f"rank under {second}"] == better.sum() + 1
    with pytest.raises(UnknownNameError, match="no metric 'AP'"):
        study.top("AP")


def test_overlap_of_submitted_runs_by_hand(campaign):
    """The share of a list's elements inside another of them, averaged over topics."""
    found, study = campaign
    overlap = study.submissions.drop_duplicates("run").set_index("run")["overlap"]
    for run in found.submissions[:3]:
        shares = []
        for _, own in run.results.groupby("topic"):
            elements = list(zip(own["document"], own["path"], strict=True))
            inside = [
                any(document == other and contains(around, path) for other, around in elements)
                for document, path in elements
            ]
            shares.append(np.mean(inside))
        assert overlap[run.run] == pytest.approx(np.mean(shares))


def test_correlations_of_submitted_runs(campaign):
    """Kendall's tau between metrics, and with overlap, as SciPy has it."""
    _, study = campaign
    wide = study.submissions.pivot_table(index="run", columns="metric", values="value", sort=False)
    wide["overlap"] = study.submissions.groupby("run")["overlap"].first()
    assert len(study.correlations) == 10
    for row in study.correlations.to_dict("records"):
        assert row["tau"] == pytest.approx(kendalltau(wide[row["metric"]], wide[row["other"]]).statistic)


def test_an_expectation_is_a_function(focused_tree):
    """A user's own preference is tried beside the others, and told by its first sentence."""

    def leaves_before_articles(runs):
        """Rank leaves above articles."""
        assert runs.loc["frb", "overlap"] == pytest.approx(0.9)
        return [("lo", "ao", True)]

    study = study_reliability(
        focused_tree.tree_assessments(),
        metrics="nxCGpercent(quant=SOG)",
        expectations={**EXPECTATIONS, "leaves": leaves_before_articles},
    )
    last = study.verdicts.iloc[-1]
    assert (last["expectation"], last["meaning"], last["met"]) == ("leaves", "Rank leaves above articles.", True)
    with pytest.raises(UnknownNameError, match="no simulated run 'leaf'"):
        study_reliability(
            focused_tree.tree_assessments(),
            metrics="nxCGpercent(quant=SOG)",
            expectations={"wrong": lambda _: [Preference("leaf", "ao")]},
        )


@pytest.mark.parametrize(("strict", "lead", "met"), [(False, 0.0, True), (True, 0.0, False), (True, 1e-3, True)])
def test_a_preference_may_be_strict(strict, lead, met):
    """At least as good admits equal means, truly better does not; the last bits of a sum are no difference."""
    goodness = pd.Series({"a": 0.1 + 0.2 + lead, "b": 0.3})
    assert Preference("a", "b", strict).is_met(goodness) is met
    assert not Preference("b", "a", strict=True).is_met(goodness + pd.Series({"a": 1e-15, "b": 0}))


def test_metrics_where_less_is_better(focused_tree):
    """Ranks and verdicts follow the metric's direction (under gen the ideal run is bdy1 alone)."""

    def length(lists):
        """Results of a list."""
        return lists.lengths.astype(float)

    spec = MetricSpec(
        name="Length", kernel=length, on="elements", higher_is_better=False, bounds=(0.0, np.inf), without_relevant=None
    )
    study = study_reliability(focused_tree.tree_assessments(), metrics="Length", registry=BUILTIN.extend(spec))
    assert study.table()["Length", "rank"].to_dict() == {"irb": 1, "frb": 6, "ia": 3, "id": 5, "lo": 4, "ao": 1}
    assert study.verdicts["first_broken"].tolist() == ["", "lo >= ao, id > ia"]
    assert study.curves == ()


def test_what_is_tried_by_default(focused_tree, campaign):
    """inex-2002 and nXCG, by the quantisation of the paper on its scale, else the generalised one, and strict."""
    names = ("inex2002(quant=SOG)", "nxCGpercent(quant=SOG)", "inex2002(quant=strict)", "nxCGpercent(quant=strict)")
    assert element_measures(focused_tree.tree_assessments()) == names
    assert campaign[1].metrics == names
    assert element_measures(Assessments(scale="2005"))[0] == "inex2002(quant=gen)"


def test_metrics_that_nothing_is_worth_anything_to(focused_tree):
    """They are left out and named, if something is left; otherwise it is an error."""
    judged = focused_tree.tree_assessments()
    elements = judged.elements[judged.elements["path"] != focused_tree.PATHS["sec6"]]
    lacking = focused_tree.tree_assessments(elements=elements)
    study = study_reliability(lacking, metrics=["inex2002(quant=strict)", "inex2002(quant=SOG)"])
    assert study.metrics == ("inex2002(quant=SOG)",)
    assert "inex2002(quant=strict) is left out" in study.notes[0]
    with pytest.raises(InvalidOptionError, match="no run can be measured"):
        study_reliability(lacking, metrics="inex2002(quant=strict)")


def test_flat_rows(campaign):
    """Simulated and submitted runs and verdicts stand in one table."""
    found, study = campaign
    counts = study.to_frame()["kind"].value_counts().to_dict()
    assert counts == {"simulated": 24, "submitted": 4 * len(found.submissions), "verdict": 8}


def test_what_cannot_be_tried_is_refused(focused_tree):
    """Passages have no elements, AP ranks documents, and overlap needs sizes."""
    with pytest.raises(InvalidOptionError, match="made of assessed elements"):
        study_reliability(Assessments(scale="passages"))
    with pytest.raises(InvalidOptionError, match="AP does not rank elements"):
        study_reliability(focused_tree.tree_assessments(), metrics="AP")
    judged = focused_tree.tree_assessments()
    bare = focused_tree.tree_assessments(elements=judged.elements.assign(size=-1))
    with pytest.raises(InvalidOptionError, match="give element sizes"):
        study_reliability(bare)
    table = judged.elements[["document", "path", "size"]]
    assert study_reliability(bare, sizes=table).metrics == element_measures(bare)


def test_expectations_that_contradict_themselves(focused_tree):
    """A function of one's own is held to the same rule as a text."""
    with pytest.raises(InvalidOptionError, match="lo > ao and ao > lo"):
        study_reliability(
            focused_tree.tree_assessments(),
            metrics="nxCGpercent(quant=SOG)",
            expectations={"wrong": lambda _: [("lo", "ao", True), ("ao", "lo", True)]},
        )


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("year", [2004, 2005])
def test_when_ia_may_beat_the_ideal_run(year, alpha):
    """At the end of the lists ia has gained as much as irb with alpha = 1, and more below; before it lags behind.

    With alpha = 1 no metric of XCG ranks ia above irb: what stands around ideal elements that were read gains nothing.
    """
    found = made(year, seed=5)
    quant = "SOG" if year == 2004 else "gen"
    name = f"nxCGpercent(quant={quant}, alpha={alpha}, points=20, ranks=longest)"
    study = study_reliability(found.assessments, metrics=[name], sizes=found.sizes)
    curve = study.curves[0].sel(system="ia").to_numpy()
    last = curve[-1]
    if alpha == 1:
        assert last == pytest.approx(1, abs=1e-12)
        assert (curve <= 1 + 1e-12).all()
    else:
        assert last > 1.01
    said = [note for note in study.notes if "with alpha below 1" in note]
    runs = study.table()[study.metrics[0], "value"]
    assert bool(said) == (alpha < 1 and max(runs["ia"], runs["frb"]) > runs["irb"])


def test_what_ia_gains_around_the_ideal_elements_by_hand(focused_tree):
    """Equation 5 on the tree of the paper with alpha = .5, written out: ia gains outside the ideal elements."""
    sizes = {"article": 40000, "bdy": 36000, "sec4": 4000, "sec6": 6000}
    left = {"sec6": 0.5 * 1.0, "sec4": 0.5 * 0.5}  # seen: (1 - alpha) q
    bdy = 0.5 * sum(left[name] * sizes[name] for name in left) / sizes["bdy"] + 0.5 * 0.25
    article = 0.5 * (0.5 * 0.25) * sizes["bdy"] / sizes["article"] + 0.5 * 0.25  # bdy is seen by then
    names = [f"nxCG(quant=SOG, alpha=0.5)@{k}" for k in (2, 3, 4)]
    study = study_reliability(focused_tree.tree_assessments(), metrics=names)
    found = [study.table()[name, "value"]["ia"] for name in study.metrics]
    assert found == pytest.approx([1, (1.5 + bdy) / 1.5, (1.5 + bdy + article) / 1.5])
