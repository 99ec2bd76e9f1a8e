import type { TrackerOptions } from "../../../core/plugin.js";
import { trackerErrors } from "../errors.js";

/** A variable that a client reads, and the form that its value must have. */
export interface ClientVariable {
  readonly name: string;
  readonly form: VariableForm;
}

/** A key, an address or one of a few words. */
export type VariableForm = "key" | "address" | readonly string[];

/**
 * What a client would refuse after the models are loaded, as far as it shows from here: the forms alone, nobody is asked. Values of keys are not
 * repeated.
 *
 * @throws VERL_TRACKER_BAD_SETTING
 */
export function checkVariables(
  tracker: string,
  variables: readonly ClientVariable[],
  env: TrackerOptions["env"],
): void {
  for (const { name, form } of variables) {
    const value = env[name];
    if (value === undefined || value === "") continue;
    const what = whyNot(value, form);
    if (what === null) continue;
    throw trackerErrors.VERL_TRACKER_BAD_SETTING({
      what: `${name}, which the client of the tracker ${tracker} reads, ${what}`,
      where: "the environment",
      fix: `correct ${name}, or unset it`,
    });
  }
}

function whyNot(value: string, form: VariableForm): string | null {
  if (form === "key") {
    if (/^["']|["']$/.test(value)) return "is in quotes, which are taken for a part of it";
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a header takes none of them
    return /[\s\u0000-\u001f\u007f]/.test(value) ? "holds white space: it is no key" : null;
  }
  if (form === "address") {
    const url = parsed(value);
    return url && /^https?:$/.test(url.protocol)
      ? null
      : `is ${JSON.stringify(value)}: no address with http:// or https://`;
  }
  return form.includes(value.toLowerCase()) ? null : `is ${JSON.stringify(value)}; it takes ${form.join(", ")}`;
}

function parsed(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
