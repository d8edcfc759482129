import { Elysia } from "elysia";
import * as z from "zod";
import { paging } from "../../ground/lib/fields.ts";
import type { PageQuery } from "../../ground/lib/paging.ts";
import { type Caller, contextOf } from "../../http/caller.ts";
import { edge } from "../../http/edge.ts";
import { claimUpload } from "../../http/idempotency.ts";
import { data, ErrorReply, refusals } from "../../http/reply.ts";
import type { Deps } from "../../work/deps.ts";
import {
  deleteImport,
  findImport,
  listImports,
  listItems,
  showImport,
  startImport,
  stopImport,
  undoImport,
} from "./imports.ts";
import * as model from "./model.ts";
import { takeUpload, UPLOAD_LIMIT } from "./upload.ts";

export const importRoutes = (deps: Deps) => {
  const { list, read, removeInSteps, post } = edge(deps);
  return new Elysia({ tags: ["Imports"] })
    .get(
      ...list("/imports", listShown, {
        operationId: "listImports",
        summary: "List imports, newest first",
        description:
          "Also those that `stillup import` and the dashboard have made. The result of an import is kept for 30 days, a list that was not added for a day.",
        query: z.object(paging()),
        item: model.Import,
        toItem: model.toImport,
      }),
    )
    .get(
      ...read(
        "/imports/:id",
        async (deps, { caller, params }) =>
          showImport(deps, caller, await findImport(deps, caller, params.id)),
        {
          operationId: "getImport",
          summary: "Get the progress and the result of an import",
          reply: model.Import,
          toReply: model.toImport,
        },
      ),
    )
    .get(
      ...list(
        "/imports/:id/items",
        async (deps, { caller, params, query }) =>
          listItems(deps, await findImport(deps, caller, params.id), query),
        {
          operationId: "listImportItems",
          summary: "List what becomes of the rows of a list",
          description:
            "`waiting` rows are not previewed yet, `new` ones would be added. `reason` says why a row is refused, and `not_kept` what a link does not get of its row.",
          query: model.ImportItemQuery,
          item: model.ImportItem,
          toItem: model.toImportItem,
        },
      ),
    )
    .delete(
      ...removeInSteps(
        "/imports/:id",
        (deps, { caller, params }) => deleteImport(deps, caller, params.id),
        {
          operationId: "deleteImport",
          summary: "Forget a list and its result",
          description:
            "Links that were added stay. 409 `wrong_status` while they are added or taken back.",
          refuses: [404, 409, 412],
        },
      ),
    )
    .post(
      "/imports",
      async ({ query, request, set, status }) => {
        const taken = await takeUpload(deps, contextOf(request).caller!, {
          body: request.body,
          query,
          claim: async (hash) =>
            (await claimUpload(deps, request, hash))(201, model.toImport, locationOf),
        });
        set.headers.location = locationOf(taken);
        return status(201, { data: model.toImport(taken) });
      },
      {
        query: model.ImportQuery,
        response: { 201: data(model.Import), ...refusals, 409: ErrorReply, 413: ErrorReply },
        detail: {
          access: "write",
          upload: "A list in one of the formats of `format`, which may be compressed by gzip.",
          bodyLimit: UPLOAD_LIMIT,
          operationId: "createImport",
          summary: "Upload a list of links and preview it",
          description:
            "The body is the list itself, up to 50 MiB, also unpacked. Nothing is added: once the import is `ready`, its items say what would become of each row, and `POST /api/v1/imports/{id}/start` adds the new ones. A list of up to 1,000 rows is `ready` in the reply. A list that is not started is forgotten after a day.",
        },
      },
    )

    .post(
      ...post(
        "/imports/:id/start",
        (unit, { caller, params, body }) => startImport(unit, caller, params.id, body),
        {
          operationId: "startImport",
          summary: "Add the links of an import",
          description:
            "In the background, 1,000 at a time, also across a restart of the server. Continues an import that was stopped. Repeating it does nothing.",
          body: model.ImportStart,
          reply: model.Import,
          toReply: model.toImport,
        },
      ),
    )
    .post(
      ...post(
        "/imports/:id/stop",
        (unit, { caller, params }) => stopImport(unit, caller, params.id),
        {
          operationId: "stopImport",
          summary: "Stop adding the links of an import",
          description: "What was added stays. 409 `wrong_status` if none are being added.",
          reply: model.Import,
          toReply: model.toImport,
        },
      ),
    )
    .post(
      ...post(
        "/imports/:id/undo",
        (unit, { caller, params }) => undoImport(unit, caller, params.id),
        {
          operationId: "undoImport",
          summary: "Take back the links of an import",
          description:
            "Deletes the links that it created, and the groups that it made and that are empty then. Links that it changed stay as they are. The import is `ready` again afterwards.",
          writes: "on-full-disk",
          reply: model.Import,
          toReply: model.toImport,
        },
      ),
    );
};

async function listShown(deps: Deps, { caller, query }: { caller: Caller; query: PageQuery }) {
  const { items, total } = await listImports(deps, caller, query);
  return { items: await Promise.all(items.map((row) => showImport(deps, caller, row))), total };
}

const locationOf = ({ id }: { id: string }) => `/api/v1/imports/${id}`;
