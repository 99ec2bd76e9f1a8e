"""Write random overrides and references as conformance cases, with what Hydra and OmegaConf make of them.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install hydra-core==1.3.8 omegaconf==2.3.1
    /tmp/peers/bin/python test/peers/random_configs.py --seed 1 --count 5000 /tmp/random-cases
    npm run cases -- /tmp/random-cases

Left out is where test/cases/README.md differs from Hydra (a key without a value counts as existing for `~`), and where we take what Hydra
refuses: quoted keys of dicts, letters beyond ASCII, references inside references, items of lists after `~`. Hydra replaces a value by a
section when a key is added below it, and takes `~a=null` for `~a`; we refuse both. In text, we print references of a section resolved.
"""

import argparse
import json
import math
import os
import pathlib
import random

from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import OmegaConf

BASE = {
    "n": 3, "f": 0.5, "s": "text", "b": True, "z": None, "e": "", "l": [1, "two", None], "d": {"x": 1, "y": {"z": "deep"}, "w": None}, "t-r": 1, "1": "one",
    "path": "/a/b", "nested": {"list": [{"k": "v"}, [1, 2]], "empty": {}},
}
ENV = {"HOME_DIR": "/srv", "EMPTY": "", "NUMBER": "12", "NULL": "null", "TEXT": "a b,c"}
KEYS = ["n", "f", "s", "b", "z", "e", "l", "d", "d.x", "d.y", "d.y.z", "d.w", "t-r", "path", "nested.list", "nested.empty", "new", "d.new", "new.a.b", "nested.list", "nested.empty.q", "d.y.new", "z.q"]
ATOMS = [
    "1", "-1", "+1", "0", "-0", "007", "1.5", "1.", ".5", "1e3", "1E-3", "-1.5e+10", "1e", "e1", "1.2.3", "nan", "inf", "-inf", "+inf", "NaN", "INF", "true", "True", "TRUE", "tRuE", "false", "False", "null", "Null",
    "NULL", "none", "None", "yes", "no", "on", "~", "text", "two words", "  padded  ", "a-b", "a_b", "/data/x-1.parquet", "C:/x", "C:\\x", "a:b", "http://h:80/p?q", "user@host", "50%", "*.txt", "a|b", "$x", "a$b", "x+y", "v1.2",
    "12:30", "2026-01-02", "1_a", "a.b.c", ".", "..", "-", "+", "%", "?", "@", "1 2", "1 true", "true false", "null x", "1e3x", "0x10", "x  y", "a\tb", "\\", "a\\b", "a\\,b", "\\[x\\]", "a\\ b", "a\\=b", "\\{", "a\\\\b", "a\\:b",
]
QUOTED = ["''", '""', "'a'", '"a b"', "'1'", '"true"', "'null'", "'it\\'s'", '"say \\"x\\""', "'a\\\\'", "'a\\nb'", "'a\\\\\\'b'", "'[1, 2]'", "'{a: 1}'", "'a=b'", "'  sp  '", "'é'", '"it\'s"', "'\"'", "'a,b'", "'a:b'", "'\\\\x'", "'\\'", "'a", '"', "'a''b'", "'${n}'", '"x${n}y"', "'$n'", "'\\${n}'", "'#'", "'a\tb'"]
REFERENCES = ["${n}", "${d.x}", "${d}", "${l}", "${l.0}", "x${n}", "${s}-${n}", "${d.y.z}", "${f}", "x${b}", "x${z}", "${z}", "${nope}", "${d.nope}", "${oc.env:HOME_DIR}", "${oc.env:NOPE,dflt}", "${oc.env:NOPE}", "${oc.env:EMPTY,zz}", "${oc.env:NUMBER}", "x${oc.env:NOPE,1}", "${oc.env:NOPE,null}", "${oc.env:NOPE,''}", "${oc.env:HOME_DIR}/x", "${oc.env:NOPE,${n}}", "${oc.env:NOPE,a b}", "${path}/c", "${d.${s}}", "x${l}", "x${f}y", "${nested.list.0.k}", "${nested.list[1]}", "${oc.env:NOPE,/a/b}", "${oc.env:TEXT}", "${ n }", "${oc.env: HOME_DIR}", "${n", "$ {n}", "${}", "${oc.env:NOPE,[1,2]}", "x${oc.env:NOPE,true}"]

FLAT = [text for text in REFERENCES if text.count("${") < 2 or "}" in text[: text.rfind("${")]]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def atom(self):
        r = self.random
        return r.choice(ATOMS if r.random() < 0.6 else QUOTED if r.random() < 0.6 else FLAT)

    def space(self):
        return self.random.choice(["", "", "", " ", "  "])

    def value(self, depth=0):
        r = self.random
        pick = r.random()
        s = self.space
        if depth > 2 or pick < 0.6:
            return self.atom()
        if pick < 0.8:
            return "[" + ",".join(s() + self.value(depth + 1) + s() for _ in range(r.randint(0, 3))) + r.choice(["", "", "", "", ","]) + "]"
        keys = ["a", "x", "y", "z", "k_1", "a-b", "new", "a b"]
        entries = [s() + r.choice(keys) + s() + ":" + s() + self.value(depth + 1) + s() for _ in range(r.randint(0, 3))]
        return "{" + ",".join(entries) + "}"

    def override(self):
        r = self.random
        prefix = r.choice(["", "", "", "+", "++", "~"])
        key = r.choice(KEYS)
        if prefix == "~" and r.random() < 0.5:
            return "~" + key
        if r.random() < 0.02:
            return prefix + key
        value = self.value()
        if prefix == "~" and value.strip().lower() in ("null", "true", "false"):
            return "~" + key
        return f"{prefix}{key}={value}"

    def base(self):
        base = json.loads(json.dumps(BASE))
        r = self.random
        for _ in range(r.choice([0, 0, 1, 2])):
            base[r.choice(["r1", "r2", "r3"])] = r.choice(REFERENCES + ["${r1}", "${r2}", "${r3}"])
        return base


class OutOfScope(Exception):
    pass


def plain(value):
    if isinstance(value, float) and not math.isfinite(value):
        raise OutOfScope("JSON has no such number")
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise OutOfScope("keys that are no texts")
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def outcome(base, overrides):
    """What is expected, or None where the rules of the cases and Hydra's part."""
    parser = OverridesParser.create()
    try:
        cfg = OmegaConf.create(base)
        OmegaConf.set_struct(cfg, True)
        parsed = [parser.parse_override(text) for text in overrides]
        for override in parsed:
            # Sweeps, functions, casts, packages and groups are out of scope, and so are keys of other types.
            if override.is_sweep_override() or override.package is not None:
                return None
            if override.is_delete() and OmegaConf.select(cfg, override.key_or_group, throw_on_missing=False) is None:
                node = OmegaConf.select(cfg, override.key_or_group.rpartition(".")[0]) if "." in override.key_or_group else cfg
                if hasattr(node, "keys") and override.key_or_group.rpartition(".")[2] in node:
                    return None
            ConfigLoaderImpl._apply_overrides_to_config([override], cfg)
        return {"config": plain(OmegaConf.to_container(cfg, resolve=True))}
    except OutOfScope:
        return None
    except Exception:  # noqa: BLE001 - every error is the same answer here
        return {"error_contains": []}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=5000)
    options = parser.parse_args()
    generator = Generator(options.seed)
    os.environ.clear()
    os.environ.update(ENV)
    options.folder.mkdir(parents=True, exist_ok=True)
    number = errors = 0
    with open(options.folder / "config.jsonl", "w") as out:
        while number < options.count:
            base = generator.base()
            overrides = [generator.override() for _ in range(generator.random.choice([0, 1, 1, 1, 2]))]
            if any(word in text for text in overrides for word in ("glob(", "range(", "choice(")):
                continue
            expect = outcome(base, overrides)
            if expect is None:
                continue
            number += 1
            errors += "error_contains" in expect
            case = {"id": f"random/{options.seed}/{number}", "kind": "config", "yaml": json.dumps(base), "overrides": overrides, "env": ENV, "expect": expect}
            out.write(json.dumps(case) + "\n")
    print(f"wrote {options.folder}/config.jsonl: {number} configurations, {errors} of them refused")


if __name__ == "__main__":
    main()
