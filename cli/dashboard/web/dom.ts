type Child = Node | string | null | undefined | false;
type Attributes = Readonly<Record<string, string | number | boolean | null | ((event: Event) => void)>>;

/**
 * An element. Texts become text nodes, never markup; functions are listeners of the event that they are named after; true, false and
 * null switch attributes.
 */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill<E extends Element>(element: E, attributes: Attributes, children: readonly Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

/** A labelled choice. */
export function choice(
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  value: string,
  onChange: (value: string) => void,
): HTMLElement {
  const select = el("select", { change: () => onChange(select.value) });
  for (const [own, text] of options) select.append(el("option", { value: own, selected: own === value }, text));
  return el("label", { class: "field" }, el("span", {}, label), select);
}

/** A labelled field: a text is taken over while it is typed, a number when the field is left or Enter is pressed. */
export function field(
  label: string,
  type: "number" | "search",
  value: string,
  onChange: (value: string) => void,
): HTMLElement {
  let pause = 0;
  const take = () => {
    clearTimeout(pause);
    onChange(input.value);
  };
  const input = el("input", {
    type,
    value,
    step: type === "number" ? "any" : null,
    change: take,
    input: () => {
      if (type !== "search") return;
      clearTimeout(pause);
      pause = window.setTimeout(take, TYPING_MS);
    },
  });
  return el("label", { class: "field" }, el("span", {}, label), input);
}

/** How long somebody who types is waited for. */
const TYPING_MS = 250;

/** Buttons of which one is pressed. */
export function toggles(
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  value: string,
  onChange: (value: string) => void,
): HTMLElement {
  const buttons = options.map(([own, text]) =>
    el("button", { type: "button", "aria-pressed": String(own === value), click: () => onChange(own) }, text),
  );
  return el("div", { class: "toggles", role: "group", "aria-label": label }, ...buttons);
}

export const notice = (text: string): HTMLElement => el("p", { class: "notice" }, text);

const FOCUSABLE = "button,input,select,summary,[tabindex]";

/**
 * New content for a part of the page; what has the focus keeps it. Fields in which somebody types or chooses stay as they are: they
 * show what was chosen anyway.
 */
export function redraw(part: HTMLElement, ...children: readonly Node[]): void {
  const active = document.activeElement;
  const at = active && part.contains(active) ? [...part.querySelectorAll(FOCUSABLE)].indexOf(active) : -1;
  if (at >= 0 && active?.matches("select,input:not([type=checkbox],[type=range])")) return;
  part.replaceChildren(...children);
  if (at >= 0) part.querySelectorAll<HTMLElement>(FOCUSABLE)[at]?.focus({ preventScroll: true });
}
