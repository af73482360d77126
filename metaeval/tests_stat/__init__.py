"""What a replicate proves: tests over all pairs of systems at once."""

from metaeval.base.chapters import chapter

__getattr__, __dir__, __all__ = chapter(__name__, __file__)
