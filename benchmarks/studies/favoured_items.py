"""How often is a judge found to favour long answers that does not, and how often one that does?

    python benchmarks/studies/favoured_items.py > benchmarks/reports/favoured-items.md

Longer answers are better ones: length is quality plus noise. The judge saturates: it reads the reference's grade up to
the second best, and gives the best two one label. What it adds for a standard deviation of length is the gain. Then a
reference whose grades round a quality that judge and person see: there the judge, of the person's own law, has a slope.
"""

import subprocess
from pathlib import Path

import numpy as np
import pandas as pd

from metaeval.agreement import as_labels, favoured_items

N_SAMPLES = 250
SIZES = ((6, 40),)
UNEVEN = 0.2
SETTINGS = ((0.0, 0.0), (UNEVEN, 0.0), (0.0, 0.1))
"""What systems add to the judge's labels, and the gain."""
HEAD = """# Favour by a covariate of items

By `python benchmarks/studies/favoured_items.py` at commit {commit}: shares of {n} samples with p ≤ .05; a share of .05 has a
standard error of {error:.3f}. Labels 0 to 4 (the judge's noise is .5); every system adds to length and to the judge's labels
an amount of its own (standard deviation .5, and 0 or .2, uneven; with grades that round .2).
"""


def sample(size: tuple[int, int], rng: np.random.Generator, *, uneven: float, gain: float, rounds: bool) -> dict:
    """Return the answer on one sample: p of the judge, and whether the interval beyond people's excludes 0."""
    n_systems, n_questions = size
    quality = rng.normal(size=(1, n_questions)) + rng.normal(size=(n_systems, n_questions))
    length = quality + rng.normal(size=quality.shape) + 0.5 * rng.normal(size=(n_systems, 1))
    own = uneven * rng.normal(size=(n_systems, 1))
    human = np.digitize(quality, [-1.0, 0.0, 1.0])
    said = {"human": human}
    seen = 1.4 * quality if rounds else 1.4 * np.minimum(human, 2)
    labellers = ("person", "judge") if rounds else ("judge",)
    for name in labellers:
        noise = rng.normal(0, 0.5, quality.shape) + (own if name == "judge" else uneven * rng.normal(size=own.shape))
        bias = gain * length / length.std() if name == "judge" else 0.0
        said[name] = np.clip(np.rint(seen + noise + bias + (2 if rounds else 0)), 0, 4)
    items = pd.MultiIndex.from_product([[f"q{number}" for number in range(n_questions)], [f"s{number}" for number in range(n_systems)]])
    rows = [
        pd.DataFrame({"item": items.get_level_values(0), "system": items.get_level_values(1), "judge": name, "label": labels.T.ravel()})
        for name, labels in said.items()
    ]
    lengths = dict(zip((f"{question}::{system}" for question, system in items), length.T.ravel().tolist(), strict=True))
    found = favoured_items(as_labels(pd.concat(rows)), lengths, reference="human", people=labellers[:-1])
    row = found.table.set_index("judge").loc["judge"]
    return {"alone": row["p"] <= 0.05, "beyond": row["beyond_low"] > 0 or row["beyond_high"] < 0}


def shares(size: tuple[int, int], **setting: float) -> pd.Series:
    """Return the shares of samples in which favour is found."""
    rng = np.random.default_rng([60, *size])
    return pd.DataFrame([sample(size, rng, **setting) for _ in range(N_SAMPLES)]).mean()


def main() -> None:
    """Print the report."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout
    print(HEAD.format(commit=commit.strip(), n=N_SAMPLES, error=(0.05 * 0.95 / N_SAMPLES) ** 0.5))
    print("| systems | questions | no favour, even | no favour, uneven | gain .1, even | grades that round: slope | beyond a person's |")
    print("|---|---|---|---|---|---|---|")
    for size in SIZES:
        found = [shares(size, uneven=uneven, gain=gain, rounds=False)["alone"] for uneven, gain in SETTINGS]
        found += shares(size, uneven=UNEVEN, gain=0.0, rounds=True)[["alone", "beyond"]].tolist()
        print(f"| {size[0]} | {size[1]} | {' | '.join(f'{figure:.3f}' for figure in found)} |", flush=True)


if __name__ == "__main__":
    main()
