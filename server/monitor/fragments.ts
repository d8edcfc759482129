import type { Store } from "../ground/db/store.ts";
import { fragmentsAfter, type KnownFragment } from "../judge/fragments.ts";
import { readFragments, writeFragments } from "../links/fragments.ts";
import type { LinkNotice } from "../links/notices.ts";
import { markFragments } from "../sources/places.ts";
import type { Settled } from "./outcome.ts";

/**
 * Writes what checks saw of fragments, inside the transaction of their results, and marks the places that lead to them.
 * @returns what is to be said about a link, by the link's number
 */
export async function settleFragments(
  tx: Store,
  settled: Settled[],
): Promise<Map<number, LinkNotice[]>> {
  const some = settled.filter((each) => changes(each, each.link.fragments ?? []));
  // Others may have been added while the check ran.
  const known = await readFragments(
    tx,
    some.map(({ link }) => link.no),
  );
  const settling = some.flatMap((result) => {
    const before = known.get(result.link.no);
    return before ? [{ result, before, ...after(result, before) }] : [];
  });
  await writeFragments(
    tx,
    settling.map(({ result: { link }, known }) => ({
      no: link.no,
      accountNo: link.accountNo,
      after: known,
    })),
  );
  await markFragments(
    tx,
    settling.flatMap(({ result, notices }) =>
      notices.map(({ kind, fragment }) => ({
        no: result.link.no,
        fragment,
        isMissing: kind === "fragment_missing",
      })),
    ),
  );
  return new Map(settling.map(({ result, notices }) => [result.link.no, notices]));
}

function after({ checkedAt, outcome: { conclusion } }: Settled, before: KnownFragment[]) {
  const { fragments, unchanged } = conclusion;
  return fragmentsAfter(before, unchanged ? null : (fragments ?? []), checkedAt);
}

const changes = (result: Settled, before: KnownFragment[]) =>
  before.length > 0 && !Bun.deepEquals(after(result, before).known, before);
