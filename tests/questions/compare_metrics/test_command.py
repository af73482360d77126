# ruff: noqa: RUF001 - typographic dashes are what people see
"""`metaeval compare-metrics`: tables, reports and JSON from score tables and from runs."""

QUICK = ("--resamples", "100", "--interval-resamples", "20", "--no-topics")


def _runs(words, length):
    return [words[start : start + length] for start in range(len(words))]


def test_score_tables(command, table, tmp_path):
    """Two tables give two rows, a page, and what is not known."""
    asked = (*table, *QUICK, "--current", "AP")
    answer = command("compare-metrics", *asked, "--json", "--out", "page").json()
    rows = answer["results"]
    assert [row["metric"] for row in rows] == ["AP", "P"]
    assert rows[0]["in_use"] is True
    assert (rows[1]["f1"], rows[1]["f1_low"]) == (1.0, None)  # 1 in every resample: nothing is known of its spread
    ended = command("compare-metrics", *asked)
    assert "Not known: robustness to fewer judgments" in ended.out
    shown = [line.split() for line in ended.out.splitlines()]
    for row in rows:
        assert (row["power"], row["power_low"], row["power_high"]) == (1.0, None, None)  # of every resample
        assert any(line[:1] == [row["metric"]] and ["100.0", "%"] in _runs(line, 2) for line in shown)
        half = "–" if row["top_half"] is None else f"{row['top_half']:.0f}"
        assert [row["metric"], half] in shown
    assert [one["zero_share"] for one in answer["tables"]["scores"]["rows"]] == [row["zero_share"] for row in rows]
    assert "No reason to change from AP: " in ended.out
    page = (tmp_path / "page" / "index.html").read_text()
    assert "Figures without an interval" in page
    assert "Ogilvie and Lalmas, 2006" in page


def test_runs_and_judgments(command, simulated_collection, tmp_path):
    """With runs the page shows robustness and top-heaviness; the metric in use can be chosen."""
    words = (
        "--qrels",
        simulated_collection / "qrels.txt",
        "--metrics",
        "AP,P@10,RR",
        "--current",
        "RR",
        "--replicates",
        "2",
    )
    ended = command("compare-metrics", simulated_collection / "runs", *words, *QUICK, "--out", "page")
    assert ended.code == 0
    page = (tmp_path / "page" / "index.html").read_text().replace("<wbr>", "")
    assert "Robustness to missing judgments" in page
    assert "Top-heaviness" in page
    assert "RR (in use)" in page
    assert "share of significantly different pairs (paired t)." in page
    assert "τ: its interval is over draws of the retained judgments" in page


def test_bad_options_are_usage_errors(command, table):
    """An unknown metric in use, or a single metric, is an error that says so."""
    ended = command("compare-metrics", *table, "--current", "nDCG")
    assert ended.code == 2
    assert "no metric 'nDCG'" in ended.err
    assert command("compare-metrics", table[0]).code == 2
