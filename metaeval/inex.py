"""XML retrieval as INEX did it: submissions, assessments, elements, passages, and how they were judged.

A chapter of names that live where their kind lives; each is loaded when it is first asked for.
"""

from importlib import import_module

_PLACES = {
    "metaeval.agreement.assessed_pools": ("pool_growth",),
    "metaeval.agreement.assessments": ("character_ratios", "element_agreement", "passage_agreement"),
    "metaeval.collection.elements": ("ElementCollection", "element_collection"),
    "metaeval.collection.inex": ("Assessments", "Submission"),
    "metaeval.collection.passages": ("PassageCollection", "passage_collection"),
    "metaeval.io.inex": (
        "read_assessments",
        "read_element_sizes",
        "read_pool",
        "read_submission",
        "read_submissions",
        "write_assessments",
        "write_element_sizes",
        "write_submission",
    ),
    "metaeval.io.inex_log": ("read_assessment_log",),
    "metaeval.metrics.focused.curves": ("element_curves",),
    "metaeval.metrics.focused.in_context": ("generalised_precision_curves",),
    "metaeval.metrics.focused.inex_eval": ("inex_eval_table",),
    "metaeval.metrics.focused.interpolated_precision": ("interpolated_precision_curves",),
    "metaeval.metrics.focused.overlap": ("run_overlap",),
    "metaeval.simulate.inex": ("SimulatedInex", "simulate_inex"),
    "metaeval.simulate.reliability_runs": ("reliability_runs",),
    "metaeval.studies.assessment": ("AssessmentStudy",),
    "metaeval.studies.expectations": ("Preference",),
    "metaeval.studies.reliability": ("ReliabilityStudy",),
}
_MODULE = {name: module for module, names in _PLACES.items() for name in names}

__all__ = sorted(_MODULE)  # noqa: PLE0605 - the names of the table


def __getattr__(name: str) -> object:
    if name not in _MODULE:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_MODULE[name]), name)


def __dir__() -> list[str]:
    return __all__
