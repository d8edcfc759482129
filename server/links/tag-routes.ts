import { Elysia } from "elysia";
import * as z from "zod";
import { idempotency } from "../api/idempotency.ts";
import {
  callers,
  createRefusals,
  data,
  pageOf,
  recordRefusals,
  refusals,
  toPage,
} from "../api/reply.ts";
import { flag, oneOf, paging, queryFlag, text } from "../lib/fields.ts";
import { LINK_SORTS } from "../lib/vocabulary.ts";
import type { Deps } from "../work/deps.ts";
import { tagName } from "./fields/tags.ts";
import { filterOf, NARROWING } from "./model.ts";
import { deleteTag, listTags, renameTag } from "./triage/tag-list.ts";
import {
  changeView,
  createView,
  deleteView,
  listViews,
  toViewRecord,
  ViewRecord,
} from "./triage/views.ts";

const TagRecord = z
  .object({
    name: z.string().meta({ example: "docs" }),
    counts: z.object({
      active: z.int().meta({ example: 12 }),
      dead: z.int().meta({ example: 3 }),
      unknown: z.int().meta({ example: 1 }),
      attention: z
        .int()
        .meta({ description: "Dead, and neither acknowledged nor muted.", example: 2 }),
    }),
  })
  .meta({ id: "Tag" });

const toTagRecord = ({ name, ...counts }: Awaited<ReturnType<typeof renameTag>>) => ({
  name,
  counts,
});

export const tagRoutes = (deps: Deps) =>
  new Elysia({ prefix: "/tags", tags: ["Links"] })
    .use(callers)
    .get(
      "",
      async ({ caller, query, request, set }) =>
        toPage(await listTags(deps, caller, query), query, toTagRecord, { request, set }),
      {
        query: z.object(paging(100)),
        response: { 200: pageOf(TagRecord), ...refusals },
        detail: {
          access: "read",
          operationId: "listTags",
          summary: "List the tags of links by name, with counts",
        },
      },
    )
    .patch(
      "/:tag",
      async ({ caller, params, query, body }) => {
        const name = params.tag;
        const wanted = { to: body.name ?? name, merge: query.merge ?? false };
        return { data: toTagRecord(await renameTag(deps, caller, name, wanted)) };
      },
      {
        body: z.object({ name: tagName().optional() }, "must be a JSON object"),
        query: z.object({
          merge: queryFlag()
            .meta({ description: "Joins the tag with another one that has the name." })
            .optional(),
        }),
        response: { 200: data(TagRecord), ...recordRefusals, ...createRefusals },
        detail: {
          access: "write",
          operationId: "renameTag",
          summary: "Rename a tag",
          description:
            "If there is a tag with that name already: 409 with the reason `duplicate_tag`, or with `merge=true` all links get that one.",
        },
      },
    )
    .delete(
      "/:tag",
      async ({ caller, params, status }) => {
        await deleteTag(deps, caller, params.tag);
        return status(204, undefined);
      },
      {
        response: { 204: z.undefined(), ...recordRefusals },
        detail: {
          access: "write",
          operationId: "deleteTag",
          summary: "Delete a tag; its links stay",
        },
      },
    );

const locationOf = ({ id }: { id: string }) => `/api/v1/views/${id}`;

const SavedFilter = filterOf(NARROWING).transform((filter) =>
  Object.fromEntries(
    Object.entries(filter)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  ),
);

const VIEW = {
  name: text(100),
  filter: SavedFilter,
  sort: oneOf(LINK_SORTS).nullable().optional(),
  is_shared: flag().optional(),
};
const NewView = z
  .object(VIEW, "must be a JSON object")
  .meta({ example: { name: "Press", filter: { attention: true, tag: "press" } } });
const ViewChange = z
  .object(
    { ...VIEW, name: VIEW.name.optional(), filter: VIEW.filter.optional() },
    "must be a JSON object",
  )
  .meta({ example: { name: "Press", is_shared: true } });

export const viewRoutes = (deps: Deps) =>
  new Elysia({ prefix: "/views", tags: ["Links"] })
    .use(callers)
    .get(
      "",
      async ({ caller }) => ({
        data: { items: (await listViews(deps, caller)).map(toViewRecord) },
      }),
      {
        response: { 200: data(z.object({ items: z.array(ViewRecord) })), ...refusals },
        detail: {
          access: "read",
          operationId: "listViews",
          summary: "List saved views of the list of links, oldest first",
          description: "A person's own and those that everyone has; for a key the latter only.",
        },
      },
    )
    .patch(
      "/:id",
      async ({ caller, params, body }) => ({
        data: toViewRecord(await changeView(deps, caller, params.id, body)),
      }),
      {
        body: ViewChange,
        response: { 200: data(ViewRecord), ...recordRefusals, ...createRefusals },
        detail: { access: "write", operationId: "changeView", summary: "Change a view" },
      },
    )
    .delete(
      "/:id",
      async ({ caller, params, status }) => {
        await deleteView(deps, caller, params.id);
        return status(204, undefined);
      },
      {
        response: { 204: z.undefined(), ...recordRefusals },
        detail: { access: "write", operationId: "deleteView", summary: "Delete a view" },
      },
    )
    .use(idempotency(deps))
    .post(
      "",
      async ({ caller, body, set, status, saveReply }) => {
        const save = saveReply(201, toViewRecord, locationOf);
        const view = await createView(deps, caller, body, save);
        set.headers.location = locationOf(view);
        return status(201, { data: toViewRecord(view) });
      },
      {
        body: NewView,
        response: { 201: data(ViewRecord), ...createRefusals },
        detail: {
          access: "write",
          operationId: "createView",
          summary: "Save a view of the list of links",
          description:
            "`filter` has the filters of `GET /api/v1/links` by their names; unknown ones are rejected. `is_shared` shows it to everyone in the account. At most 50 a person, and 50 shared.",
        },
      },
    );
