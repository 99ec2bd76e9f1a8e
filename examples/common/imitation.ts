import {
  type charTokenizerFiles,
  createHost,
  packSequences,
  parseModelConfig,
  RandomStream,
  type SequenceInput,
  sftLoss,
  writeHfFolder,
} from "verl-ts";
import { type SmallLlama, smallLlama } from "./small-llama.js";

export interface ImitationOptions {
  readonly model: SmallLlama;
  readonly tokenizerFiles: ReturnType<typeof charTokenizerFiles>;
  readonly steps: number;
  /** Demonstrations of a step. */
  readonly batchSize: number;
  /** After the warm-up it falls from `peak` to `end` along a cosine; 1e-3 throughout by default. */
  readonly learningRate?: { readonly peak: number; readonly end: number };
  readonly seed: number;
  /** 0: as many as there are processors. */
  readonly threads: number;
  /** Names the random stream that demonstrations are drawn with. */
  readonly stream: string;
  /** The next demonstration: what the mask leaves out is read and not imitated. */
  demonstration(random: RandomStream): SequenceInput;
  say(text: string): void;
}

/**
 * The supervised stage: a model of random weights imitates demonstrations (mean negative log-likelihood of their tokens) and
 * is written as a Hugging Face folder, from which reinforcement learning starts.
 */
export async function imitate(folder: string, options: ImitationOptions): Promise<void> {
  const { model, tokenizerFiles, steps, batchSize, seed, threads, stream, demonstration, say } = options;
  const { peak, end } = options.learningRate ?? { peak: 1e-3, end: 1e-3 };
  const config = smallLlama(model);
  const random = new RandomStream(seed, stream);
  const host = await createHost();
  try {
    const services = await host.services();
    const engine = await services.createEngine("language_model", null, {
      model: { config, initSeed: seed },
      optimizer: {
        name: "adamw",
        lr: peak,
        betas: [0.9, 0.98],
        eps: 1e-8,
        weightDecay: 0.01,
        clipGrad: 1,
        schedule: { type: "cosine", warmupSteps: 30, totalSteps: steps, minLrRatio: end / peak, numCycles: 0.5 },
      },
      topology: { rank: 0, size: 1, isOutputSource: true },
      threads,
      seed,
      extra: {},
    });
    try {
      await engine.initialize();
      const loss = sftLoss();
      const mode = await engine.trainMode();
      try {
        for (let step = 1; step <= steps; step++) {
          const batch = packSequences(Array.from({ length: batchSize }, () => demonstration(random)));
          const result = await engine.trainBatch(batch, loss);
          await engine.lrSchedulerStep();
          if (step % 100 === 0 || step === steps) say(`   step ${step}/${steps}  loss ${result.loss.toFixed(3)}\n`);
        }
      } finally {
        await mode[Symbol.asyncDispose]();
      }
      await writeHfFolder(folder, {
        config: parseModelConfig(config),
        tensors: engine.getPerTensorParam(),
        tokenizerFiles,
      });
    } finally {
      await engine.dispose();
    }
  } finally {
    await host.dispose();
  }
}
