"""Every measure of elements against a slow version that follows the words of its definition, on random small trees."""

# ruff: noqa: D102, N803, E741 - the methods of Literal are the definitions, in their letters

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.collection.documents import CollectionWarning
from metaeval.inex.assessments import Assessments, Submission
from metaeval.inex.elements import element_collection
from metaeval.inex.measures.overlap import run_overlap
from metaeval.metrics import BUILTIN, metric_values

pytestmark = pytest.mark.usefixtures("one_core")

SOG = {(1, 1): 0.1, (1, 2): 0.25, (1, 3): 0.75, (2, 1): 0.1, (2, 2): 0.5, (2, 3): 0.9, (3, 1): 0.25, (3, 2): 0.75}
SOG[3, 3] = 1.0
GEN = {(1, 1): 0.25, (1, 2): 0.25, (1, 3): 0.5, (2, 1): 0.5, (2, 2): 0.5, (2, 3): 0.75, (3, 1): 0.75, (3, 2): 0.75}
GEN[3, 3] = 1.0
NAMES = [("nxCG", "@1"), ("nxCG", "@25"), ("MAnxCG", "@10"), ("nxCGpercent", ""), ("MAep", ""), ("iMAep", "")]
NAMES += [("xQ", ""), ("xR", "")]


def inside(outer, inner):
    """Say whether (document, path) `inner` lies inside `outer`."""
    return outer[0] == inner[0] and inner[1].startswith(outer[1] + "/")


class Literal:
    """One list on one topic. `grades` maps (document, path) to (e, s), `sizes` and `marked` to characters."""

    def __init__(self, results, grades, sizes, marked, q, *, alpha=1.0, normalise=True, tie="deeper"):
        self.results, self.grades, self.sizes, self.marked, self.q = results, grades, sizes, marked, q
        self.alpha, self.normalise, self.tie = alpha, normalise, tie
        self.tree = {c for c, (e, s) in grades.items() if s > 0 and (e > 0 or (e == -1 and q(c) > 0))}

    def children(self, c):
        below = [x for x in self.tree if inside(c, x)]
        return [x for x in below if not any(inside(y, x) for y in below)]

    def ideal_base(self):
        chosen = set()
        for leaf in self.tree:
            if any(inside(leaf, x) for x in self.tree):
                continue
            path = sorted((x for x in self.tree if x == leaf or inside(x, leaf)), key=lambda x: len(x[1]))
            top = max(self.q(x) for x in path)
            best = [x for x in path if self.q(x) == top]
            if top > 0:
                chosen.add(best[-1] if self.tie == "deeper" else best[0])
        return {c for c in chosen if not any(inside(d, c) for d in chosen)}

    def fully_seen(self, c, before):
        return any(b == c or inside(b, c) for b in before)

    def rv(self, c, before):
        if self.fully_seen(c, before):
            return (1 - self.alpha) * self.q(c)
        if any(inside(c, b) for b in before):
            if c not in self.tree:
                return self.q(c)
            parts = [self.rv(m, before) * self.sizes[m] for m in sorted(self.children(c), key=lambda x: x[1])]
            return self.alpha * math.fsum(parts) / self.sizes[c] + (1 - self.alpha) * self.q(c)
        return self.q(c)

    def gains(self):
        base = self.ideal_base()
        got = dict.fromkeys(base, 0.0)
        found = []
        for place, c in enumerate(self.results):
            gain = self.rv(c, self.results[:place])
            around = [d for d in base if d == c or inside(d, c)]
            if self.normalise and around:
                gain = min(gain, max(0, self.q(around[0]) - got[around[0]]))
                got[around[0]] += gain
            found.append(gain if gain > 1e-12 else 0.0)
        return found

    def thorough_gains(self):
        return [0.0 if c in self.results[:i] else self.q(c) for i, c in enumerate(self.results)]

    def ideal(self):
        return sorted((self.q(c) for c in self.ideal_base()), reverse=True)

    def thorough_ideal(self):
        return sorted((self.q(c) for c in self.grades if self.q(c) > 0), reverse=True)

    # measures, given G and I

    def nxcg(self, G, I, k):
        return sum(G[:k]) / sum(I[:k])

    def manxcg(self, G, I, k):
        return sum(self.nxcg(G, I, j) for j in range(1, k + 1)) / k

    def percent(self, G, I, points, n_ranks):
        return sum(self.nxcg(G, I, -(-p * n_ranks // points)) for p in range(1, points + 1)) / points

    def ranks_of_ideal(self, I, r):
        reached = [i for i in range(1, len(I) + 1) if sum(I[:i]) >= r * (1 - 1e-12)]
        return reached[0] if reached else len(I)

    def maep(self, G, I):
        natural = [i for i in range(1, len(G) + 1) if G[i - 1] > 0]
        return sum(self.ranks_of_ideal(I, sum(G[:i])) / i for i in natural) / max(len(I), len(natural))

    def imaep(self, G, I, points):
        total = 0.0
        for j in range(1, points + 1):
            r = j / points * sum(I)
            reached = [i for i in range(1, len(G) + 1) if sum(G[:i]) >= r * (1 - 1e-12)]
            total += self.ranks_of_ideal(I, r) / reached[0] if reached else 0.0
        return total / points

    def blended(self, G, I, i):
        return (sum(G[:i]) + sum(g > 0 for g in G[:i])) / (sum(I[:i]) + i)

    def xq(self, G, I):
        natural = [i for i in range(1, len(G) + 1) if G[i - 1] > 0]
        return sum(self.blended(G, I, i) for i in natural) / max(len(I), len(natural))

    def xr(self, G, I):
        return self.blended(G, I, len(I))

    def inex2002(self, ties, *, indicator=False, ceil=False, n_elements=None, points=100):
        n = sum(self.q(c) for c in self.grades)
        ranks, q = {}, self.thorough_gains()
        for group, value in zip(ties, q, strict=True):
            rel, non = ranks.get(group, (0.0, 0.0))
            ranks[group] = rel + value, non + ((value == 0) if indicator else 1 - value)
        ranks = [ranks[group] for group in sorted(ranks)]
        if n_elements is not None:
            left = max(n - sum(rel for rel, _ in ranks), 0)
            ranks.append((left, n_elements - len(q) - left))
        total = 0.0
        for point in range(1, points + 1):
            wanted = point / points * n
            needed = math.ceil(wanted - 1e-9 * n) if ceil else wanted
            reached = [i for i in range(1, len(ranks) + 1) if sum(rel for rel, _ in ranks[:i]) >= needed - 1e-9 * n]
            if reached:
                above = ranks[: reached[0] - 1]
                rel, non = ranks[reached[0] - 1]
                esl = sum(other for _, other in above)
                esl += (needed - sum(other for other, _ in above)) * non / (rel + 1)
                total += wanted / (wanted + esl)
        return total / points

    def text_not_in(self, c, before, amount):
        """Return how much of `amount` (sizes or highlights) of c no earlier result has, on trees of whole elements."""
        if self.fully_seen(c, before):
            return 0
        below = [b for b in set(before) if inside(c, b)]
        return amount[c] - sum(amount[b] for b in below if not any(inside(x, b) for x in below))

    def inex_ng(self, *, overlap=True, strict=False):
        def share(grade):
            return float(grade == 3) if strict else grade / 3

        base = sum(share(e) for e, _ in self.grades.values())
        found = good = read = 0.0
        points = []
        for i, c in enumerate(self.results):
            e, s = self.grades.get(c, (0, 0))
            fresh = self.text_not_in(c, self.results[:i], self.sizes) if overlap else self.sizes[c]
            found += share(e) * fresh / self.sizes[c]
            good += share(s) * fresh
            read += fresh
            points.append((found / base, good / read if read else 0.0))
        levels = [j / 100 for j in range(1, 101)]
        return sum(max((p for r, p in points if r >= x - 1e-9), default=0.0) for x in levels) / 100

    def hixeval(self, k, whole):
        shown = found = 0.0
        for i, c in enumerate(self.results[:k]):
            again = self.marked[c] - self.text_not_in(c, self.results[:i], self.marked)
            found += self.marked[c] - self.alpha * again
            shown += self.sizes[c]
        P, R = found / shown if shown else 0.0, found / whole
        return P, R, 2 * P * R / (P + R) if P + R else 0.0

    def overlap(self, *, either=False):
        own = set(self.results)
        around = {c for c in own if any(inside(d, c) or (either and inside(c, d)) for d in own)}
        return len(around) / len(own)


@st.composite
def worlds(draw, *, scale):
    """Draw documents as trees of elements with sizes that add up, some assessed, and a run over all of them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    grades, sizes, marked = {}, {}, {}
    for document in ("d1", "d2")[: draw(st.integers(1, 2))]:
        grow(rng, (document, "/a[1]"), 1, sizes)
        for c in sorted(sizes, key=lambda c: -len(c[1])):
            below = [x for x in sizes if inside(c, x) and x[1].count("/") == c[1].count("/") + 1]
            text = sizes[c] - sum(sizes[x] for x in below)
            own = int(rng.integers(0, text + 1)) if rng.random() < 0.5 else text * int(rng.random() < 0.5)
            marked[c] = own + sum(marked[x] for x in below)
    for c, size in sizes.items():
        if scale == "2003" and rng.random() < 0.8:
            grades[c] = (int(rng.integers(1, 4)), int(rng.integers(1, 4)))
        elif scale == "2005" and marked[c] > 0:
            grades[c] = (int(rng.choice([-1, 1, 2])), marked[c] / size)
    everything = sorted(sizes)
    results = [everything[place] for place in rng.integers(0, len(everything), draw(st.integers(1, 12)))]
    return grades, sizes, marked, results, np.cumsum(rng.random(len(results)) < 0.6).tolist()


def grow(rng, node, depth, sizes):
    """Put a node and what is inside it into `sizes`; every node has text of its own."""
    own = int(rng.integers(1, 50))
    for number in range(int(rng.integers(0, 4)) if depth < 4 else 0):
        child = (node[0], f"{node[1]}/{'bc'[number % 2]}[{number + 1}]")
        own += grow(rng, child, depth + 1, sizes)
    sizes[node] = own
    return own


def compiled(world, scale, **more):
    """Compile a world, with a second run and topic so that places differ from zero, and with further lists."""
    grades, sizes, marked, results, ties = world
    rows = [
        {"topic": topic, "document": d, "path": p, "exhaustivity": e, "specificity": float(s), "size": sizes[d, p]}
        | {"relevant_size": marked[d, p] if scale == "2005" else -1}
        for topic in ("7", "9")
        for (d, p), (e, s) in grades.items()
    ]
    names = sorted({d for d, _ in sizes})
    documents = pd.DataFrame([{"topic": topic, "document": d} for topic in ("7", "9") for d in names]).assign(
        relevant_size=[marked[d, "/a[1]"] if scale == "2005" else -1 for _ in range(2) for d in names]
    )
    table = pd.DataFrame([{"document": d, "path": p, "size": size} for (d, p), size in sizes.items()])
    columns = ["topic", "document", "path", "exhaustivity", "specificity", "size", "relevant_size"]
    lists = pd.DataFrame([{"topic": "9", "document": d, "path": p} for d, p in results]).assign(rsv=[-t for t in ties])
    other = pd.DataFrame([{"topic": topic, "document": d, "path": p} for topic in ("7", "9") for d, p in results[::-1]])
    further = [
        Submission(run=name, results=pd.DataFrame([{"topic": "9", "document": d, "path": p} for d, p in places]))
        for name, places in more.items()
    ]
    with warnings.catch_warnings():  # drawn grades need not be consistent, and lenient=True says so
        warnings.simplefilter("ignore", CollectionWarning)
        return element_collection(
            [Submission(run="other", results=other), Submission(run="own", results=lists), *further],
            Assessments(scale=scale, documents=documents, elements=pd.DataFrame(rows, columns=columns)),
            sizes=table,
            lenient=True,
        )


def scored(world, scale, names):
    """Score the run on its topic."""
    return metric_values(compiled(world, scale), names)[:, 1, 1].tolist()


OPTIONS = st.tuples(st.sampled_from([0.0, 0.3, 1.0]), st.booleans(), st.sampled_from(["deeper", "higher"]))


def check_gains(world, scale, quantisations, options):
    """Compare everything that is computed from gains, focused and thorough."""
    expected = {}
    for quant, q in quantisations.items():
        expected |= literal_gains(world, quant, q, options)
    if expected:
        values = dict(zip(expected, scored(world, scale, list(expected)), strict=True))
        assert values == pytest.approx(expected, abs=1e-9), world


def literal_gains(world, quant, q, options):
    """Return the values of one quantisation by name, as far as anything is worth something."""
    alpha, normalise, tie = options
    grades, sizes, marked, results, _ = world
    literal = Literal(results, grades, sizes, marked, q, alpha=alpha, normalise=normalise, tie=tie)
    expected = {}
    inside_name = f"quant={quant}, alpha={alpha}, normalise={normalise}, tie={tie}"
    for written, G, I in (
        (inside_name, literal.gains(), literal.ideal()),
        (f"quant={quant}, task=thorough", literal.thorough_gains(), literal.thorough_ideal()),
    ):
        if not I:
            break
        expected |= {
            f"nxCG({written})@1": literal.nxcg(G, I, 1),
            f"nxCG({written})@3": literal.nxcg(G, I, 3),
            f"nxCG({written})@25": literal.nxcg(G, I, 25),
            f"MAnxCG({written})@4": literal.manxcg(G, I, 4),
            f"MAnxCG({written})@30": literal.manxcg(G, I, 30),
            f"nxCGpercent({written})": literal.percent(G, I, 10, len(I)),
            f"nxCGpercent({written}, points=7)": literal.percent(G, I, 7, len(I)),
            f"nxCGpercent({written}, ranks=longest)": literal.percent(G, I, 10, max(len(G), len(I))),
            f"MAep({written})": literal.maep(G, I),
            f"iMAep({written})": literal.imaep(G, I, 100),
            f"iMAep({written}, points=10)": literal.imaep(G, I, 10),
            f"xQ({written})": literal.xq(G, I),
            f"xR({written})": literal.xr(G, I),
        }
    return expected


@given(worlds(scale="2003"), OPTIONS)
def test_gains_on_grades(world, options):
    """nxCG, MAnxCG, MAep, iMAep, Q and R with graded assessments."""
    quantisations = {
        "SOG": lambda c: SOG.get(world[0].get(c), 0.0),
        "Strict4": lambda c: float(world[0].get(c) == (3, 3)),
    }
    check_gains(world, "2003", quantisations, options)


@given(worlds(scale="2005"), OPTIONS)
def test_gains_on_highlighted_text(world, options):
    """The same with shares of highlighted text and elements that are too small."""

    def value(c, weight):
        e, s = world[0].get(c, (0, 0.0))
        return weight(e) * s if s > 0 else 0.0

    quantisations = {
        "Gen5": lambda c: value(c, lambda e: max(e, 0) / 2),
        "GenLifted": lambda c: value(c, lambda e: (max(e, 0) + 1) / 3),
    }
    check_gains(world, "2005", quantisations, options)


@given(worlds(scale="2003"), st.sampled_from([None, 60]))
def test_precall(world, n_elements):
    """Both readings of non-relevance, both steps, with and without a last rank for the rest of the collection."""
    grades, sizes, marked, results, ties = world
    literal = Literal(results, grades, sizes, marked, lambda c: SOG.get(grades.get(c), 0.0))
    if not literal.thorough_ideal():
        return
    size = "" if n_elements is None else f", n_elements={n_elements}"
    expected = {
        f"inex2002(quant=SOG{size})": literal.inex2002(ties, n_elements=n_elements),
        f"inex2002(quant=SOG, step=ceil{size})": literal.inex2002(ties, n_elements=n_elements, ceil=True),
        f"inex2002(quant=SOG, nonrel=indicator, points=11{size})": literal.inex2002(
            ties, n_elements=n_elements, indicator=True, points=11
        ),
    }
    assert scored(world, "2003", list(expected)) == pytest.approx(list(expected.values()), abs=1e-9)


@given(worlds(scale="2003"))
def test_text_seen_once(world):
    """inex_eval_ng, with overlap considered or not, generalised or strict."""
    grades, sizes, marked, results, _ = world
    literal = Literal(results, grades, sizes, marked, lambda _: 0.0)
    if not grades:
        return
    expected = {"inexNG": literal.inex_ng(), "inexNG(overlap=False)": literal.inex_ng(overlap=False)}
    if any(e == 3 for e, _ in grades.values()):
        expected["inexNG(strict=True)"] = literal.inex_ng(strict=True)
    assert scored(world, "2003", list(expected)) == pytest.approx(list(expected.values()), abs=1e-9)


@given(worlds(scale="2005"), st.sampled_from([0.0, 0.5, 1.0]))
def test_highlighted_characters(world, alpha):
    """HiXEval at a cutoff and over the whole list."""
    grades, sizes, marked, results, _ = world
    whole = sum(amount for (_, path), amount in marked.items() if path == "/a[1]")
    if not whole:
        return
    literal = Literal(results, grades, sizes, marked, lambda _: 0.0, alpha=alpha)
    names = [f"HiX{letter}(alpha={alpha}){cutoff}" for cutoff in ("@3", "") for letter in "PRF"]
    expected = [*literal.hixeval(3, whole), *literal.hixeval(None, whole)]
    assert scored(world, "2005", names) == pytest.approx(expected, abs=1e-9)


@given(worlds(scale="2003"))
def test_overlap_of_a_run(world):
    """Inside another result, or in either direction."""
    literal = Literal(world[3], *world[:3], lambda _: 0.0)
    collection = compiled(world, "2003")
    found = run_overlap(collection).sel(system="own", topic="9").item()
    assert found == pytest.approx(literal.overlap())
    assert np.isnan(run_overlap(collection).sel(system="own", topic="7"))
    either = run_overlap(collection, how="either").sel(system="own", topic="9").item()
    assert either == pytest.approx(literal.overlap(either=True))


@given(worlds(scale="2003"), st.sampled_from(["SOG", "Strict4", "Gen4"]))
def test_laws_of_gains(world, quant):
    """An ideal list scores 1; inside ideal elements no list outdoes it; without overlap MAep stays at or below 1."""
    q = {"SOG": SOG.get, "Strict4": lambda pair, _: float(pair == (3, 3)), "Gen4": GEN.get}[quant]
    grades, sizes, marked, results, _ = world
    literal = Literal(results, grades, sizes, marked, lambda c: q(grades.get(c), 0.0))
    best = sorted(literal.ideal_base(), key=lambda c: (-literal.q(c), c))
    if not best:
        return
    within = [c for c in results if c in best or any(inside(d, c) for d in best)] or best
    once = sorted({c for c in sizes if literal.q(c) > 0}, key=lambda c: (-literal.q(c), c))
    collection = compiled(world, "2003", perfect=best, whole=once, within=within)
    assert list(collection.systems) == ["other", "own", "perfect", "whole", "within"]
    focused, thorough, (last,) = (
        metric_values(collection, names)[:, :, 1]
        for names in (
            [f"{name}(quant={quant}){cutoff}" for name, cutoff in NAMES],
            [f"{name}(quant={quant}, task=thorough){cutoff}" for name, cutoff in NAMES],
            [f"nxCG(quant={quant})@100"],
        )
    )
    assert focused[:, 2] == pytest.approx(1.0, abs=1e-9)
    assert last[4] <= 1 + 1e-9
    assert thorough[:, 1].max() <= 1 + 1e-9
    assert thorough[:, 3] == pytest.approx(1.0, abs=1e-9)


def test_every_measure_of_elements_has_a_literal_version():
    """None is left out above."""
    covered = {name for name, _ in NAMES} | {"inex2002", "inexNG", "HiXP", "HiXR", "HiXF"}
    assert {spec.name for spec in BUILTIN if spec.on == "elements"} == covered
