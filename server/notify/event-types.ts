import * as z from "zod";
import { checkIdOf, newId } from "../ground/lib/ids.ts";
import { toIso } from "../ground/lib/moments.ts";
import {
  CONFIDENCES,
  type EventType,
  FREQUENCIES,
  HANDLINGS,
  LINK_CHANGE_KINDS,
  type LinkChangeKind,
  RUN_TRIGGERS,
  SOURCE_KINDS,
  SUGGESTION_KINDS,
  TRIGGERS,
  VERDICTS,
  type Verdict,
} from "../ground/lib/vocabulary.ts";
import { messageOf, type Reason } from "../judge/reasons/reasons.ts";
import { singleLine } from "../mail/layout.ts";

/** Chat services show it as a color; ntfy also raises the priority of `bad`. */
export type Severity = "bad" | "good" | "neutral";

/**
 * `text: url – cause rest`. The texts are ours and short; the URL may contain anything and be long. Links of one cause
 * have the same text and the same `cause`; `linkId` is null for what is not a link of the account.
 */
export type LinkLine = {
  text: string;
  url: string;
  cause: string | null;
  rest: string | null;
  linkId: string | null;
};

/** `name: time`, in ISO 8601. The name is ours. */
type TimeLine = { name: string; at: string };

/** `name: said`. What people said is on one line, may contain anything and be long; the name is ours, and all if `isOurs`. */
export type SaidLine = { name: string; said: string; isOurs?: true };

export type Detail = string | LinkLine | SaidLine | TimeLine;

/** The text of a chat message. All is ours except for URLs and what people said, which may contain anything. */
type EventText = {
  title: string;
  url: string | null;
  /** What people call the link, on one line. */
  linkTitle?: string | null;
  details: Detail[];
  /** What the check saw, where there is room. It may contain anything. */
  evidence?: string[];
  severity: Severity;
};

type Definition<Data extends z.ZodObject> = {
  /** The event's `data` as it is stored and sent, with its description for the OpenAPI document. */
  data: Data;
  /** Returns data about a link that does not exist. @param at ISO 8601 */
  sample(at: string): z.output<Data>;
  toText(data: z.output<Data>): EventText;
  /** How a digest counts such events: "1 link is dead", "12 links are dead". */
  counted: { noun: Noun; one: string; many: string };
};

export type Noun = "link" | "check" | "batch" | "source" | "summary" | "limit";

const define = <Data extends z.ZodObject>(definition: Definition<Data>) => definition;

const moment = () => z.string().meta({ format: "date-time" });
const verdict = () => z.enum(VERDICTS);
const checkId = () => z.string().meta({ example: "0197a1b2-3c4d-7e5f-8a6b-7c8d9e0f1a2b-mjuq8c00" });
const linkId = z.uuid();
const url = z.string().meta({ example: "https://example.com/a" });
const groupId = z.uuid().nullable();
const outcome = {
  statusCode: z.int().meta({ example: 200 }).nullable(),
  reason: z.string().meta({ example: "ok" }),
  responseTimeMs: z.int().meta({ example: 182 }).nullable(),
};

/** What people noted about the link of an event, and whether it is muted. `publishEvents` adds it. */
const LinkNotes = z.object({
  title: z.string().meta({ example: "Handbook" }).nullable(),
  tags: z.array(z.string()).meta({ example: ["docs"] }),
  externalId: z.string().meta({ example: "p-17" }).nullable(),
  metadata: z.record(z.string(), z.string()).meta({ example: {} }),
  note: z.string().meta({ example: "Moved to the new wiki." }).nullable(),
  assignee: z
    .object({ id: z.uuid(), email: z.string().meta({ example: "ada@example.org" }) })
    .nullable(),
  groupName: z.string().meta({ example: "Docs" }).nullable(),
  muted: z.boolean().meta({ example: false }),
});
export type LinkNotes = z.output<typeof LinkNotes>;

/** Of a link about which nothing is noted. */
export const NO_NOTES: LinkNotes = {
  title: null,
  tags: [],
  externalId: null,
  metadata: {},
  note: null,
  assignee: null,
  groupName: null,
  muted: false,
};

/** What `link.changed` says of a link that people or programs changed. */
export const EDITED = {
  kind: "edited" as const,
  before: null,
  after: null,
  signs: [],
  sentence: null,
  firstSeenAt: null,
};

const CHANGE_TITLES: Record<LinkChangeKind, string> = {
  edited: "Changed",
  redirect_changed: "Redirects to another place",
  content_changed: "Shows another page",
  identity_lost: "May have a new owner",
  domain_registered_again: "Domain registered again",
  parameters_lost: "Parameters lost",
  parameters_changed: "Parameters replaced",
  fragment_missing: "Section missing",
  fragment_found: "Section found again",
  certificate_expiring: "Certificate expires soon",
  domain_expiring: "Domain expires soon",
  suggestion: "Has a suggestion",
};

const FoundOn = z.object({
  total: z.int().meta({ example: 14 }),
  pages: z
    .array(
      z.object({
        sourceId: z.uuid(),
        sourceName: z.string().meta({ example: "Docs" }),
        pageUrl: z.string().meta({ example: "https://docs.example.org/setup" }),
        title: z.string().nullable().meta({ example: "Setup" }),
        text: z.string().nullable().meta({ example: "the manual" }),
        line: z.int().nullable().meta({ example: 40 }),
        column: z.int().nullable(),
      }),
    )
    .meta({ description: "The first five." }),
});
/** Where the link of an event stands. `publishEvents` adds it. */
export type FoundOn = z.output<typeof FoundOn>;

const SuggestedInstead = z.object({
  kind: z.enum(SUGGESTION_KINDS),
  url: z.string().meta({ example: "https://example.com/new" }),
  confidence: z.enum(CONFIDENCES).meta({ example: "likely" }),
  capturedAt: moment().nullable().meta({ example: null }),
});
/** What could stand in the place of the link of an event. `publishEvents` adds it. */
export type SuggestedInstead = z.output<typeof SuggestedInstead>;

const StatusChange = z.object({
  linkId,
  url,
  previousStatus: verdict(),
  currentStatus: verdict(),
  checkedAt: moment(),
  groupId,
  ...outcome,
  checkId: checkId(),
  lastActiveAt: moment().nullable().meta({
    description: "When the link was last found alive before this; null if it never was.",
  }),
  evidence: z.array(z.string()).meta({
    description: "What the check saw, in up to eight sentences. They may quote the page.",
    example: ["Response: 404 from nginx after 182 ms.", "Confirmed by 2 attempts."],
  }),
  ...LinkNotes.shape,
  foundOn: FoundOn.nullable().meta({
    description:
      "The pages of sources on which the link stands. `total` counts all places. Null if no source has it.",
  }),
  suggestion: SuggestedInstead.nullable().meta({
    description:
      "Only of a death: what could best stand in the place of the link, if that is known already. What is found later is a `link.changed` with the kind `suggestion`.",
  }),
  pageTitles: z.object({ before: z.string(), after: z.string() }).optional().meta({
    description: "Only with the reason `domain_changed_hands`: what the page was called.",
  }),
  late: z.literal(true).optional().meta({
    description: "Only in messages to people: the link died while it was muted, which has ended.",
  }),
});
type StatusChange = z.output<typeof StatusChange>;

const summaryLink = z.object({ linkId, url, reason: outcome.reason, since: moment() });
export type SummaryLink = z.output<typeof summaryLink>;

const listOf = <T extends z.ZodType>(link: T) =>
  z.object({ total: z.int().meta({ example: 0 }), links: z.array(link) });

const Summary = z
  .object({
    from: moment(),
    until: moment(),
    died: listOf(summaryLink),
    cameBack: listOf(summaryLink.extend({ deadForSeconds: z.int().nullable() })),
    stillDead: listOf(summaryLink),
    unknown: z.object({
      total: z.int().meta({ example: 0 }),
      since: z.int().meta({ example: 0 }),
      reasons: z.array(listOf(summaryLink).extend({ reason: z.string() })),
    }),
    handled: z.object({ acknowledged: z.int(), muted: z.int(), overridden: z.int() }).meta({
      description: "How many links people have decided about. The lists have none of them.",
      example: { acknowledged: 2, muted: 1, overridden: 0 },
    }),
    checks: z.int().meta({ example: 1200 }),
  })
  .meta({
    title: "A summary is ready",
    description:
      "Sent by the schedule in `summary` of a webhook, from its last summary until now, if links died, came back or became unknown (`unknown.since`), or with `always`. The lists are cut; `total` counts all. `cameBack` has the reason of the death that ended.",
  });
type Summary = z.output<typeof Summary>;

const UsageLimit = z.enum(["links", "keys", "webhooks"]);
export type UsageLimit = z.output<typeof UsageLimit>;

/** All that the server knows of each event type. */
export const EVENT_DEFINITIONS = {
  "link.dead": define({
    data: StatusChange.meta({
      title: "A link is dead",
      description: "Sent when a link is found dead and was not dead at its last result.",
      example: { currentStatus: "dead", statusCode: 404, reason: "http_404" },
    }),
    sample: (at) =>
      sampleChange(at, { currentStatus: "dead", statusCode: 404, reason: "http_404" }),
    toText: (data) => ({
      ...changeText(data),
      title: "Dead",
      evidence: data.evidence,
      severity: "bad",
    }),
    counted: { noun: "link", one: "is dead", many: "are dead" },
  }),

  "link.alive": define({
    data: StatusChange.meta({
      title: "A link is alive again",
      description:
        "Sent when a link is found alive and was not alive at its last result. A webhook with `first_verdicts` also gets it when a new link is first found alive.",
      example: { previousStatus: "dead" },
    }),
    sample: (at) => sampleChange(at, { previousStatus: "dead" }),
    toText: (data) => ({
      ...changeText(data),
      title: data.previousStatus === "dead" ? "Alive again" : "Alive",
      severity: "good",
    }),
    counted: { noun: "link", one: "is alive", many: "are alive" },
  }),

  "link.created": define({
    data: z
      .object({
        linkId,
        url,
        groupId,
        service: z.string().meta({ example: "generic" }),
        checkFrequency: z.enum(FREQUENCIES).meta({ example: "daily" }),
        status: verdict().meta({ example: "unknown" }),
        createdAt: moment(),
        batchId: z.uuid().nullable().meta({ example: null }),
        returned: z.literal(true).optional().meta({
          description: "The link was retired, and has returned with its id and its history.",
        }),
        ...LinkNotes.shape,
      })
      .meta({
        title: "A link was created",
        description: "One for each link, also of a batch; `batchId` then identifies the batch.",
      }),
    sample: (createdAt) => ({
      linkId: newId(),
      url: EXAMPLE_URL,
      groupId: null,
      service: "generic",
      checkFrequency: "daily" as const,
      status: "unknown" as const,
      createdAt,
      batchId: null,
      ...NO_NOTES,
    }),
    toText: ({ url, checkFrequency }) => ({
      title: "Added",
      url,
      details: [`Checked ${checkFrequency}.`],
      severity: "neutral",
    }),
    counted: { noun: "link", one: "was added", many: "were added" },
  }),

  "link.deleted": define({
    data: z
      .object({
        linkId,
        url,
        groupId,
        lastStatus: verdict().meta({ example: "dead" }),
        deletedAt: moment(),
        retired: z.literal(true).optional().meta({
          description:
            "The link stands in none of its sources any more. Its id and its history are kept for when it returns.",
        }),
        ...LinkNotes.shape,
      })
      .meta({
        title: "A link was deleted",
        description: "Contains the last known state, since the link can no longer be read.",
      }),
    sample: (deletedAt) => ({
      linkId: newId(),
      url: EXAMPLE_URL,
      groupId: null,
      lastStatus: "dead" as const,
      deletedAt,
      ...NO_NOTES,
    }),
    toText: ({ url, lastStatus }) => ({
      title: "Deleted",
      url,
      details: [`Last status: ${STATUS[lastStatus]}.`],
      severity: "neutral",
    }),
    counted: { noun: "link", one: "was deleted", many: "were deleted" },
  }),

  "link.changed": define({
    data: z
      .object({
        linkId,
        url,
        previousUrl: z.string().nullable().meta({ example: null }),
        fields: z.array(z.string()).meta({ example: ["handling"] }),
        ...LinkNotes.shape,
        assigneeId: z.uuid().nullable().meta({ example: null }),
        handling: z.enum(HANDLINGS).meta({ example: "acknowledged" }),
        mutedUntil: moment().nullable().meta({ example: null }),
        changedAt: moment(),
        kind: z.enum(LINK_CHANGE_KINDS),
        before: z.string().nullable().meta({ example: null }),
        after: z.string().nullable().meta({ example: null }),
        signs: z.array(z.string()).meta({ example: [] }),
        sentence: z.string().nullable().meta({ example: null }),
        firstSeenAt: moment().nullable().meta({ example: null }),
      })
      .meta({
        title: "A link was changed, or is different",
        description:
          "`kind` is `edited` if people or programs changed the link: `fields` names what changed, as in `PATCH /api/v1/links/{id}`, and `previousUrl` is set if the URL did. Any other kind says in a `sentence` what is different about a link that is still alive, or with `suggestion` what could stand in the place of a dead one: `before` and `after` are titles, URLs, fragments or dates, and `signs` are what it is concluded from. These kinds are sent to webhooks that name them in `filter.kinds`. All values are those after the change.",
      }),
    sample: (changedAt) => ({
      linkId: newId(),
      url: EXAMPLE_URL,
      previousUrl: null,
      fields: ["handling"],
      ...NO_NOTES,
      assigneeId: null,
      handling: "acknowledged" as const,
      mutedUntil: null,
      changedAt,
      ...EDITED,
    }),
    toText: ({ url, kind, fields, sentence, before, after }) => ({
      title: CHANGE_TITLES[kind],
      url,
      details:
        sentence === null
          ? [`Changed: ${fields.join(", ").replaceAll("_", " ")}.`]
          : [
              sentence,
              ...(before === null ? [] : [{ name: "Before", said: singleLine(before) }]),
              ...(after === null ? [] : [{ name: "Now", said: singleLine(after) }]),
            ],
      severity: "neutral",
    }),
    counted: { noun: "link", one: "was changed", many: "were changed" },
  }),

  "check.complete": define({
    data: z
      .object({
        checkId: checkId(),
        linkId,
        url,
        previousStatus: verdict(),
        currentStatus: verdict(),
        statusChanged: z.boolean().meta({ example: false }),
        ...outcome,
        trigger: z.enum(TRIGGERS),
        checkedAt: moment(),
      })
      .meta({
        title: "A check of a link has finished",
        description: "Sent after every check, whether or not the status changed.",
      }),
    sample: (at) => {
      const { groupId: _, ...change } = sampleChange(at);
      const { title: _t, tags: _g, externalId: _e, metadata: _m, muted: _u, ...more } = change;
      const { foundOn: _f, suggestion: _s, lastActiveAt: _l, evidence: _v, ...rest } = more;
      return { ...rest, statusChanged: false, trigger: "scheduled" as const };
    },
    toText: (data) => ({
      title: "Checked",
      url: data.url,
      details: [
        `Status: ${STATUS[data.currentStatus]}. ${reasonText(data)}`,
        ...(data.statusChanged ? [previousText(data)] : []),
      ],
      severity: data.statusChanged ? SEVERITY[data.currentStatus] : "neutral",
    }),
    counted: { noun: "check", one: "was completed", many: "were completed" },
  }),

  "batch.complete": define({
    data: z
      .object({
        batchId: z.uuid(),
        total: z.int(),
        checked: z.int(),
        active: z.int(),
        dead: z.int(),
        unknown: z.int(),
        skipped: z.int(),
        startedAt: moment(),
        completedAt: moment(),
      })
      .meta({
        title: "All checks of a batch have finished",
        description:
          "Sent once for each batch: the first checks of links that were created together, or checks that were requested together. `checked + skipped = total`, and `active + dead + unknown = checked`; links that were deleted before their check are skipped.",
        example: {
          total: 1000,
          checked: 998,
          active: 940,
          dead: 41,
          unknown: 17,
          skipped: 2,
          completedAt: "2026-01-01T00:07:12.000Z",
        },
      }),
    sample: (at) => ({
      batchId: newId(),
      total: 3,
      checked: 3,
      active: 2,
      dead: 1,
      unknown: 0,
      skipped: 0,
      startedAt: at,
      completedAt: at,
    }),
    toText: ({ checked, total, active, dead, unknown, skipped }) => ({
      title: "Batch complete",
      url: null,
      details: [
        `Checked ${checked} of ${total} links: ${active} alive, ${dead} dead, ${unknown} unknown.`,
        ...(skipped > 0 ? [skippedText(skipped)] : []),
      ],
      severity: "neutral",
    }),
    counted: { noun: "batch", one: "was completed", many: "were completed" },
  }),

  "source.complete": define({
    data: z
      .object({
        sourceId: z.uuid(),
        name: z.string().meta({ example: "Docs" }),
        kind: z.enum(SOURCE_KINDS).meta({ example: "sitemap" }),
        runId: z.uuid(),
        status: z.enum(["complete", "incomplete", "failed", "cancelled"]),
        reason: z.string().nullable().meta({ example: null }),
        trigger: z.enum(RUN_TRIGGERS).meta({ example: "scheduled" }),
        pages: z
          .object({
            read: z.int(),
            unchanged: z.int(),
            gone: z.int(),
            failed: z.int(),
            skipped: z.int(),
          })
          .meta({ example: { read: 3, unchanged: 809, gone: 0, failed: 0, skipped: 0 } }),
        links: z
          .object({
            new: z.int(),
            kept: z.int(),
            missing: z.int(),
            retired: z.int(),
            returned: z.int(),
            refused: z.int(),
          })
          .meta({
            example: { new: 3, kept: 2900, missing: 2, retired: 0, returned: 0, refused: 0 },
          }),
        fragments: z.int().meta({ example: 0 }),
        startedAt: moment(),
        endedAt: moment(),
        nextRunAt: moment().nullable(),
      })
      .meta({
        title: "A source was read",
        description:
          "Sent after each run of a source, however it ended. Only a complete run takes links away.",
      }),
    sample: (at) => ({
      sourceId: newId(),
      name: "Docs",
      kind: "sitemap" as const,
      runId: newId(),
      status: "complete" as const,
      reason: null,
      trigger: "scheduled" as const,
      pages: { read: 1, unchanged: 0, gone: 0, failed: 0, skipped: 0 },
      links: { new: 1, kept: 41, missing: 0, retired: 0, returned: 0, refused: 0 },
      fragments: 0,
      startedAt: at,
      endedAt: at,
      nextRunAt: null,
    }),
    toText: ({ name, status, reason, links }) => ({
      title: status === "complete" ? `Read ${name}` : `${name}: ${status}`,
      url: null,
      details: [
        `New links: ${many(links.new)}. Retired: ${many(links.retired)}.`,
        ...(reason === null ? [] : [`Reason: ${reason.replaceAll("_", " ")}.`]),
      ],
      severity: status === "failed" || reason === "shrunken" ? "bad" : "neutral",
    }),
    counted: { noun: "source", one: "was read", many: "were read" },
  }),

  "summary.ready": define({
    data: Summary,
    sample: sampleSummary,
    toText: summaryText,
    counted: { noun: "summary", one: "is ready", many: "are ready" },
  }),

  "usage.threshold": define({
    data: z
      .object({
        limit: UsageLimit.meta({ example: "links" }),
        used: z.int().meta({ example: 40_000 }),
        max: z.int().meta({ example: 50_000 }),
        percent: z.int().meta({ example: 80 }),
      })
      .meta({
        title: "The account has passed 80, 95 or 100 % of a limit",
        description:
          "Sent within ten minutes, once for each level, or for the highest if several were passed. A level is passed again after the use was 5 percent points below it.",
      }),
    sample: () => ({ limit: "links" as const, used: 40_000, max: 50_000, percent: 80 }),
    toText: ({ limit, used, max, percent }) => ({
      title:
        percent >= 100
          ? `${LIMITS[limit]} used up`
          : `${percent}% of ${LIMITS[limit].toLowerCase()} used`,
      url: null,
      details: [`${many(used)} of ${many(max)} in use.`],
      severity: percent >= 100 ? "bad" : "neutral",
    }),
    counted: { noun: "limit", one: "is nearly used up", many: "are nearly used up" },
  }),
} satisfies { [T in EventType]: unknown };

const LIMITS: Record<UsageLimit, string> = {
  links: "Links",
  keys: "API keys",
  webhooks: "Webhooks",
};

export type EventData = {
  [T in EventType]: z.output<(typeof EVENT_DEFINITIONS)[T]["data"]>;
};

/** Returns data of an event of this type about a link that does not exist. */
export const sampleOf = <T extends EventType>(type: T, now: number): EventData[T] =>
  definitionOf(type).sample(toIso(now));

export const textOf = <T extends EventType>(type: T, data: EventData[T]): EventText =>
  definitionOf(type).toText(data);

/** The compiler does not follow that the definition of a type is about the data of that type. */
const definitionOf = <T extends EventType>(type: T) =>
  EVENT_DEFINITIONS[type] as unknown as {
    sample(at: string): EventData[T];
    toText(data: EventData[T]): EventText;
  };

const EXAMPLE_URL = "https://example.com/a";

function sampleChange(at: string, changes: Partial<StatusChange> = {}): StatusChange {
  const linkId = newId();
  return {
    linkId,
    url: EXAMPLE_URL,
    previousStatus: "active",
    currentStatus: "active",
    checkedAt: at,
    groupId: null,
    statusCode: 200,
    reason: "ok",
    responseTimeMs: 182,
    checkId: checkIdOf(linkId, Date.parse(at)),
    lastActiveAt: toIso(Date.parse(at) - 86_400_000),
    evidence: ["Response: 404 from nginx after 182 ms.", "Confirmed by 2 attempts."],
    ...NO_NOTES,
    foundOn: null,
    suggestion: null,
    ...changes,
  };
}

/** Two links of a day. */
function sampleSummary(until: string): Summary {
  const since = toIso(Date.parse(until) - 3_600_000);
  const link = { linkId: newId(), url: EXAMPLE_URL, reason: "http_404", since };
  const back = { ...link, linkId: newId(), deadForSeconds: 90_000 };
  return {
    from: toIso(Date.parse(until) - 86_400_000),
    until,
    checks: 24,
    died: { total: 1, links: [link] },
    cameBack: { total: 1, links: [back] },
    stillDead: { total: 0, links: [] },
    unknown: { total: 0, since: 0, reasons: [] },
    handled: { acknowledged: 2, muted: 1, overridden: 0 },
  };
}

/** The lists one after another, so that the most important links are shown where there is little room. */
function summaryText(data: Summary): EventText {
  const { died, cameBack, stillDead, unknown, checks } = data;
  const parts = [
    died.total > 0 && `${many(died.total)} died`,
    cameBack.total > 0 && `${many(cameBack.total)} came back`,
    stillDead.total > 0 && `${many(stillDead.total)} still dead`,
    unknown.total > 0 && `${many(unknown.total)} unknown`,
  ].filter(Boolean);
  const lineOf = (text: string, link: SummaryLink, cause: string | null, rest: string | null) => ({
    text,
    url: link.url,
    cause,
    rest,
    linkId: link.linkId,
  });
  const reasonOf = ({ reason }: SummaryLink) => messageOf(reason as Reason, null);
  return {
    title: parts.length > 0 ? `Summary: ${parts.join(", ")}` : "Summary: nothing happened",
    url: null,
    details: [
      ...died.links.map((link) => lineOf("Dead", link, reasonOf(link), null)),
      ...cameBack.links.map((link) =>
        lineOf("Alive again", link, null, lengthText(link.deadForSeconds)),
      ),
      ...stillDead.links.map((link) =>
        lineOf("Still dead", link, null, `Since ${link.since.slice(0, 10)}.`),
      ),
      ...unknown.reasons.map(
        ({ reason, total }) => `Unknown: ${many(total)}. ${messageOf(reason as Reason, null)}`,
      ),
      ...handledText(data),
      `Checks: ${many(checks)}.`,
    ],
    // It is not urgent.
    severity: "neutral",
  };
}

/** "Handled: 2 acknowledged, 1 muted." Events of earlier versions have no numbers. */
function handledText({ handled }: Partial<Pick<Summary, "handled">>): string[] {
  if (!handled) return [];
  const parts = [
    handled.acknowledged > 0 && `${many(handled.acknowledged)} acknowledged`,
    handled.muted > 0 && `${many(handled.muted)} muted`,
    handled.overridden > 0 && `${many(handled.overridden)} held by an override`,
  ].filter(Boolean);
  return parts.length > 0 ? [`Handled: ${parts.join(", ")}.`] : [];
}

/** "It was dead for 3 days." */
function lengthText(seconds: number | null): string {
  if (seconds === null) return "";
  const [size, unit] = UNITS.find(([size]) => seconds >= size) ?? [60, "minute"];
  const count = Math.max(1, Math.round(seconds / size));
  return `It was dead for ${many(count)} ${unit}${count === 1 ? "" : "s"}.`;
}

const UNITS: [seconds: number, unit: string][] = [
  [86_400, "day"],
  [3600, "hour"],
];

const many = (count: number) => count.toLocaleString("en");

const STATUS: Record<Verdict, string> = { active: "alive", dead: "dead", unknown: "unknown" };

const SEVERITY: Record<Verdict, Severity> = { active: "good", dead: "bad", unknown: "neutral" };

const changeText = (data: StatusChange) => ({
  url: data.url,
  linkTitle: singleLine(data.title ?? "") || null,
  details: [
    reasonText(data),
    ...(data.late ? ["It died while it was muted."] : []),
    beforeText(data),
    ...titlesOf(data),
    ...suggestionLines(data),
    ...saidOf(data),
    ...foundLines(data),
  ],
});

const titlesOf = ({ pageTitles }: Pick<StatusChange, "pageTitles">): SaidLine[] =>
  pageTitles
    ? [
        { name: "Title before", said: singleLine(pageTitles.before) },
        { name: "Title now", said: singleLine(pageTitles.after) },
      ]
    : [];

/** Only an archive is linked to: any other address is from pages, and mail shows it as it is. */
function suggestionLines({ suggestion }: Partial<StatusChange>): Detail[] {
  if (!suggestion) return [];
  const { kind, url, capturedAt } = suggestion;
  if (kind !== "archive") return [{ name: "May be replaced with", said: singleLine(url) }];
  if (url.length > LONG_ADDRESS) return [{ name: "Archived copy", said: singleLine(url) }];
  const rest = capturedAt === null ? null : `Captured on ${capturedAt.slice(0, 10)}.`;
  return [{ text: "Archived copy", url, cause: null, rest, linkId: null }];
}

/** Where the link stood before; events of earlier versions have no `lastActiveAt`. */
function beforeText(data: StatusChange): string | TimeLine {
  const { currentStatus, lastActiveAt }: Partial<StatusChange> = data;
  if (currentStatus !== "dead" || !lastActiveAt) return previousText(data);
  return { name: "Last alive", at: lastActiveAt };
}

/** What there is to see of it; events of earlier versions lack some. */
const saidOf = ({ note, tags = [], assignee, groupName }: Partial<LinkNotes>): SaidLine[] =>
  [
    { name: "Group", said: groupName ?? "" },
    { name: "Note", said: note ?? "" },
    { name: "Tags", said: tags.join(", ") },
    { name: "Assigned to", said: assignee?.email ?? "" },
  ]
    .map(({ name, said }) => ({ name, said: singleLine(said) }))
    .filter(({ said }) => said !== "");

const SHOWN_PAGES = 3;
/** A message with a longer address has no room for more. */
const LONG_ADDRESS = 1000;

/** The first pages on which the link stands, and how many more places there are. Earlier versions did not say. */
function foundLines({ url, foundOn }: Pick<StatusChange, "url"> & { foundOn?: FoundOn | null }) {
  if (!foundOn) return [];
  if (encodeURI(url.toWellFormed()).length > LONG_ADDRESS) return [foundText({ foundOn })!];
  const shown = foundOn.pages.slice(0, SHOWN_PAGES);
  const more = foundOn.total - shown.length;
  return [
    ...shown.map(({ pageUrl, line }) => ({
      text: "Found on",
      url: pageUrl,
      cause: null,
      rest: line === null ? null : `Line ${many(line)}.`,
      linkId: null,
    })),
    ...(more > 0 ? [`And in ${many(more)} more ${more === 1 ? "place" : "places"}.`] : []),
  ];
}

/** For a line of a digest: "Found in 14 places." */
export const foundText = ({ foundOn }: { foundOn?: FoundOn | null }): string | null =>
  foundOn ? `Found in ${many(foundOn.total)} ${foundOn.total === 1 ? "place" : "places"}.` : null;

const previousText = ({ previousStatus }: Pick<StatusChange, "previousStatus">) =>
  `Previous status: ${STATUS[previousStatus]}.`;

/** Events contain the reason of a check as its code. */
const reasonText = ({ reason, statusCode }: Pick<StatusChange, "reason" | "statusCode">) =>
  messageOf(reason as Reason, statusCode);

const skippedText = (skipped: number) =>
  skipped === 1
    ? "1 link was deleted before its check."
    : `${skipped} links were deleted before their checks.`;
