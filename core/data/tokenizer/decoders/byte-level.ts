import { bytesOfToken } from "../byte-level.js";
import { TokenStage } from "./stage.js";
import { decodeUtf8, unfinishedTail } from "./utf8.js";

/** `ByteLevel`: the bytes of all tokens as one text. Broken UTF-8 becomes U+FFFD. */
export class ByteLevelStage extends TokenStage {
  /** Bytes that may begin a character. */
  private tail: Uint8Array = new Uint8Array(0);

  protected token(token: string): void {
    const bytes = Buffer.concat([this.tail, bytesOfToken(token)]);
    const ready = bytes.length - unfinishedTail(bytes);
    this.tail = bytes.subarray(ready);
    if (ready > 0) this.next.part(decodeUtf8(bytes.subarray(0, ready)));
  }

  override close(): void {
    if (this.tail.length > 0) this.next.part(decodeUtf8(this.tail));
    this.next.end();
    this.next.close();
  }
}
