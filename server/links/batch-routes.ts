import { Elysia } from "elysia";
import { toErrorBody } from "../ground/lib/errors.ts";
import { edge } from "../http/edge.ts";
import type { Deps } from "../work/deps.ts";
import * as model from "./batch-model.ts";
import { findBatch } from "./complete-batches.ts";
import { type BatchStart, startBatch } from "./start-batch.ts";

export const batchRoutes = (deps: Deps) => {
  const { read, postInSteps } = edge(deps);
  return new Elysia({ tags: ["Batches"] })
    .get(
      ...read("/batches/:id", (deps, { caller, params }) => findBatch(deps, caller, params.id), {
        operationId: "getBatch",
        summary: "Get the progress of a batch of checks",
        description:
          "Also for the first checks of `POST /api/v1/links/batch`. `checked + skipped = total` once the batch is complete; links that were deleted before their check are skipped. While links are still being added to a large batch, `total` is the expected number. Links without a result after 48 hours count as unknown.",
        reply: model.Batch,
        toReply: model.toBatch,
      }),
    )
    .post(
      ...postInSteps(
        "/links/check",
        (deps, { caller, body }, save) => startBatch(deps, caller, body, save),
        {
          operationId: "checkLinks",
          summary: "Check many links now",
          description:
            "Send one of: `link_ids`, which are processed one by one; `group_id`, `status` or both; or a `filter` as `GET /api/v1/links` takes it, where an empty one matches all links. All matching links are checked, however many, except those created later. A check that is already running counts and is not repeated. The batch shows the progress, and `batch.complete` is sent when it has finished; `batch_id` is null if there is no link to check. For many links, `summary` is the expected number.",
          body: model.NewBatch,
          reply: model.BatchStarted,
          toReply: toStarted,
        },
      ),
    );
};

const toStarted = ({ batchId, started, failures }: BatchStart) => ({
  batch_id: batchId,
  summary: { total: started + failures.length, started, failed: failures.length },
  failures: failures.map(({ id, error }) => ({ id, error: toErrorBody(error) })),
});
