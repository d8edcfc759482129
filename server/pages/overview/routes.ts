import { Elysia } from "elysia";
import * as z from "zod";
import { findEndOfLastVisit } from "../../accounts/visits.ts";
import { queryNumber } from "../../ground/lib/fields.ts";
import { type Caller, contextOf, type Session } from "../../http/caller.ts";
import { asIs, edge } from "../../http/edge.ts";
import type { Deps } from "../../work/deps.ts";
import {
  countByStatus,
  countOtherPages,
  countSites,
  countUnknownByReason,
  findDead,
  findLargestGroups,
  findLargestServices,
  findRecovered,
} from "./links.ts";
import { Overview, Series, SeriesQuery, Services, Upcoming, UpcomingQuery } from "./model.ts";
import { findCheckerState, findRefusingHosts, findWebhookState } from "./monitoring.ts";
import { findSeries } from "./series.ts";
import { findChangesSince } from "./since.ts";
import { findUpcoming } from "./upcoming.ts";

export const overviewRoutes = (deps: Deps) => {
  const { read } = edge(deps);
  return new Elysia({ prefix: "/overview", tags: ["Overview"] })
    .get(
      ...read(
        "",
        (deps, { caller, request }) => findOverview(deps, caller, contextOf(request).session),
        {
          operationId: "getOverview",
          summary: "Get what needs attention",
          description:
            "Each list has at most ten items, and the `total` of all. Links that are being checked count with their previous status, and also under `checking`. `dead` lists the latest first, of which `newInDay` died within 24 hours, and counts them by reason; `recovered` came back within 7 days and are still alive; `pages` counts those that lead to something else than before, as `identity=lost`, `identity=changed` and `fragment=missing` of `GET /links` list them. `unknown` counts links by reason, null for those that were never checked; if very many are unknown, `isWhole` is false and only the newest 50,000 are counted. `sites` is the number of sites, see `GET /sites`. `checker` describes the whole server: links that are due (`backlog`, at most 100,000), how long the first of them has been waiting, and when the next check is due. `webhooks.disabled` were disabled because they kept failing (`failing`) or by their receivers (`gone`). `since` counts the changes of status since the end of a person's last visit to the dashboard, without first verdicts; a visit ends after 30 minutes without a request. With many links, some counts may be a few seconds old.",
          reply: Overview,
          toReply: asIs,
        },
      ),
    )
    .get(
      ...read(
        "/services",
        (deps, { caller, query }) => findLargestServices(deps, caller, query.most),
        {
          operationId: "getServiceCounts",
          summary: "Count links by service",
          description:
            "The services with the most links, and the number of services. With many links, the counts may be a few seconds old.",
          query: z.object({
            most: queryNumber(1000).meta({ description: "Most services." }).optional().default(10),
          }),
          reply: Services,
          toReply: asIs,
        },
      ),
    )
    .get(
      ...read("/series", (deps, { caller, query }) => findSeries(deps, caller, query), {
        operationId: "getOverviewSeries",
        summary: "Get the number of links by status, day by day",
        description:
          "`days` has the links at the end of each day (UTC), oldest first; today has those of now. `group_id` or `site` limits all of it to links of a group or a site. `previous` has as many days before. Days before the first one that is known (`first_day`) are left out. `died` and `came_back` count changes of status, without first verdicts. `median_dead_ms` is an estimate of how long the links that came back had been dead. `notes` name the site of which most links died on each of the three worst days, and the day on which that was over. With many links, the counts may be a few seconds old.",
        query: SeriesQuery,
        reply: Series,
        toReply: asIs,
      }),
    )
    .get(
      ...read("/upcoming", (deps, { caller, query }) => findUpcoming(deps, caller, query.days), {
        operationId: "getUpcoming",
        summary: "Get what expires soon, and sources that fail",
        description:
          "The ten certificates that expire first within the next `days`, soonest first, and the number of all that do. Each as the last check of a link saw it: hosts of one `site` whose certificates expire at the same time are one item, with its first `host` and the number of its `hosts` and `links`. Certificates that have expired are not listed. `failing_sources` are those that could not be read or took nothing away lately, the longest failing first.",
        query: UpcomingQuery,
        reply: Upcoming,
        toReply: asIs,
      }),
    );
};

async function findOverview(deps: Deps, caller: Caller, session?: Session): Promise<Overview> {
  const counts = await countByStatus(deps, caller);
  const [sites, since, dead, recovered, pages, unknown, groups, checker, webhooks, hostSettings] =
    await Promise.all([
      countSites(deps, caller),
      findSince(deps, caller, session),
      findDead(deps, caller, counts.dead),
      findRecovered(deps, caller),
      countOtherPages(deps, caller),
      countUnknownByReason(deps, caller, counts.unknown),
      findLargestGroups(deps, caller),
      findCheckerState(deps),
      findWebhookState(deps, caller),
      findRefusingHosts(deps, caller),
    ]);
  return {
    counts,
    sites,
    since,
    dead,
    recovered,
    pages,
    unknown,
    groups,
    checker,
    webhooks,
    hostSettings,
  };
}

async function findSince(deps: Deps, { accountNo }: Caller, session?: Session) {
  const endedAt = session ? await findEndOfLastVisit(deps, session.user.id) : null;
  return endedAt === null ? null : findChangesSince(deps, accountNo, endedAt);
}
