"""How often a judge without favour is found to favour a group, and how often one that does is found out.

Systems have true qualities, topics and systems on topics their noise, which judge and reference share; each adds noise
of its own labels. Judges without favour copy the truth or the reference, stretch the scale, or are uneven: every system
gains or loses something lasting under them, by chance. Groups are 2, 5, 11 or 30 systems that are as good as others or
better by .1. Counted is how often p of `favoured_groups` lies below .05, over topics and systems and over
topics. A last part draws groups at random from the real runs of DL19 (in the folder of test data: $METAEVAL_DATA, else
../shared/data), where no group can be favoured but by chance.

    python benchmarks/studies/favoured_groups_calibration.py            # writes benchmarks/reports/….md
    python benchmarks/studies/favoured_groups_calibration.py --quick    # a tenth of the samples, to standard output
"""

import os
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from quick_or_whole import write_report

from metaeval import read_collection, score
from metaeval.agreement import favoured_groups
from metaeval.agreement.judge_bias_questions import BiasQuestion
from metaeval.agreement.judge_bias_statistics import certainty_over_both, certainty_over_topics
from metaeval.agreement.judge_bias_table import compare_group
from metaeval.collection.assembly import judgments_from
from metaeval.table.scores import Scores, as_scores

type Floats = NDArray[np.float64]

REPORT = Path(__file__).parents[1] / "reports" / "favoured_groups_calibration.md"
DATA = Path(os.environ.get("METAEVAL_DATA", Path(__file__).parents[3] / "shared" / "data"))
SHAPES = ((61, 2, 43), (61, 5, 43), (61, 11, 43), (60, 30, 43), (61, 11, 20), (20, 5, 20), (20, 5, 43), (12, 4, 25))
JUDGES = {
    "copy of the reference with noise": {"of_reference": 0.0},
    "the truth with noise": {},
    "slope .5": {"slope": 0.5, "shift": 0.2},
    "slope 1.5": {"slope": 1.5, "shift": -0.1},
    "uneven .01": {"uneven": 0.01},
    "uneven .02": {"uneven": 0.02},
    "uneven .04": {"uneven": 0.04},
    "uneven .02, slope .5": {"uneven": 0.02, "slope": 0.5, "shift": 0.2},
    "uneven .02, slope 1.5": {"uneven": 0.02, "slope": 1.5, "shift": -0.1},
    "slope that varies with topics": {"uneven": 0.02, "slope_spread": 0.3},
    "topics that hit the whole group": {"uneven": 0.02, "group_topics": 0.05},
}
HARDER = {
    "group twice as uneven": {"uneven": 0.02, "uneven_inside": 0.04},
    "group half as uneven": {"uneven": 0.02, "uneven_inside": 0.01},
    "systems close together (.04)": {"uneven": 0.02, "between": 0.04},
    "systems closer together (.03)": {"uneven": 0.02, "between": 0.03},
    "reference uneven too (.02)": {"uneven": 0.02, "uneven_reference": 0.02},
}


def sample(  # noqa: PLR0913 - one keyword per source of noise
    generator: np.random.Generator,
    shape: tuple[int, int, int],
    *,
    lead: float = 0.0,
    favour: float = 0.0,
    slope: float = 1.0,
    shift: float = 0.0,
    uneven: float = 0.0,
    uneven_inside: float | None = None,
    uneven_reference: float = 0.0,
    of_reference: float = 0.08,
    group_topics: float = 0.0,
    slope_spread: float = 0.0,
    between: float = 0.08,
) -> tuple[Floats, Floats]:
    """Draw scores of reference and judge, two arrays (system, topic); the group comes first."""
    n_systems, size, n_topics = shape
    cells = (n_systems, n_topics)
    quality = generator.normal(0.5, between, (n_systems, 1))
    quality[:size] += lead
    truth = quality + generator.normal(0, 0.2, n_topics) + generator.normal(0, 0.12, cells)
    reference = truth + generator.normal(0, of_reference, cells) + generator.normal(0, uneven_reference, (n_systems, 1))
    slopes = slope + generator.normal(0, slope_spread, n_topics)
    judge = shift + slopes * truth + generator.normal(0, 0.08, cells)
    lasting = generator.normal(0, uneven, (n_systems, 1))
    if uneven_inside is not None:
        lasting[:size] = generator.normal(0, uneven_inside, (size, 1))
    judge += lasting
    judge[:size] += favour
    for scores in (reference, judge):
        scores[:size] += generator.normal(0, group_topics, n_topics)
    return reference, judge


def rates(shape: tuple[int, int, int], n_samples: int, **options: float) -> dict[str, float]:
    """Return shares of p < .05 over both and over topics, the mean figure, with a plain slope too, and of no answer."""
    generator = np.random.default_rng([*shape, 7])
    n_systems, size, _ = shape
    inside = np.arange(n_systems) < size
    found = []
    for _ in range(n_samples):
        reference, judge = sample(generator, shape, **options)
        row = p_values(reference, judge, inside)
        x, y = reference.mean(axis=1), judge.mean(axis=1)
        plain = np.polyfit(x[~inside], y[~inside], 1)[0]
        lead = x[inside].mean() - x[~inside].mean()
        found.append((*row, y[inside].mean() - y[~inside].mean() - plain * lead))
    both, topics, value, flat = np.array(found).T
    told = np.isfinite(both)
    return {
        "both": np.mean(both[told] < 0.05) if told.any() else np.nan,
        "over topics": np.mean(topics[told] < 0.05) if told.any() else np.nan,
        "mean": value[told].mean() if told.any() else np.nan,
        "mean, plain slope": flat.mean(),
        "no answer": 1 - told.mean(),
    }


def p_values(reference: Floats, judge: Floats, inside: NDArray[np.bool_]) -> tuple[float, float, float]:
    """Return p over both and over topics, and the adjusted figure: what `favoured_groups` makes its table of."""
    asked = BiasQuestion(
        names=("judge",),
        judges=judge[None],
        known=reference,
        systems=tuple(map(str, range(len(inside)))),
        reference="reference",
        people=(),
        constant=np.zeros(1, dtype=bool),
        notes=(),
    )
    found = compare_group(asked, "group", inside, ~inside)
    both = certainty_over_both(found.line, 0.95, pooled=found.pooled).p.item()
    return both, certainty_over_topics(found.line, 0.95).p.item(), found.line.value.item()


def null_table(
    judges: dict[str, dict[str, float]], shapes: Sequence[tuple[int, int, int]], n_samples: int
) -> pd.DataFrame:
    """Count false alarms: one row a judge, shape of the data and lead of the group."""
    rows = []
    for name, options in judges.items():
        for shape in shapes:
            for lead in (0.0, 0.1):
                n_systems, size, n_topics = shape
                told = {"judge": name, "systems": n_systems, "in the group": size, "topics": n_topics, "lead": lead}
                rows.append(told | rates(shape, n_samples, lead=lead, **options))
    return pd.DataFrame(rows)


def power_table(n_samples: int) -> pd.DataFrame:
    """Count how often a planted favour is found."""
    rows = []
    for uneven in (0.0, 0.01, 0.02):
        for shape in SHAPES[:5]:
            row = {"uneven": uneven, "systems": shape[0], "in the group": shape[1], "topics": shape[2]}
            for favour in (0.02, 0.03, 0.05):
                found = rates(shape, n_samples, lead=0.1, favour=favour, uneven=uneven)
                row |= {f"favour {favour}": found["both"], f"mean found, {favour}": found["mean"]}
            rows.append(row)
    return pd.DataFrame(rows)


def real_scores() -> Scores:
    """Return nDCG@10 of the 61 runs of DL19 under five judges, on the documents of the second people."""
    judged, first = DATA / "llm-judges-dl19", DATA / "trec-dl19-passage"
    with tempfile.TemporaryDirectory() as folder:
        for name in ("modern-runs", "auto-qrels"):
            with tarfile.open(judged / f"{name}.tar.xz") as packed:
                packed.extractall(folder, filter="data")
        files = {
            "nist": first / "qrels.txt.gz",
            "second human 1": judged / "qrels.second-human-1.txt.gz",
            "second human 2": judged / "qrels.second-human-2.txt.gz",
            "gpt-4o": Path(folder, "auto-qrels/gpt-4o/umbrela.txt"),
            "gpt-4": Path(folder, "auto-qrels/gpt-4/umbrela.txt"),
        }
        names = ["topic", "pass", "document", "grade"]
        types = {"topic": str, "document": str}
        grades = {
            judge: pd.read_csv(path, sep=r"\s+", header=None, names=names, dtype=types)
            .groupby(["topic", "document"])["grade"]
            .max()
            for judge, path in files.items()
        }
        table = pd.DataFrame(grades).reindex(grades["second human 1"].index)
        qrels = {}
        for (topic, document), level in table.max(axis=1).astype(int).items():
            qrels.setdefault(topic, {})[document] = level
        runs = read_collection([first / "runs", Path(folder, "runs")], judgments_from(qrels))
    topics = np.array(runs.topics, dtype=object)[runs.topic_of_judgment]
    documents = [name.decode() for name in runs.document_ids.tolist()]
    own = table.reindex(pd.MultiIndex.from_arrays([topics, documents]))
    parts = [
        score(runs.rejudge(own[name].to_numpy().astype(np.int16)), ["nDCG@10"], undefined="zero") for name in files
    ]
    systems = parts[0]["system"].to_numpy().tolist()
    return as_scores(np.concatenate([part.to_numpy() for part in parts]), metrics=list(files), systems=systems)


def of_re_rankers(system: str) -> bool:
    """Say whether a run of DL19 is a re-ranker made of a language model."""
    return any(word in system for word in ("rankgpt", "rankzephyr", "rank-zephyr"))


def drawn_groups(scores: Scores, n_samples: int) -> pd.DataFrame:
    """Count how often groups drawn at random from the runs that are no such re-rankers are found favoured."""
    generator = np.random.default_rng(3)
    values = scores.to_numpy()[:, [not of_re_rankers(name) for name in scores["system"].to_numpy()]]
    rows = []
    for place, judge in enumerate(scores["metric"].to_numpy()[1:].tolist(), start=1):
        row = {"judge": judge}
        for size in (2, 5, 11, 25):
            found = []
            for _ in range(n_samples):
                inside = np.zeros(values.shape[1], dtype=bool)
                inside[generator.choice(len(inside), size, replace=False)] = True
                found.append(p_values(values[0], values[place], inside)[:2])
            both, topics = (np.array(found) < 0.05).mean(axis=0)
            row |= {f"{size} runs": both, f"{size}, over topics": topics}
        rows.append(row)
    return pd.DataFrame(rows)


def re_rankers_table(scores: Scores) -> pd.DataFrame:
    """Return what `favoured_groups` says of the re-rankers made of language models."""
    groups = {name: "LLM re-rankers" for name in scores["system"].to_numpy().tolist() if of_re_rankers(name)}
    found = favoured_groups(scores, groups, reference="nist", people=("second human 1", "second human 2")).table
    columns = ["judge", "figure", "low_topics", "high_topics", "low_both", "high_both", "adjusted"]
    columns += ["adjusted_low_topics", "adjusted_high_topics", "adjusted_low_both", "adjusted_high_both"]
    return found[[*columns, "slope", "p", "beyond_people", "beyond_low", "beyond_high"]]


def table(frame: pd.DataFrame, digits: int = 3) -> str:
    """Write a frame as Markdown."""
    shown = frame.copy()
    for name in shown.columns:
        if shown[name].dtype.kind == "f":
            places = 2 if name in {"lead", "uneven"} else 4 if name.startswith("mean") else digits
            shown[name] = [f"{value:.{places}f}" if np.isfinite(value) else "" for value in shown[name]]
    lines = [list(shown.columns), ["---"] * shown.shape[1], *shown.astype(str).to_numpy().tolist()]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def summary(null: pd.DataFrame) -> pd.DataFrame:
    """Return over the judges without favour the least, mean and most false alarms of every shape."""
    keys = ["systems", "in the group", "topics", "lead"]
    found = null.groupby(keys, sort=False)["both"].agg(["min", "mean", "max"])
    found.columns = ["least", "average", "most"]
    over = null.groupby(keys, sort=False)["over topics"].max().rename("most, over topics")
    return pd.concat([found, over], axis=1).reset_index()


def study(n_samples: int, n_drawn: int) -> str:
    """Return the whole report, with the part about DL19 where its data are at hand."""
    null = null_table(JUDGES, SHAPES, n_samples)
    harder = null_table(HARDER, SHAPES[:3] + SHAPES[4:6], n_samples)
    large = null[null["systems"] >= 60]
    text = TEXT.format(
        n_samples=n_samples,
        error=np.sqrt(0.05 * 0.95 / n_samples),
        low=large["both"].min(),
        high=large["both"].max(),
        low_few=null.loc[null["systems"] < 60, "both"].min(),
        high_few=null.loc[null["systems"] < 60, "both"].max(),
        summary=table(summary(null)),
        detail=table(null.drop(columns="no answer")),
        harder=table(harder),
        power=table(power_table(n_samples)),
    )
    return text + real(n_drawn) if (DATA / "llm-judges-dl19").is_dir() else text


def real(n_samples: int) -> str:
    """Return the part about DL19."""
    scores = real_scores()
    return REAL.format(n=n_samples, drawn=table(drawn_groups(scores, n_samples)), found=table(re_rankers_table(scores)))


TEXT = """# Whom a judge favours: false alarms and power

Made by `python benchmarks/studies/favoured_groups_calibration.py`. {n_samples} samples a line (a share of .05 has a standard
error of {error:.4f}). "both" is the share of p < .05 of the adjusted figure over topics and systems. True qualities
have a standard deviation of .08 between systems (and the group a lead of .1, where said), topics one of .2, a system on
a topic .12 that judge and reference share, and each of them .08 of its own. "Uneven" is the standard deviation of what
a system gains or loses for good under the judge, by chance.

## Judges without favour

Over all of these judges, by the size of the data:

{summary}

With 60 systems shares lie from {low:.3f} to {high:.3f}, with 12 or 20 from {low_few:.3f} to {high_few:.3f}: where there
are few systems the interval errs on the side of no alarm. Reasons: a part of the variance below 0 counts as 0, and the
slope from few systems varies more than its topics tell. An interval over topics alone is for these systems: a judge
that is uneven by chance is uneven for them, and so it finds that often.

{detail}

"mean, plain slope" is the figure with the slope of an ordinary regression on the reference's means: too flat, so that
a group with a lead looks favoured; products across topics take that off. Where the judge is a copy of the reference,
noise included, there is nothing to take off, and neither slope is wrong.

## Harder cases

{harder}

Groups that are more uneven inside than others are outside: from five systems on each side has a spread of its own; in
a group of two one spread has to serve, and the interval is too narrow (a note on the result says so). Where
systems differ by little, no slope can be told, and there is no answer in the share of samples of the last column: below
a reliability of .5. A reference that is uneven itself flattens the line in a way that no other topics can show: a good
group looks favoured by a little.

## Power

A group with a lead of .1 that the judge favours by .02, .03 or .05, p over topics and systems.

{power}

A group of two is found only where the judge is even: what it does to two systems may be chance.
"""

REAL = """
## The runs of DL19

nDCG@10 of 61 runs on the 4511 documents of the second people, 43 topics, NIST's labels as the reference. First {n}
groups a size drawn at random from the 50 runs that are no re-rankers made of language models: shares of p < .05.

{drawn}

Then those re-rankers, 11 runs against the 50:

{found}
"""


if __name__ == "__main__":
    write_report(__doc__, REPORT, lambda quick: study(150, 100) if quick else study(1500, 1000))
