import type { Page, Route } from "playwright-core";

/**
 * Keeps back the first answer to this address, which the server has given: what changes meanwhile is not in it.
 * @returns when it was given, and what lets it go
 */
export async function holdFirstAnswer(page: Page, address: string) {
  const [given, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isFirst = true;
  await page.route(address, async (route: Route) => {
    if (route.request().method() !== "GET" || !isFirst) return route.fallback();
    isFirst = false;
    const response = await route.fetch();
    given.resolve();
    await letGo.promise;
    await route.fulfill({ response });
  });
  return { isGiven: given.promise, letGo: letGo.resolve };
}
