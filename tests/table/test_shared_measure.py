"""The measure of a table of one metric, where its items, its corner cell or its title name it."""

import pandas as pd
import pytest

from metaeval import as_scores, read_scores

WER = pd.DataFrame(
    {"de": [16.0, 18.4, 21.7], "fr": [7.2, 10.3, 9.5], "es": [11.3, 14.8, 15.9]}, index=["new", "mid", "old"]
)
"""The best system has the fewest errors in every language but one."""
ITEMS = [
    "{} WER", "WER_{}", "CER-{}", "{} \N{DOWNWARDS ARROW}", "FLEURS {} WER%", "{} error rate", "{} (WER)",
    "{} perplexity", "{} (lower is better)",
]  # fmt: skip
TITLES = [
    "WER (%) by language", '"Table 3: Word error rate, lower is better"', "WER \N{DOWNWARDS ARROW},,,",
    "Scores (lower is better)",
    "Perplexity of languages",
]  # fmt: skip


def rises(text, tmp_path, **options):
    """Return whether higher is better in a file called board, and what its metric is called."""
    path = tmp_path / "board.csv"
    path.write_text(text)
    scores = read_scores(path, **options)
    assert scores.sizes["topic"] == len(WER.columns)
    return scores["higher_is_better"].item(), scores["metric"].item(), scores.attrs["notes"]


@pytest.mark.parametrize("item", ITEMS)
def test_items_called_as_an_error_measure_turn_a_board(item, tmp_path):
    """In columns, in rows, in a long table and in a frame."""
    board = WER.rename(columns=item.format)
    long = board.melt(ignore_index=False, var_name="topic", value_name="score").rename_axis("system").reset_index()
    texts = [board.to_csv(index_label="Model"), board.T.to_csv(), long.to_csv(index=False)]
    for text in texts:
        higher, _, notes = rises(text, tmp_path)
        assert not higher
        assert any("lower is better under" in note for note in notes)
    assert not as_scores(board.rename_axis("system"))["higher_is_better"].item()
    assert not as_scores(board.T.to_dict())["higher_is_better"].item()


@pytest.mark.parametrize("title", TITLES)
def test_a_title_turns_a_board(title, tmp_path):
    """The line above the header is left out, and what it says of the numbers is not."""
    assert not rises(f"{title}\n{WER.to_csv(index_label='Model')}", tmp_path)[0]


@pytest.mark.parametrize("corner", ["WER (%)", "System / WER", "Perplexity"])
def test_the_corner_cell_turns_a_board(corner, tmp_path):
    """So does the name of an index."""
    assert not rises(WER.to_csv(index_label=corner), tmp_path, systems_in="rows")[0]
    assert not as_scores(WER.rename_axis(corner), systems=[*WER.index])["higher_is_better"].item()


@pytest.mark.parametrize(
    ("item", "title"),
    [
        ("sub_{}", ""),
        ("far {}", ""),
        ("{} acc", ""),
        ("{}", "ASR accuracy and WER"),
        ("{}", "WER (higher is better)"),
        ("{}", "Tous les ter par mer"),
    ],
)
def test_words_that_may_be_anything_turn_nothing(item, title, tmp_path):
    """sub-01 is a person, and a title that names two measures says of neither which it is."""
    table = WER.rename(columns=item.format).to_csv(index_label="Model")
    assert rises(title + "\n" * bool(title) + table, tmp_path)[0]


def test_the_measure_is_the_metric(tmp_path):
    """A file called board holds WER, and an arrow alone stands behind the name of the file."""
    assert rises(WER.add_suffix(" WER").to_csv(index_label="Model"), tmp_path)[1] == "WER"
    assert (
        rises(WER.add_suffix(" \N{DOWNWARDS ARROW}").to_csv(index_label="Model"), tmp_path)[1]
        == "board \N{DOWNWARDS ARROW}"
    )


@pytest.mark.parametrize("item", ITEMS)
def test_a_name_that_somebody_gave_the_metric_hides_no_direction(item, tmp_path):
    """NAME=FILE keeps the name, with a note; a name that falls needs none, and what somebody says goes first."""
    path = tmp_path / "board.csv"
    path.write_text(WER.rename(columns=item.format).to_csv(index_label="Model"))
    scores = read_scores({"mine": path})
    assert (scores["metric"].item(), scores["higher_is_better"].item()) == ("mine", False)
    assert any("lower is better under mine" in note for note in scores.attrs["notes"])
    assert read_scores({"mine": path}, higher_is_better=True)["higher_is_better"].item()
