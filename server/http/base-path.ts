import type { Front } from "./front.ts";
import type { DeclaredRoute } from "./routing.ts";
import { pathOf } from "./routing.ts";

/**
 * Serves everything below the path of STILLUP_PUBLIC_URL as well as without it, since a proxy in front may keep the path
 * or strip it. Inside, paths are without it; the paths in headers of the reply begin with it.
 * @param base "" or for example "/stillup"
 */
export function belowBase(base: string, front: Front): Front {
  if (base === "") return front;
  return async (incoming, server) => {
    // Only the request that came over the socket knows its address.
    const peer = server && { requestIP: () => server.requestIP(incoming) };
    const response = await front(withoutBase(base, incoming), peer);
    prefix(response.headers, "location", (value) => value.replace(/^\/(?!\/)/, `${base}/`));
    prefix(response.headers, "link", (value) => value.replaceAll("</", `<${base}/`));
    return response;
  };
}

function withoutBase(base: string, request: Request): Request {
  const path = pathOf(request.url);
  if (path !== base && !path.startsWith(`${base}/`)) return request;
  const start = request.url.indexOf("/", request.url.indexOf("://") + 3);
  const rest = request.url.slice(start + base.length);
  return new Request(
    request.url.slice(0, start) + (rest.startsWith("/") ? "" : "/") + rest,
    request,
  );
}

function prefix(headers: Headers, name: string, change: (value: string) => string) {
  const value = headers.get(name);
  if (value !== null) headers.set(name, change(value));
}

/**
 * With such a path it would be unclear whether a proxy has stripped it.
 * @throws when a path of the program begins like the base
 */
export function refuseOwnPath(base: string, routes: DeclaredRoute[]): void {
  const [, first] = base.split("/");
  if (!first || !routes.some(({ path }) => path.split("/")[1] === first)) return;
  throw new Error(
    `STILLUP_PUBLIC_URL: its path must not begin with /${first}, which is a path of Stillup. Choose another, such as /stillup.`,
  );
}
