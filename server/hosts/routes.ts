import { Elysia } from "elysia";
import * as z from "zod";
import { idempotency } from "../api/idempotency.ts";
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
} from "../api/reply.ts";
import type { Deps } from "../work/deps.ts";
import {
  changeHostSetting,
  createHostSetting,
  deleteHostSetting,
  findHostSetting,
  listHostSettings,
} from "./hosts.ts";
import {
  HostSettingChange,
  HostSettingQuery,
  HostSettingRecord,
  NewHostSetting,
  toHostSetting,
} from "./model.ts";

export const hostRoutes = (deps: Deps) =>
  new Elysia({ prefix: "/host-settings", tags: ["Host settings"] })
    .use(callers)
    .get(
      "",
      async ({ caller, query, request, set }) =>
        toPage(await listHostSettings(deps, caller, query), query, toHostSetting, { request, set }),
      {
        query: HostSettingQuery,
        response: { 200: pageOf(HostSettingRecord), ...refusals },
        detail: {
          access: "read",
          operationId: "listHostSettings",
          summary: "List host settings by host",
          description:
            "`links` is the number of links that a setting is for. `is_readable` is false if the values were sealed with another key: then the links are not requested until the values are given again.",
        },
      },
    )
    .get(
      "/:id",
      async ({ caller, params }) => ({
        data: toHostSetting(await findHostSetting(deps, caller, params.id)),
      }),
      {
        response: { 200: data(HostSettingRecord), ...recordRefusals },
        detail: { access: "read", operationId: "getHostSetting", summary: "Get one host setting" },
      },
    )
    .patch(
      "/:id",
      async ({ caller, params, body }) => ({
        data: toHostSetting(await changeHostSetting(deps, caller, params.id, body)),
      }),
      {
        body: HostSettingChange,
        response: { 200: data(HostSettingRecord), ...changeRefusals },
        detail: {
          access: "write",
          operationId: "changeHostSetting",
          summary: "Change what is sent to a host",
          description:
            "What is left out stays, also the `value` of a header, the `password` and the `token`; null removes. `headers` changes only the headers it names. The `host` cannot be changed, since its values would go to another one.",
        },
      },
    )
    .delete(
      "/:id",
      async ({ caller, params, status }) => {
        await deleteHostSetting(deps, caller, params.id);
        return status(204, undefined);
      },
      {
        response: { 204: z.undefined(), ...deleteRefusals },
        detail: {
          access: "write",
          operationId: "deleteHostSetting",
          summary: "Delete a host setting and its values",
        },
      },
    )
    .use(idempotency(deps))
    .post(
      "",
      async ({ caller, body, set, status, saveReply }) => {
        const save = saveReply(201, toHostSetting, locationOf);
        const setting = await createHostSetting(deps, caller, body, save);
        set.headers.location = locationOf(setting);
        return status(201, { data: toHostSetting(setting) });
      },
      {
        body: NewHostSetting,
        response: { 201: data(HostSettingRecord), ...createRefusals },
        detail: {
          access: "write",
          operationId: "createHostSetting",
          summary: "Set what checks send to a host",
          description:
            "The headers, credentials and user agent are sent with the checks of the account's links at `host`: a name, or `*.` and a domain for all names below it. A name is used before a pattern, a longer pattern before a shorter one. Only over https, unless `allow_http` is true. Values are never shown. 409 `duplicate_host` if there is one for this host.",
        },
      },
    );

const locationOf = ({ id }: { id: string }) => `/api/v1/host-settings/${id}`;
