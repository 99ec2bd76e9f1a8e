import { GRAPHEMES } from "./tables.js";
import { VlqReader } from "./vlq.js";

/** Grapheme_Cluster_Break, with pictographs and the three classes of Indic conjuncts set apart. Numbered as in `tables.ts`. */
enum Class {
  Other,
  CR,
  LF,
  Control,
  ZWJ,
  Regional,
  L,
  V,
  T,
  LV,
  LVT,
  Prepend,
  Pictograph,
  Consonant,
  Linker,
  ConjunctExtend,
  Extend,
  SpacingMark,
}

const CLASSES = readClasses();

function readClasses(): Uint8Array {
  const classes = new Uint8Array(0x110000);
  const reader = new VlqReader(GRAPHEMES);
  for (let start = 0; !reader.done; ) {
    const end = start + reader.number();
    classes.fill(reader.letter(), start, end);
    start = end;
  }
  return classes;
}

const isExtend = (kind: Class): boolean =>
  kind === Class.Extend || kind === Class.Linker || kind === Class.ConjunctExtend || kind === Class.ZWJ;

/** Ends of the extended grapheme clusters of a text, as UTF-16 indices (UAX #29 of Unicode 17). */
export function* graphemeEnds(text: string): Generator<number> {
  const state = new ClusterState();
  for (let i = 0; i < text.length; ) {
    const code = text.codePointAt(i) as number;
    if (state.breaksBefore(CLASSES[code]) && i > 0) yield i;
    i += code > 0xffff ? 2 : 1;
  }
  if (text.length > 0) yield text.length;
}

/** What the rules look back for. */
class ClusterState {
  private before: Class = Class.Control;
  /** Regional indicators in a row that end here. */
  private regionals = 0;
  /** A pictograph, then any extenders, end here; `joined` when a joiner follows them. */
  private pictograph: "none" | "open" | "joined" = "none";
  /** A consonant, then conjunct extenders, end here; `linked` when a linker is among them. */
  private conjunct: "none" | "open" | "linked" = "none";

  breaksBefore(kind: Class): boolean {
    const breaks = this.decide(kind);
    this.advance(kind);
    return breaks;
  }

  private decide(kind: Class): boolean {
    const { before } = this;
    if (before === Class.CR && kind === Class.LF) return false;
    if (before === Class.Control || before === Class.CR || before === Class.LF) return true;
    if (kind === Class.Control || kind === Class.CR || kind === Class.LF) return true;
    if (before === Class.L && [Class.L, Class.V, Class.LV, Class.LVT].includes(kind)) return false;
    if ((before === Class.LV || before === Class.V) && (kind === Class.V || kind === Class.T)) return false;
    if ((before === Class.LVT || before === Class.T) && kind === Class.T) return false;
    if (isExtend(kind) || kind === Class.SpacingMark || before === Class.Prepend) return false;
    if (kind === Class.Consonant && this.conjunct === "linked") return false;
    if (kind === Class.Pictograph && this.pictograph === "joined") return false;
    return !(kind === Class.Regional && this.regionals % 2 === 1);
  }

  private advance(kind: Class): void {
    this.before = kind;
    this.regionals = kind === Class.Regional ? this.regionals + 1 : 0;
    if (kind === Class.Pictograph) this.pictograph = "open";
    else if (kind === Class.ZWJ && this.pictograph !== "none") this.pictograph = "joined";
    else if (isExtend(kind) && this.pictograph === "open") this.pictograph = "open";
    else this.pictograph = "none";
    if (kind === Class.Consonant) this.conjunct = "open";
    else if (kind === Class.Linker && this.conjunct !== "none") this.conjunct = "linked";
    else if (!(kind === Class.ConjunctExtend || kind === Class.ZWJ)) this.conjunct = "none";
  }
}
