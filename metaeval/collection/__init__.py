"""Runs and judgments of one test collection, compiled once."""

from metaeval.base.chapters import chapter

__getattr__, __dir__, __all__ = chapter(__name__, __file__)
