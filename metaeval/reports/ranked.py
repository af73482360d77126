"""The table of systems by rank that pages on leaderboards, boards of means and votes share."""

from collections.abc import Iterable, Sequence

import pandas as pd

from metaeval.base.names import count, natural_order
from metaeval.base.words import chance, listed, name_of_metric, text, whole
from metaeval.page.tables import Column, left, right, rising, under
from metaeval.reports.prose import prose

_MOST_LETTERS = 12
_MOST_TIED = 3
"""How many equals a first sentence names."""
TOP_TITLE = "Which systems are the best {}?"
say = prose(__name__)


def open_first(part: pd.DataFrame, under: str = "") -> str:
    """Say who leads, and which systems may be first: none of those is settled above another of them."""
    ranked = part.sort_values("rank", kind="stable")["system"].tolist()
    first = natural_order(part.loc[part["rank"] == 1, "system"])
    tied = part.loc[part["rank_low"] == 1, "system"].tolist()
    others = natural_order(set(tied) - set(first))
    which = "all" if len(tied) == len(ranked) else "first" if set(tied) == set(ranked[: len(tied)]) else "some"
    which = "alike" if not others else "few" if len(others) < _MOST_TIED else which
    if which == "first" and "n_above" in part and not part["n_above"].any():
        which = "all"  # who may not be first differs from nobody either
    return say(f"open {which}", first=first, others=others, n_tied=len(tied), n=len(ranked), under=under)


def against_baseline(  # noqa: PLR0913 - what the sentence says
    baseline: str, better: Sequence[str], worse: Sequence[str], *, n: int, under: str = "", how: str = ""
) -> str:
    """Say which of the other systems are significantly better than a baseline, and which worse: few by name."""
    if not better and not worse:
        return say("against none", baseline=baseline, n=n, under=under, how=how)
    ahead, behind = (
        listed(names) if 0 < len(names) <= _MOST_TIED else whole(len(names)) if names else "none"
        for names in (better, worse)
    )
    ahead = ahead if 0 < len(better) <= _MOST_TIED else f"{ahead.capitalize()} of {count(n, 'system')}"
    return say("against", ahead=ahead, behind=behind, better=better or [""], baseline=baseline, under=under, how=how)


def top_sentence(frame: pd.DataFrame, k: int | None, *, level: str, tested: pd.DataFrame | None = None) -> str:
    """Say which systems are among the best k, as somebody asked, by the intervals of their ranks, (metric and) system.

    `tested` has how many systems each is better than by p-values over all pairs (``metric``, ``system``, ``n_below``),
    where a page has such: who is among the best by draws alone is open. Nothing where nobody asked, of one, which any
    page says, of as many as there are, and without intervals.
    """
    of_metrics = dict(list(frame.groupby("metric", sort=False))) if "metric" in frame else {"": frame}
    n = min(map(len, of_metrics.values()))
    if k is None or not 1 < k < n or "rank_low" not in frame:
        return ""
    if tested is not None:
        by_test = frame[["metric", "system"]].merge(tested, how="left")["n_below"].to_numpy()
        frame = frame.assign(rank_high=frame["rank_high"].where(by_test >= n - k, n))
        of_metrics = dict(list(frame.groupby("metric", sort=False)))
    sure = [natural_order(ranked.loc[ranked["rank_high"] <= k, "system"]) for ranked in of_metrics.values()]
    if len(sure) > 1:
        return say(
            "top of metrics",
            k=k,
            n=len(sure),
            n_all=sum(len(names) >= k for names in sure),
            n_some=sum(map(bool, sure)),
        )
    is_open = (frame["rank_low"] <= k) & (frame["rank_high"] > k)
    likely = frame[is_open].get(f"p_top_{k}", pd.Series(dtype=float))
    named = zip(frame.loc[is_open, "system"], map(chance, likely), strict=False)
    metric = next(iter(of_metrics))
    return say(
        "top",
        k=k,
        n=n,
        sure=sure[0],
        n_open=int(is_open.sum()),
        chances=[f"{name} ({p})" for name, p in named] if len(likely) <= _MOST_TIED else [],
        level=level,
        under=f" under {name_of_metric(metric)}" if metric else "",
    )


def is_pair(part: pd.DataFrame) -> bool:
    """Say whether no more than two systems are ranked: these have no axis of ranks, no groups and no top."""
    return len(part) <= 2  # noqa: PLR2004 - a pair


def few_letters(part: pd.DataFrame) -> bool:
    """Say whether the letters of the groups are few enough to be shown."""
    return bool(part["letters"].str.len().max() <= _MOST_LETTERS)


def share_letters_apart(part: pd.DataFrame) -> bool:
    """Say whether two systems share a letter, where letters are shown, though their intervals of ranks lie apart."""
    if not few_letters(part):
        return False
    names = part["letters"].str.split() if part["letters"].str.contains(" ").any() else part["letters"].map(list)
    rows = [*zip(map(set, names), part["rank_low"], part["rank_high"], strict=True)]
    return any(first & other and high < low for first, _, high in rows for other, low, _ in rows)


def written_ranks(part: pd.DataFrame) -> pd.DataFrame:
    """Return the systems with their intervals of ranks written out."""
    ends = zip(part["rank_low"], part["rank_high"], strict=True)
    written = [f"{low} to {high}" if low < high else str(low) for low, high in ends]
    return part.assign(ranks=written, ranks_sort=part["rank_low"])


def with_alike(part: pd.DataFrame) -> pd.DataFrame:
    """Return the systems with how many others are not separated of each."""
    return part.assign(alike=len(part) - 1 - part["n_above"] - part["n_below"])


def ranked_columns(
    part: pd.DataFrame, details: Iterable[Column], ranks: Iterable[Column], last: Iterable[Column]
) -> tuple[Column, ...]:
    """Return the columns of such a table: `details` behind the names, the `ranks`, and `last` before the letters.

    Of two systems there is no more to say than who leads, and how probably so.
    """
    if is_pair(part):
        best = right(chance, p_best="Probability best") if "p_best" in part else ()
        return (*rising(whole, rank="Rank"), *left(system="System"), *details, *best)
    tops = {name: int(name.removeprefix("p_top_")) for name in map(str, part) if name.startswith("p_top_")}
    chances = {"p_best": "best"} if tops else {}
    chances |= {name: f"top {k}" for name, k in tops.items() if k < len(part)}  # all are among as many as there are
    return (
        *rising(whole, rank="Rank"),
        *ranks,
        *left(system="System"),
        *details,
        *right(chance, "Probability", **chances),
        *right(whole, "Significantly", n_above="better", n_below="worse"),
        *last,
        *(left(letters="Groups") if few_letters(part) else ()),
    )


def interval_of_ranks(level: str) -> tuple[Column, ...]:
    """Return the column of the intervals of ranks."""
    return under(text, ranks=f"{level} interval")


ALIKE = right(whole, alike="Not separated")
