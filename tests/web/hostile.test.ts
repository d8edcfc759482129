import { afterAll, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { storedUserAgent } from "../../server/ground/lib/text.ts";
import { discreetUrl } from "../../web/src/alerts/words.ts";
import { onDashboard } from "../browser.ts";
import { sized } from "../long.ts";
import { openAdd, urlsField } from "./adding.ts";
import { HOSTILE } from "./hostile.ts";
import { EMAILS, fillHostile, hookOf } from "./hostile-account.ts";
import { widthFaultsOf } from "./looking.ts";
import { goWithin, settled } from "./pages.ts";

/** Takes messages, and answers with everything that is bad. */
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ url }) =>
    url.endsWith("/hostile")
      ? new Response(HOSTILE.join("\n"), { status: 500, headers: { "content-type": "<b>/html" } })
      : new Response("ok"),
});
afterAll(() => receiver.stop(true));

onDashboard("A stranger's text", (dashboard) => {
  test("is text on every page, in every dialog and as a list to be imported, whatever it says", async () => {
    const { server, account, again } = dashboard();
    const accountId = await account("owner", { isAdmin: true });
    const receiverUrl = `http://127.0.0.1:${receiver.port}`;
    const { linkIds, hookIds, webhookId } = await fillHostile(server, accountId, receiverUrl);
    // High enough to show all of them in a list.
    const { page, complaints } = await again(accountId, { height: 3000 });
    const seen: Seen = { texts: new Map(), wrong: [], wide: [] };
    // What is known of a link holds all of the texts, whichever it is.
    const isSome = (n: number) => n % sized(40, 10) === 0;
    const some = (ids: string[], path: string) =>
      ids.filter((_, n) => isSome(n)).map((id) => `${path}/${id}`);

    await page.goto("/nowhere");
    for (const path of PAGES) await visit(page, path, seen);
    for (const path of some(linkIds, "/links")) await visit(page, path, seen, "link");
    for (const path of some(hookIds, "/alerts")) await visit(page, path, seen, "hook");
    await visit(page, `/alerts/${webhookId}?result=failed`, seen, "alert");
    await importAll(page, seen);

    expect(seen.wrong).toEqual([]);
    expect(seen.wide).toEqual([]);
    expect(complaints).toEqual([]);
    const missingOn = (name: string, texts: readonly string[]) =>
      texts.filter((text) => !seen.texts.get(name)?.includes(text));
    for (const name of ["link", "links", "groups", "keys", "activity"]) {
      expect([name, missingOn(name, HOSTILE)]).toEqual([name, []]);
    }
    // What becomes of this sign in a URL differs from browser to browser.
    const plain = HOSTILE.filter((text, n) => isSome(n) && !text.includes("|"));
    const urls = plain.map((text) =>
      discreetUrl({ url: hookOf(text), format: "standard", url_state: "full" }),
    );
    expect(missingOn("hook", urls)).toEqual([]);
    expect(missingOn("alert", HOSTILE)).toEqual([]);
    const programs = HOSTILE.map((text) => storedUserAgent(text) ?? "");
    expect(missingOn("sessions", programs)).toEqual([]);
    expect(missingOn("accounts", EMAILS)).toEqual([]);
    expect(missingOn("people", EMAILS)).toEqual([]);
    expect(missingOn("import", LINES)).toEqual([]);
    expect(EMAILS.length).toBeGreaterThan(20);
  });
});

/** Where what strangers wrote is shown. */
const PAGES = [
  ...["/", "/links?sort=-created_at", "/sites", "/changes", "/alerts"],
  ...["people", "sessions", "groups", "views", "hosts", "keys", "activity", "accounts"].map(
    (section) => `/settings/${section}`,
  ),
];

/** The texts as lines of a list. */
const LINES = HOSTILE.map((text) => text.trim().replace(/[\t\u2028\u2029]/g, " "));

/** As a list of links, and as names of groups in a table. */
async function importAll(page: Page, seen: Seen): Promise<void> {
  const table = ["url,group", ...LINES.map((line) => `https://example.org/,${quoted(line)}`)];
  await openAdd(page);
  for (const list of [LINES, table]) {
    await urlsField(page).fill(list.join("\n"));
    await page.getByRole("button", { name: /^Add \d/ }).waitFor();
    await inspect(page, "import", seen);
  }
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** What was read on the pages of each kind, and what should not be on them. */
type Seen = { texts: Map<string, string>; wrong: string[]; wide: string[] };

/** @param kind what the page shows, unless its address says so */
async function visit(page: Page, path: string, seen: Seen, kind = kindOf(path)): Promise<void> {
  await goWithin(page, path);
  await openAll(page, page.getByRole("button", { name: /^Show (\d+ |older )?(more|messages)/ }));
  await openAll(page, page.locator("details:not([open]) > summary"));
  await inspect(page, kind, seen);
  await lookOnPhone(page, kind, seen);
  const buttons = (named: RegExp) => page.locator("#main").getByRole("button", { name: named });
  for (const opener of (await buttons(OPENERS).all()).slice(-MOST_OPENED)) {
    await opener.click();
    await inspect(page, `${kind} dialog`, seen);
    await page.keyboard.press("Escape");
  }
  for (const menu of (await buttons(MENUS).all()).slice(-MOST_OPENED)) {
    await menu.click();
    const names = await page.getByRole("menuitem").allTextContents();
    for (const name of names.filter((each) => ITEMS.test(each))) {
      await page.getByRole("menuitem", { name }).click();
      await inspect(page, `${kind} dialog`, seen);
      await page.keyboard.press("Escape");
      await menu.click();
    }
    await page.keyboard.press("Escape");
  }
  const messages = await page.locator(".msgs a").evaluateAll(hrefsOf);
  for (const href of messages.slice(0, MOST_OPENED)) {
    await goWithin(page, href);
    await page.getByRole("heading", { name: "Attempts" }).waitFor();
    await inspect(page, kind, seen);
  }
}

const kindOf = (path: string) => /^\/(?:settings\/)?(\w*)/.exec(path)![1] || "overview";

/** What opens a dialog, a choice or a form at once. */
const OPENERS = /^(Edit|End the session of|Role of|Plan of|Group:)/;
/** What opens a menu that leads to dialogs. */
const MENUS = /^More (for|about) /;
const ITEMS = /^(Edit|Rotate|Revoke|New password link|Remove|Delete account)/;
const MOST_OPENED = sized(1, 3);

/** Clicks them, and what comes up in their place, until none is left. */
async function openAll(page: Page, openers: Locator): Promise<void> {
  while ((await openers.evaluateAll(clickIdle)) > 0) await settled(page);
}

const clickIdle = (all: Element[]) => {
  for (const each of all) if (each.ariaBusy !== "true") (each as HTMLElement).click();
  return all.length;
};

async function inspect(page: Page, kind: string, seen: Seen): Promise<void> {
  const { text, wrong } = await page.evaluate(look);
  seen.texts.set(kind, `${seen.texts.get(kind) ?? ""}\n${text}`);
  seen.wrong.push(...wrong.map((what) => `${kind}: ${what}`));
  await measure(page, kind, seen);
}

async function lookOnPhone(page: Page, kind: string, seen: Seen): Promise<void> {
  const desk = page.viewportSize()!;
  await page.setViewportSize({ ...desk, width: 375 });
  await measure(page, `${kind} on a telephone`, seen);
  await page.setViewportSize(desk);
}

async function measure(page: Page, kind: string, seen: Seen): Promise<void> {
  const wide = await widthFaultsOf(page);
  seen.wide.push(...wide.map((what) => `${page.url()} (${kind}): ${what}`));
}

const hrefsOf = (all: Element[]) => all.map((each) => each.getAttribute("href")!);

/** Runs in the page: what is read there, and whatever became more than text. */
function look() {
  const { body } = document;
  const strange =
    "script, style, iframe, object, embed, img, base, meta, math, form[action], " +
    "[onerror], [onload], [onmouseover], [srcdoc], [formaction]";
  const wrong = [...body.querySelectorAll(strange)].map((each) => each.outerHTML);
  for (const a of body.querySelectorAll<HTMLAnchorElement>("a[href]")) {
    const isOwn = a.origin === location.origin;
    const rel = a.target === "_blank" ? a.rel : "";
    if (!/^https?:$/.test(a.protocol) || !(isOwn || rel === "noopener noreferrer nofollow")) {
      wrong.push(a.outerHTML);
    }
  }
  const values = [...body.querySelectorAll("input, textarea, option")].map(
    (field) => (field as HTMLInputElement).value,
  );
  // What misleads is shown encoded; the title says what is stored.
  const titles = [...body.querySelectorAll("[title]")].map((each) => each.getAttribute("title"));
  const text = [body.textContent, ...values, ...titles].join("\n");
  return { text, wrong };
}
