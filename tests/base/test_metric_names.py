"""The grammar of metric names: what is read, what is refused, and that names read back."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.base.metric_names import _WORDS, Call, GainTable, ParsedName, study_names, translations
from metaeval.errors import UnknownNameError
from metaeval.metrics import BUILTIN, MetricNameError, parse_name, short_label, split_names


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("nDCG@10", "nDCG@10"),
        ("ndcg@10", "nDCG@10"),
        ("AP(rel=2)", "AP(rel=2)"),
        ("AP(rel=1)", "AP"),
        ("AP'", "AP(judged_only=True)"),
        ("AP′", "AP(judged_only=True)"),  # noqa: RUF001 - a true prime
        ("AP(judged_only=False)", "AP"),
        ("Q(beta=1)", "Q"),
        ("Q'(beta=10.0)", "Q(beta=10, judged_only=True)"),
        ("RBP(p=.8)", "RBP(p=0.8)"),
        ("RBP(0.80)", "RBP(p=0.8)"),
        ("RBP(rel=1,p=0.9)", "RBP(p=0.9, rel=1)"),
        ("nDCG(gains=exponential)@10", "nDCG(gains=exponential)@10"),
        ("nDCG(gains=linear)@10", "nDCG@10"),
        ("nDCG(gains=binary)", "nDCG(gains=binary(rel=1))"),
        ("nDCG(gains=Binary(rel=2))", "nDCG(gains=binary(rel=2))"),
        ("nDCG(gains={2:5,0:0,1:1})@10", "nDCG(gains={0:0, 1:1, 2:5})@10"),
        ("nDCG(a=2)@1000", "nDCG(a=2)@1000"),
        (" P ( rel = 2 ) @ 10 ", "P(rel=2)@10"),
        ("AP(k=5)", "AP@5"),
        ("AP(cutoff=5)", "AP@5"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(gains=exponential)@10"),
        ("nDCG(dcg='log2')@10", "nDCG@10"),
    ],
)
def test_names_have_one_canonical_spelling(text, canonical):
    """Order, case, defaults and blanks make no difference, and the canonical name reads back as itself."""
    metric = BUILTIN.resolve(text)
    assert metric.name == canonical
    assert BUILTIN.resolve(canonical) == metric
    assert BUILTIN.resolve(metric.full_name) == metric
    assert BUILTIN.resolve(short_label(canonical)) == metric


@pytest.mark.parametrize(
    ("foreign", "canonical"),
    [
        ("map", "AP"),
        ("MAP", "AP"),
        ("map_cut_100", "AP@100"),
        ("map_cut.100", "AP@100"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("P_10", "P@10"),
        ("P.5", "P@5"),
        ("recall_1000", "R@1000"),
        ("success_1", "Success@1"),
        ("recip_rank", "RR"),
        ("Rprec", "Rprec"),
        ("bpref", "bpref"),
        ("infAP", "infAP"),
        ("ndcg@10", "nDCG@10"),
        ("map@100-l2", "AP(rel=2)@100"),
        ("mrr@10", "RR@10"),
        ("mrr-l2", "RR(rel=2)"),
        ("precision@10", "P@10"),
        ("recall@100-l3", "R(rel=3)@100"),
        ("hit_rate@5", "Success@5"),
        ("r-precision", "Rprec"),
        ("ndcg_burges@10", "nDCG(gains=exponential)@10"),
        ("rbp.95", "RBP(p=0.95, rel=1)"),
        ("rbp.80-l2", "RBP(p=0.8, rel=2)"),
        ("BPref", "bpref"),
        ("MSnDCG@0010", "nDCG@10"),
        ("Q-measure", "Q"),
        ("nERR@0010", "nERR@10"),
    ],
)
def test_other_tools_spellings_are_understood(foreign, canonical):
    """trec_eval, ranx, ir_measures and NTCIREVAL write the same measures in other words."""
    assert BUILTIN.resolve(foreign).name == canonical


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a metric's name at character 1"),
        ("@10", "a metric's name"),
        ("nDCG@", "a number after @ at character 6, but it ends there"),
        ("AP(", "expected a value"),
        ("AP(rel=2", "expected ','"),
        ("AP(rel=)", "expected a value"),
        ("AP(rel=2))", "the end of the name"),
        ("AP''", "one prime at most"),
        ("AP(rel=2,rel=3)", "rel is given twice"),
        ("nDCG(gains={})", "at least one level: gain"),
        ("nDCG(gains={1:1,1:2})", "each level once"),
        ("nDCG(gains={1:1, 1:2})", "each level once"),
        ("nDCG(gains=binary(2))", "key=value inside binary(…)"),
        ("__import__('os').system('true')", "the end of the name"),
        ("AP@5@6", "the end of the name"),
    ],
)
def test_text_outside_the_grammar_is_refused_with_the_place(text, said):
    """A malformed name is an error that says what was expected where."""
    with pytest.raises(MetricNameError) as caught:
        list(translations(text))
    assert said in str(caught.value)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("text", [f"P@{'7' * 5000}", f"RBP(p=0.{'7' * 5000})"])
def test_numbers_of_thousands_of_digits_are_refused_in_short(text):
    """More than Python turns into a number; the message does not repeat them."""
    with pytest.raises(MetricNameError, match=r"a number of 5,00[02] signs"):
        parse_name(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("RBP", "RBP needs p, a number, above 0 and below 1: write RBP(gains=linear, judged_only=False"),
        ("RBP", "0.8 in ir_measures, 0.9 in trec_eval, 0.95 in NTCIREVAL"),
        ("P", "P needs a cutoff: write P@10"),
        ("RBP(p=1.5)", "p must be a number, above 0 and below 1, not 1.5"),
        ("AP(rel=0)", "rel must be a number, above 0, not 0"),
        ("AP(rel=True)", "rel must be a number, above 0, not True"),
        ("AP@0", "k must be a whole number, at least 1, not 0"),
        ("AP(rel=two)", "rel must be a number, above 0, not two"),
        ("nDCG(a=1)", "a must be a number, above 1, not 1"),
        ("AgP(beta=0)", "beta must be a number, above 0, not 0"),
        ("AgP(beta=-0.5)", "beta must be a number, above 0, not -0.5"),
        ("AgP(beta=inf)", "beta must be a number, above 0, not inf"),
        ("Q(beta=-1)", "beta must be a number, 0 or more, not -1"),
        ("AP(2)", "2 stands without a name"),
        ("AP(depth=2)", "AP has no parameter 'depth'"),
        ("AP(gains=exponential)", "AP uses no gains; use rel="),
        ("Judged'@10", "Judged has no condensed-list variant"),
        ("bpref@10", "bpref takes no cutoff"),
        ("AP'(judged_only=True)", "judged_only is given twice"),
        ("AP(k=5)@10", "k is given twice"),
        ("nDCG(gains=2)", "gains must be a word such as exponential, or a table"),
        ("ndcg@10-l2", "nDCG has no parameter 'rel'"),
    ],
)
def test_arguments_outside_their_rule_are_refused(text, said):
    """The error names the metric, the argument, the rule and the value."""
    with pytest.raises(MetricNameError) as caught:
        BUILTIN.resolve(text)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "near"), [("ndgc@10", "nDCG"), ("brpef", "bpref"), ("sucess@5", "Success"), ("infAPP", "infAP")]
)
def test_an_unknown_name_gets_the_nearest_ones(text, near):
    """A typing error is answered with what was probably meant, and with all there is."""
    with pytest.raises(UnknownNameError) as caught:
        BUILTIN.resolve(text)
    assert f"did you mean '{near}'" in str(caught.value)
    assert "Known: P, R, Success" in str(caught.value)


def test_an_unknown_quantisation_gets_the_nearest_ones():
    """gains= is looked up like a metric."""
    with pytest.raises(UnknownNameError, match="no quantisation 'exponental'; did you mean 'exponential'"):
        BUILTIN.resolve("nDCG(gains=exponental)")
    with pytest.raises(UnknownNameError, match="did you mean 'gen'"):
        BUILTIN.resolve("MAep(quant=generalised)")
    with pytest.raises(UnknownNameError, match="no parameter of gains=binary 'level'"):
        BUILTIN.resolve("nDCG(gains=binary(level=2))")


WORDS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True).filter(
    lambda word: word not in {"True", "true", "False", "false"}
)
NUMBERS = st.integers(-999, 999) | st.floats(-1e6, 1e6).filter(lambda number: not number.is_integer())
TABLES = st.dictionaries(st.integers(0, 9), NUMBERS, min_size=1, max_size=4).map(
    lambda gains: GainTable(tuple(sorted(gains.items())))
)
CALLS = st.builds(
    Call,
    WORDS,
    st.dictionaries(WORDS, NUMBERS, max_size=2).map(lambda arguments: tuple(sorted(arguments.items()))),
)
ARGUMENTS = st.dictionaries(WORDS, st.booleans() | NUMBERS | TABLES | CALLS, max_size=4).map(
    lambda arguments: tuple(sorted(arguments.items()))
)


@given(word=WORDS, arguments=ARGUMENTS, cutoff=st.none() | st.integers(1, 9999) | st.just(0.01))
def test_every_name_of_the_grammar_reads_back(word, arguments, cutoff):
    """Printing and parsing are inverse to each other."""
    name = ParsedName(word, arguments, cutoff)
    assert parse_name(str(name)) == name


@given(text=st.text(alphabet="APnDCG(){}=,@'.:0123 rel-_\"", max_size=24))
def test_any_text_is_read_or_refused(text):
    """No input escapes as another kind of error."""
    try:
        parsed = parse_name(text)
    except MetricNameError:
        return
    assert str(parse_name(str(parsed))) == str(parsed)


def test_short_labels_carry_the_prime():
    """The canonical long form and the short label are one metric."""
    assert short_label("nDCG(a=2, judged_only=True)@1000") == "nDCG'(a=2)@1000"
    assert short_label("AP(judged_only=True)") == "AP'"
    assert short_label("RBP(p=0.8)") == "RBP(p=0.8)"
    assert short_label("human score (z)") == "human score (z)"


def test_lists_of_names_are_split_outside_brackets_only():
    """Commas inside a table or an argument list belong to the name."""
    text = "AP,nDCG(gains={1:1, 2:5})@10  RBP(p=0.8, rel=1), P@5,"
    assert split_names(text) == ["AP", "nDCG(gains={1:1, 2:5})@10", "RBP(p=0.8, rel=1)", "P@5"]


@given(
    st.lists(
        st.builds(
            "{}({}{}{})@10".format,
            st.sampled_from(["nDCG", "Q"]),
            st.sampled_from(["", "gains=exponential", "gains=binary(rel=2)", "gains={1:1, 2:5}"]),
            st.sampled_from([", rel=2", ""]),
            st.sampled_from([", judged_only=True", ""]),
        ).map(lambda name: name.replace("(, ", "(").replace("()", "")),
        max_size=4,
    )
)
def test_no_short_name_of_a_study_is_that_of_another_metric(names):
    """Each stands for one metric of the study, and the registry refuses it as a name."""
    found = study_names(names)
    assert len({found.get(name, short_label(name)) for name in names}) == len({short_label(name) for name in names})
    for name, short in found.items():
        assert name in names
        with pytest.raises(MetricNameError, match="stands without a name"):
            BUILTIN.resolve(short)


def test_our_own_words_spell_metrics_as_the_tables_do(checkout):
    """No page, error or note names a metric with a cut-off by the name that another tool has for it."""
    others = "|".join(re.escape(name) for name in _WORDS if "-" in name)
    places = [place for place in (checkout / "metaeval").rglob("*.p*") if place.suffix in {".py", ".prose"}]
    found = {place.name: re.findall(rf"(?i)\b(?:{others})@\d+", place.read_text("utf-8")) for place in places}
    assert len(found) > 300
    assert {name: names for name, names in found.items() if names} == {}
