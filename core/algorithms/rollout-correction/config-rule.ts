import type { Rule } from "../../config/rules/rules.js";
import { isVerlError } from "../../host/errors.js";
import { parseIsThreshold, parseRejectionOptions, parseRsThresholds, type RejectionOption } from "./config.js";

const AT = "algorithm.rollout_correction";

/** The texts of `algorithm.rollout_correction`, judged before a run starts and each at its own place. */
export const rolloutCorrectionRule: Rule = (report) => {
  const { rollout_is_threshold, rollout_rs, rollout_rs_threshold } = report.config.algorithm.rollout_correction;
  const judge = <T>(name: string, fix: string, parse: () => T): T | null => {
    try {
      return parse();
    } catch (error) {
      if (!isVerlError(error)) throw error;
      const key = `${AT}.${name}`;
      report.problem("VERL_CONFIG_TYPE", key, { what: `algorithm.${error.what}`, why: error.why, fix });
      return null;
    }
  };
  judge("rollout_is_threshold", "Write an upper bound such as 2.0, or low_high such as '0.5_5.0'.", () =>
    parseIsThreshold(rollout_is_threshold),
  );
  const options =
    rollout_rs === null
      ? null
      : judge("rollout_rs", "Write options with commas between them, e.g. token_k1 or seq_mean_k3.", () =>
          parseRejectionOptions(rollout_rs),
        );
  if (options !== null) {
    judge("rollout_rs_threshold", "Write one threshold for all options or one each, e.g. '0.5_2.0' or '2.0,0.1'.", () =>
      parseRsThresholds(options, rollout_rs_threshold),
    );
  } else if (rollout_rs_threshold !== null) {
    // Which options they are for is not known: each must be a number, or two.
    const parts = String(rollout_rs_threshold).split(",");
    const anyOptions = parts.map((_, i) => `option ${i + 1}_k1` as RejectionOption);
    judge("rollout_rs_threshold", "Write one threshold for all options or one each, e.g. '0.5_2.0' or '2.0,0.1'.", () =>
      parseRsThresholds(anyOptions, rollout_rs_threshold),
    );
  }
};
