"""How far two assessors agree on elements and on characters, as tables and sentences that two reports share."""

import pandas as pd

from metaeval.base.words import number, share, whole
from metaeval.page.tables import Column, Table, left, right
from metaeval.reports.prose import prose

_MEAN = "mean"
say = prose(__name__)


def element_agreement_table(frame: pd.DataFrame, *, scale: str | None, by_topic: bool = True) -> Table:
    """Return the table of `metaeval.inex.element_agreement`: a row a topic, or a row a pair of assessors."""
    closer = {name: name.split("<")[1] for name in frame.columns if name.startswith("specificity<")}
    table_frame = frame.assign(topic=frame["topic"].replace(_MEAN, "mean of topics")) if by_topic else frame
    return Table(
        **say.named("element-agreement", scale=scale, by_topic=by_topic),
        frame=table_frame,
        columns=(
            *_who(by_topic=by_topic),
            *right(whole, union="Elements, either"),
            *right(share, both="Elements, both", same_exhaustivity="Same exhaustivity"),
            *right(share, "Specificity closer than", **closer),
            *right(share, exact="Same grades"),
        ),
        data=frame,
    )


def passage_agreement_table(frame: pd.DataFrame, *, by_topic: bool = True) -> Table:
    """Return the table of `metaeval.inex.passage_agreement`: a row a topic, or a row a pair of assessors."""
    return Table(
        **say.named("passage-agreement", by_topic=by_topic),
        frame=frame,
        columns=(
            *_who(by_topic=by_topic),
            *right(whole, first_marked="First", second_marked="Second", both="Both"),
            *right(number(2), of_first="Of the first", of_second="Of the second", of_union="Of either"),
        ),
    )


def _who(*, by_topic: bool) -> tuple[Column, ...]:
    return left(topic="Topic") if by_topic else left(first="First", second="Second")


def element_sentence(frame: pd.DataFrame) -> str:
    """Say the means of `metaeval.inex.element_agreement`."""
    return say("elements found", mean=frame[frame["topic"] == _MEAN].iloc[0], n_topics=len(frame) - 1)


def passage_sentence(frame: pd.DataFrame) -> str:
    """Say the mean of `metaeval.inex.passage_agreement`."""
    return say("passages found", both=frame["of_union"].mean(), n_topics=len(frame))
