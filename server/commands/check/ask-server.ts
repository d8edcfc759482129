import { readFileSync } from "node:fs";
import { UsageError } from "../../ground/lib/errors.ts";
import { chunksOf } from "../../ground/lib/steps.ts";
import { plain } from "../../ground/lib/text.ts";
import { isLoopbackHost } from "../../ground/net/policy.ts";
import { refuseOutside } from "./within.ts";

/** What a server knows of a URL that its account watches. */
export type KnownVerdict = {
  verdict: "active" | "dead" | "unknown";
  reason: string;
  message: string;
};

export type ServerOptions = { url: string; key: string };

/** As many as the API takes. */
const AT_ONCE = 1000;
const TIMEOUT_MS = 10_000;
const LONGEST_ANSWER = 16 * 1024 * 1024;
/** Altogether, so that a slow server holds nothing up. */
const LONGEST_MS = 45_000;
const LONGEST_WAIT_S = 30;

/**
 * Asks a Stillup server what it knows of these URLs. A server that does not answer well is a warning, and what it said
 * until then is used: links are checked without it.
 * @param warn gets one sentence
 * @throws UsageError for a key that the server does not accept
 */
export async function askServer(
  server: ServerOptions,
  urls: string[],
  warn: (sentence: string) => void,
): Promise<Map<string, KnownVerdict>> {
  const known = new Map<string, KnownVerdict>();
  const { results, trouble } = await askAbout(server, "verdicts", urls);
  for (const { url, verdict, reason, message } of results) {
    if (typeof url !== "string" || !isVerdict(verdict)) continue;
    known.set(url, {
      verdict,
      reason: typeof reason === "string" && /^\w+$/.test(reason) ? reason : "unknown",
      message: typeof message === "string" ? message : `The server knows it as ${verdict}.`,
    });
  }
  if (trouble !== null) warn(`${trouble}, so its links are checked without it.`);
  return known;
}

/** What a server said of URLs. It may be another program. */
export type Said = { [field: string]: unknown };

/**
 * Posts URLs to a route about links of many URLs, and returns its results, up to the first answer that is none.
 * @returns trouble the beginning of a sentence; null if all were asked
 * @throws UsageError for a key that the server does not accept
 */
export async function askAbout(
  { url, key }: ServerOptions,
  route: "verdicts" | "suggestions",
  urls: string[],
): Promise<{ results: Said[]; trouble: string | null }> {
  const results: Said[] = [];
  const deadline = AbortSignal.timeout(LONGEST_MS);
  for (const some of chunksOf(AT_ONCE, urls.filter(isAskable))) {
    const body = JSON.stringify({ urls: some });
    const answer = await post(`${url}/api/v1/links/${route}`, { key, body, deadline });
    if (answer.kind === "refused") {
      const { status } = answer;
      throw new UsageError(`The server ${url} does not accept the API key (${status}).`);
    }
    if (answer.kind === "trouble") {
      return { results, trouble: `The server ${plain(url)} ${answer.what}` };
    }
    results.push(...answer.results.map((result) => Object(result) as Said));
  }
  return { results, trouble: null };
}

/** Whether the URL may be sent: not with a name or a password in it. */
function isAskable(url: string): boolean {
  const { protocol, username, password } = new URL(url);
  return /^https?:$/.test(protocol) && username === "" && password === "";
}

export const isVerdict = (value: unknown): value is KnownVerdict["verdict"] =>
  ["active", "dead", "unknown"].includes(value as string);

type Answer =
  | { kind: "answered"; results: unknown[] }
  | { kind: "refused"; status: number }
  | { kind: "trouble"; what: string };

type Asking = { key: string; body: string; deadline: AbortSignal };

async function post(url: string, asking: Asking, isAgain = false): Promise<Answer> {
  const { key, body, deadline } = asking;
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body,
    // The key is for this server alone.
    redirect: "manual",
    signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), deadline]),
  }).catch(() => null);
  if (!response) return { kind: "trouble", what: "does not answer" };
  const text = await textOf(response).catch(() => "");
  const { status } = response;
  if (status === 401 || status === 403) return { kind: "refused", status };
  if (status === 429 && !isAgain) {
    const seconds = Number(response.headers.get("retry-after") ?? LONGEST_WAIT_S + 1);
    if (seconds <= LONGEST_WAIT_S && !deadline.aborted) {
      await Bun.sleep(Math.max(seconds, 0) * 1000);
      return post(url, asking, true);
    }
  }
  const results = status === 200 ? resultsIn(text) : null;
  return results
    ? { kind: "answered", results }
    : {
        kind: "trouble",
        what: `answered ${status}${status === 200 ? " with something else" : ""}`,
      };
}

/** Empty for an answer that is longer than any to so many URLs. */
async function textOf({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.length;
    if (length > LONGEST_ANSWER) return "";
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

function resultsIn(text: string): unknown[] | null {
  try {
    const { results } = JSON.parse(text).data;
    return Array.isArray(results) ? results : null;
  } catch {
    return null;
  }
}

export type ServerArguments = { server?: string; keyFile?: string };

/**
 * Reads which server to ask, from the options and `STILLUP_SERVER`, and its key.
 * @param notice gets one sentence where there is a server and no key, as in changes from outside
 * @returns null for none
 * @throws UsageError for an address or a key that cannot be used
 */
export function serverFrom(
  { server, keyFile }: ServerArguments,
  env: Record<string, string | undefined>,
  notice: (sentence: string) => void,
): ServerOptions | null {
  const given = server ?? env.STILLUP_SERVER;
  if (!given) return null;
  const url = URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
    throw new UsageError("--server must be an http or https URL without a key in it.");
  }
  const key = (keyFile === undefined ? env.STILLUP_API_KEY : read(keyFile))?.trim() ?? "";
  if (/[^\x21-\x7e]/.test(key))
    throw new UsageError("The API key is not one: it has spaces in it.");
  if (key === "") {
    notice("There is no API key, so the server is not asked. Set STILLUP_API_KEY or --key-file.");
    return null;
  }
  if (url.protocol === "http:" && !isLoopbackHost(url.hostname)) {
    throw new UsageError(
      `The API key would travel unencrypted to ${url.origin}. Use https for the server; http is only for this machine.`,
    );
  }
  return { url: url.href.replace(/\/+$/, ""), key };
}

function read(path: string): string {
  refuseOutside(path);
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new UsageError(`The key file ${JSON.stringify(path)} cannot be read.`);
  }
}
