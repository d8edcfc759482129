import { afterAll, beforeAll, describe, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKey } from "../server/accounts/keys.ts";
import { createService } from "../server/app/app.ts";
import { createDeps, linkChecks } from "../server/app/build.ts";
import { type Config, type Env, readConfig } from "../server/ground/config/config.ts";
import { migrateToHead, openEngine } from "../server/ground/db/open.ts";
import { takeNumbers } from "../server/ground/db/queries.ts";
import { accounts } from "../server/ground/db/tables.ts";
import { newId } from "../server/ground/lib/ids.ts";
import type { Tier } from "../server/ground/lib/vocabulary.ts";
import { type Caller, OPERATOR } from "../server/http/caller.ts";
import type { Front } from "../server/http/front.ts";
import type { CheckLink } from "../server/judge/create-check.ts";
import type { Deps } from "../server/work/deps.ts";
import { makeChange } from "../server/work/unit.ts";
import { type MovableClock, movableClock } from "./clock.ts";
import { watched } from "./contract.ts";
import { dropPostgres, freshPostgres } from "./postgres.ts";
import { newScratchFolder } from "./scratch.ts";
import { watchedStore } from "./statements.ts";

export const START = "2030-01-01T00:00:00.000Z";
export const ENGINES = ["sqlite", "postgres"] as const;
type EngineName = (typeof ENGINES)[number];

/** What JSON says, as `JSON.parse` gives it: a test reads replies as they come. */
export type Parsed = ReturnType<typeof JSON.parse>;

/** A reply as a test looks at it: status, headers and the parsed body. */
export type Reply = { status: number; headers: Headers; body: Parsed };

export type Asker = {
  accountId: string;
  accountNo: number;
  key: string;
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  delete(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
};

/** The whole service on a fresh database and a real socket, with a clock that the test moves. */
export type TestServer = {
  url: string;
  deps: Deps;
  clock: MovableClock;
  config: Config;
  /** The same as over the socket, for what no client can send. */
  front: Front;
  flushMeter(): Promise<void>;
  /** A real check of a URL, with all its looks. */
  check: CheckLink;
  /** A new account with a key for everything, or for what is said. */
  account(tier?: Tier): Promise<Asker>;
  asker(key: string, account?: Pick<Caller, "accountId" | "accountNo">): Asker;
  stop(): Promise<void>;
};

/** Tests reach out to this machine only, ask no one about it, and know no host's politeness but their own. */
const TEST_SETTINGS: Env = {
  STILLUP_SENTINELS: "",
  STILLUP_CHECK_ALLOWED_HOSTS: "external,loopback",
  STILLUP_WEBHOOK_ALLOWED_HOSTS: "external,loopback",
  STILLUP_HOST_GAP_MS: "0",
  STILLUP_CONFIRM_DELAYS_MS: "0,0,0",
};

/** Far less than the setting allows, so that hashing passwords does not take most of the time of tests. */
export const PASSWORD_MEMORY_MB = 1;

/** @param waitMs how long SQLite waits for another process that writes */
export async function startServer(
  engineName: EngineName,
  settings: Env = {},
  waitMs?: number,
): Promise<TestServer> {
  const folder = newScratchFolder("stillup-test-");
  const databaseUrl = engineName === "postgres" ? await freshPostgres() : await freshSqlite(folder);
  const config = configOf({
    STILLUP_DATA_DIR: folder,
    STILLUP_DATABASE_URL: databaseUrl,
    ...settings,
  });
  // Waits inside a check pass at once; everything else stands until the test moves the clock.
  const clock = movableClock(START, { autoMove: true });
  const engine = openEngine(config.databaseUrl, { waitMs, litestream: config.litestream });
  await migrateToHead(engine, clock.now());
  const made = createDeps(config, watchedStore(engine), clock);
  // The clock is moved, by which it would lag for days.
  const { check, read } = linkChecks(made, { worstSince: () => 0 });
  const deps = { ...made, tryLink: check, readSource: read };
  const { front: bare, meter } = await createService(deps);
  const front = watched(bare);
  const server = Bun.serve({
    port: settings.STILLUP_PORT === undefined ? 0 : config.port,
    hostname: "127.0.0.1",
    fetch: front,
    maxRequestBodySize: 51 << 20,
    // As long as a line of events may be silent, and longer.
    idleTimeout: 60,
  });
  const url = `http://127.0.0.1:${server.port}`;
  const asker: TestServer["asker"] = (key, account) => createAsker(url, key, account);
  return {
    url,
    deps,
    clock,
    config,
    front,
    flushMeter: meter.flush,
    check,
    asker,
    account: async (tier = "business") => {
      const caller = await newAccount(deps, tier);
      const { value } = await makeChange(deps, caller, (unit) =>
        createKey(unit, caller, { name: "test" }),
      );
      return asker(value, caller);
    },
    stop: async () => {
      await server.stop(true);
      await engine.close();
      if (engineName === "postgres") await dropPostgres(databaseUrl);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configOf(settings: Env): Config {
  const config = readConfig({ ...TEST_SETTINGS, ...settings });
  return "STILLUP_PASSWORD_MEMORY_MB" in settings
    ? config
    : { ...config, passwordMemoryMb: PASSWORD_MEMORY_MB };
}

let sqliteTemplate: Promise<Uint8Array> | undefined;

/** Copies a migrated database into the folder, which takes a hundredth of the time of migrating it. */
async function freshSqlite(folder: string): Promise<string> {
  const file = join(folder, "stillup.db");
  sqliteTemplate ??= makeSqliteTemplate();
  writeFileSync(file, await sqliteTemplate);
  return `sqlite:${file}`;
}

async function makeSqliteTemplate(): Promise<Uint8Array> {
  const folder = newScratchFolder("stillup-template-");
  const file = join(folder, "stillup.db");
  const engine = openEngine(`sqlite:${file}`);
  await migrateToHead(engine, Date.parse(START));
  await engine.close();
  const content = readFileSync(file);
  rmSync(folder, { recursive: true });
  return content;
}

/**
 * Runs the story on both databases, for what SQL decides: searches, order, races, unique values. `server()` is shared by
 * its tests, each of which makes its own account.
 */
export function onBothEngines(name: string, story: Story, settings: Env = {}) {
  describe.each(ENGINES)(`${name} on %s`, (engineName) => onEngine(engineName, story, settings));
}

/**
 * Runs the story on SQLite. What SQL decides is declared with `testOnBoth`, and runs on PostgreSQL as well; a story of
 * nothing else uses `onBothEngines`.
 */
export function onServer(
  name: string,
  story: (server: () => TestServer, tests: Declare) => void,
  settings: Env = {},
) {
  const onSqlite = { test, testOnBoth: test };
  describe(name, () => onEngine("sqlite", (server) => story(server, onSqlite), settings));
  if (story.length < 2) return;
  const onPostgres = { test: DECLARES_NOTHING, testOnBoth: test };
  describe(`${name} on postgres`, () =>
    onEngine("postgres", (server) => story(server, onPostgres), settings));
}

type Story = (server: () => TestServer) => void;
type Declare = { test: typeof test; testOnBoth: typeof test };

/** In place of `test` in a story that has run already. */
const DECLARES_NOTHING = Object.assign(() => {}, {
  each: () => () => {},
}) as unknown as typeof test;

function onEngine(engineName: EngineName, story: Story, settings: Env) {
  let running: TestServer;
  beforeAll(async () => {
    running = await startServer(engineName, settings);
  }, STARTS_WITHIN_MS);
  afterAll(() => running.stop());
  story(() => running);
}

/** The first start of PostgreSQL in a run makes its files, which takes seconds on a busy machine. */
export const STARTS_WITHIN_MS = 300_000;

let accountsMade = 0;

async function newAccount({ store, clock }: Deps, tier: Tier): Promise<Caller> {
  const id = newId();
  const email = `user${++accountsMade}@example.org`;
  const no = await takeNumbers(store, 1);
  const createdAt = clock.now();
  await store.insert(accounts).values({ id, email, tier, createdAt, no, historySince: 0 });
  return {
    accountId: id,
    accountNo: no,
    tier,
    permissions: { read: true, write: true },
    by: OPERATOR,
  };
}

function createAsker(
  url: string,
  key: string,
  { accountId, accountNo } = { accountId: "", accountNo: 0 },
): Asker {
  const ask =
    (method: string) =>
    async (path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> => {
      const type = body === undefined ? {} : { "content-type": "application/json" };
      const response = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${key}`, ...type, ...headers },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get("content-type")?.startsWith("application/json");
      return {
        status: response.status,
        headers: response.headers,
        body: isJson ? JSON.parse(text) : text,
      };
    };
  return {
    accountId,
    accountNo,
    key,
    get: (path, headers) => ask("GET")(path, undefined, headers),
    post: ask("POST"),
    patch: ask("PATCH"),
    delete: ask("DELETE"),
  };
}
