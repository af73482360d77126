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
  const rows = all("tbody tr").map((row) => [row, [...row.cells].map((cell) => cell.firstChild?.textContent.trim() ?? "")]);
  input.addEventListener("input", () => {
    const given = input.value.trim().toLowerCase();
    const whole = known.some((name) => name.toLowerCase() === given);
    const wanted = (name) => given !== "" && (whole ? name.toLowerCase() === given : name.toLowerCase().includes(given));
    const figures = charts.filter((chart) => showFound(chart, wanted)).length;
    const meant = new Set(known.filter(wanted));
    const tables = new Set();
    rows.forEach(([row, cells]) => {
      const named = cells.some((cell) => meant.has(cell));
      row.classList.toggle("named", named);
      if (named) tables.add(row.closest("table"));
    });
    const counted = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
    count.textContent = !given ? "" : figures + tables.size
      ? `in ${counted(figures, "figure")} and ${counted(tables.size, "table")}` : "not found";
  });
  const field = labelled("Find", input);
  field.append(list, count);
  offer(field);
}
