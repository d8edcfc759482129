import { siteOf } from "../lib/site.ts";

/** Number of parts that the work is divided into, however many nodes share it. */
export const BUCKETS = 1024;

export const ALL_BUCKETS: readonly number[] = Array.from({ length: BUCKETS }, (_, n) => n);

export const bucketOf = (name: string): number => Bun.hash.crc32(name) % BUCKETS;

/** All links of a site are in one bucket, so that one node checks them. */
export const bucketOfUrl = (url: string | URL): number => bucketOf(siteOf(new URL(url).host));

/** A table of buckets with a column `given`, made of one parameter (`givenBuckets`). PostgreSQL only. */
export const BUCKETS_GIVEN = "unnest(cast(cast(? as text) as bigint[])) as mine (given)";

export const givenBuckets = (buckets: readonly number[]): string => `{${buckets.join(",")}}`;
