import { expect } from "bun:test";
import { readUsedUpLimit } from "../../server/verdict/politeness/site-load.ts";
import { eachRow } from "../each-row.ts";

const NOW = Date.parse("2030-01-01T00:00:00Z");
const EPOCH_S = NOW / 1000;

const read = (headers: Record<string, string>) => readUsedUpLimit(new Headers(headers), NOW);

eachRow([
  ["early drafts: seconds", { "RateLimit-Remaining": "0", "RateLimit-Reset": "50" }, 50_000],
  ["draft 7: one header", { RateLimit: "limit=100, remaining=0, reset=50" }, 50_000],
  ["draft 7 in another order", { RateLimit: "reset=7,remaining=0" }, 7000],
  ["draft 8 and later: a list", { RateLimit: '"default";r=0;t=30' }, 30_000],
  ["spaces and other parameters", { RateLimit: '"d" ; pk=:YQ==: ; r=0 ; t=30' }, 30_000],
  ["the used up one of two limits", { RateLimit: '"burst";r=0;t=5, "daily";r=900;t=3600' }, 5000],
  ["the longer of two used up limits", { RateLimit: '"a";r=0;t=5, "b";r=0;t=60' }, 60_000],
  ["a limit whose name has a comma", { RateLimit: '"a,b";r=0;t=30' }, 30_000],
  [
    "GitHub: seconds since 1970",
    { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": `${EPOCH_S + 90}` },
    90_000,
  ],
  [
    "GitLab: the same without X-",
    { "RateLimit-Remaining": "0", "RateLimit-Reset": `${EPOCH_S + 90}` },
    90_000,
  ],
  [
    "milliseconds since 1970",
    { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": `${NOW + 1500}` },
    1500,
  ],
  ["others: a length", { "X-Rate-Limit-Remaining": "0", "X-Rate-Limit-Reset": "120" }, 120_000],
  ["fractions", { "X-RateLimit-Remaining": "0.0", "X-RateLimit-Reset": "1.5" }, 1500],
])("nothing is left of a rate limit, in all the ways that servers say it", (_, headers, ms) => {
  expect(read(headers as Record<string, string>)).toBe(ms);
});

eachRow([
  ["no header", {}],
  ["something is left", { "RateLimit-Remaining": "1", "RateLimit-Reset": "50" }],
  [
    "less than one is left, but not nothing",
    { "X-RateLimit-Remaining": "0.5", "X-RateLimit-Reset": "50" },
  ],
  ["something is left of each limit", { RateLimit: '"a";r=1;t=5, "b";r=10;t=60' }],
  ["something is left, as draft 7 says it", { RateLimit: "limit=0, remaining=10, reset=50" }],
  ["nobody says when there is more", { "RateLimit-Remaining": "0" }],
  ["nobody says how much is left", { "RateLimit-Reset": "50", "RateLimit-Limit": "0" }],
  ["it is renewed now", { "RateLimit-Remaining": "0", "RateLimit-Reset": "0" }],
  ["it was renewed", { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": `${EPOCH_S - 5}` }],
  ["unlimited", { "X-RateLimit-Remaining": "-1", "X-RateLimit-Reset": "50" }],
  ["no numbers", { "X-RateLimit-Remaining": "none", "X-RateLimit-Reset": "50" }],
  ["empty values", { "X-RateLimit-Remaining": "", "X-RateLimit-Reset": "50" }],
  ["a reset that is no number", { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "soon" }],
  ["two windows in one header", { "X-RateLimit-Remaining": "0, 10", "X-RateLimit-Reset": "50" }],
  ["a number without end", { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "9".repeat(400) }],
  ["other names of members", { RateLimit: '"a";rr=0;tt=5;xr=0;xt=5' }],
  ["a policy is no state", { "RateLimit-Policy": '"a";q=0;w=5' }],
  ["nonsense", { RateLimit: "remaining=,reset=;;;r=;t==0,,," }],
])("nothing is to be waited for where something is left, or nothing can be read", (_, headers) => {
  expect(read(headers as Record<string, string>)).toBeNull();
});
