import type { LossAggMode } from "../../../core/algorithms/advantage.js";
import { aggLoss } from "../../../core/algorithms/agg-loss.js";
import { linearLogProb, linearLogProbBackward } from "../../../core/algorithms/linear-logprob.js";
import { addRowGradient, logitStatistics, rowStatistics } from "../../../core/algorithms/logits.js";
import type { Family, GoldenCase, Tensor } from "../case.js";
import { runLoss } from "./loss-case.js";

const vocabOf = ({ shape }: Tensor) => shape[shape.length - 1];

/** Gradient of Σ upstream · (log-probability or entropy) with respect to the logits. */
function gradient(c: GoldenCase, of: "logProb" | "entropy"): Float64Array | undefined {
  const upstream = c.optionalData("upstream");
  if (!upstream) return undefined;
  const logits = c.tensor("logits");
  const labels = c.optionalData("labels");
  const out = new Float64Array(logits.data.length);
  upstream.forEach((weight, row) => {
    const label = labels?.[row] ?? 0;
    addRowGradient(out, row, label, rowStatistics(logits.data, vocabOf(logits), row, label), { [of]: weight });
  });
  return out;
}

const statistics = (c: GoldenCase, temperature = 1) =>
  logitStatistics(c.data("logits"), vocabOf(c.tensor("logits")), c.optionalData("labels") ?? null, temperature);

export const entropyLogprobFamily: Family = {
  logprobs_from_logits: (c) => ({
    outputs: { log_probs: statistics(c).logProb },
    grad: { logits: gradient(c, "logProb") },
  }),

  entropy_from_logits(c) {
    const { entropy } = statistics(c);
    return {
      outputs: { entropy },
      grad: { logits: gradient(c, "entropy") },
      insteadOfNaN: { entropy: finiteEntropy(c) },
    };
  },

  /** Float32 inside: the expected value is a difference of two float32 numbers of the size of the largest logit. */
  entropy_from_logits_with_chunking(c) {
    const { entropy } = statistics(c);
    const [expected, logits] = [c.outputs.entropy as Tensor, c.tensor("logits")];
    const vocab = vocabOf(logits);
    const off = expected.data.findIndex((e, row) => {
      const size = Math.max(...logits.data.slice(row * vocab, (row + 1) * vocab).map(Math.abs));
      return !(Math.abs(entropy[row] - e) <= 1e-6 + 2e-5 * Math.abs(e) + size * 2 ** -22);
    });
    const problem = off < 0 ? null : `outputs.entropy[${off}]: ${entropy[off]}, expected ${expected.data[off]}`;
    return { checked: { entropy: problem } };
  },

  sum_pi_squared: (c) => ({ outputs: { sum_pi_squared: statistics(c).sumPiSquared } }),

  temperature_logprob(c) {
    const { logProb, entropy } = statistics(c, c.param("temperature"));
    return { outputs: { log_probs: logProb, entropy } };
  },

  entropy_loss(c) {
    const mask = c.tensor("response_mask");
    const entropy = { ...mask, data: Array.from(statistics(c).entropy) };
    const mode = c.param<LossAggMode>("loss_agg_mode");
    const { loss } = runLoss(
      { build: (g) => ({ loss: aggLoss(g, g.output("entropy"), mode), metrics: {} }) },
      { outputs: { entropy }, mask },
    );
    return { outputs: { loss } };
  },

  log_probs_from_logits_response(c) {
    const [ids, logits] = [c.tensor("input_ids"), c.tensor("logits")];
    const length = c.param<number>("response_length");
    const [rows, width] = ids.shape;
    // The logits at a position score the token after it.
    const logProbs = Array.from({ length: rows }, (_, b) =>
      Array.from({ length }, (_, t) => {
        const at = b * width + width - length + t;
        return rowStatistics(logits.data, vocabOf(logits), at - 1, ids.data[at]).logProb;
      }),
    );
    return { outputs: { log_probs: logProbs.flat() } };
  },

  fused_linear_logprob_entropy(c) {
    const hidden = c.tensor("hidden");
    const head = {
      hidden: hidden.data,
      weights: c.data("vocab_weights"),
      width: hidden.shape[1],
      labels: c.data("labels"),
      temperature: c.param<number>("temperature"),
    };
    const { logProb, entropy } = linearLogProb(head);
    const grad = linearLogProbBackward(head, {
      logProb: c.data("upstream_logprob"),
      entropy: c.data("upstream_entropy"),
    });
    return { outputs: { log_probs: logProb, entropy }, grad: { hidden: grad.hidden, vocab_weights: grad.weights } };
  },
};

/** The limit for −∞ logits, by a plain sum over the tokens that can occur. */
function finiteEntropy(c: GoldenCase): number[] {
  const logits = c.tensor("logits");
  const vocab = vocabOf(logits);
  return Array.from({ length: logits.data.length / vocab }, (_, row) => {
    const possible = logits.data.slice(row * vocab, (row + 1) * vocab).filter(Number.isFinite);
    const weights = possible.map((z) => Math.exp(z - Math.max(...possible)));
    const sum = weights.reduce((a, b) => a + b, 0);
    return -weights.reduce((h, w) => h + (w / sum) * Math.log(w / sum), 0);
  });
}
