"""What a power study says of practical equivalence: how probable it is that a difference matters."""

import pandas as pd

from metaeval import figures
from metaeval.base.words import listed, name_of_metric, share_of
from metaeval.models.bayesian_comparison import BayesianComparison
from metaeval.page.blocks import Picture, Section, Text
from metaeval.page.tables import METRIC, Table, right
from metaeval.questions.power.study import PowerStudy
from metaeval.reports.prose import prose
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS

_SOURCES = {"bayesian_t": ("benavoli2017",), "hierarchical": ("benavoli2017", "carterette2015")}
"""Model to the keys of what it comes from."""
_PROBABILITY = 0.95
say = prose(__name__)


def bayesian_section(study: PowerStudy) -> list[Section]:
    """Return the section on practical equivalence, where a region was given."""
    comparison = study.bayesian
    if comparison is None:
        return []
    frame = comparison.discriminative_power(_PROBABILITY)
    picture = Picture(
        **say.named("practical_equivalence", probability=_PROBABILITY),
        draw=lambda: figures.decided_bars(frame),
        alt="; ".join(
            f"{name_of_metric(row.metric)}: {row.n_apart} better, {row.n_equivalent} practically equal, "
            f"{row.n_undecided} undecided"
            for row in frame.itertuples()
        ),
    )
    blocks = picture, Text(paragraphs=(" ".join(bayesian_sentences(study)),)), _table(study, comparison, frame)
    return [say.section("practical-equivalence", *blocks)]


def bayesian_sentences(study: PowerStudy) -> list[str]:
    """Say of the metric with most decided pairs what is probable of them."""
    comparison = study.bayesian
    if comparison is None:
        return []
    if comparison.data.sizes["pair"] == 1:
        rows = comparison.to_frame().itertuples()
        return [say("of the pair", row=row, width=comparison.rope[str(row.metric)]) for row in rows]
    decided = comparison.discriminative_power(_PROBABILITY)
    counts = decided["n_apart"] + decided["n_equivalent"]
    tied = decided[counts == counts.max()].sort_values("metric")
    best, *others = tied.to_dict("records")
    also = f" (as under {listed(name_of_metric(row['metric']) for row in others)})" if others else ""
    most = f", where most pairs are decided{also}," if len(decided) > 1 else ""
    rope = comparison.rope[best["metric"]]
    return [say("decided", best=best, most=most, rope=rope)]


def _table(study: PowerStudy, comparison: BayesianComparison, frame: pd.DataFrame) -> Table:
    kinds = {"n_apart": "one better", "n_equivalent": "practically equal", "n_undecided": "undecided"}
    table_frame = frame.assign(
        region=[f"±{comparison.rope[name]:g}" for name in frame["metric"]],
        **{
            f"{name}_of": [share_of(*pair) for pair in zip(frame[name], frame["n_pairs"], strict=True)]
            for name in kinds
        },
    )
    tests = {}
    for result in study.comparisons:
        column = f"{result.test} {result.correction}"
        counts = result.discriminative_power().set_index("metric")["n_significant"]
        table_frame[column] = counts.loc[frame["metric"]].to_numpy()
        tests[column] = f"{TESTS.label(result.test)}, {CORRECTIONS.words(result.correction)}"
    return say.table(
        "table",
        table_frame,
        (METRIC,),
        right(region="Region"),
        right(**{f"{name}_of": words for name, words in kinds.items()}),
        (column for name, label in tests.items() for column in right(**{name: label})),
        called="practical_equivalence",
        data=frame.assign(rope=frame["metric"].map(comparison.rope)),
        probability=_PROBABILITY,
        model=say(comparison.model),
    )


def bayesian_methods(study: PowerStudy) -> list[str]:
    """Return how the probabilities were found, in words that fit a paper."""
    comparison = study.bayesian
    if comparison is None:
        return []
    widths = [f"{width:g}" for width in sorted(set(comparison.rope.values()))]
    if len(widths) > 1:
        widths = [f"{width:g} for {name_of_metric(name)}" for name, width in comparison.rope.items()]
    sources = _SOURCES[comparison.model]
    return [say("methods", widths=widths, model=say(comparison.model), sources=sources, probability=_PROBABILITY)]
