import { Elysia } from "elysia";

/**
 * Reads the query of every route: a name given once is a text, one given more often a list of them.
 * The framework's own reading splits values at commas and takes brackets for JSON.
 */
export const queries = new Elysia({ name: "queries" }).onTransform({ as: "global" }, (context) => {
  context.query = readQuery(context.request.url) as Record<string, string>;
});

function readQuery(url: string): Record<string, string | string[]> {
  const start = url.indexOf("?");
  if (start < 0) return {};
  const params = new URLSearchParams(url.slice(start));
  const names = [...new Set(params.keys())];
  return Object.fromEntries(names.map((name) => [name, onlyOrAll(params.getAll(name))]));
}

const onlyOrAll = (values: string[]) => (values.length === 1 ? values[0]! : values);
