"""Letters that a terminal lacks, as Windows' own do: signs of ours are spelled, letters of names are escaped."""

import codecs
import unicodedata

SPELLED = "metaeval.spelled"
"""What `spell` is called where an encoding is chosen, once this module is loaded."""
_SPELLINGS = """
− - – - ≥ >= ≤ <= ≠ != ≈ ~ ∞ inf √ sqrt → -> ← <- ↑ (up) ↓ (down) ✓ yes ✗ no ′ ' … ... ⌊ floor( ⌋ ) ∈ in ∩ and ∪ or · *
× x ± +/-
"""  # noqa: RUF001 - letters of ours
_SIGNS = dict(zip(_SPELLINGS.split()[::2], _SPELLINGS.split()[1::2], strict=True))
_RAISED = "SUPERSCRIPT "


def spell(error: UnicodeError) -> tuple[str, int]:
    r"""Spell what cannot be encoded, an error handler of `codecs`: α as alpha, ≥ as >=, 10⁶ as 10^6, 名 as an escape.

    Examples
    --------
    >>> "α ≥ 10⁶, κ₁ = −∞, 名".encode("ascii", SPELLED).decode()
    'alpha >= 10^6, kappa1 = -inf, \\u540d'
    """  # noqa: RUF002 - as above
    if not isinstance(error, UnicodeEncodeError):
        raise error
    spelled = []
    for place in range(error.start, error.end):
        letter = error.object[place]
        name = unicodedata.name(letter, "")
        raised = name.startswith(_RAISED) and not _is_raised(error.object[place - 1 : place])
        plain = unicodedata.normalize("NFKC", letter) if name.startswith((_RAISED, "SUBSCRIPT ")) else letter
        spelled.append("^" * raised + _plain(plain))
    return "".join(spelled), error.end


def _is_raised(letter: str) -> bool:
    return bool(letter) and unicodedata.name(letter, "").startswith(_RAISED)


def _plain(letter: str) -> str:
    if letter.isascii() or letter in _SIGNS:
        return _SIGNS.get(letter, letter)
    alphabet, _, rest = unicodedata.name(letter, "").partition(" ")
    if alphabet == "GREEK" and " LETTER " in rest and " WITH " not in rest:
        word = rest.rpartition(" ")[2].replace("LAMDA", "LAMBDA").lower()
        return word.capitalize() if rest.startswith("CAPITAL") else word
    return letter.encode("ascii", "backslashreplace").decode()


codecs.register_error(SPELLED, spell)
