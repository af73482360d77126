# ruff: noqa: RUF001 - the minus sign is meant for people
"""How often the rule of `metaeval judges` turns away or clears judges whose distance from people is known.

Systems have true qualities, topics and systems on topics their noise; the reference, second people and the judge each
add noise of their labels and what a system gains or loses for good under them ("uneven"). A judge of the people's own
law adds the same; others add more. Beside the verdict stands the rule of before: "may not" by a bare count of more
contradictions than people. A last part saturates a judge's scale, and counts how often a group without favour is found
favoured, and how often without the remark that the scale is bent.

    python benchmarks/studies/judge_verdicts_calibration.py            # writes benchmarks/reports/….md, some 5 minutes
    python benchmarks/studies/judge_verdicts_calibration.py --quick    # a tenth of the samples, to standard output
"""

import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
from favoured_groups_calibration import p_values, sample, table
from numpy.typing import NDArray
from quick_or_whole import write_report
from scipy.stats import false_discovery_control, ttest_1samp

from metaeval.agreement.judge_bias_statistics import bend
from metaeval.resampling.judge_conclusions import judge_conclusions
from metaeval.resampling.judge_verdicts import ranking_verdict
from metaeval.table.scores import Scores, as_scores

REPORT = Path(__file__).parents[1] / "reports" / "judge_verdicts_calibration.md"
MARGIN = 0.05
TRUTHS, SAMPLES_A_WORLD = 200, 6
FEW = tuple(
    {"systems": systems, "topics": topics, "people": 3, "uneven": 0.03, "judge": judge}
    for systems, topics in ((6, 20), (8, 20))
    for judge in (0.03, 0.05)
)
type Floats = NDArray[np.float64]
SETTINGS = (
    {"systems": 20, "topics": 40, "people": 3, "uneven": 0.03},
    {"systems": 30, "topics": 40, "people": 3, "uneven": 0.06},
    {"systems": 20, "topics": 40, "people": 1, "uneven": 0.03},
    {"systems": 20, "topics": 20, "people": 3, "uneven": 0.03},
    {"systems": 20, "topics": 40, "people": 3, "uneven": 0.02, "judge": 0.03},
    {"systems": 20, "topics": 40, "people": 3, "uneven": 0.02, "judge": 0.06},
)


def scores_of(  # noqa: PLR0913 - one keyword per size and source of noise
    generator: np.random.Generator,
    *,
    systems: int,
    topics: int,
    people: int,
    uneven: float,
    judge: float | None = None,
    noise: float = 0.08,
) -> Scores:
    """Draw scores under a reference, second people and a judge, who is as uneven as they are unless said otherwise."""
    cells = (systems, topics)
    truth = generator.normal(0.5, 0.08, (systems, 1)) + generator.normal(0, 0.2, topics)
    truth = truth + generator.normal(0, 0.12, cells)
    lasting = np.full(people + 2, uneven)
    lasting[-1] = uneven if judge is None else judge
    seen = [
        truth + generator.normal(0, noise, cells) + generator.normal(0, own, (systems, 1)) for own in lasting.tolist()
    ]
    return as_scores(np.stack(seen), metrics=["reference", *(f"person {one + 1}" for one in range(people)), "judge"])


def verdicts(setting: dict[str, float], n_samples: int, n_resamples: int = 200) -> pd.DataFrame:
    """Return the verdicts on the judges of many samples, without those where the reference tells nothing apart."""
    generator = np.random.default_rng(30)
    rows = []
    for number in range(n_samples):
        scores = scores_of(generator, **setting)
        names = scores["metric"].to_numpy().tolist()
        found = judge_conclusions(
            scores, reference="reference", people=names[1:-1], n_resamples=n_resamples, n_rounds=1, rng=number
        )
        beside = found.beside_people.set_index("measure")["difference"]
        rows.append(ranking_verdict(found, "judge", MARGIN)._asdict() | {"beside": beside["contradicted"]})
    frame = pd.DataFrame(rows)
    return frame[frame["ranking"] != "no pairs"]


def row_of(setting: dict[str, float], n_samples: int) -> dict[str, object]:
    """Count the verdicts of one setting."""
    found = verdicts(setting, n_samples)
    words = found["ranking"].value_counts(normalize=True)
    counted = found["n_conflicts"] > np.ceil(found["people_conflicts"])
    return {
        **{name: setting[name] for name in ("systems", "topics", "people", "uneven")},
        "judge": setting.get("judge", "the same"),
        "samples": len(found),
        "less in F1": found["difference"].mean(),
        "more contradicted": found["beside"].mean(),
        **{word: words.get(word, 0.0) for word in ("may", "not settled", "may not")},
        "cleared, as stated": found["cleared_if_equal"].mean(),
        "may not by count": (counted | (found["difference_high"] < -MARGIN)).mean(),
    }


def few_pairs(n_worlds: int) -> pd.DataFrame:
    """Count wrong verdicts on judges whose true distance from people is known, by the significant pairs there are.

    A world fixes what systems are worth and what each gains under every labeller; its truth is the mean over samples
    of topics of what F1 falls short of people's, and of what contradictions take beyond theirs.
    """
    rows = []
    for setting in FEW:
        for world in range(n_worlds):
            fixed, generator = world_of(setting, world), np.random.default_rng([31, world])
            figures = [conclusions_of(topics_of(fixed, setting, generator)) for _ in range(TRUTHS)]
            short, against = np.nanmean(figures, axis=0)
            for number in range(SAMPLES_A_WORLD):
                seen = topics_of(fixed, setting, generator)
                names = ["reference", *(f"person {one + 1}" for one in range(len(seen) - 2)), "judge"]
                found = judge_conclusions(
                    as_scores(seen, metrics=names),
                    reference="reference",
                    people=names[1:-1],
                    n_resamples=200,
                    n_rounds=1,
                    rng=number,
                )
                n_pairs = found.table.set_index("judge").loc["judge", "n_reference"]
                verdict = ranking_verdict(found, "judge", MARGIN)
                rows.append({**setting, "pairs": n_pairs, "short": short, "against": against, "word": verdict.ranking})
    frame = pd.DataFrame(rows)
    frame = frame[frame["pairs"] > 0]
    within = (frame["short"] <= MARGIN) & (frame["against"] <= MARGIN)
    near = within & ((frame["short"] > MARGIN / 2) | (frame["against"] > MARGIN / 2))
    told = []
    for words, low, high in (("1 to 4", 1, 4), ("5 to 9", 5, 9), ("10 or more", 10, np.inf)):
        part = frame["pairs"].between(low, high)
        row: dict[str, object] = {"pairs of the reference": words}
        for kind, of, word in (
            ("within the margin: may not", part & within, "may not"),
            ("just within: may not", part & near, "may not"),
            ("beyond: may", part & ~within, "may"),
            ("beyond: may not", part & ~within, "may not"),
        ):
            n = int(of.sum())
            row[kind] = f"{(frame['word'][of] == word).mean() if n else np.nan:.3f} of {n}"
        told.append(row)
    return pd.DataFrame(told)


def world_of(setting: dict[str, float], world: int) -> Floats:
    """Draw what every system is worth under the reference, the people and the judge: (labeller, system)."""
    generator = np.random.default_rng([30, world, int(setting["systems"])])
    own = np.full(int(setting["people"]) + 2, setting["uneven"])
    own[-1] = setting["judge"]
    worth = generator.normal(0.5, 0.1, int(setting["systems"]))
    return worth + generator.normal(0, 1, (len(own), len(worth))) * own[:, None]


def topics_of(fixed: Floats, setting: dict[str, float], generator: np.random.Generator) -> Floats:
    """Draw scores (labeller, system, topic) of a world."""
    n_labellers, n_systems = fixed.shape
    n_topics = int(setting["topics"])
    shared = generator.normal(0, 0.2, n_topics) + generator.normal(0, 0.12, (n_systems, n_topics))
    return fixed[:, :, None] + shared + generator.normal(0, 0.08, (n_labellers, n_systems, n_topics))


def conclusions_of(scores: Floats) -> tuple[float, float]:
    """Return how far F1 of the judge falls short of people's, and what contradictions take beyond theirs, literally."""
    first, second = np.triu_indices(scores.shape[1], 1)
    apart = scores[:, first] - scores[:, second]
    p = ttest_1samp(apart, 0, axis=2).pvalue
    verdicts = np.stack([np.where(false_discovery_control(own, method="by") <= 0.05, 1, 0) for own in p])
    verdicts *= np.sign(apart.mean(axis=2)).astype(int)
    found = np.abs(verdicts).sum(axis=1)
    either = found[1:] + found[0]
    with np.errstate(invalid="ignore"):
        f1, against = (
            2.0 * (verdicts[1:] * verdicts[0] == same).sum(axis=1) / np.where(either > 0, either, np.nan)
            for same in (1, -1)
        )
    return float(np.mean(f1[:-1]) - f1[-1]), float(against[-1] - np.mean(against[:-1]))


def saturating(n_samples: int) -> pd.DataFrame:
    """Count how often a group without favour is found favoured under a judge of 1 - exp(-k score)."""
    rows = []
    inside = np.arange(61) < 11
    for lead in (0.0, 0.1):
        for bent in (0, 1, 2, 3):
            generator = np.random.default_rng(5)
            found = []
            for _ in range(n_samples):
                reference, judge = sample(generator, (61, 11, 43), lead=lead)
                if bent:
                    judge = (1 - np.exp(-bent * judge)) / (1 - np.exp(-bent))
                p = p_values(reference, judge, inside)[0]
                found.append((p, bend(judge[None][:, ~inside], reference[~inside])[1].item()))
            favoured, seen = (np.array(found) <= 0.05).T
            told = {"lead of the group": lead, "k": bent or "a line"}
            told |= {"favoured": favoured.mean(), "called bent": seen.mean()}
            rows.append(told | {"favoured, not called bent": (favoured & ~seen).mean()})
    return pd.DataFrame(rows)


TEXT = """# Verdicts on judges: how often a judge is turned away or cleared

Made by `python benchmarks/studies/judge_verdicts_calibration.py` at commit {commit}. {n_samples} samples a line (a share of .05
has a standard error of {error:.3f}), {margin} of F1 as the margin, 200 resamples. "Less in F1" is the mean difference
of the judge from people, "more contradicted" the mean of what contradictions take from F1 beyond people.

{ranking}

In the first four lines the judge is drawn from the people's own law, so it lies within the margin: "may not" is to be
said in .05 of samples at most. In the last two the judge is more uneven than people are. "Cleared, as stated" is the
chance that the page gives of clearing a judge as good as a person; "may" of the first four lines is how often it came
so. They are of one order and not the same: a judge of the people's law is by chance better or worse than they are, the
more so the more uneven they all are.
"May not by count" is the rule of before: more contradictions than people, by a bare count.

## Few significant pairs

Four kinds of worlds of 6 or 8 systems and 20 topics, {n_worlds} of each, {samples} samples of topics a world. A world fixes what
systems are worth and what each gains under every labeller, so that how far the judge falls short of people, and how much
more it contradicts, is known (the mean of {truths} other samples, by literal tests). Just within: more than half of the
margin. Cells: share of the verdicts, of how many.

{few}

On fewer than six significant pairs "may not" is not said; before that rule it was said there in .009 of 114 samples of a
judge of the people's law (6 systems, 40 topics, one person), and in none of 234 others.

## A judge that saturates

Nobody is favoured; the judge's scores are those of a straight judge bent by 1 − exp(−k · score). 61 systems, 11 of them
in the group, 43 topics, {n_bent} samples a line; p of .05 or less over topics and systems.

{bent}

A good group looks favoured or disfavoured where the scale is bent. Where the remark is missing that happens in .05 of
the samples at most: no more often than under a straight scale.
"""


def study(n_samples: int, n_bent: int) -> str:
    """Return the whole report."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],  # noqa: S607 - git is on the path
        capture_output=True,
        text=True,
        check=True,
        cwd=REPORT.parent,
    ).stdout.strip()
    return TEXT.format(
        commit=commit,
        n_samples=n_samples,
        error=np.sqrt(0.05 * 0.95 / n_samples),
        margin=MARGIN,
        ranking=table(pd.DataFrame([row_of(setting, n_samples) for setting in SETTINGS])),
        n_worlds=max(2, n_samples // 10),
        samples=SAMPLES_A_WORLD,
        truths=TRUTHS,
        few=table(few_pairs(max(2, n_samples // 10))),
        n_bent=n_bent,
        bent=table(saturating(n_bent)),
    )


if __name__ == "__main__":
    write_report(__doc__, REPORT, lambda quick: study(16, 60) if quick else study(160, 600))
