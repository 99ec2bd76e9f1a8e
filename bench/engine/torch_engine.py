"""The engine's counterpart in PyTorch: one Llama-style model, one batch, timed or differentiated on request.

Reads one JSON command per line, answers one JSON line each. Needs torch and safetensors.
"""

import json
import sys
import time

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file


class Llama:
    def __init__(self, config, weights):
        self.c = config
        self.p = {name: tensor.requires_grad_() for name, tensor in weights.items()}
        half = config["head_dim"] // 2
        frequency = config["rope_theta"] ** (-torch.arange(half, dtype=torch.float32) / half)
        angle = torch.arange(config["max_position_embeddings"], dtype=torch.float32)[:, None] * frequency
        self.cos, self.sin = angle.cos(), angle.sin()

    def rotate(self, x):
        a, b = x.chunk(2, -1)
        cos, sin = self.cos[: x.shape[-2]], self.sin[: x.shape[-2]]
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)

    def norm(self, x, name):
        return F.rms_norm(x, (x.shape[-1],), self.p[name + ".weight"], self.c["rms_norm_eps"])

    def __call__(self, ids, rows):
        c, p = self.c, self.p
        batch, length = ids.shape
        x = F.embedding(ids, p["model.embed_tokens.weight"])
        for layer in range(c["num_hidden_layers"]):
            n = f"model.layers.{layer}."
            heads = lambda y: y.view(batch, length, -1, c["head_dim"]).transpose(1, 2)
            a = self.norm(x, n + "input_layernorm")
            q, k, v = (heads(F.linear(a, p[f"{n}self_attn.{w}_proj.weight"])) for w in "qkv")
            o = F.scaled_dot_product_attention(
                self.rotate(q), self.rotate(k), v, is_causal=True, enable_gqa=q.shape[1] != k.shape[1]
            )
            x = x + F.linear(o.transpose(1, 2).reshape(batch, length, -1), p[n + "self_attn.o_proj.weight"])
            m = self.norm(x, n + "post_attention_layernorm")
            gate, up = (F.linear(m, p[f"{n}mlp.{w}_proj.weight"]) for w in ("gate", "up"))
            x = x + F.linear(F.silu(gate) * up, p[n + "mlp.down_proj.weight"])
        head = p.get("lm_head.weight", p["model.embed_tokens.weight"])
        return F.linear(self.norm(x.reshape(batch * length, -1)[rows], "model.norm"), head)


class Engine:
    def __init__(self, command):
        torch.set_num_threads(command["threads"])
        if "weights" in command:
            weights = {name: tensor.clone() for name, tensor in load_file(command["weights"]).items()}
        else:
            weights = {name: torch.randn(shape) * 0.02 for name, shape in command["shapes"].items()}
        self.model = Llama(command["config"], weights)
        self.optimizer = torch.optim.AdamW(
            list(self.model.p.values()), lr=1e-4, betas=(0.9, 0.999), weight_decay=0.01, fused=True
        )
        self.ids = torch.tensor(command["ids"])
        self.rows = torch.tensor(command["rows"])
        self.targets = torch.tensor(command["targets"])

    def log_probs(self):
        log_pi = F.log_softmax(self.model(self.ids, self.rows), -1)
        return log_pi.gather(1, self.targets[:, None])[:, 0]

    def forward(self):
        with torch.no_grad():
            self.log_probs()

    def backward(self):
        self.optimizer.zero_grad(set_to_none=True)
        loss = -self.log_probs().mean()
        loss.backward()
        return loss.item()

    def step(self):
        self.backward()
        torch.nn.utils.clip_grad_norm_(list(self.model.p.values()), 1.0)
        self.optimizer.step()

    def time(self, what, repeats):
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            getattr(self, what)()
            times.append((time.perf_counter() - start) * 1e3)
        return times

    def gradients(self, path):
        loss = self.backward()
        save_file({name: tensor.grad.contiguous() for name, tensor in self.model.p.items()}, path)
        return loss


def products(threads, tokens, inputs, outputs, repeats):
    """Mean time in ms of y = x Wᵀ, dx = dy W and dW = dyᵀ x together."""
    torch.set_num_threads(threads)
    x, w, dy = torch.rand(tokens, inputs), torch.rand(outputs, inputs), torch.rand(tokens, outputs)
    start = time.perf_counter()
    for _ in range(repeats):
        torch.mm(x, w.T)
        torch.mm(dy, w)
        torch.mm(dy.T, x)
    return (time.perf_counter() - start) * 1e3 / repeats


def resident():
    """Resident memory now and at its highest, in MiB; Linux."""
    with open("/proc/self/status") as file:
        fields = dict(line.split(":", 1) for line in file)
    return [int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM")]


def main():
    engine = None
    imported = resident()[0] if sys.platform == "linux" else 0
    print(json.dumps({"version": torch.__version__}), flush=True)
    for line in sys.stdin:
        command = json.loads(line)
        if command["do"] == "load":
            engine = Engine(command)
            answer = {}
        elif command["do"] == "products":
            sizes = {name: command[name] for name in ("threads", "tokens", "inputs", "outputs", "repeats")}
            answer = {"times": [products(**sizes)]}
        elif command["do"] == "memory":
            answer = {"imported": imported, "peak": resident()[1]}
        elif command["do"] == "gradients":
            answer = {"loss": engine.gradients(command["path"])}
        else:
            answer = {"times": engine.time(command["do"], command["repeats"])}
        print(json.dumps(answer), flush=True)


main()
