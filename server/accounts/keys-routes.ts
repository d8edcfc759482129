import { Elysia } from "elysia";
import * as z from "zod";
import { idempotency } from "../api/idempotency.ts";
import {
  callers,
  changeRefusals,
  createRefusals,
  data,
  deleteRefusals,
  ErrorReply,
  pageOf,
  recordRefusals,
  refusals,
  toPage,
} from "../api/reply.ts";
import { paging } from "../lib/fields.ts";
import type { Deps } from "../work/deps.ts";
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
        detail: { access: "read", operationId: "listKeys", summary: "List the account's API keys" },
      },
    )
    .get(
      "/:id",
      async ({ caller, params }) => ({ data: toKey(await findKey(deps, caller, params.id)) }),
      {
        response: { 200: data(Key), ...recordRefusals },
        detail: { access: "read", operationId: "getKey", summary: "Get one API key" },
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
          access: "write",
          operationId: "changeKey",
          summary: "Change an API key's name, permissions or expiry",
          description:
            "`permissions` is merged member by member. `expires_at: null` removes the expiry. A key cannot change itself, and a key that expires cannot give another key a later expiry than its own, or none.",
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
        detail: {
          access: "write",
          operationId: "revokeKey",
          summary: "Revoke an API key",
          description:
            "Requests with this key then get 401 `REVOKED_API_KEY`. A key may revoke itself.",
        },
      },
    )
    .use(idempotency(deps))
    .post(
      "",
      async ({ caller, body, set, status, saveSecretReply }) => {
        const fresh = await createKey(deps, caller, body, saveSecretReply(201));
        set.headers.location = `/api/v1/keys/${fresh.id}`;
        return status(201, { data: toKeyWithValue(fresh) });
      },
      {
        body: newKeyAt(() => deps.clock.now()),
        response: { 201: data(KeyWithValue), ...createRefusals },
        detail: {
          access: "write",
          operationId: "createKey",
          summary: "Create an API key; its value is shown once",
          description:
            "The response contains the key's value, once. A key cannot grant a permission that it does not have. A key that expires cannot create one that expires later or never: without `expires_at` the new key expires when the caller's key does.",
        },
      },
    )
    .post(
      "/:id/rotate",
      async ({ caller, params, saveSecretReply }) => ({
        data: toKeyWithValue(await rotateKey(deps, caller, params.id, saveSecretReply(200))),
      }),
      {
        response: { 200: data(KeyWithValue), ...recordRefusals, 409: ErrorReply },
        detail: {
          access: "write",
          operationId: "rotateKey",
          summary: "Replace an API key's value; the new one is shown once",
          description:
            "The key keeps its id and settings and gets a new value; the old value stops working immediately. A key may rotate itself, but a key that expires cannot rotate one that expires later or never.",
        },
      },
    );
