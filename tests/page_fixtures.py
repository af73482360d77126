"""Studies of judges, and the words of a page."""

import html
import re
from functools import cache

import numpy as np
import pytest

from metaeval.agreement.labels import as_labels
from metaeval.collection.assembly import collection_from_rankings
from metaeval.page.html import render_page
from metaeval.questions.judges.study import study_judges


@pytest.fixture(scope="session")
def words_of():
    """Return every word that a reader of a page sees outside its pictures, which take most of the time to draw."""

    def words(page, *, drawn=False):
        blank = None if drawn else {one.name: () for one in page.pictures()}
        return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", render_page(page, drawings=blank))).split())

    return words


@cache
def _judged_study(*, runs=True, people=True, groups=True, judges=("model", "hasty"), own_scale=False, reference="nist"):
    """Study a reference, two people and judges beside six runs of twenty topics; equal arguments, one study."""
    rng = np.random.default_rng(0)
    shares = {"nist": 0.0, "ann": 0.2, "ben": 0.3, "model": 0.15, "hasty": 0.7}
    items, labels, lists = [f"d{number}" for number in range(30)], {}, {f"r{place}": {} for place in range(6)}
    for topic in map(str, range(20)):
        levels = rng.choice(4, 30, p=[0.5, 0.25, 0.15, 0.1])
        for name, share in shares.items():
            own = np.where(rng.random(30) < share, rng.permutation(levels), levels)
            if name == "hasty" and own_scale:
                own = own * 10
            labels.setdefault(name, {})[topic] = dict(zip(items, own.tolist(), strict=True))
        for place, ranked in enumerate(lists.values()):
            order = np.argsort(-(levels * 0.35 * place + rng.normal(0, 1.0, 30)))
            ranked[topic] = [items[one] for one in order]
    chosen = ["nist", *(("ann", "ben") if people else ()), *judges]
    given = as_labels({name: labels[name] for name in chosen})
    highest = given.table.max(axis=1).astype(int)
    qrels = {topic: highest.xs(topic).to_dict() for topic in given.topics}
    return study_judges(
        given,
        collection=collection_from_rankings(lists, qrels) if runs else None,
        reference=reference,
        people=("ann", "ben") if people else (),
        groups=dict(zip(lists, "aaabbb", strict=True)) if groups and runs else None,
        metrics=["nDCG@10", "AP"] if runs else None,
        n_resamples=60,
        rng=0,
    )


@pytest.fixture(scope="session")
def judged_study():
    """Return a function that studies judges with and without runs, people, groups and a scale of one's own."""
    return _judged_study
