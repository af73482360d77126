"""Results: what compares them, and how they show themselves."""

import dataclasses
import importlib
import inspect
import pkgutil
import re
import typing
from collections.abc import Callable

import matplotlib.figure
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from every import answer

import metaeval
from metaeval.agreement.decisions import decision_agreement
from metaeval.base.results import Result
from metaeval.base.short_repr import ShortRepr, main_sentence
from metaeval.models.probability_of_best import best_system
from metaeval.resampling.power_interval import discriminative_power_interval
from metaeval.resampling.swap import swap_method
from metaeval.simulate.scores import simulate_scores
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.result import PairwiseResult

TABLES = (np.ndarray, pd.DataFrame, pd.Series, pd.Index, xr.Dataset, xr.DataArray, matplotlib.figure.Figure)


def _dataclasses():
    for module in pkgutil.walk_packages(metaeval.__path__, "metaeval."):
        if module.name.endswith("__main__"):
            continue
        for one in vars(importlib.import_module(module.name)).values():
            if inspect.isclass(one) and dataclasses.is_dataclass(one) and one.__module__ == module.name:
                yield one


def _holds_a_table(kind):
    """Say whether a value of this type is, or has inside, what has no single answer to ==."""
    kind = getattr(kind, "__value__", kind)  # a name given by `type`
    origin = typing.get_origin(kind)
    if origin is Callable or isinstance(kind, str):
        return False
    inner = getattr(origin, "__value__", None)
    if inner is not None:
        return _holds_a_table(inner)
    if isinstance(origin or kind, type) and issubclass(origin or kind, TABLES):
        return True
    return any(_holds_a_table(one) for one in typing.get_args(kind) if one is not ...)


def _fields_with_tables(one):
    return [field.name for field in dataclasses.fields(one) if field.compare and _holds_a_table(field.type)]


def test_what_holds_arrays_or_frames_compares_by_identity():
    """Two results with other data are not equal, two with the same raise no error, and both go into sets."""
    classes = list(_dataclasses())
    assert len(classes) > 60
    held = {f"{one.__module__}.{one.__name__}": _fields_with_tables(one) for one in classes}
    assert sum(map(bool, held.values())) > 40  # the types are seen through
    wrong = {
        f"{one.__module__}.{one.__name__}"
        for one in classes
        if one.__dataclass_params__.eq and (_fields_with_tables(one) or {"tree", "posteriors"} & {*one.__annotations__})
    }
    assert wrong == set()
    assert all(one.__hash__ is not None for one in classes if _fields_with_tables(one))


@pytest.mark.parametrize("n_topics", [20, 21])
def test_results_of_other_scores_are_not_equal(n_topics):
    """Equality was once True for any two results of the same settings."""
    one = compare_systems(simulate_scores(n_systems=3, n_topics=20, rng=1))
    other = compare_systems(simulate_scores(n_systems=3, n_topics=n_topics, rng=2))
    assert one != other
    assert one == one  # noqa: PLR0124 - what is tested
    assert len({one, other, one}) == 2


VALUES = {"Call", "Column", "GainTable", "Parameter", "ParsedName", "Preset"}
"""Small enough to be shown as the call that makes them."""


def _public_dataclasses():
    """Return every public dataclass, and those that these hold."""
    chapters = [getattr(metaeval, name) for name in metaeval.__all__ if inspect.ismodule(getattr(metaeval, name))]
    public = [getattr(place, name) for place in (metaeval, *chapters) for name in place.__all__]
    found = {one for one in public if inspect.isclass(one) and dataclasses.is_dataclass(one)}
    by_name = {one.__name__: one for one in _dataclasses() if "metaeval.io" not in one.__module__}
    for one in list(found):
        written = " ".join(str(field.type) for field in dataclasses.fields(one))
        found |= {by_name[word] for word in re.findall(r"\w+", written) if word in by_name}
    return sorted((one for one in found if one.__name__ not in VALUES), key=lambda one: one.__name__)


class Hostile:
    """Answers every question with an error."""

    def __getattribute__(self, name):
        raise RuntimeError(name)

    def __len__(self):
        raise RuntimeError

    __str__ = __repr__ = __len__


def _hostile_values():
    bad = "<script>alert(1)</script>\x1b[31m\n\u202e" * 500
    names = [f"{bad}{place}" for place in range(300)]
    frame = pd.DataFrame(1.0, index=range(1000), columns=names)
    table = xr.DataArray(np.zeros((2, 300)), {bad: [1, 2], "system": names}, (bad, "system"))
    inner = object.__new__(PairwiseResult)  # without a single value
    many = tuple(names)
    yield from (
        bad,
        frame,
        frame[names[0]],
        table,
        table.to_dataset(name=f"{bad}!"),
        np.zeros((90, 90)),
        np.array(names),
    )
    yield from (many, dict.fromkeys(many, many), (many,) * 50, frozenset(many), 10**6000)
    yield from (float("nan"), None, True, inner, (inner, Hostile()), {bad: Hostile()}, Hostile(), len, bad.encode())


HOSTILE = list(_hostile_values())


@pytest.mark.parametrize("kind", _public_dataclasses(), ids=lambda kind: kind.__name__)
def test_whatever_a_result_holds_its_repr_is_short(kind):
    """Twelve lines and 2,000 characters at most, and no error, whatever it holds; a result was once 42,914 long."""
    assert issubclass(kind, ShortRepr), (
        f"{kind.__name__} writes out all it holds; let it inherit from metaeval.base.short_repr"
    )
    names = [field.name for field in dataclasses.fields(kind)]
    if inspect.isabstract(kind):
        return
    for start in range(len(HOSTILE)):
        result = object.__new__(kind)
        for place, name in enumerate(names):
            object.__setattr__(result, name, HOSTILE[(start + place) % len(HOSTILE)])
        written = repr(result)
        assert written.startswith(kind.__name__)
        assert len(written) <= 2000
        assert written.count("\n") < 12
        assert "\x1b" not in written
    assert repr(object.__new__(kind)).startswith(kind.__name__)  # nor where nothing was set yet


def test_a_repr_names_what_was_asked_and_found():
    """The settings are in it, and the main numbers."""
    result = compare_systems(simulate_scores(n_systems=4, n_topics=20, metrics=["AP", "RR"], rng=1), test="sign")
    assert isinstance(result, Result)
    counts = result.data["significant"].sum("pair").to_numpy().tolist()
    assert f"{counts[0]} of 6 pairs differ significantly under AP, {counts[1]} under RR" in repr(result)
    assert {"test='sign'", "correction='fdr_by'", "alpha=0.05", "n_topics=20"} <= set(re.split(r",?\s", repr(result)))
    assert "\n  data: 2 metrics x 6 pairs of difference, " in repr(result)


SCORES = simulate_scores(n_systems=5, n_topics=20, metrics=["AP", "RR"], rng=1)
FOUND = {
    "Collection": "8 runs, 12 topics, ",
    "swap_method": "two sets of 12 topics disagree about ",
    "best_system": " is truly the best with probability 0.",
    "decision_agreement": "F1 of the significant pairs of two metrics ",
    "rank_intervals": "of 28 pairs differ significantly under AP, ",
    "prediction_powered": " by the human topics alone",
    "topics_with_judge": "human topics as informative as",
    "discriminative_power_interval": "power ",
}


@pytest.mark.filterwarnings("ignore::metaeval.errors.MetaevalWarning")  # so little data reaches no level
def test_main_numbers_stand_in_the_first_line():
    """What was found is said before what was asked and before any size."""
    for name, words in FOUND.items():
        result = answer(name)
        first = repr(result).split("\n")[0]
        assert words in first
        assert first == f"{type(result).__name__}: {main_sentence(result)}"


def test_counts_and_rates_are_those_of_the_frame():
    """The sentence says what the table says."""
    rates = swap_method(SCORES, n_trials=5, rng=0)
    last = rates.to_frame().query("size == size.max() and tolerance == 0").set_index("metric")["error_rate"]
    assert f"{100 * last['AP']:.1f} % of the comparisons under AP, {100 * last['RR']:.1f} %" in repr(rates)
    best = best_system(SCORES, n_draws=10_000, n_resamples=50, rng=0)
    top = best.to_frame().sort_values("p_best", ascending=False, kind="stable").drop_duplicates("metric")
    for row in top.itertuples():
        assert f"{row.system} is truly the best with probability {row.p_best:.2f} under {row.metric}" in repr(best)
    powers = discriminative_power_interval(SCORES, test="t", n_topic_resamples=5, rng=0)
    row = powers.to_frame().iloc[0]
    assert f"power {100 * row['power']:.1f} % [" in repr(powers)
    assert repr(powers).splitlines()[0].endswith("(uncorrected).")
    agreed = decision_agreement(SCORES, test="t", correction="none", alphas=0.5, rng=0)
    assert f"two metrics {agreed.to_frame()['f1'].min():.2f} (AP and RR)" in repr(agreed)


def test_a_class_may_write_its_own_repr():
    """What a class says itself goes before, and its heirs keep it."""

    @dataclasses.dataclass(frozen=True, slots=True)
    class Own(Result):
        a: int

        def __repr__(self):
            return "own"

    @dataclasses.dataclass(frozen=True, slots=True)
    class Heir(Own):
        b: int

    assert repr(Own(1)) == "own" == repr(Heir(1, 2))


STEPS = [[0.9, 0.8, 0.9, 0.7, 0.8, 0.9, 0.8], [0.5, 0.5, 0.4, 0.4, 0.3, 0.6, 0.4], [0.5, 0.4, 0.5, 0.4, 0.3, 0.6, 0.4]]
LEVEL = [STEPS[1], STEPS[1], STEPS[1]]
FEW = "; with so few topics on which systems differ no exact test goes below p = "


@pytest.mark.parametrize(
    ("scores", "options", "said"),
    [
        (
            STEPS,
            {},
            "2 of 3 pairs differ significantly under metric1; system1 leads, significantly better than 2 of 2 others.",
        ),
        (
            STEPS,
            {"baseline": "system2"},
            "1 of 2 pairs differ significantly under metric1; 1 better than system2, 0 worse.",
        ),
        (
            STEPS,
            {"baseline": "system1"},
            "2 of 2 pairs differ significantly under metric1; 0 better than system1, 2 worse.",
        ),
        (LEVEL, {}, "0 of 3 pairs differ significantly under metric1."),
        (STEPS[:2], {}, "system1 is significantly better than system2 under metric1 (p = 0.0156)."),
        (STEPS[1::-1], {}, "system2 is significantly better than system1 under metric1 (p = 0.0156)."),
        (LEVEL[:2], {}, "system1 and system2 do not differ significantly under metric1 (p = 1.0000)."),
        (
            STEPS[:2],
            {"alternative": "greater"},
            "system1 is significantly better than system2 under metric1 (one-sided p = 0.0078).",
        ),
        (
            STEPS[:2],
            {"alternative": "less"},
            "system2 is not significantly better than system1 under metric1 (one-sided p = 1.0000).",
        ),
        (
            [row[:5] for row in STEPS[:2]],
            {},
            f"system1 and system2 do not differ significantly under metric1 (p = 0.0625){FEW}0.0625.",
        ),
        (
            [row[:5] for row in STEPS[:2]],
            {"alternative": "greater", "alpha": 0.03},
            f"system1 is not significantly better than system2 under metric1 (one-sided p = 0.0312){FEW}0.0312.",
        ),
    ],
)
def test_a_test_of_pairs_names_who_is_better(scores, options, said):
    """By the sign test: seven of seven topics have p = 2/128, and six or fewer of seven nothing below .05.

    One-sided half of it, or 1 the other way; five of five have 2/32, which is all that five topics can reach.
    """
    assert metaeval.sign_test(scores, **options).answer == said


def test_a_one_sided_test_of_several_pairs_says_for_which_side():
    """None of the second systems is better: system1 is ahead of both others."""
    said = metaeval.sign_test(STEPS, alternative="less").answer
    assert said.startswith(
        "0 of 3 pairs differ significantly under metric1, tested for the second of a pair being better; system1 leads"
    )


def test_requirements_are_true_where_they_are_met():
    """`if check_requirements(...)` once passed whatever was found."""
    asked = [["system2 >= system1"], ["system1 >= system2 - 0.05"], ["system1 >= system2 - 0.05", "system2 > system1"]]
    checked = [metaeval.tests_stat.check_requirements(STEPS, requirements) for requirements in asked]
    assert [bool(result) for result in checked] == [result.met for result in checked] == [False, True, False]


def _labels_of_two():
    return metaeval.agreement.as_labels({"a": [1, 0, 1, 0], "b": [1, 1, 1, 0]})


ANSWERS = [
    # three of four labels are the same, and two by chance: (3/4 - 1/2) / (1 - 1/2)
    (lambda: metaeval.agreement.compare_labels(_labels_of_two(), rng=1), "kappa of 1 pair of judges is 0.50 ["),
    (_labels_of_two, "8 labels of 4 items by a, b."),
    (
        lambda: metaeval.tests_stat.check_requirements(STEPS, ["system2 >= system1"]),
        # 5.8 against 3.1 on seven topics
        "0 of 1 requirement met; system2 >= system1 is violated under metric1: −0.3857 [",  # noqa: RUF001 - a true minus
    ),
    (
        lambda: metaeval.resampling.rank_intervals(STEPS, simultaneous=False, method="guaranteed"),
        "of 3 pairs differ significantly under metric1, uncorrected.",
    ),
    (
        lambda: metaeval.bootstrap_sensitivity(STEPS, n_resamples=50, rng=1),
        "2 of 3 pairs differ significantly under metric1, uncorrected.",
    ),
    (
        lambda: metaeval.models.fit_exponential([5, 10, 20], [0.4, 0.2, 0.05]),  # halves by five topics: log(2) / 5
        "the error rate is 0.8 exp(−0.14 n) with n topics, fitted to 3 sizes from 5 to 20: 5.0 % at 20.",  # noqa: RUF001
    ),
]


@pytest.mark.filterwarnings("ignore::metaeval.errors.MetaevalWarning")  # so little data reaches no level
@pytest.mark.parametrize(("made", "said"), ANSWERS)
def test_answers_say_what_was_found(made, said):
    """They once said what the class is for."""
    assert said in made().answer
