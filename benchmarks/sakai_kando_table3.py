"""Sakai and Kando's Table 3 on other collections: how many pairs of runs each of their ten metrics tells apart.

Run: python benchmarks/sakai_kando_table3.py DATA_FOLDER [--resamples 1000] [--rounds 200] [--choices 200] [--seed 0]

Sakai and Kando (2008, section 5) compare one run per team under Q, nDCG, AP, their condensed-list variants, bpref_R and
RBP by bootstrap sensitivity. Here: the passage ranking of the TREC 2019 Deep Learning track, and TREC-COVID round 1.
One run per team is one draw, and the topics are another. So the powers come with an interval over topics
(the same runs, topics redrawn) and with their spread over choices of runs (the same topics, runs redrawn). What the
paper found is put as a contrast, mean power of some metrics minus mean power of others. Written to
benchmarks/reports/.
"""

import argparse
import runpy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import xarray as xr
from scipy.special import stdtrit

from metaeval.cli.console import percent
from metaeval.collection.documents import Collection
from metaeval.draws import resolve_rng
from metaeval.io.groups import read_groups
from metaeval.io.trec import read_collection
from metaeval.metrics import score
from metaeval.resampling.power_interval import (
    PowerIntervals,
    RunChoicePower,
    discriminative_power_interval,
    run_choice_power,
)
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.scores import Scores, select_runs

ROOT = Path(__file__).parents[1]
REPORT = ROOT / "benchmarks" / "reports" / "sakai-kando-table3.md"
CORRECTIONS = ("none", "fdr_by")
LEVEL = 0.95

RECALL_BASED = ("Q", "Q'", "AP", "AP'", "nDCG", "nDCG'")
RBP = ("RBP.95", "RBP.8", "RBP.5")
LABELS = (*RECALL_BASED, "bpref_R", *RBP)


@dataclass(frozen=True, slots=True)
class Finding:
    """What the paper found: the metrics of `higher` tell more pairs apart than those of `lower` (mean powers).

    Attributes
    ----------
    text : str
        In words.
    paper : str
        Mean of `higher` minus mean of `lower` in its Table 3, in points: TREC03, TREC04, NTCIR-6J, NTCIR-6C.
    higher, lower : sequence of str
        Labels.
    """

    text: str
    paper: str
    higher: Sequence[str]
    lower: Sequence[str]

    def of(self, power: xr.DataArray) -> xr.DataArray:
        """Return the contrast of powers that have a dim ``metric`` of labels."""
        return power.sel(metric=list(self.higher)).mean("metric") - power.sel(metric=list(self.lower)).mean("metric")


PUBLISHED = {
    "Q": (66.7, 69.2, 71.2, 76.4),
    "Q'": (64.2, 68.1, 71.2, 72.7),
    "AP": (64.2, 67.0, 69.7, 74.5),
    "AP'": (64.2, 67.0, 69.7, 76.4),
    "nDCG": (59.2, 63.7, 72.7, 76.4),
    "nDCG'": (59.2, 63.7, 71.2, 78.2),
    "bpref_R": (57.5, 62.6, 63.6, 76.4),
    "RBP.95": (45.8, 49.5, 63.6, 76.4),
    "RBP.8": (47.5, 39.6, 60.6, 63.6),
    "RBP.5": (37.5, 33.0, 54.5, 49.1),
}
