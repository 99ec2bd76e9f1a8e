import path from "node:path";
import { isSet } from "../../core/config/index.js";
import type { ChatMessage } from "../../core/data/index.js";
import {
  type GenerationPrompt,
  generateResponses,
  mediaOf,
  openPromptInputs,
  type PromptInputs,
  type RunScope,
  readDataset,
  withMediaPaths,
  writeMedia,
} from "../../core/trainer/index.js";
import { cliErrors } from "../errors.js";
import { withInterrupts } from "../program/interrupts.js";
import { type CommandIo, printJson, printLine } from "../program/io.js";
import { checkOutput, OutputFile } from "../program/output-file.js";
import { EXIT } from "../program/report-error.js";
import { watchedWork } from "../program/watched-work.js";
import { withCheckpointAdvice } from "./checkpoint-advice.js";
import { type ConfigRequest, type PreparedRun, prepareRun } from "./prepare-run.js";
import { type CommandScope, inRunScope } from "./run-scope.js";

export interface GenerateRequest extends ConfigRequest {
  /** A single prompt; otherwise the prompts of `data.train_files`. */
  readonly prompt: string | null;
  /** JSONL file for the responses; null = standard output. */
  readonly output: string | null;
}

/** `verl generate`. Returns the exit code. */
export async function runGenerate(request: GenerateRequest, io: CommandIo): Promise<number> {
  const output = request.output === null ? null : path.resolve(io.cwd, request.output);
  // Before a model is fetched or loaded.
  if (output !== null) await checkOutput(output);
  const run = await prepareRun(request, io, { forTraining: false });
  const cleanups: (() => Promise<void>)[] = [];
  try {
    const generate = async (prepared: CommandScope) => {
      if (output !== null) await checkOutput(output, inputFiles(run, io));
      const scope = withSamples(prepared, run);
      const inputs = await openPromptInputs(scope, cleanups);
      const prompts = await promptsOf(request, scope, inputs);
      const file = output === null ? null : await OutputFile.open(output);
      try {
        if (output !== null) await keepMedia(prompts, path.dirname(output), inputs);
        const write = (line: Answer) => (file ? file.write(withPaths(line, inputs)) : print(line, request, io));
        await answer(prompts, { scope, inputs }, write);
        await file?.complete();
      } catch (error) {
        await file?.discard();
        throw error;
      }
      if (file && request.json) printJson(io, { event: "end", prompts: prompts.rows.length, output: request.output });
      else if (file) printLine(io.stderr, `${prompts.rows.length} prompts answered: ${request.output}`);
      return EXIT.ok;
    };
    return await withInterrupts(io, watchedWork(run, request), ({ signal }) => inRunScope(run, io, signal, generate));
  } catch (error) {
    throw await withCheckpointAdvice(error, run.config, { cwd: io.cwd, command: "generate" });
  } finally {
    for (const cleanup of cleanups) await cleanup();
    await run.host.dispose();
  }
}

const inputFiles = ({ config: { data } }: PreparedRun, io: CommandIo): string[] =>
  [...data.train_files, ...data.val_files].map((file) => path.resolve(io.cwd, file));

interface Answer {
  readonly prompt: readonly ChatMessage[];
  readonly responses: readonly string[];
  readonly stop_reasons: readonly string[];
  readonly [column: string]: unknown;
}

async function answer(
  { prompts, rows }: Prompts,
  { scope, inputs }: { readonly scope: RunScope; readonly inputs: PromptInputs },
  write: (line: Answer) => void | Promise<void>,
): Promise<void> {
  let index = 0;
  for await (const { responses, stopReasons } of generateResponses(scope, prompts, inputs)) {
    await write({ ...rows[index++], responses, stop_reasons: stopReasons });
  }
}

/** What the prompts show lies beside the file of answers, which can be read where the data are not. */
async function keepMedia({ prompts }: Prompts, folder: string, { media }: PromptInputs): Promise<void> {
  await writeMedia(
    folder,
    prompts.map(({ messages }) => ({ media: mediaOf(messages, media) })),
    media,
  );
}

const withPaths = (line: Answer, { media }: PromptInputs): Answer => ({
  ...line,
  prompt: withMediaPaths(line.prompt, media),
});

function print(line: Answer, { prompt, json }: GenerateRequest, io: CommandIo): void {
  if (prompt === null || json) printJson(io, line);
  else printLine(io.stdout, line.responses.join("\n\n"));
}

/** The group size of a training run says nothing about how many answers somebody wants: one, unless `n` is set. */
function withSamples(scope: RunScope, { composed }: PreparedRun): RunScope {
  if (isSet(composed.tree, "actor_rollout_ref.rollout.n")) return scope;
  const { actor_rollout_ref } = scope.config;
  const rollout = { ...actor_rollout_ref.rollout, n: 1 };
  return { ...scope, config: { ...scope.config, actor_rollout_ref: { ...actor_rollout_ref, rollout } } };
}

interface Prompts {
  readonly prompts: readonly GenerationPrompt[];
  /** The row that each answer is written beside. */
  readonly rows: readonly (Readonly<Record<string, unknown>> & Pick<Answer, "prompt">)[];
}

async function promptsOf({ prompt }: GenerateRequest, scope: RunScope, inputs: PromptInputs): Promise<Prompts> {
  if (prompt !== null) {
    const messages = [{ role: "user", content: prompt }];
    return { prompts: [{ id: "prompt", messages }], rows: [{ prompt: messages }] };
  }
  if (scope.config.data.train_files.length === 0) {
    throw cliErrors.VERL_CLI_USAGE({
      what: "`verl generate` has no prompts",
      fix: "pass --prompt TEXT, or set data.train_files",
    });
  }
  // In the order of the file, whatever training would do.
  const data = { ...scope.config.data, shuffle: false };
  const inOrder = { ...scope, config: { ...scope.config, data } };
  const dataset = await readDataset(inOrder, inputs, "train");
  const items = Array.from({ length: dataset.length }, (_, i) => dataset.at(i));
  return {
    prompts: items.map(({ messages }, i) => ({ id: String(i), messages })),
    rows: items.map(({ messages, row }) => ({ ...row, prompt: messages })),
  };
}
