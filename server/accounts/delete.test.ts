import { expect, test } from "bun:test";
import { eq, inArray } from "drizzle-orm";
import { saw } from "../../tests/checker/ended.ts";
import { onServer } from "../../tests/harness.ts";
import { checkDueLinks } from "../../tests/rounds.ts";
import { housekeeping } from "../app/housekeeping.ts";
import {
  accounts,
  apiKeys,
  audit,
  checks,
  historyDays,
  historyHours,
  linkCounts,
  links,
  pendingDeletions,
  siteHosts,
  sites,
  statusDays,
  users,
} from "../ground/db/tables.ts";
import { closeYesterday } from "../history/status-days.ts";
import { OPERATOR } from "../http/caller.ts";
import { createLinks } from "../links/create.ts";
import { createGroup } from "../links/groups/groups.ts";
import { makeChange } from "../work/unit.ts";
import { deleteAccount } from "./delete.ts";
import { createKey } from "./keys.ts";
import { createAccount, deleteUser, operatorOf } from "./users.ts";

onServer("An account that goes with its last owner", (server, { testOnBoth }) => {
  testOnBoth("leaves nothing behind, and what belongs to others alone", async () => {
    const { deps } = server();
    await closeYesterday(deps);
    const input = { tier: "business", passwordHash: null, isAdmin: false } as const;
    const made = await Promise.all(
      ["gone", "kept"].map(async (name) => {
        const email = `${name}@example.org`;
        const { account, owner } = await createAccount(deps, { ...input, email });
        const caller = await operatorOf(deps, account.id);
        const group = await makeChange(deps, caller, (unit) =>
          createGroup(unit, caller, { name, color: "#000000" }),
        );
        const url = "https://example.org/";
        await createLinks(deps, caller, [{ url, group_id: group.id }, { url: `${url}2` }]);
        await makeChange(deps, caller, (unit) => createKey(unit, caller, { name }));
        return { owner, subjects: [account.no, group.no] };
      }),
    );
    const [gone, kept] = made;
    await checkDueLinks({ ...deps, check: async () => saw("http_404", { status: "dead" }) });
    const counted = (subjects: number[]) =>
      deps.store.$count(linkCounts, inArray(linkCounts.subject, subjects));
    expect([await counted(gone!.subjects), await counted(kept!.subjects)]).toEqual([2, 2]);

    expect(await deleteUser(deps, gone!.owner, { evenWithLinks: true })).toBe("account");

    expect([await counted(gone!.subjects), await counted(kept!.subjects)]).toEqual([0, 2]);
    expect(await deps.store.$count(links)).toBe(2);
    expect(await deps.store.$count(accounts)).toBe(1);
    expect(await deps.store.$count(apiKeys)).toBe(1);
    expect(await deps.store.$count(checks)).toBe(2);
    // Its account, its group and its two links.
    expect(await deps.store.$count(historyDays)).toBe(4);
    expect(await deps.store.$count(historyHours)).toBe(2);
    expect(await deps.store.$count(pendingDeletions)).toBe(0);
    // The account, its group and its site have a day.
    expect(await deps.store.$count(statusDays)).toBe(3);
    expect(await deps.store.$count(sites)).toBe(1);
    expect(await deps.store.$count(siteHosts)).toBe(1);
  });
});

onServer("An account whose deletion is cut short", (server) => {
  const cutShort = () => {
    throw new Error("cut short");
  };

  /** With one link, left where a crash after the first step leaves it. */
  async function halfDeleted(email: string) {
    const { deps } = server();
    const input = { email, tier: "business", passwordHash: null, isAdmin: false } as const;
    const { account } = await createAccount(deps, input);
    const caller = await operatorOf(deps, account.id);
    await createLinks(deps, caller, [{ url: "https://example.org/" }]);
    const crashing = { ...deps, clock: { ...deps.clock, elapsed: cutShort } };
    await expect(deleteAccount(crashing, account.id, OPERATOR)).rejects.toThrow("cut short");
    return account;
  }

  test("has no users any more, and is finished by housekeeping", async () => {
    const { deps } = server();
    const { id, no } = await halfDeleted("half@example.org");
    const isLeft = () => deps.store.$count(accounts, eq(accounts.id, id));
    const before = [await isLeft(), await deps.store.$count(users, eq(users.accountId, id))];

    await housekeeping(deps);

    expect(before).toEqual([1, 0]);
    expect([await isLeft(), await deps.store.$count(links, eq(links.accountNo, no))]).toEqual([
      0, 0,
    ]);
  });

  test("is finished by anyone who deletes it again, and is on record once", async () => {
    const { deps } = server();
    const { id } = await halfDeleted("again@example.org");

    await deleteAccount(deps, id, OPERATOR);

    expect(await deps.store.$count(accounts, eq(accounts.id, id))).toBe(0);
    const entries = await deps.store.select().from(audit).where(eq(audit.accountId, id));
    expect(entries.filter(({ action }) => action === "account.deleted")).toHaveLength(1);
  });
});
