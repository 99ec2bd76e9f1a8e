import type { Rollout } from "./api.js";
import { el } from "./dom.js";

export const HEATS = [
  ["mask", "mask"],
  ["probability", "log-probability"],
  ["gap", "gap"],
] as const;
export type Heat = (typeof HEATS)[number][0];

/** A response token by token; what the model wrote stays text. */
export function tokenText(rollout: Rollout, heat: Heat): HTMLElement {
  const text = el("pre", { class: `response ${heat}` });
  rollout.tokens.forEach((token, t) => {
    if (token === "") return;
    const sampled = rollout.mask[t] === "1";
    const [logProb, gap] = [rollout.logProbs?.[t] ?? null, rollout.gaps?.[t] ?? null];
    const span = el(
      "span",
      { class: sampled ? "t" : "t given", title: titleOf(sampled, logProb, gap, t) },
      token.replaceAll("\n", "⏎\n"),
    );
    const share = sampled ? shareOf(heat, logProb, gap) : null;
    if (share !== null) span.style.background = shade(share);
    text.append(span);
  });
  return text;
}

export function legend(heat: Heat): HTMLElement {
  const key = el("span", { class: "key" });
  if (heat === "mask") key.append(el("span", { class: "t sampled" }, "sampled: trained on"));
  else {
    key.append(heat === "gap" ? "log p of trainer − sampler, nats" : "probability when sampled");
    for (const value of heat === "gap" ? [0, 0.01, 0.1, 1] : [1, 0.5, 0.1, 0.01]) {
      const chip = el("span", { class: "t" }, String(value));
      const share = heat === "gap" ? shareOf(heat, null, value) : shareOf(heat, Math.log(value), null);
      chip.style.background = shade(share ?? 0);
      key.append(chip);
    }
  }
  key.append(el("span", { class: "t given" }, "not sampled"));
  return key;
}

const shade = (share: number) => `rgba(var(--heat),${(0.62 * Math.min(1, share) ** 0.8).toFixed(3)})`;

function shareOf(heat: Heat, logProb: number | null, gap: number | null): number | null {
  if (heat === "probability") return logProb === null ? null : 1 - Math.exp(logProb);
  if (heat === "gap") return gap === null ? null : Math.log10(1 + 1000 * Math.abs(gap)) / 3;
  return null;
}

function titleOf(sampled: boolean, logProb: number | null, gap: number | null, t: number): string {
  const facts = [`token ${t}`];
  if (!sampled) facts.push("not sampled by the model");
  else {
    if (logProb !== null) facts.push(`p ${Math.exp(logProb).toPrecision(2)}, log p ${logProb.toFixed(2)}`);
    if (gap !== null) facts.push(`gap ${gap}`);
  }
  return facts.join(", ");
}
