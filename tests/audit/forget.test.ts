import { expect, test } from "bun:test";
import { asc } from "drizzle-orm";
import { recordChange } from "../../server/accounts/audit.ts";
import { housekeeping } from "../../server/app/housekeeping.ts";
import { audit } from "../../server/ground/db/tables.ts";
import { OPERATOR } from "../../server/http/caller.ts";
import { onServer } from "../harness.ts";

const DAY = 86_400_000;

onServer("Entries of the audit log", (server) => {
  const leave = async (name: string, count = 1) => {
    const { deps } = server();
    const target = { id: crypto.randomUUID(), name };
    const change = { action: "group.created", by: OPERATOR, accountId: null, target } as const;
    for (let n = 0; n < count; n++) await recordChange(deps, change);
  };
  const names = async () =>
    (await server().deps.store.select().from(audit).orderBy(asc(audit.id))).map(
      ({ targetName }) => targetName,
    );

  test("are kept for 365 days to the millisecond, and then go, however many", async () => {
    await leave("old", 700);
    server().clock.moveBy(1);
    await leave("kept");

    server().clock.moveBy(365 * DAY - 1);
    await housekeeping(server().deps);
    expect(await names()).toHaveLength(701);
    server().clock.moveBy(1);
    await housekeeping(server().deps);

    expect(await names()).toEqual(["kept"]);
  });

  test("stay while the clock is known to be wrong", async () => {
    await leave("now");
    server().clock.moveBy(800 * DAY);
    const { deps } = server();
    const online = { ...deps.online, clockIsOff: () => true };

    await housekeeping({ ...deps, online });

    expect(await names()).toContain("now");
  });
});
