"""What each procedure takes into account of topics: from this table the rest is refused, and the docs are written.

What a significance test takes into account stands with the test, in `metaeval.tests_stat.catalogue`.
"""

from collections.abc import Mapping
from typing import Literal

Trait = Literal["repeats", "gaps", "clusters", "strata", "weights"]
"""What scores may have beyond one number for every system and topic, all alike."""

NOTHING: frozenset[Trait] = frozenset()
DRAWN: frozenset[Trait] = frozenset({"clusters", "strata", "weights"})
WHOLE: frozenset[Trait] = DRAWN | {"gaps"}

PROCEDURES: Mapping[str, frozenset[Trait]] = {
    "means of systems": WHOLE,
    "missing scores": WHOLE,
    "aggregates of scores": WHOLE,
    "analysis of items": WHOLE,
    "cohorts of systems": WHOLE,
    "the leaderboard": WHOLE,
    "the design effect of clusters": WHOLE,
    "minimum detectable differences": WHOLE,
    "topics to separate systems": WHOLE,
    "means of clusters": WHOLE,
    "an interval of ranks": WHOLE,
    "the chance of being best": WHOLE,
    "subsets of topics": DRAWN,
    "halving the topics": frozenset({"clusters", "weights", "gaps"}),
    "variance between repeats": frozenset({"repeats"}),
    "components of variance": frozenset({"repeats", "gaps", "clusters"}),
    "components of variance of topics": frozenset({"repeats", "gaps"}),
    "rates of k tries": WHOLE | {"repeats"},
    "requirements": WHOLE,
    "the comparison of metrics": NOTHING,
    "detectable differences with other numbers of topics": NOTHING,
    "the size of a topic set (with the means of clusters it counts clusters, as large as those at hand)": NOTHING,
    "the error rate of topic sets": NOTHING,
    "drawing sets of topics": NOTHING,
    "power over choices of runs": NOTHING,
    "conclusions under judges": NOTHING,
    "group bias": NOTHING,
    "prediction-powered inference": NOTHING,
    "planning with a judge": NOTHING,
}
"""By the name under which errors speak of it."""
