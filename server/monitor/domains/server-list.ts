import { eq, like, or } from "drizzle-orm";
import type { Store } from "../../ground/db/store.ts";
import { domains, facts } from "../../ground/db/tables.ts";
import { readServerList, type ServerList } from "../../judge/identity/rdap.ts";

/** In the facts of the installation. */
const FACT = "registry_servers";

/** The list of registries' servers as it was last read, from where, and its ETag. */
type Kept = { url: string; etag: string | null; servers: ServerList };

const LARGEST = 4 * 1024 * 1024;
const LIST_HEADERS = { accept: "application/json" };
export const LIST_LIMITS = { headers: LIST_HEADERS, mostBytes: LARGEST };

export async function readKept(store: Store): Promise<Kept | null> {
  const [row] = await store.select().from(facts).where(eq(facts.name, FACT));
  return row ? JSON.parse(row.value) : null;
}

/** Returns the list from this URL; null until it was read. */
export async function serversFrom(store: Store, url: string): Promise<ServerList | null> {
  const kept = await readKept(store);
  return kept?.url === url ? kept.servers : null;
}

/** Reads a new list. Null if it is not one. */
export function toKept(url: string, headers: Headers, body: Uint8Array): Kept | null {
  const servers = readServerList(body);
  return servers && { url, etag: headers.get("etag"), servers };
}

/** With more of them, all domains look for their server again. */
const MOST_CHANGED = 50;

/** Stores a list, inside a transaction. Domains whose server is another one by it look for it again. */
export async function keepServers(tx: Store, kept: Kept): Promise<void> {
  const before = (await readKept(tx))?.servers ?? {};
  const { servers } = kept;
  await tx.delete(facts).where(eq(facts.name, FACT));
  await tx.insert(facts).values({ name: FACT, value: JSON.stringify(kept) });
  const changed = Object.keys({ ...before, ...servers }).filter(
    (zone) => before[zone] !== servers[zone],
  );
  if (changed.length === 0) return;
  const areBelow = changed.map((zone) => like(domains.domain, zone === "" ? "%" : `%.${zone}`));
  await tx
    .update(domains)
    .set({ server: null })
    .where(changed.length > MOST_CHANGED ? undefined : or(...areBelow));
}
