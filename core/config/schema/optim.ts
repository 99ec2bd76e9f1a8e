import { z } from "zod";
import { count, flag, follows, fraction, key, nonNegative, positive, type Reference, real, section } from "./key.js";
import { MAX_ITERATIONS } from "./most.js";

/** Names of PyTorch's classes are accepted as well. */
const optimizerName = () =>
  z
    .enum(["adamw", "sgd", "muon", "AdamW", "SGD", "Muon"])
    .transform((name) => name.toLowerCase() as "adamw" | "sgd" | "muon");

const PARAMETER_KINDS = ["embedding", "head", "norm", "bias", "matrix"] as const;
const rateOf = (what: string) =>
  key(nonNegative(), 1, `Of ${what}.`, { differs: { why: "rates by kind of parameter, as Muon's authors use them" } });

const openSection = "verl passes it in an open section";

/** Optimizer and learning-rate schedule. */
export const optim = (defaults: { lr: number; clipGrad: Reference }) =>
  section("Optimizer and learning-rate schedule.", {
    optimizer: key(
      optimizerName(),
      "adamw",
      "Optimizer: adamw, sgd, or muon, which leaves all but matrices to adamw.",
      {
        differs: { verl: "AdamW", why: "the same one, written like every other name; AdamW is accepted" },
      },
    ),
    lr: key(nonNegative(), defaults.lr, "Peak learning rate."),
    weight_decay: key(nonNegative(), 0.01, "Decoupled weight decay; with sgd it is added to the gradient."),
    no_decay: key(
      z.array(z.enum(PARAMETER_KINDS)),
      [],
      "Kinds of parameters without weight decay, e.g. [norm, bias].",
      {
        differs: { why: "everything decays in verl" },
      },
    ),
    betas: key(z.tuple([fraction(), fraction()]), [0.9, 0.999], "Decay rates of AdamW's two moments."),
    eps: key(positive(), 1e-8, "AdamW's epsilon.", { differs: { why: openSection } }),
    momentum: key(
      z.number().min(0).lt(1).nullable(),
      null,
      "Momentum of sgd and muon; null = 0 for sgd, 0.95 for muon.",
      { differs: { why: openSection } },
    ),
    nesterov: key(flag().nullable(), null, "Nesterov's form of the momentum; null = off for sgd, on for muon.", {
      differs: { why: openSection },
    }),
    muon: section("What only muon has.", {
      scale: key(
        z.enum(["match_rms_adamw", "original", "spectral_unclamped"]),
        "match_rms_adamw",
        "How the rate depends on a matrix's shape: as large as AdamW's updates, or as one of its authors has it.",
        { differs: { why: openSection } },
      ),
      iterations: key(count(MAX_ITERATIONS), 5, "Newton-Schulz iterations.", {
        guarded: true,
        differs: { why: openSection },
      }),
    }),
    lr_scale: section("Factors of the learning rate by kind of parameter.", {
      embedding: rateOf("embeddings of tokens and positions, a tied head included"),
      head: rateOf("an untied head"),
      norm: rateOf("norms"),
      bias: rateOf("biases"),
      matrix: rateOf("linear maps between embedding and head, adapters included"),
    }),
    ema_decay: key(
      z.number().min(0).lt(1).nullable(),
      null,
      "Keep a moving average of the weights with this decay per update; exports have it in a folder of its own.",
      { differs: { why: "verl keeps none" } },
    ),
    clip_grad: key(nonNegative(), defaults.clipGrad, "Bound of the global gradient norm; 0 = no clipping.", {
      differs: { verl: 1.0, why: "`grad_clip` and `optim.clip_grad` are one bound" },
    }),
    lr_scheduler_type: key(
      z.enum(["constant", "cosine", "wsd"]),
      "constant",
      "constant; cosine down to `min_lr_ratio`; wsd = warm-up, stable, decay.",
    ),
    lr_warmup_steps: key(z.int().min(-1), -1, "Training steps of linear warm-up; -1 = by `lr_warmup_steps_ratio`.", {
      unit: "steps",
    }),
    lr_warmup_steps_ratio: key(fraction(), 0.0, "Warm-up as a share of the run."),
    min_lr_ratio: key(fraction(), 0.0, "Final rate as a share of the peak."),
    num_cycles: key(real(), 0.5, "Cosine cycles over the run; 0.5 = one descent."),
    stable_steps: key(
      z.int().min(0).nullable(),
      null,
      "wsd: training steps at the peak; null = up to the last tenth.",
      {
        unit: "steps",
        differs: { why: "the wsd schedule needs it" },
      },
    ),
    total_training_steps: key(z.int().min(-1), -1, "Horizon of the schedule; -1 = the length of the run.", {
      unit: "steps",
    }),
  });

const parts = () => z.array(z.enum(["model", "optimizer", "extra", "hf_model"]));

/** What a checkpoint holds. */
export const checkpoint = (at: string) =>
  section("What a checkpoint holds.", {
    save_contents: key(
      parts(),
      ["model", "optimizer", "extra"],
      "Parts to write; `extra` = schedule and random states; `hf_model` adds a Hugging Face folder.",
    ),
    load_contents: key(parts(), follows(`${at}.checkpoint.save_contents`), "Parts to read on resume."),
  });
