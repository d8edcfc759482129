import { Elysia } from "elysia";
import * as z from "zod";
import { presentSession } from "../../accounts/doors.ts";
import type { Actor } from "../../api/caller.ts";
import { data, ErrorReply, recordRefusals, refusals } from "../../api/reply.ts";
import type { Deps } from "../../work/deps.ts";
import { beginBackup, deleteBackup, takeBackup } from "./backups.ts";
import * as model from "./model.ts";
import { readBackups } from "./state.ts";

/** For administrators of the installation. */
export function backupRoutes(deps: Deps) {
  const administrator = (request: Request): Actor => presentSession(request).caller.by;
  const state = async () => ({ data: model.toState(await readBackups(deps)) });

  return new Elysia({ prefix: "/admin/backups", detail: { hide: true, access: "administrator" } })
    .get("", state, { response: { 200: data(model.State), ...refusals } })
    .post(
      "",
      async ({ request, status }) => {
        // It may take minutes: clients poll.
        await beginBackup(deps, administrator(request));
        return status(202, await state());
      },
      { response: { 202: data(model.State), ...refusals, 409: ErrorReply } },
    )
    .get(
      "/:name",
      async ({ request, params }) => {
        const { name, path } = await takeBackup(deps, administrator(request), params.name);
        return new Response(Bun.file(path), {
          headers: {
            "Content-Type": "application/vnd.sqlite3",
            "Content-Disposition": `attachment; filename="${name}"`,
          },
        });
      },
      { response: { 200: z.instanceof(Response), ...recordRefusals } },
    )
    .delete(
      "/:name",
      async ({ request, params, status }) => {
        await deleteBackup(deps, administrator(request), params.name);
        return status(204, undefined);
      },
      { response: { 204: z.undefined(), ...recordRefusals } },
    );
}
