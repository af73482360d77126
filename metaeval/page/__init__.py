"""A page as data, and the forms it is shown in: folder, HTML, JSON, LaTeX, Markdown, terminal, notebook."""
