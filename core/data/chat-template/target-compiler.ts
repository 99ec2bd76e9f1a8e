import type { Activation } from "./activation.js";
import type { Target } from "./ast.js";
import { fail } from "./errors.js";
import type { Compute, Frame } from "./frame.js";
import { iterate } from "./operators.js";
import { Namespace, PyTuple, type PyValue } from "./values.js";

/** The function that assigns to a target. */
export function compileTarget(target: Target, frame: Frame): (at: Activation, value: PyValue) => void {
  if (target.type === "targets") {
    const items = target.items.map((item) => compileTarget(item, frame));
    return (at, value) => {
      const values = unpack(value, items.length);
      for (const [i, assign] of items.entries()) assign(at, values[i]);
    };
  }
  if (target.type === "namespace") {
    const slot = frame.symbols.slot(target.object);
    return (at, value) => {
      const object = at.get(slot);
      if (!(object instanceof Namespace)) {
        return fail("TemplateRuntimeError", `cannot assign attribute '${target.name}' on a non-namespace object`);
      }
      object.values.set(target.name, value);
    };
  }
  const slot = frame.symbols.slot(target.name);
  if (!frame.topLevel) return (at, value) => at.set(slot, value);
  return (at, value) => {
    at.set(slot, value);
    at.context.exported.set(target.name, value);
  };
}

function unpack(value: PyValue, count: number): PyValue[] {
  const values: PyValue[] = [];
  for (const item of iterate(value)) {
    if (values.push(item) > count) break;
  }
  return values.length === count ? values : fail("ValueError", `expected ${count} values to unpack`);
}

/** What was assigned to a target of names: one value, or a tuple. */
export function compileRead(target: Target, frame: Frame): Compute {
  if (target.type === "targets") {
    const items = target.items.map((item) => compileRead(item, frame));
    return (at) => new PyTuple(items.map((item) => item(at)));
  }
  const slot = frame.symbols.slot(target.name);
  return (at) => at.get(slot) as PyValue;
}
