import { Elysia } from "elysia";
import { resource } from "../http/edge.ts";
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

export const hostRoutes = (deps: Deps) => {
  const shown = { reply: HostSettingRecord, toReply: toHostSetting };
  const { list, find, change, remove, create } = resource(deps, "/host-settings", shown);
  return new Elysia({ prefix: "/host-settings", tags: ["Host settings"] })
    .get(
      ...list(listHostSettings, {
        operationId: "listHostSettings",
        summary: "List host settings by host",
        description:
          "`links` is the number of links that a setting is for. `is_readable` is false if the values were sealed with another key: then the links are not requested until the values are given again.",
        query: HostSettingQuery,
      }),
    )
    .get(
      ...find(findHostSetting, {
        operationId: "getHostSetting",
        summary: "Get one host setting",
      }),
    )
    .patch(
      ...change(changeHostSetting, {
        operationId: "changeHostSetting",
        summary: "Change what is sent to a host",
        description:
          "What is left out stays, also the `value` of a header, the `password` and the `token`; null removes. `headers` changes only the headers it names. The `host` cannot be changed, since its values would go to another one.",
        body: HostSettingChange,
      }),
    )
    .delete(
      ...remove(deleteHostSetting, {
        operationId: "deleteHostSetting",
        summary: "Delete a host setting and its values",
      }),
    )
    .post(
      ...create(createHostSetting, {
        operationId: "createHostSetting",
        summary: "Set what checks send to a host",
        description:
          "The headers, credentials and user agent are sent with the checks of the account's links at `host`: a name, or `*.` and a domain for all names below it. A name is used before a pattern, a longer pattern before a shorter one. Only over https, unless `allow_http` is true. Values are never shown. 409 `duplicate_host` if there is one for this host.",
        body: NewHostSetting,
      }),
    );
};
