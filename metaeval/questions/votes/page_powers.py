"""What the page on rankings as votes says of preferences beside metrics: their discriminative power."""

from metaeval.base.words import share_of, text
from metaeval.page.blocks import Section
from metaeval.page.tables import METRIC, right
from metaeval.questions.votes.study import VotesStudy
from metaeval.reports.prose import prose
from metaeval.tests_stat.correction import CORRECTIONS

say = prose(__name__)


def powers_section(study: VotesStudy) -> list[Section]:
    """Return the pairs of runs that preferences and metrics separate; nothing where votes are no preferences."""
    frame = study.powers
    if not len(frame):
        return []
    wide = frame.pivot(index="metric", columns="correction", values="n_significant")
    wide = wide.reset_index().sort_values(["none", "metric"], ascending=[False, True], ignore_index=True)
    n_pairs = int(frame["n_pairs"].iloc[0])
    table_frame = wide.assign(
        **{
            name: [share_of(n_significant, n_pairs) for n_significant in wide[name]]
            for name in ("none", "fdr_bh", "fdr_by")
        }
    )
    table = say.table(
        "powers",
        table_frame,
        (METRIC,),
        right(
            text,
            "Pairs of different means, by t tests",
            **{name: CORRECTIONS.label(name) for name in ("none", "fdr_bh", "fdr_by")},
        ),
        data=frame,
        study=study,
    )
    return [say.section("powers", table, head="Discriminative power")]


def powers_methods() -> str:
    """Say what the preferences are."""
    return say("preferences")
