import * as z from "zod";
import { jsonOf } from "../../judge/identity/rdap.ts";
import type { Deps } from "../../work/deps.ts";
import { type Answered, ask, byStatus, type Request } from "./client.ts";

/**
 * What the archive says of a save, by "Save Page Now 2" of the Wayback Machine. `ended`: the page cannot be saved.
 * `failed`: the archive did not do it.
 */
export type Said =
  | { state: "begun"; job: string | null }
  | { state: "pending" | "saved" | "ended" | "failed" }
  | NotNow;

/** Nothing can be asked: the archive refuses the key, or wants no requests before a moment. */
export type NotNow = { state: "refused" } | { state: "unavailable"; retryAt: number };

/** An archive that is asked again at once would be asked too much. */
const SOON_MS = 60_000;

/** An older copy of a page is good enough if it is not older than this. */
const RECENT = "30d";

const Reply = z.object({
  job_id: z.string().nullish(),
  status: z.string().nullish(),
  status_ext: z.string().nullish(),
  message: z.string().nullish(),
});

/** Asks the archive to save a page. */
export const beginSave = (deps: Deps, url: string, signal: AbortSignal): Promise<Said> =>
  talk(deps, "/save", {
    kind: "save",
    counted: "save",
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({
      url,
      if_not_archived_within: RECENT,
      skip_first_archive: "1",
    }).toString(),
    signal,
  });

/** Asks what became of a save. */
export const readSave = (deps: Deps, job: string, signal: AbortSignal): Promise<Said> =>
  talk(deps, `/save/status/${encodeURIComponent(job)}`, { ...STATUS, signal });

const STATUS = { kind: "other", counted: "status" } as const;

async function talk(deps: Deps, path: string, request: Request): Promise<Said> {
  const answer = await askWithKey(deps, path, request);
  if ("state" in answer) return answer;
  const read = Reply.safeParse(jsonOf(answer.body));
  if (!read.success) return { state: "failed" };
  const { status, status_ext: problem, job_id: job, message } = read.data;
  if (status === "error" || answer.status >= 400) return { state: problemOf(problem ?? "") };
  if (status === "success") return { state: "saved" };
  if (status === "pending") return { state: "pending" };
  // A page that was saved a short time ago has no job.
  return job || message ? { state: "begun", job: job ?? null } : { state: "failed" };
}

/** The key is sent to the archive of the settings alone: redirects are not followed. */
async function askWithKey(deps: Deps, path: string, request: Request): Promise<Answered | NotNow> {
  const { archiveUrl, archiveKeyFile: key } = deps.config;
  const asked = await ask(deps, new URL(archiveUrl + path), {
    ...request,
    headers: { ...request.headers, accept: "application/json", authorization: `LOW ${key}` },
    saidBy: byStatus,
  });
  if (asked.state === "unavailable") return asked;
  const { value: got, heldUntil } = asked;
  if (heldUntil !== null || got.state !== "answered") {
    return { state: "unavailable", retryAt: heldUntil ?? deps.clock.now() + SOON_MS };
  }
  const { status } = got.answer;
  return status === 401 || status === 403 ? { state: "refused" } : got.answer;
}

/** Problems of the page, which do not change when it is tried again. */
const OF_PAGE =
  /^error:(?:blocked(?:-url|-client-ip)?|not-found|no-access|unauthorized|method-not-allowed|not-implemented|invalid-[\w-]+|http-version-not-supported|protocol-error|redirect-loop|too-many-redirects)$/;

const problemOf = (problem: string) => (OF_PAGE.test(problem) ? "ended" : "failed");

const Limits = z.object({
  daily_captures: z.number(),
  daily_captures_limit: z.number().positive(),
});

/** With less than this part of the day's captures left, they are left to others who use the key. */
const LEAST_LEFT = 1 / 5;

/** Asks how many pages may still be saved with the key today. */
export async function readLimits(
  deps: Deps,
  signal: AbortSignal,
): Promise<{ state: "known"; isNearlyUsedUp: boolean } | NotNow> {
  const answer = await askWithKey(deps, "/save/status/user", { ...STATUS, signal });
  if ("state" in answer) return answer;
  const read = Limits.safeParse(jsonOf(answer.body));
  if (!read.success) return { state: "known", isNearlyUsedUp: false };
  const { daily_captures: used, daily_captures_limit: limit } = read.data;
  return { state: "known", isNearlyUsedUp: limit - used < limit * LEAST_LEFT };
}
