"""`metaeval human`: do metrics agree with human scores, in translation, summarisation or elsewhere."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

from metaeval.cli import checks
from metaeval.cli import options as opt
from metaeval.cli.command import command
from metaeval.cli.option import Option, argument, choice
from metaeval.cli.reading import Answer, Loaded
from metaeval.errors import InvalidOptionError, UnknownNameError

if TYPE_CHECKING:
    import pandas as pd


_reading = partial(Option, panel="Reading")

_INPUTS = argument(
    "TABLES",
    "Tables with a header: one row per system and item (or per system), one column per metric or human score. "
    "Several files are joined by system and item. Or a folder of mt-metrics-eval: metric-scores/PAIR.",
)
_ITEM = _reading("COLUMN,…", "The columns that together identify an item, such as doc,seg.", checks.a_name, often=True)
_CLUSTER = _reading(
    "COLUMN", "The column that says which items hang together (the document of a sentence).", checks.a_name, often=True
)
_METRICS = _reading(
    "COLUMN,…",
    "The metrics to compare.",
    checks.names("names of columns by comma"),
    shown="every other column of numbers",
    often=True,
)
_WITHOUT = _reading(
    "SYSTEM", "A system to leave out (an outlier, a human translation); may be repeated.", checks.a_name
)
_STATISTIC = Option(
    "NAME,…",
    "pearson, spearman, kendall, accuracy; metrics are compared by the first.",
    checks.several(checks.one_of("pearson", "spearman", "kendall", "accuracy")),
    means="statistics",
)
_LEVEL = Option(
    "system,item,all", "Units of the agreement.", checks.several(checks.one_of("system", "item", "all")), means="levels"
)
_MIN_DIFFERENCE = Option(
    "POINTS",
    "Smallest difference of human scores with which a pair of systems counts on an item.",
    checks.number(least=0),
)
_PERMUTE = choice("Units of the permutation test that compares two metrics.", "both", "items", "systems")


@command("human", repeats=True)
def human(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    inputs: Annotated[list[str], _INPUTS],
    reference: Annotated[str, Option("COLUMN", "The column of human scores.", checks.a_name)],
    system: Annotated[str | None, _reading("COLUMN", "The column of systems.", checks.a_name, often=True)] = None,
    item: Annotated[str | None, _ITEM] = None,
    cluster: Annotated[str | None, _CLUSTER] = None,
    metrics: Annotated[str | None, _METRICS] = None,
    lower_is_better: Annotated[list[str] | None, opt.LOWER_IS_BETTER] = None,
    where: Annotated[list[str] | None, opt.WHERE] = None,
    without: Annotated[list[str] | None, _WITHOUT] = None,
    statistic: Annotated[str, _STATISTIC] = "pearson,kendall,accuracy",
    level: Annotated[str, _LEVEL] = "system,item",
    resample: Annotated[str, choice("Units to resample for intervals.", "items", "systems", "both")] = "items",
    min_difference: Annotated[float, _MIN_DIFFERENCE] = 0.0,
    permute: Annotated[str, _PERMUTE] = "both",
    test: Annotated[str, opt.TEST] = "t",
    correction: Annotated[str, opt.CORRECTION] = "fdr_by",
    alpha: Annotated[float, opt.ALPHA] = 0.05,
    resamples: Annotated[int, opt.RESAMPLES.but(words="Resamples and permutations.", shown=True)] = 1000,
    seed: Annotated[int, opt.SEED] = 0,
) -> Answer:
    """Compare automatic metrics with human scores.

    Which metric agrees better with people, and do both lead to the same conclusions about pairs of systems?

    For example:

        metaeval human scores.csv --reference human --system model --item doc

        metaeval human metrics.csv people.csv --reference Z.SCR --item doc,seg --cluster doc --out agreement
    """
    from metaeval.agreement.items import item_scores, system_means  # noqa: PLC0415 - loads xarray
    from metaeval.base.metric_names import split_names  # noqa: PLC0415 - as above
    from metaeval.io.items import item_columns, read_items, system_column  # noqa: PLC0415 - as above
    from metaeval.studies.human import study_human  # noqa: PLC0415 - loads scipy

    asked = [] if item is None else [name.strip() for name in item.split(",")]
    frame = read_items(inputs, system=system, item=asked, where=checks.parse_assignments(where, "--where"))
    loaded.read(*frame.attrs["sources"])
    own, items = system_column(frame, system, inputs[0]), item_columns(frame, asked, inputs[0])
    if without:
        frame = _without(frame, own, without)
    chosen = None if metrics is None else list(split_names(metrics))
    frame = frame.drop(columns=_filtered(frame, [own, *items, cluster, reference], where))
    falling = tuple(lower_is_better or ())
    if cluster is not None and not items:
        raise InvalidOptionError("--cluster groups items, and no column names them; name it with --item")
    scores = (
        item_scores(
            frame, reference=reference, system=own, item=items, cluster=cluster, metrics=chosen, lower_is_better=falling
        )
        if items
        else system_means(frame, reference=reference, system=own, metrics=chosen)
    )
    return loaded.ask(
        study_human,
        scores,
        statistics=split_names(statistic),
        levels=split_names(level),
        lower_is_better=() if items else falling,
    )


def _filtered(frame: "pd.DataFrame", used: Sequence[str | None], where: Sequence[str] | None) -> list[str]:
    """Return the columns of words that rows were chosen by, and that have done their work."""
    words = frame.select_dtypes(exclude="number").columns
    return [name for name in checks.parse_assignments(where, "--where") if name in words and name not in used]


def _without(frame: "pd.DataFrame", column: str, names: Sequence[str]) -> "pd.DataFrame":
    known = frame[column].drop_duplicates().tolist()
    for name in names:
        if name not in known:
            raise UnknownNameError("system", name, known)
    return frame[~frame[column].isin(names)]
