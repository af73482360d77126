"""Group bias of a judge: what groups of systems gain under it, compared with a reference and with people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from metaeval.agreement import judge_bias_questions, judge_bias_table
from metaeval.base.checks import check_choice
from metaeval.base.results import Figure, Result
from metaeval.base.words import span_of, two_digits
from metaeval.errors import InvalidOptionError
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.labels import those_that_differ
from metaeval.tests_stat.result import is_significant


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FavouredGroups(Result):
    """Bias of each judge towards each group of systems, or towards a covariate."""

    table: pd.DataFrame
    """See `to_frame`."""
    reference: str
    against: str
    """"others", or the group that the groups are compared with."""
    people: tuple[str, ...]
    adjusted: bool
    over: judge_bias_questions.Over
    correction: str
    """Over all groups and judges; people are a family of their own."""
    confidence_level: float
    n_topics: int
    notes: tuple[str, ...]
    unadjusted: str = ""
    """Why groups have no adjusted figure, in the words of `notes`; nothing where all have one."""

    def _found(self) -> str:
        start = "adjusted_" if self.adjusted else ""
        names = self.table.iloc[:, 0] + " by " + self.table["judge"]
        ends = (self.table[f"{start}{end}_{self.over}"] for end in ("low", "high"))
        gains = span_of(names, self.table[start.rstrip("_") or "figure"], *ends, write=two_digits)
        p_values = self.table["p_corrected"].to_numpy()
        tests = those_that_differ(is_significant(p_values, 1.0 - self.confidence_level), p_values, "figure")
        how = f" from 0 ({CORRECTIONS.words(self.correction)})" if np.isfinite(p_values).any() else ""
        return f"favour of a group beside {self.reference}: {gains}; {tests}{how}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a group, or covariate, and judge.

        In the unit of the scores, positive where the judge favours:

        - ``group`` (or the covariate), ``judge``, ``kind`` ("judge" or "person"), ``circular`` (the judge is part of a
          system of the group), ``n_systems``, ``n_others``;
        - ``figure``: what the group gains under the judge beside the reference; ``low_topics``, ``high_topics`` (for
          these systems), ``low_both``, ``high_both`` (for other systems of these kinds too);
        - ``adjusted`` with its own ``_low_topics``, ``_high_topics``, ``_low_both`` and ``_high_both``: the same beside
          what the judge's own scale leads to expect, NaN where that cannot be told (`notes` says why); ``slope`` of the
          judge's scale, and ``bend_p``, small where that scale is bent over the others, so that a line does not say
          what to expect (NaN for a covariate);
        - ``p``, ``p_corrected``: of the figure and the interval that `adjusted` and `over` name;
        - ``beyond_people``, ``beyond_low``, ``beyond_high``: that figure less its mean over the people, with an
          interval over topics and systems; NaN for people, and without them;
        - for a covariate, whose figures are per standard deviation: ``standard_deviation``, ``figure_per_unit``,
          ``adjusted_per_unit``.

        These are ``reference``, ``against``, ``p_of`` (the figure and the interval that the p-values belong to),
        ``correction``, ``confidence_level`` and ``n_topics``.
        """
        return self.table.assign(
            reference=self.reference,
            against=self.against,
            p_of=f"{'adjusted' if self.adjusted else 'figure'}, {self.over}",
            correction=self.correction,
            confidence_level=self.confidence_level,
            n_topics=self.n_topics,
        )

    def _draw(self) -> Figure:
        """Draw a dot and its interval over topics and systems for every group and judge, people beside them."""
        from metaeval.figures.judge_bias import favour_dots  # noqa: PLC0415 - matplotlib

        return favour_dots(self.table, reference=self.reference, adjusted=self.adjusted)


def favoured_groups(  # noqa: PLR0913 - every option is one question
    scores: object,
    groups: Mapping[str, str],
    *,
    reference: str,
    against: str = "others",
    people: Sequence[str] = (),
    built_with: Mapping[str, Sequence[str]] | None = None,
    adjusted: bool = True,
    over: judge_bias_questions.Over = "both",
    correction: str = "holm",
    confidence_level: float = 0.95,
) -> FavouredGroups:
    r"""Test a judge for bias towards groups of systems, compared with a reference and with people.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        One metric under several judges, who stand in place of the metrics.
    groups : mapping of str to str
        Group of systems; systems that are not in it belong to none, and are others to all. Groups of one system are
        left out, and noted.
    reference : str
        The judge whose scores stand for the truth.
    against : str, default "others"
        What a group is compared with: all systems outside it, or those of the group of this name.
    people : sequence of str
        Judges who are people: the yardstick, what any second opinion does.
    built_with : mapping of str to sequence of str, optional
        For a judge the groups or systems that it is part of: such rows are marked circular.
    adjusted : bool, default True
        Whether p and what is beyond people are of the adjusted figure; the table holds both figures.
    over : {"both", "topics"}
        Whether p is for other topics and other systems of these kinds, or for these systems.
    correction : str, default "holm"
        Over all groups and judges.
    confidence_level : float

    Returns
    -------
    FavouredGroups
        One row a ``group`` and ``judge`` in ``to_frame()``: ``figure``, what the group gains under the judge in units
        of the scores, with its intervals, ``adjusted`` for the judge's scale, ``p`` and ``p_corrected``; see
        `FavouredGroups.to_frame`.

    Raises
    ------
    InvalidOptionError
        If `groups` or `built_with` names what is not there, no group has two systems and two others beside them, the
        reference gives all systems one score, or an option is outside its rule.
    UnknownNameError
        If there is no such judge, group, correction or choice.
    ScoresError
        If there is one topic, or scores have gaps.

    See Also
    --------
    favoured_by_covariate : the same for length, depth or any other number of a system

    Notes
    -----
    With :math:`Y` a judge's mean scores, :math:`X` the reference's, :math:`G` the group and :math:`O` the others, the
    figure is :math:`(\bar Y_G - \bar Y_O) - (\bar X_G - \bar X_O)`. A judge that only stretches the scale "favours"
    every good group by it. Adjusted, the judge's slope :math:`\beta` over the others takes part:
    :math:`(\bar Y_G - \bar Y_O) - \beta (\bar X_G - \bar X_O)`, the mean residual of the group about the others' line.
    The reference's means carry noise of the topics, which would flatten the line and make every good group look like
    one with a bias [1]_; so :math:`\beta` is made of products across different topics, which hold no such noise:

    .. math:: \beta = \frac{\sum_{s \in O} \sum_{t \ne u} Y_{st} X_{su}}{\sum_{s \in O} \sum_{t \ne u} X_{st} X_{su}}

    of scores less their topic's mean over :math:`O`. A line is a line: under a judge who saturates, a group that is
    better than the others looks like one with a bias. So a quadratic term over the means of the others is tested,
    and a note names the judges whose scale is bent at p of .05 or less; where the others are few or alike a bend may
    stay unseen.

    Over topics the interval is Student's t on one number a topic (jackknifed where a slope takes part). Over both, the
    variance between topics and that between systems are added, less the noise of a system on a topic, which both hold
    [2]_; a part below 0 counts as 0, and degrees of freedom are Satterthwaite's [3]_. Systems scatter in their own way
    inside and outside a group where both have five or more; with fewer one spread serves both, and a note says so.
    ``benchmarks/reports/favoured_groups_calibration.md`` says how often unbiased judges are found biased.

    References
    ----------
    .. [1] Fuller (1987). Measurement Error Models. Wiley. Section 1.1.
    .. [2] Cameron, Gelbach and Miller (2011). Robust inference with multiway clustering. Journal of Business and
       Economic Statistics 29(2), 238-249. :doi:`10.1198/jbes.2010.07136`
    .. [3] Satterthwaite (1946). An approximate distribution of estimates of variance components. Biometrics Bulletin
       2(6), 110-114. :doi:`10.2307/3002019`

    Examples
    --------
    >>> import numpy as np
    >>> from metaeval import as_scores
    >>> rng = np.random.default_rng(0)
    >>> nist = np.linspace(0.3, 0.6, 12)[:, None] + rng.normal(0, 0.1, (12, 30))
    >>> judge = 0.1 + 0.8 * nist + rng.normal(0, 0.05, (12, 30))
    >>> judge[8:] += 0.06
    >>> scores = as_scores(np.stack([nist, judge]), metrics=["nist", "judge"])
    >>> groups = {f"system{number}": "neural" for number in range(9, 13)}
    >>> found = favoured_groups(scores, groups, reference="nist").table
    >>> found[["figure", "adjusted", "adjusted_low_both", "adjusted_high_both"]].round(2).to_numpy().tolist()
    [[0.03, 0.06, 0.03, 0.09]]
    """
    asked = judge_bias_questions.ask_judges(scores, reference, people)
    options = judge_bias_questions.checked_options(
        adjusted=adjusted, over=over, correction=correction, confidence_level=confidence_level
    )
    inside, notes = judge_bias_questions.known_groups(groups, asked.systems)
    if against != "others":
        check_choice(against, "group to compare with", inside)
    circular = judge_bias_questions.check_built_with(built_with, asked.names, [*asked.systems, *inside])
    pairs = {
        name: ~members if against == "others" else inside[against]
        for name, members in inside.items()
        if name != against
    }
    if not pairs:
        raise InvalidOptionError(f"`groups` must hold another group than {against!r}, with which it could be compared")
    for name, others in pairs.items():
        if others.sum() < 2:  # noqa: PLR2004 - a spread takes two
            raise InvalidOptionError(
                f"`groups` must leave two systems or more to compare a group with; beside {name!r} there is "
                f"{others.sum() or 'none'} of {len(asked.systems)}: name fewer systems, or score others too"
            )
    compared = [judge_bias_table.compare_group(asked, name, inside[name], others) for name, others in pairs.items()]
    return _answer(asked, compared, circular, options, notes, against=against)


def favoured_by_covariate(  # noqa: PLR0913 - every option is one question
    scores: object,
    covariate: Mapping[str, float],
    *,
    reference: str,
    name: str = "covariate",
    people: Sequence[str] = (),
    built_with: Mapping[str, Sequence[str]] | None = None,
    adjusted: bool = True,
    over: judge_bias_questions.Over = "both",
    correction: str = "holm",
    confidence_level: float = 0.95,
) -> FavouredGroups:
    r"""Test whether a judge is biased towards a covariate of systems, such as the length of answers.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        One metric under several judges, who stand in place of the metrics.
    covariate : mapping of str to float
        A number for every system.
    reference : str
        The judge whose scores stand for the truth.
    name : str
        What the covariate is called in the table.
    people, built_with, adjusted, over, correction, confidence_level
        As `favoured_groups` has them.

    Returns
    -------
    FavouredGroups
        Figures are per standard deviation of the covariate, and per unit beside them; one row a covariate (``group``)
        and ``judge`` in ``to_frame()``; see `FavouredGroups.to_frame`.

    Raises
    ------
    InvalidOptionError
        If the covariate lacks a system, names an unknown one, or is the same for all; or as `favoured_groups`.
    UnknownNameError, ScoresError
        As `favoured_groups`.

    Notes
    -----
    The figure is the slope of judge less reference, means over topics, on the covariate. Adjusted, the judge's means
    are regressed on the reference's and the covariate together, the reference's part made of products across different
    topics as in `favoured_groups`. Intervals are made as there, every system scattering about the line alike.

    Examples
    --------
    >>> import numpy as np
    >>> from metaeval import as_scores
    >>> rng = np.random.default_rng(0)
    >>> nist, length = rng.normal(0.5, 0.1, (12, 30)), np.arange(12)
    >>> nist += rng.normal(0, 0.1, (12, 1))
    >>> judge = 0.5 * nist + 0.01 * length[:, None] + rng.normal(0, 0.02, (12, 30))
    >>> scores = as_scores(np.stack([nist, judge]), metrics=["nist", "judge"])
    >>> lengths = {f"system{number + 1}": number for number in length.tolist()}
    >>> found = favoured_by_covariate(scores, lengths, reference="nist", name="length").table
    >>> found[["adjusted_per_unit", "slope"]].round(2).to_numpy().tolist()
    [[0.01, 0.51]]
    """
    asked = judge_bias_questions.ask_judges(scores, reference, people)
    options = judge_bias_questions.checked_options(
        adjusted=adjusted, over=over, correction=correction, confidence_level=confidence_level
    )
    values = judge_bias_questions.covariate_values(covariate, asked.systems)
    if len(values) < judge_bias_table.LEAST_OTHERS:
        raise InvalidOptionError(
            f"a slope on a covariate takes {judge_bias_table.LEAST_OTHERS} systems or more, not {len(values)}"
        )
    circular = judge_bias_questions.check_built_with(built_with, asked.names, asked.systems)
    spread = float(values.std(ddof=1))
    compared = judge_bias_table.compare_covariate(asked, str(name), values / spread)
    answer = _answer(asked, [compared], circular, options, [], against="others", what="covariate")
    table = answer.table.assign(
        standard_deviation=spread,
        figure_per_unit=answer.table["figure"] / spread,
        adjusted_per_unit=answer.table["adjusted"] / spread,
    )
    return replace(answer, table=table)


def _answer(  # noqa: PLR0913 - what was asked travels with what was found
    asked: judge_bias_questions.BiasQuestion,
    compared: Sequence[judge_bias_table.BiasRow],
    circular: Mapping[str, set[str]],
    options: judge_bias_questions.Options,
    notes: Sequence[str],
    *,
    against: str,
    what: str = "group",
) -> FavouredGroups:
    table = judge_bias_table.favour_table(compared, asked, circular, options)
    marked = [f"{row.judge} of {row.group}" for row in table[table["circular"]].itertuples()]
    if marked:
        notes = [*notes, f"judges that are part of systems they judge (circular): {', '.join(marked)}"]
    return FavouredGroups(
        table=table,
        reference=asked.reference,
        against=against,
        people=asked.people,
        **options._asdict(),
        n_topics=asked.n_topics,
        notes=(*asked.notes, *notes, *judge_bias_table.notes_on(compared, what)),
        unadjusted="; ".join(judge_bias_table.notes_on([row._replace(notes=row.unadjusted) for row in compared], what)),
    )
