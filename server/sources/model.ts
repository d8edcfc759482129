import * as z from "zod";
import type { SourceRow } from "../ground/db/tables.ts";
import { type AppError, toErrorBody } from "../ground/lib/errors.ts";
import {
  flag,
  id,
  list,
  oneOf,
  optionalText,
  paging,
  text,
  timeZone,
} from "../ground/lib/fields.ts";
import { toIso, toIsoOrNull } from "../ground/lib/moments.ts";
import { FREQUENCIES, RUN_STATUSES, RUN_TRIGGERS, SOURCE_KINDS } from "../ground/lib/vocabulary.ts";
import { ItemError } from "../links/model.ts";
import { problemOfCron } from "../work/schedule.ts";
import { isUnderWay, type Run } from "./runs.ts";

export const SOURCE_STATUSES = ["running", "paused", "failing", "idle"] as const;

export const Credential = z
  .object({
    type: oneOf(["bearer", "token", "basic", "header"]),
    name: text(100).nullable().optional().default(null),
    user: text(200).nullable().optional().default(null),
    value: text(4096).meta({ writeOnly: true, example: "0123456789" }),
  })
  .meta({ example: { type: "bearer", value: "0123456789" } });
export type CredentialInput = z.output<typeof Credential>;

const schedule = () =>
  text(100).superRefine((cron, context) => {
    const problem = problemOfCron(cron);
    if (problem) context.addIssue(problem);
  });

const CHANGEABLE = {
  name: text(100).meta({ example: "Docs" }),
  settings: z.record(z.string(), z.unknown(), "must be an object").meta({ example: {} }),
  credential: Credential.nullable(),
  group_id: id().nullable(),
  check_frequency: oneOf(FREQUENCIES),
  schedule: schedule().nullable().meta({ example: "0 4 * * *" }),
  time_zone: timeZone(),
  paused: flag(),
};

export const NewSource = z.object(
  {
    kind: oneOf(SOURCE_KINDS).meta({ example: "sitemap" }),
    url: text(2048).meta({ format: "uri" }).nullable().optional(),
    ...CHANGEABLE,
    settings: CHANGEABLE.settings.optional().default({}),
    credential: CHANGEABLE.credential.optional().default(null),
    group_id: CHANGEABLE.group_id.optional().default(null),
    check_frequency: CHANGEABLE.check_frequency.optional().default("daily"),
    schedule: CHANGEABLE.schedule.optional().default(null),
    time_zone: CHANGEABLE.time_zone.optional().default("UTC"),
    paused: CHANGEABLE.paused.optional().default(false),
  },
  "must be a JSON object",
);
export type NewSource = z.output<typeof NewSource>;

/** As a new source, of which only the URL must be known. */
export const SourcePreviewBody = NewSource.extend({
  kind: oneOf(SOURCE_KINDS).optional(),
  name: CHANGEABLE.name.optional(),
});
export type SourcePreviewBody = z.output<typeof SourcePreviewBody>;

export const PreviewRecord = z
  .object({
    kind: z.enum(SOURCE_KINDS),
    url: z.string(),
    name: z.string(),
    pages: z.int(),
    links: z.int(),
    new_links: z.int(),
    left_out: z.int().meta({ description: "Links that the settings leave out." }),
    room: z.int(),
    samples: z.array(
      z.object({
        url: z.string(),
        page_url: z.string(),
        text: z.string().nullable(),
        line: z.int().nullable(),
      }),
    ),
    robots: z.string().nullable(),
    notes: z.array(z.string()),
    errors: z.array(z.string()),
  })
  .meta({ id: "SourcePreview" });

export const SourceChange = z
  .object(CHANGEABLE, "must be a JSON object")
  .partial()
  .extend({
    kind: oneOf(SOURCE_KINDS).optional(),
    url: text(2048).meta({ format: "uri" }).nullable().optional(),
  });
export type SourceChange = z.output<typeof SourceChange>;

export const SourceQuery = z.object({
  kind: oneOf(SOURCE_KINDS).optional(),
  status: oneOf(SOURCE_STATUSES).optional(),
  search: optionalText(255).optional(),
  ...paging(),
});
export type SourceQuery = z.output<typeof SourceQuery>;

const PushedLink = z.object({
  url: z.string().max(8192),
  text: z.string().max(2000).nullable().optional(),
  line: z.int().min(1).nullable().optional(),
  column: z.int().min(1).nullable().optional(),
});

const PushedItem = z
  .object({
    page_url: text(2048).meta({ format: "uri", example: "https://blog.example.org/p/1" }),
    title: z.string().max(1000).nullable().optional(),
    links: z.array(PushedLink, "must be a list").max(5000).optional(),
    content: z.string().optional(),
    content_type: z.string().max(200).optional().meta({ example: "text/html" }),
  })
  .meta({
    example: {
      page_url: "https://blog.example.org/p/1",
      links: [{ url: "https://example.com/manual", text: "the manual", line: 12 }],
    },
  })
  .refine(({ links, content }) => (links === undefined) !== (content === undefined), {
    path: ["links"],
    error: "must be given, or content instead of it",
  });
export type PushedItem = z.output<typeof PushedItem>;

export const PushedItems = z.object({ items: list(PushedItem, 100) }, "must be a JSON object");

export const PushedUrls = z.object({ page_urls: list(text(2048), 100) }, "must be a JSON object");

export const PushReply = z.object({
  results: z.array(
    z.object({
      index: z.int(),
      page_url: z.string(),
      status: z.enum(["stored", "unchanged", "deleted", "missing", "failed"]),
      refused: z.int().meta({ description: "Links that were not taken." }),
      error: ItemError.nullable(),
    }),
  ),
});

/** What became of a pushed page. */
export type PushResult =
  | { kind: "stored"; url: string; refused: number }
  | { kind: "unchanged" | "deleted" | "missing"; url: string }
  | { kind: "failed"; url: string; error: AppError };

export const toPushReply = (results: PushResult[]): z.infer<typeof PushReply> => ({
  results: results.map((result, index) => ({
    index,
    page_url: result.url,
    status: result.kind,
    refused: result.kind === "stored" ? result.refused : 0,
    error: result.kind === "failed" ? toErrorBody(result.error) : null,
  })),
});

export const RunQuery = z.object({ ...paging() });

export const SourceDeletion = z.object({ links: oneOf(["keep", "retire"]).optional() });

export const RunRequest = z
  .object({ accept_shrink: flag().optional() }, "must be a JSON object")
  .optional();

export const RunStarted = z.object({
  run_id: z.uuid(),
  status: z.enum(RUN_STATUSES),
  message: z.string(),
});

export const RunRecord = z
  .object({
    id: z.uuid(),
    status: z.enum(RUN_STATUSES),
    reason: z.string().nullable(),
    message: z.string().nullable(),
    trigger: z.enum(RUN_TRIGGERS),
    queued_at: z.string(),
    started_at: z.string().nullable(),
    ended_at: z.string().nullable(),
    pages: z.object({
      read: z.int(),
      unchanged: z.int(),
      gone: z.int(),
      failed: z.int(),
      skipped: z.int(),
      waiting: z.int(),
    }),
    links: z.object({
      new: z.int(),
      kept: z.int(),
      missing: z.int(),
      retired: z.int(),
      returned: z.int(),
      refused: z.int(),
    }),
    fragments: z.int(),
    errors: z.array(z.object({ url: z.string(), page_url: z.string(), reason: z.string() })),
    notes: z.array(z.string()),
  })
  .meta({ id: "SourceRun" });

export const SourceRecord = z
  .object({
    id: z.uuid(),
    name: z.string(),
    kind: z.enum(SOURCE_KINDS),
    url: z.string().nullable(),
    settings: z.record(z.string(), z.unknown()),
    has_credential: z.boolean(),
    group_id: z.uuid().nullable(),
    check_frequency: z.enum(FREQUENCIES),
    schedule: z.string().nullable(),
    time_zone: z.string(),
    paused: z.boolean(),
    status: z.enum(SOURCE_STATUSES),
    failing_since: z.string().nullable(),
    next_run_at: z.string().nullable(),
    counts: z.object({ pages: z.int(), links: z.int(), dead: z.int(), places: z.int() }),
    run: RunRecord.nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "Source" });

/** A source with its latest run and the counts of its links. */
export type ShownSource = SourceRow & {
  run: (Run & { waiting: number }) | null;
  links: number;
  dead: number;
};

export const statusOf = ({ run, isPaused, failingSince }: ShownSource) => {
  if (run && isUnderWay(run)) return "running" as const;
  if (isPaused) return "paused" as const;
  return failingSince === null ? ("idle" as const) : ("failing" as const);
};

export const toRunRecord = (run: Run & { waiting: number }): z.infer<typeof RunRecord> => ({
  id: run.id,
  status: run.status,
  reason: run.reason,
  message: run.message,
  trigger: run.trigger,
  queued_at: toIso(run.queuedAt),
  started_at: toIsoOrNull(run.startedAt),
  ended_at: toIsoOrNull(run.endedAt),
  pages: { ...run.counts.pages, waiting: run.waiting },
  links: run.counts.links,
  fragments: run.counts.fragments,
  errors: run.errors,
  notes: run.notes,
});

/** @param nextAt when the source is read next by its schedule */
export const toSource =
  (nextAt: (source: SourceRow) => number | null) =>
  (source: ShownSource): z.infer<typeof SourceRecord> => ({
    id: source.id,
    name: source.name,
    kind: source.kind,
    url: source.url,
    settings: JSON.parse(source.settings),
    has_credential: source.credential !== null,
    group_id: source.groupId,
    check_frequency: source.checkFrequency,
    schedule: source.cron,
    time_zone: source.timeZone ?? "UTC",
    paused: source.isPaused,
    status: statusOf(source),
    failing_since: toIsoOrNull(source.failingSince),
    next_run_at: toIsoOrNull(source.run && isUnderWay(source.run) ? nextAt(source) : source.dueAt),
    counts: {
      pages: source.pages,
      links: source.links,
      dead: source.dead,
      places: source.places,
    },
    run: source.run && toRunRecord(source.run),
    created_at: toIso(source.createdAt),
    updated_at: toIso(source.updatedAt),
  });
