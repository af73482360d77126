"""What would be left had less been judged: one call for all the ways of `metaeval.resampling.reductions.REDUCTIONS`."""

from collections.abc import Sequence
from math import isfinite

import numpy as np

from metaeval.base.checks import LEAST_SHARE, check_choice, check_count, check_kind, check_number
from metaeval.collection.documents import JudgedCollection
from metaeval.errors import InvalidOptionError
from metaeval.resampling.reductions import REDUCTIONS, Reduced, Reduction, ReductionTask
from metaeval.running.draws import RNGLike, resolve_rng


def reduce_judgments(  # noqa: PLR0913 - one keyword per choice
    collection: JudgedCollection,
    *,
    reduction: str,
    steps: Sequence[float] | None = None,
    rng: RNGLike = None,
    pool_depth: int | None = None,
    reciprocal_rank_share: float = 1.0,
    rel: float | None = None,
) -> Reduced:
    """Reduce the judgments of a collection by one of `REDUCTIONS`.

    Parameters
    ----------
    collection : JudgedCollection
        A `Collection`, or one of elements or passages: a document's judgments go or stay together. Its current
        levels are reduced, so a reduction can start from another one.
    reduction : str
        - "stratified": of the R relevant and N other judged documents of a topic, in random order, the first
          max(1, trunc(R j / 100)) and max(10, trunc(N j / 100));
        - "random": a random j % of all judged documents of each topic;
        - "relevant": a random j % of the relevant documents, at least one a topic; the others stay;
        - "order": the first j % of the judged documents in the order of their identifiers, at least one;
        - "topics": a random j % of the topics, with all their judgments;
        - "depth": the pool at j % of its original depth, at least 1;
        - "share": the shallowest pool with at least j % of the original number of documents;
        - "size": runs pooled rank by rank until at least n documents of the topic are in;
        - "reciprocal-rank": the first n documents by summed inverse rank over the pooled runs.
    steps : sequence of float, optional
        j in % (above 0, at most 100) or n in documents; the published ones by default.
    rng : None, int or numpy.random.Generator
        Source of the draws; one draw serves all steps.
    pool_depth : int, optional
        Depth to which the runs were pooled, where it is known; see `metaeval.resampling.pools.original_pool`.
    reciprocal_rank_share : float, default 1
        With "reciprocal-rank", the share of the n documents that is taken by summed inverse rank; the rest is taken
        rank by rank, run after run, up to exactly n. At 0 the whole pool is, which is what to compare the former with
        at equal n.
    rel : float, optional
        Lowest level that counts as relevant, 1 by default (any above 0 where grades are real-valued); documents below
        it are among the others.

    Returns
    -------
    Reduced
        The judgments that are left at each step (``levels``, for ``collection.rejudge``), and counts of them: arrays
        whose first dimension is the step.

    Raises
    ------
    UnknownNameError
        If there is no such reduction.
    InvalidOptionError
        If a step is outside its rule, or the collection lacks what a pool needs.

    Notes
    -----
    Shares of documents and topics are rounded to the nearest whole number, halves up, except where the formula
    truncates (Table 1 of Pal, Mitra and Kamps holds 5,164 of 6,460 relevant documents at 80 %: truncating would have
    cost some forty more). Judged documents outside every pooled run's pool are dropped by "depth", "share", "size"
    and "reciprocal-rank", and counted in the notes.

    Examples
    --------
    >>> from metaeval.collection.assembly import collection_from_rankings
    >>> runs = {"a": {"1": ["d1", "d2", "d3"]}, "b": {"1": ["d4", "d1", "d2"]}}
    >>> collection = collection_from_rankings(runs, {"1": {"d1": 1, "d2": 0, "d3": 0, "d4": 2}})
    >>> reduced = reduce_judgments(collection, reduction="order", steps=[50, 100])
    >>> reduced.levels
    array([[ 1,  0, -1, -1],
           [ 1,  0,  0,  2]], dtype=int16)
    >>> reduced.judged.tolist(), reduced.relevant.tolist()
    ([2, 4], [1, 2])
    """
    check_kind(collection, "collection", "JudgedCollection")
    check_choice(reduction, "reduction", REDUCTIONS)
    documents = collection.by_document
    if rel is not None:
        rel = check_count(rel, "rel") if documents.grades is None else check_number(rel, "rel", least=LEAST_SHARE)
    check_number(reciprocal_rank_share, "reciprocal_rank_share", least=0, most=1)
    chosen = REDUCTIONS[reduction]
    task = ReductionTask(
        collection=documents,
        steps=check_steps(chosen, steps),
        rng=resolve_rng(rng).generator,
        pool_depth=pool_depth,
        reciprocal_rank_share=float(reciprocal_rank_share),
        rel=documents.level_from(rel),
    )
    return chosen.function(task)


def check_steps(reduction: Reduction, steps: Sequence[float] | None) -> tuple[float, ...]:
    """Return the steps asked for, or the published ones."""
    if steps is None:
        return reduction.default_steps
    chosen = tuple(steps) if not isinstance(steps, int | float) else (steps,)
    percent = reduction.unit == "%"
    rule = "above 0 and at most 100 %" if percent else "whole numbers of documents, at least 1"
    for step in chosen:
        number = isinstance(step, int | float | np.integer | np.floating) and not isinstance(step, bool)
        if not number or not isfinite(step) or not (0 < step <= 100 if percent else step >= 1 and step == int(step)):  # noqa: PLR2004 - percent
            raise InvalidOptionError(f"`steps` of {reduction.name!r} must be {rule}, not {step!r}")
    if not chosen or len(set(chosen)) < len(chosen):
        raise InvalidOptionError(f"`steps` must name at least one step, each once, not {chosen!r}")
    return tuple(float(step) for step in chosen)
