// The place in the contents, which are a fold where the window is narrow; a link opens the section it leads to.
const fold = document.querySelector(".contents details");
const narrowWindow = matchMedia("(max-width: 960px)");
const fitContents = () => { fold.open = !narrowWindow.matches; };
narrowWindow.addEventListener("change", fitContents);
fitContents();
const openLinked = () => {
  const linked = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!linked) return;
  all(":scope > details", linked).forEach((one) => { one.open = true; });
  reveal(linked);
  linked.scrollIntoView({ behavior: "instant" });
};
addEventListener("hashchange", openLinked);
all("a[href^='#']").forEach((link) => link.addEventListener("click", () => setTimeout(openLinked))); // also a second time
if (location.hash) history.scrollRestoration = "manual"; // else a reload may scroll back behind it
openLinked();
const places = new Map(all(".contents a").map((link) => [link.hash.slice(1), link]));
const watcher = new IntersectionObserver((entries) => entries.forEach((entry) => {
  if (!entry.isIntersecting) return;
  places.forEach((link) => link.removeAttribute("aria-current"));
  places.get(entry.target.id)?.setAttribute("aria-current", "true");
}), { rootMargin: "-10% 0px -80% 0px" });
all("main > section").forEach((section) => watcher.observe(section));
