"""`metaeval human`: do metrics agree with human scores, in translation, summarisation or elsewhere."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

from metaeval.base.checks import check_choice
from metaeval.base.conditions import limits_of
from metaeval.cli import checks
from metaeval.cli import options as opt
from metaeval.cli.command import command
from metaeval.cli.option import Option, argument, choice
from metaeval.cli.reading import Answer, Loaded
from metaeval.errors import InvalidOptionError

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from metaeval.table.scores import Scores

_reading = partial(Option, panel="Reading")

_INPUTS = argument(
    "TABLES",
    "Tables with a header: one row per system and item (or per system), one column per metric or human score. "
    "Several files are joined by system and item. Or a folder of mt-metrics-eval: metric-scores/PAIR, with --tasks or "
    "--preset the whole folder.",
)
_SYSTEM = _reading("COLUMN", "The column of systems.", checks.a_name, name="--system-column --system", often=True)
_ITEM = _reading(
    "COLUMN,…",
    "The columns that together identify an item, such as doc,seg.",
    checks.a_name,
    name="--item-column --item",
    often=True,
)
_CLUSTER = _reading(
    "COLUMN",
    "The column that says which items hang together (the document of a sentence).",
    checks.a_name,
    name="--cluster-column --cluster",
    often=True,
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
    excludes="tasks preset",
)
_LEVEL = Option(
    "system,item,all",
    "Units of the agreement.",
    checks.several(checks.one_of("system", "item", "all")),
    means="levels",
    excludes="tasks preset",
)
_MIN_DIFFERENCE = Option(
    "POINTS",
    "Smallest difference of human scores with which a pair of systems counts on an item.",
    checks.finite_number(least=0),
    excludes="tasks preset",
)
_PERMUTE = choice(
    "What two metrics exchange: systems, for other systems too; both (cells) or items, for these alone.",
    "systems",
    "both",
    "items",
    excludes="tasks preset",
)


def _known_tasks(text: str) -> object:
    from metaeval.agreement.meta_tasks import parse_tasks  # noqa: PLC0415 - loads the package

    return parse_tasks(text, [""])


def _check_expectations(texts: list[str], _option: str) -> list[str]:
    from metaeval.inex.expectations import parse_preferences  # noqa: PLC0415 - loads numba

    parse_preferences(texts)
    return texts


_EXPECT = Option(
    "SYSTEM>SYSTEM,…",
    "What users expect of a metric, the better system first: A>A-empty,A>A-copied; a worse one without human "
    "scores counts nowhere else; may be repeated.",
    _check_expectations,
    means="expectations",
    excludes="tasks preset",
)
_CAMPAIGN = "A campaign"
_PRESET = choice(
    "The tasks, metrics and language pairs of a year's metrics task.",
    *("wmt22", "wmt23", "wmt24"),
    shown=False,
    panel=_CAMPAIGN,
    often=True,
    excludes="system item cluster where without lower_is_better set_column",
)
_TASKS = Option(
    "TASK,…",
    "Measures of the metrics tasks of WMT, averaged: accuracy, pearson, spearman, kendall, spa, acc_eq, tau_eq, "
    "pairwise_pearson, each MEASURE:LEVEL:GROUP, such as pearson:item.",
    checks.read_by(_known_tasks),
    shown=False,
    panel=_CAMPAIGN,
    often=True,
)
_OVER = choice(
    "System scores: those given, or means over all items; or means over the items in common with people.",
    *("all", "common"),
    panel=_CAMPAIGN,
    needs="tasks preset",
)
_EXCHANGE = choice(
    "What two metrics exchange under the null hypothesis.",
    *("published", "clusters", "items", "cells", "systems"),
    shown="published with --preset, else clusters",
    panel=_CAMPAIGN,
    needs="tasks preset",
)
_SEPARATE = Option(
    "METRIC,METRIC",
    "Two metrics: how many items would separate them.",
    checks.names("two metrics by comma"),
    shown=False,
    panel=_CAMPAIGN,
    needs="tasks preset",
)
_CEILING = Option(
    "NAME,…",
    "Other human scores, as if they were a metric: the agreement that people reach.",
    checks.names("names of human scores by comma"),
    shown=False,
    panel=_CAMPAIGN,
    needs="tasks preset",
)
_SET_COLUMN = Option(
    "COLUMN",
    "The column that says which set of systems a row belongs to (language pair, aspect).",
    checks.a_name,
    shown=False,
    panel=_CAMPAIGN,
    needs="tasks",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """How tables are read: what their columns are, and which rows and systems count."""

    system: Annotated[str | None, _SYSTEM] = None
    item: Annotated[str | None, _ITEM] = None
    cluster: Annotated[str | None, _CLUSTER] = None
    metrics: Annotated[str | None, _METRICS] = None
    lower_is_better: Annotated[list[str] | None, opt.LOWER_IS_BETTER] = None
    where: Annotated[list[str] | None, opt.WHERE] = None
    without: Annotated[list[str] | None, _WITHOUT] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Agreement:
    """How agreement is measured and tested."""

    statistic: Annotated[str, _STATISTIC] = "pearson,kendall,accuracy"
    level: Annotated[str, _LEVEL] = "system,item"
    resample: Annotated[str, choice("Units to resample for intervals.", "items", "systems", "both")] = "items"
    min_difference: Annotated[float, _MIN_DIFFERENCE] = 0.0
    permute: Annotated[str, _PERMUTE] = "systems"
    test: Annotated[str, opt.TEST] = "t"
    correction: Annotated[str, opt.CORRECTION] = "fdr_by"
    alpha: Annotated[float, opt.ALPHA] = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class _Campaign:
    """The tasks of a campaign."""

    preset: Annotated[str | None, _PRESET] = None
    tasks: Annotated[str | None, _TASKS] = None
    over: Annotated[str, _OVER] = "all"
    exchange: Annotated[str | None, _EXCHANGE] = None
    separate: Annotated[str | None, _SEPARATE] = None
    ceiling: Annotated[str | None, _CEILING] = None
    set_column: Annotated[str | None, _SET_COLUMN] = None


@command("human", repeats=True)
def human_command(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    inputs: Annotated[list[str], _INPUTS],
    reference: Annotated[
        str | None, Option("COLUMN", "The column of human scores.", checks.a_name, shown="that of the preset, mqm")
    ] = None,
    table: _Table,
    agreement: _Agreement,
    expect: Annotated[list[str] | None, _EXPECT] = None,
    campaign: _Campaign,
    resamples: Annotated[int, opt.RESAMPLES.but(words="Resamples and permutations.", shown=True)] = 1000,
    seed: Annotated[int, opt.SEED] = 0,
) -> Answer:
    """Compare automatic metrics with human scores.

    Which metric agrees better with people, and do both lead to the same conclusions about pairs of systems? People may
    also have voted which of two systems is better: files of votes take the place of human scores, by their content.

    For example:

        metaeval human scores.csv --reference human --system-column model --item-column doc

        metaeval human bleu.csv people.csv --reference Z.SCR --item-column doc,seg --cluster-column doc --out human

        metaeval human wmt23/ --preset wmt23 --out wmt23-report
    """
    from metaeval.base.metric_names import split_names  # noqa: PLC0415 - loads xarray
    from metaeval.questions.boards.study_decided import study_settled  # noqa: PLC0415 - as above
    from metaeval.questions.human.study import study_human  # noqa: PLC0415 - as above
    from metaeval.questions.human.study_campaign import study_campaign  # noqa: PLC0415 - loads scipy
    from metaeval.questions.human.study_campaign_files import holds_campaign  # noqa: PLC0415 - as above

    tasks = campaign.tasks
    if campaign.preset is not None or (tasks is not None and len(inputs) == 1 and holds_campaign(inputs[0])):
        return _of_campaign(loaded, inputs, reference, table, campaign)
    chosen = None if table.metrics is None else list(split_names(table.metrics))
    votes, frame = loaded.votes_apart(
        inputs, partial(_read, table=table, metrics=chosen, set_column=campaign.set_column)
    )
    if frame is None:
        raise InvalidOptionError(
            "these are votes alone; give a table of metrics beside them, or rank the systems by "
            "them with metaeval votes"
        )
    loaded.read(*frame.attrs["sources"])
    system, items = frame.attrs["system"], frame.attrs["items"]
    falling = tuple(table.lower_is_better or ())
    if table.without:
        frame = _without(frame, system, table.without)
    if votes:
        return loaded.ask(study_settled, votes, _scores_of(frame, system, items, chosen, falling))
    if reference is None:
        from metaeval.agreement.items import columns_of_people  # noqa: PLC0415 - loads xarray

        people = columns_of_people([*map(str, frame.columns)])
        such = f", such as `reference={people[0]!r}`" if people else " (`reference`)"
        raise InvalidOptionError(f"say which column holds the human scores{such}")
    used = [system, *items, table.cluster, campaign.set_column, reference]
    frame = frame.drop(columns=_filtered(frame, used, table.where))
    if table.cluster is not None and not items:
        raise InvalidOptionError("--cluster-column groups items, and no column names them; name it with --item-column")
    score = partial(_scored, reference=reference, cluster=table.cluster, metrics=chosen, falling=falling)
    if tasks is not None:
        if not items:
            raise InvalidOptionError(
                "--tasks compares metrics on items, and no column names them; name it with --item-column, or leave "
                "--tasks out"
            )
        parts = {"": frame} if campaign.set_column is None else _by_set(frame, campaign.set_column)
        sets = {name: score(rows, system, items) for name, rows in parts.items()}
        pair, second = _names(campaign.separate), _names(campaign.ceiling) or []
        return loaded.ask(study_campaign, sets, tasks=split_names(tasks), separate=pair, ceiling=second)
    return loaded.ask(
        study_human,
        score(frame, system, items),
        statistics=split_names(agreement.statistic),
        levels=split_names(agreement.level),
        lower_is_better=() if items else falling,
        expectations=expect or (),
    )


def _names(text: str | None) -> list[str] | None:
    from metaeval.base.metric_names import split_names  # noqa: PLC0415 - loads xarray

    return None if text is None else split_names(text)


def _of_campaign(
    loaded: Loaded, inputs: Sequence[str], reference: str | None, table: _Table, asked: _Campaign
) -> Answer:
    """Compare the metrics of a folder of mt-metrics-eval."""
    from metaeval.questions.human.study_campaign import study_campaign  # noqa: PLC0415 - loads scipy
    from metaeval.questions.human.study_campaign_files import read_campaign  # noqa: PLC0415 - as above

    if len(inputs) > 1:
        raise InvalidOptionError(f"a campaign is one folder, not {len(inputs)} files")
    _refuse_idle({**asdict(table), "metrics": None, "set_column": asked.set_column})
    metrics, second = _names(table.metrics), _names(asked.ceiling) or []
    campaign = read_campaign(
        inputs[0], asked.preset or "", tasks=_names(asked.tasks), human=reference, metrics=metrics, ceiling=second
    )
    loaded.read(*campaign.files)
    pair = _names(asked.separate)
    return loaded.ask(study_campaign, campaign, tasks=None, reference=None, separate=pair, ceiling=second)


def _read(
    files: Sequence[str], *, table: _Table, metrics: Sequence[str] | None, set_column: str | None
) -> "pd.DataFrame":
    from metaeval.io.items import read_items  # noqa: PLC0415 - loads pandas

    return read_items(
        files,
        system=table.system,
        item=[] if table.item is None else [name.strip() for name in table.item.split(",")],
        where=checks.parse_where(table.where),
        metrics=metrics,
        set_column=set_column,
        cluster=table.cluster,
    )


def _scored(  # noqa: PLR0913 - the roles of columns
    frame: "pd.DataFrame",
    system: str,
    items: Sequence[str],
    *,
    reference: str,
    cluster: str | None,
    metrics: Sequence[str] | None,
    falling: Sequence[str],
) -> "xr.DataArray | pd.DataFrame":
    """Return scores by item, or the means of systems where no column names items."""
    from metaeval.agreement.items import item_scores, system_means  # noqa: PLC0415 - loads xarray

    if not items:
        return system_means(frame, reference=reference, system=system, metrics=metrics)
    return item_scores(
        frame, reference=reference, system=system, item=items, cluster=cluster, metrics=metrics, lower_is_better=falling
    )


def _refuse_idle(of_tables: Mapping[str, object]) -> None:
    """Refuse what chooses columns and rows of tables, which a folder of mt-metrics-eval has no use for."""
    for name, value in of_tables.items():
        if value:
            message = f"`{name}` is about tables, and a folder of mt-metrics-eval names its systems and items itself"
            raise InvalidOptionError(f"{message}; leave it out, or give the folder of a pair without --tasks")


def _scores_of(
    frame: "pd.DataFrame", system: str, items: Sequence[str], metrics: Sequence[str] | None, falling: Sequence[str]
) -> "Scores":
    """Return the metrics of a table as scores by item, which votes take the place of human scores for."""
    from metaeval.agreement.items import metric_columns  # noqa: PLC0415 - loads xarray
    from metaeval.agreement.summary_rows import without_summaries  # noqa: PLC0415 - as above
    from metaeval.table.scores import as_scores  # noqa: PLC0415 - as above

    if not items:
        raise InvalidOptionError("votes are compared with metrics on items, and no column names them; name it (`item`)")
    for name in falling:
        check_choice(name, "metric", frame.columns)
    names, _ = metric_columns(frame, [system, *items], None, metrics, said=falling)
    frame, _ = without_summaries(frame, system, items, names)
    words = frame[[*items]].astype(str).agg(" ".join, axis=1)
    long = frame.assign(system=frame[system].astype(str), topic=words)[["system", "topic", *names]]
    long = long.melt(["system", "topic"], names, var_name="metric", value_name="score").dropna()
    return as_scores(long, missing="pairwise", higher_is_better=dict.fromkeys(falling, False))


def _by_set(frame: "pd.DataFrame", column: str) -> dict[str, "pd.DataFrame"]:
    if column not in frame.columns:
        raise InvalidOptionError(f"no column {column!r} says which set a row belongs to (--set-column)")
    return {str(name): rows.drop(columns=column) for name, rows in frame.groupby(column, sort=True)}


def _filtered(frame: "pd.DataFrame", used: Sequence[str | None], where: Sequence[str] | None) -> list[str]:
    """Return the columns that rows were chosen by and that have done their work: of words, or one number."""
    words = frame.select_dtypes(exclude="number").columns
    chosen = {name: text for name, text in checks.parse_where(where).items() if name in frame and name not in used}
    return [
        name for name, text in chosen.items() if name in words or limits_of(text) or len({*frame[name].tolist()}) == 1
    ]


def _without(frame: "pd.DataFrame", column: str, names: Sequence[str]) -> "pd.DataFrame":
    systems = frame[column].drop_duplicates().tolist()
    for name in names:
        check_choice(name, "system", systems)
    return frame[~frame[column].isin(names)]
