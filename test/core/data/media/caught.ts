import type { VerlError } from "../../../../core/plugin.js";
import { rejection } from "../support.js";

/** The coded error that a call throws, or a promise rejects with. */
export async function caught(work: Promise<unknown> | (() => unknown)): Promise<VerlError> {
  return (await rejection(typeof work === "function" ? (async () => work())() : work)) as VerlError;
}
