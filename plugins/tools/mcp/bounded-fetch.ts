/** Bytes of a message: as many as are read of a program's standard output. */
const MOST_BYTES = 10 * 2 ** 20;

/** What is said of a server that sends more. */
export const TOO_MUCH = "it sent more at a time than is read, and was stopped";

/** `fetch` of which a body, or an event of a stream, is read up to a size; then `onOverflow` is called, and the body has failed. */
export function boundedFetch(onOverflow: () => void): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!response.body) return response;
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
    let read = 0;
    const counting = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const end = isStream ? endOfEvents(chunk) : 0;
        read = end > 0 ? chunk.length - end : read + chunk.length;
        if (read <= MOST_BYTES) return controller.enqueue(chunk);
        onOverflow();
        controller.error(new Error(TOO_MUCH));
      },
    });
    const { status, statusText, headers, url: address, redirected } = response;
    const bounded = new Response(response.body.pipeThrough(counting), { status, statusText, headers });
    return Object.defineProperties(bounded, { url: { value: address }, redirected: { value: redirected } });
  };
}

/** Where the last event in these bytes ends, which an empty line does; 0 where none does. */
function endOfEvents(chunk: Uint8Array): number {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Math.max(...["\n\n", "\r\n\r\n", "\r\r"].map((empty) => bytes.lastIndexOf(empty) + 1));
}
