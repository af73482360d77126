"""The state of the installation as a report.

Its words stand here: what fills in passages loads numba, which may be what is broken.
"""

import pandas as pd

from metaeval.base.names import count
from metaeval.base.provenance import Provenance
from metaeval.base.words import listed
from metaeval.page.blocks import Methods, Section
from metaeval.page.report import Report
from metaeval.page.tables import Table, left

_STATES = {"fine": "fine", "absent": "not installed", "broken": "BROKEN"}


def doctor_report(findings: pd.DataFrame, *, provenance: Provenance) -> Report:
    """Put what `metaeval.questions.doctor.study.examine_installation` found into a report."""
    broken = findings.loc[findings["state"] == "broken", "part"].tolist()
    absent = int((findings["state"] == "absent").sum())
    answer = (
        f"{count(len(broken), 'part')} of this installation {'is' if len(broken) == 1 else 'are'} broken: "
        f"{listed(broken)}."
        if broken
        else "This installation is in order."
    )
    if absent:
        answer += f" {count(absent, 'package')} of extras {'is' if absent == 1 else 'are'} not installed."
    table = Table(
        name="installation",
        title="Parts of the installation",
        caption="Each part was tested or read from the installation. Packages of extras are optional.",
        frame=findings.assign(state=findings["state"].map(_STATES)),
        columns=left(part="Part", state="State", found="Found", advice="What to do"),
        data=findings,
    )
    section = Section(
        id="installation",
        title="Installation",
        lead="Versions, compiled code, cores, workers and figures.",
        brief=True,
        blocks=(table,),
    )
    return Report(
        command="doctor",
        title="Is this installation in order?",
        facts=((str(len(findings)), "parts"), (str(len(broken)), "broken")),
        summary=(answer,),
        sections=(section,),
        methods=Methods(paragraphs=("Only the tests of the parts were computed.",), cite=()),
        rows=findings,
        provenance=provenance,
    )
