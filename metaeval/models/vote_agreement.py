"""Do votes and a metric settle the same pairs? The systems that both know, compared by one correction."""

import numpy as np
import pandas as pd

from metaeval.agreement.rankings import kendall_tau
from metaeval.base.checks import check_kind, check_share
from metaeval.base.names import first_few
from metaeval.errors import ScoresError
from metaeval.models.vote_strengths import BradleyTerry
from metaeval.table.scores import as_scores
from metaeval.table.structure import settled_mean_over_topics
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.correction import adjust
from metaeval.tests_stat.result import is_significant

_FEWEST = 2


def votes_and_scores(
    fitted: BradleyTerry, scores: object, *, test: str = "t", correction: str = "fdr_by", alpha: float = 0.05
) -> pd.DataFrame:
    """Compare the pairs of systems that votes settle with those that metrics separate.

    Parameters
    ----------
    fitted : BradleyTerry
    scores : Scores or anything `metaeval.as_scores` takes
        Scores by item of some of the same systems, under one metric or several.
    test : str, default "t"
        Of the scores.
    correction : str, default "fdr_by"
        Of both, over the pairs that both know.
    alpha : float, default 0.05

    Returns
    -------
    pandas.DataFrame
        One row a metric: metric, n_systems and n_pairs that both know, n_votes and n_metric (pairs that the votes, and
        the metric, settle), n_both (in the same direction), n_conflicts (in opposite ones), precision (share of the
        metric's pairs that the votes settle alike), recall (share of the votes' pairs that the metric settles alike),
        f1, and Kendall's tau of strengths and means.

    Raises
    ------
    ScoresError
        If fewer than two systems are in both.

    See Also
    --------
    metaeval.models.bradley_terry
    metaeval.agreement.decision_agreement : between metrics

    Examples
    --------
    >>> from metaeval import as_scores
    >>> from metaeval.models import bradley_terry
    >>> from metaeval.simulate import simulate_votes
    >>> quality = np.arange(8)[:, None] / 8 + np.random.default_rng(1).normal(0, 0.1, (8, 40))
    >>> scores = as_scores(quality, systems=[f"system{number}" for number in range(1, 9)], metrics=["AP"])
    >>> votes_and_scores(bradley_terry(simulate_votes(rng=1)), scores)[["n_votes", "n_metric", "n_both"]]
       n_votes  n_metric  n_both
    0        9        28       9
    """
    check_kind(fitted, "fitted", "BradleyTerry")
    check_share(alpha, "alpha")
    table = as_scores(scores, missing="pairwise", fewest=1)
    known = [name for name in table["system"].to_numpy().tolist() if name in fitted.systems]
    if len(known) < _FEWEST:
        raise ScoresError(
            f"votes and scores must know two systems or more in common; there are votes on {first_few(fitted.systems)} "
            f"and scores of {first_few(table['system'].to_numpy().tolist())}"
        )
    table = table.sel(system=known)
    found = compare_systems(table, test=test, correction=correction, alpha=alpha)
    place = pd.Index(fitted.systems).get_indexer(pd.Index(known))
    own = fitted.comparison().data
    n = len(fitted.systems)
    p, better = np.ones((n, n)), np.zeros((n, n))
    upper = np.triu_indices(n, 1)
    p[upper] = own["p_value"].to_numpy()[0]
    better[upper] = own["better"].to_numpy()[0]
    p, better = np.minimum(p, p.T), better - better.T
    names = pd.Index(known)
    a, b = (place[names.get_indexer(pd.Index(found.data[side].to_numpy()))] for side in ("system_a", "system_b"))
    by_votes = is_significant(adjust(p[a, b], correction), alpha) * better[a, b]
    strengths, rows = fitted.strengths[place], []
    means = settled_mean_over_topics(table)
    for number, metric in enumerate(found.metrics):
        by_metric = found.verdicts()[number]
        both = int(((by_votes != 0) & (by_votes == by_metric)).sum())
        settled, separated = int((by_votes != 0).sum()), int((by_metric != 0).sum())
        precision = both / separated if separated else np.nan
        recall = both / settled if settled else np.nan
        f1 = 2 * both / (settled + separated) if settled + separated else np.nan
        tau = float(kendall_tau(strengths, means[number], undefined="nan"))
        conflicts = int((by_votes * by_metric < 0).sum())
        rows.append((metric, len(known), len(a), settled, separated, both, conflicts, precision, recall, f1, tau))
    columns = ["metric", "n_systems", "n_pairs", "n_votes", "n_metric", "n_both", "n_conflicts", "precision", "recall"]
    return pd.DataFrame(rows, columns=[*columns, "f1", "tau"])
