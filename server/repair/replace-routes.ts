import { Elysia } from "elysia";
import { edge } from "../http/edge.ts";
import type { Deps } from "../work/deps.ts";
import { replaceLink, withdrawReplacement } from "./replace.ts";
import * as model from "./replace-model.ts";

export const replaceRoutes = (deps: Deps) => {
  const { post, remove } = edge(deps);
  return new Elysia({ tags: ["Links"] })
    .post(
      ...post(
        "/links/:id/replace",
        (unit, { caller, params, body }) => replaceLink(unit, caller, params.id, body),
        {
          operationId: "replaceLink",
          summary: "Put another URL in the place of a link's",
          description:
            "A link that stands in no source gets the URL as by `POST /api/v1/links/{id}/url`. One that stands in sources keeps its own, since they would add it again: the new one becomes its `accepted_url`, and the link is acknowledged if it is dead and open. Once its places are edited, the source finds the new URL and the old link is retired. The URL of another link gets 409 `duplicate_url` with `existingId`, unless `merge` is true.",
          body: model.ReplaceBody,
          reply: model.ReplacedLinkRecord,
          toReply: model.toReplacedLink,
        },
      ),
    )
    .delete(
      ...remove(
        "/links/:id/replace",
        (unit, { caller, params }) => withdrawReplacement(unit, caller, params.id),
        {
          operationId: "withdrawReplacement",
          summary: "Take back the accepted URL of a link that stands in sources",
          description:
            "Opens the link again if accepting the URL has acknowledged it. 404 without an accepted URL. A URL that was changed is changed back by `POST /api/v1/links/{id}/url`.",
          refuses: [404, 409],
        },
      ),
    );
};
