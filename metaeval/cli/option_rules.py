"""What several options must be beside each other, checked before a command begins; and commands that do so."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from metaeval.base.checks import check_parquet
from metaeval.cli.checks import by_comma, kind_of_file, names_of_metrics
from metaeval.cli.commands import PLACES, PROGRAMS
from metaeval.cli.help import HelpedCommand
from metaeval.cli.loading import WITH_ARROW, load_tables
from metaeval.cli.messages import error_in_options, speaking_in_options
from metaeval.cli.option import arguments_of, declared, given_at, label_of
from metaeval.cli.options import ABOUT_TABLES, RUNS
from metaeval.cli.settings import SETTINGS, settings_for
from metaeval.cli.typer_inside import USAGE_ERROR
from metaeval.errors import InvalidOptionError, MetaevalError, UnknownNameError
from metaeval.running.process import loaded
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import FAMILY_WISE

if TYPE_CHECKING:
    from metaeval.metrics.registry import Registry

_TWICE = 2
_MOST_OWNERS = 3
_REGISTRY = "metaeval.registry"
_ENDINGS = (".nc", ".parquet", ".csv", ".tsv")
_PACKED = (".gz", ".bz2", ".xz", ".zst")


class Commands(typer.Typer):
    """An app whose commands look at all their options together before they begin, and speak of options in errors."""

    def command(self, name: str | None = None, **settings: Any) -> Callable[..., Any]:  # noqa: ANN401 - typer's settings
        """Register a command; see `typer.Typer.command`."""
        return super().command(name, **({"cls": _CheckedCommand} | settings))


class _CheckedCommand(HelpedCommand):
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - typer's own signature
        with self._speaking(ctx):
            try:
                if PLACES not in ctx.meta and not ctx.resilient_parsing:  # options behind a study replace its own
                    args = [*self._settings(ctx, self._typed_once(ctx, list(args))), *args]
                return super().parse_args(ctx, args)
            except USAGE_ERROR as error:
                if hasattr(error, "possibilities"):
                    error.owners = [f"metaeval {name}" for name in _owners(error.option_name)[:_MOST_OWNERS]]
                raise

    def _settings(self, ctx: Any, typed: set[str]) -> list[str]:  # noqa: ANN401 - as above
        """Return the words that a file of settings puts before those that were typed."""
        settings = None if SETTINGS in ctx.meta else settings_for(self, typed)
        if settings is None:
            return []
        ctx.meta[SETTINGS], ctx.meta[PLACES] = settings
        return settings[0].words

    def _typed_once(self, ctx: Any, args: list[str]) -> set[str]:  # noqa: ANN401 - as above
        """Return the options that were typed, once each where they take one value: only the last one would count."""
        self._with_values(args)
        try:
            _, _, order = self.make_parser(ctx).parse_args(args=args)
        except USAGE_ERROR:  # which parsing in earnest will tell
            return {"help"}
        times = Counter(
            parameter.name for parameter in order if parameter.param_type_name == "option" and not parameter.multiple
        )
        for parameter in self.params:
            if times[parameter.name] < _TWICE or getattr(parameter, "is_flag", False):
                continue
            label, several = label_of(parameter), str(parameter.metavar or "").endswith((",…", ",…|all"))
            way = f"give all by comma, as in {label} A,B" if several else "give it once"
            raise InvalidOptionError(f"{label} takes one value, and is given {times[parameter.name]} times; {way}")
        return {str(parameter.name) for parameter in order}

    def _with_values(self, args: list[str]) -> None:
        """Refuse an option behind an option that lacks its value, and would take the next one's name for it."""
        named = {name: parameter for parameter in self.params for name in parameter.opts if name.startswith("-")}
        for name, value in pairwise(args):
            if value in named and name in named and not getattr(named[name], "is_flag", False):
                way = f"write it behind, as in {name} {named[name].metavar or 'VALUE'}"
                raise InvalidOptionError(f"{name} needs a value, and {value} is an option; {way}")

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - typer's own signature
        load_tables(arrow=any(given_at(ctx, name) for name in WITH_ARROW))
        loaded()
        from metaeval.io.folders import claiming  # noqa: PLC0415 - loads what writing needs

        with claiming(), self._speaking(ctx):  # a folder found good is the command's own until its end
            _check_together(ctx)
            return super().invoke(ctx)

    @contextmanager
    def _speaking(self, context: typer.Context) -> Iterator[None]:
        """Put the messages of errors, with the notes added to them, into the words of the command line."""
        with speaking_in_options(arguments_of(self)):
            try:
                yield
            except MetaevalError as error:
                notes = "".join(f"; {note}" for note in getattr(error, "__notes__", ()))
                words = error_in_options(error, notes)
                if PLACES in context.meta:
                    labels = {parameter.name: label_of(parameter) for parameter in self.params}
                    place = context.meta[PLACES].before_error(error, words, labels)
                    settings = context.meta.get(SETTINGS)
                    words = place + words + (f"; {settings.note()}" if settings and not place else "")
                error.args = (words, *error.args[1:])
                raise
            except typer.BadParameter as error:
                if PLACES in context.meta and error.param is not None:
                    error.message = context.meta[PLACES].before(error.param.name) + error.message
                raise


def _owners(option: str) -> list[str]:
    """Return the commands that have an option."""
    from metaeval.cli.commands import COMMANDS, command_called  # noqa: PLC0415 - loads all of them, for an error

    return [name for name in COMMANDS if any(option in parameter.opts for parameter in command_called(name).params)]


def _check_together(context: typer.Context) -> None:
    """Refuse options that contradict each other or do nothing beside the others, and metrics that nobody knows."""
    _check_company(context)
    _check_kind(context)
    _check_tests(context)
    _check_metrics(context)
    out = context.params.get("out")
    if out is not None:
        from metaeval.io.folders import check_folder  # noqa: PLC0415 - loads what writing needs

        check_folder(out, overwrite=context.params.get("overwrite", False))


def _check_company(context: typer.Context) -> None:
    """Refuse options without those they need, and beside those they exclude, as each declares."""
    values = context.params
    labels = {param.name: label_of(param) for param in context.command.params}
    for parameter, option in declared(context.command):
        if not given_at(context, parameter.name):
            continue
        needed = [partner for partner in option.needs if partner in values]
        if needed and not any(values[partner] for partner in needed):
            others = " or ".join(labels[partner] for partner in needed)
            label = labels[parameter.name]
            raise InvalidOptionError(f"{label} does nothing without {others}; add that, or leave {label} out")
        for partner in (param for param in option.excludes if param in values and given_at(context, param)):
            message = f"{labels[partner]} and {labels[parameter.name]} exclude each other; give one of them"
            raise InvalidOptionError(message)


def _check_kind(context: typer.Context) -> None:
    """Refuse options that belong to the other kind of input: runs with judgments, or tables of scores."""
    values = context.params
    if "qrels" not in values or "systems_in" not in values:
        return
    for parameter, _ in declared(context.command):
        if values["qrels"] is not None and parameter.name in ABOUT_TABLES and given_at(context, parameter.name):
            message = f"{parameter.opts[0]} is about score tables, and with --qrels the inputs are runs; leave it out"
            raise InvalidOptionError(message)
        about_runs = parameter.name in RUNS and parameter.name not in ("qrels", "metrics")
        if values["qrels"] is None and about_runs and given_at(context, parameter.name):
            raise InvalidOptionError(
                f"{parameter.opts[0]} is about runs and judgments, and without --qrels the input is a score table; "
                "leave it out"
            )


def _check_tests(context: typer.Context) -> None:
    """Refuse tests that cannot be asked as the other options ask."""
    values = context.params
    if not any(given_at(context, name) for name in ("test", "correction", "alternative", "resamples", "alpha")):
        return
    tests = by_comma(str(values.get("test", "")), TESTS)
    correction = values.get("correction")
    corrected = given_at(context, "correction") and correction != FAMILY_WISE
    if tests and corrected and all(TESTS[test].family_wise_only for test in tests):
        raise InvalidOptionError(
            f"the p-values of {tests[0]!r} are family-wise by construction and take no further correction, not "
            f"{correction!r}; leave --correction out"
        )
    if tests:
        from metaeval.resampling.options import check_test  # noqa: PLC0415 - loads scipy and numba

        family_wise = FAMILY_WISE if values.get("correction") == FAMILY_WISE else None
        for test in tests:
            alternative, baseline = values.get("alternative", "two-sided"), values.get("baseline")
            check_test(test, family_wise, alternative=alternative, baseline=baseline)
    n_resamples, alpha = values.get("resamples"), values.get("alpha")
    if any(TESTS[test].plain_p for test in tests) and n_resamples is not None and isinstance(alpha, float):
        from metaeval.resampling.sensitivity import place_of_required  # noqa: PLC0415 - loads scipy and numba

        place_of_required(n_resamples, alpha)


def registry_of(context: typer.Context) -> "Registry":
    """Return the metrics of the package, of installed packages and of the plug-in files given, each run once."""
    if _REGISTRY not in context.meta:
        from metaeval.metrics.plugins import default_registry, load_plugin  # noqa: PLC0415 - loads numba

        registry = default_registry()
        for file in dict.fromkeys(context.params.get("plugin") or ()):
            registry = registry.extend(*load_plugin(file, sha256=_checksum_of_study(context, file)))
        context.meta[_REGISTRY] = registry
    return context.meta[_REGISTRY]


def _checksum_of_study(context: typer.Context, file: Path) -> str | None:
    """Return the checksum that a program must have to be run, where a study names it; None where it was typed."""
    programs: Mapping[str, str] = context.meta.get(PROGRAMS, {})
    return next((checksum for name, checksum in programs.items() if Path(name) == file), None)


def _check_metrics(context: typer.Context) -> None:
    """Refuse metrics of runs that nobody knows; those of a score table are its columns, which only it can tell."""
    values = context.params
    if values.get("plugin"):
        registry_of(context)
    if values.get("qrels", "") is None or values.get("runs", "") is None:
        return
    for parameter, option in declared(context.command):
        if option.check is not names_of_metrics or not given_at(context, parameter.name):
            continue
        from metaeval.base.metric_names import split_names  # noqa: PLC0415 - loads numba with the rest of its package
        from metaeval.metrics.scoring import resolve_metrics  # noqa: PLC0415 - as above

        try:
            chosen = resolve_metrics(split_names(values[parameter.name]), registry=registry_of(context))
        except UnknownNameError as error:
            if "plugin" in values and error.known == tuple(registry_of(context).metrics):
                error.add_note("a metric of your own needs the file that defines it: add --plugin FILE.py")
            raise
        names = [metric.name for metric in chosen]
        for name in (values.get("current"), values.get("map_metric"), *_named_directions(values)):
            if name is not None and name not in names:
                raise UnknownNameError(f"metric among those of {parameter.opts[0]}:", name, names)


def _named_directions(given: Mapping[str, Any]) -> list[str]:
    """Return the metrics whose direction an option says."""
    return [*(given.get("lower_is_better") or ()), *(given.get("higher_is_better") or ())]


def check_scores_file(file: Path, *, overwrite: bool) -> None:
    """Refuse a file of scores of an unknown format, or one that must not be replaced."""
    endings = [suffix for suffix in map(str.casefold, file.suffixes) if suffix not in _PACKED]
    if not endings or endings[-1] not in _ENDINGS:
        raise UnknownNameError("file ending", endings[-1] if endings else file.name, _ENDINGS)
    check_parquet(endings[-1])
    check_replaced(file, overwrite=overwrite)


def check_replaced(file: Path, *, overwrite: bool) -> None:
    """Refuse a file that is there already, unless it may be replaced."""
    if not overwrite and kind_of_file(file) != "absent":
        raise InvalidOptionError(f"{str(file)!r} exists already; pass --overwrite to replace it, or name another file")
