/** What is routed where, to tell a wrong method from a wrong path. */
export type RouteTable = { method: string; pattern: RegExp }[];

/** @param routes with paths such as `/links/:id` */
export const routeTable = (routes: { method: string; path: string }[]): RouteTable =>
  routes.map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/:[^/]+/g, "[^/]+")}$`),
  }));

/** The methods that the path takes, HEAD beside GET; empty when there is nothing at it. */
export function allowedMethods(table: RouteTable, path: string): string[] {
  const methods = table.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  const unique = [...new Set(methods)];
  return unique.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
}
