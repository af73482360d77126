"""What the page says of judges without a reference, from results written by hand."""

import numpy as np
import pandas as pd
import pytest

from metaeval.models import LatentClasses
from metaeval.questions.judges.page_labels import latent_section, latent_words


def result(accuracies, *, p_best, beyond=False, systems=False, same=0.9):
    """Return a result of as many judges as accuracies, each with ± .05."""
    names = [f"j{place}" for place in range(len(accuracies))]
    judges = pd.DataFrame({"judge": names, "n_items": 50, "accuracy": accuracies})
    judges["accuracy_low"], judges["accuracy_high"] = judges["accuracy"] - 0.05, judges["accuracy"] + 0.05
    judges = judges.assign(p_best=p_best, p_worst=p_best[::-1], right_no=0.8, right_yes=0.7)
    return LatentClasses(
        judges=judges,
        items=pd.DataFrame([["1", "d1", 3, "no", 0.51]], columns=["topic", "item", "n_labels", "label", "probability"]),
        labels=pd.DataFrame({"label": ["no", "yes"], "value": [0, 1], "share": 0.5, "low": 0.4, "high": 0.6}),
        pairs=pd.DataFrame(
            {
                "first": ["j0", "j0"],
                "second": ["j1", "j2"],
                "n_items": 50,
                "same": [same, 0.7],
                "kappa": [2 * same - 1, 0.4],
                "expected": 0.6,
                "expected_low": 0.5,
                "expected_high": 0.7,
                "beyond": beyond,
            }
        ),
        systems=pd.DataFrame(
            {"system": ["A"], "n_items": 50, "score": 0.5, "low": 0.4, "high": 0.6} if systems else {}
        ),
        rhat=1.0,
        effective_draws=900.0,
        confidence_level=0.95,
        posterior=None,
    )


@pytest.mark.parametrize(
    ("p_best", "answer"),
    [
        ([1.0, 0.0, 0.0], "j0 errs least: 90.0 % [85.0, 95.0] of its labels are right, then j1, 70.0 % [65.0, 75.0]; "),
        ([0.9, 0.1, 0.0], "Which judge errs least is open between j0 and j1: j0 is right in 90.0 % [85.0, 95.0]; "),
    ],
)
def test_nobody_errs_least_who_may_not(p_best, answer):
    """A judge is said to err least where no other has a chance above 2.5 % to do so."""
    found = result([0.9, 0.7, 0.5], p_best=p_best)
    assert found.answer.startswith("j0 errs least;" if p_best[0] == 1 else "who errs least is open between j0, j1;")
    words, belief = latent_words(found)
    assert words.startswith(answer)
    assert words.endswith(f"j2 is the least accurate{'' if p_best[0] == 1 else ' as observed'}, 50.0 % [45.0, 55.0].")
    assert belief.startswith("This supposes that judges err independently")


def test_judges_who_say_nearly_the_same_are_named_first():
    """How accurate two who agree with themselves are is not claimed; 97 % of yes and no as often is a kappa of .94."""
    found = result([0.9, 0.7, 0.5], p_best=[1.0, 0.0, 0.0], same=0.97)
    words = latent_words(found)[0]
    assert words.startswith("Who errs least is not known: j0 and j1 (97.0 %) say nearly the same and count as one")
    assert "90.0 %" not in words
    assert found.answer.startswith("j0 and j1 (97.0 %) say nearly the same")


def test_shared_errors_are_said_first():
    """What contradicts the model is said with the answer."""
    words = latent_words(result([0.9, 0.7, 0.5], p_best=[1, 0, 0], beyond=True))
    assert words[1].startswith("Do not rely on it")


@pytest.mark.parametrize(("systems", "tables"), [(False, 2), (True, 3)])
def test_tables_of_judges_items_and_systems(systems, tables):
    """Systems have a table where items are of systems; topics have a column where they are named."""
    (section,) = latent_section(result([0.9, 0.7], p_best=[1, 0], systems=systems), by_item=True)
    names = [block.name for block in section.blocks if hasattr(block, "columns")]
    assert len(names) == tables
    assert latent_section(None, by_item=True) == ()


def test_judges_without_a_reference_are_told_how_to_ask_who_errs(command, tmp_path, monkeypatch):
    """In one sentence, where there are three judges and nobody is the reference; with one there is no need."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    labels = pd.DataFrame({name: rng.integers(0, 2, 40) for name in ("ann", "ben", "cy")})
    labels.rename_axis("item").to_csv("labels.csv")
    assert "--latent tells." in command("judges", "labels.csv").out
    assert "--latent" not in command("judges", "labels.csv", "--reference", "ann").out


def test_agreement_that_fits_is_no_reassurance():
    """Errors that all share count as right, whatever the agreement: people are asked for, in one sentence."""
    _, believe = latent_words(result([0.9, 0.8, 0.7], p_best=[0.9, 0.05, 0.05]))
    assert "errors that they share count as right" in believe
    assert "let people label some items" in believe
