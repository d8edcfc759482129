import { sql } from "drizzle-orm";
import { onRows, type Store } from "../ground/db/store.ts";
import { AppError } from "../ground/lib/errors.ts";
import type { Caller } from "../http/caller.ts";
import { fragmentsIn, type KnownFragment, newFragment } from "../judge/fragments.ts";
import { type Catalogue, urlKeyOf } from "../judge/services/catalogue.ts";

/** Others are not looked for. */
const MOST_FRAGMENTS = 20;
/** As much as is kept of a place. */
const LONGEST_FRAGMENT = 500;

/** The fragment of a link's URL, without `#`; null if it has none, or if its service uses it as an id. */
export function fragmentOf(catalogue: Catalogue, url: URL): string | null {
  return url.hash.length > 1 && !urlKeyOf(catalogue, url).includes("#") ? url.hash.slice(1) : null;
}

/** A fragment that a link is to have. */
export type WantedFragment = { no: number; fragment: string };

/**
 * Adds fragments to links, as far as there is room. Call it in a transaction that holds the lock of the account.
 * @param isOwn whether they are from URLs of people, and not from places where links stand
 */
export async function addFragments(
  tx: Store,
  { accountNo }: Pick<Caller, "accountNo">,
  wanted: WantedFragment[],
  isOwn: boolean,
): Promise<void> {
  const byLink = Map.groupBy(wanted, ({ no }) => no);
  const known = await readFragments(tx, [...byLink.keys()]);
  await writeFragments(
    tx,
    [...byLink].flatMap(([no, some]) => {
      const before = known.get(no) ?? [];
      const after = withFragments(
        before,
        some.map(({ fragment }) => fragment),
        isOwn,
      );
      return Bun.deepEquals(before, after) ? [] : [{ no, accountNo, after }];
    }),
  );
}

function withFragments(before: KnownFragment[], fragments: string[], isOwn: boolean) {
  const after = before.map((each) =>
    isOwn && fragments.includes(each.fragment) ? { ...each, isOwn } : each,
  );
  for (const fragment of new Set(fragments)) {
    const isNew = !before.some((each) => each.fragment === fragment);
    const isKept = fragment !== "" && fragment.length <= LONGEST_FRAGMENT;
    if (isNew && isKept && after.length < MOST_FRAGMENTS) after.push(newFragment(fragment, isOwn));
  }
  return after;
}

/** Adds the fragment of a refused URL to the link that has the same URL without it, if the error names one. */
export async function addToExisting(
  tx: Store,
  caller: Caller,
  refused: { fragment: string | null; error: unknown }[],
): Promise<void> {
  const ids = refused.flatMap(({ fragment, error }) => {
    const { reason, existingId } = (error instanceof AppError && error.details) || {};
    return reason === "duplicate_url" && fragment !== null && typeof existingId === "string"
      ? [[existingId, fragment]]
      : [];
  });
  const rows = await selectByIds(tx, ids, { accountId: caller.accountId });
  const wanted = rows.map(([no, fragment]) => ({ no: no as number, fragment: fragment as string }));
  await addFragments(tx, caller, wanted, true);
}

const selectByIds = onRows(
  { link_id: "text", wanted: "text" },
  (rows) => sql`
    select links.no, wanted from ${rows} as given join watched_links as links on links.id = link_id
    where links.account_id = ${sql.placeholder("accountId")}
  `,
);

/** Forgets all fragments of links whose URLs have changed, but those of the new URLs. */
export async function resetFragments(
  tx: Store,
  { accountNo }: Pick<Caller, "accountNo">,
  links: { no: number; fragment: string | null }[],
): Promise<void> {
  const known = await readFragments(
    tx,
    links.map(({ no }) => no),
  );
  await writeFragments(
    tx,
    links.flatMap(({ no, fragment }) => {
      const after = fragment === null ? [] : withFragments([], [fragment], true);
      return known.has(no) || after.length > 0 ? [{ no, accountNo, after }] : [];
    }),
  );
}

/** Forgets the fragments of links that stand at none of their places any more, unless they are their own. */
export async function dropFragments(
  tx: Store,
  { accountNo }: Pick<Caller, "accountNo">,
  nos: number[],
): Promise<void> {
  const known = await readFragments(tx, [...new Set(nos)]);
  const open = [...known].flatMap(([no, some]) =>
    some.filter(({ isOwn }) => !isOwn).map(({ fragment }) => [no, fragment]),
  );
  const gone = Map.groupBy(await selectUnplaced(tx, open), ([no]) => no as number);
  await writeFragments(
    tx,
    [...gone].map(([no, rows]) => {
      const names = new Set(rows.map(([, fragment]) => fragment));
      const after = known.get(no)!.filter(({ fragment }) => !names.has(fragment));
      return { no, accountNo, after };
    }),
  );
}

const selectUnplaced = onRows(
  { link: "bigint", wanted: "text" },
  (rows) => sql`
    select link, wanted from ${rows} as given
    where not exists (select 1 from occurrences where target_no = link and fragment = wanted)
  `,
);

/** Returns what is known of the fragments of those links that have some. */
export async function readFragments(
  store: Store,
  nos: number[],
): Promise<Map<number, KnownFragment[]>> {
  const rows = await selectFragments(
    store,
    nos.map((no) => [no]),
  );
  return new Map(rows.map(([no, json]) => [no as number, fragmentsIn(json)]));
}

const selectFragments = onRows(
  { no: "bigint" },
  (rows) => sql`
    select given.no, fragments from ${rows} as given join link_details on link_no = given.no
    where fragments is not null
  `,
);

export async function writeFragments(
  tx: Store,
  changes: { no: number; accountNo: number; after: KnownFragment[] }[],
): Promise<void> {
  await upsert(
    tx,
    changes.map(({ no, accountNo, after }) => [
      no,
      accountNo,
      after.length === 0 ? null : JSON.stringify(after),
      after.filter(({ missingSince }) => missingSince !== null).length,
    ]),
  );
}

const upsert = onRows(
  { link: "bigint", account: "bigint", list: "text", missing: "bigint" },
  (rows) => sql`
    insert into link_details (link_no, account_no, fragments, missing_fragments)
    select link, account, list, missing from ${rows} as given where true
    on conflict (link_no) do update set fragments = excluded.fragments,
      missing_fragments = excluded.missing_fragments
  `,
);
