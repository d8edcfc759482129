import type { Clock } from "../../lib/clock.ts";
import { createOnceAtATime } from "../politeness/once-at-a-time.ts";
import type { Probe } from "../probe/probe.ts";
import { valueAt } from "./decide.ts";
import type { Ask } from "./record.ts";
import type { Reply } from "./reply.ts";
import type { Values } from "./template.ts";

/** What services gave that serves every link for a while, such as a guest's token. */
export type Kept = {
  /** What was taken of an answer to the same request, if it is kept and still good. */
  valuesOf(ask: Ask): Values | null;
  /** What the next request needs of this answer. */
  take(ask: Ask, reply: Reply): Values;
  forget(ask: Ask): void;
  /** Asks for what all who ask at the same time will use, so that no signal of one may end the work. */
  askOnce(ask: Ask, work: () => Promise<Probe>): Promise<Probe>;
};

const MINUTE_MS = 60_000;

export function createKept(clock: Clock): Kept {
  const entries = new Map<string, { values: Values; until: number }>();
  const once = createOnceAtATime<Probe>();
  return {
    valuesOf(ask) {
      const entry = ask.keepMinutes === undefined ? undefined : entries.get(nameOf(ask));
      return entry && entry.until > clock.elapsed() ? entry.values : null;
    },
    take(ask, reply) {
      const values = valuesIn(ask, reply);
      if (ask.keepMinutes !== undefined) {
        const until = clock.elapsed() + ask.keepMinutes * MINUTE_MS;
        entries.set(nameOf(ask), { values, until });
      }
      return values;
    },
    forget: (ask) => void entries.delete(nameOf(ask)),
    askOnce: (ask, work) => once({ key: nameOf(ask), work }),
  };
}

/** Two requests are the same when the same is sent, and the same taken. */
export const nameOf = ({ url, headers, form, json, take }: Ask): string =>
  JSON.stringify([url, headers, form, json, take]);

/** Packed as values of an address are. */
const valuesIn = ({ take = {} }: Ask, reply: Reply): Values =>
  Object.fromEntries(
    Object.entries(take).map(([name, path]) => [
      name,
      encodeURIComponent(String(valueAt(reply.json(), path) ?? "").toWellFormed()),
    ]),
  );
