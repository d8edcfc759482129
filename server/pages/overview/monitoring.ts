import { and, count, desc, eq, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import { cached } from "../../ground/db/cached.ts";
import { deliveries, hostSettings, webhooks } from "../../ground/db/tables.ts";
import { receiverOf } from "../../ground/lib/mail-address.ts";
import { toIso, toIsoOrNull } from "../../ground/lib/moments.ts";
import type { Caller } from "../../http/caller.ts";
import type { Deps } from "../../work/deps.ts";
import { countDueLinks, earliestDue } from "../../work/due.ts";
import { areLinksChecked, onlineOfAll } from "../../work/nodes.ts";
import { LISTED_ITEMS } from "./links.ts";
import type { Overview } from "./model.ts";

/** Due links and waiting deliveries are counted up to this number. */
const MOST_COUNTED = 100_000;

/** Describes the checks of all accounts. `lateSeconds` is 0 if no link is due; `nextCheckAt` is null without links. */
export async function findCheckerState(deps: Deps): Promise<Overview["checker"]> {
  const { state, since } = onlineOfAll(deps);
  const [backlog, due] = await Promise.all([countDueLinks(deps), earliestDue(deps)]);
  return {
    state,
    onlineSince: toIsoOrNull(since),
    clock: deps.online.clockIsOff() ? "off" : "ok",
    isChecking: areLinksChecked(deps),
    backlog: Math.min(backlog, MOST_COUNTED),
    lateSeconds: secondsSince(due, deps.clock.now()),
    nextCheckAt: toIsoOrNull(due),
  };
}

const secondsSince = (at: number | null, now: number) =>
  at === null ? 0 : Math.max(0, Math.floor((now - at) / 1000));

/** Describes waiting deliveries, and webhooks that fail or were disabled automatically. */
export async function findWebhookState(deps: Deps, caller: Caller): Promise<Overview["webhooks"]> {
  const [waiting, failing, disabled] = await Promise.all([
    cached(deps, `waiting ${caller.accountId}`, () => findWaiting(deps, caller)),
    countFailing(deps, caller),
    findDisabled(deps, caller),
  ]);
  return { ...waiting, failing, disabled };
}

async function findWaiting({ store: { readPool }, clock }: Deps, caller: Caller) {
  const active = readPool.select({ id: webhooks.id }).from(webhooks).where(isOwn(caller, true));
  const waiting = readPool
    .select({ createdAt: deliveries.createdAt })
    .from(deliveries)
    .where(and(inArray(deliveries.webhookId, active), isNotNull(deliveries.dueAt)))
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

const isOwn = ({ accountId }: Caller, isActive: boolean) =>
  and(
    eq(webhooks.accountId, accountId),
    eq(webhooks.isActive, isActive),
    isNull(webhooks.deletedAt),
  );

async function countFailing({ store }: Deps, caller: Caller): Promise<number> {
  const [found] = await store
    .select({ count: count() })
    .from(webhooks)
    .where(and(isOwn(caller, true), isNotNull(webhooks.failingSince)));
  return found!.count;
}

/** Those that the server has disabled, since their receivers failed. The decisions of people are left out. */
const BY_FAILURE = ["failing", "gone"] as const;

/** Of the URL only the host is shown: the rest may be a secret. */
async function findDisabled({ store }: Deps, caller: Caller) {
  const isDisabled = and(isOwn(caller, false), inArray(webhooks.disabledReason, BY_FAILURE));
  const { id, name, url, disabledReason, disabledAt } = webhooks;
  const [rows, [counted]] = await store.batch([
    store
      .select({ id, name, url, reason: disabledReason, since: disabledAt })
      .from(webhooks)
      .where(isDisabled)
      .orderBy(desc(webhooks.updatedAt), desc(id))
      .limit(LISTED_ITEMS),
    store.select({ count: count() }).from(webhooks).where(isDisabled),
  ]);
  const items = rows.map(({ url, since, ...webhook }) => {
    return { ...webhook, host: receiverOf(url), since: toIsoOrNull(since) };
  });
  return { total: counted!.count, items };
}

/** Lists the hosts that do not accept what is set for them, the longest failing first. */
export async function findRefusingHosts(
  { store }: Deps,
  { accountId }: Caller,
): Promise<Overview["hostSettings"]> {
  const { id, host, failingSince } = hostSettings;
  const rows = await store
    .select({ id, host, failingSince })
    .from(hostSettings)
    .where(and(eq(hostSettings.accountId, accountId), isNotNull(failingSince)))
    .orderBy(failingSince, id);
  const items = rows
    .slice(0, LISTED_ITEMS)
    .map(({ failingSince, ...setting }) => ({ ...setting, since: toIso(failingSince!) }));
  return { total: rows.length, items };
}
