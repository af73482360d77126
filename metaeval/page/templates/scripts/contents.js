// The place in the contents.
const places = new Map(all(".contents a").map((link) => [link.hash.slice(1), link]));
const watcher = new IntersectionObserver((entries) => entries.forEach((entry) => {
  if (!entry.isIntersecting) return;
  places.forEach((link) => link.removeAttribute("aria-current"));
  places.get(entry.target.id)?.setAttribute("aria-current", "true");
}), { rootMargin: "-10% 0px -80% 0px" });
all("main > section").forEach((section) => watcher.observe(section));
