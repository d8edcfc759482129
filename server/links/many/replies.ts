import { toErrorBody } from "../../lib/errors.ts";
import type { Change, StepOfChange } from "../change.ts";
import type { BatchCreation, Preview } from "../create.ts";
import type { Deletion, StepOfDeletion } from "../delete.ts";
import { toLink } from "../model.ts";
import { toNext } from "./model.ts";

export const toCreation =
  (now: number) =>
  ({ batchId, results }: BatchCreation) => {
    const created = results.filter((result) => "link" in result).length;
    return {
      batch_id: batchId,
      summary: { total: results.length, created, failed: results.length - created },
      results: results.map((result, index) =>
        "link" in result
          ? { index, status: "created" as const, link: toLink(now)(result.link) }
          : { index, status: "failed" as const, url: result.url, error: toErrorBody(result.error) },
      ),
    };
  };

export const toDeletionOf = (results: Deletion[]) => {
  const deleted = results.filter((result) => result.deleted).length;
  return {
    summary: { total: results.length, deleted, failed: results.length - deleted },
    results: results.map((result) =>
      result.deleted
        ? { id: result.id, status: "deleted" as const }
        : { id: result.id, status: "failed" as const, error: toErrorBody(result.error) },
    ),
  };
};

export const toDeletion = (results: Deletion[]) => ({ ...toDeletionOf(results), next: null });

export const toDeletionStep = ({ deleted, next }: StepOfDeletion) => ({
  summary: { total: deleted, deleted, failed: 0 },
  results: [],
  next: toNext(next),
});

export function toChange(results: Change[]) {
  const countOf = (status: string) => results.filter((result) => result.status === status).length;
  return {
    summary: {
      total: results.length,
      changed: countOf("changed"),
      unchanged: countOf("unchanged"),
      failed: countOf("failed"),
    },
    results: results.map((result) =>
      result.status === "failed" ? { ...result, error: toErrorBody(result.error) } : result,
    ),
    next: null,
  };
}

export const toChangeStep = ({ changed, unchanged, next }: StepOfChange) => ({
  summary: { total: changed + unchanged, changed, unchanged, failed: 0 },
  results: [],
  next: toNext(next),
});

export function toPreview(results: Preview[]) {
  const accepted = results.filter((result) => !("error" in result)).length;
  return {
    summary: { total: results.length, accepted, failed: results.length - accepted },
    results: results.map((result, index) =>
      "error" in result
        ? { index, status: "failed" as const, url: result.url, error: toErrorBody(result.error) }
        : { index, status: "accepted" as const, ...result },
    ),
  };
}
