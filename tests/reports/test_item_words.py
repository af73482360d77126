"""Pages on a benchmark speak of items: everywhere, and nowhere but in words."""

import ast
import importlib.util
import io
import re
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text
from passages import PACKAGE, page_files, passages
from rich.console import Console

from metaeval import study_power
from metaeval.base.unit import LABELLED_NUGGETS, speaking_of
from metaeval.figures.marks import marks_of
from metaeval.io.tables import read_scores, write_scores
from metaeval.page.html import render_page
from metaeval.page.report import Report
from metaeval.page.terminal import show_report
from metaeval.questions.leaderboard.study import study_leaderboard
from metaeval.reports.prose import prose
from metaeval.table.scores import as_scores

pytestmark = pytest.mark.usefixtures("one_core")

WORD = re.compile(r"(?<![\w@/.={-])(?<!metaeval )topics?(?![\w@/=-]|\.\w)", re.IGNORECASE)
"""Not inside a name: n_topics, topics.csv, /topic/, clusters={topic: cluster}, metaeval topics."""
RICHER = {
    "power of clusters": "power clusters.csv --test t --interval-resamples 10",
    "power of strata": "power clusters.csv --clusters fixed --test t,bootstrap_sensitivity --resamples 40",
    "power of means": "power clusters.csv --clusters means --test t --interval-resamples 2",
    "power of gaps": "power gaps.csv --missing pairwise --test t --interval-resamples 2",
    "power of fewer": "power gaps.csv --missing drop-topics --n-topics 8 --test sign,t --interval-resamples 2",
    "power by Bayes": "power scores.csv --test t --bayesian t --rope 0.05 --interval-resamples 0",
    "table of weights": "table clusters.csv --clusters ignore --weight-column weight --test t",
    "leaderboard of clusters": "leaderboard clusters.csv --resamples 40",
    "topics by the model": "topics scores.csv --trials 5 --interval-resamples 2",
    "topics that are few": "report few.csv --test t --interval-resamples 0 --out NEW",
    "report of topics": "report scores.csv --test t --interval-resamples 2 --out NEW",
    "compare and count": "compare-metrics scores.csv other.csv --resamples 40 --interval-resamples 2",
    "compare the few": "compare-metrics few.csv --resamples 40 --interval-resamples 2",
    "judges of systems": "judges judged.csv --reference ann --resamples 20",
    "design of two": "design scores.csv --difference 1e-9,0.1",
}
"""Lines with passages that the quickest line of a command does not have."""
NUGGETS = {
    "power of means": "power labels.csv --clusters means --test t --interval-resamples 2 --metrics all",
    "components": "components labels.csv --metrics all",
    "leaderboard": "leaderboard labels.csv --resamples 40 --metrics all",
    "compare-tests": "compare-tests labels.csv --test t --splits 2 --metrics all",
    "report": "report labels.csv --resamples 40 --interval-resamples 2 --no-topics --metrics all --out NEW",
}
"""Lines on labels of nuggets."""
OF_NUGGETS = re.compile(WORD.pattern.replace("topic", "(?:item|cluster)"), re.IGNORECASE)
TOPIC_OR_CLUSTER = re.compile(WORD.pattern.replace("topic", "(?:topic|cluster)"), re.IGNORECASE)
OF_CLUSTERS = {"human/page_campaign", "human/page", "boards/page_decided", "votes/page"}
"""Reports on scores by people and on votes, which come in clusters always."""
OF_TOPICS = {
    *("reports/assessed_parts", "reports/alt_test", "assessment/page", "check_metric/page", "report/page_collection"),
    *("reliability/page", "judgments/page", "judgments/page_new_systems"),
    *("judgments/page_power", "judgments/page_reductions", "judges/page_labels"),
    *("figures/label_agreement", "figures/assessment", "figures/judgments", "votes/page_powers"),
}
"""Reports and figures on runs, judgments and labels, which are of topics always."""


def _nonsense(checkout):
    """Load the script that knows a quick line of every command."""
    place = checkout / "benchmarks" / "nonsense_commands.py"
    spec = importlib.util.spec_from_file_location("nonsense_commands", place)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclasses look for their annotations
    spec.loader.exec_module(module)
    return module


def _make_tables(folder):
    """Give every table of scores a column of items, and add some with clusters, gaps, few items and judges."""
    rng = np.random.default_rng(3)
    for name in ("scores", "other"):
        table = pd.read_csv(folder / f"{name}.csv")
        table.insert(0, "question_id", [f"q{place}" for place in range(len(table))])
        table.to_csv(folder / f"{name}.csv", index=False)
    long = pd.DataFrame(
        [
            {"system": f"s{system}", "question_id": f"q{item}", "accuracy": round(0.1 * system + rng.random(), 3)}
            for system in range(5)
            for item in range(40)
        ]
    )
    long["f1"] = (long["accuracy"] / 2).round(1)
    place = np.tile(np.arange(40), 5)
    long.assign(cluster=place // 2, weight=1 + place % 3).to_csv(folder / "clusters.csv", index=False)
    long.drop(index=[3, 60, 61, 150]).to_csv(folder / "gaps.csv", index=False)
    long[place < 6].to_csv(folder / "few.csv", index=False)
    scores = long["accuracy"]
    judged = [
        long.assign(judge=judge, score=scores + rng.normal(0, 0.2, len(long)))[place < (40 if judge == "bot" else 24)]
        for judge in ("ann", "ben", "bot")
    ]
    pd.concat(judged).drop(columns=["accuracy", "f1"]).to_csv(folder / "judged.csv", index=False)


def _said(report):
    """Yield all that people read of a report: words of the page and of the terminal, of pictures and their marks."""
    uncited = tuple(re.sub(r", \d{4}\b", "", words) for words in report.methods.paragraphs)
    page = replace(
        report,
        methods=replace(report.methods, paragraphs=uncited, cite=()),  # publications keep their titles
        provenance=replace(report.provenance, command="", command_line="", options={}),
    )
    html = render_page(page, drawings={one.name: () for one in page.pictures()})
    shown = re.sub(r"<script.*?</script>|<style.*?</style>", "", html, flags=re.DOTALL)
    yield from re.findall(r"[^<>]+(?=<)", shown)
    for picture in page.pictures():
        figure = picture.draw()
        yield from (words.get_text() for words in figure.findobj(Text))
        yield from (words for marks in marks_of(figure) for words in marks.words())
        yield from (picture.title, picture.caption, picture.alt)
    written = io.StringIO()
    show_report(page, Console(file=written, width=200))
    yield from written.getvalue().splitlines()
    yield from (*page.notes, page.to_latex())


@pytest.mark.filterwarnings("ignore")
def test_no_page_on_a_table_of_items_speaks_of_topics(checkout, tmp_path, monkeypatch):
    """Of every command that takes a score table: its page, its pictures, the terminal and the notes."""
    nonsense = _nonsense(checkout)
    nonsense.make_world(tmp_path)
    _make_tables(tmp_path)
    table = pd.read_csv(tmp_path / "scores.csv")
    numbers = table.select_dtypes("number").columns
    table.assign(**{name: 1 - table[name] ** 2 for name in numbers}).to_csv(
        tmp_path / "twin" / "scores.csv", index=False
    )
    monkeypatch.chdir(tmp_path)
    quick = {name: f"{name} {nonsense.FAST.get(name, 'scores.csv')}" for name in nonsense.commands()}
    of_scores = {name: line for name, line in quick.items() if "scores.csv" in line}
    assert len(of_scores) > 8
    _speak_of("item", WORD, of_scores | RICHER, nonsense, monkeypatch)


@pytest.mark.filterwarnings("ignore")
def test_no_page_on_nuggets_speaks_of_items_or_clusters(checkout, tmp_path, monkeypatch):
    """What systems are scored on are nuggets, and what these belong to are topics."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    labels = ["topic,run_id,nugget,label"]
    for topic, system, nugget in np.ndindex(12, 4, 3):
        drawn = ["support", "partial_support", "none"][int(rng.integers(0, 3) * (system < 3))]
        labels.append(f"t{topic},s{system},n{nugget},{drawn}")
    (tmp_path / "labels.csv").write_text("\n".join(labels))
    _speak_of("nugget", OF_NUGGETS, NUGGETS, _nonsense(checkout), monkeypatch)


def test_pages_on_nuggets_say_which_mean_they_show():
    """A leaderboard's is over all nuggets; judges are compared on topics, each with the mean over its nuggets."""
    clusters = dict(zip(map(str, range(1, 13)), "aaaaaabbbccd", strict=True))
    scores = as_scores(np.random.default_rng(0).random((4, 12)), clusters=clusters).assign_attrs(topic_word="nugget")
    tables = study_leaderboard(scores, n_resamples=50, n_splits=2, rng=0).report().tables()
    assert any("Mean: over the 12 nuggets, whatever their topic." in table.caption for table in tables)
    with speaking_of(LABELLED_NUGGETS):
        found = prose("metaeval.questions.judges.page_systems")(
            "judge-effects", first="", second="", study=SimpleNamespace(**DECIDED)
        )
    assert "by mean score over topics, each with the mean over its nuggets" in found


DECIDED = {"test": "t", "correction": "holm", "alpha": 0.05}


def _speak_of(word, never, lines, nonsense, monkeypatch):
    """Check that each of the lines says a word, and none of the others."""
    shown, wrong, right = [], {}, 0
    monkeypatch.setattr(Report, "to_json", lambda self: shown.append(self) or "")
    monkeypatch.setattr(Report, "save", lambda *_, **__: "index.html")
    for name, line in lines.items():
        ended = nonsense.run_here([*line.replace("NEW", "new").split(), "--json", "--quiet"])
        assert (ended.code, ended.trouble) == (0, ""), line
        said = list(_said(shown.pop()))
        right += any(re.search(rf"\b{word}s?\b", words) for words in said)
        if found := [words.strip() for words in said if never.search(words)]:
            wrong[name] = found
    assert wrong == {}
    assert right == len(lines)


FIGURES = {f"figures/{path.stem}": path for path in sorted((PACKAGE / "figures").glob("*.py"))}
WORDS, FILES = passages(), page_files() | FIGURES


@pytest.mark.parametrize("name", [name for name in WORDS if name not in OF_TOPICS])
def test_no_passage_says_topic_by_itself(name):
    """Also where no line above comes by: the word is filled in, in passages and in what pages and figures write.

    So is what topics or items belong to: of nuggets, topics.
    """
    text, never = WORDS[name], WORD if name in OF_CLUSTERS else TOPIC_OR_CLUSTER
    bare = re.sub(r"^== [^|\n]*|\{\{.*?\}\}|\{%.*?%\}", " ", text, flags=re.MULTILINE | re.DOTALL)
    inside = [words for code in re.findall(r"\{[{%].*?[}%]\}", text, re.DOTALL) for words in _quoted(code)]
    assert [words for words in [*bare.splitlines(), *inside] if never.search(words) and words not in NAMES] == []


@pytest.mark.parametrize("name", [name for name in FILES if name not in OF_TOPICS])
def test_no_page_says_topic_by_itself(name):
    """Code of pages and figures fills the word in too."""
    text, never = FILES[name].read_text("utf-8"), WORD if name in OF_CLUSTERS else TOPIC_OR_CLUSTER
    tree = ast.parse(text)
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    strings = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    words = [node.value for node in strings if id(node) not in told and re.search(r"[ A-Z]", node.value)]
    passages = {node.args[0].value for node in ast.walk(tree) if _asks(node)}
    said_for_good = [ast.unparse(node) for node in _at_import(tree) if isinstance(node, ast.Call)]
    assert [one for one in said_for_good if one.startswith(("say(", "unit("))] == []
    assert [one for one in words if never.search(one) and one not in passages | NAMES] == []


NAMES = {"topics", "adaptive_topics", "topics by difference", "run and topic", "cluster", "clusters ", "fixed cluster"}


def _at_import(tree):
    """Yield what runs when a module is imported."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            yield node
            yield from _at_import(node)


def _quoted(code):
    return [first or second for first, second in re.findall(r"'([^']*)'|\"([^\"]*)\"", code)]


def _asks(node):
    asking = {"say", "say.named", "say.titled", "say.headed", "_said", "prose"}
    asks = isinstance(node, ast.Call) and ast.unparse(node.func) in asking
    return asks and node.args and isinstance(node.args[0], ast.Constant)


@pytest.fixture
def study():
    """Study scores that came from a table with a column called question_id."""
    values = np.random.default_rng(0).random((1, 4, 12))
    scores = as_scores(values, metrics=["accuracy"], systems=["topic", "b", "c", "d"])
    scores.attrs["topic_word"] = "item"
    return study_power(scores, tests=["t"], n_topic_resamples=20, rng=1)


def test_what_is_called_topic_stays(study):
    """A system may have that name, and rows and files have it in the names of their columns."""
    report = study.report()
    assert any("topic" in {one.get_text() for one in picture.draw().findobj(Text)} for picture in report.pictures())
    assert re.search(r">\s*topic\s*<", report.to_html())
    assert "n_topics" in report.rows


@pytest.mark.parametrize("form", ["a.csv", "a.nc", pytest.param("a.parquet", marks=pytest.mark.parquet)])
def test_the_word_comes_from_the_file_and_goes_into_it(tmp_path, form):
    """A column called question_id makes items; what is written says item and is read so."""
    (tmp_path / "in.csv").write_text("question_id,x,y\nq1,.1,.2\nq2,.3,.4\n")
    scores = read_scores(tmp_path / "in.csv")
    assert scores.attrs["topic_word"] == "item"
    again = read_scores(write_scores(scores, tmp_path / form))
    assert again.attrs["topic_word"] == "item"
    assert again.equals(scores)
    (tmp_path / "in.csv").write_text("topic,x,y\nq1,.1,.2\nq2,.3,.4\n")
    assert "topic_word" not in read_scores(tmp_path / "in.csv").attrs
