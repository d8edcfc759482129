import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { and, eq } from "drizzle-orm";
import { type Change, emailTarget, keyTarget, recordChange } from "../../server/accounts/audit.ts";
import { createSession } from "../../server/accounts/sessions.ts";
import { dailyName, stampOf } from "../../server/ground/db/backup-files.ts";
import { apiKeys, type UserRow, upkeep, users } from "../../server/ground/db/tables.ts";
import { newId } from "../../server/ground/lib/ids.ts";
import type { Actor } from "../../server/http/caller.ts";
import { changeLink } from "../../server/links/change.ts";
import { deleteLink } from "../../server/links/delete.ts";
import { createGroup } from "../../server/links/groups/groups.ts";
import { listLinks } from "../../server/links/list.ts";
import { recallLast } from "../../server/ops/backups/backups.ts";
import { makeBackupFolder } from "../../server/ops/backups/files.ts";
import { makeChange } from "../../server/work/unit.ts";
import { DAY } from "../checker/ended.ts";
import type { TestServer } from "../harness.ts";
import { asActor, callerOf } from "./actors.ts";

const HOUR = 3_600_000;
const MINUTE = 60_000;

/** Who comes to work in the account, and whether they have signed in already. */
const COLLEAGUES = [
  { email: "mira.castellanos@northwind.example", role: "editor", isNew: false },
  { email: "jonas@northwind.example", role: "owner", isNew: false },
  { email: "press-office@northwind.example", role: "viewer", isNew: false },
  { email: "new.colleague@northwind.example", role: "editor", isNew: true },
] as const;

/** People, what they and a program did in the last days, and the backups of a fortnight, after `fillShowcase`. */
export async function fillTeam(server: TestServer, accountId: string): Promise<void> {
  const { deps, clock } = server;
  const [owner] = await deps.store.select().from(users).where(eq(users.accountId, accountId));
  await deps.store.update(users).set({ passwordHash: "kept" }).where(eq(users.id, owner!.id));
  clock.moveBy(-2 * DAY);
  const people = await invite(server, owner!);
  clock.moveBy(5 * HOUR);
  await work(server, people[0]!);
  clock.moveBy(DAY);
  await useKey(server, accountId);
  clock.moveBy(19 * HOUR);
  await keepBackups(server, asActor(owner!));
}

async function invite({ deps, clock }: TestServer, owner: UserRow): Promise<UserRow[]> {
  const { store } = deps;
  const by = asActor(owner);
  const people: UserRow[] = COLLEAGUES.map(({ email, role, isNew }) => ({
    ...owner,
    id: newId(),
    email,
    role,
    isAdmin: false,
    passwordHash: isNew ? null : "kept",
    totpSecret: role === "owner" ? "kept" : null,
    createdAt: clock.now(),
  }));
  await store.insert(users).values(people);
  for (const [n, person] of people.entries()) {
    clock.moveBy(7 * MINUTE);
    await record({ action: "person.invited", target: emailTarget(person) });
    if (person.passwordHash === null) continue;
    await createSession(store, person.id, clock.now() + n * 9 * HOUR);
  }
  await record({ action: "person.changed", target: emailTarget(people[1]!), fields: ["role"] });
  return people;

  function record(change: Omit<Change, "by" | "accountId">) {
    return recordChange(deps, { ...change, by, accountId: owner.accountId });
  }
}

async function work({ deps, clock }: TestServer, person: UserRow): Promise<void> {
  const caller = await callerOf(deps, person);
  const group = await makeChange(deps, caller, (unit) =>
    createGroup(unit, caller, { name: "To be replaced", color: "#BE123C" }),
  );
  const { items } = await listLinks(deps, caller, { status: "dead", page: 1, per_page: 3 });
  for (const { id } of items.slice(1)) {
    clock.moveBy(MINUTE);
    await makeChange(deps, caller, (unit) =>
      changeLink(unit, caller, id, { group_id: group.id, check_frequency: "weekly" }),
    );
  }
  const rest = await listLinks(deps, caller, { search: "blue-yonder", page: 1, per_page: 1 });
  clock.moveBy(MINUTE);
  await deleteLink(deps, caller, rest.items[0]!.id);
}

async function useKey({ deps }: TestServer, accountId: string): Promise<void> {
  const [key] = await deps.store
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.accountId, accountId), eq(apiKeys.name, "Nightly import")));
  const { id, name } = keyTarget(key!);
  const by: Actor = { kind: "key", id, name, address: () => "2001:db8:4:17::20" };
  const changes: Change[] = [
    { action: "link.created", by, accountId, count: 1240 },
    { action: "link.deleted", by, accountId, count: 3 },
  ];
  for (const change of changes) await recordChange(deps, change);
}

/** Each day's, one from before an upgrade, and one that failed this morning. */
async function keepBackups({ deps, clock }: TestServer, by: Actor): Promise<void> {
  const folder = makeBackupFolder(deps.config);
  const today = clock.now() - (clock.now() % DAY) + 3 * HOUR;
  for (let day = 2; day < 14; day++) {
    const bytes = 1_280_000 - day * 9_000;
    writeFileSync(join(folder, dailyName(today - day * DAY)), "x".repeat(bytes));
  }
  const upgraded = stampOf(today - 4 * DAY - 6 * HOUR);
  writeFileSync(join(folder, `stillup-before-0010_cursor-${upgraded}.db`), "x".repeat(1_100_000));
  const name = dailyName(today - 2 * DAY);
  const change = { action: "backup.downloaded", by, accountId: null } as const;
  await recordChange(deps, { ...change, target: { id: name, name } });
  const problem = `The copy needs 1.3 MB, and the disk of ${folder} has 0.4 MB free. Free some space there.`;
  const [succeededAt, failedAt] = [today - 2 * DAY, today];
  const row = { job: "backup", startedAt: failedAt, succeededAt, failedAt, problem } as const;
  await deps.store.insert(upkeep).values(row);
  await recallLast(deps);
}
