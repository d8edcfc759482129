/** What is routed where, to tell a wrong method from a wrong path. */
export type RouteTable = { method: string; pattern: RegExp; hasParameters: boolean }[];

/** @param routes with paths such as `/links/:id` */
export const routeTable = (routes: { method: string; path: string }[]): RouteTable =>
  routes.map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/:[^/]+/g, "[^/]+")}$`),
    hasParameters: path.includes(":"),
  }));

/**
 * The methods that the path takes, HEAD beside GET; empty when there is nothing at it. A path of its
 * own, such as `/links/batch`, is no record of the pattern that it fits as well.
 */
export function allowedMethods(table: RouteTable, path: string): string[] {
  const fitting = table.filter(({ pattern }) => pattern.test(path));
  const own = fitting.filter(({ hasParameters }) => !hasParameters);
  const methods = (own.length > 0 ? own : fitting).map(({ method }) => method);
  return [...new Set(methods)].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
}
