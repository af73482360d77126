"""How far two assessors agree on elements and on characters, as tables and sentences that two reports share."""

import pandas as pd

from metaeval.base.names import count
from metaeval.base.words import number, share, whole
from metaeval.page.tables import Table, left, right

_MEAN = "mean"


def element_agreement_table(frame: pd.DataFrame, *, scale: str | None, by_topic: bool = True) -> Table:
    """Return the table of `metaeval.inex.element_agreement`: a row a topic, or a row a pair of assessors."""
    included = ", elements too small to judge included"
    closer = {name: name.split("<")[1] for name in frame.columns if name.startswith("specificity<")}
    shown = frame.assign(topic=frame["topic"].replace(_MEAN, "mean of topics")) if by_topic else frame
    return Table(
        name="element-agreement",
        title="Two assessors, element by element",
        caption=f"Of the elements that either assessor calls relevant{included * (scale == '2005')}: the share "
        "that both do, the share with the same exhaustivity, with specificities closer than a limit, and with the same "
        "grades (the same exhaustivity, and specificity in the same of three bins)."
        + " Means over topics."
        * (not by_topic),
        frame=shown,
        columns=(
            *(left(topic="Topic") if by_topic else left(first="First", second="Second")),
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
        name="passage-agreement",
        title="Two assessors, character by character",
        caption="Characters that each highlighted, and both; both over the first's, the second's, and either's."
        + " Means over topics." * (not by_topic),
        frame=frame,
        columns=(
            *(left(topic="Topic") if by_topic else left(first="First", second="Second")),
            *right(whole, first_marked="First", second_marked="Second", both="Both"),
            *right(number(2), of_first="Of the first", of_second="Of the second", of_union="Of either"),
        ),
    )


def element_sentence(frame: pd.DataFrame) -> str:
    """Say the means of `metaeval.inex.element_agreement`."""
    mean = frame[frame["topic"] == _MEAN].iloc[0]
    return (
        f"Of the elements that either of two assessors calls relevant, both do so for {share(mean['both'])}, and give "
        f"{share(mean['exact'])} the same grades (means over {count(len(frame) - 1, 'topic')})."
    )


def passage_sentence(frame: pd.DataFrame) -> str:
    """Say the mean of `metaeval.inex.passage_agreement`."""
    return (
        f"Of the text that either of two assessors highlighted, both highlighted {share(frame['of_union'].mean())} "
        f"({count(len(frame), 'topic')})."
    )
