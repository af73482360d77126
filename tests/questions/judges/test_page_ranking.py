# ruff: noqa: RUF001 - Greek letters and the true minus sign are what is tested
"""The sentences on who labels best, and who is behind: for one judge, two and many, by rule."""

import numpy as np
import pandas as pd
import pytest

from metaeval.agreement.alt_test import alt_test
from metaeval.agreement.labels import as_labels
from metaeval.page.blocks import Text
from metaeval.page.html import render_page
from metaeval.questions.judges.page import judges_report
from metaeval.questions.judges.page_labels import best_words, judge_ranking_section, ranking_figures
from metaeval.questions.judges.study import study_judges
from metaeval.reports.alt_test import alt_figures, alt_section, alt_words


def labels_of(columns, *, n_topics=20):
    """Make labels of arrays, items dealt out to the topics in turn."""
    n = len(next(iter(columns.values())))
    index = pd.MultiIndex.from_arrays(
        [[str(place % n_topics) for place in range(n)], [f"d{place}" for place in range(n)]], names=["topic", "item"]
    )
    return as_labels(pd.DataFrame(columns, index=index, dtype=float))


def noisy(truth, share, *, seed, n_grades=4):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(len(truth)) < share, rng.integers(0, n_grades, len(truth)), truth)


TRUTH = np.random.default_rng(0).integers(0, 4, 400)
ORDERS = (
    *("place 1", "agrees most", "best first", "order all judges", "orders the judges"),
    *("Less the best", "truly best", "the best judge"),
)


def more_of(study):
    """Return the words below the table."""
    (section,) = judge_ranking_section(study.labelling, brief=True)
    return [words for block in section.blocks if isinstance(block, Text) for words in block.paragraphs]


def words_of(columns, **options):
    study = study_judges(labels_of({"nist": TRUTH} | columns), reference="nist", n_resamples=300, rng=0, **options)
    words = (best_words(study.labelling, study.labelling.ranking), *more_of(study))
    return study, words  # how far resamples settle the ends


@pytest.mark.parametrize("third", [False, True])
def test_judges_of_other_topics_stand_apart(third):
    """Two without a common topic are not compared, in sentences, key figures and table; the page orders nobody."""
    even = np.arange(400) % 20 < 12  # 20 topics, dealt out in turn
    columns = {"a": np.where(even, noisy(TRUTH, 0.3, seed=1), np.nan), "b": np.where(even, np.nan, TRUTH)}
    columns |= {"c": noisy(TRUTH, 0.5, seed=2)} if third else {}
    study, (best, *more) = words_of(columns)
    assert ("not compared, with no common topic: a" if third else "no other labelled a topic that b labelled") in best
    assert more == (["Behind b on 8 topics: 1 of 2 other judges. Not compared: a."] if third else [])
    found, figures = (
        study.labelling.ranking,
        ranking_figures(study.labelling, study.labelling.ranking).frame.set_index("judge"),
    )
    table = judge_ranking_section(study.labelling, brief=True)[0].blocks[1]
    page = study.report()
    said = [one for one in ORDERS if one in render_page(page, drawings={one.name: () for one in page.pictures()})]
    assert found.ordered == third
    places = found.table.set_index("judge")[["quadratic_kappa_rank", "kappa_rank", "alpha_rank"]]
    assert places.notna().all(axis=1).to_dict() == {"a": False, "b": third} | ({"c": True} if third else {})
    if third:
        assert figures.loc["a", "behind"] == "no common topics"
        assert "no common topics" in table.frame["difference_interval"].tolist()
        assert set(said) == {"place 1", "agrees most", "Less the best", "truly best", "the best judge"}
    else:
        assert said == []


def test_nobody_is_the_best_of_judges_without_common_topics():
    """Of three on different topics none agrees most, and none has a place, beside people too."""
    topic = np.arange(400) % 20 % 3
    columns = {f"j{place}": np.where(topic == place, noisy(TRUTH, 0.3, seed=place), np.nan) for place in range(3)}
    columns |= {name: noisy(TRUTH, 0.2, seed=seed) for seed, name in enumerate(("ann", "ben"), 9)}
    study = words_of(columns, people=["ann", "ben"])[0]
    page = study.report()
    assert page.summary[1].startswith("No judge is said to agree most with nist: no other labelled a topic that j")
    assert [one for one in ORDERS if one in render_page(page, drawings={one.name: () for one in page.pictures()})] == []


def test_one_judge_has_no_place():
    """With a single judge there is its kappa, whether it labels higher, as made here, and no word on others."""
    study, words = words_of({"model": np.minimum(noisy(TRUTH, 0.3, seed=1) + 1, 3)})
    row = study.labelling.agreement.pairs.iloc[0]
    low, high = row["quadratic_kappa_low"], row["quadratic_kappa_high"]
    kappa = f"{row['quadratic_kappa']:.2f} [{low:.2f}, {high:.2f}]"
    by, *ends = study.labelling.ranking.table[["bias", "bias_low", "bias_high"]].iloc[0]
    higher = f"gives higher labels, by {by:.2f} [{ends[0]:.2f}, {ends[1]:.2f}] on average"
    assert words == (f"model has a κ with quadratic weights of {kappa} with nist, and {higher}.",)
    _, plain = words_of({"model": noisy(TRUTH, 0.3, seed=1)})
    assert "on average" not in plain[0]
    assert [column.name for column in ranking_figures(study.labelling, study.labelling.ranking).columns] == [
        "judge",
        "written",
        "same_written",
    ]


@pytest.mark.parametrize(("share", "told"), [(0.9, True), (0.32, False)])
def test_two_judges_differ_or_cannot_be_told_apart(share, told):
    """Of two the difference is given with its interval over the same topics."""
    study, (best, *_) = words_of({"good": noisy(TRUTH, 0.3, seed=1), "bad": noisy(TRUTH, share, seed=2)})
    first, second = study.labelling.ranking.table.to_dict("records")
    ends = [-second[name] for name in ("difference", "difference_high", "difference_low")]
    apart = "{:.2f} [{:.2f}, {:.2f}]".format(*ends).replace("-", "−")
    assert ranking_figures(study.labelling, study.labelling.ranking).frame["behind"].tolist() == ["–", apart]
    assert best.startswith("No judge clearly agrees most with nist: ") == (not told)
    assert first["judge"] in best
    assert len(study.labelling.ranking.open_to_best()) == 2 - told


def test_of_many_the_best_is_named_with_those_that_cannot_be_told_from_it():
    """The first sentence gives the best, how many are level with it and how many behind: the table's numbers."""
    judges = {f"good{place}": noisy(TRUTH, 0.3, seed=place) for place in range(5)}
    judges |= {f"bad{place}": noisy(TRUTH, 0.9, seed=9 + place) for place in range(2)}
    study, (best, more) = words_of(judges)
    found = study.labelling.ranking
    level = found.open_to_best()
    assert {name[:-1] for name in level} == {"good"}
    assert best.startswith(f"No judge clearly agrees most with nist: {level[0]} leads (κ with quadratic weights 0.")
    assert best.endswith(f", but {len(level) - 1} others do not differ significantly.")
    assert more == f"Behind {level[0]} on 20 topics: {7 - len(level)} of 6 other judges."
    (section,) = judge_ranking_section(study.labelling, brief=True)
    picture, table, _ = section.blocks
    assert picture.title == "Agreement with nist"
    assert table.frame["judge"].tolist() == found.table["judge"].tolist()


def test_one_topic_tells_of_no_other():
    """Nothing is said to be behind on one topic."""
    columns = {"nist": TRUTH, "a": noisy(TRUTH, 0.1, seed=1), "b": noisy(TRUTH, 0.9, seed=1)}
    study = study_judges(labels_of(columns, n_topics=1), reference="nist", n_resamples=50, rng=0)
    assert "; one topic gives no interval" in best_words(study.labelling, study.labelling.ranking)
    assert more_of(study) == ["Behind a on 1 topic: 0 of 1 other judge."]


def test_with_people_the_three_figures_stand_side_by_side():
    """The alt-test's place is beside that of kappa, and may be another."""
    rng = np.random.default_rng(5)
    truth = rng.choice([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3], 600)
    people = {name: noisy(truth, 0.2, seed=seed) for seed, name in enumerate(("ann", "ben"))}
    judges = {"zero": np.zeros(600), "model": noisy(truth, 0.4, seed=7), "other": noisy(truth, 0.5, seed=8)}
    study = study_judges(
        labels_of({"nist": truth} | people | judges),
        reference="nist",
        people=["ann", "ben"],
        scoring="accuracy",
        n_resamples=200,
        rng=0,
    )
    (section,) = judge_ranking_section(study.labelling, brief=True)
    zero = section.blocks[1].frame.set_index("judge").loc["zero"]
    assert (zero["quadratic_kappa"], zero["quadratic_kappa_rank"], zero["alt_rank"]) == (0.0, 3, 1)
    labels = [column.label for column in section.blocks[1].columns]
    assert [label for label in labels if label in {"α", "κ, plain", "Alt-test, ω"}] == ["α", "κ, plain", "Alt-test, ω"]
    assert len(alt_section(study.alt)) == 1
    assert "ann" not in study.labelling.ranking.table["judge"].tolist()


def test_the_rule_of_the_alt_test_is_about_losses_less_wins():
    """A judge that loses more than a fifth of the items and wins as many passes at .2: the words must not deny it."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 600)
    slip = {name: (rng.random(600) < 0.4).astype(int) for name in ("ann", "ben", "model")}
    given = pd.DataFrame({name: truth ^ own for name, own in slip.items()})
    alt = alt_test(given[["ann", "ben"]], given[["model"]], scoring="accuracy")
    assert alt.judges["passes"].item()
    assert ((1 - alt.people["judge_wins"]) > alt.epsilon).any()  # loses on more than epsilon of the items
    words = alt_words(alt)
    assert words == "Yes: model may replace a person as a labeller (ω 1.00; half is enough, ε 0.2)."
    rule = "against whom the judge loses no more than ε = 0.2 of the items net"
    assert rule in alt_figures(alt).caption
    (section,) = alt_section(alt)
    assert "the items that the judge loses, minus those it wins, are significantly below ε" in section.blocks[0].caption
    both = alt_test(given[["ann", "ben"]], given[["model"]].assign(coin=slip["ann"]), scoring="accuracy")
    assert alt_words(both).startswith(("Yes: both judges may replace", "Some may: "))


def test_the_page_without_runs_says_three_things_first():
    """Who labels best, what to quote, and what runs would add; the title does not promise systems."""
    study, words = words_of({"good": noisy(TRUTH, 0.2, seed=1), "bad": noisy(TRUTH, 0.8, seed=2)})
    page = judges_report(study)
    assert page.summary[0] == words[0]
    assert page.summary[1].startswith("Quote the difference from the best judge with its interval")
    assert page.summary[2].startswith("Pass --runs to compare system rankings, significant pairs and group bias")
    assert page.title == "Who agrees with nist?"


def test_the_page_of_dl23(data_folder):
    """On the labels of TREC DL 2023 the first sentence names the best judge."""
    frame = pd.read_csv(data_folder / "llmjudge-dl23" / "judgments.csv.gz", dtype={"qid": str, "pid": str})
    frame = frame.set_index(["qid", "pid"]).rename_axis(["topic", "item"])
    labels = as_labels(frame, scale=(0, 1, 2, 3), outside="drop")
    study = study_judges(labels, reference="human", rng=0)
    first, _, third = judges_report(study).summary
    assert first.startswith(
        "No judge clearly agrees most with human: Olz-gpt4o leads (κ with quadratic weights 0.51 [0.40, 0.61]), but "
    )
    assert "Pass --runs to compare system rankings" in third


@pytest.mark.parametrize("topics", [1, 3])
def test_nobody_is_told_to_quote_an_interval_that_is_not_there(topics):
    """On one topic no figure has an interval, and no sentence asks for one."""
    given = {name: {} for name in ("human", "j1", "j2")}
    for topic in range(topics):
        own = {f"d{topic}{place}": (topic + place) % 2 for place in range(3)}
        for name, of_judge in given.items():
            of_judge[f"t{topic}"] = {item: 1 - label if name == "j2" else label for item, label in own.items()}
    summary = judges_report(study_judges(as_labels(given), reference="human", n_resamples=50, rng=0)).summary
    assert any("with its interval" in words for words in summary) == (topics > 1)


def test_people_who_agree_little_qualify_a_judge_that_may_replace_them():
    """Two people with a κ of .1 by construction beside a judge of .8: both stand in the first paragraph."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 400)
    slips = {"ann": 0.45, "ben": 0.45, "model": 0.1}
    said = {name: np.where(rng.random(400) < share, 1 - truth, truth) for name, share in slips.items()}
    labels = as_labels(pd.DataFrame({"truth": truth, **said}))
    study = study_judges(labels, reference="truth", people=["ann", "ben"], n_resamples=20, rng=0)
    first = study.report().summary[0]
    kappas = study.labelling.agreement.pairs.set_index("second")["kappa"]
    assert kappas[["ann", "ben"]].max() < 0.3
    assert kappas["model"] > 0.6
    assert first.startswith("Yes, beside people who agree little themselves: model may replace a person")
    assert (
        f"{kappas['ann']:.2f} of ann and {kappas['ben']:.2f} of ben. Of the people alone: Krippendorff’s α 0.0" in first
    )
    alone = study_judges(labels, reference="truth", people="ann", n_resamples=20, rng=0)
    assert alone.people == ("ann",)


def test_the_winning_rates_of_the_first_sentence_are_of_the_judges_it_names():
    """A judge of noise has ω 0 by construction, and is neither named nor in the range of those that pass."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 600)
    slip = {name: (rng.random(600) < 0.2).astype(int) for name in ("ann", "ben", "model")}
    given = pd.DataFrame({name: truth ^ own for name, own in slip.items()}).assign(noise=1 - truth)
    alt = alt_test(given[["ann", "ben"]], given[["model", "noise"]], scoring="accuracy")
    assert alt.judges.set_index("judge")["winning_rate"].to_dict() == {"model": 1.0, "noise": 0.0}
    assert alt_words(alt).startswith(
        "Some may: model (1 of 2 judges) may replace a person as a labeller (ω 1.00; half is enough"
    )
