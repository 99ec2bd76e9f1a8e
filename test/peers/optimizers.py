"""Make test/fixtures/optimizers.json: updates by PyTorch's optimizers.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install torch==2.15.0
    /tmp/peers/bin/python test/peers/optimizers.py

Every case updates the same parameters, one of each kind and several shapes of matrices, from the same gradients, and holds their
values after the last update, computed in float64. Muon's iterations run in bfloat16 in PyTorch; here that type is replaced, and
`published` holds the values of the matrices with the original. Values and gradients are not stored: they follow from names.
"""

import base64
import contextlib
import json
import math
import pathlib

import numpy as np
import torch
from model_families import uniform

TARGET = pathlib.Path(__file__).parents[1] / "fixtures/optimizers.json"
STEPS = 4
PARAMETERS = [
    ("embedding", "embedding", [7, 4]),
    ("positions", "positions", [5, 4]),
    ("norm", "norm", [6]),
    ("wide", "linear", [3, 8]),
    ("wide.bias", "bias", [3]),
    ("tall", "residual", [9, 4]),
    ("square", "linear", [5, 5]),
    ("head", "head", [7, 4]),
]
KINDS = {"positions": "embedding", "linear": "matrix", "residual": "matrix"}
ADAMW = {"name": "adamw", "lr": 0.01, "betas": [0.9, 0.98], "eps": 1e-8, "weightDecay": 0.1}
SGD = {**ADAMW, "name": "sgd"}
MUON = {**ADAMW, "name": "muon", "lr": 0.02}
CASES = {
    "AdamW": ADAMW,
    "AdamW without decay of norms, biases and embeddings": {**ADAMW, "noDecay": ["norm", "bias", "embedding"]},
    "AdamW with rates by kind": {**ADAMW, "lrScale": {"head": 3, "embedding": 0.1}},
    "AdamW with a moving average": {**ADAMW, "emaDecay": 0.7},
    "SGD": SGD,
    "SGD with momentum": {**SGD, "momentum": 0.9},
    "SGD with Nesterov momentum, some kinds without decay": {
        **SGD, "momentum": 0.8, "nesterov": True, "noDecay": ["bias", "head"], "lrScale": {"norm": 2}
    },
    "Muon": MUON,
    "Muon as in its first description": {**MUON, "muon": {"scale": "original"}, "noDecay": ["norm", "bias"]},
    "Muon without Nesterov momentum, unclamped": {
        **MUON, "momentum": 0.8, "nesterov": False, "muon": {"scale": "spectral_unclamped", "iterations": 3}, "emaDecay": 0.9
    },
}


def kind(role):
    return KINDS.get(role, role)


def value(name, shape, dtype):
    return torch.from_numpy(uniform(name, math.prod(shape)).reshape(shape)).to(torch.float32).to(dtype)


def optimizer(parameters, roles, config):
    """One optimizer of PyTorch for each group."""
    found = []
    for parameter, role in zip(parameters, roles):
        scale = config.get("lrScale", {}).get(kind(role), 1)
        decay = 0 if kind(role) in config.get("noDecay", []) else config["weightDecay"]
        common = {"lr": config["lr"], "weight_decay": decay}
        if config["name"] == "sgd":
            made = torch.optim.SGD(
                [parameter], **common, momentum=config.get("momentum", 0), nesterov=config.get("nesterov", False)
            )
        elif config["name"] == "muon" and kind(role) == "matrix":
            muon = config.get("muon", {})
            made = torch.optim.Muon(
                [parameter], **common, momentum=config.get("momentum", 0.95), nesterov=config.get("nesterov", True),
                ns_steps=muon.get("iterations", 5), adjust_lr_fn=muon.get("scale", "match_rms_adamw"),
            )
        else:
            made = torch.optim.AdamW([parameter], **common, betas=config["betas"], eps=config["eps"])
        found.append((made, scale))
    return found


@contextlib.contextmanager
def exact_iterations(dtype):
    kept, torch.bfloat16 = torch.bfloat16, dtype
    try:
        yield
    finally:
        torch.bfloat16 = kept


def run(config, dtype):
    parameters = [value(name, shape, dtype).requires_grad_() for name, _, shape in PARAMETERS]
    average = [p.detach().clone() for p in parameters]
    optimizers = optimizer(parameters, [role for _, role, _ in PARAMETERS], config)
    for step in range(STEPS):
        for (name, _, shape), parameter, (made, scale) in zip(PARAMETERS, parameters, optimizers):
            parameter.grad = value(f"{name}/{step}", shape, dtype)
            # The learning rate grows, as in a warm-up.
            made.param_groups[0]["lr"] = config["lr"] * (step + 1) * scale
            made.step()
        for mean, parameter in zip(average, parameters):
            mean.lerp_(parameter.detach(), 1 - config.get("emaDecay", 0))
    return parameters, average


def text(tensors):
    flat = torch.cat([t.detach().flatten() for t in tensors])
    return base64.b64encode(flat.numpy().astype("<f4").tobytes()).decode()


def case(name, config):
    with exact_iterations(torch.float64):
        values, average = run(config, torch.float64)
    found = {"name": name, "config": config, "values": text(values)}
    if "emaDecay" in config:
        found["average"] = text(average)
    if config["name"] == "muon":
        found["published"] = text(run(config, torch.float32)[0])
    return found


if __name__ == "__main__":
    parameters = [{"name": name, "role": role, "shape": shape} for name, role, shape in PARAMETERS]
    cases = [json.dumps(case(name, config)) for name, config in CASES.items()]
    lines = ",\n".join(cases)
    TARGET.write_text(f'{{"steps": {STEPS}, "parameters": {json.dumps(parameters)}, "cases": [\n{lines}\n]}}\n')
    print(f"{TARGET.name}: {len(cases)} cases, {TARGET.stat().st_size} bytes, torch {torch.__version__}")
