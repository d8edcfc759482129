import { expect, test } from "bun:test";
import { onDashboard } from "../browser.ts";

onDashboard("The settings of an installation in trouble", (dashboard) => {
  const administrator = () => dashboard().user({}, "owner", { isAdmin: true });

  test("says first what is wrong, since when and what to do, and nothing when all is well", async () => {
    const { page } = await administrator();
    const { troubles } = dashboard().server.deps;
    troubles.set("disk_full", "The disk has 12 MB left. Make room, and writing goes on by itself.");

    await page.goto("/settings/installation");
    const notice = page.getByRole("alert").filter({ hasText: "The disk is full" });
    await notice.getByText("Make room, and writing goes on by itself.").waitFor();
    expect(await notice.locator("time").count()).toBe(1);

    troubles.set("disk_full", null);
    await page.reload();
    await page.getByText("SQLite", { exact: true }).waitFor();
    expect(await page.getByText("The disk is full").count()).toBe(0);
  });

  test("says everything once", async () => {
    const { page } = await administrator();
    const { troubles } = dashboard().server.deps;
    troubles.set("disk_full", "The disk has 12 MB left.");
    troubles.set("backup_failed", "The last backup failed. There was no room.");

    await page.goto("/settings/installation");
    await page.getByText("The disk has 12 MB left.").waitFor();

    expect(await page.getByText("The disk of this installation is full").count()).toBe(0);
    expect(await page.getByText("There was no room").count()).toBe(0);
    await page.getByRole("link", { name: /^Links/ }).click();
    await page.getByRole("link", { name: "See what to do" }).waitFor();
    for (const name of ["disk_full", "backup_failed"] as const) troubles.set(name, null);
  });
});
