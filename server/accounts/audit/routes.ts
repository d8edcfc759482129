import { Elysia } from "elysia";
import { toPage } from "../../api/page.ts";
import { refusals } from "../../api/refusals.ts";
import { pageOf } from "../../api/reply.ts";
import { callers } from "../../api/visit.ts";
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
        detail: { operationId: "listAudit", summary: "List who changed what, newest first" },
      },
    );

/** For administrators; mounted behind the session door only. */
export const installationAuditRoutes = (deps: Deps) =>
  new Elysia({ prefix: "/admin", detail: { hide: true } }).get(
    "/audit",
    async ({ query, request, set }) =>
      toPage(await listInstallationAudit(deps, query), query, toInstallationEntry, {
        request,
        set,
      }),
    { query: AuditQuery, response: { 200: pageOf(InstallationEntry), ...refusals } },
  );
