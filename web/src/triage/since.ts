import type { Query, QueryClient } from "@tanstack/preact-query";
import { shownUrl } from "../data/display-url.ts";
import { counted } from "../data/format.ts";
import type { ListedLink } from "../data/link-rows.ts";
import { listTimeline, type TimelineEntry } from "./requests.ts";

/** What a row shows after a decision. */
type After = (link: ListedLink) => Partial<ListedLink>;
/** What was decided here about a link, and when. */
type Decided = { after: After; at: number; asked: number };

/** What others decide later is nothing unexpected. */
const WATCHED_MS = 5 * 60_000;
const MOST_WATCHED = 1000;
/** A link may also differ because it was read before the decision, or because a check ended it. */
const MOST_TRIES = 3;

const decided = new Map<string, Decided>();
let stop: (() => void) | undefined;

export type Watching = {
  client: QueryClient;
  /** The address of the reader. */
  email: string;
  say: (text: string) => void;
};

/**
 * Says who decides otherwise about these links, of two people who act on them at once. The later one wins.
 * @param at when the reader decided
 */
export function watchSince(watching: Watching, ids: string[], after: After, at = Date.now()) {
  for (const id of ids) {
    const known = decided.get(id);
    // The latest come last.
    decided.delete(id);
    const both: After = (link) => ({ ...known?.after(link), ...after(link) });
    decided.set(id, { after: known ? both : after, at, asked: 0 });
  }
  for (const [id, { at: then }] of decided) {
    if (decided.size <= MOST_WATCHED && at - then < WATCHED_MS) break;
    decided.delete(id);
  }
  const cache = watching.client.getQueryCache();
  stop?.();
  stop = cache.subscribe((event) => {
    if (event.type === "updated" && event.action.type === "success") lookAt(watching, event.query);
  });
  const isLater = ({ state }: Query) => state.dataUpdatedAt >= at;
  for (const query of cache.findAll({ predicate: isLater })) lookAt(watching, query);
}

const unseen = new Set<Query>();
let isLooking = false;

/** One after the other, so that what arrives during a request is looked at after it. */
async function lookAt(watching: Watching, query: Query) {
  unseen.add(query);
  if (isLooking) return;
  isLooking = true;
  for (const next of unseen) {
    unseen.delete(next);
    await look(watching, next);
  }
  isLooking = false;
}

/** The links that the data of a query has. */
function linksIn({ queryKey: [topic, kind, ...more], state }: Query): ListedLink[] {
  if (state.data === undefined) return [];
  if (topic === "rows") return (state.data as { items: ListedLink[] }).items;
  const isOne = topic === "links" && kind === "one" && more.length === 1;
  return isOne ? [state.data as ListedLink] : [];
}

async function look({ email, say }: Watching, query: Query) {
  const others = linksIn(query).filter(isDecidedOtherwise);
  for (const some of Map.groupBy(others, ({ handled_by: by }) => by).values()) {
    // The reader may have decided again meanwhile.
    const links = some.filter(isDecidedOtherwise);
    const [link, ...more] = links;
    if (!link) continue;
    const before = links.map(({ id }) => [id, decided.get(id)!] as const);
    const change = await lastChange(link, before[0]![1]).catch(() => undefined);
    const isByOther = change?.by && change.by !== email;
    for (const [id, known] of before)
      if (decided.get(id) === known && (isByOther || ++known.asked === MOST_TRIES))
        decided.delete(id);
    if (!isByOther) continue;
    const what =
      more.length === 0
        ? wordsOf(change, link.title ?? shownUrl(link.url))
        : `changed ${counted(links.length, "link")} that you changed`;
    say(`${change.by} has since ${what}.`);
  }
}

function isDecidedOtherwise(link: ListedLink): boolean {
  const known = decided.get(link.id);
  if (!known || Date.now() - known.at >= WATCHED_MS) return false;
  return differences(link, known).length > 0;
}

const HANDLED = ["acknowledged", "muted", "reopened", "override_set"];

/** What of a decision another one replaces, by its entries in the timeline. Tags of two people are both kept. */
const KINDS = {
  handling: HANDLED,
  muted_until: HANDLED,
  overridden_until: ["override_set", "override_ended"],
  assignee: ["assigned"],
  url: ["url_changed"],
};
const FIELDS = Object.keys(KINDS) as (keyof typeof KINDS)[];

function differences(link: ListedLink, { after }: Decided) {
  const wanted = after(link);
  return FIELDS.filter(
    (field) =>
      wanted[field] !== undefined && JSON.stringify(wanted[field]) !== JSON.stringify(link[field]),
  );
}

/** Who changed what was decided here, and to what. */
async function lastChange(link: ListedLink, before: Decided): Promise<TimelineEntry | undefined> {
  const kinds = differences(link, before).flatMap((field) => KINDS[field]);
  const { items } = await listTimeline(link.id, 1);
  return items.find(({ kind }) => kinds.includes(kind));
}

function wordsOf({ kind, detail }: TimelineEntry, name: string): string {
  if (kind === "assigned") return detail ? `assigned ${name} to ${detail}` : `unassigned ${name}`;
  if (kind === "override_set") return `overridden ${name}`;
  if (kind === "override_ended") return `ended the override of ${name}`;
  if (kind === "url_changed") return `replaced the URL of ${name}`;
  return `${kind} ${name}`;
}
