"""`metaeval metrics`: the list of what can be computed."""

from metaeval.metrics.plugins import default_registry


def test_lists_every_registered_metric(command):
    """Every name of the registry is in the table and in the JSON."""
    names = [spec.name for spec in default_registry()]
    shown = command("metrics").out
    assert all(name in shown for name in names)
    assert [row["name"] for row in command("metrics", "--json").json()["results"]] == names
