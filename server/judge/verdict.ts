import { type Expect, unlessAccepted } from "./expectations.ts";
import { isText } from "./page/page.ts";
import { alive, type Finding, type Need, once, type Seen, unclear } from "./probe/finding.ts";
import type { Answer, Failure } from "./probe/probe.ts";
import { judgeFailure, readStatus } from "./probe/statuses.ts";
import { asShutDown, readServicePage, readUnproven, type Serving } from "./services/serving.ts";
import { readBarriers } from "./signals/barriers.ts";
import { readPlaceholder } from "./signals/default-pages.ts";
import { readParking } from "./signals/parked.ts";
import { readProxyError } from "./signals/proxies.ts";
import { readRedirects } from "./signals/redirects.ts";
import { readShown404 } from "./signals/shown-404.ts";
import { readSoft404 } from "./signals/soft404.ts";

type Asked = Seen<Serving> & {
  /** What the link's page must show: only the statuses that it accepts are judged here. */
  expect?: Expect | undefined;
};

/** In the order of docs/verdicts.md; the first reader with a finding decides. */
const READERS: ((seen: Asked) => Finding | Need | null)[] = [
  readProxyError,
  readServicePage,
  readBarriers,
  (seen) => (isAccepted(seen) ? null : readShown404(seen)),
  (seen) => unlessAccepted(readStatus(seen), seen.answer, seen.expect),
  // Before the redirects, because parked domains also redirect every address to one page.
  readParking,
  readRedirects,
  readUnproven,
  readPlaceholder,
  readSoft404,
  readBodyState,
];

const isAccepted = ({ answer, expect }: Asked) =>
  unlessAccepted(unclear("http_unexpected"), answer, expect) === null;

type Judged = Omit<Asked, "answer"> & { answer: Answer | Failure };

/** The reader that judges next. */
type Progress = { reader: number };

/**
 * Returns the finding, or the fact that is needed first.
 * @param progress of the judgement of the same answer with fewer facts, to continue at the reader that needed one: a
 * reader that passes an answer on does not depend on facts that it did not need
 */
export function judge(seen: Judged, progress: Progress = { reader: 0 }): Finding | Need {
  const finding = read(seen, progress);
  return "needs" in finding ? finding : asShutDown(seen.serving, finding);
}

function read(seen: Judged, progress: Progress): Finding | Need {
  const { answer } = seen;
  if (answer.kind === "failed") return judgeFailure(answer);
  const answered = { ...seen, answer };
  for (; progress.reader < READERS.length; progress.reader += 1) {
    const finding = READERS[progress.reader]?.(answered);
    if (finding) return finding;
  }
  throw new Error("The last reader always has a finding.");
}

/** Less than this of an incomplete page is not judged. */
const USEFUL_BYTES = 1024;

/** Judges a success by the completeness of its body. */
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
