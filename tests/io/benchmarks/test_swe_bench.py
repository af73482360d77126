"""Reports of SWE-bench, in the form of its `run_evaluation` (schema version 2), and what may be odd in them."""

import pytest

from metaeval.errors import FileFormatError, ScoresError
from metaeval.io.tables import read_scores
from metaeval.questions.look.study import look

NAMES = [f"repo__proj-{number}" for number in range(12)]


def _report(resolved, submitted=NAMES, *, empty=(), failed=(), **more):
    """Return a report; what was submitted and neither resolved, empty nor failed is unresolved."""
    unresolved = [name for name in submitted if name not in {*resolved, *empty, *failed}]
    lists = {
        "completed": [*resolved, *unresolved], "empty_patch": [*empty], "submitted": [*submitted],
        "resolved": [*resolved], "unresolved": unresolved, "error": [*failed],
    }  # fmt: skip
    counts = {f"{name}_instances": len(listed) for name, listed in lists.items()}
    ids = {f"{name}_ids": listed for name, listed in lists.items()}
    return {"total_instances": len(NAMES), **counts, **ids, "incomplete_ids": [], "schema_version": 2} | more


def _runs(put):
    """Write the three reports of ``cases/evals/19``, after SWE-bench, issue 418."""
    return put({
        "agent.run1.json": _report(NAMES[:7]),
        "agent.run2.json": _report([*NAMES[:6], NAMES[8], NAMES[9]]),
        "other.run1.json": _report(NAMES[:3]),
    })  # fmt: skip


def test_a_file_is_a_system_and_an_instance_an_item(put):
    """Shares of resolved instances are 7/12, 8/12 and 3/12; two runs differ on three instances."""
    scores = read_scores(_runs(put))
    assert scores["metric"].to_numpy().tolist() == ["resolved"]
    means = scores.sel(metric="resolved").mean("topic").to_series().to_dict()
    expected = {"agent.run1": 7 / 12, "agent.run2": 8 / 12, "other.run1": 3 / 12}
    assert means == {name: pytest.approx(value) for name, value in expected.items()}
    gain = (scores.sel(system="agent.run2") - scores.sel(system="agent.run1")).to_numpy().ravel().tolist()
    assert (gain.count(1), gain.count(-1)) == (2, 1)
    assert scores["topic"].to_numpy().tolist() == NAMES


def test_runs_can_be_repeats(put):
    """With repeats in names agent and other are the systems, of two runs and of one."""
    scores = read_scores(_runs(put), repeats_in_names=True)
    assert scores["system"].to_numpy().tolist() == ["agent", "other"]
    means = scores.sel(metric="resolved").mean("repeat").mean("topic").to_numpy().tolist()
    assert means == [pytest.approx(15 / 24), pytest.approx(3 / 12)]


def test_submitted_without_a_result_is_0_and_noted(put, told):
    """An empty patch and an error are no success; they are counted, and so is what was not submitted."""
    put({
        "a.json": _report(NAMES[:5], empty=NAMES[5:7], failed=NAMES[7:8]),
        "b.json": _report(NAMES[:2], total_instances=12) | {"unresolved_ids": NAMES[3:], "unresolved_instances": 9},
    })  # fmt: skip
    scores = read_scores(put({}))
    assert scores.sel(system="a").to_numpy().ravel().tolist() == [1.0] * 5 + [0.0] * 7
    assert told(
        scores,
        "a.json: 3 instances neither resolved nor unresolved, which is 0: 2 with an empty patch, 1 with an error",
    )
    assert told(scores, "b.json: 1 instance neither resolved nor unresolved, which is 0: 1 without a result")
    put({f"{name}.json": _report(NAMES[:at], NAMES[:6]) for name, at in (("a", 5), ("b", 2))})
    scores = read_scores(put({}))
    assert told(scores, "b.json: 6 of 12 instances are neither submitted nor listed: they are no items, but count 0 in")
    assert told(scores, "SWE-bench's rate, which for 2 of 12 is 0.167")


def test_instances_that_were_not_submitted_count_0(put, told):
    """As in SWE-bench's rate, resolved_instances of total_instances: listed by the report, or by another one."""
    listed = {"incomplete_ids": NAMES[8:]}
    put({"a.json": _report(NAMES[:6]), "b.json": _report(NAMES[:4], NAMES[:8]) | listed})
    scores = read_scores(put({}))
    assert scores.sel(system="b").to_numpy().ravel().tolist() == [1.0] * 4 + [0.0] * 8
    assert told(scores, "b.json: 8 of 12 instances were submitted, and 4 others count 0, as in SWE-bench's rate")
    put({"b.json": _report(NAMES[:3], NAMES[:11])})
    assert read_scores(put({})).sel(system="b").to_numpy().sum() == 3
    put({"a.json": _report(NAMES[:4], NAMES[:8]) | listed, "b.json": _report(NAMES[:5], NAMES[:8]) | listed})
    assert read_scores(put({})).sizes["topic"] == 12  # of which nobody submitted 4


def test_instances_of_which_a_report_does_not_know_are_gaps(put):
    """Where both say that they submitted all that there is, of 11 and of 12 instances, one is missing."""
    put(
        {
            "a.json": _report(NAMES[:7], total_instances=None),
            "b.json": _report(NAMES[:3], NAMES[:11], total_instances=None),
        }
    )
    with pytest.raises(ScoresError, match="no score for system 'b' on item 'repo__proj-11'"):
        read_scores(put({}))


FAULTS = {
    "resolved twice": (_report([*NAMES[:2], NAMES[1]]), r"resolved_ids: 'repo__proj-1' appears twice"),
    "not submitted": (_report(["x"], NAMES), r"resolved_ids: 'x' was not submitted \(submitted_ids\)"),
    "another number": (
        _report(NAMES[:3]) | {"resolved_ids": NAMES[:2]},
        r"resolved_ids: 2 are listed, and resolved_instances is 3",
    ),
    "both": (
        _report(NAMES[:3], unresolved_ids=NAMES[2:], unresolved_instances=10),
        r"unresolved_ids: 'repo__proj-2' is under resolved_ids too",
    ),
    "no list": (_report([], resolved_ids={}), r"resolved_ids: the instances of a report are a list"),
    "no name": (_report([], submitted_ids=[None], submitted_instances=1), r"submitted_ids\[0\]: .* not null"),
}


@pytest.mark.parametrize(("report", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_faulty_reports(put, report, message):
    """The refusal names the file and the key."""
    with pytest.raises(FileFormatError, match=rf"a\.json: {message}"):
        read_scores(put({"a.json": report, "b.json": _report(NAMES[:2])}))


def test_an_old_report_says_what_it_lacks(put):
    """Of one that lists what was resolved alone nobody can say what failed."""
    path = put({"a.json": {"no_generation": [], "no_logs": NAMES[9:10], "resolved": NAMES[:3]}})
    with pytest.raises(FileFormatError, match="not what was tried in vain; give one of swebench 2 or later"):
        read_scores(path)


def test_what_look_prints_counts_instances_that_were_not_submitted_as_failed(put):
    """Of 12 instances b submitted 8 and resolved 4 of them, which are 4/12 = .333 against 6/12."""
    study = look(str(put({"a.json": _report(NAMES[:6]), "b.json": _report(NAMES[:4], NAMES[:8])})))
    assert not study.scores.isnull().any()
    assert "(0.500 against 0.333; " in study.report().summary[0]
