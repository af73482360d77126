"""Is the power at a minimum detectable difference what was asked for? Simulated, for t, McNemar and clusters.

A pilot of two systems gives a minimum detectable difference (`metaeval.tests_stat.detectable_differences`). Then two
systems that differ by just that are drawn anew on as many topics, and tested. The share of pilots whose second
drawing is significant should be the power asked for, .8. It cannot be exactly: a pilot's standard deviation is itself
drawn, and power bends down about it; so the same is done with the true standard deviation in its place.

    python benchmarks/studies/detectable_difference_power.py          # writes reports/detectable-difference-power.md
    python benchmarks/studies/detectable_difference_power.py --quick  # a tenth of the pilots, to standard output
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from quick_or_whole import write_report

from metaeval.table.scores import Scores, as_scores
from metaeval.tests_stat.detectable_difference import detectable_differences
from metaeval.tests_stat.noncentral_t import detectable_shift
from metaeval.tests_stat.paired_t import paired_t_test
from metaeval.tests_stat.sign import sign_test

REPORT = Path(__file__).parents[1] / "reports" / "detectable-difference-power.md"
SEED = 20263
TOPICS = (20, 50, 200)
LEVELS = (0.05, 0.0001)  # a pair alone, and one of five hundred under Holm's first step
CHUNK = 1000
NOTHING = "nothing"
type Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int, int], Floats]


def normal(rng: np.random.Generator, n_sets: int, n_topics: int) -> Floats:
    """Draw standard normal differences."""
    return rng.normal(0, 1, (n_sets, n_topics))


def skewed_up(rng: np.random.Generator, n_sets: int, n_topics: int) -> Floats:
    """Draw exponential differences about their mean: the better system wins much on few topics."""
    return rng.exponential(1, (n_sets, n_topics)) - 1


def skewed_down(rng: np.random.Generator, n_sets: int, n_topics: int) -> Floats:
    """Turn them round: the better system loses much on few topics."""
    return -skewed_up(rng, n_sets, n_topics)


def heavy(rng: np.random.Generator, n_sets: int, n_topics: int) -> Floats:
    """Draw from Student's t with five degrees of freedom, brought to variance one."""
    return rng.standard_t(5, (n_sets, n_topics)) / np.sqrt(5 / 3)


POPULATIONS: dict[str, Draw] = {
    "normal": normal,
    "heavy tails (t, 5 df)": heavy,
    "skewed, few large wins": skewed_up,
    "skewed, few large losses": skewed_down,
}


def scores_of(differences: Floats, clusters: list[str] | None = None) -> Scores:
    """Return a system for every data set, with these differences from one that scores nothing."""
    topics = [str(number) for number in range(differences.shape[1])]
    return as_scores(
        np.concatenate([differences, np.zeros_like(differences[:1])])[None],
        systems=[*(f"set{number}" for number in range(len(differences))), NOTHING],
        topics=topics,
        clusters=None if clusters is None else dict(zip(topics, clusters, strict=True)),
    )


def found(scores: Scores, level: float) -> float:
    """Return the share of data sets in which the paired t test finds the pair."""
    return float(
        (paired_t_test(scores, correction="none", baseline=NOTHING).data["p_value"].to_numpy() <= level).mean()
    )


def by_t(draw: Draw, n_topics: int, level: float, n_chunks: int, clusters: list[str] | None = None) -> list[Floats]:
    """Return the power by chunk at the detectable difference of pilots, and at that of the true standard error."""
    shares = np.empty((2, n_chunks))
    for chunk in range(n_chunks):
        rng = np.random.default_rng((SEED, n_topics, chunk))
        pilot = detectable_differences(
            scores_of(draw(rng, CHUNK, n_topics), clusters),
            alpha=level,
            corrections=["none"],
            test="t",
            baseline=NOTHING,
        )
        own = pilot.data["difference"].to_numpy()[0]
        shares[0, chunk] = found(scores_of(draw(rng, CHUNK, n_topics) + own, clusters), level)
        freedom = pilot.data["freedom"].to_numpy()[0, 0]
        error = 1 / np.sqrt(n_topics) if clusters is None else true_error(clusters)
        shares[1, chunk] = found(
            scores_of(draw(rng, CHUNK, n_topics) + error * detectable_shift(freedom, alpha=level), clusters), level
        )
    return list(shares)


ICC = 0.3


def in_clusters(clusters: list[str]) -> Draw:
    """Return a population of normal differences of variance one, of which a cluster shares `ICC`."""
    _, place = np.unique(clusters, return_inverse=True)

    def draw(rng: np.random.Generator, n_sets: int, n_topics: int) -> Floats:
        common = rng.normal(0, np.sqrt(ICC), (n_sets, place.max() + 1))[:, place]
        return common + rng.normal(0, np.sqrt(1 - ICC), (n_sets, n_topics))

    return draw


def true_error(clusters: list[str]) -> float:
    """Return the standard error of the mean under that population."""
    sizes = np.unique(clusters, return_counts=True)[1]
    return float(np.sqrt(ICC * (sizes**2).sum() + (1 - ICC) * sizes.sum()) / sizes.sum())


def by_mcnemar(n_topics: int, discordance: float, level: float, n_chunks: int) -> list[Floats] | None:
    """Return the power by chunk with as many differing topics as the pilot had, and with their number drawn anew."""
    n_differ = round(discordance * n_topics)
    pilot = scores_of(np.r_[np.ones(n_differ), np.zeros(n_topics - n_differ)][None])
    least = float(detectable_differences(pilot, alpha=level, corrections=["none"]).data["difference"][0, 0, 0])
    if not np.isfinite(least):
        return None
    share = (least / (n_differ / n_topics) + 1) / 2
    shares = np.empty((2, n_chunks))
    for chunk in range(n_chunks):
        rng = np.random.default_rng((SEED, n_topics, n_differ, chunk))
        wins = np.where(rng.random((CHUNK, n_topics)) < share, 1.0, -1.0)
        fixed = np.where(np.arange(n_topics) < n_differ, wins, 0.0)
        drawn = np.where(rng.random((CHUNK, n_topics)) < n_differ / n_topics, wins, 0.0)
        for row, differences in enumerate((fixed, drawn)):
            p_value = sign_test(scores_of(differences), correction="none", baseline=NOTHING).data["p_value"].to_numpy()
            shares[row, chunk] = (p_value <= level).mean()
    return list(shares)


def shown(chunks: Floats) -> str:
    """Print a share with its standard error."""
    return f"{chunks.mean():.3f} ± {chunks.std(ddof=1) / np.sqrt(len(chunks)):.3f}"


def markdown(header: list[str], rows: list[list[str]]) -> str:
    """Lay a table out in Markdown."""
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, ["---"] * len(header), *rows])


def report(n_chunks: int) -> str:
    """Simulate everything and return the report."""
    columns = ["topics", "level", "from a pilot", "true standard error"]
    plain = [
        [name, str(n_topics), f"{level:g}", *map(shown, by_t(draw, n_topics, level, n_chunks))]
        for name, draw in POPULATIONS.items()
        for n_topics in TOPICS
        for level in LEVELS
    ]
    layouts = {
        "10 of 10": [10] * 10,
        "50 of 4": [4] * 50,
        "20 of 2 to 40": [2 + 2 * number for number in range(20)],
        "18 of 5 to 150": [5] * 6 + [30] * 6 + [150] * 6,
    }
    clustered = []
    for name, sizes in layouts.items():
        clusters = [str(number) for number, size in enumerate(sizes) for _ in range(size)]
        chunks = by_t(in_clusters(clusters), len(clusters), LEVELS[0], n_chunks, clusters)
        clustered.append([name, str(len(clusters)), f"{LEVELS[0]:g}", *map(shown, chunks)])
    binary = []
    for n_topics in (40, 100, 400):
        for discordance in (0.1, 0.3):
            for level in LEVELS:
                powers = by_mcnemar(n_topics, discordance, level, n_chunks)
                cells = ["none detectable"] * 2 if powers is None else list(map(shown, powers))
                binary.append([str(n_topics), f"{discordance:g}", f"{level:g}", *cells])
    return f"""# Power at minimum detectable differences

Made by `python benchmarks/studies/detectable_difference_power.py`. Power asked for: .8. {n_chunks * CHUNK:,} pilots in
every cell, each followed by one new data set in which the systems differ by the pilot's minimum detectable
difference; shares of these that the test finds, with standard errors.

## Paired t, independent topics

{markdown(["differences", *columns], plain)}

With the true standard error and normal differences the power is .8: there the formula is exact. From a pilot it is
less, most so with few topics, because the pilot's standard deviation is itself drawn, and a difference that is too
small by a tenth loses more power than one too large by a tenth gains. Heavy tails do little to the formula, and
make the pilot's standard deviation rougher. Where the better system wins much on few topics, the t test finds more
than the formula says, and where it loses much on few topics less: that is the t test's own error on skewed
differences, which shrinks slowly with more topics.

## Paired t with clusters (CR2, Satterthwaite's degrees of freedom)

Normal differences; a cluster shares {ICC:g} of their variance.

{markdown(["clusters", *columns], clustered)}

With clusters of one size this is the test on their means, and what is short of .8 is again the drawn standard
error: ten clusters are as few as ten topics. Where sizes differ much the clusters that count are fewer still.

## McNemar's test, scores of 0 and 1

{markdown(["topics", "discordance", "level", "as many differing topics", "their number drawn anew"], binary)}

Given the number of topics on which the systems differ the power is .8, as the exact test has it. Where that number
is drawn anew with the same chance it falls short while few topics differ, since a few more of them add less power
than a few less take away.
"""


if __name__ == "__main__":
    write_report(__doc__, REPORT, lambda quick: report(2 if quick else 20))
