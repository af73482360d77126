"""Numbers in running text are those of the command or the report that they come from."""

import re
from itertools import takewhile

import numpy as np
import pandas as pd
import pytest

from metaeval.agreement import as_labels, compare_labels
from metaeval.agreement.judge_ranking import rank_judges
from metaeval.collection.documents import CollectionWarning
from metaeval.io.trec import read_collection
from metaeval.metrics import score
from metaeval.models.topic_counts import minimum_topics
from metaeval.questions.power.study import study_power
from metaeval.resampling.agreement_interval import agreement_intervals
from metaeval.resampling.bins import difference_bins
from metaeval.resampling.swap import swap_method
from metaeval.table.scores import as_scores
from metaeval.tests_stat.wilcoxon import wilcoxon_test

pytestmark = pytest.mark.usefixtures("checkout")


def _said(text, pattern):
    """Return the numbers that a sentence holds at the groups of a pattern, wherever its lines break."""
    found = re.search(pattern, " ".join(text.split()))
    assert found, f"the sentence is gone: {pattern}"
    return [float(number) for number in found.groups()]


def _table(text, head, after=""):
    """Return the first table whose header begins with a name, after some words of the text; cells are text."""
    lines = text[text.index(after) :].splitlines()
    start = next(place for place, line in enumerate(lines) if re.match(rf"\| ?{re.escape(head)} \|", line))
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in takewhile(str.strip, lines[start:])]
    return pd.DataFrame(rows[2:], columns=rows[0])


def _numbers(cells):
    """Return the first number of each cell."""
    return [float(re.search(r"[-+]?\d*\.?\d+", cell)[0]) for cell in cells]


def _rounds_to(said, found):
    """Whether a number is the one that the text has, to the text's digits; a report has rounded it before."""
    return abs(float(said.replace(",", "")) - found) <= 0.5 * 10.0 ** -len(said.partition(".")[2]) + 1e-9


@pytest.fixture(scope="module")
def trec_8(data_folder):
    """Return the scores of TREC-8."""
    folder = data_folder / "trec-matrices"
    return as_scores(
        {name: pd.read_csv(folder / f"adhoc8_{file}.csv") for name, file in (("AP", "ap"), ("P@10", "p10"))}
    )


def test_the_interval_quoted_is_that_of_the_command(checkout):
    """The page of the number of topics shows what its command prints (tested there), and quotes that."""
    page = (checkout / "docs" / "how-many-topics.md").read_text("utf-8")
    shown = re.search(r"^\.\.\.\nFrom (\d+ \[\d+, \d+\]) \(90 % interval\) topics \(\w+\)", page, flags=re.MULTILINE)
    assert f"90 % interval: `{shown[1]}`" in " ".join(page.split())


@pytest.mark.parametrize("seed", range(2))
def test_curves_of_trec_8(checkout, trec_8, seed):
    """Topics needed by the two exponentials, in tens, whatever the draws."""
    page = (checkout / "docs" / "how-many-topics.md").read_text("utf-8")
    coarse, published, fine = _said(
        page, r"about (\d+) topics where the published fit gives about (\d+), and about (\d+) under both for AP"
    )
    rates = swap_method(trec_8, rng=seed, tolerances=[0.0])
    found = {
        family: minimum_topics(rates, family=family, limit=1000).data["n_topics"].squeeze("tolerance")
        for family in ("exponential", "published")
    }
    tens = {family: dict(zip(("AP", "P@10"), one.to_numpy().round(-1), strict=True)) for family, one in found.items()}
    assert tens == {"exponential": {"AP": fine, "P@10": coarse}, "published": {"AP": fine, "P@10": published}}


def test_readings_of_a_difference(checkout, trec_8):
    """The three readings for AP on TREC-8 in sets of 25 topics, to the digits that do not depend on the draws."""
    page = (checkout / "docs" / "how-many-topics.md").read_text("utf-8")
    said = _said(page, r"they are ([\d.]+), ([\d.]+) and ([\d.]+) \(a test")
    for seed in range(2):
        found = difference_bins(trec_8.sel(metric=["AP"]), sizes=[25], n_topic_resamples=0, rng=seed)
        assert found.readings["difference"].squeeze().to_numpy().round(2).tolist() == said


def test_coverages_of_agreement(checkout):
    """The worst coverages that the function's notes name are those of the report."""
    report = (checkout / "benchmarks" / "reports" / "agreement_coverage.md").read_text("utf-8")
    rows = re.findall(r"^\| (f1|precision|recall|share) (?:\| [\d.]+ ){4}\| ([\d.]+) \|", report, flags=re.MULTILINE)
    worst = {name: f"{float(value):.2f}".removeprefix("0") for name, value in rows}
    notes = " ".join(agreement_intervals.__doc__.split())
    assert f"and a share in {worst['share']}" in notes
    assert f"precision and recall in as little as {worst['precision']} and {worst['recall']}" in notes


def test_the_published_wilcoxon_is_not_the_default(checkout, trec_8):
    """The page names the published p-values, and those of the defaults."""
    page = (checkout / "docs" / "other-tools.md").read_text("utf-8")
    numbers = (
        r"\((\.\d+) and, two-sided, (\.\d+)\) are not reproduced by the defaults, which give (\.\d+) and (\.\d+)\."
    )
    scores = trec_8.sel(metric=["AP"]).to_numpy()[0][[124, 125]]
    options = {"method": "asymptotic", "continuity": True, "ties": "float"}
    found = [
        wilcoxon_test(scores, correction="none", alternative=side, **chosen).data["p_value"].item()
        for chosen in (options, {})
        for side in ("less", "two-sided")
    ]
    np.testing.assert_allclose(_said(page, numbers), found, atol=5.1e-7)


def _type_one(text, test, population, *parts):
    """Return the shares that a test calls different under a population, in parts of the report."""
    tables = [_table(text, "test", after=f"### {part}").set_index("test") for part in parts]
    return [_numbers([table.loc[test, population]])[0] for table in tables]


def _judges(text, column, *, same):
    table = _table(text, "systems" if same else "lead of the group")
    chosen = table["judge"] == "the same" if same else table["lead of the group"] == "0.100"
    return max(_numbers(table.loc[chosen, column]))


def _real_topics(text):
    rows = _table(text, "tables", "## Discriminative power, with intervals")
    *settings, overall = 100 * np.array(_numbers(rows.query("tables == '48' and correction == 'none'")["held"]))
    return [overall, min(settings), max(settings)]


def _few_topics(table):
    t, other = (table[table["test"] == name] for name in ("t", "randomisation"))
    errors = _numbers(t["equal runs called different"])
    lost = [-one for topics in ("10", "25") for one in _numbers(other.loc[other["topics"] == topics, "beside t"])]
    return [100 * min(errors), 100 * max(errors), *lost]


AT_20, AT_50 = "20 topics, level 0.05", "50 topics, level 0.05"
EXCHANGED = ("normal", "skewed, AP-like", "discrete, P@10-like", "equal means, skewed differences")
TENTHS, EQUAL = EXCHANGED[2:]


def _extremes(ranges):
    ends = [float(end) for words in ranges for end in words.split(" to ")]
    return min(ends), max(ends)


def _five_groups(row):
    """Return rate and share found, without their errors, of each correction."""
    return [float(number) for cell in row.split("|")[1:4] for number in re.findall(r"([\d.]+) \(", cell)]


QUOTED = {
    "which-metrics": (
        r"contained the expected power in (\d+) % of the samples \((\d+) to (\d+) % by",
        "real_populations.md",
        _real_topics,
    ),
    "which-default-when": (
        r"95 % intervals contained the expected power in (\d+) %",
        "real_populations.md",
        lambda text: _real_topics(text)[:1],
    ),
    "do-we-need-the-grades": (
        r"intervals for F1 covered (\d+) % of the time on average, and (\d+) % in the worst case",
        "agreement_coverage.md",
        lambda text: [100 * one for one in _numbers(_table(text, "candidate").iloc[0, 1:3])],
    ),
    "metrics-and-people": (
        r"95 % intervals over items covered (\.\d+) to (1\.\d+) of",
        "human_agreement_coverage.md",
        lambda text: [one(_numbers(_table(text, "population")["in use"])) for one in (min, max)],
    ),
    "can-we-replace-the-assessor": (
        r"rejected in (\.\d+) of .* would be in up to (\.\d+) .* by \.1 in up to (\.\d+) of",
        "judge_verdicts_calibration.md",
        lambda text: [
            _judges(text, "may not", same=True),
            _judges(text, "may not by count", same=True),
            _judges(text, "favoured", same=False),
        ],
    ),
    "which-default-when, t": (
        r"populations \((\.\d+) to (\.\d+) at \.05\)",
        "type_one_error.md",
        lambda text: [one(_type_one(text, "t", name, AT_20)[0] for name in EXCHANGED) for one in (min, max)],
    ),
    "which-default-when, ranks": (
        r"found different \((\.\d+) at \.05 with 50 topics",
        "type_one_error.md",
        lambda text: _type_one(text, "wilcoxon", EQUAL, AT_50),
    ),
    "which-default-when, ties": (
        r"a little conservative \((\.\d+) to (\.\d+) at \.05\)",
        "type_one_error.md",
        lambda text: _type_one(text, "randomisation", TENTHS, AT_20, AT_50),
    ),
    "choosing-a-test": (
        r"the t test calls (\.\d+) to (\d\.\d+) % of equal pairs different",
        "type_one_error.md",
        lambda text: [
            100 * one(_type_one(text, "t", name, "20 topics, level 0.01")[0] for name in EXCHANGED)
            for one in (min, max)
        ],
    ),
    "choosing-a-test, percentile bootstrap": (
        r"its error rate is ([\d.]+) to ([\d.]+) times that of the others there",
        "comparison-of-tests.md",
        lambda text: _extremes(re.findall(r"^\| (?:MAep|nxCG).* ([\d.]+ to [\d.]+) \|$", text, re.MULTILINE)),
    ),
    "choosing-a-test, corrections": (
        r"has a rate of (\.\d+) and finds (\d+) %, `fdr_by` (\.\d+) and (\d+) %, `holm` (\.\d+) and (\d+) %",
        "real_populations.md",
        lambda text: _five_groups(re.search(r"^\| 5 groups of 4 \| exchanged \| 50 \|(.+)$", text, re.MULTILINE)[1]),
    ),
    "choosing-a-test, few topics": (
        r"calls (.{3}) to (.{3}) % .* finds (\d+) % fewer .*, (\d+) % .* (\d+) % .* (\d), (\d) and (\d+) %",
        "type_one_error.md",
        lambda text: _few_topics(_table(text, "scores")),
    ),
}
"""By page: the sentence, the report that it quotes, and what is reckoned from that."""


@pytest.mark.parametrize("name", QUOTED)
def test_quotes_of_reports(checkout, name):
    """Rates and coverages in the guides are those of the kept reports, to the digits that are written."""
    sentence, report, reckoned = QUOTED[name]
    page = (checkout / "docs" / f"{name.partition(',')[0]}.md").read_text("utf-8")
    said = re.search(sentence, " ".join(page.split()))
    assert said, f"the sentence is gone: {sentence}"
    found = reckoned((checkout / "benchmarks" / "reports" / report).read_text("utf-8"))
    assert len(said.groups()) == len(found)
    assert all(map(_rounds_to, said.groups(), found)), found


@pytest.mark.parametrize(
    ("page", "rows", "report"),
    [
        ("focused-retrieval", r"Strict5|FullySpec|Gen5|GenLifted|BinExh", "inex-quantisations"),
    ],
)
def test_rows_of_reports(checkout, page, rows, report):
    """Every row of made figures stands in the report, side by side, though rounded."""
    text = (checkout / "benchmarks" / "reports" / f"{report}.md").read_text("utf-8")
    kept = [
        [float(one) for one in re.findall(r"[-+]?\d*\.?\d+", part)]
        for line in text.splitlines()
        if line.startswith("|")
        for part in (line.partition("|")[2].partition("|")[2], *line.split("|"))
    ]
    kept += [one[::2] for one in kept]  # τ without the τ_AP beside it
    guide = (checkout / "docs" / f"{page}.md").read_text("utf-8")
    shown = re.findall(rf"^\| (?:{rows}) \|(.+)\|$", guide, re.MULTILINE)
    assert len(shown) > 4
    for row in shown:
        said = [re.search(r"\d*\.?\d+", cell)[0] for cell in row.split("|")]
        assert len(said) == 5
        places = ((one, start) for one in kept for start in range(len(one) - len(said) + 1))
        assert any(all(map(_rounds_to, said, one[start:])) for one, start in places), row


@pytest.mark.parametrize(("collection", "heading"), [("DL19", "## DL19:"), ("TREC-COVID", "## TREC-COVID:")])
def test_table_3_of_sakai_and_kando(checkout, collection, heading):
    """The lowest and highest power and the findings on a collection are the report's."""
    page = (
        (checkout / "docs" / "published" / "sakai-kando-2008.md")
        .read_text("utf-8")
        .translate({0x2212: "-", 0x2032: "'"})
    )
    report = (checkout / "benchmarks" / "reports" / "sakai-kando-table3.md").read_text("utf-8")
    powers = _numbers(_table(report, "metric", after=heading).iloc[[-1, 0]]["disc. power"].str.partition("=")[2])
    both = r"([\d.]+) and ([\d.]+) %"
    said = _said(page, rf"RBP\.5 is last on both collections \({both}; the first have {both}\)")
    assert powers == said[["DL19", "TREC-COVID"].index(collection) :: 2]
    findings = _table(report, "finding", after="### Uncorrected")
    kept = sorted(findings[f"{collection}: verdict"] + ": " + findings[collection].str.replace("%", " %"))
    assert sorted(_table(page, "finding")[collection]) == kept


def test_resamples_needed_by_corrections(checkout):
    """The guide's table is the least B with n pairs at p = 1/(B + 1) under the rule of each correction, at .05."""
    table = _table((checkout / "docs" / "choosing-a-test.md").read_text("utf-8"), "systems")
    for _, row in table.iterrows():
        n_systems, pairs, holm, *step_up = (int(cell.replace(" ", "")) for cell in row)
        assert pairs == n_systems * (n_systems - 1) // 2
        assert holm == 20 * pairs - 1
        harmonic = sum(1 / rank for rank in range(1, pairs + 1))
        smallest = [max(1, int(share * pairs)) for share in (0, 0.1, 0.5)]
        assert step_up == [int(np.ceil(20 * pairs * harmonic / n - 1e-9)) - 1 for n in smallest]


def test_the_tutorial_counts_pairs(checkout):
    """Counts that the tutorial tells and its shortened output leaves out."""
    page = (checkout / "docs" / "tutorial.md").read_text("utf-8")
    folder = checkout / "examples" / "simulated" / "collection"
    with pytest.warns(CollectionWarning, match="tied"):
        collection = read_collection(folder / "runs", folder / "qrels.txt.gz")
    found = study_power(score(collection, ["AP", "nDCG@10", "RR"]), n_topic_resamples=0, rng=0)
    found = found.to_frame().set_index(["metric", "test"])
    decided = [("nDCG@10", "fdr_by"), ("RR", "fdr_by"), ("RR", "none")]
    counts = [found.loc[(metric, "t")].set_index("correction").loc[how, "n_significant"] for metric, how in decided]
    assert counts == _said(page, r"against (\d+) in nDCG@10 and (\d+) in RR") + _said(page, r"`RR` finds (\d+)")
    required = found.loc[("AP", "bootstrap_sensitivity"), "difference_required_median"].item()
    assert _said(page, r"\*difference required\*, ([.\d]+) in AP") == [round(required, 3)]


def test_the_leaderboard_page_counts_its_pairs(checkout):
    """Shares in the text are those of the table above them, which its own example yields."""
    page = (checkout / "docs" / "is-this-leaderboard-real.md").read_text("utf-8")
    rows = re.findall(r"^\d +(all|adjacent) +([\w-]+) +(\d+) +(\d+)$", page, re.MULTILINE)
    kept = {(family, how): (int(some), int(pairs)) for family, how, some, pairs in rows}
    shares = [round(100 * np.divide(*kept["all", how]), 1) for how in ("none", "fdr_bh", "fdr_by", "holm", "ranks")]
    after = r"([\d.]+) % after .*, "
    said = rf"Of all pairs ([\d.]+) % differ .*, {3 * after}and ([\d.]+) % by"
    assert shares == _said(page, said)
    some, pairs = kept["adjacent", "none"]
    assert [pairs - some, pairs] == _said(page, r"Of neighbours (\d+) in (\d+) do not differ")


def test_the_judges_of_dl23(checkout, data_folder):
    """What the guide says of 33 judges beside one person; and how many are behind."""
    frame = pd.read_csv(data_folder / "llmjudge-dl23" / "judgments.csv.gz").set_index(["qid", "pid"])
    labels = as_labels(frame, scale=range(4), outside="drop")
    ranked = rank_judges(labels, reference="human", rng=0)
    table = ranked.table.set_index("judge")
    first = compare_labels(as_labels(frame[["human", "Olz-gpt4o"]]), reference="human", rng=0).pairs.iloc[0]
    lower, near = table.loc["prophet-setting4"], table.loc["NISTRetrieval-reason2"]
    outside = labels.outside.groupby("judge")["label"].apply(sorted).to_dict()
    page = (checkout / "docs" / "can-we-replace-the-assessor.md").read_text("utf-8")
    found = {
        r"On the (\d+) passages of TREC DL 2023 that one person and (\d+) automatic": [len(frame), len(table)],
        r"Olz-gpt4o is first with (\.\d+) \[(\.\d+), (\.\d+)\]; on (\d+) topics": [
            *(first[f"quadratic_kappa{end}"] for end in ("", "_low", "_high")),
            ranked.n_topics,
        ],
        r"setting4, whose mean label is (\.\d+) below the person's, has κ (\.\d+) and . (\.\d+):": [
            -lower["bias"],
            lower["quadratic_kappa"],
            lower["alpha"],
        ],
        r"reason2, most of whose errors are such, is (\d+)th with them and (\d+)nd without": [
            near["quadratic_kappa_rank"],
            near["kappa_rank"],
        ],
        r"scale of 0 to 3 \(two (\d)s of RMITIR-llama70B, one (\d+) of h2oloo-zeroshot2\)": [5, 10],
    }
    assert table["quadratic_kappa"].idxmax() == "Olz-gpt4o"
    assert near["near"] - near["same"] > (1 - near["same"]) / 2
    assert outside == {"RMITIR-llama70B": [5, 5], "h2oloo-zeroshot2": [10]}
    for sentence, values in found.items():
        said = re.search(sentence, " ".join(page.split()))
        assert said, f"the sentence is gone: {sentence}"
        assert all(map(_rounds_to, said.groups(), values)), (sentence, values)
    seeds = (
        r"25 topics (\d+) of the other (\d+) do not .* and (\d+) are behind \(seed 0, the default, and eleven others"
    )
    told, others, behind = _said(page, seeds)
    assert told + behind == others == len(table) - 1
    assert table["behind"].sum() == behind
