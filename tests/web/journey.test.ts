import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { startReceiver, verified } from "../receiver.ts";
import { type Routes, startSite } from "../site.ts";
import { sheet, urlsField } from "./adding.ts";
import { navigate, onInstalled, row, setUp } from "./on-installed.ts";
import { signOut } from "./pages.ts";

const PAGE = "<title>Fine</title><p>A page about something, with enough to read on it.</p>";

onInstalled("A new user of the executable", (installation) => {
  test("comes from the printed link to verdicts with reasons, a signed message, and a key that works", async () => {
    const { installed, stranger } = installation();
    const routes: Routes = { "/fine": PAGE, "/gone": 410, "/busy": 503 };
    const site = startSite(routes);
    const receiver = startReceiver();
    const { page } = await stranger();

    const key = await setUp(page, installed.setupUrl);
    await seeFirstVerdicts(page, [`${site.url}/fine`, `${site.url}/gone`, `${site.url}/busy`]);
    await seeWhatIsDead(page, "/gone");
    const secret = await makeAlert(page, receiver.url);
    await receiver.seen(1);
    const [tested] = receiver.requests;
    expect(verified(tested!, secret, Date.now()).data).toHaveProperty("test", true);

    routes["/gone"] = PAGE;
    await seeItRepaired(page, "/gone");
    await receiver.seen(2);
    const message = verified(receiver.requests[1]!, secret, Date.now());
    expect(message).toMatchObject({ event: "link.alive", data: { url: `${site.url}/gone` } });

    const { data } = await askWith(key, `${installed.url}/api/v1/links?status=active`);
    expect(data.pagination.total).toBe(2);
    const refused: string[] = [];
    page.on("response", (answer) => answer.status() === 401 && refused.push(answer.url()));
    await signOut(page);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(refused).toEqual([]);
    await page.goto("/links");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await site.stop();
  });
});

async function seeFirstVerdicts(page: Page, urls: string[]) {
  await page.keyboard.press("a");
  await urlsField(page).fill(urls.join("\n"));
  await urlsField(page).press("Control+Enter");
  await sheet(page).getByText("All 3 checked").waitFor();
  for (const verdict of ["1 alive", "1 dead", "1 unknown"]) {
    await sheet(page).getByText(verdict).waitFor();
  }
  await page.keyboard.press("Escape");
}

/** From the overview to the page of the link, with what was seen there. */
async function seeWhatIsDead(page: Page, path: string) {
  await page.getByRole("heading", { name: /^3 links checked in \d+ s, 1 dead$/ }).waitFor();
  const found = page.getByRole("region", { name: "What the checks found" });
  await found.getByRole("link", { name: "503" }).waitFor();
  await found.getByRole("link", { name: "410" }).click();
  await page.getByRole("row").getByRole("link", { name: path }).click();
  await page.getByText("The server returned 410: the page is gone for good.").first().waitFor();
  await page.getByRole("heading", { name: "Evidence" }).waitFor();
  await page.locator(".report").getByText("410").first().waitFor();
}

/** @returns its secret, as the page shows it once */
async function makeAlert(page: Page, url: string): Promise<string> {
  await navigate(page, "Alerts");
  await page.getByRole("button", { name: "New alert" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Operations");
  await page.getByLabel("URL").fill(url);
  await page.getByRole("button", { name: "Create alert" }).click();
  await page.getByRole("button", { name: "Copy Signing secret" }).click();
  await page.getByText("Copied", { exact: true }).waitFor();
  const secret = await page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole("dialog").getByRole("button", { name: "Send test" }).click();
  await page.getByText("Test delivered: returned 204").waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  return secret;
}

async function seeItRepaired(page: Page, path: string) {
  await navigate(page, "Links");
  await row(page, path).getByRole("link", { name: path }).click();
  await page.getByRole("heading", { name: /^Dead for/ }).waitFor();
  await page.getByRole("button", { name: "Check now" }).click();
  await page.getByRole("heading", { name: /^Alive for/ }).waitFor();
}

const askWith = async (key: string, url: string) =>
  (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).json() as Promise<{
    data: { pagination: { total: number } };
  }>;
