"""Parameters of metrics and quantisations, read from the keyword-only arguments of the function that uses them.

A function's signature is its contract: names, types, defaults. Rules that a type cannot say (a level is at least 1)
are added with ``Annotated``.
"""

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from metaeval.base.metric_names import Call, Value
from metaeval.errors import InvalidOptionError

_TYPES = (bool, int, float, str)
_WORDS = {bool: "True or False", int: "a whole number", float: "a number", str: "a word"}


@dataclass(frozen=True, slots=True)
class Rule:
    """What a value must obey beyond its type, and what to say to someone who leaves it out."""

    holds: Callable[[Any], bool]
    """Whether a value (already of the right type) is allowed."""
    text: str
    """The rule in words: "at least 1"."""
    advice: str = ""
    """Added to the error for a required parameter that is missing."""
    fraction: bool = False
    """Whether a whole number by its type may have a fraction all the same."""


_FROM_ONE = Rule(lambda value: value >= 1, "at least 1")
Level = Annotated[int, Rule(lambda value: 0 < value < math.inf, "above 0", fraction=True)]
"""A relevance level that counts as relevant: a number where it is given, a level where a kernel receives it."""
Cutoff = Annotated[int, _FROM_ONE]
"""How many documents of a list are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter."""

    name: str
    type: type
    """Bool, int, float or str."""
    default: Any = None
    """Its default; ignored where `required`."""
    required: bool = False
    """Whether a value must be given."""
    rule: Rule | None = None

    @property
    def text(self) -> str:
        """What a value must be, in words."""
        word = _WORDS[float if self._takes_fractions else self.type]
        return word + (f", {self.rule.text}" if self.rule else "")

    @property
    def _takes_fractions(self) -> bool:
        return self.rule is not None and self.rule.fraction

    def accept(self, value: Value | str | None) -> Any:  # noqa: ANN401 - the type is the parameter's own
        """Return the value as the parameter's type."""
        plain = str(value) if self.type is str and isinstance(value, Call) else value
        if value is None and self.default is None and not self.required:
            return None
        is_whole = isinstance(plain, float) and plain.is_integer()
        if self.type is not bool and isinstance(plain, bool):
            fits = False
        elif self.type is int:
            fits = isinstance(plain, int) or is_whole or (self._takes_fractions and isinstance(plain, float))
        elif self.type is float:
            fits = isinstance(plain, int | float)
        else:
            fits = isinstance(plain, self.type)
        if fits:
            converted = plain if isinstance(plain, float) and self.type is int and not is_whole else self.type(plain)
            if self.rule is None or self.rule.holds(converted):
                return converted
        message = f"{self.name} must be {self.text}, not {value if isinstance(value, Call) else repr(value)}"
        raise InvalidOptionError(message)


def read_parameters(function: Callable[..., Any], *, what: str) -> Mapping[str, Parameter]:
    """Read the parameters of a function from its signature.

    Examples
    --------
    >>> def precision(topic, *, k: int, rel: int = 1): ...
    >>> list(read_parameters(precision, what="precision"))
    ['k', 'rel']
    """
    if not callable(function):
        raise InvalidOptionError(f"{what} must be a function, not {type(function).__name__}")
    arguments = list(inspect.signature(function).parameters.values())
    positional = [
        argument
        for argument in arguments
        if argument.kind in (argument.POSITIONAL_ONLY, argument.POSITIONAL_OR_KEYWORD)
    ]
    others = [argument for argument in arguments if argument not in positional]
    wrong = next((argument for argument in others if argument.kind is not argument.KEYWORD_ONLY), None)
    if len(positional) != 1 or wrong is not None:
        actual = f"*{wrong.name}" if wrong is not None else f"{len(positional)} positional arguments"
        raise InvalidOptionError(
            f"{what} must take one positional argument and keyword-only parameters, as in f(topic, *, rel=1); "
            f"it has {actual}"
        )
    hints = get_type_hints(inspect.unwrap(function), include_extras=True)
    return MappingProxyType(
        {argument.name: _parameter(argument, hints.get(argument.name), what) for argument in others}
    )


def _parameter(argument: inspect.Parameter, hint: object, what: str) -> Parameter:
    required = argument.default is argument.empty
    rules: list[Rule] = []
    kinds = {kind for kind in _plain_types(hint, rules) if kind is not NoneType}
    if hint is None and not required and argument.default is not None:
        kinds = {type(argument.default)}
    if kinds == {int, float}:
        kinds = {float}
    if len(kinds) != 1 or not kinds <= set(_TYPES):
        raise InvalidOptionError(
            f"{what}: parameter {argument.name} needs a type among bool, int, float and str (or one of them | None), "
            f"written as in {argument.name}: int = 1"
        )
    return Parameter(
        name=argument.name,
        type=kinds.pop(),
        default=None if required else argument.default,
        required=required,
        rule=rules[0] if rules else None,
    )


def _plain_types(hint: Any, rules: list[Rule]) -> list[type]:  # noqa: ANN401 - hints have no common type
    """Take a hint apart into types, collecting the rules found on the way."""
    if get_origin(hint) is Annotated:
        inner, *extras = get_args(hint)
        rules.extend(extra for extra in extras if isinstance(extra, Rule))
        return _plain_types(inner, rules)
    if isinstance(hint, UnionType) or get_origin(hint) is Union:
        return [kind for member in get_args(hint) for kind in _plain_types(member, rules)]
    return [] if hint is None else [hint]
