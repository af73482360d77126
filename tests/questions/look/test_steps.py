"""The steps that look prints for files of several judges, rounds and years lead to the truth, each step as it stands.

Scores are made here, so that what they hold is known: who is better under whom, how many cells are empty.
"""

import shlex

import pytest

from metaeval import look, read_scores

TRUTH = {"A": 0.6, "B": 0.5, "C": 0.4}
MODEL = {"A": 0.4, "B": 0.5, "C": 0.9}
"""A language model prefers what the assessor finds worst."""


def long(judges, years=("2019",)):
    """Return scores of three systems under judges, on twelve topics a judge and year; the model saw others too."""
    rows = [
        f"{year},{judge},{system},{n_topics * at + topic},nDCG@10,{mean + (topic * 7 % 5) / 50 + n / 100:.3f}"
        for at, year in enumerate(years)
        for judge, (means, n_topics) in judges.items()
        for n, (system, mean) in enumerate(means.items())
        for topic in range(n_topics)
    ]
    return "\n".join(["year,judge,system,topic,metric,value", *rows]) + "\n"


def steps(shown):
    """Return the commands under the heading of ways, without the program."""
    lines = shown.partition("# How it can be read\n")[2].partition("\n\n")[0].splitlines()
    return [shlex.split(line)[1:] for line in lines]


def test_the_rows_of_a_person_are_chosen_and_no_judges_averaged(command, tmp_path):
    """Judges that share topics: of the assessor alone A is best (0.6 to 0.4), of the mean of both C would be."""
    (tmp_path / "judged.csv").write_text(long({"gpt-4": (MODEL, 12), "nist": (TRUTH, 12)}))
    refused = command("table", "judged.csv").err
    assert "pass --where judge=nist" in refused
    assert "--repeat-column" not in refused
    assert "A is best" in command("table", "judged.csv", "--where", "judge=nist").out


def test_judges_and_years_lead_to_one_judge_first(command, tmp_path):
    """Two years and two judges with topics of their own: no step averages judges, and no repeat is asked for."""
    (tmp_path / "judged.csv").write_text(
        long({"gpt-4": (MODEL, 15), "nist": (TRUTH, 12)}, ("2019", "2020")).replace("2020,nist,C", "2020,nist,A")
    )
    for words in ((), ("--where", "year=2019")):
        told = command("look", "judged.csv", *words)
        assert "--repeat-column" not in told.out + told.err
        assert "--duplicates" not in told.out + told.err.partition("metaeval look")[0]


def test_judges_with_topics_of_their_own_have_the_person_as_reference(command, tmp_path):
    """The command that is printed ends well: the model saw three topics more."""
    (tmp_path / "judged.csv").write_text(long({"gpt-4": (MODEL, 15), "nist": (TRUTH, 12)}))
    found = look("judged.csv")
    assert found.kind == "judged scores"
    line = found.questions["command"].iloc[0]
    assert line == "metaeval judges judged.csv --reference nist"
    assert command(*shlex.split(line)[1:], "--resamples", "20").code == 0


def test_labels_of_workers_are_labels_whatever_stands_beside(command, tmp_path):
    """Two rounds of an experiment with six documents, and grades of an assessor that no worker gave."""
    rows = [
        f"{round_},1,{document},{worker},{'yes' if (document + len(worker) * k) % 3 else 'no'},{document % 2}"
        for round_ in ("2P", "3P")
        for document in range(12)
        for k, worker in enumerate(("w01", "w02", "w03"))
    ]
    (tmp_path / "crowd.csv").write_text("\n".join(["experiment,topic,document_id,worker,relevance,nist_rel", *rows]))
    (step,) = steps(command("look", "crowd.csv").out)
    assert step == ["judges", "crowd.csv", "--where", "experiment=2P"]
    assert "3 judges" in command(*step, "--resamples", "20").out


def test_few_rows_of_many_numbers_may_be_systems(command, tmp_path):
    """Three rows by 60 columns: as systems in rows the third is best, 0.2 above the second on every topic."""
    rows = [" ".join(f"{shift + at % 9 / 20:.2f}" for at in range(60)) for shift in (0.1, 0.3, 0.5)]
    (tmp_path / "rows.txt").write_text("\n".join(rows) + "\n")
    by_rows, by_columns = steps(command("look", "rows.txt").out)
    assert by_rows[2:] == ["--no-header", "--systems-in", "rows"]
    assert "system3 is best" in command(*by_rows).out
    told = command(*by_columns).out
    assert "60 systems, 3" in told
    assert "--systems-in rows" in told


def test_means_under_levels_of_relevance_are_no_scores_of_items(tmp_path):
    """Two means a system and measure, under rel>=1 and rel>=2, tell no spread: no question of items is offered."""
    rows = [f"{run},rel>={level},map,0.{n}{level}" for n, run in enumerate("abcd", 1) for level in (1, 2)]
    path = tmp_path / "published.csv"
    path.write_text("\n".join(["run,section,measure,value", *rows]) + "\n")
    found = look(path)
    assert found.kind == "means"
    assert "without their spread" in found.contents.refusal


@pytest.mark.parametrize(("more", "n_gaps"), [("", 0), ("b,q9,0.5,1\n", 1)])
def test_a_missing_repeat_is_no_gap(tmp_path, more, n_gaps):
    """System a has two repeats on three items, b one: six cells, all with a score; b alone has q9."""
    path = tmp_path / "repeats.csv"
    rows = [f"a,q{item},0.{item}{trial},{trial}\n" for item in (1, 2, 3) for trial in (1, 2)]
    rows += [f"b,q{item},0.{item}5,1\n" for item in (1, 2, 3)]
    path.write_text("system,item,score,repeat\n" + "".join(rows) + more)
    found = look(path)
    assert dict(read_scores(path, missing="pairwise").sizes)["repeat"] == 2
    assert found.contents.sizes["gaps"] == n_gaps
