"""Stability under fewer judgments: a literal version through pytrec_eval, laws, workers, resumption, refusals."""

import os
import re
import signal
import subprocess
import sys
import time
import warnings
from types import SimpleNamespace

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.stats

from metaeval.collection.assembly import collection_from_rankings
from metaeval.collection.documents import NOT_POOLED, UNJUDGED
from metaeval.errors import EstimationError, InvalidOptionError, UnknownNameError
from metaeval.inex.judged_files import read_judged
from metaeval.inex.simulation import simulate_inex
from metaeval.metrics.plugins import load_plugin
from metaeval.metrics.scoring import metric_values, score
from metaeval.metrics.spec import metric
from metaeval.resampling.judgments import reduce_judgments
from metaeval.resampling.pools import original_pool
from metaeval.resampling.reductions import REDUCTIONS
from metaeval.resampling.replicates import ReplicateWarning, replicate_seed
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.resampling.stability import _test_words, correlations, measure_stability
from metaeval.resampling.stability_result import _swaps, smallest_place
from metaeval.running.draws import resolve_seed
from metaeval.simulate.collection import simulate_collection
from metaeval.table.scores import select_runs
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.comparison import compare_systems

MEASURES = {"AP": "map", "nDCG@10": "ndcg_cut_10", "P@10": "P_10", "RR": "recip_rank", "bpref": "bpref"}
PLUGIN = """
import sys
from pathlib import Path
sys.path.insert(0, str(Path(__file__).parent))
try:
    import depth_of_mine
finally:
    sys.path.pop(0)
from metaeval.metrics import metric

@metric(bounds=(0, 10_000))
def mine(topic):
    "Relevant documents among the first."
    return ((topic.levels > 0) & (topic.ranks <= depth_of_mine.DEPTH)).sum()
"""
STEPS = {"%": (20, 60, 100), "documents": (10, 40), "ranks": (3, 12)}


@pytest.fixture(scope="module")
def made():
    """Make nine runs of three groups on 14 topics, of which six were pooled to depth 15."""
    return simulate_collection(
        n_groups=3, runs_per_group=3, n_topics=14, n_documents=300, depth=60, pool_depth=15, rng=4
    )


@pytest.fixture(scope="module")
def collection(made):
    """Compile them with every retrieved document."""
    return made.to_collection(retrieved="all")


def _written(collection, levels):
    """Write judgments as the qrels that an assessor would have handed in."""
    qrels = {}
    for place, topic in enumerate(collection.topics):
        part = slice(collection.topic_offsets[place], collection.topic_offsets[place + 1])
        lines = zip(collection.documents(topic), levels[part].tolist(), strict=True)
        qrels[topic] = {name: level for name, level in lines if level not in {UNJUDGED, NOT_POOLED}}
    return qrels


def _runs(collection):
    """Write every list as trec_eval takes it, from all the documents retrieved."""
    names = dict(enumerate(name.decode() for name in collection.document_ids.tolist()))
    every = collection.retrieved
    for row in range(collection.n_systems):
        run = {}
        for column, topic in enumerate(collection.topics):
            number = row * collection.n_topics + column
            codes = every.codes[every.offsets[number] : every.offsets[number + 1]].tolist()
            run[topic] = {names.get(code, f"unjudged {code}"): float(-rank) for rank, code in enumerate(codes)}
        yield run


def _slow_means(collection, levels, topics):
    """Score every run with trec_eval on rewritten qrels, and average over the topics kept."""
    qrels = {topic: lines for topic, lines in _written(collection, levels).items() if lines}
    evaluator = pytest.importorskip("pytrec_eval").RelevanceEvaluator(qrels, set(MEASURES.values()))
    found = [evaluator.evaluate(run) for run in _runs(collection)]
    return np.array(
        [
            [np.mean([one.get(topic, {}).get(name, 0.0) for topic in topics]) for one in found]
            for name in MEASURES.values()
        ]
    )


def _slow_tau_ap(truth, estimate):
    """Go down the ranking under test and ask of everything above whether the truth has it above too."""
    order = np.argsort(-estimate)
    shares = [np.mean([truth[order[i]] > truth[order[j]] for i in range(j)]) for j in range(1, len(order))]
    return 2 * np.mean(shares) - 1


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_a_replicate_equals_rewriting_the_qrels_and_scoring_with_trec_eval(collection, reduction):
    """Every reduction: means and correlations are those of trec_eval on qrels written out anew."""
    chosen = REDUCTIONS[reduction]
    steps = STEPS[chosen.unit]
    found = measure_stability(collection, list(MEASURES), reduction=reduction, steps=steps, n_replicates=2, rng=5)
    counted = [name for name, n in zip(collection.topics, collection.n_relevant, strict=True) if n]
    base = original_pool(collection).levels if chosen.needs_retrieved else collection.full_levels
    full = _slow_means(collection, base, counted)
    np.testing.assert_allclose(found.data["reference"], full, atol=1e-6)
    number = found.n_replicates - 1
    generator = np.random.default_rng(replicate_seed(5, reduction, number))
    reduced = reduce_judgments(collection, reduction=reduction, steps=sorted(steps), rng=generator)
    for step, levels in enumerate(reduced.levels):
        topics = [name for name, kept in zip(collection.topics, reduced.topics[step], strict=True) if kept]
        slow = _slow_means(collection, levels, topics)
        one = found.data.isel(replicate=number, step=step)
        np.testing.assert_allclose(one["mean"], slow, atol=1e-6)
        for row, name in enumerate(MEASURES):
            own = one.sel(metric=name)
            a, b = full[row].round(6), slow[row].round(6)
            if len(set(b)) > 1:
                assert float(own["tau"]) == pytest.approx(scipy.stats.kendalltau(a, b).statistic)
                assert float(own["rho"]) == pytest.approx(scipy.stats.spearmanr(a, b).statistic)
            if len(set(a)) == len(set(b)) == len(a):
                assert float(own["tau_ap"]) == pytest.approx(_slow_tau_ap(a, b))
        assert int(one["judged"]) == sum(
            len(lines) for topic, lines in _written(collection, levels).items() if topic in topics
        )


@pytest.mark.parametrize("reduction", [name for name, one in REDUCTIONS.items() if one.unit == "%"])
def test_everything_judged_changes_nothing(collection, reduction):
    """At 100 % every correlation of rankings is 1, every mean score is the full one, and nothing is contradicted."""
    if reduction in {"depth", "share"}:
        collection = collection.rejudge(original_pool(collection).levels)
    frame = measure_stability(
        collection, ["AP", "nDCG@10"], reduction=reduction, steps=[100], n_replicates=2, rng=0
    ).to_frame()
    for name in ("tau", "rho", "rbo", "tau_best"):
        assert frame[name].to_numpy() == pytest.approx(1.0)
    assert frame["tau_ap"].to_numpy() == pytest.approx(1.0)  # no means tie here
    np.testing.assert_array_equal(frame["score"], frame["score_full"])
    np.testing.assert_array_equal(frame["power"], frame["power_full"])
    assert (frame[["judged_share", "relevant_share"]] == 1).all(axis=None)
    assert (frame["contradicted"] == 0).all()


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_more_judging_never_finds_fewer_relevant_documents(collection, reduction):
    """Judged and relevant documents rise with the steps, in every replicate."""
    steps = (10, 30, 50, 70, 90)
    data = measure_stability(collection, ["AP"], reduction=reduction, steps=steps, n_replicates=3, rng=1).data
    for name in ("judged", "relevant"):
        assert (np.diff(data[name].to_numpy(), axis=1) >= 0).all()


def test_replicates_steps_and_reductions_leave_each_other_alone(collection):
    """A replicate is the same whether few or many are asked for."""
    few = measure_stability(collection, ["AP", "P@10"], n_replicates=2, n_tested=1, rng=3)
    many = measure_stability(collection, ["AP", "P@10"], n_replicates=4, n_tested=3, rng=3)
    for name in ("mean", "tau", "judged"):
        np.testing.assert_array_equal(few.data[name], many.data[name][:2])
    np.testing.assert_array_equal(few.data["found"], many.data["found"][:1])


def test_the_best_systems_are_those_of_the_full_ranking(collection):
    """The correlation among the best is that of the best three by the full judgments."""
    found = measure_stability(collection, ["AP"], steps=[30], n_replicates=2, top=3, rng=2)
    full, reduced = found.data["reference"][0].to_numpy(), found.data["mean"][1, 0, 0].to_numpy()
    best = np.argsort(-full)[:3]
    expected = scipy.stats.kendalltau(full[best], reduced[best]).statistic
    assert float(found.data["tau_best"][1, 0, 0]) == pytest.approx(expected)


def test_a_metric_where_less_is_better_is_ranked_the_other_way(collection):
    """Turning a metric around changes no correlation and no count of significant pairs."""

    @metric(name="good", bounds=(0, 1))
    def good(topic) -> float:
        return float((topic.levels > 0).sum() / max(topic.n_retrieved, 1))

    @metric(name="bad", bounds=(-1, 1), higher_is_better=False, without_relevant=0.0)
    def bad(topic) -> float:
        return -float((topic.levels > 0).sum() / max(topic.n_retrieved, 1))

    data = measure_stability(collection, [good, bad], steps=[20], n_replicates=2, rng=0).data
    for name in ("tau", "tau_ap", "rho", "rbo", "tau_best", "found", "contradicted"):
        np.testing.assert_allclose(data[name].sel(metric="good"), data[name].sel(metric="bad"))


def test_significant_pairs_are_those_of_the_test(collection):
    """Counts of pairs found and contradicted are those of comparing the per-topic scores directly."""
    found = measure_stability(collection, ["AP"], steps=[80], n_replicates=1, n_tested=1, rng=6)
    generator = np.random.default_rng(replicate_seed(6, "stratified", 0))
    levels = reduce_judgments(collection, reduction="stratified", steps=[80], rng=generator).levels[0]
    signs = []
    for one in (collection, collection.rejudge(levels)):
        data = compare_systems(score(one, ["AP"]), test="t").data
        signs.append((np.sign(data["difference"]) * data["significant"]).to_numpy()[0])
    full, left = signs
    assert float(found.data["found"][0, 0, 0]) == (left != 0).sum()
    assert float(found.data["contradicted"][0, 0, 0]) == ((left != 0) & (left != full)).sum()
    assert float(found.data["found_full"][0]) == (full != 0).sum()
    row = found.to_frame().iloc[0]
    assert row["power"] == pytest.approx((left != 0).mean())
    assert row["power_full"] == pytest.approx((full != 0).mean())
    assert row["contradicted_share"] == pytest.approx(((left != 0) & (left != full)).sum() / (left != 0).sum())


def test_bootstrap_sensitivity_is_that_of_one_run_a_team(made):
    """Power and difference required, in full and of a replicate, are those of the method itself on the same draws."""
    collection = made.to_collection()
    options = {"choose": "one-per-group", "n_resamples": 200}
    found = measure_stability(
        *(collection, ["AP", "RBP(p=0.5)"]), steps=[40], n_replicates=2, n_tested=1, rng=6,
        test="bootstrap_sensitivity", **options,
    )  # fmt: skip
    chosen = select_runs(score(collection, ["AP", "RBP(p=0.5)"]), "one-per-group", np.random.default_rng(6))
    full = bootstrap_sensitivity(chosen, n_resamples=200, rng=6)
    assert found.tested == full.systems
    assert found.n_pairs == full.n_pairs == 3
    summary = full.summary().set_index("metric")
    row = found.to_frame().set_index("metric")
    assert row["power_full"].tolist() == summary["power"].tolist()
    assert row["difference_required_full"].tolist() == summary["difference_required"].tolist()
    generator = np.random.default_rng(replicate_seed(6, "stratified", 0))
    levels = reduce_judgments(collection, reduction="stratified", steps=[40], rng=generator).levels[0]
    left = score(collection.rejudge(levels), ["AP", "RBP(p=0.5)"]).sel(system=list(full.systems))
    again = bootstrap_sensitivity(left, n_resamples=200, rng=resolve_seed(generator))  # one seed for all steps
    assert row["power"].tolist() == again.summary()["power"].tolist()
    assert row["difference_required"].tolist() == again.summary()["difference_required"].tolist()
    before, after = (one.data["better"] * one.data["significant"] for one in (full, again))
    assert row["reversed"].tolist() == (before * after.to_numpy() < 0).sum("pair").to_numpy().tolist()
    assert (found.data["system"].to_numpy() == list(collection.systems)).all()


def test_ranked_runs_are_those_chosen_and_others_are_tested(collection):
    """Rankings and mean scores are of the runs ranked; every pair is tested whatever is ranked."""
    found = measure_stability(collection, ["AP"], steps=[50], n_replicates=2, ranked=4, rng=3)
    every = measure_stability(collection, ["AP"], steps=[50], n_replicates=2, rng=3)
    names = found.data["system"].to_numpy().tolist()
    assert len(names) == 4
    part = every.data[["mean", "reference"]].sel(system=names)
    assert part.identical(found.data[["mean", "reference"]])
    truth, left = part["reference"][0], part["mean"][0, 0, 0]
    assert float(found.data["tau"][0, 0, 0]) == pytest.approx(scipy.stats.kendalltau(truth, left).statistic)
    assert found.data["found"].identical(every.data["found"])
    for wrong in ({"ranked": 99}, {"choose": "some"}):
        with pytest.raises(InvalidOptionError, match=next(iter(wrong))):
            measure_stability(collection, ["AP"], steps=[50], rng=3, **wrong)


def test_metrics_are_compared_by_the_rankings_of_all_judgments(collection):
    """Tau between two metrics is SciPy's, with its p-value, on the mean scores; where less is better, turned round."""
    names = ["AP", "P@10", "RBP(p=0.5)"]
    frame = measure_stability(collection, names, steps=[50], n_replicates=1, rng=3).between_metrics()
    means = dict(zip(names, metric_values(collection, names).mean(axis=2), strict=True))
    assert len(frame) == 3
    for row in frame.to_dict("records"):
        wanted = scipy.stats.kendalltau(means[row["metric_a"]].round(12), means[row["metric_b"]].round(12))
        assert row["tau"] == pytest.approx(wanted.statistic)
        assert row["p_value"] == pytest.approx(wanted.pvalue)


@pytest.mark.parametrize(
    ("metrics", "rel", "wanted"),
    [
        (["AP"], None, 1),
        (["AP(rel=2)", "P(rel=2)@10"], None, 2),
        (["AP(rel=2)", "nDCG@10"], None, 2),  # graded metrics have no rel=
        (["AP(rel=2)", "bpref"], None, 1),  # the lowest, where they disagree
        (["nDCG", "RBP(p=0.8)"], None, 1),
        (["AP"], 2, 2),
    ],
)
def test_relevant_is_what_the_metrics_say(collection, metrics, rel, wanted):
    """The reduction draws relevant documents from the lowest rel= on, or from the level asked for; it is said."""
    found = measure_stability(collection, metrics, steps=[50], n_replicates=1, n_tested=0, rel=rel, rng=1)
    assert found.rel == wanted
    assert found.n_relevant == (collection.levels >= wanted).sum()
    assert any("level 2 and above" in note for note in found.notes) == (wanted == 2)
    with pytest.raises(InvalidOptionError, match="`rel=9`: no document is judged at that level"):
        measure_stability(collection, metrics, rel=9)


@pytest.mark.parametrize(
    ("values", "kind", "place"),
    [
        ([0.95, 0.97, 0.99], "below smallest", 0.0),
        ([0.5, 0.6, 0.7], "above largest", 2.0),
        ([0.8, 0.9, 0.95], "observed", 1.0),
        ([0.8, (0.85 + 0.95) / 2, 0.95], "observed", 1.0),  # .9 on paper, a last bit less in binary
        ([0.7, 0.8, 1.0], "interpolated", 1.5),
        ([0.95, 0.85, 0.95], "interpolated", 1.5),
        ([np.nan, 0.85, 0.95], "interpolated", 1.5),
        ([np.nan, 0.5, 0.6], "above largest", 2.0),
        ([np.nan, 0.95, 0.95], "undefined", np.nan),
    ],
)
def test_the_smallest_step_is_the_one_from_which_all_larger_ones_keep_the_bound(values, kind, place):
    """A lucky small step does not count when a larger one falls below."""
    found = smallest_place(np.array(values), 0.9)
    assert found[0] == kind
    assert found[1] == pytest.approx(place, nan_ok=True)


def test_fewer_topics_are_counted_in_topics(collection):
    """As in Table 6 of Pal et al.: in brackets the topics, where other ways have the relevant documents."""
    found = measure_stability(collection, ["AP"], reduction="topics", steps=[50, 100], n_replicates=2, rng=0)
    row = found.thresholds(min_tau=-0.99).iloc[0]
    assert row["topics"] == round(found.n_topics / 2)
    assert row["text"] == f"<50 % (<{row['topics']:.0f} topics)"
    documents = (
        measure_stability(collection, ["AP"], steps=[50], n_replicates=2, rng=0).thresholds(min_tau=-0.99).iloc[0]
    )
    assert documents["text"].endswith(f"(<{documents['relevant']:,.0f} relevant)")


def test_thresholds_read_as_published(collection):
    """The text holds percent and relevant documents, with signs where the answer is censored."""
    found = measure_stability(collection, ["AP", "RR"], steps=[20, 100], n_replicates=3, rng=0)
    easy, hard = found.thresholds(min_tau=-0.99), found.thresholds(min_tau=0.999)
    assert set(easy["kind"]) == {"below smallest"}
    assert easy["level"].tolist() == [20, 20]
    least = found.to_frame()["left"].min()
    assert easy["text"].str.match(rf"<{least:.3g} % \(<\d+ relevant\)").all()
    assert set(hard["kind"]) <= {"interpolated", "observed"}
    means = found.data.mean("replicate")
    tau = means["tau"].sel(metric="AP").to_numpy()
    row = found.thresholds(min_tau=float(tau.mean()))
    assert row["level"][0] == pytest.approx(60)
    assert row["relevant"][0] == pytest.approx(float(means["relevant"].mean()))
    falls = measure_stability(collection, ["AP"], steps=[20], n_replicates=2, rng=0).thresholds(min_tau=1.0)
    assert falls["kind"][0] == "above largest"
    assert re.match(r">2\d\.\d % \(>", falls["text"][0])


def test_of_depths_far_apart_only_those_that_were_tried_are_told(collection):
    """The threshold is a step with its own counts, and the deepest pool holds no more than what it is compared with."""
    found = measure_stability(collection, ["AP"], reduction="ranks", steps=[1, 1000], n_tested=0, rng=0)
    frame = found.to_frame().set_index("step")
    (row,) = found.thresholds(min_tau=0.9999).to_dict("records")
    assert frame.loc[1.0, "tau"] < 0.9999
    assert (row["kind"], row["left"]) == ("observed", 1000.0)
    assert row["text"] == f"1000 ({frame.loc[1000.0, 'relevant']:,.0f} relevant)"
    assert frame.loc[1000.0, "judged"] <= found.n_judged
    assert found.n_judged == (collection.judged & collection.counted[collection.topic_of_judgment]).sum()


def test_a_mean_that_is_kept_is_kept_by_a_part_of_the_draws(collection):
    """Shares of the draws counted by hand from the draws themselves; a fixed order has no draws to count."""
    found = measure_stability(collection, ["AP"], steps=[10, 30, 60, 90], n_replicates=20, n_tested=0, rng=0)
    tau = found.data["tau"].sel(metric="AP").transpose("step", "replicate").to_numpy()
    bound = float(np.median(tau[1]))
    (row,) = found.thresholds(min_tau=bound).to_dict("records")
    shares = [float(np.mean([value >= bound - 1e-12 for value in draws])) for draws in tau]
    assert found.kept(min_tau=bound)[0].tolist() == pytest.approx(shares)
    at = np.interp(row["left"], found.to_frame()["left"], np.arange(4))
    assert row["kept"] == pytest.approx(np.interp(at, np.arange(4), shares))
    last = max(place for place, share in enumerate(shares) if share < 0.95)
    low, high = found.to_frame()["left"].iloc[[last, last + 1]]
    expected = low + (high - low) * (0.95 - shares[last]) / (shares[last + 1] - shares[last])
    assert row["left_kept"] == pytest.approx(expected)
    assert row["left_kept"] > row["left"]
    fixed = measure_stability(collection, ["AP"], reduction="order", steps=[50], n_tested=0, rng=0)
    assert np.isnan(fixed.thresholds()[["kept", "left_kept"]].to_numpy(float)).all()


def test_workers_change_nothing(collection, monkeypatch):
    """One worker, two threads, two processes and a Dask cluster give the same bits."""
    distributed = pytest.importorskip("distributed")
    options = {"steps": [30, 70], "n_replicates": 4, "n_tested": 2, "rng": 8}
    alone = measure_stability(collection, ["AP", "bpref"], **options)
    together = measure_stability(collection, ["AP", "bpref"], n_jobs=2, **options)
    monkeypatch.setattr("metaeval.resampling.stability.all_compiled", lambda _metrics: False)
    apart = measure_stability(collection, ["AP", "bpref"], n_jobs=2, **options)
    assert alone.data.identical(apart.data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the cluster's own: ports taken, packages deprecated
        with (
            distributed.LocalCluster(
                n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
            ) as near,
            distributed.Client(near),
            joblib.parallel_config(backend="dask"),
        ):
            far = measure_stability(collection, ["AP", "bpref"], **options)
    assert alone.data.identical(together.data)
    assert alone.data.identical(far.data)


@pytest.mark.parametrize(("year", "measure"), [(2007, "AiP"), (2005, "nxCG@10")])
def test_passages_and_elements_go_or_stay_with_their_documents(year, measure, tmp_path):
    """Collections of passages and of elements are reduced by document, by workers too, and 100 % changes nothing."""
    folder = simulate_inex(
        year=year, n_systems=4, n_topics=6, n_documents=80, n_results=60, rng=1, published=False
    ).write_collection(tmp_path / "made")
    collection = read_judged([str(folder / "submissions")], folder / "assessments").collection
    options = {"reduction": "relevant", "steps": [20, 100], "n_replicates": 2, "n_tested": 0, "rng": 0}
    found = measure_stability(collection, [measure], **options)
    generator = np.random.default_rng(replicate_seed(0, "relevant", 1))
    levels = reduce_judgments(collection, reduction="relevant", steps=[20, 100], rng=generator).levels
    counted = collection.by_document.n_relevant > 0
    means = [metric_values(collection.rejudge(one), [measure])[0][:, counted].mean(axis=1) for one in levels]
    np.testing.assert_allclose(found.data["mean"][1, :, 0], means, atol=1e-12)
    assert not np.allclose(means[0], means[1])
    assert (found.data["tau"][:, 1] == 1).all()
    together = measure_stability(collection, [measure], n_jobs=2, keep=tmp_path / "kept", **options)
    assert found.data.identical(together.data)
    assert len([*(tmp_path / "kept").iterdir()]) == 2


KILLED = """
import sys
from pathlib import Path
from metaeval.simulate.collection import simulate_collection
from metaeval.resampling.stability import measure_stability
made = simulate_collection(n_groups=3, runs_per_group=3, n_topics=14, n_documents=300, depth=60, rng=4)
found = measure_stability(
    made.to_collection(), ["AP", "nDCG@10"], n_replicates=40, n_tested=40, rng=1, keep=sys.argv[1]
)
Path(sys.argv[2]).write_bytes(found.to_frame().to_csv().encode() + found.data["mean"].values.tobytes())
"""


def _start(keep, out):
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.Popen([sys.executable, "-c", KILLED, str(keep), str(out)], env=environment)


def test_killed_and_resumed_the_study_ends_with_the_same_bytes(tmp_path):
    """Killed after the first replicate and again later, it resumes and gives what an undisturbed study gives."""
    keep, out = tmp_path / "kept", tmp_path / "out"
    keep.mkdir()
    for least in (1, 15):
        process = _start(keep, out)
        while len([*keep.glob("[!.]*")]) < least and process.poll() is None:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        assert not out.exists()
        assert len([*keep.glob("[!.]*")]) < 40
    before = {path: path.stat().st_mtime_ns for path in keep.glob("[!.]*")}
    assert len(before) >= 15
    for folder, written in ((keep, out), (tmp_path / "undisturbed", tmp_path / "expected")):
        names = {"sys": SimpleNamespace(argv=["", str(folder), str(written)])}
        exec(KILLED.replace("import sys", ""), names)  # noqa: S102 - the same program, resumed and undisturbed
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert out.read_bytes() == (tmp_path / "expected").read_bytes()
    files = [
        {path.name: path.read_bytes() for path in folder.glob("[!.]*")} for folder in (keep, tmp_path / "undisturbed")
    ]
    assert files[0] == files[1]


def test_resuming_takes_only_what_was_made_with_these_judgments_metrics_and_seeds(collection, tmp_path):
    """Another seed, metric, step, test or judgment leaves the kept replicates alone; the same ones are taken."""

    def files():
        return {path.name for path in tmp_path.iterdir()}

    options = {"steps": [50], "n_replicates": 2, "rng": 1, "keep": tmp_path}
    first = measure_stability(collection, ["AP"], **options)
    made = files()
    again = measure_stability(collection, ["AP"], **options)
    assert files() == made
    assert first.data.identical(again.data)
    other = collection.rejudge(np.where(collection.levels == 1, 2, collection.levels))
    for data, metrics, changed in (
        (collection, ["AP"], {"rng": 2}),
        (collection, ["P@10"], {}),
        (collection, ["AP"], {"steps": [60]}),
        (collection, ["AP"], {"alpha": 0.01}),
        (other, ["AP"], {}),
    ):
        before = files()
        measure_stability(data, metrics, **options | changed)
        assert len(files()) == len(before) + 2


def test_a_damaged_replicate_of_a_study_is_computed_again(collection, tmp_path):
    """The study says so and ends with the same numbers."""
    options = {"steps": [50], "n_replicates": 2, "rng": 1, "keep": tmp_path}
    first = measure_stability(collection, ["AP"], **options)
    victim = min(tmp_path.iterdir())
    victim.write_bytes(victim.read_bytes()[:-1])
    with pytest.warns(ReplicateWarning, match="damaged"):
        again = measure_stability(collection, ["AP"], **options)
    assert first.data.identical(again.data)


def test_a_budget_of_no_time_gives_two_replicates(collection):
    """A first look is cheap, and says how much it saw."""
    assert measure_stability(collection, ["AP"], n_replicates=50, budget=1e-9, rng=0).n_replicates == 2


def test_all_systems_tied_has_no_correlation_and_is_counted():
    """Where the judgments left tie all systems, correlations are missing, counted, and left out of means."""
    runs = {"a": {"1": ["d1", "x"], "2": ["d3"]}, "b": {"1": ["x", "d1"], "2": ["y", "d3"]}}
    qrels = {"1": {"d1": 1, "d2": 1}, "2": {"d3": 1, "d4": 0}}
    collection = collection_from_rankings(runs, qrels)
    found = measure_stability(collection, ["AP"], reduction="relevant", steps=[1], n_replicates=30, rng=0)
    frame = found.to_frame()
    assert frame["tau"][0] == 1.0
    same = measure_stability(
        collection_from_rankings({"a": runs["a"], "b": runs["a"]}, qrels), ["AP"], steps=[50], n_replicates=3, rng=0
    )
    assert same.to_frame()["undefined"][0] == 3
    assert np.isnan(same.to_frame()["tau"][0])
    assert same.thresholds()["text"][0] == "n/a"


def test_a_step_that_ties_all_systems_in_some_replicates_keeps_no_ranking():
    """Replicates that still rank do not speak for those that lost everything."""
    runs = {"a": {"1": ["d1", "d2"]}, "b": {"1": ["x", "d1", "d2"]}}
    collection = collection_from_rankings(runs, {"1": {"d1": 1, "d2": 0, "d3": 0, "d4": 0}})
    found = measure_stability(collection, ["AP"], reduction="random", steps=[25, 100], n_replicates=20, rng=0)
    row = found.to_frame().iloc[0]
    assert row["tau"] == 1
    assert 0 < row["undefined"] < 20
    assert found.thresholds()["kind"][0] == "undefined"


def test_one_topic_left_has_no_significant_pairs(collection):
    """A single topic can be ranked by, but no test can be made on it."""
    frame = measure_stability(collection, ["AP"], reduction="topics", steps=[1, 100], n_replicates=2, rng=0).to_frame()
    assert frame["topics"].tolist() == [1, 14]
    assert np.isnan(frame["power"][0])
    assert frame["tau"][1] == 1.0


REFUSED = {
    "an unknown reduction": ({"reduction": "depths"}, UnknownNameError, "did you mean"),
    "an unknown test": ({"test": "tt"}, UnknownNameError, "test"),
    "an unknown metric": ({}, UnknownNameError, "metric"),
    "no replicate": ({"n_replicates": 0}, InvalidOptionError, "at least 1"),
    "half a replicate": ({"n_replicates": 2.5}, InvalidOptionError, "whole number"),
    "a level of no percent": ({"steps": [0, 50]}, InvalidOptionError, "above 0 and at most 100"),
    "a level above all": ({"steps": [101]}, InvalidOptionError, "above 0 and at most 100"),
    "one best system": ({"top": 1}, InvalidOptionError, "at least 2"),
    "no time": ({"budget": 0}, InvalidOptionError, "above 0"),
    "certainty": ({"alpha": 1.0}, InvalidOptionError, "between 0 and 1"),
    "pools without documents": ({"reduction": "size"}, InvalidOptionError, "retrieved="),
}


@pytest.mark.parametrize(("options", "error", "words"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_done_is_refused(made, options, error, words):
    """Options outside their rules are named with the rule."""
    metrics = ["nDGC@10"] if not options else ["AP"]
    with pytest.raises(error, match=words):
        measure_stability(made.to_collection(), metrics, **options)


def test_one_run_or_nothing_relevant_cannot_be_ranked(collection):
    """A ranking needs two runs, and a topic with something to find."""
    with pytest.raises(EstimationError, match="two runs"):
        measure_stability(collection.select(systems=collection.systems[:1]), ["AP"])
    empty = collection_from_rankings({"a": {"1": ["d1"]}, "b": {"1": ["d2"]}}, {"1": {"d1": 0}})
    with pytest.raises(EstimationError, match="no topic has a relevant document"):
        measure_stability(empty, ["AP"])


def test_unknown_measures_and_bounds_are_refused(collection):
    """Thresholds exist for the correlations measured, at values they can have."""
    found = measure_stability(collection, ["AP"], steps=[50], n_replicates=1, rng=0)
    with pytest.raises(UnknownNameError):
        found.thresholds(measure="kappa")
    with pytest.raises(InvalidOptionError, match="min_tau"):
        found.thresholds(min_tau=1.5)


def test_an_edited_helper_of_a_plugin_is_another_metric(collection, tmp_path):
    """What was kept with one version of a plug-in's helper is not used with the next."""

    def _found(depth, *, keep):
        (tmp_path / "plugin.py").write_text(PLUGIN)
        (tmp_path / "depth_of_mine.py").write_text(f"DEPTH = {depth}\n")
        sys.modules.pop("depth_of_mine", None)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "dont_write_bytecode", True)
            own = load_plugin(tmp_path / "plugin.py")
        options = {"steps": [10], "n_replicates": 3, "n_tested": 0, "rng": 1}
        return measure_stability(collection, list(own), keep=keep, **options).data["tau"].to_numpy().ravel().tolist()

    kept = tmp_path / "kept"
    first = _found(2, keep=kept)
    assert first == _found(2, keep=kept)
    assert len([*kept.iterdir()]) == 3
    edited = _found(50, keep=kept)
    assert edited == _found(50, keep=None)
    assert edited != first
    assert len([*kept.iterdir()]) == 6
    del sys.modules["depth_of_mine"], sys.modules["metaeval_plugin_plugin"]


@pytest.mark.parametrize("n", [2, 3, 10])
def test_a_swap_of_the_two_last_costs_each_correlation_what_is_said(n):
    """The smallest change there is: one less what the correlations themselves give."""
    truth = np.arange(n, 0.0, -1)
    swapped = truth.copy()
    swapped[-2:] = truth[:-3:-1]
    fall = {name: 1 - float(value) for name, value in correlations(truth, swapped).items()}
    assert {name: fall[name] for name in _swaps(n)} == pytest.approx(_swaps(n), abs=1e-12)


@pytest.mark.parametrize(("test", "drawn"), [("t", ""), ("bootstrap", " with B = 1,000")])
def test_the_words_of_a_test_count_what_it_draws(test, drawn):
    """A formula draws nothing, whatever number is asked."""
    testing = SimpleNamespace(test=test, correction="holm", n_resamples=1000, alpha=0.05)
    words = _test_words(SimpleNamespace(testing=testing))
    assert ("with B" in words) == bool(drawn)
    assert f"{TESTS.words(test)}{drawn}, " in words


def test_a_step_beside_leaves_the_others_as_they_are(collection):
    """Of a test that draws, too."""
    drawn = {"n_replicates": 2, "n_tested": 1, "test": "max_t", "n_resamples": 30, "choose": 4, "ranked": 5, "top": 3}
    alone, beside = (
        measure_stability(collection, "AP", rng=5, steps=steps, **drawn).to_frame() for steps in ([70], [30, 70])
    )
    pd.testing.assert_frame_equal(beside.iloc[1:].reset_index(drop=True), alone, rtol=1e-12)
