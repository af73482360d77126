"""`metaeval score`: what every run scores on every topic."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from metaeval.cli import options as opt
from metaeval.cli.checks import file_to_write
from metaeval.cli.command import command
from metaeval.cli.option import path
from metaeval.cli.option_rules import check_scores_file
from metaeval.cli.reading import Answer, Loaded

if TYPE_CHECKING:
    from metaeval.table.scores import Scores

_SCORES = path("FILE", "Write every score, by topic: .csv (long), .nc, or .parquet (an extra).", file_to_write())


@command("score", reads="runs")
def score_command(
    loaded: Loaded,
    *,
    scores: Annotated[Path | None, _SCORES] = None,
    threads: Annotated[int | None, opt.THREADS] = None,
) -> Answer:
    """Score runs with judgments: the mean of every run, and on request every topic.

    For example:

        metaeval score runs/ --qrels qrels.txt --metrics "AP,nDCG@10,RBP(p=0.8)"

        metaeval score runs/*.gz --qrels qrels.txt --scores scores.nc
    """
    from metaeval.metrics.scoring import resolve_metrics  # noqa: PLC0415 - loads numba
    from metaeval.questions.score.page import score_report  # noqa: PLC0415 - as above

    if scores is not None:
        check_scores_file(scores, overwrite=loaded.options["overwrite"])
    del threads  # scoring is a part of reading, which knows the options
    table = loaded.scores(fewest=1)
    if scores is not None:
        loaded.at_end(lambda: _write(table, scores, loaded))
    return score_report(
        table,
        provenance=loaded.provenance,
        metrics=resolve_metrics(loaded.metrics(), registry=loaded.registry),
        collection=loaded.compiled(),
    )


def _write(scores: "Scores", file: Path, loaded: Loaded) -> None:
    from metaeval.io.tables import write_scores  # noqa: PLC0415 - loads pandas

    write_scores(scores, file)
    loaded.session.say(f"Wrote {scores.size} scores to {file}")
