/** A table of buckets with a column `given`, as PostgreSQL makes one of a parameter. */
export const BUCKETS_GIVEN = "unnest(cast(cast(? as text) as bigint[])) as mine (given)";

/** Its parameter. */
export const givenBuckets = (buckets: readonly number[]): string => `{${buckets.join(",")}}`;
