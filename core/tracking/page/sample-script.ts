/** The sample browser: prompts with their answers, tokens coloured. */
export const SAMPLE_SCRIPT = `const samples = JSON.parse(document.getElementById("samples").textContent);
const urls = JSON.parse(document.getElementById("pictures")?.textContent ?? "{}");
const browser = document.getElementById("browser");
if (browser && samples.length > 0) {
  const splits = ["val", "train"].filter((split) => samples.some((s) => s.split === split));
  const names = { val: "validation", train: "training" };
  const state = { split: splits[0], step: null, heat: "probability" };
  const heats = samples.some((s) => s.gaps) ? ["probability", "gap"] : ["probability"];
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

  const shade = (share) => "rgba(var(--heat)," + (0.62 * Math.min(1, share) ** 0.8).toFixed(3) + ")";
  const heat = (logProb) => shade(1 - Math.exp(logProb));
  const gapHeat = (gap) => shade(Math.log10(1 + 1000 * Math.abs(gap)) / 3);

  const legend = () => {
    const byGap = state.heat === "gap";
    const key = make("span", "key", byGap ? "log p of trainer \u2212 sampler, nats" : "probability when sampled");
    for (const value of byGap ? [0, 0.01, 0.1, 1] : [1, 0.5, 0.1, 0.01]) {
      const chip = make("span", "t", String(value));
      chip.style.background = byGap ? gapHeat(value) : heat(Math.log(value));
      key.append(chip);
    }
    key.append(make("span", "t given", "not sampled"));
    return key;
  };

  const tokenSpan = (text, sampled, logProb, gap) => {
    const span = make("span", sampled ? "t" : "t given", text.replace(/\\n/g, "\\u23ce\\n"));
    if (!sampled) {
      span.title = "not sampled by the model";
      return span;
    }
    const facts = [];
    if (logProb !== null) facts.push("p " + Math.exp(logProb).toPrecision(2) + ", log p " + logProb.toFixed(2));
    if (gap !== null) facts.push("gap " + gap);
    span.title = facts.join(", ");
    if (state.heat === "gap") { if (gap !== null) span.style.background = gapHeat(gap); }
    else if (logProb !== null) span.style.background = heat(logProb);
    return span;
  };

  const at = (list, t) => (list ? list[t] : null);

  const scoreOf = (score) => {
    const kind = score === null ? "" : score >= 1 ? " one" : score <= 0 ? " zero" : "";
    return make("span", "score" + kind, score === null ? "no score" : String(Number(score.toPrecision(4))));
  };

  const pictures = (sample, inPrompt) => {
    const own = (sample.pictures ?? []).filter((picture) => picture.inPrompt === inPrompt);
    if (own.length === 0) return [];
    const strip = make("div", "pictures");
    for (const { name, id } of own) {
      const image = make("img");
      image.src = urls[id];
      image.alt = image.title = name;
      strip.append(image);
    }
    return [strip];
  };

  const answer = (sample, title) => {
    const row = make("div", "answer");
    const meta = make("div", "meta");
    meta.append(scoreOf(sample.score), " " + title);
    const text = make("pre");
    sample.tokens.forEach((token, t) => {
      if (token !== "") text.append(tokenSpan(token, sample.mask[t] === "1", at(sample.logProbs, t), at(sample.gaps, t)));
    });
    if (sample.more > 0) text.append(make("span", "given", " … " + sample.more + " more tokens"));
    row.append(meta, text, ...pictures(sample, false));
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
      details.append(...pictures(first, true));
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
    bar.append(make("span", "gap"));
    if (heats.length > 1) for (const heat of heats) bar.append(button(heat, heat === state.heat, () => { state.heat = heat; }));
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
}`;
