"""Do the intervals of judges without a reference hold, and does the sampler reach its goals on public labels?

Run: python benchmarks/studies/latent_classes.py --data DIR  # public labels in DIR/alt-test; writes reports/latent-classes.md
     python benchmarks/studies/latent_classes.py --quick     # a tenth of the sets, printed

Simulated: 3 to 6 judges who err independently, right in .6 to .95 of the items of a label, 2 or 3 labels, 60 to 200
items, a fifth of the labels missing in half of the sets, two systems whose items have labels of their own shares. All
sets go through a Gibbs sampler of the same model, many at once; some through `latent_classes` as users call it, whose
intervals are to be the same.
"""

import argparse
import json
import subprocess
import tarfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import log_expit

from metaeval.agreement import as_labels
from metaeval.errors import EstimationError
from metaeval.models import LatentClasses, latent_classes
from metaeval.models.dawid_skene import _ABOUT_NOTHING, _TRUST

REPORT = Path(__file__).parents[1] / "reports" / "latent-classes.md"
N_SETS, N_BY_PACKAGE, LEVEL = 480, 8, 0.9
N_DRAWS, N_FIRST, EVERY = 8000, 1000, 2
PUBLIC = ("mtbench", "lgbteen")
SYSTEMS = ("first", "second")


class SimulatedSet(NamedTuple):
    """Labels, -1 where there is none, and what they were drawn from."""

    number: int
    codes: np.ndarray  # (item, judge)
    says: np.ndarray  # (judge, right, said)
    of_systems: np.ndarray  # (system, label)

    def truth(self) -> dict[str, np.ndarray]:
        """Return what intervals are to hold; items are of the two systems in turn."""
        n_labels, (n_items, _) = self.says.shape[-1], self.codes.shape
        share = self.of_systems[np.arange(n_items) % 2].mean(axis=0)
        return quantities(share, self.says) | {"score of a system": self.of_systems @ np.arange(n_labels)}


def quantities(share: np.ndarray, says: np.ndarray) -> dict[str, np.ndarray]:
    """Return shares, confusions and accuracies by name, the last axis being which."""
    right = np.eye(share.shape[-1], dtype=bool)
    return {
        "share of a label": share,
        "right, by judge and label": says[..., right].reshape(*share.shape[:-1], -1),
        "wrong, by judge and two labels": says[..., ~right].reshape(*share.shape[:-1], -1),
        "accuracy of a judge": np.einsum("...c,...jcc->...j", share, says),
    }


def simulated(number: int) -> SimulatedSet:
    """Draw a set."""
    rng = np.random.default_rng([60, number])
    n_judges, n_labels, n_items = 3 + number % 4, 2 + number // 4 % 2, int(rng.integers(60, 201))
    of_systems = rng.dirichlet(20 * rng.dirichlet(np.full(n_labels, 5.0)), size=2)
    right = rng.uniform(0.6, 0.95, (n_judges, n_labels))
    wrong = rng.dirichlet(np.ones(n_labels - 1), (n_judges, n_labels))
    says = np.zeros((n_judges, n_labels, n_labels))
    for label in range(n_labels):
        says[:, label] = np.insert((1 - right[:, label, None]) * wrong[:, label], label, right[:, label], axis=1)
    truth = (rng.random((n_items, 1)) > of_systems[np.arange(n_items) % 2].cumsum(axis=1)).sum(axis=1)
    codes = (rng.random((n_items, n_judges, 1)) > says[:, truth].swapaxes(0, 1).cumsum(axis=2)).sum(axis=2)
    codes[(rng.random(codes.shape) < 0.2) & (number // 8 % 2 == 1)] = -1
    return SimulatedSet(number, codes[(codes >= 0).any(axis=1)], says, of_systems)


def by_gibbs(sets: list[SimulatedSet], rng: np.random.Generator) -> list[dict[str, np.ndarray]]:
    """Return both ends of intervals of sets with as many judges and labels, (end, which), from one chain a set.

    Labels of items, shares and confusions are drawn in turn; that labels keep their names is a Metropolis step.
    """
    n_judges, n_labels = sets[0].says.shape[:2]
    n_items = max(len(of_set.codes) for of_set in sets)
    codes = np.stack([np.pad(s.codes, ((0, n_items - len(s.codes)), (0, 0)), constant_values=-2) for s in sets])
    said = (codes[..., None] == np.arange(n_labels)).reshape(len(sets), n_items, -1).astype(float)
    there = (codes != -2).any(axis=2)
    prior = np.where(np.eye(n_labels, dtype=bool), _TRUST * (n_labels - 1), 1.0)
    says = np.tile(prior / prior.sum(axis=1, keepdims=True), (len(sets), n_judges, 1, 1))
    share = np.full((len(sets), n_labels), 1 / n_labels)
    drawn: list[dict[str, np.ndarray]] = []
    for draw in range(N_DRAWS):
        logs = np.log(says).swapaxes(2, 3).reshape(len(sets), n_judges * n_labels, n_labels)
        chances = said @ logs + np.log(share)[:, None]
        chances = np.exp(chances - chances.max(axis=2, keepdims=True)).cumsum(axis=2)
        truth = (chances < rng.random((len(sets), n_items, 1)) * chances[..., -1:]).sum(axis=2)
        is_truth = (truth[..., None] == np.arange(n_labels)) & there[..., None]
        share = _dirichlet(1.0 + is_truth.sum(axis=1), rng)
        counts = (said.swapaxes(1, 2) @ is_truth).reshape(len(sets), n_judges, n_labels, n_labels).swapaxes(2, 3)
        proposed = _dirichlet(prior + counts, rng)
        accepted = np.log(rng.random(len(sets))) < _unmirrored(proposed) - _unmirrored(says)
        says = np.where(accepted[:, None, None, None], proposed, says)
        if draw >= N_FIRST and draw % EVERY == 0:
            weights = rng.standard_exponential(truth.shape) * there
            scores = [(weights * truth)[:, s::2].sum(axis=1) / weights[:, s::2].sum(axis=1) for s in range(2)]
            drawn.append(quantities(share, says) | {"score of a system": np.stack(scores, axis=1)})
    tails = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    ends = {what: np.quantile([row[what] for row in drawn], tails, axis=0) for what in drawn[0]}
    return [{what: of_all[:, index] for what, of_all in ends.items()} for index in range(len(sets))]


def _dirichlet(counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    gammas = np.maximum(rng.standard_gamma(counts), 1e-300)
    return gammas / gammas.sum(axis=-1, keepdims=True)


def _unmirrored(says: np.ndarray) -> np.ndarray:
    more = (np.diagonal(says, axis1=2, axis2=3)[:, :, None] - says).mean(axis=1)
    return log_expit(more / _ABOUT_NOTHING).sum(axis=(1, 2))


def by_package(of_set: SimulatedSet) -> tuple[LatentClasses, dict[str, np.ndarray]]:
    """Return what `latent_classes` answers, and both ends of its intervals."""
    n_judges, n_labels = of_set.says.shape[:2]
    said = np.where(of_set.codes < 0, np.nan, of_set.codes)
    names = [f"j{judge}" for judge in range(n_judges)]
    labels = as_labels(dict(zip(names, said.T.tolist(), strict=True)), scale=range(n_labels))
    systems = {str(item): SYSTEMS[item % 2] for item in range(len(said))}
    found = latent_classes(labels, systems=systems, confidence_level=LEVEL, rng=of_set.number)
    posterior = found.posterior["posterior"]
    drawn = quantities(
        posterior["share"].to_numpy().reshape(-1, n_labels),
        posterior["says"].to_numpy().reshape(-1, n_judges, n_labels, n_labels),
    )
    ends = {what: np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0) for what, values in drawn.items()}
    scores = found.systems.set_index("system").loc[list(SYSTEMS), ["low", "high"]]
    return found, ends | {"score of a system": scores.to_numpy().T}


def coverage(n_sets: int, n_by_package: int) -> str:
    """Return the table of what the intervals hold, with standard errors over sets, and how both samplers compare."""
    sets, ends = [simulated(number) for number in range(n_sets)], {}
    for shape in range(8):
        alike = [of_set for of_set in sets if of_set.number % 8 == shape]
        ends |= {s.number: of for s, of in zip(alike, by_gibbs(alike, np.random.default_rng(shape)), strict=True)}
    rows = [
        {"set": s.number, "labels": s.says.shape[1], "what": what, "below": truth < low, "above": truth > high}
        for s in sets
        for what, values in s.truth().items()
        for truth, low, high in zip(values, *ends[s.number][what], strict=True)
    ]
    frame = pd.DataFrame(rows).astype({"below": float, "above": float})
    text = ["| quantity | labels | intervals | held | s.e. | too high | too low |\n|---|---|---|---|---|---|---|"]
    for (what, n_labels), of_kind in frame.groupby(["what", "labels"]):
        missed = (of_kind["below"] + of_kind["above"]).groupby(of_kind["set"])
        total, size = missed.sum(), missed.size()
        share = total.sum() / size.sum()
        error = np.sqrt(((total - share * size) ** 2).sum()) / size.sum()
        sides = f"{of_kind['below'].mean():.3f} | {of_kind['above'].mean():.3f}"
        text.append(f"| {what} | {n_labels} | {len(of_kind)} | {1 - share:.3f} | {error:.3f} | {sides} |")
    return "\n".join([*text, "", both_samplers(sets[:n_by_package], ends)])


def both_samplers(sets: list[SimulatedSet], ends: dict[int, dict[str, np.ndarray]]) -> str:
    """Say what the package's sampler reaches, and how far its ends are from those of the other, in widths."""
    reached, apart, refused = [], [], 0
    for of_set in sets:
        try:
            found, of_package = by_package(of_set)
        except EstimationError:
            refused += 1
            continue
        reached.append((found.rhat, found.effective_draws))
        for what, (low, high) in ends[of_set.number].items():
            apart.append(np.abs(of_package[what] - ends[of_set.number][what]).ravel() / np.mean(high - low))
    rhat, effective = np.array(reached).T
    gaps = np.concatenate(apart)
    return (
        f"`latent_classes` on {len(sets)} of the sets: {refused} refused; R-hat at most {rhat.max():.3f}, at least "
        f"{effective.min():.0f} effective draws, no divergences. Its ends are {gaps.mean():.3f} of an interval's width "
        f"from those of the Gibbs sampler on average, at most {gaps.max():.2f}.\n"
    )


def public(folder: Path) -> str:
    """Return what the sampler reaches on public labels of six models, and how often people say the same."""
    columns = ["set", "items", "labels", "seconds", "R-hat", "effective draws", "pairs beyond independence"]
    columns += ["label", "most frequent label", "most accurate model", "mean model"]
    text = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    with tarfile.open(folder / "alt-test" / "annotations.tar.xz") as packed:
        for name in PUBLIC:
            people, models = (
                json.load(packed.extractfile(f"alt-test/{name}/{kind}_annotations.json")) for kind in ("human", "llm")
            )
            labels = as_labels(models)
            started = time.perf_counter()
            try:
                found = latent_classes(labels, rng=1)
            except EstimationError as error:
                text.append(f"| {name} | refused: {error} |")
                continue
            seconds = time.perf_counter() - started
            text.append(f"| {name} | {against(found, people, models, seconds)} |")
    return "\n".join(text) + "\n"


def against(found: LatentClasses, people: dict, models: dict, seconds: float) -> str:
    """Compare labels with those that most people give."""
    human = {item: common([said[item] for said in people.values() if item in said]) for item in found.items["item"]}
    human = {item: str(label) for item, label in human.items() if label is not None}
    usual = {item: common([said[item] for said in models.values() if item in said]) for item in human}
    latent = dict(zip(found.items["item"], found.items["label"], strict=True))
    alike = [
        np.mean([str(said[item]) == label for item, label in human.items() if item in said])
        for said in (latent, usual, models[found.judges["judge"].iloc[0]], *models.values())
    ]
    cells = [len(found.items), len(found.labels), f"{seconds:.0f}", f"{found.rhat:.4f}", f"{found.effective_draws:.0f}"]
    cells += [f"{int(found.pairs['beyond'].sum())} of {len(found.pairs)}", *(f"{share:.3f}" for share in alike[:3])]
    return " | ".join(map(str, [*cells, f"{np.mean(alike[3:]):.3f}"]))


def common(said: list[object]) -> object:
    """Return the label that occurs most, None where two do."""
    first, *others = Counter(said).most_common(2) or [(None, 0)]
    return None if others and others[0][1] == first[1] else first[0]


def main() -> None:
    """Write the report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False, cwd=REPORT.parents[2]
    ).stdout.strip()
    sizes = (N_SETS // 10, 2) if options.quick else (N_SETS, N_BY_PACKAGE)
    text = HEAD.format(commit=commit, n_sets=sizes[0]) + coverage(*sizes)
    if options.data:
        text += TEXT_OF_PUBLIC + public(options.data)
    print(text) if options.quick else REPORT.write_text(text)


HEAD = """# Judges without a reference

By `python benchmarks/studies/latent_classes.py --data ../shared/data` at commit {commit}: how often 90 % intervals hold
the truth that labels were drawn from, in {n_sets} sets, and on which side they miss. Standard errors are over sets.

"""
TEXT_OF_PUBLIC = """
## Labels of six models, beside people

Sets of the alt-test whose labels are few words or grades. Goals of the sampler: R-hat ≤ 1.01, 400 effective draws, no
divergences. The last four columns are shares of items whose label is the one that most people give: the latent label,
the label that most models give, the label of the model that is said to be most accurate, and of a model on average.

"""

if __name__ == "__main__":
    main()
