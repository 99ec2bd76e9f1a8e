#!/usr/bin/env node
import { guardExit } from "./exit-guard.js";
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

const argv = process.argv.slice(2);
const io = processIo();
const finished = guardExit(io, argv.includes("--json"));
process.exitCode = await runCli(argv, io);
finished();
setTimeout(() => process.exit(), LINGER_MS).unref();
