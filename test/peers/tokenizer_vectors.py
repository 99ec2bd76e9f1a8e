"""Make test/core/data/tokenizers/vectors/*.json: small tokenizers, texts, and what Python's `tokenizers` does with them.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install tokenizers==0.23.3 transformers==5.24.0
    /tmp/peers/bin/python test/peers/tokenizer_vectors.py              # the committed vectors
    /tmp/peers/bin/python test/peers/tokenizer_vectors.py 200 /tmp/v   # 200 random texts and every code point, elsewhere

Steps before the model are looked at through a probe: a BPE model that has only bytes and marks the end of every piece, so that
its ids spell the normalised and split text. Such a case holds that text, with a broken bar after every piece, instead of ids.
"""

import json
import pathlib
import random
import sys
import tempfile

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from tokenizer_texts import CORPUS, HARD, SCALARS, charsmap, random_texts  # noqa: E402

ROOT = pathlib.Path(__file__).parents[2]
MARK = "\u00a6"
METASPACE = "\u2581"
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def probe(normalizer=None, pre_tokenizer=None):
    vocab = {token: id for id, token in enumerate(BYTES)}
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=[], byte_fallback=True, end_of_word_suffix=MARK))
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    if pre_tokenizer is not None:
        tokenizer.pre_tokenizer = pre_tokenizer
    return tokenizer


def spelled(tokenizer, text):
    return bytes(tokenizer.encode(text, add_special_tokens=False).ids).decode()


def attempt(run):
    """Null where the library fails: a failure is outside the comparison."""
    try:
        return run()
    except BaseException as error:  # a panic of the Rust side is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        return None


PLANES = {"nfc", "nfd", "nfkc", "nfkd", "lowercase", "strip accents", "precompiled", "bert", "scripts", "whitespace", "digits",
          "bert clean=True chinese=True accents=None lower=True", "pattern gpt4", "pattern o200k", "pattern word", "pattern posix more"}


def probe_case(name, texts, **steps):
    """Every code point, which is asked for by a space as the last text, is tried where Unicode tables matter."""
    if texts[-1] == " ":
        texts = texts[:-1] + ([] if name not in PLANES else planes())
    tokenizer = probe(**steps)
    json_text = json.loads(tokenizer.to_str())
    shown = {key: json_text[key] for key in ("normalizer", "pre_tokenizer") if json_text[key] is not None}
    return {"name": name, "steps": shown, "spelled": [attempt(lambda: spelled(tokenizer, text)) for text in texts]}


def planes():
    known = [c for c in SCALARS if c < 0x32000 or 0xE0000 <= c < 0xE0200]
    return ["".join(chr(c) for c in known[i:i + 400]) for i in range(0, len(known), 400)]


def full_case(name, tokenizer, texts):
    """Ids with and without special tokens, and the texts that they and some random ids decode to."""
    plain = [attempt(lambda: tokenizer.encode(text, add_special_tokens=False).ids) for text in texts]
    framed = [attempt(lambda: tokenizer.encode(text).ids) for text in texts]
    rng = random.Random(name)
    ids = sorted(tokenizer.get_vocab(with_added_tokens=True).values())
    sequences = [[rng.choice(ids) for _ in range(rng.randint(0, 12))] for _ in range(12)]
    sequences += [found for found in framed if found][::4]
    return {
        "name": name,
        "json": json.loads(tokenizer.to_str()),
        "ids": plain,
        **({"framed": framed} if framed != plain else {}),
        "decoded": [
            {"ids": ids, "text": attempt(lambda: tokenizer.decode(ids, skip_special_tokens=False)),
             "plain": attempt(lambda: tokenizer.decode(ids))}
            for ids in sequences
        ],
    }


def normalizer_cases(texts):
    n = normalizers
    cases = {
        "nfc": n.NFC(), "nfd": n.NFD(), "nfkc": n.NFKC(), "nfkd": n.NFKD(), "lowercase": n.Lowercase(), "nmt": n.Nmt(),
        "strip": n.Strip(), "strip left": n.Strip(left=True, right=False), "strip right": n.Strip(left=False, right=True),
        "strip accents": n.StripAccents(), "nfd, strip accents": n.Sequence([n.NFD(), n.StripAccents()]),
        "byte level": n.ByteLevel(), "prepend": n.Prepend(METASPACE), "prepend two": n.Prepend("ab"),
        "prepend, replace": n.Sequence([n.Prepend(METASPACE), n.Replace(" ", METASPACE)]),
        "replace text": n.Replace(" ", METASPACE), "replace longer text": n.Replace("``", '"'),
        "replace by longer": n.Replace("a", "xyz"), "replace by nothing": n.Replace("e", ""), "replace dot": n.Replace(".", "!"),
        "replace pattern": n.Replace(Regex(" {2,}"), " "), "replace empty matches": n.Replace(Regex("x*"), "-"),
        "replace groups": n.Replace(Regex(r"(\p{L})\1"), "<2>"),
        "albert": n.Sequence([n.Replace("``", '"'), n.Replace("''", '"'), n.NFKD(), n.StripAccents(), n.Lowercase(),
                              n.Precompiled(charsmap()), n.Replace(Regex(" {2,}"), " ")]),
        "precompiled": n.Precompiled(charsmap()),
        "t5": n.Sequence([n.Precompiled(charsmap()), n.Strip(left=False, right=True), n.Replace(Regex(" {2,}"), METASPACE)]),
    }
    for clean in (True, False):
        for chinese in (True, False):
            for accents, lower in ((None, True), (None, False), (True, False), (False, True)):
                name = f"bert clean={clean} chinese={chinese} accents={accents} lower={lower}"
                cases[name] = n.BertNormalizer(clean, chinese, accents, lower)
    return [probe_case(name, texts, normalizer=step) for name, step in cases.items()]


BEHAVIORS = ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]

PATTERNS = {
    "gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "gpt4": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "cl100k": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    "o200k": "|".join([
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    ]),
    "qwen2": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "deepseek letters": r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "deepseek cjk": "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+",
    "kimi": r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "bloom": r" ?[^(\s|[.,!?…。，、।۔،])]+",
    "clip": r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    "posix": r"[[:alpha:]]+|[[:digit:]]|[[:punct:]]+|[[:^space:]]",
    "posix more": r"[[:upper:]]+|[[:lower:]]+|[[:blank:]]|[[:cntrl:]]|[[:xdigit:]]|[[:graph:]]",
    "word": r"\w+|\W", "digits": r"\d+|\h+", "not": r"[^\w\s]|\S+", "boundaries": r"\b\w", "no boundaries": r"\B\w\B",
    "lines": "^.", "line ends": ".$", "text start": r"\A.|.\z", "text end": r".\Z", "line break": r"\R", "dot": "..", "dot all": "(?m:..)",
    "atomic": "(?>a+|b)a|.", "possessive": "x?+y++|z*+.", "interval": "a{2}|b{,2}c|e{1,}?|o{1,3}|l{2,1}", "fixed lazy": "l{2}?o",
    "lookbehind": r"(?<=[aeiou])\p{L}|(?<!\s)\p{N}", "lookahead": r"\w(?=\s)|\s(?!\w)", "backreference": r"(.)\1|x", "named reference": r"(?<q>['\"]).*?\k<q>",
    "named only": "(?<a>l)(o)|x", "extended": "(?x) \\w + # a word\n | \\s ", "isolated option": "b|(?i)H|e", "comment": "a(?#no)b|o",
    "classes": r"[a-c&&b-d]|[^a-z[0-9]]|[\]\-x]|[]y]", "nested negation": r"[^[^aeiou]]+", "hex": r"\x41|\x{1F600}|\u00e9|\t|\x0a|\040",
    "properties": r"\p{Lu}\p{^Lu}|\P{Alnum}|\p{Latin}|\p{greek}|\p{Emoji}|\p{Any}", "empty": "", "star": "a*", "alternatives": "(?:|a)b|",
    "plain alternatives": r"the|th|e|\-|\.\.|a|ab|abab|你好|你|👨|\ |aa", "plain, longest first": "abab|aaa|the|ab|aa|a",
    "nested quantifiers": "(?:a?b){2}+|(?:o*)*l", "literal brace": "a{|{x}|a{,}", "case": "(?i)straße|ĳ|k|s|[à-ö]|ı|σ|\\p{Lu}|[[:lower:]]",
}


def pre_tokenizer_cases(texts):
    p = pre_tokenizers
    cases = {
        "bert": p.BertPreTokenizer(), "whitespace": p.Whitespace(), "whitespace split": p.WhitespaceSplit(),
        "scripts": p.UnicodeScripts(), "digits": p.Digits(individual_digits=True), "digit runs": p.Digits(),
        "delimiter": p.CharDelimiterSplit("e"), "delimiter mark": p.CharDelimiterSplit(METASPACE),
        "fixed length": p.FixedLength(length=3),
    }
    for behavior in BEHAVIORS:
        cases[f"punctuation {behavior}"] = p.Punctuation(behavior)
        for invert in (False, True):
            cases[f"split text {behavior} {invert}"] = p.Split(" ", behavior, invert=invert)
            cases[f"split words {behavior} {invert}"] = p.Split(Regex(r"\p{L}+"), behavior, invert=invert)
    for name, pattern in PATTERNS.items():
        cases[f"pattern {name}"] = p.Split(Regex(pattern), "isolated")
    for prefix in (True, False):
        for use_regex in (True, False):
            cases[f"byte level {prefix} {use_regex}"] = p.ByteLevel(add_prefix_space=prefix, use_regex=use_regex)
    for scheme in ("first", "always", "never"):
        for split in (True, False):
            cases[f"metaspace {scheme} {split}"] = p.Metaspace(METASPACE, scheme, split)
    cases["metaspace underscore"] = p.Metaspace("_", "always", True)
    for name, first in {"spaces": p.WhitespaceSplit(), "digits": p.Digits(True), "scripts": p.UnicodeScripts()}.items():
        cases[f"{name}, metaspace first"] = p.Sequence([first, p.Metaspace(METASPACE, "first", True)])
        cases[f"{name}, metaspace always"] = p.Sequence([first, p.Metaspace(METASPACE, "always", False)])
    cases["starcoder"] = p.Sequence([p.Digits(True), p.ByteLevel(add_prefix_space=False)])
    cases["deepseek"] = p.Sequence([p.Split(Regex("\\p{N}{1,3}"), "isolated"), p.Split(Regex(PATTERNS["deepseek cjk"]), "isolated"),
                                    p.Split(Regex(PATTERNS["deepseek letters"]), "isolated"), p.ByteLevel(False, use_regex=False)])
    cases["nothing"] = p.Sequence([])
    return [probe_case(name, texts, pre_tokenizer=step) for name, step in cases.items()]


def combined_cases(texts):
    """Normalizers before Metaspace with the scheme `first`, which asks where the input begins."""
    n, first = normalizers, pre_tokenizers.Metaspace(METASPACE, "first", True)
    steps = {
        "strip": n.Strip(), "nmt": n.Nmt(), "bert": n.BertNormalizer(), "prepend": n.Prepend("x"), "nfkd": n.NFKD(), "nfc": n.NFC(),
        "lowercase": n.Lowercase(), "replace spaces": n.Replace(Regex(" +"), " "), "remove first": n.Replace(Regex("^."), ""),
        "remove letters": n.Replace(Regex("[a-h]+"), ""), "longer": n.Replace("T", "tt"), "precompiled": n.Precompiled(charsmap()),
        "byte level": n.ByteLevel(), "insert": n.Replace(Regex("(?=e)"), "_"), "accents": n.Sequence([n.NFD(), n.StripAccents()]),
    }
    cases = [probe_case(f"{name}, metaspace first", texts, normalizer=step, pre_tokenizer=first) for name, step in steps.items()]
    split = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex("."), "isolated"), first])
    return cases + [probe_case(f"{name}, characters", texts, normalizer=step, pre_tokenizer=split) for name, step in steps.items()]


def trained(model, trainer, normalizer=None, pre_tokenizer=None, decoder=None):
    tokenizer = Tokenizer(model)
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    if pre_tokenizer is not None:
        tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.train_from_iterator([CORPUS], trainer)
    if decoder is not None:
        tokenizer.decoder = decoder
    return tokenizer


def llama_decoder():
    return decoders.Sequence([decoders.Replace(METASPACE, " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])


def reloaded(tokenizer, change):
    """The same tokenizer with its JSON changed."""
    data = json.loads(tokenizer.to_str())
    change(data)
    return Tokenizer.from_str(json.dumps(data))


def bpe_cases(texts):
    quiet = dict(show_progress=False)
    byte_level = trained(
        models.BPE(), trainers.BpeTrainer(vocab_size=330, special_tokens=["<|end|>"],
                                          initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), **quiet),
        pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=False), decoder=decoders.ByteLevel(),
    )
    yield "byte level", byte_level
    yield "byte level, whole words", reloaded(byte_level, lambda d: d["model"].update(ignore_merges=True))
    yield "byte level, merges as texts", byte_level

    def sentencepiece(special=("<unk>", "<s>", "</s>"), bytes_too=True):
        return trained(
            models.BPE(unk_token="<unk>", byte_fallback=bytes_too, fuse_unk=True),
            trainers.BpeTrainer(vocab_size=430 if bytes_too else 200, special_tokens=[*special, *(BYTES if bytes_too else [])], **quiet),
            normalizer=normalizers.Sequence([normalizers.Prepend(METASPACE), normalizers.Replace(" ", METASPACE)]),
            decoder=llama_decoder(),
        )

    llama = reloaded(sentencepiece(), lambda d: d.update(added_tokens=d["added_tokens"][:3]))
    llama.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 1)])
    yield "llama", llama
    gemma = reloaded(llama, lambda d: d.update(
        normalizer={"type": "Replace", "pattern": {"String": " "}, "content": METASPACE},
        pre_tokenizer={"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False},
        decoder={"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": METASPACE}, "content": " "},
                                                  {"type": "ByteFallback"}, {"type": "Fuse"}]}))
    yield "gemma", gemma
    mistral = reloaded(llama, lambda d: d.update(
        normalizer=None,
        pre_tokenizer={"type": "Metaspace", "replacement": METASPACE, "prepend_scheme": "first", "split": False}))
    yield "mistral", mistral
    yield "metaspace decoder", reloaded(llama, lambda d: d.update(
        normalizer=None, pre_tokenizer={"type": "Metaspace", "replacement": METASPACE, "prepend_scheme": "always", "split": True},
        decoder={"type": "Metaspace", "replacement": METASPACE, "prepend_scheme": "always", "split": True}))
    fused = sentencepiece(bytes_too=False)
    yield "unknown, fused", fused
    yield "unknown, apart", reloaded(fused, lambda d: d["model"].update(fuse_unk=False))
    some = reloaded(llama, lambda d: [d["model"]["vocab"].pop(token) for token in BYTES[200:]])
    yield "some bytes, fused", some
    yield "some bytes, apart", reloaded(some, lambda d: d["model"].update(fuse_unk=False))
    suffix = trained(
        models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"),
        trainers.BpeTrainer(vocab_size=220, special_tokens=["<unk>"], end_of_word_suffix="</w>", **quiet),
        normalizer=normalizers.BertNormalizer(), pre_tokenizer=pre_tokenizers.BertPreTokenizer(), decoder=decoders.BPEDecoder("</w>"),
    )
    yield "word suffix", suffix
    yield "subword prefix", trained(
        models.BPE(unk_token="[UNK]", continuing_subword_prefix="##"),
        trainers.BpeTrainer(vocab_size=220, special_tokens=["[UNK]"], continuing_subword_prefix="##", **quiet),
        pre_tokenizer=pre_tokenizers.Whitespace(), decoder=decoders.WordPiece("##"),
    )
    overlapping = {token: id for id, token in enumerate(["a", "b", "c", "ab", "bc", "abc", "cc", "aa", "aaa", "aaaa", "é", " "])}
    merges = [("b", "c"), ("a", "b"), ("a", "bc"), ("ab", "c"), ("a", "a"), ("aa", "a"), ("aa", "aa"), ("c", "c"), ("a", "b")]
    yield "overlapping merges", Tokenizer(models.BPE(vocab=overlapping, merges=merges, unk_token="é"))


def unigram_cases(texts):
    def unigram(size, **options):
        return trainers.UnigramTrainer(vocab_size=size, unk_token="<unk>", show_progress=False,
                                       special_tokens=["<pad>", "</s>", "<unk>"], **options)

    metaspace = pre_tokenizers.Metaspace(METASPACE, "always", True)
    t5 = trained(models.Unigram(), unigram(300), normalizer=normalizers.Precompiled(charsmap()),
                 pre_tokenizer=pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), metaspace]),
                 decoder=decoders.Metaspace(METASPACE, "always"))
    t5.post_processor = processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)])
    yield "t5", t5
    albert = trained(models.Unigram(), unigram(250), normalizer=normalizers.Sequence([
        normalizers.Replace("``", '"'), normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase(),
        normalizers.Precompiled(charsmap())]), pre_tokenizer=metaspace, decoder=decoders.Metaspace(METASPACE, "always"))
    yield "albert", albert
    xlm = trained(models.Unigram(), unigram(280), normalizer=normalizers.NFKC(), pre_tokenizer=metaspace,
                  decoder=decoders.Metaspace(METASPACE, "always"))
    yield "nfkc", xlm
    fallback = Tokenizer(models.Unigram([("<unk>", 0.0), *[(token, 0.0) for token in BYTES], ("a", -1.5), ("b", -2.0), ("ab", -3.4),
                                         ("abab", -6.0), (" ", -1.0), ("é", -2.5), ("the", -4.0), ("th", -2.9), ("e", -1.1)], 0, True))
    fallback.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    yield "byte fallback", fallback
    yield "ties", Tokenizer(models.Unigram([("<unk>", -5.0), ("a", -1.0), ("aa", -2.0), ("aaa", -3.0), ("b", -1.0), ("ab", -2.0),
                                            ("xx", -1.0), ("\u4f60\u597d", -1.0)], 0, False))
    yield "no unknown token", Tokenizer(models.Unigram([("a", -1.0), ("e", -1.0), (" ", -2.0), ("th", -1.0)], None, False))


def word_cases(texts):
    def word_piece(size):
        return trainers.WordPieceTrainer(vocab_size=size, show_progress=False,
                                         special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])

    bert = trained(models.WordPiece(unk_token="[UNK]"), word_piece(250), normalizer=normalizers.BertNormalizer(),
                   pre_tokenizer=pre_tokenizers.BertPreTokenizer(), decoder=decoders.WordPiece())
    bert.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    yield "bert uncased", bert
    cased = trained(models.WordPiece(unk_token="[UNK]"), word_piece(250),
                    normalizer=normalizers.BertNormalizer(lowercase=False, strip_accents=False),
                    pre_tokenizer=pre_tokenizers.BertPreTokenizer(), decoder=decoders.WordPiece(cleanup=False))
    cased.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    yield "bert cased", cased
    short = reloaded(bert, lambda d: d["model"].update(max_input_chars_per_word=4))
    yield "short words", short
    roberta = reloaded(bert, lambda d: d.update(post_processor={
        "type": "Sequence", "processors": [{"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False},
                                           {"type": "RobertaProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2],
                                            "trim_offsets": True, "add_prefix_space": False}]}))
    yield "roberta frame", roberta
    twice = reloaded(bert, lambda d: d.update(post_processor={"type": "Sequence", "processors": [d["post_processor"]] * 1 + [
        {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]}]}))
    yield "two frames", twice
    words = trained(models.WordLevel(unk_token="[UNK]"), trainers.WordLevelTrainer(
        vocab_size=80, special_tokens=["[UNK]"], show_progress=False), pre_tokenizer=pre_tokenizers.Whitespace())
    yield "words", words


def added_cases(texts):
    base = trained(models.BPE(unk_token="<unk>"), trainers.BpeTrainer(vocab_size=150, special_tokens=["<unk>"], show_progress=False),
                   normalizer=normalizers.Lowercase(), pre_tokenizer=pre_tokenizers.Metaspace(METASPACE, "first"),
                   decoder=decoders.Metaspace(METASPACE, "first"))
    flags = ["single_word", "lstrip", "rstrip", "normalized"]
    for bits in range(16):
        for special in (False, True):
            tokenizer = Tokenizer.from_str(base.to_str())
            options = {flag: bool(bits >> i & 1) for i, flag in enumerate(flags)}
            add = tokenizer.add_special_tokens if special else tokenizer.add_tokens
            add([AddedToken("<Tok>", special=special, **options), AddedToken("the", special=special, **options)])
            tokenizer.add_tokens([AddedToken("<Token", normalized=False), AddedToken(" ", normalized=False)] if bits % 3 == 0 else [])
            yield f"{'special' if special else 'added'} {' '.join(f for f, on in options.items() if on) or 'plain'}", tokenizer


def configured_cases(texts):
    """What `transformers` makes of `tokenizer_config.json` beside `tokenizer.json`."""
    bert = dict(word_cases(texts))["bert uncased"]
    llama = dict(bpe_cases(texts))["llama"]
    token = lambda content, **flags: {"content": content, "lstrip": False, "rstrip": False, "normalized": False, "single_word": False,
                                      "special": True, **flags}
    size = llama.get_vocab_size()
    configs = [
        ("named tokens", llama, {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}),
        ("named, in the vocabulary only", llama, {"eos_token": "the", "pad_token": {"__type": "AddedToken", **token("the", lstrip=True)}}),
        ("more special tokens", llama, {"eos_token": "</s>", "additional_special_tokens": ["<tool>", "the", {"__type": "AddedToken", **token("<x>", rstrip=True)}]}),
        ("added tokens", llama, {"added_tokens_decoder": {str(size + 1): token("<b>", special=False), str(size): token("<a>", lstrip=True)}}),
        ("added tokens changed", llama, {"added_tokens_decoder": {"0": token("<unk>"), "1": token("<s>", lstrip=True, rstrip=True),
                                                                  "2": token("</s>", special=False)}, "eos_token": "</s>"}),
        ("special tokens split", llama, {"split_special_tokens": True, "bos_token": "<s>", "eos_token": "</s>"}),
        ("frame asked for", llama, {"add_bos_token": True, "add_eos_token": True, "bos_token": "<s>", "eos_token": "</s>"}),
        ("cleaned spaces", bert, {"clean_up_tokenization_spaces": True, "unk_token": "[UNK]"}),
        ("no cleaned spaces for bpe", llama, {"clean_up_tokenization_spaces": True}),
        ("plain class", bert, {"tokenizer_class": "PreTrainedTokenizerFast", "do_lower_case": False}),
    ]
    for name, tokenizer, config in configs:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            tokenizer.save(str(path / "tokenizer.json"))
            (path / "tokenizer_config.json").write_text(json.dumps(config))
            whole = PreTrainedTokenizerFast.from_pretrained(folder)
        rng = random.Random(name)
        framed = [whole(text)["input_ids"] for text in texts]
        sequences = [[rng.randrange(len(whole)) for _ in range(rng.randint(0, 12))] for _ in range(12)] + framed
        yield {
            "name": name, "json": json.loads(tokenizer.to_str()), "config": config,
            "ids": [whole(text, add_special_tokens=False)["input_ids"] for text in texts], "framed": framed,
            "decoded": [{"ids": ids, "text": whole.decode(ids), "plain": whole.decode(ids, skip_special_tokens=True)} for ids in sequences],
        }


def decoder_cases():
    d = decoders
    tokens = ["a", "##b", " c", METASPACE, METASPACE + "the", METASPACE * 2, "<0xE4>", "<0xBD>", "<0xA0>", "<0xFF>", "<0x41>", "<0xe9>",
              "<0x+F>", "Ġof", "Ċ", "ä½ł", "Ã", "©", "é", "good</w>", "x</w>y", "|", "<pad>", "n", "'t", ".", ",", "do", "not", " ", "  ",
              "\U0001f600", "</w>", "ab", "'", "'m", "ve", "\ufffd", "ðŁ", "ĺ", "Ģ", "\u0301", "B", "!", " n't", " do not", "", "ï»¿"]
    vocab = {token: id for id, token in enumerate(tokens)}
    kinds = {
        "none": None, "byte level": d.ByteLevel(), "byte fallback": d.ByteFallback(), "fuse": d.Fuse(), "bpe": d.BPEDecoder("</w>"),
        "metaspace always": d.Metaspace(METASPACE, "always"), "metaspace first": d.Metaspace(METASPACE, "first"),
        "metaspace never": d.Metaspace(METASPACE, "never"), "word piece": d.WordPiece("##", cleanup=True),
        "word piece raw": d.WordPiece("##", cleanup=False), "ctc": d.CTC("<pad>", "|", True), "ctc raw": d.CTC("<pad>", "|", False),
        "replace": d.Replace(METASPACE, " "), "replace longer": d.Replace("##b", "bb"), "replace pattern": d.Replace(Regex("[a-c]+"), "_"),
        "strip": d.Strip(" ", 1, 0), "llama": llama_decoder(), "empty": d.Sequence([]),
        "fuse, replace": d.Sequence([d.Fuse(), d.Replace("ab", "X")]), "fuse, strip": d.Sequence([d.Fuse(), d.Strip("a", 2, 0)]),
        "fuse, pattern": d.Sequence([d.Fuse(), d.Replace(Regex("a\\W"), "X")]), "byte level, fuse": d.Sequence([d.ByteLevel(), d.Fuse()]),
        "byte level, strip": d.Sequence([d.ByteLevel(), d.Strip("a", 1, 0)]),
        "fallback, byte level": d.Sequence([d.ByteFallback(), d.ByteLevel()]),
        "fallback, metaspace": d.Sequence([d.ByteFallback(), d.Metaspace(METASPACE, "always"), d.Fuse()]),
        "fallback, word piece": d.Sequence([d.ByteFallback(), d.WordPiece("##")]),
        "bpe, fallback": d.Sequence([d.BPEDecoder("</w>"), d.ByteFallback()]),
    }
    rng = random.Random(5)
    sequences = [[], [0], [3], [4, 4], [6, 7, 8], [6, 7], [6, 7, 8, 9], *[[rng.randrange(len(tokens)) for _ in range(rng.randint(1, 14))]
                                                                          for _ in range(36)]]
    cases = []
    for name, decoder in kinds.items():
        tokenizer = Tokenizer(models.WordLevel(vocab=vocab, unk_token="a"))
        if decoder is not None:
            tokenizer.decoder = decoder
        tokenizer.add_special_tokens(["<pad>", "|"])
        shown = json.loads(tokenizer.to_str())["decoder"]
        texts = [attempt(lambda: tokenizer.decode(ids, skip_special_tokens=False)) for ids in sequences]
        plain = [attempt(lambda: tokenizer.decode(ids)) for ids in sequences]
        cases.append({"name": name, "decoder": shown, "texts": texts, "plain": plain})
    return {"tokens": tokens, "special": ["<pad>", "|"], "sequences": sequences, "cases": cases}


def share(cases):
    """Leave out of each tokenizer what it has in common with an earlier one, which it names."""
    full = {}
    for case in cases:
        whole = case["json"]
        for name, other in full.items():
            model = {key: value for key, value in whole["model"].items() if other["model"].get(key) != value}
            if "merges" in model or set(whole["model"]) != set(other["model"]):
                continue
            sections = {key: value for key, value in whole.items() if key != "model" and other[key] != value}
            case.update(like=name, json={**sections, **({"model": model} if model else {})})
            break
        else:
            full[case["name"]] = whole
    return cases


def write(folder, name, content):
    target = folder / f"{name}.json"
    target.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n")
    print(f"{target} {target.stat().st_size}")


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "test/core/data/tokenizers/vectors"
    folder.mkdir(parents=True, exist_ok=True)
    texts = HARD + random_texts(count or 8, seed=11)
    few = texts if count else HARD[:14] + random_texts(4, seed=12)
    brief = texts if count else HARD[3:14] + HARD[16:20] + HARD[22:]
    for name, make in {"normalizers": normalizer_cases, "pre-tokenizers": pre_tokenizer_cases, "combined": combined_cases}.items():
        every = planes() if count else []
        chosen = texts if name == "normalizers" else brief
        write(folder, name, {"texts": chosen + every, "mark": MARK, "cases": make(chosen + [" "] * bool(count))})
    for name, make in {"bpe": bpe_cases, "unigram": unigram_cases, "words": word_cases, "added-tokens": added_cases}.items():
        chosen = ADDED_TEXTS + few if name == "added-tokens" and count else ADDED_TEXTS if name == "added-tokens" else few
        cases = [full_case(case, tokenizer, chosen) for case, tokenizer in make(chosen)]
        for case in cases:
            if case["name"].endswith("merges as texts"):
                case["json"]["model"]["merges"] = [" ".join(pair) for pair in case["json"]["model"]["merges"]]
        write(folder, name, {"texts": chosen, "cases": share(cases)})
    write(folder, "configured", {"texts": CONFIGURED_TEXTS, "cases": share(list(configured_cases(CONFIGURED_TEXTS)))})
    write(folder, "decoders", decoder_cases())


ADDED_TEXTS = ["<Tok>", "<tok>", "a <Tok> b", "a<Tok>b", "a  <tok>  b", "the", "The the  then", "atheb the", "<Tok><Tok>", " <Tok>",
               "<Token <Tok>", "<tok>the<Tok>", "", "  ", "é<Tok>\u0301", "(<Tok>)", "\n<Tok>\u3000the\t", "<Tok", "_the_ the."]

CONFIGURED_TEXTS = ["", "the <s>hello</s> the then", "<tool> <x> y", "a  <a> b<b>c", "It 's a test . Do n't do it , I 'm sure !", "[CLS] x [SEP]",
                    "NAÏVE Café", "<unk> <pad></s> <s> x"]

if __name__ == "__main__":
    main()
