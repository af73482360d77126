"""`metaeval doctor`: table and JSON."""


def test_the_table_and_the_rows_agree(command, monkeypatch):
    """What is shown is what the JSON holds; nothing is broken where no kernel is forced."""
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)
    rows = command("doctor", "--json").json()["results"]
    shown = command("doctor").out
    assert shown.startswith("Is this installation in order?")
    assert {row["state"] for row in rows} <= {"fine", "absent"}
    assert all(row["part"] in shown for row in rows)
    assert rows[-1]["part"] == "Workers"
