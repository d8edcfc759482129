import { Elysia } from "elysia";
import * as z from "zod";
import { presentSession } from "../../accounts/doors.ts";
import { backupFolder, sqlitePath } from "../../ground/config/config.ts";
import { toIso, toIsoOrNull } from "../../ground/lib/moments.ts";
import type { Actor } from "../../http/caller.ts";
import { data, ErrorReply, recordRefusals, refusals } from "../../http/reply.ts";
import type { Deps } from "../../work/deps.ts";
import {
  beginBackup,
  deleteBackup,
  isRunning,
  nextBackupAt,
  problemOf,
  readLast,
  takeBackup,
} from "./backups.ts";
import { listBackups } from "./files.ts";

const Item = z.object({
  name: z.string(),
  kind: z.enum(["daily", "before_upgrade"]),
  bytes: z.int(),
  made_at: z.string(),
});

const State = z.object({
  /** Null on PostgreSQL, which is copied with its own program. */
  folder: z.string().nullable(),
  /** A cron pattern; null without one. */
  schedule: z.string().nullable(),
  days_kept: z.int(),
  next_at: z.string().nullable(),
  last_success_at: z.string().nullable(),
  last_failure_at: z.string().nullable(),
  is_under_way: z.boolean(),
  problem: z.string().nullable(),
  items: z.array(Item),
});

/** For administrators of the installation. */
export function backupRoutes(deps: Deps) {
  const administrator = (request: Request): Actor => presentSession(request).caller.by;
  const state = async () => ({ data: await readBackups(deps) });

  return new Elysia({ prefix: "/admin/backups", detail: { hide: true, access: "administrator" } })
    .get("", state, { response: { 200: data(State), ...refusals } })
    .post(
      "",
      async ({ request, status }) => {
        // A backup may take minutes, so clients poll.
        await beginBackup(deps, administrator(request));
        return status(202, await state());
      },
      { response: { 202: data(State), ...refusals, 409: ErrorReply } },
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

export async function readBackups(deps: Deps): Promise<z.infer<typeof State>> {
  const { config, clock } = deps;
  const last = await readLast(deps);
  const items = listBackups(config).map(({ name, kind, bytes, madeAt }) => ({
    name,
    kind,
    bytes,
    made_at: toIso(madeAt),
  }));
  return {
    folder: sqlitePath(config) === null ? null : backupFolder(config),
    schedule: config.backupCron || null,
    days_kept: config.backupKeep,
    next_at: toIsoOrNull(await nextBackupAt(deps, last)),
    last_success_at: toIsoOrNull(last?.succeededAt ?? null),
    last_failure_at: toIsoOrNull(last?.failedAt ?? null),
    is_under_way: last !== null && isRunning(last, clock.now()),
    problem: await problemOf(deps, last),
    items,
  };
}
