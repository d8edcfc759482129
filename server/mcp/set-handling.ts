import * as z from "zod";
import { AppError, toErrorBody } from "../ground/lib/errors.ts";
import { oneOf } from "../ground/lib/fields.ts";
import type { Ask, Json, Operations } from "./operations.ts";
import type { Tool } from "./tool.ts";

const ACTIONS = ["acknowledge", "mute", "reopen", "assign", "override"] as const;

/** What people decide about links that are dead. */
export const setHandling = (operations: Operations): Tool => {
  const bulk = (operations("changeLinks").body as z.ZodObject).shape;
  const change = (bulk.change as z.ZodObject).shape;
  const override = (operations("overrideLink").body as z.ZodObject).shape;
  return {
    name: "set_handling",
    title: "Decide about links",
    description:
      "Records what was decided about dead links. `acknowledge`: known, out of what needs attention until its status or reason changes. `mute`: send nothing about it before `muted_until`. `reopen`: neither of both. `assign`: give it to the person `assignee_id`, or to no one with null. `override`: the link works although checks say otherwise; needs a `note` with the reason. Do this only when a person wants it.",
    input: z.object({
      link_ids: (bulk.link_ids as z.ZodOptional).unwrap() as z.ZodType,
      action: oneOf(ACTIONS),
      muted_until: change.muted_until as z.ZodType,
      assignee_id: change.assignee_id as z.ZodType,
      note: (override.note as z.ZodType).meta({ description: "With `override`." }).optional(),
      until: (override.until as z.ZodType).meta({ description: "With `override`: its end." }),
    }),
    output: operations("changeLinks").reply,
    does: "changes",
    call: ({ ask }, { link_ids: ids, action, ...given }) =>
      action === "override"
        ? overrideEach(ask, ids, given)
        : ask("changeLinks", { body: { link_ids: ids, change: changeOf(action, given) } }),
    says: ({ summary }) =>
      `${summary.changed} of ${summary.total} links changed, ${summary.unchanged} unchanged, ${summary.failed} failed.`,
  };
};

/** The change of `POST /links/batch-change`. */
function changeOf(action: (typeof ACTIONS)[number], { muted_until, assignee_id }: Json) {
  if (action === "assign") return { assignee_id };
  if (action === "mute") return { handling: "muted", muted_until };
  return { handling: action === "reopen" ? "open" : "acknowledged" };
}

/** In the form of a change of many links. */
async function overrideEach(ask: Ask, ids: string[], { note, until }: Json) {
  const results: ({ id: string; status: "changed" } | Failed)[] = [];
  for (const id of new Set(ids)) results.push(await overrideOne(ask, id, { note, until }));
  const failed = results.filter(({ status }) => status === "failed").length;
  const [total, changed] = [results.length, results.length - failed];
  return { summary: { total, changed, unchanged: 0, failed }, results, next: null };
}

type Failed = { id: string; status: "failed"; error: ReturnType<typeof toErrorBody> };

/** @throws what is wrong with the request as a whole */
async function overrideOne(ask: Ask, id: string, body: Json) {
  try {
    await ask("overrideLink", { params: { id }, body });
    return { id, status: "changed" as const };
  } catch (error) {
    const isOfLink = error instanceof AppError && OF_LINK.includes(error.code);
    if (!isOfLink) throw error;
    return { id, status: "failed" as const, error: toErrorBody(error) };
  }
}

const OF_LINK = ["NOT_FOUND", "FORBIDDEN", "CONFLICT"];
