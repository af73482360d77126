// Tables are sorted by the heading that is pressed, and long ones have a filter.
const keyOf = (row, column) => {
  const cell = row.cells[column];
  return cell.dataset.sort ?? cell.textContent;
};
const compare = (a, b) => {
  const [x, y] = [parseFloat(a), parseFloat(b)];
  return a !== "" && b !== "" && !isNaN(Number(a)) && !isNaN(Number(b)) ? x - y
    : a.localeCompare(b, undefined, { numeric: true });
};
const sort = (table, column, heading) => {
  const rising = heading.getAttribute("aria-sort") !== "ascending";
  all("th", table).forEach((other) => other.removeAttribute("aria-sort"));
  heading.setAttribute("aria-sort", rising ? "ascending" : "descending");
  const rows = [...table.tBodies[0].rows].map((row) => [keyOf(row, column), row]);
  rows.sort(([a], [b]) => (a === "") - (b === "") || (rising ? compare(a, b) : compare(b, a)));
  table.tBodies[0].append(...rows.map(([, row]) => row));
};
const makeFilter = (table) => {
  const input = make("input", "", { type: "search", autocomplete: "off" });
  const count = make("output");
  input.addEventListener("input", () => {
    const wanted = input.value.toLowerCase();
    const rows = [...table.tBodies[0].rows];
    rows.forEach((row) => { row.hidden = !row.textContent.toLowerCase().includes(wanted); });
    count.textContent = wanted ? `${rows.filter((row) => !row.hidden).length} of ${rows.length}` : "";
  });
  const filter = labelled("Filter rows", input, "filter");
  filter.append(count);
  table.parentElement.before(filter);
};
all("table").forEach((table) => {
  if (table.tBodies[0].rows.length < 2) return;
  all("th", [...table.tHead.rows].at(-1)).forEach((heading, column) => {
    const pressed = make("span", "", { title: "Sort", tabIndex: 0 }); // the words in a button are lost where paper repeats a head
    pressed.setAttribute("role", "button");
    pressed.append(...heading.childNodes);
    pressed.addEventListener("click", () => sort(table, column, heading));
    pressed.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      sort(table, column, heading);
    });
    heading.append(pressed);
  });
  if (table.hasAttribute("data-long")) makeFilter(table);
});
