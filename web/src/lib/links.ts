import { api, ask, tell } from "./api.ts";

export const STATUSES = ["active", "dead", "unknown", "checking"] as const;
export type Status = (typeof STATUSES)[number];

export const FREQUENCIES = ["hourly", "daily", "weekly", "monthly"] as const;
export type Frequency = (typeof FREQUENCIES)[number];

export type LinkFilter = {
  status: Status | undefined;
  /** An id; empty for all. */
  service: string;
  search: string;
  page: number;
};

const PER_PAGE = 25;

/** Everything that is asked of links starts with this key. */
export const LINKS = ["links"];

export const listLinks = ({ status, service, search, page }: LinkFilter) =>
  ask(
    api.links.get({
      query: {
        page,
        per_page: PER_PAGE,
        ...(status && { status }),
        ...(service && { service }),
        ...(search && { search }),
      },
    }),
  );

export const findLink = (id: string) => ask(api.links({ id }).get());

export const listChecks = (id: string, page: number) =>
  ask(api.links({ id }).history.get({ query: { page, per_page: PER_PAGE } }));

export const addLinks = (urls: string[], frequency: Frequency) =>
  ask(api.links.batch.post({ links: urls.map((url) => ({ url, check_frequency: frequency })) }));

export const changeFrequency = (id: string, frequency: Frequency) =>
  ask(api.links({ id }).patch({ check_frequency: frequency }));

export const checkNow = (id: string) => ask(api.links({ id }).check.post());

export const deleteLink = (id: string) => tell(api.links({ id }).delete());

export type LinkPage = Awaited<ReturnType<typeof listLinks>>;
export type Link = LinkPage["items"][number];
export type LinkDetail = Awaited<ReturnType<typeof findLink>>;
type CheckPage = Awaited<ReturnType<typeof listChecks>>;
export type Check = CheckPage["items"][number];
export type Addition = Awaited<ReturnType<typeof addLinks>>;

/** Whether something is about to be known, so that looking again soon is worth it. */
export const isPending = (link: Pick<Link, "status" | "last_check">) =>
  link.status === "checking" || link.last_check === null;

const SOON_MS = 3_000;
const LATER_MS = 15_000;

/** How long a list or a record of links stays good enough to show, in milliseconds. */
export const refreshAfter = (links: Pick<Link, "status" | "last_check">[] | undefined) =>
  links?.some(isPending) ? SOON_MS : LATER_MS;

/** What is known of a link in one sentence. */
export function explain({ status, last_check: last }: Pick<Link, "status" | "last_check">): string {
  if (!last) return status === "checking" ? "The first check is under way." : "Not checked yet.";
  const decided = status === "active" || status === "dead";
  return decided && last.status !== status
    ? `The latest check was not conclusive: ${last.message}`
    : last.message;
}
