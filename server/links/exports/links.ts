import { and, desc, eq, gte, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { Caller } from "../../api/caller.ts";
import type { Store } from "../../db/store.ts";
import { groups, LINK_SUMMARY, links } from "../../db/tables.ts";
import { type StepSize, walk } from "../../lib/steps.ts";
import type { Deps } from "../../work/deps.ts";
import { fitting, type LinkFilter, NO_GROUP } from "../filter.ts";
import type { ExportedLink, LinkExportQuery } from "./model.ts";

const STEP: StepSize = { rowsAtOnce: 500, walkedAtOnce: 5000 };

/** The account's links that fit, newest first, some at a time; those that are named all at once. */
export function exportedLinks(
  deps: Deps,
  caller: Caller,
  query: LinkExportQuery,
  size = STEP,
): AsyncGenerator<ExportedLink[], void> {
  const { ids, ...filter } = query;
  return ids ? named(deps, caller, ids) : walkLinks(deps, caller, filter, size);
}

async function* named({ store }: Deps, caller: Caller, ids: string[]) {
  const rows = await readLinks(store, and(isOurs(caller), inArray(links.id, ids)), ids.length);
  if (rows.length > 0) yield rows;
}

/** With a plus, since SQLite would look for them among all links of the account. */
const isOurs = ({ accountNo }: Caller) => sql`+${links.accountNo} = ${accountNo}`;

function walkLinks(
  { store, clock }: Deps,
  caller: Caller,
  filter: LinkFilter,
  { rowsAtOnce, walkedAtOnce }: StepSize,
) {
  const walked = walkedFor(caller, filter);
  const fits = fitting(filter, clock.now());
  const { no } = links;
  return walk<number, ExportedLink>({
    rowsAtOnce,
    keyOf: (link) => link.no,
    markAfter: async (last) => {
      const [mark] = await store.readPool
        .select({ no })
        .from(links)
        .where(and(walked, below(last)))
        .orderBy(desc(no))
        .limit(1)
        .offset(walkedAtOnce - 1);
      return mark?.no ?? null;
    },
    read: (after, upTo) =>
      readLinks(
        store,
        and(walked, fits, below(after), upTo === null ? undefined : gte(no, upTo)),
        rowsAtOnce,
      ),
  });
}

/** What has to be looked through: of a group its own links, of which there may be few. */
const walkedFor = (caller: Caller, { group_id: group }: LinkFilter) =>
  group && group !== NO_GROUP
    ? and(isOurs(caller), eq(links.groupId, group))
    : eq(links.accountNo, caller.accountNo);

const readLinks = ({ readPool }: Store, chosen: SQL | undefined, most: number) =>
  readPool
    .select({ ...LINK_SUMMARY, group: groups.name })
    .from(links)
    .leftJoin(groups, eq(groups.id, links.groupId))
    .where(chosen)
    .orderBy(desc(links.no))
    .limit(most);

const below = (no: number | null) => (no === null ? undefined : lt(links.no, no));
