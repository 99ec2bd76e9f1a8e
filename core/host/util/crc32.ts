/** Of each byte; the polynomial is that of zip and PNG, with its bits reversed. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  return value;
});

/** CRC-32 (ISO 3309), as `zlib.crc32`, which Node has from 20.15 on. */
export function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (value >>> 8) ^ TABLE[(value ^ byte) & 0xff];
  return (value ^ 0xffffffff) >>> 0;
}
