import type { EventType, Verdict } from "../../db/tables.ts";
import { messageOf } from "../../verdict/reasons/messages.ts";
import type { Reason } from "../../verdict/reasons/reasons.ts";
import type { EventData, StatusChange } from "../events/events.ts";
import type { Happened } from "./told.ts";

/** Whether it is bad news, good news, or none: services show it in colour, and bad news may ring louder. */
export type Severity = "bad" | "good" | "plain";

/** An event in words. All of them are ours but the URL, which may hold anything. */
export type Words = { title: string; url: string | null; said: string[]; severity: Severity };

export const wordsOf = ({ event, data }: Happened): Words => say(event, data);

/** The table says of each type which data it takes, and `Happened` keeps the two together. */
const say = <T extends EventType>(event: T, data: EventData[EventType]): Words =>
  WORDS[event](data as EventData[T]);

const WORDS: { [T in EventType]: (data: EventData[T]) => Words } = {
  "link.dead": (data) => ({ ...changed(data), title: "Dead", severity: "bad" }),
  "link.alive": (data) => ({
    ...changed(data),
    title: data.previousStatus === "dead" ? "Alive again" : "Alive",
    severity: "good",
  }),
  "link.created": ({ url, checkFrequency }) => ({
    title: "Added",
    url,
    said: [`It is checked ${checkFrequency}.`],
    severity: "plain",
  }),
  "link.deleted": ({ url, lastStatus }) => ({
    title: "Deleted",
    url,
    said: [`Its last status was ${lastStatus}.`],
    severity: "plain",
  }),
  "check.complete": (data) => ({
    title: "Checked",
    url: data.url,
    said: [
      `${NOW[data.currentStatus]} ${reasonOf(data)}`,
      ...(data.statusChanged ? [BEFORE[data.previousStatus]] : []),
    ],
    severity: data.statusChanged ? SEVERITY[data.currentStatus] : "plain",
  }),
  "batch.complete": (data) => ({
    title: "Batch complete",
    url: null,
    said: [checkedInBatch(data), ...(data.skipped > 0 ? [skippedInBatch(data)] : [])],
    severity: "plain",
  }),
};

const BEFORE: Record<Verdict, string> = {
  active: "It was active before.",
  dead: "It was dead before.",
  unknown: "Its status was unknown before.",
};

const NOW: Record<Verdict, string> = {
  active: "It is active.",
  dead: "It is dead.",
  unknown: "Its status is unknown.",
};

const SEVERITY: Record<Verdict, Severity> = { active: "good", dead: "bad", unknown: "plain" };

const changed = (data: StatusChange) => ({
  url: data.url,
  said: [reasonOf(data), BEFORE[data.previousStatus]],
});

/** Events hold a check's reason as its code. */
const reasonOf = ({ reason, statusCode }: { reason: string; statusCode: number | null }) =>
  messageOf(reason as Reason, statusCode);

type Batch = EventData["batch.complete"];

const checkedInBatch = ({ checked, total, active, dead, unknown }: Batch) =>
  `${checked} of ${total} links were checked: ${active} active, ${dead} dead, ${unknown} unknown.`;

const skippedInBatch = ({ skipped }: Batch) =>
  skipped === 1 ? "1 was deleted before its check." : `${skipped} were deleted before their check.`;
