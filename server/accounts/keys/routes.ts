import { Elysia } from "elysia";
import * as z from "zod";
import { idempotency } from "../../api/idempotency.ts";
import { toPage } from "../../api/page.ts";
import {
  changeRefusals,
  createRefusals,
  deleteRefusals,
  recordRefusals,
  refusals,
} from "../../api/refusals.ts";
import { data, ErrorReply, pageOf } from "../../api/reply.ts";
import { callers } from "../../api/visit.ts";
import { paging } from "../../lib/fields.ts";
import type { Deps } from "../../work/deps.ts";
import { changeKey, createKey, findKey, listKeys, revokeKey, rotateKey } from "./keys.ts";
import { Key, KeyWithValue, keyChangeAt, newKeyAt, toKey, toKeyWithValue } from "./model.ts";

export const keyRoutes = (deps: Deps) =>
  new Elysia({ prefix: "/keys", tags: ["API keys"] })
    .use(callers)
    .get(
      "",
      async ({ caller, query, request, set }) =>
        toPage(await listKeys(deps, caller, query), query, toKey, { request, set }),
      {
        query: z.object(paging()),
        response: { 200: pageOf(Key), ...refusals },
        detail: { operationId: "listKeys", summary: "List the account's API keys" },
      },
    )
    .get(
      "/:id",
      async ({ caller, params }) => ({ data: toKey(await findKey(deps, caller, params.id)) }),
      {
        response: { 200: data(Key), ...recordRefusals },
        detail: { operationId: "getKey", summary: "Get one API key" },
      },
    )
    .patch(
      "/:id",
      async ({ caller, params, body }) => ({
        data: toKey(await changeKey(deps, caller, params.id, body)),
      }),
      {
        body: keyChangeAt(() => deps.clock.now()),
        response: { 200: data(Key), ...changeRefusals },
        detail: {
          operationId: "changeKey",
          summary: "Change an API key's name, permissions or expiry",
        },
      },
    )
    .delete(
      "/:id",
      async ({ caller, params, status }) => {
        await revokeKey(deps, caller, params.id);
        return status(204, undefined);
      },
      {
        response: { 204: z.undefined(), ...deleteRefusals },
        detail: { operationId: "revokeKey", summary: "Revoke an API key for good" },
      },
    )
    .use(idempotency(deps))
    .post(
      "",
      async ({ caller, body, set, status, secretReceipt }) => {
        const fresh = await createKey(deps, caller, body, secretReceipt(201));
        set.headers.location = `/api/v1/keys/${fresh.id}`;
        return status(201, { data: toKeyWithValue(fresh) });
      },
      {
        body: newKeyAt(() => deps.clock.now()),
        response: { 201: data(KeyWithValue), ...createRefusals },
        detail: { operationId: "createKey", summary: "Create an API key; its value is shown once" },
      },
    )
    .post(
      "/:id/rotate",
      async ({ caller, params, secretReceipt }) => ({
        data: toKeyWithValue(await rotateKey(deps, caller, params.id, secretReceipt(200))),
      }),
      {
        response: { 200: data(KeyWithValue), ...recordRefusals, 409: ErrorReply },
        detail: { operationId: "rotateKey", summary: "Give an API key a new value, shown once" },
      },
    );
