import { expect, test } from "bun:test";
import { inArray } from "drizzle-orm";
import { createAccount, deleteUser, operatorOf } from "../../server/accounts/users.ts";
import { checkDueLinks } from "../../server/checker/checker.ts";
import { createGroup } from "../../server/groups/groups.ts";
import { createKey } from "../../server/keys/keys.ts";
import { createLinks } from "../../server/links/create.ts";
import {
  accounts,
  apiKeys,
  checks,
  doomed,
  historyDays,
  historyHours,
  linkCounts,
  links,
} from "../../server/store/tables.ts";
import { saw } from "../checker/ended.ts";
import { onBothEngines } from "../harness.ts";

onBothEngines("An account that goes with its last owner", (server) => {
  test("leaves nothing behind, and what belongs to others alone", async () => {
    const { deps } = server();
    const input = { tier: "business", passwordHash: null, isAdmin: false } as const;
    const made = await Promise.all(
      ["gone", "kept"].map(async (name) => {
        const email = `${name}@example.org`;
        const { account, owner } = await createAccount(deps, { ...input, email });
        const caller = await operatorOf(deps, account.id);
        const group = await createGroup(deps, caller, { name, color: "#000000" });
        const url = "https://example.org/";
        await createLinks(deps, caller, [{ url, group_id: group.id }, { url: `${url}2` }]);
        await createKey(deps, caller, { name });
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
    expect(await deps.store.$count(doomed)).toBe(0);
  });
});
