import { Elysia } from "elysia";
import { callers, pageOf, refusals, toPage } from "../../api/reply.ts";
import type { Deps } from "../../work/deps.ts";
import { listAudit, listInstallationAudit } from "./find.ts";
import {
  AuditEntry,
  AuditQuery,
  InstallationEntry,
  toAuditEntry,
  toInstallationEntry,
} from "./model.ts";

export const auditRoutes = (deps: Deps) =>
  new Elysia({ tags: ["Account"] })
    .use(callers)
    .get(
      "/audit",
      async ({ caller, query, request, set }) =>
        toPage(await listAudit(deps, caller, query), query, toAuditEntry, { request, set }),
      {
        query: AuditQuery,
        response: { 200: pageOf(AuditEntry), ...refusals },
        detail: {
          access: "read",
          operationId: "listAudit",
          summary: "List who changed what, newest first",
          description:
            "One entry for each request that changed something; `count` is the number of links or deliveries that it affected. `fields` holds names only. `action` has the form `<what>.<done>`; new actions may be added. `actor` and `target` in the query are ids. Entries never change and are kept for 365 days. Entries about deleted records stay, with `exists` set to false. Requesting a check is not a change.",
        },
      },
    );

/** For administrators; mounted behind the session door only. */
export const installationAuditRoutes = (deps: Deps) =>
  new Elysia({ prefix: "/admin", detail: { hide: true, access: "administrator" } }).get(
    "/audit",
    async ({ query, request, set }) =>
      toPage(await listInstallationAudit(deps, query), query, toInstallationEntry, {
        request,
        set,
      }),
    { query: AuditQuery, response: { 200: pageOf(InstallationEntry), ...refusals } },
  );
