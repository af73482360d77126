"""Decimal numbers in bytes, read exactly by a compiled loop.

Short decimals are read by one exact operation (Clinger 1990), longer ones by a 64-bit product whose error is bounded,
in the manner of Lemire (2021, "Number parsing at a gigabyte per second"); the few that fall too close to the middle
between two floats are left to Python's own `float`.
"""

import math

import numpy as np
from numpy.typing import NDArray

from metaeval.running.compiled import compiled_part

EXACT, UNSURE, WRONG = range(3)
"""How reading went: the value is right, Python must say it, it is no number."""

_MINUS, _PLUS, _POINT, _ZERO, _NINE, _EXPONENT = (ord(sign) for sign in "-+.09e")
_MOST_DIGITS = 19
_LARGEST_EXACT = np.uint64(2**53)
_LARGEST_POWER = 22
_EXACT_POWERS = np.array([float(10**power) for power in range(_LARGEST_POWER + 1)])
_REACH = 280
_LARGEST_EXPONENT = 10**17  # more than a file has digits, so that none can make up for it
_LOW = np.uint64(2**32 - 1)
_HALF = np.uint64(32)
_ONE = np.uint64(1)
_TEN = np.uint64(10)
_ZERO_SIGN, _NINE_UNITS = np.uint64(_ZERO), np.uint64(9)
_TOP_BIT = np.uint64(2**63)


def _powers_of_ten() -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return 10**q for q = -reach…reach as p * 2**e, p the leading 64 bits, cut off."""
    leading, exponents = [], []
    for power in range(-_REACH, _REACH + 1):
        scale = 64 + max(0, -power) * 4
        scaled_power = (10 ** max(power, 0) << scale) // 10 ** max(-power, 0)
        excess = scaled_power.bit_length() - 64
        leading.append(scaled_power >> excess)
        exponents.append(excess - scale)
    return np.array(leading, dtype=np.uint64), np.array(exponents, dtype=np.int64)


POWERS, EXPONENTS = _powers_of_ten()
"""What `read_number` takes; a kernel gets tables as arguments."""


@compiled_part
def read_number(  # noqa: C901, PLR0912, PLR0913, PLR0917 - the grammar of a number, compiled
    text: NDArray[np.uint8],
    start: int,
    stop: int,
    whole: bool,  # noqa: FBT001 - a kernel takes no names
    powers: NDArray[np.uint64],
    exponents: NDArray[np.int64],
) -> tuple[int, float]:
    """Read a decimal number: how it went (`EXACT`, `UNSURE` or `WRONG`), and its value if exact."""
    position = start
    negative = text[np.uint64(position)] == _MINUS
    if negative or text[np.uint64(position)] == _PLUS:
        position += 1
    digits = np.uint64(0)
    n_digits, power, n_seen = 0, 0, 0
    after_point = False
    while position < stop:
        sign = text[np.uint64(position)]
        if _ZERO <= sign <= _NINE:
            n_seen += 1
            if n_digits < _MOST_DIGITS:
                digits = digits * _TEN + np.uint64(sign - _ZERO)
                n_digits += int(digits > 0)
                power -= after_point
            else:
                n_digits += 1
                power += not after_point
        elif sign == _POINT and not after_point and not whole:
            after_point = True
        else:
            break
        position += 1
    if n_seen == 0:
        return WRONG, 0.0
    if position < stop:
        if whole or (text[np.uint64(position)] | 32) != _EXPONENT:
            return WRONG, 0.0
        position += 1
        falling = position < stop and text[np.uint64(position)] == _MINUS
        if position < stop and (falling or text[np.uint64(position)] == _PLUS):
            position += 1
        if position == stop:
            return WRONG, 0.0
        exponent = 0
        while position < stop:
            sign = text[np.uint64(position)]
            if not _ZERO <= sign <= _NINE:
                return WRONG, 0.0
            exponent = min(exponent * 10 + int(sign - _ZERO), _LARGEST_EXPONENT)
            position += 1
        power += -exponent if falling else exponent
    status, value = scaled(digits, power, n_digits > _MOST_DIGITS, powers, exponents)
    return status, -value if negative else value


@compiled_part
def read_digits(
    text: NDArray[np.uint8],
    position: int,
    whole: bool,  # noqa: FBT001 - a kernel takes no names
) -> tuple[np.uint64, int, int]:
    """Read digits with at most one point: their number without it, minus how many follow it, where they end.

    The second is 1 where there are no digits, or more than a number of 64 bits holds.
    """
    begin = position
    digits = np.uint64(0)
    while position < len(text):
        digit = np.uint64(text[np.uint64(position)]) - _ZERO_SIGN
        if digit > _NINE_UNITS:
            break
        digits = digits * _TEN + digit
        position += 1
    n_digits = position - begin
    power = 0
    if not whole and position < len(text) and text[np.uint64(position)] == _POINT:
        position += 1
        begin = position
        while position < len(text):
            digit = np.uint64(text[np.uint64(position)]) - _ZERO_SIGN
            if digit > _NINE_UNITS:
                break
            digits = digits * _TEN + digit
            position += 1
        power = begin - position
        n_digits -= power
    return digits, power if 0 < n_digits <= _MOST_DIGITS else 1, position


@compiled_part
def scaled(
    digits: np.uint64,
    power: int,
    cut: bool,  # noqa: FBT001 - a kernel takes no names
    powers: NDArray[np.uint64],
    exponents: NDArray[np.int64],
) -> tuple[int, float]:
    """Return digits * 10**power, rounded to the nearest float, or that 64 bits cannot tell which one is nearest.

    The product of two numbers cut to 64 bits is short of the truth by less than 2 units of its leading word, by less
    than 21 if digits were cut too (the cut is at most 1 in 10**18 < 2**64 / 19). The float is certain unless the
    middle between two floats lies inside that error.
    """
    if digits == 0:
        return EXACT, 0.0
    if not cut and digits < _LARGEST_EXACT and -_LARGEST_POWER <= power <= _LARGEST_POWER:
        value = float(digits)
        return EXACT, value / _EXACT_POWERS[-power] if power < 0 else value * _EXACT_POWERS[power]
    if not -_REACH <= power <= _REACH:
        return UNSURE, 0.0
    shift = 0
    while digits < _TOP_BIT:
        digits = digits << _ONE
        shift += 1
    leading = _high_word(digits, powers[power + _REACH])
    extra = np.uint64(11 if leading >= _TOP_BIT else 10)
    remainder = leading & ((_ONE << extra) - _ONE)
    middle = _ONE << (extra - _ONE)
    error = np.uint64(21 if cut else 2)
    if remainder <= middle < remainder + error:
        return UNSURE, 0.0
    mantissa = (leading >> extra) + np.uint64(remainder > middle)
    return EXACT, math.ldexp(float(mantissa), np.int64(extra) + 64 + exponents[power + _REACH] - shift)


@compiled_part
def _high_word(one: np.uint64, other: np.uint64) -> np.uint64:
    """Return the upper 64 bits of the product."""
    low = (one & _LOW) * (other & _LOW)
    cross = (one >> _HALF) * (other & _LOW) + (low >> _HALF)
    cross_low = (one & _LOW) * (other >> _HALF) + (cross & _LOW)
    return (one >> _HALF) * (other >> _HALF) + (cross >> _HALF) + (cross_low >> _HALF)
