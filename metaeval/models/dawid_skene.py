r"""What the labels are and how well each judge labels, where nobody is the reference: Dawid and Skene by PyMC.

Item i has an unknown label :math:`z_i` with chances :math:`\pi`, and judge j says l of an item labelled c with chance
:math:`\theta_{jcl}`, independently of the other judges. The labels themselves are summed out, and items with the same
answers are one row with a weight, so that the sampler sees :math:`\pi` and :math:`\theta` alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import logsumexp

from metaeval.agreement.labels import Labels
from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_kind, check_share, refused
from metaeval.base.names import count, first_few
from metaeval.base.notes import UnseenErrors
from metaeval.base.results import Figure, Result
from metaeval.base.unit import unit
from metaeval.base.words import bracketed
from metaeval.base.words import share as share_as_text
from metaeval.errors import EstimationError, InvalidOptionError, ScoresError
from metaeval.running.draws import RNGLike, resolve_rng

_CHAINS = 4
_TRIES = ((600, 0.8), (2400, 0.95))
"""Draws of a chain, and as many before them; the share of steps to accept."""
_MAX_RHAT, _MIN_ESS = 1.01, 400
_FEWEST_JUDGES = 3
_MOST_LABELS = 12
_TRUST = 2.0  # right twice as often as wrong: the least that tells the labels from their mirror image
_ABOUT_NOTHING = 0.02
"""Shares by which a label may be given less where it is right than where another is, by all judges together."""
_STEPS = 30
_USED = 400  # draws that carry the labels of items, spread over the chains
_TWINS, _TWIN_KAPPA = 0.95, 0.85
"""Equal labels of two judges, and Cohen's kappa, from which on they are taken for one voice."""
_SHARED_ERRORS = UnseenErrors("with three judges and two labels every agreement fits, so shared errors cannot be seen")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LatentClasses(Result):
    """What judges' labels say of the labels of items, and of the judges, without a reference."""

    judges: pd.DataFrame
    """One row a judge, the most accurate first: ``judge``, ``n_items``, ``accuracy`` (how often its label is that of an
    item of this kind) with ``accuracy_low`` and ``accuracy_high``, ``p_best`` and ``p_worst`` (probability that no
    other judge is more, or less, accurate), and for each label ``right_LABEL`` (how often it is given where it is
    right), with ``right_LABEL_low`` and ``right_LABEL_high``."""
    items: pd.DataFrame
    """One row an item, the most doubtful first: ``topic``, ``item``, ``n_labels``, ``label`` (the most probable) and
    ``probability`` of it."""
    labels: pd.DataFrame
    """One row a label: ``label``, its number ``value``, ``share`` of the items that have it, with ``low``, ``high``."""
    pairs: pd.DataFrame
    """One row a pair of judges: ``first``, ``second``, ``n_items`` that both labelled, ``same`` (share of equal
    labels), ``kappa`` (Cohen's), ``expected`` (of judges who err independently), with ``expected_low`` and
    ``expected_high``, in which `same` would lie for every pair at once with the confidence level; ``beyond`` says that
    it is higher."""
    systems: pd.DataFrame
    """One row a system, the best first: ``system``, ``n_items``, ``score`` (mean label), ``low``, ``high``, with the
    judges' errors and the choice of items in them. Empty without systems."""
    rhat: float
    """The largest R-hat of the shares and the judges' errors."""
    effective_draws: float
    """The smallest effective number of draws of these."""
    confidence_level: float
    posterior: Any
    """What PyMC sampled, an xarray.DataTree: ``share`` and ``says`` (judge, right label, said label)."""
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """Return one row a judge (`judges`)."""
        return self.judges

    def to_arviz(self) -> Any:  # noqa: ANN401 - an xarray.DataTree
        """Return what was sampled as ArviZ reads it.

        Returns
        -------
        xarray.DataTree
            Group ``posterior`` with ``share`` (chain, draw, label) and ``says`` (chain, draw, judge, right, said).
        """
        return self.posterior

    def _found(self) -> str:
        if alike := self.nearly_the_same():
            return f"{alike}, so that how accurate they are is not known; " + self._least()
        return self._least()

    def nearly_the_same(self) -> str:
        """Name the pairs of judges with the same label on 95 % of their items or more; "" of none and where all are."""
        twins = (self.pairs["same"] >= _TWINS) & (self.pairs["kappa"] >= _TWIN_KAPPA)
        rows = [] if twins.all() else self.pairs[twins].to_dict("records")
        named = [f"{row['first']} and {row['second']} ({share_as_text(row['same'])})" for row in rows]
        return f"{first_few(named)} say nearly the same and count as one voice that agrees with itself" if rows else ""

    def _least(self) -> str:
        tail, first = (1 - self.confidence_level) / 2, self.judges.iloc[0]
        best = self.judges.loc[self.judges["p_best"] > tail, "judge"].tolist()
        least = f"{best[0]} errs least" if len(best) == 1 else f"who errs least is open between {first_few(best)}"
        figure = bracketed(first["accuracy"], first["accuracy_low"], first["accuracy_high"], share_as_text)
        return f"{least}; {figure} of the labels of {first['judge']} are right"

    def _draw(self) -> Figure:
        """Draw the accuracy of every judge with its interval."""
        from metaeval.figures.label_agreement import agreement_dots  # noqa: PLC0415 - matplotlib

        names = {"judge": "name", "accuracy": "value", "accuracy_low": "low", "accuracy_high": "high"}
        return agreement_dots(self.judges.rename(columns=names), label="accuracy")


class _SaidLabels(NamedTuple):
    """Labels as numbers from zero, -1 where there is none; items with the same labels are one pattern."""

    codes: Ints
    """Items by judges."""
    patterns: Ints
    pattern_of: Ints
    """Of every item."""
    weights: Floats
    """Items of every pattern."""

    def indicators(self, n_labels: int) -> Floats:
        """Return 1 where a judge gave a label: patterns by (judge, label)."""
        answers = self.patterns[:, :, None] == np.arange(n_labels)
        return answers.reshape(len(self.patterns), -1).astype(np.float64)


def latent_classes(  # noqa: PLR0913 - keyword-only; the model and what is asked of it
    labels: Labels,
    *,
    systems: Mapping[str, str] | None = None,
    confusion_prior: Mapping[str, object] | object = None,
    share_prior: Sequence[float] | None = None,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
) -> LatentClasses:
    r"""Decide how accurate each judge is, and which labels items have, from the judges' labels alone.

    No judge is the reference: where several agree they are believed, and more so the more often they agree with others.
    This takes three judges at least, who err independently of one another given the right label, and who are right more
    often than wrong on the whole. `pairs` shows where two agree more often than that: they share errors, or others do,
    whose common errors are then taken for the truth.

    Parameters
    ----------
    labels : Labels
        Of `as_labels`; a judge may have labelled a part.
    systems : mapping of str to str, optional
        Item to the system whose output it is, for scores of systems; by default as a column of the labels says.
    confusion_prior : array-like, or mapping of judge to array-like, optional
        Dirichlet counts, right label by said label in the order of the scale: labels that the judge is believed to have
        given before any is seen. By default 1 for every wrong label, and for the right one so much that a judge is
        expected to be right two times in three.
    share_prior : sequence of float, optional
        Dirichlet counts of the labels of items; by default 1 each.
    confidence_level : float, default 0.95
        Of the (equal-tailed, credible) intervals.
    rng : None, int or numpy.random.Generator
        Source of the draws.

    Returns
    -------
    LatentClasses
        ``judges``, ``items``, ``labels``, ``pairs`` and ``systems``, frames; see there for their columns.

    Raises
    ------
    ScoresError
        If there are fewer than three judges with labels, or one label alone, or more than twelve.
    InvalidOptionError
        If a prior has another shape, or counts that are not above 0.
    EstimationError
        If the sampler does not reach R-hat ≤ 1.01 and 400 effective draws without divergences.

    Notes
    -----
    .. math:: p(y \mid \pi, \theta) = \prod_i \sum_c \pi_c \prod_{j} \theta_{j c y_{ij}}

    with Dirichlet priors on :math:`\pi` and every row of :math:`\theta_j` [1]_ [2]_. Labels that change their names
    would fit as well where judges err much; so every label is given, by all judges together, more where it is right
    than where any other is (a factor that is 1 but for differences of a few hundredths). How often intervals hold is in
    ``benchmarks/reports/latent-classes.md``. Scores of systems are means of labels drawn from their posterior, over
    items drawn anew (the Bayesian bootstrap, by topic where topics are named).

    References
    ----------
    .. [1] Dawid and Skene (1979). Applied Statistics 28(1), 20-28. :doi:`10.2307/2346806`
    .. [2] Paun et al. (2018). Comparing Bayesian models of annotation. TACL 6, 571-585. :doi:`10.1162/tacl_a_00040`

    Examples
    --------
    >>> from metaeval.agreement import as_labels
    >>> said = {"ann": [1, 0, 1, 1, 0, 0, 1, 0], "ben": [1, 0, 1, 1, 0, 0, 0, 0], "gpt": [1, 1, 1, 0, 0, 1, 1, 0]}
    >>> found = latent_classes(as_labels(said), rng=1)
    >>> found.items["item"].tolist()[:3], found.judges["judge"].tolist()[-1]
    ([...], 'gpt')
    """
    check_kind(labels, "labels", "Labels")
    check_share(confidence_level, "confidence_level")
    labels = labels.select([name for name in labels.judges if labels.table[name].notna().any()])
    _check_labels(labels)
    systems = labels.systems if systems is None and labels.ordered else systems
    coded = _answers(labels)
    n_judges, n_labels = len(labels.judges), len(labels.scale)
    shares = _counts(share_prior, "share_prior", np.ones(n_labels))
    confusion = _confusion_counts(confusion_prior, labels)
    source = resolve_rng(rng).generator
    posterior, rhat, effective = _sampled(coded, shares, confusion, labels, int(source.integers(2**31)))
    share = posterior["posterior"]["share"].to_numpy().reshape(-1, n_labels)
    says = posterior["posterior"]["says"].to_numpy().reshape(-1, n_judges, n_labels, n_labels)
    used = np.linspace(0, len(share) - 1, _USED).astype(int)
    chances = _chances(coded, share[used], says[used])
    of_label = pd.DataFrame({"label": _names(labels), "value": labels.scale})
    pairs = _pairs(coded, labels, share, says, confidence_level, source)
    return LatentClasses(
        judges=_judges(coded, labels, share, says, confidence_level),
        items=_items(coded, labels, chances),
        labels=_with_interval(of_label, "share", share, confidence_level, ends=("low", "high")),
        pairs=pairs,
        systems=_systems(coded, labels, systems, chances, confidence_level, source),
        rhat=rhat,
        effective_draws=effective,
        confidence_level=confidence_level,
        posterior=posterior,
        notes=_notes(pairs, labels),
    )


def _check_labels(labels: Labels) -> None:
    used = np.unique(labels.table.to_numpy()[labels.table.notna().to_numpy()])
    constant = [name for name in labels.judges if name not in _who_vary(labels)]
    if len(labels.judges) - len(constant) < _FEWEST_JUDGES and len(used) > 1:
        always = f", of whom {first_few(constant)} always {'say' if len(constant) > 1 else 'says'} the same"
        raise ScoresError(
            f"without a reference it takes {_FEWEST_JUDGES} judges at least to tell who errs, and there are labels of "
            f"{count(len(labels.judges), 'judge')}{always * bool(constant)}; add the labels of another judge"
        )
    if len(used) < 2 or len(labels.scale) > _MOST_LABELS:  # noqa: PLR2004 - one label distinguishes nothing
        raise ScoresError(
            f"errors of judges can be told where 2 to {_MOST_LABELS} labels occur, and {count(len(used), 'label')} of "
            f"{len(labels.scale)} on the scale occur here; give more {unit().labelled}s, or fewer grades"
        )


def _who_vary(labels: Labels) -> list[str]:
    """Return the judges who do not always say the same, which says nothing of items."""
    return [name for name in labels.judges if len({*labels.table[name].dropna()}) > 1]


def _answers(labels: Labels) -> _SaidLabels:
    table = labels.table.to_numpy()
    codes = np.where(np.isnan(table), -1, np.searchsorted(labels.scale, np.nan_to_num(table, nan=labels.scale[0])))
    codes = codes[(codes >= 0).any(axis=1)].astype(np.int64)
    patterns, pattern_of, weights = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    return _SaidLabels(codes, patterns, pattern_of.ravel(), weights.astype(np.float64))


def _counts(given: object, name: str, usual: Floats) -> Floats:
    """Return Dirichlet counts of the usual shape, checked."""
    counts = usual if given is None else np.asarray(given, dtype=np.float64)
    if counts.shape != usual.shape or not (np.isfinite(counts) & (counts > 0)).all():
        shape = " by ".join(map(str, usual.shape))
        raise refused(
            name, f"must be {shape} counts above 0, a row for each right label in the order of the scale", given
        )
    return counts


def _confusion_counts(given: object, labels: Labels) -> Floats:
    """Return the prior of every judge: judges, right label, said label."""
    n_labels = len(labels.scale)
    usual = np.where(np.eye(n_labels, dtype=bool), _TRUST * (n_labels - 1), 1.0)
    if not isinstance(given, Mapping):
        return np.stack([_counts(given, "confusion_prior", usual)] * len(labels.judges))
    unknown = [name for name in given if name not in labels.judges]
    if unknown:
        known = first_few(labels.judges)
        raise InvalidOptionError(f"`confusion_prior` names {unknown[0]!r}, who is no judge; the judges are {known}")
    return np.stack([_counts(given.get(name), "confusion_prior", usual) for name in labels.judges])


def latent_model(indicators: Floats, weights: Floats, shares: Floats, confusion: Floats, labels: Labels) -> Any:  # noqa: ANN401 - of PyMC
    """Return the PyMC model, labels of items summed out."""
    import pymc as pm  # noqa: PLC0415 - loads when needed
    import pytensor.tensor as pt  # noqa: PLC0415 - likewise

    n_judges, n_labels = confusion.shape[:2]
    names = _names(labels)
    with pm.Model(coords={"label": names, "judge": labels.judges, "right": names, "said": names}) as model:
        share = pm.Dirichlet("share", shares, dims="label")
        says = pm.Dirichlet("says", confusion, dims=("judge", "right", "said"))
        by_answer = pt.log(says).dimshuffle(0, 2, 1).reshape((n_judges * n_labels, n_labels))
        joint = pt.as_tensor(indicators) @ by_answer + pt.log(share)
        pm.Potential("labels_said", (weights * pm.math.logsumexp(joint, axis=1, keepdims=False)).sum())
        more = ((says * np.eye(n_labels)).sum(axis=2)[:, None, :] - says).mean(axis=0)  # where right than elsewhere
        pm.Potential("not_mirrored", pm.math.log(pm.math.sigmoid(more / _ABOUT_NOTHING)).sum())
    return model


def _start(coded: _SaidLabels, shares: Floats, confusion: Floats) -> dict[str, Floats]:
    """Return shares and confusions by a few steps of expectation and maximisation from the judges' priors.

    All chains start there: judges who are right more often than wrong. Its mirror image, where labels have changed
    their names, fits nearly as well where a judge always says the same, and a chain does not return from it.
    """
    n_labels = len(shares)
    indicators = coded.indicators(n_labels)
    share, says = shares / shares.sum(), confusion / confusion.sum(axis=-1, keepdims=True)
    for _ in range(_STEPS):
        chances = _chances(coded, share[None], says[None])[0] * coded.weights[:, None]
        share = shares + chances.sum(axis=0)
        says = confusion + (indicators.T @ chances).reshape(-1, n_labels, n_labels).swapaxes(-1, -2)
        share, says = share / share.sum(), says / says.sum(axis=-1, keepdims=True)
    return {"share": share, "says": says}


def _sampled(
    coded: _SaidLabels, shares: Floats, confusion: Floats, labels: Labels, seed: int
) -> tuple[Any, float, float]:
    """Return what was sampled, the largest R-hat and the smallest effective number of draws; refuse bad samples.

    Where these miss their goals, as they may by chance with few items, it is sampled again, longer and by finer steps.
    """
    import arviz as az  # noqa: PLC0415 - slow to import
    import pymc as pm  # noqa: PLC0415 - loads when needed

    fixed = {"chains": _CHAINS, "init": "adapt_diag", "progressbar": False, "quiet": True}
    start = _start(coded, shares, confusion)
    with latent_model(coded.indicators(len(labels.scale)), coded.weights, shares, confusion, labels):
        for draws, accepted in _TRIES:
            asked = {"draws": draws, "tune": draws, "target_accept": accepted}
            posterior = pm.sample(cores=1, **asked, **fixed, initvals=start, random_seed=seed)
            sampled = posterior["posterior"].to_dataset()[["share", "says"]]
            rhat = max(float(values.max()) for values in az.rhat(sampled).data_vars.values())
            effective = min(float(values.min()) for values in az.ess(sampled).data_vars.values())
            diverged = int(posterior["sample_stats"]["diverging"].sum())
            if not diverged and rhat <= _MAX_RHAT and effective >= _MIN_ESS:
                return posterior, rhat, effective
    raise EstimationError(
        f"the labels of {len(confusion)} judges do not say which of them err: R-hat {rhat:.3f} (at most {_MAX_RHAT}), "
        f"{effective:.0f} effective draws (at least {_MIN_ESS}), {diverged} divergent; add judges or "
        f"{unit().labelled}s, or say how well a judge labels (`confusion_prior`)"
    )


def _chances(coded: _SaidLabels, share: Floats, says: Floats) -> Floats:
    """Return the chance of every label of every pattern: draws, patterns, labels."""
    indicators = coded.indicators(share.shape[-1])
    by_answer = np.log(says).swapaxes(-1, -2).reshape(len(says), indicators.shape[1], -1)
    joint = indicators @ by_answer + np.log(share)[:, None, :]
    return np.exp(joint - logsumexp(joint, axis=-1, keepdims=True))


def _with_interval(
    frame: pd.DataFrame, name: str, draws: Floats, level: float, *, ends: tuple[str, str] | None = None
) -> pd.DataFrame:
    """Add the posterior mean of draws by rows and its equal-tailed interval."""
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
    lower, upper = ends or (f"{name}_low", f"{name}_high")
    return frame.assign(**{name: draws.mean(axis=0), lower: low, upper: high})


def _names(labels: Labels) -> list[str]:
    return [labels.called(label) for label in labels.scale]


def _judges(coded: _SaidLabels, labels: Labels, share: Floats, says: Floats, level: float) -> pd.DataFrame:
    right = np.diagonal(says, axis1=2, axis2=3)
    frame = pd.DataFrame({"judge": labels.judges, "n_items": (coded.codes >= 0).sum(axis=0)})
    accuracy = (share[:, None, :] * right).sum(axis=-1)
    frame = _with_interval(frame, "accuracy", accuracy, level)
    for name, extreme in (("p_best", accuracy.argmax(axis=1)), ("p_worst", accuracy.argmin(axis=1))):
        frame[name] = np.bincount(extreme, minlength=len(frame)) / len(accuracy)
    for place, name in enumerate(_names(labels)):
        frame = _with_interval(frame, f"right_{name}", right[:, :, place], level)
    return frame.sort_values("accuracy", ascending=False, kind="stable", ignore_index=True)


def _items(coded: _SaidLabels, labels: Labels, chances: Floats) -> pd.DataFrame:
    mean = chances.mean(axis=0)[coded.pattern_of]
    labelled = labels.table.index[labels.table.notna().any(axis=1)]
    frame = labelled.to_frame(index=False).assign(
        n_labels=(coded.codes >= 0).sum(axis=1),
        label=np.array(_names(labels), dtype=object)[mean.argmax(axis=1)],
        probability=mean.max(axis=1),
    )
    return frame.sort_values("probability", kind="stable", ignore_index=True)


def _pairs(  # noqa: PLR0913, PLR0917 - what was said, and what was sampled
    coded: _SaidLabels, labels: Labels, share: Floats, says: Floats, level: float, generator: np.random.Generator
) -> pd.DataFrame:
    """Compare how often two judges say the same with what independent errors give, drawn from the posterior."""
    there = coded.codes >= 0
    names = list(combinations(range(len(labels.judges)), 2))
    first, second = map(list, zip(*names, strict=True))
    both = there[:, first] & there[:, second]
    n_items = both.sum(axis=0)
    same = ((coded.codes[:, first] == coded.codes[:, second]) & both).sum(axis=0)
    chance = np.einsum("dc,dpcl,dpcl->dp", share, says[:, first], says[:, second])
    drawn = generator.binomial(n_items, np.clip(chance, 0.0, 1.0)) / np.maximum(n_items, 1)
    tail = (1 - level) / 2 / len(names)
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    share_same = np.divide(same, n_items, out=np.full(len(names), np.nan), where=n_items > 0)
    return pd.DataFrame(
        {
            "first": [labels.judges[place] for place in first],
            "second": [labels.judges[place] for place in second],
            "n_items": n_items,
            "same": share_same,
            "kappa": [
                _kappa(*coded.codes[here][:, [a, b]].T) for a, b, here in zip(first, second, both.T, strict=True)
            ],
            "expected": np.where(n_items > 0, chance.mean(axis=0), np.nan),
            "expected_low": np.where(n_items > 0, low, np.nan),
            "expected_high": np.where(n_items > 0, high, np.nan),
            "beyond": share_same > high,
        }
    )


def _kappa(first: Ints, second: Ints) -> float:
    """Return Cohen's kappa; 0 where chance says the same always, NaN without items."""
    if not len(first):
        return np.nan
    shares = [np.bincount(labelled, minlength=max(*first, *second) + 1) / len(labelled) for labelled in (first, second)]
    chance = float(shares[0] @ shares[1])
    return 0.0 if chance == 1.0 else (float((first == second).mean()) - chance) / (1.0 - chance)


def _systems(  # noqa: PLR0913, PLR0917 - what was said, of which system, and what was sampled
    coded: _SaidLabels,
    labels: Labels,
    systems: Mapping[str, str] | None,
    chances: Floats,
    level: float,
    generator: np.random.Generator,
) -> pd.DataFrame:
    """Return the mean label of every system, over labels drawn from their posterior and items drawn anew."""
    columns = ["system", "n_items", "score", "low", "high"]
    if systems is None:
        return pd.DataFrame(columns=columns)
    labels.require_ordered("a score")
    index = labels.table.index[labels.table.notna().any(axis=1)]
    items = index.get_level_values("item")
    lost = [item for item in items if item not in systems]
    if lost:
        raise ScoresError(f"`systems` names no system for {count(len(lost), 'item')}: {first_few(lost)}")
    system_of, names = pd.factorize(np.array([str(systems[item]) for item in items], dtype=object), sort=True)
    unit_of = np.arange(len(items)) if labels.by_item else pd.factorize(index.get_level_values("topic"))[0]
    values = np.array(labels.scale, dtype=np.float64)
    scores = np.empty((len(chances), len(names)))
    for draw, of_pattern in enumerate(chances):
        of_item = of_pattern[coded.pattern_of].cumsum(axis=1)
        drawn = values[(of_item < generator.random(len(items))[:, None] * of_item[:, -1:]).sum(axis=1)]
        weights = generator.standard_exponential(unit_of.max() + 1)[unit_of]
        scores[draw] = np.bincount(system_of, weights * drawn) / np.bincount(system_of, weights)
    frame = pd.DataFrame({"system": names, "n_items": np.bincount(system_of)})
    frame = _with_interval(frame, "score", scores, level, ends=("low", "high"))
    return frame.sort_values("score", ascending=False, kind="stable", ignore_index=True)[columns]


def _notes(pairs: pd.DataFrame, labels: Labels) -> tuple[str, ...]:
    beyond = pairs[pairs["beyond"]]
    notes = list(labels.notes)
    if len(beyond):
        named = [f"{first} and {second}" for first, second in zip(beyond["first"], beyond["second"], strict=True)]
        notes.append(
            f"judges do not err independently: {first_few(named)} agree more often than that allows. They share "
            "errors, or others do, whom the model then takes for the truth; check against labels of people first"
        )
    if len(_who_vary(labels)) == _FEWEST_JUDGES and len(labels.scale) == 2:  # noqa: PLR2004 - yes and no
        notes.append(_SHARED_ERRORS)
    return tuple(notes)
