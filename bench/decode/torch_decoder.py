"""Decoding in eager PyTorch with a key-value cache, and in `transformers`; the memory's bandwidth.

Reads one JSON command per line, answers one JSON line each. Needs torch and safetensors; `transformers` and `gguf` for what
is named after them.
"""

import json
import sys
import time

import torch
import torch.nn.functional as F
from safetensors.torch import load_file


class Llama:
    """Queries, keys and values are one product, as are gate and up; the cache lies in place."""

    def __init__(self, config, weights):
        self.c = config
        self.heads, self.kv_heads, self.head_dim = (
            config["num_attention_heads"], config["num_key_value_heads"], config["head_dim"],
        )
        p = load_file(weights)
        self.embedding = p["model.embed_tokens.weight"]
        self.head = p.get("lm_head.weight", self.embedding)
        self.final_norm = p["model.norm.weight"]
        self.layers = []
        for layer in range(config["num_hidden_layers"]):
            n = f"model.layers.{layer}."
            self.layers.append({
                "attention_norm": p[n + "input_layernorm.weight"],
                "qkv": torch.cat([p[f"{n}self_attn.{w}_proj.weight"] for w in "qkv"]),
                "o": p[n + "self_attn.o_proj.weight"],
                "mlp_norm": p[n + "post_attention_layernorm.weight"],
                "gate_up": torch.cat([p[f"{n}mlp.{w}_proj.weight"] for w in ("gate", "up")]),
                "down": p[n + "mlp.down_proj.weight"],
            })
        half = self.head_dim // 2
        frequency = config["rope_theta"] ** (-torch.arange(half, dtype=torch.float32) / half)
        angle = torch.arange(config["max_position_embeddings"], dtype=torch.float32)[:, None] * frequency
        self.cos, self.sin = angle.cos(), angle.sin()

    def cache(self, batch, length):
        shape = (2, batch, self.kv_heads, length, self.head_dim)
        return [torch.zeros(shape) for _ in self.layers]

    def rotate(self, x, start):
        a, b = x.chunk(2, -1)
        cos, sin = (t[start : start + x.shape[-2]] for t in (self.cos, self.sin))
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)

    def norm(self, x, weight):
        return F.rms_norm(x, (x.shape[-1],), weight, self.c["rms_norm_eps"])

    def attend(self, q, k, v):
        if q.shape[2] > 1:
            return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=self.heads != self.kv_heads)
        # One new token sees all: the queries of a group stand in a row, so that no key is repeated.
        rows = q.reshape(q.shape[0], self.kv_heads, -1, self.head_dim)
        return F.scaled_dot_product_attention(rows, k, v).reshape(q.shape)

    def hidden(self, ids, cache, start):
        batch, length = ids.shape
        end = start + length
        widths = [n * self.head_dim for n in (self.heads, self.kv_heads, self.kv_heads)]
        x = F.embedding(ids, self.embedding)
        for w, (keys, values) in zip(self.layers, cache):
            qkv = F.linear(self.norm(x, w["attention_norm"]), w["qkv"]).split(widths, -1)
            q, k, v = (y.view(batch, length, -1, self.head_dim).transpose(1, 2) for y in qkv)
            keys[:, :, start:end] = self.rotate(k, start)
            values[:, :, start:end] = v
            o = self.attend(self.rotate(q, start), keys[:, :, :end], values[:, :, :end])
            x = x + F.linear(o.transpose(1, 2).reshape(batch, length, -1), w["o"])
            gate, up = F.linear(self.norm(x, w["mlp_norm"]), w["gate_up"]).chunk(2, -1)
            x = x + F.linear(F.silu(gate) * up, w["down"])
        return x

    def logits(self, hidden):
        return F.linear(self.norm(hidden, self.final_norm), self.head)


class Decoder:
    def __init__(self, command):
        self.model = Llama(command["config"], command["weights"])

    def draw(self, logits):
        log_p = F.log_softmax(logits, -1)
        token = torch.multinomial(log_p.exp(), 1)
        return token, log_p.gather(-1, token)

    def generate(self, prompts, tokens):
        ids = torch.tensor(prompts)
        batch, length = ids.shape
        begin = time.perf_counter()
        cache = self.model.cache(batch, length + tokens)
        token, log_p = self.draw(self.model.logits(self.model.hidden(ids, cache, 0)[:, -1]))
        first = time.perf_counter()
        drawn = [(token, log_p)]
        for position in range(length, length + tokens - 1):
            token, log_p = self.draw(self.model.logits(self.model.hidden(token, cache, position)[:, -1]))
            drawn.append((token, log_p))
        torch.cat([token for token, _ in drawn], -1).tolist()
        torch.cat([log_p for _, log_p in drawn], -1).tolist()
        return {"prefillMs": (first - begin) * 1e3, "decodeMs": (time.perf_counter() - first) * 1e3}

    def score(self, sequences, prompt_length):
        ids = torch.tensor(sequences)
        hidden = self.model.hidden(ids, self.model.cache(*ids.shape), 0)
        log_p = F.log_softmax(self.model.logits(hidden[:, prompt_length - 1 : -1]), -1)
        return {"logProbs": log_p.gather(-1, ids[:, prompt_length:, None])[..., 0].tolist()}


class Transformers:
    def __init__(self, folder):
        from transformers import AutoModelForCausalLM
        from transformers.utils import logging

        logging.disable_progress_bar()
        self.model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)

    def generate(self, prompts, tokens):
        ids = torch.tensor(prompts)
        times = []

        def note(ids, scores, **_):
            times.append(time.perf_counter())
            return torch.zeros(ids.shape[0], dtype=torch.bool)

        begin = time.perf_counter()
        self.model.generate(
            ids, attention_mask=torch.ones_like(ids), do_sample=True, top_k=0, temperature=1.0,
            min_new_tokens=tokens, max_new_tokens=tokens, pad_token_id=0, stopping_criteria=[note],
        )
        return {"prefillMs": (times[0] - begin) * 1e3, "decodeMs": (time.perf_counter() - times[0]) * 1e3}


def bandwidth():
    """Bytes a second that a sum over 1 GiB reads, the best of several."""
    x = torch.ones(2**28)
    best = float("inf")
    for _ in range(6):
        begin = time.perf_counter()
        x.sum()
        best = min(best, time.perf_counter() - begin)
    return 4 * x.numel() / best


def to_f32_gguf(source, target):
    """The same model with all matrices in float32."""
    import gguf
    import numpy as np

    reader = gguf.GGUFReader(source)
    architecture = reader.fields["general.architecture"].contents()
    writer = gguf.GGUFWriter(target, architecture)
    for name, field in reader.fields.items():
        if not name.startswith("GGUF.") and name != "general.architecture":
            inner = field.types[1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(name, field.contents(), field.types[0], inner)
    for tensor in reader.tensors:
        values = gguf.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        writer.add_tensor(tensor.name, values, raw_dtype=gguf.GGMLQuantizationType.F32)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    decoders = {}
    print(json.dumps({"version": torch.__version__}), flush=True)
    for line in sys.stdin:
        c = json.loads(line)
        answer = {}
        with torch.inference_mode():
            match c["do"]:
                case "threads":
                    torch.set_num_threads(c["threads"])
                case "load":
                    decoders["torch"] = Decoder(c)
                case "load transformers":
                    decoders["transformers"] = Transformers(c["folder"])
                case "generate":
                    answer = decoders[c["with"]].generate(c["prompts"], c["tokens"])
                case "score":
                    answer = decoders["torch"].score(c["sequences"], c["promptLength"])
                case "bandwidth":
                    answer = {"bytesPerSecond": bandwidth()}
                case "gguf":
                    to_f32_gguf(c["source"], c["target"])
        print(json.dumps(answer), flush=True)


main()
