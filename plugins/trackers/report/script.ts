/**
 * The page's script: hover values on charts, and the sample browser. It builds elements and sets `textContent` only, so no
 * text of a model can become markup. Plain JavaScript for any current browser.
 */
export const SCRIPT = `"use strict";
const make = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};

const number = (value) => value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential(2) : String(value);

for (const svg of document.querySelectorAll("svg[data-lines]")) {
  const lines = JSON.parse(svg.dataset.lines);
  const figure = svg.parentElement;
  const box = svg.viewBox.baseVal;
  let cross, tip;
  const leave = () => { cross?.remove(); tip?.remove(); cross = tip = undefined; };
  svg.addEventListener("pointerleave", leave);
  svg.addEventListener("pointermove", (event) => {
    const area = svg.getBoundingClientRect();
    const x = (event.clientX - area.left) / area.width * box.width;
    const nearest = lines[0].p.reduce((best, p) => Math.abs(p[2] - x) < Math.abs(best[2] - x) ? p : best);
    if (!cross) {
      cross = svg.querySelector("line").cloneNode();
      cross.setAttribute("class", "cross");
      cross.setAttribute("y1", 0);
      cross.setAttribute("y2", box.height - 20);
      svg.append(cross);
      tip = make("div", "tip");
      figure.append(tip);
    }
    cross.setAttribute("x1", nearest[2]);
    cross.setAttribute("x2", nearest[2]);
    const values = lines.map((line) => {
      const point = line.p.find((p) => p[0] === nearest[0]);
      return point && (lines.length > 1 ? line.n + " " : "") + number(point[1]);
    });
    tip.textContent = "step " + nearest[0] + "\\n" + values.filter(Boolean).join("\\n");
    const scale = area.width / box.width;
    const outer = figure.getBoundingClientRect();
    const left = area.left - outer.left + nearest[2] * scale + 10;
    tip.style.left = Math.min(left, outer.width - tip.offsetWidth - 6) + "px";
    tip.style.top = area.top - outer.top + nearest[3] * scale - tip.offsetHeight - 8 + "px";
  });
}

const samples = JSON.parse(document.getElementById("samples").textContent);
const browser = document.getElementById("browser");
if (browser && samples.length > 0) {
  const splits = ["val", "train"].filter((split) => samples.some((s) => s.split === split));
  const names = { val: "validation", train: "training" };
  const state = { split: splits[0], step: null };
  const bar = make("div", "bar");
  const list = make("div");
  browser.append(bar, list);

  const button = (text, pressed, act) => {
    const element = make("button", "", text);
    element.type = "button";
    element.setAttribute("aria-pressed", pressed);
    element.addEventListener("click", () => { act(); draw(); });
    return element;
  };

  const heat = (logProb) => "rgba(var(--heat)," + (0.62 * (1 - Math.exp(logProb)) ** 0.8).toFixed(3) + ")";

  const legend = () => {
    const key = make("span", "key", "probability when sampled");
    for (const p of [1, 0.5, 0.1, 0.01]) {
      const chip = make("span", "t", String(p));
      chip.style.background = heat(Math.log(p));
      key.append(chip);
    }
    key.append(make("span", "t given", "not sampled"));
    return key;
  };

  const tokenSpan = (text, sampled, logProb) => {
    const span = make("span", sampled ? "t" : "t given", text.replace(/\\n/g, "\\u23ce\\n"));
    if (!sampled) span.title = "not sampled by the model";
    else if (logProb !== null) {
      span.style.background = heat(logProb);
      span.title = "p " + Math.exp(logProb).toPrecision(2) + ", log p " + logProb.toFixed(2);
    }
    return span;
  };

  const scoreOf = (score) => {
    const kind = score === null ? "" : score >= 1 ? " one" : score <= 0 ? " zero" : "";
    return make("span", "score" + kind, score === null ? "no score" : String(Number(score.toPrecision(4))));
  };

  const answer = (sample, title) => {
    const row = make("div", "answer");
    const meta = make("div", "meta");
    meta.append(scoreOf(sample.score), " " + title);
    const text = make("pre");
    sample.tokens.forEach((token, t) => {
      if (token !== "") text.append(tokenSpan(token, sample.mask[t] === "1", sample.logProbs ? sample.logProbs[t] : null));
    });
    if (sample.more > 0) text.append(make("span", "given", " … " + sample.more + " more tokens"));
    row.append(meta, text);
    const extra = sample.extra.filter((e) => e[0] !== "score").map((e) => e[0] + " " + e[1]).join(" · ");
    row.append(make("div", "meta more", extra));
    return row;
  };

  const card = (group, open) => {
    const [first] = group;
    const details = make("details", "card");
    const summary = make("summary");
    const line = first.prompt.trim().replace(/\\s+/g, " ").slice(-300);
    summary.append(make("span", "first", line));
    if (first.truth) summary.append(make("small", "", "truth: " + first.truth.slice(0, 60)));
    for (const s of group.slice(0, 8)) summary.append(scoreOf(s.score));
    details.append(summary);
    let built = false;
    const build = () => {
      if (built) return;
      built = true;
      if (line !== first.prompt || line.length > 80) details.append(make("pre", "prompt", first.prompt));
      for (const s of group) {
        details.append(answer(s, state.split === "val" ? "step " + s.step : "sample " + s.key.split("_")[1]));
      }
    };
    details.addEventListener("toggle", () => details.open && build());
    if (open) { build(); details.open = true; }
    return details;
  };

  const draw = () => {
    bar.replaceChildren();
    list.replaceChildren();
    for (const split of splits) {
      bar.append(button(names[split], split === state.split, () => { state.split = split; state.step = null; }));
    }
    const own = samples.filter((s) => s.split === state.split);
    const steps = [...new Set(own.map((s) => s.step))].sort((a, b) => a - b);
    let shown = own;
    if (state.split === "train") {
      state.step ??= steps[steps.length - 1];
      bar.append(make("span", "gap"), make("small", "", "step"));
      for (const step of steps) bar.append(button(String(step), step === state.step, () => { state.step = step; }));
      shown = own.filter((s) => s.step === state.step);
    }
    bar.append(legend());
    const groups = new Map();
    for (const sample of shown) {
      const key = state.split === "val" ? sample.key : sample.key.split("_")[0];
      groups.set(key, [...(groups.get(key) ?? []), sample]);
    }
    [...groups.values()].forEach((group, i) => {
      list.append(card(group.sort((a, b) => a.step - b.step), i < 3));
    });
  };
  draw();
}
`;
