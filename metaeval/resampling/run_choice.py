"""How far does discriminative power depend on the runs that were compared? Its spread over many choices of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from metaeval.base.checks import MOST_REPLICATES, check_count, check_share
from metaeval.base.names import count, first_few
from metaeval.base.results import Figure, Result
from metaeval.base.words import bracketed
from metaeval.errors import InvalidOptionError
from metaeval.running.draws import RNGLike, resolve_rng
from metaeval.running.parallel import track
from metaeval.table.scores import Scores, select_runs
from metaeval.table.structure import engine_scores
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.correction import CORRECTIONS, adjust
from metaeval.tests_stat.counting import check_resamples
from metaeval.tests_stat.labels import labelled
from metaeval.tests_stat.pairs import ask
from metaeval.tests_stat.result import is_significant

_SPREAD = ("mean", "standard_deviation", "low", "high", "smallest", "largest")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunChoicePower(Result):
    """Discriminative power over many choices of runs, per correction and metric."""

    data: xr.Dataset
    """Dims ``correction``, ``metric``, ``choice`` and ``system``; variables ``power`` (correction, metric, choice) and
    ``chosen`` (choice, system)."""
    test: str
    """The test that decides about a pair."""
    alpha: float
    """Its level."""
    choose: str | int
    """How the systems were chosen."""
    confidence_level: float
    """Share of the choices that lies between ``low`` and ``high``."""
    n_resamples: int | None
    """B of a resampling test."""
    n_choices: int
    n_topics: int
    random_source: str
    """Where the draws came from."""

    @property
    def n_systems(self) -> int:
        """Number of systems in a choice."""
        return int(self.data["chosen"][0].sum())

    def _found(self) -> str:
        rows = self.to_frame().head(self.data.sizes["metric"])
        powers = [f"{bracketed(row.mean, row.low, row.high)} under {row.metric}" for row in rows.itertuples()]
        choices = f"over {count(self.n_choices, 'choice')} of {count(self.n_systems, 'run')}"
        return f"power {first_few(powers)} {choices} ({CORRECTIONS.words(rows['correction'].iloc[0])})"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a correction and metric, with the spread of its power over the choices.

        Columns ``metric``, ``test``, ``correction``, ``n_systems``, ``mean``, ``standard_deviation``, ``low``, ``high``
        (quantiles), ``smallest``, ``largest``.
        """
        return self._describe(self.data["power"], ["metric"])

    def differences(self) -> pd.DataFrame:
        """Return one row a correction and two metrics, for power of the first minus power of the second.

        The columns are those of `to_frame` with metric_a and metric_b, and first_higher: the share of choices in
        which the first metric has the higher power, equal powers counting half.
        """
        columns = ["metric_a", "metric_b", "test", "correction", "n_systems", *_SPREAD, "first_higher"]
        parts = []
        for first, second in combinations(self.data["metric"].to_numpy().tolist(), 2):
            first_power, second_power = (self.data["power"].sel(metric=name, drop=True) for name in (first, second))
            frame = self._describe(
                (first_power - second_power).assign_coords(metric_a=first, metric_b=second), columns[:2]
            )
            higher = ((first_power > second_power) + 0.5 * (first_power == second_power)).mean("choice").to_numpy()
            parts.append(frame.assign(first_higher=higher))
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)

    def _draw(self) -> Figure:
        """Draw the mean powers with the range over the choices."""
        from metaeval.figures.power import power_dots  # noqa: PLC0415 - matplotlib

        names = {"mean": "power", "low": "power_low", "high": "power_high"}
        return power_dots(labelled(self.to_frame()).rename(columns=names))

    def _describe(self, power: xr.DataArray, keys: list[str]) -> pd.DataFrame:
        tail = (1 - self.confidence_level) / 2
        values = (
            power.mean("choice"),
            power.std("choice", ddof=1),
            power.quantile(tail, "choice").drop_vars("quantile"),
            power.quantile(1 - tail, "choice").drop_vars("quantile"),
            power.min("choice"),
            power.max("choice"),
        )
        table = xr.Dataset(dict(zip(_SPREAD, values, strict=True)))
        frame = table.to_dataframe().reset_index().assign(test=self.test, n_systems=self.n_systems)
        return frame[[*keys, "test", "correction", "n_systems", *_SPREAD]]


def run_choice_power(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    choose: str | int = "one-per-group",
    test: str = "t",
    corrections: str | Sequence[str] = ("none", "fdr_by"),
    alpha: float = 0.05,
    n_resamples: int = 1000,
    n_choices: int = 200,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> RunChoicePower:
    """Measure how discriminative power varies with the choice of runs.

    Published comparisons take one run per team at random, once ([1]_, section 4); here the choice is made many times.
    The topics stay the same, and so does the decision about a pair: the test is run once over all pairs.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        With groups, if `choose` is "one-per-group".
    choose : "one-per-group" or int
        One run of every group, or so many of all.
    test : str, default "t"
        A name in `metaeval.tests_stat.catalogue.TESTS`, except the tests whose p-value of a pair depends on the other
        systems (max-t, Tukey's HSD); "bootstrap_sensitivity" is Sakai's method.
    corrections : str or sequence of str, default ("none", "fdr_by")
        The family is the pairs of one choice; see `metaeval.tests_stat.correction.adjust`.
    alpha : float, default 0.05
        Level of the test.
    n_resamples : int, default 1000
        B of a resampling test.
    n_choices : int, default 200
        How often runs are chosen.
    confidence_level : float, default 0.95
        Share of the choices between the two quantiles that are shown.
    rng : None, int or numpy.random.Generator
        The test draws first, then the choices.
    n_threads : int, optional
        Cores to use; the result does not depend on it.

    Returns
    -------
    RunChoicePower
        One row a ``metric`` and ``correction`` in ``to_frame()``: the ``test``, ``n_systems`` chosen, and of the power
        over the choices (0 to 1) ``mean``, ``standard_deviation``, ``low`` and ``high`` (quantiles), ``smallest`` and
        ``largest``.

    Raises
    ------
    ScoresError
        If the scores have gaps or too few systems or topics.
    InvalidOptionError
        If there are no groups, or an option is outside its rule.

    See Also
    --------
    metaeval.resampling.power_interval.discriminative_power_interval : how far it depends on the topics

    References
    ----------
    .. [1] Sakai and Kando (2008). On information retrieval metrics designed for evaluation with incomplete relevance
       assessments. Information Retrieval. :doi:`10.1007/s10791-008-9059-7`

    Examples
    --------
    >>> from metaeval import as_scores
    >>> scores = as_scores(
    ...     np.random.default_rng(1).normal([[0.0], [0.1], [0.2], [0.9]], 1.0, (4, 40)),
    ...     groups={"system1": "x", "system2": "x", "system3": "y", "system4": "y"},
    ... )
    >>> choices = run_choice_power(scores, n_choices=50, rng=1)
    >>> choices.to_frame()[["metric", "correction", "n_systems", "smallest", "largest"]].head(1)
        metric correction  n_systems  smallest  largest
    0  metric1       none          2       0.0      1.0
    """
    scores = engine_scores(scores, "power over choices of runs")
    spec = TESTS.find(test)
    corrections = tuple(CORRECTIONS.several(corrections))
    check_share(confidence_level, "confidence_level")
    check_count(n_choices, "n_choices", least=2, most=MOST_REPLICATES)
    check_resamples(n_resamples)
    if spec.family_wise:
        raise InvalidOptionError(
            f"test {spec.name!r} looks at all systems at once, so choosing among its pairs means nothing; use another"
        )
    if choose == "all":
        raise InvalidOptionError("`choose='all'` leaves nothing to choose; use 'one-per-group' or a number of systems")
    source = resolve_rng(rng)
    result = compare_systems(
        scores,
        test=spec.name,
        correction="none",
        alpha=alpha,
        n_resamples=n_resamples,
        rng=source,
        n_threads=n_threads,
    )
    chosen = _choices(scores, choose, n_choices, source.generator)
    question = ask(scores, alpha=alpha)
    power = np.empty((len(corrections), len(result.metrics), n_choices))
    for choice in track(range(n_choices), description="Choosing runs", total=n_choices):
        mask = chosen[choice][question.first] & chosen[choice][question.second]
        p_values = result.data["p_value"].to_numpy()[:, mask]
        for index, correction in enumerate(corrections):
            corrected = adjust(p_values, correction, all_pairs=True)
            significant = is_significant(corrected, alpha, strictly_below=result.strictly_below)
            power[index, :, choice] = significant.mean(axis=1)
    return RunChoicePower(
        data=xr.Dataset(
            {"power": (("correction", "metric", "choice"), power), "chosen": (("choice", "system"), chosen)},
            coords={
                "correction": list(corrections),
                "metric": scores["metric"].to_numpy(),
                "system": scores["system"].to_numpy(),
            },
        ),
        test=spec.name,
        alpha=float(alpha),
        choose=choose,
        confidence_level=float(confidence_level),
        n_resamples=n_resamples if spec.resampled else None,
        n_choices=n_choices,
        n_topics=scores.sizes["topic"],
        random_source=source.description,
    )


def _choices(scores: Scores, choose: str | int, n_choices: int, generator: np.random.Generator) -> NDArray[np.bool_]:
    """Choose runs so many times, an array (choice, system)."""
    names = scores["system"].to_numpy()
    slim = scores.isel(metric=[0], topic=[0])
    return np.stack(
        [np.isin(names, select_runs(slim, choose, generator)["system"].to_numpy()) for _ in range(n_choices)]
    )
