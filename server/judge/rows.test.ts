import { describe, test } from "bun:test";
import { basename } from "node:path";
import { type Row, readRows, rowsFiles } from "../../tests/checker/read-rows.ts";
import { promiseOfPhrase } from "../../tests/checker/row-of-phrase.ts";
import { promiseOfResponse } from "../../tests/checker/row-of-response.ts";
import { isSite, promiseOfSite } from "../../tests/checker/row-of-site.ts";
import { agree, type Promised } from "../../tests/each-row.ts";

/** A row that cannot be understood fails when it is looked at, so that the others are looked at as well. */
function promiseOf(row: Row): Promised {
  try {
    if ("phrase" in row) return promiseOfPhrase(row);
    return isSite(row) ? promiseOfSite(row) : promiseOfResponse(row);
  } catch (error) {
    return { story: row.what, expected: {}, seen: () => Promise.reject(error) };
  }
}

describe.each(rowsFiles().map((path) => [basename(path, ".yaml"), path] as const))(
  "%s",
  (_, path) =>
    test.each(readRows(path).map(({ about, rows }) => [about, rows] as const))("%s", (_, rows) =>
      agree(rows.map(promiseOf)),
    ),
);
