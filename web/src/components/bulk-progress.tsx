import type { Batch } from "../lib/bulk.ts";
import { doingWords, doneWords, isGoing, reachedOf, type Work } from "../lib/bulk-work.ts";
import { counted, many } from "../lib/format.ts";
import { StatusShape, statusText } from "./status.tsx";

type BatchProgressProps = { batch: Batch; onClose: () => void };

/** Progress and results of a batch check. */
export function BatchProgress({ batch, onClose }: BatchProgressProps) {
  const isComplete = batch.status === "complete";
  return (
    <section class="progress-bar" aria-label="Check of many links">
      <div class="bar-text" role="status">
        <p>{isComplete ? `${counted(batch.checked, "link")} checked.` : "Checking links"}</p>
        {isComplete && batch.skipped > 0 && (
          <p>{counted(batch.skipped, "link")} left out, since they were deleted.</p>
        )}
      </div>
      <HowFar label="Links checked" reached={batch.checked + batch.skipped} total={batch.total} />
      <Found batch={batch} />
      <div class="bar-deeds">
        <button type="button" onClick={onClose}>
          {isComplete ? "Close" : "Hide"}
        </button>
      </div>
    </section>
  );
}

type HowFarProps = { label: string; reached: number; total: number };

const HowFar = ({ label, reached, total }: HowFarProps) => (
  <div class="how-far">
    <progress aria-label={label} max={Math.max(total, 1)} value={reached} />
    <span>
      {many(reached)} of {many(total)}
    </span>
  </div>
);

const Found = ({ batch }: { batch: Batch }) => (
  <ul class="found" aria-label="Found so far">
    {(["active", "dead", "unknown"] as const).map((status) => (
      <li key={status}>
        <StatusShape of={status} />
        {many(batch[status])} {statusText(status)}
      </li>
    ))}
  </ul>
);

type WorkProgressProps = {
  work: Work;
  onStop: () => void;
  onGoOn: () => void;
  onClose: () => void;
};

/** Progress and result of a bulk change. */
export const WorkProgress = ({ work, onStop, onGoOn, onClose }: WorkProgressProps) => (
  <section class="progress-bar" aria-label={doingWords(work.deed)}>
    <div class="bar-text" role="status">
      {isGoing(work) ? <p>{doingWords(work.deed)}</p> : <Ended work={work} />}
    </div>
    <HowFar label={doingWords(work.deed)} {...reachedOf(work)} />
    <div class="bar-deeds">
      {isGoing(work) && (
        <button type="button" disabled={work.state === "stopping"} onClick={onStop}>
          {work.state === "stopping" ? "Stopping…" : "Stop"}
        </button>
      )}
      {work.state === "stopped" && <GoOn name="Go on" onGoOn={onGoOn} />}
      {work.state === "refused" && <GoOn name="Try again" onGoOn={onGoOn} />}
      {!isGoing(work) && (
        <button type="button" onClick={onClose}>
          Close
        </button>
      )}
    </div>
  </section>
);

const GoOn = ({ name, onGoOn }: { name: string; onGoOn: () => void }) => (
  <button type="button" class="primary" onClick={onGoOn}>
    {name}
  </button>
);

const Ended = ({ work }: { work: Work }) => (
  <>
    {work.error && <p class="text-bad">{work.error.message}</p>}
    {work.state === "stopped" && <p>Stopped.</p>}
    <p>{doneWords(work)}</p>
    {work.reasons.size > 0 && (
      <ul class="work-reasons">
        {[...work.reasons].map(([reason, count]) => (
          <li key={reason}>
            {counted(count, "link")}: {reason}
          </li>
        ))}
      </ul>
    )}
  </>
);
