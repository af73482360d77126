"""Drawing: labelled frames and arrays in, matplotlib figures out; no result of the package is known here.

A function is loaded, and matplotlib with it, when it is first asked for.
"""

from metaeval.base.chapters import chapter

__getattr__, __dir__, __all__ = chapter(__name__, __file__)
