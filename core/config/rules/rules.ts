import { type Dict, isSet, nodeAt, sourceText } from "../compose/tree.js";
import type { Notice, Problem } from "../problems.js";
import type { RunConfig } from "../schema/root.js";

/** What a rule about several keys reports to. */
export class RuleReport {
  readonly problems: Problem[] = [];
  readonly notices: Notice[] = [];

  constructor(
    readonly config: RunConfig,
    private readonly tree: Dict,
  ) {}

  problem(code: Problem["code"], key: string, details: { what: string; why?: string; fix?: string }): void {
    this.problems.push({ code, key, where: this.whereOf(key), ...details });
  }

  notice(level: Notice["level"], key: string, message: string): void {
    this.notices.push({ level, key, message, where: this.whereOf(key) });
  }

  /** Whether the user set the key, in a file, the environment or an override. */
  isSet(key: string): boolean {
    return isSet(this.tree, key);
  }

  whereOf(key: string): string | undefined {
    const node = nodeAt(this.tree, key.split("."));
    return node ? `${key} (${sourceText(node.source)})` : undefined;
  }
}

export type Rule = (report: RuleReport) => void;

/** The multiples of `unit` on both sides of `value`, e.g. `8 or 12`. */
export function nearestMultiples(value: number, unit: number): string {
  const below = Math.floor(value / unit) * unit;
  return below > 0 ? `${below} or ${below + unit}` : String(below + unit);
}

/** The divisors of `whole` nearest to `value`. */
export function nearestDivisors(whole: number, value: number): string {
  let below = Math.min(Math.floor(value), whole);
  while (below > 1 && whole % below !== 0) below--;
  let above = Math.max(1, Math.ceil(value));
  while (above < whole && whole % above !== 0) above++;
  const choices = [below, above].filter((candidate) => candidate >= 1 && whole % candidate === 0);
  return [...new Set(choices)].join(" or ");
}
