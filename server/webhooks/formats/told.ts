import type { DeliveredType, EventType } from "../../db/tables.ts";
import type { EventData } from "../events/events.ts";

/** What a message tells: `data` is JSON text as stored, `createdAt` when it happened. */
export type Told = { type: DeliveredType; data: string; createdAt: number };

/** What a digest tells: how many events of each type there were, and the first ten of them. Moments are ISO 8601. */
export type DigestData = {
  from: string;
  until: string;
  total: number;
  counts: Partial<Record<EventType, number>>;
  first: Happened[];
};

/** One event of a digest. */
export type Happened = {
  [T in EventType]: { event: T; timestamp: string; data: EventData[T] & { test?: boolean } };
}[EventType];

/** An event by itself, told as in a digest. The program wrote the data, so it is as its type says. */
export const happenedIn = ({ type, data, createdAt }: Told): Happened =>
  ({
    event: type,
    timestamp: new Date(createdAt).toISOString(),
    data: JSON.parse(data),
  }) as Happened;

/** As with events, the program wrote it. */
export const digestIn = ({ data }: Told): DigestData => JSON.parse(data);
