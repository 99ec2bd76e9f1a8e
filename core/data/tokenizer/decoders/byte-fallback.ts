import { TokenStage } from "./stage.js";
import { decodeStrictUtf8 } from "./utf8.js";

/** Rust reads a leading plus sign as part of a number. */
const BYTE = /^<0x([0-9A-Fa-f]{2}|\+[0-9A-Fa-f])>$/;

/**
 * `ByteFallback`: a run of tokens `<0x00>` to `<0xFF>` is one text where it is UTF-8 as a whole, else U+FFFD for every byte.
 * Which it is shows only at its end.
 */
export class ByteFallbackStage extends TokenStage {
  /** The bytes of the run so far, one character each. */
  private run = "";

  protected token(token: string): void {
    const byte = BYTE.exec(token);
    if (byte) {
      this.run += String.fromCharCode(Number.parseInt(byte[1], 16));
    } else {
      this.endRun();
      this.emit(token);
    }
  }

  override close(): void {
    this.endRun();
    this.next.close();
  }

  private endRun(): void {
    if (this.run === "") return;
    const text = decodeStrictUtf8(Buffer.from(this.run, "latin1"));
    if (text !== null) this.emit(text);
    else for (let i = 0; i < this.run.length; i++) this.emit("\uFFFD");
    this.run = "";
  }
}
