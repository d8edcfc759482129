import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout } from "bun:test";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import { eq } from "drizzle-orm";
import { type Browser, type Page, chromium as playwright } from "playwright-core";
import { createAccount } from "../server/accounts/users.ts";
import { newSession } from "../server/session/sessions.ts";
import { type ROLES, users } from "../server/store/tables.ts";
import { startServer, type TestServer } from "./harness.ts";
import { closeAtEnd } from "./shared.ts";

/** A page of a real browser, and what must never happen on any. */
type Visitor = {
  page: Page;
  /** Violations of the content policy, requests to elsewhere, errors and pop-ups of scripts. */
  complaints: string[];
};

type Role = (typeof ROLES)[number];

type Looks = { width?: number; height?: number; colorScheme?: "light" | "dark" };

/** A server with the dashboard, and people in front of it. */
export type Dashboard = {
  server: TestServer;
  stranger(looks?: Looks): Promise<Visitor>;
  /** Someone signed in to a new account, whose links and keys are nobody else's. */
  user(looks?: Looks, role?: Role): Promise<Visitor & { accountId: string }>;
};

const PATIENCE_MS = 30_000;

/** Runs the story in Chromium. Whatever it opens must have worked without a complaint. */
export function onDashboard(name: string, story: (dashboard: () => Dashboard) => void) {
  setDefaultTimeout(PATIENCE_MS);
  describe(name, () => {
    let server: TestServer;
    let visitors: Visitor[] = [];
    const remember = <V extends Visitor>(visitor: V) => {
      visitors.push(visitor);
      return visitor;
    };
    beforeAll(async () => {
      await buildDashboard();
      server = await startServer("sqlite");
    });
    afterEach(async () => {
      const opened = visitors;
      visitors = [];
      await Promise.all(opened.map(({ page }) => page.context().close()));
      expect(opened.flatMap(({ complaints }) => complaints)).toEqual([]);
    });
    afterAll(() => server.stop());
    story(() => ({
      server,
      stranger: async (looks) => remember(await openVisitor(server, looks)),
      user: async (looks, role) => remember(await openUser(server, looks, role)),
    }));
  });
}

let browser: Promise<Browser> | undefined;

/** A stranger in front of the dashboard, whose clock shows the server's time. */
async function openVisitor(server: TestServer, looks: Looks = {}): Promise<Visitor> {
  browser ??= launch();
  const { width = 1280, height = 800, colorScheme = "light" } = looks;
  const context = await (await browser).newContext({
    baseURL: server.url,
    viewport: { width, height },
    colorScheme,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  await page.clock.setFixedTime(server.clock.now());
  return { page, complaints: await collectComplaints(page, server.url) };
}

async function openUser(server: TestServer, looks: Looks = {}, role: Role = "owner") {
  const visitor = await openVisitor(server, looks);
  const { store, clock } = server.deps;
  const email = `${role}-${crypto.randomUUID().slice(0, 8)}@example.org`;
  const input = { email, tier: "business", passwordHash: null, isAdmin: false } as const;
  const { owner, account } = await createAccount(server.deps, input);
  const { token, insert } = newSession(store, owner.id, clock.now());
  await store.write([insert, store.update(users).set({ role }).where(eq(users.id, owner.id))]);
  const cookie = { name: "session", value: token, url: server.url, httpOnly: true };
  await visitor.page.context().addCookies([cookie]);
  return { ...visitor, accountId: account.id };
}

/** Builds the dashboard unless it is there and newer than its source. */
async function buildDashboard(): Promise<void> {
  const root = join(import.meta.dir, "..");
  const built = newest(join(root, "web/dist"));
  if (built > newest(join(root, "web/src"))) return;
  const vite = Bun.spawn([join(root, "node_modules/.bin/vite"), "build", "web"], {
    cwd: root,
    // As it is shipped: the test runner's own value would build it for development.
    env: { ...process.env, NODE_ENV: "production" },
    stdout: "ignore",
    stderr: "inherit",
  });
  if ((await vite.exited) !== 0) throw new Error("vite could not build the dashboard");
}

/** What the packagers chose for another place: in one process a closed page hangs, and rules must hold. */
const UNWANTED = [
  "--single-process",
  "--in-process-gpu",
  "--disable-web-security",
  "--allow-running-insecure-content",
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

async function launch(): Promise<Browser> {
  const running = await playwright.launch({
    executablePath: await unpackBrowser(),
    args: [...chromium.args.filter(isKept), "--disable-background-networking"],
  });
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

/** The time of the last change of anything in the folder; 0 when it is not there. */
function newest(folder: string): number {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    return Math.max(0, ...names.map((name) => statSync(join(folder, name)).mtimeMs));
  } catch {
    return 0;
  }
}
