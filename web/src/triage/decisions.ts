import { dayText } from "../data/format.ts";
import type { ListedLink } from "../data/link-rows.ts";
import { acknowledge, decide, reopen, type TriageChange } from "../data/triage.ts";

/** @param until an ISO 8601 moment */
export const muteUntil = (until: string): TriageChange =>
  decide(
    { handling: "muted", muted_until: until },
    {
      ask: (links) => `Mute ${links} until ${dayText(until, Date.now())}`,
      did: `muted until ${dayText(until, Date.now())}`,
      doing: "Muting links",
    },
    () => ({ handling: "muted", muted_until: until }),
  );

export type Person = { id: string; email: string };

export const assignTo = (person: Person | null): TriageChange =>
  decide(
    { assignee_id: person?.id ?? null },
    person
      ? {
          ask: (links) => `Assign ${links} to ${person.email}`,
          did: `assigned to ${person.email}`,
          doing: "Assigning links",
        }
      : {
          ask: (links) => `Unassign ${links}`,
          did: "unassigned",
          doing: "Unassigning links",
        },
    () => ({ assignee: person }),
  );

export const tagWith = ({ add = [], remove = [] }: { add?: string[]; remove?: string[] }) =>
  decide(
    { ...(add.length > 0 && { add_tags: add }), ...(remove.length > 0 && { remove_tags: remove }) },
    {
      ask: (links) => `Change the tags of ${links}`,
      did: add.length > 0 ? `tagged ${add.join(", ")}` : `no longer tagged ${remove.join(", ")}`,
      doing: "Tagging links",
    },
    ({ tags }) => ({
      tags: [...new Set([...tags.filter((tag) => !remove.includes(tag)), ...add])].sort(),
    }),
  );

/** The decisions that bring back what each link had before. */
export function oppositesOf(
  links: ListedLink[],
  { decision }: TriageChange,
): { ids: string[]; change: TriageChange }[] {
  const back = (
    keyOf: (link: ListedLink) => string,
    changeOf: (link: ListedLink) => TriageChange,
  ) =>
    [...Map.groupBy(links, keyOf).values()].map((some) => ({
      ids: some.map(({ id }) => id),
      change: changeOf(some[0]!),
    }));
  if (decision.handling)
    return back(
      ({ handling, muted_until: until }) => `${handling} ${until}`,
      ({ handling, muted_until: until }) =>
        handling === "muted" && until
          ? muteUntil(until)
          : handling === "acknowledged"
            ? acknowledge()
            : reopen(),
    );
  if (decision.assignee_id !== undefined)
    return back(
      ({ assignee }) => assignee?.id ?? "",
      ({ assignee }) => assignTo(assignee),
    );
  const { add_tags: added = [], remove_tags: removed = [] } = decision;
  return back(
    ({ tags }) => tags.join(),
    ({ tags }) =>
      tagWith({
        remove: added.filter((tag) => !tags.includes(tag)),
        add: removed.filter((tag) => tags.includes(tag)),
      }),
  ).filter(({ change: { decision: back } }) => back.add_tags || back.remove_tags);
}

const DAY_MS = 86_400_000;

/** For how long links are muted. */
export const MUTES = [
  { label: "1 day", days: 1 },
  { label: "1 week", days: 7 },
  { label: "1 month", days: 30 },
  { label: "3 months", days: 91 },
];

export const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
