"""What figures say of their marks: to the pointer, the finger and the arrow keys."""

import json

import pytest


def marks_of(canvas):
    """Return the groups of marks of a figure; the narrow form takes what it says from the wide one."""
    forms = canvas.locator("xpath=..").locator("> .canvas").evaluate_all("all => all.map(one => one.dataset.marks)")
    wide, narrow = map(json.loads, forms)
    is_narrow = "narrow" in canvas.get_attribute("class")
    return [{**one, **other} for one, other in zip(wide, narrow, strict=True)] if is_narrow else wide


def seen(page, selector):
    """Bring the first figure that a selector finds into the middle of the window."""
    canvas = page.locator(f"{selector} .canvas[data-marks]:visible").first
    canvas.evaluate("one => one.scrollIntoView({ block: 'center', behavior: 'instant' })")
    return canvas


def place_of(canvas, x, y):
    """Return where a place of a figure is on the screen."""
    box = canvas.locator("svg").bounding_box()
    scale = box["width"] / canvas.locator("svg").evaluate("svg => svg.viewBox.baseVal.width")
    return box["x"] + x * scale, box["y"] + y * scale


@pytest.mark.parametrize("width", [1280, 390])
def test_every_point_says_what_it_is(power_page, opened, width):
    """Hovering over a system's mean tells its rank, name, mean and interval; leaving it takes the words away."""
    page = opened(power_page, width=width, unfolded=True)
    canvas = seen(page, "#systems")
    (group,) = marks_of(canvas)
    tip = page.locator(".tip")
    for place in (0, 5, 11):
        page.mouse.move(*place_of(canvas, group["x"][place], group["y"][place]))
        name = group["words"][1][place]
        assert tip.inner_text().startswith(f"{place + 1}. {name}: AP 0.")
        assert "interval" in tip.inner_text()
        box = tip.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    page.mouse.move(2, 2)
    assert not tip.is_visible()


def test_a_pair_says_the_same_on_both_sides_of_the_diagonal(power_page, opened):
    """Both names, the difference, its interval and p; the diagonal has nothing to say."""
    page = opened(power_page, unfolded=True)
    canvas = seen(page, "#map")
    (group,) = marks_of(canvas)
    (x, y), (width, height) = (group["x"][0], group["y"][0]), group["size"]
    said = []
    for column, row in ((3, 1), (1, 3)):
        page.mouse.move(*place_of(canvas, x + column * width, y + row * height))
        said.append(page.locator(".tip").inner_text())
    assert said[0] == said[1]
    assert said[0].startswith(f"{group['names'][1]} (group of team4) minus {group['names'][3]} (")
    assert all(sign in said[0] for sign in ("[", ", p ", "significant"))
    page.mouse.move(*place_of(canvas, x + 2 * width, y + 2 * height))
    assert not page.locator(".tip").is_visible()


def test_the_arrow_keys_go_through_the_marks(power_page, opened):
    """One stop of the tabulator a figure; Home and End lead to its ends, Escape puts the words away."""
    page = opened(power_page, unfolded=True)
    canvas = seen(page, "#systems")
    canvas.focus()
    said = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowRight", "Home"):
        page.keyboard.press(key)
        said.append(int(page.locator(".tip").inner_text().split(".")[0]))
    assert said == [1, 2, 1, 12, 12, 1]
    assert page.locator(".aloud").inner_text() == page.locator(".tip").inner_text()
    page.keyboard.press("Escape")
    assert not page.locator(".tip").is_visible()


def test_a_finger_leaves_the_words_until_it_touches_elsewhere(power_page, opened):
    """A tap has no hovering."""
    page = opened(power_page, width=390, has_touch=True, unfolded=True)
    canvas = seen(page, "#systems")
    (group,) = marks_of(canvas)
    page.touchscreen.tap(*place_of(canvas, group["x"][0], group["y"][0]))
    assert page.locator(".tip").inner_text().startswith("1. ")
    page.touchscreen.tap(5, 5)
    assert not page.locator(".tip").is_visible()


def test_every_figure_of_the_example_has_marks(example_page, opened):
    """Whatever the bundled example's report draws can be pointed at, the marks lie inside, and each says something."""
    page = opened(example_page)
    canvases = page.locator(".canvas")
    assert page.locator(".canvas[data-marks]").count() == canvases.count() > 40
    for canvas in canvases.all():
        width, height = canvas.locator("svg").evaluate("one => [one.viewBox.baseVal.width, one.viewBox.baseVal.height]")
        for group in marks_of(canvas):
            assert all(0 <= x <= width for x in group["x"])
            assert all(0 <= y <= height for y in group["y"])
            assert group["say"]


def test_both_forms_of_a_figure_can_be_pointed_at(power_page, opened):
    """The narrow form and, enlarged, the wide one say the same of the same mark."""
    page = opened(power_page, width=390, unfolded=True)
    said = []
    for form in ("narrow", "wide"):
        canvas = page.locator(f"#systems .{form}:visible").first
        canvas.evaluate("one => one.scrollIntoView({ block: 'center', behavior: 'instant' })")
        (group,) = marks_of(canvas)
        if form == "wide":
            canvas.evaluate("(one, x) => { one.scrollLeft = x * 4 / 3 - 100; }", group["x"][3])
        page.mouse.move(*place_of(canvas, group["x"][3], group["y"][3]))
        said.append(page.locator(".tip").inner_text())
        page.locator("#systems .enlarge").first.click()
    assert said[0] == said[1]
    assert said[0].startswith("4. ")
