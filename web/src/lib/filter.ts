import { type LinkFilter, STATUSES } from "./links.ts";

const SERVICE_ID = /^[a-z0-9-]{1,64}$/;

/** The filter that the address bar holds; what makes no sense there is left out. */
export const readFilter = (query: Record<string, string>): LinkFilter => ({
  status: STATUSES.find((status) => status === query.status),
  service: SERVICE_ID.test(query.service ?? "") ? query.service! : "",
  search: query.search ?? "",
  page: pageIn(query),
});

/** A page above 0; the first one if the address names none. */
export const pageIn = ({ page }: Record<string, string>): number =>
  page && /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 1;

export function hrefOfFilter({ status, service, search, page }: LinkFilter): string {
  const query = new URLSearchParams();
  if (status) query.set("status", status);
  if (service) query.set("service", service);
  if (search) query.set("search", search);
  if (page > 1) query.set("page", String(page));
  return query.size > 0 ? `/links?${query}` : "/links";
}
