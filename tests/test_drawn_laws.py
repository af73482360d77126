"""What is drawn is a function of the data: of names and scores, not of the order of rows or of the unit of a score."""

import importlib
import inspect
import os
import pkgutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from numpy._core import _multiarray_umath

import metaeval
from metaeval import compare_systems, simulate_scores
from metaeval.agreement.decisions import decision_agreement
from metaeval.agreement.human import human_agreement
from metaeval.agreement.items import item_scores
from metaeval.agreement.judge_ranking import rank_judges
from metaeval.agreement.label_agreement import compare_labels
from metaeval.agreement.labels import as_labels
from metaeval.agreement.metric_comparison import compare_with_human
from metaeval.agreement.people import second_people
from metaeval.models.bayesian_comparison import bayesian_t
from metaeval.models.chances_of_best import best_system
from metaeval.models.error_rate_model import bayesian_error_rate
from metaeval.resampling.agreement_interval import agreement_intervals
from metaeval.resampling.judge_conclusions import judge_conclusions
from metaeval.resampling.power_interval import discriminative_power_interval
from metaeval.resampling.ranks import rank_intervals
from metaeval.resampling.run_choice import run_choice_power
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.resampling.split_halves import split_half
from metaeval.resampling.swap import swap_method, topic_bootstrap
from metaeval.resampling.topic_subsets import compare_subsets
from metaeval.scores import by_name, select_runs
from metaeval.tests_stat.bootstrap import bootstrap_test
from metaeval.tests_stat.max_t import max_t_test
from metaeval.tests_stat.randomisation import randomisation_test
from metaeval.tests_stat.sensitivity import sensitivity_test
from metaeval.tests_stat.tukey import tukey_hsd_test

AGREE = 1e-12
SEED = 5


def figures(data, names):
    """Return variables as numbers by label: pairs by the names of their systems, whichever comes first."""
    data = data.sel(metric=["AP"]) if "metric" in data.dims else data
    if "pair" in data.dims:
        ends = zip(data["system_a"].to_numpy(), data["system_b"].to_numpy(), strict=True)
        labels = [" ".join(sorted(pair)) for pair in ends]
        data = data.drop_vars([name for name in data.coords if name not in {"metric", "system", "topic"}])
        data = data.assign_coords(pair=labels).sortby("pair")
    for dim in ("system", "topic"):
        if dim in data.dims:
            data = by_name(data, dim)
    return {name: data[name].to_numpy() for name in names}


def table_of(frame, columns, *keys):
    """Return columns of a frame whose rows are put in order by keys."""
    return {name: frame.sort_values(list(keys))[name].to_numpy() for name in columns}


def p_values_of(scores, test, **options):
    return figures(test(scores, rng=SEED, **options).data, ["p_value", "p_corrected"])


def ranks(scores):
    return figures(rank_intervals(scores, n_resamples=300, rng=SEED).data, ["rank", "rank_low", "rank_high"])


def best(scores):
    frame = best_system(scores, n_draws=200, rng=SEED).to_frame()
    numbers = [name for name in frame.columns if frame[name].dtype == float and name.startswith("p_")]
    return table_of(frame[frame["metric"] == "AP"], numbers, "system")


def power(scores):
    frame = discriminative_power_interval(scores, test="t", n_topic_resamples=40, rng=SEED)
    return figures(frame.data, ["power", "resampled"])


def agreement(scores):
    both = xr.concat([scores, other(scores)], "metric") if scores.sizes["metric"] == 1 else scores
    found = agreement_intervals(both, test="t", n_topic_resamples=30, rng=SEED).resampled
    return {"share": found["share"].sel(metric="AP").to_numpy()}


def decisions(scores):
    both = xr.concat([scores, other(scores)], "metric") if scores.sizes["metric"] == 1 else scores
    found = decision_agreement(both, test="max_t", n_resamples=200, rng=SEED).data["share"]
    return {"share": found.sel(metric="AP").to_numpy()}


def rates(scores):
    found = bayesian_error_rate(scores, tolerances=[0], draws=20, rng=SEED)
    return {"error_rate": found.error_rate([5, 10]).sel(metric="AP").to_numpy()}


def drawn_differences(scores):
    """Return the posterior of every pair in units of its spread, turned so that the first name comes first."""
    found = bayesian_t(scores)
    tree = found.to_arviz("AP", n_draws=20, rng=SEED)["posterior"]["difference"]
    own = found.data.sel(metric="AP")
    ends = list(zip(own["system_a"].to_numpy(), own["system_b"].to_numpy(), strict=True))
    values = {tuple(sorted(pair)): (1 if pair[0] < pair[1] else -1) for pair in ends}
    order = sorted(range(len(ends)), key=lambda place: tuple(sorted(ends[place])))
    drawn = np.array([tree.to_numpy()[..., place] * values[tuple(sorted(ends[place]))] for place in order])
    return {"difference": drawn / drawn.std()}


def judged(scores):
    both = xr.concat([scores.sel(metric=["AP"]), other(scores)], "metric").assign_coords(metric=["human", "judge"])
    frame = judge_conclusions(both, reference="human", n_resamples=50, n_rounds=5, rng=SEED).table
    return {name: frame[name].to_numpy() for name in frame.columns if frame[name].dtype.kind in "fi"}


def other(scores):
    """Return another metric: the same scores with noise that belongs to names."""
    ordered = by_name(by_name(scores.sel(metric=["AP"]), "system"), "topic")
    noise = np.random.default_rng(3).normal(0, float(ordered.std()), ordered.shape)
    made = ordered.copy(data=ordered.to_numpy() + noise).assign_coords(metric=["other"])
    return made.sel(system=scores["system"], topic=scores["topic"])


PROCEDURES = {
    "max_t_test": partial(p_values_of, test=max_t_test, n_resamples=200),
    "max_t_test, raw": partial(p_values_of, test=max_t_test, n_resamples=200, correction="none"),
    "tukey_hsd_test": partial(p_values_of, test=tukey_hsd_test, n_resamples=200),
    "randomisation_test": partial(p_values_of, test=randomisation_test, n_resamples=200),
    "bootstrap_test": partial(p_values_of, test=bootstrap_test, n_resamples=200),
    "bootstrap_test, percentile": partial(p_values_of, test=bootstrap_test, n_resamples=200, method="percentile"),
    "bootstrap_test, shifted": partial(p_values_of, test=bootstrap_test, n_resamples=200, method="shifted"),
    "sensitivity_test": partial(p_values_of, test=sensitivity_test, n_resamples=200),
    "compare_systems": partial(p_values_of, test=compare_systems, n_resamples=200),
    "bootstrap_sensitivity": lambda scores: figures(
        bootstrap_sensitivity(scores, n_resamples=200, rng=SEED).data, ["asl"]
    ),
    "swap_method": lambda scores: figures(
        swap_method(scores, tolerances=[0], n_trials=20, rng=SEED).counts, ["swaps", "zero_differences"]
    ),
    "swap_method, significant": lambda scores: figures(
        swap_method(scores, tolerances=[0], n_trials=2, sizes=[7], significant_on_first="max_t", rng=SEED).counts,
        ["swaps", "comparisons"],
    ),
    "topic_bootstrap": lambda scores: figures(
        topic_bootstrap(scores, tolerances=[0], n_topic_resamples=5, n_trials=5, rng=SEED), ["swaps"]
    ),
    "bayesian_error_rate": rates,
    "to_arviz": drawn_differences,
    "rank_intervals": ranks,
    "best_system": best,
    "discriminative_power_interval": power,
    "run_choice_power": lambda scores: figures(
        run_choice_power(scores, test="t", choose=4, n_choices=20, rng=SEED).data, ["power", "chosen"]
    ),
    "split_half": lambda scores: figures(
        split_half(scores, tests=["t", "max_t"], n_splits=2, n_resamples=50, rng=SEED).counts,
        ["rejected_first", "rejected_second", "errors", "rejected_both"],
    ),
    "compare_subsets": lambda scores: figures(
        compare_subsets(scores, n_splits=4, rng=SEED).data, ["tau", "kept", "chosen"]
    ),
    "decision_agreement": decisions,
    "agreement_intervals": agreement,
    "judge_conclusions": judged,
    "select_runs": lambda scores: {
        "chosen": np.isin(
            np.sort(scores["system"].to_numpy()),
            select_runs(scores, 4, np.random.default_rng(SEED))["system"].to_numpy(),
        )
    },
}
TRANSFORMS = {
    "rows": lambda scores: scores.isel(system=np.random.default_rng(1).permutation(scores.sizes["system"])),
    "columns": lambda scores: scores.isel(topic=np.random.default_rng(2).permutation(scores.sizes["topic"])),
    "x 1000": lambda scores: scores.copy(data=1000.0 * scores.to_numpy()),
    "+ 0.5": lambda scores: scores.copy(data=scores.to_numpy() + 0.5),
    "another beside": lambda scores: xr.concat([other(scores), scores], "metric"),
}
SHAPES = {"S < T": (8, 16), "S > T": (18, 14)}


def scores_of(shape):
    n_systems, n_topics = SHAPES[shape]
    return simulate_scores(n_systems=n_systems, n_topics=n_topics, metrics=["AP"], rng=8)


@pytest.mark.filterwarnings("ignore::metaeval.tests_stat.result.UnreachableLevelWarning")  # few draws are quick
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", PROCEDURES)
def test_a_drawn_figure_is_a_function_of_the_data(name, shape):
    """Rows and columns in another order, another unit, another zero and a metric beside change no figure."""
    scores = scores_of(shape)
    expected = PROCEDURES[name](scores)
    assert expected
    for change, transform in TRANSFORMS.items():
        found = PROCEDURES[name](transform(scores))
        for figure, value in expected.items():
            np.testing.assert_allclose(
                found[figure], value, rtol=AGREE, atol=AGREE, equal_nan=True, err_msg=f"{figure} under {change}"
            )


def _labels(order):
    """Return labels of three people on twelve topics, the topics and documents in an order of their own."""
    drawn = np.random.default_rng(4).integers(0, 3, (3, 12, 8))
    return as_labels(
        {
            person: {str(topic): {f"d{one}": int(own[topic, one]) for one in order(8)} for topic in order(12)}
            for person, own in zip("abc", drawn, strict=True)
        }
    )


def _items(order):
    """Return scores of six systems on ten items by a human and two metrics, the rows in an order of their own."""
    generator = np.random.default_rng(6)
    human = np.arange(6)[:, None] + generator.normal(0, 2, (6, 10))
    cells = {"human": human, "good": human + generator.normal(0, 1, (6, 10)), "poor": generator.normal(0, 1, (6, 10))}
    names = {"system": np.repeat(list("abcdef"), 10), "item": np.tile(np.arange(10), 6)}
    frame = pd.DataFrame(names | {name: part.ravel() for name, part in cells.items()})
    return item_scores(frame.iloc[list(order(60))], reference="human")


LABELLED = {
    "compare_labels": lambda labels: compare_labels(labels, n_resamples=50, rng=SEED).pairs,
    "rank_judges": lambda labels: rank_judges(labels, reference="a", n_resamples=50, rng=SEED).table,
    "second_people": lambda labels: pd.DataFrame(
        {"weight": np.sort(second_people(labels, list("abc"), rng=SEED).weights)}
    ),
}
BY_ITEM = {
    "human_agreement": lambda items: human_agreement(items, n_resamples=50, rng=SEED).table,
    "compare_with_human": lambda items: compare_with_human(items, n_resamples=50, rng=SEED).table,
}


def _backwards(n):
    return range(n - 1, -1, -1)


@pytest.mark.parametrize(("name", "made"), [*((n, _labels) for n in LABELLED), *((n, _items) for n in BY_ITEM)])
def test_labels_and_items_come_in_any_order(name, made):
    """Topics, documents and items read backwards give the same intervals."""
    ask = (LABELLED | BY_ITEM)[name]
    expected, found = (ask(made(order)) for order in (range, _backwards))
    pd.testing.assert_frame_equal(found, expected, rtol=AGREE, atol=AGREE)


OTHERWISE = {
    "resolve_rng": "makes a generator",
    "resolve_seed": "makes a seed",
    "choose_data": "chooses by name; see tests/test_data_choice.py",
    "hierarchical": "a chain of half a minute, too slow to try here",
    "difference_bins": "counts on the sets of the swap method, and its bins have a unit",
    "equal_effort": "takes a collection, not scores; not tried here",
    "reduce_judgments": "takes a collection, not scores; not tried here",
    "measure_stability": "takes a collection, not scores; not tried here",
    "audit_quantisations": "takes a collection, not scores; not tried here",
    "study_judgments": "takes a collection, not scores; not tried here",
    "simulate_collection": "takes no data",
    "simulate_inex": "takes no data",
    "simulate_population": "takes no data",
    "simulate_scores": "takes no data",
    "check_metric": "simulates its data",
    "examine_metric": "simulates its data",
    **dict.fromkeys(
        [
            "study_agreement",
            "study_comparison",
            "study_human",
            "study_judges",
            "study_leaderboard",
            "study_power",
            "study_table",
            "study_tests",
            "study_topics",
        ],
        "hands its seed to what is in the table",
    ),
}


def _public_procedures():
    for found in pkgutil.walk_packages(metaeval.__path__, "metaeval."):
        if ".cli" in found.name or found.name.endswith("__main__"):
            continue
        module = importlib.import_module(found.name)
        for name in getattr(module, "__all__", ()):
            one = getattr(module, name)
            if inspect.isfunction(one) and one.__module__ == found.name and "rng" in inspect.signature(one).parameters:
                yield name


def test_every_procedure_that_draws_is_under_the_law():
    """A public function with an argument rng is in one of the tables, or stands here with the reason why not."""
    tried = {name.split(",")[0] for name in PROCEDURES} | LABELLED.keys() | BY_ITEM.keys()
    assert set(_public_procedures()) - tried == OTHERWISE.keys()


_CHILD = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np
import test_drawn_laws as laws
for name in {names!r}:
    for shape in laws.SHAPES:
        for value in laws.PROCEDURES[name](laws.scores_of(shape)).values():
            print(*map(repr, np.asarray(value, dtype=float).ravel().tolist()))
"""
CHEAP = ["max_t_test", "bootstrap_sensitivity", "rank_intervals", "best_system", "bayesian_error_rate", "to_arviz"]


def _kernels():
    """Return the settings that stand for other processors, as far as this one can follow them."""
    features = _multiarray_umath.__cpu_features__
    dispatched = [name for name in _multiarray_umath.__cpu_dispatch__ if features.get(name)]
    yield {}
    yield {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": " ".join(dispatched)}
    if features.get("AVX"):
        yield {"OPENBLAS_CORETYPE": "Sandybridge"}
    if features.get("AVX512F") or features.get("X86_V4") or features.get("AVX512_SKX"):
        yield {"OPENBLAS_CORETYPE": "SkylakeX"}


def test_all_processors_find_the_same():
    """Older and newer kernels of the matrix product, and NumPy without AVX, give the same figures."""
    code = _CHILD.format(folder=str(Path(__file__).parent), names=CHEAP)
    found = []
    for setting in _kernels():
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | setting,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{setting}: {done.stderr}"
        found.append(np.array(done.stdout.split(), dtype=float))
    assert len(found[0]) > 100
    for other_kernel in found[1:]:
        np.testing.assert_allclose(other_kernel, found[0], rtol=AGREE, atol=AGREE, equal_nan=True)
