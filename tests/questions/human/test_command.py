# ruff: noqa: RUF001 - a page writes a minus sign
"""`metaeval human`: tables, reports and JSON from metrics and human scores."""

import html

import numpy as np
import pandas as pd
import pytest

from metaeval.base.words import number


@pytest.fixture
def scores(tmp_path):
    """Six systems on ten documents, a human score and two metrics."""
    rng = np.random.default_rng(1)
    human = np.linspace(0, 2, 6)[:, None] + rng.normal(0, 1, (6, 10))
    frame = pd.DataFrame(
        {
            "system": np.repeat([f"s{i}" for i in range(6)], 10),
            "doc": np.tile([f"d{i}" for i in range(10)], 6),
            "human": human.ravel(),
            "A": (human + rng.normal(0, 0.5, human.shape)).ravel(),
            "B": rng.normal(0, 1, human.size),
        }
    )
    frame.to_csv(tmp_path / "scores.csv", index=False)
    return frame


def test_the_answer_as_json(command, scores):
    """Agreement, comparisons and decisions stand in the JSON; the value is that of the means."""
    rows = command("human", "scores.csv", "--reference", "human", "--resamples", "50", "--json").json()["results"]
    row = next(r for r in rows if (r["level"], r["statistic"], r["metric"]) == ("system", "pearson", "A"))
    means = scores.groupby("system")[["human", "A"]].mean()
    assert row["value"] == pytest.approx(means.corr().iloc[0, 1])
    assert {r["level"] for r in rows} == {"system", "item", "pairs", "decisions", "permutation", "williams"}


def _is(part, full):
    """Whether a figure is printed as it is, with as many digits as its resamples settle."""
    digits = len(part.partition(".")[2])
    exact = full.replace("−", "-")
    return part.replace("−", "-") == (f"{float(exact):.{digits}f}" if digits and "." in full else exact)


def test_the_answer_in_words_and_as_a_page(command, scores, tmp_path):
    """The terminal shows the tables of agreement, the page all and the pictures, also where only means are known."""
    words = ("human", "scores.csv", "--reference", "human", "--resamples", "50", "--permute", "both")
    rows = {(r["metric"], r["level"], r["statistic"]): r for r in command(*words, "--json").json()["results"]}
    shown = command(*words).out
    for title in ("Key figures", "Agreement with human", "Metrics that agree significantly"):
        assert title in shown
    assert command(*words, "--out", "page").code == 0
    decided, on_pairs = (pd.read_csv(f"page/tables/{name}.csv", index_col=0) for name in ("decisions", "human-pairs"))
    for metric in "AB":
        lines = [line.split() for line in shown.splitlines() if line.startswith(f"{metric}  ")]
        key, over, on_items, wins = (" ".join(line) for line in lines)
        for line, level in ((over, "system"), (on_items, "item")):
            cells = [rows[metric, level, name] for name in ("pearson", "kendall", "accuracy")]
            shares = [tuple(map(number(3), (one["value"], one["low"], one["high"]))) for one in cells]
            written = " ".join("{} {} to {}".format(*one) for one in shares)
            told = iter(line.replace(",", "").split())
            for full in f"{metric} {written} 6 10 60{' 10' * (level == 'item')}".split():
                part = next(told)
                if part == "each":  # ± the error of both ends, which may stand in the next line of the cell
                    assert next(told) == "±"
                    part = next(told)
                    part = part if _is(part, full) else next(told)
                assert _is(part, full)
            assert set(told) <= {"each", "±"}
        assert wins == f"{metric} {'1 0' if metric == 'A' else '0 1'}"
        for name in ("n_metric", "n_human", "n_shared", "n_conflicts", "f1"):
            assert decided.loc[metric, name] == pytest.approx(rows[metric, "decisions", name]["value"])
        assert key.endswith(f"{rows[metric, 'decisions', 'f1']['value']:.3f}")
        assert on_pairs.loc[metric, "tau"] == pytest.approx(rows[metric, "pairs", "tau"]["value"])
    assert "Do the metrics agree with people?" in (tmp_path / "page" / "index.html").read_text()
    means = scores.groupby("system")[["human", "A", "B"]].mean().reset_index()
    means.to_csv(tmp_path / "means.csv", index=False)
    ended = command("human", "means.csv", "--reference", "human", "--out", "means-page")
    assert ended.code == 0
    assert "Each system has a single score" in (tmp_path / "means-page" / "index.html").read_text()


def summary(command, tmp_path, *words):
    """Write the page and return its text."""
    ended = command("human", "scores.csv", "--reference", "human", "--resamples", "200", "--out", "page", *words)
    assert ended.code == 0
    return html.unescape((tmp_path / "page" / "index.html").read_text())


def test_two_metrics_are_compared_in_plain_words(command, scores, tmp_path):
    """The page says which is better, or that none is, without counting one other."""
    page = summary(command, tmp_path, "--permute", "both")
    assert "Partly: 1 of 2 metrics agree with people beyond chance, best A (Pearson's r 0." in page
    assert "A is significantly better than 1 of 1 other metric (permutation" in page
    scores.assign(B=scores["A"] + 0.01 * scores["B"]).to_csv(tmp_path / "scores.csv", index=False)
    page = summary(command, tmp_path, "--overwrite")
    assert "Yes: both metrics agree with people beyond chance, best A and B (Pearson's r" in page
    assert "No pairs of them differ significantly (permutation" in page


def test_one_or_three_metrics_in_plain_words(command, scores, tmp_path):
    """One metric is not called the best; the best of three is told from those that are as good and those that are not.

    A copy of the best metric is not significantly worse than it, and a metric of noise is.
    """
    scores.assign(copy=scores["A"] + 0.01 * scores["B"]).to_csv(tmp_path / "scores.csv", index=False)
    page = summary(command, tmp_path, "--correction", "none", "--permute", "both")
    assert "Partly: 2 of 3 metrics agree with people beyond chance, best A and copy (Pearson's r" in page
    assert "A and copy are each significantly better than 1 of 2 other metrics" in page
    assert "not significantly worse than any other" not in page
    scores.assign(C=-scores["B"]).to_csv(tmp_path / "scores.csv", index=False)
    page = summary(command, tmp_path, "--correction", "none", "--permute", "both", "--overwrite")
    assert "A is significantly better than 2 of 2 other metrics" in page
    scores.drop(columns="B").to_csv(tmp_path / "scores.csv", index=False)
    assert "Yes: A agrees with people beyond chance (Pearson's r" in summary(command, tmp_path, "--overwrite")


def test_what_users_expect_stands_beside_the_best_metric(command, scores, tmp_path):
    """An empty output that the best metric likes as much as a translation is named in the answer."""
    empty = scores[scores["system"] == "s5"].assign(system="s5-empty", human=np.nan, B=-9.0)
    pd.concat([scores, empty]).to_csv(tmp_path / "more.csv", index=False)
    words = ("human", "more.csv", "--reference", "human", "--expect", "s5>s5-empty", "--resamples", "20")
    ended = command(*words)
    assert "A fails what users expect (1 expectation tried)." in ended.out
    assert "6 systems" in ended.out.splitlines()[1]
    assert command(*words[:-4], "--expect", "s5", "--json").code == 2


def test_directions_and_columns_left_out(command, scores, tmp_path):
    """An error rate agrees once its direction is told, of items and of systems; a column with odd cells is named."""
    scores["TER"] = -scores["A"]
    scores.assign(C=["0.1", "odd"] * 30).to_csv(tmp_path / "falling.csv", index=False)
    words = ("--reference", "human", "--lower-is-better", "TER", "--resamples", "20", "--json")
    ended = command("human", "falling.csv", *words)
    assert "columns that do not hold numbers throughout, left out: C" in ended.err
    scores.groupby("system")[["human", "A", "B", "TER"]].mean().to_csv(tmp_path / "means.csv")
    for rows in (ended.json()["results"], command("human", "means.csv", *words).json()["results"]):
        values = {r["metric"]: r["value"] for r in rows if (r["level"], r["statistic"]) == ("system", "pearson")}
        assert values["TER"] == pytest.approx(values["A"])
    assert command("human", "means.csv", "--reference", "human", "--cluster", "B").code == 2


def test_systems_can_be_left_out(command, scores):  # noqa: ARG001 - writes the file
    """A system named is gone from every figure; one that is not there is an error."""
    words = ("human", "scores.csv", "--reference", "human", "--resamples", "20", "--without")
    assert "2 metrics, 5 systems" in command(*words, "s3").out
    ended = command(*words, "s9")
    assert ended.code == 2
    assert "no system 's9'" in ended.err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--reference", "gold"), 3, "no column 'gold'"),
        (("--reference", "human", "--statistic", "r"), 2, "no value of --statistic 'r'. Known: pearson"),
        (("--reference", "human", "--level", "doc"), 2, "no value of --level 'doc'. Known: system"),
        (("--reference", "human", "--system", "team"), 3, "no column of systems"),
        (("--reference", "human", "--item", "page"), 3, "no column of items"),
    ],
)
def test_bad_options_stop(command, scores, words, code, message):  # noqa: ARG001 - writes the file
    """A wrong option or column ends with its exit code and says what there is."""
    ended = command("human", "scores.csv", *words)
    assert ended.code == code
    assert message in ended.err


def test_the_methods_say_what_was_done(command, scores, tmp_path):  # noqa: ARG001 - writes the file
    """Every part that is shown has its sentence, with its numbers, and what to cite; seeds are the study's own."""
    page = summary(command, tmp_path, "--correction", "holm", "--alpha", "0.1", "--seed", "3").replace("\xa0", " ")
    for words in (
        *("200 resamples of items (seed 3)", "are too wide", "all pairs of metrics (Holm)"),
        "200 exchanges of the scores of a system on all items (seed 3)",
        *(
            "paired t, Holm, \N{GREEK SMALL LETTER ALPHA} = 0.1, two-sided",
            "10.3115/v1/D14-1020",
            "To ship or not to ship",
        ),
    ):
        assert words in page


def test_the_methods_name_the_clusters(command, scores, tmp_path):
    """Where items hang together, clusters are what is drawn, exchanged and tested."""
    scores.assign(group=scores["doc"].str[-1].astype(int) // 2).to_csv(tmp_path / "scores.csv", index=False)
    words = ("--item", "doc", "--cluster", "group", "--resample", "both", "--permute", "items")
    page = summary(command, tmp_path, *words)
    for said in (
        "of 6 systems on 10 items in 5 clusters.",
        "n the smaller number of clusters and systems",
        "200 resamples of clusters and systems (seed 0)",
        "Their coverage was checked for resampled items",
        "200 exchanges of the scores of all systems on a cluster (seed 0)",
        "The tests take clusters as units",
    ):
        assert said in page


# ----------------------------------------------------------------------------------------------------------- campaigns


def test_a_campaign_of_tasks(command, scores, tmp_path):
    """Tasks are averaged; the values are those of the library, and the page says who leads and what chance reaches."""
    words = ("human", "scores.csv", "--reference", "human", "--tasks", "spa,acc_eq,pearson:item", "--resamples", "50")
    rows = command(*words, "--json").json()["results"]
    by = {(row["task"], row["metric"]): row for row in rows}
    assert by["pearson:item", "A"]["value"] == pytest.approx(scores[["human", "A"]].corr().iloc[0, 1])
    mean = [by["spa", "A"]["value"], by["acc_eq", "A"]["value"], (1 + by["pearson:item", "A"]["value"]) / 2]
    assert by["average", "A"]["value"] == pytest.approx(np.mean(mean))
    assert command(*words, "--separate", "A,B", "--out", "page").code == 0
    page = html.unescape((tmp_path / "page" / "index.html").read_text())
    for said in (
        "A is significantly better than 1 other metric that could be compared",
        "Soft pairwise accuracy",
        "Items needed to separate A and B",
        "people's own mean of the item",
        "Thompson, B., Mathur, N.",
        "6 systems, 10 items with human scores",
    ):
        assert said in page
    assert "Average" in command(*words, "--latex").out
    assert "of equal metrics different where" not in page
    assert command(*words, "--exchange", "published", "--out", "page", "--overwrite").code == 0
    assert "of equal metrics different where" in html.unescape((tmp_path / "page" / "index.html").read_text())


def test_sets_by_a_column(command, scores, tmp_path):
    """Each set has tasks of its own, and accuracy takes all pairs of systems together."""
    other = scores.assign(A=scores["B"], B=scores["A"])
    pd.concat([scores.assign(pair="x"), other.assign(pair="y")]).to_csv(tmp_path / "scores.csv", index=False)
    words = ("--tasks", "accuracy,acc_eq", "--set-column", "pair", "--resamples", "20", "--json")
    rows = command("human", "scores.csv", "--reference", "human", *words).json()["results"]
    assert {row["task"] for row in rows} == {"x,y accuracy", "x acc_eq", "y acc_eq", "average"}
    values = {(row["task"], row["metric"]): row["value"] for row in rows}
    assert values["x acc_eq", "A"] == values["y acc_eq", "B"]
    assert values["average", "A"] == pytest.approx(values["average", "B"])


def test_a_campaign_of_a_folder(command, tmp_path):
    """A folder of mt-metrics-eval is compared over all of its language pairs, or with the tasks of a year."""
    rng = np.random.default_rng(0)

    def lines(*, spread=0.0, gaps=0, whole=False):
        table = {name: (level + rng.normal(0, 1 + spread, 6)).round(2) for level, name in enumerate("abcd")}
        if whole:
            return "".join(f"{name}\t{scores.mean()}\n" for name, scores in table.items())
        cells = {name: ["None" if place < gaps else score for place, score in enumerate(table[name])] for name in table}
        return "".join(f"{name}\t{score}\n" for name in cells for score in cells[name])

    files = {}
    for pair in ("en-de", "zh-en"):
        files[f"documents/{pair}.docs"] = "".join(f"news\td{place // 2}\n" for place in range(6))
        files[f"human-scores/{pair}.mqm.seg.score"] = lines(gaps=1)
        files[f"human-scores/{pair}.mqm.sys.score"] = lines(whole=True)
        files[f"metric-scores/{pair}/BLEU-refA.seg.score"] = lines(spread=1)
        files[f"metric-scores/{pair}/QE-src.seg.score"] = lines()
    for name, held in files.items():
        path = tmp_path / "wmt" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(held)
    folder = str(tmp_path / "wmt")
    rows = command("human", folder, "--tasks", "accuracy,spa", "--resamples", "20", "--json").json()["results"]
    assert {row["task"] for row in rows} == {"en-de,zh-en accuracy", "en-de spa", "zh-en spa", "average"}
    assert {row["metric"] for row in rows} == {"BLEU", "QE[noref]"}
    ended = command("human", folder, "--preset", "wmt23")
    assert ended.code == 3
    assert "he-en has no human scores 'mqm' beside metrics; there are en-de, zh-en" in ended.err
    one = command("human", f"{folder}/metric-scores/zh-en", "--tasks", "spa", "--resamples", "20", "--json").json()
    assert {row["task"] for row in one["results"]} == {"zh-en spa", "average"}


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--tasks", "bleu", "--reference", "human"), 2, "no measure of agreement in --tasks 'bleu'"),
        (("--tasks", "spa"), 2, "say which column holds the human scores, such as --reference human"),
        (("--tasks", "spa", "--level", "item", "--reference", "human"), 2, "--level"),
        (("--over", "common", "--reference", "human"), 2, "--over"),
        (("--tasks", "acc_eq", "--exchange", "cells", "--reference", "human"), 4, "cells cannot be drawn or exchanged"),
        (("--tasks", "spa", "--separate", "A,C", "--reference", "human"), 2, "no metric to separate 'C'"),
        (("--preset", "wmt23"), 3, "this is no folder of mt-metrics-eval"),
    ],
)
def test_bad_options_of_campaigns_stop(command, scores, words, code, message):  # noqa: ARG001 - writes the file
    """What a campaign cannot do ends with its exit code and the reason."""
    ended = command("human", "scores.csv", *words)
    assert (ended.code, message in ended.err) == (code, True), ended.err
