// A slider over a table: what it shows at other numbers, of topics for example.
all("figure[data-steps]").forEach((figure) => {
  const { what, numbers, at, cells } = JSON.parse(figure.dataset.steps);
  const rows = [...figure.querySelector("tbody").rows]; // in their first order, however they are sorted later
  const title = figure.querySelector("figcaption b"); // "With 50 topics"
  const range = make("input", "", { type: "range", min: 0, max: numbers.length - 1, step: 1, value: at });
  const told = make("output");
  const show = () => {
    const step = Number(range.value);
    const number = numbers[step].toLocaleString("en");
    told.textContent = `${number} ${what.toLowerCase()}`;
    title.textContent = title.textContent.replace(/[\d,]+/, number);
    range.setAttribute("aria-valuetext", told.textContent);
    rows.forEach((row, place) => [...row.cells].forEach((cell, column) => {
      const [text, sort, under] = cells[step][place][column];
      if (cell.firstChild?.textContent === text && (cell.querySelector("small")?.textContent ?? "") === under) return;
      cell.replaceChildren(text, ...(under ? [make("small", under)] : []));
      cell.dataset.sort = sort;
    }));
  };
  range.addEventListener("input", show);
  const field = labelled(`How many ${what.toLowerCase()}?`, range, "steps");
  field.append(told);
  figure.querySelector(".scroll").before(field);
  show();
});
