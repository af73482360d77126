"""A made INEX: lists, pools, files, and whether they look like what is published."""

from itertools import pairwise

import numpy as np
import pytest
from pandas.testing import assert_frame_equal

from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.inex.assessments import TOO_SMALL
from metaeval.inex.campaigns import CAMPAIGNS
from metaeval.inex.elements import element_collection
from metaeval.inex.measures.overlap import run_overlap
from metaeval.inex.passages import passage_collection
from metaeval.inex.paths import contains
from metaeval.inex.reading import read_assessments, read_element_sizes, read_submissions
from metaeval.inex.simulated_articles import make_articles
from metaeval.inex.simulated_runs import _best, _without_overlap, pool_of
from metaeval.inex.simulation import simulate_inex
from metaeval.metrics import score

SMALL = {"n_systems": 4, "n_topics": 3, "n_documents": 60, "n_results": 40, "relevant_documents": 8, "pool_size": 30}


def files_in(folder):
    """Return every file below a folder with its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def same(left, right):
    assert_frame_equal(left.drop(columns="line"), right.drop(columns="line"))


def results_by_list(submission):
    return [table for _, table in submission.results.groupby("topic")]


@pytest.mark.parametrize("year", CAMPAIGNS)
def test_files_of_every_year_are_read_strictly(year, tmp_path):
    """What is written is read back without an error or a warning, which also holds it to the rules of its scale."""
    made = simulate_inex(year=year, **SMALL, n_second=2, rng=year, published=False)
    folder = made.write_collection(tmp_path / "made", compress=year % 2 == 0)
    assert made.assessments.scale == CAMPAIGNS[year].scale
    for read, submission in zip(read_submissions(folder / "submissions"), made.submissions, strict=True):
        same(read.results, submission.results)
        assert (read.run, read.answered) == (submission.run, submission.answered)
    place = "qrels.txt" if year >= 2007 else ""
    for name, judged in (("assessments", made.assessments), ("second", made.second_assessments)):
        read = read_assessments(folder / name / place)
        assert read.scale == judged.scale
        for table in ("documents", "elements", "passages"):
            same(getattr(read, table), getattr(judged, table))
    sizes = next(folder.glob("sizes*"))
    assert_frame_equal(read_element_sizes(sizes), made.sizes)
    assert (folder / "groups.csv").read_text().splitlines()[1] == "team1-run1,team1"


def test_the_same_seed_writes_the_same_bytes(tmp_path):
    """Equal seeds give equal files; another seed does not; a folder in use is not touched."""
    first, again, other = (
        files_in(simulate_inex(**SMALL, rng=seed, published=False).write_collection(tmp_path / name))
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert first == again
    assert first != other
    with pytest.raises(InvalidOptionError, match="not empty"):
        simulate_inex(**SMALL, rng=1, published=False).write_collection(tmp_path / "a")


def test_focused_lists_do_not_overlap_and_thorough_ones_do():
    """By default every other run of 2005 lists no element twice, the others do not care."""
    made = simulate_inex(year=2005, **SMALL, rng=5, published=False)
    assert [one.task for one in made.submissions] == ["CO.Thorough", "CO.Focussed"] * 2
    for submission in made.submissions:
        nested = sum(
            contains(one, other)
            for table in results_by_list(submission)
            for _, paths in table.groupby("document")["path"]
            for one in paths
            for other in paths
        )
        assert (nested > 0) == (submission.task == "CO.Thorough")
        assert not submission.results.duplicated(["topic", "document", "path"]).any()


def test_passages_of_a_list_do_not_overlap():
    """From 2007 on focused results are spans of characters, disjoint in every document."""
    for submission in simulate_inex(year=2008, **SMALL, rng=5, published=False).submissions:
        for table in results_by_list(submission):
            for _, inside in table.groupby("document"):
                spans = sorted(zip(inside["offset"], inside["offset"] + inside["length"], strict=True))
                assert all(end <= start for (_, end), (start, _) in pairwise(spans))
        assert (submission.results["length"] > 0).all()


def test_lists_in_context():
    """Relevant in context keeps the results of an article together; best in context names each article once."""
    for submission in simulate_inex(year=2009, task="relevant-in-context", **SMALL, rng=6, published=False).submissions:
        for table in results_by_list(submission):
            changes = (table["document"] != table["document"].shift()).sum()
            assert changes == table["document"].nunique() < len(table)
    for submission in simulate_inex(year=2009, task="best-in-context", **SMALL, rng=6, published=False).submissions:
        assert not submission.results.duplicated(["topic", "document"]).any()
        assert (submission.results["length"] == -1).all()


def test_scores_fall_and_some_runs_hold_ties():
    """Ranks count from 1, scores never rise, and the coarse fourth group holds many ties."""
    made = simulate_inex(**SMALL | {"n_systems": 12}, rng=7, published=False)
    tied = []
    for submission in made.submissions:
        for table in results_by_list(submission):
            assert table["rank"].tolist() == list(range(1, len(table) + 1))
            assert (np.diff(table["rsv"]) <= 0).all()
        tied.append(np.mean([table["rsv"].duplicated().mean() for table in results_by_list(submission)]))
    assert np.min(tied[9:]) > 0.3 > np.max(tied[:9])


@pytest.mark.parametrize("seed", range(5))
def test_no_overlap_against_a_literal_search(seed):
    """The kernel keeps exactly the elements that a search through all kept ones lets through."""
    rng = np.random.default_rng(seed)
    articles = make_articles(rng, CAMPAIGNS[2005].template, 2, 100)
    ranked = rng.permutation(len(articles.paths))
    kept = []
    for place, element in enumerate(ranked):
        path, document = articles.paths[element], articles.document[element]
        others = [articles.paths[ranked[one]] for one in kept if articles.document[ranked[one]] == document]
        if len(kept) < 60 and not any(contains(path, other) or contains(other, path) for other in others):
            kept.append(place)
    assert _without_overlap(ranked, articles.last, articles.parent, 60).tolist() == kept


@pytest.mark.parametrize("n_best", [1, 10, 99, 100, 500])
def test_the_best_are_those_of_a_full_sort(n_best):
    """Looking only at the best gives the head of the sorted list, ties in the order of the elements."""
    rng = np.random.default_rng(n_best)
    seen, scores = np.sort(rng.permutation(1000)[:100]), rng.integers(0, 12, 100).astype(float)
    expected = sorted(range(100), key=lambda place: (-scores[place], seen[place]))
    assert _best(seen, scores, n_best)[:n_best].tolist() == expected[:n_best]


def test_pools_grow_in_rounds():
    """A pool holds whole rounds, one more document of every run each, and stops as soon as it is large enough."""

    class Articles:
        names = np.arange(9)
        document = np.arange(9)

    class Answer:
        def __init__(self, *documents):
            self.elements = np.array(documents)

    answers = [Answer(3, 3, 1, 2), Answer(3, 4, 5), Answer(8)]
    pools = {size: pool_of(Articles, answers, size).tolist() for size in (1, 2, 3, 4, 5, 99)}
    assert pools == {
        1: [3, 8],
        2: [3, 8],
        3: [1, 3, 4, 8],
        4: [1, 3, 4, 8],
        5: [1, 2, 3, 4, 5, 8],
        99: [1, 2, 3, 4, 5, 8],
    }


def test_only_pooled_documents_are_assessed():
    """Every assessed document was retrieved by a run; second assessments are of the same documents."""
    made = simulate_inex(year=2007, **SMALL, n_second=2, rng=8, published=False)
    retrieved = {tuple(row) for one in made.submissions for row in one.results[["topic", "document"]].to_numpy()}
    judged = made.assessments.documents
    assert {tuple(row) for row in judged[["topic", "document"]].to_numpy()} <= retrieved
    assert (judged.groupby("topic").size() >= 30).all()
    first_two = judged[judged["topic"].isin(["2007001", "2007002"])]
    assert_frame_equal(made.second_assessments.documents[["topic", "document"]], first_two[["topic", "document"]])


@pytest.mark.parametrize("year", [2005, 2006])
@pytest.mark.parametrize(("n_documents", "n_results"), [(100, 60), (200, 200)])
def test_second_assessors_agree_beyond_chance_in_small_campaigns_too(year, n_documents, n_results):
    """By κ over the documents judged: 0.39 of those that either finds relevant is κ = 0.5 where 12 % are."""
    made = simulate_inex(year=year, n_systems=6, n_topics=8, n_documents=n_documents, n_results=n_results, rng=1)
    second = made.second_assessments.documents
    both = second.merge(made.assessments.documents, on=["topic", "document"], suffixes=("_second", ""))
    assert len(both) == len(second)
    one, other = both["relevant_size"] > 0, both["relevant_size_second"] > 0
    chance = one.mean() * other.mean() + (~one).mean() * (~other).mean()
    assert ((one == other).mean() - chance) / (1 - chance) > 0.35


@pytest.mark.parametrize("year", [2005, 2007])
def test_better_systems_show_more_highlighted_text(year):
    """Runs that are better in truth have more of the highlighted text among their first ten results."""
    options = {"n_systems": 12, "n_topics": 12, "n_documents": 200, "n_results": 10, "relevant_documents": 20}
    made = simulate_inex(year=year, **options, rng=9, published=False)
    relevant = made.assessments.documents.query("relevant_size > 0")[["topic", "document"]]
    found = [
        submission.results.merge(relevant, on=["topic", "document"], how="inner").shape[0]
        for submission in made.submissions
    ]
    assert np.corrcoef(found, made.qualities)[0, 1] > 0.8


@pytest.mark.parametrize(("year", "share"), [(2004, 0.122), (2007, 0.101)])
def test_published_campaigns_hold_few_relevant_documents_and_overlap(year, share):
    """However small: as many relevant documents as published; of 2004 the lists overlap, but for half of the runs."""
    made = simulate_inex(
        year=year,
        n_systems=24,
        n_topics=10,
        n_documents=120,
        n_results=300,
        elements_per_article=90,
        n_second=0,
        published=True,
        rng=3,
    )
    elements, passages = made.assessments.elements, made.assessments.passages
    table = elements[elements["exhaustivity"] > 0] if year == 2004 else passages
    found = len(table[["topic", "document"]].drop_duplicates()) / len(made.assessments.documents)
    assert found == pytest.approx(share, abs=0.05)
    if year == 2004:
        runs = element_collection(made.submissions, made.assessments, sizes=made.sizes)
        overlap = run_overlap(runs).mean("topic").to_numpy()
        assert (overlap[3::4] == 0).all()
        thinned, others = overlap[2::4], np.append(overlap[::4], overlap[1::4])
        assert thinned.max() < others.min()
        assert 0.6 < np.median(overlap[overlap > 0]) < 0.85


def test_published_systems_differ_less_at_the_top_than_over_all_recall():
    """Early precision of the best and the worst run is closer than their average precision, unlike by default."""
    ratios = {}
    for published in (False, True):
        made = simulate_inex(
            year=2008,
            n_systems=18,
            n_topics=10,
            n_documents=300,
            n_results=150,
            elements_per_article=30,
            n_second=0,
            published=published,
            rng=4,
        )
        collection = passage_collection(made.submissions, made.assessments)
        early, over_all = score(collection, ["iP[0.01]", "AiP"]).to_numpy().mean(axis=-1)
        ratios[published] = [np.quantile(one, 0.9) / np.quantile(one, 0.1) for one in (early, over_all)]
    assert ratios[True][1] > 1.5 * ratios[True][0]
    assert ratios[True][0] < ratios[False][0]


def test_a_campaign_looks_as_published():
    """Figures of Piwowarski et al. (2008) for INEX 2005: Table IV, VII, VIII, Figure 6 and section 5.2.3, roughly."""
    judged = simulate_inex(year=2005, n_systems=6, n_topics=20, rng=10, published=False).assessments
    n_topics = judged.documents["topic"].nunique()
    assert judged.documents.groupby("topic").size().mean() == pytest.approx(499, rel=0.02)
    assert (judged.documents["relevant_size"] > 0).sum() / n_topics == pytest.approx(60.7, rel=0.3)
    assert len(judged.passages) / n_topics == pytest.approx(156, rel=0.35)
    counts = judged.passages.groupby(["topic", "document"]).size()
    assert (counts == 1).mean() == pytest.approx(0.5, abs=0.1)  # "just over 50%"
    assert (counts <= 5).mean() == pytest.approx(0.9, abs=0.05)
    elements = judged.elements
    assert (elements["exhaustivity"] > 0).sum() / n_topics == pytest.approx(522, rel=0.5)
    small = elements[elements["exhaustivity"] == TOO_SMALL]
    assert (small["size"] < 55).mean() > 0.75  # 79 % published
    tags = elements["path"].str.extract(r"/([a-z]+)[^/]*$")[0]
    specificity = elements.groupby(tags)["specificity"].mean()
    assert specificity["article"] == pytest.approx(0.12, abs=0.05)
    assert specificity["bdy"] == pytest.approx(0.15, abs=0.05)
    assert specificity["p"] == pytest.approx(0.94, abs=0.05)
    assert specificity["article"] < specificity["sec"] < specificity["p"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"year": 2001}, "`year` must be one of 2002"),
        ({"n_topics": 0}, "`n_topics` must be a whole number of at least 1"),
        ({"n_results": 1.5}, "`n_results` must be a whole number"),
        ({"pool_size": 0}, "`pool_size` must be"),
        ({"n_second": -1}, "`n_second` must be a whole number of at least 0"),
        ({"relevant_documents": 0.5}, "`relevant_documents` must be a number of at least 1"),
        ({"elements_per_article": float("nan")}, "`elements_per_article` must be"),
        ({"document_kappa": 1.5}, "`document_kappa` must lie from 0 to 1"),
        ({"document_kappa": 0.5, "document_agreement": 0.4}, "state the same"),
        ({"document_agreement": 0}, "`document_agreement` must lie above 0"),
        ({"passage_agreement": 1.1}, "`passage_agreement` must lie above 0"),
    ],
)
def test_numbers_outside_their_rule_are_refused(options, says):
    """Every number is named with its rule."""
    with pytest.raises(InvalidOptionError, match=says):
        simulate_inex(**SMALL | options, rng=1, published=False)


def test_unknown_tasks_are_refused():
    """The tasks are listed."""
    with pytest.raises(UnknownNameError, match="did you mean 'focused'"):
        simulate_inex(**SMALL, task="focussed", rng=1, published=False)


def test_a_single_run_of_a_single_document():
    """The smallest campaign there is has lists, a pool of one document and assessments."""
    made = simulate_inex(n_systems=1, n_topics=1, n_documents=1, n_results=1, rng=1, published=False)
    assert len(made.submissions[0].results) == len(made.assessments.documents) == 1
