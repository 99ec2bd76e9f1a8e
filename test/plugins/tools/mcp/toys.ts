import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A real server with the tools that the tests call. */
export function toyServer(prefix = ""): McpServer {
  const server = new McpServer({ name: "toys", version: "1.0.0" });
  const text = (...texts: string[]) => ({ content: texts.map((value) => ({ type: "text" as const, text: value })) });
  const numbers = { a: z.number(), b: z.number() };
  server.registerTool(`${prefix}add`, { description: "Adds.", inputSchema: numbers }, ({ a, b }) =>
    text(String(a + b)),
  );
  server.registerTool(`${prefix}words`, { description: "Says three words." }, () => text("one", "two", "three"));
  server.registerTool(`${prefix}picture`, { description: "Draws." }, () => ({
    content: [
      { type: "text", text: "a pixel" },
      { type: "image", data: PIXEL, mimeType: "image/png" },
      { type: "resource", resource: { uri: "file:///notes.txt", text: "from a file" } },
    ],
  }));
  server.registerTool(`${prefix}refuse`, { description: "Fails by its own account." }, () => ({
    ...text("no such city"),
    isError: true,
  }));
  server.registerTool(`${prefix}hang`, { description: "Never answers." }, () => new Promise(() => {}));
  server.registerTool(`${prefix}die`, { description: "Ends its server." }, () => process.exit(3));
  server.registerTool(`${prefix}env`, { description: "Names its environment's variables." }, () =>
    text(JSON.stringify(process.env)),
  );
  server.registerTool(`${prefix}pid`, { description: "Its process." }, () => text(String(process.pid)));
  server.registerTool(`${prefix}flood`, { description: "Says far too much." }, () => text("x".repeat(11 * 2 ** 20)));
  const fickle = server.registerTool(`${prefix}swap`, { description: "Is gone afterwards." }, () => {
    fickle.remove();
    server.registerTool(`${prefix}new`, { description: "Was not there." }, () => text("new"));
    return text("swapped");
  });
  return server;
}
