import { composeDocument, composeUser, inspectConfig, problemsError, toPlain } from "../../../core/config/index.js";
import { type CaseInput, type CaseKind, compare, type Mismatch } from "../kind.js";
import { registeredNames } from "../registered-names.js";

export const config: CaseKind = {
  name: "config",
  fields: ["yaml", "overrides", "env", "validate"],
  expectFields: ["config", "error_contains"],
  async run(input) {
    let composed: unknown;
    try {
      composed = await compose(input);
    } catch (error) {
      return checkError(input, error instanceof Error ? error.message : String(error));
    }
    if (input.expect.error_contains) return { expected: input.expect, actual: { config: composed } };
    return compare(input.expect.config, composed);
  },
};

async function compose(input: CaseInput): Promise<unknown> {
  const env = (input.env ?? {}) as Record<string, string>;
  const document = composeDocument(input.yaml as string, input.overrides as string[], env);
  if (input.validate) {
    const names = await registeredNames();
    const { problems } = await inspectConfig(composeUser(document, env), { names });
    if (problems.length > 0) throw problemsError(problems);
  }
  return toPlain(document);
}

function checkError({ expect }: CaseInput, message: string): Mismatch | null {
  const wanted = expect.error_contains as string[] | undefined;
  const found = wanted?.every((text) => message.includes(text));
  return found ? null : { expected: expect, actual: { error: message } };
}
