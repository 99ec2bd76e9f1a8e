/** HTML that may be written as it is. Everything else that enters a template is escaped. */
export class Html {
  constructor(readonly text: string) {}
  toString(): string {
    return this.text;
  }
}

type Value = string | number | Html | null | undefined | false | readonly Value[];

/** Template tag: interpolated texts are escaped, `Html` and lists of it are inserted as they are. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(strings.reduce((text, part, i) => `${text}${render(values[i - 1])}${part}`));
}

/** Data for a script: JSON in which nothing can end the script element or start a comment in it. */
export function scriptJson(value: unknown): Html {
  const unsafe = /[<>&\u2028\u2029]/g;
  const text = JSON.stringify(value).replace(unsafe, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return new Html(text);
}

function render(value: Value): string {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(render).join("");
  return String(value).replace(/[&<>"']/g, (c) => ENTITIES[c]);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
