import { api, asSent, unwrap } from "./api.ts";
import { counted } from "./format.ts";

/** Query key of what happened; also the topic of its live updates. */
export const CHANGES = ["changes"];

type ChangeFilter = {
  kind?: string;
  group_id?: string;
  site?: string;
  since?: string;
  before?: string;
  per_page?: number;
};

export const listChanges = (query: ChangeFilter) =>
  unwrap(api.changes.get({ query: asSent(query) }));

type ChangesPage = Awaited<ReturnType<typeof listChanges>>;
export type ChangeEntry = ChangesPage["items"][number];
export type ChangeKind = ChangeEntry["kind"];

/** The address of a page with a filter, without what is not set. */
export function hrefOf(path: string, filter: Record<string, string | number | null | undefined>) {
  const set = Object.entries(filter).filter(([, value]) => value != null && value !== "");
  const query = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
  return query ? `${path}?${query}` : path;
}

/** Changes after which a link is still alive. */
const STILL_ALIVE: ReadonlySet<ChangeKind> = new Set(["moved", "changed", "changed_hands"]);

const TITLES: Record<ChangeKind, string> = {
  died: "died",
  came_back: "came back",
  became_unknown: "became unknown",
  moved: "moved",
  changed: "changed",
  changed_hands: "may have a new owner",
  suggested: "has a suggestion",
  certificate: "became unknown",
};

/** "14 links died" */
export const changeTitle = ({ kind, count }: ChangeEntry) =>
  `${counted(count, "link")} ${TITLES[kind]}`;

/** The status that a change led to. */
export const changedTo = ({ kind }: ChangeEntry) =>
  kind === "died"
    ? "dead"
    : kind === "came_back"
      ? "active"
      : STILL_ALIVE.has(kind)
        ? "moved"
        : "unknown";

/** The one link of a change, or the links of its site that are as the change left them. */
export function hrefOfChange({ kind, count, links, site, reason }: ChangeEntry): string {
  const [first] = links;
  if (count === 1 && first) return `/links/${first.id}`;
  const status = { died: "dead", became_unknown: "unknown", certificate: "unknown" }[
    kind as string
  ];
  return hrefOf("/links", { site, status, reason: status && reason });
}
