"""Make core/data/tokenizer/unicode/tables.ts: what Python's `tokenizers` believes about every code point.

The Rust library carries Unicode tables of several versions (its regular expressions, its standard library, its normalisation,
its categories, its grapheme clusters, its scripts). They are asked for here one code point at a time, so that the TypeScript
side neither depends on the Unicode version of the Node.js that runs it nor on a reading of the Rust sources.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install tokenizers==0.23.3
    /tmp/peers/bin/python test/peers/unicode_tables.py
"""

import base64
import json
import pathlib
import struct

from tokenizers import Regex, normalizers, pre_tokenizers

ROOT = pathlib.Path(__file__).parents[2]
SCALARS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
ALL = "".join(map(chr, SCALARS))
# Order of the letters A, B, … in the encoded categories; Cs (surrogates) is never asked for.
CATEGORIES = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Co Cn".split()
# Scripts by the names that regular expressions have for them.
SCRIPT_NAMES = """
Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki Bopomofo Brahmi Braille
Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Chorasmian Common Coptic Cuneiform Cypriot
Cypro_Minoan Cyrillic Deseret Devanagari Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Garay Georgian
Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi Gurmukhi Gurung_Khema Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew
Hiragana Imperial_Aramaic Inherited Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kawi Kayah_Li
Kharoshthi Khitan_Small_Script Khmer Khojki Khudawadi Kirat_Rai Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian
Mahajani Makasar Malayalam Mandaic Manichaean Marchen Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive
Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean Nag_Mundari Nandinagari New_Tai_Lue Newa Nko Nushu
Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Ol_Onal Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_Sogdian
Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi
Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Sunuwar
Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh
Tirhuta Todhri Toto Tulu_Tigalari Ugaritic Unknown Vai Vithkuqi Wancho Warang_Citi Yezidi Yi Zanabazar_Square
""".split()
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def vlq(number):
    """Base 32 digits, lowest first; all but the last have the sixth bit set."""
    out = ""
    while True:
        digit, number = number & 31, number >> 5
        out += DIGITS[digit | (32 if number else 0)]
        if not number:
            return out


def signed(number):
    return vlq(number << 1 if number >= 0 else (-number << 1) | 1)


def ranges(characters):
    """A set as alternating lengths: outside, inside, outside, …"""
    bounds, inside = [], False
    for code in range(0x110000):
        if (chr(code) in characters) != inside:
            bounds.append(code)
            inside = not inside
    if inside:
        bounds.append(0x110000)
    return "".join(vlq(b - a) for a, b in zip([0, *bounds], bounds))


def runs(class_of):
    """A partition as pairs: length, letter of the class. Surrogates go with what precedes them."""
    out, start, current = "", 0, class_of[0]
    for code in range(1, 0x110001):
        after = class_of.get(code, current) if code < 0x110000 else None
        if after != current:
            out += vlq(code - start) + DIGITS[current]
            start, current = code, after
    return out


def regex_set(bracket):
    return set(normalizers.Replace(Regex(f"[^{bracket}]+"), "").normalize_str(ALL))


def removed_by(normalizer, separator="\n"):
    return {c for c, after in each(normalizer, separator=separator) if after == ""}


def each(normalizer, before="", after="", separator="\n"):
    """What becomes of every character on a line of its own (the separator itself left out)."""
    others = [c for c in ALL if c != separator]
    lines = normalizer.normalize_str(separator.join(before + c + after for c in others)).split(separator)
    assert len(lines) == len(others)
    return list(zip(others, lines))


def isolated(pre_tokenizer):
    """Characters that are cut off from the letter before them."""
    pieces = pre_tokenizer.pre_tokenize_str("".join("a" + c for c in ALL))
    return {text for text, _ in pieces if len(text) == 1 and text != "a"}


def categories():
    found = {}
    for index, name in enumerate(CATEGORIES):
        for character in regex_set(rf"\p{{{name}}}"):
            found[ord(character)] = index
    assert len(found) == len(SCALARS)
    return found


def regex_scripts():
    found = {}
    for index, name in enumerate(SCRIPT_NAMES):
        for character in regex_set(rf"\p{{{name}}}"):
            assert ord(character) not in found, name
            found[ord(character)] = index
    assert len(found) == len(SCALARS)
    return found


def lowercase():
    """Runs of upper-case letters: distance from the run before, count, step, signed shift. One letter has two (İ)."""
    pairs = [(ord(c), ord(low)) for c, low in each(normalizers.Lowercase()) if c != low and len(low) == 1]
    special = [(c, low) for c, low in each(normalizers.Lowercase()) if len(low) > 1]
    assert special == [("\u0130", "i\u0307")]
    found = []
    for code, low in pairs:
        shift = low - code
        if found:
            start, count, step, before = found[-1]
            gap = code - (start + (count - 1) * step)
            if before == shift and gap <= 2 and (count == 1 or gap == step):
                found[-1] = (start, count + 1, gap, shift)
                continue
        found.append((code, 1, 1, shift))
    out, last = "", 0
    for start, count, step, shift in found:
        out += vlq(start - last) + vlq(count) + vlq(step) + signed(shift)
        last = start
    return out


def normalised():
    """Characters that take part in normalisation: they change, combine, or are parts of those that do."""
    nfd, nfkd = dict(each(normalizers.NFD())), dict(each(normalizers.NFKD()))
    active = {c for c, text in nfkd.items() if text != c}
    for text in nfd.values():
        if len(text) > 1:
            active.update(text)
    # A mark of class 240 moves behind one of a lower class, and one of class 1 before one of a higher class.
    for probe, kept in (("a\u0345{}", "a\u0345{}"), ("a{}\u0334", "a{}\u0334")):
        before, after = probe.split("{}")
        for c, text in each(normalizers.NFD(), before, after):
            if nfd[c] == c and text != kept.format(c):
                active.add(c)
    return active | {chr(c) for c in [*range(0x1100, 0x1113), *range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]}


def precompiled(entries):
    """A Precompiled normalizer that maps a few characters: a double-array trie as Darts lays it out."""
    trie = {}
    blob = b""
    for character, text in entries.items():
        node = trie
        for byte in character.encode():
            node = node.setdefault(byte, {})
        node[None] = len(blob)
        blob += text.encode() + b"\0"
    units, used = [0], {0}

    def place(node, at):
        labels = [label or 0 for label in node]
        base = 256
        while any((base ^ label) in used for label in labels) or base ^ at == 0:
            base += 256
        offset = base ^ at
        units.extend([0] * (base + 256 - len(units)))
        units[at] |= (offset << 10) if offset < 1 << 21 else 0
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
    charsmap = struct.pack("<I", len(array)) + array + blob
    return normalizers.Precompiled(charsmap)


def graphemes():
    """Grapheme_Cluster_Break with the classes that conjuncts and emoji need, told apart by what joins what.

    A cluster of at most five bytes is replaced as a whole when it starts with a mapped character, so that a mark after the
    character is lost; in a longer cluster, or one that starts otherwise, the mark survives.
    """
    mark = "\u0300"

    def joins(before, after, mapped):
        """Whether c, between `before` and `after`, is in one cluster with the mapped character that ends the probe."""
        probe = precompiled({mapped: "b"})
        return {c for c, text in each(probe, before, after + mapped + mark) if text.endswith("b" + mark)}

    extends = {c for c, text in each(precompiled({"a": "b"}), "a") if text == "b" and c != "a"}
    orphan = precompiled({mark: "b"})
    controls = {c for c, text in each(orphan, "", mark + "\u0301") if text.endswith("b")} | {"\n"}
    prepends = joins("", "", "a")
    leads = joins("", "", "\u1100") - prepends
    vowels = joins("", "", "\u1160") - prepends - leads  # V, LV
    trails = joins("", "", "\u11a8") - prepends - leads - vowels  # T, LVT
    after_lead = {c for c in vowels if c < "\uac00" or c > "\ud7a3"}  # V
    after_vowel = {c for c in trails if c < "\uac00" or c > "\ud7a3"}  # T
    pictographs = joins("", "\u200d", "\u00a9")
    regional = {chr(c) for c in range(0x1F1E6, 0x1F200)}
    extend = joins("\u00a9", "\u200d", "\u00a9") & extends
    consonants = joins("", "\u094d", "\u0915")
    linkers = joins("\u0915", "", "\u0915") & extends
    conjunct_extends = joins("\u0915", "\u094d", "\u0915") & extend - linkers

    order = [  # the first that holds; the letter is the position
        set(), {"\r"}, {"\n"}, controls, {"\u200d"}, regional, leads, after_lead, after_vowel,
        vowels - after_lead, trails - after_vowel, prepends, pictographs, consonants, linkers, conjunct_extends, extend, extends,
    ]
    return {code: next((i for i, members in enumerate(order) if chr(code) in members), 0) for code in SCALARS}


def scripts():
    """Classes of the UnicodeScripts pre-tokenizer. Class 0 is any script: such a character never starts a piece."""
    step = pre_tokenizers.UnicodeScripts()
    any_script = {c for c in ALL if len(step.pre_tokenize_str(c)) == 0}
    classes, found, previous = [], {}, None
    for c in ALL:
        if c in any_script:
            found[ord(c)] = 0
            continue
        same = lambda other: len(step.pre_tokenize_str(other + c)) == 1
        if previous is not None and same(classes[previous - 1]):
            found[ord(c)] = previous
            continue
        index = next((i for i, other in enumerate(classes) if same(other)), None)
        if index is None:
            classes.append(c)
            index = len(classes) - 1
        previous = found[ord(c)] = index + 1
    return found


def script_runs(found):
    out, start, current = "", 0, found[0]
    for code in range(1, 0x110001):
        after = found.get(code, current) if code < 0x110000 else None
        if after != current:
            out += vlq(code - start) + vlq(current)
            start, current = code, after
    return out


def main():
    category = categories()
    letters = {c for c in ALL if CATEGORIES[category[ord(c)]][0] == "L"}
    names = lambda *wanted: {c for c in ALL if CATEGORIES[category[ord(c)]] in wanted}
    alphabetic = regex_set("[:alpha:]")
    assert names("Nl") | letters <= alphabetic
    word = regex_set(r"\w")
    assert word == alphabetic | names("Mn", "Mc", "Me", "Nd", "Pc")
    lines = pre_tokenizers.Whitespace().pre_tokenize_str("".join(f"a{c}\n" for c in ALL))
    assert {t[1] for t, _ in lines if len(t) == 2 and t[0] == "a"} == word | {"\u200c", "\u200d"}
    space = regex_set(r"\s")
    assert space == set(ALL) - set("".join(t for t, _ in pre_tokenizers.WhitespaceSplit().pre_tokenize_str(ALL)))
    punctuation = set(ALL) - set("".join(t for t, _ in pre_tokenizers.Punctuation("removed").pre_tokenize_str(ALL)))
    clean = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    strip = normalizers.BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False)
    tables = {
        "CATEGORIES": (runs(category), "General categories, by the letter of their place in `CATEGORY_NAMES`."),
        "SCRIPT_NAMES": (" ".join(SCRIPT_NAMES), "Scripts of regular expressions."),
        "SCRIPT_RUNS": (script_runs(regex_scripts()), "Scripts of regular expressions, as runs of length and place in `SCRIPT_NAMES`."),
        "OTHER_ALPHABETIC": (ranges(alphabetic - letters - names("Nl")), "Alphabetic characters besides letters and letter numbers."),
        "OTHER_UPPERCASE": (ranges(regex_set("[:upper:]") - names("Lu")), "Upper-case characters besides Lu."),
        "OTHER_LOWERCASE": (ranges(regex_set("[:lower:]") - names("Ll")), "Lower-case characters besides Ll."),
        "WHITE_SPACE": (ranges(space), "White space: of regular expressions and of the standard library alike."),
        "NUMERIC": (ranges(isolated(pre_tokenizers.Digits(individual_digits=True))), "Numeric characters of the standard library."),
        "LOWERCASE": (lowercase(), "Simple lower-case mappings: runs of distance, count, step and signed shift."),
        "PUNCTUATION": (ranges(punctuation), "Punctuation of the pre-tokenizers, with ASCII's symbols."),
        "BERT_REMOVED": (ranges(removed_by(clean, "a")), "What BERT's cleaning removes."),
        "NONSPACING": (ranges(removed_by(strip)), "Marks that BERT's accent stripping removes."),
        "COMBINING": (ranges(removed_by(normalizers.StripAccents())), "Marks that StripAccents removes."),
        "NORMALISED": (ranges(normalised()), "Characters that take part in Unicode normalisation."),
        "GRAPHEMES": (runs(graphemes()), "Grapheme cluster classes, by the letter of their place in `GraphemeClass`."),
        "SCRIPTS": (script_runs(scripts()), "Scripts of the pre-tokenizer as runs of length and class; 0 is any script."),
    }
    out = ["/** Made by test/peers/unicode_tables.py from Python's `tokenizers`; `vlq.ts` tells how to read it. */", ""]
    for name, (text, comment) in tables.items():
        line = f"export const {name} = {json.dumps(text)};"
        out += [f"/** {comment} */", line if len(line) <= 120 else line.replace(" = ", " =\n  ", 1), ""]
    target = ROOT / "core/data/tokenizer/unicode/tables.ts"
    target.write_text("\n".join(out).rstrip("\n") + "\n")
    print({name: len(text) for name, (text, _) in tables.items()}, target.stat().st_size)


main()
