// Comfort for a page that is complete without it. Each file here adds one thing; this one holds what they share.
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const make = (name, text = "", more = {}) => Object.assign(document.createElement(name), { textContent: text }, more);
const button = (text, act, more = {}) => {
  const made = make("button", text, { type: "button", ...more });
  made.addEventListener("click", () => act(made));
  return made;
};
// What is pressed like a button, by pointer and keyboard, and is none.
const press = (element, act) => {
  element.addEventListener("click", act);
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    act(event);
  });
};
let fields = 0;
const labelled = (words, field, className = "field") => {
  fields += 1;
  field.id = `field-${fields}`;
  const pair = make("div", "", { className });
  pair.append(make("label", words, { htmlFor: field.id }), field);
  return pair;
};
// The bar above the sections that stays in sight; what is put into it is shown from then on.
const tools = make("div", "", { className: "tools", hidden: true });
tools.setAttribute("role", "group");
tools.setAttribute("aria-label", "What the page shows");
document.querySelector("main").prepend(tools);
const offer = (element) => {
  tools.append(element);
  tools.hidden = false;
};
document.documentElement.classList.add("scripted");
// What is to be seen is opened: the folds around it, and the rows that a long table leaves out.
const reveal = (element) => {
  for (let one = element; one; one = one.parentElement) if (one.tagName === "DETAILS") one.open = true;
  if (element.matches("tr")) element.closest("table").classList.remove("cut");
};
