"""What procedures take into account of topics is declared once."""

import ast
from pathlib import Path

import metaeval
from metaeval.table.traits import PROCEDURES

SOURCE = Path(metaeval.__file__).parent


def test_every_procedure_is_one_that_asks_for_scores():
    """A call of `engine_scores` names a row, or says what a test takes; a row that nobody names is gone."""
    texts = {path: path.read_text("utf-8") for path in SOURCE.rglob("*.py") if path.stem != "traits"}
    assert [name for name in PROCEDURES if not any(f'"{name}"' in text for text in texts.values())] == []
    calls = [
        node
        for text in texts.values()
        if "engine_scores" in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "engine_scores"
    ]
    assert len(calls) > 25
    for call in calls:
        named = call.args[1] if len(call.args) > 1 else None
        assert named is not None or [one for one in call.keywords if one.arg == "uses"], ast.unparse(call)
        if isinstance(named, ast.Constant):
            assert named.value in PROCEDURES
