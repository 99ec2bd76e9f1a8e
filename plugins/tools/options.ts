import { z } from "zod";
import { toolErrors } from "./errors.js";

/** A section of an entry in the list of tools, checked. @throws VERL_TOOL_BAD_OPTION */
export function readSection<S extends z.ZodObject>(
  schema: S,
  given: unknown,
  { name, where }: { readonly name: string; readonly where: string },
): z.infer<S> {
  const parsed = schema.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  throw toolErrors.VERL_TOOL_BAD_OPTION({
    what: `${name}: ${z.prettifyError(parsed.error)}`,
    where,
    fix: `known options of ${name}: ${Object.keys(schema.shape).join(", ")}`,
  });
}

/** Nobody reads a section of another name. */
export function refuseSections(sections: object, known: readonly string[], where: string): void {
  const unknown = Object.keys(sections).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw toolErrors.VERL_TOOL_BAD_OPTION({
    what: `the entry has ${unknown.join(", ")}, which nobody reads`,
    where,
    fix: `an entry of this kind has name, config, tool_schema${known.map((name) => `, ${name}`).join("")}`,
  });
}
