"""Compare log-probabilities of this project with llama.cpp's on a GGUF model, as it is and in other storage types.

    npm run build
    NODE_LLAMA_CPP=/tmp/llama /tmp/peers/bin/python test/peers/gguf_log_probs.py $(node scripts/fetch-smollm2.mjs)

llama.cpp multiplies quantised weights with activations that it quantises as well (to 8 bits, or to the type of the weights if that
is F16 or BF16); this project expands the weights and computes in float32. So F32 has to agree, and for the others the difference
says how far llama.cpp's arithmetic is from the weights that the file holds.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import gguf
import numpy as np
from gguf import GGMLQuantizationType as T, GGUFReader, GGUFWriter, dequantize
from gguf.quants import quantize
from gguf_models import llama_cpp

ROOT = pathlib.Path(__file__).parents[2]
TYPES = [T.F32, T.F16, T.BF16, T.Q8_0, T.Q4_0, T.Q4_1]
F32_LIMIT = 1e-2
TEXT = """The lighthouse keeper had counted 3,417 ships in eleven years. On the morning of the storm she wrote the number down
once more, then added: "None of them ever stopped here." By noon the wind had torn the door from its hinges, and a small
boat lay on the stones below the tower. Two children climbed out of it; the elder one asked, very politely, for some bread."""


def convert(source, target, kind):
    """The same metadata; matrices in another type, vectors in float32, as converters do."""
    reader = GGUFReader(source)
    architecture = reader.fields["general.architecture"].contents()
    writer = GGUFWriter(target, architecture)
    for name, field in reader.fields.items():
        if not name.startswith("GGUF.") and name != "general.architecture":
            inner = field.types[1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(name, field.contents(), field.types[0], inner)
    for tensor in reader.tensors:
        values = dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        chosen = kind if values.ndim == 2 else T.F32
        writer.add_tensor(tensor.name, quantize(values, chosen), raw_dtype=chosen)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def ours(path, ids):
    script = ROOT / "dist/test/peers/log-probs.js"
    answer = subprocess.run(["node", script], input=json.dumps({"path": str(path), "ids": ids}), stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT)
    return np.array(json.loads(answer.stdout))


def compare(label, path):
    theirs = llama_cpp(path, text=TEXT)
    difference = np.abs(ours(path, theirs["ids"]) - theirs["logProbs"])
    print(f"{label:16} largest {difference.max():.1e}   mean {difference.mean():.1e}", flush=True)
    return difference.max()


source = sys.argv[1]
compare("as it is", source)
found = {}
for kind in TYPES:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/{kind.name}.gguf"
        convert(source, path, kind)
        found[kind] = compare(kind.name, path)
sys.exit(0 if found[T.F32] < F32_LIMIT else 1)
