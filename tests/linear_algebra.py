"""Lines of metaeval that multiply, solve or decompose matrices, and which of them ran outside of `in_one_order`."""

import ast
import re
import sys
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import metaeval
from metaeval.running.parallel import in_one_order

CALLS = {
    *("corrcoef", "cov", "dot", "eig", "eigh", "eigvalsh", "inner", "inv", "least_squares", "lstsq", "matmul"),
    *("minimize", "pinv", "polyfit", "qr", "slogdet", "solve", "svd", "tensordot", "vdot"),
}
"""Functions that use a library of linear algebra; so does einsum where it is to find a better way."""
EXACT = {"RankedLists.n_with_gain", "Question.n_common", "_closed"}
"""Functions whose products are counts, which any order adds up to the same."""


def _multiplies(node):
    if isinstance(node, ast.BinOp | ast.AugAssign):
        return isinstance(node.op, ast.MatMult)
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
    return name in CALLS or (name == "einsum" and any(one.arg == "optimize" for one in node.keywords))


@cache
def _places():
    """Return the lines, by file."""
    found, sign = {}, re.compile(rf" @=? |\b(einsum|{'|'.join(CALLS)})\(")
    for path in Path(metaeval.__file__).parent.rglob("*.py"):
        text = path.read_text("utf-8")
        lines = {node.lineno for node in ast.walk(ast.parse(text)) if _multiplies(node)} if sign.search(text) else None
        if lines:
            found[str(path)] = lines
    return found


@contextmanager
def seen_outside():
    """Yield a set that is told which functions did linear algebra inside this block and outside of `in_one_order`."""
    monitor, tool, found, before = sys.monitoring, 4, set(), in_one_order.inside

    def on_line(code, line):
        if line not in _places().get(code.co_filename, ()):
            return monitor.DISABLE
        if in_one_order.inside == before and code.co_qualname not in EXACT:
            found.add(f"{code.co_qualname}, {Path(code.co_filename).name}:{line}")
        return None

    monitor.use_tool_id(tool, "linear algebra")
    monitor.register_callback(tool, monitor.events.LINE, on_line)
    monitor.set_events(tool, monitor.events.LINE)
    try:
        yield found
    finally:
        monitor.set_events(tool, 0)
        monitor.free_tool_id(tool)
