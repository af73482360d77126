"""What people leave in tables: a measure in every name, an item in per cents, -1 for a gap, runs beside model ids."""

import numpy as np
import pytest

from metaeval import read_scores
from metaeval.questions.look.study import look

UTTERANCES = [(0.1, 0.3), (0.2, 0.25), (0.0, 0.1), (0.3, 0.2)]


def rows(pairs, head):
    """Return a table of two systems."""
    return head + "\n" + "".join(f"u{at},{first},{second}\n" for at, (first, second) in enumerate(pairs))


@pytest.mark.parametrize("head", ["utt,whisper_wer,wav2vec_wer", "utt,WER whisper,WER wav2vec", "utt,a.wer,b.wer"])
def test_the_measure_that_all_columns_are_called_as_is_the_metric(tmp_path, head):
    """So lower is better under word error rates, which the name of the file does not say: .15 is better than .2125."""
    (tmp_path / "d1.csv").write_text(rows(UTTERANCES, head))
    scores = read_scores(tmp_path / "d1.csv")
    assert scores["metric"].to_numpy().tolist()[0].casefold() == "wer"
    assert not scores["higher_is_better"].to_numpy().any()
    np.testing.assert_allclose(scores.mean("topic").to_numpy(), [[0.15, 0.2125]])
    assert any("taken for the metric" in note for note in scores.attrs["notes"])


@pytest.mark.parametrize("head", ["utt,a_1,b_1", "utt,old,new", "utt,a_wer,b_cer"])
def test_names_without_one_measure_leave_the_metric_to_the_file(tmp_path, head):
    """A number that all names end with, none, or two."""
    (tmp_path / "d1.csv").write_text(rows(UTTERANCES, head))
    assert read_scores(tmp_path / "d1.csv")["metric"].to_numpy().tolist() == ["d1"]


@pytest.mark.parametrize("n_systems", [2, 3])
def test_an_item_in_per_cents_among_shares_is_named(tmp_path, n_systems):
    """Of two systems too, where it decides between them."""
    names = "abc"[:n_systems]
    lines = [f"u{at}," + ",".join(f"0.{at + 1}{name}" for name in range(n_systems)) for at in range(1, 9)]
    text = f"item,{','.join(names)}\n" + "\n".join([*lines, "u9," + ",".join(["61.2", "55", "57"][:n_systems])])
    (tmp_path / "p.csv").write_text(text)
    notes = " ".join(read_scores(tmp_path / "p.csv").attrs["notes"])
    assert "u9 (55 to 61.2) has another scale than all other items" in notes


def test_minus_one_among_shares_is_named_and_no_correlation_is(tmp_path):
    """Two of forty; where other scores are below 0 too, or many are -1, they may be correlations."""
    pairs = [(0.5, 0.25)] * 18 + [(-1, 0.5), (0.5, -1)]
    (tmp_path / "n.csv").write_text(rows(pairs, "item,a,b"))
    said = " ".join(read_scores(tmp_path / "n.csv").attrs["notes"])
    assert "-1 where all other scores are at least 0: -1 ('a' on 'u18'), -1 ('b' on 'u19')" in said
    for others in ([(-0.5, 0.2)], [(-1, -1)] * 4):
        (tmp_path / "n.csv").write_text(rows([*pairs, *others], "item,a,b"))
        assert "empty what is no score" not in " ".join(read_scores(tmp_path / "n.csv").attrs.get("notes", ()))


def test_numbered_runs_beside_numbered_models_are_repeats(tmp_path):
    """Models 101 and 102 are the systems; each passed as often as its number of runs says, by hand."""
    passed = {("101", 1): "110", ("101", 2): "100", ("102", 1): "010", ("102", 2): "011"}
    lines = [
        f"{question},{model},{run},{outcome}"
        for (model, run), outcomes in passed.items()
        for question, outcome in enumerate(outcomes, start=1)
    ]
    (tmp_path / "l.csv").write_text("question_id,model_id,run,is_correct\n" + "\n".join(lines))
    scores = read_scores(tmp_path / "l.csv")
    assert scores["system"].to_numpy().tolist() == ["101", "102"]
    assert scores.sizes["repeat"] == 2
    np.testing.assert_allclose(scores.mean(("topic", "repeat")).to_numpy(), [[0.5, 0.5]])


@pytest.mark.parametrize(
    ("text", "way", "kind"),
    [
        ("q,a,b\n" + "".join(f"i{at},.{at},.5\n" for at in range(9)) + "x,#N/A,.5\nz,x!,.5\n", "pairwise", "unknown"),
        ("Name,State,User,acc,loss\nr1,done,me,.5,.2\nr2,done,me,.6,.1\n", "scores of every topic", "means"),
    ],
    ids=["a gap beside a word", "an export of runs"],
)  # fmt: skip
def test_what_look_shows_of_odd_tables_leads_to_no_number(command, tmp_path, monkeypatch, text, way, kind):  # noqa: PLR0917 - a row each
    """No gap counts as 0, and runs of one user are means without errors, no scores under judges."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(text)
    shown = command("look", "t.csv").out
    assert "metaeval look t.csv --missing zero" not in shown
    assert "stderr/" not in shown  # a loss is no error of the accuracy
    assert way in shown
    assert look("t.csv").kind == kind


def test_votes_on_responses(tmp_path):
    """Columns called as interfaces call them."""
    (tmp_path / "v.csv").write_text(
        "prompt,response_a_model,response_b_model,preference,annotator\n1,x,y,A,u1\n2,x,y,B,u2\n3,x,y,A,u1\n"
    )
    found = look(tmp_path / "v.csv")
    assert (found.kind, found.contents.sizes["votes"]) == ("votes", 3)
    assert found.answer.startswith("x wins 67 % of 3 votes")
