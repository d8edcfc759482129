import * as z from "zod";
import { DISABLED_REASONS, type GroupRow, type LinkRow, type WebhookRow } from "../../db/tables.ts";
import { toIso, toIsoOrNull } from "../../lib/moments.ts";
import { MONITOR_STATES } from "../../verdict/online/online.ts";
import { messageOf, type Reason } from "../../verdict/reasons/reasons.ts";

/** The first few of a list, and how many there are in all. */
export type FirstOf<T> = { total: number; items: T[] };

type Shown = Pick<LinkRow, "id" | "url" | "service" | "groupId">;

export type DeadLink = Shown &
  Pick<LinkRow, "reason" | "statusChangedAt" | "lastReason" | "lastStatusCode" | "lastCause">;

/** `newInDay` are those that died within the last 24 hours. */
export type DeadLinks = FirstOf<DeadLink> & { newInDay: number };

export type RecoveredLink = Shown & { recoveredAt: number };

type ByStatus = { active: number; dead: number; unknown: number };

/** By settled status; those that are being checked, which are counted once more, are among them. */
export type Counts = ByStatus & { total: number; checking: number };

/** `reason` is null for links that were never checked. */
export type UnknownReason = { reason: string | null; count: number };

/** Not whole where so many are unknown that only the newest were counted by reason. */
export type UnknownLinks = FirstOf<UnknownReason> & { isWhole: boolean };

export type CountedGroup = ByStatus & Pick<GroupRow, "id" | "name" | "color">;
export type CountedService = ByStatus & { service: string };

/** How the checks go, those of all accounts together. */
export type Monitoring = {
  state: (typeof MONITOR_STATES)[number];
  onlineSince: number | null;
  clock: "ok" | "off";
  isChecking: boolean;
  /** Links that are due, about where they are many. */
  backlog: number;
  /** How long the link has waited that was due first; 0 when none is due. */
  lateSeconds: number;
};

/** What is still to be sent, and what stands in its way. */
export type WebhookBacklog = {
  pending: number;
  oldestPendingSeconds: number;
  failing: number;
  /** Webhooks that were not switched off by a person. */
  disabled: FirstOf<Pick<WebhookRow, "id" | "url" | "disabledReason" | "disabledAt">>;
};

/** What needs attention now, and how the work goes. */
export type Overview = {
  counts: Counts;
  dead: DeadLinks;
  recovered: FirstOf<RecoveredLink>;
  unknown: UnknownLinks;
  groups: FirstOf<CountedGroup>;
  checker: Monitoring;
  webhooks: WebhookBacklog;
};

const moment = () => z.string().meta({ format: "date-time" });

const firstOf = <T extends z.ZodType>(schema: T) =>
  z.object({ total: z.int(), items: z.array(schema) });

const Attended = z.object({
  id: z.uuid(),
  url: z.string().meta({ example: "https://example.com/a" }),
  service: z.string().meta({ example: "generic" }),
  groupId: z.uuid().nullable(),
});

const byStatus = { active: z.int(), dead: z.int(), unknown: z.int() };

const Checker = z.object({
  state: z.enum(MONITOR_STATES),
  onlineSince: moment().nullable(),
  clock: z.enum(["ok", "off"]),
  isChecking: z.boolean(),
  backlog: z.int(),
  lateSeconds: z.int(),
});

const SwitchedOff = z.object({
  id: z.uuid(),
  host: z.string().meta({ example: "ops.example.com" }),
  reason: z.enum(DISABLED_REASONS).nullable(),
  since: moment().nullable(),
});

export const OverviewView = z
  .object({
    counts: z.object({ total: z.int(), ...byStatus, checking: z.int() }),
    dead: firstOf(
      Attended.extend({
        reason: z.string().meta({ example: "http_404" }).nullable(),
        message: z.string().meta({ example: "The server answered 404: there is no such page." }),
        since: moment(),
      }),
    ).extend({ newInDay: z.int() }),
    recovered: firstOf(Attended.extend({ recoveredAt: moment() })),
    unknown: firstOf(
      z.object({
        reason: z.string().meta({ example: "timeout" }).nullable(),
        message: z.string().meta({ example: "The server did not answer in time." }),
        count: z.int(),
      }),
    ).extend({ isWhole: z.boolean() }),
    groups: firstOf(
      z.object({
        id: z.uuid(),
        name: z.string().meta({ example: "Docs" }),
        color: z.string().meta({ example: "#6B7280" }),
        ...byStatus,
      }),
    ),
    checker: Checker,
    webhooks: z.object({
      pending: z.int(),
      oldestPendingSeconds: z.int(),
      failing: z.int(),
      disabled: firstOf(SwitchedOff),
    }),
  })
  .meta({ id: "Overview" });

export const ServiceCounts = z
  .object({ service: z.string().meta({ example: "generic" }), ...byStatus })
  .meta({
    id: "ServiceCounts",
  });

export const Services = firstOf(ServiceCounts);

export const toOverview = (overview: Overview): z.infer<typeof OverviewView> => ({
  counts: overview.counts,
  dead: { ...overview.dead, items: overview.dead.items.map(toDead) },
  recovered: { ...overview.recovered, items: overview.recovered.items.map(toRecovered) },
  unknown: { ...overview.unknown, items: overview.unknown.items.map(toUnknown) },
  groups: { ...overview.groups, items: overview.groups.items.map(toGroup) },
  checker: toChecker(overview.checker),
  webhooks: toWebhooks(overview.webhooks),
});

export const toService = ({ service, active, dead, unknown }: CountedService) => ({
  service,
  active,
  dead,
  unknown,
});

/** What the last check saw belongs to the status only where it was for that reason. */
function toDead(link: DeadLink) {
  const { id, url, service, groupId, reason } = link;
  const isLast = link.lastReason === reason;
  const message = isLast
    ? messageFor(reason, link.lastStatusCode, link.lastCause)
    : messageFor(reason);
  return { id, url, service, groupId, reason, message, since: toIso(link.statusChangedAt) };
}

const messageFor = (
  reason: string | null,
  statusCode: number | null = null,
  cause: string | null = null,
) =>
  reason === null
    ? "Not checked yet."
    : messageOf(reason as Reason, statusCode, cause as Reason | null);

const toRecovered = ({ id, url, service, groupId, recoveredAt }: RecoveredLink) => ({
  id,
  url,
  service,
  groupId,
  recoveredAt: toIso(recoveredAt),
});

const toUnknown = ({ reason, count }: UnknownReason) => ({
  reason,
  message: messageFor(reason),
  count,
});

const toGroup = ({ id, name, color, active, dead, unknown }: CountedGroup) => ({
  id,
  name,
  color,
  active,
  dead,
  unknown,
});

const toChecker = ({ onlineSince, ...rest }: Monitoring): z.infer<typeof Checker> => ({
  ...rest,
  onlineSince: toIsoOrNull(onlineSince),
});

const toWebhooks = ({ disabled, ...rest }: WebhookBacklog) => ({
  ...rest,
  disabled: {
    total: disabled.total,
    items: disabled.items.map(({ id, url, disabledReason, disabledAt }) => ({
      id,
      // The rest of it may hold a secret.
      host: new URL(url).host,
      reason: disabledReason,
      since: toIsoOrNull(disabledAt),
    })),
  },
});
