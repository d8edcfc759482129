import { eq } from "drizzle-orm";
import { newId } from "../server/lib/ids.ts";
import { checks, links } from "../server/store/tables.ts";
import type { Asker, TestServer } from "./harness.ts";

type Check = typeof checks.$inferInsert;

/** A check of the link as the checker would have recorded it, active and with an answer if not said otherwise. */
export async function addCheck(
  { deps, clock }: TestServer,
  me: Asker,
  linkId: string,
  more: Partial<Check> = {},
): Promise<string> {
  const id = newId();
  await deps.store.insert(checks).values({
    id,
    accountId: me.accountId,
    linkId,
    status: "active",
    previousStatus: "active",
    statusChanged: false,
    statusCode: 200,
    responseTimeMs: 100,
    reason: "ok",
    finalUrl: null,
    redirectCount: 0,
    trigger: "scheduled",
    checkedAt: clock.now(),
    ...more,
  });
  return id;
}

/** Sets what only the checker sets. */
export const setLink = (
  { deps }: TestServer,
  id: string,
  columns: Partial<typeof links.$inferInsert>,
) => deps.store.update(links).set(columns).where(eq(links.id, id));

/** The id of a new link; every call has another URL. */
export async function addLink(me: Asker, more: Record<string, unknown> = {}): Promise<string> {
  const { body } = await me.post("/api/v1/links", { url: anyUrl(), ...more });
  return body.data.id;
}

export async function addGroup(me: Asker, name = "Docs"): Promise<string> {
  return (await me.post("/api/v1/groups", { name })).body.data.id;
}

let urls = 0;

export const anyUrl = () => `https://example.org/page-${++urls}`;
