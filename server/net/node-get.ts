import { type IncomingMessage, type RequestOptions, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import type { Incoming } from "./body.ts";

const MOST_WAITING_BYTES = 1024 * 1024;

/**
 * Sends a request with `node:http`: slower than `fetch`, but it delivers all bytes before the connection broke. Neither
 * follows redirects nor decompresses.
 */
export function getByNode(url: URL, options: RequestOptions): Promise<Incoming> {
  const request = url.protocol === "https:" ? requestSecure : requestPlain;
  return new Promise((resolve, reject) => {
    const receive = (message: IncomingMessage) => {
      // Otherwise an error here would end the process.
      Promise.try(incomingOf, message).then(resolve, reject);
    };
    request(url, { ...options, agent: false }, receive)
      .on("error", reject)
      .end();
  });
}

const incomingOf = (message: IncomingMessage): Incoming => ({
  status: message.statusCode ?? 0,
  headers: headersOf(message),
  body: streamOf(message),
});

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  }
  return headers;
}

/** A stream drops its queued pieces on an error, so they are queued outside until they are read. */
function streamOf(message: IncomingMessage): ReadableStream<Uint8Array<ArrayBuffer>> {
  const waiting: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  let end: "whole" | "cut" | null = null;
  let wake = () => {};
  const endAs = (how: "whole" | "cut") => () => {
    end ??= how;
    wake();
  };
  message.on("data", (piece: Uint8Array<ArrayBuffer>) => {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes >= MOST_WAITING_BYTES) message.pause();
    wake();
  });
  message.on("end", endAs("whole")).on("aborted", endAs("cut"));
  message.on("error", endAs("cut")).on("close", endAs("cut"));
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        while (waiting.length === 0 && end === null) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        const piece = waiting.shift();
        if (piece) {
          bytes -= piece.length;
          controller.enqueue(piece);
          if (message.isPaused()) message.resume();
        } else if (end === "whole") controller.close();
        else controller.error(new Error("The connection ended before the body did."));
      },
      cancel() {
        message.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}
