"""`metaeval stop`: may one stop, having looked while results came in."""

from pathlib import Path
from typing import Annotated

from metaeval.base.unit import unit_of
from metaeval.cli import options as opt
from metaeval.cli.checks import a_name, file_to_read, whole_number
from metaeval.cli.command import command
from metaeval.cli.option import Option, choice, path
from metaeval.cli.reading import Answer, Loaded
from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.table.arrivals import arrival_by

_ARRIVAL_FILE = path(
    "FILE",
    "Table with a column of topics and one of when they came: dates as 2026-01-31, or numbers. The score table itself "
    "may be it.",
    file_to_read("the table of arrivals"),
    means="arrival",
)
_ARRIVAL_COLUMN = Option("NAME", "The column that says when.", a_name, needs="arrival_file", shown="the only other one")
_LOOK_EVERY = Option(
    "K", "Topics or votes between two looks.", whole_number(), shown="1, or as many as leave 500 looks"
)
_EVIDENCE = choice(
    "t: roughly normal differences; sign: scores of 0 and 1, votes; betting: scores between 0 and 1, without any law.",
    *("t", "sign", "betting"),
    shown="sign for 0 and 1, betting for ERR, else t",
)
_CORRECTION = choice(
    "holm: no wrong decision at any look; fdr_bh: the false discovery rate at the look at which one stops.",
    *("holm", "fdr_bh"),
)
_BY = choice(
    "What of votes comes by itself: a vote, or all that share a question or voter, with the last of them.",
    *("vote", "question", "voter"),
    shown="question or voter where a pair has several votes of one",
)
_BURN_IN = Option("N", "Topics or votes before the first look.", whole_number(2))
_REPLAYS = Option(
    "R",
    "Random orders in which to replay the arrival; 0 leaves it out.",
    whole_number(zero=True),
    means="n_replays",
)


@command("stop", reads="scores or votes", draws=True)
def stop_command(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    arrival_file: Annotated[Path | None, _ARRIVAL_FILE] = None,
    arrival_column: Annotated[str | None, _ARRIVAL_COLUMN] = None,
    look_every: Annotated[int | None, _LOOK_EVERY] = None,
    evidence: Annotated[str | None, _EVIDENCE] = None,
    correction: Annotated[str, _CORRECTION] = "holm",
    alpha: Annotated[float, opt.ALPHA] = 0.05,
    burn_in: Annotated[int, _BURN_IN] = 10,
    by: Annotated[str | None, _BY] = None,
    replay: Annotated[int, _REPLAYS] = 200,
    columns: opt.ColumnsOfVotes,
) -> Answer:
    """Say whether to stop adding topics or votes, however often one looks.

    Topics come as --arrival-file says, else by the column of dates of the table of scores, else in the order of their
    names; votes in the order of their rows. Decisions hold though one looks after every topic and stops when one likes,
    which p-values do not.

    For example:

        metaeval stop scores.csv

        metaeval stop scores.csv --arrival-file scores.csv --arrival-column date

        metaeval stop votes.csv --look-every 100 --out stop
    """
    from metaeval.io.groups import column_of_dates, read_arrivals  # noqa: PLC0415 - loads pandas
    from metaeval.questions.stop.study import study_stopping  # noqa: PLC0415 - loads scipy

    when = None if arrival_file is None else arrival_column or column_of_dates(arrival_file)
    left_out = arrival_file is not None and when is not None and loaded.leave_out(when, arrival_file)
    votes, scores = loaded.votes_and_scores(columns=columns.by_role())
    if votes and (scores is not None or len(votes) > 1):
        raise InvalidOptionError("votes and scores, or several sets of votes, come apart; give one of them")
    if votes:
        if arrival_file is not None:
            raise InvalidOptionError("--arrival-file is of topics; votes come in the order of their rows; leave it out")
        return loaded.ask(study_stopping, next(iter(votes.values())))
    if scores is None:
        return loaded.ask(study_stopping, scores)
    if arrival_file is None:
        return loaded.ask(study_stopping, scores)
    topics = scores["topic"].to_numpy().tolist()
    arrival = arrival_by(when or "", read_arrivals(arrival_file, topics=topics, column=arrival_column))
    loaded.read(arrival_file)
    if arrival.trouble:
        raise FileFormatError(arrival.trouble, path=str(arrival_file))
    left = [f"left out column {when!r}, which says when {unit_of(scores).topics} came"] * left_out
    scores = scores.assign_attrs(notes=[*scores.attrs.get("notes", ()), *left])
    return loaded.ask(study_stopping, scores, arrival=list(arrival.topics))
