import * as z from "zod";
import type { LinkResponseRow, LinkRow, LinkSummary } from "../ground/db/tables.ts";
import { id, moment, oneOf, optionalText, paging, text, unread } from "../ground/lib/fields.ts";
import { checkIdOf } from "../ground/lib/ids.ts";
import { toIso, toIsoOrNull } from "../ground/lib/moments.ts";
import { siteOfUrl } from "../ground/lib/site.ts";
import {
  FREQUENCIES,
  LINK_SORTS,
  LINK_STATUSES,
  type LinkStatus,
  VERDICTS,
} from "../ground/lib/vocabulary.ts";
import type { StatusChange } from "../history/model.ts";
import { STRIP_STATES, type Strip } from "../history/strips.ts";
import { Evidence, toEvidence } from "../judge/probe/conclusion.ts";
import { ResponseContent, unpack } from "../judge/probe/response.ts";
import { messageOf, type Reason } from "../judge/reasons/reasons.ts";
import { nextTurns } from "../work/schedule.ts";
import type { LinkDomain } from "./domains/facts.ts";
import { ShownDomain, toShownDomain } from "./domains/model.ts";
import {
  CHANGING,
  CHANGING_MANY,
  CREATING,
  EXAMPLE_ALONE,
  EXAMPLE_IN_LISTS,
  FILTERS,
  type LinkDetails,
  type ListedDetails,
  SHOWN_ALONE,
  SHOWN_IN_LISTS,
  shownAlone,
  shownInLists,
} from "./fields/registry.ts";
import { IdentityRecord, toIdentity } from "./identity-model.ts";
import type { StoredMemory } from "./memories.ts";

/** A link as lists show it. */
export type ShownLink = LinkSummary & { details: ListedDetails };

/** An earlier URL of a link, until when it had it, in milliseconds since 1970, and who changed it. */
export type PreviousUrl = { url: string; until: number; changedBy: string | null };

export type LinkDetailRow = LinkRow & {
  details: LinkDetails;
  lastChange: StatusChange | null;
  previousUrls: PreviousUrl[];
  /** When the page was seen as the evidence says, if later checks found it unchanged. */
  unchangedSince?: number | null;
  memory?: StoredMemory | undefined;
  domain: LinkDomain | null;
};

/** `notModifiedAt`: when the server last said that the page is still the one that was alive. */
export type StoredResponses = { rows: LinkResponseRow[]; notModifiedAt: number | null };

const LastCheck = z.object({
  status: z.enum(VERDICTS),
  reason: z.string().meta({ example: "ok" }),
  message: z.string().meta({ example: "The page is there." }),
  status_code: z.int().meta({ example: 200 }).nullable(),
  response_time_ms: z.int().meta({ example: 182 }).nullable(),
  checked_at: z.string(),
});

export const Link = z
  .object({
    id: z.uuid(),
    url: z.string().meta({ example: "https://example.com/a" }),
    site: z.string().meta({ example: "example.com" }),
    service: z.string().meta({ example: "generic" }),
    status: z.enum(LINK_STATUSES),
    group_id: z.uuid().nullable(),
    check_frequency: z.enum(FREQUENCIES).meta({ example: "daily" }),
    reason: z.string().meta({ example: "ok" }).nullable(),
    status_changed_at: z.string(),
    next_check_at: z.string(),
    last_check: LastCheck.nullable(),
    created_at: z.string(),
    updated_at: z.string(),
    ...SHOWN_IN_LISTS,
    retired_at: z.string().nullable().meta({
      description:
        "When the link had left all its sources. It is no longer checked, listed or counted, and only read.",
    }),
  })
  .meta({
    id: "Link",
    example: { ...EXAMPLE_IN_LISTS, retired_at: null },
  });

/** What a list of links may include on request. */
const INCLUDED = ["strip"] as const;

/** A link in a list, with what the query includes. */
export const ListedLink = Link.extend({
  strip: z
    .array(z.tuple([z.enum(STRIP_STATES), z.int()]))
    .meta({
      description:
        "With `include=strip`: the last 30 days (UTC, today last), as the state and the number of days of each run, oldest first.",
      example: [
        ["alive", 21],
        ["dead", 9],
      ],
    })
    .optional(),
}).meta({ id: "ListedLink" });

const LastChange = z.object({
  check_id: z.string().meta({ example: "0197a1b2-3c4d-7e5f-8a6b-7c8d9e0f1a2b-mjuq8c00" }),
  status: z.enum(VERDICTS),
  previous_status: z.enum(VERDICTS).meta({ example: "unknown" }),
  reason: z.string().meta({ example: "ok" }),
  message: z.string().meta({ example: "The page is there." }),
  checked_at: z.string(),
  evidence: Evidence.nullable(),
});

export const LinkDetail = Link.extend({
  evidence: Evidence.nullable(),
  last_change: LastChange.nullable(),
  ...SHOWN_ALONE,
  next_turns: z
    .array(z.string())
    .meta({ description: "The next three turns of `check_schedule`; empty without one." }),
  previous_urls: z.array(
    z.object({ url: z.string(), until: z.string(), by: z.string().nullable() }),
  ),
  identity: IdentityRecord.nullable(),
  domain: ShownDomain.nullable().meta({
    description:
      "The registrable domain of the URL; null for hosts that have none, such as addresses.",
  }),
  certificate: z
    .object({ expires_at: z.string() })
    .nullable()
    .meta({ description: "The certificate of the link's host, as the last check saw it." }),
}).meta({
  id: "LinkDetail",
  example: {
    ...EXAMPLE_ALONE,
    next_turns: [],
    previous_urls: [],
    identity: null,
    certificate: null,
  },
});

/** A response as it was sent, without secrets, and what two of them are compared by. */
const RawResponse = z.object({
  checked_at: z.string(),
  reason: z.string().meta({ example: "ok" }),
  message: z.string().meta({ example: "The page is there." }),
  status_code: z.int().meta({ example: 200 }),
  final_url: z.string().meta({ example: "https://example.com/a" }),
  title: z.string().meta({ example: "A page" }).nullable(),
  words: z.int().meta({ example: 412 }).nullable(),
  ...ResponseContent.shape,
  not_modified: z.string().nullable().meta({
    description: "When the server last answered 304: it still has this page. Null if it did not.",
    example: null,
  }),
});

export const RawResponses = z
  .object({ dead: RawResponse.nullable(), alive: RawResponse.nullable() })
  .meta({ id: "RawResponses", example: { dead: null } });

/** `createLink` validates the URL and the group as well, and reports all problems at once. */
export const NewLink = z.object(
  {
    url: text(2048).meta({ format: "uri" }),
    group_id: id().nullable().optional(),
    check_frequency: oneOf(FREQUENCIES).optional().default("daily"),
    ...CREATING,
  },
  "must be a JSON object",
);
export type NewLink = z.output<typeof NewLink>;

/** Documented as `NewLink`, but validated by `createLink`, so that no problem hides another. */
export const NewLinkBody = unread(NewLink);

export const LinkChange = z.object(
  {
    group_id: id().nullable().optional(),
    check_frequency: oneOf(FREQUENCIES).meta({ example: "weekly" }).optional(),
    ...CHANGING,
  },
  "must be a JSON object",
);
export type LinkChange = z.output<typeof LinkChange>;

export const LinkChangeBody = unread(LinkChange);

/** What a change of many links may change. */
export const ManyChange = LinkChange.pick({ group_id: true, check_frequency: true }).extend(
  CHANGING_MANY,
);
export type ManyChange = z.output<typeof ManyChange>;

/** An item of an upsert: a new link with its external id, or what changes of the link that has it. */
export const UpsertItem = LinkChange.extend({
  external_id: text(255).meta({ example: "p-17" }),
  url: text(2048).meta({ format: "uri" }).optional(),
});

const ID_OR_NONE = 'must be a UUID, or "none"';

/** The filters of a list of links, combined with AND. */
export const NARROWING = {
  status: oneOf(LINK_STATUSES).meta({ description: "Only links with this status." }).optional(),
  service: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, "must be a service id: a-z, 0-9 and -")
    .meta({ description: "Only links of this service, such as `generic` or `youtube`." })
    .optional(),
  group_id: z
    .union([z.literal("none"), id(ID_OR_NONE)], ID_OR_NONE)
    .meta({ description: "Only links of this group; `none` for links in no group." })
    .optional(),
  source_id: z
    .union([z.literal("none"), id(ID_OR_NONE)], ID_OR_NONE)
    .meta({ description: "Only links that this source has; `none` for links that no source has." })
    .optional(),
  check_frequency: oneOf(FREQUENCIES)
    .meta({ description: "Only links with this check frequency." })
    .optional(),
  site: optionalText(255)
    .toLowerCase()
    .meta({
      description:
        "Only links of this site: a registrable domain, where private suffixes such as `github.io` count, or a host or address that has none.",
      example: "example.com",
    })
    .optional(),
  reason: z
    .string()
    .regex(/^[a-z0-9_]{1,64}$/, "must be a reason: a-z, 0-9 and _")
    .meta({ description: "Only links whose status has this reason, such as `http_404`." })
    .optional(),
  created_from: id("must be the id of a link")
    .meta({
      description:
        "Only links created from the link with this id on. With `created_to`: those of a list that was added. Deleted links count as well.",
    })
    .optional(),
  created_to: id("must be the id of a link")
    .meta({ description: "Only links created up to the link with this id, itself included." })
    .optional(),
  changed_after: moment("start")
    .meta({
      description:
        "Only links whose status has been the same since this moment or later; with `status=dead`: that died then. A day counts from its start in UTC.",
    })
    .optional(),
  changed_before: moment("end")
    .meta({
      description:
        "Only links whose status has been the same since this moment or before. A day counts to its end in UTC.",
    })
    .optional(),
  search: optionalText(255)
    .meta({
      description: "Only links whose URL contains this text, ignoring case.",
      example: "example.com",
    })
    .optional(),
  search_in: oneOf(["url", "all"])
    .meta({ description: "`all`: also search titles and external ids. Default: `url`." })
    .optional(),
  ...FILTERS,
};

/** A comma-separated list. */
const include = z
  .string()
  .transform((text, context) => {
    const names = text.split(",").map((name) => name.trim());
    const unknown = names.filter((name) => !INCLUDED.some((known) => known === name));
    if (unknown.length === 0) return new Set(names);
    context.addIssue(`cannot include "${unknown[0]}"; use one or more of: ${INCLUDED.join(", ")}`);
    return z.NEVER;
  })
  .meta({
    description: `More about each link, separated by commas: ${INCLUDED.map((name) => `\`${name}\``).join(", ")}.`,
    example: "strip",
  })
  .optional();

export const LinkQuery = z.object({
  ...NARROWING,
  include,
  sort: oneOf(LINK_SORTS)
    .meta({
      description:
        "By creation, last status change or URL; a minus reverses the order. `dead_first` lists dead links, then unknown, then active ones, each by the latest change of status. Default: newest first.",
    })
    .optional(),
  ...paging(),
});
export type LinkQuery = z.output<typeof LinkQuery>;

/** Rejects unknown names: without the misspelt filter, all links would match. */
export const filterOf = <T extends z.ZodRawShape>(fields: T) =>
  z.strictObject(fields, {
    error: ({ code, keys }) =>
      code === "unrecognized_keys" ? `has an unknown field: ${keys}` : "must be an object",
  });

/** The `error` of one item of a batch: the same object as in the error envelope. */
export const ItemError = z
  .object({
    code: z.string(),
    message: z.string(),
    status: z.int(),
    details: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ example: { code: "NOT_FOUND", message: "No such link.", status: 404 } });

export const CheckStarted = z.object({
  id: z.uuid(),
  status: z.literal("checking"),
  message: z.string().meta({ example: "Check initiated." }),
});

/** Returns the status that a link shows: `checking` until the lease of a running check ends. */
export const statusAt = (
  now: number,
  { checkingUntil, status }: Pick<LinkSummary, "checkingUntil" | "status">,
): LinkStatus => (checkingUntil !== null && checkingUntil > now ? "checking" : status);

/** @param now decides whether a check is running */
export const toLink = (row: ShownLink, now: number): z.infer<typeof Link> => ({
  id: row.id,
  url: row.url,
  // The column lies behind large ones.
  site: siteOfUrl(row.url),
  service: row.service,
  status: statusAt(now, row),
  group_id: row.groupId,
  check_frequency: row.checkFrequency,
  reason: row.reason,
  status_changed_at: toIso(row.statusChangedAt),
  next_check_at: toIso(row.nextCheckAt),
  last_check: toLastCheck(row),
  created_at: toIso(row.createdAt),
  updated_at: toIso(row.updatedAt),
  ...shownInLists(row.details),
  retired_at: toIsoOrNull(row.retiredAt || null),
});

export const toListedLink = (
  { strip, ...row }: ShownLink & { strip?: Strip },
  now: number,
): z.infer<typeof ListedLink> => ({
  ...toLink(row, now),
  ...(strip && { strip }),
});

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });

function toLinkEvidence({ evidence: stored, unchangedSince = null }: LinkDetailRow) {
  const evidence = toEvidence(stored);
  if (evidence === null || unchangedSince === null) return evidence;
  const note = `The page has not changed since ${DAY.format(unchangedSince)}.`;
  return { ...evidence, notes: [note, ...evidence.notes] };
}

export const toLinkDetail = (row: LinkDetailRow, now: number): z.infer<typeof LinkDetail> => ({
  ...toLink(row, now),
  evidence: toLinkEvidence(row),
  last_change: row.lastChange && toLastChange(row.id, row.lastChange),
  ...shownAlone(row.details),
  next_turns: row.details.schedule
    ? nextTurns(row.details.schedule, now, 3).map((turn) => turn.toISOString())
    : [],
  previous_urls: row.previousUrls.map(({ url, until, changedBy }) => ({
    url,
    until: toIso(until),
    by: changedBy,
  })),
  identity: row.memory ? toIdentity(row.memory) : null,
  domain: row.domain && toShownDomain(row.domain),
  certificate: row.tlsExpiresAt === null ? null : { expires_at: toIso(row.tlsExpiresAt) },
});

export function toRawResponses({
  rows,
  notModifiedAt,
}: StoredResponses): z.infer<typeof RawResponses> {
  const of = (kind: LinkResponseRow["kind"], at: number | null) => {
    const row = rows.find((each) => each.kind === kind);
    return row ? { ...toRawResponse(row), not_modified: toIsoOrNull(at) } : null;
  };
  return { dead: of("dead", null), alive: of("active", notModifiedAt) };
}

const toRawResponse = (row: LinkResponseRow) => ({
  checked_at: toIso(row.checkedAt),
  reason: row.reason,
  message: messageOf(row.reason as Reason, row.statusCode),
  status_code: row.statusCode,
  final_url: row.finalUrl,
  title: row.title,
  words: row.words,
  ...unpack(row.content),
});

function toLastCheck(row: LinkSummary): z.infer<typeof LastCheck> | null {
  if (row.lastCheckedAt === null || row.lastStatus === null || row.lastReason === null) return null;
  return {
    status: row.lastStatus,
    reason: row.lastReason,
    message: messageOf(
      row.lastReason as Reason,
      row.lastStatusCode,
      row.lastCause as Reason | null,
    ),
    status_code: row.lastStatusCode,
    response_time_ms: row.lastResponseTimeMs,
    checked_at: toIso(row.lastCheckedAt),
  };
}

const toLastChange = (linkId: string, row: StatusChange): z.infer<typeof LastChange> => ({
  check_id: checkIdOf(linkId, row.checkedAt),
  status: row.status,
  previous_status: row.previousStatus,
  reason: row.reason,
  message: messageOf(row.reason as Reason, row.statusCode, row.cause as Reason | null),
  checked_at: toIso(row.checkedAt),
  evidence: toEvidence(row.evidence),
});

export const Service = z
  .object({
    id: z.string().meta({ example: "youtube" }),
    name: z.string().meta({ example: "YouTube" }),
  })
  .meta({ id: "Service" });

/** The service of all other sites. */
const GENERIC = { id: "generic", name: "Any other site" };

type Named = z.infer<typeof Service>;

/** All values of a link's `service`, in alphabetical order. */
export const toServices = (services: readonly Named[]): Named[] =>
  [GENERIC, ...services.map(({ id, name }) => ({ id, name }))].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
