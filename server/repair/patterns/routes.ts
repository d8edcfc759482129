import { Elysia } from "elysia";
import { resource } from "../../http/edge.ts";
import { Pattern } from "../../links/suggestions/model.ts";
import type { Deps } from "../../work/deps.ts";
import { deletePattern, listPatterns, PatternQuery, toPattern } from "./list.ts";

export const patternRoutes = (deps: Deps) => {
  const shown = { reply: Pattern, toReply: toPattern };
  const { list, remove } = resource(deps, "/patterns", shown);
  return new Elysia({ prefix: "/patterns", tags: ["Suggestions"] })
    .get(
      ...list(listPatterns, {
        operationId: "listPatterns",
        summary: "List how the addresses of sites changed",
        description:
          "A pattern is learned where at least 5 links, and 9 of 10 with the old prefix, moved in the same way: by permanent redirects, or because people replaced them. It proposes addresses for dead links with the old prefix. Each is requested before it is suggested. One whose first 20 addresses are all wrong proposes none until `rests_until`.",
        query: PatternQuery,
      }),
    )
    .delete(
      ...remove(deletePattern, {
        operationId: "deletePattern",
        summary: "Forget a pattern and its suggestions",
        description: "It is not learned again for 90 days.",
        refuses: [404],
      }),
    );
};
