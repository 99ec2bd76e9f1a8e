import { expect } from "chai";
import { typedValue } from "../../../../core/agent/tool-parsers/typed-value.js";
import type { JsonValue } from "../../../../core/plugin.js";

/** Type, text, JSON. */
const BY_TYPE: readonly (readonly [type: string, text: string, json: string])[] = [
  ["integer", "3", "3"],
  ["integer", " -4 ", "-4"],
  ["integer", "+5", "5"],
  ["integer", "007", "7"],
  ["integer", "-0", "0"],
  ["integer", "12345678901234567890123", "12345678901234567890123"],
  ["integer", "three", '"three"'],
  ["integer", "2.0", '"2.0"'],
  ["integer", "1e3", '"1e3"'],
  ["int32", "1", "1"],
  ["uint", "1", "1"],
  ["long", "1", "1"],
  ["short", "1", "1"],
  ["unsigned int", "1", "1"],
  ["Integer", "1", "1"],
  ["number", "120.0", "120"],
  ["number", "1e3", "1000"],
  ["number", "1.5e3", "1500"],
  ["number", "-2.50", "-2.5"],
  ["number", "-0.0", "0"],
  ["number", "-0.5", "-0.5"],
  ["number", ".5", "0.5"],
  ["number", "5.", "5"],
  ["number", "0.10", "0.1"],
  ["number", "1e-3", "1e-3"],
  ["number", "12e-1", "12e-1"],
  ["number", "120e-1", "12"],
  ["number", "12345678901234567890123.0", "12345678901234567890123"],
  ["number", "0.12345678901234567890123", "0.12345678901234567890123"],
  ["number", "1e400", '"1e400"'],
  ["number", "nan", '"nan"'],
  ["number", "inf", '"inf"'],
  ["number", ".", '"."'],
  ["number", "", '""'],
  ["float", "2", "2"],
  ["boolean", "true", "true"],
  ["boolean", "TRUE", "true"],
  ["boolean", "false", "false"],
  ["boolean", "yes", "false"],
  ["boolean", "1", "false"],
  ["bool", "True", "true"],
  ["string", "00123", '"00123"'],
  ["string", "3.0", '"3.0"'],
  ["string", "NULL", "null"],
  ["string", " null", '" null"'],
  ["string", 'a\n"b"\\', '"a\\n\\"b\\"\\\\"'],
  ["object", '{"a": 1.0}', '{"a": 1.0}'],
  ["object", ' {"a":1}\n', '{"a":1}'],
  ["object", "{'a': None}", '{"a": null}'],
  ["object", "{a: 1}", '"{a: 1}"'],
  ["array", "[true, null]", "[true, null]"],
  ["array", "[True, None]", "[true, null]"],
  ["array", "(1,2)", "[1, 2]"],
  ["array", "{1,2}", '"{1,2}"'],
  ["array", "a, b", '"a, b"'],
  ["null", "x", '"x"'],
];

const SCHEMAS: readonly (readonly [schema: JsonValue | undefined, text: string, json: string])[] = [
  [undefined, "5", '"5"'],
  [undefined, "Null", "null"],
  [{}, "5", '"5"'],
  [{ description: "x" }, "5", '"5"'],
  [true, "5", '"5"'],
  [{ type: ["integer", "null"] }, "5", "5"],
  [{ type: ["integer", "null"] }, "five", '"five"'],
  [{ anyOf: [{ type: "integer" }, { type: "null" }] }, "5", "5"],
  [{ anyOf: [{ type: "string" }, { type: "null" }] }, "5", '"5"'],
  [{ oneOf: [{ type: "array" }, { type: "string" }] }, "[1]", "[1]"],
  [{ type: 5 }, "5", "5"],
];

describe("agent/tool-parsers: values by schema", () => {
  for (const [type, text, json] of BY_TYPE) {
    it(`${type}: ${JSON.stringify(text)} is ${json}`, () => {
      expect(typedValue(text, { type })).to.equal(json);
    });
  }

  for (const [schema, text, json] of SCHEMAS) {
    it(`${JSON.stringify(schema)}: ${JSON.stringify(text)} is ${json}`, () => {
      expect(typedValue(text, schema)).to.equal(json);
    });
  }
});
