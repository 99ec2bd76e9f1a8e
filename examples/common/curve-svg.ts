/** Values by step. */
export interface Line {
  readonly label: string;
  readonly points: readonly (readonly [step: number, value: number])[];
}

export interface CurveChart {
  readonly title: string;
  /** 0 to 1 as percentages; else numbers from 0. */
  readonly percent: boolean;
  readonly lines: readonly Line[];
}

const WIDTH = 640;
const BOX = { left: 56, right: 624, top: 44, bottom: 268 };
const HEIGHT = 306;
/** Readable on white and on black. */
const COLOURS = ["#2f81f7", "#d9822b", "#3fa45b", "#a371f7"];
const GREY = "#808890";

/** Curves over the steps of a run as one SVG file without dependencies. */
export function curveSvg({ title, percent, lines }: CurveChart): string {
  const all = lines.flatMap(({ points }) => points);
  const lastStep = Math.max(1, ...all.map(([step]) => step));
  const top = percent ? 1 : roundUp(Math.max(1e-9, ...all.map(([, value]) => value)));
  const x = (step: number) => round(BOX.left + (step / lastStep) * (BOX.right - BOX.left));
  const y = (value: number) => round(BOX.bottom - (Math.max(0, value) / top) * (BOX.bottom - BOX.top));
  const show = (value: number) => (percent ? `${Math.round(100 * value)} %` : String(round(value)));
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const at = y(share * top);
    return `<path d="M${BOX.left} ${at}H${BOX.right}" stroke="${GREY}" stroke-opacity=".3"/><text x="${BOX.left - 6}" y="${at + 4}" text-anchor="end">${show(share * top)}</text>`;
  });
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const step = Math.round(share * lastStep);
    return `<text x="${x(step)}" y="${BOX.bottom + 18}" text-anchor="middle">${step}</text>`;
  });
  const drawn = lines.map(({ points }, i) => {
    const colour = COLOURS[i % COLOURS.length];
    const path = points.map(([step, value], n) => `${n === 0 ? "M" : "L"}${x(step)} ${y(value)}`).join("");
    const dots = points.length > 20 ? [] : points;
    return [
      `<path d="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ...dots.map(([step, value]) => `<circle cx="${x(step)}" cy="${y(value)}" r="2.5" fill="${colour}"/>`),
    ].join("");
  });
  const legend = lines.map(({ label, points }, i) => {
    const last = points.at(-1);
    const end = last ? ` (${show(last[1])})` : "";
    return `<tspan fill="${COLOURS[i % COLOURS.length]}"${i > 0 ? ' dx="16"' : ""}>${escaped(label + end)}</tspan>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" fill="${GREY}" role="img">
<title>${escaped(title)}</title>
<text x="${BOX.left}" y="16" font-size="14" font-weight="600">${escaped(title)}</text>
<text x="${BOX.left}" y="34">${legend.join("")}</text>
${[...grid, ...ticks].join("\n")}
<text x="${BOX.right}" y="${HEIGHT - 4}" text-anchor="end">step</text>
${drawn.join("\n")}
</svg>
`;
}

/** The next of 1, 2, 2.5, 4, 5, 8, 10 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * (STEPS.find((step) => step * power >= value) ?? 10);
}

const STEPS = [1, 2, 2.5, 4, 5, 8, 10];

const round = (value: number) => Math.round(value * 100) / 100;

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
