import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Locator, Page } from "playwright-core";
import { createKey } from "../../server/accounts/keys.ts";
import { operatorOf } from "../../server/accounts/users.ts";
import { links } from "../../server/db/tables.ts";
import { createLink } from "../../server/links/create.ts";
import { onDashboard } from "../browser.ts";
import { MARKUP as HOSTILE } from "./hostile.ts";

onDashboard("On every page of the dashboard", (dashboard) => {
  /** A link for each text, as if it had come past every rule of ours and from a hostile site. */
  async function hostileAccount(accountId: string) {
    const { deps } = dashboard().server;
    const caller = await operatorOf(deps, accountId);
    for (const [n, text] of HOSTILE.entries()) {
      const { id } = await createLink(deps, caller, { url: `https://example.org/${n}` });
      const seen = {
        lastStatus: "dead",
        lastReason: "http_404",
        lastCheckedAt: deps.clock.now(),
      } as const;
      await deps.store
        .update(links)
        .set({ url: text, evidence: EVIDENCE, ...seen })
        .where(eq(links.id, id));
      await createKey(deps, caller, { name: text.replaceAll("\t", "") });
    }
  }

  test("a stranger's text is shown as it is, and does nothing", async () => {
    const { page, complaints, accountId } = await dashboard().user({ height: 2000 });
    await hostileAccount(accountId);

    await page.goto("/settings/keys");
    await page.getByText(HOSTILE[0]!, { exact: true }).waitFor();
    await page.goto("/links");
    await page.getByText(`${HOSTILE.length} links`).first().waitFor();
    const shown = await page.locator(".rows .url").evaluateAll(titlesOf);

    expect(shown.toSorted()).toEqual(HOSTILE.toSorted());
    const addresses = await page
      .locator("a")
      .evaluateAll((all) => all.map((a) => (a as HTMLAnchorElement).protocol));
    expect(addresses.length).toBeGreaterThan(HOSTILE.length);
    expect(addresses.filter((scheme) => !/^https?:$/.test(scheme))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("what a hostile site answered is evidence that does nothing either", async () => {
    const { page, complaints, accountId } = await dashboard().user();
    await hostileAccount(accountId);
    await page.goto("/links?search=vbscript");

    await page.locator(".rows .url").click();
    await page.getByText("Evidence", { exact: true }).first().waitFor();
    await page.locator("details > summary").evaluateAll(clickAll);

    expect(await page.locator("h1 .url").getAttribute("title")).toBe("vbscript:msgbox(1)");
    const report = await page.locator(".report").first().textContent();
    expect(HOSTILE.filter((text) => !report!.includes(text))).toEqual([]);
    const outside = await page
      .locator("a[target=_blank]")
      .evaluateAll((all) => all.map((a) => a.outerHTML));
    for (const link of outside) {
      expect(link).toMatch(/ href="https?:[^"]*" target="_blank" rel="noopener noreferrer/);
    }
    expect(complaints).toEqual([]);
  });

  test("nothing is wider than a small telephone", async () => {
    const { page, accountId } = await dashboard().user({ width: 375, height: 700 });
    await hostileAccount(accountId);
    const { page: strange } = await dashboard().stranger({ width: 375, height: 700 });

    for (const address of ["/sign-in", "/password"]) {
      await strange.goto(address);
      await strange.getByRole("heading", { level: 1 }).waitFor();
      expect(await overflowOf(strange)).toBe(0);
    }
    for (const address of ["/links", "/settings/keys", "/links?status=active", "/nothing"]) {
      await page.goto(address === "/nothing" ? "/links/nothing" : address);
      await page.getByRole("heading").first().waitFor();
      expect(await overflowOf(page)).toBe(0);
    }
    await page.goto("/links");
    await page.locator(".rows .url").first().click();
    await page.getByText("Evidence", { exact: true }).first().waitFor();
    expect(await overflowOf(page)).toBe(0);
  });

  test("the keyboard alone is enough to add a link", async () => {
    const { page } = await dashboard().user();
    await page.goto("/links");
    await page.getByText("No links yet").waitFor();
    const add = page.getByRole("button", { name: "Add links" });

    for (let presses = 0; presses < 30 && !(await isFocused(add)); presses++) {
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    const field = page.getByRole("textbox", { name: "URLs" });
    await field.waitFor();
    expect(await isFocused(field)).toBe(true);
    await page.keyboard.type("https://example.org/typed");
    await page.keyboard.press("Control+Enter");

    await page.getByRole("heading", { name: "1 link added" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("row", { name: /typed/ }).waitFor();
  });
});

const EVIDENCE = JSON.stringify({
  attempts: HOSTILE.map((text) => ({ at: text, reason: text, detail: text, address: text })),
  redirects: HOSTILE.map((url) => ({ url, status: 301 })),
  ...Object.fromEntries(HOSTILE.map((text) => [text, text])),
});

const titlesOf = (all: Element[]) => all.map((each) => each.getAttribute("title") ?? "");

const clickAll = (all: Element[]) => {
  for (const each of all) (each as HTMLElement).click();
};

const overflowOf = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

const isFocused = (element: Locator) => element.evaluate((it) => it === document.activeElement);
