import type { Alert } from "../data/alerts.ts";
import { useGroupNames } from "../data/groups.ts";
import { useServicesByName } from "../data/links.ts";
import { usePeople } from "../data/triage.ts";

/** What an alert is narrowed to; null is any. */
export type Only = NonNullable<Alert["filter"]>;

export const ANY: Only = {
  group_ids: null,
  services: null,
  reasons: null,
  tags: null,
  assignee: null,
};

/** Stands for links in no group, and for those of no one. */
const NONE = "none";

/** How what a filter has as ids is called. */
export type Names = Record<"group" | "service" | "person", (id: string) => string>;

export function useNames(only: Only | null): Names {
  const groups = useGroupNames(only?.group_ids?.filter((id) => id !== NONE) ?? []);
  const services = new Map(useServicesByName().map(({ id, name }) => [id, name]));
  const assignee = only?.assignee ?? NONE;
  const people = new Map(usePeople(assignee !== NONE).map(({ id, email }) => [id, email]));
  return {
    group: (id) => (id === NONE ? "no group" : groups(id)),
    service: (id) => services.get(id) ?? id,
    person: (id) => (id === NONE ? "no one" : (people.get(id) ?? "a former member")),
  };
}

/** "http_*" as "HTTP …". */
export const reasonText = (code: string) => code.replace(/_\*$/, " …").replaceAll("_", " ");

/** A part of a sentence: words, or a name that stands out in it. */
export type Piece = string | { name: string };

/** Which links an alert is about, after "a link": " in Docs or Press tagged urgent". */
export function narrowed(only: Only | null, names: Names): Piece[] {
  const { group_ids: groups, services, tags, assignee, reasons } = only ?? ANY;
  return [
    ...part(" in ", groups, names.group),
    ...part(" on ", services, names.service),
    ...part(" tagged ", tags, (tag) => tag),
    ...part(" assigned to ", assignee === null ? null : [assignee], names.person),
    ...part(" with the reason ", reasons, reasonText),
  ];
}

/** "in Docs, Press or Clients" */
function part(word: string, values: string[] | null, nameOf: (value: string) => string): Piece[] {
  if (values === null) return [];
  return values.flatMap((value, at) => {
    const before = at === 0 ? word : at === values.length - 1 ? " or " : ", ";
    return [before, { name: nameOf(value) }];
  });
}
