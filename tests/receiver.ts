import { onTestFinished, setSystemTime } from "bun:test";
import type { Socket } from "node:net";
import { asc, eq } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { deliveries, deliveryAttempts } from "../server/ground/db/tables.ts";
import { chunksOf } from "../server/ground/lib/steps.ts";
import type { Format } from "../server/ground/lib/vocabulary.ts";
import type { Asker, TestServer } from "./harness.ts";
import { deliverDue } from "./rounds.ts";
import { startRawSite } from "./site.ts";
import { createWatch, hasCome } from "./waits.ts";

/** A request as it arrived; the path with its query, the body byte for byte. */
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

/** A receiver of events, which answers as given. Gone when the test is. Any port will do if none is named. */
export function startReceiver(answer: Answer = 204, port = 0): Receiver {
  const requests: Received[] = [];
  const watch = createWatch();
  let said = answer;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    idleTimeout: 0,
    async fetch(request) {
      const { method, url, headers } = request;
      const body = Buffer.from(await request.arrayBuffer());
      const { pathname, search } = new URL(url);
      const received = { method, path: pathname + search, headers, body };
      requests.push(received);
      watch.changed();
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
    seen: (count) => hasCome(watch, requests, count, "requests"),
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

/** A receiver below HTTP, which handles each connection as given; its URL. Gone when the test is. */
export async function startRawReceiver(onConnection: (socket: Socket) => void): Promise<string> {
  const site = await startRawSite(onConnection);
  onTestFinished(site.stop);
  return `${site.url}/hook`;
}

/** A webhook of the account for these events; its secret and its path in the API. */
export async function subscribe(
  me: Asker,
  url: string,
  events: string[] = ["link.created"],
  format: Format = "standard",
) {
  const { body } = await me.post("/api/v1/webhooks", { url, events, format });
  const { id, signing_secret: secret } = body.data;
  const path = `/api/v1/webhooks/${id}`;
  return { id: id as string, secret: secret as string, path };
}

let links = 0;

/** Makes one `link.created`. */
export const makeNews = (me: Asker) =>
  me.post("/api/v1/links", { url: `https://example.org/${++links}` });

/** Makes so many `link.created` at once. */
export async function makeMuchNews(me: Asker, count: number) {
  const made = Array.from({ length: count }, () => ({ url: `https://example.org/${++links}` }));
  for (const some of chunksOf(1000, made)) await me.post("/api/v1/links/batch", { links: some });
}

/** What there is to tell a webhook, oldest first. */
export const deliveriesOf = ({ deps: { store } }: TestServer, webhookId: string) =>
  store
    .select()
    .from(deliveries)
    .where(eq(deliveries.webhookId, webhookId))
    .orderBy(asc(deliveries.eventId));

/** Its attempts before the latest of each delivery, in their order. */
export const earlierAttemptsOf = ({ deps: { store } }: TestServer, webhookId: string) =>
  store
    .select()
    .from(deliveryAttempts)
    .where(eq(deliveryAttempts.webhookId, webhookId))
    .orderBy(asc(deliveryAttempts.eventId), asc(deliveryAttempts.number));

/** One round without jitter. */
export const deliverOnce = ({ deps }: Pick<TestServer, "deps">) =>
  deliverDue(deps, { random: () => 0.5 });

/** Delivers in rounds until nothing is due at this moment. */
export async function deliverAll(server: Pick<TestServer, "deps">) {
  while ((await deliverOnce(server)) > 0);
}

/** Moves the clock by hours. */
export const hoursPass = ({ clock }: TestServer, hours: number) => clock.moveBy(hours * 3_600_000);
