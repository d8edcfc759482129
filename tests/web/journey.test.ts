import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { startReceiver, verified } from "../receiver.ts";
import { type Routes, startSite } from "../site.ts";
import { navigate, onInstalled, row, setUp } from "./on-installed.ts";

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
    await seeWhatIsDead(page, `${site.url}/gone`);
    const secret = await makeWebhook(page, receiver.url);
    await receiver.seen(1);
    const [tested] = receiver.requests;
    expect(verified(tested!, secret, Date.now()).data).toHaveProperty("test", true);

    routes["/gone"] = PAGE;
    await seeItRepaired(page, `${site.url}/gone`);
    await receiver.seen(2);
    const told = verified(receiver.requests[1]!, secret, Date.now());
    expect(told).toMatchObject({ event: "link.alive", data: { url: `${site.url}/gone` } });

    const { data } = await askWith(key, `${installed.url}/api/v1/links?status=active`);
    expect(data.pagination.total).toBe(2);
    const refused: string[] = [];
    page.on("response", (answer) => answer.status() === 401 && refused.push(answer.url()));
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(refused).toEqual([]);
    await page.goto("/links");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await site.stop();
  });
});

async function seeFirstVerdicts(page: Page, urls: string[]) {
  await page.getByLabel("URLs").fill(urls.join("\n"));
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("All of these are checked.").waitFor();
  for (const verdict of ["Alive", "Dead", "Unknown"]) {
    await page.getByText(verdict, { exact: true }).waitFor();
  }
  await page.getByRole("link", { name: "Go to the overview" }).click();
}

/** From the overview to the page of the link, with what was seen there. */
async function seeWhatIsDead(page: Page, url: string) {
  await page.getByRole("heading", { name: "1 link is dead" }).waitFor();
  const dead = page.getByRole("region", { name: "Dead now" });
  await dead.getByText("The server returned 410: the page is gone for good.").waitFor();
  const unknown = page.getByRole("region", { name: "Unknown, and why" });
  await unknown.getByText("503").waitFor();
  await dead.getByRole("link", { name: url }).click();
  await page.getByRole("heading", { name: "What the last check saw" }).waitFor();
  await page.locator(".evidence").getByText("410").first().waitFor();
}

/** @returns its secret, as the page shows it once */
async function makeWebhook(page: Page, url: string): Promise<string> {
  await navigate(page, "Webhooks");
  await page.getByRole("button", { name: "Create your first webhook" }).click();
  await page.getByLabel("URL").fill(url);
  await page.getByRole("button", { name: "Create webhook" }).click();
  await page.getByRole("button", { name: "Copy Signing secret" }).click();
  await page.getByText("Copied", { exact: true }).waitFor();
  const secret = await page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole("dialog").getByRole("button", { name: "Send a test" }).click();
  await page.getByText("The test arrived. The receiver answered 204.").waitFor();
  await page.getByRole("button", { name: "I have copied it" }).click();
  return secret;
}

async function seeItRepaired(page: Page, url: string) {
  await navigate(page, "Links");
  await row(page, url).getByRole("link", { name: url, exact: true }).click();
  await page.locator(".verdict").getByText("Dead", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Check now" }).click();
  await page.locator(".verdict").getByText("Alive", { exact: true }).waitFor();
}

const askWith = async (key: string, url: string) =>
  (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).json() as Promise<{
    data: { pagination: { total: number } };
  }>;
