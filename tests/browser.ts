import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import { eq } from "drizzle-orm";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  firefox,
  type Locator,
  type Page,
  chromium as playwright,
} from "playwright-core";
import { createSession } from "../server/accounts/sessions.ts";
import { createAccount } from "../server/accounts/users.ts";
import type { Env } from "../server/ground/config/config.ts";
import { type UserRow, users } from "../server/ground/db/tables.ts";
import type { ROLES } from "../server/ground/lib/vocabulary.ts";
import { runImports } from "../server/links/imports/steps.ts";
import { buildDashboard } from "./build-dashboard.ts";
import { startServer, type TestServer } from "./harness.ts";
import { closeAtEnd } from "./shared.ts";

/** A page of a real browser, and what must never happen on any. */
export type Visitor = {
  page: Page;
  /** Violations of the content policy, requests to elsewhere, errors and pop-ups of scripts. */
  complaints: string[];
};

type Role = (typeof ROLES)[number];

export type Looks = {
  width?: number;
  height?: number;
  colorScheme?: "light" | "dark";
  forcedColors?: "active";
  media?: "print";
};

/** A server with the dashboard, and people in front of it. */
export type Dashboard = {
  server: TestServer;
  /** Adds and previews no imported links until what it returns is called. */
  holdImports(): () => void;
  /** The id of a new account that no one is in front of. */
  account(role?: Role, also?: { isAdmin: boolean }): Promise<string>;
  stranger(looks?: Looks): Promise<Visitor>;
  /** Someone signed in to a new account, with links and keys of their own. */
  user(
    looks?: Looks,
    role?: Role,
    also?: { isAdmin: boolean },
  ): Promise<Visitor & { accountId: string }>;
  /** Another page of the owner of an account that is there. */
  again(accountId: string, looks?: Looks): Promise<Visitor>;
};

/** `npm run firefox` has the journeys run there. */
const isFirefox = process.env.STILLUP_TEST_BROWSER === "firefox";

/** Less than what ends a test that hangs, so that it reports what was waited for. */
const GIVES_UP_AFTER_MS = 60_000;

/** Runs the story in Chromium. Whatever it opens must have worked without a complaint. */
export function onDashboard(
  name: string,
  story: (dashboard: () => Dashboard) => void,
  settings: Env = {},
) {
  describe(name, () => {
    let server: TestServer;
    let imports: ReturnType<typeof keepImporting>;
    let visitors: Visitor[] = [];
    const remember = <V extends Visitor>(visitor: V) => {
      visitors.push(visitor);
      return visitor;
    };
    beforeAll(async () => {
      await buildDashboard();
      server = await startServer("sqlite", settings);
      imports = keepImporting(server);
    });
    afterEach(async () => {
      const opened = visitors;
      visitors = [];
      await closeVisitors();
      expect(opened.flatMap(({ complaints }) => complaints)).toEqual([]);
    });
    afterAll(async () => {
      await imports.end();
      await server.stop();
    });
    story(() => ({
      server,
      holdImports: imports.hold,
      account: async (role, also) => (await createOwner(server, role, also)).accountId,
      stranger: async (looks) => remember(await openVisitor(server, looks)),
      again: async (accountId, looks) => remember(await openAgain(server, accountId, looks)),
      user: async (looks, role, also) => remember(await openUser(server, looks, role, also)),
    }));
  });
}

/** Takes the steps of imports as they become due, as a running server does. */
export function keepImporting({ deps }: TestServer) {
  let running = Promise.resolve<unknown>(null);
  const run = () => {
    running = running.then(() => runImports(deps));
  };
  deps.loops.onWake(run);
  return {
    /** Nothing is added until what it returns is called. */
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      running = running.then(() => promise);
      return resolve;
    },
    end: () => running,
  };
}

/** Where someone looks, and what a clock there shows if it is not the real time. */
type Place = { url: string; clock?: { now(): number } };

/** A stranger in front of the dashboard, whose clock shows the server's time. */
export async function openVisitor(place: Place, looks: Looks = {}): Promise<Visitor> {
  const { width = 1280, height = 800, colorScheme = "light", forcedColors = "none" } = looks;
  const context = await openContext({
    baseURL: place.url,
    viewport: { width, height },
    colorScheme,
    forcedColors,
    // What moves is painted sixty times a second, and awaited by each click on it.
    reducedMotion: "reduce",
    // Firefox knows none of these, and asks no one.
    ...(isFirefox ? {} : { permissions: ["clipboard-read", "clipboard-write"] }),
  });
  context.setDefaultTimeout(GIVES_UP_AFTER_MS);
  keepCache(context, place.clock !== undefined);
  const page = context.pages()[0] ?? (await context.newPage());
  if (looks.media) await page.emulateMedia({ media: looks.media });
  tellWhatIsSeen(page);
  if (place.clock) {
    await page.clock.setFixedTime(place.clock.now());
    await page.addInitScript(loadNothingAhead);
  }
  return { page, complaints: await collectComplaints(page, place.url) };
}

type Waiting = Locator & { saysWhatIsSeen?: true };

/** Makes a wait for an element that never comes say what the page shows instead. */
function tellWhatIsSeen(anyPage: Page): void {
  const all: Waiting = Object.getPrototypeOf(anyPage.locator("body"));
  if (all.saysWhatIsSeen) return;
  all.saysWhatIsSeen = true;
  const { waitFor } = all;
  all.waitFor = async function (this: Locator, options) {
    try {
      await waitFor.call(this, options);
    } catch (error) {
      const page = this.page();
      const seen = await page.evaluate(() => document.body.innerText).catch(String);
      throw new Error(`${error}\nWhat ${page.url()} shows:\n${seen}`, { cause: error });
    }
  };
}

/**
 * The browser has no free moment, in which the dashboard loads all other pages: a hundred files, which most tests never
 * open. budget.test.ts gives it one.
 */
function loadNothingAhead() {
  const whenFree = requestIdleCallback.bind(globalThis);
  globalThis.requestIdleCallback = (then, options) =>
    options?.timeout ? whenFree(then, options) : 0;
}

/**
 * How Playwright's own test runner empties a browser's context for the next test: a third of the time of a new one,
 * since the page keeps its process. Each browser has one such context.
 */
type Reusing = Browser & {
  _newContextForReuse(options: BrowserContextOptions): Promise<BrowserContext>;
  _disconnectFromReusedContext(reason: string): Promise<void>;
};

const idle: Reusing[] = [];
const busy = new Set<Reusing>();

async function openContext(options: BrowserContextOptions): Promise<BrowserContext> {
  const browser = idle.pop() ?? ((await launch()) as Reusing);
  busy.add(browser);
  return isFirefox ? browser.newContext(options) : browser._newContextForReuse(options);
}

/**
 * Assets that were loaded stay in the browser for the next test: they never change, and no other reply may be kept.
 * A server that ends and starts is about what was loaded, so that the cache is emptied after it.
 */
function keepCache(context: BrowserContext, isKept: boolean): void {
  const { _connection } = context as unknown as Connected;
  const emptied = _connection.toImpl(context);
  if (isKept) emptied.clearCache = () => Promise.resolve();
  else delete emptied.clearCache;
}

/** The part of Playwright that empties a context runs in this process. */
type Connected = {
  _connection: { toImpl(of: BrowserContext): { clearCache?: () => Promise<void> } };
};

/** For after each test: closes what was opened, and keeps the browsers for the next one. */
export async function closeVisitors(): Promise<void> {
  const opened = [...busy];
  busy.clear();
  for (const browser of opened) {
    // A page may have asked for something just now, which a test answers.
    const answering = browser.contexts().flatMap((context) => [context, ...context.pages()]);
    for (const each of answering) await each.unrouteAll({ behavior: "ignoreErrors" });
    if (isFirefox) for (const context of browser.contexts()) await context.close();
    else await browser._disconnectFromReusedContext("The test is over.");
  }
  idle.push(...opened.reverse());
}

/** Cuts the connection, and waits until the page shows it: the browser may tell the page of it before it cuts it. */
export async function goOffline(page: Page): Promise<void> {
  await page.context().setOffline(true);
  await page.waitForFunction(isCut);
  await page.getByText(/^Connection lost at/).waitFor();
}

const isCut = () =>
  fetch("/ready").then(
    () => false,
    () => dispatchEvent(new Event("offline")),
  );

/** Another tab of the browser that has this page. */
export async function openTab(opener: Page, { url }: Place): Promise<Visitor> {
  const page = await opener.context().newPage();
  return { page, complaints: await collectComplaints(page, url) };
}

/** Someone signed in to a new account. */
export async function openUser(
  server: TestServer,
  looks: Looks = {},
  role?: Role,
  also?: { isAdmin: boolean },
) {
  const visitor = await openVisitor(server, looks);
  const { id, accountId } = await createOwner(server, role, also);
  await enter(server, visitor.page, id);
  return { ...visitor, accountId };
}

/** The first person of a new account. */
async function createOwner(
  { deps }: TestServer,
  role: Role = "owner",
  { isAdmin } = { isAdmin: false },
): Promise<UserRow> {
  const email = `${role}-${crypto.randomUUID().slice(0, 8)}@example.org`;
  const input = { email, tier: "business", passwordHash: null, isAdmin } as const;
  const { owner } = await createAccount(deps, input);
  await deps.store.update(users).set({ role }).where(eq(users.id, owner.id));
  return owner;
}

/** Another page of the owner of an account that is there. */
export async function openAgain(server: TestServer, accountId: string, looks: Looks = {}) {
  const visitor = await openVisitor(server, looks);
  const { store } = server.deps;
  const [owner] = await store.select().from(users).where(eq(users.accountId, accountId));
  await enter(server, visitor.page, owner!.id);
  return visitor;
}

/** Gives the page a session of the user. */
async function enter({ url, deps }: TestServer, page: Page, userId: string) {
  const token = await createSession(deps.store, userId, deps.clock.now());
  const cookie = { name: "session", value: token, url, httpOnly: true };
  await page.context().addCookies([cookie]);
}

/**
 * What the packagers chose for another place: in one process a closed page hangs, and rules must hold. A graphics
 * card that is played in software keeps pages waiting for seconds on a busy machine. A zygote starts processes faster.
 */
const UNWANTED = [
  "--no-zygote",
  "--single-process",
  "--in-process-gpu",
  "--disable-web-security",
  "--allow-running-insecure-content",
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--ignore-gpu-blocklist",
];

const isKept = (argument: string) => !UNWANTED.includes(argument);

/** It unpacks into the temporary folder, where what another user's run left would not start for us. */
async function unpackBrowser(): Promise<string> {
  const usual = process.env.TMPDIR;
  process.env.TMPDIR = join(tmpdir(), `stillup-browser-${userInfo().uid}`);
  mkdirSync(process.env.TMPDIR, { recursive: true });
  try {
    return await chromium.executablePath();
  } finally {
    if (usual === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = usual;
  }
}

/** Chromium, with the arguments that are wanted in addition. */
const launchChromium = async (more: string[]) =>
  playwright.launch({
    executablePath: await unpackBrowser(),
    args: [
      ...chromium.args.filter(isKept),
      "--disable-background-networking",
      "--disable-gpu",
      ...more,
    ],
  });

/** @param more arguments for Chromium */
export async function launch(...more: string[]): Promise<Browser> {
  const running = await (isFirefox
    ? firefox.launch({ channel: "moz-firefox", executablePath: "/usr/bin/firefox-esr" })
    : launchChromium(more));
  closeAtEnd(() => running.close());
  return running;
}

async function collectComplaints(page: Page, origin: string): Promise<string[]> {
  const complaints: string[] = [];
  await page.exposeFunction("complain", (text: string) => complaints.push(`policy: ${text}`));
  await page.addInitScript(() => {
    const { complain } = globalThis as unknown as { complain: (text: string) => void };
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      complain(`${violatedDirective} ${blockedURI}`),
    );
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`)) complaints.push(`request: ${request.url()}`);
  });
  page.on("pageerror", ({ message }) => complaints.push(`error: ${message}`));
  page.on("dialog", (dialog) => {
    complaints.push(`pop-up: ${dialog.message()}`);
    dialog.dismiss();
  });
  return complaints;
}
