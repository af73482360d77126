"""What the page on votes says of systems without strengths: the pairs of which one won all votes."""

from metaeval.base.words import number, p_value, percentage, share, share_of, text, whole
from metaeval.page.blocks import Methods, Section
from metaeval.page.report import Report
from metaeval.page.tables import left, right
from metaeval.questions.votes.study import VotesStudy
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import KeyFigure, counted, listed_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts

_STRENGTH = number(2)
say = prose(__name__)


def _called(study: VotesStudy, unit: str) -> str:
    return "topic" if len(study.powers) and unit == "question" else unit


def _units(study: VotesStudy) -> list[str]:
    """Return what independent votes do not share."""
    return [_called(study, name) for name in study.swept_by]


def _independent(study: VotesStudy) -> str:
    """Return which votes are counted as independent."""
    units = _units(study)
    return f"as many as can be chosen so that no two share a {' or a '.join(units)}" if units else "all"


def sweeps_section(study: VotesStudy) -> list[Section]:
    """Return the pairs of which one system won all votes, in groups without strengths; nothing where there is none."""
    frame = study.sweeps
    if not len(frame):
        return []
    table_frame = frame.assign(
        least=[f"at least {share(bound)}" for bound in frame["least_share"]],
        beyond=[f"at least {_STRENGTH(bound)}" for bound in frame["least_difference"]],
        decided=frame["settled"].map({True: "yes", False: "no"}),
    )
    table = say.table(
        "sweeps",
        table_frame,
        right(whole, group="Group") if "group" in frame else (),
        left(system="Winner", against="against"),
        right(whole, "Votes", votes="all", independent="independent"),
        right(p_value, p_corrected="p"),
        left(decided="Settled"),
        right(text, "Winner’s", least="share of votes", beyond="difference of strengths"),  # noqa: RUF001 - for people
        data=frame,
        alpha=study.alpha,
        level=percentage(1 - study.alpha),
        independent=_independent(study),
    )
    return [say.section("sweeps", table)]


def sweeps_methods(study: VotesStudy) -> list[str]:
    """Say how these pairs were tested."""
    if not len(study.sweeps):
        return []
    words = say("methods", alpha=study.alpha, independent=_independent(study))
    return [words if study.groups else f"{words} {say('made', study=study)}"]


def _summary(study: VotesStudy, single: list[str]) -> tuple[str, str]:
    """Say how many pairs are settled, for what alone, and what has no bound."""
    frame = study.sweeps
    first, n, n_settled = frame.iloc[0], len(frame), int(frame["settled"].sum())
    answer = say("answer", of="of" if study.n_groups > 1 else "Of", n=n, settled=n_settled)
    if n == 1:
        answer = say("answer one", first=first, settled="settled" if n_settled else "not settled")
    if n_settled and single:
        answer = f"{answer}, for one {' and one '.join(single)} alone"
    answer = f"{say('unconnected', n=study.n_groups)} {answer}" if study.n_groups > 1 else answer
    bound = "No strength has bounds on both sides, so that there are no ranks."
    if n == 1:
        bound = say("bound", first=first, level=percentage(1 - study.alpha))
    words = [bound, *([say("single", units=single)] if single else [])]
    return f"{answer}.", " ".join([*words, say("independent", independent=_independent(study))])


def sweeps_report(study: VotesStudy, title: str, *parts: Section) -> Report:
    """Put a study in which no system has a strength into a report."""
    frame = study.sweeps
    first, settled, n = frame.iloc[0], int(frame["settled"].sum()), len(frame)
    single = [_called(study, name) for name, n_units in study.n_units.items() if n_units == 1]
    figures = [KeyFigure("Settled pairs", share_of(settled, n), counted(settled, n))]
    if n == 1:
        least = f"Least expected share of the votes for {first['system']} against {first['against']}, one-sided"
        figures += [
            KeyFigure("p (exact sign test)", p_value(first["p_value"]), {"p_value": first["p_value"]}),
            KeyFigure(least, share(first["least_share"]), {"least_share": first["least_share"]}),
        ]
    told = facts(
        vote=study.n_votes,
        system=study.n_systems,
        **{_called(study, name): n_units for name, n_units in study.n_units.items()},
        pair=n,
    )
    return Report(
        command="votes",
        title=title,
        facts=(*told, (f"{study.alpha:g}", "significance level α")),  # noqa: RUF001 - Greek letters are for people
        summary=_summary(study, single),
        key_figures=listed_figures(figures),
        sections=(*sweeps_section(study), *parts),
        methods=Methods(paragraphs=tuple(sweeps_methods(study))),
        rows=frame,
        provenance=study.provenance,
        notes=study.notes,
        data={"pairs.csv": csv_file(frame)},
    )
