import { onTestFinished, setSystemTime } from "bun:test";
import { Webhook } from "standardwebhooks";
import type { Asker, TestServer } from "./harness.ts";

/** A request as it arrived; the body byte for byte. */
type Received = { method: string; path: string; headers: Headers; body: Buffer };

/** What the receiver says: a status, or whatever a function makes of it. */
export type Answer = number | ((request: Received) => Response | Promise<Response>);

type Receiver = {
  url: string;
  /** Every request that came, oldest first. */
  requests: Received[];
  /** From now on it says this. */
  answers(answer: Answer): void;
  /** Resolves once so many requests have come. */
  seen(count: number): Promise<void>;
};

/** A message as receivers read it. */
export type Message = {
  event: string;
  timestamp: string;
  webhookId: string;
  data: Record<string, unknown>;
};

/** Someone who is told of events, and answers as told. Gone when the test is. */
export function startReceiver(answer: Answer = 204): Receiver {
  const requests: Received[] = [];
  let awaited: { count: number; arrived: () => void }[] = [];
  let said = answer;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { method, url, headers } = request;
      const body = Buffer.from(await request.arrayBuffer());
      const received = { method, path: new URL(url).pathname, headers, body };
      requests.push(received);
      for (const each of awaited) if (requests.length >= each.count) each.arrived();
      awaited = awaited.filter(({ count }) => requests.length < count);
      return typeof said === "number" ? new Response(null, { status: said }) : said(received);
    },
  });
  onTestFinished(() => server.stop(true));
  return {
    url: `http://127.0.0.1:${server.port}/hook`,
    requests,
    answers: (next) => {
      said = next;
    },
    seen: (count) =>
      new Promise((arrived) => {
        if (requests.length >= count) arrived();
        else awaited.push({ count, arrived });
      }),
  };
}

/**
 * The message, if its signature is right and no older or newer than five minutes, judged by the
 * library that receivers use. `now` is the receiver's time in milliseconds.
 */
export function verified({ headers, body }: Received, secret: string, now: number): Message {
  setSystemTime(new Date(now));
  try {
    return new Webhook(secret).verify(body, Object.fromEntries(headers)) as Message;
  } finally {
    setSystemTime();
  }
}

/** A webhook of the account for these events; its secret and its path in the API. */
export async function subscribe(me: Asker, url: string, events: string[] = ["link.created"]) {
  const { body } = await me.post("/api/v1/webhooks", { url, events });
  const { id, signing_secret: secret } = body.data;
  const path = `/api/v1/webhooks/${id}`;
  return { id: id as string, secret: secret as string, path };
}

let links = 0;

/** Makes one `link.created`. */
export const makeNews = (me: Asker) =>
  me.post("/api/v1/links", { url: `https://example.org/${++links}` });

/** Moves the clock by hours. */
export const hoursPass = ({ clock }: TestServer, hours: number) => clock.moveBy(hours * 3_600_000);
