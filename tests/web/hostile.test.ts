import { afterAll, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { storedUserAgent } from "../../server/lib/text.ts";
import { discreetUrl } from "../../web/src/lib/webhook-words.ts";
import { onDashboard } from "../browser.ts";
import { sized } from "../long.ts";
import { HOSTILE } from "./hostile.ts";
import { EMAILS, fillHostile, hookOf } from "./hostile-account.ts";
import { pagesFor, type Sight, settled } from "./pages.ts";
import { fillShowcase } from "./showcase.ts";
import { fillTeam } from "./team.ts";

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
  async function hostileAccount() {
    const { server, user, again } = dashboard();
    const { accountId } = await user({}, "owner", { isAdmin: true });
    const receiverUrl = `http://127.0.0.1:${receiver.port}`;
    const ids = await fillShowcase(server, accountId, `${receiverUrl}/hook`);
    await fillTeam(server, accountId);
    const hostile = await fillHostile(server, accountId, receiverUrl);
    const visitor = await again(accountId);
    return { ...visitor, ...hostile, sights: pagesFor({ ...ids, webhook: hostile.webhookId }) };
  }

  test("is text on every page and in every dialog, whatever it says", async () => {
    const { page, complaints, sights, linkIds, webhookId } = await hostileAccount();
    const seen: Seen = { texts: new Map(), wrong: [], wide: [] };
    // What is known of a link holds all of the texts, whichever it is.
    const some = linkIds.filter((_, n) => n % sized(30, 10) === 0);
    const links = some.map((id) => ({ name: "link", path: `/links/${id}` }));
    const second = [
      "/links?page=2",
      "/links?search=a&page=2",
      "/history?page=2",
      "/groups?page=2",
      "/keys?page=2",
    ];
    const more = second.map((path) => ({ name: path.slice(1).split("?")[0]!, path }));
    const failed = { name: "webhook", path: `/webhooks/${webhookId}?status=failed` };

    for (const sight of [...sights, ...more, ...links, failed]) await visit(page, sight, seen);

    expect(seen.wrong).toEqual([]);
    expect(seen.wide).toEqual([]);
    expect(complaints).toEqual([]);
    const missingOn = (name: string, texts: readonly string[]) =>
      texts.filter((text) => !seen.texts.get(name)?.includes(text));
    for (const name of ["link", "links", "history", "groups", "keys", "activity"]) {
      expect([name, missingOn(name, HOSTILE)]).toEqual([name, []]);
    }
    // What becomes of this sign in a URL differs from browser to browser.
    const plain = HOSTILE.filter((text) => !text.includes("|"));
    const hooks = plain.map((text) =>
      discreetUrl({ url: hookOf(text), format: "standard", url_state: "full" }),
    );
    expect(missingOn("webhooks", hooks)).toEqual([]);
    expect(missingOn("webhook", HOSTILE)).toEqual([]);
    expect(
      missingOn(
        "account",
        HOSTILE.map((text) => storedUserAgent(text) ?? ""),
      ),
    ).toEqual([]);
    expect(missingOn("admin", EMAILS)).toEqual([]);
    expect(missingOn("people", EMAILS)).toEqual([]);
    expect(EMAILS.length).toBeGreaterThan(20);
  });

  test("is text when it is a list to be imported, too", async () => {
    const { page } = await dashboard().user({ height: 3000 });
    const lines = HOSTILE.map((text) => text.trim().replace(/[\t\u2028\u2029]/g, " "));
    const seen: Seen = { texts: new Map(), wrong: [], wide: [] };
    const table = ["url,group", ...lines.map((line) => `https://example.org/,${quoted(line)}`)];

    for (const list of [lines, table]) {
      await page.goto("/links/new");
      await page.getByRole("textbox", { name: "URLs" }).fill(list.join("\n"));
      await page.getByRole("button", { name: "Review" }).click();
      await page.getByRole("list", { name: "Lines" }).waitFor();
      await inspect(page, "import", seen);
    }

    expect([seen.wrong, seen.wide]).toEqual([[], []]);
    expect(lines.filter((line) => !seen.texts.get("import")!.includes(line))).toEqual([]);
  });
});

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** What was read on the pages of each kind, and what should not be on them. */
type Seen = { texts: Map<string, string>; wrong: string[]; wide: string[] };

async function visit(page: Page, { name, path }: Sight, seen: Seen): Promise<void> {
  await page.goto(path);
  await settled(page);
  const kind = name.split("-")[0]!;
  await openAll(page.getByRole("button", { name: /^Show \d+ more$/ }));
  await openAll(page.locator("details:not([open]) > summary"));
  await inspect(page, kind, seen);
  for (const title of OPENERS) {
    const openers = page.locator("#main").getByTitle(title, { exact: true });
    for (const opener of (await openers.all()).slice(-MOST_OPENED)) {
      await opener.click();
      await inspect(page, `${kind} dialog`, seen);
      await page.keyboard.press("Escape");
    }
  }
  for (const name of ["Edit", "Delete", "Rotate"]) {
    const opener = page.locator("#main").getByRole("button", { name, exact: true });
    if ((await opener.count()) !== 1 || (await opener.getAttribute("title"))) continue;
    await opener.click();
    await inspect(page, `${kind} dialog`, seen);
    await page.keyboard.press("Escape");
  }
  const deliveries = await page.locator(".rows.deliveries a.url").evaluateAll(hrefsOf);
  for (const href of deliveries.slice(0, MOST_OPENED)) {
    await page.goto(href);
    await page.getByRole("heading", { name: "Attempts" }).waitFor();
    await inspect(page, kind, seen);
  }
}

/** The dialogs of a list's rows, by the titles of what opens them. */
const OPENERS = [
  "Edit",
  "Delete",
  "Change name, permissions or expiry",
  "Rotate: replace its value",
  "Revoke",
  "End this session",
  "New password link",
  "Remove",
];
const MOST_OPENED = sized(1, 3);

async function openAll(openers: Locator): Promise<void> {
  for (let left = await openers.count(); left > 0; left = await openers.count()) {
    await openers.first().click();
  }
}

async function inspect(page: Page, kind: string, seen: Seen): Promise<void> {
  const { text, wrong, over } = await page.evaluate(look);
  seen.texts.set(kind, `${seen.texts.get(kind) ?? ""}\n${text}`);
  seen.wrong.push(...wrong.map((what) => `${kind}: ${what}`));
  if (over > 0) seen.wide.push(`${page.url()} (${kind}): ${over} pixels too wide`);
}

const hrefsOf = (all: Element[]) => all.map((each) => each.getAttribute("href")!);

/** Runs in the page: what is read there, and whatever became more than text. */
function look() {
  const { documentElement: root, body } = document;
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
  const text = [body.textContent, ...values].join("\n");
  return { text, wrong, over: root.scrollWidth - root.clientWidth };
}
