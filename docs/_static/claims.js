// Show the claims that the filters ask for; the address keeps the filters, so that a view can be sent to somebody.
(() => {
  const form = document.getElementById("claim-filters");
  const cards = [...document.querySelectorAll("article.claim")];
  const count = document.getElementById("claim-count");

  function show() {
    const wanted = Object.fromEntries(new FormData(form));
    const words = wanted.words.toLowerCase();
    let shown = 0;
    for (const card of cards) {
      const fits = ["paper", "verdict", "kind"].every((key) => !wanted[key] || card.dataset[key] === wanted[key]);
      card.hidden = !(fits && (!words || card.textContent.toLowerCase().includes(words)));
      shown += !card.hidden;
    }
    count.textContent = `${shown} of ${cards.length} shown`;
  }

  function keep() {
    const asked = new URLSearchParams([...new FormData(form)].filter(([key, value]) => value || key === "kind"));
    const named = cards.find((card) => `#${card.id}` === location.hash);
    history.replaceState(null, "", `?${asked}${named && named.hidden ? "" : location.hash}`);
  }

  // Go to the claim that the address names, whatever the filters hide.
  function follow() {
    const target = cards.find((card) => `#${card.id}` === location.hash);
    if (!target) return;
    if (target.hidden) {
      for (const key of ["paper", "verdict", "kind", "words"]) form.elements[key].value = "";
      show();
      keep();
    }
    target.scrollIntoView();
  }

  form.addEventListener("input", () => {
    show();
    keep();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", follow);
  for (const [key, value] of new URLSearchParams(location.search)) if (form.elements[key]) form.elements[key].value = value;
  show();
  follow();
})();
