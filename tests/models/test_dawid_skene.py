"""Judges without a reference: equal to a Gibbs sampler written out, and to the sum over all labels of the items."""

import itertools

import numpy as np
import pytest

from metaeval.agreement import as_labels
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.models import dawid_skene, latent_classes

ACCURACIES = np.array([0.95, 0.85, 0.75, 0.65, 0.8])


def said_of(truth, accuracies, generator, *, n_labels=2, gaps=0.0):
    """Let judges label items: right with their accuracy, else another label, each as likely; some not at all."""
    labels = []
    for accuracy in accuracies:
        other = (truth + generator.integers(1, n_labels, len(truth))) % n_labels
        of_judge = np.where(generator.random(len(truth)) < accuracy, truth, other).astype(float)
        labels.append(np.where(generator.random(len(truth)) < gaps, np.nan, of_judge))
    return labels


def labels_of(columns):
    """Give judges names."""
    return as_labels({f"j{place}": column.tolist() for place, column in enumerate(columns)})


@pytest.fixture(scope="module")
def three_labels():
    """Five judges, three labels, a tenth of the labels missing."""
    generator = np.random.default_rng(5)
    truth = generator.choice(3, 300, p=[0.5, 0.3, 0.2])
    columns = said_of(truth, ACCURACIES, generator, n_labels=3, gaps=0.1)
    systems = {str(item): "better" if item % 2 else "worse" for item in range(300)}
    labels = labels_of(columns)
    return truth, labels, latent_classes(labels, systems=systems, confidence_level=0.9, rng=1)


def literal_gibbs(labels, n_draws, generator):
    """Draw labels of items, shares and confusions in turn, by their conditional Dirichlet and discrete laws."""
    codes = labels.table.to_numpy()
    n_items, n_judges = codes.shape
    n_labels = len(labels.scale)
    said = (codes[:, :, None] == np.array(labels.scale)).astype(float)
    prior = np.where(np.eye(n_labels, dtype=bool), 2.0 * (n_labels - 1), 1.0)
    share, says = np.full(n_labels, 1 / n_labels), np.stack([prior / prior.sum(axis=1, keepdims=True)] * n_judges)
    drawn = {"accuracy": [], "chances": [], "share": []}
    for draw in range(n_draws):
        chances = np.tile(np.log(share), (n_items, 1))
        for judge in range(n_judges):
            chances += said[:, judge] @ np.log(says[judge]).T
        chances = np.exp(chances - chances.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        truth = (chances.cumsum(axis=1) < generator.random((n_items, 1))).sum(axis=1)
        is_truth = truth[:, None] == np.arange(n_labels)
        share = generator.dirichlet(1.0 + is_truth.sum(axis=0))
        for judge in range(n_judges):
            counts = prior + is_truth.T.astype(float) @ said[:, judge]
            says[judge] = [generator.dirichlet(row) for row in counts]
        if draw >= n_draws // 5:
            right = np.array([np.diag(says[judge]) for judge in range(n_judges)])
            for name, value in (("accuracy", right @ share), ("chances", chances), ("share", share)):
                drawn[name].append(value.copy())
    return {name: np.mean(values, axis=0) for name, values in drawn.items()}


def test_equals_a_gibbs_sampler_written_out(three_labels):
    """Accuracies, shares and the chance of every item's label, within the Monte-Carlo error of both."""
    _, labels, found = three_labels
    literal = literal_gibbs(labels, 3000, np.random.default_rng(2))
    np.testing.assert_allclose(
        found.judges.set_index("judge")["accuracy"].loc[[*labels.judges]], literal["accuracy"], atol=0.006
    )
    np.testing.assert_allclose(found.labels["share"], literal["share"], atol=0.006)
    chance = found.items.sort_values("item", key=lambda names: names.astype(int))["probability"]
    np.testing.assert_allclose(chance, literal["chances"].max(axis=1), atol=0.05)


def test_the_likelihood_is_a_sum_over_the_labels_of_all_items():
    """At one point, by adding up over every way to label four items."""
    generator = np.random.default_rng(3)
    labels = as_labels({"a": [0, 1, 1, 0], "b": [0, 1, np.nan, 0], "c": [1, 1, 0, 0]})
    said = dawid_skene._answers(labels)
    prior = dawid_skene._confusion_counts(None, labels)
    model = dawid_skene.latent_model(said.indicators(2), said.weights, np.ones(2), prior, labels)
    share, says = generator.dirichlet([1, 1]), generator.dirichlet([1, 1], size=(3, 2))
    total = 0.0
    for truth in itertools.product(range(2), repeat=4):
        chance = 1.0
        for item, label in enumerate(truth):
            chance *= share[label]
            for judge, name in enumerate("abc"):
                given = labels.table[name].iloc[item]
                chance *= 1.0 if np.isnan(given) else says[judge, label, int(given)]
        total += chance
    value = model.potentials[0].eval({model["share"]: share, model["says"]: says})
    assert float(value) == pytest.approx(np.log(total), rel=1e-12)


@pytest.mark.parametrize(("accuracy", "expected"), [(0.8, 0.0), (0.2, -60.0)])
def test_the_mirror_image_is_no_answer(accuracy, expected):
    """Judges right in .8 lose nothing; in .2, labels renamed, two differences of -.6 over .02 cost 30 each: by hand."""
    labels = as_labels({"a": [0, 1], "b": [0, 1], "c": [1, 0]})
    said = dawid_skene._answers(labels)
    prior = dawid_skene._confusion_counts(None, labels)
    model = dawid_skene.latent_model(said.indicators(2), said.weights, np.ones(2), prior, labels)
    says = np.tile([[accuracy, 1 - accuracy], [1 - accuracy, accuracy]], (3, 1, 1))
    value = float(model.potentials[1].eval({model["says"]: says}))
    assert value - 2 * np.log(0.5) == pytest.approx(expected, abs=1e-9)  # a label beside itself: a constant


def test_finds_the_accuracies_and_the_doubtful_items(three_labels):
    """The truth that was drawn lies in the intervals of most judges; doubtful items are wrong more often."""
    truth, labels, found = three_labels
    judges = found.judges.set_index("judge").loc[[*labels.judges]]
    inside = (judges["accuracy_low"] < ACCURACIES) & (judges["accuracy_high"] > ACCURACIES)
    assert inside.sum() >= 4
    assert found.judges["judge"].iloc[0] == "j0"
    assert found.judges[["p_best", "p_worst"]].sum().tolist() == pytest.approx([1.0, 1.0])
    assert found.judges["p_best"].iloc[0] > 0.99  # its interval lies above all others
    right = found.items["label"].astype(int).to_numpy() == truth[found.items["item"].astype(int)]
    assert right[:60].mean() < right[-60:].mean()
    assert found.items["probability"].is_monotonic_increasing
    assert not found.pairs["beyond"].any()
    assert found.rhat <= 1.01
    assert found.effective_draws >= 400
    assert "posterior" in found.to_arviz().children


def test_scores_of_systems_hold_the_mean_of_the_truth(three_labels):
    """The mean true label of each half of the items lies in its interval, which is wider than chance of items alone."""
    truth, _, found = three_labels
    for row in found.systems.itertuples():
        of_system = truth[1::2] if row.system == "better" else truth[::2]
        assert row.n_items == 150
        assert row.low < of_system.mean() < row.high
        assert row.high - row.low > 2 * 1.645 * of_system.std() / np.sqrt(150) * 0.95


def test_that_errors_are_shared_is_noted():
    """One of five judges copies another's label on eight items of ten: no independent errors fit all pairs."""
    generator = np.random.default_rng(8)
    truth = generator.integers(0, 2, 400)
    columns = said_of(truth, (0.8, 0.75, 0.7, 0.7, 0.75), generator)
    columns[4] = np.where(generator.random(400) < 0.8, columns[3], columns[4])
    found = latent_classes(labels_of(columns), rng=2)
    assert found.pairs["beyond"].any()
    assert any("judges do not err independently" in note for note in found.notes)


def test_a_constant_judge_and_two_items_are_answered():
    """Who says always the same is right as often as that label occurs; two items leave everything open."""
    generator = np.random.default_rng(9)
    truth = (generator.random(300) < 0.7).astype(int)
    columns = [*said_of(truth, (0.9, 0.9, 0.85), generator), np.ones(300)]
    judges = latent_classes(labels_of(columns), rng=3).judges.set_index("judge")
    assert judges.loc["j3", "accuracy"] == pytest.approx(0.7, abs=0.06)
    assert judges.loc["j3", "right_0"] < 0.1
    few = latent_classes(as_labels({name: [0, 1] for name in "abc"}), rng=3)
    assert (few.judges["accuracy_high"] - few.judges["accuracy_low"]).min() > 0.4


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ({"a": [0, 1, 1], "b": [0, 1, 0]}, "three judges|3 judges"),
        ({"a": [1, 1, 1], "b": [1, 1, 1], "c": [1, 1, 1]}, "1 label"),
        ({"a": list(range(13)), "b": list(range(13)), "c": list(range(13))}, "2 to 12 labels"),
    ],
)
def test_what_tells_nothing_is_refused(labels, words):
    """Two judges, one label, or more labels than errors could be told of."""
    with pytest.raises(ScoresError, match=words):
        latent_classes(as_labels(labels))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"confusion_prior": [[1, 2]]}, "confusion_prior"),
        ({"confusion_prior": {"nobody": np.ones((2, 2))}}, "nobody"),
        ({"confusion_prior": [[1, 0], [1, 1]]}, "above 0"),
        ({"share_prior": [1, 1, 1]}, "share_prior"),
        ({"confidence_level": 1.5}, "confidence_level"),
    ],
)
def test_refuses_priors_of_another_shape(options, words):
    """The message names the argument."""
    labels = as_labels({name: [0, 1, 1, 0] for name in "abc"})
    with pytest.raises(InvalidOptionError, match=words):
        latent_classes(labels, **options)


def test_a_prior_says_what_is_known_of_a_judge(three_labels):
    """Thousand labels in which a judge was right nine times in ten hold its accuracy there."""
    _, labels, _ = three_labels
    known = np.where(np.eye(3, dtype=bool), 900.0, 50.0)
    found = latent_classes(labels, confusion_prior={"j3": known}, rng=4).judges.set_index("judge")
    assert found.loc["j3", "accuracy"] == pytest.approx(0.88, abs=0.03)
