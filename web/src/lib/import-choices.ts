import { api, ask } from "./api.ts";
import type { Group } from "./groups.ts";
import { type Ledger, outcomeAt } from "./import-ledger.ts";
import type { Frequency } from "./links.ts";

/** What is to hold for every link of which the list itself does not say otherwise. */
export type Choices = {
  /** An id; empty for none. */
  groupId: string;
  /** A group that is yet to be made; null unless that is wanted. */
  newGroup: string | null;
  frequency: Frequency;
  /** Whether the list's own names of groups count. */
  usesNamed: boolean;
};

export const USUAL: Choices = { groupId: "", newGroup: null, frequency: "daily", usesNamed: true };

const COLOUR = "#6B7280";

/** More groups than anyone would want to have made by a list. */
export const MOST_NEW_GROUPS = 100;

/** Names that lists of the API use for groups that are not there any more. */
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The names of groups that an import needs, those that are to be made among them. */
export function neededGroups(ledger: Ledger, choices: Choices, groups: Group[]): string[] {
  const { known, unknown } = choices.usesNamed
    ? namedGroups(ledger, groups)
    : { known: [], unknown: [] };
  const chosen = choices.newGroup === null ? [] : [choices.newGroup];
  return [...new Set([...chosen, ...known, ...unknown])];
}

/** The groups that links which would be added are said to belong to: known ones, and those to be made. */
export function namedGroups(
  ledger: Ledger,
  groups: Group[],
): { known: string[]; unknown: string[] } {
  const names = new Set<string>();
  ledger.items.forEach(({ group }, i) => {
    if (group && outcomeAt(ledger, i) === "new") names.add(group);
  });
  const known = [...names].filter((name) => findGroup(groups, name));
  const unknown = [...names].filter((name) => !findGroup(groups, name) && !ID.test(name));
  return { known, unknown };
}

/** By its id or its name. */
const findGroup = (groups: Group[], wanted: string) =>
  groups.find(({ id }) => id === wanted.toLowerCase()) ??
  groups.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());

/**
 * Makes the groups that are not there yet, and tells the id of each name.
 * @param key repeated with the same one, nothing is made twice
 */
export async function makeGroups(
  names: string[],
  groups: Group[],
  key: string,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const [i, name] of names.entries()) {
    const known = findGroup(groups, name);
    const headers = { "idempotency-key": `${key}-group-${i}` };
    const { id } = known ?? (await ask(api.groups.post({ name, color: COLOUR }, { headers })));
    ids.set(name, id);
  }
  return ids;
}

/** Once it is made, the new group is one like any other. */
export function withGroup(choices: Choices, groupIds: Map<string, string>): Choices {
  const made = choices.newGroup === null ? undefined : groupIds.get(choices.newGroup);
  return made ? { ...choices, groupId: made, newGroup: null } : choices;
}
