"""Exchange model folders with `transformers`, both ways, for every case of `model_families.py`.

    npm run build
    /tmp/peers/bin/python test/peers/model_folders.py

Prints per family the largest relative difference of the outputs: of folders that verl-ts wrote, loaded by `transformers`; and of
folders that `transformers` wrote, loaded by verl-ts. Both are compared with the models in memory. In float32 in one file, and in
the 16-bit types in several files; those are compared with models whose weights are rounded.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import torch
import transformers
from model_families import CLASSES, FAMILIES, FOLDER, build, outputs_of

ROOT = pathlib.Path(__file__).parents[2]


# Storage type and largest file in bytes.
FORMS = [("f32", torch.float32, 10**9), ("bf16", torch.bfloat16, 6000), ("f16", torch.float16, 6000)]


def node(action, folder, family, *options):
    script = ROOT / "dist/test/peers/model-folders.js"
    return json.loads(subprocess.check_output(["node", script, action, folder, family, *map(str, options)], cwd=ROOT))


def first_output(model, case):
    outputs, _ = outputs_of(model, case["head"], case["sequences"])
    return next(iter(outputs.values())).detach()


def difference(actual, expected):
    actual = torch.as_tensor(actual)
    return float((actual - expected).norm() / expected.norm())


def rounded(model, dtype):
    """Weights that the type holds, in float32. Rotary frequencies are not weights and stay exact."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.to(dtype))
    return model


def exchange(family, form):
    """Largest differences of folders written by verl-ts, and of those read by it."""
    name, dtype, max_bytes = form
    cases = json.loads((FOLDER / f"{family}.json").read_text())
    labels = {"languageModel": None, "values": 1, "scores": 3}
    models = [rounded(build(case["config"], case["head"], labels[case["head"]]), dtype) for case in cases]
    expected = [first_output(model, case) for model, case in zip(models, cases)]
    with tempfile.TemporaryDirectory() as ours, tempfile.TemporaryDirectory() as theirs:
        for i, model in enumerate(models):
            model.to(dtype).save_pretrained(f"{theirs}/{i}", max_shard_size=max_bytes)
        node("write", ours, family, name, max_bytes)
        loaded = [
            CLASSES[case["head"]].from_pretrained(f"{ours}/{i}", attn_implementation="eager", dtype=torch.float32).eval()
            for i, case in enumerate(cases)
        ]
        written = [difference(first_output(model, case), e) for model, case, e in zip(loaded, cases, expected)]
        read = [difference(a, e) for a, e in zip(node("read", theirs, family), expected)]
        files = max(len(list(pathlib.Path(folder).glob("*/*.safetensors"))) for folder in (ours, theirs))
    print(f"{family:12} {name:4} {len(cases):2} folders, {files:3} files   written {max(written):.1e}   read {max(read):.1e}", flush=True)
    return max(*written, *read)


print(f"transformers {transformers.__version__}")
# The code of MiniCPM is not part of transformers.
worst = max(exchange(family, form) for family in FAMILIES if family != "minicpm" for form in FORMS)
sys.exit(0 if worst < 1e-5 else 1)
