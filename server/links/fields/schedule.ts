import * as z from "zod";
import { text, timeZone } from "../../ground/lib/fields.ts";
import { type CheckSchedule, problemOfCron } from "../../work/schedule.ts";
import { field } from "./field.ts";

/** When a link is checked, instead of by its frequency. */
export const ScheduleField = z
  .object(
    {
      cron: text(100).superRefine((cron, context) => {
        const problem = problemOfCron(cron);
        if (problem) context.addIssue(problem);
      }),
      time_zone: timeZone().optional().default("UTC"),
    },
    "must be an object with cron and time_zone",
  )
  .meta({
    description:
      "Five fields: minute, hour, day, month, weekday. The minute must be a number, and each link is checked within 15 minutes after it, at its own place. Replaces `check_frequency`.",
    example: { cron: "0 6 * * 1-5", time_zone: "Europe/Berlin" },
  });

const INPUT = { check_schedule: ScheduleField.nullable().optional() };

/** The link's own, or else its group's. */
type Part = { schedule: (CheckSchedule & { from: "link" | "group" }) | null };

const ownOf = ({ schedule }: Part): CheckSchedule | null =>
  schedule?.from === "link" ? schedule : null;

export const schedule = field({
  columns: { cron: "text", time_zone: "text" },
  joined: { group_cron: "groups.cron", group_time_zone: "groups.time_zone" },
  read: ({ cron, time_zone, group_cron, group_time_zone }): Part => ({
    schedule:
      scheduleOf(cron, time_zone, "link") ?? scheduleOf(group_cron, group_time_zone, "group"),
  }),
  write(part) {
    const own = ownOf(part);
    return { cron: own?.cron ?? null, time_zone: own?.timeZone ?? null };
  },
  isListed: true,
  shown: {
    check_schedule: z
      .object({
        cron: z.string().meta({ example: "0 6 * * 1-5" }),
        time_zone: z.string().meta({ example: "Europe/Berlin" }),
        from: z.enum(["link", "group"]),
      })
      .nullable(),
  },
  example: { check_schedule: null },
  show: ({ schedule }) => ({
    check_schedule: schedule && {
      cron: schedule.cron,
      time_zone: schedule.timeZone,
      from: schedule.from,
    },
  }),
  creating: INPUT,
  changing: INPUT,
  changingMany: INPUT,
  /** The group's schedule holds again when that of the link is removed; reading the link shows it. */
  after({ schedule }, { check_schedule: wanted }): Part | undefined {
    if (wanted === undefined) return undefined;
    if (wanted === null) return { schedule: schedule?.from === "group" ? schedule : null };
    const isPresent = schedule?.cron === wanted.cron && schedule.timeZone === wanted.time_zone;
    if (isPresent) return undefined;
    return { schedule: { cron: wanted.cron, timeZone: wanted.time_zone, from: "link" } };
  },
  compared: { check_schedule: ownOf },
  exported: {
    check_schedule: { cell: (part) => ownOf(part)?.cron ?? null, example: "" },
    time_zone: { cell: (part) => ownOf(part)?.timeZone ?? null, example: "" },
  },
  declared(part) {
    const own = ownOf(part);
    return { check_schedule: own && { cron: own.cron, time_zone: own.timeZone } };
  },
});

const scheduleOf = <From>(cron: unknown, timeZone: unknown, from: From) =>
  cron == null ? null : { cron: cron as string, timeZone: timeZone as string, from };
