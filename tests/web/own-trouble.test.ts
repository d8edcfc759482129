import { afterEach, expect, test } from "bun:test";
import type { KnownState, Online } from "../../server/judge/online/online.ts";
import { onDashboard } from "../browser.ts";
import { goWithin } from "./pages.ts";

onDashboard("The dashboard of a monitor in trouble", (dashboard) => {
  let own: Online | undefined;

  /** Sets what the monitor knows about itself from now on. */
  function play(state: Exclude<KnownState["state"], "unknown">, clockIsOff = false) {
    const { deps, clock } = dashboard().server;
    own ??= deps.online;
    const report = { state, asked_at: new Date(clock.now()).toISOString(), sentinels: [] };
    const known = () => ({ state, since: clock.now(), report });
    Object.assign(deps, { online: { ...own, known, clockIsOff: () => clockIsOff } });
  }

  afterEach(() => {
    const { deps } = dashboard().server;
    Object.assign(deps, { online: own ?? deps.online });
  });

  test("says on every page what is wrong and since when, and within half a minute that it is not any more", async () => {
    const { server, user } = dashboard();
    const { page } = await user();
    await page.clock.install({ time: server.clock.now() });
    const time = await page.evaluate(
      (at) => new Intl.DateTimeFormat("en-GB", { timeStyle: "short" }).format(at),
      server.clock.now(),
    );
    const says = (text: string) => page.getByText(text).waitFor();
    const offline = `This monitor has been offline since ${time}. Checks are paused until it is back.`;

    play("offline");
    await page.goto("/links");
    await says(offline);
    for (const path of ["/settings", "/links/nothing"]) {
      await goWithin(page, path);
      await says(offline);
    }

    play("offline", true);
    await page.clock.fastForward(30_000);
    await says("This monitor's clock is wrong: correct the system time.");
    await says(offline);

    play("degraded");
    await page.clock.fastForward(30_000);
    await says("This monitor's connection has been poor since");

    play("online");
    server.deps.troubles.set("disk_full", "The disk has 3 MiB left.");
    await page.clock.fastForward(30_000);
    await says("The disk of this installation is full. You can read and delete");

    server.deps.troubles.set("disk_full", null);
    await page.clock.fastForward(30_000);
    await page.getByText("The disk of this installation").waitFor({ state: "detached" });
    expect(await page.getByText("This monitor").count()).toBe(0);
  });

  test("says nothing of it to strangers", async () => {
    const { page } = await dashboard().stranger();
    play("offline");

    await page.goto("/sign-in");
    await page.getByRole("heading", { level: 1 }).waitFor();

    expect(await page.getByText("This monitor").count()).toBe(0);
  });

  test("says first in the settings what is wrong, since when and what to do, once, and nothing when all is well", async () => {
    const { page } = await dashboard().user({}, "owner", { isAdmin: true });
    const { troubles } = dashboard().server.deps;
    troubles.set("disk_full", "The disk has 12 MB left. Make room, and writing resumes.");
    troubles.set("backup_failed", "The last backup failed. There was no room.");

    await page.goto("/settings/installation");
    const notice = page.getByRole("alert").filter({ hasText: "The disk is full" });
    await notice.getByText("Make room, and writing resumes.").waitFor();
    expect(await notice.locator("time").count()).toBe(1);
    expect(await page.getByText("The disk of this installation is full").count()).toBe(0);
    expect(await page.getByText("There was no room").count()).toBe(0);
    await page.getByRole("link", { name: /^Links/ }).click();
    await page.getByRole("link", { name: "See what to do" }).waitFor();

    for (const name of ["disk_full", "backup_failed"] as const) troubles.set(name, null);
    await page.goto("/settings/installation");
    await page.getByText("SQLite", { exact: true }).waitFor();
    expect(await page.getByText("The disk is full").count()).toBe(0);
  });
});
