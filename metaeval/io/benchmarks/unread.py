"""JSON of other programs that holds neither scores nor labels of items: what it is, and the way to what is read."""

from collections.abc import Mapping
from typing import Any

from metaeval.io.benchmarks.contents import Json

_OF_PASSAGES = (
    "labels of passages, and agreement is computed of labels of whole items: write a row a token with columns item, "
    "judge and label, which metaeval judges reads"
)
_OF_PICTURES = "score every picture by itself and write a row a system and picture, columns system, image and score"
_BY_ITEM = (
    "scores by item stand in per_instance_stats.json beside run_spec.json: give the folder of the run, or that above "
    "with several"
)
_UNREAD: Mapping[frozenset[str], str] = {
    frozenset({"evalId", "results", "config"}): (
        "results of promptfoo, which writes a table too that is read (promptfoo eval -o results.csv)"
    ),
    frozenset({"images", "annotations", "categories"}): f"boxes in pictures (COCO), and no scores; {_OF_PICTURES}",
    frozenset({"image_id", "category_id", "bbox"}): f"boxes that a system found in pictures (COCO); {_OF_PICTURES}",
    frozenset({"adapter_spec", "request_states"}): f"the answers of one run of HELM; {_BY_ITEM}",
    frozenset({"examples", "relations"}): f"an export of LightTag with {_OF_PASSAGES}",
    frozenset({"id", "text", "entities"}): f"an export of doccano with {_OF_PASSAGES}",
}


def unread(json: Json) -> str:
    """Return what a file is that no reader takes, and what to do; "" for any other.

    Examples
    --------
    >>> unread(Json("x", {"images": [], "annotations": [], "categories": []})).partition(",")[0]
    'boxes in pictures (COCO)'
    """
    first: Mapping[str, Any] = json.object or json.first
    if "text" in first and _is_passage(first.get("label", first.get("labels"))):
        return f"an export of doccano with {_OF_PASSAGES}"
    named = first.get("name")
    if isinstance(named, dict) and "name" in named and {"count", "mean", "stddev"} <= first.keys():
        return f"the means of one run of HELM; {_BY_ITEM}"
    return next((told for names, told in _UNREAD.items() if names <= first.keys()), "")


def _is_passage(labels: object) -> bool:
    """Whether labels begin with where a passage starts and ends."""
    first = labels[0] if isinstance(labels, list) and labels else None
    return isinstance(first, list) and all(isinstance(end, int) for end in first[:2])
