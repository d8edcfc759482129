import type { Clock } from "../../lib/clock.ts";
import { unlessAborted } from "../../lib/concurrency.ts";
import { createOnceAtATime } from "../politeness/politeness.ts";
import { type ProbeRecord, probeRecord } from "../probe/conclusion.ts";
import type { Finding, Style } from "../probe/finding.ts";
import { type Failure, type Probe, type Prober, probe } from "../probe/probe.ts";
import { type Batches, createBatches } from "./batch.ts";
import type { Target } from "./catalogue.ts";
import { valueAt } from "./decide.ts";
import { type Received, receive } from "./receive.ts";
import { type Ask, asksOf, type Values } from "./record.ts";
import type { Reply } from "./reply.ts";
import { prepare } from "./requests.ts";
import { UNRECOGNISED, type Undecided } from "./serving.ts";

/** What asking services takes: what is gathered for them, and what they gave that serves others too. */
export type Asking = { batches: Batches<Probe>; kept: Kept };

export const createAsking = (clock: Clock): Asking => ({
  batches: createBatches(clock),
  kept: createKept(clock),
});

/** One question to a service about a link. Times are milliseconds. */
type ServiceQuestion = {
  prober: Prober & { services: Asking };
  target: Target;
  style: Style;
  timeoutMs: number;
  leftMs: number;
  signal?: AbortSignal | undefined;
};

/** What came of it: a finding, or why the page must decide. */
export type ServiceAnswer = {
  /** The last answer, or failure, as if the link itself had given it; it waited as long as all of them. */
  probe: Probe;
  records: ProbeRecord[];
} & ({ finding: Finding; left: null } | { finding: null; left: Undecided });

/** Asks what the record says, one request after the other as its rules lead; null where it says nothing. */
export async function askService(question: ServiceQuestion): Promise<ServiceAnswer | null> {
  const { target, prober } = question;
  const { clock, services } = prober;
  const startedAt = clock.elapsed();
  const records: ProbeRecord[] = [];
  const used: Ask[] = [];
  let taken: Values = {};
  let last: Probe | null = null;
  for (const ask of asksOf(target.kind)) {
    const kept = services.kept.valuesOf(ask);
    if (kept) {
      used.push(ask);
      taken = { ...taken, ...kept };
      continue;
    }
    const waitedMs: number = last?.waitedMs ?? 0;
    const left = within(question, clock.elapsed() - startedAt - waitedMs);
    const { answer, heard } = await askAndHear(left, ask, taken);
    records.push(probeRecord("service", shownUrl(question, ask, taken), answer));
    last = asOwn(answer, target, waitedMs);
    // Whatever else it was, what was kept may be accepted no more.
    if (heard.left?.why === "ill") used.forEach(services.kept.forget);
    if (heard.finding || heard.left) return { probe: last, records, ...heard };
    taken = { ...taken, ...services.kept.take(ask, heard.reply) };
  }
  return last && { probe: last, records, finding: null, left: UNRECOGNISED };
}

/** What is left for the next request. */
const within = (question: ServiceQuestion, spentMs: number): ServiceQuestion => ({
  ...question,
  timeoutMs: Math.min(question.timeoutMs, question.leftMs - spentMs),
  leftMs: question.leftMs - spentMs,
});

type Asked = { answer: Probe; heard: Received };

async function askAndHear(question: ServiceQuestion, ask: Ask, taken: Values): Promise<Asked> {
  const together = await askOnce(question, ask, taken);
  const { answer, heard, count } = together;
  // One of many that is refused has all of them refused.
  const isRefused = heard.left?.why === "ill" && answer.kind === "answered" && answer.status < 500;
  if (count === 1 || !isRefused) return together;
  return askOnce(question, { ...ask, batch: { ...ask.batch!, most: 1 } }, taken);
}

async function askOnce(
  question: ServiceQuestion,
  ask: Ask,
  taken: Values,
): Promise<Asked & { count: number }> {
  const { target, prober } = question;
  const values = { ...target.values, ...taken };
  const { told: answer, place, count } = await send(question, ask, values);
  const { url } = prepare(ask, [values], "");
  const heard = receive(target, ask, { answer, url, place, count, values }, prober.clock.now());
  return { answer, heard, count };
}

type Sent = { told: Probe; place: number; count: number };

const alone = (told: Probe): Sent => ({ told, place: 0, count: 1 });

async function send(question: ServiceQuestion, ask: Ask, values: Values): Promise<Sent> {
  const isShared = ask.keepMinutes !== undefined || (ask.batch?.most ?? 1) > 1;
  if (!isShared) return alone(await request(question, ask, [values], question.leftMs));
  const work = () => sendForAll({ ...question, signal: undefined }, ask, values);
  return unlessAborted(question.signal, { work, fallback: alone(CUT_SHORT) });
}

/** @param question without a signal, since others wait for the answer too */
async function sendForAll(question: ServiceQuestion, ask: Ask, values: Values): Promise<Sent> {
  const { prober, style, leftMs } = question;
  const { batches, kept } = prober.services;
  const sendAll = (all: Values[], withinMs: number) => request(question, ask, all, withinMs);
  const most = ask.batch?.most ?? 1;
  if (most === 1) return alone(await kept.askOnce(ask, () => sendAll([values], leftMs)));
  const key = JSON.stringify([nameOf(ask), style.profile, style.trust, prober.isUrgent === true]);
  return batches.ask({ key, most, values, leftMs, send: sendAll });
}

/** What an aborted check gets instead of the answer, which others still wait for. */
const CUT_SHORT: Failure = {
  kind: "failed",
  reason: "check_aborted",
  detail: "The check was stopped before the service answered.",
  hops: [],
  finalUrl: "",
  fragment: "",
  address: null,
  tlsExpiresAt: null,
  elapsedMs: 0,
  waitedMs: 0,
};

function request(
  { prober, style, timeoutMs, signal }: ServiceQuestion,
  ask: Ask,
  all: Values[],
  leftMs: number,
): Promise<Probe> {
  const { url, headers, body } = prepare(ask, all, randomFrom(prober.clock));
  const input = { url, style, headers, timeoutMs, leftMs, signal, body, keepsText: true };
  return probe(prober, input);
}

/** A service's answer about a link stands for the link, at its own address. */
const asOwn = (answer: Probe, { values }: Target, waitedBeforeMs: number): Probe => ({
  ...answer,
  hops: [],
  finalUrl: decodeURIComponent(values.url!),
  waitedMs: waitedBeforeMs + answer.waitedMs,
});

/**
 * What was asked for, as if about this link alone: others' links are no business of this one, and what was
 * taken of an earlier answer may be a secret.
 */
function shownUrl({ target }: ServiceQuestion, ask: Ask, taken: Values): string {
  const hidden = Object.fromEntries(Object.keys(taken).map((name) => [name, "***"]));
  return prepare(ask, [{ ...target.values, ...hidden }], "***").url;
}

const randomFrom = (clock: Clock) => String(Math.floor(clock.now()) % 1_000_000_007);

/** What services gave that serves every link for a while, such as a guest's token. */
type Kept = {
  /** What was taken of an answer to the same request, if it is kept and still good. */
  valuesOf(ask: Ask): Values | null;
  /** What the next request needs of this answer. */
  take(ask: Ask, reply: Reply): Values;
  forget(ask: Ask): void;
  /** Asks for what all who ask at the same time will use, so that no signal of one may end the work. */
  askOnce(ask: Ask, work: () => Promise<Probe>): Promise<Probe>;
};

const MINUTE_MS = 60_000;

function createKept(clock: Clock): Kept {
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
const nameOf = ({ url, headers, form, json, take }: Ask): string =>
  JSON.stringify([url, headers, form, json, take]);

/** Packed as values of an address are. */
const valuesIn = ({ take = {} }: Ask, reply: Reply): Values =>
  Object.fromEntries(
    Object.entries(take).map(([name, path]) => [
      name,
      encodeURIComponent(String(valueAt(reply.json(), path) ?? "").toWellFormed()),
    ]),
  );
