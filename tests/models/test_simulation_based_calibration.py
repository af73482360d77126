"""Simulation-based calibration in small (Talts et al. 2018), and whether each Bayesian model has its row in the report.

The program is benchmarks/studies/simulation_based_calibration.py. The places of truths in their posteriors are uniform
by that theorem, so that nothing here comes from an output of ours.
"""

import ast
import importlib
import importlib.util
import inspect
import re
import sys
from operator import attrgetter
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from scipy.special import ndtr

import metaeval
from metaeval import models

LEAST_P = 1e-4
"""One quantity in 5000 of calibrated models would be below by one of its two tests, were the seed not fixed."""
QUICK = {
    "bayesian_t": 200, "hierarchical, quadrature": 60, "combine_with_prior": 200, "likely_effects": 400,
    "likely_effects, alone": 400, "true means, known covariance": 200,
    "true means, known covariance, one variance": 200,
    "true means, known errors": 200, "true means, errors of 20 items": 200, "true means, by topics": 200,
}  # fmt: skip
ENGINES = ("agreement", "models", "resampling", "tests_stat")


@pytest.fixture(scope="module")
def study(studies):
    """Load the program."""
    spec = importlib.util.spec_from_file_location("calibration", studies / "simulation_based_calibration.py")
    module = sys.modules["calibration"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.usefixtures("one_core")
@pytest.mark.parametrize("name", QUICK)
def test_truths_have_uniform_places(study, name):
    """Drawn from the prior, they are anywhere in the posterior alike, by χ² and by the ECDF."""
    answers = study.places_of(name, QUICK[name], seed=1, workers=1)
    for row in study.table_of(name, answers).to_dict("records"):
        assert min(row["chi"], row["ecdf"]) > LEAST_P, row


@pytest.mark.parametrize(("factor", "shift"), [(0.7, 0.0), (1.4, 0.0), (1.0, 0.4)])
def test_a_wrong_posterior_is_seen(study, factor, shift):
    """Too narrow, too wide or to one side, two hundred places are enough to see it."""
    places = ndtr(np.random.default_rng(4).normal(size=200) / factor + shift)
    assert min(study.uniformity(places)[:2]) < LEAST_P


def _module(path):
    """Return the name of a module inside metaeval."""
    return ".".join(Path(path).relative_to(Path(metaeval.__file__).parent).with_suffix("").parts)


def _with_draws():
    """Yield the public functions whose results open in ArviZ, and their methods if they have several."""
    for name in models.__all__:
        function = getattr(models, name)
        if not inspect.isfunction(function):
            continue
        hints = get_type_hints(function)
        if hasattr(hints["return"], "to_arviz"):
            method = hints.get("method")
            ways = get_args(method) if get_origin(method) is Literal else [""]
            yield from (
                f"{_module(inspect.unwrap(function).__code__.co_filename)}.{name} {way}".strip() for way in ways
            )


def test_every_model_with_draws_has_a_row(study):
    """Everything with `to_arviz`, by each of its methods, and nothing that there is not."""
    rows, found = {model.function for model in study.MODELS.values()}, {*_with_draws()}
    assert len(found) >= 6
    assert found - rows == set()
    for row in rows:
        engine, module, *names = row.split()[0].split(".")
        assert attrgetter(".".join(names))(importlib.import_module(f"metaeval.{engine}.{module}")), row


def test_what_speaks_of_posteriors_has_a_row_or_a_reason(study):
    """A module whose docstrings have a prior or a posterior is asked, or stands below the table with the reason."""
    root, speaking = Path(metaeval.__file__).parent, set()
    for path in (path for engine in ENGINES for path in (root / engine).rglob("*.py")):
        nodes = [
            node
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        ]
        if any(re.search(r"\bposterior\b|\bprior\b", ast.get_docstring(node) or "") for node in nodes):
            speaking.add(_module(path))
    asked = {".".join(model.function.split()[0].split(".")[:2]) for model in study.MODELS.values()}
    assert speaking - asked - {*study.LEFT_OUT} == set()
    assert {*study.LEFT_OUT} - speaking == set()


def test_the_report_has_every_row(study):
    """Each model of the program stands in the report, and no posterior that is exact is off."""
    rows = [line.split(" | ") for line in study.REPORT.read_text("utf-8").splitlines() if line.startswith("| ")][1:]
    assert {row[0].removeprefix("| ") for row in rows} == {*study.MODELS}
    assert [row for row in rows if row[3] == "yes" and row[-1].startswith("off")] == []
