// One switch for what all choices of a kind show, in the place of a fold for every metric under every figure.
const namesOf = (choices) => [...new Set(choices.flatMap((choice) => all(":scope > .one", choice).map((one) => one.dataset.name)))];
const show = (choice, name) => {
  const parts = all(":scope > .one", choice);
  const chosen = parts.find((one) => one.dataset.name === name) ?? parts[0];
  parts.forEach((one) => {
    one.hidden = one !== chosen;
    if (one.tagName === "DETAILS") one.open = one === chosen;
  });
};
new Set(all(".choice").map((choice) => choice.dataset.what)).forEach((what) => {
  const choices = all(".choice").filter((choice) => choice.dataset.what === what);
  const names = namesOf(choices);
  const select = make("select");
  select.append(...names.map((name) => make("option", name, { value: name })));
  const asked = new URL(location.href).searchParams.get(what);
  if (names.includes(asked)) select.value = asked;
  select.addEventListener("change", () => {
    const address = new URL(location.href); // holds the choice, for a reload or another reader
    address.searchParams.set(what, select.value);
    history.replaceState(null, "", address);
    const anchor = choices.find((choice) => choice.getBoundingClientRect().bottom > 0);
    const before = anchor?.getBoundingClientRect().top;
    choices.forEach((choice) => show(choice, select.value));
    if (anchor) scrollBy({ top: anchor.getBoundingClientRect().top - before, behavior: "instant" });
  });
  choices.forEach((choice) => show(choice, select.value));
  if (names.length > 1) offer(labelled(what[0].toUpperCase() + what.slice(1), select));
});
