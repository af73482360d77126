// What a mark of a figure is, beside the pointer, the finger or the place that the arrow keys have reached.
const SVG = "http://www.w3.org/2000/svg";
const REACH = 14; // as near must a pointer come, in pixels of the screen
const SAID = ["kind", "say", "words", "of", "label", "color", "names", "groups", "pairs"];
const draw = (name, attributes) => {
  const made = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
  return made;
};
const word = (column, place) => typeof column === "string" ? column
  : Array.isArray(column[0]) ? column[0][column[1][place]] : column[place];
const said = (group, place) => group.say.replace(/\{(\d+)\}/g, (_, column) => word(group.words[column], place));
// Each kind of mark: how many there are, where one is, what it is of, what is said, and how far a point is from it.
const lone = {
  count: (group) => group.x.length,
  of: (group, place) => (group.of ?? []).map((column) => word(group.words[column], place)),
  say: said,
  boxes: (group, place) => {
    const [w, h] = group.size ?? [0, 0];
    return [[group.x[place] - w / 2, group.y[place] - h / 2, w, h]];
  },
  far: (group, place, x, y) => {
    const [dx, dy] = [x - group.x[place], y - group.y[place]];
    const [w, h] = group.size ?? [0, 0];
    if (w) return Math.abs(dx) <= w / 2 && Math.abs(dy) <= h / 2 ? 0 : Infinity;
    if (!group.low) return Math.hypot(dx, dy);
    const along = group.upright ? y : x;
    const over = Math.max(group.low[place] - along, along - group.high[place], 0); // 0 on the bar
    return Math.min(Math.hypot(dx, dy), 0.5 + Math.hypot(over, group.upright ? dx : dy));
  },
};
const paired = {
  count: (group) => group.pairs ? group.pairs[0].length : group.names.length * (group.names.length - 1) / 2,
  ends: (group, place) => {
    if (group.pairs) return [group.pairs[0][place], group.pairs[1][place]];
    let [first, left] = [0, place];
    for (let row = group.names.length - 1; left >= row; row -= 1) { left -= row; first += 1; }
    return [first, first + 1 + left];
  },
  of: (group, place) => paired.ends(group, place).map((end) => group.names[end]),
  named: (group, end) => group.groups?.[end] ? `${group.names[end]} (${group.groups[end]})` : group.names[end],
  say: (group, place) => {
    const both = paired.ends(group, place).map((end) => paired.named(group, end));
    return `${both.join(" minus ")}: ${said(group, place)}`;
  },
  boxes: (group, place) => {
    const [first, second] = paired.ends(group, place);
    const [w, h] = group.size;
    return [[second, first], [first, second]].map(([column, row]) =>
      [group.x[0] + (column - 0.5) * w, group.y[0] + (row - 0.5) * h, w, h]);
  },
  at: (group, x, y) => {
    const column = Math.round((x - group.x[0]) / group.size[0]);
    const row = Math.round((y - group.y[0]) / group.size[1]);
    const [first, second] = [Math.min(column, row), Math.max(column, row)];
    const n = group.names.length;
    if (first < 0 || second >= n || first === second) return -1;
    if (group.pairs) return group.pairs[0].findIndex((one, place) => one === first && group.pairs[1][place] === second);
    return first * n - first * (first + 1) / 2 + second - first - 1;
  },
};
const lineOf = ({ x, y, from = [], to = [] }) => { // from and to: where it comes into its axes and leaves them
  const inside = x.map((one, place) => `${one} ${y[place]}`);
  return `M${[from.join(" "), ...inside, to.join(" ")].filter(Boolean).join("L")}`;
};
const barOf = ({ x, y, low, high, upright }, place) => upright ? `M${x[place]} ${low[place]}V${high[place]}`
  : `M${low[place]} ${y[place]}H${high[place]}`;
const kindOf = (group) => group.kind === "pair" ? paired : lone;

const tip = make("div", "", { className: "tip", hidden: true });
tip.setAttribute("aria-hidden", "true");
const aloud = make("div", "", { className: "aloud" });
aloud.setAttribute("aria-live", "polite");
document.body.append(tip, aloud);

class Chart {
  constructor(canvas) {
    this.canvas = canvas;
    this.svg = canvas.querySelector("svg");
    this.groups = JSON.parse(canvas.dataset.marks);
    if (canvas.classList.contains("narrow")) { // what is said of a mark stands in the wide form, where both say the same
      const wide = JSON.parse(canvas.parentElement.querySelector(":scope > .wide").dataset.marks);
      if (wide.length === this.groups.length) this.groups = this.groups.map(
        (group, at) => ({ ...Object.fromEntries(Object.entries(wide[at]).filter(([name]) => SAID.includes(name))), ...group }));
    }
    [this.found, this.apart, this.ring] = ["found", "apart", "ring"].map((name) => draw("g", { class: `over ${name}` }));
    this.svg.append(this.found, this.apart, this.ring);
    this.current = null;
    canvas.setAttribute("aria-description", "The arrow keys go from mark to mark.");
    canvas.addEventListener("pointermove", (event) => this.point(event));
    canvas.addEventListener("pointerdown", (event) => this.point(event));
    canvas.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") this.leave(); });
    canvas.addEventListener("blur", () => this.leave());
    canvas.addEventListener("keydown", (event) => this.key(event));
  }
  get order() { // of all marks, for the keys: made when they are first used
    this.marks ??= this.groups.flatMap((group) => Array.from({ length: kindOf(group).count(group) }, (_, place) => [group, place]));
    return this.marks;
  }
  scale() { return this.svg.getBoundingClientRect().width / this.svg.viewBox.baseVal.width; }
  place(event) {
    const box = this.svg.getBoundingClientRect();
    return [(event.clientX - box.left) / this.scale(), (event.clientY - box.top) / this.scale()];
  }
  nearest(x, y) {
    let [best, found] = [REACH / this.scale(), null];
    this.groups.forEach((group) => {
      if (group.kind === "pair") {
        const place = paired.at(group, x, y);
        if (place >= 0) found = [group, place];
        return;
      }
      for (let place = 0; place < group.x.length; place += 1) {
        const far = lone.far(group, place, x, y);
        if (far < best) [best, found] = [far, [group, place]];
      }
    });
    return found;
  }
  point(event) {
    const [x, y] = this.place(event);
    const found = this.nearest(x, y);
    if (found) this.show(...found, event.clientX, event.clientY);
    else this.leave();
  }
  show(group, place, left, top) {
    const kind = kindOf(group);
    tip.textContent = kind.say(group, place);
    tip.hidden = false;
    this.ring.replaceChildren(...kind.boxes(group, place).map(([x, y, width, height]) => width
      ? draw("rect", { x, y, width, height }) : draw("circle", { cx: x, cy: y, r: 5 })));
    if (group.low) this.ring.append(draw("path", { d: barOf(group, place) }));
    if (group.kind === "line") this.ring.append(draw("path", { d: lineOf(group) }));
    const own = tip.getBoundingClientRect();
    const wide = document.documentElement.clientWidth;
    tip.style.left = `${Math.max(4, Math.min(left + 14, wide - own.width - 4)) + scrollX}px`;
    tip.style.top = `${(top > own.height + 18 ? top - own.height - 12 : top + 18) + scrollY}px`;
    this.current = [group, place];
  }
  leave() {
    tip.hidden = true;
    this.ring.replaceChildren();
  }
  key(event) {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };
    if (!(event.key in steps) || event.target !== this.canvas) return;
    event.preventDefault();
    const at = this.order.findIndex(([group, place]) => group === this.current?.[0] && place === this.current[1]);
    const next = Math.max(0, Math.min(this.order.length - 1, at + steps[event.key]));
    const [group, place] = this.order[next];
    const [[x, y, width, height]] = kindOf(group).boxes(group, place);
    const box = this.svg.getBoundingClientRect();
    this.show(group, place, box.left + (x + width / 2) * this.scale(), box.top + (y + height / 2) * this.scale());
    aloud.textContent = tip.textContent;
  }
}
const charts = all(".canvas[data-marks]").map((canvas) => new Chart(canvas));
addEventListener("keydown", (event) => { if (event.key === "Escape") charts.forEach((chart) => chart.leave()); });
addEventListener("pointerdown", (event) => charts.forEach((chart) => chart.canvas.contains(event.target) || chart.leave()));
