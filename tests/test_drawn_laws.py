"""What is drawn is a function of the data: of names and scores, not of the order of rows or of the unit of a score."""

import hashlib
import importlib
import inspect
import os
import pkgutil
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from numpy._core import _multiarray_umath

import metaeval
from metaeval import compare_systems, simulate_collection, simulate_scores
from metaeval.agreement.decisions import decision_agreement
from metaeval.agreement.human import human_agreement
from metaeval.agreement.items import item_scores
from metaeval.agreement.judge_ranking import rank_judges
from metaeval.agreement.label_agreement import compare_labels
from metaeval.agreement.labels import as_labels
from metaeval.agreement.metric_comparison import compare_with_human
from metaeval.agreement.second_assessors import second_people
from metaeval.cli.simulate import simulate
from metaeval.models.bayesian_comparison import bayesian_t
from metaeval.models.error_rate_model import bayesian_error_rate
from metaeval.models.probability_of_best import best_system
from metaeval.resampling.agreement_interval import agreement_intervals
from metaeval.resampling.bins import difference_bins
from metaeval.resampling.effort import equal_effort
from metaeval.resampling.judge_conclusions import judge_conclusions
from metaeval.resampling.judgments import reduce_judgments
from metaeval.resampling.power_interval import discriminative_power_interval
from metaeval.resampling.ranks import rank_intervals
from metaeval.resampling.reductions import REDUCTIONS
from metaeval.resampling.run_choice import run_choice_power
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.resampling.split_halves import split_half
from metaeval.resampling.stability import measure_stability
from metaeval.resampling.swap import swap_method, topic_bootstrap
from metaeval.resampling.topic_subsets import compare_subsets
from metaeval.studies.agree import audit_quantisations
from metaeval.studies.judgments import study_judgments
from metaeval.table.scores import by_name, select_runs
from metaeval.tests_stat.bootstrap import bootstrap_test
from metaeval.tests_stat.catalogue import TESTS
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


def swaps(scores, share, **options):
    found = swap_method(scores, tolerances=[0, share], n_trials=5, rng=SEED, **options)
    return figures(found.counts, ["swaps", "zero_differences"])


def bins(scores):
    """Count in bins whose width is a part of the range of all scores, and read the difference in these widths."""
    width = float(np.ptp(scores.sel(metric="AP").to_numpy())) / 60
    found = difference_bins(scores, width=width, n_trials=5, n_topic_resamples=20, rng=SEED)
    readings = found.readings.assign(difference=found.readings["difference"] / width)
    counted = figures(found.bins, ["comparisons", "error_rate", "low", "high"])
    return counted | figures(readings, ["difference", "share"])


def other(scores):
    """Return another metric: the same scores with noise that belongs to names."""
    ordered = by_name(by_name(scores.sel(metric=["AP"]), "system"), "topic")
    noise = np.random.default_rng(3).normal(0, float(ordered.std()), ordered.shape)
    values = ordered.to_numpy() + noise
    made = ordered.copy(data=values - values.min() + float(ordered.min())).assign_coords(metric=["other"])
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
    "swap_method, relative tolerance": partial(swaps, share=0.1),
    "swap_method, absolute tolerance": lambda scores: swaps(
        scores, float(np.ptp(scores.sel(metric="AP").to_numpy())) / 20, tolerance_unit="absolute"
    ),
    "difference_bins": bins,
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
OF_THE_ZERO = {"swap_method, relative tolerance": "a share of a mean that counts from it"}
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
    changes = {change: made for change, made in TRANSFORMS.items() if change != "+ 0.5" or name not in OF_THE_ZERO}
    for change, transform in changes.items():
        found = PROCEDURES[name](transform(scores))
        for figure, value in expected.items():
            np.testing.assert_allclose(
                found[figure], value, rtol=AGREE, atol=AGREE, equal_nan=True, err_msg=f"{figure} under {change}"
            )


@pytest.mark.filterwarnings("ignore::metaeval.tests_stat.result.UnreachableLevelWarning")
@pytest.mark.parametrize("test", [one for one in TESTS.values() if one.resampled], ids=lambda one: one.name)
def test_exchanged_systems_exchange_the_sides(test):
    """With rows backwards greater is less and less greater; what two systems are called is nothing to the test."""
    whole = scores_of("S < T")
    two = whole.isel(system=[0, 1])
    backwards = whole.isel(system=slice(None, None, -1))
    exchanged = two.assign_coords(system=two["system"].to_numpy()[::-1])
    for side, opposite in [("two-sided", "two-sided"), ("greater", "less")][: 1 if test.one_sided_substitute else 2]:
        for here, there, other_side in ((whole, backwards, opposite), (two, exchanged, side)):
            for correction in {"none" if test.family_wise and not test.family_wise_only else test.own_correction, None}:
                asked = {"test": partial(compare_systems, test=test.name), "correction": correction, "n_resamples": 200}
                expected = p_values_of(here, alternative=side, **asked)
                found = p_values_of(there, alternative=other_side, **asked)
                for figure, value in expected.items():
                    np.testing.assert_allclose(found[figure], value, rtol=AGREE, err_msg=f"{figure}, {side}")


# --------------------------------------------------------------------------------------------- runs and judgments

AT = {"rng": SEED, "steps": [30, 70]}
DRAWN = AT | {"n_replicates": 2, "n_tested": 1, "test": "max_t", "n_resamples": 30, "choose": 4, "ranked": 5, "top": 3}


def _in_order(frame):
    """Return the rows about AP, in the order of what they are about."""
    own = frame[frame["metric"] == "AP"] if "metric" in frame else frame
    about = [name for name in own if own[name].dtype.kind not in "fb" or name in {"step", "pool_share"}]
    return own.sort_values(about, ignore_index=True)


def _left(collection, reduced):
    """Return the judgments that are left, by topic and document."""
    topic = collection.topic_of_judgment
    frame = pd.DataFrame(reduced.levels.T).assign(
        topic=np.array(collection.topics)[topic],
        document=collection.document_ids.astype(str),
        kept=reduced.topics[:, topic].sum(axis=0),
    )
    return frame.sort_values(["topic", "document"], ignore_index=True)


def _reductions(collection, _metrics):
    for name in REDUCTIONS:
        reduced = reduce_judgments(collection, reduction=name, rng=SEED, steps=[5, 12])
        yield name, _left(collection, reduced).assign(judged=str(reduced.judged))


def _effort(collection, _metrics):
    spent = equal_effort(collection, **AT)
    yield "table", spent.to_frame()
    yield from ((name, _left(collection, plan)) for name, plan in spent.plans.items())


def _studied(collection, metrics):
    tables = study_judgments(collection, metrics, sizes=[5, 12], pool_shares=[50], **DRAWN).tables()
    return ((name, _in_order(one)) for name, one in tables.items() if name != "between_metrics")


def _audited(collection, metrics):
    asked = {"tests": ["max_t"], "corrections": ["none"], "n_resamples": 30, "n_topic_resamples": 3}
    frame = audit_quantisations(collection, metrics, gains="{1:1, 2:3, 3:9}", rng=SEED, **asked).to_frame()
    own = frame["predictor"].str.startswith("AP") & frame["truth"].str.startswith("AP")
    yield "audit", frame[own].sort_values(["predictor", "truth"], ignore_index=True)


OF_COLLECTIONS = {
    "reduce_judgments": _reductions,
    "equal_effort": _effort,
    "measure_stability": lambda made, metrics: [("", _in_order(measure_stability(made, metrics, **DRAWN).to_frame()))],
    "study_judgments": _studied,
    "audit_quantisations": _audited,
}


@pytest.fixture(scope="module")
def arranged():
    """Return a collection, and the same with its runs, topics or judgments in another order."""
    made = simulate_collection(n_groups=4, runs_per_group=2, n_topics=11, n_documents=80, depth=20, pool_depth=8, rng=2)
    whole = made.to_collection(retrieved="all")
    read_backwards = replace(made, levels={topic: (own[0][::-1], own[1][::-1]) for topic, own in made.levels.items()})
    return {
        "as made": whole,
        "runs": whole.select(systems=np.random.default_rng(1).permutation(whole.systems)),
        "topics": whole.select(topics=np.random.default_rng(2).permutation(whole.topics)),
        "judgments": read_backwards.to_collection(retrieved="all"),
    }


@pytest.mark.filterwarnings("ignore::metaeval.tests_stat.result.UnreachableLevelWarning")
@pytest.mark.parametrize("name", OF_COLLECTIONS)
def test_what_is_drawn_from_a_collection_is_a_function_of_the_data(arranged, name):
    """Runs, topics and judgments in another order and a metric beside leave what is judged, and every figure."""
    ask = OF_COLLECTIONS[name]
    expected = dict(ask(arranged["as made"], ["AP"]))
    assert expected
    for change, collection in arranged.items():
        found = dict(ask(collection, ["AP", "P@5"] if change == "as made" else ["AP"]))
        assert found.keys() == expected.keys()
        for table, frame in found.items():
            pd.testing.assert_frame_equal(
                frame, expected[table], rtol=AGREE, atol=AGREE, obj=f"{table}, other {change}"
            )


def test_a_step_beside_leaves_the_others_as_they_are(arranged):
    """Of a test that draws, too."""
    alone, beside = (
        measure_stability(arranged["as made"], "AP", **DRAWN | {"steps": steps}).to_frame()
        for steps in ([70], [30, 70])
    )
    pd.testing.assert_frame_equal(beside.iloc[1:].reset_index(drop=True), alone, rtol=AGREE)


# --------------------------------------------------------------------------------------------------- labels and items


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
    "choose_data": "chooses by name; see tests/collection/test_data_choice.py",
    "hierarchical": "a chain of half a minute, too slow to try here",
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
        for name, one in inspect.getmembers(module, inspect.isfunction):
            if not name.startswith("_") and one.__module__ == found.name and "rng" in inspect.signature(one).parameters:
                yield name


def test_every_procedure_that_draws_is_under_the_law():
    """A public function with an argument rng is in one of the tables, or stands here with the reason why not."""
    tried = {name.split(",")[0] for name in PROCEDURES} | OF_COLLECTIONS.keys() | LABELLED.keys() | BY_ITEM.keys()
    assert set(_public_procedures()) - tried == OTHERWISE.keys()


_CHILD = """
import sys
sys.path.insert(0, {folder!r})
import test_drawn_laws as laws
print(*map(repr, laws.figures_of_cheap_procedures()))
print(*laws.digests_of_made_files())
"""
MADE = [
    "scores {folder}/scores.csv --systems 5",
    "collection {folder}/made --groups 2 --runs-per-group 2 --documents 60 --depth 20 --pool-depth 10",
    "inex {folder}/inex --year 2005 --systems 4 --documents 40 --results 50",
]
CHEAP = ["max_t_test", "bootstrap_sensitivity", "rank_intervals", "best_system", "bayesian_error_rate", "to_arviz"]


def figures_of_cheap_procedures():
    """Return what the cheap procedures find, one number after the other."""
    found = (PROCEDURES[name](scores_of(shape)).values() for name in CHEAP for shape in SHAPES)
    return [number for values in found for value in values for number in np.ravel(value).astype(float).tolist()]


def digests_of_made_files():
    """Return a digest of every folder and file that the commands of `metaeval simulate` write."""
    sizes = ["--topics", "6", "--seed", "3", "--quiet"]
    with TemporaryDirectory() as folder:
        for line in MADE:
            simulate.main([*line.format(folder=folder).split(), *sizes], standalone_mode=False)
        files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
        return [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]


def _kernels():
    """Return the settings that stand for other processors than this one, as far as it can follow them."""
    features = _multiarray_umath.__cpu_features__
    dispatched = [name for name in _multiarray_umath.__cpu_dispatch__ if features.get(name)]
    yield {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": " ".join(dispatched)}
    if features.get("AVX"):
        yield {"OPENBLAS_CORETYPE": "Sandybridge"}


def test_all_processors_find_the_same():
    """Older and newer kernels of the matrix product, and NumPy without AVX, give the same figures and files."""
    code = _CHILD.format(folder=str(Path(__file__).parent))
    expected, written = figures_of_cheap_procedures(), digests_of_made_files()
    assert len(expected) > 100
    assert len(written) > 10
    for setting in _kernels():
        done = subprocess.run(
            [sys.executable, "-c", code], env=os.environ | setting, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{setting}: {done.stderr}"
        found, files = done.stdout.splitlines()
        np.testing.assert_allclose(
            np.array(found.split(), dtype=float), expected, rtol=AGREE, atol=AGREE, equal_nan=True, err_msg=str(setting)
        )
        assert files.split() == written, setting
