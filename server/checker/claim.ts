import { getTableColumns, sql } from "drizzle-orm";
import type { Deps } from "../deps.ts";
import { chunksOf } from "../lib/chunks.ts";
import { giveWay } from "../lib/give-way.ts";
import { newId } from "../lib/ids.ts";
import { holdLinks } from "../store/hold.ts";
import { preparedOnce, rowsOf, type Statement, type Store } from "../store/store.ts";
import { type LinkRow, links } from "../store/tables.ts";
import { LEASE_MS } from "./lease.ts";

/** Links named by one statement: more would keep other requests waiting. */
const ROWS = 500;
/** Due links that are counted one by one. */
const COUNTED = 10_000;
/** Links of all that are looked at to estimate how many are due. */
const SAMPLES = 400;
const SAMPLES_AT_ONCE = 50;
/** Multiples of it, without their whole parts, lie evenly between 0 and 1. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** A link that this process holds until its lease runs out. What was seen last is not needed to check it. */
export type ClaimedLink = Omit<LinkRow, "evidence"> & { lease: string };

/** Due after the one moment, which is long ago if not said, and by the other, which is now. */
type Due = { after?: number; by?: number };

/**
 * The update is the lock. `next_check_at` moves past the lease, so no other process takes the same
 * link, and a link whose checker died becomes due again by itself. What is due first is taken first.
 */
export const claimDueLinks = (deps: Deps, most: number, due: Due = {}): Promise<ClaimedLink[]> =>
  claim(deps, most, claimsOf(deps.store).due, due);

/** The same, but only what somebody asked for by hand. */
export const claimAskedLinks = (deps: Deps, most: number): Promise<ClaimedLink[]> =>
  claim(deps, most, claimsOf(deps.store).asked, {});

const { evidence: _, ...COLUMNS } = getTableColumns(links);
const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];
const RETURNED = Object.values(COLUMNS).map(({ name }) => name);

/** Every check of every link begins here, so that the text is written once, and the rows are read by hand. */
const claimsOf = preparedOnce(({ engine }) => ({
  due: claimText(engine.skipLocked, ""),
  // Written out, since a database cannot match a parameter with the condition of an index.
  asked: claimText(engine.skipLocked, "and next_trigger = 'manual'"),
}));

/**
 * Materialized, since PostgreSQL may run a plain subquery once per row and so take more than asked; and
 * with a plus, by which SQLite finds the rows by number and not once more by when they are due.
 */
const claimText = (skipLocked: string, wanted: string) => `
  with due as materialized (
    select no from links where next_check_at > ? and next_check_at <= ? ${wanted}
    order by next_check_at limit ? ${skipLocked}
  )
  update links set next_check_at = ?, checking_until = ?, lease = ?
  where no in (select no from due) and +next_check_at > ? and +next_check_at <= ? ${wanted}
  returning ${RETURNED.join(", ")}`;

async function claim(
  { store, clock }: Deps,
  most: number,
  text: string,
  { after = -1, by = clock.now() }: Due,
): Promise<ClaimedLink[]> {
  if (most <= 0) return [];
  const until = clock.now() + LEASE_MS;
  const params = [after, by, most, until, until, newId(), after, by];
  return (await store.engine.run({ sql: text, params })).map(toLink);
}

/** None of the columns holds anything but a text or a number, which are as they come. */
function toLink(cells: unknown[]): ClaimedLink {
  const link: Record<string, unknown> = {};
  for (let i = 0; i < NAMES.length; i++) link[NAMES[i]!] = cells[i];
  return link as ClaimedLink;
}

/** How many links are due: exactly while they are few, else about, as counting would take too long. */
export async function countDueLinks(deps: Deps): Promise<number> {
  const params = [deps.clock.now(), COUNTED];
  const [row] = await deps.store.engine.readBeside({ sql: COUNT, params });
  const count = row![0] as number;
  return count < COUNTED ? count : Math.max(count, await estimateDueLinks(deps));
}

const COUNT =
  "select count(*) from (select no from links where next_check_at <= ? limit ?) as counted";

/** From some of the numbers that links have, evenly spread but in no step that they might have as well. */
async function estimateDueLinks({ store, clock }: Deps): Promise<number> {
  const [ends] = await store.engine.readBeside({
    sql: "select (select min(no) from links), (select max(no) from links)",
    params: [],
  });
  const [first, last] = ends as [number, number];
  const all = last - first + 1;
  const samples = Array.from({ length: SAMPLES }, (_, i) => [
    first + Math.floor(((i * GOLDEN) % 1) * all),
  ]);
  let due = 0;
  for (const some of chunksOf(SAMPLES_AT_ONCE, samples)) {
    const hits: unknown[] = await store.beside.all(sql`
      select no from ${rowsOf(store, { sampled: "bigint" }, some)} as sample
      join links on links.no = sampled where next_check_at <= ${clock.now()}
    `);
    due += hits.length;
    await giveWay();
  }
  return Math.round((due / SAMPLES) * all);
}

/**
 * Holds on to links whose checks are still under way, such as those that wait for a busy site, also when
 * their leases ran out and nobody took them. Somebody who asked meanwhile has a check of their own.
 */
export async function renewLeases({ store, clock }: Deps, held: ClaimedLink[]): Promise<void> {
  for (const some of chunksOf(ROWS, held)) {
    const until = clock.now() + LEASE_MS;
    const rows = rowsOf(
      store,
      HELD,
      some.map(({ no, lease }) => [no, lease]),
    );
    const renewal = store.run(sql`
      update links set next_check_at = ${until}, checking_until = ${until} from ${rows} as held
      where links.no = link_no and links.lease = old_lease and next_check_at = checking_until
    `);
    await store.write([
      ...holdLinks(
        store,
        some.map(({ no }) => no),
      ),
      renewal,
    ]);
    await giveWay();
  }
}

const HELD = { link_no: "bigint", old_lease: "text" } as const;

/** A link that goes back unchecked, and when it is due again. `isAnswered`: whoever asked for it was told. */
type GivenBack = { link: ClaimedLink; dueAt: number; isAnswered?: boolean };

/** Gives links back unchecked: in one statement, since a busy site may send back hundreds at a time. */
export function giveBack(store: Store, given: GivenBack[]): Statement[] {
  return chunksOf(ROWS, given).map((some) => {
    const rows = some.map(({ link: { no, lease }, dueAt, isAnswered }) => [
      ...[no, lease, dueAt],
      isAnswered ? 1 : 0,
    ]);
    return store.run(sql`
      update links set next_check_at = due_at, checking_until = null, lease = null,
        next_trigger = case when is_answered = 1 then 'scheduled' else next_trigger end
      from ${rowsOf(store, { ...HELD, due_at: "bigint", is_answered: "bigint" }, rows)} as given
      where links.no = link_no and links.lease = old_lease
    `);
  });
}

export const releaseLinks = ({ store }: Deps, given: GivenBack[]): Promise<void> =>
  store.write([
    ...holdLinks(
      store,
      given.map(({ link }) => link.no),
    ),
    ...giveBack(store, given),
  ]);
