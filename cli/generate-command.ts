import { createWriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import path from "node:path";
import { finished } from "node:stream/promises";
import {
  type GenerationPrompt,
  generateResponses,
  openDataset,
  openTokenizer,
  type RunScope,
} from "../core/trainer/index.js";
import { cliErrors } from "./errors.js";
import { withInterrupts } from "./interrupts.js";
import { type CommandIo, printJson, printLine } from "./io.js";
import { type ConfigRequest, prepareRun } from "./prepare-run.js";
import { EXIT } from "./report-error.js";
import { runScope } from "./run-scope.js";

export interface GenerateRequest extends ConfigRequest {
  /** A single prompt; otherwise the prompts of `data.train_files`. */
  readonly prompt: string | null;
  /** JSONL file for the responses; null = standard output. */
  readonly output: string | null;
}

/** `verl generate`. Returns the exit code. */
export async function runGenerate(request: GenerateRequest, io: CommandIo): Promise<number> {
  const run = await prepareRun(request, io, { forTraining: false });
  try {
    return await withInterrupts(io, async ({ signal }) => {
      const scope = await runScope(run, io, signal);
      const { prompts, rows } = await promptsOf(request, scope);
      const sink = request.output === null ? null : openOutput(path.resolve(io.cwd, request.output));
      let index = 0;
      for await (const { responses, stopReasons } of generateResponses(scope, prompts)) {
        const line = { ...rows[index], responses, stop_reasons: stopReasons };
        index++;
        if (sink) sink.write(line);
        else if (request.prompt !== null && !request.json) for (const text of responses) printLine(io.stdout, text);
        else printJson(io, line);
      }
      if (sink) {
        await sink.close();
        if (request.json) printJson(io, { event: "end", prompts: index, output: request.output });
        else printLine(io.stderr, `${index} prompts answered: ${request.output}`);
      }
      return EXIT.ok;
    });
  } finally {
    await run.host.dispose();
  }
}

interface Prompts {
  readonly prompts: readonly GenerationPrompt[];
  /** The row that each answer is written beside. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

async function promptsOf({ prompt }: GenerateRequest, scope: RunScope): Promise<Prompts> {
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
  const dataset = await openDataset(inOrder, await openTokenizer(scope.config, scope.cwd), "train");
  const items = Array.from({ length: dataset.length }, (_, i) => dataset.at(i));
  return {
    prompts: items.map(({ messages }, i) => ({ id: String(i), messages })),
    rows: items.map(({ messages, row }) => ({ ...row, prompt: messages })),
  };
}

/** Written under a temporary name and renamed when complete. */
function openOutput(file: string) {
  const temporary = `${file}.tmp`;
  const stream = createWriteStream(temporary);
  return {
    write: (line: unknown) => void stream.write(`${JSON.stringify(line)}\n`),
    async close() {
      stream.end();
      await finished(stream);
      await rename(temporary, file);
    },
  };
}
