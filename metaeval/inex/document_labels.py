"""What several judges of elements or passages said of whole documents."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from metaeval.agreement.labels import Labels, as_labels
from metaeval.base.names import first_few, natural_order
from metaeval.errors import ScoresError
from metaeval.inex.assessments import Assessments
from metaeval.inex.element_runs import document_judgments


def on_common_topics(assessments: Mapping[str, Assessments]) -> tuple[dict[str, Assessments], tuple[str, ...]]:
    """Keep the topics that all judged, and say what was left out.

    Examples
    --------
    >>> frame = lambda *topics: pd.DataFrame({"topic": topics, "document": "d"})
    >>> ann, ben = (Assessments(scale="passages", documents=frame(*own)) for own in ("12", "23"))
    >>> kept, notes = on_common_topics({"ann": ann, "ben": ben})
    >>> kept["ann"].documents["topic"].tolist(), notes
    (['2'], ('topics that not all judged, left out: 2 of 3 (1, 3)',))
    """
    if len(assessments) < 2:  # noqa: PLR2004 - a comparison takes two
        raise ScoresError(f"agreement needs two judges, not {len(assessments)}")
    scales = {name: of_judge.scale for name, of_judge in assessments.items()}
    if len(set(scales.values())) > 1:
        listed = ", ".join(f"{name} {scale}" for name, scale in scales.items())
        raise ScoresError(f"the judges use different scales ({listed}); compare those of one campaign")
    judged = {name: set(of_judge.documents["topic"]) for name, of_judge in assessments.items()}
    common = set.intersection(*judged.values())
    if not common:
        raise ScoresError(
            f"no topic was judged by all of {', '.join(judged)}; are the files of one judge given one by one? "
            "Give their folder"
        )
    gone = natural_order(set.union(*judged.values()) - common)
    left = first_few(gone)
    notes = (f"topics that not all judged, left out: {len(gone)} of {len(gone) + len(common)} ({left})",)
    selected = {}
    for name, of_judge in assessments.items():
        tables = {table_name: getattr(of_judge, table_name) for table_name in ("documents", "elements", "passages")}
        on_common = {table_name: table[table["topic"].isin(common)] for table_name, table in tables.items()}
        selected[name] = replace(
            of_judge, **{table_name: table.reset_index(drop=True) for table_name, table in on_common.items()}
        )
    return selected, notes if gone else ()


def document_labels(assessments: Mapping[str, Assessments]) -> Labels:
    """Return what several judges of elements or passages said of whole documents: 1 where anything is relevant.

    Examples
    --------
    >>> judged = lambda *sizes: Assessments(
    ...     scale="passages",
    ...     documents=pd.DataFrame({"topic": "1", "document": ["d1", "d2"], "relevant_size": sizes}),
    ... )
    >>> document_labels({"ann": judged(30, 0), "ben": judged(20, 10)}).table["ben"].tolist()
    [1.0, 1.0]
    """
    selected, notes = on_common_topics(assessments)
    columns = {}
    for name, of_judge in selected.items():
        judgments = document_judgments(of_judge, of_judge.elements)
        topics = np.repeat(np.array(judgments.topics, dtype=object), np.diff(judgments.topic_offsets))
        items = [document.decode() for document in judgments.document_ids.tolist()]
        columns[name] = pd.Series(judgments.levels.astype(np.float64), index=pd.MultiIndex.from_arrays([topics, items]))
    labels = as_labels(pd.DataFrame(columns), scale=(0, 1))
    return replace(labels, notes=notes)
