"""A sentence that names who is first or last names all of them, and the same in every order of the rows.

Of five, two share the lowest figure and two read alike at the highest. Each sentence is made in several orders: it must
not change, and it must hold both pairs.
"""

import re
from itertools import permutations
from types import SimpleNamespace as Made

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from metaeval.agreement import runs_under_judges as scores_under_judges
from metaeval.agreement.human import HumanAgreement
from metaeval.agreement.labels import as_labels
from metaeval.models.probability_of_best import BestSystem
from metaeval.questions.agree import page as agree
from metaeval.questions.agree import page_findings as agree_findings
from metaeval.questions.agree.study import study_agree
from metaeval.questions.design import page as design
from metaeval.questions.human import page as human
from metaeval.questions.judges import page_labels as judge_labels
from metaeval.questions.judges import page_systems as judge_systems
from metaeval.questions.judges.study import study_judges
from metaeval.questions.judgments import page_new_systems as judgment_new_systems
from metaeval.questions.judgments import page_power as judgment_power
from metaeval.questions.judgments import page_reductions as judgment_reductions
from metaeval.questions.power import page_findings as power_findings
from metaeval.questions.power.study import study_power
from metaeval.questions.score import page as score
from metaeval.questions.topics import page as topics
from metaeval.questions.topics import page_error_rates as error_rates
from metaeval.questions.topics import page_summary as topic_summary
from metaeval.reports import alt_test
from metaeval.resampling import judge_verdicts
from metaeval.table.scores import as_scores

FIVE = {"ant": 0.25, "bee": 0.25, "cat": 0.5, "dog": 0.75, "elk": 0.75 + 1e-9}
LOW, HIGH = "ant and bee", "dog and elk"
ORDERS = [list(order) for order in permutations(FIVE)][::29]


def named(names, what="metric", **columns):
    """Make a row of every name; a column is given by the name, or is one for all."""
    own = {key: [given[one] for one in names] if isinstance(given, dict) else given for key, given in columns.items()}
    return pd.DataFrame({what: names, **own})


def scores_of(names, of="metric"):
    """Make scores under which those that tie are one, up to what no table prints."""
    rng = np.random.default_rng(5)
    base = rng.normal(0, 1, (8, 12)) + np.linspace(0, 2, 8)[:, None]
    own = {name: base + (0.3 + place) * rng.normal(0, 1, (8, 12)) for place, name in enumerate((HIGH, "cat", LOW))}
    parts = {name: own[next(key for key in own if name in key)] for name in FIVE}
    if of == "metric":
        return as_scores(np.stack([base, *(parts[name] for name in names)]), metrics=["truth", *names])
    values = np.array([FIVE[name] for name in names])[:, None] + 0.01 * base[0]
    return as_scores(values[None], metrics=["AP"], systems=names)


def fewest(names):
    pairs = [
        (a, b, 0.5 if round(FIVE[a] - FIVE[b], 6) == 0 else 0.1 + 0.8 * (FIVE[a] < FIVE[b]))
        for a in names
        for b in names
        if a != b
    ]
    fewer = pd.DataFrame(pairs, columns=["metric_a", "metric_b", "p_fewer"]).assign(tolerance=0.1)
    study = Made(posterior=Made(fewer=lambda: fewer), error_rates=Made(tolerance_unit="absolute"))
    return study, fewer


def fewest_sentence(names):
    return topics._fewest_sentences(*fewest(names))[0]


def needs(names, *, posterior=True):
    """Answer how many topics are enough, by a model or as observed."""
    found = {name: 100 * FIVE[name] for name in names}
    ends = dict.fromkeys(("median", "low", "high"), found) | dict.fromkeys(
        ("median_error", "low_error", "high_error"), 0.0
    )
    model = Made(
        confidence_level=0.9,
        fewer=fewest(names)[1].copy,
        minimum_topics=lambda **_: named(names, tolerance=0.1, **ends),
    )
    frame = named(
        names, tolerance=0.1, n_topics=found, kind="observed", posterior_median=found if posterior else np.nan
    )
    study = Made(
        error_rates=Made(tolerances=[0.1], metrics=names, tolerance_unit="absolute", n_topics=60),
        minimum=Made(smallest_size=5, limit=1000, max_error=0.05),
        posterior=model if posterior else None,
        first_tolerance=None,
        to_frame=lambda: frame,
    )
    return topic_summary.topic_answer(study)


def least_errors(names):
    last = xr.DataArray([[[FIVE[name]]] for name in names], coords={"metric": names, "tolerance": [0.1], "size": [5]})
    study = Made(error_rates=Made(rates=lambda: last, tolerances=[0.1], tolerance_unit="absolute", sizes=[5]))
    return error_rates._by_metric_alt(study)


def agreement(names):
    table = named(names, value=FIVE, low=np.nan, high=np.nan, n_items=50)
    table = table.sort_values("value", ascending=False, kind="stable")
    asked = {"statistic": "pearson", "level": "system", "resample": "items"}
    return HumanAgreement(
        table=table, resampled={}, reference="human", confidence_level=0.95, n_resamples=0, random_source="", **asked
    )


def with_people(names):
    wins = named(names, better_than=1, worse_than=0).set_index("metric")
    tested = pd.DataFrame({"metric_a": wins.index, "metric_b": wins.index, "p": 0.5})
    decided = named(names, f1=FIVE, precision=0.5, recall=0.5, n_conflicts=0)
    asked = {"reference": "human", "alpha": 0.05, "correction": "holm"}
    found = {
        "agreements": [agreement(names)],
        "decisions": decided,
        "comparison": Made(wins=lambda _: wins, table=tested),
    }
    found |= {
        "outliers": (),
        "system_table": pd.DataFrame(
            columns=["metric", "statistic", "value", "without_outliers", "p", "p_without_outliers"]
        ),
    }
    found |= {"means": names, "expectations": pd.DataFrame(columns=["metric", "expectation", "state"], dtype=str)}
    return " ".join(human._summary(Made(**asked, **found)))


def rebuilt(names):
    reduced = Made(closeness=named(names, tau=FIVE, tau_ap=0.5), n_judged=5, n_replicates=10)
    original = Made(depths=np.array([3]), judged_share=1.0, held_share=1.0, relevant_held_share=1.0)
    study = Made(stability={"depth": reduced}, original=original, n_pooled=None, n_judged=9)
    return judgment_reductions.closeness_blocks(study, ["depth"])[0].paragraphs[0]


def effects(names):
    frame = named(names, tau=FIVE, f1=FIVE, n_conflicts=0, n_truth=1, n_predictor=1, first="truth", second="model")
    return str(judge_systems.effect_figures(frame))


def agreeing(names):
    return study_agree(scores_of(names), n_topic_resamples=0, rng=0)


def conflicts(names):
    counts = pd.DataFrame(0, index=names, columns=names)
    for pair in (("ant", "cat"), ("bee", "dog"), ("ant", "elk")):
        counts.loc[pair] = counts.loc[pair[::-1]] = 1 + (pair[1] != "elk")
    return agree_findings.conflict_sentence(
        Made(groups=lambda: {"": names}, lead=Made(matrix=lambda _: counts), variants=())
    )


def shares(names):
    steps = named(names, f1=FIVE, n_truth=1, n_predictor=1, draws=None)
    return agree_findings._share_sentence("AP", steps.assign(boundary="specificity except " + steps["metric"]))


def matrix(names):
    values = [[min(FIVE[a], FIVE[b]) if {a, b} & {"ant", "cat"} == {"ant"} else 0.9 for b in names] for a in names]
    return agree._matrix_alt(pd.DataFrame(values, index=names, columns=names))


def judged(names):
    """Make labels that are one under names that tie."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 200)
    made = {
        key: np.where(rng.random(200) < share, np.minimum(rng.integers(0, 4, 200) + 1, 3), truth)
        for key, share in ((HIGH, 0.1), ("cat", 0.4), (LOW, 0.9))
    }
    index = pd.MultiIndex.from_tuples([(f"{one % 10}", f"d{one}") for one in range(200)], names=["topic", "item"])
    labels = {"nist": truth} | {name: next(made[key] for key in made if name in key) for name in names}
    found = study_judges(as_labels(pd.DataFrame(labels, index, dtype=float)), reference="nist", n_resamples=60, rng=0)
    return found.labelling


def favoured(names):
    frame = named(names, "group", judge="model", figure=FIVE, low_both=FIVE, high_both=FIVE, p_corrected=0.001)
    frame = frame.assign(beyond_people=0.1, beyond_low=0.0, beyond_high=0.2, bend_p=1.0)
    return judge_verdicts._favour(judge_verdicts.JudgeVerdict("model"), Made(adjusted=False, table=frame), 0.05).favours


def left_out(names):
    found = Made(keep="depth", baseline="all", pool_share=1.0)
    table = named(names, mean_change=FIVE, most_places=1, **vars(found))
    return str(judgment_new_systems.groups_figures(Made(left_out={"depth": found}, table=lambda _: table)))


def reduced(names, say):
    frame = named(names, power=FIVE, power_full=0.9, power_full_error=0.0, tau=FIVE, step=10, left=10.0)
    errors = named(names, step=10, power_error=0.0, tau_error=0.0, left_error=0.0)
    kinds = named(names, level=FIVE, left=10.0, kind="observed", left_error=0.0)
    kinds["level"] *= 100
    asked = {
        "to_frame": lambda: frame,
        "errors": lambda: errors,
        "thresholds": lambda **_: kinds.assign(left=kinds["level"]),
    }
    about = Made(unit="%", name="random", share_of="judgments")
    made = Made(reduction=about, single_draw=True, n_replicates=10, **asked)
    return say(Made(stability={"random": made}, min_tau=0.9, metrics=names, questions=[]), frame, made)


def without(names):
    """Items and topics are common once one of two judges is left out."""
    there = pd.DataFrame(
        data=True, index=pd.MultiIndex.from_product([["1", "2"], ["x", "y"]], names=["topic", "item"]), columns=names
    )
    there = there.assign(ant=[True, True, False, False], bee=[False, False, True, True])
    return scores_under_judges._nothing_common(there, there.any(axis=1), "nist")


def power(names):
    study = study_power(scores_of(names).sel(metric=names), tests=["t"], n_topic_resamples=0, rng=0)
    return power_findings.power_summary(study, study.to_frame())[0]


def chance_of_best(names):
    labels = {"metric": ["AP"], "system": names}
    chances = xr.Dataset({"p_best": (tuple(labels), [[FIVE[name] for name in names]])}, labels)
    return BestSystem._best_under(Made(data=chances, n_draws=100), "AP")


def best_run(names):
    scores = scores_of(names, of="system")
    return score._first_sentence(scores, score._best(scores))


CASES = {
    "fewest topics": (fewest_sentence, [LOW]),
    "needs, by a model": (needs, ["25 [25, 25] (90 % interval) topics (2 metrics) to 75 [75, 75] (2 metrics)"]),
    "needs, as observed": (lambda names: needs(names, posterior=False), ["25 topics (2 metrics) to 75 (2 metrics)"]),
    "error rates, picture": (least_errors, [LOW, HIGH]),
    "people, object": (lambda names: agreement(names)._found(), [HIGH]),
    "people, page": (with_people, [f"{HIGH} agree best"]),
    "rebuilt pool": (rebuilt, [LOW]),
    "judges' rankings by metric": (effects, [LOW, HIGH]),
    "agreement": (lambda names: agree_findings.answer_sentence(agreeing(names)), ["of 5 metrics compared with truth"]),
    "agreement, object": (lambda names: agreeing(names).lead._found(), [HIGH]),
    "agreement, picture": (matrix, ["ant and bee; ant and dog; ant and elk"]),
    "conflicts": (conflicts, ["ant and cat; bee and dog"]),
    "shares of specificity": (shares, [LOW, HIGH]),
    "best judge": (
        lambda names: judge_labels.best_words((labels := judged(names)), labels.ranking),
        [f"{HIGH} lead"],
    ),
    "agreement of judges": (
        lambda names: str(judge_labels.agreement_figures(judged(names))),
        ["nist and ant; nist and bee", "nist and dog; nist and elk"],
    ),
    "alt-test": (
        lambda names: alt_test.alt_words(
            Made(
                judges=named(
                    names,
                    "judge",
                    winning_rate=FIVE,
                    advantage_probability=0.5,
                    passes=False,
                    verdict="may not",
                    items_needed=np.nan,
                ),
                epsilon=0.1,
            )
        ),
        ["ω 0.25 to 0.75"],
    ),
    "favoured groups": (favoured, [HIGH]),
    "groups left out": (left_out, [LOW, HIGH]),
    "power that is left": (
        lambda names: reduced(names, lambda study, *_: judgment_power.reduction_figures(study)[0][1]),
        [LOW, HIGH],
    ),
    "rankings that are left": (
        lambda names: reduced(names, lambda _, __, made: judgment_reductions._meaning_sentence(made)),
        [LOW, HIGH],
    ),
    "judgments that suffice": (
        lambda names: reduced(names, lambda study, *_: judgment_reductions.threshold_figures(study)[0][1]),
        [LOW, HIGH],
    ),
    "topics of a design": (
        lambda names: design._needed(
            Made(variances=1, table=named(names, n_topics={name: round(100 * FIVE[name]) for name in FIVE})),
            np.arange(len(names)) >= 0,
        ),
        ["25 topics (2 metrics) to 75 (2 metrics)"],
    ),
    "best run": (best_run, [f"{HIGH} have the best mean AP"]),
    "judges in the way": (without, ["ant or bee"]),
    "power": (power, [HIGH]),
    "chance to be best": (chance_of_best, [f"{HIGH} are each"]),
}


MADE = {
    "agreement of judges",
    "agreement",
    "agreement, object",
    "agreement, picture",
    "conflicts",
    "best judge",
    "why kappas differ",
}
MADE |= {"judges that are one", "judges in the way", "power"}
"""Those whose figures come of scores, labels or counts."""


@pytest.mark.parametrize(("say", "equals"), CASES.values(), ids=list(CASES))
def test_all_equals_are_named_in_every_order(say, equals):
    """What is said depends on no order, and whoever shares the figure of an end is named with it."""
    (said,) = {say(order) for order in ORDERS}
    assert [words for words in equals if words not in said] == [], said


@pytest.mark.parametrize("name", [name for name in CASES if name not in MADE])
def test_where_all_are_equal_nobody_stands_out(name, monkeypatch):
    """The sentence names nobody, or everybody, and is still the same in every order."""
    for one in FIVE:
        monkeypatch.setitem(FIVE, one, 0.5)
    (said,) = {CASES[name][0](order) for order in ORDERS}
    assert sum(bool(re.search(rf"\b{one}\b", said)) for one in FIVE) in {0, 5} or "2 others" in said, said
