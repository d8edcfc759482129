import { isNull, sql } from "drizzle-orm";
import { rowsOf } from "../db/store.ts";
import { type UrlState, type WebhookRow, webhooks } from "../db/tables.ts";
import type { SecretBox } from "../lib/secret-box.ts";
import type { Deps } from "../work/deps.ts";

/** So few that no other write has to wait for long. */
const ROWS = 500;

type Sealed = Pick<WebhookRow, "url" | "sealedUrl">;

/** Returns what anyone may see of a webhook's URL, since the rest may be a secret: `https://hooks.slack.com/…`. */
function shortUrl(url: string): string {
  const { origin, href } = new URL(url);
  return href === `${origin}/` ? href : `${origin}/…`;
}

/** Returns the columns of a webhook for this URL. */
export const sealedUrl = (url: string, { seal }: SecretBox) => ({
  url: shortUrl(url),
  sealedUrl: seal(url),
});

/** Returns the URL to send to. @throws SealedUnderOtherKey */
export const fullUrl = (webhook: Sealed, { open }: SecretBox): string =>
  webhook.sealedUrl === null ? webhook.url : open(webhook.sealedUrl);

/** Returns the URL as someone may see it: whole for those who may change it, as far as it can be opened. */
export function urlFor(
  webhook: Sealed,
  secrets: SecretBox,
  { write }: { write: boolean },
): { url: string; urlState: UrlState } {
  const full = fullUrlOrNull(webhook, secrets);
  if (full === null) return { url: webhook.url, urlState: "unreadable" };
  const short = shortUrl(full);
  if (write || short === full) return { url: full, urlState: "full" };
  return { url: short, urlState: "shortened" };
}

function fullUrlOrNull(webhook: Sealed, secrets: SecretBox): string | null {
  try {
    return fullUrl(webhook, secrets);
  } catch {
    return null;
  }
}

/** A shorter part of a URL is a common word rather than a secret. */
const LEAST_SECRET = 8;

/**
 * Returns what a receiver answered without the parts of its URL that it repeats, as in "Cannot POST /services/T0/B0/x":
 * more people may read the answer than the URL.
 */
export function withoutUrl(text: string, url: string): string {
  const { pathname, search, searchParams } = new URL(url);
  const parts = [
    ...[pathname + search, pathname, search, ...pathname.split("/")],
    ...search
      .slice(1)
      .split("&")
      .map((pair) => pair.slice(pair.indexOf("=") + 1)),
    ...searchParams.values(),
  ];
  return parts
    .flatMap((part) => [
      part,
      decoded(part),
      part.replaceAll("/", "\\/"),
      part.replaceAll("&", "&amp;"),
    ])
    .filter(({ length }) => length >= LEAST_SECRET)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, part) => rest.replaceAll(part, "…"), text);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * Seals URLs that an earlier version has left in clear, in steps. A step that was cut off, or that another node was
 * faster with, leaves every row either whole or sealed.
 */
export async function sealUrls({ store, secrets }: Pick<Deps, "store" | "secrets">): Promise<void> {
  const { id, url } = webhooks;
  for (;;) {
    const rows = await store
      .select({ id, url })
      .from(webhooks)
      .where(isNull(webhooks.sealedUrl))
      .orderBy(id)
      .limit(ROWS);
    if (rows.length === 0) return;
    const cells = rows.map((row) => [row.id, row.url, shortUrl(row.url), secrets.seal(row.url)]);
    await store.run(sql`
      update webhooks set url = short, sealed_url = sealed
      from ${rowsOf(store, CELLS, cells)} as made
      where webhooks.id = of_webhook and webhooks.url = whole and sealed_url is null
    `);
  }
}

const CELLS = { of_webhook: "text", whole: "text", short: "text", sealed: "text" } as const;
