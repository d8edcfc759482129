import { useState } from "preact/hooks";
import type { Handling, LinkSort, LinkStatus } from "../../../server/ground/lib/vocabulary.ts";
import { shownHost } from "../data/display-url.ts";
import { clockText, dayText } from "../data/format.ts";
import { IDENTITIES, type LinkFilter, NO_GROUP, SUGGESTIONS } from "../data/links.ts";
import { FREQUENCY_WORDS, reasonWords, STATUS_WORDS } from "../data/words.ts";

export const SORT_WORDS: Record<LinkSort, string> = {
  dead_first: "Dead first",
  "-status_changed_at": "Latest change",
  status_changed_at: "Oldest change",
  "-created_at": "Newest",
  created_at: "Oldest",
  url: "URL A–Z",
  "-url": "URL Z–A",
};

export const handlingText = (handling: Handling) =>
  handling === "open" ? "Open" : STATUS_WORDS[handling];

/** How long links have been as they are: "Dead since". */
export const sinceName = (status: LinkStatus | undefined) =>
  status ? `${STATUS_WORDS[status]} since` : "Unchanged since";

/** "12 Nov or later" */
function sinceText({ after, before }: Pick<LinkFilter, "after" | "before">): string {
  const day = (iso: string) => dayText(iso, Date.now());
  if (after && before) return `${day(after)} to ${day(before)}`;
  return after ? `${day(after)} or later` : `${day(before)} or before`;
}

const DAY_MS = 86_400_000;

/** The filter with one of `SINCE`, by its name. Without a status it is about dead links. */
export function sinceDay(filter: LinkFilter, name: string): LinkFilter {
  const days = Number(name);
  const start = new Date();
  start.setHours(0, 0, 0, 0);
  const back = (count: number) => new Date(start.getTime() - count * DAY_MS).toISOString();
  return {
    ...filter,
    status: filter.status ?? "dead",
    after: days > 0 ? back(days - 1) : "",
    before: days < 0 ? back(-days) : "",
  };
}

type Named = { id: string; name: string };

/** A part of the filter that can be taken away. */
export type Token = { name: string; value: string; without: Partial<LinkFilter> };

/** The parts of a filter but those that have a control of their own. */
export function tokensOf(
  filter: LinkFilter,
  groups: Named[],
  services: Named[],
  people: Named[],
  sources: Named[],
): Token[] {
  const { group, reason, site, frequency, service, status } = filter;
  const { attention, handling, assignee, overridden, source, tag, from, to } = filter;
  const { after, before, identity, lostAnchor, suggestion, accepted } = filter;
  const nameIn = (all: Named[], id: string) => all.find((each) => each.id === id)?.name ?? id;
  const tokens: (Token | false)[] = [
    status === "checking" && {
      name: "Status",
      value: STATUS_WORDS.checking,
      without: { status: undefined },
    },
    site !== "" && { name: "Site", value: shownHost(site), without: { site: "" } },
    reason !== "" && { name: "Reason", value: reasonWords(reason), without: { reason: "" } },
    group !== "" && {
      name: "Group",
      value: group === NO_GROUP ? "No group" : nameIn(groups, group),
      without: { group: "" },
    },
    frequency !== undefined && {
      name: "Checked",
      value: FREQUENCY_WORDS[frequency],
      without: { frequency: undefined },
    },
    attention && {
      name: "State",
      value: "Needs attention",
      without: { attention: false },
    },
    handling !== undefined && {
      name: "Handling",
      value: handlingText(handling),
      without: { handling: undefined },
    },
    overridden && { name: "State", value: "Overridden", without: { overridden: false } },
    identity !== undefined && {
      name: "Page",
      value: IDENTITIES[identity],
      without: { identity: undefined },
    },
    suggestion !== undefined && {
      name: "Suggestion",
      value: SUGGESTIONS[suggestion],
      without: { suggestion: undefined },
    },
    accepted && { name: "State", value: "Replacement stored", without: { accepted: false } },
    lostAnchor && { name: "State", value: "Missing anchor", without: { lostAnchor: false } },
    assignee !== "" && {
      name: "Assignee",
      value: { me: "Me", none: "No one" }[assignee] ?? nameIn(people, assignee),
      without: { assignee: "" },
    },
    source !== "" && {
      name: "Source",
      value: source === "none" ? "No source" : nameIn(sources, source),
      without: { source: "" },
    },
    tag !== "" && { name: "Tag", value: tag.replaceAll(",", ", "), without: { tag: "" } },
    (from || to) !== "" && {
      name: "Added",
      value: clockText(new Date(msOf(from || to)).toISOString(), Date.now()),
      without: { from: "", to: "" },
    },
    (after || before) !== "" && {
      name: sinceName(status),
      value: sinceText(filter),
      without: { after: "", before: "" },
    },
    service !== "" && {
      name: "Service",
      value: nameIn(services, service),
      without: { service: "" },
    },
  ];
  return tokens.filter((token) => token !== false);
}

/** When the link with this id was created (RFC 9562 §5.7). */
const msOf = (id: string) => Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);

export const COLUMNS = [
  { column: "n", label: "Titles" },
  { column: "g", label: "Group" },
  { column: "l", label: "Tags" },
  { column: "w", label: "Assignee" },
  { column: "q", label: "Check frequency" },
  { column: "d", label: "30 days" },
] as const;
export type Column = (typeof COLUMNS)[number]["column"];

const KEPT = "stillup-columns";
const USUAL: Column[] = ["n", "g", "l", "d"];

/** The columns that this person chose, in this browser. */
export function useColumns() {
  const [columns, setColumns] = useState(read);
  const toggle = (column: Column) => {
    const next = new Set(columns);
    if (!next.delete(column)) next.add(column);
    localStorage.setItem(KEPT, [...next].join(" "));
    setColumns(next);
  };
  return [columns, toggle] as const;
}

function read(): ReadonlySet<Column> {
  const kept = localStorage.getItem(KEPT);
  if (kept === null) return new Set(USUAL);
  return new Set(COLUMNS.flatMap(({ column }) => (kept.includes(column) ? [column] : [])));
}

/** Classes of the table. Tags have no column where there are none. */
export const hiddenIn = (columns: ReadonlySet<Column>, hasTags: boolean) =>
  COLUMNS.flatMap(({ column }) =>
    columns.has(column) && (column !== "l" || hasTags) ? [] : [`no-${column}`],
  ).join(" ");
