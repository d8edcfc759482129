import { siteOf } from "../lib/site.ts";

/** Into so many parts work is divided, however many nodes share it. */
export const BUCKETS = 1024;

export const ALL_BUCKETS: readonly number[] = Array.from({ length: BUCKETS }, (_, n) => n);

/** All that has the same name is in the same bucket, which is as good as any. */
export const bucketOf = (name: string): number => Bun.hash.crc32(name) % BUCKETS;

/** One bucket for all links of a site, so that one node asks it. */
export const bucketOfUrl = (url: string | URL): number => bucketOf(siteOf(new URL(url).host));
