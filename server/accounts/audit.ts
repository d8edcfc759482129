import { and, eq, gte, sum } from "drizzle-orm";
import * as z from "zod";
import { type AuditRow, audit, type UserRow } from "../ground/db/tables.ts";
import { id, moment, oneOf, paging } from "../ground/lib/fields.ts";
import { firstIdAt, newIdAt } from "../ground/lib/ids.ts";
import { receiverOf } from "../ground/lib/mail-address.ts";
import { toIso } from "../ground/lib/moments.ts";
import { ACTOR_KINDS } from "../ground/lib/vocabulary.ts";
import type { Actor, Caller } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";

/** A change to record: never a value, only names of fields, and no URL with a password in it. */
export type Change = {
  action: Action;
  by: Actor;
  /** The account that was changed; null for the whole installation. */
  accountId: string | null;
  target?: { id: string; name: string | null } | undefined;
  /** The API's names of the changed fields. An empty list means that nothing changed: no entry is written. */
  fields?: string[];
  /** How many records were changed, 1 by default. With 0 no entry is written. */
  count?: number;
};

type Recorder = Pick<Deps, "store" | "clock">;

/** Writes an audit entry; `deps.store` is the transaction that makes the change. */
export async function recordChange(deps: Recorder, change: Change): Promise<void> {
  if (change.count === 0 || change.fields?.length === 0) return;
  await deps.store.insert(audit).values(entryOf(deps, change));
}

/** Writes an audit entry for a change in the caller's account. */
export const auditChange = (
  deps: Recorder,
  { accountId, by }: Pick<Caller, "accountId" | "by">,
  change: Omit<Change, "by" | "accountId">,
): Promise<void> => recordChange(deps, { ...change, accountId, by });

/** How many records the caller has changed in such a way since a moment, in milliseconds since 1970. */
export async function countChanges(
  { store }: Pick<Deps, "store">,
  { accountId, by }: Pick<Caller, "accountId" | "by">,
  { action, since }: { action: Action; since: number },
): Promise<number> {
  const { id, actorId, count } = audit;
  const [counted] = await store
    .select({ total: sum(count) })
    .from(audit)
    .where(
      and(
        eq(audit.accountId, accountId),
        // Entries are named by their moments, so that the index that orders them also finds a time.
        gte(id, firstIdAt(since)),
        eq(audit.action, action),
        eq(actorId, by.id ?? ""),
      ),
    );
  return Number(counted!.total ?? 0);
}

/** Writes an audit entry for a change of a person. */
export const recordPersonChange = (
  deps: Recorder,
  by: Actor,
  user: Pick<UserRow, "id" | "accountId" | "email">,
  change: Pick<Change, "action" | "fields" | "count">,
): Promise<void> =>
  recordChange(deps, { ...change, by, accountId: user.accountId, target: emailTarget(user) });

/** Returns the names of those wanted fields that differ from the present ones, for `fields`. */
export const fieldsOf = <T extends object>(wanted: T, present: { [Name in keyof T]: unknown }) =>
  Object.entries(wanted)
    .filter(([name, value]) => {
      return value !== undefined && !Bun.deepEquals(value, present[name as keyof T]);
    })
    .map(([name]) => name);

function entryOf({ clock }: Recorder, change: Change): AuditRow {
  const { action, by, accountId, target, fields = [], count = 1 } = change;
  const createdAt = clock.now();
  return {
    id: newIdAt(createdAt),
    accountId,
    createdAt,
    actorKind: kindOf(by, accountId),
    actorId: by.id,
    actorName: by.name,
    address: by.address(),
    action,
    targetId: target?.id ?? null,
    targetName: target?.name ?? null,
    fields: JSON.stringify(fields),
    count,
  };
}

/** Only administrators of the installation change anything in another account. */
const kindOf = (by: Actor, accountId: string | null): Actor["kind"] =>
  by.accountId && accountId && by.accountId !== accountId ? "administrator" : by.kind;

/** How entries name what was changed: enough to know it again, and nothing that opens anything. */

const LONGEST_NAME = 200;

/** A URL without what may be a secret in it: user name, password, the values of its query, its fragment. */
function shownUrl(text: string): string {
  const url = URL.parse(text);
  if (!url) return "";
  const query = url.search ? "?…" : "";
  return `${url.protocol}//${url.host}${url.pathname}${query}`.slice(0, LONGEST_NAME);
}

type Of<Name extends string> = { id: string } & Record<Name, string>;

/** Names the link of an entry that is about a single one. */
export const linkTarget = ([link, ...others]: Of<"url">[]) =>
  link && others.length === 0 ? { id: link.id, name: shownUrl(link.url) } : undefined;

/** By its name; without one by its receiver alone, since the path of the URL may be all that protects that. */
export const webhookTarget = ({ id, name, url }: Of<"url"> & { name: string | null }) => ({
  id,
  name: name ?? receiverOf(url),
});

export const keyTarget = ({ id, prefix }: Of<"prefix">) => ({ id, name: prefix });

export const groupTarget = ({ id, name }: Of<"name">) => ({ id, name });

/** People and accounts. */
export const emailTarget = ({ id, email }: Of<"email">) => ({ id, name: email });

/** Everything that the audit log records, as `<target>.<change>`. */
export const ACTIONS = [
  "account.created",
  "account.changed",
  "account.deleted",
  "archive.setting_changed",
  "person.invited",
  "person.changed",
  "person.removed",
  "person.password_link_made",
  "person.signed_in",
  "person.sign_in_failed",
  "person.signed_out",
  "person.password_changed",
  "person.two_factor_begun",
  "person.two_factor_on",
  "person.two_factor_off",
  "person.recovery_codes_made",
  "person.sessions_ended",
  "person.joined",
  "person.identity_linked",
  "person.identity_unlinked",
  "person.role_synced",
  "person.role_kept",
  "person.email_changed",
  "key.created",
  "key.changed",
  "key.rotated",
  "key.revoked",
  "link.created",
  "link.changed",
  "link.moved",
  "link.acknowledged",
  "link.muted",
  "link.reopened",
  "link.assigned",
  "link.tagged",
  "link.override_set",
  "link.override_ended",
  "link.page_accepted",
  "link.url_changed",
  "link.replaced",
  "link.deleted",
  "replacement.applied",
  "group.created",
  "group.changed",
  "site.changed",
  "group.deleted",
  "tag.changed",
  "tag.deleted",
  "view.shared",
  "webhook.created",
  "webhook.changed",
  "webhook.deleted",
  "webhook.secret_rotated",
  "webhook.tested",
  "delivery.sent_again",
  "source.created",
  "source.changed",
  "source.deleted",
  "source.run_asked",
  "source.cancelled",
  "source.synced",
  "host_setting.created",
  "host_setting.changed",
  "host_setting.deleted",
  "pattern.deleted",
  "backup.made",
  "backup.downloaded",
  "backup.deleted",
  "backup.restored",
] as const;
type Action = (typeof ACTIONS)[number];

const TARGET_TYPES = [
  "account",
  "person",
  "key",
  "link",
  "group",
  "tag",
  "view",
  "webhook",
  "host_setting",
  "pattern",
  "source",
  "installation",
] as const;
type TargetType = (typeof TARGET_TYPES)[number];

/** An entry, and whether what it is about is still there. */
export type FoundEntry = AuditRow & { targetExists: boolean };

/** An entry of any account, or of none. */
export type AnyEntry = AuditRow & { accountEmail: string | null };

const Target = z
  .object({
    type: z.enum(TARGET_TYPES),
    id: z.string(),
    name: z.string().nullable(),
  })
  .meta({
    example: {
      type: "link",
      id: "0197a1b2-3c4d-7e5f-8a6b-7c8d9e0f1a2b",
      name: "https://example.com/a",
    },
  });

const Entry = z.object({
  id: z.uuid(),
  created_at: z.string(),
  action: z.string().meta({ example: "link.changed" }),
  actor: z
    .object({
      kind: z.enum(ACTOR_KINDS),
      id: z.uuid().nullable(),
      name: z.string(),
      address: z.string().nullable(),
    })
    .meta({ example: { kind: "key", name: "su_012345", address: "192.0.2.7" } }),
  fields: z.array(z.string()).meta({ example: ["check_frequency"] }),
  count: z.int(),
});

export const AuditEntry = Entry.extend({
  target: Target.extend({ exists: z.boolean() })
    .meta({ example: { type: "link", name: "https://example.com/a" } })
    .nullable(),
}).meta({ id: "AuditEntry" });

export const InstallationEntry = Entry.extend({
  target: Target.nullable(),
  account: z.object({ id: z.string(), email: z.string().nullable() }).nullable(),
});

export const AuditQuery = z.object({
  action: oneOf(ACTIONS).optional(),
  actor: id().optional(),
  target: id().optional(),
  from: moment("start").optional(),
  to: moment("end").optional(),
  ...paging(),
});
export type AuditQuery = z.output<typeof AuditQuery>;

/** What an entry is about, for the few actions that are not named after it. */
const TYPES: Record<string, TargetType> = {
  "link.moved": "group",
  "delivery.sent_again": "webhook",
  "archive.setting_changed": "account",
};

export const targetTypeOf = (action: string): TargetType =>
  TYPES[action] ?? TARGET_TYPES.find((type) => action.startsWith(`${type}.`)) ?? "installation";

export const toAuditEntry = (row: FoundEntry): z.infer<typeof AuditEntry> => {
  const target = targetOf(row);
  return { ...toEntry(row), target: target && { ...target, exists: row.targetExists } };
};

export const toInstallationEntry = (row: AnyEntry): z.infer<typeof InstallationEntry> => ({
  ...toEntry(row),
  target: targetOf(row),
  account: row.accountId === null ? null : { id: row.accountId, email: row.accountEmail },
});

const toEntry = (row: AuditRow): z.infer<typeof Entry> => ({
  id: row.id,
  created_at: toIso(row.createdAt),
  action: row.action,
  actor: { kind: row.actorKind, id: row.actorId, name: row.actorName, address: row.address },
  fields: JSON.parse(row.fields),
  count: row.count,
});

const targetOf = ({ action, targetId: id, targetName: name }: AuditRow) =>
  id === null ? null : { type: targetTypeOf(action), id, name };
