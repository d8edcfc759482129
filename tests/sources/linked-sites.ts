import type { Visit } from "../cluster/hosts.ts";

/** Sites of pages that lead to each other and to links outside, each at an address of this machine. */
export type LinkedSites = {
  urlOf(site: number): string;
  /** What a source that has read a site whole counts. */
  counts: { pages: number; links: number; places: number };
  visits: Visit[];
  stop(): Promise<void>;
};

const INSIDE = 3;
const OUTSIDE = 2;
/** As a site of some distance would. */
const ANSWERS_AFTER_MS = 5;

/** @param pages of each site */
export function startLinkedSites(pages: number): LinkedSites {
  const visits: Visit[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "0.0.0.0",
    async fetch({ url, headers }) {
      const { host, hostname, pathname: path, port } = new URL(url);
      const page = Number(/^\/page-(\d+)$/.exec(path)?.[1] ?? (path === "/" ? 0 : -1));
      if (page < 0 || page >= pages) return new Response(null, { status: 404 });
      const from = performance.now();
      await Bun.sleep(ANSWERS_AFTER_MS);
      visits.push({ host, path, by: headers.get("user-agent") ?? "", from, to: performance.now() });
      const inside = Array.from(
        { length: INSIDE },
        (_, i) => `/page-${(page * 3 + i + 1) % pages}`,
      );
      const elsewhere = hostname.replace(/^127\.\d+/, "127.99");
      const outside = Array.from(
        { length: OUTSIDE },
        (_, i) => `http://${elsewhere}:${port}/page-${(page * 2 + i) % pages}`,
      );
      const links = [...inside, ...outside].map((href) => `<a href="${href}">${href}</a>\n`);
      return new Response(`<title>${page}</title>${links.join("")}`, {
        headers: { "content-type": "text/html" },
      });
    },
  });
  return {
    urlOf: (site) => `http://127.98.${site >> 8}.${site & 255}:${server.port}/`,
    counts: { pages: pages + 1, links: pages, places: (pages + 1) * (INSIDE + OUTSIDE) },
    visits,
    stop: () => server.stop(true),
  };
}
