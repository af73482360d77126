"""Whether curves fitted to few topics predict the error at many, and how many topics the Web tracks need.

Run: python benchmarks/studies/extrapolation.py DATA_FOLDER [--samples 20]

The first part draws 200 of the 1153 topics of MQ2007 again and again, fits every curve to sizes up to 100, and
compares with the error truly seen at sizes up to 500 in all 1153; the Bayesian model stands beside the curves. The
second draws 20, 30 and 50 topics and goes on to 1000, of which the truth is normal theory with the means and variances
of all 1153. The third prints the minimum-topics tables of the Web tracks 2010 to 2014. All are written to
benchmarks/reports/.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import ndtr

from metaeval.models import bayesian_error_rate
from metaeval.models.curves import compare_curves
from metaeval.models.families import CURVES
from metaeval.models.topic_counts import minimum_topics, minimum_topics_table
from metaeval.resampling.swap import swap_method
from metaeval.table.scores import as_scores

REPORTS = Path(__file__).parents[1] / "reports"
MARGINS = (0.0, 0.05, 0.1)
TRUE_SIZES = (100, 150, 200, 300, 400, 500)
FEW_TOPICS = (20, 30, 50)
FAR_SIZES = (50, 100, 200, 500, 1000)
MODEL = "Bayesian model"
WEB_METRICS = ("ap", "err20", "ndcg20", "p10", "p20", "rr")


def markdown(frame: pd.DataFrame) -> str:
    """Lay a table out in Markdown, index first."""
    table = frame.reset_index()
    lines = [list(map(str, table.columns)), ["---"] * len(table.columns), *table.astype(str).to_numpy().tolist()]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def true_minimum(scores: np.ndarray, tolerance: float) -> str:
    """Find the smallest size with at most 5 % error among all sizes that 1153 topics allow, in steps of 5."""
    rates = swap_method(scores, sizes=range(5, 576, 5), tolerances=[tolerance], n_trials=300, rng=1)
    found = minimum_topics(rates, limit=1153)
    return found.table().iloc[0, 0]


type Curves = dict[tuple[float, str], np.ndarray]


def predict(scores: np.ndarray, sample: int) -> tuple[Curves, str, dict[str, str], np.ndarray]:
    """Fit every curve to 200 topics: rates, the family that won, topics needed, and the model's intervals."""
    topics = np.random.default_rng([7, sample]).choice(scores.shape[1], 200, replace=False)
    rates = swap_method(scores[:, topics], tolerances=MARGINS, rng=sample)
    model = bayesian_error_rate(scores[:, topics], tolerances=MARGINS, observed=rates, rng=sample)
    compared = compare_curves(rates)
    curves = {(tolerance, family): curve.rate(TRUE_SIZES) for (_, tolerance, family), curve in compared.curves.items()}
    seen = rates.rates(half_swaps=True).sel(size=100).to_numpy()[0]
    curves |= {
        (tolerance, "seen at 100 topics"): np.r_[rate, [np.nan] * 5]
        for tolerance, rate in zip(MARGINS, seen, strict=True)
    }
    needed = {
        family: minimum_topics(rates, limit=5000, family=family, comparison=compared).table().loc[0.0].iloc[0]
        for family in ("best", *CURVES)
    }
    curves |= {(tolerance, "best"): curves[tolerance, str(compared.best)] for tolerance in MARGINS}
    asked = model.curves(TRUE_SIZES)
    curves |= {(tolerance, MODEL): part["median"].to_numpy() for tolerance, part in asked.groupby("tolerance")}
    needed[MODEL] = str(model.minimum_topics()["median"][0])
    ends = np.array([part[["low", "high"]].to_numpy() for _, part in asked.groupby("tolerance")])
    return curves, str(compared.best), needed, ends


def far_truth(scores: np.ndarray) -> np.ndarray:
    """Return the error rates of these systems by normal theory, at the far sizes."""
    first, second = np.triu_indices(len(scores), 1)
    gaps = scores[first] - scores[second]
    u = np.abs(gaps.mean(axis=1)) / gaps.std(axis=1)
    chance = ndtr(-u * np.sqrt(FAR_SIZES)[:, None])
    return (2 * chance * (1 - chance)).mean(axis=1)


def far_report(scores: np.ndarray, n_samples: int) -> list[str]:
    """Predict from few topics: bias and spread of every curve and of the model, and how often its interval is right."""
    truth, rows = far_truth(scores), []
    rows.append({"topics": "", "curve": "**true error rate**"} | _far_cells(f"{rate:.4f}" for rate in truth))
    for n_topics in FEW_TOPICS:
        found: dict[str, list[np.ndarray]] = {name: [] for name in (*CURVES, MODEL)}
        held = []
        for sample in range(n_samples):
            topics = np.random.default_rng([8, n_topics, sample]).choice(scores.shape[1], n_topics, replace=False)
            rates = swap_method(scores[:, topics], tolerances=[0], rng=sample)
            for (_, _, family), curve in compare_curves(rates).curves.items():
                found[family].append(curve.rate(FAR_SIZES))
            asked = bayesian_error_rate(scores[:, topics], observed=rates, rng=sample).curves(FAR_SIZES)
            found[MODEL].append(asked["median"].to_numpy())
            held.append((asked["low"] <= truth) & (truth <= asked["high"]))
        for name, drawn in found.items():
            ratios = np.array(drawn) / truth - 1 if drawn else np.full((2, len(truth)), np.nan)
            pairs = zip(ratios.mean(axis=0), ratios.std(axis=0, ddof=1), strict=True)
            cells = _far_cells("" if np.isnan(bias) else f"{bias:+.0%} ± {spread:.0%}" for bias, spread in pairs)
            rows.append({"topics": n_topics, "curve": f"{name} ({len(drawn)} of {n_samples} samples)"} | cells)
        shares = _far_cells(f"{share:.0%}" for share in np.mean(held, axis=0))
        rows.append({"topics": n_topics, "curve": "its 90 % interval holds the truth"} | shares)
    return [
        "## From 20, 30 and 50 topics to 1000, no tolerance",
        (
            f"{n_samples} random samples of each number of topics; curves fitted to sizes from 5 to half of them, in "
            "the samples in which they could be. True: normal theory with the means and variances of all 1153 topics. "
            "Cells as above."
        ),
        markdown(pd.DataFrame(rows).set_index("topics")),
    ]


def _far_cells(values: object) -> dict[str, str]:
    return {f"{size} topics": value for size, value in zip(FAR_SIZES, values, strict=True)}


def extrapolation_report(folder: Path, n_samples: int) -> str:
    """Compare what 200 topics predict with what 1153 topics show."""
    table = pd.read_csv(folder / "trec-matrices" / "mq2007_statap_top26.csv.gz", index_col=0)
    scores = table.to_numpy(dtype=float)
    truth = swap_method(scores, sizes=TRUE_SIZES, tolerances=MARGINS, n_trials=1000, rng=0).rates(half_swaps=True)
    predicted, winners, needed, ends = zip(*(predict(scores, sample) for sample in range(n_samples)), strict=True)
    rows = []
    for tolerance in MARGINS:
        true = truth.sel({"tolerance": tolerance}).to_numpy()[0]
        rows.append({"tolerance": f"{tolerance:.0%}", "curve": "**true error rate**"} | _cells(true, "{:.4f}"))
        for family in ("seen at 100 topics", *CURVES, "best", MODEL):
            ratios = np.array([one[tolerance, family] for one in predicted]) / true - 1
            cells = [
                "" if np.isnan(bias) else f"{bias:+.0%} ± {spread:.0%}"
                for bias, spread in zip(ratios.mean(axis=0), ratios.std(axis=0, ddof=1), strict=True)
            ]
            rows.append({"tolerance": f"{tolerance:.0%}", "curve": family} | _cells(cells, "{}"))
        low, high = np.moveaxis(np.array(ends)[:, MARGINS.index(tolerance)], -1, 0)
        held = ((low <= true) & (true <= high)).mean(axis=0)
        shares = [f"{share:.0%}" for share in held]
        rows.append(
            {"tolerance": f"{tolerance:.0%}", "curve": "its 90 % interval holds the truth"} | _cells(shares, "{}")
        )
    errors = pd.DataFrame(rows).set_index("tolerance")
    minimum = pd.DataFrame(
        {
            family: np.quantile([float(one[family].strip("*>")) for one in needed], [0.1, 0.5, 0.9])
            for family in ("best", *CURVES, MODEL)
        },
        index=["10 % of samples below", "median", "90 % of samples below"],
    ).astype(int)
    return "\n\n".join(
        (
            "# Extrapolating the error rate: predicted against seen (MQ2007)",
            (
                f"26 systems, statAP. {n_samples} random samples of 200 of the 1153 topics; swap method with 50 trials "
                "at sizes 5 to 100, disjoint sets, relative tolerances, zero differences as half swaps; every curve "
                "fitted to all those sizes. True: all 1153 topics, 1000 trials. Cells: mean relative error of the "
                "prediction ± its standard deviation over the samples of topics. `best` takes, in each sample, the "
                "curve with the smallest held-out error over the three tolerances."
            ),
            markdown(errors),
            f"Chosen as best: {pd.Series(winners).value_counts().to_dict()}.",
            "## Minimum topics for an error of at most 5 %, no tolerance",
            (
                f"True: {true_minimum(scores, 0.0)} (observed in all 1153 topics, sizes in steps of 5). Predicted from "
                "200 topics (5000 stands for more than that):"
            ),
            markdown(minimum.rename_axis("")),
            *far_report(scores, 2 * n_samples),
        )
    )


def _cells(values: object, form: str) -> dict[str, str]:
    return {f"{size} topics": form.format(value) for size, value in zip(TRUE_SIZES, values, strict=True)}


def web_report(folder: Path) -> str:
    """Print the minimum-topics tables of the Web tracks, with the error of each curve on held-out sizes."""
    parts = [
        "# Minimum topics for at most 5 % error: Web tracks 2010-2014",
        (
            "The form of Pal, Mitra and Kamps (2010, Table 7): tolerance in rows, metrics in columns. Swap method, "
            "disjoint sets, relative tolerances, 200 trials, sizes 5 to half the topics, limit 100. `63*` is "
            "extrapolated, `>100` beyond the limit, `<5` below the smallest size. Two blocks a track: the curve that "
            "predicted the upper half of the sizes best from the lower half, and the published exponential."
        ),
    ]
    for year in range(2010, 2015):
        paths = {name: folder / "trec-matrices" / f"web{year}_{name}.csv" for name in WEB_METRICS}
        scores = as_scores({name: pd.read_csv(path) for name, path in paths.items()})
        rates = swap_method(scores, n_trials=200, rng=0)
        table = minimum_topics_table(rates, limit=100)
        summary = compare_curves(rates).summary().set_index("family").round({"held_out_error": 4, "held_out_bias": 3})
        at_ten = rates.rates().sel(size=[10, 20]).sel({"tolerance": [0.0, 0.05, 0.1]})
        parts += [
            f"## Web {year}: {rates.n_systems} systems, {rates.n_topics} topics",
            markdown(table),
            "Curves on held-out sizes (weighted error; mean relative bias):",
            markdown(summary),
            "Error rates at 10 and 20 topics:",
            markdown(_wide_rates(at_ten)),
        ]
    return "\n\n".join(parts)


def _wide_rates(rates: xr.DataArray) -> pd.DataFrame:
    frame = rates.to_series().round(4).unstack("metric")[list(WEB_METRICS)]  # noqa: PD010 - moved, not aggregated
    return frame.rename_axis(columns=None)


def main() -> None:
    """Write both reports and print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder that holds trec-matrices/")
    parser.add_argument("--samples", type=int, default=20)
    options = parser.parse_args()
    REPORTS.mkdir(exist_ok=True)
    reports = {
        "extrapolation.md": extrapolation_report(options.data, options.samples),
        "minimum-topics-web.md": web_report(options.data),
    }
    for name, text in reports.items():
        (REPORTS / name).write_text(text + "\n", encoding="utf-8")
        print(text, end="\n\n")


if __name__ == "__main__":
    main()
