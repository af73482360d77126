"""Verdicts on judges, by rule: for ranking systems, for labels, and whom they favour.

For ranking systems a judge may take the place of a person if, under the first metric, its F1 of significant pairs falls
short of that of a second person by less than the margin, all of the interval of the difference; it may not if all of
the interval falls short by more, or if it contradicts the reference on more pairs than people do (their mean, rounded
up). In between these topics and persons do not settle it. Without a second person there is no yardstick, and where the
reference tells no pair of systems apart there is nothing to agree on: no verdict. For labels the alt-test decides.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from metaeval.tests_stat.result import is_significant

if TYPE_CHECKING:
    from metaeval.agreement.favour import FavouredGroups
    from metaeval.resampling.judge_conclusions import JudgeConclusions
    from metaeval.studies.judges import JudgeStudy

__all__ = ["COLUMNS", "deciding_metric", "judge_verdicts", "ranking_verdict"]

COLUMNS = (
    *("judge", "ranking", "f1", "f1_low", "f1_high", "people_f1", "difference", "difference_low", "difference_high"),
    *("n_conflicts", "labels", "winning_rate", "favours", "favour", "favour_low", "favour_high"),
    *("beyond_people", "beyond_low", "beyond_high"),
)
_WORDS = ("judge", "ranking", "labels", "favours")


def deciding_metric(study: "JudgeStudy") -> str | None:
    """Return the metric that verdicts on ranking are by: the first under which pairs were tested, None for none."""
    return next((name for name, found in study.conclusions.items() if found.table["f1"].notna().any()), None)


def judge_verdicts(study: "JudgeStudy") -> pd.DataFrame:
    """Return one row a judge beside the reference and the people, best first.

    Columns are ``judge``; ``ranking`` ("may", "may not", "not settled", "no yardstick" or "no pairs") with ``f1`` and
    its interval, ``people_f1``, ``difference`` (judge less people) and its interval, and ``n_conflicts``; ``labels``
    ("may", "may not") with ``winning_rate``; ``favours`` (the group it favours most beyond doubt, under the first
    metric) with ``favour`` and its interval, and how much of it second people do not share (``beyond_people``). What
    has no answer is empty. There is no row without a reference.
    """
    rows: dict[str, dict[str, Any]] = {}
    metric = deciding_metric(study)
    if metric is not None:
        found = study.conclusions[metric]
        tested = found.table[(found.table["kind"] == "judge") & found.table["f1"].notna()]
        for name in tested["judge"]:
            rows[name] = ranking_verdict(found, name, study.margin)
            if metric in study.favoured:
                rows[name] |= _favour(study.favoured[metric], name, study.alpha)
    if study.alt is not None:
        for one in study.alt.judges.to_dict("records"):
            word = "may" if one["passes"] else "may not"
            rows.setdefault(one["judge"], {}).update(labels=word, winning_rate=one["winning_rate"])
    frame = pd.DataFrame([{"judge": name, **row} for name, row in rows.items()], columns=[*COLUMNS])
    frame[[*_WORDS]] = frame[[*_WORDS]].astype(object).fillna("")
    return frame.sort_values("f1", ascending=False, kind="stable", ignore_index=True)


def ranking_verdict(found: "JudgeConclusions", judge: str, margin: float) -> dict[str, Any]:
    """Return the verdict for ranking systems with what it rests on, by the rule of this module."""
    table = found.table.set_index("judge")
    row = table.loc[judge]
    verdict = {name: row[name] for name in ("f1", "f1_low", "f1_high", "n_conflicts")}
    if found.n_reference == 0:
        return {"ranking": "no pairs", "n_conflicts": 0}
    if found.beside_people.empty:
        return {"ranking": "no yardstick", **verdict}
    people = table.loc["people"]
    apart = found.beside_people.query("measure == 'f1'").set_index("judge").loc[judge]
    low, high = apart["low"], apart["high"]
    word = "not settled"
    if row["n_conflicts"] > np.ceil(people["n_conflicts"]) or high < -margin:
        word = "may not"
    elif low > -margin:
        word = "may"
    ends = {"difference": apart["difference"], "difference_low": low, "difference_high": high}
    return {"ranking": word, **verdict, "people_f1": people["f1"], **ends}


def _favour(found: "FavouredGroups", judge: str, alpha: float) -> dict[str, Any]:
    """Return the group that a judge favours most, of those where that is beyond doubt."""
    kind = "adjusted" if found.adjusted else "figure"
    low, high = (f"adjusted_{end}_both" if found.adjusted else f"{end}_both" for end in ("low", "high"))
    own = found.table[found.table["judge"] == judge]
    own = own[is_significant(own["p_corrected"].to_numpy(), alpha)]
    if own.empty:
        return {"favours": ""}
    row = own.iloc[int(own[kind].abs().to_numpy().argmax())]
    verdict = {"favours": row["group"], "favour": row[kind], "favour_low": row[low], "favour_high": row[high]}
    return verdict | {name: row[name] for name in ("beyond_people", "beyond_low", "beyond_high")}
