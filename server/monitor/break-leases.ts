import { chunksOf, yieldToEventLoop } from "../lib/steps.ts";
import type { Deps } from "../work/deps.ts";
import { BUCKETS_GIVEN, givenBuckets } from "../work/given-buckets.ts";
import { LEASE_MS } from "../work/lease.ts";
import { leasesOf } from "../work/node-lease.ts";

/** Of each of so many buckets, what is due within a lease is looked at by one statement. */
const BUCKETS_AT_ONCE = 64;

/**
 * Has links be due now that nodes held which are gone: what such a node may still come to does not count.
 * Links whose results are being written just now are let be.
 * @param from the nodes
 */
export async function breakLeases(
  { store, clock }: Deps,
  buckets: number[],
  from: string[],
): Promise<void> {
  for (const some of chunksOf(BUCKETS_AT_ONCE, buckets)) {
    for (const id of from) {
      const now = clock.now();
      const params = [
        givenBuckets(some),
        now,
        now + LEASES_END_MS,
        leasesOf(id),
        now,
        leasesOf(id),
      ];
      await store.engine.run({ sql: BREAK, params });
    }
    await yieldToEventLoop();
  }
}

/** As far ahead as a clock may have been that was not quite right. */
const LEASES_END_MS = LEASE_MS + 60_000;

/** Only where several processes share the database, which has such an index for it. */
const BREAK = `
  with broken as materialized (
    select no from links where no = any (array(
      select held.no from ${BUCKETS_GIVEN} cross join lateral (
        select no, lease from links
        where bucket = given and next_check_at > ? and next_check_at <= ?
      ) as held where held.lease like ?
    ))
    for update skip locked
  )
  update links set next_check_at = ?, checking_until = null, lease = null
  where no = any (array(select no from broken)) and lease like ?`;
