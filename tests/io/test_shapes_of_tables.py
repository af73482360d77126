"""Tables of scores as people lay them out: what sums up, names or numbers the rest is no score; what looks alike is.

The tables are built here from known scores, so what has to remain is known.
"""

import io
import re
import subprocess

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, sem, t

from metaeval.errors import FileFormatError, ScoresError
from metaeval.io.by_values import scores_of_columns
from metaeval.io.items import read_items
from metaeval.io.tables import read_scores
from metaeval.table.means import board_of, columns_of, means_columns, renaming
from metaeval.table.scores import as_scores

RNG = np.random.default_rng(43)


def read(frame, tmp_path, **options):
    """Return the scores of a file of a frame, and of the frame as pandas reads it back."""
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    return read_scores(path, **options)


def in_both(frame, tmp_path):
    return [read(frame, tmp_path), as_scores(pd.read_csv(io.StringIO(frame.to_csv(index=False))))]


def by_seed(seeds, extra):
    """Return a row a system, item and seed, and rows with a function of the scores of a system on an item."""
    rows = []
    for system in "abcd":
        for item in ("RTE", "CoLA", "SST-2", "QNLI"):
            scores = RNG.uniform(0.3, 0.9, len(seeds)).round(3)
            rows += [(system, item, seed, score) for seed, score in zip(seeds, scores, strict=True)]
            rows += [(system, item, name, round(float(value(scores)), 3)) for name, value in extra.items()]
    return pd.DataFrame(rows, columns=["model", "dataset", "seed", "acc"])


SUMMARIES = [
    *[(word, np.mean) for word in ("mean", "avg.", "Mittel", "moyenne", "Ø", "x̄", "μ", "durchschn.")],
    *[(word, np.max) for word in ("best", "bester", "max", "mejor")],
    *[(word, np.std) for word in ("std", "SD", "Standardabweichung", "écart-type")],
]


@pytest.mark.parametrize(("word", "value"), SUMMARIES, ids=[word for word, _ in SUMMARIES])
def test_what_sums_the_repeats_up_is_no_further_repeat(word, value, tmp_path):
    """Seeds by number: three repeats remain, of which the means are those of the table without these rows."""
    frame = by_seed(["1", "13", "42"], {word: value})
    plain = frame[frame["seed"] != word].groupby("model")["acc"].mean()
    for scores in in_both(frame, tmp_path):
        assert scores["repeat"].to_numpy().tolist() == ["1", "13", "42"]
        np.testing.assert_allclose(scores.mean(["topic", "repeat"]).to_numpy()[0], plain.to_numpy())
        assert any(word in note and "left out" in note for note in scores.attrs["notes"])


@pytest.mark.parametrize("seeds", [["greedy", "mean", "beam"], ["best", "last"], ["max", "min", "mid"]])
def test_repeats_that_are_called_alike_stay(seeds, tmp_path):
    """Among words, and with numbers of their own, these are ways of decoding, checkpoints or settings."""
    for scores in in_both(by_seed(seeds, {}), tmp_path):
        assert sorted(scores["repeat"].to_numpy().tolist()) == sorted(seeds)


GRIDS = [
    "{system}_{metric}", "{metric}_{system}", "{metric} ({system})",
    "{system} {metric}", "{metric}/{system}", "{system}-{metric}",
]  # fmt: skip


@pytest.mark.parametrize("form", GRIDS)
@pytest.mark.parametrize("extra", [[], ["n"]])
def test_a_column_for_each_system_under_each_metric_is_a_grid(form, extra, tmp_path):
    """Names with underscores on both sides, as trec_eval and TREC write them; every score by its own place."""
    systems, metrics = ["bm25_base", "ruir_run_2"], ["map", "ndcg_cut_10", "P_5"]
    scores = RNG.random((3, 2, 8)).round(4)
    frame = pd.DataFrame({"topic": [str(at) for at in range(301, 309)]})
    for at, metric in enumerate(metrics):
        for of, system in enumerate(systems):
            frame[form.format(system=system, metric=metric)] = scores[at, of]
    frame = frame.assign(**dict.fromkeys(extra, 100))
    for found in [read(frame, tmp_path), as_scores(pd.read_csv(tmp_path / "t.csv").set_index("topic"))]:
        by_name = found.sel(metric=metrics, system=systems)
        np.testing.assert_array_equal(by_name.to_numpy(), scores)
        assert found.shape == scores.shape
        assert any("a system and a metric each" in note for note in found.attrs["notes"])
    assert read(frame.drop(columns=extra), tmp_path, form="wide").sizes["system"] == 6


@pytest.mark.parametrize(
    "names",
    [
        ["bm25_base", "bm25_rm3", "ql_base", "ql_rm3"],
        ["bleu_a", "bleu_b", "gut_a"],
        ["map_run", "lm_run"],
        ["a_1", "a_2"],
    ],
)
def test_names_of_two_parts_that_are_no_grid_stay_systems(names, tmp_path):
    """Of models and expansions, with one cell missing, or of one measure alone."""
    frame = pd.DataFrame(RNG.random((9, len(names))).round(4), columns=names)
    frame.insert(0, "topic", [str(at) for at in range(301, 310)])
    for found in [read(frame, tmp_path), as_scores(pd.read_csv(tmp_path / "t.csv").set_index("topic"))]:
        assert found["system"].to_numpy().tolist() == names


@pytest.mark.parametrize(
    "names",
    [["ndcg_5", "ndcg_10", "P_5", "P_10"], ["rouge_1_p", "rouge_1_r", "rouge_2_p", "rouge_2_r"],
     ["acc_val", "acc_test", "f1_val", "f1_test"]],
)  # fmt: skip
def test_metrics_of_one_system_stay_metrics(names, tmp_path):
    """Cutoffs, precision and recall, and splits name no systems: a file each is one system."""
    for system in "ab":
        frame = pd.DataFrame(RNG.random((9, 4)).round(4), columns=names)
        frame.insert(0, "topic", [str(at) for at in range(301, 310)])
        frame.to_csv(tmp_path / f"{system}.csv", index=False)
    found = read_scores([tmp_path / "a.csv", tmp_path / "b.csv"], form="long")
    assert (found["system"].to_numpy().tolist(), found["metric"].to_numpy().tolist()) == (["a", "b"], names)


@pytest.mark.parametrize("name", ["Ø", "x̄", "μ", "avg.", "Mittel", "durchschn.", "⌀"])
def test_signs_for_a_mean_are_known_in_columns_and_rows(name, tmp_path):
    """Rounded to one decimal, so only the name tells: 3 systems and 20 items remain."""
    frame = pd.DataFrame(RNG.random((3, 20)).round(4), columns=[f"item {at}" for at in range(20)])
    frame.insert(0, "system", ["bm25", "lm", "dfr"])
    frame[name] = frame.iloc[:, 1:].mean(axis=1).round(1)
    upright = frame.drop(columns=name).set_index("system").T.rename_axis("item").reset_index()
    upright.loc[len(upright)] = [name, *frame[name]]
    for table in (frame, upright):
        for scores in in_both(table, tmp_path):
            assert (scores.sizes["system"], scores.sizes["topic"]) == (3, 20)


UPRIGHT = pd.DataFrame(RNG.uniform(0.05, 0.9, (20, 4)).round(3), columns=[*"ABCD"])
MADE_OF_FOUR = {
    **dict.fromkeys(["2nd", "runner-up", "second", "zweiter", "deuxième"], lambda row: row.nlargest(2).iloc[-1]),
    **dict.fromkeys(["gap", "margin", "Abstand", "écart", "diff", "lead"], lambda row: -np.diff(row.nlargest(2))[0]),
    **dict.fromkeys(["Best", "Oracle", "Bester", "virtual best"], lambda row: row.max()),
}


BESTS = ["Best", "Oracle", "Bester", "virtual best"]
BESIDE = [(name, {}) for name in MADE_OF_FOUR] + [(name, {"Human": 0.95}) for name in BESTS]


@pytest.mark.parametrize(("name", "beside"), [*BESIDE, ("Best", {"Human": 0.93, "Ref": 0.99})])
def test_what_the_best_systems_make_is_no_system_beside_people_too(name, beside, tmp_path):
    """The best, the second and their distance on each item, of four systems; people beside them stay."""
    made = UPRIGHT.assign(**{name: UPRIGHT.apply(MADE_OF_FOUR[name], axis=1).round(3)}, **beside)
    made.insert(0, "topic", [f"t{at}" for at in range(20)])
    turned = made.set_index("topic").T.rename_axis("Model").reset_index()
    for scores in [*in_both(made, tmp_path), read(turned, tmp_path)]:
        assert sorted(scores["system"].to_numpy().tolist()) == sorted([*"ABCD", *beside])


@pytest.mark.parametrize("name", ["Best", "Oracle", "second", "gap", "margin", "lead"])
def test_systems_that_are_called_alike_and_have_scores_of_their_own_stay(name, tmp_path):
    """Drawn beside four others from the same range; a system called LEAD summarises."""
    made = UPRIGHT.assign(**{name: RNG.uniform(0.1, 0.9, 20).round(3)})
    made.insert(0, "topic", [f"t{at}" for at in range(20)])
    for scores in in_both(made, tmp_path):
        assert scores["system"].to_numpy().tolist() == [*"ABCD", name]


TURNED = UPRIGHT.T.set_axis([f"t{at}" for at in range(20)], axis=1).rename_axis("Model").reset_index()


@pytest.mark.parametrize("name", ["Change", "gain", "p", "Gewinn", "improvement"])
def test_changes_and_p_values_behind_the_items_of_systems_in_rows_are_asked_about(name, tmp_path):
    """Numbers below those of all items; items q1 to q20 are short too."""
    frame = TURNED.assign(**{name: [0.02, 0.01, 0.03, 0.02]})
    for table in (frame, frame.rename(columns={f"t{at}": f"question {at}" for at in range(20)})):
        with pytest.raises(FileFormatError, match=f"'{name}' .* seems to be no score"):
            read(table, tmp_path)


@pytest.mark.parametrize("names", [["a", "p", "x", "y"], ["RTE", "change", "CoLA", "gain"]])
def test_items_called_as_changes_with_scores_like_the_others_stay(names, tmp_path):
    """Letters, and names of data sets."""
    frame = pd.DataFrame(RNG.uniform(0.3, 0.9, (5, 4)).round(3), columns=names)
    frame.insert(0, "system", ["bm25", "lm", "dfr", "dpr", "splade"])
    assert read(frame, tmp_path)["topic"].to_numpy().tolist() == sorted(names)


@pytest.mark.parametrize("name", ["Previous year", "last year", "Vorjahr", "Baseline 2022", "année précédente", "去年"])
def test_scores_of_another_year_below_numbered_items_are_no_item(name, tmp_path):
    """Left out, which is noted, and kept on demand."""
    frame = UPRIGHT.assign(topic=[f"t{at}" for at in range(20)])[["topic", *"ABCD"]]
    frame.loc[20] = [name, 0.5, 0.6, 0.4, 0.5]
    for scores in in_both(frame, tmp_path):
        assert scores.sizes["topic"] == 20
        assert any(name in note for note in scores.attrs["notes"])
    assert read(frame, tmp_path, form="wide").sizes["topic"] == 21


@pytest.mark.parametrize(
    "names", [["year", "month", "day"], ["last year", "next year", "leap year"], ["2021", "2022", "7"]]
)
def test_items_called_as_years_stay(names, tmp_path):
    """Words among words, and numbers among numbers."""
    frame = pd.DataFrame(RNG.uniform(0.3, 0.9, (3, 3)).round(3), columns=["bm25", "lm", "dfr"])
    frame.insert(0, "topic", names)
    for scores in in_both(frame, tmp_path):
        assert sorted(scores["topic"].to_numpy().tolist()) == sorted(names)


def with_column(name, numbers):
    """Return a long table of three engines on nine cases, with one metric that is called as no program calls one."""
    rows = [(f"case {case}", engine) for engine in "abc" for case in range(9)]
    frame = pd.DataFrame(rows, columns=["case no.", "engine"])
    return frame.assign(**{"quality (0-1)": RNG.uniform(0.1, 0.9, 27).round(3), name: numbers})


NO_METRICS = [
    "koszt", "custo", "preço", "prijs", "looptijd", "duração (s)",
    "sec", "ms/query", "s/doc", "tokens per answer", "annotators", "n annotators", "Annotatoren", "rater id",
    "worker_id",
]  # fmt: skip


@pytest.mark.parametrize("name", NO_METRICS)
def test_times_a_query_counts_of_people_and_ids_are_no_metrics(name, tmp_path):
    """Whole numbers from 1 to 9 of a table of shares; the quality remains."""
    for scores in in_both(with_column(name, RNG.integers(1, 9, 27)), tmp_path):
        assert scores["metric"].to_numpy().tolist() == ["quality (0-1)"]


@pytest.mark.parametrize("name", ["s", "rater", "annotator"])
def test_a_letter_for_seconds_and_a_number_of_a_rater_are_asked_about(name, tmp_path):
    """Either may be a metric; the way out that the message names leaves it out."""
    frame = with_column(name, RNG.integers(1, 9, 27))
    with pytest.raises(FileFormatError, match="seems to be no score"):
        read(frame, tmp_path)
    assert read(frame, tmp_path, columns={"ignore": [name]}).sizes["metric"] == 1


@pytest.mark.parametrize("name", ["FID", "edits", "rater", "judge", "MS MARCO", "fluency", "words correct"])
def test_metrics_that_are_called_alike_stay(name, tmp_path):
    """Shares beside shares: what a rater or a judge gave, a measure whose name ends in id, edits."""
    for scores in in_both(with_column(name, RNG.uniform(0.1, 0.9, 27).round(3)), tmp_path):
        assert scores["metric"].to_numpy().tolist() == ["quality (0-1)", name]


@pytest.mark.parametrize(
    "names",
    [["rouge_1_f_score", "rouge_2_recall", "bert_f_score", "js-2", "litepyramid_recall"], ["BLEU", "chrF", "ours", "x"],
     ["acc", "F1", "speed of thought", "gut feeling"]],
)  # fmt: skip
def test_a_row_a_system_with_several_metrics_holds_no_topics(names, tmp_path):
    """Two of the names are those of metrics that programs compute, and one score of each is no sample."""
    frame = pd.DataFrame(RNG.uniform(0.3, 0.9, (14, len(names))).round(3), columns=names)
    frame.insert(0, "system", [f"model {letter}" for letter in "abcdefghijklmn"])
    with pytest.raises(FileFormatError, match="seem to be scores of systems without topics"):
        read(frame, tmp_path)
    with pytest.raises(ScoresError, match=r"means by system|called like metrics"):
        as_scores(frame.set_index("system"))


@pytest.mark.parametrize(
    "names",
    [["cola_mcc", "sst2_acc", "mrpc_f1", "stsb_pearson"], ["safety", "creativity", "coding", "math", "reasoning"]],
)
def test_tasks_with_a_metric_each_and_qualities_stay_items(names, tmp_path):
    """As GLUE writes them, and as boards of chats do."""
    frame = pd.DataFrame(RNG.uniform(0.3, 0.9, (14, len(names))).round(3), columns=names)
    frame.insert(0, "system", [f"model {letter}" for letter in "abcdefghijklmn"])
    assert read(frame, tmp_path).sizes["topic"] == len(names)


LEVELS = [
    ("95% margin", 0.95), ("90% CI half-width", 0.9), ("margin of error (95%)", 0.95), ("acc 99% CI", 0.99),
    ("Fehlerspanne (95 %)", 0.95), ("Konfidenzintervall (90%)", 0.9), ("demi-largeur", 0.95), ("80% CI", 0.8),
]  # fmt: skip


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_margins_are_divided_at_their_level(name, level):
    """The standard error is half an interval over the normal quantile of its level, by scipy."""
    board = pd.DataFrame({"model": ["a", "b", "c"], "acc": [0.8, 0.7, 0.6], "avg_length": [900, 800, 850]})
    board[name] = [0.04, 0.05, 0.06]
    columns = columns_of(board)
    errors = board_of(board, columns).errors[0]
    np.testing.assert_allclose(errors, np.array([0.04, 0.05, 0.06]) / norm.ppf((1 + level) / 2))


def test_a_margin_beside_several_means_is_renamed_as_half_an_interval():
    """Not as a standard error, which would be 1.96 times too large; the width of a whole interval is no half."""
    assert "'f1_ci90'" in renaming(["acc", "f1", "90% margin"])
    assert "'f1_stderr'" in renaming(["acc", "f1", "Std. Error"])
    assert means_columns(["model", "acc", "CI width"]) is None


REPEATS = ["Lauf", "run", "Durchgang", "essai", "trial", "semilla"]
BESIDE_ITEMS = [(word, item) for word in REPEATS for item in ("Korpus", "dataset", "Sammlungen")]


@pytest.mark.parametrize(("word", "item"), [*BESIDE_ITEMS, ("Nr", "Sammlungen"), ("x", "y")])
def test_repeats_are_known_by_many_words_and_by_what_columns_hold(word, item, tmp_path):
    """Three repeats of four models on four collections under one metric."""
    frame = by_seed([1, 2, 3], {}).rename(columns={"model": "Modell", "dataset": item, "seed": word, "acc": "Güte"})
    for scores in in_both(frame, tmp_path):
        assert (scores.sizes["system"], scores.sizes["topic"], scores.sizes["repeat"]) == (4, 4, 3)
        assert scores["metric"].to_numpy().tolist() == ["Güte"]


def test_a_run_by_name_stays_a_system_and_a_lauf_too(tmp_path):
    """As TREC calls them: runs a to d on four topics."""
    frame = by_seed([1], {}).drop(columns="seed").rename(columns={"model": "Lauf", "dataset": "Thema", "acc": "AP"})
    for scores in in_both(frame, tmp_path):
        assert scores["system"].to_numpy().tolist() == [*"abcd"]


def test_epochs_beside_seeds_are_no_repeats(tmp_path):
    """The message says why, and how to choose the last."""
    frame = pd.concat([by_seed([1, 2], {}).assign(epoch=epoch) for epoch in (1, 2, 3)])
    with pytest.raises(FileFormatError, match=r"states of training, which are no repeats.*'epoch': '3'"):
        read(frame, tmp_path)
    assert read(frame, tmp_path, where={"epoch": "3"}).sizes["repeat"] == 2  # seeds


def test_runs_with_names_of_their_own_are_rows_of_their_models(tmp_path):
    """As Weights & Biases exports them: the name of a run is no system where models and data sets recur."""
    frame = by_seed([1, 2, 3], {}).assign(State="finished")
    frame.insert(0, "Name", [f"{model}-{at}" for at, model in enumerate(frame["model"])])
    for scores in in_both(frame, tmp_path):
        assert scores["system"].to_numpy().tolist() == [*"abcd"]


@pytest.mark.parametrize("name", ["mean", "Gesamt", "average over docs", "Ø", "Mittelwert"])
@pytest.mark.parametrize("gap", ["-", "", "NA"])
def test_rows_of_means_and_signs_for_gaps_are_no_scores_of_items_with_people(name, gap, tmp_path):
    """Three systems on four documents; the mean of one is left out, and a gap is one."""
    rows = [f"{system},{doc},{doc / 9:.3f},{doc}" for system in "abc" for doc in (1, 2, 3, 4)]
    text = "\n".join(["system,doc,BLEU,human", *rows[:-1], f"c,4,0.444,{gap}", f"a,{name},0.278,2.5"])
    (tmp_path / "t.csv").write_text(text)
    found = read_items([tmp_path / "t.csv"])
    assert found["doc"].tolist() == [*"1234"] * 3
    assert found["human"].isna().tolist() == [False] * 11 + [True]
    assert any(name in note for note in found.attrs["notes"])


@pytest.mark.parametrize(("cell", "way"), [("0,5", "tr , ."), ("50%", "sed 's/ *%//g'")])
def test_human_scores_written_otherwise_are_led_to_a_filter(cell, way, tmp_path):
    """Where most cells of a column are."""
    (tmp_path / "t.csv").write_text("\n".join(["system;doc;BLEU;human", *(f"{s};1;0.2;{cell}" for s in "abcd")]))
    with pytest.raises(FileFormatError, match=re.escape(way)):
        read_items([tmp_path / "t.csv"])


@pytest.mark.parametrize("word", ["prompt", "versie", "taal", "język", "wersja"])
def test_words_that_recur_are_sets_and_no_repeats(word):
    """Prompts, versions and languages are not averaged; numbers in a column of no known name may be repeats."""
    rows = [(system, question, setting) for system in "XYZ" for question in "pqrs" for setting in ("A", "B")]
    cells = dict(zip(("model", "vraag", word), map(list, zip(*rows, strict=True)), strict=True))
    numbers = {"score": [f"{0.1 + at / 50:.2f}" for at in range(len(rows))]}
    assert scores_of_columns(cells | numbers) is None
    counted = cells | {word: ["1" if setting == "A" else "2" for setting in cells[word]]}
    assert scores_of_columns(counted | numbers).columns["repeat"] == word


@pytest.mark.parametrize("name", ["repeat", "rep", "trial", "seed", "Wiederholung"])
def test_a_number_of_a_run_is_no_system(name, tmp_path):
    """Beside systems in columns; means over it are those of both rows of a topic."""
    frame = pd.DataFrame({"qid": ["q1", "q1", "q2", "q2", "q3", "q3"], name: [1, 2] * 3, "old": RNG.uniform(0, 1, 6)})
    frame = frame.assign(new=RNG.uniform(0, 1, 6).round(3), old=frame["old"].round(3))
    scores = read(frame, tmp_path, duplicates="mean")
    assert scores["system"].to_numpy().tolist() == ["old", "new"]
    means = scores.squeeze().mean("repeat")
    np.testing.assert_allclose(means.to_numpy().T, frame.groupby("qid")[["old", "new"]].mean())


@pytest.mark.parametrize("header", ["item,a,b", "system,item,score"])
def test_two_tables_in_one_sheet_are_refused(tmp_path, header):
    """The same items below the header again with other scores; of others, of the same ones and of sums it is a note."""
    path = tmp_path / "t.csv"

    def rows(of, shift=0.0):
        if header.startswith("item"):
            return [f"{name},{0.2 + shift + at / 100:.2f},{0.3 + shift:.2f}" for at, name in enumerate(of)]
        return [f"{name},{item},{0.2 + shift + at / 100:.2f}" for name in "ab" for at, item in enumerate(of)]

    first = rows("pqrst")
    path.write_text("\n".join([header, *first, "", header, *rows("pqrst", 0.1)]))
    second = len(first) + 3
    message = (
        rf"lines 1 and {second} are the same header.*sed '{second - 1},\$d' keeps the first, sed '1,{second - 1}d'"
    )
    for duplicates in ("error", "mean"):
        with pytest.raises(FileFormatError, match=message):
            read_scores(path, duplicates=duplicates)
    path.write_text("\n".join([header, *first, "", header, *rows("uvwxy", 0.1)]))
    scores = read_scores(path)
    assert scores.sizes["topic"] == 10
    assert f"left out line {second}, the header again: rows above and below it are read" in scores.attrs["notes"][0]
    path.write_text("\n".join([header, *first, header, *first]))
    assert read_scores(path, duplicates="first").sizes["topic"] == 5


def by_runs(tmp_path, rows, **options):
    """Return the scores of rows of a CSV table."""
    path = tmp_path / "t.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return read_scores(path, **options)


def test_seeds_beside_systems_in_columns_or_items_in_columns_are_the_repeats_that_they_are_in_a_long_table(tmp_path):
    """Every cell is at its item, system and seed, and no form is read otherwise."""
    values = RNG.uniform(0.2, 0.9, (2, 4, 3)).round(4)  # system, item, seed
    cells = [(s, i, r) for s in range(2) for i in range(4) for r in range(3)]
    forms = {
        "long": ["system,dataset,seed,acc", *(f"m{s},d{i},{r},{values[s, i, r]}" for s, i, r in cells)],
        "columns": [
            "dataset,seed,m0,m1",
            *(f"d{i},{r},{values[0, i, r]},{values[1, i, r]}" for i in range(4) for r in range(3)),
            "mean,,0.5,0.6",
        ],
        "rows": [
            "model,seed,d0,d1,d2,d3",
            *(f"m{s},{r},{','.join(map(str, values[s, :, r]))}" for s in range(2) for r in range(3)),
        ],
    }
    for rows in forms.values():
        for options in ({}, {"columns": {"repeat": "seed"}}):
            found = by_runs(tmp_path, rows, **options)
            assert dict(found.sizes) == {"metric": 1, "system": 2, "topic": 4, "repeat": 3}
            ordered = found.isel(metric=0).sel(repeat=[*"012"])
            np.testing.assert_array_equal(ordered.transpose("system", "topic", "repeat"), values)


def test_seeds_beside_systems_in_a_frame_lead_to_a_long_one():
    frame = pd.DataFrame(
        {"dataset": [*"xxyy"], "seed": [0, 1] * 2, "a": [0.1, 0.2, 0.3, 0.5], "b": [0.4, 0.1, 0.9, 0.3]}
    )
    with pytest.raises(ScoresError, match=r"numbers the rows of each topic.*`frame\.melt\(.*\)`") as told:
        as_scores(frame)
    way = re.search(r"`frame\.melt\((.*), var_name='system', value_name='score'\)`", str(told.value))[1]
    assert way == "['dataset', 'seed']"
    found = as_scores(frame.melt(["dataset", "seed"], var_name="system", value_name="score"))
    assert found.isel(metric=0).sel(system="b", topic="y").to_numpy().tolist() == [0.9, 0.3]


def test_numbers_of_runs_that_stand_twice_or_part_nothing_are_no_repeats(tmp_path):
    with pytest.raises(FileFormatError, match="appears twice"):
        by_runs(tmp_path, ["dataset,seed,a,b", "x,0,.1,.2", "x,0,.3,.2", "y,0,.1,.5", "y,1,.2,.3"])
    plain = by_runs(tmp_path, ["topic,seed,a,b", "301,0,.1,.2", "302,0,.3,.2", "303,0,.1,.5"])
    assert "repeat" not in plain.dims


@pytest.mark.parametrize("column", ["seed", "iteration", "trial"])
def test_scores_of_whole_runs_are_compared_as_means_of_independent_runs(column, tmp_path, command):
    """What look prints has the interval of Welch's t, here of scipy, and no pairs by the number of a run."""
    values = {"base": [0.71, 0.72, 0.70, 0.73, 0.71], "new": [0.78, 0.80, 0.76, 0.75, 0.79]}
    rows = [f"{name},{at},{score}" for name, scores in values.items() for at, score in enumerate(scores)]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join([f"system,{column},accuracy", *rows]) + "\n")
    way = re.search(r"^metaeval (leaderboard .*)$", command("look", "runs.csv").out, re.MULTILINE)[1]
    (told,) = [row for row in command(*way.split(), "--json").json()["results"] if row["system"] == "new"]
    low, high = t.interval(0.95, 4, np.mean(values["new"]), sem(values["new"]))
    assert (told["mean_low"], told["mean_high"]) == (pytest.approx(low), pytest.approx(high))
    frame = pd.read_csv(path)
    with pytest.raises(ScoresError, match=r"means of such runs are compared .* by study_leaderboard"):
        as_scores(frame)


LABELLED = [("0", "contradicts"), ("0", "none"), ("0.5", "partial"), ("1", "supports")]
"""What words of nuggets count."""


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("model,item,label,remark", "{system},{item},{word},{remark}"),
        ("évaluation;sujet;système;commentaire", "{word};{item};{system};{remark}"),
    ],
)
def test_words_of_labels_are_written_as_what_they_count_and_none_is_one_of_them(header, row, tmp_path, command):
    """What table prints writes one column, though its words stand in another too; "none" is no gap then."""
    said = RNG.integers(4, size=(2, 12))
    lines = [
        row.format(
            system="ab"[system],
            item=f"q{item}",
            word=LABELLED[said[system, item]][1],
            remark="none" if item % 2 else f"said of {system}/{item}",
        )
        for item in range(12)
        for system in range(2)
    ]
    (tmp_path / "t.csv").write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    way = re.search(r"\((sed .*)\)", command("table", "t.csv").err)[1]
    subprocess.run(["sh", "-c", f"{way} < t.csv > t.mended.csv"], check=True)  # noqa: S607 - our own advice
    found = read_scores("t.mended.csv").sel(topic=[f"q{item}" for item in range(12)])
    np.testing.assert_array_equal(found[0], np.array([float(share) for share, _ in LABELLED])[said])


def test_labels_that_nobody_is_named_for_are_said_to_lack_their_judges(tmp_path):
    rows = ["topic,document_id,relevance", "1,d1,not_relevant", "1,d1,highly_relevant", "1,d2,relevant"]
    with pytest.raises(FileFormatError, match=r"'relevance' holds labels .* add a column judge"):
        by_runs(tmp_path, rows)


def test_two_columns_of_names_are_items_in_clusters_whether_found_or_named(tmp_path):
    """Answers in topics: as clusters where names tell it, and offered as such where somebody joins the columns."""
    cells = [(f"t{at}", f"{within}", system) for at in range(6) for within in range(3) for system in "ab"]
    rows = [f"{topic},{system},n-{within},{RNG.random():.3f}" for topic, within, system in cells]
    found = by_runs(tmp_path, ["topic_id,run,answer_id,score", *rows])
    assert found.sizes["topic"] == 18
    assert len({*found["cluster"].to_numpy()}) == 6
    asked = by_runs(tmp_path, ["topic_id,run,part,score", *rows], columns={"topic": "topic_id,part"})
    (note,) = [note for note in asked.attrs["notes"] if "groups" in note]
    assert "puts 18 topics into 6 groups; `columns={'cluster': 'topic_id'}`" in note
    joined = {"topic": "topic_id,part", "cluster": "topic_id"}
    followed = by_runs(tmp_path, ["topic_id,run,part,score", *rows], columns=joined)
    assert len({*followed["cluster"].to_numpy()}) == 6
