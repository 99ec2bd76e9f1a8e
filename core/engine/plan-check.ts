import { type ErrorCode, isVerlError } from "../host/errors.js";
import type { EngineCapabilities, EngineModelInfo } from "./engine.js";

/** What an engine or an inference server cannot do of what it is asked for, or would do to no good. */
export interface PlanFinding {
  /** `problem`: it would not start, or fail later. `warning`: it would run. */
  readonly level: "problem" | "warning";
  /**
   * The member of the options that is at fault, with dots: `quantization`, `adapter.rank`, `extra.attention`. The host tells the user
   * which key set it, and where.
   */
  readonly option: string;
  readonly what: string;
  readonly why?: string;
  readonly fix?: string;
  /** Of the error with which a start would end; absent: `VERL_CONFIG_UNFIT`. */
  readonly code?: ErrorCode;
}

/** The model that options name, as far as its files or its configuration tell. */
export type PlannedModel = Pick<EngineModelInfo, "vocabSize" | "maxPositions">;

/** What is known of an engine before it is made. The host compares it with the run: lengths, tokenizer, losses, media. */
export interface EngineCheck {
  readonly capabilities: EngineCapabilities;
  /** Null where it cannot be known without starting something, or the model cannot be read. */
  readonly model: PlannedModel | null;
  readonly findings: readonly PlanFinding[];
}

/** A look at one member of the options: throws a coded error where it cannot be used. */
export type OptionLook = readonly [option: string, look: () => unknown];

/**
 * Looks at several members of the options, each by what would refuse it at the start, and gathers the coded errors as problems: a
 * user wants to hear of all of them. Other errors are thrown. An error's `data.member` says what inside the member is wrong.
 */
export async function findProblems(looks: readonly OptionLook[]): Promise<PlanFinding[]> {
  const findings: PlanFinding[] = [];
  for (const [option, look] of looks) {
    try {
      await look();
    } catch (error) {
      if (!isVerlError(error)) throw error;
      const { code, what, where, why, fix, data } = error;
      findings.push({
        level: "problem",
        option: typeof data?.member === "string" ? `${option}.${data.member}` : option,
        code,
        what: where === undefined ? what : `${what} (${where})`,
        ...(why === undefined ? {} : { why }),
        ...(fix === undefined ? {} : { fix }),
      });
    }
  }
  return findings;
}
