import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { operatorOf } from "../../server/accounts/users.ts";
import { links } from "../../server/ground/db/tables.ts";
import { createLinks } from "../../server/links/create.ts";
import type { TestServer } from "../harness.ts";

const AT_ONCE = 1000;

/** New links of the account, the last one newest, which are checked on request. */
export async function add({ deps }: TestServer, accountId: string, urls: string[], more = {}) {
  const caller = await operatorOf(deps, accountId);
  for (let from = 0; from < urls.length; from += AT_ONCE) {
    const part = urls.slice(from, from + AT_ONCE).map((url) => ({ url, ...more }));
    await createLinks(deps, caller, part);
  }
  return caller;
}

/** As `add`, for links that no check is wanted of. */
export async function addAtRest(
  server: TestServer,
  accountId: string,
  urls: string[],
  change: Partial<typeof links.$inferInsert> = {},
) {
  const caller = await add(server, accountId, urls);
  const { store, clock } = server.deps;
  const nextCheckAt = clock.now() + YEARS;
  await store
    .update(links)
    .set({ nextCheckAt, ...change })
    .where(eq(links.accountNo, caller.accountNo));
  return caller;
}

const YEARS = 1000 * 86_400_000;

export const numbered = (count: number, url = "https://example.org/") =>
  Array.from({ length: count }, (_, n) => `${url}${n + 1}`);

/** The sheet that adds links, and becomes the list of their verdicts. */
export const sheet = (page: Page) => page.getByRole("dialog");

export const urlsField = (page: Page) => sheet(page).getByRole("textbox", { name: "URLs" });

/** Opens the sheet on the list of links. */
export async function openAdd(page: Page) {
  await page.goto("/links?add");
  await urlsField(page).waitFor();
}

export const addButton = (page: Page, name: string | RegExp = /^Add \d[\d,]* links?/) =>
  sheet(page).getByRole("button", { name });

/** Waits until the server has added them. */
export const addedOn = (page: Page, heading: string) =>
  page.getByRole("heading", { name: heading }).waitFor();

export const giveFile = (page: Page, name: string, content: string | Buffer) =>
  sheet(page)
    .getByLabel("Choose a file…")
    .setInputFiles({ name, mimeType: "", buffer: Buffer.from(content) });

/** The rows of the verdicts that are in the document, as their words. */
export const verdictsOn = (page: Page) =>
  sheet(page).getByRole("table", { name: "Verdicts" }).getByRole("row").allTextContents();

/** The lines that are not added, each with its reason. */
export const skippedOn = (page: Page) =>
  sheet(page).getByRole("list", { name: "Skipped lines" }).getByRole("listitem").allTextContents();
