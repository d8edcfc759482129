import { afterAll, beforeAll, expect } from "bun:test";
import type { Env } from "../../server/ground/config/config.ts";
import { ENGINES, STARTS_WITHIN_MS, startServer, type TestServer } from "../harness.ts";

type Compare = (story: (server: TestServer) => Promise<unknown>) => () => Promise<void>;

/** Starts a server on each database. A story that is given to the result must come to the same on both. */
export function compareEngines(settings: Env = {}): Compare {
  const servers: TestServer[] = [];
  beforeAll(async () => {
    for (const engine of ENGINES) servers.push(await startServer(engine, settings));
  }, STARTS_WITHIN_MS);
  afterAll(() => Promise.all(servers.map((server) => server.stop())));
  return (story) => async () => {
    const came: unknown[] = [];
    for (const server of servers) came.push(withoutChance(await story(server)));
    const [onSqlite, onPostgres] = came;
    expect(onPostgres).toEqual(onSqlite);
  };
}

const SECRETS =
  /^(key|token|secret|signing_secret|otpauth_uri|prefix|recovery_codes|next|cursor|live|uri)$/;
const IS_MOMENT = 1e12;

/** What differs from run to run, and is named by the order in which it comes. */
const RANDOM: [name: string, pattern: RegExp][] = [
  ["id", /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(-[a-z0-9]{8})?/g],
  ["e-mail", /[\w-]+\d+@example\.org/g],
  ["page", /example\.(?:org|com)\/page-\d+/g],
  ["address", /\b(10\.0|127\.0\.0)\.\d+(\.\d+)?(:\d+)?/g],
  ["key", /\bsu_\w+/g],
  ["message", /\bmsg_\w+/g],
  ["change", /\b\d{13}-\d+\b/g],
  ["session", /\b[0-9a-f]{16}\b/g],
];

/** The same value with random parts replaced, and without moments and durations. */
function withoutChance(value: unknown): unknown {
  const text = JSON.stringify(value, (key, each) => {
    if (SECRETS.test(key) && each !== null) return "a secret";
    if (typeof each !== "number") return each;
    return each > IS_MOMENT || /(_ms|Seconds|_seconds)$/.test(key) ? "a time" : each;
  });
  const timeless = (text ?? "null").replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "a moment");
  return JSON.parse(RANDOM.reduce((rest, [name, pattern]) => named(rest, name, pattern), timeless));
}

function named(text: string, name: string, pattern: RegExp): string {
  const known = new Map<string, string>();
  return text.replace(pattern, (found) => {
    if (!known.has(found)) known.set(found, `${name} ${known.size + 1}`);
    return known.get(found)!;
  });
}
