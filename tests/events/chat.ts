import type { DeliveryStatus } from "../../server/ground/lib/vocabulary.ts";
import type { Asker, Parsed, TestServer } from "../harness.ts";
import {
  type Answer,
  deliverAll,
  deliveriesOf,
  makeMuchNews,
  makeNews,
  startReceiver,
  subscribe,
} from "../receiver.ts";

export const MINUTE_MS = 60_000;

/** A chat that receives events, and its messages. */
export async function openChat(server: TestServer, { answer = 200 }: { answer?: Answer } = {}) {
  const me = await server.account();
  const receiver = startReceiver(answer);
  const { id, path } = await subscribe(me, receiver.url, ["link.created", "link.deleted"], "slack");
  return {
    me,
    id,
    path,
    receiver,
    /** The first line of each message. */
    heads: (): string[] => receiver.requests.map(({ body }) => JSON.parse(String(body)).text),
    /** The lines of the latest message below its first. */
    lines: (): string[] => linesOf(String(receiver.requests.at(-1)!.body)),
    news: (count = 1) => (count === 1 ? makeNews(me) : makeMuchNews(me, count)),
    /** Lets so much time pass, and sends what is due then. */
    async pass(ms: number) {
      server.clock.moveBy(ms);
      // A look that closes a digest leaves it to the next one.
      await deliverAll(server);
      await deliverAll(server);
    },
    statuses: () => statusesOf(server, id),
    digests: () => digestsOf(me, path),
  };
}

export type Chat = Awaited<ReturnType<typeof openChat>>;

const linesOf = (body: string): string[] => JSON.parse(body).blocks[1].text.text.split("\n");

/** So many events, one after another, each sent before the next happens. */
export async function oneByOne({ news, pass }: Chat, count: number, everyMs = 1000) {
  for (let n = 0; n < count; n++) {
    await news();
    await pass(0);
    await pass(everyMs);
  }
}

/** How many of the events are in which state; digests are not counted. */
async function statusesOf(server: TestServer, webhookId: string) {
  const rows = await deliveriesOf(server, webhookId);
  const single = rows.filter(({ type }) => type !== "digest");
  const byStatus = Map.groupBy(single, ({ status }) => status);
  const counts = [...byStatus].map(([status, some]) => [status, some.length]);
  return Object.fromEntries(counts) as Partial<Record<DeliveryStatus, number>>;
}

/** The digests as the log of the API has them, oldest first. */
const digestsOf = async (me: Asker, path: string): Promise<Parsed[]> =>
  (await me.get(`${path}/deliveries?event=digest`)).body.data.items.toReversed();
