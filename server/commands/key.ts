import type { Command } from "commander";
import { accountOfKey, createKey, listKeys, revokeKey } from "../accounts/keys.ts";
import { NewKey } from "../accounts/model.ts";
import { readBody } from "../accounts/session-model.ts";
import { operatorOf, requireUser } from "../accounts/users.ts";
import type { Caller } from "../api/caller.ts";
import type { ApiKeyRow } from "../db/tables.ts";
import { toIsoOrNull } from "../lib/moments.ts";
import { refuseFullDisk } from "../ops/upkeep/disk.ts";
import type { Deps } from "../work/deps.ts";
import { type Cli, withDeps } from "./cli.ts";
import { openOutput, tableOf } from "./io.ts";
import { readEmail } from "./user.ts";

/** No account has more keys than this. */
const ALL = { page: 1, per_page: 1_000_000 };

type Creation = { email: string; name: string; readOnly?: true; expiresAt?: string };

export function addKey(program: Command, cli: Cli) {
  const key = program.command("key").description("manage API keys");
  key
    .command("create")
    .description("make a key and print its value, this once")
    .requiredOption("--email <email>", "whose account")
    .requiredOption("--name <name>", "what the key is for")
    .option("--read-only", "may look, but change nothing")
    .option("--expires-at <time>", "RFC 3339, such as 2031-01-01T00:00:00Z, or a date")
    .action((options: Creation) => create(cli, options));
  key
    .command("list")
    .description("list an account's keys")
    .requiredOption("--email <email>", "whose account")
    .action((options: { email: string }) => list(cli, options));
  key
    .command("revoke")
    .description("refuse a key from now on, for good")
    .argument("<id>", "the key's id, as `key list` shows it")
    .action((id: string) => revoke(cli, id));
}

async function create(cli: Cli, { email, name, readOnly, expiresAt }: Creation) {
  const permissions = { read: true, write: readOnly !== true };
  const input = await readBody(NewKey, { name, permissions, expires_at: expiresAt });
  await withDeps(cli, async (deps) => {
    await refuseFullDisk(deps.config);
    const caller = await accountOf(deps, email);
    const { id, value } = await createKey(deps, caller, input);
    await openOutput(cli.io)
      .write(`${value}\n`)
      .catch(() => revokeUnseen(deps, caller, id));
  });
}

/** A key that no one has seen cannot be used, and no one would know to revoke it. */
async function revokeUnseen(deps: Deps, caller: Caller, id: string): Promise<never> {
  await revokeKey(deps, caller, id);
  throw new Error("The key could not be printed, so it was revoked. Create another one");
}

const list = (cli: Cli, { email }: { email: string }) =>
  withDeps(cli, async (deps) => {
    const { items } = await listKeys(deps, await accountOf(deps, email), ALL);
    const titles = ["id", "key", "name", "permissions", "expires", "last used"];
    cli.print(tableOf(titles, items.map(cellsOf)));
  });

const cellsOf = (key: ApiKeyRow): string[] => [
  key.id,
  `${key.prefix}…`,
  key.name,
  [key.canRead && "read", key.canWrite && "write"].filter(Boolean).join(", "),
  toIsoOrNull(key.expiresAt) ?? "never",
  toIsoOrNull(key.lastUsedAt) ?? "never",
];

const revoke = (cli: Cli, id: string) =>
  withDeps(cli, async (deps) => {
    await revokeKey(deps, await operatorOf(deps, await accountOfKey(deps, id)), id);
    cli.print(`Revoked ${id}.`);
  });

async function accountOf(deps: Deps, email: string): Promise<Caller> {
  const user = await requireUser(deps, await readEmail(email));
  return operatorOf(deps, user.accountId);
}
