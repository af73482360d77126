"""Every command takes INEX submissions and assessments, told apart from TREC files by their content."""

import json
from pathlib import Path

import pytest

from metaeval.cli.options import DEFAULT_METRICS
from metaeval.inex.judged_files import read_judged
from metaeval.inex.simulation import simulate_inex
from metaeval.metrics.scoring import score

KINDS = ("2003", "2005", "2008", "2009")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Make four campaigns: elements on two scales, passages in XML and in lines."""
    root = tmp_path_factory.mktemp("inex")
    for year in KINDS:
        size = {"n_systems": 6, "n_topics": 12, "n_documents": 60, "n_results": 30, "runs_per_group": 2}
        simulate_inex(year=int(year), rng=4, **size, published=False).write_collection(root / year)
    return root


@pytest.fixture
def given(made):
    """Return the words that name runs, assessments and sizes of a year."""

    def words(year):
        sizes = ("--element-sizes", made / year / "sizes.txt") if int(year) < 2007 else ()
        return (made / year / "submissions", "--qrels", made / year / "assessments", *sizes)

    return words


@pytest.mark.parametrize("year", KINDS)
def test_scores_are_those_of_the_python_functions(command, given, made, year):
    """`metaeval score` reads what `read_judged` reads and computes the measures of its kind."""
    ended = command("score", *given(year), "--json")
    sizes = made / year / "sizes.txt" if int(year) < 2007 else None
    collection = read_judged([made / year / "submissions"], made / year / "assessments", sizes=sizes).collection
    names = collection.usual_metrics
    expected = score(collection, names).mean("topic")
    rows = ended.json()["results"]
    assert len(rows) == expected.size
    for row in rows:
        assert row["mean"] == pytest.approx(float(expected.sel(metric=row["metric"], system=row["system"])), abs=1e-15)
    assert ended.json()["provenance"]["options"]["metrics"] == ",".join(names)


def test_real_runs_score_what_the_program_of_the_campaign_gives(command, data_folder):
    """On runs of 2009 and 2010, over the complete set of topics, as inex_eval 3.1 printed it with -f -c."""
    folder = data_folder / "inex-samples"
    runs = [f"{name}={folder / f'run.{name}.focused.fol.txt'}" for name in ("bert-2fold", "bert-map199")]
    ended = command("score", *runs, "--qrels", folder / "qrels.inex2009-2010.fol.txt", "--json")
    found = {row["metric"]: row for row in ended.json()["results"] if row["system"] == "bert-2fold"}
    lines = (folder / "expected" / "bert-2fold.focused.f-complete.txt").read_text().splitlines()
    expected = {words[0]: float(words[2]) for words in map(str.split, lines) if words[1:2] == ["all"]}
    names = {"AiP": "MAiP", "iP@0": "iP[0.00]", "iP@0.01": "iP[0.01]", "iP@0.05": "iP[0.05]", "iP@0.1": "iP[0.10]"}
    for ours, theirs in names.items():
        assert found[ours]["mean"] == pytest.approx(expected[theirs], abs=1e-9)
        assert found[ours]["n_topics"] == expected["num_q"]


def test_trec_files_keep_their_defaults(command, simulated_collection):
    """Nothing changes for runs of documents."""
    ended = command(
        "score", simulated_collection / "runs", "--qrels", simulated_collection / "qrels.txt", "--json"
    ).json()
    assert ended["provenance"]["options"]["metrics"] == DEFAULT_METRICS
    assert {"AP", "P@10"} <= {row["metric"] for row in ended["results"]}


def test_document_metrics_work_on_inex_files(command, given):
    """A document stands at the rank of its first result, so AP is one measure among the others."""
    rows = command("score", *given("2009"), "--metrics", "AiP,AP", "--json").json()["results"]
    assert {row["metric"] for row in rows} == {"AiP", "AP"}


@pytest.mark.parametrize("year", KINDS)
@pytest.mark.parametrize(
    "words",
    [
        ("power", "--test", "t"),
        ("topics", "--no-bayes", "--interval-resamples", "0", "--trials", "5"),
        ("agree", "--test", "t", "--interval-resamples", "0"),
    ],
)
def test_studies_of_scores_take_every_kind(command, given, year, words):
    """Discriminative power, topics needed and agreement ask nothing but scores."""
    name, *options = words
    ended = command(name, *given(year), *options, "--json")
    assert ended.code == 0, ended.err
    assert ended.json()["results"]


@pytest.mark.parametrize(("year", "metrics"), [("2005", "MAep(quant=Gen5),AP"), ("2009", "AiP,iP[0.01]")])
def test_judgments_are_taken_away_by_document(command, given, made, year, metrics):
    """Fewer judgments, pools and groups left out are answered for elements and passages."""
    words = ("--groups", made / year / "groups.csv", "--metrics", metrics)
    words += ("--replicates", "2", "--tested", "0", "--steps", "50,100")
    ended = command("judgments", *given(year), *words, "--json")
    assert ended.code == 0, ended.err
    rows = ended.json()["results"]
    assert {"stability", "left_out", "pool_growth", "effort"} <= {row["table"] for row in rows}
    whole = [row["tau"] for row in rows if row["table"] == "stability" and (row["unit"], row["step"]) == ("%", 100)]
    assert len(whole) >= 10
    assert set(whole) == {1.0}


def test_candidate_metrics_may_rank_elements(command, given):
    """Robustness is measured for all; what a list of documents would score is known of document metrics alone."""
    words = ("--metrics", "MAep,nxCG@10,AP", "--no-topics", "--interval-resamples", "2")
    ended = command("compare-metrics", *given("2005"), *words, "--json")
    assert ended.code == 0, ended.err
    rows = {row["metric"]: row for row in ended.json()["results"]}
    assert all(0 < row["tau_half"] <= 1 for row in rows.values())
    assert rows["AP"]["top_half"] is not None
    assert rows["MAep(quant=gen)"]["top_half"] is None


@pytest.mark.parametrize("year", ["2005", "2008"])
def test_the_report_describes_the_collection(command, given, made, year, tmp_path):
    """Its sections on the collection and the curves are there, and the record names every file that was read."""
    words = ("--metrics", "MAep,nxCG(quant=Strict5)@10" if year == "2005" else "AiP,iP[0.01]")
    ended = command("report", *given(year), *words, "--no-topics", "--interval-resamples", "0", "--out", "page")
    assert ended.code == 0, ended.err
    page = (tmp_path / "page" / "index.html").read_text()
    for anchor in ("collection", "curves", "power"):
        assert f'id="{anchor}"' in page
    assert ("relevant elements per topic" if year == "2005" else "highlighted passages per topic") in page
    record = json.loads((tmp_path / "page" / "provenance.json").read_text())
    folders = ("submissions", "assessments")
    files = {str(path) for folder in folders for path in (made / year / folder).iterdir()}
    sizes = {str(made / year / "sizes.txt")} if year == "2005" else set()
    assert set(record["inputs"]) == files | sizes


def test_groups_are_those_of_the_table(command, given, made):
    """One run a group is chosen as for other files."""
    words = ("--groups", made / "2009" / "groups.csv", "--choose", "one-per-group", "--test", "t", "--metrics", "AiP")
    (row, *_) = command("power", *given("2009"), *words, "--json").json()["results"]
    assert row["n_pairs"] == 3


@pytest.mark.parametrize(
    ("runs", "judgments", "says"),
    [
        ("2005", "2008", "give runs of passages"),
        ("2009", "2003", "give runs of elements"),
    ],
)
def test_mixed_kinds_are_bad_input(command, made, runs, judgments, says):
    """Exit code 3, and what to give instead."""
    ended = command("score", made / runs / "submissions", "--qrels", made / judgments / "assessments")
    assert ended.code == 3
    assert says in ended.err


def test_trec_and_inex_files_do_not_mix(command, made, simulated_collection):
    """Either way round the error says which is which."""
    ended = command("score", simulated_collection / "runs", "--qrels", made / "2009" / "assessments")
    assert (ended.code, "run of whole documents" in ended.err) == (3, True)
    ended = command("score", made / "2009" / "submissions", "--qrels", simulated_collection / "qrels.txt")
    assert (ended.code, "this is an INEX run" in ended.err) == (3, True)


def test_options_for_other_files_are_usage_errors(command, given, made, simulated_collection):
    """Sizes belong to elements, an order to TREC runs, --audit to judgments with grades."""
    sizes = ("--element-sizes", made / "2005" / "sizes.txt")
    trec = (simulated_collection / "runs", "--qrels", simulated_collection / "qrels.txt")
    assert command("score", *trec, *sizes).code == 2
    assert command("score", *given("2009"), *sizes).code == 2
    assert command("score", *given("2009"), "--order", "rank").code == 2
    ended = command("agree", *given("2008"), "--audit", "AiP")
    assert ended.code == 2
    for words in ("have none", "--metrics AiP"):
        assert words in " ".join(ended.err.split())


@pytest.mark.parametrize("year", ["2003", "2005"])
def test_an_audit_of_quantisations(command, given, year):
    """Every quantisation of the scale is compared, with what its grades are worth, and a pair that was named."""
    gen = {"2003": "Gen4", "2005": "Gen5"}[year]
    pair = f"MAep(task=thorough, quant={gen}),MAep(quant=AtLeast, task=thorough)"
    pair = pair.replace("AtLeast", "AnyRel") if year == "2003" else pair
    words = ("--audit", "MAep(task=thorough)", "--test", "t", "--interval-resamples", "0", "--metric-pair", pair)
    ended = command("agree", *given(year), *words, "--out", "page")
    assert ended.code == 0, ended.err
    page = Path("page", "index.html").read_text()
    shown = {
        "2003": ("SOG", "E3S321", "both: 1 and 2"),
        "2005": ("BinExh without ?", "s ≥ 0.5", "exhaustivity 1 and 2"),
    }
    for name in (gen, *shown[year]):
        assert name in page
    other = {"2003": "AnyRel", "2005": "any relevant"}[year]
    assert f"Where {gen} and {other} under MAep(task=thorough) disagree" in page


def test_a_quantisation_of_a_plug_in_takes_part_in_an_audit(command, given, tmp_path):
    """With its short name; and further ones are named with --gains."""
    file = tmp_path / "mine.py"
    lines = ("from metaeval.metrics import Quantisation", "def flat(grades):", "    return grades.specificity / 2")
    file.write_text("\n".join([*lines, 'FLAT = Quantisation("flat", flat, on="elements", scales=("2005",))']))
    words = ("--audit", "MAep", "--gains", "BinExh(min_size=100)", "--test", "t", "--interval-resamples", "0", "--json")
    rows = command("agree", *given("2005"), *words, "--plugin", file).json()["results"]
    assert {"MAep(quant=flat)", "MAep(quant=BinExh(min_size=100))"} <= {row["predictor"] for row in rows}


@pytest.mark.parametrize(
    "pair", ["MAep(quant=Gen5)", "MAep(quant=Gen5),MAep(quant=Gen5)", "MAep(quant=Gen5),MAep(quant=SOG)"]
)
def test_a_pair_that_is_none(command, given, pair):
    """One metric, the same twice, or one that is not compared."""
    words = ("--audit", "MAep", "--test", "t", "--interval-resamples", "0", "--metric-pair", pair)
    assert command("agree", *given("2005"), *words).code == 2


def test_measures_of_the_other_kind_are_refused_by_name(command, given):
    """AiP of elements is an error that says what the collection holds."""
    ended = command("score", *given("2005"), "--metrics", "AiP")
    assert (ended.code, "ranks passages" in ended.err) == (2, True)


def test_a_measure_that_needs_sizes_asks_for_them(command, given):
    """The error names the option of the command line, and with it the measure is computed."""
    runs, _, judged, *sizes = given("2003")
    words = ("score", runs, "--qrels", judged, "--metrics", "MAep")
    ended = command(*words)
    assert (ended.code, "--element-sizes" in ended.err) == (2, True)
    assert command(*words, *sizes).code == 0


def test_topics_without_anything_of_worth_are_dropped_unless_asked(command, given, made, tmp_path):
    """Under a strict quantisation some topics have nothing: left out by default, 0 on request."""
    for path in (made / "2005" / "assessments").iterdir():
        text = path.read_text()
        if path.name == "topic-2005001.xml":
            text = text.replace('exhaustivity="2"', 'exhaustivity="1"')
        (tmp_path / path.name).write_text(text)
    runs, _, _, *sizes = given("2005")
    words = (runs, "--qrels", tmp_path, *sizes, "--metrics", "MAep(quant=Strict5)", "--json")
    counts = [
        command("score", *words, *more).json()["results"][0]["n_topics"] for more in ((), ("--undefined", "zero"))
    ]
    assert counts[0] < counts[1] == 12


def test_broken_rules_stop_a_command_unless_it_is_lenient(command, given, made, tmp_path):
    """With --lenient the files are read as far as they go, with a warning."""
    for path in (made / "2003" / "assessments").iterdir():
        text = path.read_text().replace('exhaustiveness="0" specificity="0"', 'exhaustiveness="0" specificity="2"', 1)
        (tmp_path / path.name).write_text(text)
    runs, _, _, *sizes = given("2003")
    words = ("score", runs, "--qrels", tmp_path, *sizes, "--metrics", "inex2002")
    assert command(*words).code == 3
    ended = command(*words, "--lenient")
    assert (ended.code, "Warning" in ended.err) == (0, True)
