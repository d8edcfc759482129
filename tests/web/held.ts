import type { Page, Request, Route } from "playwright-core";

/**
 * Keeps back the first answer to this address, which the server has given: what changes meanwhile is not in it.
 * @returns when it was given, and what lets it go
 */
export async function holdFirstAnswer(page: Page, address: string, method = "GET") {
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
  let [isQuiet, tell] = [Promise.resolve(), () => {}];
  page.on("request", (request) => {
    if (request.resourceType() === "eventsource") return;
    if (underWay.size === 0) ({ promise: isQuiet, resolve: tell } = Promise.withResolvers<void>());
    underWay.add(request);
  });
  const hasEnded = (request: Request) => {
    if (underWay.delete(request) && underWay.size === 0) tell();
  };
  page.on("requestfinished", hasEnded);
  page.on("requestfailed", hasEnded);
  return () => isQuiet;
}
