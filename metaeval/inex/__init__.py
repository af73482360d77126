"""XML retrieval as INEX did it: submissions, assessments, elements, passages, and how they were judged.

A chapter of names that live where their kind lives; each is loaded when it is first asked for. They stand once, in
``inex.pyi`` beside this file.
"""

from metaeval.base.chapters import chapter

__getattr__, __dir__, __all__ = chapter(__name__, __file__)
