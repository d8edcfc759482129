import { afterEach, expect, test } from "bun:test";
import type { KnownState, Online } from "../../server/verdict/online/online.ts";
import { onDashboard } from "../browser.ts";

onDashboard("The dashboard of a monitor in trouble", (dashboard) => {
  let own: Online | undefined;

  /** From now on the monitor knows of itself what it is told. */
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

  test("says on every page that it is offline, and since when", async () => {
    const { page } = await dashboard().user();
    play("offline");
    const time = await page.evaluate(
      (at) => new Intl.DateTimeFormat("en-GB", { timeStyle: "short" }).format(at),
      dashboard().server.clock.now(),
    );

    for (const path of ["/links", "/settings", "/nothing"]) {
      await page.goto(path);
      await page
        .getByText(
          `This monitor has been offline since ${time}. Checks are paused until it is back.`,
        )
        .waitFor();
    }
  });

  test("says that nothing is saved while there is no room on the disk", async () => {
    const { page } = await dashboard().user();
    const { troubles } = dashboard().server.deps;
    troubles.set("disk_full", "The disk has 3 MiB left.");

    await page.goto("/links");

    await page
      .getByText("The disk of this installation is full. You can read and delete")
      .waitFor();
    troubles.set("disk_full", null);
  });

  test("says when too few sentinels answer", async () => {
    const { page } = await dashboard().user();
    play("degraded");

    await page.goto("/links");

    await page.getByText("This monitor's connection has been poor since").waitFor();
  });

  test("says when its clock is wrong, in addition to anything else", async () => {
    const { page } = await dashboard().user();
    play("offline", true);

    await page.goto("/links");

    await page.getByText("This monitor's clock is wrong: correct the system time.").waitFor();
    await page.getByText("This monitor has been offline").waitFor();
  });

  test("notices within half a minute that it is back, and says nothing more", async () => {
    const { page } = await dashboard().user();
    await page.clock.install({ time: dashboard().server.clock.now() });
    play("offline");
    await page.goto("/links");
    await page.getByText("This monitor has been offline").waitFor();

    play("online");
    await page.clock.fastForward(30_000);

    await page.getByText("This monitor has been offline").waitFor({ state: "detached" });
    expect(await page.getByText("This monitor").count()).toBe(0);
  });

  test("says nothing of it to strangers", async () => {
    const { page } = await dashboard().stranger();
    play("offline");

    await page.goto("/sign-in");
    await page.getByRole("heading", { level: 1 }).waitFor();

    expect(await page.getByText("This monitor").count()).toBe(0);
  });
});
