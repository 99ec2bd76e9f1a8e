"""Make test/fixtures/data/tokenizer-goldens.json: a small byte-level BPE and what Python's `tokenizers` does with it.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install tokenizers==0.23.3
    /tmp/peers/bin/python test/peers/tokenizer_goldens.py
"""

import json
import pathlib
import random

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

ROOT = pathlib.Path(__file__).parents[2]
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
TAIL = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
HEAD = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+"


def byte_level(use_regex):
    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=use_regex)


def split(numbers):
    pattern = Regex(f"{HEAD}|{numbers}|{TAIL}")
    return pre_tokenizers.Sequence([pre_tokenizers.Split(pattern, "isolated"), byte_level(False)])


RECIPES = {
    "gpt-2": (byte_level(True), None, False),
    "smollm": (pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), byte_level(True)]), None, False),
    "llama-bpe": (split(r"\p{N}{1,3}"), None, True),
    "qwen2": (split(r"\p{N}"), normalizers.NFC(), False),
}


def corpus():
    text = "\n".join(
        "She has 48 clips and sells 12 of them for $3.50 each. How many are left? It's simple: 48 - 12 = 36. "
        "def add(a, b):\n    return a + b\n\nDon't we've they'll; naïve café, Zürich, 你好世界 世界 日本語 привет мир. "
        f"Problem {i}: the answer is {i * 37 % 1000}.\r\n" for i in range(60)
    )
    return [text]


def trained():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = byte_level(True)
    trainer = trainers.BpeTrainer(
        vocab_size=640, special_tokens=SPECIAL, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator(corpus(), trainer)
    model = json.loads(tokenizer.to_str())["model"]
    return model["vocab"], [tuple(merge) for merge in model["merges"]]


def texts():
    rng = random.Random(3)
    fixed = [
        "", " ", "  ", "\n\n", " \n ", "\t\tx", "a\u0085b", "\ufeffx", "x\ufeff y", "²³ ½ ٣٤٥ Ⅷ 12345 3.14", " ²³ 12",
        "don't I'LL we've 'S 's", "naïve café", "cafe\u0301", "你好，世界！", "🙂👨‍👩‍👧🇩🇪", "<|im_start|>user\nhi<|im_end|>\n",
        "a <|im_end|> b<|im_start", "def f(x):\n    return x**2  # c\n\n\n", "\r\n\r\nx\r", "a\u00a0b\u2003c\u3000d", "𝔘𝔫𝔦",
        "\u200b\u200d\u2028", " " * 40, "1" * 20, "\x00\x01", "E=mc²!!!???...", "How many are left? The answer is 370.",
    ]
    ranges = [(32, 127), (0xA0, 0x180), (0x370, 0x400), (0x660, 0x66A), (0x2000, 0x2070), (0x4E00, 0x4E40), (0x1F600, 0x1F640)]
    alphabet = [chr(c) for r in ranges for c in range(*r)] + list(" \n\t\r  \u0085\u00a0\ufeff")
    return fixed + ["".join(rng.choices(alphabet, k=rng.randint(1, 30))) for _ in range(60)]


vocab, merges = trained()
out = {
    "tokens": sorted(vocab, key=vocab.get),
    "merges": [" ".join(merge) for merge in merges],
    "texts": texts(),
    "ids": {},
}
for name, (pre, normalizer, ignore_merges) in RECIPES.items():
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges, ignore_merges=ignore_merges))
    tokenizer.pre_tokenizer = pre
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in SPECIAL])
    out["ids"][name] = [tokenizer.encode(text, add_special_tokens=False).ids for text in out["texts"]]

rng = random.Random(4)
sequences = [[rng.randrange(len(vocab)) for _ in range(rng.randint(1, 10))] for _ in range(80)]
out["decoded"] = [
    {"ids": ids, "text": tokenizer.decode(ids, skip_special_tokens=False), "plain": tokenizer.decode(ids)} for ids in sequences
]
target = ROOT / "test/fixtures/data/tokenizer-goldens.json"
target.parent.mkdir(parents=True, exist_ok=True)
target.write_text(json.dumps(out, ensure_ascii=True) + "\n")
print(f"wrote {target}, {target.stat().st_size} bytes")
