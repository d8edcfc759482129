import { onlineGuard } from "../../app/build.ts";
import type { Config } from "../../ground/config/config.ts";
import { checkOutbound } from "../../ground/config/outbound.ts";
import { createLag, systemClock } from "../../ground/lib/clock.ts";
import { createTurns } from "../../ground/lib/concurrency.ts";
import { NEVER_CHECKED } from "../../judge/attempt.ts";
import { createCheck } from "../../judge/create-check.ts";
import type { Conclusion } from "../../judge/probe/conclusion.ts";
import { serviceIdOf } from "../../judge/services/catalogue.ts";
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
  const start = createChecker(config, signal);
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

function createChecker(config: Config, signal: AbortSignal): (url: string) => Promise<Checked> {
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
  return async (url) => {
    const conclusion = await inTurn(() => check({ ...NEVER_CHECKED, url }, signal));
    return { url, service: serviceIdOf(catalogue, new URL(url)), conclusion };
  };
}
