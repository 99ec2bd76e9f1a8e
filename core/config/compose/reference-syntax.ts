/** A text cut into literal parts and references. */
export type Piece = string | ReferencePiece;

export interface ReferencePiece {
  /** `a.b`, or the resolver's name. */
  readonly name: readonly Piece[];
  /** Arguments of a resolver, e.g. `oc.env:NAME,default`; null for a plain reference. */
  readonly args: readonly ReferenceArgument[] | null;
  /** As written, braces included. */
  readonly text: string;
}

export interface ReferenceArgument {
  readonly pieces: readonly Piece[];
  readonly quoted: boolean;
}

export class ReferenceSyntaxError extends Error {}

/**
 * Cuts a text at its references. `\${` is a literal `${`; backslashes in front of a reference pair up. References nest:
 * `${a.${b}}`, `${oc.env:NAME,${c}}`.
 */
export function cutReferences(text: string): Piece[] {
  const cursor = new Cursor(text);
  const pieces = cursor.pieces(() => false);
  return pieces;
}

/** References inside each other. */
const MAX_DEPTH = 50;

class Cursor {
  #at = 0;
  #depth = 0;

  constructor(private readonly text: string) {}

  pieces(stop: (character: string) => boolean): Piece[] {
    const pieces: Piece[] = [];
    let literal = "";
    while (this.#at < this.text.length) {
      const slashes = /^\\*/.exec(this.text.slice(this.#at))?.[0].length ?? 0;
      if (this.text.startsWith("${", this.#at + slashes)) {
        literal += "\\".repeat(Math.floor(slashes / 2));
        this.#at += slashes;
        if (slashes % 2 === 1) {
          literal += "${";
          this.#at += 2;
          continue;
        }
        if (literal) pieces.push(literal);
        literal = "";
        pieces.push(this.#reference());
        continue;
      }
      if (slashes > 0) {
        literal += "\\".repeat(slashes);
        this.#at += slashes;
        continue;
      }
      if (stop(this.text[this.#at])) break;
      literal += this.text[this.#at++];
    }
    if (literal) pieces.push(literal);
    return pieces;
  }

  #reference(): ReferencePiece {
    const start = this.#at;
    if (++this.#depth > MAX_DEPTH) {
      throw new ReferenceSyntaxError(`More than ${MAX_DEPTH} references lie inside each other.`);
    }
    this.#at += 2;
    const name = this.pieces((character) => character === "}" || character === ":");
    const args = this.text[this.#at] === ":" ? this.#args() : null;
    if (this.text[this.#at] !== "}") {
      throw new ReferenceSyntaxError(`The reference ${this.text.slice(start)} is not closed by }.`);
    }
    this.#at++;
    this.#depth--;
    return { name, args, text: this.text.slice(start, this.#at) };
  }

  #args(): ReferenceArgument[] {
    const args: ReferenceArgument[] = [];
    do {
      this.#at++;
      while (this.text[this.#at] === " ") this.#at++;
      const quote = this.text[this.#at];
      if (quote === "'" || quote === '"') {
        this.#at++;
        const pieces = this.pieces((character) => character === quote);
        if (this.text[this.#at++] !== quote) throw new ReferenceSyntaxError(`The quote ${quote} is not closed.`);
        while (this.text[this.#at] === " ") this.#at++;
        args.push({ pieces, quoted: true });
      } else {
        args.push({ pieces: trimEnds(this.pieces(outsideBrackets("},"))), quoted: false });
      }
    } while (this.text[this.#at] === ",");
    return args;
  }
}

/** Stops at one of these characters unless a bracket is open. */
function outsideBrackets(stops: string): (character: string) => boolean {
  let depth = 0;
  return (character) => {
    if (depth === 0 && stops.includes(character)) return true;
    if ("[{".includes(character)) depth++;
    else if ("]}".includes(character)) depth--;
    return false;
  };
}

function trimEnds(pieces: Piece[]): Piece[] {
  return pieces
    .map((piece, i) => {
      if (typeof piece !== "string") return piece;
      const head = i === 0 ? piece.trimStart() : piece;
      return i === pieces.length - 1 ? head.trimEnd() : head;
    })
    .filter((piece) => piece !== "");
}
