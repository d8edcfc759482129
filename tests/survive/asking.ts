import { connect } from "node:net";

/** `refused`: no one listens at the address; `cut`: a request got no whole reply. */
type Ending = "refused" | "closed" | "cut";

/** A connection is used for so many requests, as clients do. */
const REQUESTS = 3;

/**
 * Asks again and again over one connection, and once that is closed over another, until no one listens.
 * @param answered is called for each whole reply
 */
export async function askUntilTheEnd(url: URL, request: string, answered: () => void) {
  for (;;) {
    const ending = await askOverOne(url, request, answered);
    if (ending !== "closed") return ending;
  }
}

function askOverOne(url: URL, request: string, answered: () => void): Promise<Ending> {
  return new Promise((resolve) => {
    const socket = connect(Number(url.port), url.hostname);
    let reply = "";
    let asked = 0;
    const ask = () => {
      asked++;
      reply = "";
      socket.write(request);
    };
    socket.on("connect", ask);
    socket.on("data", (data) => {
      reply += data.toString("latin1");
      if (!isWhole(reply)) return;
      answered();
      if (asked === REQUESTS || /^connection: close/im.test(reply)) socket.end();
      else ask();
    });
    // What follows is `close`.
    socket.on("error", () => {});
    socket.on("close", () => {
      if (asked === 0) resolve("refused");
      else resolve(isWhole(reply) ? "closed" : "cut");
    });
  });
}

function isWhole(reply: string): boolean {
  const end = reply.indexOf("\r\n\r\n");
  const length = /^content-length: (\d+)/im.exec(reply);
  return end > 0 && reply.length >= end + 4 + Number(length?.[1] ?? 0);
}
