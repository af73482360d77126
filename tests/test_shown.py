"""What a result shows of itself wherever it is shown: what was found, what was told of the data, a picture."""

import dataclasses
import inspect
import pickle

import matplotlib.figure
import numpy as np
import pandas as pd
import pytest
from every import EVERY, answer, chapters

import metaeval
from metaeval import as_scores, bootstrap_test, paired_t_test, read_scores, simulate_scores, study_power, study_table
from metaeval.base.results import Result
from metaeval.base.short_repr import notes_of
from metaeval.errors import InvalidOptionError, UnknownNameError

pytestmark = [
    pytest.mark.usefixtures("one_core"),
    pytest.mark.filterwarnings("ignore::metaeval.errors.MetaevalWarning"),  # so little data reaches no level
]
KINDS = sorted(
    {getattr(place, name) for place in chapters() for name in place.__all__ if inspect.isclass(getattr(place, name))},
    key=lambda kind: kind.__name__,
)


@pytest.mark.parametrize("name", EVERY)
def test_every_result_has_an_answer(name):
    """One sentence, which the repr begins with; the same result equals itself and its copy, and no other kind."""
    result = answer(name)
    if not isinstance(result, Result):
        return
    assert result.answer.endswith((".", "?", "!"))
    assert len(result.answer) <= 400
    assert result.answer[:60] in repr(result).split("\n")[0] or "\\" in repr(result.answer)
    assert result.equals(result)
    assert not result.equals(0)
    if "pickle" not in EVERY[name].excused:
        assert result.equals(pickle.loads(pickle.dumps(result)))  # noqa: S301 - our own


@pytest.mark.parametrize("name", EVERY)
def test_every_result_is_saved(name, tmp_path):
    """The table comes back from CSV with its columns and rows; an ending that is not known names those that are."""
    result = answer(name)
    if not isinstance(result, Result) or type(result).save is not Result.save:
        assert not isinstance(result, Result) or callable(result.save)
        return
    page = result.save(tmp_path / "result.html")
    assert page.read_text("utf-8").endswith(result._repr_html_())
    with pytest.raises(UnknownNameError, match=r"Known: \.csv, \.html"):
        result.save(tmp_path / "result.xlsx")
    if "<table>" not in result._repr_html_():
        with pytest.raises(InvalidOptionError, match=r"has no table for a \.csv file; save it as \.html"):
            result.save(tmp_path / "result.csv")
    elif hasattr(result, "to_frame"):
        frame, read = result.to_frame(), pd.read_csv(result.save(tmp_path / "result.csv"))
        assert len(read) == len(frame)
        assert {*map(str, frame.columns)} <= {*read.columns}
        for column in frame.select_dtypes("floating").columns:
            np.testing.assert_array_equal(read[str(column)].to_numpy(float), frame[column].to_numpy())


@pytest.mark.parametrize("kind", [kind for kind in KINDS if issubclass(kind, Result)], ids=lambda kind: kind.__name__)
def test_every_result_is_drawn_by_one_call(kind):
    """`plot(which=None, ax=None)` is that of all results; what draws takes what is chosen first, the rest by name."""
    assert list(inspect.signature(kind.plot).parameters) == ["self", "which", "ax", "options"]
    assert kind.plot is Result.plot
    drawn = list(inspect.signature(kind._draw).parameters.values())[1:]
    assert all(parameter.default is not parameter.empty for parameter in drawn)
    assert all(parameter.default is None or isinstance(parameter.default, str) for parameter in drawn[:1]) or (
        drawn[0].kind is drawn[0].KEYWORD_ONLY
    )


def test_a_picture_goes_into_axes_of_somebody_else():
    """The figure is theirs; a choice or an option that there is not is refused with what there is."""
    found = paired_t_test(simulate_scores(n_systems=4, n_topics=20, metrics=["AP", "RR"], rng=1))
    figure = matplotlib.figure.Figure()
    left, right = figure.subplots(1, 2)
    assert found.plot("RR", ax=right) is figure
    assert (len(left.images), len(right.images)) == (0, 1)
    with pytest.raises(InvalidOptionError, match="takes `which` and `groups`"):
        found.plot(colour="red")
    with pytest.raises(InvalidOptionError, match=r"plot\(\) has one picture, without options"):
        metaeval.models.variance_components(simulate_scores(n_systems=4, n_topics=20, rng=1)).plot("AP")
    with pytest.raises(InvalidOptionError, match=r"a FakeResult has no picture; its fields show"):
        FakeResult(1).plot()


@dataclasses.dataclass(frozen=True)
class FakeResult(Result):
    """Nothing to draw."""

    value: int


def clean():
    """Return a wide table without faults: two-decimal scores of five systems on thirty topics."""
    generator = np.random.default_rng(4)
    values = (0.4 + 0.03 * np.arange(5) + generator.normal(0, 0.1, (30, 1)) + generator.normal(0, 0.05, (30, 5))).clip(
        0.01
    )
    return pd.DataFrame(values.round(3), index=[str(301 + n) for n in range(30)], columns=list("abcde"))


def _with(place, value):
    def planted():
        table = clean()
        table.iloc[place] = value
        return table

    return planted


def _twice():
    table = clean()
    table.insert(5, "f", table["e"])
    return table


def _gaps(rule):
    def planted():
        table = clean()
        table.iloc[2, 1] = np.nan
        return as_scores(table, missing=rule)

    return planted


def _repeats():
    values = clean().to_numpy().T[None, :, :, None]
    return as_scores(np.concatenate([values, values + 0.01], axis=3))


FAULTS = {
    "a sentinel of -999": (_with((3, 2), -999.0), "-999"),
    "a sentinel of 999": (_with((3, 2), 999.0), "999"),
    "-1 for a gap": (_with((3, 2), -1.0), "-1"),
    "a constant system": (_with((slice(None), 1), 0.5), "b"),
    "a failed system": (_with((slice(None), 1), 0.0), "b"),
    "a system twice": (_twice, "f"),
    "gaps as 0": (_gaps("zero"), "counted as 0"),
    "a system dropped": (_gaps("drop-systems"), "dropped"),
    "a topic dropped": (_gaps("drop-topics"), "dropped"),
    "repeats": (_repeats, "repeats"),
}


@pytest.mark.parametrize("ask", [paired_t_test, lambda data: bootstrap_test(data, rng=1), study_table, study_power])
@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_told_of_the_data_is_shown_with_the_answer(fault, ask):
    """Ten faults planted in good data: each is under the sentence, in a terminal and in a notebook."""
    planted, word = FAULTS[fault]
    result = ask(planted())
    told = [note for note in notes_of(result) if word in note]
    assert told
    shown, page = " ".join(repr(result).split()), result._repr_html_()
    assert any(note[:100].split("'")[0] in shown for note in told)
    assert word in page
    assert notes_of(result) == notes_of(pickle.loads(pickle.dumps(result)))  # noqa: S301 - our own


def test_the_notes_of_one_call_are_not_those_of_the_next():
    """What was told of other data is told of them alone."""
    assert notes_of(paired_t_test(FAULTS["a sentinel of -999"][0]()))
    assert not notes_of(paired_t_test(clean()))


def test_results_equal_when_computed_again(tmp_path):
    """The same data from a file and from memory; other data, another level or other notes are another result."""
    path = tmp_path / "AP.csv"
    clean().to_csv(path, index_label="topic")
    first, again = (paired_t_test(data) for data in (read_scores(path), read_scores(path)))
    assert first.equals(again)
    assert not first.equals(first.with_correction("none"))
    assert not first.equals(paired_t_test(read_scores(path).isel(topic=slice(1, None))))
    assert study_power(read_scores(path), test="t", rng=1).equals(study_power(read_scores(path), test="t", rng=1))
