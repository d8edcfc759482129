import { eq, sql } from "drizzle-orm";
import { events, linkCounts, linkDetails, links } from "../../server/ground/db/tables.ts";
import type { Conclusion } from "../../server/judge/probe/conclusion.ts";
import { NO_EVIDENCE, saw } from "../checker/ended.ts";
import type { Asker, Parsed, TestServer } from "../harness.ts";
import { checkDueLinks } from "../rounds.ts";

export const LINKS = "/api/v1/links";

const at = (url: string) => ({
  finalUrl: url,
  evidence: { ...NO_EVIDENCE, final_url: url },
});

export const URL_A = "https://example.org/a";
export const ALIVE = saw("ok", { statusCode: 200, responseTimeMs: 12, ...at(URL_A) });
export const GONE = saw("http_404", { statusCode: 404, responseTimeMs: 9, ...at(URL_A) });
export const PARKED = saw("domain_parked", { statusCode: 200, ...at(URL_A) });
export const FORBIDDEN = saw("http_403", { statusCode: 403, ...at(URL_A) });

/** Adds a link and returns its path. */
export async function newLink(me: Asker, more: object = {}): Promise<string> {
  const { body } = await me.post(LINKS, { url: URL_A, ...more });
  return `${LINKS}/${body.data.id}`;
}

export const read = async (me: Asker, path: string): Promise<Parsed> =>
  (await me.get(path)).body.data;

/** Waits until the link is due, and has it checked with this result. */
export async function check(server: TestServer, me: Asker, path: string, seen: Conclusion) {
  const { next_check_at: due } = await read(me, path);
  server.clock.moveBy(Math.max(0, Date.parse(due) - server.clock.now()));
  await checkDueLinks({ ...server.deps, check: async () => seen });
}

/** The types and reasons of the account's events, oldest first. */
export async function eventsOf({ deps }: TestServer, me: Asker): Promise<string[]> {
  const rows = await deps.store
    .select()
    .from(events)
    .where(eq(events.accountId, me.accountId))
    .orderBy(events.id);
  return rows.map(({ type, data }) => {
    const { reason, late } = JSON.parse(data);
    return [type, reason, late && "late"].filter(Boolean).join(" ");
  });
}

/**
 * Fails unless both copies of the handling agree, all counts are those of the links, and nothing refers to what is gone.
 */
export async function sound({ deps }: TestServer): Promise<void> {
  const rows = await deps.store
    .select({ no: links.no, copy: links.handling, own: sql<string | null>`link_details.handling` })
    .from(links)
    .leftJoin(linkDetails, eq(linkDetails.linkNo, links.no));
  const odd = rows.filter(({ copy, own }) => copy !== (own ?? "open"));
  if (odd.length > 0) throw new Error(`handling differs: ${JSON.stringify(odd)}`);
  const all = <Row>(sql: string) => deps.store.readPool.all<Row>(sql as never);
  const orphans = await all<[string, number]>(ORPHANS);
  if (orphans.length > 0) throw new Error(`left behind: ${orphans.join("; ")}`);
  const kept = await deps.store.select().from(linkCounts);
  const counted = new Map<number, number[]>();
  const subjects = await all<[number, string, string]>(
    `select account_no, status, handling from watched_links union all
     select groups.no, status, handling from watched_links join groups on groups.id = group_id union all
     select tag_no, status, handling from watched_links join link_tags on link_no = no`,
  );
  for (const [subject, status, handling] of subjects) {
    const sums = counted.get(subject) ?? [0, 0, 0, 0];
    sums[["active", "dead", "unknown"].indexOf(status)]! += 1;
    if (status === "dead" && handling !== "open") sums[3]! += 1;
    counted.set(subject, sums);
  }
  const keptOf = new Map(
    kept.map(({ subject, active, dead, unknown, handled }) => [
      subject,
      [active, dead, unknown, handled],
    ]),
  );
  const none = [0, 0, 0, 0];
  for (const key of new Set([...keptOf.keys(), ...counted.keys()])) {
    const [sums, found] = [keptOf.get(key) ?? none, counted.get(key) ?? none];
    if (!Bun.deepEquals(sums, found)) throw new Error(`counts of ${key}: ${sums}, not ${found}`);
  }
}

/** What refers to a link, a tag or a person that is not there. */
const ORPHANS = `
  select 'tag', tag_no from link_tags where tag_no not in (select no from tags) or link_no not in (select no from links)
  union select 'counts', subject from link_counts where subject not in
    (select no from accounts union select no from groups union select no from tags)
  union select 'assignee of', link_no from link_details where assignee_id is not null
    and assignee_id not in (select id from users)
  union select 'details of', link_no from link_details where link_no not in (select no from links)
  union select 'URL of', link_no from link_urls where link_no not in (select no from links)`;
