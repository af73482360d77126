"""What the page on judges says without a reference: who errs, which items are doubtful, which system leads."""

from metaeval.base.unit import unit
from metaeval.base.words import bracketed, number, percentage, sentence_case, share, whole
from metaeval.figures.label_agreement import agreement_dots
from metaeval.models.dawid_skene import LatentClasses
from metaeval.page.blocks import Block, Fold, Picture, Section
from metaeval.page.tables import bounded, left, right
from metaeval.reports.prose import prose
from metaeval.reports.shared import labelled_heads

_MOST_DOUBTFUL = 8
say = prose(__name__)


def latent_words(found: LatentClasses) -> tuple[str, ...]:
    """Say who errs least, who most, and whether that may be believed."""
    frame, tail = found.judges, (1 - found.confidence_level) / 2
    ends = frame["accuracy"], frame["accuracy_low"], frame["accuracy_high"]
    figures = [bracketed(value, low, high, share) for value, low, high in zip(*ends, strict=True)]
    judges = [{"name": name, "figure": figure} for name, figure in zip(frame["judge"], figures, strict=True)]
    best, worst = (frame.loc[frame[column] > tail, "judge"].tolist() for column in ("p_best", "p_worst"))
    dependent = bool(found.pairs["beyond"].any())
    believe = say("believe", dependent=dependent)
    return say("answer", judges=judges, best=best, worst=worst), believe


def latent_section(found: LatentClasses | None, *, by_item: bool) -> tuple[Section, ...]:
    """Put the accuracy of every judge, the doubtful items and the scores of systems into tables."""
    if found is None:
        return ()
    names = {"judge": "name", "accuracy": "value", "accuracy_low": "low", "accuracy_high": "high"}
    dots = found.judges.rename(columns=names)
    picture = Picture(
        **say.named("accuracy", level=percentage(found.confidence_level)),
        draw=lambda: agreement_dots(dots, label="accuracy"),
        alt="; ".join(f"{row.name}: {share(row.value)}" for row in dots.itertuples(index=False)),
    )
    blocks: list[Block] = [picture, _judges_table(found), *_systems_blocks(found)]
    doubtful = say.table(
        "doubtful",
        found.items.head(_MOST_DOUBTFUL),
        left(**({} if by_item else {"topic": sentence_case(unit().topic)}), item=labelled_heads()[:-1], label="Label"),
        right(share, probability="Probability"),
        right(whole, n_labels="Labels"),
        called="latent-items",
        data=found.items,
        n_all=len(found.items),
    )
    pairs = Fold(title="Pairs of judges", blocks=(_pairs_table(found),))
    return (say.section("latent", *blocks, doubtful, pairs, head="Who errs, without a reference"),)


def _judges_table(found: LatentClasses) -> Block:
    frame, columns = bounded(found.judges, {"accuracy": ("Accuracy", share)})
    labels = found.labels["label"].tolist()
    return say.table(
        "judges",
        frame,
        left(judge="Judge"),
        columns,
        right(share, "Right where the label is", **{f"right_{label}": label for label in labels}),
        right(whole, n_items=labelled_heads()),
        called="latent-judges",
        data=found.judges,
    )


def _systems_blocks(found: LatentClasses) -> tuple[Block, ...]:
    if found.systems.empty:
        return ()
    frame = found.systems.rename(columns={"low": "score_low", "high": "score_high"})
    frame, columns = bounded(frame, {"score": ("Score", share if {*found.labels["value"]} <= {0, 1} else number(2))})
    table = say.table(
        "systems",
        frame,
        left(system="System"),
        columns,
        right(whole, n_items=labelled_heads()),
        called="latent-systems",
        data=found.systems,
        level=percentage(found.confidence_level),
    )
    return (table,)


def _pairs_table(found: LatentClasses) -> Block:
    frame, columns = bounded(found.pairs, {"expected": ("Expected", share)})
    return say.table(
        "pairs",
        frame.sort_values("same", ascending=False),
        left(first="First", second="Second"),
        right(share, same="Same label"),
        columns,
        right(whole, n_items=labelled_heads()),
        called="latent-pairs",
        data=found.pairs,
        level=percentage(found.confidence_level),
    )
