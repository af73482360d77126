"""Panels of judges: a literal covariance, designs that are known, second people, real judges, what has no answer."""

import tarfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from metaeval.agreement.labels import Labels, as_labels
from metaeval.agreement.panels import judge_panel
from metaeval.errors import EstimationError, InvalidOptionError, ScoresError, UnknownNameError
from metaeval.io.labels import read_labels
from metaeval.questions.judges.study import study_judges
from metaeval.table.scores import as_scores


def labelled(seed=0, *, judges=4, topics=12, items=30, shared=0.0, noise=0.5, gaps=0.0):
    """Return labels of judges with errors of their own (variance 1) and shared ones, of a person, and of a second."""
    rng = np.random.default_rng(seed)
    n = topics * items
    truth, common = rng.normal(size=n), np.sqrt(shared) * rng.normal(size=n)
    table = {"ann": truth + np.sqrt(noise) * rng.normal(size=n), "ben": truth + np.sqrt(noise) * rng.normal(size=n)}
    table |= {f"j{one}": truth + common + rng.normal(size=n) for one in range(judges)}
    frame = pd.DataFrame(table)
    frame = frame.mask(rng.random(frame.shape) < gaps)
    names = [np.repeat(np.arange(topics), items).astype(str), np.arange(n).astype(str)]
    frame.index = pd.MultiIndex.from_arrays(names, names=["topic", "item"])
    return Labels(table=frame, scale=(0, 1), outside=pd.DataFrame(columns=["topic", "item", "judge", "label"]))


def effective(found, panel="all", kind="effective"):
    """Return the effective number of a panel."""
    return found.table.set_index("panel").loc[panel, kind]


def test_the_number_is_that_of_a_literal_covariance():
    """Of errors beside one person, and beside two crosswise, on the items that all labelled."""
    labels = labelled(1, shared=0.4, gaps=0.05)
    found = judge_panel(labels, reference="ann", people=["ben"])
    whole = labels.table.dropna()
    judges = whole.drop(columns=["ann", "ben"]).to_numpy().T
    one, two = (judges - whole[name].to_numpy() for name in ("ann", "ben"))
    seen = np.cov(one, bias=True)
    crossed = np.cov(one, two, bias=True)[:4, 4:]
    for kind, covariance in (("effective", seen), ("net", crossed)):
        assert effective(found, kind=kind) == pytest.approx(4 * np.trace(covariance) / covariance.sum())
        tied = (covariance.sum() - np.trace(covariance)) / (3 * np.trace(covariance))
        assert effective(found, "three", kind) == pytest.approx(3 / (1 + 2 * tied))
        assert effective(found, "any number", kind) == pytest.approx(1 / tied)
    assert found.reference_share[0] == pytest.approx(1 - np.trace(crossed) / np.trace(seen))
    assert found.n_items == len(whole)


def test_on_one_scale_no_judge_loses_by_its_own():
    """A literal rescaling, topic by topic; any scale of a judge gives the same; one label for all is their mean."""
    labels = labelled(2, topics=5, items=8)
    found = judge_panel(labels, reference="ann", people=["ben"], rescaled=True)
    table, topics = labels.table, labels.table.index.get_level_values("topic")
    for name in ("j0", "j1", "j2", "j3"):
        parts = []
        for topic in topics.unique():
            here, others = table[topics == topic], table[topics != topic]
            stretched = others["ann"].std(ddof=0) / others[name].std(ddof=0)
            parts.append(others["ann"].mean() + (here[name] - others[name].mean()) * stretched - here["ann"])
        error = found.judges.set_index("judge")["error"][name]
        assert error == pytest.approx(pd.concat(parts).std(ddof=0))
    other = table.assign(j0=3 * table["j0"] - 7, j1=table["j1"] / 10)
    again = judge_panel(replace(labels, table=other), reference="ann", people=["ben"], rescaled=True)
    pd.testing.assert_frame_equal(found.table, again.table)
    pd.testing.assert_frame_equal(found.judges, again.judges)
    flat = judge_panel(replace(labels, table=table.assign(j0=1.0)), reference="ann", rescaled=True)
    assert flat.judges.set_index("judge")["error"]["j0"] == pytest.approx(flat.constant, rel=0.05)
    alike = replace(labels, table=table[["ann"]].assign(a=2 * table["ann"], b=table["ann"] + 1))
    with pytest.raises(EstimationError, match="throughout"):
        judge_panel(alike, reference="ann", rescaled=True)
    with pytest.raises(EstimationError, match="ann gave one label alone"):
        judge_panel(replace(labels, table=table.assign(ann=1.0)), reference="ann", rescaled=True)
    with pytest.raises(InvalidOptionError, match="`rescaled` is for labels"):
        judge_panel(np.random.default_rng(0).normal(size=(3, 4, 9)), reference="metric1", rescaled=True)


@given(st.integers(0, 200), st.floats(0, 2), st.floats(0, 2))
def test_second_people_take_out_the_noise_of_the_reference(seed, shared, noise):
    """Net, it is the number of the judges' own errors, however noisy the person is."""
    found = judge_panel(labelled(seed, shared=shared, noise=noise, topics=30), reference="ann", people={"ben": 1.0})
    seen, net = (4 / (1 + 3 * part / (1 + part)) for part in (shared + noise, shared))
    assert effective(found) == pytest.approx(seen, rel=0.25)
    assert effective(found, kind="net") == pytest.approx(net, rel=0.25)
    assert found.reference_share[0] == pytest.approx(noise / (1 + shared + noise), abs=0.15)


def test_differences_between_systems():
    """Literally, of mean scores; what all systems share does not count, nor the order of topics."""
    rng = np.random.default_rng(2)
    values = rng.normal(size=(5, 8, 20))
    scores = as_scores(values, metrics=["ann", "a", "b", "c", "d"])
    found = judge_panel(scores, reference="ann")
    errors = (values[1:] - values[0]).mean(axis=2)
    covariance = np.cov(errors)
    assert effective(found) == pytest.approx(4 * np.trace(covariance) / covariance.sum())
    assert found.judges.set_index("judge")["error"].loc[["a", "b"]].tolist() == pytest.approx(
        np.sqrt(np.diagonal(covariance))[:2].tolist()
    )
    moved = values + rng.normal(size=(5, 1, 20))
    again = judge_panel(as_scores(moved, metrics=["ann", "a", "b", "c", "d"]), reference="ann")
    assert again.table["effective"].tolist() == pytest.approx(found.table["effective"].tolist())
    turned = judge_panel(scores.isel(topic=slice(None, None, -1)), reference="ann")
    assert turned.table["effective"].tolist() == pytest.approx(found.table["effective"].tolist())


def test_the_best_panel_is_that_of_the_good_judges():
    """Three judges of ten err less; they are chosen, and worth more than all ten."""
    labels = labelled(3, judges=10)
    table = labels.table.copy()
    for name in ("j3", "j5", "j8"):
        table[name] = table["ann"] + (table[name] - table["ann"]) / 4
    found = judge_panel(Labels(table=table, scale=(0, 1), outside=labels.outside), reference="ann")
    assert sorted(found.judges["judge"].head(3)) == ["j3", "j5", "j8"]
    assert (found.judges["chosen"].head(3) == 1).all()
    assert effective(found, "best three") > effective(found, "best one") > effective(found)


def test_real_judges_beside_one_person(data_folder):
    """33 judges of LLMJudge: worth one and a half."""
    path = data_folder / "llmjudge-dl23" / "judgments.csv.gz"
    if not path.exists():
        pytest.skip(f"no judges in {path}")
    frame = pd.read_csv(path).rename(columns={"qid": "topic", "pid": "item"}).set_index(["topic", "item"])
    found = judge_panel(as_labels(frame.clip(0, 3)), reference="human")
    row = found.table.set_index("panel")[["effective", "effective_low", "effective_high"]].round(2)
    assert row.loc["all"].tolist() == [1.54, 1.43, 1.66]
    assert row.loc["three"].tolist() == [1.32, 1.26, 1.38]
    assert (row.loc["best one"].iloc[0], row.loc["best three"].iloc[0]) == (1.21, 1.4)


def test_what_has_no_answer():
    """One judge, nobody of the name, one topic, judges without errors, a level that is none."""
    labels = labelled()
    with pytest.raises(ScoresError, match="two judges beside ann"):
        judge_panel(labels.select(["ann", "j0"]), reference="ann")
    with pytest.raises(InvalidOptionError, match="judge"):
        judge_panel(labels, reference="eve")
    with pytest.raises(ScoresError, match="two topics"):
        judge_panel(labelled(topics=1), reference="ann")
    with pytest.raises(EstimationError, match="agrees with metric1 throughout"):
        judge_panel(np.tile(np.random.default_rng(0).random((1, 3, 6)), (3, 1, 1)), reference="metric1")
    with pytest.raises(InvalidOptionError, match="confidence_level"):
        judge_panel(labels, reference="ann", confidence_level=2)


def test_one_label_for_all_errs_as_the_reference_varies():
    """The yardstick of what a panel gains by judges that know nothing, of labels and of differences."""
    rng = np.random.default_rng(3)
    names = pd.MultiIndex.from_product([map(str, range(6)), map(str, range(30))], names=["topic", "item"])
    truth = rng.integers(0, 4, len(names))
    frame = pd.DataFrame({"people": truth, "near": truth + (rng.random(len(names)) < 0.2), "flat": 1}, index=names)
    found = judge_panel(as_labels(frame), reference="people")
    errors = found.judges.set_index("judge")["error"]
    assert found.constant == pytest.approx(errors["flat"])
    assert errors["near"] < found.constant
    scores = np.stack([rng.normal(size=(5, 40)), np.zeros((5, 40)), rng.normal(size=(5, 40))])
    found = judge_panel(scores, reference="metric1")
    assert found.constant == pytest.approx(found.judges.set_index("judge")["error"]["metric2"])


def test_real_judges_beside_two_sets_of_people(data_folder, tmp_path, checkout):
    """Six judges of DL 2019 as the guide has them: the people show that NIST's noise is most of their errors."""
    judged, first = data_folder / "llm-judges-dl19", data_folder / "trec-dl19-passage"
    if not judged.is_dir() or not first.is_dir():
        pytest.skip(f"no llm-judges-dl19 and trec-dl19-passage in {data_folder}")
    with tarfile.open(judged / "auto-qrels.tar.xz") as packed:
        packed.extractall(tmp_path, filter="data")
    models, prompts = ("gpt-4", "gpt-4o", "llama3.2"), ("umbrela", "binary")
    inputs = [f"{one}-{way}={tmp_path}/auto-qrels/{one}/{way}.txt" for one in models for way in prompts]
    inputs = [f"nist={first / 'qrels.txt.gz'}", *inputs, str(judged / "second-humans.csv.gz")]
    labels = as_labels(read_labels(inputs, duplicates="first"))
    study = study_judges(labels, reference="nist", people=list("ABCDEFGH"), n_resamples=2, rng=0)
    rows = study.labelling.panel.table.set_index("panel")
    told = rows.loc["all", ["effective", "effective_low", "effective_high", "net", "net_low", "net_high"]].tolist()
    guide = (checkout / "docs" / "where-does-the-noise-come-from.md").read_text("utf-8").replace("\n", " ")
    guide = guide[guide.index("On TREC DL 2019") :]
    ours, net = ("{:.1f} [{:.1f}, {:.1f}]".format(*part) for part in (told[:3], told[3:]))
    assert f"worth {ours} beside NIST" in guide
    assert f"they are worth {net}, and three of them {rows.loc['three', 'net']:.1f}" in guide


def _literal_tie(errors):
    """Mean covariance of two judges over the mean variance of one; errors (judge, system)."""
    covariance = np.cov(errors)
    n = len(covariance)
    return (covariance.sum() - np.trace(covariance)) / ((n - 1) * np.trace(covariance))


def test_the_interval_leaves_out_topics_and_systems():
    """Literally: the tie without each topic and without each system, a t interval, and the number at its ends."""
    values = np.random.default_rng(4).normal(size=(4, 60, 40))
    apart = values[1:] - values[0]
    parts = [np.array([_literal_tie(np.delete(apart, one, 2).mean(axis=2)) for one in range(40)])]
    parts += [np.array([_literal_tie(np.delete(apart, one, 1).mean(axis=2)) for one in range(60)])]
    error = np.sqrt(sum((len(one) - 1) / len(one) * ((one - one.mean()) ** 2).sum() for one in parts))
    tie, half = _literal_tie(apart.mean(axis=2)), t.ppf(0.975, 39) * error
    row = judge_panel(values, reference="metric1").table.set_index("panel").loc["all"]
    assert row["effective"] == pytest.approx(3 / (1 + 2 * tie))
    assert row["effective_low"] == pytest.approx(3 / (1 + 2 * (tie + half)))
    assert row["effective_high"] == pytest.approx(3 / (1 + 2 * (tie - half)))


def test_best_panels_are_chosen_on_the_other_half():
    """Literally, over the same halves: the best one of either half, and what it errs on the other."""
    values = np.random.default_rng(6).normal(size=(6, 7, 10))
    apart, draw = values[1:] - values[0], np.random.default_rng(0)
    errors, single = [], []
    for order in [draw.permutation(10) for _ in range(20)]:
        halves = [np.var(apart[:, :, kept].mean(axis=2), axis=1, ddof=1) for kept in (order < 5, order >= 5)]
        errors += [halves[0][halves[1].argmin()], halves[1][halves[0].argmin()]]
        single += [halves[0].mean(), halves[1].mean()]
    found = judge_panel(values, reference="metric1")
    assert effective(found, "best one") == pytest.approx(np.mean(single) / np.mean(errors))


def test_the_reference_is_no_second_person():
    """People are others than the reference, whose own noise a copy of it would hide."""
    scores = as_scores(np.random.default_rng(0).random((3, 5, 12)), metrics=["nist", "a", "b"])
    with pytest.raises(UnknownNameError, match=r"no person beside the reference 'nist'\. Known: a, b"):
        judge_panel(scores, reference="nist", people=["nist"])


def test_a_panel_of_labels_without_topics_says_that_topics_are_missing():
    """Topics are what is drawn: of items alone the reason is the lack of a column, not of labelled items."""
    labels = labelled(3, topics=1)
    with pytest.raises(ScoresError, match="draws topics, and no column names those of the labels of ann"):
        judge_panel(replace(labels, by_item=True), reference="ann")
