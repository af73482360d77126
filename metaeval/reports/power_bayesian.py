"""What a power study says of practical equivalence: how probable it is that a difference matters."""

import pandas as pd

from metaeval import figures
from metaeval.base.words import share_of
from metaeval.models.bayesian_comparison import BayesianComparison
from metaeval.page.blocks import Picture, Section, Text
from metaeval.page.tables import METRIC, Table, right
from metaeval.reports.prose import prose
from metaeval.studies.power import PowerStudy
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS

_SOURCES = {"bayesian_t": ("benavoli2017",), "hierarchical": ("benavoli2017", "carterette2015")}
"""Model to the keys of what it comes from."""
_PROBABILITY = 0.95
say = prose("power_bayesian")


def bayesian_section(study: PowerStudy) -> list[Section]:
    """Return the section on practical equivalence, where a region was given."""
    found = study.bayesian
    if found is None:
        return []
    frame = found.discriminative_power(_PROBABILITY)
    picture = Picture(
        **say.named("practical_equivalence", probability=_PROBABILITY),
        draw=lambda: figures.decided_bars(frame),
        alt="; ".join(say("mark", row=row) for row in frame.itertuples()),
    )
    blocks = picture, Text(paragraphs=(" ".join(bayesian_sentences(study)),)), _table(study, found, frame)
    return [Section(**say.headed("practical-equivalence lead"), brief=True, blocks=blocks)]


def bayesian_sentences(study: PowerStudy) -> list[str]:
    """Say of the metric with most decided pairs what is probable of them."""
    found = study.bayesian
    if found is None:
        return []
    if found.data.sizes["pair"] == 1:
        rows = found.to_frame().itertuples()
        return [say("of the pair", row=row, width=found.rope[str(row.metric)]) for row in rows]
    decided = found.discriminative_power(_PROBABILITY)
    counts = decided["n_apart"] + decided["n_equivalent"]
    tied = decided[counts == counts.max()].sort_values("metric")
    rows = tied.to_dict("records")
    return [say("decided", rows=rows, several=len(decided) > 1, rope=found.rope, probability=_PROBABILITY)]


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
        **say.titled("table", probability=_PROBABILITY, model=say(found.model)),
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
    widths = [f"{width:g}" for width in sorted(set(found.rope.values()))]
    if len(widths) > 1:
        widths = [say("region", metric=name, width=width) for name, width in found.rope.items()]
    sources = _SOURCES[found.model]
    return [say("methods", widths=widths, model=say(found.model), sources=sources, probability=_PROBABILITY)]
