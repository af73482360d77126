// Tables are sorted by the heading that is pressed; of long ones the first rows stand there, and they have a filter.
const MISSING = "–";
// What a cell is sorted by: what is missing comes last, "<5" stands before 5 and ">99 %" behind 99, words behind numbers.
const keyOf = (row, column) => {
  const cell = row.cells[column];
  const text = (cell.dataset.sort ?? cell.textContent).trim();
  if (text === "" || text === MISSING) return [2, 0, 0, ""];
  const found = /^([<>]?) ?([-−+]?[\d,\u202f]*\.?\d+(?:e[-+]?\d+)?|[-−]?inf)(?: ?%)?$/i.exec(text);
  if (!found) return [1, 0, 0, text];
  const value = Number(found[2].replace("−", "-").replace("inf", "Infinity").replace(/[,\u202f]/g, ""));
  return [0, value, { "<": -1, "": 0, ">": 1 }[found[1]], text];
};
const compare = (a, b) => a[1] - b[1] || a[2] - b[2] || a[3].localeCompare(b[3], undefined, { numeric: true });
const sort = (table, column, heading) => {
  const before = heading.getAttribute("aria-sort");
  const first = !heading.classList.contains("r") || "rising" in heading.dataset; // other numbers: the largest first
  const rising = before ? before === "descending" : first;
  all("th", table).forEach((other) => other.removeAttribute("aria-sort"));
  heading.setAttribute("aria-sort", rising ? "ascending" : "descending");
  const rows = [...table.tBodies[0].rows].map((row) => [keyOf(row, column), row]);
  rows.sort(([a], [b]) => a[0] - b[0] || (rising ? compare(a, b) : compare(b, a)));
  table.tBodies[0].append(...rows.map(([, row]) => row));
};
const makeFilter = (table) => {
  const input = make("input", "", { type: "search", autocomplete: "off" });
  const count = make("output");
  input.addEventListener("input", () => {
    table.classList.toggle("filtered", input.value !== "");
    const wanted = input.value.toLowerCase().split(/\s+/);
    const rows = [...table.tBodies[0].rows];
    rows.forEach((row) => {
      const words = [...row.cells].map((cell) => cell.textContent.toLowerCase()).join("\n");
      row.hidden = !wanted.every((one) => words.includes(one));
    });
    count.textContent = input.value ? `${rows.filter((row) => !row.hidden).length} of ${rows.length}` : "";
  });
  const filter = labelled("Filter rows", input, "filter");
  filter.append(count);
  table.parentElement.before(filter);
};
const cutRows = (table) => {
  const all = `Show all ${table.tBodies[0].rows.length} rows`;
  table.classList.add("cut");
  table.parentElement.after(button(all, (pressed) => {
    pressed.textContent = table.classList.toggle("cut") ? all : "Show the first 10 rows";
  }, { className: "more" }));
};
all("table").forEach((table) => {
  if (table.tBodies[0].rows.length < 2) return;
  [...[...table.tHead.rows].at(-1).cells].forEach((heading, column) => {
    if (heading.tagName !== "TH") return;
    const pressed = make("span", "", { title: "Sort", tabIndex: 0 }); // a button's words are lost where paper repeats a head
    pressed.setAttribute("role", "button");
    pressed.append(...heading.childNodes);
    press(pressed, () => sort(table, column, heading));
    heading.append(pressed);
  });
  if (!table.hasAttribute("data-long")) return;
  makeFilter(table);
  cutRows(table);
});
