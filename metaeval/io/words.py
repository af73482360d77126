"""Where words begin and end in the bytes of a line, eight bytes at a time; part of the kernels that read lines."""

import numpy as np
from numpy.typing import NDArray

from metaeval.collection.document_codes import WORD_BYTES, word_at
from metaeval.running.compiled import compiled_part

_SPACE, _TAB, _RETURN, _NEWLINE = (ord(sign) for sign in " \t\r\n")
_ONE = np.uint64(1)
_LAST_BYTE = np.uint64(56)
_EACH_ONE = np.uint64(0x0101010101010101)
_EACH_ABOVE_SPACE = np.uint64(0x2121212121212121)
_EACH_TOP_BIT = np.uint64(0x8080808080808080)


@compiled_part
def is_blank(sign: np.uint8) -> bool:
    """Return whether a byte divides columns: the white space of C, but for the line end."""
    return bool(sign == _SPACE or (_TAB <= sign <= _RETURN and sign != _NEWLINE))


@compiled_part
def start_of_word(text: NDArray[np.uint8], position: int) -> int:
    """Return where the next word of a line begins, or where the line ends."""
    while position < len(text) and text[np.uint64(position)] <= _SPACE and is_blank(text[np.uint64(position)]):
        position += 1
    return position


@compiled_part
def end_of_word(text: NDArray[np.uint8], position: int) -> int:
    """Return where a word ends: at a blank, at the end of the line or of the text."""
    while len(text) - position >= WORD_BYTES:
        word = word_at(text, position)
        low = (word - _EACH_ABOVE_SPACE) & ~word & _EACH_TOP_BIT  # its lowest bit is in the first byte up to the space
        if low == 0:
            position += WORD_BYTES
            continue
        below = ((low & (~low + _ONE)) - _ONE) & _EACH_ONE  # one bit in each byte up to that one
        position += int(np.int64((below * _EACH_ONE) >> _LAST_BYTE)) - 1
        sign = text[np.uint64(position)]
        if sign == _NEWLINE or is_blank(sign):
            return position
        position += 1
    while position < len(text):
        sign = text[np.uint64(position)]
        if sign <= _SPACE and (sign == _NEWLINE or is_blank(sign)):
            break
        position += 1
    return position
