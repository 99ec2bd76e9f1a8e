import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import type { AgentLoopContext, ToolSession } from "verl-ts/plugin";

/**
 * The run's tools as LangChain's: the same objects, called the same way. LangChain checks the arguments, and what a tool throws
 * becomes an answer in the graph.
 */
export function langchainTools(
  { tools, signal }: Pick<AgentLoopContext, "tools" | "signal">,
  session: ToolSession,
): StructuredToolInterface[] {
  let calls = 0;
  return tools.names.map((name) => {
    const own = tools.find(name)!;
    const { description = name, parameters = { type: "object", properties: {} } } = own.schema.function;
    return tool(
      async (args: Record<string, unknown>) => {
        const instance = `${session.trajectoryId}-${name}-${calls++}`;
        await own.create?.(instance, {}, session);
        try {
          return (await own.execute(instance, args as never, signal, session)).text;
        } finally {
          await own.release?.(instance);
        }
      },
      { name, description, schema: parameters as never },
    );
  });
}
