import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { operatorOf } from "../../../server/accounts/users.ts";
import { backupFolder } from "../../../server/ground/config/config.ts";
import { upkeep, users } from "../../../server/ground/db/tables.ts";
import { createLink } from "../../../server/links/create.ts";
import { recallLast } from "../../../server/ops/backups/backups.ts";
import { makeChange } from "../../../server/work/unit.ts";
import { onDashboard } from "../../../tests/browser.ts";
import { holdFirstAnswer } from "../../../tests/web/held.ts";
import { faultsInAllLooks } from "../../../tests/web/looking.ts";

const DAY_MS = 86_400_000;

onDashboard("Backups in the settings", (dashboard) => {
  const administrator = (looks = {}) => dashboard().user(looks, "owner", { isAdmin: true });
  const folder = () => backupFolder(dashboard().server.config);
  const list = (page: Awaited<ReturnType<typeof administrator>>["page"]) =>
    page.getByRole("list", { name: "Backups" }).getByRole("listitem");
  /** Nothing was ever made. */
  async function forget() {
    const { deps } = dashboard().server;
    await deps.store.delete(upkeep);
    deps.troubles.set("backup_failed", null);
    rmSync(folder(), { recursive: true, force: true });
  }
  const happened = (row: Partial<typeof upkeep.$inferInsert>) =>
    dashboard()
      .server.deps.store.insert(upkeep)
      .values({ job: "backup", startedAt: 0, ...row });

  test("are made, downloaded and deleted there", async () => {
    await forget();
    const { page } = await administrator();
    await page.goto("/settings/backups");
    await page.getByText("No backups yet.").waitFor();

    await page.getByRole("button", { name: "Back up now" }).click();
    await page.getByText("The backup was created and verified.").waitFor();
    const downloading = page.waitForEvent("download");
    await page.getByRole("link", { name: /^Download the backup/ }).click();
    const file = await (await downloading).path();
    const copy = new Database(file, { readonly: true });
    expect(copy.query("pragma integrity_check").values()).toEqual([["ok"]]);
    copy.close();
    await page.getByRole("button", { name: /^Delete the backup/ }).click();
    await page.getByRole("button", { name: "Delete backup" }).click();
    await page.getByText("The backup was deleted.").waitFor();

    await list(page).waitFor({ state: "detached" });
    expect(readdirSync(folder())).toEqual([]);
  });

  test("that have just begun are not shown as created by a stale response", async () => {
    await forget();
    const { page } = await administrator();
    const made = page.getByText("The backup was created and verified.");
    await page.goto("/settings/backups");
    await page.getByText("No backups yet.").waitFor();
    const backups = "**/dashboard/api/admin/backups";
    // What is asked to hold last is asked first.
    const [after, before] = [
      await holdFirstAnswer(page, backups),
      await holdFirstAnswer(page, backups),
    ];

    // Coming back to the section reads all of it again.
    await page.getByRole("link", { name: "Installation" }).click();
    await page.getByRole("heading", { name: "Installation" }).waitFor();
    await page.getByRole("link", { name: "Backups" }).click();
    await before.isGiven;
    await page.getByRole("button", { name: "Back up now" }).click();
    await after.isGiven;
    const late = page.waitForResponse(backups);
    before.letGo();
    await (await late).finished();
    expect(await made.count()).toBe(0);
    after.letGo();

    await made.waitFor();
  });

  test("that fail say why, there and on the overview of administrators", async () => {
    await forget();
    const { clock, deps } = dashboard().server;
    await happened({
      succeededAt: clock.now() - DAY_MS,
      failedAt: clock.now(),
      problem:
        "No room. The copy needs 1.2 GB, and the disk of /var/lib/stillup/backups has 300 MB free. Free some space there.",
    });
    await recallLast(deps);
    mkdirSync(folder(), { recursive: true });
    for (const day of ["01", "02", "03", "04", "05", "06"])
      writeFileSync(join(folder(), `stillup-202912${day}T030000Z.db`), "x".repeat(1_234_567));
    const upgraded = "stillup-before-0011_audit-20291224T101500Z.db";
    writeFileSync(join(folder(), upgraded), "x".repeat(1_200_000));
    const { page, accountId } = await administrator();
    const caller = await operatorOf(deps, accountId);
    const link = { url: "https://example.org/" };
    await makeChange(deps, caller, (unit) => createLink(unit, caller, link));

    await page.goto("/");
    await page.getByRole("link", { name: "Backups", exact: true }).click();
    await page.getByText("The last backup failed. No room.").waitFor();
    await list(page).nth(6).waitFor();
    expect(await faultsInAllLooks(page, "main")).toEqual([]);

    const isTheirs = eq(users.accountId, accountId);
    await deps.store.update(users).set({ isAdmin: false }).where(isTheirs);
    await page.goto("/");
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await page.getByText("The last backup failed.").count()).toBe(0);
  });
});
