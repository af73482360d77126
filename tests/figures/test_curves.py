import numpy as np
import pytest
import xarray as xr

from metaeval.figures.curves import run_curves


@pytest.mark.parametrize("n_systems", [2, 7, 40])
def test_curves_are_all_drawn(n_systems, words):
    """Every run's precisions are in the picture; few runs are all named, of many the best and the last."""
    values = np.sort(np.random.default_rng(0).random((n_systems, 11)), axis=1)[:, ::-1]
    names = [f"run{number}" for number in range(n_systems)]
    points = np.arange(11) / 10
    curves = xr.DataArray(values, dims=("system", "recall"), coords={"system": names, "recall": points})
    figure = run_curves(curves, across="recall", up="precision", top=1.02)
    (axes,) = figure.axes
    drawn = np.concatenate([line.get_ydata() for line in axes.lines])
    np.testing.assert_array_equal(np.sort(drawn[~np.isnan(drawn)]), np.sort(values.ravel()))
    order = [names[row] for row in np.argsort(-values.mean(axis=1))]
    shown = set(names) & set(words(figure))
    assert shown == (set(names) if n_systems < 8 else {order[0], order[-1]})


def test_curves_of_runs_fill_the_axes_and_carry_their_words(words):
    """Low curves over ranks are not pressed to the bottom, and long ones have no marks."""
    values = np.linspace(0.2, 0.05, 50) * np.array([[1.0], [0.5]])
    curves = xr.DataArray(values, dims=("system", "rank"), coords={"system": ["one", "two"], "rank": range(1, 51)})
    figure = run_curves(curves, across="rank", up="gain")
    (axes,) = figure.axes
    assert 0.2 < axes.get_ylim()[1] < 0.25
    assert axes.get_xlim()[1] >= 50
    assert {"rank", "gain", "one", "two"} <= set(words(figure))
    drawn = {line.get_label(): line for line in axes.lines}
    assert drawn["one"].get_marker() == "None"
    assert drawn["two"].get_ydata() == pytest.approx(values[1])
