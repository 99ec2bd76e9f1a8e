"""Make test/fixtures/formats/gguf-blocks.json: blocks of every GGUF type that is read, and their values by the package `gguf`.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install gguf==0.19.0
    /tmp/peers/bin/python test/peers/gguf_blocks.py

With two numbers, a seed and a count, it compares that many random blocks of each type with dist instead and writes nothing:

    npm run build && /tmp/peers/bin/python test/peers/gguf_blocks.py 1 20000
"""

import base64
import json
import pathlib
import subprocess
import sys

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType as T, dequantize

ROOT = pathlib.Path(__file__).parents[2]
# Where the float16 scales of a block are.
SCALES = {
    T.Q4_0: [0], T.Q4_1: [0, 2], T.Q5_0: [0], T.Q5_1: [0, 2], T.Q8_0: [0], T.Q2_K: [80, 82], T.Q3_K: [108], T.Q4_K: [0, 2],
    T.Q5_K: [0, 2], T.Q6_K: [208], T.IQ4_NL: [0], T.IQ4_XS: [0], T.F16: [0], T.BF16: [], T.F32: [],
}  # fmt: skip
# Smallest and largest subnormal, smallest normal, largest, infinity, NaN.
EXTREME = np.array([0x0001, 0x03FF, 0x0400, 0x7BFF, 0x7C00, 0x7E00], dtype=np.uint16).view(np.float16)


def random_blocks(rng, kind, count):
    _, size = GGML_QUANT_SIZES[kind]
    blocks = rng.integers(0, 256, (count, size), dtype=np.uint8)
    for at in SCALES[kind]:
        scales = (rng.normal(size=count) * 0.05).astype(np.float16)
        extreme = rng.choice(np.concatenate([EXTREME, -EXTREME]), count)
        scales = np.where(np.arange(count) < count // 2, scales, extreme)
        blocks[:, at : at + 2] = scales.view(np.uint8).reshape(count, 2)
    return blocks


def text(array):
    return base64.b64encode(array.tobytes()).decode()


def cases(rng, count):
    with np.errstate(invalid="ignore", over="ignore"):
        for kind in SCALES:
            blocks = random_blocks(rng, kind, 64 if GGML_QUANT_SIZES[kind][0] == 1 else count)
            values = dequantize(blocks, kind).astype("<f4")
            yield kind.name, {"id": int(kind), "blocks": text(blocks), "values": text(values)}


def expanded(found):
    script = ROOT / "dist/test/peers/expand-blocks.js"
    answer = subprocess.run(["node", script], input=json.dumps(found), capture_output=True, text=True, check=True)
    return json.loads(answer.stdout)


def ulps(actual, expected):
    """Largest distance in units of the last place; NaN equals NaN."""
    both_nan = np.isnan(actual) & np.isnan(expected)
    order = [np.where(x < 0, -(x & 0x7FFFFFFF), x) for x in (v.view(np.int32).astype(np.int64) for v in (actual, expected))]
    return int(np.where(both_nan, 0, np.abs(order[0] - order[1])).max())


if len(sys.argv) > 1:
    seed, count = map(int, sys.argv[1:])
    found = dict(cases(np.random.default_rng(seed), count))
    ours = expanded(found)
    worst = 0
    for name, case in found.items():
        expected = np.frombuffer(base64.b64decode(case["values"]), "<f4")
        distance = ulps(np.frombuffer(base64.b64decode(ours[name]), "<f4"), expected)
        worst = max(worst, distance)
        print(f"{name:7} {expected.size:9} values   {distance} ulp at most")
    sys.exit(0 if worst <= 1 else 1)

target = ROOT / "test/fixtures/formats/gguf-blocks.json"
target.write_text(json.dumps(dict(cases(np.random.default_rng(7), 6)), indent=1) + "\n")
print(f"wrote {target}, {target.stat().st_size} bytes")
