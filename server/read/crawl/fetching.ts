import type { Clock } from "../../ground/lib/clock.ts";
import type { FailureReason } from "../../ground/net/exchange.ts";
import type { TargetPolicy } from "../../ground/net/policy.ts";
import { decoderFor } from "../../judge/page/page.ts";
import { readRetryAfter, readUsedUpLimit } from "../../judge/politeness/site-load.ts";
import { locationOf, nextHop } from "../../judge/probe/hops.ts";

/** Why a source could not be read, and so why a run fails. */
export type SourceReason =
  | "not_found"
  | "unauthorized"
  | "unreachable"
  | "robots_unreachable"
  | "robots_refused"
  | "moved_away"
  | "not_a_sitemap"
  | "cut_off"
  | "unreadable"
  | "too_large"
  | "forbidden_target";

/** A source, or one part of it, cannot be read. The message is for people. */
export class SourceFailed extends Error {
  constructor(
    readonly reason: SourceReason,
    message: string,
  ) {
    super(message);
  }
}

/** The site wants no requests for a while, and a run goes on later. */
export class SourceHeld extends Error {
  constructor(readonly forMs: number) {
    super("The server accepts no requests for a while.");
  }
}

type Received = {
  kind: "response";
  status: number;
  headers: Headers;
  /** Without its content coding. Fails with `SourceFailed` if it ends early. Must be read to its end, or cancelled. */
  body: ReadableStream<Uint8Array>;
};

/** Sends one request through the gates of outbound requests, and follows no redirect. */
export type Get = (
  url: URL,
  headers: Record<string, string>,
) => Promise<
  | Received
  | { kind: "failed"; reason: FailureReason; detail: string }
  | { kind: "held"; forMs: number }
>;

/** `now` is wall time, for the dates of servers. */
export type Fetching = {
  get: Get;
  policy: TargetPolicy;
  now: () => number;
  sleep: Clock["sleep"];
  /** Whether the operator has said that a host is theirs, so that its robots.txt does not bind. */
  isOwn: (url: URL) => boolean;
  /** Called before each piece of a document is read, which may take long without a pause. */
  onStep?: () => void;
};

/** A response that is not a redirect, and where it came from. */
export type Fetched = Omit<Received, "kind"> & { url: URL };

const MOST_REDIRECTS = 10;

/**
 * Requests a URL and follows its redirects, each through all gates.
 * @param headersFor what to send to a URL, since credentials are for one origin
 * @throws SourceFailed, SourceHeld
 */
export async function fetchFrom(
  { get, policy }: Fetching,
  start: URL,
  headersFor: (url: URL) => Record<string, string>,
): Promise<Fetched> {
  let url = start;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const found = await get(url, headersFor(url));
    if (found.kind === "held") throw new SourceHeld(found.forMs);
    if (found.kind === "failed") throw failureOf(found.reason, found.detail);
    const location = locationOf(found.status, found.headers);
    if (location === null) return { ...found, url };
    await discard(found.body);
    const hop = nextHop(location, url, policy);
    if (!hop.ok) {
      const isForbidden = hop.reason === "redirect_forbidden_target";
      throw new SourceFailed(isForbidden ? "forbidden_target" : "unreachable", hop.detail);
    }
    url = hop.url;
  }
  throw new SourceFailed("unreachable", `More than ${MOST_REDIRECTS} redirects.`);
}

const failureOf = (reason: FailureReason, detail: string) =>
  new SourceFailed(reason === "target_forbidden" ? "forbidden_target" : "unreachable", detail);

/** As `fetchFrom`, for responses that must be content. @param isWanted whether another response is wanted as well */
export async function fetchContent(
  fetching: Fetching,
  start: URL,
  headersFor: (url: URL) => Record<string, string>,
  isWanted: (found: Fetched) => boolean = () => false,
): Promise<Fetched> {
  const found = await fetchFrom(fetching, start, headersFor);
  if ((found.status >= 200 && found.status < 300) || isWanted(found)) return found;
  await discard(found.body);
  throw refusal(found, fetching.now());
}

function refusal({ status, headers, url: { host } }: Fetched, now: number): Error {
  const heldMs = heldFor(status, headers, now);
  if (heldMs > 0) return new SourceHeld(heldMs);
  const message = `${host} returned ${status}.`;
  if (status === 404 || status === 410) return new SourceFailed("not_found", message);
  const isRefused = status === 401 || status === 403 || status === 407;
  return new SourceFailed(isRefused ? "unauthorized" : "unreachable", message);
}

/** For how long the server wants no more requests. GitHub refuses with 403 what exceeds its limit. */
export function heldFor(status: number, headers: Headers, now: number): number {
  if (status !== 403 && status !== 429 && status !== 503) return 0;
  const retryAfter = readRetryAfter(headers.get("retry-after"), now);
  return retryAfter ?? readUsedUpLimit(headers, now) ?? 0;
}

/**
 * Receives a whole body, so that its server need not wait until all of it is read and written.
 * @throws SourceFailed `too_large`, `cut_off`
 */
export async function received(
  { onStep }: Fetching,
  { body, ...rest }: Fetched,
  mostBytes: number,
): Promise<Fetched> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > mostBytes) throw tooLarge(rest.url, mostBytes);
    pieces.push(piece as Uint8Array<ArrayBuffer>);
  }
  const given = pieces[Symbol.iterator]();
  const whole = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const { done, value } = given.next();
        onStep?.();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );
  return { ...rest, body: whole };
}

/** Ends the transfer of a body that is not wanted. */
export async function discard(body: ReadableStream<Uint8Array>): Promise<void> {
  await body.cancel().catch(() => {});
}

/**
 * Reads a whole text, packed with gzip or not.
 * @throws SourceFailed `too_large`, `cut_off`
 */
export async function textOf({ body, headers, url }: Fetched, mostBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of unpacked(body)) {
    length += piece.length;
    if (length > mostBytes) throw tooLarge(url, mostBytes);
    pieces.push(piece);
  }
  const bytes = Buffer.concat(pieces);
  return decoderFor(headers.get("content-type"), bytes).decode(bytes);
}

/** Enough for the declaration of the encoding. */
const SNIFFED_BYTES = 1024;

/**
 * Decodes the bytes. The first piece has more than white space, if there is any.
 * @param onEncoding is called before the first piece, with the name that a `TextDecoder` has
 */
export async function* textsOf(
  bytes: AsyncIterable<Uint8Array>,
  contentType: string | null,
  onEncoding: (encoding: string) => void = () => {},
): AsyncGenerator<string> {
  let decoder: TextDecoder | null = null;
  let start: Uint8Array = new Uint8Array();
  for await (const piece of bytes) {
    if (decoder) {
      yield decoder.decode(piece, { stream: true });
      continue;
    }
    start = Buffer.concat([start, piece]);
    if (start.length < SNIFFED_BYTES) continue;
    decoder = decoderFor(contentType, start);
    onEncoding(decoder.encoding);
    yield decoder.decode(start, { stream: true });
  }
  if (decoder) yield decoder.decode();
  else {
    decoder = decoderFor(contentType, start);
    onEncoding(decoder.encoding);
    yield decoder.decode(start);
  }
}

export const tooLarge = ({ host }: URL, mostBytes: number) =>
  new SourceFailed("too_large", `${host} sent more than ${mostBytes / 1024 / 1024} MB.`);

/**
 * Reads JSON. A text that ends early was cut off.
 * @throws SourceFailed
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw isCutJson(text)
      ? new SourceFailed("cut_off", "The JSON ends early.")
      : new SourceFailed("unreadable", "The answer is not JSON.");
  }
}

/** Whether a text that begins as JSON ends inside an object, a list or a string. */
function isCutJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return text.trim() === "";
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (isInString) {
      if (char === "\\") at++;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (char === "[" || char === "{") depth++;
    else if ((char === "]" || char === "}") && --depth === 0) return false;
  }
  return true;
}

/** Unpacks the bytes of a body if they are gzip. @throws SourceFailed */
export async function* unpacked(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  try {
    const first = await firstBytes(pieces);
    if (first[0] === 0x1f && first[1] === 0x8b) yield* gunzip(joined(first, pieces));
    else yield* joined(first, pieces);
  } finally {
    await pieces.return?.();
  }
}

/** As many pieces as are needed to recognize gzip. */
async function firstBytes(pieces: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let first = new Uint8Array();
  while (first.length < 2) {
    const { done, value } = await pieces.next();
    if (done) break;
    first = Buffer.concat([first, value]);
  }
  return first;
}

async function* joined(first: Uint8Array, rest: AsyncIterator<Uint8Array>) {
  if (first.length > 0) yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

async function* gunzip(packed: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  let failure: unknown;
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        const { done, value } = await packed.next();
        if (done) controller.close();
        else controller.enqueue(new Uint8Array(value));
      } catch (error) {
        failure = error;
        controller.error(error);
      }
    },
  });
  try {
    yield* source.pipeThrough(new DecompressionStream("gzip"));
  } catch (error) {
    throw failure ?? notGzip(error);
  }
}

const notGzip = (error: unknown) =>
  /end of file/i.test(String(error))
    ? new SourceFailed("cut_off", "The compressed file ends early.")
    : new SourceFailed("unreadable", "The compressed file is damaged.");
