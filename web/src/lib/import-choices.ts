import { api, unwrap } from "./api.ts";
import { idIn } from "./filter.ts";
import type { Group } from "./groups.ts";
import { type Ledger, outcomeAt } from "./import-ledger.ts";
import type { Frequency } from "./links.ts";

/** Options for every link, unless the list says otherwise. */
export type Choices = {
  /** Empty for none. */
  groupId: string;
  /** Name of a group to create; null for none. */
  newGroup: string | null;
  frequency: Frequency;
  /** Whether to use the groups named in the list. */
  usesNamed: boolean;
};

export const USUAL: Choices = { groupId: "", newGroup: null, frequency: "daily", usesNamed: true };

const COLOUR = "#6B7280";

export const MOST_NEW_GROUPS = 100;

/** Names of the groups that the import needs, existing or new. */
export function neededGroups(ledger: Ledger, choices: Choices, groups: Group[]): string[] {
  const { known, unknown } = choices.usesNamed
    ? namedGroups(ledger, groups)
    : { known: [], unknown: [] };
  const chosen = choices.newGroup === null ? [] : [choices.newGroup];
  return [...new Set([...chosen, ...known, ...unknown])];
}

/** Groups named by links that would be added: existing ones, and those to create. */
export function namedGroups(
  ledger: Ledger,
  groups: Group[],
): { known: string[]; unknown: string[] } {
  const names = new Set<string>();
  ledger.items.forEach(({ group }, i) => {
    if (group && outcomeAt(ledger, i) === "new") names.add(group);
  });
  const known = [...names].filter((name) => findGroup(groups, name));
  // Exports of the API contain ids of deleted groups.
  const unknown = [...names].filter((name) => !findGroup(groups, name) && !idIn(name));
  return { known, unknown };
}

/** By id or name. */
const findGroup = (groups: Group[], wanted: string) =>
  groups.find(({ id }) => id === wanted.toLowerCase()) ??
  groups.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());

/**
 * Creates the missing groups.
 * @param key makes retries idempotent
 * @returns the id of each name
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
    const { id } = known ?? (await unwrap(api.groups.post({ name, color: COLOUR }, { headers })));
    ids.set(name, id);
  }
  return ids;
}

/** Replaces the new group by its id once it exists. */
export function withGroup(choices: Choices, groupIds: Map<string, string>): Choices {
  const made = choices.newGroup === null ? undefined : groupIds.get(choices.newGroup);
  return made ? { ...choices, groupId: made, newGroup: null } : choices;
}
