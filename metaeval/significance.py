"""Tests of significance: `metaeval.tests_stat` by the name that one looks for."""

from metaeval import tests_stat

__getattr__, __dir__, __all__ = tests_stat.__getattr__, tests_stat.__dir__, tests_stat.__all__
