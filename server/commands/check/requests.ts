import { onlineGuard } from "../../app/build.ts";
import type { Config } from "../../ground/config/config.ts";
import { checkOutbound } from "../../ground/config/outbound.ts";
import { createLag, systemClock } from "../../ground/lib/clock.ts";
import { createTurns } from "../../ground/lib/concurrency.ts";
import { NEVER_CHECKED } from "../../judge/attempt.ts";
import { createCheck } from "../../judge/create-check.ts";
import { wantedBy } from "../../judge/page/fragments.ts";
import type { Conclusion } from "../../judge/probe/conclusion.ts";
import { type Catalogue, serviceIdOf, urlKeyOf } from "../../judge/services/catalogue.ts";
import { ownServicesOf } from "../../judge/services/own-services.ts";
import { catalogueWith } from "../../judge/services/records/built-in.ts";
import { createHostProfiles } from "../../judge/surroundings.ts";

export type Checked = { url: string; service: string; conclusion: Conclusion };

/** Checks that are started ahead of the output. */
const AHEAD = 2000;

/** Checks URLs, and yields the results in their order, until the signal ends that. */
export async function* checksOf(
  config: Config,
  urls: string[],
  { done, signal }: { done: () => void; signal: AbortSignal },
): AsyncGenerator<Checked, void> {
  if (urls.length === 0 || signal.aborted) return;
  const start = createChecker(config, urls, signal);
  const begun: Promise<Checked>[] = [];
  const { promise: stopped, resolve: stop } = Promise.withResolvers<null>();
  signal.addEventListener("abort", () => stop(null), { once: true });
  const next = () => Promise.race([begun.shift()!, stopped]);
  for (const url of urls) {
    const checking = start(url);
    // Those that are under way when the signal comes may fail by it.
    checking.then(done, () => {});
    begun.push(checking);
    if (begun.length < AHEAD) continue;
    const checked = await next();
    if (checked === null) return;
    yield checked;
  }
  while (begun.length > 0) {
    const checked = await next();
    if (checked === null) return;
    yield checked;
  }
}

/** URLs that lead to anchors of one page share one check, which looks for all of them. */
function createChecker(
  config: Config,
  urls: string[],
  signal: AbortSignal,
): (url: string) => Promise<Checked> {
  const catalogue = catalogueWith(ownServicesOf(config));
  const check = createCheck({
    config,
    clock: systemClock,
    outbound: checkOutbound(config, systemClock),
    online: onlineGuard(config, systemClock),
    lag: createLag(systemClock),
    profiles: createHostProfiles({ clock: systemClock }),
    catalogue,
    random: Math.random,
  });
  const inTurn = createTurns({ atOnce: config.checkConcurrency });
  const pages = Map.groupBy(urls, (url) => pageOf(catalogue, url));
  const shared = new Map<string, Promise<Conclusion>>();
  const checkPage = (page: string, url: string) => {
    const of = pages.get(page)!;
    const fragments = of.map(fragmentOf).filter((fragment) => fragment !== "");
    const link = { ...NEVER_CHECKED, url, ...(fragments.length > 0 && { fragments }) };
    const known = shared.get(page);
    if (known) return known;
    const checking = inTurn(() => check(link, signal));
    if (of.length > 1) shared.set(page, checking);
    return checking;
  };
  return async (url) => {
    const conclusion = await checkPage(pageOf(catalogue, url), url);
    return { url, service: serviceIdOf(catalogue, new URL(url)), conclusion };
  };
}

/** What follows `#`; "" for nothing. */
const fragmentOf = (url: string): string => new URL(url).hash.slice(1);

/** The URL without an anchor. What only programs know stays, by which a redirect may be judged. */
const pageOf = (catalogue: Catalogue, url: string): string =>
  wantedBy(fragmentOf(url)) === "unknown" ? url : urlKeyOf(catalogue, new URL(url));
