"""`metaeval leaderboard`: is this leaderboard's ranking real."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

from metaeval.base.names import first_few, split_at_commas
from metaeval.base.unit import Unit, unit_of
from metaeval.cli import options as opt
from metaeval.cli.checks import MOST_SYSTEMS, a_name, whole_number
from metaeval.cli.command import command
from metaeval.cli.console import NotEstablishedError, OpenError
from metaeval.cli.option import Option, choice, flag
from metaeval.cli.reading import Answer, Loaded

if TYPE_CHECKING:
    from metaeval.tests_stat.requirements import Requirements

_RESAMPLES = opt.RESAMPLES.but(words="Resamples of the items for shares of resamples.", shown="2000")
_RANK_METHOD = choice(
    "How ranks are decided: by draws of the true means, or by paired t tests under Holm, with wider intervals.",
    "posterior",
    "guaranteed",
)


def _check_sides(texts: list[str], _option: str) -> list[str]:
    from metaeval.tests_stat.requirements import sides_of  # noqa: PLC0415 - loads the package

    for text in texts:
        sides_of(text)
    return texts


_REQUIRE = Option(
    "TEXT",
    'What must be established, such as "new >= old - 0.005" or "new >= 0.7" (one-sided, at --alpha); may be repeated. '
    "If it is violated the exit code is 1, if it stays open 6.",
    _check_sides,
    means="requirements",
)
_BASELINES = opt.BASELINE.but(words="A system to compare with every other, or several by comma; may be repeated.")
_TOP = Option("K", "Number of systems that count as the top.", whole_number(1, MOST_SYSTEMS), shown="3")

_COHORT = Option(
    "NAME",
    "Systems whose items that separate them are counted: top10 and the like, or a group, or several by comma; may be "
    "repeated. By default the top 10 and 25.",
    a_name,
    means="cohorts",
)

_UNPAIRED = flag("--unpaired", "Compare systems as if scored on different items (Welch), even where they share some.")


@command("leaderboard", reads="scores", draws=True)
def leaderboard_command(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    baseline: Annotated[list[str] | None, _BASELINES] = None,
    require: Annotated[list[str] | None, _REQUIRE] = None,
    top: Annotated[int | None, _TOP] = None,
    cohort: Annotated[list[str] | None, _COHORT] = None,
    power: Annotated[float, opt.POWER] = 0.8,
    alpha: Annotated[float, opt.ALPHA] = 0.05,
    rank_method: Annotated[str, _RANK_METHOD] = "posterior",
    resamples: Annotated[int, _RESAMPLES] = 2000,
    unpaired: Annotated[bool, _UNPAIRED] = False,
) -> Answer:
    """Test which ranks of a leaderboard are reliable, and how well the benchmark separates systems.

    Every system has an interval of ranks, simultaneous for all systems. Neighbours and pairs with the best system are
    tested as separate families. The page ends with the power of the benchmark: the smallest difference that its items
    detect, how many items are needed, and which items and aggregates separate systems.

    For example:

        metaeval leaderboard results/ --metrics main_score

        metaeval leaderboard board.csv   (columns model, score, stderr: ranks alone)

        metaeval leaderboard scores.csv --group-regex '^([^/]+)/' --baseline bm25 --out leaderboard
    """
    from metaeval.io.means import MeansAloneError  # noqa: PLC0415 - loads pandas
    from metaeval.questions.leaderboard.study import study_leaderboard  # noqa: PLC0415 - loads scipy and numba

    try:
        fewest = 1 if require else 2  # one mean alone may be required to be beyond a number
        scores = loaded.keeping_gaps().scores() if unpaired else loaded.scores(fewest=fewest)
        if unpaired:
            from metaeval.tests_stat.unpaired import unpaired_means  # noqa: PLC0415 - loads scipy

            return loaded.ask(study_leaderboard, unpaired_means(scores), requirements=require or (), cohorts=cohort)

        def names(what: str) -> Callable[[str], bool]:
            return {*(scores[what].to_numpy().tolist() if what in scores.coords else ())}.__contains__

        study = loaded.ask(
            study_leaderboard,
            scores,
            requirements=require or (),
            cohorts=None if cohort is None else split_at_commas(cohort, names("group")),
            baseline=split_at_commas(baseline or (), names("system")),
        )
    except MeansAloneError as alone:
        return loaded.ask(study_leaderboard, loaded.means(alone), requirements=require or (), cohorts=cohort)
    requirements = getattr(study, "requirements", None)
    if requirements is not None and not requirements.met:
        loaded.at_end(lambda: _refuse(requirements, unit_of(scores)))
    return study


def _refuse(found: "Requirements", spoken: Unit) -> None:
    """Say what is violated, or else open."""
    from metaeval.tests_stat.requirements import VIOLATED  # noqa: PLC0415 - loads the package

    rows = found.table
    violated = rows[rows["state"] == VIOLATED]
    if len(violated):
        words = [f"{row.requirement} is violated under {row.metric}" for row in violated.itertuples()]
        raise NotEstablishedError(f"not established: {first_few(words, between='; ')}")
    raise OpenError(f"open: {first_few(found.open_words(spoken), between='; ')}")
