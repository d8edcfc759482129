import { claimAndAsk, createAsking } from "../server/monitor/domains/loop.ts";
import { saw } from "./checker/ended.ts";
import type { Asker, TestServer } from "./harness.ts";
import { checkDueLinks } from "./rounds.ts";
import { type Routes, type Site, startSite } from "./site.ts";

/** The servers of registries, the list of which is at the first. They trust the tests' authority. */
export const registrySettings = (list: Site) => ({
  STILLUP_RDAP_BOOTSTRAP_URL: `${list.url}/dns.json`,
  STILLUP_EXTRA_CA_FILE: "tests/certs/ca.pem",
});

export const startRegistry = (routes: Routes = {}) => startSite(routes, { certificate: "good" });

/** A list as IANA publishes it (RFC 9224 §3). */
export const listOf = (services: [zones: string[], bases: string[]][]) =>
  JSON.stringify({ version: "1.0", publication: "2030-01-01T00:00:00Z", services });

/** What a server says about a domain (RFC 9083 §5.3). */
export const rdap = (domain: string, events: Record<string, string> = {}, more: object = {}) =>
  JSON.stringify({
    objectClassName: "domain",
    ldhName: domain,
    events: Object.entries(events).map(([eventAction, eventDate]) => ({ eventAction, eventDate })),
    ...more,
  });

/** Makes links, which a check then finds alive on the internet. Returns their ids. */
export async function addAlive(server: TestServer, me: Asker, urls: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const url of urls) ids.push((await me.post("/api/v1/links", { url })).body.data.id);
  await checkDueLinks({ ...server.deps, check: async () => saw("ok") });
  return ids;
}

/** Asks registries in rounds, as the loop does each second; the clock stands meanwhile. */
export function startAsking({ deps }: Pick<TestServer, "deps">) {
  const asking = createAsking(deps, new AbortController().signal, () => {});
  return {
    async once() {
      await claimAndAsk(asking);
      await Promise.all(asking.running);
    },
    /** Begins without waiting for the answers, which the result does. */
    async begin() {
      await claimAndAsk(asking);
      return () => Promise.all(asking.running);
    },
  };
}
