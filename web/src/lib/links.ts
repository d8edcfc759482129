import { useQuery } from "@tanstack/preact-query";
import { api, complete, unwrap } from "./api.ts";

export const STATUSES = ["active", "dead", "unknown", "checking"] as const;
export type Status = (typeof STATUSES)[number];

export const FREQUENCIES = ["hourly", "daily", "weekly", "monthly"] as const;
export type Frequency = (typeof FREQUENCIES)[number];

export const SORTS = [
  "-created_at",
  "created_at",
  "-status_changed_at",
  "status_changed_at",
  "url",
  "-url",
] as const;
export type Sort = (typeof SORTS)[number];

/** Stands for "in no group" instead of a group's id. */
export const NO_GROUP = "none";

export type LinkFilter = {
  status: Status | undefined;
  /** Empty for all. */
  service: string;
  /** An id or `NO_GROUP`; empty for all. */
  group: string;
  frequency: Frequency | undefined;
  search: string;
  sort: Sort;
  page: number;
};

/** The API's query parameters; empty for all links. */
export const conditionsOf = ({ status, service, group, frequency, search }: LinkFilter) => ({
  ...(status && { status }),
  ...(service && { service }),
  ...(group && { group_id: group }),
  ...(frequency && { check_frequency: frequency }),
  ...(search && { search }),
});
export type Conditions = ReturnType<typeof conditionsOf>;

const PER_PAGE = 25;

/** Query key of everything about links. */
export const LINKS = ["links"];

export const listLinks = (filter: LinkFilter) => {
  const { page, sort } = filter;
  return unwrap(
    api.links.get({ query: { page, per_page: PER_PAGE, sort, ...conditionsOf(filter) } }),
  );
};

/** Number of matching links of each status. */
export async function countLinks(conditions: Conditions): Promise<Record<Status, number>> {
  const count = async (status: Status) => {
    const query = { ...conditions, status, page: 1, per_page: 1 };
    return (await unwrap(api.links.get({ query }))).pagination.total;
  };
  const [active, dead, unknown, checking] = await Promise.all([
    count("active"),
    count("dead"),
    count("unknown"),
    count("checking"),
  ]);
  return { active, dead, unknown, checking };
}

export const findLink = (id: string) => unwrap(api.links({ id }).get());

export const changeFrequency = (id: string, frequency: Frequency) =>
  unwrap(api.links({ id }).patch({ check_frequency: frequency }));

export const checkNow = (id: string) => unwrap(api.links({ id }).check.post());

export const deleteLink = (id: string) => complete(api.links({ id }).delete());

export type LinkPage = Awaited<ReturnType<typeof listLinks>>;
export type Link = LinkPage["items"][number];
export type LinkDetail = Awaited<ReturnType<typeof findLink>>;

/** Whether a result is expected soon. */
export const isPending = (link: Pick<Link, "status" | "last_check">) =>
  link.status === "checking" || link.last_check === null;

const SOON_MS = 10_000;
const LATER_MS = 60_000;

/** In milliseconds. */
export const refreshAfter = (links: Pick<Link, "status" | "last_check">[] | undefined) =>
  links?.some(isPending) ? SOON_MS : LATER_MS;

export function explain({ status, last_check: last }: Pick<Link, "status" | "last_check">): string {
  if (!last) return status === "checking" ? "The first check is under way." : "Not checked yet.";
  const decided = status === "active" || status === "dead";
  return decided && last.status !== status
    ? `The latest check was not conclusive: ${last.message}`
    : last.message;
}

/** Services change only with a new version. */
const useServices = () =>
  useQuery({
    queryKey: ["services"],
    queryFn: () => unwrap(api.services.get()),
    select: ({ items }) => items,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Empty until loaded. */
export const useServicesByName = () =>
  [...(useServices().data ?? [])].sort((a, b) => a.name.localeCompare(b.name));

/** The id until the name is loaded. */
export const useServiceName = (id: string) =>
  useServices().data?.find((service) => service.id === id)?.name ?? id;
