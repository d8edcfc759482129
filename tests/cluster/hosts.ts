const pageAt = (path: string) =>
  `<title>${path}</title><p>All is well at ${path}, with enough to read on it.</p>`;
/** What else a check may ask for is not there. */
const A_PAGE = /^\/pages\/\d+$/;
const PAGE_HEADERS = { "content-type": "text/html" };
/** As a site of some distance would. */
const ANSWERS_AFTER_MS = 20;

/** A request as a site saw it: who asked for what, and from when to when, in milliseconds. */
export type Visit = { host: string; path: string; by: string; from: number; to: number };

export type Hosts = {
  /** The n-th page of a host, each of which has an address of this machine to itself. */
  urlOf(host: number, page: number): string;
  /** Who asked for a page since the last time this was called. */
  takeVisits(): Visit[];
  /** From now on pages with this in their path are gone for good. */
  takeAway(part: string): void;
  stop(): Promise<void>;
};

export function startHosts(): Hosts {
  let visits: Visit[] = [];
  let gone: string | undefined;
  const server = Bun.serve({
    port: 0,
    hostname: "0.0.0.0",
    async fetch({ url, headers }) {
      const { host, pathname: path } = new URL(url);
      if (!A_PAGE.test(path)) return new Response(null, { status: 404 });
      const from = performance.now();
      await Bun.sleep(ANSWERS_AFTER_MS);
      const by = headers.get("user-agent") ?? "";
      visits.push({ host, path, by, from, to: performance.now() });
      if (gone !== undefined && path.includes(gone)) return new Response(null, { status: 410 });
      return new Response(pageAt(path), { headers: PAGE_HEADERS });
    },
  });
  return {
    urlOf: (host, page) => `http://127.4.${host >> 8}.${host & 255}:${server.port}/pages/${page}`,
    takeVisits() {
      const taken = visits;
      visits = [];
      return taken;
    },
    takeAway(part) {
      gone = part;
    },
    stop: () => server.stop(true),
  };
}

/** So many requests were under way at one host at once, at most. */
export function mostAtOnce(visits: Visit[]): number {
  const moments = visits.flatMap(({ from, to }) => [
    { at: from, step: 1 },
    { at: to, step: -1 },
  ]);
  moments.sort((one, other) => one.at - other.at || one.step - other.step);
  let [now, most] = [0, 0];
  for (const { step } of moments) {
    now += step;
    most = Math.max(most, now);
  }
  return most;
}

/** How often another node began to ask the host. */
export function changesOfHand(visits: Visit[]): number {
  const inOrder = visits.toSorted((one, other) => one.from - other.from);
  return inOrder.filter(({ by }, at) => at > 0 && by !== inOrder[at - 1]!.by).length;
}
