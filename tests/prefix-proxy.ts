import { closeAtEnd } from "./shared.ts";

/** Whether a proxy passes paths on as they are, or without the part that led to it. */
export const KINDS = ["keeps", "strips"] as const;
export type Kind = (typeof KINDS)[number];

export type PrefixProxy = {
  /** With the path, without a slash at its end. */
  url: string;
  /** Requests for paths that belong to other programs of the host. */
  strays: string[];
  /** Where it leads from now on. */
  leadTo(url: string): void;
};

/** A reverse proxy as people have them, that shares a host among programs by the beginning of the path. */
export function startPrefixProxy(kind: Kind, prefix = "/stillup"): PrefixProxy {
  let target = "";
  const strays: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (pathname !== prefix && !pathname.startsWith(`${prefix}/`)) {
        strays.push(pathname);
        return new Response("Another program\n", { status: 404 });
      }
      const path = kind === "keeps" ? pathname : pathname.slice(prefix.length) || "/";
      const { method, headers, body, signal } = request;
      const passedOn = fetch(target + path + search, {
        method,
        headers,
        signal,
        redirect: "manual",
        decompress: false,
        ...(body && { body }),
      } as RequestInit);
      // The browser may leave at any time.
      return passedOn.catch(() => new Response(null, { status: 502 }));
    },
  });
  closeAtEnd(() => server.stop(true));
  const leadTo = (url: string) => {
    target = url;
  };
  return { url: `http://127.0.0.1:${server.port}${prefix}`, strays, leadTo };
}
