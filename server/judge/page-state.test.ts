import { expect } from "bun:test";
import { readPage } from "../../tests/checker/read-page.ts";
import { eachRow, yamlIn } from "../../tests/each-row.ts";

type Row = { what: string; html: string };
const TABLES = yamlIn<{ missing: (Row & { framework: string })[]; not_missing: Row[] }>(
  import.meta.dir,
  "page-state.yaml",
);

const SHOWN = "<p>We looked everywhere, and found nothing at this address.</p>";

/** A page with what its framework has left there. */
const routeOf = (html: string) =>
  readPage(`<title>A shop</title>${html.replace("{shown}", SHOWN)}`, "text/html").missingRoute;

eachRow(TABLES.missing)("The state of a page says that its route is missing", (row) => {
  expect(routeOf(row.html)).toBe(row.framework);
});

eachRow(TABLES.not_missing)("The state of a page says nothing in what only resembles it", (row) => {
  // A page that shows nothing yet says so itself.
  const isLoading = row.html.includes("Loading");

  expect(routeOf(isLoading ? row.html : `{shown}${row.html}`)).toBeNull();
});
