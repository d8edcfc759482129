import { readFileSync } from "node:fs";
import { type Command, Option } from "commander";
import * as z from "zod";
import { accountOfKey, createKey, listKeys, revokeKey } from "../accounts/keys.ts";
import { Email, NewKey, NewPassword, readBody } from "../accounts/model.ts";
import { linkByOperator, unlinkByOperator } from "../accounts/oidc/identities.ts";
import { permissionsOfRole } from "../accounts/sessions.ts";
import { removeTwoFactor } from "../accounts/two-factor.ts";
import {
  asToken,
  createAccount,
  createInvitedAccount,
  deleteUser,
  endSetup,
  listUsers,
  operatorOf,
  requireUser,
  resetPassword,
} from "../accounts/users.ts";
import type { Config } from "../ground/config/config.ts";
import { oidcOf } from "../ground/config/oidc.ts";
import type { ApiKeyRow } from "../ground/db/tables.ts";
import { failure } from "../ground/lib/errors.ts";
import { toIso, toIsoOrNull } from "../ground/lib/moments.ts";
import { hashPassword } from "../ground/lib/passwords.ts";
import { TIERS, type Tier } from "../ground/lib/vocabulary.ts";
import { type Caller, OPERATOR } from "../http/caller.ts";
import { refuseFullDisk } from "../ops/upkeep/disk.ts";
import type { Deps } from "../work/deps.ts";
import { inUnit, makeChange } from "../work/unit.ts";
import { type Cli, UsageError, withDeps } from "./cli.ts";
import { localUrl } from "./health.ts";
import { openOutput, readInput, tableOf } from "./io.ts";
import { requireOidc } from "./oidc.ts";

const NewUser = z.object({ email: Email, password: NewPassword.optional() });

type Creation = { email: string; passwordFile?: string; tier?: Tier; admin?: true };

type Deletion = { email: string; withLinks?: true; revokeKeys?: true };

export function addUser(program: Command, cli: Cli) {
  const user = program.command("user").description("manage who can sign in");
  user
    .command("create")
    .description("create an account with its owner and print the account's id")
    .requiredOption("--email <email>", "the name to sign in with")
    .option("--password-file <file>", "read the password from this file, - is standard input")
    .addOption(new Option("--tier <tier>", "the account's tier").choices(TIERS))
    .option("--admin", "may manage this installation")
    .action((options: Creation) => createUser(cli, options));
  user
    .command("list")
    .description("list all users")
    .action(() => listAll(cli));
  user
    .command("delete")
    .description("delete a user, and the account with its last owner")
    .requiredOption("--email <email>", "the user to remove")
    .option("--with-links", "also delete the account's links and their history")
    .option("--revoke-keys", "also revoke the API keys that the user created")
    .action((options: Deletion) => deleteOne(cli, options));
  user
    .command("reset-password")
    .description("end all of a user's sessions and print a link for setting a new password, once")
    .requiredOption("--email <email>", "whose password")
    .action((options: { email: string }) => reset(cli, options));
  user
    .command("remove-2fa")
    .description("turn off a user's two-factor sign-in and end all of the user's sessions")
    .argument("<email>", "whose phone or recovery codes are lost")
    .action((email: string) => removeFactor(cli, email));
  user
    .command("link")
    .description("let a user sign in at the OpenID provider; its log names the subject")
    .requiredOption("--email <email>", "who")
    .requiredOption("--subject <subject>", "who they are at the provider")
    .action((options: { email: string; subject: string }) => link(cli, options));
  user
    .command("unlink")
    .description("remove a user's links to OpenID providers and end all of the user's sessions")
    .requiredOption("--email <email>", "who")
    .action((options: { email: string }) => unlink(cli, options));
}

async function link(cli: Cli, options: { email: string; subject: string }) {
  const email = await readEmail(options.email);
  await withDeps(cli, async (deps) => {
    const { issuer, name } = requireOidc(oidcOf(deps.config));
    await refuseFullDisk(deps.config);
    const { subject } = options;
    await linkByOperator(deps, await requireUser(deps, email), { issuer, subject });
    cli.print(`${email} can now sign in with ${name}.`);
  });
}

async function unlink(cli: Cli, options: { email: string }) {
  const email = await readEmail(options.email);
  await withDeps(cli, async (deps) => {
    const count = await unlinkByOperator(deps, await requireUser(deps, email));
    cli.print(count > 0 ? `${email} is no longer linked.` : `${email} was not linked.`);
  });
}

async function createUser(cli: Cli, options: Creation) {
  const password = options.passwordFile && (await readPassword(cli, options.passwordFile));
  const input = await readBody(NewUser, { email: options.email, password });
  await withDeps(cli, async (deps) => {
    await refuseFullDisk(deps.config);
    const { defaultTier, passwordMemoryMb } = deps.config;
    const tier = options.tier ?? defaultTier;
    const owner = { email: input.email, tier, isAdmin: options.admin === true };
    const passwordHash =
      input.password === undefined ? null : await hashPassword(input.password, passwordMemoryMb);
    const made = passwordHash
      ? { ...(await createAccount(deps, { ...owner, passwordHash })), link: null }
      : await createInvitedAccount(deps, owner, OPERATOR, asToken);
    await endSetup(deps);
    cli.print(made.account.id);
    if (made.link) cli.print(linkOf(deps.config, "invitation", made.link));
  });
}

const listAll = (cli: Cli) =>
  withDeps(cli, async (deps) => {
    const rows = (await listUsers(deps)).map(({ user, tier, isLinked }) => [
      user.invitedEmail === null ? user.email : `${user.invitedEmail} (has another account)`,
      user.isAdmin ? `${user.role}, admin` : user.role,
      tier,
      user.passwordHash ? "yes" : "no",
      isLinked ? "yes" : "no",
      toIso(user.createdAt),
      user.accountId,
    ]);
    cli.print(
      tableOf(["email", "role", "tier", "password", "single sign-on", "created", "account"], rows),
    );
  });

async function deleteOne(cli: Cli, options: Deletion) {
  const email = await readEmail(options.email);
  await withDeps(cli, async (deps) => {
    const user = await requireUser(deps, email);
    const gone = await deleteUser(deps, user, {
      evenWithLinks: options.withLinks === true,
      revokeKeys: options.revokeKeys === true,
    });
    const what = gone === "account" ? `user ${email} and their account` : `user ${email}`;
    cli.print(`Deleted ${what}.`);
  });
}

async function reset(cli: Cli, options: { email: string }) {
  const email = await readEmail(options.email);
  await withDeps(cli, async (deps) => {
    await refuseFullDisk(deps.config);
    const user = await requireUser(deps, email);
    const token = await inUnit(deps, (unit) => resetPassword(unit, user, OPERATOR, asToken));
    cli.print(linkOf(deps.config, "password", token));
  });
}

async function removeFactor(cli: Cli, given: string) {
  const email = await readEmail(given);
  await withDeps(cli, async (deps) => {
    await removeTwoFactor(deps, await requireUser(deps, email));
    cli.print(`${email} now signs in with only the password.`);
  });
}

/** Normalizes the email as sign-in does. */
const readEmail = async (email: string): Promise<string> =>
  (await readBody(z.object({ email: Email }), { email })).email;

/** The token is behind `#`, so that no server logs it. */
const linkOf = (config: Config, page: "invitation" | "password", token: string) =>
  `${config.publicUrl ?? localUrl(config)}/${page}#token=${token}`;

/** Without the line break at the end of a file. */
async function readPassword({ io }: Cli, path: string): Promise<string> {
  const text = path === "-" ? await readInput(io) : readFile(path);
  return text.replace(/\r?\n$/, "");
}

function readFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw failure("The password cannot be read", error);
  }
}

/** More than an account can have. */
const ALL = { page: 1, per_page: 1_000_000 };

type KeyCreation = { email: string; name: string; readOnly?: true; expiresAt?: string };

export function addKey(program: Command, cli: Cli) {
  const key = program.command("key").description("manage API keys");
  key
    .command("create")
    .description("create a key and print its value, only once")
    .requiredOption("--email <email>", "whose key; that of a viewer cannot change anything")
    .requiredOption("--name <name>", "what the key is for")
    .option("--read-only", "cannot change anything")
    .option("--expires-at <time>", "RFC 3339, such as 2031-01-01T00:00:00Z, or a date")
    .action((options: KeyCreation) => create(cli, options));
  key
    .command("list")
    .description("list an account's keys")
    .requiredOption("--email <email>", "whose account")
    .action((options: { email: string }) => list(cli, options));
  key
    .command("revoke")
    .description("revoke a key permanently")
    .argument("<id>", "the key's id, as `key list` shows it")
    .action((id: string) => revoke(cli, id));
}

async function create(cli: Cli, { email, name, readOnly, expiresAt }: KeyCreation) {
  const permissions = readOnly && { write: false };
  const input = await readBody(NewKey, { name, permissions, expires_at: expiresAt });
  await withDeps(cli, async (deps) => {
    await refuseFullDisk(deps.config);
    const user = await requireUser(deps, await readEmail(email));
    const operator = await operatorOf(deps, user.accountId);
    const caller = { ...operator, permissions: permissionsOfRole(user.role) };
    const { id, value } = await makeChange(deps, caller, (unit) => createKey(unit, caller, input));
    await openOutput(cli.io)
      .write(`${value}\n`)
      .catch(() => revokeUnseen(deps, caller, id));
  });
}

/** A key that no one has seen cannot be used, and no one would know to revoke it. */
async function revokeUnseen(deps: Deps, caller: Caller, id: string): Promise<never> {
  await makeChange(deps, caller, (unit) => revokeKey(unit, caller, id));
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
    const caller = await operatorOf(deps, await accountOfKey(deps, id));
    await makeChange(deps, caller, (unit) => revokeKey(unit, caller, id));
    cli.print(`Revoked ${id}.`);
  });

async function accountOf(deps: Deps, email: string): Promise<Caller> {
  const user = await requireUser(deps, await readEmail(email));
  return operatorOf(deps, user.accountId);
}

export const withEmail = (command: Command) =>
  command.option("--email <email>", "whose account; required if there are several");

/**
 * The operator, acting in the account of the user, or in the only account.
 * @throws UsageError without an email if there are several accounts; NOT_FOUND
 */
export async function callerFor(deps: Deps, email: string | undefined): Promise<Caller> {
  if (email !== undefined) {
    const user = await requireUser(deps, await readEmail(email));
    return operatorOf(deps, user.accountId);
  }
  const accountIds = new Set((await listUsers(deps)).map(({ user }) => user.accountId));
  const [only] = accountIds;
  if (only === undefined) {
    throw new Error("There is no account yet; create one with `stillup user create`.");
  }
  if (accountIds.size > 1) {
    throw new UsageError("There are several accounts; choose one with --email.");
  }
  return operatorOf(deps, only);
}
