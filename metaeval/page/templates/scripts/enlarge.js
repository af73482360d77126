// On a narrow window a figure has a narrow form: a button shows the wide one at its full size, to be scrolled.
all("figure:has(> .narrow)").forEach((figure) => {
  const larger = button("Enlarge", (pressed) => {
    const large = figure.classList.toggle("large");
    pressed.setAttribute("aria-pressed", String(large));
    pressed.textContent = large ? "Fit the width" : "Enlarge";
  }, { className: "enlarge" });
  larger.setAttribute("aria-pressed", "false");
  figure.querySelector(".narrow").after(larger);
});
