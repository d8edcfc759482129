import { isText } from "./page/content-type.ts";
import { alive, type Finding, once, type Seen, unclear } from "./probe/finding.ts";
import type { Answer } from "./probe/probe.ts";

/** Less than this of a page that broke off says nothing. */
const USEFUL_BYTES = 1024;

/** Judges a success by what came with it. Never passes on: whatever else it is, it is alive. */
export function readBodyState({ answer }: Seen): Finding {
  const { bodyBytes, bodyProblem, truncated, headers } = answer;
  if (bodyProblem === "body_undecodable") {
    return unclear(bodyProblem, once({ headers: { "Accept-Encoding": "identity" } }));
  }
  if (bodyBytes === 0) {
    return bodyProblem ? unclear(bodyProblem, once()) : alive("ok_empty", once());
  }
  if (!isText(headers.get("content-type"))) return alive(wholeReason(answer));
  if (bodyProblem === "body_incomplete" && bodyBytes < USEFUL_BYTES) {
    return unclear(bodyProblem, once());
  }
  return alive(truncated ? "ok_truncated" : wholeReason(answer));
}

function wholeReason({ status, hops }: Answer) {
  if (status === 206) return "ok_partial";
  return hops.length > 0 ? "ok_redirected" : "ok";
}
