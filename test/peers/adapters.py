"""Make test/fixtures/adapters.json: what PEFT computes for small random models with LoRA.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install torch==2.15.0 transformers==5.24.0 peft==0.21.2
    /tmp/peers/bin/python test/peers/adapters.py

As the cases of `model_families.py`, with the options of the adapter; gradients are those of what PEFT trains. Weights of the
adapter follow from the names of its tensors too, B included, so that it changes the model.
"""

import json
import pathlib

import torch
from model_families import FAMILIES, UNTIED, build, run, sequences, weight
from peft import LoraConfig, get_peft_model

TARGET = pathlib.Path(__file__).parents[1] / "fixtures/adapters.json"
TASKS = {"languageModel": "CAUSAL_LM", "values": "TOKEN_CLS", "scores": "SEQ_CLS"}
PREFIX = "base_model.model."

ALL = {"targetModules": "all-linear"}
CASES = {
    "llama, all linear maps": ("llama", {}, {"rank": 3, "alpha": 8, **ALL}),
    "llama, a pattern, rslora, untied": (
        "llama", UNTIED, {"rank": 4, "alpha": 2, "rslora": True, "targetModules": r".*\.self_attn\.[qv]_proj"}
    ),
    "llama with biases, names, some of the layers left out": (
        "llama", {"attention_bias": True, "mlp_bias": True},
        {"rank": 2, "alpha": 5, "targetModules": ["q_proj", "mlp.down_proj"], "excludeModules": ["model.layers.0.mlp.down_proj"]},
    ),
    "qwen2, all linear maps": ("qwen2", {}, {"rank": 3, "alpha": 6, **ALL}),
    "qwen3, attention alone": ("qwen3", {}, {"rank": 1, "alpha": 16, "targetModules": ["q_proj", "k_proj", "v_proj", "o_proj"]}),
    "gemma2, all linear maps": (
        "gemma2", {"attn_logit_softcapping": 2.0, "final_logit_softcapping": 1.5}, {"rank": 2, "alpha": 3, **ALL}
    ),
    "gpt2, all linear maps": ("gpt2", {}, {"rank": 3, "alpha": 8, **ALL}),
    "gpt2, one layer by a pattern": ("gpt2", {}, {"rank": 2, "alpha": 4, "targetModules": r"transformer\.h\.1\..*(c_attn|c_proj)"}),
    "llama as a critic": (
        "llama", {"head": "values", "num_labels": 1}, {"rank": 2, "alpha": 4, "targetModules": ["q_proj", "v_proj"]}
    ),
    "gpt2 as a reward model": ("gpt2", {"head": "scores", "num_labels": 3}, {"rank": 2, "alpha": 4, "targetModules": ["c_attn"]}),
}


def adapted(raw, head, labels, adapter):
    """The model with its adapter, and the base's names of what is trained."""
    model = build(raw, head, labels)
    transposed = raw["model_type"] == "gpt2"
    config = LoraConfig(
        task_type=TASKS[head], r=adapter["rank"], lora_alpha=adapter["alpha"], use_rslora=adapter.get("rslora", False),
        target_modules=adapter["targetModules"], exclude_modules=adapter.get("excludeModules"), fan_in_fan_out=transposed,
    )
    peft = get_peft_model(model, config).eval()
    with torch.no_grad():
        for name, parameter in peft.named_parameters():
            if parameter.requires_grad and "lora_" in name:
                parameter.copy_(weight(plain(name), tuple(parameter.shape), False))
    return peft


def plain(name):
    return name.removeprefix(PREFIX).replace(".modules_to_save.default", "").replace(".default.", ".")


class Trained:
    """As `run` takes a model: its gradients are those of the adapter, under the names of files."""

    def __init__(self, model):
        self.model = model

    def __call__(self, *args, **kwargs):
        return self.model(*args, **kwargs)

    def named_parameters(self):
        return [(plain(name), p) for name, p in self.model.named_parameters() if p.requires_grad]


def cases():
    for name, (family, changes, adapter) in CASES.items():
        raw = {"model_type": family, **FAMILIES[family][0], **changes}
        head, labels = raw.pop("head", "languageModel"), raw.pop("num_labels", None)
        if head == "scores":
            raw["id2label"] = {str(i): f"LABEL_{i}" for i in range(labels)}
        batch = sequences(raw["vocab_size"])
        found = run(Trained(adapted(raw, head, labels, adapter)), head, batch)
        yield {"name": name, "head": head, "config": raw, "adapter": adapter, "sequences": batch, **found}


if __name__ == "__main__":
    found = [json.dumps(case) for case in cases()]
    TARGET.write_text("[\n" + ",\n".join(found) + "\n]\n")
    print(f"{TARGET.name}: {len(found)} cases, {TARGET.stat().st_size} bytes")
