import { z } from "zod";
import { follows, fraction, key, nonNegative, positive, type Reference, real, section } from "./key.js";

const optimizerName = () => z.enum(["adamw", "AdamW"]).transform(() => "adamw" as const);

/** Optimizer and learning-rate schedule. */
export const optim = (defaults: { lr: number; clipGrad: Reference }) =>
  section("Optimizer and learning-rate schedule.", {
    optimizer: key(optimizerName(), "adamw", "Optimizer.", {
      differs: { verl: "AdamW", why: "the same one, written like every other name; AdamW is accepted" },
    }),
    lr: key(nonNegative(), defaults.lr, "Peak learning rate."),
    weight_decay: key(nonNegative(), 0.01, "Decoupled weight decay."),
    betas: key(z.tuple([fraction(), fraction()]), [0.9, 0.999], "Decay rates of AdamW's two moments."),
    eps: key(positive(), 1e-8, "AdamW's epsilon.", { differs: { why: "verl passes it in an open section" } }),
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
