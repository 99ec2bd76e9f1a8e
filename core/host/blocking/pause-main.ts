import { type Debugger, Session } from "node:inspector";
import type { BlockedFrame } from "./blocked-stack.js";

export interface PausedMain {
  /** Innermost first. */
  readonly frames: readonly BlockedFrame[];
  /** Evaluates in this frame. Within Node.js's own, not even `Symbol` may be there: rejects with what is thrown. */
  evaluate(expression: string, frame: BlockedFrame): Promise<unknown>;
}

/** Between two looks at a thread that runs on. */
const AGAIN_MS = 5;

/**
 * From a worker: pauses the main thread in JavaScript and lets it go on when `paused` has settled; while that says `again`,
 * once more after a moment. Native code is not interrupted: the pause comes after it.
 */
export async function pauseMain(paused: (main: PausedMain) => Promise<"again" | "done">): Promise<void> {
  const session = new Session();
  const urls = new Map<string, string>();
  session.on("Debugger.scriptParsed", ({ params }) => urls.set(params.scriptId, params.url));
  session.connectToMainThread();
  session.post("Debugger.enable");
  try {
    for (let next = "again"; next === "again"; await afterwards(AGAIN_MS)) {
      const stack = await nextPause(session);
      const frames = stack.map((frame) => shortFrame(frame, urls));
      try {
        next = await paused({
          frames,
          evaluate(expression, frame) {
            const { callFrameId } = stack[Math.max(0, frames.indexOf(frame))];
            return evaluated(session, { callFrameId, expression, returnByValue: true });
          },
        });
      } finally {
        session.post("Debugger.resume");
      }
    }
  } finally {
    session.post("Debugger.disable", () => session.disconnect());
  }
}

function nextPause(session: Session): Promise<readonly Debugger.CallFrame[]> {
  return new Promise((resolve) => {
    session.once("Debugger.paused", ({ params }) => resolve(params.callFrames));
    session.post("Debugger.pause");
  });
}

function evaluated(session: Session, params: Debugger.EvaluateOnCallFrameParameterType): Promise<unknown> {
  return new Promise((resolve, reject) => {
    session.post("Debugger.evaluateOnCallFrame", params, (error, reply) => {
      if (error || reply.exceptionDetails)
        reject(error ?? new Error(reply.exceptionDetails?.exception?.description ?? reply.exceptionDetails?.text));
      else resolve(reply.result.value);
    });
  });
}

const afterwards = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function shortFrame({ functionName: name, location }: Debugger.CallFrame, urls: Map<string, string>): BlockedFrame {
  const { scriptId, lineNumber, columnNumber = 0 } = location;
  return { name, url: urls.get(scriptId) ?? "", line: lineNumber + 1, column: columnNumber + 1 };
}
