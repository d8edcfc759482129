import {
  configureSync,
  getLogger,
  type LogLevel,
  type LogRecord,
  type Sink,
} from "@logtape/logtape";
import { DrizzleQueryError } from "drizzle-orm";
import { LRUCache } from "lru-cache";

export const log = getLogger("stillup");

type LogOptions = {
  level: LogLevel;
  format: "text" | "json";
  write?: (line: string) => void;
};

/** Sends every record to standard error, one line each: standard output belongs to the commands. */
export const startLogging = ({ level, format, write = toStderr }: LogOptions) =>
  configureSync({
    reset: true,
    sinks: {
      lines: suppressRepeats((record) => {
        const known = withOwnClock(record);
        write(format === "json" ? asJson(known) : asText(known));
      }),
    },
    loggers: [
      { category: "stillup", lowestLevel: level, sinks: ["lines"] },
      { category: ["logtape", "meta"], lowestLevel: "warning", sinks: ["lines"] },
    ],
  });

/**
 * A line in the format of the log, unmasked and at any log level: for the set-up link, and for the error that ends a
 * server.
 */
export const lineIn = (format: LogOptions["format"], level: LogLevel, message: string): string =>
  format === "json"
    ? visible(JSON.stringify({ time: new Date().toISOString(), level, message, ...ownClock() }))
    : message;

/** Smaller differences may be the network's. */
const NOTED_MS = 100;
let ownAheadMs = () => 0;

/**
 * Adds `clockAheadMs` to each line while this machine's clock, which gives lines their time, is ahead of the
 * database's by a tenth of a second or more, or behind it (below 0).
 * @param aheadMs by how many milliseconds it is ahead now
 */
export function compareClock(aheadMs: () => number): void {
  ownAheadMs = aheadMs;
}

function ownClock(): { clockAheadMs?: number } {
  const clockAheadMs = Math.round(ownAheadMs());
  return Math.abs(clockAheadMs) < NOTED_MS ? {} : { clockAheadMs };
}

const withOwnClock = (record: LogRecord): LogRecord => ({
  ...record,
  properties: { ...record.properties, ...ownClock() },
});

/** Sends warnings of the runtime to the log. */
export function logWarnings(): void {
  console.warn = (...texts: unknown[]) =>
    log.warn("warning from the runtime", { error: texts.map(String).join(" ") });
}

/** The fields of an error for the log, without the query parameters that drizzle adds to its message. */
export function describeError(error: unknown): { error: string; stack?: string } {
  if (error instanceof DrizzleQueryError) return describeError(error.cause);
  if (!(error instanceof Error)) return { error: String(error) };
  return { error: error.message, ...(error.stack && { stack: error.stack }) };
}

/** Logs the error of a task that may fail. */
export const logFailure = (what: string) => (error: unknown) =>
  log.error(what, describeError(error));

const toStderr = (line: string) => process.stderr.write(`${line}\n`);

const asJson = ({ timestamp, level, message, properties }: LogRecord) =>
  printable(
    JSON.stringify({
      time: new Date(timestamp).toISOString(),
      level,
      message: message.join(""),
      ...properties,
    }),
  );

/** Values are JSON, which escapes line breaks. */
function asText({ timestamp, level, message, properties }: LogRecord): string {
  const facts = Object.entries(properties).map(
    ([name, value]) => `${name}=${JSON.stringify(value)}`,
  );
  return printable(
    [new Date(timestamp).toISOString(), level, message.join(""), ...facts].join(" "),
  );
}

const printable = (line: string) => visible(masked(line));

const SILENT_MS = 60_000;
const MOST_KNOWN = 200;

type Known = { loggedAt: number; repeated: number };

/**
 * Logs an identical failure once a minute with the number of repetitions, so that a database that is down for an hour
 * does not fill the disk.
 */
function suppressRepeats(sink: Sink): Sink {
  const known = new LRUCache<string, Known>({ max: MOST_KNOWN });
  return (record) => {
    if (!("error" in record.properties)) return sink(record);
    const key = textOf(record);
    const before = known.get(key);
    const age = before ? record.timestamp - before.loggedAt : SILENT_MS;
    // Also logs it when the clock was set back.
    if (before && age >= 0 && age < SILENT_MS) {
      before.repeated++;
      return;
    }
    known.set(key, { loggedAt: record.timestamp, repeated: 0 });
    sink(before?.repeated ? withCount(record, before.repeated) : record);
  };
}

/** Without the stack. */
function textOf({ level, message, properties: { stack: _, ...facts } }: LogRecord): string {
  return JSON.stringify([level, message, facts]);
}

const withCount = (record: LogRecord, repeated: number): LogRecord => ({
  ...record,
  properties: { ...record.properties, repeated },
});

/** Longer values of a query are cut: a link's URL may carry a whole session in one. */
const VALUE_LENGTH = 200;

const FIELD =
  "(?:(?:new|current|setup|metrics)_)?(?:password|secret|token|code|totp|cookie|session|authorization)";

/** Patterns of secrets, and their replacements. */
const SECRETS: [what: RegExp, shown: string][] = [
  // The start of an API key stays, as in the dashboard.
  [/\b(su_[0-9A-Za-z]{6})[0-9A-Za-z]{20,}/g, "$1…"],
  [/whsec_[\w+/=-]+/g, "whsec_…"],
  // User names and passwords in URLs.
  [/(\w:\/\/)[^\s/?#"'@]+@/g, "$1…@"],
  [/\b(bearer|basic) +[\w.~+/=-]{4,}/gi, "$1 …"],
  // Fields of JSON and of JSON within it, then those of a line of text, of forms and of cookies.
  [new RegExp(`("${FIELD}": ?")(?:[^"\\\\]|\\\\.)+`, "gi"), "$1…"],
  [new RegExp(`(\\\\"${FIELD}\\\\": ?\\\\")(?:[^"\\\\]|\\\\\\\\\\\\?.)+`, "gi"), "$1…"],
  [new RegExp(`(\\b${FIELD}=")(?:[^"\\\\]|\\\\.)+`, "gi"), "$1…"],
  [new RegExp(`(\\b${FIELD}=)[^\\s"\\\\,;&}]+`, "gi"), "$1…"],
  // Setup tokens and recovery codes, as they are typed.
  [/\b(?:[A-Z2-7]{5}-){5}[A-Z2-7]{5}\b/gi, "…"],
  [/\b(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}\b/gi, "…"],
  // Values of cookies and one-time links: 256 bits in base64url.
  [/(?<![\w-])[\w-]{43}(?![\w-])/g, "…"],
  [new RegExp(`([?&][^=&\\s"]+=[^&\\s"]{${VALUE_LENGTH}})[^&\\s"]+`, "g"), "$1…"],
];

/** Masks keys, passwords, tokens, codes and cookies. */
const masked = (line: string): string =>
  SECRETS.reduce((text, [what, shown]) => text.replace(what, shown), line);

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Escapes control characters, line separators and changes of the text direction, which would affect a terminal or a
 * reader of lines.
 */
const visible = (text: string): string => text.replace(UNPRINTABLE, escaped);

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/**
 * Logs once when failures begin, and once when they end.
 * @returns a function to call after each attempt, with its error or null
 */
export function logTransitions(
  begins: (error: unknown) => void,
  ends = () => {},
): (error: unknown) => void {
  let isOn = false;
  return (error) => {
    const wasOn = isOn;
    isOn = error !== null;
    if (isOn && !wasOn) begins(error);
    if (!isOn && wasOn) ends();
  };
}
