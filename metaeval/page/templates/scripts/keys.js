// A line of a key, pressed, leaves what it stands for alone in its figure; pressed again, all is as before.
charts.forEach((chart) => {
  const names = new Set(chart.groups.map((group) => group.label).filter(Boolean));
  if (names.size < 2) return;
  const keys = all("text", chart.svg).filter((text) => names.has(text.textContent.trim()));
  const draws = (group) => {
    if (group.kind === "line") return [draw("path", { d: lineOf(group), stroke: group.color })];
    return group.x.flatMap((x, place) => [
      draw("circle", { cx: x, cy: group.y[place], r: 3.2, fill: group.color || "currentColor" }),
      ...(group.low ? [draw("path", { d: barOf(group, place), stroke: group.color || "currentColor" })] : []),
    ]);
  };
  keys.forEach((key) => {
    key.classList.add("key");
    key.setAttribute("role", "button");
    key.setAttribute("tabindex", "0");
    key.setAttribute("aria-pressed", "false");
    press(key, () => {
      const pressed = key.getAttribute("aria-pressed") !== "true";
      keys.forEach((other) => other.setAttribute("aria-pressed", String(pressed && other === key)));
      chart.svg.classList.toggle("dimmed", pressed);
      const chosen = pressed ? chart.groups.filter((group) => group.label === key.textContent.trim()) : [];
      chart.apart.replaceChildren(...chosen.flatMap(draws));
    });
  });
  if (keys.length) chart.svg.setAttribute("role", "group"); // what is inside an image cannot be pressed
});
