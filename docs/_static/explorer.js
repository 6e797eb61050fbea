// The explorer: filters the rows of a comparison, and hands them to Vega-Lite.
(() => {
  const { comparisons, charts } = JSON.parse(document.getElementById("explorer-data").textContent);
  const form = document.getElementById("explorer");
  const N_PANELS = 6; // shown at first, where there are more problems
  let current;

  const option = (value, text) => new Option(text, value);
  const checked = (kind) =>
    [...form.querySelectorAll(`[data-of=${kind}] input:checked`)].map((box) => Number(box.value));

  function boxes(kind, names, hasChips, isChecked) {
    const button = (which) => `<button type="button" data-${which}="${kind}" aria-label="${which}: ${kind}">${which}</button>`;
    form.querySelector(`[data-of=${kind}]`).innerHTML =
      button("all") + button("none") +
      names
        .map((name, i) => {
          const chip = hasChips ? "<i></i>" : "";
          return `<label><input type="checkbox" value="${i}" ${isChecked(i) ? "checked" : ""}>${chip}${name}</label>`;
        })
        .join("");
  }

  function choose(place) {
    current = comparisons[place];
    form.currency.replaceChildren(...current.currencies.map((label, i) => option(i, label)));
    boxes("problems", current.problems, false, (i) => !current.is_curve || i < N_PANELS);
    boxes("methods", current.methods.map((one) => one.label), true, () => true);
    form.share.value = current.name === "trials" ? 1 : 0.25;
    for (const part of form.querySelectorAll(".of-curves")) part.hidden = !current.is_curve;
    for (const part of form.querySelectorAll(".of-points")) part.hidden = current.is_curve;
    draw();
  }

  // Black takes the colour of the words; what is too dark for a dark page is mixed with white.
  function seen(color) {
    if (color === "#000000") return getComputedStyle(document.body).color;
    if (document.documentElement.dataset.theme !== "dark") return color;
    const parts = [1, 3, 5].map((place) => parseInt(color.slice(place, place + 2), 16));
    const light = (0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]) / 255;
    const white = Math.max(0, (0.45 - light) / (1 - light));
    return `rgb(${parts.map((part) => Math.round(part + white * (255 - part))).join(" ")})`;
  }

  // Rows of the chosen problems, methods and currency, by name.
  function chosen() {
    const [problems, methods] = [new Set(checked("problems")), new Set(checked("methods"))];
    const currency = Number(form.currency.value);
    return current.rows
      .filter(([p, m, c]) => problems.has(p) && methods.has(m) && c === currency)
      .map(([p, m, , x, y, low, high]) => ({
        place: p, problem: current.problems[p], method: current.methods[m].label, color: seen(current.methods[m].color), dash: current.methods[m].dash,
        x, y, low, high, interval: low === null ? "-" : `${low.toFixed(3)} to ${high.toFixed(3)}`,
      }));
  }

  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const grouped = (rows, key) => Map.groupBy ? Map.groupBy(rows, key) : rows.reduce(
    (groups, row) => groups.set(key(row), [...(groups.get(key(row)) ?? []), row]), new Map());

  // One point per method: means over the problems that all chosen methods were run on.
  function means(rows) {
    const n = new Set(rows.map((row) => row.method)).size;
    const common = [...grouped(rows, (row) => row.problem).values()].filter((group) => group.length === n).flat();
    const name = `mean over ${new Set(common.map((row) => row.problem)).size} problems`;
    return [...grouped(common, (row) => row.method)].map(([method, group]) => ({
      problem: name, method, color: group[0].color, interval: "-",
      x: mean(group.map((row) => row.x)), y: mean(group.map((row) => row.y)),
    }));
  }

  // The regret of each method on each problem: at its end, or when this share of the problem's budget is spent.
  function standing(rows) {
    if (!current.is_curve) return rows;
    const currency = Number(form.currency.value);
    const by = grouped(rows, (row) => `${row.problem}|${row.method}`);
    return [...by.values()].flatMap((curve) => {
      const limit = Number(form.share.value) * current.budgets[curve[0].place][currency] * (1 + 1e-7); // rows are rounded
      const then = curve.filter((row) => row.x <= limit);
      return then.length ? [then[then.length - 1]] : [];
    });
  }

  // Share of problems won (ties are shared) and mean rank (ties have the mean of theirs), among methods that got there.
  function ranked(rows) {
    const found = new Map();
    for (const group of grouped(standing(rows), (row) => row.problem).values()) {
      const least = Math.min(...group.map((row) => row.y));
      const winners = group.filter((row) => row.y === least).length;
      for (const row of group) {
        const better = group.filter((other) => other.y < row.y).length;
        const same = group.filter((other) => other.y === row.y).length;
        const entry = found.get(row.method) ?? { method: row.method, color: row.color, n: 0, won: 0, rank: 0 };
        entry.n += 1;
        entry.won += row.y === least ? 1 / winners : 0;
        entry.rank += better + (same + 1) / 2;
        found.set(row.method, entry);
      }
    }
    return [...found.values()];
  }

  function themed() {
    const style = getComputedStyle(document.documentElement);
    const [text, line] = ["--pst-color-text-base", "--pst-color-border"].map((name) => style.getPropertyValue(name).trim());
    const words = { labelColor: text, titleColor: text, labelFontSize: 11 };
    return {
      background: "transparent", font: "sans-serif", view: { stroke: line },
      axis: { ...words, gridColor: line, gridOpacity: 0.5, domainColor: line, tickColor: line },
      header: { ...words, labelFontSize: 12 }, title: { color: text },
    };
  }

  const show = (id, spec) => vegaEmbed(`#${id}`, spec, { actions: false, renderer: "svg", config: themed() });

  function draw() {
    form.querySelector("output").textContent = form.share.value;
    form.querySelectorAll("[data-of=methods] i").forEach((chip, i) => (chip.style.background = seen(current.methods[i].color)));
    const rows = chosen();
    const isMean = !current.is_curve && form.panels.value === "mean";
    const values = isMean ? means(rows) : rows;
    const width = document.getElementById("chart-regret").clientWidth;
    const n = new Set(values.map((row) => row.problem)).size;
    const columns = Math.max(1, Math.min(n, Math.floor(width / 300)));
    const spec = structuredClone(current.is_curve ? charts.curves : charts.points);
    spec.description = `Regret in points against ${current.currencies[form.currency.value]}, ${current.title}`;
    spec.datasets = { rows: values };
    spec.columns = columns;
    spec.facet.sort = current.problems;
    spec.spec.width = Math.floor(width / columns) - 75;
    if (isMean) spec.spec.height = 320;
    spec.resolve = { scale: { x: current.name === "trials" ? "independent" : "shared", y: "independent" } };
    for (const layer of spec.spec.layer) {
      if (layer.encoding.x) layer.encoding.x.title = current.currencies[form.currency.value];
    }
    const where = document.getElementById("chart-regret");
    if (values.length) show("chart-regret", spec);
    else where.textContent = "Nothing to show: choose problems and methods that were run together.";

    const summary = ranked(rows);
    const bars = (id, key, title, order) => {
      if (!summary.length) {
        document.getElementById(id).textContent = "Nothing to rank.";
        return;
      }
      const chart = structuredClone(charts.bars);
      chart.datasets = { rows: summary.map((row) => ({ ...row, value: row[key] / row.n })).sort(order) };
      chart.width = Math.max(120, Math.min(width, 720) - 220);
      chart.encoding.x.title = title;
      chart.description = `Bars: ${title}`;
      show(id, chart);
    };
    bars("chart-won", "won", "share of problems won", (a, b) => b.value - a.value);
    bars("chart-ranks", "rank", "mean rank (1: least regret)", (a, b) => a.value - b.value);
    const when = current.is_curve ? `when ${form.share.value} of the budget is spent` : "at the end";
    document.getElementById("explorer-note").textContent =
      `Ranks and wins are by mean regret ${when}, among the chosen methods that have a result on a problem by then.`;
  }

  form.comparison.append(...comparisons.map((one, i) => option(i, one.title)));
  form.addEventListener("input", (event) => {
    if (event.target.name === "comparison") choose(Number(event.target.value));
    else draw();
  });
  form.addEventListener("click", (event) => {
    const { all, none } = event.target.dataset;
    if (!all && !none) return;
    for (const box of form.querySelectorAll(`[data-of=${all || none}] input`)) box.checked = Boolean(all);
    draw();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width) draw();
    width = innerWidth;
  });
  choose(0);
})();
