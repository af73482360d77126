"""Which significant pairs hold whatever the unjudged documents are."""

from metaeval.base.words import number, share_of, text
from metaeval.page.blocks import Section
from metaeval.page.tables import METRIC, right
from metaeval.reports.prose import prose
from metaeval.resampling.completions import CompletionBounds
from metaeval.tests_stat.correction import CORRECTIONS

say = prose(__name__)


def completions_section(bounds: CompletionBounds | None) -> tuple[Section, ...]:
    """Return the section on all completions of the judgments; none where no metric allows bounds."""
    if bounds is None:
        return ()
    frame = bounds.to_frame()
    parts = {
        name: [
            share_of(n, of) if of else text(None)
            for n, of in zip(frame[f"n_{name}"], frame["n_significant"], strict=True)
        ]
        for name in ("same_winner", "hold")
    }
    table = say.table(
        "completions",
        frame.assign(**parts),
        (METRIC,),
        right(text, n_significant="Significant pairs", same_winner="Same winner always", hold="Significant always"),
        right(number(3), residual="Width of the bounds"),
        data=frame,
        bounds=bounds,
        correction=CORRECTIONS.label(bounds.correction),
    )
    return (say.section("completions", table, head="Findings under every completion of the judgments"),)
