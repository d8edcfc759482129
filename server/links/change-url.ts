import { and, eq, inArray, sql } from "drizzle-orm";
import { auditChange, linkTarget } from "../accounts/audit.ts";
import { lockLinks } from "../ground/db/queries.ts";
import { numbersOf, onRows, type Store } from "../ground/db/store.ts";
import {
  type LinkRow,
  linkReadings,
  linkResponses,
  links,
  sourceLinks,
  sources,
} from "../ground/db/tables.ts";
import { AppError, invalid } from "../ground/lib/errors.ts";
import { siteOfUrl } from "../ground/lib/site.ts";
import { parseTarget } from "../ground/net/policy.ts";
import { noteSites } from "../history/status-days.ts";
import type { Caller } from "../http/caller.ts";
import { serviceIdOf, urlKeyOf } from "../judge/services/catalogue.ts";
import type { Deps } from "../work/deps.ts";
import { bucketOfUrl } from "../work/nodes.ts";
import type { Unit } from "../work/unit.ts";
import { duplicateUrl } from "./create.ts";
import { NOT_ACCEPTED } from "./fields/accepted.ts";
import { withDetails, writeDetails } from "./fields/details.ts";
import type { LinkDetails } from "./fields/registry.ts";
import { fragmentOf, resetFragments } from "./fragments.ts";
import { findLink, findLinkDetail } from "./links.ts";
import { forgetMemories } from "./memories.ts";
import type { LinkDetailRow } from "./model.ts";
import { NOTHING_SUSPECTED } from "./override.ts";
import { hasNumber } from "./selection.ts";
import { forgetSuggestions } from "./suggestions/rows.ts";
import { publishChanges } from "./triage/change-events.ts";
import { inheritMutes } from "./triage/inherit.ts";
import { recordActions } from "./triage/timeline.ts";

/** Older ones are forgotten. */
const MOST_URLS = 100;

/**
 * Gives a link another URL and makes it due. Its history keeps the old one, and the last decided status stays, so that
 * only a real change is reported. A check that is under way counts for nothing.
 * @throws VALIDATION_ERROR for a URL that cannot be checked; CONFLICT when another link has it
 */
export async function changeUrl(
  unit: Unit,
  caller: Caller,
  id: string,
  { url: given, note }: { url: string; note: string | null },
): Promise<LinkDetailRow> {
  const { no } = await findLink(unit, caller, id);
  const url = readUrl(unit, given);
  await lockLinks(unit.store, [no]);
  const [link] = await withDetails(unit.store, [await findLink(unit, caller, id)]);
  const [isChanged] = await writeUrls(unit, caller, [{ link: link!, url, note }]);
  if (isChanged instanceof AppError) throw isChanged;
  if (isChanged) {
    const target = linkTarget([{ id: link!.id, url: url.href }]);
    await auditChange(unit, caller, { action: "link.url_changed", target });
  }
  return findLinkDetail(unit, caller, id);
}

/** @throws VALIDATION_ERROR */
export function readUrl({ config }: Pick<Deps, "config">, given: string, field = "url"): URL {
  const policy = { allowed: config.checkAllowedHosts, blocked: config.checkBlockedHosts };
  const target = parseTarget(given.trim(), policy, "STILLUP_CHECK_ALLOWED_HOSTS");
  if (!target.ok) throw invalid({ [field]: [target.problem] });
  return target.url;
}

type UrlChange = { link: LinkRow & { details: LinkDetails }; url: URL; note: string | null };

/**
 * The same for links that the transaction of `deps.store` has locked, with as many statements for many as for one.
 * @returns for each whether its URL changed, or a CONFLICT when another link has the new one
 */
export async function writeUrls(
  deps: Deps,
  caller: Caller,
  changes: UrlChange[],
): Promise<(boolean | AppError)[]> {
  const real = changes.filter(({ link, url }) => url.href !== link.url);
  const refused = await writeFree(deps, caller, real);
  return changes.map((change) => refused.get(change) ?? real.includes(change));
}

/** Returns those that were refused. A URL that another of these links gives up is free. */
async function writeFree(
  deps: Deps,
  caller: Caller,
  changes: UrlChange[],
): Promise<Map<UrlChange, AppError>> {
  if (changes.length === 0) return new Map();
  const keyed = changes.map((change) => ({ change, key: urlKeyOf(deps.catalogue, change.url) }));
  const keys = keyed.map(({ key }) => key);
  const refused = refusedAmong(keyed, await findHolders(deps.store, caller, keys));
  const free = keyed.filter(({ change }) => !refused.has(change));
  if (free.length > 0)
    await write(deps, caller, new Map(free.map(({ change, key }) => [change, key])));
  return refused;
}

type Move = { change: UrlChange; key: string };

/**
 * The changes whose URL another link keeps or gets.
 * @param holders the ids of the links that have the URLs before, by key
 */
function refusedAmong(moves: Move[], holders: Map<string, string>): Map<UrlChange, AppError> {
  const byId = new Map(moves.map((move) => [move.change.link.id, move]));
  const firstFor = new Map<string, Move>();
  const refused = new Set<UrlChange>();
  for (const move of moves) {
    const holder = holders.get(move.key);
    if (firstFor.has(move.key) || (holder && !byId.has(holder))) refused.add(move.change);
    else firstFor.set(move.key, move);
  }
  // Grows meanwhile: who is refused keeps a URL that another may want.
  for (const { link } of refused) {
    const other = firstFor.get(link.urlKey);
    if (other && other.change.link.id !== link.id) refused.add(other.change);
  }
  const keeps = (id: string) => !byId.has(id) || refused.has(byId.get(id)!.change);
  return new Map(
    moves
      .filter(({ change }) => refused.has(change))
      .map(({ change, key }) => {
        const holder = holders.get(key);
        const existingId = holder && keeps(holder) ? holder : firstFor.get(key)!.change.link.id;
        return [change, duplicateUrl({ existingId })];
      }),
  );
}

async function write(deps: Deps, caller: Caller, changes: Map<UrlChange, string>): Promise<void> {
  const { store: tx, catalogue, clock } = deps;
  const { accountNo } = caller;
  const at = clock.now();
  const all = [...changes.keys()];
  const nos = all.map(({ link }) => link.no);
  // The triggers of sites expect that only one of status and URL changes.
  await tx
    .update(links)
    .set({
      status: "unknown",
      reason: null,
      statusChangedAt: at,
      updatedAt: at,
      ...NOTHING_KNOWN,
      // Each is free before another link gets it.
      urlKey: sql`'#' || cast(${links.no} as text)`,
    })
    .where(hasNumber(tx, nos));
  await setUrls(
    tx,
    [...changes].map(([{ link, url }, urlKey]) => [
      link.no,
      accountNo,
      url.href,
      urlKey,
      serviceIdOf(catalogue, url),
      siteOfUrl(url),
      bucketOfUrl(url),
    ]),
    { at },
  );
  await tx.delete(linkResponses).where(inArray(linkResponses.linkNo, nos));
  await tx.delete(linkReadings).where(inArray(linkReadings.linkNo, nos));
  await forgetMemories(tx, nos);
  await forgetSuggestions(tx, nos);
  const sites = all.flatMap(({ link, url }) => [link.site, siteOfUrl(url)]);
  await noteSites(tx, { accountNo, at }, sites);
  // After its last check also where the clock was set back, since history is sorted by that.
  const until = ({ lastCheckedAt }: LinkRow) => Math.max(at, (lastCheckedAt ?? 0) + 1);
  const kept = all.map(({ link }) => [link.no, until(link), link.url, caller.by.name]);
  await keepUrls(tx, kept);
  await forgetOldUrls(tx, kept);
  const changed = all.map(({ link, url, note }) => ({
    no: link.no,
    at,
    note,
    before: link.details,
    after: afterChange(link.details),
    link: { id: link.id, url: url.href },
    fields: ["url"],
    previousUrl: link.url,
  }));
  await writeDetails(tx, caller, changed, at);
  await resetFragments(
    tx,
    caller,
    all.map(({ link, url }) => ({ no: link.no, fragment: fragmentOf(catalogue, url) })),
  );
  await recordActions(
    tx,
    changed.map(({ no, note }) => ({
      no,
      at,
      kind: "url_changed",
      actor: caller.by.name,
      detail: note,
    })),
  );
  await inheritMutes(tx, nos, at);
  await compareAgain(tx, nos, at);
  await publishChanges(deps, caller, changed, at);
}

/** Marking more in one transaction would hold up other writes. */
const MOST_PAGES = 2000;

/**
 * Lets the pages on which links stood under their earlier URLs be compared with what is stored when their sources are
 * read next. Where they are too many, their sources are read whole, as after a change of their settings.
 */
async function compareAgain(tx: Store, nos: number[], at: number): Promise<void> {
  const pages = await tx.all(sql`
    update source_pages set refused = 1 where no in (
      select p.no from occurrences o join source_pages p on p.no = o.page_no
      where o.target_no in (select no from ${numbersOf(tx, nos)} as moved) and p.refused = 0 limit ${MOST_PAGES}
    ) returning no`);
  if (pages.length < MOST_PAGES) return;
  const ties = tx
    .select({ no: sourceLinks.sourceNo })
    .from(sourceLinks)
    .where(inArray(sourceLinks.linkNo, sql`${numbersOf(tx, nos)}`));
  await tx.update(sources).set({ updatedAt: at }).where(inArray(sources.no, ties));
}

const NOTHING_KNOWN = {
  ...NOTHING_SUSPECTED,
  flappingUntil: null,
  lastActiveAt: null,
  tlsExpiresAt: null,
  lastStatus: null,
  lastReason: null,
  lastCause: null,
  lastStatusCode: null,
  lastResponseTimeMs: null,
  evidence: null,
  aliveResponse: null,
  deadResponse: null,
};

/** What was decided about the old URL ends; a mute stays. Its sources had the old one, so the link no longer leaves with them. */
const afterChange = (details: LinkDetails): LinkDetails => ({
  ...details,
  ...NOT_ACCEPTED,
  isPinned: true,
  ...(details.handling === "acknowledged" && {
    handling: "open",
    handledAt: null,
    handledBy: null,
  }),
  override: null,
  overrideUntil: null,
});

/** The ids of the account's links that have a URL, by its key. */
export async function findHolders(
  tx: Store,
  { accountId }: Caller,
  keys: string[],
): Promise<Map<string, string>> {
  const rows = await tx
    .select({ key: links.urlKey, id: links.id })
    .from(links)
    .where(and(eq(links.accountId, accountId), inArray(links.urlKey, keys)));
  return new Map(rows.map(({ key, id }) => [key, id]));
}

const setUrls = onRows(
  {
    link: "bigint",
    account: "bigint",
    new_url: "text",
    new_key: "text",
    new_service: "text",
    new_site: "text",
    new_bucket: "bigint",
  },
  (rows) => sql`
    update links set url = new_url, url_key = new_key, service = new_service, site = new_site, bucket = new_bucket,
      next_check_at = ${sql.placeholder("at")}, next_trigger = 'manual'
    from ${rows} as given where links.no = link and links.account_no = account
  `,
);

const OLD_URLS = { link: "bigint", until_at: "bigint", old_url: "text", by_name: "text" } as const;

const keepUrls = onRows(
  OLD_URLS,
  (rows) => sql`
    insert into link_urls (link_no, until, url, changed_by)
    select link, until_at, old_url, by_name from ${rows} as given where true
    on conflict (link_no, until) do nothing
  `,
);

const forgetOldUrls = onRows(
  OLD_URLS,
  (rows) => sql`
    delete from link_urls where link_no in (select link from ${rows} as given) and until < (
      select newer.until from link_urls newer where newer.link_no = link_urls.link_no
      order by newer.until desc limit 1 offset ${sql.raw(String(MOST_URLS - 1))}
    )
  `,
);
