"""Claims over collections: each estimate is that of the study of one collection, and degenerate ones are left out."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import logit

from metaeval import as_scores, paired_t_test, simulate_scores, study_agree, study_collections, study_topics
from metaeval.agreement import as_labels, compare_labels
from metaeval.errors import EstimationError, InvalidOptionError, ScoresError
from metaeval.models import topics_with_judge
from metaeval.resampling import discriminative_power_interval

METRICS = ["AP", "P@10", "RR"]


def collections(n=4, *, n_systems=6, n_topics=30):
    """Return simulated collections of the same metrics and systems."""
    return {
        f"year{seed}": simulate_scores(n_systems=n_systems, n_topics=n_topics, metrics=METRICS, rng=seed)
        for seed in range(n)
    }


def test_a_pair_of_systems_has_its_paired_difference():
    """Mean and squared standard error of SciPy's paired t test, on every collection; the one ahead comes first."""
    years = collections()
    study = study_collections(years, study="table", pairs=[("system1", "system2")], metrics=["RR"])
    ahead, behind = study.claims.loc[0, ["first", "second"]]
    assert {ahead, behind} == {"system1", "system2"}
    for row in study.of_claim(0).itertuples():
        a, b = (years[row.collection].sel(metric="RR", system=name).to_numpy() for name in (ahead, behind))
        assert row.estimate == pytest.approx((a - b).mean(), rel=1e-9)
        assert row.variance == pytest.approx(stats.sem(a - b) ** 2, rel=1e-9)
    claim = study.claims.iloc[0]
    assert claim["mean"] >= 0
    assert claim["n_above"] == (study.estimates["estimate"] > 0).sum()
    # with weights of the estimated tau, as DerSimonian and Kacker (2007) have them
    weights = 1 / (study.estimates["variance"] + claim["tau"] ** 2)
    assert claim["mean"] == pytest.approx(np.average(study.estimates["estimate"], weights=weights), rel=1e-9)


def test_of_many_pairs_the_clearest_comes_first():
    """The page says how many differ by Holm's correction, and then speaks of the smallest p-value."""
    study = study_collections(collections(4), study="table", metrics=["AP"])
    claims = study.claims
    assert len(claims) == 15
    assert claims["p_value"].is_monotonic_increasing
    assert claims["p_corrected"].iloc[0] == pytest.approx(min(1.0, 15 * claims["p_value"].iloc[0]))
    n_clear = (claims["p_corrected"] <= 0.05).sum()
    first, second, *_ = study.report().summary
    assert first.startswith(f"{n_clear or 'None'} of 15 pairs of systems differ")
    assert second.startswith(f"{claims['first'].iloc[0]} scores higher than {claims['second'].iloc[0]} under AP on ")


def test_lower_is_better_turns_a_difference():
    """A loss is 1 less the score: the same system is ahead, by as much."""
    years = {name: table.sel(metric=["AP"]) for name, table in collections(3).items()}
    losses = {name: as_scores(1 - table, higher_is_better=False) for name, table in years.items()}
    claims, turned = (study_collections(made, study="table").claims for made in (years, losses))
    assert claims["first"].tolist() == turned["first"].tolist()
    for column in ("mean", "low", "p_corrected"):
        assert claims[column].tolist() == pytest.approx(turned[column].tolist(), rel=1e-6)


def test_powers_are_those_of_the_interval_of_power():
    """Its differences and standard errors, of every two metrics, whichever comes first."""
    years = collections(3)
    study = study_collections(years, n_topic_resamples=30, rng=5)
    for name, table in years.items():
        known = discriminative_power_interval(table, corrections=["none"], n_topic_resamples=30, rng=5).differences()
        for row in known.itertuples():
            pair = {row.metric_a, row.metric_b}
            ours = study.estimates[study.estimates["collection"] == name]
            (ours,) = (own for own in ours.itertuples() if {own.first, own.second} == pair)
            sign = 1 if ours.first == row.metric_a else -1
            assert (sign * ours.estimate, ours.variance) == pytest.approx((row.difference, row.standard_error**2))


def test_agreement_is_that_of_the_study_of_agreement():
    """Logits of F1 and recall under the default correction of `metaeval agree`."""
    years = collections(2, n_systems=10, n_topics=80)
    study = study_collections(years, study="agree", metrics=["AP", "RR"], n_topic_resamples=40, rng=5)
    frame = study_agree(years["year1"].sel(metric=["AP", "RR"]), tests=["t"], n_topic_resamples=40, rng=5).to_frame()
    (expected,) = frame[frame["truth"] == "AP"].to_dict("records")
    ours = study.estimates[study.estimates["collection"] == "year1"].set_index("measure")
    for measure in ("f1", "precision", "recall"):
        if measure in ours.index:
            assert ours.loc[measure, "estimate"] == pytest.approx(logit(expected[measure]))
    assert "f1" in ours.index
    assert study.claims["p_value"].isna().all()


def test_topics_needed_are_those_of_the_bayesian_model():
    """The ratio of the medians that `metaeval topics` gives at a tolerance of a tenth."""
    years = collections(2, n_systems=8, n_topics=40)
    study = study_collections(years, study="topics", metrics=["AP", "RR"], rng=3)
    counts = study_topics(years["year0"].sel(metric=["AP", "RR"]), tolerances=[0.1], rng=3).to_frame()
    needed = counts.set_index("metric")["posterior_median"]
    row = study.of_claim(0).set_index("collection").loc["year0"]
    assert row["value"] == pytest.approx(needed[row["second"]] / needed[row["first"]], rel=0.02)  # whole topics there


def labels(seed):
    """Return labels of two judges who often agree."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 2, (12, 10))
    second = np.where(rng.random(first.shape) < 0.2, 1 - first, first)
    grades = {"ann": first, "ben": second}
    return as_labels(
        {
            judge: {str(topic): {f"d{n}": int(grade) for n, grade in enumerate(row)} for topic, row in enumerate(rows)}
            for judge, rows in grades.items()
        }
    )


def test_judges_have_their_kappa_or_their_worth():
    """Fisher's z of compare_labels' kappa; the logarithm of the mean worth of topics_with_judge."""
    made = {f"set{seed}": labels(seed) for seed in range(3)}
    study = study_collections(made, study="judges", reference="ann", rng=2)
    for row in study.of_claim(0).itertuples():
        (known,) = compare_labels(made[row.collection], reference="ann", rng=2).pairs.to_dict("records")
        assert row.value == pytest.approx(known["kappa"])
        assert (row.low, row.high) == pytest.approx((known["kappa_low"], known["kappa_high"]), abs=0.1)
    tables = {name: (table.sel(metric=["AP"]), table.sel(metric=["P@10"])) for name, table in collections(3).items()}
    worth = study_collections(tables, study="judges")
    expected = topics_with_judge(*tables["year2"]).summary.loc["mean", "worth"]
    assert worth.of_claim(0).set_index("collection").loc["year2", "value"] == pytest.approx(expected)


def test_left_out_is_a_study_without_it():
    """The mean without a collection is that of the others; both intervals too."""
    years = collections(4)
    whole = study_collections(years, study="table", pairs=[("system1", "system2")], metrics=["AP"])
    rest = study_collections(
        {name: years[name] for name in list(years)[1:]}, study="table", pairs=[("system1", "system2")], metrics=["AP"]
    )
    row = whole.of_claim(0).iloc[0]
    sign = 1 if whole.claims.loc[0, "first"] == rest.claims.loc[0, "first"] else -1
    assert sign * row["without"] == pytest.approx(rest.claims.loc[0, "mean"], rel=1e-9)


def test_what_says_nothing_is_left_out_and_said():
    """A collection without the metric, and one whose systems differ by a constant."""
    years = collections(4)
    constant = years["year0"].sel(metric=["AP"], system=["system1", "system2"]).copy(deep=True)
    constant[:, 1] = constant[:, 0] + 0.1
    given = {
        **{name: years[name].sel(metric=["AP"], system=["system1", "system2"]) for name in ("year1", "year2")},
        "constant": constant,
        "other": years["year3"].sel(metric=["RR"], system=["system1", "system2"]),
    }
    study = study_collections(given, study="table", metrics=["AP"])
    assert study.claims["n_collections"].tolist() == [2]
    notes = " ".join(study.notes)
    assert "other has no AP" in notes
    assert "want of a variance, or of an end: estimates on constant" in notes


def test_names_of_metrics_lose_the_name_of_their_collection():
    """web_ap of web is ap, the metric of the other collection."""
    first, second = (table.sel(metric=["AP", "RR"]) for table in collections(2).values())
    named = {
        "web": first.assign_coords(metric=["web_ap", "web_rr"]),
        "adhoc": second.assign_coords(metric=["ap", "rr"]),
    }
    claim = study_collections(named, n_topic_resamples=20, rng=1).claims.iloc[0]
    assert {claim["first"], claim["second"]} == {"ap", "rr"}


def test_metrics_that_differ_in_a_year_are_one_and_cutoffs_are_not():
    """Only where no metric is on both, and no two of one collection become one; of one metric systems are compared."""
    first, second = (table.sel(metric=["AP"]) for table in collections(2).values())

    def asked(one, other):
        return study_collections({"x": first.assign_coords(metric=[one]), "y": second.assign_coords(metric=[other])})

    study = asked("web2024", "web2025")
    assert (study.study, study.metrics) == ("table", ("web",))
    assert "metrics whose names differ in a year or number count as one (web2024, web2025)" in study.notes
    expected = study_collections({"x": first, "y": second}, study="table")
    assert study.claims["mean"].tolist() == expected.claims["mean"].tolist()
    for names in (("P@5", "P@10"), ("ap2024", "ndcg2024")):
        with pytest.raises(
            ScoresError, match="no two systems under one metric are on two collections by the same names"
        ):
            asked(*names)
    tables = collections(2)
    assert study_collections(tables, pairs=[("system1", "system2")], metrics=["AP"]).study == "table"
    assert study_collections(tables, n_topic_resamples=20, metrics=["AP", "RR"]).study == "power"
    assert study_collections(tables, metrics=["AP"]).study == "table"


def test_collections_that_share_topics_are_said_and_copies_refused():
    """Named topics of both make estimates depend on each other; the same scores would count twice."""
    years = {
        name: table.assign_coords(topic=[f"q{n}" for n in range(first, first + 30)])
        for (name, table), first in zip(collections(2).items(), (401, 421), strict=True)
    }
    notes = " ".join(study_collections(years, study="table").notes)
    assert "collections share topics (year0 and year1: 10)" in notes
    assert "share topics" not in " ".join(study_collections(collections(2), study="table").notes)  # they merely count
    with pytest.raises(ScoresError, match="year0 and copy have the same scores on 30 topics"):
        study_collections({"year0": years["year0"], "copy": years["year0"]}, study="table")


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"study": "nothing"}, InvalidOptionError, "study"),
        ({"study": "power", "pairs": [("a", "b")]}, InvalidOptionError, "for the study 'table'"),
        ({"study": "power", "reference": "a"}, InvalidOptionError, "for the study 'judges'"),
        ({"metrics": ["nDCG"]}, InvalidOptionError, "nDCG"),
        ({"study": "agree", "metrics": ["AP"]}, ScoresError, "no two metrics are on two collections"),
        ({"study": "table", "pairs": [("x", "y")]}, EstimationError, "have none in common"),
        ({"study": "judges"}, InvalidOptionError, "Labels"),
    ],
)
def test_what_cannot_be_asked_is_refused(options, error, words):
    """Each with what was expected."""
    with pytest.raises(error, match=words):
        study_collections(collections(2), **options)


def test_one_collection_is_too_few():
    """And so is a table that is no mapping."""
    for given, n in (({"only": collections(1)["year0"]}, "is 1"), (collections(1)["year0"], "is 1")):
        with pytest.raises(InvalidOptionError, match=n):
            study_collections(given)


def test_the_first_sentence_says_on_how_many_and_what_of_a_new_one():
    """The words of the specification, and what few collections leave open."""
    study = study_collections(collections(5), n_topic_resamples=30, rng=1)
    first, *others = study.report().summary
    claim = study.claims.iloc[0]
    verdict = "Yes" if claim["low"] > 0 else "No"
    said = f"{verdict}: {claim['first']} finds more significant pairs than {claim['second']}"
    opening = f"{said} on {claim['n_above']} of 5 collections"
    assert first.startswith(opening)
    assert "; on a new one between " in first
    assert not any("barely" in words for words in others)
    two = study_collections(collections(2), n_topic_resamples=30, rng=1).report().summary
    assert "new one" not in two[0]
    assert "2 collections barely tell" in two[-1]
    prior = study_collections(collections(2), n_topic_resamples=30, bayesian=True, rng=1).report().summary
    assert "; on a new one between " in prior[0]
    assert "half-normal prior" in prior[-1]


def two_of(leads, *, n=50):
    """Return two collections whose systems new and old differ by these leads, with standard errors of .02."""
    noise = np.random.default_rng(3).normal(0, 1, (2, n))
    noise = 0.02 * np.sqrt(n) * (noise - noise.mean(axis=1, keepdims=True)) / noise.std(axis=1, ddof=1, keepdims=True)
    return {
        name: as_scores([0.5 + lead + errors, np.full(n, 0.5)], systems=["new", "old"], metrics=["AP"])
        for name, lead, errors in zip("ab", leads, noise, strict=True)
    }


def test_collections_closer_together_than_their_errors_have_the_interval_of_these():
    """Mean differences of .1 and .1032, errors of .02: by hand .1016 with an error of .02 / √2 and t of 12.706.

    Hartung and Knapp's own interval would be [.081, .122]. Each difference is five errors: t of 49 topics is 2.01.
    """
    study = study_collections(two_of((0.1, 0.1032)), study="table")
    claim = study.claims.iloc[0]
    half = stats.t.ppf(0.975, 1) * 0.02 / np.sqrt(2)
    assert claim[["low", "high"]].tolist() == pytest.approx([0.1016 - half, 0.1016 + half], rel=1e-9)
    assert claim["p_value"] == pytest.approx(2 * stats.t.sf(0.1016 / (0.02 / np.sqrt(2)), 1), rel=1e-9)
    report = study.report()
    opening = (
        "Open: new scores higher than old under AP on 2 of 2 collections, significantly on each, but 2 are too few for "
        "collections in general: +0.102 ["
    )
    assert report.summary[0].startswith(opening)
    assert opening in " ".join(str(study).split())
    assert report.key_figures.data["low"].tolist() == pytest.approx([0.1016 - half], rel=1e-9)


def test_significant_on_each_is_the_t_test_of_each():
    """Leads of .0396 with errors of .02: 1.98 errors, above the normal 1.96 and below t of 49 degrees, 2.01."""
    study = study_collections(two_of((0.0396, 0.0396)), study="table")
    reach = stats.t.ppf(0.975, 49) * 0.02
    assert study.estimates["low"].tolist() == pytest.approx([0.0396 - reach] * 2, rel=1e-9)
    first = study.report().summary[0]
    assert "on 2 of 2 collections, but 2 are too few for collections in general: +0.040 [" in first
    half = stats.t.ppf(0.975, 98) * 0.02 / np.sqrt(2)  # two equal errors of 49 degrees each
    assert f"On these 2 alone (fixed effects): +0.040 [{0.0396 - half:.3f}, {0.0396 + half:.3f}], p = 0.006" in first
    assert first.endswith("; one by one significantly on none.")
    assert study.claims[["here_low", "here_high"]].iloc[0].tolist() == pytest.approx([0.0396 - half, 0.0396 + half])


def test_two_collections_that_point_apart_say_nothing_of_these_alone():
    """One lead of ten errors and one of minus three: weighted, the first is ahead, and nobody should read that."""
    study = study_collections(two_of((0.2, -0.06)), study="table")
    assert study.claims["here_low"].item() > 0.0
    first = study.report().summary[0]
    assert first.startswith("No: new scores higher")
    assert "on 1 of 2 collections, but not clearly on average" in first
    assert "alone" not in first


def seeds(n_topics=50, *, names=None, share=0.9):
    """Return two collections: the same items scored by the same two systems with two seeds of noise."""
    rng = np.random.default_rng(8)
    items = rng.normal(0.5, 0.2, (2, n_topics))
    return {
        name: as_scores(
            share * items + (1 - share) * rng.normal(0.5, 0.2, (2, n_topics)),
            systems=["new", "old"],
            topics=names or [f"q{n}" for n in range(n_topics)],
            metrics=[name],
        )
        for name in ("same1", "same2")
    }


def test_the_same_items_scored_again_are_no_collections():
    """Two seeds on items that merely count are known by their scores, named items by their names."""
    with pytest.raises(ScoresError, match=r"same1 and same2 score 50 topics of the same names, .* `metaeval table`"):
        study_collections(seeds(), study="table")
    names = [f"q{n}" for n in range(401, 451)]
    with pytest.raises(ScoresError, match="repeats, such as seeds or versions, and no two collections"):
        study_collections(seeds(names=names, share=0.0), study="table")
    table = seeds()["same1"]
    with pytest.raises(ScoresError, match="repeats, such as seeds or versions"):  # a correlation of 1
        study_collections({"same1": table, "same2": 0.5 * table.assign_coords(metric=["same2"])}, study="table")
    assert study_collections(seeds(share=0.0), study="table").claims["n_collections"].tolist() == [2]


def test_the_average_of_repeats_is_the_t_test_of_item_averages():
    """What the refusal leads to: on these seeds SciPy's t test of the differences of the means over both."""
    tables = seeds()
    rows = pd.concat(table.to_dataframe("score").reset_index().assign(seed=name) for name, table in tables.items())
    tested = paired_t_test(as_scores(rows[["system", "topic", "seed", "score"]]))
    means = np.mean([table.to_numpy()[0] for table in tables.values()], axis=0)
    assert tested.data["p_items"].item() == pytest.approx(stats.ttest_rel(*means).pvalue, rel=1e-9)
    assert tested.data["p_value"].item() >= tested.data["p_items"].item()
