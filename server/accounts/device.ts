import type { UserRow } from "../db/tables.ts";
import { hashToken, newSessionToken } from "../lib/token.ts";
import type { Deps } from "../work/deps.ts";
import { findUser } from "./users.ts";

const YEAR_MS = 365 * 86_400_000;
/** No other sealed text begins like this. */
const KIND = "device ";

/** The content of a device cookie. `password` is the SHA-256 of the password's hash. */
type Device = { id: string; user: string; password: string; at: number };

/**
 * The value of a cookie that proves that someone signed in as this person in this browser (OWASP "device cookies").
 * It is sealed, opens nothing, and ends with the password that was used.
 */
export function newDevice({ secrets, clock }: Deps, user: UserRow): string {
  const password = hashToken(user.passwordHash ?? "");
  const device: Device = { id: newSessionToken(), user: user.id, password, at: clock.now() };
  const sealed = secrets.seal(KIND + JSON.stringify(device));
  return Buffer.from(sealed, "base64").toString("base64url");
}

/** The id of the device if the cookie is one of the person with this e-mail, and null otherwise. */
export async function findDevice(
  deps: Deps,
  email: string,
  cookie: string | null,
): Promise<string | null> {
  const device = cookie && open(deps, cookie);
  if (!device || Math.abs(deps.clock.now() - device.at) > YEAR_MS) return null;
  const user = await findUser(deps, email);
  const isTheirs =
    user?.id === device.user &&
    user.passwordHash !== null &&
    hashToken(user.passwordHash) === device.password;
  // Not the cookie itself, which can be written in several ways.
  return isTheirs ? device.id : null;
}

function open({ secrets }: Deps, cookie: string): Device | null {
  try {
    const text = secrets.open(Buffer.from(cookie, "base64url").toString("base64"));
    return text.startsWith(KIND) ? JSON.parse(text.slice(KIND.length)) : null;
  } catch {
    return null;
  }
}
