"""What pages say of the alt-test: which judges may label in place of a person."""

import pandas as pd

from metaeval.agreement.alt_test import AltTest
from metaeval.base.words import listed, number, whole
from metaeval.page.blocks import Fold, Section, Text
from metaeval.page.tables import Table, left, right, rising
from metaeval.reports.key_figures import key_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import labelled_heads

_DECIMAL = number(2)
_PAIR = 2
_SAYS = {
    "may": "{judge} may",
    "may not": "{judge} may not",
    "not settled": "these labels do not settle whether {judge} may",
}
_RATES = {"winning_rate": "Winning rate", "advantage_probability": "Advantage"}
say = prose(__name__)


def alt_words(alt: AltTest, *, caution: str = "") -> str:
    """Say who may replace a person, where the alt-test is all there is; a caution qualifies what passes."""
    order = _by_wins(alt)
    n, passing = len(order), int(order["passes"].sum())
    unsettled = order[order["verdict"] == "not settled"]
    told = order[order["passes"]] if passing else unsettled if len(unsettled) else order
    rates = " to ".join(dict.fromkeys(map(_DECIMAL, told["winning_rate"].iloc[[-1, 0]])))
    rule = f"a person as a labeller (ω {rates}; half is enough, ε {alt.epsilon:g})"
    may = f"Yes{caution}" if passing == n else f"Some may{caution}" if passing else "Open" if len(unsettled) else "No"
    more = "" if passing else _more_items(unsettled)
    if n == 1:
        words = _SAYS[order["verdict"].iloc[0]].format(judge=order["judge"].iloc[0])
        return f"{may}: {words} replace {rule}{more}."
    every = "both" if n == _PAIR else f"all {n}"
    if 0 < passing < n:
        who = listed(order.loc[order["passes"], "judge"], most=3)
        return f"{may}: {who} ({passing} of {n} judges) may replace {rule}."
    who = f"{every if passing else f'none of {n}'} judges may"
    if len(unsettled) and not passing:
        who = f"for {len(unsettled)} of {n} judges these labels do not settle whether they may"
    return f"{may}: {who} replace {rule}{more}."


def _more_items(unsettled: pd.DataFrame) -> str:
    """Say with how many items the first judge that is open would be expected to pass, if any would."""
    needed = unsettled.dropna(subset="items_needed").sort_values("items_needed", kind="stable")
    return say("items needed", row=needed.iloc[0]) if len(needed) else ""


def _by_wins(alt: AltTest) -> pd.DataFrame:
    return alt.judges.sort_values(["winning_rate", "advantage_probability", "judge"], ascending=[False, False, True])


def alt_figures(alt: AltTest) -> Table:
    """Return what the alt-test says of the judges, the best first."""
    frame = _by_wins(alt)
    columns = (*left(judge="Judge", verdict="May label"), *right(_DECIMAL, **_RATES))
    return key_figures(frame, columns, which="best", caption=say("key alt", alt=alt))


def alt_section(alt: AltTest | None, *, brief: bool = True) -> tuple[Section, ...]:
    """Say which judges may stand in for the people as labellers."""
    if alt is None:
        return ()
    judges = alt.judges.assign(
        least=alt.smallest_epsilon().reindex(alt.judges["judge"]).to_numpy(),
    ).sort_values(["winning_rate", "advantage_probability"], ascending=False, kind="stable")
    counts = {"rejected": "Passed against", "people": "people of", "items": labelled_heads()}
    table = say.table(
        "alt table",
        judges,
        left(judge="Judge", verdict="May stand in"),
        right(_DECIMAL, **_RATES, least="Smallest ε"),
        right(whole, **counts, items_lacking="Not labelled"),
        called="alt-test",
        alt=alt,
        data=judges.drop(columns="verdict").rename(columns={"least": "smallest_epsilon"}),
    )
    by_person = say.table(
        "people",
        alt.people,
        left(judge="Judge", person="Person"),
        right(whole, items=labelled_heads()),
        right(number(2), judge_wins="Judge at least as near", person_wins="Person at least as near"),
        right(number(3), difference="Difference"),
        rising(number(3), p_corrected="p, corrected"),
        called="alt-test-people",
    )
    left_out = alt.left_out["person"].drop_duplicates().tolist() if len(alt.left_out) else []
    folded = Fold(title="Person by person", blocks=(by_person,))
    lacking = say("no part", alt=alt, left_out=left_out)
    words = (Text(paragraphs=(lacking,)),) if lacking else ()
    return (say.section("alt", table, *words, folded, brief=brief, id="alt-test"),)
