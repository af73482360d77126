"""`metaeval look`: what files of an evaluation are, and what they can answer."""

from typing import Annotated

import typer

from metaeval.cli.command import command
from metaeval.cli.reading import Answer, Loaded


@command("look")
def look(
    loaded: Loaded,
    *,
    inputs: Annotated[list[str], typer.Argument(metavar="FILE…", show_default=False)],
) -> Answer:
    """Say what files of an evaluation are, and what they can answer, each question with its command.

    For example:

        metaeval look scores.csv

        metaeval look runs/ qrels.txt

        metaeval votes.csv
    """
    from metaeval.questions.look.study import look as ask  # noqa: PLC0415 - loads pandas

    loaded.read(*inputs)
    return ask(inputs, provenance=loaded.provenance)
