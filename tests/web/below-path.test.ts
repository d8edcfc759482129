import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { createKey } from "../../server/accounts/keys.ts";
import { operatorOf } from "../../server/accounts/users.ts";
import { makeChange } from "../../server/work/unit.ts";
import { closeVisitors, openVisitor, type Visitor } from "../browser.ts";
import { buildDashboard } from "../build-dashboard.ts";
import { startServer, type TestServer } from "../harness.ts";
import { CLIENT, type OidcHost, startOidcHost } from "../oidc.ts";
import { type PrefixProxy, startPrefixProxy } from "../prefix-proxy.ts";
import { newOwner, PASSWORD } from "../session/browser.ts";
import { signIn, signOut } from "./pages.ts";

// What a proxy that keeps the path asks for is answered as for one that strips it: tests/http/base-path.test.ts.
describe("The dashboard below a path that a proxy strips", () => {
  let server: TestServer;
  let proxy: PrefixProxy;
  let host: OidcHost;

  beforeAll(async () => {
    await buildDashboard();
    proxy = startPrefixProxy("strips");
    host = await startOidcHost({
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [`${proxy.url}/oidc/callback`],
        },
      ],
    });
    server = await startServer("sqlite", {
      STILLUP_PUBLIC_URL: proxy.url,
      STILLUP_OIDC_ISSUER: host.issuer,
      STILLUP_OIDC_CLIENT_ID: CLIENT.id,
      STILLUP_OIDC_CLIENT_SECRET: CLIENT.secret,
      STILLUP_OIDC_NAME: "Team ID",
    });
    proxy.leadTo(server.url);
  });
  afterAll(() => server.stop());

  afterEach(closeVisitors);

  const visit = (): Promise<Visitor> =>
    openVisitor({ url: new URL(proxy.url).origin, clock: server.deps.clock });

  const pathOf = (page: Page) => new URL(page.url()).pathname;

  test("a person signs in, adds, goes about, sees what changes at once, and leaves", async () => {
    const { owner } = await newOwner(server);
    const caller = await operatorOf(server.deps, owner.accountId);
    const { page, complaints } = await visit();
    await page.goto(proxy.url);
    await page.waitForURL(`${proxy.url}/sign-in`);
    await signIn(page, owner.email);
    await page.getByRole("link", { name: "Links" }).first().click();
    await page.waitForURL(`${proxy.url}/links`);
    const cookies = await page.context().cookies();
    expect(cookies.map(({ path }) => path)).toEqual(cookies.map(() => "/stillup"));

    const streamed = page.waitForResponse(`${proxy.url}/dashboard/api/live*`);
    await page.reload();
    await streamed;
    await page.getByText("No links yet").waitFor();
    const { value } = await makeChange(server.deps, caller, (unit) =>
      createKey(unit, caller, { name: "test" }),
    );
    const { body } = await server
      .asker(value)
      .post("/api/v1/links", { url: "https://example.org/at-once" });
    const { id } = body.data;
    await page.getByText("at-once").first().waitFor();
    await page.goto(`${proxy.url}/links/${id}`);
    await page.getByRole("heading", { name: /at-once/ }).waitFor();
    await page.getByRole("link", { name: "Sources" }).first().click();
    await page.waitForURL(`${proxy.url}/sources`);
    expect((await page.reload())!.status()).toBe(200);
    await page.goBack();
    await page.getByRole("heading", { name: /at-once/ }).waitFor();
    await page.goto(`${proxy.url}/nowhere`);
    await page.getByRole("link", { name: "Go to the overview" }).click();
    await page.waitForURL(`${proxy.url}/`);

    await canBeKept(page, proxy.url);
    const dashboard = await faceOf(page);
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByRole("link", { name: "API" }).click();
    await page.getByRole("heading", { name: "Stillup API", exact: true }).waitFor();
    expect(pathOf(page)).toBe("/stillup/docs");
    expect(await faceOf(page)).toEqual(dashboard);
    await page.getByRole("link", { name: "Dashboard" }).click();
    await page.waitForURL(`${proxy.url}/`);
    await signOut(page);
    await page.waitForURL(`${proxy.url}/sign-in?signed-out`);

    expect(complaints).toEqual([]);
    expect(proxy.strays).toEqual([]);
  });

  test("a person who was sent to a page links the provider there and signs in with it", async () => {
    const { owner } = await newOwner(server);
    host.people.set("ann", { email: "ann@id.example" });
    host.signsIn("ann");
    const { page } = await visit();
    await page.goto(`${proxy.url}/settings/profile`);
    await page.waitForURL(`${proxy.url}/sign-in?next=%2Fsettings%2Fprofile`);
    await signIn(page, owner.email);
    await page.getByRole("button", { name: "Link", exact: true }).click();
    await page.getByLabel("Your password").fill(PASSWORD);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Linked", { exact: true }).waitFor();
    expect(pathOf(page)).toBe("/stillup/settings/profile");

    await signOut(page);
    await page.waitForURL(`${proxy.url}/sign-in?signed-out`);
    await page.goto(`${proxy.url}/sign-in?next=%2Falerts`);
    await page.getByRole("button", { name: "Continue with Team ID" }).click();

    await page.waitForURL(`${proxy.url}/alerts`);
    await page.getByRole("heading", { name: "No alerts yet" }).waitFor();
    expect(proxy.strays).toEqual([]);
  });
});

/** Among the apps of a phone or a desk, where it opens at its beginning. */
async function canBeKept(page: Page, url: string) {
  const browser = await page.context().newCDPSession(page);
  const { data, errors } = await browser.send("Page.getAppManifest");
  const { installabilityErrors } = await browser.send("Page.getInstallabilityErrors");
  expect([errors, installabilityErrors]).toEqual([[], []]);
  const { start_url: start, icons } = JSON.parse(data!) as {
    start_url: string;
    icons: { src: string }[];
  };
  const assets = `${url}/assets/`;
  expect(new URL(start, assets).href).toBe(`${url}/`);
  for (const { src } of icons) expect((await fetch(new URL(src, assets))).status).toBe(200);
}

/** The letters and colors of a page. */
const faceOf = (page: Page) =>
  page.evaluate(() => {
    const { fontFamily, backgroundColor, color } = getComputedStyle(document.body);
    return { fontFamily, backgroundColor, color };
  });
