import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test";
import type { Page } from "playwright-core";
import { closeVisitors, type Looks, openTab, openVisitor, type Visitor } from "../browser.ts";
import { type Installed, install } from "../installed.ts";

export const EMAIL = "me@example.org";
export const PASSWORD = "correct horse battery staple";

/** The program as it is shipped, and people in front of it. */
type Installation = {
  installed: Installed;
  stranger(looks?: Looks): Promise<Visitor>;
  /** Another tab of the same browser. */
  tab(of: Visitor): Promise<Visitor>;
};

/**
 * Runs the story against the executable. Whatever it opens must have worked without a complaint.
 * @param prepare makes the folder that it is started in; a new one unless given
 */
export function onInstalled(
  name: string,
  story: (installation: () => Installation) => void,
  prepare: () => Promise<string | undefined> = async () => undefined,
) {
  describe(name, () => {
    let installed: Installed | undefined;
    let visitors: Visitor[] = [];
    const remember = (visitor: Visitor) => {
      visitors.push(visitor);
      return visitor;
    };
    beforeAll(async () => {
      installed = await install(await prepare());
    });
    afterEach(async () => {
      const opened = visitors;
      visitors = [];
      await closeVisitors();
      expect(opened.flatMap(({ complaints }) => complaints)).toEqual([]);
    });
    afterAll(() => installed?.remove());
    story(() => ({
      installed: installed!,
      stranger: async (looks) => remember(await openVisitor(installed!, looks)),
      tab: async ({ page }) => remember(await openTab(page, installed!)),
    }));
  });
}

/** From the link that the program printed to the first key. */
export async function setUp(page: Page, setupUrl: string | null): Promise<string> {
  await page.goto(setupUrl!);
  await page.getByLabel("E-mail").fill(EMAIL);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("dialog", { name: "Add links" }).waitFor();
  await page.keyboard.press("Escape");
  await openSection(page, "API keys");
  const key = await page.getByLabel("API key", { exact: true }).inputValue();
  await page.getByRole("button", { name: "I have copied it" }).click();
  await navigate(page, "Overview");
  return key;
}

export async function signIn(page: Page): Promise<void> {
  await page.getByLabel("E-mail").fill(EMAIL);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
}

export const navigate = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).click();

/** Opens a section of the settings. */
export async function openSection(page: Page, name: string): Promise<void> {
  await page.getByRole("banner").getByRole("link", { name: "Settings" }).click();
  await page.getByRole("main").getByRole("link", { name, exact: true }).click();
}

/** The row of the list of links whose URL has this in it. */
export const row = (page: Page, text: string) =>
  page.getByRole("table", { name: "Links" }).getByRole("row").filter({ hasText: text });
