import type { Access } from "./caller.ts";

declare module "elysia/types" {
  interface DocumentDecoration {
    /** Who may call the route, or each route of the instance. The doors enforce it. */
    access: Access;
  }
}

/** What the front knows of a route. `path` has parameters as in `/links/:id`. */
export type Route = { method: string; path: string; access: Access; pattern: RegExp };

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

type Declared = { method: string; path: string; hooks: { detail?: { access?: Access } } };

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
  ["/dashboard/api/", ["anyone", "signed-in", "read", "write", "owner", "administrator"]],
  ["/", ["anyone"]],
];

function toRoute({ method, path, hooks }: Declared): Route {
  const access = hooks.detail?.access;
  if (!access) throw new Error(`${method} ${path} must state in detail.access who may call it.`);
  const [, checked] = CHECKED.find(([prefix]) => path.startsWith(prefix))!;
  if (!checked.includes(access)) {
    throw new Error(`${method} ${path} states access "${access}", which is not checked there.`);
  }
  const pattern = new RegExp(`^${path.replaceAll(".", "\\.").replace(/:[^/]+/g, "[^/]+")}$`);
  return { method, path, access, pattern };
}
