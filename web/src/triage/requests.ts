import { api, asSent, complete, unwrap } from "../data/api.ts";

/** @param until a date; 30 days if left out */
export const overrideLink = (id: string, override: { note: string; until?: string }) =>
  unwrap(api.links({ id }).override.post(asSent(override)));

/** Says that a link leads to the right page as it is now. */
export const acceptPage = (id: string) =>
  unwrap(api.links({ id }).identity.post(asSent({ accept: true })));

export const endOverride = (id: string) => complete(api.links({ id }).override.delete());

export const listTimeline = (id: string, page: number) =>
  unwrap(api.links({ id }).timeline.get({ query: asSent({ page, per_page: 20 }) }));

export type TimelineEntry = Awaited<ReturnType<typeof listTimeline>>["items"][number];
