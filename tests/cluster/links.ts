import type { SQL } from "bun";
import { LEASE_MS } from "../../server/work/nodes.ts";
import type { Cluster } from "./cluster.ts";
import type { Hosts } from "./hosts.ts";

/** Links of one request. */
const MANY = 1000;

type Asked = { url: string; key: string };

/** Adds this many pages of this many hosts. */
export async function addLinks(asked: Asked, sites: Hosts, hosts: number, pages: number) {
  const urls = Array.from({ length: hosts * pages }, (_, n) =>
    sites.urlOf(n % hosts, Math.floor(n / hosts)),
  );
  for (let from = 0; from < urls.length; from += MANY) {
    const links = urls.slice(from, from + MANY).map((url) => ({ url, check_frequency: "monthly" }));
    await post(asked, "/api/v1/links/batch", { links });
  }
}

export async function post({ url, key }: Asked, path: string, body: unknown) {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

/** Makes every link, or those with this part in their URL, due now or after this many milliseconds. */
export async function makeDue(sql: SQL, { part = "", inMs = 0 } = {}): Promise<void> {
  await sql`update links set next_check_at = ${Date.now() + inMs} where url like ${`%${part}%`}`;
}

const countChecks = async (sql: SQL): Promise<number> =>
  (await sql`select count(*)::int as n from checks`)[0].n;

/** A link whose claim was committed but not answered, as when the database goes away, waits for the end of its lease. */
const LONGEST_GAP_MS = LEASE_MS + 60_000;

/** Resolves once so many checks are in the history, or more. @throws when none is added for that long */
export async function checked({ sql, until }: Cluster, count: number): Promise<void> {
  let seen = -1;
  const hasMore = async () => {
    const before = seen;
    seen = await countChecks(sql);
    return seen > before;
  };
  while (seen < count) await until(`more than ${seen} of ${count} checks`, hasMore, LONGEST_GAP_MS);
}

/** Counts links by the number of checks in their history. */
export async function linksByChecks(sql: SQL): Promise<Record<string, number>> {
  const rows = await sql`select n, count(*)::int as links
    from (select count(*)::int as n from checks group by link_no) as counted group by n`;
  return Object.fromEntries(rows.map(({ n, links }: { n: number; links: number }) => [n, links]));
}
