"""Is this leaderboard's ranking real? What means and standard errors alone tell, where no scores by item are."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
import pandas as pd

from metaeval.base.checks import refused
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.base.results import shown_by
from metaeval.base.unit import ITEM, Unit
from metaeval.questions.leaderboard.study_record import Card
from metaeval.resampling.means_and_errors import RanksFromErrors, rank_intervals_from_errors
from metaeval.resampling.ranks import RankMethod
from metaeval.studies.study import Study
from metaeval.table.means import SystemMeans


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeansLeaderboardStudy(Study):
    """Reliability of a leaderboard's ranking, from means and standard errors."""

    reported_by: ClassVar[str] = "metaeval.questions.leaderboard.page_means:means_report"

    board: SystemMeans
    """What was given."""
    ranks: RanksFromErrors
    """Intervals of the ranks, probabilities and decisions about pairs, as if errors were independent."""
    top: int | None
    """How many systems somebody asked about as the top; where nobody did, 3 count as it."""
    alpha: float
    """Significance level; intervals hold at 1 - alpha."""
    notes: tuple[str, ...]
    provenance: Provenance

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and system, best first: `ranks` and the letters of groups not separated."""
        frame = self.ranks.to_frame()
        return frame.merge(self.ranks.groups()[["metric", "system", "letters"]], on=["metric", "system"])

    def pair_counts(self) -> pd.DataFrame:
        """Return one row a metric and family of pairs ("all", "adjacent"): n_significant, n_pairs, share."""
        pairs = self.ranks.pairs()
        rows = []
        for metric in self.board.metrics:
            of_metric = pairs[pairs["metric"] == metric]
            order = self.to_frame().query("metric == @metric")["system"].tolist()
            near = {frozenset(pair) for pair in pairwise(order)}
            adjacent = np.array(
                [frozenset(pair) in near for pair in zip(of_metric["system_a"], of_metric["system_b"], strict=True)]
            )
            for family, selected in (("all", of_metric), ("adjacent", of_metric[adjacent])):
                n_significant = int(selected["significant"].sum())
                rows.append((metric, family, n_significant, len(selected), n_significant / len(selected)))
        return pd.DataFrame(rows, columns=["metric", "family", "n_significant", "n_pairs", "share"])

    def card(self) -> Card:
        """Return the record of `LeaderboardStudy.card`, without what only scores by item tell (None)."""
        record: Card = shown_by("metaeval.questions.leaderboard.study_card:card_of_means")(self)
        return record

    def _read_as(self) -> str:
        return self.board.read_as

    def _unit(self) -> Unit:
        return ITEM


def study_means(  # noqa: PLR0913 - what the leaderboard was asked
    board: SystemMeans, *, top: int | None, alpha: float, method: RankMethod, seed: int, provenance: Provenance | None
) -> MeansLeaderboardStudy:
    """Test which ranks of a leaderboard of means and standard errors are reliable; see `study_leaderboard`."""
    return MeansLeaderboardStudy(
        board=board,
        ranks=rank_intervals_from_errors(board, top=top or 3, method=method, confidence_level=1 - alpha, rng=seed),
        top=top,
        alpha=float(alpha),
        notes=board.notes,
        provenance=provenance or record_provenance("study_leaderboard", random_source=f"seed {seed}"),
    )


def refuse_without_items(
    baseline: str | Sequence[str] | None, requirements: Sequence[str], cohorts: Sequence[str] | None
) -> None:
    """Refuse what only scores by item can answer."""
    unanswerable = {
        "baseline": bool(baseline),
        "requirements": bool(requirements),
        "cohorts": bool(cohorts),
    }
    for name, asked in unanswerable.items():
        if asked:
            raise refused(name, "needs scores by item, and these are means with standard errors; leave it out", None)
