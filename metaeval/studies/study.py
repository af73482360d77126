"""What all studies share: a result that can be shown, the choice of systems, and parts that cannot be answered."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import xarray as xr

from metaeval.base.checks import check_path
from metaeval.base.metric_names import study_names
from metaeval.base.names import count, first_few
from metaeval.base.notes import Remark
from metaeval.base.results import Result, shown_by
from metaeval.base.unit import Unit, speaking_of, unit_of
from metaeval.base.words import MISSING, naming, p_value
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.io.writing import write_bytes
from metaeval.running.draws import resolve_rng
from metaeval.table.constant import without_variation
from metaeval.table.scores import Scores, select_runs
from metaeval.table.structure import engine_scores, means_cut, means_of_few
from metaeval.table.traits import Trait
from metaeval.table.units import design_notes
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.result import PairwiseResult, without_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from metaeval.page.report import Report

_FORMS: "Mapping[str, Callable[[Report], str]]" = {
    ".html": lambda report: report.to_html(),
    ".json": lambda report: report.to_json(),
    ".csv": lambda report: report.to_csv(),
    ".tex": lambda report: report.to_latex(),
    ".md": lambda report: report.to_markdown(),
}
"""What `Study.write` writes under each ending."""
_FEW_SYSTEMS = 4
"""From so many on there are six pairs and more."""


_FEW_TOPICS = 5


class Study(Result):
    """The result of a study."""

    __slots__ = ("_shown",)

    _shown: "Report"
    reported_by: ClassVar[str]
    """``module:function`` that turns the result into a `metaeval.page.report.Report`. It is looked up when a report
    is asked for, as a plug-in is: studies know nothing of reports, and matplotlib stays unloaded."""

    def report(self, **options: object) -> "Report":
        """Return the report of the study, to be saved as a folder or shown.

        Parameters
        ----------
        **options
            Those of the function named in `reported_by`.

        Returns
        -------
        Report
        """
        metrics = self._named()
        with speaking_of(self._unit()), naming(study_names(metrics)):
            report: Report = shown_by(self.reported_by)(self, **options).explained(metrics)
        notes = tuple(dict.fromkeys((*few_topics_note(getattr(self, "scores", None)), *report.notes)))
        return replace(report, notes=notes, provenance=replace(report.provenance, read_as=self._read_as()))

    def save(self, folder: str | Path, *, overwrite: bool = False, pdf: bool = False) -> Path:
        """Write the report as a folder: index.html, tables, figures, data and provenance.json.

        Parameters
        ----------
        folder, overwrite, pdf
            As for `metaeval.page.report.Report.save`.

        Returns
        -------
        pathlib.Path
            The page to open: ``index.html`` in the folder.

        Examples
        --------
        >>> import tempfile
        >>> from metaeval import simulate_scores, study_power
        >>> study = study_power(simulate_scores(n_systems=5, n_topics=20, rng=1), tests=["t"], rng=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     study.save(Path(folder, "power")).name
        'index.html'
        """
        return self.report().save(folder, overwrite=overwrite, pdf=pdf)

    def write(self, path: str | Path) -> Path:
        """Write the answer as one file, in the form that its ending names.

        Parameters
        ----------
        path : str or path
            ``.html`` is the whole page, ``.json`` the answer for programs, ``.csv`` the main table's data; ``.tex`` and
            ``.md`` are the main table. A file that is there is replaced.

        Returns
        -------
        pathlib.Path
            The file.

        Raises
        ------
        UnknownNameError
            For another ending.
        FileFormatError
            If there is no such folder.

        Examples
        --------
        >>> import tempfile
        >>> from metaeval import simulate_scores, study_power
        >>> study = study_power(simulate_scores(n_systems=5, n_topics=20, rng=1), tests=["t"], rng=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     study.write(Path(folder, "power.csv")).read_text(encoding="utf-8").partition(",")[0]
        'metric'
        """
        check_path(path)
        ending = Path(path).suffix.casefold()
        if ending not in _FORMS:
            raise UnknownNameError("file ending", ending or Path(path).name, _FORMS)
        return write_bytes(path, _FORMS[ending](self.report()).encode())

    def shown(self) -> "Report":
        """Return the report without options, made once: a notebook asks for the line, the page and the picture."""
        try:
            return self._shown
        except AttributeError:
            object.__setattr__(self, "_shown", self.report())
        return self._shown

    def __getstate__(self) -> dict[str, object]:  # classes with slots have one of their own, of their fields
        """Return what is pickled and copied: all but the page."""
        return dict(vars(self))

    def _unit(self) -> Unit:
        """Return what the scores are of."""
        return unit_of(getattr(self, "scores", None))

    def _named(self) -> tuple[str, ...]:
        """Return the metrics that its report calls by short names."""
        metrics = getattr(self, "metrics", ())
        scores = getattr(self, "scores", None)
        if not metrics and isinstance(scores, xr.DataArray):
            metrics = scores["metric"].to_numpy().tolist()
        return tuple(map(str, metrics))

    def _read_as(self) -> str:
        """Return the form that the scores were taken for."""
        form: str = getattr(getattr(self, "scores", None), "attrs", {}).get("read_as", "")
        return form

    def _draw(self, name: str | None = None) -> "Figure":
        """Draw a picture of the report, by its name there.

        Examples
        --------
        >>> from metaeval import simulate_scores, study_power
        >>> study = study_power(simulate_scores(n_systems=5, n_topics=20, rng=1), tests=["t"], rng=1)
        >>> [picture.name for picture in study.report().pictures()][:2]
        ['discriminative_power', 'ranking AP']
        >>> study.plot("ranking AP")
        <ShownFigure size 760x... with 1 Axes>
        """
        report = self.shown()
        pictures = report.pictures()
        chosen = report.main_picture() if name is None else next((o for o in pictures if o.name == name), None)
        if chosen is None and name is not None:  # "AP" of "ranks AP", the first of its pictures
            chosen = next((picture for picture in pictures if picture.name.endswith(f" {name}")), None)
        if chosen is not None:
            return chosen.draw()
        names = [picture.name for picture in pictures]
        if names:
            raise UnknownNameError("picture", str(name), names)
        message = f"a {type(self).__name__} has no picture; report().save(folder) and to_frame() show what there is"
        raise InvalidOptionError(message)

    def _repr_html_(self) -> str:
        return self.shown()._repr_html_()


class Attempts:
    """Run the parts of a study; record why a part could not be computed.

    Parameters
    ----------
    *refusals : type
        Errors that say so; a name that there is not is always a mistake of the caller.
    of : Scores, mapping to Scores, or Unit, optional
        What is studied: reasons speak of its topics, or of its items.

    Attributes
    ----------
    failed : dict of str to str
        Part to reason.

    Examples
    --------
    >>> attempt = Attempts(ZeroDivisionError)
    >>> attempt("a half", lambda: 1 / 2), attempt("a share", lambda: 1 / 0), attempt.failed
    (0.5, None, {'a share': 'division by zero'})
    """

    def __init__(self, *refusals: type[Exception], of: object = None) -> None:
        self.failed: dict[str, str] = {}
        self._unit = of if isinstance(of, Unit) else unit_of(of)
        self._refusals = refusals

    def __call__[T](self, part: str, work: Callable[[], T]) -> T | None:
        """Return what `work` finds, or None after noting why it finds nothing."""
        try:
            with speaking_of(self._unit):
                return work()
        except UnknownNameError:
            raise
        except self._refusals as error:
            self.failed[part] = str(error)
        return None


def chosen_systems(
    scores: object, choose: str | int, seed: int, *, uses: Collection[Trait] = ()
) -> tuple[Scores, tuple[str, ...]]:
    """Return the scores of the systems to compare, and notes: those of the scores, and how many were chosen.

    `uses` is what the study takes into account, as `metaeval.table.structure.engine_scores` has it; the notes say what
    of it there is.

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> chosen, notes = chosen_systems(simulate_scores(n_systems=5, n_topics=20, rng=1), 3, 0)
    >>> chosen.sizes["system"], notes[-1]
    (3, 'runs: 3 at random: 3 of 5 systems were compared')
    """
    table = engine_scores(scores, uses=uses)
    chosen = select_runs(table, choose, resolve_rng(seed).generator)
    notes = (*chosen.attrs.get("notes", ()), *without_variation(chosen), *design_notes(chosen))
    if choose == "all":
        return chosen, notes
    how = "one per group" if choose == "one-per-group" else f"{choose} at random"
    return chosen, (*notes, f"runs: {how}: {chosen.sizes['system']} of {table.sizes['system']} systems were compared")


def few_systems_note(n_systems: int) -> list[str]:
    """Say where so few systems are compared that what is found of a metric is chance.

    Examples
    --------
    >>> few_systems_note(2), few_systems_note(10)
    (['2 systems make 1 pair: all results on metrics rest on it'], [])
    """
    if n_systems >= _FEW_SYSTEMS:
        return []
    n_pairs = n_systems * (n_systems - 1) // 2
    pairs, alone = ("1 pair", "it") if n_pairs == 1 else (f"{n_pairs} pairs", "these")
    return [Remark(f"{n_systems} systems make {pairs}: all results on metrics rest on {alone}")]


def few_topics_note(scores: object) -> list[str]:
    """Say where scores have so few topics, or clusters of them, that nothing shows how their differences vary.

    Examples
    --------
    >>> from metaeval import as_scores
    >>> few_topics_note(as_scores([[0.1, 0.2, 0.4], [0.3, 0.4, 0.6]]))
    ['3 topics are few: tests and intervals rest on an assumed spread, and more topics may turn what is claimed here']
    """
    if not isinstance(scores, xr.DataArray) or "topic" not in scores.dims:
        return []
    spoken, clustered = unit_of(scores), "cluster" in scores.coords
    n = len(np.unique(scores["cluster"])) if clustered else scores.sizes["topic"]
    units = spoken.clusters if clustered else spoken.topics
    if not 1 < n < _FEW_TOPICS:
        return []
    assumed = "tests and intervals rest on an assumed spread"
    return [f"{n} {units} are few: {assumed}, and more {units} may turn what is claimed here"]


def test_notes(result: PairwiseResult, scores: Scores) -> list[str]:
    """Say how a test of scores took clusters, strata, weights and gaps into account, and what 0/1 scores make of it."""
    notes, name = list[str](), TESTS.words(result.test)
    error, n_clusters = result.details.get("standard_error"), result.details.get("n_clusters")
    spoken = unit_of(scores)
    if n_clusters:
        drawn_whole = f"{spoken.clusters} are exchanged or drawn whole"
        how = f"standard errors are cluster-robust ({error})" if error else drawn_whole
        notes.append(Remark(f"{name}: {how}, with {n_clusters} {spoken.clusters}"))
    elif error:
        notes.append(Remark(f"{name}: standard errors are robust ({error})"))
    without = result.details.get("pairs_without_evidence", [0])
    if sum(without):
        units = spoken.clusters if "cluster" in scores.coords else spoken.topics
        most = "up to " * (len(set(without)) > 1)
        notes.append(
            f"{name}: {most}{max(without):,} of {result.n_pairs:,} pairs cannot be tested, with fewer than two {units} "
            "in common, and are not counted"
        )
    if few := means_of_few(scores):
        notes.append(f"means rest on few {spoken.topics}, and beyond those are fitted: {first_few(few)}")
    if cut := means_cut(scores):
        notes.append(
            f"means of {first_few(cut)}: fitted from so few {spoken.topics} that they would lie beyond all scores; "
            "they are cut at the last of these"
        )
    if n_few := int(result.too_few().sum(axis=1).max()):
        units = spoken.clusters if "cluster" in scores.coords else spoken.topics
        notes.append(
            f"{name}: {n_few:,} of {result.n_pairs:,} pairs {'differs' if n_few == 1 else 'differ'} on so few {units} "
            f"that no exact test can reach the level, {result.alpha:g}; such pairs do not count as significant, "
            "whatever their p-values"
        )
    if tested := result.details.get("all_at_once"):
        told = first_few(
            [
                f"{metric} {row['f']:.3g} (p {p_value(row['p_f'])})"
                for metric, row in zip(result.metrics, tested, strict=True)
            ]
        )
        notes.append(
            f"{name}: all systems at once, Friedman's test as F (Iman and Davenport): {told}; ranks are among "
            f"{result.n_systems} systems, so that what is said of two depends on which others take part"
        )
    if result.details.get("mcnemar"):
        notes.append(Remark("all scores are 0 or 1, so the sign test is McNemar's test"))
    return notes


def interval_notes(result: PairwiseResult, scores: Scores) -> list[str]:
    """Say, where differences are shown, which have no interval."""
    unbounded = without_interval(result)
    if not unbounded:
        return []
    (n_same, metric), *others = unbounded
    note = (
        f"no interval ({MISSING}) of {n_same:,} of {result.n_pairs:,} differences under {metric}, each the same on "
        f"every {unit_of(scores).topic}: nothing says what values {metric} may have"
        f"{f'; likewise under {count(len(others), "other metric")}' * bool(others)}"
    )
    return [note]
