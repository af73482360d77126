"""How long assessors took for a document, from a log of what they did."""

import numpy as np
import pandas as pd

from metaeval.errors import InvalidOptionError
from metaeval.inex.assessment_tables import KEYS, AssessmentTables, LackingError, check_columns


def assessment_times(
    view: AssessmentTables, log: pd.DataFrame | None, longest_break: float, notes: list[str]
) -> pd.DataFrame:
    """Return the seconds of every document in a log; what was no work or not assessed goes into the notes."""
    if log is None:
        raise LackingError("give a log of the assessors' actions")
    check_columns(log, "log", KEYS)
    if "seconds" in log:
        spent = log[[*KEYS, "seconds"]]
    else:
        check_columns(log, "log", [*KEYS, "time"])
        spent = _spent(log, longest_break, notes)
    if not (spent["seconds"] >= 0).all():
        raise InvalidOptionError("`log` has times that are negative or missing; leave those rows out")
    total = spent.groupby(KEYS)["seconds"].sum()
    is_assessed = total.index.isin(view.documents.index)
    if not is_assessed.all():
        notes.append(f"documents in the log that were not assessed, not counted: {int((~is_assessed).sum())}")
    seconds = total[is_assessed]
    if seconds.empty:
        raise LackingError("the log has none of the documents assessed")
    relevant = view.documents["relevant"].reindex(seconds.index) > 0
    return pd.DataFrame({"seconds": seconds.astype(np.float64), "relevant": relevant}).reset_index()


def _spent(log: pd.DataFrame, longest_break: float, notes: list[str]) -> pd.DataFrame:
    """Give every action the time to the topic's next one; a long one is a break."""
    time = log["time"]
    if not pd.api.types.is_numeric_dtype(time):
        parsed = pd.to_datetime(time, errors="coerce", utc=True, format="ISO8601")
        if parsed.isna().any():
            wrong = time[parsed.isna()].iloc[0]
            message = f"`log` has the time {wrong!r}; write seconds, or dates such as 2006-11-02 14:05:30"
            raise InvalidOptionError(message)
        time = (parsed - parsed.min()).dt.total_seconds()
    rows = log[KEYS].assign(time=time.astype(np.float64)).sort_values(["topic", "time"], kind="stable")
    gap = rows.groupby("topic")["time"].shift(-1) - rows["time"]
    breaks = gap > longest_break
    if breaks.any():
        notes.append(f"pauses of more than {longest_break:g} s in the log, not counted as work: {int(breaks.sum())}")
    return rows.assign(seconds=gap.where(~breaks, 0.0).fillna(0.0))
