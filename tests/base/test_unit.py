import pytest

from metaeval.base.unit import ITEM, TOPIC, speaking_of, unit, unit_of
from metaeval.page.blocks import Picture
from metaeval.running.parallel import threaded_map
from metaeval.simulate.scores import simulate_scores

SCORES = simulate_scores(n_systems=3, n_topics=5, rng=1)
OF_ITEMS = SCORES.assign_attrs(topic_word="item")


def test_what_is_said_inside_is_of_items_and_what_follows_of_topics():
    """One report may be made inside another, and one that fails leaves nothing behind."""
    with speaking_of(ITEM):
        with speaking_of(TOPIC):
            assert unit() == TOPIC
        assert unit() == ITEM
    with pytest.raises(ZeroDivisionError), speaking_of(ITEM):
        1 / 0  # noqa: B018 - what fails
    assert unit() == TOPIC


@pytest.mark.parametrize(
    ("scores", "spoken"),
    [
        (SCORES, TOPIC),
        (OF_ITEMS, ITEM),
        (None, TOPIC),
        ({"AP": {"ann": SCORES, "bot": OF_ITEMS}}, ITEM),
        ({"AP": SCORES}, TOPIC),
        ({}, TOPIC),
    ],
)
def test_the_scores_say_what_they_are_of(scores, spoken):
    """Of several tables one of items is enough, as it is where files are read together."""
    assert unit_of(scores) == spoken


def test_threads_speak_as_whoever_asks_them():
    """What is made by several threads is one answer."""
    with speaking_of(ITEM):
        assert set(threaded_map(lambda _: unit().topics, range(8), n_jobs=4)) == {"items"}


def test_a_picture_is_drawn_in_the_words_of_its_report():
    """It is drawn once the report is made, wherever it is shown."""

    def made():
        return Picture(name="one", draw=lambda: unit().a_topic, title="One", caption="", alt="")

    with speaking_of(ITEM):
        picture = made()
    assert (picture.draw(), made().draw()) == ("an item", "a topic")
    with speaking_of(ITEM):
        assert made().draw() == "an item"
        assert unit() == ITEM
