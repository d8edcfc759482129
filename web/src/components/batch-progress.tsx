import type { Batch } from "../lib/bulk.ts";
import { counted } from "../lib/counted.ts";
import { StatusShape } from "./status.tsx";

type BatchProgressProps = { batch: Batch; onClose: () => void };

/** How far a check of many links has come, and what it has found. */
export function BatchProgress({ batch, onClose }: BatchProgressProps) {
  const isComplete = batch.status === "complete";
  return (
    <section class="progress-bar" aria-label="Check of many links">
      <div class="bar-told" role="status">
        <p>{isComplete ? `${counted(batch.checked, "link")} checked.` : "Checking links"}</p>
        {isComplete && batch.skipped > 0 && (
          <p>{counted(batch.skipped, "link")} left out, since they were deleted.</p>
        )}
      </div>
      <HowFar batch={batch} />
      <Found batch={batch} />
      <div class="bar-deeds">
        <button type="button" onClick={onClose}>
          {isComplete ? "Close" : "Hide"}
        </button>
      </div>
    </section>
  );
}

function HowFar({ batch: { checked, skipped, total } }: { batch: Batch }) {
  const reached = checked + skipped;
  return (
    <div class="how-far">
      <progress aria-label="Links checked" max={Math.max(total, 1)} value={reached} />
      <span>
        {reached.toLocaleString("en")} of {total.toLocaleString("en")}
      </span>
    </div>
  );
}

const Found = ({ batch }: { batch: Batch }) => (
  <ul class="found" aria-label="Found so far">
    {(["active", "dead", "unknown"] as const).map((status) => (
      <li key={status}>
        <StatusShape of={status} />
        {batch[status].toLocaleString("en")} {status}
      </li>
    ))}
  </ul>
);
