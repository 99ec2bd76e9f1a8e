import { expect } from "chai";
import fc from "fast-check";
import { parseSettingsJson, TwoValuesError } from "../../../../core/host/util/settings-json.js";

describe("core/host/util/settings-json", () => {
  it("refuses a key with two values, however deep and however it is written", () => {
    for (const text of [
      '{"a": 1, "a": 2}',
      '{"a": 1,\n "b": [{"c": {"a": [], "a": {}}}]}',
      '{"a": 1, "\\u0061": "1"}',
      '{"x": {"a": {"b": 1}, "y": [1, {"a": 1}], "a": {"b": 2}}}',
    ]) {
      expect(() => parseSettingsJson(text), text).to.throw(TwoValuesError, 'the key "a" has two values');
    }
    expect(() => parseSettingsJson('{\n"a": 1,\n\n"a": 2}')).to.throw("in line 2 and in line 4");
  });

  it("takes the same value twice, and one key in several objects", () => {
    expect(parseSettingsJson('{"a": 1, "b": {"a": 2}, "c": [{"a": 3}, {"a": 4}], "a": 1 }')).to.deep.include({ a: 1 });
  });

  it("reads whatever has no key twice as JSON.parse does", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom('"', "\\", '{"a": 1, "a": 2}', "__proto__"));
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { depthSize: "medium" },
        fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
        fc.array(tie("json"), { maxLength: 4 }),
        fc.dictionary(text, tie("json"), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 1), (value, indent) => {
        const written = JSON.stringify(value, null, indent);
        expect(parseSettingsJson(written)).to.deep.equal(JSON.parse(written));
      }),
    );
  });

  it("finds a second value behind whatever the first one is", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.string(), (inner, text) => {
        const key = JSON.stringify(text);
        const written = `[${inner}, {${key}: ${inner}, ${JSON.stringify(`${text}x`)}: ${inner}, ${key}: [${inner}]}]`;
        expect(() => parseSettingsJson(written)).to.throw(TwoValuesError);
      }),
    );
  });
});
