import type { Clock } from "../../ground/lib/clock.ts";
import { createOnceAtATime, unlessAborted } from "../../ground/lib/concurrency.ts";
import { type ProbeRecord, probeRecord } from "../probe/conclusion.ts";
import type { Finding } from "../probe/finding.ts";
import { type Failure, type Probe, type Prober, probe } from "../probe/probe.ts";
import type { Style } from "../probe/style.ts";
import { type Canaries, createCanaries } from "./canaries.ts";
import type { Catalogue, Target } from "./catalogue.ts";
import { type Reply, valueAt } from "./decide.ts";
import { type Received, receive } from "./receive.ts";
import { type Ask, asksOf } from "./record.ts";
import { type Batched, type Batches, createBatches, prepare } from "./requests.ts";
import { UNRECOGNISED, type Undecided } from "./serving.ts";
import type { Values } from "./templates.ts";

/** Requests to services that are shared by links: those in batches, and values that are retained for a while. */
type Asking = { batches: Batches<Probe>; retained: Retained };

const createAsking = (clock: Clock): Asking => ({
  batches: createBatches(clock),
  retained: createRetained(clock),
});

export type Services = Asking & { catalogue: Catalogue; canaries: Canaries };

export const createServices = (
  clock: Clock,
  catalogue: Catalogue,
  canaries: Canaries = createCanaries(clock, null),
): Services => ({ ...createAsking(clock), catalogue, canaries });

type ServiceQuestion = {
  prober: Prober & { services: Asking };
  target: Target;
  style: Style;
  timeoutMs: number;
  leftMs: number;
  signal?: AbortSignal | undefined;
};

/** A finding, or why the page must decide. */
export type ServiceAnswer = {
  /** The last result, as if the link itself had been requested; `waitedMs` is that of all requests. */
  probe: Probe;
  records: ProbeRecord[];
} & ({ finding: Finding; left: null } | { finding: null; left: Undecided });

/** Sends the requests of the link's kind in order, as far as its rules lead. Returns null if nothing was sent. */
export async function askService(question: ServiceQuestion): Promise<ServiceAnswer | null> {
  const { target, prober } = question;
  const { clock, services } = prober;
  const startedAt = clock.elapsed();
  const records: ProbeRecord[] = [];
  const used: Ask[] = [];
  let taken: Values = {};
  let last: Probe | null = null;
  for (const ask of asksOf(target.kind)) {
    const retained = services.retained.valuesOf(ask);
    if (retained) {
      used.push(ask);
      taken = { ...taken, ...retained };
      continue;
    }
    const waitedMs: number = last?.waitedMs ?? 0;
    const left = within(question, clock.elapsed() - startedAt - waitedMs);
    const { answer, received } = await askUnbatchedIfRefused(left, ask, taken);
    records.push(probeRecord("service", shownUrl(question, ask, taken), answer));
    last = toOwnResult(answer, target, waitedMs);
    // The service may no longer accept the retained values.
    if (received.left?.why === "failed") used.forEach(services.retained.forget);
    if (received.finding || received.left) return { probe: last, records, ...received };
    taken = { ...taken, ...services.retained.take(ask, received.reply) };
  }
  return last && { probe: last, records, finding: null, left: UNRECOGNISED };
}

const within = (question: ServiceQuestion, spentMs: number): ServiceQuestion => ({
  ...question,
  timeoutMs: Math.min(question.timeoutMs, question.leftMs - spentMs),
  leftMs: question.leftMs - spentMs,
});

type Asked = { answer: Probe; received: Received; count: number };

/** A service may refuse a whole batch because of one link, so the link is then requested alone. */
async function askUnbatchedIfRefused(
  question: ServiceQuestion,
  ask: Ask,
  taken: Values,
): Promise<Asked> {
  const together = await askOnce(question, ask, taken);
  const { answer, received, count } = together;
  const isRefused =
    received.left?.why === "failed" && answer.kind === "answered" && answer.status < 500;
  if (count === 1 || !isRefused) return together;
  return askOnce(question, { ...ask, batch: { ...ask.batch!, most: 1 } }, taken);
}

async function askOnce(question: ServiceQuestion, ask: Ask, taken: Values): Promise<Asked> {
  const { target, prober } = question;
  const values = { ...target.values, ...taken };
  const { result: answer, place, count } = await send(question, ask, values);
  const { url } = prepare(ask, [values], "");
  const response = { answer, url, place, count, values };
  prober.onStep?.();
  return { answer, received: receive(target, ask, response, prober.clock.now()), count };
}

const alone = (result: Probe): Batched<Probe> => ({ result, place: 0, count: 1 });

async function send(question: ServiceQuestion, ask: Ask, values: Values): Promise<Batched<Probe>> {
  const isShared = ask.keepMinutes !== undefined || (ask.batch?.most ?? 1) > 1;
  if (!isShared) return alone(await request(question, ask, [values], question.leftMs));
  const work = () => sendForAll({ ...question, signal: undefined }, ask, values);
  return unlessAborted(question.signal, { work, fallback: alone(CUT_SHORT) });
}

/** @param question without a signal, since others wait for the result too */
async function sendForAll(
  question: ServiceQuestion,
  ask: Ask,
  values: Values,
): Promise<Batched<Probe>> {
  const { prober, style, leftMs } = question;
  const { batches, retained } = prober.services;
  const sendAll = (all: Values[], withinMs: number) => request(question, ask, all, withinMs);
  const most = ask.batch?.most ?? 1;
  if (most === 1) return alone(await retained.askOnce(ask, () => sendAll([values], leftMs)));
  const key = JSON.stringify([nameOf(ask), style.profile, style.trust, prober.isUrgent === true]);
  return batches.send({ key, most, values, leftMs, send: sendAll });
}

/** The result for an aborted check, while others still wait for the response. */
const CUT_SHORT: Failure = {
  kind: "failed",
  reason: "check_aborted",
  detail: "The check was aborted before the service responded.",
  hops: [],
  finalUrl: "",
  fragment: "",
  address: null,
  tlsExpiresAt: null,
  dnsMs: null,
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

/** Presents a service's result as that of the link, at its own address. */
const toOwnResult = (answer: Probe, { values }: Target, waitedBeforeMs: number): Probe => ({
  ...answer,
  hops: [],
  finalUrl: decodeURIComponent(values.url!),
  waitedMs: waitedBeforeMs + answer.waitedMs,
});

/** Returns the URL as if it were about this link alone, without values of earlier responses, which may be secrets. */
function shownUrl({ target }: ServiceQuestion, ask: Ask, taken: Values): string {
  const hidden = Object.fromEntries(Object.keys(taken).map((name) => [name, "***"]));
  return prepare(ask, [{ ...target.values, ...hidden }], "***").url;
}

const randomFrom = (clock: Clock) => String(Math.floor(clock.now()) % 1_000_000_007);

/** Values of responses that serve all links for a while, such as a guest's token. */
type Retained = {
  /** Returns the values of an earlier response to the same request, if they are still valid. */
  valuesOf(ask: Ask): Values | null;
  /** Returns the values that the next requests need, and retains them if the record says so. */
  take(ask: Ask, reply: Reply): Values;
  forget(ask: Ask): void;
  /** Shares one request among all callers at the same time, so no caller's signal may end the work. */
  askOnce(ask: Ask, work: () => Promise<Probe>): Promise<Probe>;
};

const MINUTE_MS = 60_000;

function createRetained(clock: Clock): Retained {
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

/** Requests are the same if they send and take the same. */
const nameOf = ({ url, headers, form, json, take }: Ask): string =>
  JSON.stringify([url, headers, form, json, take]);

/** Percent-encoded, like the values of an address. */
const valuesIn = ({ take = {} }: Ask, reply: Reply): Values =>
  Object.fromEntries(
    Object.entries(take).map(([name, path]) => [
      name,
      encodeURIComponent(String(valueAt(reply.json(), path) ?? "").toWellFormed()),
    ]),
  );
