import { ownCopy } from "../../host/util/own-copy.js";
import type { AgentLoop, AgentLoopContext, AgentLoopFactory, AgentLoopMarks } from "../agent-loop.js";
import { agentErrors } from "../errors.js";

/** A user's agent loop as a class: constructed anew for every sample. */
export type AgentLoopClass = new (context: AgentLoopContext) => AgentLoop;

/**
 * A factory from what a user's module exports: a class with `run`, or a factory object `{create(context)}`. `options` are
 * the further keys of its entry in `agent_loop_config_path`; they win over the section `agent.loops.<name>`, as `marks` of the
 * entry do over the export's own. `where` names the export in errors.
 */
export function agentLoopFromExport(
  name: string,
  exported: unknown,
  options: Readonly<Record<string, unknown>> = {},
  where?: string,
  marks: AgentLoopMarks = {},
): AgentLoopFactory {
  const create = creatorOf(exported);
  if (!create) {
    throw agentErrors.VERL_AGENT_BAD_LOOP({
      what: `the agent loop "${name}" is ${exported === undefined ? "not exported" : describe(exported)}`,
      where,
    });
  }
  return {
    name,
    ...marksOf(exported),
    ...marks,
    create: (context) => create({ ...context, options: { ...context.options, ...ownCopy(options) } }),
  };
}

/** The marks that a class or an object has. */
export function marksOf(exported: unknown): AgentLoopMarks {
  const { scoresItself, rendersTools } = Object(exported) as Record<keyof AgentLoopMarks, unknown>;
  return {
    ...(typeof scoresItself === "boolean" ? { scoresItself } : {}),
    ...(typeof rendersTools === "boolean" ? { rendersTools } : {}),
  };
}

function creatorOf(exported: unknown): AgentLoopFactory["create"] | null {
  if (typeof exported === "function" && typeof exported.prototype?.run === "function") {
    return (context) => new (exported as AgentLoopClass)(context);
  }
  if (typeof exported === "object" && exported !== null && "create" in exported) {
    const factory = exported as AgentLoopFactory;
    if (typeof factory.create === "function") return (context) => factory.create(context);
  }
  return null;
}

function describe(value: unknown): string {
  if (typeof value === "function") return "a function or class without a method run";
  return typeof value === "object" && value !== null ? "an object without create" : `a ${typeof value}`;
}
