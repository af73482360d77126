"""What the page on votes says of systems without strengths: the pairs of which one won all votes."""

from metaeval.base.words import number, p_value, percentage, share, share_of, text, whole
from metaeval.page.blocks import Methods, Section
from metaeval.page.report import Report
from metaeval.page.tables import Table, left, right
from metaeval.questions.votes.study import VotesStudy
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import KeyFigure, counted, listed_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts

_STRENGTH = number(2)
say = prose(__name__)


def _called(study: VotesStudy, unit: str) -> str:
    return "topic" if len(study.powers) and unit == "question" else unit


def _shared(units: list[str]) -> list[str]:
    """Return in words what votes have in common that share each of these."""
    return ["by one voter" if name == "voter" else f"on one {name}" for name in units]


def _units(study: VotesStudy) -> list[str]:
    """Return what independent votes do not share."""
    return [_called(study, name) for name in study.swept_by]


def sweeps_section(study: VotesStudy) -> list[Section]:
    """Return the pairs of which one system won all votes, in groups without strengths; nothing where there is none."""
    frame = study.sweeps
    if not len(frame):
        return []
    table_frame = frame.assign(
        least=[say("least", value=share(bound)) for bound in frame["least_share"]],
        beyond=[say("least", value=_STRENGTH(bound)) for bound in frame["least_difference"]],
        decided=frame["settled"].map({True: "yes", False: "no"}),
    )
    table = Table(
        name="sweeps",
        title=say("table"),
        caption=say("caption", n=len(frame), alpha=study.alpha, level=percentage(1 - study.alpha), units=_units(study)),
        frame=table_frame,
        columns=(
            *(right(whole, group="Group") if "group" in frame else ()),
            *left(system="Winner", against="against"),
            *right(whole, "Votes", votes="all", independent="independent"),
            *right(p_value, p_corrected="p"),
            *left(decided="Settled"),
            *right(text, "Winner’s", least="share of votes", beyond="difference of strengths"),  # noqa: RUF001 - for people
        ),
        data=frame,
    )
    return [Section(id="sweeps", title=say("section"), lead=say("lead"), brief=True, blocks=(table,))]


def sweeps_methods(study: VotesStudy) -> list[str]:
    """Say how these pairs were tested."""
    if not len(study.sweeps):
        return []
    fitted, n = len(study.groups) > 0, len(study.sweeps)
    return [say("methods", fitted=fitted, n=n, units=_units(study), study=study)]


def sweeps_report(study: VotesStudy, *parts: Section) -> Report:
    """Put a study in which no system has a strength into a report."""
    frame = study.sweeps
    first, settled, n = frame.iloc[0], int(frame["settled"].sum()), len(frame)
    single = [_called(study, name) for name, n_units in study.n_units.items() if n_units == 1]
    fields = {"first": first, "settled": settled, "n": n, "n_groups": study.n_groups, "single": single}
    figures = [KeyFigure(say("settled"), share_of(settled, n), counted(settled, n))]
    if n == 1:
        words = say("share", system=first["system"], against=first["against"])
        figures += [
            KeyFigure(say("p"), p_value(first["p_value"]), {"p_value": first["p_value"]}),
            KeyFigure(words, share(first["least_share"]), {"least_share": first["least_share"]}),
        ]
    fewer = bool((frame["independent"] < frame["votes"]).any())
    told = facts(
        vote=study.n_votes,
        system=study.n_systems,
        **{_called(study, name): n_units for name, n_units in study.n_units.items()},
        pair=n,
    )
    return Report(
        command="votes",
        title=prose("metaeval.questions.votes.page")("title", of_runs=len(study.powers) > 0),
        facts=(*told, (f"{study.alpha:g}", "significance level α")),  # noqa: RUF001 - Greek letters are for people
        summary=(
            say("answer", **fields),
            say(
                "bound",
                fewer=fewer,
                units=_units(study),
                once=_shared(_units(study)),
                all=_shared(single),
                level=percentage(1 - study.alpha),
                **fields,
            ),
        ),
        key_figures=listed_figures(figures),
        sections=(*sweeps_section(study), *parts),
        methods=Methods(paragraphs=tuple(sweeps_methods(study))),
        rows=frame,
        provenance=study.provenance,
        notes=study.notes,
        data={"pairs.csv": csv_file(frame)},
    )
