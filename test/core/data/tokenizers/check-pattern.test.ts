import { expect } from "chai";
import { checkPattern } from "../../../../core/data/tokenizer/regex/check-pattern.js";

const FINE = [
  "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}++|\\p{N}{1,3}+| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*+|\\s++$|\\s*[\\r\\n]|\\s+(?!\\S)|\\s",
  "[^\\r\\n\\p{L}\\p{N}]?((?=[\\p{L}])([^a-z]))*((?=[\\p{L}])([^A-Z]))+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  "\\p{N}{1,3}(?=(?:\\p{N}{3})*(?!\\p{N}))",
  " ?[^(\\s|[.,!?…。，、।۔،])]+",
  "(?:\\r?\\n)+|a",
  "(?>a+|b)*c",
  "(a+)*+c",
  "(?:a+){3}(a|b){2,5}c",
  "[(a+)+]+[]a|b]*[^]|]+[[:alpha:]|(]*c",
  "\\(a+\\)+(?#a+ +)(?=a+|b)+c",
  "(?=(a+)+)c",
  "(?:a*)*c|(?:[ab]+)+c",
];
const ENDLESS = [
  "(a+)+$",
  "(a*)*b",
  "x|(a|a)+$",
  "(?:a|ab)*c",
  "(?i:a{1,3})+[b]",
  "((a?)b)*(c)",
  "(?<n>a+)+?c",
  "(a+){2,}c",
  "a+*c",
  "(?=x)(?:(?:a|b)c)+\\d",
  "((a+)+)c",
  "((a+)+|b)c",
  "(?:(a+)+)*",
  "(?:(?:ab)+)+c",
  "(?:a{1,3})+c",
  "(?i)(?:a+)+c",
  "(?:a+b?)+c",
  "(?=(a+)+c)",
];

describe("patterns of tokenizers", () => {
  for (const pattern of FINE) it(`take ${pattern}`, () => checkPattern(pattern));
  for (const pattern of ENDLESS)
    it(`refuse ${pattern}`, () => expect(() => checkPattern(pattern)).to.throw("take for ever"));
  for (const [what, pattern] of [
    ["long ones", "a".repeat(300_000)],
    ["deep groups", "(".repeat(200)],
    ["deep brackets", "[".repeat(200)],
    ["stacked repetitions", `a${"+".repeat(20)}`],
  ]) {
    it(`refuse ${what}`, () => expect(() => checkPattern(pattern)).to.throw(/too deep|more than/));
  }
});
