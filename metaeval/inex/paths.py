"""Paths of XML elements: one spelling for each, and who contains whom.

A path is absolute, and every step has a position, counted from 1, among the siblings of the same tag:
``/article[1]/bdy[1]/sec[4]``. Once normalised, two paths are the same element exactly if they are the same text, and
an element contains another exactly if its path, with a "/" behind it, begins the other's (`contains`).
"""

import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.base.names import shortened
from metaeval.errors import InvalidOptionError

_LONGEST_PATH = 10_000
"""Characters: deeper than any document, and the work on a path grows with the square of its length."""
_TEXT_NODE = re.compile(r"/text\(\)(?:\[([1-9][0-9]*)\])?(?:\.([0-9]+))?\Z")
_STEP = re.compile(r"([^\W\d][\w.:-]*)(?:\[([1-9][0-9]*)\])?\Z")
_NORMAL = re.compile(r"(?:/[^\W\d][\w.:-]*\[[1-9][0-9]*\])+\Z")


def normalised_path(path: str) -> str:
    """Return an element's path with a position in every step; a step without one is the first of its tag.

    Examples
    --------
    >>> normalised_path("/article/bdy[1]/sec[4]")
    '/article[1]/bdy[1]/sec[4]'
    """
    path = path.strip()
    if len(path) > _LONGEST_PATH:
        raise InvalidOptionError(f"a path has at most {_LONGEST_PATH} characters, not {len(path)} ({path[:30]!r}…)")
    if _NORMAL.match(path):
        return path
    if not path.startswith("/"):
        message = f"a path must begin at the root, as /article[1]/bdy[1] does; {shortened(path)!r} does not"
        raise InvalidOptionError(message)
    steps = []
    for step in path[1:].split("/"):
        match = _STEP.match(step)
        if not match:
            raise InvalidOptionError(
                f"{shortened(step)!r} in {shortened(path)!r} is no step of a path; write a tag and its position, as "
                "sec[4]"
            )
        steps.append(f"/{match[1]}[{match[2] or 1}]")
    return "".join(steps)


def normalised_point(point: str) -> str:
    """Return a point in text, ``PATH/text()[k].o``, with every position written; an element's path is a point too.

    Examples
    --------
    >>> normalised_point("/article/p[2]/text().57"), normalised_point("/article/p[2]")
    ('/article[1]/p[2]/text()[1].57', '/article[1]/p[2]')
    """
    point = point.strip()
    match = _TEXT_NODE.search(point)
    if not match:
        return normalised_path(point)
    offset = "" if match[2] is None else f".{match[2].lstrip('0') or 0}"  # int() takes no thousands of digits
    return f"{normalised_path(point[: match.start()])}/text()[{match[1] or 1}]{offset}"


def contains(outer: str, inner: str) -> bool:
    """Say whether the element `outer` is an ancestor of `inner`; both are normalised paths of one document.

    Examples
    --------
    >>> contains("/a[1]/b[1]", "/a[1]/b[1]/c[2]"), contains("/a[1]/b[1]", "/a[1]/b[10]"), contains("/a[1]", "/a[1]")
    (True, False, False)
    """
    return inner.startswith(outer + "/")


def parent_path(path: str) -> str:
    """Return the path of the parent of an element; "" for a root."""
    return path.rpartition("/")[0]


def depth_of(path: str) -> int:
    """Return the number of steps of a path: 1 for a root."""
    return path.count("/")


def nearest_ancestors(documents: Sequence[object], paths: Iterable[str]) -> NDArray[np.int64]:
    """Find for each element its nearest ancestor among the elements given: the tree they span.

    Examples
    --------
    >>> nearest_ancestors(["d"] * 3, ["/a[1]/b[1]/c[1]", "/a[1]", "/a[1]/b[2]"]).tolist()
    [1, -1, 1]
    """
    elements = list(zip(documents, paths, strict=True))
    index = {element: number for number, element in enumerate(elements)}
    ancestors = np.full(len(elements), -1, dtype=np.int64)
    for number, (document, path) in enumerate(elements):
        above = parent_path(path)
        while above:
            if (document, above) in index:
                ancestors[number] = index[document, above]
                break
            above = parent_path(above)
    return ancestors
