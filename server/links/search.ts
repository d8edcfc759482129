import type { Caller } from "../api/caller.ts";
import type { LinkSearch } from "../db/link-search.ts";
import { type LinkFilter, NO_GROUP } from "./filter.ts";

/** As the thread takes it that searches large accounts. */
export const toSearch = (
  { accountNo }: Caller,
  filter: LinkFilter,
  now: number,
): Omit<LinkSearch, "limit" | "offset"> => ({
  accountNo,
  text: filter.search ? filter.search.toLowerCase() : undefined,
  service: filter.service,
  groupId: filter.group_id === NO_GROUP ? null : filter.group_id,
  frequency: filter.check_frequency,
  status: filter.status,
  now,
});
