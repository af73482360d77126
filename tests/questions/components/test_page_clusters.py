"""More clusters or more items in each, on the page of components: DRAGUN's nuggets, and no section without clusters."""

import numpy as np

from metaeval import simulate_scores
from metaeval.io.tables import read_scores
from metaeval.questions.components.study import study_components


def test_topics_against_nuggets_in_each(data_folder):
    """Twice the topics reduce the error more than twice the nuggets; the table has what the sentence says."""
    scores = read_scores(data_folder / "nuggets" / "auto_report_assessments.csv.xz", metrics=["all"])
    study = study_components(scores, n_splits=2, rng=1)
    page = study.report()
    assert page.summary[-1] == (
        "30 topics of 18.4 nuggets on average give a difference the standard error 0.0187; 37 nuggets in each would "
        "make it 0.0160, and twice the topics 0.0132, as estimated."
    )
    now = study.clusters.iloc[0]  # one design, one number: topics that differ in size, and no gaps
    assert now["difference_error"] == study.components.dependability["difference_error"].item()
    assert now["clusters_needed"] == np.ceil(study.needed["items"][0] / now["items_per_cluster"])
    assert [one.title for one in page.tables() if one.name == "halves"] == ["Conclusions on halves of 15 topics"]
    (table,) = (one for one in page.tables() if one.name == "clusters all")
    assert table.frame["size"].tolist() == ["18.4 (now)", "1", "2", "5", "10", "20", "37", "50", "100"]
    assert table.frame.iloc[0][["clusters_needed", "price"]].tolist() == ["21 [11, 37]", "16.4 [6.37, 30.2]"]
    assert table.frame["difference_error"].round(4).tolist()[6] == 0.0160


def test_no_section_without_clusters():
    """And no sentence."""
    page = study_components(simulate_scores(n_systems=4, n_topics=12, rng=1), n_splits=0, rng=1).report()
    assert "clusters" not in [one.id for one in page.sections]
    assert not any("cluster" in one for one in page.summary)
