/** A script of the page with its own text; `id` is that of its element. */
export type InlineScript = { id: string; text: string };

/** Enough for the state of an error page, which has little data. */
export const STATE_CHARS = 262_144;

/**
 * Returns the framework whose serialised state says that the route of this page is missing (404); null if none does.
 * Only the state of the route itself counts, not its data, nor what other requests returned.
 */
export function missingRouteIn({ id, text }: InlineScript): string | null {
  if (id === NEXT_DATA) return isMissingInNext(parsed(text)) ? NEXT : null;
  if (id === "__NUXT_DATA__") return isMissingInNuxt(parsed(text)) ? "Nuxt" : null;
  const mark = MARKS.exec(text);
  if (!mark) return null;
  const at = mark.index + mark[0].length;
  const { stream, data, context, nuxt, kit } = mark.groups ?? {};
  if (stream) return isMissingInStream(literalAt(text, at)) ? ROUTER : null;
  if (data) return hasMissingRoute(parsed(literalAt(text, at))) ? ROUTER : null;
  if (context) return isMissingInRemix(parsed(objectAt(text, at)?.raw)) ? "Remix" : null;
  if (nuxt) return isMissingInNuxtScript(text, at) ? "Nuxt" : null;
  return kit && isMissingInKit(objectAt(text, at)) ? "SvelteKit" : null;
}

export const NEXT = "Next.js";
export const NEXT_DATA = "__NEXT_DATA__";
const ROUTER = "React Router";

/** Ends where the state begins. */
const MARKS = new RegExp(
  [
    String.raw`(?<stream>\b__(?:reactRouter|remix)Context\.streamController\.enqueue\((?="))`,
    String.raw`(?<data>\b__staticRouterHydrationData\s{0,9}=\s{0,9}JSON\.parse\((?="))`,
    String.raw`(?<context>\b__remixContext\s{0,9}=\s{0,9}(?=\{))`,
    String.raw`(?<nuxt>\b__NUXT__(?:\["[^"]{1,100}"\])?\s{0,9}=\s{0,9}(?=\{|\(function\())`,
    String.raw`(?<kit>\bkit\.start\(\s{0,99}\w{1,40},\s{0,99}\w{1,40},\s{0,99}(?=\{)|\bhydrate\s{0,9}:\s{0,9}(?=\{))`,
  ].join("|"),
);

/** The digest of a boundary that failed on the server because the page called `notFound()`. */
export const isMissingDigest = (digest: string | undefined) =>
  digest === "NEXT_HTTP_ERROR_FALLBACK;404" || digest === "NEXT_NOT_FOUND";

function parsed(json: string | null | undefined): unknown {
  try {
    return json ? JSON.parse(json) : null;
  } catch {
    return null;
  }
}

/** The value at a path of keys; undefined if there is none. */
function valueAt(value: unknown, ...keys: (string | number)[]): unknown {
  let found = value;
  for (const key of keys) {
    if (found === null || typeof found !== "object" || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string | number, unknown>)[key];
  }
  return found;
}

const valuesIn = (value: unknown): unknown[] =>
  value !== null && typeof value === "object" ? Object.values(value) : [];

/** `/_error` also shows failures of the server. */
function isMissingInNext(state: unknown): boolean {
  const page = valueAt(state, "page");
  const status = valueAt(state, "props", "pageProps", "statusCode");
  return page === "/404" || (page === "/_error" && status === 404);
}

const isMissingInRemix = (context: unknown) =>
  hasMissingRoute(valueAt(context, "state")) ||
  valueAt(context, "appState", "catch", "status") === 404;

const hasMissingRoute = (state: unknown) =>
  valuesIn(valueAt(state, "errors")).some((error) => valueAt(error, "status") === 404);

/**
 * Reads the first line of a turbo-stream: a list of values, whose objects name their keys and values by places in it,
 * as in `{"_1":2}`. An error of a route is `["ErrorResponse", data, status, text]`, all of them places.
 */
function isMissingInStream(stream: string | null): boolean {
  const values = parsed(stream?.split("\n", 1)[0]);
  const at = (place: unknown) => (typeof place === "number" ? valueAt(values, place) : undefined);
  const root = Object.entries(at(0) ?? {});
  const errors = root.find(([key]) => at(Number(key.slice(1))) === "errors")?.[1];
  return valuesIn(at(errors)).some((place) => {
    const error = at(place);
    return valueAt(error, 0) === "ErrorResponse" && at(valueAt(error, 2)) === 404;
  });
}

const MOST_WRAPPERS = 5;

/** Reads devalue's list of values, whose objects have places in it as values, and wrappers such as `["NuxtError", 7]`. */
function isMissingInNuxt(values: unknown): boolean {
  const at = (place: unknown) => (typeof place === "number" ? valueAt(values, place) : undefined);
  const unwrapped = (place: unknown): unknown => {
    let value = at(place);
    for (let n = 0; n < MOST_WRAPPERS && Array.isArray(value) && typeof value[0] === "string"; n++)
      value = at(value[1]);
    return value;
  };
  const error = unwrapped(valueAt(unwrapped(0), "error"));
  return Number(at(valueAt(error, "statusCode") ?? valueAt(error, "status"))) === 404;
}

/** Nuxt 2, or 3 without JSON: `{…}`, or `(function(a,b){return {…}}("…",404))`. */
function isMissingInNuxtScript(text: string, at: number): boolean {
  const head = /^\(function\(([\w$,\s]{0,20000})\)\{/.exec(text.slice(at, at + 20_100));
  const from = head ? text.indexOf("return {", at) + "return ".length : at;
  const state = objectAt(text, from);
  const error = state?.parts.get("error");
  const status = error ? objectAt(error, 0)?.parts.get("statusCode") : undefined;
  if (status === undefined || !state) return false;
  if (status === "404") return true;
  const place = head?.[1]?.split(",").findIndex((name) => name.trim() === status) ?? -1;
  const open = text.indexOf("(", from + state.raw.length);
  return place >= 0 && open >= 0 && listAt(text, open)[place] === "404";
}

const isMissingInKit = (state: JsObject | null) =>
  state?.parts.get("status") === "404" && (state.parts.get("error") ?? "null") !== "null";

/** The value of the JSON string that begins there; null if it does not end. */
function literalAt(text: string, at: number): string | null {
  const end = endOfString(text, at);
  const value = end > at ? parsed(text.slice(at, end)) : null;
  return typeof value === "string" ? value : null;
}

/** An object as JavaScript writes it, and its own values by their keys, both as written. */
type JsObject = { raw: string; parts: Map<string, string> };

function objectAt(text: string, at: number): JsObject | null {
  const fields = fieldsAt(text, at);
  if (!fields) return null;
  const parts = new Map<string, string>();
  for (const field of fields.list) {
    const [start, key] = /^\s*["']?([\w$-]{1,100})["']?\s*:/.exec(field) ?? [];
    if (start !== undefined && key !== undefined) parts.set(key, field.slice(start.length).trim());
  }
  return { raw: text.slice(at, fields.end), parts };
}

const listAt = (text: string, at: number): string[] =>
  fieldsAt(text, at)?.list.map((field) => field.trim()) ?? [];

/** Splits what is in the brackets that open there at its own commas. Null if they do not close. */
function fieldsAt(text: string, at: number): { list: string[]; end: number } | null {
  const list: string[] = [];
  let depth = 0;
  let from = at + 1;
  for (let i = at; i < text.length; i++) {
    const sign = text.charCodeAt(i);
    if (isQuote(sign)) {
      i = endOfString(text, i) - 1;
      if (i < 0) return null;
    } else if (isOpening(sign)) depth += 1;
    else if (isClosing(sign)) depth -= 1;
    if (depth === 0 || (depth === 1 && sign === 0x2c)) {
      list.push(text.slice(from, i));
      from = i + 1;
    }
    if (depth === 0) return { list, end: i + 1 };
  }
  return null;
}

/** The offset after the closing quote; 0 if there is none. */
function endOfString(text: string, at: number): number {
  const quote = text.charCodeAt(at);
  for (let i = at + 1; i < text.length; i++) {
    const sign = text.charCodeAt(i);
    if (sign === 0x5c) i += 1;
    else if (sign === quote) return i + 1;
  }
  return 0;
}

const isQuote = (sign: number) => sign === 0x22 || sign === 0x27 || sign === 0x60;
const isOpening = (sign: number) => sign === 0x7b || sign === 0x5b || sign === 0x28;
const isClosing = (sign: number) => sign === 0x7d || sign === 0x5d || sign === 0x29;
