# ruff: noqa: RUF001 - a true minus sign is meant for people
"""What a power study says of practical equivalence: how probable it is that a difference matters."""

import pandas as pd

from metaeval import figures
from metaeval.base.bibliography import cited
from metaeval.base.names import count
from metaeval.base.words import listed, name_of_metric, percentage, share, share_of
from metaeval.models.bayesian_comparison import BayesianComparison
from metaeval.page.blocks import Picture, Section
from metaeval.page.tables import METRIC, Table, right
from metaeval.studies.power import PowerStudy
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS

BAYESIAN_SOURCES = {"bayesian_t": ("benavoli2017",), "hierarchical": ("benavoli2017", "carterette2015")}
"""Model to the keys of what it comes from."""
_PROBABILITY = 0.95
_MODELS = {
    "bayesian_t": "pair by pair, from the Student posterior of the mean difference under a flat prior (T − 1 degrees "
    "of freedom)",
    "hierarchical": "in one hierarchical model of systems and topics for each metric, fitted with PyMC, which draws "
    "extreme systems towards the others",
}


def bayesian_sentences(study: PowerStudy) -> list[str]:
    """Say of the metric with most decided pairs what is probable of them."""
    if study.bayesian is None:
        return []
    if study.bayesian.data.sizes["pair"] == 1:
        return _of_the_pair(study.bayesian)
    decided = study.bayesian.discriminative_power(_PROBABILITY)
    counts = decided["n_apart"] + decided["n_equivalent"]
    tied = decided[counts == counts.max()].sort_values("metric")
    best = tied.iloc[0]
    others = "" if len(tied) == 1 else f" (as under {listed(map(name_of_metric, tied['metric'].iloc[1:]))})"
    most = "" if len(decided) == 1 else f", where most pairs are decided{others},"
    width = f"{study.bayesian.rope[best['metric']]:g}"
    words = (
        f"Under {name_of_metric(best['metric'])}{most} one system is better by more than {width} in "
        f"{best['n_apart']} of {count(best['n_pairs'], 'pair')} with a probability above {_PROBABILITY:g}, the two are "
        f"practically equal in {best['n_equivalent']}, and {best['n_undecided']} are undecided."
    )
    return [words]


def _of_the_pair(found: BayesianComparison) -> list[str]:
    """Say how probable it is of two systems that one is better by more than the region, and that they are equal."""
    return [
        f"Under {name_of_metric(row.metric)} the probability that {row.system_a} is better by more than "
        f"{found.rope[str(row.metric)]:g} is {share(row.p_a_better)}, that {row.system_b} is {share(row.p_b_better)}, "
        f"and that the two are practically equal {share(row.p_equivalent)}."
        for row in found.to_frame().itertuples()
    ]


def bayesian_section(study: PowerStudy) -> list[Section]:
    """Return the section on practical equivalence, where a region was given."""
    found = study.bayesian
    if found is None:
        return []
    frame = found.discriminative_power(_PROBABILITY)
    picture = Picture(
        name="practical_equivalence",
        draw=lambda: figures.decided_bars(frame),
        title="Decided pairs",
        caption=f"Pairs of systems by what is more probable than {_PROBABILITY:g}: that one of the two is better by "
        "more than the region of practical equivalence, that their difference lies within it, or neither. An "
        "undecided pair needs more topics, or a wider region.",
        alt="; ".join(
            f"{name_of_metric(row.metric)}: {row.n_apart} better, {row.n_equivalent} practically equal, "
            f"{row.n_undecided} undecided"
            for row in frame.itertuples()
        ),
    )
    return [
        Section(
            id="practical-equivalence",
            title="Practical equivalence",
            lead="A test says whether a difference is there, not whether it matters, and what it does not find may be "
            "there all the same. With a size from which differences matter, pairs of systems can also be found equal.",
            brief=True,
            blocks=(picture, _table(study, found, frame)),
        )
    ]


def _table(study: PowerStudy, found: BayesianComparison, frame: pd.DataFrame) -> Table:
    kinds = {"n_apart": "one better", "n_equivalent": "practically equal", "n_undecided": "undecided"}
    shown = frame.assign(
        region=[f"±{found.rope[name]:g}" for name in frame["metric"]],
        **{
            f"{name}_of": [share_of(*pair) for pair in zip(frame[name], frame["n_pairs"], strict=True)]
            for name in kinds
        },
    )
    tests = {}
    for result in study.comparisons:
        column = f"{result.test} {result.correction}"
        counts = result.discriminative_power().set_index("metric")["n_significant"]
        shown[column] = counts.loc[frame["metric"]].to_numpy()
        tests[column] = f"{TESTS.label(result.test)}, {CORRECTIONS.words(result.correction)}"
    return Table(
        name="practical_equivalence",
        title="Pairs decided with a region of practical equivalence",
        caption=f"Region in the metric's own unit. Decided: more probable than {_PROBABILITY:g}, "
        f"{_MODELS[found.model]}. The last columns have the pairs that the tests find significantly different, of any "
        "size.",
        frame=shown,
        columns=(
            METRIC,
            *right(region="Region"),
            *right(**{f"{name}_of": words for name, words in kinds.items()}),
            *(column for name, label in tests.items() for column in right(**{name: label})),
        ),
        data=frame.assign(rope=frame["metric"].map(found.rope)),
    )


def bayesian_methods(study: PowerStudy) -> list[str]:
    """Return how the probabilities were found, in words that fit a paper."""
    found = study.bayesian
    if found is None:
        return []
    widths = sorted(set(found.rope.values()))
    if len(widths) == 1:
        region = f"of {widths[0]:g}"
    else:
        each = [f"{width:g} for {name_of_metric(name)}" for name, width in found.rope.items()]
        region = f"of {listed(each)}"
    level = percentage(_PROBABILITY)
    words = (
        f"With a region of practical equivalence {region} on either side of zero, the probabilities that either system "
        f"is better by more than that, or neither, were found {_MODELS[found.model]}"
        f"{cited(BAYESIAN_SOURCES[found.model])}; a pair counts as decided above {level}. These probabilities are not "
        "corrected for the number of pairs."
    )
    return [words]
