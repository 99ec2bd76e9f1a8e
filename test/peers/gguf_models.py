"""Make test/fixtures/formats/gguf/: a tiny GGUF model of every architecture, and the logits of llama.cpp for it.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install torch==2.15.0 transformers==5.24.0 gguf==0.19.0
    NODE_LLAMA_CPP=/tmp/llama /tmp/peers/bin/python test/peers/gguf_models.py      # see llama-logits.mjs

The models are those of `model_families.py`, smaller. They are converted by the rules of llama.cpp's own converter (permuted queries
and keys, Gemma's norms with 1 added, GPT-2's matrices transposed, divisors of Llama 3's frequencies). Prints how far llama.cpp is
from `transformers`; the tests compare this project with llama.cpp.
"""

import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import gguf
import numpy as np
import torch
from model_families import build, uniform
from transformers import AutoModelForCausalLM

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "test/fixtures/formats/gguf"
TOKENS = 14

SMALL = {
    "vocab_size": 17, "hidden_size": 16, "intermediate_size": 12, "num_hidden_layers": 2, "num_attention_heads": 2,
    "num_key_value_heads": 1, "head_dim": 8, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "max_position_embeddings": 64,
}
UNTIED, TIED = {"tie_word_embeddings": False}, {"tie_word_embeddings": True}
GEMMA = {**SMALL, **TIED, "pad_token_id": None}
# The width of a head, as llama.cpp takes it for all sizes but the largest.
WINDOWED = {**GEMMA, "query_pre_attn_scalar": 8, "sliding_window": 4}
GPT2 = {"vocab_size": 17, "n_embd": 16, "n_head": 2, "n_layer": 2, "n_positions": 32}
LLAMA3 = {
    "rope_type": "llama3", "factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}

CASES = {
    "llama": {"model_type": "llama", **SMALL, **UNTIED},
    "llama-biases": {"model_type": "llama", **SMALL, **TIED, "num_key_value_heads": 2, "attention_bias": True, "mlp_bias": True},
    "llama-3": {"model_type": "llama", **SMALL, **TIED, "rope_theta": 500000.0, "rope_scaling": LLAMA3},
    "llama-linear": {"model_type": "llama", **SMALL, **TIED, "rope_scaling": {"rope_type": "linear", "factor": 4.0}},
    "qwen2": {"model_type": "qwen2", **SMALL, **TIED},
    "qwen2-yarn": {
        "model_type": "qwen2", **SMALL, **UNTIED,
        "rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16},
    },
    "qwen3": {"model_type": "qwen3", **SMALL, **TIED, "head_dim": 12},
    "gemma": {"model_type": "gemma", **GEMMA},
    "gemma2": {"model_type": "gemma2", **WINDOWED, "attn_logit_softcapping": 2.0, "final_logit_softcapping": 1.5},
    "gemma3": {
        "model_type": "gemma3_text", **WINDOWED, "num_hidden_layers": 6, "rope_theta": 1e6,
        "rope_scaling": {"rope_type": "linear", "factor": 8.0},
    },
    "gpt2": {"model_type": "gpt2", **GPT2},
    "minicpm": {"model_type": "minicpm", **SMALL, **UNTIED, "scale_emb": 3, "scale_depth": 0.7, "dim_model_base": 8},
}

LAYER = {
    "input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
    "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm", "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
    "ln_1": "attn_norm", "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output", "ln_2": "ffn_norm", "mlp.c_fc": "ffn_up",
    "mlp.c_proj": "ffn_down",
}  # fmt: skip
# The same name means the norm before the MLP in most families, and the one after attention in Gemma 2 and 3.
NORMS = {"post_attention_layernorm": "ffn_norm"}
SANDWICH = {
    "post_attention_layernorm": "post_attention_norm", "pre_feedforward_layernorm": "ffn_norm",
    "post_feedforward_layernorm": "post_ffw_norm",
}  # fmt: skip
TOP = {
    "model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output", "transformer.wte": "token_embd",
    "transformer.wpe": "position_embd", "transformer.ln_f": "output_norm",
}  # fmt: skip


def stored_name(name, model_type):
    module, suffix = name.rsplit(".", 1)
    if module in TOP:
        return f"{TOP[module]}.{suffix}"
    _, _, layer, rest = module.split(".", 3)
    names = {**LAYER, **(SANDWICH if model_type in ("gemma2", "gemma3_text") else NORMS)}
    return f"blk.{layer}.{names[rest]}.{suffix}"


def stored_values(name, values, config):
    model_type = config["model_type"]
    if model_type in ("llama", "minicpm"):
        for projection, heads in (("q_proj", "num_attention_heads"), ("k_proj", "num_key_value_heads")):
            if f".{projection}." in name:  # (half, pair) to (pair, half)
                halves = values.reshape(config[heads], 2, -1, *values.shape[1:])
                return np.ascontiguousarray(halves.swapaxes(1, 2).reshape(values.shape))
    if model_type.startswith("gemma") and name.endswith("norm.weight"):
        return values + np.float32(1)
    if model_type == "gpt2" and name.endswith((".c_attn.weight", ".c_proj.weight", ".c_fc.weight")):
        return np.ascontiguousarray(values.T)
    return values


def write_metadata(writer, config):
    # llama.cpp does not run without a tokenizer; letters are one.
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([chr(97 + i) for i in range(config["vocab_size"])])
    writer.add_token_types([gguf.TokenType.NORMAL] * config["vocab_size"])
    writer.add_token_merges(["a b"])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    if config["model_type"] == "gpt2":
        writer.add_context_length(config["n_positions"])
        writer.add_embedding_length(config["n_embd"])
        writer.add_feed_forward_length(4 * config["n_embd"])
        writer.add_block_count(config["n_layer"])
        writer.add_head_count(config["n_head"])
        writer.add_layer_norm_eps(1e-5)
        return
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_key_length(config["head_dim"])
    writer.add_value_length(config["head_dim"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    if config["model_type"] not in ("gemma", "gemma2"):
        writer.add_rope_freq_base(config["rope_theta"])
    if config["model_type"] in ("llama", "minicpm"):
        writer.add_rope_dimension_count(config["head_dim"])
    if "sliding_window" in config:
        writer.add_sliding_window(config["sliding_window"])
    if "attn_logit_softcapping" in config:
        writer.add_attn_logit_softcapping(config["attn_logit_softcapping"])
        writer.add_final_logit_softcapping(config["final_logit_softcapping"])
    if config["model_type"] == "minicpm":
        writer.add_embedding_scale(float(config["scale_emb"]))
        writer.add_residual_scale(config["scale_depth"] / math.sqrt(config["num_hidden_layers"]))
        writer.add_logit_scale(config["hidden_size"] / config["dim_model_base"])
    write_scaling(writer, config)


def write_scaling(writer, config):
    scaling = config.get("rope_scaling", {})
    kind = scaling.get("rope_type")
    if kind == "llama3":
        dim = config["head_dim"]
        frequencies = config["rope_theta"] ** -(np.arange(0, dim, 2) / dim)
        turns = scaling["original_max_position_embeddings"] * frequencies / (2 * np.pi)
        low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
        kept = np.clip((turns - low) / (high - low), 0, 1)
        writer.add_tensor("rope_freqs.weight", (1 / ((1 - kept) / scaling["factor"] + kept)).astype(np.float32))
    elif kind is not None:
        writer.add_rope_scaling_type(gguf.RopeScalingType(kind))
        writer.add_rope_scaling_factor(scaling["factor"])
        if kind == "yarn":
            writer.add_rope_scaling_orig_ctx_len(scaling["original_max_position_embeddings"])


def write(path, config, parameters, quantise=lambda name, values: (values, None)):
    architecture = {"gemma3_text": "gemma3"}.get(config["model_type"], config["model_type"])
    writer = gguf.GGUFWriter(path, architecture)
    write_metadata(writer, config)
    for name, parameter in parameters:
        values = stored_values(name, parameter.detach().numpy(), config)
        data, kind = quantise(name, values)
        writer.add_tensor(stored_name(name, config["model_type"]), data, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def llama_cpp(path, **question):
    script = ROOT / "test/peers/llama-logits.mjs"
    question = json.dumps({"path": str(path), **question})
    answer = subprocess.run(["node", script], input=question, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(answer.stdout)


def log_probs(logits):
    return torch.log_softmax(torch.as_tensor(logits, dtype=torch.float64), -1).numpy()


def exported(path, config, ids):
    """Log-probabilities by `transformers` of the folder that verl-ts makes of the file."""
    if config["model_type"] == "minicpm":  # not part of transformers
        return np.nan
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["node", ROOT / "dist/test/peers/export-folder.js", path, folder], check=True)
        model = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()
        with torch.no_grad():
            return log_probs(model(torch.tensor([ids]), use_cache=False).logits[0])


def main():
    if "NODE_LLAMA_CPP" not in os.environ:
        sys.exit("set NODE_LLAMA_CPP, see llama-logits.mjs")
    FOLDER.mkdir(parents=True, exist_ok=True)
    found = {}
    for name, config in CASES.items():
        ids = np.floor((uniform(f"ids of {name}", TOKENS) + 1) / 2 * config["vocab_size"]).astype(int).tolist()
        model = build(dict(config), "languageModel", None)
        path = FOLDER / f"{name}.gguf"
        write(path, config, model.named_parameters())
        theirs = log_probs(llama_cpp(path, ids=ids))
        with torch.no_grad():
            expected = log_probs(model(torch.tensor([ids]), use_cache=False).logits[0])
        differences = [np.abs(theirs - expected).max(), np.abs(exported(path, config, ids) - expected).max()]
        print(f"{name:14} {path.stat().st_size:6} bytes   llama.cpp {differences[0]:.1e}   exported {differences[1]:.1e}", flush=True)
        found[name] = {"ids": ids, "logProbs": np.round(theirs, 7).tolist()}
    (FOLDER / "log-probs.json").write_text(
        "{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(case)}" for name, case in found.items()) + "\n}\n"
    )


if __name__ == "__main__":
    main()
