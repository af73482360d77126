// On a narrow window a figure fits the width, and its words are small: a button shows it at its full size, to be scrolled.
all(".canvas").forEach((canvas) => {
  const larger = button("Enlarge", (pressed) => {
    const large = canvas.classList.toggle("large");
    pressed.setAttribute("aria-pressed", String(large));
    pressed.textContent = large ? "Fit the width" : "Enlarge";
  }, { className: "enlarge" });
  larger.setAttribute("aria-pressed", "false");
  canvas.after(larger);
});
