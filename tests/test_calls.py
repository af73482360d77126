"""Calls that Python would refuse: the words of other libraries, old names, two samples, options without names."""

import inspect
import pickle
import re
from importlib import import_module

import pandas as pd
import pytest
from every import chapters

import metaeval
from metaeval import paired_t_test, simulate_scores, study_compare_tests, study_power, study_table
from metaeval.base.chapters import _called
from metaeval.base.vocabulary import vocabulary
from metaeval.errors import InvalidOptionError, UnknownArgumentError

PUBLIC = {
    f"{chapter.__name__}.{name}": getattr(chapter, name)
    for chapter in [*chapters(), import_module("metaeval.testing"), import_module("metaeval.figures")]
    for name in chapter.__all__
    if inspect.isfunction(getattr(chapter, name))
}
WORDS = vocabulary()
OTHERS = [(word, ours) for ours, words in WORDS["others"].items() for word in words.split()]


def arguments(function):
    """Return the names of what a function takes."""
    return set(inspect.signature(function).parameters)


@pytest.mark.parametrize("name", [name for name, function in PUBLIC.items() if "options" not in arguments(function)])
def test_the_word_of_another_library_is_answered_with_ours(name):
    """Whatever others call an argument that a function has, the message has our name for it, in few words."""
    function, asked = PUBLIC[name], arguments(PUBLIC[name])
    for word, ours in [*OTHERS, ("anything", None)]:
        old = WORDS["either"].get(word) or WORDS["arguments"].get(word)
        if {word, old} & asked or not {ours, word} & {*asked, "seed", "n_jobs", "anything"}:
            continue
        with pytest.raises(UnknownArgumentError, match=rf"^{function.__name__}\(\) has no argument `{word}`") as caught:
            function(**{word: 1})
        assert ours not in asked or f"`{ours}`" in str(caught.value)
        assert len(str(caught.value)) <= 300
        assert isinstance(caught.value, TypeError)


def test_the_words_of_others_are_none_of_ours():
    """A word that leads to an argument somewhere is there to be used: each meaning is one of some public function."""
    ours = set().union(*map(arguments, PUBLIC.values()))
    assert {*WORDS["others"], *WORDS["arguments"].values(), *WORDS["either"], *WORDS["lacking"]} <= ours
    assert not {*WORDS["arguments"]} & (ours - {"width"})
    assert all(hasattr(metaeval, now) for now in WORDS["names"].values())


@pytest.mark.parametrize("name", PUBLIC)
def test_one_idea_has_one_name(name):
    """No public function has two words of one idea where one is ours and the other was, nor the old one alone."""
    asked = arguments(PUBLIC[name])
    assert not asked & {"seed", "random_state", "ci_prob", "confidence", "draws", "conf_level", "iterations"}
    assert not {"test", "tests"} <= asked
    assert not {"correction", "corrections"} <= asked


@pytest.mark.parametrize("name", PUBLIC)
def test_public_functions_travel(name):
    """Pickle finds a function where it is public, and there is one of each."""
    assert pickle.loads(pickle.dumps(PUBLIC[name])) is PUBLIC[name]  # noqa: S301 - our own


@pytest.mark.parametrize(("old", "now"), WORDS["names"].items())
def test_an_old_name_works_with_a_warning(old, now):
    """Until 1.0 it stands for the new one, at the place of the caller, and in no list."""
    with pytest.warns(DeprecationWarning, match=f"{old} is called {now} now") as seen:
        assert getattr(metaeval, old) is getattr(metaeval, now)
    assert seen[0].filename == __file__
    assert old not in dir(metaeval)


def test_an_old_argument_works_with_a_warning():
    """It does what the new one does; both at once are one too many."""
    scores = simulate_scores(n_systems=3, n_topics=12, metrics=["AP"], rng=1)
    with pytest.warns(DeprecationWarning, match="`ci_prob` of bayesian_t"):
        old = metaeval.models.bayesian_t(scores, ci_prob=0.5)
    assert old.confidence_level == 0.5
    with (
        pytest.warns(DeprecationWarning, match="ci_prob"),
        pytest.raises(UnknownArgumentError, match="`confidence_level` twice"),
    ):
        metaeval.models.bayesian_t(scores, ci_prob=0.5, confidence_level=0.5)


def test_tests_and_corrections_are_one_or_several():
    """Spelled either way, as a text or a list; a test that is one may stand in a list."""
    scores = simulate_scores(n_systems=4, n_topics=12, metrics=["AP"], rng=1)
    wanted = study_power(scores, tests=["t"], corrections=["holm"], rng=1).to_frame()
    for asked in ({"test": "paired t", "correction": "Holm"}, {"tests": "t", "corrections": ("holm", "holm")}):
        assert study_power(scores, **asked, rng=1).to_frame().equals(wanted)
    one = study_table(scores, test="t", correction="holm").to_frame()
    assert study_table(scores, tests=["t"], corrections=["holm"]).to_frame().equals(one)
    with pytest.raises(InvalidOptionError, match="`test` is one here, not 2"):
        study_table(scores, tests=["t", "sign"])
    halves = study_compare_tests(scores, test="t", correction="none", n_splits=4, rng=1)
    assert halves.to_frame()["test"].tolist() == ["t"]


def test_two_samples_are_a_table_of_two_systems():
    """The way out gives the test of SciPy's two arrays."""
    first, second = [0.1, 0.5, 0.3, 0.9], [0.2, 0.4, 0.6, 0.95]
    with pytest.raises(UnknownArgumentError, match=r"\{'A': a, 'B': b\} is such a table"):
        paired_t_test(first, second)
    found = paired_t_test({"A": first, "B": second})
    difference = float(found.data["difference"].item())
    assert difference == pytest.approx(-0.0875)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (study_power, r"needs `scores`; metaeval.as_scores makes `scores`"),
        (lambda: study_power({}, "t"), r"takes `scores` without a name, and all others by name: tests="),
        (lambda: study_power({}, scores={}), r"was given `scores` twice, by its place and by its name"),
        (lambda: study_power({}, groups={}), r"metaeval.as_scores, which makes `scores`, has it"),
        (lambda: study_power({}, correctoins="holm"), r"did you mean `corrections`"),
        (lambda: metaeval.wilcoxon_test({}, seed=1), r"it draws nothing at random"),
        (
            lambda: paired_t_test({}, nan_policy="omit"),
            r"metaeval.as_scores, which makes `scores`, has it, called `missing`",
        ),
        (lambda: paired_t_test({}, confidence_level=0.9), r"confidence_interval\(\) of what it returns has it"),
        (lambda: metaeval.sign_test({}, conf_level=0.9), r"`conf_level`; confidence_interval\(\) of what it returns"),
    ],
)
def test_what_else_is_wrong_with_a_call(call, says):
    """Each mistake has its way out."""
    with pytest.raises(UnknownArgumentError, match=says):
        call()


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("ttest_rel", "paired_t_test"),
        ("wilcoxon", "wilcoxon_test"),
        ("permutation_test", "randomisation_test"),
        ("mcnemar", "sign_test"),
        ("tukey_hsd", "tukey_hsd_test"),
    ],
)
def test_functions_of_other_libraries_lead_to_ours(theirs, ours):
    """SciPy's and statsmodels' names are named, and not taken: arguments differ."""
    with pytest.raises(AttributeError, match=f"no attribute '{theirs}'; it is called {ours} here"):
        getattr(metaeval, theirs)
    assert callable(getattr(metaeval, ours))


@pytest.mark.parametrize(
    ("theirs", "ours"), [("larger", "greater"), ("smaller", "less"), ("two.sided", "two-sided"), ("right", "greater")]
)
def test_sides_of_other_libraries_lead_to_ours(theirs, ours):
    """Of statsmodels, R and people."""
    with pytest.raises(InvalidOptionError, match=f"did you mean '{ours}'"):
        paired_t_test({"a": [0.1, 0.2, 0.4], "b": [0.2, 0.1, 0.3]}, alternative=theirs)


def test_an_error_of_the_work_is_not_one_of_the_call():
    """What a function itself raises comes through as it is."""

    def work(scores):
        return scores + "x"

    with pytest.raises(TypeError) as caught:
        _called(work, __name__)(1)
    assert not isinstance(caught.value, UnknownArgumentError)


def test_significance_is_the_name_that_one_looks_for():
    """Both modules have the same functions."""
    significance = import_module("metaeval.significance")
    assert significance.wilcoxon_test is metaeval.tests_stat.wilcoxon_test
    assert significance.__all__ == metaeval.tests_stat.__all__


def test_help_tells_the_columns_of_the_table_that_it_refers_to():
    """Under Returns, behind what the function itself says, and before the errors."""
    told = inspect.getdoc(metaeval.sign_test).partition("\nReturns\n")[2].partition("\nRaises\n")[0]
    assert "``PairwiseResult.to_frame()`` has one row a metric and pair" in told
    assert "``log10_p``" in told
    assert inspect.getdoc(metaeval.score).count("to_frame()`` has") == 0


WAYS_OF_DIRECTION = ("higher_is_better", "greater_is_better", "maximize", "lower_is_better", "minimize")
LESS_IS_BETTER = {name: name in {"lower_is_better", "minimize"} for name in WAYS_OF_DIRECTION}
"""What to say under each name where less is better."""


def functions_of_scores():
    """Return every public function of scores, or with a direction of its own, by name."""
    found = {}
    for chapter in (metaeval, metaeval.agreement, metaeval.resampling, metaeval.models, metaeval.tests_stat):
        for name in chapter.__all__:
            made = getattr(chapter, name)
            if inspect.isfunction(made) and {"scores", "higher_is_better", "lower_is_better"} & {
                *inspect.signature(made).parameters
            }:
                found[name] = made
    return found


@pytest.mark.parametrize("named", WAYS_OF_DIRECTION)
@pytest.mark.parametrize("function", functions_of_scores().values(), ids=functions_of_scores())
def test_a_direction_under_another_name_leads_to_the_call_that_says_the_same(function, named):
    """What less is better of is False as higher_is_better, True as lower_is_better, and listed as a column that is."""
    parameters = inspect.signature(function).parameters
    if named in parameters or any(parameter.kind == parameter.VAR_KEYWORD for parameter in parameters.values()):
        return
    for value in (LESS_IS_BETTER[named], {"TER": LESS_IS_BETTER[named], "BLEU": not LESS_IS_BETTER[named]}):
        with pytest.raises(UnknownArgumentError) as caught:
            function(**{named: value})
        said = str(caught.value)
        of_one, of_several = "higher_is_better=False", "higher_is_better={'TER': False, 'BLEU': True}"
        if "lower_is_better" in parameters:
            of_one, of_several = "`lower_is_better` lists the metrics where less is better", "lower_is_better=['TER']"
        if named == "higher_is_better" and "lower_is_better" not in parameters:
            assert said.endswith("metaeval.as_scores, which makes `scores`, has it")  # the same value
        else:
            assert (of_one if isinstance(value, bool) else of_several) in said


def test_latencies_under_the_call_from_the_message_are_those_of_the_faster_system():
    """By hand: the first system needs 2 on average, the second 3."""
    table = pd.DataFrame({"fast": [1.0, 2.0, 3.0], "slow": [2.0, 3.0, 4.5]})
    with pytest.raises(UnknownArgumentError, match=r"pass `higher_is_better=False`"):
        metaeval.as_scores(table, lower_is_better=True)
    right = metaeval.as_scores(table, higher_is_better=False)
    with pytest.raises(UnknownArgumentError, match=r"pass `as_scores\(scores, higher_is_better=False\)`"):
        metaeval.study_table(table, lower_is_better=True)
    assert metaeval.study_table(right).comparison.data["better"].item()


@pytest.mark.parametrize("name", PUBLIC)
def test_one_name_is_a_list_of_one_wherever_a_list_of_names_is_taken(name):
    """Every argument that is a sequence of words, in any public function, is handed on as one of one word."""
    parameters = inspect.signature(PUBLIC[name]).parameters
    listed = re.compile(r"(?:\w+\.)*Sequence\[(str\]|(\w+\.)*Literal)(?!.*\| str\b)")  # a text may be something else
    several = [name for name, parameter in parameters.items() if listed.match(str(parameter.annotation))]

    def shown(**named):
        return named

    shown.__signature__ = inspect.Signature(
        [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=parameters[name].annotation)
            for name in several
        ]
    )
    assert _called(shown, __name__)(**dict.fromkeys(several, "t")) == dict.fromkeys(several, ("t",))


def test_statistics_and_levels_by_one_name():
    """As lists of one."""
    table = pd.DataFrame({"human": [1.0, 2, 3, 4], "A": [1.0, 3, 2, 4]}, index=list("wxyz"))
    one = metaeval.study_human(table, reference="human", statistics="kendall", levels="system", rng=0)
    several = metaeval.study_human(table, reference="human", statistics=["kendall"], levels=["system"], rng=0)
    pd.testing.assert_frame_equal(one.system_table, several.system_table)


def test_some_metrics_of_scores_are_those_of_the_call_from_the_message():
    """For whoever asks a study of scores for them; two tables are one by metric, and two lists a rank correlation."""
    scores = simulate_scores(n_systems=4, n_topics=10, metrics=["AP", "RR", "P@10"], rng=1)
    with pytest.raises(UnknownArgumentError, match=r"`as_scores\(scores\)\.sel\(metric=\['AP', 'RR'\]\)`"):
        metaeval.study_agree(scores, metrics=["AP", "RR"])
    some = metaeval.as_scores(scores).sel(metric=["AP", "RR"])
    assert metaeval.study_agree(some, n_topic_resamples=None, rng=0).answer
    first, second = (scores.sel(metric=name).to_numpy() for name in ("AP", "RR"))
    for table in (pd.DataFrame, lambda cells: scores[:1].copy(data=cells[None])):
        with pytest.raises(UnknownArgumentError, match=r"of two metrics \{'first': first, 'second': second\} is one"):
            metaeval.study_agree(table(first), table(second))
    assert metaeval.study_agree({"first": first, "second": second}, n_topic_resamples=None, rng=0).answer
    with pytest.raises(UnknownArgumentError, match=r"metaeval\.agreement\.kendall_tau\(a, b\)"):
        metaeval.study_agree(first.mean(axis=1), second.mean(axis=1))


def test_weighted_kappa_is_in_the_table_of_labels_that_have_an_order():
    """The message for `weights` says how words get one."""
    labels = pd.DataFrame({"item": list("abcd"), "x": ["no", "partly", "yes", "no"], "y": ["no", "yes", "yes", "no"]})
    with pytest.raises(UnknownArgumentError, match=r"linear_kappa .* `words=\{'no': 0, 'partly': 1, 'yes': 2\}`"):
        metaeval.study_judges(labels, weights="linear")
    found = metaeval.study_judges(labels, words={"no": 0, "partly": 1, "yes": 2}, rng=0)
    assert "linear_kappa" in set(found.to_frame()["statistic"])
