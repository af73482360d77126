"""A real browser for the tests of the page; where there is none, they are skipped and say so."""

import os
import shutil
import subprocess
import sys

import pytest

from metaeval.questions.power.page import power_report
from metaeval.questions.power.study import study_power
from metaeval.table.scores import as_scores

SYSTEMS = tuple(f"team{number // 3 + 1}-run{number % 3 + 1}" for number in range(12))
METRICS = ("AP", "nDCG@10", "RR")


@pytest.fixture(scope="session")
def browser():
    """Start the system's Chromium, or the one that METAEVAL_BROWSER names."""
    driver = pytest.importorskip("playwright.sync_api", reason="the page is tried with the extra browser")
    known = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))
    found = os.environ.get("METAEVAL_BROWSER") or next(filter(None, known), None)
    if found is None:
        pytest.skip("no Chromium here; install one, or name it in METAEVAL_BROWSER")
    with driver.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=found)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def power_page(browser, simulated_scores, tmp_path_factory):  # noqa: ARG001 - nothing is made where there is none
    """Write the report of a power study with three metrics and twelve systems of four teams."""
    scores = simulated_scores(len(METRICS), len(SYSTEMS), 30, systems=SYSTEMS, metrics=METRICS)
    scores = as_scores(scores, groups={name: f"group of {name.split('-')[0]}" for name in SYSTEMS})
    study = study_power(scores, tests=["t"], n_topic_resamples=20, rng=0)
    return power_report(study, top=5).save(tmp_path_factory.mktemp("browser") / "power")


@pytest.fixture(scope="session")
def example_page(browser, tmp_path_factory, checkout):  # noqa: ARG001 - as above
    """Write the report of the bundled example, as ``make demo`` does."""
    example = checkout / "examples" / "simulated" / "collection"
    words = [example / "runs", "--qrels", example / "qrels.txt.gz", "--groups", example / "groups.csv", "--quiet"]
    out = tmp_path_factory.mktemp("browser") / "example"
    subprocess.run([sys.executable, "-m", "metaeval", "report", *words, "--out", out], check=True)
    return out / "index.html"


@pytest.fixture
def opened(browser):
    """Open a page in a window of its own; at the end nothing may have been complained of or loaded from elsewhere.

    Where it is unfolded, all of its sections are open.
    """
    contexts, complaints = [], []

    def window(path, *, width=1280, unfolded=False, query="", **options):
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, **options))
        page = contexts[-1].new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        address = path.as_uri()
        page.on(
            "request", lambda request: complaints.append(request.url) if not request.url.startswith(address) else None
        )
        page.goto(address + query)
        if unfolded:
            page.evaluate("document.querySelectorAll('.part').forEach(part => { part.open = true; })")
        return page

    yield window
    for context in contexts:
        context.close()
    assert complaints == []
