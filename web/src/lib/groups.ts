import { queryOptions, useQuery } from "@tanstack/preact-query";
import { api, complete, unwrap } from "./api.ts";

export const GROUPS = ["groups"];

const PER_PAGE = 100;
/** Enough for any list of choices. */
const MOST_PAGES = 10;

const listGroups = (page: number, perPage = PER_PAGE) =>
  unwrap(api.groups.get({ query: { page, per_page: perPage } }));

/** All groups, by name. */
async function listAllGroups(): Promise<Group[]> {
  const { items, pagination } = await listGroups(1);
  const pages = Math.min(pagination.total_pages, MOST_PAGES);
  const rest = Array.from({ length: Math.max(pages - 1, 0) }, (_, i) => listGroups(i + 2));
  const groups = [items, ...(await Promise.all(rest)).map((page) => page.items)].flat();
  return groups.sort((a, b) => a.name.localeCompare(b.name));
}

export const ALL_GROUPS = queryOptions({ queryKey: [...GROUPS, "all"], queryFn: listAllGroups });

export const useGroups = () => useQuery(ALL_GROUPS);

const GROUPS_ON_PAGE = 25;

/** Newest first. The last page also has the counts of links in no group. */
export async function findGroupPage(page: number) {
  const { items, pagination } = await listGroups(page, GROUPS_ON_PAGE);
  const isLast = page >= pagination.total_pages;
  return { items, pagination, ungrouped: isLast ? await unwrap(api.groups.none.get()) : null };
}

/** `color` is `#RRGGBB`. */
export type GroupInput = { name: string; description: string; color: string };

export const createGroup = (input: GroupInput) => unwrap(api.groups.post(input));

export const changeGroup = (id: string, input: GroupInput) =>
  unwrap(api.groups({ id }).patch(input));

export const deleteGroup = (id: string) => complete(api.groups({ id }).delete());

/** Checks all links of the group. */
export const checkGroup = (id: string) => unwrap(api.links.check.post({ group_id: id }));

type GroupPage = Awaited<ReturnType<typeof listGroups>>;
export type Group = GroupPage["items"][number];

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
