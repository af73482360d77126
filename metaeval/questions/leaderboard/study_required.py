"""Whether what was required of one system is established: its mean beside a number needs no other system."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import pandas as pd

from metaeval.base.names import count
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.studies.study import Study
from metaeval.table.scores import Scores
from metaeval.table.structure import engine_scores
from metaeval.table.units import design_notes
from metaeval.tests_stat.requirements import Requirements, check_requirements


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RequirementsStudy(Study):
    """What was required of one system, and whether its scores establish it."""

    reported_by: ClassVar[str] = "metaeval.questions.leaderboard.page_asked:required_report"

    scores: Scores
    """Those of the one system."""
    requirements: Requirements
    alpha: float
    notes: tuple[str, ...]
    provenance: Provenance

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and requirement; see `metaeval.tests_stat.requirements.Requirements.to_frame`."""
        return self.requirements.to_frame()

    def _found(self) -> str:
        rows = self.to_frame()
        return f"{int((rows['state'] == 'met').sum())} of {count(len(rows), 'requirement')} met"


def study_requirements(
    checked: Scores, requirements: Sequence[str], *, alpha: float, provenance: Provenance | None
) -> RequirementsStudy:
    """Test requirements on the mean of one system; see `metaeval.study_leaderboard`."""
    table = engine_scores(checked, "requirements", fewest=1)
    return RequirementsStudy(
        scores=table,
        requirements=check_requirements(table, requirements, alpha=alpha),
        alpha=float(alpha),
        notes=(*table.attrs.get("notes", ()), *design_notes(table)),
        provenance=provenance or record_provenance("study_leaderboard"),
    )
