import { expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { ENGINES, onBothEngines, startServer } from "../../tests/harness.ts";
import { BEHIND_PROXY, newColleague, newOwner, openBrowser } from "../../tests/session/browser.ts";
import { accounts, links, passwordLinks, users } from "../ground/db/tables.ts";
import { hashToken } from "../ground/lib/ids.ts";
import { OPERATOR } from "../http/caller.ts";
import { createLink } from "../links/create.ts";
import type { Deps } from "../work/deps.ts";
import { makeChange } from "../work/unit.ts";
import {
  asToken,
  createAccount,
  createInvitedAccount,
  deleteUser,
  findUser,
  listUsers,
  operatorOf,
} from "./users.ts";

onBothEngines(
  "users",
  (server) => {
    test("an e-mail address belongs to one user, and a second account is not half made", async () => {
      const { owner } = await newOwner(server());
      const { store } = server().deps;
      const before = await store.select().from(accounts);
      const input = {
        email: owner.email,
        tier: "pro",
        passwordHash: null,
        isAdmin: false,
      } as const;

      const making = createAccount(server().deps, input);

      await expect(making).rejects.toMatchObject({ code: "CONFLICT" });
      await making.catch(() => {});
      expect(await store.select().from(accounts)).toHaveLength(before.length);
    });

    test("an owner who is to set a password is made with the link for it, or not at all", async () => {
      const { deps } = server();
      const input = { email: "invited@example.org", tier: "pro", isAdmin: false } as const;
      await refusingLinks(deps, async () => {
        await expect(createInvitedAccount(deps, input, OPERATOR, asToken)).rejects.toThrow();
      });
      expect(await findUser(deps, input.email)).toBeUndefined();

      const made = await createInvitedAccount(deps, input, OPERATOR, asToken);

      const [link] = await deps.store
        .select()
        .from(passwordLinks)
        .where(eq(passwordLinks.tokenHash, hashToken(made.link)));
      expect(link?.userId).toBe(made.owner.id);
    });

    test("a user who is removed is signed out, and the account stays", async () => {
      const account = await newOwner(server());
      const editor = await newColleague(server(), account, "editor");
      const browser = openBrowser(server());
      await browser.signIn(editor.email);

      expect(await deleteUser(server().deps, editor, { evenWithLinks: false })).toBe("user");

      expect((await browser.get("/links")).status).toBe(401);
      expect(await findUser(server().deps, account.owner.email)).toBeDefined();
    });

    test("an owner can go while there is another", async () => {
      const account = await newOwner(server());
      const second = await newColleague(server(), account, "owner");

      expect(await deleteUser(server().deps, second, { evenWithLinks: false })).toBe("user");
    });

    test("of two owners who are removed at once one stays, and the account with its links", async () => {
      const account = await newOwner(server());
      const second = await newColleague(server(), account, "owner");
      const { deps } = server();
      const caller = await operatorOf(deps, account.account.id);
      await makeChange(deps, caller, (unit) =>
        createLink(unit, caller, { url: "https://example.org/" }),
      );

      const removals = await Promise.allSettled(
        [account.owner, second].map((owner) => deleteUser(deps, owner, { evenWithLinks: false })),
      );

      expect(removals.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      const left = await deps.store.$count(users, eq(users.accountId, account.account.id));
      expect(left).toBe(1);
    });

    test("deleting a user who is gone already deletes no one else", async () => {
      const account = await newOwner(server());
      const second = await newColleague(server(), account, "owner");
      const remove = () => deleteUser(server().deps, second, { evenWithLinks: true });
      await remove();

      await expect(remove()).rejects.toMatchObject({ code: "NOT_FOUND" });

      expect(await findUser(server().deps, account.owner.email)).toBeDefined();
    });

    test("the last owner goes with the account, and with its links only on purpose", async () => {
      const { owner, account } = await newOwner(server());
      const caller = await operatorOf(server().deps, account.id);
      await makeChange(server().deps, caller, (unit) =>
        createLink(unit, caller, { url: "https://example.org/" }),
      );
      const remove = (evenWithLinks: boolean) =>
        deleteUser(server().deps, owner, { evenWithLinks });

      await expect(remove(false)).rejects.toThrow("the last owner of an account with 1 links");
      expect(await remove(true)).toBe("account");

      expect(await findUser(server().deps, owner.email)).toBeUndefined();
      const { store } = server().deps;
      expect(await store.select().from(links).where(eq(links.accountId, account.id))).toEqual([]);
    });
  },
  BEHIND_PROXY,
);

/** Does the work while the database takes no links that set a password. */
async function refusingLinks({ store }: Deps, work: () => Promise<void>) {
  await store.run(sql`alter table password_links rename to password_links_away`);
  await work();
  await store.run(sql`alter table password_links_away rename to password_links`);
}

test.each(ENGINES)(
  "the first owner of all manages the installation, later ones only on request, on %s",
  async (engine) => {
    const server = await startServer(engine);
    const make = (email: string, isAdmin: boolean) =>
      createAccount(server.deps, { email, tier: "business", passwordHash: null, isAdmin });

    await make("a@example.org", false);
    await make("b@example.org", false);
    await make("c@example.org", true);

    const all = await listUsers(server.deps);
    expect(all.map(({ user }) => [user.email, user.isAdmin])).toEqual([
      ["a@example.org", true],
      ["b@example.org", false],
      ["c@example.org", true],
    ]);
    await server.stop();
  },
);
