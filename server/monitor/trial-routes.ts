import { Elysia } from "elysia";
import * as z from "zod";
import { VERDICTS } from "../ground/lib/vocabulary.ts";
import { edge } from "../http/edge.ts";
import { refusalBeyond } from "../http/rate-limit.ts";
import { ExpectBody } from "../judge/expectations.ts";
import { type Conclusion, Evidence, toEvidence } from "../judge/probe/conclusion.ts";
import { messageOf } from "../judge/reasons/reasons.ts";
import type { Deps } from "../work/deps.ts";
import { findTried, tryLink } from "./trials.ts";

const TRIALS = { perMinute: 10, perHour: 0 };

const TrialBody = z
  .object({ expect: ExpectBody.nullable().optional() }, "must be a JSON object")
  .meta({ example: { expect: { must_contain: ["Handbook"] } } });

const Trial = z
  .object({
    status: z.enum(VERDICTS),
    reason: z.string().meta({ example: "ok" }),
    message: z.string().meta({ example: "The page is there." }),
    status_code: z.int().meta({ example: 200 }).nullable(),
    final_url: z.string().meta({ example: "https://example.com/a" }).nullable(),
    response_time_ms: z.int().meta({ example: 182 }).nullable(),
    evidence: Evidence,
  })
  .meta({ id: "Trial" });

/** Checks whose results are only shown. */
export const trialRoutes = (deps: Deps) => {
  const { ask } = edge(deps);
  return new Elysia({ prefix: "/links", tags: ["Links"] }).post(
    ...ask(
      "/:id/try",
      async (deps, { caller, params, body: { expect }, request }) => {
        const link = await findTried(deps, caller, params.id, expect);
        await refuseTooMany(deps, caller.accountId);
        return tryLink(deps, link, request.signal);
      },
      {
        operationId: "tryLink",
        summary: "Check a link without keeping the result",
        description:
          "Makes one whole check with the `expect` of the body, by default that of the link, and returns what it saw: no history, status or event changes. It may take a minute. 10 a minute for an account.",
        body: TrialBody,
        reply: Trial,
        toReply: toTrial,
      },
    ),
  );
};

/** Each makes several requests to a site. */
const refuseTooMany = refusalBeyond(TRIALS, "link trials");

const toTrial = (seen: Conclusion): z.infer<typeof Trial> => ({
  status: seen.status,
  reason: seen.reason,
  message: messageOf(seen.reason, seen.statusCode, seen.cause ?? null),
  status_code: seen.statusCode,
  final_url: seen.finalUrl,
  response_time_ms: seen.responseTimeMs,
  evidence: toEvidence(JSON.stringify(seen.evidence))!,
});
