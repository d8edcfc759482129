import type { DocumentDecoration } from "elysia";
import type { Access } from "./caller.ts";

/** What a route states, see `DocumentDecoration`. `path` has parameters as in `/links/:id`. */
export type Route = Statements & { method: string; path: string; pattern: RegExp };

type Statements = Pick<DocumentDecoration, "access" | "bodyLimit" | "upload" | "writes">;

/** The routes of the app, by what a request asks for. */
export type RouteTable = {
  /** The route that the framework runs for the request. HEAD runs the route of GET. */
  find(method: string, path: string): Route | null;
  /**
   * The methods that the path takes, HEAD with GET; empty when the path does not exist. A literal path, such as
   * `/links/batch`, does not take the methods of the pattern `/links/:id`.
   */
  methodsOf(path: string): string[];
};

/** A route as the framework lists it. Its schemas are zod's. */
export type DeclaredRoute = { method: string; path: string; hooks: unknown };

type Declared = { method: string; path: string; hooks: { detail?: Partial<Statements> } };

/** @throws when a route does not state who may call it, or states what the door in front of it cannot check */
export function routeTable(declared: Declared[]): RouteTable {
  const routes = declared.map(toRoute);
  const isPattern = ({ path }: Route) => path.includes(":");
  const literals = Map.groupBy(
    routes.filter((route) => !isPattern(route)),
    ({ path }) => path,
  );
  const patterns = routes.filter(isPattern);
  return {
    find(method, path) {
      const asked = method === "HEAD" ? "GET" : method;
      const literal = literals.get(path)?.find((route) => route.method === asked);
      if (literal) return literal;
      return patterns.find((route) => route.method === asked && route.pattern.test(path)) ?? null;
    },
    methodsOf(path) {
      const fitting = literals.get(path) ?? patterns.filter(({ pattern }) => pattern.test(path));
      const methods = [...new Set(fitting.map(({ method }) => method))];
      return methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    },
  };
}

/** What the door in front of a path can check. Paths outside both doors are open to anyone. */
const CHECKED: [prefix: string, checked: Access[]][] = [
  ["/api/v1/", ["read", "write"]],
  ["/mcp", ["read"]],
  ["/dashboard/api/", ["anyone", "signed-in", "read", "write", "owner", "administrator"]],
  ["/", ["anyone"]],
];

function toRoute({ method, path, hooks }: Declared): Route {
  const { access, bodyLimit, upload, writes } = hooks.detail ?? {};
  if (!access) throw new Error(`${method} ${path} must state in detail.access who may call it.`);
  const [, checked] = CHECKED.find(([prefix]) => path.startsWith(prefix))!;
  if (!checked.includes(access)) {
    throw new Error(`${method} ${path} states access "${access}", which is not checked there.`);
  }
  const pattern = new RegExp(`^${path.replaceAll(".", "\\.").replace(/:[^/]+/g, "[^/]+")}$`);
  return {
    method,
    path,
    pattern,
    access,
    ...(bodyLimit && { bodyLimit }),
    ...(upload && { upload }),
    ...(writes && { writes }),
  };
}

const ORIGIN = /^[a-z]+:\/\/[^/?#]*/;
/** The framework's router looks for the path from this position on, whatever the host. */
const ROUTER_STARTS_AT = 11;

/**
 * Replaces a host that clients cannot be trusted with: without one, or with one that no URL can have, the request's
 * URL is a bare path, and after a very short one the router would see another path than the doors.
 */
export function plainHosts(): (request: Request) => Request {
  // Nearly all requests have the same host, and parsing a URL is the most expensive step here.
  let known = "";
  return (request) => {
    const origin = ORIGIN.exec(request.url)?.[0] ?? "";
    if (origin === known && known) return request;
    if (origin.length < ROUTER_STARTS_AT || !URL.canParse(request.url)) {
      return new Request(`http://localhost${request.url.slice(origin.length)}`, request);
    }
    known = origin;
    return request;
  };
}

/** The path of a URL, without the query. */
export function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.indexOf("?", start);
  return url.slice(start, end < 0 ? undefined : end);
}
