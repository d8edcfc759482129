import { and, eq, inArray } from "drizzle-orm";
import { createDeps } from "../../server/app/build.ts";
import { openEngine } from "../../server/ground/db/open.ts";
import { createStore } from "../../server/ground/db/store.ts";
import { batchLinks, events } from "../../server/ground/db/tables.ts";
import type { Conclusion } from "../../server/judge/probe/conclusion.ts";
import type { Deps } from "../../server/work/deps.ts";
import { DAY, saw } from "../checker/ended.ts";
import type { Asker, TestServer } from "../harness.ts";
import { checkDueLinks } from "../rounds.ts";

export const CHECK = "/api/v1/links/check";
export const ALIVE = saw("ok", { statusCode: 200, responseTimeMs: 12 });
export const GONE = saw("http_404", { statusCode: 404, responseTimeMs: 7 });
const MOST_AT_ONCE = 10_000;

/** One round of checks of everything that is due, each with the end that its URL tells. Returns the URLs. */
export async function checkAll(
  { deps }: Pick<TestServer, "deps">,
  endOf: (url: string) => Conclusion = () => ALIVE,
): Promise<string[]> {
  const config = { ...deps.config, checkConcurrency: MOST_AT_ONCE };
  const checked: string[] = [];
  const check = async ({ url }: { url: string }) => {
    checked.push(url);
    return endOf(url);
  };
  await checkDueLinks({ ...deps, config, check });
  return checked.sort();
}

/** New links with these URLs that have had their first check, and are due again much later. */
export async function checkedLinks(
  server: TestServer,
  me: Asker,
  urls: string[],
  endOf?: (url: string) => Conclusion,
): Promise<string[]> {
  const { body } = await me.post("/api/v1/links/batch", {
    links: urls.map((url) => ({ url, check_frequency: "monthly" })),
  });
  await checkAll(server, endOf);
  server.clock.moveBy(DAY);
  return body.data.results.map(({ link }: { link: { id: string } }) => link.id);
}

/** The batch as the API shows it. */
export const batchOf = async (me: Asker, id: string) =>
  (await me.get(`/api/v1/batches/${id}`)).body.data;

export const subscribe = (me: Asker, ...types: string[]) =>
  me.post("/api/v1/webhooks", { url: "https://hooks.example.org/", events: types });

/** The events of the account, in the order in which they happened. */
export async function eventsOf({ deps }: Pick<TestServer, "deps">, { accountId }: Asker) {
  const rows = await deps.store
    .select()
    .from(events)
    .where(eq(events.accountId, accountId))
    .orderBy(events.id);
  return rows.map(({ type, data }) => ({ type, data: JSON.parse(data) }));
}

/** How many checks these batches still wait for. */
export const waitedFor = ({ deps }: TestServer, ...batchIds: string[]) =>
  deps.store.$count(batchLinks, and(inArray(batchLinks.batchId, batchIds)));

/** Another process on the same database. */
export function otherProcess({ config, clock }: TestServer): Deps {
  return createDeps(config, createStore(openEngine(config.databaseUrl)), clock);
}
