import * as z from "zod";
import type { ApiKeyRow } from "../../db/tables.ts";
import { flag, moment, text } from "../../lib/fields.ts";
import { toIso, toIsoOrNull } from "../../lib/moments.ts";

const TEN_YEARS_MS = 10 * 366 * 86_400_000;

const Permissions = z.object({ read: z.boolean(), write: z.boolean() });

export const Key = z
  .object({
    id: z.uuid(),
    name: z.string().meta({ example: "ci" }),
    prefix: z.string().meta({ example: "su_012345" }),
    permissions: Permissions,
    expires_at: z.string().nullable().meta({ example: null }),
    last_used_at: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "Key" });

/** The only replies that hold the value: those of creation and rotation. */
export const KeyWithValue = Key.extend({
  key: z.string().meta({ example: "su_0123456789ABCDEFGHIJKLMNOPQRSTUV1ggZdL" }),
}).meta({ id: "KeyWithValue" });

const permissions = () =>
  z
    .object({ read: flag().optional(), write: flag().optional() }, "must be an object")
    .refine(({ read, write }) => read !== false || write !== false, "must allow read or write");

export const NewKey = z.object(
  {
    name: text(100).meta({ example: "ci" }),
    permissions: permissions().optional(),
    expires_at: moment().nullable().optional(),
  },
  "must be a JSON object",
);
export type NewKey = z.output<typeof NewKey>;

export const KeyChange = z.object(
  {
    name: text(100).meta({ example: "ci, read only" }).optional(),
    permissions: permissions().optional(),
    expires_at: moment().nullable().optional(),
  },
  "must be a JSON object",
);
export type KeyChange = z.output<typeof KeyChange>;

/** What is wrong with the moment as an expiry; null when nothing is. Milliseconds. */
export function expiryProblem(at: number, now: number): string | null {
  if (at <= now) return "must be in the future";
  return at > now + TEN_YEARS_MS ? "must be within 10 years" : null;
}

const futureExpiry = (now: () => number) => ({
  expires_at: moment()
    .superRefine((at, context) => {
      const problem = expiryProblem(at, now());
      if (problem) context.addIssue(problem);
    })
    .meta({ example: "2035-01-01T00:00:00.000Z" })
    .nullable()
    .optional(),
});

/** `NewKey` with the rule that needs the time, so that all problems come in one answer. */
export const newKeyAt = (now: () => number) => NewKey.extend(futureExpiry(now));

export const keyChangeAt = (now: () => number) => KeyChange.extend(futureExpiry(now));

export const toKey = (row: ApiKeyRow): z.infer<typeof Key> => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  permissions: { read: row.canRead, write: row.canWrite },
  expires_at: toIsoOrNull(row.expiresAt),
  last_used_at: toIsoOrNull(row.lastUsedAt),
  created_at: toIso(row.createdAt),
  updated_at: toIso(row.updatedAt),
});

export const toKeyWithValue = ({ row, value }: { row: ApiKeyRow; value: string }) => ({
  ...toKey(row),
  key: value,
});
