"""Write random JSON texts, right and damaged, as conformance cases, with what Python's json makes of them.

    python3 test/peers/random_json.py --seed 1 --count 20000 /tmp/random-cases
    npm run cases -- /tmp/random-cases
"""

import argparse
import json
import pathlib
import random

NUMBERS = [
    "0", "-0", "1", "-1", "0.0", "-0.0", "1.0", "1e5", "1E5", "1e+5", "1e-5", "1.5e300", "1e400", "-1e400", "5e-324", "2e-324", "1e-400",
    "0.1", "123456789012345678901234567890", "-9007199254740993", "9007199254740992", "1e15", "1e16", "123456789012345680.0", "1e22",
    "1e-4", "0.0001", "0.00001", "1.7976931348623157e308", "1.7976931348623159e308", "4.9e-324", "2.2250738585072014e-308", "01", "1.",
    ".5", "+1", "1e", "1e+", "-", "--1", "0x10", "1_000", "1.5.2", "٣", "1e5.0", "00", "-01", "0e0", "0E-0", "-0e1", "1e05", "1e-05",
    "100000000000000000000.0", "9" * 400, "1" + "0" * 4299, "1" + "0" * 4300, "-1" + "0" * 4299, "0.3000000000000000444",
]
WORDS = ["null", "true", "false", "NaN", "Infinity", "-Infinity", "nan", "inf", "None", "True", "-NaN", "+Infinity", "undefined", "Null", "nul", "-Inf", "nullx", "truefalse"]
ESCAPES = [
    "\\n", "\\t", "\\\\", "\\\"", "\\/", "\\b", "\\f", "\\r", "\\u0041", "\\u00e9", "\\ud83d\\ude42", "\\ud83d", "\\ude42", "\\ude42\\ud83d",
    "\\uD83D\\uDE42", "\\u0000", "\\u001f", "\\u2028", "\\u007f", "\\x41", "\\'", "\\u12", "\\u12g4", "\\u+123", "\\u 123", "\\a", "\\U0001f642",
    "\\u١٢٣٤", "\\", "\\ud83d\\u0041", "\\ud83dx", "\\ud83d\\\\", "\\v", "\\0",
]
PIECES = [
    "a", "é", "世界", "🙂", " ", "\u2028", "\x7f", "\x80", "\ufeff", "\n", "\t", "\x00", "\x1f", "'", "/", "{", "]", ",", ":", "\ud83d", "\ude42", "<",
    "&", "\u00a0", "x" * 30, "\x85", "\ufffe", "\U0010ffff",
]
SPACES = ["", "", "", " ", "\n", "\r\n", "\t", "  ", "\u00a0", "\v", "\f", "\ufeff", "\u2003", "/**/", "#", "\x1c", "\x00"]
KEYS = ["a", "b", "1", "10", "2", "-1", "__proto__", "constructor", "", "é", "toString", "a", "1", "0", "1.0", "length"]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def space(self):
        r = self.random
        return r.choice(SPACES[:8]) if r.random() < 0.985 else r.choice(SPACES)

    def string(self):
        r = self.random
        parts = []
        for _ in range(r.randint(0, 4)):
            pick = r.random()
            if pick < 0.5:
                parts.append(r.choice(PIECES[:9]) if r.random() < 0.93 else r.choice(PIECES))
            else:
                parts.append(r.choice(ESCAPES[:19]) if r.random() < 0.93 else r.choice(ESCAPES))
        return '"' + "".join(parts) + '"'

    def number(self):
        r = self.random
        pick = r.random()
        if pick < 0.5:
            return r.choice(NUMBERS)
        if pick < 0.7:
            return repr(r.uniform(-1, 1) * 10 ** r.randint(-330, 308))
        if pick < 0.8:
            return f"{r.randint(0, 99)}.{r.randint(0, 10**r.randint(1, 25))}{r.choice(['', 'e', 'E+', 'e-'])}{r.randint(0, 30)}"
        return str(r.randint(-(10 ** r.randint(1, 40)), 10 ** r.randint(1, 40)))

    def value(self, depth=0):
        r = self.random
        pick = r.random()
        if depth > 4 or pick < 0.25:
            return self.number()
        if pick < 0.45:
            return self.string()
        if pick < 0.55:
            return r.choice(WORDS[:6]) if r.random() < 0.9 else r.choice(WORDS)
        s = self.space
        if pick < 0.75:
            items = [s() + self.value(depth + 1) + s() for _ in range(r.randint(0, 4))]
            return "[" + ",".join(items) + s() + "]"
        entries = []
        for _ in range(r.randint(0, 5)):
            key = f'"{r.choice(KEYS)}"' if r.random() < 0.7 else self.string()
            entries.append(s() + key + s() + ":" + s() + self.value(depth + 1) + s())
        return "{" + ",".join(entries) + s() + "}"

    def text(self):
        r = self.random
        text = self.space() + self.value() + self.space()
        if r.random() < 0.35:
            for _ in range(r.randint(1, 2)):
                at = r.randint(0, len(text))
                pick = r.random()
                if pick < 0.4:
                    text = text[:at] + text[at + 1 :]
                elif pick < 0.8:
                    text = text[:at] + r.choice([",", ":", "[", "]", "{", "}", '"', "\\", "-", ".", "e", "0", "1", " ", "n", "\n"]) + text[at:]
                else:
                    text = text[:at]
        if r.random() < 0.01:
            depth = r.choice([1, 10, 100, 500, 900])
            text = "[" * depth + text + "]" * depth
        return text


def outcome(text):
    try:
        value = json.loads(text)
        printed = json.dumps(value)
        plain = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return None
    except ValueError:
        return {"error": True}
    dumps = {"ascii": printed}
    try:
        plain.encode()
        dumps["unicode"] = plain
    except UnicodeEncodeError:
        pass
    return {"python_dumps": dumps, **({"keys_order": list(value)} if isinstance(value, dict) else {})}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20000)
    options = parser.parse_args()
    generator = Generator(options.seed)
    options.folder.mkdir(parents=True, exist_ok=True)
    errors = number = 0
    with open(options.folder / "json_lossless.jsonl", "w") as out:
        while number < options.count:
            text = generator.text()
            # The case file joins surrogates that stand side by side.
            if json.loads(json.dumps(text)) != text:
                continue
            expect = outcome(text)
            if expect is None:
                continue
            number += 1
            errors += "error" in expect
            out.write(json.dumps({"id": f"random/{options.seed}/{number}", "kind": "json_lossless", "text": text, "expect": expect}) + "\n")
    print(f"wrote {options.folder}/json_lossless.jsonl: {number} texts, {errors} of them refused")


if __name__ == "__main__":
    main()
