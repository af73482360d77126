"""Translations that users find worse than those they come from, to try metrics of translation on."""

from collections.abc import Sequence

import numpy as np

from metaeval.errors import InvalidOptionError
from metaeval.running.draws import RNGLike, resolve_seed


def spoiled_translations(
    sources: Sequence[str], translations: Sequence[str], *, rng: RNGLike = 0
) -> dict[str, list[str]]:
    """Spoil the translations of a system in three ways whose worth is known.

    Score them with a metric as further systems, and let `metaeval human --expect` say whether it prefers the
    translations themselves.

    Parameters
    ----------
    sources, translations : sequence of str
        The texts, and what the system made of them; of one length.
    rng : None, int or Generator, default 0
        Where the order of words is drawn.

    Returns
    -------
    dict of str to list of str
        ``"copied"``: the sources, untranslated; ``"empty"``: nothing; ``"shuffled"``: the words of each translation in
        another order, or as they were where there is none.

    Raises
    ------
    InvalidOptionError
        If there are more sources than translations, or fewer.

    See Also
    --------
    metaeval.questions.human.study.study_human : Its ``expectations``.

    References
    ----------
    .. [1] Kazai, Lalmas and de Vries (2004), who tried measures of retrieval on runs whose order is known.

    Examples
    --------
    >>> spoiled_translations(["eins zwei drei"], ["one two three"])
    {'copied': ['eins zwei drei'], 'empty': [''], 'shuffled': ['three one two']}
    """
    if len(sources) != len(translations):
        raise InvalidOptionError(
            f"each source has a translation: {len(sources)} sources, {len(translations)} translations"
        )
    generator = np.random.default_rng(resolve_seed(rng))

    def shuffled(text: str) -> str:
        words = text.split()
        if len(set(words)) < 2:  # noqa: PLR2004 - one word has one order
            return text
        order = words
        while order == words:
            order = [words[index] for index in generator.permutation(len(words))]
        return " ".join(order)

    return {
        "copied": [str(text) for text in sources],
        "empty": ["" for _ in translations],
        "shuffled": [shuffled(str(text)) for text in translations],
    }
