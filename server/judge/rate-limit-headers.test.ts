import { expect } from "bun:test";
import { eachRow, yamlIn } from "../../tests/each-row.ts";
import { readUsedUpLimit } from "./politeness/site-load.ts";

const TABLES = yamlIn<{
  used_up: [what: string, headers: Record<string, string>, ms: number][];
  nothing_to_wait_for: [what: string, headers: Record<string, string>][];
}>(import.meta.dir, "rate-limit-headers.yaml");

const NOW = Date.parse("2030-01-01T00:00:00Z");

const read = (headers: Record<string, string>) => readUsedUpLimit(new Headers(headers), NOW);

eachRow(TABLES.used_up)(
  "nothing is left of a rate limit, in all the ways that servers say it",
  (_, headers, ms) => {
    expect(read(headers)).toBe(ms);
  },
);

eachRow(TABLES.nothing_to_wait_for)(
  "nothing is to be waited for where something is left, or nothing can be read",
  (_, headers) => {
    expect(read(headers)).toBeNull();
  },
);
