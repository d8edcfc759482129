import { Elysia } from "elysia";
import * as z from "zod";
import { claimUpload, idempotency } from "../../api/idempotency.ts";
import {
  callers,
  createRefusals,
  data,
  deleteRefusals,
  ErrorReply,
  pageOf,
  recordRefusals,
  refusals,
  toPage,
} from "../../api/reply.ts";
import { paging } from "../../lib/fields.ts";
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

export const importRoutes = (deps: Deps) =>
  new Elysia({ tags: ["Imports"] })
    .use(callers)
    .get(
      "/imports",
      async ({ caller, query, request, set }) => {
        const { items, total } = await listImports(deps, caller, query);
        const shown = await Promise.all(items.map((row) => showImport(deps, caller, row)));
        return toPage({ items: shown, total }, query, model.toImport, { request, set });
      },
      {
        query: z.object(paging()),
        response: { 200: pageOf(model.Import), ...refusals },
        detail: {
          access: "read",
          operationId: "listImports",
          summary: "List imports, newest first",
          description:
            "Also those that `stillup import` and the dashboard have made. The result of an import is kept for 30 days, a list that was not added for a day.",
        },
      },
    )
    .get(
      "/imports/:id",
      async ({ caller, params }) => {
        const row = await findImport(deps, caller, params.id);
        return { data: model.toImport(await showImport(deps, caller, row)) };
      },
      {
        response: { 200: data(model.Import), ...recordRefusals },
        detail: {
          access: "read",
          operationId: "getImport",
          summary: "Get the progress and the result of an import",
        },
      },
    )
    .get(
      "/imports/:id/items",
      async ({ caller, params, query, request, set }) => {
        const row = await findImport(deps, caller, params.id);
        const since = row.startedAt ?? row.createdAt;
        const toItem = model.toImportItem(deps.clock.now(), since);
        return toPage(await listItems(deps, row, query), query, toItem, { request, set });
      },
      {
        query: model.ImportItemQuery,
        response: { 200: pageOf(model.ImportItem), ...recordRefusals },
        detail: {
          access: "read",
          operationId: "listImportItems",
          summary: "List what becomes of the rows of a list",
          description:
            "`waiting` rows are not previewed yet, `new` ones would be added. `reason` says why a row is refused, and `not_kept` what a link does not get of its row.",
        },
      },
    )
    .delete(
      "/imports/:id",
      async ({ caller, params, status }) => {
        await deleteImport(deps, caller, params.id);
        return status(204, undefined);
      },
      {
        response: { 204: z.undefined(), ...deleteRefusals, 409: ErrorReply },
        detail: {
          access: "write",
          operationId: "deleteImport",
          summary: "Forget a list and its result",
          description:
            "Links that were added stay. 409 `wrong_status` while they are added or taken back.",
        },
      },
    )
    .post(
      "/imports",
      async ({ caller, query, request, set, status }) => {
        const taken = await takeUpload(deps, caller, {
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
            "The body is the list itself, up to 50 MiB. Nothing is added: once the import is `ready`, its items say what would become of each row, and `POST /api/v1/imports/{id}/start` adds the new ones. A list of up to 1,000 rows is `ready` in the reply. A list that is not started is forgotten after a day.",
        },
      },
    )
    .use(idempotency(deps))
    .post(
      "/imports/:id/start",
      async ({ caller, params, body, saveReply }) => {
        const save = saveReply(200, model.toImport);
        const row = await startImport(deps, caller, params.id, body, save);
        return { data: model.toImport(row) };
      },
      {
        body: model.ImportStart,
        response: { 200: data(model.Import), ...recordRefusals, ...createRefusals },
        detail: {
          access: "write",
          operationId: "startImport",
          summary: "Add the links of an import",
          description:
            "In the background, 1,000 at a time, also across a restart of the server. Continues an import that was stopped. Repeating it does nothing.",
        },
      },
    )
    .post(
      "/imports/:id/stop",
      async ({ caller, params, saveReply }) => {
        const save = saveReply(200, model.toImport);
        const row = await stopImport(deps, caller, params.id, save);
        return { data: model.toImport(row) };
      },
      {
        response: { 200: data(model.Import), ...recordRefusals, 409: ErrorReply },
        detail: {
          access: "write",
          operationId: "stopImport",
          summary: "Stop adding the links of an import",
          description: "What was added stays. 409 `wrong_status` if none are being added.",
        },
      },
    )
    .post(
      "/imports/:id/undo",
      async ({ caller, params, saveReply }) => {
        const save = saveReply(200, model.toImport);
        const row = await undoImport(deps, caller, params.id, save);
        return { data: model.toImport(row) };
      },
      {
        response: { 200: data(model.Import), ...recordRefusals, 409: ErrorReply },
        detail: {
          access: "write",
          writes: "on-full-disk",
          operationId: "undoImport",
          summary: "Take back the links of an import",
          description:
            "Deletes the links that it created, and the groups that it made and that are empty then. Links that it changed stay as they are. The import is `ready` again afterwards.",
        },
      },
    );

const locationOf = ({ id }: { id: string }) => `/api/v1/imports/${id}`;
