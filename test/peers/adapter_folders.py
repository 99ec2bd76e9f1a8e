"""Exchange adapters with PEFT, both ways, for every case of `adapters.py`.

    npm run build
    /tmp/peers/bin/python test/peers/adapter_folders.py

Prints per case the relative difference of outputs from those of the model in memory: of adapters that verl-ts wrote, loaded by PEFT;
of models that verl-ts merged, loaded by `transformers`; of adapters that PEFT wrote, loaded by verl-ts.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import peft
import torch
from adapters import TARGET, adapted
from model_families import CLASSES, outputs_of
from peft import PeftModel

ROOT = pathlib.Path(__file__).parents[2]
LABELS = {"languageModel": None, "values": 1, "scores": 3}


def node(action, folder):
    script = ROOT / "dist/test/peers/adapter-folders.js"
    return json.loads(subprocess.check_output(["node", script, action, folder], cwd=ROOT))


def output(model, case):
    with torch.no_grad():
        return next(iter(outputs_of(model, case["head"], case["sequences"])[0].values()))


def difference(actual, expected):
    return float((torch.as_tensor(actual) - expected).norm() / expected.norm())


def load(folder, case):
    labels = {} if LABELS[case["head"]] is None else {"num_labels": LABELS[case["head"]]}
    model = CLASSES[case["head"]].from_pretrained(folder, attn_implementation="eager", dtype=torch.float32, **labels)
    return model.eval()


print(f"peft {peft.__version__}")
cases = json.loads(TARGET.read_text())
models = [adapted(case["config"], case["head"], LABELS[case["head"]], case["adapter"]) for case in cases]
expected = [output(model, case) for model, case in zip(models, cases)]
with tempfile.TemporaryDirectory() as ours, tempfile.TemporaryDirectory() as theirs:
    node("write", ours)
    written = [
        difference(output(PeftModel.from_pretrained(load(f"{ours}/{i}/model", case), f"{ours}/{i}/adapter").eval(), case), e)
        for i, (case, e) in enumerate(zip(cases, expected))
    ]
    merged = [
        difference(output(load(f"{ours}/{i}/huggingface", case), case), e)
        for i, (case, e) in enumerate(zip(cases, expected))
    ]
    for i, model in enumerate(models):
        model.save_pretrained(f"{theirs}/{i}/adapter")
        model.unload().save_pretrained(f"{theirs}/{i}/model")
    read = [difference(a, e) for a, e in zip(node("read", theirs), expected)]
for case, *found in zip(cases, written, merged, read):
    print(f"{case['name']:60} written {found[0]:.1e}   merged {found[1]:.1e}   read {found[2]:.1e}")
sys.exit(0 if max(*written, *merged, *read) < 1e-5 else 1)
