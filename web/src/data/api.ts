import { treaty } from "@elysiajs/eden";
import type { App } from "../../../server/app/app.ts";
import { absolute } from "./base.ts";

/** How long after the start of the script a page may use what it came with. */
const GIVEN_MS = 5_000;

/** Bodies of replies that the page came with, by path and query; each is used once. */
const given: Record<string, unknown> = JSON.parse(
  document.getElementById("answers")?.textContent ?? "{}",
);
setTimeout(() => {
  for (const path of Object.keys(given)) delete given[path];
}, GIVEN_MS);

const ask = async (input: Request | URL | string, init?: RequestInit): Promise<Response> => {
  const path = String(input).slice(absolute("").length);
  if (init?.method !== "GET" || !(path in given)) return fetch(input, init);
  const body = given[path];
  delete given[path];
  return Response.json(body);
};

const server = treaty<App>(absolute(""), { parseDate: false, fetcher: ask as typeof fetch });

/** The routes of the public API, authenticated by session. */
export const api = server.dashboard.api;

export const readiness = server.ready;

type Answer<T> = { data: T | null; error: { value: unknown } | null; status: number };

/** Field path → problems in the server's words. */
type FieldProblems = Record<string, string[]>;

/** `status` is 0 if the server was not reachable. */
export class RequestFailed extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }

  /** Problems to show next to their fields. A wrong code is none of the schema, but of its field. */
  get fields(): FieldProblems {
    if (this.details.reason === "wrong_code") return { code: [this.message] };
    return (this.details.fields ?? {}) as FieldProblems;
  }

  get isOfFields(): boolean {
    return Object.keys(this.fields).length > 0;
  }
}

/** What a hook of a query finds. */
export type DataOf<Hook extends (...given: never[]) => { data: unknown }> = NonNullable<
  ReturnType<Hook>["data"]
>;

/** A key that makes repeating a request harmless. `crypto.randomUUID` is missing without TLS. */
export const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join("-");

/** Types a query or body. The client's own types describe it after the server has parsed it. */
export const asSent = <Parsed>(value: object) => value as Parsed;

/**
 * Returns the data of the success envelope.
 * @throws RequestFailed with the server's message
 */
export async function unwrap<T>(answer: Promise<Answer<{ data: T }>>): Promise<T> {
  const envelope = await settle(answer);
  if (typeof envelope !== "object" || envelope?.data === undefined) throw noSense(200);
  return envelope.data;
}

/** Sends a text as the body. @throws as `unwrap` */
export async function upload<T>(
  path: string,
  query: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<T> {
  const address = absolute(`/dashboard/api${path}?${new URLSearchParams(query)}`);
  const headers = { "content-type": "text/plain; charset=utf-8" };
  const answer = fetch(address, { method: "POST", headers, body, signal }).then(async (reply) => {
    const value = await reply.json().catch(() => null);
    const error = reply.ok ? null : { value };
    return { data: reply.ok ? (value as { data: T } | null) : null, error, status: reply.status };
  });
  return unwrap(answer);
}

/** For requests without a response body. */
export async function complete(answer: Promise<Answer<unknown>>): Promise<void> {
  await settle(answer);
}

async function settle<T>(answer: Promise<Answer<T>>): Promise<T | null> {
  // A response that breaks off counts as no response.
  const none = { data: null, error: null, status: 0 };
  const { data, error, status } = await answer.catch(() => none);
  if (status === 0) throw unreachable();
  if (error) throw toFailure(error.value, status);
  return data;
}

type ErrorBody = { error?: { message: string; details?: Record<string, unknown> } };

function toFailure(value: unknown, status: number): RequestFailed {
  if (value instanceof Error) return unreachable();
  const body = typeof value === "object" ? (value as ErrorBody | null)?.error : undefined;
  if (body) return new RequestFailed(body.message, status, body.details);
  return noSense(status);
}

const unreachable = () => new RequestFailed("The server cannot be reached. Is it running?", 0);

/** For responses of something else, such as a reverse proxy. */
function noSense(status: number): RequestFailed {
  const about = `(status ${status})`;
  const text =
    status === 413
      ? `This is too much for one request ${about}.`
      : status === 429
        ? `Too many requests ${about}. Try again in a minute.`
        : status >= 500
          ? `The server is not available ${about}. Try again in a minute; nothing you typed is lost.`
          : `The answer did not come from Stillup ${about}. Something before the server may have sent it.`;
  return new RequestFailed(text, status);
}
