import * as z from "zod";
import { id, queryNumber, text } from "../../ground/lib/fields.ts";
import { DISABLED_REASONS } from "../../ground/lib/vocabulary.ts";
import { MONITOR_STATES } from "../../judge/online/online.ts";

/** The first ten items of a list, and how many there are. */
export type FirstOf<T> = { total: number; items: T[] };

const moment = () => z.string().meta({ format: "date-time" });

const firstOf = <T extends z.ZodType>(schema: T) =>
  z.object({ total: z.int(), items: z.array(schema) });

const Link = z.object({
  id: z.uuid(),
  url: z.string().meta({ example: "https://example.com/a" }),
  service: z.string().meta({ example: "generic" }),
  groupId: z.uuid().nullable(),
});

const DeadLink = Link.extend({
  reason: z.string().meta({ example: "http_404" }).nullable(),
  message: z.string().meta({ example: "The server returned 404: there is no such page." }),
  since: moment(),
});
export type DeadLink = z.infer<typeof DeadLink>;

const RecoveredLink = Link.extend({ recoveredAt: moment() });
export type RecoveredLink = z.infer<typeof RecoveredLink>;

/** `reason` is null for links that were never checked. */
const ReasonCount = z.object({
  reason: z.string().meta({ example: "timeout" }).nullable(),
  message: z.string().meta({ example: "The server did not respond in time." }),
  count: z.int(),
});
export type ReasonCount = z.infer<typeof ReasonCount>;

const byStatus = { active: z.int(), dead: z.int(), unknown: z.int() };

const CountedGroup = z.object({
  id: z.uuid(),
  name: z.string().meta({ example: "Docs" }),
  color: z.string().meta({ example: "#6B7280" }),
  ...byStatus,
});
export type CountedGroup = z.infer<typeof CountedGroup>;

export const Overview = z
  .object({
    /** By the status before a running check; `checking` counts these links again. */
    counts: z.object({
      total: z.int(),
      ...byStatus,
      checking: z.int(),
      attention: z
        .int()
        .meta({ description: "Dead, and neither acknowledged nor muted.", example: 2 }),
    }),
    /** How many sites the links are on. */
    sites: z.int(),
    /** Null for API keys, and on a person's first visit to the dashboard. */
    since: z
      .object({ at: moment(), died: z.int(), came_back: z.int(), became_unknown: z.int() })
      .nullable(),
    dead: firstOf(DeadLink).extend({ newInDay: z.int(), reasons: z.array(ReasonCount) }),
    recovered: firstOf(RecoveredLink),
    /** Links that are alive and lead to something else than before. */
    pages: z.object({ lost: z.int(), changed: z.int(), missingFragments: z.int() }),
    unknown: firstOf(ReasonCount).extend({ isWhole: z.boolean() }),
    groups: firstOf(CountedGroup),
    /** The checks of all accounts. */
    checker: z.object({
      state: z.enum(MONITOR_STATES),
      onlineSince: moment().nullable(),
      clock: z.enum(["ok", "off"]),
      isChecking: z.boolean(),
      backlog: z.int(),
      lateSeconds: z.int(),
      nextCheckAt: moment().nullable(),
    }),
    webhooks: z.object({
      pending: z.int(),
      oldestPendingSeconds: z.int(),
      failing: z.int(),
      disabled: firstOf(
        z.object({
          id: z.uuid(),
          name: z.string().nullable().meta({ example: "Docs" }),
          host: z.string().meta({ example: "ops.example.com" }),
          reason: z.enum(DISABLED_REASONS).nullable(),
          since: moment().nullable(),
        }),
      ),
    }),
    /** Those that do not accept what is set for them. */
    hostSettings: firstOf(
      z.object({
        id: z.uuid(),
        host: z.string().meta({ example: "*.docs.example.org" }),
        since: moment(),
      }),
    ),
  })
  .meta({ id: "Overview" });
export type Overview = z.infer<typeof Overview>;

export const ServiceCounts = z
  .object({ service: z.string().meta({ example: "generic" }), ...byStatus })
  .meta({ id: "ServiceCounts" });
export type ServiceCounts = z.infer<typeof ServiceCounts>;

export const Services = firstOf(ServiceCounts);

/** `host` is the first of the `hosts` of the site, and `links` the number of their links. */
const UpcomingItem = z.object({
  kind: z.enum(["certificate"]),
  site: z.string().meta({ example: "example.com" }),
  host: z.string().meta({ example: "docs.example.com" }),
  hosts: z.int(),
  links: z.int(),
  expiresAt: moment(),
});
export type UpcomingItem = z.infer<typeof UpcomingItem>;

const FailingSource = z.object({
  id: z.uuid(),
  name: z.string().meta({ example: "Docs" }),
  since: moment(),
});
export type FailingSource = z.infer<typeof FailingSource>;

export const Upcoming = firstOf(UpcomingItem)
  .extend({ failing_sources: firstOf(FailingSource) })
  .meta({ id: "Upcoming" });
export type Upcoming = z.infer<typeof Upcoming>;

export const UpcomingQuery = z.object({
  days: queryNumber(365).meta({ description: "How far ahead." }).optional().default(30),
});

const date = () => z.string().meta({ format: "date" });

const SeriesDay = z.object({
  day: date(),
  alive: z.int(),
  dead: z.int(),
  unknown: z.int(),
  died: z.int(),
  came_back: z.int(),
  median_dead_ms: z.int().nullable(),
});
export type SeriesDay = z.infer<typeof SeriesDay>;

export const Series = z
  .object({
    days: z.array(SeriesDay),
    previous: z.array(SeriesDay),
    notes: z.array(
      z.object({
        day: date(),
        site: z.string().meta({ example: "example.com" }),
        died: z.int(),
        ended_day: date().nullable(),
      }),
    ),
    median_dead_ms: z.int().nullable(),
    previous_median_dead_ms: z.int().nullable(),
    first_day: date().nullable(),
  })
  .meta({ id: "Series" });
export type Series = z.infer<typeof Series>;

export const SeriesQuery = z
  .object({
    days: queryNumber(366)
      .meta({ description: "How many days, today included." })
      .optional()
      .default(90),
    group_id: id().meta({ description: "Only links in this group." }).optional(),
    site: text(253).toLowerCase().meta({ description: "Only links of this site." }).optional(),
  })
  .refine(({ group_id, site }) => group_id === undefined || site === undefined, {
    message: "must not be given with group_id",
    path: ["site"],
  });
export type SeriesQuery = z.output<typeof SeriesQuery>;
