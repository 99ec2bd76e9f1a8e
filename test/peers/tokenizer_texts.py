"""Texts that are hard on tokenizers, a corpus to train small ones on, and a character map like SentencePiece's."""

import random
import struct
import unicodedata

SCALARS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]

HARD = [
    "", " ", "   ", "Hello, world! It's 12345 o'clock; we'LL go.", " leading and trailing  ", "a\tb\nc\r\nd\r\n\r\ne\n\n",
    "naïve café — “quoted” … ½ ² Ⅷ ①", "cafe\u0301 A\u030a e\u0323\u0301 \u1100\u1161\u11a8 가각 ﬁ ﷺ Å ẛ̣", "你好，世界！ 日本語テキスト 한국어 ー",
    "👨‍👩‍👧‍👦 🇩🇪🇫🇷 👍🏽 ❤️ ©️™", "مرحبا بالعالم ١٢٣ שלום עולם", "नमस्ते क्षि दुनिया ४५६ สวัสดี", "x\u00a0y\u2003z\u3000w\u200bv\u200du\ufeffq\u2028r\u0085s",
    "The THE the ``quote'' aaab aaaa abab xx", "\x00\x01\x07\x1b\x7f\x8f\x9f\ufffd\ufffe", "İIıi ǅ ß ẞ ΑΣ ſ K ŉ ꟊ 𐐀 Ꮳ", "def f(x):\n    return x**2  # t\n\n\n",
    "\u2581under \u2581\u2581score_ __x__", "http://a.b/c?d=e&f=1#g user@example.com $3.50 100% #tag", "1,234.56 ٣٤٥ 𝟙𝟚 ೨ 一二三 ⅔ ௰ 10₂",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𠀀𪜀𫝀\U0002ebf0 \U000e0001 \U00100000", "\u0378\u0870\u08be\U00011f02\U0001e4d0\U00010d50\ua7cb", "\u0301 start \u0488x\u20dd \u093fक\u094d",
    "(a)[b]{c}<d> a-b–c—d «e» ¿f? ¡g! „h“ 、。・", "\r\r\n\n\r", "ooooooo llllo bbc abababab", "\u1e9b\u0323 \u2126 \u212b \u0344 \u0958 \u2adc \ufb1d \U0001d15e",
]

CORPUS = "\n".join(
    "The quick brown fox jumps over the lazy dog, and the dogs don't mind: it's 12 o'clock. "
    "She sells sea shells by the sea shore; they're 3.50 each. Les élèves étudient à l'école. Größe, Straße. "
    "你好世界 世界 日本語 テキスト 한국어 привет мир नमस्ते abab aaab the then there " + f"number {i * 37 % 100}\n" for i in range(30)
)


def random_texts(count, seed):
    rng = random.Random(seed)
    ranges = [(32, 127), (32, 127), (0xA0, 0x250), (0x300, 0x370), (0x370, 0x530), (0x590, 0x700), (0x900, 0xE80), (0x1100, 0x1200),
              (0x1E00, 0x2100), (0x2000, 0x2070), (0x2580, 0x2584), (0x3000, 0x3100), (0x4E00, 0x4E80), (0xAC00, 0xAC80), (0xF900, 0xFB50),
              (0xFE00, 0xFFF0), (0x1F1E6, 0x1F200), (0x1F300, 0x1F650), (0x1D400, 0x1D500), (0x2F800, 0x2FA1E), (0x10D40, 0x10D90)]
    words = ["the", " ", "  ", "\n", "\r\n", "\t", "don't", "'S", "12", "\u200d", "\ufe0f", "\u00a0", "\u3000", "abab", "é", "e\u0301", "\u2581", "A\u0308"]

    def part():
        if rng.random() < 0.5:
            return rng.choice(words)
        low, high = rng.choice(ranges)
        return "".join(chr(rng.randrange(low, high)) for _ in range(rng.randint(1, 4)))

    return ["".join(part() for _ in range(rng.randint(1, 16))) for _ in range(count)]


def charsmap():
    """A character map in the spirit of nmt_nfkc: entries of one to three characters, some of them to nothing."""
    entries = {"\t": " ", "\n": " ", "\r": " ", "\u00a0": " ", "\u3000": " ", "\u200b": "", "\u200d": "", "\ufeff": "", "\x01": "", "…": "...",
               "ﬁ": "fi", "½": "1\u20442", "①": "1", "Ⅷ": "VIII", "e\u0301": "é", "e\u0323\u0301": "ẹ\u0301", "A\u030a": "Å", "Å": "Å", "ﷺ": "صلى",
               "\u1100\u1161": "가", "가\u11a8": "각", "™": "tm", "क\u094d": "k", "𝔘": "U", "🇩🇪": "DE", "ｱ": "ア", "“": '"', "²": "2"}
    for code in range(0xFF01, 0xFF5F):
        entries[chr(code)] = unicodedata.normalize("NFKC", chr(code))
    return double_array(entries)


def double_array(entries):
    """SentencePiece's precompiled form: a trie over bytes as Darts lays it out, and the texts that it points to."""
    trie, blob = {}, b""
    for key, text in entries.items():
        node = trie
        for byte in key.encode():
            node = node.setdefault(byte, {})
        node[None] = len(blob)
        blob += text.encode() + b"\0"
    units, used = [0], {0}

    def place(node, at):
        labels = [label or 0 for label in node]
        base = 0
        while any((base ^ label) in used for label in labels) or base ^ at == 0 or base ^ at >= 1 << 21:
            base += 1
        units.extend([0] * (max(base | 255, at) + 1 - len(units)))
        units[at] |= (base ^ at) << 10
        used.update(base ^ label for label in labels)
        if None in node:
            units[at] |= 1 << 8
            units[base] = node[None] | 1 << 31
        for label, child in node.items():
            if label is not None:
                units[base ^ label] = label
                place(child, base ^ label)

    place(trie, 0)
    array = struct.pack(f"<{len(units)}I", *units)
    return struct.pack("<I", len(array)) + array + blob
