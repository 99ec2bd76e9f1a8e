/** Named settings of rollout correction, as the reference names them. */
import { errors } from "../errors.js";
import { ROLLOUT_CORRECTION_OFF, type RolloutCorrectionConfig } from "./config.js";

type Part = Partial<RolloutCorrectionConfig>;
const token: Part = { rolloutIs: "token" };
const sequence: Part = { rolloutIs: "sequence" };
const icepop: Part = { rolloutIs: "token", rolloutIsThreshold: "0.5_5.0" };
const geometric: Part = { rolloutRs: "seq_mean_k1", rolloutRsThreshold: "0.999_1.001" };
const k3: Part = { rolloutRs: "seq_mean_k3", rolloutRsThreshold: 0.01 };
const bypass: Part = { bypassMode: true };
const gradient: Part = { bypassMode: true, lossType: "reinforce" };

const PRESETS: Readonly<Record<string, Part>> = {
  decoupled_token_is: token,
  decoupled_seq_is: sequence,
  decoupled_token_icepop: icepop,
  decoupled_seq_is_rs: { ...sequence, rolloutRs: "seq_sum_k1", rolloutRsThreshold: "0.5_2.0" },
  decoupled_geo_rs: geometric,
  decoupled_geo_rs_seq_tis: { ...geometric, ...sequence },
  decoupled_geo_rs_token_tis: { ...geometric, ...token },
  decoupled_k3_rs: k3,
  decoupled_k3_rs_seq_tis: { ...k3, ...sequence },
  decoupled_k3_rs_token_tis: { ...k3, ...token },
  bypass_ppo_clip: bypass,
  bypass_ppo_clip_geo_rs: { ...bypass, ...geometric },
  bypass_ppo_clip_k3_rs: { ...bypass, ...k3 },
  bypass_pg_is: { ...gradient, ...sequence },
  bypass_pg_token_icepop: { ...gradient, ...icepop },
  bypass_pg_geo_rs: { ...gradient, ...geometric },
  bypass_pg_geo_rs_seq_tis: { ...gradient, ...geometric, ...sequence },
  bypass_pg_geo_rs_token_tis: { ...gradient, ...geometric, ...token },
  disabled: {},
};

export const ROLLOUT_CORRECTION_PRESETS: readonly string[] = Object.keys(PRESETS);

export function rolloutCorrectionPreset(name: string, changes: Part = {}): RolloutCorrectionConfig {
  const preset = PRESETS[name];
  if (!preset) {
    throw errors.VERL_ALGORITHMS_UNKNOWN_NAME({
      what: `there is no rollout-correction preset "${name}"`,
      why: `known: ${ROLLOUT_CORRECTION_PRESETS.join(", ")}`,
    });
  }
  return { ...ROLLOUT_CORRECTION_OFF, ...preset, ...changes };
}
