import {
  createAccount,
  createPasswordLink as createLink,
  type NewAccount,
} from "../../server/accounts/users.ts";
import { type UserRow, users } from "../../server/ground/db/tables.ts";
import { hashPassword } from "../../server/ground/lib/passwords.ts";
import type { Deps } from "../../server/work/deps.ts";
import { PASSWORD_MEMORY_MB, type Reply, type TestServer } from "../harness.ts";

export const PASSWORD = "correct horse battery staple";
const passwordHash = hashPassword(PASSWORD, PASSWORD_MEMORY_MB);

/** Someone at a browser: keeps cookies, and says where a request comes from as browsers do. */
export type Browser = {
  /** The session's cookie, with its name. */
  cookie(): string | undefined;
  /** The device cookie of the one person who signed in here, with its name. */
  deviceCookie(): string | undefined;
  ask(method: string, path: string, body?: unknown, headers?: HeadersInit): Promise<Reply>;
  get(path: string): Promise<Reply>;
  post(path: string, body?: unknown): Promise<Reply>;
  patch(path: string, body?: unknown): Promise<Reply>;
  delete(path: string): Promise<Reply>;
  signIn(email: string, password?: string): Promise<Reply>;
};

/** A proxy that the server trusts, so that each browser has an address of its own. */
export const BEHIND_PROXY = { STILLUP_TRUSTED_PROXIES: "127.0.0.1" };
let browsers = 0;

/**
 * @param cookie to begin with, as if taken over from elsewhere
 * @param address where it is, somewhere else than all others by default
 */
export function openBrowser(
  server: TestServer,
  cookie?: string,
  address = `10.0.${Math.floor(++browsers / 250)}.${browsers % 250}`,
): Browser {
  const jar = new Map<string, string>();
  const keep = (each: string) => jar.set(each.slice(0, each.indexOf("=")), each);
  if (cookie) keep(cookie);
  const cookieLike = (name: RegExp) => [...jar].find(([each]) => name.test(each))?.[1];

  async function ask(
    method: string,
    path: string,
    body?: unknown,
    headers: HeadersInit = { "sec-fetch-site": "same-origin" },
  ): Promise<Reply> {
    const response = await fetch(`${server.url}/dashboard/api${path}`, {
      method,
      headers: {
        "x-forwarded-for": address,
        ...(jar.size > 0 && { cookie: [...jar.values()].join("; ") }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...Object.fromEntries(new Headers(headers)),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const set of response.headers.getSetCookie()) keep(set.split(";")[0]!);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
  }

  return {
    cookie: () => cookieLike(/session$/),
    deviceCookie: () => cookieLike(/device-/),
    ask,
    get: (path) => ask("GET", path),
    post: (path, body) => ask("POST", path, body),
    patch: (path, body) => ask("PATCH", path, body),
    delete: (path) => ask("DELETE", path),
    signIn: (email, password = PASSWORD) => ask("POST", "/session", { email, password }),
  };
}

/** The rest of a session that was not begun by a request. */
export const SESSION = { tokenHash: "", via: "password", provedAt: null, idToken: null } as const;

let people = 0;

/** A new account whose owner can sign in with `PASSWORD`. */
export async function newOwner({ deps }: TestServer): Promise<NewAccount> {
  const email = `owner${++people}@example.org`;
  return createAccount(deps, {
    email,
    tier: "business",
    passwordHash: await passwordHash,
    isAdmin: false,
  });
}

/** Another user of the owner's account. */
export async function newColleague(
  { deps }: TestServer,
  { owner }: NewAccount,
  role: "owner" | "editor" | "viewer",
) {
  const email = `${role}${++people}@example.org`;
  const user = { ...owner, id: crypto.randomUUID(), email, role };
  await deps.store.insert(users).values(user);
  return user;
}

/** The token of a new link that sets the user's password. */
export const createPasswordLink = (deps: Deps, user: UserRow): Promise<string> =>
  createLink(deps, user.id);
