// Search comes when it is asked for: its scripts weigh more than most pages, and most readers never search.
// The builder marks them as "later" in the page; here they are loaded, in their order, at the first click on the
// search button, the first press of its key, or a link to a search.
"use strict";
(() => {
  const waiting = [...document.querySelectorAll('script[type="text/x-later"]')];
  const button = document.getElementById("mdbook-search-toggle");
  if (waiting.length === 0 || !button) return;

  let loading = null;
  const load = () =>
    (loading ??= waiting.reduce(
      (before, { src }) =>
        before.then(
          () =>
            new Promise((done, failed) => {
              const script = document.createElement("script");
              Object.assign(script, { src, onload: done, onerror: failed });
              document.body.append(script);
            }),
        ),
      Promise.resolve(),
    ));

  /** What was asked for is asked again, now that somebody listens. */
  const first = (event, again) => {
    if (loading) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    load().then(again);
  };
  button.addEventListener("click", (event) => first(event, () => button.click()), true);
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea, [contenteditable]");
    if ((event.key !== "s" && event.key !== "/") || typing || event.ctrlKey || event.altKey || event.metaKey) return;
    first(event, () => button.click());
  });
  // mdBook's search reads an address that is none, `?search=%E0`, with an error: it is better off without.
  try {
    decodeURIComponent(location.search);
  } catch {
    history.replaceState(null, "", location.pathname + location.hash);
  }
  if (/[?&](search|highlight)=/.test(location.search)) load();
})();
