"""Rates of errors by utterance beside how long utterances are; means by hand.

One utterance of 91 words and nine of 1: a has .5 and 0, the mean .05 and of 100 words 45.5 / 100; b has .1 and .3, the
mean .28 and of 100 words (9.1 + 2.7) / 100 = .118.
"""

import numpy as np
import pytest

from metaeval.base.notes import CorpusMeans
from metaeval.io.tables import read_scores
from metaeval.questions.look.study import look
from metaeval.questions.table.study import study_table

SIZES, A, B = [91] + [1] * 9, [0.5] + [0.0] * 9, [0.1] + [0.3] * 9
ANSWER = (
    "Partly: a is significantly better than b under wer by 0.230 [0.072, 0.388] (0.050 against 0.280; paired t). "
    "Weighted by ref_words, as the wer of a corpus is, b is better: 0.118 against 0.455."
)


def _wide(first="utt_id,ref_words,wer_a,wer_b", sizes=SIZES):
    rows = [f"u{at},{size},{a},{b}" for at, (size, a, b) in enumerate(zip(sizes, A, B, strict=True))]
    return "\n".join([first, *rows]) + "\n"


def _long():
    rows = [f"{name},u{at},{n},{of[at]}" for name, of in (("a", A), ("b", B)) for at, n in enumerate(SIZES)]
    return "\n".join(["system,utt_id,ref_words,wer", *rows]) + "\n"


def test_the_answer_says_where_the_corpus_has_another_order(tmp_path):
    """In a wide table and in a long one."""
    (tmp_path / "wide.csv").write_text(_wide())
    assert look(tmp_path / "wide.csv").answer == ANSWER.replace("a is", "wer_a is").replace("b is", "wer_b is").replace(
        "than b", "than wer_b"
    )
    (tmp_path / "long.csv").write_text(_long())
    assert study_table(read_scores(tmp_path / "long.csv")).report().summary[0] == ANSWER


def test_the_note_gives_both_means_and_the_way_to_weigh(tmp_path):
    """With weights the page has the same figures, .118 and .455, and nothing more to say."""
    (tmp_path / "wide.csv").write_text(_wide())
    (note,) = (note for note in read_scores(tmp_path / "wide.csv").attrs["notes"] if isinstance(note, CorpusMeans))
    assert "0.455 for wer_a, 0.118 for wer_b; `columns={'weight': 'ref_words'}` weights so" in note
    weighted = read_scores(tmp_path / "wide.csv", columns={"weight": "ref_words"})
    study = study_table(weighted)
    assert study.to_frame()["mean"].to_numpy() == pytest.approx([0.118, 0.455])
    assert "of a corpus" not in " ".join([*study.report().summary, *study.notes])


@pytest.mark.parametrize(
    "text",
    [
        _wide("utt_id,ref_words,bleu_a,bleu_b"),
        _wide("utt_id,hyp_words,wer_a,wer_b"),
        _wide(sizes=[3] * 10),
    ],
    ids=["no rate", "of the output", "all alike"],
)
def test_nothing_is_said_of_other_metrics_and_sizes(tmp_path, text):
    """Nor where all utterances are of one size, by which nothing turns."""
    (tmp_path / "a.csv").write_text(text)
    assert not any(isinstance(note, CorpusMeans) for note in read_scores(tmp_path / "a.csv").attrs["notes"])


def test_of_several_systems_the_best_is_named(tmp_path):
    """With c of .2 throughout, c is the best of neither: a is by its mean, b of the corpus."""
    rows = zip(SIZES, A, B, np.full(10, 0.2).tolist(), strict=True)
    lines = [f"u{at},{n},{a},{b},{c}" for at, (n, a, b, c) in enumerate(rows)]
    (tmp_path / "a.csv").write_text("\n".join(["utt_id,ref_words,wer_a,wer_b,wer_c", *lines]) + "\n")
    first = study_table(read_scores(tmp_path / "a.csv")).report().summary[0]
    assert "Weighted by ref_words, as the wer of a corpus is, wer_b is best: 0.118 against 0.455 of wer_a." in first
