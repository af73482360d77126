"""Every measure of passages against a version that walks through documents character by character."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.collection.documents import UNJUDGED
from metaeval.inex.measures import best_entry, in_context
from metaeval.inex.measures import interpolated_precision as focused
from metaeval.inex.measures.passage_lists import passage_lists

SIZE = 24


@st.composite
def topics(draw):
    """Draw three documents with passages, and results anywhere in them or in a fourth that nobody judged."""
    judged = {}
    for name in ("d1", "d2", "d3"):
        edges = sorted(draw(st.lists(st.integers(0, SIZE), unique=True, max_size=6)))
        pairs = list(zip(edges[::2], edges[1::2], strict=False))
        judged[name] = (pairs, draw(st.integers(-1, SIZE)))
    if not any(pairs for pairs, _ in judged.values()):
        judged["d1"] = ([(3, 9)], 3)
    places = st.tuples(st.sampled_from(["d1", "d2", "d3", "dX"]), st.integers(0, SIZE - 1), st.integers(1, 9))
    found = [(name, start, min(length, SIZE - start)) for name, start, length in draw(st.lists(places, min_size=1))]
    return judged, found


def good_characters(judged, name):
    pairs, _ = judged.get(name, ([], -1))
    return {place for start, stop in pairs for place in range(start, stop)}


def without_overlap(found):
    seen, kept = {}, []
    for name, start, length in found:
        own = set(range(start, start + length))
        if not own & seen.get(name, set()):
            kept.append((name, start, length))
            seen[name] = seen.get(name, set()) | own
    return kept


def by_article(found):
    articles = {}
    for one in found:
        articles.setdefault(one[0], []).append(one)
    return articles


def compiled(passages, judged, found):
    lines = []
    for name, (pairs, best) in judged.items():
        size = len(good_characters(judged, name))
        lines.append(f"T1 Q0 {name} {size} {SIZE} {best if pairs else -1}")
        lines[-1] += "".join(f" {start}:{stop - start}" for start, stop in pairs)
    return passages.collection(", ".join(f"T1 {n} {a} {m}" for n, a, m in found), qrels="\n".join(lines))


def read_text(judged, found, rule):
    """Return (relevant characters, characters) after every result."""
    seen, relevant, read, after = {}, 0, 0, []
    for name, start, length in found:
        own = set(range(start, start + length))
        new = own - seen.get(name, set())
        seen[name] = seen.get(name, set()) | own
        good = good_characters(judged, name)
        counted = own if rule == "refuse" or (rule == "thorough" and not good) else new
        relevant += len(counted & good)
        read += len(counted)
        after.append((relevant, read))
    return after


def interpolated(judged, found, rule, hundredths):
    total = sum(len(good_characters(judged, name)) for name in judged)
    after = read_text(judged, found, rule)
    return max((good / read for good, read in after if read and 100 * good >= hundredths * total), default=0.0)


def article_score(judged, results, mode, setting):
    name = results[0][0]
    good = good_characters(judged, name)
    if mode == "best":
        best = judged[name][1]
        away = abs(results[0][1] - best)
        return (setting - away) / setting if best >= 0 and away <= setting else 0.0
    shown = [place for _, start, length in results for place in range(start, start + length)]
    if mode == "relevant":
        found = len(set(shown) & good)
        if not found:
            return 0.0
        precision, recall = found / len(shown), found / len(good)
        return (1 + setting**2) * precision * recall / (setting**2 * precision + recall)
    in_order = [
        place for _, start, length in sorted(results, key=lambda one: one[1]) for place in range(start, start + length)
    ]
    right = wrong = 0
    for place in in_order + [place for place in range(SIZE) if place not in set(shown)]:
        if place in good:
            right += 1
        else:
            wrong += 1
        if wrong == setting:
            break
    return right / (right + wrong) if right else 0.0


def generalised(judged, found, mode, setting):
    """Return gP after every article, and which articles are relevant."""
    precisions, relevant, total = [], [], 0.0
    for rank, (name, results) in enumerate(by_article(found).items(), 1):
        good = bool(good_characters(judged, name))
        total += article_score(judged, results, mode, setting) if good else 0.0
        precisions.append(total / rank)
        relevant.append(good)
    return precisions, relevant


@given(topics(), st.sampled_from(["refuse", "thorough", "uniform"]), st.integers(0, 100))
def test_precision_and_recall_in_characters(passages, topic, rule, hundredths):
    """iP, AiP and the shares of characters and articles are those of a walk through the text."""
    judged, found = topic
    found = without_overlap(found) if rule == "refuse" else found
    lists = passage_lists(compiled(passages, judged, found))
    expected = interpolated(judged, found, rule, hundredths)
    assert focused.interpolated_precision(lists, k=hundredths / 100, overlap=rule).item() == pytest.approx(expected)
    average = np.mean([interpolated(judged, found, rule, point) for point in range(101)])
    assert focused.average_interpolated_precision(lists, overlap=rule).item() == pytest.approx(average)
    relevant, read = read_text(judged, found, rule)[-1]
    total = sum(len(good_characters(judged, name)) for name in judged)
    assert focused.character_precision(lists, overlap=rule).item() == pytest.approx(relevant / read)
    assert focused.character_recall(lists, overlap=rule).item() == pytest.approx(relevant / total)
    assert focused.character_f1(lists, overlap=rule).item() == pytest.approx(2 * relevant / (read + total))
    good = {name for name in judged if good_characters(judged, name)}
    shown = {name for name, _, _ in found}
    assert focused.article_precision(lists).item() == pytest.approx(len(good & shown) / len(shown))
    assert focused.article_recall(lists).item() == pytest.approx(len(good & shown) / len(good))


@given(topics(), st.sampled_from(["relevant", "best", "t2i"]), st.integers(1, 30), st.integers(1, 5))
def test_generalised_precision_of_articles(passages, topic, mode, setting, rank):
    """gP, gR, AgP and the curve are those of a walk through articles and their text, in every mode."""
    judged, found = topic
    found = [one for results in by_article(without_overlap(found)).values() for one in results]
    if mode == "best":
        found = [results[0] for results in by_article(found).values()]
    collection = compiled(passages, judged, found)
    lists = passage_lists(collection)
    option = {"relevant": "beta", "best": "n", "t2i": "tol"}[mode]
    options = {"mode": mode, option: setting / 8 if mode == "relevant" else setting}
    precisions, relevant = generalised(judged, found, mode, options[option])
    n_relevant = sum(bool(pairs) for pairs, _ in judged.values())
    expected = sum(value for value, good in zip(precisions, relevant, strict=True) if good) / n_relevant
    assert in_context.average_generalised_precision(lists, **options).item() == pytest.approx(expected)
    last = min(rank, len(precisions))
    assert in_context.generalised_precision(lists, k=rank, **options).item() == pytest.approx(precisions[last - 1])
    padded = in_context.generalised_precision(lists, k=rank, pad="zero", **options).item()
    assert padded == pytest.approx(precisions[last - 1] * last / rank)
    assert in_context.generalised_recall(lists, k=rank).item() == pytest.approx(sum(relevant[:rank]) / n_relevant)
    counts = np.cumsum(relevant)
    curve = in_context.generalised_precision_curves(collection, **options).to_numpy().ravel()
    for tenth in range(11):
        reached = [value for value, count in zip(precisions, counts, strict=True) if 10 * count >= tenth * n_relevant]
        assert curve[tenth] == pytest.approx(max(reached, default=0.0))


@given(topics(), st.integers(1, 12), st.integers(1, 6))
def test_entry_points(passages, topic, tolerance, rank):
    """BEPD and T2I hits are those of a reader who walks on from every entry point."""
    judged, found = topic
    lists = passage_lists(compiled(passages, judged, found))
    hits = 0
    for name, start, _ in found[:rank]:
        good = good_characters(judged, name)
        hits += any(place in good for place in range(start, start + tolerance))
    assert best_entry.tolerated_hits(lists, k=rank, tol=tolerance).item() == pytest.approx(hits / rank)
    firsts = [results[0] for results in by_article(found).values()]
    lists = passage_lists(compiled(passages, judged, firsts))
    near = [
        10 / (10 + abs(start - judged[name][1]))
        for name, start, _ in firsts
        if good_characters(judged, name) and judged[name][1] >= 0
    ]
    n_relevant = sum(bool(pairs) for pairs, _ in judged.values())
    distance = best_entry.best_entry_point_distance(lists, A=0.1, mean_length=100)
    assert distance.item() == pytest.approx(sum(near) / n_relevant)


@given(topics(), st.sampled_from(["thorough", "uniform"]), st.sampled_from(["d1", "d2", "d3"]))
def test_a_document_without_judgment_is_one_without_passages(passages, topic, rule, dropped):
    """Reducing judgments by a document gives what assessments without that document give."""
    judged, found = topic
    less = {name: text for name, text in judged.items() if name != dropped}
    if not any(pairs for pairs, _ in less.values()):
        return
    collection = compiled(passages, judged, found)
    levels = collection.by_document.full_levels.copy()
    levels[sorted(judged).index(dropped)] = UNJUDGED
    reduced = passage_lists(collection.rejudge(levels))
    alone = passage_lists(compiled(passages, less, found))
    for measure in (focused.average_interpolated_precision, focused.character_f1):
        assert measure(reduced, overlap=rule).item() == pytest.approx(measure(alone, overlap=rule).item())
    assert focused.article_f1(reduced).item() == pytest.approx(focused.article_f1(alone).item())
    assert reduced.n_relevant().tolist() == alone.n_relevant().tolist()
    hits = [best_entry.tolerated_hits(lists, k=5, tol=4).item() for lists in (reduced, alone)]
    assert hits[0] == pytest.approx(hits[1])


@given(topics())
def test_returning_the_highlighted_passages_is_perfect(passages, topic):
    """A run of exactly the highlighted passages scores 1, and nothing scores more."""
    judged, found = topic
    ideal = [(name, start, stop - start) for name, (pairs, _) in judged.items() for start, stop in pairs]
    best = passage_lists(compiled(passages, judged, ideal))
    other = passage_lists(compiled(passages, judged, without_overlap(found)))
    grouped = [one for results in by_article(without_overlap(found)).values() for one in results]
    in_order = passage_lists(compiled(passages, judged, grouped))
    for measure, lists in (
        (focused.average_interpolated_precision, other),
        (focused.character_f1, other),
        (focused.article_f1, other),
        (in_context.average_generalised_precision, in_order),
    ):
        assert measure(best).item() == pytest.approx(1)
        assert -1e-12 <= measure(lists).item() <= 1 + 1e-12


@given(topics())
def test_interpolated_precision_never_rises_with_recall(passages, topic):
    """Precision never rises from one recall point to the next, and useless results at the end change nothing."""
    judged, found = topic
    kept = without_overlap(found)
    curve = focused.interpolated_precision_curves(compiled(passages, judged, kept)).to_numpy().ravel()
    assert (np.diff(curve) <= 0).all()
    longer = focused.interpolated_precision_curves(compiled(passages, judged, [*kept, ("dY", 0, 9)]))
    assert longer.to_numpy().ravel().tolist() == curve.tolist()
