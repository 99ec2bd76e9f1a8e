import { formatDuration, formatValue } from "../../../core/tracking/format.js";
import { linearScale, logScale, type Scale, stepTicks } from "../../../core/tracking/page/scale.js";
import { el, svg } from "./dom.js";
import { nearestIndex, smooth } from "./smooth.js";

export interface ChartLine {
  readonly label: string;
  /** Of the six of the style sheet. */
  readonly colour: number;
  readonly x: readonly number[];
  readonly values: readonly number[];
  /** Drawn as an area behind the line. */
  readonly band?: { readonly low: readonly number[]; readonly high: readonly number[] };
}

export interface ChartOptions {
  readonly title: string;
  readonly axis: "step" | "time";
  readonly log: boolean;
  readonly smoothing: number;
  readonly notes: readonly string[];
}

const BOX = { width: 440, height: 200, left: 52, right: 12, top: 10, bottom: 24 };

/** Several curves over one axis, with values under the pointer or the arrow keys. */
export function chart(lines: readonly ChartLine[], options: ChartOptions): HTMLElement {
  const shown = lines
    .filter(({ values }) => values.length > 0)
    .map((line) => ({ ...line, drawn: options.smoothing > 0 ? smooth(line.values, options.smoothing) : line.values }));
  const last = shown.length === 1 ? formatValue(shown[0].values.at(-1) ?? Number.NaN) : "";
  const head = el("header", {}, el("h4", {}, options.title), el("b", {}, last));
  if (shown.length === 0) return el("figure", { class: "chart" }, head, el("p", { class: "empty" }, "no finite value"));
  const figure = el("figure", { class: "chart" }, head);
  const x = xScale(shown, options.axis);
  const y = yScale(shown, options.log);
  const label = `${options.title}. ${shown.map((line) => `${line.label}: ${formatValue(line.values.at(-1) ?? Number.NaN)} at the end`).join("; ")}. Arrow keys move along the curve.`;
  const image = svg("svg", {
    viewBox: `0 0 ${BOX.width} ${BOX.height}`,
    role: "img",
    tabindex: 0,
    "aria-label": label,
  });
  for (const tick of y.ticks) {
    const at = y.at(tick);
    image.append(
      svg("line", { class: "grid", x1: BOX.left, x2: BOX.width - BOX.right, y1: at, y2: at }),
      svg("text", { class: "tick", x: BOX.left - 6, y: at + 4, "text-anchor": "end" }, tickText(tick)),
    );
  }
  for (const tick of x.ticks) {
    const text = options.axis === "time" ? formatDuration(tick) : String(tick);
    image.append(svg("text", { class: "tick", x: x.at(tick), y: BOX.height - 6, "text-anchor": "middle" }, text));
  }
  for (const line of shown) {
    const dash = line.colour >= 6 ? "5 3" : null;
    const colour = `l${line.colour % 6}`;
    if (line.band) image.append(svg("path", { class: `band ${colour}`, d: area(line.x, line.band, x, y) }));
    if (options.smoothing > 0)
      image.append(svg("path", { class: `line faint ${colour}`, d: path(line.x, line.values, x, y) }));
    image.append(svg("path", { class: `line ${colour}`, "stroke-dasharray": dash, d: path(line.x, line.drawn, x, y) }));
    if (line.x.length === 1)
      image.append(svg("circle", { class: `dot ${colour}`, cx: x.at(line.x[0]), cy: y.at(line.drawn[0]), r: 3 }));
  }
  figure.append(image);
  if (options.notes.length > 0) figure.append(el("figcaption", {}, options.notes.join("; ")));
  hover(figure, image, shown, options, x, y);
  return figure;
}

type Drawn = ChartLine & { readonly drawn: readonly number[] };

function hover(
  figure: HTMLElement,
  image: SVGSVGElement,
  lines: readonly Drawn[],
  options: ChartOptions,
  x: Scale,
  y: Scale,
): void {
  const cross = svg("line", { class: "cross", y1: BOX.top, y2: BOX.height - BOX.bottom });
  const dots = lines.map((line) => svg("circle", { class: `dot l${line.colour % 6}`, r: 3.5 }));
  const tip = el("div", { class: "tip", role: "status" });
  const all = [...new Set(lines.flatMap((line) => line.x))].sort((a, b) => a - b);
  let at = -1;

  const leave = () => {
    at = -1;
    for (const part of [cross, ...dots, tip]) part.remove();
  };
  const show = (index: number) => {
    at = Math.max(0, Math.min(all.length - 1, index));
    const place = x.at(all[at]);
    cross.setAttribute("x1", String(place));
    cross.setAttribute("x2", String(place));
    image.append(cross);
    const rows = lines.map((line, i) => {
      const found = nearestIndex(line.x, all[at]);
      // A run that ended before is not spoken for.
      const isNear = all[at] <= line.x[line.x.length - 1] && all[at] >= line.x[0];
      if (!isNear) {
        dots[i].remove();
        return null;
      }
      dots[i].setAttribute("cx", String(x.at(line.x[found])));
      dots[i].setAttribute("cy", String(y.at(line.drawn[found])));
      image.append(dots[i]);
      const value = formatValue(line.values[found]);
      const smoothed = options.smoothing > 0 ? ` (${formatValue(line.drawn[found])})` : "";
      return el(
        "div",
        {},
        el("i", { class: `l${line.colour % 6}` }),
        `${lines.length > 1 ? `${line.label} ` : ""}${value}${smoothed}`,
      );
    });
    const where = options.axis === "time" ? formatDuration(all[at]) : `step ${all[at]}`;
    tip.replaceChildren(el("div", {}, where), ...rows.filter((row) => row !== null));
    figure.append(tip);
    const scale = image.clientWidth / BOX.width;
    const left = image.getBoundingClientRect().left - figure.getBoundingClientRect().left + place * scale;
    const isRight = left + tip.offsetWidth + 14 > figure.clientWidth;
    tip.style.left = `${Math.max(4, isRight ? left - tip.offsetWidth - 10 : left + 10)}px`;
    tip.style.top = "34px";
  };
  image.addEventListener("pointermove", (event) => {
    const box = image.getBoundingClientRect();
    const wanted = ((event.clientX - box.left) / box.width) * BOX.width;
    show(
      nearestIndex(
        all.map((value) => x.at(value)),
        wanted,
      ),
    );
  });
  image.addEventListener("pointerleave", leave);
  image.addEventListener("blur", leave);
  image.addEventListener("keydown", (event) => {
    const moves: Record<string, number> = {
      ArrowLeft: (at < 0 ? all.length : at) - 1,
      ArrowRight: at + 1,
      Home: 0,
      End: all.length - 1,
    };
    if (event.key === "Escape") leave();
    else if (event.key in moves) {
      event.preventDefault();
      show(moves[event.key]);
    }
  });
}

function xScale(lines: readonly Drawn[], axis: ChartOptions["axis"]): Scale {
  const [low, high] = extent(lines.map((line) => line.x));
  const scale = linearScale(low, high, BOX.left, BOX.width - BOX.right);
  if (axis === "step") return { at: scale.at, ticks: stepTicks(low, high) };
  // Round in the unit in which they are read.
  const unit = high - low > 7200 ? 3600 : high - low > 120 ? 60 : 1;
  const ticks = linearScale(low / unit, high / unit, 0, 1).ticks.map((tick) => tick * unit);
  return { at: scale.at, ticks: ticks.filter((tick) => tick >= low && tick <= high) };
}

function yScale(lines: readonly Drawn[], log: boolean): Scale {
  const [low, high] = extent(lines.flatMap((line) => [line.values, line.band?.low ?? [], line.band?.high ?? []]));
  const [bottom, top] = [BOX.height - BOX.bottom, BOX.top];
  return log && low > 0 ? logScale(low, high, bottom, top) : linearScale(low, high, bottom, top, true);
}

function extent(lists: readonly (readonly number[])[]): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const list of lists) {
    for (const value of list) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return [low, high];
}

const round = (value: number) => Math.round(value * 10) / 10;

function path(xs: readonly number[], values: readonly number[], x: Scale, y: Scale): string {
  return values.map((value, i) => `${i === 0 ? "M" : "L"}${round(x.at(xs[i]))} ${round(y.at(value))}`).join("");
}

function area(xs: readonly number[], { low, high }: NonNullable<ChartLine["band"]>, x: Scale, y: Scale): string {
  const at = (value: number, i: number) => `${round(x.at(xs[i]))} ${round(y.at(value))}`;
  return `M${high.map(at).join("L")}L${low.map(at).reverse().join("L")}Z`;
}

/** A small curve without axes; without a colour it is grey. */
export function spark(values: readonly number[], colour: number | null): SVGSVGElement {
  const paint = colour === null ? "plain" : `l${colour % 6}`;
  const [low, high] = extent([values]);
  const x = linearScale(0, Math.max(1, values.length - 1), 1, 79);
  const y = linearScale(low, high, 19, 3);
  const d = path(
    values.map((_, i) => i),
    values,
    x,
    y,
  );
  const curve =
    values.length === 1
      ? svg("circle", { class: `dot ${paint}`, cx: 40, cy: y.at(values[0]), r: 2 })
      : svg("path", { class: `line ${paint}`, d });
  return svg("svg", { class: "spark", viewBox: "0 0 80 22", "aria-hidden": "true" }, curve);
}

function tickText(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6))
    return Number(value.toPrecision(3)).toExponential().replace("e+", "e");
  return size >= 1e4 ? `${Number((value / 1000).toPrecision(3))}k` : String(Number(value.toPrecision(6)));
}
