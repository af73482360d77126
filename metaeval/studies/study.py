"""What the results of all studies share: each can be shown as a report."""

from importlib import import_module
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from metaeval.reports.report import Report

__all__ = ["Study"]


class Study:
    """The result of a study.

    Attributes
    ----------
    reported_by : str
        ``module:function`` that turns the result into a `metaeval.reports.report.Report`. It is looked up when a
        report is asked for, as a plug-in is: studies know nothing of reports, and matplotlib stays unloaded.
    """

    __slots__ = ()

    reported_by: ClassVar[str]

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
        module, function = self.reported_by.split(":")
        report: Report = getattr(import_module(module), function)(self, **options)
        return report

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()
