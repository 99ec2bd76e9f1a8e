#!/usr/bin/env node
import { processIo } from "./io.js";
import { runCli } from "./run-cli.js";

// A reader that went away (`verl … | head`) does not end a run.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

process.exitCode = await runCli(process.argv.slice(2), processIo());
