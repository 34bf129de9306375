#!/usr/bin/env python3
"""Cut this book's fonts down to the characters it uses. To add one to the formulas, give it a line in characters.txt; to
add one to the text, put it into TEXT below; then run this.

    pip install fonttools==4.68.0 brotli==1.2.1
    python3 subset.py SOURCES [--check]

SOURCES is a directory with the unaltered originals, wherever they came from; for instance

    apt-get download fonts-lmodern && dpkg-deb -x fonts-lmodern_*.deb SOURCES            (latinmodern-math.otf)
    npm install --prefix SOURCES source-serif@4.5.1 source-sans@3.52.0 source-code-pro@2.42.0

Writes the six .woff2 into the directory above, and their state into characters.txt ("Cut by subset.py"), so that a test
can see a line that was added without running this. --check writes nothing and fails if anything would change.
"""
import argparse, copy, io, pathlib, re, sys

from fontTools import subset
from fontTools.cffLib import cffStandardStrings
from fontTools.cffLib.width import optimizeWidths
from fontTools.otlLib import builder
from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTFont
from fontTools.ttLib.reorderGlyphs import reorderGlyphs
from fontTools.ttLib.tables import otTables
from fontTools.ttLib.woff2 import WOFF2FlavorData

HERE = pathlib.Path(__file__).resolve().parent
FONTS = HERE.parent  # mdBook copies every file there into the book, and no directory: so this script lives one deeper
LIST = HERE / "characters.txt"


def span(first, last):
    return [chr(c) for c in range(first, last + 1)]


# ---------------------------------------------------------------- the text fonts

ASCII = span(0x20, 0x7E)
RARE = list("#$@\\^`{|}~")  # not in words
MARKS = list("\u00a0–—‘’“”…·×−")
MORE_MARKS = list("§©«»°±÷•²³¹¼½¾′")
LETTERS = list("ÖÜáäçèéëïñóöøüł")  # of names, mostly
LATIN_1 = [c for c in span(0xC0, 0xFF) if c not in "×÷"]
EASTERN = list("ćčğłőřšş")
SIGNS = list("√∞≈≠≤≥←→")
MORE_SIGNS = list("∂∑↑↓⁰⁴⁵⁶⁷⁸⁹ⁿ")
INDICES = list("₀₁₂₃₄₅₆₇₈₉⁻")
GREEK = list("αβγδεηθλμπρστφωΔΣ")
TEXT = {
    "book-serif-regular.woff2": ("SourceSerif4-Regular.ttf", ASCII + MARKS + MORE_MARKS + LATIN_1 + EASTERN + SIGNS),
    "book-serif-italic.woff2": ("SourceSerif4-It.ttf", [c for c in ASCII if c not in RARE] + MARKS + LETTERS),
    "book-sans-regular.woff2": ("SourceSans3-Regular.ttf", ASCII + MARKS + MORE_MARKS + LETTERS + SIGNS + MORE_SIGNS + INDICES + GREEK),
    "book-sans-semibold.woff2": ("SourceSans3-Semibold.ttf", [c for c in ASCII if c not in RARE] + MARKS + LETTERS + SIGNS),
    "book-code-regular.woff2": ("SourceCodePro-Regular.ttf", ASCII + list("‘’“”…·×−±²³¹¼½¾′") + SIGNS + MORE_SIGNS + GREEK),
}


def text(path, characters):
    font = TTFont(path, recalcTimestamp=False)
    missing = sorted(c for c in characters if ord(c) not in font.getBestCmap())
    if missing:
        sys.exit(f"subset.py: {path.name} has no {' '.join(missing)}")
    font["cmap"].tables = [t for t in font["cmap"].tables if (t.platformID, t.platEncID) == (3, 1)]
    cut(font, characters, ["kern", "liga"])
    if font["GPOS"].table.LookupList:
        simplify_kerning(font)
    return font


def kerning(font):
    """Every pair of glyphs that the font sets closer or wider, and by how much."""
    gpos = font["GPOS"].table
    lookups = sorted({i for r in gpos.FeatureList.FeatureRecord if r.FeatureTag == "kern" for i in r.Feature.LookupListIndex})
    pairs = {}
    for i in lookups:
        subtables = [getattr(s, "ExtSubTable", s) for s in gpos.LookupList.Lookup[i].SubTable]
        for left in font.getGlyphOrder():
            # Of the subtables of a lookup the first that knows the pair counts.
            known = [s for s in subtables if isinstance(s, otTables.PairPos) and left in s.Coverage.glyphs]
            for right in font.getGlyphOrder():
                for s in known:
                    if s.Format == 1:
                        records = s.PairSet[s.Coverage.glyphs.index(left)].PairValueRecord
                        value = next((r.Value1 for r in records if r.SecondGlyph == right), None)
                        found = any(r.SecondGlyph == right for r in records)
                    else:
                        value = s.Class1Record[s.ClassDef1.classDefs.get(left, 0)].Class2Record[s.ClassDef2.classDefs.get(right, 0)].Value1
                        found = True
                    if found:
                        pairs[left, right] = pairs.get((left, right), 0) + (getattr(value, "XAdvance", 0) if value else 0)
                        break
    return pairs


# Kerning in thousandths of an em: less than the first cannot be seen, and the rest is rounded to the second.
UNSEEN, STEP = 8, 4


def simplify_kerning(font):
    """The same kerning, of letters and what stands beside them in a sentence, as one table of classes."""
    words = {g for u, g in font.getBestCmap().items() if chr(u).isalpha() or chr(u) in ".,:;!?'\"‘’“”-–—()/"}
    pairs = {p: round(v / STEP) * STEP for p, v in kerning(font).items() if words.issuperset(p) and abs(v) >= UNSEEN}
    order = font.getReverseGlyphMap()
    lefts = sorted({left for left, _ in pairs}, key=order.get)
    rights = sorted({right for _, right in pairs}, key=order.get)
    rows, columns = {}, {}
    for left in lefts:
        rows.setdefault(tuple(pairs.get((left, right), 0) for right in rights), []).append(left)
    for right in rights:
        columns.setdefault(tuple(pairs.get((left, right), 0) for left in lefts), []).append(right)
    classes = {
        (tuple(row), tuple(column)): (builder.buildValue({"XAdvance": pairs[row[0], column[0]]}), None)
        for row in rows.values()
        for column in columns.values()
        if pairs.get((row[0], column[0]))
    }
    gpos = font["GPOS"].table
    gpos.LookupList.Lookup = [builder.buildLookup([builder.buildPairPosClassesSubtable(classes, order)])]
    for record in gpos.FeatureList.FeatureRecord:
        record.Feature.LookupListIndex = [0]


# ---------------------------------------------------------------- the mathematical font

# KaTeX writes these characters for \hat, \tilde, \bar and \overline, where the font has the accents under other codes.
ALIAS = {0x5E: 0x2C6, 0x7E: 0x2DC, 0x2C9: 0xAF, 0x203E: 0x305}
# Nothing is drawn for these, and in the original U+2061 is: "function application".
INVISIBLE = {0x2061: 0x2063, 0x2062: 0x2063, 0x2064: 0x2063}
# What stands on either side of a large bracket, and of a piece of a very large one, in thousandths of an em. Chromium
# counts the left one of a piece twice.
MARGIN, PIECE_MARGIN = 60, 45
# Brackets above this size, in thousandths of an em, are pieced together, from pieces this much smaller than the
# font's own, which would not fit together below 2.7 em.
LARGEST, SMALLER = 2600, 0.75


def italic(c):
    """Where Unicode has the italic of a letter; browsers set every letter that stands alone in it (MathML Core)."""
    u = ord(c)
    if c == "h":
        return 0x210E
    if "A" <= c <= "Z":
        return u - ord("A") + 0x1D434
    if "a" <= c <= "z":
        return u - ord("a") + 0x1D44E
    if "α" <= c <= "ω":
        return u - ord("α") + 0x1D6FC
    return {"∂": 0x1D715, "ϵ": 0x1D716, "ϑ": 0x1D717, "ϕ": 0x1D719, "ϱ": 0x1D71A, "ϖ": 0x1D71B}.get(c)


def listed():
    """The characters of the list, each with the words behind it."""
    found = {}
    for number, line in enumerate(LIST.read_text().splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        form = re.fullmatch(r"U\+([0-9A-F]+)(?:-([0-9A-F]+))?(?: (?!index\b|word\b|sizes\b)\S+)?((?: index| word| sizes)*)", line)
        if not form:
            sys.exit(f"characters.txt:{number}: not understood: {line}")
        first, last, words = form.groups()
        for c in span(int(first, 16), int(last or first, 16)):
            if c in found:
                sys.exit(f"characters.txt:{number}: {c} is listed already")
            found[c] = set(words.split())
    return found


def redraw(font, glyph, draw, width):
    """Replaces a glyph's drawing and its width; `draw` is handed a pen."""
    top = font["CFF "].cff.topDictIndex[0]
    old = top.CharStrings[glyph]
    pen = T2CharStringPen(width - old.private.nominalWidthX, None)
    draw(pen)
    top.CharStrings[glyph] = pen.getCharString(old.private, old.globalSubrs)
    bounds = BoundsPen(None)
    draw(bounds)
    font["hmtx"][glyph] = (width, round(bounds.bounds[0]) if bounds.bounds else 0)


def outline(font, glyph):
    """The left, lower, right and upper edge of a glyph's ink."""
    bounds = BoundsPen(font.getGlyphSet())
    font.getGlyphSet()[glyph].draw(bounds)
    return bounds.bounds


def reshape(font, glyph, scale, left=None, right=None, up=1, lift=0):
    """Scales a glyph across and up and gives it these margins; None for a margin leaves that side as the scale has it."""
    x0, _, x1, _ = (x * scale for x in outline(font, glyph))
    width = font["hmtx"][glyph][0] * scale
    shift = 0 if left is None else left - x0
    width = round(width if right is None else x1 + shift + right)
    old = DecomposingRecordingPen(font.getGlyphSet())
    font.getGlyphSet()[glyph].draw(old)
    redraw(font, glyph, lambda pen: old.replay(TransformPen(pen, (scale, 0, 0, up, shift, lift))), width)


def boxes(font, glyph, width, *rectangles):
    """Draws a glyph as rectangles, each from one corner to the opposite."""

    def draw(pen):
        for x0, y0, x1, y1 in rectangles:
            pen.moveTo((x0, y0))
            for corner in ((x1, y0), (x1, y1), (x0, y1)):
                pen.lineTo(corner)
            pen.closePath()

    redraw(font, glyph, draw, width)


def growing(font, c):
    """What the font does to let a character grow: up, or across."""
    glyph = font.getBestCmap()[ord(c)]
    variants = font["MATH"].table.MathVariants
    for direction in ("Vert", "Horiz"):
        glyphs = getattr(variants, direction + "GlyphCoverage").glyphs
        if glyph in glyphs:
            return getattr(variants, direction + "GlyphConstruction")[glyphs.index(glyph)]
    sys.exit(f"characters.txt: no sizes of {c}")


def part(glyph, length, overlap, extends):
    piece = otTables.GlyphPartRecord()
    piece.glyph, piece.FullAdvance, piece.PartFlags = glyph, length, int(extends)
    piece.StartConnectorLength = piece.EndConnectorLength = overlap
    return piece


def shrink(pieces, scale):
    for p in pieces:
        for measure in ("StartConnectorLength", "EndConnectorLength", "FullAdvance"):
            setattr(p, measure, int(getattr(p, measure) * scale))


def keep_sizes(construction, largest):
    construction.MathGlyphVariantRecord = [r for r in construction.MathGlyphVariantRecord if r.AdvanceMeasurement <= largest]


def simplify_sizes(font, c):
    """Before the cut: fewer sizes. The longest bars are pieced together from one plain stroke, as heavy as the shorter bars,
    and wide braces from 1.7 em up, no heavier than the narrow ones."""
    construction = growing(font, c)
    pieces = construction.GlyphAssembly.PartRecords if construction.GlyphAssembly else []
    if c in "|‖‾":
        base = construction.MathGlyphVariantRecord[0].VariantGlyph
        piece = base if c == "‾" else next(p.glyph for p in pieces if p.PartFlags)
        length, width, rectangles = {
            "|": (1000, 50, [(0, 0, 50, 1000)]),
            "‖": (1000, 250, [(0, 0, 50, 1000), (200, 0, 250, 1000)]),
            "‾": (400, 400, [(0, 560, 400, 600)]),
        }[c]
        boxes(font, piece, width, *rectangles)
        if c != "‾":
            reshape(font, piece, 1, PIECE_MARGIN, PIECE_MARGIN)
        overlap = length * 9 // 10
        construction.GlyphAssembly.PartRecords = [part(piece, length, overlap, False), part(piece, length, overlap, True)]
        keep_sizes(construction, LARGEST)
    elif c in "⏞⏟":
        lift = 280 if c == "⏞" else -94
        for piece in {p.glyph for p in pieces}:
            reshape(font, piece, 0.57, up=0.57, lift=lift)
        shrink(pieces, 0.57)
        keep_sizes(construction, 1500)
    elif c in "()[]{}⌈⌉⌊⌋⟨⟩":
        keep_sizes(construction, LARGEST)


def narrow(font, characters):
    """Chromium makes anything that stretches as wide as the widest of its sizes, so that a small bracket or root
    stands in a wide gap. So: the larger brackets lose their margins and the very tall ones grow slimmer, and every
    root is as wide as the small one."""
    done = {}
    for c in characters:
        construction = growing(font, c)
        records = construction.MathGlyphVariantRecord
        parts = construction.GlyphAssembly.PartRecords if construction.GlyphAssembly else []
        pieces = {p.glyph for p in parts}
        base = font["hmtx"][records[0].VariantGlyph][0]
        if c == "√":
            for glyph in sorted({r.VariantGlyph for r in records[1:]} | pieces):
                reshape(font, glyph, base / font["hmtx"][glyph][0])
            continue
        for record in records[1:]:
            reshape(font, record.VariantGlyph, 1, MARGIN, MARGIN)
        # All pieces of a bracket move as one; some serve two brackets.
        edges = {glyph: outline(font, glyph) for glyph in pieces - done.keys()} | {g: done[g] for g in pieces & done.keys()}
        left, right = (f(e[side] for e in edges.values()) * SMALLER for f, side in ((min, 0), (max, 2))) if edges else (0, 0)
        for glyph in sorted(pieces - done.keys()):
            x0, _, x1, _ = done[glyph] = edges[glyph]
            reshape(font, glyph, SMALLER, PIECE_MARGIN + x0 * SMALLER - left, PIECE_MARGIN + right - x1 * SMALLER, up=SMALLER)
        shrink(parts, SMALLER)


def maths(path):
    font = TTFont(path, recalcTimestamp=False)
    characters = listed()
    original = font.getBestCmap()
    # From every code to its drawing. A small Greek letter has only the italic one.
    cmap, index = {}, set()
    for c, words in characters.items():
        real = INVISIBLE.get(ord(c), ALIAS.get(ord(c), ord(c)))
        lone = italic(c)
        if lone:
            cmap[lone] = original[lone]
        cmap[ord(c)] = original.get(lone if lone and not c.isascii() else real)
        if cmap[ord(c)] is None:
            sys.exit(f"characters.txt: Latin Modern Math has no U+{ord(c):04X} {c}")
        index |= {cmap[lone or ord(c)]} if "index" in words else set()
        index |= {cmap[ord(c)]} if "word" in words else set()
    font["cmap"].tables = [t for t in font["cmap"].tables if (t.platformID, t.platEncID) == (3, 10)]
    font["cmap"].tables[0].cmap = cmap

    # Larger sizes only for what is to grow, and no more of them than one can tell apart.
    sizes = [c for c, words in characters.items() if "sizes" in words]
    variants = font["MATH"].table.MathVariants
    for c in sizes:
        simplify_sizes(font, c)
    keep = {cmap[ord(c)] for c in sizes}
    for direction in ("Vert", "Horiz"):
        coverage = getattr(variants, direction + "GlyphCoverage")
        built = getattr(variants, direction + "GlyphConstruction")
        pairs = [(g, b) for g, b in zip(coverage.glyphs, built) if g in keep]
        coverage.glyphs = [g for g, _ in pairs]
        setattr(variants, direction + "GlyphConstruction", [b for _, b in pairs])

    # The sturdier drawings for indices (OpenType feature ssty): the first of each. The font has them under the script
    # "math" only, where Chromium's text shaping does not look.
    gsub = font["GSUB"].table
    lookups = {i for r in gsub.FeatureList.FeatureRecord if r.FeatureTag == "ssty" for i in r.Feature.LookupListIndex}
    drawings = {}
    for i in sorted(lookups):
        for s in gsub.LookupList.Lookup[i].SubTable:
            drawings |= {g: a[0] for g, a in s.alternates.items()} if hasattr(s, "alternates") else s.mapping
    without = sorted(index - drawings.keys())
    if without:
        sys.exit(f"characters.txt: no drawing for indices of {' '.join(without)}")
    feature = next(r for r in gsub.FeatureList.FeatureRecord if r.FeatureTag == "ssty")
    feature.Feature.LookupListIndex = [0]
    gsub.FeatureList.FeatureRecord = [feature]
    gsub.LookupList.Lookup = [builder.buildLookup([builder.buildSingleSubstSubtable({g: drawings[g] for g in index})])]
    script = gsub.ScriptList.ScriptRecord[0]
    script.ScriptTag = "DFLT"
    script.Script.LangSysRecord = []
    script.Script.DefaultLangSys.FeatureIndex = [0]
    other = copy.deepcopy(script)
    other.ScriptTag = "math"
    gsub.ScriptList.ScriptRecord = [script, other]

    cut(font, list(map(chr, cmap)), ["ssty"])
    narrow(font, [c for c in sizes if c in "()[]{}⌈⌉⌊⌋⟨⟩√"])
    return pack(font)


def pack(font):
    """The same font in fewer bytes: glyphs in the order of their codes, widths relative to the commonest, and names, which
    nobody reads, from the list that every CFF font shares."""
    codes = {}
    for code, glyph in sorted(font.getBestCmap().items()):
        codes.setdefault(glyph, code)
    order = sorted(font.getGlyphOrder(), key=lambda g: (g != ".notdef", codes.get(g, 0x110000), font.getGlyphID(g)))
    font.ensureDecompiled()
    reorderGlyphs(font, order)

    top = font["CFF "].cff.topDictIndex[0]
    private = top.Private
    default, nominal = optimizeWidths([font["hmtx"][g][0] for g in order])
    strings = {}
    for g in order:
        old = DecomposingRecordingPen(font.getGlyphSet())
        font.getGlyphSet()[g].draw(old)
        width = font["hmtx"][g][0]
        pen = T2CharStringPen(None if width == default else width - nominal, None)
        old.replay(pen)
        strings[g] = pen.getCharString(private, top.GlobalSubrs)
    for g in order:
        top.CharStrings[g] = strings[g]
    private.defaultWidthX, private.nominalWidthX = default, nominal

    data = io.BytesIO()
    font.flavor = None
    font.save(data)
    font = TTFont(io.BytesIO(data.getvalue()), recalcTimestamp=False)
    names = [*cffStandardStrings, *(f"g{i}" for i in range(len(cffStandardStrings), len(order)))][: len(order)]
    top = font["CFF "].cff.topDictIndex[0]
    strings = top.CharStrings.charStrings
    top.CharStrings.charStrings = {new: strings[old] for new, old in zip(names, top.charset)}
    top.charset = names
    font.setGlyphOrder(names)
    return font


# ---------------------------------------------------------------- both


def cut(font, characters, features):
    o = subset.Options()
    o.layout_features = features
    o.hinting = False
    o.desubroutinize = True
    o.bidi_closure = False
    o.name_IDs = [0, 1, 2, 4, 6]
    o.drop_tables += ["FFTM", "BASE"]
    o.recalc_timestamp = False
    s = subset.Subsetter(o)
    s.populate(unicodes={ord(c) for c in characters})
    s.subset(font)
    return font


def rename(font, name):
    """The licences ask that an altered font not carry the original's name. They themselves lie beside the fonts."""
    family, style = name.title().replace("-", " ").rsplit(" ", 1) if name.count("-") > 1 else (name.title().replace("-", " "), "Regular")
    new = {1: family, 2: style, 4: f"{family} {style}", 6: name}
    for record in font["name"].names:
        if record.nameID in new:
            record.string = new[record.nameID]
    if "CFF " in font:
        cff = font["CFF "].cff
        cff.fontNames[0] = name
        cff.topDictIndex[0].FullName = new[4]
        cff.topDictIndex[0].FamilyName = family
    return font


def save(font):
    for tag in ("GSUB", "GPOS"):
        if tag in font and not font[tag].table.LookupList:
            del font[tag]
    font.flavor = "woff2"
    if "glyf" in font:
        font.flavorData = WOFF2FlavorData(transformedTables=("glyf", "loca", "hmtx"))
    out = io.BytesIO()
    font.save(out)
    return out.getvalue()


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("sources", type=pathlib.Path)
    ap.add_argument("--check", action="store_true")
    a = ap.parse_args()

    def find(name):
        found = sorted(a.sources.rglob(name))
        return found[0] if found else sys.exit(f"subset.py: no {name} under {a.sources}: see --help")

    made = {"book-math.woff2": save(rename(maths(find("latinmodern-math.otf")), "book-math"))}
    for name, (source, characters) in TEXT.items():
        made[name] = save(rename(text(find(source), characters), name.removesuffix(".woff2")))

    size = len(made["book-math.woff2"])
    print(f"{'':30}{sum(map(len, made.values())):8} bytes together")
    lines = LIST.read_text().splitlines()
    count = sum(not line.startswith("#") for line in lines)
    stamp = f"# Cut by subset.py: {count} lines, and book-math.woff2 has {size} bytes."
    lines = [stamp if line.startswith("# Cut by subset.py:") else line for line in lines]
    made[LIST.name] = ("\n".join(lines) + "\n").encode()

    changed = False
    for name, data in made.items():
        path = (FONTS if name.endswith(".woff2") else HERE) / name
        same = path.is_file() and path.read_bytes() == data
        changed |= not same
        print(f"{name:30}{len(data):8} bytes  {'same' if same else 'CHANGED'}")
        if not a.check:
            path.write_bytes(data)
    sys.exit(a.check and changed)


if __name__ == "__main__":
    main()
