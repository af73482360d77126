"""Simulated populations with known truth, for examples, tests and calibration."""

from metaeval.base.chapters import chapter

__getattr__, __dir__, __all__ = chapter(__name__, __file__)
