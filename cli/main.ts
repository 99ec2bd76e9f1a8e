#!/usr/bin/env node
import { endProcess } from "../core/host/basics.js";
import { processIo } from "./program/io.js";
import { watchOutputs } from "./program/lost-output.js";
import { runCli } from "./run-cli.js";
import { guardExit } from "./runs/exit-guard.js";

/** How long something that a user's file left running (a timer, a socket) may keep the process alive. */
const LINGER_MS = 1000;

const argv = process.argv.slice(2);
const io = processIo();
const codeOf = watchOutputs(io, process);
const finished = guardExit(io, argv.includes("--json"));
process.exitCode = codeOf(await runCli(argv, io));
finished();
setTimeout(() => {
  const code = Number(process.exitCode);
  // A success stays one, whatever is left waiting.
  if (code === 0) process.exit();
  else endProcess(code);
}, LINGER_MS).unref();
