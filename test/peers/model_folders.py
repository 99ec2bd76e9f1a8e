"""Exchange model folders with `transformers`, both ways, for every case of `model_families.py`.

    npm run build
    /tmp/peers/bin/python test/peers/model_folders.py

Prints per family the largest relative difference of the outputs: of folders that verl-ts wrote, loaded by `transformers`; and of
folders that `transformers` wrote, loaded by verl-ts. Both are compared with the models in memory.
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


def node(action, folder, family):
    script = ROOT / "dist/test/peers/model-folders.js"
    return json.loads(subprocess.check_output(["node", script, action, folder, family], cwd=ROOT))


def first_output(model, case):
    outputs, _ = outputs_of(model, case["head"], case["sequences"])
    return next(iter(outputs.values())).detach()


def difference(actual, expected):
    actual = torch.as_tensor(actual)
    return float((actual - expected).norm() / expected.norm())


print(f"transformers {transformers.__version__}")
worst = 0
for family in FAMILIES:
    if family == "minicpm":  # its code is not part of transformers
        continue
    cases = json.loads((FOLDER / f"{family}.json").read_text())
    labels = {"languageModel": None, "values": 1, "scores": 3}
    models = [build(case["config"], case["head"], labels[case["head"]]) for case in cases]
    expected = [first_output(model, case) for model, case in zip(models, cases)]
    with tempfile.TemporaryDirectory() as ours, tempfile.TemporaryDirectory() as theirs:
        node("write", ours, family)
        loaded = [
            CLASSES[case["head"]].from_pretrained(f"{ours}/{i}", attn_implementation="eager", dtype=torch.float32).eval()
            for i, case in enumerate(cases)
        ]
        written = [difference(first_output(model, case), e) for model, case, e in zip(loaded, cases, expected)]
        for i, model in enumerate(models):
            model.save_pretrained(f"{theirs}/{i}")
        read = [difference(a, e) for a, e in zip(node("read", theirs, family), expected)]
    worst = max(worst, *written, *read)
    print(f"{family:12} {len(cases):2} folders   written {max(written):.1e}   read {max(read):.1e}")
sys.exit(0 if worst < 1e-5 else 1)
