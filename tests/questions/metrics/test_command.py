"""`metaeval metrics`: the list of what can be computed."""

from metaeval.metrics.plugins import default_registry


def test_lists_every_registered_metric(command):
    """Every name of the registry is in the table and in the JSON."""
    names = [spec.name for spec in default_registry()]
    shown = command("metrics").out
    assert all(name in shown for name in names)
    assert [row["name"] for row in command("metrics", "--json").json()["results"]] == names


def test_a_name_stands_on_the_first_line_of_its_description(command):
    """However often the description wraps; and a direction that all metrics share is said once."""
    shown = command("metrics").out
    (line,) = (line for line in shown.splitlines() if "AP(judged_only=False," in line and "infAP" not in line)
    assert "Mean over" in line
    assert "Under each of them higher is better." in shown
