"""`metaeval doctor`: whether this installation is in order."""

from typing import TYPE_CHECKING

from metaeval.cli.command import command
from metaeval.cli.reading import Loaded

if TYPE_CHECKING:
    from metaeval.page.report import Report


@command("doctor")
def doctor_command(loaded: Loaded) -> "Report":
    """Check the installation: versions, compiled code, cores, workers, figures.

    Each part is tested. Each problem is named, with a remedy; packages of extras may be absent.

    For example:

        metaeval doctor

        metaeval doctor --json
    """
    from metaeval.questions.doctor.page import doctor_report  # noqa: PLC0415 - as above
    from metaeval.questions.doctor.study import examine_installation  # noqa: PLC0415 - loads pandas

    return doctor_report(examine_installation(), provenance=loaded.provenance)
