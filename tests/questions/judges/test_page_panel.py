"""What the page says of panels of judges: how many independent ones they are, and the components of their scores."""

import numpy as np
import pandas as pd

from metaeval.agreement.labels import as_labels
from metaeval.models import variance_components
from metaeval.questions.judges.page_systems import panel_section
from metaeval.questions.judges.study import study_judges
from metaeval.table.scores import as_scores


def test_a_panel_has_the_components_of_its_judges():
    """Without the reference; of one judge there is no panel."""
    draw = np.random.default_rng(0)
    base = 0.4 * draw.normal(size=(10, 1)) + draw.normal(size=(1, 30)) + 0.5 * draw.normal(size=(10, 30))
    values = np.stack([base + 0.3 * draw.normal(size=(10, 1)) + 0.6 * draw.normal(size=(10, 30)) for _ in range(4)])
    scores = as_scores(values, metrics=["human", "a", "b", "c"])
    study = study_judges(scores={"nDCG": scores}, reference="human", n_resamples=20, rng=1)
    (section,) = panel_section(study)
    found = variance_components(scores.sel(metric=["a", "b", "c"]), judges=True)
    words, worth, _, designs, panels = section.blocks
    for sentence in designs.paragraphs:
        assert "under nDCG" in sentence, "the metric is named"
    best = panels.frame.iloc[2]
    n_judges = f"{best['judges']:.0f} judge{'s' * int(best['judges'] > 1)}"
    assert f"{best['items']:.0f} topics with {n_judges} have" in designs.paragraphs[1], "as the table has it"
    table = panels.frame
    assert table["judges"].tolist()[:2] == [1, 3]
    assert table["erho2"].tolist()[:2] == found.plan([30], judges=[1, 3])["erho2"].tolist()
    assert table["items"].iloc[2] * table["judges"].iloc[2] <= 90
    own = study.panel_worth["nDCG"].table.set_index("panel")
    assert worth.frame["effective_sort"].tolist() == own["effective"].tolist()
    assert f"3 judges are worth {own.loc['all', 'effective']:.2f} [" in words.paragraphs[0]
    alone = study_judges(scores={"nDCG": scores.sel(metric=["human", "a"])}, reference="human", n_resamples=20, rng=1)
    assert panel_section(alone) == ()


def test_labels_on_one_scale_stand_beside_those_as_they_are():
    """A judge with half the range errs most as it is, and least when rescaled."""
    draw = np.random.default_rng(1)
    truth = draw.integers(0, 4, 400)
    names = pd.MultiIndex.from_product([map(str, range(20)), map(str, range(20))], names=["topic", "item"])
    others = {name: np.clip(truth + draw.integers(-1, 2, 400), 0, 3) for name in ("a", "b")}
    given = as_labels(pd.DataFrame({"human": truth, "narrow": truth // 2, **others}, index=names))
    study = study_judges(given, reference="human", maps="keep", n_resamples=20, rng=1)
    (section,) = panel_section(study)
    words, worth, members = section.blocks
    assert list(dict.fromkeys(worth.frame["errors"])) == ["labels", "labels, rescaled"]
    assert "Rescaled: every judge" in worth.caption
    assert len(words.paragraphs) == 1
    assert [one.label for one in members.columns][-2:] == ["as they are", "rescaled"]
    fitted = study_judges(given, reference="human", maps={"narrow": "fit"}, n_resamples=20, rng=1)
    table = panel_section(fitted)[0].blocks[2]
    assert [one.label for one in table.columns][-2:] == ["as fitted", "rescaled"]
    frame = members.frame.set_index("judge")
    assert frame.loc["narrow", "error"] > frame["error"]["a"]
    assert frame.loc["narrow", "error_rescaled"] < frame["error_rescaled"]["a"]
