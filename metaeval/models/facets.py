# ruff: noqa: RUF001, RUF002 - the cross is meant for people
"""What the axes of scores are: systems, items, judges, repeats and clusters, and which of them is measured."""

from collections.abc import Mapping
from typing import Literal

import numpy as np

from metaeval.agreement.crossed_variances import REPEAT, Effect
from metaeval.base.arrays import Floats, Ints
from metaeval.base.names import first_few
from metaeval.base.notes import NoRuns
from metaeval.base.unit import Unit, unit_of
from metaeval.base.words import compared_p
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.models.dependability import Passes
from metaeval.table.array import REPEAT as REPEAT_DIM
from metaeval.table.runs import runs_differ
from metaeval.table.scores import Scores, oriented_values
from metaeval.table.structure import topic_weights

Repeats = Literal["nested", "crossed", "shared"]
"""What repeats are; see `metaeval.models.variance_components`."""
Measured = Literal["system", "topic", "judge"]

COMPONENTS_OF: Mapping[Measured, str] = {
    "system": "components of variance",
    "topic": "components of variance of topics",
    "judge": "components of variance",
}
"""What is asked of scores, for messages."""
_AXES: Mapping[Measured, int] = {"system": 1, "judge": 2, "topic": 3}
_LEVEL = 0.05
"""Of the test whether runs differ as wholes."""
_WORDS = {"system": ("system",), "judge": ("judge",), "both": ("system", "judge"), "mean": ()}


def kind_of_repeats(table: Scores, *, judges: bool, measure: Measured) -> tuple[Repeats, str]:
    """Return what repeats are taken for where nobody says: crossed where runs move whole systems, and why.

    They do where under some metric F of the runs' means (`metaeval.table.runs.runs_differ`) is significant, the
    p-values being multiplied by the number of metrics. Otherwise repeats are nested, and nothing is to be said.
    """
    notes = table.attrs.get("notes", ())
    if judges or measure != "system" or REPEAT_DIM not in table.dims or any(isinstance(note, NoRuns) for note in notes):
        return "nested", ""
    told = runs_differ(table, topic_weights(table))
    moved = [metric for metric, (_, p) in told.items() if p * len(told) <= _LEVEL]
    if not moved:
        return "nested", ""
    f, p = told[moved[0]]
    why = (
        f"under {first_few(moved)} runs of one system differ by more than repeats of single {unit_of(table).topics} "
        f"make (F = {f:.1f}, p {compared_p(p)})"
    )
    return "crossed", why


def facet_layout(
    table: Scores, *, repeats: Repeats, judges: bool, measure: Measured
) -> tuple[Floats, list[str], Ints | None, Passes]:
    """Return scores as (metric, system, judge, item, repeat), names of the metrics, clusters, and what a judge is."""
    values = oriented_values(table)
    if REPEAT_DIM not in table.dims:
        values = values[..., None]
    names = [str(name) for name in table["metric"].to_numpy()]
    _check(names, judges=judges, repeats=repeats, repeated=values.shape[3] > 1, measure=measure)
    passes: Passes = "judge" if judges else "none"
    if judges:
        word = unit_of(table)
        if np.isfinite(values).any(axis=(1, 3)).sum(axis=0).max() <= 1:
            raise ScoresError(
                f"no {word.topic} was scored by two judges, so judges and {word.topics} cannot be separated"
            )
        values, names = values.transpose(1, 0, 2, 3)[None], ["all judges"]
    elif repeats == "nested":
        values = values[:, :, None]
    else:
        values, passes = values.transpose(0, 1, 3, 2)[..., None], repeats
    clusters = None
    if "cluster" in table.coords:
        _, clusters = np.unique(table["cluster"].to_numpy(), return_inverse=True)
        clusters = None if clusters.max() == 0 else clusters.astype(np.int64)
    return values.swapaxes(1, _AXES[measure]), names, clusters, passes


def _check(names: list[str], *, judges: bool, repeats: Repeats, repeated: bool, measure: Measured) -> None:
    """Refuse facets that scores do not have."""
    if judges and len(names) == 1:
        raise ScoresError("judges as a source of variance take two metrics, each a judge; here is one")
    if measure == "judge" and not judges:
        raise InvalidOptionError("`measure='judge'` takes judges: say that the metrics are judges (`judges=True`)")
    if repeats != "nested" and (judges or not repeated):
        why = "judges are a source of variance already" if judges else "these scores have no repeats"
        raise InvalidOptionError(f"`repeats={repeats!r}` does not apply: {why}")
    if measure == "topic" and repeats == "shared":
        message = "`measure='topic'` does not go with `repeats='shared'`, repeats of which each topic has its own"
        raise InvalidOptionError(message)


def component_name(effect: Effect, passes: Passes, measure: Measured) -> str:
    """Return what a component is called: the facets that its effects are of."""
    if effect == REPEAT:
        return "repeat"
    across = {"judge": "judge", "crossed": "repeat", "shared": "repeat", "none": ""}[passes]
    measured_facet, item_facet = ("topic", "system") if measure == "topic" else ("system", "topic")
    if measure == "judge":
        measured_facet, across = across, measured_facet
    inside = {"system": measured_facet, "judge": across}
    words = [inside[role] for role in _WORDS[effect.part]]
    words += {"top": [], "cluster": ["cluster"], "item": [item_facet]}[effect.level]
    order = ["system", "topic", "cluster", "judge", "repeat"]
    return " x ".join(sorted(words, key=order.index))


def component_words(name: str, spoken: Unit) -> str:
    """Return a component as people call it.

    Examples
    --------
    >>> from metaeval.base.unit import ITEM
    >>> component_words("system x topic", ITEM)
    'systems × items'
    """
    words = {"topic": spoken.topics, "cluster": spoken.clusters}
    return " × ".join(words.get(facet, f"{facet}s") for facet in name.split(" x "))
