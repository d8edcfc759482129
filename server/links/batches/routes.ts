import { Elysia } from "elysia";
import { idempotency } from "../../api/idempotency.ts";
import { createRefusals, recordRefusals } from "../../api/refusals.ts";
import { data } from "../../api/reply.ts";
import { callers } from "../../api/visit.ts";
import { toErrorBody } from "../../lib/errors.ts";
import type { Deps } from "../../work/deps.ts";
import { findBatch } from "./batches.ts";
import * as model from "./model.ts";
import { type BatchStart, startBatch } from "./start.ts";

export const batchRoutes = (deps: Deps) =>
  new Elysia({ tags: ["Batches"] })
    .use(callers)
    .get(
      "/batches/:id",
      async ({ caller, params }) => ({
        data: model.toBatch(await findBatch(deps, caller, params.id)),
      }),
      {
        response: { 200: data(model.Batch), ...recordRefusals },
        detail: { operationId: "getBatch", summary: "See how far a batch of checks has come" },
      },
    )
    .use(idempotency(deps))
    .post(
      "/links/check",
      async ({ caller, body, receipt }) => ({
        data: toStarted(await startBatch(deps, caller, body, receipt(200, toStarted))),
      }),
      {
        body: model.NewBatch,
        response: { 200: data(model.BatchStarted), ...createRefusals },
        detail: { operationId: "checkLinks", summary: "Check many links now" },
      },
    );

const toStarted = ({ batchId, started, failures }: BatchStart) => ({
  batch_id: batchId,
  summary: { total: started + failures.length, started, failed: failures.length },
  failures: failures.map(({ id, error }) => ({ id, error: toErrorBody(error) })),
});
