"""What is looked for is found in every figure and table at once; a line of a key is singled out."""

FOUND = ".tools output"


def test_a_system_is_found_everywhere(power_page, opened):
    """Its rings, its strip in the map, its name in the figures and its rows; nothing of it stays behind."""
    page = opened(power_page, unfolded=True)
    field = page.get_by_label("Find")
    field.fill("team2-run2")
    assert int(page.locator(FOUND).inner_text().removesuffix(" matches")) > 4
    assert page.locator("#systems .wide:visible .found circle").count() == 1
    assert page.locator("#scores .wide:visible .found circle.dot").count() == 30
    assert page.locator("#map .wide:visible .found rect").count() == 2
    assert page.locator("#systems .wide:visible text.named").all_text_contents() == ["team2-run2"]
    assert {"team2-run2" in row for row in page.locator("tr.named").all_text_contents()} == {True}
    field.fill("")
    assert page.locator(".found > *, .named").count() == 0


def test_part_of_a_name_finds_all_that_hold_it(power_page, opened):
    """A team's name finds its runs; a whole name finds no longer one, and nonsense nothing."""
    page = opened(power_page, unfolded=True)
    page.get_by_label("Find").fill("TEAM3")
    assert page.locator("#systems .wide:visible text.named").count() == 3
    page.get_by_label("Find").fill("AP")
    assert page.locator("#systems .found > *").count() == 0
    assert page.locator("#power .wide .found > *").count() == 3  # one a correction
    page.get_by_label("Find").fill("no such")
    assert page.locator(FOUND).inner_text() == "No match"
    assert page.get_by_role("button", name="Next").is_disabled()


def test_enter_goes_from_match_to_match(power_page, opened):
    """Each is brought into sight, out of closed sections and rows that were left out too; after the last the first."""
    page = opened(power_page)
    field = page.get_by_label("Find")
    field.fill("team2-run2")
    matches = int(page.locator(FOUND).inner_text().split()[0])
    assert page.locator("tr.named:visible").count() < matches
    for place in range(1, matches + 1):
        field.press("Enter")
        assert page.locator(FOUND).inner_text() == f"{place} of {matches}"
        box = page.locator(".at").bounding_box()
        assert box["y"] + box["height"] > 50
        assert box["y"] < 900
    page.get_by_role("button", name="Next").click()
    assert page.locator(FOUND).inner_text() == f"1 of {matches}"
    field.press("Shift+Enter")
    assert page.locator(FOUND).inner_text() == f"{matches} of {matches}"
    field.fill("team2-run")
    assert page.locator(".at").count() == 0


def test_a_group_is_found_in_the_map(power_page, opened):
    """Rows and columns of all its systems; a pair names the groups of both."""
    page = opened(power_page, unfolded=True)
    page.get_by_label("Find").fill("group of team2")
    assert page.locator("#map .wide:visible .found rect").count() == 6
    page.locator("#map .canvas:visible").focus()
    page.keyboard.press("End")
    first, second = page.locator(".tip").inner_text().split(":")[0].split(" minus ")
    assert first.endswith(f"(group of {first.split('-')[0]})")
    assert second.endswith(f"(group of {second.split('-')[0]})")


def test_names_are_suggested(power_page, opened):
    """Systems and metrics, each once."""
    page = opened(power_page)
    names = page.locator("#names option").evaluate_all("all => all.map(one => one.value)")
    assert {"team1-run1", "AP", "nDCG@10"} <= set(names)
    assert len(names) == len(set(names))


def test_a_line_of_a_key_is_singled_out_and_let_go(power_page, opened):
    """By mouse and keyboard; another one takes its place, and a second press ends it."""
    page = opened(power_page)
    chart = page.locator("#power .wide .chart")
    first, second, _ = chart.get_by_role("button").all()
    first.click()
    assert (first.get_attribute("aria-pressed"), chart.get_attribute("class")) == ("true", "chart dimmed")
    assert chart.locator(".apart circle").count() == 3
    second.focus()
    page.keyboard.press("Enter")
    assert [key.get_attribute("aria-pressed") for key in (first, second)] == ["false", "true"]
    page.keyboard.press("Enter")
    assert chart.get_attribute("class") == "chart"
    assert chart.locator(".apart > *").count() == 0
