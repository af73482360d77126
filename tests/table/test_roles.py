"""The roles of columns: told by names, by values, and asked for where these disagree."""

import numpy as np
import pandas as pd
import pytest

import metaeval
from metaeval import as_scores
from metaeval.errors import MetaevalError, ScoresError
from metaeval.io.tables import read_scores, write_scores
from metaeval.table.means import as_means
from metaeval.table.number_columns import not_scores
from metaeval.table.plausibility import are_summaries, widest_item
from metaeval.table.roles import SCORES, column_roles, rises_by_name


def test_column_words_belong_to_one_part():
    """No word can mean two parts, so that recognising columns needs no guess."""
    words = [word for words in SCORES.values() for word in words]
    assert len(words) == len(set(words))


def test_chosen_columns_come_first():
    """What the caller names is taken, and the words do not matter for that part any more."""
    parts, others = column_roles(["team", "system", "qid", "AP"], chosen={"system": "team"}, ignored=["AP"])
    assert parts == {"system": "team", "topic": "qid"}
    assert others == ["system"]


def test_surer_words_for_topics_go_first():
    """An item goes before an id, and that before a task, which is then the cluster of items unless there is another."""
    assert column_roles(["item", "task", "id"]) == ({"topic": "item", "cluster": "task"}, ["id"])
    assert column_roles(["task", "id"]).parts == {"topic": "id", "cluster": "task"}
    assert column_roles(["task"]).parts == {"topic": "task"}
    assert column_roles(["qid", "doc"]) == ({"topic": "qid"}, ["doc"])
    assert column_roles(["item", "task", "cluster"]) == ({"topic": "item", "cluster": "cluster"}, ["task"])
    assert column_roles(["question", "task"], chosen={"topic": "question"}).parts["cluster"] == "task"
    with pytest.raises(ScoresError, match="columns 'doc' and 'sample' could both be the topic"):
        column_roles(["doc", "sample"])


def test_a_score_beside_metrics_is_one_of_them(tmp_path):
    """Accuracy and F1 are not left out because a column is called score, unless somebody says that it is the score."""
    frame = pd.DataFrame(
        [
            (system, at, (at + gain) % 2, at / 7 + gain, at / 5 + gain)
            for gain, system in enumerate("ab")
            for at in range(4)
        ],
        columns=["system", "topic", "accuracy", "f1", "score"],
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    for scores in (read_scores(tmp_path / "t.csv"), as_scores(frame)):
        assert scores["metric"].to_numpy().tolist() == ["accuracy", "f1", "score"]
        assert scores.sel(metric="score", system="b").to_numpy().tolist() == [1.0, 1.2, 1.4, 1.6]
    named = read_scores(tmp_path / "t.csv", columns={"score": "score"})
    assert named["metric"].to_numpy().tolist() == ["score"]


@pytest.mark.parametrize("header", ["model,name,acc", "LLM,run,acc"])
def test_what_models_were_given_is_no_system(header, tmp_path):
    """A test case has a name in many tables; where models share it, it is their item, whatever the order of rows."""
    rows = [(model, f"case {at}", (at + shift) % 3 / 2) for shift, model in enumerate("ab") for at in range(6)]
    frame = pd.DataFrame(rows, columns=header.split(","))
    for ordered in (frame, frame.sort_values(frame.columns[1]), frame[frame.columns[[1, 0, 2]]]):
        ordered.to_csv(tmp_path / "t.csv", index=False)
        for scores in (read_scores(tmp_path / "t.csv"), as_scores(ordered)):
            assert scores["system"].to_numpy().tolist() == ["a", "b"]
            assert scores.sizes["topic"] == 6


def test_a_list_of_runs_says_what_was_compared_on_what():
    """Where two columns name every row, nothing recurs: settings and seeds tell what was compared."""
    runs = {
        "Run ID": ["e1", "e2", "e3", "e4", "e5", "e6"],
        "Name": ["owl", "cat", "dog", "bat", "emu", "elk"],
        "model_type": ["xgb", "xgb", "rf", "rf", "mlp", "mlp"],
        "seed": ["0", "1", "0", "1", "0", "1"],
        "status": ["done"] * 6,
    }
    with pytest.raises(
        ScoresError, match=r"columns={'system': 'model_type', 'topic': 'seed'}` to compare them by seed"
    ):
        column_roles(runs, cells=runs.__getitem__)
    with pytest.raises(ScoresError, match="name the column of what is compared"):
        column_roles(["Run ID", "Name", "accuracy"], cells=lambda _: runs["Name"])
    repeated = {**runs, "Name": ["owl"] * 6}
    with pytest.raises(ScoresError, match="could both be the system"):
        column_roles(repeated, cells=repeated.__getitem__)


@pytest.mark.parametrize("name", ["nomic-embed-text-v2-moe", "qwen_moe", "bert-std", "colbert-se"])
def test_a_system_whose_name_ends_as_errors_do_is_one(name):
    """A mixture of experts scores as the others do; where its numbers are as small as errors, somebody is asked."""
    values = np.random.default_rng(0).uniform(0.3, 0.8, (20, 4))
    names = ["bm25", "dense", name, "rm3"]
    assert not_scores(names, values, along="system") == []
    values[:, 2] *= 0.1
    assert [(column.name, column.sure) for column in not_scores(names, values, along="system")] == [(name, False)]


def test_the_best_of_two_others_is_a_system_and_not_their_sum():
    """Where one of two systems has next to nothing on every topic, their sum is as good as the better of them."""
    one, two = np.array([0.07, 2e-5, 0.12, 2e-5, 0.31]), np.array([2e-5, 0.25, 2e-5, 0.3, 2e-5])
    values = np.column_stack([np.round(np.maximum(one, two), 2), one, two])
    assert not_scores(["a", "b", "c"], values, along="system") == []
    total = np.column_stack([one + two[::-1], one, two[::-1]])
    assert [column.name for column in not_scores(["a", "b", "c"], total, along="system")] == ["a"]


_TASKS = {"CoLA": [55.1, 60.2, 50.3, 45.1], "MRPC": [70.3, 65.4, 60.1, 55.3], "RTE": [61.8, 57.4, 52.9, 49.6]}
_LEFT_OUT = {
    "Parameter (Mrd.)": [7, 13, 70, 8.5], "VRAM": [16.2, 24.1, 80.0, 18.5], "Mem": [16.2, 24.1, 80.0, 18.5],
    "ctx": [8, 32, 128, 8], "Train h": [7, 13, 70, 8.5], "GPU hours": [7, 13, 70, 8.5], "Hub ❤️": [7, 13, 70, 9],
    "$/1M": [0.2, 0.9, 5, 0.3], "€ (Mtok)": [0.2, 0.9, 5, 0.3], "Δ": [1.2, -3, 4, 0.5], "排名": [1, 2, 3, 4],
    "Classement": [1, 2, 3, 4], "weighted average": [61, 60, 55, 51], "Durchschnitt (gewichtet)": [61, 60, 55, 51],
    "Avg w/o CoLA": [60, 60, 55, 51], "Average (excl. MNLI)": [61, 60, 55, 51],
    "Mittelwert ohne MNLI": [61, 60, 55, 51],
}  # fmt: skip
_ASKED = {"B": [7, 13, 70, 8.5], "h": [7, 13, 70, 8.5], "Borda": [7, 13, 70, 8.5], "IQR": [5, 3, 4, 2]}


@pytest.mark.parametrize("name", _LEFT_OUT | _ASKED)
def test_columns_of_boards_that_are_no_tasks_are_left_out_or_asked_for(name):
    """Sizes, memory, hours, money, likes, ranks and weighted averages beside three tasks of 0 to 100."""
    numbers = (_LEFT_OUT | _ASKED)[name]
    values = np.column_stack([numbers, *_TASKS.values()])
    assert [(column.name, column.sure) for column in not_scores([name, *_TASKS], values, along="topic")] == [
        (name, name in _LEFT_OUT)
    ]


@pytest.mark.parametrize("names", [["A", "B", "h"], ["borda", "bm25", "lm"], ["P", "q", "r"], ["q", "m", "p"]])
def test_systems_of_one_letter_and_fusions_by_ranks_are_systems(names):
    """What is asked for among tasks is none of it among systems."""
    values = np.random.default_rng(1).uniform(0.3, 0.8, (20, 3))
    assert not_scores(names, values, along="system") == []


@pytest.mark.parametrize(
    "name", ["p", "t", "QPP", "NQC", "WIG", "Clarity", "avg-idf", "difficulty", "perplexity", "kappa"]
)
@pytest.mark.parametrize("systems", [["bm25", "lm", "dfr"], ["BM25", "LM", "DFR"], ["A", "B", "c1"]])
def test_features_of_topics_and_p_values_beside_systems_are_asked_for(name, systems):
    """Their numbers may be those of any system; the names are those of none, and a table of features has no other."""
    values = np.random.default_rng(1).uniform(0, 1, (20, 4))
    told = not_scores([*systems, name], values, along="system")
    assert [(column.name, column.sure) for column in told] == [(name, False)]
    assert not_scores(["NQC", "WIG", name], values[:, :3], along="system") == []
    assert not_scores([*systems, name], values, along="system", kept=[name]) == []


@pytest.mark.parametrize("name", ["gain %", "% improvement", "Change (%)"])
def test_differences_in_per_cent_beside_systems_are_no_system(name):
    """Systems are called gain or delta, and none by a per cent sign."""
    values = np.random.default_rng(1).uniform(0, 1, (20, 4))
    told = not_scores(["bm25", "lm", "dfr", name], values, along="system")
    assert [(column.name, column.role, column.sure) for column in told] == [(name, "difference", True)]


@pytest.mark.parametrize("name", ["IQR", "MAD", "CV", "range width", "acc_iqr", "Coefficient of variation"])
def test_spreads_beside_one_score_are_no_task(name):
    """As variance and std are none."""
    values = np.array([[0.70, 0.05], [0.65, 0.03], [0.60, 0.04]])
    assert [column.name for column in not_scores(["acc", name], values, along="topic")] == [name]


def test_answers_and_counts_of_errors_are_no_metrics_of_a_long_table():
    """An answer is left out beside a score and p is asked for beside systems; a lone answer is what there is."""
    values = np.array([[2, 1, 2, 1, 0.5], [3, 0, 3, 0, 0.7], [1, 1, 1, 1, 0.2]], dtype=float)
    told = not_scores(["answer", "correct", "tp", "fn", "F1"], values, along="cell")
    assert [column.name for column in told] == ["answer", "tp", "fn"]
    assert not_scores(["prediction"], values[:, :1], along="cell") == []
    p_values = not_scores(
        ["A", "B", "p"], np.array([[0.1, 0.2, 0.03], [0.2, 0.3, 0.4], [0.3, 0.1, 0.7]]), along="system"
    )
    assert [(column.name, column.why, column.sure) for column in p_values] == [("p", "a p-value", False)]


@pytest.mark.parametrize("row", ["weighted average", "Durchschnitt (gewichtet)", "Avg w/o CoLA", "Average (excl. X)"])
def test_rows_called_as_some_average_are_no_items(row):
    """Whatever they are averages of."""
    assert (
        are_summaries(["CoLA", "MRPC", row, "All (easy)", "translation w/o context"])
        == [False, False, True] + [False] * 2
    )


def test_a_column_of_unknown_name_that_makes_most_of_the_variance_is_named():
    """Model sizes under a name that tells nothing; four tasks alike get no note."""
    sizes = [7, 13, 70, 8.5]
    said = widest_item(["Zyx", *_TASKS], np.column_stack([sizes, *_TASKS.values()]))
    assert said.startswith("Zyx (7 to 70) varies far more than all other items and makes")
    assert not widest_item(["MNLI", *_TASKS], np.column_stack([_TASKS["RTE"], *_TASKS.values()]))


@pytest.mark.parametrize("name", ["zz", "SIRA"])
def test_numbers_of_rows_beside_answers_are_no_metric(name, tmp_path):
    """Twelve rows numbered in any order beside answers of 0 and 1; ten grades from 1 to 10 stay a metric."""
    path = tmp_path / "t.csv"
    numbers = [8, 9, 11, 1, 7, 10, 3, 6, 4, 2, 12, 5]
    rows = [("ab"[at // 6], at % 6, at % 2, number) for at, number in enumerate(numbers)]
    path.write_text(f"model,item,correct,{name}\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows))
    scores = read_scores(path)
    assert scores["metric"].to_numpy().tolist() == ["correct"]
    assert any(repr(name) in note for note in scores.attrs["notes"])
    graded = [("ab"[at // 5], at % 5, at % 2, 10 - at) for at in range(10)]
    path.write_text("model,item,correct,grade\n" + "".join(f"{','.join(map(str, row))}\n" for row in graded))
    assert read_scores(path)["metric"].to_numpy().tolist() == ["correct", "grade"]


@pytest.mark.parametrize(
    ("metric", "rises"),
    [
        *(("TER ↓", False), ("wer (↓)", False), ("TER ↑", True), ("BLEU ↑", True), ("acc↓", False)),
        *(("val_loss", False), ("test_perplexity", False), ("mse_test", False), ("avg WER", False), ("error", False)),
        *(("top1_err", False), ("Test Error (%)", False)),
        *(("loss_of_recall", True), ("test", True), ("best", True)),
    ],
)
def test_a_direction_is_seen_through_arrows_and_names_of_splits(metric, rises, tmp_path):
    """An arrow decides, then the word that is left without names of splits; the better system comes out ahead."""
    assert rises_by_name(metric) is rises
    path = tmp_path / "long.csv"
    rows = [
        f"q{number},{system},{score + number / 10}" for number in range(4) for system, score in (("a", 1), ("b", 2))
    ]
    path.write_text("\n".join(["item,system," + metric, *rows]) + "\n")
    assert read_scores(path)["higher_is_better"].to_numpy().tolist() == [rises]


def test_metrics_with_arrows_are_metrics_and_no_topics(tmp_path):
    """A board of means whose columns say their direction is a board of means."""
    path = tmp_path / "board.csv"
    path.write_text("Model,BLEU ↑,TER ↓\nA,27.3,55.1\nB,28.4,54.0\nC,31.2,50.2\n")
    with pytest.raises(MetaevalError, match="scores of systems without topics"):
        read_scores(path)


def test_columns_called_as_judges_are_noted(tmp_path):
    """They count as systems, which a reader is told; with other columns they are systems like them."""
    path = tmp_path / "raters.csv"
    rows = [f"S{number},{number % 4},{number % 3}" for number in range(8)]
    for header, is_noted in (("Rater 1,Rater 2", True), ("annotator_A,annotator_B", True), ("Rater 1,bm25", False)):
        path.write_text("\n".join([f"Summary,{header}", *rows]) + "\n")
        notes = read_scores(path).attrs["notes"]
        assert any("called as judges" in note for note in notes) is is_noted


_FALLING = """
word_error_rate | wer_clean | character_error_rate | DER | PER | LPIPS | hamming_loss | misclassification_rate |
HD95 | EPE | AbsRel | CRPS | sMAPE | FPR@95 | bias_score | unsafe_rate | miss_rate | jailbreak_rate |
annotation_Hallucination_score | num hallucinations | Fehlerquote | Latenz | Antwortzeit (s) | logloss | error%
| Top1Err | frustration | RMSE (m) | MAE (°C) | MSE [m²] | Loss (nats) | toxicity (0-1) | WER (lower is better)
| WER | WER↓ | WER [%] | log-loss | nll | KID | minDCF | chamfer_distance | invalid_rate | timeout_rate |
crash_rate | harm_score | contradiction | sycophancy | NASA-TLX | TER_lower | MeanAbsErr | mean_squared_error |
val_error | top-1 error | time_to_first_token | distance km | Mean absolute error | Mean Error Rate | Latency
(ms) | err | Test Error (%) | FID (50k) | perplexity_per_token | edit_distance | eval_loss | false_negative_rate
| Error | attack success rate | response time (s) | wer_other | average latency | errors per 100 words
"""
_RISING = """
nDCG@10 | ERR | ERR@20 | ERR-IA@10 | err@20 | nERR | error_detection | loss_of_recall | error_correction_f1 |
non-toxicity | toxicity_reduction | hallucination-free | 1-WER | accuracy | F1 (error class) | WER ↑ | WER
(higher is better) | AP | P@10 | error_recovery | perception | bleu | terse | success_rate | no error | win_rate
| robustness to errors | hallucination_detection_accuracy | faithfulness | distance_accuracy | cosine_similarity
| error-free rate | similarity | merit | more | higher | lower
"""


@pytest.mark.parametrize(("metrics", "rises"), [(_FALLING, False), (_RISING, True)])
def test_a_direction_is_seen_in_names_of_speech_vision_safety_and_regression(metrics, rises):
    """What falls may stand at the end or the beginning of a name, with units; a word that turns it round is heeded."""
    names = " ".join(metrics.split()).split(" | ")
    assert [name for name in names if rises_by_name(name) is not rises] == []


@pytest.mark.parametrize(
    ("metric", "least", "rises"),
    [
        *((name, 0.0, False) for name in ("MQM", "mqm_score", "mqm_penalty", "penalty", "error score", "edits")),
        *((name, -25.0, True) for name in ("MQM", "mqm_score", "penalty", "WER")),  # WMT publishes MQM with a minus
        *((name, -25.0, False) for name in ("loss", "val_nll", "MQM ↓")),  # densities: a loss below 0 is a small one
        *(("BLEU", -25.0, True), ("MQM ↑", 0.0, True)),
    ],
)
def test_penalties_fall_unless_their_sign_was_reversed(metric, least, rises, tmp_path):
    """As Freitag et al. (2021) define MQM: 0 is without error, and WMT's files hold its negative. A note says so."""
    assert rises_by_name(metric, float(least < 0)) is rises
    rows = [(f"q{at}", system, least + at + plus) for at in range(4) for system, plus in (("a", 0), ("b", 1))]
    path = tmp_path / "long.csv"
    path.write_text(f"item,system,{metric}\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows))
    scores = read_scores(path)
    assert scores["higher_is_better"].to_numpy().tolist() == [rises]
    told = "lower is better" if not rises else "higher is better" if not rises_by_name(metric) else ""
    assert [note.partition(" under")[0] for note in scores.attrs["notes"]] == [told] * bool(told)
    write_scores(scores, again := tmp_path / "again.csv")
    assert read_scores(again)["higher_is_better"].to_numpy().tolist() == [rises]
    means = as_means({"metric": [metric] * 2, "system": ["a", "b"], "mean": [least, least + 1], "stderr": [0.1, 0.2]})
    assert means.higher_is_better.tolist() == [rises]
    assert [note.partition(" under")[0] for note in means.notes] == [told] * bool(told)


def scores_of_errors(metric, below):
    """Four systems on 20 items each, whose scores are 1 to 80, the last the worst; the first `below` are below 0."""
    numbers = np.arange(1.0, 81.0)
    return pd.DataFrame(
        {
            "system": np.repeat(list("abcd"), 20),
            "item": [f"q{at}" for at in range(20)] * 4,
            "human": -numbers,
            metric: np.where(numbers <= below, numbers - 100.0 if below > 1 else -0.001, numbers),
        }
    )


@pytest.mark.parametrize("metric", ["TER", "WER", "loss"])
def test_a_score_below_0_among_many_does_not_turn_errors_about(metric):
    """One of 80, by rounding, is no reversed sign: with the 79 others people's scores fall as the metric rises."""
    table = scores_of_errors(metric, 1)
    studied = metaeval.study_human(table, reference="human", rng=0)
    assert studied.system_table["value"].tolist() == pytest.approx([1.0] * 3)
    assert f"lower is better under {metric!r}, by name; rename the column if it is not" in studied.notes
    scores = metaeval.as_scores(table.drop(columns="human"))
    assert scores["higher_is_better"].to_numpy().tolist() == [False]
    assert not any("reversed" in note for note in scores.attrs["notes"])


def test_errors_with_scores_on_both_sides_of_0_are_taken_as_they_stand_and_the_note_says_how_to_turn_them():
    """No name tells of z-scores whether their sign was reversed; what the note says to pass turns them."""
    table = scores_of_errors("TER", 40)
    studied = metaeval.study_human(table, reference="human", rng=0)
    note = "higher is taken to be better under 'TER', called as errors, with scores on both sides of 0, as z-scores are"
    assert f"{note}; pass `lower_is_better=['TER']` if less is" in studied.notes
    turned = metaeval.study_human(table, reference="human", lower_is_better=["TER"], rng=0)
    assert [found.system_table.query("statistic == 'kendall'")["value"].item() for found in (studied, turned)] == [
        -1,
        1,
    ]
    assert not any("both sides" in note for note in turned.notes)
    means = table.drop(columns="item").groupby("system").mean().assign(TER=[-2.0, -1.0, 1.0, 2.0])
    assert f"{note}; pass `lower_is_better=['TER']` if less is" in metaeval.study_human(means, reference="human").notes
    (told,) = (note for note in metaeval.as_scores(table.drop(columns="human")).attrs["notes"] if "TER" in note)
    assert told == f"{note.replace(chr(39), '')}; pass `higher_is_better={{'TER': False}}` if it is not"
    assert "reversed" not in told


_RATINGS = np.random.default_rng(4).integers(1, 6, (30, 3)).astype(float)


@pytest.mark.parametrize("name", ["Minuten", "minutes", "Laufzeit", "Kapitel", "chapter", "Jahrgang"])
def test_times_and_parts_of_the_material_beside_ratings_are_no_systems(name):
    """No system is called so; they are left out, with a note."""
    values = np.column_stack([_RATINGS, np.arange(30) // 5 + 1])
    told = not_scores(["Bot A", "Bot B", "Bot C", name], values, along="system")
    assert [(column.name, column.sure) for column in told] == [(name, True)]


@pytest.mark.parametrize(
    "name", ["Zeit Bot A", "Anzahl Wörter", "Punkte max", "turns", "level", "hops", "relevance", "retries", "n_words"]
)
def test_counts_and_features_of_items_beside_ratings_are_asked_for(name):
    """Whole numbers such as ratings are; whoever says that they are a system has one."""
    values = np.column_stack([_RATINGS, np.arange(30) % 4 + 1.0])
    names = ["Bot A", "Bot B", "Bot C", name]
    assert [(column.name, column.sure) for column in not_scores(names, values, along="system")] == [(name, False)]
    assert not_scores(names, values, along="system", kept=[name]) == []


@pytest.mark.parametrize(
    "name", ["annotator_age", "batch", "difficulty", "logprob", "retries", "year_of_birth", "Laufzeit"]
)
def test_features_of_people_items_and_answers_are_no_metrics(name):
    """Where a row is one system on one topic they are left out, with a note."""
    random = np.random.default_rng(5)
    values = np.column_stack([random.uniform(0, 1, (30, 2)), random.integers(1, 9, 30)])
    told = not_scores(["AP", "P@5", name], values, along="cell")
    assert [(column.name, column.sure) for column in told] == [(name, True)]
    assert not_scores(["AP", "P@5", name], values, along="cell", kept=[name]) == []


@pytest.mark.parametrize(
    "metric",
    [
        "fail_rate",
        "halluc_rate",
        "unsafe",
        "harm",
        "defects",
        "leak_rate",
        "disagreement",
        "complaints",
        "issues",
        "typos",
        "escalations",
        "missing_facts",
        "warnings",
        "unfaithfulness",
        "overconfidence",
        "risk",
        "severity",
        "redundancy",
        "churn_rate",
        "bounce_rate",
        "drop_rate",
        "Refusal-rate",
        "task_failures",
    ],
)
def test_what_nobody_wants_is_better_when_lower(metric):
    """Also as a plural, and as a rate or number of it."""
    assert not rises_by_name(metric)


@pytest.mark.parametrize(
    "metric",
    [
        "DROP",
        "SPAM",
        "agreement",
        "harmlessness",
        "harm_avoidance",
        "failure_detection",
        "issue_resolution",
        "severity_accuracy",
        "bug_fix_rate",
        "pass_rate",
        "success_rate",
        "resolved_issues",
        "win_rate",
        "typo_robustness",
        "unsafe_recall",
        "non_refusal_rate",
    ],
)
def test_what_only_sounds_unwanted_is_better_when_higher(metric):
    """Data sets, and what is done about things that nobody wants."""
    assert rises_by_name(metric)


@pytest.mark.parametrize("constant", ["User,ann", "case,mixed"])
def test_a_column_that_says_the_same_in_all_rows_names_no_item(tmp_path, constant):
    """Beside one that can: who ran it all, or in which letters."""
    name, text = constant.split(",")
    path = tmp_path / "x.csv"
    rows = [(model, task, score) for model, score in (("a", 0.5), ("b", 0.25)) for task in ("t1", "t2", "t3")]
    path.write_text(f"model,{name},task,acc\n" + "".join(f"{model},{text},{task},{acc}\n" for model, task, acc in rows))
    for scores in (read_scores(path), as_scores(pd.read_csv(path))):
        assert scores["topic"].to_numpy().tolist() == ["t1", "t2", "t3"]
        assert scores.mean("topic").to_numpy().tolist() == [[0.5, 0.25]]


@pytest.mark.parametrize("suffix", ["csv", "frame"])
def test_a_split_that_differs_between_systems_is_named(tmp_path, suffix):
    """Of a all answers are of dev, of b all of test: what differs may be the split."""
    rows = [(system, split, f"q{at}", at % 2) for system, split in (("a", "dev"), ("b", "test")) for at in range(8)]
    frame = pd.DataFrame(rows, columns=["model", "split", "question_id", "correct"])
    frame.to_csv(tmp_path / "x.csv", index=False)
    read = {"csv": lambda given: read_scores(tmp_path / "x.csv"), "frame": as_scores}[suffix]
    assert "'split' is not the same for all systems (a: dev, b: test)" in " ".join(read(frame).attrs["notes"])
    both = frame.assign(split=["dev", "test"] * 8)  # of each system the same
    assert "not the same" not in " ".join(as_scores(both).attrs.get("notes", ()))


def test_a_cost_for_so_many_queries_is_no_item(tmp_path):
    """(60 + 70) / 2 = 65, without the 3.5 that a thousand queries cost."""
    (tmp_path / "x.csv").write_text("Modell,Jan,Feb,Kosten/1000 Anfragen\na,60,70,3.5\nb,50,70,1.2\nc,40,30,2\n")
    means = read_scores(tmp_path / "x.csv", systems_in="rows").mean("topic").sel(metric="x")
    assert means.sel(system="a").item() == 65
