import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gte,
  inArray,
  isNull,
  lt,
  ne,
  type SQL,
} from "drizzle-orm";
import { Elysia } from "elysia";
import type { Store } from "../ground/db/store.ts";
import {
  type AuditRow,
  accounts,
  audit,
  auditRetention,
  groups,
  links,
  users,
  webhooks,
} from "../ground/db/tables.ts";
import { firstIdAt } from "../ground/lib/ids.ts";
import { fromNearerEnd, type Page, windowOf } from "../ground/lib/paging.ts";
import { inSteps, type StepLimits } from "../ground/lib/steps.ts";
import type { Caller } from "../http/caller.ts";
import { edge } from "../http/edge.ts";
import { pageOf, refusals, toPage } from "../http/reply.ts";
import type { Deps } from "../work/deps.ts";
import {
  type AnyEntry,
  AuditEntry,
  AuditQuery,
  type FoundEntry,
  InstallationEntry,
  targetTypeOf,
  toAuditEntry,
  toInstallationEntry,
} from "./audit.ts";

/** What was changed in the account, newest first. */
async function listAudit(
  { store }: Deps,
  { accountId }: Caller,
  query: AuditQuery,
): Promise<Page<FoundEntry>> {
  // Who an administrator is cannot be found out by asking for their entries either.
  const isShown = query.actor ? ne(audit.actorKind, "administrator") : undefined;
  const whose = and(eq(audit.accountId, accountId), isShown);
  const { items, total } = await listWhere(store, query, whose);
  const there = await existing(store, accountId, items);
  const outsiders = await peopleElsewhere(store, accountId, items);
  const withTargets = items.map((row) => ({
    ...(isAdministrator(row, outsiders) ? withoutActor(row) : row),
    targetExists: row.targetId !== null && there.has(row.targetId),
  }));
  return { items: withTargets, total };
}

/** The same for all accounts and the installation itself. */
async function listInstallationAudit({ store }: Deps, query: AuditQuery): Promise<Page<AnyEntry>> {
  const { items, total } = await listWhere(store, query, undefined);
  const ids = [...new Set(items.flatMap(({ accountId }) => accountId ?? []))];
  const found = ids.length
    ? await store
        .select({ id: accounts.id, email: accounts.email })
        .from(accounts)
        .where(inArray(accounts.id, ids))
    : [];
  const emails = new Map(found.map(({ id, email }) => [id, email]));
  const withEmails = items.map((row) => ({
    ...row,
    accountEmail: emails.get(row.accountId ?? "") ?? null,
  }));
  return { items: withEmails, total };
}

/** Entries from before administrators were recorded as such have them as users, of another account. */
const isAdministrator = ({ actorKind, actorId }: AuditRow, outsiders: Set<string>) =>
  actorKind === "administrator" || (actorId !== null && outsiders.has(actorId));

/** Administrators of the installation are not named to the accounts that they look after. */
const withoutActor = (row: AuditRow): AuditRow => ({
  ...row,
  actorKind: "administrator",
  actorId: null,
  actorName: "an administrator",
  address: null,
});

async function peopleElsewhere(
  store: Store,
  accountId: string,
  rows: AuditRow[],
): Promise<Set<string>> {
  const ids = rows.flatMap(({ actorKind, actorId }) =>
    actorKind === "user" && actorId !== null ? actorId : [],
  );
  if (ids.length === 0) return new Set();
  const found = await store
    .select({ id: users.id })
    .from(users)
    .where(and(ne(users.accountId, accountId), inArray(users.id, [...new Set(ids)])));
  return new Set(found.map(({ id }) => id));
}

async function listWhere(
  { readPool }: Store,
  query: AuditQuery,
  whose: SQL | undefined,
): Promise<Page<AuditRow>> {
  const which = and(whose, fits(query));
  const [counted] = await readPool.select({ total: count() }).from(audit).where(which);
  const { total } = counted!;
  const { limit, offset, isTurned } = fromNearerEnd(windowOf(query), total);
  const items = await readPool
    .select(getTableColumns(audit))
    .from(audit)
    .where(which)
    .orderBy(isTurned ? asc(audit.id) : desc(audit.id))
    .limit(limit)
    .offset(offset);
  return { items: isTurned ? items.reverse() : items, total };
}

/** Entries are named by their moments, so that the index that orders them also finds a time. */
const fits = ({ action, actor, target, from, to }: AuditQuery): SQL | undefined =>
  and(
    action ? eq(audit.action, action) : undefined,
    actor ? eq(audit.actorId, actor) : undefined,
    target ? eq(audit.targetId, target) : undefined,
    from === undefined ? undefined : gte(audit.id, firstIdAt(from)),
    to === undefined ? undefined : lt(audit.id, firstIdAt(to + 1)),
  );

/** Those targets that have pages of their own and are still the account's. */
async function existing(store: Store, accountId: string, rows: AuditRow[]): Promise<Set<string>> {
  const found = await Promise.all(
    (
      [
        ["link", links],
        ["group", groups],
        ["webhook", webhooks],
      ] as const
    ).map(async ([type, table]) => {
      const ofType = rows.filter(({ action }) => targetTypeOf(action) === type);
      const ids = ofType.flatMap(({ targetId }) => targetId ?? []);
      if (ids.length === 0) return [];
      return store
        .select({ id: table.id })
        .from(table)
        .where(
          and(
            eq(table.accountId, accountId),
            inArray(table.id, ids),
            table === webhooks ? isNull(webhooks.deletedAt) : undefined,
          ),
        );
    }),
  );
  return new Set(found.flat().map(({ id }) => id));
}

const KEPT_MS = 365 * 86_400_000;

/**
 * Deletes entries that are more than a year old, step by step, until the signal aborts. A trigger refuses to delete
 * newer ones, so the limit is written first.
 */
export async function deleteOldAudit(deps: Deps, limits: StepLimits = {}): Promise<void> {
  const { store, clock, online } = deps;
  // By a clock that is a year ahead, all of it would be old.
  if (online.clockIsOff()) return;
  const forgetBefore = clock.now() - KEPT_MS;
  const isOld = lt(audit.createdAt, forgetBefore);
  const [oldest] = await store.select({ id: audit.id }).from(audit).where(isOld).limit(1);
  if (!oldest) return;
  await store
    .update(auditRetention)
    .set({ forgetBefore })
    .where(ne(auditRetention.forgetBefore, forgetBefore));
  await inSteps(
    clock,
    async (rows) => {
      const some = store
        .select({ id: audit.id })
        .from(audit)
        .where(isOld)
        .orderBy(asc(audit.createdAt), asc(audit.id))
        .limit(rows);
      const gone = await store
        .delete(audit)
        .where(and(inArray(audit.id, some), isOld))
        .returning({ id: audit.id });
      return gone.length;
    },
    limits,
  );
}

export const auditRoutes = (deps: Deps) => {
  const { list } = edge(deps);
  return new Elysia({ tags: ["Account"] }).get(
    ...list("/audit", (deps, { caller, query }) => listAudit(deps, caller, query), {
      operationId: "listAudit",
      summary: "List who changed what, newest first",
      description:
        "One entry for each request that changed something; `count` is the number of links or deliveries that it affected. `fields` holds names only. `action` has the form `<what>.<done>`; new actions may be added. `actor` and `target` in the query are ids. Entries never change and are kept for 365 days. Entries about deleted records stay, with `exists` set to false. Requesting a check is not a change.",
      query: AuditQuery,
      item: AuditEntry,
      toItem: toAuditEntry,
    }),
  );
};

/** For administrators; mounted behind the session door only. */
export const installationAuditRoutes = (deps: Deps) =>
  new Elysia({ prefix: "/admin", detail: { hide: true, access: "administrator" } }).get(
    "/audit",
    async ({ query, request, set }) =>
      toPage(await listInstallationAudit(deps, query), query, toInstallationEntry, {
        request,
        set,
      }),
    { query: AuditQuery, response: { 200: pageOf(InstallationEntry), ...refusals } },
  );
