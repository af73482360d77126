"""Files into types and back: the only place that reads data."""

from metaeval.base.chapters import chapter

__getattr__, __dir__, __all__ = chapter(__name__, __file__)
