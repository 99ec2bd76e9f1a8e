"""Compare every tensor of a GGUF file of the llama family, as read by verl-ts, with Python's `gguf`, bit by bit.

    npm run build
    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install gguf==0.19.0
    /tmp/peers/bin/python test/peers/gguf_weights.py MODEL.gguf
"""

import hashlib
import json
import pathlib
import subprocess
import sys

import numpy as np
from gguf import GGUFReader, dequantize

LAYER = {
    "attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj", "ffn_norm": "post_attention_layernorm", "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}
TOP = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}


def hf_name(name):
    parts = name.removesuffix(".weight").split(".")
    stem = TOP[parts[0]] if parts[0] in TOP else f"model.layers.{parts[1]}.{LAYER[parts[2]]}"
    return f"{stem}.weight"


path = sys.argv[1]
root = pathlib.Path(__file__).parents[2]
ours = json.loads(subprocess.check_output(["node", root / "dist/test/peers/hash-tensors.js", path]))
reader = GGUFReader(path)
heads = {
    "attn_q": reader.fields["llama.attention.head_count"].contents(),
    "attn_k": reader.fields["llama.attention.head_count_kv"].contents(),
}
different = []
for tensor in reader.tensors:
    weight = dequantize(tensor.data, tensor.tensor_type).astype("<f4")
    kind = tensor.name.split(".")[-2]
    if kind in heads:  # rows (pair, half) back to (half, pair)
        split = weight.reshape(heads[kind], -1, 2, weight.shape[-1])
        weight = split.swapaxes(1, 2).reshape(weight.shape)
    name = hf_name(tensor.name)
    if hashlib.sha256(np.ascontiguousarray(weight).tobytes()).hexdigest() != ours.pop(name, None):
        different.append(name)
print(f"{len(reader.tensors)} tensors, {len(different)} different {different[:5]}, {len(ours)} only in verl-ts")
sys.exit(1 if different or ours else 0)
