import { Elysia } from "elysia";
import * as z from "zod";
import { flag, oneOf, optionalText, paging, queryFlag, text } from "../ground/lib/fields.ts";
import { toIso } from "../ground/lib/moments.ts";
import { LINK_SORTS } from "../ground/lib/vocabulary.ts";
import { edge, resource } from "../http/edge.ts";
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

export const tagRoutes = (deps: Deps) => {
  const { list, changeInSteps, removeInSteps } = edge(deps);
  return new Elysia({ prefix: "/tags", tags: ["Links"] })
    .get(
      ...list("", (deps, { caller, query }) => listTags(deps, caller, query), {
        operationId: "listTags",
        summary: "List the tags of links by name, with counts",
        query: z.object({
          search: optionalText(100)
            .meta({ description: "Only tags that contain this text, ignoring case." })
            .optional(),
          ...paging(100),
        }),
        item: TagRecord,
        toItem: toTagRecord,
      }),
    )
    .patch(
      ...changeInSteps(
        "/:tag",
        (deps, { caller, params: { tag }, query, body }) =>
          renameTag(deps, caller, tag, { to: body.name ?? tag, merge: query.merge ?? false }),
        {
          operationId: "renameTag",
          summary: "Rename a tag",
          description:
            "If there is a tag with that name already: 409 with the reason `duplicate_tag`, or with `merge=true` all links get that one.",
          body: z.object({ name: tagName().optional() }, "must be a JSON object"),
          query: z.object({
            merge: queryFlag()
              .meta({ description: "Joins the tag with another one that has the name." })
              .optional(),
          }),
          reply: TagRecord,
          toReply: toTagRecord,
          refuses: [404, 409, 413, 415],
        },
      ),
    )
    .delete(
      ...removeInSteps("/:tag", (deps, { caller, params }) => deleteTag(deps, caller, params.tag), {
        operationId: "deleteTag",
        summary: "Delete a tag; its links stay",
        refuses: [404],
      }),
    );
};

const SavedFilter = filterOf(NARROWING).transform((filter) =>
  Object.fromEntries(
    Object.entries(filter)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === "number" ? toIso(value) : String(value)]),
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

export const viewRoutes = (deps: Deps) => {
  const shown = { reply: ViewRecord, toReply: toViewRecord };
  const { change, remove, create } = resource(deps, "/views", shown);
  const { read } = edge(deps);
  return new Elysia({ prefix: "/views", tags: ["Links"] })
    .get(
      ...read("", (deps, { caller }) => listViews(deps, caller), {
        operationId: "listViews",
        summary: "List saved views of the list of links, oldest first",
        description: "A person's own and those that everyone has; for a key the latter only.",
        reply: z.object({ items: z.array(ViewRecord) }),
        toReply: (rows) => ({ items: rows.map(toViewRecord) }),
      }),
    )
    .patch(
      ...change(changeView, {
        operationId: "changeView",
        summary: "Change a view",
        body: ViewChange,
        refuses: [404, 409, 413, 415],
      }),
    )
    .delete(
      ...remove(deleteView, {
        operationId: "deleteView",
        summary: "Delete a view",
        refuses: [404],
      }),
    )
    .post(
      ...create(createView, {
        operationId: "createView",
        summary: "Save a view of the list of links",
        description:
          "`filter` has the filters of `GET /api/v1/links` by their names; unknown ones are rejected. `is_shared` shows it to everyone in the account. At most 50 a person, and 50 shared.",
        body: NewView,
      }),
    );
};
