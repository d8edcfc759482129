import { connect } from "node:net";

/** What came back over a plain socket, for requests that no client would send. */
type RawReply = { status: number; head: string; body: string };

/**
 * Sends the text as it stands and reads until the server closes, so the text asks for that with
 * `Connection: close` or HTTP/1.0.
 */
export function sendRaw(url: string, text: string | Uint8Array): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    let reply = "";
    socket.on("data", (data) => {
      reply += data.toString("latin1");
    });
    socket.on("error", reject);
    socket.on("close", () => {
      const [head = "", ...body] = reply.split("\r\n\r\n");
      resolve({ status: Number(head.split(" ")[1]), head, body: body.join("\r\n\r\n") });
    });
    socket.write(text);
  });
}
