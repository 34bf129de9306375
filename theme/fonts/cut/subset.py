#!/usr/bin/env python3
"""Cut this book's fonts down to the characters it uses. Run only when a character is to be added.

    pip install fonttools==4.68.0 brotli==1.2.1
    python3 subset.py SOURCES [--check]

SOURCES is a directory with the unaltered originals, wherever they came from; for instance

    apt-get download fonts-lmodern && dpkg-deb -x fonts-lmodern_*.deb SOURCES            (latinmodern-math.otf)
    npm install --prefix SOURCES source-serif@4.5.1 source-sans@3.52.0 source-code-pro@2.42.0

Writes the six .woff2 into the directory above and characters.txt beside this file; --check writes nothing and fails if they would change.
"""
import argparse, copy, io, pathlib, sys
from fontTools import subset
from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTFont

HERE = pathlib.Path(__file__).resolve().parent
FONTS = HERE.parent  # mdBook copies every file there into the book, and no directory: so this script lives one deeper


def span(first, last):
    return [chr(c) for c in range(first, last + 1)]


# ---------------------------------------------------------------- the text fonts

ASCII = span(0x20, 0x7E)
LATIN = list("\u00a0§©«»°·²³×÷±−éèêëàâäáçíïîñóôöúûüÉÖßøšćł–—‘’“”•…′→")
SIGNS_IN_TEXT = list("≈≤≥≠√∞∑∂←↑↓₀₁₂₃₄₅₆₇₈₉⁰¹⁴⁵⁶⁷⁸⁹⁻ⁿ")
GREEK_IN_TEXT = list("αβγδεηθλμπρστφωΔΣ")
TEXT = {
    "book-serif-regular.woff2": ("SourceSerif4-Regular.ttf", LATIN, ["kern", "liga"]),
    "book-serif-italic.woff2": ("SourceSerif4-It.ttf", LATIN, ["kern", "liga"]),
    "book-sans-regular.woff2": ("SourceSans3-Regular.ttf", LATIN + SIGNS_IN_TEXT + GREEK_IN_TEXT, ["kern", "tnum"]),
    "book-sans-semibold.woff2": ("SourceSans3-Semibold.ttf", LATIN + SIGNS_IN_TEXT, ["kern", "tnum"]),
    "book-code-regular.woff2": ("SourceCodePro-Regular.ttf", LATIN + SIGNS_IN_TEXT + GREEK_IN_TEXT, []),
}

# ---------------------------------------------------------------- the mathematical font

ITALIC = span(0x1D434, 0x1D454) + ["ℎ"] + span(0x1D456, 0x1D467)
BOLD = span(0x1D400, 0x1D433) + span(0x1D7CE, 0x1D7D7)
SCRIPT = list("𝒜ℬ𝒞𝒟ℰℱ𝒢ℋℐ𝒥𝒦ℒℳ𝒩𝒪𝒫𝒬ℛ𝒮𝒯𝒰𝒱𝒲𝒳𝒴𝒵")
STRUCK = list("ℝℕℤℚℂ𝔼ℙ𝔹𝔽𝕍𝟙")
GREEK = span(0x391, 0x3A1) + span(0x3A3, 0x3A9) + span(0x3B1, 0x3C9) + list("ϑϕϵ")
GREEK_ITALIC = span(0x1D6E2, 0x1D71B)
STRETCHY = list("()[]{}|‖⟨⟩⌈⌉⌊⌋√∑∏∫⏞⏟⋃⋂⨁")
SIGNS = list("¬±∓≔≜×÷·°−∗∘∙√∞∂∇∈∉∋∀∃∅∼≃≅≈≠≡≤≥≪≫≲≳∝⊤⊥⊢⊕⊖⊗⊙⋅⋆∪∩⊂⊆⊃⊇∖∧∨∣∥←→↔↑↓↦⇐⇒⇔⟵⟶⟷⟹⟺⟼…⋯⋮⋱′″†‡ℓ")
ACCENTS = list("ˆˉ¯˜˙¨")
SPACES = list("\u00a0\u2002\u2003\u2004\u2005\u2006\u2009\u200a\u200b\u2061\u2062\u2063\u2064")
MATHS = ASCII + ITALIC + BOLD + SCRIPT + STRUCK + GREEK + GREEK_ITALIC + STRETCHY + SIGNS + ACCENTS + SPACES
# Only these keep the sturdier drawings that the font has for indices (OpenType feature ssty).
INDICES = span(0x30, 0x39) + span(0x41, 0x5A) + span(0x61, 0x7A) + ITALIC + list("()[]+−=<>,/′⊤∈×⋅·𝜃𝜋𝜔𝜆𝜎𝜇𝜀𝛼𝛽𝛾")
# KaTeX writes these characters for \hat, \tilde and \bar, where the font has the accents under other codes.
ALIAS = {0x5E: 0x2C6, 0x7E: 0x2DC, 0x2C9: 0xAF}


def rename(font, name):
    """The licences ask that an altered font not carry the original's name."""
    family, style = name.title().replace("-", " ").rsplit(" ", 1) if name.count("-") > 1 else (name.title().replace("-", " "), "Regular")
    new = {1: family, 2: style, 3: f"{name}; cut for this book", 4: f"{family} {style}", 6: name}
    for record in font["name"].names:
        if record.nameID in new:
            record.string = new[record.nameID]
    if "CFF " in font:
        cff = font["CFF "].cff
        cff.fontNames[0] = name
        cff.topDictIndex[0].FullName = new[4]
        cff.topDictIndex[0].FamilyName = family
    return font


# What stands on either side of a large bracket, in thousandths of an em.
MARGIN = 80


def save(font):
    font.flavor = "woff2"
    out = io.BytesIO()
    font.save(out)
    return out.getvalue()


def cut(font, characters, features):
    o = subset.Options()
    o.layout_features = features
    o.hinting = False
    o.desubroutinize = True
    o.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    o.drop_tables += ["FFTM"]
    o.recalc_timestamp = False
    s = subset.Subsetter(o)
    s.populate(unicodes={ord(c) for c in characters})
    s.subset(font)
    return font


def outline(font, glyph):
    """The leftmost and the rightmost place of a glyph's ink."""
    glyphs = font.getGlyphSet()
    bounds = BoundsPen(glyphs)
    glyphs[glyph].draw(bounds)
    return bounds.bounds[0], bounds.bounds[2]


def reshape(font, glyph, scale, left, right):
    """Scales a glyph across and gives it these margins; None for a margin leaves that side as the scale has it."""
    glyphs = font.getGlyphSet()
    x0, x1 = (x * scale for x in outline(font, glyph))
    width = font["hmtx"][glyph][0] * scale
    shift = 0 if left is None else left - x0
    width = round(width if right is None else x1 + shift + right)
    top = font["CFF "].cff.topDictIndex[0]
    old = top.CharStrings[glyph]
    pen = T2CharStringPen(width - old.private.nominalWidthX, glyphs)
    glyphs[glyph].draw(TransformPen(pen, (scale, 0, 0, 1, shift, 0)))
    top.CharStrings[glyph] = pen.getCharString(old.private, old.globalSubrs)
    font["hmtx"][glyph] = (width, round(x0 + shift))


def narrow(font):
    """Chromium makes anything that stretches as wide as the widest of its sizes, so that a small bracket or root
    stands in a wide gap. So: the larger brackets lose their margins and the very tall ones grow slimmer (they are
    pieced together from fewer sizes up), and every root is as wide as the small one."""
    variants = font["MATH"].table.MathVariants
    cmap = font.getBestCmap()
    done = {}
    for c in "()[]{}⌈⌉⌊⌋⟨⟩√":
        construction = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(cmap[ord(c)])]
        records = construction.MathGlyphVariantRecord
        parts = construction.GlyphAssembly.PartRecords if construction.GlyphAssembly else []
        pieces = {part.glyph for part in parts}
        base = font["hmtx"][records[0].VariantGlyph][0]
        if c == "√":
            for glyph in sorted({r.VariantGlyph for r in records[1:]} | pieces):
                reshape(font, glyph, base / font["hmtx"][glyph][0], None, None)
            continue
        if parts:
            construction.MathGlyphVariantRecord = records = [r for r in records if r.AdvanceMeasurement <= 2150]
            construction.VariantCount = len(records)
        for record in records[1:]:
            reshape(font, record.VariantGlyph, 1, MARGIN, MARGIN)
        # All pieces of a bracket move as one; some serve two brackets.
        edges = {glyph: outline(font, glyph) for glyph in pieces - done.keys()} | {g: done[g] for g in pieces & done.keys()}
        for glyph in sorted(pieces - done.keys()):
            left, right = min(e[0] for e in edges.values()) * 0.75, max(e[1] for e in edges.values()) * 0.75
            done[glyph] = edges[glyph]
            reshape(font, glyph, 0.75, MARGIN + done[glyph][0] * 0.75 - left, MARGIN + right - done[glyph][1] * 0.75)


def maths(path):
    font = TTFont(path, recalcTimestamp=False)
    for table in font["cmap"].tables:
        if table.isUnicode():
            for alias, real in ALIAS.items():
                if real in table.cmap:
                    table.cmap[alias] = table.cmap[real]
    cmap = font.getBestCmap()

    # Larger sizes only for what stretches here.
    keep = {cmap[ord(c)] for c in STRETCHY if ord(c) in cmap}
    variants = font["MATH"].table.MathVariants
    for direction in ("Vert", "Horiz"):
        coverage = getattr(variants, direction + "GlyphCoverage")
        built = getattr(variants, direction + "GlyphConstruction")
        pairs = [(g, b) for g, b in zip(coverage.glyphs, built) if g in keep]
        coverage.glyphs = [g for g, _ in pairs]
        setattr(variants, direction + "GlyphConstruction", [b for _, b in pairs])
        setattr(variants, direction + "GlyphCount", len(pairs))

    # First index drawing only, and only for INDICES.
    keep = {cmap[ord(c)] for c in INDICES if ord(c) in cmap}
    gsub = font["GSUB"].table
    lookups = {i for r in gsub.FeatureList.FeatureRecord if r.FeatureTag == "ssty" for i in r.Feature.LookupListIndex}
    for i in lookups:
        for sub in gsub.LookupList.Lookup[i].SubTable:
            if hasattr(sub, "alternates"):
                sub.alternates = {g: a[:1] for g, a in sub.alternates.items() if g in keep}
            elif hasattr(sub, "mapping"):
                sub.mapping = {g: a for g, a in sub.mapping.items() if g in keep}

    # The font has them under the script "math" only, where Chromium's text shaping does not look.
    (script,) = gsub.ScriptList.ScriptRecord
    script.ScriptTag = "DFLT"
    other = copy.deepcopy(script)
    other.ScriptTag = "math"
    gsub.ScriptList.ScriptRecord = [script, other]
    gsub.ScriptList.ScriptCount = 2
    font = cut(font, MATHS, ["ssty"])
    narrow(font)
    return font, cmap


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("sources", type=pathlib.Path)
    ap.add_argument("--check", action="store_true")
    a = ap.parse_args()

    def find(name):
        found = sorted(a.sources.rglob(name))
        return found[0] if found else sys.exit(f"subset.py: no {name} under {a.sources}: see --help")

    made = {}
    font, cmap = maths(find("latinmodern-math.otf"))
    missing = sorted({c for c in MATHS if ord(c) not in cmap and c.isprintable()})
    made["book-math.woff2"] = save(rename(font, "book-math"))
    for name, (source, characters, features) in TEXT.items():
        font_ = cut(TTFont(find(source), recalcTimestamp=False), ASCII + characters, features)
        made[name] = save(rename(font_, name.removesuffix(".woff2")))

    have = sorted(font.getBestCmap())
    lines = ["# The characters in book-math.woff2, written by subset.py: nothing else may stand in a formula.",
             "# A few invisible ones (spaces, function application) are allowed without a drawing."]
    have = sorted(set(have) | {ord(c) for c in SPACES})
    lines += [f"U+{c:04X} {chr(c) if chr(c).isprintable() and c != 0x20 else ''}".rstrip() for c in have]
    made["characters.txt"] = ("\n".join(lines) + "\n").encode()

    changed = False
    for name, data in made.items():
        path = (FONTS if name.endswith(".woff2") else HERE) / name
        same = path.is_file() and path.read_bytes() == data
        changed |= not same
        print(f"{name:30}{len(data):8} bytes  {'same' if same else 'CHANGED'}")
        if not a.check:
            path.write_bytes(data)
    if missing:
        print("not in Latin Modern Math:", " ".join(missing))
    sys.exit(a.check and changed)


if __name__ == "__main__":
    main()
