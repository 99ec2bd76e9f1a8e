"""Make test/fixtures/formats/gguf-blocks.json: random blocks of every GGUF type and their values by the package `gguf`.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install gguf==0.19.0
    /tmp/peers/bin/python test/peers/gguf_blocks.py
"""

import base64
import json
import pathlib

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType as T, dequantize

SCALES = {T.Q4_0: [0], T.Q4_1: [0, 2], T.Q5_0: [0], T.Q5_1: [0, 2], T.Q8_0: [0], T.Q4_K: [0, 2], T.Q5_K: [0, 2], T.Q6_K: [208]}
BLOCKS = 3

rng = np.random.default_rng(7)
out = {}
for kind, scales in SCALES.items():
    _, size = GGML_QUANT_SIZES[kind]
    blocks = rng.integers(0, 256, (BLOCKS, size), dtype=np.uint8)
    for at in scales:  # finite scales of both signs and of ordinary size
        values = (rng.normal(size=BLOCKS) * 0.05).astype(np.float16)
        blocks[:, at : at + 2] = values.view(np.uint8).reshape(BLOCKS, 2)
    values = dequantize(blocks, kind).astype("<f4")
    out[kind.name] = {
        "id": int(kind),
        "blocks": base64.b64encode(blocks.tobytes()).decode(),
        "values": base64.b64encode(values.tobytes()).decode(),
    }
target = pathlib.Path(__file__).parents[1] / "fixtures" / "formats" / "gguf-blocks.json"
target.parent.mkdir(parents=True, exist_ok=True)
target.write_text(json.dumps(out, indent=1) + "\n")
print(f"wrote {target}")
