// A button on what is there to be taken along.
all(".quote, .code").forEach((quote) => {
  if (!navigator.clipboard) return;
  const words = all("p, pre", quote).map((paragraph) => paragraph.textContent).join("\n\n");
  quote.prepend(button("Copy", (pressed) => navigator.clipboard.writeText(words)
    .then(() => { pressed.textContent = "Copied"; }, () => { pressed.textContent = "Select the text to copy it"; })));
});
