import { Elysia } from "elysia";
import { AppError } from "../../ground/lib/errors.ts";
import { contextOf } from "../../http/caller.ts";
import type { Deps } from "../../work/deps.ts";
import type { Live } from "./live.ts";
import type { AccountRef, Listener } from "./watch.ts";

/** Unread messages after which a page is disconnected: it reconnects and gets what it missed. */
const MOST_UNREAD = 64;

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // Otherwise nginx buffers the stream.
  "x-accel-buffering": "no",
};

/** Server-sent events for the dashboard's pages (HTML Standard §9.2), with a session only. */
export const liveRoutes = (_: Deps, live: Live) =>
  new Elysia({ detail: { hide: true, access: "read" } }).get("/live", ({ request }) => {
    const { caller, session: own } = contextOf(request);
    // The framework runs this for HEAD as well, drops the body and would leave its stream open.
    if (request.method === "HEAD") return new Response(null, { headers: HEADERS });
    // The session door guarantees both.
    const [account, session] = [caller!, own!.tokenHash];
    if (!live.makeRoom(account.accountId, session)) {
      throw new AppError("SERVICE_UNAVAILABLE", "Too many pages are open.", undefined, {
        "retry-after": "60",
      });
    }
    return new Response(streamFor(live, account, session, knownBy(request)), { headers: HEADERS });
  });

/** Sent by the browser when it reconnects, or by the page when it opens the stream again. */
const knownBy = ({ headers, url }: Request) =>
  headers.get("last-event-id") || new URL(url).searchParams.get("since");

function streamFor(live: Live, account: AccountRef, sessionHash: string, known: string | null) {
  let unsubscribe = () => {};
  let isOver = false;
  return new ReadableStream<string>(
    {
      async start(controller) {
        const end = () => {
          if (isOver) return;
          isOver = true;
          unsubscribe();
          controller.close();
        };
        const send = (text: string) => {
          if (isOver) return;
          if ((controller.desiredSize ?? 0) <= 0) return end();
          controller.enqueue(text);
        };
        const listener: Listener = {
          sessionHash,
          receive: (change, id) =>
            send(`id: ${id}\nevent: change\ndata: ${JSON.stringify(change)}\n\n`),
          keepAlive: () => send(": still up\n\n"),
          end,
        };
        unsubscribe = await live.subscribe(account, listener, known);
        if (isOver) unsubscribe();
      },
      cancel() {
        isOver = true;
        unsubscribe();
      },
    },
    new CountQueuingStrategy({ highWaterMark: MOST_UNREAD }),
  );
}
