import { and, count, desc, eq, inArray, isNotNull, ne, sql } from "drizzle-orm";
import type { Caller } from "../../api/caller.ts";
import { deliveries, webhooks } from "../../db/tables.ts";
import type { Deps } from "../../work/deps.ts";
import { countDueLinks, earliestDue } from "../../work/due.ts";
import { areLinksChecked, onlineOfAll } from "../../work/nodes.ts";
import { cached, LISTED_ITEMS } from "./links.ts";
import type { Monitoring, WebhookBacklog } from "./model.ts";

/** More than this are not counted. */
const MOST_COUNTED = 100_000;

export async function monitoring(deps: Deps): Promise<Monitoring> {
  const { state, since } = onlineOfAll(deps);
  const [backlog, lateSeconds] = await Promise.all([countDueLinks(deps), findLateness(deps)]);
  return {
    state,
    onlineSince: since,
    clock: deps.online.clockIsOff() ? "off" : "ok",
    isChecking: areLinksChecked(deps),
    backlog: Math.min(backlog, MOST_COUNTED),
    lateSeconds,
  };
}

async function findLateness(deps: Deps): Promise<number> {
  return secondsSince(await earliestDue(deps), deps.clock.now());
}

const secondsSince = (at: number | null, now: number) =>
  at === null ? 0 : Math.max(0, Math.floor((now - Number(at)) / 1000));

export async function findBacklog(deps: Deps, caller: Caller): Promise<WebhookBacklog> {
  const [waiting, failing, disabled] = await Promise.all([
    cached(deps, `waiting ${caller.accountId}`, () => findWaiting(deps, caller)),
    countFailing(deps, caller),
    findDisabled(deps, caller),
  ]);
  return { ...waiting, failing, disabled };
}

async function findWaiting({ store: { readPool }, clock }: Deps, { accountId }: Caller) {
  const ours = readPool
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(and(eq(webhooks.accountId, accountId), eq(webhooks.isActive, true)));
  const waiting = readPool
    .select({ createdAt: deliveries.createdAt })
    .from(deliveries)
    .where(and(inArray(deliveries.webhookId, ours), isNotNull(deliveries.dueAt)))
    .orderBy(deliveries.dueAt, deliveries.eventId)
    .limit(MOST_COUNTED)
    .as("waiting");
  const [found] = await readPool
    .select({
      pending: count(),
      oldest: sql`min(${waiting.createdAt})`.mapWith((at) => (at === null ? null : Number(at))),
    })
    .from(waiting);
  return {
    pending: found!.pending,
    oldestPendingSeconds: secondsSince(found!.oldest, clock.now()),
  };
}

async function countFailing({ store }: Deps, { accountId }: Caller): Promise<number> {
  const [found] = await store
    .select({ count: count() })
    .from(webhooks)
    .where(
      and(
        eq(webhooks.accountId, accountId),
        eq(webhooks.isActive, true),
        isNotNull(webhooks.failingSince),
      ),
    );
  return found!.count;
}

async function findDisabled(
  { store }: Deps,
  { accountId }: Caller,
): Promise<WebhookBacklog["disabled"]> {
  const isOff = and(
    eq(webhooks.accountId, accountId),
    eq(webhooks.isActive, false),
    ne(webhooks.disabledReason, "user"),
  );
  const { id, url, disabledReason, disabledAt } = webhooks;
  const [items, [counted]] = await store.batch([
    store
      .select({ id, url, disabledReason, disabledAt })
      .from(webhooks)
      .where(isOff)
      .orderBy(desc(webhooks.updatedAt), desc(id))
      .limit(LISTED_ITEMS),
    store.select({ count: count() }).from(webhooks).where(isOff),
  ]);
  return { total: counted!.count, items };
}
