import { and, eq, isNotNull, sql } from "drizzle-orm";
import { parse } from "tldts";
import type { Store } from "../../ground/db/store.ts";
import { accounts, checks, hostSettings, links } from "../../ground/db/tables.ts";
import { isOutside, parseAddress } from "../../ground/net/policy.ts";
import { settingFor } from "../../judge/probe/host-setting.ts";

/** Names of parameters whose values are secrets or say who someone is. */
const SECRET_NAMES = new Set([
  "token",
  "key",
  "sig",
  "auth",
  "pass",
  "secret",
  "session",
  "code",
  "email",
  "hash",
]);

/** Without words of their own that only look like them, such as `keyword` and `barcode`. */
const wordsIn = (name: string) =>
  name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[\s_.-]+/);

const LONG_HEX = /^[0-9a-f]{32,}$/i;
const LONG_BASE64 =
  /(?<![A-Za-z0-9+/_=])(?=[A-Za-z0-9+_=]*[a-z])(?=[A-Za-z0-9+_=]*[A-Z])(?=[A-Za-z0-9+_=]*\d)[A-Za-z0-9+_=]{32,}/;

const isSecretText = (text: string) => LONG_HEX.test(text) || LONG_BASE64.test(text);

/** Whether a URL contains what only those may know who were given it. */
export function hasSecret({ pathname, searchParams, username, password }: URL): boolean {
  if (username !== "" || password !== "") return true;
  const parts = pathname.split("/").map(decoded);
  if (parts.some(isSecretText)) return true;
  return [...searchParams].some(
    ([name, value]) => wordsIn(name).some((word) => SECRET_NAMES.has(word)) || isSecretText(value),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** RFC 6762, RFC 8375, RFC 6761, and what networks at home and at companies use. */
const INSIDE = /(?:^|\.)(?:local|internal|lan|home\.arpa|test|localhost|invalid|corp|intranet)$/;

/** Whether a host is one of the internet by its name. Addresses are not, since their owners are unknown. */
export function hasPublicName({ hostname }: URL): boolean {
  const name = hostname.replace(/\.$/, "");
  if (parseAddress(name.replace(/^\[|\]$/g, "")) || INSIDE.test(name)) return false;
  const { domain, isIcann } = parse(name);
  return isIcann === true && domain !== null;
}

/** Whether an archive may learn of a page that is alive at an address, for an account with these host settings. */
export function mayPublish(
  text: string,
  address: string | null,
  settings: readonly { host: string }[],
): boolean {
  const url = new URL(text);
  const isInside = address !== null && !isOutside(address);
  return (
    hasPublicName(url) && !hasSecret(url) && !isInside && settingFor(settings, url.host) === null
  );
}

type Subject = {
  accountNo: number;
  url: string;
  urlKey: string;
  lastActiveAt: number | null;
  isByHand: boolean;
};

/**
 * Whether an archive must not learn the URL of a link. A person may ask nevertheless, but only about hosts of the
 * internet.
 */
export async function isPrivate(store: Store, subject: Subject): Promise<boolean> {
  const url = new URL(subject.url);
  if (!hasPublicName(url)) return true;
  if (subject.isByHand) return false;
  if (hasSecret(url) || (await hasHostSetting(store, subject))) return true;
  const addresses = await addressesSeen(store, subject);
  if (addresses.some((address) => !isOutside(address))) return true;
  // A name that never resolved may be one of a network that this server is not in.
  return addresses.length === 0 && subject.lastActiveAt === null;
}

async function hasHostSetting(store: Store, { accountNo, url }: Subject): Promise<boolean> {
  const settings = await store
    .select({ host: hostSettings.host })
    .from(hostSettings)
    .innerJoin(accounts, eq(accounts.id, hostSettings.accountId))
    .where(eq(accounts.no, accountNo));
  return settingFor(settings, new URL(url).host) !== null;
}

const MOST_SEEN = 100;

/** The addresses at which checks of the link found its server. */
async function addressesSeen(store: Store, { accountNo, urlKey }: Subject): Promise<string[]> {
  const [link] = await store
    .select({ no: links.no, evidence: links.evidence })
    .from(accounts)
    .innerJoin(links, and(eq(links.accountId, accounts.id), eq(links.urlKey, urlKey)))
    .where(eq(accounts.no, accountNo))
    .limit(1);
  if (!link) return [];
  const before = await store
    .select({ evidence: checks.evidence })
    .from(checks)
    .where(
      and(
        eq(checks.accountNo, accountNo),
        sql`${checks.linkNo} = ${link.no}`,
        isNotNull(checks.evidence),
      ),
    )
    .limit(MOST_SEEN);
  return [link, ...before].flatMap(({ evidence }) => {
    const address = evidence === null ? null : JSON.parse(evidence).address;
    return typeof address === "string" ? [address] : [];
  });
}
