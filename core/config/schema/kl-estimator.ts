import { z } from "zod";

/** Names of the per-token KL estimators, the same for the KL in the reward and the KL loss. */
const KL_ESTIMATORS = [
  "kl",
  "k1",
  "abs",
  "mse",
  "k2",
  "low_var_kl",
  "k3",
  "kl+",
  "k1+",
  "abs+",
  "mse+",
  "k2+",
  "low_var_kl+",
  "k3+",
] as const;

export const klEstimator = () => z.enum(KL_ESTIMATORS);
