import { LineProcess } from "./line-process.js";

/** A counterpart in Python, run by the interpreter that `VERL_BENCH_PYTHON` names. */
export const PythonProcess = {
  /** `script` is relative to `bench`. */
  async start(python: string, script: string): Promise<LineProcess> {
    try {
      return await LineProcess.start(python, script);
    } catch (error) {
      console.error(
        `VERL_BENCH_PYTHON=${python} cannot run bench/${script}: ${error instanceof Error ? error.message : error}\n` +
          "Name a Python that has numpy and torch, or leave the variable out to measure without them.",
      );
      process.exit(2);
    }
  },
};
export type PythonProcess = LineProcess;
