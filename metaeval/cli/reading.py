"""What a command reads: the one way from its options to scores, collections and the record of both."""

import shlex
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import typer

from metaeval.base.checks import check_paired
from metaeval.base.names import comma_list, count, split_at_commas
from metaeval.base.unit import ITEM, NUGGET, unit_of
from metaeval.cli.checks import parse_where
from metaeval.cli.console import Session
from metaeval.cli.option import arguments_of, given_at
from metaeval.cli.option_rules import registry_of
from metaeval.cli.options import ABOUT_TABLES, CHOOSING, COLUMNS, RUNS, WORKING, parse_columns, read_credit
from metaeval.cli.settings import NO_SETTINGS, SETTINGS
from metaeval.errors import FileFormatError, InvalidOptionError, ScoresError, UnknownNameError

if TYPE_CHECKING:
    from pandas import DataFrame

    from metaeval.base.provenance import Provenance
    from metaeval.collection.data_choice import DataChoice
    from metaeval.collection.documents import JudgedCollection
    from metaeval.io.means import MeansAloneError
    from metaeval.io.sheets import Sheet
    from metaeval.metrics.registry import Registry
    from metaeval.models.settling import Board
    from metaeval.page.report import Report
    from metaeval.studies.study import Study
    from metaeval.table.means import SystemMeans
    from metaeval.table.scores import Scores
    from metaeval.table.vote_set import Votes

type Answer = Study | Report
"""What a command returns, to be shown."""

_SHOWING = frozenset({"as_latex", "description", "title"})
"""Options about showing that are no part of what was asked, where they are not given."""


def _typed(context: typer.Context, command: str = "", among: Container[str] | None = None) -> str:
    """Return the command as it was typed, each option by its long name and after what is read; of `among` alone."""
    left_out = [NO_SETTINGS] if _leaves_settings_out(context) else []
    words = ["metaeval", *left_out, command or context.info_name or ""]
    for parameter in context.command.params:
        name = str(parameter.name)
        if not given_at(context, name) or (among is not None and name not in among):
            continue
        value = context.params[name]
        names = parameter.secondary_opts if value is False else parameter.opts
        option = [max(names, key=len)] if parameter.param_type_name == "option" else []
        for argument in value if isinstance(value, list | tuple) else [value]:
            words += [*option, *([] if isinstance(argument, bool) else [str(argument)])]
    return shlex.join(words)


def _leaves_settings_out(context: typer.Context) -> bool:
    return context.meta.get(SETTINGS, ()) is None


def arguments_from(context: typer.Context, function: Callable[..., object]) -> dict[str, Any]:
    """Return the arguments of a function for which options of a command stand; who works is for the runner."""
    names = {
        parameter.opts[0]: str(parameter.name) for parameter in context.command.params if parameter.name not in WORKING
    }
    param_of = {parameter: names.get(option) for parameter, option in arguments_of(context.command).items()}
    return {
        parameter: context.params[name]
        for parameter in signature(function).parameters
        if (name := param_of.get(parameter))
    }


class Loaded:
    """The inputs of one command, each read when it is asked for and recorded as it is read.

    Attributes
    ----------
    options : mapping of str to object
        The parameters of the command as they were given.
    session : Session
        Told what is being read.
    """

    def __init__(self, context: typer.Context, session: Session) -> None:
        self.options: Mapping[str, Any] = context.params
        self.session = session
        self._context = context
        self._given: dict[str, Any] = dict(context.params)
        self._files: list[str] = []
        self._inputs: list[str] | None = None
        self._left_out: list[str] = []
        self._collection: JudgedCollection | None = None
        self._scores: Scores | None = None
        self._provenance: Provenance | None = None
        self._when_saved: list[Callable[[], object]] = []
        self._at_end: list[Callable[[], object]] = []

    @property
    def registry(self) -> "Registry":
        """The metrics of the package, of installed packages, and of the plug-in files given."""
        return registry_of(self._context)

    def given(self, name: str) -> bool:
        """Say whether an option was given on the command line."""
        return given_at(self._context, name) and name not in self.set_by_file

    def refuse(self, names: Iterable[str], why: Callable[[str], str]) -> None:
        """Refuse the options of these names that were given, each for a reason that calls it as it is typed."""
        for name in names:
            if self.given(name):
                raise InvalidOptionError(why(f"--{name.replace('_', '-')}"))

    @property
    def set_by_file(self) -> frozenset[str]:
        """The parameters that a file of settings gives."""
        settings = self._context.meta.get(SETTINGS)
        return frozenset() if settings is None else settings.names

    @property
    def leaves_settings_out(self) -> bool:
        """Whether it was typed that files of settings do not count."""
        return _leaves_settings_out(self._context)

    def typed(self, command: str, among: Container[str]) -> str:
        """Return how another command is called with what of `among` was typed."""
        return _typed(self._context, command, among)

    def read(self, *files: str | Path) -> None:
        """Enter files that the command reads by itself into the record."""
        self._files += map(str, files)

    def leave_out(self, column: str, of: Path) -> bool:
        """Leave a column out of the scores, as --ignore-column does; say whether they are of that file and lose it.

        A column that another option names is read as that says, and votes are recognised by all of theirs.
        """
        from metaeval.io.files import read_bytes  # noqa: PLC0415 - loads pandas with the others
        from metaeval.io.sources import named_source  # noqa: PLC0415 - as above
        from metaeval.io.votes import holds_votes  # noqa: PLC0415 - as above

        given = [self.options.get(name) or () for name in COLUMNS]
        named = {name for names in given for name in ([names] if isinstance(names, str) else names)}
        is_alone = [Path(named_source(text).path) for text in self.options["inputs"]] == [of]
        if not is_alone or column in named or self.options.get("no_header") or holds_votes(read_bytes(of), str(of)):
            return False
        self._left_out, self._scores = [column], None
        return True

    def scores(self, *, fewest: int = 2, chosen: bool = True) -> "Scores":
        """Return the scores: those of tables, all of them unless `chosen`, or of runs, under the metrics asked for."""
        if self._scores is None:
            try:
                is_table = self.options.get("qrels") is None
                scores = self._from_tables(fewest, chosen=chosen) if is_table else self._scored(fewest)
            except FileFormatError as error:
                self._refuse_votes(error)
                raise
            self._scores = self._in_clusters(scores)
        return self._scores

    def _refuse_votes(self, error: FileFormatError) -> None:
        """Say so where a file that holds no scores holds votes, under names of columns that tell nothing."""
        from metaeval.io.by_values import votes_by_values  # noqa: PLC0415 - loads pandas
        from metaeval.io.files import read_bytes  # noqa: PLC0415 - as above

        if type(error) is not FileFormatError or error.path is None or any(map(self.given, COLUMNS)):
            return
        try:
            content = read_bytes(error.path)
        except FileFormatError:  # the error is of several files, or there is none
            return
        if (told := votes_by_values(content, error.path)) is not None:
            name = self._context.info_name if "left_column" in self.options and not told.words else "votes"
            ways = [told, told.of_losers] if told.is_open else [told]
            lines = [f"metaeval {name} {shlex.quote(error.path)} {way.options}" for way in ways]
            raise FileFormatError(
                f"these seem to be votes on pairs of systems; if so: {', or, of who lost, '.join(lines)}",
                path=error.path,
            ) from error

    def _directions(self) -> dict[str, bool]:
        """Return under which metrics somebody said that higher is better, or lower."""
        falling, rising = (self.options.get(name) or () for name in ("lower_is_better", "higher_is_better"))
        return dict.fromkeys(falling, False) | dict.fromkeys(rising, True)

    def votes_and_scores(
        self, named: Sequence[str] = (), columns: Mapping[str, str] | None = None
    ) -> "tuple[dict[str, Votes], Scores | None]":
        """Return the votes among the inputs, found by content, and those of named files; and scores of the others.

        Where `columns` of votes are named, by what they hold, all inputs are one set of votes.
        """
        from metaeval.io.sources import named_source  # noqa: PLC0415 - loads pandas
        from metaeval.io.votes import files_of_votes, read_votes  # noqa: PLC0415 - as above

        def read(inputs: list[str]) -> "Scores":
            self._inputs = inputs
            return self.scores()

        votes = []
        for source in map(named_source, named):
            files = files_of_votes(source.path)
            votes.append((source.own_name, read_votes(files)))
            self.read(*files)
        if columns:
            files = files_of_votes(self.options["inputs"])
            self.read(*files)
            return {named_source(self.options["inputs"][0]).own_name: read_votes(files, columns=columns)}, None
        more, scores = self.votes_apart(self.options["inputs"], read)
        named_votes = [*votes, *more.items()]
        if len(dict(named_votes)) < len(named_votes):
            raise InvalidOptionError("two sets of votes have one name; name them with NAME=FILE")
        return dict(named_votes), scores

    def by_name(self) -> dict[str, list[str]]:
        """Return the files of each input by its name; those under one NAME= belong together."""
        from metaeval.io.sources import Source, expanded, named_apart, named_source  # noqa: PLC0415 - loads pandas

        files: dict[str, list[str]] = {}
        for source in map(named_source, self.options["inputs"]):
            for path in map(str, expanded(source.path)):
                name = Source(path, source.name).own_name
                if name in files and source.name is None:
                    way = " ".join(named_apart([*files[name], path]))
                    raise InvalidOptionError(f"two inputs are called {name!r}; name them NAME=FILE, such as {way}")
                files.setdefault(name, []).append(path)
        return files

    def boards(self) -> "dict[str, Board]":
        """Return the scores, or the means with standard errors, of each input by itself, by its name."""
        from metaeval.io.means import MeansAloneError  # noqa: PLC0415 - loads pandas

        boards: dict[str, Board] = {}
        for name, files in self.by_name().items():
            self._scores, self._inputs = None, files
            try:
                boards[name] = self.scores(chosen=False)
            except MeansAloneError as alone:
                boards[name] = self.means(alone, chosen=False)
        return boards

    def experiments(self) -> "tuple[list[Scores], list[dict[str, DataFrame]]]":
        """Return the scores of an original and of its replica, and the runs of both where they are of documents."""
        from metaeval.collection.documents import Collection  # noqa: PLC0415 - loads numba
        from metaeval.io.trec import read_runs  # noqa: PLC0415 - loads numba

        inputs = self.options["inputs"]
        scores: list[Scores] = []
        runs: list[dict[str, DataFrame]] = []
        if len(inputs) != 2:  # noqa: PLR2004 - an original and its replica
            raise InvalidOptionError(
                f"--reproduction compares two inputs, an original and its replica, each a file or a folder; there "
                f"{'is 1' if len(inputs) == 1 else f'are {len(inputs)}'}"
            )
        for text in inputs:
            self._scores, self._collection, self._inputs = None, None, [text]
            self.options = {**self.options, "inputs": self._inputs}
            scores.append(self.scores(fewest=1))
            if isinstance(self._collection, Collection):
                rules = {name: self.options[name] for name in ("order", "score_precision")}
                runs.append(read_runs(self._inputs, **rules))
        return scores, runs

    def votes_apart[Others](
        self, inputs: Sequence[str], read: Callable[[list[str]], Others], where: Mapping[str, str] | None = None
    ) -> "tuple[dict[str, Votes], Others | None]":
        """Return the votes among files, by the names of these, and what a reader makes of the others."""
        from metaeval.io.files import read_bytes  # noqa: PLC0415 - loads pandas with the others
        from metaeval.io.sources import named_source  # noqa: PLC0415 - as above
        from metaeval.io.votes import (  # noqa: PLC0415 - as above
            VotesError,
            files_of_votes,
            holds_votes,
            read_votes,
            votes_of,
        )

        votes: dict[str, Votes] = {}
        left = list(inputs)
        while left:
            try:
                return votes, read(left)
            except VotesError as found:
                text = next((candidate for candidate in left if named_source(candidate).path == found.label), None)
                if text is None:
                    above = {*map(str, Path(found.label).parents)}
                    folder = next((one for one in left if str(Path(named_source(one).path)) in above), None)
                    if folder is None:
                        raise
                    files = files_of_votes(named_source(folder).path)
                    votes[named_source(folder).own_name] = read_votes(files, where=where)
                    left.remove(folder)
                    self.read(*files)
                    continue
                name = named_source(text).own_name
                if name in votes:
                    raise InvalidOptionError(f"two files of votes are called {name!r}; name them NAME=FILE") from None
                votes[name] = votes_of([(found.label, found.content)], where=where)
                left.remove(text)
                self.read(found.label)
            except ScoresError:  # of one system, whose scores are votes against another
                path = Path(named_source(left[0]).path)
                if len(left) > 1 or not path.is_file() or not holds_votes(read_bytes(path), str(path)):
                    raise
                votes[named_source(left[0]).own_name] = read_votes([str(path)], where=where)
                self.read(str(path))
                break
        return votes, None

    def keeping_gaps(self) -> Self:
        """Read scores with their gaps where nothing else is asked for: systems on different items have little else."""
        self.options = {**self.options, "missing": self.options["missing"] or "pairwise"}
        return self

    def means(self, alone: "MeansAloneError", *, chosen: bool = True) -> "SystemMeans":
        """Return the means and standard errors that an input holds, turned as the options say; all unless `chosen`."""
        options = self.options
        of_items = (*CHOOSING, "groups", "group_regex", "cluster_file", "clusters", "missing", "systems_in")
        why = "{0} needs scores by item, and these are means with standard errors; leave it out"
        self.refuse([name for name in of_items if options.get(name) != "drop-systems"], why.format)
        self.read(*alone.paths)
        names = _names_of_metrics(options["metrics"]) if chosen and options.get("metrics") else []
        board = alone.board.under(names) if names else alone.board
        return board.directed(self._directions())

    def collection(self, *, retrieved: Literal["judged", "all"] = "judged", paired: bool = True) -> "JudgedCollection":
        """Return the runs and judgments, compiled.

        What the files hold, documents, elements or passages, is found by their content.
        """
        if self._collection is None:
            self._collection = self._compiled(retrieved, paired=paired)
        return self._collection

    def compiled(self) -> "JudgedCollection | None":
        """Return the collection that the scores came from; None for tables."""
        return self._collection

    def metrics(self) -> list[str]:
        """Return the metrics asked for, or those that fit what the collection holds."""
        from metaeval.base.metric_names import split_names  # noqa: PLC0415 - loads numba with the rest of its package

        text = self.options["metrics"]
        if text is None:
            from metaeval.metrics.scoring import default_metrics  # noqa: PLC0415 - likewise

            text = default_metrics(self.collection())
            self._given["metrics"] = text
        return split_names(text)

    def _asks_for_subtopics(self) -> bool:
        """Say whether some measure that is named needs judgments by subtopic."""
        from metaeval.base.metric_names import split_names  # noqa: PLC0415 - loads numba with the rest of its package
        from metaeval.metrics.resolved import Metric  # noqa: PLC0415 - loads numba
        from metaeval.metrics.scoring import resolve_metrics  # noqa: PLC0415 - likewise

        text = self.options.get("metrics")
        named = [] if text is None else resolve_metrics(split_names(text), registry=self.registry)
        return any(isinstance(metric, Metric) and metric.spec.subtopics for metric in named)

    def ask[Answer](self, study: Callable[..., Answer], *data: object, **said: object) -> Answer:
        """Ask a study: an argument that is not said here is the option that stands for it, or the study's default."""
        wanted = {*list(signature(study).parameters)[len(data) :]} - {*said}
        asked = {name: value for name, value in arguments_from(self._context, study).items() if name in wanted}
        attributes = {name: getattr(self, name) for name in ("registry", "provenance") if name in wanted}
        try:
            return study(*data, **asked, **attributes, **said)
        except UnknownNameError as error:
            self._refuse_left_out(error)
            raise

    def _refuse_left_out(self, error: UnknownNameError) -> None:
        """Say so where a system that is asked for is one that an option leaves out."""

        def fits(pattern: str) -> bool:
            return fnmatchcase(error.name, pattern) or error.name == pattern

        for pattern in split_at_commas(self.options.get("exclude_systems") or (), fits):
            if fits(pattern):
                by = f"--exclude-systems {comma_list([pattern])}"
                message = f"{error.name!r} is left out by {by}; name another, or keep it"
                raise InvalidOptionError(message, value=error.name) from error

    @property
    def provenance(self) -> "Provenance":
        """The record of the command and of what was read until it is first asked for."""
        if self._provenance is None:
            from metaeval.base.provenance import record_provenance  # noqa: PLC0415 - loads what only a record needs

            params = self._given
            idle = set[str]()  # options about the other kind of input
            if "qrels" in params:
                idle = {*RUNS} if params["qrels"] is None else {*ABOUT_TABLES}
                idle -= {"metrics"} if params.get("metrics") else set()
            options = {
                name: value for name, value in params.items() if name not in idle and (name not in _SHOWING or value)
            }
            if self.set_by_file:
                options["set_by_file"] = self._context.meta[SETTINGS].path
            seed = params.get("seed")
            self._provenance = record_provenance(
                self._context.info_name or "metaeval",
                command_line=_typed(self._context),
                options=options,
                random_source=None if seed is None else f"seed {seed}",
                inputs=[*self._files, *map(str, params.get("plugin") or ())],
            )
        return self._provenance

    def when_saved(self, step: Callable[[], object]) -> None:
        """Do something once the report is there."""
        self._when_saved.append(step)

    def at_end(self, step: Callable[[], object]) -> None:
        """Do something after everything was told."""
        self._at_end.append(step)

    def saved(self) -> None:
        """Do what waits for the report."""
        for step in self._when_saved:
            step()

    def finish(self) -> None:
        """Do what waits for the end."""
        for step in self._at_end:
            step()

    def _compiled(self, retrieved: Literal["judged", "all"], *, paired: bool) -> "JudgedCollection":
        from metaeval.io.sources import run_sources  # noqa: PLC0415 - not every command reads runs

        options = self.options
        n_runs = len(run_sources(options["inputs"]))
        if not any(options.get(name) for name in ("system_list", "exclude_systems", "baseline")) and paired:
            check_paired(n_runs)
        self.session.say(f"Reading {count(n_runs, 'run')} and their judgments")
        from metaeval.inex.judged_files import read_judged  # noqa: PLC0415 - loads numba
        from metaeval.io.groups import read_groups  # noqa: PLC0415 - loads pandas; the first word comes before
        from metaeval.io.sheets import read_sheet  # noqa: PLC0415 - loads pandas

        read = read_judged(
            options["inputs"],
            options["qrels"],
            sizes=options.get("element_sizes"),
            retrieved=retrieved,
            order=options["order"],
            score_precision=options["score_precision"],
            missing=options["missing"] or "zero",
            duplicates=options.get("duplicates") or "error",
            subtopics=options.get("subtopics") or ("keep" if self._asks_for_subtopics() else None),
            subtopic_weights=options.get("subtopic_weights"),
            lenient=bool(options.get("lenient")),
            choice=self._choice(),
            pool_runs=options.get("pool_runs") or (),
        )
        self.read(*read.files, *self._group_file())
        collection = read.collection
        sheet = None if options["groups"] is None else read_sheet(options["groups"])
        others = collection.by_document.pool_runs
        groups = self._groups(sheet, [*collection.systems, *(others.systems if others is not None else ())])
        pooled = None
        if sheet is not None and options.get("pooled_column") is not None:
            pooled = read_groups(sheet, column=options["pooled_column"], systems=collection.systems)
        return collection.with_groups(groups, pooled=pooled)

    def _said_beside(self) -> list[str]:
        """Return the columns of the only input that are no scores, since options name them as of a file beside it."""
        from metaeval.io.sources import named_source  # noqa: PLC0415 - loads pandas
        from metaeval.table.roles import part_of_word  # noqa: PLC0415 - with it

        inputs = [Path(named_source(text).path) for text in self._inputs or self.options["inputs"]]
        group = self.options.get("group_column")
        named = {"cluster_file": self.options.get("cluster_column") or (), "groups": [] if group is None else [group]}
        of_input = (columns for name, columns in named.items() if [self.options.get(name)] == inputs)
        return [column for columns in of_input for column in columns if part_of_word(column) is None]

    def _from_tables(self, fewest: int, *, chosen: bool) -> "Scores":
        options = self.options
        ignored = [*(options.get("ignore_column") or ()), *self._left_out, *self._said_beside()]
        inputs = options["inputs"] if self._inputs is None else self._inputs
        self.session.say(f"Reading {count(len(inputs), 'input')}")
        from metaeval.io.sheets import read_sheet  # noqa: PLC0415 - loads pandas; the first word comes before
        from metaeval.io.tables import read_scores  # noqa: PLC0415 - loads pandas
        from metaeval.table.scores import as_scores  # noqa: PLC0415 - loads xarray

        scores = read_scores(
            inputs,
            missing=options["missing"] or "error",
            duplicates=options.get("duplicates") or "error",
            form=options.get("form"),
            systems_in=options["systems_in"],
            repeats_in_names=bool(options.get("repeats_in_names")),
            metrics=_names_of_metrics(options["metrics"]) if chosen and options.get("metrics") else None,
            credit=read_credit(options.get("credit")),
            where=parse_where(options.get("where")),
            choice=self._choice(),
            paired=None if fewest == 1 else options.get("baseline") is None,
            higher_is_better=self._directions() or None,
            **parse_columns({**options, "ignore_column": ignored}),  # type: ignore[arg-type]  # columns and header
        )
        sheet = None if options.get("groups") is None else read_sheet(options["groups"])
        groups = self._groups(sheet, scores["system"].to_numpy().tolist())
        if groups is not None:
            scores = as_scores(scores, missing="pairwise", groups=groups)  # gaps were settled as it was asked
        self.read(*scores.attrs.get("sources", []), *self._group_file())
        return scores

    def _scored(self, fewest: int) -> "Scores":
        collection, options = self.collection(paired=fewest > 1), self.options
        metrics = self.metrics()
        from metaeval.metrics.scoring import note_on_grades, score  # noqa: PLC0415 - loads numba

        runs, topics = count(collection.n_systems, "run"), count(collection.n_topics, "topic")
        self.session.say(f"Scoring {runs} on {topics}")
        scores = score(
            collection,
            metrics,
            undefined=options["undefined"],
            registry=self.registry,
            n_threads=options.get("threads"),
            fewest=fewest,
        )
        on_grades = note_on_grades(collection, metrics, registry=self.registry)
        scores = scores.assign_attrs(notes=[*scores.attrs.get("notes", ()), *on_grades])
        if not self._directions():
            return scores
        from metaeval.table.scores import as_scores  # noqa: PLC0415 - loads xarray

        return as_scores(scores, missing="pairwise", higher_is_better=self._directions(), fewest=fewest)

    def _choice(self) -> "DataChoice | None":
        """Return which systems and topics to keep, as the options say; None for all."""
        if not any(self.options.get(name) for name in CHOOSING):
            return None
        import numpy as np  # noqa: PLC0415 - loaded by now

        from metaeval.collection.data_choice import DataChoice  # noqa: PLC0415 - loads numba
        from metaeval.io.files import read_names  # noqa: PLC0415 - with it
        from metaeval.running.draws import RandomSource  # noqa: PLC0415 - loads NumPy

        options = self.options
        files = {kind: file for kind in ("system", "topic") if (file := options.get(f"{kind}_list")) is not None}
        self.read(*files.values())
        lists = {kind: (str(file), read_names(file)) for kind, file in files.items()}
        seed = options.get("seed") or 0
        # a stream of its own: the study's draws are what they would be of data chosen beforehand
        drawing = RandomSource(np.random.default_rng(seed).spawn(1)[0], f"seed {seed}")
        return DataChoice.checked(
            systems=lists["system"][1] if "system" in lists else None,
            exclude_systems=options.get("exclude_systems") or (),
            topics=lists["topic"][1] if "topic" in lists else None,
            exclude_topics=options.get("exclude_topics") or (),
            n_topics=options.get("n_topics"),
            rng=drawing,
            lists=lists,
            by_comma=True,
        )

    def _in_clusters(self, scores: "Scores") -> "Scores":
        """Put the topics in the clusters of a file, and take clusters for what they are said to be."""
        file, kind = self.options.get("cluster_file"), self.options.get("clusters")
        if kind == "ignore" and len(self.options.get("cluster_column") or ()) > 1:
            raise InvalidOptionError("--clusters ignore leaves nothing of two levels; leave --cluster-column out")
        from metaeval.table.structure import nested_clusters, with_clusters  # noqa: PLC0415 - loads xarray

        if file is not None:
            from metaeval.io.groups import read_clusters  # noqa: PLC0415 - loads pandas
            from metaeval.table.scores import as_scores  # noqa: PLC0415 - loads xarray

            topics, columns = scores["topic"].to_numpy().tolist(), self.options.get("cluster_column") or [None]
            clusters, *higher = (read_clusters(file, topics=topics, column=column) for column in columns)
            clusters = {topic: " in ".join([name, *(of[topic] for of in higher)]) for topic, name in clusters.items()}
            scores = as_scores(
                scores.drop_vars("stratum", errors="ignore"), missing="pairwise", clusters=clusters, fewest=1
            )
            scores = nested_clusters(scores, *higher) if higher else scores
            if unit_of(scores) is NUGGET:  # they are in clusters of another kind than their topics
                scores.attrs["topic_word"] = ITEM.topic
            self.read(file)
        if kind is not None:
            scores = with_clusters(scores, kind)
        return scores

    def groups_of(self, systems: Sequence[str]) -> Mapping[str, str] | None:
        """Return the group of every system, as --groups or --group-regex says; None without them."""
        from metaeval.io.sheets import read_sheet  # noqa: PLC0415 - loads pandas

        group_file = self.options["groups"]
        self.read(*self._group_file())
        return self._groups(None if group_file is None else read_sheet(group_file), systems)

    def _groups(self, sheet: "Sheet | None", systems: Sequence[str]) -> Mapping[str, str] | None:
        from metaeval.io.groups import groups_from_regex, read_groups  # noqa: PLC0415 - loads pandas

        if sheet is not None:
            return read_groups(sheet, column=self.options["group_column"], systems=systems)
        regex = self.options.get("group_regex")
        return None if regex is None else groups_from_regex(regex, systems)

    def _group_file(self) -> list[str]:
        groups = self.options.get("groups")
        return [] if groups is None else [str(groups)]


def _names_of_metrics(text: str) -> list[str]:
    """Return the metrics of a score table that --metrics names, as the table writes them."""
    from metaeval.base.metric_names import split_names  # noqa: PLC0415 - loads numba with the rest of its package
    from metaeval.metrics.presets import without_presets  # noqa: PLC0415 - as above

    return list(dict.fromkeys(map(str, without_presets(split_names(text)))))
