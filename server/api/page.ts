import type { Page, PageQuery } from "../lib/paging.ts";

/** The envelope of a list, and the RFC 8288 `Link` header that walks it with every filter kept. */
export function toPage<Row, Item>(
  { items, total }: Page<Row>,
  query: PageQuery,
  toItem: (row: Row) => Item,
  { request, set }: { request: Request; set: { headers: Record<string, unknown> } },
) {
  const totalPages = Math.ceil(total / query.per_page);
  set.headers.link = linkHeader(request.url, query.page, totalPages);
  const pagination = { page: query.page, per_page: query.per_page, total, total_pages: totalPages };
  return { data: { items: items.map(toItem), pagination } };
}

function linkHeader(url: string, page: number, totalPages: number): string {
  const last = Math.max(totalPages, 1);
  const relations: [string, number][] = [["first", 1]];
  if (page > 1) relations.push(["prev", Math.min(page - 1, last)]);
  if (page < last) relations.push(["next", page + 1]);
  relations.push(["last", last]);
  return relations.map(([rel, n]) => `<${urlOfPage(url, n)}>; rel="${rel}"`).join(", ");
}

/** A reference relative to the host, which stays right behind any proxy. */
function urlOfPage(url: string, page: number): string {
  const { pathname, searchParams } = new URL(url);
  searchParams.set("page", String(page));
  return `${pathname}?${searchParams}`;
}
