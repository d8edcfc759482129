import type { Clock } from "../../ground/lib/clock.ts";
import type { Ask, Page } from "./record.ts";
import { toText, toUrl, type Values } from "./templates.ts";

/** With a body it is a POST. */
type Prepared = { url: string; headers: Record<string, string>; body?: string };

const DEFAULT_JOIN = ",";

/** Builds the request about one item, or about several at once. */
export function prepare(ask: Ask, items: Values[], random: string): Prepared {
  const all = items.map((values) => ({ ...values, random }));
  const one = all.length === 1 ? all[0]! : joined(all, ask.batch?.join ?? DEFAULT_JOIN);
  const url = toUrl(ask.url, joined(all, DEFAULT_JOIN));
  const accept = { Accept: "application/json, */*;q=0.5" };
  const headers = { ...accept, ...fieldsFrom(ask.headers ?? {}, one) };
  const withBody = (type: string, body: string) => ({
    url,
    body,
    headers: { "Content-Type": type, ...headers },
  });
  if (ask.form) {
    return withBody("application/x-www-form-urlencoded", formOf(ask.form, all, one));
  }
  if (ask.json === undefined) return { url, headers };
  const json = jsonOf(ask.json, all, one, ask.batch !== undefined);
  return withBody("application/json", JSON.stringify(json));
}

/** Joins the values of all items, except those that are equal. */
function joined(all: Values[], join: string): Values {
  const together = (name: string) => {
    const values = all.map((each) => each[name] ?? "");
    return values.every((value) => value === values[0]) ? values[0]! : values.join(join);
  };
  return Object.fromEntries(Object.keys(all[0] ?? {}).map((name) => [name, together(name)]));
}

/** Values of an address may contain characters that header fields do not allow (RFC 9110 §5.5). */
const fieldsFrom = (fields: Record<string, string>, values: Values): Record<string, string> =>
  mapValues(fields, (text) => toText(text, values).replace(/[^\t\x20-\x7e]/g, ""));

function formOf(form: Record<string, string | string[]>, all: Values[], one: Values): string {
  const fields = new URLSearchParams();
  for (const [name, texts] of Object.entries(form)) {
    if (!Array.isArray(texts)) fields.append(name, toText(texts, one));
    else for (const text of texts) for (const each of all) fields.append(name, toText(text, each));
  }
  return String(fields);
}

/** In a batch, a list of one element is repeated for each item. */
function jsonOf(json: unknown, all: Values[], one: Values, isBatch: boolean): unknown {
  if (typeof json === "string") return toText(json, one);
  if (Array.isArray(json)) {
    const [element] = json;
    return isBatch && json.length === 1
      ? all.map((values) => jsonOf(element, [values], values, false))
      : json.map((each) => jsonOf(each, all, one, isBatch));
  }
  if (json === null || typeof json !== "object") return json;
  return mapValues({ ...json }, (value) => jsonOf(value, all, one, isBatch));
}

const mapValues = <V, W>(record: Record<string, V>, map: (value: V) => W): Record<string, W> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));

/** Returns how the request for a link's page differs from the usual one. */
export const requestOf = ({ url, headers = {} }: Page, values: Values) => ({
  ...(url !== undefined && { url: toUrl(url, values) }),
  headers: fieldsFrom(headers, values),
});

/** Gathers requests about many links, so that they are sent as one. */
export type Batches<T> = {
  /** Sends the request with those that others make within `GATHER_MS`. */
  send(request: BatchRequest<T>): Promise<Batched<T>>;
};

type BatchRequest<T> = {
  /** Requests with the same key are gathered. */
  key: string;
  most: number;
  values: Values;
  /** How long the caller can wait, in milliseconds. */
  leftMs: number;
  /** Sends one request about all, within the longest time that any of them has. */
  send: (all: Values[], leftMs: number) => Promise<T>;
};

/** The result for all `count` requests, of which this one is at `place`. */
export type Batched<T> = { result: T; place: number; count: number };

type Gathering<T> = { values: Values[]; leftMs: number; result: Promise<T>; close: () => void };

/** Links that are claimed together arrive within this time. */
const GATHER_MS = 200;

export function createBatches<T>(clock: Clock): Batches<T> {
  const gatherings = new Map<string, Gathering<T>>();

  function open({ key, send }: BatchRequest<T>): Gathering<T> {
    const full = new AbortController();
    const close = () => {
      if (gatherings.get(key) === gathering) gatherings.delete(key);
      full.abort();
    };
    const result = clock.sleep(GATHER_MS, full.signal).then(() => {
      close();
      return send(gathering.values, gathering.leftMs);
    });
    const gathering: Gathering<T> = { values: [], leftMs: 0, result, close };
    gatherings.set(key, gathering);
    return gathering;
  }

  return {
    async send(request) {
      const gathering = gatherings.get(request.key) ?? open(request);
      const { values } = gathering;
      const place = values.push(request.values) - 1;
      gathering.leftMs = Math.max(gathering.leftMs, request.leftMs);
      if (values.length >= request.most) gathering.close();
      return { result: await gathering.result, place, count: values.length };
    },
  };
}
