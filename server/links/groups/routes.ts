import { Elysia } from "elysia";
import * as z from "zod";
import { idempotency } from "../../api/idempotency.ts";
import {
  callers,
  changeRefusals,
  createRefusals,
  data,
  deleteRefusals,
  pageOf,
  recordRefusals,
  refusals,
  toPage,
} from "../../api/reply.ts";
import { paging } from "../../lib/fields.ts";
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

export const groupRoutes = (deps: Deps) =>
  new Elysia({ prefix: "/groups", tags: ["Groups"] })
    .use(callers)
    .get(
      "",
      async ({ caller, query, request, set }) =>
        toPage(await listGroups(deps, caller, query), query, model.toGroup, { request, set }),
      {
        query: z.object(paging()),
        response: { 200: pageOf(model.Group), ...refusals },
        detail: { access: "read", operationId: "listGroups", summary: "List groups, newest first" },
      },
    )
    .get(
      "/none",
      async ({ caller }) => ({ data: model.toCounted(await countUngrouped(deps, caller)) }),
      {
        response: { 200: data(model.Ungrouped), ...refusals },
        detail: {
          access: "read",
          operationId: "getUngrouped",
          summary: "Count the links that are in no group",
          description: "Together with the groups, this covers all links.",
        },
      },
    )
    .get(
      "/:id",
      async ({ caller, params }) => ({
        data: model.toGroup(await findGroup(deps, caller, params.id)),
      }),
      {
        response: { 200: data(model.Group), ...recordRefusals },
        detail: {
          access: "read",
          operationId: "getGroup",
          summary: "Get one group with its link counts",
        },
      },
    )
    .patch(
      "/:id",
      async ({ caller, params, body }) => ({
        data: model.toGroup(await changeGroup(deps, caller, params.id, body)),
      }),
      {
        body: model.GroupChange,
        response: { 200: data(model.Group), ...changeRefusals },
        detail: {
          access: "write",
          operationId: "changeGroup",
          summary: "Change a group's name, description or colour",
        },
      },
    )
    .delete(
      "/:id",
      async ({ caller, params, status }) => {
        await deleteGroup(deps, caller, params.id);
        return status(204, undefined);
      },
      {
        response: { 204: z.undefined(), ...deleteRefusals },
        detail: {
          access: "write",
          operationId: "deleteGroup",
          summary: "Delete a group; its links become ungrouped",
          description: "Its links are kept without a group.",
        },
      },
    )
    .get(
      "/:id/links",
      async ({ caller, params, query, request, set }) => {
        const group = await findGroup(deps, caller, params.id);
        const page = await listLinks(deps, caller, { ...query, group_id: group.id });
        return toPage(page, query, toLink(deps.clock.now()), { request, set });
      },
      {
        query: model.GroupLinksQuery,
        response: { 200: pageOf(Link), ...recordRefusals },
        detail: {
          access: "read",
          operationId: "listGroupLinks",
          summary: "List the links of a group",
        },
      },
    )
    .use(idempotency(deps))
    .post(
      "",
      async ({ caller, body, set, status, saveReply }) => {
        const save = saveReply(201, model.toGroup, locationOf);
        const group = await createGroup(deps, caller, body, save);
        set.headers.location = locationOf(group);
        return status(201, { data: model.toGroup(group) });
      },
      {
        body: model.NewGroup,
        response: { 201: data(model.Group), ...createRefusals },
        detail: {
          access: "write",
          operationId: "createGroup",
          summary: "Create a group",
          description:
            "An account can have 5,000 groups. At the limit 409 `limit_reached`: delete groups that are no longer needed, or use tags.",
        },
      },
    )
    .post(
      "/:id/links",
      async ({ caller, params, body, saveReply }) => {
        const save = saveReply(200, toMoved);
        return { data: toMoved(await moveLinks(deps, caller, params.id, body.link_ids, save)) };
      },
      {
        body: model.MovedLinkIds,
        response: { 200: data(model.MoveResult), ...createRefusals, ...recordRefusals },
        detail: {
          access: "write",
          operationId: "moveLinks",
          summary: "Move up to 1,000 links into a group",
          description:
            "Each id is processed separately. A link in another group leaves that group.",
        },
      },
    );

const locationOf = ({ id }: { id: string }) => `/api/v1/groups/${id}`;

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
