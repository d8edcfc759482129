import type { Clock } from "../../lib/clock.ts";
import { valueAt } from "./decide.ts";
import { type Batch, toText, type Values } from "./record.ts";
import { partOf, type Reply } from "./reply.ts";

/** Gathers questions of many links to one address, so that they are sent as one. */
export type Batches<T> = {
  /** Sends the question with those of others that come within a moment. */
  ask(question: Question<T>): Promise<Gathered<T>>;
};

type Question<T> = {
  /** What questions must have in common to go together. */
  key: string;
  most: number;
  /** What is asked about. */
  values: Values;
  /** How long the caller can wait, in milliseconds. */
  leftMs: number;
  /** Asks about all of them within the longest time that any of them has, and ends by no signal of one. */
  send: (all: Values[], leftMs: number) => Promise<T>;
};

/** What came back for all, the place that this question has among them, and how many they are. */
type Gathered<T> = { told: T; place: number; count: number };

type Gathering<T> = { values: Values[]; leftMs: number; told: Promise<T>; close: () => void };

/** As long as links that are claimed together take to get here. */
const GATHER_MS = 200;

export function createBatches<T>(clock: Clock): Batches<T> {
  const gatherings = new Map<string, Gathering<T>>();

  function open({ key, send }: Question<T>): Gathering<T> {
    const full = new AbortController();
    const close = () => {
      if (gatherings.get(key) === gathering) gatherings.delete(key);
      full.abort();
    };
    const told = clock.sleep(GATHER_MS, full.signal).then(() => {
      close();
      return send(gathering.values, gathering.leftMs);
    });
    const gathering: Gathering<T> = { values: [], leftMs: 0, told, close };
    gatherings.set(key, gathering);
    return gathering;
  }

  return {
    async ask(question) {
      const gathering = gatherings.get(question.key) ?? open(question);
      const { values } = gathering;
      const place = values.push(question.values) - 1;
      gathering.leftMs = Math.max(gathering.leftMs, question.leftMs);
      if (values.length >= question.most) gathering.close();
      return { told: await gathering.told, place, count: values.length };
    },
  };
}

/**
 * What an answer to many tells about one of them; null when it cannot be told apart. An answer that is no
 * answer to many, such as an error, is the same for all.
 */
export function partFor(
  { answers }: Batch,
  reply: Reply,
  asked: { values: Values; place: number; count: number },
): Reply | null {
  const { values, place, count } = asked;
  if (answers.by === "line") {
    const text = toText(answers.has, values).toLowerCase();
    return partOf(
      reply,
      reply.lines().find((line) => line.toLowerCase().includes(text)),
    );
  }
  const holder = valueAt(reply.json(), answers.at ?? "");
  if (answers.by === "position") {
    if (!Array.isArray(holder)) return reply;
    return holder.length === count ? partOf(reply, holder[place]) : null;
  }
  if (holder === null || typeof holder !== "object") return reply;
  if (answers.by === "key") {
    const key = toText(answers.key, values);
    return partOf(reply, Object.hasOwn(holder, key) ? Reflect.get(holder, key) : undefined);
  }
  const ours = toText(answers.is, values);
  const isOurs = (each: unknown) => String(valueAt(each, answers.field)) === ours;
  if (Array.isArray(holder)) return partOf(reply, holder.find(isOurs));
  return isOurs(holder) ? partOf(reply, holder) : reply;
}
