import type { Page, Request, Route } from "playwright-core";

/**
 * Keeps back the first answer to this address, which the server has given: what changes meanwhile is not in it.
 * @returns when it was given, and what lets it go
 */
export async function holdFirstAnswer(page: Page, address: string | RegExp, method = "GET") {
  const [given, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isFirst = true;
  await page.route(address, async (route: Route) => {
    if (route.request().method() !== method || !isFirst) return route.fallback();
    isFirst = false;
    const response = await route.fetch();
    given.resolve();
    await letGo.promise;
    await route.fulfill({ response });
  });
  return { isGiven: given.promise, letGo: letGo.resolve };
}

/** @returns what waits until nothing is being read, so that what changes then surprises no reading under way */
export function readingsOf(page: Page): () => Promise<void> {
  const underWay = new Set<Request>();
  let waiting: (() => void)[] = [];
  const hasEnded = (request: Request) => {
    underWay.delete(request);
    if (underWay.size > 0) return;
    for (const goOn of waiting) goOn();
    waiting = [];
  };
  page.on(
    "request",
    (request) => request.resourceType() !== "eventsource" && underWay.add(request),
  );
  page.on("requestfinished", hasEnded);
  page.on("requestfailed", hasEnded);
  return () => new Promise((goOn) => (underWay.size === 0 ? goOn() : waiting.push(goOn)));
}
