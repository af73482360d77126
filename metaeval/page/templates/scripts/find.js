// A system, or whatever else has a name, found in all figures and tables at once.
const namesIn = (chart) => chart.groups.flatMap((group) => (group.names && [...group.names, ...new Set(group.groups ?? [])])
  ?? (group.of ?? []).flatMap((column) => {
    const words = group.words[column];
    return typeof words === "string" ? [words] : Array.isArray(words[0]) ? words[0] : words;
  }));
const showFound = (chart, wanted) => {
  const marks = chart.groups.flatMap((group) => {
    if (group.kind === "pair") {
      const [w, h] = group.size;
      const side = group.names.length;
      return group.names.flatMap((name, at) => !wanted(name) && !wanted(group.groups?.[at] ?? "") ? [] : [
        draw("rect", { x: group.x[0] - w / 2, y: group.y[0] + (at - 0.5) * h, width: side * w, height: h }),
        draw("rect", { x: group.x[0] + (at - 0.5) * w, y: group.y[0] - h / 2, width: w, height: side * h }),
      ]);
    }
    const places = [...group.x.keys()].filter((place) => lone.of(group, place).some(wanted));
    if (group.kind === "line") return places.length ? [draw("path", { d: lineOf(group) })] : [];
    const boxes = places.flatMap((place) => lone.boxes(group, place));
    return boxes.map(([x, y, width, height]) => width ? draw("rect", { x, y, width, height })
      : draw("circle", places.length > 20 ? { cx: x, cy: y, r: 1.8, class: "dot" } : { cx: x, cy: y, r: 5 }));
  });
  chart.found.replaceChildren(...marks);
  all("text", chart.svg).forEach((text) => text.classList.toggle("named", wanted(text.textContent.trim())));
  return marks.length > 0;
};
const known = [...new Set(charts.flatMap(namesIn))];
if (known.length > 1) {
  const input = make("input", "", { type: "search", autocomplete: "off", placeholder: "a system, a metric" });
  const list = make("datalist", "", { id: "names" });
  list.append(...known.slice(0, 1000).map((name) => make("option", "", { value: name })));
  input.setAttribute("list", list.id);
  const count = make("output");
  const rows = all("tbody tr").map((row) => [row, [...row.cells].filter((cell) => !cell.classList.contains("r"))
    .map((cell) => cell.firstChild?.textContent.trim() ?? "")]);
  let [found, at] = [[], -1];
  // What can be come to: not the figures of a metric that is not chosen, nor rows that a filter leaves out.
  const hits = () => found.filter((one) => !one.closest("[hidden]") && (one.matches("tr") || getComputedStyle(one).display !== "none"));
  const tell = (reached) => {
    const many = reached.length;
    count.textContent = !input.value.trim() ? "" : !many ? "No match"
      : at >= 0 ? `${at + 1} of ${many}` : `${many} match${many === 1 ? "" : "es"}`;
    next.disabled = !many;
  };
  const go = (step) => {
    found.forEach((one) => one.classList.remove("at"));
    const reached = hits();
    at = reached.length ? (Math.max(at, step < 0 ? 0 : -1) + step + reached.length) % reached.length : -1;
    tell(reached);
    if (at < 0) return;
    reveal(reached[at]);
    reached[at].classList.add("at");
    reached[at].scrollIntoView({ block: "center", behavior: "instant" });
  };
  const next = button("Next", () => go(1), { disabled: true });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    go(event.shiftKey ? -1 : 1);
  });
  input.addEventListener("input", () => {
    const given = input.value.trim().toLowerCase();
    const whole = known.some((name) => name.toLowerCase() === given);
    const wanted = (name) => given !== "" && (whole ? name.toLowerCase() === given : name.toLowerCase().includes(given));
    const figures = charts.filter((chart) => showFound(chart, wanted)).map((chart) => chart.canvas);
    const named = rows.filter(([row, cells]) => row.classList.toggle("named", cells.some(wanted))).map(([row]) => row);
    found.forEach((one) => one.classList.remove("at"));
    found = [...figures, ...named].sort((a, b) => a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);
    at = -1;
    tell(hits());
  });
  const field = labelled("Find", input);
  field.append(list, next, count);
  offer(field);
}
