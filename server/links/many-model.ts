import * as z from "zod";
import { AppError, toErrorBody } from "../ground/lib/errors.ts";
import { id, list, unread } from "../ground/lib/fields.ts";
import { toIsoOrNull } from "../ground/lib/moments.ts";
import type { Change, StepOfChange } from "./change.ts";
import type { BatchCreation, Preview } from "./create.ts";
import type { Deletion, StepOfDeletion } from "./delete.ts";
import {
  filterOf,
  ItemError,
  Link,
  ManyChange,
  NARROWING,
  NewLink,
  toLink,
  UpsertItem,
} from "./model.ts";
import type { Outcome } from "./selection.ts";
import type { Upserted } from "./upsert.ts";
import type { KnownVerdict } from "./verdicts.ts";

const MOST_IN_BATCH = 1000;

export const NewLinks = z.object(
  { links: list(unread(NewLink), MOST_IN_BATCH) },
  "must be a JSON object",
);

export const PreviewedLinks = NewLinks.extend({
  already: z
    .int("must be a whole number of at least 0")
    .min(0, "must be a whole number of at least 0")
    .meta({ description: "Number of links that earlier parts of the same list would have added." })
    .optional()
    .default(0),
});

export const UpsertedLinks = z.object(
  { links: list(unread(UpsertItem), MOST_IN_BATCH) },
  "must be a JSON object",
);

export const UpsertResult = z
  .object({
    summary: z
      .object({
        total: z.int(),
        created: z.int(),
        updated: z.int(),
        unchanged: z.int(),
        failed: z.int(),
      })
      .meta({ example: { total: 2, created: 1, updated: 1, unchanged: 0, failed: 0 } }),
    results: z.array(
      z.union([
        z.object({
          index: z.int().meta({ example: 0 }),
          status: z.enum(["created", "updated", "unchanged"]),
          id: z.uuid(),
        }),
        z.object({ index: z.int(), status: z.literal("failed"), error: ItemError }),
      ]),
    ),
  })
  .meta({ id: "UpsertResult" });

export const toUpsert = (outcomes: Upserted[]): z.infer<typeof UpsertResult> => ({
  summary: {
    total: outcomes.length,
    created: countOf(outcomes, "created"),
    updated: countOf(outcomes, "updated"),
    unchanged: countOf(outcomes, "unchanged"),
    failed: countOf(outcomes, "failed"),
  },
  results: outcomes.map((outcome, index) =>
    outcome.status === "failed"
      ? { index, status: outcome.status, error: toErrorBody(outcome.error) }
      : { index, status: outcome.status, id: outcome.id },
  ),
});

const DAY_S = 86_400;

export const AskedUrls = z.object(
  {
    urls: list(z.string("must be a text"), MOST_IN_BATCH).meta({
      example: ["https://example.org/a"],
    }),
    max_age: z
      .int("must be a whole number of seconds")
      .min(60, "must be at least 60 seconds")
      .max(30 * DAY_S, "must be at most 2592000 seconds")
      .meta({ description: "Seconds since a link's last check, beyond which it is unknown." })
      .optional()
      .default(7 * DAY_S),
  },
  "must be a JSON object",
);

export const Verdicts = z
  .object({
    summary: z
      .object({
        total: z.int(),
        active: z.int(),
        dead: z.int(),
        unknown: z.int(),
        not_known: z.int(),
        failed: z.int().meta({ description: "URLs with an `error`." }),
      })
      .meta({ example: { total: 1, active: 1, dead: 0, unknown: 0, not_known: 0, failed: 0 } }),
    results: z.array(
      z.object({
        index: z.int().meta({ example: 0 }),
        url: z.string().meta({ example: "https://example.org/a" }),
        known: z.boolean().meta({ description: "Whether the account watches the URL." }),
        verdict: z.enum(["active", "dead", "unknown"]).nullable(),
        reason: z.string().nullable().meta({ example: "ok" }),
        message: z.string().nullable().meta({ example: "The server returned 200." }),
        status_code: z.int().nullable().meta({ example: 200 }),
        checked_at: z.string().nullable(),
        age: z.int().nullable().meta({ description: "Seconds since then.", example: 4210 }),
        link_id: z.uuid().nullable(),
        error: ItemError.nullable().meta({ example: null }),
      }),
    ),
  })
  .meta({ id: "Verdicts" });

export function toVerdicts(
  urls: string[],
  found: (KnownVerdict | AppError | null)[],
): z.infer<typeof Verdicts> {
  const results = found.map((item, index) => {
    const known = item === null || item instanceof AppError ? null : item;
    return {
      index,
      url: urls[index]!,
      known: known !== null,
      verdict: known?.verdict ?? null,
      reason: known?.reason ?? null,
      message: known?.message ?? null,
      status_code: known?.statusCode ?? null,
      checked_at: toIsoOrNull(known?.checkedAt ?? null),
      age: known?.age == null ? null : Math.floor(known.age / 1000),
      link_id: known?.linkId ?? null,
      error: item instanceof AppError ? toErrorBody(item) : null,
    };
  });
  const count = (wanted: string) => results.filter(({ verdict }) => verdict === wanted).length;
  const summary = {
    total: results.length,
    active: count("active"),
    dead: count("dead"),
    unknown: count("unknown"),
    not_known: results.filter(({ known, error }) => !known && !error).length,
    failed: results.filter(({ error }) => error).length,
  };
  return { summary, results };
}

export const LinkIds = z.object({ link_ids: list(id(), MOST_IN_BATCH) }, "must be a JSON object");

/** The position at which a change of many links continues. */
const Cursor = z
  .string("must be a text")
  .regex(/^[0-9a-z]{1,10}$/, "must be the `next` of the reply before")
  .transform((text) => Number.parseInt(text, 36));

const SOME_LINKS = {
  link_ids: list(id(), MOST_IN_BATCH).optional(),
  filter: filterOf(NARROWING).optional(),
  before: Cursor.optional(),
};

/** The links to change: those with the ids, or the next that match. */
type SomeLinks = z.output<z.ZodObject<typeof SOME_LINKS>>;

const areNamed = ({ link_ids: ids, filter, before }: SomeLinks) =>
  filter ? !ids : ids !== undefined && before === undefined;
const NAMED = { path: ["link_ids"], error: "is required, or else filter, which before goes with" };

export const SomeLinksBody = z
  .object(SOME_LINKS, "must be a JSON object")
  .refine(areNamed, NAMED)
  .meta({ example: { link_ids: ["0197a1b2-3c4d-7e5f-8a6b-7c8d9e0f1a2b"] } });

const CHANGES = "must have at least one field to change";

export const BatchChangeBody = z
  .object(
    {
      ...SOME_LINKS,
      change: z
        .object(ManyChange.shape, CHANGES)
        .refine((change) => Object.values(change).some((value) => value !== undefined), CHANGES),
    },
    "must be a JSON object",
  )
  .refine(areNamed, NAMED)
  .meta({
    example: {
      link_ids: ["0197a1b2-3c4d-7e5f-8a6b-7c8d9e0f1a2b"],
      change: { check_frequency: "weekly" },
    },
  });

/** `url` is the value as it was sent. */
const NotCreated = z.object({
  index: z.int(),
  status: z.literal("failed"),
  url: z.unknown().meta({ example: "https://example.com/a" }),
  error: ItemError.meta({
    example: {
      code: "CONFLICT",
      message: "This URL is already monitored.",
      status: 409,
      details: { reason: "duplicate_url", existingId: "0197a1b2-3c4d-7e5f-8a6b-7c8d9e0f1a2b" },
    },
  }),
});

export const BatchResult = z
  .object({
    batch_id: z.uuid().nullable(),
    summary: z
      .object({ total: z.int(), created: z.int(), failed: z.int() })
      .meta({ example: { total: 2, created: 1, failed: 1 } }),
    results: z.array(
      z.union([
        z.object({ index: z.int().meta({ example: 0 }), status: z.literal("created"), link: Link }),
        NotCreated,
      ]),
    ),
  })
  .meta({ id: "BatchResult" });

export const PreviewResult = z
  .object({
    summary: z
      .object({ total: z.int(), accepted: z.int(), failed: z.int() })
      .meta({ example: { total: 2, accepted: 1, failed: 1 } }),
    results: z.array(
      z.union([
        z.object({
          index: z.int().meta({ example: 0 }),
          status: z.literal("accepted"),
          url: z.string().meta({ example: "https://example.com/b" }),
          service: z.string().meta({ example: "generic" }),
        }),
        NotCreated,
      ]),
    ),
  })
  .meta({ id: "PreviewResult" });

export const BatchDeletion = z
  .object({
    summary: z
      .object({ total: z.int(), deleted: z.int(), failed: z.int() })
      .meta({ example: { total: 2, deleted: 1, failed: 1 } }),
    results: z.array(
      z.union([
        z.object({ id: z.string(), status: z.literal("deleted") }),
        z.object({ id: z.string(), status: z.literal("failed"), error: ItemError }),
      ]),
    ),
  })
  .meta({ id: "BatchDeletion" });

/** The `before` of the next step by a filter; null when no link is left. */
const Next = z.string().nullable().meta({ example: null });

export const LinkDeletion = BatchDeletion.extend({ next: Next }).meta({ id: "LinkDeletion" });

export const BatchChange = z
  .object({
    summary: z
      .object({ total: z.int(), changed: z.int(), unchanged: z.int(), failed: z.int() })
      .meta({ example: { total: 2, changed: 1, unchanged: 0, failed: 1 } }),
    results: z.array(
      z.union([
        z.object({ id: z.string(), status: z.enum(["changed", "unchanged"]) }),
        z.object({ id: z.string(), status: z.literal("failed"), error: ItemError }),
      ]),
    ),
    next: Next,
  })
  .meta({ id: "BatchChange" });

const toNext = (before: number | null) => before?.toString(36) ?? null;

export function toCreation({ batchId, results }: BatchCreation, now: number) {
  const created = results.filter((result) => "link" in result).length;
  return {
    batch_id: batchId,
    summary: { total: results.length, created, failed: results.length - created },
    results: results.map((result, index) =>
      "link" in result
        ? { index, status: "created" as const, link: toLink(result.link, now) }
        : { index, status: "failed" as const, url: result.url, error: toErrorBody(result.error) },
    ),
  };
}

export const toOutcome = <Status extends string>(outcome: Outcome<Status>) =>
  "error" in outcome ? { ...outcome, error: toErrorBody(outcome.error) } : outcome;

export const countOf = (outcomes: { status: string }[], status: string) =>
  outcomes.filter((outcome) => outcome.status === status).length;

export const toDeletionOf = (outcomes: Deletion[]) => ({
  summary: {
    total: outcomes.length,
    deleted: countOf(outcomes, "deleted"),
    failed: countOf(outcomes, "failed"),
  },
  results: outcomes.map(toOutcome),
});

export const toDeletion = (results: Deletion[]) => ({ ...toDeletionOf(results), next: null });

export const toDeletionStep = ({ deleted, next }: StepOfDeletion) => ({
  summary: { total: deleted, deleted, failed: 0 },
  results: [],
  next: toNext(next),
});

export const toChange = (outcomes: Change[]) => ({
  summary: {
    total: outcomes.length,
    changed: countOf(outcomes, "changed"),
    unchanged: countOf(outcomes, "unchanged"),
    failed: countOf(outcomes, "failed"),
  },
  results: outcomes.map(toOutcome),
  next: null,
});

export const toChangeStep = ({ changed, unchanged, failed, next }: StepOfChange) => ({
  summary: { total: changed + unchanged + failed, changed, unchanged, failed },
  results: [],
  next: toNext(next),
});

export function toPreview(results: Preview[]) {
  const accepted = results.filter((result) => !("error" in result)).length;
  return {
    summary: { total: results.length, accepted, failed: results.length - accepted },
    results: results.map((result, index) =>
      "error" in result
        ? { index, status: "failed" as const, url: result.url, error: toErrorBody(result.error) }
        : { index, status: "accepted" as const, ...result },
    ),
  };
}
