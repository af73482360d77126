"""The judgments study: its parts are those of the procedures, in every state a collection can be in."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from metaeval.collection.assembly import collection_from_rankings
from metaeval.errors import EstimationError, InvalidOptionError, UnknownNameError
from metaeval.metrics.scoring import score
from metaeval.questions.judgments.study import QUESTIONS, study_judgments
from metaeval.resampling.effort import COST_MODELS, CostModel, equal_effort
from metaeval.resampling.group_changes import left_out_summary
from metaeval.resampling.leave_out import leave_group_out
from metaeval.resampling.replicates import ReplicateWarning, replicate_seed
from metaeval.resampling.stability import measure_stability
from metaeval.running.equality import settled_means
from metaeval.simulate.collection import simulate_collection

METRICS = ["AP", "AP'", "P@10"]


@pytest.fixture(scope="module")
def made():
    """Make nine runs of three groups on 14 topics."""
    return simulate_collection(
        n_groups=3, runs_per_group=3, n_topics=14, n_documents=300, depth=60, pool_depth=15, rng=4
    )


@pytest.fixture(scope="module")
def collection(made):
    """Compile them with every retrieved document."""
    return made.to_collection(retrieved="all")


@pytest.fixture(scope="module")
def study(collection):
    """Ask everything."""
    return study_judgments(collection, METRICS, n_replicates=3, n_tested=1, rng=2)


def test_every_question_is_answered_where_the_collection_allows(study):
    """Groups, pools and unpooled runs are there, so nothing is left open, and every table holds something."""
    assert study.questions == tuple(QUESTIONS)
    assert not study.unanswered
    tables = study.tables()
    assert set(tables) == {
        *("stability", "thresholds", "between_metrics", "closeness", "pool", "pool_growth", "pool_growth_topics"),
        *("critical_depths", "run_depths", "left_out", "left_out_summary"),
        *("left_out_changes", "left_out_groups", "pool_sufficiency", "pool_verdicts", "coverage", "effort"),
        *("completions", "completion_pairs", "adaptive", "adaptive_topics"),
    }
    assert all(len(table) for table in tables.values())
    pd.testing.assert_frame_equal(study.to_frame(), tables["stability"])


def test_every_part_is_the_one_asked_for_alone(collection, study):
    """Parts start from the same seed, so that no answer depends on the other questions."""
    alone = study_judgments(collection, METRICS, questions=["fewer-topics"], n_replicates=3, n_tested=1, rng=2)
    assert list(alone.stability) == ["topics"]
    assert alone.stability["topics"].data.identical(study.stability["topics"].data)
    direct = measure_stability(collection, METRICS, reduction="stratified", n_replicates=3, n_tested=1, rng=2)
    assert direct.data.identical(study.stability["stratified"].data)
    effort = study_judgments(collection, METRICS, questions=["effort"], n_replicates=3, rng=2).tables()["effort"]
    pd.testing.assert_frame_equal(effort, study.tables()["effort"])


def test_hours_are_those_of_the_cost_model(collection):
    """Hours follow from relevant and other documents, by a year's rates or the user's own."""
    for cost, model in (("2003", COST_MODELS["2003"]), (CostModel(2.0, 0.5), CostModel(2.0, 0.5))):
        found = study_judgments(collection, ["AP"], reductions=["order"], questions=["less-judging"], cost=cost, rng=0)
        frame = found.to_frame()
        minutes = frame["relevant"] * model[0] + (frame["judged"] - frame["relevant"]) * model[1]
        np.testing.assert_allclose(frame["hours"], minutes / 60)


def test_the_effort_of_a_replicate_is_that_of_its_plans(collection, study):
    """Judged documents are equal in all plans, and a replicate agrees with scoring its plans one by one."""
    frame = study.tables()["effort"]
    spread = frame.groupby(["metric", "step"])["judged"]
    assert (spread.min() == spread.max()).all()
    generator = np.random.default_rng(replicate_seed(2, "effort", 1))
    spent = equal_effort(collection, steps=[20.0, 40.0, 60.0, 80.0], rng=generator)
    full = score(collection.rejudge(study.original.levels), ["AP"])[0]
    for name, plan in spent.plans.items():
        kept = [topic for topic, one in zip(collection.topics, plan.topics[1], strict=True) if one]
        left = score(collection.rejudge(plan.levels[1]), ["AP"])[0].sel(topic=kept)
        a, b = (settled_means(one.to_numpy()) for one in (full, left))
        signs = [np.sign((one[:, None] - one)[np.triu_indices(len(one), 1)]) for one in (a, b)]
        tau = (signs[0] * signs[1]).sum() / np.sqrt((signs[0] ** 2).sum() * (signs[1] ** 2).sum())
        own = study.effort.data.sel(plan=name, step=40.0, metric="AP").isel(replicate=1)
        assert float(own["tau"]) == pytest.approx(tau)
        assert int(own["judged"]) == plan.judged[1]


def test_everything_spent_is_the_full_ranking(collection):
    """At 100 % of the effort all plans are the whole pool."""
    found = study_judgments(collection, ["AP", "bpref"], questions=["effort"], steps=[100], n_replicates=2, rng=0)
    np.testing.assert_allclose(found.tables()["effort"][["tau", "rho", "rbo"]], 1)


def test_what_leaving_a_group_out_does_is_counted_run_by_run(collection):
    """Changes and places are those of a loop over runs."""
    found = leave_group_out(collection, ["AP", "AP'"])
    table = left_out_summary(found).set_index("metric")
    for metric in table.index:
        old, new = (found.scores[name].sel(metric=metric).mean("topic").to_numpy() for name in ("full", "reduced"))
        n = len(old)
        moved = []
        for run in range(n):
            before = sum(old[other] > old[run] for other in range(n) if other != run)
            after = sum(old[other] > new[run] for other in range(n) if other != run)
            moved.append(abs(after - before))
        row = table.loc[metric]
        assert row["mean_places"] == pytest.approx(np.mean(moved))
        assert row["most_places"] == max(moved)
        assert row["mean_change"] == pytest.approx(np.mean(100 * (new - old) / old))
        assert row["fell"] == pytest.approx(np.mean(new < old))
        assert row["fell"] + row["same"] + row["rose"] == pytest.approx(1)
        assert row["runs"] == n


def test_condensed_lists_overestimate_and_ordinary_ones_underestimate(study):
    """The published finding holds on simulated data: a group left out loses by AP and gains by AP'."""
    table = study.tables()["left_out_summary"].set_index(["keep", "metric"])["mean_change"]
    assert table["depth", "AP"] < 0 < table["depth", "AP(judged_only=True)"]


def test_changes_add_up(study):
    """Every run, and every run and topic, is in one interval."""
    totals = study.tables()["left_out_changes"].groupby(["keep", "counted", "metric"])["n"].sum()
    assert (totals.xs("run", level="counted") == study.n_systems).all()
    assert (totals.xs("run and topic", level="counted") == study.n_systems * study.n_topics).all()


def test_without_groups_or_documents_the_rest_is_answered(made):
    """What is lacking is said with the way out; naming such a question is an error."""
    bare = made.to_collection()
    found = study_judgments(bare, ["AP"], n_replicates=1, rng=0)
    assert found.questions == ("less-judging", "fewer-topics")
    assert set(found.unanswered) == {"shallower-pools", "new-systems", "effort"}
    assert "retrieved='all'" in found.unanswered["effort"]
    with pytest.raises(InvalidOptionError, match=r"'effort' cannot be answered.*`retrieved='all'`"):
        study_judgments(bare, ["AP"], questions=["effort"])
    groupless = made.to_collection(retrieved="all")
    groupless = replace(groupless, groups=None, pooled=None)
    found = study_judgments(groupless, ["AP"], steps=[50], n_replicates=1, rng=0)
    assert "groups" in found.unanswered["new-systems"]
    assert any("no run is marked as pooled" in note for note in found.notes)


def test_reductions_alone_ask_for_nothing_else(made, collection):
    """Where only reductions are named, the questions are those that they belong to, answerable or not."""
    found = study_judgments(collection, ["AP"], reductions=["topics", "depth"], steps=[50], n_replicates=1, rng=0)
    assert found.questions == ("shallower-pools", "fewer-topics")
    assert not found.left_out
    bare = study_judgments(made.to_collection(), ["AP"], reductions=["order"], steps=[50], rng=0)
    assert (bare.questions, dict(bare.unanswered)) == (("less-judging",), {})


def test_a_pool_of_one_group_cannot_lose_it(collection):
    """Where one group built the pool, leaving it out is refused and said, and the rest stands."""
    one = collection.with_groups(dict.fromkeys(collection.systems, "us"))
    found = study_judgments(one, ["AP"], questions=["new-systems"], rng=0)
    assert not found.left_out
    assert any("alone" in reason for reason in found.unanswered.values())


def test_every_run_pooled_leaves_no_new_run_to_look_at(collection):
    """Coverage of new runs needs some that were not pooled."""
    everyone = collection.with_groups(pooled=dict.fromkeys(collection.systems, True))
    found = study_judgments(everyone, ["AP"], questions=["new-systems"], rng=0)
    assert found.covered is None
    assert "results of unpooled runs" in found.unanswered


def test_sizes_fit_the_pool_unless_they_are_named(collection, study):
    """The published sizes reach beyond this pool, so parts of it are taken; named ones are kept."""
    largest = max(study.stability["size"].steps)
    assert largest <= study.original.n_documents.max()
    named = study_judgments(collection, ["AP"], reductions=["size"], questions=["less-judging"], sizes=[7, 50], rng=0)
    assert named.stability["size"].steps == (7.0, 50.0)


REFUSED = {
    "an unknown question": ({"questions": ["les-judging"]}, UnknownNameError, "less-judging"),
    "no question": ({"questions": []}, InvalidOptionError, "`questions` is empty"),
    "an unknown reduction": ({"reductions": ["stratfied"]}, UnknownNameError, "stratified"),
    "an unknown cost": ({"cost": "1999"}, UnknownNameError, "cost"),
    "an impossible tau": ({"min_tau": 1.2}, InvalidOptionError, "min_tau"),
    "too much effort": ({"questions": ["effort"], "steps": [150]}, InvalidOptionError, "at most 100 %"),
    "no draw of effort": ({"questions": ["effort"], "n_replicates": 0}, InvalidOptionError, "n_replicates"),
    "no time for effort": ({"questions": ["effort"], "budget": -1}, InvalidOptionError, "budget"),
    "a level of new systems": ({"questions": ["new-systems"], "alpha": 2.0}, InvalidOptionError, "alpha"),
    "a test of new systems": ({"questions": ["new-systems"], "test": "tt"}, UnknownNameError, "test"),
    "no pool": ({"questions": ["new-systems"], "sizes": [0]}, InvalidOptionError, "`sizes`"),
    "an unknown metric": ({}, UnknownNameError, "nDCG"),
}


@pytest.mark.parametrize(("options", "error", "words"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_done_is_refused(collection, options, error, words):
    """Options outside their rules are named with the rule."""
    with pytest.raises(error, match=words):
        study_judgments(collection, ["AP"] if options else ["nDGC"], **options)


def test_one_run_cannot_be_ranked(collection):
    """A study of one run ends with the reason."""
    with pytest.raises(EstimationError, match="two runs"):
        study_judgments(collection.select(systems=collection.systems[:1]), ["AP"], questions=["less-judging"])


def test_a_budget_is_shared_by_the_reductions(collection):
    """With no time at all every reduction still has its two replicates, and all are there."""
    found = study_judgments(collection, ["AP"], n_replicates=30, questions=["less-judging"], budget=1e-6, rng=0)
    assert {name: one.n_replicates for name, one in found.stability.items()} == {
        "stratified": 2, "random": 2, "relevant": 2, "order": 1,
    }  # fmt: skip


def test_effort_is_cut_off_kept_and_shared_like_every_replicate(collection, tmp_path):
    """A budget ends its replicates, kept ones are taken up again unless damaged, and workers change nothing."""
    options = {"questions": ["effort"], "steps": [50], "rng": 4}
    first = study_judgments(collection, METRICS, n_replicates=30, budget=1e-9, keep=tmp_path, **options)
    assert first.effort.n_replicates == 2
    files = sorted(tmp_path.glob("effort-*.npz"))
    assert len(files) == 2
    before = [path.stat().st_mtime_ns for path in files]
    kept = study_judgments(collection, METRICS, n_replicates=4, keep=tmp_path, n_jobs=2, **options)
    assert [path.stat().st_mtime_ns for path in files] == before
    alone = study_judgments(collection, METRICS, n_replicates=4, **options)
    assert alone.effort.data.identical(kept.effort.data)
    files[1].write_bytes(files[1].read_bytes()[:-3])
    with pytest.warns(ReplicateWarning, match="damaged"):
        again = study_judgments(collection, METRICS, n_replicates=4, keep=tmp_path, **options)
    assert alone.effort.data.identical(again.effort.data)
    other = study_judgments(collection, METRICS, n_replicates=2, keep=tmp_path, **options | {"steps": [70]})
    assert float(other.effort.data["step"][0]) == 70


def test_standard_errors_of_effort_are_over_the_draws_that_rank(study):
    """A draw in which all systems tie is left out of the mean and of the count behind its error."""
    data = study.effort.data.copy(deep=True)
    data["tau"][0] = np.nan
    frame = replace(study.effort, data=data).to_frame()
    own = frame[(frame["plan"] == "sample") & (frame["step"] == 20) & (frame["metric"] == "AP")].iloc[0]
    two = data["tau"].sel(plan="sample", step=20, metric="AP").to_numpy()[1:]
    assert own["tau"] == pytest.approx(two.mean())
    assert own["tau_se"] == pytest.approx(two.std(ddof=1) / np.sqrt(2))


def test_runs_without_their_group_are_tested_at_the_level_asked_for(collection):
    """The share of significant changes follows alpha."""
    left = leave_group_out(collection, ["AP"])
    shares = []
    for alpha in (1e-6, 0.5):
        found = study_judgments(collection, ["AP"], questions=["new-systems"], alpha=alpha, rng=0)
        row = found.tables()["left_out_summary"].iloc[0]
        assert row["significant"] == (left.tests()["p_value"] <= alpha).mean()
        shares.append(row["significant"])
    assert shares[0] < shares[1]


def test_where_less_is_better_a_score_that_fell_is_still_one_that_fell(collection):
    """Rising and falling are of the values; places follow what is better."""
    found = leave_group_out(collection, ["AP"])
    flipped = replace(found, scores=found.scores.assign_coords(higher_is_better=("metric", [False])))
    for name in ("fell", "same", "rose", "mean_change"):
        assert left_out_summary(flipped)[name][0] == left_out_summary(found)[name][0]
    assert left_out_summary(found)["fell"][0] > 0


def test_every_verdict_adds_up_to_the_shares(study):
    """The 3 x 3 tables hold all comparisons, and what is off their diagonals changed."""
    cells, shares = study.tables()["pool_verdicts"], study.tables()["pool_sufficiency"]
    off = cells[cells["full"] != cells["reduced"]].groupby(["metric", "size"])["n"].sum()
    total = cells.groupby(["metric", "size"])["n"].sum()
    assert (total == study.sufficiency.n_comparisons).all()
    pd.testing.assert_series_equal(
        (off / total), shares.set_index(["metric", "size"])["changed"].sort_index(), check_names=False
    )


def test_one_topic_is_ranked_and_not_tested(made):
    """On a single topic nothing is called significant or not."""
    one = made.to_collection(retrieved="all")
    one = one.select(topics=one.topics[:1])
    found = study_judgments(one, ["AP"], n_replicates=2, rng=0)
    tables = found.tables()
    assert "two topics" in found.unanswered["pool sufficiency"]
    assert tables["left_out_summary"]["significant"].isna().all()
    assert tables["stability"]["power_full"].isna().all()


def test_plots_are_figures(study):
    """The study and each of its reductions draw themselves."""
    assert len(study.plot().axes) == len(study.stability)
    assert len(study.stability["stratified"].plot("tau_ap").axes) == 1


def test_a_change_has_one_sign_in_every_table(study):
    """New less old: what fell is negative in the summary, in the intervals and in the tests of runs."""
    tables = study.tables()
    counted = tables["left_out_changes"].query("counted == 'run'").set_index(["keep", "metric", "interval"])["n"]
    for row in tables["left_out_summary"].to_dict("records"):
        own = counted[row["keep"], row["metric"]]
        below = [label for label in own.index if label.split(",")[0][1:].startswith("-")]
        assert own[below].sum() == round(row["fell"] * row["runs"])
        tests = study.left_out[row["keep"]].tests().query("metric == @row['metric']")
        assert tests["change"].mean() == pytest.approx(row["mean_change"])
        moved = tests["change"] != 0
        rise = np.sign(tests["reduced"] - tests["full"])[moved]
        assert (np.sign(tests["change"])[moved] == rise).all()
        assert (np.sign(tests["statistic"])[moved] == rise).all()


def test_what_was_never_judged_at_the_top_is_said():
    """By hand, of two documents on four topics: all of a's are judged, six of b's eight, four of c's; ten of AP."""
    lists = {"a": ["d1", "d2", "d3"], "b": ["d1", "x1", "d2"], "c": ["x1", "d3", "x2"]}
    runs = {name: {f"t{n}": ranked for n in range(4)} for name, ranked in lists.items()}
    runs["b"] |= {"t0": ["d1", "d2", "d3"], "t1": ["d3", "d1", "d2"]}
    qrels = {f"t{n}": {"d1": 1, "d2": 0, "d3": int(n > 1)} for n in range(4)}
    asked = {"reductions": ["random"], "n_replicates": 2, "n_tested": 0, "rng": 1}
    studies = {m: study_judgments(collection_from_rankings(runs, qrels), [m], **asked) for m in ("P@2", "AP")}
    found = {metric: study.notes[0] for metric, study in studies.items()}
    second = studies["P@2"].report().summary[1]
    assert second.startswith("Up to 50.0 % of a run's top 2 documents (c) were never judged: judge these before")
    asked |= {"steps": [50]}
    second = study_judgments(collection_from_rankings(runs, qrels), ["P@2"], **asked).report().summary[1]
    assert second.endswith("(c) were never judged: judge these before you judge less.")
    assert found["P@2"].startswith("never judged: 0.0 % (a) to 50.0 % (c) of a run's top 2 documents")
    assert found["AP"].startswith("never judged: 0.0 % (a) to 66.7 % (c) of a run's top 10 documents")
    whole = {name: {topic: ["d1", "d2", "d3"] for topic in qrels} for name in "ab"} | {"c": runs["a"]}
    whole["b"] = {topic: ["d3", "d2", "d1"] for topic in qrels}
    study = study_judgments(collection_from_rankings(whole, qrels), ["AP"], **asked)
    assert not any("never judged" in said for said in (*study.notes, *study.report().summary))
