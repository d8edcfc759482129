import { Cron } from "croner";
import * as z from "zod";
import { oneOf, text, timeZone } from "../ground/lib/fields.ts";
import { toIso, toIsoOrNull } from "../ground/lib/moments.ts";

const FREQUENCIES = ["daily", "weekly"] as const;
const WEEKDAYS = [
  "sunday",
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
] as const;

/** When a webhook gets its summary. It is stored with `last_at`, when it got the last one, in milliseconds. */
export type Schedule = {
  frequency: (typeof FREQUENCIES)[number];
  /** Null for daily ones. */
  weekday: (typeof WEEKDAYS)[number] | null;
  /** HH:MM in the time zone. */
  at: string;
  time_zone: string;
  /** Also when nothing happened. */
  always: boolean;
};
type StoredSchedule = Schedule & { last_at: number | null };

/** The schedule in a body; `next_at` and `last_at` of a record are ignored. */
export const ScheduleBody = z
  .object(
    {
      frequency: oneOf(FREQUENCIES),
      weekday: oneOf(WEEKDAYS).nullable().optional(),
      at: text(5).regex(/^([01][0-9]|2[0-3]):[0-5][0-9]$/, "must be a time such as 08:00"),
      time_zone: timeZone(),
      always: z.boolean("must be true or false").optional().default(false),
    },
    "must be an object",
  )
  .superRefine(({ frequency, weekday }, context) => {
    if (frequency === "weekly" || !weekday) return;
    const message = "is only for weekly summaries";
    context.addIssue({ code: "custom", path: ["weekday"], message });
  })
  .transform(
    ({ weekday, ...schedule }): Schedule => ({
      ...schedule,
      weekday: schedule.frequency === "weekly" ? (weekday ?? "monday") : null,
    }),
  )
  .meta({
    example: {
      frequency: "weekly",
      weekday: "monday",
      at: "08:00",
      time_zone: "Europe/Berlin",
      always: false,
    },
  });

/** The schedule in a record. */
export const ScheduleRecord = z.object({
  frequency: z.enum(FREQUENCIES),
  weekday: z.enum(WEEKDAYS).nullable(),
  at: z.string(),
  time_zone: z.string(),
  always: z.boolean(),
  next_at: z.string(),
  last_at: z.string().nullable(),
});

/** What the columns of a webhook say. */
export function toScheduleRecord(
  summary: string | null,
  nextAt: number | null,
): z.infer<typeof ScheduleRecord> | null {
  if (summary === null || nextAt === null) return null;
  const { last_at, ...schedule } = readSchedule(summary);
  return { ...schedule, next_at: toIso(nextAt), last_at: toIsoOrNull(last_at) };
}

export const readSchedule = (summary: string): StoredSchedule => JSON.parse(summary);

export const writeSchedule = (schedule: StoredSchedule): string => JSON.stringify(schedule);

/**
 * When the next summary is due, in milliseconds. A time that a change of the clock skips is an hour later on that day,
 * and one that it repeats is the first of both.
 */
export function nextSummaryAt(
  { weekday, at, time_zone: timezone }: Schedule,
  after: number,
): number {
  const [hour, minute] = at.split(":").map(Number);
  const days = weekday === null ? "*" : WEEKDAYS.indexOf(weekday);
  const cron = new Cron(`${minute} ${hour} * * ${days}`, { timezone, paused: true });
  return cron.nextRun(new Date(after))!.getTime();
}
