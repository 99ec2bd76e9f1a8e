/** `node stdio-server.js [PREFIX] [--stubborn]`: the toys over standard input and output. */
import { spawn } from "node:child_process";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { toyServer } from "./toys.js";

const [prefix = ""] = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
if (process.argv.includes("--noisy")) console.log("this line is no message");
if (process.argv.includes("--slow")) await new Promise((resolve) => setTimeout(resolve, 800));
if (process.argv.includes("--stubborn")) {
  // Stays when its input ends and when it is asked to go, and has a child that nobody waits for.
  process.on("SIGTERM", () => {});
  spawn(process.execPath, ["-e", `setInterval(() => {}, 1000) // ${process.env.MARKER}`], { stdio: "inherit" });
  setInterval(() => {}, 1000);
}
await toyServer(prefix).connect(new StdioServerTransport());
