import { eq } from "drizzle-orm";
import { operatorOf } from "../../server/accounts/users.ts";
import { links } from "../../server/db/tables.ts";
import { createLinks } from "../../server/links/create.ts";
import type { TestServer } from "../harness.ts";

const AT_ONCE = 1000;

/** New links of the account, the last one newest, which are checked when somebody asks for it. */
export async function add({ deps }: TestServer, accountId: string, urls: string[], more = {}) {
  const caller = await operatorOf(deps, accountId);
  for (let from = 0; from < urls.length; from += AT_ONCE) {
    const part = urls.slice(from, from + AT_ONCE).map((url) => ({ url, ...more }));
    await createLinks(deps, caller, part);
  }
  return caller;
}

/** As `add`, for links that no check is wanted of. */
export async function addAtRest(
  server: TestServer,
  accountId: string,
  urls: string[],
  change: Partial<typeof links.$inferInsert> = {},
) {
  const caller = await add(server, accountId, urls);
  const { store, clock } = server.deps;
  const nextCheckAt = clock.now() + YEARS;
  await store
    .update(links)
    .set({ nextCheckAt, ...change })
    .where(eq(links.accountNo, caller.accountNo));
  return caller;
}

const YEARS = 1000 * 86_400_000;

export const numbered = (count: number, url = "https://example.org/") =>
  Array.from({ length: count }, (_, n) => `${url}${n + 1}`);
