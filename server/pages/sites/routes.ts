import { Elysia } from "elysia";
import * as z from "zod";
import { contextOf } from "../../http/caller.ts";
import { asIs, edge } from "../../http/edge.ts";
import { data, Pagination, refusals, toPage } from "../../http/reply.ts";
import type { Deps } from "../../work/deps.ts";
import { findAttention } from "./attention.ts";
import { AttentionQuery, Cause, Site, SiteChange, SiteMute, SiteQuery, toCursor } from "./model.ts";
import { findSite, listSites, muteSite } from "./sites.ts";

const SitePage = z.object({
  items: z.array(Site),
  pagination: Pagination,
  next_cursor: z.string().meta({ example: "MCBleGFtcGxlLmNvbQ" }).nullable(),
});

export const siteRoutes = (deps: Deps) => {
  const { list, read, changeInSteps } = edge(deps);
  return new Elysia({ tags: ["Overview"] })
    .get(
      "/sites",
      async ({ query, request, set }) => {
        const { next, ...page } = await listSites(deps, contextOf(request).caller!, query);
        const reply = toPage(page, query, (site) => site, { request, set });
        return { data: { ...reply.data, next_cursor: next && toCursor(next) } };
      },
      {
        query: SiteQuery,
        response: { 200: data(SitePage), ...refusals },
        detail: {
          access: "read",
          operationId: "listSites",
          summary: "List the sites of your links",
          description:
            "A site is a registrable domain, where private suffixes such as `github.io` count, or a host or address that has none. `open` are the dead links that need attention. `top_reason` is the most frequent reason of its dead links, or else of its unknown ones. `days` has the dead links at the end of each of the last 30 days (UTC), today last; null before the site had links. `response_ms` is the mean of the last response times of up to 100 links. `expires_at` is when the first certificate of its hosts expires. `next_cursor` leads to the next page as `cursor`, which is faster than a high `page`; null on the last one.",
        },
      },
    )
    .get(
      ...read("/sites/:site", (deps, { caller, params }) => findSite(deps, caller, params.site), {
        operationId: "getSite",
        summary: "Get whether a site is muted",
        reply: SiteMute,
        toReply: asIs,
      }),
    )
    .patch(
      ...changeInSteps(
        "/sites/:site",
        (deps, { caller, params, body }) => muteSite(deps, caller, params.site, body.muted_until),
        {
          operationId: "changeSite",
          summary: "Mute a site, or end that",
          description:
            "Its open links are muted with it, and those that are added later; links about which something was decided stay as they are.",
          body: SiteChange,
          reply: SiteMute,
          toReply: asIs,
        },
      ),
    )
    .get(
      ...list("/attention", (deps, { caller, query }) => findAttention(deps, caller, query), {
        operationId: "listAttention",
        summary: "List dead links by cause",
        description:
          "Dead links that need attention, grouped by site and reason or by site, the largest group first. `reason` is the most frequent one of the group, of `reasons` different ones. `host` is set if all links of the group are on one host, `stage` is where a check fails: `dns`, `connection`, `tls`, `response` or `content`. `since` is when the first of them died and `latest` when the last did. `links` has the three newest. With many links, another reason of a link that stays dead may show a few seconds late.",
        query: AttentionQuery,
        item: Cause,
        toItem: asIs,
      }),
    );
};
