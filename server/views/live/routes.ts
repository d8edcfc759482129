import { Elysia } from "elysia";
import { contextOf } from "../../api/caller.ts";
import { AppError } from "../../lib/errors.ts";
import type { Deps } from "../../work/deps.ts";
import type { Live } from "./live.ts";
import type { Listener } from "./watch.ts";

/** What a page may leave unread before it is cut off: it comes back, and hears what it missed. */
const MOST_UNREAD = 64;

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // Proxies of nginx's kind would gather it first.
  "x-accel-buffering": "no",
};

/** Server-sent events for the dashboard's pages (HTML Standard §9.2), behind the session door only. */
export const liveRoutes = (_: Deps, live: Live) =>
  new Elysia({ detail: { hide: true, access: "read" } }).get("/live", ({ request }) => {
    const { caller, sessionHash } = contextOf(request);
    // The framework runs this for HEAD as well, and would leave the line open that it throws away.
    if (request.method === "HEAD") return new Response(null, { headers: HEADERS });
    // The door guarantees both.
    const [whose, session] = [caller!, sessionHash!];
    if (!live.makeRoom(whose.accountId, session)) {
      throw new AppError("SERVICE_UNAVAILABLE", "Too many pages are open.", undefined, {
        "retry-after": "60",
      });
    }
    const stream = streamOf(live, whose, session, knownBy(request));
    return new Response(stream, { headers: HEADERS });
  });

/** Sent by the browser when it reconnects, or by the page when it opens the stream again. */
const knownBy = ({ headers, url }: Request) =>
  headers.get("last-event-id") || new URL(url).searchParams.get("since");

function streamOf(
  live: Live,
  whose: { accountId: string; accountNo: number },
  sessionHash: string,
  known: string | null,
): ReadableStream<string> {
  let leave = () => {};
  let isOver = false;
  return new ReadableStream<string>(
    {
      async start(controller) {
        const end = () => {
          if (isOver) return;
          isOver = true;
          leave();
          controller.close();
        };
        const send = (text: string) => {
          if (isOver) return;
          if ((controller.desiredSize ?? 0) <= 0) return end();
          controller.enqueue(text);
        };
        const listener: Listener = {
          sessionHash,
          hear: (change, id) =>
            send(`id: ${id}\nevent: change\ndata: ${JSON.stringify(change)}\n\n`),
          beat: () => send(": still up\n\n"),
          end,
        };
        const stop = await live.listen(whose, listener, known);
        leave = stop;
        if (isOver) stop();
      },
      cancel() {
        isOver = true;
        leave();
      },
    },
    new CountQueuingStrategy({ highWaterMark: MOST_UNREAD }),
  );
}
