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

  function read() {
    const asked = new URLSearchParams(location.search);
    for (const [key, value] of asked) if (form.elements[key]) form.elements[key].value = value;
    const target = cards.find((card) => card.id === decodeURIComponent(location.hash.slice(1)));
    if (target && target.dataset.kind === "ours") form.elements.kind.value = "";
    show();
    if (target) target.scrollIntoView();
  }

  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", read);
  read();
})();
