import { readBodyState } from "./bodies.ts";
import { judgeFailure } from "./probe/failures.ts";
import type { Finding, Reader, Seen, Wanted } from "./probe/finding.ts";
import type { Answer, Failure } from "./probe/probe.ts";
import { readStatus } from "./probe/statuses.ts";
import { readServicePage, readUnproven } from "./services/page-rules.ts";
import type { Serving } from "./services/serving.ts";
import { asShutDown } from "./services/shut-down.ts";
import { readParking } from "./signals/parked.ts";
import { readPlaceholder } from "./signals/placeholders.ts";
import { readRedirects } from "./signals/redirects.ts";
import { readSoft404 } from "./signals/soft404.ts";
import { readWalls } from "./signals/walls.ts";

/**
 * Asked in this order; the first that knows something ends it. What stands between us and the page comes
 * before the status, because walls use any status; what a page says comes after it.
 */
const READERS: Reader<Serving>[] = [
  readServicePage,
  readWalls,
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
export function judge(seen: Judged): Finding | Wanted {
  const finding = read(seen);
  return "wants" in finding ? finding : asShutDown(seen.serving, finding);
}

function read(seen: Judged): Finding | Wanted {
  const { answer } = seen;
  if (answer.kind === "failed") return judgeFailure(answer);
  const answered = { ...seen, answer };
  for (const reader of READERS) {
    const finding = reader(answered);
    if (finding) return finding;
  }
  throw new Error("The last reader always knows something.");
}
