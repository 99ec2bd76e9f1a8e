#!/usr/bin/env node
import { processIo } from "./io.js";
import { runCli } from "./run-cli.js";

/** How long something that a user's file left running (a timer, a socket) may keep the process alive. */
const LINGER_MS = 1000;

// A reader that went away (`verl … | head`) does not end a run.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

process.exitCode = await runCli(process.argv.slice(2), processIo());
setTimeout(() => process.exit(), LINGER_MS).unref();
