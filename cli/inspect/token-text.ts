import { segmentsOf, type TrajectoryRecord, tokenGaps } from "../../core/tracking/index.js";
import type { HEATS } from "./choices.js";
import { printable } from "./terminal-text.js";

export type Heat = (typeof HEATS)[number];

/** Backgrounds of the 256-colour palette, from faint to strong; black text is read on each. */
const BACKGROUNDS = [230, 222, 215, 209] as const;
/** |log p of trainer − sampler| in nats from which a token is marked. */
const GAPS = [0.01, 0.05, 0.2, 1] as const;
/** Probabilities when sampled below which a token is marked. */
const PROBABILITIES = [0.5, 0.2, 0.05, 0.01] as const;

/** What colours or marks mean, in one line. */
export function legend(heat: Heat, color: boolean): string {
  const unsampled = color ? `\u001b[2m\u001b[4mnot sampled\u001b[24m\u001b[22m` : "⟨not sampled⟩";
  if (heat === "none") return unsampled;
  const [what, limits, sign] =
    heat === "gap"
      ? ["|log p of trainer − sampler| in nats", GAPS, "≥"]
      : ["probability when sampled", PROBABILITIES, "<"];
  const chips = color
    ? limits.map((limit, i) => painted(` ${sign}${limit} `, i)).join(" ")
    : `token{${heat === "gap" ? "+0.3" : "0.03"}} where ${sign}${limits[0]}`;
  return `${what}: ${chips}  ${unsampled}`;
}

/** The response, token by token: what was not sampled set apart, and the heat of what was. */
export function responseText(record: TrajectoryRecord, heat: Heat, color: boolean): string {
  if (record.tokens.length === 0) return printable(record.responseText);
  const levels = heatOf(record, heat);
  return segmentsOf(record)
    .map(({ sampled, start, end }) => {
      const tokens = record.tokens.slice(start, end);
      if (!sampled) {
        const text = printable(tokens.join(""));
        return color ? eachLine(text, (line) => `\u001b[2m\u001b[4m${line}\u001b[24m\u001b[22m`) : `⟨${text}⟩`;
      }
      return tokens.map((token, i) => sampledToken(printable(token), levels(start + i), color)).join("");
    })
    .join("");
}

interface Level {
  /** −1 = unremarkable. */
  readonly level: number;
  readonly label: string;
}

function heatOf(record: TrajectoryRecord, heat: Heat): (t: number) => Level {
  const none = { level: -1, label: "" };
  if (heat === "none") return () => none;
  if (heat === "probability") {
    const { logProbs } = record;
    return (t) => {
      if (!logProbs) return none;
      const p = Math.exp(logProbs[t]);
      return { level: PROBABILITIES.findLastIndex((limit) => p < limit), label: p.toPrecision(1) };
    };
  }
  const gaps = tokenGaps(record);
  return (t) => {
    if (!gaps) return none;
    const gap = gaps[t];
    // A gap that is no number is the worst there is.
    const level = Number.isNaN(gap) ? GAPS.length - 1 : GAPS.findLastIndex((limit) => Math.abs(gap) >= limit);
    return { level, label: `${gap > 0 ? "+" : ""}${Number(gap.toPrecision(2))}` };
  };
}

function sampledToken(text: string, { level, label }: Level, color: boolean): string {
  if (level < 0) return text;
  return color ? eachLine(text, (line) => painted(line, level)) : `${text}{${label}}`;
}

const painted = (text: string, level: number): string =>
  `\u001b[30m\u001b[48;5;${BACKGROUNDS[level]}m${text}\u001b[49m\u001b[39m`;

/** Colours end with the line, or a terminal fills the rest of the screen with them. A lone line feed is made visible. */
const eachLine = (text: string, paint: (line: string) => string): string =>
  text
    .split("\n")
    .map((line, i, lines) => (i < lines.length - 1 ? paint(`${line}⏎`) : line === "" ? "" : paint(line)))
    .join("\n");
