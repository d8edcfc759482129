import { isText } from "./page/page.ts";
import {
  alive,
  type Finding,
  type Need,
  once,
  type Reader,
  type Seen,
  unclear,
} from "./probe/finding.ts";
import type { Answer, Failure } from "./probe/probe.ts";
import { judgeFailure, readStatus } from "./probe/statuses.ts";
import { asShutDown, readServicePage, readUnproven, type Serving } from "./services/serving.ts";
import { readBarriers } from "./signals/barriers.ts";
import { readPlaceholder } from "./signals/default-pages.ts";
import { readParking } from "./signals/parked.ts";
import { readRedirects } from "./signals/redirects.ts";
import { readSoft404 } from "./signals/soft404.ts";

/**
 * Asked in this order; the first that knows something ends it. What stands between us and the page comes
 * before the status, because walls use any status; what a page says comes after it.
 */
const READERS: Reader<Serving>[] = [
  readServicePage,
  readBarriers,
  readStatus,
  // Before the redirects, since parked domains also lead every address to one page.
  readParking,
  readRedirects,
  readUnproven,
  readPlaceholder,
  readSoft404,
  readBodyState,
];

type Judged = Omit<Seen<Serving>, "answer"> & { answer: Answer | Failure };

/** What one attempt shows, or what must be known first. */
export function judge(seen: Judged): Finding | Need {
  const finding = read(seen);
  return "needs" in finding ? finding : asShutDown(seen.serving, finding);
}

function read(seen: Judged): Finding | Need {
  const { answer } = seen;
  if (answer.kind === "failed") return judgeFailure(answer);
  const answered = { ...seen, answer };
  for (const reader of READERS) {
    const finding = reader(answered);
    if (finding) return finding;
  }
  throw new Error("The last reader always knows something.");
}

/** Less than this of a page that broke off says nothing. */
const USEFUL_BYTES = 1024;

/** Judges a success by what came with it. Never passes on: whatever else it is, it is alive. */
function readBodyState({ answer }: Seen): Finding {
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
