"""Can this metric be trusted? Discriminative power, error rates, topic counts and agreement of evaluation metrics.

Questions, and the functions that answer. A study has `to_frame()`, `report()` and `plot()`.

What is this file, and what can it answer?
    metaeval.look(data)
Is A better than B? What goes into the paper's table?
    metaeval.study_table(scores)
Is this leaderboard's ranking real?
    metaeval.study_leaderboard(scores)
Which metric has the highest discriminative power?
    metaeval.study_power(scores)
Which systems win pairwise votes?
    metaeval.study_votes(votes)
How many topics are enough?
    metaeval.study_topics(scores)
May we stop? We look at results while they come in.
    metaeval.study_stopping(data)
How many topics does a new collection need?
    metaeval.study_design(scores)
Where does the noise come from: items, repeats or judges? Which design is cheapest?
    metaeval.study_components(scores)
Which metric should we adopt?
    metaeval.study_compare_metrics(scores)
Which significance test is reliable?
    metaeval.study_compare_tests(scores)
Do two metrics, two uses of the grades, two boards, or an arena and a benchmark lead to the same conclusions?
    metaeval.study_agree(scores)
Do metrics agree with people (translation, summaries …)?
    metaeval.study_human(scores)
XML retrieval: does the metric reward what users want?
    metaeval.study_reliability(assessments, submissions)
What would fewer judgments change? Are new systems evaluated fairly?
    metaeval.study_judgments(collection, metrics)
Can this judge (another person, a language model) replace the assessor?
    metaeval.study_judges(labels)
How were elements and passages assessed?
    metaeval.study_assessment(assessments)
What does each run score?
    metaeval.score(collection, metrics)
Which metrics are there?
    metaeval.default_registry()
Does it hold on all my collections?
    metaeval.study_collections(collections)
Is a metric of my own correct?
    metaeval.testing.check_metric(metric)
No data yet?
    metaeval.simulate_scores()

Data, by the name of the argument, and what makes them:

    scores: read_scores(paths), as_scores(data), score(collection, metrics)
    collection: read_collection(runs, qrels)
    votes: read_votes(paths)
    labels: read_labels(paths)
    assessments: inex.read_assessments(paths)
    submissions: inex.read_submissions(paths)
"""

import sys

if sys.argv[:1] == ["-m"] and sys.orig_argv[-len(sys.argv)] in {"metaeval", "-mmetaeval"} and not sys.flags.safe_path:
    # Python looks for the program in the folder one is in, before all others: nothing else is to be found there
    sys.path.append(sys.path.pop(0))
    if f"{sys.path[-1]}/metaeval" != __path__[0]:  # else a checkout that is not installed
        sys.path.pop()

from typing import Any

from metaeval.base.chapters import chapter

_named, __dir__, __all__ = chapter(__name__, __file__)


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module, a class or a function
    if name != "__version__":
        return _named(name)
    from importlib.metadata import version  # noqa: PLC0415 - only here

    return version("metaeval")
