"""Tables beside an evaluation (sheets of multiple choice, curves, predictions, raters) are what they are; by hand."""

import pytest

from metaeval.io.tables import read_scores
from metaeval.questions.look.study import look


def means_of(path, **options):
    """Return the mean of every system, of one metric."""
    scores = read_scores(path, paired=None, **options)
    over = [dim for dim in ("topic", "repeat") if dim in scores.dims]
    return scores.isel(metric=0).mean(over).to_series().to_dict()


WORDS = ["blue", "river", "nine", "tree", "tall", "bus", "above"]


@pytest.mark.parametrize("letters", ["ABCD", ["option_a", "option_b", "option_c", "option_d"]], ids=["A", "option_a"])
def test_options_of_multiple_choice_are_no_sides_of_votes(tmp_path, letters):
    """As VLMEvalKit writes answers: `hit` says which are right, 12 of 20 by one model and 5 by the other."""
    for model, n_right in (("llava", 12), ("qwen", 5)):
        rows = [
            f"{at},What is in picture {at}?,{','.join(WORDS[(at + 2 * place) % 7] for place in range(len(letters)))},"
            f"{'ABCD'[at % 4]},{int(at < n_right)},Match Log: ok"
            for at in range(20)
        ]
        text = "\n".join([f"index,question,{','.join(letters)},answer,hit,log", *rows]) + "\n"
        (tmp_path / f"{model}.csv").write_text(text)
    found = look(tmp_path)
    assert (found.kind, found.contents.sizes["systems"], found.contents.sizes["items"]) == ("scores", 2, 20)
    assert means_of(tmp_path) == {"llava": 0.6, "qwen": 0.25}


def test_two_options_that_are_new_in_every_row_are_no_systems(tmp_path):
    """A and B are what was to choose between, so that no text stands in three of them; 3 of 6 answers are right."""
    rows = [f"q{at},text {at},text {(at + 1) % 6},{'AB'[at % 2]},{at % 2}" for at in range(6)]
    path = tmp_path / "gpt.csv"
    path.write_text("\n".join(["question,A,B,answer,correct", *rows]) + "\n")
    assert look(path).kind == "scores"
    assert means_of(path) == {"gpt": 0.5}
