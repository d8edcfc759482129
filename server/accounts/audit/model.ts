import * as z from "zod";
import { ACTOR_KINDS, type AuditRow } from "../../db/tables.ts";
import { id, moment, oneOf, paging } from "../../lib/fields.ts";
import { toIso } from "../../lib/moments.ts";

/** Everything that the audit log records, as `<target>.<change>`. */
export const ACTIONS = [
  "account.created",
  "account.changed",
  "account.deleted",
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
  "key.created",
  "key.changed",
  "key.rotated",
  "key.revoked",
  "link.created",
  "link.changed",
  "link.moved",
  "link.deleted",
  "group.created",
  "group.changed",
  "group.deleted",
  "webhook.created",
  "webhook.changed",
  "webhook.deleted",
  "webhook.secret_rotated",
  "webhook.tested",
  "delivery.sent_again",
  "backup.made",
  "backup.downloaded",
  "backup.deleted",
  "backup.restored",
] as const;
export type Action = (typeof ACTIONS)[number];

const TARGET_TYPES = [
  "account",
  "person",
  "key",
  "link",
  "group",
  "webhook",
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
