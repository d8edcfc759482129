import { queryOptions, useQueries, useQuery } from "@tanstack/preact-query";
import type { GroupSort } from "../../../server/ground/lib/vocabulary.ts";
import { api, asSent, unwrap } from "./api.ts";
import { idIn } from "./filter.ts";
import { useFound } from "./found.ts";

export const GROUPS = ["groups"];

const PER_PAGE = 100;
/** Enough for any list of choices. */
const MOST_PAGES = 10;

/** How a list of groups is narrowed and sorted. */
export type GroupQuery = { search?: string; sort?: GroupSort };

/** One page of groups. */
export const listGroups = (page: number, { search, sort }: GroupQuery = {}) =>
  unwrap(
    api.groups.get({
      query: asSent({ page, per_page: PER_PAGE, ...(sort && { sort }), ...(search && { search }) }),
    }),
  );

/** Groups by name, as a `Pick` finds them. */
export const useFoundGroups = (isWanted = true) =>
  useFound(
    GROUPS,
    async (search) => (await listGroups(1, { sort: "name", search })).items,
    isWanted,
  );

/** All groups, by name. */
async function listAllGroups(): Promise<Group[]> {
  const first = await listGroups(1);
  const pages = Math.min(first.pagination.total_pages, MOST_PAGES);
  const rest = Array.from({ length: Math.max(pages - 1, 0) }, (_, i) => listGroups(i + 2));
  const groups = [first, ...(await Promise.all(rest))].flatMap(({ items }) => items);
  return groups.sort((a, b) => a.name.localeCompare(b.name));
}

/** Live updates say when they change. */
const FRESH_MS = 60_000;

export const ALL_GROUPS = queryOptions({
  queryKey: [...GROUPS, "all"],
  queryFn: listAllGroups,
  staleTime: FRESH_MS,
});

export const useGroups = () => useQuery(ALL_GROUPS);

/** The groups with these ids, also those that the list of all does not reach. */
export function useGroupsOf(ids: readonly string[]) {
  const { data: all } = useGroups();
  const others = all ? ids.filter((id) => !all.some((group) => group.id === id)) : [];
  const found = useQueries({
    queries: others.map((id) => ({
      queryKey: [...GROUPS, "one", id],
      queryFn: () => unwrap(api.groups({ id }).get()),
      staleTime: FRESH_MS,
      retry: false,
    })),
  });
  const groups = [...(all ?? []), ...found.flatMap(({ data }) => data ?? [])];
  return {
    isLoading: !all || found.some(({ isPending }) => isPending),
    byId: new Map(groups.map((group) => [group.id, group])),
  };
}

/** How the groups are called. */
export function useGroupNames(ids: readonly string[]): (id: string) => string {
  const { byId, isLoading } = useGroupsOf(ids);
  return (id) => byId.get(id)?.name ?? (isLoading ? "…" : "a deleted group");
}

/** The group of a filter with its name, as a list for `nameIn`; empty if it has none. */
export function useGroupNamed({ group }: { group: string }): { id: string; name: string }[] {
  const id = idIn(group);
  const nameOf = useGroupNames(id ? [id] : []);
  return id ? [{ id, name: nameOf(id) }] : [];
}

/** `color` is `#RRGGBB`. */
export type GroupInput = {
  name: string;
  description: string;
  color: string;
  check_schedule?: { cron: string; time_zone: string } | null;
};

export const createGroup = (input: GroupInput) => unwrap(api.groups.post(input));

export type Group = Awaited<ReturnType<typeof listGroups>>["items"][number];

export type Counted = Pick<Group, "link_count" | "counts">;

/** Contrast of at least 3:1 with light and dark backgrounds. */
export const GROUP_COLORS = [
  { name: "Red", color: "#D64545" },
  { name: "Orange", color: "#D9661F" },
  { name: "Ochre", color: "#B0801A" },
  { name: "Olive", color: "#6E8F1F" },
  { name: "Green", color: "#2F9461" },
  { name: "Teal", color: "#14938A" },
  { name: "Sky", color: "#1B87B8" },
  { name: "Blue", color: "#3B7DE0" },
  { name: "Violet", color: "#7668E0" },
  { name: "Purple", color: "#A855C7" },
  { name: "Pink", color: "#D14B8F" },
  { name: "Grey", color: "#6B7280" },
];
