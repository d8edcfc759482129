import { toLastResort } from "../api/errors.ts";
import type { RouteTable } from "../api/route-table.ts";
import type { Config } from "../config/config.ts";
import { AppError } from "../lib/errors.ts";
import type { Front } from "./front.ts";
import { securityHeaders } from "./security-headers.ts";

/** For a node without the role `api`: lets through what it has a route for, and says of all else where it is. */
export function withoutApi(config: Config, front: Front, table: RouteTable): Front {
  const headersFor = securityHeaders(config);
  return async (request, server) => {
    const path = URL.canParse(request.url) ? new URL(request.url).pathname : "/";
    if (table.methodsOf(path).length > 0) return front(request, server);
    const response = toLastResort(elsewhere(config));
    headersFor(path).forEach((value, name) => {
      response.headers.set(name, value);
    });
    return response;
  };
}

const elsewhere = ({ role }: Config) =>
  new AppError(
    "NOT_FOUND",
    `This node has no role but ${role.join(" and ")}. Ask one that has the role api.`,
  );
