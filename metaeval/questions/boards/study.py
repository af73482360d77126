"""Do two boards of the same systems lead to the same conclusions? Two benchmarks, two versions, two aggregates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar

import numpy as np
import pandas as pd

from metaeval.agreement.aggregates import aggregate_scores
from metaeval.base.checks import check_choice, refused
from metaeval.base.names import first_few, natural_order
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.base.unit import unit_of
from metaeval.errors import EstimationError, InvalidOptionError, ScoresError
from metaeval.models.drift import VersionDrift, version_drift
from metaeval.models.settling import Board, SettledPairs, names_on, settled_pairs
from metaeval.resampling.cluster_residuals import placed
from metaeval.running.draws import RNGLike, resolve_seed
from metaeval.studies.study import Attempts, Study
from metaeval.table.means import SystemMeans, as_means, is_board
from metaeval.table.scores import Scores, as_scores, gaps_are_kept
from metaeval.table.structure import engine_scores
from metaeval.table.units import design_notes
from metaeval.tests_stat.pairs import all_pairs

_TWO = 2
_INDEPENDENT = (
    "means with standard errors, taken for independent; if systems have the same items, scores by item may settle more"
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardsStudy(Study):
    """Two boards of partly the same systems, compared."""

    reported_by: ClassVar[str] = "metaeval.questions.boards.page:boards_report"

    scores: Mapping[str, Board]
    """The scores, or the means with their errors, of each board under its metric, of all its systems."""
    found: SettledPairs
    """The pairs of systems that the boards settle, and the ranks, among the systems of both."""
    drift: VersionDrift | None
    """What changed on the items of both boards; None without such items, for means and for aggregates of one table."""
    aggregates: bool
    """Whether the boards are aggregates of one table."""
    unanswered: Mapping[str, str]
    notes: tuple[str, ...]
    provenance: Provenance

    @property
    def names(self) -> tuple[str, str]:
        """The boards."""
        first, second = self.found.voices
        return first, second

    def to_frame(self) -> pd.DataFrame:
        """Return one row a ``system`` of both boards.

        Ranks stand under the names of the boards, such as ``first`` and ``second``, with ``_low`` and ``_high``;
        ``moved`` says that the two intervals have no rank in common, and ``opposite`` that the system is in a pair that
        the boards settle in opposite directions.
        """
        return self.found.ranked().merge(self.found.moves(*self.names), on="system")

    def opposite(self) -> pd.DataFrame:
        """Return the pairs that the boards settle in opposite directions, those furthest apart on both first.

        One row a pair: better and worse (on the first board), n_ranks (between them, on the board where these are
        fewer), and n_wrong, the chance that either decision is wrong, as the draws expect it.
        """
        settled = self.found
        a, b = (side[np.prod(settled.verdicts, axis=0) < 0] for side in all_pairs(len(settled.systems)))
        turned = settled.estimates[0, a] < settled.estimates[0, b]
        better, worse = np.where(turned, b, a), np.where(turned, a, b)
        names, rank = np.array(settled.systems, dtype=object), settled.ranks[:, 0]
        wrong = np.minimum(settled.wrong.sum(axis=0)[np.prod(settled.verdicts, axis=0) < 0], 1.0)
        frame = pd.DataFrame(
            {
                "better": names[better],
                "worse": names[worse],
                "n_ranks": np.abs(rank[:, a] - rank[:, b]).min(axis=0).astype(int),
                "n_wrong": wrong,
            }
        )
        return frame.sort_values("n_ranks", ascending=False, kind="stable", ignore_index=True)


def study_boards(  # noqa: PLR0913 - every option of the command
    boards: object,
    *,
    metric: str | None = None,
    aggregates: Sequence[str] = (),
    alpha: float = 0.05,
    rng: RNGLike = None,
    provenance: Provenance | None = None,
) -> BoardsStudy:
    """Compare two boards of partly the same systems: the pairs that both settle, one alone, or in opposite directions.

    Parameters
    ----------
    boards : mapping of str to Scores or anything `metaeval.as_scores` takes, or to means with standard errors
        Two boards by their names: two benchmarks, or two versions of one. With `aggregates`, the scores of one board.
        Means with standard errors are a table, or what `metaeval.table.means.as_means` returns.
    metric : str, optional
        The metric of both; by default the first that both have. A board with a single metric is compared by that.
    aggregates : sequence of two str, optional
        Compare two aggregates of one board, such as mean and win rate; see
        `metaeval.agreement.aggregates.aggregate_scores`.
    alpha : float, default 0.05
        Each board settles no pair wrongly with a probability of at least 1 - alpha; the level of the test on common
        items, corrected over the systems (Holm).
    rng : None, int or numpy.random.Generator
    provenance : Provenance, optional

    Returns
    -------
    BoardsStudy
        One row a ``system`` in ``to_frame()``, with its ranks on both boards: see `BoardsStudy.to_frame`.

    Raises
    ------
    ScoresError
        If fewer than two systems are on both boards.
    InvalidOptionError
        If there are not two boards, or a metric or aggregate is unknown.

    See Also
    --------
    metaeval.questions.leaderboard.study.study_leaderboard : of one board
    metaeval.models.settled_pairs, metaeval.models.version_drift

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> scores = simulate_scores(n_systems=6, n_topics=60, metrics=["P@10"], rng=1)
    >>> boards = {"old": scores.isel(topic=slice(40)), "new": scores.isel(topic=slice(20, 60))}
    >>> study = study_boards(boards, rng=1)
    >>> study.found.relations("old", "new")[["relation", "n_pairs"]].to_numpy().tolist()[:2]
    [['alike', 3], ['opposite', 0]]
    """
    seed = resolve_seed(rng)
    named_boards = _two_aggregates(boards, aggregates, metric) if aggregates else _two_boards(boards, metric)
    notes: list[str] = []
    systems = [set(names_on(board, "system")) for board in named_boards.values()]
    common = systems[0] & systems[1]
    if len(common) < _TWO:
        systems_by_board = "; ".join(
            f"{name}: {first_few(natural_order(board_systems))}"
            for name, board_systems in zip(named_boards, systems, strict=True)
        )
        rule = "boards are compared by systems of the same names"
        raise ScoresError(f"{rule}; both have {len(common)} ({systems_by_board})")
    ranked: dict[str, Board] = {}
    for name, board in named_boards.items():
        if isinstance(board, SystemMeans):
            ranked[name] = board.of(common)
            notes += [f"{name}: " + note for note in (_INDEPENDENT, *board.notes)]
            continue
        shared = board.sel(system=[system for system in board["system"].to_numpy().tolist() if system in common])
        is_placed = placed(shared) if shared.sizes["system"] >= _TWO else np.ones(shared.sizes["system"], dtype=bool)
        if not is_placed.all():
            not_placed = natural_order(shared["system"].to_numpy()[~is_placed].tolist())
            items = unit_of(board).topics
            notes.append(
                f"{name}: not ranked, for want of scores on {items} that others have too: {first_few(not_placed)}"
            )
        ranked[name] = shared.isel(system=np.flatnonzero(is_placed))
        notes += [f"{name}: " + note for note in (*design_notes(board), *board.attrs.get("notes", ()))]
    for name, board_systems, other_systems in zip(named_boards, systems, reversed(systems), strict=True):
        if alone := natural_order(board_systems - other_systems):
            notes.append(f"on {name} alone ({len(alone)}): {first_few(alone)}")
    settled = settled_pairs(ranked, alpha=alpha, rng=seed)
    notes += [
        f"{name}: too few {unit_of(named_boards[name]).clusters} for draws; its pairs are decided by t tests (Holm)"
        for name in settled.tested
    ]
    attempt = Attempts(ScoresError, EstimationError, InvalidOptionError, of=dict(named_boards))
    with_items = [board for board in named_boards.values() if not isinstance(board, SystemMeans)]
    drift = None
    if any("numbered" in board.attrs for board in with_items):
        notes.append("without names of items nothing says which items both boards have")
    elif not aggregates and len(with_items) == _TWO and _shares_items(*with_items):
        drift = attempt("What changed on the items of both boards", lambda: version_drift(*with_items, alpha=alpha))
        metrics = [str(board["metric"].to_numpy()[0]) for board in with_items]
        if metrics[0] != metrics[1]:
            notes.append(f"on common items {metrics[0]} and {metrics[1]} are taken for one metric")
    return BoardsStudy(
        scores=MappingProxyType(named_boards),
        found=settled,
        drift=drift,
        aggregates=bool(aggregates),
        unanswered=MappingProxyType(dict(attempt.failed)),
        notes=tuple(dict.fromkeys(notes)),
        provenance=provenance or record_provenance("study_boards", random_source=f"seed {seed}"),
    )


def _board(scores: object) -> Board:
    if isinstance(scores, SystemMeans):
        return scores
    return as_means(scores) if is_board(scores) else _table(scores)


def _table(scores: object) -> Scores:
    table = as_scores(scores, missing="pairwise" if gaps_are_kept(scores) else "error")
    return engine_scores(table, "the leaderboard")


def _shares_items(first: Scores, second: Scores) -> bool:
    return bool(np.isin(first["topic"].to_numpy(), second["topic"].to_numpy()).any())


def _two_aggregates(boards: object, aggregates: Sequence[str], metric: str | None) -> dict[str, Board]:
    """Return two aggregates of one board, each as a board."""
    if len(aggregates) != _TWO:
        raise InvalidOptionError(f"`aggregates` names two to compare, not {len(aggregates)}")
    if isinstance(boards, Mapping) and not hasattr(boards, "dims"):
        if len(boards) != 1:
            raise InvalidOptionError(f"aggregates are of one board, and there are {len(boards)}")
        boards = next(iter(boards.values()))
    if isinstance(boards, SystemMeans) or is_board(boards):
        rule = "are of scores by item, and these are means with standard errors; give the scores, or compare two boards"
        raise refused("aggregates", rule, None)
    table = _table(boards)
    name = metric or str(table["metric"].to_numpy()[0])
    check_choice(name, "metric", table["metric"].to_numpy().tolist())
    aggregated = aggregate_scores(table.sel(metric=[name]), aggregates=aggregates)
    return {aggregate: aggregated.sel(metric=[aggregate]) for aggregate in aggregates}


def _two_boards(boards: object, metric: str | None) -> dict[str, Board]:
    """Return two boards, each under its metric."""
    if isinstance(boards, list | tuple):
        listed = f"in a {type(boards).__name__} they have none"
        raise InvalidOptionError(f"two boards are compared, by their names, and {listed}; pass {{name: board}} of both")
    if not isinstance(boards, Mapping) or len(boards) != _TWO:
        n = len(boards) if isinstance(boards, Mapping) else 1
        raise InvalidOptionError(f"two boards are compared, by their names; there {'is 1' if n == 1 else f'are {n}'}")
    tables = {str(name): _board(scores) for name, scores in boards.items()}
    board_metrics = [names_on(table, "metric") for table in tables.values()]
    shared = [name for name in board_metrics[0] if name in board_metrics[1]]
    wanted = metric if metric is not None else shared[0] if shared else None
    chosen = [of_board[0] if len(of_board) == 1 and wanted not in of_board else wanted for of_board in board_metrics]
    if None in chosen:
        metrics_by_board = "; ".join(
            f"{name}: {first_few(of_board)}" for name, of_board in zip(tables, board_metrics, strict=True)
        )
        raise InvalidOptionError(
            f"the boards have no metric in common ({metrics_by_board}); name the one to compare (`metric`)"
        )
    for candidate, of_board in zip(chosen, board_metrics, strict=True):
        check_choice(candidate, "metric", of_board)
    selected: dict[str, Board] = {}
    for (name, table), chosen_metric in zip(tables.items(), map(str, chosen), strict=True):
        others = [candidate for candidate in names_on(table, "metric") if candidate != chosen_metric]
        note = [f"compared by {chosen_metric}, the first metric of both boards"] if others and metric is None else []
        if isinstance(table, SystemMeans):
            selected[name] = replace(table.under([chosen_metric]), notes=(*table.notes, *note))
        else:
            selected[name] = table.sel(metric=[chosen_metric]).assign_attrs(
                notes=[*table.attrs.get("notes", ()), *note]
            )
    return selected
