"""Which measures fit a collection where nobody names any."""

from metaeval.collection.documents import JudgedCollection
from metaeval.collection.elements import ElementCollection
from metaeval.collection.passages import PassageCollection

_OF_DOCUMENTS = ("AP", "nDCG@10", "nDCG", "Q", "RBP(p=0.8)", "bpref", "P@10", "RR")
_OF_REAL_GRADES = ("nDCG@10", "nDCG", "Q", "RBP(p=0.8)")
_PRECISIONS = (0, 0.01, 0.05, 0.1)
_SIZED = ("MAep", "nxCG@10", "nxCG@25", "nxCG@50", "MAnxCG@25", "xQ", "inex2002")
_BEST = ("AgP(mode=best)", "gP(mode=best)@5", "gP(mode=best)@10", "gP(mode=best)@25", "gR@10")


def default_metrics(collection: JudgedCollection) -> tuple[str, ...]:
    """Return the measures to take where none are named: for elements and passages those of the campaigns.

    Examples
    --------
    >>> import pandas as pd
    >>> from metaeval.collection.inex import Assessments, Submission
    >>> from metaeval.collection.passages import passage_collection
    >>> row = {"topic": "1", "document": "d1", "offset": 0, "length": 50}
    >>> judged = Assessments(
    ...     scale="passages", documents=pd.DataFrame([row | {"relevant_size": 50}]), passages=pd.DataFrame([row])
    ... )
    >>> default_metrics(passage_collection([Submission(run="a", results=pd.DataFrame([row]))], judged))[:3]
    ('AiP', 'iP@0', 'iP@0.01')
    """
    if isinstance(collection, PassageCollection):
        return _of_passages(collection)
    if isinstance(collection, ElementCollection):
        return _of_elements(collection)
    return _OF_DOCUMENTS if collection.by_document.grades is None else _OF_REAL_GRADES


def _of_passages(collection: PassageCollection) -> tuple[str, ...]:
    faults = set(collection.faults["kind"])
    if "no length" in faults:
        return ("AP", "P@10") if "repeated" in faults else _BEST
    form = "(overlap=thorough)" if "overlap" in faults else ""
    focused = (f"AiP{form}", *(f"iP{form}@{share:g}" for share in _PRECISIONS))
    return focused if faults & {"overlap", "interleaved"} else (*focused, "AgP", "gP@10", "gR@10")


def _of_elements(collection: ElementCollection) -> tuple[str, ...]:
    sized = bool((collection.elements.sizes[collection.elements_returned] > 0).all())
    if collection.scale == "2005":
        return (*_SIZED, "HiXF@25") if sized else _SIZED
    if sized:
        return (*_SIZED, "inex2002(quant=strict)")
    return ("inex2002", "inex2002(quant=strict)", "nxCG(alpha=0)@10", "nxCG(alpha=0)@25", "nxCG(alpha=0)@50")
