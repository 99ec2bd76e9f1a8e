import { z } from "zod";
import { DEFAULT, type Dict, dict, fromPlain, type Path, pathText } from "../compose/tree.js";
import { type KeyInfo, keyInfo } from "../schema/key.js";
import { runConfigSchema } from "../schema/root.js";

/** A key of the configuration, for help and reference pages. */
export interface KeyEntry extends KeyInfo {
  readonly key: string;
  readonly path: Path;
  readonly type: z.ZodType;
  /** The type in words: `whole number >= 1`, `one of drop, wait`, `text or null`. */
  readonly typeText: string;
  /** Every value, where there are few: of an enumeration, `true` and `false`; with `null` where that is one. */
  readonly choices: readonly string[];
  /** An open section: keys below it are not ours to check. */
  readonly open: boolean;
}

export interface SectionEntry {
  readonly key: string;
  readonly path: Path;
  readonly description: string;
}

function isSection(type: z.ZodType): type is z.ZodObject {
  return type instanceof z.ZodObject;
}
function isOpen(type: z.ZodType): boolean {
  return type instanceof z.ZodRecord;
}

const keys: KeyEntry[] = [];
const sections: SectionEntry[] = [];
collect(runConfigSchema, []);

function collect(type: z.ZodObject, path: Path): void {
  if (path.length > 0) sections.push({ key: pathText(path), path, description: keyInfo(type).description });
  for (const [name, member] of Object.entries(type.shape) as [string, z.ZodType][]) {
    const inner = [...path, name];
    if (isSection(member)) collect(member, inner);
    else {
      keys.push({
        ...keyInfo(member),
        key: pathText(inner),
        path: inner,
        type: member,
        typeText: typeText(member),
        choices: choicesOf(member),
        open: isOpen(member),
      });
    }
  }
}

const byKey = new Map(keys.map((entry) => [entry.key, entry]));
const sectionByKey = new Map(sections.map((entry) => [entry.key, entry]));

/** Every key with a meaning here, in the order of the sections. */
export const configKeys: readonly KeyEntry[] = keys;
export const configSections: readonly SectionEntry[] = sections;

export const findKey = (key: string): KeyEntry | null => byKey.get(key) ?? null;
export const findSection = (key: string): SectionEntry | null => sectionByKey.get(key) ?? null;

/** The open section that a path lies in, if any. */
export function openSectionOf(path: Path): KeyEntry | null {
  for (let i = 1; i < path.length; i++) {
    const entry = byKey.get(pathText(path.slice(0, i)));
    if (entry) return entry.open || allowsKeys(entry.type) ? entry : null;
  }
  return null;
}

/** Keys that may hold a mapping of the user's own, such as `model.config`. */
function allowsKeys(type: z.ZodType): boolean {
  return type instanceof z.ZodNullable ? isOpen(type.unwrap() as z.ZodType) : isOpen(type);
}

/** The tree of defaults; references in it are not resolved yet. */
export function defaultTree(): Dict {
  return build(runConfigSchema);
}

function build(type: z.ZodObject): Dict {
  const entries = Object.entries(type.shape) as [string, z.ZodType][];
  return dict(
    DEFAULT,
    entries.map(([name, member]) => {
      return [name, isSection(member) ? build(member) : fromPlain(keyInfo(member).default, DEFAULT)] as const;
    }),
  );
}

function choicesOf(type: z.ZodType): string[] {
  if (type instanceof z.ZodNullable) {
    const inner = choicesOf(type.unwrap() as z.ZodType);
    return inner.length > 0 ? [...inner, "null"] : [];
  }
  if (type instanceof z.ZodPipe) return choicesOf(type.in as z.ZodType);
  if (type instanceof z.ZodEnum) return type.options.map(String);
  return type instanceof z.ZodBoolean ? ["true", "false"] : [];
}

/** A zod type in words. */
export function typeText(type: z.ZodType): string {
  const { form } = keyInfo(type);
  if (form) return form;
  if (type instanceof z.ZodNullable) return `${typeText(type.unwrap() as z.ZodType)} or null`;
  if (type instanceof z.ZodPipe) return typeText(type.in as z.ZodType);
  if (type instanceof z.ZodUnion)
    return [...new Set(type.options.map((option) => typeText(option as z.ZodType)))].join(" or ");
  if (type instanceof z.ZodEnum) return `one of ${type.options.join(", ")}`;
  if (type instanceof z.ZodNumber) return numberText(type);
  if (type instanceof z.ZodString) return "text";
  if (type instanceof z.ZodBoolean) return "true or false";
  if (type instanceof z.ZodArray) return `list of ${plural(typeText(type.element as z.ZodType))}`;
  if (type instanceof z.ZodTuple)
    return `list of ${type.def.items.length}: ${type.def.items.map((item) => typeText(item as z.ZodType)).join(", ")}`;
  if (type instanceof z.ZodRecord || type instanceof z.ZodObject) return "section";
  return "value";
}

function numberText(type: z.ZodNumber): string {
  const bounds: string[] = [];
  for (const check of type.def.checks ?? []) {
    const { check: kind, value, inclusive } = check._zod.def as { check: string; value?: number; inclusive?: boolean };
    if (kind === "greater_than") bounds.push(`${inclusive ? ">=" : ">"} ${value}`);
    if (kind === "less_than") bounds.push(`${inclusive ? "<=" : "<"} ${value}`);
  }
  return [type.isInt ? "whole number" : "number", bounds.join(" and ")].filter(Boolean).join(" ");
}

function plural(text: string): string {
  return text === "text" ? "texts" : text;
}
