# ruff: noqa: RUF001 - typographic dashes and Greek letters are meant for people
"""What tests and corrections are called, how a paper would describe them, and what it would cite."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from metaeval.studies.power import SENSITIVITY, PowerStudy
from metaeval.tests_stat.result import PairwiseResult
from metaeval.words import count, listed, name_of_metric, percentage, short_names

__all__ = [
    "CORRECTIONS",
    "TESTS",
    "Procedure",
    "Source",
    "described",
    "methods_paragraph",
    "name_of_correction",
    "name_of_test",
    "one_per_test",
    "sources",
    "words_for_correction",
    "words_for_test",
]


class Source(NamedTuple):
    """A publication: how a sentence cites it, and in full."""

    cited: str
    full: str
    doi: str = ""


class Procedure(NamedTuple):
    """A test or correction: what people call it, how a sentence describes it, what it cites."""

    name: str
    described: str
    sources: tuple[Source, ...] = ()


_SAKAI = Source(
    "Sakai, 2006",
    "Sakai, T. (2006). Evaluating evaluation metrics based on the bootstrap. SIGIR 2006, 525–532.",
    "10.1145/1148170.1148261",
)
_SAKAI_KANDO = Source(
    "Sakai and Kando, 2008",
    "Sakai, T. and Kando, N. (2008). On information retrieval metrics designed for evaluation with incomplete "
    "relevance assessments. Information Retrieval 11, 447–470.",
    "10.1007/s10791-008-9059-7",
)
_OGILVIE = Source(
    "Ogilvie and Lalmas, 2006",
    "Ogilvie, P. and Lalmas, M. (2006). Investigating the exhaustivity dimension in content-oriented XML element "
    "retrieval evaluation. CIKM 2006.",
)
_CARTERETTE = Source(
    "Carterette, 2012",
    "Carterette, B. (2012). Multiple testing in statistical analysis of systems-based information retrieval "
    "experiments. ACM Transactions on Information Systems 30(1), article 4.",
    "10.1145/2094072.2094076",
)
_SMUCKER = Source(
    "Smucker et al., 2007",
    "Smucker, M. D., Allan, J. and Carterette, B. (2007). A comparison of statistical significance tests for "
    "information retrieval evaluation. CIKM 2007, 623–632.",
    "10.1145/1321440.1321528",
)
_WESTFALL = Source(
    "Westfall and Young, 1993", "Westfall, P. H. and Young, S. S. (1993). Resampling-based multiple testing. Wiley."
)
_WILCOXON = Source(
    "Wilcoxon, 1945",
    "Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1(6), 80–83.",
    "10.2307/3001968",
)
_EFRON = Source(
    "Efron and Tibshirani, 1993",
    "Efron, B. and Tibshirani, R. J. (1993). An introduction to the bootstrap. Chapman & Hall.",
)
_DUNN = Source(
    "Dunn, 1961",
    "Dunn, O. J. (1961). Multiple comparisons among means. Journal of the American Statistical Association 56(293), "
    "52–64.",
    "10.1080/01621459.1961.10482090",
)
_HOLM = Source(
    "Holm, 1979",
    "Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics "
    "6(2), 65–70.",
)
_HOCHBERG = Source(
    "Benjamini and Hochberg, 1995",
    "Benjamini, Y. and Hochberg, Y. (1995). Controlling the false discovery rate: a practical and powerful approach "
    "to multiple testing. Journal of the Royal Statistical Society B 57(1), 289–300.",
    "10.1111/j.2517-6161.1995.tb02031.x",
)
_YEKUTIELI = Source(
    "Benjamini and Yekutieli, 2001",
    "Benjamini, Y. and Yekutieli, D. (2001). The control of the false discovery rate in multiple testing under "
    "dependency. The Annals of Statistics 29(4), 1165–1188.",
    "10.1214/aos/1013699998",
)

TESTS: Mapping[str, Procedure] = {
    SENSITIVITY: Procedure(
        "Bootstrap sensitivity",
        "the studentised paired bootstrap test, read as in the bootstrap sensitivity method (a pair is told apart if "
        "its achieved significance level is below α)",
        (_SAKAI,),
    ),
    "t": Procedure("Paired t", "the paired t test"),
    "wilcoxon": Procedure("Wilcoxon signed rank", "the Wilcoxon signed rank test", (_WILCOXON,)),
    "sign": Procedure("Sign", "the sign test"),
    "randomisation": Procedure(
        "Randomisation", "the paired randomisation test (random signs of the topics' differences)", (_SMUCKER,)
    ),
    "bootstrap": Procedure("Bootstrap, studentised", "the studentised paired bootstrap test", (_SAKAI,)),
    "bootstrap_percentile": Procedure("Bootstrap, percentile", "the percentile bootstrap test", (_OGILVIE,)),
    "bootstrap_shifted": Procedure("Bootstrap, shifted mean", "the bootstrap test of the shifted mean", (_EFRON,)),
    "max_t": Procedure("Randomised max-t", "the randomised step-down max-t test", (_WESTFALL,)),
    "tukey": Procedure("Randomised Tukey HSD", "the randomised Tukey HSD test, blocked by topic", (_CARTERETTE,)),
    "tukey_parametric": Procedure("Tukey HSD, blocked", "Tukey's HSD test, blocked by topic", (_CARTERETTE,)),
}
"""Every test, in teaching order."""

CORRECTIONS: Mapping[str, Procedure] = {
    "none": Procedure("Uncorrected", "no correction"),
    "bonferroni": Procedure("Bonferroni", "the Bonferroni correction", (_DUNN,)),
    "holm": Procedure("Holm", "Holm's step-down correction", (_HOLM,)),
    "fdr_bh": Procedure("Benjamini–Hochberg", "the Benjamini–Hochberg procedure", (_HOCHBERG,)),
    "fdr_by": Procedure(
        "Benjamini–Yekutieli",
        "the Benjamini–Yekutieli procedure, which keeps the false discovery rate at α under any dependence between "
        "the pairs",
        (_YEKUTIELI,),
    ),
    "family-wise": Procedure("Family-wise", "the test's own family-wise p-values"),
}
"""Every correction, in teaching order."""

_SIDES = {"two-sided": "two-sided", "better": "one-sided in the direction of the better mean"}
_LIBRARIES = {"numpy": "NumPy", "scipy": "SciPy", "statsmodels": "statsmodels"}


def methods_paragraph(study: PowerStudy) -> str:
    """Return what was done in words that fit a paper, from the record of what was done.

    Parameters
    ----------
    study : PowerStudy

    Returns
    -------
    str
        One paragraph; every publication it cites is in `sources`.
    """
    sentences = (
        *_design(study),
        *_corrections(study),
        *_difference_required(study),
        *_intervals(study),
        *_identical(study),
        _software(study),
    )
    return " ".join(sentences)


def sources(study: PowerStudy) -> list[Source]:
    """Return what the methods paragraph cites, by author."""
    cited = [_SAKAI, _SAKAI_KANDO]
    for result in study.comparisons:
        cited += _procedure(TESTS, result.test).sources + _procedure(CORRECTIONS, result.correction).sources
    return sorted(dict.fromkeys(cited), key=lambda source: source.full)


def one_per_test(study: PowerStudy) -> list[PairwiseResult]:
    """Return the first comparison of every test."""
    first: dict[str, PairwiseResult] = {}
    for result in study.comparisons:
        first.setdefault(result.test, result)
    return list(first.values())


def described(procedure: Procedure) -> str:
    """Return how a sentence describes a test or correction, with what it cites.

    Examples
    --------
    >>> described(TESTS["sign"]), described(CORRECTIONS["bonferroni"])
    ('the sign test', 'the Bonferroni correction (Dunn, 1961)')
    """
    return procedure.described + _cited(procedure.sources)


def name_of_test(test: str) -> str:
    """Return what a test is called; one from elsewhere goes by its own name."""
    return _procedure(TESTS, test).name


def name_of_correction(correction: str) -> str:
    """Return what a correction is called; one from elsewhere goes by its own name."""
    return _procedure(CORRECTIONS, correction).name


def words_for_test(test: str) -> str:
    """Return what a test is called inside a sentence; names of people keep their capital.

    Examples
    --------
    >>> words_for_test("t"), words_for_test("wilcoxon")
    ('paired t', 'Wilcoxon signed rank')
    """
    name = name_of_test(test)
    return name if name.startswith(("Wilcoxon", "Tukey")) else name[:1].lower() + name[1:]


def words_for_correction(correction: str) -> str:
    """Return what a correction is called inside a sentence; names of people keep their capital.

    Examples
    --------
    >>> words_for_correction("none"), words_for_correction("holm")
    ('uncorrected', 'Holm')
    """
    name = name_of_correction(correction)
    return name.lower() if correction in ("none", "family-wise") else name


def _design(study: PowerStudy) -> tuple[str, ...]:
    sizes, lead = study.scores.sizes, study.comparisons[0]
    side = _SIDES.get(lead.alternative, f"one-sided ({lead.alternative})")
    compared = (
        f"We compared {sizes['system']} systems on {sizes['topic']} topics under {count(sizes['metric'], 'metric')} "
        f"({listed(map(name_of_metric, study.scores['metric'].to_numpy()))})."
    )
    tested = (
        f"For each metric all {lead.n_pairs} pairs of systems were tested at α = {lead.alpha:g}, {side}, with "
        f"{listed(map(_test_with_draws, one_per_test(study)))}."
    )
    power = "Discriminative power is the share of the pairs that a test tells apart"
    short = short_names(study.scores["metric"].to_numpy())
    return compared, *short, tested, f"{power}{_cited([_SAKAI, _SAKAI_KANDO])}."


def _test_with_draws(result: PairwiseResult) -> str:
    test = _procedure(TESTS, result.test)
    words = described(test)
    if result.n_resamples:
        words += f", B = {result.n_resamples} resamples shared by all pairs and metrics"
        words += f", {result.random_source}" if result.random_source else ""
    return words


def _corrections(study: PowerStudy) -> tuple[str, ...]:
    present = dict.fromkeys(result.correction for result in study.comparisons)
    used = [_procedure(CORRECTIONS, name) for name in present if name != "none"]
    if not used:
        return ()
    start = "Beside the uncorrected results, p" if "none" in present else "P"
    named = listed(map(described, used))
    return (f"{start}-values were adjusted over all pairs of one metric with {named}.",)


def _difference_required(study: PowerStudy) -> tuple[str, ...]:
    if study.sensitivity is None:
        return ()
    words = (
        "The difference required is the largest absolute mean difference, over all pairs, of the resample at place "
        f"⌊Bα⌋ when the B = {study.sensitivity.n_resamples} resamples of a pair are ordered by the absolute value of "
        "their studentised statistic, largest first (Sakai, 2006); as a maximum it depends on single pairs, so its "
        "median and 95th percentile over the pairs are given too."
    )
    return (words,)


def _intervals(study: PowerStudy) -> tuple[str, ...]:
    intervals = study.intervals
    if intervals is None:
        return ()
    same = intervals.test in {result.test for result in study.comparisons}
    other = "" if same else f", under {_procedure(TESTS, intervals.test).described}"
    words = (
        f"{percentage(intervals.confidence_level)} intervals for discriminative power, and for the difference of two "
        "metrics' powers, are t intervals whose standard error is the spread of the power over "
        f"{intervals.n_topic_resamples} resamples of the topics, the same for every metric{other}; on real topics 95 % "
        "intervals of this form held the expected power in about 92 % of samples and otherwise mostly lay above it."
    )
    return (words,)


def _identical(study: PowerStudy) -> tuple[str, ...]:
    n_same = sum(map(len, study.identical))
    return (f"{n_same} systems with identical scores stayed among the pairs.",) if n_same else ()


def _software(study: PowerStudy) -> str:
    versions = study.provenance.versions
    around = [f"{label} {versions[name]}" for name, label in _LIBRARIES.items() if name in versions]
    own = f"Computed with metaeval {versions.get('metaeval', '')}".rstrip()
    return f"{own} ({', '.join(around)})." if around else f"{own}."


def _procedure(known: Mapping[str, Procedure], name: str) -> Procedure:
    return known.get(name, Procedure(name, name))


def _cited(cited: Sequence[Source]) -> str:
    return f" ({'; '.join(source.cited for source in cited)})" if cited else ""
