"""A page that shows itself."""

from dataclasses import dataclass
from pathlib import Path

from metaeval.page.blocks import Page
from metaeval.page.json_answer import json_document
from metaeval.page.latex import table_latex
from metaeval.page.markdown import table_markdown
from metaeval.page.tables import table_csv


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Report(Page):
    """A report that can be shown and saved.

    Examples
    --------
    >>> from metaeval import simulate_scores, study_power
    >>> report = study_power(simulate_scores(n_systems=5, n_topics=20, rng=1), tests=["t"], rng=1).report()
    >>> report.sections[0].title, len(report.rows)
    ('Discriminative power', 12)
    """

    def save(self, folder: str | Path, *, overwrite: bool = False, pdf: bool = False) -> Path:
        """Write the report as a folder: index.html, tables, figures, data and provenance.json.

        Parameters
        ----------
        folder : path
            One that does not exist yet, or is empty; see `overwrite`.
        overwrite : bool, default False
            Replace an older report: the files that metaeval wrote, and no others.
        pdf : bool, default False
            Write every figure as PDF too, with its fonts embedded; that takes longer than all else about a figure.

        Returns
        -------
        pathlib.Path
            The page to open: ``index.html`` in the folder.

        Raises
        ------
        InvalidOptionError
            If the folder may not be written. Nothing is left behind then.
        OutputError
            If another process is writing it, or the system refuses to write. Nothing is left behind then either.
        """
        from metaeval.page.folder import write_report  # noqa: PLC0415 - loads matplotlib

        return write_report(self, folder, overwrite=overwrite, pdf=pdf)

    def to_html(self) -> str:
        """Return the report as one self-contained page."""
        from metaeval.page.html import render_page  # noqa: PLC0415 - loads matplotlib

        return render_page(self)

    def to_json(self) -> str:
        """Return the answer for programs: flat rows and every table, full precision, null for what is undefined.

        Returns
        -------
        str
            A document with schema, command, options, results, tables, summary, notes, warnings and provenance.
        """
        return json_document(
            self.command,
            self.rows,
            provenance=self.provenance,
            said={"summary": self.summary, "notes": self.notes, "warnings": self.warnings},
            tables=self.tables(),
        )

    def to_latex(self) -> str:
        """Return the main table as LaTeX, for the package booktabs."""
        return table_latex(self.main_table())

    def to_markdown(self) -> str:
        """Return the main table as Markdown, with pipes between its cells."""
        return table_markdown(self.main_table())

    def to_html_table(self) -> str:
        """Return the main table as a piece of HTML that stands on any page."""
        from metaeval.page.html import table_html  # noqa: PLC0415 - loads Jinja2

        return table_html(self.main_table())

    def to_csv(self) -> str:
        """Return the main table's data as CSV, numbers at full precision."""
        return table_csv(self.main_table())

    def _repr_html_(self) -> str:
        from metaeval.page.notebook import report_html  # noqa: PLC0415 - loads Jinja2

        return report_html(self)
