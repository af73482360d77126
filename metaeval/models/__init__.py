"""Exponential and Bayesian accounts of error rates, and the design of topic sets."""

from metaeval.base.chapters import chapter

__getattr__, __dir__, __all__ = chapter(__name__, __file__)
