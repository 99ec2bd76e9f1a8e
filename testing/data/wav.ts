/** A WAV file with a tone: one channel, 16 bits a sample, 8,000 samples a second. */
export function toneWav(seconds: number, hertz: number): Uint8Array {
  const rate = 8000;
  const samples = Math.round(seconds * rate);
  const bytes = Buffer.alloc(44 + 2 * samples);
  bytes.write("RIFF", 0, "latin1");
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write("WAVEfmt ", 8, "latin1");
  bytes.writeUInt32LE(16, 16);
  // Whole numbers, one channel.
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(rate, 24);
  bytes.writeUInt32LE(2 * rate, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write("data", 36, "latin1");
  bytes.writeUInt32LE(2 * samples, 40);
  for (let i = 0; i < samples; i++) {
    bytes.writeInt16LE(Math.round(16_000 * Math.sin((2 * Math.PI * hertz * i) / rate)), 44 + 2 * i);
  }
  return bytes;
}
