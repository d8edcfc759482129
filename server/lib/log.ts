import { configure, getLogger, type LogLevel, type LogRecord, type Sink } from "@logtape/logtape";
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
  configure({
    reset: true,
    sinks: {
      lines: suppressRepeats((record) =>
        write(format === "json" ? asJson(record) : asText(record)),
      ),
    },
    loggers: [
      { category: "stillup", lowestLevel: level, sinks: ["lines"] },
      { category: ["logtape", "meta"], lowestLevel: "warning", sinks: ["lines"] },
    ],
  });

/**
 * A line in the format of the log for what must be shown whatever the log's level is, unmasked: the set-up link, and
 * the error that a server ends with.
 */
export const lineIn = (format: LogOptions["format"], level: LogLevel, message: string): string =>
  format === "json"
    ? visible(JSON.stringify({ time: new Date().toISOString(), level, message }))
    : message;

/** What the runtime says of its own accord becomes lines of the log as well. */
export function logWarnings(): void {
  console.warn = (...said: unknown[]) =>
    log.warn("the runtime warns", { error: said.map(String).join(" ") });
}

/** What an error says, without the parameters that drizzle puts into its message; as facts of a line. */
export function describeError(error: unknown): { error: string; stack?: string } {
  if (error instanceof DrizzleQueryError) return describeError(error.cause);
  if (!(error instanceof Error)) return { error: String(error) };
  return { error: error.message, ...(error.stack && { stack: error.stack }) };
}

/** For what goes on although something of it failed. */
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

/** A line stays a line: what came from outside is written as JSON, which escapes line breaks. */
function asText({ timestamp, level, message, properties }: LogRecord): string {
  const facts = Object.entries(properties).map(
    ([name, value]) => `${name}=${JSON.stringify(value)}`,
  );
  return printable(
    [new Date(timestamp).toISOString(), level, message.join(""), ...facts].join(" "),
  );
}

const printable = (line: string) => visible(masked(line));

/** A repeated failure is logged once in this time. */
const SILENT_MS = 60_000;
const MOST_KNOWN = 200;

type Known = { toldAt: number; repeated: number };

/**
 * Tells a failure that comes again and again, word for word, once a minute and how often it came meanwhile: a
 * database that is away for an hour must not fill the disk of the log.
 */
function suppressRepeats(tell: Sink): Sink {
  const known = new LRUCache<string, Known>({ max: MOST_KNOWN });
  return (record) => {
    if (!("error" in record.properties)) return tell(record);
    const key = textOf(record);
    const before = known.get(key);
    const age = before ? record.timestamp - before.toldAt : SILENT_MS;
    // A clock that is set back tells it too.
    if (before && age >= 0 && age < SILENT_MS) {
      before.repeated++;
      return;
    }
    known.set(key, { toldAt: record.timestamp, repeated: 0 });
    tell(before?.repeated ? withCount(record, before.repeated) : record);
  };
}

/** Everything but the stack. */
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

/** What is never to be read in a log, wherever it came from, and what stands there instead. */
const SECRETS: [what: RegExp, shown: string][] = [
  // Keys of the API are known by their beginning, as the dashboard shows them.
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

/** The line without secrets: neither keys nor passwords, tokens, codes and cookies. */
const masked = (line: string): string =>
  SECRETS.reduce((text, [what, shown]) => text.replace(what, shown), line);

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Written out what a terminal would obey or a reader of lines would break at: control characters, line
 * separators, and what turns the direction of a text.
 */
const visible = (text: string): string => text.replace(UNPRINTABLE, escaped);

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/**
 * Repeated trouble is logged once when it begins and once when it is over.
 * @returns what is to hear how each attempt went: null where it went well
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
