import { newId } from "../../server/ground/lib/ids.ts";
import type { Random } from "../random.ts";
import type { Ledger } from "./ledger.ts";

const FREQUENCIES = ["hourly", "daily", "weekly", "monthly"];
const TAGS = ["docs", "press", "legal"];
/** Links of one batch. */
const MANY = 20;

type Asked = { url: string; key: string; urlOf: (n: number) => string; random: Random };

let made = 0;

/**
 * Asks for one change after another, each noted before it is sent and struck out when it is answered, until
 * the program is there no more.
 * @param onWritten hears of each that was done
 */
export async function writeUntilCut(
  ledger: Ledger,
  asked: Asked,
  onWritten: () => void,
): Promise<void> {
  const mine: string[] = [];
  const ask = createAsk(asked);
  const { random, urlOf } = asked;

  async function create() {
    const url = urlOf(made++);
    const doubt = { did: "create", url, idempotencyKey: newId() } as const;
    ledger.inDoubt.add(doubt);
    const { data } = await ask("POST", "/links", { url }, doubt.idempotencyKey);
    ledger.inDoubt.delete(doubt);
    note(data.id, url);
  }

  /** What is cut here is either there as a whole or not at all, and asked for no more. */
  async function createMany() {
    const links = Array.from({ length: MANY }, () => ({ url: urlOf(made++) }));
    const { data } = await ask("POST", "/links/batch", { links });
    for (const { link } of data.results) note(link.id, link.url);
  }

  /** By ids of ours, so that it can be repeated without an idempotency key. */
  async function upsert() {
    const items = Array.from({ length: 5 }, () => ({
      external_id: `e-${made}`,
      url: urlOf(made++),
    }));
    const doubt = { did: "upsert", items } as const;
    ledger.inDoubt.add(doubt);
    const { data } = await ask("POST", "/links/upsert", { links: items });
    ledger.inDoubt.delete(doubt);
    for (const [i, { url }] of items.entries()) note(data.results[i].id, url);
  }

  async function change() {
    const id = mine[random(mine.length)];
    if (!id) return create();
    const frequency = FREQUENCIES[random(FREQUENCIES.length)]!;
    const doubt = { did: "change", id, frequency } as const;
    ledger.inDoubt.add(doubt);
    const { data } = await ask("PATCH", `/links/${id}`, { check_frequency: frequency });
    ledger.inDoubt.delete(doubt);
    ledger.links.set(id, { url: data.url, frequency });
  }

  /** What is decided and noted is counted in other tables; cut, it is there as a whole or not at all. */
  async function handle() {
    const id = mine[random(mine.length)];
    if (!id) return create();
    const mutedUntil = new Date(Date.now() + 86_400_000).toISOString();
    await ask("PATCH", `/links/${id}`, {
      tags: TAGS.filter(() => random(2) === 0),
      note: `Note ${random(1000)}`,
      ...(random(2) === 0 ? { handling: "open" } : { handling: "muted", muted_until: mutedUntil }),
    });
  }

  async function remove() {
    const [id] = mine.splice(random(mine.length), 1);
    if (!id) return create();
    const doubt = { did: "delete", id } as const;
    ledger.inDoubt.add(doubt);
    await ask("DELETE", `/links/${id}`);
    ledger.inDoubt.delete(doubt);
    ledger.links.delete(id);
    ledger.gone.add(id);
  }

  function note(id: string, url: string) {
    mine.push(id);
    ledger.links.set(id, { url, frequency: "daily" });
  }

  const steps = [create, create, change, handle, handle, remove, remove, createMany, upsert];
  for (;;) {
    try {
      await steps[random(steps.length)]!();
      ledger.acknowledged++;
      onWritten();
    } catch (error) {
      if (error instanceof Cut) return;
      throw error;
    }
  }
}

/** Asks again for what was cut, under the key it was asked with, and notes what is there now. */
export async function askAgain(ledger: Ledger, asked: Asked): Promise<void> {
  const ask = createAsk(asked);
  for (const doubt of ledger.inDoubt) {
    if (doubt.did === "upsert") {
      const { data } = await ask("POST", "/links/upsert", { links: doubt.items });
      for (const [i, { url }] of doubt.items.entries())
        ledger.links.set(data.results[i].id, { url, frequency: "daily" });
      ledger.inDoubt.delete(doubt);
    }
    if (doubt.did !== "create") continue;
    const { data } = await ask("POST", "/links", { url: doubt.url }, doubt.idempotencyKey);
    ledger.links.set(data.id, { url: data.url, frequency: "daily" });
    ledger.inDoubt.delete(doubt);
  }
}

/** The connection ended before the whole answer came. */
class Cut extends Error {}

function createAsk({ url, key }: Asked) {
  return async (method: string, path: string, body?: object, idempotencyKey?: string) => {
    const headers: Record<string, string> = { authorization: `Bearer ${key}` };
    if (body) headers["content-type"] = "application/json";
    if (idempotencyKey) headers["idempotency-key"] = idempotencyKey;
    const reply = await fetch(`${url}/api/v1${path}`, {
      method,
      headers,
      // A connection that was left open to the program before would be taken for the present one's end.
      keepalive: false,
      ...(body && { body: JSON.stringify(body) }),
    })
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch((error) => {
        throw new Cut(String(error));
      });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.text === "" ? {} : JSON.parse(reply.text);
  };
}
