"""Make test/fixtures/models/*.json: what `transformers` computes for small random models of every family.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install torch==2.15.0 transformers==5.24.0
    /tmp/peers/bin/python test/peers/model_families.py

A case holds a config.json, token sequences, and in float32: log-probabilities and entropies of the responses (or values, or
scores), the logits along the first sequence, and of every gradient its norm and some entries. Weights are not stored: they
follow from the names of the parameters, see `weight`.
"""

import base64
import copy
import json
import math
import pathlib

import numpy as np
import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSequenceClassification, AutoModelForTokenClassification

FOLDER = pathlib.Path(__file__).parents[1] / "fixtures/models"
SAMPLES = 24
# (prompt, response) lengths; longer than every window below.
LENGTHS = [(3, 9), (1, 6), (5, 4)]
CLASSES = {
    "languageModel": AutoModelForCausalLM,
    "values": AutoModelForTokenClassification,
    "scores": AutoModelForSequenceClassification,
}

LLAMA = {
    "vocab_size": 29, "hidden_size": 24, "intermediate_size": 20, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 16, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "max_position_embeddings": 64,
    "hidden_act": "silu", "tie_word_embeddings": True,
}
GEMMA = {key: value for key, value in LLAMA.items() if key not in ("hidden_act", "tie_word_embeddings")}
# PyTorch gives the embedding of a padding token no gradient, also where the token is part of a text.
GEMMA["pad_token_id"] = None
GEMMA_2 = {**GEMMA, "query_pre_attn_scalar": 10, "sliding_window": 4}
GPT2 = {"vocab_size": 29, "n_embd": 24, "n_head": 3, "n_layer": 2, "n_positions": 32}
SHORT = {"original_max_position_embeddings": 8}
LONGROPE = {"rope_type": "longrope", "short_factor": [1, 1.1, 1.3, 1.5, 2, 2.5, 3, 4], "long_factor": [9.0] * 8}
UNTIED = {"tie_word_embeddings": False}
VALUES = {"head": "values", "num_labels": 1}
SCORES = {"head": "scores", "num_labels": 3}


def rope(**scaling):
    return {"rope_scaling": scaling}


FAMILIES = {
    "llama": (LLAMA, {
        "grouped queries, tied": {},
        "one key head, untied, biases everywhere": {"num_key_value_heads": 1, "attention_bias": True, "mlp_bias": True, **UNTIED},
        "one key head per query head, heads of 6": {"num_key_value_heads": 4, "head_dim": 6},
        "gelu": {"hidden_act": "gelu"},
        "relu": {"hidden_act": "relu"},
        "linear scaling": rope(type="linear", factor=4.0),
        "dynamic scaling": rope(type="dynamic", factor=2.0),
        "llama3 scaling": rope(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, **SHORT),
        "yarn": rope(rope_type="yarn", factor=4.0, **SHORT),
        "yarn with its options": rope(
            rope_type="yarn", factor=4.0, beta_fast=16, beta_slow=2, mscale=1.5, mscale_all_dim=0.5, truncate=False, **SHORT
        ),
        "values": VALUES,
        "scores": SCORES,
    }),
    "mistral": (LLAMA, {
        "window of 4": {"sliding_window": 4},
        "window of 5, one key head per query head, untied": {"sliding_window": 5, "num_key_value_heads": 4, **UNTIED},
        "no window": {"sliding_window": None},
        "values": {"sliding_window": 4, **VALUES},
        "scores": {"sliding_window": 4, **SCORES},
    }),
    "qwen2": (LLAMA, {
        "biases of queries, keys and values": {},
        "untied, yarn": {**UNTIED, **rope(type="yarn", factor=4.0, **SHORT)},
        "window from the second layer on": {"use_sliding_window": True, "sliding_window": 4, "max_window_layers": 1},
        "values": VALUES,
        "scores": SCORES,
    }),
    "qwen3": (LLAMA, {
        "norms of queries and keys": {},
        "untied, biases, one key head per query head": {"attention_bias": True, "num_key_value_heads": 4, **UNTIED},
        "heads of 6, window by layer": {
            "head_dim": 6, "use_sliding_window": True, "sliding_window": 4,
            "layer_types": ["sliding_attention", "full_attention"],
        },
        "values": VALUES,
        "scores": SCORES,
    }),
    "gemma": (GEMMA, {
        "gelu that means its approximation": {"hidden_act": "gelu"},
        "one key head per query head, biases, untied": {"num_key_value_heads": 4, "attention_bias": True, **UNTIED},
        "values": VALUES,
        "scores": SCORES,
    }),
    "gemma2": (GEMMA_2, {
        "soft caps and windows": {"attn_logit_softcapping": 2.0, "final_logit_softcapping": 1.5},
        "default caps, heads of 6, untied": {"head_dim": 6, **UNTIED},
        "no caps": {"attn_logit_softcapping": None, "final_logit_softcapping": None},
        "values": {"attn_logit_softcapping": 2.0, **VALUES},
        "scores": SCORES,
    }),
    "gemma3_text": (GEMMA_2, {
        "two rotary embeddings": {"sliding_window_pattern": 2, "rope_theta": 1e6, "rope_local_base_freq": 100.0},
        "scaled global embedding, capped logits, three layers": {
            "num_hidden_layers": 3, "sliding_window_pattern": 3, "final_logit_softcapping": 1.5,
            **rope(rope_type="linear", factor=8.0),
        },
        "scores": {"sliding_window_pattern": 2, **SCORES},
    }),
    "gpt2": (GPT2, {
        "as published": {},
        "untied, inner size, relu": {"n_inner": 40, "activation_function": "relu", **UNTIED},
        "scaled by layer, heads of 6": {"scale_attn_by_inverse_layer_idx": True, "n_head": 4},
        "unscaled, gelu": {"scale_attn_weights": False, "activation_function": "gelu"},
        "values": VALUES,
        "scores": SCORES,
    }),
    # Not part of `transformers`. Granite computes the same with its factors named otherwise.
    "minicpm": (LLAMA, {
        "factors, tied": {"scale_emb": 12, "scale_depth": 1.4, "dim_model_base": 6},
        "untied, longrope": {
            "scale_emb": 3, "scale_depth": 0.7, "dim_model_base": 12, **UNTIED,
            **rope(**LONGROPE, original_max_position_embeddings=32),
        },
    }),
}


def uniform(name, count):
    """Numbers in [-1, 1) from the name: FNV-1a of the name, then a mixed counter. 24 bits each, so float32 holds them."""
    seed = 2166136261
    for byte in name.encode():
        seed = (seed ^ byte) * 16777619 % 2**32
    x = (seed + np.arange(count, dtype=np.uint64) * 0x9E3779B9) % 2**32
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        x = (x ^ (x >> np.uint64(shift))) * factor % 2**32
    x ^= x >> np.uint64(16)
    return (x >> np.uint64(8)).astype(np.float64) / 2**23 - 1


def weight(name, shape, plus_one):
    z = uniform(name, math.prod(shape))
    if len(shape) == 2:
        values = z * (1.6 / math.sqrt(shape[1]))
    elif name.endswith("bias"):
        values = 0.3 * z
    else:
        values = 0.2 * z + (0 if plus_one else 1)
    return torch.from_numpy(values.reshape(shape).astype(np.float32))


def sequences(vocab_size):
    total = sum(prompt + response for prompt, response in LENGTHS)
    ids = iter(np.floor((uniform("ids", total) + 1) / 2 * vocab_size).astype(int).tolist())
    return [{"promptIds": [next(ids) for _ in range(p)], "responseIds": [next(ids) for _ in range(r)]} for p, r in LENGTHS]


def granite(raw):
    factors = {
        "embedding_multiplier": raw.pop("scale_emb"),
        "residual_multiplier": raw.pop("scale_depth") / math.sqrt(raw["num_hidden_layers"]),
        "logits_scaling": raw["hidden_size"] / raw.pop("dim_model_base"),
        "attention_multiplier": raw["head_dim"] ** -0.5,
    }
    return {**raw, **factors, "model_type": "granite"}


def build(raw, head, num_labels):
    raw = copy.deepcopy(raw)
    config = AutoConfig.for_model(**(granite(raw) if raw["model_type"] == "minicpm" else raw))
    config._attn_implementation = "eager"
    if num_labels:
        config.num_labels = num_labels
    model = CLASSES[head].from_config(config).eval()
    plus_one = raw["model_type"].startswith("gemma")
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(weight(name, tuple(parameter.shape), plus_one))
    return model


def outputs_of(model, head, batch):
    """Outputs in the order of the engine, and the logits along the first sequence."""
    parts = {}
    first = None
    for sequence in batch:
        ids = torch.tensor([sequence["promptIds"] + sequence["responseIds"]])
        logits = model(ids, use_cache=False).logits[0]
        split = len(sequence["promptIds"])
        if head == "scores":
            found = {"scores": logits}
        elif head == "values":
            found = {"values": logits[split - 1 : -1, 0]}
        else:
            first = logits if first is None else first
            log_pi = torch.log_softmax(logits[split - 1 : -1], -1)
            targets = ids[0, split:, None]
            found = {"logProb": log_pi.gather(1, targets)[:, 0], "entropy": -(log_pi.exp() * log_pi).sum(-1)}
        for name, values in found.items():
            parts.setdefault(name, []).append(values)
    return {name: torch.cat(values) for name, values in parts.items()}, first


def text(values):
    return base64.b64encode(values.detach().numpy().astype("<f4").tobytes()).decode()


def run(model, head, batch):
    outputs, logits = outputs_of(model, head, batch)
    differentiated = next(iter(outputs.values()))
    factors = torch.tensor([math.sin(3 * i + 1) for i in range(len(differentiated))], dtype=torch.float32)
    (differentiated * factors).sum().backward()
    gradients = {}
    for name, parameter in model.named_parameters():
        flat = parameter.grad.flatten()
        sample = flat[:: math.ceil(len(flat) / SAMPLES)]
        gradients[name] = [float(flat.double().norm()), text(sample)]
    found = {"outputs": {name: text(values) for name, values in outputs.items()}, "gradients": gradients}
    return found if logits is None else {**found, "logits": text(logits)}


def cases(model_type):
    base, variants = FAMILIES[model_type]
    for name, changes in variants.items():
        raw = {"model_type": model_type, **base, **changes}
        head, labels = raw.pop("head", "languageModel"), raw.pop("num_labels", None)
        if head == "scores":
            raw["id2label"] = {str(i): f"LABEL_{i}" for i in range(labels)}
        batch = sequences(raw["vocab_size"])
        yield {"name": name, "head": head, "config": raw, "sequences": batch, **run(build(raw, head, labels), head, batch)}


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for model_type in FAMILIES:
        found = list(cases(model_type))
        target = FOLDER / f"{model_type}.json"
        target.write_text("[\n" + ",\n".join(json.dumps(case) for case in found) + "\n]\n")
        print(f"{target.name}: {len(found)} cases, {target.stat().st_size} bytes")
