"""The record of a leaderboard's test, as JSON has it; `study_card` fills it in."""

from typing import TypedDict


class MetricRecord(TypedDict):
    """What a card says of one metric."""

    metric: str
    n_may_be_first: int
    n_may_be_first_error: float | None
    n_significant: int
    n_pairs: int
    share: float
    share_error: float | None
    n_adjacent_significant: int
    n_adjacent: int
    n_adjacent_error: float | None
    detectable_difference: float | None


class Treatment(TypedDict):
    """What was done to clusters, gaps and systems."""

    clusters: str | None
    n_missing: int
    settled: list[str]
    left_out: list[str]


class Decision(TypedDict):
    """The one decision about all pairs of a metric."""

    method: str
    family: str
    alpha: float


class Detectable(TypedDict):
    """How detectable differences were tested."""

    test: list[str]
    correction: str
    pair: str
    power: float


class Card(TypedDict):
    """The record; see `LeaderboardStudy.card`."""

    schema: str
    n_systems: int
    n_items: int | None
    treatment: Treatment | None
    decision: Decision
    metrics: list[MetricRecord]
    detectable: Detectable | None
    version: str
    created: str
    command: str
    random_source: str | None
    inputs: dict[str, str]
