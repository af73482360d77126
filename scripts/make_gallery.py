"""Draw the pictures of docs/gallery.md anew, and write that page: ``make gallery``.

Each command writes its report on simulated data (the leaderboard on MTEB's results), and of its figures those listed
below go into the page.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "gallery.md"
PICTURES = ROOT / "docs" / "images" / "gallery"

COLLECTION = "examples/simulated/collection"
RUNS = f"{COLLECTION}/runs --qrels {COLLECTION}/qrels.txt.gz"
SCORES = "examples/simulated/scores.csv.gz"

BEFORE = (
    "simulate collection made --groups 4 --runs-per-group 2 --topics 20 --seed 1",
    "simulate inex inex --year 2004 --systems 6 --topics 6 --documents 150 --results 200 --no-published --seed 1",
    *(f"simulate scores year{seed}.csv --systems 20 --topics 50 --seed {seed}" for seed in range(1, 8)),
)
"""What is made first, for commands that need it."""
LINES = {
    "power": f"power {RUNS} --groups {COLLECTION}/groups.csv --metrics AP,nDCG@10,RR --interval-resamples 100 "
    "--rope 0.02",
    "topics": f"topics {SCORES} --metrics AP,RR",
    "agree": f"agree {RUNS} --metrics AP,nDCG@10,RR --interval-resamples 50",
    "boards": "agree v1.csv v2.csv --boards",
    "judgments": f"judgments {RUNS} --metrics AP --groups {COLLECTION}/groups.csv --replicates 3",
    "compare-metrics": f"compare-metrics {RUNS} --current AP --metrics AP,nDCG@10,RR",
    "combine": f"combine {' '.join(f'year{seed}.csv' for seed in range(1, 8))} --metrics AP,P@10",
    "compare-tests": f"compare-tests {SCORES} --test t,wilcoxon,sign --splits 20",
    "table": f"table {RUNS} --metrics AP,nDCG@10 --baseline team1-run1",
    "design": f"design {SCORES} --difference 0.05,0.1",
    "stop": f"stop {SCORES} --metrics AP --exclude-systems group[4-8]* --replay 20",
    "leaderboard": "leaderboard examples/mteb/main_score.csv",
    "judges": "judges nist=made/qrels.txt model=model.txt person=person.txt --reference nist --people person "
    "--runs made/runs --metrics nDCG@10",
    "components": "components repeats.csv",
    "votes": "votes votes.csv",
    "human": "human people.csv --reference human --item seg --cluster doc",
    "reliability": "reliability inex/assessments inex/submissions --element-sizes inex/sizes.txt",
    "assessment": "assessment inex/assessments --runs inex/submissions",
    "report": f"report {RUNS} --groups {COLLECTION}/groups.csv --metrics AP,nDCG@10",
}
"""The command of each report."""


class Picture(NamedTuple):
    """One picture: whose report it is from, the name of its file, what it is, what it says, and the page on it."""

    command: str
    file: str
    title: str
    says: str
    page: str


GALLERY = (
    Picture(
        *("power", "discriminative_power", "Discriminative power"),
        "Under which metric do most pairs of systems differ significantly? Bars are intervals over topics.",
        "which-metrics.md",
    ),
    Picture(
        *("power", "power_differences", "Differences in discriminative power"),
        "Does one metric have a significantly higher power than another? Filled dots: the interval excludes zero.",
        "which-metrics.md",
    ),
    Picture(
        *("power", "asl_curves", "Achieved significance levels"),
        "How strong is the evidence for each pair? A curve that stays low has more significant pairs at any level.",
        "which-metrics.md",
    ),
    Picture(
        *("power", "map_AP", "Pairwise significance"),
        "Which system is better than which? Systems by mean; filled cells differ significantly.",
        "reading-the-report.md",
    ),
    Picture(
        *("power", "ranking_AP", "Ranking of the systems"),
        "Each system's mean with its own interval.",
        "reading-the-report.md",
    ),
    Picture(
        *("power", "scores_AP", "Scores over systems and topics"),
        "How widely do scores vary from topic to topic?",
        "reading-the-report.md",
    ),
    Picture(
        *("power", "practical_equivalence", "Practical equivalence"),
        "In how many pairs is one system better by more than 0.02, and in how many is neither?",
        "commands/power.md",
    ),
    Picture(
        *("report", "precision-recall", "Precision and recall"),
        "Precision by recall, one line per run.",
        "reading-the-report.md",
    ),
    Picture(
        *("topics", "topics_needed", "Topics needed"),
        "How many topics keep the error rate within 5 %, with 90 % intervals?",
        "how-many-topics.md",
    ),
    Picture(
        *("topics", "error_rates", "Error rates by topic set size"),
        "How often do two sets of topics disagree about a pair? Dots are observed, bands from the model.",
        "how-many-topics.md",
    ),
    Picture(
        *("topics", "difference_bins", "Error rates by difference"),
        "How large must a difference be to keep its sign on other topics?",
        "how-many-topics.md",
    ),
    Picture(
        *("agree", "f1_rows", "Agreement of conclusions"),
        "How many significant pairs do two metrics share? F1, with precision, recall and intervals.",
        "do-we-need-the-grades.md",
    ),
    Picture(
        *("agree", "disagreement_RR_AP", "Pairs on which metrics disagree"),
        "Differences under two metrics, pair by pair, coloured by what each finds.",
        "do-we-need-the-grades.md",
    ),
    Picture(
        *("judgments", "stability_stratified", "Fewer judgments"),
        "How do rankings, scores and significant pairs change when judgments are removed?",
        "fewer-judgments.md",
    ),
    Picture(
        *("judgments", "pool_growth", "Growth of the pool"),
        "How many relevant documents would more runs, or deeper pools, have found?",
        "fewer-judgments.md",
    ),
    Picture(
        *("judgments", "effort", "Topics or depth"),
        "Where is the same effort of judging better spent?",
        "fewer-judgments.md",
    ),
    Picture(
        *("compare-metrics", "trade-off", "Power against agreement"),
        "Candidate metrics, by discriminative power and by agreement with the metric in use.",
        "choosing-a-metric.md",
    ),
    Picture(
        *("compare-metrics", "top-heaviness", "Top-heaviness"),
        "How much of a metric is decided by the first ranks?",
        "choosing-a-metric.md",
    ),
    Picture(
        *("table", "differences_AP", "Differences from a baseline"),
        "Differences of each system from the baseline, with intervals. Filled dots differ significantly.",
        "commands/table.md",
    ),
    Picture(
        *("design", "topics_by_difference", "Topics needed by the difference to be found"),
        "How many topics are needed to find a difference? Dots: the differences of the command.",
        "how-many-topics.md",
    ),
    Picture(
        *("stop", "evidence", "Evidence as topics come in"),
        "Which pairs of systems are decided, however often one looked? A line a pair, decided above the upper dashes.",
        "commands/stop.md",
    ),
    Picture(
        *("compare-tests", "rejections_and_errors_fdr_by", "Tests: findings and errors"),
        "How many pairs does each test find, and how many of them does the other half of the topics contradict?",
        "choosing-a-test.md",
    ),
    Picture(
        *("combine", "forest_1", "A claim over several collections"),
        "Does a metric find more on every collection, on average (diamond), and on a new one (orange)?",
        "commands/combine.md",
    ),
    Picture(
        *("leaderboard", "ranks_main_score", "Ranks that are real"),
        "Simultaneous intervals for the true ranks of all systems.",
        "is-this-leaderboard-real.md",
    ),
    Picture(
        *("boards", "rank_changes", "Two boards"),
        "Where do two versions of a leaderboard rank the same systems? Blue: intervals with no rank in common.",
        "is-this-leaderboard-real.md",
    ),
    Picture(
        *("components", "shares_repeats", "Where the noise comes from"),
        "How much of the variance between two systems is of items, and how much of repeats?",
        "where-does-the-noise-come-from.md",
    ),
    Picture(
        *("components", "designs_repeats", "Designs"),
        "How dependable are the means with more items or more repeats?",
        "where-does-the-noise-come-from.md",
    ),
    Picture(
        *("votes", "ranks", "Ranks by votes"),
        "Simultaneous intervals for the true ranks, with errors for votes on one question or by one voter.",
        "whom-do-people-prefer.md",
    ),
    Picture(
        *("judges", "judge-f1-ndcg@10", "Conclusions under a judge"),
        "Does another judge find the same significant pairs as a second person?",
        "can-we-replace-the-assessor.md",
    ),
    Picture(
        *("judges", "overlap-by-topic", "Agreement by topic"),
        "On which topics do judges disagree about relevance?",
        "can-we-replace-the-assessor.md",
    ),
    Picture(
        *("human", "systems", "Metrics and people"),
        "Means of systems under a metric and by people.",
        "metrics-and-people.md",
    ),
    Picture(
        *("human", "metric-comparison", "Which metric agrees better"),
        "Which metric agrees with people significantly better than which other?",
        "metrics-and-people.md",
    ),
    Picture(
        *("reliability", "curve-0", "Six runs of known order"),
        "Does a measure of XML retrieval put the ideal run first?",
        "does-the-metric-reward-what-users-want.md",
    ),
    Picture(
        *("assessment", "specificity", "What was assessed"),
        "How specific are relevant elements, by size?",
        "commands/assessment.md",
    ),
)


def main() -> None:
    """Write the pictures and the page."""
    shutil.rmtree(PICTURES, ignore_errors=True)
    PICTURES.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        (here / "examples").symlink_to(ROOT / "examples")
        for line in BEFORE:
            _metaeval(line, here)
        _write_judges(here)
        _write_people(here)
        _write_repeats(here)
        _write_votes(here)
        _write_boards(here)
        for name in dict.fromkeys(picture.command for picture in GALLERY):
            print(f"metaeval {LINES[name]}")
            _metaeval(f"{LINES[name]} --out report-{name}", here)
        for picture in GALLERY:
            found = here / f"report-{picture.command}" / "figures" / f"{picture.file}.svg"
            shutil.copy(found, PICTURES / file_of(picture))
    PAGE.write_text(page(), encoding="utf-8")


def file_of(picture: Picture) -> str:
    """Return the name of a picture's file."""
    return f"{picture.command}-{picture.file.replace('@', '-').replace('_', '-').lower()}.svg"


def page() -> str:
    """Return docs/gallery.md."""
    words = [
        "# Gallery",
        "",
        "The figures of reports, on simulated data (the leaderboard: MTEB's results). Each figure is in the report of",
        "its command (`--out FOLDER`), where the pointer shows names and values. In Python use `study.plot()`, or",
        "`study.plot(name)` for others than the main one. `make gallery` redraws them.",
    ]
    for picture in GALLERY:
        command = LINES[picture.command].split()[0]
        links = f"From [`metaeval {command}`](commands/{command}.md); [more]({picture.page})."
        words += [
            *("", f"**{picture.title}.** {picture.says} {links}"),
            *("", f"![{picture.title}](images/gallery/{file_of(picture)})"),
        ]
    return "\n".join(words) + "\n"


def _metaeval(line: str, folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "metaeval", *line.split(), "--quiet"], cwd=folder, check=True)  # noqa: S603


def _write_judges(folder: Path) -> None:
    """Write the judgments of a second person and of a model: the first one's, some of them turned over."""
    lines = [line.split() for line in (folder / "made" / "qrels.txt").read_text("utf-8").splitlines()]
    for name, every, grade in (("person", 7, "0"), ("model", 3, "1")):
        other = [" ".join([*line[:3], grade if number % every == 0 else line[3]]) for number, line in enumerate(lines)]
        (folder / f"{name}.txt").write_text("\n".join(other) + "\n", "utf-8")


def _write_people(folder: Path) -> None:
    """Write scores of people and of three metrics, more and less close to them."""
    import numpy as np  # noqa: PLC0415 - for this alone

    generator = np.random.default_rng(4)
    rows = ["system,doc,seg,human,close,middling,loose"]
    for system in range(8):
        for segment in range(60):
            quality = system / 4 + generator.normal()
            scores = [quality, *(share * quality + (1.2 - share) * generator.normal() for share in (0.9, 0.6, 0.3))]
            rows.append(f"system{system},doc{segment // 5},{segment}," + ",".join(f"{score:.3f}" for score in scores))
    (folder / "people.csv").write_text("\n".join(rows) + "\n", "utf-8")


def _write_repeats(folder: Path) -> None:
    """Write scores of eight systems on sixty items, three times each."""
    import numpy as np  # noqa: PLC0415 - for this alone

    generator = np.random.default_rng(7)
    rows = ["system,item,repeat,score"]
    for system in range(8):
        for item, difficulty in enumerate(np.random.default_rng(1).normal(size=60)):
            effect = system / 6 + difficulty + generator.normal(0, 0.7)
            rows += [f"s{system},i{item},{again},{effect + generator.normal():.3f}" for again in range(3)]
    (folder / "repeats.csv").write_text("\n".join(rows) + "\n", "utf-8")


def _write_boards(folder: Path) -> None:
    """Write two versions of a board with thirty systems and fifteen items in common."""
    import pandas as pd  # noqa: PLC0415 - for this alone

    tasks = pd.read_csv(ROOT / "examples" / "mteb" / "main_score.csv", index_col=0).iloc[:, ::6]
    tasks.iloc[:28].to_csv(folder / "v1.csv")
    tasks.iloc[13:, 1:].to_csv(folder / "v2.csv")


def _write_votes(folder: Path) -> None:
    """Write votes on twelve systems."""
    from metaeval.simulate import simulate_votes  # noqa: PLC0415 - for this alone

    votes = simulate_votes(n_systems=12, n_questions=30, n_voters=60, n_votes=5000, rng=4)
    votes.to_csv(folder / "votes.csv", index=False)


if __name__ == "__main__":
    main()
