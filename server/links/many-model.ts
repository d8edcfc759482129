import * as z from "zod";
import { toErrorBody } from "../lib/errors.ts";
import { id, list, unread } from "../lib/fields.ts";
import type { Change, StepOfChange } from "./change.ts";
import type { BatchCreation, Preview } from "./create.ts";
import type { Deletion, StepOfDeletion } from "./delete.ts";
import { filterOf, ItemError, Link, LinkChange, NARROWING, NewLink, toLink } from "./model.ts";
import type { Outcome } from "./selection.ts";

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

const CHANGES = "must have group_id, check_frequency or both";

export const BatchChangeBody = z
  .object(
    {
      ...SOME_LINKS,
      change: z
        .object(LinkChange.shape, CHANGES)
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

export const toCreation =
  (now: number) =>
  ({ batchId, results }: BatchCreation) => {
    const created = results.filter((result) => "link" in result).length;
    return {
      batch_id: batchId,
      summary: { total: results.length, created, failed: results.length - created },
      results: results.map((result, index) =>
        "link" in result
          ? { index, status: "created" as const, link: toLink(now)(result.link) }
          : { index, status: "failed" as const, url: result.url, error: toErrorBody(result.error) },
      ),
    };
  };

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

export const toChangeStep = ({ changed, unchanged, next }: StepOfChange) => ({
  summary: { total: changed + unchanged, changed, unchanged, failed: 0 },
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
