import { auditChange, linkTarget } from "../accounts/audit.ts";
import { lockLinks } from "../ground/db/queries.ts";
import type { LinkRow } from "../ground/db/tables.ts";
import { AppError, invalid, notFound } from "../ground/lib/errors.ts";
import type { ReplacementResult, SuggestionKind } from "../ground/lib/vocabulary.ts";
import type { Caller } from "../http/caller.ts";
import { urlKeyOf } from "../judge/services/catalogue.ts";
import { findHolders, readUrl, writeUrls } from "../links/change-url.ts";
import { duplicateUrl } from "../links/create.ts";
import { NOT_ACCEPTED } from "../links/fields/accepted.ts";
import { withDetails, writeDetails } from "../links/fields/details.ts";
import { OPEN } from "../links/fields/handling.ts";
import { changedBetween, entriesOf, type LinkDetails } from "../links/fields/registry.ts";
import { findLink, findLinkDetail } from "../links/links.ts";
import type { LinkDetailRow } from "../links/model.ts";
import { retireLinks } from "../links/retire.ts";
import { publishChanges } from "../links/triage/change-events.ts";
import { recordActions } from "../links/triage/timeline.ts";
import type { Deps, SaveReply } from "../work/deps.ts";
import { makeChange, type Unit } from "../work/unit.ts";
import { noteAccepted } from "./patterns/patterns.ts";
import { currentSuggestion } from "./suggestions/current.ts";

type Found = LinkRow & { details: LinkDetails };

/** A link with the URL that is to stand in its place. */
export type Wish = { link: Found; url: URL; note: string | null };

/** What a request for one link says: a URL, or which suggestion is taken. */
type Input = {
  url?: string | undefined;
  suggestion_id?: string | undefined;
  note: string | null;
  merge: boolean;
};

/** A link that was replaced. `mode` says what that came to. */
export type ReplacedLink = LinkDetailRow & { mode: Mode };

/** What a replacement changes: the link's URL, only what its places should have, or which link watches the URL. */
export const MODES = ["link", "places", "merged"] as const;
type Mode = (typeof MODES)[number];

const MODE_OF = {
  replaced: "link",
  stored: "places",
  merged: "merged",
  skipped: "places",
} as const;

/**
 * Puts another URL in the place of a link's. A link that stands in sources keeps its own, which they would add again,
 * and the new one is stored until they have it.
 * @throws VALIDATION_ERROR for a URL that cannot be checked; CONFLICT when another link has it, unless they are merged,
 * and for a suggestion that is out of date
 */
export async function replaceLink(
  deps: Deps,
  { caller, id, signal }: { caller: Caller; id: string; signal: AbortSignal },
  { url, suggestion_id: suggestionId, note, merge }: Input,
  save: SaveReply<ReplacedLink>,
): Promise<ReplacedLink> {
  const link = await findLink(deps, caller, id);
  const taken = suggestionId
    ? await currentSuggestion(deps, { link, suggestionId, signal })
    : { url: url!, kind: "url" as const };
  return makeChange(deps, caller, async (unit) => {
    const mode = await replaceOne(unit, caller, link, { ...taken, note, merge });
    const replaced = { ...(await findLinkDetail(unit, caller, id)), mode };
    await save(unit.store, replaced);
    return replaced;
  });
}

type Taken = { url: string; kind: SuggestionKind | "url"; note: string | null; merge: boolean };

async function replaceOne(
  unit: Unit,
  caller: Caller,
  seen: LinkRow,
  { url: given, kind, note, merge }: Taken,
): Promise<Mode> {
  const url = readUrl(unit, given);
  const link = await lockLink(unit, caller, seen.id);
  if (url.href === link.url) throw invalid({ url: ["is the link's URL already"] });
  // Its suggestions were for the URL that it had.
  if (kind !== "url" && link.url !== seen.url) throw notFound("suggestion");
  const [outcome] = await replaceLocked(unit, caller, [{ link, url, note }], merge);
  if (outcome instanceof AppError) throw outcome;
  if (outcome !== "skipped") {
    await auditChange(unit, caller, { action: "link.replaced", target: linkTarget([link]) });
    const pair = { accountNo: caller.accountNo, from: link.url, to: url.href };
    await noteAccepted(unit.store, { ...pair, now: unit.clock.now() });
    unit.afterCommit(({ metrics }) => metrics.replacementsAccepted(kind, 1));
  }
  return MODE_OF[outcome!];
}

/**
 * Takes back a stored URL, and opens the link again if storing it has acknowledged the link.
 * @throws NOT_FOUND when there is none
 */
export async function withdrawReplacement(unit: Unit, caller: Caller, id: string): Promise<void> {
  const link = await lockLink(unit, caller, id);
  const { acceptedUrl, acceptedAt, acceptedBy, ...before } = link.details;
  if (acceptedUrl === null) throw notFound("replacement");
  const isOurs =
    before.handling === "acknowledged" &&
    before.handledAt === acceptedAt &&
    before.handledBy === acceptedBy;
  const after = { ...link.details, ...NOT_ACCEPTED, ...(isOurs && OPEN) };
  const fields = await writeChanges(unit, caller, [{ link, after }]);
  const at = unit.clock.now();
  const entries = entriesOf(after, fields[0]!).map((entry) => ({ ...entry, no: link.no, at }));
  await recordActions(
    unit.store,
    entries.map((entry) => ({ ...entry, actor: caller.by.name })),
  );
  const change = {
    action: "link.changed",
    target: linkTarget([link]),
    fields: fields[0]!,
  } as const;
  await auditChange(unit, caller, change);
}

async function lockLink(unit: Unit, caller: Caller, id: string): Promise<Found> {
  const { no } = await findLink(unit, caller, id);
  await lockLinks(unit.store, [no]);
  const [link] = await withDetails(unit.store, [await findLink(unit, caller, id)]);
  return link!;
}

/** What became of a link, or why nothing did. */
export type Outcome = Exclude<ReplacementResult, "failed"> | AppError;

/**
 * The same for links that the transaction of `unit.store` has locked, with as many statements for many as for one.
 * @param merge whether a link is retired when another one has its new URL
 * @returns an outcome for each
 */
export async function replaceLocked(
  unit: Unit,
  caller: Caller,
  wishes: Wish[],
  merge: boolean,
): Promise<Outcome[]> {
  const outcomes = new Map<Wish, Outcome>();
  const standsInSources = ({ link }: Wish) => link.details.sources > 0;
  const free = wishes.filter((wish) => !standsInSources(wish));
  const changed = await writeUrls(unit, caller, free);
  for (const [i, wish] of free.entries()) {
    const result = changed[i]!;
    if (result instanceof AppError) outcomes.set(wish, merge ? "merged" : result);
    else outcomes.set(wish, result ? "replaced" : "skipped");
  }
  const inSources = wishes.filter(standsInSources);
  const refusalOf = merge ? () => null : await refusals(unit, caller, inSources);
  for (const wish of inSources) outcomes.set(wish, refusalOf(wish) ?? storingOf(wish));
  const those = (outcome: Outcome) => wishes.filter((wish) => outcomes.get(wish) === outcome);
  await storeUrls(unit, caller, those("stored"), true);
  await storeUrls(unit, caller, those("merged"), false);
  await retireLinks(
    unit,
    caller,
    those("merged").map(({ link }) => link),
  );
  return wishes.map((wish) => outcomes.get(wish)!);
}

const storingOf = ({ link, url }: Wish) =>
  url.href === link.url || url.href === link.details.acceptedUrl ? "skipped" : "stored";

/** Finds those among the wishes whose URL another link has. */
async function refusals({ store, catalogue }: Unit, caller: Caller, wishes: Wish[]) {
  const keyOf = ({ url }: Wish) => urlKeyOf(catalogue, url);
  const holders =
    wishes.length === 0 ? new Map() : await findHolders(store, caller, wishes.map(keyOf));
  return (wish: Wish): AppError | null => {
    const existingId = holders.get(keyOf(wish));
    return existingId && existingId !== wish.link.id ? duplicateUrl({ existingId }) : null;
  };
}

/** @param isWatched whether the links are watched until their sources have the new URL */
async function storeUrls(
  unit: Unit,
  caller: Caller,
  wishes: Wish[],
  isWatched: boolean,
): Promise<void> {
  if (wishes.length === 0) return;
  const at = unit.clock.now();
  const by = caller.by.name;
  const known = { handling: "acknowledged", handledAt: at, handledBy: by } as const;
  const changes = wishes.map(({ link, url }) => ({
    link,
    after: {
      ...link.details,
      acceptedUrl: url.href,
      acceptedBy: by,
      acceptedAt: at,
      ...(isWatched && link.status === "dead" && link.details.handling === "open" && known),
    },
  }));
  await writeChanges(unit, caller, changes);
  await recordActions(
    unit.store,
    wishes.map(({ link, url, note }) => ({
      no: link.no,
      at,
      kind: "replaced",
      actor: by,
      detail: note ? `${url.href} (${note})` : url.href,
    })),
  );
}

/** Writes what is known of links, and publishes it. @returns the changed fields of each */
async function writeChanges(
  unit: Unit,
  caller: Caller,
  changes: { link: Found; after: LinkDetails }[],
): Promise<string[][]> {
  const at = unit.clock.now();
  const all = changes.map(({ link, after }) => ({
    no: link.no,
    link,
    before: link.details,
    after,
    fields: changedBetween(link.details, after),
  }));
  await writeDetails(unit.store, caller, all, at);
  await publishChanges(unit, caller, all, at);
  return all.map(({ fields }) => fields);
}
