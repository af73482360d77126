// Adds comfort to a page that is complete without it: sorting, a filter on long tables, a copy button, the place in
// the contents, and open folds on paper.
(() => {
  const make = (name, text) => Object.assign(document.createElement(name), { textContent: text });
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
    table.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", rising ? "ascending" : "descending");
    const rows = [...table.tBodies[0].rows].map((row) => [keyOf(row, column), row]);
    rows.sort(([a], [b]) => (a === "") - (b === "") || (rising ? compare(a, b) : compare(b, a)));
    table.tBodies[0].append(...rows.map(([, row]) => row));
  };
  const makeFilter = (table) => {
    const label = make("label", "Filter rows");
    label.className = "filter";
    const input = Object.assign(make("input", ""), { type: "search", autocomplete: "off" });
    const count = make("output", "");
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase();
      const rows = [...table.tBodies[0].rows];
      rows.forEach((row) => { row.hidden = !row.textContent.toLowerCase().includes(wanted); });
      count.textContent = wanted ? `${rows.filter((row) => !row.hidden).length} of ${rows.length}` : "";
    });
    label.append(input, count);
    table.parentElement.before(label);
  };
  document.querySelectorAll("table").forEach((table) => {
    if (table.tBodies[0].rows.length < 2) return;
    [...table.tHead.rows].at(-1).querySelectorAll("th").forEach((heading, column) => {
      const button = Object.assign(make("button", ""), { type: "button", title: "Sort" });
      button.append(...heading.childNodes);
      button.addEventListener("click", () => sort(table, column, heading));
      heading.append(button);
    });
    if (table.hasAttribute("data-long")) makeFilter(table);
  });
  document.querySelectorAll(".quote, .code").forEach((quote) => {
    if (!navigator.clipboard) return;
    const words = [...quote.querySelectorAll("p, pre")].map((paragraph) => paragraph.textContent).join("\n\n");
    const button = Object.assign(make("button", "Copy"), { type: "button" });
    button.addEventListener("click", () => navigator.clipboard.writeText(words)
      .then(() => { button.textContent = "Copied"; }, () => { button.textContent = "Select the text to copy it"; }));
    quote.prepend(button);
  });
  const places = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.hash.slice(1), link]));
  const watcher = new IntersectionObserver((entries) => entries.forEach((entry) => {
    if (!entry.isIntersecting) return;
    places.forEach((link) => link.removeAttribute("aria-current"));
    places.get(entry.target.id)?.setAttribute("aria-current", "true");
  }), { rootMargin: "-10% 0px -80% 0px" });
  document.querySelectorAll("main > section").forEach((section) => watcher.observe(section));
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((fold) => { fold.open = true; }));
})();
