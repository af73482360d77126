"""`metaeval check-metric`: whether a metric of one's own obeys the laws that the built-in ones obey."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from metaeval.cli import checks
from metaeval.cli import options as opt
from metaeval.cli.command import command
from metaeval.cli.console import NotEstablishedError
from metaeval.cli.option import Option, argument
from metaeval.cli.reading import Answer, Loaded
from metaeval.errors import InvalidOptionError

if TYPE_CHECKING:
    from metaeval.metrics.registry import Registry

_METRIC = argument(
    "METRIC", "Python files with metrics of your own, defined with @metric, or names of installed metrics."
)
_METRICS = Option(
    "NAME,…",
    "Names of the metrics with parameters, needed if a parameter has no default, such as TopRecall@20.",
    checks.a_name,
    shown="each with its defaults, and k = 10",
    means="metric",
)
_TIME = Option(None, "Measure the time per ranking, compared with nDCG@10; varies from run to run.", means="timed")
_COLLECTIONS = Option("N", "Number of simulated collections.", checks.whole_number(1, 10_000), means="n_collections")


@command("check-metric")
def check_metric_command(  # noqa: PLR0913 - one keyword per option
    loaded: Loaded,
    *,
    metric: Annotated[list[str], _METRIC],
    metrics: Annotated[str | None, _METRICS] = None,
    collections: Annotated[int, _COLLECTIONS] = 20,
    time: Annotated[bool, _TIME] = False,
    seed: Annotated[int, opt.SEED] = 0,
) -> Answer:
    """Test a metric of your own with the laws of the built-in ones.

    Each law is tested on simulated collections with graded, unjudged and missing documents, and on edge cases. Scores
    must be within their bounds; independent of order, names and other runs; right if nothing is relevant, at the
    cut-off and on condensed lists; and as the metric declares, with linear, strict and exponential gains where it takes
    gains. A violated law is shown on the smallest ranking that
    violates it, and the exit code is 1. Further tables say whether the metric prefers the lists that users prefer, and
    describe it.

    For example:

        metaeval check-metric my_metric.py

        metaeval check-metric my_metric.py --metrics "TopRecall@20,TopRecall@100"
    """
    import pandas as pd  # noqa: PLC0415 - one of what loads late

    from metaeval.base.metric_names import split_names  # noqa: PLC0415 - loads numba with the rest of its package
    from metaeval.questions.check_metric.page import check_metric_report  # noqa: PLC0415 - loads pandas
    from metaeval.testing import examine_metric  # noqa: PLC0415 - loads numba

    files = [Path(text) for text in metric if text.endswith(".py")]
    names = [text for text in metric if not text.endswith(".py")]
    registry, defined = _registry_with(files)
    loaded.read(*files)
    if metrics is not None:
        names += map(str, split_names(metrics))
    else:
        names += [_with_defaults(registry, name) for file in files for name in defined[file]]
    if not names:
        message = f"{files[0]} defines quantisations and no metric; name a metric that uses them with --metrics"
        raise InvalidOptionError(message)
    examined = pd.concat(
        [
            examine_metric(name, registry=registry, n_collections=collections, timed=time, rng=seed).to_frame()
            for name in dict.fromkeys(names)
        ],
        ignore_index=True,
    )
    broken = examined[examined["state"] == "broken"]
    if len(broken):
        loaded.at_end(lambda: _refuse(broken["metric"].unique().tolist()))
    return check_metric_report(examined, n_collections=collections, provenance=loaded.provenance)


def _registry_with(files: list[Path]) -> "tuple[Registry, dict[Path, list[str]]]":
    """Return the registry with what the files define, and the names of the metrics of each."""
    from metaeval.metrics.plugins import default_registry, load_plugin  # noqa: PLC0415 - loads numba
    from metaeval.metrics.spec import MetricSpec  # noqa: PLC0415 - as above

    registry, defined = default_registry(), {}
    for file in files:
        items = load_plugin(file)
        registry = registry.extend(*items)
        defined[file] = [item.name for item in items if isinstance(item, MetricSpec)]
    return registry, defined


def _with_defaults(registry: "Registry", name: str) -> str:
    """Return how a metric is written, with k = 10 where it asks for a cut-off; refuse what else has no default."""
    asked = [parameter.name for parameter in registry[name].parameters.values() if parameter.required]
    if [parameter for parameter in asked if parameter != "k"]:
        arguments = ", ".join(f"{parameter}=…" for parameter in asked)
        message = f'{name} has parameters without a default; say how to write it: --metrics "{name}({arguments})"'
        raise InvalidOptionError(message)
    return f"{name}@10" if asked else name


def _refuse(names: list[str]) -> None:
    raise NotEstablishedError(f"{', '.join(names)} would give wrong numbers; the laws that are broken stand above")
