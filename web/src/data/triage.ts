import { useQuery } from "@tanstack/preact-query";
import { api, asSent, unwrap } from "./api.ts";
import { useFound } from "./found.ts";
import type { ListedLink } from "./link-rows.ts";
import { LINKS, type Link } from "./links.ts";

/** What people decide about a link, as `PATCH /links/{id}` and a change of many take it. */
export type Decision = {
  handling?: Link["handling"];
  muted_until?: string | null;
  assignee_id?: string | null;
  add_tags?: string[];
  remove_tags?: string[];
};

/** A decision about some links, with its words. */
export type TriageChange = {
  kind: "triage";
  decision: Decision;
  /** "Acknowledge 12 links" */
  ask: (links: string) => string;
  /** "were acknowledged" without the verb. */
  did: string;
  /** "Acknowledging links" */
  doing: string;
  /** What a row shows afterwards. */
  after: (link: ListedLink) => Partial<ListedLink>;
};

/** @param after what a row shows afterwards */
export const decide = (
  decision: Decision,
  words: Pick<TriageChange, "ask" | "did" | "doing">,
  after: TriageChange["after"],
): TriageChange => ({ kind: "triage", decision, ...words, after });

export const acknowledge = (): TriageChange =>
  decide(
    { handling: "acknowledged" },
    {
      ask: (links) => `Acknowledge ${links}`,
      did: "acknowledged",
      doing: "Acknowledging links",
    },
    () => ({ handling: "acknowledged", muted_until: null }),
  );

export const reopen = (): TriageChange =>
  decide(
    { handling: "open" },
    { ask: (links) => `Reopen ${links}`, did: "reopened", doing: "Reopening links" },
    () => ({ handling: "open", muted_until: null }),
  );

/** Whether all of them are. */
export const isAcknowledged = (links: ListedLink[] | null) =>
  links !== null && links.length > 0 && links.every(({ handling }) => handling === "acknowledged");

/** Acknowledges links, or takes it back if all of them are. @param links null for all that match */
export const acknowledgement = (links: ListedLink[] | null): TriageChange =>
  isAcknowledged(links) ? reopen() : acknowledge();

const listTags = (search: string) =>
  unwrap(api.tags.get({ query: asSent({ ...(search && { search }) }) }));

/** Tags by name, as a `Pick` finds them. */
export const useFoundTags = (isWanted = true) =>
  useFound([...LINKS, "tags"], async (search) => (await listTags(search)).items, isWanted);

/** The people of the account; empty until loaded. */
export const usePeople = (isWanted = true) =>
  useQuery({
    queryKey: ["account", "people"],
    queryFn: () => unwrap(api.people.get()),
    select: ({ items }) => items,
    enabled: isWanted,
  }).data ?? [];
