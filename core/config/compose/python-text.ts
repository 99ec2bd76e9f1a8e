import type { Node, Scalar } from "./tree.js";

/** A value inside text, spelled as Python spells it (`True`, `None`, `1e-06`, `1.0`): files written for verl keep their meaning. */
export function pythonText(node: Node): string {
  return node.kind === "scalar" && typeof node.value === "string" ? node.value : repr(node);
}

function repr(node: Node): string {
  if (node.kind === "list") return `[${node.items.map(repr).join(", ")}]`;
  if (node.kind === "dict") {
    return `{${[...node.entries].map(([key, item]) => `${quoted(key)}: ${repr(item)}`).join(", ")}}`;
  }
  const { value } = node;
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return quoted(value);
  return number(node);
}

function number({ value, float }: Scalar): string {
  const size = value as number;
  if (Number.isNaN(size)) return "nan";
  if (!Number.isFinite(size)) return size > 0 ? "inf" : "-inf";
  if (!float && Number.isInteger(size)) return BigInt(size).toString();
  const [mantissa, exponentText] = size.toExponential().split("e");
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 16) {
    const digits = String(Math.abs(exponent)).padStart(2, "0");
    return `${mantissa}e${exponent < 0 ? "-" : "+"}${digits}`;
  }
  const plain = Object.is(size, -0)
    ? "-0"
    : exponent < 0
      ? size.toFixed(mantissa.replace(/^-?\d\.?/, "").length - exponent)
      : String(size);
  return plain.includes(".") ? plain : `${plain}.0`;
}

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
  return quote + escaped.replaceAll(quote, `\\${quote}`) + quote;
}
