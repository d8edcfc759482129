import { Elysia } from "elysia";
import { asIs, edge } from "../../http/edge.ts";
import type { Deps } from "../../work/deps.ts";
import { listChanges } from "./changes.ts";
import { ChangesPage, ChangesQuery } from "./model.ts";

export const changeRoutes = (deps: Deps) => {
  const { read } = edge(deps);
  return new Elysia({ tags: ["Overview"] }).get(
    ...read("/changes", (deps, { caller, query }) => listChanges(deps, caller, query), {
      operationId: "listChanges",
      summary: "List what happened to links, the latest first",
      description:
        "Changes of status, without first verdicts, and new redirects (`moved`). Changes of one site that have the same kind and reason, with at most ten minutes between two of them, are one entry: `count` links, of which `links` has the three latest, and `host` if all are on one host. `lasted_ms` is how long the latest of them had its status before, for `came_back` how long it was dead. `messages` are those sent to webhooks. Send `next` as `before` for earlier entries; null on the last page.",
      query: ChangesQuery,
      reply: ChangesPage,
      toReply: asIs,
    }),
  );
};
