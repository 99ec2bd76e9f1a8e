/** The body of a response as text; null for more than `limit` bytes, which are not read to their end. */
export async function responseText({ body }: Response, limit: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > limit) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
