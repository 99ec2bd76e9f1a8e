import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { Channel } from "../../../../core/host/index.js";

/** Both ends of a line within this process. */
export function channelPair(): { readonly near: Channel; readonly far: Channel } {
  const { port1, port2 } = new MessageChannel();
  return { near: portChannel(port1), far: portChannel(port2) };
}

function portChannel(port: MessagePort): Channel {
  return {
    send: (message) => port.postMessage(message),
    listen(listener) {
      port.on("message", listener);
      return () => void port.off("message", listener);
    },
    onClose(listener) {
      const closed = () => listener("the line was closed");
      port.on("close", closed);
      return () => void port.off("close", closed);
    },
    close: () => port.close(),
  };
}
