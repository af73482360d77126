"""What is measured: the registry, quantisations and one file a measure or close family."""

from metaeval.base.chapters import chapter

__getattr__, __dir__, __all__ = chapter(__name__, __file__)
