"""Small SentencePiece models and what `transformers` makes of them, for test/core/formats/sentencepiece.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install sentencepiece==0.2.3 transformers==5.24.0 protobuf
    /tmp/peers/bin/python test/peers/sentencepiece_models.py                            # the committed vectors
    /tmp/peers/bin/python test/peers/sentencepiece_models.py OUT.json a/tokenizer.model …  # other models, many texts
"""

import base64
import io
import json
import pathlib
import sys
import tempfile

import sentencepiece
from transformers import PreTrainedTokenizerFast

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from tokenizer_texts import CORPUS, HARD, random_texts  # noqa: E402

ROOT = pathlib.Path(__file__).parents[2]
COMMON = dict(hard_vocab_limit=False, character_coverage=1.0, minloglevel=2, num_threads=1)
RECIPES = {
    "unigram with a character map": dict(model_type="unigram", vocab_size=220, normalization_rule_tsv="rules"),
    "unigram identity": dict(model_type="unigram", vocab_size=200, normalization_rule_name="identity", remove_extra_whitespaces=False),
    "unigram bytes": dict(model_type="unigram", vocab_size=460, byte_fallback=True, normalization_rule_tsv="rules"),
    "bpe llama": dict(model_type="bpe", vocab_size=460, byte_fallback=True, normalization_rule_name="identity",
                      remove_extra_whitespaces=False, split_digits=True),
    "bpe no prefix": dict(model_type="bpe", vocab_size=200, add_dummy_prefix=False, normalization_rule_tsv="rules"),
    "bpe user pieces": dict(model_type="bpe", vocab_size=224, user_defined_symbols=["<tool>", "ab", "\n\n", "the", "▁▁", "▁▁▁"], pad_id=3,
                            control_symbols=["<ctl>"], normalization_rule_name="identity", remove_extra_whitespaces=False),
}
# From and to, in code points; SentencePiece's own maps have a quarter of a megabyte.
RULES = {"\t": " ", "\r": " ", "\u00a0": " ", "\u3000": " ", "\u200b": "", "ﬁ": "fi", "½": "1/2", "e\u0301": "é", "①": "1", "Ａ": "a", "…": "..."}
OWN = ["", " ", "  a  b  ", "the <tool> the\n\nthen abab", "\u2581x \u2581", "12 345", "\n"]


TOKEN = {"lstrip": False, "rstrip": False, "single_word": False, "normalized": True, "special": True}
CONFIGS = {
    "not legacy": {"legacy": False},
    "frame": {"add_bos_token": True, "add_eos_token": True, "bos_token": "<s>", "eos_token": "</s>"},
    "renamed pieces": {"added_tokens_decoder": {"2": {"content": "</s>", **TOKEN},
                                                "300": {"content": "<tool>", **TOKEN, "special": False}}},
}


FRAMED = ["", "the", " the", "<s>the</s> the <begin>x", "a<tool> b <tool>", "\u2581the", "the</s>the"]


def answers(model, texts, config=None):
    """A folder with nothing but the model, as `transformers` converts it; and how often SentencePiece itself has other ids."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "tokenizer.model").write_bytes(model)
        if config:
            (pathlib.Path(folder) / "tokenizer_config.json").write_text(json.dumps(config))
        whole = PreTrainedTokenizerFast.from_pretrained(folder)
    if config:
        return {"framed": [whole(text)["input_ids"] for text in texts]}
    ids = [whole(text, add_special_tokens=False)["input_ids"] for text in texts]
    own = [sentencepiece.SentencePieceProcessor(model_proto=model).encode(text) for text in texts]
    print(f"SentencePiece itself differs in {sum(a != b for a, b in zip(ids, own))} of {len(texts)} texts")
    return {"ids": ids, "decoded": [whole.decode(one) for one in ids]}


def main():
    if len(sys.argv) > 1:
        texts = HARD + OWN + random_texts(300, seed=31) + [CORPUS]
        cases = [{"path": path, **answers(pathlib.Path(path).read_bytes(), texts)} for path in sys.argv[2:]]
        pathlib.Path(sys.argv[1]).write_text(json.dumps({"texts": texts, "cases": cases}))
        return
    texts = OWN + HARD[:12] + HARD[13:14] + random_texts(6, seed=32)
    cases = []
    hexes = lambda text: " ".join(f"{ord(c):X}" for c in text)
    rules = pathlib.Path(tempfile.mkdtemp()) / "rules.tsv"
    rules.write_text("".join(f"{hexes(a)}\t{hexes(b)}\n" for a, b in RULES.items()))
    for name, recipe in RECIPES.items():
        model = io.BytesIO()
        if "normalization_rule_tsv" in recipe:
            recipe = {**recipe, "normalization_rule_tsv": str(rules)}
        sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(CORPUS.split("\n")), model_writer=model, **COMMON, **recipe)
        cases.append({"name": name, "model": base64.b64encode(model.getvalue()).decode(), **answers(model.getvalue(), texts)})
        if name == "bpe llama":
            configured = [{"name": key, "config": config, **answers(model.getvalue(), FRAMED, config)} for key, config in CONFIGS.items()]
    target = ROOT / "test/core/formats/sentencepiece/models.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps({"texts": texts, "cases": cases, "framedTexts": FRAMED, "configured": configured}, ensure_ascii=False, separators=(",", ":")) + "\n")
    print(target, target.stat().st_size)


main()
