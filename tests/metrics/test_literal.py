"""Every measure against a slow, literal version of its printed definition, on random collections."""

# ruff: noqa: D102 - the methods of Literal are the formulas

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.collection.assembly import collection_from_rankings
from metaeval.metrics import BUILTIN, metric_values, resolve_metrics

pytestmark = pytest.mark.usefixtures("one_core")


class Literal:
    """One ranked list on one topic; the methods follow the papers' formulas rank by rank."""

    def __init__(self, names, qrels, *, top, condensed=False, gain=lambda level: level):
        self.qrels = qrels
        judged = {name: level for name, level in qrels.items() if level >= 0}
        self.pooled = set() if condensed else set(qrels) - set(judged)
        self.names = [name for name in names if name in judged] if condensed else names
        self.judged = judged
        self.top = top
        self.gain_of = lambda level: gain(level) if level > 0 else 0.0
        self.gains = [0.0, *(self.gain_of(judged.get(name, 0)) for name in self.names)]
        self.ideal = [0.0, *sorted((self.gain_of(level) for level in judged.values()), reverse=True)]
        self.ranks = range(1, len(self.names) + 1)

    def level(self, rank):
        return self.judged.get(self.names[rank - 1], 0)

    def relevant(self, rel):
        return sum(level >= rel for level in self.judged.values())

    def count(self, rank, rel):
        return sum(self.level(r) >= rel for r in self.ranks if r <= rank)

    def others_above(self, rank, rel):
        above = [self.names[r - 1] for r in self.ranks if r < rank]
        return sum(name in self.judged and self.judged[name] < rel for name in above)

    def precision(self, k, rel=1):
        return self.count(k, rel) / k

    def recall(self, k, rel=1):
        return self.count(k, rel) / self.relevant(rel)

    def success(self, k, rel=1):
        return float(self.count(k, rel) > 0)

    def r_precision(self, rel=1):
        return self.count(self.relevant(rel), rel) / self.relevant(rel)

    def reciprocal_rank(self, k=10**6, rel=1):
        return next((1 / r for r in self.ranks if r <= k and self.level(r) >= rel), 0.0)

    def average_precision(self, k=10**6, rel=1):
        hits = [r for r in self.ranks if r <= k and self.level(r) >= rel]
        return sum(self.count(r, rel) / r for r in hits) / self.relevant(rel)

    def q_measure(self, beta=1.0, k=10**6):
        total = 0.0
        for r in self.ranks:
            if self.gains[r] > 0 and r <= k:
                count = sum(gain > 0 for gain in self.gains[: r + 1])
                total += (beta * sum(self.gains[: r + 1]) + count) / (beta * sum(self.ideal[: r + 1]) + r)
        return total / sum(gain > 0 for gain in self.ideal)

    def ndcg(self, k=10**6, a=None):
        def discounted(gains):
            total = 0.0
            for r, gain in enumerate(gains[: k + 1]):
                if r == 0:
                    continue
                total += gain / math.log2(r + 1) if a is None else gain if r <= a else gain / math.log(r, a)
            return total

        return discounted(self.gains) / discounted(self.ideal)

    def bpref(self, rel=1, variant=""):
        R = self.relevant(rel)
        N = len(self.judged) - R
        total = 0.0
        for r in self.ranks:
            if self.level(r) >= rel:
                n = self.others_above(r, rel)
                fraction = {
                    "": lambda n=n: min(R, n) / min(R, N),
                    "R": lambda n=n: min(R, n) / R,
                    "N": lambda n=n: n / N,
                }[variant]
                total += 1 - (fraction() if n else 0.0)
        return total / R

    def rbp(self, p, k=10**6, top=None):
        most = self.gain_of(top or self.top)
        return (1 - p) / most * sum(self.gains[r] * p ** (r - 1) for r in self.ranks if r <= k)

    def err(self, k=10**6, top=None):
        return self._err([self.level(r) for r in self.ranks], k, top or self.top)

    def nerr(self, k=10**6):
        best = sorted((level for level in self.judged.values()), reverse=True)
        return self.err(k) / self._err(best, k, self.top)

    @staticmethod
    def _err(levels, k, top):
        total, going_on = 0.0, 1.0
        for r, level in enumerate(levels[:k], start=1):
            satisfied = (2 ** max(level, 0) - 1) / 2**top
            total += going_on * satisfied / r
            going_on *= 1 - satisfied
        return total

    def inferred_ap(self, rel=1):
        e = 0.00001
        total = 0.0
        for r in self.ranks:
            if self.level(r) >= rel:
                found = self.count(r - 1, rel)
                others = self.others_above(r, rel)
                unjudged = sum(self.names[i - 1] in self.pooled for i in self.ranks if i < r)
                total += 1 / r
                if r > 1:
                    share = (found + others + unjudged) / (r - 1)
                    total += (r - 1) / r * share * (found + e) / (found + others + 2 * e)
        return total / self.relevant(rel)

    def compatibility(self, p=0.95, k=1000):
        def overlap(one, other):
            return sum(p ** (i - 1) * len(set(one[:i]) & set(other[:i])) / i for i in range(1, k + 1))

        found = [name for name in self.names if self.judged.get(name, 0) > 0]
        others = [name for name, level in self.judged.items() if level > 0 and name not in found]
        ideal = sorted(found + others, key=lambda name: -self.judged[name])  # keeps the order of equals
        return overlap(self.names, ideal) / overlap(ideal, ideal)

    def user_model(self, goes_on, n=1000, top=None):
        most = self.gain_of(top or self.top)
        gains = [gain / most for gain in self.gains[1:]] + [0.0] * n
        reach, gained, looked_at, total = 1.0, 0.0, 0.0, 0.0
        for i, gain in enumerate(gains[:n], start=1):
            total += gain
            gained += reach * gain
            looked_at += reach
            reach *= goes_on(i, gain, total)
        return gained / looked_at

    def judged_share(self, k=10**6):
        shown = self.names[:k]
        return sum(name in self.judged for name in shown) / len(shown)


EXPONENTIAL = {"gain": lambda level: 2.0**level - 1}
STRICT = {"gain": lambda level: float(level >= 2)}
UNEVEN = {"gain": {1: 3.0, 2: 0.0, 3: 1.0, 4: 9.0}.get}

MEASURES = {
    "P@5": lambda one: one.precision(5),
    "P(rel=2)@3": lambda one: one.precision(3, 2),
    "R@5": lambda one: one.recall(5),
    "Success@2": lambda one: one.success(2),
    "RR": Literal.reciprocal_rank,
    "RR(rel=2)@3": lambda one: one.reciprocal_rank(3, 2),
    "Rprec": Literal.r_precision,
    "Rprec(rel=2)": lambda one: one.r_precision(2),
    "AP": Literal.average_precision,
    "AP(rel=2)": lambda one: one.average_precision(rel=2),
    "AP@4": lambda one: one.average_precision(k=4),
    "Q": Literal.q_measure,
    "Q(beta=10)": lambda one: one.q_measure(10),
    "Q@4": lambda one: one.q_measure(k=4),
    "nDCG": Literal.ndcg,
    "nDCG@5": lambda one: one.ndcg(5),
    "nDCG(a=2)": lambda one: one.ndcg(a=2),
    "nDCG(a=10)@12": lambda one: one.ndcg(12, 10),
    "nDCG(a=2.5)@7": lambda one: one.ndcg(7, 2.5),
    "RBP(p=0.8)": lambda one: one.rbp(0.8),
    "RBP(p=0.95)@5": lambda one: one.rbp(0.95, 5),
    "RBP(max_level=6, p=0.5)": lambda one: one.rbp(0.5, top=6),
    "ERR": Literal.err,
    "ERR@3": lambda one: one.err(3),
    "ERR(max_level=6)@5": lambda one: one.err(5, 6),
    "nERR@5": lambda one: one.nerr(5),
    "bpref": Literal.bpref,
    "bpref(rel=2)": lambda one: one.bpref(2),
    "bpref_R": lambda one: one.bpref(variant="R"),
    "bpref_N": lambda one: one.bpref(variant="N"),
    "infAP": Literal.inferred_ap,
    "infAP(rel=2)": lambda one: one.inferred_ap(2),
    "Compat(p=0.8)@20": lambda one: one.compatibility(0.8, 20),
    "Compat(p=0.95)@4": lambda one: one.compatibility(k=4),
    "SDCG@7": lambda one: one.user_model(lambda i, *_: math.log2(i + 1) / math.log2(i + 2), 7),
    "INSQ(T=1.5)@30": lambda one: one.user_model(lambda i, *_: ((i + 2) / (i + 3)) ** 2, 30),
    "INST(T=2)@30": lambda one: one.user_model(lambda i, _, total: ((i + 3 - total) / (i + 4 - total)) ** 2, 30),
    "INST(T=0.3, max_level=6)@30": lambda one: one.user_model(
        lambda i, _, total: ((i - 0.4 - total) / (i + 0.6 - total)) ** 2, 30, 6
    ),
    "BPM(T=1.25)@12": lambda one: one.user_model(lambda _, __, total: float(total < 1.25), 12),
    "NERR8@6": lambda one: one.user_model(lambda _, gain, __: 1 - gain, 6),
    "NERR9@12": lambda one: one.user_model(lambda i, gain, _: (1 - gain) * i / (i + 1), 12),
    "NERR10(p=0.8)@30": lambda one: one.user_model(lambda _, gain, __: (1 - gain) * 0.8, 30),
    "NERR11(T=2)@30": lambda one: one.user_model(lambda i, gain, _: (1 - gain) * ((i + 3) / (i + 4)) ** 2, 30),
    "Judged@5": lambda one: one.judged_share(5),
    "Judged": Literal.judged_share,
}
QUANTISED = {
    "Q(gains=exponential)": (Literal.q_measure, EXPONENTIAL),
    "Q(gains=binary(rel=2))": (Literal.q_measure, STRICT),
    "nDCG(gains=exponential)@5": (lambda one: one.ndcg(5), EXPONENTIAL),
    "nDCG(gains={1:3, 2:0, 3:1, 4:9})": (Literal.ndcg, UNEVEN),
    "Q(gains={1:3, 2:0, 3:1, 4:9})": (Literal.q_measure, UNEVEN),
    "RBP(gains=exponential, p=0.8)": (lambda one: one.rbp(0.8), EXPONENTIAL),
    "RBP(p=0.8, rel=2)": (lambda one: one.rbp(0.8), STRICT),
    "INST(T=1, gains=exponential)@30": (
        lambda one: one.user_model(lambda i, _, total: ((i + 1 - total) / (i + 2 - total)) ** 2, 30),
        EXPONENTIAL,
    ),
}
ALL = {**{name: (literal, {}) for name, literal in MEASURES.items()}, **QUANTISED}


REAL = {
    "AP(rel=1.5)": lambda one: one.average_precision(rel=1.5),
    "P(rel=0.5)@3": lambda one: one.precision(3, 0.5),
    "R(rel=1.5)@4": lambda one: one.recall(4, 1.5),
    "Success(rel=1.5)@2": lambda one: one.success(2, 1.5),
    "bpref(rel=1.5)": lambda one: one.bpref(1.5),
    "bpref_R(rel=0.5)": lambda one: one.bpref(0.5, "R"),
    "bpref_N(rel=1.5)": lambda one: one.bpref(1.5, "N"),
    "infAP(rel=1.5)": lambda one: one.inferred_ap(1.5),
    "RBP(p=0.5, max_level=6.5)": lambda one: one.rbp(0.5, top=6.5),
    "ERR(max_level=6.5)": lambda one: one.err(top=6.5),
}
ABOVE = {"gain": lambda level: float(level >= 1.5)}
UNEVEN_REAL = {"gain": {0.5: 3.0, 1: 0.0, 1.5: 1.0, 2.25: 0.5, 4: 9.0}.get}
QUANTISED_REAL = {
    name: (literal, options)
    for name, (literal, options) in QUANTISED.items()
    if "exponential" in name or name == "RBP(p=0.8, rel=2)"
} | {
    "nDCG(gains=binary(rel=1.5))@5": (lambda one: one.ndcg(5), ABOVE),
    "RBP(p=0.8, rel=1.5)": (lambda one: one.rbp(0.8), ABOVE),
    "nDCG(gains={0.5:3, 1:0, 1.5:1, 2.25:0.5, 4:9})": (Literal.ndcg, UNEVEN_REAL),
}


def asks_for_a_threshold(name):
    """Say whether a measure has one that is not given."""
    return "rel=" not in name and BUILTIN[name.split("(")[0].split("@")[0]].parameters.get("rel") is not None


BY_NUMBER = {
    **{
        name: (literal, {})
        for name, literal in (MEASURES | REAL).items()
        if name.startswith("RBP") or not asks_for_a_threshold(name)
    },
    **QUANTISED_REAL,
}


def condensed_name(name):
    """Put the prime after the measure's word."""
    word = name.split("(")[0].split("@")[0]
    return word + "'" + name[len(word) :]


@st.composite
def collections(draw):
    """Two systems and two topics; every level from -2 to 4 occurs in the draw, level 4 in topic 1 always."""
    rankings = {"a": {}, "b": {}}
    qrels = {}
    for topic in ("1", "2"):
        levels = draw(st.lists(st.integers(-2, 4), min_size=1, max_size=14))
        qrels[topic] = {f"d{number}": level for number, level in enumerate([4 if topic == "1" else 1, *levels])}
        names = [*qrels[topic], *(f"u{number}" for number in range(draw(st.integers(0, 6))))]
        for lists in rankings.values():
            lists[topic] = draw(st.permutations(names))[: draw(st.integers(1, len(names)))]
    return rankings, qrels


@settings(max_examples=150)
@given(made=collections())
def test_every_measure_equals_its_printed_definition(made):
    """Kernels give what the formulas give, on the full and on the condensed list, for every level and cutoff."""
    rankings, qrels = made
    collection = collection_from_rankings(rankings, qrels)
    names = [*ALL, *(condensed_name(name) for name in ALL if not name.startswith("Judged"))]
    values = metric_values(collection, METRICS)
    assert len(values) == len(names)
    for name, scores in zip(names, values, strict=True):
        literal, options = ALL[name.replace("'", "")]
        for row, system in enumerate(("a", "b")):
            for column, topic in enumerate(("1", "2")):
                one = Literal(rankings[system][topic], qrels[topic], top=4, condensed="'" in name, **options)
                try:
                    expected = literal(one)
                except ZeroDivisionError:  # nothing relevant, or no list
                    expected = 0.0
                assert scores[row, column] == pytest.approx(expected, abs=1e-12), (name, system, topic)


METRICS = resolve_metrics(
    [*ALL, *(condensed_name(name) for name in ALL if not name.startswith("Judged"))], registry=BUILTIN
)


def test_every_built_in_measure_has_a_literal_version():
    """No measure of documents is left out above."""
    covered = {name.split("(")[0].split("@")[0] for name in ALL}
    assert {spec.name for spec in BUILTIN if spec.on == "documents" and not spec.subtopics} == covered


def test_reduced_judgments_are_scored_like_qrels_that_were_read_that_way():
    """Re-judging with -1 and NOT_POOLED equals a collection made from the reduced qrels, but for the top level."""
    rng = np.random.default_rng(3)
    names = [f"d{number}" for number in range(40)]
    levels = dict(zip(names, rng.integers(0, 5, 40).tolist(), strict=True)) | {"d0": 4}
    rankings = {"a": {"1": rng.permutation(names)[:30].tolist()}, "b": {"1": rng.permutation(names).tolist()}}
    full = collection_from_rankings(rankings, {"1": levels})
    reduced = {name: level for name, level in levels.items() if name == "d0" or rng.random() < 0.4}
    dropped = np.array([name not in reduced for name in full.documents("1")])
    for mark, kept in ((-(2**15), {}), (-1, dict.fromkeys(set(names) - set(reduced), -1))):
        again = full.rejudge(np.where(dropped, mark, full.levels))
        fresh = collection_from_rankings(rankings, {"1": reduced | kept})
        assert np.array_equal(metric_values(again, METRICS), metric_values(fresh, METRICS))


@st.composite
def really_graded(draw):
    """Take a drawn collection with other grades for its levels, not all whole; 4 always occurs."""
    rankings, qrels = draw(collections())
    grades = {-2: -1.5, -1: -1.0, 0: 0.0, 1: 0.5, 2: 1.5, 3: 2.25, 4: 4.0}
    return rankings, {topic: {name: grades[level] for name, level in part.items()} for topic, part in qrels.items()}


@settings(max_examples=60)
@given(made=really_graded())
def test_real_grades_are_scored_by_their_numbers(made):
    """Gains take the number, thresholds compare with it, while kernels see codes."""
    rankings, qrels = made
    values = metric_values(collection_from_rankings(rankings, qrels), METRICS_BY_NUMBER)
    for name, scores in zip(BY_NUMBER, values, strict=True):
        literal, options = BY_NUMBER[name]
        for row, system in enumerate(("a", "b")):
            for column, topic in enumerate(("1", "2")):
                try:
                    expected = literal(Literal(rankings[system][topic], qrels[topic], top=4.0, **options))
                except ZeroDivisionError:
                    expected = 0.0
                assert scores[row, column] == pytest.approx(expected, abs=1e-12), (name, system, topic)


METRICS_BY_NUMBER = resolve_metrics(list(BY_NUMBER), registry=BUILTIN)


def test_every_built_in_measure_has_a_form_for_real_grades():
    """None is left out above, and each says that its kernel takes codes."""
    specs = [spec for spec in BUILTIN if spec.on == "documents" and not spec.subtopics]
    assert {name.split("(")[0].split("@")[0] for name in BY_NUMBER} == {spec.name for spec in specs}
    assert all(spec.real_grades for spec in specs)
