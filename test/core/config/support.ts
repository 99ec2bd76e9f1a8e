import {
  type ComposedConfig,
  composeConfig,
  composeDocument,
  type Env,
  inspectConfig,
  toPlain,
  type ValidateOptions,
} from "../../../core/config/index.js";
import { isVerlError, type VerlError } from "../../../core/host/index.js";

/** The coded error that something throws. */
export async function codedError(run: () => unknown): Promise<VerlError> {
  try {
    await run();
  } catch (error) {
    if (isVerlError(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

/** A bare document, without defaults. */
export const document = (text: string, overrides: string[] = [], env: Env = {}): unknown =>
  toPlain(composeDocument(text, overrides, env));

/** The product's configuration from overrides alone. */
export const compose = (overrides: string[], env: Env = {}): Promise<ComposedConfig> =>
  composeConfig({ files: [], overrides, env, cwd: process.cwd() });

export async function inspect(overrides: string[], options: ValidateOptions = {}, env: Env = {}) {
  return inspectConfig(await compose(overrides, env), options);
}

/** Keys and codes of what is wrong. */
export async function problems(overrides: string[], options: ValidateOptions = {}): Promise<string[]> {
  const found = await inspect(overrides, options);
  return found.problems.map(({ code, key }) => `${code} ${key}`);
}
