import path from "node:path";
import type { IncrementalDecoder, RolloutReplica, TokenOutput } from "../../core/plugin.js";
import { createOnnxReplica } from "../../engines/onnx/rollout/replica.js";
import { LineProcess } from "../line-process.js";
import { type Model, PROMPT, TOKENS } from "./workloads.js";

export interface Times {
  /** Until the first token of every sequence is drawn. */
  readonly prefillMs: number;
  /** For the others. */
  readonly decodeMs: number;
}

export interface Contender {
  readonly name: string;
  generate(prompts: readonly number[][]): Promise<Times>;
  dispose(): Promise<void>;
}

export interface Setting {
  readonly model: Model;
  readonly batch: number;
  readonly threads: number;
}

/** The rollout as it is, and with rounded weights. */
export const ONNX = { onnx: null, "onnx-int8": "int8", "onnx-int4": "int4" } as const;

/** The built-in rollout through its public face: requests in; tokens and log-probabilities out. */
export class OnnxContender implements Contender {
  private constructor(
    readonly name: keyof typeof ONNX,
    private readonly replica: RolloutReplica,
    private readonly clock: FirstTokens,
  ) {}

  static async start(name: keyof typeof ONNX, { model, batch, threads }: Setting): Promise<OnnxContender> {
    const clock = new FirstTokens();
    const replica = createOnnxReplica({
      replicaRank: 0,
      model: { path: model.folder },
      maxModelLen: PROMPT + TOKENS,
      maxNumSeqs: batch,
      responseLength: TOKENS,
      eosTokenIds: [],
      createDecoder: () => clock.decoder(),
      threads,
      quantization: ONNX[name],
      extra: { maxPrefillTokens: 8192 },
    });
    await replica.launch();
    return new OnnxContender(name, replica, clock);
  }

  async generate(prompts: readonly number[][]): Promise<Times> {
    const begin = performance.now();
    await this.draw(prompts);
    return { prefillMs: this.clock.last - begin, decodeMs: performance.now() - this.clock.last };
  }

  draw(prompts: readonly number[][]): Promise<TokenOutput[]> {
    const sampling = { temperature: 1, topP: 1, topK: -1, maxTokens: TOKENS, logProbs: true, stop: ["never"] };
    return Promise.all(
      prompts.map((promptIds, row) => this.replica.generate({ requestId: `row ${row}`, promptIds, seed: 1, sampling })),
    );
  }

  async dispose(): Promise<void> {
    await this.replica.dispose();
  }
}

/** A decoder of the Python process, by the name that it has there. */
export class PythonContender implements Contender {
  private constructor(
    readonly name: "torch" | "transformers",
    private readonly python: LineProcess,
  ) {}

  static async start(name: "torch" | "transformers", python: LineProcess, { model, threads }: Setting) {
    await python.call({ do: "threads", threads });
    if (name === "torch") {
      await python.call({ do: "load", config: model.config, weights: path.join(model.folder, "model.safetensors") });
    } else {
      await python.call({ do: "load transformers", folder: model.folder });
    }
    return new PythonContender(name, python);
  }

  generate(prompts: readonly number[][]): Promise<Times> {
    return this.python.call({ do: "generate", with: this.name, prompts, tokens: TOKENS });
  }

  async dispose(): Promise<void> {}
}

/** llama.cpp over the same weights in float32, its cache in float32 too. */
export class LlamaContender implements Contender {
  readonly name = "llama.cpp";
  private constructor(private readonly process: LineProcess) {}

  static async start(python: LineProcess, { model, batch, threads }: Setting): Promise<LlamaContender> {
    const target = path.join(model.folder, "f32.gguf");
    await python.call({ do: "gguf", source: model.gguf, target });
    const llama = await LineProcess.start(process.execPath, "decode/llama-decoder.mjs");
    await llama.call({ do: "load", path: target, batch, length: PROMPT + TOKENS, threads });
    return new LlamaContender(llama);
  }

  generate(prompts: readonly number[][]): Promise<Times> {
    return this.process.call({ do: "generate", prompts, tokens: TOKENS });
  }

  async dispose(): Promise<void> {
    this.process.stop();
  }
}

/** Notes when a sequence's first token is drawn: a server decodes each token where a text may end the response. */
class FirstTokens {
  last = 0;

  decoder(): IncrementalDecoder {
    let isFirst = true;
    return {
      push: () => {
        if (isFirst) this.last = performance.now();
        isFirst = false;
        return "";
      },
      pending: () => "",
    };
  }
}
