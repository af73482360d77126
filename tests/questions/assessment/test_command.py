"""`metaeval assessment`: figures, JSON and a report from INEX files of any year."""

import re
import shutil
from functools import cache

import pytest

from metaeval.inex.assessment_tables import SHORT
from metaeval.inex.simulation import simulate_inex
from metaeval.questions.assessment.study import study_assessment


@cache
def made(year):
    return simulate_inex(
        year=year, n_systems=3, n_topics=3, n_documents=80, n_results=50, pool_size=30, rng=4, published=False
    )


@pytest.mark.parametrize("year", [2004, 2005, 2007])
def test_the_answer_as_json(command, tmp_path, year):
    """The figures are those of the study on the same data."""
    campaign = made(year)
    campaign.write_collection(tmp_path / "made")
    words = ("assessment", "made/assessments", "--runs", "made/submissions", "--second", "made/second")
    rows = command(*words, "--element-sizes", "made/sizes.txt", "--json").json()["results"]
    study = study_assessment(
        campaign.assessments,
        submissions=campaign.submissions,
        second=campaign.second_assessments,
        sizes=campaign.sizes,
    )
    expected = study.to_frame()
    assert [(row["question"], row["statistic"]) for row in rows] == expected.iloc[:, :2].apply(tuple, axis=1).tolist()
    assert [row["value"] for row in rows] == pytest.approx(expected["value"].tolist())


def test_the_answer_in_words_and_as_a_page(command, tmp_path):
    """Pools, a log and the release's own folders are read too."""
    made(2005).write_collection(tmp_path / "made")
    shutil.move(tmp_path / "made" / "second", tmp_path / "made" / "assessments" / "others")
    (tmp_path / "log.csv").write_text("topic,document,seconds\n2005001,co/made/r10000,50\n")
    pool = '<pool topic="2005001"><file file="co/made/r10000"><path path="/article[1]"/></file></pool>'
    (tmp_path / "pool.xml").write_text(pool)
    words = ("assessment", "made/assessments", "--second", "made/assessments", "--pools", "pool.xml")
    ended = command(*words)
    assert ended.code == 0
    assert "Agreement on elements" in ended.out
    assert "documents assessed, mean of a topic" in ended.out
    assert "give a log" in ended.out
    ended = command(*words, "--log", "log.csv", "--out", "page")
    assert (ended.code, ended.out) == (0, "Report written: open page/index.html\n")
    assert "How were the assessments made?" in (tmp_path / "page" / "index.html").read_text()


@pytest.mark.parametrize("year", [2002, 2004, 2005, 2006, 2007])
def test_figures_are_written_as_on_the_page(command, tmp_path, year):
    """Counts have no decimals, shares are percentages, and no key of the study is shown as it is."""
    campaign = made(year)
    campaign.write_collection(tmp_path / "made")
    log = campaign.assessments.documents[["topic", "document"]].assign(seconds=50)
    log.to_csv(tmp_path / "log.csv", index=False)
    words = ("assessment", "made/assessments", "--runs", "made/submissions", "--second", "made/second")
    ended = command(*words, "--element-sizes", "made/sizes.txt", "--log", "log.csv")
    cells = [re.split(r"\s{2,}", line.strip()) for line in ended.out.splitlines()]
    rows = {row[1]: row[2] for row in cells if len(row) == 3}
    assert rows["topics"] == "3"
    assert len(rows) > 10
    assert not re.search(r"\d\.\d{3}|_|per topic", ended.out)
    assert not any(re.search(r"share| at ", name) for name in rows)
    if year == 2005:
        study = study_assessment(campaign.assessments, sizes=campaign.sizes)
        sizes = study.sizes.set_index("exhaustivity")
        assert rows["median size in characters, too small to judge"] == f"{sizes['median']['?']:.0f}"
        assert rows[f"with fewer than {SHORT} characters, exhaustivity 1"] == f"{100 * sizes['short']['1']:.1f} %"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nowhere",), "nowhere"),
        (("made/assessments", "--log", "log.csv"), "a log needs a column seconds or time"),
        (("made/assessments", "--log", "none.csv"), "none.csv"),
        (("made/assessments", "--second", "made/assessments"), "no folder called others"),
    ],
)
def test_bad_files_stop(command, tmp_path, words, message):
    """They end with the exit code of bad input and say what is wrong."""
    made(2005).write_collection(tmp_path / "made")
    (tmp_path / "log.csv").write_text("topic,document\n1,d1\n")
    ended = command("assessment", *words)
    assert ended.code == 3
    assert message in ended.err


@cache
def pooled():
    return simulate_inex(
        year=2005, n_systems=6, n_topics=3, n_documents=90, n_results=60, pool_size=40, rng=2, published=False
    )


def pools_made(tmp_path):
    """Write a campaign of which two runs are new, and return it with the words that name its runs."""
    campaign = pooled()
    campaign.write_collection(tmp_path / "made")
    (tmp_path / "new").mkdir()
    for run in campaign.submissions[4:]:
        (found,) = (tmp_path / "made" / "submissions").glob(f"{run.run}*")
        found.rename(tmp_path / "new" / found.name)
    return campaign, ("assessment", "made/assessments", "--runs", "made/submissions")


def answers(ended):
    """Return every figure by its question and its name."""
    return {(row["question"], row["statistic"]): row["value"] for row in ended.json()["results"]}


def changed(before, after):
    """Return the questions of which a figure was added, taken away or changed."""
    return {key[0] for key in before.keys() | after.keys() if before.get(key) != after.get(key)}


def test_rounds(command, tmp_path):
    """What runs add in a round changes what grows and what new runs find, is the study's, and the page says it."""
    campaign, words = pools_made(tmp_path)
    words = (*words, "--new-runs", "new", "--pool-sizes", "10,20")
    adds = {"results": "adds the document of its next result", "documents": "adds its next document"}
    told = {}
    for rounds in adds:
        ended = command(*words, "--rounds", rounds, "--json", "--out", rounds)
        assert ended.json()["options"]["rounds"] == rounds
        study = study_assessment(
            campaign.assessments,
            submissions=campaign.submissions[:4],
            new=campaign.submissions[4:],
            pool_sizes=[10, 20],
            rounds=rounds,
        )
        told[rounds] = answers(ended)
        expected = study.to_frame().set_index(["question", "statistic"])["value"].to_dict()
        assert told[rounds] == pytest.approx(expected)
        page = (tmp_path / rounds / "index.html").read_text()
        for kind, said in adds.items():
            assert page.count(said) == (0 if kind != rounds else 4)  # two captions and twice in the methods
    assert changed(*told.values()) == {"pool growth", "larger pools", "new runs"}
    default = command(*words, "--json")
    assert default.json()["options"]["rounds"] == "results"
    assert not changed(told["results"], answers(default))


def test_new_runs(command, tmp_path):
    """They add what pools of each size and unit hold of them, and change nothing else."""
    campaign, words = pools_made(tmp_path)
    before, after = answers(command(*words, "--json")), answers(command(*words, "--new-runs", "new", "--json"))
    assert changed(before, after) == {"new runs"}
    chosen = answers(command(*words, "--new-runs", "new", "--pool-sizes", "20,5", "--json"))
    assert changed(after, chosen) == {"new runs"}
    asked = [name.rsplit(maxsplit=2)[1:] for question, name in chosen if question == "new runs"]
    assert asked == [["20", "documents"], ["5", "documents"], ["20", "elements"], ["5", "elements"]]
    pools = {}
    for topic in sorted({topic for run in campaign.submissions[:4] for topic in run.results["topic"]}):
        lists = [run.results[run.results["topic"] == topic]["document"].tolist() for run in campaign.submissions[:4]]
        pools[topic], depth = set(), 0
        while len(pools[topic]) < 20:
            pools[topic] |= {one[depth] for one in lists if depth < len(one)}
            depth += 1
    first = [run.results.groupby("topic").head(50) for run in campaign.submissions[4:]]
    inside = [row.document in pools[row.topic] for table in first for row in table.itertuples()]
    name = "share of the first 50 results of new runs in a pool of 20 documents"
    assert chosen["new runs", name] == pytest.approx(sum(inside) / len(inside))


def test_more_documents_and_their_cost(command, tmp_path):
    """What they find grows with their number, what they take with the minutes; nothing else changes."""
    _, words = pools_made(tmp_path)
    told = {
        key: answers(command(*words, *more, "--json"))
        for key, more in {
            "100": (),
            "50": ("--more-documents", "50"),
            "2006": ("--cost", "2006"),
            "2003": ("--cost", "2003"),
            "own": ("--more-documents", "50", "--cost", "2,0.5"),
        }.items()
    }
    for one in told.values():
        assert changed(told["100"], one) <= {"larger pools"}
    assert told["2006"] == told["100"] != told["2003"]
    found = {key: next(v for k, v in one.items() if k[1].startswith("relevant by")) for key, one in told.items()}
    hours = {key: next(v for k, v in one.items() if k[1].startswith("hours by")) for key, one in told.items()}
    assert found["100"] == pytest.approx(2 * found["50"])
    assert hours["100"] == pytest.approx(2 * hours["50"])
    assert hours["2003"] == pytest.approx((8 * found["2003"] + 1 * (100 - found["2003"])) / 60)
    assert hours["own"] == pytest.approx((2 * found["50"] + 0.5 * (50 - found["50"])) / 60)
    shares = {key: one["larger pools", "share of hours"] for key, one in told.items()}
    assert shares["50"] == pytest.approx(shares["100"] / 2)
    assert shares["own"] != pytest.approx(shares["50"])


def test_minutes_of_the_log_unless_told_otherwise(command, tmp_path):
    """A log says what a document takes; --cost goes before it."""
    campaign, words = pools_made(tmp_path)
    documents = campaign.assessments.documents
    seconds = documents["relevant_size"].gt(0).map({True: 240.0, False: 30.0})
    documents[["topic", "document"]].assign(seconds=seconds).to_csv(tmp_path / "log.csv", index=False)
    logged = answers(command(*words, "--log", "log.csv", "--json"))
    told = answers(command(*words, "--cost", "4,0.5", "--json"))
    assert {key: logged[key] for key in told} == pytest.approx(told)
    both = answers(command(*words, "--log", "log.csv", "--cost", "2006", "--json"))
    assert changed(both, logged) == {"larger pools"}
    default = answers(command(*words, "--json"))
    assert {key: value for key, value in both.items() if key in default} == default


def test_documents_give_characters(command, tmp_path):
    """With the articles, entry points and passages of 2006 have places: distances and agreement are answered."""
    campaign = simulate_inex(
        year=2006, n_systems=3, n_topics=3, n_documents=80, n_results=50, pool_size=30, rng=4, published=False
    )
    campaign.write_collection(tmp_path / "made", articles=True)
    words = ("assessment", "made/assessments", "--second", "made/second")
    before = answers(command(*words, "--json"))
    after = answers(command(*words, "--documents", "made/articles", "--json"))
    assert changed(before, after) == {"best entry points", "agreement on passages", "complete assessments"}
    assert before.items() <= after.items()  # whether an entry point begins a passage was known
    assert "median distance to the first" in {name for _, name in after.keys() - before.keys()}
    said = command(*words, "--json").err + command(*words).out
    assert "give the documents, and their characters can be compared" in said


@pytest.fixture(scope="module")
def unasked(tmp_path_factory):
    """Make a folder with the campaign, a log without times and a run of another topic, which no test changes."""
    folder = tmp_path_factory.mktemp("refused")
    pools_made(folder)
    (folder / "log.csv").write_text("topic,document\n1,d1\n")
    (folder / "far.txt").write_text("999 Q0 co/1 1 5 far /article[1]\n")
    return folder


@pytest.fixture
def command_there(command, unasked, monkeypatch):
    """Run a command line in that folder."""
    monkeypatch.chdir(unasked)
    return command


@pytest.mark.parametrize(
    ("words", "code", "message"),
    {
        "rounds without runs": (("--rounds", "documents"), 2, "--rounds does nothing without --runs"),
        "other rounds": (("--runs", "RUNS", "--rounds", "elements"), 2, "no value of --rounds 'elements'"),
        "new runs alone": (("--new-runs", "new"), 2, "--new-runs does nothing without --runs"),
        "no such runs": (("--runs", "RUNS", "--new-runs", "none"), 3, "--new-runs: none: there is no such file"),
        "runs of the pool": (("--runs", "RUNS", "--new-runs", "RUNS"), 2, "is given twice; give every file once"),
        "no runs": (("--runs", "RUNS", "--new-runs", "log.csv"), 3, "log.csv, line 1: "),
        "other topics": (("--runs", "RUNS", "--new-runs", "far.txt"), 2, "no topic of the new runs is one of"),
        "sizes alone": (("--runs", "RUNS", "--pool-sizes", "5"), 2, "--pool-sizes does nothing without --new-runs"),
        "no more": (("--runs", "RUNS", "--more-documents", "0"), 2, "--more-documents must be a whole number of at"),
        "more of nothing": (("--more-documents", "5"), 2, "--more-documents does nothing without --runs"),
        "cost of nothing": (("--cost", "2006"), 2, "--cost does nothing without --runs"),
        "other year": (("--runs", "RUNS", "--cost", "2004"), 2, "no cost model '2004'; did you mean"),
        "one cost": (("--runs", "RUNS", "--cost", "1,"), 2, "--cost takes a year or two numbers of minutes"),
        "less than none": (("--runs", "RUNS", "--cost", "1,-2"), 2, "--cost must be a number of at least 0"),
        "no such folder": (("--documents", "none"), 3, "--documents: none: there is no such file"),
        "no folder": (("--documents", "log.csv"), 3, "log.csv: articles are looked up by their names, and this is no"),
        "other folder": (("--documents", "new"), 3, "new: the folder holds no article"),
    }.values(),
)
def test_what_the_options_refuse(command_there, words, code, message):
    """With the option or the file, the rule and what was given."""
    ended = command_there(
        "assessment", "made/assessments", *(word.replace("RUNS", "made/submissions") for word in words)
    )
    assert (ended.code, message in " ".join(ended.err.split())) == (code, True), ended.err
