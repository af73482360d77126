"""What a reader advises, followed to the letter."""

import ast
import re
from collections.abc import Callable
from typing import Any

from metaeval.errors import MetaevalError

_ADVICE = re.compile(r"`(columns|where|duplicates|systems_in|form|header|missing)=([^`]*)`")
_MOST = 4


def advised(message: str) -> tuple[str, Any] | None:
    """Return the first argument that a message advises, with its value."""
    for name, literal in _ADVICE.findall(message):
        try:
            return name, ast.literal_eval(literal)
        except (SyntaxError, ValueError):
            continue
    return None


def obeyed[T](read: Callable[..., T]) -> tuple[T | MetaevalError, list[str]]:
    """Return what a reader returns or raises in the end, its advice followed up to four times, and what was advised."""
    options: dict[str, Any] = {}
    steps: list[str] = []
    for _ in range(_MOST + 1):
        try:
            return read(**options), steps
        except MetaevalError as error:
            problem = error
        advice = advised(str(problem))
        if advice is None or len(steps) == _MOST:
            break
        name, value = advice
        held = options.get(name)
        value = {**held, **value} if isinstance(held, dict) and isinstance(value, dict) else value
        if value == held:
            break
        options[name] = value
        steps.append(name)
    return problem, steps
