"""XML retrieval as INEX did it: submissions, assessments, elements, passages, and how they were judged.

The rest of the library does not import this folder: the registry of metrics takes its measures (`metaeval.inex.hooks`),
and what reads files of any kind recognises its files. Studies of campaigns stand with the other studies.
"""

from metaeval.base.chapters import chapter

__getattr__, __dir__, __all__ = chapter(__name__, __file__)
