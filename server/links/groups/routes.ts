import { Elysia } from "elysia";
import type * as z from "zod";
import { edge, resource } from "../../http/edge.ts";
import type { Deps } from "../../work/deps.ts";
import { listLinks } from "../list.ts";
import { countOf, toOutcome } from "../many-model.ts";
import { Link, toLink } from "../model.ts";
import type { Outcome } from "../selection.ts";
import {
  changeGroup,
  countUngrouped,
  createGroup,
  deleteGroup,
  findGroup,
  listGroups,
  type MoveResult,
  moveLinks,
} from "./groups.ts";
import * as model from "./model.ts";

export const groupRoutes = (deps: Deps) => {
  const shown = { reply: model.Group, toReply: model.toGroup };
  const { list, find, create } = resource(deps, "/groups", shown);
  const { list: listBelow, read, changeInSteps, removeInSteps, postInSteps } = edge(deps);
  return new Elysia({ prefix: "/groups", tags: ["Groups"] })
    .get(
      ...list(listGroups, {
        operationId: "listGroups",
        summary: "List groups, newest first",
        query: model.GroupQuery,
      }),
    )
    .get(
      ...read("/none", (deps, { caller }) => countUngrouped(deps, caller), {
        operationId: "getUngrouped",
        summary: "Count the links that are in no group",
        description: "Together with the groups, this covers all links.",
        reply: model.Ungrouped,
        toReply: model.toCounted,
      }),
    )
    .get(
      ...find(findGroup, {
        operationId: "getGroup",
        summary: "Get one group with its link counts",
      }),
    )
    .patch(
      ...changeInSteps(
        "/:id",
        (deps, { caller, params, body }) => changeGroup(deps, caller, params.id, body),
        {
          operationId: "changeGroup",
          summary: "Change a group's name, description, colour or schedule, or mute it",
          body: model.GroupChange,
          ...shown,
        },
      ),
    )
    .delete(
      ...removeInSteps("/:id", (deps, { caller, params }) => deleteGroup(deps, caller, params.id), {
        operationId: "deleteGroup",
        summary: "Delete a group; its links become ungrouped",
        description: "Its links are kept without a group.",
      }),
    )
    .get(
      ...listBelow(
        "/:id/links",
        async (deps, { caller, params, query }) => {
          const group = await findGroup(deps, caller, params.id);
          return listLinks(deps, caller, { ...query, group_id: group.id });
        },
        {
          operationId: "listGroupLinks",
          summary: "List the links of a group",
          query: model.GroupLinksQuery,
          item: Link,
          toItem: toLink,
        },
      ),
    )
    .post(
      ...create(createGroup, {
        operationId: "createGroup",
        summary: "Create a group",
        description:
          "An account can have 5,000 groups. At the limit 409 `limit_reached`: delete groups that are no longer needed, or use tags.",
        body: model.NewGroup,
      }),
    )
    .post(
      ...postInSteps(
        "/:id/links",
        (deps, { caller, params, body }, save) =>
          moveLinks(deps, caller, params.id, body.link_ids, save),
        {
          operationId: "moveLinks",
          summary: "Move up to 1,000 links into a group",
          description:
            "Each id is processed separately. A link in another group leaves that group.",
          body: model.MovedLinkIds,
          reply: model.MoveResult,
          toReply: toMoved,
        },
      ),
    );
};

function toMoved({ groupId, results }: MoveResult): z.infer<typeof model.MoveResult> {
  const moves = results.map(
    (result): Outcome<"moved" | "unchanged"> =>
      "error" in result
        ? result
        : { id: result.id, status: result.status === "changed" ? "moved" : "unchanged" },
  );
  return {
    group_id: groupId,
    summary: {
      total: moves.length,
      moved: countOf(moves, "moved"),
      unchanged: countOf(moves, "unchanged"),
      failed: countOf(moves, "failed"),
    },
    results: moves.map(toOutcome),
  };
}
