import { eq } from "drizzle-orm";
import { linkLookups, links, urlPatterns } from "../server/ground/db/tables.ts";
import { newId } from "../server/ground/lib/ids.ts";
import { begin } from "../server/judge/identity/compare.ts";
import { writeMemories } from "../server/links/memories.ts";
import type { Asker, Parsed, TestServer } from "./harness.ts";
import { setLink } from "./rows.ts";

export const OLD = "https://docs.old.example/";
export const NEW = "https://docs.new.example/guide/";

/** Makes links, at most 1,000. Returns their ids. */
export async function addAll(me: Asker, urls: string[]): Promise<string[]> {
  const added = await me.post("/api/v1/links/batch", { links: urls.map((url) => ({ url })) });
  return added.body.data.results.map(({ link }: Parsed) => link.id);
}

/** Makes links that are alive, and have redirected for good for a week. */
export async function addMoved(
  server: TestServer,
  me: Asker,
  moves: [from: string, to: string][],
): Promise<void> {
  const ids = await addAll(
    me,
    moves.map(([from]) => from),
  );
  const at = server.clock.now();
  for (const [n, [url, way]] of moves.entries()) {
    await setLink(server, ids[n]!, { status: "active", lastStatus: "active", lastCheckedAt: at });
    const [row] = await server.deps.store.select().from(links).where(eq(links.id, ids[n]!));
    const seen = { at, url, finalUrl: way, facts: null };
    const sight = { ...seen, isPermanent: true, isUnchanged: false, wasMissing: false };
    const memory = { ...begin(sight), way, isWayPermanent: true, waySeen: 3 };
    const change = { linkNo: row!.no, accountNo: row!.accountNo, memory, version: null };
    await writeMemories(server.deps.store, [{ ...change, moved: "likely" }]);
  }
}

/** Makes links that are dead, for which everything was looked for. Returns their numbers. */
export async function addDead(server: TestServer, me: Asker, urls: string[]): Promise<number[]> {
  const { store } = server.deps;
  const nos: number[] = [];
  for (const id of await addAll(me, urls)) {
    await setLink(server, id, { status: "dead", lastStatus: "dead", reason: "http_404" });
    const [row] = await store.select().from(links).where(eq(links.id, id));
    nos.push(row!.no);
    const looked = { linkNo: row!.no, accountNo: me.accountNo, state: "done", step: "archive" };
    await store
      .insert(linkLookups)
      .values({ ...looked, rank: 0, misses: 0, isByHand: false, isReported: false } as never)
      .onConflictDoNothing();
  }
  return nos;
}

/** Adds patterns as if they had been learned, each from one pair more than the one before. */
export const addPatterns = async ({ deps }: TestServer, me: Asker, count: number) =>
  deps.store.insert(urlPatterns).values(
    Array.from({ length: count }, (_, n) => ({
      id: newId(),
      accountNo: me.accountNo,
      oldPrefix: `${OLD}${n}/`,
      newPrefix: `${NEW}${n}/`,
      pairs: 5 + n,
      tried: n,
      failed: 0,
      triedToday: 0,
      triedDay: 0,
      learnedAt: deps.clock.now(),
    })),
  );
